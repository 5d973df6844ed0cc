/* SPDX-License-Identifier: MIT
 * Recording and replay: see replay.h.
 */
#include "replay.h"

#include <stdio.h>
#include <stdlib.h>

#define CALL_TICKS 32

typedef struct recording {
    const replay_game *game;
    size_t policy;
    carom_precision precision;
    /* The rest is made by make_recording(). */
    carom_worlds *start, *end; /* [REPLAY_GAMES] */
    unsigned char *actions;    /* [REPLAY_TICKS][REPLAY_GAMES][row_bytes] */
    size_t row_bytes;          /* of one world's actions of a tick */
} recording;

static carom_worlds *make_batch(const recording *r, size_t count, carom_isa isa, unsigned threads)
{
    carom_worlds_desc desc = carom_worlds_desc_default(carom_game_find(r->game->name));
    carom_worlds *worlds;
    desc.options = r->game->options;
    desc.count = count;
    desc.precision = r->precision;
    desc.isa = isa;
    desc.threads = threads;
    desc.at_end = CAROM_RESET;
    carom_bench_demand(carom_worlds_create(&desc, &worlds), "create worlds");
    return worlds;
}

/* The policy chooses, and a tick is played. */
static void play_policy(const recording *r, unsigned char *actions)
{
    carom_step step = carom_step_default();
    step.actions = actions;
    carom_bench_demand(carom_worlds_policy(r->end, r->policy, 0, actions), "ask the policy");
    carom_bench_demand(carom_worlds_play(r->end, &step), "play");
}

static void make_recording(recording *r)
{
    const carom_game *game = carom_game_find(r->game->name);
    carom_action_kind kind;
    if (r->actions != NULL) {
        return;
    }
    carom_bench_demand(carom_game_action_kind(game, 0, &kind), "find a kind of action");
    r->row_bytes = (size_t)carom_game_describe(game).players * kind.size * (kind.precision / 8);
    r->actions = carom_bench_take(REPLAY_TICKS * REPLAY_GAMES, r->row_bytes);
    r->start = make_batch(r, REPLAY_GAMES, CAROM_ISA_DEFAULT, 1);
    r->end = make_batch(r, REPLAY_GAMES, CAROM_ISA_DEFAULT, 1);
    for (size_t tick = 0; tick < r->game->warm_up; tick++) {
        play_policy(r, r->actions);
    }
    carom_bench_demand(carom_worlds_copy(r->start, NULL, r->end, NULL, REPLAY_GAMES), "keep the start");
    for (size_t tick = 0; tick < REPLAY_TICKS; tick++) {
        play_policy(r, r->actions + tick * REPLAY_GAMES * r->row_bytes);
    }
}

static void run_library(const void *argument, uint64_t iterations, bench_sample *sample)
{
    const bench_engine *engine = argument;
    recording *r = engine->subject;
    const size_t count = r->game->worlds;
    make_recording(r);
    carom_worlds *worlds = make_batch(r, count, engine->isa, engine->threads);
    size_t *from = carom_bench_take(count, sizeof *from);
    uint32_t *rows = carom_bench_take(count, sizeof *rows);
    for (size_t w = 0; w < count; w++) {
        from[w] = w % REPLAY_GAMES;
        rows[w] = (uint32_t)(w % REPLAY_GAMES);
    }
    for (uint64_t i = 0; i < iterations; i++) {
        carom_bench_demand(carom_worlds_copy(worlds, NULL, r->start, from, count), "set the worlds back");
        carom_bench_start(sample);
        for (size_t tick = 0; tick < REPLAY_TICKS; tick += CALL_TICKS) {
            carom_step step = carom_step_default();
            step.ticks = CALL_TICKS;
            step.actions = r->actions + tick * REPLAY_GAMES * r->row_bytes;
            step.action_rows = REPLAY_GAMES;
            step.rows = rows;
            carom_bench_demand(carom_worlds_play(worlds, &step), "play");
        }
        carom_bench_stop(sample);
        if (carom_bench_digest(worlds) != carom_bench_digest(r->end) * (count / REPLAY_GAMES)) {
            carom_bench_die("%s, f%d: the digest is not that of the recording", carom_isa_name(engine->isa),
                            (int)r->precision);
        }
    }
    const carom_counters counters = carom_worlds_counters(worlds);
    sample->items = (double)counters.ticks;
    sample->counters[0] = (double)counters.events / (double)counters.ticks;
    free(from);
    free(rows);
    carom_worlds_destroy(worlds);
}

/* All games once an iteration, each with all its ticks in one call. */
static void run_plain(const void *argument, uint64_t iterations, bench_sample *sample)
{
    recording *r = ((const bench_engine *)argument)->subject;
    make_recording(r);
    for (uint64_t i = 0; i < iterations; i++) {
        carom_bench_start(sample);
        for (size_t number = 0; number < REPLAY_GAMES; number++) {
            r->game->plain(number, r->actions + number * r->row_bytes, REPLAY_GAMES * r->row_bytes);
        }
        carom_bench_stop(sample);
    }
    sample->items = (double)iterations * REPLAY_GAMES * REPLAY_TICKS;
}

int carom_replay_main(int argc, char **argv, const bench_program *program, const replay_game *game)
{
    const carom_game *found = carom_game_find(game->name);
    const size_t policies = carom_game_describe(found).policies;
    bench *b = carom_bench_create(argc, argv, program);
    recording *recordings = carom_bench_take(2 * policies, sizeof *recordings);
    bench_workload *workloads = carom_bench_take(policies, sizeof *workloads);
    for (size_t policy = 0; policy < policies; policy++) {
        bench_workload *w = &workloads[policy];
        *w = (bench_workload){.one_thread = "", .library = run_library, .plain = run_plain};
        snprintf(w->name, sizeof w->name, "%s/%s", game->name, carom_game_policy_name(found, policy));
        for (size_t f64 = 0; f64 < 2; f64++) {
            recording *r = &recordings[2 * policy + f64];
            *r = (recording){.game = game, .policy = policy, .precision = f64 ? CAROM_F64 : CAROM_F32};
            w->subjects[f64] = r;
        }
        carom_bench_add_workload(b, w);
    }
    const int result = carom_bench_run(b);
    free(recordings);
    free(workloads);
    return result;
}
