/* SPDX-License-Identifier: MIT
 * The tasks of the programs of tick/one_search.h, for searches on a device: shared by the host and the programs. They
 * are independent of games. Every pointer is a device address; `series` are the numbers of a plan, all rows.
 */
#ifndef CAROM_TICK_ONE_SEARCH_TASK_H
#define CAROM_TICK_ONE_SEARCH_TASK_H

#include "tick/one_plan_task.h"

/* The state of a root world for which a plan was made: shows whether the next run continues the same game. */
typedef struct one_moment {
    uint64_t id;
    int32_t episode, tick;
    uint32_t met; /* 1: the above is valid, since a run has started since creation or since plans were reset; else 0 */
    uint32_t fresh; /* bits of players with a plan from the caller: the next run uses it unshifted, then clears it */
} one_moment;

/* Summary of a generation in one root, over its elites: see carom_search_generation. */
typedef struct one_result {
    double best, mean, spread;
} one_result;

/* A generation in numbers: means over the roots, and the ticks of all worlds. */
typedef struct one_log {
    one_result result;
    uint64_t ticks;
} one_log;

/* The plans of all players. */
typedef struct one_plans {
    float *plans[CAROM_MAX_PLAYERS]; /* [root][series] */
    one_moment *moments;             /* [root] */
    const float *low, *high;         /* [series]: bounds */
    uint64_t series;
    uint32_t players, size, rows, hold;
    uint32_t uneven; /* nonzero: the bounds differ between rows */
} one_plans;

/* Reset plans; thread = root * series + n. */
typedef struct one_start_task {
    uint64_t threads;
    one_plans of;
} one_start_task;

/* The last run's plans become the first ones of this run; thread = root * size + e. Moments are read, not written. */
typedef struct one_move_task {
    uint64_t threads;
    one_plans of;
    one_roots roots;
} one_move_task;

/* Then note which worlds and ticks they are for; thread = root. */
typedef struct one_moments_task {
    uint64_t threads;
    one_roots roots;
    one_moment *moments;
} one_moments_task;

/* A plan in the precision of actions; thread = a number of it. */
typedef struct one_write_task {
    uint64_t threads;
    const float *plan;
    void *to;
    uint32_t wide; /* 1: doubles */
} one_write_task;

/* The first rows of plans; thread = root * size + e. */
typedef struct one_first_task {
    uint64_t threads;
    const float *plan; /* NULL: zeros */
    void *to;
    uint64_t series;
    uint32_t size, wide;
} one_first_task;

/* A plan from the caller, clipped; thread = root * series + n. */
typedef struct one_set_task {
    uint64_t threads;
    one_plans of;
    uint32_t player;
    const float *plan;
} one_set_task;

/* The first distribution of a phase; thread = root * series + n. */
typedef struct one_open_task {
    uint64_t threads;
    uint64_t series;
    const float *plan, *low, *high;
    double first; /* deviation, in half widths of the bounds */
    float *mean, *sigma;
    double *reached;
} one_open_task;

/* The mean around which each sequence is drawn; thread = root * count + k. */
typedef struct one_origins_task {
    uint64_t threads;
    one_roots roots;
    uint64_t seed, count, parents;
    uint32_t player, rows;
    uint32_t bred;  /* 1: crossovers of parents */
    uint32_t exact; /* if not bred: 1: sequence 0 is the mean itself */
    one_origin *origins;
} one_origins_task;

/* Adds values from outside to returns; thread = leaf * players + player. */
typedef struct one_value_task {
    uint64_t threads;
    uint64_t players;
    double weight;
    const uint8_t *valued; /* [leaf] */
    const double *values;
    double *returns;
} one_value_task;

/* Counts the ticks of a rollout; thread = root. */
typedef struct one_ticks_task {
    uint64_t threads;
    uint64_t count;          /* sequences of a root */
    const uint32_t *lengths; /* [root][count] */
    uint64_t *ticks;         /* [root] */
    uint32_t first;          /* 1: the first rollout of the generation */
} one_ticks_task;

/* Combines the returns against several candidates into one; thread = a sequence of a root. */
typedef struct one_combine_task {
    uint64_t threads;
    uint64_t numbers; /* returns against one candidate */
    uint64_t players, player, facing;
    uint32_t worst;
    double *returns;
} one_combine_task;

/* The sequences that continue after a cut, ascending; thread = root * count + k. */
typedef struct one_choose_task {
    uint64_t threads;
    uint64_t count, kept;
    const uint32_t *ranks; /* [root][count] */
    uint32_t *chosen;      /* [root][kept] */
    uint32_t *places;      /* [root][count]: index among those that continue, or UINT32_MAX */
} one_choose_task;

/* The returns of those that continued, at their sequences' indices; thread = root * count + k. */
typedef struct one_spread_task {
    uint64_t threads;
    uint64_t count, kept, players, player;
    const uint32_t *places;
    const double *packed; /* [root][kept][player] */
    double *returns;      /* [root][count][player] */
} one_spread_task;

/* MPPI: the divisor of the exponents of weights; thread = root. */
typedef struct one_scale_task {
    uint64_t threads;
    uint64_t count, stride;
    double temperature;
    const double *returns; /* [root][count], `stride` apart */
    double *scales;        /* [root] */
} one_scale_task;

/* MPPI: the weights of sequences, 0 for those that are ignored; thread = root * count + k. */
typedef struct one_weigh_task {
    uint64_t threads;
    uint64_t count, stride, ranked;
    const double *returns;
    const double *scales;
    const uint32_t *best; /* [root][ranked]: sequences, best first */
    double *weights;      /* [root][count] */
} one_weigh_task;

/* one_learn_task.planner, in the order of carom_planner. */
enum { ONE_SHOOTING, ONE_CEM, ONE_GENETIC, ONE_MPPI };

/* Learns one number of plan and distribution from a generation; thread = root * series + n. */
typedef struct one_learn_task {
    uint64_t threads;
    one_roots roots;
    one_numbers numbers;
    uint32_t planner;
    uint64_t count;        /* sequences of a root */
    uint64_t ranked;       /* how many of them, and of old parents, are in `best` */
    const uint32_t *best;  /* [root][ranked]; old parents are numbered from `count` on */
    const double *values;  /* [root][ranked]: their returns */
    const double *weights; /* [root][count]; MPPI */
    const double *reached; /* [root]: the return reached by the plan so far */
    const float *low, *high;
    double keep, sigma_least;
    uint64_t elites;     /* number of a root's next_parents */
    uint64_t pooled;     /* number of a root's members in `mean` */
    float *plan;         /* [root][series] */
    float *mean, *sigma; /* the distribution */
    float *fitted;       /* [root][series]: the deviation of the sequences learnt from */
    float *next_parents; /* [root][elites][series]; genetic */
} one_learn_task;

/* Notes the rest of a root's results; thread = root. */
typedef struct one_note_task {
    uint64_t threads;
    uint64_t ranked, series, elites;
    const double *values; /* [root][ranked] */
    const float *fitted, *low, *high;
    double *reached;
    double *parents; /* [root][elites]: returns of the parents; NULL: not genetic */
    one_result *results;
} one_note_task;

/* The next parents replace the pool; thread = (root * pooled + member) * series + n. */
typedef struct one_parents_task {
    uint64_t threads;
    uint64_t pooled, elites, series;
    const float *next_parents;
    float *mean;
} one_parents_task;

/* Sums up a generation over the roots; thread = a member of the log: best, mean, spread, ticks. */
typedef struct one_tell_task {
    uint64_t threads;
    uint64_t roots;
    const one_result *results;
    const uint64_t *ticks;
    one_log *log;
} one_tell_task;

/* The entries of these programs. */
#define ONE_SEARCH_ENTRIES(ENTRY)                                                                                      \
    ENTRY(start, one_start_task, one_start)                                                                            \
    ENTRY(move, one_move_task, one_move)                                                                               \
    ENTRY(moments, one_moments_task, one_moments_now)                                                                  \
    ENTRY(write, one_write_task, one_write)                                                                            \
    ENTRY(first, one_first_task, one_first)                                                                            \
    ENTRY(set, one_set_task, one_set)                                                                                  \
    ENTRY(open, one_open_task, one_open)                                                                               \
    ENTRY(origins, one_origins_task, one_origins)                                                                      \
    ENTRY(value, one_value_task, one_value)                                                                            \
    ENTRY(ticks, one_ticks_task, one_ticks)                                                                            \
    ENTRY(combine, one_combine_task, one_combine)                                                                      \
    ENTRY(choose, one_choose_task, one_choose)                                                                         \
    ENTRY(spread, one_spread_task, one_spread_out)                                                                     \
    ENTRY(scale, one_scale_task, one_scale)                                                                            \
    ENTRY(weigh, one_weigh_task, one_weigh)                                                                            \
    ENTRY(learn, one_learn_task, one_learn)                                                                            \
    ENTRY(note, one_note_task, one_note)                                                                               \
    ENTRY(parents, one_parents_task, one_parents)                                                                      \
    ENTRY(tell, one_tell_task, one_tell)

#endif
