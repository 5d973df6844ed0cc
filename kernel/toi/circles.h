/* SPDX-License-Identifier: MIT
 * Circle against circle, a lane a pair: the time of impact by the contract of carom/toi.h, and "within a limit?".
 */
#ifndef CAROM_TOI_CIRCLES_H
#define CAROM_TOI_CIRCLES_H

#include "simd/lanes.h"

#if CAROM_REAL_BITS == 64
#define CIRCLES_NORMAL DBL_MIN            /* the least normal number */
#define CIRCLES_512_U (256 * DBL_EPSILON) /* see circles_filter() */
#else
#define CIRCLES_NORMAL FLT_MIN
#define CIRCLES_512_U (256 * FLT_EPSILON)
#endif

/* Relative position, relative velocity and sum of radii. */
typedef struct circles_pair {
    vreal px, py, vx, vy, r;
} circles_pair;

/* b = p.v, c = p.p - r*r and d = b*b - (v.v) * c. If any product or sum on the way is infinite or NaN, so is d: that
 * one number tells overflow and NaN. */
typedef struct circles_equation {
    vreal b, bb, c, d;
} circles_equation;

CAROM_LANE circles_equation circles_equation_of(circles_pair q)
{
    circles_equation e;
    vreal a = v_add(v_mul(q.vx, q.vx), v_mul(q.vy, q.vy));
    e.b = v_add(v_mul(q.px, q.vx), v_mul(q.py, q.vy));
    e.c = v_sub(v_add(v_mul(q.px, q.px), v_mul(q.py, q.py)), v_mul(q.r, q.r));
    e.bb = v_mul(e.b, e.b);
    e.d = v_sub(e.bb, v_mul(a, e.c));
    return e;
}

CAROM_LANE vmask circles_has_nan(circles_pair q)
{
    vmask p = m_or(v_ne(q.px, q.px), v_ne(q.py, q.py));
    vmask v = m_or(v_ne(q.vx, q.vx), v_ne(q.vy, q.vy));
    return m_or(m_or(p, v), v_ne(q.r, q.r));
}

/* c <= 0 needs no test of its own: d is then at least b*b, and the numerator max(c, 0) gives the 0. */
CAROM_LANE vreal circles_root(circles_pair q, circles_equation e)
{
    const vreal zero = v_set1(0), never = v_set1((real)__builtin_inf());
    vreal t = v_div(v_max(e.c, zero), v_sub(v_sqrt(e.d), e.b));
    t = v_select(m_and(v_lt(e.b, zero), v_ge(e.d, zero)), t, never);
    vmask tame = v_le(e.d, v_set1(REAL_MAX));
    if (!m_all(tame)) { /* an overflow is "never"; so is d = -infinity, which has been taken for a miss already */
        vreal wild = v_select(circles_has_nan(q), v_set1((real)__builtin_nan("")), never);
        t = v_select(tame, t, wild);
    }
    return t;
}

CAROM_LANE vreal circles_time(circles_pair q)
{
    return circles_root(q, circles_equation_of(q));
}

/* A limit and what circles_filter() derives from it. */
typedef struct circles_limit {
    vreal limit, inverse;
    bool filter; /* limit and inverse are normal numbers, so that circles_filter() may be asked */
} circles_limit;

CAROM_LANE circles_limit circles_limit_of(real limit)
{
    circles_limit l;
    l.limit = v_set1(limit);
    l.filter = limit >= CIRCLES_NORMAL && limit <= 1 / CIRCLES_NORMAL;
    l.inverse = v_set1(l.filter ? 1 / limit : 0);
    return l;
}

/* circles_time(q) <= the limit T, with root and division. */
CAROM_LANE vmask circles_within(circles_pair q, circles_limit limit)
{
    return v_le(circles_time(q), limit.limit);
}

/* The same without: the answer, right in all lanes but the few in *unsure.
 *
 * Let u be half the spacing of numbers at 1, and b < 0, c > 0, 0 <= d <= b b the computed numbers, taken as exact. The
 * exact root c / (-b + sqrt d) is at most T just when s = c/T + b <= sqrt d, that is when F(T) = s|s| - d <= 0. The
 * computed denominator is within 2.1 u of the exact one, relatively, and rounding a quotient is monotonic; so the
 * computed time t is <= T if F(T (1 - 3 u)) <= 0, and > T if F(T (1 + 5 u)) > 0.
 *
 * Let w = c/T + |b| >= |s|. The computed s is within 3.1 u w of the exact one, the shift of T moves that by up to 5.1 u
 * w more, and the square doubles this and is rounded: the computed g for F(T) is within 18 u w w of both of these F,
 * but for its own last rounding. If c/T < 3 |b|, then 18 u w w < 288 u b b, and beyond a margin of 512 u (b b + d) the
 * sign of g is certain. Else F > w w / 6 > b b: it is certain, too.
 *
 * Underflow: the square and the margin m are off by half of the smallest number h at most, and g is a multiple of h.
 * The error of g is then below 0.57 m + 0.5 h, and |g| > m as computed means |g| > 0.57 m + 0.5 h: if m > 2.4 h since g
 * >= m - 0.5 h; if m > 1.5 h since g >= 3 h; if m > 0.5 h since g >= 2 h; else since g >= h.
 * Overflow: if d is infinite or b b + d overflows, the margin is infinite and the lane unsure; if c/T or the square
 * does, it is beyond any d that is left. d is NaN: t is infinite or NaN, not <= T.
 * c <= 0 means t = 0, and comes out so: s <= b, thus g <= -b b. */
CAROM_LANE vmask circles_filter(circles_pair q, circles_limit limit, vmask *unsure)
{
    const vreal zero = v_set1(0);
    circles_equation e = circles_equation_of(q);
    vreal s = v_add(v_mul(e.c, limit.inverse), e.b), g = v_sub(v_mul(s, v_abs(s)), e.d);
    vreal margin = v_mul(v_add(e.bb, e.d), v_set1(CIRCLES_512_U));
    vmask certain = v_gt(v_abs(g), margin);
    vmask approaching = m_and(v_lt(e.b, zero), v_ge(e.d, zero));
    *unsure = m_andnot(approaching, certain);
    return m_and(approaching, v_lt(g, zero));
}

#endif
