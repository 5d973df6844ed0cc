/* SPDX-License-Identifier: MIT
 * The stones of King of War in plain C, one world at a time, in double precision: written from the rules alone, with
 * sorted lists and remembered numbers as in the rules, and with nothing from kernel/. It is the ground truth for tests
 * of the kernels.
 */
#ifndef CAROM_TESTS_GAMES_STONES_STONES_REFERENCE_H
#define CAROM_TESTS_GAMES_STONES_STONES_REFERENCE_H

#include <carom/stones.h>

#define STONES_REF_RANGE 67108864.0

typedef struct stones_ref_stone {
    double px, py, radius, power, friction, speed, course, unused;
    bool in_play, shot; /* shot: curve is a number */
    double curve, shot_course, origin_x, origin_y, shot_distance, shot_traveled;
    /* The stone's memory; next may be empty; a step of 0 (or NaN) counts as empty. */
    bool has_next;
    double next_x, next_y, step;
} stones_ref_stone;

typedef struct stones_ref_world {
    stones_ref_stone stones[CAROM_STONES_MAX];
    int32_t tick;
    int8_t sweeps, winner, end, fault, frozen;
} stones_ref_world;

typedef struct stones_ref_push {
    double stone, course, speed, curve;
} stones_ref_push;

typedef struct stones_ref_hit {
    int striker, struck;
    double way; /* of the striker */
    bool shrunk;
} stones_ref_hit;

typedef struct stones_ref_record {
    int hit_count, out; /* out: stones that left the ring */
    stones_ref_hit hits[10];
    double moved[CAROM_STONES_MAX][4]; /* px, py, speed, unused before all stones move */
} stones_ref_record;

/* An empty world: no stone is in play. */
void stones_ref_clear(stones_ref_world *world);

/* Puts a stone at rest into play, its corner at (px, py). */
void stones_ref_put(stones_ref_world *world, int stone, double px, double py, double radius, double power,
                    double friction);

/* Plays one tick by the options of a batch. actions of both players by kind, as stones.h says: stones_ref_push[2] for
 * `push` and [2][16] for `engine`, float[2][4] for `normalised`. Returns the carom_end with which the game ended in
 * this tick, else 0. A fault freezes the world as it was before the tick, and ends a game that is not over:
 * CAROM_TRUNCATED, no rewards. rewards[2] and record may be NULL. */
int stones_ref_step(stones_ref_world *world, const carom_stones_options *options, size_t kind, const void *actions,
                    float *rewards, stones_ref_record *record);

/* What `player` sees. */
void stones_ref_observe(const stones_ref_world *world, const carom_stones_options *options, int player,
                        float out[CAROM_STONES_OBSERVATION]);

#endif
