/* SPDX-License-Identifier: MIT
 * All outputs of the games, by kind, against their golden digests: states, observations, rewards, ends, recorded
 * impacts, motion, the actions of policies, and rollouts. See golden.h.
 *
 * Compiled with GOLDEN_DEVICE, the games are played on the first device, as far as the build has programs for them.
 */
#include "golden_play.h"

/* In every game some worlds end and restart, freeze or play on; one leaves its range. */
#if defined(GOLDEN_DEVICE)
static unsigned played; /* games and precisions */

static void play_everywhere(const char *name, const golden_subject *subject)
{
    golden_subject there = *subject;
    there.device = carom_device_cuda(0);
    for (size_t k = 0; k < 2; k++) {
        carom_worlds_desc desc = carom_worlds_desc_default(subject->game);
        carom_problem problem;
        golden_sums sums = {0};
        desc.precision = k == 0 ? CAROM_F32 : CAROM_F64;
        desc.device = there.device;
        if (carom_device_check(&desc, &problem) != CAROM_OK) {
            print_message("%s, f%d: %s\n", name, (int)desc.precision, problem.text);
            continue;
        }
        golden_play(&there, desc.precision, isas[0], &sums);
        golden_compare_sums(name, there.game, desc.precision, isas[0], &sums);
        played++;
    }
}
#else
static void play_everywhere(const char *name, const golden_subject *subject)
{
    for (size_t k = 0; k < 2 * isa_count; k++) {
        const carom_precision precision = k % 2 == 0 ? CAROM_F32 : CAROM_F64;
        golden_sums sums = {0};
        golden_play(subject, precision, isas[k / 2], &sums);
        golden_compare_sums(name, subject->game, precision, isas[k / 2], &sums);
    }
}
#endif

TEST(test_csb)
{
    static const int32_t place[][2] = {{3000, 2000}, {9000, 2500}, {12000, 7000}, {4000, 6500}};
    const carom_csb_map map = {place, 4, 1};
    carom_csb_options short_races = carom_csb_options_default();
    short_races.rules = CAROM_CSB_TEST;
    short_races.maps = &map;
    short_races.map_count = 1;
    const carom_game *game = carom_game_find("csb");
    play_everywhere("csb", &(golden_subject){.game = game, .at_end = CAROM_RESET, .calls = 160});
    play_everywhere("csb.test_rules",
                    &(golden_subject){.game = game, .options = &short_races, .at_end = CAROM_PLAY_ON, .calls = 120});
}

/* The box of the default, in which a wedge, a peg and a seventh and eighth ball hang. */
TEST(test_fall)
{
    carom_fall_body bodies[12];
    const uint32_t first = carom_fall_box(bodies);
    const carom_fall_body wedge = {
        .fixed = 1, .corner_count = 3, .corners = {{0.3, 0.3}, {0.7, 0.3125}, {0.5, 0.4375}}};
    carom_fall_options options = carom_fall_options_default(), more = options;
    options.last_tick = 60;
    assert_int_equal(first, 8);
    bodies[8] = wedge;
    bodies[9] = (carom_fall_body){.x = 0.5, .y = 0.75, .radius = 0.03125, .mass = 1, .fixed = 1};
    bodies[10] = (carom_fall_body){.x = 0.125, .y = 0.8125, .vx = 1, .ax = 0.5, .radius = 0.03125, .mass = 3};
    bodies[11] = (carom_fall_body){.x = 0.875, .y = 0.8125, .vx = -1, .ay = -2, .radius = 0.0625, .mass = 0.5};
    more.bodies = bodies;
    more.body_count = 12;
    more.scatter = 0.75;
    more.keep = 1;
    more.last_tick = 70;
    const carom_game *game = carom_game_find("fall");
    play_everywhere("fall", &(golden_subject){.game = game, .options = &options, .at_end = CAROM_RESET, .calls = 110});
    play_everywhere("fall.polygons",
                    &(golden_subject){.game = game, .options = &more, .at_end = CAROM_FREEZE, .calls = 64});
}

TEST(test_fantastic_bits)
{
    static const int64_t seeds[] = {1, 42, -7, 123456789012345};
    carom_fantastic_bits_options options = carom_fantastic_bits_options_default();
    options.seeds = seeds;
    options.seed_count = 4;
    const carom_game *game = carom_game_find("fantastic_bits");
    play_everywhere("fantastic_bits", &(golden_subject){.game = game, .at_end = CAROM_RESET, .calls = 160});
    play_everywhere("fantastic_bits.seeds",
                    &(golden_subject){.game = game, .options = &options, .at_end = CAROM_FREEZE, .calls = 60});
}

TEST(test_soccer)
{
    carom_soccer_options today = carom_soccer_options_of(CAROM_SOCCER_DIVISION_B);
    carom_soccer_options original = carom_soccer_options_of(CAROM_SOCCER_ORIGINAL);
    today.goals = 1;
    today.length = 3;
    today.width = 2;
    today.ticks = 90;
    original.balls = 3;
    original.continuous = 1;
    original.ticks = 70;
    const carom_game *game = carom_game_find("soccer");
    play_everywhere("soccer", &(golden_subject){.game = game, .options = &today, .at_end = CAROM_RESET, .calls = 110});
    play_everywhere("soccer.continuous",
                    &(golden_subject){.game = game, .options = &original, .at_end = CAROM_FREEZE, .calls = 64});
}

TEST(test_stones)
{
    carom_stones_options shipped = carom_stones_options_default(), described = shipped;
    shipped.ticks = 60;
    described.rules = CAROM_STONES_AS_DESCRIBED;
    described.stones = 7;
    described.loss = 0.125;
    described.check = true;
    described.ticks = 50;
    const carom_game *game = carom_game_find("stones");
    play_everywhere("stones",
                    &(golden_subject){.game = game, .options = &shipped, .at_end = CAROM_RESET, .calls = 120});
    play_everywhere("stones.as_described",
                    &(golden_subject){.game = game, .options = &described, .at_end = CAROM_FREEZE, .calls = 64});
}

#if defined(GOLDEN_DEVICE)
TEST(test_all)
{
    if (played == 0) {
        assert_null(getenv("CAROM_REQUIRE_DEVICE"));
        skip();
    }
    assert_int_equal(golden.wrong, 0);
}
#else
/* Last: no game of the library was left out, and no row of the table. */
TEST(test_all)
{
    assert_int_equal(carom_game_count(), 5);
    golden_close();
}
#endif

SET_UP
{
    golden_open(CAROM_TEST_DATA "/golden/games.txt");
}
