/* SPDX-License-Identifier: MIT
 * A call that plays or observes worlds: games/step.c checks its carom_step and binds it, games/play.c plays it.
 */
#ifndef CAROM_GAMES_STEP_H
#define CAROM_GAMES_STEP_H

#include "games/driver.h"

/* Actions given by the caller: of one player with a separate array, or of several players that are adjacent in the rows
 * of the step's array. */
typedef struct play_given {
    const unsigned char *actions;   /* the caller's, from the first of these numbers on */
    size_t row_bytes;               /* of a row of this array */
    uint32_t numbers, number_bytes; /* numbers of a row; bytes of each */
    size_t at;                      /* where they begin in a world's actions, in bytes */
} play_given;

/* A call, checked and bound. Read-only while it is played: all threads share it. */
typedef struct play {
    drive d;
    carom_worlds *worlds;                /* the batch that is played */
    const carom_step *step;              /* the caller's */
    size_t first, count;                 /* worlds of the call */
    size_t first_tile, end;              /* tiles that hold them: [first_tile, end) */
    size_t run;                          /* tiles that a thread plays together; 1 where worlds are large */
    carom_at_end at_end;                 /* never CAROM_AS_MADE */
    const carom_worlds *parents;         /* trees: the batch from which the worlds are first copied; otherwise NULL */
    const size_t *from;                  /* [world of the call]: its parent; NULL: the same number as in the batch */
    play_given given[CAROM_MAX_PLAYERS]; /* [given_count] */
    uint32_t given_count;
    bool zeros;              /* some actions are 0: clear the block before writing others */
    size_t action_rows;      /* of a step, in the caller's arrays of actions */
    size_t observation_rows; /* of a step, in the caller's arrays of observations */
    bool streams;            /* observations exceed the caches: bypass them */
} play;

/* Checks a step that plays, and fills *p. An error is noted in the batch: carom_worlds_problem(). */
carom_status carom_play_ask(play *p, carom_worlds *worlds, const carom_step *step);

/* Checks a step that only writes observations of the worlds as they are, and fills *p. An error is noted in the
 * batch. */
carom_status carom_play_ask_seen(play *p, carom_worlds *worlds, const carom_step *step);

/* Checks the parents of a tree step and adds them to *p, which carom_play_ask() has filled. */
carom_status carom_play_ask_parents(play *p, const carom_worlds *parents, const size_t *from);

/* May ticks of this game have length dt? 0 means the game's own, which is always allowed. */
bool carom_play_takes_dt(const carom_game *game, carom_precision precision, double dt);

#endif
