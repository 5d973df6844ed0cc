/* SPDX-License-Identifier: MIT
 * The file of a ladder, and the state of a climb.
 *
 * Without a state the ladder's file is written after every piece of a match. With one (--state) it stays as it was
 * until the side has its place; meanwhile the state holds the ladder with the matches so far, the position at which the
 * climb began, and the bytes of the file of results. So a climb that was killed leaves the same files in the end.
 */
#ifndef CAROM_TOOLS_ARENA_LADDER_FILE_H
#define CAROM_TOOLS_ARENA_LADDER_FILE_H

#include "../command/json_read.h"
#include "arena.h"

#define MOST_RUNGS 256

typedef struct ladder_match {
    const char *a, *b;
    uint64_t wins[2], draws, digest;
    arena_sprt sprt; /* the points are a's */
} ladder_match;

typedef struct ladder {
    const char *rungs[MOST_RUNGS]; /* strongest first */
    size_t rung_count;
    ladder_match *matches;
    size_t match_count, match_room;
    size_t place;       /* at which the climb began */
    uint64_t bytes;     /* of the file of results, so far */
    json_value *file;   /* owns the texts; NULL: there was no file */
    uint64_t was;       /* a hash of the ladder's file before the climb; 0: there was none */
    bool resumed, done; /* the climb continues from a state; and had ended */
} ladder;

ladder_match *carom_ladder_add_match(ladder *l, const char *a, const char *b);

/* Reads the ladder's file, if there is one; dies if it is of another ladder. */
ladder carom_ladder_load(const arena_options *options);

/* Continues from options->state, if there is one: replaces the ladder, or sets only `done` if the side has been added
 * to the file since. Dies if the state is of another climb, or the ladder has changed without it. */
void carom_ladder_resume(const arena_options *options, ladder *l);

/* Saves the ladder during a climb. */
void carom_ladder_keep(const arena_options *options, const ladder *l);

/* Saves it at the end of a climb. */
void carom_ladder_end(const arena_options *options, ladder *l);

void carom_ladder_free(ladder *l);

#endif
