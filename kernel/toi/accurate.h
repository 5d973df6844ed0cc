/* SPDX-License-Identifier: MIT
 * Circle against circle in more than the working precision: fma-kahan and accurate of carom/toi.h.
 *
 * Both first scale p and r, and v, by powers of two into [2, 4): nothing overflows, and what underflows is too small
 * beside the greatest component to matter. A time t' of the scaled problem is t' * scale(v) / scale(p).
 */
#ifndef CAROM_TOI_ACCURATE_H
#define CAROM_TOI_ACCURATE_H

#include "simd/error_free.h"
#include "toi/circles.h"

#if CAROM_REAL_BITS == 64
#define ACCURATE_LEAST DBL_MIN /* the least number to scale by: the least normal one */
#else
#define ACCURATE_LEAST FLT_MIN
#endif

typedef struct accurate_pair {
    circles_pair scaled; /* holds a NaN where an input is infinite or NaN */
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

/* d = b*b - a*c without the rounding of its products: a, b, c themselves are rounded. (Kahan's difference of products,
 * with both errors.) */
CAROM_LANE circles_equation equation_kahan(circles_pair scaled)
{
    circles_equation e = equation_components(scaled);
    vtwice bb = v_two_product(e.b, e.b), ac = v_two_product(e.a, e.c);
    e.d = bb.high - ac.high + (bb.low - ac.low);
    return e;
}

/* All in twice the precision, d by the cross form: b, c and d are right to half a unit in their last place unless
 * cancellation leaves less than some 2^-50 of their terms (f32: 2^-22). t then has the roundings of a root, a sum and a
 * quotient on top: less than 3 units in its last place. */
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

#endif
