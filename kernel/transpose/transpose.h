/* SPDX-License-Identifier: MIT
 * Transposition between the caller's world-major rows and lane-major tiles of [element][16], and random numbers in such
 * tiles. Independent of games and precisions; compiled once per instruction set.
 */
#ifndef CAROM_TRANSPOSE_TRANSPOSE_H
#define CAROM_TRANSPOSE_TRANSPOSE_H

#include <carom/base.h>

#include <stdint.h>

#include "base/random.h"

/* Which random numbers to draw: in each lane those of one sequence of a root. */
typedef struct transpose_names {
    uint32_t key[2][16], tag[16]; /* of the root, see base/random.h */
    uint32_t sequence[16];
} transpose_names;

/* A block of normal random numbers: [number][lane]. */
#define TRANSPOSE_NORMALS 8
typedef float transpose_normals[TRANSPOSE_NORMALS][16];

/* Maps a normal number z to a number of an action: mean + sigma * z, clipped to the bounds. First z is moved towards 0
 * by `threshold`, or becomes 0 if |z| is smaller. */
typedef struct transpose_blend {
    const float *mean, *sigma;    /* [size] if all lanes share them, else lane-major [size][16] */
    bool mean_alike, sigma_alike; /* shared by all lanes; the mean only together with sigma */
    const float *low, *high;      /* [size]; NULL: -1 and 1 */
    float threshold;
    unsigned exact; /* bit l: lane l has the mean itself, as if its sigma were 0 */
} transpose_blend;

#define TRANSPOSE_ONCE SIZE_MAX /* for transpose_piece.twin: write the numbers once */

/* The destination of part of a tile: its elements from .. from + count - 1 are numbers `at` .. of the rows, and also
 * numbers `twin` .., unless that is TRANSPOSE_ONCE. */
typedef struct transpose_piece {
    uint32_t from, count;
    size_t at, twin;
} transpose_piece;

typedef struct transpose_kernel {
    /* Packs 16 rows of `size` numbers of 4 or 8 bytes into a lane-major tile, 64-byte aligned. */
    void (*pack)(void *lanes, const void *const *rows, uint32_t size, uint32_t number_bytes);
    /* Unpacks a lane-major tile of floats into up to 16 rows (NULL: skip). */
    void (*unpack)(float *const *rows, const float *lanes, uint32_t size);
    /* Unpacks `count` pieces of a tile. width: numbers of a row; rows are then fetched into the nearest cache before
     * they are written, and the caller must already have fetched the first TRANSPOSE_AHEAD. 0: do not fetch. */
    void (*unpack_pieces)(float *const *rows, const float *lanes, const transpose_piece *pieces, uint32_t count,
                          size_t width);
    /* Copies floats that will not be read again soon. Whole lines bypass the caches. Other threads see them after
     * settle(). */
    void (*stream)(float *to, const float *from, size_t count);
    void (*settle)(void);
    /* Draws a lane-major tile, `size` numbers a player, as defined by carom_rollout_draw(). */
    void (*draw)(float *lanes, const transpose_names *names, uint32_t tick, uint32_t player, uint32_t size);
    /* Maps numbers in [-1, 1) to [low, high); NULL: no change. */
    void (*spread)(float *lanes, const float *low, const float *high, uint32_t size);
    /* Computes row `row` of `size` numbers of an action from normal numbers. `normals` keeps the last block between
     * calls with the same names, whose rows must be in order from 0. */
    void (*blend)(float *lanes, transpose_normals normals, const transpose_names *names, const transpose_blend *how,
                  uint32_t row, uint32_t player, uint32_t size);
} transpose_kernel;

#define TRANSPOSE_LINE 16 /* floats of a cache line */
#define TRANSPOSE_AHEAD 4 /* rows that are written together */

/* Fetches rows [first, first + TRANSPOSE_AHEAD) of `width` floats, which will be written soon, into the nearest cache.
 * Stores to lines in other caches take longer, as a processor looks ahead less far for them. */
static inline void transpose_fetch(float *const *rows, unsigned first, size_t width)
{
    for (unsigned l = first; l < first + TRANSPOSE_AHEAD; l++) {
        for (size_t k = 0; k < width && rows[l] != NULL; k += TRANSPOSE_LINE) {
            __builtin_prefetch(rows[l] + k, 1);
        }
    }
}

/* Sets the names of 16 sequences. Adjacent equal ids are cheaper. */
static inline void transpose_name(transpose_names *names, uint64_t seed, const uint64_t *root_ids,
                                  const uint32_t *sequences)
{
    philox_key named = philox_key_of(seed, root_ids[0]);
    for (int l = 0; l < 16; l++) {
        if (l > 0 && root_ids[l] != root_ids[l - 1]) {
            named = philox_key_of(seed, root_ids[l]);
        }
        names->key[0][l] = named.key[0];
        names->key[1][l] = named.key[1];
        names->tag[l] = named.tag;
        names->sequence[l] = sequences[l];
    }
}

/* The kernel of an instruction set, or NULL if it is not built. */
const transpose_kernel *carom_transpose(carom_isa isa);

#endif
