/* SPDX-License-Identifier: MIT
 * A call that plays or observes worlds: what it was asked for, checked and put as the runs of tiles want it
 * (games/asked.c), which are played in games/play.c.
 */
#ifndef CAROM_GAMES_PLAY_H
#define CAROM_GAMES_PLAY_H

#include "exchange/exchange.h"
#include "games/game.h"

/* Actions that a caller gives: those of one player, or of several who stand side by side in a row. */
typedef struct play_given {
    const unsigned char *actions; /* NULL: all are 0 */
    size_t row_bytes;
    uint32_t numbers, number_bytes; /* of a row */
    size_t at;                      /* where they belong in a world's actions, in bytes */
} play_given;

/* Rows of lanes that stand in the caller's rows: `count` from row `from` on, at numbers `at` and `twin` on. */
typedef struct play_piece {
    uint32_t from, count;
    size_t at, twin; /* twin: or EXCHANGE_ONCE */
} play_piece;

#define PLAY_PIECES SEEN_PIECES /* which are more than the 64 agents that `observed` can name */

typedef struct play {
    carom_worlds *worlds;
    const carom_step *step;
    const carom_game *game;
    const game_kernel *kernel;
    const exchange_kernel *exchange;
    size_t first, count;    /* worlds */
    size_t first_tile, end; /* tiles that hold them */
    size_t run;             /* tiles; 1 where worlds are large */
    game_actors actors;     /* players whom the library plays */
    carom_at_end at_end;
    const carom_worlds *parents; /* from which the worlds are copied first; NULL: they are there */
    const size_t *from;          /* [world of the call] */
    size_t policy_at;            /* the block of actions that they write: bytes a world */
    /* Actions. */
    uint32_t kind;                        /* or TICK_MIXED, */
    uint32_t kinds[CAROM_MAX_PLAYERS];    /* with those of the players, each in a block of its own, */
    size_t actions_at[CAROM_MAX_PLAYERS]; /* from here on, in bytes a world */
    size_t world_bytes;                   /* of a world's actions, all players */
    play_given given[CAROM_MAX_PLAYERS];  /* [given_count] */
    uint32_t given_count;
    bool zeros;         /* some are 0 */
    size_t action_rows; /* of a step */
    /* Outputs. */
    uint32_t agents, agent_size; /* of an observation, all players */
    uint64_t observed;           /* agents; never 0 */
    uint32_t observed_count;
    uint32_t view; /* what the kernel is asked for */
    bool shared;   /* likewise */
    play_piece pieces[PLAY_PIECES];
    uint32_t piece_count;
    size_t observation_rows; /* of a step */
    bool streams;            /* observations are too many for the caches */
    uint32_t rewarded;       /* agents of all players */
} play;

/* Fills *p; an error is noted in the batch. */
carom_status carom_play_ask(play *p, carom_worlds *worlds, const carom_step *step);

/* The same for a call that plays nothing, and writes step->observations. */
carom_status carom_play_ask_seen(play *p, carom_worlds *worlds, const carom_step *step);

/* The worlds come from `parents`, those that `from` lists. After carom_play_ask(). */
carom_status carom_play_ask_parents(play *p, const carom_worlds *parents, const size_t *from);

/* May ticks have this length? 0 stands for the game's own. */
bool carom_play_takes_dt(const carom_game *game, carom_precision precision, double dt);

#endif
