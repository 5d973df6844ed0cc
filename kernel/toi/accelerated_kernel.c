/* SPDX-License-Identifier: MIT
 * The array drivers of accelerating circles; compiled once per instruction set and precision.
 */
#include "toi/accelerated_kernel.h"

#include "toi/accelerated_walls.h"
#include "toi/ferrari.h"

#if CAROM_REAL_BITS == 64
typedef toi_accelerated_kernel_f64 accelerated_kernel;
typedef carom_toi_motion_f64 motions;
typedef carom_toi_points_f64 points;
typedef carom_toi_segments_f64 segments;
typedef carom_toi_boxes_f64 boxes;
typedef carom_toi_hits_f64 hits;
#else
typedef toi_accelerated_kernel_f32 accelerated_kernel;
typedef carom_toi_motion_f32 motions;
typedef carom_toi_points_f32 points;
typedef carom_toi_segments_f32 segments;
typedef carom_toi_boxes_f32 boxes;
typedef carom_toi_hits_f32 hits;
#endif

/* LANES numbers from the i-th of n on, and nothing beyond them; the other lanes are 0. */
CAROM_LANE vreal load(const real *from, size_t i, size_t n)
{
    if (n - i >= LANES) {
        return v_loadu(from + i);
    }
    real last[LANES] = {0};
    for (size_t l = 0; i + l < n; l++) {
        last[l] = from[i + l];
    }
    return v_loadu(last);
}

CAROM_LANE void store(real *to, size_t i, size_t n, vreal a)
{
    if (n - i >= LANES) {
        v_storeu(to + i, a);
        return;
    }
    real last[LANES];
    v_storeu(last, a);
    for (size_t l = 0; i + l < n; l++) {
        to[i + l] = last[l];
    }
}

/* The same as integers: a small whole number each. */
CAROM_LANE void store_integers(int32_t *to, size_t i, size_t n, vreal a)
{
    real whole[LANES];
    v_storeu(whole, a);
    for (size_t l = 0; l < LANES && i + l < n; l++) {
        to[i + l] = (int32_t)whole[l];
    }
}

CAROM_LANE quartic_motion load_motion(const motions *in, size_t i, size_t n)
{
    quartic_motion q;
    q.px = load(in->px, i, n);
    q.py = load(in->py, i, n);
    q.vx = load(in->vx, i, n);
    q.vy = load(in->vy, i, n);
    q.ax = load(in->ax, i, n);
    q.ay = load(in->ay, i, n);
    q.r = load(in->r, i, n);
    return q;
}

CAROM_LANE accelerated_segment_ends load_segment(const segments *in, size_t i, size_t n)
{
    accelerated_segment_ends s;
    s.ax = load(in->ax, i, n);
    s.ay = load(in->ay, i, n);
    s.bx = load(in->bx, i, n);
    s.by = load(in->by, i, n);
    return s;
}

CAROM_LANE void store_hit(const hits *out, size_t i, size_t n, accelerated_hit h)
{
    store(out->t, i, n, h.t);
    if (out->nx != NULL) {
        store(out->nx, i, n, h.nx);
    }
    if (out->ny != NULL) {
        store(out->ny, i, n, h.ny);
    }
    if (out->feature != NULL) {
        store_integers(out->feature, i, n, h.feature);
    }
}

/* Four roots and how many there are; a NaN stands for an unknown number. */
CAROM_LANE void store_roots(real *const to[4], int32_t *count, size_t i, size_t n, const vreal root[4])
{
    const vreal one = v_set1(1), zero = v_set1(0), never = v_set1(QUARTIC_NEVER);
    vreal sum = zero;
    for (int k = 0; k < 4; k++) {
        store(to[k], i, n, root[k]);
        sum = v_add(sum, v_select(v_lt(root[k], never), one, zero));
    }
    store_integers(count, i, n, v_select(v_ne(root[0], root[0]), v_set1(-1), sum));
}

/* A vector is stored after its own inputs, and before others, are read: t may be one of the inputs. */
static carom_status accelerated_times(carom_toi_quartic variant, size_t n, const motions *in, real limit, real *t)
{
    if (!(limit >= 0)) {
        return CAROM_ERROR_ARGUMENT;
    }
    const motions m = *in;
    const vreal latest = v_set1(limit);
    if (variant == CAROM_QUARTIC_FERRARI) {
        for (size_t i = 0; i < n; i += LANES) {
            store(t, i, n, ferrari_time(load_motion(&m, i, n), latest));
        }
    } else {
        for (size_t i = 0; i < n; i += LANES) {
            store(t, i, n, quartic_time(load_motion(&m, i, n), latest));
        }
    }
    return CAROM_OK;
}

static void accelerated_roots(size_t n, const motions *in, real *const roots[4], int32_t *count)
{
    const motions m = *in;
    for (size_t i = 0; i < n; i += LANES) {
        vreal root[4];
        quartic_roots(load_motion(&m, i, n), root);
        store_roots(roots, count, i, n, root);
    }
}

static void roots_of_lines(size_t n, const motions *in, const segments *lines, real *const roots[4], int32_t *count)
{
    const motions m = *in;
    const segments s = *lines;
    for (size_t i = 0; i < n; i += LANES) {
        vreal root[4];
        accelerated_line_roots(load_motion(&m, i, n), load_segment(&s, i, n), root);
        store_roots(roots, count, i, n, root);
    }
}

static carom_status against_points(size_t n, const motions *in, const points *obstacles, real limit, const hits *out)
{
    if (!(limit >= 0)) {
        return CAROM_ERROR_ARGUMENT;
    }
    const motions m = *in;
    const points p = *obstacles;
    const hits to = *out;
    for (size_t i = 0; i < n; i += LANES) {
        vreal x = load(p.x, i, n), y = load(p.y, i, n);
        store_hit(&to, i, n, accelerated_point(load_motion(&m, i, n), x, y, v_set1(limit)));
    }
    return CAROM_OK;
}

static carom_status against_segments(size_t n, const motions *in, const segments *obstacles, real limit,
                                     const hits *out)
{
    if (!(limit >= 0)) {
        return CAROM_ERROR_ARGUMENT;
    }
    const motions m = *in;
    const segments s = *obstacles;
    const hits to = *out;
    for (size_t i = 0; i < n; i += LANES) {
        store_hit(&to, i, n, accelerated_segment(load_motion(&m, i, n), load_segment(&s, i, n), v_set1(limit)));
    }
    return CAROM_OK;
}

static carom_status against_boxes(size_t n, const motions *in, const boxes *obstacles, real limit, const hits *out)
{
    if (!(limit >= 0)) {
        return CAROM_ERROR_ARGUMENT;
    }
    const motions m = *in;
    const boxes b = *obstacles;
    const hits to = *out;
    for (size_t i = 0; i < n; i += LANES) {
        accelerated_box_sides s;
        s.x0 = load(b.x0, i, n);
        s.y0 = load(b.y0, i, n);
        s.x1 = load(b.x1, i, n);
        s.y1 = load(b.y1, i, n);
        store_hit(&to, i, n, accelerated_box(load_motion(&m, i, n), s, v_set1(limit)));
    }
    return CAROM_OK;
}

CAROM_EXTERN const accelerated_kernel CAROM_KERNEL(toi_accelerated);
const accelerated_kernel CAROM_KERNEL(toi_accelerated) = {accelerated_times, accelerated_roots, roots_of_lines,
                                                          against_points,    against_segments,  against_boxes};
