/* SPDX-License-Identifier: MIT
 * The deep engine of scenes against all pairs: world-ticks a second of both engines in many worlds of 64 to 1024
 * circles, and of the deep one in single worlds of up to 10^5; the slowest tick compared with the mean.
 *
 * Circles of radius 0.5, mass 1 and restitution 1 cover 30% of a solid box; their speed gives each about 0.5 impacts a
 * tick. In the cases "radii" every hundredth is ten times as large; in "walls" there are 64 short walls outside the
 * box. Worlds play on from iteration to
 * iteration; before that both engines play from the same start, and must end in the same state.
 *
 * Baselines: the wide engine, which checks all pairs. Building the grid and the queue's operations: see gas.c.
 */
#include "bench/common/harness.h"

#include <math.h>
#include <stdlib.h>

#define MOST 64 /* cases */
#define COVERAGE 0.3
#define SPEED 0.9 /* greatest, a tick */
#define MIXING 5  /* ticks */
#define WALLS 64

typedef struct crowd {
    uint32_t bodies;
    size_t worlds;
    bool mixed; /* radii */
    bool walls;
    carom_precision precision;
    carom_engine engine;
    /* Made when first used. */
    carom_scene *scene;
    carom_worlds *made;
    uint64_t digest; /* after MIXING ticks */
} crowd;

static uint64_t draws;

static double draw(double from, double to)
{
    draws = draws * 6364136223846793005u + 1442695040888963407u;
    return from + (to - from) * (double)(draws >> 11) / 9007199254740992.0;
}

/* On a lattice, in random directions; large ones where there is room: overlaps are harmless. */
static carom_scene *make_scene(const crowd *c)
{
    const uint32_t n = c->bodies, rows = (uint32_t)ceil(sqrt((double)n));
    carom_scene_body *bodies = carom_bench_take(n, sizeof *bodies);
    carom_scene_desc desc = carom_scene_desc_default();
    carom_scene *scene;
    double area = 0;
    for (uint32_t i = 0; i < n; i++) {
        bodies[i] = carom_scene_body_default();
        bodies[i].radius = c->mixed && i % 100 == 50 ? 5 : 0.5;
        bodies[i].mass = 4 * bodies[i].radius * bodies[i].radius;
        area += 3.14159265358979 * bodies[i].radius * bodies[i].radius;
    }
    const double side = sqrt(area / COVERAGE);
    draws = n;
    for (uint32_t i = 0; i < n; i++) {
        carom_scene_body *b = &bodies[i];
        const double turn = draw(0, 6.283185307179586), speed = draw(0, SPEED), r = b->radius;
        b->x = fmin(fmax((i % rows + 0.5) * side / rows, r), side - r);
        b->y = fmin(fmax((i / rows + 0.5) * side / rows, r), side - r);
        b->vx = speed * cos(turn);
        b->vy = speed * sin(turn);
    }
    carom_scene_wall walls[WALLS];
    for (int w = 0; w < WALLS; w++) {
        walls[w] = (carom_scene_wall){side + 2 + w, 0, side + 2 + w, 1, 1, false, false};
    }
    desc.walls = walls;
    desc.wall_count = c->walls ? WALLS : 0;
    desc.bodies = bodies;
    desc.body_count = n;
    desc.box.x1 = desc.box.y1 = side;
    desc.box.horizontal = desc.box.vertical = CAROM_SIDES_SOLID;
    desc.engine = c->engine;
    desc.max_events = 64 * n;
    carom_bench_demand(carom_scene_create(&desc, &scene, NULL), "create a scene");
    free(bodies);
    return scene;
}

static void prepare(crowd *c)
{
    carom_worlds_desc desc;
    c->scene = make_scene(c);
    desc = carom_worlds_desc_default(carom_scene_game(c->scene));
    desc.count = c->worlds;
    desc.precision = c->precision;
    desc.threads = 1;
    carom_bench_demand(carom_worlds_create(&desc, &c->made), "create worlds");
    carom_bench_demand(carom_worlds_step(c->made, 1, MIXING), "step");
    carom_bench_demand(carom_worlds_digest(c->made, &c->digest), "digest");
}

static void run_crowd(const void *argument, uint64_t iterations, bench_sample *sample)
{
    crowd *c = (crowd *)(uintptr_t)argument;
    if (c->made == NULL) {
        prepare(c);
        const crowd *wide = c - 1; /* of the same worlds, if there is one */
        const bool same =
            c->engine == CAROM_ENGINE_DEEP && wide->bodies == c->bodies && wide->precision == c->precision;
        if (same && wide->made != NULL && wide->digest != c->digest) {
            carom_bench_die("%u bodies, f%d: the engines differ", c->bodies, (int)c->precision);
        }
    }
    const carom_counters before = carom_worlds_counters(c->made);
    double slowest = 0;
    for (uint64_t i = 0; i < iterations; i++) {
        const double so_far = sample->seconds;
        carom_bench_start(sample);
        const carom_status status = carom_worlds_step(c->made, 1, 1);
        carom_bench_stop(sample);
        carom_bench_demand(status, "step");
        slowest = fmax(slowest, sample->seconds - so_far);
    }
    const carom_counters after = carom_worlds_counters(c->made);
    sample->items = (double)(iterations * c->worlds);
    sample->counters[0] = (double)(after.events - before.events) / sample->items / c->bodies;
    sample->counters[1] = (double)(after.events - before.events) / sample->seconds;
    sample->counters[2] = slowest * (double)iterations / sample->seconds;
}

int main(int argc, char **argv)
{
    static const bench_program program = {"Scenes of many bodies",
                                          "k world-ticks/s",
                                          1e-3,
                                          {"x all pairs"},
                                          {{"impacts_per_body", "impacts/body", 1},
                                           {"impacts_per_second", "M impacts/s", 1e-6},
                                           {"slowest", "slowest/mean", 1}}};
    static const struct {
        uint32_t bodies;
        size_t worlds;
        bool mixed, walls;
    } sizes[] = {{64, 4096, false, false}, {256, 4096, false, false}, {1024, 256, false, false},
                 {64, 4096, false, true},  {256, 4096, false, true},  {1024, 256, false, true},
                 {256, 256, true, false},  {1024, 16, true, false},   {10000, 1, false, false},
                 {100000, 1, false, false}};
    static crowd crowds[MOST];
    bench *b = carom_bench_create(argc, argv, &program);
    size_t used = 1;
    for (size_t k = 0; k < sizeof sizes / sizeof sizes[0]; k++) {
        if (carom_bench_is_quick(b) && (sizes[k].bodies > 1024 || (sizes[k].bodies > 256 && sizes[k].worlds > 16))) {
            continue;
        }
        for (int n = 0; n < 4; n++) { /* wide, deep; f64, f32 */
            const bool deep = n % 2 != 0;
            const crowd c = {sizes[k].bodies,
                             carom_bench_is_quick(b) && sizes[k].worlds > 64 ? 64 : sizes[k].worlds,
                             sizes[k].mixed,
                             sizes[k].walls,
                             n < 2 ? CAROM_F64 : CAROM_F32,
                             deep ? CAROM_ENGINE_DEEP : CAROM_ENGINE_WIDE,
                             NULL,
                             NULL,
                             0};
            if (!deep && c.bodies > 1024) {
                continue;
            }
            static size_t baseline;
            crowds[used] = c;
            bench_case add = carom_bench_case(run_crowd, &crowds[used++]);
            carom_bench_name(&add, "%s/%s/%u/f%d",
                             c.mixed   ? "radii"
                             : c.walls ? "walls"
                                       : "equal",
                             deep ? "deep" : "wide", c.bodies, (int)c.precision);
            add.baselines[0] = deep && c.bodies <= 1024 ? baseline : BENCH_NONE;
            const size_t number = carom_bench_add(b, &add);
            baseline = deep ? baseline : number;
        }
    }
    return carom_bench_run(b);
}
