/* SPDX-License-Identifier: MIT
 * What the games' parts of `carom verify` share: counting, comparing, and the table that names them.
 */
#ifndef CAROM_TOOLS_VERIFY_H
#define CAROM_TOOLS_VERIFY_H

#include "command.h"

#define VERIFY_BATCH CAROM_TILE /* traces played at once, each in a world of its own: every lane of a tile is used */

typedef struct tally {
    size_t traces, turns, mismatches;
} tally;

/* Where a number stands, for messages. */
typedef struct place {
    tally *count;
    const char *file;
    const char *when; /* "start", "turn 3" */
    char who[32];     /* "pod 2" */
} place;

/* Counts a mismatch unless the two are equal, and prints the first ones. -0 and 0 count as equal. */
void carom_verify_compare(const place *at, const char *field, double expected, double found);

/* The same, for numbers that need only agree within `tolerance`, relatively. */
void carom_verify_compare_near(const place *at, const char *field, double expected, double found, double tolerance);

/* Dies if a call has failed. */
void carom_verify_demand(carom_status status, const char *doing);

/* Reads up to VERIFY_BATCH files (NULL ends the list), plays and compares them. */
typedef void carom_verify_batch(char **files, carom_isa isa, tally *count);
carom_verify_batch carom_verify_stones;

#endif
