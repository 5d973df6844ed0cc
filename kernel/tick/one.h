/* SPDX-License-Identifier: MIT
 * One world at a time: the interface of tick/one_driver.h. It keeps a world in local variables from the first tick to
 * the last, with the same rules and bit-identical results as a batch, and is what a thread of a GPU will run. It is not
 * an instruction set: batches on CAROM_ISA_SCALAR are played in tiles like any other.
 */
#ifndef CAROM_TICK_ONE_H
#define CAROM_TICK_ONE_H

#include <carom/game.h>

/* One world, and the ticks to play. Arrays are the caller's, [tick][...] as in carom_step; NULL for an output that is
 * not wanted. */
typedef struct one_task {
    void *tile;          /* of a batch, with 16 worlds */
    unsigned lane;       /* which of these to play: it is read at the start and written back at the end */
    const void *context; /* of the batch */
    uint64_t seed;       /* for what the rules draw, as in the batch */
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
    double *returns;     /* [player]: as carom_rollout() computes them, with the two numbers that follow */
    double discount, final_weight;
} one_task;

/* A game compiled for one world at a time, in one precision. */
typedef struct one_kernel {
    void (*play)(const one_task *task);
    size_t bytes; /* of working memory, all of it on the stack: the world, what its rules remember, and its actions */
} one_kernel;

#endif
