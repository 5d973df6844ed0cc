/* SPDX-License-Identifier: MIT
 * The state of a search, and what its files do with it: candidates.c (the other players), cut.c (the early end of
 * hopeless sequences), planners.c (drawing and learning); search.c runs it.
 */
#ifndef CAROM_SEARCH_SEARCH_H
#define CAROM_SEARCH_SEARCH_H

#include <carom/search.h>

#include "rollout/rollout.h"

/* The state of a root world that a plan was made for: tells whether the next run continues the same game. */
typedef struct search_moment {
    uint64_t id;
    int32_t episode, tick;
} search_moment;

/* One assumption about the other players, all of whom follow it. */
typedef struct search_candidate {
    carom_other other;
    size_t policy;  /* index of the built-in policy; only for CAROM_OTHER_POLICY */
    unsigned round; /* only for CAROM_OTHER_PLAN: use the plan found after this many rounds, 0 for the initial one */
} search_candidate;

/* Summary of a generation in one root, over its elites: see carom_search_generation. */
typedef struct search_result {
    double best, mean, spread;
} search_result;

/* Every pointer is owned by the search and freed with it, unless its comment says otherwise. Brackets give the
 * dimensions of arrays, which are allocated once, for the largest generation. */
struct carom_search {
    /* ---- Fixed at creation ---- */

    /* A copy of the caller's, with `low`, `high` and `weights` pointing at the members below, `candidates` NULL and
     * `other` the most demanding of the candidates. `value`, `user` and `cancel` are the caller's. Only the budget
     * changes afterwards. */
    carom_search_desc desc;
    carom_worlds_desc worlds;            /* of the first roots: later ones must match in precision, isa and threads */
    uint64_t content;                    /* carom_worlds.content of the roots, which later ones must match too */
    const carom_game *game;              /* not owned */
    carom_action_kind kind;              /* of the planned actions */
    size_t roots, players, rows, series; /* series: numbers of a plan, all its rows */
    /* A generation learns from at most `elites` sequences of a root. pool: capacity of `mean` in members of a root,
     * `elites` for the genetic planner, else 1. */
    size_t elites, pool;
    size_t candidates;      /* assumptions about the other players once all rounds are over; 1 in games of one */
    size_t a_round;         /* fictitious play: candidates that every round adds */
    search_candidate *list; /* [candidates], those of earlier rounds first; unused in games of one */

    double weights[GAME_MOST_WEIGHTS]; /* of the final value; unused if the caller gave none */
    float *low, *high;                 /* [series]: bounds of a plan */
    bool bounded;                      /* the bounds are other than -1 and 1 */

    /* ---- Kept from run to run ---- */

    float *plans[CAROM_MAX_PLAYERS]; /* [root][series]: best plan of each player so far */
    bool fresh[CAROM_MAX_PLAYERS]; /* the caller has set this plan: the next run uses it unshifted, then clears this */
    bool met;                      /* `moments` are valid: a run has begun since creation or since plans were reset */
    search_moment *moments;        /* [root]: what each root was when the last run began */
    double *values;                /* [root]: return of the player's plan when last rolled out; 0 at first */

    /* ---- Of the phase: one player plans against the others' plans. Set by begin_phase() ---- */

    unsigned phase, phases, planner_player; /* index of this one; how many the run has; who plans in this one */
    uint64_t left;                          /* budget that remains to the phase, in rollouts of a root */
    uint64_t spare; /* ticks of a root charged to the budget but not played: less than a horizon, see cut.c */
    /* When a budget in time is used up, by carom_rollout_clock(); seconds of the slowest generation of the phase, which
     * predicts whether another one fits. */
    double phase_end, slowest;
    size_t number;   /* generations completed in it */
    double *reached; /* [root]: best return in it, that of the planner's plan; -INFINITY before the first */

    /* The distribution from which sequences are drawn. For the genetic planner `mean` holds the parents, best first, or
     * before the first generation the plan alone. */
    float *mean;         /* [root][pooled][series] */
    float *sigma;        /* [root][series] */
    float *offspring;    /* [root][elites][series]: the next parents; genetic only, else NULL */
    double *pool_values; /* [root][elites]: returns of the parents; genetic only, else NULL */
    size_t pooled;       /* members of a root in `mean` now, at most `pool` */
    float threshold;     /* rollout.threshold of the mutation; computed once when first needed, 0 until then */

    /* The other players' plans, in the precision of the action kind; NULL in games of one. */
    unsigned char *broadcast[CAROM_MAX_PLAYERS]; /* [root][series]: as they were when the phase began */
    /* [round][root][series]: as they were when the run began and, in fictitious play, after each round. NULL for
     * desc.player. */
    unsigned char *found[CAROM_MAX_PLAYERS];
    size_t facing; /* candidates in use: the first so many of the list; 1 while another player plans */

    /* ---- Of the generation. Set by begin_part() ---- */

    rollout r;               /* what is rolled out; borrows the arrays and the roots */
    size_t count;            /* sequences of a root, at most desc.sequences */
    size_t kept;             /* of them, those rolled out for the whole horizon: `count` unless there is a cut */
    bool first_part;         /* the part up to cut_after has begun, the part for the whole horizon has not */
    uint32_t *chosen;        /* [root][kept], ascending: which sequences go on; valid after carom_search_choose() */
    rollout_origin *origins; /* [root][count]: the mean that each sequence is drawn about */
    double *returns;         /* [candidate][root][count][player]; carom_search_combine() reduces it to candidate 0 */
    float *observations;     /* [candidate][root][count][r.d.width]: observed leaves that the caller values; NULL
                                 until a run first needs them */
    bool *valued;            /* [candidate][root][count]: the caller's value is added; false after a fault, and after
                                 the game's end unless desc.value_at_end. NULL like `observations` */
    uint32_t depth;          /* ticks of this part, also the depth at which `r` observes leaves */
    search_result *results;  /* [root], of the last complete generation */
    uint64_t draws;          /* generations begun since creation: makes the seed of each a new one */
    uint64_t ticks;          /* world-ticks played; `r` adds to it */
    double generation_begun; /* by carom_rollout_clock() */

    /* ---- Working memory ---- */

    unsigned char *scratch; /* [thread][r.scratch_bytes], for rollouts: large enough for a whole generation */
    unsigned char *room;    /* [thread][room_bytes], for carom_search_learn() and carom_search_choose() */
    size_t room_bytes;      /* of a thread */

    /* ---- Of the run. Set by begin() ---- */

    const carom_worlds *from; /* the caller's roots; NULL while no run is going on */
    bool external;            /* the caller values leaves: desc.value, or carom_search_values() */
    bool waiting;             /* carom_search_leaves() has returned leaves whose values have not come */
    double begun;             /* by carom_rollout_clock() */
    int late;                 /* not 0: the time is over, and the generation rolled out then is discarded. Set by `r` */
    carom_search_report report;   /* grows with each generation; valid until the next run begins */
    carom_search_generation *log; /* [logged], the first report.generations valid; from malloc(), grown by tell() */
    size_t logged;
};

/* Bytes of search->room that a thread needs, whichever planner it is. */
size_t carom_search_room_bytes(const carom_search *search);

/* ---- what the other players may do ---- */

/* The number of candidates once all rounds are over. *a_round: how many of them fictitious play adds in each round. */
size_t carom_search_candidates(const carom_game *game, const carom_search_desc *desc, size_t *a_round);

/* False if an argument about the other players is out of range. */
bool carom_search_check_candidates(const carom_game *game, const carom_search_desc *desc);

/* Fills search->list. search->desc.other becomes the most demanding candidate, in the order of carom_other: it decides
 * whether the others have plans, and whether these are searched for. */
void carom_search_take_candidates(carom_search *search, const carom_search_desc *desc);

/* The plan of another player after `round` rounds: [root][series] in search->found. */
unsigned char *carom_search_found(const carom_search *search, unsigned player, unsigned round);

/* Makes the other players of search->r follow a candidate. */
void carom_search_face(carom_search *search, size_t candidate);

/* Reduces the returns against several candidates to one for each sequence: the worst or the mean, as desc.against
 * says. */
void carom_search_combine(carom_search *search);

/* ---- the early end of hopeless sequences ---- */

/* Splits the generation in two if that saves ticks: all sequences up to cut_after, then search->kept of them to the
 * horizon. */
void carom_search_begin_cut(carom_search *search);

/* After the first part: ranks its returns and fills search->chosen. */
void carom_search_choose(carom_search *search);

/* Describes the second part: the chosen sequences, from the roots again, for the whole horizon. */
void carom_search_begin_rest(carom_search *search);

/* After the second part: moves the returns to their sequences' places, with -INFINITY for those that were cut. */
void carom_search_spread(carom_search *search);

/* Cost of a generation with a cut, in rollouts of a root against one candidate, rounded up to whole horizons. Updates
 * search->spare, which makes the next generation cheaper by the ticks rounded up. */
uint64_t carom_search_cost(carom_search *search);

/* ---- planners ---- */

/* Begins a player's phase with the initial distribution, centred on its plan. */
void carom_search_open(carom_search *search);

/* Draws a generation: makes search->r take the planning player's numbers from the distribution, and fills
 * search->origins. */
void carom_search_sample(carom_search *search);

/* Learns from the returns of the generation: updates plans and distributions of all roots, and search->results. */
void carom_search_learn(carom_search *search);

#endif
