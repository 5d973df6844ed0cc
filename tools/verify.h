/* SPDX-License-Identifier: MIT
 * What the games' parts of `carom verify` share: each game brings one, which replays a few recorded games and compares
 * what they hold by verify_compare().
 */
#ifndef CAROM_TOOLS_VERIFY_H
#define CAROM_TOOLS_VERIFY_H

#include "command.h"

#define VERIFY_BATCH CAROM_TILE /* traces played at once, each in a lane of its own */
#define VERIFY_SHOWN 20         /* mismatches that are printed; all are counted */

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

/* Bit for bit: 0 and -0 differ. */
void verify_compare(const place *at, const char *field, double expected, double found);

/* The same, for numbers that need only agree within `tolerance`, relatively. */
void verify_compare_near(const place *at, const char *field, double expected, double found, double tolerance);

/* Dies unless the status is CAROM_OK. */
void verify_demand(carom_status status, const char *doing);

/* Field `name` of worlds [0, count). */
void verify_get(const carom_worlds *worlds, const char *name, size_t count, void *values);

/* A game's part: replays up to VERIFY_BATCH files (NULL behind the last one), adds to the tally; dies if one is no
 * trace. */
typedef void verify_batch(char **files, carom_isa isa, tally *count);

verify_batch verify_csb, verify_fall, verify_fantastic_bits, verify_stones;

#endif
