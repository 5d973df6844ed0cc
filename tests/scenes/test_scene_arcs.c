/* SPDX-License-Identifier: MIT
 * Walls that are arcs: impacts by hand, bodies that stay inside rings and round corners at any speed, roll around in
 * arcs forever without loss, and come to rest in bowls. test_scene_engines.c compares both engines with the rule, bit
 * for bit.
 */
#include <inttypes.h>

#include "scene_batch.h"

enum { MOST = 64 };

static carom_scene_body bodies[MOST];
static carom_scene_arc arcs[MOST];
static carom_scene_wall walls[MOST];

/* Circles of radius r at rest around (0, 0), and arcs with restitution 1. */
static carom_scene_desc begin(uint32_t body_count, double r, uint32_t arc_count)
{
    carom_scene_desc d = carom_scene_desc_default();
    memset(arcs, 0, sizeof arcs);
    memset(walls, 0, sizeof walls);
    for (uint32_t k = 0; k < body_count; k++) {
        bodies[k] = body_at(0, 0, 0, 0, r, 1);
    }
    for (uint32_t k = 0; k < arc_count; k++) {
        arcs[k].radius = 1;
        arcs[k].restitution = 1;
    }
    d.bodies = bodies, d.body_count = body_count;
    d.arcs = arcs, d.arc_count = arc_count;
    d.walls = walls;
    return d;
}

typedef void play(carom_scene_desc desc, carom_precision precision);

/* In both engines and precisions. */
static void each(play *run, const carom_scene_desc *desc)
{
    for (int k = 0; k < 4; k++) {
        carom_scene_desc d = *desc;
        d.engine = k / 2 == 0 ? CAROM_ENGINE_WIDE : CAROM_ENGINE_DEEP;
        run(d, k % 2 == 0 ? CAROM_F32 : CAROM_F64);
    }
}

static scene_state state_of(const carom_worlds *worlds, uint32_t n)
{
    scene_state s = scene_state_new(n);
    scene_get(worlds, 0, &s);
    return s;
}

static double number(const scene_state *s, int which, uint32_t body)
{
    return s->number[(uint32_t)which * s->n + body];
}

static double length_of(const scene_state *s, int which, uint32_t body)
{
    return hypot(number(s, which, body), number(s, which + 1, body));
}

/* ---- by hand ---- */

static void play_by_hand(carom_scene_desc desc, carom_precision precision)
{
    OWNED(carom_scene) *scene = make_scene(&desc);
    OWNED(carom_worlds) *worlds = scene_worlds(scene, 1, precision, CAROM_ISA_SCALAR, 1);
    carom_event events[8];
    uint32_t count = 0;
    PLAY(worlds, .dt = 3, .events = events, .event_capacity = 8, .event_counts = &count);
    assert_int_equal(count, 4);

    /* Body 0 from inside, after 1; then body 1 from outside, body 2 on an end; body 0 again, on the other side. */
    const struct {
        double time, nx, ny, x, y;
        uint32_t first, second, part;
    } want[] = {{1, -1, 0, 2, 0, 0, 0, 3},
                {1.25, 0, 1, 10, 2, 1, 1, 0},
                {1.5, 0, -1, 22, 0, 2, 2, 1},
                {3, 1, 0, -2, 0, 0, 0, 3}};
    for (int k = 0; k < 4; k++) {
        const carom_event *e = &events[k];
        assert_int_equal(e->kind, CAROM_IMPACT_ARC);
        assert_true(e->first == want[k].first && e->second == want[k].second && e->part == want[k].part);
        assert_true(fabs((1 - e->left) * 3 - want[k].time) < 1e-5);
        assert_true(fabs(e->nx - want[k].nx) < 1e-6 && fabs(e->ny - want[k].ny) < 1e-6);
        assert_true(fabs(e->x - want[k].x) < 1e-5 && fabs(e->y - want[k].y) < 1e-5);
    }
}

TEST(test_by_hand)
{
    carom_scene_desc d = begin(3, 1, 3);
    bodies[0].vx = 1;
    bodies[1].x = 10, bodies[1].y = 5.5, bodies[1].vy = -2;
    bodies[2].x = 22, bodies[2].y = -2.5, bodies[2].vy = 1;
    arcs[0].radius = arcs[1].radius = arcs[2].radius = 2;
    arcs[1].x = 10, arcs[1].ax = 11, arcs[1].bx = 9;
    arcs[2].x = 20, arcs[2].ax = 21, arcs[2].bx = 19;
    bodies[0].vx = 1;
    d.dt = 3;
    /* from 1 on body 0 moves back at the same speed: 2 units to the other side */
    each(play_by_hand, &d);
}

/* Rules count what meets an arc; those that let bodies pass, sensors and one side are as for walls. */
TEST(test_rules_and_sides)
{
    carom_scene_desc d = begin(4, 0.5, 2);
    carom_scene_rule rule = carom_scene_rule_default();
    rule.kind = CAROM_RULE_MEETS_ARC, rule.which = 0, rule.reward = 2, rule.to = 0;
    d.rules = &rule, d.rule_count = 1;
    arcs[0].radius = arcs[1].radius = 2;
    arcs[1].x = 20, arcs[1].sides = CAROM_ARC_WITHIN, arcs[1].mask = 1;
    bodies[0].vx = 2, bodies[0].acts = true;
    bodies[1].x = 15, bodies[1].vx = 2; /* through the open side, then kept */
    bodies[2].x = 20.5, bodies[2].y = 3, bodies[2].vy = -2, bodies[2].category = 2; /* is no body of the mask */
    bodies[3].x = 20, bodies[3].y = 5, bodies[3].vy = -1, bodies[3].sensor = true;
    for (uint32_t k = 0; k < 4; k++) {
        bodies[k].mask = 8; /* they do not collide */
    }
    rule.body = 0;
    for (int engine = 0; engine < 2; engine++) {
        d.engine = engine == 0 ? CAROM_ENGINE_WIDE : CAROM_ENGINE_DEEP;
        OWNED(carom_scene) *scene = make_scene(&d);
        OWNED(carom_worlds) *worlds = scene_worlds(scene, 1, CAROM_F64, CAROM_ISA_SCALAR, 1);
        for (int tick = 0; tick < 40; tick++) {
            PLAY(worlds, .dt = 1);
        }
        OWNED(scene_state) s = state_of(worlds, 4);
        assert_true(hypot(number(&s, 0, 1) - 20, number(&s, 1, 1)) < 1.5 + 1e-9);
        assert_true(number(&s, 1, 2) == 3 - 80.); /* it went through */
        assert_true(length_of(&s, 0, 0) < 1.5 + 1e-9 && length_of(&s, 2, 0) == 2);
        assert_true(carom_worlds_counters(worlds).goals >= 1); /* the sensor, from inside */
        assert_true(fabs(number(&s, 1, 3) - (5 - 40.)) < 1e-9);
    }
}

/* ---- they stay where they are ---- */

/* A ring and a stadium (two half circles joined by walls): at any speed nothing leaves, and elastic bodies conserve
 * their energy. */
static double excess(double x, double y, double half)
{
    return hypot(fmax(fabs(x) - half, 0), y);
}

static void play_within(carom_scene_desc desc, carom_precision precision)
{
    const double half = desc.wall_count > 0 ? 3 : 0, radius = arcs[0].radius;
    OWNED(carom_scene) *scene = make_scene(&desc);
    OWNED(carom_worlds) *worlds = scene_worlds(scene, 1, precision, CAROM_ISA_SCALAR, 1);
    OWNED(scene_state) before = state_of(worlds, desc.body_count);
    const bool falls = bodies[0].ay != 0;
    double start = 0, end = 0;
    for (int tick = 0; tick < unless_short(60, 20); tick++) {
        PLAY(worlds, .dt = desc.dt);
        OWNED(scene_state) s = state_of(worlds, desc.body_count);
        for (uint32_t k = 0; k < desc.body_count; k++) {
            const double out = excess(number(&s, 0, k), number(&s, 1, k), half) - (radius - bodies[k].radius);
            if (!(out < (precision == CAROM_F32 ? 1e-3 : 1e-9) * radius)) {
                fail_msg("tick %d, body %u is %g beyond, f%d, engine %d", tick, k, out, (int)precision,
                         (int)desc.engine);
            }
        }
    }
    OWNED(scene_state) after = state_of(worlds, desc.body_count);
    for (uint32_t k = 0; k < desc.body_count; k++) {
        start += pow(length_of(&before, 2, k), 2) / 2 - bodies[k].ay * number(&before, 1, k);
        end += pow(length_of(&after, 2, k), 2) / 2 - bodies[k].ay * number(&after, 1, k);
    }
    assert_true(falls ? end <= start * 1.001 : fabs(end - start) <= start * (precision == CAROM_F32 ? 1e-3 : 1e-11));
    assert_int_equal(carom_worlds_counters(worlds).faults, 0);
    assert_true(carom_worlds_counters(worlds).events > (falls ? 5 : 100));
}

static carom_scene_desc room(uint64_t seed, bool stadium, double speed, double ay)
{
    uint64_t random = seed;
    carom_scene_desc d = begin(24, 0.2, stadium ? 2 : 1);
    arcs[0].radius = arcs[1].radius = 2;
    if (stadium) {
        arcs[0].x = 3, arcs[0].ax = 3, arcs[0].ay = -1, arcs[0].bx = 3, arcs[0].by = 1;
        arcs[1].x = -3, arcs[1].ax = -3, arcs[1].ay = 1, arcs[1].bx = -3, arcs[1].by = -1;
        walls[0] = (carom_scene_wall){-3, 2, 3, 2, 1, false, false, 0, 0};
        walls[1] = (carom_scene_wall){-3, -2, 3, -2, 1, false, false, 0, 0};
        d.wall_count = 2;
    }
    for (uint32_t k = 0; k < d.body_count; k++) {
        bodies[k].x = (k % 5) * 0.5 - 1, bodies[k].y = (k / 5) * 0.5 - 1;
        bodies[k].vx = rng_in(&random, -speed, speed), bodies[k].vy = rng_in(&random, -speed, speed);
        bodies[k].ay = ay;
        bodies[k].restitution = ay != 0 ? 0.9 : 1;
    }
    d.dt = 0.5;
    d.contact_time = ay != 0 ? 1e-3 : 0;
    return d;
}

TEST(test_ring)
{
    carom_scene_desc d = room(1, false, 3, 0);
    each(play_within, &d);
}

TEST(test_stadium)
{
    carom_scene_desc d = room(2, true, 3, 0);
    each(play_within, &d);
    d = room(3, true, 40, 0);
    each(play_within, &d);
}

TEST(test_stadium_with_weight)
{
    carom_scene_desc d = room(4, true, 2, -3);
    d.body_count = 6;
    d.dt = 0.1;
    each(play_within, &d);
}

/* ---- rolling ---- */

/* Along the inside of a ring, at every restitution, at constant speed, forever: with a bounded number of impacts. */
static void play_rolling(carom_scene_desc desc, carom_precision precision)
{
    for (int e = 0; e < 3; e++) {
        arcs[0].restitution = e * 0.5;
        OWNED(carom_scene) *scene = make_scene(&desc);
        OWNED(carom_worlds) *worlds = scene_worlds(scene, 1, precision, CAROM_ISA_SCALAR, 1);
        for (int tick = 0; tick < 40; tick++) {
            PLAY(worlds, .dt = desc.dt);
        }
        OWNED(scene_state) s = state_of(worlds, 1);
        const double speed = length_of(&s, 2, 0), far = length_of(&s, 0, 0);
        const uint64_t events = carom_worlds_counters(worlds).events;
        if (!(fabs(speed - 1) < 1e-4 && fabs(far - 1.5) < 1e-3 && events > 400 && events < 20000)) {
            fail_msg("e %g, f%d, engine %d: speed %.9g at %.9g after %" PRIu64 " impacts", e * 0.5, (int)precision,
                     (int)desc.engine, speed, far, events);
        }
        assert_int_equal(carom_worlds_counters(worlds).faults, 0);
    }
}

TEST(test_rolling)
{
    carom_scene_desc d = begin(1, 0.5, 1);
    arcs[0].radius = 2;
    bodies[0].y = -1.5, bodies[0].vx = 1;
    d.dt = 0.25;
    each(play_rolling, &d);
}

/* ---- at rest ---- */

/* Dropped into a bowl, a ball comes to rest at the bottom, two balls next to each other; a tick has few impacts. */
static void play_bowl(carom_scene_desc desc, carom_precision precision)
{
    OWNED(carom_scene) *scene = make_scene(&desc);
    OWNED(carom_worlds) *worlds = scene_worlds(scene, 1, precision, CAROM_ISA_SCALAR, 1);
    uint64_t most = 0, before = 0;
    for (int tick = 0; tick < 1500; tick++) {
        PLAY(worlds, .dt = desc.dt);
        const uint64_t events = carom_worlds_counters(worlds).events;
        most = events - before > most ? events - before : most;
        before = events;
    }
    OWNED(scene_state) s = state_of(worlds, desc.body_count);
    for (uint32_t k = 0; k < desc.body_count; k++) {
        const double height = 2 - length_of(&s, 0, k), speed = length_of(&s, 2, k);
        if (!(fabs(height - 0.5) < 0.01 && speed < 0.2 && number(&s, 1, k) < -1.3)) {
            fail_msg("body %u, f%d, engine %d: at (%g, %g), speed %g, most events %" PRIu64, k, (int)precision,
                     (int)desc.engine, number(&s, 0, k), number(&s, 1, k), speed, most);
        }
    }
    assert_true(most < 600 && carom_worlds_counters(worlds).faults == 0);
}

TEST(test_bowl)
{
    for (uint32_t count = 1; count <= 2; count++) {
        carom_scene_desc d = begin(count, 0.5, 1);
        arcs[0].radius = 2, arcs[0].ax = -1, arcs[0].bx = 1; /* the lower half */
        for (uint32_t k = 0; k < count; k++) {
            bodies[k].x = k == 0 ? 0.3 : -0.9, bodies[k].ay = -10, bodies[k].restitution = 0.5, bodies[k].y = 0.5 * k;
            bodies[k].damping = 0.01;
        }
        d.dt = 0.02;
        each(play_bowl, &d);
    }
}

/* Slow bodies that a heavy one presses into a ring come to rest with small overlaps. */
static void play_slow(carom_scene_desc desc, carom_precision precision)
{
    OWNED(carom_scene) *scene = make_scene(&desc);
    OWNED(carom_worlds) *worlds = scene_worlds(scene, 1, precision, CAROM_ISA_SCALAR, 1);
    for (int tick = 0; tick < 200; tick++) {
        PLAY(worlds, .dt = desc.dt);
        OWNED(scene_state) s = state_of(worlds, desc.body_count);
        for (uint32_t k = 0; k < desc.body_count; k++) {
            const double out = length_of(&s, 0, k) - 1.5;
            if (!(out < (precision == CAROM_F32 ? 1e-3 : 1e-11))) {
                fail_msg("tick %d, body %u: %g, f%d, engine %d", tick, k, out, (int)precision, (int)desc.engine);
            }
        }
    }
    assert_true(carom_worlds_counters(worlds).events > 100);
}

TEST(test_slow)
{
    carom_scene_desc d = begin(3, 0.5, 1);
    arcs[0].radius = 2, arcs[0].restitution = 0.3;
    for (uint32_t k = 0; k < 3; k++) {
        bodies[k].slow = true, bodies[k].x = k - 1., bodies[k].vx = 0.3 + k, bodies[k].vy = 1 - 0.7 * k;
    }
    d.dt = 0.1;
    each(play_slow, &d);
}

/* ---- descriptions ---- */

static void refused(const carom_scene_desc *d, carom_status status, const char *text)
{
    carom_problem problem;
    carom_scene *scene = NULL;
    assert_int_equal(carom_scene_create(d, &scene, &problem), status);
    assert_string_equal(problem.text, text);
}

TEST(test_refused)
{
    carom_scene_desc d = begin(1, 1, 2);
    arcs[1].radius = 0;
    refused(&d, CAROM_ERROR_VALUE, "arc 1: radius 0 is not positive");
    arcs[1].radius = 2, arcs[1].ax = 1, arcs[1].bx = 2;
    refused(&d, CAROM_ERROR_VALUE, "arc 1: a and b are in the same direction from the centre");
    arcs[1].bx = 0;
    refused(&d, CAROM_ERROR_VALUE, "arc 1: a and b are in the same direction from the centre"); /* b is the centre */
    arcs[1].bx = -1, arcs[1].sides = (carom_arc_sides)3;
    refused(&d, CAROM_ERROR_ARGUMENT, "arc 1: there are no sides 3");
    arcs[1].sides = CAROM_ARC_BOTH, arcs[1].restitution = 2;
    carom_scene *scene = NULL;
    assert_int_equal(carom_scene_create(&d, &scene, NULL), CAROM_ERROR_VALUE);
    arcs[1].restitution = 1;
    carom_scene_rule rule = carom_scene_rule_default();
    rule.kind = CAROM_RULE_MEETS_ARC, rule.which = 2;
    bodies[0].acts = true;
    d.rules = &rule, d.rule_count = 1;
    refused(&d, CAROM_ERROR_ARGUMENT, "rule 0: there is no arc 2");
    d.arcs = NULL;
    assert_int_equal(carom_scene_create(&d, &scene, NULL), CAROM_ERROR_ARGUMENT);
}

/* A saved world is that of a scene with the same arcs only. */
TEST(test_hash)
{
    carom_scene_desc d = begin(1, 0.1, 1);
    OWNED(carom_scene) *scene = make_scene(&d);
    OWNED(carom_worlds) *worlds = scene_worlds(scene, 1, CAROM_F64, CAROM_ISA_SCALAR, 1);
    const size_t bytes = carom_worlds_save_size(worlds);
    FREED void *saved = take(bytes);
    OK(carom_worlds_save(worlds, saved, bytes));
    for (int change = 0; change < 4; change++) {
        d = begin(1, 0.1, 1);
        arcs[0].radius = change == 0 ? 2 : 1;
        arcs[0].by = change == 1 ? -1 : 0, arcs[0].ay = change == 1 ? 1 : 0;
        arcs[0].sides = change == 2 ? CAROM_ARC_WITHIN : CAROM_ARC_BOTH;
        OWNED(carom_scene) *other = make_scene(&d);
        OWNED(carom_worlds) *to = scene_worlds(other, 1, CAROM_F64, CAROM_ISA_SCALAR, 1);
        assert_int_equal(carom_worlds_load(to, saved, bytes) == CAROM_OK, change == 3);
    }
}

TEST(test_json)
{
    static const char text[] =
        "{\"bodies\": [{\"radius\": 0.1}], \"arcs\": [{\"at\": [1, 2], \"radius\": 3, \"a\": [4, 5], \"b\": [-1, 0.5],"
        " \"restitution\": 0.25, \"sides\": \"without\", \"sensor\": true, \"category\": 6, \"mask\": 7}, {\"radius\": "
        "1}],"
        " \"rules\": [{\"kind\": \"meets_arc\", \"which\": 1, \"body\": 0, \"ends\": true}]}";
    carom_scene *scene = NULL;
    const carom_status status = carom_scene_read_json(text, sizeof text - 1, &scene, NULL);
    if (status == CAROM_ERROR_UNSUPPORTED) {
        skip();
    }
    OK(status);
    for (int time = 0; time < 2; time++) {
        const carom_scene_desc *d = carom_scene_describe(scene);
        const carom_scene_arc *a = d->arcs;
        assert_int_equal(d->arc_count, 2);
        assert_true(a->x == 1 && a->y == 2 && a->radius == 3 && a->ax == 4 && a->ay == 5 && a->bx == -1 &&
                    a->by == 0.5);
        assert_true(a->restitution == 0.25 && a->sides == CAROM_ARC_WITHOUT && a->sensor && a->category == 6 &&
                    a->mask == 7);
        assert_true(a[1].radius == 1 && a[1].restitution == 1 && a[1].sides == CAROM_ARC_BOTH &&
                    d->rules[0].which == 1);
        char *written = NULL;
        OK(carom_scene_write_json(scene, &written));
        carom_scene_destroy(scene);
        OK(carom_scene_read_json(written, strlen(written), &scene, NULL));
        carom_text_free(written);
    }
    carom_scene_destroy(scene);
}
