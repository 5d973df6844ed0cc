/* SPDX-License-Identifier: MIT
 * soccer inside the library: the game's constants, the options of a batch, and what its kernel offers to its host side.
 */
#ifndef CAROM_GAMES_SOCCER_SOCCER_H
#define CAROM_GAMES_SOCCER_SOCCER_H

#include <carom/soccer.h>

#include "games/game.h"
#include "games/soccer/tile.h"

#define SOCCER_WALL CAROM_SOCCER_WALL
#define SOCCER_NUMBERS CAROM_SOCCER_NUMBERS
#define SOCCER_RANGE 1024.0  /* of positions */
#define SOCCER_FAST 131072.0 /* of velocities */
#define SOCCER_TURN 4.0      /* of angles */
#define SOCCER_CANDIDATES (SOCCER_BODIES * (SOCCER_BODIES - 1) / 2 + SOCCER_BODIES)
#define SOCCER_MOST_SCORE 32767 /* where counting stops */

/* The `purpose` of the streams of base/random.h that the game draws from. */
enum { SOCCER_DRAW_KICKOFF = 1, SOCCER_DRAW_POLICY };

/* Number k of robot i of player p is element (11 p + i) SOCCER_NUMBERS + k. */
enum { SOCCER_NORMALISED, SOCCER_METRIC, SOCCER_KINDS };

/* The options of a batch, and what follows from them; read-only after its creation. */
typedef struct soccer_context {
    carom_soccer_options options;
    int team, robots, bodies; /* of a side, of both, with balls */
    int32_t reset;            /* ticks between kicks */
    double dt, front;         /* front: cosine of the arc */
    /* What may hit what, in the order of the tie rule: body `first` and body `second`, or SOCCER_WALL for any wall. */
    int candidates;
    uint8_t first[SOCCER_CANDIDATES], second[SOCCER_CANDIDATES];
} soccer_context;

size_t carom_soccer_context_bytes(const carom_worlds_desc *desc);
carom_status carom_soccer_context_create(const carom_worlds_desc *desc, void **result);
void carom_soccer_context_destroy(void *any);
uint64_t carom_soccer_context_hash(const void *any);

void carom_soccer_policy(const carom_worlds *worlds, const void *tile, unsigned lane, size_t policy, size_t kind,
                         void *actions);

/* The kernel, with the operations on single worlds that the host side borrows from width 1. */
typedef struct soccer_kernel {
    game_kernel game; /* first */
    void (*start)(const soccer_context *context, uint64_t seed, void *tile, unsigned lane);
    bool (*check)(const soccer_context *context, const void *tile, unsigned lane);
} soccer_kernel;

/* Bytes of soccer_scratch in the kernel, for every width: checked there. */
#define SOCCER_SCRATCH_BYTES ((size_t)512 * 1024)

#endif
