/* SPDX-License-Identifier: MIT
 * One large world: a scene of equal disks against the gas, short ticks against long ones, walls that are never hit
 * against none, polygons that are hit, simultaneous impacts against the same ones at different times, a tight limit of
 * events against a wide one, creating a world and its first tick, rollouts of one world by threads.
 *
 * Gas and scene play the same disks in the same periodic box, from one equilibrated state. Every case counts collisions
 * a second, of bodies with anything, on one thread; each world plays for a while before it is timed. The baseline of
 * each ratio is in the comment of the table in main().
 */
#include "bench/common/harness.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MOST 64       /* cases */
#define EQUILIBRATE 8 /* units of time; */
#define LARGE 100000  /* from this many bodies on, a quarter of them, so that a case takes at most a minute or two */
#define WALLS 16384
#define POLYGONS 1000
#define FUTURES 8  /* of a world, in rollouts */
#define FIRST 0.01 /* length of the first tick after creation */
#define TURN 6.283185307179586

typedef enum large_kind { GAS, PERIODIC, LAYER, LATTICE, POLYGON, ROLLOUTS, NEW_GAS, NEW_SCENE } large_kind;
typedef enum large_walls { NO_WALLS, WALLS_INSIDE, WALLS_OUTSIDE } large_walls;

typedef struct large {
    large_kind kind;
    uint32_t bodies;
    double packing;
    carom_precision precision;
    double dt; /* ticks of an iteration, which is one unit of time, have this length */
    large_walls walls;
    bool jittered;
    bool limited;     /* by the default of max_events: some ten times what happens */
    unsigned threads; /* of rollouts */
    uint64_t impacts; /* of a future */
    /* Made when first used. */
    carom_gas *gas;
    carom_scene *scene;
    carom_worlds *worlds;
} large;

static uint64_t draws;

static double draw(double from, double to)
{
    draws = draws * 6364136223846793005u + 1442695040888963407u;
    return from + (to - from) * (double)(draws >> 11) / 9007199254740992.0;
}

/* ---- scenes ---- */

typedef struct drawing {
    carom_scene_desc desc;
    carom_scene_body *bodies;
    carom_scene_wall *walls;
    carom_scene_polygon *polygons;
    double *corners;
} drawing;

static drawing begin(const large *c, double side, carom_scene_sides sides)
{
    drawing d = {carom_scene_desc_default(), carom_bench_take(c->bodies, sizeof *d.bodies), NULL, NULL, NULL};
    for (uint32_t i = 0; i < c->bodies; i++) {
        d.bodies[i] = carom_scene_body_default();
        d.bodies[i].radius = 0.5;
    }
    d.desc.bodies = d.bodies;
    d.desc.body_count = c->bodies;
    d.desc.box.x1 = d.desc.box.y1 = side;
    d.desc.box.horizontal = d.desc.box.vertical = sides;
    d.desc.engine = CAROM_ENGINE_DEEP;
    d.desc.max_events = c->limited ? 0 : 1000 * c->bodies;
    d.desc.dt = c->dt;
    return d;
}

static double equilibrating(const large *c)
{
    return c->bodies < LARGE ? EQUILIBRATE : EQUILIBRATE / 4.0;
}

/* A gas that has run for `time`. */
static carom_gas *make_gas(const large *c, double time)
{
    carom_gas_desc desc = carom_gas_desc_default();
    carom_gas *gas;
    desc.bodies = c->bodies;
    desc.packing = c->packing;
    desc.precision = c->precision;
    carom_bench_demand(carom_gas_create(&desc, &gas), "create a gas");
    carom_bench_demand(carom_gas_run(gas, time, NULL, NULL), "run a gas");
    return gas;
}

/* The gas's disks. */
static drawing draw_periodic(const large *c)
{
    carom_gas *gas = make_gas(c, equilibrating(c));
    const size_t n = c->bodies;
    double *state = carom_bench_take(4 * n, sizeof *state);
    carom_bench_demand(carom_gas_get(gas, state, state + n, state + 2 * n, state + 3 * n), "read a gas");
    drawing d = begin(c, carom_gas_side(gas), CAROM_SIDES_PERIODIC);
    for (size_t i = 0; i < n; i++) {
        d.bodies[i].x = state[i], d.bodies[i].y = state[n + i];
        d.bodies[i].vx = state[2 * n + i], d.bodies[i].vy = state[3 * n + i];
    }
    free(state);
    carom_gas_destroy(gas);
    return d;
}

/* On a square lattice from (x, y) on. */
static void set_lattice(const large *c, const drawing *d, double y, double step, double speed)
{
    const uint32_t rows = (uint32_t)ceil(sqrt((double)c->bodies));
    for (uint32_t i = 0; i < c->bodies; i++) {
        const double turn = draw(0, TURN);
        d->bodies[i].x = (i % rows + 0.5) * step;
        d->bodies[i].y = y + (i / rows + 0.5) * step;
        d->bodies[i].vx = speed * cos(turn);
        d->bodies[i].vy = speed * sin(turn);
    }
}

/* Disks in the lower half of a box that a wall divides; the other walls are spread through the upper half, or above
 * the box. */
static drawing draw_layer(const large *c)
{
    const double rows = ceil(sqrt((double)c->bodies)), step = sqrt(0.785398163 / c->packing), side = rows * step;
    drawing d = begin(c, side, CAROM_SIDES_SOLID);
    set_lattice(c, &d, 0, step, 1);
    d.desc.box.y1 = 2 * side;
    d.desc.wall_count = 1 + (c->walls != NO_WALLS ? WALLS : 0);
    d.walls = carom_bench_take(d.desc.wall_count, sizeof *d.walls);
    d.desc.walls = d.walls;
    d.walls[0] = (carom_scene_wall){-1, side + 0.5, side + 1, side + 0.5, 1, false, false};
    const double from = c->walls == WALLS_INSIDE ? side + 2 : 2 * side + 2;
    for (uint32_t w = 1; w < d.desc.wall_count; w++) {
        const double x = draw(0, side), y = draw(from, from + side - 3), turn = draw(0, TURN);
        d.walls[w] = (carom_scene_wall){x, y, x + 0.5 * cos(turn), y + 0.5 * sin(turn), 1, false, false};
    }
    return d;
}

/* Neighbours fly at each other: all pairs meet at the same times, or with `jittered` nearly so. */
static drawing draw_lattice(const large *c)
{
    const uint32_t rows = (uint32_t)ceil(sqrt((double)c->bodies));
    drawing d = begin(c, 2.0 * rows, CAROM_SIDES_SOLID);
    for (uint32_t i = 0; i < c->bodies; i++) {
        const uint32_t column = i % rows, row = i / rows;
        const double more = c->jittered ? draw(0.999, 1.001) : 1;
        d.bodies[i].x = 2 * column + 1;
        d.bodies[i].y = 2 * row + 1;
        d.bodies[i].vx = more * (column % 2 == 0 ? 1 : -1);
        d.bodies[i].vy = 0;
    }
    return d;
}

/* Disks between pentagons in gaps of the lattice from which the disks start. */
static drawing draw_polygons(const large *c)
{
    const double rows = ceil(sqrt((double)c->bodies)), step = sqrt(0.785398163 / c->packing), side = rows * step;
    drawing d = begin(c, side, CAROM_SIDES_SOLID);
    set_lattice(c, &d, 0, step, 1);
    d.polygons = carom_bench_take(POLYGONS, sizeof *d.polygons);
    d.corners = carom_bench_take((size_t)POLYGONS * 10, sizeof *d.corners);
    d.desc.polygons = d.polygons;
    d.desc.polygon_count = POLYGONS;
    for (uint32_t p = 0; p < POLYGONS; p++) {
        double *x = d.corners + (size_t)p * 10, *y = x + 5;
        const double turn = draw(0, TURN);
        for (int k = 0; k < 5; k++) {
            x[k] = (p * 9 % 99 + 1) * step + 0.3 * cos(turn + k * TURN / 5);
            y[k] = (p * 9 / 99 + 1) * step + 0.3 * sin(turn + k * TURN / 5);
        }
        d.polygons[p] = (carom_scene_polygon){x, y, 5, 1, false};
    }
    return d;
}

static void drop(drawing *d)
{
    free(d->bodies);
    free(d->walls);
    free(d->polygons);
    free(d->corners);
}

static carom_worlds_desc batch_of(const large *c)
{
    carom_worlds_desc desc = carom_worlds_desc_default(carom_scene_game(c->scene));
    desc.count = 1;
    desc.precision = c->precision;
    desc.threads = c->threads;
    return desc;
}

static void make_scene(large *c)
{
    draws = c->bodies;
    drawing d = c->kind == PERIODIC || c->kind == ROLLOUTS ? draw_periodic(c)
                : c->kind == LAYER                         ? draw_layer(c)
                : c->kind == LATTICE                       ? draw_lattice(c)
                                                           : draw_polygons(c);
    carom_bench_demand(carom_scene_create(&d.desc, &c->scene, NULL), "create a scene");
    drop(&d);
    const carom_worlds_desc desc = batch_of(c);
    carom_bench_demand(carom_worlds_create(&desc, &c->worlds), "create worlds");
    if (c->kind != LATTICE) {
        carom_bench_demand(carom_worlds_step(c->worlds, c->dt, (size_t)lround(1 / c->dt)), "step");
    }
}

static uint64_t collisions_of(const large *c)
{
    if (c->gas == NULL) {
        return carom_worlds_counters(c->worlds).events;
    }
    carom_gas_measures m;
    carom_bench_demand(carom_gas_measure(c->gas, &m), "measure a gas");
    return m.collisions;
}

/* ---- rollouts ---- */

/* No player acts, so every future is the same tick; the first time it is played to count its impacts. */
static void run_rollouts(const void *argument, uint64_t iterations, bench_sample *sample)
{
    large *c = (large *)(uintptr_t)argument;
    static double returns[FUTURES];
    if (c->scene == NULL) {
        make_scene(c);
        const carom_worlds_desc desc = batch_of(c);
        carom_worlds *copy;
        carom_bench_demand(carom_worlds_create(&desc, &copy), "create worlds");
        carom_bench_demand(carom_worlds_fork(copy, 0, 1, c->worlds, 0), "fork");
        carom_bench_demand(carom_worlds_step(copy, c->dt, 1), "step");
        c->impacts = carom_worlds_counters(copy).events;
        carom_worlds_destroy(copy);
    }
    carom_rollout_desc desc = carom_rollout_desc_default(carom_scene_game(c->scene));
    desc.sequences = FUTURES;
    desc.players[0].source = CAROM_ZERO;
    for (uint64_t k = 0; k < iterations; k++) {
        carom_bench_start(sample);
        const carom_status status = carom_rollout(c->worlds, &desc, returns, NULL, NULL);
        carom_bench_stop(sample);
        carom_bench_demand(status, "roll out");
        sample->items += (double)c->impacts * FUTURES;
    }
}

/* ---- from creation to the end of the first tick: an item is a body ---- */

static void begin_scene(large *c, const carom_scene_desc *described)
{
    carom_bench_demand(carom_scene_create(described, &c->scene, NULL), "create a scene");
    const carom_worlds_desc desc = batch_of(c);
    carom_bench_demand(carom_worlds_create(&desc, &c->worlds), "create worlds");
    carom_bench_demand(carom_worlds_step(c->worlds, FIRST, 1), "step");
}

static void forget(large *c)
{
    carom_gas_destroy(c->gas);
    carom_worlds_destroy(c->worlds);
    carom_scene_destroy(c->scene);
    c->gas = NULL;
    c->worlds = NULL;
    c->scene = NULL;
}

/* Each is made twice, and the second time counts: it gets memory that was just freed. What a virtual machine's host
 * needs to give memory for the first time is twice as long as all the rest, and comes when it likes. */
static void run_new(const void *argument, uint64_t iterations, bench_sample *sample)
{
    large *c = (large *)(uintptr_t)argument;
    static drawing d;
    static uint32_t drawn; /* bodies of d */
    if (drawn != c->bodies) {
        drop(&d);
        d = draw_periodic(c);
        drawn = c->bodies;
    }
    for (uint64_t k = 0; k < 2 * iterations; k++) {
        const bool counts = k % 2 != 0;
        if (counts) {
            carom_bench_start(sample);
        }
        if (c->kind == NEW_GAS) {
            c->gas = make_gas(c, FIRST);
        } else {
            begin_scene(c, &d.desc);
        }
        if (counts) {
            carom_bench_stop(sample);
            sample->items += (double)c->bodies;
        }
        if (c->kind == NEW_SCENE) {
            const carom_worlds_desc desc = batch_of(c);
            sample->counters[0] = (double)carom_worlds_bytes(&desc) / (double)c->bodies;
        }
        forget(c);
    }
}

static void run_large(const void *argument, uint64_t iterations, bench_sample *sample)
{
    large *c = (large *)(uintptr_t)argument;
    if (c->gas == NULL && c->kind == GAS) {
        c->gas = make_gas(c, equilibrating(c));
    } else if (c->scene == NULL && c->kind != GAS) {
        make_scene(c);
    }
    for (uint64_t k = 0; k < iterations; k++) {
        if (c->kind == LATTICE) { /* from the start each time: the symmetry is lost otherwise */
            carom_bench_demand(carom_worlds_reset(c->worlds), "reset");
        }
        const uint64_t before = collisions_of(c);
        carom_bench_start(sample);
        const carom_status status = c->gas != NULL ? carom_gas_run(c->gas, 1, NULL, NULL)
                                                   : carom_worlds_step(c->worlds, c->dt, (size_t)lround(1 / c->dt));
        carom_bench_stop(sample);
        carom_bench_demand(status, "play");
        sample->items += (double)(collisions_of(c) - before);
    }
    if (c->worlds != NULL && carom_worlds_faults(c->worlds, NULL) != 0) {
        carom_bench_die("%u bodies: a fault", c->bodies);
    }
}

/* ---- the table ---- */

static large cases[MOST];
static size_t used;

static size_t add(bench *b, large c, size_t baseline, const char *name)
{
    cases[used] = c;
    bench_body *body = c.kind == ROLLOUTS                         ? run_rollouts
                       : c.kind == NEW_GAS || c.kind == NEW_SCENE ? run_new
                                                                  : run_large;
    bench_case made = carom_bench_case(body, &cases[used++]);
    made.threads = c.threads;
    carom_bench_name(&made, "%s/%u/f%d", name, c.bodies, (int)c.precision);
    made.baselines[0] = baseline;
    return carom_bench_add(b, &made);
}

static large describe(large_kind kind, uint32_t bodies, double packing)
{
    const large c = {kind, bodies, packing, CAROM_F64, 1, NO_WALLS, false, false, 1, 0, NULL, NULL, NULL};
    return c;
}

int main(int argc, char **argv)
{
    static const bench_program program = {
        "Large worlds", "M impacts/s", 1e-6, {"x base"}, {{"bytes_per_body", "bytes/body", 1}}};
    static const char *const packings[] = {"0.3", "0.5", "0.7"};
    bench *b = carom_bench_create(argc, argv, &program);
    const bool quick = carom_bench_is_quick(b);
    for (int p = 0; p < 3; p++) { /* base: the gas; of the tenths: one tick of 1 */
        uint32_t n = 1000;
        for (int k = 0; k < (quick ? 2 : 4); k++, n *= 10) {
            char name[32];
            large c = describe(GAS, n, strtod(packings[p], NULL));
            const size_t gas = add(b, c, BENCH_NONE, strcat(strcpy(name, "gas/"), packings[p]));
            c.kind = PERIODIC;
            const size_t scene = add(b, c, gas, strcat(strcpy(name, "scene/"), packings[p]));
            if (p == 1 && n <= 10000) {
                c.dt = 0.1;
                add(b, c, scene, "tenths/0.5");
                c.dt = 1;
                c.limited = true; /* base: far from its limit */
                add(b, c, scene, "limit/0.5");
            }
        }
    }
    for (int k = 0; k < 2; k++) { /* base: without walls */
        large c = describe(LAYER, k == 0 ? 1000 : 10000, 0.3);
        const size_t none = add(b, c, BENCH_NONE, "walls/none");
        c.walls = WALLS_INSIDE;
        add(b, c, none, "walls/inside");
        c.walls = WALLS_OUTSIDE;
        add(b, c, none, "walls/outside");
    }
    add(b, describe(POLYGON, 10000, 0.2), BENCH_NONE, "polygons");
    for (uint32_t n = 10000; n <= (quick ? 10000 : 1000000); n *= 100) { /* base: the gas; an item is a body */
        const size_t gas = add(b, describe(NEW_GAS, n, 0.5), BENCH_NONE, "create/gas");
        add(b, describe(NEW_SCENE, n, 0.5), gas, "create/scene");
    }
    size_t one = BENCH_NONE;
    for (unsigned threads = 1; threads <= FUTURES; threads *= 2) { /* base: one thread */
        char name[32];
        large c = describe(ROLLOUTS, 10000, 0.5);
        c.dt = 0.1;
        c.threads = threads;
        snprintf(name, sizeof name, "rollouts/threads:%u", threads);
        const size_t number = add(b, c, one, name);
        one = one == BENCH_NONE ? number : one;
    }
    static const uint32_t lattices[] = {10000, 20000, 50000};
    for (int k = 0; k < (quick ? 1 : 3); k++) { /* base: jittered */
        large c = describe(LATTICE, lattices[k], 0);
        c.jittered = true;
        const size_t jittered = add(b, c, BENCH_NONE, "jittered");
        c.jittered = false;
        add(b, c, jittered, "lattice");
    }
    return carom_bench_run(b);
}
