/* SPDX-License-Identifier: MIT
 * A fault ends a game: in every game and in both engines of scenes, in each end mode, precision and instruction set.
 * What is reported, what happens to the world and its neighbours, and to rollouts and replays.
 */
#include "tests/scenes/scene_batch.h"

#define COUNT 19 /* not a multiple of the tile */
#define BAD 3
#define UNTOUCHED 77
#define MOST_SEEN 800 /* numbers, of a world */
static const size_t bad_worlds[BAD] = {0, 5, 17};

static bool is_bad(size_t w)
{
    return w == bad_worlds[0] || w == bad_worlds[1] || w == bad_worlds[2];
}

/* ---- cases ---- */

/* What makes a world fault: element `element` of a field of reals is set, in f32 to another number than in f64. */
typedef struct bad_number {
    const char *field;
    size_t element;
    double f64, f32;
} bad_number;

typedef struct subject {
    const char *name;
    const carom_game *game;
    int fault[2]; /* that the bad numbers bring about, in f64 and f32 */
    bad_number bad[3];
    const char *scored; /* NULL, or a field; its first two numbers become `marks`, and players then have `score` */
    int8_t marks[2];
    int32_t score[2];
} subject;

/* High up, body 1 is nowhere. */
static void lose_body(void *user, const carom_scene_range *r)
{
    (void)user;
    for (size_t l = 0; l < r->count; l++) {
        if (r->precision == CAROM_F64 && r->y64[r->stride + l] > 90)
            r->x64[r->stride + l] = NAN;
        else if (r->precision == CAROM_F32 && r->y32[r->stride + l] > 90)
            r->x32[r->stride + l] = NAN;
    }
}

/* Three disks in a box, of which the first acts. It is elastic: a fast one has more impacts than may be. */
static carom_scene *make_box(carom_engine engine, bool hooked)
{
    carom_scene_body bodies[3] = {body_at(-20, 0, 0, 0, 1, 1), body_at(0, 0, 3, 0, 2, 2), body_at(20, 0, -1, 1, 1, 1)};
    carom_scene_desc d = carom_scene_desc_default();
    bodies[0].acts = true;
    d.bodies = bodies;
    d.body_count = 3;
    d.box = (carom_scene_box){-100, -100, 100, 100, CAROM_SIDES_SOLID, CAROM_SIDES_SOLID, 1};
    d.dt = 0.25;
    d.max_events = 40;
    d.engine = engine;
    d.last_tick = 50;
    d.reward = (carom_scene_measure){CAROM_MEASURE_ENERGY, 0, 0, 0, NULL};
    d.tick_hook = hooked ? lose_body : NULL;
    return make_scene(&d);
}

enum { EVENTS = CAROM_FAULT_EVENTS, NOT_A_NUMBER = CAROM_FAULT_NAN, RANGE = CAROM_FAULT_RANGE };

#define GAMES 5
#define SUBJECTS (GAMES + 4)
static carom_scene *scenes[SUBJECTS - GAMES];
static subject subjects[SUBJECTS] = {
    {.name = "csb",
     .fault = {RANGE, RANGE},
     .bad = {{"vx", 1, 134000000, 262000}},
     .scored = "next",
     .marks = {3, 1},
     .score = {2, 0}},
    {.name = "fall", .fault = {RANGE, RANGE}, .bad = {{"y", 1, 1048000, 1048000}, {"vy", 1, -1048576, -1048576}}},
    {.name = "fantastic_bits",
     .fault = {EVENTS, RANGE},
     .bad = {{"vx", 12, -33550000, -131000}},
     .scored = "score",
     .marks = {2, 1},
     .score = {2, 1}},
    {.name = "soccer",
     .fault = {RANGE, RANGE},
     .bad = {{"x", 0, 1000, 1000}, {"y", 0, 1000, 1000}, {"vy", 0, -131000, -131000}},
     .scored = "score",
     .marks = {1, 2},
     .score = {1, 2}},
    {.name = "stones", .fault = {RANGE, RANGE}, .bad = {{"px", 0, 67108000, 131000}, {"speed", 0, 67108000, 131000}}},
    {.name = "a scene, wide", .fault = {EVENTS, EVENTS}, .bad = {{"vx", 0, 1e6, 1e6}}},
    {.name = "a scene, deep", .fault = {EVENTS, EVENTS}, .bad = {{"vx", 0, 1e6, 1e6}}},
    {.name = "a scene with a hook, wide", .fault = {NOT_A_NUMBER, NOT_A_NUMBER}, .bad = {{"y", 1, 95, 95}}},
    {.name = "a scene with a hook, deep", .fault = {NOT_A_NUMBER, NOT_A_NUMBER}, .bad = {{"y", 1, 95, 95}}},
};

SET_UP
{
    assert_int_equal(carom_game_count(), GAMES); /* none is left out */
    for (int k = 0; k < GAMES; k++) {
        subjects[k].game = carom_game_find(subjects[k].name);
        assert_non_null(subjects[k].game);
    }
    for (int k = 0; k < SUBJECTS - GAMES; k++) {
        scenes[k] = make_box(k % 2 == 0 ? CAROM_ENGINE_WIDE : CAROM_ENGINE_DEEP, k >= 2);
        subjects[GAMES + k].game = carom_scene_game(scenes[k]);
    }
}

TEAR_DOWN
{
    for (int k = 0; k < SUBJECTS - GAMES; k++)
        carom_scene_destroy(scenes[k]);
}

/* One of them, played in one way. */
typedef struct trial {
    const subject *of;
    carom_worlds_desc desc;
    size_t players, seen; /* of a world */
    int fault;
    carom_step step; /* with all outputs */
    float observations[COUNT * MOST_SEEN], last[COUNT * MOST_SEEN], rewards[COUNT * 2];
    uint8_t ends[COUNT];
    carom_result results[COUNT];
} trial;

static void clear_outputs(trial *t)
{
    for (size_t k = 0; k < COUNT * MOST_SEEN; k++)
        t->observations[k] = t->last[k] = UNTOUCHED;
    memset(t->rewards, 0x55, sizeof t->rewards);
    memset(t->ends, 0x55, sizeof t->ends);
    memset(t->results, 0x55, sizeof t->results);
}

static void begin(trial *t, const subject *of, carom_precision precision, carom_isa isa, carom_at_end at_end)
{
    const carom_game_info info = carom_game_describe(of->game);
    memset(t, 0, sizeof *t);
    t->of = of;
    t->players = info.players;
    t->fault = of->fault[precision == CAROM_F32];
    t->seen = (size_t)info.players * info.observation_size;
    assert_true(t->seen <= MOST_SEEN);
    t->desc = carom_worlds_desc_default(of->game);
    t->desc.count = COUNT;
    t->desc.precision = precision;
    t->desc.isa = isa;
    t->desc.threads = 1;
    t->desc.seed = 5;
    t->desc.at_end = at_end;
    t->step = carom_step_default();
    t->step.observations = t->observations;
    t->step.last_observations = t->last;
    t->step.rewards = t->rewards;
    t->step.ends = t->ends;
    t->step.results = t->results;
    clear_outputs(t);
}

/* The rows of a batch's observations are contiguous. */
static const float *row_of(const trial *t, const float *rows, size_t world)
{
    return rows + world * t->seen;
}

static const float *rewards_of(const trial *t, size_t world)
{
    return t->rewards + world * t->players;
}

static void set_number(carom_worlds *worlds, size_t world, const bad_number *number)
{
    double values[64];
    const bool wide = carom_worlds_describe(worlds).precision == CAROM_F64;
    get_field(worlds, number->field, world, 1, values);
    if (wide)
        values[number->element] = number->f64;
    else
        ((float *)(void *)values)[number->element] = (float)number->f32;
    set_field(worlds, number->field, world, 1, values);
}

/* The world will have a fault in its next tick. */
static void spoil(const subject *of, carom_worlds *worlds, size_t world)
{
    for (size_t k = 0; k < 3 && of->bad[k].field != NULL; k++)
        set_number(worlds, world, &of->bad[k]);
}

static void spoil_all(const subject *of, carom_worlds *worlds)
{
    for (size_t k = 0; k < BAD; k++)
        spoil(of, worlds, bad_worlds[k]);
}

static void set_scores(const subject *of, carom_worlds *worlds)
{
    carom_field field;
    for (size_t w = 0; w < COUNT && of->scored != NULL; w++) {
        int8_t bytes[32] = {0};
        must(carom_worlds_field(worlds, field_index(worlds, of->scored), &field), "carom_worlds_field");
        get_field(worlds, of->scored, w, 1, bytes);
        for (size_t p = 0; p < 2; p++)
            bytes[p * field.bytes] = of->marks[p];
        set_field(worlds, of->scored, w, 1, bytes);
    }
}

/* Played for two ticks; with_bad: then made bad. */
static carom_worlds *make_batch(trial *t, bool with_bad)
{
    carom_worlds *worlds = make_worlds(&t->desc);
    for (int tick = 0; tick < 2; tick++)
        must(carom_worlds_play(worlds, &t->step), "carom_worlds_play");
    set_scores(t->of, worlds);
    if (with_bad)
        spoil_all(t->of, worlds);
    clear_outputs(t);
    return worlds;
}

/* ---- comparisons ---- */

static unsigned char *record_of(const carom_worlds *worlds, size_t world)
{
    const size_t size = carom_worlds_record_size(worlds);
    unsigned char *record = malloc(size);
    assert_non_null(record);
    must(carom_worlds_get_world(worlds, world, record, size), "carom_worlds_get_world");
    return record;
}

static void same_world(const carom_worlds *a, const carom_worlds *b, size_t world)
{
    unsigned char *x = record_of(a, world), *y = record_of(b, world);
    assert_memory_equal(x, y, carom_worlds_record_size(a));
    free(x);
    free(y);
}

static int flag(const carom_worlds *worlds, const char *name, size_t world)
{
    int8_t value = 0;
    get_field(worlds, name, world, 1, &value);
    return value;
}

static int32_t count_of(const carom_worlds *worlds, const char *name, size_t world)
{
    int32_t value = 0;
    get_field(worlds, name, world, 1, &value);
    return value;
}

static void check_report(const trial *t, size_t w, const float *seen_before, const double *returns)
{
    const carom_result *result = &t->results[w];
    assert_int_equal(t->ends[w], CAROM_TRUNCATED);
    assert_int_equal(result->fault, t->fault);
    assert_int_equal(result->winner, -1);
    assert_int_equal(result->ticks, 2);
    for (size_t p = 0; p < t->players; p++) {
        assert_true(rewards_of(t, w)[p] == 0);
        assert_int_equal(result->score[p], t->of->score[p]);
        assert_true(result->returns[p] == returns[p]);
    }
    assert_memory_equal(row_of(t, t->last, w), row_of(t, seen_before, w), t->seen * sizeof(float));
}

/* before: the state at the start of the tick; again: that of the next game. */
static void check_world(const trial *t, const carom_worlds *worlds, carom_worlds *before, carom_worlds *again, size_t w)
{
    if (t->desc.at_end == CAROM_RESET) {
        same_world(worlds, again, w);
        assert_true(flag(worlds, "end", w) == 0 && flag(worlds, "fault", w) == 0 && flag(worlds, "frozen", w) == 0);
        assert_true(count_of(worlds, "tick", w) == 0 && count_of(worlds, "episode", w) == 1);
        return;
    }
    const int8_t end = CAROM_TRUNCATED, fault = (int8_t)t->fault, frozen = 1;
    set_field(before, "end", w, 1, &end);
    set_field(before, "fault", w, 1, &fault);
    set_field(before, "frozen", w, 1, &frozen);
    same_world(worlds, before, w);
}

static void check_neighbour(const trial *t, const carom_worlds *worlds, const carom_worlds *healthy, size_t w)
{
    same_world(worlds, healthy, w);
    assert_int_equal(t->ends[w], 0);
    assert_true(row_of(t, t->last, w)[0] == UNTOUCHED);
}

/* ---- one tick ---- */

/* The players' observations at the end: the current state, in each mode. */
static void check_seen(const trial *t, carom_worlds *worlds)
{
    FREED float *seen = calloc(COUNT * t->seen, sizeof *seen);
    assert_non_null(seen);
    must(carom_worlds_observe(worlds, seen), "carom_worlds_observe");
    assert_memory_equal(seen, t->observations, COUNT * t->seen * sizeof *seen);
}

static void check_counts(const trial *t, const carom_worlds *worlds)
{
    const carom_counters counters = carom_worlds_counters(worlds);
    const bool reset = t->desc.at_end == CAROM_RESET;
    unsigned bits = 0;
    assert_true(counters.faults == BAD && counters.games == 0);
    assert_int_equal(counters.ticks, 3 * COUNT - BAD);
    assert_int_equal(carom_worlds_faults(worlds, &bits), reset ? 0 : BAD);
    assert_int_equal(bits, reset ? 0 : t->fault);
}

/* The ticks after that: worlds that were reset play, the others do not change and report nothing more. */
static void check_later(trial *t, carom_worlds *worlds)
{
    const carom_at_end at_end = t->desc.at_end;
    uint64_t hashes[2][COUNT];
    must(carom_worlds_hash(worlds, 0, COUNT, hashes[0]), "carom_worlds_hash");
    must(carom_worlds_play(worlds, &t->step), "carom_worlds_play");
    must(carom_worlds_hash(worlds, 0, COUNT, hashes[1]), "carom_worlds_hash");
    for (size_t w = 0; w < COUNT; w++) {
        const bool plays = !is_bad(w) || at_end == CAROM_RESET;
        assert_true(t->ends[w] == 0 && (hashes[0][w] == hashes[1][w]) == !plays);
    }
    assert_int_equal(carom_worlds_counters(worlds).faults, BAD);
    must(carom_worlds_restart(worlds, NULL, NULL, NULL), "carom_worlds_restart");
    assert_int_equal(carom_worlds_faults(worlds, NULL), 0);
    must(carom_worlds_play(worlds, &t->step), "carom_worlds_play");
    for (size_t w = 0; w < COUNT; w++)
        assert_int_equal(count_of(worlds, "tick", w), 1);
}

/* Calls f for every subject, precision, instruction set and end mode. */
static void for_all(void (*f)(trial *t))
{
    FREED trial *t = malloc(sizeof *t);
    assert_non_null(t);
    for (size_t k = 0; k < SUBJECTS; k++) {
        for (size_t n = 0; n < 6 * isa_count; n++) {
            begin(t, &subjects[k], n % 2 == 0 ? CAROM_F32 : CAROM_F64, isas[n / 6], (carom_at_end)(n / 2 % 3));
            f(t);
        }
    }
}

TEST_BY(for_all, test_ends, trial *t)
{
    OWNED(carom_worlds) *worlds = make_batch(t, true), *before = make_batch(t, true), *again = make_batch(t, true);
    OWNED(carom_worlds) *healthy = make_batch(t, false);
    FREED float *seen = calloc(COUNT * t->seen, sizeof *seen);
    uint8_t mask[COUNT];
    double returns[COUNT][2] = {{0}};
    assert_non_null(seen);
    for (size_t w = 0; w < COUNT; w++)
        mask[w] = is_bad(w);
    must(carom_worlds_restart(again, mask, NULL, NULL), "carom_worlds_restart");
    must(carom_worlds_observe(worlds, seen), "carom_worlds_observe");
    OWNED(carom_worlds) *warm = make_worlds(&t->desc); /* rewards of the first two ticks */
    for (int tick = 0; tick < 2; tick++) {
        must(carom_worlds_play(warm, &t->step), "carom_worlds_play");
        for (size_t k = 0; k < COUNT * t->players; k++)
            returns[k / t->players][k % t->players] += (double)t->rewards[k];
    }
    must(carom_worlds_play(healthy, &t->step), "carom_worlds_play");
    clear_outputs(t);
    must(carom_worlds_play(worlds, &t->step), "carom_worlds_play");
    for (size_t w = 0; w < COUNT; w++) {
        if (is_bad(w)) {
            check_report(t, w, seen, returns[w]);
            check_world(t, worlds, before, again, w);
        } else {
            check_neighbour(t, worlds, healthy, w);
        }
    }
    check_seen(t, worlds);
    check_counts(t, worlds);
    check_later(t, worlds);
}

/* Without outputs the states are the same. */
TEST_BY(for_all, test_without_outputs, trial *t)
{
    OWNED(carom_worlds) *told = make_batch(t, true), *plain = make_batch(t, true);
    const carom_step nothing = carom_step_default();
    for (int tick = 0; tick < 3; tick++) {
        must(carom_worlds_play(told, &t->step), "carom_worlds_play");
        must(carom_worlds_play(plain, &nothing), "carom_worlds_play");
        for (size_t w = 0; w < COUNT; w++)
            same_world(told, plain, w);
    }
    const carom_counters a = carom_worlds_counters(told), b = carom_worlds_counters(plain);
    assert_memory_equal(&a, &b, sizeof a);
}

/* ---- other ways to play ---- */

/* A world that faults does not move until the step is over: at its next start, if it is reset. */
TEST_BY(for_all, test_held, trial *t)
{
    OWNED(carom_worlds) *worlds = make_batch(t, true);
    t->step.repeat = 3;
    must(carom_worlds_play(worlds, &t->step), "carom_worlds_play");
    for (size_t w = 0; w < COUNT; w++) {
        assert_int_equal(t->ends[w], is_bad(w) ? CAROM_TRUNCATED : 0);
        assert_int_equal(count_of(worlds, "tick", w), !is_bad(w) ? 5 : t->desc.at_end == CAROM_RESET ? 0 : 2);
        for (size_t p = 0; p < t->players && is_bad(w); p++)
            assert_true(rewards_of(t, w)[p] == 0);
    }
}

/* The end of a game that plays on is not reported again, and does not change. */
TEST_BY(for_all, test_games_that_are_over, trial *t)
{
    const int8_t over = CAROM_TERMINATED;
    if (t->desc.at_end != CAROM_PLAY_ON)
        return;
    for (int at_end = CAROM_PLAY_ON; at_end <= CAROM_RESET; at_end++) {
        OWNED(carom_worlds) *worlds = make_batch(t, true);
        for (size_t w = 0; w < COUNT; w++)
            set_field(worlds, "end", w, 1, &over);
        t->step.at_end = (carom_at_end)at_end;
        must(carom_worlds_play(worlds, &t->step), "carom_worlds_play");
        for (size_t w = 0; w < COUNT; w++) {
            assert_true(t->ends[w] == 0 && flag(worlds, "end", w) == CAROM_TERMINATED);
            assert_int_equal(flag(worlds, "frozen", w), is_bad(w));
            assert_int_equal(flag(worlds, "fault", w), is_bad(w) ? t->fault : 0);
        }
        assert_true(carom_worlds_counters(worlds).faults == BAD && carom_worlds_counters(worlds).games == 0);
    }
}

/* What learners do: it ends. */
TEST_BY(for_all, test_again_and_again, trial *t)
{
    bool ended[COUNT] = {false};
    size_t left = BAD;
    if (t->desc.at_end != CAROM_RESET)
        return;
    OWNED(carom_worlds) *worlds = make_batch(t, true);
    for (int tick = 0; tick < 3 && left > 0; tick++) {
        must(carom_worlds_play(worlds, &t->step), "carom_worlds_play");
        for (size_t k = 0; k < BAD; k++) {
            left -= t->ends[bad_worlds[k]] != 0 && !ended[bad_worlds[k]];
            ended[bad_worlds[k]] |= t->ends[bad_worlds[k]] != 0;
        }
        spoil_all(t->of, worlds); /* and they fault again */
    }
    assert_int_equal(left, 0);
    must(carom_worlds_play(worlds, &t->step), "carom_worlds_play");
    assert_int_equal(carom_worlds_counters(worlds).faults, 2 * BAD);
    for (size_t k = 0; k < BAD; k++)
        assert_int_equal(count_of(worlds, "episode", bad_worlds[k]), 2);
}

/* ---- rollouts ---- */

#define SEQUENCES 2

TEST_BY(for_all, test_rollouts, trial *t)
{
    OWNED(carom_worlds) *roots = make_batch(t, true);
    carom_worlds_desc many = t->desc;
    many.count = COUNT * SEQUENCES;
    OWNED(carom_worlds) *finals = make_worlds(&many);
    double returns[COUNT * SEQUENCES * 2];
    uint32_t lengths[COUNT * SEQUENCES];
    carom_rollout_desc desc = carom_rollout_desc_default(t->of->game);
    desc.sequences = SEQUENCES;
    desc.horizon = 3;
    desc.lengths = lengths;
    must(carom_rollout(roots, &desc, returns, NULL, finals), "carom_rollout");
    for (size_t q = 0; q < COUNT * SEQUENCES; q++) {
        const bool bad = is_bad(q / SEQUENCES);
        for (size_t p = 0; p < t->players; p++)
            assert_true(bad ? returns[q * t->players + p] == -INFINITY : isfinite(returns[q * t->players + p]));
        assert_int_equal(lengths[q], bad ? 0 : 3);
        assert_int_equal(flag(finals, "fault", q), bad ? t->fault : 0);
        assert_int_equal(flag(finals, "end", q), bad ? CAROM_TRUNCATED : 0);
    }
}

/* ---- replays ---- */

typedef struct tape {
    unsigned char *bytes;
    size_t size;
} tape;

static bool keep(void *user, const void *bytes, size_t size)
{
    tape *to = (tape *)user;
    to->bytes = (unsigned char *)realloc(to->bytes, to->size + size);
    assert_non_null(to->bytes);
    memcpy(to->bytes + to->size, bytes, size);
    to->size += size;
    return true;
}

/* A replay reproduces such ends, also from keyframes. A world is also corrupted in the middle of a replay. */
TEST_BY(for_all, test_replays, trial *t)
{
    carom_worlds *worlds = make_batch(t, true), *again = NULL;
    carom_recorder_desc desc = carom_recorder_desc_default();
    carom_recorder *recorder = NULL;
    carom_replay *replay = NULL;
    carom_replay_difference difference;
    carom_problem problem = {""};
    tape bytes = {NULL, 0};
    uint64_t digest = 0, found = 1;
    desc.keyframe_ticks = 4;
    desc.write = keep;
    desc.user = &bytes;
    const carom_status status = carom_recorder_create(worlds, &desc, &recorder, &problem);
    if (status != CAROM_OK) { /* hooks; scenes in a build without a JSON library */
        assert_true(t->of - subjects >= GAMES);
        carom_worlds_destroy(worlds);
        return;
    }
    t->step.ticks = 1;
    for (int tick = 0; tick < 10; tick++) {
        if (tick == 6)
            spoil(t->of, worlds, 9);
        must(carom_recorder_play(recorder, worlds, &t->step), "carom_recorder_play");
        assert_int_equal(t->ends[9], tick == 6 ? CAROM_TRUNCATED : 0);
    }
    must(carom_recorder_end(recorder), "carom_recorder_end");
    must(carom_worlds_digest(worlds, &digest), "carom_worlds_digest");
    must(carom_replay_open(bytes.bytes, bytes.size, &replay, &problem), problem.text);
    must(carom_replay_verify(replay, t->desc.isa, 1, NULL, NULL, &difference), "carom_replay_verify");
    assert_false(difference.found);
    must(carom_replay_worlds(replay, t->desc.isa, 1, &again), "carom_replay_worlds");
    must(carom_replay_seek(replay, again, 10), "carom_replay_seek");
    must(carom_worlds_digest(again, &found), "carom_worlds_digest");
    assert_true(digest == found);
    carom_worlds_destroy(again);
    carom_replay_close(replay);
    carom_recorder_destroy(recorder);
    carom_worlds_destroy(worlds);
    free(bytes.bytes);
}
