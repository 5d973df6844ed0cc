/* SPDX-License-Identifier: MIT
 * Threads. Who runs the pieces of a call is chosen when the library is built (meson's option `threads`): a pool of
 * Carom's own (pool.c), OpenMP (openmp.c), or the caller alone (alone.c). */
#ifndef CAROM_BASE_PARALLEL_H
#define CAROM_BASE_PARALLEL_H

#include <carom/base.h>

#include <stdbool.h>
#include <stddef.h>

#define PARALLEL_MAX_THREADS ((unsigned)CAROM_MAX_THREADS)

/* The work of one item; `thread` < the number of threads asked for, and no two calls at a time have the same. */
typedef void parallel_body(void *argument, size_t item, unsigned thread);

/* Calls body for every item in [0, items), each once, in any order, on at most `threads` threads, in the default
 * floating-point environment (base/fpenv.h), and returns when all are done. Serial, on the calling thread as thread 0,
 * if threads <= 1, inside another call's body, and wherever carom_parallel_run() says no. */
void carom_parallel_for(unsigned threads, size_t items, parallel_body *body, void *argument);

/* ---- what pool.c, openmp.c and alone.c give ---- */

/* The same for 2 <= threads <= items; false: nothing has been done, the caller is to do it alone. */
bool carom_parallel_run(unsigned threads, size_t items, parallel_body *body, void *argument);

/* The most threads that are worth asking for, processors aside; at least 1. */
unsigned carom_parallel_limit(void);

#endif
