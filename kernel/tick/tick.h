/* SPDX-License-Identifier: MIT
 * The interface between a game's kernels and their callers: requests, results and the table of functions. No type here
 * depends on the number of lanes, so code that is compiled once can share it with code that is compiled for every
 * instruction set.
 */
#ifndef CAROM_TICK_TICK_H
#define CAROM_TICK_TICK_H

#include <carom/game.h>

#include "worlds/worlds.h"

#define TICK_RUN 8 /* tiles per call of a kernel, whose state stays in a core's first and second cache */

#define TICK_MIXED UINT32_MAX /* game_tick.kind: each player has a separate kind of action */

/* How a world's game ended. Only the entries of `score` for the game's players are written. */
typedef struct tick_result {
    int32_t winner, ticks, score[CAROM_MAX_PLAYERS], fault;
} tick_result;

/* The state of a game after a tick, as its rules decide: running, or over with or without a winner. */
typedef struct tick_verdict {
    carom_end end; /* CAROM_RUNNING: the game continues */
    int winner;    /* a player; -1: none */
    float stake;   /* added to the winner's reward; each other player loses stake / (players - 1) */
} tick_verdict;

/* With a stake of 1. winner: a player, or -1. */
static inline tick_verdict verdict_of(carom_end end, int winner)
{
    const tick_verdict verdict = {end, winner, 1.0f};
    return verdict;
}

static inline tick_verdict verdict_running(void)
{
    return verdict_of(CAROM_RUNNING, -1);
}

#define GAME_VIEW_LIDAR 2 /* the view of the kind of observation `lidar`, which device programs do not support */

/* Kinds of reward, in the order of carom_game_reward_kind(). */
enum { REWARD_GAME, REWARD_RESULT, REWARD_OWN, REWARD_KINDS };

/* One tick of a run of tiles: the request and its outputs. The caller owns all memory. Lane-major arrays are [tile of
 * the run][element][16]. If worlds are large, a run is one tile of one world, and only lane 0 of the arrays is used. */
typedef struct game_tick {
    unsigned char *tiles;     /* the state of the run's worlds */
    size_t tile_count;        /* at most TICK_RUN; 1 if worlds are large */
    size_t first;             /* index in the batch of the run's first world (in a rollout: root * K + k) */
    double dt;                /* the caller's length of the tick, or 0 */
    uint16_t plays[TICK_RUN]; /* for each tile, the lanes to play unless they are frozen */
    const void *context;      /* the game's, shared by all worlds of a batch; read-only */
    uint64_t seed;            /* for the random draws of all worlds, if `seeds` is NULL */
    const uint64_t *seeds;    /* NULL, or a seed for each: [world of the run, padding included] */
    carom_at_end at_end;      /* what to do with a game that is over */
    uint32_t kind;            /* of action, or TICK_MIXED */
    const void *actions;      /* lane-major [players * size], float or double by kind */
    size_t action_bytes;      /* of one world, all players */
    /* Valid if kind is TICK_MIXED. Each player's kind, and the offset of a block of that kind in a tile's actions, in
     * bytes per world. A block has room for all players; only the numbers of those with this kind are read. */
    uint32_t kinds[CAROM_MAX_PLAYERS];
    size_t actions_at[CAROM_MAX_PLAYERS];
    void *scratch;              /* game_kernel.scratch_bytes of a thread's working memory, 64-byte aligned */
    const volatile int *cancel; /* or NULL. Scene kernels poll it; if set, they leave the world as before the tick */

    uint32_t view; /* kind of observation */
    bool shared;   /* write what several agents see only once: see observation_kind.pieces of games/game.h */
    /* Bit a: what agent a sees is not needed, and in the kind `ego` may be left out. */
    uint16_t unseen;

    /* Outputs, lane-major; NULL if not requested. */
    uint32_t reward_kind;
    float *rewards;       /* [agents of all players, for the kind] */
    uint8_t *ends;        /* [1]: carom_end if the game ended in this tick, else 0 */
    tick_result *results; /* [1]: written only for worlds whose game ended */
    float *last; /* [agents of all players * size]: the last observation before any reset, of games that ended */

    /* Recording, if `record`; world-major, as in carom_step, starting with the run's first world. */
    bool record;
    size_t worlds;          /* of the run, without padding */
    carom_event *events;    /* [world][event_capacity], or NULL */
    uint32_t *event_counts; /* [world], or NULL: impacts in this tick, which may exceed event_capacity */
    size_t event_capacity;
    carom_contact *contacts; /* as `events`, or NULL */
    double *moved;           /* [world][body][4]: x, y, vx, vy after the motion; NULL if not requested */

    /* The kind of final value, and the weights of its features: see carom_game_value_kind(). */
    uint32_t value;
    const double *weights;

    carom_counters counters; /* added to */
    bool continues;          /* false for the first tick of a call; the kernel sets it */
    bool behind;             /* no one reads the worlds before game_kernel.catch_up() */
    bool watched;            /* game_kernel.observe follows, with the same scratch: keep what it can use */
} game_tick;

/* A game compiled for one instruction set and precision. No function allocates or calls the C library in a loop. */
typedef struct game_kernel {
    world_ops worlds; /* for single worlds; the results are the same for every instruction set */

    /* Plays one tick. Worlds that are frozen or not in `plays` do not change. */
    void (*tick)(game_tick *tick);

    /* Writes what players of one tile see in its current state, in the kind tick->view. seen: lane-major [agents of all
     * players * size]. One tile per call, so that the caller can transpose it while it is in the nearest cache. */
    void (*observe)(const game_tick *tick, size_t tile, float *seen);

    /* Writes the final value of a rollout, in the kind tick->value. values: [tile][player][16]. */
    void (*value)(const game_tick *tick, double *values);

    size_t scratch_bytes; /* working memory that `tick` needs */

    /* Writes to the worlds what ticks with `behind` left out; NULL: nothing. */
    void (*catch_up)(game_tick *tick);
} game_kernel;

/* A request for the actions of a built-in policy in one tile. */
typedef struct policy_question {
    const void *tile;          /* the worlds, read-only */
    const void *context;       /* the game's, as in game_tick */
    carom_precision precision; /* of the worlds */
    const uint64_t *seeds;     /* [16]: for the policy's random draws in each world */
    uint32_t policy, kind;     /* numbers of the policy, and of the kind of action that it writes */
    unsigned players;          /* bit p: player p's actions are requested; those of others may be written, too */
    void *actions;             /* lane-major [players * size], float or double by kind, 64-byte aligned */
} policy_question;

/* A game's policies compiled for one instruction set. They compute in f64, whatever the worlds' precision. */
typedef struct policy_kernel {
    void (*act)(const policy_question *question);
} policy_kernel;

/* ---- one world at a time: the interface of tick/one_driver.h ----
 *
 * A world is kept in local variables from the first tick to the last, with the same rules as in a batch and
 * bit-identical results. `carom check` and the tests play worlds in this way; GPUs run separate programs with the same
 * tick (tick/one.h). It is not an instruction set: batches on CAROM_ISA_SCALAR are played in tiles like any other. */

/* One world, and the ticks to play. Arrays are the caller's, [tick][...] as in carom_step; outputs are NULL if not
 * requested. */
typedef struct one_task {
    void *tile;          /* of a batch, with 16 worlds */
    unsigned lane;       /* which of these to play: read at the start and written back at the end */
    const void *context; /* of the batch */
    uint64_t seed;       /* for the rules' random draws, as in the batch */
    carom_at_end at_end; /* what to do with a game that is over */
    size_t ticks;

    uint32_t kind;       /* of action */
    size_t action_bytes; /* of one tick, all players */
    const void *actions; /* [tick][player][number]; NULL: drawn as in a rollout, which needs the kind `normalised` */
    /* Which draws: the rollout's seed, the id of the world that it starts from, and the number of the sequence. */
    uint64_t draw_seed, root_id;
    uint32_t sequence;

    float *observations; /* [tick][player][number] */
    float *rewards;      /* [tick][player] */
    uint8_t *ends;       /* [tick] */
    double *returns;     /* [player]: as computed by carom_rollout(), with the following two numbers */
    double discount, final_weight;
} one_task;

/* A game compiled for one world at a time, in one precision. */
typedef struct one_kernel {
    void (*play)(const one_task *task);
    size_t bytes; /* of working memory, all on the stack: the world, what its rules remember, and the tick */
} one_kernel;

#endif
