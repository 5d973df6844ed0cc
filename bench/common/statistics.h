/* SPDX-License-Identifier: MIT
 * Statistics of a quantity that was measured in several rounds.
 */
#ifndef CAROM_BENCH_COMMON_STATISTICS_H
#define CAROM_BENCH_COMMON_STATISTICS_H

typedef struct statistics {
    double median, min, max;
} statistics;

/* Of count >= 1 values, which are sorted. */
statistics carom_bench_sort(double *values, unsigned count);

#endif
