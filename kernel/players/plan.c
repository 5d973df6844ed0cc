/* SPDX-License-Identifier: MIT
 * Players that search: see plan.h.
 */
#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/problem.h"
#include "games/game.h"
#include "players/f32_copy.h"
#include "players/players.h"
#include "worlds/device.h"

#define MANY_ROLLOUTS 4096  /* of a turn */
#define MOST_SEQUENCES 1024 /* of a generation, by the clock */

static_assert(PLAN_WEIGHTS == GAME_MOST_WEIGHTS, "room for the weights of any value");

/* ---- options ---- */

/* The default horizon of a planner, and the ticks that it holds a row for. In csb and fantastic_bits a tick is a turn;
 * in soccer and stones an action takes many ticks to show an effect. */
static const struct plan_reach {
    const char *game;
    size_t horizon, hold;
} reaches[] = {{"soccer", 48, 24}, {"stones", 20, 20}, {NULL, 6, 1}};

static const struct plan_reach *reach_of(const carom_game *game)
{
    const struct plan_reach *reach = reaches;
    while (reach->game != NULL && strcmp(reach->game, game->info.name) != 0) {
        reach++;
    }
    return reach;
}

size_t carom_plan_horizon(const carom_game *game)
{
    return reach_of(game)->horizon;
}

static bool is_csb(const carom_game *game)
{
    return strcmp(game->info.name, "csb") == 0;
}

static bool is_fantastic_bits(const carom_game *game)
{
    return strcmp(game->info.name, "fantastic_bits") == 0;
}

size_t carom_plan_value(const carom_game *game)
{
    size_t value = 0;
    (void)carom_game_find_value_kind(game, is_csb(game) ? "duel" : "match", &value);
    return value;
}

const carom_value_weight *carom_plan_weights(const carom_game *game, size_t *count)
{
    const size_t value = carom_plan_value(game);
    *count = value > 0 ? game->values[value - 1].count : 0;
    return value > 0 ? game->values[value - 1].weights : NULL;
}

plan_options carom_plan_default(const carom_game *game)
{
    plan_options made = {.search = carom_search_desc_default(game), .precision = CAROM_F64};
    size_t count;
    const carom_value_weight *weights = carom_plan_weights(game, &count);
    for (size_t k = 0; k < count; k++) {
        made.weights[k] = weights[k].weight;
    }
    for (size_t n = 0; n < PLAN_NUMBERS; n++) {
        made.low[n] = -1;
        made.high[n] = n % 5 == 2 ? 3 : 1; /* a wizard's power, of its five numbers */
    }
    made.search.value_kind = carom_plan_value(game);
    made.search.planner = CAROM_CEM;
    made.search.against = CAROM_AGAINST_MEAN;
    const bool csb = is_csb(game);
    made.search.reward_weight = csb ? 0 : 1; /* csb's value includes the progress and the end */
    /* In csb pods block each other, and it pays to search for the other side's plan, too. In fantastic_bits that does
     * not pay, so the other side follows its first policy, but the cut does: bench/strength --only "other side",
     * "cut". */
    made.search.other = csb ? CAROM_OTHER_SEARCH : CAROM_OTHER_POLICY;
    made.search.cut_after = csb ? 0 : CUT_BY_HORIZON;
    /* fit_budget() sets the rest. */
    made.search.sequences = made.search.horizon = made.search.hold = made.search.other_rounds = 0;
    made.other_by_budget = true;
    return made;
}

/* Sets what pays with this budget (docs/notes/search.md). A search that keeps improving a plan fits it to what it
 * assumes of the other side, and to nothing else. So with many rollouts it draws larger generations and considers more
 * behaviours of the other side: in csb both sides plan in turn and the player plans against all plans that the other
 * side has had, and then a longer horizon pays, too; in fantastic_bits the other side may also stand still. */
static void fit_budget(carom_search_desc *search, const carom_game *game, bool other_by_budget, bool network)
{
    const bool csb = is_csb(game);
    static const carom_candidate guesses[] = {{CAROM_OTHER_POLICY, 0}, {CAROM_OTHER_ZERO, 0}};
    const bool bits = is_fantastic_bits(game);
    const double a_ms = csb ? 1500 : 500; /* rollouts a millisecond on one thread, roughly */
    const bool timed = search->milliseconds > 0;
    const double expected = timed ? a_ms * search->milliseconds : (double)search->rollouts;
    const bool many = expected >= MANY_ROLLOUTS;
    if (search->sequences == 0) {
        const double drawn = fmin(fmax(expected / (csb ? 96 : bits ? 32 : 20), bits ? 64 : 128), 2048);
        search->sequences = timed ? MOST_SEQUENCES : (size_t)drawn / 64 * 64;
        /* A network's plan is worth more to many small generations. */
        const size_t usual = csb ? (network ? 96 : 48) : bits ? 32 : 20;
        search->generations = search->generations > 0 ? search->generations : usual;
    }
    search->other_rounds = search->other_rounds > 0 ? search->other_rounds : many ? 3 : 1;
    if (other_by_budget && many && csb) {
        search->other = CAROM_OTHER_FICTITIOUS;
    } else if (other_by_budget && many) {
        search->candidates = guesses;
        search->candidate_count = sizeof guesses / sizeof guesses[0];
    }
    if (search->hold == 0) { /* with a horizon given by the caller, rows of one tick */
        search->hold = search->horizon == 0 ? reach_of(game)->hold : 1;
    }
    if (search->horizon == 0) {
        search->horizon = reach_of(game)->horizon + (many && search->other == CAROM_OTHER_FICTITIOUS ? 1 : 0);
    }
    if (search->cut_after == CUT_BY_HORIZON) {
        search->cut_after = search->horizon / 2;
    }
}

carom_search_desc carom_plan_search(const plan_options *options, const carom_game *game, unsigned seat)
{
    carom_search_desc search = options->search;
    search.player = seat;
    search.candidates = search.candidate_count > 0 ? options->candidates : NULL;
    fit_budget(&search, game, options->other_by_budget, plan_uses_network(options));
    search.weights = search.value_kind != 0 ? options->weights : NULL;

    /* Wizards nearly always use full power: draw theirs about it; anything above is full, too. */
    if (is_fantastic_bits(game)) {
        search.low = options->low;
        search.high = options->high;
    }
    return search;
}

/* ---- creating ---- */

/* Sets up what does not depend on the search; false if out of memory. */
static bool begin(carom_player *made, const carom_worlds *worlds, const plan_options *options)
{
    const size_t count = worlds->desc.count;
    made->say = carom_referee_of(made->game);
    made->size = made->game->kinds[options->search.action_kind].size;
    made->kind = carom_player_kind(made->game);
    made->bytes = (size_t)made->game->kinds[made->kind].size * (made->game->kinds[made->kind].precision / 8);
    made->turns = is_csb(made->game);
    made->found = (float *)calloc(count, made->size * sizeof *made->found);
    made->angles = made->turns ? calloc(count, 4 * sizeof(double)) : NULL;
    return made->found != NULL && (made->angles != NULL || !made->turns);
}

carom_status carom_plan_player(const carom_worlds *worlds, const plan_options *options, unsigned seat,
                               carom_player **player, carom_problem *problem)
{
    carom_player *made = (carom_player *)calloc(1, sizeof *made);
    *player = NULL;
    if (made == NULL) {
        return CAROM_ERROR_MEMORY;
    }
    made->game = worlds->desc.game;
    made->seat = seat;
    made->worlds = worlds->desc.count;
    made->source = CAROM_GIVEN;
    carom_status status = begin(made, worlds, options) ? CAROM_OK : CAROM_ERROR_MEMORY;

    carom_search_desc search = carom_plan_search(options, made->game, seat);
    if (plan_has_network(options)) {
        status = status == CAROM_OK ? carom_plan_open_network(made->game, options, &search, &made->network, problem)
                                    : status;
        if (status == CAROM_OK && options->asks_policy) {
            status = carom_policy_take(made, worlds) ? CAROM_OK : CAROM_ERROR_MEMORY;
        }
    }

    if (status == CAROM_OK && options->precision == CAROM_F32 && worlds->desc.precision == CAROM_F64) {
        status = carom_f32_copy_create(worlds, &made->mirror, problem);
    }
    if (status == CAROM_OK && !player_asks(made)) {
        status = carom_search_create(made->mirror != NULL ? made->mirror : worlds, &search, &made->search);
        status = status != CAROM_OK ? carom_wrong(problem, status, "no search can be made of these keys: %s",
                                                  carom_status_string(status))
                                    : status;
    }
    if (status != CAROM_OK) {
        carom_player_destroy(made);
        return status;
    }
    *player = made;
    return CAROM_OK;
}

/* ---- acting ---- */

/* In the first turn pods may turn by any angle, which normalised actions cannot express: turn those of a new game
 * towards their checkpoint before planning. Keeps the original angles. */
static carom_status turn_pods(carom_player *player, carom_worlds *worlds, size_t field)
{
    carom_status status = carom_worlds_get(worlds, field, 0, player->worlds, player->angles);
    for (size_t w = 0; w < player->worlds && status == CAROM_OK; w++) {
        double x[PLAYER_REALS], y[PLAYER_REALS], cx[PLAYER_REALS], cy[PLAYER_REALS], angles[4];
        int32_t tick;
        carom_player_read(worlds, w, "tick", &tick);
        if (tick == 0) {
            carom_player_read_reals(worlds, w, "x", x);
            carom_player_read_reals(worlds, w, "y", y);
            carom_player_read_reals(worlds, w, "cx", cx);
            carom_player_read_reals(worlds, w, "cy", cy);
            float rounded[4];
            for (int i = 0; i < 4; i++) {
                angles[i] = atan2(cy[i] - y[i], cx[i] - x[i]);
                rounded[i] = (float)angles[i];
            }
            status = carom_worlds_set(worlds, field, w, 1,
                                      worlds->desc.precision == CAROM_F32 ? (void *)rounded : (void *)angles);
        }
    }
    return status;
}

/* Searches, and writes the player's actions to its rows. */
static carom_status think(carom_player *player, carom_worlds *worlds, unsigned char *actions, size_t stride)
{
    if (player_asks(player)) {
        return carom_policy_act(player, worlds, actions, stride);
    }
    const carom_worlds *roots = worlds;
    carom_status status = CAROM_OK;
    if (player->mirror != NULL) {
        status = carom_f32_copy_set(player->mirror, worlds);
        roots = player->mirror;
    }
    status = status == CAROM_OK ? carom_search_run(player->search, roots) : status;
    if (status != CAROM_OK && status != CAROM_ERROR_CANCELLED) {
        return status;
    }
    (void)carom_search_actions(player->search, player->seat, player->found);
    for (size_t w = 0; w < player->worlds; w++) {
        const float *found = player->found + w * player->size;
        if (player->say != NULL) {
            player->say(worlds, w, player->seat, found, (double *)(void *)(actions + w * stride));
        } else {
            memcpy(actions + w * stride, found, player->bytes);
        }
    }
    return status;
}

carom_status carom_plan_act(carom_player *player, carom_worlds *worlds, void *actions, size_t stride)
{
    /* Restore the angles of the pods even if the search failed. */
    size_t field = 0;
    carom_status status = CAROM_OK;
    if (player->turns) {
        (void)carom_worlds_find_field(worlds, "angle", &field);
        status = turn_pods(player, worlds, field);
    }
    if (status == CAROM_OK) {
        status = think(player, worlds, (unsigned char *)actions, stride);
    }
    if (player->turns) {
        (void)carom_worlds_set(worlds, field, 0, player->worlds, player->angles);
    }
    return status;
}
