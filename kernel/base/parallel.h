/* SPDX-License-Identifier: MIT
 * Threads. Meson's option `threads` chooses what runs the pieces of a call: a pool of Carom's own (pool.c), OpenMP
 * (openmp.c), or the caller alone (alone.c). */
#ifndef CAROM_BASE_PARALLEL_H
#define CAROM_BASE_PARALLEL_H

#include <carom/base.h>

#include <stdbool.h>
#include <stddef.h>

#include "base/affinity.h"

#define PARALLEL_MAX_THREADS ((unsigned)CAROM_MAX_THREADS)

/* Does the work of one item. `thread` is below the number of threads, and differs between calls at the same time. */
typedef void parallel_body(void *argument, size_t item, unsigned thread);

/* Calls body once for every item in [0, items), in any order, on at most `threads` threads, in the default
 * floating-point environment (base/fpenv.h), and returns when all are done. All of them, the calling one included, run
 * on the processors of `where` meanwhile; NULL: wherever they may. Runs them one by one on the calling thread,
 * as thread 0, if threads <= 1, inside the body of another call, and where carom_parallel_run() declines. */
void carom_parallel_for(unsigned threads, const affinity *where, size_t items, parallel_body *body, void *argument);

/* ---- how many threads can run at the same time ---- */

/* The number of hardware threads on which the calling thread may run, or carom_quota_threads() if that is less; at
 * least 1. Allocates nothing. */
unsigned carom_processors(void);

/* The number of threads that the quotas of the process's control groups allow, rounded up; PARALLEL_MAX_THREADS if
 * there are none. `root` is put before the paths of the system's files, and is "" except in tests. */
unsigned carom_quota_threads(const char *root);

/* ---- defined by each of pool.c, openmp.c and alone.c ---- */

/* Runs the items on 2 <= threads <= items threads. False if it declines: nothing has been done then. */
bool carom_parallel_run(unsigned threads, const affinity *where, size_t items, parallel_body *body, void *argument);

/* The greatest useful number of threads, whatever the number of processors; at least 1. */
unsigned carom_parallel_limit(void);

#endif
