/* SPDX-License-Identifier: MIT
 * A network in memory. text.c reads it, network.c and kernel.c run it. The format and what a layer computes are in
 * carom/network.h.
 */
#ifndef CAROM_NETWORK_NETWORK_H
#define CAROM_NETWORK_NETWORK_H

#include <carom/network.h>
#include <stdbool.h>

#define NETWORK_ROWS 16   /* that are evaluated together, one a lane */
#define NETWORK_BLOCK 4   /* outputs that are summed together */
#define NETWORK_BITS 10   /* of what comes out of a layer that is not linear */
#define NETWORK_TANH 4096 /* entries of the table: amounts below 4 */
#define NETWORK_NAME 32   /* bytes of a game's or an observation's name */
#define NETWORK_HEADS 2   /* the value, the policy */

typedef enum network_activation { NETWORK_LINEAR, NETWORK_CLIP, NETWORK_RELU, NETWORK_TANH_TABLE } network_activation;

/* A dense layer. Outputs are filled up with zeros to whole blocks, inputs to whole pairs. */
typedef struct network_layer {
    size_t inputs, outputs; /* outputs 0: a head that the network does not have */
    size_t pairs, blocks;
    network_activation activation;
    int bits;        /* of the sum: of the weights and of what comes in */
    int32_t limit;   /* greatest amount that comes out, but for a linear one */
    int32_t *packed; /* [block][pair][NETWORK_BLOCK]: two weights each, of input 2 * pair in the lower half */
    int32_t *biases; /* [block][NETWORK_BLOCK], with what is added to round */
} network_layer;

struct carom_network {
    char game[NETWORK_NAME], observation[NETWORK_NAME];
    size_t inputs;
    int input_bits;
    int32_t input_limit;
    size_t count; /* of the hidden layers */
    network_layer layers[CAROM_NETWORK_LAYERS], heads[NETWORK_HEADS];
    size_t width; /* the most pairs of any layer's inputs or outputs */
    size_t weights;
    uint64_t digest;
    int16_t *tanh; /* [NETWORK_TANH], NULL if no layer needs it */
};

/* Which heads are asked: bits. */
typedef unsigned network_heads;
#define NETWORK_VALUE 1u
#define NETWORK_POLICY 2u

/* ---- network.c ---- */

/* Fills the table of tanh. */
void carom_network_fill_tanh(int16_t *table);

/* Outputs of these heads together. */
static inline size_t network_outputs(const carom_network *network, network_heads heads)
{
    return ((heads & NETWORK_VALUE) != 0 ? network->heads[0].outputs : 0) +
           ((heads & NETWORK_POLICY) != 0 ? network->heads[1].outputs : 0);
}

/* Bytes in which carom_network_rows() works. */
size_t carom_network_room(const carom_network *network);

/* What these heads say, said[count][outputs], of inputs[count][inputs]. room: as many bytes as carom_network_room()
 * says, 64-byte aligned. In the default floating-point environment. */
void carom_network_rows(const carom_network *network, carom_isa isa, network_heads heads, const float *inputs,
                        size_t count, float *said, void *room);

#endif
