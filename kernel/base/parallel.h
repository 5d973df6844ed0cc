/* SPDX-License-Identifier: MIT
 * Threads. Only parallel.c knows OpenMP. */
#ifndef CAROM_BASE_PARALLEL_H
#define CAROM_BASE_PARALLEL_H

#include <stddef.h>

#define PARALLEL_MAX_THREADS 1024u /* more are never started: a runtime that cannot start a thread ends the process */

/* The work of one item; `thread` < the number of threads asked for, and no two calls at a time have the same. */
typedef void parallel_body(void *argument, size_t item, unsigned thread);

/* Calls body for every item in [0, items), each once, in any order, on at most `threads` threads, in the default
 * floating-point environment (base/fpenv.h), and returns when all are done. Serial, on the calling thread as thread 0,
 * if threads <= 1, inside another parallel region, in a build without OpenMP, and in the child of a fork(): see
 * parallel.c. */
void carom_parallel_for(unsigned threads, size_t items, parallel_body *body, void *argument);

#endif
