/* SPDX-License-Identifier: MIT
 * Random scenes: see scene_samples.h.
 */
#include "scene_samples.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "tests/random.h"

#define HALF 8.0 /* of the region's side */

static uint32_t below(uint64_t *state, uint32_t n)
{
    return (uint32_t)rng_below(state, (int)n);
}

/* Rounded to a multiple of 1/2 in whole scenes. Every number is a float. */
static double number(const scene_sample *s, uint64_t *rng, double low, double high)
{
    const double value = rng_in(rng, low, high);
    return (double)(float)(s->whole ? floor(2 * value) / 2 : value);
}

/* Everything is generated in a region of side 2 * HALF around the origin, and then scaled and moved. */
static double x_of(const scene_sample *s, double x)
{
    return (double)(float)(s->scale * x + s->x);
}

static double y_of(const scene_sample *s, double y)
{
    return (double)(float)(s->scale * y + s->y);
}

static double size_of(const scene_sample *s, double length)
{
    return (double)(float)(s->scale * length);
}

/* ---- what does not move ---- */

static void make_box(scene_sample *s, uint64_t *rng)
{
    carom_scene_box *box = &s->desc.box;
    box->x0 = box->y0 = -HALF;
    box->x1 = HALF;
    box->y1 = HALF - (double)below(rng, 3);
    box->horizontal = (carom_scene_sides)below(rng, 3);
    box->vertical = rng_one_in(rng, 2) ? box->horizontal : (carom_scene_sides)below(rng, 3);
    box->restitution = rng_one_in(rng, 2) ? 1 : (double)(float)rng_in(rng, 0, 1);
}

static void make_walls(scene_sample *s, uint64_t *rng)
{
    const uint32_t count = rng_one_in(rng, 2) ? 0 : below(rng, SAMPLE_WALLS + 1);
    for (uint32_t k = 0; k < count; k++) {
        carom_scene_wall *w = &s->walls[k];
        w->ax = number(s, rng, -HALF, HALF);
        w->ay = number(s, rng, -HALF, HALF);
        w->bx = rng_one_in(rng, 6) ? w->ax : number(s, rng, -HALF, HALF);
        w->by = rng_one_in(rng, 6) ? w->ay : number(s, rng, -HALF, HALF);
        w->restitution = rng_one_in(rng, 2) ? 1 : rng_in(rng, 0, 1);
        w->one_sided = rng_one_in(rng, 3);
        w->sensor = rng_one_in(rng, 4);
        if (w->ax == w->bx && w->ay == w->by) {
            w->bx += 1;
        }
    }
    s->desc.walls = s->walls;
    s->desc.wall_count = count;
}

/* Convex, or a star; in either direction; now and then around everything. */
static void make_polygons(scene_sample *s, uint64_t *rng)
{
    const uint32_t count = rng_one_in(rng, 2) ? 0 : below(rng, SAMPLE_POLYGONS + 1);
    for (uint32_t k = 0; k < count; k++) {
        carom_scene_polygon *p = &s->polygons[k];
        const bool star = rng_one_in(rng, 2), around = rng_one_in(rng, 5);
        const uint32_t corners = star ? 6 + 2 * below(rng, 2) : 3 + below(rng, SAMPLE_CORNERS - 2);
        const double x = around ? 0 : rng_in(rng, -HALF, HALF), y = around ? 0 : rng_in(rng, -HALF, HALF);
        const double size = around ? rng_in(rng, HALF, 2 * HALF) : rng_in(rng, 0.5, 3), turn = rng_in(rng, 0, 6);
        const double way = rng_one_in(rng, 2) ? -1 : 1;
        for (uint32_t c = 0; c < corners; c++) {
            const double angle = turn + way * 6.283185307179586 * c / corners;
            const double r = star && c % 2 == 0 ? size * 0.5 : size;
            s->corner_x[k][c] = (double)(float)(x + r * cos(angle));
            s->corner_y[k][c] = (double)(float)(y + r * sin(angle));
        }
        if (s->whole && corners == 4) { /* a square, upright */
            const double left = floor(x), low = floor(y), side = ceil(size);
            const double square_x[] = {left, left + side, left + side, left};
            const double square_y[] = {low, low, low + side, low + side};
            memcpy(s->corner_x[k], square_x, sizeof square_x);
            memcpy(s->corner_y[k], square_y, sizeof square_y);
        }
        p->x = s->corner_x[k];
        p->y = s->corner_y[k];
        p->corners = corners;
        p->restitution = rng_one_in(rng, 2) ? 1 : rng_in(rng, 0, 1);
        p->sensor = rng_one_in(rng, 5);
    }
    s->desc.polygons = s->polygons;
    s->desc.polygon_count = count;
}

/* ---- bodies ---- */

static bool is_fixed(const carom_scene_body *b)
{
    return isinf(b->mass);
}

static void place(const scene_sample *s, uint64_t *rng, double *x, double *y, double *vx, double *vy, bool fixed)
{
    *x = number(s, rng, -HALF, HALF);
    *y = number(s, rng, -HALF, HALF - 2);
    *vx = fixed || rng_one_in(rng, 5) ? 0 : number(s, rng, -3, 3);
    *vy = fixed || rng_one_in(rng, 5) ? 0 : number(s, rng, -3, 3);
    if (rng_one_in(rng, 40)) {
        *vx *= 64;
        *vy *= 64;
    }
}

typedef struct bodies_mix {
    double most; /* of a radius */
    bool mixed, bounces, sensors, categories, slow, accelerates, together;
} bodies_mix;

static void make_body(scene_sample *s, uint64_t *rng, const bodies_mix *mix, uint32_t k)
{
    carom_scene_body *b = &s->bodies[k];
    *b = carom_scene_body_default();
    b->radius = mix->mixed ? (rng_one_in(rng, 12) ? 0 : number(s, rng, 0.1 * mix->most, mix->most)) : mix->most / 2;
    b->mass = rng_one_in(rng, 10) ? INFINITY : mix->mixed ? rng_in(rng, 0.1, 4) : 1;
    b->restitution = mix->bounces ? 1 : rng_in(rng, 0, 1);
    b->damping = rng_one_in(rng, 4) && !mix->bounces ? rng_in(rng, 0, 1) : 0;
    place(s, rng, &b->x, &b->y, &b->vx, &b->vy, is_fixed(b));
    b->sensor = mix->sensors && rng_one_in(rng, 4);
    b->inactive = rng_one_in(rng, 12);
    b->slow = mix->slow && !rng_one_in(rng, 3);
    if (mix->categories) {
        b->category = 1u << below(rng, 3);
        b->mask = below(rng, 8) | below(rng, 8);
    }
    if (mix->accelerates && !is_fixed(b)) {
        b->ax = mix->together ? 0 : number(s, rng, -1, 1);
        b->ay = mix->together ? -1 : number(s, rng, -1.5, 0.5);
    }
    b->user = (int32_t)k;
}

/* Touching, at the same position, overlapping. */
static void make_trouble(scene_sample *s, uint64_t *rng)
{
    const uint32_t n = s->desc.body_count;
    for (uint32_t k = 1; k < n; k++) {
        const carom_scene_body *a = &s->bodies[below(rng, k)];
        carom_scene_body *b = &s->bodies[k];
        if (rng_one_in(rng, 6)) {
            b->x = (double)(float)(a->x + (rng_one_in(rng, 2) ? a->radius + b->radius : 0));
            b->y = a->y;
            b->x = fmin(b->x, HALF);
        }
    }
}

/* Their number: often few, now and then many. */
static uint32_t body_count(uint64_t *rng, bool crowd)
{
    if (crowd) {
        return 48 + below(rng, SAMPLE_BODIES - 47);
    }
    return rng_one_in(rng, 8) ? 16 + below(rng, 25) : 2 + below(rng, rng_one_in(rng, 2) ? 4 : 12);
}

/* Scales and moves it. */
static void bring(scene_sample *s)
{
    carom_scene_desc *d = &s->desc;
    d->box.x0 = x_of(s, d->box.x0), d->box.x1 = x_of(s, d->box.x1);
    d->box.y0 = y_of(s, d->box.y0), d->box.y1 = y_of(s, d->box.y1);
    for (uint32_t k = 0; k < d->body_count; k++) {
        carom_scene_body *b = &s->bodies[k];
        b->x = x_of(s, b->x), b->y = y_of(s, b->y);
        b->vx = size_of(s, b->vx), b->vy = size_of(s, b->vy);
        b->ax = size_of(s, b->ax), b->ay = size_of(s, b->ay);
        b->radius = size_of(s, b->radius);
    }
    for (uint32_t k = 0; k < d->wall_count; k++) {
        carom_scene_wall *w = &s->walls[k];
        w->ax = x_of(s, w->ax), w->ay = y_of(s, w->ay);
        w->bx = x_of(s, w->bx), w->by = y_of(s, w->by);
    }
    for (uint32_t k = 0; k < d->polygon_count; k++) {
        for (uint32_t c = 0; c < d->polygons[k].corners; c++) {
            s->corner_x[k][c] = x_of(s, s->corner_x[k][c]);
            s->corner_y[k][c] = y_of(s, s->corner_y[k][c]);
        }
    }
    d->speed_limit *= s->scale;
    d->least_impulse *= s->scale;
}

void scene_sample_make(scene_sample *s, uint64_t seed, bool crowd)
{
    static const double ticks[] = {0.015625, 0.1, 0.5, 1, 3};
    uint64_t state = seed, *rng = &state;
    bodies_mix mix;
    memset(s, 0, sizeof *s);
    s->desc = carom_scene_desc_default();
    s->whole = rng_one_in(rng, 4);
    s->desc.body_count = body_count(rng, crowd);
    s->desc.advance = rng_one_in(rng, 3) ? CAROM_ADVANCE_ALL : CAROM_OWN_CLOCK;
    mix.most = s->whole ? 1 : crowd ? rng_in(rng, 0.05, 0.6) : 1.2;
    mix.mixed = !rng_one_in(rng, 3);
    mix.bounces = rng_one_in(rng, 2);
    mix.sensors = rng_one_in(rng, 3);
    mix.categories = rng_one_in(rng, 4);
    mix.accelerates = rng_one_in(rng, 4);
    mix.together = rng_one_in(rng, 2);
    mix.slow = !mix.accelerates && s->desc.advance == CAROM_OWN_CLOCK && rng_one_in(rng, 3);
    make_box(s, rng);
    make_walls(s, rng);
    make_polygons(s, rng);
    for (uint32_t k = 0; k < s->desc.body_count; k++) {
        make_body(s, rng, &mix, k);
    }
    if (rng_one_in(rng, 2)) {
        make_trouble(s, rng);
    }
    s->desc.bodies = s->bodies;
    s->dt = ticks[crowd ? 1 + below(rng, 3) : below(rng, 5)];
    s->desc.speed_limit = rng_one_in(rng, 6) ? rng_in(rng, 0.5, 4) : INFINITY;
    s->desc.least_impulse = rng_one_in(rng, 6) ? rng_in(rng, 0, 1) : 0;
    s->desc.contact_time = rng_one_in(rng, mix.accelerates ? 8 : 2) ? 0 : rng_one_in(rng, 2) ? 1e-3 : 0.05;
    s->desc.max_events = rng_one_in(rng, 6) ? 1 + below(rng, 8) : crowd ? 400 : rng_one_in(rng, 5) ? 0 : 50;
    s->desc.solver = rng_one_in(rng, 6) ? (carom_toi_variant)below(rng, CAROM_TOI_NORMALISED) : CAROM_TOI_FAST;
    s->desc.user_words = rng_one_in(rng, 4);
    s->scale = rng_one_in(rng, 4) ? ldexp(1, (int)below(rng, 23) - 12) : 1;
    s->x = rng_one_in(rng, 6) ? fmin(1000 * s->scale, 20000) : 0;
    s->y = rng_one_in(rng, 6) ? fmax(-300 * s->scale, -20000) : 0;
    bring(s);
}

/* Parts of circles; now and then a whole one, a half or a quarter, around everything, or smaller than the bodies. */
void scene_sample_add_arcs(scene_sample *s, uint64_t seed)
{
    uint64_t state = seed ^ UINT64_C(0x5deece66d), *rng = &state;
    const uint32_t count = 1 + below(rng, SAMPLE_ARCS);
    for (uint32_t k = 0; k < count; k++) {
        carom_scene_arc *a = &s->arcs[k];
        const bool around = rng_one_in(rng, 4);
        const double x = around ? 0 : number(s, rng, -HALF, HALF), y = around ? 0 : number(s, rng, -HALF, HALF);
        const double radius = around ? rng_in(rng, HALF, 1.5 * HALF) : rng_in(rng, 0.2, 4);
        const int kind = rng_below(rng, 6);
        const double ax = kind < 3 ? 1 : rng_in(rng, -1, 1), ay = kind < 3 ? 0 : rng_in(rng, -1, 1);
        const double bx = kind == 0 ? 1 : kind == 1 ? -1 : kind == 2 ? 0 : rng_in(rng, -1, 1);
        const double by = kind < 2 ? 0 : kind == 2 ? 1 : rng_in(rng, -1, 1);
        a->x = x_of(s, x), a->y = y_of(s, y);
        a->radius = size_of(s, s->whole ? ceil(2 * radius) / 2 : radius);
        a->ax = a->x + size_of(s, ax), a->ay = a->y + size_of(s, ay);
        a->bx = a->x + size_of(s, bx), a->by = a->y + size_of(s, by);
        a->restitution = rng_one_in(rng, 2) ? 1 : rng_in(rng, 0, 1);
        a->sides = rng_one_in(rng, 3) ? (carom_arc_sides)below(rng, 3) : CAROM_ARC_BOTH;
        a->sensor = rng_one_in(rng, 5);
    }
    s->desc.arcs = s->arcs;
    s->desc.arc_count = count;
}

static void let_pass(uint64_t *rng, uint32_t *category, uint32_t *mask)
{
    *category = rng_one_in(rng, 3) ? 1u << below(rng, 3) : 0;
    *mask = rng_one_in(rng, 2) ? below(rng, 8) : 0;
}

void scene_sample_let_pass(scene_sample *s, uint64_t seed)
{
    uint64_t state = ~seed, *rng = &state;
    for (uint32_t k = 0; k < s->desc.body_count; k++) {
        s->bodies[k].category = 1u << below(rng, 3);
        s->bodies[k].mask = rng_one_in(rng, 2) ? 7 : below(rng, 8);
    }
    for (uint32_t k = 0; k < s->desc.wall_count; k++) {
        let_pass(rng, &s->walls[k].category, &s->walls[k].mask);
    }
    for (uint32_t k = 0; k < s->desc.polygon_count; k++) {
        let_pass(rng, &s->polygons[k].category, &s->polygons[k].mask);
    }
    let_pass(rng, &s->desc.box.category, &s->desc.box.mask);
    for (uint32_t k = 0; k < s->desc.arc_count; k++) {
        let_pass(rng, &s->arcs[k].category, &s->arcs[k].mask);
    }
}

void scene_sample_state(const scene_sample *s, uint64_t seed, uint64_t variant, double *x, double *y, double *vx,
                        double *vy, int8_t *active)
{
    uint64_t state = seed ^ (variant * UINT64_C(0x9e3779b97f4a7c15)), *rng = &state;
    for (uint32_t k = 0; k < s->desc.body_count; k++) {
        const carom_scene_body *b = &s->bodies[k];
        x[k] = b->x, y[k] = b->y, vx[k] = b->vx, vy[k] = b->vy;
        active[k] = !b->inactive;
        if (variant == 0) {
            continue;
        }
        active[k] = !rng_one_in(rng, 8);
        if (variant % 2 == 0) {
            place(s, rng, &x[k], &y[k], &vx[k], &vy[k], is_fixed(b));
            x[k] = x_of(s, x[k]), y[k] = y_of(s, y[k]);
            vx[k] = size_of(s, vx[k]), vy[k] = size_of(s, vy[k]);
        } else if (!is_fixed(b)) {
            vx[k] = size_of(s, number(s, rng, -3, 3));
            vy[k] = size_of(s, number(s, rng, -3, 3));
        }
    }
}

void scene_sample_print(const scene_sample *s)
{
    const carom_scene_desc *d = &s->desc;
    fprintf(stderr, "scale %g, at (%g, %g)\n", s->scale, s->x, s->y);
    fprintf(stderr, "advance %d, solver %d, dt %g, max_events %u, speed_limit %g, least_impulse %.17g, contact %g\n",
            (int)d->advance, (int)d->solver, s->dt, d->max_events, d->speed_limit, d->least_impulse, d->contact_time);
    fprintf(stderr, "box %g %g %g %g, sides %d %d, e %.17g %x/%x\n", d->box.x0, d->box.y0, d->box.x1, d->box.y1,
            (int)d->box.horizontal, (int)d->box.vertical, d->box.restitution, d->box.category, d->box.mask);
    for (uint32_t k = 0; k < d->body_count; k++) {
        const carom_scene_body *b = &d->bodies[k];
        fprintf(stderr, "body %u: (%.17g, %.17g) v (%.17g, %.17g) a (%g, %g) r %.17g m %.17g e %.17g", k, b->x, b->y,
                b->vx, b->vy, b->ax, b->ay, b->radius, b->mass, b->restitution);
        fprintf(stderr, " damping %g %x/%x%s%s%s\n", b->damping, b->category, b->mask, b->sensor ? " sensor" : "",
                b->slow ? " slow" : "", b->inactive ? " inactive" : "");
    }
    for (uint32_t k = 0; k < d->wall_count; k++) {
        const carom_scene_wall *w = &d->walls[k];
        fprintf(stderr, "wall %u: (%.17g, %.17g) (%.17g, %.17g) e %.17g %x/%x%s%s\n", k, w->ax, w->ay, w->bx, w->by,
                w->restitution, w->category, w->mask, w->one_sided ? " one-sided" : "", w->sensor ? " sensor" : "");
    }
    for (uint32_t k = 0; k < d->polygon_count; k++) {
        const carom_scene_polygon *p = &d->polygons[k];
        fprintf(stderr, "polygon %u: e %.17g %x/%x%s", k, p->restitution, p->category, p->mask,
                p->sensor ? " sensor" : "");
        for (uint32_t c = 0; c < p->corners; c++) {
            fprintf(stderr, " (%.17g, %.17g)", p->x[c], p->y[c]);
        }
        fprintf(stderr, "\n");
    }
    for (uint32_t k = 0; k < d->arc_count; k++) {
        const carom_scene_arc *a = &d->arcs[k];
        fprintf(stderr, "arc %u: (%.17g, %.17g) r %.17g (%.17g, %.17g) (%.17g, %.17g) e %.17g %x/%x sides %d%s\n", k,
                a->x, a->y, a->radius, a->ax, a->ay, a->bx, a->by, a->restitution, a->category, a->mask, (int)a->sides,
                a->sensor ? " sensor" : "");
    }
}
