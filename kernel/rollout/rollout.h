/* SPDX-License-Identifier: MIT
 * A rollout. Its files, in the order of a call:
 *
 *     rollout.c    checks the request, allocates memory, and chooses the best sequences
 *       run.c      describes a rollout and plays it: forks of the roots, tick by tick
 *       actions.c  the numbers of the sequences, row by row
 *       elites.c   the sequences with the highest returns, and the distribution of their numbers
 *
 * A search plays rollouts, too (search/): it describes one once, then plays it any number of times in the same working
 * memory, with other numbers behind the same pointers.
 */
#ifndef CAROM_ROLLOUT_ROLLOUT_H
#define CAROM_ROLLOUT_ROLLOUT_H

#include <carom/rollout.h>

#include "games/driver.h"
#include "network/network.h"
#include "tick/one_numbers.h"

/* How a planner draws the sequences of the planning player. desc.players[player].mean is then
 * [root][pool][row][number]. */
typedef struct rollout_bred {
    unsigned player;
    const one_origin *origins; /* [root][named], or NULL: sequences are drawn around the mean of their root, */
    bool exact;                /* but sequence 0 is that mean itself */
    size_t named;              /* sequences of a root with an origin: more than K after a cut */
    size_t pool;               /* number of means of a root */
    float threshold;           /* for normal numbers: see transpose_blend */
} rollout_bred;

/* A network whose value is wanted for each observed agent of a world, instead of the observations. */
typedef struct rollout_judge {
    const carom_network *network; /* NULL: none */
    size_t agents;                /* observed */
    float *values;                /* output [q][agent] */
    unsigned char *room;          /* [thread][bytes]: carom_rollout_judge_bytes() each */
    size_t bytes;
} rollout_judge;

/* Pairs of root and sequence are numbered q = root * K + k, where K is desc.sequences. Owns nothing: arrays belong to
 * the caller or the search, and must stay valid until the rollout has been played. */
typedef struct rollout {
    const carom_worlds *roots;
    carom_rollout_desc desc;           /* a copy; hold is at least 1 */
    drive d;                           /* the kinds and sources, bound to kernels */
    carom_action_kind kind;            /* of all players */
    uint32_t players;                  /* of the game */
    size_t rows[CAROM_MAX_PLAYERS];    /* of each player's sequences: ceil(horizon / hold), unchanged by a cut */
    double weights[GAME_MOST_WEIGHTS]; /* of the final value's features; unused for the game's own value */
    size_t total;                      /* roots x K */
    unsigned lanes;                    /* worlds per tile: CAROM_TILE, or 1 for large worlds */
    size_t run;                        /* tiles that a thread plays together, for the whole horizon */
    double *returns;                   /* output [q][player], or NULL */
    carom_worlds *finals;              /* output: world q receives the final state; or NULL */

    /* Set by planners only. In public rollouts 0 or NULL, except bred.named = K and bred.pool = 1. */
    rollout_bred bred;
    const uint32_t *chosen; /* [root][K]: the sequences to roll out; NULL: 0 ... K - 1 */
    double deadline;        /* in the time of carom_rollout_clock(); 0: none */
    int *late;              /* set to 1 once the deadline has passed; the outputs are then incomplete */
    uint32_t *pause;        /* with a deadline: raised to the longest time between two ticks of a thread, in us */
    bool *valued;           /* output [q], or NULL: a value counts (false after a fault, and after the game's end unless
                               desc.value_at_end) */
    uint64_t *ticks;        /* counter of world-ticks played, or NULL; atomic */
    rollout_judge judge;    /* of the only depth that is observed */
    float *numbers;         /* output [tile][series][CAROM_TILE]: those drawn for the bred player; NULL: not wanted */

    /* Working memory. */
    unsigned char *scratch; /* [thread][scratch_bytes] */
    size_t scratch_bytes;   /* of a thread */
} rollout;

/* Rows of a player's sequences, each held for `hold` ticks; 0 means 1. */
static inline size_t rollout_rows(size_t horizon, size_t hold)
{
    return (horizon - 1) / (hold == 0 ? 1 : hold) + 1;
}

/* Checks a descriptor and sets *total to roots x K. finals may be NULL. */
carom_status carom_rollout_check(const carom_worlds *roots, const carom_rollout_desc *desc, const carom_worlds *finals,
                                 size_t *total);

/* Are the bounds of all numbers finite and in order? low: NULL if there are none. */
bool carom_rollout_check_bounds(const float *low, const float *high, size_t series);

/* Does the game have these kinds of observation and reward, and the agents of `observed`? */
bool carom_rollout_check_kinds(const carom_worlds *roots, size_t kind, uint64_t observed, size_t reward_kind);

/* Checks that the game has this kind of final value and that its weights are finite; NULL: the kind's own weights. */
carom_status carom_rollout_check_value(const carom_game *game, size_t value, const double *weights);

/* Fills *r from a descriptor that has passed the check, except for members set by planners. Allocates nothing. */
void carom_rollout_describe(rollout *r, const carom_worlds *roots, const carom_rollout_desc *desc);

/* rollout_judge.bytes for a network and as many agents. */
size_t carom_rollout_judge_bytes(const carom_network *network, size_t agents);

/* Changes the number of sequences per root, up to the number that the rollout was described with. */
void carom_rollout_resize(rollout *r, size_t sequences);

/* The number of threads that play it. */
unsigned carom_rollout_threads(const rollout *r);

/* Plays the whole rollout on carom_rollout_threads() threads and writes its outputs. */
void carom_rollout_run(const rollout *r);

/* The monotonic clock, in seconds. */
double carom_rollout_clock(void);

/* ---- numbers ---- */

/* Everything on which the numbers of a tile's sequences depend. Filled once when the tile is forked, then used for each
 * row. */
typedef struct rollout_lanes {
    transpose_names names;                           /* keys of the random numbers */
    uint32_t root[CAROM_TILE], sequence[CAROM_TILE]; /* what each lane holds */
    bool one_root;                                   /* all lanes hold the same root */

    /* For the player whose sequences are bred; the next three are valid if there are origins. */
    const float *parents[2][CAROM_TILE]; /* members of the pool: for rows before `cut`, and from `cut` on */
    uint32_t cut[CAROM_TILE];
    bool one_parent; /* all lanes have the same mean */
    unsigned exact;  /* bit l: the sequence of lane l is a mean itself */

    transpose_normals
        *normals; /* [player]: the last block of normal numbers, used by the rows in order; set by the caller */
} rollout_lanes;

/* Bytes of a lane-major row of one player's numbers as floats, a multiple of 64: the unit of `room` below. */
size_t carom_rollout_row_room(const rollout *r);

/* Fills the rest of *lanes, given `root` and `sequence`. */
void carom_rollout_name(const rollout *r, rollout_lanes *lanes);

/* Writes row `row` of a player's sequences, lane-major, in the kind's precision. The source must not be CAROM_POLICY or
 * CAROM_ZERO. Gaussian rows must be requested in order, from 0 on. room: 3 x carom_rollout_row_room(). */
void carom_rollout_row(const rollout *r, uint32_t player, size_t row, rollout_lanes *lanes, unsigned char *to,
                       float *room);

/* Keeps in r->numbers, if they are wanted, row `row` of the bred player's numbers of a tile, lane-major. */
void carom_rollout_keep(const rollout *r, size_t tile, size_t row, const unsigned char *drawn);

/* Reads from r->numbers what carom_rollout_sequences() would draw for the bred player; false if they were not kept. */
bool carom_rollout_kept(const rollout *r, size_t root, const uint32_t *sequences, size_t count, float *out);

/* Writes all rows of some sequences of one root as floats, out[count][row][number]. room: 4 x
 * carom_rollout_row_room(). */
void carom_rollout_sequences(const rollout *r, uint32_t player, uint32_t root, const uint32_t *sequences, size_t count,
                             float *out, float *room);

/* ---- elites ---- */

/* A sequence and its return, for sorting. */
typedef struct rollout_rank {
    double value;
    uint32_t sequence;
} rollout_rank;

/* Writes the `count` greatest of returns[k * stride], k < sequences, to ranks, best first, and the lowest k first among
 * equals. ranks must have room for all `sequences`. NaN counts as -INFINITY. */
void carom_rollout_select(const double *returns, size_t stride, size_t sequences, size_t count, rollout_rank *ranks);

/* Computes the mean and standard deviation of each of `series` numbers over rows[count][series], weighted by
 * weights[count]; NULL: equal weights. sigma may be NULL. */
void carom_rollout_fit(const float *rows, const double *weights, size_t count, size_t series, float *mean,
                       float *sigma);

/* Selects the elites of every root and fits their distribution, as requested by desc.elites. Needs r->returns. Returns
 * CAROM_OK or CAROM_ERROR_MEMORY. */
carom_status carom_rollout_elites(const rollout *r);

#endif
