/* SPDX-License-Identifier: MIT
 * Lidar: rays a second of one thread, as an observation of a batch, rows included: nine bodies in a room of four walls
 * with two square pillars, so that each ray is tested against 8 bodies and 12 walls. The range is longer than the room,
 * so nothing is skipped. Each body has 16 rays, or 64.
 *
 * After each iteration the observations must equal those of width 1, to the bit. Baselines: width 1 of the same source.
 */
#include "bench/common/harness.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BODIES = 9, WALLS = 12, WORLDS = 2048, MOST = 64 };

typedef struct room {
    uint32_t rays;
    carom_precision precision;
    /* The rest is made by make_room(). */
    carom_scene *scene;
    carom_worlds *start;
    size_t numbers; /* that are seen */
    float *wanted, *seen;
} room;

typedef struct run {
    room *room;
    carom_isa isa;
} run;

/* The walls of a square, around (x, y). */
static void add_square(carom_scene_wall *walls, double x, double y, double half)
{
    static const double corners[5][2] = {{-1, -1}, {1, -1}, {1, 1}, {-1, 1}, {-1, -1}};
    for (int k = 0; k < 4; k++) {
        walls[k] = (carom_scene_wall){.ax = x + half * corners[k][0],
                                      .ay = y + half * corners[k][1],
                                      .bx = x + half * corners[k + 1][0],
                                      .by = y + half * corners[k + 1][1],
                                      .restitution = 1};
    }
}

static carom_scene *make_scene(const room *r)
{
    carom_scene_body bodies[BODIES];
    carom_scene_wall walls[WALLS];
    for (int i = 0; i < BODIES; i++) {
        bodies[i] = carom_scene_body_default();
        bodies[i].radius = 0.4;
        bodies[i].x = 3.0 * (i % 3) - 3;
        bodies[i].y = 3.0 * (i / 3) - 3; /* NOLINT(bugprone-integer-division): the row */
        bodies[i].x_spread = bodies[i].y_spread = 1;
        bodies[i].vx_spread = bodies[i].vy_spread = 0.1;
        bodies[i].acts = true;
    }
    add_square(walls, 0, 0, 6);
    add_square(walls + 4, 1.5, 1.5, 0.3);
    add_square(walls + 8, -1.5, -1.5, 0.3);

    carom_scene_desc desc = carom_scene_desc_default();
    carom_scene *scene;
    carom_problem problem;
    desc.bodies = bodies;
    desc.body_count = BODIES;
    desc.walls = walls;
    desc.wall_count = WALLS;
    desc.lidar.rays = r->rays;
    desc.lidar.range = 20;
    if (carom_scene_create(&desc, &scene, &problem) != CAROM_OK) {
        carom_bench_die("the scene is refused: %s", problem.text);
    }
    return scene;
}

static carom_worlds *make_batch(const room *r, carom_isa isa)
{
    carom_worlds_desc desc = carom_worlds_desc_default(carom_scene_game(r->scene));
    carom_worlds *worlds;
    desc.count = WORLDS;
    desc.precision = r->precision;
    desc.isa = isa;
    desc.threads = 1;
    carom_bench_demand(carom_worlds_create(&desc, &worlds), "create worlds");
    return worlds;
}

static carom_status observe(carom_worlds *worlds, const room *r, float *seen)
{
    carom_step step = carom_step_default();
    const carom_status status =
        carom_game_find_observation_kind(carom_scene_game(r->scene), "lidar", &step.observation_kind);
    step.observations = seen;
    return status == CAROM_OK ? carom_worlds_observe_step(worlds, &step) : status;
}

static void make_room(room *r)
{
    if (r->scene != NULL) {
        return;
    }
    r->scene = make_scene(r);
    carom_observation_kind kind;
    size_t index;
    carom_bench_demand(carom_game_find_observation_kind(carom_scene_game(r->scene), "lidar", &index), "find lidar");
    carom_bench_demand(carom_game_observation_kind(carom_scene_game(r->scene), index, &kind), "describe lidar");
    r->numbers = (size_t)WORLDS * kind.agents * kind.size;
    r->wanted = carom_bench_take(r->numbers, sizeof *r->wanted);
    r->seen = carom_bench_take(r->numbers, sizeof *r->seen);
    r->start = make_batch(r, CAROM_ISA_SCALAR);
    carom_bench_demand(carom_worlds_step(r->start, 1, 20), "mix");
    carom_bench_demand(observe(r->start, r, r->wanted), "observe");
}

static void run_library(const void *argument, uint64_t iterations, bench_sample *sample)
{
    const run *what = argument;
    room *r = what->room;
    make_room(r);
    carom_worlds *worlds = make_batch(r, what->isa);
    carom_bench_demand(carom_worlds_copy(worlds, NULL, r->start, NULL, WORLDS), "copy");
    for (uint64_t i = 0; i < iterations; i++) {
        carom_bench_start(sample);
        const carom_status status = observe(worlds, r, r->seen);
        carom_bench_stop(sample);
        carom_bench_demand(status, "observe");
        if (memcmp(r->seen, r->wanted, r->numbers * sizeof *r->seen) != 0) {
            carom_bench_die("%s, f%d: other bits than width 1", carom_isa_name(what->isa), (int)r->precision);
        }
    }
    sample->items = (double)(iterations * WORLDS * BODIES * r->rays);
    carom_worlds_destroy(worlds);
}

int main(int argc, char **argv)
{
    static const bench_program program = {"Rays against 8 bodies and 12 walls", "M rays/s", 1e-6, {"x scalar"}, {{0}}};
    static const uint32_t rays[] = {16, 64};
    static room rooms[4];
    static run runs[MOST];
    carom_isa isas[CAROM_ISA_COUNT];
    const size_t isa_count = carom_bench_isas(isas);
    size_t used = 0;
    bench *b = carom_bench_create(argc, argv, &program);
    for (int k = 0; k < 4; k++) {
        room *r = &rooms[k];
        r->rays = rays[k / 2];
        r->precision = k % 2 == 0 ? CAROM_F32 : CAROM_F64;
        size_t first = 0;
        for (size_t i = 0; i < isa_count; i++) {
            runs[used].room = r, runs[used].isa = isas[i];
            bench_case add = carom_bench_case(run_library, &runs[used++]);
            add.baselines[0] = i == 0 ? BENCH_NONE : first;
            carom_bench_name(&add, "lidar/rays:%u/f%d/%s", r->rays, (int)r->precision, carom_isa_name(isas[i]));
            const size_t number = carom_bench_add(b, &add);
            first = i == 0 ? number : first;
        }
    }
    return carom_bench_run(b);
}
