/* SPDX-License-Identifier: MIT
 * Threads by OpenMP; no other file uses it.
 *
 * fork() copies one thread. If the runtime has already started workers, it may wait forever in the child for workers
 * that do not exist there (libgomp does), and it offers no way to find out: another library may have started them. So a
 * child does not use OpenMP at all. */
#include "base/parallel.h"

#include "base/fpenv.h"

#include <omp.h>
#include <pthread.h>

static bool usable; /* false in a child of fork() */

static void forget(void)
{
    usable = false;
}

__attribute__((constructor)) static void watch_forks(void)
{
    usable = pthread_atfork(NULL, NULL, forget) == 0;
}

bool carom_parallel_run(unsigned threads, const affinity *where, size_t items, parallel_body *body, void *argument)
{
    if (!usable || omp_in_parallel()) {
        return false;
    }
#pragma omp parallel num_threads((int)threads)
    {
        affinity before; /* the runtime's threads also work for others: restore each one's affinity */
        const bool moved = carom_affinity_enter(where, &before);
        const fp_environment caller = fp_begin();
        const unsigned thread = (unsigned)omp_get_thread_num();
#pragma omp for schedule(dynamic, 1) nowait
        for (size_t item = 0; item < items; ++item) {
            body(argument, item, thread);
        }
        fp_end(caller);
        if (moved) {
            carom_affinity_set(&before);
        }
    }
    return true;
}

/* The limit set by OMP_NUM_THREADS or omp_set_num_threads(). */
unsigned carom_parallel_limit(void)
{
    return usable ? (unsigned)omp_get_max_threads() : 1;
}
