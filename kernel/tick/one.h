/* SPDX-License-Identifier: MIT
 * Programs that play one world in a thread: what each of them is told. A device runs them (kernel/device), compiled
 * from a game's kernel.c at width 1; compiled for a processor they are plain functions, which tests call.
 *
 *     void program(const TASK *task, size_t thread)          called once for every thread below task->threads
 *
 * Tasks are plain structures of numbers and addresses, at most ONE_TASK_BYTES long, and the same on both sides. All
 * addresses are of the memory of the machine that runs the program. No program allocates, waits for another thread, or
 * writes what another thread of the same call writes, but for counters, which are added to atomically, and `wrong`.
 */
#ifndef CAROM_TICK_ONE_H
#define CAROM_TICK_ONE_H

#include <carom/game.h>

#define ONE_TASK_BYTES 4096 /* of arguments that any launch may have */

/* ---- a batch ---- */

/* Threads add to different entries of a batch's counters, so that they seldom wait for each other; the sum of all
 * counts. */
#define ONE_SLOTS 1024

/* A batch as programs see it. Arrays by world have an entry for each world of all tiles, padding included. */
typedef struct one_batch {
    void *tiles;              /* [tile]: the same bytes as carom_worlds.data */
    const void *context;      /* of the game, read-only */
    const uint64_t *seeds;    /* [world]: what each draws with; NULL: all draw with `seed` */
    uint64_t seed;            /* of the batch */
    uint64_t worlds;          /* in the batch, without padding */
    double *sums;             /* [world][player]: see carom_step.results; NULL: there are none yet */
    carom_counters *counters; /* [ONE_SLOTS], added to */
    /* Set to 1 by a program that met an index beyond its array, in a list that the caller gave: it leaves the world of
     * that index as it was, without outputs. */
    uint32_t *wrong;
} one_batch;

/* ---- steps ---- */

#define ONE_MOST_PIECES 72 /* OBSERVATION_PIECES */

/* Part of a world's row of actions where it is staged: `bytes` from the caller's array, or zeros if that is NULL. */
typedef struct one_given {
    const unsigned char *actions; /* [step][row]: where these bytes begin in row 0 of step 0 */
    uint64_t row_bytes;           /* from one row to the next */
    uint32_t bytes, at;           /* how many, and their place in the world's row */
} one_given;

/* Part of an observation: numbers from .. from + count - 1 of what the rules write are numbers `at` .. of the caller's
 * row, and once more numbers `twin` .., unless that is ONE_ONCE. */
#define ONE_ONCE UINT32_MAX
typedef struct one_piece {
    uint32_t from, count, at, twin;
} one_piece;

/* A carom_step that was checked and bound: its members have the same meaning as there, unless said otherwise. Thread t
 * plays world first + t; [world] counts the worlds of the call. */
typedef struct one_step_task {
    uint64_t threads; /* worlds of the call */
    one_batch batch;
    uint64_t first;
    uint64_t begin, end; /* plays the steps [begin, end) of the call: with none, worlds only become their parents */
    uint64_t repeat;     /* ticks of a step */
    carom_at_end at_end; /* never CAROM_AS_MADE */

    /* Actions. A world reads a row of all players: [player][number], or with TICK_MIXED the blocks that actions_at
     * names. The row is the caller's in the entries that say so; otherwise it is staged: before each step it is put
     * together in `staged` from the `given`, beside what policies have written there. */
    uint32_t kind, kinds[CAROM_MAX_PLAYERS], actions_at[CAROM_MAX_PLAYERS], given_count;
    const unsigned char *actions; /* [step][row]; not read where actions are staged */
    uint64_t action_rows, action_bytes;
    const uint32_t *rows;  /* [world] or NULL */
    unsigned char *staged; /* [world of the batch][action_bytes]; NULL: actions are not staged */
    one_given given[CAROM_MAX_PLAYERS];

    /* Outputs: NULL if not wanted. */
    uint32_t view, shared, reward_kind, rewarded; /* as in game_tick; `rewarded`: rewards of a world, all agents */
    float *observations, *last_observations;
    uint64_t width, observation_rows; /* numbers of a row, rows of a step */
    const uint32_t *places;           /* [world] or NULL */
    float *rewards;
    uint8_t *ends;
    carom_result *results;
    unsigned char *played;
    uint32_t piece_count; /* 0: what the rules write is the caller's row */
    one_piece pieces[ONE_MOST_PIECES];

    const uint8_t *skip; /* [world] or NULL */

    /* A step of several ticks before which policies act is played by a call for each tick, with `repeat` 1. `part` says
     * which tick this is; `over`[world of the batch] remembers from call to call how the world's game has ended. */
    uint32_t part; /* bits ONE_FIRST and ONE_LAST; both: the whole step */
    uint8_t *over; /* read and written unless both are set */

    /* Trees: worlds become copies of these first, keeping their ids. NULL: they stay. */
    const void *parents; /* [tile] of another batch, */
    uint64_t parent_count;
    const size_t *from; /* [world], or NULL: the same number as in this batch */
} one_step_task;
enum { ONE_FIRST = 1, ONE_LAST = 2 };

/* The entries that play steps, from the least to the most general; each plays all that the one before it plays:
 *     play   actions in the caller's rows of all players, none of them a policy, of one kind; repeat 1; no outputs
 *     step   also: observations without pieces, rewards and ends; `skip`
 *     staged also: everything else
 * and `observe` writes the observations of worlds as they are, and reads nothing else of the task. */
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
    const uint64_t *given; /* [world], or NULL: likewise seeds */
    uint64_t *seeds;       /* [world]: where given seeds are kept, batch.seeds; not NULL if some are given */
} one_restart_task;

#define ONE_RESTART_ENTRIES(ENTRY) ENTRY(restart, one_restart_task, one_restart)

/* ---- policies ---- */

/* The actions of built-in policies in the worlds first + t, for thread t: into rows of all players, of which the
 * numbers of the players asked for are written, and may be those of others. */
typedef struct one_act_task {
    uint64_t threads;
    one_batch batch;
    uint64_t first;
    carom_precision precision;          /* of the worlds */
    uint32_t kind;                      /* of action */
    uint32_t players;                   /* bit p: player p is asked for */
    uint32_t policy[CAROM_MAX_PLAYERS]; /* the policy of each of them */
    uint32_t player_bytes;              /* of a player's numbers */
    unsigned char *rows;                /* [world of the batch]: [player][number], from here on */
    uint64_t row_bytes;                 /* from one world to the next */
} one_act_task;

#define ONE_ACT_ENTRIES(ENTRY) ENTRY(act, one_act_task, one_act)

#endif
