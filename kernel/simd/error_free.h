/* SPDX-License-Identifier: MIT
 * Arithmetic in twice the precision: numbers as unevaluated sums high + low, with |low| <= half a unit in the last
 * place of high. Error-free sums by Knuth (The Art of Computer Programming 2, 4.2.2, theorem B), products by Dekker and
 * Veltkamp (Numerische Mathematik 18, 1971) or, if the instruction set has it, a fused multiplication, which gives the
 * same error term.
 *
 * Both give the same bits: Dekker's term is exact as long as no part of the product underflows, so v_two_product()
 * drops the term of products below ERROR_FREE_LEAST. Callers scale operands near 1: a dropped term is then too small to
 * affect a result, and nothing overflows.
 */
#ifndef CAROM_SIMD_ERROR_FREE_H
#define CAROM_SIMD_ERROR_FREE_H

#include "simd/lanes.h"

#if CAROM_REAL_BITS == 64
#define ERROR_FREE_LEAST 0x1p-916    /* the least normal number times 2^(2 * 53) */
#define ERROR_FREE_SPLIT 134217729.0 /* 2^27 + 1 */
#else
#define ERROR_FREE_LEAST 0x1p-78f
#define ERROR_FREE_SPLIT 4097.0f
#endif

/* high + low. */
typedef struct vtwice {
    vreal high, low;
} vtwice;

/* a + b, exactly. */
CAROM_LANE vtwice v_two_sum(vreal a, vreal b)
{
    vtwice s;
    s.high = a + b;
    vreal part = s.high - a;
    s.low = a - (s.high - part) + (b - part);
    return s;
}

/* a + b, exactly, for |a| >= |b| or a == 0. */
CAROM_LANE vtwice v_fast_two_sum(vreal a, vreal b)
{
    vtwice s;
    s.high = a + b;
    s.low = b - (s.high - a);
    return s;
}

/* Splits the bits of a into a high and a low half; products of such halves are exact. */
CAROM_LANE vtwice v_split(vreal a)
{
    vtwice s;
    vreal c = a * v_set1(ERROR_FREE_SPLIT);
    s.high = c - (c - a);
    s.low = a - s.high;
    return s;
}

/* a * b - product by Dekker, for every backend. */
CAROM_LANE vreal v_product_error_dekker(vreal a, vreal b, vreal product)
{
    vtwice x = v_split(a), y = v_split(b);
    vreal error = x.high * y.high - product;
    error = error + x.high * y.low + x.low * y.high;
    return error + x.low * y.low;
}

#if !defined(V_HAS_PRODUCT_ERROR)
CAROM_LANE vreal v_product_error(vreal a, vreal b, vreal product) { return v_product_error_dekker(a, b, product); }
#endif

/* a * b, exactly, except for products below ERROR_FREE_LEAST. */
CAROM_LANE vtwice v_two_product(vreal a, vreal b)
{
    vtwice p;
    p.high = a * b;
    vmask exact = v_ge(v_abs(p.high), v_set1(ERROR_FREE_LEAST));
    p.low = v_select(exact, v_product_error(a, b, p.high), v_set1(0));
    return p;
}

CAROM_LANE vtwice v_twice_neg(vtwice a)
{
    vtwice s;
    s.high = -a.high;
    s.low = -a.low;
    return s;
}

/* a + b with an error of some 2^-104 of |a| + |b| (f32: 2^-46). */
CAROM_LANE vtwice v_twice_add(vtwice a, vtwice b)
{
    vtwice s = v_two_sum(a.high, b.high);
    return v_two_sum(s.high, s.low + (a.low + b.low)); /* after cancellation the low part may be larger */
}

/* a * b with a relative error of some 2^-104 (f32: 2^-46). */
CAROM_LANE vtwice v_twice_mul(vtwice a, vtwice b)
{
    vtwice p = v_two_product(a.high, b.high);
    vreal cross = a.high * b.low + a.low * b.high;
    return v_fast_two_sum(p.high, p.low + cross);
}

#endif
