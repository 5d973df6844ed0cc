/* SPDX-License-Identifier: MIT
 * The equation as it is often published, with a call of the C library's pow() for every square. It is the only such
 * call in a kernel, and there to measure what it costs.
 */
#ifndef CAROM_TOI_POW_H
#define CAROM_TOI_POW_H

#include "toi/circles.h"

#if defined(__cplusplus)
extern "C" {
#endif
double pow(double x, double y);
float powf(float x, float y);
#if defined(__cplusplus)
}
#endif

/* The exponent is volatile, because compilers turn pow(x, 2) into x * x. */
CAROM_LANE real pow_square(real x)
{
    static const volatile real two = 2;
#if CAROM_REAL_BITS == 64
    return pow(x, two);
#else
    return powf(x, two);
#endif
}

#if LANES == 1
CAROM_LANE circles_equation equation_pow(circles_pair q)
{
    circles_equation e;
    e.a = pow_square(q.vx) + pow_square(q.vy);
    e.b = 2 * (q.px * q.vx + q.py * q.vy);
    e.c = pow_square(q.px) + pow_square(q.py) - pow_square(q.r);
    e.d = pow_square(e.b) - 4 * e.a * e.c;
    return e;
}
#endif

#endif
