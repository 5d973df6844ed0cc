/* SPDX-License-Identifier: MIT
 * Processor affinity: the set of processors that carom_worlds_desc.affinity lists, and moving threads to it and back.
 * On systems other than Linux no set can be made, and the other functions do nothing. */
#ifndef CAROM_BASE_AFFINITY_H
#define CAROM_BASE_AFFINITY_H

#include <carom/base.h>

#include <stdbool.h>
#include <stddef.h>

#define AFFINITY_PROCESSORS 8192 /* enough for the largest machines; a multiple of the bits of a word */

/* One bit per processor, in the format of the system's calls. */
typedef struct affinity {
    unsigned long mask[AFFINITY_PROCESSORS / (8 * sizeof(unsigned long))];
} affinity;

/* Makes the set of a list, with the checks of carom_affinity_check(). Empty after an error. */
carom_status carom_affinity_make(const unsigned *processors, size_t count, affinity *made, carom_problem *problem);

/* Checks the list of a batch (NULL and 0: no list). If *threads is 0, sets the default: one thread per listed
 * processor, or carom_threads(). */
carom_status carom_affinity_threads(const unsigned *processors, size_t count, unsigned *threads);

/* The set of a list in a block from malloc(); NULL after an error. */
carom_status carom_affinity_create(const unsigned *processors, size_t count, affinity **made);

/* The processors on which the calling thread may run now; empty if the system does not report them. */
void carom_affinity_get(affinity *now);

/* Restricts the calling thread to these processors. If the system no longer allows it, nothing changes. */
void carom_affinity_set(const affinity *to);

bool carom_affinity_equal(const affinity *a, const affinity *b);

/* For work on a caller's own thread: restricts it to `to` (NULL: anywhere) and saves the previous set in *before. False
 * if nothing had to be changed; otherwise carom_affinity_set(before) restores it. */
bool carom_affinity_enter(const affinity *to, affinity *before);

/* The number of processors in the set. */
size_t carom_affinity_count(const affinity *set);

#endif
