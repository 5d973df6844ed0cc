/* SPDX-License-Identifier: MIT
 * Circle against circle, one pair in each lane: the equations and roots of which toi/variants.h makes the variants of
 * carom/toi.h, and how they give an answer.
 */
#ifndef CAROM_TOI_CIRCLES_H
#define CAROM_TOI_CIRCLES_H

#include "simd/lanes.h"

/* One circle relative to another. */
typedef struct circles_pair {
    vreal px, py, vx, vy; /* relative position and velocity */
    vreal r;              /* the sum of radii */
} circles_pair;

/* a t^2 + 2 b t + c = 0 with d = b*b - a*c: rounded once or several times, depending on the variant. If an input is NaN
 * or infinite, or a product overflows, d is not finite, or the root is NaN or infinite. */
typedef struct circles_equation {
    vreal a, b, c, d;
} circles_equation;

/* ---- equations ---- */

CAROM_LANE vreal dot_product(vreal ax, vreal ay, vreal bx, vreal by)
{
    return ax * bx + ay * by;
}

CAROM_LANE circles_equation equation_components(circles_pair q)
{
    circles_equation e;
    e.a = q.vx * q.vx + q.vy * q.vy;
    e.b = q.px * q.vx + q.py * q.vy;
    e.c = q.px * q.px + q.py * q.py - q.r * q.r;
    e.d = e.b * e.b - e.a * e.c;
    return e;
}

CAROM_LANE circles_equation equation_dots(circles_pair q)
{
    circles_equation e;
    e.a = dot_product(q.vx, q.vy, q.vx, q.vy);
    e.b = dot_product(q.px, q.py, q.vx, q.vy);
    e.c = dot_product(q.px, q.py, q.px, q.py) - q.r * q.r;
    e.d = e.b * e.b - e.a * e.c;
    return e;
}

/* A t^2 + B t + C = 0 with B = 2 p.v and d = B*B - 4*A*C. */
CAROM_LANE circles_equation equation_schoolbook(circles_pair q)
{
    circles_equation e;
    e.a = dot_product(q.vx, q.vy, q.vx, q.vy);
    e.b = v_set1(2) * dot_product(q.px, q.py, q.vx, q.vy);
    e.c = dot_product(q.px, q.py, q.px, q.py) - q.r * q.r;
    e.d = e.b * e.b - v_set1(4) * e.a * e.c;
    return e;
}

/* d = r*r*a - (p x v)^2 is the same number without the cancellation that b*b - a*c suffers when |p| is much greater
 * than r. */
CAROM_LANE circles_equation equation_cross(circles_pair q)
{
    circles_equation e;
    vreal rr = q.r * q.r, cross = q.px * q.vy - q.py * q.vx;
    e.a = q.vx * q.vx + q.vy * q.vy;
    e.b = q.px * q.vx + q.py * q.vy;
    e.c = q.px * q.px + q.py * q.py - rr;
    e.d = rr * e.a - cross * cross;
    return e;
}

/* ---- roots, for b < 0, c > 0, d >= 0, of which s is the square root ---- */

/* If -b and s cancel, rounding may leave -0 (half-b) or slightly less than 0 (cross, whose d may exceed b*b; any, if
 * squares underflow). The exact root is positive, so the absolute value is never further from it. */
CAROM_LANE vreal root_minus(circles_equation e, vreal s)
{
    return v_abs((-e.b - s) / e.a);
}

CAROM_LANE vreal root_half_b(circles_equation e, vreal s)
{
    return v_abs((e.b + s) / e.a);
}

/* Free of the cancellation of -b and s. */
CAROM_LANE vreal root_citardauq(circles_equation e, vreal s)
{
    return e.c / (s - e.b);
}

CAROM_LANE vreal root_schoolbook(circles_equation e, vreal s)
{
    return v_abs((-e.b - s) / (v_set1(2) * e.a));
}

/* 1 / sqrt(x) by Newton steps y (3 - x y y) / 2 from an integer guess (Lomont, "Fast inverse square root", 2003). Each
 * step squares the relative error (times 3/2), from 3.5% to 5e-6 in two steps and to 4e-11 in three. */
CAROM_LANE vreal circles_rsqrt(vreal x)
{
    const vreal half = x * v_set1(REAL(0.5));
    vreal y = v_rsqrt_guess(x);
    for (int step = 0; step < (CAROM_REAL_BITS == 64 ? 3 : 2); step++) {
        y = y * (v_set1(REAL(1.5)) - half * (y * y));
    }
    return y;
}

/* 1 / w is the square of 1 / sqrt(w). Lanes without a root compute with 1, because subnormal numbers are slow, and come
 * out negative. */
CAROM_LANE vreal root_newton(circles_equation e, vreal s)
{
    (void)s; /* it computes its own */
    const vreal zero = v_set1(0), one = v_set1(1);
    vreal d = v_select(v_gt(e.d, zero), e.d, one), root = d * circles_rsqrt(d);
    vreal w = v_select(v_gt(e.d, zero), root, zero) - e.b;
    vreal inverse = circles_rsqrt(v_select(v_gt(w, zero), w, one));
    return v_select(v_ge(e.d, zero), e.c, v_set1(-1)) * (inverse * inverse);
}

/* ---- the answer ---- */

CAROM_LANE vmask circles_has_nan(circles_pair q)
{
    vmask p = m_or(v_ne(q.px, q.px), v_ne(q.py, q.py));
    vmask v = m_or(v_ne(q.vx, q.vx), v_ne(q.vy, q.vy));
    return m_or(m_or(p, v), v_ne(q.r, q.r));
}

/* t if d is finite; otherwise NaN or never. */
CAROM_LANE vreal circles_tamed(circles_pair q, vreal d, vreal t)
{
    vmask tame = v_le(v_abs(d), v_set1(REAL_MAX));
    if (!m_all(tame)) {
        const vreal never = v_set1((real)__builtin_inf());
        t = v_select(tame, t, v_select(circles_has_nan(q), v_set1((real)__builtin_nan("")), never));
    }
    return t;
}

/* Decides in the contract's order: b, c, d. Comparisons are expensive in wide registers, so only two are left: one for
 * c, and the one in circles_tamed(). A root that does not exist is NaN, and v_if_negative() turns it into "never",
 * which it also returns if b, cleared of -0, is not negative. In the cross form d may come out negative if c <= 0. */
CAROM_LANE vreal circles_decided(circles_equation e, vreal root)
{
    const vreal zero = v_set1(0);
    return v_if_negative(e.b + zero, v_select(v_le(e.c, zero), zero, root));
}

/* The swept test: the fraction of the tick at which j, moving from p to p + v, hits i. Uses the smaller of the two
 * roots, whatever their order. */
CAROM_LANE vreal circles_swept(circles_pair q, circles_equation e)
{
    const vreal zero = v_set1(0), one = v_set1(1), never = v_set1((real)__builtin_inf());
    vreal root = v_sqrt(e.d), twice = v_set1(2) * e.a;
    vreal first = (-e.b - root) / twice, second = (-e.b + root) / twice;
    vreal u = v_min(first, second);
    vmask inside = v_lt(e.c, zero);
    vmask hit = m_and(m_and(v_ge(u, zero), v_le(u, one)), v_ge(e.d, zero));
    vreal t = v_select(inside, zero, v_select(hit, v_abs(u), never)); /* no -0 */
    return circles_tamed(q, e.d, v_select(v_gt(e.a, zero), t, never));
}

/* The time since impact: the earlier root, if it is not positive. */
CAROM_LANE vreal circles_since(circles_pair q, circles_equation e)
{
    const vreal zero = v_set1(0), never = v_set1((real)__builtin_inf());
    vreal t = -((e.b + v_sqrt(e.d)) / e.a) + zero; /* no -0 */
    vmask hit = m_and(m_and(v_le(t, zero), v_ge(t, v_set1(-REAL_MAX))), m_and(v_ge(e.d, zero), v_gt(e.a, zero)));
    return circles_tamed(q, e.d, v_select(hit, t, never));
}

#endif
