/* SPDX-License-Identifier: MIT
 * Worlds that differ: the cost if numbers of bodies, walls, or the length of a tick may differ from world to world.
 * Eight circles of radius 0.4 in a solid box, 30% covered, at speeds up to 0.6 a tick; with walls also twelve short
 * ones, in a box twice as wide and high.
 *
 * In the baseline all worlds share the scene's numbers. In the others they may differ but are equal, so that all play
 * the same impacts, and times can be compared: every final state must equal that of the baseline.
 */
#include "bench/common/harness.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BODIES 8
#define WALLS 12
#define WORLDS 4096
#define TICKS 16
#define MIXING 20 /* ticks */
#define RADIUS 0.4
#define SPEED 0.6

typedef struct crowd {
    const char *name;
    bool walls;
    uint32_t varies;
    carom_precision precision;
    size_t baseline; /* the first with this precision and these walls */
    /* The rest is made by make_crowd(). */
    carom_scene *scene;
    carom_worlds *start;
    float *end; /* x after the ticks */
} crowd;

static crowd crowds[32];
static uint64_t draws;

static double draw(double from, double to)
{
    draws = draws * 6364136223846793005u + 1442695040888963407u;
    return from + (to - from) * (double)(draws >> 11) / 9007199254740992.0;
}

static carom_scene *make_scene(const crowd *c)
{
    carom_scene_body bodies[BODIES];
    carom_scene_wall walls[WALLS];
    carom_scene_desc desc = carom_scene_desc_default();
    carom_scene *scene;
    carom_problem problem;
    const double larger = c->walls ? 2 : 1;
    const double height = larger * sqrt(BODIES * RADIUS * RADIUS * 3.14159265358979 / 0.3 * 9 / 16);
    const double width = height * 16 / 9;
    desc.box.x1 = width, desc.box.y1 = height;
    desc.box.horizontal = desc.box.vertical = CAROM_SIDES_SOLID;
    desc.engine = CAROM_ENGINE_WIDE;
    desc.varies = c->varies;
    desc.bodies = bodies, desc.body_count = BODIES;
    for (int i = 0; i < BODIES; i++) {
        bodies[i] = carom_scene_body_default();
        bodies[i].radius = RADIUS;
        bodies[i].x = (i % 4 + 0.5) * width / 4;
        bodies[i].y = (i < 4 ? 0.25 : 0.75) * height;
    }
    for (int k = 0; k < WALLS && c->walls; k++) { /* between the bodies */
        const double x = (k % 4 + 0.05) * width / 4, y = (k < 4 ? 0.02 : k < 8 ? 0.5 : 0.98) * height;
        memset(&walls[k], 0, sizeof walls[k]);
        walls[k].ax = x, walls[k].ay = y, walls[k].bx = x + 0.4, walls[k].by = y + 0.1, walls[k].restitution = 1;
        desc.walls = walls, desc.wall_count = WALLS;
    }
    if (carom_scene_create(&desc, &scene, &problem) != CAROM_OK) {
        carom_bench_die("the scene is refused: %s", problem.text);
    }
    return scene;
}

static carom_worlds *make_batch(const crowd *c)
{
    carom_worlds_desc desc = carom_worlds_desc_default(carom_scene_game(c->scene));
    carom_worlds *worlds;
    desc.count = WORLDS;
    desc.precision = c->precision;
    desc.threads = 1;
    carom_bench_demand(carom_worlds_create(&desc, &worlds), "create worlds");
    return worlds;
}

/* x, y, vx or vy of all worlds, as floats. */
static void get(const carom_worlds *worlds, carom_precision precision, const char *name, float *to)
{
    double *wide = carom_bench_take((size_t)WORLDS * BODIES, sizeof *wide);
    size_t field;
    carom_bench_demand(carom_worlds_find_field(worlds, name, &field), "find a field");
    carom_bench_demand(carom_worlds_get(worlds, field, 0, WORLDS, precision == CAROM_F64 ? (void *)wide : to), "get");
    for (size_t i = 0; i < (size_t)WORLDS * BODIES && precision == CAROM_F64; i++) {
        to[i] = (float)wide[i];
    }
    free(wide);
}

static void stir(const crowd *c)
{
    double *wide = carom_bench_take((size_t)WORLDS * BODIES, sizeof *wide);
    float *narrow = carom_bench_take((size_t)WORLDS * BODIES, sizeof *narrow);
    draws = 20;
    for (int axis = 0; axis < 2; axis++) {
        size_t field;
        for (size_t i = 0; i < (size_t)WORLDS * BODIES; i++) {
            wide[i] = draw(-SPEED, SPEED) * 0.7, narrow[i] = (float)wide[i];
        }
        carom_bench_demand(carom_worlds_find_field(c->start, axis == 0 ? "vx" : "vy", &field), "find a field");
        carom_bench_demand(carom_worlds_set(c->start, field, 0, WORLDS,
                                            c->precision == CAROM_F64 ? (const void *)wide : (const void *)narrow),
                           "set velocities");
    }
    free(wide), free(narrow);
}

static carom_status play(carom_worlds *worlds, size_t ticks)
{
    carom_step step = carom_step_default();
    step.ticks = ticks;
    return carom_worlds_play(worlds, &step);
}

static void make_crowd(crowd *c)
{
    if (c->scene != NULL) {
        return;
    }
    c->scene = make_scene(c);
    c->start = make_batch(c);
    stir(c);
    carom_bench_demand(play(c->start, MIXING), "mix");
    carom_worlds *worlds = make_batch(c);
    carom_bench_demand(carom_worlds_copy(worlds, NULL, c->start, NULL, WORLDS), "copy");
    carom_bench_demand(play(worlds, TICKS), "play");
    c->end = carom_bench_take((size_t)WORLDS * BODIES, sizeof *c->end);
    get(worlds, c->precision, "x", c->end);
    carom_worlds_destroy(worlds);

    crowd *shared = &crowds[c->baseline];
    make_crowd(shared);
    if (memcmp(c->end, shared->end, sizeof *c->end * WORLDS * BODIES) != 0) {
        carom_bench_die("%s: worlds that may differ, and do not, end elsewhere", c->name);
    }
}

static void run_library(const void *argument, uint64_t iterations, bench_sample *sample)
{
    crowd *c = &crowds[(const crowd *)argument - crowds];
    make_crowd(c);
    carom_worlds *worlds = make_batch(c);
    for (uint64_t i = 0; i < iterations; i++) {
        carom_bench_demand(carom_worlds_copy(worlds, NULL, c->start, NULL, WORLDS), "copy");
        carom_bench_start(sample);
        const carom_status status = play(worlds, TICKS);
        carom_bench_stop(sample);
        carom_bench_demand(status, "play");
    }
    const carom_counters counters = carom_worlds_counters(worlds);
    sample->items = (double)counters.ticks;
    sample->counters[0] = (double)counters.events / (double)counters.ticks;
    carom_worlds_destroy(worlds);
}

int main(int argc, char **argv)
{
    static const bench_program program = {
        "Worlds that differ", "M world-ticks/s", 1e-6, {"x shared"}, {{"events_per_tick", "impacts/tick", 1}}};
    static const struct {
        const char *name;
        bool walls;
        uint32_t varies;
    } kinds[] = {
        {"shared", false, 0},
        {"radius", false, CAROM_VARIES_RADIUS},
        {"bodies", false, CAROM_VARIES_RADIUS | CAROM_VARIES_MASS | CAROM_VARIES_RESTITUTION | CAROM_VARIES_DAMPING},
        {"bodies_dt", false,
         CAROM_VARIES_RADIUS | CAROM_VARIES_MASS | CAROM_VARIES_RESTITUTION | CAROM_VARIES_DAMPING | CAROM_VARIES_DT},
        {"walls_shared", true, 0},
        {"walls", true, CAROM_VARIES_WALLS},
    };
    bench *b = carom_bench_create(argc, argv, &program);
    size_t used = 0;
    for (int n = 0; n < 2; n++) {
        size_t baseline = 0, first = 0;
        for (size_t k = 0; k < sizeof kinds / sizeof kinds[0]; k++) {
            crowd *c = &crowds[used];
            baseline = kinds[k].varies == 0 ? used : baseline;
            c->name = kinds[k].name, c->walls = kinds[k].walls, c->varies = kinds[k].varies, c->baseline = baseline;
            c->precision = n == 0 ? CAROM_F32 : CAROM_F64;
            bench_case add = carom_bench_case(run_library, c);
            add.baselines[0] = kinds[k].varies == 0 ? BENCH_NONE : first;
            carom_bench_name(&add, "varies/%s/f%d", c->name, (int)c->precision);
            const size_t number = carom_bench_add(b, &add);
            first = kinds[k].varies == 0 ? number : first;
            used++;
        }
    }
    return carom_bench_run(b);
}
