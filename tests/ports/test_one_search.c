/* SPDX-License-Identifier: MIT
 * Searches as a device runs them (kernel/device/search.c, kernel/tick/one_search.h) against those of this processor:
 * plans, returns, actions, reports and saves have the same bits, run after run, for every planner, candidate list and
 * cut.
 */
#include "ports/this_names.h"

#include "this_device.h"

#include "../../kernel/device/rollout.c"
#include "../../kernel/device/search.c"

const device_ops this_ops = {
    .rollout = carom_device_rollout,
    .draws = carom_device_draws,
    .search = &carom_device_search,
    .search_create = carom_device_search_create,
    .search_destroy = carom_device_search_destroy,
};

enum { ROOTS = 19, RUNS = 3 };

/* A search of any kind. */
static carom_search_desc any_search(const carom_game *game, uint64_t *rng)
{
    carom_search_desc desc = carom_search_desc_default(game);
    size_t full; /* csb only: six numbers, where others have four */
    if (rng_one_in(rng, 2) && carom_game_find_action_kind(game, "normalised_full", &full) == CAROM_OK) {
        desc.action_kind = full;
    }
    desc.planner = (carom_planner)rng_below(rng, 4);
    desc.player = (unsigned)rng_below(rng, (int)game->info.players);
    desc.sequences = 4 + (size_t)rng_below(rng, 40);
    desc.horizon = 1 + (size_t)rng_below(rng, 8);
    desc.hold = 1 + (size_t)rng_below(rng, 3);
    desc.seed = rng_next(rng);
    desc.discount = rng_one_in(rng, 2) ? 1 : rng_in(rng, 0.5, 1);
    desc.reward_weight = rng_in(rng, 0, 2);
    desc.final_weight = rng_one_in(rng, 4) ? 0 : rng_in(rng, 0, 2);
    desc.value_at_end = rng_one_in(rng, 2);
    desc.value_kind = (size_t)rng_below(rng, (int)game->value_kinds + 1);
    desc.reward_kind = (size_t)rng_below(rng, game->agents != 0 ? 3 : 2);
    desc.elites = rng_one_in(rng, 2) ? 0 : 2 + (size_t)rng_below(rng, (int)desc.sequences - 1);
    desc.keep = rng_in(rng, 0, 0.9);
    desc.mutation = rng_in(rng, 0.05, 1);
    desc.other = (carom_other)rng_below(rng, game->info.players == 2 ? 5 : 1);
    desc.policy = (size_t)rng_below(rng, (int)game->info.policies);
    desc.other_rounds = 1 + (unsigned)rng_below(rng, 2);
    desc.against = (carom_against)rng_below(rng, 2);
    desc.cut_after = rng_one_in(rng, 2) ? (size_t)rng_below(rng, (int)desc.horizon) : 0;
    desc.cut_keep = rng_in(rng, 0.1, 0.6);
    desc.rollouts = 40 + (uint64_t)rng_below(rng, 400);
    return desc;
}

/* Several candidates for the others' actions. */
static size_t any_candidates(const carom_game *game, carom_candidate candidates[4], uint64_t *rng)
{
    const size_t count = game->info.players == 2 && rng_one_in(rng, 3) ? 1 + (size_t)rng_below(rng, 4) : 0;
    for (size_t c = 0; c < count; c++) {
        candidates[c].other = (carom_other)rng_below(rng, 5);
        candidates[c].policy = (size_t)rng_below(rng, (int)game->info.policies);
    }
    return count;
}

static void same(const char *what, const void *one, const void *other, size_t bytes)
{
    if (memcmp(one, other, bytes) != 0) {
        fail_msg("%s differ", what);
    }
}

/* Two searches for the same: here on this processor, there as a device runs it. */
typedef struct pair {
    carom_search *here, *there;
    carom_worlds *roots;
    this_batch batch;
} pair;

/* Compares all outputs of the two. */
static void compare(const pair *both)
{
    const search_fixed *fixed = &both->here->fixed;
    const size_t numbers = fixed->roots * fixed->series;
    FREED float *plans = take(2 * numbers * sizeof *plans);
    FREED double *actions = take(2 * numbers * sizeof *actions), *values = take(2 * ROOTS * sizeof *values);
    for (unsigned p = 0; p < fixed->players; p++) {
        const carom_status status = carom_search_plan(both->here, p, plans);
        assert_int_equal(carom_search_plan(both->there, p, plans + numbers), status);
        same("plans", plans, plans + numbers, numbers * sizeof *plans);
        assert_int_equal(carom_search_actions(both->here, p, actions), status);
        assert_int_equal(carom_search_actions(both->there, p, actions + numbers), status);
        same("actions", actions, actions + numbers, numbers * sizeof *actions);
    }
    OK(carom_search_returns(both->here, values));
    OK(carom_search_returns(both->there, values + ROOTS));
    same("returns", values, values + ROOTS, ROOTS * sizeof *values);

    const carom_search_report here = carom_search_last(both->here), there = carom_search_last(both->there);
    assert_int_equal(here.generations, there.generations);
    assert_int_equal(here.rollouts, there.rollouts);
    assert_int_equal(here.cut, there.cut);
    assert_int_equal(here.ticks, there.ticks);
    for (size_t g = 0; g < here.generations; g++) {
        carom_search_generation a, b;
        OK(carom_search_generation_at(both->here, g, &a));
        OK(carom_search_generation_at(both->there, g, &b));
        a.seconds = b.seconds = 0;
        same("generations", &a, &b, sizeof a);
    }

    const size_t size = carom_search_save_size(both->here, ROOTS);
    FREED unsigned char *saves = take(2 * size);
    OK(carom_search_save(both->here, 0, ROOTS, saves, size));
    OK(carom_search_save(both->there, 0, ROOTS, saves + size, size));
    same("saves", saves, saves + size, size);
}

/* Values of leaves, as a caller may compute them. */
static void run_with_values(pair *both, uint64_t *rng)
{
    const uint64_t seed = rng_next(rng);
    OK(carom_search_begin(both->here, both->roots));
    OK(carom_search_begin(both->there, &both->batch.worlds));
    for (;;) {
        const float *here, *there;
        size_t leaves, other;
        OK(carom_search_leaves(both->here, &here, &leaves));
        OK(carom_search_leaves(both->there, &there, &other));
        assert_int_equal(leaves, other);
        if (leaves == 0) {
            return;
        }
        const size_t width = both->here->generation.r.d.width, players = both->here->fixed.players;
        same("leaves", here, there, leaves * width * sizeof *here);
        FREED double *values = take(leaves * players * sizeof *values);
        uint64_t state = seed ^ leaves;
        for (size_t k = 0; k < leaves * players; k++) {
            values[k] = rng_in(&state, -1, 1) + (double)here[k % (leaves * width)];
        }
        OK(carom_search_values(both->here, values));
        OK(carom_search_values(both->there, values));
    }
}

static size_t planned[4], cuts, candidates_faced;

/* A search here and there, for several turns of the same games. */
static void search_both(const carom_game *game, carom_precision precision, uint64_t *rng)
{
    pair both;
    both.roots = MAKE_WORLDS(game, .count = ROOTS, .precision = precision, .seed = rng_next(rng),
                             .first_id = rng_next(rng) >> 1, .at_end = CAROM_RESET);
    carom_search_desc desc = any_search(game, rng);
    carom_candidate candidates[4];
    desc.candidate_count = any_candidates(game, candidates, rng);
    desc.candidates = desc.candidate_count != 0 ? candidates : NULL;
    carom_value_kind kind;
    double weights[GAME_MOST_WEIGHTS];
    OK(carom_game_value_kind(game, desc.value_kind, &kind));
    for (size_t k = 0; k < kind.weights; k++) {
        weights[k] = rng_in(rng, -1, 1);
    }
    desc.weights = kind.weights != 0 && rng_one_in(rng, 2) ? weights : NULL;
    const size_t series = rollout_rows(desc.horizon, desc.hold) * game->kinds[desc.action_kind].size;
    FREED float *bounds = take(2 * series * sizeof *bounds);
    const size_t size = game->kinds[desc.action_kind].size;
    const bool even = rng_one_in(rng, 2); /* the same in all rows */
    for (size_t n = 0; n < series; n++) {
        const bool own = n < size || !even;
        bounds[n] = own ? (float)rng_in(rng, -1, 0.4) : bounds[n - size];
        bounds[series + n] = own ? (float)rng_in(rng, 0.5, 1) : bounds[series + n - size];
    }
    const bool usual = strcmp(game->kinds[desc.action_kind].name, "normalised") == 0; /* or bounds are required */
    if (!usual || rng_one_in(rng, 2)) {
        desc.low = bounds;
        desc.high = bounds + series;
    }

    on_this_device(&both.batch, both.roots, (size_t)1 << 20);
    both.batch.worlds.desc.device = 1;
    OK(carom_search_create(both.roots, &desc, &both.here));
    OK(carom_search_create(&both.batch.worlds, &desc, &both.there));
    planned[desc.planner]++;
    candidates_faced += both.here->fixed.candidates > 1;
    compare(&both);

    for (int run = 0; run < RUNS; run++) {
        if (rng_one_in(rng, 3)) {
            FREED float *plan = take(ROOTS * series * sizeof *plan);
            for (size_t n = 0; n < ROOTS * series; n++) {
                plan[n] = (float)rng_in(rng, -2, 2);
            }
            OK(carom_search_set_plan(both.here, desc.player, plan));
            OK(carom_search_set_plan(both.there, desc.player, plan));
        }
        if (rng_one_in(rng, 4)) {
            run_with_values(&both, rng);
        } else {
            OK(carom_search_run(both.here, both.roots));
            OK(carom_search_run(both.there, &both.batch.worlds));
        }
        compare(&both);
        cuts += carom_search_last(both.here).cut != 0;

        carom_step step = carom_step_default();
        for (unsigned p = 0; p < game->info.players; p++) {
            step.players[p].source = CAROM_POLICY;
        }
        step.ticks = 1 + (size_t)rng_below(rng, 3);
        play_worlds(both.roots, &step);
    }

    /* A save of one continues in the other. */
    const size_t bytes = carom_search_save_size(both.here, ROOTS);
    FREED unsigned char *save = take(bytes);
    OK(carom_search_set_plan(both.there, desc.player, NULL));
    OK(carom_search_save(both.here, 0, ROOTS, save, bytes));
    OK(carom_search_load(both.there, 0, save, bytes, NULL));
    OK(carom_search_run(both.here, both.roots));
    OK(carom_search_run(both.there, &both.batch.worlds));
    compare(&both);

    carom_search_destroy(both.here);
    carom_search_destroy(both.there);
    leave_this_device(&both.batch);
    carom_worlds_destroy(both.roots);
}

TEST(test_searches)
{
    uint64_t rng = test_seed(30);
    const bool all = getenv("CAROM_TEST_MODULE") == NULL; /* or one game, in one precision */
    const int rounds = all ? at_length(400, 60, 30) : at_length(400, 300, 80);
    for (int round = 0; round < rounds; round++) {
        const uint64_t state = rng;
        const size_t g = (size_t)round % ONE_GAMES;
        const bool f64 = rng_one_in(&rng, 2);
        if (program_is_asked(one_games[g].name, f64)) {
            print_message("%s %d: %llu\n", one_games[g].name, round, (unsigned long long)state);
            search_both(carom_game_find(one_games[g].name), f64 ? CAROM_F64 : CAROM_F32, &rng);
        }
    }
    for (int planner = 0; planner < 4; planner++) {
        assert_true(planned[planner] > 0 || !all);
    }
    assert_true((cuts > 0 && candidates_faced > 0) || !all);
}

/* A run of more generations than the device can note: the log is read in between, and an error of that ends the run. */
TEST(test_long_runs)
{
    pair both;
    both.roots = MAKE_WORLDS(carom_game_find("csb"), .count = ROOTS);
    on_this_device(&both.batch, both.roots, (size_t)1 << 20);
    both.batch.worlds.desc.device = 1;
    carom_search_desc desc = carom_search_desc_default(both.roots->desc.game);
    desc.sequences = 4;
    desc.horizon = 1;
    desc.rollouts = 4 * (2 * LOG + 3);
    OK(carom_search_create(both.roots, &desc, &both.here));
    OK(carom_search_create(&both.batch.worlds, &desc, &both.there));
    OK(carom_search_run(both.here, both.roots));
    OK(carom_search_run(both.there, &both.batch.worlds));
    assert_true(carom_search_last(both.there).generations > 2 * LOG);
    compare(&both);

    waited = CAROM_ERROR_DEVICE;
    assert_int_equal(carom_search_run(both.there, &both.batch.worlds), CAROM_ERROR_DEVICE);
    waited = CAROM_OK;
    assert_true(both.there->device->noted <= LOG);

    carom_search_destroy(both.here);
    carom_search_destroy(both.there);
    leave_this_device(&both.batch);
    carom_worlds_destroy(both.roots);
}

/* Unsupported features of a search on a device are refused. */
TEST(test_refused)
{
    OWNED(carom_worlds) *roots = MAKE_WORLDS(carom_game_find("csb"), .count = 1);
    this_batch batch;
    on_this_device(&batch, roots, 64);
    carom_search_desc desc = carom_search_desc_default(roots->desc.game);
    carom_search *search;
    desc.milliseconds = 1;
    assert_int_equal(carom_search_create(&batch.worlds, &desc, &search), CAROM_ERROR_UNSUPPORTED);
    desc.milliseconds = 0;
    OK(carom_search_create(&batch.worlds, &desc, &search));
    assert_int_equal(carom_search_set_budget(search, 100, 1), CAROM_ERROR_UNSUPPORTED);
    carom_search_destroy(search);
    leave_this_device(&batch);
}
