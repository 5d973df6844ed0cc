/* SPDX-License-Identifier: MIT
 * Comparing and counting for `carom verify`.
 */
#ifndef CAROM_TOOLS_VERIFY_VERIFY_H
#define CAROM_TOOLS_VERIFY_VERIFY_H

#include "../command/command.h"
#include "fall_trace.h"

typedef struct tally {
    size_t traces, turns, mismatches;
} tally;

/* The location of a number, for messages. */
typedef struct place {
    tally *count;
    const char *file;
    char when[32]; /* "start", "turn 3" */
    char who[48];  /* "pod 2" */
} place;

/* Bit for bit: 0 and -0 differ. `field` may be NULL. */
void verify_compare(const place *at, const char *field, double expected, double found);

/* Plays a trace of fall in all CAROM_TILE worlds of a batch. */
void verify_fall(const char *file, const fall_trace *trace, carom_worlds *worlds, tally *count);

#endif
