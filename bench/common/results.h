/* SPDX-License-Identifier: MIT
 * The harness's data and measurements: shared by harness.c and json.c.
 */
#ifndef CAROM_BENCH_COMMON_RESULTS_H
#define CAROM_BENCH_COMMON_RESULTS_H

#include "harness.h"
#include "machine.h"
#include "statistics.h"

#include <stdio.h>

#define BENCH_FILTERS 32

/* A case and its measurements, one value for each round. */
typedef struct measured {
    bench_case what;
    bool selected;
    uint64_t iterations;           /* of a run */
    double *seconds, *cpu_seconds; /* of one iteration */
    double *rates;                 /* items a second */
    double *counters[BENCH_COUNTERS];
} measured;

struct bench {
    const bench_program *program;
    const char *executable;
    machine machine; /* as it was at the start */
    const char *filters[BENCH_FILTERS];
    size_t filter_count;
    unsigned repeats;
    bool quick;
    FILE *text, *json; /* json: NULL if not wanted */
    measured *cases;
    size_t count, capacity;
    measured **chosen; /* while they are measured: those that the filters have left */
};

/* Of one value a round; they keep their order. */
statistics carom_bench_statistics(const double *values, unsigned count);

/* The selected cases as JSON, to b->json. */
void carom_bench_write_json(const bench *b);

#endif
