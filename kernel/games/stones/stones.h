/* SPDX-License-Identifier: MIT
 * stones inside the library: the game's constants, the fields of a world, and the options of a batch.
 */
#ifndef CAROM_GAMES_STONES_STONES_H
#define CAROM_GAMES_STONES_STONES_H

#include <carom/stones.h>

#include "games/game.h"

/* Speeds in pixels a tick. */
#define STONES_MAX_SPEED 40.0
#define STONES_STOP_SPEED 0.01                        /* below it a stone stops */
#define STONES_LEAST_SPEED 9.31322574615478515625e-10 /* of a push: 2^-30 */
#define STONES_SHRINK 0.95 /* share of its distance that a striker goes if rounding made it overlap */
#define STONES_SWEEPS 10   /* at most, in a tick */
#define STONES_ATTEMPTS 20 /* length of a chain of stones, each in the path of the previous one */

/* Valid states: largest absolute values, and bounds of a stone's parameters. */
#define STONES_COURSE 524288.0
#define STONES_CURVE 1024.0
#define STONES_RANGE_F64 67108864.0
#define STONES_RANGE_F32 131072.0
#define STONES_LEAST 0.0009765625 /* of radius, power and friction: 2^-10 */
#define STONES_MOST_RADIUS 65536.0
#define STONES_MOST_POWER 1024.0
#define STONES_MOST_FRICTION 0.99999904632568359375 /* 1 - 2^-20 */

/* The start of a game: player 0's block of stones, four in a column, on the left. */
#define STONES_START_RADIUS 20.0
#define STONES_START_FRICTION 0.9
#define STONES_START_COLUMN 4
#define STONES_START_LEFT (-140) /* centre of the first column, and of its first stone */
#define STONES_START_TOP (-90)
#define STONES_START_APART 60
#define STONES_START_POWERS 3    /* 1 .. 3 */
#define STONES_START_JITTER 2048 /* in steps of 1/256, to either side */

/* The values shown as 1 in observations. */
#define STONES_SEEN_FAR 400.0
#define STONES_SEEN_SPEED 40.0
#define STONES_SEEN_RADIUS 40.0
#define STONES_SEEN_POWER 3.0

/* The `purpose` of each random stream (base/random.h) that the game draws from. */
enum { STONES_DRAW_GAME = 1, STONES_DRAW_POLICY };

/* Kinds of action, and the numbers of a push: stone, course, speed, curve. */
enum { STONES_PUSH, STONES_ENGINE, STONES_NORMALISED, STONES_KINDS };
#define STONES_PUSH_SIZE 4

#define STONES_MAX 32 /* stones of a world */

/* Fields as (name, count, role); include/carom/stones.h gives their meaning and units. course_cos and course_sin are
 * derived from course. */
#define STONES_FIELDS(REAL, INT32, INT16, INT8)                                                                        \
    REAL(px, STONES_MAX, STATE)                                                                                        \
    REAL(py, STONES_MAX, STATE)                                                                                        \
    REAL(radius, STONES_MAX, PARAMETER)                                                                                \
    REAL(power, STONES_MAX, PARAMETER)                                                                                 \
    REAL(friction, STONES_MAX, PARAMETER)                                                                              \
    REAL(speed, STONES_MAX, STATE)                                                                                     \
    REAL(course, STONES_MAX, STATE)                                                                                    \
    REAL(unused, STONES_MAX, STATE)                                                                                    \
    REAL(curve, STONES_MAX, STATE)                                                                                     \
    REAL(shot_course, STONES_MAX, STATE)                                                                               \
    REAL(origin_x, STONES_MAX, STATE)                                                                                  \
    REAL(origin_y, STONES_MAX, STATE)                                                                                  \
    REAL(shot_distance, STONES_MAX, STATE)                                                                             \
    REAL(shot_traveled, STONES_MAX, STATE)                                                                             \
    REAL(next_x, STONES_MAX, STATE)                                                                                    \
    REAL(next_y, STONES_MAX, STATE)                                                                                    \
    REAL(course_cos, STONES_MAX, DERIVED)                                                                              \
    REAL(course_sin, STONES_MAX, DERIVED)                                                                              \
    INT8(shot, STONES_MAX, STATE)                                                                                      \
    INT8(in_play, STONES_MAX, STATE)                                                                                   \
    INT8(sweeps, 1, STATE)                                                                                             \
    INT8(winner, 1, STATE)

/* Shared by a batch: its options, checked. */
typedef carom_stones_options stones_context;

#endif
