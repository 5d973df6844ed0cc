/* SPDX-License-Identifier: MIT
 * A search as its files share it.
 */
#ifndef CAROM_SEARCH_SEARCH_H
#define CAROM_SEARCH_SEARCH_H

#include <carom/search.h>

#include "rollout/rollout.h"

/* Which world a plan was made for. */
typedef struct search_moment {
    uint64_t id;
    int32_t episode, tick;
} search_moment;

/* What a generation was in one root. */
typedef struct search_result {
    double best, mean, spread;
} search_result;

struct carom_search {
    carom_search_desc desc; /* resolved: low and high are its own */
    carom_worlds_desc worlds;
    uint64_t content;
    const carom_game *game;
    carom_action_kind kind;
    size_t roots, players, rows, series; /* series: rows x numbers */
    size_t elites, pool;                 /* pool: members of a root that there is room for */

    double weights[GAME_MOST_WEIGHTS];
    float *low, *high;               /* [series] */
    bool bounded;                    /* these are not -1 and 1 throughout */
    float *plans[CAROM_MAX_PLAYERS]; /* [root][series] */
    bool fresh[CAROM_MAX_PLAYERS];   /* set by the caller, for the worlds as they are at the next run */
    bool met;                        /* moments are those of the last run */
    search_moment *moments;          /* [root] */
    double *values;                  /* [root]: of the player's plan */

    /* Of the phase: one player plans against the other's plan. */
    unsigned phase, phases, planner_player;
    uint64_t left;             /* rollouts */
    double phase_end, slowest; /* on the clock; seconds of the slowest generation so far */
    size_t number;             /* generations before this one */
    double *reached;           /* [root]: the return of the plan */
    float *mean;               /* [root][pool now][series] */
    float *sigma;              /* [root][series] */
    float *offspring;          /* [root][elites][series]: the next pool (genetic) */
    double *pool_values;       /* [root][elites] (genetic) */
    size_t pooled;             /* members now */
    float threshold;           /* that of a mutation (rollout.threshold); 0 until it is wanted */
    unsigned char *broadcast;  /* [root][series] in the kind's precision: the other's plan */

    /* Of the generation. */
    rollout r;
    size_t count;            /* sequences */
    rollout_origin *origins; /* [root][count] */
    double *returns;         /* [root][count][player] */
    float *observations;     /* [root][count][player][observation_size], where values come from outside */
    bool *valued;            /* [root][count]: a value counts (a game that ended has none, if so chosen) */
    uint32_t depth;          /* the horizon */
    search_result *results;  /* [root] */
    uint64_t draws;          /* generations since the search was made: each draws with a seed of its own */
    uint64_t ticks;
    double generation_begun;

    /* Working memory of threads. */
    unsigned char *scratch;
    unsigned char *room;
    size_t room_bytes;

    /* Of the run. */
    const carom_worlds *from; /* NULL: none is going on */
    bool external;            /* leaves are valued outside */
    bool waiting;             /* for them */
    double begun;
    int late;
    carom_search_report report;
    carom_search_generation *log;
    size_t logged;
};

/* Bytes of working memory that a thread wants for carom_search_learn(). */
size_t carom_search_room_bytes(const carom_search *search);

/* A player's phase begins: its distribution is that about its plan. */
void carom_search_open(carom_search *search);

/* Says in search->r where the planning player's numbers come from, for search->count sequences. */
void carom_search_sample(carom_search *search);

/* What the returns of the generation say: plans and distributions of all roots, and search->results. */
void carom_search_learn(carom_search *search);

#endif
