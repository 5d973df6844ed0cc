/* SPDX-License-Identifier: MIT
 * The array drivers for the time-of-impact equations; compiled once per instruction set and precision.
 */
#include "toi/kernel.h"

#include "toi/variants.h"

#if CAROM_REAL_BITS == 64
typedef toi_kernel_f64 toi_kernel;
typedef toi_solver_f64 toi_solver;
typedef toi_input_f64 toi_input;
typedef carom_toi_pairs_f64 pairs_of_reals;
typedef carom_toi_bodies_f64 bodies_of_reals;
typedef carom_toi_contacts_f64 contacts_of_reals;
#else
typedef toi_kernel_f32 toi_kernel;
typedef toi_solver_f32 toi_solver;
typedef toi_input_f32 toi_input;
typedef carom_toi_pairs_f32 pairs_of_reals;
typedef carom_toi_bodies_f32 bodies_of_reals;
typedef carom_toi_contacts_f32 contacts_of_reals;
#endif

/* ---- pairs in lanes ---- */

/* load_SHAPE() loads LANES pairs, starting with the k-th; some_SHAPE() loads the last `count` < LANES pairs, and
 * nothing past them. */

/* One body in every lane. */
typedef struct bodies_of_lanes {
    vreal x, y, vx, vy, r;
} bodies_of_lanes;

/* j relative to i. */
CAROM_LANE circles_pair between(bodies_of_lanes i, bodies_of_lanes j)
{
    circles_pair q;
    q.px = j.x - i.x;
    q.py = j.y - i.y;
    q.vx = j.vx - i.vx;
    q.vy = j.vy - i.vy;
    q.r = i.r + j.r;
    return q;
}

/* The two bodies of every lane. If only the relative motion is known, i is at rest at the origin. */
typedef struct couple {
    circles_pair q;
    bodies_of_lanes i, j;
} couple;

CAROM_LANE couple load_pairs(const toi_input *in, size_t k)
{
    couple c;
    c.j.x = c.q.px = v_loadu(in->pairs.px + k);
    c.j.y = c.q.py = v_loadu(in->pairs.py + k);
    c.j.vx = c.q.vx = v_loadu(in->pairs.vx + k);
    c.j.vy = c.q.vy = v_loadu(in->pairs.vy + k);
    c.j.r = c.q.r = v_loadu(in->pairs.r + k);
    c.i.x = c.i.y = c.i.vx = c.i.vy = c.i.r = v_set1(0);
    return c;
}

CAROM_LANE bodies_of_lanes gather_bodies(const toi_input *in, const int32_t *index)
{
    bodies_of_lanes b;
    vint at = i_loadu32(index);
    b.x = v_gather(in->bodies.x, at);
    b.y = v_gather(in->bodies.y, at);
    b.vx = v_gather(in->bodies.vx, at);
    b.vy = v_gather(in->bodies.vy, at);
    b.r = v_gather(in->bodies.r, at);
    return b;
}

CAROM_LANE couple load_indexed(const toi_input *in, size_t k)
{
    couple c;
    c.i = gather_bodies(in, in->i + k);
    c.j = gather_bodies(in, in->j + k);
    c.q = between(c.i, c.j);
    return c;
}

CAROM_LANE couple load_one(const toi_input *in, size_t k)
{
    couple c;
    c.i.x = v_set1(in->one.x);
    c.i.y = v_set1(in->one.y);
    c.i.vx = v_set1(in->one.vx);
    c.i.vy = v_set1(in->one.vy);
    c.i.r = v_set1(in->one.r);
    c.j.x = v_loadu(in->bodies.x + k);
    c.j.y = v_loadu(in->bodies.y + k);
    c.j.vx = v_loadu(in->bodies.vx + k);
    c.j.vy = v_loadu(in->bodies.vy + k);
    c.j.r = v_loadu(in->bodies.r + k);
    c.q = between(c.i, c.j);
    return c;
}

/* `count` elements of `from`, and `fill` in the other lanes. */
CAROM_LANE void some(real to[LANES], const real *from, size_t count, real fill)
{
    for (size_t l = 0; l < LANES; l++) {
        to[l] = l < count ? from[l] : fill;
    }
}

/* The lanes after the last pair hold circles at rest. */
CAROM_LANE couple some_pairs(const toi_input *in, size_t k, size_t count)
{
    real px[LANES], py[LANES], vx[LANES], vy[LANES], r[LANES];
    some(px, in->pairs.px + k, count, 0);
    some(py, in->pairs.py + k, count, 0);
    some(vx, in->pairs.vx + k, count, 0);
    some(vy, in->pairs.vy + k, count, 0);
    some(r, in->pairs.r + k, count, 0);
    toi_input block = *in;
    block.pairs.px = px;
    block.pairs.py = py;
    block.pairs.vx = vx;
    block.pairs.vy = vy;
    block.pairs.r = r;
    return load_pairs(&block, 0);
}

/* The lanes after the last pair hold a body paired with itself. */
CAROM_LANE couple some_indexed(const toi_input *in, size_t k, size_t count)
{
    int32_t i[LANES], j[LANES];
    for (size_t l = 0; l < LANES; l++) {
        i[l] = l < count ? in->i[k + l] : in->i[k];
        j[l] = l < count ? in->j[k + l] : in->i[k];
    }
    toi_input block = *in;
    block.i = i;
    block.j = j;
    return load_indexed(&block, 0);
}

/* The lanes after the last body hold `one` paired with itself. */
CAROM_LANE couple some_one(const toi_input *in, size_t k, size_t count)
{
    real x[LANES], y[LANES], vx[LANES], vy[LANES], r[LANES];
    some(x, in->bodies.x + k, count, in->one.x);
    some(y, in->bodies.y + k, count, in->one.y);
    some(vx, in->bodies.vx + k, count, in->one.vx);
    some(vy, in->bodies.vy + k, count, in->one.vy);
    some(r, in->bodies.r + k, count, in->one.r);
    toi_input block = *in;
    block.bodies.x = x;
    block.bodies.y = y;
    block.bodies.vx = vx;
    block.bodies.vy = vy;
    block.bodies.r = r;
    return load_one(&block, 0);
}

/* Stores the first `count` lanes. */
CAROM_LANE void store_some(real *to, vreal a, size_t count)
{
    real lanes[LANES];
    v_storeu(lanes, a);
    for (size_t l = 0; l < count; l++) {
        to[l] = lanes[l];
    }
}

/* ---- times ---- */

/* t may be one of the inputs: each vector of pairs is read before its times are stored. */
#define TIMES(function, solve, shape)                                                                                  \
    static void function(size_t n, const toi_input *input, real *t)                                                    \
    {                                                                                                                  \
        const toi_input in = *input; /* a copy that t cannot alias */                                                  \
        size_t k = 0;                                                                                                  \
        for (; n - k >= LANES; k += LANES) {                                                                           \
            v_storeu(t + k, solve(load_##shape(&in, k).q));                                                            \
        }                                                                                                              \
        if (k < n) {                                                                                                   \
            store_some(t + k, solve(some_##shape(&in, k, n - k).q), n - k);                                            \
        }                                                                                                              \
    }

/* The earliest time of each lane so far. */
typedef struct earliest {
    vreal t;
    vint at; /* the number of the register with it */
} earliest;

/* The earlier of two times in each lane; if equal, the first. */
CAROM_LANE earliest earlier_of(earliest best, vreal t, vint at)
{
    vmask earlier = v_lt(t, best.t);
    best.t = v_select(earlier, t, best.t);
    best.at = i_select(earlier, at, best.at);
    return best;
}

/* The earliest time of all lanes and its index: the lowest index among equal times, -1 if there is none. */
CAROM_LANE void earliest_of_lanes(earliest best, real *t, int32_t *index)
{
    real times[LANES], least;
    alignas(4 * LANES) int32_t registers[LANES];
    v_storeu(times, best.t);
    i_store32(registers, best.at);

    /* The earliest time. */
    for (int half = LANES / 2; half > 0; half /= 2) {
        for (int l = 0; l < half; l++) {
            times[l] = times[l + half] < times[l] ? times[l + half] : times[l];
        }
    }
    least = times[0];

    /* The lowest index among the lanes with that time. */
    int32_t lowest = INT32_MAX;
    for (unsigned bits = m_bits(v_eq(best.t, v_set1(least))); bits != 0; bits &= bits - 1) {
        const int l = __builtin_ctz(bits);
        const int32_t at = registers[l] * LANES + l;
        lowest = at < lowest ? at : lowest;
    }
    *t = least;
    *index = least <= REAL_MAX ? lowest : -1;
}

#define FIRST(function, solve)                                                                                         \
    static void function(size_t m, const bodies_of_reals *bodies, size_t n, const bodies_of_reals *others, real *t,    \
                         int32_t *index)                                                                               \
    {                                                                                                                  \
        toi_input in;                                                                                                  \
        const bodies_of_reals ones = *bodies;                                                                          \
        in.bodies = *others;                                                                                           \
        for (size_t o = 0; o < m; o++) {                                                                               \
            in.one.x = ones.x[o];                                                                                      \
            in.one.y = ones.y[o];                                                                                      \
            in.one.vx = ones.vx[o];                                                                                    \
            in.one.vy = ones.vy[o];                                                                                    \
            in.one.r = ones.r[o];                                                                                      \
            vint here = i_set1(0);                                                                                     \
            earliest best;                                                                                             \
            best.t = v_set1((real)__builtin_inf());                                                                    \
            best.at = here;                                                                                            \
            size_t k = 0;                                                                                              \
            for (; n - k >= LANES; k += LANES) {                                                                       \
                best = earlier_of(best, solve(load_one(&in, k).q), here);                                              \
                here = i_add(here, i_set1(1));                                                                         \
            }                                                                                                          \
            if (k < n) {                                                                                               \
                best = earlier_of(best, solve(some_one(&in, k, n - k).q), here);                                       \
            }                                                                                                          \
            earliest_of_lanes(best, t + o, index + o);                                                                 \
        }                                                                                                              \
    }

#define SOLVER(name) SOLVER_OF(name, circles_##name)
#define SOLVER_OF(name, solve)                                                                                         \
    TIMES(toi_##name##_pairs, solve, pairs)                                                                            \
    TIMES(toi_##name##_indexed, solve, indexed)                                                                        \
    TIMES(toi_##name##_one, solve, one)                                                                                \
    FIRST(toi_##name##_first, solve)
#define SOLVER_ENTRY(name) {{toi_##name##_pairs, toi_##name##_indexed, toi_##name##_one}, toi_##name##_first},
#define PLAIN_SOLVER(name, equation, root) SOLVER(name)
#define PLAIN_SOLVER_ENTRY(name, equation, root) SOLVER_ENTRY(name)

CIRCLES_VARIANTS(PLAIN_SOLVER, SOLVER)
static const toi_solver lanes[] = {{{NULL, NULL, NULL}, NULL}, CIRCLES_VARIANTS(PLAIN_SOLVER_ENTRY, SOLVER_ENTRY)};
static_assert(sizeof lanes / sizeof lanes[0] == CAROM_TOI_VARIANTS, "the variants in the order of carom_toi_variant");

#if LANES == 1
#define BRANCHING(name) SOLVER_OF(name##_branches, branches_##name)
#define BRANCHING_ENTRY(name) SOLVER_ENTRY(name##_branches)
#define PLAIN_BRANCHING(name, equation, root) BRANCHING(name)
#define PLAIN_BRANCHING_ENTRY(name, equation, root) BRANCHING_ENTRY(name)

BRANCHING(pow)
CIRCLES_VARIANTS(PLAIN_BRANCHING, BRANCHING)
static const toi_solver branches[] = {BRANCHING_ENTRY(pow) CIRCLES_VARIANTS(PLAIN_BRANCHING_ENTRY, BRANCHING_ENTRY)};
#define BRANCHES branches
#else
#define BRANCHES NULL
#endif

/* ---- contacts ---- */

/* When the circles start and stop overlapping; +INFINITY: never. */
typedef struct contact_roots {
    vreal entry, exit;
} contact_roots;

/* With w = -(b + sqrt d) or -(b - sqrt d), whichever does not cancel, the roots are w / a and c / w. */
CAROM_LANE contact_roots contact_roots_of(circles_pair q)
{
    const vreal zero = v_set1(0);
    circles_equation e = equation_components(q);
    vmask approaching = v_lt(e.b, zero);
    vreal root = v_sqrt(e.d), w = v_flip(m_not(approaching), root) - e.b;
    vreal one = w / e.a, other = v_select(v_eq(w, zero), zero, e.c / w);
    vmask real_roots = m_and(v_ge(e.d, zero), v_gt(e.a, zero));
    const vreal never = v_set1((real)__builtin_inf());
    contact_roots roots;
    roots.entry = circles_tamed(q, e.d, v_select(real_roots, v_select(approaching, other, one), never));
    roots.exit = circles_tamed(q, e.d, v_select(real_roots, v_select(approaching, one, other), never));
    return roots;
}

typedef struct contact_normal {
    vreal x, y;
} contact_normal;

/* The direction from i to j at time t; 0 if there is none. */
CAROM_LANE contact_normal contact_normal_of(circles_pair q, vreal t)
{
    const vreal zero = v_set1(0);
    vreal x = q.px + q.vx * t, y = q.py + q.vy * t;
    vreal length = v_sqrt(x * x + y * y);
    vmask some = m_and(m_and(v_le(v_abs(t), v_set1(REAL_MAX)), v_gt(length, zero)), v_le(length, v_set1(REAL_MAX)));
    contact_normal n;
    n.x = v_select(some, x / length, zero);
    n.y = v_select(some, y / length, zero);
    return n;
}

/* Stores to an output, unless it is NULL. */
CAROM_LANE void put(real *to, size_t k, vreal a)
{
    if (to != NULL) {
        v_storeu(to + k, a);
    }
}

/* A coordinate at t, or at time 0 if t is not finite. */
CAROM_LANE vreal moved(vreal x, vreal v, vreal t, vmask finite)
{
    return v_select(finite, x + v * t, x);
}

/* Stores LANES contacts, starting with out[k]. Their inputs have been read, so outputs may be inputs. */
CAROM_LANE void contact_block(couple c, vreal t, const contacts_of_reals *out, size_t k)
{
    contact_roots roots = contact_roots_of(c.q);
    contact_normal normal = contact_normal_of(c.q, t);
    vmask finite = v_le(v_abs(t), v_set1(REAL_MAX));
    put(out->entry, k, roots.entry);
    put(out->exit, k, roots.exit);
    put(out->nx, k, normal.x);
    put(out->ny, k, normal.y);
    put(out->xi, k, moved(c.i.x, c.i.vx, t, finite));
    put(out->yi, k, moved(c.i.y, c.i.vy, t, finite));
    put(out->xj, k, moved(c.j.x, c.j.vx, t, finite));
    put(out->yj, k, moved(c.j.y, c.j.vy, t, finite));
}

/* Stores the last `count` < LANES contacts, through a block of each output. */
CAROM_LANE void contact_some(couple c, const real *t, const contacts_of_reals *out, size_t k, size_t count)
{
    real time[LANES], block[8][LANES];
    some(time, t + k, count, 0);
    contacts_of_reals to = {NULL, block[0], block[1], block[2], block[3], block[4], block[5], block[6], block[7]};
    contact_block(c, v_loadu(time), &to, 0);

    real *const outputs[8] = {out->entry, out->exit, out->nx, out->ny, out->xi, out->yi, out->xj, out->yj};
    for (size_t f = 0; f < 8; f++) {
        for (size_t l = 0; outputs[f] != NULL && l < count; l++) {
            outputs[f][k + l] = block[f][l];
        }
    }
}

#define CONTACTS(shape)                                                                                                \
    static void contacts_##shape(size_t n, const toi_input *input, const real *t, const contacts_of_reals *output)     \
    {                                                                                                                  \
        const toi_input in = *input;                                                                                   \
        const contacts_of_reals out = *output;                                                                         \
        size_t k = 0;                                                                                                  \
        for (; n - k >= LANES; k += LANES) {                                                                           \
            contact_block(load_##shape(&in, k), v_loadu(t + k), &out, k);                                              \
        }                                                                                                              \
        if (k < n) {                                                                                                   \
            contact_some(some_##shape(&in, k, n - k), t, &out, k, n - k);                                              \
        }                                                                                                              \
    }

CONTACTS(pairs)
CONTACTS(indexed)
CONTACTS(one)

/* ---- within a limit: answers as CAROM_TOI_FAST does, but for most pairs without root and division ---- */

#if CAROM_REAL_BITS == 64
#define WITHIN_NORMAL DBL_MIN            /* the least normal number */
#define WITHIN_512_U (256 * DBL_EPSILON) /* see within_filter() */
#else
#define WITHIN_NORMAL FLT_MIN
#define WITHIN_512_U (256 * FLT_EPSILON)
#endif

/* A limit and values derived from it for within_filter(). */
typedef struct within_limit {
    vreal limit, inverse;
    bool filter; /* limit and inverse are normal numbers, so that within_filter() can be used */
} within_limit;

CAROM_LANE within_limit within_limit_of(real limit)
{
    within_limit l;
    l.limit = v_set1(limit);
    l.filter = limit >= WITHIN_NORMAL && limit <= 1 / WITHIN_NORMAL;
    l.inverse = v_set1(l.filter ? 1 / limit : 0);
    return l;
}

/* The answer, by root and division. */
CAROM_LANE vmask within_solved(circles_pair q, within_limit limit)
{
    return v_le(circles_cross_citardauq(q), limit.limit);
}

/* The answer without root and division, correct in all lanes except the few in *unsure.
 *
 * Let u be half the spacing of numbers at 1, and b < 0, c > 0, d >= 0 the computed numbers, taken as exact. The exact
 * root c / (-b + sqrt d) is at most T exactly if s = c/T + b <= sqrt d, that is if F(T) = s|s| - d <= 0. The computed
 * denominator is within 2.1 u of the exact one, relatively, and rounding a quotient is monotonic; so the computed time
 * t is <= T if F(T (1 - 3 u)) <= 0, and > T if F(T (1 + 5 u)) > 0.
 *
 * Let w = c/T + |b| >= |s|. The computed s is within 3.1 u w of the exact one, the shift of T moves it by up to 5.1 u w
 * more, and the square doubles this and is rounded: the computed g for F(T) is within 18 u w w of both of these F,
 * apart from its own last rounding. If c/T < 3 |b|, then 18 u w w < 288 u b b, and beyond a margin of 512 u (b b + d)
 * the sign of g is certain. Otherwise s >= w/2: if s s <= 2 d, then 18 u w w <= 144 u d, and it is also certain; if
 * s s > 2 d, then F > w w / 8, and it is certain whatever the margin.
 *
 * Underflow: the square and the margin m are off by at most half of the smallest number h, and g is a multiple of h.
 * The error of g is then below 0.57 m + 0.5 h, and the computed |g| > m implies |g| > 0.57 m + 0.5 h: if m > 2.4 h
 * since g >= m - 0.5 h; if m > 1.5 h since g >= 3 h; if m > 0.5 h since g >= 2 h; otherwise since g >= h.
 * Overflow: if d is infinite or b b + d overflows, the margin is infinite and the lane unsure; if c/T or the square
 * does, it exceeds any d that remains. If d or c is NaN, the lane is not certain.
 * c <= 0 means t = 0, and gives that: d >= 0 is used instead of a rounded d < 0, and s <= b, thus g <= -b b. */
CAROM_LANE vmask within_filter(circles_pair q, within_limit limit, vmask *unsure)
{
    const vreal zero = v_set1(0);
    circles_equation e = equation_cross(q);
    vmask inside = v_le(e.c, zero);
    vreal d = v_select(inside, v_abs(e.d), e.d);
    vreal s = e.c * limit.inverse + e.b, g = s * v_abs(s) - d;
    vreal margin = (e.b * e.b + d) * v_set1(WITHIN_512_U);
    vmask certain = v_gt(v_abs(g), margin);
    vmask approaching = m_andnot(v_lt(e.b, zero), v_lt(d, zero));
    *unsure = m_andnot(approaching, certain);
    return m_and(approaching, v_lt(g, zero));
}

/* Solves `count` <= 64 pairs, starting with the k-th; one bit for each. */
CAROM_LANE uint64_t within_some(const toi_input *in, size_t k, size_t count, within_limit limit)
{
    uint64_t bits = 0;
    for (size_t l = 0; l < count; l += LANES) {
        couple c = count - l >= LANES ? load_pairs(in, k + l) : some_pairs(in, k + l, count - l);
        bits |= (uint64_t)m_bits(within_solved(c.q, limit)) << l;
    }
    return count < 64 ? bits & (((uint64_t)1 << count) - 1) : bits;
}

/* The bits of 64 pairs. All are filtered first, so that one branch decides whether any root is needed. */
CAROM_LANE uint64_t within_word(const toi_input *in, size_t k, within_limit limit)
{
    uint64_t bits = 0;
    vmask unsure = m_from_bits(0);
    for (size_t l = 0; l < 64; l += LANES) {
        vmask here;
        bits |= (uint64_t)m_bits(within_filter(load_pairs(in, k + l).q, limit, &here)) << l;
        unsure = m_or(unsure, here);
    }
    return m_any(unsure) ? within_some(in, k, 64, limit) : bits;
}

static carom_status within(size_t n, const pairs_of_reals *pairs, real limit, uint64_t *mask)
{
    if (!(limit >= 0)) {
        return CAROM_ERROR_ARGUMENT;
    }
    toi_input in;
    in.pairs = *pairs;
    const within_limit prepared = within_limit_of(limit);
    size_t k = 0;
    for (; n - k >= 64; k += 64) {
        mask[k / 64] = prepared.filter ? within_word(&in, k, prepared) : within_some(&in, k, 64, prepared);
    }
    if (k < n) {
        mask[k / 64] = within_some(&in, k, n - k, prepared);
    }
    return CAROM_OK;
}

CAROM_EXTERN const toi_kernel CAROM_KERNEL(toi);
const toi_kernel CAROM_KERNEL(toi) = {lanes, BRANCHES, {contacts_pairs, contacts_indexed, contacts_one}, within};
