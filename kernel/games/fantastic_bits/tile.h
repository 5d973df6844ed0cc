/* SPDX-License-Identifier: MIT
 * What a world of fantastic_bits holds: one list, from which the field table and the tile that kernels see are both
 * made.
 */
#ifndef CAROM_GAMES_FANTASTIC_BITS_TILE_H
#define CAROM_GAMES_FANTASTIC_BITS_TILE_H

#include <stdalign.h>

#include "worlds/type.h"

#define FB_BODIES 13
#define FB_WIZARDS 4
#define FB_SNAFFLES 7
#define FB_BLUDGERS 2
#define FB_SPELLS 4

/* X(name, count, role). */
#define FB_REAL_FIELDS(X) X(x, FB_BODIES, STATE) X(y, FB_BODIES, STATE) X(vx, FB_BODIES, STATE) X(vy, FB_BODIES, STATE)
#define FB_INT8_FIELDS(X)                                                                                              \
    X(hold, FB_WIZARDS, STATE)                                                                                         \
    X(wait, FB_WIZARDS, STATE)                                                                                         \
    X(countdown, FB_WIZARDS *FB_SPELLS, STATE)                                                                         \
    X(target, FB_WIZARDS *FB_SPELLS, STATE)                                                                            \
    X(cast, FB_WIZARDS, STATE)                                                                                         \
    X(cast_target, FB_WIZARDS, STATE)                                                                                  \
    X(alive, FB_SNAFFLES, STATE)                                                                                       \
    X(ignores, FB_SNAFFLES, STATE)                                                                                     \
    X(last, FB_BLUDGERS, STATE)                                                                                        \
    X(score, 2, STATE)                                                                                                 \
    X(mana, 2, STATE)                                                                                                  \
    X(winner, 1, STATE)                                                                                                \
    X(snaffles, 1, PARAMETER)

/* struct name { real x[13][16]; ... }: a tile whose reals are of C type FB_ROW_REAL. */
#define FB_ROWS_real(name, count, role) FB_ROW_REAL name[count][CAROM_TILE];
#define FB_ROWS_int32(name, count, role) int32_t name[count][CAROM_TILE];
#define FB_ROWS_int8(name, count, role) int8_t name[count][CAROM_TILE];
#define FB_TILE_ROWS                                                                                                   \
    FB_REAL_FIELDS(FB_ROWS_real)                                                                                       \
    WORLD_INT32_FIELDS(FB_ROWS_int32)                                                                                  \
    WORLD_INT8_FIELDS(FB_ROWS_int8)                                                                                    \
    FB_INT8_FIELDS(FB_ROWS_int8)

/* A tile's size is a multiple of its alignment. */
#define FB_ROW_REAL float
typedef struct fb_tile_f32 {
    alignas(64) FB_TILE_ROWS
} fb_tile_f32;
#undef FB_ROW_REAL
#define FB_ROW_REAL double
typedef struct fb_tile_f64 {
    alignas(64) FB_TILE_ROWS
} fb_tile_f64;
#undef FB_ROW_REAL

#endif
