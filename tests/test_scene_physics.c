/* SPDX-License-Identifier: MIT
 * What must be true of scenes whatever the reference says: what is conserved, what is symmetric, what is known in closed
 * form; that nothing overlaps, tunnels, gets lost or hangs; that batches, threads, forks and saves change no bit.
 */
#include "scene_batch.h"

#include <inttypes.h>
#include <time.h>

#define PI 3.14159265358979323846
#define BOTH_ENGINES(engine) (int engine = CAROM_ENGINE_WIDE; engine <= CAROM_ENGINE_DEEP; engine++)

/* Bodies of a lattice with random velocities. */
typedef struct gas {
    carom_scene_desc desc;
    carom_scene_body *bodies;
    double radius; /* of the greatest */
} gas;

/* n bodies in a square of side 2 * half around the origin: radii and masses mixed, or all the same. */
static gas gas_of(uint64_t seed, uint32_t n, double half, double packing, bool mixed, carom_scene_sides sides)
{
    uint64_t rng = seed;
    gas g;
    uint32_t rows = 1;
    while (rows * rows < n) {
        rows++;
    }
    g.desc = carom_scene_desc_default();
    g.bodies = malloc(n * sizeof *g.bodies);
    g.radius = 2 * half * sqrt(packing / (PI * n));
    const double step = 2 * half / rows;
    assert_true(step > 2.001 * g.radius);
    for (uint32_t k = 0; k < n; k++) {
        const double x = -half + (k % rows + 0.5) * step, y = -half + (k / rows + 0.5) * step;
        const double r = mixed ? g.radius * rng_in(&rng, 0.4, 1) : g.radius;
        g.bodies[k] = body_at(x, y, rng_in(&rng, -1, 1), rng_in(&rng, -1, 1), r, mixed ? rng_in(&rng, 0.2, 3) : 1);
    }
    g.desc.bodies = g.bodies;
    g.desc.body_count = n;
    g.desc.box.x0 = g.desc.box.y0 = -half;
    g.desc.box.x1 = g.desc.box.y1 = half;
    g.desc.box.restitution = 1;
    g.desc.box.horizontal = g.desc.box.vertical = sides;
    g.desc.max_events = 100 * n + 1000;
    return g;
}

/* A scene's only world, on the default instruction set unless it is said, and its state. */
typedef struct stage {
    carom_scene *scene;
    carom_worlds *worlds;
    scene_state state;
} stage;

static stage stage_of(const carom_scene_desc *desc, int engine, carom_precision precision)
{
    carom_scene_desc d = *desc;
    stage s;
    d.engine = (carom_engine)engine;
    s.scene = make_scene(&d);
    s.worlds = scene_worlds(s.scene, 1, precision, CAROM_ISA_DEFAULT, 1);
    s.state = scene_state_new(desc->body_count);
    scene_get(s.worlds, 0, &s.state);
    return s;
}

static void close_stage(stage *s)
{
    carom_worlds_destroy(s->worlds);
    carom_scene_destroy(s->scene);
    scene_state_free(&s->state);
}

/* Plays on, without a fault, and looks. */
static void play(stage *s, double dt, size_t ticks)
{
    must(carom_worlds_step(s->worlds, dt, ticks), "carom_worlds_step");
    assert_int_equal(carom_worlds_faults(s->worlds, NULL), 0);
    scene_get(s->worlds, 0, &s->state);
}

static double x_of(const scene_state *s, uint32_t k)
{
    return s->number[k];
}
static double y_of(const scene_state *s, uint32_t k)
{
    return s->number[s->n + k];
}
static double vx_of(const scene_state *s, uint32_t k)
{
    return s->number[2 * s->n + k];
}
static double vy_of(const scene_state *s, uint32_t k)
{
    return s->number[3 * s->n + k];
}

static uint64_t impacts_of(const stage *s)
{
    return carom_worlds_counters(s->worlds).events;
}

/* ---- what is conserved ---- */

typedef struct sums {
    double energy, px, py, angular; /* angular: about the origin */
} sums;

static sums sums_of(const carom_scene_desc *d, const scene_state *s)
{
    long double energy = 0, px = 0, py = 0, angular = 0;
    for (uint32_t k = 0; k < d->body_count; k++) {
        const long double m = d->bodies[k].mass, vx = vx_of(s, k), vy = vy_of(s, k);
        energy += m * (vx * vx + vy * vy) / 2;
        px += m * vx;
        py += m * vy;
        angular += m * (x_of(s, k) * vy - y_of(s, k) * vx);
    }
    const sums all = {(double)energy, (double)px, (double)py, (double)angular};
    return all;
}

/* The least distance of two bodies over the sum of their radii. */
static double closest(const carom_scene_desc *d, const scene_state *s)
{
    double least = INFINITY;
    for (uint32_t i = 0; i < d->body_count; i++) {
        for (uint32_t j = 0; j < i; j++) {
            double dx = x_of(s, i) - x_of(s, j), dy = y_of(s, i) - y_of(s, j);
            if (d->box.horizontal == CAROM_SIDES_PERIODIC) {
                dx = remainder(dx, d->box.x1 - d->box.x0);
            }
            if (d->box.vertical == CAROM_SIDES_PERIODIC) {
                dy = remainder(dy, d->box.y1 - d->box.y0);
            }
            least = fmin(least, hypot(dx, dy) / (d->bodies[i].radius + d->bodies[j].radius));
        }
    }
    return least;
}

static void assert_inside(const carom_scene_desc *d, const scene_state *s)
{
    for (uint32_t k = 0; k < d->body_count; k++) {
        const double r = d->bodies[k].radius * (1 - 1e-9);
        if (d->box.horizontal != CAROM_SIDES_OPEN) {
            const double in = d->box.horizontal == CAROM_SIDES_SOLID ? r : -1e-9;
            assert_true(x_of(s, k) >= d->box.x0 + in && x_of(s, k) <= d->box.x1 - in);
        }
        if (d->box.vertical != CAROM_SIDES_OPEN) {
            const double in = d->box.vertical == CAROM_SIDES_SOLID ? r : -1e-9;
            assert_true(y_of(s, k) >= d->box.y0 + in && y_of(s, k) <= d->box.y1 - in);
        }
    }
}

static void test_conservation(void **state)
{
    (void)state;
    static const carom_scene_sides all_sides[] = {CAROM_SIDES_OPEN, CAROM_SIDES_SOLID, CAROM_SIDES_PERIODIC};
    for
        BOTH_ENGINES(engine)
        {
            for (int k = 0; k < 12; k++) {
                const carom_scene_sides sides = all_sides[k % 3];
                gas g = gas_of(10 + (uint64_t)k, k < 6 ? 20 : 40, 5, k < 6 ? 0.2 : 0.5, k & 1, sides);
                g.desc.advance = k / 3 % 2 != 0 ? CAROM_ADVANCE_ALL : CAROM_OWN_CLOCK;
                if (sides == CAROM_SIDES_OPEN) { /* they fall together and fly apart */
                    for (uint32_t b = 0; b < g.desc.body_count; b++) {
                        g.bodies[b].vx -= g.bodies[b].x;
                        g.bodies[b].vy -= g.bodies[b].y;
                    }
                }
                stage s = stage_of(&g.desc, engine, CAROM_F64);
                const sums start = sums_of(&g.desc, &s.state);
                const double push = sqrt(2 * start.energy * g.desc.body_count);
                for (int tick = 0; tick < 40; tick++) {
                    play(&s, 0.75, 1);
                    assert_true(closest(&g.desc, &s.state) >= 1 - 1e-9);
                    assert_inside(&g.desc, &s.state);
                }
                const sums end = sums_of(&g.desc, &s.state);
                assert_true(impacts_of(&s) > (sides == CAROM_SIDES_OPEN ? 20 : 80));
                assert_true(fabs(end.energy - start.energy) <= 1e-12 * start.energy);
                if (sides != CAROM_SIDES_SOLID) {
                    assert_true(hypot(end.px - start.px, end.py - start.py) <= 1e-12 * push);
                }
                if (sides == CAROM_SIDES_OPEN) {
                    assert_true(fabs(end.angular - start.angular) <= 1e-11 * push * 5);
                }
                close_stage(&s);
                free(g.bodies);
            }
        }
}

/* Energy never grows where impacts lose some, and momentum stays. */
static void test_losses(void **state)
{
    (void)state;
    for
        BOTH_ENGINES(engine)
        {
            gas g = gas_of(77, 30, 5, 0.3, true, CAROM_SIDES_PERIODIC);
            for (uint32_t k = 0; k < 30; k++) {
                g.bodies[k].restitution = 0.9;
            }
            g.desc.contact_time = 1e-6;
            stage s = stage_of(&g.desc, engine, CAROM_F64);
            const sums start = sums_of(&g.desc, &s.state);
            double before = start.energy;
            for (int tick = 0; tick < 50; tick++) {
                play(&s, 0.5, 1);
                const sums now = sums_of(&g.desc, &s.state);
                assert_true(now.energy <= before * (1 + 1e-14));
                assert_true(hypot(now.px - start.px, now.py - start.py) <= 1e-12 * sqrt(2 * start.energy * 30));
                assert_true(closest(&g.desc, &s.state) >= 1 - 1e-9);
                before = now.energy;
            }
            assert_true(before < 0.5 * start.energy);
            close_stage(&s);
            free(g.bodies);
        }
}

static void test_long_drift(void **state)
{
    (void)state;
    const uint64_t events = test_is_short() ? 100000 : 1000000;
    for (int solid = 0; solid < 2; solid++) {
        gas g = gas_of(5, 400, 20, 0.4, true, solid ? CAROM_SIDES_SOLID : CAROM_SIDES_PERIODIC);
        stage s = stage_of(&g.desc, CAROM_ENGINE_DEEP, CAROM_F64);
        const sums start = sums_of(&g.desc, &s.state);
        while (impacts_of(&s) < events) {
            const uint64_t before = impacts_of(&s);
            play(&s, 2, 5);
            assert_true(impacts_of(&s) > before);
        }
        const double drift = fabs(sums_of(&g.desc, &s.state).energy - start.energy) / start.energy;
        print_message("%" PRIu64 " impacts: energy drift %.2g\n", impacts_of(&s), drift);
        assert_true(drift <= 1e-10);
        assert_true(closest(&g.desc, &s.state) >= 1 - 1e-9);
        assert_inside(&g.desc, &s.state);
        close_stage(&s);
        free(g.bodies);
    }
}

/* ---- no overlap between events, seen by a response hook ---- */

typedef struct moment {
    double time;
    uint32_t body;
    double x, y, vx, vy; /* from here on */
} moment;

typedef struct diary {
    moment *moments;
    size_t count, capacity;
} diary;

static void write_moment(diary *d, double time, uint32_t body, double x, double y, double vx, double vy)
{
    if (d->count < d->capacity) {
        const moment m = {time, body, x, y, vx, vy};
        d->moments[d->count] = m;
    }
    d->count++;
}

/* Elastic, of one's own. */
static void note_impacts(void *user, size_t count, carom_impact *impacts)
{
    diary *d = user;
    for (size_t k = 0; k < count; k++) {
        carom_impact *i = &impacts[k];
        const double u = (i->vx1 - i->vx2) * i->nx + (i->vy1 - i->vy2) * i->ny;
        const double push = -2 * u / (i->inverse_mass1 + i->inverse_mass2);
        i->vx1 += push * i->inverse_mass1 * i->nx;
        i->vy1 += push * i->inverse_mass1 * i->ny;
        write_moment(d, i->time, i->first, i->x1, i->y1, i->vx1, i->vy1);
        if (i->kind == CAROM_IMPACT_BODY) {
            i->vx2 -= push * i->inverse_mass2 * i->nx;
            i->vy2 -= push * i->inverse_mass2 * i->ny;
            write_moment(d, i->time, i->second, i->x2, i->y2, i->vx2, i->vy2);
        }
    }
}

static void test_no_overlap_at_any_event(void **state)
{
    (void)state;
    for
        BOTH_ENGINES(engine)
        {
            for (int policy = CAROM_OWN_CLOCK; policy <= CAROM_ADVANCE_ALL; policy++) {
                gas g = gas_of(31, 25, 5, 0.4, true, CAROM_SIDES_SOLID);
                diary d = {NULL, 0, 100000};
                d.moments = malloc(d.capacity * sizeof *d.moments);
                g.desc.response_hook = note_impacts;
                g.desc.user = &d;
                g.desc.advance = (carom_advance)policy;
                stage s = stage_of(&g.desc, engine, CAROM_F64);
                const sums start = sums_of(&g.desc, &s.state);
                scene_state now = scene_state_new(25);
                size_t looked = 0;
                for (int tick = 0; tick < 20; tick++) {
                    double *v = s.state.number, at[25] = {0};
                    d.count = 0;
                    scene_state paths = scene_state_new(25);
                    scene_state_copy(&paths, &s.state);
                    play(&s, 1, 1);
                    assert_true(d.count <= d.capacity);
                    v = paths.number;
                    for (size_t e = 0; e < d.count; e++) {
                        const moment *m = &d.moments[e];
                        assert_true(e == 0 || m->time >= d.moments[e - 1].time);
                        v[m->body] = m->x, v[25 + m->body] = m->y, v[50 + m->body] = m->vx, v[75 + m->body] = m->vy;
                        at[m->body] = m->time;
                        for (uint32_t k = 0; k < 25; k++) {
                            now.number[k] = v[k] + v[50 + k] * (m->time - at[k]);
                            now.number[25 + k] = v[25 + k] + v[75 + k] * (m->time - at[k]);
                        }
                        assert_true(closest(&g.desc, &now) >= 1 - 1e-9);
                        assert_inside(&g.desc, &now);
                        looked++;
                    }
                    scene_state_free(&paths);
                }
                assert_true(looked > 500);
                assert_true(fabs(sums_of(&g.desc, &s.state).energy / start.energy - 1) < 1e-12);
                scene_state_free(&now);
                close_stage(&s);
                free(d.moments);
                free(g.bodies);
            }
        }
}

/* ---- symmetries ---- */

/* How far positions and velocities are apart at most. */
static double apart(const scene_state *a, const scene_state *b)
{
    double most = 0;
    for (size_t k = 0; k < 4 * (size_t)a->n; k++) {
        most = fmax(most, fabs(a->number[k] - b->number[k]));
    }
    return most;
}

static void test_time_reversal(void **state)
{
    (void)state;
    for
        BOTH_ENGINES(engine)
        {
            for (int k = 0; k < 4; k++) {
                gas g = gas_of(40 + (uint64_t)k, 30, 5, 0.3, true, k & 1 ? CAROM_SIDES_SOLID : CAROM_SIDES_PERIODIC);
                g.desc.advance = k & 2 ? CAROM_ADVANCE_ALL : CAROM_OWN_CLOCK;
                stage s = stage_of(&g.desc, engine, CAROM_F64);
                scene_state start = scene_state_new(30);
                scene_state_copy(&start, &s.state);
                play(&s, 0.25, 20);
                assert_true(impacts_of(&s) > 40);
                for (size_t f = 60; f < 120; f++) {
                    s.state.number[f] = -s.state.number[f];
                }
                scene_put(s.worlds, 0, &s.state);
                play(&s, 0.25, 20);
                for (size_t f = 60; f < 120; f++) {
                    s.state.number[f] = -s.state.number[f];
                }
                for (size_t f = 0; f < 60 && !(k & 1); f++) { /* one box on is the same place */
                    s.state.number[f] = start.number[f] + remainder(s.state.number[f] - start.number[f], 10);
                }
                assert_true(apart(&s.state, &start) < 1e-7);
                scene_state_free(&start);
                close_stage(&s);
                free(g.bodies);
            }
        }
}

/* Bodies in another order. A prediction and a response are the same to the bit seen from either body; but through a
 * periodic side the normal is not, for the shift is added to the one or to the other. */
static void test_permutation(void **state)
{
    (void)state;
    for
        BOTH_ENGINES(engine)
        {
            for (int k = 0; k < 6; k++) {
                static const carom_scene_sides all_sides[] = {CAROM_SIDES_OPEN, CAROM_SIDES_SOLID,
                                                              CAROM_SIDES_PERIODIC};
                const carom_scene_sides sides = all_sides[k % 3];
                gas g = gas_of(50 + (uint64_t)k, 30, 5, 0.3, true, sides);
                g.desc.advance = k >= 3 ? CAROM_ADVANCE_ALL : CAROM_OWN_CLOCK;
                carom_scene_body other[30];
                for (uint32_t b = 0; b < 30; b++) {
                    g.bodies[b].vx -= sides == CAROM_SIDES_OPEN ? g.bodies[b].x : 0;
                    g.bodies[b].vy -= sides == CAROM_SIDES_OPEN ? g.bodies[b].y : 0;
                }
                for (uint32_t b = 0; b < 30; b++) {
                    other[b * 7 % 30] = g.bodies[b];
                }
                stage s = stage_of(&g.desc, engine, CAROM_F64);
                carom_scene_desc permuted = g.desc;
                permuted.bodies = other;
                stage t = stage_of(&permuted, engine, CAROM_F64);
                play(&s, 0.5, 6);
                play(&t, 0.5, 6);
                assert_true(impacts_of(&s) > 20 && impacts_of(&s) == impacts_of(&t));
                scene_state back = scene_state_new(30);
                for (uint32_t b = 0; b < 30; b++) {
                    for (size_t f = 0; f < 4; f++) {
                        back.number[f * 30 + b] = t.state.number[f * 30 + b * 7 % 30];
                    }
                }
                if (sides == CAROM_SIDES_PERIODIC) {
                    assert_true(apart(&back, &s.state) < 1e-7);
                } else {
                    assert_memory_equal(back.number, s.state.number, 120 * sizeof(double));
                }
                scene_state_free(&back);
                close_stage(&s);
                close_stage(&t);
                free(g.bodies);
            }
        }
}

/* Mirrored in x (bit 0) and in y (bit 1), and then x and y exchanged (bit 2). */
static void mirror(int how, double *x, double *y)
{
    *x = how & 1 ? -*x : *x;
    *y = how & 2 ? -*y : *y;
    if (how & 4) {
        const double old = *x;
        *x = *y;
        *y = old;
    }
}

#define MIRROR_CORNERS 5

/* A gas with walls and a polygon among its bodies, seen in a mirror: the same to the bit. (A wall seen from its other
 * end is the same only to rounding where bodies accelerate; so there is none that is one-sided.) */
static void test_mirrors(void **state)
{
    (void)state;
    static const carom_scene_wall plain_walls[] = {{-5, -2, -1, -4, 1, false, false}, {1, 4.5, 4, 1.5, 1, true, false}};
    static const double plain_x[] = {2, 4, 3, 3.2, 1.5}, plain_y[] = {-4, -3.5, -2.5, -1, -1.2};
    for
        BOTH_ENGINES(engine)
        {
            for (int k = 0; k < 8; k++) {
                const bool accelerates = k & 1, narrow = k & 2;
                gas g = gas_of(60 + (uint64_t)k, 16, 5, 0.1, true, k & 4 ? CAROM_SIDES_PERIODIC : CAROM_SIDES_SOLID);
                for (uint32_t b = 0; b < 16 && accelerates; b++) {
                    g.bodies[b].ax = 0.25 * (b % 3), g.bodies[b].ay = -0.5;
                }
                scene_state first = scene_state_new(16);
                for (int how = 0; how < 8; how++) {
                    carom_scene_body bodies[16];
                    carom_scene_wall walls[2];
                    double x[MIRROR_CORNERS], y[MIRROR_CORNERS];
                    const carom_scene_polygon polygon = {x, y, MIRROR_CORNERS, 1, false};
                    carom_scene_desc d = g.desc;
                    memcpy(bodies, g.bodies, sizeof bodies);
                    memcpy(walls, plain_walls, sizeof walls);
                    memcpy(x, plain_x, sizeof x);
                    memcpy(y, plain_y, sizeof y);
                    for (int b = 0; b < 16; b++) {
                        mirror(how, &bodies[b].x, &bodies[b].y);
                        mirror(how, &bodies[b].vx, &bodies[b].vy);
                        mirror(how, &bodies[b].ax, &bodies[b].ay);
                    }
                    for (int w = 0; w < 2; w++) {
                        mirror(how, &walls[w].ax, &walls[w].ay);
                        mirror(how, &walls[w].bx, &walls[w].by);
                        const bool turned = ((how & 1) + (how >> 1 & 1) + (how >> 2 & 1)) % 2 != 0;
                        walls[w].one_sided = walls[w].one_sided && !accelerates;
                        if (turned && walls[w].one_sided) { /* what was left is right */
                            const carom_scene_wall old = walls[w];
                            walls[w].ax = old.bx, walls[w].ay = old.by, walls[w].bx = old.ax, walls[w].by = old.ay;
                        }
                    }
                    for (int c = 0; c < MIRROR_CORNERS; c++) {
                        mirror(how, &x[c], &y[c]);
                    }
                    d.bodies = bodies;
                    d.walls = walls, d.wall_count = 2;
                    d.polygons = &polygon, d.polygon_count = 1;
                    stage s = stage_of(&d, engine, narrow ? CAROM_F32 : CAROM_F64);
                    play(&s, 0.5, 12);
                    for (uint32_t b = 0; b < 16; b++) { /* and back */
                        double *v = s.state.number;
                        const int again = how & 4 ? 4 | (how & 1) << 1 | (how & 2) >> 1 : how;
                        mirror(again, &v[b], &v[16 + b]);
                        mirror(again, &v[32 + b], &v[48 + b]);
                    }
                    if (how == 0) {
                        scene_state_copy(&first, &s.state);
                        assert_true(impacts_of(&s) > 12);
                    } else {
                        assert_true(apart(&s.state, &first) == 0);
                    }
                    close_stage(&s);
                }
                scene_state_free(&first);
                free(g.bodies);
            }
        }
}

/* ---- what is known in closed form ---- */

/* A fixed target at the origin, and two that come from left and below: times, places and velocities by hand. */
static void test_target_and_two(void **state)
{
    (void)state;
    for
        BOTH_ENGINES(engine)
        {
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
                close_stage(&s);

                /* Both at once, from both sides: the lower pair first, the same end. */
                bodies[2] = body_at(6, 0, -2, 0, 1, 1);
                s = stage_of(&d, engine, (carom_precision)bits);
                play(&s, 3, 1);
                assert_true(x_of(&s.state, 1) == -4 && x_of(&s.state, 2) == 4 && vx_of(&s.state, 2) == 2);
                assert_int_equal(impacts_of(&s), 2);
                close_stage(&s);

                /* The target is free and stands between them: it passes the push on and is hit again. */
                bodies[0].mass = 2;
                bodies[2] = body_at(4, 0, 0, 0, 1, 2);
                s = stage_of(&d, engine, (carom_precision)bits);
                play(&s, 4, 1); /* 1 stops at -2 at 2, 0 runs from 0 to 2 until 3, 2 goes on from 4 */
                assert_true(x_of(&s.state, 1) == -2 && x_of(&s.state, 0) == 2 && x_of(&s.state, 2) == 6);
                assert_true(vx_of(&s.state, 0) == 0 && vx_of(&s.state, 1) == 0 && vx_of(&s.state, 2) == 2);
                close_stage(&s);
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
static void test_disk_in_a_square(void **state)
{
    (void)state;
    static const carom_scene_wall walls[] = {{-4, -4, 4, -4, 1, false, false},
                                             {4, -4, 4, 4, 1, true, false},
                                             {4, 4, -4, 4, 1, false, false},
                                             {-4, -4, -4, 4, 1, false, false}};
    static const double x[] = {-4, 4, 4, -4}, y[] = {-4, -4, 4, 4};
    static const carom_scene_polygon polygon = {x, y, 4, 1, false};
    for
        BOTH_ENGINES(engine)
        {
            for (int kind = 0; kind < 3; kind++) {
                const carom_scene_body body = body_at(0.3, -0.7, 1.1, 2.3, 0.75, 1);
                carom_scene_desc d = carom_scene_desc_default();
                d.bodies = &body, d.body_count = 1;
                d.box.x0 = d.box.y0 = -4, d.box.x1 = d.box.y1 = 4, d.box.restitution = 1;
                d.box.horizontal = d.box.vertical = kind == 0 ? CAROM_SIDES_SOLID : CAROM_SIDES_OPEN;
                d.walls = walls, d.wall_count = kind == 1 ? 4 : 0;
                d.polygons = &polygon, d.polygon_count = kind == 2 ? 1 : 0;
                stage s = stage_of(&d, engine, CAROM_F64);
                for (int tick = 1; tick <= 500; tick++) {
                    play(&s, 1.7, 1);
                    const double t = 1.7 * tick;
                    assert_true(fabs(x_of(&s.state, 0) - folded(0.3 + 1.1 * t, -3.25, 3.25)) < 1e-10);
                    assert_true(fabs(y_of(&s.state, 0) - folded(-0.7 + 2.3 * t, -3.25, 3.25)) < 1e-10);
                }
                assert_true(fabs(vx_of(&s.state, 0)) == 1.1 && fabs(vy_of(&s.state, 0)) == 2.3);
                close_stage(&s);
            }
        }
}

#define SEGMENTS 180

/* In a circle of segments: it never comes nearer to a wall than its radius, and keeps its energy. */
static void test_disk_in_a_circle(void **state)
{
    (void)state;
    const int ticks = test_is_short() ? 300 : 3000;
    for
        BOTH_ENGINES(engine)
        {
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
                stage s = stage_of(&d, engine, CAROM_F64);
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
                close_stage(&s);
            }
        }
}

/* Ten thousand radii a tick, at a circle, at a wall, at a polygon's corner: it hits if and only if its path comes near
 * enough. One world a shot. */
static void test_no_tunnelling(void **state)
{
    (void)state;
    enum { SHOTS = 333 };
    static const double x[] = {-0.003, 0.003, 0}, y[] = {0, 0, 0.004};
    static const carom_scene_wall wall = {-3e-3, 0, 3e-3, 0, 1, false, false};
    static const carom_scene_polygon polygon = {x, y, 3, 1, false};
    for
        BOTH_ENGINES(engine)
        {
            for (int kind = 0; kind < 3; kind++) {
                uint64_t rng = 99;
                const carom_scene_body bodies[2] = {body_at(0, 0, 0, 0, 1e-3, 1), body_at(0, 0, INFINITY, 0, 1e-3, 1)};
                carom_scene_body two[2] = {bodies[0], bodies[1]};
                two[1].vx = 0;
                carom_scene_desc d = carom_scene_desc_default();
                d.bodies = kind == 0 ? two : two + 1;
                d.body_count = kind == 0 ? 2 : 1;
                d.walls = &wall, d.wall_count = kind == 1;
                d.polygons = &polygon, d.polygon_count = kind == 2;
                d.engine = (carom_engine)engine;
                carom_scene *scene = make_scene(&d);
                carom_worlds *worlds = scene_worlds(scene, SHOTS, CAROM_F64, CAROM_ISA_DEFAULT, 1);
                scene_state s = scene_state_new(d.body_count);
                const uint32_t b = d.body_count - 1;
                bool near[SHOTS];
                for (size_t w = 0; w < SHOTS; w++) {
                    const double angle = rng_in(&rng, 0.2, PI - 0.2), miss = rng_in(&rng, -5e-3, 5e-3);
                    const double ux = cos(angle), uy = -sin(angle); /* down */
                    scene_get(worlds, w, &s);
                    s.number[b] = -5 * ux - miss * uy;
                    s.number[s.n + b] = -5 * uy + miss * ux;
                    s.number[2 * s.n + b] = 10 * ux; /* 10 = 10,000 radii a tick */
                    s.number[3 * s.n + b] = 10 * uy;
                    scene_put(worlds, w, &s);
                    /* How near does its line come to the target's points? */
                    double reach = INFINITY;
                    const double px[] = {kind == 0 ? 0 : -0.003, kind == 0 ? 0 : 0.003, 0}, py[] = {0, 0, 0.004};
                    double low = INFINITY, high = -INFINITY;
                    for (int p = 0; p < (kind == 0 ? 1 : kind == 1 ? 2 : 3); p++) {
                        const double across = px[p] * -uy + py[p] * ux - miss;
                        low = fmin(low, across), high = fmax(high, across);
                    }
                    reach = low <= 0 && high >= 0 ? 0 : fmin(fabs(low), fabs(high));
                    const double radii = kind == 0 ? 2e-3 : 1e-3;
                    near[w] = reach < radii;
                    assert_true(fabs(reach - radii) > 1e-9);
                }
                must(carom_worlds_step(worlds, 1, 1), "carom_worlds_step");
                size_t hits = 0;
                for (size_t w = 0; w < SHOTS; w++) {
                    scene_get(worlds, w, &s);
                    const bool went_on =
                        y_of(&s, b) < -4.5 * fabs(vy_of(&s, b)) / 10 && hypot(vx_of(&s, b), vy_of(&s, b)) > 9.999;
                    const bool straight = went_on && fabs(hypot(x_of(&s, b), y_of(&s, b)) - 5) < 1e-5;
                    hits += near[w];
                    if (near[w]) { /* turned: it is not where it would have been */
                        assert_true(carom_worlds_counters(worlds).events > 0);
                    }
                    assert_true(near[w] || straight);
                }
                assert_true(carom_worlds_counters(worlds).events == hits && hits > SHOTS / 5 && hits < SHOTS);
                scene_state_free(&s);
                carom_worlds_destroy(worlds);
                carom_scene_destroy(scene);
            }
        }
}

/* ---- nothing hangs ---- */

/* Disks that lose most of their energy at each impact, pressed together between two walls, and in a dense box. */
static void test_inelastic_collapse(void **state)
{
    (void)state;
    for
        BOTH_ENGINES(engine)
        {
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
                print_message("%d %d faults %zu impacts %llu\n", engine, k, faults,
                              (unsigned long long)carom_worlds_counters(worlds).events);
                assert_inside(&g.desc, &s);
                assert_true(closest(&g.desc, &s) >= 1 - 1e-9);
                scene_state_free(&s);
                carom_worlds_destroy(worlds);
                carom_scene_destroy(scene);
                free(g.bodies);
            }
        }
}

/* A heap under gravity comes to rest: no fault, no fall through the floor, bounded impacts a tick. */
static void test_resting(void **state)
{
    (void)state;
    for
        BOTH_ENGINES(engine)
        {
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
                for (int tick = 0; tick < 60; tick++) {
                    play(&s, 0.25, 1);
                    for (uint32_t b = 0; b < 9; b++) {
                        assert_true(y_of(&s.state, b) >= -2 + g.bodies[b].radius * (1 - 1e-9));
                    }
                    assert_true(closest(&g.desc, &s.state) >= 1 - 1e-9);
                }
                const sums end = sums_of(&g.desc, &s.state);
                print_message("%d %d energy %g impacts %llu\n", engine, k, end.energy,
                              (unsigned long long)impacts_of(&s));
                close_stage(&s);
                free(g.bodies);
            }
        }
}

/* ---- batches ---- */

static void test_threads_and_instruction_sets(void **state)
{
    (void)state;
    carom_isa isas[CAROM_ISA_COUNT];
    const size_t isa_count = usable_isas(isas);
    for (int bits = 32; bits <= 64; bits += 32) {
        gas g = gas_of(110, 12, 4, 0.3, true, CAROM_SIDES_SOLID);
        uint64_t want = 0;
        for
            BOTH_ENGINES(engine)
            {
                g.desc.engine = (carom_engine)engine;
                carom_scene *scene = make_scene(&g.desc);
                for (size_t i = 0; i < isa_count; i++) {
                    for (unsigned threads = 1; threads <= 4; threads += 3) {
                        carom_worlds *worlds = scene_worlds(scene, 50, (carom_precision)bits, isas[i], threads);
                        scene_state s = scene_state_new(12);
                        uint64_t rng = 3, digest = 0;
                        for (size_t w = 0; w < 50; w++) {
                            scene_get(worlds, w, &s);
                            for (size_t f = 24; f < 48; f++) {
                                s.number[f] = (double)(float)rng_in(&rng, -2, 2);
                            }
                            scene_put(worlds, w, &s);
                        }
                        must(carom_worlds_step(worlds, 0.8, 5), "carom_worlds_step");
                        must(carom_worlds_digest(worlds, &digest), "carom_worlds_digest");
                        want = want == 0 ? digest : want;
                        assert_true(digest == want);
                        assert_true(carom_worlds_counters(worlds).events > 1000);
                        scene_state_free(&s);
                        carom_worlds_destroy(worlds);
                    }
                }
                carom_scene_destroy(scene);
            }
        free(g.bodies);
    }
}

/* A save, a load into another batch, a fork and a record in the middle change no bit. */
static void test_save_and_fork(void **state)
{
    (void)state;
    for
        BOTH_ENGINES(engine)
        {
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
            scene_state_free(&s);
            scene_state_free(&t);
            free(buffer);
            carom_worlds_destroy(a);
            carom_worlds_destroy(b);
            carom_worlds_destroy(c);
            carom_scene_destroy(scene);
            free(g.bodies);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_conservation),     cmocka_unit_test(test_losses),
        cmocka_unit_test(test_long_drift),       cmocka_unit_test(test_no_overlap_at_any_event),
        cmocka_unit_test(test_time_reversal),    cmocka_unit_test(test_permutation),
        cmocka_unit_test(test_mirrors),          cmocka_unit_test(test_target_and_two),
        cmocka_unit_test(test_disk_in_a_square), cmocka_unit_test(test_disk_in_a_circle),
        cmocka_unit_test(test_no_tunnelling),    cmocka_unit_test(test_inelastic_collapse),
        cmocka_unit_test(test_resting),          cmocka_unit_test(test_threads_and_instruction_sets),
        cmocka_unit_test(test_save_and_fork),
    };
    if (getenv("CAROM_TEST_ONLY") != NULL) {
        cmocka_set_test_filter(getenv("CAROM_TEST_ONLY"));
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
