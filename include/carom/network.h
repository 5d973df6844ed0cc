/* SPDX-License-Identifier: MIT
 * Networks: a few dense layers of whole numbers, read from a small text. They estimate the value of a state, or choose
 * actions.
 *
 *     carom_network *network;
 *     carom_problem problem;
 *     carom_network_load("policy.network", &network, &problem);
 *     carom_network_run(network, observations, agents, outputs);
 *     carom_network_destroy(network);
 *
 * Weights and sums are integers, and reading a network checks that no sum can overflow: so the outputs are the same
 * bits with every instruction set, compiler and number of rows. `carom.network` in Python writes such files from
 * weights in floating point, and has the same arithmetic in NumPy.
 *
 * ---- the file ----
 *
 * Words and decimal whole numbers, separated by blanks or line breaks; # starts a comment, to the end of the line.
 *
 *     carom-network 1
 *     game csb
 *     observation ego
 *     inputs 38 bits 10 limit 32767
 *     layer dense 32 relu bits 12 limit 4096
 *     weights ...                               [32][38], row by row: those of the first output first
 *     biases ...                                [32]
 *     head policy dense 2 tanh bits 12
 *     weights ...
 *     biases ...
 *     head value dense 1 linear bits 12
 *     weights ...
 *     biases ...
 *     digest 0123456789abcdef
 *
 *   game, observation   by name; the network sees one agent of that kind of observation (game.h)
 *   inputs              the number of floats that an agent sees. An input x becomes the whole number nearest to
 *                       x * 2^bits (halves away from 0), clipped to -limit .. limit; 0 for NaN. bits 0 to 15
 *   layer               hidden layers, up to CAROM_NETWORK_LAYERS of them, or none
 *   head                the outputs: `policy`, `value` or both, each a layer on top of the last hidden one. `policy`
 *                       is an agent's part of a normalised action, `value` one number
 *   bits                of weights: the weight w means w / 2^bits. Weights are -32767 to 32767, bits 0 to 15. Biases
 *                       are -2147483647 to 2147483647; the bias b means b / 2^(bits + bits of the layer's inputs)
 *   digest              of all words before it, each followed by a line break: 64 bits of FNV-1a, in hexadecimal
 *
 * The outputs of a layer are, with the sum of its bias and all weights times inputs,
 *     linear   the sum itself; only of heads
 *     clip     the sum rounded to 10 bits (1 is 1024; halves upwards), then clipped to -limit .. limit
 *     relu     the same, clipped to 0 .. limit
 *     tanh     a table's value for the sum rounded to 10 bits and clipped to -4095 .. 4095; within -1024 .. 1024,
 *              without `limit`
 * Limits are 1 to 32767. A layer's inputs have the bits of the network's inputs, or 10 after a hidden layer; a sum has
 * these plus those of the weights, at least 10 together if it is rounded. The absolute values of a bias, of each weight
 * times the limit of its input (1024 after tanh), and of half a unit of the rounding must add up to at most 2147483647.
 * A head's whole numbers become floats, divided by 2^(bits of the sum) if it is linear, else by 1024.
 */
#ifndef CAROM_NETWORK_H
#define CAROM_NETWORK_H

#include <carom/base.h>

#ifdef __cplusplus
extern "C" {
#endif

#define CAROM_NETWORK_LAYERS 8   /* hidden ones */
#define CAROM_NETWORK_WIDTH 1024 /* inputs and outputs of a layer, at most */

typedef struct carom_network carom_network;

/* Description of a network. The names belong to the network. */
typedef struct carom_network_info {
    const char *game, *observation;
    size_t inputs;        /* floats of a row */
    size_t outputs;       /* value + policy */
    size_t value, policy; /* outputs of each head; 0: the network does not have it */
    size_t weights;       /* of all layers and heads, without biases */
    uint64_t digest;
} carom_network_info;

/* Reads a network from a file. Free *network with carom_network_destroy(); it is NULL after an error, and *problem (may
 * be NULL) says what is wrong, and in which line.
 *     CAROM_ERROR_ARGUMENT   NULL, or the file cannot be read
 *     CAROM_ERROR_FORMAT     not a network, or a damaged one
 *     CAROM_ERROR_VALUE      a number out of its range, or a sum that could overflow */
CAROM_API carom_status carom_network_load(const char *path, carom_network **network, carom_problem *problem);

/* The same from a text of `length` bytes, which need not end with 0 and is not kept. */
CAROM_API carom_status carom_network_read(const char *text, size_t length, carom_network **network,
                                          carom_problem *problem);

CAROM_API void carom_network_destroy(carom_network *network); /* NULL is allowed */

/* network must not be NULL. */
CAROM_API carom_network_info carom_network_about(const carom_network *network);

/* outputs[count][outputs], the value before the policy, for inputs[count][inputs]. The arrays must not overlap. Any
 * number of threads may run the same network at the same time.
 *     CAROM_ERROR_ARGUMENT     NULL
 *     CAROM_ERROR_MEMORY       no room for two layers of 16 rows
 *     CAROM_ERROR_UNSUPPORTED  the environment variable CAROM_ISA names an instruction set that cannot be used */
CAROM_API carom_status carom_network_run(const carom_network *network, const float *inputs, size_t count,
                                         float *outputs);

#ifdef __cplusplus
}
#endif
#endif
