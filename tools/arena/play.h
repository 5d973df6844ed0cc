/* SPDX-License-Identifier: MIT
 * What the files of an arena that play games share: a job, and the two ways to play.
 */
#ifndef CAROM_TOOLS_ARENA_PLAY_H
#define CAROM_TOOLS_ARENA_PLAY_H

#include "lines.h"
#include "results.h"

#include <pthread.h>

typedef struct arena_job {
    const arena_options *options;
    arena_result *result;
    const protocol *speech; /* of programs; NULL: Carom's lines */
    lines_protocol lines;
    unsigned seats;       /* players of the game */
    size_t kind;          /* of action: `referee` in games with a contest's protocol, else `normalised` */
    size_t part;          /* bytes of an action of a player */
    uint64_t next;        /* the next game of those played one at a time, over all pairings */
    uint64_t done, total; /* games */
    uint64_t all;         /* games of the run that this is a piece of */
    pthread_mutex_t lock; /* of the result */
} arena_job;

/* Whether the side needs games one at a time: programs, and searches limited by time. */
static inline bool arena_one_by_one(const arena_side *side)
{
    return side->command != NULL || (side->searches && side->plan.search.milliseconds > 0);
}

/* Creates the worlds of the starts from `start` on. */
carom_worlds *carom_arena_worlds(const arena_options *options, uint64_t start, size_t count, unsigned threads);

/* Plays game `number` of the pairing and passes its record to carom_arena_take(); false if interrupted. */
bool carom_arena_play_game(arena_job *job, const arena_pairing *pairing, uint64_t number);

/* Plays all starts of the job in lanes; both sides must be built in. */
void carom_arena_play_lanes(arena_job *job, const arena_pairing *pairing);

/* Counts the record of a finished game, or keeps it if the result keeps records. Any thread may call it. */
void carom_arena_take(arena_job *job, arena_record *record);

#endif
