/* SPDX-License-Identifier: MIT
 * A call that plays or observes worlds: what its carom_step asks for, checked and bound (games/step.c); games/play.c
 * plays it.
 */
#ifndef CAROM_GAMES_STEP_H
#define CAROM_GAMES_STEP_H

#include "games/driver.h"

/* Actions that a caller gives: those of one player, or of several who stand side by side in a row. */
typedef struct play_given {
    const unsigned char *actions; /* NULL: all are 0 */
    size_t row_bytes;
    uint32_t numbers, number_bytes; /* of a row */
    size_t at;                      /* where they belong in a world's actions, in bytes */
} play_given;

typedef struct play {
    drive d;
    carom_worlds *worlds;
    const carom_step *step;
    size_t first, count;    /* worlds */
    size_t first_tile, end; /* tiles that hold them */
    size_t run;             /* tiles; 1 where worlds are large */
    carom_at_end at_end;
    const carom_worlds *parents;         /* from which the worlds are copied first; NULL: they are there */
    const size_t *from;                  /* [world of the call] */
    play_given given[CAROM_MAX_PLAYERS]; /* [given_count] */
    uint32_t given_count;
    bool zeros;              /* some actions are 0 */
    size_t action_rows;      /* of a step */
    size_t observation_rows; /* of a step */
    bool streams;            /* observations are too many for the caches */
} play;

/* Fills *p; an error is noted in the batch. */
carom_status carom_play_ask(play *p, carom_worlds *worlds, const carom_step *step);

/* The same for a call that plays nothing, and writes step->observations. */
carom_status carom_play_ask_seen(play *p, carom_worlds *worlds, const carom_step *step);

/* The worlds come from `parents`, those that `from` lists. After carom_play_ask(). */
carom_status carom_play_ask_parents(play *p, const carom_worlds *parents, const size_t *from);

/* May ticks have this length? 0 stands for the game's own. */
bool carom_play_takes_dt(const carom_game *game, carom_precision precision, double dt);

#endif
