/* SPDX-License-Identifier: MIT
 * What a world of soccer holds: one list, from which the field table and the tile that kernels see are both made.
 */
#ifndef CAROM_GAMES_SOCCER_TILE_H
#define CAROM_GAMES_SOCCER_TILE_H

#include <stdalign.h>

#include "worlds/type.h"

#define SOCCER_TEAM 11
#define SOCCER_ROBOTS 22
#define SOCCER_BALLS 4
#define SOCCER_BODIES 26

/* X(name, count, role). */
#define SOCCER_REAL_FIELDS(X)                                                                                          \
    X(x, SOCCER_BODIES, STATE)                                                                                         \
    X(y, SOCCER_BODIES, STATE)                                                                                         \
    X(vx, SOCCER_BODIES, STATE)                                                                                        \
    X(vy, SOCCER_BODIES, STATE)                                                                                        \
    X(angle, SOCCER_ROBOTS, STATE)                                                                                     \
    X(spin, SOCCER_ROBOTS, STATE)                                                                                      \
    X(hold_x, SOCCER_BALLS, STATE)                                                                                     \
    X(hold_y, SOCCER_BALLS, STATE)
#define SOCCER_INT32_FIELDS(X) X(ready, SOCCER_ROBOTS, STATE)
#define SOCCER_INT16_FIELDS(X) X(score, 2, STATE)
#define SOCCER_INT8_FIELDS(X) X(holder, SOCCER_BALLS, STATE) X(winner, 1, STATE)

/* struct name { real x[26][16]; ... }: a tile whose reals are of C type SOCCER_ROW_REAL. */
#define SOCCER_ROWS_real(name, count, role) SOCCER_ROW_REAL name[count][CAROM_TILE];
#define SOCCER_ROWS_int32(name, count, role) int32_t name[count][CAROM_TILE];
#define SOCCER_ROWS_int16(name, count, role) int16_t name[count][CAROM_TILE];
#define SOCCER_ROWS_int8(name, count, role) int8_t name[count][CAROM_TILE];
#define SOCCER_TILE_ROWS                                                                                               \
    SOCCER_REAL_FIELDS(SOCCER_ROWS_real)                                                                               \
    WORLD_INT32_FIELDS(SOCCER_ROWS_int32)                                                                              \
    SOCCER_INT32_FIELDS(SOCCER_ROWS_int32)                                                                             \
    SOCCER_INT16_FIELDS(SOCCER_ROWS_int16)                                                                             \
    WORLD_INT8_FIELDS(SOCCER_ROWS_int8)                                                                                \
    SOCCER_INT8_FIELDS(SOCCER_ROWS_int8)

/* A tile's size is a multiple of its alignment. */
#define SOCCER_ROW_REAL float
typedef struct soccer_tile_f32 {
    alignas(64) SOCCER_TILE_ROWS
} soccer_tile_f32;
#undef SOCCER_ROW_REAL
#define SOCCER_ROW_REAL double
typedef struct soccer_tile_f64 {
    alignas(64) SOCCER_TILE_ROWS
} soccer_tile_f64;
#undef SOCCER_ROW_REAL

#endif
