/* SPDX-License-Identifier: MIT
 * soccer inside the library: the game's constants, the fields of a world, and the options of a batch.
 */
#ifndef CAROM_GAMES_SOCCER_SOCCER_H
#define CAROM_GAMES_SOCCER_SOCCER_H

#include <carom/soccer.h>

#include "games/game.h"

#define SOCCER_TEAM CAROM_SOCCER_ROBOTS
#define SOCCER_ROBOTS (2 * SOCCER_TEAM)
#define SOCCER_BALLS CAROM_SOCCER_BALLS
#define SOCCER_BODIES CAROM_SOCCER_BODIES

/* Fields as (name, count, role); include/carom/soccer.h gives their meaning and units. */
#define SOCCER_FIELDS(REAL, INT32, INT16, INT8)                                                                        \
    REAL(x, SOCCER_BODIES, STATE)                                                                                      \
    REAL(y, SOCCER_BODIES, STATE)                                                                                      \
    REAL(vx, SOCCER_BODIES, STATE)                                                                                     \
    REAL(vy, SOCCER_BODIES, STATE)                                                                                     \
    REAL(angle, SOCCER_ROBOTS, STATE)                                                                                  \
    REAL(spin, SOCCER_ROBOTS, STATE)                                                                                   \
    REAL(hold_x, SOCCER_BALLS, STATE)                                                                                  \
    REAL(hold_y, SOCCER_BALLS, STATE)                                                                                  \
    INT32(ready, SOCCER_ROBOTS, STATE)                                                                                 \
    INT16(score, 2, STATE)                                                                                             \
    INT8(holder, SOCCER_BALLS, STATE)                                                                                  \
    INT8(winner, 1, STATE)

#define SOCCER_WALL CAROM_SOCCER_WALL
#define SOCCER_NUMBERS CAROM_SOCCER_NUMBERS
#define SOCCER_RANGE 1024.0  /* m: the largest |x| or |y| of a world */
#define SOCCER_FAST 131072.0 /* m/s: the largest component of a velocity */
#define SOCCER_TURN 4.0      /* rad: the largest |angle|, pi and some room for rounding */
/* Pairs of bodies, and one entry for each body and the walls. */
#define SOCCER_CANDIDATES (SOCCER_BODIES * (SOCCER_BODIES - 1) / 2 + SOCCER_BODIES)
#define SOCCER_MOST_SCORE 32767 /* the largest int16: counting stops there */
#define SOCCER_SPREAD 0.005     /* largest shift of a robot at a kick-off, in shares of the field's width */

/* What rays can hit: robots of either side, balls, walls, and the mouths of the opponent's and the own goal. */
enum {
    SOCCER_LIDAR_MATE,
    SOCCER_LIDAR_OTHER,
    SOCCER_LIDAR_BALL,
    SOCCER_LIDAR_WALL,
    SOCCER_LIDAR_GOAL,
    SOCCER_LIDAR_OWN_GOAL,
    SOCCER_LIDAR_THINGS
};

/* The `purpose` of each random stream (base/random.h) that the game draws from. */
enum { SOCCER_DRAW_KICKOFF = 1, SOCCER_DRAW_POLICY };

/* Kinds of action. In either, number k of robot i of player p is element (11 p + i) SOCCER_NUMBERS + k. */
enum { SOCCER_NORMALISED, SOCCER_METRIC, SOCCER_KINDS };

/* Constants of the rules in the worlds' precision, as X(name, value). In the values, o points to the options, dt is the
 * length of a tick in seconds and front the cosine of the arc. Limits for one tick: drop (speed that a rolling ball
 * loses), most_change and most_spin_change (of a robot's velocity and spin), most_pull (of a dribbled ball's
 * velocity). */
#define SOCCER_RULES(X)                                                                                                \
    X(dt, dt)                                                                                                          \
    X(rate, o->rate)                                                                                                   \
    X(half_length, o->length / 2)                                                                                      \
    X(half_width, o->width / 2)                                                                                        \
    X(half_mouth, o->mouth / 2)                                                                                        \
    X(robot_radius, o->robot_radius)                                                                                   \
    X(ball_radius, o->ball_radius)                                                                                     \
    X(robot_mass, o->robot_mass)                                                                                       \
    X(ball_mass, o->ball_mass)                                                                                         \
    X(robot_restitution, o->robot_restitution)                                                                         \
    X(ball_restitution, o->ball_restitution)                                                                           \
    X(wall_restitution, o->wall_restitution)                                                                           \
    X(drop, o->friction *dt)                                                                                           \
    X(max_speed, o->max_speed)                                                                                         \
    X(most_change, o->max_acceleration *dt)                                                                            \
    X(max_spin, o->max_spin)                                                                                           \
    X(most_spin_change, o->max_spin_acceleration *dt)                                                                  \
    X(kick_speed, o->kick_speed)                                                                                       \
    X(front, front)                                                                                                    \
    X(reach, o->robot_radius + o->ball_radius + o->reach)                                                              \
    X(most_pull, o->stickiness *dt / o->ball_mass)

#define SOCCER_RULE_F32(name, value) float name;
#define SOCCER_RULE_F64(name, value) double name;
typedef struct soccer_rules_f32 {
    SOCCER_RULES(SOCCER_RULE_F32)
} soccer_rules_f32;
typedef struct soccer_rules_f64 {
    SOCCER_RULES(SOCCER_RULE_F64)
} soccer_rules_f64;

/* The options of a batch and what follows from them; read-only once created. */
typedef struct soccer_context {
    carom_soccer_options options;
    soccer_rules_f32 f32;
    soccer_rules_f64 f64;
    int team, robots, balls, bodies; /* robots of a side, robots of both sides, balls, and all bodies */
    int32_t reset;                   /* ticks between a robot's kicks, at least 1 */

    /* All pairs that can hit each other, in the order of the tie rule: body first[k] and body second[k], or all four
     * walls if second[k] is SOCCER_WALL. */
    int candidates;
    uint8_t first[SOCCER_CANDIDATES], second[SOCCER_CANDIDATES];
} soccer_context;

extern const game_options carom_soccer_table;
size_t carom_soccer_context_bytes(const carom_worlds_desc *desc);
carom_status carom_soccer_context_create(const carom_worlds_desc *desc, void **result);
void carom_soccer_context_destroy(void *any);
uint64_t carom_soccer_context_hash(const void *any);

#endif
