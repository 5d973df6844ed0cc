/* SPDX-License-Identifier: MIT
 * The game fall: the lecture's example, recorded scenes, the plain reference on random scenes, states of every kind;
 * and results do not depend on a batch's shape.
 *
 * Every run has another random seed: set CAROM_TEST_SEED to repeat one that failed.
 */
#include "../tools/verify/fall_trace.h"
#include "batch.h"
#include "fall_reference.h"
#include "tests/games/changed_traces.h"

#include <time.h>

#define CIRCLES CAROM_FALL_CIRCLES
#define EVENTS 256
#define DATA CAROM_TEST_DATA "/fall"

static uint64_t seed;

static carom_worlds_desc describe(const carom_fall_options *options, size_t count, carom_isa isa)
{
    carom_worlds_desc desc =
        WORLDS_DESC(carom_game_find("fall"), .options = options, .count = count, .isa = isa, .threads = 1);
    return desc;
}

/* One tick without kicks; events[world][EVENTS]. */
static void play(carom_worlds *worlds, carom_event *events, uint32_t *counts)
{
    static const float still[2];
    static const uint32_t rows[512];
    assert_true(carom_worlds_count(worlds) <= 512);
    PLAY(worlds, .actions = still, .action_rows = 1, .rows = rows, .events = events, .event_counts = counts,
         .event_capacity = events != NULL ? EVENTS : 0);
}

static carom_fall_body ball(double x, double y, double radius)
{
    carom_fall_body b;
    memset(&b, 0, sizeof b);
    b.x = x;
    b.y = y;
    b.radius = radius;
    b.mass = 1;
    return b;
}

static carom_fall_body polygon(uint32_t n, double x, double y, double size, double angle)
{
    carom_fall_body b;
    memset(&b, 0, sizeof b);
    b.fixed = 1;
    b.corner_count = n;
    for (uint32_t k = 0; k < n; k++) {
        b.corners[k][0] = x + size * cos(angle + k * 6.283185307179586 / n);
        b.corners[k][1] = y + size * sin(angle + k * 6.283185307179586 / n);
    }
    return b;
}

static carom_fall_options scene(const carom_fall_body *bodies, uint32_t count)
{
    carom_fall_options options = carom_fall_options_default();
    options.bodies = bodies;
    options.body_count = count;
    return options;
}

/* ---- single scenes ---- */

/* The time of the first collision, and what it is. */
static double first_collision(const carom_fall_options *options, carom_isa isa, carom_event *event)
{
    static carom_event events[EVENTS];
    carom_worlds_desc desc = describe(options, 1, isa);
    carom_worlds *worlds = make_worlds(&desc);
    for (int tick = 1; tick <= 1000; tick++) {
        uint32_t count;
        play(worlds, events, &count);
        if (count > 0) {
            *event = events[0];
            carom_worlds_destroy(worlds);
            return (tick - events[0].left) * 0.01;
        }
    }
    fail_msg("nothing ever collides");
    return 0;
}

/* "A ball bearing dropped from 1 m takes 0.447 s": onto a fixed ball, for the unit square is not high enough. */
TEST(test_lecture)
{
    carom_fall_body bodies[2] = {ball(0.5, 0, 0.495), ball(0.5, 1.5, 0.005)};
    bodies[0].fixed = 1;
    for (size_t k = isa_count; k-- > 0;) {
        carom_fall_options options = scene(bodies, 2);
        carom_event event;
        double t = first_collision(&options, isas[k], &event);
        assert_true(fabs(t - sqrt(2 / 9.81)) < 1e-12 && fabs(t - 0.4515) < 5e-5);
        assert_true(event.first == 0 && event.second == 1 && event.part == CAROM_FALL_CIRCLE);
        options.gravity = -10;
        t = first_collision(&options, isas[k], &event);
        assert_true(fabs(t - sqrt(0.2)) < 1e-12 && fabs(t - 0.447) < 5e-4);
    }
}

/* The same with a floor, as high as the unit square allows; the bounce keeps 0.98 of the velocity, or all of it. */
TEST(test_response)
{
    carom_fall_body bodies[2] = {polygon(4, 0.5, -0.5, 0.5, 0), ball(0.5, 0.9, 0.1)};
    static const double corners[4][2] = {{0, 0}, {1, 0}, {1, 0.2}, {0, 0.2}};
    memcpy(bodies[0].corners, corners, sizeof corners);
    bodies[1].vx = 0.0101;
    for (int elastic = 0; elastic < 2; elastic++) {
        carom_fall_options options = scene(bodies, 2);
        if (elastic) {
            options.keep = 1;
            options.cutoff = 0;
        }
        carom_event event;
        const double t = first_collision(&options, CAROM_ISA_DEFAULT, &event);
        assert_true(fabs(t - sqrt(2 * 0.6 / 9.81)) < 1e-12);
        assert_true(event.first == 1 && event.second == 0 && event.part == CAROM_FALL_EDGE + 2);
        assert_true(fabs(event.x - (0.5 + 0.0101 * t)) < 1e-12 && fabs(event.y - 0.3) < 1e-12);
        carom_worlds_desc desc = describe(&options, 1, CAROM_ISA_DEFAULT);
        OWNED(carom_worlds) *worlds = make_worlds(&desc);
        double vx[CIRCLES], vy[CIRCLES], y[CIRCLES];
        for (int tick = 0; tick < 36; tick++)
            play(worlds, NULL, NULL);
        get_field(worlds, "vx", 0, 1, vx);
        get_field(worlds, "vy", 0, 1, vy);
        get_field(worlds, "y", 0, 1, y);
        assert_true(vx[0] == (elastic ? 0.0101 : 0)); /* 0.98 of it is below the cut-off */
        assert_true(fabs(vy[0] - ((elastic ? 1 : 0.98) * 9.81 * t - 9.81 * (0.36 - t))) < 1e-12);
        assert_true(fabs(y[0] * 9.81 + vy[0] * vy[0] / 2 - 9.81 * 0.9) < 1e-12 || !elastic);
    }
}

/* A circle at 10,000 radii a tick is stopped by a wall of a fifth of its size, and put back into the unit square. */
TEST(test_no_tunnelling)
{
    carom_fall_body bodies[2] = {polygon(4, 0.5, 0.5, 0.5, 0), ball(0.1, 0.5, 0.001)};
    static const double corners[4][2] = {{0.5, 0}, {0.5002, 0}, {0.5002, 1}, {0.5, 1}};
    memcpy(bodies[0].corners, corners, sizeof corners);
    bodies[1].vx = 1000;
    carom_fall_options options = scene(bodies, 2);
    carom_event event;
    assert_true(fabs(first_collision(&options, CAROM_ISA_DEFAULT, &event) - 0.399 / 1000) < 1e-12);
    assert_true(event.part == CAROM_FALL_EDGE + 3);
    carom_worlds_desc desc = describe(&options, 1, CAROM_ISA_DEFAULT);
    OWNED(carom_worlds) *worlds = make_worlds(&desc);
    double x[CIRCLES];
    play(worlds, NULL, NULL);
    get_field(worlds, "x", 0, 1, x);
    assert_true(x[0] == 0.001);
}

/* ---- traces ---- */

static void compare(double expected, double found, const char *name, carom_isa isa, double time)
{
    if (!(fabs(expected - found) <= 1e-9))
        fail_msg("trace %s, %s, at %.9g s: the trace has %.17g, carom %.17g", name, carom_isa_name(isa), time, expected,
                 found);
}

/* In every lane of a tile among random worlds. Returns the number of collisions compared. */
static size_t replay(const fall_trace *trace, const char *name, carom_isa isa, size_t place)
{
    enum { COUNT = CAROM_TILE };
    static carom_event events[COUNT][EVENTS];
    static double v[COUNT][CIRCLES], x[COUNT][CIRCLES], y[COUNT][CIRCLES];
    const carom_fall_options options = fall_trace_options(trace);
    carom_worlds_desc desc = describe(&options, COUNT, isa);
    OWNED(carom_worlds) *worlds = make_worlds(&desc);
    get_field(worlds, "vx", 0, COUNT, v);
    for (size_t w = 0; w < COUNT; w++)
        for (uint32_t k = 0; k < trace->circle_count && w != place; k++)
            v[w][k] = v[w][k] == 0 && options.bodies[k].fixed ? 0 : v[w][k] + rng_in(&seed, -1, 1);
    set_field(worlds, "vx", 0, COUNT, v);
    size_t at = 0, collisions = 0;
    const uint32_t frames = trace->records[trace->base.turn_count - 1].frame;
    for (uint32_t frame = 1; frame <= frames; frame++) {
        uint32_t counts[COUNT];
        play(worlds, events[0], counts);
        for (uint32_t k = 0; k < counts[place]; k++, at++) {
            const fall_trace_record *r = &trace->records[at];
            const carom_event *e = &events[place][k];
            const double time = (frame - e->left) * 0.01;
            if (!r->collision || e->first != r->event.first || e->second != r->event.second || e->part != r->event.part)
                fail_msg("trace %s, %s: another collision at %.9g s", name, carom_isa_name(isa), time);
            compare(r->time, time, name, isa, time);
            compare(r->event.x, e->x, name, isa, time);
            compare(r->event.y, e->y, name, isa, time);
            collisions++;
        }
        const fall_trace_record *r = &trace->records[at];
        if (!r->collision && r->frame == frame) {
            get_field(worlds, "x", 0, COUNT, x);
            get_field(worlds, "y", 0, COUNT, y);
            for (uint32_t k = 0; k < trace->circle_count; k++) {
                compare(r->circles[k][0], x[place][k], name, isa, r->time);
                compare(r->circles[k][1], y[place][k], name, isa, r->time);
            }
            at += at + 1 < trace->base.turn_count;
        }
    }
    assert_int_equal(at, trace->base.turn_count - 1);
    return collisions;
}

TEST(test_traces)
{
    static const struct {
        const char *name;
        size_t collisions;
    } cases[] = {{"02", 1}, {"04", 1}, {"05", 5}, {"07", 33}, {"08", 1}, {"16", 15}, {"17", 1}, {"23", 1}};
    for (size_t c = 0; c < sizeof cases / sizeof cases[0]; c++) {
        char path[1024], message[TRACE_MESSAGE];
        fall_trace trace;
        snprintf(path, sizeof path, "%s/trace_%s.txt", DATA, cases[c].name);
        if (!trace_read(&fall_trace_format, path, &trace, message, sizeof message))
            fail_msg("%s", message);
        assert_null(trace.base.unplayable);
        for (size_t k = 0; k < isa_count; k++)
            for (size_t place = 0; place < CAROM_TILE; place += (size_t)unless_short(1, 9))
                assert_int_equal(replay(&trace, cases[c].name, isas[k], place), cases[c].collisions);
        trace_free(&trace);
    }
}

/* The reader accepts complete traces and names the line of damage. */
TEST(test_trace_reader)
{
    static const trace_change changes[] = {
        {2, "box", "bax"},         {2, "fixed", "fix"},        {3, "box 2", "box 3"},    {6, "poly3", "poly7"},
        {7, "0.8", "nan"},         {7, "vel 0", "vel"},        {9, "gravity", "levity"}, {16, "circle 6", "circle 5"},
        {18, "frame 10", "frome"}, {34, "CP", "CX"},           {34, "line 3", "line 4"}, {34, "circle 6", "circle 5"},
        {34, "at 0.4", "at x"},    {34, "time 0.2", "time 0"}, {41, "7", "x"},
    };
    refuse_changes(&fall_trace_format, DATA "/trace_07.txt", changes, sizeof changes / sizeof changes[0]);
}

/* ---- the reference ---- */

/* A scene of up to 5 circles and up to 4 polygons in any order, some fixed, some with their own accelerations. */
static uint32_t random_scene(carom_fall_body *bodies)
{
    uint32_t count = 0;
    const int circles = 1 + rng_below(&seed, 5), polygons = rng_below(&seed, 5);
    const bool walls = rng_one_in(&seed, 2);
    if (walls) {
        carom_fall_body box[8];
        carom_fall_box(box);
        memcpy(bodies, box, 4 * sizeof *box);
        count = 4;
    }
    for (int k = 0; k < circles; k++) { /* apart from each other */
        carom_fall_body b;
        bool free_place = false;
        for (int i = 0; i < 1000 && !free_place; i++) {
            b = ball(rng_in(&seed, 0.1, 0.9), rng_in(&seed, 0.5, 0.9), rng_in(&seed, 0.01, 0.08));
            free_place = true;
            for (uint32_t j = 0; j < count; j++)
                free_place &= bodies[j].corner_count != 0 ||
                              hypot(b.x - bodies[j].x, b.y - bodies[j].y) > b.radius + bodies[j].radius;
        }
        b.mass = rng_in(&seed, 0.2, 5);
        b.vx = rng_in(&seed, -2, 2);
        b.vy = rng_in(&seed, -2, 2);
        b.fixed = k > 0 && rng_one_in(&seed, 5);
        if (rng_one_in(&seed, 3)) {
            b.ax = rng_in(&seed, -3, 3);
            b.ay = rng_in(&seed, -3, 3);
        }
        bodies[count++] = b;
    }
    for (int k = 0; k < polygons; k++)
        bodies[count++] = polygon(3 + (uint32_t)rng_below(&seed, 4), rng_in(&seed, 0.1, 0.9), rng_in(&seed, 0.05, 0.35),
                                  rng_in(&seed, 0.02, 0.08), rng_in(&seed, 0, 6.28));
    return count;
}

/* Errors grow with every collision: the first ones must agree, as far as the reference is sure of them. */
TEST(test_reference)
{
    const int scenes = unless_short(400, 12);
    const size_t wanted = (size_t)unless_short(12, 4); /* collisions of a scene */
    static fall_ref_world w;
    static carom_event events[EVENTS];
    static fall_ref_hit hits[EVENTS];
    size_t compared = 0, corners = 0, circles = 0, cut = 0;
    for (int s = 0; s < scenes; s++) {
        carom_fall_body bodies[CAROM_FALL_BODIES];
        const uint64_t scene_seed = seed;
        carom_fall_options options = scene(bodies, random_scene(bodies));
        options.keep = rng_one_in(&seed, 2) ? 0.98 : 1;
        carom_worlds_desc desc = describe(&options, 1, CAROM_ISA_DEFAULT);
        OWNED(carom_worlds) *worlds = make_worlds(&desc);
        fall_ref_start(&w, &options);
        double error = 1e-10; /* grows by collisions */
        size_t collisions = 0;
        for (int tick = 0; tick < 200 && collisions < wanted; tick++) {
            uint32_t count;
            play(worlds, events, &count);
            const int expected = fall_ref_tick(&w, hits, EVENTS);
            for (uint32_t k = 0; k < count && (int)k < expected && collisions < wanted; k++) {
                const double time = (tick + 1 - events[k].left) * 0.01;
                error *= 5;
                if ((int)events[k].first != hits[k].first || (int)events[k].second != hits[k].second ||
                    (int)events[k].part != hits[k].part || !(fabs(time - hits[k].time) < error) ||
                    !(fabs(events[k].x - hits[k].x) < error) || !(fabs(events[k].y - hits[k].y) < error))
                    fail_msg(
                        "scene of seed %llu, collision %zu: %u %u %u at %.17g s, (%.17g, %.17g); the reference has "
                        "%d %d %d at %.17g s, (%.17g, %.17g)",
                        (unsigned long long)scene_seed, collisions, events[k].first, events[k].second, events[k].part,
                        time, events[k].x, events[k].y, hits[k].first, hits[k].second, hits[k].part, hits[k].time,
                        hits[k].x, hits[k].y);
                collisions++;
                corners += events[k].part >= CAROM_FALL_CORNER;
                circles += events[k].part == CAROM_FALL_CIRCLE;
            }
            if (collisions < wanted && count != (uint32_t)expected)
                fail_msg("scene of seed %llu, tick %d: %u collisions; the reference has %d",
                         (unsigned long long)scene_seed, tick, count, expected);
        }
        cut += collisions == wanted;
        compared += collisions;
    }
    printf("%zu collisions compared, %zu with corners, %zu of circles; %zu scenes to the last wanted\n", compared,
           corners, circles, cut);
    /* A few scenes may have few, and none with corners. */
    assert_true(compared > (size_t)scenes * (scenes < 400 ? 1 : wanted * 5 / 12));
    assert_true(scenes < 400 || (corners > 50 && circles > 200));
}

/* ---- the shape of a batch ---- */

/* Hashes of `count` worlds after some ticks in which some are kicked. */
static void run_batch(const carom_fall_options *options, size_t count, carom_isa isa, unsigned threads,
                      carom_precision precision, uint64_t first_id, uint64_t *hashes)
{
    static float actions[512][2];
    carom_worlds_desc desc = describe(options, count, isa);
    desc.threads = threads;
    desc.precision = precision;
    desc.seed = 7;
    desc.first_id = first_id;
    desc.at_end = CAROM_RESET;
    OWNED(carom_worlds) *worlds = make_worlds(&desc);
    size_t random = 0;
    must(carom_game_find_policy(carom_game_find("fall"), "random", &random), "carom_game_find_policy");
    for (uint32_t tick = 0; tick < options->last_tick + options->last_tick / 4; tick++) {
        must(carom_worlds_policy(worlds, random, 0, actions), "carom_worlds_policy");
        PLAY(worlds, .actions = actions);
    }
    assert_int_equal(carom_worlds_counters(worlds).faults, 0);
    must(carom_worlds_hash(worlds, 0, count, hashes), "carom_worlds_hash");
}

TEST(test_shape)
{
    const size_t whole = (size_t)unless_short(300, 42), sizes[] = {1, 7, 16, 17, whole / 3, whole};
    static uint64_t expected[300], found[300];
    carom_fall_options options = carom_fall_options_default();
    options.last_tick = (uint32_t)unless_short(120, 48); /* games end and restart */
    for (int f64 = 0; f64 < 2; f64++) {
        const carom_precision precision = f64 ? CAROM_F64 : CAROM_F32;
        run_batch(&options, whole, CAROM_ISA_SCALAR, 1, precision, 5, expected);
        for (size_t k = 0; k < isa_count; k++)
            for (size_t s = 0; s < sizeof sizes / sizeof sizes[0]; s++)
                for (unsigned threads = 1; threads <= 3; threads++) {
                    run_batch(&options, sizes[s], isas[k], threads, precision, 5, found);
                    assert_memory_equal(found, expected, sizes[s] * sizeof found[0]);
                }
        run_batch(&options, whole / 3, CAROM_ISA_DEFAULT, 1, precision, 5 + whole / 2, found); /* a shard */
        assert_memory_equal(found, expected + whole / 2, whole / 3 * sizeof found[0]);
    }
}

/* ---- states of every kind ---- */

/* Worlds in heaps, far away, fast, and with any contents of their queue; the same on every instruction set. */
TEST(test_fuzzed_states)
{
    enum { COUNT = 40 };
    static double x[COUNT][CIRCLES], y[COUNT][CIRCLES], vx[COUNT][CIRCLES], vy[COUNT][CIRCLES], wait[COUNT];
    static double found[COUNT][CIRCLES];
    unsigned faults = 0;
    for (int s = 0; s < unless_short(60, 10); s++) {
        carom_fall_body bodies[CAROM_FALL_BODIES];
        carom_fall_options options = scene(bodies, random_scene(bodies));
        uint64_t hashes[CAROM_ISA_COUNT][COUNT];
        uint32_t circles = 0;
        int8_t who[COUNT][3], fixed[CIRCLES];
        for (uint32_t k = 0; k < options.body_count; k++)
            if (bodies[k].corner_count == 0)
                fixed[circles++] = bodies[k].fixed != 0;
        memset(x, 0, sizeof x);
        memset(y, 0, sizeof y);
        memset(vx, 0, sizeof vx);
        memset(vy, 0, sizeof vy);
        memset(who, 0, sizeof who);
        for (size_t w = 0; w < COUNT; w++) {
            const double size = rng_one_in(&seed, 4) ? 1000 : rng_one_in(&seed, 3) ? 0.05 : 1;
            const double fast = rng_one_in(&seed, 8) ? 1e6 : rng_one_in(&seed, 4) ? 0 : 5;
            for (uint32_t k = 0; k < circles; k++) {
                x[w][k] = rng_in(&seed, 0, size);
                y[w][k] = rng_in(&seed, 0, size);
                vx[w][k] = fixed[k] ? 0 : rng_in(&seed, -fast, fast);
                vy[w][k] = fixed[k] ? 0 : rng_in(&seed, -fast, fast);
                if (k > 0 && rng_one_in(&seed, 4))
                    x[w][k] = x[w][0], y[w][k] = y[w][0];
            }
            wait[w] = -1;
            for (uint32_t k = 0; k < options.body_count && rng_one_in(&seed, 2); k++) /* a polygon, at some time */
                for (uint32_t j = 0; j < options.body_count; j++)
                    if (bodies[k].corner_count != 0 && bodies[j].corner_count == 0 && !bodies[j].fixed) {
                        who[w][0] = (int8_t)j;
                        who[w][1] = (int8_t)k;
                        who[w][2] = (int8_t)(rng_one_in(&seed, 2) ? CAROM_FALL_EDGE : CAROM_FALL_CORNER);
                        wait[w] = rng_in(&seed, 0, 0.05);
                    }
        }
        for (size_t k = 0; k < isa_count; k++) {
            carom_worlds_desc desc = describe(&options, COUNT, isas[k]);
            OWNED(carom_worlds) *worlds = make_worlds(&desc);
            unsigned bits = 0;
            set_field(worlds, "x", 0, COUNT, x);
            set_field(worlds, "y", 0, COUNT, y);
            set_field(worlds, "vx", 0, COUNT, vx);
            set_field(worlds, "vy", 0, COUNT, vy);
            set_field(worlds, "who", 0, COUNT, who);
            set_field(worlds, "wait", 0, COUNT, wait);
            for (int tick = 0; tick < 12; tick++)
                play(worlds, NULL, NULL);
            carom_worlds_faults(worlds, &bits);
            assert_true((bits & CAROM_FAULT_NAN) == 0);
            faults |= bits;
            must(carom_worlds_hash(worlds, 0, COUNT, hashes[k]), "carom_worlds_hash");
            assert_memory_equal(hashes[k], hashes[0], sizeof hashes[0]);
            get_field(worlds, "x", 0, COUNT, found);
            for (size_t w = 0; w < COUNT; w++)
                for (size_t c = 0; c < CIRCLES; c++)
                    assert_true(fabs(found[w][c]) <= 1048576);
        }
    }
    printf("faults seen: %u\n", faults);
}

TEST(test_refused)
{
    carom_fall_body bodies[2] = {ball(0.5, 0.5, 0.1), polygon(3, 0.5, 0.1, 0.1, 0)};
    OWNED(carom_worlds) *worlds = NULL;
    for (int c = 0; c < 12; c++) {
        carom_fall_options options = scene(bodies, 2);
        carom_fall_body kept[2];
        memcpy(kept, bodies, sizeof kept);
        options.size -= c == 0;
        options.body_count = c == 1 ? 0 : c == 2 ? CAROM_FALL_BODIES + 1 : 2;
        options.last_tick = c == 3 ? 0 : 10;
        options.keep = c == 4 ? 1.5 : 1;
        options.gravity = c == 5 ? NAN : -10;
        bodies[0].radius = c == 6 ? 0 : 0.1;
        bodies[0].mass = c == 7 ? 0 : 1;
        bodies[0].corner_count = c == 8 ? 2 : 0;
        bodies[1].fixed = c != 9;
        bodies[1].corners[1][0] = c == 10 ? INFINITY : kept[1].corners[1][0];
        const carom_worlds_desc desc = describe(&options, 1, CAROM_ISA_DEFAULT);
        const carom_status status = carom_worlds_create(&desc, &worlds);
        assert_int_equal(status, c < 4 ? CAROM_ERROR_ARGUMENT : c < 11 ? CAROM_ERROR_VALUE : CAROM_OK);
        memcpy(bodies, kept, sizeof kept);
    }
    /* States: of the last, which is good. */
    const double nan = NAN, far = 2e6, before = -0.5;
    double numbers[CIRCLES] = {0};
    for (int c = 0; c < 3; c++) {
        numbers[c == 2] = c == 0 ? nan : c == 1 ? far : 1; /* one that is absent must be 0 */
        assert_int_equal(carom_worlds_set(worlds, field_index(worlds, "x"), 0, 1, numbers), CAROM_ERROR_VALUE);
        numbers[c == 2] = 0;
    }
    assert_int_equal(carom_worlds_set(worlds, field_index(worlds, "wait"), 0, 1, &before), CAROM_ERROR_VALUE);
    const double soon = 0.5;
    assert_int_equal(carom_worlds_set(worlds, field_index(worlds, "wait"), 0, 1, &soon), CAROM_ERROR_VALUE);
    const int8_t pasts = CAROM_FALL_PASTS + 1;
    assert_int_equal(carom_worlds_set(worlds, field_index(worlds, "pasts"), 0, 1, &pasts), CAROM_ERROR_VALUE);
}

/* ---- the game ---- */

/* Collisions come in order of time, each where its bodies touch. */
TEST(test_events)
{
    enum { COUNT = 64 };
    static carom_event events[COUNT][EVENTS];
    carom_fall_body box[8];
    uint32_t counts[COUNT];
    size_t seen = 0;
    carom_worlds_desc desc = describe(NULL, COUNT, CAROM_ISA_DEFAULT);
    OWNED(carom_worlds) *worlds = make_worlds(&desc);
    assert_int_equal(carom_fall_box(box), 8);
    for (int tick = 0; tick < 100; tick++) {
        play(worlds, events[0], counts);
        for (size_t w = 0; w < COUNT; w++) {
            for (uint32_t k = 0; k < counts[w]; k++, seen++) {
                const carom_event *e = &events[w][k];
                assert_true(e->left >= 0 && e->left <= 1 && (k == 0 || e->left <= events[w][k - 1].left));
                assert_true(e->first < 8 && box[e->first].corner_count == 0 && e->second < 8);
                if (e->part == CAROM_FALL_CIRCLE)
                    assert_true(e->second > e->first);
                else if (e->part < CAROM_FALL_CORNER) {
                    const double *a = box[e->second].corners[e->part - 1], *b = box[e->second].corners[e->part % 4];
                    const double dx = b[0] - a[0], dy = b[1] - a[1];
                    const double d = ((e->x - a[0]) * dy - (e->y - a[1]) * dx) / hypot(dx, dy);
                    assert_true(fabs(fabs(d) - 0.05) < 1e-9);
                }
            }
        }
    }
    assert_true(seen > COUNT * 5 && carom_worlds_counters(worlds).events == seen);
}

TEST(test_kick)
{
    enum { COUNT = 5 };
    static const float actions[COUNT][2] = {{0, 0}, {1, 0}, {0, -3}, {NAN, 0.5f}, {NAN, NAN}};
    static const double expected[COUNT][2] = {{0, 0}, {0.5, 0}, {0, -0.5}, {0, 0.25}, {0, 0}};
    carom_fall_body bodies[2] = {ball(0.2, 0.5, 0.1), ball(0.5, 0.5, 0.1)};
    bodies[0].fixed = 1; /* so that circle 1 is kicked */
    carom_fall_options options = scene(bodies, 2);
    options.last_tick = 2;
    carom_worlds_desc desc = describe(&options, COUNT, CAROM_ISA_DEFAULT);
    desc.at_end = CAROM_FREEZE;
    OWNED(carom_worlds) *worlds = make_worlds(&desc);
    double vx[COUNT][CIRCLES], vy[COUNT][CIRCLES];
    float rewards[COUNT], seen[COUNT][CAROM_FALL_OBSERVATION];
    uint8_t ends[COUNT];
    carom_step step = STEP_WITH(.actions = actions, .rewards = rewards, .ends = ends, .observations = seen[0]);
    must(carom_worlds_play(worlds, &step), "carom_worlds_play");
    get_field(worlds, "vx", 0, COUNT, vx);
    get_field(worlds, "vy", 0, COUNT, vy);
    for (size_t w = 0; w < COUNT; w++) {
        assert_true(vx[w][0] == 0 && vy[w][0] == 0);
        assert_true(fabs(vx[w][1] - expected[w][0]) < 1e-15 && fabs(vy[w][1] - expected[w][1] + 0.0981) < 1e-15);
        assert_true(fabs(rewards[w] - (expected[w][1] * 0.01 - 9.81 * 0.00005)) < 1e-7 && ends[w] == 0);
        assert_true(seen[w][0] == 0.2f && seen[w][6] == (float)vx[w][1] && seen[w][8] == 0 && seen[w][32] == 0.5f);
    }
    must(carom_worlds_play(worlds, &step), "carom_worlds_play");
    for (size_t w = 0; w < COUNT; w++)
        assert_int_equal(ends[w], CAROM_TRUNCATED);
    must(carom_worlds_play(worlds, &step), "carom_worlds_play");
    assert_int_equal(carom_worlds_counters(worlds).ticks, 2 * COUNT);
}

/* f32 is close to f64 until a body has collided twice. */
TEST(test_precisions)
{
    enum { COUNT = 100 };
    static double wide[COUNT][CIRCLES], narrow_as_double;
    static float narrow[COUNT][CIRCLES];
    carom_worlds *batches[2];
    for (int f64 = 0; f64 < 2; f64++) {
        carom_worlds_desc desc = describe(NULL, COUNT, CAROM_ISA_DEFAULT);
        desc.precision = f64 ? CAROM_F64 : CAROM_F32;
        batches[f64] = make_worlds(&desc);
        for (int tick = 0; tick < 15; tick++)
            play(batches[f64], NULL, NULL);
    }
    get_field(batches[1], "y", 0, COUNT, wide);
    get_field(batches[0], "y", 0, COUNT, narrow);
    for (size_t w = 0; w < COUNT; w++)
        for (size_t k = 0; k < 4; k++) {
            narrow_as_double = narrow[w][k];
            assert_true(fabs(narrow_as_double - wide[w][k]) < 1e-4);
        }
    carom_worlds_destroy(batches[0]);
    carom_worlds_destroy(batches[1]);
}

SET_UP
{
    seed = test_seed((uint64_t)time(NULL));
}
