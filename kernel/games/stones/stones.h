/* SPDX-License-Identifier: MIT
 * stones inside the library: the game's constants, and what its kernel offers to its host side.
 */
#ifndef CAROM_GAMES_STONES_STONES_H
#define CAROM_GAMES_STONES_STONES_H

#include <carom/stones.h>

#include "games/game.h"
#include "games/stones/tile.h"

#define STONES_MAX_SPEED 40.0
#define STONES_STOP_SPEED 0.01
#define STONES_LEAST_SPEED 9.31322574615478515625e-10 /* of a push: 2^-30 */
#define STONES_SHRINK 0.95
#define STONES_SWEEPS 10
#define STONES_ATTEMPTS 20 /* stones that are tried one after the other because each stands in the way */
#define STONES_COURSE 524288.0
#define STONES_CURVE 1024.0
#define STONES_RANGE_F64 67108864.0
#define STONES_RANGE_F32 131072.0
#define STONES_START_RADIUS 20.0
#define STONES_START_FRICTION 0.9

/* The `purpose` of the streams of base/random.h that stones draws from. */
enum { STONES_DRAW_GAME = 1, STONES_DRAW_POLICY };

enum { STONES_PUSH, STONES_ENGINE, STONES_NORMALISED, STONES_KINDS };

/* What a batch shares: its options, checked. */
typedef carom_stones_options stones_context;

void carom_stones_policy(const carom_worlds *worlds, const void *tile, unsigned lane, size_t policy, size_t kind,
                         void *actions);

/* The kernel, with the operations on single worlds that the host side borrows from width 1. */
typedef struct stones_kernel {
    game_kernel game; /* first */
    void (*start)(const stones_context *context, uint64_t seed, void *tile, unsigned lane);
    bool (*check)(const stones_context *context, const void *tile, unsigned lane);
    void (*derive)(void *tile, unsigned lane);
} stones_kernel;

/* Bytes of stones_group in the kernel, for every width: checked there. */
#define STONES_SCRATCH_BYTES ((size_t)48 * 1024)

#endif
