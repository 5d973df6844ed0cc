/* SPDX-License-Identifier: MIT
 * What csb keeps about worlds between the passes of a turn, and the look-up of checkpoints in their maps.
 */
#ifndef CAROM_GAMES_CSB_TURN_H
#define CAROM_GAMES_CSB_TURN_H

#include "games/csb/csb.h"

#define RULES_FIELDS CSB_FIELDS
#define RULES_PLAYERS 2
#define RULES_BODIES CSB_PODS
#define RULES_OBSERVATION CAROM_CSB_OBSERVATION
#define RULES_KINDS 4
#define RULES_MIXED
#define RULES_AGENTS (CSB_PODS / 2)
#define RULES_EGO CAROM_CSB_EGO
#define RULES_SHARED
#define RULES_SCORED
#define RULES_DRAWN 4
typedef csb_context rules_context;

#include "tick/run.h"

static_assert(RULES_KINDS == CSB_KINDS, "every kind of action");

/* A register group of worlds during a turn. Every uint16_t is a set of lanes, as bits. */
typedef struct csb_turn {
    vreal vx[CSB_PODS], vy[CSB_PODS], angle[CSB_PODS]; /* after the commands */
    vreal first, pair;        /* set if a pair is near: time of the earliest impact, number of its pair (0: none) */
    vreal progress[CSB_PODS]; /* before the turn, if rewarded: of all pods, or of each player's pod ahead */
    vint shield[CSB_PODS], boosted[CSB_PODS]; /* after the commands; only if `special` */
    union {
        uint16_t near[8];  /* [pair - 1]: lanes in which the pair may meet; the last two are 0 */
        uint64_t pairs[2]; /* the same, four pairs a word */
    };
    union {
        uint16_t hit[CSB_PODS]; /* lanes in which the pod passes a checkpoint on its last segment */
        uint64_t hits;          /* the same, all pods in one word */
    };
    union {
        uint16_t midway[CSB_PODS]; /* lanes in which the pod has passed some in earlier sub-steps */
        uint64_t midways;          /* the same, all pods in one word */
    };
    uint16_t late;                   /* lanes in which a player has run out of time */
    uint16_t illegal[2];             /* by player: lanes in which its thrust loses the game */
    bool special;                    /* in some lane a shield is up, or shield or boost was asked for */
    bool cross;                      /* in some lane a pod may pass a checkpoint, moving freely */
    bool spun;                       /* an angle may be out of range or NaN */
    int32_t passes[CSB_PODS][LANES]; /* checkpoints passed in earlier sub-steps; valid if midways != 0 */
} csb_turn;

CAROM_LANE csb_turn *csb_turn_of(const tick_run *run, unsigned home);

/* ---- maps ---- */

/* The map that one world plays on. */
CAROM_LANE const csb_course *csb_course_of(const csb_context *context, tick_world w)
{
    return &context->courses[*at_map(w, 0)];
}

/* In one world, the checkpoint `further` places after the next one of a pod; beyond the last one, the last one. */
CAROM_LANE void csb_point(const csb_context *context, tick_world w, int pod, int32_t further, real *x, real *y)
{
    const csb_course *course = csb_course_of(context, w);
    const int32_t index = *at_next(w, pod) + further;
    const int32_t *point = context->points[course->first + (index > course->last ? course->last : index)];

    *x = (real)point[0];
    *y = (real)point[1];
}

/* The lanes in which a number of the four pods is above 0. */
#define CSB_ANY_ABOVE_0(field, w)                                                                                      \
    i_gt(i_or(i_or(get_##field(w, 0), get_##field(w, 1)), i_or(get_##field(w, 2), get_##field(w, 3))), i_set1(0))

/* The sum of four magnitudes. */
CAROM_LANE vreal csb_sum4(const vreal *a)
{
    return v_abs(a[0]) + v_abs(a[1]) + (v_abs(a[2]) + v_abs(a[3]));
}

/* |a| <= range; false for NaN. */
CAROM_LANE vmask csb_inside(vreal a, real range)
{
    return v_le(v_abs(a), v_set1(range));
}

#endif
