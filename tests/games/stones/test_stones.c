/* SPDX-License-Identifier: MIT
 * stones on every instruction set: the golden traces at every lane among garbage, and random games, adversarial states
 * and senseless actions against the plain-C reference. f64, except in the last test.
 *
 * The environment variable CAROM_TEST_SEED gives the first seed; it is printed.
 */
#include "stones_batch.h"

#include <dirent.h>

static uint64_t seed = 1;
static arena field; /* too large for every stack */
static arena_actions actions;

/* ---- traces ---- */

#define MOST_TRACES 64

static size_t load_traces(stones_trace traces[MOST_TRACES])
{
    char path[1024], message[TRACE_MESSAGE];
    size_t count = 0;
    DIR *folder = opendir(CAROM_TEST_DATA "/stones");
    for (struct dirent *entry; folder != NULL && (entry = readdir(folder)) != NULL;) {
        const char *dot = strrchr(entry->d_name, '.');
        if (dot == NULL || strcmp(dot, ".txt") != 0) {
            continue;
        }
        assert_true(count < MOST_TRACES);
        snprintf(path, sizeof path, "%s/stones/%s", CAROM_TEST_DATA, entry->d_name);
        if (!trace_read(&stones_trace_format, path, &traces[count++], message, sizeof message)) {
            fail_msg("%s", message);
        }
    }
    if (folder != NULL) {
        closedir(folder);
    }
    assert_true(count > 10);
    return count;
}

static void start_of(const stones_trace *trace, stones_ref_world *world)
{
    stones_ref_clear(world);
    for (size_t i = 0; i < trace->stones; i++) {
        const double *s = trace->start[i];
        stones_ref_put(world, (int)i, s[0], s[1], s[2], s[3], s[4]);
    }
}

/* Anything that a lane may hold: stones in a heap, in motion or not, on paths or off. */
static void make_garbage(uint64_t *random, stones_ref_world *world, int stones)
{
    stones_ref_clear(world);
    const double size = rng_in(random, 20, 600);
    for (int i = 0; i < stones; i++) {
        stones_ref_stone *s = &world->stones[i];
        stones_ref_put(world, i, rng_in(random, -size, size), rng_in(random, -size, size), rng_in(random, 2, 40),
                       1 + rng_below(random, 3), rng_in(random, 0.5, 0.99));
        s->in_play = !rng_one_in(random, 8);
        s->speed = rng_one_in(random, 2) ? 0 : rng_in(random, 0, 60);
        s->course = rng_in(random, -10, 10);
        if (rng_one_in(random, 3)) {
            s->shot = s->has_next = true;
            s->curve = rng_in(random, -1, 1);
            s->shot_course = s->course;
            s->shot_distance = rng_in(random, 50, 400);
            s->origin_x = s->px;
            s->origin_y = s->py;
            s->next_x = s->px + rng_in(random, -30, 30);
            s->next_y = s->py + rng_in(random, -30, 30);
        }
    }
}

static void check_bits(const char *what, size_t tick, size_t stone, double found, double expected)
{
    if (memcmp(&found, &expected, sizeof found) != 0 && !(found == 0 && expected == 0)) {
        fail_msg("tick %zu, stone %zu: %s is %.17g instead of %.17g", tick, stone, what, found, expected);
    }
}

static void check_trace_tick(const stones_trace *trace, size_t t, const stones_ref_world *world)
{
    const stones_trace_state *want = &trace->turns[t].state;
    check_bits("sweeps", t, 0, world->sweeps, want->sweeps[0]);
    for (size_t i = 0; i < trace->stones; i++) {
        const stones_ref_stone *found = &world->stones[i];
        check_bits("px", t, i, found->px, want->px[i]);
        check_bits("py", t, i, found->py, want->py[i]);
        check_bits("course", t, i, found->course, want->course[i]);
        check_bits("speed", t, i, found->speed, want->speed[i]);
        check_bits("unused", t, i, found->unused, want->unused[i]);
        check_bits("shot", t, i, found->shot, want->shot[i]);
        check_bits("shotTraveled", t, i, found->shot_traveled, want->shot_traveled[i]);
        assert_true(fabs(found->shot_distance - want->shot_distance[i]) <= 1e-12 * fabs(want->shot_distance[i]));
    }
}

/* Every trace in its own tile, each in another lane, starting with `first`; the tile's other lanes play garbage. */
static void replay(const stones_trace *traces, size_t count, carom_isa isa, size_t first, bool check)
{
    static double pushes[MOST_TRACES * CAROM_TILE][STONES_TRACE_PUSHES][4];
    carom_stones_options options = carom_stones_options_default();
    options.stones = STONES;
    options.ring = 0;
    options.ticks = 1 << 20;
    options.check = check;
    uint64_t random = seed + first;
    OWNED(carom_worlds) *worlds = stones_worlds(&options, count * CAROM_TILE, isa, CAROM_F64, CAROM_PLAY_ON);
    size_t ticks = 0;
    for (size_t w = 0; w < count * CAROM_TILE; w++) {
        stones_ref_world world;
        if (w % CAROM_TILE == (first + w / CAROM_TILE) % CAROM_TILE) {
            start_of(&traces[w / CAROM_TILE], &world);
        } else {
            make_garbage(&random, &world, 1 + rng_below(&random, STONES));
        }
        stones_put(worlds, w, &world);
    }
    for (size_t k = 0; k < count; k++) {
        ticks = traces[k].base.turn_count > ticks ? traces[k].base.turn_count : ticks;
    }
    memset(pushes, 0, sizeof pushes);
    carom_step step = STEP_WITH(.action_kind = ENGINE, .actions = pushes);
    for (size_t t = 0; t < ticks; t++) {
        for (size_t k = 0; k < count; k++) {
            const size_t lane = (first + k) % CAROM_TILE;
            double(*own)[4] = pushes[k * CAROM_TILE + lane];
            memset(own, 0, sizeof pushes[0]);
            if (t < traces[k].base.turn_count) {
                memcpy(own, traces[k].turns[t].actions, sizeof pushes[0]);
            }
            double *other = pushes[k * CAROM_TILE + (lane + 1 + t) % CAROM_TILE][0];
            if ((lane + 1 + t) % CAROM_TILE != lane) {
                other[0] = (double)rng_below(&random, STONES);
                other[1] = rng_in(&random, -4, 4);
                other[2] = rng_in(&random, -5, 45);
                other[3] = rng_in(&random, -1, 1);
            }
        }
        must(carom_worlds_play(worlds, &step), "carom_worlds_play");
        for (size_t k = 0; k < count; k++) {
            if (t < traces[k].base.turn_count) {
                stones_ref_world world;
                stones_get(worlds, k * CAROM_TILE + (first + k) % CAROM_TILE, &world);
                assert_int_equal(world.fault, 0);
                check_trace_tick(&traces[k], t, &world);
            }
        }
    }
}

TEST(test_traces)
{
    static stones_trace traces[MOST_TRACES];
    const size_t count = load_traces(traces);
    size_t plain = 0; /* those without `check` come first */
    for (size_t k = 0; k < count; k++) {
        if (!traces[k].base.batch) {
            const stones_trace other = traces[plain];
            traces[plain++] = traces[k];
            traces[k] = other;
        }
    }
    assert_true(plain > 0 && plain < count);
    for (size_t k = 0; k < isa_count; k++) {
        for (size_t first = 0; first < CAROM_TILE; first += (size_t)unless_short(3, CAROM_TILE)) {
            replay(traces, plain, isas[k], first, false);
            if (first % 2 == 0) {
                replay(traces + plain, count - plain, isas[k], first, true);
            }
        }
    }
    for (size_t k = 0; k < count; k++) {
        trace_free(&traces[k]);
    }
}

/* ---- random games ---- */

static double odd_double(uint64_t *random)
{
    static const double odd[] = {0,    -0.0, 1,     -1,    0.5,    31,     32,   -1e-300, 1e300, 1e-320,
                                 0.01, 40,   1e-12, 0.009, 524288, 524289, 1024, 1025,    3,     2};
    switch (rng_below(random, 8)) {
    case 0:
        return NAN;
    case 1:
        return rng_one_in(random, 2) ? INFINITY : -INFINITY;
    case 2: {
        uint64_t bits = rng_next(random);
        double value;
        memcpy(&value, &bits, sizeof value);
        return value;
    }
    default:
        return odd[rng_below(random, 20)];
    }
}

/* wild: one number in `wild` is odd; 0: none. often: one player in `often` pushes. */
static void make_actions(arena *a, size_t kind, int often, int wild)
{
    uint64_t *random = &a->random;
    memset(&actions, 0, sizeof actions);
    const int count = kind == ENGINE ? CAROM_STONES_PUSHES : 1;
    for (size_t w = 0; w < WORLDS; w++) {
        for (int p = 0; p < 2; p++) {
            if (kind == NORMALISED) {
                for (int k = 0; k < 4; k++) {
                    actions.normalised[w][p][k] = (float)rng_in(random, -1.1, 1.1);
                    if (wild > 0 && rng_one_in(random, wild)) {
                        actions.normalised[w][p][k] = (float)odd_double(random);
                    }
                }
                continue;
            }
            for (int n = 0; n < count; n++) {
                stones_ref_push *push = kind == ENGINE ? &actions.engine[w][p][n] : &actions.push[w][p];
                if (!rng_one_in(random, often)) {
                    continue;
                }
                push->stone = rng_below(random, (int)a->options.stones + 1);
                push->course = rng_in(random, -4, 4);
                push->speed = rng_one_in(random, 4) ? rng_in(random, -1, 60) : rng_in(random, 0.001, 40);
                push->curve = rng_one_in(random, 2) ? 0 : rng_in(random, -1, 1);
                double *numbers = &push->stone;
                for (int k = 0; k < 4; k++) {
                    numbers[k] = wild > 0 && rng_one_in(random, wild) ? odd_double(random) : numbers[k];
                }
            }
        }
    }
}

TEST(test_random_games)
{
    static const uint32_t counts[] = {12, 2, 32, 5, 1, 12, 20, 12};
    for (int game = 0; game < 8; game++) {
        carom_stones_options options = carom_stones_options_default();
        options.stones = counts[game];
        options.rules = game % 3 == 1 ? CAROM_STONES_AS_DESCRIBED : CAROM_STONES_AS_SHIPPED;
        options.loss = game == 4 ? 0.25 : 0;
        options.ring = game % 4 == 3 || options.stones < 2 ? 0 : 380;
        options.check = game == 6;
        options.ticks = (uint32_t)unless_short(60, 15);
        arena_open(&field, "random games", &options, (carom_at_end)(game % 3), seed + (uint64_t)game);
        for (int t = 0; t < unless_short(100, 20); t++) {
            const size_t kind = game < 6 ? (size_t)game % KINDS : (size_t)rng_below(&field.random, KINDS);
            make_actions(&field, kind, kind == ENGINE ? 60 : 2, 0);
            arena_tick(&field, kind, &actions);
        }
        assert_true(field.hits > (options.stones < 12 ? 0 : options.ticks) || options.stones < 5);
        assert_true(options.ring == 0 || field.games >= WORLDS);
        arena_close(&field);
    }
}

TEST(test_senseless_actions)
{
    for (size_t kind = 0; kind < KINDS; kind++) {
        carom_stones_options options = carom_stones_options_default();
        options.ring = 0;
        arena_open(&field, "senseless actions", &options, CAROM_PLAY_ON, seed + 50 + kind);
        for (int t = 0; t < unless_short(60, 8); t++) {
            make_actions(&field, kind, kind == ENGINE ? 8 : 1, 3);
            arena_tick(&field, kind, &actions);
        }
        arena_close(&field);
    }
}

/* ---- adversarial states ---- */

typedef void make_state(uint64_t *random, stones_ref_world *world);

static void put_moving(stones_ref_world *world, int i, double x, double y, double radius, double speed, double course)
{
    stones_ref_put(world, i, x - radius, y - radius, radius, 1, 0.9);
    world->stones[i].speed = speed;
    world->stones[i].course = course;
}

/* A row of stones that touch, nearly, or overlap by an ulp or more, hit from the end. */
static void make_row(uint64_t *random, stones_ref_world *world)
{
    static const double gaps[] = {0, 0x1p-45, -0x1p-45, 1e-9, 0.5, 1, 3, -1, 10};
    const double gap = gaps[rng_below(random, 9)], angle = rng_one_in(random, 2) ? 0 : rng_in(random, -PI, PI);
    const int count = 2 + rng_below(random, 11);
    for (int i = 0; i < count; i++) {
        const double at = i * (40 + gap) + (i > 0 ? 20 : 0);
        put_moving(world, i, cos(angle) * at, sin(angle) * at, 20, i == 0 ? rng_in(random, 20, 120) : 0, angle);
    }
}

/* Mirror images: equal distances, equal speeds. */
static void make_symmetric(uint64_t *random, stones_ref_world *world)
{
    const double x = 30 + rng_below(random, 40), y = rng_below(random, 60), v = 5 + rng_below(random, 35);
    for (int i = 0; i < 4; i++) {
        const double sx = i % 2 == 0 ? 1 : -1, sy = i < 2 ? 1 : -1;
        put_moving(world, i, sx * x, sy * y, 10, v, atan2(-sy * y, -sx * x));
    }
    put_moving(world, 4, 0, 0, 10, 0, 0);
}

/* Overlapping, some at the same position. */
static void make_heap(uint64_t *random, stones_ref_world *world)
{
    make_garbage(random, world, 12);
    for (int i = 1; i < 12; i++) {
        if (rng_one_in(random, 3)) {
            world->stones[i].px = world->stones[i - 1].px;
            world->stones[i].py = world->stones[i - 1].py;
            world->stones[i].radius = world->stones[i - 1].radius;
        }
    }
}

/* Exact tangents and exact touches on a grid, with courses along the axes. */
static void make_grazing(uint64_t *random, stones_ref_world *world)
{
    for (int i = 0; i < 8; i++) {
        put_moving(world, i, 20 * rng_below(random, 20), 20 * rng_below(random, 20), 10, 10 * rng_below(random, 5),
                   (PI / 2) * rng_below(random, 4));
    }
}

/* Wide stones in front of small ones: redirects, and redirects of redirects. */
static void make_bumpers(uint64_t *random, stones_ref_world *world)
{
    for (int i = 0; i < 12; i++) {
        put_moving(world, i, rng_in(random, -120, 120), rng_in(random, -120, 120), rng_in(random, 3, 40),
                   rng_one_in(random, 2) ? 0 : rng_in(random, 10, 90), rng_in(random, -PI, PI));
        world->stones[i].power = 1 + rng_below(random, 3);
    }
}

/* Far away, fast, tiny or slow, up to the end of the range and beyond. */
static void make_extreme(uint64_t *random, stones_ref_world *world)
{
    static const double places[] = {0, 1e-300, 1, 1e7, 67108864, 67108800, -67108864};
    static const double speeds[] = {0, 1e-300, 0.0099, 0.01, 40, 1e5, 67108864};
    for (int i = 0; i < 8; i++) {
        stones_ref_put(world, i, places[rng_below(random, 7)] * rng_in(random, 0.999, 1),
                       places[rng_below(random, 7)] * rng_in(random, 0.999, 1), 1 + rng_below(random, 65000),
                       pow(2, rng_below(random, 21) - 10), rng_in(random, 0.001, 0.9999));
        world->stones[i].speed = speeds[rng_below(random, 7)];
        world->stones[i].course = rng_one_in(random, 4) ? rng_in(random, -524288, 524288) : rng_in(random, -4, 4);
    }
}

static unsigned state_rounds;

static void try_states(const char *what, make_state *make, carom_stones_rules rules)
{
    carom_stones_options options = carom_stones_options_default();
    options.stones = 12;
    options.ring = 0;
    options.rules = rules;
    options.ticks = 1 << 20;
    arena_open(&field, what, &options, CAROM_PLAY_ON, seed + 100);
    for (unsigned round = 0; round < state_rounds; round++) {
        for (size_t w = 0; w < WORLDS; w++) {
            stones_ref_clear(&field.worlds[w]);
            make(&field.random, &field.worlds[w]);
        }
        arena_put(&field);
        for (int t = 0; t < 4; t++) {
            make_actions(&field, ENGINE, t == 2 ? 10 : 1000, 0);
            arena_tick(&field, ENGINE, &actions);
        }
    }
    print_message("%s, %s: %" PRIu64 " hits, %" PRIu64 " ticks of ten sweeps (%" PRIu64 " barred), %" PRIu64
                  " faults\n",
                  what, rules == CAROM_STONES_AS_SHIPPED ? "as shipped" : "as described", field.hits, field.most_sweeps,
                  field.redirects, field.faults);
    arena_close(&field);
}

TEST(test_states)
{
    state_rounds = (unsigned)unless_short(12, 2);
    for (int rules = CAROM_STONES_AS_SHIPPED; rules <= CAROM_STONES_AS_DESCRIBED; rules++) {
        try_states("rows", make_row, (carom_stones_rules)rules);
        assert_true(field.hits > 80 * state_rounds && field.most_sweeps > state_rounds);
        try_states("symmetric", make_symmetric, (carom_stones_rules)rules);
        assert_true(field.hits > 10 * state_rounds);
        try_states("heaps", make_heap, (carom_stones_rules)rules);
        assert_true(field.hits > 10 * state_rounds);
        try_states("grazing", make_grazing, (carom_stones_rules)rules);
        assert_true(field.hits > 10 * state_rounds);
        try_states("bumpers", make_bumpers, (carom_stones_rules)rules);
        assert_true(field.redirects > 4 * state_rounds);
        try_states("extremes", make_extreme, (carom_stones_rules)rules);
        assert_true(field.faults > 4 * state_rounds);
    }
}

/* Any bytes as a record: refused, or played safely and identically on every instruction set. */
TEST(test_fuzzed_states)
{
    const carom_stones_options options = carom_stones_options_default();
    carom_worlds *batches[CAROM_ISA_COUNT];
    for (size_t k = 0; k < isa_count; k++) {
        batches[k] = stones_worlds(&options, WORLDS, isas[k], CAROM_F64, CAROM_PLAY_ON);
    }
    const size_t size = carom_worlds_record_size(batches[0]);
    unsigned char *record = (unsigned char *)malloc(size);
    assert_non_null(record);
    uint64_t random = seed + 7;
    size_t taken = 0;
    const int rounds = unless_short(20, 6);
    for (int round = 0; round < rounds; round++) {
        for (size_t w = 0; w < WORLDS; w++) {
            must(carom_worlds_get_world(batches[0], w, record, size), "carom_worlds_get_world");
            for (int n = 1 + rng_below(&random, 3); n > 0; n--) {
                const size_t at = (size_t)rng_below(&random, (int)size / 8 - 1) * 8;
                const double value = rng_one_in(&random, 2) ? odd_double(&random) : rng_in(&random, -500, 500);
                memcpy(record + at, &value, sizeof value);
            }
            for (size_t k = 0; k < isa_count; k++) {
                const carom_status status = carom_worlds_set_world(batches[k], w, record, size);
                assert_true(status == CAROM_OK || status == CAROM_ERROR_VALUE);
                taken += status == CAROM_OK;
            }
        }
        memset(&actions, 0, sizeof actions);
        carom_step step = STEP_WITH(.actions = &actions);
        for (int t = 0; t < 3; t++) {
            for (size_t k = 0; k < isa_count; k++) {
                uint64_t hashes[2];
                must(carom_worlds_play(batches[k], &step), "carom_worlds_play");
                must(carom_worlds_digest(batches[0], &hashes[0]), "carom_worlds_digest");
                must(carom_worlds_digest(batches[k], &hashes[1]), "carom_worlds_digest");
                assert_true(hashes[0] == hashes[1]);
            }
        }
    }
    assert_true(taken > 5 * (size_t)rounds);
    for (size_t k = 0; k < isa_count; k++) {
        carom_worlds_destroy(batches[k]);
    }
    free(record);
}

/* ---- f32 ---- */

/* Until the first hits f32 equals f64 up to rounding; and it is the same on every instruction set. */
TEST(test_f32)
{
    carom_stones_options options = carom_stones_options_default();
    options.ring = 0;
    carom_worlds *wide = stones_worlds(&options, WORLDS, CAROM_ISA_SCALAR, CAROM_F64, CAROM_PLAY_ON);
    carom_worlds *batches[CAROM_ISA_COUNT];
    for (size_t k = 0; k < isa_count; k++) {
        batches[k] = stones_worlds(&options, WORLDS, isas[k], CAROM_F32, CAROM_PLAY_ON);
    }
    static uint32_t counts[WORLDS];
    bool hit[WORLDS] = {false};
    uint64_t random = seed + 9;
    size_t compared = 0, hits = 0;
    memset(&actions, 0, sizeof actions);
    for (int t = 0; t < 60; t++) {
        for (size_t w = 0; w < WORLDS && t % 20 == 0; w++) {
            for (int p = 0; p < 2; p++) {
                const stones_ref_push push = {p + 2 * rng_below(&random, 6), rng_in(&random, -3, 3),
                                              rng_in(&random, 5, 40),
                                              rng_one_in(&random, 2) ? 0 : rng_in(&random, -1, 1)};
                actions.push[w][p] = push;
            }
        }
        carom_step step = STEP_WITH(.actions = &actions);
        uint64_t digests[2];
        for (size_t k = 0; k < isa_count; k++) {
            must(carom_worlds_play(batches[k], &step), "carom_worlds_play");
            must(carom_worlds_digest(batches[k], &digests[k > 0]), "carom_worlds_digest");
            assert_true(k == 0 || digests[0] == digests[1]);
        }
        step.event_counts = counts;
        must(carom_worlds_play(wide, &step), "carom_worlds_play");
        for (size_t w = 0; w < WORLDS; w++) {
            double large[STONES];
            float small[STONES];
            hit[w] = hit[w] || counts[w] > 0;
            hits += counts[w];
            for (int f = 0; f < 6 && !hit[w]; f++) {
                get_field(wide, stone_fields[f].name, w, 1, large);
                get_field(batches[0], stone_fields[f].name, w, 1, small);
                for (int i = 0; i < 12; i++) {
                    assert_true(fabs(large[i] - (double)small[i]) < 2e-2);
                    compared++;
                }
            }
        }
    }
    assert_true(compared > 10000 && hits > 20);
    carom_worlds_destroy(wide);
    for (size_t k = 0; k < isa_count; k++) {
        carom_worlds_destroy(batches[k]);
    }
}

SET_UP
{
    seed = test_seed(seed);
}
