/* SPDX-License-Identifier: MIT
 * Cases of accelerating circles, and a check that needs no more than long double for most of them.
 */
#ifndef CAROM_TESTS_TOI_QUARTIC_CASES_H
#define CAROM_TESTS_TOI_QUARTIC_CASES_H

#include <stdbool.h>
#include <stdint.h>

enum { QUARTIC_INPUTS = 7, QUARTIC_KINDS = 16 }; /* px, py, vx, vy, ax, ay, r */

extern const char *const quartic_kind_names[QUARTIC_KINDS];

/* A case of one kind; `single`: its numbers are floats. The state is a splitmix64 generator's. */
void quartic_case(int kind, bool single, uint64_t *state, double in[QUARTIC_INPUTS]);

typedef enum quartic_verdict {
    QUARTIC_GOOD,
    QUARTIC_BAND,   /* within the band around tangency, where rounding decides */
    QUARTIC_MISSED, /* there is an impact, earlier or at all */
    QUARTIC_FALSE,  /* there is none at this time */
    QUARTIC_INEXACT,
    QUARTIC_UNSURE /* this check cannot decide */
} quartic_verdict;

/* An answer t to a case, eps being the spacing of numbers at 1: a proof that it is right, in long double with bounds of
 * every rounding error. UNSURE: none was found; check such an answer exactly. GOOD: it is right. BAND: until then the
 * circles never overlap deeper than the band, so it is GOOD or in the band. *error: a bound of the error of t, in units
 * of eps times the condition number. */
quartic_verdict quartic_certify(const double in[QUARTIC_INPUTS], double t, double eps, double *error);

/* The condition number at t: how far t moves when every input moves by its own amount. *size: |p| + |v| t + |a|
 * t^2/2. */
double quartic_condition(const double in[QUARTIC_INPUTS], double t, double *size);

#endif
