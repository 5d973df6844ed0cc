/* SPDX-License-Identifier: MIT
 * A game is one const table: the contents of its worlds, how they are played, and its kernels. Below it are the
 * functions by which the library's other parts query a game.
 */
#ifndef CAROM_GAMES_GAME_H
#define CAROM_GAMES_GAME_H

#include <carom/game.h>

#include "dispatch/dispatch.h"
#include "tick/tick.h"
#include "worlds/worlds.h"

/* A tile for which policies choose actions, and its batch. */
typedef struct policy_asked {
    const carom_worlds *worlds; /* for precision, layout and context; the tile may be a copy of one of its tiles */
    const void *tile;
    const uint64_t *seeds; /* [16], for the worlds' random draws */
} policy_asked;

/* One number of an observation, as carom_game_observation_number() describes it. */
typedef struct observation_number {
    const char *name, *unit; /* unit: the meaning of the value 1; "": none */
    float low, high;         /* bounds; infinite: none */
} observation_number;

/* Adjacent numbers of an observation, repeated for each owner, whose name is prefixed to theirs ("pod0.x"). */
typedef struct observation_block {
    const char *const *owners; /* [owner_count]; NULL: one owner without a name */
    uint32_t owner_count;
    const observation_number *numbers; /* [count] */
    uint32_t count;
} observation_block;

/* Where a kernel's rows of lanes belong: rows from .. from + count - 1 are numbers at[k] .. of agent agents[k], for one
 * or two agents. */
typedef struct observation_piece {
    uint32_t from, count;
    int agents[2]; /* agents[1] is -1 if only one agent sees the rows */
    uint32_t at[2];
} observation_piece;

#define OBSERVATION_PIECES 72 /* the most of a kind of observation */

/* A kind of observation: an agent sees its blocks, one after the other. */
typedef struct observation_kind {
    carom_observation_kind kind;
    const observation_block *blocks; /* [block_count] */
    uint32_t block_count;
    uint32_t view; /* which view the kernel writes: game_tick.view */
    bool shared;   /* and how: game_tick.shared */
    /* Where the kernel's rows belong. NULL: they are the agents' rows in order. */
    const observation_piece *pieces; /* [piece_count] */
    uint32_t piece_count;
} observation_kind;

#define GAME_MOST_WEIGHTS 32
#define GAME_LANE_NUMBERS 128 /* of all players, the most that policies in lanes write */

/* A row of a table of features. Contests' single files are limited in length and omit meanings. */
#if defined(CAROM_NO_MEANINGS)
#define GAME_WEIGHT(name, weight, meaning) {name, weight, ""}
#else
#define GAME_WEIGHT(name, weight, meaning) {name, weight, meaning}
#endif

/* A kind of final value: a weighted sum of features, at most GAME_MOST_WEIGHTS. */
typedef struct game_value {
    const char *name;
    const carom_value_weight *weights;
    size_t count;
} game_value;

/* The options of a game, see carom_option. OPTION() makes a row of the table. */
typedef struct game_options {
    size_t bytes;              /* size of the caller's structure */
    const carom_option *table; /* [count], in the order of its members */
    size_t count;
    carom_status out_of_range; /* returned for a number out of its range */
    /* Checks what the table cannot express, once all options are in range. NULL: nothing to check. */
    carom_status (*check)(const carom_worlds_desc *desc, carom_problem *problem);
    /* Fills the structure with the values of a preset. NULL: the game has no presets. */
    void (*preset)(void *options, unsigned choice);
} game_options;

/* Begin a row, which may continue with other members of carom_option: {OPTION(carom_csb_options, ticks, COUNT, 500, 1,
 * 1 << 30, "ticks of a game")}. `most` of a list: items. */
#define OPTION(structure, member, kind, usual, least, most, text)                                                      \
    .name = #member, .meaning = (text), .type = CAROM_OPTION_##kind, .offset = offsetof(structure, member),            \
    .bytes = sizeof(((structure *)NULL)->member), .value = (usual), .low = (least), .high = (most)
#define OPTION_LIST(structure, member, length, most, text)                                                             \
    .name = #member, .meaning = (text), .type = CAROM_OPTION_LIST, .offset = offsetof(structure, member),              \
    .bytes = sizeof(void *), .high = (most), .count_offset = offsetof(structure, length)

struct carom_game {
    world_type type; /* first: a carom_game is a world_type */
    carom_game_info info;
    const carom_action_kind *kinds; /* [info.action_kinds] */
    const char *const *policies;    /* [info.policies], names */
    size_t scratch_bytes;           /* bytes that its kernels need in addition to game_kernel.scratch_bytes (scenes) */
    bool any_dt;                    /* the caller gives the length of each tick */
    bool mixes;                     /* players can act with different kinds: TICK_MIXED */

    /* The kernel of an instruction set, or NULL if it is not built. */
    const game_kernel *(*kernel)(carom_isa isa, carom_precision precision);

    /* Built-in policies: kernels, by instruction set; or, if lane_policies is NULL, a function that writes the actions
     * of one world, [players][size] in the kind's precision. */
    const policy_kernel *const *lane_policies;
    void (*policy)(const policy_asked *asked, unsigned lane, size_t policy, size_t kind, void *actions);

    const observation_kind *observations; /* [info.observation_kinds]; NULL: only `raw`, whose numbers have no names */
    uint32_t agents;              /* bodies of a player that have separate rewards (kind `own`); 0: no such kind */
    const struct game_look *look; /* how it is drawn (games/look.h); NULL: from its fields x and y */
    const game_value *values;     /* [value_kinds], without `game`, which every game has */
    size_t value_kinds;
    const game_options *options; /* NULL: no options */
    const void *reserved[3];     /* NULL; room for a policy that plays one side */
};

/* Fills `options` with the caller's, or with the defaults if there are none. Returns the result of
 * carom_game_check_options(). */
carom_status carom_options_read(const carom_worlds_desc *desc, void *options);

/* The value of an option as a number; 0 if it is a preset, seed or list. */
double carom_option_get(const carom_option *option, const void *options);

/* Working memory of the game's kernels per thread, the maximum over all instruction sets and precisions. */
size_t carom_game_kernel_bytes(const carom_game *game);

/* Working memory of a thread that plays this batch: a world_type.scratch_bytes. */
size_t carom_game_scratch_bytes(const carom_worlds_desc *desc);

/* Bytes of one world's actions, all players, in a kind; and in the widest kind. */
size_t carom_game_row_bytes(const carom_game *game, size_t kind);
size_t carom_game_most_row_bytes(const carom_game *game);

/* Players whose actions come from built-in policies. */
typedef struct game_actors {
    size_t kind;                      /* of their actions */
    unsigned players;                 /* bit p: player p is one of them */
    size_t policy[CAROM_MAX_PLAYERS]; /* of these players */
} game_actors;

/* Writes the actions of these players into the lane-major actions of a tile, at least in the lanes `chosen`. `row` has
 * room for carom_game_most_row_bytes(). */
void carom_game_act_for(const policy_asked *asked, const game_actors *actors, unsigned chosen, unsigned char *lanes,
                        unsigned char *row);

/* Writes lane-major actions of a tile to a row for each world; NULL skips a world. */
void carom_game_unpack_actions(carom_isa isa, unsigned char *const rows[CAROM_TILE], const unsigned char *lanes,
                               uint32_t numbers, uint32_t number_bytes);

/* Rewards per player of a kind; 0 if the game does not have it. */
uint32_t carom_game_rewarded(const carom_game *game, size_t reward_kind);

/* A kind of observation. An index out of range gives one with 0 agents. */
carom_observation_kind carom_game_seen(const carom_game *game, size_t kind);

/* Numbers of a world's widest observation, all agents of all players. */
size_t carom_game_most_seen(const carom_game *game);

/* A game's world_type.ops, by its name. Single worlds are handled by the narrowest instruction set, at width 1 unless
 * the library is built for a web page. */
#if defined(CAROM_F64_ONLY)
#define GAME_OPS(name) {NULL, &CAROM_OF_NARROWEST(name, 64).worlds}
#else
#define GAME_OPS(name) {&CAROM_OF_NARROWEST(name, 32).worlds, &CAROM_OF_NARROWEST(name, 64).worlds}
#endif

extern const carom_game carom_game_csb;
extern const carom_game carom_game_fantastic_bits;
extern const carom_game carom_game_stones;
extern const carom_game carom_game_soccer;
extern const carom_game carom_game_fall;

extern const struct game_look carom_csb_look, carom_fall_look, carom_fantastic_bits_look, carom_soccer_look,
    carom_stones_look, carom_scene_look;

#endif
