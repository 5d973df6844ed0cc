/* SPDX-License-Identifier: MIT
 * The program in which a game's policies act for one world of a batch on a device (tick/one.h). Policies compute in
 * f64, whatever the precision of the worlds, so they are separate modules. tick/policy.h includes this file if
 * SEE_LANES is 1.
 */
#ifndef CAROM_TICK_ONE_ACT_H
#define CAROM_TICK_ONE_ACT_H

#include "tick/one.h"

/* Tiles of a batch, as they are in memory. */
/* clang-format off */
typedef struct act_home_f32 {
    WORLD_TILE_F32(RULES_FIELDS)
} act_home_f32;
typedef struct act_home_f64 {
    WORLD_TILE_F64(RULES_FIELDS)
} act_home_f64;
/* clang-format on */

/* Copies lane `lane` of a tile; its reals become f64, which is exact. */
#define ACT_LOAD(name, count, role)                                                                                    \
    for (int i = 0; i < count; i++) {                                                                                  \
        to->name[i][0] = from->name[i][lane];                                                                          \
    }
#define ACT_LOAD_ALL                                                                                                   \
    WORLD_INT32_FIELDS(ACT_LOAD)                                                                                       \
    WORLD_INT8_FIELDS(ACT_LOAD)                                                                                        \
    RULES_FIELDS(ACT_LOAD, ACT_LOAD, ACT_LOAD, ACT_LOAD)
CAROM_LANE void act_load_f32(see_tile_f64 *to, const act_home_f32 *from, unsigned lane){ACT_LOAD_ALL} CAROM_LANE
    void act_load_f64(see_tile_f64 *to, const act_home_f64 *from, unsigned lane){ACT_LOAD_ALL}

/* Reads world `place` of the batch. The distance between tiles is a whole number of cache lines. */
CAROM_LANE void act_load(const one_act_task *task, uint64_t place, see_tile_f64 *world)
{
    const unsigned char *tiles = (const unsigned char *)task->batch.tiles;
    const uint64_t tile = place / CAROM_TILE;
    const unsigned lane = (unsigned)(place % CAROM_TILE);
    if (task->precision == CAROM_F32) {
        const uint64_t bytes = (sizeof(act_home_f32) + 63) / 64 * 64;
        act_load_f32(world, (const act_home_f32 *)(const void *)(tiles + tile * bytes), lane);
    } else {
        const uint64_t bytes = (sizeof(act_home_f64) + 63) / 64 * 64;
        act_load_f64(world, (const act_home_f64 *)(const void *)(tiles + tile * bytes), lane);
    }
}

/* The players to ask together with `player`, those with the same policy, as bits; 0 if an earlier player with that
 * policy has covered it. */
CAROM_LANE unsigned act_players(const one_act_task *task, uint32_t player)
{
    unsigned players = 0;
    bool first = true;
    for (uint32_t other = 0; other < CAROM_MAX_PLAYERS; other++) {
        const bool same = (task->players >> other & 1) != 0 && task->policy[other] == task->policy[player];
        players |= same ? 1u << other : 0;
        first &= !(same && other < player);
    }
    return first && (task->players >> player & 1) != 0 ? players : 0;
}

#if defined(CAROM_DEVICE)
#define ACT_ENTRIES ONE_ACT_ENTRIES(DEVICE_ENTRY)
#else
#define ACT_ENTRIES
#endif

#define POLICY_KERNEL(name, act)                                                                                       \
    static void one_act(const one_act_task *task, size_t thread)                                                       \
    {                                                                                                                  \
        const uint64_t place = task->first + thread;                                                                   \
        const uint64_t seed = task->batch.seeds != NULL ? task->batch.seeds[place] : task->batch.seed;                 \
        see_tile_f64 world;                                                                                            \
        act_load(task, place, &world);                                                                                 \
        policy_question question = {&world, task->batch.context, CAROM_F64, &seed,                                     \
                                    0,      task->kind,          0,         task->rows + place * task->row_bytes};     \
        for (uint32_t player = 0; player < CAROM_MAX_PLAYERS; player++) {                                              \
            question.players = act_players(task, player);                                                              \
            question.policy = task->policy[player];                                                                    \
            if (question.players != 0) {                                                                               \
                act(&question);                                                                                        \
            }                                                                                                          \
        }                                                                                                              \
    }                                                                                                                  \
    ACT_ENTRIES

#endif
