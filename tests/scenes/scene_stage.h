/* SPDX-License-Identifier: MIT
 * Scenes as physics: random gases, one world on a stage, and its measurements.
 */
#ifndef CAROM_TESTS_SCENES_SCENE_STAGE_H
#define CAROM_TESTS_SCENES_SCENE_STAGE_H

#include "scene_batch.h"

#include <inttypes.h>

#define PI 3.14159265358979323846

/* Bodies of a lattice with random velocities. */
typedef struct gas {
    carom_scene_desc desc;
    carom_scene_body *bodies;
    double radius; /* of the greatest */
} gas;

/* n bodies in a square of side 2 * half around the origin: radii and masses mixed, or all the same. */
static inline gas gas_of(uint64_t seed, uint32_t n, double half, double packing, bool mixed, carom_scene_sides sides)
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
        g.bodies[k] = body_at(x, y, 0, 0, mixed ? g.radius * rng_in(&rng, 0.4, 1) : g.radius, 1);
        g.bodies[k].vx = rng_in(&rng, -1, 1);
        g.bodies[k].vy = rng_in(&rng, -1, 1);
        g.bodies[k].mass = mixed ? rng_in(&rng, 0.2, 3) : 1;
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

static inline stage stage_of(const carom_scene_desc *desc, int engine, carom_precision precision)
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

static inline void end_stage(stage *s)
{
    carom_worlds_destroy(s->worlds);
    carom_scene_destroy(s->scene);
    end_scene_state(&s->state);
}

/* Plays on, without a fault, and looks. */
static inline void play(stage *s, double dt, size_t ticks)
{
    must(carom_worlds_step(s->worlds, dt, ticks), "carom_worlds_step");
    assert_int_equal(carom_worlds_faults(s->worlds, NULL), 0);
    scene_get(s->worlds, 0, &s->state);
}

static inline double x_of(const scene_state *s, uint32_t k)
{
    return s->number[k];
}
static inline double y_of(const scene_state *s, uint32_t k)
{
    return s->number[s->n + k];
}
static inline double vx_of(const scene_state *s, uint32_t k)
{
    return s->number[2 * s->n + k];
}
static inline double vy_of(const scene_state *s, uint32_t k)
{
    return s->number[3 * s->n + k];
}

static inline uint64_t impacts_of(const stage *s)
{
    return carom_worlds_counters(s->worlds).events;
}

/* ---- measures ---- */

typedef struct sums {
    double energy, px, py, angular; /* angular: about the origin */
} sums;

static inline sums sums_of(const carom_scene_desc *d, const scene_state *s)
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
static inline double closest(const carom_scene_desc *d, const scene_state *s)
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
            const double sum = d->bodies[i].radius + d->bodies[j].radius;
            if (fabs(dx) < least * sum && fabs(dy) < least * sum) { /* few are: ten thousand bodies take 0.1 s */
                least = fmin(least, hypot(dx, dy) / sum);
            }
        }
    }
    return least;
}

static inline void assert_inside(const carom_scene_desc *d, const scene_state *s)
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

/* How far positions and velocities are apart at most. */
static inline double apart(const scene_state *a, const scene_state *b)
{
    double most = 0;
    for (size_t k = 0; k < 4 * (size_t)a->n; k++) {
        most = fmax(most, fabs(a->number[k] - b->number[k]));
    }
    return most;
}

#endif
