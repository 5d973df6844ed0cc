/* SPDX-License-Identifier: MIT
 * Recipes: their digests equal those of a batch stepped by hand, for any blocks, threads and instruction sets.
 */
#include "recipe_test.h"

/* Expected results of a recipe for all worlds, and of each block in `blocks`: one batch, stepped by hand. Policies are
 * called one by one, and their actions passed on. */
static uint64_t by_hand(const carom_recipe *recipe, uint64_t *blocks)
{
    const carom_recipe_desc about = carom_recipe_describe(recipe);
    const carom_game *game = about.game;
    const carom_game_info info = carom_game_describe(game);
    const size_t worlds = (size_t)about.worlds;
    OWNED(carom_worlds) *batch = MAKE_WORLDS(game, .count = worlds, .options = about.options, .seed = about.seed,
                                             .precision = about.precision, .at_end = about.at_end);
    carom_action_kind kind;
    carom_observation_kind seen;
    carom_reward_kind rewarded;
    OK(carom_game_action_kind(game, about.action_kind, &kind));
    OK(carom_game_observation_kind(game, about.observation_kind, &seen));
    OK(carom_game_reward_kind(game, about.reward_kind, &rewarded));
    const size_t part = kind.size * (kind.precision / 8), acted = part * info.players;
    const size_t sees = info.players * seen.agents * seen.size * sizeof(float);
    const size_t gains = info.players * rewarded.agents * sizeof(float);
    FREED char *actions = take(worlds * acted + 1), *asked = take(worlds * acted + 1);
    FREED char *before = take(worlds * sees + 1), *after = take(worlds * sees + 1), *rewards = take(worlds * gains + 1);
    FREED uint8_t *ends = take(worlds);
    carom_step step =
        STEP_WITH(.action_kind = about.action_kind, .observation_kind = about.observation_kind,
                  .reward_kind = about.reward_kind, .actions = actions, .rewards = (float *)(void *)rewards,
                  .ends = ends, .observations = (float *)(void *)before);
    OK(carom_worlds_observe_step(batch, &step));
    uint64_t total = 0;
    for (uint64_t t = 0; t < about.ticks; t++) {
        memset(actions, 0, worlds * acted);
        for (uint32_t p = 0; p < info.players; p++) {
            size_t policy;
            if (carom_game_find_policy(game, about.players[p], &policy) == CAROM_OK) {
                OK(carom_worlds_policy(batch, policy, about.action_kind, asked));
                for (size_t w = 0; w < worlds; w++) {
                    memcpy(actions + w * acted + p * part, asked + w * acted + p * part, part);
                }
            }
        }
        step.observations = (float *)(void *)after;
        play_worlds(batch, &step);
        for (size_t w = 0, b = 0; w < worlds; w++) {
            const void *rows[4] = {before + w * sees, actions + w * acted, rewards + w * gains, ends + w};
            const size_t bytes[4] = {sees, acted, gains, 1};
            const uint64_t digest = plain_digest(w, t, rows, bytes);
            uint64_t first = 0, count = 0;
            OK(carom_recipe_block(recipe, b, &first, &count));
            if (w == first + count) {
                b++;
            }
            blocks[b] += digest;
            total += digest;
        }
        memcpy(before, after, worlds * sees);
    }
    return total;
}

/* ---- cases ---- */

/* Plays a recipe in all ways, and compares with steps by hand. */
static void in_all_ways(carom_recipe_desc desc)
{
    uint64_t blocks[CAROM_RECIPE_BLOCKS] = {0};
    desc.blocks = 3;
    OWNED(carom_recipe) *three = create(&desc);
    const uint64_t total = by_hand(three, blocks);
    desc.blocks = 1;
    OWNED(carom_recipe) *one = create(&desc);
    desc.blocks = 0;
    OWNED(carom_recipe) *many = create(&desc);
    for (size_t i = 0; i < isa_count; i++) {
        for (size_t b = 0; b < 3; b++) {
            assert_int_equal(play(three, b, isas[i], 1 + (unsigned)b), blocks[b]);
        }
        assert_int_equal(play_all(one, isas[i], 1), total);
    }
    assert_int_equal(play_all(one, CAROM_ISA_DEFAULT, 7), total);
    assert_int_equal(play_all(many, CAROM_ISA_DEFAULT, 2), total);

    /* The same from the text. */
    const recipe_text text = write_text(three);
    OWNED(carom_recipe) *again = parse(&text);
    assert_int_equal(play_all(again, CAROM_ISA_DEFAULT, 2), total);
}

TEST(every_game)
{
    for (size_t g = 0; g < carom_game_count(); g++) {
        const carom_game *game = carom_game_at(g);
        const carom_game_info info = carom_game_describe(game);
        for (int f64 = 0; f64 <= 1; f64++) {
            carom_recipe_desc desc = carom_recipe_desc_default(game);
            desc.worlds = 37 + (uint64_t)unless_short(0x200, 0); /* more than a piece */
            desc.ticks = (uint64_t)unless_short(60, 25);
            desc.seed = 5 + g;
            desc.precision = f64 ? CAROM_F64 : CAROM_F32;
            desc.action_kind = info.action_kinds - 1;
            desc.observation_kind = f64 ? info.observation_kinds - 1 : 0;
            desc.reward_kind = f64 ? 0 : info.reward_kinds - 1;
            for (uint32_t p = 0; p < info.players; p++) {
                desc.players[p] = p == 2 ? "zero" : carom_game_policy_name(game, (p + (size_t)f64) % info.policies);
            }
            in_all_ways(desc);
        }
    }
}

/* Games that end, with every way to continue. */
TEST(ends)
{
    const carom_game *csb = carom_game_find("csb");
    carom_csb_options options;
    uint64_t map_seed = UINT64_MAX;
    OK(carom_game_options_default(csb, &options));
    options.map_seed = &map_seed;
    OK(carom_game_set_option(csb, &options, "ticks", 20, NULL));
    for (int end = CAROM_PLAY_ON; end <= CAROM_RESET; end++) {
        carom_recipe_desc desc = carom_recipe_desc_default(csb);
        desc.options = &options;
        desc.worlds = 33;
        desc.ticks = 45;
        desc.at_end = (carom_at_end)end;
        desc.players[1] = "zero";
        in_all_ways(desc);
    }
}

static carom_scene *table(bool hook);

TEST(scenes)
{
    OWNED(carom_scene) *scene = table(false);
    need_json(scene);
    carom_recipe_desc desc = carom_recipe_desc_default(carom_scene_game(scene));
    desc.worlds = 50;
    desc.ticks = 20;
    desc.players[0] = "random";
    in_all_ways(desc);
    desc.precision = CAROM_F32;
    in_all_ways(desc);

    OWNED(carom_scene) *hooked = table(true);
    desc.game = carom_scene_game(hooked);
    not_created(&desc, CAROM_ERROR_ARGUMENT, "hooks");
}

static void no_hook(void *user, const carom_scene_range *range)
{
    (void)user;
    (void)range;
}

static carom_scene *table(bool hook)
{
    carom_scene_body bodies[3] = {carom_scene_body_default(), carom_scene_body_default(), carom_scene_body_default()};
    carom_scene_wall wall = {-9, -3, 9, -4, 1, false, false};
    carom_scene_desc desc = carom_scene_desc_default();
    for (int k = 0; k < 3; k++) {
        bodies[k].x = 4 * k - 4;
        bodies[k].vx = 1 - k;
        bodies[k].ay = -0.5;
        bodies[k].acts = k != 1;
    }
    desc.bodies = bodies;
    desc.body_count = 3;
    desc.walls = &wall;
    desc.wall_count = 1;
    desc.contact_time = 0.01;
    desc.tick_hook = hook ? no_hook : NULL;
    return make_scene(&desc);
}

/* Planners: the same by hand, in one batch with one search for each side. */
TEST(planners)
{
    const carom_game *csb = carom_game_find("csb");
    carom_recipe_desc desc = carom_recipe_desc_default(csb);
    desc.worlds = 37;
    desc.ticks = 6;
    desc.seed = 9;
    desc.action_kind = find_kind(csb, "normalised");
    desc.players[0] = "cem:rollouts=96,horizon=3,sequences=32,other-side=race,sigma=0.4,cut=1";
    desc.players[1] = "shooting:64,sequences=64,seed=77,horizon=2,value=duel,reward=0";
    desc.blocks = 3;
    OWNED(carom_recipe) *recipe = create(&desc);

    carom_search_desc how[2] = {carom_search_desc_default(csb), carom_search_desc_default(csb)};
    how[0].rollouts = 96;
    how[0].horizon = 3;
    how[0].sequences = 32;
    how[0].other = CAROM_OTHER_POLICY;
    OK(carom_game_find_policy(csb, "race", &how[0].policy));
    how[0].sigma = 0.4;
    how[0].cut_after = 1;
    how[1].planner = CAROM_SHOOTING;
    how[1].player = 1;
    how[1].rollouts = 64;
    how[1].sequences = 64;
    how[1].seed = 77;
    how[1].horizon = 2;
    how[1].other = CAROM_OTHER_SEARCH; /* as csb's planners do, unless the text says otherwise */
    for (size_t k = 0; k < 2; k++) {
        OK(carom_game_find_value_kind(csb, "duel", &how[k].value_kind));
        how[k].reward_weight = 0;
    }

    carom_action_kind kind;
    carom_observation_kind seen;
    OK(carom_game_action_kind(csb, desc.action_kind, &kind));
    OK(carom_game_observation_kind(csb, 0, &seen));
    const size_t worlds = 37, sees = 2 * seen.size;
    OWNED(carom_worlds) *batch = MAKE_WORLDS(csb, .count = worlds, .seed = 9, .at_end = CAROM_RESET);
    OWNED(carom_search) *a = NULL, *b = NULL;
    OK(carom_search_create(batch, &how[0], &a));
    OK(carom_search_create(batch, &how[1], &b));
    FREED float *mine = take(worlds * kind.size * sizeof(float)), *theirs = take(worlds * kind.size * sizeof(float));
    FREED float *both = take(2 * worlds * kind.size * sizeof(float)), *rewards = take(2 * worlds * sizeof(float));
    FREED float *before = take(worlds * sees * sizeof(float)), *after = take(worlds * sees * sizeof(float));
    FREED uint8_t *ends = take(worlds);
    OK(carom_worlds_observe(batch, before));
    uint64_t total = 0;
    for (uint64_t t = 0; t < desc.ticks; t++) {
        OK(carom_search_run(a, batch));
        OK(carom_search_run(b, batch));
        OK(carom_search_actions(a, 0, mine));
        OK(carom_search_actions(b, 1, theirs));
        for (size_t w = 0; w < worlds; w++) {
            memcpy(both + 2 * w * kind.size, mine + w * kind.size, kind.size * sizeof(float));
            memcpy(both + (2 * w + 1) * kind.size, theirs + w * kind.size, kind.size * sizeof(float));
        }
        PLAY(batch, .action_kind = desc.action_kind, .actions = both, .rewards = rewards, .ends = ends,
             .observations = after);
        for (size_t w = 0; w < worlds; w++) {
            const void *rows[4] = {before + w * sees, both + 2 * w * kind.size, rewards + 2 * w, ends + w};
            const size_t bytes[4] = {sees * sizeof(float), 2 * kind.size * sizeof(float), 2 * sizeof(float), 1};
            total += plain_digest(w, t, rows, bytes);
        }
        memcpy(before, after, worlds * sees * sizeof(float));
    }
    for (size_t i = 0; i < isa_count; i++) {
        assert_int_equal(play_all(recipe, isas[i], 1 + (unsigned)i), total);
    }
    /* Several pieces, one after the other. */
    desc.blocks = 1;
    OWNED(carom_recipe) *one = create(&desc);
    assert_int_equal(play_all(one, CAROM_ISA_DEFAULT, 1), total);
    assert_int_equal(play_all(one, CAROM_ISA_DEFAULT, 2), total);
    const recipe_text text = write_text(recipe);
    OWNED(carom_recipe) *again = parse(&text);
    assert_int_equal(play_all(again, CAROM_ISA_DEFAULT, 3), total);
}

/* A recipe of 10^6 transitions that was made before, on another machine. */
TEST(stored)
{
    recipe_text text;
    FILE *file = fopen(CAROM_TEST_DATA "/recipes/csb.recipe", "rb");
    assert_non_null(file);
    text.length = fread(text.bytes, 1, CAROM_RECIPE_BYTES, file);
    fclose(file);
    text.bytes[text.length] = '\0';

    /* The bits do not change with the version, until they are changed on purpose. */
    char was[64] = "", is[64];
    assert_int_equal(sscanf(text.bytes, "carom recipe 1\nversion %15[0-9.]", was + 8), 1);
    memcpy(was, "version ", 8);
    snprintf(is, sizeof is, "version %s", carom_version());
    replace(&text, was, is);

    OWNED(carom_recipe) *recipe = parse(&text);
    const carom_recipe_desc about = carom_recipe_describe(recipe);
    assert_int_equal(about.worlds * about.ticks, 1000000);
    for (size_t i = 0; i < isa_count; i++) {
        /* If the only vector set is emulated, scalar plays a part only. */
        const size_t stride =
            (size_t)(isas[i] == CAROM_ISA_SCALAR || isas[i] == CAROM_ISA_NEON ? 1 : unless_short(1, 7));
        for (size_t b = 0; b < about.blocks; b += stride) {
            uint64_t digest = 0;
            OK(carom_recipe_digest(recipe, b, &digest));
            assert_int_equal(play(recipe, b, isas[i], 0), digest);
        }
    }
}

TEST(cancelled)
{
    carom_recipe_desc desc = small();
    OWNED(carom_recipe) *recipe = create(&desc);
    const volatile int now = 1;
    uint64_t progress = 0, digest = 42;
    carom_recipe_how how = carom_recipe_how_default();
    how.cancel = &now;
    how.progress = &progress;
    assert_int_equal(carom_recipe_play(recipe, 0, &how, &digest), CAROM_ERROR_CANCELLED);
    assert_int_equal(digest, 42);
    assert_int_equal(progress, 0);
    how.cancel = NULL;
    OK(carom_recipe_play(recipe, 0, &how, &digest));
    assert_int_equal(progress, 25);
    how.threads = 1;
    how.size--;
    assert_int_equal(carom_recipe_play(recipe, 0, &how, &digest), CAROM_ERROR_ARGUMENT);
    how.size++;
    const unsigned nowhere = 100000;
    how.affinity = &nowhere;
    how.affinity_count = 1;
    assert_int_not_equal(carom_recipe_play(recipe, 0, &how, &digest), CAROM_OK);
    how.affinity = NULL;
    how.affinity_count = 0;
    how.threads = CAROM_MAX_THREADS + 1;
    assert_int_equal(carom_recipe_play(recipe, 0, &how, &digest), CAROM_ERROR_ARGUMENT);
    assert_int_equal(carom_recipe_play(recipe, 2, NULL, &digest), CAROM_ERROR_ARGUMENT);
}
