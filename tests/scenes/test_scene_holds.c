/* SPDX-License-Identifier: MIT
 * Nothing passes through solids: thousands of short random scenes, in both precisions and both engines, and scenes of
 * past failures. A failing scene is named by its kind and seed; CAROM_TEST_SEED=n in the environment starts at seed n,
 * CAROM_TEST_SCENES=n plays n of each kind, CAROM_TEST_ONLY=test_... one of the tests.
 */
#include "scene_stage.h"

/* ---- a random scene, and its invariants ---- */

#define BODIES 8
#define CORNERS 6

typedef struct trial {
    carom_scene_desc desc;
    carom_scene_body bodies[BODIES];
    carom_scene_wall walls[CORNERS];
    carom_scene_polygon polygon;
    double x[CORNERS], y[CORNERS]; /* its corners */
    uint32_t corners;
    bool inside; /* bodies belong into the polygon, or the ring of walls */
    double dt;
    unsigned ticks;
} trial;

static void trial_begin(trial *t, unsigned bodies, double gravity, double radius, uint64_t *rng)
{
    memset(t, 0, sizeof *t);
    t->desc = carom_scene_desc_default();
    t->desc.bodies = t->bodies;
    t->desc.body_count = bodies;
    t->dt = 1.0 / 60;
    t->ticks = 90;
    for (unsigned k = 0; k < bodies; k++) {
        t->bodies[k] = body_at(0, 0, 0, 0, radius, rng_in(rng, 0.5, 2));
        t->bodies[k].restitution = rng_in(rng, 0, 1) < 0.5 ? 0 : rng_in(rng, 0, 0.9);
        t->bodies[k].ay = -gravity;
    }
    t->desc.contact_time = gravity > 0 ? t->dt / rng_in(rng, 1, 20) : 0;
    t->desc.max_events = 100000;
}

static void trial_closes(trial *t, bool walls)
{
    if (walls) {
        for (uint32_t k = 0; k < t->corners; k++) {
            const uint32_t next = (k + 1) % t->corners;
            const carom_scene_wall wall = {t->x[k], t->y[k], t->x[next], t->y[next], 1, false, false};
            t->walls[k] = wall;
        }
        t->desc.walls = t->walls;
        t->desc.wall_count = t->corners;
    } else {
        const carom_scene_polygon polygon = {t->x, t->y, t->corners, 1, false};
        t->polygon = polygon;
        t->desc.polygons = &t->polygon;
        t->desc.polygon_count = 1;
    }
}

/* A ramp, and a circle that falls on it or starts to roll. */
static void make_ramp(trial *t, double radius, double at, uint64_t *rng)
{
    const double angle = rng_in(rng, -0.5, 0.5) * rng_in(rng, 0, 1), long_x = 20 * cos(angle), long_y = 20 * sin(angle);
    const double x = rng_in(rng, -1, 1) * at, y = rng_in(rng, -1, 1) * at, along = rng_in(rng, -0.5, 0.5);
    trial_begin(t, 1, 9.81, radius, rng);
    const carom_scene_wall wall = {x - long_x, y - long_y, x + long_x, y + long_y, 1, rng_in(rng, 0, 1) < 0.3, false};
    t->walls[0] = wall;
    t->desc.walls = t->walls;
    t->desc.wall_count = 1;
    const double above = radius * 1.01 + rng_in(rng, 0, 1) * rng_in(rng, 0, 0.5) + at * 1e-5;
    t->bodies[0].x = x + along * long_x - above * sin(angle);
    t->bodies[0].y = y + along * long_y + above * cos(angle);
    t->bodies[0].vx = rng_in(rng, -1, 1) * rng_in(rng, 0, 2);
}

/* Corners on an ellipse, in order. */
static void make_corners(trial *t, double at, uint64_t *rng)
{
    const double x = rng_in(rng, -1, 1) * at, y = rng_in(rng, -1, 1) * at, turn = rng_in(rng, 0, 6.28);
    const double wide = rng_in(rng, 2, 8), high = rng_in(rng, 2, 8);
    t->corners = 3 + (uint32_t)rng_in(rng, 0, 3.999);
    for (uint32_t k = 0; k < t->corners; k++) {
        const double angle = turn + (k + rng_in(rng, 0, 0.5)) * 6.283185307 / t->corners;
        t->x[k] = x + wide * cos(angle);
        t->y[k] = y + high * sin(angle);
    }
    if (rng_in(rng, 0, 1) < 0.5) { /* reversed */
        for (uint32_t k = 0; k < t->corners / 2; k++) {
            const double cx = t->x[k], cy = t->y[k];
            t->x[k] = t->x[t->corners - 1 - k], t->y[k] = t->y[t->corners - 1 - k];
            t->x[t->corners - 1 - k] = cx, t->y[t->corners - 1 - k] = cy;
        }
    }
}

/* Circles within an outline, with gravity or without. */
static void make_room(trial *t, unsigned bodies, double gravity, double radius, double at, uint64_t *rng)
{
    trial_begin(t, bodies, gravity, radius, rng);
    make_corners(t, at, rng);
    trial_closes(t, rng_in(rng, 0, 1) < 0.5);
    t->inside = true;
    double x = 0, y = 0;
    for (uint32_t k = 0; k < t->corners; k++) {
        x += t->x[k] / t->corners, y += t->y[k] / t->corners;
    }
    for (unsigned k = 0; k < bodies; k++) {
        carom_scene_body *b = &t->bodies[k];
        b->x = x + (k % 3 - 1.0) * fmax(2.2 * radius, at * 1e-6),
        b->y = y + (k / 3 - 1.0) * fmax(2.2 * radius, at * 1e-6);
        b->vx = rng_in(rng, -10, 10), b->vy = rng_in(rng, -10, 10);
        b->restitution = gravity > 0 ? b->restitution : 1;
    }
}

/* A circle that falls on a polygon, or on the top of a fixed ball, which it leaves to a side in the end. */
static void make_hill(trial *t, double radius, bool round, double at, uint64_t *rng)
{
    trial_begin(t, round ? 2 : 1, 9.81, radius, rng);
    if (round) {
        const double r = rng_in(rng, 0.2, 5), angle = rng_in(rng, -0.3, 0.3) * (rng_in(rng, 0, 1) < 0.5);
        const double x = rng_in(rng, -1, 1) * at, y = rng_in(rng, -1, 1) * at, up = rng_in(rng, 0, 0.3) + at * 1e-5;
        carom_scene_body fixed = body_at(x, y, 0, 0, r, INFINITY);
        t->bodies[1] = fixed;
        t->bodies[0].x = x + (r + radius + up) * sin(angle);
        t->bodies[0].y = y + (r + radius + up) * cos(angle);
        return;
    }
    make_corners(t, at, rng);
    trial_closes(t, false);
    double high = -INFINITY, x = 0;
    for (uint32_t k = 0; k < t->corners; k++) {
        high = fmax(high, t->y[k]);
        x += t->x[k] / t->corners;
    }
    t->bodies[0].x = x + rng_in(rng, -1, 1);
    t->bodies[0].y = high + radius + rng_in(rng, 0.01, 1);
}

/* ---- what holds ---- */

/* How much an overlap may be by rounding. */
static double rounding(const trial *t, const scene_state *s, uint32_t k, carom_precision precision)
{
    double size = fabs(x_of(s, k)) + fabs(y_of(s, k)) + t->bodies[k].radius + 10;
    for (uint32_t w = 0; w < t->desc.wall_count; w++) {
        size = fmax(size, fabs(t->walls[w].ax) + fabs(t->walls[w].ay));
    }
    return 64 * size * (precision == CAROM_F32 ? 0x1p-23 : 0x1p-52);
}

static bool is_inside(const trial *t, double px, double py)
{
    bool inside = false;
    for (uint32_t i = 0, j = t->corners - 1; i < t->corners; j = i++) {
        if ((t->y[i] > py) != (t->y[j] > py) &&
            px < (t->x[j] - t->x[i]) * (py - t->y[i]) / (t->y[j] - t->y[i]) + t->x[i]) {
            inside = !inside;
        }
    }
    return inside;
}

/* The distance of (px, py) from the segment. */
static double distance(double px, double py, double ax, double ay, double bx, double by)
{
    const double ex = bx - ax, ey = by - ay, dx = px - ax, dy = py - ay;
    const double part = fmin(fmax((dx * ex + dy * ey) / (ex * ex + ey * ey), 0), 1);
    return hypot(dx - part * ex, dy - part * ey);
}

/* By how much a body is where it must not be: beyond a wall, or deeper in it than rounding. 0: all is well. */
static double trespass(const trial *t, const scene_state *s, carom_precision precision)
{
    double most = 0;
    for (uint32_t k = 0; k < t->desc.body_count; k++) {
        const carom_scene_body *b = &t->bodies[k];
        const double px = x_of(s, k), py = y_of(s, k), slack = rounding(t, s, k, precision);
        if (isinf(b->mass)) {
            continue;
        }
        double least = b->radius;
        if (t->corners != 0) {
            least = INFINITY;
            for (uint32_t e = 0; e < t->corners; e++) {
                const uint32_t next = (e + 1) % t->corners;
                least = fmin(least, distance(px, py, t->x[e], t->y[e], t->x[next], t->y[next]));
            }
            least = is_inside(t, px, py) == t->inside ? least : -least;
        } else if (t->desc.wall_count != 0) { /* a ramp, until it is left */
            const carom_scene_wall *w = t->walls;
            const double ex = w->bx - w->ax, ey = w->by - w->ay, length = hypot(ex, ey);
            const double along = ((px - w->ax) * ex + (py - w->ay) * ey) / length;
            if (along > 0 && along < length) {
                least = (ex * (py - w->ay) - ey * (px - w->ax)) / length;
                if (least < -1 && along > length * 0.99) { /* around the end */
                    least = b->radius;
                }
            }
        }
        most = fmax(most, b->radius - least - slack);
        for (uint32_t j = 0; j < t->desc.body_count; j++) {
            const double d = hypot(px - x_of(s, j), py - y_of(s, j));
            most = j == k ? most : fmax(most, b->radius + t->bodies[j].radius - d - slack);
        }
    }
    return most;
}

/* ---- kinds ---- */

enum { RAMP, HILL, BALL, BED, ROOM, POINTS, POINTS_FALL, DUST, KINDS };
static const char *const kind_names[] = {"ramp", "hill", "ball", "bed", "room", "points", "points fall", "dust"};

static void make_trial(trial *t, int kind, uint64_t seed)
{
    uint64_t rng = seed * 16 + (uint64_t)kind;
    const double at = rng_in(&rng, 0, 1) < 0.3 ? 0 : pow(10, rng_in(&rng, 0, 3)),
                 radius = pow(10, rng_in(&rng, -1.5, 0));
    if (kind == RAMP) {
        make_ramp(t, radius, at, &rng);
    } else if (kind == HILL || kind == BALL) {
        make_hill(t, radius, kind == BALL, at, &rng);
    } else if (kind == BED || kind == ROOM) {
        make_room(t, kind == BED ? 1 + (unsigned)rng_in(&rng, 0, 3) : 1 + (unsigned)rng_in(&rng, 0, 7.9),
                  kind == BED ? 9.81 : 0, fmin(radius, 0.2), at, &rng);
    } else if (kind == POINTS || kind == POINTS_FALL) {
        make_room(t, 1, kind == POINTS ? 0 : 9.81, rng_in(&rng, 0, 1) < 0.5 ? 0 : pow(10, rng_in(&rng, -20, -6)), at,
                  &rng);
    } else { /* little circles far out, of which each is moved to every impact */
        make_room(t, 4, 0, pow(10, rng_in(&rng, -2, -0.5)), 50000, &rng);
        t->desc.advance = CAROM_ADVANCE_ALL;
    }
    if (kind != DUST && rng_in(&rng, 0, 1) < 0.25) {
        t->desc.advance = CAROM_ADVANCE_ALL;
    }
}

/* Plays one; true if nothing got through. pushes: from which seed on the bodies are pushed, otherwise every 20 ticks;
 * NULL: they are not. */
static bool holds(const trial *t, int engine, carom_precision precision, const uint64_t *pushes, unsigned *faults)
{
    OWNED(stage) s = stage_of(&t->desc, engine, precision);
    float push[BODIES][2];
    uint64_t rng = pushes != NULL ? *pushes : 0;
    bool sound = true;
    const bool apart = trespass(t, &s.state, precision) <= 0;
    for (unsigned tick = 0; apart && sound && tick < t->ticks; tick++) {
        for (uint32_t k = 0; pushes != NULL && tick % 20 == 0 && k < t->desc.body_count; k++) {
            push[k][0] = (float)rng_in(&rng, -1.5, 1.5), push[k][1] = (float)rng_in(&rng, -1.5, 1.5);
        }
        PLAY(s.worlds, .dt = t->dt, .actions = pushes != NULL ? push : NULL);
        if (carom_worlds_faults(s.worlds, NULL) != 0) {
            (*faults)++;
            break;
        }
        scene_get(s.worlds, 0, &s.state);
        const double depth = trespass(t, &s.state, precision);
        sound = depth <= 0;
        if (!sound && getenv("CAROM_TEST_SEED") != NULL) {
            print_message("tick %u: %g too deep, at %.9g %.9g\n", tick, depth, x_of(&s.state, 0), y_of(&s.state, 0));
        }
    }
    return sound;
}

static uint64_t from_environment(const char *name, uint64_t otherwise)
{
    const char *text = getenv(name);
    return text != NULL ? strtoull(text, NULL, 10) : otherwise;
}

TEST(test_nothing_gets_through)
{
    const uint64_t first = from_environment("CAROM_TEST_SEED", 1);
    const uint64_t count = from_environment("CAROM_TEST_SCENES", (uint64_t)unless_short(400, 40));
    unsigned leaks = 0;
    for (int kind = 0; kind < KINDS; kind++) {
        for (int precision = CAROM_F32; precision <= CAROM_F64; precision += CAROM_F64 - CAROM_F32) {
            unsigned leaked = 0, faults = 0;
            for (uint64_t seed = first; seed < first + count; seed++) {
                trial t;
                make_trial(&t, kind, seed);
                for (int engine = CAROM_ENGINE_WIDE; engine <= CAROM_ENGINE_DEEP; engine++) {
                    if (!holds(&t, engine, (carom_precision)precision, NULL, &faults) && leaked++ < 3) {
                        print_message("%s, seed %" PRIu64 ", engine %d: it leaks\n", kind_names[kind], seed, engine);
                    }
                }
            }
            print_message("%s, %s: seeds %" PRIu64 " to %" PRIu64 ": %u leaks, %u faults\n", kind_names[kind],
                          precision == CAROM_F32 ? "f32" : "f64", first, first + count - 1, leaked, faults);
            leaks += leaked;
            assert_true(faults * 50 <= 2 * count);
        }
    }
    assert_int_equal(leaks, 0);
}

/* ---- slow bodies that are pushed ---- */

/* In a room within a box, pushed to and fro, at speeds of a hundredth of their radius to a hundred radii in a tick. */
static void make_pushed(trial *t, uint64_t seed)
{
    uint64_t rng = seed * 16 + KINDS;
    const double at = rng_in(&rng, 0, 1) < 0.5 ? 0 : pow(10, rng_in(&rng, 0, 2)), radius = rng_in(&rng, 0.05, 0.2);
    const unsigned bodies = 1 + (unsigned)rng_in(&rng, 0, 3.9);
    make_room(t, bodies, 0, radius, at, &rng);
    const double speed = radius * pow(10, rng_in(&rng, -2, 2));
    const double step = speed * pow(10, rng_in(&rng, -2, 0)); /* a push */
    for (unsigned k = 0; k < bodies; k++) {
        t->bodies[k].vx = t->bodies[k].vy = 0;
        t->bodies[k].slow = t->bodies[k].acts = true;
        t->bodies[k].restitution = rng_in(&rng, 0, 1) < 0.3 ? 0 : rng_in(&rng, 0, 1);
        t->bodies[k].damping = rng_in(&rng, 0, 0.1);
        t->bodies[k].mass = 1;
    }
    for (uint32_t k = 0; k < t->desc.wall_count; k++) {
        t->walls[k].restitution = rng_in(&rng, 0, 1);
    }
    t->polygon.restitution = rng_in(&rng, 0, 1);
    const carom_scene_box box = {t->x[0] - 30,      t->y[0] - 30,      t->x[0] + 30, t->y[0] + 30,
                                 CAROM_SIDES_SOLID, CAROM_SIDES_SOLID, 0.5};
    t->desc.box = box;
    t->desc.speed_limit = speed;
    t->desc.action_scale = step;
    t->dt = 1;
    t->ticks = 10000;
}

TEST(test_slow_bodies_hold)
{
    const uint64_t first = from_environment("CAROM_TEST_SEED", 1);
    const uint64_t count = from_environment("CAROM_TEST_SCENES", (uint64_t)unless_short(16, 5));
    unsigned leaked = 0, faults = 0;
    for (uint64_t seed = first; seed < first + count; seed++) {
        trial t;
        make_pushed(&t, seed);
        for (int k = 0; k < 4; k++) {
            const int engine = k % 2 == 0 ? CAROM_ENGINE_WIDE : CAROM_ENGINE_DEEP;
            const carom_precision precision = k / 2 == 0 ? CAROM_F32 : CAROM_F64;
            if (!holds(&t, engine, precision, &seed, &faults) && leaked++ < 8) {
                print_message("pushed, seed %" PRIu64 ", engine %d, f%d: it leaks\n", seed, engine, 32 + 32 * (k / 2));
            }
        }
    }
    print_message("%u of %u worlds have a fault\n", faults, 4 * (unsigned)count);
    assert_int_equal(leaked, 0);
    assert_true(10 * faults <= 4 * count); /* wedged bodies may collide forever */
}

/* A disc that is pushed to a wall between it and a side. */
TEST(test_slow_body_at_a_wall)
{
    const carom_scene_wall wall = {370, -170, 370, 170, 1, false, false};
    carom_scene_body disc = body_at(277.5, 0, 0, 0, 15, 2);
    disc.restitution = 0.5, disc.damping = 0.04, disc.slow = disc.acts = true;
    carom_scene_desc d = carom_scene_desc_default();
    const carom_scene_box box = {-400, -170, 400, 170, CAROM_SIDES_SOLID, CAROM_SIDES_SOLID, 0.6};
    d.bodies = &disc, d.body_count = 1;
    d.walls = &wall, d.wall_count = 1;
    d.box = box;
    d.action_scale = 0.2;
    const float push[2] = {1, 1};
    for (int k = 0; k < 8; k++) {
        d.contact_time = k / 4 == 0 ? 0 : 0.1;
        const carom_precision precision = k / 2 % 2 == 0 ? CAROM_F32 : CAROM_F64;
        OWNED(stage) s = stage_of(&d, k % 2 == 0 ? CAROM_ENGINE_WIDE : CAROM_ENGINE_DEEP, precision);
        for (int tick = 0; tick < 10000; tick++) {
            PLAY(s.worlds, .actions = push);
            assert_int_equal(carom_worlds_faults(s.worlds, NULL), 0);
            scene_get(s.worlds, 0, &s.state);
            assert_true(x_of(&s.state, 0) < 355 + (k / 2 % 2 == 0 ? 0x1p-18 : 0x1p-47) * 1000);
        }
        assert_true(x_of(&s.state, 0) > 354.9 && y_of(&s.state, 0) > 154.9);
    }
}

/* ---- what once got through ---- */

/* A body on a floor, as the last of `ticks` leaves it. */
static double height_at_rest(const carom_scene_desc *desc, int engine, carom_precision precision, size_t ticks)
{
    OWNED(stage) s = stage_of(desc, engine, precision);
    play(&s, desc->dt, ticks);
    const double y = y_of(&s.state, 0);
    return y;
}

/* It stays on the floor, or above it by no more than the cushion of a settled body ("Settling" in carom/scene.h). */
TEST(test_rest_on_a_floor)
{
    const carom_scene_wall floor = {-20, 3, 20, 3, 1, false, false};
    carom_scene_body bodies[2] = {body_at(0, 6, 0, 0, 0.363, 1), body_at(0, 2, 0, 0, 1, INFINITY)};
    bodies[0].restitution = 0;
    bodies[0].ay = -9.81;
    for (int engine = CAROM_ENGINE_WIDE; engine <= CAROM_ENGINE_DEEP; engine++) {
        for (int precision = CAROM_F32; precision <= CAROM_F64; precision += CAROM_F64 - CAROM_F32) {
            const double z = 32 * ldexp(6 + 23, precision == CAROM_F32 ? -23 : -52); /* the wall's size is 23 */
            const double cushion = fmax(ldexp(0.363, precision == CAROM_F32 ? -13 : -17), 2 * z);
            for (int ball = 0; ball < 2; ball++) {
                carom_scene_desc d = carom_scene_desc_default();
                d.bodies = bodies;
                d.body_count = 1 + (uint32_t)ball;
                d.walls = &floor;
                d.wall_count = 1 - (uint32_t)ball;
                d.dt = 0.0166666666;
                d.contact_time = 0.000333;
                for (size_t ticks = 50; ticks <= 600; ticks += 275) {
                    const double height = height_at_rest(&d, engine, (carom_precision)precision, ticks);
                    assert_true(fabs(height - 3.363) < 1.5 * cushion);
                }
            }
        }
    }
}

/* Bodies that overlap at the start separate, and get no deeper. */
TEST(test_overlap_at_the_start)
{
    const carom_scene_wall floor = {-20, 0, 20, 0, 1, false, false};
    const double x[] = {-20, 20, 20, -20}, y[] = {-5, -5, 0, 0};
    const carom_scene_polygon block = {x, y, 4, 1, false};
    carom_scene_body bodies[2] = {body_at(0, 0.999, 0, 0, 1, 1), body_at(0, -3, 0, 0, 3, INFINITY)};
    bodies[0].restitution = 0;
    bodies[0].ay = -9.81;
    for (int engine = CAROM_ENGINE_WIDE; engine <= CAROM_ENGINE_DEEP; engine++) {
        for (int precision = CAROM_F32; precision <= CAROM_F64; precision += CAROM_F64 - CAROM_F32) {
            for (int what = 0; what < 4; what++) {
                carom_scene_desc d = carom_scene_desc_default();
                d.bodies = bodies;
                d.body_count = what == 2 ? 2 : 1;
                d.walls = &floor;
                d.wall_count = what == 0;
                d.polygons = &block;
                d.polygon_count = what == 1;
                const carom_scene_box box = {-20, 0, 20, 20, CAROM_SIDES_OPEN, CAROM_SIDES_SOLID, 1};
                d.box = what == 3 ? box : d.box;
                d.contact_time = 0.001;
                d.dt = 0.01;
                for (double depth = 0.0001; depth < 0.6; depth *= 5) {
                    bodies[0].y = 1 - depth;
                    double before = bodies[0].y;
                    OWNED(stage) s = stage_of(&d, engine, (carom_precision)precision);
                    for (int tick = 0; tick < 100; tick++) {
                        play(&s, d.dt, 1);
                        assert_true(y_of(&s.state, 0) > fmin(before, 1) - 1e-6);
                        before = y_of(&s.state, 0);
                    }
                    assert_true(fabs(before - 1) < 1e-5);
                }
            }
        }
    }
}

/* A point, or hardly more, moves from edge to edge forever. */
TEST(test_points_stay_inside)
{
    const double x[] = {0, 10, 9, 1}, y[] = {0, 1, 8, 9};
    const carom_scene_polygon room = {x, y, 4, 1, false};
    carom_scene_body body = body_at(5, 5, 3, 1.7, 0, 1);
    carom_scene_desc d = carom_scene_desc_default();
    d.bodies = &body;
    d.body_count = 1;
    d.polygons = &room;
    d.polygon_count = 1;
    d.max_events = 1000;
    for (int engine = CAROM_ENGINE_WIDE; engine <= CAROM_ENGINE_DEEP; engine++) {
        for (int precision = CAROM_F32; precision <= CAROM_F64; precision += CAROM_F64 - CAROM_F32) {
            for (int k = 0; k < 12; k++) {
                body.radius = k == 0 ? 0 : pow(10, -2 - k);
                body.vy = 1.7 + 0.1 * k;
                OWNED(stage) s = stage_of(&d, engine, (carom_precision)precision);
                play(&s, 1, 1000);
                assert_true(impacts_of(&s) > 200);
                assert_true(x_of(&s.state, 0) > 0 && x_of(&s.state, 0) < 10 && y_of(&s.state, 0) > 0 &&
                            y_of(&s.state, 0) < 9);
                assert_true(fabs(hypot(vx_of(&s.state, 0), vy_of(&s.state, 0)) / hypot(3, body.vy) - 1) < 1e-3);
            }
        }
    }
}

/* A circle that parts from a wall so slowly that one of its coordinates does not move, as it is rounded: by its
 * position it comes closer. Another body makes impacts all the time, to each of which all are moved. */
TEST(test_coordinates_that_stand_still)
{
    const carom_scene_wall walls[] = {{49990, -10, 50010, 10, 1, false, false},
                                      {50100, -5, 50100, 5, 1, false, false},
                                      {50101.5, -5, 50101.5, 5, 1, false, false}};
    carom_scene_body bodies[2] = {body_at(50000.25, 0, 1, 0.9, 0.16, 1), body_at(50100.75, 0, 1000, 0, 0.25, 1)};
    carom_scene_desc d = carom_scene_desc_default();
    d.bodies = bodies;
    d.body_count = 2;
    d.walls = walls;
    d.wall_count = 3;
    d.max_events = 10000;
    for (int engine = CAROM_ENGINE_WIDE; engine <= CAROM_ENGINE_DEEP; engine++) {
        for (int policy = CAROM_OWN_CLOCK; policy <= CAROM_ADVANCE_ALL; policy++) {
            d.advance = (carom_advance)policy;
            OWNED(stage) s = stage_of(&d, engine, CAROM_F32);
            for (int tick = 0; tick < 4000; tick++) {
                play(&s, 0.001, 1);
                const double x = x_of(&s.state, 0), y = y_of(&s.state, 0);
                assert_true(x - 50000 > y);
            }
            assert_true(impacts_of(&s) > 100);
        }
    }
}
