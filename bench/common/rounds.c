/* SPDX-License-Identifier: MIT
 * Rounds: see rounds.h.
 */
#define _POSIX_C_SOURCE 200809L

#include "rounds.h"

#include <time.h>

static double seconds_of(clockid_t clock)
{
    struct timespec now;
    clock_gettime(clock, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* Reading the CPU time is a system call; it stays outside the interval that counts. */
void carom_bench_start(bench_sample *sample)
{
    sample->cpu_started = seconds_of(sample->threaded ? CLOCK_PROCESS_CPUTIME_ID : CLOCK_THREAD_CPUTIME_ID);
    sample->started = seconds_of(CLOCK_MONOTONIC);
}

void carom_bench_stop(bench_sample *sample)
{
    sample->seconds += seconds_of(CLOCK_MONOTONIC) - sample->started;
    sample->cpu_seconds +=
        seconds_of(sample->threaded ? CLOCK_PROCESS_CPUTIME_ID : CLOCK_THREAD_CPUTIME_ID) - sample->cpu_started;
}

bool carom_bench_disturbed(double seconds, double cpu_seconds)
{
    return cpu_seconds < BENCH_UNDISTURBED * seconds;
}

static bench_sample run_case(const bench_rounds *r, size_t number, uint64_t iterations)
{
    bench_sample sample = {0};
    r->run(r->context, number, iterations, &sample);
    return sample;
}

uint64_t carom_bench_calibrate(const bench_rounds *r, size_t number)
{
    uint64_t iterations = 1;
    for (;;) {
        const double factor = r->seconds / (run_case(r, number, iterations).seconds + 1e-9);
        if (factor <= 1.5) {
            return iterations;
        }
        iterations = (uint64_t)((double)iterations * (factor < 100 ? factor : 100) + 0.5);
        if (factor < 4) {
            return iterations;
        }
    }
}

void carom_bench_go_round(const bench_rounds *r, const uint64_t *iterations)
{
    for (unsigned round = 0; round < r->rounds; round++) {
        if (r->begin != NULL) {
            r->begin(r->context, round);
        }
        for (size_t i = 0; i < r->cases && (r->stopped == NULL || !r->stopped()); i++) {
            const size_t number = (i + round) % r->cases;
            const bench_sample sample = run_case(r, number, iterations[number]);
            r->keep(r->context, number, round, &sample);
        }
        if (r->stopped != NULL && r->stopped()) {
            return;
        }
    }
}
