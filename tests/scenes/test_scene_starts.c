/* SPDX-License-Identifier: MIT
 * Random starts of scenes: within their ranges, uniform, the same on every instruction set, in both engines and
 * precisions, for any index of a world; as JSON; invalid ones. And games that end at a sensor.
 */
#include "scene_batch.h"

#define WORLDS 600
#define BODIES 3

static carom_scene_body bodies[BODIES];

static carom_scene_desc describe(carom_engine engine)
{
    carom_scene_desc desc = carom_scene_desc_default();
    for (int i = 0; i < BODIES; i++)
        bodies[i] = body_at(10.0 * i, 3, 1, 0, 1, 1);
    bodies[0].x_spread = 4;
    bodies[0].vy_spread = 0.5;
    bodies[2].y_spread = 2;
    desc.bodies = bodies;
    desc.body_count = BODIES;
    desc.box = (carom_scene_box){-40, -40, 40, 40, CAROM_SIDES_SOLID, CAROM_SIDES_PERIODIC, 1};
    desc.last_tick = 5;
    desc.engine = engine;
    return desc;
}

static carom_worlds *worlds_of(carom_scene *scene, carom_precision precision, carom_isa isa, uint64_t first_id,
                               size_t count)
{
    return MAKE_WORLDS(carom_scene_game(scene), .count = count, .precision = precision, .isa = isa, .seed = 9,
                       .first_id = first_id, .threads = 2, .at_end = CAROM_RESET);
}

/* A field of all worlds, as doubles. */
static void read_field(const carom_worlds *worlds, const char *name, double (*to)[BODIES])
{
    static double values[WORLDS][BODIES];
    get_field(worlds, name, 0, WORLDS, values);
    for (size_t k = 0; k < (size_t)WORLDS * BODIES; k++)
        to[k / BODIES][k % BODIES] = carom_worlds_describe(worlds).precision == CAROM_F32
                                         ? (double)((float *)(void *)values)[k]
                                         : values[k / BODIES][k % BODIES];
}

TEST(test_ranges)
{
    const carom_scene_desc desc = describe(CAROM_ENGINE_WIDE);
    OWNED(carom_scene) *scene = make_scene(&desc);
    OWNED(carom_worlds) *worlds = worlds_of(scene, CAROM_F64, CAROM_ISA_SCALAR, 0, WORLDS);
    static double x[WORLDS][BODIES], y[WORLDS][BODIES], vx[WORLDS][BODIES], vy[WORLDS][BODIES], later[WORLDS][BODIES];
    double sum = 0, square = 0, product = 0;
    read_field(worlds, "x", x);
    read_field(worlds, "y", y);
    read_field(worlds, "vx", vx);
    read_field(worlds, "vy", vy);
    for (int w = 0; w < WORLDS; w++) {
        const double a = x[w][0] / 4, b = vy[w][0] / 0.5;
        assert_true(a >= -1 && a < 1 && b >= -1 && b < 1 && y[w][2] >= 1 && y[w][2] < 5);
        assert_true(x[w][1] == 10 && y[w][1] == 3 && vy[w][1] == 0 && x[w][2] == 20 && y[w][0] == 3 && vx[w][0] == 1);
        sum += a;
        square += a * a;
        product += a * b;
    }
    /* Uniform, and independent of each other: within five deviations. */
    assert_true(fabs(sum / WORLDS) < 5 * sqrt(1.0 / 3 / WORLDS) &&
                fabs(square / WORLDS - 1.0 / 3) < 5 * 0.3 / sqrt(WORLDS));
    assert_true(fabs(product / WORLDS) < 5.0 / 3 / sqrt(WORLDS));
    carom_step step = carom_step_default();
    step.ticks = 5; /* the next episode */
    must(carom_worlds_play(worlds, &step), "play");
    read_field(worlds, "x", later);
    size_t same = 0;
    for (int w = 0; w < WORLDS; w++) {
        assert_true(fabs(later[w][0]) <= 4);
        same += later[w][0] == x[w][0];
    }
    assert_true(same < 5);
    must(carom_worlds_reset(worlds), "reset");
    read_field(worlds, "x", later);
    assert_memory_equal(x, later, sizeof x);
}

TEST(test_same)
{
    for (int bits = 32; bits <= 64; bits += 32) {
        uint64_t first = 0, digest = 0, alone = 0, among = 0;
        for (size_t k = 0; k < isa_count; k++)
            for (int engine = CAROM_ENGINE_WIDE; engine <= CAROM_ENGINE_DEEP; engine++) {
                const carom_scene_desc desc = describe((carom_engine)engine);
                OWNED(carom_scene) *scene = make_scene(&desc);
                OWNED(carom_worlds) *worlds = worlds_of(scene, (carom_precision)bits, isas[k], 100, WORLDS);
                OWNED(carom_worlds) *single = worlds_of(scene, (carom_precision)bits, isas[k], 417, 1);
                carom_step step = STEP_WITH(.ticks = 12);
                must(carom_worlds_play(worlds, &step), "play");
                must(carom_worlds_play(single, &step), "play");
                must(carom_worlds_digest(worlds, &digest), "digest");
                must(carom_worlds_hash(worlds, 317, 1, &among), "hash");
                must(carom_worlds_hash(single, 0, 1, &alone), "hash");
                first = first == 0 ? digest : first;
                assert_true(digest == first && among == alone);
            }
    }
}

TEST(test_json)
{
    const carom_scene_desc desc = describe(CAROM_ENGINE_WIDE);
    OWNED(carom_scene) *scene = make_scene(&desc), *read = NULL;
    OWNED_TEXT char *text = NULL;
    carom_problem problem;
    const carom_status status = carom_scene_write_json(scene, &text);
    if (status == CAROM_ERROR_UNSUPPORTED) {
        carom_scene_destroy(scene);
        skip();
    }
    must(status, "write");
    assert_non_null(strstr(text, "x_spread"));
    must(carom_scene_read_json(text, strlen(text), &read, &problem), problem.text);
    OWNED(carom_worlds) *a = worlds_of(scene, CAROM_F64, CAROM_ISA_DEFAULT, 0, WORLDS);
    OWNED(carom_worlds) *b = worlds_of(read, CAROM_F64, CAROM_ISA_DEFAULT, 0, WORLDS);
    assert_true(digest_of(a) == digest_of(b));
    must(carom_worlds_copy(a, NULL, b, NULL, WORLDS), "records mean the same");
}

/* A body that reaches a sensor at another time than in other worlds ends only its game, in that tick. */
TEST(test_sensor)
{
    for (size_t k = 0; k < 4 * isa_count; k++) {
        carom_scene_desc desc = carom_scene_desc_default();
        const carom_scene_wall line = {6.5, -9, 6.5, 9, 1, false, true};
        static uint8_t ends[12][WORLDS];
        static double x[WORLDS][BODIES];
        for (int i = 0; i < BODIES; i++)
            bodies[i] = body_at(-10.0 * i, 4, i == 0 ? 1 : 0, 0, 0.5, 1);
        bodies[0].x_spread = 4;
        desc.bodies = bodies;
        desc.body_count = BODIES;
        desc.walls = &line;
        desc.wall_count = 1;
        desc.engine = k / 2 % 2 ? CAROM_ENGINE_DEEP : CAROM_ENGINE_WIDE;
        desc.ends_at_sensor = true;
        desc.last_tick = 9;
        OWNED(carom_scene) *scene = make_scene(&desc);
        OWNED(carom_worlds) *worlds = worlds_of(scene, k % 2 ? CAROM_F64 : CAROM_F32, isas[k / 4], 0, WORLDS);
        carom_step step = carom_step_default();
        read_field(worlds, "x", x);
        step.at_end = CAROM_FREEZE;
        step.ticks = 12;
        step.ends = ends[0];
        must(carom_worlds_play(worlds, &step), "play");
        for (int w = 0; w < WORLDS; w++) {
            const double way = 6 - x[w][0]; /* at 1 a tick, until the circle touches the line */
            const int tick = (int)ceil(way) - 1;
            for (int t = 0; t < 12 && fabs(way - round(way)) > 1e-4; t++)
                assert_int_equal(ends[t][w], tick <= 8 ? (t == tick ? CAROM_TERMINATED : 0)
                                             : t == 8  ? CAROM_TRUNCATED
                                                       : 0);
        }
    }
}

#define REFUSE(change, sentence)                                                                                       \
    do {                                                                                                               \
        carom_scene_desc bad = describe(CAROM_ENGINE_WIDE);                                                            \
        change;                                                                                                        \
        assert_int_equal(carom_scene_create(&bad, &scene, &problem), CAROM_ERROR_VALUE);                               \
        assert_string_equal(problem.text, sentence);                                                                   \
    } while (0)

TEST(test_bad)
{
    carom_scene *scene;
    carom_problem problem;
    REFUSE(bodies[0].x_spread = -1, "body 0: x_spread -1 is negative");
    REFUSE(bodies[0].y_spread = NAN, "body 0: y_spread is not a number");
    REFUSE(bodies[1].vx_spread = INFINITY, "body 1: vx_spread is infinite");
    REFUSE(bodies[0].x_spread = 41, "body 0: x -41 is outside the box, -40 to 40");
    REFUSE(bodies[2].y_spread = 38, "body 2: y 41 is outside the box, -40 to 40");
    REFUSE(bodies[2].mass = INFINITY; bodies[2].vx = 0;
           bodies[2].vx_spread = 1, "body 2: its mass is infinite, but it has a velocity");
    REFUSE(bad.box.horizontal = CAROM_SIDES_OPEN;
           bodies[0].x_spread = 2e9, "body 0: x_spread 2e+09 takes it further than 1.07374182e+09 from 0");
}
