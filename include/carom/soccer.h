/* SPDX-License-Identifier: MIT
 * The game "soccer": robot soccer as the simulator CRISS of Cornell's small-size team (2001-2002) documents it.
 *
 * Two teams of 1..11 robots (slow circles) and 1..4 balls (fast circles) on a walled field. The origin is the centre of
 * the field; player 0 attacks the goal at +x, player 1 that at -x. Units: metres, seconds, radians, kilograms. Bodies:
 * robots 0..n-1 are player 0's, n..2n-1 player 1's, followed by the balls. One tick is one frame, dt = 1 / rate.
 *
 * Fields (in addition to those of worlds.h)
 *     x, y, vx, vy   26 reals each, one per body; 0 beyond the batch's bodies
 *     angle, spin    22 reals each, one per robot: where it faces, in [-pi, pi] up to rounding; radians a second
 *     hold_x, hold_y 4 reals each, one per ball: its place in the frame of the robot that dribbles it
 *     ready          22 x int32: the first tick in which the robot may kick (again)
 *     holder         4 x int8: the robot that dribbles the ball, or -1
 *     score          2 x int16: goals
 *     winner         int8: -1 undecided or a draw, else the player
 * |x|, |y| stay within 2^10 m and |vx|, |vy| within 2^17 m/s: a world that leaves that range has CAROM_FAULT_RANGE. A
 * tick with CAROM_SOCCER_EVENTS impacts is CAROM_FAULT_EVENTS.
 *
 * A tick
 * 1. Commands. A robot's velocity changes towards its target (of length max_speed at most) by at most
 *    max_acceleration * dt, its spin towards the target spin by at most max_spin_acceleration * dt; then its angle
 *    grows by spin * dt. A ball slows down by friction * dt, until it rests.
 * 2. Kick and dribble, ball by ball. Only one robot can act on a ball: the one that dribbles it, else the nearest (the
 *    first of equals). It reaches the ball if their distance is at most the sum of radii + reach and the ball is in its
 *    arc. A kick sets the ball's velocity to the commanded speed in the direction that the robot faced at the start of
 *    the tick, if the robot reaches the ball and its counter allows: kick_reset * rate ticks (rounded up, at least 1)
 *    must lie between two kicks. Else, if the dribbler is on and the robot has the ball or reaches it, the ball gets
 *    the velocity that takes it to the same place relative to the robot at the end of the tick, whatever the robot's
 *    translation and rotation; unless the necessary force, ball_mass * |change of velocity| / dt, is above stickiness.
 *    Otherwise the ball is free. It is also freed when another robot strikes it.
 * 3. Motion: everything moves to the end of the tick, without acceleration. All impacts within the tick are found,
 *    their times counted backwards from its end (t <= 0). The earliest is resolved: the bodies are taken back to its
 *    time, get their new velocities, remember this as their starting point and move to the end again; impacts of these
 *    bodies are searched again, until there are none. Among equal times the lowest body comes first, then the lowest
 *    other body, walls last (right, left, top, bottom).
 * 4. Goals: a ball whose centre is behind a goal line scores, and everything returns to its place for a kick-off.
 *
 * The four situations (d = p1 - p2, w = v1 - v2, R the sum of radii, all at the end of the tick; T the later starting
 * point of the two, in time: -dt at first)
 *     robot - wall    the centre is nearer than the radius to the wall (or beyond it) and the wall's nearest point lies
 *                     strictly between its ends; t = - depth / normal velocity
 *     robot - robot   |d| < R; a = w.d, b = w.w, q = a*a - b*(d.d - R^2), t = -(a + sqrt(q)) / b
 *     ball - wall     t = - depth / normal velocity, if both are positive and the place of contact lies strictly
 *                     between the wall's ends
 *     ball - circle   the same t as for robots without the test of |d| < R: q must be above 0, and t <= 0
 * The goals are openings in the two walls for balls, not for robots. Ends of walls are not treated. Where the original
 * text is silent, Carom adds: bodies that already overlap at T and approach hit each other at T, so a time before T
 * becomes T, if a + b*T < 0; and bodies that approach more slowly than 1e-6 m/s (f64; 1e-4 in f32), or at a glancing
 * angle below 1e-6 (2^-10), count as having no normal velocity and do not hit. With the option `continuous`, robots are
 * tested as balls are, so that nothing passes through anything at any speed.
 *
 * Response: Newton's, in the original's order of operations, where restitution 1 is its completely elastic case; a
 * wall reverses the normal velocity and multiplies it by wall_restitution. Circles with the same centre part along the
 * line on which they came. From the CAROM_SOCCER_ELASTIC-th impact of a world in a tick on, all impacts are completely
 * elastic, since chains of inelastic ones may never end.
 *
 * Action kinds: 5 numbers per robot, 11 robots per player (those beyond the team's robots are not read):
 *     "normalised"   (vx, vy, spin, kick, dribble) in [-1, 1] (clamped; NaN counts as 0): the target velocity in units
 *                    of max_speed, in axes in which the player attacks +x (for player 1 turned by 180 degrees); spin in
 *                    units of max_spin; kick > 0: kick at that share of kick_speed; dribble > 0: on.
 *     "metric"       (vx, vy, spin, kick, dribble) in m/s in the field's axes, rad/s, m/s, > 0: on. Clamped to the
 *                    limits; NaN counts as 0.
 * A target velocity longer than max_speed is shortened. The original also delayed commands and reports by whole frames:
 * callers can do that themselves.
 *
 * Ends: a player who has reached `goals` wins; this terminates. After tick `ticks` the game is truncated; the higher
 * score wins.
 * Reward of player p: the tick's change of (goals of p - goals of the other), plus 1 in the tick in which the game ends
 * with winner p, minus 1 in the tick in which it ends with the other as winner.
 * The kind of reward `own` (game.h), 11 agents per player, its robots: the same, and, for every ball that the robot
 * kicks in the tick or holds at its end, how far the ball moved in the tick towards the goal that the robot attacks /
 * length. Agents beyond the team's robots get 0, except at the end.
 * Final value of a rollout (rollout.h): `game`: V_0 = the mean over the balls of x / length, V_1 = -V_0. `match` is a
 * weighted sum of CAROM_SOCCER_VALUE_WEIGHTS features, all but `held` means over the balls:
 *     ball       x / length towards the other's goal
 *     speed      vx / kick_speed towards it
 *     near       minus the distance of the own robot nearest to the ball / length
 *     rivals     the distance of the other's robot nearest to it / length
 *     held       balls that own robots dribble, minus those that the other's do
 *     behind     cosine of the angle at which the own robot nearest to the ball would have to push it to the middle of
 *                the other's goal: between the way from robot to ball and that from ball to goal
 *
 * Observation, CAROM_SOCCER_OBSERVATION floats, from player p's side, in axes in which it attacks +x: for its own 11
 * robots, then the other's 11, the 8 numbers
 *     x / (length / 2), y / (width / 2), vx / max_speed, vy / max_speed, cos(angle), sin(angle), spin / max_spin,
 *     1 if it may kick in the next tick;
 * for 4 balls x, y likewise, vx / kick_speed, vy / kick_speed, 1 if one of its own robots dribbles it, -1 if one of the
 * other's does; then scores of p and of the other / goals, tick / ticks. Missing robots and balls have zeros.
 *
 * Observation `ego` (game.h), CAROM_SOCCER_EGO floats per robot, 11 robots per player. Ahead is where the robot faces,
 * aside is 90 degrees to its left; places and velocities are relative to its own. First
 *     vx, vy of its own ahead and aside / max_speed, spin / max_spin, 1 if it may kick in the next tick;
 *     x / (length / 2), y / (width / 2), cos(angle), sin(angle) in axes in which its player attacks +x;
 *     for the middle of the goal that it attacks, then of the one it defends: the unit vector to it ahead and aside,
 *     distance / length; scores of its player and of the other / goals, tick / ticks;
 * for each of 4 balls CAROM_SOCCER_EGO_BALL numbers
 *     place ahead and aside / length, velocity likewise / kick_speed, 1 if it dribbles the ball itself, 1 if one of its
 *     team does, -1 if one of the other team does;
 * for the other robots of its team in their order, then for those of the other player CAROM_SOCCER_EGO_ROBOT numbers
 *     place ahead and aside / length, velocity likewise / max_speed, cos and sin of the angle between the two headings.
 * Missing robots and balls have zeros, and missing robots see zeros.
 *
 * Observation `lidar` (game.h), CAROM_SOCCER_LIDAR floats per robot, 11 robots per player, not on devices: the first
 * CAROM_SOCCER_EGO_OWN numbers of `ego`, which describe the robot itself; then, for each of CAROM_SOCCER_LIDAR_RAYS
 * rays spread evenly around the robot's centre, the first one ahead, the second to its left,
 *     the distance to the first thing on the ray / length, 1 if there is none within that range; whether it is a robot
 *     of its team, of the other team, a ball, a wall, the mouth of the goal that it attacks, or that of its own goal (1
 *     or 0 each); velocity relative to its own along the ray (positive: away) and aside (90 degrees to its left) /
 *     max_speed, 0 if there is nothing. The distance is 0 if the centre is within a robot or ball. Missing robots see
 *     zeros.
 *
 * Events (carom_step): first and second are bodies; second is 26..29 for the right (+x), left, top (+y), bottom wall.
 */
#ifndef CAROM_SOCCER_H
#define CAROM_SOCCER_H

#include <carom/game.h>

#ifdef __cplusplus
extern "C" {
#endif

#define CAROM_SOCCER_ROBOTS 11 /* at most, in a team */
#define CAROM_SOCCER_BALLS 4
#define CAROM_SOCCER_BODIES 26
#define CAROM_SOCCER_WALL 26
#define CAROM_SOCCER_NUMBERS 5 /* of an action, a robot */
#define CAROM_SOCCER_OBSERVATION 199
#define CAROM_SOCCER_EGO_OWN 17
#define CAROM_SOCCER_EGO_BALL 6
#define CAROM_SOCCER_EGO_ROBOT 6
#define CAROM_SOCCER_EGO 167
#define CAROM_SOCCER_LIDAR_RAYS 16
#define CAROM_SOCCER_LIDAR 161
#define CAROM_SOCCER_VALUE_WEIGHTS 6
#define CAROM_SOCCER_EVENTS 512
#define CAROM_SOCCER_ELASTIC 17

typedef enum carom_soccer_league {
    CAROM_SOCCER_DIVISION_B, /* small-size league today: 9 x 6 m, 6 robots a side */
    CAROM_SOCCER_DIVISION_A, /* 12 x 9 m, 11 robots a side */
    CAROM_SOCCER_ORIGINAL    /* CRISS: 4 x 2 m, 5 robots a side */
} carom_soccer_league;

/* Values in comments are those of division A, division B and the original; (*): Carom's choice where there is none. */
typedef struct carom_soccer_options {
    size_t size;              /* sizeof(carom_soccer_options), set by carom_soccer_options_of() */
    uint32_t robots;          /* a side, 1..11: 11, 6, 5 */
    uint32_t balls;           /* 1..4: 1 */
    uint32_t goals;           /* to win, 1..10000: 10 (*) */
    uint32_t ticks;           /* of a game, 1..2^30: 18000, five minutes (*) */
    uint32_t continuous;      /* 0 or 1: 0 */
    double rate;              /* ticks a second, 1..10000: 60 */
    double length, width;     /* of the field, 1..100 m: 12 x 9, 9 x 6, 4 x 2 */
    double mouth;             /* width of a goal, below width: 1.8, 1, 0.6 (*) */
    double robot_radius;      /* at most width / 20 and length / 20: 0.09 */
    double robot_mass;        /* 0.001..1000: 2.2 */
    double ball_radius;       /* at most robot_radius: 0.0215 (golf ball) */
    double ball_mass;         /* 0.001..1000: 0.046, 0.046, 0.0483 */
    double robot_restitution; /* of two robots, 0..1: 0.5 */
    double ball_restitution;  /* of a ball and any circle: 0.83 */
    double wall_restitution;  /* of any circle and a wall: 0.8 */
    double friction;          /* deceleration of a ball, m/s^2: 0.49 (rolling); 2.943 (0.3 g, the field's kinetic) */
    double max_speed;         /* of robots, m/s: 3.5, 3.5, 2 (*); all speeds at most 1000 */
    double max_acceleration;  /* m/s^2: 3 (*) */
    double max_spin;          /* rad/s: 10 (*); at most 3 * rate */
    double max_spin_acceleration; /* rad/s^2: 50 (*) */
    double kick_speed;            /* the greatest, m/s: 6.5 (the league's limit), 6.5, 5 */
    double kick_reset;            /* s between kicks, 0..100: 0.1 */
    double arc;                   /* half the angle of the front, degrees, 0..180: 30 (a plate of 0.08 m), 30, 90 */
    double reach;                 /* m: 0.005 (*) */
    double stickiness;            /* N: 100 */
} carom_soccer_options;

/* The options of a league; those of division B. */
CAROM_API carom_soccer_options carom_soccer_options_of(carom_soccer_league league);
CAROM_API carom_soccer_options carom_soccer_options_default(void);

#ifdef __cplusplus
}
#endif
#endif
