/* SPDX-License-Identifier: MIT
 * "Do these circles meet within a limit?" Answers as CAROM_TOI_FAST does, but for most pairs without root and division.
 */
#ifndef CAROM_TOI_WITHIN_H
#define CAROM_TOI_WITHIN_H

#include "toi/variants.h"

#if CAROM_REAL_BITS == 64
#define WITHIN_NORMAL DBL_MIN            /* the least normal number */
#define WITHIN_512_U (256 * DBL_EPSILON) /* see within_filter() */
#else
#define WITHIN_NORMAL FLT_MIN
#define WITHIN_512_U (256 * FLT_EPSILON)
#endif

/* A limit and what within_filter() derives from it. */
typedef struct within_limit {
    vreal limit, inverse;
    bool filter; /* limit and inverse are normal numbers: within_filter() can be used */
} within_limit;

CAROM_LANE within_limit within_limit_of(real limit)
{
    within_limit l;
    l.limit = v_set1(limit);
    l.filter = limit >= WITHIN_NORMAL && limit <= 1 / WITHIN_NORMAL;
    l.inverse = v_set1(l.filter ? 1 / limit : 0);
    return l;
}

/* The answer, with root and division. */
CAROM_LANE vmask within_solved(circles_pair q, within_limit limit)
{
    return v_le(circles_cross_citardauq(q), limit.limit);
}

/* The answer without root and division, right in all lanes but the few in *unsure.
 *
 * Let u be half the spacing of numbers at 1, and b < 0, c > 0, d >= 0 the computed numbers, taken as exact. The exact
 * root c / (-b + sqrt d) is at most T just when s = c/T + b <= sqrt d, that is when F(T) = s|s| - d <= 0. The computed
 * denominator is within 2.1 u of the exact one, relatively, and rounding a quotient is monotonic; so the computed time
 * t is <= T if F(T (1 - 3 u)) <= 0, and > T if F(T (1 + 5 u)) > 0.
 *
 * Let w = c/T + |b| >= |s|. The computed s is within 3.1 u w of the exact one, the shift of T moves that by up to 5.1 u
 * w more, and the square doubles this and is rounded: the computed g for F(T) is within 18 u w w of both of these F,
 * but for its own last rounding. If c/T < 3 |b|, then 18 u w w < 288 u b b, and beyond a margin of 512 u (b b + d) the
 * sign of g is certain. Else s >= w/2: if s s <= 2 d, then 18 u w w <= 144 u d, and it is certain, too; if s s > 2 d,
 * then F > w w / 8, and it is certain whatever the margin.
 *
 * Underflow: the square and the margin m are off by half of the smallest number h at most, and g is a multiple of h.
 * The error of g is then below 0.57 m + 0.5 h, and |g| > m as computed means |g| > 0.57 m + 0.5 h: if m > 2.4 h since g
 * >= m - 0.5 h; if m > 1.5 h since g >= 3 h; if m > 0.5 h since g >= 2 h; else since g >= h.
 * Overflow: if d is infinite or b b + d overflows, the margin is infinite and the lane unsure; if c/T or the square
 * does, it is beyond any d that is left. If d is NaN, or c is, the lane is not certain.
 * c <= 0 means t = 0, and comes out so: d >= 0 is taken instead of a rounded d < 0, and s <= b, thus g <= -b b. */
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

#endif
