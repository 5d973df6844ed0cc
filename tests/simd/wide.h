/* SPDX-License-Identifier: MIT
 * Numbers of 113 bits, for references: a product of two doubles is exact in them.
 */
#ifndef CAROM_TESTS_SIMD_WIDE_H
#define CAROM_TESTS_SIMD_WIDE_H

#include <float.h>
#include <math.h>

#if LDBL_MANT_DIG >= 113
typedef long double wide;
#else
__extension__ typedef __float128 wide;
#endif

static inline wide wide_abs(wide a)
{
    return a < 0 ? -a : a;
}

static inline wide wide_max(wide a, wide b)
{
    return a > b ? a : b;
}

/* From a double's root by Newton's iteration: 53, 106, 113 bits. Powers of 4 bring `a` into the range of doubles. */
static inline wide wide_sqrt(wide a)
{
    wide scale = 1;
    if (a <= 0) {
        return 0;
    }
    for (; a > (wide)0x1p1000; a *= (wide)0x1p-1000) {
        scale *= (wide)0x1p500;
    }
    for (; a < (wide)0x1p-900; a *= (wide)0x1p900) {
        scale *= (wide)0x1p-450;
    }
    wide x = (wide)sqrt((double)a);
    x = (x + a / x) / 2;
    return (x + a / x) / 2 * scale;
}

#endif
