/* SPDX-License-Identifier: MIT
 * Coders Strike Back: live world-ticks a second, for every workload, instruction set, precision, kind of action, size
 * of the batch and number of threads.
 *
 * Replays recorded games (recording.h): world w starts as game w % 128 and is given its actions. Only playing is timed,
 * in calls of 32 ticks, after resetting the worlds to the start. After each replay the digest of the batch must equal
 * that of the recording, which the default instruction set played tick by tick.
 *
 * Baselines: width 1 of the same source, and the tests' plain C, which plays one world after another, all ticks of a
 * game at once, always in f64.
 */
#include "bench/common/harness.h"
#include "recording.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define WORLDS 1024 /* for one thread: their state fits into a core's second cache */
#define CALL_TICKS 32
#define MOST 256 /* cases */
#define POLICIES 4
#define KINDS 3

typedef struct replay {
    recording *recording;
    carom_isa isa;
    unsigned threads;
    size_t worlds;  /* divides the number of games, or is a multiple */
    size_t call;    /* ticks that are played at once; divides those between the marks */
    bool outputs;   /* observations, rewards and ends are wanted */
    unsigned sides; /* bit p: the policy itself plays player p, to the same games */
    mark from, to;
} replay;

/* ---- the library ---- */

/* A batch that replays, and its data. */
typedef struct player {
    const replay *what;
    carom_worlds *worlds;
    size_t *from;   /* [world]: the game */
    uint32_t *rows; /* the same */
    carom_step step;
    unsigned char *given; /* the actions of the sides that are given, [tick][game]; NULL: those of the recording */
    size_t given_bytes;   /* of a game in a tick */
} player;

#define SIDES 2 /* csb's players */

/* Leaves sides of recorded actions to the policy. */
static void leave_sides(player *p)
{
    const recording *r = p->what->recording;
    const size_t part = r->row_bytes / SIDES, rows = TICKS * r->games;
    p->given_bytes = r->row_bytes;
    for (size_t side = 0; side < SIDES; side++) {
        if ((p->what->sides >> side & 1) != 0) {
            p->step.players[side].source = CAROM_POLICY;
            p->step.players[side].policy = r->policy;
            p->given_bytes -= part;
        }
    }
    if (p->what->sides != 0 && p->given_bytes != 0) {
        const size_t other = (p->what->sides & 1) != 0;
        p->given = carom_bench_take(rows, part);
        for (size_t row = 0; row < rows; row++) {
            memcpy(p->given + row * part, r->actions + row * r->row_bytes + other * part, part);
        }
    }
}

static player make_player(const replay *what)
{
    player p = {.what = what, .step = carom_step_default()};
    carom_worlds_desc desc = carom_recording_desc(what->recording);
    desc.count = what->worlds;
    desc.isa = what->isa;
    desc.threads = what->threads;
    carom_bench_demand(carom_worlds_create(&desc, &p.worlds), "create worlds");
    p.from = carom_bench_take(what->worlds, sizeof *p.from);
    p.rows = carom_bench_take(what->worlds, sizeof *p.rows);
    p.step.ticks = what->call;
    p.step.action_kind = what->recording->kind;
    p.step.action_rows = what->recording->games;
    p.step.rows = p.rows;
    leave_sides(&p);
    if (what->outputs) {
        const size_t views = what->call * what->worlds * carom_game_describe(desc.game).players;
        p.step.observations = carom_bench_take(views * CAROM_CSB_OBSERVATION, sizeof(float));
        p.step.rewards = carom_bench_take(views, sizeof(float));
        p.step.ends = carom_bench_take(what->call * what->worlds, sizeof(uint8_t));
    }
    return p;
}

static void destroy_player(player *p)
{
    carom_worlds_destroy(p->worlds);
    free(p->from);
    free(p->rows);
    free(p->given);
    free(p->step.observations);
    free(p->step.rewards);
    free(p->step.ends);
}

/* Sets the worlds back to games first, first + 1, ... */
static void set_back(player *p, size_t first)
{
    const replay *what = p->what;
    for (size_t w = 0; w < what->worlds; w++) {
        p->from[w] = (first + w) % what->recording->games;
        p->rows[w] = (uint32_t)p->from[w];
    }
    carom_bench_demand(carom_worlds_copy(p->worlds, NULL, what->recording->at[what->from], p->from, what->worlds),
                       "set the worlds back");
}

static void play(player *p, bench_sample *sample)
{
    const recording *r = p->what->recording;
    const size_t end = carom_recording_tick(p->what->to);
    carom_status status = CAROM_OK;
    carom_bench_start(sample);
    for (size_t tick = carom_recording_tick(p->what->from); tick < end && status == CAROM_OK; tick += p->what->call) {
        p->step.actions = (p->given != NULL ? p->given : r->actions) + tick * r->games * p->given_bytes;
        status = carom_worlds_play(p->worlds, &p->step);
    }
    carom_bench_stop(sample);
    carom_bench_demand(status, "play");
}

/* An iteration replays every game, in one batch or in several small ones. Worlds with equal ids add up in a digest. */
static void run_library(const void *argument, uint64_t iterations, bench_sample *sample)
{
    const replay *what = argument;
    carom_recording_make(what->recording);
    player p = make_player(what);
    const size_t games = what->recording->games, copies = what->worlds > games ? what->worlds / games : 1;
    const uint64_t expected = carom_bench_digest(what->recording->at[what->to]) * copies;
    for (uint64_t i = 0; i < iterations; i++) {
        uint64_t digest = 0;
        for (size_t first = 0; first < games; first += what->worlds) {
            set_back(&p, first);
            play(&p, sample);
            digest += carom_bench_digest(p.worlds);
        }
        if (digest != expected) {
            carom_bench_die("%s, f%d, %u threads, %zu worlds: the digest is %016llx, that of the recording %016llx",
                            carom_isa_name(what->isa), (int)what->recording->precision, what->threads, what->worlds,
                            (unsigned long long)digest, (unsigned long long)expected);
        }
    }
    const carom_counters counters = carom_worlds_counters(p.worlds);
    const carom_worlds_desc desc = carom_worlds_describe(p.worlds);
    sample->items = (double)counters.ticks;
    sample->counters[0] = (double)counters.events / (double)counters.ticks;
    sample->counters[1] = (double)carom_worlds_bytes(&desc) / (double)what->worlds;
    destroy_player(&p);
}

/* ---- plain C ---- */

/* The actions of one game alone, in order of ticks. */
static void gather_actions(const recording *r, size_t game, unsigned char *actions)
{
    for (size_t tick = 0; tick < TICKS; tick++) {
        memcpy(actions + tick * r->row_bytes, r->actions + (tick * r->games + game) * r->row_bytes, r->row_bytes);
    }
}

/* All games once an iteration: one that is repeated at once would teach the processor its branches. */
static void run_plain(const void *argument, uint64_t iterations, bench_sample *sample)
{
    const replay *what = argument;
    recording *r = what->recording;
    carom_recording_make(r);
    const size_t first = carom_recording_tick(what->from), end = carom_recording_tick(what->to);
    const size_t action_bytes = TICKS * r->row_bytes; /* of a game */
    csb_ref_world *start = carom_bench_take(r->games, sizeof *start);
    csb_ref_world *worlds = carom_bench_take(r->games, sizeof *worlds);
    unsigned char *actions = carom_bench_take(r->games, action_bytes);
    for (size_t game = 0; game < r->games; game++) {
        carom_plain_read(&start[game], r->at[what->from], game);
        gather_actions(r, game, actions + game * action_bytes);
    }
    for (uint64_t i = 0; i < iterations; i++) {
        memcpy(worlds, start, r->games * sizeof *worlds);
        carom_bench_start(sample);
        for (size_t game = 0; game < r->games; game++) {
            carom_plain_play(&worlds[game], r, game, first, end, actions + game * action_bytes + first * r->row_bytes);
        }
        carom_bench_stop(sample);
    }
    for (size_t game = 0; game < r->games; game++) {
        csb_ref_world expected;
        carom_plain_read(&expected, r->at[what->to], game);
        const char *field = csb_ref_difference(&worlds[game], &expected);
        if (field != NULL || expected.fault != 0) {
            carom_bench_die("game %zu: field %s differs in plain C", game, field != NULL ? field : "fault");
        }
    }
    free(start);
    free(worlds);
    free(actions);
    sample->items = (double)iterations * (double)(r->games * (end - first));
}

/* ---- the cases ---- */

typedef struct plan {
    bench *bench;
    const char *policies[POLICIES], *kinds[KINDS];
    recording recordings[POLICIES][KINDS][2], distinct[POLICIES];
    replay arguments[MOST];
    size_t used;
    carom_isa isas[CAROM_ISA_COUNT];
    size_t isa_count;
} plan;

enum { RELATIVE, REFEREE, NORMALISED }; /* as csb.h has them */

static recording *find_recording(plan *p, size_t policy, size_t kind, carom_precision precision)
{
    recording *r = &p->recordings[policy][kind][precision == CAROM_F64];
    r->games = GAMES;
    r->policy = policy;
    r->kind = kind;
    r->precision = precision;
    return r;
}

static size_t find_policy(const plan *p, const char *name)
{
    size_t i = 0;
    while (strcmp(p->policies[i], name) != 0) {
        i++;
    }
    return i;
}

/* What every case of a recording has in common. */
static replay usual(recording *r, carom_isa isa)
{
    return (replay){r, isa, 1, WORLDS, CALL_TICKS, false, 0, MARK_START, MARK_END};
}

/* Adds a case; its name ends with `suffix`. baselines: NULL for none. */
static size_t add(plan *p, bench_body *body, const replay *what, const char *group, const char *engine,
                  const char *suffix, const size_t baselines[BENCH_BASELINES])
{
    if (p->used == MOST) {
        carom_bench_die("more than %d cases", MOST);
    }
    const recording *r = what->recording;
    p->arguments[p->used] = *what;
    bench_case c = carom_bench_case(body, &p->arguments[p->used++]);
    c.threads = what->threads;
    if (baselines != NULL) {
        memcpy(c.baselines, baselines, sizeof c.baselines);
    }
    carom_bench_name(&c, "csb/%s%s/%s/f%d/%s%s", group, p->policies[r->policy], p->kinds[r->kind], (int)r->precision,
                     engine, suffix);
    return carom_bench_add(p->bench, &c);
}

/* One workload by plain C (f64) and by instruction sets, in both precisions. The number of the plain C's case. */
static size_t add_workload(plan *p, size_t policy, size_t kind, bool every_isa)
{
    size_t baselines[BENCH_BASELINES] = {BENCH_NONE, BENCH_NONE, BENCH_NONE};
    replay what = usual(find_recording(p, policy, kind, CAROM_F64), CAROM_ISA_SCALAR);
    baselines[1] = add(p, run_plain, &what, "", "plain_c", "", NULL);
    for (int f64 = 1; f64 >= 0; f64--) {
        what.recording = find_recording(p, policy, kind, f64 ? CAROM_F64 : CAROM_F32);
        baselines[0] = BENCH_NONE;
        for (size_t i = 0; i < p->isa_count; i++) {
            if (i == 0 || i + 1 == p->isa_count || every_isa) {
                what.isa = p->isas[i];
                size_t number = add(p, run_library, &what, "", carom_isa_name(what.isa), "", baselines);
                baselines[0] = i == 0 ? number : baselines[0];
            }
        }
    }
    return baselines[1];
}

/* The same with a different game in every world. In 1024 worlds the 128 games repeat eight times in the same order: a
 * processor that remembers the branches of the last few hundred worlds predicts them. Here it cannot. */
static void add_distinct(plan *p, size_t policy, size_t plain)
{
    recording *r = &p->distinct[policy];
    size_t baselines[BENCH_BASELINES] = {BENCH_NONE, plain, BENCH_NONE};
    *r = (recording){.games = WORLDS, .policy = policy, .kind = RELATIVE, .precision = CAROM_F64};
    for (size_t i = 0; i < p->isa_count; i++) {
        if (i == 0 || i + 1 == p->isa_count) {
            const replay what = usual(r, p->isas[i]);
            size_t number = add(p, run_library, &what, "distinct/", carom_isa_name(p->isas[i]), "", baselines);
            baselines[0] = i == 0 ? number : baselines[0];
        }
    }
}

/* Batches of all sizes and ways of calling, by the widest instruction set, over 64 ticks in the middle of the games. */
static void add_sizes(plan *p, const char *policy)
{
    const size_t most = carom_bench_is_quick(p->bench) ? (size_t)1 << 16 : (size_t)1 << 20;
    const unsigned all = carom_threads(), threads[] = {1, 2, all};
    const carom_isa widest = p->isas[p->isa_count - 1];
    replay what = usual(find_recording(p, find_policy(p, policy), RELATIVE, CAROM_F64), CAROM_ISA_SCALAR);
    char suffix[64];
    what.from = MARK_MIDDLE;
    what.to = MARK_LATER;
    size_t baselines[BENCH_BASELINES] = {add(p, run_library, &what, "sizes/", "scalar", "/worlds:1024", NULL),
                                         add(p, run_plain, &what, "sizes/", "plain_c", "", NULL), BENCH_NONE};
    what.isa = widest;
    for (what.worlds = CAROM_TILE; what.worlds <= most; what.worlds *= 4) {
        baselines[2] = BENCH_NONE;
        for (size_t t = 0; t < 3; t++) {
            if (threads[t] <= all && (t < 2 || all > 2)) {
                what.threads = threads[t];
                snprintf(suffix, sizeof suffix, "/worlds:%zu/threads:%u", what.worlds, what.threads);
                size_t number = add(p, run_library, &what, "sizes/", carom_isa_name(widest), suffix, baselines);
                baselines[2] = t == 0 ? number : baselines[2];
            }
        }
    }
    baselines[2] = BENCH_NONE;
    what.worlds = WORLDS;
    what.threads = 1;
    for (what.call = 1; what.call <= CALL_TICKS; what.call *= CALL_TICKS) {
        snprintf(suffix, sizeof suffix, "/ticks:%zu", what.call);
        add(p, run_library, &what, "calls/", carom_isa_name(widest), suffix, baselines);
    }
    what.call = 1;
    what.outputs = true;
    add(p, run_library, &what, "calls/", carom_isa_name(widest), "/ticks:1/outputs", baselines);
    what.outputs = false;
    for (what.sides = 1; what.sides <= 3; what.sides++) {
        static const char *const names[] = {"first", "second", "both"};
        snprintf(suffix, sizeof suffix, "/ticks:1/policy:%s", names[what.sides - 1]);
        add(p, run_library, &what, "calls/", carom_isa_name(widest), suffix, baselines);
    }
    what.sides = 0;
    what.worlds = most; /* far more than the caches hold; the same in calls of CALL_TICKS is among the sizes */
    for (what.threads = 1; what.threads <= 2 && what.threads <= all; what.threads++) {
        snprintf(suffix, sizeof suffix, "/worlds:%zu/ticks:1/threads:%u", what.worlds, what.threads);
        size_t number = add(p, run_library, &what, "calls/", carom_isa_name(widest), suffix, baselines);
        baselines[2] = what.threads == 1 ? number : BENCH_NONE;
    }
}

int main(int argc, char **argv)
{
    static const bench_program program = {
        "Coders Strike Back, recorded games replayed",
        "M world-ticks/s",
        1e-6,
        {"x scalar", "x plain C", "x 1 thread"},
        {{"events_per_tick", "impacts/tick", 1}, {"bytes_per_world", "bytes/world", 1}}};
    static plan p;
    const carom_game *game = carom_game_find("csb");
    p.bench = carom_bench_create(argc, argv, &program);
    p.isa_count = carom_bench_isas(p.isas);
    for (size_t i = 0; i < POLICIES; i++) {
        p.policies[i] = carom_game_policy_name(game, i);
    }
    for (size_t i = 0; i < KINDS; i++) {
        carom_action_kind kind;
        carom_bench_demand(carom_game_action_kind(game, i, &kind), "find a kind of action");
        p.kinds[i] = kind.name;
    }
    for (size_t i = 0; i < POLICIES; i++) {
        add_distinct(&p, i, add_workload(&p, i, RELATIVE, true));
    }
    add_workload(&p, find_policy(&p, "random"), REFEREE, false);
    add_workload(&p, find_policy(&p, "random"), NORMALISED, false);
    add_sizes(&p, "random");
    add_sizes(&p, "race");
    return carom_bench_run(p.bench);
}
