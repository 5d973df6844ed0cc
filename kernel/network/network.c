/* SPDX-License-Identifier: MIT
 * Networks: what they say of themselves, and how rows of numbers go through their layers.
 */
#include "network/network.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/fpenv.h"
#include "base/memory.h"

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
    /* tanh(x) = (1 - e) / (1 + e) with e = exp(-2 x), which is multiplied from entry to entry: only operations that
     * every machine rounds alike. */
    const double step = 0.9980487811074755; /* exp(-2 / 1024) */
    double e = 1;
    for (size_t k = 0; k < NETWORK_TANH; k++) {
        table[k] = (int16_t)((1 - e) / (1 + e) * 1024 + 0.5);
        e *= step;
    }
}

/* ---- a tile of rows ---- */

/* Where input or output `index` of lane `lane` is: pairs of numbers side by side, lanes next to each other. */
static size_t place_of(size_t index, size_t lane)
{
    return (index / 2 * NETWORK_ROWS + lane) * 2 + index % 2;
}

static int16_t whole_of(const carom_network *network, float x)
{
    const float limit = (float)network->input_limit;
    float scaled = x * (float)(1 << network->input_bits);
    scaled = scaled == scaled ? scaled : 0;
    scaled = scaled < limit ? scaled : limit;
    scaled = scaled > -limit ? scaled : -limit;
    return (int16_t)(scaled + (scaled < 0 ? -0.5f : 0.5f));
}

static int32_t sum_of(const network_layer *layer, size_t output, const int16_t *in, size_t lane)
{
    const int32_t *packed = layer->packed + output / NETWORK_BLOCK * layer->pairs * NETWORK_BLOCK;
    int32_t sum = layer->biases[output];
    for (size_t pair = 0; pair < layer->pairs; pair++) {
        const uint32_t two = (uint32_t)packed[pair * NETWORK_BLOCK + output % NETWORK_BLOCK];
        const int16_t *numbers = in + (pair * NETWORK_ROWS + lane) * 2;
        sum += numbers[0] * (int16_t)(uint16_t)two + numbers[1] * (int16_t)(uint16_t)(two >> 16);
    }
    return sum;
}

/* What comes out of a layer that is not linear. */
static int32_t activate(const carom_network *network, const network_layer *layer, int32_t sum)
{
    const int32_t rounded = sum >> (layer->bits - NETWORK_BITS);
    if (layer->activation == NETWORK_TANH_TABLE) {
        const int32_t amount = abs(rounded) < NETWORK_TANH ? abs(rounded) : NETWORK_TANH - 1;
        return rounded < 0 ? -network->tanh[amount] : network->tanh[amount];
    }
    const int32_t least = layer->activation == NETWORK_RELU ? 0 : -layer->limit;
    return rounded < least ? least : rounded > layer->limit ? layer->limit : rounded;
}

static void run_layer(const carom_network *network, const network_layer *layer, const int16_t *in, int16_t *out)
{
    for (size_t output = 0; output < layer->blocks * NETWORK_BLOCK; output++) {
        for (size_t lane = 0; lane < NETWORK_ROWS; lane++) {
            out[place_of(output, lane)] = (int16_t)activate(network, layer, sum_of(layer, output, in, lane));
        }
    }
}

static void run_head(const carom_network *network, const network_layer *head, const int16_t *in, size_t count,
                     float *outputs, size_t stride)
{
    const bool linear = head->activation == NETWORK_LINEAR;
    const double unit = ldexp(1, linear ? -head->bits : -NETWORK_BITS);
    for (size_t lane = 0; lane < count; lane++) {
        for (size_t output = 0; output < head->outputs; output++) {
            const int32_t sum = sum_of(head, output, in, lane);
            outputs[lane * stride + output] = (float)(unit * (linear ? sum : activate(network, head, sum)));
        }
    }
}

size_t carom_network_room(const carom_network *network)
{
    return 2 * network->width * NETWORK_ROWS * sizeof(int32_t);
}

void carom_network_tile(const carom_network *network, const float *inputs, size_t stride, size_t count, float *outputs,
                        void *room)
{
    int16_t *in = (int16_t *)room, *out = in + network->width * NETWORK_ROWS * 2;
    memset(in, 0, (network->inputs + 1) / 2 * NETWORK_ROWS * 2 * sizeof *in);
    for (size_t lane = 0; lane < count; lane++) {
        for (size_t k = 0; k < network->inputs; k++) {
            in[place_of(k, lane)] = whole_of(network, inputs[lane * stride + k]);
        }
    }
    for (size_t k = 0; k < network->count; k++) {
        run_layer(network, &network->layers[k], in, out);
        int16_t *next = out;
        out = in;
        in = next;
    }

    const size_t value = network->heads[0].outputs, width = value + network->heads[1].outputs;
    run_head(network, &network->heads[0], in, count, outputs, width);
    run_head(network, &network->heads[1], in, count, outputs + value, width);
}

carom_status carom_network_run(const carom_network *network, const float *inputs, size_t count, float *outputs)
{
    if (network == NULL || inputs == NULL || outputs == NULL) {
        return CAROM_ERROR_ARGUMENT;
    }
    void *room = carom_memory_take(carom_network_room(network));
    if (room == NULL) {
        return CAROM_ERROR_MEMORY;
    }

    const size_t width = network->heads[0].outputs + network->heads[1].outputs;
    const fp_environment caller = fp_begin();
    for (size_t row = 0; row < count; row += NETWORK_ROWS) {
        const size_t left = count - row < NETWORK_ROWS ? count - row : NETWORK_ROWS;
        carom_network_tile(network, inputs + row * network->inputs, network->inputs, left, outputs + row * width, room);
    }
    fp_end(caller);
    carom_memory_release(room);
    return CAROM_OK;
}
