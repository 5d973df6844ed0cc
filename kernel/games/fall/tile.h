/* SPDX-License-Identifier: MIT
 * What a world of fall holds: one list, from which the field table and the tile that kernels see are both made.
 */
#ifndef CAROM_GAMES_FALL_TILE_H
#define CAROM_GAMES_FALL_TILE_H

#include <stdalign.h>

#include "worlds/type.h"

#define FALL_CIRCLES 64
#define FALL_PASTS 32

/* X(name, count, role). */
#define FALL_REAL_FIELDS(X)                                                                                            \
    X(x, FALL_CIRCLES, STATE)                                                                                          \
    X(y, FALL_CIRCLES, STATE)                                                                                          \
    X(vx, FALL_CIRCLES, STATE)                                                                                         \
    X(vy, FALL_CIRCLES, STATE)                                                                                         \
    X(wait, 1, STATE)                                                                                                  \
    X(at, 2, STATE)                                                                                                    \
    X(past_age, FALL_PASTS, STATE)                                                                                     \
    X(past_x, FALL_PASTS, STATE)                                                                                       \
    X(past_y, FALL_PASTS, STATE)
#define FALL_INT8_FIELDS(X)                                                                                            \
    X(who, 3, STATE) X(pasts, 1, STATE) X(past_a, FALL_PASTS, STATE) X(past_b, FALL_PASTS, STATE)

/* struct name { real x[64][16]; ... }: a tile whose reals are of C type FALL_ROW_REAL. */
#define FALL_ROWS_real(name, count, role) FALL_ROW_REAL name[count][CAROM_TILE];
#define FALL_ROWS_int32(name, count, role) int32_t name[count][CAROM_TILE];
#define FALL_ROWS_int8(name, count, role) int8_t name[count][CAROM_TILE];
#define FALL_TILE_ROWS                                                                                                 \
    FALL_REAL_FIELDS(FALL_ROWS_real)                                                                                   \
    WORLD_INT32_FIELDS(FALL_ROWS_int32)                                                                                \
    WORLD_INT8_FIELDS(FALL_ROWS_int8)                                                                                  \
    FALL_INT8_FIELDS(FALL_ROWS_int8)

/* A tile's size is a multiple of its alignment. */
#define FALL_ROW_REAL float
typedef struct fall_tile_f32 {
    alignas(64) FALL_TILE_ROWS
} fall_tile_f32;
#undef FALL_ROW_REAL
#define FALL_ROW_REAL double
typedef struct fall_tile_f64 {
    alignas(64) FALL_TILE_ROWS
} fall_tile_f64;
#undef FALL_ROW_REAL

#endif
