/* SPDX-License-Identifier: MIT
 * What is compiled once per instruction set: a tile of rows through a network.
 */
#ifndef CAROM_NETWORK_KERNEL_H
#define CAROM_NETWORK_KERNEL_H

#include "network/network.h"

typedef struct network_kernel {
    /* Runs NETWORK_ROWS rows and writes the first `count`: outputs[count][of the heads, in order]. lanes:
     * [input][NETWORK_ROWS], 64-byte aligned, with one input more if their number is odd. room: 64-byte aligned. */
    void (*run)(const carom_network *network, network_heads heads, const float *lanes, size_t count, float *outputs,
                int32_t *room);
} network_kernel;

#endif
