/* SPDX-License-Identifier: MIT
 * Creating a search: checks its arguments, derives the fixed values and allocates all memory.
 */
#include "search/search.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

#define FIRST_LOG 256               /* generations */
#define MOST_KEPT ((size_t)4 << 20) /* bytes: numbers that are kept because they stay in caches */

carom_search_desc carom_search_desc_default(const carom_game *game)
{
    carom_search_desc desc;
    memset(&desc, 0, sizeof desc);
    desc.size = sizeof desc;
    desc.planner = CAROM_CEM;
    (void)carom_game_find_action_kind(game, "normalised", &desc.action_kind);
    desc.sequences = 128;
    desc.horizon = 6;
    desc.hold = 1;
    desc.rollouts = 1024;
    desc.discount = 1;
    desc.reward_weight = 1;
    desc.final_weight = 1;
    desc.value_at_end = true;
    desc.sigma = 0.5;
    desc.sigma_least = 0.05;
    desc.keep = 0.1;
    desc.mutation = 0.3;
    desc.mutation_spread = 0.3;
    desc.temperature = 0.2;
    desc.other = CAROM_OTHER_ZERO;
    desc.other_share = 0.25;
    desc.other_rounds = 1;
    desc.against = CAROM_AGAINST_WORST;
    desc.cut_keep = 0.25;
    return desc;
}

/* ---- checks ---- */

static bool is_positive(double x)
{
    return x > 0 && x < INFINITY;
}

static bool is_within(double low, double x, double high)
{
    return low <= x && x <= high; /* false for NaN */
}

static bool is_budget_sound(uint64_t rollouts, double milliseconds, size_t candidates)
{
    return milliseconds != 0 ? is_positive(milliseconds) : rollouts / SEARCH_LEAST >= candidates;
}

/* Whether the planner's parameters are in range, except those whose range depends on the game. Comparisons are written
 * so that NaN fails them. */
static bool is_sound(const carom_search_desc *desc)
{
    return (unsigned)desc->planner <= CAROM_MPPI && desc->sequences >= SEARCH_LEAST && desc->sequences <= UINT32_MAX &&
           desc->horizon >= 1 && desc->horizon <= UINT32_MAX && desc->hold >= 1 && is_within(0, desc->discount, 1) &&
           fabs(desc->reward_weight) < INFINITY && fabs(desc->final_weight) < INFINITY &&
           (desc->elites == 0 || (desc->elites >= 2 && desc->elites <= desc->sequences)) && is_positive(desc->sigma) &&
           is_within(0, desc->sigma_least, desc->sigma) && desc->keep >= 0 && desc->keep < 1 && desc->mutation > 0 &&
           desc->mutation <= 1 && is_positive(desc->mutation_spread) && is_positive(desc->temperature) &&
           (desc->low == NULL) == (desc->high == NULL) && desc->cut_after < desc->horizon && desc->cut_keep > 0 &&
           desc->cut_keep < 1;
}

/* Reports in the batch what searches on its device do not support. */
static carom_status refuse(const carom_worlds *roots)
{
    return carom_worlds_refuse(
        (carom_worlds *)(uintptr_t)roots, CAROM_ERROR_UNSUPPORTED,
        "%s: a search on a device has a budget in rollouts, no network, and no function that values leaves",
        roots->desc.game->info.name);
}

/* The arguments of carom_search_create(). */
static carom_status check(const carom_worlds *roots, const carom_search_desc *desc)
{
    if (roots == NULL || desc == NULL || desc->size != sizeof *desc || !is_sound(desc)) {
        return CAROM_ERROR_ARGUMENT;
    }

    /* Kinds and players must exist in this game, and sizes in bytes must not overflow. Only normalised actions have
     * default bounds; for other kinds the caller must give them. */
    const carom_game *game = roots->desc.game;
    size_t total, a_round;
    const size_t candidates = carom_search_candidates(game, desc, &a_round);
    if (desc->player >= game->info.players || desc->action_kind >= game->info.action_kinds ||
        !carom_search_check_candidates(game, desc) || roots->desc.count > UINT32_MAX ||
        !size_multiply(roots->desc.count, desc->sequences, &total) || !size_multiply(total, candidates, &total) ||
        total > SIZE_MAX / 65536 || !is_budget_sound(desc->rollouts, desc->milliseconds, candidates) ||
        !carom_rollout_check_kinds(roots, desc->observation_kind, desc->observed, desc->reward_kind) ||
        (desc->low == NULL && strcmp(game->kinds[desc->action_kind].name, "normalised") != 0)) {
        return CAROM_ERROR_ARGUMENT;
    }

    /* On a device rollouts are queued, so that the budget must be in rollouts and no function on this processor can
     * value leaves. */
    if (carom_is_on_device(roots)) {
        if (desc->milliseconds != 0 || desc->value != NULL || desc->network != NULL) {
            return refuse(roots);
        }
    }

    /* Weights and bounds come last: their error is CAROM_ERROR_VALUE. */
    carom_status status = carom_search_check_network(game, desc, NULL);
    status = status == CAROM_OK ? carom_rollout_check_value(game, desc->value_kind, desc->weights) : status;
    if (status != CAROM_OK) {
        return status;
    }
    const size_t series = rollout_rows(desc->horizon, desc->hold) * game->kinds[desc->action_kind].size;
    return carom_rollout_check_bounds(desc->low, desc->high, series) ? CAROM_OK : CAROM_ERROR_VALUE;
}

/* ---- memory ---- */

/* Allocates at least count x each x bytes where the search's arrays are or, if `here`, always in memory of this
 * processor. On failure returns NULL and sets search->missing, so that a series of blocks needs only one test. */
static void *take(carom_search *search, bool here, size_t count, size_t each, size_t bytes)
{
    size_t all;
    void *block = NULL;
    if (size_multiply(count, each, &all) && size_multiply(all, bytes, &all) && all < SIZE_MAX / 2) {
        block = here ? carom_memory_take(all + 1) : search->engine->take(search, all + 1);
    }
    search->missing |= block == NULL;
    return block;
}

/* Bytes of the numbers of a generation, rounded up to whole tiles; 0: they are not kept. */
static size_t kept_bytes(const carom_search *search, const carom_worlds *roots)
{
    const search_fixed *fixed = &search->fixed;
    const size_t tiles = fixed->roots * fixed->desc.sequences / CAROM_TILE + 1,
                 most = MOST_KEPT / (CAROM_TILE * sizeof(float)); /* numbers */
    const bool few = fixed->series > 0 && tiles <= most / fixed->series;
    return few && fixed->desc.cut_after == 0 && roots->layout.lanes == CAROM_TILE && search->home == NULL
               ? tiles * fixed->series * CAROM_TILE * sizeof(float)
               : 0;
}

/* Allocates everything except what only some runs need: see carom_search_take_leaves(). */
static bool take_memory(carom_search *search, const carom_worlds *example)
{
    const search_fixed *fixed = &search->fixed;
    const size_t roots = fixed->roots, series = fixed->series, players = fixed->players;
    const size_t rollouts = roots * fixed->desc.sequences, number_bytes = fixed->kind.precision / 8;
    search_generation *generation = &search->generation;
    search_distribution *distribution = &search->distribution;

    /* Bounds, and for the other players, if any, their candidates and plans. Fictitious play keeps the plans of all
     * rounds; otherwise only those from the beginning of the run are kept. */
    search->fixed.low = (float *)take(search, true, series, 1, sizeof(float));
    search->fixed.high = (float *)take(search, true, series, 1, sizeof(float));
    search->fixed.list = (search_candidate *)take(search, true, fixed->candidates, 1, sizeof(search_candidate));
    const size_t kept = fixed->a_round > 0 ? (size_t)fixed->desc.other_rounds + 1 : 1;
    for (size_t p = 0; p < players && players > 1; p++) {
        search->phase.broadcast[p] = (unsigned char *)take(search, false, roots, series, number_bytes);
        if (p != fixed->desc.player) {
            search->phase.found[p] = (unsigned char *)take(search, false, roots * series, kept, number_bytes);
        }
    }

    /* Plans, and the past of each root. */
    for (size_t p = 0; p < players; p++) {
        search->past.plans[p] = (float *)take(search, false, roots, series, sizeof(float));
    }
    search->past.moments = (search_moment *)take(search, false, roots, 1, sizeof(search_moment));
    search->past.values = (double *)take(search, false, roots, 1, sizeof(double));
    search->phase.reached = (double *)take(search, false, roots, 1, sizeof(double));

    /* The distribution; the genetic planner also needs the next parents and their returns. */
    distribution->mean = (float *)take(search, false, roots * fixed->pool, series, sizeof(float));
    distribution->sigma = (float *)take(search, false, roots, series, sizeof(float));
    if (fixed->desc.planner == CAROM_GENETIC) {
        distribution->next_parents = (float *)take(search, false, roots * fixed->elites, series, sizeof(float));
        distribution->values = (double *)take(search, false, roots, fixed->elites, sizeof(double));
    }

    /* The largest generation: all sequences against all candidates. */
    generation->origins = (one_origin *)take(search, false, rollouts, 1, sizeof(one_origin));
    generation->returns = (double *)take(search, false, fixed->candidates * rollouts, players, sizeof(double));
    generation->chosen = (uint32_t *)take(search, false, fixed->desc.cut_after > 0 ? rollouts : 0, 1, sizeof(uint32_t));
    generation->results = (search_result *)take(search, false, roots, 1, sizeof(search_result));

    const size_t bytes = kept_bytes(search, example);
    if (bytes > 0) {
        generation->numbers = (float *)take(search, true, bytes, 1, 1);
    }

    /* The log grows during a run, so it comes from malloc(). */
    search->run.log = (carom_search_generation *)malloc(FIRST_LOG * sizeof *search->run.log);
    search->run.logged = FIRST_LOG;
    search->room.bytes = carom_search_room_bytes(fixed);
    search->room.learn = (unsigned char *)take(search, true, fixed->worlds.threads, 1, search->room.bytes);
    return !search->missing && search->run.log != NULL;
}

bool carom_search_take_leaves(carom_search *search)
{
    const search_fixed *fixed = &search->fixed;
    search_generation *generation = &search->generation;
    const size_t leaves = fixed->candidates * fixed->roots * fixed->desc.sequences;
    if (generation->observations == NULL) {
        generation->observations = (float *)take(search, false, leaves, generation->r.d.width, sizeof(float));
    }
    if (generation->valued == NULL) {
        generation->valued = (bool *)take(search, false, leaves, 1, sizeof(bool));
    }
    return !search->missing;
}

/* Allocates scratch memory for the largest rollout of any run: a whole generation, with leaves. Describing that rollout
 * gives the size. */
static bool take_room(carom_search *search, const carom_worlds *roots)
{
    const search_fixed *fixed = &search->fixed;
    const rollout *r = &search->generation.r;

    search->run.external = true;
    search->generation.depth = (uint32_t)fixed->desc.horizon;
    carom_search_describe(search, roots, fixed->desc.sequences);
    search->run.external = false;

    search->room.rollout = (unsigned char *)take(search, true, carom_rollout_threads(r), 1, r->scratch_bytes);
    return !search->missing && (fixed->desc.value == NULL || carom_search_take_leaves(search));
}

/* ---- creation ---- */

/* Copies the weights, whose number depends on the kind of value, so that the caller may free its array. */
static void fix_weights(search_fixed *fixed, const carom_search_desc *desc)
{
    carom_value_kind valued;
    (void)carom_game_value_kind(fixed->game, desc->value_kind, &valued);
    memcpy(fixed->weights, desc->weights, valued.weights * sizeof *fixed->weights);
    fixed->desc.weights = fixed->weights;
}

/* Stores the descriptor and what follows from it, except bounds and candidates. */
static void fix(search_fixed *fixed, const carom_worlds *roots, const carom_search_desc *desc)
{
    fixed->desc = *desc;
    fixed->worlds = roots->desc;
    fixed->content = roots->content;
    fixed->game = roots->desc.game;
    fixed->kind = fixed->game->kinds[desc->action_kind];
    fixed->roots = roots->desc.count;
    fixed->players = fixed->game->info.players;
    fixed->rows = rollout_rows(desc->horizon, desc->hold);
    fixed->series = fixed->rows * fixed->kind.size;
    fixed->candidates = carom_search_candidates(fixed->game, desc, &fixed->a_round);

    /* By default an eighth of a generation, at least 2. */
    fixed->elites = desc->elites != 0 ? desc->elites : desc->sequences / 8 > 2 ? desc->sequences / 8 : 2;
    fixed->pool = desc->planner == CAROM_GENETIC ? fixed->elites : 1;
    fixed->threshold = desc->planner == CAROM_GENETIC ? carom_search_threshold(desc->mutation) : 0.0f;
    if (desc->weights != NULL) {
        fix_weights(fixed, desc);
    }
}

/* Copies bounds and candidates, so that nothing of the caller's that the descriptor points at is read later. */
static void fix_lists(search_fixed *fixed, const carom_search_desc *desc)
{
    for (size_t n = 0; n < fixed->series; n++) {
        fixed->low[n] = desc->low != NULL ? desc->low[n] : -1.0f;
        fixed->high[n] = desc->high != NULL ? desc->high[n] : 1.0f;
        fixed->bounded |= fixed->low[n] != -1.0f || fixed->high[n] != 1.0f;

        const size_t before = n < fixed->kind.size ? n : n - fixed->kind.size; /* the same number a row earlier */
        fixed->uneven |= fixed->low[n] != fixed->low[before] || fixed->high[n] != fixed->high[before];
    }
    fixed->desc.low = fixed->low;
    fixed->desc.high = fixed->high;
    fixed->desc.candidates = NULL;
    carom_search_take_candidates(fixed, desc);
}

carom_status carom_search_create(const carom_worlds *roots, const carom_search_desc *desc, carom_search **search)
{
    if (search == NULL) {
        return CAROM_ERROR_ARGUMENT;
    }
    *search = NULL;
    const carom_status status = check(roots, desc);
    if (status != CAROM_OK) {
        return status;
    }

    carom_search *made = (carom_search *)calloc(1, sizeof *made);
    if (made == NULL) {
        return CAROM_ERROR_MEMORY;
    }

    /* The sizes of the arrays follow from the descriptor; lists are copied into them. */
    made->engine = &carom_search_here;
    if (carom_is_on_device(roots)) {
        made->engine = carom_device_ops.search;
        made->home = roots;
    }
    fix(&made->fixed, roots, desc);
    if (!take_memory(made, roots) || !take_room(made, roots)) {
        carom_search_destroy(made);
        return CAROM_ERROR_MEMORY;
    }

    if (search_has_network(&made->fixed)) {
        if (!carom_search_take_network(made, desc)) {
            carom_search_destroy(made);
            return CAROM_ERROR_MEMORY;
        }
    }

    fix_lists(&made->fixed, desc);
    if (carom_is_on_device(made->home)) {
        made->failed = carom_device_ops.search_create(made, roots);
    }
    made->engine->start_plans(made);
    if (carom_is_on_device(made->home)) {
        const carom_status failed = made->failed;
        if (failed != CAROM_OK) {
            carom_search_destroy(made);
            return failed;
        }
    }
    *search = made;
    return CAROM_OK;
}

void carom_search_destroy(carom_search *search)
{
    if (search == NULL) {
        return;
    }

    const search_distribution *distribution = &search->distribution;
    const search_generation *generation = &search->generation;
    void *const here[] = {search->fixed.low,  search->fixed.high,   search->fixed.list,
                          search->room.learn, search->room.rollout, search->generation.numbers};
    void *const blocks[] = {search->past.moments,    search->past.values, search->phase.reached,
                            distribution->mean,      distribution->sigma, distribution->next_parents,
                            distribution->values,    generation->origins, generation->chosen,
                            generation->returns,     generation->valued,  generation->results,
                            generation->observations};
    for (size_t k = 0; k < sizeof here / sizeof here[0]; k++) {
        carom_memory_release(here[k]);
    }
    for (size_t k = 0; k < sizeof blocks / sizeof blocks[0]; k++) {
        search->engine->release(search, blocks[k]);
    }
    for (size_t p = 0; p < search->fixed.players; p++) {
        search->engine->release(search, search->past.plans[p]);
        search->engine->release(search, search->phase.broadcast[p]);
        search->engine->release(search, search->phase.found[p]);
    }
    if (carom_is_on_device(search->home)) {
        carom_device_ops.search_destroy(search);
    }
    carom_search_release_network(search);
    free(search->run.log);
    free(search->watch);
    free(search);
}

carom_status carom_search_set_budget(carom_search *search, uint64_t rollouts, double milliseconds)
{
    if (search == NULL || !is_budget_sound(rollouts, milliseconds, search->fixed.candidates)) {
        return CAROM_ERROR_ARGUMENT;
    }
    if (carom_is_on_device(search->home)) {
        if (milliseconds != 0) {
            return refuse(search->home);
        }
    }
    search->fixed.desc.rollouts = rollouts;
    search->fixed.desc.milliseconds = milliseconds;
    return CAROM_OK;
}
