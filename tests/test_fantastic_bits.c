/* SPDX-License-Identifier: MIT
 * The game fantastic_bits against its plain-C reference, to the last bit, on every instruction set: games of the
 * built-in players and of random ones, worlds that no play would make, all outputs.
 *
 * Usage: test_fantastic_bits [SEED]   the seed of a run that failed; it is printed.
 */
#include "fantastic_bits_batch.h"

#include <time.h>

#define WORLDS 67
#define EVENTS 1024
#define UNTOUCHED -77.0f

static uint64_t seed;

/* A batch on every instruction set, and the same worlds in the reference. */
typedef struct arena {
    carom_isa isas[CAROM_ISA_COUNT];
    size_t isa_count;
    carom_worlds *batches[CAROM_ISA_COUNT];
    fb_ref_world worlds[WORLDS];
    uint64_t random;
    fb_ref_kind kind;
    bool odd; /* bad commands, too */
    bool freeze;
    carom_counters count;
    unsigned faults[8];
} arena;

static struct {
    fb_ref_world worlds[WORLDS];
    fb_ref_record records[WORLDS];
    float expected[WORLDS][2];
    uint8_t ends[WORLDS], expected_ends[WORLDS];
    float rewards[WORLDS][2];
    float seen[WORLDS][2][SEEN], last_seen[WORLDS][2][SEEN];
    carom_event events[WORLDS][EVENTS];
    uint32_t event_counts[WORLDS];
    double moved[WORLDS][BODIES][4];
    double referee[WORLDS][4][4];
    float normalised[WORLDS][20];
} out;

static arena *arena_create(fb_ref_kind kind, bool odd, bool freeze)
{
    arena *a = (arena *)calloc(1, sizeof *a);
    assert_non_null(a);
    a->random = rng_next(&seed);
    a->kind = kind;
    a->odd = odd;
    a->freeze = freeze;
    a->isa_count = usable_isas(a->isas);
    carom_worlds_desc desc = carom_worlds_desc_default(fb_game());
    desc.count = WORLDS;
    desc.threads = 1;
    desc.at_end = freeze ? CAROM_FREEZE : CAROM_PLAY_ON;
    desc.seed = a->random;
    for (size_t k = 0; k < a->isa_count; k++) {
        desc.isa = a->isas[k];
        a->batches[k] = make_worlds(&desc);
    }
    fb_get_worlds(a->batches[0], WORLDS, a->worlds);
    return a;
}

static void arena_destroy(arena *a)
{
    for (size_t k = 0; k < a->isa_count; k++)
        carom_worlds_destroy(a->batches[k]);
    free(a);
}

static void check(const arena *a, size_t k, size_t w, const char *what, double found, double expected)
{
    if (!(found == expected))
        fail_msg("%s, world %zu, tick %d: %s is %.17g instead of %.17g", carom_isa_name(a->isas[k]), w,
                 a->worlds[w].tick, what, found, expected);
}

static void check_record(const arena *a, size_t k, size_t w)
{
    const fb_ref_record *record = &out.records[w];
    check(a, k, w, "number of events", out.event_counts[w], record->event_count);
    for (int n = 0; n < record->event_count; n++) {
        check(a, k, w, "time left", out.events[w][n].left, 1 - record->events[n].time);
        check(a, k, w, "first", out.events[w][n].first, record->events[n].first);
        check(a, k, w, "second", out.events[w][n].second, record->events[n].second);
    }
    for (int i = 0; i < BODIES; i++)
        for (int n = 0; n < 4; n++)
            check(a, k, w, "unrounded", out.moved[w][i][n], record->moved[i][n]);
}

static void check_outputs(const arena *a, size_t k, size_t w)
{
    check(a, k, w, "end", out.ends[w], out.expected_ends[w]);
    for (int p = 0; p < 2; p++) {
        float seen[SEEN];
        fb_ref_observe(&a->worlds[w], p, seen);
        check(a, k, w, "reward", out.rewards[w][p], out.expected[w][p]);
        for (int n = 0; n < SEEN; n++) {
            check(a, k, w, "observation", out.seen[w][p][n], seen[n]);
            check(a, k, w, "last observation", out.last_seen[w][p][n], out.ends[w] != 0 ? seen[n] : UNTOUCHED);
        }
    }
}

static void compare(arena *a, size_t k, bool outputs, bool record, const bool *played)
{
    fb_get_worlds(a->batches[k], WORLDS, out.worlds);
    for (size_t w = 0; w < WORLDS; w++) {
        if (out.worlds[w].fault != 0 && a->worlds[w].fault != 0)
            out.worlds[w].fault = a->worlds[w].fault; /* NaN and too large can be two views of one thing */
        const char *field = fb_ref_difference(&out.worlds[w], &a->worlds[w]);
        if (field != NULL)
            fail_msg("%s, world %zu, tick %d (%d): %s differs", carom_isa_name(a->isas[k]), w, a->worlds[w].tick,
                     out.worlds[w].tick, field);
        if (outputs)
            check_outputs(a, k, w);
        if (record && played[w])
            check_record(a, k, w);
    }
    const carom_counters c = carom_worlds_counters(a->batches[k]);
    check(a, k, 0, "counter of ticks", (double)c.ticks, (double)a->count.ticks);
    check(a, k, 0, "counter of games", (double)c.games, (double)a->count.games);
}

/* One tick in all batches and in the reference; the actions are in `out`. */
static void arena_tick(arena *a)
{
    const bool outputs = rng_one_in(&a->random, 3), record = rng_one_in(&a->random, 3);
    bool played[WORLDS];
    for (size_t w = 0; w < WORLDS; w++) {
        fb_ref_world *world = &a->worlds[w];
        const bool was_frozen = world->frozen != 0;
        const void *actions = a->kind == FB_REF_REFEREE ? (const void *)out.referee[w] : out.normalised[w];
        out.expected_ends[w] = (uint8_t)fb_ref_step(world, a->kind, actions, out.expected[w], &out.records[w]);
        played[w] = !was_frozen && !world->frozen;
        a->count.ticks += played[w];
        a->count.games += out.expected_ends[w] != 0;
        if (!was_frozen && world->fault != 0)
            a->faults[world->fault]++;
        if (out.expected_ends[w] != 0 && a->freeze)
            world->frozen = 1;
    }
    for (size_t k = 0; k < a->isa_count; k++) {
        carom_step step = carom_step_default();
        step.action_kind = fb_kind(a->kind == FB_REF_REFEREE ? "referee" : "normalised");
        step.actions = a->kind == FB_REF_REFEREE ? (const void *)out.referee : out.normalised;
        if (outputs) {
            for (size_t n = 0; n < sizeof out.last_seen / sizeof(float); n++)
                (&out.last_seen[0][0][0])[n] = UNTOUCHED;
            memset(out.ends, 0xee, sizeof out.ends);
            step.ends = out.ends;
            step.rewards = out.rewards[0];
            step.observations = out.seen[0][0];
            step.last_observations = out.last_seen[0][0];
        }
        if (record) {
            step.events = out.events[0];
            step.event_counts = out.event_counts;
            step.event_capacity = EVENTS;
            step.moved = out.moved[0][0];
        }
        must(carom_worlds_play(a->batches[k], &step), "carom_worlds_play");
        compare(a, k, outputs, record, played);
    }
}

static void random_actions(arena *a)
{
    for (size_t w = 0; w < WORLDS; w++) {
        if (a->kind == FB_REF_REFEREE)
            fb_random_referee(&a->random, &a->worlds[w], a->odd, out.referee[w]);
        else
            fb_random_normalised(&a->random, out.normalised[w]);
    }
}

/* ---- the tests ---- */

static void test_players(void **state)
{
    (void)state;
    for (int kind = 0; kind < 2; kind++) {
        arena *a = arena_create((fb_ref_kind)kind, false, kind == 1);
        for (int tick = 0; tick < 205; tick++) {
            void *actions = kind == 0 ? (void *)out.referee : out.normalised;
            must(carom_worlds_policy(a->batches[0], tick % 50 < 40 ? 0 : 1,
                                     fb_kind(kind == 0 ? "referee" : "normalised"), actions),
                 "carom_worlds_policy");
            arena_tick(a);
        }
        assert_true(a->count.games >= WORLDS - 2); /* nearly all come to an end, and no command was bad */
        arena_destroy(a);
    }
}

static void test_random_games(void **state)
{
    (void)state;
    for (int kind = 0; kind < 2; kind++) {
        arena *a = arena_create((fb_ref_kind)kind, false, false);
        for (int tick = 0; tick < 203; tick++) {
            random_actions(a);
            arena_tick(a);
        }
        assert_int_equal(a->count.games, WORLDS);
        arena_destroy(a);
    }
}

static void test_adversarial_worlds(void **state)
{
    (void)state;
    for (int kind = 0; kind < 2; kind++) {
        arena *a = arena_create((fb_ref_kind)kind, true, false);
        for (int round = 0; round < 120; round++) {
            for (size_t w = 0; w < WORLDS; w++)
                a->worlds[w] = fb_random_world(&a->random);
            for (size_t k = 0; k < a->isa_count; k++)
                fb_put_worlds(a->batches[k], WORLDS, a->worlds);
            for (int tick = 0; tick < 5; tick++) {
                random_actions(a);
                arena_tick(a);
            }
        }
        assert_true(a->faults[CAROM_FAULT_RANGE] > 0 && a->faults[CAROM_FAULT_NAN] == 0);
        arena_destroy(a);
    }
}

/* Squeezed worlds have too many events; they are put back and frozen, their neighbours go on. */
static void test_final_value(void **state)
{
    (void)state;
    arena *a = arena_create(FB_REF_REFEREE, false, false);
    carom_worlds *finals = a->batches[a->isa_count - 1];
    carom_rollout_desc desc = carom_rollout_desc_default(fb_game());
    carom_worlds_desc of = carom_worlds_describe(finals);
    carom_worlds *roots = make_worlds(&of);
    double returns[WORLDS][2];
    desc.horizon = 60;
    must(carom_rollout(roots, &desc, returns[0], NULL, finals), "carom_rollout");
    fb_get_worlds(finals, WORLDS, out.worlds);
    for (size_t w = 0; w < WORLDS; w++) {
        double points = out.worlds[w].score[0] - out.worlds[w].score[1];
        points += out.worlds[w].end == 0 ? 0 : out.worlds[w].winner == 0 ? 1 : out.worlds[w].winner == 1 ? -1 : 0;
        for (int p = 0; p < 2; p++)
            assert_true(fabs(returns[w][p] - ((1 - 2 * p) * points + fb_ref_value(&out.worlds[w], p))) < 1e-6);
    }
    carom_worlds_destroy(roots);
    arena_destroy(a);
}

int main(int argc, char **argv)
{
    seed = argc > 1 ? strtoull(argv[1], NULL, 10) : (uint64_t)time(NULL);
    printf("seed %llu\n", (unsigned long long)seed);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_players),
        cmocka_unit_test(test_random_games),
        cmocka_unit_test(test_adversarial_worlds),
        cmocka_unit_test(test_final_value),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
