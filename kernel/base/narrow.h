/* SPDX-License-Identifier: MIT
 * Numbers as single precision holds them. */
#ifndef CAROM_BASE_NARROW_H
#define CAROM_BASE_NARROW_H

/* a, rounded to float. volatile: where gcc 12 vectorises two conversions like (double)(float)a it omits them, as if the
 * float were as wide as the double. */
static inline double narrowed(double a)
{
    const volatile float f32 = (float)a;
    return (double)f32;
}

#endif
