/* SPDX-License-Identifier: MIT
 * Sine, cosine and arc tangent in lanes, computed with exactly rounded operations only, so that the bits are the same
 * at every width.
 *
 * f64: the algorithms and coefficients of the Cephes library (S. L. Moshier), in the order of operations of Go's
 * portable math package, which a published referee uses. f32: Cephes' single-precision functions (sinf, cosf, atanf),
 * with the same reduction. Both are accurate to about 1 ulp.
 */
#ifndef CAROM_SIMD_ELEMENTARY_H
#define CAROM_SIMD_ELEMENTARY_H

#include "simd/lanes.h"

#define V_PI REAL(3.14159265358979323846)
#define V_TWO_PI REAL(6.28318530717958647693)
#define V_HALF_PI REAL(1.57079632679489661923)
#define V_QUARTER_PI REAL(0.785398163397448309616)

CAROM_LANE vreal v_sum_step(vreal sum, vreal z, real coefficient) { return sum * z + v_set1(coefficient); }

/* The octant of an angle of a >= 0 eighths of a turn, rounded up to an even number. `quarter` and `half` are bits 1 and
 * 2 of it. */
CAROM_LANE vreal v_octant(vreal a, vmask *quarter, vmask *half)
{
    const vint j = i_and(i_add(v_truncate(a), i_set1(1)), i_set1(~1));
    *quarter = i_eq(i_and(j, i_set1(2)), i_set1(2));
    *half = i_eq(i_and(j, i_set1(4)), i_set1(4));
    return v_from_int(j);
}

#if !defined(V_HAS_OCTANT_WITHIN)
/* v_octant() for a < 2^22, which is cheaper on some backends. */
CAROM_LANE vreal v_octant_within(vreal a, vmask *quarter, vmask *half) { return v_octant(a, quarter, half); }
#endif

/* The sine and cosine of four x in step. `within`, a constant, promises |x| <= 2^20, which saves work; beyond that the
 * results are meaningless. */
CAROM_LANE void v_sincos4_of(const vreal x[4], vreal sine[4], vreal cosine[4], bool within)
{
    vmask quarter[4], half[4];
    vreal n[4], z[4], zz[4], s[4], c[4];

    /* Subtract n octants, n even, so that |z| <= pi/4. An octant is subtracted in three parts; the first two have few
     * enough bits that their products with n are exact unless n is large. */
#define REDUCE(part) (z[i] - n[i] * v_set1(part))
#define STEP(sum, coefficient)                                                                                         \
    EACH4 (i) {                                                                                                        \
        sum[i] = v_sum_step(sum[i], zz[i], coefficient);                                                               \
    }
    EACH4 (i) {
        z[i] = v_abs(x[i]);
        n[i] = z[i] * v_set1(REAL(1.2732395447351628));
        n[i] = within ? v_octant_within(n[i], &quarter[i], &half[i]) : v_octant(n[i], &quarter[i], &half[i]);
    }
#if CAROM_REAL_BITS == 64
    EACH4 (i) {
        z[i] = REDUCE(7.85398125648498535156e-1);
    }
    EACH4 (i) {
        z[i] = REDUCE(3.77489470793079817668e-8);
    }
    EACH4 (i) {
        z[i] = REDUCE(2.69515142907905952645e-15);
        zz[i] = z[i] * z[i];
    }

    /* The polynomials of both functions. Their steps alternate to hide latency. */
    EACH4 (i) {
        c[i] = v_sum_step(v_set1(-1.13585365213876817300e-11), zz[i], 2.08757008419747316778e-9);
    }
    EACH4 (i) {
        s[i] = v_sum_step(v_set1(1.58962301576546568060e-10), zz[i], -2.50507477628578072866e-8);
    }
    STEP(c, -2.75573141792967388112e-7)
    STEP(s, 2.75573136213857245213e-6)
    STEP(c, 2.48015872888517045348e-5)
    STEP(s, -1.98412698295895385996e-4)
    STEP(c, -1.38888888888730564116e-3)
    STEP(s, 8.33333333332211858878e-3)
    STEP(c, 4.16666666666665929218e-2)
    STEP(s, -1.66666666666666307295e-1)
#else
    EACH4 (i) {
        z[i] = REDUCE(0.78515625f);
    }
    EACH4 (i) {
        z[i] = REDUCE(2.4187564849853515625e-4f);
    }
    EACH4 (i) {
        z[i] = REDUCE(3.77489497744594108e-8f);
        zz[i] = z[i] * z[i];
    }

    EACH4 (i) {
        c[i] = v_sum_step(v_set1(2.443315711809948e-5f), zz[i], -1.388731625493765e-3f);
    }
    EACH4 (i) {
        s[i] = v_sum_step(v_set1(-1.9515295891e-4f), zz[i], 8.3321608736e-3f);
    }
    STEP(c, 4.166664568298827e-2f)
    STEP(s, -1.6666654611e-1f)
#endif
#undef REDUCE
#undef STEP

    EACH4 (i) {
        c[i] = v_set1(REAL(1.0)) - v_set1(REAL(0.5)) * zz[i] + zz[i] * zz[i] * c[i];
    }
    EACH4 (i) {
        s[i] = z[i] + z[i] * zz[i] * s[i];
    }

    /* A quarter turn swaps the two. The signs follow from the octant and from the sign of x. */
    EACH4 (i) {
        sine[i] = v_flip(v_lt(x[i], v_set1(REAL(0.0))), v_flip(half[i], v_select(quarter[i], c[i], s[i])));
        cosine[i] = v_flip(quarter[i], v_flip(half[i], v_select(quarter[i], s[i], c[i])));
    }
}

/* The sine and cosine of four x in step, for |x| <= 2^20; defined but meaningless beyond. */
CAROM_LANE void v_sincos4(const vreal x[4], vreal sine[4], vreal cosine[4]) { v_sincos4_of(x, sine, cosine, false); }

/* v_sincos4() for |x| <= 2^20, which is faster. */
CAROM_LANE void v_sincos4_within(const vreal x[4], vreal sine[4], vreal cosine[4])
{
    v_sincos4_of(x, sine, cosine, true);
}

/* The sine and cosine of one x, |x| <= 2^20. */
CAROM_LANE void v_sincos(vreal x, vreal *sine, vreal *cosine)
{
    vreal same[4], s[4], c[4]; /* compilers merge four equal calculations into one */
    EACH4 (i) {
        same[i] = x;
    }
    v_sincos4(same, s, c);
    *sine = s[0];
    *cosine = c[0];
}

/* The arc tangent of v >= 0. */
CAROM_LANE vreal v_arctan_positive(vreal v)
{
#if CAROM_REAL_BITS == 64
    vmask middle = v_gt(v, v_set1(0.66)), far = v_gt(v, v_set1(2.41421356237309504880));
#else
    vmask middle = v_gt(v, v_set1(0.4142135623730950f)), far = v_gt(v, v_set1(2.414213562373095f));
#endif
    vreal one = v_set1(REAL(1.0));
    vreal x = v;

    /* Reduce to |x| <= 2/3: by atan(v) = pi/4 + atan((v - 1) / (v + 1)) in the middle range, and by pi/2 - atan(1/v)
     * far out. */
    if (m_any(middle)) {
        vreal top = v_select(far, one, v - one);
        vreal bottom = v_select(far, v, v + one);
        x = v_select(middle, top / bottom, v);
    }
#if CAROM_REAL_BITS == 32
    x = v_select(far, -x, x); /* Cephes uses pi/2 + atan(-1/v) in single precision */
#endif

    /* A rational function (f64) or a polynomial (f32) of x, plus the angle subtracted above. */
    vreal z = x * x;
#if CAROM_REAL_BITS == 64
    vreal top = v_set1(-8.750608600031904122785e-01);
    top = v_sum_step(top, z, -1.615753718733365076637e+01);
    top = v_sum_step(top, z, -7.500855792314704667340e+01);
    top = v_sum_step(top, z, -1.228866684490136173410e+02);
    top = v_sum_step(top, z, -6.485021904942025371773e+01);
    vreal bottom = z + v_set1(2.485846490142306297962e+01);
    bottom = v_sum_step(bottom, z, 1.650270098316988542046e+02);
    bottom = v_sum_step(bottom, z, 4.328810604912902668951e+02);
    bottom = v_sum_step(bottom, z, 4.853903996359136964868e+02);
    bottom = v_sum_step(bottom, z, 1.945506571482613964425e+02);
    vreal arc = z * top / bottom * x + x;
    const real more = 6.123233995736765886130e-17; /* the part of pi/2 beyond a double */
    vreal from_far = v_set1(V_HALF_PI) - arc + v_set1(more);
    vreal from_middle = v_set1(V_QUARTER_PI) + arc + v_set1(0.5 * more);
#else
    vreal arc = v_set1(8.05374449538e-2f);
    arc = v_sum_step(arc, z, -1.38776856032e-1f);
    arc = v_sum_step(arc, z, 1.99777106478e-1f);
    arc = v_sum_step(arc, z, -3.33329491539e-1f);
    arc = arc * z * x + x;
    vreal from_far = v_set1(V_HALF_PI) + arc;
    vreal from_middle = v_set1(V_QUARTER_PI) + arc;
#endif
    return v_select(far, from_far, v_select(middle, from_middle, arc));
}

/* The angle of (x, y) in [-pi, pi]; 0 for (0, 0). The signs of zeros do not matter. */
CAROM_LANE vreal v_atan2(vreal y, vreal x)
{
    vreal zero = v_set1(REAL(0.0));
    vreal v = y / x;
    vreal q = v_flip(v_lt(v, zero), v_arctan_positive(v_abs(v)));
    vreal behind = v_select(v_le(q, zero), q + v_set1(V_PI), q - v_set1(V_PI));
    q = v_select(v_lt(x, zero), behind, q);
    vreal vertical = v_select(v_gt(y, zero), v_set1(V_HALF_PI), v_set1(-V_HALF_PI));
    q = v_select(v_eq(x, zero), vertical, q);
    vreal horizontal = v_select(v_ge(x, zero), zero, v_set1(V_PI));
    return v_select(v_eq(y, zero), horizontal, q);
}

/* a - n * 2 pi with the sign of a and a magnitude below 2 pi (the machine's 2 pi), exactly, for |a| < 2^22: fmod by
 * binary subtraction. Every difference is exact, because the subtrahend is at least half of the minuend. */
CAROM_LANE vreal v_remainder_two_pi(vreal a)
{
    vreal rest = v_abs(a), turn = v_set1(V_TWO_PI);
    if (m_any(v_ge(rest, turn))) {
        real step = V_TWO_PI;
        while (step < REAL(4194304.0) && m_any(v_ge(rest, v_set1(step + step)))) {
            step += step;
        }
        while (step >= V_TWO_PI) {
            vreal part = v_set1(step);
            rest = v_select(v_ge(rest, part), rest - part, rest);
            step *= REAL(0.5);
        }
    }
    return v_flip(v_lt(a, v_set1(REAL(0.0))), rest);
}

/* v_remainder_two_pi() for |a| < 4 pi, where one subtraction is enough. */
CAROM_LANE vreal v_remainder_two_pi_once(vreal a)
{
    vreal rest = v_abs(a), turn = v_set1(V_TWO_PI);
    rest = v_select(v_ge(rest, turn), rest - turn, rest);
    return v_flip(v_lt(a, v_set1(REAL(0.0))), rest);
}

#endif
