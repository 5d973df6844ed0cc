/* SPDX-License-Identifier: MIT
 * The entry of a plug-in: a plug-in game's description of itself, by which the library checks that both were compiled
 * from the same headers. include/carom/kit/game.h fills it in, games/plugin.c reads it.
 *
 * Until version 1.0 the kit may change with every version, so the two versions must be equal.
 */
#ifndef CAROM_GAMES_ENTRY_H
#define CAROM_GAMES_ENTRY_H

#include <assert.h>
#include <stddef.h>

#include "games/game.h"
#include "tick/tick.h"

#define KIT_VERSION (CAROM_VERSION_MAJOR * 1000000 + CAROM_VERSION_MINOR * 1000 + CAROM_VERSION_PATCH)

/* The structures that the two share. */
#define KIT_STRUCTURES(X)                                                                                              \
    X(carom_game)                                                                                                      \
    X(carom_game_info)                                                                                                 \
    X(carom_action_kind)                                                                                               \
    X(carom_option)                                                                                                    \
    X(game_options)                                                                                                    \
    X(world_type)                                                                                                      \
    X(world_ops)                                                                                                       \
    X(field_spec)                                                                                                      \
    X(game_kernel)                                                                                                     \
    X(game_tick) X(one_kernel) X(one_task) X(kit_trial) X(carom_worlds) X(carom_worlds_desc) X(carom_event)
#define KIT_SIZE(type) sizeof(type),
#define KIT_ONE(type) +1
#define KIT_SIZES (0 KIT_STRUCTURES(KIT_ONE))

/* A constant hash of the offsets of some members: it also detects a change that leaves all sizes as they are. */
#define KIT_HASH(state, word) (((state) ^ (uint64_t)(word) * 0x94d049bb133111ebu) * 0xff51afd7ed558ccdu + 1)
#define KIT_LAYOUT_GAME                                                                                                \
    KIT_HASH(KIT_HASH(KIT_HASH(KIT_HASH(CAROM_TILE, offsetof(carom_game, info)), offsetof(carom_game, kinds)),         \
                      offsetof(carom_game, kernel)),                                                                   \
             offsetof(carom_game, policy))
#define KIT_LAYOUT_TICK                                                                                                \
    KIT_HASH(KIT_HASH(KIT_HASH(KIT_HASH(KIT_LAYOUT_GAME, offsetof(game_tick, actions)), offsetof(game_tick, rewards)), \
                      offsetof(game_tick, record)),                                                                    \
             offsetof(game_tick, counters))
#define KIT_LAYOUT                                                                                                     \
    KIT_HASH(KIT_HASH(KIT_HASH(KIT_HASH(KIT_LAYOUT_TICK, offsetof(world_type, ops)), offsetof(game_kernel, value)),    \
                      offsetof(one_task, returns)),                                                                    \
             CAROM_ISA_COUNT * 256 + TICK_RUN)

/* The layout of a tile in a compiled kernel, to be compared with the game's table. */
typedef struct kit_tile {
    size_t bytes;
    const uint32_t *offsets; /* of the game's own fields, in table order */
} kit_tile;

/* A trial plays one world at width 1 in f64, and checks every index with which the rules access the tick's arrays
 * (tick/checked.h). */
typedef struct kit_trial {
    const void *context;
    uint64_t seed, id;
    unsigned policy, kind; /* of the actions that play it */
    size_t ticks;
} kit_trial;

struct carom_kit_entry {
    /* These four have the same offset in every version. */
    uint32_t version;   /* KIT_VERSION */
    uint32_t bytes;     /* of this structure */
    uint64_t layout;    /* KIT_LAYOUT */
    uint32_t sizes[16]; /* of KIT_STRUCTURES, then 0 */

    const carom_game *game;
    const kit_tile *(*tile)(carom_isa isa, carom_precision precision); /* NULL where the kernel is */
    const one_kernel *one[2];                                          /* f32, f64 */
    const struct device_module *device[3]; /* the GPU's code (device/modules.h): f32, f64, policies; NULL: not built */
    /* CAROM_ERROR_FORMAT if an index is wrong: `problem` names the first one. Or CAROM_ERROR_MEMORY. */
    carom_status (*trial)(const kit_trial *trial, carom_problem *problem);
};

static_assert(KIT_SIZES <= 16, "an entry has room for the sizes of all structures");

/* The entry of a plug-in game; NULL for a game that Carom ships. */
const carom_kit_entry *carom_game_entry_of(const carom_game *game);

/* Plays trials of a plug-in game with these options: of the worlds 0 .. worlds - 1, with every policy and kind of
 * action. Returns the result of carom_kit_entry.trial, or of carom_game_check_options() for bad options. */
carom_status carom_game_try(const carom_kit_entry *entry, const void *options, size_t worlds, size_t ticks,
                            carom_problem *problem);

/* Plug-in games, in the order in which they were loaded; NULL beyond the last. */
const carom_game *carom_game_outside(size_t index);

/* Is it the name of a game that Carom ships? */
bool carom_game_is_shipped(const char *name);

#endif
