/* SPDX-License-Identifier: MIT
 * A network in memory. text.c reads it, network.c and kernel.c run it. carom/network.h describes the format and the
 * layers.
 */
#ifndef CAROM_NETWORK_NETWORK_H
#define CAROM_NETWORK_NETWORK_H

#include <carom/network.h>
#include <stdbool.h>

#define NETWORK_ROWS 16   /* evaluated together, one per lane */
#define NETWORK_BLOCK 4   /* outputs summed together */
#define NETWORK_BITS 10   /* of the outputs of a layer that is not linear */
#define NETWORK_TANH 4096 /* entries of the table: magnitudes below 4 */
#define NETWORK_NAME 32   /* bytes of a game's or an observation's name */
#define NETWORK_HEADS 2   /* the value, the policy */

typedef enum network_activation { NETWORK_LINEAR, NETWORK_CLIP, NETWORK_RELU, NETWORK_TANH_TABLE } network_activation;

/* A dense layer. Outputs are padded with zeros to whole blocks, inputs to whole pairs. */
typedef struct network_layer {
    size_t inputs, outputs; /* outputs 0: a head that the network does not have */
    size_t pairs, blocks;
    network_activation activation;
    int bits;        /* of the sum: those of the weights plus those of the inputs */
    int32_t limit;   /* largest magnitude of an output, except of a linear layer */
    int32_t *packed; /* [block][pair][NETWORK_BLOCK]: two weights each, of input 2 * pair in the lower half */
    int32_t *biases; /* [block][NETWORK_BLOCK], including the rounding term */
} network_layer;

struct carom_network {
    char game[NETWORK_NAME], observation[NETWORK_NAME];
    size_t inputs;
    int input_bits;
    int32_t input_limit;
    size_t count; /* of the hidden layers */
    network_layer layers[CAROM_NETWORK_LAYERS], heads[NETWORK_HEADS];
    size_t width; /* the largest number of pairs of any layer's inputs or outputs */
    size_t weights;
    uint64_t digest;
    int16_t *tanh; /* [NETWORK_TANH]; NULL if no layer needs it */
};

/* A set of heads, as bits. */
typedef unsigned network_heads;
#define NETWORK_VALUE 1u
#define NETWORK_POLICY 2u

/* ---- network.c ---- */

/* Fills the table of tanh. */
void carom_network_fill_tanh(int16_t *table);

/* The total number of outputs of these heads. */
static inline size_t network_outputs(const carom_network *network, network_heads heads)
{
    return ((heads & NETWORK_VALUE) != 0 ? network->heads[0].outputs : 0) +
           ((heads & NETWORK_POLICY) != 0 ? network->heads[1].outputs : 0);
}

/* Bytes of scratch memory for carom_network_rows() and carom_network_tile(), a multiple of 64. */
size_t carom_network_room(const carom_network *network);

/* Evaluates these heads for a tile of NETWORK_ROWS rows: inputs[k] are the lanes of input k. If their number is odd,
 * inputs[network->inputs] must be lanes, too; their numbers do not matter. Writes the outputs of the first `count`
 * rows, those of a row at said + row * stride. room: as below. */
void carom_network_tile(const carom_network *network, carom_isa isa, network_heads heads, const float *const *inputs,
                        size_t count, float *said, size_t stride, void *room);

/* Evaluates these heads: said[count][outputs] from inputs[count][inputs]. room: carom_network_room() bytes, 64-byte
 * aligned. Call it in the default floating-point environment. */
void carom_network_rows(const carom_network *network, carom_isa isa, network_heads heads, const float *inputs,
                        size_t count, float *said, void *room);

#endif
