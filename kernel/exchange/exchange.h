/* SPDX-License-Identifier: MIT
 * Between the caller's world-major rows and lane-major tiles of [element][16]: transposition, and drawn numbers. The
 * same for every game and precision, compiled once per instruction set.
 */
#ifndef CAROM_EXCHANGE_EXCHANGE_H
#define CAROM_EXCHANGE_EXCHANGE_H

#include <carom/base.h>

#include <stdint.h>

typedef struct exchange_kernel {
    /* rows[16] (addresses of rows of `size` numbers of 4 or 8 bytes) into one lane-major tile, 64-byte aligned. */
    void (*pack)(void *lanes, const void *const *rows, uint32_t size, uint32_t number_bytes);
    /* One lane-major tile of floats into up to 16 rows (NULL: skip). */
    void (*unpack)(float *const *rows, const float *lanes, uint32_t size);
    /* Draws one lane-major tile, `size` numbers a player: what carom_rollout_draw() says, for 16 (root id, k). */
    void (*draw)(float *lanes, uint64_t seed, const uint64_t *root_ids, const uint32_t *sequences, uint32_t tick,
                 uint32_t player, uint32_t size);
} exchange_kernel;

/* That of an instruction set, or NULL if it is not built. */
const exchange_kernel *carom_exchange(carom_isa isa);

#endif
