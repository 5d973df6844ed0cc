/* SPDX-License-Identifier: MIT
 * Rounding to single precision. */
#ifndef CAROM_BASE_NARROW_H
#define CAROM_BASE_NARROW_H

/* a, rounded to float. volatile: gcc 12 drops conversions like (double)(float)a when it vectorises two of them. */
static inline double narrowed(double a)
{
    const volatile float f32 = (float)a;
    return (double)f32;
}

#endif
