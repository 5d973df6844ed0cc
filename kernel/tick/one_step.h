/* SPDX-License-Identifier: MIT
 * Programs that play a step in one world, and that start new games: carom_worlds_play() and carom_worlds_restart() for
 * a batch on a device, with the same bits. tick/one.h describes each of them.
 *
 * The programs that play are one function, compiled for each entry with constants that say what it may omit. In the
 * simplest one only the world is alive from one tick to the next, and it stays in registers.
 */
#ifndef CAROM_TICK_ONE_STEP_H
#define CAROM_TICK_ONE_STEP_H

#include "tick/one.h"
#include "tick/one_driver.h"

/* ---- worlds in a batch ---- */

/* The distance between tiles is a whole number of cache lines. */
#define ONE_TILE_BYTES ((sizeof(one_home) + 63) / 64 * 64)

/* The tile of world `place` of a batch. */
CAROM_LANE one_home *one_home_of(const void *tiles, uint64_t place)
{
    return (one_home *)(void *)((unsigned char *)(uintptr_t)tiles + place / CAROM_TILE * ONE_TILE_BYTES);
}

/* The seed of a world's random draws. */
CAROM_LANE uint64_t one_seed_of(const one_batch *batch, uint64_t place)
{
    return batch->seeds != NULL ? batch->seeds[place] : batch->seed;
}

/* Adds to a counter atomically. */
CAROM_LANE void one_add(uint64_t *to, uint64_t more)
{
    if (more != 0) {
#if defined(__CUDACC__)
        atomicAdd((unsigned long long *)to, (unsigned long long)more);
#else
        __atomic_fetch_add(to, more, __ATOMIC_RELAXED);
#endif
    }
}

/* Adds what a thread's world has done to its batch's counters. */
CAROM_LANE void one_count(const one_batch *batch, size_t thread, const carom_counters *more)
{
    carom_counters *to = &batch->counters[thread % ONE_SLOTS];
    one_add(&to->ticks, more->ticks);
    one_add(&to->events, more->events);
    one_add(&to->games, more->games);
    one_add(&to->goals, more->goals);
    one_add(&to->faults, more->faults);
}

/* ---- actions ---- */

/* Copies numbers of 4 or 8 bytes, `bytes` in total; NULL stands for zeros. */
CAROM_LANE void one_copy(void *to, const void *from, uint64_t bytes)
{
    for (uint64_t at = 0; at < bytes; at += 4) {
        uint32_t word = 0;
        if (from != NULL) {
            __builtin_memcpy(&word, __builtin_assume_aligned((const unsigned char *)from + at, 4), 4);
        }
        __builtin_memcpy(__builtin_assume_aligned((unsigned char *)to + at, 4), &word, 4);
    }
}

/* The row of a world of the call in the caller's arrays of actions, for step `number`. */
CAROM_LANE uint64_t one_row_of(const one_step_task *task, size_t thread, uint64_t number)
{
    return number * task->action_rows + (task->rows != NULL ? task->rows[thread] : thread);
}

/* Completes a world's staged row of actions, in addition to what policies have written there, and returns it. */
CAROM_LANE const void *one_stage(const one_step_task *task, size_t thread, uint64_t number)
{
    unsigned char *to = task->staged + (task->first + thread) * task->action_bytes;
    const uint64_t row = one_row_of(task, thread, number);
    for (uint32_t k = 0; k < task->given_count; k++) {
        const one_given *given = &task->given[k];
        one_copy(to + given->at, given->actions != NULL ? given->actions + row * given->row_bytes : NULL, given->bytes);
    }
    return to;
}

/* The actions of a world of the call in step `number`. stages: they may be staged. */
CAROM_LANE const void *one_acted(const one_step_task *task, size_t thread, uint64_t number, bool stages)
{
    return stages && task->staged != NULL ? one_stage(task, thread, number)
                                          : task->actions + one_row_of(task, thread, number) * task->action_bytes;
}

/* ---- observations ---- */

/* Numbers in a world's widest observation. */
#if defined(RULES_EGO)
#define ONE_SEEN                                                                                                       \
    (RULES_PLAYERS * (RULES_AGENTS * RULES_EGO > RULES_OBSERVATION ? RULES_AGENTS * RULES_EGO : RULES_OBSERVATION))
#else
#define ONE_SEEN (RULES_PLAYERS * RULES_OBSERVATION)
#endif

/* The row of a world of the call in an array of observations, for step `number`. */
CAROM_LANE float *one_seen_at(const one_step_task *task, float *observations, size_t thread, uint64_t number)
{
    const uint64_t row = task->places != NULL ? task->places[thread] : thread;
    return observations + (number * task->observation_rows + row) * task->width;
}

/* Copies what the rules have written into the caller's row. */
CAROM_LANE void one_place(const one_step_task *task, const float *seen, float *row)
{
    for (uint32_t k = 0; k < task->piece_count; k++) {
        const one_piece *piece = &task->pieces[k];
        for (uint32_t i = 0; i < piece->count; i++) {
            row[piece->at + i] = seen[piece->from + i];
            if (piece->twin != ONE_ONCE) {
                row[piece->twin + i] = seen[piece->from + i];
            }
        }
    }
}

/* Writes what players see of the world in `lane` of a batch's tile. Not inlined: the numbers of a tick and of an
 * observation do not fit into the registers together. It takes no task, which would then be copied to the stack. */
__attribute__((noinline)) static void one_view(const one_home *home, unsigned lane, const void *context, uint32_t view,
                                               bool shared, float *seen)
{
    tick_tile world;
    tick_scratch scratch;
    game_tick tick;
    one_load(&world, home, lane);
    one_begin(&tick, &world, &scratch, context, 0);
    tick.view = view;
    tick.shared = shared;
    tick_observe(&tick, 0, seen);
}

/* Writes the current observations of a world of the call, read from memory, for step `number`. pieces: there may be
 * some. */
CAROM_LANE void one_show(const one_step_task *task, size_t thread, uint64_t number, bool pieces)
{
    const uint64_t place = task->first + thread;
    const one_home *home = one_home_of(task->batch.tiles, place);
    const unsigned lane = (unsigned)(place % CAROM_TILE);
    float *row = one_seen_at(task, task->observations, thread, number);
    if (!pieces || task->piece_count == 0) {
        one_view(home, lane, task->batch.context, task->view, false, row);
        return;
    }
    float seen[ONE_SEEN];
    one_view(home, lane, task->batch.context, task->view, task->shared != 0, seen);
    one_place(task, seen, row);
}

#if !defined(RULES_PLAY_WORKLIST)
/* The same for a world that a step plays, in games whose world is in the thread's memory (TICK_WHOLE), where one_view()
 * would take as much memory again. seen: room for ONE_SEEN numbers. */
CAROM_LANE void one_show_played(const one_step_task *task, size_t thread, uint64_t number, bool pieces,
                                const game_tick *tick, float *seen)
{
    const bool placed = pieces && task->piece_count != 0;
    float *row = one_seen_at(task, task->observations, thread, number);
    tick_observe(tick, 0, placed ? seen : row);
    if (placed) {
        one_place(task, seen, row);
    }
}
#endif

/* ---- rewards and results ---- */

/* The most agents that have rewards. */
#if defined(RULES_AGENTS)
#define ONE_REWARDED (RULES_PLAYERS * RULES_AGENTS)
#else
#define ONE_REWARDED RULES_PLAYERS
#endif

/* Adds the rewards of all agents to others. The bound of the loop is a constant, here and below, so that compilers
 * unroll it and keep what is indexed by the agent in registers. */
CAROM_LANE void one_gather(const one_step_task *task, float *gathered, const float *rewards)
{
    for (unsigned agent = 0; agent < ONE_REWARDED; agent++) {
        gathered[agent] = agent < task->rewarded ? gathered[agent] + rewards[agent] : 0;
    }
}

/* Copies rewards to the caller, or back. */
CAROM_LANE void one_pay(const one_step_task *task, float *to, const float *from)
{
    for (unsigned agent = 0; agent < ONE_REWARDED; agent++) {
        if (agent < task->rewarded) {
            to[agent] = from[agent];
        }
    }
}

/* Adds the rewards of a tick to the sums of the world's game, and writes the result of a game that has ended. */
CAROM_LANE void one_write_result(const one_step_task *task, size_t thread, uint64_t number, const float *rewards,
                                 bool ended, const tick_result *of)
{
    double *sums = task->batch.sums + (task->first + thread) * RULES_PLAYERS;
    const unsigned each = task->rewarded / RULES_PLAYERS; /* a player's sum is over all its agents */
    for (unsigned agent = 0; agent < ONE_REWARDED; agent++) {
        if (agent < task->rewarded) {
            sums[agent / each] += (double)rewards[agent];
        }
    }
    if (!ended) {
        return;
    }

    /* The next game starts with sums of 0. Players that the game does not have get zeros. */
    carom_result *result = task->results + number * task->threads + thread;
    result->winner = of->winner;
    result->ticks = (uint32_t)of->ticks;
    result->fault = (uint32_t)of->fault;
    for (unsigned player = 0; player < CAROM_MAX_PLAYERS; player++) {
        result->score[player] = player < RULES_PLAYERS ? of->score[player] : 0;
        result->returns[player] = player < RULES_PLAYERS ? sums[player] : 0;
    }
    for (unsigned player = 0; player < RULES_PLAYERS; player++) {
        sums[player] = 0;
    }
}

/* ---- steps ---- */

/* Features of a program, as bits; the others omit them. */
enum {
    ONE_WRITES = 1, /* outputs, and skipped worlds */
    ONE_STAGES = 2  /* what only the entry `staged` has */
};

/* Are the indices that the caller gave for this world within bounds? If not, reports it to the host. */
CAROM_LANE bool one_is_within(const one_step_task *task, size_t thread)
{
    const bool within = (task->rows == NULL || task->rows[thread] < task->action_rows) &&
                        (task->places == NULL || task->places[thread] < task->observation_rows) &&
                        (task->from == NULL || task->from[thread] < task->parent_count);
    if (!within) {
        *task->batch.wrong = 1;
    }
    return within;
}

/* Makes the world a copy of its parent, with its own id and no rewards so far. */
CAROM_LANE void one_become(const one_step_task *task, size_t thread, tick_tile *world)
{
    const uint64_t place = task->first + thread, parent = task->from != NULL ? task->from[thread] : place;
    const int32_t low = world->id[0][0], high = world->id[1][0];
    one_load(world, one_home_of(task->parents, parent), (unsigned)(parent % CAROM_TILE));
    world->id[0][0] = low;
    world->id[1][0] = high;
    for (unsigned player = 0; player < RULES_PLAYERS && task->batch.sums != NULL; player++) {
        task->batch.sums[place * RULES_PLAYERS + player] = 0;
    }
}

/* Sets the members of the tick that are the same for all ticks of the call. */
CAROM_LANE void one_ask(const one_step_task *task, game_tick *tick, unsigned parts)
{
    tick->at_end = task->at_end;
    tick->kind = task->kind;
    tick->action_bytes = task->action_bytes;
    if ((parts & ONE_WRITES) != 0) {
        tick->view = task->view;
        tick->reward_kind = task->reward_kind;
    }
    if ((parts & ONE_STAGES) != 0) {
        tick->shared = task->shared != 0;
        for (unsigned player = 0; player < RULES_PLAYERS; player++) {
            tick->kinds[player] = task->kinds[player];
            tick->actions_at[player] = task->actions_at[player];
        }
    }
}

/* What the caller requests of a program. Features that a program omits are false at compile time. */
typedef struct one_wishes {
    bool plays;                    /* the world is not skipped */
    bool pays, lasts, results;     /* rewards, last observations, results */
    bool pieces;                   /* observations are copied piece by piece */
    bool begins, finishes, splits; /* this is the first, the last, not the only tick of a step */
    bool gathers;                  /* rewards are summed over several ticks */
} one_wishes;

CAROM_LANE one_wishes one_wishes_of(const one_step_task *task, size_t thread, unsigned parts)
{
    const bool writes = (parts & ONE_WRITES) != 0, stages = (parts & ONE_STAGES) != 0;
    one_wishes w;
    w.plays = !writes || task->skip == NULL || task->skip[thread] == 0;
    w.results = stages && task->results != NULL;
    w.pays = writes && (task->rewards != NULL || w.results);
    w.lasts = stages && task->last_observations != NULL;
    w.pieces = stages && task->piece_count != 0;
    w.begins = !stages || (task->part & ONE_FIRST) != 0;
    w.finishes = !stages || (task->part & ONE_LAST) != 0;
    w.splits = !(w.begins && w.finishes);
    w.gathers = stages && w.pays && (task->repeat > 1 || w.splits);
    return w;
}

/* Writes rewards, ends and actions of a step. actions: NULL if the program does not write any. */
CAROM_LANE void one_write_step(const one_step_task *task, size_t thread, uint64_t number, const float *rewards,
                               uint8_t over, const void *actions)
{
    const uint64_t entry = number * task->threads + thread;
    if (task->rewards != NULL) {
        one_pay(task, task->rewards + entry * task->rewarded, rewards);
    }
    if (task->ends != NULL) {
        task->ends[entry] = over;
    }
    if (actions != NULL && task->played != NULL) {
        one_copy(task->played + entry * task->action_bytes, actions, task->action_bytes);
    }
}

/* Plays world `thread` of the call. parts: a constant at every call. */
CAROM_LANE void one_step_run(const one_step_task *task, size_t thread, unsigned parts)
{
    if (!one_is_within(task, thread)) {
        return;
    }

    const bool writes = (parts & ONE_WRITES) != 0, stages = (parts & ONE_STAGES) != 0;
    const uint64_t place = task->first + thread;
    const unsigned lane = (unsigned)(place % CAROM_TILE);
    one_home *home = one_home_of(task->batch.tiles, place);
    tick_tile world;
    tick_scratch scratch;
    game_tick tick;
    one_load(&world, home, lane);
    one_begin(&tick, &world, &scratch, task->batch.context, one_seed_of(&task->batch, place));
    one_ask(task, &tick, parts);
    if (stages && task->parents != NULL) {
        one_become(task, thread, &world);
    }

    /* Rules write only what is requested. */
    float rewards[ONE_REWARDED], seen[ONE_SEEN];
    tick_result result;
    uint8_t ended = 0;
    const one_wishes want = one_wishes_of(task, thread, parts);
    tick.rewards = want.pays ? rewards : NULL;
    tick.ends = writes ? &ended : NULL;
    tick.results = want.results ? &result : NULL;

    for (uint64_t number = task->begin; number < task->end; number++) {
        float *last = want.lasts ? one_seen_at(task, task->last_observations, thread, number) : NULL;
        tick.last = want.lasts && want.pieces ? seen : last;
        tick.actions = one_acted(task, thread, number, stages);

        /* Rewards start with those of the ticks already played. */
        float gathered[ONE_REWARDED] = {0};
        if (want.gathers && !want.begins && task->rewards != NULL) {
            one_pay(task, gathered, task->rewards + (number * task->threads + thread) * task->rewarded);
        }

        /* A world whose game has ended does not move until the step is over. */
        uint8_t over = want.begins ? 0 : task->over[place];
        for (uint64_t k = 0; k < (stages ? task->repeat : 1); k++) {
            ended = 0;
            tick.plays[0] = want.plays && over == 0;
            one_tick(&tick);
            over |= ended;
            if (want.gathers) {
                one_gather(task, gathered, rewards);
            }
            if (want.results) {
                one_write_result(task, thread, number, rewards, ended != 0, &result);
            }
            if (want.lasts && want.pieces && ended != 0) {
                one_place(task, seen, last);
            }
        }

        if (want.splits) {
            task->over[place] = over;
        }
        if (writes) {
            one_write_step(task, thread, number, want.gathers ? gathered : rewards, over, stages ? tick.actions : NULL);
        }
        if (writes && task->observations != NULL && want.finishes) {
#if defined(RULES_PLAY_WORKLIST)
            one_store(home, &world, lane);
            one_show(task, thread, number, stages);
            one_load(&world, home, lane);
#else
            one_show_played(task, thread, number, stages, &tick, seen);
#endif
        }
    }

    one_count(&task->batch, thread, &tick.counters);
    one_store(home, &world, lane);
}

static void one_step_play(const one_step_task *task, size_t thread)
{
    one_step_run(task, thread, 0);
}

static void one_step_plain(const one_step_task *task, size_t thread)
{
    one_step_run(task, thread, ONE_WRITES);
}

static void one_step_staged(const one_step_task *task, size_t thread)
{
    one_step_run(task, thread, ONE_WRITES | ONE_STAGES);
}

/* ---- observing ---- */

/* Writes the observations of world `thread` of the call as it is. */
static void one_observe(const one_step_task *task, size_t thread)
{
    if (one_is_within(task, thread)) {
        one_show(task, thread, 0, true);
    }
}

/* ---- new games ---- */

/* Starts a new game in world `thread` of the batch, if requested. */
static void one_restart(const one_restart_task *task, size_t thread)
{
    if (task->mask != NULL && task->mask[thread] == 0) {
        return;
    }

    tick_tile world;
    one_home *home = one_home_of(task->batch.tiles, thread);
    const unsigned lane = (unsigned)(thread % CAROM_TILE);
    one_load(&world, home, lane);

    /* The world's next game; with another id or seed, its first one. */
    const int32_t episode = world.episode[0][0];
    const bool first = task->ids != NULL || task->given != NULL || episode == INT32_MAX;
    world.episode[0][0] = first ? 0 : episode + 1;
    world.tick[0][0] = 0;
    world.end[0][0] = world.fault[0][0] = world.frozen[0][0] = 0;
    if (task->ids != NULL) {
        world.id[0][0] = (int32_t)(uint32_t)task->ids[thread];
        world.id[1][0] = (int32_t)(uint32_t)(task->ids[thread] >> 32);
    }
    uint64_t seed = one_seed_of(&task->batch, thread);
    if (task->given != NULL) {
        seed = task->seeds[thread] = task->given[thread];
    }

    const rules_context *context = (const rules_context *)task->batch.context;
    rules_start(context, seed, world_at(&world, 0));
    rules_derive(context, world_at(&world, 0));
    for (unsigned player = 0; player < RULES_PLAYERS && task->batch.sums != NULL; player++) {
        task->batch.sums[thread * RULES_PLAYERS + player] = 0;
    }
    one_store(home, &world, lane);
}

#endif
