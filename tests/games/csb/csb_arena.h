/* SPDX-License-Identifier: MIT
 * The arena: the same worlds played by the library's csb on every usable instruction set and by the plain-C reference,
 * tick by tick, with every output and the whole state compared after each. f64.
 */
#ifndef CAROM_TESTS_GAMES_CSB_CSB_ARENA_H
#define CAROM_TESTS_GAMES_CSB_CSB_ARENA_H

#include "csb_batch.h"

#define WORLDS 333 /* the last tile is not full */
#define SEEN CAROM_CSB_OBSERVATION
#define EVENTS CSB_REF_MAX_SUBSTEPS
#define UNTOUCHED 777.0F /* in an output that must not be written */

/* What has happened so far in the reference. */
typedef struct tally {
    uint64_t ticks, bounces, passed, games, truncated, faults[8];
    bool faulty; /* a world has had a fault: its impacts are not in `bounces` */
} tally;

typedef struct arena {
    const char *what; /* for messages */
    uint64_t seed, random;
    int tick;
    carom_csb_rules rules;
    csb_ref_kind kind;
    carom_at_end at_end;
    carom_worlds *batches[CAROM_ISA_COUNT];
    bool drawn;
    uint32_t map_count;
    csb_ref_map *maps;

    /* By the reference, after the tick. */
    csb_ref_world worlds[WORLDS];
    int32_t map[WORLDS], episode[WORLDS];
    uint8_t ends[WORLDS];
    bool played[WORLDS]; /* neither frozen before the tick nor given a fault in it */
    float rewards[WORLDS][2], seen[WORLDS][2][SEEN], last_seen[WORLDS][2][SEEN];
    csb_ref_record records[WORLDS];
    tally count;
} arena;

/* By the library: one set is enough. */
typedef struct arena_outputs {
    uint8_t ends[WORLDS];
    float rewards[WORLDS][2], seen[WORLDS][2][SEEN], last_seen[WORLDS][2][SEEN];
    carom_event events[WORLDS][EVENTS];
    uint32_t event_counts[WORLDS];
    double moved[WORLDS][PODS][4];
    csb_ref_world worlds[WORLDS];
    int32_t map[WORLDS], episode[WORLDS];
} arena_outputs;

typedef union arena_actions {
    float small[WORLDS][PODS][2];
    double referee[WORLDS][PODS][3];
} arena_actions;

static arena_outputs arena_out; /* too large for every stack */

/* ---- life ---- */

/* maps: map_count maps of the test's, or NULL for drawn ones. at_end, rules, kind, seed and what are set already. */
static inline void arena_open(arena *a, const carom_csb_map *maps, uint32_t map_count)
{
    carom_csb_options options = carom_csb_options_default();
    options.rules = a->rules;
    options.maps = maps;
    options.map_count = map_count;
    carom_worlds_desc desc = WORLDS_DESC(carom_game_find("csb"), .options = &options, .count = WORLDS, .threads = 1,
                                         .seed = a->seed, .at_end = a->at_end);
    a->random = a->seed;
    a->tick = 0;
    a->drawn = maps == NULL;
    for (size_t k = 0; k < isa_count; k++) {
        desc.isa = isas[k];
        a->batches[k] = make_worlds(&desc);
    }
    a->map_count = map_count;
    a->maps = (csb_ref_map *)calloc(map_count, sizeof *a->maps);
    assert_non_null(a->maps);
    for (uint32_t m = 0; m < map_count; m++)
        get_ref_map(a->batches[0], m, &a->maps[m]);
    get_field(a->batches[0], "map", 0, WORLDS, a->map);
    for (size_t w = 0; w < WORLDS; w++) {
        if (!a->drawn)
            assert_int_equal(a->map[w], w % map_count);
        csb_ref_start(&a->worlds[w], &a->maps[a->map[w]]);
        a->episode[w] = 0;
    }
    memset(&a->count, 0, sizeof a->count);
}

static inline void arena_close(arena *a)
{
    for (size_t k = 0; k < isa_count; k++)
        carom_worlds_destroy(a->batches[k]);
    for (uint32_t m = 0; m < a->map_count; m++)
        end_csb_ref_map(&a->maps[m]);
    free(a->maps);
}

/* Gives every batch the reference's worlds and maps. */
static inline void arena_put(arena *a)
{
    for (size_t k = 0; k < isa_count; k++)
        put_worlds(a->batches[k], WORLDS, a->worlds, a->map);
}

/* ---- the reference's tick ---- */

/* The next game of a world. A random map is copied from `drawn`: only its start can be checked. */
static inline void arena_restart(arena *a, size_t w, const int32_t *drawn)
{
    a->episode[w]++;
    a->map[w] = a->drawn ? drawn[w] : (int32_t)((w + (size_t)a->episode[w]) % a->map_count);
    csb_ref_start(&a->worlds[w], &a->maps[a->map[w]]);
}

static inline void arena_reference(arena *a, const arena_actions *actions)
{
    for (size_t w = 0; w < WORLDS; w++) {
        csb_ref_world *world = &a->worlds[w];
        const csb_ref_map *map = &a->maps[a->map[w]];
        const void *action = a->kind == CSB_REF_REFEREE ? (const void *)actions->referee[w] : actions->small[w];
        const bool frozen = world->frozen;
        a->ends[w] = (uint8_t)csb_ref_step(world, map, a->rules, a->kind, action, a->rewards[w], &a->records[w]);
        a->played[w] = !frozen && !world->frozen;
        if (a->played[w]) {
            a->count.ticks++;
            a->count.bounces += (unsigned)a->records[w].bounce_count;
            a->count.passed += (unsigned)a->records[w].passed;
        } else if (!frozen) {
            a->count.faults[world->fault]++;
            a->count.faulty = true;
        }
        if (a->ends[w] != 0) {
            a->count.games += a->played[w]; /* else a fault has ended it */
            a->count.truncated += a->played[w] && a->ends[w] == CAROM_TRUNCATED;
            for (int p = 0; p < 2; p++)
                csb_ref_observe(world, map, p, a->last_seen[w][p]);
            if (a->at_end == CAROM_FREEZE)
                world->frozen = 1;
        }
    }
}

static inline void arena_reference_rest(arena *a, const int32_t *drawn)
{
    for (size_t w = 0; w < WORLDS; w++) {
        if (a->ends[w] != 0 && a->at_end == CAROM_RESET)
            arena_restart(a, w, drawn);
        for (int p = 0; p < 2; p++)
            csb_ref_observe(&a->worlds[w], &a->maps[a->map[w]], p, a->seen[w][p]);
    }
}

/* ---- comparing ---- */

static inline void arena_fail(const arena *a, size_t k, size_t w, const char *field, double found, double expected)
{
    fail_msg("%s (seed %llu, %s, %s rules), tick %d, world %zu, %s: %s is %.17g instead of %.17g", a->what,
             (unsigned long long)a->seed, ref_kind_name(a->kind), a->rules == CAROM_CSB_FULL ? "full" : "test", a->tick,
             w, carom_isa_name(isas[k]), field, found, expected);
}

/* Zeros of either sign are equal. */
static inline void arena_check(const arena *a, size_t k, size_t w, const char *field, double found, double expected)
{
    if (!(found == expected))
        arena_fail(a, k, w, field, found, expected);
}

static inline void arena_check_state(const arena *a, size_t k, size_t w)
{
    csb_ref_world found = arena_out.worlds[w], expected = a->worlds[w];
    if (found.fault != 0 && expected.fault != 0)
        found.fault = expected.fault; /* NaN and too large can be two views of one thing */
    const char *field = csb_ref_difference(&found, &expected);
    if (field != NULL) {
        size_t bytes = 0;
        const double *f = (const double *)csb_ref_field(&found, field, &bytes);
        const double *e = (const double *)csb_ref_field(&expected, field, &bytes);
        for (int i = 0; i < PODS && bytes == sizeof expected.x; i++)
            if (f[i] != e[i])
                arena_fail(a, k, w, field, f[i], e[i]);
        fail_msg("%s (seed %llu), tick %d, world %zu, %s: %s differs", a->what, (unsigned long long)a->seed, a->tick, w,
                 carom_isa_name(isas[k]), field);
    }
    arena_check(a, k, w, "map", arena_out.map[w], a->map[w]);
    arena_check(a, k, w, "episode", arena_out.episode[w], a->episode[w]);
}

static inline void arena_check_record(const arena *a, size_t k, size_t w)
{
    static const char *const names[4] = {"unrounded x", "unrounded y", "unrounded vx", "unrounded vy"};
    const csb_ref_record *record = &a->records[w];
    if (!a->played[w])
        return; /* frozen, or given a fault in this tick */
    arena_check(a, k, w, "number of impacts", arena_out.event_counts[w], record->bounce_count);
    for (int n = 0; n < record->bounce_count; n++) {
        arena_check(a, k, w, "time left", arena_out.events[w][n].left, record->bounces[n].left);
        arena_check(a, k, w, "first of the pair", arena_out.events[w][n].first, record->bounces[n].first);
        arena_check(a, k, w, "second of the pair", arena_out.events[w][n].second, record->bounces[n].second);
    }
    for (int i = 0; i < PODS; i++)
        for (int n = 0; n < 4; n++)
            arena_check(a, k, w, names[n], arena_out.moved[w][i][n], record->moved[i][n]);
}

static inline void arena_check_outputs(const arena *a, size_t k, size_t w)
{
    arena_check(a, k, w, "end", arena_out.ends[w], a->ends[w]);
    for (int p = 0; p < 2; p++) {
        arena_check(a, k, w, "reward", arena_out.rewards[w][p], a->rewards[w][p]);
        for (int n = 0; n < SEEN; n++) {
            arena_check(a, k, w, "observation", arena_out.seen[w][p][n], a->seen[w][p][n]);
            arena_check(a, k, w, "last observation", arena_out.last_seen[w][p][n],
                        a->ends[w] != 0 ? a->last_seen[w][p][n] : UNTOUCHED);
        }
    }
}

static inline void arena_check_counters(const arena *a, size_t k)
{
    const carom_counters c = carom_worlds_counters(a->batches[k]);
    arena_check(a, k, 0, "counter of ticks", (double)c.ticks, (double)a->count.ticks);
    arena_check(a, k, 0, "counter of games", (double)c.games, (double)a->count.games);
    arena_check(a, k, 0, "counter of goals", (double)c.goals, (double)a->count.passed);
    arena_check(a, k, 0, "counter of faults", (double)c.faults,
                (double)(a->count.faults[CAROM_FAULT_EVENTS] + a->count.faults[CAROM_FAULT_NAN] +
                         a->count.faults[CAROM_FAULT_RANGE]));
    if (!a->count.faulty)
        arena_check(a, k, 0, "counter of events", (double)c.events, (double)a->count.bounces);
}

/* ---- a tick ---- */

/* With outputs, with recording, and without either are different kernels. */
typedef enum arena_way { ARENA_PLAIN, ARENA_OUTPUTS, ARENA_RECORD, ARENA_WAYS } arena_way;

static inline void arena_play(const arena *a, size_t k, const arena_actions *actions, arena_way way)
{
    carom_step step = STEP_WITH(.action_kind = action_kind(ref_kind_name(a->kind)), .actions = actions);
    if (way != ARENA_PLAIN) {
        for (size_t n = 0; n < sizeof arena_out.last_seen / sizeof(float); n++)
            (&arena_out.last_seen[0][0][0])[n] = UNTOUCHED;
        memset(arena_out.ends, 0xee, sizeof arena_out.ends);
        step.ends = arena_out.ends;
        step.rewards = arena_out.rewards[0];
        step.observations = arena_out.seen[0][0];
        step.last_observations = arena_out.last_seen[0][0];
    }
    if (way == ARENA_RECORD) {
        step.events = arena_out.events[0];
        step.event_counts = arena_out.event_counts;
        step.event_capacity = EVENTS;
        step.moved = arena_out.moved[0][0];
    }
    must(carom_worlds_play(a->batches[k], &step), "carom_worlds_play");
    get_worlds(a->batches[k], WORLDS, arena_out.worlds);
    get_field(a->batches[k], "map", 0, WORLDS, arena_out.map);
    get_field(a->batches[k], "episode", 0, WORLDS, arena_out.episode);
}

static inline void arena_tick(arena *a, const arena_actions *actions)
{
    const arena_way way = (arena_way)rng_below(&a->random, ARENA_WAYS);
    arena_reference(a, actions);
    for (size_t k = 0; k < isa_count; k++) {
        arena_play(a, k, actions, way);
        if (k == 0)
            arena_reference_rest(a, arena_out.map);
        for (size_t w = 0; w < WORLDS; w++) {
            arena_check_state(a, k, w);
            if (way != ARENA_PLAIN)
                arena_check_outputs(a, k, w);
            if (way == ARENA_RECORD)
                arena_check_record(a, k, w);
        }
        arena_check_counters(a, k);
    }
    a->tick++;
}

#endif
