/* SPDX-License-Identifier: MIT
 * Rollouts as a device plays them (kernel/device/rollout.c, kernel/tick/one_rollout.h, one_plan.h) against those of
 * this processor: every output has the same bits, for all draws, observations, rewards and values.
 */
#include "base/memory.h"
#include "odd.h"
#include "this_device.h"

#include "../../kernel/device/rollout.c"

enum { ROOTS = 37, MOST_SEQUENCES = 24, MOST_HORIZON = 10 };

/* Memory of a rollout's arrays, freed together. */
typedef struct arrays {
    void *list[64];
    size_t count;
} arrays;

static void *keep(arrays *all, void *memory)
{
    assert_true(all->count < 64);
    return all->list[all->count++] = memory;
}

static void forget(arrays *all)
{
    for (size_t k = 0; k < all->count; k++) {
        free(all->list[k]);
    }
}

static float *some_floats(arrays *all, uint64_t *rng, size_t count, double low, double high)
{
    float *numbers = keep(all, take(count * sizeof *numbers));
    for (size_t n = 0; n < count; n++) {
        numbers[n] = (float)rng_in(rng, low, high);
    }
    return numbers;
}

/* The options of a rollout's worlds. */
static unsigned char options[1024];

static void choose_options(const carom_game *game, uint64_t *rng)
{
    assert_in_range(carom_game_options_size(game), 0, sizeof options);
    if (carom_game_options_size(game) != 0) {
        OK(carom_game_options_default(game, options));
        choose_odd_options(game, options, rng_next(rng) % 100);
    }
}

/* Roots that have played some ticks, so that some games end soon, and some have ended. */
static carom_worlds *make_roots(const carom_game *game, carom_precision precision, uint64_t *rng)
{
    choose_options(game, rng);
    carom_worlds *roots =
        MAKE_WORLDS(game, .options = options, .count = ROOTS, .precision = precision, .seed = rng_next(rng),
                    .first_id = rng_next(rng) >> 1, .at_end = (carom_at_end)rng_below(rng, 3));
    carom_step step = carom_step_default();
    for (unsigned p = 0; p < game->info.players; p++) {
        step.players[p].source = CAROM_POLICY;
        step.players[p].policy = (size_t)rng_below(rng, (int)game->info.policies);
    }
    step.ticks = (size_t)(rng_one_in(rng, 2) ? 1 + rng_below(rng, 5) : rng_below(rng, 400) + 1);
    play_worlds(roots, &step);
    if (rng_one_in(rng, 2)) {
        make_odd_worlds(roots, rng);
    }
    if (rng_one_in(rng, 2)) {
        uint64_t seeds[ROOTS];
        for (size_t w = 0; w < ROOTS; w++) {
            seeds[w] = rng_next(rng);
        }
        FREED uint8_t *mask = take(ROOTS);
        for (size_t w = 0; w < ROOTS; w++) {
            mask[w] = (uint8_t)rng_one_in(rng, 4);
        }
        OK(carom_worlds_restart(roots, mask, NULL, seeds));
    }
    return roots;
}

/* A player's source and what that needs. */
static void choose_source(carom_rollout_desc *desc, unsigned player, const carom_game *game, arrays *all, uint64_t *rng,
                          bool policies)
{
    const carom_action_kind kind = game->kinds[desc->action_kind];
    const bool normalised = strcmp(kind.name, "normalised") == 0;
    desc->players[player].hold = (size_t)rng_below(rng, 4);
    const size_t series = rollout_rows(desc->horizon, desc->players[player].hold) * kind.size;
    carom_source source = (carom_source)rng_below(rng, CAROM_GAUSSIAN + 1);
    if ((source == CAROM_DRAWN && !normalised) || (source == CAROM_POLICY && !policies)) {
        source = CAROM_UNIFORM;
    }
    desc->players[player].source = source;
    desc->players[player].policy = (size_t)rng_below(rng, (int)game->info.policies);
    const size_t given = ROOTS * series * (source == CAROM_GIVEN ? desc->sequences : 1);
    if (source == CAROM_GIVEN || source == CAROM_BROADCAST) {
        float *numbers = some_floats(all, rng, given, -1, 1);
        double *wide = keep(all, take(given * sizeof *wide));
        for (size_t n = 0; n < given; n++) {
            wide[n] = (double)numbers[n] * 100;
        }
        make_odd_actions(CAROM_F32, numbers, given / kind.size, kind.size, rng);
        make_odd_actions(CAROM_F64, wide, given / kind.size, kind.size, rng);
        desc->players[player].actions = kind.precision == CAROM_F64 ? (const void *)wide : numbers;
    }
    if (source == CAROM_GAUSSIAN) {
        desc->players[player].mean = some_floats(all, rng, ROOTS * series, -1, 1);
        desc->players[player].sigma = some_floats(all, rng, ROOTS * series, 0, 1);
    }
    if ((source == CAROM_GAUSSIAN || source == CAROM_UNIFORM) && rng_one_in(rng, 2)) {
        desc->players[player].low = some_floats(all, rng, series, -1, 0);
        desc->players[player].high = some_floats(all, rng, series, 0, 2);
    }
}

/* A rollout of any kind. */
static carom_rollout_desc any_rollout(const carom_game *game, arrays *all, uint64_t *rng, bool policies, bool seen)
{
    carom_rollout_desc desc = carom_rollout_desc_default(game);
    desc.sequences = 1 + (size_t)rng_below(rng, MOST_SEQUENCES);
    desc.horizon = 1 + (size_t)rng_below(rng, MOST_HORIZON);
    desc.action_kind = rng_one_in(rng, 2) ? desc.action_kind : (size_t)rng_below(rng, (int)game->info.action_kinds);
    desc.seed = rng_next(rng);
    desc.discount = rng_one_in(rng, 2) ? 1 : rng_in(rng, 0, 1);
    desc.final_weight = rng_one_in(rng, 3) ? 0 : rng_in(rng, -2, 2);
    desc.reward_weight = rng_in(rng, -2, 2);
    desc.value_at_end = rng_one_in(rng, 2);
    desc.value = (size_t)rng_below(rng, (int)game->value_kinds + 1);
    carom_value_kind kind;
    OK(carom_game_value_kind(game, desc.value, &kind));
    if (kind.weights != 0 && rng_one_in(rng, 2)) {
        double *weights = keep(all, take(kind.weights * sizeof *weights));
        for (size_t k = 0; k < kind.weights; k++) {
            weights[k] = rng_in(rng, -1, 1);
        }
        desc.weights = weights;
    }
    for (unsigned p = 0; p < game->info.players; p++) {
        choose_source(&desc, p, game, all, rng, policies);
    }
    if (rng_one_in(rng, 3)) {
        uint32_t *horizons = keep(all, take(ROOTS * sizeof *horizons));
        for (size_t root = 0; root < ROOTS; root++) {
            horizons[root] = 1 + (uint32_t)rng_below(rng, (int)desc.horizon);
        }
        desc.horizons = horizons;
    }

    /* Kinds of observation and reward. */
    desc.reward_kind = (size_t)rng_below(rng, game->agents != 0 ? 3 : 2);
    desc.observation_kind = (size_t)rng_below(rng, (int)observation_kinds_on_devices(game));
    const unsigned agents = game->info.players * carom_game_seen(game, desc.observation_kind).agents;
    desc.observed = rng_one_in(rng, 2) ? 0 : 1 + (uint64_t)rng_below(rng, (1 << agents) - 1);
    if (seen && rng_one_in(rng, 2)) {
        uint32_t *depths = keep(all, take(4 * sizeof *depths));
        desc.depth_count = 1 + (size_t)rng_below(rng, 4);
        for (size_t d = 0; d < desc.depth_count; d++) {
            const uint32_t least = d > 0 ? depths[d - 1] : 0;
            depths[d] = least + (uint32_t)rng_below(rng, (int)(desc.horizon - least) + 1);
        }
        desc.depths = depths;
    }
    return desc;
}

/* The outputs of a rollout. */
typedef struct outputs {
    double *returns;
    uint32_t *best;
    carom_worlds *finals;
} outputs;

/* Adds outputs to the descriptor: all those that there are. */
static outputs want(carom_rollout_desc *desc, const carom_worlds *roots, arrays *all, bool plain, unsigned elites_of,
                    size_t elites)
{
    const carom_game *game = roots->desc.game;
    const size_t total = ROOTS * desc->sequences, players = game->info.players;
    const carom_action_kind kind = game->kinds[desc->action_kind];
    const size_t rewarded = players * carom_game_rewarded(game, desc->reward_kind);
    outputs out = {NULL, NULL, NULL};
    out.returns = keep(all, take(total * players * sizeof(double)));
    out.best = keep(all, take(ROOTS * players * sizeof(uint32_t)));
    if (plain) {
        out.finals = MAKE_WORLDS(game, .options = options, .count = 1);
    } else {
        out.finals = MAKE_WORLDS(game, .options = options, .count = total, .precision = roots->desc.precision,
                                 .seed = roots->desc.seed, .first_id = 99);
        desc->rewards = keep(all, take(total * desc->horizon * rewarded * sizeof(float)));
    }
    desc->lengths = keep(all, take(total * sizeof(uint32_t)));
    const size_t seen = players * carom_game_most_seen(game);
    desc->observations =
        desc->depth_count != 0 ? keep(all, take(total * desc->depth_count * seen * sizeof(float))) : NULL;
    if (elites != 0) {
        const size_t series = rollout_rows(desc->horizon, desc->players[elites_of].hold) * kind.size;
        desc->elites.count = elites;
        desc->elites.player = elites_of;
        desc->elites.best = keep(all, take(ROOTS * elites * sizeof(uint32_t)));
        desc->elites.mean = keep(all, take(ROOTS * series * sizeof(float)));
        desc->elites.sigma = keep(all, take(ROOTS * series * sizeof(float)));
    }
    return out;
}

static void same(const char *what, const void *one, const void *other, size_t bytes)
{
    if (bytes != 0 && memcmp(one, other, bytes) != 0) {
        fail_msg("%s differ", what);
    }
}

/* Numbers made from odd actions: any NaN is as good as another. */
static void same_or_nan(const char *what, const float *one, const float *other, size_t count)
{
    for (size_t k = 0; k < count; k++) {
        if (!isnan(one[k]) || !isnan(other[k])) {
            same(what, &one[k], &other[k], sizeof *one);
        }
    }
}

static size_t ended, faults; /* of all rollouts */

static void compare(const carom_rollout_desc *a, const outputs *x, const carom_rollout_desc *b, const outputs *y,
                    const carom_worlds *roots)
{
    const carom_game *game = roots->desc.game;
    const size_t total = ROOTS * a->sequences, players = game->info.players,
                 seen = players * carom_game_most_seen(game);
    const size_t rewarded = players * carom_game_rewarded(game, a->reward_kind);
    same("returns", x->returns, y->returns, total * players * sizeof(double));
    same("best", x->best, y->best, ROOTS * players * sizeof(uint32_t));
    if (a->rewards != NULL) {
        same("rewards", a->rewards, b->rewards, total * a->horizon * rewarded * sizeof(float));
    }
    same("lengths", a->lengths, b->lengths, total * sizeof(uint32_t));
    same("observations", a->observations, b->observations, total * a->depth_count * seen * sizeof(float));
    const size_t bytes = x->finals->tiles * x->finals->layout.tile_bytes;
    same("finals", x->finals->data, y->finals->data, bytes);
    for (size_t q = 0; q < total; q++) {
        ended += a->lengths[q] < a->horizon;
        faults += x->returns[q * players] == -INFINITY;
    }
    if (a->elites.count != 0) {
        const size_t series =
            rollout_rows(a->horizon, a->players[a->elites.player].hold) * game->kinds[a->action_kind].size;
        same("elites", a->elites.best, b->elites.best, ROOTS * a->elites.count * sizeof(uint32_t));
        same_or_nan("means", a->elites.mean, b->elites.mean, ROOTS * series);
        same_or_nan("deviations", a->elites.sigma, b->elites.sigma, ROOTS * series);
    }
}

/* One rollout, on this processor and as a device plays it. */
static void roll_both(const carom_game *game, carom_precision precision, uint64_t *rng)
{
    arrays all = {{NULL}, 0};
    carom_worlds *roots = make_roots(game, precision, rng);
    const bool plain = rng_one_in(rng, 3); /* of the plainest kind */
    carom_rollout_desc desc = any_rollout(game, &all, rng, !plain, !plain);
    if (plain) {
        desc.value = desc.reward_kind = 0;
        desc.weights = NULL;
    }
    const unsigned player = (unsigned)rng_below(rng, (int)game->info.players);
    const bool numbers = desc.players[player].source != CAROM_ZERO && desc.players[player].source != CAROM_POLICY;
    const size_t elites = numbers && rng_one_in(rng, 2) ? 1 + (size_t)rng_below(rng, (int)desc.sequences) : 0;

    carom_rollout_desc here = desc, there = desc;
    outputs out_here = want(&here, roots, &all, plain, player, elites),
            out_there = want(&there, roots, &all, plain, player, elites);
    OK(carom_rollout(roots, &here, out_here.returns, out_here.best, plain ? NULL : out_here.finals));

    /* Little scratch memory: worlds played by policies must take turns. */
    this_batch batch, finals;
    on_this_device(&batch, roots, (size_t)1 << 20);
    on_this_device(&finals, out_there.finals, 64);
    const uint64_t before = digest_of(roots);
    OK(carom_device_rollout(&batch.worlds, &there, out_there.returns, out_there.best, plain ? NULL : &finals.worlds));
    assert_true(digest_of(roots) == before);
    compare(&here, &out_here, &there, &out_there, roots);

    leave_this_device(&batch);
    leave_this_device(&finals);
    carom_worlds_destroy(out_here.finals);
    carom_worlds_destroy(out_there.finals);
    carom_worlds_destroy(roots);
    forget(&all);
}

TEST(test_rollouts)
{
    uint64_t rng = test_seed(28);
    const int rounds = at_length(400, 40, 6);
    for (size_t g = 0; g < ONE_GAMES; g++) {
        ended = faults = 0;
        for (int round = 0; round < 2 * rounds; round++) {
            if (!program_is_asked(one_games[g].name, round % 2 != 0)) {
                continue;
            }
            const uint64_t state = rng;
            print_message("%s %d: %llu\n", one_games[g].name, round, (unsigned long long)state);
            roll_both(carom_game_find(one_games[g].name), round % 2 ? CAROM_F64 : CAROM_F32, &rng);
        }
        print_message("%s: %zu sequences ended early, %zu with faults\n", one_games[g].name, ended, faults);
        assert_true(ended > 0 || getenv("CAROM_TEST_MODULE") != NULL);
    }
}

/* Many normal numbers, none of them cut off, by the plainest rollout. */
static void roll_normal(carom_precision precision, uint64_t *rng)
{
    arrays all = {{NULL}, 0};
    const carom_game *game = carom_game_find("csb");
    carom_worlds *roots = make_roots(game, precision, rng);
    carom_rollout_desc desc = carom_rollout_desc_default(game);
    desc.sequences = 100;
    desc.horizon = 4;
    desc.seed = rng_next(rng);
    const size_t total = ROOTS * desc.sequences * 2, numbers = ROOTS * desc.horizon * 4;
    for (unsigned p = 0; p < 2; p++) {
        desc.players[p].source = CAROM_GAUSSIAN;
        desc.players[p].mean = some_floats(&all, rng, numbers, -0.2, 0.2);
        desc.players[p].sigma = some_floats(&all, rng, numbers, 0.1, 0.2);
    }
    double *here = keep(&all, take(total * sizeof *here)), *there = keep(&all, take(total * sizeof *there));
    OK(carom_rollout(roots, &desc, here, NULL, NULL));
    this_batch batch;
    on_this_device(&batch, roots, (size_t)1 << 20);
    OK(carom_device_rollout(&batch.worlds, &desc, there, NULL, NULL));
    same("returns", here, there, total * sizeof *here);
    leave_this_device(&batch);
    carom_worlds_destroy(roots);
    forget(&all);
}

TEST(test_normal_numbers)
{
    uint64_t rng = test_seed(30);
    for (int round = 0; round < at_length(40, 4, 2); round++) {
        if (program_is_asked("csb", round % 2 != 0)) {
            roll_normal(round % 2 ? CAROM_F64 : CAROM_F32, &rng);
        }
    }
}

/* The draws of sequences of all numbers. */
TEST(test_draws)
{
    uint64_t rng = test_seed(29);
    for (int round = 0; round < at_length(200, 60, 20); round++) {
        arrays all = {{NULL}, 0};
        const carom_game *game = carom_game_find(one_games[(size_t)round % ONE_GAMES].name);
        carom_worlds *roots = make_roots(game, CAROM_F32, &rng);
        const carom_rollout_desc desc = any_rollout(game, &all, &rng, false, false);
        const carom_source source = desc.players[0].source;
        const size_t count = 1 + (size_t)rng_below(&rng, 20), all_numbers = ROOTS * count * MOST_HORIZON * 64;
        double *here = keep(&all, take(all_numbers * sizeof *here)),
               *there = keep(&all, take(all_numbers * sizeof *there));
        uint32_t *sequences = keep(&all, take(ROOTS * count * sizeof *sequences));
        for (size_t n = 0; n < ROOTS * count; n++) {
            sequences[n] = (uint32_t)rng_next(&rng);
        }
        if (source == CAROM_DRAWN || source == CAROM_UNIFORM || source == CAROM_GAUSSIAN) {
            this_batch batch;
            on_this_device(&batch, roots, 64);
            const uint32_t *given = rng_one_in(&rng, 2) ? sequences : NULL;
            OK(carom_rollout_draws(roots, &desc, 0, given, count, here));
            OK(carom_device_draws(&batch.worlds, &desc, 0, given, count, there));
            same("draws", here, there, all_numbers * sizeof *here);
            leave_this_device(&batch);
        }
        carom_worlds_destroy(roots);
        forget(&all);
    }
}
