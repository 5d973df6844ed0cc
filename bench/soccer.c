/* SPDX-License-Identifier: MIT
 * Robot soccer, 6 against 6 (division B): live world-ticks a second by policy, precision, instruction set and number of
 * threads.
 *
 * As in bench/csb.c, recorded games of a built-in policy are replayed: world w starts as game w % 128 and is given that
 * game's actions; only the playing is timed, and after each replay the digest of the batch must be that of the
 * recording. Baselines: width 1 of the same source, and the tests' plain C, one world after the other.
 */
#include "harness.h"
#include "soccer_reference.h"

#include <stdlib.h>
#include <string.h>

#define GAMES 128
#define WORLDS 512 /* for one thread: their state fits into a core's second cache */
#define TICKS 256
#define CALL_TICKS 32
#define NUMBERS 110 /* of an action of both players */
#define MOST 64     /* cases */

typedef struct recording {
    size_t policy;
    carom_precision precision;
    /* The rest is made by make_recording(). */
    carom_worlds *start, *end; /* [GAMES] */
    float *actions;            /* [TICKS][GAMES][NUMBERS] */
} recording;

typedef struct replay {
    recording *recording;
    carom_isa isa;
    unsigned threads;
} replay;

static carom_worlds *make_batch(const recording *r, size_t count, carom_isa isa, unsigned threads)
{
    carom_worlds_desc desc = carom_worlds_desc_default(carom_game_find("soccer"));
    carom_worlds *worlds;
    desc.count = count;
    desc.precision = r->precision;
    desc.isa = isa;
    desc.threads = threads;
    desc.at_end = CAROM_RESET;
    carom_bench_demand(carom_worlds_create(&desc, &worlds), "create worlds");
    return worlds;
}

/* The policy first plays for two seconds, that robots are on their way. */
static void make_recording(recording *r)
{
    if (r->actions != NULL) {
        return;
    }
    r->start = make_batch(r, GAMES, CAROM_ISA_DEFAULT, 1);
    r->end = make_batch(r, GAMES, CAROM_ISA_DEFAULT, 1);
    r->actions = carom_bench_take(TICKS * GAMES * NUMBERS, sizeof *r->actions);
    for (size_t tick = 0; tick < TICKS + 120; tick++) {
        float *actions = r->actions + (tick < 120 ? 0 : tick - 120) * GAMES * NUMBERS;
        carom_step step = carom_step_default(); /* kind 0: normalised */
        if (tick == 120) {
            carom_bench_demand(carom_worlds_copy(r->start, NULL, r->end, NULL, GAMES), "keep the start");
        }
        step.actions = actions;
        carom_bench_demand(carom_worlds_policy(r->end, r->policy, 0, actions), "ask the policy");
        carom_bench_demand(carom_worlds_play(r->end, &step), "play");
    }
}

static uint64_t digest_of(const carom_worlds *worlds)
{
    uint64_t digest;
    carom_bench_demand(carom_worlds_digest(worlds, &digest), "digest");
    return digest;
}

static void run_library(const void *argument, uint64_t iterations, bench_sample *sample)
{
    const replay *what = argument;
    recording *r = what->recording;
    make_recording(r);
    carom_worlds *worlds = make_batch(r, WORLDS, what->isa, what->threads);
    size_t from[WORLDS];
    uint32_t rows[WORLDS];
    for (size_t w = 0; w < WORLDS; w++) {
        from[w] = w % GAMES;
        rows[w] = (uint32_t)(w % GAMES);
    }
    for (uint64_t i = 0; i < iterations; i++) {
        carom_bench_demand(carom_worlds_copy(worlds, NULL, r->start, from, WORLDS), "set the worlds back");
        carom_bench_start(sample);
        for (size_t tick = 0; tick < TICKS; tick += CALL_TICKS) {
            carom_step step = carom_step_default();
            step.ticks = CALL_TICKS;
            step.actions = r->actions + tick * GAMES * NUMBERS;
            step.action_rows = GAMES;
            step.rows = rows;
            carom_bench_demand(carom_worlds_play(worlds, &step), "play");
        }
        carom_bench_stop(sample);
        if (digest_of(worlds) != digest_of(r->end) * (WORLDS / GAMES)) {
            carom_bench_die("%s, f%d: the digest is not that of the recording", carom_isa_name(what->isa),
                            (int)r->precision);
        }
    }
    const carom_counters counters = carom_worlds_counters(worlds);
    sample->items = (double)counters.ticks;
    sample->counters[0] = (double)counters.events / (double)counters.ticks;
    carom_worlds_destroy(worlds);
}

/* All games once an iteration, each all its ticks in one go. */
static void run_plain(const void *argument, uint64_t iterations, bench_sample *sample)
{
    const replay *what = argument;
    recording *r = what->recording;
    make_recording(r);
    for (uint64_t i = 0; i < iterations; i++) {
        carom_bench_start(sample);
        for (size_t number = 0; number < GAMES; number++) {
            soccer_ref_game game = {carom_soccer_options_default(), 0, number};
            soccer_ref_world w;
            w.episode = 0;
            soccer_ref_start(&game, &w);
            for (size_t tick = 0; tick < TICKS; tick++) {
                soccer_ref_step(&game, &w, SOCCER_REF_NORMALISED, r->actions + (tick * GAMES + number) * NUMBERS, NULL,
                                NULL);
            }
        }
        carom_bench_stop(sample);
    }
    sample->items = (double)iterations * GAMES * TICKS;
}

int main(int argc, char **argv)
{
    static const bench_program program = {"Robot soccer, recorded games replayed",
                                          "M ticks/s",
                                          1e-6,
                                          {"x scalar", "x plain C", "x 1 thread"},
                                          {{"events_per_tick", "events/tick", 1}}};
    static recording recordings[2][2]; /* by policy and precision */
    static replay arguments[MOST];
    carom_isa isas[CAROM_ISA_COUNT];
    const carom_game *game = carom_game_find("soccer");
    bench *b = carom_bench_create(argc, argv, &program);
    const size_t isa_count = carom_bench_isas(isas);
    size_t used = 0;
    for (size_t policy = 0; policy < 2; policy++) {
        size_t plain = BENCH_NONE;
        for (int f64 = 1; f64 >= 0; f64--) {
            recording *r = &recordings[policy][f64];
            r->policy = policy;
            r->precision = f64 ? CAROM_F64 : CAROM_F32;
            size_t baselines[BENCH_BASELINES] = {BENCH_NONE, BENCH_NONE, BENCH_NONE};
            if (f64) {
                arguments[used] = (replay){r, CAROM_ISA_SCALAR, 1};
                bench_case c = carom_bench_case(run_plain, &arguments[used++]);
                carom_bench_name(&c, "soccer/%s/f64/plain_c", carom_game_policy_name(game, policy));
                plain = carom_bench_add(b, &c);
            }
            baselines[1] = plain;
            for (size_t k = 0; k <= isa_count; k++) { /* at last the widest once more, by two threads */
                const bool two = k == isa_count;
                arguments[used] = (replay){r, isas[two ? k - 1 : k], two ? 2 : 1};
                bench_case c = carom_bench_case(run_library, &arguments[used++]);
                c.threads = two ? 2 : 1;
                memcpy(c.baselines, baselines, sizeof c.baselines);
                carom_bench_name(&c, "soccer/%s/f%d/%s%s", carom_game_policy_name(game, policy), (int)r->precision,
                                 carom_isa_name(isas[two ? k - 1 : k]), two ? "/threads:2" : "");
                const size_t number = carom_bench_add(b, &c);
                baselines[0] = k == 0 ? number : baselines[0];
                baselines[2] = k + 1 == isa_count ? number : baselines[2];
            }
        }
    }
    return carom_bench_run(b);
}
