/* SPDX-License-Identifier: MIT
 * Shared by the tests of the game stones: the worlds of a batch as those of the reference, and an arena in which both
 * play, tick by tick, with everything compared after each.
 */
#ifndef CAROM_TESTS_GAMES_STONES_STONES_BATCH_H
#define CAROM_TESTS_GAMES_STONES_STONES_BATCH_H

#include "../tools/verify/stones_trace.h"
#include "batch.h"
#include "stones_reference.h"

#include <inttypes.h>

#define STONES CAROM_STONES_MAX
#define PI 3.141592653589793
#define SEEN CAROM_STONES_OBSERVATION

enum { PUSH, ENGINE, NORMALISED, KINDS }; /* as in stones.h */

/* ---- batches ---- */

static inline carom_worlds *stones_worlds(const carom_stones_options *options, size_t count, carom_isa isa,
                                          carom_precision precision, carom_at_end at_end)
{
    return MAKE_WORLDS(carom_game_find("stones"), .options = options, .count = count, .isa = isa,
                       .precision = precision, .threads = 1, .seed = 3, .at_end = at_end);
}

/* The reals of a stone: those of the reference have the names of the fields. */
typedef struct stone_field {
    const char *name;
    size_t offset;
} stone_field;

#define STONE_FIELD(name) {#name, offsetof(stones_ref_stone, name)}
static const stone_field stone_fields[] = {
    STONE_FIELD(px),          STONE_FIELD(py),       STONE_FIELD(radius),   STONE_FIELD(power),
    STONE_FIELD(friction),    STONE_FIELD(speed),    STONE_FIELD(course),   STONE_FIELD(unused),
    STONE_FIELD(curve),       STONE_FIELD(origin_x), STONE_FIELD(origin_y), STONE_FIELD(shot_distance),
    STONE_FIELD(shot_course), STONE_FIELD(next_x),   STONE_FIELD(next_y),   STONE_FIELD(shot_traveled)};
#define STONE_FIELDS (sizeof stone_fields / sizeof stone_fields[0])

static inline double *real_of(stones_ref_stone *stone, size_t field)
{
    return (double *)(void *)((char *)stone + stone_fields[field].offset);
}

/* World `world` of an f64 batch. */
static inline void stones_get(const carom_worlds *worlds, size_t world, stones_ref_world *to)
{
    double values[STONES];
    int8_t flags[STONES];
    stones_ref_clear(to);
    for (size_t f = 0; f < STONE_FIELDS; f++) {
        get_field(worlds, stone_fields[f].name, world, 1, values);
        for (int i = 0; i < STONES; i++) {
            *real_of(&to->stones[i], f) = values[i];
        }
    }
    get_field(worlds, "in_play", world, 1, flags);
    for (int i = 0; i < STONES; i++) {
        to->stones[i].in_play = flags[i] != 0;
    }
    get_field(worlds, "shot", world, 1, flags);
    for (int i = 0; i < STONES; i++) {
        to->stones[i].shot = to->stones[i].has_next = flags[i] != 0;
    }
    get_field(worlds, "tick", world, 1, &to->tick);
    get_field(worlds, "sweeps", world, 1, &to->sweeps);
    get_field(worlds, "winner", world, 1, &to->winner);
    get_field(worlds, "end", world, 1, &to->end);
    get_field(worlds, "fault", world, 1, &to->fault);
    get_field(worlds, "frozen", world, 1, &to->frozen);
}

/* The reverse. Stones that are not in play keep their numbers. */
static inline void stones_put(carom_worlds *worlds, size_t world, stones_ref_world *from)
{
    double values[STONES];
    int8_t flags[STONES];
    for (size_t f = 0; f < STONE_FIELDS; f++) {
        get_field(worlds, stone_fields[f].name, world, 1, values);
        for (int i = 0; i < STONES; i++) {
            values[i] = from->stones[i].in_play ? *real_of(&from->stones[i], f) : values[i];
        }
        set_field(worlds, stone_fields[f].name, world, 1, values);
    }
    for (int i = 0; i < STONES; i++) {
        flags[i] = from->stones[i].in_play;
    }
    set_field(worlds, "in_play", world, 1, flags);
    for (int i = 0; i < STONES; i++) {
        flags[i] = from->stones[i].shot;
    }
    set_field(worlds, "shot", world, 1, flags);
    set_field(worlds, "tick", world, 1, &from->tick);
    set_field(worlds, "sweeps", world, 1, &from->sweeps);
    set_field(worlds, "winner", world, 1, &from->winner);
    set_field(worlds, "end", world, 1, &from->end);
    set_field(worlds, "fault", world, 1, &from->fault);
    set_field(worlds, "frozen", world, 1, &from->frozen);
}

/* ---- the arena ---- */

#define WORLDS 45 /* the last tile is not full */

typedef struct arena {
    const char *what; /* for messages */
    uint64_t random;
    int tick;
    carom_stones_options options;
    carom_at_end at_end;
    carom_worlds *batches[CAROM_ISA_COUNT];
    stones_ref_world worlds[WORLDS];
    stones_ref_record records[WORLDS];
    float rewards[WORLDS][2];
    uint8_t ends[WORLDS];
    bool played[WORLDS];
    uint64_t hits, faults, goals, games, most_sweeps, redirects;
} arena;

typedef union arena_actions {
    stones_ref_push push[WORLDS][2];
    stones_ref_push engine[WORLDS][2][CAROM_STONES_PUSHES];
    float normalised[WORLDS][2][4];
} arena_actions;

typedef struct arena_outputs {
    float rewards[WORLDS][2], seen[WORLDS][2][SEEN];
    uint8_t ends[WORLDS];
    carom_event events[WORLDS][10];
    uint32_t event_counts[WORLDS];
    double moved[WORLDS][STONES][4];
} arena_outputs;

static arena_outputs arena_out; /* too large for every stack */

static inline void arena_open(arena *a, const char *what, const carom_stones_options *options, carom_at_end at_end,
                              uint64_t seed)
{
    memset(a, 0, sizeof *a);
    a->what = what;
    a->random = seed;
    a->options = *options;
    a->at_end = at_end;
    for (size_t k = 0; k < isa_count; k++) {
        a->batches[k] = stones_worlds(options, WORLDS, isas[k], CAROM_F64, at_end);
    }
    for (size_t w = 0; w < WORLDS; w++) {
        stones_get(a->batches[0], w, &a->worlds[w]);
    }
}

static inline void arena_close(arena *a)
{
    for (size_t k = 0; k < isa_count; k++) {
        carom_worlds_destroy(a->batches[k]);
    }
}

/* Gives every batch the reference's worlds. */
static inline void arena_put(arena *a)
{
    for (size_t k = 0; k < isa_count; k++) {
        for (size_t w = 0; w < WORLDS; w++) {
            stones_put(a->batches[k], w, &a->worlds[w]);
        }
    }
}

static inline void arena_check(const arena *a, size_t k, size_t w, int stone, const char *what, double found,
                               double expected)
{
    if (!(found == expected) && !(isnan(found) && isnan(expected))) {
        fail_msg("%s, %s, tick %d, world %zu, stone %d: %s is %.17g instead of %.17g", a->what, carom_isa_name(isas[k]),
                 a->tick, w, stone, what, found, expected);
    }
}

static inline void arena_check_world(arena *a, size_t k, size_t w)
{
    stones_ref_world found, *want = &a->worlds[w];
    stones_get(a->batches[k], w, &found);
    for (int i = 0; i < (int)a->options.stones; i++) {
        arena_check(a, k, w, i, "in_play", found.stones[i].in_play, want->stones[i].in_play);
        arena_check(a, k, w, i, "shot", found.stones[i].shot, want->stones[i].shot);
        for (size_t f = 0; f < STONE_FIELDS && want->stones[i].in_play; f++) {
            if (want->stones[i].shot || strncmp(stone_fields[f].name, "next", 4) != 0) {
                arena_check(a, k, w, i, stone_fields[f].name, *real_of(&found.stones[i], f),
                            *real_of(&want->stones[i], f));
            }
        }
    }
    arena_check(a, k, w, -1, "tick", found.tick, want->tick);
    arena_check(a, k, w, -1, "sweeps", found.sweeps, want->sweeps);
    arena_check(a, k, w, -1, "winner", found.winner, want->winner);
    arena_check(a, k, w, -1, "end", found.end, want->end);
    arena_check(a, k, w, -1, "fault", found.fault, want->fault);
    arena_check(a, k, w, -1, "frozen", found.frozen, want->frozen);
}

static inline void arena_check_outputs(const arena *a, size_t k, size_t w)
{
    const stones_ref_record *record = &a->records[w];
    for (int p = 0; p < 2; p++) {
        float seen[SEEN];
        arena_check(a, k, w, p, "reward", arena_out.rewards[w][p], a->rewards[w][p]);
        stones_ref_observe(&a->worlds[w], &a->options, p, seen);
        for (int n = 0; n < SEEN; n++) {
            arena_check(a, k, w, n / CAROM_STONES_OBSERVATION_STONE, "observation", arena_out.seen[w][p][n], seen[n]);
        }
    }
    arena_check(a, k, w, -1, "end of the game", arena_out.ends[w], a->ends[w]);
    if (!a->played[w]) {
        return;
    }
    arena_check(a, k, w, -1, "number of hits", arena_out.event_counts[w], record->hit_count);
    for (int n = 0; n < record->hit_count; n++) {
        const stones_ref_hit *hit = &record->hits[n];
        const carom_event *event = &arena_out.events[w][n];
        arena_check(a, k, w, hit->striker, "striker", event->first, hit->striker);
        arena_check(a, k, w, hit->striker, "struck", event->second, hit->struck);
        arena_check(a, k, w, hit->striker, "way", fabs(event->left), hit->way);
        arena_check(a, k, w, hit->striker, "shrunk", signbit(event->left) != 0, hit->shrunk);
    }
    for (int i = 0; i < (int)a->options.stones; i++) {
        for (int n = 0; n < 4 && a->worlds[w].stones[i].in_play; n++) {
            arena_check(a, k, w, i, "moved", arena_out.moved[w][i][n], record->moved[i][n]);
        }
    }
}

/* One tick of everyone. */
static inline void arena_tick(arena *a, size_t kind, const arena_actions *actions)
{
    const bool recorded = !rng_one_in(&a->random, 3);
    for (size_t w = 0; w < WORLDS; w++) {
        const void *mine = kind == PUSH     ? (const void *)actions->push[w]
                           : kind == ENGINE ? (const void *)actions->engine[w]
                                            : (const void *)actions->normalised[w];
        const bool frozen = a->worlds[w].frozen != 0;
        a->ends[w] = (uint8_t)stones_ref_step(&a->worlds[w], &a->options, kind, mine, a->rewards[w], &a->records[w]);
        a->played[w] = !frozen && !a->worlds[w].frozen;
        a->faults += !frozen && a->worlds[w].fault != 0;
        if (a->played[w]) {
            a->hits += (unsigned)a->records[w].hit_count;
            a->goals += (unsigned)a->records[w].out;
            a->redirects += a->worlds[w].sweeps == 10 && a->records[w].hit_count < 9;
            a->most_sweeps += a->worlds[w].sweeps == 10;
        }
        a->games += a->played[w] && a->ends[w] != 0;
        if (a->ends[w] != 0 && a->at_end == CAROM_FREEZE) {
            a->worlds[w].frozen = 1;
        }
    }
    for (size_t k = 0; k < isa_count; k++) {
        carom_step step = STEP_WITH(.action_kind = kind, .actions = actions);
        if (recorded) {
            step.rewards = arena_out.rewards[0];
            step.observations = arena_out.seen[0][0];
            step.ends = arena_out.ends;
            step.events = arena_out.events[0];
            step.event_counts = arena_out.event_counts;
            step.event_capacity = 10;
            step.moved = arena_out.moved[0][0];
        }
        must(carom_worlds_play(a->batches[k], &step), "carom_worlds_play");
        for (size_t w = 0; w < WORLDS; w++) {
            if (k == 0 && a->ends[w] != 0 && a->at_end == CAROM_RESET) {
                stones_get(a->batches[0], w, &a->worlds[w]); /* only the start of a game can be taken over */
                arena_check(a, k, w, -1, "tick of a new game", a->worlds[w].tick, 0);
            }
            arena_check_world(a, k, w);
            if (recorded) {
                arena_check_outputs(a, k, w);
            }
        }
        const carom_counters counters = carom_worlds_counters(a->batches[k]);
        arena_check(a, k, 0, -1, "counter of goals", (double)counters.goals, (double)a->goals);
        arena_check(a, k, 0, -1, "counter of games", (double)counters.games, (double)a->games);
        arena_check(a, k, 0, -1, "counter of faults", (double)counters.faults, (double)a->faults);
        if (a->faults == 0) {
            arena_check(a, k, 0, -1, "counter of events", (double)counters.events, (double)a->hits);
        }
    }
    a->tick++;
}

#endif
