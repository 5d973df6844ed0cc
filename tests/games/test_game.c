/* SPDX-License-Identifier: MIT
 * The tables of games, and the built-in policies of csb. test_game_play.c tests playing.
 */
#define _POSIX_C_SOURCE 200809L

#include "tests/games/csb/csb_batch.h"

#define PLAYERS 2
#define WORLDS 200

/* ---- tables ---- */

TEST(test_games)
{
    const carom_game *csb = carom_game_find("csb");
    assert_non_null(csb);
    assert_null(carom_game_find("nothing"));
    assert_null(carom_game_find("csb "));
    assert_null(carom_game_find(""));
    assert_null(carom_game_find(NULL));
    assert_true(carom_game_count() > 0);
    for (size_t k = 0; k < carom_game_count(); k++)
        assert_ptr_equal(carom_game_find(carom_game_describe(carom_game_at(k)).name), carom_game_at(k));
    assert_null(carom_game_at(carom_game_count()));
    assert_null(carom_game_at(SIZE_MAX));
}

TEST(test_describe)
{
    const carom_game_info info = carom_game_describe(carom_game_find("csb"));
    assert_string_equal(info.name, "csb");
    assert_string_equal(info.title, "Coders Strike Back");
    assert_int_equal(info.players, PLAYERS);
    assert_int_equal(info.bodies, PODS);
    assert_int_equal(info.max_events, CSB_REF_MAX_SUBSTEPS - 1);
    assert_int_equal(info.observation_size, CAROM_CSB_OBSERVATION);
    assert_int_equal(info.action_kinds, 4);
    assert_int_equal(info.policies, 5);
    const carom_game_info nothing = carom_game_describe(NULL);
    assert_true(nothing.name == NULL && nothing.players == 0 && nothing.action_kinds == 0);
}

TEST(test_action_kinds)
{
    static const carom_action_kind expected[] = {{"relative", CAROM_F32, 4},
                                                 {"referee", CAROM_F64, 6},
                                                 {"normalised", CAROM_F32, 4},
                                                 {"normalised_full", CAROM_F32, 6}};
    const carom_game *csb = carom_game_find("csb");
    carom_action_kind kind = {"untouched", CAROM_F32, 77};
    size_t index = 77;
    for (size_t k = 0; k < 4; k++) {
        must(carom_game_find_action_kind(csb, expected[k].name, &index), "carom_game_find_action_kind");
        must(carom_game_action_kind(csb, index, &kind), "carom_game_action_kind");
        assert_string_equal(kind.name, expected[k].name);
        assert_int_equal(kind.precision, expected[k].precision);
        assert_int_equal(kind.size, expected[k].size);
    }
    index = 77;
    kind.size = 77;
    assert_int_equal(carom_game_action_kind(csb, 4, &kind), CAROM_ERROR_ARGUMENT);
    assert_int_equal(carom_game_action_kind(NULL, 0, &kind), CAROM_ERROR_ARGUMENT);
    assert_int_equal(carom_game_action_kind(csb, 0, NULL), CAROM_ERROR_ARGUMENT);
    assert_int_equal(carom_game_find_action_kind(csb, "Relative", &index), CAROM_ERROR_ARGUMENT);
    assert_int_equal(carom_game_find_action_kind(csb, NULL, &index), CAROM_ERROR_ARGUMENT);
    assert_int_equal(carom_game_find_action_kind(NULL, "relative", &index), CAROM_ERROR_ARGUMENT);
    assert_int_equal(carom_game_find_action_kind(csb, "relative", NULL), CAROM_ERROR_ARGUMENT);
    assert_true(index == 77 && kind.size == 77);
}

TEST(test_policy_names)
{
    static const char *const expected[] = {"race", "random", "ram", "pile", "drive"};
    const carom_game *csb = carom_game_find("csb");
    size_t index = 77;
    assert_int_equal(carom_game_find_policy(csb, "wait", &index), CAROM_ERROR_ARGUMENT);
    assert_int_equal(carom_game_find_policy(csb, NULL, &index), CAROM_ERROR_ARGUMENT);
    assert_int_equal(carom_game_find_policy(NULL, "race", &index), CAROM_ERROR_ARGUMENT);
    assert_int_equal(carom_game_find_policy(csb, "race", NULL), CAROM_ERROR_ARGUMENT);
    assert_int_equal(index, 77);
    for (size_t k = 0; k < 5; k++) {
        must(carom_game_find_policy(csb, expected[k], &index), expected[k]);
        assert_string_equal(carom_game_policy_name(csb, index), expected[k]);
    }
    assert_null(carom_game_policy_name(csb, 5));
    assert_null(carom_game_policy_name(NULL, 0));
}

/* ---- policies ---- */

static size_t policy_index(const char *name)
{
    size_t index = 0;
    must(carom_game_find_policy(carom_game_find("csb"), name, &index), name);
    return index;
}

TEST(test_policy_errors)
{
    OWNED(carom_worlds) *worlds = MAKE_WORLDS(carom_game_find("csb"), .count = 1);
    double actions[PODS * 3] = {77};
    assert_int_equal(carom_worlds_policy(NULL, 0, 0, actions), CAROM_ERROR_ARGUMENT);
    assert_int_equal(carom_worlds_policy(worlds, 5, 0, actions), CAROM_ERROR_ARGUMENT);
    assert_int_equal(carom_worlds_policy(worlds, 0, 4, actions), CAROM_ERROR_ARGUMENT);
    assert_int_equal(carom_worlds_policy(worlds, 0, 0, NULL), CAROM_ERROR_ARGUMENT);
    assert_true(actions[0] == 77);
}

/* `race` ends every game on the base maps, nearly all at the last checkpoint, in any kind of action. (Now and then a
 * player's pods push each other off course for the 100 ticks of a timeout.) */
TEST(test_race_finishes)
{
    carom_csb_map maps[CAROM_CSB_BASE_MAPS];
    size_t wins[CAROM_CSB_BASE_MAPS] = {0}, all = 0;
    carom_csb_options options = carom_csb_options_default();
    for (size_t b = 0; b < CAROM_CSB_BASE_MAPS; b++) {
        maps[b].checkpoints = carom_csb_base_map(b, &maps[b].count);
        maps[b].laps = 3;
    }
    options.maps = maps;
    options.map_count = CAROM_CSB_BASE_MAPS;
    carom_worlds_desc desc =
        WORLDS_DESC(carom_game_find("csb"), .options = &options, .count = CAROM_CSB_BASE_MAPS, .at_end = CAROM_FREEZE);
    for (size_t kind = 0; kind < 3; kind++) {
        OWNED(carom_worlds) *worlds = make_worlds(&desc);
        double actions[CAROM_CSB_BASE_MAPS][PODS][3];
        csb_ref_world found[CAROM_CSB_BASE_MAPS];
        carom_step step = STEP_WITH(.action_kind = kind, .actions = actions);
        for (int t = 0; t < 500; t++) {
            must(carom_worlds_policy(worlds, policy_index("race"), kind, actions), "carom_worlds_policy");
            must(carom_worlds_play(worlds, &step), "carom_worlds_play");
        }
        get_worlds(worlds, CAROM_CSB_BASE_MAPS, found);
        for (size_t b = 0; b < CAROM_CSB_BASE_MAPS; b++) {
            const csb_ref_world *world = &found[b];
            if (world->end != CAROM_TERMINATED)
                fail_msg("kind %zu, base map %zu: no end after %d ticks", kind, b, world->tick);
            const bool won = world->won[2 * world->winner] || world->won[2 * world->winner + 1];
            wins[b] += won;
            all += won;
        }
    }
    for (size_t b = 0; b < CAROM_CSB_BASE_MAPS; b++)
        assert_true(wins[b] > 0);
    assert_true(10 * all >= 9 * 3 * CAROM_CSB_BASE_MAPS);
}

/* The distance of two angles on the circle. */
static double angle_off(double a, double b)
{
    return fabs(remainder(a - b, 6.2831853071795862));
}

/* The same intent in two kinds of action gives nearly the same tick. `thrust_off`: the allowed difference of
 * thrusts. */
static void assert_close(const csb_ref_world *a, const csb_ref_world *b, double thrust_off, const char *what, size_t w)
{
    for (int i = 0; i < PODS; i++) {
        if (angle_off(a->angle[i], b->angle[i]) > 1e-4)
            fail_msg("%s, world %zu, pod %d: angle %g and %g", what, w, i, a->angle[i], b->angle[i]);
        if (hypot(a->vx[i] - b->vx[i], a->vy[i] - b->vy[i]) > thrust_off + 1.5)
            fail_msg("%s, world %zu, pod %d: velocity %g, %g and %g, %g", what, w, i, a->vx[i], a->vy[i], b->vx[i],
                     b->vy[i]);
    }
}

/* Plays one tick of a policy from the same states in all three kinds. */
static void compare_kinds(const carom_worlds *from, const char *policy, bool first_tick)
{
    static csb_ref_world found[3][WORLDS];
    static double actions[WORLDS][PODS][3];
    uint32_t impacts[3][WORLDS];
    size_t compared = 0;
    char what[64];
    for (size_t kind = 0; kind < 3; kind++) {
        carom_worlds_desc desc = carom_worlds_describe(from);
        OWNED(carom_worlds) *worlds = make_worlds(&desc);
        must(carom_worlds_copy(worlds, NULL, from, NULL, WORLDS), "carom_worlds_copy");
        must(carom_worlds_policy(worlds, policy_index(policy), kind, actions), "carom_worlds_policy");
        PLAY(worlds, .action_kind = kind, .actions = actions, .event_counts = impacts[kind]);
        get_worlds(worlds, WORLDS, found[kind]);
    }
    for (size_t w = 0; w < WORLDS; w++) {
        if (impacts[0][w] + impacts[1][w] + impacts[2][w] > 0)
            continue; /* an impact magnifies the difference */
        compared++;
        /* A referee's target is a whole point 10000 away. */
        snprintf(what, sizeof what, "%s, relative and referee", policy);
        assert_close(&found[0][w], &found[1][w], 0, what, w);
        /* Normalised: at most 18 degrees in tick 0, too; thrusts from 10, and to 190 as long as there is a boost. */
        snprintf(what, sizeof what, "%s, relative and normalised", policy);
        if (!first_tick)
            assert_close(&found[0][w], &found[2][w], 10 * 0.85, what, w);
        for (int i = 0; i < PODS; i++) { /* no shield is requested, and a boost is the same in every kind */
            for (size_t kind = 0; kind < 3; kind++) {
                assert_int_equal(found[kind][w].shield[i], 0);
                assert_int_equal(found[kind][w].boosted[i], found[0][w].boosted[i]);
            }
        }
    }
    assert_true(compared > WORLDS / 8);
}

TEST(test_kinds_agree)
{
    static const char *const policies[] = {"race", "random", "ram", "pile", "drive"};
    static double actions[WORLDS][PODS][3];
    OWNED(carom_worlds) *worlds = MAKE_WORLDS(carom_game_find("csb"), .count = WORLDS, .seed = 3);
    for (int ticks = 0; ticks < 60; ticks++) {
        if (ticks % 20 == 0)
            for (size_t k = 0; k < 5; k++)
                compare_kinds(worlds, policies[k], ticks == 0);
        carom_step step = STEP_WITH(.actions = actions);
        must(carom_worlds_policy(worlds, policy_index(ticks % 2 ? "race" : "random"), 0, actions), "policy");
        must(carom_worlds_play(worlds, &step), "carom_worlds_play");
    }
}

/* Draws of `random` depend on the seed and a world's id, episode and tick, not on its index. */
TEST(test_random_policy)
{
    static float one[WORLDS][PODS][2], other[WORLDS][PODS][2];
    size_t reversed[WORLDS];
    carom_worlds_desc desc = WORLDS_DESC(carom_game_find("csb"), .count = WORLDS);
    carom_worlds *worlds = make_worlds(&desc), *turned = make_worlds(&desc);
    for (size_t w = 0; w < WORLDS; w++)
        reversed[w] = WORLDS - 1 - w;
    must(carom_worlds_copy(turned, reversed, worlds, NULL, WORLDS), "carom_worlds_copy");
    must(carom_worlds_policy(worlds, policy_index("random"), 0, one), "policy");
    must(carom_worlds_policy(turned, policy_index("random"), 0, other), "policy");
    for (size_t w = 0; w < WORLDS; w++) {
        assert_memory_equal(one[w], other[reversed[w]], sizeof one[w]);
        assert_true(w == 0 || memcmp(one[w], one[0], sizeof one[w]) != 0);
        for (int i = 0; i < PODS; i++) {
            assert_true(fabs((double)one[w][i][0]) <= MAX_TURN + 1e-7);
            assert_true(one[w][i][1] >= 0 && one[w][i][1] <= 200 && one[w][i][1] == floorf(one[w][i][1]));
        }
    }
    carom_worlds_destroy(worlds);
    desc.seed++;
    worlds = make_worlds(&desc);
    must(carom_worlds_policy(worlds, policy_index("random"), 0, other), "policy");
    assert_true(memcmp(one, other, sizeof one) != 0);
    carom_worlds_destroy(worlds);
    carom_worlds_destroy(turned);
}
