/* SPDX-License-Identifier: MIT
 * The oracle of accelerating circles: the impact at 400 bits, and a verdict on an answer.
 */
#ifndef CAROM_TESTS_TOI_MPFR_QUARTIC_H
#define CAROM_TESTS_TOI_MPFR_QUARTIC_H

#include "quartic_cases.h"

/* An answer t to a case. The band: at an extremum, a turning point with D.V = 0 up to rounding, or at the start the
 * distance is within 4 eps max(size, r) of r; the answer must then be +INFINITY, 0 with such a start, or a time at
 * which the distance is r to within the same, and no later than the first impact without such a point before or behind
 * it. *error: |t - exact| / (eps condition), where both are finite. */
quartic_verdict quartic_judge(const double in[QUARTIC_INPUTS], double t, double eps, double *error);

/* The exact impact, rounded. */
double quartic_exact(const double in[QUARTIC_INPUTS]);

/* The same, relative to (x, y): the difference from the position is not rounded. */
double quartic_exact_from(const double in[QUARTIC_INPUTS], double x, double y);

#endif
