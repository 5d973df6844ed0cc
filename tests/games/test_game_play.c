/* SPDX-License-Identifier: MIT
 * carom_worlds_play and carom_worlds_observe: arguments, rows, outputs, ends, cancelling, counters, and no allocations.
 * The games' own tests check what a tick computes.
 */
#define _GNU_SOURCE

#include "allocations.h"
#include "tests/games/csb/csb_batch.h"

#include <pthread.h>

#define PLAYERS 2
#define SIZE 4 /* numbers a player, relative and normalised */
#define SEEN CAROM_CSB_OBSERVATION
#define WORLDS 70
#define TICKS 12
#define EVENTS 8
#define UNTOUCHED 777.0F

/* All outputs of a call. */
typedef struct outputs {
    float seen[TICKS][WORLDS][PLAYERS][SEEN], last_seen[TICKS][WORLDS][PLAYERS][SEEN], rewards[TICKS][WORLDS][PLAYERS];
    uint8_t ends[TICKS][WORLDS];
    carom_event events[TICKS][WORLDS][EVENTS];
    uint32_t event_counts[TICKS][WORLDS];
    double moved[TICKS][WORLDS][PODS][4];
} outputs;

static outputs one, other; /* too large for every stack */
static float actions[TICKS][WORLDS][PLAYERS][SIZE];
static uint64_t rng = 1;

static void clear(outputs *out)
{
    memset(out, 0, sizeof *out);
    for (size_t k = 0; k < sizeof out->last_seen / sizeof(float); k++)
        (&out->last_seen[0][0][0][0])[k] = UNTOUCHED;
}

static void draw_actions(void)
{
    for (size_t k = 0; k < sizeof actions / sizeof(float); k++)
        (&actions[0][0][0][0])[k] = (float)rng_in(&rng, -1, 1);
}

/* Worlds in a crowd, with games that end within TICKS here and there. */
static carom_worlds *make_busy(carom_at_end at_end, unsigned threads)
{
    csb_ref_world worlds[WORLDS];
    carom_worlds *busy =
        MAKE_WORLDS(carom_game_find("csb"), .count = WORLDS, .seed = 4, .at_end = at_end, .threads = threads);
    uint64_t random = 9;
    get_worlds(busy, WORLDS, worlds);
    for (size_t w = 0; w < WORLDS; w++) {
        for (int i = 0; i < PODS; i++) {
            worlds[w].x[i] = rng_below(&random, 4500);
            worlds[w].y[i] = rng_below(&random, 4500);
        }
        worlds[w].timeout[rng_below(&random, 2)] = (int16_t)(1 + rng_below(&random, 3 * TICKS));
        worlds[w].tick = rng_one_in(&random, 4) ? 499 - rng_below(&random, TICKS) : 1;
    }
    put_worlds(busy, WORLDS, worlds, NULL);
    return busy;
}

/* A call with every output, from tick `first` of `out` on. */
static carom_step full_step(outputs *out, size_t first, size_t ticks)
{
    carom_step step =
        STEP_WITH(.ticks = ticks, .action_kind = action_kind("normalised"), .actions = actions[first],
                  .observations = out->seen[first][0][0], .last_observations = out->last_seen[first][0][0],
                  .rewards = out->rewards[first][0], .ends = out->ends[first], .events = out->events[first][0],
                  .event_counts = out->event_counts[first], .event_capacity = EVENTS, .moved = out->moved[first][0][0]);
    return step;
}

/* ---- arguments ---- */

static void assert_refused(carom_worlds *worlds, const carom_step *step)
{
    static outputs untouched;
    clear(&one);
    clear(&untouched);
    const uint64_t digest = digest_of(worlds);
    assert_int_equal(carom_worlds_play(worlds, step), CAROM_ERROR_ARGUMENT);
    assert_true(digest_of(worlds) == digest);
    assert_int_equal(carom_worlds_counters(worlds).ticks, 0);
    assert_memory_equal(&one, &untouched, sizeof one);
}

TEST(test_arguments)
{
    OWNED(carom_worlds) *worlds = make_busy(CAROM_RESET, 1);
    uint32_t rows[WORLDS] = {0};
    const carom_step good = full_step(&one, 0, 1), defaults = carom_step_default();
    assert_true(defaults.size == sizeof defaults && defaults.ticks == 1 && defaults.action_kind == 0 &&
                defaults.actions == NULL && defaults.rows == NULL && defaults.ends == NULL && defaults.cancel == NULL);
    assert_int_equal(carom_worlds_play(NULL, &good), CAROM_ERROR_ARGUMENT);
    assert_refused(worlds, NULL);
    carom_step step = good;
    step.size--;
    assert_refused(worlds, &step);
    step = good;
    step.ticks = 0;
    assert_refused(worlds, &step);
    step = good;
    step.dt = 0.5; /* the game's ticks have their own length */
    assert_refused(worlds, &step);
    step = good;
    step.action_kind = 4;
    assert_refused(worlds, &step);
    step = good;
    step.action_rows = WORLDS - 1; /* too few without a list of rows */
    assert_refused(worlds, &step);
    step = good;
    step.rows = rows;
    step.action_rows = 5;
    rows[WORLDS - 1] = 5;
    assert_refused(worlds, &step);
    step.action_rows = 0; /* as many as worlds */
    rows[WORLDS - 1] = WORLDS;
    assert_refused(worlds, &step);
    assert_int_equal(carom_worlds_observe(NULL, one.seen[0][0][0]), CAROM_ERROR_ARGUMENT);
    assert_int_equal(carom_worlds_observe(worlds, NULL), CAROM_ERROR_ARGUMENT);
}

/* ---- ticks, rows, outputs ---- */

/* Many ticks in a call are as many calls. */
TEST(test_ticks)
{
    draw_actions();
    for (int at_end = CAROM_PLAY_ON; at_end <= CAROM_RESET; at_end++) {
        OWNED(carom_worlds) *together = make_busy((carom_at_end)at_end, 2), *apart = make_busy((carom_at_end)at_end, 1);
        clear(&one);
        clear(&other);
        carom_step step = full_step(&one, 0, TICKS);
        play_worlds(together, &step);
        for (size_t t = 0; t < TICKS; t++) {
            step = full_step(&other, t, 1);
            play_worlds(apart, &step);
        }
        assert_true(digest_of(together) == digest_of(apart));
        assert_memory_equal(&one, &other, sizeof one);
        const carom_counters a = carom_worlds_counters(together), b = carom_worlds_counters(apart);
        assert_memory_equal(&a, &b, sizeof a);
    }
}

/* No actions are actions of which every number is 0. */
TEST(test_no_actions)
{
    OWNED(carom_worlds) *without = make_busy(CAROM_RESET, 1), *with = make_busy(CAROM_RESET, 1);
    memset(actions, 0, sizeof actions);
    clear(&one);
    clear(&other);
    carom_step step = full_step(&one, 0, TICKS);
    step.actions = NULL;
    play_worlds(without, &step);
    step = full_step(&other, 0, TICKS);
    play_worlds(with, &step);
    assert_true(digest_of(without) == digest_of(with));
    assert_memory_equal(&one, &other, sizeof one);
}

TEST(test_rows)
{
    static float few[TICKS][7][PLAYERS][SIZE];
    uint32_t rows[WORLDS];
    OWNED(carom_worlds) *listed = make_busy(CAROM_RESET, 1), *spread = make_busy(CAROM_RESET, 1);
    for (size_t k = 0; k < sizeof few / sizeof(float); k++)
        (&few[0][0][0][0])[k] = (float)rng_in(&rng, -1, 1);
    for (size_t w = 0; w < WORLDS; w++) {
        rows[w] = (uint32_t)rng_below(&rng, 7);
        for (size_t t = 0; t < TICKS; t++)
            memcpy(actions[t][w], few[t][rows[w]], sizeof actions[t][w]);
    }
    clear(&one);
    clear(&other);
    carom_step step = full_step(&one, 0, TICKS);
    step.actions = few;
    step.action_rows = 7;
    step.rows = rows;
    play_worlds(listed, &step);
    step = full_step(&other, 0, TICKS);
    play_worlds(spread, &step);
    assert_true(digest_of(listed) == digest_of(spread));
    assert_memory_equal(&one, &other, sizeof one);

    /* More rows than worlds: the first ones are used. */
    static float wide[3][WORLDS + 5][PLAYERS][SIZE];
    for (size_t t = 0; t < 3; t++)
        memcpy(wide[t], actions[t], sizeof actions[t]);
    step.ticks = 3;
    play_worlds(spread, &step);
    step.actions = wide;
    step.action_rows = WORLDS + 5;
    play_worlds(listed, &step);
    assert_true(digest_of(listed) == digest_of(spread));
}

/* Any choice of outputs gives the same state, and each output is the same as when all are requested. */
TEST(test_outputs)
{
    draw_actions();
    OWNED(carom_worlds) *all = make_busy(CAROM_RESET, 1);
    clear(&one);
    carom_step step = full_step(&one, 0, TICKS);
    play_worlds(all, &step);
    for (unsigned chosen = 0; chosen < 128; chosen++) {
        OWNED(carom_worlds) *worlds = make_busy(CAROM_RESET, 1);
        clear(&other);
        step = full_step(&other, 0, TICKS);
        step.observations = chosen & 1 ? step.observations : NULL;
        step.last_observations = chosen & 2 ? step.last_observations : NULL;
        step.rewards = chosen & 4 ? step.rewards : NULL;
        step.ends = chosen & 8 ? step.ends : NULL;
        step.events = chosen & 16 ? step.events : NULL;
        step.event_counts = chosen & 32 ? step.event_counts : NULL;
        step.moved = chosen & 64 ? step.moved : NULL;
        play_worlds(worlds, &step);
        assert_true(digest_of(worlds) == digest_of(all));
        assert_true(!(chosen & 1) || memcmp(one.seen, other.seen, sizeof one.seen) == 0);
        assert_true(!(chosen & 2) || memcmp(one.last_seen, other.last_seen, sizeof one.last_seen) == 0);
        assert_true(!(chosen & 4) || memcmp(one.rewards, other.rewards, sizeof one.rewards) == 0);
        assert_true(!(chosen & 8) || memcmp(one.ends, other.ends, sizeof one.ends) == 0);
        assert_true(!(chosen & 16) || memcmp(one.events, other.events, sizeof one.events) == 0);
        assert_true(!(chosen & 32) || memcmp(one.event_counts, other.event_counts, sizeof one.event_counts) == 0);
        assert_true(!(chosen & 64) || memcmp(one.moved, other.moved, sizeof one.moved) == 0);
    }
}

/* Events beyond the capacity are counted, but not written. */
TEST(test_event_capacity)
{
    static carom_event few[WORLDS][2];
    OWNED(carom_worlds) *worlds = make_busy(CAROM_PLAY_ON, 1), *same = make_busy(CAROM_PLAY_ON, 1);
    size_t more = 0;
    draw_actions();
    clear(&one);
    carom_step step = full_step(&one, 0, 1);
    play_worlds(worlds, &step);
    memset(few, 0, sizeof few);
    step = full_step(&other, 0, 1);
    step.events = few[0];
    step.event_capacity = 2;
    play_worlds(same, &step);
    for (size_t w = 0; w < WORLDS; w++) {
        const size_t kept = one.event_counts[0][w] < 2 ? one.event_counts[0][w] : 2;
        assert_int_equal(one.event_counts[0][w], other.event_counts[0][w]);
        assert_memory_equal(few[w], one.events[0][w], kept * sizeof few[0][0]);
        more += one.event_counts[0][w] > 2;
    }
    assert_true(more > 0);
}

/* ---- ends ---- */

static bool is_untouched(const float *numbers)
{
    for (size_t k = 0; k < PLAYERS * SEEN; k++)
        if (numbers[k] != UNTOUCHED)
            return false;
    return true;
}

/* Invariants of every tick, whatever happens to worlds with a finished game; `before` and `after` it. */
static void check_end(size_t t, size_t w, const csb_ref_world *before, const csb_ref_world *after, carom_at_end at_end,
                      size_t ends[3])
{
    const uint8_t end = one.ends[t][w];
    const float *last_ticks = &one.last_seen[t][w][0][SEEN - 1], *ticks = &one.seen[t][w][0][SEEN - 1];
    assert_in_range(end, 0, 2);
    ends[end]++;
    assert_true(is_untouched(one.last_seen[t][w][0]) == (end == 0));
    assert_true(*ticks == (float)(after->tick / 500.0));
    if (end == 0) {
        assert_int_equal(after->tick, before->tick + !before->frozen);
        assert_int_equal(after->end, before->end);
        return;
    }
    assert_int_equal(before->end, CAROM_RUNNING); /* an end is reported once */
    assert_true(*last_ticks == (float)((before->tick + 1) / 500.0));
    assert_int_equal(after->end, at_end == CAROM_RESET ? CAROM_RUNNING : end);
    assert_int_equal(after->frozen, at_end == CAROM_FREEZE);
    assert_int_equal(after->tick, at_end == CAROM_RESET ? 0 : before->tick + 1);
    if (at_end != CAROM_RESET) /* the last state is the state */
        assert_memory_equal(one.last_seen[t][w], one.seen[t][w], sizeof one.seen[t][w]);
}

TEST(test_ends)
{
    draw_actions();
    for (int at_end = CAROM_PLAY_ON; at_end <= CAROM_RESET; at_end++) {
        OWNED(carom_worlds) *worlds = make_busy((carom_at_end)at_end, 1);
        csb_ref_world before[WORLDS], after[WORLDS];
        int32_t episodes[WORLDS], episode_sum = 0;
        size_t ends[3] = {0, 0, 0}, playing = 0, impacts = 0;
        clear(&one);
        get_worlds(worlds, WORLDS, after);
        for (size_t t = 0; t < TICKS; t++) {
            memcpy(before, after, sizeof before);
            const carom_step step = full_step(&one, t, 1);
            play_worlds(worlds, &step);
            get_worlds(worlds, WORLDS, after);
            for (size_t w = 0; w < WORLDS; w++) {
                assert_int_equal(after[w].fault, 0);
                check_end(t, w, &before[w], &after[w], (carom_at_end)at_end, ends);
                playing += !before[w].frozen;
                impacts += one.event_counts[t][w];
                if (before[w].frozen) {
                    assert_null(csb_ref_difference(&before[w], &after[w]));
                    assert_true(one.rewards[t][w][0] == 0 && one.rewards[t][w][1] == 0);
                }
            }
        }
        get_field(worlds, "episode", 0, WORLDS, episodes);
        for (size_t w = 0; w < WORLDS; w++)
            episode_sum += episodes[w];
        assert_true(ends[CAROM_TERMINATED] > 5 && ends[CAROM_TRUNCATED] > 5);
        assert_int_equal(episode_sum, at_end == CAROM_RESET ? ends[1] + ends[2] : 0);
        const carom_counters counters = carom_worlds_counters(worlds);
        assert_int_equal(counters.ticks, playing);
        assert_int_equal(counters.games, ends[1] + ends[2]);
        assert_int_equal(counters.events, impacts);
        must(carom_worlds_reset(worlds), "carom_worlds_reset");
        assert_int_equal(carom_worlds_counters(worlds).ticks + carom_worlds_counters(worlds).games, 0);
    }
}

TEST(test_observe)
{
    draw_actions();
    for (unsigned threads = 1; threads <= 2; threads++) {
        OWNED(carom_worlds) *worlds = make_busy(CAROM_RESET, threads);
        clear(&one);
        const carom_step step = full_step(&one, 0, 1);
        play_worlds(worlds, &step);
        const uint64_t digest = digest_of(worlds);
        must(carom_worlds_observe(worlds, other.seen[0][0][0]), "carom_worlds_observe");
        assert_memory_equal(one.seen[0], other.seen[0], sizeof one.seen[0]);
        assert_true(digest_of(worlds) == digest);
    }
}

/* ---- control ---- */

TEST(test_progress)
{
    OWNED(carom_worlds) *worlds = make_busy(CAROM_FREEZE, 2);
    uint64_t progress = 1000;
    int cancel = 0;
    draw_actions();
    carom_step step = full_step(&one, 0, TICKS);
    step.progress = &progress;
    step.cancel = &cancel;
    play_worlds(worlds, &step);
    assert_int_equal(progress, 1000 + WORLDS * TICKS); /* frozen worlds count, too */
    const uint64_t digest = digest_of(worlds), ticks = carom_worlds_counters(worlds).ticks;
    cancel = 1; /* raised already: nothing is played */
    assert_int_equal(carom_worlds_play(worlds, &step), CAROM_ERROR_CANCELLED);
    assert_true(digest_of(worlds) == digest && carom_worlds_counters(worlds).ticks == ticks);
    assert_int_equal(progress, 1000 + WORLDS * TICKS);
}

#define LONG_TICKS 1000000 /* with LONG_WORLDS, minutes */
#define LONG_WORLDS 20000

typedef struct alarm_clock {
    volatile int cancel;
    uint64_t progress;
} alarm_clock;

/* Raises the flag once something has been played. */
static void *raise_flag(void *argument)
{
    alarm_clock *clock = (alarm_clock *)argument;
    while (__atomic_load_n(&clock->progress, __ATOMIC_RELAXED) == 0)
        sched_yield();
    __atomic_store_n(&clock->cancel, 1, __ATOMIC_RELAXED);
    return NULL;
}

TEST(test_cancel)
{
    NOT_ON_WEB(); /* nothing interrupts a call */
    alarm_clock clock = {0, 0};
    pthread_t thread;
    OWNED(carom_worlds) *worlds = MAKE_WORLDS(carom_game_find("csb"), .count = LONG_WORLDS, .threads = 2);
    FREED uint32_t *rows = (uint32_t *)calloc(LONG_WORLDS, sizeof *rows);
    FREED int32_t *ticks = (int32_t *)calloc(LONG_WORLDS, sizeof *ticks);
    float(*idle)[PLAYERS][SIZE] = (float(*)[PLAYERS][SIZE])calloc(LONG_TICKS, sizeof *idle);
    uint64_t sum = 0;
    assert_true(rows != NULL && ticks != NULL && idle != NULL);
    carom_step step = STEP_WITH(.ticks = LONG_TICKS, .actions = idle, .rows = rows, .action_rows = 1,
                                .cancel = &clock.cancel, .progress = &clock.progress);
    assert_int_equal(pthread_create(&thread, NULL, raise_flag, &clock), 0);
    assert_int_equal(carom_worlds_play(worlds, &step), CAROM_ERROR_CANCELLED);
    assert_int_equal(pthread_join(thread, NULL), 0);
    get_field(worlds, "tick", 0, LONG_WORLDS, ticks);
    for (size_t w = 0; w < LONG_WORLDS; w++)
        sum += (uint64_t)ticks[w];
    assert_true(sum > 0 && sum < (uint64_t)LONG_WORLDS * LONG_TICKS / 2);
    assert_true(sum == clock.progress && sum == carom_worlds_counters(worlds).ticks);
    free(idle);
}

/* ---- allocations ---- */

/* One of everything that works on a batch of the caller's and into the caller's memory. */
static void use_everything(carom_worlds *worlds, carom_worlds *twin, void *buffer, size_t size)
{
    static uint64_t hashes[WORLDS];
    static double referee[WORLDS][PODS][3], x[WORLDS][PODS];
    carom_step step = full_step(&one, 0, TICKS);
    play_worlds(worlds, &step); /* recorded */
    step.events = NULL;
    step.event_counts = NULL;
    step.moved = NULL;
    play_worlds(worlds, &step); /* with outputs */
    step.observations = step.last_observations = step.rewards = NULL;
    step.ends = NULL;
    for (step.action_kind = 0; step.action_kind < 3; step.action_kind++) {
        must(carom_worlds_policy(worlds, 0, step.action_kind, referee), "carom_worlds_policy");
        step.actions = referee;
        step.ticks = 1;
        play_worlds(worlds, &step);
    }
    must(carom_worlds_observe(worlds, one.seen[0][0][0]), "carom_worlds_observe");
    must(carom_worlds_hash(worlds, 0, WORLDS, hashes), "carom_worlds_hash");
    (void)digest_of(worlds);
    (void)carom_worlds_faults(worlds, NULL);
    get_field(worlds, "x", 0, WORLDS, x);
    set_field(worlds, "x", 0, WORLDS, x);
    must(carom_worlds_copy(twin, NULL, worlds, NULL, WORLDS), "carom_worlds_copy");
    must(carom_worlds_fork(worlds, 1, WORLDS - 1, twin, 0), "carom_worlds_fork");
    must(carom_worlds_save(worlds, buffer, size), "carom_worlds_save");
    must(carom_worlds_load(worlds, buffer, size), "carom_worlds_load");
}

/* After a first round, in which threads start, a batch allocates no more memory, not even temporarily. */
TEST(test_allocations)
{
    if (!allocations_counted)
        skip();
    draw_actions();
    for (unsigned threads = 1; threads <= 2; threads++) {
        const size_t live = atomic_load(&allocation_live);
        OWNED(carom_worlds) *worlds = make_busy(CAROM_RESET, threads), *twin = make_busy(CAROM_RESET, threads);
        assert_true(atomic_load(&allocation_live) > live); /* the count is at work */
        const size_t size = carom_worlds_save_size(worlds);
        FREED void *buffer = malloc(size);
        assert_non_null(buffer);
        use_everything(worlds, twin, buffer, size);
        const size_t calls = atomic_load(&allocation_calls);
        for (int round = 0; round < 5; round++)
            use_everything(worlds, twin, buffer, size);
        assert_int_equal(atomic_load(&allocation_calls), calls);
    }
}
