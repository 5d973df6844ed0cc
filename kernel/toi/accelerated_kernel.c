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

/* Pairs are worked on in blocks. Few of them need a search, and those not equally long: the searches of a block are
 * packed, so that all lanes have one. An answer does not depend on its lane, and is that of quartic_time(). */
enum { BLOCK = 256, ROOM = BLOCK + LANES };

/* Searches: the motion, the interval, where to begin, flags (1 concave, 2 hit), whose they are; and the second search of
 * those that find nothing, flags -1 if there is none. */
typedef struct searches {
    real px[ROOM], py[ROOM], vx[ROOM], vy[ROOM], ax[ROOM], ay[ROOM], rr[ROOM];
    real lo[ROOM], hi[ROOM], t[ROOM], flags[ROOM], owner[ROOM];
    real lo2[ROOM], hi2[ROOM], t2[ROOM], flags2[ROOM];
} searches;

CAROM_LANE vreal flags_of(vmask concave, vmask hit)
{
    const vreal zero = v_set1(0);
    return v_add(v_select(concave, v_set1(1), zero), v_select(hit, v_set1(2), zero));
}

/* Plans the block's searches. unit[] and root[] are set for all; a NaN unit says that a NaN came in. */
static size_t plan_block(size_t n, const motions *in, size_t from, real limit, real *unit, real *root, searches *s)
{
    const vreal zero = v_set1(0), never = v_set1(QUARTIC_NEVER);
    real number[LANES];
    for (size_t l = 0; l < LANES; l++) {
        number[l] = (real)l;
    }
    size_t count = 0;
    for (size_t i = 0; i < n; i += LANES) {
        quartic_scaled m = quartic_scale(load_motion(in, from + i, from + n));
        vreal scaled_limit = v_mul(v_set1(limit), m.rate);
        quartic_point start = quartic_at(&m, zero);
        vmask closing, active = quartic_begin(&m, scaled_limit, start, &closing);
        v_storeu(unit + i, v_select(m.nan, v_set1((real)__builtin_nan("")), m.unit));
        v_storeu(root + i, v_select(closing, zero, never));
        if (!m_any(active)) {
            continue;
        }
        quartic_plan p = quartic_intervals(&m, zero, start, active, false, scaled_limit);
        vmask now = m_and(m_or(p.first, p.second), m_below(n - i));
        if (!m_any(now)) {
            continue;
        }
        v_compress(s->px + count, now, m.q.px);
        v_compress(s->py + count, now, m.q.py);
        v_compress(s->vx + count, now, m.q.vx);
        v_compress(s->vy + count, now, m.q.vy);
        v_compress(s->ax + count, now, m.q.ax);
        v_compress(s->ay + count, now, m.q.ay);
        v_compress(s->rr + count, now, m.rr);
        v_compress(s->lo + count, now, v_select(p.first, p.from, p.lo));
        v_compress(s->hi + count, now, v_select(p.first, p.hi1, p.hi));
        v_compress(s->t + count, now, v_select(p.first, p.from, p.t));
        vreal flags2 = flags_of(p.concave, p.concave);
        v_compress(s->flags + count, now, v_select(p.first, flags_of(m_from_bits(0), p.reached), flags2));
        v_compress(s->owner + count, now, v_add(v_loadu(number), v_set1((real)i)));
        v_compress(s->lo2 + count, now, p.lo);
        v_compress(s->hi2 + count, now, p.hi);
        v_compress(s->t2 + count, now, p.t);
        v_compress(s->flags2 + count, now, v_select(m_and(p.first, p.second), flags2, v_set1(-1)));
        count += (size_t)__builtin_popcount(m_bits(now));
    }
    return count;
}

/* LANES searches from the k-th on; those at `count` and beyond are left alone. */
CAROM_LANE vreal search_some(const searches *s, size_t k, vmask active)
{
    quartic_scaled m;
    const vreal half = v_set1(REAL(0.5)), flags = v_loadu(s->flags + k);
    m.q.px = v_loadu(s->px + k);
    m.q.py = v_loadu(s->py + k);
    m.q.vx = v_loadu(s->vx + k);
    m.q.vy = v_loadu(s->vy + k);
    m.q.ax = v_loadu(s->ax + k);
    m.q.ay = v_loadu(s->ay + k);
    m.hx = v_mul(m.q.ax, half);
    m.hy = v_mul(m.q.ay, half);
    m.rr = v_loadu(s->rr + k);
    vmask concave = m_or(v_eq(flags, v_set1(1)), v_eq(flags, v_set1(3))), hit = v_ge(flags, v_set1(2));
    return quartic_search(&m, v_loadu(s->lo + k), v_loadu(s->hi + k), v_loadu(s->t + k), active, concave, hit);
}

/* All searches; those with another interval that have found nothing are packed at the front. */
static size_t search_block(searches *s, size_t count, real *root)
{
    size_t again = 0;
    for (size_t k = 0; k < count; k += LANES) {
        vmask active = m_below(count - k);
        vreal t = search_some(s, k, active);
        real found[LANES];
        v_storeu(found, t);
        for (size_t l = 0; l < LANES && k + l < count; l++) {
            root[(size_t)s->owner[k + l]] = found[l];
        }
        vmask more = m_and(m_and(active, v_eq(t, v_set1(QUARTIC_NEVER))), v_ge(v_loadu(s->flags2 + k), v_set1(0)));
        if (m_any(more)) { /* at or before the k-th: these have been read */
            real *const to[] = {s->px, s->py,    s->vx, s->vy, s->ax, s->ay,
                                s->rr, s->owner, s->lo, s->hi, s->t,  s->flags};
            const real *const from[] = {s->px, s->py,    s->vx,  s->vy,  s->ax, s->ay,
                                        s->rr, s->owner, s->lo2, s->hi2, s->t2, s->flags2};
            for (size_t array = 0; array < sizeof to / sizeof to[0]; array++) {
                v_compress(to[array] + again, more, v_loadu(from[array] + k));
            }
            again += (size_t)__builtin_popcount(m_bits(more));
        }
    }
    return again;
}

static void bracketed(size_t n, const motions *in, real limit, real *t)
{
    const motions m = *in; /* a copy that t cannot alias */
    searches s;
    real unit[ROOM], root[ROOM];
    for (size_t i = 0; i < n; i += BLOCK) {
        const size_t size = n - i < BLOCK ? n - i : BLOCK;
        size_t count = plan_block(size, &m, i, limit, unit, root, &s);
        for (int pass = 0; pass < 2 && count != 0; pass++) {
            /* Lanes beyond the last search are read. */
            for (size_t k = count; pass == 0 && k < count + LANES && k < ROOM; k++) {
                s.px[k] = s.py[k] = s.vx[k] = s.vy[k] = s.ax[k] = s.ay[k] = s.rr[k] = 0;
                s.lo[k] = s.hi[k] = s.t[k] = s.flags[k] = s.owner[k] = 0;
                s.lo2[k] = s.hi2[k] = s.t2[k] = s.flags2[k] = 0;
            }
            const size_t again = search_block(&s, count, root);
            for (size_t k = 0; k < again; k++) {
                s.flags2[k] = -1;
            }
            count = again;
        }
        for (size_t k = 0; k < size; k += LANES) {
            vreal factor = v_loadu(unit + k), time = v_mul(v_loadu(root + k), factor);
            time = v_select(v_le(time, v_set1(limit)), time, v_set1(QUARTIC_NEVER));
            store(t, i + k, i + size, v_select(v_ne(factor, factor), v_set1((real)__builtin_nan("")), time));
        }
    }
}

/* t may be one of the inputs: a block is stored after its own inputs, and before others, are read. */
static carom_status accelerated_times(carom_toi_quartic variant, size_t n, const motions *in, real limit, real *t)
{
    if (!(limit >= 0)) {
        return CAROM_ERROR_ARGUMENT;
    }
    if (variant == CAROM_QUARTIC_FERRARI) {
        const motions m = *in;
        for (size_t i = 0; i < n; i += LANES) {
            store(t, i, n, ferrari_time(load_motion(&m, i, n), v_set1(limit)));
        }
    } else {
        bracketed(n, in, limit, t);
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
