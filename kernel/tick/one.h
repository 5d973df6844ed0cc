/* SPDX-License-Identifier: MIT
 * Programs that play one world per thread: their tasks. A device runs them (kernel/device), compiled from a game's
 * kernel.c at width 1; compiled for the host they are plain functions, which tests call.
 *
 *     void program(const TASK *task, size_t thread)          called once for every thread below task->threads
 *
 * Tasks are plain structures of numbers and addresses, at most ONE_TASK_BYTES long, and the same on both sides. All
 * addresses are in the memory of the machine that runs the program. No program allocates, waits for another thread, or
 * writes what another thread of the same call writes, except counters, which are atomic, and `wrong`.
 */
#ifndef CAROM_TICK_ONE_H
#define CAROM_TICK_ONE_H

#include <carom/game.h>

#define ONE_TASK_BYTES 4096 /* of arguments, the limit for any launch */

/* ---- a batch ---- */

/* Threads add to different entries of a batch's counters, so that they seldom contend; the sum of all entries
 * counts. */
#define ONE_SLOTS 1024

/* A batch as programs see it. Arrays by world have an entry for each world of all tiles, padding included. */
typedef struct one_batch {
    void *tiles;              /* [tile]: the same bytes as carom_worlds.data */
    const void *context;      /* the game's context, read-only */
    const uint64_t *seeds;    /* [world]: the seed of each; NULL: all use `seed` */
    uint64_t seed;            /* of the batch */
    uint64_t worlds;          /* in the batch, without padding */
    double *sums;             /* [world][player]: see carom_step.results; NULL: not allocated yet */
    carom_counters *counters; /* [ONE_SLOTS], atomic */
    /* Set to 1 by a program that met an index out of bounds in a list from the caller. It leaves the world of that
     * index unchanged, without outputs. */
    uint32_t *wrong;
} one_batch;

/* ---- steps ---- */

#define ONE_MOST_PIECES 72 /* OBSERVATION_PIECES */

/* Part of a world's row of staged actions: `bytes` from the caller's array, or zeros if that is NULL. */
typedef struct one_given {
    const unsigned char *actions; /* [step][row]: address of these bytes in row 0 of step 0 */
    uint64_t row_bytes;           /* from one row to the next */
    uint32_t bytes, at;           /* their number, and their offset in the world's row */
} one_given;

/* Part of an observation: numbers from .. from + count - 1 of what the rules write become numbers `at` .. of the
 * caller's row, and also numbers `twin` .., unless that is ONE_ONCE. */
#define ONE_ONCE UINT32_MAX
typedef struct one_piece {
    uint32_t from, count, at, twin;
} one_piece;

/* A carom_step that has been checked and bound: its members mean the same as there, unless stated otherwise. Thread t
 * plays world first + t; [world] counts the worlds of the call. */
typedef struct one_step_task {
    uint64_t threads; /* worlds of the call */
    one_batch batch;
    uint64_t first;
    uint64_t begin, end; /* plays steps [begin, end) of the call; if empty, worlds only become copies of parents */
    uint64_t repeat;     /* ticks of a step */
    carom_at_end at_end; /* never CAROM_AS_MADE */

    /* Actions. A world reads a row of all players: [player][number], or with TICK_MIXED the blocks at actions_at. In
     * the entries that say so this is the caller's row; otherwise it is staged: before each step it is assembled in
     * `staged` from `given`, in addition to what policies have written there. */
    uint32_t kind, kinds[CAROM_MAX_PLAYERS], actions_at[CAROM_MAX_PLAYERS], given_count;
    const unsigned char *actions; /* [step][row]; not read if actions are staged */
    uint64_t action_rows, action_bytes;
    const uint32_t *rows;  /* [world] or NULL */
    unsigned char *staged; /* [world of the batch][action_bytes]; NULL: actions are not staged */
    one_given given[CAROM_MAX_PLAYERS];

    /* Outputs: NULL if not requested. */
    uint32_t view, shared, reward_kind, rewarded; /* as in game_tick; `rewarded`: rewards per world, all agents */
    float *observations, *last_observations;
    uint64_t width, observation_rows; /* numbers of a row, rows of a step */
    const uint32_t *places;           /* [world] or NULL */
    float *rewards;
    uint8_t *ends;
    carom_result *results;
    unsigned char *played;
    uint32_t piece_count; /* 0: the caller's row is what the rules write */
    one_piece pieces[ONE_MOST_PIECES];

    const uint8_t *skip; /* [world] or NULL */

    /* If policies act, a step of several ticks is played by a call for each tick, with `repeat` 1. `part` says which
     * tick this is; `over`[world of the batch] remembers from call to call how the world's game ended. */
    uint32_t part; /* bits ONE_FIRST and ONE_LAST; both: the whole step */
    uint8_t *over; /* read and written unless both are set */

    /* Trees: worlds first become copies of these, but keep their ids. NULL: they do not change. */
    const void *parents; /* [tile] of another batch, */
    uint64_t parent_count;
    const size_t *from; /* [world], or NULL: the same index as in this batch */
} one_step_task;
enum { ONE_FIRST = 1, ONE_LAST = 2 };

/* The entries that play steps, from the least to the most general; each can do all that the one before it can:
 *     play   actions in the caller's rows of all players, no policies, one kind; repeat 1; no outputs
 *     step   also: observations without pieces, rewards and ends; `skip`
 *     staged also: everything else
 * `observe` writes the observations of worlds as they are, and reads nothing else of the task. */
#define ONE_STEP_ENTRIES(ENTRY)                                                                                        \
    ENTRY(play, one_step_task, one_step_play)                                                                          \
    ENTRY(step, one_step_task, one_step_plain)                                                                         \
    ENTRY(staged, one_step_task, one_step_staged)                                                                      \
    ENTRY(observe, one_step_task, one_observe)

/* ---- new games ---- */

/* carom_worlds_restart(): thread t is world t of the batch. */
typedef struct one_restart_task {
    uint64_t threads;
    one_batch batch;
    const uint8_t *mask;   /* [world], or NULL: all */
    const uint64_t *ids;   /* [world], or NULL: they keep theirs */
    const uint64_t *given; /* [world], or NULL: they keep theirs */
    uint64_t *seeds;       /* [world]: where to store given seeds, batch.seeds; not NULL if there are any */
} one_restart_task;

#define ONE_RESTART_ENTRIES(ENTRY) ENTRY(restart, one_restart_task, one_restart)

/* ---- policies ---- */

/* The actions of built-in policies in the worlds first + t, for thread t, written into rows of all players. Numbers of
 * players that were not requested may be written, too. */
typedef struct one_act_task {
    uint64_t threads;
    one_batch batch;
    uint64_t first;
    carom_precision precision;          /* of the worlds */
    uint32_t kind;                      /* of action */
    uint32_t players;                   /* bit p: player p is requested */
    uint32_t policy[CAROM_MAX_PLAYERS]; /* the policy of each of them */
    uint32_t player_bytes;              /* of a player's numbers */
    unsigned char *rows;                /* [world of the batch]: [player][number], from this address */
    uint64_t row_bytes;                 /* from one world to the next */
} one_act_task;

#define ONE_ACT_ENTRIES(ENTRY) ENTRY(act, one_act_task, one_act)

#endif
