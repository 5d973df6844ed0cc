/* SPDX-License-Identifier: MIT
 * Plays one world of a batch through many ticks, as tick/tick.h describes. A game's kernel.c compiled with TILE_LANES
 * 1, at width 1, ends in this file: a tile is then one world, the caller's rows of actions and observations need no
 * transposition, and each loop of tick/driver.h over groups runs once.
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

/* A world while it is played, with all working memory: it is on the stack. */
typedef struct one_world {
    tick_tile tile; /* its state */
    tick_scratch scratch;
    float drawn[RULES_PLAYERS * RULES_DRAWN]; /* actions of the present tick, where the caller gives none */
    float rewards[RULES_PLAYERS];             /* of the present tick */
    uint8_t ended;                            /* carom_end if the game ended in the present tick, else 0 */
} one_world;

/* Copies lane `lane` of a batch's tile into a tile of one world. */
static void one_load(tick_tile *to, const one_home *from, unsigned lane)
{
#define ONE_LOAD(name, count, role)                                                                                    \
    for (int i = 0; i < count; i++) {                                                                                  \
        to->name[i][0] = from->name[i][lane];                                                                          \
    }
    WORLD_INT32_FIELDS(ONE_LOAD)
    WORLD_INT8_FIELDS(ONE_LOAD)
    RULES_FIELDS(ONE_LOAD, ONE_LOAD, ONE_LOAD, ONE_LOAD)
#undef ONE_LOAD
}

/* Copies a tile of one world into lane `lane` of a batch's tile. */
static void one_store(one_home *to, const tick_tile *from, unsigned lane)
{
#define ONE_STORE(name, count, role)                                                                                   \
    for (int i = 0; i < count; i++) {                                                                                  \
        to->name[i][lane] = from->name[i][0];                                                                          \
    }
    WORLD_INT32_FIELDS(ONE_STORE)
    WORLD_INT8_FIELDS(ONE_STORE)
    RULES_FIELDS(ONE_STORE, ONE_STORE, ONE_STORE, ONE_STORE)
#undef ONE_STORE
}

/* The actions of tick `number`: the caller's, or the same draws that a rollout makes. */
static const void *one_actions(one_world *world, const one_task *task, size_t number)
{
    if (task->actions != NULL) {
        return (const unsigned char *)task->actions + number * task->action_bytes;
    }
    for (uint32_t player = 0; player < RULES_PLAYERS; player++) {
        random_rollout(task->draw_seed, task->root_id, task->sequence, (uint32_t)number, player, RULES_DRAWN,
                       world->drawn + (size_t)player * RULES_DRAWN);
    }
    return world->drawn;
}

/* Writes the rewards and the end of tick `number`, if the caller wants them. */
static void one_write(const one_world *world, const one_task *task, size_t number)
{
    for (size_t player = 0; player < RULES_PLAYERS && task->rewards != NULL; player++) {
        task->rewards[number * RULES_PLAYERS + player] = world->rewards[player];
    }
    if (task->ends != NULL) {
        task->ends[number] = world->ended;
    }
}

/* Writes each player's return: the discounted sum of rewards, and `weight` times the final value. A world with a fault
 * returns minus infinity. */
static void one_return(const one_task *task, const game_tick *tick, const one_world *world, const double *sums,
                       double weight)
{
    double value[RULES_PLAYERS];
    tick_value(tick, value);
    for (int player = 0; player < RULES_PLAYERS; player++) {
        task->returns[player] = world->tile.fault[0][0] != 0
                                    ? -__builtin_inf()
                                    : sums[player] + weight * task->final_weight * value[player];
    }
}

/* Plays the task's world through all its ticks. */
static void one_play(const one_task *task)
{
    (void)rules_check; /* worlds are checked in their batch */

    /* Describe the world to the tick as a run of one tile with one lane, copied out of the batch. */
    one_world world;
    double sums[RULES_PLAYERS], weight = 1;
    game_tick tick;
    __builtin_memset(&tick, 0, sizeof tick);
    one_load(&world.tile, (const one_home *)task->tile, task->lane);
    tick.tiles = (unsigned char *)&world.tile;
    tick.tile_count = 1;
    tick.plays[0] = 1;
    tick.worlds = 1;
    tick.context = task->context;
    tick.seed = task->seed;
    tick.at_end = task->at_end;
    tick.kind = task->kind;
    tick.action_bytes = task->action_bytes;
    tick.scratch = &world.scratch;
    tick.rewards = task->rewards != NULL || task->returns != NULL ? world.rewards : NULL;
    tick.ends = &world.ended;

    /* Play tick by tick, each with its own row of actions, and sum up the returns. */
    for (int player = 0; player < RULES_PLAYERS; player++) {
        sums[player] = 0;
    }
    for (size_t number = 0; number < task->ticks; number++) {
        world.ended = 0;
        tick.actions = one_actions(&world, task, number);
        tick_play_run(&tick);

        /* Write this tick's outputs straight to the caller's rows. */
        if (task->observations != NULL) {
            tick_observe(&tick, 0, task->observations + number * run_seen(0));
        }
        one_write(&world, task, number);

        /* Add the rewards to the returns, later ones weighted less. */
        for (int player = 0; player < RULES_PLAYERS && tick.rewards != NULL; player++) {
            sums[player] += weight * (double)world.rewards[player];
        }
        weight *= task->discount;
    }

    if (task->returns != NULL) {
        one_return(task, &tick, &world, sums, weight);
    }

    /* Put the world back into the batch. */
    one_store((one_home *)task->tile, &world.tile, task->lane);
}

#endif
