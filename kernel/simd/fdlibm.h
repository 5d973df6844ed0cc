/* SPDX-License-Identifier: MIT
 * Sine, cosine, arc tangent, logarithm and power in lanes, with the same bits as fdlibm: the algorithms, coefficients
 * and orders of operations of fdlibm 5.3 ("Freely Distributable LIBM", Sun Microsystems, 1993; atan2 with the quadrant
 * rule of its later versions), which published JavaScript engines and Java's StrictMath use.
 *
 * Where fdlibm branches on the high word of a double, this code compares with the double that has this high word and a
 * low word of 0. It omits branches whose two sides give the same bits. fdlibm's errors are below 1 ulp.
 *
 * There is no fdlibm for f32: there the functions are those of elementary.h, without log and pow.
 */
#ifndef CAROM_SIMD_FDLIBM_H
#define CAROM_SIMD_FDLIBM_H

#include "simd/elementary.h"

#define FD_RANGE REAL(524288.0) /* the largest argument of sine and cosine: 2^19 */

#if CAROM_REAL_BITS == 64

/* ---- sine and cosine ---- */

/* Recomputes x - n pi/2 = r - w with more bits of pi/2 in the lanes of `slow`, where cancellation has left too few. */
CAROM_LANE void fd_reduce_further(vreal x, vreal n, vmask slow, vreal *r, vreal *w)
{
    vreal binade = v_binade(x);

    /* Near pi/2 itself, fdlibm subtracts the second part of pi/2 at once. */
    vmask once = m_and(slow, v_lt(x, v_set1(0x1.2d97cp+1)));
    vreal r_once = *r - v_set1(6.07710050630396597660e-11), w_once = v_set1(2.02226624879595063154e-21);

    /* A second part of pi/2 where more than 16 bits are lost, then a third where more than 49 are. */
    vmask second = m_and(m_andnot(slow, once), v_ge(binade, v_binade(*r - *w) * v_set1(0x1p17)));
    vreal part = n * v_set1(6.07710050630396597660e-11), next = *r - part;
    vreal rest = n * v_set1(2.02226624879595063154e-21) - (*r - next - part);
    *r = v_select(second, next, *r);
    *w = v_select(second, rest, *w);

    vmask third = m_and(second, v_ge(binade, v_binade(*r - *w) * v_set1(0x1p50)));
    part = n * v_set1(2.02226624871116645580e-21);
    next = *r - part;
    rest = n * v_set1(8.47842766036889956997e-32) - (*r - next - part);

    *r = v_select(once, r_once, v_select(third, next, *r));
    *w = v_select(once, w_once, v_select(third, rest, *w));
}

/* The sine and cosine of x, |x| <= FD_RANGE. */
CAROM_LANE void fd_sincos(vreal x, vreal *sine, vreal *cosine)
{
    vreal a = v_abs(x);
    vmask whole = v_lt(a, v_set1(0x1.921fcp-1)); /* within pi/4: nothing is subtracted */

    /* Subtract the nearest multiple n of pi/2. Where n is small and the difference keeps its leading bits, two parts of
     * pi/2 are enough. */
    vint j = v_truncate(a * v_set1(6.36619772367581382433e-01) + v_set1(0.5));
    j = i_select(whole, i_set1(0), j);
    vreal n = v_from_int(j);
    vreal rest = a - n * v_set1(1.57079632673412561417e+00);
    vreal low = n * v_set1(6.07710050650619224932e-11);
    vmask near = v_eq(v_high(a), v_high(n * v_set1(V_HALF_PI)));
    vmask slow = m_andnot(m_or(near, v_ge(n, v_set1(32.0))), whole);
    if (m_any(slow)) {
        fd_reduce_further(a, n, slow, &rest, &low);
    }

    /* The angle is y + tail, with |y| <= pi/4. Both polynomials, in step. */
    vreal y = rest - low, tail = rest - y - low;
    vreal z = y * y, v = z * y, half = v_set1(0.5), one = v_set1(1.0);
    vreal r = v_sum_step(v_set1(1.58969099521155010221e-10), z, -2.50507602534068634195e-08);
    vreal q = v_sum_step(v_set1(-1.13596475577881948265e-11), z, 2.08757232129817482790e-09);
    r = v_sum_step(r, z, 2.75573137070700676789e-06);
    q = v_sum_step(q, z, -2.75573143513906633035e-07);
    r = v_sum_step(r, z, -1.98412698298579493134e-04);
    q = v_sum_step(q, z, 2.48015872894767294178e-05);
    r = v_sum_step(r, z, 8.33333333332248946124e-03);
    q = v_sum_step(q, z, -1.38888888888741095749e-03);
    vreal s1 = v_set1(-1.66666666666666324348e-01);
    q = z * v_sum_step(q, z, 4.16666666666666019037e-02);

    /* The sine; without a tail fdlibm uses another order of operations. */
    vreal s_whole = y + v * (s1 + z * r);
    vreal s_tail = z * (half * tail - v * r) - tail;
    s_tail = y - (s_tail - v * s1);
    vreal s = v_select(whole, s_whole, s_tail);
    vreal size = v_abs(y);
    s = v_select(v_lt(size, v_set1(0x1p-27)), y, s);

    /* The cosine. Where y*y/2 is large, part of it is subtracted from 1 exactly, as `quarter`. */
    vreal quarter = v_select(v_ge(size, v_set1(0x1.90001p-1)), v_set1(0.28125), v_high(size) * v_set1(0.25));
    quarter = v_select(v_lt(size, v_set1(0x1.33333p-2)), v_set1(0.0), quarter);
    vreal c = half * z - quarter - (z * q - y * tail);
    c = one - quarter - c;

    /* Odd multiples of pi/2 swap the two functions; n and the sign of x decide the signs. */
    vmask odd = i_eq(i_and(j, i_set1(1)), i_set1(1)), high = i_eq(i_and(j, i_set1(2)), i_set1(2));
    vreal sin_a = v_flip(high, v_select(odd, c, s));
    *sine = v_select(v_eq(x, v_set1(0.0)), x, v_flip(v_lt(x, v_set1(0.0)), sin_a));
    *cosine = v_flip(odd, v_flip(high, v_select(odd, s, c)));
}

/* ---- arc tangent ---- */

/* The arc tangent of a >= 0. */
CAROM_LANE vreal fd_atan_positive(vreal a)
{
    vreal one = v_set1(1.0), x = a, high = v_set1(0.0), low = high;
    vmask reduced = v_ge(a, v_set1(0.4375));

    /* Reduce by the arc tangent of 1/2, 1, 3/2 or infinity, which is high + low. */
    if (m_any(reduced)) {
        vmask third = v_ge(a, v_set1(2.4375)), second = v_ge(a, v_set1(1.1875)), first = v_ge(a, v_set1(0.6875));
        vreal top = v_select(first, a - one, a + a - one);
        top = v_select(third, v_set1(-1.0), v_select(second, a - v_set1(1.5), top));
        vreal bottom = v_select(first, a + one, v_set1(2.0) + a);
        bottom = v_select(third, a, v_select(second, one + v_set1(1.5) * a, bottom));
        x = v_select(reduced, top / bottom, a);
        high = v_select(first, v_set1(7.85398163397448278999e-01), v_set1(4.63647609000806093515e-01));
        high = v_select(second, v_set1(9.82793723247329054082e-01), high);
        high = v_select(third, v_set1(1.57079632679489655800e+00), high);
        low = v_select(first, v_set1(3.06161699786838301793e-17), v_set1(2.26987774529616870924e-17));
        low = v_select(second, v_set1(1.39033110312309984516e-17), low);
        low = v_select(third, v_set1(6.12323399573676603587e-17), low);
    }

    /* The odd and even coefficients of the polynomial, in step. */
    vreal z = x * x, w = z * z;
    vreal even = v_sum_step(v_set1(1.62858201153657823623e-02), w, 4.97687799461593236017e-02);
    vreal odd = v_sum_step(v_set1(-3.65315727442169155270e-02), w, -5.83357013379057348645e-02);
    even = v_sum_step(even, w, 6.66107313738753120669e-02);
    odd = v_sum_step(odd, w, -7.69187620504482999495e-02);
    even = v_sum_step(even, w, 9.09088713343650656196e-02);
    odd = v_sum_step(odd, w, -1.11111104054623557880e-01);
    even = v_sum_step(even, w, 1.42857142725034663711e-01);
    odd = w * v_sum_step(odd, w, -1.99999999998764832476e-01);
    even = z * v_sum_step(even, w, 3.33333333333329318027e-01);

    vreal part = x * (even + odd);
    vreal direct = v_select(v_lt(a, v_set1(0x1p-27)), a, x - part);
    return v_select(reduced, high - (part - low - x), direct);
}

CAROM_LANE vreal fd_atan(vreal x)
{
    vreal zero = v_set1(0.0);
    return v_select(v_eq(x, zero), x, v_flip(v_lt(x, zero), fd_atan_positive(v_abs(x))));
}

/* The angle of (x, y) in [-pi, pi]; the signs of zeros count. */
CAROM_LANE vreal fd_atan2(vreal y, vreal x)
{
    vreal zero = v_set1(0.0), pi = v_set1(V_PI);
    vreal z = fd_atan_positive(v_abs(y / x));
    vmask left = v_lt(x, zero), level = v_eq(y, zero),
          steep = v_ge(v_high(v_abs(y)), v_high(v_abs(x)) * v_set1(0x1p61));
    if (m_any(m_and(level, v_eq(x, zero)))) {
        left = m_or(left, v_lt(v_set1(1.0) / x, zero)); /* -0 */
    }

    vreal behind = pi - (z - v_set1(1.2246467991473531772e-16));
    z = v_select(steep, v_set1(V_HALF_PI), v_select(left, behind, z));
    z = v_select(level, v_select(left, pi, zero), z);

    vmask down = v_lt(y, zero);
    if (m_any(level)) {
        down = m_or(down, m_and(level, v_lt(v_set1(1.0) / y, zero)));
    }
    return v_flip(down, z);
}

/* ---- logarithm and power ---- */

/* Repeats `statement` with p = 512, 256, ... 1, up = 2^p and down = 2^-p. */
#define FD_EACH_POWER(statement)                                                                                       \
    for (real p = 512, up = 0x1p512, down = 0x1p-512; p >= 1;                                                          \
         p *= 0.5, up = __builtin_sqrt(up), down = __builtin_sqrt(down)) {                                             \
        statement;                                                                                                     \
    }

/* x > 0 as m 2^k, 1 <= m < 2. */
CAROM_LANE vreal fd_split(vreal x, vreal *k)
{
    *k = v_set1(0.0);
    FD_EACH_POWER(vmask large = v_ge(x, v_set1(up)); vmask small = v_lt(x, v_set1(2 * down));
                  x = v_select(large, x * v_set1(down), v_select(small, x * v_set1(up), x));
                  *k = v_select(large, *k + v_set1(p), v_select(small, *k - v_set1(p), *k)))
    return x;
}

/* x 2^k for whole k, |k| < 1024. */
CAROM_LANE vreal fd_scale(vreal x, vreal k)
{
    FD_EACH_POWER(vmask large = v_ge(k, v_set1(p)); vmask small = v_le(k, v_set1(-p));
                  x = v_select(large, x * v_set1(up), v_select(small, x * v_set1(down), x));
                  k = v_select(large, k - v_set1(p), v_select(small, k + v_set1(p), k)))
    return x;
}

/* The natural logarithm of a normal x > 0. */
CAROM_LANE vreal fd_log(vreal x)
{
    vreal k, zero = v_set1(0.0), one = v_set1(1.0), half = v_set1(0.5);
    vreal m = fd_split(x, &k);

    /* x = m 2^k with m between sqrt(1/2) and sqrt(2). The first two tests select the form of the result. */
    vmask tiny = m_or(v_lt(m, v_set1(0x1.00001p+0)), v_ge(m, v_set1(0x1.ffffep+0)));
    vmask middle = m_and(v_ge(m, v_set1(0x1.6147ap+0)), v_lt(m, v_set1(0x1.6b852p+0)));
    vmask upper = v_ge(m, v_set1(0x1.6a09cp+0));
    m = v_select(upper, m * half, m);
    k = v_select(upper, k + one, k);

    /* k ln 2 = high + low, and the polynomial in s = f / (2 + f), f = m - 1. */
    vreal high = k * v_set1(6.93147180369123816490e-01), low = k * v_set1(1.90821492927058770002e-10);
    vreal f = m - one, f2 = f * f;
    vreal s = f / (v_set1(2.0) + f), z = s * s, w = z * z;
    vreal t1 = v_sum_step(v_set1(1.531383769920937332e-01), w, 2.222219843214978396e-01);
    t1 = w * v_sum_step(t1, w, 3.999999999940941908e-01);
    vreal t2 = v_sum_step(v_set1(1.479819860511658591e-01), w, 1.818357216161805012e-01);
    t2 = v_sum_step(t2, w, 2.857142874366239149e-01);
    t2 = z * v_sum_step(t2, w, 6.666666666666735130e-01);
    vreal r = t2 + t1;
    vmask unscaled = v_eq(k, zero);

    /* fdlibm's three forms: a for m near sqrt(2), c for tiny |f|, b elsewhere. Each has a variant for k = 0. */
    vreal hfsq = half * f * f, sum = s * (hfsq + r);
    vreal a = high - (hfsq - (sum + low) - f);
    a = v_select(unscaled, f - (hfsq - sum), a);
    vreal product = s * (f - r);
    vreal b = high - (product - low - f);
    b = v_select(unscaled, f - product, b);
    vreal near = f2 * (half - v_set1(0.33333333333333333) * f);
    vreal c = high - (near - low - f);
    c = v_select(unscaled, f - near, c);
    c = v_select(v_eq(f, zero), high + low, c);

    return v_select(tiny, c, v_select(middle, a, b));
}

/* x^y for a normal x > 0, if the result is neither infinite nor subnormal. */
CAROM_LANE vreal fd_pow(vreal x, vreal y)
{
    vreal n, zero = v_set1(0.0), one = v_set1(1.0), half = v_set1(0.5), three = v_set1(3.0);
    vreal m = fd_split(x, &n);

    /* x = m 2^n with m near `base`, 1 or 3/2. */
    vmask upper = v_ge(m, v_set1(0x1.bb67ap+0)), middle = m_andnot(v_ge(m, v_set1(0x1.3988fp+0)), upper);
    n = v_select(upper, n + one, n);
    m = v_select(upper, m * half, m);
    vreal base = v_select(middle, v_set1(1.5), one);

    /* log2(m) from ss = (m - base) / (m + base) = s_h + s_l, in more than double precision. */
    vreal u = m - base, v = one / (m + base), ss = u * v, s_h = v_high(ss);
    vreal grain = v_select(upper, v_set1(0x1p20), v_set1(0x1p19));
    vreal t_h = v_trunc((v_high(m) + base) * grain) / grain;
    vreal t_l = m - (t_h - base);
    vreal s_l = v * (u - s_h * t_h - s_h * t_l);

    vreal s2 = ss * ss;
    vreal r = v_sum_step(v_set1(2.06975017800338417784e-01), s2, 2.30660745775561754067e-01);
    r = v_sum_step(r, s2, 2.72728123808534006489e-01);
    r = v_sum_step(r, s2, 3.33333329818377432918e-01);
    r = v_sum_step(r, s2, 4.28571428578550184252e-01);
    r = v_sum_step(r, s2, 5.99999999999994648725e-01);
    r = s2 * s2 * r + s_l * (s_h + ss);

    s2 = s_h * s_h;
    t_h = v_high(three + s2 + r);
    t_l = r - (t_h - three - s2);
    u = s_h * t_h;
    v = s_l * t_h + t_l * ss;

    vreal p_h = v_high(u + v), p_l = v - (p_h - u);
    vreal z_h = v_set1(9.61796700954437255859e-01) * p_h;
    vreal dp_h = v_select(middle, v_set1(5.84962487220764160156e-01), zero);
    vreal z_l = v_set1(-7.02846165095275826516e-09) * p_h + p_l * v_set1(9.61796693925975554329e-01) +
                v_select(middle, v_set1(1.35003920212974897128e-08), zero);

    /* log2(x) = t1 + t2. */
    vreal t1 = v_high(z_h + z_l + dp_h + n);
    vreal t2 = z_l - (t1 - n - dp_h - z_h);

    /* y log2(x) = p_h + p_l; y1 and t1 are short enough for an exact product. */
    vreal y1 = v_high(y);
    p_l = (y - y1) * t1 + y * t2;
    p_h = y1 * t1;
    vreal z = p_l + p_h;

    /* 2^(p_h + p_l): the whole part becomes a power of two, the rest goes through a polynomial. */
    vreal whole = v_flip(v_lt(z, zero), v_floor(v_abs(z) + half));
    whole = v_select(v_gt(v_abs(z), half), whole, zero);
    p_h = p_h - whole;
    vreal t = v_high(p_l + p_h);
    u = t * v_set1(6.93147182464599609375e-01);
    v = (p_l - (t - p_h)) * v_set1(6.93147180559945286227e-01) + t * v_set1(-1.90465429995776804525e-09);
    z = u + v;
    vreal w = v - (z - u);

    t = z * z;
    t1 = v_sum_step(v_set1(4.13813679705723846039e-08), t, -1.65339022054652515390e-06);
    t1 = v_sum_step(t1, t, 6.61375632143793436117e-05);
    t1 = v_sum_step(t1, t, -2.77777777770155933842e-03);
    t1 = v_sum_step(t1, t, 1.66666666666666019037e-01);
    t1 = z - t * t1;
    r = z * t1 / (t1 - v_set1(2.0)) - (w + z * w);

    return fd_scale(one - (r - z), whole);
}

#else

CAROM_LANE void fd_sincos(vreal x, vreal *sine, vreal *cosine) { v_sincos(x, sine, cosine); }
CAROM_LANE vreal fd_atan(vreal x) { return v_flip(v_lt(x, v_set1(0.0f)), v_arctan_positive(v_abs(x))); }
CAROM_LANE vreal fd_atan2(vreal y, vreal x) { return v_atan2(y, x); }

#endif

#endif
