/* SPDX-License-Identifier: MIT
 * The default scene of fall, four balls in a box under gravity: live world-ticks (of 0.01 s) a second by response,
 * precision, instruction set and number of threads.
 *
 * "damped" is the game's default, which keeps 0.98 of a velocity at each bounce, in games of 10 s; "elastic" keeps all
 * of it, so that the balls stay as fast as they began. Every iteration plays the same TICKS ticks from the start; after
 * each the digest of the batch must be that of width 1. Baselines: width 1 of the same source, and the tests' plain C,
 * one world after the other, which looks at every pair and finds roots by bisection.
 */
#include "fall_reference.h"
#include "harness.h"

#include <carom/carom.h>

#include <string.h>

#define WORLDS 512
#define TICKS 1000
#define PLAIN_WORLDS 2
#define MOST 32 /* cases */

typedef struct scene {
    bool elastic;
    carom_precision precision;
    uint64_t digest; /* of width 1; 0: not yet known */
} scene;

typedef struct contest {
    scene *scene;
    carom_isa isa;
    unsigned threads;
} contest;

static carom_worlds *make_batch(const scene *s, carom_isa isa, unsigned threads)
{
    carom_fall_options options = carom_fall_options_default();
    carom_worlds_desc desc = carom_worlds_desc_default(carom_game_find("fall"));
    carom_worlds *worlds;
    if (s->elastic) {
        options.keep = 1;
        options.cutoff = 0;
    }
    desc.options = &options;
    desc.count = WORLDS;
    desc.precision = s->precision;
    desc.isa = isa;
    desc.threads = threads;
    desc.at_end = CAROM_RESET;
    carom_bench_demand(carom_worlds_create(&desc, &worlds), "create worlds");
    return worlds;
}

static const float still[TICKS][2];
static const uint32_t rows[WORLDS];

static uint64_t play(carom_worlds *worlds, bench_sample *sample)
{
    carom_step step = carom_step_default();
    uint64_t digest;
    step.ticks = TICKS;
    step.actions = still;
    step.action_rows = 1;
    step.rows = rows;
    if (sample != NULL) {
        carom_bench_start(sample);
    }
    carom_bench_demand(carom_worlds_play(worlds, &step), "play");
    if (sample != NULL) {
        carom_bench_stop(sample);
    }
    carom_bench_demand(carom_worlds_digest(worlds, &digest), "digest");
    return digest;
}

static void run_library(const void *argument, uint64_t iterations, bench_sample *sample)
{
    const contest *what = argument;
    if (what->scene->digest == 0) {
        carom_worlds *worlds = make_batch(what->scene, CAROM_ISA_SCALAR, 1);
        what->scene->digest = play(worlds, NULL);
        carom_worlds_destroy(worlds);
    }
    carom_worlds *worlds = make_batch(what->scene, what->isa, what->threads);
    for (uint64_t i = 0; i < iterations; i++) {
        carom_bench_demand(carom_worlds_reset(worlds), "set the worlds back");
        if (play(worlds, sample) != what->scene->digest) {
            carom_bench_die("%s, f%d: the digest is not that of width 1", carom_isa_name(what->isa),
                            (int)what->scene->precision);
        }
    }
    const carom_counters counters = carom_worlds_counters(worlds); /* of the last iteration */
    sample->items = (double)iterations * (double)counters.ticks;
    sample->counters[0] = (double)counters.events / (double)counters.ticks;
    if (carom_worlds_faults(worlds, NULL) != 0) {
        carom_bench_die("a world has a fault");
    }
    carom_worlds_destroy(worlds);
}

static void run_plain(const void *argument, uint64_t iterations, bench_sample *sample)
{
    const contest *what = argument;
    carom_fall_body box[8];
    carom_fall_options options = carom_fall_options_default();
    options.bodies = box;
    options.body_count = carom_fall_box(box);
    if (what->scene->elastic) {
        options.keep = 1;
        options.cutoff = 0;
    }
    for (uint64_t i = 0; i < iterations; i++) {
        carom_bench_start(sample);
        for (int k = 0; k < PLAIN_WORLDS; k++) {
            static fall_ref_world w;
            for (int b = 4; b < 8; b++) {
                box[b].vx = 0.3 * (b - 5.5) + 0.1 * k;
                box[b].vy = 0.2 * (6 - b);
            }
            fall_ref_start(&w, &options);
            for (int tick = 0; tick < TICKS; tick++) {
                fall_ref_tick(&w, NULL, 0);
            }
        }
        carom_bench_stop(sample);
    }
    sample->items = (double)iterations * PLAIN_WORLDS * TICKS;
}

int main(int argc, char **argv)
{
    static const bench_program program = {"Four balls in a box under gravity",
                                          "M ticks/s",
                                          1e-6,
                                          {"x scalar", "x plain C", "x 1 thread"},
                                          {{"events_per_tick", "events/tick", 1}}};
    static scene scenes[2][2]; /* by response and precision */
    static contest arguments[MOST];
    carom_isa isas[CAROM_ISA_COUNT];
    bench *b = carom_bench_create(argc, argv, &program);
    const size_t isa_count = carom_bench_isas(isas);
    size_t used = 0;
    for (int elastic = 0; elastic < 2; elastic++) {
        const char *name = elastic ? "elastic" : "damped";
        size_t plain = BENCH_NONE;
        for (int f64 = 1; f64 >= 0; f64--) {
            scene *s = &scenes[elastic][f64];
            s->elastic = elastic != 0;
            s->precision = f64 ? CAROM_F64 : CAROM_F32;
            size_t baselines[BENCH_BASELINES] = {BENCH_NONE, BENCH_NONE, BENCH_NONE};
            if (f64) {
                arguments[used] = (contest){s, CAROM_ISA_SCALAR, 1};
                bench_case c = carom_bench_case(run_plain, &arguments[used++]);
                carom_bench_name(&c, "fall/%s/f64/plain_c", name);
                plain = carom_bench_add(b, &c);
            }
            baselines[1] = plain;
            for (size_t k = 0; k <= isa_count; k++) { /* at last the widest once more, by two threads */
                const bool two = k == isa_count;
                arguments[used] = (contest){s, isas[two ? k - 1 : k], two ? 2 : 1};
                bench_case c = carom_bench_case(run_library, &arguments[used++]);
                c.threads = two ? 2 : 1;
                memcpy(c.baselines, baselines, sizeof c.baselines);
                carom_bench_name(&c, "fall/%s/f%d/%s%s", name, (int)s->precision, carom_isa_name(isas[two ? k - 1 : k]),
                                 two ? "/threads:2" : "");
                const size_t number = carom_bench_add(b, &c);
                baselines[0] = k == 0 ? number : baselines[0];
                baselines[2] = k + 1 == isa_count ? number : baselines[2];
            }
        }
    }
    return carom_bench_run(b);
}
