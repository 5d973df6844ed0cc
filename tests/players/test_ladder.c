/* SPDX-License-Identifier: MIT
 * The ladders: their rungs are players, and each beats the one below. A few games, in both seats of every start, are
 * enough to detect two swapped rungs. bench/strength measures how often they win.
 */
#include "test.h"

#include <carom/soccer.h>

enum { STARTS = 6 };

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

/* Points of the upper rung, two for a win, in the games of `starts` in which it has seat `seat`. */
static int play_from(const carom_worlds_desc *desc, const char *upper, const char *lower, unsigned seat)
{
    OWNED(carom_worlds) *worlds = make_worlds(desc);
    carom_player *players[2] = {make_player(worlds, seat, upper), make_player(worlds, 1 - seat, lower)};
    carom_result results[STARTS];
    uint8_t ends[STARTS];
    int points = 0;
    for (size_t over = 0; over < desc->count;) {
        carom_step step = STEP_WITH(.results = results, .ends = ends);
        for (int p = 0; p < 2; p++) {
            OK(carom_player_take(players[p], worlds, &step));
        }
        play_worlds(worlds, &step);
        for (size_t w = 0; w < desc->count; w++) {
            over += ends[w] != 0;
            points += ends[w] == 0 ? 0 : results[w].winner < 0 ? 1 : results[w].winner == (int)seat ? 2 : 0;
        }
    }
    carom_player_destroy(players[0]);
    carom_player_destroy(players[1]);
    return points;
}

/* Rungs [first, end) of a game. */
static void climb(const char *name, const void *options, size_t starts, size_t end)
{
    const char *const *names;
    const carom_game *game = carom_game_find(name);
    const size_t rungs = carom_ladder(game, &names);
    assert_true(rungs >= 4);
    const carom_worlds_desc desc =
        WORLDS_DESC(game, .count = starts, .seed = 11, .at_end = CAROM_FREEZE, .options = options);
    for (size_t k = 1; k < rungs && k < end; k++) {
        const int points = play_from(&desc, names[k], names[k - 1], 0) + play_from(&desc, names[k], names[k - 1], 1);
        print_message("%s: %s against %s: %d of %d points\n", name, names[k], names[k - 1], points, 4 * (int)starts);
        assert_true(points > 2 * (int)starts);
    }
}

TEST(rungs_are_players)
{
    for (size_t g = 0; g < carom_game_count(); g++) {
        const carom_game *game = carom_game_at(g);
        const char *const *names;
        const size_t rungs = carom_ladder(game, &names);
        assert_true(rungs >= 4 || carom_game_describe(game).players < 2);
        assert_int_equal(carom_ladder(game, NULL), rungs);
        for (size_t k = 0; k < rungs; k++) {
            OK(carom_player_check(game, names[k], NULL));
        }
    }
    const char *const *none = (const char *const *)&none;
    assert_int_equal(carom_ladder(NULL, &none), 0);
    assert_null(none);
}

TEST(csb_rungs_beat_the_one_below)
{
    climb("csb", NULL, (size_t)unless_short(STARTS, 3), (size_t)unless_short(5, 4));
}

TEST(fantastic_bits_rungs_beat_the_one_below)
{
    climb("fantastic_bits", NULL, (size_t)unless_short(STARTS, 2), (size_t)unless_short(4, 3));
}

TEST(soccer_rungs_beat_the_one_below)
{
    carom_soccer_options one_goal = carom_soccer_options_of(CAROM_SOCCER_DIVISION_B);
    one_goal.goals = 1;
    one_goal.ticks = 900;
    climb("soccer", &one_goal, (size_t)unless_short(STARTS, 3), (size_t)unless_short(4, 3));
}

TEST(stones_rungs_beat_the_one_below)
{
    climb("stones", NULL, (size_t)unless_short(STARTS, 5), 4);
}
