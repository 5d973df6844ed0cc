/* SPDX-License-Identifier: MIT
 * Processors that threads are kept on: the set that carom_worlds_desc.affinity lists, and how a thread comes to it and
 * back. On systems other than Linux no set can be made, and the other functions do nothing. */
#ifndef CAROM_BASE_AFFINITY_H
#define CAROM_BASE_AFFINITY_H

#include <carom/base.h>

#include <stdbool.h>
#include <stddef.h>

#define AFFINITY_PROCESSORS 8192 /* of the largest machines; a multiple of the bits of a word */

/* A bit for each processor, as the system's calls take them. */
typedef struct affinity {
    unsigned long mask[AFFINITY_PROCESSORS / (8 * sizeof(unsigned long))];
} affinity;

/* Makes the set of a list, which it checks as carom_affinity_check() does. Empty after an error. */
carom_status carom_affinity_make(const unsigned *processors, size_t count, affinity *made, carom_problem *problem);

/* Checks the list of a batch (NULL and 0: it has none). Where *threads is 0, it becomes the default: a thread for each
 * processor of the list, or carom_threads(). */
carom_status carom_affinity_threads(const unsigned *processors, size_t count, unsigned *threads);

/* The set of a list as a block from malloc(); NULL after an error. */
carom_status carom_affinity_create(const unsigned *processors, size_t count, affinity **made);

/* The processors on which the calling thread may run now; empty if the system does not say. */
void carom_affinity_get(affinity *now);

/* Keeps the calling thread on these processors. Where the system no longer allows it, the thread stays as it is. */
void carom_affinity_set(const affinity *to);

bool carom_affinity_equal(const affinity *a, const affinity *b);

/* Around the work that a caller's own thread does: keeps it on `to` (NULL: anywhere) and notes in *before where it was.
 * False if nothing had to be changed; otherwise carom_affinity_set(before) puts it back. */
bool carom_affinity_enter(const affinity *to, affinity *before);

/* The number of processors in the set. */
size_t carom_affinity_count(const affinity *set);

#endif
