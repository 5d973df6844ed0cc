/* SPDX-License-Identifier: MIT
 * What a game from outside says of itself: the entry that its object defines, and by which the library tells whether
 * the two were compiled from the same headers. include/carom/kit/game.h fills it in, games/outside.c reads it.
 *
 * Until version 1.0 the kit promises nothing from one version to the next: only a game of the very same one is taken.
 */
#ifndef CAROM_GAMES_ENTRY_H
#define CAROM_GAMES_ENTRY_H

#include <assert.h>
#include <stddef.h>

#include "games/game.h"
#include "tick/one.h"

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

/* A hash, as a constant, of where their members are that the two use most differently: a change that leaves all sizes
 * as they are is seen, too. */
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

/* Where a compiled kernel has a tile's fields: to be compared with the table. */
typedef struct kit_tile {
    size_t bytes;
    const uint32_t *offsets; /* of the game's own fields, in table order */
} kit_tile;

/* A trial: one world is played at width 1 in f64, and every number by which the rules name a part of what the tick
 * holds is looked at (tick/checked.h). */
typedef struct kit_trial {
    const void *context;
    uint64_t seed, id;
    unsigned policy, kind; /* by which it is played */
    size_t ticks;
} kit_trial;

struct carom_kit_entry {
    uint32_t version; /* these four have their place whatever the version */
    uint32_t bytes;   /* of this structure */
    uint64_t layout;
    uint32_t sizes[16]; /* of KIT_STRUCTURES; then 0 */
    const carom_game *game;
    const kit_tile *(*tile)(carom_isa isa, carom_precision precision); /* NULL where the kernel is */
    const one_kernel *one[2];                                          /* f32, f64 */
    /* CAROM_ERROR_FORMAT: problem says which number is wrong first. Or CAROM_ERROR_MEMORY. */
    carom_status (*trial)(const kit_trial *trial, carom_problem *problem);
};

static_assert(KIT_SIZES <= 16, "an entry has room for the sizes of all structures");

/* The entry of a game from outside; NULL if it is one that Carom ships. */
const carom_kit_entry *carom_game_entry_of(const carom_game *game);

/* Plays trials of a game from outside with these options, by every policy and kind of action: of the worlds with the
 * ids 0 .. worlds - 1. As carom_kit_entry.trial; or what carom_game_check_options() says of the options. */
carom_status carom_game_try(const carom_kit_entry *entry, const void *options, size_t worlds, size_t ticks,
                            carom_problem *problem);

/* Games from outside, in the order of their arrival; NULL from the last one on. */
const carom_game *carom_game_outside(size_t index);

/* Is it the name of a game that Carom ships? */
bool carom_game_is_shipped(const char *name);

#endif
