/* SPDX-License-Identifier: MIT
 * The host's driver: plays tiles for steps, trees, rollouts and searches. (tick/driver.h is the kernels' driver, which
 * plays one tick.) Each call resolves its carom_step once: what is played, observed and rewarded, for the batch's
 * kernels; games/step.c and rollout/run.c do this. Every run of tiles then uses this binding. games/play.c and
 * rollout/run.c supply the tiles, the actions and the rows for outputs, and count the ticks.
 */
#ifndef CAROM_GAMES_DRIVER_H
#define CAROM_GAMES_DRIVER_H

#include "games/game.h"
#include "transpose/transpose.h"

#define DRIVE_PIECES OBSERVATION_PIECES /* more than the 64 agents that `observed` can name */

/* What a call plays, observes and rewards. Owns nothing: valid as long as the batch. Read-only once bound, so all
 * threads share it. */
typedef struct drive {
    const carom_worlds *worlds; /* the batch that is played, or copied */
    const carom_game *game;
    const game_kernel *kernel; /* for the batch's instruction set and precision */
    const transpose_kernel *transpose;

    /* Actions. */
    uint32_t kind;                        /* of all players' actions, or TICK_MIXED */
    uint32_t kinds[CAROM_MAX_PLAYERS];    /* of each player's */
    size_t actions_at[CAROM_MAX_PLAYERS]; /* TICK_MIXED: where the block with each player's numbers begins, in bytes a
                                             world: its own, or the one shared by all without a separate array;
                                             otherwise 0 */
    size_t world_bytes;                   /* of a world's actions, all players, all blocks */
    game_actors actors;                   /* players that built-in policies play */
    size_t policy_at;                     /* the block that policies write: the shared one */

    /* Outputs. */
    uint32_t view, reward_kind;  /* game_tick.view and .reward_kind */
    bool shared;                 /* game_tick.shared */
    uint32_t agents, agent_size; /* agents of an observation, all players; numbers per agent */
    uint64_t observed;           /* bit a: agent a is observed; never 0 */
    uint32_t width;              /* numbers of a world's row of observations: observed agents only */
    /* [piece_count]: from the kernel's rows to the caller's; a twin is a second agent that sees the same numbers */
    transpose_piece pieces[DRIVE_PIECES];
    uint32_t piece_count;
    uint32_t rewarded; /* agents that have rewards, all players */
} drive;

/* Does the step have a separate array of actions for this player? */
bool carom_drive_has_own(const carom_step *step, uint32_t player);

/* Fills *d from the step's kinds, players and `observed`. Returns NULL, or the reason why the step cannot be played. */
const char *carom_drive_bind(drive *d, const carom_worlds *worlds, const carom_step *step);

/* The greatest number of tiles, at most TICK_RUN, that one thread plays together while leaving several such runs for
 * each thread; 1 where worlds are large. */
size_t carom_drive_run_length(const carom_worlds *worlds, size_t tiles);

/* A run of tiles while one thread plays it. */
typedef struct drive_run {
    const drive *d;
    game_tick tick;
    unsigned char *row;        /* scratch: actions of one world, in its widest kind; set by the user */
    float *seen;               /* scratch: observations of one tile, lane-major; set by the user */
    unsigned alike;            /* bit t: until the next tick the worlds of tile t equal those of the previous tile, so
                                  policies choose the same actions; set by the user */
    uint64_t same[CAROM_TILE]; /* the batch's seed in each lane, for batches without a seed per world */
} drive_run;

/* Begins a run of `count` tiles, the first of which starts with world `first`. Sets everything in run->tick that
 * follows from *d; the rest is 0. */
void carom_drive_begin(drive_run *run, const drive *d, void *tiles, size_t count, size_t first);

/* Plays a tick: policies write the actions of their players, then the kernel plays. */
void carom_drive_tick(drive_run *run);

/* Writes rewards of tile t, of the tick or summed over several, to rows[lane]; NULL skips a lane. rewards: lane-major,
 * of the whole run. */
void carom_drive_reward(const drive_run *run, size_t t, const float *rewards, float *const *rows);

/* Writes the present observations of tile t to rows[lane]; NULL skips a lane. near: the rows are in the nearest
 * cache. */
void carom_drive_observe(const drive_run *run, size_t t, float *const *rows, bool near);

/* Computes the present observations of tile t, but leaves them in lanes: numbers[n] becomes the CAROM_TILE lanes of
 * number n of a world's row. Valid until the run observes another tile. */
void carom_drive_see(const drive_run *run, size_t t, const float **numbers);

/* Writes the observations of tile t in the states in which games ended, from tick.last, to rows[lane]; NULL skips a
 * lane. */
void carom_drive_observe_last(const drive_run *run, size_t t, float *const *rows);

#endif
