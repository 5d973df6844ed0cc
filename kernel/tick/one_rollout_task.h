/* SPDX-License-Identifier: MIT
 * The task of a rollout that is played one world at a time (tick/one_rollout.h): shared by the host and the program,
 * which may run on a device. Every pointer is then a device address.
 */
#ifndef CAROM_TICK_ONE_ROLLOUT_TASK_H
#define CAROM_TICK_ONE_ROLLOUT_TASK_H

#include "tick/one.h"
#include "tick/one_numbers.h"

#define ONE_WEIGHTS 32 /* the maximum for a kind of final value */

/* What is seen of a world, and where to write it. */
typedef struct one_seen {
    uint32_t view, shared; /* as in game_tick */
    uint32_t width;        /* numbers of a row */
    uint32_t piece_count;  /* 0: the row is what the rules write */
    one_piece pieces[ONE_MOST_PIECES];
    float *room; /* [thread][what the rules write]; used if there are pieces */
} one_seen;

/* Pairs of root and sequence are numbered q = root * sequences + k. Thread t plays pair `first + t`, for the ticks
 * [from, from + ticks) of the horizon. If policies act in between, the ticks take several launches, and the worlds are
 * kept in `state`. Outputs are NULL if not requested. */
typedef struct one_rollout_task {
    uint64_t threads;
    uint64_t first;
    uint64_t sequences;
    uint32_t horizon, from, ticks;
    uint32_t forks; /* 1: the worlds start as copies of their roots; 0: they are in `state` */
    uint32_t ends;  /* 1: the horizon is reached after these ticks; write returns and the like */
    uint32_t value_at_end;
    uint32_t kind, action_bytes; /* of actions; bytes of a world's actions, all players */
    uint32_t reward_kind, rewarded, value;
    const void *context;      /* of the batch */
    const void *roots;        /* the tiles of the roots */
    const uint64_t *seeds;    /* [root], or NULL: all have `seed` */
    uint64_t seed;            /* for the rules' random draws */
    const uint32_t *horizons; /* [root], or NULL */
    const uint32_t *chosen;   /* [q]: the sequences to roll out; NULL: k */
    const uint32_t *depths;   /* [depth_count], ascending */
    uint64_t depth_count;
    double discount, reward_weight, final_weight;
    /* For the final value's features; not read for the game's own value. */
    const double *weights; /* [weight_count]; NULL: own_weights */
    uint32_t weight_count;
    double own_weights[ONE_WEIGHTS];
    one_numbers players[CAROM_MAX_PLAYERS];
    const void *acted; /* [thread][player][number]: the policies' actions in tick `from`, in the kind's precision */
    one_seen seen;

    /* Kept between launches. */
    void *state;           /* tiles: world t belongs to thread t */
    uint64_t *state_seeds; /* [thread]: the seed of each world's root, for policies; written when worlds are forked */
    double *sums;          /* [thread][rewarded]: discounted rewards so far */

    /* Outputs. */
    double *returns;     /* [q][player] */
    float *rewards;      /* [q][tick][rewarded] */
    float *observations; /* [q][depth][seen.width] */
    uint32_t *lengths;   /* [q] */
    uint8_t *valued;     /* [q]: whether a value from outside counts */
    void *finals;        /* tiles of worlds q, which keep their ids */
} one_rollout_task;

/* The entries of these programs:
 *     roll      all ticks in one launch, for returns and lengths only, with one reward per player and the game's own
 *               final value; no policies
 *     rollout   everything */
#define ONE_ROLLOUT_ENTRIES(ENTRY)                                                                                     \
    ENTRY(roll, one_rollout_task, one_rollout_plain)                                                                   \
    ENTRY(rollout, one_rollout_task, one_rollout_whole)

#endif
