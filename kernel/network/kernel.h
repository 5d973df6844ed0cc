/* SPDX-License-Identifier: MIT
 * What is compiled once per instruction set: a tile of rows through a network.
 */
#ifndef CAROM_NETWORK_KERNEL_H
#define CAROM_NETWORK_KERNEL_H

#include "network/network.h"

typedef struct network_kernel {
    /* carom_network_tile(). inputs[k]: 64-byte aligned. room: 64-byte aligned, for NETWORK_BLOCK + 2 * network->width
     * rows of integers. */
    void (*run)(const carom_network *network, network_heads heads, const float *const *inputs, size_t count,
                float *outputs, size_t stride, int32_t *room);
} network_kernel;

#endif
