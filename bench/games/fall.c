/* SPDX-License-Identifier: MIT
 * The default scene of fall, four balls in a box under gravity: live world-ticks (of 0.01 s) a second by response,
 * precision, instruction set and number of threads.
 *
 * "damped" is the game's default, which keeps 0.98 of a velocity at each bounce, in games of 10 s; "elastic" keeps all
 * of it, so that the balls keep their speed. Every iteration plays the same TICKS ticks from the start; after each the
 * digest of the batch must equal that of width 1. Baselines: width 1 of the same source, and the tests' plain C, one
 * world after another, which checks every pair and finds roots by bisection.
 */
#include "bench/common/harness.h"
#include "tests/games/fall/fall_reference.h"

#define WORLDS 512
#define TICKS 1000
#define PLAIN_WORLDS 2

typedef struct scene {
    bool elastic;
    carom_precision precision;
    uint64_t digest; /* of width 1; 0: not yet known */
} scene;

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
    const bench_engine *engine = argument;
    scene *s = engine->subject;
    if (s->digest == 0) {
        carom_worlds *worlds = make_batch(s, CAROM_ISA_SCALAR, 1);
        s->digest = play(worlds, NULL);
        carom_worlds_destroy(worlds);
    }
    carom_worlds *worlds = make_batch(s, engine->isa, engine->threads);
    for (uint64_t i = 0; i < iterations; i++) {
        carom_bench_demand(carom_worlds_reset(worlds), "set the worlds back");
        if (play(worlds, sample) != s->digest) {
            carom_bench_die("%s, f%d: the digest is not that of width 1", carom_isa_name(engine->isa),
                            (int)s->precision);
        }
    }
    const carom_counters counters = carom_worlds_counters(worlds); /* of the last iteration */
    sample->items = (double)iterations * (double)counters.ticks;
    sample->counters[0] = (double)counters.events / (double)counters.ticks;
    if (counters.faults != 0) {
        carom_bench_die("a world has taken a fault");
    }
    carom_worlds_destroy(worlds);
}

static void run_plain(const void *argument, uint64_t iterations, bench_sample *sample)
{
    const bench_engine *engine = argument;
    const scene *s = engine->subject;
    carom_fall_body box[8];
    carom_fall_options options = carom_fall_options_default();
    options.bodies = box;
    options.body_count = carom_fall_box(box);
    if (s->elastic) {
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
    static bench_workload workloads[2] = {{.name = "fall/damped"}, {.name = "fall/elastic"}};
    bench *b = carom_bench_create(argc, argv, &program);
    for (int elastic = 0; elastic < 2; elastic++) {
        bench_workload *w = &workloads[elastic];
        w->one_thread = "";
        w->library = run_library;
        w->plain = run_plain;
        for (int f64 = 0; f64 < 2; f64++) {
            scenes[elastic][f64] = (scene){elastic != 0, f64 ? CAROM_F64 : CAROM_F32, 0};
            w->subjects[f64] = &scenes[elastic][f64];
        }
        carom_bench_add_workload(b, w);
    }
    return carom_bench_run(b);
}
