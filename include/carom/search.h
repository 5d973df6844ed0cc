/* SPDX-License-Identifier: MIT
 * Search: planners over rollouts. A search improves one player's plan from every root world, generation by generation,
 * within a budget. The plan's first action is the one to play.
 *
 *     carom_search_desc desc = carom_search_desc_default(game);
 *     desc.rollouts = 4096;
 *     carom_search *search;
 *     carom_search_create(roots, &desc, &search);
 *     for (every turn) {
 *         carom_search_run(search, roots);
 *         carom_search_actions(search, 0, actions);
 *         ... play them in `roots` ...
 *     }
 *     carom_search_destroy(search);
 *
 * Search from one root for a bot, from thousands for training targets. A plan has ceil(horizon / hold) rows of numbers,
 * each an action that is played for `hold` ticks. The value of such a sequence is the planning player's return in
 * carom_rollout(), or the least or mean of several returns: see `candidates`.
 *
 * A search remembers plans. If it runs again on worlds that have played on (same id and episode, later tick), the new
 * search starts from the last plans, shifted by the ticks played, with the last row repeated at the end. In a different
 * world, or one at an earlier tick, plans start from the middle of the bounds.
 *
 * Planners. All of them also roll out the plan that they start from; the result is the best sequence of all.
 *     CAROM_SHOOTING   sequences are drawn uniformly between the bounds
 *     CAROM_CEM        cross-entropy method: drawn from a normal distribution, whose mean and deviation are fitted to
 *                      the `elites` best of every generation; the mean itself is also tried
 *     CAROM_GENETIC    the first generation as in shooting; then single-point crossover of two of the `elites` best of
 *                      all, better ones more likely, and mutation of each number with probability `mutation`
 *     CAROM_MPPI       model predictive path integral: drawn from a normal distribution about a mean, which becomes the
 *                      mean of all sequences, each weighted by exp((its return - the best) / (temperature * deviation
 *                      of the returns)), or by 0 if that is below a thousandth; the mean itself is also tried
 *
 * With a budget in rollouts the same calls give the same bits on every machine; with a budget in time the result is
 * what was found by then.
 *
 * Roots on a device (device.h) give the same bits. Runs queue their work on desc.stream and return without waiting,
 * since a budget in rollouts determines the number of generations. What callers read and set (actions, plans, returns,
 * observations and values of leaves) must be memory of the device, and is queued likewise. The descriptor's own arrays
 * are memory of this processor. The batch with which the search was created must outlive it. Not on a device
 * (CAROM_ERROR_UNSUPPORTED): a budget in time, and desc.value: use carom_search_leaves() and carom_search_values() for
 * values computed there. In a plan that you set, NaN becomes the lower bound. carom_search_last(),
 * carom_search_generation_at(), saves and loads wait for the device; so does a run of more than 1024 generations.
 * Reports give the seconds that queueing took.
 */
#ifndef CAROM_SEARCH_H
#define CAROM_SEARCH_H

#include <carom/network.h>
#include <carom/rollout.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum carom_planner { CAROM_SHOOTING, CAROM_CEM, CAROM_GENETIC, CAROM_MPPI } carom_planner;

/* What each of the other players does in the rollouts. */
typedef enum carom_other {
    CAROM_OTHER_ZERO,   /* every number is 0 */
    CAROM_OTHER_POLICY, /* a built-in policy, which reacts */
    CAROM_OTHER_PLAN,   /* its own plan: carom_search_set_plan(), shifted by the ticks played; at first the middle of
                              the bounds */
    CAROM_OTHER_SEARCH, /* a plan that is also searched for: see other_share */
    CAROM_OTHER_FICTITIOUS, /* for two players: fictitious play (Brown, 1951). The other's plan is searched for, and the
                               player answers all plans that the other has had in this run: the first one, and one
                               from each round. Each is a candidate, at the end other_rounds + 1 of them; use
                               CAROM_AGAINST_MEAN */
    CAROM_OTHER_NETWORK     /* the plan that the network's policy makes for it; see `network` */
} carom_other;

/* One of several things that all other players may do. */
typedef struct carom_candidate {
    carom_other other;
    size_t policy; /* for CAROM_OTHER_POLICY */
} carom_candidate;

/* The value of a sequence against several candidates. */
typedef enum carom_against {
    CAROM_AGAINST_WORST, /* the least of its returns */
    CAROM_AGAINST_MEAN   /* their mean */
} carom_against;

/* Computes values[leaf][player] for observations[leaf][agent][number], of the search's kind of observation and agents.
 * Called once a generation, on the thread that runs the search. A status other than CAROM_OK ends the search with that
 * status. */
typedef carom_status carom_search_value(void *user, size_t leaves, const float *observations, double *values);

typedef struct carom_search_desc {
    size_t size; /* sizeof(carom_search_desc), set by carom_search_desc_default() */
    carom_planner planner;
    unsigned player;    /* the one that plans */
    size_t action_kind; /* default: the game's `normalised` */
    size_t sequences;   /* of a generation, for each root, at least 4; default 128 */
    size_t horizon;     /* ticks; default 6 */
    size_t hold;        /* ticks that a row is played for; default 1 */
    const float *low;   /* bounds [row][number], read at creation; both NULL: -1 and 1 */
    const float *high;
    uint64_t seed; /* any number */
    /* The budget, in rollouts or in time. */
    uint64_t rollouts;   /* for each root, at least 4 for each candidate; default 1024. The last generation may be
                            smaller */
    double milliseconds; /* if above 0, the budget in time: a run ends within a millisecond of it, unless your value
                            function takes longer. A generation that is unfinished by then is discarded */
    size_t generations;  /* with a budget in time: the approximate number in a run, equally many for each player in each
                            round. They are sized by the speed measured so far, with elites in proportion, and have at
                            most `sequences` sequences. If they would have fewer than 128, there are fewer generations,
                            but at least ten. The last ones are sized to end in time. 0, the default: all have
                            `sequences` sequences */
    /* The value of a sequence: see rollout.h. */
    double discount, reward_weight, final_weight; /* default 1 */
    bool value_at_end;                            /* default true */
    size_t value_kind;                            /* default 0, `game` */
    const double *weights;                        /* of its features, read at creation; NULL: its own */
    carom_search_value *value;                    /* replaces the game's final value; NULL: the game's */
    void *user;                                   /* its first argument */
    size_t observation_kind, reward_kind;         /* of leaves, and on the way: as in carom_step; 0, 0 */
    uint64_t observed;                            /* the agents of leaves to observe, as in carom_step; 0: all */
    /* Parameters of the planners. */
    size_t elites;          /* at least 2, at most `sequences`; 0, the default: an eighth of a generation */
    double sigma;           /* the first deviation and MPPI's, in halves of the bounds' width; > 0; default 0.5 */
    double sigma_least;     /* the cross-entropy method's stays above it; default 0.05 */
    double keep;            /* the share of the old mean and deviation that it keeps; [0, 1); default 0.1 */
    double mutation;        /* (0, 1]; default 0.3 */
    double mutation_spread; /* deviation of a mutation, in halves of the bounds' width; > 0; default 0.3 */
    double temperature;     /* > 0; default 0.2 */
    /* The other players, all alike; not read in games of one. */
    carom_other other; /* default CAROM_OTHER_ZERO */
    size_t policy;     /* for CAROM_OTHER_POLICY */
    /* CAROM_OTHER_SEARCH and _FICTITIOUS: the others plan first, in the order of players, with equal parts of their
     * share of the budget, each against the current plans of all others; then the player plans against the result. The
     * budget is split evenly over other_rounds rounds. */
    double other_share;    /* of all others together, in (0, 1); default 0.25 */
    unsigned other_rounds; /* default 1 */
    /* Several candidates for what the other players do: every sequence is rolled out against each of them, and each of
     * these rollouts counts in the budget. `other` and `policy` are then ignored. Another player has one plan:
     * CAROM_OTHER_PLAN is that plan at the start of the run, CAROM_OTHER_SEARCH the result of its last search,
     * CAROM_OTHER_FICTITIOUS both and all in between. A candidate listed twice counts twice in the mean. */
    const carom_candidate *candidates; /* read at creation; NULL, the default: `other` alone */
    size_t candidate_count;            /* 0 if and only if candidates is NULL */
    carom_against against;             /* default CAROM_AGAINST_WORST */
    /* Cutting hopeless sequences: all sequences of a generation are first rolled out for `cut_after` ticks. The best by
     * their return there, with the final value of that state, are then rolled out for the whole horizon: the share
     * `cut_keep`, at least as many as the elites, and always the plan or mean that is tried unchanged. The others have
     * no return, and nothing is learnt from them. The budget then counts ticks, `horizon` for each of `rollouts`, so
     * that more sequences are tried. A generation in which a cut would not save a tick is rolled out whole. */
    size_t cut_after;           /* ticks, below the horizon; 0, the default: off */
    double cut_keep;            /* in (0, 1); default 0.25 */
    const volatile int *cancel; /* as in carom_step */
    void *stream;               /* of a batch on a device: as in carom_step */
    /* A network of this game, which must outlive the search; NULL, the default: none. Not on a device. Its value, times
     * network_weight, is added to the final value of a leaf, as seen by the player who plans; for a player with several
     * agents it is their mean. Set final_weight to 0 to leave out the game's own value. Values given by
     * carom_search_values() replace it. Its policy, for actions of the kind `normalised`: when a run starts, the
     * network plays on from every root for all players, and its actions are the plan of CAROM_OTHER_NETWORK. With
     * network_plan every player who plans in the run draws half of its first generation about that plan, which is also
     * tried unchanged. */
    const carom_network *network;
    double network_weight; /* default 0: its value is not used */
    bool network_plan;     /* default false */
} carom_search_desc;

CAROM_API carom_search_desc carom_search_desc_default(const carom_game *game);

/* Creates a search for batches like `roots`: of the same number of worlds, game, options and precision. It uses as many
 * threads and the same instruction set. roots is not kept. Allocates all memory that later calls need, except for the
 * list of generations and for runs whose leaves the caller evaluates. Free *search with carom_search_destroy(); it is
 * NULL after an error.
 *     CAROM_ERROR_ARGUMENT   something out of its range, no such kind or agent, bounds missing for a kind that is not
 *                            `normalised`, fewer than 4 rollouts for each candidate, or fictitious play with three or
 *                            more players
 *     CAROM_ERROR_VALUE      bounds or weights that are not finite, bounds that are not in order */
typedef struct carom_search carom_search;
CAROM_API carom_status carom_search_create(const carom_worlds *roots, const carom_search_desc *desc,
                                           carom_search **search);
CAROM_API void carom_search_destroy(carom_search *search); /* NULL is allowed */

/* Changes the budget of later runs: rollouts and milliseconds as in the descriptor; if milliseconds is above 0, it
 * alone counts. For a bot whose first turn may take longer, or that lost time before it could search. Not during a run.
 *     CAROM_ERROR_ARGUMENT   NULL, or a budget that carom_search_create() would refuse; the old one stays */
CAROM_API carom_status carom_search_set_budget(carom_search *search, uint64_t rollouts, double milliseconds);

/* Searches from every world of `roots`, which do not change. CAROM_ERROR_ARGUMENT if they do not match those that the
 * search was created for; after CAROM_ERROR_CANCELLED the plan is the best so far. */
CAROM_API carom_status carom_search_run(carom_search *search, const carom_worlds *roots);

/* The same in steps, for values that you compute yourself, many at once:
 *
 *     carom_search_begin(search, roots);
 *     while (carom_search_leaves(search, &observations, &leaves) == CAROM_OK && leaves != 0) {
 *         ... values[leaf][player] ...
 *         carom_search_values(search, values);
 *     }
 *
 * carom_search_leaves() rolls out a generation and returns the observations of its last states,
 * observations[leaf][agent][number] of desc.observation_kind, valid until the next call on the search. Leaf number
 * (candidate * roots + root) * sequences + k belongs to sequence k of that root, with the sequences of the generation.
 * 0 leaves: the budget is used up and the plan is ready. There is one candidate while another player plans; those of
 * CAROM_OTHER_FICTITIOUS come last, in the order in which they were found. With cut_after a generation's leaves come in
 * two calls: those after cut_after ticks, then those of the sequences that continue for the whole horizon, in the same
 * order. carom_search_values() takes their values, which replace the game's final ones. `roots` must not change
 * meanwhile. The descriptor's `value` is not called. */
CAROM_API carom_status carom_search_begin(carom_search *search, const carom_worlds *roots);
CAROM_API carom_status carom_search_leaves(carom_search *search, const float **observations, size_t *leaves);
CAROM_API carom_status carom_search_values(carom_search *search, const double *values);

/* The first action of `player`: actions[root][size of the kind], in the kind's precision, as carom_step.actions takes
 * it for one player. For another player it is what the search assumed, by its plan if it is a candidate; not available
 * for CAROM_OTHER_POLICY or _NETWORK (CAROM_ERROR_ARGUMENT). */
CAROM_API carom_status carom_search_actions(const carom_search *search, unsigned player, void *actions);

/* The whole plan: plan[root][row][number]. Before the first run: the middle of the bounds, or what was set. */
CAROM_API carom_status carom_search_plan(const carom_search *search, unsigned player, float *plan);

/* Sets it, clipped to the bounds; the next run uses it unshifted, for the worlds as they are then. NULL: discards all
 * plans. CAROM_ERROR_VALUE if a number is not finite. */
CAROM_API carom_status carom_search_set_plan(carom_search *search, unsigned player, const float *plan);

/* values[root]: the return of the player's plan, when it was last rolled out. 0 before the first run. */
CAROM_API carom_status carom_search_returns(const carom_search *search, double *values);

/* ---- save and load ----
 *
 * A save is what a search remembers of some of its roots: the plans of all players, the returns, which worlds and ticks
 * the plans are for, plans that were set since the last run, and how many generations have begun (draws depend on it).
 * Load it into any search with the same parameters (budgets, cancel flags and value functions may differ) for worlds of
 * the same game, options and precision: in another process, on another machine, with another number of roots, at
 * another place. The next run there gives a root the same bits as here, if the worlds are the same, with their ids and
 * seeds, and the budget is in rollouts. So workers that keep nothing can share the roots of a search, turn after turn.
 * Neither the descriptor nor the worlds are in it.
 *
 * All roots share one count of generations, which a load overwrites: load only saves of the same turn. */

/* Bytes of a save of `count` roots; 0 if the search has fewer roots. */
CAROM_API size_t carom_search_save_size(const carom_search *search, size_t count);

/* Saves roots [first, first + count).
 *     CAROM_ERROR_ARGUMENT   NULL, roots out of range, or a run is unfinished
 *     CAROM_ERROR_SIZE       size is less than carom_search_save_size() */
CAROM_API carom_status carom_search_save(const carom_search *search, size_t first, size_t count, void *buffer,
                                         size_t size);

/* Loads a save into roots [first, first + its number of roots). All or nothing; *problem (may be NULL) gets the
 * reason if not.
 *     CAROM_ERROR_ARGUMENT   NULL, more roots than there are from `first` on, or a run is unfinished
 *     CAROM_ERROR_FORMAT     not a whole, undamaged save of a search with these parameters
 *     CAROM_ERROR_VALUE      a number of a plan that is not finite, or a return that is no number */
CAROM_API carom_status carom_search_load(carom_search *search, size_t first, const void *buffer, size_t size,
                                         carom_problem *problem);

/* ---- watching ---- */

/* A generation that has been rolled out and evaluated. Valid until the watch returns. */
typedef struct carom_search_drawn {
    /* The search's descriptor. With several candidates `other` is the most demanding, in the order of carom_other, and
     * `candidates` is NULL. */
    const carom_search_desc *desc;
    const carom_worlds *roots; /* from which it was rolled out */
    size_t generation;         /* of this run, from 0 */
    unsigned player;           /* the one who plans */
    size_t sequences;          /* of each root */
} carom_search_drawn;

/* Called for every generation before the planner learns from it (in a run in steps, before carom_search_values()
 * returns), on the thread that runs the search. It may read the search with carom_search_sequences() and
 * carom_search_plan(), which returns what the other players are assumed to do, and must not call anything else of the
 * search. Its time counts in a budget in time. */
typedef void carom_search_watch(void *user, const carom_search *search, const carom_search_drawn *drawn);

/* Calls `watch` for the generations of later runs; NULL: no watch. The results stay the same bits. Not during a run.
 *     CAROM_ERROR_ARGUMENT      NULL for the search, or a run is unfinished
 *     CAROM_ERROR_UNSUPPORTED   a search on a device */
CAROM_API carom_status carom_search_set_watch(carom_search *search, carom_search_watch *watch, void *user);

/* Only within a watch: some sequences of the generation, as rolled out from one root. `sequences` lists `count` of them
 * by number; NULL: 0 to count - 1. Number 0 is the plan or mean itself if the planner tries it.
 *     numbers[count][row][number]   the planning player's numbers; may be NULL
 *     returns[count]                its returns: against several candidates the worst or the mean, -INFINITY after a
 *                                   fault and for sequences that were cut; may be NULL
 *     CAROM_ERROR_ARGUMENT          not within a watch; no such root or sequence */
CAROM_API carom_status carom_search_sequences(const carom_search *search, size_t root, const uint32_t *sequences,
                                              size_t count, float *numbers, double *returns);

/* Report on the last run. */
typedef struct carom_search_report {
    uint64_t rollouts, ticks; /* over all roots, all players' searches and all candidates */
    size_t generations;       /* complete ones */
    double seconds;
    uint64_t cut; /* rollouts that ended after cut_after ticks */
    double pause; /* with a budget in time: the longest time between two ticks of a thread's rollouts, in seconds. If it
                     is much longer than a tick takes, other programs had the processor */
} carom_search_report;

CAROM_API carom_search_report carom_search_last(const carom_search *search);

/* One generation of it; the numbers are means over the roots. */
typedef struct carom_search_generation {
    unsigned player;          /* the one who planned */
    uint64_t rollouts, ticks; /* of all roots */
    double best;              /* the greatest return */
    double mean;              /* of the elites' returns */
    double spread;  /* deviation of the elites' numbers (MPPI: of all, weighted), in halves of the bounds' width */
    double seconds; /* since the run began */
    uint64_t cut;   /* as above */
} carom_search_generation;

/* Generation `index` < generations of the last run. */
CAROM_API carom_status carom_search_generation_at(const carom_search *search, size_t index,
                                                  carom_search_generation *generation);

#ifdef __cplusplus
}
#endif
#endif
