/* SPDX-License-Identifier: MIT
 * Threads: the only file that knows OpenMP.
 *
 * fork() copies one thread. A runtime whose worker threads existed before then waits forever for workers that the child
 * does not have (libgomp does). So the process that first went parallel is remembered, and in any other process that
 * shares the memory image - its children - OpenMP is not touched at all. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* sched_getaffinity */
#endif

#include "base/parallel.h"

#include <carom/base.h>

#include "base/fpenv.h"

#include <unistd.h>

#if defined(__linux__)
#include <sched.h>
#endif

#ifdef _OPENMP
#include <omp.h>
#include <stdatomic.h>

static atomic_long first_process; /* that went parallel; 0: none yet */

static bool is_forked(void)
{
    const long first = atomic_load(&first_process);
    return first != 0 && first != (long)getpid();
}

/* May a parallel region be opened here? Says yes at most in one process. */
static bool claim_process(void)
{
    const long self = (long)getpid();
    long first = 0;
    return atomic_compare_exchange_strong(&first_process, &first, self) || first == self;
}

static bool run_parallel(unsigned threads, size_t items, parallel_body *body, void *argument)
{
    threads = threads < PARALLEL_MAX_THREADS ? threads : PARALLEL_MAX_THREADS;
    threads = threads < items ? threads : (unsigned)items;
    if (threads <= 1 || !claim_process() || omp_in_parallel()) {
        return false;
    }
#pragma omp parallel num_threads((int)threads)
    {
        const fp_environment caller = fp_begin();
        const unsigned thread = (unsigned)omp_get_thread_num();
#pragma omp for schedule(dynamic, 1) nowait
        for (size_t item = 0; item < items; ++item) {
            body(argument, item, thread);
        }
        fp_end(caller);
    }
    return true;
}

/* What the user allows by OMP_NUM_THREADS or omp_set_num_threads(). */
static unsigned runtime_limit(void)
{
    return is_forked() ? PARALLEL_MAX_THREADS : (unsigned)omp_get_max_threads();
}

#else

static bool run_parallel(unsigned threads, size_t items, parallel_body *body, void *argument)
{
    (void)threads, (void)items, (void)body, (void)argument;
    return false;
}

static unsigned runtime_limit(void)
{
    return 1;
}

#endif

void carom_parallel_for(unsigned threads, size_t items, parallel_body *body, void *argument)
{
    if (run_parallel(threads, items, body, argument)) {
        return;
    }
    const fp_environment caller = fp_begin();
    for (size_t item = 0; item < items; ++item) {
        body(argument, item, 0);
    }
    fp_end(caller);
}

static unsigned processors(void)
{
#if defined(__linux__)
    cpu_set_t set;
    if (sched_getaffinity(0, sizeof set, &set) == 0) {
        return (unsigned)CPU_COUNT(&set);
    }
#endif
#if defined(_SC_NPROCESSORS_ONLN)
    const long online = sysconf(_SC_NPROCESSORS_ONLN);
    return online > 0 ? (unsigned)online : 1;
#else
    return runtime_limit();
#endif
}

unsigned carom_threads(void)
{
    unsigned threads = processors();
    const unsigned limit = runtime_limit();
    threads = threads < limit ? threads : limit;
    threads = threads < PARALLEL_MAX_THREADS ? threads : PARALLEL_MAX_THREADS;
    return threads > 0 ? threads : 1;
}
