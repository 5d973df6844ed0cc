/* SPDX-License-Identifier: MIT
 * The wide engine: cases by hand with known answers, in every lane; and crowded worlds of all sorts, with the same bits
 * on every instruction set and at every index of the batch.
 */
#include "scenes/scenes.h"

#include "test.h"

#define MOST 80 /* bodies of a scene here */
#define PLACES 18
#define EVENTS 512

typedef struct stage {
    carom_scene_desc desc;
    carom_scene_body bodies[MOST];
    carom_scene_wall walls[8];
    carom_scene_polygon polygons[2];
} stage;

static stage stage_of(uint32_t bodies)
{
    stage s;
    memset(&s, 0, sizeof s);
    s.desc = carom_scene_desc_default();
    s.desc.body_count = bodies;
    s.desc.engine = CAROM_ENGINE_WIDE;
    for (uint32_t i = 0; i < MOST; i++) {
        s.bodies[i] = carom_scene_body_default();
        s.bodies[i].x = 10.0 * i;
    }
    return s;
}

static void place(stage *s, uint32_t body, double x, double y, double vx, double vy)
{
    s->bodies[body].x = x, s->bodies[body].y = y, s->bodies[body].vx = vx, s->bodies[body].vy = vy;
}

static void box(stage *s, double x0, double y0, double x1, double y1, carom_scene_sides sides)
{
    s->desc.box.x0 = x0, s->desc.box.y0 = y0, s->desc.box.x1 = x1, s->desc.box.y1 = y1;
    s->desc.box.horizontal = s->desc.box.vertical = sides;
    s->desc.box.restitution = 1;
}

static void wall(stage *s, double ax, double ay, double bx, double by, bool one_sided, bool sensor)
{
    const carom_scene_wall w = {ax, ay, bx, by, 1, one_sided, sensor};
    s->walls[s->desc.wall_count++] = w;
}

static carom_scene *freeze(stage *s)
{
    s->desc.bodies = s->bodies;
    s->desc.walls = s->walls;
    s->desc.polygons = s->polygons;
    carom_scene *scene = make_scene(&s->desc);
    return scene;
}

static carom_worlds *batch(const carom_scene *scene, size_t count, carom_isa isa, carom_precision precision)
{
    carom_worlds_desc desc = carom_worlds_desc_default(carom_scene_game(scene));
    desc.count = count, desc.isa = isa, desc.precision = precision, desc.threads = 1;
    carom_worlds *worlds = make_worlds(&desc);
    return worlds;
}

/* Reals of one world as doubles, and back. */
static void get(const carom_worlds *worlds, const char *name, size_t world, uint32_t count, double *values)
{
    float narrow[MOST];
    const size_t field = field_index(worlds, name);
    if (carom_worlds_describe(worlds).precision == CAROM_F64) {
        assert_int_equal(carom_worlds_get(worlds, field, world, 1, values), CAROM_OK);
        return;
    }
    assert_int_equal(carom_worlds_get(worlds, field, world, 1, narrow), CAROM_OK);
    for (uint32_t i = 0; i < count; i++) {
        values[i] = (double)narrow[i];
    }
}

static void set(carom_worlds *worlds, const char *name, size_t world, uint32_t count, const double *values)
{
    float narrow[MOST];
    const size_t field = field_index(worlds, name);
    for (uint32_t i = 0; i < count; i++) {
        narrow[i] = (float)values[i];
    }
    const void *from =
        carom_worlds_describe(worlds).precision == CAROM_F64 ? (const void *)values : (const void *)narrow;
    assert_int_equal(carom_worlds_set(worlds, field, world, 1, from), CAROM_OK);
}

/* ---- hand cases ---- */

typedef struct outcome {
    double x[MOST], y[MOST], vx[MOST], vy[MOST];
    carom_event events[EVENTS]; /* of the last tick */
    uint32_t event_count;
    unsigned faults;
} outcome;

static bool same_events(const outcome *a, const outcome *b)
{
    for (uint32_t i = 0; i < a->event_count && i < EVENTS; i++) {
        const carom_event *p = &a->events[i], *q = &b->events[i];
        if (p->left != q->left || p->first != q->first || p->second != q->second || p->part != q->part ||
            p->kind != q->kind || p->x != q->x || p->y != q->y || p->nx != q->nx || p->ny != q->ny ||
            p->impulse != q->impulse) {
            return false;
        }
    }
    return a->event_count == b->event_count && a->faults == b->faults;
}

static bool same_motion(const outcome *a, const outcome *b, uint32_t n)
{
    return memcmp(a->x, b->x, n * sizeof(double)) == 0 && memcmp(a->y, b->y, n * sizeof(double)) == 0 &&
           memcmp(a->vx, b->vx, n * sizeof(double)) == 0 && memcmp(a->vy, b->vy, n * sizeof(double)) == 0;
}

/* The world of the scene at `at`, among others with bodies at rest. */
static outcome play_at(const carom_scene *scene, carom_isa isa, carom_precision precision, size_t at, double dt,
                       size_t ticks)
{
    static carom_event events[PLACES * EVENTS];
    static const double rest[MOST];
    const uint32_t n = carom_scene_describe(scene)->body_count;
    uint32_t counts[PLACES];
    outcome o;
    OWNED(carom_worlds) *worlds = batch(scene, PLACES, isa, precision);
    memset(&o, 0, sizeof o);
    for (size_t w = 0; w < PLACES; w++) {
        if (w != at) {
            set(worlds, "vx", w, n, rest);
            set(worlds, "vy", w, n, rest);
        }
    }
    carom_step step = STEP_WITH(.dt = dt, .events = events, .event_counts = counts, .event_capacity = EVENTS);
    for (size_t tick = 0; tick < ticks; tick++) {
        assert_int_equal(carom_worlds_play(worlds, &step), CAROM_OK);
        o.event_count = counts[at];
    }
    memcpy(o.events, events + at * EVENTS, sizeof o.events);
    get(worlds, "x", at, n, o.x), get(worlds, "y", at, n, o.y);
    get(worlds, "vx", at, n, o.vx), get(worlds, "vy", at, n, o.vy);
    carom_worlds_faults(worlds, &o.faults);
    return o;
}

/* On every instruction set and in every lane, which must agree; in f64 (the answer) and in f32. */
static outcome play(stage *s, double dt, size_t ticks)
{
    OWNED(carom_scene) *scene = freeze(s);
    outcome answer;
    for (int p = 0; p < 2; p++) {
        const carom_precision precision = p == 0 ? CAROM_F32 : CAROM_F64;
        answer = play_at(scene, CAROM_ISA_SCALAR, precision, 0, dt, ticks);
        for (size_t k = 0; k < isa_count; k++) {
            for (size_t at = 0; at < PLACES; at++) {
                const outcome o = play_at(scene, isas[k], precision, at, dt, ticks);
                if (!same_motion(&o, &answer, s->desc.body_count) || !same_events(&o, &answer)) {
                    fail_msg("%s, f%d, place %zu differs from scalar", carom_isa_name(isas[k]), (int)precision, at);
                }
            }
        }
    }
    return answer;
}

static void near_to(double value, double expected)
{
    if (!(fabs(value - expected) <= 1e-12 * (1 + fabs(expected)))) {
        fail_msg("%.17g is not %.17g", value, expected);
    }
}

static void each_policy(void (*check)(carom_advance))
{
    check(CAROM_OWN_CLOCK);
    check(CAROM_ADVANCE_ALL);
}

#define CASE(name) TEST_BY(each_policy, name, carom_advance advance)

CASE(test_head_on)
{
    stage s = stage_of(2);
    s.desc.advance = advance;
    place(&s, 0, -5, 0, 4, 0);
    place(&s, 1, 5, 0, -4, 0);
    outcome o = play(&s, 2, 1); /* they meet at t = 1, at -1 and 1 */
    near_to(o.x[0], -5), near_to(o.x[1], 5), near_to(o.vx[0], -4), near_to(o.vx[1], 4);
    assert_int_equal(o.event_count, 1);
    near_to(o.events[0].left, 0.5), near_to(o.events[0].nx, -1), near_to(o.events[0].impulse, 8);
    near_to(o.events[0].x, 0), assert_int_equal(o.events[0].kind, CAROM_IMPACT_BODY);
    s.bodies[1].mass = 3; /* v1' = v1 - 2 m2 / (m1 + m2) (v1 - v2) = 4 - 1.5 * 8, v2' = -4 + 0.5 * 8 */
    o = play(&s, 2, 1);
    near_to(o.vx[0], -8), near_to(o.vx[1], 0), near_to(o.x[0], -9), near_to(o.x[1], 1);
    s.bodies[1].restitution = 0; /* both with the centre of mass: -2 */
    o = play(&s, 2, 1);
    near_to(o.vx[0], -2), near_to(o.vx[1], -2), near_to(o.x[0], -3), near_to(o.x[1], -1);
    s.bodies[1].mass = INFINITY, s.bodies[1].vx = 0; /* e = 0: it stops */
    o = play(&s, 3, 1);
    near_to(o.vx[0], 0), near_to(o.x[0], 3), near_to(o.x[1], 5);
}

CASE(test_cradle)
{
    stage s = stage_of(5);
    s.desc.advance = advance;
    for (uint32_t i = 0; i < 5; i++) {
        place(&s, i, i == 0 ? -10 : 2.0 * i, 0, i == 0 ? 2 : 0, 0);
    }
    const outcome o = play(&s, 10, 1); /* at t = 5 the first touches the second: the last continues with its speed */
    assert_int_equal(o.event_count, 4);
    for (uint32_t i = 0; i < 5; i++) {
        near_to(o.vx[i], i == 4 ? 2 : 0), near_to(o.x[i], i == 0 ? 0 : i == 4 ? 18 : 2.0 * i), near_to(o.y[i], 0);
    }
    for (uint32_t i = 0; i < 4; i++) {
        near_to(o.events[i].left, 0.5);
        assert_int_equal(o.events[i].first, i), assert_int_equal(o.events[i].second, i + 1);
    }
}

CASE(test_square)
{
    stage s = stage_of(1);
    s.desc.advance = advance;
    box(&s, 0, 0, 10, 6, CAROM_SIDES_SOLID); /* room for the centre: 8 x 4, periods 16 / 2 and 8 / 1 */
    place(&s, 0, 3, 2, 2, 1);
    outcome o = play(&s, 8, 1);
    near_to(o.x[0], 3), near_to(o.y[0], 2), near_to(o.vx[0], 2), near_to(o.vy[0], 1);
    assert_int_equal(o.event_count, 4);
    o = play(&s, 1, 8);
    near_to(o.x[0], 3), near_to(o.y[0], 2), near_to(o.vx[0], 2), near_to(o.vy[0], 1);
    place(&s, 0, 3, 3, 2, 2); /* to the upper right corner (9, 5) at once, right first */
    o = play(&s, 2, 1);
    near_to(o.x[0], 7), near_to(o.y[0], 5 - 2), near_to(o.vx[0], 2);
    s.bodies[0].x = 7;
    o = play(&s, 2, 1);
    near_to(o.x[0], 7), near_to(o.y[0], 3), near_to(o.vx[0], -2), near_to(o.vy[0], -2);
    assert_int_equal(o.event_count, 2);
    assert_int_equal(o.events[0].second, 1), assert_int_equal(o.events[1].second, 3);
    near_to(o.events[0].x, 10), near_to(o.events[0].y, 5), near_to(o.events[1].y, 6);
}

CASE(test_walls)
{
    stage s = stage_of(1);
    s.desc.advance = advance;
    wall(&s, 0, -2, 0, 2, false, false);
    place(&s, 0, -5, 1, 2, 0);
    outcome o = play(&s, 4, 1); /* touches x = 0 with its rim at t = 2 */
    near_to(o.x[0], -5), near_to(o.vx[0], -2), assert_int_equal(o.events[0].kind, CAROM_IMPACT_WALL);
    near_to(o.events[0].impulse, 4);
    place(&s, 0, -5, 2.6, 2, 0); /* the end (0, 2): height 0.6, so at x = -0.8, t = 2.1, with normal (-0.8, 0.6) */
    o = play(&s, 3.1, 1);
    assert_int_equal(o.event_count, 1), assert_int_equal(o.events[0].part, 2);
    near_to(o.events[0].nx, -0.8), near_to(o.events[0].ny, 0.6), near_to(o.events[0].x, 0), near_to(o.events[0].y, 2);
    near_to(o.vx[0], 2 - 2 * 1.6 * 0.8), near_to(o.vy[0], 2 * 1.6 * 0.6);
    place(&s, 0, -5, 3.5, 2, 0); /* passes it */
    o = play(&s, 5, 1);
    near_to(o.x[0], 5), assert_int_equal(o.event_count, 0);

    s.walls[0].one_sided = true; /* from (0, -2) to (0, 2): stops bodies to the left, at x < 0 */
    place(&s, 0, -5, 1, 2, 0);
    near_to(play(&s, 4, 1).x[0], -5);
    place(&s, 0, 5, 1, -2, 0);
    near_to(play(&s, 2.5, 1).x[0], 0);
    place(&s, 0, 5, 1, 2, 0);
    near_to(play(&s, 2.5, 1).x[0], 10);
}

CASE(test_sensors)
{
    stage s = stage_of(3);
    s.desc.advance = advance;
    place(&s, 0, -5, 0, 2, 0);
    place(&s, 1, 0, 0, 0, 0);
    place(&s, 2, 8, 0, 0, 0);
    s.bodies[1].sensor = true;
    wall(&s, 3, -2, 3, 2, false, true);
    const outcome o = play(&s, 7, 1); /* noticed at 1.5 and 3.5; body 2 is met at 5.5 */
    assert_int_equal(o.event_count, 3);
    near_to(o.x[0], 6), near_to(o.vx[0], 0), near_to(o.vx[2], 2), near_to(o.x[2], 11), near_to(o.x[1], 0);
    assert_int_equal(o.events[0].kind, CAROM_IMPACT_BODY), assert_int_equal(o.events[1].kind, CAROM_IMPACT_WALL);
    near_to(o.events[0].left * 7, 5.5), near_to(o.events[1].left * 7, 3.5), near_to(o.events[2].left * 7, 1.5);
    near_to(o.events[0].impulse, 0);
}

CASE(test_periodic)
{
    stage s = stage_of(1);
    s.desc.advance = advance;
    box(&s, 0, 0, 10, 6, CAROM_SIDES_PERIODIC);
    place(&s, 0, 3, 3, 2, -1);
    outcome o = play(&s, 30, 1);
    near_to(o.x[0], 3), near_to(o.y[0], 3), near_to(o.vx[0], 2), assert_int_equal(o.event_count, 0);
    s.desc.body_count = 2; /* 4 apart across the border, of which 2 are left between the rims; at (9.5, 3) at t = 0.5 */
    place(&s, 0, 1.5, 3, -2, 0);
    place(&s, 1, 7.5, 3, 2, 0);
    o = play(&s, 1, 1);
    assert_int_equal(o.event_count, 1);
    near_to(o.events[0].left, 0.5), near_to(o.events[0].nx, 1), near_to(o.vx[0], 2), near_to(o.vx[1], -2);
    near_to(o.x[0], 1.5), near_to(o.x[1], 7.5);
    place(&s, 0, 1.5, 5.5, 0, 1); /* and after one has crossed: 0.5 + 1 - 6 = -4.5 ... 3.5 below body 1, met at 2 */
    place(&s, 1, 1.5, 3, 0, 0);
    o = play(&s, 2, 1);
    assert_int_equal(o.event_count, 1);
    near_to(o.events[0].left, 0.25), near_to(o.y[0], 1), near_to(o.y[1], 3.5), near_to(o.vy[1], 1);
}

CASE(test_tunnelling)
{
    stage s = stage_of(1);
    s.desc.advance = advance;
    wall(&s, 0, -2, 0, 2, false, false);
    place(&s, 0, -5000, 0.5, 10000, 0);
    outcome o = play(&s, 1, 1);
    assert_int_equal(o.event_count, 1);
    near_to(o.vx[0], -10000), near_to(o.x[0], -1 - (10000 - 4999));
    stage t = stage_of(2); /* and another circle */
    t.desc.advance = advance;
    place(&t, 0, -5000, 0.25, 10000, 0);
    place(&t, 1, 0, 0, 0, 0);
    o = play(&t, 1, 1);
    assert_int_equal(o.event_count, 1);
    near_to(o.events[0].ny, 0.125);
}

/* A ball on the floor under gravity, and two on it; with e < 1 and contact_time. */
CASE(test_resting)
{
    stage s = stage_of(3);
    s.desc.advance = advance;
    s.desc.contact_time = 0.001;
    box(&s, -5, 0, 5, 20, CAROM_SIDES_SOLID);
    for (uint32_t i = 0; i < 3; i++) {
        place(&s, i, 0.01 * i, 1.2 + 2.1 * i, 0, 0);
        s.bodies[i].ay = -10, s.bodies[i].restitution = 0.5;
    }
    s.desc.max_events = 100000;
    OWNED(carom_scene) *scene = freeze(&s);
    OWNED(carom_worlds) *worlds = batch(scene, 1, CAROM_ISA_DEFAULT, CAROM_F64);
    assert_int_equal(carom_worlds_step(worlds, 0.02, 250), CAROM_OK);
    double y[MOST];
    get(worlds, "y", 0, 3, y);
    assert_int_equal(carom_worlds_faults(worlds, NULL), 0);
    assert_true(y[0] > 0.999 && y[0] < 1.2);
}

/* Inelastic bodies driven together. */
CASE(test_cluster)
{
    stage s = stage_of(12);
    s.desc.advance = advance;
    s.desc.contact_time = 0.001;
    s.desc.max_events = 100000;
    for (uint32_t i = 0; i < 12; i++) {
        const double x = 2.5 * (i % 4) - 3.75, y = 2.5 * (i / 4) - 2.5; /* falls towards the origin */
        place(&s, i, x, y, -x, -y);
        s.bodies[i].restitution = 0.1;
    }
    OWNED(carom_scene) *scene = freeze(&s);
    OWNED(carom_worlds) *worlds = batch(scene, 1, CAROM_ISA_DEFAULT, CAROM_F64);
    assert_int_equal(carom_worlds_step(worlds, 0.5, 10), CAROM_OK);
    assert_int_equal(carom_worlds_faults(worlds, NULL), 0);
}

/* More impacts than allowed: the world is as it was, the others continue. */
CASE(test_limit)
{
    stage s = stage_of(1);
    s.desc.advance = advance;
    s.desc.max_events = 4;
    box(&s, 0, 0, 10, 6, CAROM_SIDES_SOLID);
    place(&s, 0, 3, 2, 2, 1);
    outcome o = play(&s, 8, 1); /* four: allowed */
    assert_int_equal(o.faults, 0);
    near_to(o.x[0], 3);
    s.bodies[0].vx = 4;
    o = play(&s, 8, 1);
    assert_int_equal(o.faults, CAROM_FAULT_EVENTS);
    assert_true(o.x[0] == 3 && o.y[0] == 2 && o.vx[0] == 4 && o.vy[0] == 1);
    assert_int_equal(o.event_count, 4);
    s.desc.box.horizontal = s.desc.box.vertical = CAROM_SIDES_PERIODIC; /* crossings without end */
    s.bodies[0].vx = 1e30;
    o = play(&s, 8, 1);
    assert_int_equal(o.faults, CAROM_FAULT_EVENTS);
    assert_int_equal(o.event_count, 0);
    s.bodies[0].vx = 63 * 4 * 10 / 8.;
    assert_int_equal(play(&s, 8, 1).faults, 0);
    s.bodies[0].vx = 65 * 4 * 10 / 8.;
    assert_int_equal(play(&s, 8, 1).faults, CAROM_FAULT_EVENTS);
    s.desc.max_events = 0; /* an endless tick is detected after as many crossings as impacts */
    assert_int_equal(scene_max_crossings(&s.desc), scene_max_events(&s.desc));
    s.desc.max_events = UINT32_MAX;
    assert_int_equal(scene_max_crossings(&s.desc), UINT32_MAX);
}

/* Slow bodies meet as others do, and are stopped at any speed. */
TEST(test_slow)
{
    stage s = stage_of(2);
    place(&s, 0, -5, 0, 4, 0);
    place(&s, 1, 5, 0, -4, 0);
    s.bodies[0].slow = s.bodies[1].slow = true;
    outcome o = play(&s, 1.125, 1);
    near_to(o.vx[0], -4), near_to(o.x[0], -1.5), near_to(o.events[0].left * 1.125, 0.125);
    s.bodies[1].slow = false;
    o = play(&s, 2, 1);
    near_to(o.x[0], -5);
    stage w = stage_of(1);
    w.bodies[0].slow = true;
    wall(&w, 0, -2, 0, 2, false, false);
    place(&w, 0, -1.5, 1, 2, 0);
    o = play(&w, 0.5, 1);
    near_to(o.x[0], -1.5), near_to(o.vx[0], -2);
    o = play(&w, 100, 1);
    near_to(o.x[0], -200.5), near_to(o.vx[0], -2);
}

/* ---- crowded worlds ---- */

static uint64_t draws;

static double draw(double from, double to)
{
    draws = draws * 6364136223846793005u + 1442695040888963407u;
    return from + (to - from) * (double)(draws >> 11) / 9007199254740992.0;
}

enum { GAS, WALLS, KINDS, PERIODIC, FALLING, SLOW, INELASTIC, SORTS };

static const char *const sort_names[SORTS] = {"gas", "walls", "kinds", "periodic", "falling", "slow", "inelastic"};

static stage crowd(int sort, uint32_t n, carom_advance advance)
{
    static const double corner_x[2][6] = {{2, 4, 4, 3, 2, 2}, {7, 9, 8, 0, 0, 0}};
    static const double corner_y[2][6] = {{2, 2, 4, 3, 4, 3}, {2, 2, 4, 0, 0, 0}};
    stage s = stage_of(n);
    s.desc.advance = advance;
    s.desc.max_events = 4000;
    const double side = sqrt(n / 0.45) + 1;
    box(&s, 0, 0, side, side, sort == PERIODIC ? CAROM_SIDES_PERIODIC : CAROM_SIDES_SOLID);
    for (uint32_t i = 0; i < n; i++) {
        carom_scene_body *b = &s.bodies[i];
        const bool large = sort != GAS && i % 3 == 0;
        place(&s, i, draw(0.6, side - 0.6), draw(0.6, side - 0.6), draw(-1, 1), draw(-1, 1));
        b->radius = large ? 0.5 : 0.35, b->mass = large ? 2 : 1;
        b->restitution = sort == INELASTIC ? 0.2 : sort == FALLING ? 0.8 : 1;
        b->ax = sort == FALLING && i % 2 == 0 ? 0.25 : 0, b->ay = sort == FALLING ? -1 : 0;
        b->slow = sort == SLOW && i % 4 != 0;
        if (sort == KINDS || sort == SLOW) {
            b->category = 1u << i % 3, b->mask = i % 5 == 0 ? 3 : 7;
            b->sensor = i % 6 == 1;
        }
        if (sort == KINDS && i % 7 == 3) {
            b->mass = INFINITY, b->vx = b->vy = b->ax = b->ay = 0;
        }
    }
    if (sort == INELASTIC || sort == FALLING) {
        s.desc.contact_time = 0.002;
    }
    if (sort == WALLS || sort == SLOW || sort == FALLING) {
        wall(&s, 1, 1, side / 2, side / 2, false, false);
        wall(&s, 2, side - 1, side / 2, 1, true, false);
        wall(&s, 0, side / 2, side, side / 2, false, true);
        for (uint32_t k = 0; k < 2; k++) {
            const carom_scene_polygon p = {corner_x[k], corner_y[k], k == 0 ? 6 : 3, 0.9, k == 1 && sort == SLOW};
            s.polygons[s.desc.polygon_count++] = p;
        }
    }
    return s;
}

#define CROWDS 19

/* Every world gets its own positions and velocities; `shift`: world w equals world w + shift of a batch without
 * shift. */
static void scatter(carom_worlds *worlds, const stage *s, size_t shift)
{
    const uint32_t n = s->desc.body_count;
    double x[MOST], y[MOST], vx[MOST], vy[MOST];
    int8_t active[MOST];
    for (size_t w = 0; w < CROWDS; w++) {
        const size_t which = (w + shift) % CROWDS;
        draws = 77 + which;
        for (uint32_t i = 0; i < n; i++) {
            const bool fixed = isinf(s->bodies[i].mass);
            x[i] = draw(0.6, s->desc.box.x1 - 0.6), y[i] = draw(0.6, s->desc.box.y1 - 0.6);
            vx[i] = fixed ? 0 : draw(-1, 1), vy[i] = fixed ? 0 : draw(-1, 1);
            active[i] = which % 3 != 1 || i % 4 != 2;
        }
        set(worlds, "x", w, n, x), set(worlds, "y", w, n, y);
        set(worlds, "vx", w, n, vx), set(worlds, "vy", w, n, vy);
        assert_int_equal(carom_worlds_set(worlds, field_index(worlds, "active"), w, 1, active), CAROM_OK);
    }
}

static void play_crowd(stage *s, carom_isa isa, carom_precision precision, size_t shift, uint64_t *hashes,
                       uint64_t *events)
{
    OWNED(carom_scene) *scene = freeze(s);
    OWNED(carom_worlds) *worlds = batch(scene, CROWDS, isa, precision);
    scatter(worlds, s, shift);
    assert_int_equal(carom_worlds_step(worlds, 0.3, 3), CAROM_OK);
    assert_int_equal(carom_worlds_hash(worlds, 0, CROWDS, hashes), CAROM_OK);
    *events = carom_worlds_counters(worlds).events;
}

TEST(test_crowds)
{
    static const uint32_t sizes[] = {4, 17, 1, 2, 9, 16, 40};
    const size_t size_count = (size_t)unless_short(sizeof sizes / sizeof sizes[0], 2);
    for (int sort = 0; sort < SORTS; sort++) {
        uint64_t total = 0;
        for (size_t size = 0; size < size_count; size++) {
            for (int c = 0; c < 4; c++) {
                const carom_precision precision = c % 2 == 0 ? CAROM_F32 : CAROM_F64;
                const carom_advance advance = c / 2 == 0 ? CAROM_OWN_CLOCK : CAROM_ADVANCE_ALL;
                if (advance == CAROM_ADVANCE_ALL && (sort == SLOW || sizes[size] > 17)) {
                    continue;
                }
                if (sort == FALLING && sizes[size] > (uint32_t)unless_short(40, 4)) {
                    continue; /* quartics take long */
                }
                draws = (uint64_t)sort * 1000 + size;
                stage s = crowd(sort, sizes[size], advance);
                uint64_t expected[CROWDS], hashes[CROWDS], events, count;
                play_crowd(&s, CAROM_ISA_SCALAR, precision, 0, expected, &events);
                total += events;
                for (size_t k = 0; k < isa_count; k++) {
                    const size_t shift = k * 5 + 3;
                    play_crowd(&s, isas[k], precision, shift, hashes, &count);
                    for (size_t w = 0; w < CROWDS; w++) {
                        if (hashes[w] != expected[(w + shift) % CROWDS]) {
                            fail_msg("%s, %u bodies, %s, f%d, policy %d: world %zu differs", sort_names[sort],
                                     sizes[size], carom_isa_name(isas[k]), (int)precision, (int)advance, w);
                        }
                    }
                    assert_true(count == events);
                }
            }
        }
        print_message("%s: %llu impacts\n", sort_names[sort], (unsigned long long)total);
        assert_true(total > (uint64_t)unless_short(500, 50));
    }
}

/* A world is played alone as among others. */
TEST(test_alone)
{
    for (int sort = 0; sort < SORTS; sort++) {
        for (int precision = CAROM_F32; precision <= CAROM_F64; precision += CAROM_F64 - CAROM_F32) {
            draws = (uint64_t)sort;
            stage s = crowd(sort, 11, CAROM_OWN_CLOCK);
            OWNED(carom_scene) *scene = freeze(&s);
            OWNED(carom_worlds) *many = batch(scene, CROWDS, CAROM_ISA_DEFAULT, (carom_precision)precision);
            OWNED(carom_worlds) *two = batch(scene, 2, CAROM_ISA_DEFAULT, (carom_precision)precision);
            const size_t last[2] = {CROWDS - 2, CROWDS - 1};
            uint64_t expected[CROWDS], hashes[2];
            scatter(many, &s, 0);
            assert_int_equal(carom_worlds_copy(two, NULL, many, last, 2), CAROM_OK);
            assert_int_equal(carom_worlds_step(many, 0.3, 10), CAROM_OK);
            assert_int_equal(carom_worlds_step(two, 0.3, 10), CAROM_OK);
            assert_int_equal(carom_worlds_hash(many, 0, CROWDS, expected), CAROM_OK);
            assert_int_equal(carom_worlds_hash(two, 0, 2, hashes), CAROM_OK);
            assert_memory_equal(hashes, &expected[CROWDS - 2], sizeof hashes);
        }
    }
}
