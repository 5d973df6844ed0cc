/* SPDX-License-Identifier: MIT
 * Scenes with a known result: by hand, in closed form, or because two runs must agree. Nothing tunnels,
 * gets lost or hangs; batches, threads, forks and saves change no bit. CAROM_TEST_ONLY=test_... plays one of the tests.
 */
#include "scene_stage.h"

#include <fenv.h>

/* ---- known in closed form ---- */

/* A fixed target at the origin, and two that come from left and below: times, positions and velocities by hand. */
TEST(test_target_and_two)
{
    for (int engine = CAROM_ENGINE_WIDE; engine <= CAROM_ENGINE_DEEP; engine++) {
        for (int bits = 32; bits <= 64; bits += 32) {
            carom_scene_body bodies[3] = {body_at(0, 0, 0, 0, 1, INFINITY), body_at(-6, 0, 2, 0, 1, 2),
                                          body_at(0, -5, 0, 1, 1, 1)};
            carom_scene_desc d = carom_scene_desc_default();
            d.bodies = bodies, d.body_count = 3;
            stage s = stage_of(&d, engine, (carom_precision)bits);
            play(&s, 2.5, 1); /* the first has met it at 2, at -2, and goes back; the second meets it at 3 */
            assert_true(x_of(&s.state, 1) == -3 && vx_of(&s.state, 1) == -2 && y_of(&s.state, 2) == -2.5);
            play(&s, 1, 1);
            assert_true(y_of(&s.state, 2) == -2.5 && vy_of(&s.state, 2) == -1 && x_of(&s.state, 1) == -5);
            assert_true(x_of(&s.state, 0) == 0 && y_of(&s.state, 0) == 0 && vx_of(&s.state, 0) == 0);
            end_stage(&s);

            /* Both at once, from both sides: the lower pair first, the same end. */
            bodies[2] = body_at(6, 0, -2, 0, 1, 1);
            s = stage_of(&d, engine, (carom_precision)bits);
            play(&s, 3, 1);
            assert_true(x_of(&s.state, 1) == -4 && x_of(&s.state, 2) == 4 && vx_of(&s.state, 2) == 2);
            assert_int_equal(impacts_of(&s), 2);
            end_stage(&s);

            /* The target is free and between them: it passes the push on and is hit again. */
            bodies[0].mass = 2;
            bodies[2] = body_at(4, 0, 0, 0, 1, 2);
            s = stage_of(&d, engine, (carom_precision)bits);
            play(&s, 4, 1); /* 1 stops at -2 at 2, 0 runs from 0 to 2 until 3, 2 continues from 4 */
            assert_true(x_of(&s.state, 1) == -2 && x_of(&s.state, 0) == 2 && x_of(&s.state, 2) == 6);
            assert_true(vx_of(&s.state, 0) == 0 && vx_of(&s.state, 1) == 0 && vx_of(&s.state, 2) == 2);
            end_stage(&s);
        }
    }
}

/* Where a point is that runs to and fro between low and high. */
static double folded(double at, double low, double high)
{
    const double span = high - low, t = fmod(fmod(at - low, 2 * span) + 2 * span, 2 * span);
    return low + (t <= span ? t : 2 * span - t);
}

/* A square of sides, of walls, and of one polygon. */
TEST(test_disk_in_a_square)
{
    static const carom_scene_wall walls[] = {{-4, -4, 4, -4, 1, false, false},
                                             {4, -4, 4, 4, 1, true, false},
                                             {4, 4, -4, 4, 1, false, false},
                                             {-4, -4, -4, 4, 1, false, false}};
    static const double x[] = {-4, 4, 4, -4}, y[] = {-4, -4, 4, 4};
    static const carom_scene_polygon polygon = {x, y, 4, 1, false};
    for (int engine = CAROM_ENGINE_WIDE; engine <= CAROM_ENGINE_DEEP; engine++) {
        for (int kind = 0; kind < 3; kind++) {
            const carom_scene_body body = body_at(0.3, -0.7, 1.1, 2.3, 0.75, 1);
            carom_scene_desc d = carom_scene_desc_default();
            d.bodies = &body, d.body_count = 1;
            d.box.x0 = d.box.y0 = -4, d.box.x1 = d.box.y1 = 4, d.box.restitution = 1;
            d.box.horizontal = d.box.vertical = kind == 0 ? CAROM_SIDES_SOLID : CAROM_SIDES_OPEN;
            d.walls = walls, d.wall_count = kind == 1 ? 4 : 0;
            d.polygons = &polygon, d.polygon_count = kind == 2 ? 1 : 0;
            OWNED(stage) s = stage_of(&d, engine, CAROM_F64);
            for (int tick = 1; tick <= 500; tick++) {
                play(&s, 1.7, 1);
                const double t = 1.7 * tick;
                assert_true(fabs(x_of(&s.state, 0) - folded(0.3 + 1.1 * t, -3.25, 3.25)) < 1e-10);
                assert_true(fabs(y_of(&s.state, 0) - folded(-0.7 + 2.3 * t, -3.25, 3.25)) < 1e-10);
            }
            assert_true(fabs(vx_of(&s.state, 0)) == 1.1 && fabs(vy_of(&s.state, 0)) == 2.3);
        }
    }
}

#define SEGMENTS 180

/* In a circle of segments: it never comes nearer to a wall than its radius, and keeps its energy. */
TEST(test_disk_in_a_circle)
{
    const int ticks = unless_short(3000, 150);
    for (int engine = CAROM_ENGINE_WIDE; engine <= CAROM_ENGINE_DEEP; engine++) {
        for (int kind = 0; kind < 4; kind++) { /* walls, one-sided walls, a polygon; accelerated */
            static double x[SEGMENTS], y[SEGMENTS];
            static carom_scene_wall walls[SEGMENTS];
            const carom_scene_polygon polygon = {x, y, SEGMENTS, 1, false};
            carom_scene_body body = body_at(1, 0.5, 3, 1, 0.5, 1);
            carom_scene_desc d = carom_scene_desc_default();
            for (int k = 0; k < SEGMENTS; k++) {
                x[k] = 5 * cos(2 * PI * k / SEGMENTS);
                y[k] = 5 * sin(2 * PI * k / SEGMENTS);
            }
            for (int k = 0; k < SEGMENTS; k++) {
                const int next = (k + 1) % SEGMENTS;
                const carom_scene_wall w = {x[k], y[k], x[next], y[next], 1, kind == 1, false};
                walls[k] = w;
            }
            body.ay = kind == 3 ? -1 : 0;
            d.bodies = &body, d.body_count = 1;
            d.walls = walls, d.wall_count = kind < 2 ? SEGMENTS : 0;
            d.polygons = &polygon, d.polygon_count = kind < 2 ? 0 : 1;
            OWNED(stage) s = stage_of(&d, engine, CAROM_F64);
            const double energy = 5 - body.ay * 0.5;
            for (int tick = 0; tick < ticks / (kind == 3 ? 20 : 1); tick++) {
                play(&s, 0.9, 1);
                const double px = x_of(&s.state, 0), py = y_of(&s.state, 0);
                for (int k = 0; k < SEGMENTS; k++) {
                    const int next = (k + 1) % SEGMENTS;
                    const double ex = x[next] - x[k], ey = y[next] - y[k];
                    assert_true((ex * (py - y[k]) - ey * (px - x[k])) / hypot(ex, ey) >= 0.5 * (1 - 1e-9));
                }
                const double vx = vx_of(&s.state, 0), vy = vy_of(&s.state, 0);
                assert_true(fabs((vx * vx + vy * vy) / 2 - body.ay * py - energy) < 1e-9);
            }
        }
    }
}

/* A shot along the line that passes the origin at distance `miss`, downwards, 10,000 radii long; how near its line
 * comes to the n points of a convex target. */
static double aim(scene_state *s, uint32_t body, double angle, double miss, const double *x, const double *y, int n)
{
    const double ux = cos(angle), uy = -sin(angle);
    double low = INFINITY, high = -INFINITY;
    s->number[body] = -5 * ux - miss * uy;
    s->number[s->n + body] = -5 * uy + miss * ux;
    s->number[2 * s->n + body] = 10 * ux;
    s->number[3 * s->n + body] = 10 * uy;
    for (int p = 0; p < n; p++) {
        const double across = y[p] * ux - x[p] * uy - miss;
        low = fmin(low, across);
        high = fmax(high, across);
    }
    return low <= 0 && high >= 0 ? 0 : fmin(fabs(low), fabs(high));
}

#define SHOTS 333

/* At a circle, a wall, a polygon: it hits if and only if its path comes near enough. One world a shot. */
TEST(test_no_tunnelling)
{
    static const double centre[] = {0}, wall_x[] = {-0.003, 0.003}, wall_y[] = {0, 0};
    static const double x[] = {-0.003, 0.003, 0}, y[] = {0, 0, 0.004};
    static const carom_scene_wall wall = {-0.003, 0, 0.003, 0, 1, false, false};
    static const carom_scene_polygon polygon = {x, y, 3, 1, false};
    const carom_scene_body bodies[2] = {body_at(7, 7, 0, 0, 1e-3, 1), body_at(0, 0, 0, 0, 1e-3, 1)};
    for (int engine = CAROM_ENGINE_WIDE; engine <= CAROM_ENGINE_DEEP; engine++) {
        for (int kind = 0; kind < 3; kind++) {
            uint64_t rng = 99;
            carom_event events[SHOTS];
            uint32_t counts[SHOTS], hits = 0;
            bool hit[SHOTS];
            carom_scene_desc d = carom_scene_desc_default();
            d.bodies = bodies, d.body_count = kind == 0 ? 2 : 1;
            d.walls = &wall, d.wall_count = kind == 1;
            d.polygons = &polygon, d.polygon_count = kind == 2;
            d.engine = (carom_engine)engine;
            OWNED(carom_scene) *scene = make_scene(&d);
            OWNED(carom_worlds) *worlds = scene_worlds(scene, SHOTS, CAROM_F64, CAROM_ISA_DEFAULT, 1);
            OWNED(scene_state) s = scene_state_new(d.body_count);
            for (size_t w = 0; w < SHOTS; w++) {
                const double angle = rng_in(&rng, 0.2, PI - 0.2), miss = rng_in(&rng, -5e-3, 5e-3);
                scene_get(worlds, w, &s);
                const double near = kind == 0   ? aim(&s, 0, angle, miss, centre, centre, 1)
                                    : kind == 1 ? aim(&s, 0, angle, miss, wall_x, wall_y, 2)
                                                : aim(&s, 0, angle, miss, x, y, 3);
                const double reach = kind == 0 ? 2e-3 : 1e-3;
                hit[w] = near < reach;
                assert_true(fabs(near - reach) > 1e-9);
                hits += hit[w];
                scene_put(worlds, w, &s);
            }
            PLAY(worlds, .dt = 1, .events = events, .event_counts = counts, .event_capacity = 1);
            for (size_t w = 0; w < SHOTS; w++) {
                assert_int_equal(counts[w], hit[w]);
            }
            assert_true(hits > SHOTS / 6 && hits < SHOTS * 5 / 6);
        }
    }
}

/* Slow bodies stay in a room, and keep their energy. */
TEST(test_slow_bodies_stay)
{
    static const double x[] = {-4, 4, 5, 0, -5}, y[] = {-4, -4, 0, 5, 0};
    static const carom_scene_polygon room = {x, y, 5, 1, false};
    for (int engine = CAROM_ENGINE_WIDE; engine <= CAROM_ENGINE_DEEP; engine++) {
        uint64_t rng = 8;
        carom_scene_body bodies[9];
        carom_scene_desc d = carom_scene_desc_default();
        for (int k = 0; k < 9; k++) {
            bodies[k] = body_at(k % 3 * 1.5 - 1.5, k / 3 * 1.5 - 2, 0, 0, 0.4, 1);
            bodies[k].vx = rng_in(&rng, -1, 1);
            bodies[k].vy = rng_in(&rng, -1, 1);
            bodies[k].slow = k != 4; /* and a fast one among them */
        }
        d.bodies = bodies, d.body_count = 9;
        d.polygons = &room, d.polygon_count = 1;
        OWNED(stage) s = stage_of(&d, engine, CAROM_F64);
        const double energy = sums_of(&d, &s.state).energy;
        const int ticks = unless_short(3000, 500);
        for (int tick = 0; tick < ticks; tick++) {
            play(&s, 0.1, 1);
            for (uint32_t k = 0; k < 9; k++) {
                for (int c = 0; c < 5; c++) {
                    const double ex = x[(c + 1) % 5] - x[c], ey = y[(c + 1) % 5] - y[c];
                    const double height =
                        (ex * (y_of(&s.state, k) - y[c]) - ey * (x_of(&s.state, k) - x[c])) / hypot(ex, ey);
                    assert_true(height > 0.1);
                }
            }
        }
        assert_true(fabs(sums_of(&d, &s.state).energy / energy - 1) < 1e-11);
        assert_true(impacts_of(&s) > (uint64_t)ticks / 10);
    }
}

/* ---- nothing hangs ---- */

/* Disks that lose most of their energy at each impact, pressed together between two walls, and in a dense box. */
TEST(test_inelastic_collapse)
{
    for (int engine = CAROM_ENGINE_WIDE; engine <= CAROM_ENGINE_DEEP; engine++) {
        for (int k = 0; k < 12; k++) {
            const double restitution = k % 3 == 0 ? 0 : k % 3 == 1 ? 0.05 : 0.5;
            gas g = gas_of(70 + (uint64_t)k, 20, 4, 0.5, false, CAROM_SIDES_SOLID);
            for (uint32_t b = 0; b < 20; b++) {
                g.bodies[b].restitution = restitution;
            }
            g.desc.advance = k & 1 ? CAROM_ADVANCE_ALL : CAROM_OWN_CLOCK;
            g.desc.contact_time = k / 6 != 0 ? 1e-2 : 0;
            g.desc.engine = (carom_engine)engine;
            g.desc.max_events = 20000;
            carom_scene *scene = make_scene(&g.desc);
            carom_worlds *worlds = scene_worlds(scene, 2, CAROM_F64, CAROM_ISA_DEFAULT, 1);
            scene_state s = scene_state_new(20);
            unsigned bits = 0;
            for (int tick = 0; tick < 10; tick++) {
                must(carom_worlds_step(worlds, 2, 1), "carom_worlds_step");
            }
            const size_t faults = carom_worlds_faults(worlds, &bits);
            scene_get(worlds, 0, &s);
            assert_true(bits == 0 || bits == CAROM_FAULT_EVENTS);
            assert_true(g.desc.contact_time == 0 || faults == 0);
            assert_inside(&g.desc, &s);
            assert_true(closest(&g.desc, &s) >= 1 - 1e-9);
            end_scene_state(&s);
            carom_worlds_destroy(worlds);
            carom_scene_destroy(scene);
            free(g.bodies);
        }
    }
}

/* A heap under gravity comes to rest: no fault, no fall through the floor, bounded impacts a tick. */
TEST(test_resting)
{
    for (int engine = CAROM_ENGINE_WIDE; engine <= CAROM_ENGINE_DEEP; engine++) {
        for (int k = 0; k < 4; k++) {
            static const carom_scene_wall floor_wall = {-20, -2, 20, -2, 1, false, false};
            gas g = gas_of(90 + (uint64_t)k, 9, 2, 0.4, true, CAROM_SIDES_SOLID);
            for (uint32_t b = 0; b < 9; b++) {
                g.bodies[b].restitution = 0.3;
                g.bodies[b].ay = -1;
            }
            g.desc.contact_time = 0.01;
            g.desc.advance = k & 1 ? CAROM_ADVANCE_ALL : CAROM_OWN_CLOCK;
            if (k & 2) {
                g.desc.box.y0 = -100;
                g.desc.walls = &floor_wall, g.desc.wall_count = 1;
            }
            g.desc.max_events = 20000;
            stage s = stage_of(&g.desc, engine, CAROM_F64);
            for (int tick = 0; tick < 240; tick++) {
                play(&s, 0.25, 1);
                for (uint32_t b = 0; b < 9; b++) {
                    assert_true(y_of(&s.state, b) >= -2 + g.bodies[b].radius * (1 - 1e-9));
                }
                assert_true(closest(&g.desc, &s.state) >= 1 - 1e-9);
            }
            const sums end = sums_of(&g.desc, &s.state);
            assert_true(end.energy < 0.002);
            end_stage(&s);
            free(g.bodies);
        }
    }
}

/* Plays, and checks that both engines have the same faults and the same end. */
static void both_end_alike(carom_scene_desc *d, double dt, unsigned want)
{
    for (int bits = 32; bits <= 64; bits += 32) {
        uint64_t digest[2];
        for (int k = 0; k < 2; k++) {
            d->engine = k == 0 ? CAROM_ENGINE_WIDE : CAROM_ENGINE_DEEP;
            OWNED(carom_scene) *scene = make_scene(d);
            OWNED(carom_worlds) *worlds = scene_worlds(scene, 1, (carom_precision)bits, CAROM_ISA_DEFAULT, 1);
            unsigned faults = 0;
            must(carom_worlds_step(worlds, dt, 2), "carom_worlds_step");
            carom_worlds_faults(worlds, &faults);
            assert_int_equal(faults, want);
            must(carom_worlds_digest(worlds, &digest[k]), "carom_worlds_digest");
        }
        assert_true(digest[0] == digest[1]);
    }
}

#define CROWD 300

static carom_scene_body body_anywhere(uint64_t *rng, double half, double speed)
{
    carom_scene_body b = carom_scene_body_default();
    b.x = rng_in(rng, -half, half);
    b.y = rng_in(rng, -half, half);
    b.vx = rng_in(rng, -speed, speed);
    b.vy = rng_in(rng, -speed, speed);
    return b;
}

TEST(test_odd_scenes)
{
    static carom_scene_body b[CROWD];
    uint64_t rng = 5;
    carom_scene_desc d = carom_scene_desc_default();
    d.bodies = b, d.body_count = 1;
    b[0] = body_at(0, 0, 1, 0, 1, 1);
    both_end_alike(&d, 1, 0);
    d.box.x0 = d.box.y0 = -4, d.box.x1 = d.box.y1 = 4, d.box.restitution = 1;
    d.box.horizontal = d.box.vertical = CAROM_SIDES_PERIODIC;
    both_end_alike(&d, 1000, 0);
    both_end_alike(&d, 1e9, CAROM_FAULT_EVENTS); /* through the sides too often */
    d.box.horizontal = CAROM_SIDES_SOLID;
    both_end_alike(&d, 1e9, CAROM_FAULT_EVENTS);
    d.box.horizontal = d.box.vertical = CAROM_SIDES_OPEN;
    d.body_count = CROWD;
    for (int k = 0; k < CROWD; k++) { /* tiny and far apart, with a giant among them */
        b[k] = body_anywhere(&rng, 6e4, 99);
        b[k].radius = k == 0 ? 3e4 : k % 2 ? 1e-3 : 1e-6;
    }
    both_end_alike(&d, 10, 0);
    for (int k = 0; k < CROWD; k++) { /* all at the same position */
        b[k] = body_at(0, 0, k % 3 - 1, k % 5 - 2, 1, 1);
    }
    both_end_alike(&d, 0.1, 0);
    for (int k = 0; k < CROWD; k++) { /* a row in touch */
        b[k] = body_at(k, 0, k == 0, 0, 0.5, 1);
    }
    both_end_alike(&d, CROWD, 0);
    for (int k = 0; k < CROWD; k++) { /* points; light and heavy; fixed; inactive */
        b[k] = body_anywhere(&rng, 60, 1);
        b[k].radius = k % 4 == 0 ? 0 : 0.3;
        b[k].mass = k % 2 ? 1e-9 : 1e9;
        b[k].inactive = k % 7 == 0;
    }
    both_end_alike(&d, 10, 0);
    for (int k = 0; k < CROWD; k++) {
        b[k] = body_at(b[k].x, b[k].y, 0, 0, 0.3, INFINITY);
    }
    both_end_alike(&d, 10, 0);
    for (int k = 0; k < CROWD; k++) { /* out of sight */
        b[k] = body_at(b[k].x, b[k].y, 1e20, k, 0.3, 1);
    }
    both_end_alike(&d, 1, CAROM_FAULT_RANGE);
}

/* ---- batches ---- */

TEST(test_threads_and_instruction_sets)
{
    for (int bits = 32; bits <= 64; bits += 32) {
        gas g = gas_of(110, 12, 4, 0.3, true, CAROM_SIDES_SOLID);
        uint64_t want = 0;
        for (int engine = CAROM_ENGINE_WIDE; engine <= CAROM_ENGINE_DEEP; engine++) {
            g.desc.engine = (carom_engine)engine;
            OWNED(carom_scene) *scene = make_scene(&g.desc);
            for (size_t i = 0; i < isa_count; i++) {
                for (unsigned threads = 1; threads <= 4; threads += 3) {
                    OWNED(carom_worlds) *worlds = scene_worlds(scene, 50, (carom_precision)bits, isas[i], threads);
                    OWNED(scene_state) s = scene_state_new(12);
                    uint64_t rng = 3, digest = 0;
                    for (size_t w = 0; w < 50; w++) {
                        scene_get(worlds, w, &s);
                        for (size_t f = 24; f < 48; f++) {
                            s.number[f] = (double)(float)rng_in(&rng, -2, 2);
                        }
                        scene_put(worlds, w, &s);
                    }
                    fesetround(threads > 1 ? FE_UPWARD : FE_TONEAREST); /* the caller's, which must not matter */
                    must(carom_worlds_step(worlds, 0.8, 5), "carom_worlds_step");
                    fesetround(FE_TONEAREST);
                    must(carom_worlds_digest(worlds, &digest), "carom_worlds_digest");
                    want = want == 0 ? digest : want;
                    assert_true(digest == want);
                    assert_true(carom_worlds_counters(worlds).events > 1000);
                }
            }
        }
        free(g.bodies);
    }
}

/* A save, a load into another batch, a fork and a record in the middle change no bit. */
TEST(test_save_and_fork)
{
    for (int engine = CAROM_ENGINE_WIDE; engine <= CAROM_ENGINE_DEEP; engine++) {
        gas g = gas_of(120, 20, 4, 0.3, true, CAROM_SIDES_PERIODIC);
        g.desc.engine = (carom_engine)engine;
        carom_scene *scene = make_scene(&g.desc);
        carom_worlds *a = scene_worlds(scene, 20, CAROM_F64, CAROM_ISA_SCALAR, 1);
        carom_worlds *b = scene_worlds(scene, 20, CAROM_F64, CAROM_ISA_DEFAULT, 2);
        const size_t size = carom_worlds_save_size(a);
        void *buffer = malloc(size);
        uint64_t first[20], second[20], third = 0;
        must(carom_worlds_step(a, 0.7, 5), "carom_worlds_step");
        must(carom_worlds_save(a, buffer, size), "carom_worlds_save");
        must(carom_worlds_fork(a, 17, 2, a, 3), "carom_worlds_fork");
        must(carom_worlds_step(a, 0.7, 5), "carom_worlds_step");
        must(carom_worlds_load(b, buffer, size), "carom_worlds_load");
        must(carom_worlds_step(b, 0.7, 2), "carom_worlds_step");
        must(carom_worlds_step(b, 0.7, 3), "carom_worlds_step");
        must(carom_worlds_hash(a, 0, 20, first), "carom_worlds_hash");
        must(carom_worlds_hash(b, 0, 20, second), "carom_worlds_hash");
        assert_memory_equal(first, second, sizeof first);
        assert_true(first[17] == first[3] && first[18] == first[3]);
        scene_state s = scene_state_new(20);
        carom_worlds *c = scene_worlds(scene, 33, CAROM_F64, CAROM_ISA_DEFAULT, 1); /* by state alone */
        must(carom_worlds_load(b, buffer, size), "carom_worlds_load");
        scene_get(b, 5, &s);
        scene_put(c, 32, &s);
        must(carom_worlds_step(c, 0.7, 5), "carom_worlds_step");
        scene_get(c, 32, &s);
        scene_state t = scene_state_new(20);
        scene_get(a, 5, &t);
        assert_memory_equal(s.number, t.number, 80 * sizeof(double));
        (void)third;
        end_scene_state(&s);
        end_scene_state(&t);
        free(buffer);
        carom_worlds_destroy(a);
        carom_worlds_destroy(b);
        carom_worlds_destroy(c);
        carom_scene_destroy(scene);
        free(g.bodies);
    }
}
