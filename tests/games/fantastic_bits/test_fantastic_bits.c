/* SPDX-License-Identifier: MIT
 * The game fantastic_bits against its plain-C reference, to the last bit, on every instruction set: games of the
 * built-in players and of random ones, unreachable worlds, all outputs.
 *
 * Every run has another random seed: set CAROM_TEST_SEED to repeat one that failed.
 */
#include "fantastic_bits_batch.h"

#include <time.h>

#define WORLDS 67
#define EVENTS 1024
#define ROW_BYTES (16 * sizeof(double)) /* referee's */

typedef fb_ref_world ref_world;
typedef fb_ref_record ref_record;
#include "tests/command/arena.h"

static uint64_t seed;

static void *ref_member(void *world, const char *name, size_t *bytes)
{
    return fb_member(world, name, bytes);
}

static const char *ref_difference(const ref_world *a, const ref_world *b)
{
    return fb_ref_difference(a, b);
}

static void ref_step(arena *a, size_t w)
{
    a->ends[w] =
        (uint8_t)fb_ref_step(&a->worlds[w], (fb_ref_kind)a->kind, arena_row(a, w), a->rewards[w], &a->records[w]);
    a->count.goals += (unsigned)a->records[w].goals;
}

static void ref_observe(const arena *a, size_t w, int player, float seen[SEEN])
{
    fb_ref_observe(&a->worlds[w], player, seen);
}

static double ref_left(const ref_record *record, int n)
{
    return 1 - record->events[n].time;
}

static arena *open_arena(fb_ref_kind kind, bool odd, carom_at_end at_end)
{
    carom_worlds_desc desc = WORLDS_DESC(fb_game(), .seed = rng_next(&seed), .at_end = at_end);
    return arena_create(&desc, (size_t)kind, odd);
}

static void random_actions(arena *a)
{
    for (size_t w = 0; w < a->world_count; w++) {
        if (a->kind == FB_REF_REFEREE)
            fb_random_referee(&a->random, &a->worlds[w], a->odd, (double(*)[4])arena_row(a, w));
        else
            fb_random_normalised(&a->random, (float *)arena_row(a, w));
    }
}

/* ---- the tests ---- */

TEST(test_players)
{
    for (int kind = 0; kind < 2; kind++) {
        arena *a = open_arena((fb_ref_kind)kind, false, kind == 1 ? CAROM_FREEZE : CAROM_PLAY_ON);
        for (int tick = 0; tick < 205; tick++) {
            must(carom_worlds_policy(a->batches[0], tick % 50 < 40 ? 0 : 1, a->kind, out.actions),
                 "carom_worlds_policy");
            arena_tick(a);
        }
        assert_true(a->count.games >= a->world_count - 2); /* nearly all come to an end, and no command was bad */
        arena_destroy(a);
    }
}

TEST(test_random_games)
{
    for (int kind = 0; kind < 2; kind++) {
        arena *a = open_arena((fb_ref_kind)kind, false, CAROM_PLAY_ON);
        for (int tick = 0; tick < 203; tick++) {
            random_actions(a);
            arena_tick(a);
        }
        assert_int_equal(a->count.games, a->world_count);
        arena_destroy(a);
    }
}

TEST(test_adversarial_worlds)
{
    for (int kind = 0; kind < 2; kind++) {
        arena *a = open_arena((fb_ref_kind)kind, true, CAROM_PLAY_ON);
        for (int round = 0; round < unless_short(120, 20); round++) {
            for (size_t w = 0; w < a->world_count; w++)
                a->worlds[w] = fb_random_world(&a->random);
            arena_put(a);
            for (int tick = 0; tick < 5; tick++) {
                random_actions(a);
                arena_tick(a);
            }
        }
        assert_int_equal(a->faults[CAROM_FAULT_NAN], 0);
        assert_true(a->faults[CAROM_FAULT_RANGE] >= (unsigned)unless_short(1, 0)); /* some hundred worlds have none */
        arena_destroy(a);
    }
}

/* The returns of a rollout are the points until its end plus the value of the end. */
TEST(test_final_value)
{
    arena *a = open_arena(FB_REF_REFEREE, false, CAROM_PLAY_ON);
    carom_worlds *finals = a->batches[isa_count - 1];
    carom_rollout_desc desc = carom_rollout_desc_default(fb_game());
    carom_worlds_desc of = carom_worlds_describe(finals);
    OWNED(carom_worlds) *roots = make_worlds(&of);
    double returns[WORLDS][2];
    desc.horizon = 60;
    must(carom_rollout(roots, &desc, returns[0], NULL, finals), "carom_rollout");
    fb_get_worlds(finals, a->world_count, a->worlds);
    for (size_t w = 0; w < a->world_count; w++) {
        const fb_ref_world *end = &a->worlds[w];
        double points = end->score[0] - end->score[1];
        points += end->end == 0 ? 0 : end->winner == 0 ? 1 : end->winner == 1 ? -1 : 0;
        for (int p = 0; p < 2; p++)
            assert_true(fabs(returns[w][p] - ((1 - 2 * p) * points + fb_ref_value(end, p))) < 1e-6);
    }
    arena_destroy(a);
}

SET_UP
{
    seed = test_seed((uint64_t)time(NULL));
}
