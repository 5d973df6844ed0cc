/* SPDX-License-Identifier: MIT
 * Threads. Meson's option `threads` selects what runs the items of a call: Carom's own thread pool (pool.c), OpenMP
 * (openmp.c), or the calling thread alone (alone.c). */
#ifndef CAROM_BASE_PARALLEL_H
#define CAROM_BASE_PARALLEL_H

#include <carom/base.h>

#include <stdbool.h>
#include <stddef.h>

#include "base/affinity.h"

#define PARALLEL_MAX_THREADS ((unsigned)CAROM_MAX_THREADS)

/* Does the work of one item. `thread` is below the number of threads; calls running at the same time have different
 * ones. */
typedef void parallel_body(void *argument, size_t item, unsigned thread);

/* Calls body once for every item in [0, items), in any order, on at most `threads` threads, in the default
 * floating-point environment (base/fpenv.h), and returns when all are done. Meanwhile all threads, the calling one
 * included, run on the processors of `where` (NULL: anywhere). Runs the items one by one on the calling thread, as
 * thread 0, if threads <= 1, inside the body of another call, or if carom_parallel_run() declines. */
void carom_parallel_for(unsigned threads, const affinity *where, size_t items, parallel_body *body, void *argument);

/* ---- how many threads can run at the same time ---- */

/* The number of hardware threads on which the calling thread may run, or carom_quota_threads() if that is smaller; at
 * least 1. Allocates nothing. */
unsigned carom_processors(void);

/* The number of threads that the quotas of the process's control groups allow, rounded up; PARALLEL_MAX_THREADS if
 * there are none. `root` is a prefix for the paths of the system's files, "" except in tests. */
unsigned carom_quota_threads(const char *root);

/* ---- defined by each of pool.c, openmp.c and alone.c ---- */

/* Runs the items on 2 <= threads <= items threads. False if it declines, without having run any. */
bool carom_parallel_run(unsigned threads, const affinity *where, size_t items, parallel_body *body, void *argument);

/* The largest useful number of threads, regardless of the number of processors; at least 1. */
unsigned carom_parallel_limit(void);

#endif
