/* SPDX-License-Identifier: MIT
 * A search from its creation to its plan. A run consists of phases, in each of which one player plans against the
 * others' plans for its part of the budget. A phase consists of generations: draw sequences, roll them out, learn from
 * their returns. With a cut (cut.c) a generation has two parts.
 *
 * More than 800 lines with their comments: the steps of a run share many small functions that nothing else uses.
 */
#include "search/search.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/memory.h"
#include "base/progress.h"
#include "worlds/layout.h"

#define LEAST_SEQUENCES 4 /* of a generation */
#define FIRST_LOG 256     /* generations */

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

/* ---- creation ---- */

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
    return milliseconds != 0 ? is_positive(milliseconds) : rollouts / LEAST_SEQUENCES >= candidates;
}

/* Are the planner's parameters in range, as far as that does not depend on the game? Comparisons are written so that
 * NaN fails them. */
static bool is_sound(const carom_search_desc *desc)
{
    return (unsigned)desc->planner <= CAROM_MPPI && desc->sequences >= LEAST_SEQUENCES &&
           desc->sequences <= UINT32_MAX && desc->horizon >= 1 && desc->horizon <= UINT32_MAX && desc->hold >= 1 &&
           is_within(0, desc->discount, 1) && fabs(desc->reward_weight) < INFINITY &&
           fabs(desc->final_weight) < INFINITY &&
           (desc->elites == 0 || (desc->elites >= 2 && desc->elites <= desc->sequences)) && is_positive(desc->sigma) &&
           is_within(0, desc->sigma_least, desc->sigma) && desc->keep >= 0 && desc->keep < 1 && desc->mutation > 0 &&
           desc->mutation <= 1 && is_positive(desc->mutation_spread) && is_positive(desc->temperature) &&
           (desc->low == NULL) == (desc->high == NULL) && desc->cut_after < desc->horizon && desc->cut_keep > 0 &&
           desc->cut_keep < 1;
}

/* The arguments of carom_search_create(). */
static carom_status check(const carom_worlds *roots, const carom_search_desc *desc)
{
    if (roots == NULL || desc == NULL || desc->size != sizeof *desc || !is_sound(desc)) {
        return CAROM_ERROR_ARGUMENT;
    }

    /* Kinds and players must exist in this game, and the number of rollouts must leave room for sizes in bytes. Only
     * normalised actions have bounds of their own, so other kinds need the caller's. */
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

    /* Weights and bounds come last: they have an error of their own, CAROM_ERROR_VALUE. */
    const carom_status status = carom_rollout_check_value(game, desc->value_kind, desc->weights);
    if (status != CAROM_OK) {
        return status;
    }
    const size_t series = ((desc->horizon - 1) / desc->hold + 1) * game->kinds[desc->action_kind].size;
    for (size_t n = 0; n < series && desc->low != NULL; n++) {
        if (!(desc->low[n] > -INFINITY && desc->low[n] <= desc->high[n] && desc->high[n] < INFINITY)) {
            return CAROM_ERROR_VALUE;
        }
    }
    return CAROM_OK;
}

/* Allocates at least count x each x bytes; on failure returns NULL and sets *missing, so that a series of blocks needs
 * one test. */
static void *take(size_t count, size_t each, size_t bytes, bool *missing)
{
    size_t all;
    void *block = NULL;
    if (size_multiply(count, each, &all) && size_multiply(all, bytes, &all) && all < SIZE_MAX / 2) {
        block = carom_memory_take(all + 1);
    }
    *missing |= block == NULL;
    return block;
}

/* The initial plan of a root: halfway between the bounds. */
static void start_plan(const carom_search *search, float *plan)
{
    for (size_t n = 0; n < search->series; n++) {
        plan[n] = (search->low[n] + search->high[n]) * 0.5f;
    }
}

static void start_plans(const carom_search *search)
{
    for (unsigned p = 0; p < search->players; p++) {
        for (size_t root = 0; root < search->roots; root++) {
            start_plan(search, search->plans[p] + root * search->series);
        }
    }
}

/* Describes in search->r the rollout of a generation of `count` sequences. The players are set later, by
 * carom_search_sample() and carom_search_face(). */
static void describe(carom_search *search, const carom_worlds *roots, size_t count)
{
    const carom_search_desc *desc = &search->desc;
    carom_rollout_desc asked = carom_rollout_desc_default(search->game);

    /* Every generation has its own seed, so that no generation repeats the sequences of another. Values from outside
     * replace the final value, which then must not be computed into the returns. */
    asked.sequences = count;
    asked.horizon = desc->horizon;
    asked.action_kind = desc->action_kind;
    asked.seed = mix64(desc->seed + HASH_GOLDEN * (search->draws + 1));
    asked.discount = desc->discount;
    asked.reward_weight = desc->reward_weight;
    asked.final_weight = search->external ? 0 : desc->final_weight;
    asked.observation_kind = desc->observation_kind;
    asked.observed = desc->observed;
    asked.reward_kind = desc->reward_kind;
    asked.value_at_end = desc->value_at_end;
    asked.value = desc->value_kind;
    asked.weights = desc->weights;
    asked.cancel = desc->cancel;

    for (unsigned p = 0; p < search->players; p++) {
        asked.players[p].hold = desc->hold;
    }

    /* The caller's value function needs what the players see at the leaves only. The depth is a pointer: a cut
     * changes it between two parts. */
    if (search->external) {
        asked.depths = &search->depth;
        asked.depth_count = 1;
    }

    /* What public rollouts do not have: shared working memory, the count of ticks and the deadline. */
    carom_rollout_describe(&search->r, roots, &asked);
    search->r.scratch = search->scratch;
    search->r.ticks = &search->ticks;
    search->r.late = &search->late;
    search->r.deadline = desc->milliseconds > 0 ? search->begun + desc->milliseconds / 1000 : 0;
    search->count = count;
}

static bool take_memory(carom_search *search)
{
    const size_t roots = search->roots, series = search->series, sequences = search->desc.sequences;
    const size_t rollouts = roots * sequences, players = search->players;
    const bool genetic = search->desc.planner == CAROM_GENETIC;
    bool missing = false;

    /* Bounds, plans, and what is remembered of each root. */
    search->low = (float *)take(series, 1, sizeof(float), &missing);
    search->high = (float *)take(series, 1, sizeof(float), &missing);
    for (size_t p = 0; p < search->players; p++) {
        search->plans[p] = (float *)take(roots, series, sizeof(float), &missing);
    }
    search->moments = (search_moment *)take(roots, 1, sizeof *search->moments, &missing);
    search->values = (double *)take(roots, 1, sizeof(double), &missing);

    /* The distribution; the genetic planner also needs the next parents and their returns. */
    search->reached = (double *)take(roots, 1, sizeof(double), &missing);
    search->mean = (float *)take(roots * search->pool, series, sizeof(float), &missing);
    search->sigma = (float *)take(roots, series, sizeof(float), &missing);
    if (genetic) {
        search->offspring = (float *)take(roots * search->elites, series, sizeof(float), &missing);
        search->pool_values = (double *)take(roots, search->elites, sizeof(double), &missing);
    }

    /* The other players: their candidates and, if there are others, their plans. Fictitious play keeps the plans of
     * all rounds, otherwise only those from the beginning of the run are kept. */
    search->list = (search_candidate *)take(search->candidates, 1, sizeof *search->list, &missing);
    const size_t kept = search->a_round > 0 ? (size_t)search->desc.other_rounds + 1 : 1;
    for (size_t p = 0; p < players && players > 1; p++) {
        search->broadcast[p] = (unsigned char *)take(roots, series, search->kind.precision / 8, &missing);
        if (p != search->desc.player) {
            search->found[p] = (unsigned char *)take(roots * series, kept, search->kind.precision / 8, &missing);
        }
    }

    /* The largest generation: all sequences against all candidates. */
    search->origins = (rollout_origin *)take(roots, sequences, sizeof(rollout_origin), &missing);
    search->returns = (double *)take(search->candidates * rollouts, players, sizeof(double), &missing);
    search->chosen = (uint32_t *)take(search->desc.cut_after > 0 ? rollouts : 0, 1, sizeof(uint32_t), &missing);
    search->results = (search_result *)take(roots, 1, sizeof *search->results, &missing);

    /* The log grows during a run, so it comes from malloc(). */
    search->log = (carom_search_generation *)malloc(FIRST_LOG * sizeof *search->log);
    search->logged = FIRST_LOG;
    search->room_bytes = carom_search_room_bytes(search);
    search->room = (unsigned char *)take(search->worlds.threads, search->room_bytes, 1, &missing);
    return !missing && search->log != NULL;
}

/* Allocates what only runs with values from outside need, on the first such run. */
static bool take_leaves(carom_search *search)
{
    bool missing = false;
    const size_t leaves = search->candidates * search->roots * search->desc.sequences;
    if (search->observations == NULL) {
        search->observations = (float *)take(leaves, search->r.d.width, sizeof(float), &missing);
    }
    if (search->valued == NULL) {
        search->valued = (bool *)take(leaves, 1, sizeof(bool), &missing);
    }
    return !missing;
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

    /* Sizes, which follow from the descriptor and the game. An eighth of a generation are elites by default, at least
     * 2. */
    carom_search *made = (carom_search *)calloc(1, sizeof *made);
    if (made == NULL) {
        return CAROM_ERROR_MEMORY;
    }
    made->desc = *desc;
    made->worlds = roots->desc;
    made->content = roots->content;
    made->game = roots->desc.game;
    made->kind = made->game->kinds[desc->action_kind];
    made->roots = roots->desc.count;
    made->players = made->game->info.players;
    made->rows = (desc->horizon - 1) / desc->hold + 1;
    made->series = made->rows * made->kind.size;
    made->elites = desc->elites != 0 ? desc->elites : desc->sequences / 8 > 2 ? desc->sequences / 8 : 2;
    made->pool = desc->planner == CAROM_GENETIC ? made->elites : 1;
    made->candidates = carom_search_candidates(made->game, desc, &made->a_round);
    made->depth = (uint32_t)desc->horizon;
    made->planner_player = desc->player;

    /* Copy the weights, whose number depends on the kind of value: the caller's array may go. */
    carom_value_kind valued;
    (void)carom_game_value_kind(made->game, desc->value_kind, &valued);
    if (desc->weights != NULL) {
        memcpy(made->weights, desc->weights, valued.weights * sizeof *made->weights);
        made->desc.weights = made->weights;
    }

    /* Describe the largest rollout of any run to learn how much working memory it needs: with leaves, and of a whole
     * generation. */
    bool sound = take_memory(made);
    if (sound) {
        made->external = true; /* leaves need larger scratch */
        describe(made, roots, desc->sequences);
        sound = desc->value == NULL || take_leaves(made);
        bool missing = false;
        made->scratch = (unsigned char *)take(carom_rollout_threads(&made->r), made->r.scratch_bytes, 1, &missing);
        made->external = false;
        sound = sound && !missing;
    }
    if (!sound) {
        carom_search_destroy(made);
        return CAROM_ERROR_MEMORY;
    }

    /* Own bounds and candidates, so that the descriptor points at nothing of the caller's that it reads later. */
    for (size_t n = 0; n < made->series; n++) {
        made->low[n] = desc->low != NULL ? desc->low[n] : -1.0f;
        made->high[n] = desc->high != NULL ? desc->high[n] : 1.0f;
        made->bounded |= made->low[n] != -1.0f || made->high[n] != 1.0f;
    }
    made->desc.low = made->low;
    made->desc.high = made->high;
    made->desc.candidates = NULL;
    carom_search_take_candidates(made, desc);

    start_plans(made);
    *search = made;
    return CAROM_OK;
}

void carom_search_destroy(carom_search *search)
{
    if (search == NULL) {
        return;
    }
    void *const blocks[] = {
        search->low,   search->high,      search->moments,     search->values,  search->reached,      search->mean,
        search->sigma, search->offspring, search->pool_values, search->origins, search->returns,      search->results,
        search->room,  search->valued,    search->scratch,     search->list,    search->observations, search->chosen};
    for (size_t k = 0; k < sizeof blocks / sizeof blocks[0]; k++) {
        carom_memory_release(blocks[k]);
    }
    for (size_t p = 0; p < search->players; p++) {
        carom_memory_release(search->plans[p]);
        carom_memory_release(search->broadcast[p]);
        carom_memory_release(search->found[p]);
    }
    free(search->log);
    free(search);
}

carom_status carom_search_set_budget(carom_search *search, uint64_t rollouts, double milliseconds)
{
    if (search == NULL || !is_budget_sound(rollouts, milliseconds, search->candidates)) {
        return CAROM_ERROR_ARGUMENT;
    }
    search->desc.rollouts = rollouts;
    search->desc.milliseconds = milliseconds;
    return CAROM_OK;
}

/* ---- from turn to turn ---- */

/* Identifies the state of a root. */
static search_moment moment_of(const carom_worlds *roots, size_t root)
{
    const world_layout *layout = &roots->layout;
    const void *tile = carom_worlds_tile_of(roots, root);
    const unsigned lane = carom_worlds_lane_of(roots, root);
    search_moment moment;
    moment.id = carom_tile_get_id(layout, tile, lane);
    moment.episode = *(const int32_t *)field_in(&layout->fields[FIELD_episode], tile, lane);
    moment.tick = *(const int32_t *)field_in(&layout->fields[FIELD_tick], tile, lane);
    return moment;
}

/* Shifts a plan by `ticks` ticks; the last row is repeated at the end. If the shift is not a whole number of rows, each
 * row becomes the mean of the two that it then covers, weighted by the ticks it shares with them. Rows are read before
 * they are overwritten, because `from` never lies before `row`. */
static void shift(const carom_search *search, float *plan, uint64_t ticks)
{
    const size_t size = search->kind.size, rows = search->rows;
    const uint64_t whole = ticks / search->desc.hold;
    const float part = (float)(ticks % search->desc.hold) / (float)search->desc.hold;
    for (size_t row = 0; row < rows; row++) {
        const size_t from = whole < rows - row ? row + (size_t)whole : rows - 1;
        const size_t next = from + 1 < rows ? from + 1 : rows - 1;
        for (size_t e = 0; e < size; e++) {
            const float a = plan[from * size + e], b = plan[next * size + e];
            plan[row * size + e] = part > 0 ? a + part * (b - a) : a;
        }
    }
}

/* Before a run: turns the plans of the last run into the initial plans of this one. A world that has played on in the
 * same game keeps its plan, shifted; any other begins from the initial plan. Plans that the caller has set since are
 * used as they are. */
static void move_plans_on(carom_search *search, const carom_worlds *roots)
{
    for (size_t root = 0; root < search->roots; root++) {
        const search_moment now = moment_of(roots, root), then = search->moments[root];
        const bool same = search->met && now.id == then.id && now.episode == then.episode && now.tick >= then.tick;
        for (unsigned p = 0; p < search->players; p++) {
            float *plan = search->plans[p] + root * search->series;
            if (search->fresh[p]) {
                continue;
            }
            if (same) {
                shift(search, plan, (uint64_t)((int64_t)now.tick - then.tick));
            } else {
                start_plan(search, plan);
            }
        }
        search->moments[root] = now;
    }
    search->met = true;
    memset(search->fresh, 0, sizeof search->fresh);
}

/* ---- phases ---- */

/* The fraction of the budget that the first `phases` phases use. The rounds share it equally; within a round the others
 * have other_share, in equal parts, and the player the rest. */
static double part_after(const carom_search *search, unsigned phases)
{
    const unsigned players = (unsigned)search->players, whole = phases / players, planned = phases % players;
    const double rounds = (double)whole + search->desc.other_share * planned / (players - 1);
    return rounds / (double)search->desc.other_rounds;
}

/* Writes the plan of a player for all roots, in the precision of its actions. */
static void write_plan(const carom_search *search, unsigned player, unsigned char *to)
{
    const float *plan = search->plans[player];
    const size_t numbers = search->roots * search->series;
    if (search->kind.precision == CAROM_F32) {
        memcpy(to, plan, numbers * sizeof *plan);
    }
    for (size_t n = 0; n < numbers && search->kind.precision == CAROM_F64; n++) {
        ((double *)(void *)to)[n] = (double)plan[n];
    }
}

unsigned char *carom_search_found(const carom_search *search, unsigned player, unsigned round)
{
    return search->found[player] + round * search->roots * search->series * (search->kind.precision / 8);
}

/* The player who plans in a phase: in each round first the others, in order, then the search's own player. */
static unsigned planner_of(const carom_search *search, unsigned phase)
{
    const unsigned turn = phase % (unsigned)search->players, player = search->desc.player;
    return turn + 1 == search->players ? player : turn < player ? turn : turn + 1;
}

/* Stores the plans that the other players have after `round` rounds. */
static void keep_found(const carom_search *search, unsigned round)
{
    for (unsigned p = 0; p < search->players; p++) {
        if (search->found[p] != NULL) {
            write_plan(search, p, carom_search_found(search, p, round));
        }
    }
}

/* Fixes the plans that all but the planning player follow in this phase. In fictitious play, stores them before the
 * search's own player answers them. own: that player plans. */
static void take_plans(const carom_search *search, bool own, unsigned rounds)
{
    for (unsigned p = 0; p < search->players; p++) {
        if (p != search->planner_player) {
            write_plan(search, p, search->broadcast[p]);
        }
    }
    if (own && search->a_round > 0) {
        keep_found(search, rounds);
    }
}

/* Sets the planning player of a phase and the fractions of the budget between which it plans. */
static void begin_turn(carom_search *search, double *from, double *to)
{
    search->planner_player = planner_of(search, search->phase);
    *from = part_after(search, search->phase);
    *to = part_after(search, search->phase + 1);
}

/* Begins the phase search->phase: who plans, against what, with how much of the budget. */
static void begin_phase(carom_search *search)
{
    const carom_search_desc *desc = &search->desc;
    const bool last = search->phase + 1 == search->phases;
    double from = 0, to = 1;
    search->planner_player = desc->player;
    if (search->phases > 1) {
        begin_turn(search, &from, &to);
    }

    /* The last phase ends with the budget itself, since rounding of the fractions could lose a rollout. */
    const uint64_t first = (uint64_t)(from * (double)desc->rollouts);
    const uint64_t end = last ? desc->rollouts : (uint64_t)(to * (double)desc->rollouts);

    /* Only the search's own player answers all candidates found so far. Another player answers the current plans, the
     * only candidate then. */
    const bool own = search->planner_player == desc->player;
    const unsigned rounds = (search->phase + 1) / (unsigned)search->players; /* that the others have finished */
    search->facing = own ? search->candidates - search->a_round * (desc->other_rounds - rounds) : 1;

    /* Every phase has enough for one small generation, however little its share is; a budget in time limits it by the
     * clock instead. */
    search->left = end - first > LEAST_SEQUENCES * search->facing ? end - first : LEAST_SEQUENCES * search->facing;
    search->spare = 0;
    search->phase_end = search->begun + (last ? 1 : to) * desc->milliseconds / 1000;
    search->slowest = 0;

    /* Draw about the plan as it is now, with the other players' plans fixed. */
    if (desc->other >= CAROM_OTHER_PLAN) {
        take_plans(search, own, rounds);
    }
    carom_search_open(search);
}

/* Is another generation affordable in this phase? With a budget in time: one that takes 5% longer than the slowest so
 * far must end in time, since an unfinished one is wasted. */
static bool has_budget(const carom_search *search)
{
    if (search->late != 0) {
        return false;
    }
    if (search->desc.milliseconds > 0) {
        return carom_rollout_clock() + 1.05 * search->slowest < search->phase_end;
    }
    return search->left >= LEAST_SEQUENCES * search->facing;
}

/* Describes the next part of a generation, beginning the next phase where one is over. False: the run is over. */
static bool begin_part(carom_search *search)
{
    if (search->first_part) {
        carom_search_begin_rest(search);
        return true;
    }

    /* Skip to the phase that still has budget. */
    while (search->phase < search->phases && !has_budget(search)) {
        search->phase++;
        if (search->phase < search->phases) {
            begin_phase(search);
        }
    }
    if (search->phase == search->phases || progress_cancelled(search->desc.cancel)) {
        return false;
    }

    /* The last generation of a phase may be smaller: it uses up what is left. */
    size_t count = search->desc.sequences;
    if (!(search->desc.milliseconds > 0) && search->left / search->facing < count) {
        count = (size_t)(search->left / search->facing);
    }

    /* Draw the generation. Unless a cut splits it, its first part is all of it. */
    search->generation_begun = carom_rollout_clock();
    search->ticks = 0;
    describe(search, search->from, count);
    search->draws++;
    carom_search_sample(search);
    search->kept = count;
    search->depth = (uint32_t)search->desc.horizon;
    if (search->desc.cut_after > 0) {
        carom_search_begin_cut(search);
    }
    return true;
}

/* Accounts for a complete generation: an entry in the log, the report, the budget. */
static carom_status tell(carom_search *search)
{
    const size_t index = search->report.generations;
    if (index == search->logged) {
        carom_search_generation *more =
            (carom_search_generation *)realloc(search->log, 2 * search->logged * sizeof *more);
        if (more == NULL) {
            return CAROM_ERROR_MEMORY;
        }
        search->log = more;
        search->logged *= 2;
    }

    /* The numbers of the entry are means over the roots; its rollouts are of all roots against all candidates. */
    const double now = carom_rollout_clock(), seconds = now - search->generation_begun;
    const uint64_t rollouts = search->facing * search->roots;
    carom_search_generation told = {search->planner_player,
                                    rollouts * search->count,
                                    search->ticks,
                                    0,
                                    0,
                                    0,
                                    now - search->begun,
                                    rollouts * (search->count - search->kept)};
    for (size_t root = 0; root < search->roots; root++) {
        told.best += search->results[root].best / (double)search->roots;
        told.mean += search->results[root].mean / (double)search->roots;
        told.spread += search->results[root].spread / (double)search->roots;
    }

    search->log[index] = told;
    search->report.generations++;
    search->report.rollouts += told.rollouts;
    search->report.ticks += told.ticks;
    search->report.cut += told.cut;

    /* Charge the budget, in rollouts of one root: with a cut the ticks count, rounded up to whole horizons. */
    search->slowest = seconds > search->slowest ? seconds : search->slowest;
    const uint64_t cost = search->facing * (search->kept < search->count ? carom_search_cost(search) : search->count);
    search->left -= cost < search->left ? cost : search->left;
    return CAROM_OK;
}

/* Leaves of the current part: of all roots, against all candidates. */
static size_t leaves_of(const carom_search *search)
{
    return search->facing * search->r.total;
}

/* Takes the returns of a part that has been rolled out, with the values of its leaves unless values is NULL. After the
 * first part of a cut, chooses the sequences that go on; otherwise learns from the generation. */
static carom_status end_part(carom_search *search, const double *values)
{
    /* A value counts like the game's own final value: weighted, and discounted by all ticks before it. */
    double weight = search->desc.final_weight;
    for (size_t t = 0; t < search->depth; t++) {
        weight *= search->desc.discount;
    }
    for (size_t k = 0; k < leaves_of(search) * search->players && values != NULL; k++) {
        if (search->valued[k / search->players]) {
            const double sum = search->returns[k] + weight * values[k];
            search->returns[k] = sum > -INFINITY ? sum : -INFINITY; /* NaN: the worst return */
        }
    }

    /* From here on a sequence has one return, whatever the number of candidates. */
    if (search->facing > 1) {
        carom_search_combine(search);
    }
    if (search->first_part) {
        carom_search_choose(search);
        return CAROM_OK;
    }
    if (search->kept < search->count) {
        carom_search_spread(search);
    }
    carom_search_learn(search);
    return tell(search);
}

/* Ends a run, whether complete or not. */
static void finish(carom_search *search)
{
    if (search->number > 0 && search->planner_player == search->desc.player) {
        memcpy(search->values, search->reached, search->roots * sizeof *search->values);
    }
    search->report.seconds = carom_rollout_clock() - search->begun;
    search->from = NULL;
    search->waiting = false;
}

/* ---- running ---- */

/* Begins a run. external: the caller values the leaves. The roots must be such as those that memory was allocated
 * for at creation. */
static carom_status begin(carom_search *search, const carom_worlds *roots, bool external)
{
    if (search == NULL || roots == NULL || roots->content != search->content || roots->desc.count != search->roots ||
        roots->desc.precision != search->worlds.precision || roots->desc.isa != search->worlds.isa ||
        roots->desc.threads != search->worlds.threads) {
        return CAROM_ERROR_ARGUMENT;
    }

    if (external && !take_leaves(search)) {
        return CAROM_ERROR_MEMORY;
    }

    /* Forget the last run but for its plans. */
    search->begun = carom_rollout_clock();
    search->external = external;
    search->from = roots;
    search->late = 0;
    search->waiting = false;
    search->first_part = false;
    memset(&search->report, 0, sizeof search->report);
    move_plans_on(search, roots);

    /* Only if the others' plans are searched for do several players plan, each once a round. */
    search->phases = search->players > 1 && search->desc.other >= CAROM_OTHER_SEARCH
                         ? (unsigned)search->players * search->desc.other_rounds
                         : 1;
    search->phase = 0;

    /* Keep the others' initial plans: one of the candidates may be to follow them for the whole run. */
    if (search->desc.other >= CAROM_OTHER_PLAN) {
        keep_found(search, 0);
    }
    begin_phase(search);
    return CAROM_OK;
}

/* Rolls a part of a generation out against every candidate. False if the deadline or a cancellation left it
 * incomplete: its returns are then meaningless. */
static bool roll(carom_search *search)
{
    rollout *r = &search->r;
    for (size_t c = 0; c < search->facing; c++) {
        carom_search_face(search, c);
        r->returns = search->returns + c * r->total * r->players;
        if (search->external) {
            r->desc.observations = search->observations + c * r->total * r->d.width;
            r->valued = search->valued + c * r->total;
        }
        carom_rollout_run(r);
    }
    return search->late == 0 && !progress_cancelled(search->desc.cancel);
}

carom_status carom_search_run(carom_search *search, const carom_worlds *roots)
{
    carom_status status = begin(search, roots, search != NULL && search->desc.value != NULL);
    if (status != CAROM_OK) {
        return status;
    }

    /* Values live only for this run: a search without a value function never needs them. */
    double *values = NULL;
    if (search->external) {
        values = (double *)carom_memory_take(search->candidates * search->roots * search->desc.sequences *
                                             search->players * sizeof *values);
        status = values == NULL ? CAROM_ERROR_MEMORY : CAROM_OK;
    }

    /* An incomplete part ends the run; the plans are then those of the generations before it. */
    while (status == CAROM_OK && begin_part(search)) {
        if (!roll(search)) {
            break;
        }
        if (search->external) {
            status = search->desc.value(search->desc.user, leaves_of(search), search->observations, values);
        }
        if (status == CAROM_OK) {
            status = end_part(search, values);
        }
    }

    carom_memory_release(values);
    finish(search);
    return status == CAROM_OK && progress_cancelled(search->desc.cancel) ? CAROM_ERROR_CANCELLED : status;
}

carom_status carom_search_begin(carom_search *search, const carom_worlds *roots)
{
    return begin(search, roots, true);
}

carom_status carom_search_leaves(carom_search *search, const float **observations, size_t *leaves)
{
    if (search == NULL || observations == NULL || leaves == NULL || search->from == NULL || !search->external ||
        search->waiting) {
        return CAROM_ERROR_ARGUMENT;
    }

    *observations = NULL;
    *leaves = 0;

    /* No further part, or an incomplete one, ends the run with 0 leaves. */
    if (begin_part(search) && roll(search)) {
        search->waiting = true;
        *observations = search->observations;
        *leaves = leaves_of(search);
        return CAROM_OK;
    }

    finish(search);
    return progress_cancelled(search->desc.cancel) ? CAROM_ERROR_CANCELLED : CAROM_OK;
}

carom_status carom_search_values(carom_search *search, const double *values)
{
    if (search == NULL || values == NULL || !search->waiting) {
        return CAROM_ERROR_ARGUMENT;
    }
    search->waiting = false;
    return end_part(search, values);
}

/* ---- what was found ---- */

/* The search's own player always has a plan; the others do unless a policy plays them. */
static bool has_plan(const carom_search *search, unsigned player)
{
    return search != NULL && player < search->players &&
           (player == search->desc.player || search->desc.other != CAROM_OTHER_POLICY);
}

carom_status carom_search_actions(const carom_search *search, unsigned player, void *actions)
{
    if (!has_plan(search, player) || actions == NULL) {
        return CAROM_ERROR_ARGUMENT;
    }

    /* The first row of each plan. A player that is assumed to do nothing has a plan too, which nobody follows: give
     * zeros. */
    const size_t size = search->kind.size;
    const bool zero = player != search->desc.player && search->desc.other == CAROM_OTHER_ZERO;
    for (size_t root = 0; root < search->roots; root++) {
        const float *plan = search->plans[player] + root * search->series;
        for (size_t e = 0; e < size; e++) {
            const float number = zero ? 0.0f : plan[e];
            if (search->kind.precision == CAROM_F32) {
                ((float *)actions)[root * size + e] = number;
            } else {
                ((double *)actions)[root * size + e] = (double)number;
            }
        }
    }

    return CAROM_OK;
}

carom_status carom_search_plan(const carom_search *search, unsigned player, float *plan)
{
    if (!has_plan(search, player) || plan == NULL) {
        return CAROM_ERROR_ARGUMENT;
    }
    memcpy(plan, search->plans[player], search->roots * search->series * sizeof *plan);
    return CAROM_OK;
}

carom_status carom_search_set_plan(carom_search *search, unsigned player, const float *plan)
{
    if (!has_plan(search, player)) {
        return CAROM_ERROR_ARGUMENT;
    }

    /* Check everything before anything is changed. */
    const size_t numbers = search->roots * search->series;
    for (size_t n = 0; n < numbers && plan != NULL; n++) {
        if (!(fabsf(plan[n]) < INFINITY)) {
            return CAROM_ERROR_VALUE;
        }
    }

    /* NULL resets the plans of all players. */
    if (plan == NULL) {
        start_plans(search);
        search->met = false;
        memset(search->fresh, 0, sizeof search->fresh);
        return CAROM_OK;
    }

    /* Clip to the bounds; the next run must not shift this plan. */
    for (size_t n = 0; n < numbers; n++) {
        const float low = search->low[n % search->series], high = search->high[n % search->series];
        search->plans[player][n] = plan[n] < low ? low : plan[n] > high ? high : plan[n];
    }
    search->fresh[player] = true;
    return CAROM_OK;
}

carom_status carom_search_returns(const carom_search *search, double *values)
{
    if (search == NULL || values == NULL) {
        return CAROM_ERROR_ARGUMENT;
    }
    memcpy(values, search->values, search->roots * sizeof *values);
    return CAROM_OK;
}

carom_search_report carom_search_last(const carom_search *search)
{
    static const carom_search_report none = {0};
    return search != NULL ? search->report : none;
}

carom_status carom_search_generation_at(const carom_search *search, size_t index, carom_search_generation *generation)
{
    if (search == NULL || generation == NULL || index >= search->report.generations) {
        return CAROM_ERROR_ARGUMENT;
    }
    *generation = search->log[index];
    return CAROM_OK;
}
