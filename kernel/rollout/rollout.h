/* SPDX-License-Identifier: MIT
 * A rollout as its parts share it, and as the planners use it: open it once, then play it as often as wanted, in the
 * same working memory, with other numbers behind the same pointers.
 */
#ifndef CAROM_ROLLOUT_ROLLOUT_H
#define CAROM_ROLLOUT_ROLLOUT_H

#include <carom/rollout.h>

#include "games/driver.h"

/* Where the mean of a sequence comes from, for planners that breed. The means of a root are then a pool
 * [root][rollout.pool][row][number]: rows before `cut` are those of member `first`, the others those of `second`. */
typedef struct rollout_origin {
    uint32_t first, second, cut;
    uint32_t exact; /* not 0: the mean itself, nothing drawn */
} rollout_origin;

typedef struct rollout {
    const carom_worlds *roots;
    carom_rollout_desc desc; /* a copy; hold is at least 1 */
    drive d;
    carom_action_kind kind;
    uint32_t players;
    size_t rows[CAROM_MAX_PLAYERS];
    double weights[GAME_MOST_WEIGHTS]; /* of the final value */
    size_t total;                      /* roots x K */
    unsigned lanes;                    /* worlds of a tile */
    size_t run;                        /* tiles */
    double *returns;                   /* [q][player], or NULL */
    carom_worlds *finals;
    /* Of the planners. */
    unsigned breeder;              /* whose means these are, where origins is not NULL */
    const rollout_origin *origins; /* [root][named] */
    size_t named;                  /* sequences of a root; K, unless only some of them are rolled out: */
    const uint32_t *chosen;        /* [root][K]: which; NULL: 0 ... K - 1 */
    size_t pool;                   /* members of a root */
    float threshold;               /* normal numbers nearer to 0 are 0; see transpose_blend */
    double deadline;               /* on the clock of carom_rollout_clock(); 0: none */
    bool *valued;                  /* [q], or NULL: whether a value counts (not of a fault, nor of a game that ended
                                      where desc.value_at_end says so) */
    int *late;                     /* set once the deadline has passed: what was rolled out is not whole */
    uint64_t *ticks;               /* grows by the world-ticks played, or NULL */
    /* Working memory. */
    unsigned char *scratch;
    size_t scratch_bytes; /* of a thread */
} rollout;

/* Is it a rollout? Gives roots x K. NULL is allowed for what is not wanted. */
carom_status carom_rollout_check(const carom_worlds *roots, const carom_rollout_desc *desc, const carom_worlds *finals,
                                 size_t *total);

/* Are there such kinds of observation and reward, and such agents (carom_rollout_desc)? */
bool carom_rollout_check_kinds(const carom_worlds *roots, size_t kind, uint64_t observed, size_t reward_kind);

/* Is there such a final value, and can its weights (NULL: its own) be meant? */
carom_status carom_rollout_check_value(const carom_game *game, size_t value, const double *weights);

/* Describes a rollout that has passed the check; what the planners add is left out. Takes no memory. */
void carom_rollout_describe(rollout *r, const carom_worlds *roots, const carom_rollout_desc *desc);

/* It has so many sequences of each root from now on, not more than it was described with. */
void carom_rollout_resize(rollout *r, size_t sequences);

/* Threads that play it; scratch holds scratch_bytes for each. */
unsigned carom_rollout_threads(const rollout *r);

/* Plays all. */
void carom_rollout_run(const rollout *r);

/* Seconds since some moment. */
double carom_rollout_clock(void);

/* ---- numbers ---- */

/* What a tile's players draw with: made once, when its worlds are forked. */
typedef struct rollout_lanes {
    transpose_names names;
    uint32_t root[CAROM_TILE], sequence[CAROM_TILE];
    bool one_root; /* all lanes have the same */
    /* Of the player whose sequences are bred (rollout.origins). */
    const float *parents[2][CAROM_TILE]; /* whose rows come before `cut`, and from there on */
    uint32_t cut[CAROM_TILE];
    bool exact[CAROM_TILE], any_exact;
    bool one_parent; /* all lanes have the same root and mean, and none is exact */
    transpose_normals normals[CAROM_MAX_PLAYERS];
} rollout_lanes;

/* Room for a row's numbers of one player, in floats, 64-byte aligned; three of them are asked for. */
size_t carom_rollout_row_room(const rollout *r);

/* Names the sequences lanes->sequence of the roots lanes->root. */
void carom_rollout_name(const rollout *r, rollout_lanes *lanes);

/* Lane-major numbers of row `row` of a player whose source is neither a policy nor zero, in the kind's precision.
 * Gaussian rows are asked for in order. room: three times carom_rollout_row_room(). */
void carom_rollout_row(const rollout *r, uint32_t player, size_t row, rollout_lanes *lanes, unsigned char *to,
                       float *room);

/* The numbers of up to 16 sequences of one root as floats, out[sequence][row][number]; room as above, and a fourth. */
void carom_rollout_sequences(const rollout *r, uint32_t player, uint32_t root, const uint32_t *sequences, size_t count,
                             float *out, float *room);

/* ---- elites ---- */

typedef struct rollout_rank {
    double value;
    uint32_t sequence;
} rollout_rank;

/* ranks[0..count-1]: the greatest of returns[k * stride], k < sequences, best first, the lowest k first of equals.
 * ranks has room for all. NaN counts as -INFINITY. */
void carom_rollout_select(const double *returns, size_t stride, size_t sequences, size_t count, rollout_rank *ranks);

/* mean and sigma of `size` numbers over rows[count][size], each weighted (weights NULL: alike). sigma may be NULL.
 * room: [2 * size]. */
void carom_rollout_fit(const float *rows, const double *weights, size_t count, size_t size, float *mean, float *sigma,
                       double *room);

/* Selects and fits for every root, as desc.elites says. CAROM_ERROR_MEMORY. */
carom_status carom_rollout_elites(const rollout *r);

#endif
