/* SPDX-License-Identifier: MIT
 * One world at a time: what the driver tick/one_driver.h is asked. It keeps a world in local variables from the first
 * tick to the last, with the same rules and the same bits as a batch, and is what a thread of a GPU will run. It is not
 * an instruction set: batches on CAROM_ISA_SCALAR are played in tiles like any other.
 */
#ifndef CAROM_TICK_ONE_H
#define CAROM_TICK_ONE_H

#include <carom/game.h>

/* Arrays are the caller's, [tick][...] as in carom_step; NULL for an output that is not wanted. */
typedef struct one_task {
    void *tile; /* of a batch, of 16 worlds, and which of them is played; it is written back at the end */
    unsigned lane;
    const void *context;
    uint64_t seed;
    carom_at_end at_end;
    size_t ticks;

    uint32_t kind;       /* of action */
    size_t action_bytes; /* of one tick, all players */
    const void *actions; /* [tick][player][number]; NULL: drawn as in a rollout, which needs the kind `normalised` */
    uint64_t draw_seed, root_id;
    uint32_t sequence;

    float *observations; /* [tick][player][number] */
    float *rewards;      /* [tick][player] */
    uint8_t *ends;       /* [tick] */
    double *returns;     /* [player]: what carom_rollout() says, with */
    double discount, final_weight;
} one_task;

/* A game for one precision. */
typedef struct one_kernel {
    void (*play)(const one_task *task);
    size_t bytes; /* of working memory, all of it on the stack: the world, what its rules remember, and its actions */
} one_kernel;

#endif
