/* SPDX-License-Identifier: MIT
 * What a world of stones holds: one list, from which the field table and the tile that kernels see are both made.
 */
#ifndef CAROM_GAMES_STONES_TILE_H
#define CAROM_GAMES_STONES_TILE_H

#include "worlds/type.h"

#define STONES_MAX 32

/* X(name, count, role) */
#define STONES_REAL_FIELDS(X)                                                                                          \
    X(px, STONES_MAX, STATE)                                                                                           \
    X(py, STONES_MAX, STATE)                                                                                           \
    X(radius, STONES_MAX, PARAMETER)                                                                                   \
    X(power, STONES_MAX, PARAMETER)                                                                                    \
    X(friction, STONES_MAX, PARAMETER)                                                                                 \
    X(speed, STONES_MAX, STATE)                                                                                        \
    X(course, STONES_MAX, STATE)                                                                                       \
    X(unused, STONES_MAX, STATE)                                                                                       \
    X(curve, STONES_MAX, STATE)                                                                                        \
    X(shot_course, STONES_MAX, STATE)                                                                                  \
    X(origin_x, STONES_MAX, STATE)                                                                                     \
    X(origin_y, STONES_MAX, STATE)                                                                                     \
    X(shot_distance, STONES_MAX, STATE)                                                                                \
    X(shot_traveled, STONES_MAX, STATE)                                                                                \
    X(next_x, STONES_MAX, STATE)                                                                                       \
    X(next_y, STONES_MAX, STATE)                                                                                       \
    X(course_cos, STONES_MAX, DERIVED)                                                                                 \
    X(course_sin, STONES_MAX, DERIVED)
#define STONES_INT8_FIELDS(X)                                                                                          \
    X(shot, STONES_MAX, STATE) X(in_play, STONES_MAX, STATE) X(sweeps, 1, STATE) X(winner, 1, STATE)

/* struct name { real px[32][16]; ... }: a tile whose reals are of C type STONES_ROW_REAL. Tiles lie in memory at
 * multiples of 64 bytes, and these rows alone would be no multiple. */
#define STONES_ALIGNED __attribute__((aligned(64)))
#define STONES_ROWS_real(name, count, role) STONES_ROW_REAL name[count][CAROM_TILE];
#define STONES_ROWS_int32(name, count, role) int32_t name[count][CAROM_TILE];
#define STONES_ROWS_int8(name, count, role) int8_t name[count][CAROM_TILE];
#define STONES_TILE_ROWS                                                                                               \
    STONES_REAL_FIELDS(STONES_ROWS_real)                                                                               \
    WORLD_INT32_FIELDS(STONES_ROWS_int32)                                                                              \
    WORLD_INT8_FIELDS(STONES_ROWS_int8)                                                                                \
    STONES_INT8_FIELDS(STONES_ROWS_int8)

#define STONES_ROW_REAL float
typedef struct STONES_ALIGNED stones_tile_f32{STONES_TILE_ROWS} stones_tile_f32;
#undef STONES_ROW_REAL
#define STONES_ROW_REAL double
typedef struct STONES_ALIGNED stones_tile_f64{STONES_TILE_ROWS} stones_tile_f64;
#undef STONES_ROW_REAL

#endif
