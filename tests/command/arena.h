/* SPDX-License-Identifier: MIT
 * The arena: the same worlds played by the library on every usable instruction set and by a game's plain reference,
 * tick by tick, with every output and the whole state compared after each. f64, two players.
 *
 * The test that includes it says of which game, by the types ref_world and ref_record, the numbers
 *     WORLDS, BODIES, EVENTS (at most, a tick), SEEN (numbers that a player sees), ROW_BYTES (of one world's actions)
 * and the functions
 *     ref_member(), ref_difference()                   see world_member; the name of the first field that differs
 *     ref_step(arena *, w)                             plays world w by arena_row(), fills in the arena's expectations
 *     ref_observe(const arena *, w, player, seen)      what a player of world w sees
 *     ref_left(const ref_record *, n)                  how much of the tick is left at its event n
 */
#ifndef CAROM_TESTS_COMMAND_ARENA_H
#define CAROM_TESTS_COMMAND_ARENA_H

#include "batch.h"

#define UNTOUCHED (-77.0f) /* in an output that must not be written */

typedef struct arena {
    carom_worlds_desc desc;
    size_t world_count;
    carom_worlds *batches[CAROM_ISA_COUNT];
    uint64_t random;
    size_t kind;
    bool odd; /* bad actions, too */

    /* By the reference, after the tick. */
    ref_world worlds[WORLDS];
    ref_record records[WORLDS];
    float rewards[WORLDS][2];
    uint8_t ends[WORLDS];
    bool played[WORLDS]; /* neither frozen before the tick nor given a fault in it */
    carom_counters count;
    unsigned faults[8];
} arena;

/* By the library: one set is enough. */
static struct {
    uint8_t ends[WORLDS];
    float rewards[WORLDS][2];
    float seen[WORLDS][2][SEEN], last_seen[WORLDS][2][SEEN];
    carom_event events[WORLDS][EVENTS];
    uint32_t event_counts[WORLDS];
    double moved[WORLDS][BODIES][4];
    double actions[WORLDS * ROW_BYTES / sizeof(double)];
} out;

static void *ref_member(void *world, const char *name, size_t *bytes);
static const char *ref_difference(const ref_world *a, const ref_world *b);
static void ref_step(arena *a, size_t w);
static void ref_observe(const arena *a, size_t w, int player, float seen[SEEN]);
static double ref_left(const ref_record *record, int n);

/* ---- life ---- */

/* desc: of any of the batches; the arena adds the instruction set and the number of worlds. */
static arena *arena_create(const carom_worlds_desc *desc, size_t kind, bool odd)
{
    arena *a = (arena *)calloc(1, sizeof *a);
    assert_non_null(a);
    a->world_count = (size_t)unless_short(WORLDS, CAROM_TILE + 3);
    a->desc = *desc;
    a->desc.count = a->world_count;
    a->desc.threads = 1;
    a->random = desc->seed;
    a->kind = kind;
    a->odd = odd;
    for (size_t k = 0; k < isa_count; k++) {
        a->desc.isa = isas[k];
        a->batches[k] = make_worlds(&a->desc);
    }
    for (size_t w = 0; w < a->world_count; w++)
        get_world(a->batches[0], w, ref_member, &a->worlds[w]);
    return a;
}

static void arena_destroy(arena *a)
{
    for (size_t k = 0; k < isa_count; k++)
        carom_worlds_destroy(a->batches[k]);
    free(a);
}

/* Gives every batch the reference's worlds. */
static void arena_put(arena *a)
{
    for (size_t k = 0; k < isa_count; k++)
        for (size_t w = 0; w < a->world_count; w++)
            must(try_put_world(a->batches[k], w, ref_member, &a->worlds[w]), "carom_worlds_set_world");
}

/* The actions of world w in the next tick. */
static void *arena_row(const arena *a, size_t w)
{
    carom_action_kind kind;
    must(carom_game_action_kind(a->desc.game, a->kind, &kind), "carom_game_action_kind");
    const size_t bytes = (size_t)kind.size * 2 * (kind.precision / 8);
    assert_true(bytes <= ROW_BYTES);
    return (unsigned char *)out.actions + w * bytes;
}

/* ---- comparing ---- */

static void arena_check(const arena *a, size_t k, size_t w, const char *what, double found, double expected)
{
    if (!(found == expected))
        fail_msg("%s, world %zu, tick %d: %s is %.17g instead of %.17g", carom_isa_name(isas[k]), w,
                 (int)a->worlds[w].tick, what, found, expected);
}

static void arena_check_record(const arena *a, size_t k, size_t w)
{
    const ref_record *record = &a->records[w];
    arena_check(a, k, w, "number of events", out.event_counts[w], record->event_count);
    for (int n = 0; n < record->event_count; n++) {
        arena_check(a, k, w, "time left", out.events[w][n].left, ref_left(record, n));
        arena_check(a, k, w, "first", out.events[w][n].first, record->events[n].first);
        arena_check(a, k, w, "second", out.events[w][n].second, record->events[n].second);
    }
    for (int i = 0; i < BODIES; i++)
        for (int n = 0; n < 4; n++)
            arena_check(a, k, w, "moved", out.moved[w][i][n], record->moved[i][n]);
}

static void arena_check_outputs(const arena *a, size_t k, size_t w)
{
    arena_check(a, k, w, "end", out.ends[w], a->ends[w]);
    for (int p = 0; p < 2; p++) {
        float seen[SEEN];
        ref_observe(a, w, p, seen);
        arena_check(a, k, w, "reward", out.rewards[w][p], a->rewards[w][p]);
        for (int n = 0; n < SEEN; n++) {
            arena_check(a, k, w, "observation", out.seen[w][p][n], seen[n]);
            arena_check(a, k, w, "last observation", out.last_seen[w][p][n], out.ends[w] != 0 ? seen[n] : UNTOUCHED);
        }
    }
}

static void arena_compare(const arena *a, size_t k, bool outputs, bool record)
{
    for (size_t w = 0; w < a->world_count; w++) {
        ref_world found;
        memset(&found, 0, sizeof found);
        get_world(a->batches[k], w, ref_member, &found);
        if (found.fault != 0 && a->worlds[w].fault != 0)
            found.fault = a->worlds[w].fault; /* NaN and too large can be two views of one thing */
        const char *field = ref_difference(&found, &a->worlds[w]);
        if (field != NULL)
            fail_msg("%s, world %zu, tick %d (%d): %s differs", carom_isa_name(isas[k]), w, (int)a->worlds[w].tick,
                     (int)found.tick, field);
        if (outputs)
            arena_check_outputs(a, k, w);
        if (record && a->played[w])
            arena_check_record(a, k, w);
    }
    const carom_counters counters = carom_worlds_counters(a->batches[k]);
    arena_check(a, k, 0, "counter of ticks", (double)counters.ticks, (double)a->count.ticks);
    arena_check(a, k, 0, "counter of games", (double)counters.games, (double)a->count.games);
    arena_check(a, k, 0, "counter of faults", (double)counters.faults, (double)a->count.faults);
    arena_check(a, k, 0, "counter of goals", (double)counters.goals, (double)a->count.goals);
}

/* ---- a tick ---- */

/* In all batches and in the reference; the actions are in arena_row(). */
static void arena_tick(arena *a)
{
    const bool outputs = rng_one_in(&a->random, 3), record = rng_one_in(&a->random, 3);
    for (size_t w = 0; w < a->world_count; w++) {
        ref_world *world = &a->worlds[w];
        const bool was_frozen = world->frozen != 0;
        ref_step(a, w);
        a->played[w] = !was_frozen && !world->frozen;
        a->count.ticks += a->played[w];
        a->count.games += a->played[w] && a->ends[w] != 0;
        a->count.faults += !was_frozen && world->fault != 0;
        a->count.events += a->played[w] ? (unsigned)a->records[w].event_count : 0;
        if (!was_frozen && world->fault != 0)
            a->faults[world->fault]++;
        if (a->ends[w] != 0 && a->desc.at_end == CAROM_FREEZE)
            world->frozen = 1;
    }
    for (size_t k = 0; k < isa_count; k++) {
        carom_step step = STEP_WITH(.action_kind = a->kind, .actions = out.actions);
        if (outputs) {
            for (size_t n = 0; n < sizeof out.last_seen / sizeof(float); n++)
                (&out.last_seen[0][0][0])[n] = UNTOUCHED;
            memset(out.ends, 0xee, sizeof out.ends);
            step.ends = out.ends;
            step.rewards = out.rewards[0];
            step.observations = out.seen[0][0];
            step.last_observations = out.last_seen[0][0];
        }
        if (record) {
            step.events = out.events[0];
            step.event_counts = out.event_counts;
            step.event_capacity = EVENTS;
            step.moved = out.moved[0][0];
        }
        must(carom_worlds_play(a->batches[k], &step), "carom_worlds_play");
        arena_compare(a, k, outputs, record);
    }
}

#endif
