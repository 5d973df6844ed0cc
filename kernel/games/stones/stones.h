/* SPDX-License-Identifier: MIT
 * stones inside the library: the game's constants, and what its files offer to each other.
 */
#ifndef CAROM_GAMES_STONES_STONES_H
#define CAROM_GAMES_STONES_STONES_H

#include <carom/stones.h>

#include "games/game.h"
#include "games/stones/state.h"

#define STONES_MAX_SPEED 40.0
#define STONES_STOP_SPEED 0.01
#define STONES_LEAST_SPEED 9.31322574615478515625e-10 /* of a push: 2^-30 */
#define STONES_SHRINK 0.95
#define STONES_SWEEPS 10
#define STONES_ATTEMPTS 20 /* stones that are tried one after the other because each stands in the way */

/* What a world may hold. */
#define STONES_COURSE 524288.0
#define STONES_CURVE 1024.0
#define STONES_RANGE_F64 67108864.0
#define STONES_RANGE_F32 131072.0
#define STONES_LEAST 0.0009765625 /* radius, power, friction */
#define STONES_MOST_RADIUS 65536.0
#define STONES_MOST_POWER 1024.0
#define STONES_MOST_FRICTION 0.99999904632568359375

/* The start of a game: player 0's block of stones, four in a column, on the left. */
#define STONES_START_RADIUS 20.0
#define STONES_START_FRICTION 0.9
#define STONES_START_COLUMN 4
#define STONES_START_LEFT (-140) /* centre of the first column, and of its first stone */
#define STONES_START_TOP (-90)
#define STONES_START_APART 60
#define STONES_START_POWERS 3    /* 1 .. 3 */
#define STONES_START_JITTER 2048 /* in steps of 1/256, to either side */

/* What is 1 in observations. */
#define STONES_SEEN_FAR 400.0
#define STONES_SEEN_SPEED 40.0
#define STONES_SEEN_RADIUS 40.0
#define STONES_SEEN_POWER 3.0

/* The `purpose` of the streams of base/random.h that stones draws from. */
enum { STONES_DRAW_GAME = 1, STONES_DRAW_POLICY };

/* Kinds of action, and the numbers of a push. */
enum { STONES_PUSH, STONES_ENGINE, STONES_NORMALISED, STONES_KINDS };
#define STONES_PUSH_SIZE 4

/* What a batch shares: its options, checked. */
typedef carom_stones_options stones_context;

#endif
