/* SPDX-License-Identifier: MIT
 * Networks: their description, and the evaluation of rows of inputs.
 */
#include "network/network.h"

#include <stdlib.h>
#include <string.h>

#include "base/fpenv.h"
#include "base/memory.h"
#include "dispatch/dispatch.h"
#include "network/kernel.h"
#include "transpose/transpose.h"

CAROM_KERNELS(kernels, network_kernel, network, );

static void release_layer(const network_layer *layer)
{
    carom_memory_release(layer->packed);
    carom_memory_release(layer->biases);
}

void carom_network_destroy(carom_network *network)
{
    if (network == NULL) {
        return;
    }
    for (size_t k = 0; k < network->count; k++) {
        release_layer(&network->layers[k]);
    }
    for (size_t k = 0; k < NETWORK_HEADS; k++) {
        release_layer(&network->heads[k]);
    }
    carom_memory_release(network->tanh);
    free(network);
}

carom_network_info carom_network_about(const carom_network *network)
{
    const size_t value = network->heads[0].outputs, policy = network->heads[1].outputs;
    return (carom_network_info){.game = network->game,
                                .observation = network->observation,
                                .inputs = network->inputs,
                                .outputs = value + policy,
                                .value = value,
                                .policy = policy,
                                .weights = network->weights,
                                .digest = network->digest};
}

void carom_network_fill_tanh(int16_t *table)
{
    /* tanh(x) = (1 - e) / (1 + e) with e = exp(-2 x), updated by a multiplication from entry to entry: this uses only
     * operations that all machines round alike. */
    const double step = 0.9980487811074755; /* exp(-2 / 1024) */
    double e = 1;
    for (size_t k = 0; k < NETWORK_TANH; k++) {
        table[k] = (int16_t)((1 - e) / (1 + e) * 1024 + 0.5);
        e *= step;
    }
}

/* ---- rows ---- */

/* Bytes of a tile's inputs as floats, by lanes, with one input more if their number is odd. */
static size_t lanes_bytes(const carom_network *network)
{
    return (network->inputs + network->inputs % 2) * NETWORK_ROWS * sizeof(float);
}

/* Bytes of what the kernel needs. */
static size_t kernel_bytes(const carom_network *network)
{
    return (NETWORK_BLOCK + 2 * network->width) * NETWORK_ROWS * sizeof(int32_t);
}

size_t carom_network_room(const carom_network *network)
{
    return kernel_bytes(network) + lanes_bytes(network) + memory_aligned((network->inputs + 1) * sizeof(float *));
}

void carom_network_tile(const carom_network *network, carom_isa isa, network_heads heads, const float *const *inputs,
                        size_t count, float *said, size_t stride, void *room)
{
    kernels[isa]->run(network, heads, inputs, count, said, stride, (int32_t *)room);
}

void carom_network_rows(const carom_network *network, carom_isa isa, network_heads heads, const float *inputs,
                        size_t count, float *said, void *room)
{
    const size_t outputs = network_outputs(network, heads), bytes = lanes_bytes(network);
    unsigned char *after = (unsigned char *)room + kernel_bytes(network);
    float *lanes = (float *)(void *)after;
    const float **numbers = (const float **)(void *)(after + bytes);
    memset(lanes, 0, bytes);
    for (size_t k = 0; k <= network->inputs; k++) {
        numbers[k] = lanes + (k < network->inputs ? k : 0) * NETWORK_ROWS;
    }
    for (size_t row = 0; row < count; row += NETWORK_ROWS) {
        /* Lanes beyond the last row repeat the first. */
        const size_t left = count - row < NETWORK_ROWS ? count - row : NETWORK_ROWS;
        const void *rows[NETWORK_ROWS];
        for (size_t lane = 0; lane < NETWORK_ROWS; lane++) {
            rows[lane] = inputs + (row + (lane < left ? lane : 0)) * network->inputs;
        }
        carom_transpose(isa)->pack(lanes, rows, (uint32_t)network->inputs, sizeof(float));
        carom_network_tile(network, isa, heads, numbers, left, said + row * outputs, outputs, room);
    }
}

carom_status carom_network_run(const carom_network *network, const float *inputs, size_t count, float *outputs)
{
    carom_isa isa;
    if (network == NULL || inputs == NULL || outputs == NULL) {
        return CAROM_ERROR_ARGUMENT;
    }
    const carom_status status = carom_isa_resolve(CAROM_ISA_DEFAULT, &isa);
    if (status != CAROM_OK) {
        return status;
    }
    void *room = carom_memory_take(carom_network_room(network));
    if (room == NULL) {
        return CAROM_ERROR_MEMORY;
    }

    const fp_environment caller = fp_begin();
    carom_network_rows(network, isa, NETWORK_VALUE | NETWORK_POLICY, inputs, count, outputs, room);
    fp_end(caller);
    carom_memory_release(room);
    return CAROM_OK;
}
