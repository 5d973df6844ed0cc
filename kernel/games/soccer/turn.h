/* SPDX-License-Identifier: MIT
 * Worlds of soccer during a tick: what moves, as rows of reals for tick/rounds.h, and the rest of the new state.
 */
#ifndef CAROM_GAMES_SOCCER_TURN_H
#define CAROM_GAMES_SOCCER_TURN_H

#include "games/soccer/soccer.h"

#define RULES_FIELDS SOCCER_FIELDS
#define RULES_PLAYERS 2
#define RULES_BODIES SOCCER_BODIES
#define RULES_OBSERVATION CAROM_SOCCER_OBSERVATION
#define RULES_KINDS 2
#define RULES_MIXED
#define RULES_AGENTS SOCCER_TEAM
#define RULES_EGO CAROM_SOCCER_EGO
#define RULES_SCORED
#define RULES_DRAWN (SOCCER_TEAM * SOCCER_NUMBERS)
typedef soccer_context rules_context;

#include "tick/run.h"

static_assert(RULES_KINDS == SOCCER_KINDS, "every kind of action");

/* Rows of a world in motion. Rows 4 i .. 4 i + 3 are x, y, vx, vy of body i, extrapolated to the end of the tick. Then
 * come the holder of each ball (-1: none), the time of each body's last impact (-dt at first), the number of impacts so
 * far, and the next impact: its time, and its code, which is 0 if none is known. Times count back from the end of the
 * tick. */
enum { X, Y, VX, VY };
#define ROW(i, what) (4 * (i) + (what))
#define HOLDER(context, k) (4 * (context)->bodies + (k))
#define BEGIN(context, i) (4 * (context)->bodies + (context)->balls + (i))
#define COUNT(context) (5 * (context)->bodies + (context)->balls)
#define TIME(context) (COUNT(context) + 1)
#define CODE(context) (COUNT(context) + 2)

#define ROUNDS_ROWS (5 * SOCCER_BODIES + SOCCER_BALLS + 3)
#define ROUNDS_BACK (size_t)BEGIN(run->context, 0) /* bodies and holders are the motion's result */
#define ROUNDS_USED (CODE(run->context) + 1)
#define ROUNDS_LIMIT CAROM_SOCCER_EVENTS
#include "tick/rounds.h"

/* One register group of worlds during a tick. */
typedef struct soccer_turn {
    vreal angle[SOCCER_ROBOTS], spin[SOCCER_ROBOTS];  /* at the end of the tick */
    vreal hold_x[SOCCER_BALLS], hold_y[SOCCER_BALLS]; /* place in its holder's frame, m; 0 if free */
    uint16_t kicks[SOCCER_BALLS];                     /* lanes in which the ball was kicked */
    int8_t kicker[SOCCER_BALLS][LANES];               /* the robot that kicked it, in those lanes */
    vreal way[SOCCER_BALLS]; /* change of the ball's x in the tick; set only if rewards are wanted */
    vreal gained;            /* goals of player 0 less goals of player 1 in this tick */
} soccer_turn;

struct rules_scratch {
    rounds motion;
    soccer_turn turns[RUN_GROUPS];
    /* Commands of the group at hand: a kick's speed in m/s, and the dribbler. 0 or less means off. */
    vreal kick[SOCCER_ROBOTS], dribble[SOCCER_ROBOTS];
};

CAROM_LANE soccer_turn *soccer_turn_of(const tick_run *run, unsigned home)
{
    return &run->own->turns[home / LANES];
}

CAROM_LANE vreal soccer_row(rounds_row *rows, int row)
{
    return v_loadu(rows[row]);
}

/* ---- the rules' constants in the worlds' precision ---- */

#if CAROM_REAL_BITS == 64
typedef soccer_rules_f64 soccer_rules;
#else
typedef soccer_rules_f32 soccer_rules;
#endif

CAROM_LANE const soccer_rules *soccer_rules_of(const soccer_context *context)
{
#if CAROM_REAL_BITS == 64
    return &context->f64;
#else
    return &context->f32;
#endif
}

CAROM_LANE real soccer_radius(const soccer_context *context, int body)
{
    const soccer_rules *r = soccer_rules_of(context);
    return body < context->robots ? r->robot_radius : r->ball_radius;
}

#endif
