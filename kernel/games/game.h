/* SPDX-License-Identifier: MIT
 * A game is one const table: what its worlds hold, how they are played, and its kernels.
 */
#ifndef CAROM_GAMES_GAME_H
#define CAROM_GAMES_GAME_H

#include <carom/game.h>

#include "isa/isa.h"
#include "tick/tick.h"
#include "worlds/worlds.h"

/* What a policy that decides for one world at a time is asked about: that of a lane. */
typedef struct policy_asked {
    const carom_worlds *worlds; /* whose world it is, or a copy of one: for precision, layout and context */
    const void *tile;
    const uint64_t *seeds; /* [16], that the worlds draw with */
} policy_asked;

/* Numbers that stand side by side in an observation, once for each of `owners`, whose names come before theirs. */
typedef struct seen_number {
    const char *name, *unit; /* unit: what 1 is; "": it has none */
    float low, high;
} seen_number;

typedef struct seen_block {
    const char *const *owners; /* [owner_count]; NULL: there is one, without a name */
    uint32_t owner_count;
    const seen_number *numbers; /* [count] */
    uint32_t count;
} seen_block;

/* Where rows of lanes stand: `count` of them from row `from` on are numbers at[k] and following of agent agents[k];
 * agents[1] is -1 where only one sees them. */
typedef struct seen_piece {
    uint32_t from, count;
    int agents[2];
    uint32_t at[2];
} seen_piece;

#define SEEN_PIECES 72 /* of a kind, at most */

/* A kind of observation: what an agent sees is its blocks, one after the other. */
typedef struct seen_kind {
    carom_observation_kind kind;
    const seen_block *blocks; /* [block_count] */
    uint32_t block_count;
    uint32_t view; /* what the kernel is asked for: game_tick.view */
    bool shared;   /* likewise: game_tick.shared */
    /* Where what the kernel writes stands in the agents' rows. NULL: it writes these rows, one after the other. */
    const seen_piece *pieces; /* [piece_count] */
    uint32_t piece_count;
} seen_kind;

#define GAME_MOST_WEIGHTS 32
#define GAME_LANE_NUMBERS 128 /* of all players, that policies in lanes give at most */

/* A final value that is a weighted sum of features, at most GAME_MOST_WEIGHTS. */
typedef struct game_value {
    const char *name;
    const carom_value_weight *weights;
    size_t count;
} game_value;

/* What a game leaves open: see carom_option. Rows of its table are made by OPTION(). */
typedef struct game_options {
    size_t bytes;              /* of the structure */
    const carom_option *table; /* in the order of its members */
    size_t count;
    carom_status out_of_range; /* what a number is that is out of its range */
    /* What the table cannot say, of options that are in their ranges; NULL: nothing. */
    carom_status (*check)(const carom_worlds_desc *desc, carom_problem *problem);
    void (*preset)(void *options, unsigned choice); /* NULL: there is none */
} game_options;

/* The beginning of a row: {OPTION(carom_csb_options, ticks, COUNT, 500, 1, 1 << 30, "ticks of a game")}; what a flag, a
 * choice has beside it follows. That of a list, of at most so many items. */
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
    size_t scratch_bytes;           /* working memory of its kernels beyond game_kernel.scratch_bytes (scenes) */
    bool any_dt;                    /* ticks have the length that the caller gives */
    bool mixes;                     /* players can act with kinds of their own: TICK_MIXED */
    /* The kernel of an instruction set, or NULL if it is not built. */
    const game_kernel *(*kernel)(carom_isa isa, carom_precision precision);
    /* Built-in policies: the kernels by instruction set, or, where lane_policies is NULL, one world's actions
     * [players][size] in the kind's precision. */
    const policy_kernel *const *lane_policies;
    void (*policy)(const policy_asked *asked, unsigned lane, size_t policy, size_t kind, void *actions);
    const seen_kind *seen;        /* [info.observation_kinds]; NULL: there is only `raw`, whose numbers have no names */
    uint32_t agents;              /* bodies that a player acts with, where there is the kind of reward `own`; else 0 */
    const struct game_look *look; /* how it is drawn: games/look.h; NULL: by its fields x and y */
    const game_value *values;     /* [value_kinds], beyond `game`, which every game has */
    size_t value_kinds;
    const game_options *options; /* NULL: it has none */
    const void *reserved[3];     /* NULL: for the policy of one side */
};

/* Fills `options` with the caller's, if they are good, or, where there are none, with the defaults. The status is that
 * of carom_game_check_options(). */
carom_status carom_options_read(const carom_worlds_desc *desc, void *options);

/* An option of a structure as a number; 0 if it is a preset, seed or list. */
double carom_option_get(const carom_option *option, const void *options);

/* What a game's kernels want of a thread's working memory, whatever instruction set and precision. */
size_t carom_game_kernel_bytes(const carom_game *game);

/* Working memory of a thread that plays: what world_type.scratch_bytes answers. */
size_t carom_game_scratch_bytes(const carom_worlds_desc *desc);

/* Bytes of a world's actions, all players: of a kind, and of the widest kind. */
size_t carom_game_row_bytes(const carom_game *game, size_t kind);
size_t carom_game_most_row_bytes(const carom_game *game);

/* Who is played by built-in policies. */
typedef struct game_actors {
    size_t kind;      /* of action */
    unsigned players; /* bit p: player p is */
    size_t policy[CAROM_MAX_PLAYERS];
} game_actors;

/* Writes their part of the lane-major actions of a tile, at least in the lanes `chosen`. row: room for
 * carom_game_most_row_bytes(). */
void carom_game_act_for(const policy_asked *asked, const game_actors *actors, unsigned chosen, unsigned char *lanes,
                        unsigned char *row);

/* Rewards that a player gets of a kind. */
uint32_t carom_game_rewarded(const carom_game *game, size_t reward_kind);

/* A kind of observation; that of an index that is none has no agents. */
carom_observation_kind carom_game_seen(const carom_game *game, size_t kind);

/* Numbers of the widest observation of a world, all agents of all players. */
size_t carom_game_most_seen(const carom_game *game);

/* The greatest tile count, at most TICK_RUN, that leaves every thread several runs of `tiles` tiles to take. */
size_t carom_game_run_length(size_t tiles, unsigned threads);

/* world_type.ops of a game by its name: single worlds are handled at width 1, which is always there. */
#define GAME_OPS(name) {&carom_##name##_scalar_f32.worlds, &carom_##name##_scalar_f64.worlds}

extern const carom_game carom_game_csb;
extern const carom_game carom_game_fantastic_bits;
extern const carom_game carom_game_stones;
extern const carom_game carom_game_soccer;
extern const carom_game carom_game_fall;

extern const struct game_look carom_csb_look, carom_fall_look, carom_fantastic_bits_look, carom_soccer_look,
    carom_stones_look, carom_scene_look;

#endif
