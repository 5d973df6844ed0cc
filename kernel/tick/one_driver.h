/* SPDX-License-Identifier: MIT
 * Plays one world from its place in a batch back to it, as tick/one.h says. A game's kernel.c compiled with TILE_LANES
 * 1, at width 1, ends in this file: a tile is then one world, its rows of actions and observations are the caller's
 * rows as they are, and the passes of tick/driver.h are loops of a single turn.
 *
 * A game defines RULES_DRAWN: the numbers that a player draws, those of its kind `normalised`.
 */
#ifndef CAROM_TICK_ONE_DRIVER_H
#define CAROM_TICK_ONE_DRIVER_H

#include "base/random.h"
#include "tick/one.h"

#if LANES != 1
#error "one world at a time is played at width 1"
#endif

/* The tile of a batch. */
typedef struct one_home {
#if CAROM_REAL_BITS == 64
    WORLD_TILE_F64(RULES_FIELDS)
#else
    WORLD_TILE_F32(RULES_FIELDS)
#endif
} one_home;

/* All that is kept of a world while it is played. */
typedef struct one_world {
    tick_tile tile;
    tick_scratch scratch;
    float drawn[RULES_PLAYERS * RULES_DRAWN];
    float rewards[RULES_PLAYERS];
    uint8_t ended;
} one_world;

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

static void one_write(const one_world *world, const one_task *task, size_t number)
{
    for (size_t player = 0; player < RULES_PLAYERS && task->rewards != NULL; player++) {
        task->rewards[number * RULES_PLAYERS + player] = world->rewards[player];
    }
    if (task->ends != NULL) {
        task->ends[number] = world->ended;
    }
}

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

static void one_play(const one_task *task)
{
    (void)rules_check; /* worlds are checked in their batch */
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
    for (int player = 0; player < RULES_PLAYERS; player++) {
        sums[player] = 0;
    }
    for (size_t number = 0; number < task->ticks; number++) {
        world.ended = 0;
        tick.actions = one_actions(&world, task, number);
        tick_play_run(&tick);
        if (task->observations != NULL) {
            tick_observe(&tick, 0, task->observations + number * run_seen(0));
        }
        one_write(&world, task, number);
        for (int player = 0; player < RULES_PLAYERS && tick.rewards != NULL; player++) {
            sums[player] += weight * (double)world.rewards[player];
        }
        weight *= task->discount;
    }
    if (task->returns != NULL) {
        one_return(task, &tick, &world, sums, weight);
    }
    one_store((one_home *)task->tile, &world.tile, task->lane);
}

#endif
