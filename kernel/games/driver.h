/* SPDX-License-Identifier: MIT
 * The driver of runs: steps, trees, rollouts and the leaves of searches are all played by it. What is played, seen and
 * rewarded is looked up once for a call, from a carom_step, and bound to the kernel; every run of tiles follows that.
 * Where tiles, actions and places for the outputs come from is for its users to say: games/play.c and rollout/run.c.
 */
#ifndef CAROM_GAMES_DRIVER_H
#define CAROM_GAMES_DRIVER_H

#include "games/game.h"
#include "transpose/transpose.h"

/* Rows of lanes that stand in the caller's rows: `count` from row `from` on, at numbers `at` and `twin` on. */
typedef struct drive_piece {
    uint32_t from, count;
    size_t at, twin; /* twin: or TRANSPOSE_ONCE */
} drive_piece;

#define DRIVE_PIECES OBSERVATION_PIECES /* which are more than the 64 agents that `observed` can name */

typedef struct drive {
    const carom_worlds *worlds; /* which are played, or whose copies are */
    const carom_game *game;
    const game_kernel *kernel;
    const transpose_kernel *transpose;
    /* Actions. */
    uint32_t kind;                        /* or TICK_MIXED, */
    uint32_t kinds[CAROM_MAX_PLAYERS];    /* with those of the players, each in a block of its own, */
    size_t actions_at[CAROM_MAX_PLAYERS]; /* from here on, in bytes a world */
    size_t world_bytes;                   /* of a world's actions, all players */
    game_actors actors;                   /* players whom the library plays */
    size_t policy_at;                     /* the block of actions that they write: bytes a world */
    /* Outputs. */
    uint32_t view, reward_kind;  /* what the kernel is asked for */
    bool shared;                 /* likewise */
    uint32_t agents, agent_size; /* of an observation, all players */
    uint64_t observed;           /* agents; never 0 */
    uint32_t width;              /* numbers of a world's row of observations: of those that are observed */
    drive_piece pieces[DRIVE_PIECES];
    uint32_t piece_count;
    uint32_t rewarded; /* agents of all players */
} drive;

/* Fills *d from the step's kinds, players and `observed`. Why it cannot be played; NULL: it can. */
const char *carom_drive_bind(drive *d, const carom_worlds *worlds, const carom_step *step);

/* A run of tiles while it is played. */
typedef struct drive_run {
    const drive *d;
    game_tick tick;
    unsigned char *row;        /* room for actions of a world, */
    float *seen;               /* and for what is seen of a tile */
    uint64_t same[CAROM_TILE]; /* the seeds of worlds that draw with the batch's */
} drive_run;

/* Tiles, from world `first` on; all that is the same in every tick and follows from *d. The rest is 0. */
void carom_drive_begin(drive_run *run, const drive *d, void *tiles, size_t count, size_t first);

/* Policies choose what their players do in tile t, which the driver's users ask for before every tick. */
void carom_drive_act(const drive_run *run, size_t t);

/* What players see of tile t now goes to the caller's rows; a row that is NULL is left out. */
void carom_drive_observe(const drive_run *run, size_t t, float *const *rows);

/* The same of what they saw where a game ended: tick.last. */
void carom_drive_observe_last(const drive_run *run, size_t t, float *const *rows);

#endif
