/* SPDX-License-Identifier: MIT
 * The array drivers for circles against arcs; compiled once per instruction set and precision.
 */
#include "toi/kernel.h"

#include "toi/arc.h"
#include "toi/arrays.h"

#if CAROM_REAL_BITS == 64
typedef toi_arcs_kernel_f64 arcs_kernel;
typedef carom_toi_bodies_f64 bodies_of_reals;
typedef carom_toi_motion_f64 motions;
typedef carom_toi_arcs_f64 arcs_of_reals;
typedef carom_toi_hits_f64 hits;
#else
typedef toi_arcs_kernel_f32 arcs_kernel;
typedef carom_toi_bodies_f32 bodies_of_reals;
typedef carom_toi_motion_f32 motions;
typedef carom_toi_arcs_f32 arcs_of_reals;
typedef carom_toi_hits_f32 hits;
#endif

/* Loads arcs. *nan: the lanes in which an input is NaN. */
CAROM_LANE arc_shape load_arc(const arcs_of_reals *a, size_t i, size_t n, carom_arc_sides sides, vmask *nan)
{
    const vmask none = m_from_bits(0);
    vreal ax = arrays_load(a->ax, i, n), ay = arrays_load(a->ay, i, n), bx = arrays_load(a->bx, i, n),
          by = arrays_load(a->by, i, n);
    arc_shape s =
        arc_shape_of(arrays_load(a->x, i, n), arrays_load(a->y, i, n), arrays_load(a->radius, i, n), ax, ay, bx, by);
    *nan = m_or(walls_nan2(ax, ay), walls_nan2(bx, by));
    s.within = sides == CAROM_ARC_WITHOUT ? none : s.within;
    s.without = sides == CAROM_ARC_WITHIN ? none : s.without;
    return s;
}

/* Stores lanes as pairs i, i + 1, ..., but not past the n-th. */
CAROM_LANE void store_hit(const hits *out, size_t i, size_t n, vreal t, vreal nx, vreal ny, vint feature)
{
    real time[LANES], x[LANES], y[LANES];
    int32_t part[LANES];
    v_storeu(time, t), v_storeu(x, nx), v_storeu(y, ny);
    __builtin_memcpy(part, &feature, sizeof part);
    for (size_t l = 0; l < LANES && i + l < n; l++) {
        out->t[i + l] = time[l];
        if (out->nx != NULL) {
            out->nx[i + l] = x[l];
        }
        if (out->ny != NULL) {
            out->ny[i + l] = y[l];
        }
        if (out->feature != NULL) {
            out->feature[i + l] = part[l];
        }
    }
}

CAROM_LANE vmask all_or_none(bool all)
{
    return all ? m_not(m_from_bits(0)) : m_from_bits(0);
}

static carom_status straight(carom_arc_sides sides, bool holds, size_t n, const bodies_of_reals *circles,
                             const arcs_of_reals *arcs, real limit, const hits *out)
{
    if (!(limit >= 0)) {
        return CAROM_ERROR_ARGUMENT;
    }
    for (size_t i = 0; i < n; i += LANES) {
        walls_circle c;
        vmask nan;
        c.x = arrays_load(circles->x, i, n), c.y = arrays_load(circles->y, i, n);
        c.vx = arrays_load(circles->vx, i, n), c.vy = arrays_load(circles->vy, i, n),
        c.r = arrays_load(circles->r, i, n);
        const arc_shape arc = load_arc(arcs, i, n, sides, &nan);
        const walls_hit hit = walls_poison(arc_hit(c, arc, all_or_none(holds), walls_span_of(false, limit)), nan);
        store_hit(out, i, n, hit.t, hit.nx, hit.ny, hit.feature);
    }
    return CAROM_OK;
}

static carom_status accelerated(carom_arc_sides sides, bool holds, size_t n, const motions *in,
                                const arcs_of_reals *arcs, real limit, const hits *out)
{
    if (!(limit >= 0)) {
        return CAROM_ERROR_ARGUMENT;
    }
    for (size_t i = 0; i < n; i += LANES) {
        quartic_motion q;
        vmask nan;
        q.px = arrays_load(in->px, i, n), q.py = arrays_load(in->py, i, n), q.vx = arrays_load(in->vx, i, n),
        q.vy = arrays_load(in->vy, i, n);
        q.ax = arrays_load(in->ax, i, n), q.ay = arrays_load(in->ay, i, n), q.r = arrays_load(in->r, i, n);
        const arc_shape arc = load_arc(arcs, i, n, sides, &nan);
        accelerated_hit hit = accelerated_arc(q, arc, v_set1(limit), all_or_none(holds));
        hit = accelerated_answer(hit, v_set1(limit), m_or(nan, v_ne(hit.t, hit.t)));
        store_hit(out, i, n, hit.t, hit.nx, hit.ny, v_truncate(hit.feature));
    }
    return CAROM_OK;
}

CAROM_EXTERN const arcs_kernel CAROM_KERNEL(toi_arcs);
const arcs_kernel CAROM_KERNEL(toi_arcs) = {straight, accelerated};
