/* SPDX-License-Identifier: MIT
 * Between the caller's world-major rows and lane-major tiles of [element][16]: transposition, and drawn numbers. The
 * same for every game and precision, compiled once per instruction set.
 */
#ifndef CAROM_EXCHANGE_EXCHANGE_H
#define CAROM_EXCHANGE_EXCHANGE_H

#include <carom/base.h>

#include <stdint.h>

#include "base/random.h"

/* Whose numbers are drawn: one sequence of a root in each lane. */
typedef struct exchange_names {
    uint32_t key[2][16], tag[16], sequence[16];
} exchange_names;

/* A block of normal numbers: number, lane. */
#define EXCHANGE_NORMALS 8
typedef float exchange_normals[EXCHANGE_NORMALS][16];

/* How normal numbers become numbers of an action: mean + sigma * z, clipped, where z is first brought nearer to 0 by
 * `threshold`, and is 0 within it. */
typedef struct exchange_blend {
    const float *mean, *sigma;    /* [size] for all lanes alike, or lane-major [size][16] */
    bool mean_alike, sigma_alike; /* the first only with the second */
    const float *low, *high;      /* [size]; NULL: -1 and 1 */
    float threshold;
} exchange_blend;

#define EXCHANGE_ONCE SIZE_MAX

typedef struct exchange_kernel {
    /* rows[16] (addresses of rows of `size` numbers of 4 or 8 bytes) into one lane-major tile, 64-byte aligned. */
    void (*pack)(void *lanes, const void *const *rows, uint32_t size, uint32_t number_bytes);
    /* One lane-major tile of floats into up to 16 rows (NULL: skip). */
    void (*unpack)(float *const *rows, const float *lanes, uint32_t size);
    /* The same, from number `at` of the rows on, and once more from number `twin` on, unless that is EXCHANGE_ONCE. */
    void (*unpack_at)(float *const *rows, size_t at, size_t twin, const float *lanes, uint32_t size);
    /* Copies floats to where they are not read again soon: whole lines, past the caches. The caller's other threads see
     * them after settle(). */
    void (*stream)(float *to, const float *from, size_t count);
    void (*settle)(void);
    /* Draws one lane-major tile, `size` numbers a player: what carom_rollout_draw() says. */
    void (*draw)(float *lanes, const exchange_names *names, uint32_t tick, uint32_t player, uint32_t size);
    /* Lays such numbers between bounds; NULL: -1 and 1, which leaves them as they are. */
    void (*spread)(float *lanes, const float *low, const float *high, uint32_t size);
    /* Adds normal numbers to means: row `row` of `size` numbers. The last block stays in `normals`: rows are asked for
     * in order from 0 on, and calls for the same names go on where the one before has stopped. */
    void (*blend)(float *lanes, exchange_normals normals, const exchange_names *names, const exchange_blend *how,
                  uint32_t row, uint32_t player, uint32_t size);
} exchange_kernel;

/* Names 16 sequences; equal ids side by side cost less. */
static inline void exchange_name(exchange_names *names, uint64_t seed, const uint64_t *root_ids,
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

/* That of an instruction set, or NULL if it is not built. */
const exchange_kernel *carom_exchange(carom_isa isa);

#endif
