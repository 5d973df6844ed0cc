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

/* One candidate of what each other player does. */
typedef struct search_candidate {
    carom_other other;
    size_t policy;  /* of CAROM_OTHER_POLICY */
    unsigned round; /* of CAROM_OTHER_PLAN: the one that it had after so many rounds */
} search_candidate;

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
    size_t candidates;                   /* of what the others do, in the last round */
    size_t a_round;                      /* so many of them came with each round */
    search_candidate *list;              /* [candidates], those of earlier rounds first */

    double weights[GAME_MOST_WEIGHTS];
    float *low, *high;               /* [series] */
    bool bounded;                    /* these are not -1 and 1 throughout */
    float *plans[CAROM_MAX_PLAYERS]; /* [root][series] */
    bool fresh[CAROM_MAX_PLAYERS];   /* set by the caller, for the worlds as they are at the next run */
    bool met;                        /* moments are those of the last run */
    search_moment *moments;          /* [root] */
    double *values;                  /* [root]: of the player's plan */

    /* Of the phase: one player plans against the others' plans. */
    unsigned phase, phases, planner_player;
    uint64_t left;                               /* rollouts */
    uint64_t spare;                              /* ticks, less than a horizon, that are paid for and were not played */
    double phase_end, slowest;                   /* on the clock; seconds of the slowest generation so far */
    size_t number;                               /* generations before this one */
    double *reached;                             /* [root]: the return of the plan */
    float *mean;                                 /* [root][pool now][series] */
    float *sigma;                                /* [root][series] */
    float *offspring;                            /* [root][elites][series]: the next pool (genetic) */
    double *pool_values;                         /* [root][elites] (genetic) */
    size_t pooled;                               /* members now */
    float threshold;                             /* that of a mutation (rollout.threshold); 0 until it is wanted */
    unsigned char *broadcast[CAROM_MAX_PLAYERS]; /* [root][series] in the kind's precision: their plans */
    unsigned char *found[CAROM_MAX_PLAYERS];     /* [round][root][series]: another player's, when the run began and, of
                                                fictitious play, after each round; NULL for the player */
    size_t facing; /* candidates: while another plans, the players' plans are the only one */

    /* Of the generation. */
    rollout r;
    size_t count;            /* sequences */
    size_t kept;             /* those that are rolled out for the whole horizon; count: all, in one part */
    bool first_part;         /* it is being rolled out, or has been, and the rest not yet */
    uint32_t *chosen;        /* [root][kept]: which they are, ascending */
    rollout_origin *origins; /* [root][count] */
    double *returns;         /* [candidate][root][count][player]; the first candidate's become those against all */
    float *observations;     /* [candidate][root][count][player][observation_size], if values come from outside */
    bool *valued;            /* [candidate][root][count]: a value counts (a game that ended has none, if so chosen) */
    uint32_t depth;          /* ticks of this part */
    search_result *results;  /* [root] */
    uint64_t draws;          /* generations since the search was made: each draws with a seed of its own */
    uint64_t ticks;
    double generation_begun;

    /* Working memory of threads. */
    unsigned char *scratch;
    unsigned char *room; /* of a thread, among others for a rank of each sequence */
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

/* ---- what the other players may do ---- */

/* How many candidates there are in the last round, *a_round of which came with each round; are they sound? */
size_t carom_search_candidates(const carom_game *game, const carom_search_desc *desc, size_t *a_round);
bool carom_search_check_candidates(const carom_game *game, const carom_search_desc *desc);

/* Takes the list. desc.other is then the one of them that has a plan, if there is one. */
void carom_search_take_candidates(carom_search *search, const carom_search_desc *desc);

/* The plan of `player`, who is another, after so many rounds. */
unsigned char *carom_search_found(const carom_search *search, unsigned player, unsigned round);

/* Says in search->r that the others do as this candidate. */
void carom_search_face(carom_search *search, size_t candidate);

/* From the returns against each of several candidates those against all. */
void carom_search_combine(carom_search *search);

/* ---- the early end of hopeless sequences ---- */

/* Where a cut saves ticks, the generation begins with its first part: search->kept of it go on. */
void carom_search_begin_cut(carom_search *search);

/* Chooses them by the returns of all after the first part. */
void carom_search_choose(carom_search *search);

/* They are rolled out next, for the whole horizon. */
void carom_search_begin_rest(carom_search *search);

/* From the returns of those that were chosen those of all: the others have none. */
void carom_search_spread(carom_search *search);

/* What a generation with a cut has cost, in rollouts of a root against a candidate; ticks that are left over count in
 * the next. */
uint64_t carom_search_cost(carom_search *search);

/* ---- planners ---- */

/* A player's phase begins: its distribution is that about its plan. */
void carom_search_open(carom_search *search);

/* Says in search->r where the planning player's numbers come from, for search->count sequences. */
void carom_search_sample(carom_search *search);

/* What the returns of the generation say: plans and distributions of all roots, and search->results. */
void carom_search_learn(carom_search *search);

#endif
