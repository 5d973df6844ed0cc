/* SPDX-License-Identifier: MIT
 * A search. Its files, in the order of a call:
 *
 *     create.c         checks the arguments and allocates the memory
 *     search.c         a run: its phases, in each of which one player plans, and their generations
 *       plans.c        before a run: makes the plans of the last run the initial plans of this one
 *       planners.c     draws the sequences of a generation
 *       candidates.c   what the other players do meanwhile
 *       rollout/       rolls the generation out
 *       cut.c          drops hopeless sequences early, if the caller wants that
 *       planners.c     learns from the returns
 *     plans.c          the plans found
 *     save.c           saves what is kept from run to run
 *     watch.c          shows the generations to the caller
 *     network.c        values of leaves and plans from a network
 *     here.c           the engine on this processor
 *
 * A search runs where its roots are: on this processor or on a device. Phases, budgets and reports use the same code
 * for both. Only the arrays differ: on a device they are in its memory. All work on them goes through search->engine, a
 * table of functions. The one for this processor is in here.c and consists of the functions of the files above; the one
 * for devices, in kernel/device/search.c, queues programs. Apart from that
 *
 *   - search->home is the batch on a device that the search was made for, and NULL on this processor. Code for devices
 *     only is inside `if (carom_is_on_device(search->home)) {...}`.
 *   - search->failed is the first error of the queued work. On this processor it is always CAROM_OK, so that common
 *     code just returns it.
 *
 * A bot for contests (scripts/single_file) has no devices: that script removes those branches and replaces calls
 * through the table with direct calls of the functions in here.c.
 *
 * The state of a search is divided by lifetime, below from the longest to the shortest. Functions take the parts that
 * they need, or the whole search if they need most of it or are in the table. If a part is const its members do not
 * change, but the arrays that they point to may be filled.
 */
#ifndef CAROM_SEARCH_SEARCH_H
#define CAROM_SEARCH_SEARCH_H

#include <carom/search.h>

#include "network/network.h"
#include "rollout/rollout.h"
#include "tick/one_search_task.h"
#include "worlds/device.h"

#define SEARCH_LEAST 4 /* sequences of a generation */

/* Whether the search has a network. As for devices, scripts/single_file drops the branches for networks: all of them,
 * or all but those that begin plans. */
#ifdef CAROM_NO_NETWORKS
#define search_has_network(fixed) CAROM_ONE_NETWORK
#else
#define search_has_network(fixed) ((fixed)->desc.network != NULL)
#endif

/* One assumption about the other players; all of them follow it. */
typedef struct search_candidate {
    carom_other other;
    size_t policy;  /* index of the built-in policy; only for CAROM_OTHER_POLICY */
    unsigned round; /* only for CAROM_OTHER_PLAN: use the plan found after this many rounds, 0 for the initial one */
} search_candidate;

/* The arguments of the search and what follows from them. Only the budget ever changes. */
typedef struct search_fixed {
    /* A copy of the caller's descriptor, with `low`, `high` and `weights` pointing at the members below, `candidates`
     * NULL and `other` the most demanding of the candidates. `value`, `user` and `cancel` are the caller's. */
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
    size_t candidates;      /* assumptions about the other players after all rounds; 1 in games of one player */
    size_t a_round;         /* fictitious play: candidates added by every round */
    search_candidate *list; /* [candidates], those of earlier rounds first; unused in games of one player */

    double weights[GAME_MOST_WEIGHTS]; /* of the final value; unused if the caller gave none */
    float *low, *high;                 /* [series]: bounds of a plan */
    bool bounded;                      /* the bounds differ from -1 and 1 */
    bool uneven;                       /* the bounds are not the same in all rows */
    size_t network_kind;               /* of observation that the network reads, if there is one */
} search_fixed;

typedef one_moment search_moment; /* the state that a plan was made for */

/* What is kept from run to run: save.c saves all of it. */
typedef struct search_past {
    float *plans[CAROM_MAX_PLAYERS]; /* [root][series]: best plan of each player so far */
    search_moment *moments;          /* [root]: what each root was when the last run began */
    double *values;                  /* [root]: return of the player's plan when last rolled out; 0 at first */
    uint64_t draws;                  /* generations begun since creation: makes the seed of each a new one */
} search_past;

/* The speed of a search, in seconds a leaf, that is a sequence of every root against one candidate. Used only with a
 * budget in time; kept from run to run. */
typedef struct search_pace {
    double leaves, seconds; /* sums over the generations so far, older ones with less weight; 0: unknown */
    double best;            /* seconds a leaf, without interruptions */
} search_pace;

/* A run: one call of carom_search_run(), or carom_search_begin() and the calls that follow it. */
typedef struct search_run {
    const carom_worlds *from; /* the caller's roots; NULL outside runs */
    bool external;            /* the caller values leaves: desc.value, or carom_search_values() */
    bool waiting;             /* carom_search_leaves() has returned leaves that have no values yet */
    unsigned phases;
    double begun;   /* by carom_rollout_clock() */
    uint32_t pause; /* the longest between two ticks of a thread, in microseconds; with a budget in time */
    int late;       /* not 0: the time is over, and the current generation is discarded. Set by the rollout */
    carom_search_report report;   /* grows with each generation; valid until the next run begins */
    carom_search_generation *log; /* [logged], the first report.generations valid; from malloc(), grown by tell() */
    size_t logged;
} search_run;

/* A phase of a run: one player plans against the others' plans. */
typedef struct search_phase {
    unsigned index, player; /* of search_run.phases; the planning player */
    size_t generations;     /* completed in it */
    uint64_t left;          /* its remaining budget, in rollouts of a root */
    uint64_t spare;         /* ticks of a root charged to the budget but not played: less than a horizon, see cut.c */
    /* When its time is over, by carom_rollout_clock(), and the seconds of its slowest generation, which predict whether
     * another one fits. */
    double end, slowest;
    double generation; /* with a budget in time and desc.generations: the target time of a generation, in seconds */
    double *reached;   /* [root]: best return in it, that of the player's plan; -INFINITY before the first generation */

    /* The other players' plans, in the precision of the action kind; NULL in games of one player. */
    unsigned char *broadcast[CAROM_MAX_PLAYERS]; /* [root][series]: as they were when the phase began */
    /* [round][root][series]: as they were when the run began and, in fictitious play, after each round. NULL for
     * desc.player. */
    unsigned char *found[CAROM_MAX_PLAYERS];
    float *const *proposed; /* [player][root][series]: what the network's policy does; NULL: not used */
    size_t facing;          /* candidates in use, the first of the list; 1 while another player plans */
} search_phase;

/* The distribution from which a phase draws sequences; each generation moves it. For the genetic planner `mean` holds
 * the parents, best first, or before the first generation only the plan. */
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
    size_t elites;          /* the most to learn from; search_fixed.elites unless the budget is in time */
    size_t kept;            /* sequences rolled out for the whole horizon: `count` unless there is a cut */
    bool first_part;        /* the part up to cut_after has begun, the part for the whole horizon has not */
    bool exact;             /* sequence 0 is the plan or mean itself */
    uint32_t depth;         /* ticks of this part, also the depth at which `r` observes leaves */
    one_origin *origins;    /* [root][count]: the mean that each sequence is drawn about */
    float *numbers;         /* of the rollout; NULL: too many to keep, or there is a cut */
    uint32_t *chosen;       /* [root][kept], ascending: the sequences kept; valid after carom_search_choose() */
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

/* The work on the arrays of a search, on this processor or on a device. A function that queues work stores the first
 * error in search->failed, and does nothing after one. */
struct search_engine {
    /* Allocates and frees memory for arrays; NULL on failure. */
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
    /* Writes best, mean, spread and ticks of the last generation to entry `index` of the log, at once or when it is
     * read. */
    void (*tell)(carom_search *search, size_t index);
    void (*read_log)(carom_search *search);
    void (*keep_values)(carom_search *search); /* copies the returns of the plans to past.values */

    /* What callers read and set. */
    void (*actions)(carom_search *search, unsigned player, bool zero, void *actions);
    void (*copy)(carom_search *search, void *to, const void *from, size_t bytes);
    carom_status (*set_plan)(carom_search *search, unsigned player, const float *plan);

    /* For saves: the arrays of the past, in memory of this processor, and back if `changed`. NULL: out of memory. */
    search_past *(*read_past)(carom_search *search);
    void (*write_past)(carom_search *search, search_past *past, bool changed);
};

extern const struct search_engine carom_search_here;

/* Arrays are allocated at creation, for the largest generation, and freed with the search. Exceptions: the log grows,
 * and the arrays for leaves valued by the caller may be allocated by the first such run
 * (carom_search_take_leaves()). */
struct carom_search {
    const struct search_engine *engine;
    /* For a search on a device: the batch that it was made for, whose device is used, and the state of
     * kernel/device. */
    const carom_worlds *home;
    struct device_search *device;
    carom_status failed;            /* the first error of the engine in this call */
    bool missing;                   /* during creation: an allocation failed */
    struct search_watch *watch;     /* of watch.c; NULL: not watched */
    struct search_network *network; /* of network.c; NULL: none */

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

/* Allocates what only runs with values by the caller need, in the first such run. */
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

/* Before a run: makes the plans of the last run the initial plans of this one. */
void carom_search_move_plans(carom_search *search, const carom_worlds *roots);

/* ---- candidates.c: what the other players may do ---- */

/* The number of candidates after all rounds. *a_round: how many of them fictitious play adds in each round. */
size_t carom_search_candidates(const carom_game *game, const carom_search_desc *desc, size_t *a_round);

/* False if an argument about the other players is out of range. */
bool carom_search_check_candidates(const carom_game *game, const carom_search_desc *desc);

/* Fills fixed->list. fixed->desc.other becomes the most demanding candidate, in the order of carom_other, which decides
 * whether the others have plans and whether to search for them. */
void carom_search_take_candidates(search_fixed *fixed, const carom_search_desc *desc);

/* Stores the plans that the other players have after `round` rounds. */
void carom_search_keep_found(carom_search *search, unsigned round);

/* Fixes the plans of all players except the planning one for this phase, which begins after `rounds` rounds. */
void carom_search_take_plans(carom_search *search, unsigned rounds);

/* Makes the other players of a rollout follow a candidate. */
void carom_search_face(const search_fixed *fixed, const search_phase *phase, rollout *r, size_t candidate);

/* Reduces the returns against several candidates to one for each sequence: the worst or the mean, as desc.against
 * says. */
void carom_search_combine(carom_search *search);

/* ---- network.c ---- */

/* The kind of observation that a network reads, if the network is for this game. */
carom_status carom_search_find_seen(const carom_network *network, const carom_game *game, size_t *kind,
                                    carom_problem *problem);

/* Whether it has a policy for actions of that kind. */
carom_status carom_search_check_policy(const carom_network *network, const carom_game *game, size_t action_kind,
                                       carom_problem *problem);

/* Whether the arguments about the network are sound, and it has the heads that they need. */
carom_status carom_search_check_network(const carom_game *game, const carom_search_desc *desc, carom_problem *problem);

/* Allocates the network's working memory; false if out of memory. */
bool carom_search_take_network(carom_search *search, const carom_search_desc *desc);
void carom_search_release_network(carom_search *search);

/* At the beginning of a run: lets the policy propose plans for all players. */
void carom_search_propose(carom_search *search);

/* Draws half of a player's first generation in a run about the policy's plan. */
void carom_search_mix_proposal(carom_search *search);

/* Requests from a rollout the network's observations of leaves; lends it the network and arrays for its values; adds
 * the values to the returns. */
void carom_search_see_leaves(const carom_search *search, carom_rollout_desc *asked);
void carom_search_lend_leaves(const carom_search *search, rollout *r, size_t candidate);
void carom_search_value_leaves(carom_search *search);

/* ---- cut.c: dropping hopeless sequences early ---- */

/* Splits the generation in two if that saves ticks: all sequences up to cut_after, then generation->kept of them to the
 * horizon. */
void carom_search_begin_cut(const search_fixed *fixed, search_generation *generation);

/* After the first part: ranks its returns and fills generation->chosen. */
void carom_search_choose(carom_search *search);

/* Describes the second part: the chosen sequences, from the roots again, for the whole horizon. */
void carom_search_begin_rest(const search_fixed *fixed, search_generation *generation);

/* After the second part: moves the returns to their sequences' entries, with -INFINITY for those that were cut. */
void carom_search_spread(carom_search *search);

/* Cost of a generation with a cut, in rollouts of a root against one candidate, rounded up to whole horizons. Updates
 * phase->spare, which makes the next generation cheaper by the ticks rounded up. */
uint64_t carom_search_cost(const search_fixed *fixed, search_phase *phase, const search_generation *generation);

/* ---- pace.c: the speed, and sizes of generations ---- */

/* Updates the speed after a generation of `leaves` leaves that took `seconds`. */
void carom_search_measure(search_pace *pace, size_t leaves, double seconds);

/* The number of sequences for the next generation of the phase, with a budget in time and desc.generations; 0: none
 * that ends in time is worth starting. `now` is by carom_rollout_clock(). */
size_t carom_search_size(const search_fixed *fixed, const search_pace *pace, const search_phase *phase, double now);

/* ---- planners.c ---- */

/* Bytes of search_room.learn for a thread, enough for any planner. */
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
