/* SPDX-License-Identifier: MIT
 * Networks in a search. The value head adds the values of a generation's leaves. The policy head proposes plans: at the
 * beginning of a run it plays all players from each root.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/parallel.h"
#include "base/problem.h"
#include "search/search.h"

#define CHUNK ((size_t)4 * NETWORK_ROWS) /* rows that a thread takes at a time */

struct search_network {
    size_t agents; /* of a player */
    size_t inputs; /* of an agent */
    bool proposes; /* the policy proposes plans */

    /* For the policy: allocated only if it proposes plans. */
    float *plans[CAROM_MAX_PLAYERS]; /* [root][series]: what it does, starting from the roots of the run */
    float *pool;                     /* [root][2][series]: the means of a player's first generation */
    unsigned begun;                  /* bit p: player p has planned in this run */
    float *seen;                     /* [root][player][agent][input] */

    bool *valued; /* for the value: [candidate][root][sequence]: it counts. Allocated only if it is used */

    float *said;         /* the outputs: of leaves [candidate][root][sequence][agent], or of all agents of the roots */
    unsigned char *room; /* [thread][room_bytes] */
    size_t room_bytes;
};

/* ---- checks ---- */

static bool faces_policy(const carom_search_desc *desc)
{
    bool faces = desc->candidates == NULL && desc->other == CAROM_OTHER_NETWORK;
    for (size_t c = 0; desc->candidates != NULL && c < desc->candidate_count; c++) {
        faces |= desc->candidates[c].other == CAROM_OTHER_NETWORK;
    }
    return faces;
}

carom_status carom_search_find_seen(const carom_network *network, const carom_game *game, size_t *kind,
                                    carom_problem *problem)
{
    const carom_network_info info = carom_network_about(network);
    carom_observation_kind seen;
    if (strcmp(info.game, game->info.name) != 0) {
        return carom_wrong(problem, CAROM_ERROR_ARGUMENT, "network: it is for %s, not for %s", info.game,
                           game->info.name);
    }
    if (carom_game_find_observation_kind(game, info.observation, kind) != CAROM_OK) {
        return carom_wrong(problem, CAROM_ERROR_ARGUMENT, "network: %s has no observation '%s'", game->info.name,
                           info.observation);
    }
    (void)carom_game_observation_kind(game, *kind, &seen);
    return seen.size == info.inputs
               ? CAROM_OK
               : carom_wrong(problem, CAROM_ERROR_ARGUMENT, "network: %zu inputs, but '%s' has %u numbers", info.inputs,
                             info.observation, seen.size);
}

carom_status carom_search_check_policy(const carom_network *network, const carom_game *game, size_t action_kind,
                                       carom_problem *problem)
{
    size_t kind = 0;
    const carom_status status = carom_search_find_seen(network, game, &kind, problem);
    if (status != CAROM_OK) {
        return status;
    }
    carom_observation_kind seen;
    (void)carom_game_observation_kind(game, kind, &seen);
    const size_t policy = carom_network_about(network).policy;
    if (policy == 0) {
        return carom_wrong(problem, CAROM_ERROR_ARGUMENT, "network: it has no policy");
    }
    if (strcmp(game->kinds[action_kind].name, "normalised") != 0) {
        return carom_wrong(problem, CAROM_ERROR_ARGUMENT, "network: its policy has actions of the kind normalised");
    }
    return policy * seen.agents == game->kinds[action_kind].size
               ? CAROM_OK
               : carom_wrong(problem, CAROM_ERROR_ARGUMENT,
                             "network: its policy has %zu numbers for %u agents, an action of %s has %u", policy,
                             seen.agents, game->info.name, game->kinds[action_kind].size);
}

carom_status carom_search_check_network(const carom_game *game, const carom_search_desc *desc, carom_problem *problem)
{
    const bool policy = desc->network_plan || (game->info.players > 1 && faces_policy(desc));
    if (desc->network == NULL) {
        return policy || desc->network_weight != 0
                   ? carom_wrong(problem, CAROM_ERROR_ARGUMENT, "network: none is given")
                   : CAROM_OK;
    }

    size_t kind = 0;
    const carom_network_info info = carom_network_about(desc->network);
    carom_status status = carom_search_find_seen(desc->network, game, &kind, problem);
    if (status == CAROM_OK && !(fabs(desc->network_weight) < INFINITY)) {
        return carom_wrong(problem, CAROM_ERROR_VALUE, "network: the weight of its value is not finite");
    }
    if (status == CAROM_OK && desc->network_weight != 0 && (info.value == 0 || desc->value != NULL)) {
        return carom_wrong(problem, CAROM_ERROR_ARGUMENT, "network: it has no value, or a function values the leaves");
    }
    if (status == CAROM_OK && policy) {
        status = carom_search_check_policy(desc->network, game, desc->action_kind, problem);
    }
    return status;
}

/* Whether the network values the leaves of this run. */
static bool values_leaves(const carom_search *search)
{
    return search->fixed.desc.network_weight != 0 && !search->run.external;
}

/* ---- memory ---- */

static void *take(bool *missing, size_t count, size_t each, size_t bytes)
{
    size_t all;
    void *block = NULL;
    if (size_multiply(count, each, &all) && size_multiply(all, bytes, &all) && all < SIZE_MAX / 2) {
        block = carom_memory_take(all + 1);
    }
    *missing |= block == NULL;
    return block;
}

bool carom_search_take_network(carom_search *search, const carom_search_desc *desc)
{
    const search_fixed *fixed = &search->fixed;
    struct search_network *made = (struct search_network *)calloc(1, sizeof *made);
    search->network = made;
    if (made == NULL) {
        return false;
    }
    size_t kind = 0;
    (void)carom_search_find_seen(desc->network, fixed->game, &kind, NULL);
    carom_observation_kind seen;
    (void)carom_game_observation_kind(fixed->game, kind, &seen);
    search->fixed.network_kind = kind;
    made->agents = seen.agents;
    made->inputs = seen.size;
    made->proposes = desc->network_plan || (fixed->players > 1 && faces_policy(desc));

    /* Rows: the agents of one player at the leaves, or of all players at the roots. */
    bool missing = false;
    const size_t leaves = desc->network_weight != 0 ? fixed->candidates * fixed->roots * desc->sequences : 0;
    const size_t agents = made->proposes ? fixed->roots * fixed->players * made->agents : 0;
    const size_t own = carom_network_about(desc->network).policy;
    made->valued = (bool *)take(&missing, leaves, 1, sizeof(bool));
    made->seen = (float *)take(&missing, agents, made->inputs, sizeof(float));
    const size_t said = leaves * made->agents > agents * own ? leaves * made->agents : agents * own;
    made->said = (float *)take(&missing, said, 1, sizeof(float));
    made->pool = (float *)take(&missing, made->proposes ? 2 * fixed->roots : 0, fixed->series, sizeof(float));
    for (size_t p = 0; p < fixed->players; p++) {
        made->plans[p] = (float *)take(&missing, made->proposes ? fixed->roots : 0, fixed->series, sizeof(float));
    }
    search->phase.proposed = made->plans;
    made->room_bytes = carom_rollout_judge_bytes(desc->network, made->agents);
    made->room = (unsigned char *)take(&missing, fixed->worlds.threads, 1, made->room_bytes);
    return !missing;
}

void carom_search_release_network(carom_search *search)
{
    struct search_network *made = search->network;
    if (made == NULL) {
        return;
    }
    void *const blocks[] = {made->valued, made->seen, made->said, made->pool, made->room};
    for (size_t k = 0; k < sizeof blocks / sizeof blocks[0]; k++) {
        carom_memory_release(blocks[k]);
    }
    for (size_t p = 0; p < CAROM_MAX_PLAYERS; p++) {
        carom_memory_release(made->plans[p]);
    }
    free(made);
}

/* ---- rows through the policy ---- */

/* The rows that the policy sees at the roots: of all agents. */
static size_t rows_of(const carom_search *search)
{
    return search->fixed.roots * search->fixed.players * search->network->agents;
}

static void run_chunk(void *argument, size_t item, unsigned thread)
{
    carom_search *search = (carom_search *)argument;
    const search_fixed *fixed = &search->fixed;
    const struct search_network *state = search->network;
    search_run *run = &search->run;

    /* Out of time: an unfinished generation does not count. */
    const double end = run->begun + fixed->desc.milliseconds / 1000;
    if (fixed->desc.milliseconds > 0 && carom_rollout_clock() >= end) {
        __atomic_store_n(&run->late, 1, __ATOMIC_RELAXED);
        return;
    }

    const size_t first = item * CHUNK, left = rows_of(search) - first,
                 outputs = network_outputs(fixed->desc.network, NETWORK_POLICY);
    carom_network_rows(fixed->desc.network, fixed->worlds.isa, NETWORK_POLICY, state->seen + first * state->inputs,
                       left < CHUNK ? left : CHUNK, state->said + first * outputs,
                       state->room + thread * state->room_bytes);
}

/* Evaluates the policy for what all agents see in state->seen. */
static void run_policy(carom_search *search)
{
    carom_parallel_for(search->fixed.worlds.threads, search->run.from->where, (rows_of(search) + CHUNK - 1) / CHUNK,
                       run_chunk, search);
}

/* ---- the value of leaves ---- */

void carom_search_see_leaves(const carom_search *search, carom_rollout_desc *asked)
{
    if (!values_leaves(search)) {
        return;
    }

    /* The agents of the planning player. */
    const size_t agents = search->network->agents;
    asked->observation_kind = search->fixed.network_kind;
    asked->observed = (agents < 64 ? (UINT64_C(1) << agents) - 1 : UINT64_MAX) << (search->phase.player * agents);
    asked->depths = &search->generation.depth;
    asked->depth_count = 1;
}

void carom_search_lend_leaves(const carom_search *search, rollout *r, size_t candidate)
{
    if (values_leaves(search)) {
        const struct search_network *state = search->network;
        r->judge = (rollout_judge){.network = search->fixed.desc.network,
                                   .agents = state->agents,
                                   .values = state->said + candidate * r->total * state->agents,
                                   .room = state->room,
                                   .bytes = state->room_bytes};
        r->valued = state->valued + candidate * r->total;
    }
}

void carom_search_value_leaves(carom_search *search)
{
    if (!values_leaves(search) || search->run.late != 0) {
        return;
    }
    const search_fixed *fixed = &search->fixed;
    const struct search_network *state = search->network;
    const size_t leaves = search->phase.facing * search->generation.r.total;

    /* A player's value is the mean over its agents, weighted and discounted like the game's own value. */
    double weight = fixed->desc.network_weight;
    for (size_t t = 0; t < search->generation.depth; t++) {
        weight *= fixed->desc.discount;
    }
    double *returns = search->generation.returns + search->phase.player;
    for (size_t leaf = 0; leaf < leaves; leaf++) {
        double sum = 0;
        for (size_t agent = 0; agent < state->agents; agent++) {
            sum += (double)state->said[leaf * state->agents + agent];
        }
        returns[leaf * fixed->players] += state->valued[leaf] ? weight * (sum / (double)state->agents) : 0;
    }
}

/* ---- plans by the policy ---- */

/* Writes the policy's outputs for all agents as row `row` of the plans. */
static void take_row(const carom_search *search, size_t row)
{
    const search_fixed *fixed = &search->fixed;
    const struct search_network *state = search->network;
    const size_t size = fixed->kind.size;
    for (size_t root = 0; root < fixed->roots; root++) {
        for (size_t p = 0; p < fixed->players; p++) {
            const float *said = state->said + (root * fixed->players + p) * size;
            float *plan = state->plans[p] + root * fixed->series + row * size;
            const float *low = fixed->low + row * size, *high = fixed->high + row * size;
            for (size_t e = 0; e < size; e++) {
                plan[e] = said[e] < low[e] ? low[e] : said[e] > high[e] ? high[e] : said[e];
            }
        }
    }
}

void carom_search_propose(carom_search *search)
{
    const search_fixed *fixed = &search->fixed;
    struct search_network *state = search->network;
    state->begun = 0;
    if (!state->proposes) {
        return;
    }

    /* One sequence from each root, in which all players follow these plans: the rows so far lead to the state for which
     * the policy gives the next row. */
    uint32_t depth = 0;
    rollout r;
    carom_rollout_desc asked = carom_rollout_desc_default(fixed->game);
    asked.horizon = fixed->desc.horizon;
    asked.action_kind = fixed->desc.action_kind;
    asked.final_weight = 0;
    asked.observation_kind = fixed->network_kind;
    asked.depths = &depth;
    asked.depth_count = 1;
    asked.observations = state->seen;
    for (size_t p = 0; p < fixed->players; p++) {
        asked.players[p].source = CAROM_GIVEN;
        asked.players[p].actions = state->plans[p];
        asked.players[p].hold = fixed->desc.hold;
    }
    carom_rollout_describe(&r, search->run.from, &asked);
    r.scratch = search->room.rollout;

    for (size_t row = 0; row < fixed->rows; row++) {
        depth = (uint32_t)(row * fixed->desc.hold);
        r.desc.horizon = depth > 0 ? depth : 1;
        carom_rollout_run(&r);
        run_policy(search);
        take_row(search, row);
    }
}

void carom_search_mix_proposal(carom_search *search)
{
    const search_fixed *fixed = &search->fixed;
    const unsigned player = search->phase.player, bit = 1u << player;
    struct search_network *state = search->network;
    search_generation *generation = &search->generation;
    if (!fixed->desc.network_plan || (state->begun & bit) != 0) {
        return;
    }
    state->begun |= bit;

    /* Draw every other sequence about the policy's plan; the first of these is that plan itself. */
    const size_t bytes = fixed->series * sizeof(float);
    for (size_t root = 0; root < fixed->roots; root++) {
        float *pool = state->pool + 2 * root * fixed->series;
        memcpy(pool, search->distribution.mean + root * fixed->series, bytes);
        memcpy(pool + fixed->series, state->plans[player] + root * fixed->series, bytes);
        one_origin *origins = generation->origins + root * generation->count;
        memset(origins, 0, generation->count * sizeof *origins);
        origins[0].exact = generation->exact;
        for (size_t k = 1; k < generation->count; k += 2) {
            origins[k].first = origins[k].second = 1;
            origins[k].exact = k == 1;
        }
    }
    generation->r.desc.players[player].mean = state->pool;
    generation->r.bred.pool = 2;
    generation->r.bred.origins = generation->origins;
    generation->r.bred.exact = false;
}
