/* SPDX-License-Identifier: MIT
 * Players: texts, and errors in them; a player in a batch plays as it does alone, with policies and planners, in every
 * game; valid and invalid steps; the same numbers again after forgetting.
 */
#include "test.h"

#include <carom/fantastic_bits.h>

static void end_carom_player(carom_player **player)
{
    carom_player_destroy(*player);
}

static const char *const games[] = {"csb", "fantastic_bits", "soccer", "stones"};
#define GAMES (sizeof games / sizeof games[0])

static carom_player *make_player(const carom_worlds *worlds, unsigned seat, const char *text)
{
    carom_player *player = NULL;
    carom_problem problem = {""};
    const carom_status status = carom_player_create(worlds, seat, text, &player, &problem);
    if (status != CAROM_OK) {
        fail_msg("%s: %s: %s", text, carom_status_string(status), problem.text);
    }
    return player;
}

/* Plays `turns` steps of two players. */
static void play_turns(carom_worlds *worlds, carom_player *const players[2], size_t turns, size_t repeat)
{
    for (size_t t = 0; t < turns; t++) {
        carom_step step = STEP_WITH(.repeat = repeat);
        for (int p = 0; p < 2; p++) {
            OK(carom_player_take(players[p], worlds, &step));
        }
        play_worlds(worlds, &step);
    }
}

/* ---- texts ---- */

TEST(texts_that_are_right)
{
    static const char *const texts[] = {"race",
                                        "zero",
                                        "cem",
                                        "cem:100",
                                        "cem:",
                                        "shooting:64,horizon=8",
                                        "mppi:ms=2",
                                        "genetic:rollouts=64,mutation=0.2,spread=0.5,elites=8,sequences=16",
                                        "cem:64,other-side=race+zero,against=worst,guard_facing=-0.5,precision=f32"};
    const carom_game *csb = carom_game_find("csb");
    for (size_t k = 0; k < sizeof texts / sizeof texts[0]; k++) {
        carom_problem problem = {""};
        assert_int_equal(carom_player_check(csb, texts[k], &problem), CAROM_OK);
        assert_string_equal(problem.text, "");
    }
    OK(carom_player_check(carom_game_find("soccer"), "striker", NULL));
}

TEST(texts_that_are_wrong)
{
    static const char *const texts[][2] = {
        {"best", "'best' is unknown"},
        {"cem100", "'cem100' is unknown"},
        {"striker", "'striker' is unknown"},
        {"", "'' is unknown"},
        {"cem:fly=1", "'fly'"},
        {"cem:horizon", "'horizon' in 'cem:horizon' is no key=value"},
        {"cem:horizon=8,100", "'100'"},
        {"cem:3", "rollouts: 3 is too small, it must be at least 4"},
        {"cem:horizon=201", "horizon: 201 is too large, it must be at most 200"},
        {"cem:horizon=-1", "horizon: '-1' is not a whole number"},
        {"cem:sigma=x", "sigma: 'x' is not a number"},
        {"cem:sigma=nan", "sigma: 'nan' is not a number"},
        {"cem:sigma=101", "sigma: 101 is not between 1e-06 and 100"},
        {"cem:won=1e7", "won: 1e7 is not between"},
        {"cem:other-side=striker",
         "other-side: unknown choice 'striker' (zero, plan, search, fictitious, network, race, "},
        {"cem:other-side=+", "other-side: none is named"},
        {"cem:other-side=race+race+race+race+race+race+race+race+race", "other-side: more than 8"},
        {"cem:against=best", "against: unknown choice 'best'"},
        {"cem:precision=f16", "precision: unknown precision 'f16'"},
        {"cem:value=x", "value: unknown choice 'x'"},
        {"cem:cut=6", "cut: 6 ticks are not below the horizon, 6"},
        {"cem:7,other-side=race+zero", "rollouts: less than 4 for each of 2 other sides"},
    };
    const carom_game *csb = carom_game_find("csb");
    OWNED(carom_worlds) *worlds = MAKE_WORLDS(csb, .count = 2);
    for (size_t k = 0; k < sizeof texts / sizeof texts[0]; k++) {
        carom_problem problem = {""};
        carom_player *player = (carom_player *)worlds;
        assert_int_equal(carom_player_check(csb, texts[k][0], &problem), CAROM_ERROR_ARGUMENT);
        if (strstr(problem.text, texts[k][1]) == NULL) {
            fail_msg("'%s': %s", texts[k][0], problem.text);
        }
        assert_int_equal(carom_player_create(worlds, 0, texts[k][0], &player, &problem), CAROM_ERROR_ARGUMENT);
        assert_null(player);
    }
}

TEST(arguments_that_are_wrong)
{
    const carom_game *csb = carom_game_find("csb");
    OWNED(carom_worlds) *worlds = MAKE_WORLDS(csb, .count = 2);
    OWNED(carom_worlds) *others = MAKE_WORLDS(csb, .count = 3);
    carom_player *none = NULL;
    carom_problem problem = {""};
    assert_int_equal(carom_player_create(worlds, 2, "race", &none, &problem), CAROM_ERROR_ARGUMENT);
    assert_string_equal(problem.text, "seat 2; csb has 2");
    assert_int_equal(carom_player_create(NULL, 0, "race", &none, NULL), CAROM_ERROR_ARGUMENT);
    assert_int_equal(carom_player_create(worlds, 0, NULL, &none, NULL), CAROM_ERROR_ARGUMENT);
    assert_int_equal(carom_player_create(worlds, 0, "race", NULL, NULL), CAROM_ERROR_ARGUMENT);
    assert_int_equal(carom_player_create(worlds, 0, "cem:64,elites=128,sequences=64", &none, &problem),
                     CAROM_ERROR_ARGUMENT);
    assert_int_equal(carom_player_check(NULL, "race", NULL), CAROM_ERROR_ARGUMENT);

    /* A step that a planner cannot serve, and worlds that it was not made for. */
    OWNED(carom_player) *player = make_player(worlds, 1, "cem:16");
    carom_step step = STEP_WITH(.ticks = 2);
    assert_int_equal(carom_player_take(player, worlds, &step), CAROM_ERROR_ARGUMENT);
    OK(carom_worlds_problem(worlds, &problem));
    assert_non_null(strstr(problem.text, "steps of one tick"));
    step = STEP_WITH(.first = 2);
    assert_int_equal(carom_player_take(player, worlds, &step), CAROM_ERROR_ARGUMENT);
    step = STEP_WITH(.first = 0);
    assert_int_equal(carom_player_take(player, others, &step), CAROM_ERROR_ARGUMENT);
    assert_int_equal(step.players[1].source, CAROM_GIVEN);
    assert_null(step.players[1].actions);
    assert_int_equal(carom_player_take(NULL, worlds, &step), CAROM_ERROR_ARGUMENT);
    assert_int_equal(carom_player_act(player, worlds, NULL, 0), CAROM_ERROR_ARGUMENT);
    assert_int_equal(carom_player_forget(NULL), CAROM_ERROR_ARGUMENT);
    assert_null(carom_player_search(NULL));

    /* A batch in f32 cannot take options other than the defaults. */
    carom_csb_options few = carom_csb_options_default();
    few.ticks = 9;
    OWNED(carom_worlds) *short_games = MAKE_WORLDS(csb, .count = 2, .options = &few);
    assert_int_equal(carom_player_create(short_games, 0, "cem:16,precision=f32", &none, &problem),
                     CAROM_ERROR_UNSUPPORTED);
    assert_non_null(strstr(problem.text, "default options"));
}

TEST(keys_are_listed)
{
    const char *meaning = NULL;
    assert_string_equal(carom_player_key(0, &meaning), "rollouts");
    assert_non_null(strstr(meaning, "budget"));
    size_t keys = 0;
    while (carom_player_key(keys, NULL) != NULL) {
        keys++;
    }
    assert_int_equal(keys, 28);
}

/* ---- a batch and one world ---- */

/* The sum of the digests of worlds that play one by one. */
static uint64_t play_alone(const carom_worlds_desc *batch, const char *const texts[2], size_t turns, size_t repeat)
{
    uint64_t sum = 0;
    for (size_t w = 0; w < batch->count; w++) {
        carom_worlds_desc desc = *batch;
        desc.count = 1;
        desc.first_id = batch->first_id + w;
        OWNED(carom_worlds) *one = make_worlds(&desc);
        OWNED(carom_player) *a = make_player(one, 0, texts[0]);
        OWNED(carom_player) *b = make_player(one, 1, texts[1]);
        play_turns(one, (carom_player *[]){a, b}, turns, repeat);
        sum += digest_of(one);
    }
    return sum;
}

static void expect_alike(carom_worlds_desc desc, const char *a, const char *b, size_t turns, size_t repeat)
{
    const char *const texts[] = {a, b};
    OWNED(carom_worlds) *worlds = make_worlds(&desc);
    OWNED(carom_player) *first = make_player(worlds, 0, a);
    OWNED(carom_player) *second = make_player(worlds, 1, b);
    carom_player *const players[] = {first, second};
    const uint64_t before = digest_of(worlds);
    play_turns(worlds, players, turns, repeat);
    const uint64_t batch = digest_of(worlds);
    assert_int_not_equal(batch, before);
    assert_int_equal(batch, play_alone(&desc, texts, turns, repeat));

    /* After forgetting, the same happens again. */
    OK(carom_worlds_reset(worlds));
    OK(carom_player_forget(first));
    OK(carom_player_forget(second));
    play_turns(worlds, players, turns, repeat);
    assert_int_equal(digest_of(worlds), batch);
}

TEST(plays_in_a_batch_as_alone)
{
    const size_t turns = (size_t)unless_short(12, 6);
    for (size_t g = 0; g < GAMES; g++) {
        const carom_game *game = carom_game_find(games[g]);
        const carom_worlds_desc desc = WORLDS_DESC(game, .count = 19, .seed = 7, .first_id = 40);
        expect_alike(desc, "cem:24,sequences=8", "shooting:16,horizon=4", turns, 1);
        expect_alike(desc, carom_game_policy_name(game, 0), "cem:12,horizon=3", turns / 2, 2);
    }
}

TEST(plays_on_in_a_batch_as_alone_when_games_begin_anew)
{
    carom_csb_options options = carom_csb_options_default();
    options.ticks = 7;
    const carom_worlds_desc desc = WORLDS_DESC(carom_game_find("csb"), .count = 5, .seed = 7, .options = &options,
                                               .at_end = CAROM_RESET, .precision = CAROM_F32);
    expect_alike(desc, "cem:24,sequences=8", "cem:16,other-side=fictitious,rounds=2", 10, 1);
}

/* ---- what a player does ---- */

TEST(a_planner_answers_what_it_plays)
{
    for (size_t g = 0; g < GAMES; g++) {
        const carom_game *game = carom_game_find(games[g]);
        OWNED(carom_worlds) *acting = MAKE_WORLDS(game, .count = 3, .seed = 2);
        OWNED(carom_worlds) *taking = MAKE_WORLDS(game, .count = 3, .seed = 2);
        OWNED(carom_player) *one = make_player(acting, 1, "cem:32");
        OWNED(carom_player) *two = make_player(taking, 1, "cem:32");
        carom_action_kind kind;
        OK(carom_game_action_kind(game, carom_player_action_kind(one), &kind));
        const size_t bytes = (size_t)kind.size * kind.precision / 8;
        FREED unsigned char *actions = take(3 * bytes);
        for (int turn = 0; turn < 4; turn++) {
            const uint64_t before = digest_of(acting);
            OK(carom_player_act(one, acting, actions, 0));
            assert_int_equal(digest_of(acting), before);
            carom_step step = STEP_WITH(.ticks = 1);
            step.players[1].actions = actions;
            step.players[1].action_kind = carom_player_action_kind(one);
            play_worlds(acting, &step);
            step = STEP_WITH(.ticks = 1);
            OK(carom_player_take(two, taking, &step));
            play_worlds(taking, &step);
            assert_int_equal(digest_of(acting), digest_of(taking));
        }
        assert_non_null(carom_player_search(one));
        assert_true(carom_search_last(carom_player_search(one)).rollouts >= 3 * 32);
    }
}

/* Policies and zeros are those of the game. */
TEST(a_policy_answers_as_the_game_does)
{
    const carom_game *csb = carom_game_find("csb");
    OWNED(carom_worlds) *worlds = MAKE_WORLDS(csb, .count = 3);
    OWNED(carom_player) *race = make_player(worlds, 1, "race");
    OWNED(carom_player) *zero = make_player(worlds, 0, "zero");
    double all[3][2][6], found[3][7];
    const size_t kind = find_kind(csb, "referee");
    assert_int_equal(carom_player_action_kind(race), kind);
    OK(carom_worlds_policy(worlds, 0, kind, all));
    memset(found, 0x7f, sizeof found);
    OK(carom_player_act(race, worlds, found, sizeof found[0]));
    for (int w = 0; w < 3; w++) {
        assert_memory_equal(found[w], all[w][1], sizeof all[w][1]);
    }
    OK(carom_player_act(zero, worlds, found, sizeof found[0]));
    assert_true(found[2][5] == 0);
    assert_true(found[2][6] != 0);
    OK(carom_player_forget(race));
    assert_null(carom_player_search(race));

    carom_step step = STEP_WITH(.ticks = 5);
    OK(carom_player_take(race, worlds, &step));
    OK(carom_player_take(zero, worlds, &step));
    assert_int_equal(step.players[1].source, CAROM_POLICY);
    assert_int_equal(step.players[0].source, CAROM_ZERO);
}

/* A step of some of the worlds reads the actions of those. */
TEST(takes_a_seat_in_a_part_of_the_batch)
{
    const carom_game *csb = carom_game_find("csb");
    OWNED(carom_worlds) *whole = MAKE_WORLDS(csb, .count = 5);
    OWNED(carom_worlds) *part = MAKE_WORLDS(csb, .count = 5);
    OWNED(carom_player) *one = make_player(whole, 0, "cem:32");
    OWNED(carom_player) *two = make_player(part, 0, "cem:32");
    carom_step step = STEP_WITH(.ticks = 1);
    OK(carom_player_take(one, whole, &step));
    play_worlds(whole, &step);
    step = STEP_WITH(.first = 2, .count = 2);
    OK(carom_player_take(two, part, &step));
    play_worlds(part, &step);
    for (size_t w = 0; w < 5; w++) {
        double a[4], b[4];
        get_field(whole, "x", w, 1, a);
        get_field(part, "x", w, 1, b);
        assert_int_equal(memcmp(a, b, sizeof a) == 0, w == 2 || w == 3);
    }
}

/* A search that is cancelled leaves the step as it was. */
TEST(stops_when_the_step_is_cancelled)
{
    OWNED(carom_worlds) *worlds = MAKE_WORLDS(carom_game_find("csb"), .count = 2);
    OWNED(carom_player) *player = make_player(worlds, 0, "cem:32");
    volatile int cancel = 1;
    carom_step step = STEP_WITH(.ticks = 1);
    step.cancel = &cancel;
    assert_int_equal(carom_player_take(player, worlds, &step), CAROM_ERROR_CANCELLED);
    assert_null(step.players[0].actions);
    step.cancel = NULL;
    OK(carom_player_take(player, worlds, &step));
    assert_non_null(step.players[0].actions);
}

/* In f32 a planner plays nearly as in f64, if it searches there: the first turn, that is. */
TEST(searches_in_f32_beside_games_in_f64)
{
    const carom_game *csb = carom_game_find("csb");
    OWNED(carom_worlds) *worlds = MAKE_WORLDS(csb, .count = 2);
    OWNED(carom_player) *exact = make_player(worlds, 0, "cem:32");
    OWNED(carom_player) *rounded = make_player(worlds, 0, "cem:32,precision=f32");
    double a[2][6], b[2][6];
    OK(carom_player_act(exact, worlds, a, 0));
    OK(carom_player_act(rounded, worlds, b, 0));
    for (int k = 0; k < 12; k++) {
        assert_true(fabs(a[k / 6][k % 6] - b[k / 6][k % 6]) < 20);
    }
}

/* Wizards nearly always want full power: what planners of fantastic_bits draw is at least half of it full, in the last
 * row of the longest plan, too. */
TEST(wizards_move_with_full_power)
{
    enum { WORLDS = 64 };
    static const char *const texts[] = {"cem:8", "cem:4,horizon=200,cut=0"};
    const carom_game *game = carom_game_find("fantastic_bits");
    OWNED(carom_worlds) *worlds = MAKE_WORLDS(game, .count = WORLDS);
    for (int t = 0; t < 2; t++) {
        OWNED(carom_player) *player = make_player(worlds, 0, texts[t]);
        double commands[WORLDS][2][4];
        static float plan[WORLDS][200][2][5];
        OK(carom_player_act(player, worlds, commands, 0));
        OK(carom_search_plan(carom_player_search(player), 0, &plan[0][0][0][0]));
        int moves = 0, full = 0, last = 0;
        for (int k = 0; k < 2 * WORLDS; k++) {
            const double *command = commands[k / 2][k % 2];
            moves += command[0] == CAROM_FANTASTIC_BITS_MOVE;
            full += command[0] == CAROM_FANTASTIC_BITS_MOVE && command[3] == 150;
            last += plan[k / 2][199][k % 2][2] >= 1;
        }
        assert_true(moves > WORLDS && full < moves && 2 * full > moves);
        assert_true(t == 0 || last >= WORLDS);
    }
}
