/* SPDX-License-Identifier: MIT
 * Search: planners over rollouts. From every root world one player's plan is improved, generation by generation, within
 * a budget; its first action is what to play.
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
 * One root is a bot, thousands are training targets. A plan has rows = ceil(horizon / hold) rows of numbers, each
 * played for `hold` ticks. What a sequence of them is worth is its return in carom_rollout(), to the player who plans,
 * or the least or the mean of several: see `candidates`.
 *
 * A search remembers plans. If it is run again on worlds that have played on (the same id and episode, a later tick),
 * the last plans are moved on by the ticks played, the last row standing in at the end, and are where the new search
 * starts. In a world that is another, or whose tick is earlier, plans start anew, at the middle of the bounds.
 *
 * Planners. All roll out the plan that they start from, too; the plan that comes out is the best sequence of all.
 *     CAROM_SHOOTING   sequences are drawn uniformly between the bounds
 *     CAROM_CEM        cross-entropy method: normal about a mean, which with the deviation is fitted to the `elites`
 *                      best of every generation; the mean itself is tried, too
 *     CAROM_GENETIC    the first generation as in shooting; then the `elites` best of all are the parents: of two of
 *                      them, the better the likelier, the one up to some row and the other from there on, every number
 *                      mutated with probability `mutation`
 *     CAROM_MPPI       model predictive path integral: normal about a mean, which becomes the mean of all sequences,
 *                      each weighted by exp((its return - the best) / (temperature * deviation of the returns)), or
 *                      by 0 where that is below a thousandth; the mean itself is tried, too
 *
 * With a budget in rollouts the same calls give the same bits on every machine; a budget in time gives what was found
 * until then.
 *
 * Roots on a device (device.h): the same bits. Runs queue their work on desc.stream and return; nothing waits, since a
 * budget in rollouts tells how many generations there are. What callers read and set (actions, plans, returns,
 * observations and values of leaves) is memory of the device, queued likewise. The descriptor's own arrays are memory
 * of this processor. The batch that the search was made with must outlive it. Not on a device
 * (CAROM_ERROR_UNSUPPORTED): a budget in time, and desc.value, in place of which carom_search_leaves() and
 * carom_search_values() take values that are computed there. In a plan that is set, NaN becomes the lower bound.
 * carom_search_last(), carom_search_generation_at(), saves and loads wait for the device; so does a run of more than
 * 1024 generations. Seconds of reports are those that it took to queue.
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
    CAROM_OTHER_ZERO,       /* every number is 0 */
    CAROM_OTHER_POLICY,     /* a built-in policy, which reacts */
    CAROM_OTHER_PLAN,       /* its own plan: carom_search_set_plan(), moved on by the ticks played; at first the middle
                              of the bounds */
    CAROM_OTHER_SEARCH,     /* a plan that is searched for, too: see other_share */
    CAROM_OTHER_FICTITIOUS, /* of two players only: fictitious play (Brown, 1951): it is searched for likewise, and the
                               player answers all plans that it has had since the run began: that of the beginning, and
                               one from each round. Each is a candidate, other_rounds + 1 at last; `against` should be
                               CAROM_AGAINST_MEAN */
    CAROM_OTHER_NETWORK     /* the plan that the network's policy makes for it; see `network` */
} carom_other;

/* One of several things that the other players may do: all of them the same. */
typedef struct carom_candidate {
    carom_other other;
    size_t policy; /* of CAROM_OTHER_POLICY */
} carom_candidate;

/* What a sequence is worth against several candidates. */
typedef enum carom_against {
    CAROM_AGAINST_WORST, /* the least of its returns */
    CAROM_AGAINST_MEAN   /* their mean */
} carom_against;

/* Values leaves: values[leaf][player] for observations[leaf][agent][number], of the kind and the agents that the search
 * was told. Called on the thread that runs the search, once a generation. Another status than CAROM_OK ends the search
 * with that status. */
typedef carom_status carom_search_value(void *user, size_t leaves, const float *observations, double *values);

typedef struct carom_search_desc {
    size_t size; /* sizeof(carom_search_desc), set by carom_search_desc_default() */
    carom_planner planner;
    unsigned player;    /* who plans */
    size_t action_kind; /* default: the game's `normalised` */
    size_t sequences;   /* of a generation and root, at least 4; default 128 */
    size_t horizon;     /* ticks; default 6 */
    size_t hold;        /* ticks that a row is played for; default 1 */
    const float *low;   /* bounds [row][number], read at creation; both NULL: -1 and 1 */
    const float *high;
    uint64_t seed; /* any number */
    /* The budget: one of the two. */
    uint64_t rollouts;   /* of a root, at least 4 for each candidate; default 1024. The last generation may be a smaller
                            one */
    double milliseconds; /* if above 0, time: a run ends within a millisecond of it, unless the caller's own value
                            function takes longer. A generation that is not through by then does not count */
    size_t generations; /* with a budget in time: about so many in a run, equally many for each player in each round, as
                           large as the speed says that was measured so far, and elites as large a part of them; at most
                           of `sequences`, and rather fewer, but ten, than of less than 128. The last are such as still
                           end in time. 0, the default: each has `sequences` */
    /* What a sequence is worth: see rollout.h. */
    double discount, reward_weight, final_weight; /* default 1 */
    bool value_at_end;                            /* default true */
    size_t value_kind;                            /* default 0, `game` */
    const double *weights;                        /* of its features, read at creation; NULL: its own */
    carom_search_value *value;                    /* instead of the game's final value; NULL: that */
    void *user;                                   /* its first argument */
    size_t observation_kind, reward_kind;         /* what is seen of leaves, and rewarded: as in carom_step; 0, 0 */
    uint64_t observed;                            /* likewise: the agents that are observed; 0: all */
    /* What the planners do. */
    size_t elites;          /* at least 2, at most `sequences`; 0, the default: an eighth of a generation */
    double sigma;           /* the first deviation and MPPI's, in halves of the bounds' width; > 0; default 0.5 */
    double sigma_least;     /* the cross-entropy method's stays above it; default 0.05 */
    double keep;            /* what part of the old mean and deviation it keeps; [0, 1); default 0.1 */
    double mutation;        /* (0, 1]; default 0.3 */
    double mutation_spread; /* deviation of a mutation, in halves of the bounds' width; > 0; default 0.3 */
    double temperature;     /* > 0; default 0.2 */
    /* The other players, who all do the same; not read in games of one. */
    carom_other other; /* default CAROM_OTHER_ZERO */
    size_t policy;     /* of CAROM_OTHER_POLICY */
    /* CAROM_OTHER_SEARCH and FICTITIOUS: the others plan first, one after the other in the order of players, for equal
     * parts of their share of the budget, each against the plans of all others as they are then; then the player,
     * against what came out. The budget is parted equally among so many rounds. */
    double other_share;    /* of all others together, in (0, 1); default 0.25 */
    unsigned other_rounds; /* default 1 */
    /* Several candidates of what the other players do: every sequence is rolled out against each of them, and each of
     * these rollouts counts in the budget. `other` and `policy` are not read then. Another player has one plan:
     * CAROM_OTHER_PLAN is that plan as it is when the run begins, CAROM_OTHER_SEARCH as it was searched for last,
     * CAROM_OTHER_FICTITIOUS both and those between. A candidate that is listed twice counts twice in the mean. */
    const carom_candidate *candidates; /* read at creation; NULL, the default: `other` alone */
    size_t candidate_count;            /* 0 if and only if candidates is NULL */
    carom_against against;             /* default CAROM_AGAINST_WORST */
    /* The early end of hopeless sequences: all sequences of a generation are rolled out for the first `cut_after`
     * ticks. The best, by their return there, which has the final value of the state there, are rolled out anew for the
     * whole horizon: `cut_keep` of them, not fewer than the elites, and always the plan or mean that is tried as it is.
     * The others have no return, and nothing is learnt from them. The budget is one of ticks then, `horizon` of them
     * for each of `rollouts`, so that more sequences are begun. A generation in which a cut would save no tick is
     * rolled out whole. */
    size_t cut_after;           /* ticks, below the horizon; 0, the default: off */
    double cut_keep;            /* in (0, 1); default 0.25 */
    const volatile int *cancel; /* as in carom_step */
    void *stream;               /* of a batch on a device: as in carom_step */
    /* A network of this game, which must outlive the search; NULL, the default: none. Not on a device.
     * Its value: network_weight times it is added to the final value of a leaf, as the player who plans sees it; of a
     * player with several agents it is their mean. final_weight 0 leaves the game's own value out. Callers who value
     * leaves in steps do so in place of it.
     * Its policy, for actions of the kind `normalised`: when a run begins, the network plays on from every root for all
     * players; what it does is the plan of CAROM_OTHER_NETWORK. With network_plan every player who plans in the run
     * draws half of its first generation about that plan, which is tried as it is. */
    const carom_network *network;
    double network_weight; /* default 0: its value is not asked for */
    bool network_plan;     /* default false */
} carom_search_desc;

CAROM_API carom_search_desc carom_search_desc_default(const carom_game *game);

/* A search for as many worlds as `roots` has, of the same game, options and precision, on as many threads and with the
 * same instruction set. roots is not kept. All memory that later calls need is taken here, except for the list of
 * generations and for runs whose leaves the caller values. *search is the caller's, to be freed by
 * carom_search_destroy(); NULL after an error.
 *     CAROM_ERROR_ARGUMENT   something out of its range, a kind or an agent that there is not, bounds missing for a
 *                            kind that is not `normalised`, fewer than 4 rollouts for each candidate, or
 *                            fictitious play with three or more players
 *     CAROM_ERROR_VALUE      bounds or weights that are not finite, bounds that are not in order */
typedef struct carom_search carom_search;
CAROM_API carom_status carom_search_create(const carom_worlds *roots, const carom_search_desc *desc,
                                           carom_search **search);
CAROM_API void carom_search_destroy(carom_search *search); /* NULL is allowed */

/* The budget of the runs that follow: as rollouts and milliseconds of the descriptor, where milliseconds above 0 count
 * alone. For a bot whose first turn may take longer, or that has lost time before it could search. Not during a run.
 *     CAROM_ERROR_ARGUMENT   NULL, or a budget that carom_search_create() would refuse; the old one stays */
CAROM_API carom_status carom_search_set_budget(carom_search *search, uint64_t rollouts, double milliseconds);

/* Searches from every world of `roots`, which stay as they are. CAROM_ERROR_ARGUMENT if they are not such worlds as the
 * search was made for; after CAROM_ERROR_CANCELLED the plan is the best so far. */
CAROM_API carom_status carom_search_run(carom_search *search, const carom_worlds *roots);

/* The same in steps, for values that are computed elsewhere, many at once:
 *
 *     carom_search_begin(search, roots);
 *     while (carom_search_leaves(search, &observations, &leaves) == CAROM_OK && leaves != 0) {
 *         ... values[leaf][player] ...
 *         carom_search_values(search, values);
 *     }
 *
 * leaves rolls out a generation and gives what is seen of its last states, observations[leaf][agent][number] of
 * desc.observation_kind, leaf = (candidate * roots + root) * sequences of the generation + k, which stay until the next
 * call on the search; 0 leaves: the budget is used, the plan is ready. There is one candidate while another player
 * plans; those of CAROM_OTHER_FICTITIOUS come after all others, in the order in which they were found. With cut_after a
 * generation's leaves come in two calls: those after cut_after ticks, then those of the sequences that are rolled out
 * for the whole horizon, in the same order. values takes their values, instead of the game's final ones. `roots` must
 * stay as they are meanwhile. The descriptor's `value` is not called. */
CAROM_API carom_status carom_search_begin(carom_search *search, const carom_worlds *roots);
CAROM_API carom_status carom_search_leaves(carom_search *search, const float **observations, size_t *leaves);
CAROM_API carom_status carom_search_values(carom_search *search, const double *values);

/* What `player` does first: actions[root][size of the kind], in the kind's precision: what carom_step.actions takes of
 * one player. Another player's is what the search took it to do, by its plan if a candidate is one; not of
 * CAROM_OTHER_POLICY or _NETWORK (CAROM_ERROR_ARGUMENT). */
CAROM_API carom_status carom_search_actions(const carom_search *search, unsigned player, void *actions);

/* The whole plan: plan[root][row][number]. Before the first run: the middle of the bounds, or what was set. */
CAROM_API carom_status carom_search_plan(const carom_search *search, unsigned player, float *plan);

/* Sets it, clipped to the bounds; the next run takes it as it is, for the worlds as they are then. NULL: all plans
 * start anew. CAROM_ERROR_VALUE if a number is not finite. */
CAROM_API carom_status carom_search_set_plan(carom_search *search, unsigned player, const float *plan);

/* values[root]: the return of the player's plan, when it was last rolled out. 0 before the first run. */
CAROM_API carom_status carom_search_returns(const carom_search *search, double *values);

/* ---- save and load ----
 *
 * A save is what a search remembers of some of its roots: the plans of all players, the returns, which worlds and ticks
 * the plans are for, plans that were set since the last run, and how many generations have begun (draws depend on it).
 * Load it into any search with the same parameters (budgets, cancel flags and value functions may differ) for worlds of
 * the same game, options and precision: in another process, on another machine, with another number of roots, at
 * another place. The next run there gives a root the bits that it would have given here, if the worlds are the same,
 * with their ids and seeds, and the budget is one in rollouts. So workers that keep nothing can share the roots of a
 * search, turn after turn. Neither the descriptor nor the worlds are in it.
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

/* A generation that has been rolled out and valued. Valid until the watch returns. */
typedef struct carom_search_drawn {
    const carom_search_desc
        *desc;                 /* what is asked of the search. Of several candidates `other` is the most demanding, in
                                      the order of carom_other; `candidates` is NULL */
    const carom_worlds *roots; /* from which it was rolled out */
    size_t generation;         /* of this run, from 0 */
    unsigned player;           /* who plans */
    size_t sequences;          /* of each root */
} carom_search_drawn;

/* Sees every generation before the planner learns from it: of a run in steps, before carom_search_values() returns.
 * Called on the thread that runs the search. It may read the search by carom_search_sequences() and
 * carom_search_plan(), which gives what the other players are taken to do, and call nothing else of the search. The
 * time that it takes counts in a budget of time. */
typedef void carom_search_watch(void *user, const carom_search *search, const carom_search_drawn *drawn);

/* Lets `watch` see the generations of the runs that follow; NULL: nobody. The results stay the same bits. Not during a
 * run.
 *     CAROM_ERROR_ARGUMENT      NULL for the search, or a run is unfinished
 *     CAROM_ERROR_UNSUPPORTED   a search on a device */
CAROM_API carom_status carom_search_set_watch(carom_search *search, carom_search_watch *watch, void *user);

/* Only within a watch: some sequences of the generation, as they were rolled out from one root. `sequences` lists
 * `count` of them by number; NULL: 0 to count - 1. Number 0 is the plan or the mean itself where the planner tries it.
 *     numbers[count][row][number]   what the planning player does; may be NULL
 *     returns[count]                what that is worth to it: against several candidates the worst or the mean,
 *                                   -INFINITY after a fault and for what ended early (cut_after); may be NULL
 *     CAROM_ERROR_ARGUMENT          not within a watch; a root or a sequence that there is not */
CAROM_API carom_status carom_search_sequences(const carom_search *search, size_t root, const uint32_t *sequences,
                                              size_t count, float *numbers, double *returns);

/* What the last run did. */
typedef struct carom_search_report {
    uint64_t rollouts, ticks; /* of all roots, of all players' searches, against all candidates */
    size_t generations;       /* whole ones */
    double seconds;
    uint64_t cut; /* how many of the rollouts ended after cut_after ticks */
    double pause; /* with a budget in time: the longest time between two ticks of a thread's rollouts, in seconds. Where
                     it is much longer than a tick takes, other programs had the processor */
} carom_search_report;

CAROM_API carom_search_report carom_search_last(const carom_search *search);

/* One generation of it; the numbers are means over the roots. */
typedef struct carom_search_generation {
    unsigned player;          /* who planned */
    uint64_t rollouts, ticks; /* of all roots */
    double best;              /* greatest return */
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
