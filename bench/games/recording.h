/* SPDX-License-Identifier: MIT
 * Games of csb played by a built-in policy, for benchmarks to replay, so that they time the simulation and not the
 * policy. Also their replay in plain C (tests/games/csb/csb_reference.h), world by world.
 */
#ifndef CAROM_BENCH_GAMES_RECORDING_H
#define CAROM_BENCH_GAMES_RECORDING_H

#include <carom/carom.h>

#include "tests/games/csb/csb_reference.h"

#define GAMES 128 /* of most recordings: over all maps; a multiple of the tile, so that neighbours in a tile differ */
#define TICKS 512 /* recorded; a game that ends restarts on its next map */

/* Ticks at which the states are kept. */
typedef enum mark { MARK_START, MARK_MIDDLE, MARK_LATER, MARK_END, MARKS } mark;

typedef struct recording {
    size_t games;
    size_t policy, kind; /* indices into those of csb */
    carom_precision precision;
    /* The rest is made by carom_recording_make(). */
    carom_worlds *at[MARKS]; /* [games] */
    unsigned char *actions;  /* [TICKS][games][player][number] */
    size_t row_bytes;        /* of one world's actions of a tick */
    int32_t *maps;           /* [TICKS + 1][games]: the map that is played before the tick */
    csb_ref_map *plain_maps; /* those of the batches, by index */
} recording;

/* Plays the games, unless that is done. Dies of errors. */
void carom_recording_make(recording *r);

size_t carom_recording_tick(mark at); /* 0, 256, 320, TICKS */

/* The options of a recording's batches, except count, threads and instruction set. */
carom_worlds_desc carom_recording_desc(const recording *r);

/* World `index` of a batch in f64, as plain C has it. */
void carom_plain_read(csb_ref_world *world, const carom_worlds *worlds, size_t index);

/* The map that it is played on. */
const csb_ref_map *carom_plain_map(const recording *r, const carom_worlds *worlds, size_t index);

/* Plays ticks [first, end) of game `game` in plain C. actions: those of the game alone, [tick - first][row_bytes]. */
void carom_plain_play(csb_ref_world *world, const recording *r, size_t game, size_t first, size_t end,
                      const unsigned char *actions);

#endif
