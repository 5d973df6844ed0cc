/* SPDX-License-Identifier: MIT
 * Circles under constant acceleration as solved in the lecture: the quartic's coefficients, written out in coordinates,
 * and Ferrari's formulas in complex numbers with roots in polar form. For comparison only: it loses most digits if the
 * coefficients differ widely in size or roots are close to each other. Use toi/quartic.h instead.
 *
 * The degree drops only if a coefficient is exactly 0; the lecture treats everything below 1e-6 as 0, and so misses
 * impacts. Motions are scaled by powers of two, and the start is treated as in quartic_time().
 */
#ifndef CAROM_TOI_FERRARI_H
#define CAROM_TOI_FERRARI_H

#include "simd/elementary.h"
#include "toi/quartic.h"

#if CAROM_REAL_BITS == 64
#define FERRARI_CUBE 0x1p768 /* 8^256 */
#define FERRARI_SIDE 0x1p256 /* its cube root */
#define FERRARI_NEAR 0x1p-20 /* relative to the real part + 1, an imaginary part this small counts as 0 */
#else
#define FERRARI_CUBE 0x1p96f
#define FERRARI_SIDE 0x1p32f
#define FERRARI_NEAR 0x1p-9f
#endif

/* a4 t^4 + a3 t^3 + a2 t^2 + a1 t + a0 = 4 (|p + v t + a t^2/2|^2 - r^2). A published listing has the square roots of
 * the sums of squares in a2 and a0, so 4 |v| instead of 4 |v|^2. */
typedef struct ferrari_quartic {
    vreal a4, a3, a2, a1, a0;
} ferrari_quartic;

CAROM_LANE ferrari_quartic ferrari_expand(const quartic_motion *q)
{
    const vreal four = v_set1(4), eight = v_set1(8);
    ferrari_quartic e;
    vreal vv = q->vx * q->vx + q->vy * q->vy;
    vreal pp = q->px * q->px + q->py * q->py;
    e.a4 = q->ax * q->ax + q->ay * q->ay;
    e.a3 = four * (q->vx * q->ax + q->vy * q->ay);
    e.a2 = four * (q->px * q->ax + q->py * q->ay + vv);
    e.a1 = eight * (q->px * q->vx + q->py * q->vy);
    e.a0 = four * (pp - q->r * q->r);
    return e;
}

typedef struct ferrari_complex {
    vreal re, im;
} ferrari_complex;

CAROM_LANE ferrari_complex ferrari_number(vreal re, vreal im)
{
    ferrari_complex z;
    z.re = re;
    z.im = im;
    return z;
}

CAROM_LANE ferrari_complex ferrari_add(ferrari_complex x, ferrari_complex y)
{
    return ferrari_number(x.re + y.re, x.im + y.im);
}

CAROM_LANE ferrari_complex ferrari_scale(ferrari_complex x, vreal by)
{
    return ferrari_number(x.re * by, x.im * by);
}

/* by / x */
CAROM_LANE ferrari_complex ferrari_divide(vreal by, ferrari_complex x)
{
    vreal factor = by / (x.re * x.re + x.im * x.im);
    return ferrari_number(x.re * factor, -(x.im * factor));
}

/* The cube root of x >= 0: scale by powers of 8 to [1, 8), then Newton's method. */
CAROM_LANE vreal ferrari_cube_root(vreal x)
{
    const vreal zero = v_set1(0), one = v_set1(1), third = v_set1(REAL(0.33333333333333333));
    vreal cube = v_set1(FERRARI_CUBE), side = v_set1(FERRARI_SIDE), y = one, rest = v_select(v_gt(x, zero), x, one);

    /* Divide by powers of 8, from the largest down to 8 itself; their cube roots are exact. */
    for (int i = 0; i < 9; i++) { /* the powers' roots are exact */
        vmask great = v_ge(rest, cube), small = v_le(rest * cube, one);
        rest = v_select(great, rest / cube, v_select(small, rest * cube, rest));
        y = v_select(great, y * side, v_select(small, y / side, y));
        cube = v_max(v_sqrt(cube), v_set1(8));
        side = v_max(v_sqrt(side), v_set1(2));
    }

    /* Newton's method from a linear guess. */
    vreal z = v_set1(REAL(0.8)) + rest * v_set1(REAL(0.17));
    for (int i = 0; i < 6; i++) {
        z = third * (z + z + rest / (z * z));
    }
    return v_select(v_gt(x, zero), y * z, zero);
}

/* z^(1/2) or z^(1/3), in polar form. */
CAROM_LANE ferrari_complex ferrari_root(ferrari_complex z, int degree)
{
    vreal size = v_sqrt(z.re * z.re + z.im * z.im), sine, cosine;
    vreal part = degree == 2 ? v_set1(REAL(0.5)) : v_set1(REAL(0.33333333333333333));
    size = degree == 2 ? v_sqrt(size) : ferrari_cube_root(size);
    v_sincos(v_atan2(z.im, z.re) * part, &sine, &cosine);
    return ferrari_number(size * cosine, size * sine);
}

/* Accepts a root if it is real up to rounding, positive and earlier than `best`, and if the circles approach there. */
CAROM_LANE vreal ferrari_take(const quartic_scaled *m, ferrari_complex root, vreal best)
{
    const vreal zero = v_set1(0), near_zero = v_set1(FERRARI_NEAR);
    vmask is_real = v_le(v_abs(root.im), near_zero * (v_abs(root.re) + v_set1(1)));
    vmask good = m_and(m_and(is_real, v_gt(root.re, zero)), v_lt(root.re, best));
    if (m_any(good)) {
        good = m_and(good, v_lt(quartic_at(m, v_select(good, root.re, zero)).g, zero));
    }
    return v_select(good, root.re, best);
}

/* The first root of the expanded quartic at which the circles come together, or +INFINITY. */
CAROM_LANE vreal ferrari_first(const quartic_scaled *m)
{
    const vreal zero = v_set1(0), one = v_set1(1), half = v_set1(REAL(0.5)), never = v_set1(QUARTIC_NEVER);
    ferrari_quartic e = ferrari_expand(&m->q);

    /* Without acceleration a4 and a3 are 0: use the earlier root of a quadratic. */
    vmask drops = v_eq(e.a4, zero);
    vreal best = never;
    if (m_any(drops)) {
        vreal d = e.a1 * e.a1 - v_set1(4) * (e.a2 * e.a0);
        vreal t = (-e.a1 - v_sqrt(v_max(d, zero))) / (e.a2 + e.a2);
        best = v_select(m_and(drops, m_and(v_ge(d, zero), v_ge(t, zero))), t, best);
    }
    if (m_all(drops)) {
        return best;
    }

    /* Normalise to a4 = 1 and shift t to remove the cubic term: y^4 + al y^2 + be y + ga. */
    vreal a4 = v_select(drops, one, e.a4);
    vreal b = e.a3 / a4, c = e.a2 / a4, d = e.a1 / a4, f = e.a0 / a4, bb = b * b;
    vreal shift = b * v_set1(REAL(-0.25));
    vreal al = c - bb * v_set1(REAL(0.375));
    vreal be = bb * b * v_set1(REAL(0.125)) - half * (b * c) + d;
    vreal ga = c * bb * v_set1(REAL(0.0625)) - bb * bb * v_set1(REAL(0.01171875)) + (f - b * d * v_set1(REAL(0.25)));

    /* be = 0 leaves a quadratic in y^2. */
    vmask even = v_eq(be, zero);
    ferrari_complex root;
    ferrari_complex s = ferrari_root(ferrari_number(al * al - v_set1(4) * ga, zero), 2);
    vreal quartic = never, square = never;
    for (int i = 0; i < 4; i++) {
        vreal sign = v_set1((i & 1) != 0 ? REAL(0.5) : REAL(-0.5)), other = v_set1((i & 2) != 0 ? 1 : -1);
        root = ferrari_root(ferrari_number(s.re * sign - al * half, s.im * sign), 2);
        root = ferrari_scale(root, other);
        square = ferrari_take(m, ferrari_number(root.re + shift, root.im), square);
    }

    /* Otherwise, compute one root y of the resolvent cubic by Cardano's formula. */
    vreal p = al * al * v_set1(REAL(-0.083333333333333333)) - ga;
    vreal q = al * ga * v_set1(REAL(0.33333333333333333)) - al * al * al * v_set1(REAL(0.0092592592592592593)) -
              be * be * v_set1(REAL(0.125));
    vreal cubic = q * q * v_set1(REAL(0.25)) + p * p * p * v_set1(REAL(0.037037037037037037));
    s = ferrari_root(ferrari_number(cubic, zero), 2);
    ferrari_complex u = ferrari_root(ferrari_number(s.re - q * half, s.im), 3);
    vmask no_u = m_and(v_eq(u.re, zero), v_eq(u.im, zero));
    vreal cube_q = v_flip(v_lt(q, zero), ferrari_cube_root(v_abs(q)));
    ferrari_complex pu = ferrari_divide(p * v_set1(REAL(-0.33333333333333333)), u);
    ferrari_complex y = ferrari_add(u, pu);
    y.re = v_select(no_u, -cube_q, y.re) - al * v_set1(REAL(0.83333333333333333));
    y.im = v_select(no_u, zero, y.im);

    /* It splits the quartic into two quadratics, with two roots each. */
    ferrari_complex w = ferrari_root(ferrari_number(al + (y.re + y.re), y.im + y.im), 2);
    ferrari_complex bw = ferrari_divide(be + be, w);
    for (int i = 0; i < 4; i++) {
        vreal sign = v_set1((i & 1) != 0 ? 1 : -1), other = v_set1((i & 2) != 0 ? 1 : -1);
        ferrari_complex inner = ferrari_add(ferrari_scale(y, v_set1(2)), ferrari_scale(bw, sign));
        inner.re = inner.re + al * v_set1(3);
        root = ferrari_root(ferrari_scale(inner, v_set1(-1)), 2);
        root = ferrari_add(ferrari_scale(w, sign * half), ferrari_scale(root, other * half));
        quartic = ferrari_take(m, ferrari_number(root.re + shift, root.im), quartic);
    }
    return v_select(drops, best, v_select(even, square, quartic));
}

CAROM_LANE vreal ferrari_time(quartic_motion q, vreal limit)
{
    const vreal zero = v_set1(0);
    quartic_scaled m = quartic_scale(q);
    quartic_point start = quartic_at(&m, zero);
    vmask closing = m_and(m_and(m.tame, v_le(start.f, zero)), quartic_closing(&m, start));
    vreal t = v_select(m.tame, ferrari_first(&m), v_set1(QUARTIC_NEVER));
    return quartic_answer(&m, v_select(closing, zero, t), limit);
}

#endif
