/* SPDX-License-Identifier: MIT
 * The same bits everywhere: one experiment of csb, played in every way that must not matter, has one digest.
 *
 * The experiment: worlds 0..999 for 300 ticks, driven by three policies in turn, starting their next games as they
 * end. It is recorded once for each precision and kind of action, and then replayed on other instruction sets, threads,
 * batch sizes and orders, interrupted in the middle, and under other floating-point environments of the caller.
 *
 * In the environment: CAROM_TEST_SEED repeats the random combinations of a run that failed (it is printed), and
 * CAROM_TEST_SHORT plays only the experiment's first worlds, fewer combinations, and single factors in one precision
 * and kind of action only.
 */
#ifndef _POSIX_C_SOURCE
#define _POSIX_C_SOURCE 200809L
#endif

#include "test.h"

#include <fenv.h>
#include <inttypes.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#if defined(__x86_64__)
#include <xmmintrin.h>
#endif

#include "base/hash.h"
#include "base/random.h"
#include "child.h"

#define MOST ((size_t)1000) /* worlds */
#define FEW ((size_t)51)    /* in the short form: three tiles and a part */
#define TICKS 300
#define MIDDLE 150 /* where an interrupted run is interrupted */
#define OBSERVED 7 /* calls of at most this many ticks return observations */
#define SEED 2024
#define PLAYERS ((size_t)2)
#define SEEN (PLAYERS * CAROM_CSB_OBSERVATION)

/* The digests of the experiment, by precision and kind of action. They may change with the rules, the policies, the
 * maps or the random numbers of csb, and with the definition of the hash; each changes what the library promises, and
 * belongs in the change log. They never change with a compiler, a machine, an instruction set or a number of threads:
 * if they do, the library is wrong, not this table. */
static const uint64_t golden[2][2][3] = {
    /* relative, referee, normalised */
    {{0x5f8894889f12642c, 0xcfdb43c7a6adee6b, 0x69c8f23a3bf236a0},  /* f32 */
     {0x47749671980a65c0, 0x9054a48657cea99f, 0xaec57e8c3f5f85e0}}, /* f64 */
    /* in the short form */
    {{0x29148cb0c2448276, 0x51f8242e2d6a2154, 0x5ee7ac90a2091bc1},
     {0x3d6bccaaa568ad87, 0x2ee69cd169a54f59, 0x8673161dc8bd214a}},
};

/* Interruptions in the middle of a run. In each case another batch takes over, with other threads and another
 * instruction set. */
typedef enum interruption {
    NOTHING,
    SAVED,   /* saved and loaded */
    FORKED,  /* world by world */
    RECORDS, /* as records */
    COPIED,  /* in another order: with a list of targets at the start, and with a list of sources in the middle */
    INTERRUPTIONS
} interruption;

/* The caller's floating-point environment. */
typedef enum environment { PLAIN, FLUSH, UPWARD, DOWNWARD_FLUSH, TOWARDS_ZERO, TRAPS, ENVIRONMENTS } environment;

typedef struct variation {
    carom_isa isa;
    unsigned threads;
    size_t batch; /* the worlds are split into batches of this size; MOST: all are one batch */
    size_t ticks; /* a call */
    bool rows;    /* actions are taken from the whole experiment's through carom_step.rows */
    interruption middle;
    environment caller;
} variation;

static const variation usual = {CAROM_ISA_DEFAULT, 2, MOST, 7, false, NOTHING, PLAIN};

typedef struct outcome {
    uint64_t digest, rewards, observations;
    carom_counters counters;
} outcome;

typedef struct experiment {
    carom_precision precision;
    size_t kind;
    size_t row_bytes;       /* of one world's actions */
    unsigned char *actions; /* [TICKS][world_count][row_bytes] */
    outcome expected;
} experiment;

static experiment experiments[6];
static const experiment *const f32_normalised = &experiments[2], *const f64_relative = &experiments[3];
static uint64_t seed;
static bool is_short;
static size_t world_count = MOST;

/* ---- the floating-point environment ---- */

static uint64_t control_get(void)
{
#if defined(__x86_64__)
    return _mm_getcsr();
#elif defined(__aarch64__)
    uint64_t control;
    __asm__ volatile("mrs %0, fpcr" : "=r"(control));
    return control;
#else
    return (uint64_t)fegetround();
#endif
}

/* Flush-to-zero (and denormals-are-zero); with `traps` also exceptions that raise a signal. */
static void control_add(bool flush, bool traps)
{
#if defined(__x86_64__)
    const unsigned control = _mm_getcsr() | (flush ? 0x8040u : 0);
    _mm_setcsr(traps ? control & ~0x0f80u : control); /* all but inexact */
#elif defined(__aarch64__)
    (void)traps;
    __asm__ volatile("msr fpcr, %0" ::"r"(control_get() | (flush ? UINT64_C(1) << 24 : 0)));
#else
    (void)flush, (void)traps;
#endif
}

static void set_environment(environment caller)
{
    static const int rounding[ENVIRONMENTS] = {FE_TONEAREST, FE_TONEAREST,  FE_UPWARD,
                                               FE_DOWNWARD,  FE_TOWARDZERO, FE_TONEAREST};
    (void)fesetenv(FE_DFL_ENV);
    assert_int_equal(fesetround(rounding[caller]), 0);
    control_add(caller == FLUSH || caller == DOWNWARD_FLUSH, caller == TRAPS);
}

/* ---- playing ---- */

static carom_worlds *make(const experiment *e, carom_isa isa, unsigned threads, size_t first, size_t count)
{
    carom_csb_options options = carom_csb_options_default();
    options.map_count = 64;
    return MAKE_WORLDS(carom_game_find("csb"), .options = &options, .count = count, .precision = e->precision,
                       .isa = isa, .threads = threads, .seed = SEED, .first_id = first, .at_end = CAROM_RESET);
}

/* The outputs of one call; the observations may be NULL. */
typedef struct outputs {
    float *rewards, *observations, *last_observations;
    uint8_t *ends;
} outputs;

static outputs outputs_for(size_t ticks, size_t count)
{
    outputs out = {take(ticks * count * PLAYERS * sizeof(float)), NULL, NULL, take(ticks * count)};
    if (ticks <= OBSERVED) {
        out.observations = take(ticks * count * SEEN * sizeof(float));
        out.last_observations = take(ticks * count * SEEN * sizeof(float));
    }
    return out;
}

static void end_outputs(outputs *out)
{
    free(out->rewards);
    free(out->observations);
    free(out->last_observations);
    free(out->ends);
}

/* A sum over rows, each hashed with its name, so that order and grouping do not matter. */
static uint64_t row_hash(size_t tick, size_t world, const void *row, size_t bytes)
{
    return hash_bytes(hash_step(tick + 1, world + 1), row, bytes);
}

/* Adds the results of a call from `tick` on; world w is world names[w] of the experiment. */
static void add_outputs(outcome *to, const outputs *out, size_t tick, size_t ticks, size_t count, const uint32_t *names)
{
    for (size_t t = 0; t < ticks; t++) {
        for (size_t w = 0; w < count; w++) {
            const size_t at = t * count + w;
            to->rewards += row_hash(tick + t, names[w], out->rewards + at * PLAYERS, PLAYERS * sizeof(float));
            to->rewards += row_hash(tick + t, names[w], out->ends + at, 1);
            if (out->observations != NULL) {
                to->observations += row_hash(tick + t, names[w], out->observations + at * SEEN, SEEN * sizeof(float));
                if (out->ends[at] != 0) {
                    to->observations +=
                        row_hash(tick + t, names[w], out->last_observations + at * SEEN, SEEN * sizeof(float));
                }
            }
        }
    }
}

static void add_end(outcome *to, const carom_worlds *worlds)
{
    const carom_counters counters = carom_worlds_counters(worlds);
    to->counters.ticks += counters.ticks;
    to->counters.events += counters.events;
    to->counters.games += counters.games;
    to->counters.goals += counters.goals;
    assert_int_equal(counters.faults, 0);
}

static carom_isa other_isa(carom_isa isa)
{
    carom_isa other = isa;
    do {
        other = other + 1 < CAROM_ISA_COUNT ? (carom_isa)(other + 1) : CAROM_ISA_SCALAR;
    } while (!carom_isa_usable(other));
    return other;
}

/* `to` becomes a permutation of 0..count-1: multiples of a number that has no factor in common with any batch size. */
static void make_order(size_t *to, size_t count)
{
    for (size_t k = 0; k < count; k++) {
        to[k] = (k * 787 + 5) % count;
    }
}

/* Moves worlds into `next` in another order; names goes with them. */
static void reorder(carom_worlds *next, const carom_worlds *worlds, bool by_target, uint32_t *names)
{
    const size_t count = carom_worlds_count(worlds);
    FREED size_t *order = take(count * sizeof *order);
    FREED uint32_t *before = take(count * sizeof *before);
    memcpy(before, names, count * sizeof *names);
    make_order(order, count);
    for (size_t k = 0; k < count; k++) {
        names[by_target ? order[k] : k] = before[by_target ? k : order[k]];
    }
    OK(carom_worlds_copy(next, by_target ? order : NULL, worlds, by_target ? NULL : order, count));
}

/* Another batch takes over; the old one is destroyed. */
static carom_worlds *take_over(const experiment *e, carom_worlds *worlds, interruption how, bool start, uint32_t *names,
                               outcome *to)
{
    const carom_worlds_desc desc = carom_worlds_describe(worlds);
    carom_worlds *next = make(e, other_isa(desc.isa), desc.threads % 3 + 1, (size_t)desc.first_id, desc.count);
    void *buffer = NULL;
    size_t size;
    switch (how) {
    case SAVED:
        size = carom_worlds_save_size(worlds);
        buffer = take(size);
        OK(carom_worlds_save(worlds, buffer, size));
        OK(carom_worlds_load(next, buffer, size));
        break;
    case FORKED:
        for (size_t w = 0; w < desc.count; w++) {
            OK(carom_worlds_fork(next, w, 1, worlds, w));
        }
        break;
    case RECORDS:
        size = carom_worlds_record_size(worlds);
        buffer = take(size);
        for (size_t w = 0; w < desc.count; w++) {
            OK(carom_worlds_get_world(worlds, w, buffer, size));
            OK(carom_worlds_set_world(next, w, buffer, size));
        }
        break;
    default:
        reorder(next, worlds, start, names);
    }
    free(buffer);
    if (how != SAVED) { /* the counters are saved, and belong to the batch otherwise */
        add_end(to, worlds);
    }
    carom_worlds_destroy(worlds);
    return next;
}

/* Gathers the rows of names[0..count-1] for some ticks. */
static void gather(const experiment *e, size_t tick, size_t ticks, const uint32_t *names, size_t count,
                   unsigned char *to)
{
    for (size_t t = 0; t < ticks; t++) {
        for (size_t w = 0; w < count; w++, to += e->row_bytes) {
            memcpy(to, e->actions + ((tick + t) * world_count + names[w]) * e->row_bytes, e->row_bytes);
        }
    }
}

/* Worlds first .. first + count - 1 of the experiment, as one batch. */
static void play_batch(const experiment *e, const variation *v, size_t first, size_t count, outcome *to)
{
    carom_worlds *worlds = make(e, v->isa, v->threads, first, count);
    FREED uint32_t *names = take(count * sizeof *names);
    for (size_t w = 0; w < count; w++) {
        names[w] = (uint32_t)(first + w);
    }
    if (v->middle == COPIED) {
        worlds = take_over(e, worlds, COPIED, true, names, to);
    }
    unsigned char *dense = v->rows ? NULL : take(v->ticks * count * e->row_bytes);
    OWNED(outputs) out = outputs_for(v->ticks, count);
    carom_step step = STEP_WITH(.action_kind = e->kind, .rewards = out.rewards, .observations = out.observations,
                                .last_observations = out.last_observations, .ends = out.ends);
    for (size_t tick = 0; tick < TICKS; tick += step.ticks) {
        if (tick == MIDDLE && v->middle != NOTHING) {
            worlds = take_over(e, worlds, v->middle, false, names, to);
        }
        const size_t stop = v->middle != NOTHING && tick < MIDDLE ? MIDDLE : TICKS;
        step.ticks = v->ticks < stop - tick ? v->ticks : stop - tick;
        if (v->rows) {
            step.actions = e->actions + tick * world_count * e->row_bytes;
            step.action_rows = world_count;
            step.rows = names;
        } else {
            gather(e, tick, step.ticks, names, count, dense);
            step.actions = dense;
        }
        OK(carom_worlds_play(worlds, &step));
        add_outputs(to, &out, tick, step.ticks, count, names);
    }
    uint64_t digest;
    OK(carom_worlds_digest(worlds, &digest));
    to->digest += digest;
    add_end(to, worlds);
    carom_worlds_destroy(worlds);
    free(dense);
}

static outcome play(const experiment *e, const variation *v)
{
    outcome result = {0, 0, 0, {0, 0, 0, 0, 0}};
    set_environment(v->caller);
    const uint64_t control = control_get();
    for (size_t first = 0; first < world_count; first += v->batch) {
        play_batch(e, v, first, v->batch < world_count - first ? v->batch : world_count - first, &result);
    }
    const uint64_t after = control_get();
    set_environment(PLAIN);
    assert_true(after == control); /* the caller's environment is as it was, flags included */
    return result;
}

static void assert_same(const experiment *e, const variation *v)
{
    const outcome got = play(e, v);
    const outcome *want = &e->expected;
    if (got.digest == want->digest && got.rewards == want->rewards &&
        (v->ticks > OBSERVED || got.observations == want->observations) &&
        memcmp(&got.counters, &want->counters, sizeof got.counters) == 0) {
        return;
    }
    fail_msg(
        "f%d, kind %zu, %s, %u threads, batches of %zu, %zu ticks a call, rows %d, interruption %d, environment %d:\n"
        "digest %016" PRIx64 " for %016" PRIx64 ", rewards %016" PRIx64 " for %016" PRIx64 ", observations %016" PRIx64
        " for %016" PRIx64 ", ticks %" PRIu64 " for %" PRIu64 ", events %" PRIu64 " for %" PRIu64 ", games %" PRIu64
        " for %" PRIu64 ", goals %" PRIu64 " for %" PRIu64,
        (int)e->precision, e->kind, carom_isa_name(v->isa), v->threads, v->batch, v->ticks, v->rows, (int)v->middle,
        (int)v->caller, got.digest, want->digest, got.rewards, want->rewards, got.observations, want->observations,
        got.counters.ticks, want->counters.ticks, got.counters.events, want->counters.events, got.counters.games,
        want->counters.games, got.counters.goals, want->counters.goals);
}

/* ---- the recording ---- */

/* Plays the experiment at width 1 by the policies, world w by number w % 3 of them, and stores their actions. */
static void record(experiment *e)
{
    static const char *const names[] = {"race", "random", "ram"};
    const carom_game *csb = carom_game_find("csb");
    carom_action_kind kind;
    OK(carom_game_action_kind(csb, e->kind, &kind));
    e->row_bytes = (size_t)PLAYERS * kind.size * (kind.precision / 8);
    e->actions = take(world_count * TICKS * e->row_bytes);
    carom_worlds *worlds = make(e, CAROM_ISA_SCALAR, 1, 0, world_count);
    unsigned char *choice = take(world_count * e->row_bytes);
    for (size_t tick = 0; tick < TICKS; tick++) {
        unsigned char *now = e->actions + tick * world_count * e->row_bytes;
        for (size_t p = 0; p < 3; p++) {
            size_t policy;
            OK(carom_game_find_policy(csb, names[p], &policy));
            OK(carom_worlds_policy(worlds, policy, e->kind, choice));
            for (size_t w = p; w < world_count; w += 3) {
                memcpy(now + w * e->row_bytes, choice + w * e->row_bytes, e->row_bytes);
            }
        }
        PLAY(worlds, .action_kind = e->kind, .actions = now);
    }
    carom_worlds_destroy(worlds);
    free(choice);
    variation first = usual;
    first.isa = CAROM_ISA_SCALAR;
    first.threads = 1;
    first.ticks = 1;
    e->expected = play(e, &first);
}

SET_UP
{
    is_short = unless_short(0, 1) != 0;
    world_count = is_short ? FEW : MOST;
    seed = test_seed((uint64_t)time(NULL));
    for (size_t i = 0; i < 6; i++) {
        experiments[i].precision = i < 3 ? CAROM_F32 : CAROM_F64;
        experiments[i].kind = i % 3;
        record(&experiments[i]);
    }
}

TEAR_DOWN
{
    for (size_t i = 0; i < 6; i++) {
        free(experiments[i].actions);
    }
}

/* ---- the tests ---- */

TEST(test_golden)
{
    int wrong = 0;
    for (size_t i = 0; i < 6; i++) {
        const outcome *is = &experiments[i].expected;
        if (is->digest != golden[is_short][i / 3][i % 3]) {
            print_error("f%d, kind %zu: digest 0x%016" PRIx64 "\n", (int)experiments[i].precision, i % 3, is->digest);
            wrong++;
        }
        /* It is worth something: games are played to their end, and pods meet. */
        assert_int_equal(is->counters.ticks, world_count * TICKS);
        assert_true(is->counters.games > world_count);
        assert_true(is->counters.goals > world_count);
        assert_true(is->counters.events > world_count * 20);
    }
    assert_int_equal(wrong, 0);
}

TEST(test_instruction_sets)
{
    for (size_t i = 0; i < 6; i++) {
        for (size_t k = 0; k < isa_count; k++) {
            variation v = usual;
            v.isa = isas[k];
            assert_same(&experiments[i], &v);
        }
    }
}

static const unsigned all_threads[] = {1, 2, 7};
static const size_t all_batches[] = {1, 15, 16, 17, MOST};
static const size_t all_ticks[] = {1, 7, TICKS};

static void in_two(void (*vary)(const experiment *))
{
    if (!is_short) {
        vary(f32_normalised);
    }
    vary(f64_relative);
}

/* One factor at a time, in two experiments of the six; in the short form in the second of them alone. */
#define IN_TWO(name) TEST_BY(in_two, name, const experiment *e)

IN_TWO(test_threads_and_batches)
{
    for (size_t k = 0; k < 3; k++) {
        variation v = usual;
        v.threads = all_threads[k];
        assert_same(e, &v);
        v = usual;
        v.ticks = all_ticks[k];
        assert_same(e, &v);
    }
    for (size_t k = 0; k < 4; k++) {
        variation v = usual;
        v.batch = all_batches[k];
        v.rows = k % 2 == 0;
        assert_same(e, &v);
    }
}

IN_TWO(test_interruptions)
{
    for (interruption how = SAVED; how < INTERRUPTIONS; how++) {
        for (int rows = 0; rows < (how == COPIED ? 2 : 1); rows++) {
            variation v = usual;
            v.middle = how;
            v.rows = rows != 0;
            assert_same(e, &v);
        }
    }
}

IN_TWO(test_environments)
{
    for (environment caller = FLUSH; caller < ENVIRONMENTS; caller++) {
        variation v = usual;
        v.caller = caller;
        v.middle = SAVED;
        assert_same(e, &v);
    }
}

/* Several factors at once. */
TEST(test_combinations)
{
    random_stream stream = random_begin(seed, 0, 0, 0);
    for (int k = 0; k < (is_short ? 6 : 18); k++) {
        const experiment *e = &experiments[k % 6];
        variation v;
        v.isa = isas[random_below(&stream, (uint32_t)isa_count)];
        v.threads = all_threads[random_below(&stream, 3)];
        v.batch = all_batches[1 + random_below(&stream, 4)];
        v.ticks = all_ticks[random_below(&stream, 3)];
        v.rows = random_below(&stream, 2) != 0;
        v.middle = (interruption)random_below(&stream, INTERRUPTIONS);
        v.caller = (environment)random_below(&stream, ENVIRONMENTS);
        assert_same(e, &v);
    }
}

/* Forks at several indices play like the original, once they have its id. */
static void fork_roots(const experiment *e)
{
    static const size_t places[][2] = {{0, 1}, {3, 15}, {20, 16}, {37, 17}, {60, 100}}; /* first, n */
    OWNED(carom_worlds) *roots = make(e, CAROM_ISA_DEFAULT, 2, 0, 40);
    OWNED(carom_worlds) *forks = make(e, CAROM_ISA_SCALAR, 7, 5000, 160);
    FREED uint32_t *rows = take(160 * sizeof *rows);
    size_t id_field;
    OK(carom_worlds_find_field(roots, "id", &id_field));
    carom_step step =
        STEP_WITH(.action_kind = e->kind, .action_rows = world_count, .actions = e->actions, .rows = rows, .ticks = 60);
    OK(carom_worlds_play(forks, &step)); /* overwritten by the fork; all act as world 0 */
    for (uint32_t w = 0; w < 40; w++) {
        rows[w] = w;
    }
    OK(carom_worlds_play(roots, &step));
    memset(rows, 0, 160 * sizeof *rows);
    for (size_t k = 0; k < 5; k++) {
        const size_t root = 7 * k + 1;
        OK(carom_worlds_fork(forks, places[k][0], places[k][1], roots, root));
        for (size_t w = places[k][0]; w < places[k][0] + places[k][1]; w++) {
            int32_t id[2];
            OK(carom_worlds_get(forks, id_field, w, 1, id));
            assert_int_equal(id[0], 5000 + w);
            assert_int_equal(id[1], 0);
            id[0] = (int32_t)root;
            OK(carom_worlds_set(forks, id_field, w, 1, id));
            rows[w] = (uint32_t)root;
        }
    }
    step.actions = e->actions + world_count * 60 * e->row_bytes;
    step.ticks = TICKS - 60;
    OK(carom_worlds_play(forks, &step));
    for (uint32_t w = 0; w < 40; w++) {
        rows[w] = w;
    }
    OK(carom_worlds_play(roots, &step));
    for (size_t k = 0; k < 5; k++) {
        uint64_t want, got[100];
        OK(carom_worlds_hash(roots, 7 * k + 1, 1, &want));
        OK(carom_worlds_hash(forks, places[k][0], places[k][1], got));
        for (size_t w = 0; w < places[k][1]; w++) {
            assert_true(got[w] == want);
        }
    }
}

TEST(test_forks)
{
    fork_roots(f32_normalised);
    fork_roots(f64_relative);
}

/* A child of a process that has used threads plays the same, and does not wait for threads that it does not have. */
TEST(test_child_process)
{
    const experiment *e = f64_relative;
    variation v = usual;
    NEEDS_FORK();
    v.threads = 7;
    assert_same(e, &v);
    int ends[2];
    assert_int_equal(pipe(ends), 0);
    fflush(NULL);
    const pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        alarm(120);
        const outcome got = play(e, &v);
        _exit(write(ends[1], &got.digest, sizeof got.digest) == sizeof got.digest ? 0 : 1);
    }
    uint64_t digest = 0;
    close(ends[1]);
    assert_int_equal(read(ends[0], &digest, sizeof digest), sizeof digest);
    close(ends[0]);
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    assert_true(digest == e->expected.digest);
    assert_same(e, &v); /* the parent continues */
}
