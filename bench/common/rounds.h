/* SPDX-License-Identifier: MIT
 * Measuring in turn, for the benchmark programs and `carom bench solvers`: every round runs each case once, starting
 * one case later than the previous round, so that changes of the machine's speed affect all cases equally. One thread
 * at a time.
 */
#ifndef CAROM_BENCH_COMMON_ROUNDS_H
#define CAROM_BENCH_COMMON_ROUNDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define BENCH_COUNTERS 7
#define BENCH_UNDISTURBED 0.97 /* share of the processor that a run should have had */

/* What one run did. */
typedef struct bench_sample {
    double seconds, cpu_seconds;     /* of its timed parts */
    double items;                    /* counted by the rate */
    double counters[BENCH_COUNTERS]; /* values of the program's own counters; 0: not counted */
    double started, cpu_started;     /* of the timed part that is running */
    bool threaded;                   /* CPU time is that of the process, else of the calling thread */
} bench_sample;

/* The beginning and the end of a timed part of a run. */
void carom_bench_start(bench_sample *sample);
void carom_bench_stop(bench_sample *sample);

/* Whether something else had the processor for part of the time; of runs on one thread. */
bool carom_bench_disturbed(double seconds, double cpu_seconds);

/* Cases to be run in turn. `context` is handed to the functions. */
typedef struct bench_rounds {
    void *context;
    size_t cases;
    unsigned rounds;
    double seconds; /* that one run of a case should last */
    /* Does the work of a case `iterations` times. *sample is all 0. */
    void (*run)(void *context, size_t number, uint64_t iterations, bench_sample *sample);
    /* Takes the result of a run. */
    void (*keep)(void *context, size_t number, unsigned round, const bench_sample *sample);
    void (*begin)(void *context, unsigned round); /* what every round begins with; NULL: nothing */
    bool (*stopped)(void);                        /* whether to end before the next run; NULL: never */
} bench_rounds;

/* The number of iterations that makes a run of a case last as long as it should; its runs warm up as well. */
uint64_t carom_bench_calibrate(const bench_rounds *r, size_t number);

/* iterations[cases]: what calibrating found. */
void carom_bench_go_round(const bench_rounds *r, const uint64_t *iterations);

#endif
