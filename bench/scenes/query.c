/* SPDX-License-Identifier: MIT
 * Spatial queries (carom/query.h), one thread, in queries a second:
 *
 *     rays/         rays of any length in 4,096 worlds of 8 bodies and 12 walls, 64 in each world
 *     circles/      the same for moving circles
 *     nearest/      the nearest thing
 *     large/N/      rays, the nearest thing and all within a distance in one world of N bodies, packing 0.3, 4,096
 *                   questions a call, the making of the grid included; `one` asks one question a call, without a grid
 *
 * The ratio is to width 1.
 */
#include "bench/common/harness.h"

#include "tests/random.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SMALL_WORLDS 4096
#define RAYS 64 /* in each of them */
#define LARGE_RAYS 4096
#define MOST 128 /* cases */

typedef enum ask { ASK_RAYS, ASK_CIRCLES, ASK_NEAREST, ASK_WITHIN, ASK_ONE } ask;

typedef struct wish {
    ask asked;
    uint32_t bodies;
    size_t worlds, rays; /* rays of each world */
    carom_precision precision;
    carom_isa isa;
} wish;

/* Bodies on a jittered lattice in a room; a large one has no walls but its sides. */
static carom_scene *room(uint32_t bodies, bool walls)
{
    const uint32_t across = (uint32_t)ceil(sqrt(bodies));
    const double pitch = sqrt(3.14159265 / 0.3), half = pitch * across / 2; /* radius 1, packing 0.3 */
    carom_scene_body *list = carom_bench_take(bodies, sizeof *list);
    carom_scene_wall wall[12];
    uint64_t rng = 7;
    for (uint32_t i = 0; i < bodies; i++) {
        list[i] = carom_scene_body_default();
        list[i].x = (i % across + 0.5) * pitch - half + rng_in(&rng, -0.5, 0.5);
        list[i].y = (i / across + 0.5) * pitch - half + rng_in(&rng, -0.5, 0.5);
    }
    for (int k = 0; k < 12; k++) {
        const double x = rng_in(&rng, -half, half), y = rng_in(&rng, -half, half);
        wall[k] = (carom_scene_wall){x, y, x + rng_in(&rng, -4, 4), y + rng_in(&rng, -4, 4), 1, false, false, 0, 0};
    }
    carom_scene *scene;
    carom_scene_desc d = carom_scene_desc_default();
    d.bodies = list, d.body_count = bodies;
    d.walls = wall, d.wall_count = walls ? 12 : 0;
    d.box = (carom_scene_box){-half, -half, half, half, CAROM_SIDES_SOLID, CAROM_SIDES_SOLID, 1, 0, 0};
    carom_bench_demand(carom_scene_create(&d, &scene, NULL), "create");
    free(list);
    return scene;
}

static carom_query *questions(const wish *w, const carom_scene *scene)
{
    const double half = carom_scene_describe(scene)->box.x1 * 0.99;
    carom_query *q = carom_bench_take(w->worlds * w->rays, sizeof *q);
    uint64_t rng = 8;
    for (size_t k = 0; k < w->worlds * w->rays; k++) {
        q[k] = carom_query_default();
        q[k].world = k / w->rays;
        q[k].x = rng_in(&rng, -half, half), q[k].y = rng_in(&rng, -half, half);
        q[k].dx = rng_in(&rng, -1, 1), q[k].dy = rng_in(&rng, -1, 1);
        q[k].radius = w->asked == ASK_CIRCLES ? 0.5 : 0;
        q[k].range = w->asked == ASK_WITHIN ? 3 : (double)INFINITY;
    }
    return q;
}

static void run(const void *argument, uint64_t iterations, bench_sample *sample)
{
    const wish *w = argument;
    carom_scene *scene = room(w->bodies, w->worlds > 1);
    carom_worlds *worlds;
    carom_worlds_desc desc = carom_worlds_desc_default(carom_scene_game(scene));
    desc.count = w->worlds;
    desc.precision = w->precision;
    desc.isa = w->isa;
    desc.threads = 1;
    carom_bench_demand(carom_worlds_create(&desc, &worlds), "create");
    carom_query *q = questions(w, scene);
    const size_t count = w->asked == ASK_ONE ? 1 : w->worlds * w->rays;
    carom_found *found = carom_bench_take(count * 16, sizeof *found);
    size_t *counts = carom_bench_take(count, sizeof *counts);

    for (uint64_t i = 0; i < iterations; i++) {
        carom_bench_start(sample);
        if (w->asked == ASK_WITHIN) {
            carom_bench_demand(carom_worlds_within(worlds, count, q, 16, found, counts), "ask");
        } else if (w->asked == ASK_NEAREST) {
            carom_bench_demand(carom_worlds_nearest(worlds, count, q, found), "ask");
        } else {
            carom_bench_demand(carom_worlds_cast(worlds, count, q + (w->asked == ASK_ONE ? i % w->rays : 0), found),
                               "ask");
        }
        carom_bench_stop(sample);
        sample->items += (double)count;
    }
    free(counts);
    free(found);
    free(q);
    carom_worlds_destroy(worlds);
    carom_scene_destroy(scene);
}

typedef struct plan {
    bench *bench;
    wish wishes[MOST];
    size_t count;
} plan;

/* By every instruction set. */
static void add(plan *p, const char *name, wish w)
{
    carom_isa isas[CAROM_ISA_COUNT];
    const size_t n = carom_bench_isas(isas);
    size_t scalar = BENCH_NONE;
    for (size_t k = 0; k < n && p->count < MOST; k++) {
        wish *kept = &p->wishes[p->count++];
        *kept = w;
        kept->isa = isas[k];
        bench_case c = carom_bench_case(run, kept);
        carom_bench_name(&c, "%s/f%d/%s", name, (int)w.precision, carom_isa_name(isas[k]));
        c.baselines[0] = scalar;
        const size_t number = carom_bench_add(p->bench, &c);
        scalar = k == 0 ? number : scalar;
    }
}

int main(int argc, char **argv)
{
    static const bench_program program = {
        "Questions about worlds", "M questions/s", 1e-6, {"x width 1"}, {{NULL, NULL, 0}}};
    static plan p;
    p.bench = carom_bench_create(argc, argv, &program);
    for (int bits = CAROM_F32; bits <= CAROM_F64; bits += CAROM_F64 - CAROM_F32) {
        const carom_precision precision = (carom_precision)bits;
        add(&p, "rays", (wish){ASK_RAYS, 8, SMALL_WORLDS, RAYS, precision, CAROM_ISA_SCALAR});
        add(&p, "circles", (wish){ASK_CIRCLES, 8, SMALL_WORLDS, RAYS, precision, CAROM_ISA_SCALAR});
        add(&p, "nearest", (wish){ASK_NEAREST, 8, SMALL_WORLDS, RAYS, precision, CAROM_ISA_SCALAR});
    }
    static const uint32_t sizes[] = {1000, 10000, 100000, 1000000};
    static const char *const names[] = {"large/1000", "large/10000", "large/100000", "large/1000000"};
    static const struct {
        ask asked;
        const char *name;
    } rows[] = {{ASK_RAYS, "rays"}, {ASK_NEAREST, "nearest"}, {ASK_WITHIN, "within"}, {ASK_ONE, "one"}};
    for (size_t k = 0; k < (carom_bench_is_quick(p.bench) ? 2 : 4); k++) {
        for (size_t r = 0; r < sizeof rows / sizeof rows[0]; r++) {
            char name[64];
            snprintf(name, sizeof name, "%s/%s", names[k], rows[r].name);
            add(&p, name, (wish){rows[r].asked, sizes[k], 1, LARGE_RAYS, CAROM_F64, CAROM_ISA_SCALAR});
        }
    }
    return carom_bench_run(p.bench);
}
