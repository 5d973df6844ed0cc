/* SPDX-License-Identifier: MIT
 * What a game's kernel is asked, and what it answers: the table that kernels fill and callers use. No lanes are named
 * here, so code that is compiled once and code that is compiled per instruction set both include it.
 */
#ifndef CAROM_TICK_TICK_H
#define CAROM_TICK_TICK_H

#include <carom/game.h>

#include "worlds/type.h"

#define TICK_RUN 8 /* tiles that a kernel is given at once: their state stays in a core's first and second cache */

#define TICK_MIXED UINT32_MAX /* game_tick.kind: every player's actions are of a kind of their own */

/* How a game of a world has ended. Of `score` only the entries of the game's players are written. */
typedef struct tick_result {
    int32_t winner, ticks, score[CAROM_MAX_PLAYERS], fault;
} tick_result;

/* Kinds of reward, in the order of carom_game_reward_kind(). */
enum { REWARD_GAME, REWARD_RESULT, REWARD_OWN, REWARD_KINDS };

/* One tick of a run of tiles. Lane-major arrays are [tile of the run][element][16]. Where worlds are large a tile is
 * one of them, a run is one tile, and of the arrays lane 0 is in use. */
typedef struct game_tick {
    unsigned char *tiles;
    size_t tile_count;        /* at most TICK_RUN; 1 if worlds are large */
    size_t first;             /* the run's first world, counted in the batch (in a rollout: root * K + k) */
    double dt;                /* 0, or the length that the caller gives the tick */
    uint16_t plays[TICK_RUN]; /* of every tile, lanes that are played unless they are frozen */
    const void *context;
    uint64_t seed;         /* for what is drawn: that of every world, */
    const uint64_t *seeds; /* unless each has its own: [world of the run, padding included] */
    carom_at_end at_end;
    uint32_t kind;       /* of action, or TICK_MIXED */
    const void *actions; /* lane-major [players * size], float or double by kind */
    size_t action_bytes; /* of one world, all players */
    /* TICK_MIXED: the kinds, and where in a tile's actions is such a block of that kind, in bytes a world. A player's
     * numbers are at their place in it, and those of others are not read. */
    uint32_t kinds[CAROM_MAX_PLAYERS];
    size_t actions_at[CAROM_MAX_PLAYERS];
    void *scratch;              /* the kernel's own part of a thread's working memory, 64-byte aligned */
    const volatile int *cancel; /* or NULL. Kernels of scenes look at it within a tick, and then leave a world as it
                                   was at its start */

    uint32_t view; /* the kind of what players see */
    bool shared;   /* what several agents see is written once: see observation_kind.pieces of games/game.h */

    /* Outputs, lane-major; NULL if not wanted. */
    uint32_t reward_kind;
    float *rewards;       /* [agents of all players, as the kind has them] */
    uint8_t *ends;        /* [1]: carom_end if the game ended in this tick, else 0 */
    tick_result *results; /* [1]: only of worlds whose game ended, */
    float *last;          /* and likewise what players saw then, before any reset [agents of all players * size] */

    /* Recording; world-major, as in carom_step, from the run's first world on. */
    bool record;
    size_t worlds; /* of the run that are no padding */
    carom_event *events;
    uint32_t *event_counts;
    size_t event_capacity;
    double *moved;

    /* Which final value, and the weights of its features: see carom_game_value_kind(). */
    uint32_t value;
    const double *weights;

    carom_counters counters; /* added to */
    bool continues;          /* not the first tick of the call; the kernel's own */
} game_tick;

/* A game compiled for one instruction set and precision. No function allocates or calls the C library in a loop. */
typedef struct game_kernel {
    world_ops worlds; /* for single worlds; the same answers from every instruction set */
    /* Plays one tick. Worlds that are frozen or not to be played do not change. */
    void (*tick)(game_tick *tick);
    /* Lane-major [agents of all players * size]: what players see, of kind tick->view, of the worlds of a tile as they
     * are. One at a time: it is written out while it is in the nearest cache. */
    void (*observe)(const game_tick *tick, size_t tile, float *seen);
    /* Lane-major doubles [tile][player][16]: the final value of a rollout, of kind tick->value. */
    void (*value)(const game_tick *tick, double *values);
    size_t scratch_bytes; /* what `tick` wants of a thread's working memory */
} game_kernel;

/* What a built-in policy is asked about one tile. */
typedef struct policy_question {
    const void *tile;
    const void *context;
    carom_precision precision; /* of the worlds */
    const uint64_t *seeds;     /* [16] */
    uint32_t policy, kind;
    unsigned players; /* bit p: player p's actions are wanted; those of others may be written, too */
    void *actions;    /* lane-major [players * size], float or double by kind, 64-byte aligned */
} policy_question;

/* A game's policies compiled for one instruction set. They decide in f64, whatever the worlds' precision. */
typedef struct policy_kernel {
    void (*act)(const policy_question *question);
} policy_kernel;

#endif
