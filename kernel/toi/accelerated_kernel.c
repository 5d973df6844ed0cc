/* SPDX-License-Identifier: MIT
 * The array drivers for accelerating circles; compiled once per instruction set and precision.
 */
#include "toi/kernel.h"

#include "toi/accelerated_walls.h"
#include "toi/arrays.h"
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

/* Stores lanes to elements i, i + 1, ..., but not past the n-th. */
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

/* Stores lanes that hold small whole numbers as integers. */
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
    q.px = arrays_load(in->px, i, n);
    q.py = arrays_load(in->py, i, n);
    q.vx = arrays_load(in->vx, i, n);
    q.vy = arrays_load(in->vy, i, n);
    q.ax = arrays_load(in->ax, i, n);
    q.ay = arrays_load(in->ay, i, n);
    q.r = arrays_load(in->r, i, n);
    return q;
}

CAROM_LANE accelerated_segment_ends load_segment(const segments *in, size_t i, size_t n)
{
    accelerated_segment_ends s;
    s.ax = arrays_load(in->ax, i, n);
    s.ay = arrays_load(in->ay, i, n);
    s.bx = arrays_load(in->bx, i, n);
    s.by = arrays_load(in->by, i, n);
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

/* Stores four roots and their number, which is -1 if they are NaN. */
CAROM_LANE void store_roots(real *const to[4], int32_t *count, size_t i, size_t n, const vreal root[4])
{
    const vreal one = v_set1(1), zero = v_set1(0), never = v_set1(QUARTIC_NEVER);
    vreal sum = zero;
    for (int k = 0; k < 4; k++) {
        store(to[k], i, n, root[k]);
        sum = sum + v_select(v_lt(root[k], never), one, zero);
    }
    store_integers(count, i, n, v_select(v_ne(root[0], root[0]), v_set1(-1), sum));
}

/* Pairs are processed in blocks. Few of them need a search, and the searches take different numbers of steps, so those
 * of a block are packed side by side, and again after each step. All lanes then have work, and no register waits for
 * the steps of another. An answer does not depend on its lane, and is that of quartic_time(). */
#define BLOCK ((size_t)256)
#define ROOM (BLOCK + LANES)

/* The searches of a block, packed: quartic_scaled and quartic_search_state as arrays. */
typedef struct searches {
    size_t count;
    real px[ROOM], py[ROOM], vx[ROOM], vy[ROOM], ax[ROOM], ay[ROOM], r[ROOM];
    real lo[ROOM], hi[ROOM], t[ROOM], last[ROOM];
    real flags[ROOM]; /* 1 concave + 2 hit */
    real owner[ROOM]; /* the pair's number in the block */
} searches;

/* Appends the searches in lanes of m. Writes up to a register of unused numbers after the last one. */
CAROM_LANE void append(searches *s, vmask m, const quartic_scaled *motion, const quartic_search_state *state,
                       vreal owner)
{
    const vreal zero = v_set1(0);
    const size_t k = s->count;
    v_compress(s->px + k, m, motion->q.px);
    v_compress(s->py + k, m, motion->q.py);
    v_compress(s->vx + k, m, motion->q.vx);
    v_compress(s->vy + k, m, motion->q.vy);
    v_compress(s->ax + k, m, motion->q.ax);
    v_compress(s->ay + k, m, motion->q.ay);
    v_compress(s->r + k, m, motion->q.r);
    v_compress(s->lo + k, m, state->lo);
    v_compress(s->hi + k, m, state->hi);
    v_compress(s->t + k, m, state->t);
    v_compress(s->last + k, m, state->last);
    v_compress(s->flags + k, m, v_select(state->concave, v_set1(1), zero) + v_select(state->hit, v_set1(2), zero));
    v_compress(s->owner + k, m, owner);
    s->count += (size_t)__builtin_popcount(m_bits(m));
}

/* Loads LANES searches, starting with the k-th. */
CAROM_LANE void take(const searches *s, size_t k, quartic_scaled *motion, quartic_search_state *state)
{
    const vreal half = v_set1(REAL(0.5)), flags = v_loadu(s->flags + k);
    motion->q.px = v_loadu(s->px + k);
    motion->q.py = v_loadu(s->py + k);
    motion->q.vx = v_loadu(s->vx + k);
    motion->q.vy = v_loadu(s->vy + k);
    motion->q.ax = v_loadu(s->ax + k);
    motion->q.ay = v_loadu(s->ay + k);
    motion->hx = motion->q.ax * half;
    motion->hy = motion->q.ay * half;
    motion->q.r = v_loadu(s->r + k);
    motion->rr = motion->q.r * motion->q.r;
    state->lo = v_loadu(s->lo + k);
    state->hi = v_loadu(s->hi + k);
    state->t = v_loadu(s->t + k);
    state->last = v_loadu(s->last + k);
    state->concave = m_or(v_eq(flags, v_set1(1)), v_eq(flags, v_set1(3)));
    state->hit = v_ge(flags, v_set1(2));
}

/* Plans the searches of n <= BLOCK pairs: `first`, and in `second` those that follow if the first finds nothing. Sets
 * unit[] and root[] for all pairs; the unit is NaN if an input is. */
CAROM_LANE void plan_block(size_t n, const motions *in, size_t from, real limit, real *unit, real *root,
                           searches *first, searches *second)
{
    const vreal zero = v_set1(0), never = v_set1(QUARTIC_NEVER);
    real number[LANES];
    for (size_t l = 0; l < LANES; l++) {
        number[l] = (real)l;
    }
    first->count = second->count = 0;

    for (size_t i = 0; i < n; i += LANES) {
        quartic_scaled m = quartic_scale(load_motion(in, from + i, from + n));
        vreal scaled_limit = v_set1(limit) * m.rate;

        /* Cases that need no search: hits at the start, and pairs that cannot collide within the limit. */
        quartic_point start = quartic_at(&m, zero);
        vmask closing, active = quartic_begin(&m, scaled_limit, start, &closing);
        v_storeu(unit + i, v_select(m.nan, v_set1((real)__builtin_nan("")), m.unit));
        v_storeu(root + i, v_select(closing, zero, never));

        /* The lanes after the last pair have nothing to search. */
        active = m_and(active, m_below(n - i));
        if (!m_any(active)) {
            continue;
        }

        /* The others search the first interval if there is one, otherwise the second at once. */
        quartic_plan p = quartic_intervals(&m, zero, start, active, false, scaled_limit);
        vreal owner = v_loadu(number) + v_set1((real)i);
        quartic_search_state late = {p.lo, p.hi, p.t, p.hi - p.lo, p.concave, p.concave}, s = late;
        vmask now = m_or(p.first, p.second), later = m_and(p.first, p.second);
        if (m_any(now)) {
            s.lo = v_select(p.first, p.from, p.lo);
            s.hi = v_select(p.first, p.hi1, p.hi);
            s.t = v_select(p.first, p.from, p.t);
            s.last = s.hi - s.lo;
            s.concave = m_andnot(p.concave, p.first);
            s.hit = m_select(p.first, p.reached, p.concave);
            append(first, now, &m, &s, owner);
        }
        if (m_any(later)) {
            append(second, later, &m, &late, owner);
        }
    }
}

/* Completes all searches, and sets the roots of their owners. */
static void search_block(searches *s, real *root)
{
    quartic_scaled m;
    quartic_search_state state;

    for (int i = 0; i < QUARTIC_STEPS && s->count != 0; i++) {
        const size_t count = s->count;
        s->count = 0;
        for (size_t k = 0; k < count; k += LANES) {
            vreal answer, owner = v_loadu(s->owner + k);

            /* One step; store the answers with their owners. */
            take(s, k, &m, &state);
            vmask there = m_below(count - k), done = m_and(quartic_step(&m, &state, &answer), there);
            if (m_any(done)) {
                real found[LANES], whose[LANES];
                v_storeu(found, answer);
                v_storeu(whose, owner);
                for (unsigned bits = m_bits(done); bits != 0; bits &= bits - 1) {
                    root[(size_t)whose[__builtin_ctz(bits)]] = found[__builtin_ctz(bits)];
                }
            }

            /* Keep the rest. They are packed at or before the k-th search, where all have been read. */
            append(s, m_andnot(there, done), &m, &state, owner);
        }
    }

    /* A search that takes too many steps ends as in quartic_search(). */
    for (size_t k = 0; k < s->count; k++) {
        root[(size_t)s->owner[k]] = s->flags[k] >= 2 ? s->hi[k] : QUARTIC_NEVER;
    }
}

/* Drops the searches whose owner already has a root. */
static void keep_unanswered(searches *s, const real *root)
{
    quartic_scaled m;
    quartic_search_state state;
    const size_t count = s->count;
    s->count = 0;
    for (size_t k = 0; k < count; k += LANES) {
        real found[LANES] = {0};
        for (size_t l = 0; l < LANES && k + l < count; l++) {
            found[l] = root[(size_t)s->owner[k + l]];
        }
        vmask open = m_and(v_eq(v_loadu(found), v_set1(QUARTIC_NEVER)), m_below(count - k));
        vreal owner = v_loadu(s->owner + k);
        take(s, k, &m, &state);
        append(s, open, &m, &state, owner);
    }
}

/* The times of impact by bracketed search. */
static void bracketed(size_t n, const motions *in, real limit, real *t)
{
    const motions m = *in; /* a copy that t cannot alias */
    searches first, second;
    real unit[ROOM], root[ROOM];
    __builtin_memset(&first, 0, sizeof first); /* lanes after the last search are loaded */
    __builtin_memset(&second, 0, sizeof second);

    for (size_t i = 0; i < n; i += BLOCK) {
        const size_t size = n - i < BLOCK ? n - i : BLOCK;
        plan_block(size, &m, i, limit, unit, root, &first, &second);
        search_block(&first, root);

        if (second.count != 0) {
            keep_unanswered(&second, root);
            search_block(&second, root);
        }

        /* Convert to the caller's unit of time, which keeps NaN; never after the limit. */
        for (size_t k = 0; k < size; k += LANES) {
            vreal factor = v_loadu(unit + k), time = v_loadu(root + k) * factor;
            time = v_select(v_le(time, v_set1(limit)), time, v_set1(QUARTIC_NEVER));
            store(t, i + k, i + size, v_select(v_ne(factor, factor), v_set1((real)__builtin_nan("")), time));
        }
    }
}

/* t may be one of the inputs: each block is read completely before it is written, and no later one is touched. */
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
        vreal x = arrays_load(p.x, i, n), y = arrays_load(p.y, i, n);
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
        const accelerated_segment_ends ends = load_segment(&s, i, n);
        store_hit(&to, i, n, accelerated_segment(load_motion(&m, i, n), ends, v_set1(limit), m_from_bits(0)));
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
        s.x0 = arrays_load(b.x0, i, n);
        s.y0 = arrays_load(b.y0, i, n);
        s.x1 = arrays_load(b.x1, i, n);
        s.y1 = arrays_load(b.y1, i, n);
        store_hit(&to, i, n, accelerated_box(load_motion(&m, i, n), s, v_set1(limit)));
    }
    return CAROM_OK;
}

CAROM_EXTERN const accelerated_kernel CAROM_KERNEL(toi_accelerated);
const accelerated_kernel CAROM_KERNEL(toi_accelerated) = {accelerated_times, accelerated_roots, roots_of_lines,
                                                          against_points,    against_segments,  against_boxes};
