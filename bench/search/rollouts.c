/* SPDX-License-Identifier: MIT
 * Rollouts of csb: rollouts a second from one root and from many, with drawn and with given actions; and the time of
 * the slowest piece of work compared with the mean.
 *
 * The given actions are those that would be drawn, so that all cases of a shape must give the same returns: each run is
 * compared with a run at width 1. Baselines: width 1 of the same source, and the tests' plain C (f64, actions given).
 *
 * The slowest piece: threads take up to 256 rollouts at a time, and a batch is done when the last of them is. The cases
 * `chunks` time calls of 256 rollouts, one of each root in turn; for each root the shortest time in a run is used,
 * which excludes disturbances by the machine. What remains is the difference in work between roots.
 */
#include "bench/common/harness.h"
#include "bench/games/recording.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SEED 2
#define DISCOUNT 0.9
#define FINAL_WEIGHT 1
#define PLAYERS 2
#define CHUNK 256 /* rollouts that a thread takes at most: 16 tiles */
#define MOST 128  /* cases */

/* Roots, sequences and horizon, with what all cases of a shape share. */
typedef struct shape {
    recording *recording; /* whose games in the middle are the roots */
    size_t roots, sequences, horizon;
    float *actions[PLAYERS]; /* [root][k][tick][number]; made when first used */
    double *expected[2];     /* [root][k][player] returned at width 1, in f32 and f64; likewise */
} shape;

typedef struct rollouts {
    shape *shape;
    carom_source source;
    carom_precision precision;
    carom_isa isa;
    unsigned threads;
} rollouts;

static recording *recording_for(const shape *s, carom_precision precision)
{
    return &s->recording[precision == CAROM_F64];
}

static size_t pairs_of(const shape *s)
{
    return s->roots * s->sequences;
}

/* `count` roots, the recorded games from `first` on. */
static carom_worlds *make_roots(const rollouts *what, size_t first, size_t count)
{
    recording *r = recording_for(what->shape, what->precision);
    carom_recording_make(r);
    carom_worlds_desc desc = carom_recording_desc(r);
    desc.count = count;
    desc.isa = what->isa;
    desc.threads = what->threads;
    carom_worlds *roots;
    size_t from[GAMES];
    for (size_t i = 0; i < count; i++) {
        from[i] = first + i;
    }
    carom_bench_demand(carom_worlds_create(&desc, &roots), "create roots");
    carom_bench_demand(carom_worlds_copy(roots, NULL, r->at[MARK_MIDDLE], from, count), "copy roots");
    return roots;
}

static carom_rollout_desc describe(const rollouts *what)
{
    const shape *s = what->shape;
    carom_rollout_desc desc = carom_rollout_desc_default(carom_game_find("csb"));
    desc.sequences = s->sequences;
    desc.horizon = s->horizon;
    desc.seed = SEED;
    desc.discount = DISCOUNT;
    desc.final_weight = FINAL_WEIGHT;
    for (int p = 0; p < PLAYERS; p++) {
        desc.players[p].source = what->source;
        desc.players[p].actions = what->source == CAROM_GIVEN ? s->actions[p] : NULL;
    }
    return desc;
}

/* ---- what a shape shares ---- */

static size_t numbers_of_player(void)
{
    const carom_game *game = carom_game_find("csb");
    carom_action_kind kind;
    carom_bench_demand(carom_game_action_kind(game, carom_rollout_desc_default(game).action_kind, &kind),
                       "find a kind of action");
    return kind.size;
}

static void make_actions(shape *s)
{
    const size_t numbers = numbers_of_player();
    for (uint32_t p = 0; p < PLAYERS; p++) {
        float *at = s->actions[p] = carom_bench_take(pairs_of(s) * s->horizon, numbers * sizeof(float));
        for (size_t q = 0; q < pairs_of(s); q++) {
            for (uint32_t tick = 0; tick < s->horizon; tick++) {
                const uint64_t id = q / s->sequences; /* that of the recorded game */
                carom_bench_demand(
                    carom_rollout_draw(carom_game_find("csb"), SEED, id, (uint32_t)(q % s->sequences), tick, p, at),
                    "draw");
                at += numbers;
            }
        }
    }
}

static double *expect(shape *s, carom_precision precision)
{
    double **expected = &s->expected[precision == CAROM_F64];
    if (*expected == NULL) {
        const rollouts what = {s, CAROM_GIVEN, precision, CAROM_ISA_SCALAR, 1};
        const carom_rollout_desc desc = describe(&what);
        carom_worlds *roots = make_roots(&what, 0, s->roots);
        *expected = carom_bench_take(pairs_of(s) * PLAYERS, sizeof(double));
        carom_bench_demand(carom_rollout(roots, &desc, *expected, NULL, NULL), "roll out");
        carom_worlds_destroy(roots);
    }
    return *expected;
}

static void prepare(shape *s)
{
    if (s->actions[0] == NULL) {
        make_actions(s);
    }
}

static void compare(const rollouts *what, const double *returns, const char *engine)
{
    const double *expected = expect(what->shape, what->precision);
    for (size_t i = 0; i < pairs_of(what->shape) * PLAYERS; i++) {
        if (!(returns[i] == expected[i])) {
            carom_bench_die("f%d, %s: rollout %zu returns %.17g, at width 1 %.17g", (int)what->precision, engine,
                            i / PLAYERS, returns[i], expected[i]);
        }
    }
}

/* ---- the bodies ---- */

static void keep_sums(const rollouts *what, uint64_t iterations, bench_sample *sample)
{
    sample->items = (double)iterations * (double)pairs_of(what->shape);
    sample->counters[0] = sample->items * (double)what->shape->horizon / sample->seconds;
}

static void run_library(const void *argument, uint64_t iterations, bench_sample *sample)
{
    const rollouts *what = argument;
    prepare(what->shape);
    const carom_rollout_desc desc = describe(what);
    double *returns = carom_bench_take(pairs_of(what->shape) * PLAYERS, sizeof *returns);
    carom_worlds *roots = make_roots(what, 0, what->shape->roots);
    carom_status status = CAROM_OK;
    carom_bench_start(sample);
    for (uint64_t i = 0; i < iterations && status == CAROM_OK; i++) {
        status = carom_rollout(roots, &desc, returns, NULL, NULL);
    }
    carom_bench_stop(sample);
    carom_bench_demand(status, "roll out");
    compare(what, returns, carom_isa_name(what->isa));
    keep_sums(what, iterations, sample);
    carom_worlds_destroy(roots);
    free(returns);
}

static void roll_plain(const shape *s, const csb_ref_world *root, const csb_ref_map *map, size_t q, double *returns)
{
    csb_ref_world world = *root;
    double weight = 1;
    returns[0] = returns[1] = 0;
    for (size_t tick = 0; tick < s->horizon; tick++) {
        float actions[PLAYERS][4], rewards[PLAYERS];
        for (int p = 0; p < PLAYERS; p++) {
            memcpy(actions[p], s->actions[p] + (q * s->horizon + tick) * 4, sizeof actions[p]);
        }
        if (csb_ref_step(&world, map, CAROM_CSB_FULL, CSB_REF_NORMALISED, actions, rewards, NULL) != CAROM_RUNNING) {
            world.frozen = 1;
        }
        returns[0] += weight * (double)rewards[0];
        returns[1] += weight * (double)rewards[1];
        weight *= DISCOUNT;
    }
    for (int p = 0; p < PLAYERS; p++) {
        returns[p] = world.fault != 0 ? -INFINITY : returns[p] + weight * FINAL_WEIGHT * csb_ref_value(&world, map, p);
    }
}

static void run_plain(const void *argument, uint64_t iterations, bench_sample *sample)
{
    const rollouts *what = argument;
    const shape *s = what->shape;
    prepare(what->shape);
    const recording *r = recording_for(s, CAROM_F64);
    double *returns = carom_bench_take(pairs_of(s) * PLAYERS, sizeof *returns);
    carom_worlds *roots = make_roots(what, 0, s->roots);
    csb_ref_world *worlds = carom_bench_take(s->roots, sizeof *worlds);
    const csb_ref_map **maps = carom_bench_take(s->roots, sizeof *maps);
    for (size_t root = 0; root < s->roots; root++) {
        carom_plain_read(&worlds[root], roots, root);
        maps[root] = carom_plain_map(r, roots, root);
    }
    carom_bench_start(sample);
    for (uint64_t i = 0; i < iterations; i++) {
        for (size_t q = 0; q < pairs_of(s); q++) {
            const size_t root = q / s->sequences;
            roll_plain(s, &worlds[root], maps[root], q, returns + q * PLAYERS);
        }
    }
    carom_bench_stop(sample);
    compare(what, returns, "plain C");
    keep_sums(what, iterations, sample);
    carom_worlds_destroy(roots);
    free(worlds);
    free(maps);
    free(returns);
}

/* A call for every root; the least of its times in this run. */
static void run_chunks(const void *argument, uint64_t iterations, bench_sample *sample)
{
    const rollouts *what = argument;
    const shape *s = what->shape;
    carom_worlds *roots[GAMES];
    double least[GAMES], sum = 0, most = 0;
    prepare(what->shape);
    const carom_rollout_desc desc = describe(what);
    double *returns = carom_bench_take(pairs_of(s) * PLAYERS, sizeof *returns);
    for (size_t root = 0; root < s->roots; root++) {
        roots[root] = make_roots(what, root, 1);
        least[root] = INFINITY;
    }
    for (uint64_t i = 0; i < iterations; i++) {
        for (size_t root = 0; root < s->roots; root++) {
            const double before = sample->seconds;
            carom_bench_start(sample);
            carom_status status =
                carom_rollout(roots[root], &desc, returns + root * s->sequences * PLAYERS, NULL, NULL);
            carom_bench_stop(sample);
            carom_bench_demand(status, "roll out");
            const double seconds = sample->seconds - before;
            least[root] = seconds < least[root] ? seconds : least[root];
        }
    }
    for (size_t root = 0; root < s->roots; root++) {
        sum += least[root];
        most = least[root] > most ? least[root] : most;
        carom_worlds_destroy(roots[root]);
    }
    compare(what, returns, carom_isa_name(what->isa));
    keep_sums(what, iterations, sample);
    sample->counters[1] = sum / (double)s->roots;
    sample->counters[2] = most;
    free(returns);
}

/* ---- the cases ---- */

typedef struct plan {
    bench *bench;
    rollouts arguments[MOST];
    size_t used;
} plan;

static size_t add(plan *p, bench_body *body, const rollouts *what, const char *group, const char *engine,
                  const size_t baselines[BENCH_BASELINES])
{
    if (p->used == MOST) {
        carom_bench_die("more than %d cases", MOST);
    }
    const shape *s = what->shape;
    p->arguments[p->used] = *what;
    bench_case c = carom_bench_case(body, &p->arguments[p->used++]);
    c.threads = what->threads;
    if (baselines != NULL) {
        memcpy(c.baselines, baselines, sizeof c.baselines);
    }
    carom_bench_name(&c, "rollouts/%s/%zux%zux%zu/%s/f%d/%s/threads:%u", group, s->roots, s->sequences, s->horizon,
                     what->source == CAROM_DRAWN ? "drawn" : "given", (int)what->precision, engine, what->threads);
    return carom_bench_add(p->bench, &c);
}

static void add_shape(plan *p, shape *s, const char *group, carom_isa widest)
{
    const unsigned all = carom_threads(), threads[] = {1, 2, all};
    rollouts what = {s, CAROM_GIVEN, CAROM_F64, CAROM_ISA_SCALAR, 1};
    const size_t plain = add(p, run_plain, &what, group, "plain_c", NULL);
    for (int n = 0; n < 4; n++) {
        what.source = n % 2 == 0 ? CAROM_DRAWN : CAROM_GIVEN;
        what.precision = n / 2 == 0 ? CAROM_F64 : CAROM_F32;
        what.isa = CAROM_ISA_SCALAR;
        what.threads = 1;
        size_t baselines[BENCH_BASELINES] = {BENCH_NONE, plain, BENCH_NONE};
        baselines[0] = add(p, run_library, &what, group, "scalar", baselines);
        what.isa = widest;
        for (size_t t = 0; t < 3 && widest != CAROM_ISA_SCALAR; t++) {
            if (threads[t] <= all && (t < 2 || all > 2) && (t == 0 || what.precision == CAROM_F64)) {
                what.threads = threads[t];
                size_t number = add(p, run_library, &what, group, carom_isa_name(widest), baselines);
                baselines[2] = t == 0 ? number : baselines[2];
            }
        }
    }
}

int main(int argc, char **argv)
{
    static const bench_program program = {"Rollouts of Coders Strike Back, ROOTS x SEQUENCES x HORIZON",
                                          "M rollouts/s",
                                          1e-6,
                                          {"x scalar", "x plain C", "x 1 thread"},
                                          {{"world_ticks_per_second", "M ticks/s", 1e-6},
                                           {"mean_chunk_seconds", "mean chunk us", 1e6},
                                           {"slowest_chunk_seconds", "slowest us", 1e6}}};
    static const char *const policies[] = {"race", "ram"}; /* that played the games from which the roots are taken */
    static recording recordings[2][2];
    static shape shapes[] = {
        {.recording = recordings[0], .roots = 1, .sequences = 1024, .horizon = 6},
        {.recording = recordings[0], .roots = 1, .sequences = 16384, .horizon = 6},
        {.recording = recordings[0], .roots = 1, .sequences = 4096, .horizon = 24},
        {.recording = recordings[0], .roots = GAMES, .sequences = 128, .horizon = 6},
        {.recording = recordings[1], .roots = GAMES, .sequences = 128, .horizon = 6},
        {.recording = recordings[0], .roots = GAMES, .sequences = CHUNK, .horizon = 6},
        {.recording = recordings[1], .roots = GAMES, .sequences = CHUNK, .horizon = 6},
    };
    static plan p;
    carom_isa isas[CAROM_ISA_COUNT];
    p.bench = carom_bench_create(argc, argv, &program);
    const carom_isa widest = isas[carom_bench_isas(isas) - 1];
    for (size_t i = 0; i < 2; i++) {
        size_t policy;
        carom_bench_demand(carom_game_find_policy(carom_game_find("csb"), policies[i], &policy), "find a policy");
        recordings[i][0] = (recording){.games = GAMES, .policy = policy, .kind = 0, .precision = CAROM_F32};
        recordings[i][1] = (recording){.games = GAMES, .policy = policy, .kind = 0, .precision = CAROM_F64};
    }
    for (size_t i = 0; i < sizeof shapes / sizeof shapes[0]; i++) {
        const char *roots = policies[shapes[i].recording == recordings[1]];
        if (shapes[i].sequences == CHUNK) {
            char group[32];
            snprintf(group, sizeof group, "chunks/%s", roots);
            const rollouts what = {&shapes[i], CAROM_DRAWN, CAROM_F64, widest, 1};
            add(&p, run_chunks, &what, group, carom_isa_name(widest), NULL);
        } else {
            add_shape(&p, &shapes[i], roots, widest);
        }
    }
    return carom_bench_run(p.bench);
}
