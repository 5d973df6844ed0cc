/* SPDX-License-Identifier: MIT
 * Scenes: live body-ticks a second of the wide engine, by bodies a world, policy, precision and instruction set.
 *
 * Circles of radius 0.4, mass 1 and restitution 1 in a solid box, speeds up to 0.6 a tick in all directions. Four are
 * in a box of 16 x 9; larger numbers cover 30% of their box. The worlds first play until they are mixed; every
 * iteration plays on from that state. After each the digest must equal that of width 1.
 *
 * Baselines: width 1 of the same source.
 */
#include "bench/common/harness.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define MOST 128 /* cases */
#define RADIUS 0.4
#define SPEED 0.6
#define COVERAGE 0.3
#define MIXING 20 /* ticks */

typedef struct crowd {
    uint32_t bodies;
    size_t worlds, ticks;
    carom_precision precision;
    carom_advance advance;
    /* The rest is made by make_crowd(). */
    carom_scene *scene;
    carom_worlds *start;
    uint64_t digest;
} crowd;

typedef struct run {
    crowd *crowd;
    carom_isa isa;
} run;

static uint64_t draws = 20;

static double draw(double from, double to)
{
    draws = draws * 6364136223846793005u + 1442695040888963407u;
    return from + (to - from) * (double)(draws >> 11) / 9007199254740992.0;
}

static carom_worlds *make_batch(const crowd *c, carom_isa isa)
{
    carom_worlds_desc desc = carom_worlds_desc_default(carom_scene_game(c->scene));
    carom_worlds *worlds;
    desc.count = c->worlds;
    desc.precision = c->precision;
    desc.isa = isa;
    desc.threads = 1;
    carom_bench_demand(carom_worlds_create(&desc, &worlds), "create worlds");
    return worlds;
}

static carom_scene *make_scene(const crowd *c)
{
    carom_scene_body *bodies = carom_bench_take(c->bodies, sizeof *bodies);
    carom_scene_desc desc = carom_scene_desc_default();
    carom_scene *scene;
    carom_problem problem;
    const double area = c->bodies == 4 ? 16 * 9 : c->bodies * RADIUS * RADIUS * 3.14159265358979 / COVERAGE;
    const double height = sqrt(area * 9 / 16), width = height * 16 / 9;
    desc.box.x1 = width, desc.box.y1 = height;
    desc.box.horizontal = desc.box.vertical = CAROM_SIDES_SOLID;
    desc.box.restitution = 1;
    desc.engine = CAROM_ENGINE_WIDE;
    desc.advance = c->advance;
    desc.bodies = bodies;
    desc.body_count = c->bodies;
    const uint32_t columns = (uint32_t)ceil(sqrt(c->bodies * width / height)), rows = (c->bodies - 1) / columns + 1;
    for (uint32_t i = 0; i < c->bodies; i++) {
        bodies[i] = carom_scene_body_default();
        bodies[i].radius = RADIUS;
        bodies[i].x = (i % columns + 0.5) * width / columns;
        bodies[i].y = (i / columns + 0.5) * height / rows; /* NOLINT(bugprone-integer-division): the row */
    }
    if (carom_scene_create(&desc, &scene, &problem) != CAROM_OK) {
        carom_bench_die("the scene is refused: %s", problem.text);
    }
    free(bodies);
    return scene;
}

/* Velocities for every world: a speed up to SPEED, in any direction. */
static void stir(const crowd *c)
{
    const size_t numbers = c->worlds * c->bodies;
    double *v[2] = {carom_bench_take(numbers, sizeof(double)), carom_bench_take(numbers, sizeof(double))};
    float *narrow = carom_bench_take(numbers, sizeof *narrow);
    for (size_t i = 0; i < numbers; i++) {
        const double speed = draw(0, SPEED), angle = draw(0, 2 * 3.14159265358979);
        v[0][i] = speed * cos(angle), v[1][i] = speed * sin(angle);
    }
    for (int axis = 0; axis < 2; axis++) {
        size_t field;
        for (size_t i = 0; i < numbers; i++) {
            narrow[i] = (float)v[axis][i];
        }
        carom_bench_demand(carom_worlds_find_field(c->start, axis == 0 ? "vx" : "vy", &field), "find a field");
        carom_bench_demand(carom_worlds_set(c->start, field, 0, c->worlds,
                                            c->precision == CAROM_F64 ? (const void *)v[axis] : (const void *)narrow),
                           "set velocities");
    }
    free(v[0]), free(v[1]), free(narrow);
}

static void make_crowd(crowd *c)
{
    if (c->scene != NULL) {
        return;
    }
    c->scene = make_scene(c);
    c->start = make_batch(c, CAROM_ISA_DEFAULT);
    stir(c);
    carom_bench_demand(carom_worlds_step(c->start, 1, MIXING), "mix");
    carom_worlds *worlds = make_batch(c, CAROM_ISA_SCALAR);
    carom_bench_demand(carom_worlds_copy(worlds, NULL, c->start, NULL, c->worlds), "copy");
    carom_bench_demand(carom_worlds_step(worlds, 1, c->ticks), "step");
    c->digest = carom_bench_digest(worlds);
    if (carom_worlds_faults(worlds, NULL) != 0) {
        carom_bench_die("%u bodies: a world has a fault", c->bodies);
    }
    carom_worlds_destroy(worlds);
}

static void run_library(const void *argument, uint64_t iterations, bench_sample *sample)
{
    const run *what = argument;
    crowd *c = what->crowd;
    make_crowd(c);
    carom_worlds *worlds = make_batch(c, what->isa);
    for (uint64_t i = 0; i < iterations; i++) {
        carom_bench_demand(carom_worlds_copy(worlds, NULL, c->start, NULL, c->worlds), "copy");
        carom_bench_start(sample);
        const carom_status status = carom_worlds_step(worlds, 1, c->ticks);
        carom_bench_stop(sample);
        carom_bench_demand(status, "step");
        if (carom_bench_digest(worlds) != c->digest) {
            carom_bench_die("%s, %u bodies, f%d: the digest is not that of width 1", carom_isa_name(what->isa),
                            c->bodies, (int)c->precision);
        }
    }
    const carom_counters counters = carom_worlds_counters(worlds);
    sample->items = (double)counters.ticks;
    sample->counters[0] = (double)counters.events / (double)counters.ticks;
    sample->counters[1] = 1e-6 * (double)counters.ticks * (double)c->bodies / sample->seconds;
    carom_worlds_destroy(worlds);
}

int main(int argc, char **argv)
{
    static const bench_program program = {
        "Circles in a box",
        "M world-ticks/s",
        1e-6,
        {"x scalar"},
        {{"events_per_tick", "impacts/tick", 1}, {"body_ticks_per_second", "M body-ticks/s", 1}}};
    static const struct {
        uint32_t bodies;
        size_t worlds, ticks;
    } sizes[] = {{4, 4096, 32}, {16, 4096, 4}, {64, 4096, 1}, {256, 256, 1}};
    static crowd crowds[MOST];
    static run runs[MOST];
    carom_isa isas[CAROM_ISA_COUNT];
    const size_t isa_count = carom_bench_isas(isas);
    size_t used = 0;
    bench *b = carom_bench_create(argc, argv, &program);
    for (size_t k = 0; k < sizeof sizes / sizeof sizes[0]; k++) {
        for (int n = 0; n < 4; n++) {
            const bool all = n / 2 == 1;
            crowd *c = &crowds[4 * k + (size_t)n];
            c->bodies = sizes[k].bodies, c->worlds = sizes[k].worlds, c->ticks = sizes[k].ticks;
            c->precision = n % 2 == 0 ? CAROM_F64 : CAROM_F32;
            c->advance = all ? CAROM_ADVANCE_ALL : CAROM_OWN_CLOCK;
            if (all && c->bodies > 64) {
                continue; /* for few bodies */
            }
            size_t first = 0;
            for (size_t i = 0; i < isa_count; i++) {
                runs[used].crowd = c, runs[used].isa = isas[i];
                bench_case add = carom_bench_case(run_library, &runs[used++]);
                add.baselines[0] = i == 0 ? BENCH_NONE : first;
                carom_bench_name(&add, "scene/%s/bodies:%u/f%d/%s", all ? "advance_all" : "own_clock", c->bodies,
                                 (int)c->precision, carom_isa_name(isas[i]));
                const size_t number = carom_bench_add(b, &add);
                first = i == 0 ? number : first;
            }
        }
    }
    return carom_bench_run(b);
}
