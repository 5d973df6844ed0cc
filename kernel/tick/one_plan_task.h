/* SPDX-License-Identifier: MIT
 * The tasks of the programs that rank sequences, learn from them and draw new ones (tick/one_plan.h), for rollouts and
 * searches: shared by the host and the programs, which may run on a device. They are independent of games. Every
 * pointer is a device address.
 */
#ifndef CAROM_TICK_ONE_PLAN_TASK_H
#define CAROM_TICK_ONE_PLAN_TASK_H

#include "tick/one_numbers.h"

/* Addresses of the common fields of the roots, in tiles of 16 worlds. */
typedef struct one_roots {
    const void *tiles;
    uint32_t tile_bytes, id_at, episode_at, tick_at; /* offsets of the fields in a tile */
} one_roots;

/* ---- rollouts ---- */

/* The best sequence of each root and player; thread = root * players + player. */
typedef struct one_best_task {
    uint64_t threads;
    uint64_t sequences, players;
    const double *returns; /* [root][sequence][player] */
    uint32_t *best;        /* [root][player] */
} one_best_task;

/* The sequences with the greatest values, best first, by counting: each thread counts how many come before its own.
 * thread = root * (sequences + others) + k. */
typedef struct one_rank_task {
    uint64_t threads;
    uint64_t sequences, stride;    /* of a root; distance between its returns */
    uint64_t others, other_stride; /* further values of a root, numbered from `sequences` on; distance between roots */
    uint64_t count;                /* wanted */
    uint32_t first_best;           /* 1: sequence 0 ranks first whatever its return */
    const double *returns;         /* [root][sequence], `stride` apart */
    const double *other_values;    /* [root][other_stride] */
    uint32_t *best;                /* [root][count] */
    double *values;                /* [root][count], or NULL: their values, -INFINITY for NaN */
    uint32_t *ranks;               /* [root][sequence], or NULL: how many come before */
} one_rank_task;

/* Mean and deviation of the numbers of chosen sequences; thread = root * series + n. */
typedef struct one_fit_task {
    uint64_t threads;
    one_roots roots;
    one_numbers numbers;
    uint64_t count;       /* chosen sequences per root */
    const uint32_t *best; /* [root][count] */
    float *mean, *sigma;  /* [root][series], or NULL */
} one_fit_task;

/* carom_rollout_draws(); thread = (root * count + i) * rows + row. */
typedef struct one_draws_task {
    uint64_t threads;
    one_roots roots;
    one_numbers numbers;
    uint64_t count;
    const uint32_t *sequences; /* [root][count]; NULL: i */
    void *actions;             /* [root][count][row][number] */
} one_draws_task;

/* The entries of these programs. */
#define ONE_PLAN_ENTRIES(ENTRY)                                                                                        \
    ENTRY(best, one_best_task, one_best)                                                                               \
    ENTRY(rank, one_rank_task, one_rank)                                                                               \
    ENTRY(fit, one_fit_task, one_fit)                                                                                  \
    ENTRY(draws, one_draws_task, one_draws)

#endif
