/* SPDX-License-Identifier: MIT
 * The cost of a network in a search: rollouts a second with a network that values the leaves, compared with the same
 * search without. The ratio is at least 0.67 if a leaf's evaluation costs at most half of its rollout.
 *
 * Networks differ in their observations (`raw`, a row for a player; `ego`, one for each of its two bodies) and in the
 * widths of their hidden layers, all relu; one has tanh, by a table. Weights are random, since the cost does not depend
 * on them. A run uses ROOTS states in the middle of games; every search starts without a plan.
 */
#include "bench/common/harness.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ROOTS 16
#define SEQUENCES 1024
#define GENERATIONS 4
#define HORIZON 6
#define TURNS 60 /* that policies play before a search */
#define MOST 64

/* Hidden layers; 0: none. */
static const struct shape {
    const char *name, *observation, *activation;
    int widths[2];
} shapes[] = {{"none", NULL, NULL, {0, 0}},           {"raw/16", "raw", "relu", {16, 0}},
              {"raw/32x16", "raw", "relu", {32, 16}}, {"raw/64x32", "raw", "relu", {64, 32}},
              {"ego/16", "ego", "relu", {16, 0}},     {"ego/32x16", "ego", "relu", {32, 16}},
              {"ego/64x32", "ego", "relu", {64, 32}}, {"ego/32x16/tanh", "ego", "tanh", {32, 16}}};
#define SHAPES (sizeof shapes / sizeof shapes[0])

typedef struct searching {
    const carom_game *game;
    carom_worlds *roots; /* ROOTS of them */
    carom_network *network;
} searching;

/* ---- networks ---- */

static uint64_t fnv(const char *text)
{
    uint64_t state = UINT64_C(0xcbf29ce484222325);
    for (; *text != '\0'; text++) {
        state = (state ^ (unsigned char)(*text == ' ' ? '\n' : *text)) * UINT64_C(0x100000001b3);
    }
    return state;
}

/* Writes a layer of random weights, every word followed by one blank; returns the end of the text. */
static char *write_layer(char *at, const char *name, int inputs, int outputs, const char *activation)
{
    const bool relu = strcmp(activation, "relu") == 0;
    at += sprintf(at, "%s dense %d %s bits 10 %sweights ", name, outputs, activation, relu ? "limit 4096 " : "");
    for (int k = 0; k < inputs * outputs; k++) {
        at += sprintf(at, "%d ", k * 7919 % 401 - 200);
    }
    at += sprintf(at, "biases ");
    for (int k = 0; k < outputs; k++) {
        at += sprintf(at, "%d ", k);
    }
    return at;
}

static carom_network *make_network(const carom_game *game, const struct shape *shape)
{
    size_t kind;
    carom_observation_kind seen;
    carom_network *network;
    carom_bench_demand(carom_game_find_observation_kind(game, shape->observation, &kind), "find an observation");
    carom_bench_demand(carom_game_observation_kind(game, kind, &seen), "describe an observation");
    char *text = carom_bench_take(1 << 20, 1), *at = text;
    int inputs = (int)seen.size;
    at += sprintf(at, "carom-network 1 game %s observation %s inputs %d bits 10 limit 8192 ",
                  carom_game_describe(game).name, shape->observation, inputs);
    for (int k = 0; k < 2 && shape->widths[k] > 0; k++) {
        at = write_layer(at, "layer", inputs, shape->widths[k], shape->activation);
        inputs = shape->widths[k];
    }
    at = write_layer(at, "head value", inputs, 1, "linear");
    sprintf(at, "digest %016llx", (unsigned long long)fnv(text));
    carom_bench_demand(carom_network_read(text, strlen(text), &network, NULL), "read a network");
    free(text);
    return network;
}

/* ---- searches ---- */

static carom_worlds *make_roots(const carom_game *game, size_t count)
{
    carom_worlds_desc desc = carom_worlds_desc_default(game);
    carom_worlds *roots;
    desc.count = count;
    desc.threads = 1;
    carom_bench_demand(carom_worlds_create(&desc, &roots), "create roots");
    carom_step step = carom_step_default();
    step.ticks = TURNS;
    for (int p = 0; p < 2; p++) {
        step.players[p].source = CAROM_POLICY;
    }
    carom_bench_demand(carom_worlds_play(roots, &step), "play");
    return roots;
}

static void run_search(const void *argument, uint64_t iterations, bench_sample *sample)
{
    const searching *what = argument;
    carom_search_desc desc = carom_search_desc_default(what->game);
    carom_worlds *root = make_roots(what->game, 1);
    carom_search *search;
    desc.sequences = SEQUENCES;
    desc.rollouts = (uint64_t)SEQUENCES * GENERATIONS;
    desc.horizon = HORIZON;
    desc.network = what->network;
    desc.network_weight = what->network != NULL ? 1 : 0;
    size_t kind;
    if (carom_game_find_value_kind(what->game,
                                   strcmp(carom_game_describe(what->game).name, "csb") == 0 ? "duel" : "match",
                                   &kind) == CAROM_OK) {
        desc.value_kind = kind;
    }
    carom_bench_demand(carom_search_create(root, &desc, &search), "create a search");
    for (uint64_t i = 0; i < iterations; i++) {
        const size_t from = i % ROOTS;
        carom_bench_demand(carom_worlds_copy(root, NULL, what->roots, &from, 1), "copy a root");
        carom_bench_demand(carom_search_set_plan(search, 0, NULL), "forget plans");
        carom_bench_start(sample);
        const carom_status status = carom_search_run(search, root);
        carom_bench_stop(sample);
        carom_bench_demand(status, "search");
        sample->items += (double)carom_search_last(search).rollouts;
    }
    carom_search_destroy(search);
    carom_worlds_destroy(root);
}

int main(int argc, char **argv)
{
    static const bench_program program = {
        "Searches with a network that values leaves, one root, 1024 x 6 a generation, one thread",
        "M rollouts/s",
        1e-6,
        {"x none"},
        {{NULL, NULL, 0}}};
    static const char *const games[] = {"csb", "fantastic_bits"};
    static searching arguments[MOST];
    size_t used = 0;
    bench *b = carom_bench_create(argc, argv, &program);
    for (size_t g = 0; g < 2; g++) {
        const carom_game *game = carom_game_find(games[g]);
        carom_worlds *roots = make_roots(game, ROOTS);
        size_t none = BENCH_NONE;
        for (size_t s = 0; s < SHAPES; s++) {
            arguments[used] =
                (searching){game, roots, shapes[s].observation != NULL ? make_network(game, &shapes[s]) : NULL};
            bench_case c = carom_bench_case(run_search, &arguments[used++]);
            c.threads = 1;
            c.baselines[0] = s > 0 ? none : BENCH_NONE;
            carom_bench_name(&c, "network/%s/%s", games[g], shapes[s].name);
            const size_t added = carom_bench_add(b, &c);
            none = s > 0 ? none : added;
        }
    }
    const int code = carom_bench_run(b);
    for (size_t k = 0; k < used; k++) {
        carom_network_destroy(arguments[k].network);
    }
    for (size_t g = 0; g < 2; g++) {
        carom_worlds_destroy(arguments[g * SHAPES].roots);
    }
    return code;
}
