/* SPDX-License-Identifier: MIT
 * The variants of carom/toi.h as functions of a pair: circles_<variant>(), one pair in each lane, and at width 1 also
 * branches_<variant>(), scalar code that returns as soon as it can. Both give the same bits.
 */
#ifndef CAROM_TOI_VARIANTS_H
#define CAROM_TOI_VARIANTS_H

#include "simd/error_free.h"
#include "toi/circles.h"

/* ---- more than the working precision ---- */

/* fma-kahan and accurate first scale p and r, and v, by powers of two into [2, 4): nothing overflows, and what
 * underflows is too small next to the greatest component to matter. A time t' of the scaled problem is t' * scale(v) /
 * scale(p). */

#if CAROM_REAL_BITS == 64
#define ACCURATE_LEAST DBL_MIN /* the smallest number to scale by, the smallest normal one */
#else
#define ACCURATE_LEAST FLT_MIN
#endif

typedef struct accurate_pair {
    circles_pair scaled; /* holds a NaN if an input is infinite or NaN */
    vreal up, down;      /* t = t' * up * down; up is the greater of the two */
} accurate_pair;

CAROM_LANE accurate_pair accurate_scaled(circles_pair q)
{
    accurate_pair s;
    const vreal least = v_set1(ACCURATE_LEAST);
    vreal length = v_max(v_max(v_abs(q.px), v_abs(q.py)), v_max(v_abs(q.r), least));
    vreal speed = v_max(v_max(v_abs(q.vx), v_abs(q.vy)), least);
    vreal p = v_scale(length), v = v_scale(speed), inverse = v_binade(length) * v_set1(REAL(0.5));
    s.scaled.px = q.px * p;
    s.scaled.py = q.py * p;
    s.scaled.r = q.r * p;
    s.scaled.vx = q.vx * v;
    s.scaled.vy = q.vy * v;
    s.up = v_max(v, inverse);
    s.down = v_min(v, inverse);
    return s;
}

/* t' in the caller's units. A large t' is made smaller first, so that no intermediate result overflows or
 * underflows. */
CAROM_LANE vreal accurate_unscaled(accurate_pair s, vreal t)
{
    vmask great = v_gt(t, v_set1(1));
    return t * v_select(great, s.down, s.up) * v_select(great, s.up, s.down);
}

/* The time of impact from the scaled equation, in the caller's units. */
CAROM_LANE vreal accurate_answer(circles_pair q, accurate_pair s, circles_equation e)
{
    return circles_tamed(q, e.d, accurate_unscaled(s, circles_decided(e, root_citardauq(e, v_sqrt(e.d)))));
}

/* d = b*b - a*c without the rounding of its products; a, b and c themselves are rounded. (Kahan's difference of
 * products, with both errors.) */
CAROM_LANE circles_equation equation_kahan(circles_pair scaled)
{
    circles_equation e = equation_components(scaled);
    vtwice bb = v_two_product(e.b, e.b), ac = v_two_product(e.a, e.c);
    e.d = bb.high - ac.high + (bb.low - ac.low);
    return e;
}

/* Everything in twice the precision, d by the cross form: b, c and d are correct to half a unit in their last place
 * unless cancellation leaves less than some 2^-50 of their terms (f32: 2^-22). t then adds the roundings of a root, a
 * sum and a quotient: less than 3 units in its last place. */
CAROM_LANE circles_equation equation_accurate(circles_pair s)
{
    circles_equation e;
    vtwice rr = v_two_product(s.r, s.r);
    vtwice a = v_twice_add(v_two_product(s.vx, s.vx), v_two_product(s.vy, s.vy));
    vtwice b = v_twice_add(v_two_product(s.px, s.vx), v_two_product(s.py, s.vy));
    vtwice pp = v_twice_add(v_two_product(s.px, s.px), v_two_product(s.py, s.py));
    vtwice cross = v_twice_add(v_two_product(s.px, s.vy), v_two_product(-s.py, s.vx));
    vtwice d = v_twice_add(v_twice_mul(rr, a), v_twice_neg(v_twice_mul(cross, cross)));
    e.a = a.high;
    e.b = b.high;
    e.c = v_twice_add(pp, v_twice_neg(rr)).high;
    e.d = d.high;
    return e;
}

/* ---- pow() for every square ---- */

/* The equation as it is often published, with a call of the C library's pow() for every square. It is the only such
 * call in a kernel, to measure what it costs. */

#if defined(__cplusplus)
extern "C" {
#endif
double pow(double x, double y);
float powf(float x, float y);
#if defined(__cplusplus)
}
#endif

/* The exponent is volatile, because compilers turn pow(x, 2) into x * x. */
CAROM_LANE real pow_square(real x)
{
    static const volatile real two = 2;
#if CAROM_REAL_BITS == 64
    return pow(x, two);
#else
    return powf(x, two);
#endif
}

#if LANES == 1
CAROM_LANE circles_equation equation_pow(circles_pair q)
{
    circles_equation e;
    e.a = pow_square(q.vx) + pow_square(q.vy);
    e.b = 2 * (q.px * q.vx + q.py * q.vy);
    e.c = pow_square(q.px) + pow_square(q.py) - pow_square(q.r);
    e.d = pow_square(e.b) - 4 * e.a * e.c;
    return e;
}
#endif

/* ---- the variants ---- */

/* The variants that have lanes, in the order of carom_toi_variant: PLAIN(name, equation, root) for those that decide by
 * the contract in working precision, OTHER(name) for the rest. */
#define CIRCLES_VARIANTS(PLAIN, OTHER)                                                                                 \
    PLAIN(pow_folded, equation_schoolbook, root_schoolbook)                                                            \
    PLAIN(textbook, equation_schoolbook, root_schoolbook)                                                              \
    PLAIN(components, equation_components, root_minus)                                                                 \
    PLAIN(dot, equation_dots, root_minus)                                                                              \
    PLAIN(half_b, equation_components, root_half_b)                                                                    \
    PLAIN(citardauq, equation_components, root_citardauq)                                                              \
    PLAIN(cross, equation_cross, root_minus)                                                                           \
    PLAIN(cross_citardauq, equation_cross, root_citardauq)                                                             \
    OTHER(fma_kahan)                                                                                                   \
    OTHER(accurate)                                                                                                    \
    PLAIN(rsqrt_newton, equation_components, root_newton)                                                              \
    OTHER(normalised)                                                                                                  \
    OTHER(backward)
#define CIRCLES_NONE(name)

#define CIRCLES_PLAIN_LANES(name, equation, root)                                                                      \
    CAROM_LANE vreal circles_##name(circles_pair q)                                                                    \
    {                                                                                                                  \
        circles_equation e = equation(q);                                                                              \
        return circles_tamed(q, e.d, circles_decided(e, root(e, v_sqrt(e.d))));                                        \
    }
CIRCLES_VARIANTS(CIRCLES_PLAIN_LANES, CIRCLES_NONE)

CAROM_LANE vreal circles_fma_kahan(circles_pair q)
{
    accurate_pair s = accurate_scaled(q);
    return accurate_answer(q, s, equation_kahan(s.scaled));
}

CAROM_LANE vreal circles_accurate(circles_pair q)
{
    accurate_pair s = accurate_scaled(q);
    return accurate_answer(q, s, equation_accurate(s.scaled));
}

CAROM_LANE vreal circles_normalised(circles_pair q)
{
    return circles_swept(q, equation_schoolbook(q));
}

CAROM_LANE vreal circles_backward(circles_pair q)
{
    return circles_since(q, equation_components(q));
}

#if LANES == 1

#define NEVER ((real)__builtin_inf())

/* The answer if the circles separate, or if d or the root is not finite: NaN only if an input is. */
CAROM_LANE real branches_wild(circles_pair q)
{
    return circles_has_nan(q) ? (real)__builtin_nan("") : NEVER;
}

#define BRANCHES_PLAIN(name, equation, root)                                                                           \
    static __attribute__((unused)) real branches_##name(circles_pair q)                                                \
    {                                                                                                                  \
        const circles_equation e = equation(q);                                                                        \
        if (!(e.b < 0)) {                                                                                              \
            return branches_wild(q);                                                                                   \
        }                                                                                                              \
        if (!(e.d <= REAL_MAX)) {                                                                                      \
            return branches_wild(q);                                                                                   \
        }                                                                                                              \
        if (e.c <= 0) {                                                                                                \
            return 0;                                                                                                  \
        }                                                                                                              \
        if (e.d < 0) {                                                                                                 \
            return NEVER;                                                                                              \
        }                                                                                                              \
        const real t = root(e, v_sqrt(e.d));                                                                           \
        return t == t ? t : branches_wild(q);                                                                          \
    }

CIRCLES_VARIANTS(BRANCHES_PLAIN, CIRCLES_NONE)
BRANCHES_PLAIN(pow, equation_pow, root_schoolbook)

#define BRANCHES_SCALED(name, equation)                                                                                \
    static __attribute__((unused)) real branches_##name(circles_pair q)                                                \
    {                                                                                                                  \
        const accurate_pair s = accurate_scaled(q);                                                                    \
        const circles_equation e = equation(s.scaled);                                                                 \
        if (!(e.b < 0) || !(e.d >= 0 || e.c <= 0)) {                                                                   \
            return branches_wild(q);                                                                                   \
        }                                                                                                              \
        return e.c <= 0 ? 0 : accurate_unscaled(s, root_citardauq(e, v_sqrt(e.d)));                                    \
    }

BRANCHES_SCALED(fma_kahan, equation_kahan)
BRANCHES_SCALED(accurate, equation_accurate)

static __attribute__((unused)) real branches_normalised(circles_pair q)
{
    const circles_equation e = equation_schoolbook(q);
    if (!(e.a > 0) || !(e.d <= REAL_MAX)) {
        return branches_wild(q);
    }
    if (e.c < 0) {
        return 0;
    }
    if (e.d < 0) {
        return NEVER;
    }
    const real root = v_sqrt(e.d), first = (-e.b - root) / (2 * e.a), second = (-e.b + root) / (2 * e.a);
    const real u = first < second ? first : second;
    return u >= 0 && u <= 1 ? v_abs(u) : NEVER;
}

static __attribute__((unused)) real branches_backward(circles_pair q)
{
    const circles_equation e = equation_components(q);
    if (!(e.a > 0) || !(e.d >= 0 && e.d <= REAL_MAX)) {
        return branches_wild(q);
    }
    const real t = -((e.b + v_sqrt(e.d)) / e.a) + 0;
    return t <= 0 && t >= -REAL_MAX ? t : NEVER;
}

#undef BRANCHES_PLAIN
#undef BRANCHES_SCALED

#endif

#endif
