/* SPDX-License-Identifier: MIT
 * Networks: a few dense layers of whole numbers, read from a small text, that say what a state is worth or what to do.
 *
 *     carom_network *network;
 *     carom_problem problem;
 *     carom_network_load("policy.network", &network, &problem);
 *     carom_network_run(network, observations, agents, outputs);
 *     carom_network_destroy(network);
 *
 * Weights and sums are integers and no sum can overflow, which is checked when a network is read: so the outputs are
 * the same bits with every instruction set, compiler and number of rows. `carom.network` in Python writes such files
 * from weights in floating point, and has the same arithmetic in NumPy.
 *
 * ---- the file ----
 *
 * Words and decimal whole numbers with blanks or line breaks between them; from # to the end of a line is a comment.
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
 *   inputs              how many floats an agent sees. An input x becomes the whole number nearest to x * 2^bits (of
 *                       two the one further from 0), clipped to -limit .. limit, and 0 for NaN. bits 0 to 15
 *   layer               hidden layers, up to CAROM_NETWORK_LAYERS of them, or none
 *   head                what comes out: `policy` and `value`, at least one of them, each a layer on the last hidden
 *                       one. `policy` has an agent's part of a normalised action, `value` one number
 *   bits                of weights: the weight w stands for w / 2^bits. Weights are -32767 to 32767, bits 0 to 15.
 *                       Biases are -2147483647 to 2147483647 and stand for b / 2^(bits + bits of what comes in)
 *   digest              of all words before it, each followed by a line break: 64 bits of FNV-1a, in hexadecimal
 *
 * What comes out of a layer is, of the sum of its bias and all weights times inputs,
 *     linear   the sum itself; only of heads
 *     clip     the sum rounded to 10 bits (1 is 1024; halves upwards), then clipped to -limit .. limit
 *     relu     the same, clipped to 0 .. limit
 *     tanh     of the sum rounded to 10 bits, clipped to -4095 .. 4095, by a table; within -1024 .. 1024, no `limit`
 * Limits are 1 to 32767. What comes in has the bits of the inputs, or 10 after a hidden layer; a sum has these and
 * those of the weights, at least 10 together if it is rounded. The amounts of a bias, of each weight times the limit of
 * what comes in (1024 after tanh) and of half a unit of the rounding must add up to at most 2147483647. A head's whole
 * numbers become floats in which 1 is 2^bits of the sum if it is linear, else 1024.
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

/* What a network says of itself. The names are the network's own. */
typedef struct carom_network_info {
    const char *game, *observation;
    size_t inputs;        /* floats of a row */
    size_t outputs;       /* value + policy */
    size_t value, policy; /* outputs of each head; 0: the network has none */
    size_t weights;       /* of all layers and heads, biases not among them */
    uint64_t digest;
} carom_network_info;

/* Reads a network from a file. *network is the caller's, to be freed by carom_network_destroy(); NULL after an error,
 * of which *problem (may be NULL) tells what is wrong, and in which line.
 *     CAROM_ERROR_ARGUMENT   NULL, or the file cannot be read
 *     CAROM_ERROR_FORMAT     not such a file, or damaged
 *     CAROM_ERROR_VALUE      a number out of its range, or a sum that could overflow */
CAROM_API carom_status carom_network_load(const char *path, carom_network **network, carom_problem *problem);

/* The same from a text of `length` bytes, which need not end with 0 and is not kept. */
CAROM_API carom_status carom_network_read(const char *text, size_t length, carom_network **network,
                                          carom_problem *problem);

CAROM_API void carom_network_destroy(carom_network *network); /* NULL is allowed */

/* network must not be NULL. */
CAROM_API carom_network_info carom_network_about(const carom_network *network);

/* outputs[count][outputs], the value before the policy, of inputs[count][inputs]. The arrays must not overlap. Any
 * number of threads may run the same network at once.
 *     CAROM_ERROR_ARGUMENT     NULL
 *     CAROM_ERROR_MEMORY       no room for two layers of 16 rows
 *     CAROM_ERROR_UNSUPPORTED  the environment names an instruction set that there is not */
CAROM_API carom_status carom_network_run(const carom_network *network, const float *inputs, size_t count,
                                         float *outputs);

#ifdef __cplusplus
}
#endif
#endif
