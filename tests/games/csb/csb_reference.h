/* SPDX-License-Identifier: MIT
 * Coders Strike Back in plain C, one world at a time, in double precision: written from the rules alone, with plain
 * branches and loops, and with nothing from kernel/. It is the ground truth for tests of the kernels, and a baseline of
 * the benchmarks.
 *
 * The rules, the ranges, the ends, the reward and the observation are those that carom/csb.h describes.
 */
#ifndef CAROM_TESTS_GAMES_CSB_CSB_REFERENCE_H
#define CAROM_TESTS_GAMES_CSB_CSB_REFERENCE_H

#include <carom/csb.h>

#define CSB_REF_PODS 4
#define CSB_REF_MAX_SUBSTEPS 64 /* a tick that reaches this number gives the world CAROM_FAULT_EVENTS */

/* A map, as the list of checkpoints that a pod has to pass: all of them `laps` times, then the first one. */
typedef struct csb_ref_map {
    int n, laps;
    int count;       /* laps * n + 1 */
    double (*cp)[2]; /* [count] x, y */
} csb_ref_map;

/* One world. The members have the names and types of the fields of an f64 batch. */
typedef struct csb_ref_world {
    double x[CSB_REF_PODS], y[CSB_REF_PODS], vx[CSB_REF_PODS], vy[CSB_REF_PODS], angle[CSB_REF_PODS];
    int32_t tick;
    int16_t next[CSB_REF_PODS];
    int16_t timeout[2];
    int8_t shield[CSB_REF_PODS], boosted[CSB_REF_PODS], won[CSB_REF_PODS];
    int8_t winner, end, fault, frozen;
} csb_ref_world;

/* The kinds of action of csb.h. */
typedef enum csb_ref_kind {
    CSB_REF_RELATIVE,  /* float[2 players][4] */
    CSB_REF_REFEREE,   /* double[2 players][6] */
    CSB_REF_NORMALISED /* float[2 players][4] */
} csb_ref_kind;

typedef struct csb_ref_bounce {
    double left; /* time left in the tick */
    int first, second;
} csb_ref_bounce;

/* What happened in one tick; after a fault, in the tick up to the fault. */
typedef struct csb_ref_record {
    csb_ref_bounce bounces[CSB_REF_MAX_SUBSTEPS];
    int bounce_count;
    int passed;                    /* checkpoints, those that a pod passes again after it has won included */
    double moved[CSB_REF_PODS][4]; /* x, y, vx, vy after the motion, before friction and rounding */
} csb_ref_record;

/* Makes the map of n checkpoints (n, laps and xy as in carom_csb_map), to be freed with end_csb_ref_map(). False if
 * there is no memory. */
bool csb_ref_map_create(csb_ref_map *map, const int32_t (*xy)[2], uint32_t n, uint32_t laps);
void end_csb_ref_map(csb_ref_map *map);

/* The start of a game on a map. */
void csb_ref_start(csb_ref_world *world, const csb_ref_map *map);

/* Plays one tick. actions[player][number] is of the kind's type. Returns the carom_end with which the game ended in
 * this tick, else 0; after an end play continues, and the end is reported once (set `frozen` to stop it). A fault
 * freezes the world as it was before the tick, and ends a game that is not over: CAROM_TRUNCATED, no rewards. A frozen
 * world does not change. rewards[2] and record may be NULL.
 *
 * Where carom/csb.h leaves a choice: a thrust that loses the full game counts as 0 in that tick, and the loss comes
 * before every other end, player 0 first. Timeouts stop at INT16_MIN, ticks at INT32_MAX. A world gets one fault bit:
 * EVENTS, else NAN, else RANGE; an angle out of range moves nothing, so it alone is RANGE.
 */
int csb_ref_step(csb_ref_world *world, const csb_ref_map *map, carom_csb_rules rules, csb_ref_kind kind,
                 const void *actions, float *rewards, csb_ref_record *record);

/* What `player` sees. */
void csb_ref_observe(const csb_ref_world *world, const csb_ref_map *map, int player, float out[CAROM_CSB_OBSERVATION]);

/* The final value of a rollout for `player`. */
double csb_ref_value(const csb_ref_world *world, const csb_ref_map *map, int player);

/* The field of that name (csb.h, worlds.h) in place, *bytes long, in the type that an f64 batch has; NULL for a name
 * that the reference does not know (id, episode and map are among them). */
void *csb_ref_field(csb_ref_world *world, const char *name, size_t *bytes);

/* The name of the first field in which two worlds differ, or NULL. Zeros of either sign are equal, other numbers only
 * if they have the same bits. */
const char *csb_ref_difference(const csb_ref_world *a, const csb_ref_world *b);

/* The game's own sine, cosine (for |x| <= 2^20) and angle of a direction. */
void csb_ref_sincos(double x, double *sine, double *cosine);
double csb_ref_atan2(double y, double x);

#endif
