/* SPDX-License-Identifier: MIT
 * Robot soccer in plain C, one world at a time, in double precision: written from the rules alone, with the original's
 * list of collisions, and with nothing from the game's kernel. It is the truth that the kernels are tested against, and
 * a baseline of the benchmark.
 */
#ifndef CAROM_TESTS_GAMES_SOCCER_SOCCER_REFERENCE_H
#define CAROM_TESTS_GAMES_SOCCER_SOCCER_REFERENCE_H

#include <carom/soccer.h>

#define SOCCER_REF_BODIES 26
#define SOCCER_REF_ROBOTS 22

/* One world. The members have the names and types of the fields of an f64 batch. */
typedef struct soccer_ref_world {
    double x[26], y[26], vx[26], vy[26];
    double angle[22], spin[22], hold_x[4], hold_y[4];
    int32_t episode, tick, ready[22];
    int16_t score[2];
    int8_t holder[4], winner;
    int8_t end, fault, frozen;
} soccer_ref_world;

typedef enum soccer_ref_kind { SOCCER_REF_NORMALISED, SOCCER_REF_METRIC } soccer_ref_kind;

/* The fields of a batch, and the world's id in it. */
typedef struct soccer_ref_game {
    carom_soccer_options options;
    uint64_t seed, id;
} soccer_ref_game;

/* What happened in one tick. */
typedef struct soccer_ref_record {
    struct {
        double left;
        int first, second;
    } events[CAROM_SOCCER_EVENTS];
    int event_count;
    double moved[26][4]; /* x, y, vx, vy after the motion, before goals */
} soccer_ref_record;

/* The start of game world->episode. */
void soccer_ref_start(const soccer_ref_game *game, soccer_ref_world *world);

/* Plays one tick with actions[player][11 robots][5]. Returns the carom_end with which the game ended in this tick, else
 * 0; after an end play continues, and the end is reported once. A fault freezes the world as it was before the tick,
 * and ends a game that is not over: CAROM_TRUNCATED, no rewards. A frozen world does not change. rewards[2] and record
 * may be NULL. */
int soccer_ref_step(const soccer_ref_game *game, soccer_ref_world *world, soccer_ref_kind kind, const float *actions,
                    float *rewards, soccer_ref_record *record);

/* What `player` sees. */
void soccer_ref_observe(const soccer_ref_game *game, const soccer_ref_world *world, int player,
                        float out[CAROM_SOCCER_OBSERVATION]);

/* The field of that name in place, *bytes long; NULL for a name that the reference does not know. */
void *soccer_ref_field(soccer_ref_world *world, const char *name, size_t *bytes);

/* The name of the first field in which two worlds differ, or NULL. Zeros of either sign are equal. */
const char *soccer_ref_difference(const soccer_ref_world *a, const soccer_ref_world *b);

#endif
