/* SPDX-License-Identifier: MIT
 * Shared by the benchmark programs: a table of cases that are run in turn (rounds.h).
 *
 * The inner count of a case, determined first, makes one run last about 30 ms. Reports median, minimum and maximum over
 * the rounds, the ratio of each case's median to those of its baselines from the same rounds, and JSON in the schema of
 * Google Benchmark.
 *
 * A benchmark with a wrong result ends the program by carom_bench_die(): wrong results are not timed.
 */
#ifndef CAROM_BENCH_COMMON_HARNESS_H
#define CAROM_BENCH_COMMON_HARNESS_H

#include "rounds.h"

#include <carom/carom.h>

#define BENCH_BASELINES 3
#define BENCH_NONE SIZE_MAX /* no such baseline */

/* The body of a case: does its work `iterations` times, the parts between carom_bench_start() and carom_bench_stop()
 * being timed, and adds to sample->items. */
typedef void bench_body(const void *argument, uint64_t iterations, bench_sample *sample);

typedef struct bench_case {
    char name[96]; /* a path: "csb/race/relative/f64/avx512" */
    bench_body *body;
    const void *argument;              /* of the body; kept by the caller */
    unsigned threads;                  /* that the body uses */
    size_t baselines[BENCH_BASELINES]; /* numbers of cases, or BENCH_NONE */
} bench_case;

typedef struct bench bench;

/* A counter is a number in addition to the rate; the table prints value * scale. */
typedef struct bench_counter {
    const char *name;  /* in JSON */
    const char *title; /* in the table */
    double scale;
} bench_counter;

/* What a program measures. */
typedef struct bench_program {
    const char *title;                      /* one line */
    const char *unit;                       /* of the rate in the table: "M world-ticks/s" */
    double scale;                           /* items a second -> unit */
    const char *baselines[BENCH_BASELINES]; /* titles of the ratios: "x scalar"; NULL from the first unused on */
    bench_counter counters[BENCH_COUNTERS]; /* name NULL from the first unused on */
} bench_program;

/* Reads the options --filter, --repeats, --quick, --json, --help; ends the program for --help and bad ones. The table
 * of cases, to be filled, then run and freed by carom_bench_run(). */
bench *carom_bench_create(int argc, char **argv, const bench_program *program);
bool carom_bench_is_quick(const bench *b);

/* A case without baselines. Its name is to be set by carom_bench_name(). */
bench_case carom_bench_case(bench_body *body, const void *argument);
void carom_bench_name(bench_case *c, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Adds a case; its number. */
size_t carom_bench_add(bench *b, const bench_case *c);

/* The argument of a workload's functions. */
typedef struct bench_engine {
    void *subject; /* the simulated object */
    carom_isa isa;
    unsigned threads;
} bench_engine;

/* One thing to simulate, by plain C (f64), and in f64 and f32 by every instruction set and once more by the widest with
 * two threads: "fall/damped/f64/plain_c", "fall/damped/f64/scalar", ... "fall/damped/f64/avx512/threads:2". The ratios
 * are those to width 1 of the precision, to plain C, and to one thread. Kept by the caller. */
typedef struct bench_workload {
    char name[64];                                       /* "fall/damped" */
    const char *one_thread;                              /* how names of cases on one thread end: "" or "/threads:1" */
    bench_body *library, *plain;                         /* of a bench_engine */
    void *subjects[2];                                   /* f32, f64 */
    bench_engine engines[2 * (CAROM_ISA_COUNT + 1) + 1]; /* made by carom_bench_add_workload() */
} bench_workload;

void carom_bench_add_workload(bench *b, bench_workload *w);

/* Runs the cases, prints, frees b. What main() returns. */
int carom_bench_run(bench *b);

/* ---- for bodies ---- */

/* Prints "<program>: <message>" on stderr and exits with 1. */
_Noreturn void carom_bench_die(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Dies unless the status is CAROM_OK. */
void carom_bench_demand(carom_status status, const char *doing);

uint64_t carom_bench_digest(const carom_worlds *worlds);

/* count * bytes of memory, 64-byte aligned, to be freed with free(); dies if there is none. */
void *carom_bench_take(size_t count, size_t bytes);

/* The usable instruction sets, narrowest first, in isas[]; their number. The last is the one that CAROM_ISA_DEFAULT
 * means: wider ones are left out. */
size_t carom_bench_isas(carom_isa isas[CAROM_ISA_COUNT]);

#endif
