/* SPDX-License-Identifier: MIT
 * The game soccer against its plain-C reference, to the last bit, on every instruction set: games of the built-in
 * players and of random ones, unreachable worlds, all outputs; teams of all sizes, leagues, several balls, continuous
 * detection; digests over instruction sets, batches and threads; both precisions.
 *
 * Every run has another random seed: set CAROM_TEST_SEED to repeat one that failed.
 */
#include "soccer_batch.h"

#include <time.h>

#define WORLDS 35 /* two tiles and a part: every lane */
#define EVENTS CAROM_SOCCER_EVENTS
#define BODIES SOCCER_BODIES
#define SEEN SOCCER_SEEN
#define ROW_BYTES (SOCCER_ACTIONS * sizeof(float))

typedef soccer_ref_world ref_world;
typedef soccer_ref_record ref_record;
#include "tests/command/arena.h"

static uint64_t seed;

static void *ref_member(void *world, const char *name, size_t *bytes)
{
    return soccer_member(world, name, bytes);
}

static const char *ref_difference(const ref_world *a, const ref_world *b)
{
    return soccer_ref_difference(a, b);
}

static soccer_ref_game game_of(const arena *a, size_t w)
{
    return (soccer_ref_game){*(const carom_soccer_options *)a->desc.options, a->desc.seed, w};
}

static void ref_step(arena *a, size_t w)
{
    const soccer_ref_game game = game_of(a, w);
    soccer_ref_world *world = &a->worlds[w];
    const int before = world->score[0] + world->score[1];
    a->ends[w] = (uint8_t)soccer_ref_step(&game, world, (soccer_ref_kind)a->kind, (const float *)arena_row(a, w),
                                          a->rewards[w], &a->records[w]);
    a->count.goals += (unsigned)(world->score[0] + world->score[1] - before);
}

static void ref_observe(const arena *a, size_t w, int player, float seen[SEEN])
{
    const soccer_ref_game game = game_of(a, w);
    soccer_ref_observe(&game, &a->worlds[w], player, seen);
}

static double ref_left(const ref_record *record, int n)
{
    return record->events[n].left;
}

static arena *open_arena(const carom_soccer_options *options, soccer_ref_kind kind, bool odd)
{
    carom_worlds_desc desc = WORLDS_DESC(soccer_game(), .options = options, .seed = rng_next(&seed));
    arena *a = arena_create(&desc, (size_t)kind, odd);
    for (size_t w = 0; w < a->world_count; w++) {
        soccer_ref_world first;
        memset(&first, 0, sizeof first);
        const soccer_ref_game game = game_of(a, w);
        soccer_ref_start(&game, &first);
        assert_null(soccer_ref_difference(&first, &a->worlds[w]));
    }
    return a;
}

static void random_actions(arena *a)
{
    for (size_t w = 0; w < a->world_count; w++)
        soccer_random_actions(&a->random, (soccer_ref_kind)a->kind, a->odd, (float *)arena_row(a, w));
}

/* Every league and team size, one to four balls, both detections. */
static carom_soccer_options some_options(int number)
{
    carom_soccer_options o = carom_soccer_options_of((carom_soccer_league)(number % 3));
    if (number >= 3) {
        o.robots = (uint32_t)(1 + number % 11);
        o.balls = (uint32_t)(1 + number / 2 % 4);
        o.continuous = (uint32_t)(number % 2);
    }
    if (number % 5 == 4) {
        o.robot_restitution = o.ball_restitution = o.wall_restitution = 1;
        o.stickiness = 1;
    }
    if (number % 7 == 6)
        o.robot_restitution = o.ball_restitution = o.wall_restitution = 0;
    return o;
}

/* ---- the tests ---- */

TEST(test_players)
{
    for (int number = 0; number < 6; number++) {
        carom_soccer_options o = some_options(number);
        o.ticks = (uint32_t)unless_short(150, 60);
        o.goals = 2;
        arena *a = open_arena(&o, (soccer_ref_kind)(number % 2), false);
        for (uint32_t tick = 0; tick < o.ticks + 5; tick++) {
            must(carom_worlds_policy(a->batches[0], tick % 50 < 45 ? 0 : 1, a->kind, out.actions),
                 "carom_worlds_policy");
            arena_tick(a);
        }
        assert_int_equal(a->count.games, a->world_count); /* all come to an end, */
        assert_int_equal(a->faults[1] + a->faults[2] + a->faults[4], 0);
        arena_destroy(a);
    }
}

TEST(test_random_games)
{
    for (int number = 0; number < 14; number++) {
        const carom_soccer_options o = some_options(number);
        arena *a = open_arena(&o, (soccer_ref_kind)(number % 2), number % 3 == 0);
        for (int tick = 0; tick < unless_short(24, 8); tick++) {
            random_actions(a);
            arena_tick(a);
        }
        arena_destroy(a);
    }
}

TEST(test_adversarial_worlds)
{
    const int rounds = unless_short(7, 2);
    unsigned range = 0;
    uint64_t events = 0, worlds = 0;
    for (int number = 0; number < 22; number++) {
        const carom_soccer_options o = some_options(number);
        arena *a = open_arena(&o, (soccer_ref_kind)(number % 2), true);
        for (int round = 0; round < rounds; round++) {
            for (size_t w = 0; w < a->world_count; w++) {
                soccer_random_world(&a->random, &o, &a->worlds[w]);
                a->worlds[w].fault = a->worlds[w].frozen = 0;
            }
            arena_put(a);
            for (int tick = 0; tick < 4; tick++) {
                random_actions(a);
                arena_tick(a);
            }
        }
        range += a->faults[CAROM_FAULT_RANGE];
        events += a->count.events;
        worlds += (uint64_t)rounds * a->world_count;
        assert_int_equal(a->faults[CAROM_FAULT_NAN], 0);
        arena_destroy(a);
    }
    printf("%u worlds out of range, %llu impacts\n", range, (unsigned long long)events);
    assert_true(events * 5 > worlds);
}

/* f32 from worlds that no play would make, and commands of any bits: the same on every instruction set, without NaN. */
TEST(test_adversarial_worlds_in_single_precision)
{
    carom_worlds *batches[CAROM_ISA_COUNT];
    static float actions[WORLDS][SOCCER_ACTIONS];
    uint64_t random = rng_next(&seed);
    unsigned faults = 0;
    for (int number = 0; number < 22; number++) {
        const carom_soccer_options o = some_options(number);
        for (size_t k = 0; k < isa_count; k++)
            batches[k] = soccer_worlds(&o, WORLDS, isas[k], CAROM_F32);
        for (int round = 0; round < unless_short(10, 1); round++) {
            for (size_t w = 0; w < WORLDS; w++) {
                soccer_ref_world world;
                memset(&world, 0, sizeof world);
                memset(world.holder, -1, sizeof world.holder);
                world.winner = -1;
                soccer_random_world(&random, &o, &world);
                for (int i = 0; i < 2 * (int)o.robots; i++)
                    world.spin[i] *= 0.99; /* rounding to float must not take it beyond the limit */
                for (size_t k = 0; k < isa_count; k++)
                    soccer_put(batches[k], w, &world);
            }
            for (int tick = 0; tick < 4; tick++) {
                uint64_t digest = 0, expected = 0;
                for (size_t w = 0; w < WORLDS; w++)
                    soccer_random_actions(&random, (soccer_ref_kind)(tick % 2), true, actions[w]);
                for (size_t k = 0; k < isa_count; k++) {
                    unsigned bits = 0;
                    carom_step step = STEP_WITH(.action_kind = (size_t)(tick % 2), .actions = actions);
                    must(carom_worlds_play(batches[k], &step), "carom_worlds_play");
                    must(carom_worlds_digest(batches[k], &digest), "carom_worlds_digest");
                    expected = k == 0 ? digest : expected;
                    if (digest != expected)
                        fail_msg("%s differs from %s", carom_isa_name(isas[k]), carom_isa_name(isas[0]));
                    faults += (unsigned)carom_worlds_faults(batches[k], &bits);
                    assert_int_equal(bits & CAROM_FAULT_NAN, 0);
                }
            }
        }
        for (size_t k = 0; k < isa_count; k++)
            carom_worlds_destroy(batches[k]);
    }
    printf("f32: %u faults\n", faults);
}

/* Two balls that start at one point, and fly so far that f32 rounds some of them as approaching there: they part along
 * the line on which they came, without NaN. */
TEST(test_circles_at_one_point)
{
    uint64_t expected = 0, random = rng_next(&seed);
    static soccer_ref_world worlds[WORLDS];
    carom_soccer_options o = some_options(0);
    o.robots = 1;
    o.balls = 2;
    memset(worlds, 0, sizeof worlds);
    for (size_t w = 0; w < WORLDS; w++) {
        worlds[w].winner = -1;
        memset(worlds[w].holder, -1, sizeof worlds[w].holder);
        worlds[w].y[0] = -2; /* the robots, out of the way */
        worlds[w].y[1] = 2;
        for (int i = 2; i < 4; i++) {
            worlds[w].vx[i] = 1e5 + rng_in(&random, -2e3, 2e3);
            worlds[w].vy[i] = rng_in(&random, -2e3, 2e3);
        }
    }
    for (size_t k = 0; k < isa_count; k++) {
        OWNED(carom_worlds) *batch = soccer_worlds(&o, WORLDS, isas[k], CAROM_F32);
        carom_step step = carom_step_default();
        uint64_t digest;
        unsigned bits = 0;
        for (size_t w = 0; w < WORLDS; w++)
            soccer_put(batch, w, &worlds[w]);
        step.players[0].source = step.players[1].source = CAROM_ZERO;
        must(carom_worlds_play(batch, &step), "carom_worlds_play");
        carom_worlds_faults(batch, &bits);
        assert_int_equal(bits & CAROM_FAULT_NAN, 0);
        must(carom_worlds_digest(batch, &digest), "carom_worlds_digest");
        expected = k == 0 ? digest : expected;
        assert_int_equal(digest, expected);
    }
}

static uint64_t play_part(carom_precision precision, carom_isa isa, unsigned threads, size_t first, size_t count,
                          unsigned *faults)
{
    carom_soccer_options o = carom_soccer_options_of(CAROM_SOCCER_ORIGINAL);
    o.ticks = (uint32_t)unless_short(150, 60);
    o.balls = 2;
    OWNED(carom_worlds) *worlds =
        MAKE_WORLDS(soccer_game(), .options = &o, .precision = precision, .isa = isa, .threads = threads,
                    .first_id = first, .count = count, .seed = 7, .at_end = CAROM_RESET);
    FREED float *actions = (float *)calloc(count, SOCCER_ACTIONS * sizeof *actions);
    assert_non_null(actions);
    for (int tick = 0; tick < unless_short(200, 80); tick++) {
        must(carom_worlds_policy(worlds, tick % 100 >= 70, tick % 2, actions), "carom_worlds_policy");
        PLAY(worlds, .action_kind = (size_t)(tick % 2), .actions = actions);
    }
    uint64_t digest = 0;
    unsigned bits = 0;
    must(carom_worlds_digest(worlds, &digest), "carom_worlds_digest");
    *faults += (unsigned)carom_worlds_faults(worlds, &bits);
    return digest;
}

/* The digests of the experiment, by form and precision. They may change with the rules, the policies or the
 * random numbers of the game, and with the definition of the hash; never with a compiler, a machine, an instruction
 * set, a number of threads or a batch size. */
static const uint64_t golden[2][2] = {
    {0x69bdd0ad9c53d392, 0xf81afc325574cc81}, /* f32, f64 */
    {0xbe07b705b721e545, 0xa93da7510d87b123}, /* in the short form */
};

TEST(test_determinism)
{
    enum { MOST = 200, FEW = 36 };
    const size_t count = (size_t)unless_short(MOST, FEW), sizes[] = {count, 1, 16, 17, 67};
    for (int f64 = 0; f64 < 2; f64++) {
        for (size_t k = 0; k < isa_count; k++) {
            for (size_t s = 0; s < sizeof sizes / sizeof sizes[0]; s++) {
                if (s > 0 && k > 0 && k + 1 < isa_count)
                    continue; /* sizes and threads: the narrowest and the widest do */
                uint64_t digest = 0;
                unsigned faults = 0;
                for (size_t first = 0; first < count; first += sizes[s])
                    digest += play_part(f64 ? CAROM_F64 : CAROM_F32, isas[k], s % 3 == 1 ? 1 : (unsigned)s + 1, first,
                                        count - first < sizes[s] ? count - first : sizes[s], &faults);
                assert_int_equal(faults, 0);
                if (digest != golden[count == FEW][f64])
                    fail_msg("f%d, %s, batches of %zu: the digest is 0x%016llx", f64 ? 64 : 32, carom_isa_name(isas[k]),
                             sizes[s], (unsigned long long)digest);
            }
        }
    }
}

/* One tick in f32 from states of f64 games: nearly every body ends where it does in f64. */
TEST(test_precisions)
{
    enum { COUNT = 64 };
    OWNED(carom_worlds) *exact = soccer_worlds(NULL, COUNT, CAROM_ISA_DEFAULT, CAROM_F64);
    OWNED(carom_worlds) *single = soccer_worlds(NULL, COUNT, CAROM_ISA_DEFAULT, CAROM_F32);
    static float actions[COUNT][SOCCER_ACTIONS];
    size_t bodies = 0, apart = 0;
    for (int tick = 0; tick < unless_short(200, 50); tick++) {
        soccer_ref_world a, b;
        carom_step step = STEP_WITH(.actions = actions);
        must(carom_worlds_policy(exact, 0, 0, actions), "carom_worlds_policy");
        for (size_t w = 0; w < COUNT; w++) {
            memset(&a, 0, sizeof a);
            soccer_get(exact, w, &a);
            soccer_put(single, w, &a);
        }
        must(carom_worlds_play(exact, &step), "carom_worlds_play");
        must(carom_worlds_play(single, &step), "carom_worlds_play");
        for (size_t w = 0; w < COUNT; w++) {
            soccer_get(exact, w, &a);
            soccer_get(single, w, &b);
            for (int i = 0; i < 13; i++) {
                bodies++;
                apart += fabs(a.x[i] - b.x[i]) > 1e-5 || fabs(a.y[i] - b.y[i]) > 1e-5;
            }
        }
    }
    unsigned bits = 0;
    assert_int_equal(carom_worlds_faults(single, &bits), 0);
    printf("f32: %zu of %zu bodies apart by more than 1e-5 m after a tick\n", apart, bodies);
    assert_true(apart * 500 < bodies);
}

SET_UP
{
    seed = test_seed((uint64_t)time(NULL));
}
