/* SPDX-License-Identifier: MIT
 * Networks of tests: drawn, written as texts, and run number by number in 64 bits, as carom/network.h says it. cmocka.h
 * comes before.
 */
#ifndef CAROM_TESTS_NETWORK_NETWORK_PLAIN_H
#define CAROM_TESTS_NETWORK_NETWORK_PLAIN_H

#include "test.h"

#define PLAIN_LAYERS 4
#define PLAIN_WIDTH 80   /* of the layers that are drawn */
#define PLAIN_INPUTS 256 /* more than any observation has numbers */
#define PLAIN_TEXT 400000

typedef enum plain_activation { PLAIN_LINEAR, PLAIN_CLIP, PLAIN_RELU, PLAIN_TANH } plain_activation;

typedef struct plain_layer {
    plain_activation activation;
    int inputs, outputs, bits, limit;
    int64_t weights[PLAIN_WIDTH][PLAIN_INPUTS], biases[PLAIN_WIDTH];
} plain_layer;

typedef struct plain_network {
    const char *game, *observation;
    int inputs, input_bits, input_limit;
    int count;                            /* of hidden layers */
    plain_layer layers[PLAIN_LAYERS + 2]; /* then the value and the policy; outputs 0: there is none */
} plain_network;

static inline void end_carom_network(carom_network **network)
{
    carom_network_destroy(*network);
}

/* ---- drawing ---- */

static inline void plain_draw_layer(plain_layer *layer, uint64_t *seed, int inputs, int outputs, int input_limit)
{
    layer->inputs = inputs;
    layer->outputs = outputs;
    layer->bits = 10 + rng_below(seed, 6);
    layer->limit = layer->activation == PLAIN_TANH ? 1024 : 1 + rng_below(seed, 32767);

    /* So large that sums come near to what 32 bits hold. */
    const int64_t most = (int64_t)2000000000 / ((int64_t)inputs * input_limit);
    const int64_t weight = most < 32767 ? most : 32767;
    for (int o = 0; o < outputs; o++) {
        for (int i = 0; i < inputs; i++) {
            layer->weights[o][i] = weight > 0 ? (int64_t)rng_below(seed, (int)(2 * weight + 1)) - weight : 0;
        }
        layer->biases[o] = (int64_t)rng_below(seed, 2000001) - 1000000;
    }
}

/* widths[count]: of the hidden layers; value and policy: outputs of the heads. */
static inline void plain_draw(plain_network *made, uint64_t *seed, const char *game, const char *observation,
                              int inputs, const int *widths, int count, int value, int policy)
{
    memset(made, 0, sizeof *made);
    made->game = game, made->observation = observation;
    made->inputs = inputs;
    made->input_bits = rng_below(seed, 13);
    made->input_limit = 1 + rng_below(seed, 32767);
    made->count = count;
    int limit = made->input_limit;
    for (int k = 0; k < count; k++) {
        made->layers[k].activation = (plain_activation)(PLAIN_CLIP + rng_below(seed, 3));
        plain_draw_layer(&made->layers[k], seed, inputs, widths[k], limit);
        inputs = widths[k], limit = made->layers[k].limit;
    }
    for (int head = 0; head < 2; head++) {
        made->layers[count + head].activation = (plain_activation)rng_below(seed, 4);
        plain_draw_layer(&made->layers[count + head], seed, inputs, head == 0 ? value : policy, limit);
    }
}

/* ---- texts ---- */

/* The digest of all words of a text. */
static inline uint64_t plain_digest(const char *text)
{
    uint64_t state = UINT64_C(0xcbf29ce484222325);
    bool within = false;
    for (const char *at = text;; at++) {
        const bool blank = *at == '\0' || strchr(" \n\t\r", *at) != NULL;
        if (!blank || within) {
            state = (state ^ (blank ? (unsigned char)'\n' : (unsigned char)*at)) * UINT64_C(0x100000001b3);
        }
        within = !blank;
        if (*at == '\0') {
            return state;
        }
    }
}

static inline size_t plain_write_layer(char *text, const char *name, const plain_layer *layer)
{
    static const char *const names[] = {"linear", "clip", "relu", "tanh"};
    size_t end =
        (size_t)sprintf(text, "%s dense %d %s bits %d", name, layer->outputs, names[layer->activation], layer->bits);
    if (layer->activation == PLAIN_CLIP || layer->activation == PLAIN_RELU) {
        end += (size_t)sprintf(text + end, " limit %d", layer->limit);
    }
    end += (size_t)sprintf(text + end, "\nweights\n");
    for (int o = 0; o < layer->outputs; o++) {
        for (int i = 0; i < layer->inputs; i++) {
            end += (size_t)sprintf(text + end, "%d ", (int)layer->weights[o][i]);
        }
    }
    end += (size_t)sprintf(text + end, "\nbiases\n");
    for (int o = 0; o < layer->outputs; o++) {
        end += (size_t)sprintf(text + end, "%d ", (int)layer->biases[o]);
    }
    end += (size_t)sprintf(text + end, "\n");
    return end;
}

/* text: PLAIN_TEXT bytes. */
static inline void plain_write(const plain_network *network, char *text)
{
    size_t end =
        (size_t)sprintf(text, "carom-network 1\ngame %s\nobservation %s\ninputs %d bits %d limit %d\n", network->game,
                        network->observation, network->inputs, network->input_bits, network->input_limit);
    for (int k = 0; k < network->count + 2; k++) {
        const char *name = k < network->count ? "layer" : k == network->count ? "head value" : "head policy";
        if (network->layers[k].outputs > 0) {
            end += plain_write_layer(text + end, name, &network->layers[k]);
        }
    }
    sprintf(text + end, "digest %016llx\n", (unsigned long long)plain_digest(text));
}

static inline carom_network *plain_read(const char *text)
{
    carom_network *network = NULL;
    carom_problem problem = {""};
    if (carom_network_read(text, strlen(text), &network, &problem) != CAROM_OK) {
        fail_msg("%s", problem.text);
    }
    return network;
}

static inline carom_network *plain_make(const plain_network *network)
{
    FREED char *text = (char *)take(PLAIN_TEXT);
    plain_write(network, text);
    return plain_read(text);
}

/* ---- running ---- */

static inline int64_t plain_tanh(int64_t amount)
{
    return (int64_t)floor(1024 * tanh((double)amount / 1024) + 0.5);
}

static inline int64_t plain_floor_shift(int64_t sum, int shift)
{
    return (int64_t)floor(ldexp((double)sum, -shift));
}

/* What comes out of a layer; bits: of what comes in. */
static inline void plain_layer_run(const plain_layer *layer, int bits, const int64_t *in, int64_t *out)
{
    for (int o = 0; o < layer->outputs; o++) {
        int64_t sum = layer->biases[o];
        for (int i = 0; i < layer->inputs; i++) {
            sum += layer->weights[o][i] * in[i];
        }
        if (layer->activation != PLAIN_LINEAR) {
            const int shift = bits + layer->bits - 10;
            sum = plain_floor_shift(2 * sum + (INT64_C(1) << shift), shift + 1);
            const int64_t low = layer->activation == PLAIN_RELU ? 0 : -layer->limit;
            if (layer->activation == PLAIN_TANH) {
                const int64_t amount = llabs(sum) < 4095 ? llabs(sum) : 4095;
                sum = sum < 0 ? -plain_tanh(amount) : plain_tanh(amount);
            } else {
                sum = sum < low ? low : sum > layer->limit ? layer->limit : sum;
            }
        }
        out[o] = sum;
    }
}

static inline int64_t plain_whole(const plain_network *network, float x)
{
    if (isnan(x)) {
        return 0;
    }
    const double scaled = ldexp((double)x, network->input_bits), limit = network->input_limit;
    return (int64_t)round(fmin(fmax(scaled, -limit), limit));
}

/* The value, then the policy. */
static inline void plain_run(const plain_network *network, const float *inputs, float *outputs)
{
    int64_t now[PLAIN_INPUTS], next[PLAIN_INPUTS];
    for (int i = 0; i < network->inputs; i++) {
        now[i] = plain_whole(network, inputs[i]);
    }
    int bits = network->input_bits;
    for (int k = 0; k < network->count; k++) {
        plain_layer_run(&network->layers[k], bits, now, next);
        memcpy(now, next, sizeof now);
        bits = 10;
    }
    for (int k = network->count; k < network->count + 2; k++) {
        const plain_layer *head = &network->layers[k];
        plain_layer_run(head, bits, now, next);
        for (int o = 0; o < head->outputs; o++) {
            const int unit = head->activation == PLAIN_LINEAR ? bits + head->bits : 10;
            *outputs++ = (float)ldexp((double)next[o], -unit);
        }
    }
}

#endif
