/* SPDX-License-Identifier: MIT
 * Fantastic Bits in plain C, one world at a time, in double precision: written from the rules alone, with plain
 * branches and lists, and with nothing from kernel/. It is the ground truth for tests of the kernels, and a baseline of
 * the benchmark.
 *
 * The rules, the slots of bodies, the ends, the reward and the observation are those that carom/fantastic_bits.h
 * describes.
 */
#ifndef CAROM_TESTS_GAMES_FANTASTIC_BITS_FANTASTIC_BITS_REFERENCE_H
#define CAROM_TESTS_GAMES_FANTASTIC_BITS_FANTASTIC_BITS_REFERENCE_H

#include <carom/fantastic_bits.h>

#define FB_REF_BODIES 13 /* wizards 0..3, snaffles 4..10, bludgers 11, 12 */
#define FB_REF_MAX_STEPS 256
#define FB_REF_MAX_EVENTS 1024

/* One world. The members have the names and types of the fields of an f64 batch. */
typedef struct fb_ref_world {
    double x[FB_REF_BODIES], y[FB_REF_BODIES], vx[FB_REF_BODIES], vy[FB_REF_BODIES];
    int32_t tick;
    int8_t hold[4], wait[4];
    int8_t countdown[16], target[16]; /* [wizard * 4 + spell] */
    int8_t cast[4], cast_target[4];
    int8_t alive[7], ignores[7];
    int8_t last[2], score[2], mana[2];
    int8_t winner, snaffles;
    int8_t end, fault, frozen;
} fb_ref_world;

typedef enum fb_ref_kind {
    FB_REF_REFEREE,   /* double[2 players][8] */
    FB_REF_NORMALISED /* float[2 players][10] */
} fb_ref_kind;

typedef enum fb_ref_hit { FB_REF_WALL, FB_REF_POST, FB_REF_PAIR, FB_REF_GRAB, FB_REF_GOAL } fb_ref_hit;

/* An event that acted. */
typedef struct fb_ref_event {
    fb_ref_hit kind;
    double time;
    int first, second;     /* as carom_event has them */
    double x1, y1, x2, y2; /* where the two were before the reaction; the second is left out of WALL and GOAL */
    double impulse;
} fb_ref_event;

/* What happened in one tick; after a fault, in the tick up to the fault. */
typedef struct fb_ref_record {
    fb_ref_event events[FB_REF_MAX_EVENTS];
    int event_count;
    double steps[FB_REF_MAX_STEPS];
    int step_count;
    int goals;
    double moved[FB_REF_BODIES][4]; /* x, y, vx, vy after the motion, before friction and rounding */
} fb_ref_record;

/* The referee's start for its seed. */
void fb_ref_start(fb_ref_world *world, int64_t seed);

/* Plays one tick. actions[player][number] is of the kind's type. Returns the carom_end with which the game ended in
 * this tick, else 0; after an end play continues, and the end is reported once (set `frozen` to stop it). A fault
 * freezes the world as it was before the tick, and ends a game that is not over: CAROM_TRUNCATED, no rewards. A frozen
 * world does not change. rewards[2] and record may be NULL. */
int fb_ref_step(fb_ref_world *world, fb_ref_kind kind, const void *actions, float *rewards, fb_ref_record *record);

/* What `player` sees. */
void fb_ref_observe(const fb_ref_world *world, int player, float out[CAROM_FANTASTIC_BITS_OBSERVATION]);

/* The final value of a rollout for `player`. */
double fb_ref_value(const fb_ref_world *world, int player);

/* The field of that name in place, *bytes long; NULL for a name that the reference does not know. */
void *fb_ref_field(fb_ref_world *world, const char *name, size_t *bytes);

/* The name of the first field in which two worlds differ, or NULL. Zeros of either sign are equal. */
const char *fb_ref_difference(const fb_ref_world *a, const fb_ref_world *b);

#endif
