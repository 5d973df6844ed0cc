/* SPDX-License-Identifier: MIT
 * The digest of transitions in memory, and the actions that a step outputs.
 */
#include "recipe_test.h"

/* ---- digests ---- */

#define ROWS 30
TEST(digests_of_arrays)
{
    /* Rows longer than the digest's list of factors, and of odd lengths. */
    static const size_t lengths[4] = {531, 515, 12, 1};
    unsigned char *arrays[4];
    uint64_t state = test_seed(3), ids[5], whole = 0, sum = 0, found = 0;
    for (int a = 0; a < 4; a++) {
        arrays[a] = take(ROWS * lengths[a]);
        for (size_t k = 0; k < ROWS * lengths[a]; k++) {
            arrays[a][k] = (unsigned char)rng_next(&state);
        }
    }
    for (int w = 0; w < 5; w++) {
        ids[w] = rng_next(&state);
    }
    carom_transitions t = carom_transitions_default();
    t.ticks = 6;
    t.worlds = 5;
    t.first_tick = 1000;
    t.ids = ids;
    t.observations = arrays[0];
    t.actions = arrays[1];
    t.rewards = arrays[2];
    t.ends = arrays[3];
    t.observation_bytes = lengths[0];
    t.action_bytes = lengths[1];
    t.reward_bytes = lengths[2];
    t.end_bytes = lengths[3];
    OK(carom_transitions_digest(&t, &whole));
    for (size_t row = 0; row < ROWS; row++) {
        const void *rows[4];
        for (int a = 0; a < 4; a++) {
            rows[a] = arrays[a] + row * lengths[a];
        }
        sum += plain_digest(ids[row % 5], 1000 + row / 5, rows, lengths);
    }
    assert_int_equal(whole, sum);

    /* Any one byte, or several within a word. */
    for (int a = 0; a < 4; a++) {
        for (size_t k = 0; k < ROWS * lengths[a]; k++) {
            const unsigned char was = arrays[a][k];
            arrays[a][k] = (unsigned char)(was ^ 1u << rng_below(&state, 8));
            OK(carom_transitions_digest(&t, &found));
            assert_true(found != whole);
            arrays[a][k] = was;
        }
    }

    /* Two rows swapped. */
    unsigned char row[600];
    for (int a = 0; a < 3; a++) {
        memcpy(row, arrays[a], lengths[a]);
        memmove(arrays[a], arrays[a] + 7 * lengths[a], lengths[a]);
        memcpy(arrays[a] + 7 * lengths[a], row, lengths[a]);
        OK(carom_transitions_digest(&t, &found));
        assert_true(found != whole);
        memcpy(arrays[a] + 7 * lengths[a], arrays[a], lengths[a]);
        memcpy(arrays[a], row, lengths[a]);
    }

    /* Parts add up: two ticks and four. */
    t.ticks = 2;
    OK(carom_transitions_digest(&t, &sum));
    t.ticks = 4;
    t.first_tick += 2;
    t.observations = arrays[0] + 10 * lengths[0];
    t.actions = arrays[1] + 10 * lengths[1];
    t.rewards = arrays[2] + 10 * lengths[2];
    t.ends = arrays[3] + 10 * lengths[3];
    OK(carom_transitions_digest(&t, &found));
    assert_int_equal(sum + found, whole);

    /* Without ids; without arrays. */
    t.ids = NULL;
    t.first_id = 7;
    OK(carom_transitions_digest(&t, &sum));
    for (int w = 0; w < 5; w++) {
        ids[w] = 7 + (uint64_t)w;
    }
    t.ids = ids;
    OK(carom_transitions_digest(&t, &found));
    assert_int_equal(sum, found);
    t.rewards = NULL;
    assert_int_equal(carom_transitions_digest(&t, &found), CAROM_ERROR_ARGUMENT);
    t.reward_bytes = 0;
    OK(carom_transitions_digest(&t, &found));
    assert_true(sum != found);
    t.size--;
    assert_int_equal(carom_transitions_digest(&t, &found), CAROM_ERROR_ARGUMENT);
    assert_int_equal(carom_transitions_digest(NULL, &found), CAROM_ERROR_ARGUMENT);
    for (int a = 0; a < 4; a++) {
        free(arrays[a]);
    }
}

/* ---- actions that a step outputs ---- */

TEST(played_actions)
{
    const carom_game *csb = carom_game_find("csb");
    for (size_t kind = 0; kind < carom_game_describe(csb).action_kinds; kind++) {
        carom_action_kind about;
        OK(carom_game_action_kind(csb, kind, &about));
        const size_t part = about.size * (about.precision / 8), worlds = 40, ticks = 3;
        OWNED(carom_worlds) *batch = MAKE_WORLDS(csb, .count = worlds, .seed = 4);
        OWNED(carom_worlds) *other = MAKE_WORLDS(csb, .count = worlds, .seed = 4);
        FREED char *asked = take(worlds * 2 * part), *given = take(ticks * worlds * part),
                   *played = take(ticks * worlds * 2 * part);
        for (size_t t = 0; t < ticks; t++) {
            OK(carom_worlds_policy(other, 1, kind, asked));
            for (size_t w = 0; w < worlds; w++) {
                memcpy(given + (t * worlds + w) * part, asked + 2 * w * part, part);
            }
        }

        /* Player 0 gets its actions, player 1 is a policy; worlds 3 to 36. */
        carom_step step = STEP_WITH(.action_kind = kind, .ticks = ticks, .first = 3, .count = 34, .played = played);
        step.players[0].actions = given;
        step.players[0].action_kind = kind;
        step.players[1].source = CAROM_POLICY;
        play_worlds(batch, &step);
        for (size_t t = 0; t < ticks; t++) {
            OK(carom_worlds_policy(other, 0, kind, asked));
            for (size_t w = 0; w < 34; w++) {
                assert_memory_equal(played + 2 * (t * 34 + w) * part, given + (t * 34 + w) * part, part);
                assert_memory_equal(played + (2 * (t * 34 + w) + 1) * part, asked + (2 * (w + 3) + 1) * part, part);
            }
            carom_step one = step;
            one.ticks = 1;
            one.played = NULL;
            one.players[0].actions = given + t * 34 * part;
            play_worlds(other, &one);
        }
        step.repeat = 2;
        assert_int_equal(carom_worlds_play(batch, &step), CAROM_ERROR_ARGUMENT);
        step.repeat = 1;
        step.action_kind = (kind + 1) % carom_game_describe(csb).action_kinds;
        assert_int_equal(carom_worlds_play(batch, &step), CAROM_ERROR_ARGUMENT);
    }
}
