/* SPDX-License-Identifier: MIT
 * The variants of carom/toi.h as functions of a pair: circles_<variant>(), one pair in each lane, and at width 1 also
 * branches_<variant>(), scalar code that returns as soon as it can. Both give the same bits.
 */
#ifndef CAROM_TOI_VARIANTS_H
#define CAROM_TOI_VARIANTS_H

#include "toi/accurate.h"
#include "toi/circles.h"
#if LANES == 1
#include "toi/pow.h"
#endif

/* The variants that have lanes, in the order of carom_toi_variant: PLAIN(name, equation, root) for those that decide as
 * the contract says in working precision, OTHER(name) for the rest. */
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

/* The answer where circles part, or where d or the root is not finite: NaN only if an input is. */
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
