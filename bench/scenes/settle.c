/* SPDX-License-Identifier: MIT
 * Bodies that lean on each other: the cost of settling ("Settling" in carom/scene.h), in body-ticks a second on one
 * thread.
 *
 *     wedged      disks at rest that fill a box exactly, under gravity, restitution 0
 *     heap        400 disks that have fallen on a floor and spread, restitution 0
 *     football    a ball, two teams of 3 and the posts of the goals; all players push to one side, corner to corner,
 *                 from the kick-off on: what a trained team does
 *
 * Baselines: the same bodies far apart, which never collide: wedged and heap in a box twice as wide and without
 * gravity, at rest; football with all players passing through each other, the walls and the ball.
 */
#include "bench/common/harness.h"

#include <math.h>
#include <stdlib.h>

#define MOST 16 /* cases */
#define DT (1 / 60.)
#define WEDGED 100 /* disks a side */
#define HEAP 20
#define SETTLED 120 /* ticks that a heap has fallen for */
#define GAMES 1024  /* of football */
#define PLAYERS 6
#define POSTS 4

typedef enum crowd_kind { WEDGE, HEAPED, FOOTBALL } crowd_kind;

typedef struct crowd {
    crowd_kind kind;
    bool apart;
    carom_precision precision;
    /* Made when first used. */
    carom_scene *scene;
    carom_worlds *worlds, *start;
    float *actions;
    uint32_t bodies;
} crowd;

static void make_scene(crowd *c, const carom_scene_desc *desc)
{
    carom_bench_demand(carom_scene_create(desc, &c->scene, NULL), "create a scene");
    c->bodies = desc->body_count;
}

static void make_pile(crowd *c)
{
    const uint32_t side = c->kind == WEDGE ? WEDGED : HEAP;
    carom_scene_body *bodies = carom_bench_take((size_t)side * side, sizeof *bodies);
    carom_scene_desc desc = carom_scene_desc_default();
    const double step = c->apart ? 4 : c->kind == WEDGE ? 2 : 2.2;
    for (uint32_t k = 0; k < side * side; k++) {
        bodies[k] = carom_scene_body_default();
        bodies[k].x = 1 + step * (k % side) + (c->kind == HEAPED ? 0.003 * (k * 7 % 31) : 0);
        bodies[k].y = 1 + step * (k / side);
        bodies[k].ay = c->apart ? 0 : -9.81;
        bodies[k].restitution = 0;
    }
    desc.bodies = bodies;
    desc.body_count = side * side;
    desc.box.x1 = step * side;
    desc.box.y1 = 1000;
    desc.box.horizontal = c->kind == WEDGE ? CAROM_SIDES_SOLID : CAROM_SIDES_OPEN;
    desc.box.vertical = CAROM_SIDES_SOLID;
    desc.dt = DT;
    desc.engine = CAROM_ENGINE_DEEP;
    make_scene(c, &desc);
    free(bodies);
}

static void make_football(crowd *c)
{
    carom_scene_body bodies[1 + PLAYERS + POSTS];
    carom_scene_wall walls[4];
    carom_scene_desc desc = carom_scene_desc_default();
    for (uint32_t k = 0; k < 1 + PLAYERS + POSTS; k++) {
        carom_scene_body *b = &bodies[k];
        *b = carom_scene_body_default();
        b->restitution = 0.5;
        if (k == 0) {
            b->radius = 10, b->damping = 0.01;
        } else if (k <= PLAYERS) {
            b->x = k % 2 == 0 ? -277.5 : 277.5, b->y = 60.0 * ((k - 1) / 2) - 60;
            b->radius = 15, b->mass = 2, b->damping = 0.04, b->acts = true, b->player = (k + 1) % 2;
        } else {
            b->x = k % 2 == 0 ? -370 : 370, b->y = (k - PLAYERS - 1) / 2 == 0 ? -64 : 64;
            b->radius = 8, b->mass = INFINITY;
        }
        b->category = c->apart ? 1u << k : 1;
        b->mask = c->apart ? 0 : UINT32_MAX;
    }
    for (int k = 0; k < 4; k++) {
        const double x = k % 2 == 0 ? -370 : 370, y = k / 2 == 0 ? -1 : 1;
        const carom_scene_wall wall = {x, 64 * y, x, 170 * y, 1, false, false};
        walls[k] = wall;
    }
    desc.bodies = bodies;
    desc.body_count = 1 + PLAYERS + POSTS;
    desc.walls = walls;
    desc.wall_count = c->apart ? 0 : 4;
    desc.box.x0 = -400, desc.box.y0 = -170, desc.box.x1 = 400, desc.box.y1 = 170;
    desc.box.horizontal = desc.box.vertical = c->apart ? CAROM_SIDES_OPEN : CAROM_SIDES_SOLID;
    desc.box.restitution = 0.6;
    desc.action_scale = 0.2;
    make_scene(c, &desc);
}

static carom_worlds *batch_of(const crowd *c)
{
    carom_worlds_desc desc = carom_worlds_desc_default(carom_scene_game(c->scene));
    carom_worlds *worlds;
    desc.count = c->kind == FOOTBALL ? GAMES : 1;
    desc.precision = c->precision;
    desc.threads = 1;
    carom_bench_demand(carom_worlds_create(&desc, &worlds), "create worlds");
    return worlds;
}

static void prepare(crowd *c)
{
    if (c->kind == FOOTBALL) {
        const size_t numbers = (size_t)GAMES * PLAYERS * 2;
        make_football(c);
        c->actions = carom_bench_take(numbers, sizeof *c->actions);
        for (size_t k = 0; k < numbers; k++) {
            c->actions[k] = 1;
        }
    } else {
        make_pile(c);
    }
    c->worlds = batch_of(c);
    c->start = batch_of(c);
    if (c->kind == HEAPED) {
        carom_bench_demand(carom_worlds_step(c->start, DT, SETTLED), "step");
    }
}

/* Football plays 256 ticks from the kick-off and restarts; piles rest, and heaps restart from their saved state. */
static void run_crowd(const void *argument, uint64_t iterations, bench_sample *sample)
{
    crowd *c = (crowd *)(uintptr_t)argument;
    if (c->worlds == NULL) {
        prepare(c);
    }
    const size_t ticks = c->kind == FOOTBALL ? 256 : c->kind == WEDGE ? 2 : 10;
    const carom_counters before = carom_worlds_counters(c->worlds);
    for (uint64_t i = 0; i < iterations; i++) {
        carom_bench_demand(carom_worlds_copy(c->worlds, 0, c->start, 0, c->kind == FOOTBALL ? GAMES : 1), "copy");
        carom_step step = carom_step_default();
        step.repeat = (uint32_t)ticks;
        step.actions = c->actions;
        carom_bench_start(sample);
        const carom_status status = carom_worlds_play(c->worlds, &step);
        carom_bench_stop(sample);
        carom_bench_demand(status, "play");
    }
    if (carom_worlds_faults(c->worlds, NULL) != 0) {
        carom_bench_die("%zu worlds have a fault", carom_worlds_faults(c->worlds, NULL));
    }
    const carom_counters after = carom_worlds_counters(c->worlds);
    const double world_ticks = (double)(iterations * ticks) * (c->kind == FOOTBALL ? GAMES : 1);
    sample->items = world_ticks * c->bodies;
    sample->counters[0] = sample->seconds / sample->items;
    sample->counters[1] = world_ticks / sample->seconds;
    sample->counters[2] = (double)(after.events - before.events) / world_ticks / c->bodies;
}

int main(int argc, char **argv)
{
    static const bench_program program = {"Bodies that lean on each other",
                                          "M body-ticks/s",
                                          1e-6,
                                          {"x apart"},
                                          {{"microseconds_per_body", "us/body-tick", 1e6},
                                           {"world_ticks_per_second", "k world-ticks/s", 1e-3},
                                           {"impacts_per_body", "impacts/body-tick", 1}}};
    static const char *const names[] = {"wedged", "heap", "football"};
    bench *b = carom_bench_create(argc, argv, &program);
    crowd *crowds = carom_bench_take(MOST, sizeof *crowds);
    size_t used = 0;
    for (int kind = WEDGE; kind <= FOOTBALL; kind++) {
        for (int precision = CAROM_F32; precision <= CAROM_F64; precision += CAROM_F64 - CAROM_F32) {
            size_t apart = BENCH_NONE;
            for (int leans = 0; leans < 2; leans++) {
                crowd *c = &crowds[used++];
                c->kind = (crowd_kind)kind;
                c->apart = leans == 0;
                c->precision = (carom_precision)precision;
                bench_case of = carom_bench_case(run_crowd, c);
                carom_bench_name(&of, "%s/%s/f%d", names[kind], c->apart ? "apart" : "leaning", precision);
                of.baselines[0] = apart;
                apart = carom_bench_add(b, &of);
            }
        }
    }
    return carom_bench_run(b);
}
