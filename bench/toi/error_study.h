/* SPDX-License-Identifier: MIT
 * Solvers against the exact solution, on pairs of one distribution, for bench_errors and for bounds in the tests.
 *
 * Every block of pairs is drawn and solved exactly once, then solved by any number of variants. Each variant runs on
 * every usable instruction set and, if it has one, in its form with branches: all must give the same bits.
 */
#ifndef CAROM_BENCH_TOI_ERROR_STUDY_H
#define CAROM_BENCH_TOI_ERROR_STUDY_H

#include "distributions.h"
#include "tests/toi/mpfr_toi.h"

#define STUDY_BLOCK 997 /* not a multiple of any register's width */

typedef struct error_study error_study;

/* A pair and the answer to it. */
typedef struct study_example {
    double pair[5], answer;
} study_example;

/* Statistics of one variant. Errors are those of exact_toi_judge(). */
typedef struct error_tally {
    uint64_t cases, hits, timed, missed, false_hits, missed_outside, false_outside, broken;
    double max_ulp, sum_ulp, max_condition, sum_condition, max_position; /* sums over `timed` */
    double far_condition, far_position; /* the greatest of condition and position times r / max(|p|, r) */
    study_example worst, wrong,
        breach; /* the greatest error by condition; a wrong decision, outside if any; a breach */
} error_tally;

/* NULL: no memory. */
error_study *carom_study_new(distribution which, carom_precision precision, uint64_t seed);
void carom_study_free(error_study *s);

/* The next n <= STUDY_BLOCK pairs. */
void carom_study_draw(error_study *s, size_t n);

/* Solves them with a variant of toi.h. Returns NULL or an error, a failed call or other bits on one instruction set, as
 * a text valid until the next call. */
const char *carom_study_measure(error_study *s, int variant, error_tally *tally);

/* The question that a variant answers. */
toi_question carom_study_question(int variant);

#endif
