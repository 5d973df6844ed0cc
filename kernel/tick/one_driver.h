/* SPDX-License-Identifier: MIT
 * Plays one world of a batch through many ticks, as described in tick/tick.h. A game's kernel.c compiled with
 * TILE_LANES 1, at width 1, ends in this file: a tile is then one world, the caller's rows of actions and observations
 * need no transposition, and each loop of tick/driver.h over groups runs once.
 *
 * A program that plays worlds in this way has three local variables for each, and requests its ticks as a run of one
 * tile. They must be separate variables, used only by inlined functions, so that compilers can keep the world in
 * registers.
 *
 *     tick_tile world;
 *     tick_scratch scratch;
 *     game_tick tick;
 *     one_load(&world, home, lane);
 *     one_begin(&tick, &world, &scratch, context, seed);     and whatever else of `tick` the program needs
 *     for each tick: one_tick(&tick), tick_observe(&tick, 0, seen)
 *     tick_value(&tick, values)
 *     one_store(home, &world, lane);
 *
 * A game defines RULES_DRAWN: how many numbers a player's random action has, in its kind `normalised`.
 */
#ifndef CAROM_TICK_ONE_DRIVER_H
#define CAROM_TICK_ONE_DRIVER_H

#include "base/random.h"
#include "tick/tick.h"

#if LANES != 1
#error "one world at a time is played at width 1"
#endif

/* A tile of a batch, as it is in memory: 16 worlds, where tick_tile holds one. */
typedef struct one_home {
#if CAROM_REAL_BITS == 64
    WORLD_TILE_F64(RULES_FIELDS)
#else
    WORLD_TILE_F32(RULES_FIELDS)
#endif
} one_home;

/* Copies lane `lane` of a batch's tile into a tile of one world. */
CAROM_LANE void one_load(tick_tile *to, const one_home *from, unsigned lane){
#define ONE_LOAD(name, count, role)                                                                                    \
    for (int i = 0; i < count; i++) {                                                                                  \
        to->name[i][0] = from->name[i][lane];                                                                          \
    }
    WORLD_INT32_FIELDS(ONE_LOAD) WORLD_INT8_FIELDS(ONE_LOAD) RULES_FIELDS(ONE_LOAD, ONE_LOAD, ONE_LOAD, ONE_LOAD)
#undef ONE_LOAD
}

/* Copies a tile of one world into lane `lane` of a batch's tile. */
CAROM_LANE void one_store(one_home *to, const tick_tile *from, unsigned lane){
#define ONE_STORE(name, count, role)                                                                                   \
    for (int i = 0; i < count; i++) {                                                                                  \
        to->name[i][lane] = from->name[i][0];                                                                          \
    }
    WORLD_INT32_FIELDS(ONE_STORE) WORLD_INT8_FIELDS(ONE_STORE) RULES_FIELDS(ONE_STORE, ONE_STORE, ONE_STORE, ONE_STORE)
#undef ONE_STORE
}

/* Describes a world copied out of a batch to the tick, as a run of one tile with one lane. Everything not set here is
 * 0: the program sets actions, outputs, and what to do at the end of a game. context, seed: as in game_tick. */
CAROM_LANE void one_begin(game_tick *tick, tick_tile *world, tick_scratch *scratch, const void *context, uint64_t seed)
{
    __builtin_memset(tick, 0, sizeof *tick);
    tick->tiles = (unsigned char *)world;
    tick->tile_count = 1;
    tick->plays[0] = 1;
    tick->worlds = 1;
    tick->context = context;
    tick->seed = seed;
    tick->scratch = scratch;
}

/* Plays one tick, unless the world is frozen. tick->actions is a row: [player][number], or with TICK_MIXED a block of
 * that form for each kind. Rewards are [agents of all players], and are written even if the world does not play; ends
 * and results are written only if the game ends, so the program must clear them first. */
CAROM_LANE void one_tick(game_tick *tick)
{
    tick_play_run(tick);
}

/* ---- one_kernel: as tick/tick.h describes it ---- */

/* All working memory of a task; it is on the stack. */
enum { ONE_BYTES = sizeof(tick_tile) + sizeof(tick_scratch) + sizeof(game_tick) };

/* The actions of tick `number`: the caller's, or the draws of a rollout, which are written to `drawn`. */
CAROM_LANE const void *one_actions(const one_task *task, size_t number, float *drawn)
{
    if (task->actions != NULL) {
        return (const unsigned char *)task->actions + number * task->action_bytes;
    }
    for (uint32_t player = 0; player < RULES_PLAYERS; player++) {
        random_rollout(task->draw_seed, task->root_id, task->sequence, (uint32_t)number, player, RULES_DRAWN,
                       drawn + (size_t)player * RULES_DRAWN);
    }
    return drawn;
}

/* Writes each player's return: the discounted sum of rewards, plus `weight` times the final value. A faulted world
 * returns minus infinity. */
static void one_return(const one_task *task, const game_tick *tick, bool fault, const double *sums, double weight)
{
    double value[RULES_PLAYERS];
    tick_value(tick, value);
    for (int player = 0; player < RULES_PLAYERS; player++) {
        task->returns[player] = fault ? -__builtin_inf() : sums[player] + weight * task->final_weight * value[player];
    }
}

/* Plays the task's world through all its ticks. */
static void one_play(const one_task *task)
{
    (void)rules_check; /* worlds are checked in their batch */

    tick_tile world;
    tick_scratch scratch;
    game_tick tick;
    float drawn[RULES_PLAYERS * RULES_DRAWN], rewards[RULES_PLAYERS];
    uint8_t ended;
    one_load(&world, (const one_home *)task->tile, task->lane);
    one_begin(&tick, &world, &scratch, task->context, task->seed);
    tick.at_end = task->at_end;
    tick.kind = task->kind;
    tick.action_bytes = task->action_bytes;
    tick.rewards = task->rewards != NULL || task->returns != NULL ? rewards : NULL;
    tick.ends = &ended;

    /* Play tick by tick, each with its own row of actions, and add up the returns. */
    double sums[RULES_PLAYERS], weight = 1;
    for (int player = 0; player < RULES_PLAYERS; player++) {
        sums[player] = 0;
    }
    for (size_t number = 0; number < task->ticks; number++) {
        ended = 0;
        tick.actions = one_actions(task, number, drawn);
        one_tick(&tick);

        /* Write this tick's outputs directly to the caller's rows. */
        if (task->observations != NULL) {
            tick_observe(&tick, 0, task->observations + number * run_seen(0));
        }
        for (size_t player = 0; player < RULES_PLAYERS && task->rewards != NULL; player++) {
            task->rewards[number * RULES_PLAYERS + player] = rewards[player];
        }
        if (task->ends != NULL) {
            task->ends[number] = ended;
        }

        /* Add the rewards to the returns, discounted. */
        for (int player = 0; player < RULES_PLAYERS && tick.rewards != NULL; player++) {
            sums[player] += weight * (double)rewards[player];
        }
        weight *= task->discount;
    }

    if (task->returns != NULL) {
        one_return(task, &tick, world.fault[0][0] != 0, sums, weight);
    }

    /* Write the world back to the batch. */
    one_store((one_home *)task->tile, &world, task->lane);
}

#endif
