/* SPDX-License-Identifier: MIT
 * What a world of csb holds: one list, from which the field table and the tile that kernels see are both made.
 */
#ifndef CAROM_GAMES_CSB_TILE_H
#define CAROM_GAMES_CSB_TILE_H

#include "worlds/type.h"

#define CSB_PODS 4

/* X(name, count, role). cx, cy: the pod's next checkpoint, kept beside it so that a tick looks nothing up. */
#define CSB_REAL_FIELDS(X)                                                                                             \
    X(x, CSB_PODS, STATE)                                                                                              \
    X(y, CSB_PODS, STATE)                                                                                              \
    X(vx, CSB_PODS, STATE)                                                                                             \
    X(vy, CSB_PODS, STATE)                                                                                             \
    X(angle, CSB_PODS, STATE)                                                                                          \
    X(cx, CSB_PODS, DERIVED)                                                                                           \
    X(cy, CSB_PODS, DERIVED)
#define CSB_INT32_FIELDS(X) X(map, 1, PARAMETER)
#define CSB_INT16_FIELDS(X) X(next, CSB_PODS, STATE) X(timeout, 2, STATE)
#define CSB_INT8_FIELDS(X)                                                                                             \
    X(shield, CSB_PODS, STATE) X(boosted, CSB_PODS, STATE) X(won, CSB_PODS, STATE) X(winner, 1, STATE)

/* struct name { real x[4][16]; ... }: a tile whose reals are of C type `real_type`. */
#define CSB_ROWS_real(name, count, role) CSB_ROW_REAL name[count][CAROM_TILE];
#define CSB_ROWS_int32(name, count, role) int32_t name[count][CAROM_TILE];
#define CSB_ROWS_int16(name, count, role) int16_t name[count][CAROM_TILE];
#define CSB_ROWS_int8(name, count, role) int8_t name[count][CAROM_TILE];
#define CSB_TILE_ROWS                                                                                                  \
    CSB_REAL_FIELDS(CSB_ROWS_real)                                                                                     \
    WORLD_INT32_FIELDS(CSB_ROWS_int32)                                                                                 \
    CSB_INT32_FIELDS(CSB_ROWS_int32)                                                                                   \
    CSB_INT16_FIELDS(CSB_ROWS_int16)                                                                                   \
    WORLD_INT8_FIELDS(CSB_ROWS_int8)                                                                                   \
    CSB_INT8_FIELDS(CSB_ROWS_int8)

#define CSB_ROW_REAL float
typedef struct csb_tile_f32 {
    CSB_TILE_ROWS
} csb_tile_f32;
#undef CSB_ROW_REAL
#define CSB_ROW_REAL double
typedef struct csb_tile_f64 {
    CSB_TILE_ROWS
} csb_tile_f64;
#undef CSB_ROW_REAL

#endif
