/* SPDX-License-Identifier: MIT
 * A search. Its files, in the order of a call:
 *
 *     create.c         checks what is asked for and takes the memory
 *     search.c         a run: its phases, in each of which one player plans, and their generations
 *       plans.c        before a run: plans of the last run become the initial plans of this one
 *       planners.c     draws the sequences of a generation
 *       candidates.c   what the other players do meanwhile
 *       rollout/       rolls the generation out
 *       cut.c          ends hopeless sequences early, if the caller asks for it
 *       planners.c     learns from the returns
 *     plans.c          what was found
 *     save.c           what is kept from run to run, in a buffer
 *     watch.c          lets the caller see the generations
 *     network.c        what a network says of leaves, and what the players would do by it
 *     here.c           the list of what is done to the arrays on this processor
 *
 * A search runs where its roots are: on this processor or on a device. Phases, budgets and reports are the same code
 * for both and know nothing of it. Only the arrays differ, which on a device are its memory: what is done to them goes
 * through search->engine, a table of functions. That of this processor is in here.c and consists of the functions of
 * the files above; that of devices queues programs, in kernel/device/search.c. Beside it
 *
 *   - search->home is the batch on a device that the search was made for, and NULL on this processor. What searches
 *     have or refuse only on a device stands in `if (carom_is_on_device(search->home)) {...}`.
 *   - search->failed is the first error of what was queued. On this processor it is always CAROM_OK, so that code for
 *     both just returns it.
 *
 * A bot for contests (scripts/single_file) has no devices: that script leaves those branches out, and replaces calls by
 * the table with calls of the functions in here.c.
 *
 * The state of a search consists of parts by their lifetimes, below from the longest to the shortest. Functions take
 * the parts that they need, or the whole search if they need most of it or are in the table. Where a part is const its
 * members do not change, but the arrays that they point to may be filled.
 */
#ifndef CAROM_SEARCH_SEARCH_H
#define CAROM_SEARCH_SEARCH_H

#include <carom/search.h>

#include "network/network.h"
#include "rollout/rollout.h"
#include "tick/one_search_task.h"
#include "worlds/device.h"

#define SEARCH_LEAST 4 /* sequences of a generation */

/* Has the search a network? Like devices, networks stand in branches of their own, of which scripts/single_file drops
 * all, or all but those that begin plans. */
#ifdef CAROM_NO_NETWORKS
#define search_has_network(fixed) CAROM_ONE_NETWORK
#else
#define search_has_network(fixed) ((fixed)->desc.network != NULL)
#endif

/* One assumption about the other players, all of whom follow it. */
typedef struct search_candidate {
    carom_other other;
    size_t policy;  /* index of the built-in policy; only for CAROM_OTHER_POLICY */
    unsigned round; /* only for CAROM_OTHER_PLAN: use the plan found after this many rounds, 0 for the initial one */
} search_candidate;

/* What is asked for, and what follows from it. Never changes, but for the budget. */
typedef struct search_fixed {
    /* A copy of the caller's, with `low`, `high` and `weights` pointing at the members below, `candidates` NULL and
     * `other` the most demanding of the candidates. `value`, `user` and `cancel` are the caller's. */
    carom_search_desc desc;
    carom_worlds_desc worlds;            /* of the first roots: later ones must match in precision, isa and threads */
    uint64_t content;                    /* carom_worlds.content of the roots, which later ones must match too */
    const carom_game *game;              /* not owned */
    carom_action_kind kind;              /* of the planned actions */
    size_t roots, players, rows, series; /* series: numbers of a plan, all its rows */
    /* A generation learns from at most `elites` sequences of a root. pool: capacity of search_distribution.mean in
     * members of a root, `elites` for the genetic planner, else 1. */
    size_t elites, pool;
    float threshold;        /* genetic planner: rollout_bred.threshold of a mutation, else 0 */
    size_t candidates;      /* assumptions about the other players once all rounds are over; 1 in games of one */
    size_t a_round;         /* fictitious play: candidates that every round adds */
    search_candidate *list; /* [candidates], those of earlier rounds first; unused in games of one */

    double weights[GAME_MOST_WEIGHTS]; /* of the final value; unused if the caller gave none */
    float *low, *high;                 /* [series]: bounds of a plan */
    bool bounded;                      /* the bounds are other than -1 and 1 */
    bool uneven;                       /* the bounds are not the same in all rows */
    size_t network_kind;               /* of observation that the network sees, if there is one */
} search_fixed;

typedef one_moment search_moment; /* what a plan was made for */

/* What is kept from run to run: save.c saves all of it. */
typedef struct search_past {
    float *plans[CAROM_MAX_PLAYERS]; /* [root][series]: best plan of each player so far */
    search_moment *moments;          /* [root]: what each root was when the last run began */
    double *values;                  /* [root]: return of the player's plan when last rolled out; 0 at first */
    uint64_t draws;                  /* generations begun since creation: makes the seed of each a new one */
} search_past;

/* How fast a search is, in seconds of a leaf, that is of a sequence of every root against one candidate. Only with a
 * budget in time; stays from run to run. */
typedef struct search_pace {
    double leaves, seconds; /* sums over the generations so far, the older the less; 0: nothing is known */
    double best;            /* seconds of a leaf, where nothing held the search up */
} search_pace;

/* A run, that is one call of carom_search_run(), or carom_search_begin() and what follows it. */
typedef struct search_run {
    const carom_worlds *from; /* the caller's roots; NULL while no run is going on */
    bool external;            /* the caller values leaves: desc.value, or carom_search_values() */
    bool waiting;             /* carom_search_leaves() has returned leaves whose values have not come */
    unsigned phases;
    double begun;   /* by carom_rollout_clock() */
    uint32_t pause; /* the longest between two ticks of a thread, in microseconds; with a budget in time */
    int late;       /* not 0: the time is over, and the generation rolled out then is discarded. Set by the rollout */
    carom_search_report report;   /* grows with each generation; valid until the next run begins */
    carom_search_generation *log; /* [logged], the first report.generations valid; from malloc(), grown by tell() */
    size_t logged;
} search_run;

/* A phase of a run: one player plans against the others' plans. */
typedef struct search_phase {
    unsigned index, player; /* of search_run.phases; who plans */
    size_t generations;     /* completed in it */
    uint64_t left;          /* budget that remains to it, in rollouts of a root */
    uint64_t spare;         /* ticks of a root charged to the budget but not played: less than a horizon, see cut.c */
    /* When a budget in time is used up, by carom_rollout_clock(); seconds of its slowest generation, which predicts
     * whether another one fits. */
    double end, slowest;
    double generation; /* with a budget in time and desc.generations: the seconds that a generation should take */
    double *reached;   /* [root]: best return in it, that of the player's plan; -INFINITY before the first generation */

    /* The other players' plans, in the precision of the action kind; NULL in games of one. */
    unsigned char *broadcast[CAROM_MAX_PLAYERS]; /* [root][series]: as they were when the phase began */
    /* [round][root][series]: as they were when the run began and, in fictitious play, after each round. NULL for
     * desc.player. */
    unsigned char *found[CAROM_MAX_PLAYERS];
    float *const *proposed; /* [player][root][series]: what the network's policy does; NULL: it is not asked */
    size_t facing;          /* candidates in use: the first so many of the list; 1 while another player plans */
} search_phase;

/* The distribution from which a phase draws sequences; each generation moves it. For the genetic planner `mean` holds
 * the parents, best first, or before the first generation the plan alone. */
typedef struct search_distribution {
    float *mean;         /* [root][pooled][series] */
    float *sigma;        /* [root][series] */
    float *next_parents; /* [root][elites][series]: the next parents; genetic only, else NULL */
    double *values;      /* [root][elites]: returns of the parents; genetic only, else NULL */
    size_t pooled;       /* members of a root in `mean` now, at most search_fixed.pool */
} search_distribution;

typedef one_result search_result; /* of a generation, in one root */

/* A generation, of one part or, with a cut, of two. */
typedef struct search_generation {
    rollout r;              /* what is rolled out; borrows the arrays and the roots */
    size_t count;           /* sequences of a root, at most desc.sequences */
    size_t elites;          /* learns from at most so many of them; search_fixed.elites unless the budget is in time */
    size_t kept;            /* of them, those rolled out for the whole horizon: `count` unless there is a cut */
    bool first_part;        /* the part up to cut_after has begun, the part for the whole horizon has not */
    bool exact;             /* sequence 0 is the plan or mean itself */
    uint32_t depth;         /* ticks of this part, also the depth at which `r` observes leaves */
    one_origin *origins;    /* [root][count]: the mean that each sequence is drawn about */
    uint32_t *chosen;       /* [root][kept], ascending: which sequences go on; valid after carom_search_choose() */
    double *returns;        /* [candidate][root][count][player]; carom_search_combine() reduces it to candidate 0 */
    float *observations;    /* [candidate][root][count][r.d.width]: observed leaves that the caller values; NULL
                                 until a run first needs them */
    bool *valued;           /* [candidate][root][count]: the caller's value is added; false after a fault, and after
                                 the game's end unless desc.value_at_end. NULL like `observations` */
    search_result *results; /* [root], of the last complete generation */
    uint64_t ticks;         /* world-ticks played; `r` adds to it */
    double begun;           /* by carom_rollout_clock() */
} search_generation;

/* Working memory. */
typedef struct search_room {
    unsigned char *rollout; /* [thread][r.scratch_bytes]: large enough for a whole generation */
    unsigned char *learn;   /* [thread][bytes], for carom_search_learn() and carom_search_choose() */
    size_t bytes;           /* of a thread, in `learn` */
} search_room;

/* What is done to the arrays of a search, on this processor or on a device. A function that queues notes the first
 * error in search->failed, and does nothing after one. */
struct search_engine {
    /* Takes and releases memory for arrays; NULL if there is none. */
    void *(*take)(carom_search *search, size_t bytes);
    void (*release)(carom_search *search, void *memory);

    void (*start_plans)(carom_search *search);
    void (*move_plans)(carom_search *search, const carom_worlds *roots);
    void (*keep_found)(carom_search *search, unsigned round);
    void (*take_plans)(carom_search *search, unsigned rounds);
    void (*open)(carom_search *search);
    void (*sample)(carom_search *search);
    void (*roll)(carom_search *search, size_t candidate); /* with generation->r, faced and with its outputs */
    void (*add_values)(carom_search *search, const double *values, double weight);
    void (*combine)(carom_search *search);
    void (*choose)(carom_search *search);
    void (*spread)(carom_search *search);
    void (*learn)(carom_search *search);
    /* Puts best, mean, spread and ticks of the last generation into entry `index` of the log: at once, or when it is
     * read. */
    void (*tell)(carom_search *search, size_t index);
    void (*read_log)(carom_search *search);
    void (*keep_values)(carom_search *search); /* what the plans reached becomes past.values */

    /* What callers read and set. */
    void (*actions)(carom_search *search, unsigned player, bool zero, void *actions);
    void (*copy)(carom_search *search, void *to, const void *from, size_t bytes);
    carom_status (*set_plan)(carom_search *search, unsigned player, const float *plan);

    /* For saves: the arrays of the past as they are, in memory of this processor; and back, if `changed`. NULL: there
     * is no memory. */
    search_past *(*read_past)(carom_search *search);
    void (*write_past)(carom_search *search, search_past *past, bool changed);
};

extern const struct search_engine carom_search_here;

/* Arrays are allocated at creation, for the largest generation, and freed with the search. Exceptions: the log grows,
 * and what leaves need that the caller values may come with the first such run (carom_search_take_leaves()). */
struct carom_search {
    const struct search_engine *engine;
    /* Of a search on a device: the batch that it was made for, whose device is used, and what kernel/device keeps. */
    const carom_worlds *home;
    struct device_search *device;
    carom_status failed;            /* the first error of the engine in this call */
    bool missing;                   /* while it is created: memory could not be taken */
    struct search_watch *watch;     /* of watch.c; NULL: nobody watches */
    struct search_network *network; /* of network.c; NULL: there is none */

    search_fixed fixed;
    search_past past;
    search_run run;
    search_phase phase;
    search_distribution distribution;
    search_generation generation;
    search_room room;
    search_pace pace;
};

/* ---- create.c ---- */

/* Allocates what only runs with values from outside need, on the first such run. */
bool carom_search_take_leaves(carom_search *search);

/* ---- search.c ---- */

/* Describes in search->generation the rollout of `count` sequences of each root. The players are set later, by
 * carom_search_sample() and carom_search_face(). */
void carom_search_describe(carom_search *search, const carom_worlds *roots, size_t count);

/* ---- plans.c ---- */

/* Sets all players' plans to the initial ones, halfway between the bounds, and forgets the roots' moments. */
void carom_search_start_plans(carom_search *search);

/* carom_search_actions() on this processor; zero: the player does nothing. */
void carom_search_first_rows(carom_search *search, unsigned player, bool zero, void *actions);

/* Before a run: turns the plans of the last run into the initial plans of this one. */
void carom_search_move_plans(carom_search *search, const carom_worlds *roots);

/* ---- candidates.c: what the other players may do ---- */

/* The number of candidates once all rounds are over. *a_round: how many of them fictitious play adds in each round. */
size_t carom_search_candidates(const carom_game *game, const carom_search_desc *desc, size_t *a_round);

/* False if an argument about the other players is out of range. */
bool carom_search_check_candidates(const carom_game *game, const carom_search_desc *desc);

/* Fills fixed->list. fixed->desc.other becomes the most demanding candidate, in the order of carom_other: it decides
 * whether the others have plans, and whether these are searched for. */
void carom_search_take_candidates(search_fixed *fixed, const carom_search_desc *desc);

/* Stores the plans that the other players have after `round` rounds. */
void carom_search_keep_found(carom_search *search, unsigned round);

/* Fixes the plans that all but the planning player follow in this phase, which begins after `rounds` rounds. */
void carom_search_take_plans(carom_search *search, unsigned rounds);

/* Makes the other players of a rollout follow a candidate. */
void carom_search_face(const search_fixed *fixed, const search_phase *phase, rollout *r, size_t candidate);

/* Reduces the returns against several candidates to one for each sequence: the worst or the mean, as desc.against
 * says. */
void carom_search_combine(carom_search *search);

/* ---- network.c ---- */

/* The kind of observation that a network sees, if it is one of this game. */
carom_status carom_search_find_seen(const carom_network *network, const carom_game *game, size_t *kind,
                                    carom_problem *problem);

/* Has it a policy for actions of that kind? */
carom_status carom_search_check_policy(const carom_network *network, const carom_game *game, size_t action_kind,
                                       carom_problem *problem);

/* Is what is asked of the network sound, and is it there? */
carom_status carom_search_check_network(const carom_game *game, const carom_search_desc *desc, carom_problem *problem);

/* Takes what the network works in; false if memory is missing. */
bool carom_search_take_network(carom_search *search, const carom_search_desc *desc);
void carom_search_release_network(carom_search *search);

/* When a run begins: plans by the policy, for all players. */
void carom_search_propose(carom_search *search);

/* Draws half of a player's first generation in a run about what the policy does. */
void carom_search_mix_proposal(carom_search *search);

/* Asks a rollout for what the network sees of leaves; lends it the arrays for that; adds the values to the returns. */
void carom_search_see_leaves(const carom_search *search, carom_rollout_desc *asked);
void carom_search_lend_leaves(const carom_search *search, rollout *r, size_t candidate);
void carom_search_value_leaves(carom_search *search);

/* ---- cut.c: the early end of hopeless sequences ---- */

/* Splits the generation in two if that saves ticks: all sequences up to cut_after, then generation->kept of them to the
 * horizon. */
void carom_search_begin_cut(const search_fixed *fixed, search_generation *generation);

/* After the first part: ranks its returns and fills generation->chosen. */
void carom_search_choose(carom_search *search);

/* Describes the second part: the chosen sequences, from the roots again, for the whole horizon. */
void carom_search_begin_rest(const search_fixed *fixed, search_generation *generation);

/* After the second part: moves the returns to their sequences' places, with -INFINITY for those that were cut. */
void carom_search_spread(carom_search *search);

/* Cost of a generation with a cut, in rollouts of a root against one candidate, rounded up to whole horizons. Updates
 * phase->spare, which makes the next generation cheaper by the ticks rounded up. */
uint64_t carom_search_cost(const search_fixed *fixed, search_phase *phase, const search_generation *generation);

/* ---- pace.c: the speed, and generations by it ---- */

/* Takes in that a generation of so many leaves took so many seconds. */
void carom_search_measure(search_pace *pace, size_t leaves, double seconds);

/* How many sequences the next generation of the phase should have, with a budget in time and desc.generations; 0: none
 * that would end in time is worth beginning. `now` by carom_rollout_clock(). */
size_t carom_search_size(const search_fixed *fixed, const search_pace *pace, const search_phase *phase, double now);

/* ---- planners.c ---- */

/* Bytes of search_room.learn that a thread needs, whichever planner it is. */
size_t carom_search_room_bytes(const search_fixed *fixed);

/* search_fixed.threshold for this probability of a mutation. */
float carom_search_threshold(double mutation);

/* Begins a player's phase with the initial distribution, centred on its plan. */
void carom_search_open(carom_search *search);

/* Makes the generation's rollout take the planning player's numbers from the distribution, and sets generation->exact.
 * Returns true if the sequences are crossovers of parents. */
bool carom_search_draw(carom_search *search);

/* Draws a generation: makes its rollout take the planning player's numbers from the distribution, and fills its
 * origins. */
void carom_search_sample(carom_search *search);

/* Learns from the returns of the generation: updates plans and distributions of all roots, and its results. */
void carom_search_learn(carom_search *search);

#endif
