/* SPDX-License-Identifier: MIT
 * Bodies that move in straight lines between impacts, as the rules of a worklist game (tick/worklist.h) see them.
 *
 * In addition to what tick/run.h requires, a game has the fields x, y, vx and vy, and defines before including this
 * file
 *     RULES_BODIES             circles of a world
 *     RULES_FAR_X, RULES_FAR_Y, RULES_FAST   the largest |x|, |y|, and |vx| or |vy| that any body may have at the end
 *                              of a tick; a world that exceeds them faults
 *     RULES_EVENTS             most impacts of a tick: a world with time left after that many faults
 * optionally
 *     RULES_DRIVEN             how many of the first bodies move as commanded, whatever they collide with
 *     RULES_SLOWED             if what follows the motion never increases a velocity, and RULES_FAST is at least twice
 *                              RULES_FAR_X and RULES_FAR_Y: ranges are then checked at less cost
 *     RULES_TURN               a type: what else the rules remember of a register group during a tick
 * and, as lists of X(name, count), vreals that accompany the bodies:
 *     RULES_NOTES(X)           what rules remember from their command to the end of the tick
 *     RULES_GIVEN(X)           set by rules_give() for a group with an impact, and valid only during impacts
 *     RULES_FROM(X)            as X(name, of): each body's x, y, vx or vy when it began to move; rules_hit() may set it
 *                              again
 */
#ifndef CAROM_TICK_BODIES_H
#define CAROM_TICK_BODIES_H

#include "tick/run.h"

#if !defined(RULES_DRIVEN)
#define RULES_DRIVEN 0
#endif
#if !defined(RULES_NOTES)
#define RULES_NOTES(X)
#endif
#if !defined(RULES_FROM)
#define RULES_FROM(X)
#endif
#if !defined(RULES_GIVEN)
#define RULES_GIVEN(X)
#endif

/* The bodies of LANES worlds, and what accompanies them. In a trial of a game arrays have spare elements, see
 * tick/checked.h. */
#define BODIES_MEMBER(name, count) vreal name[CHECKED_ROOM(count)];
#define BODIES_FROM(name, of) BODIES_MEMBER(name, RULES_BODIES)
typedef struct tick_bodies {
    RULES_FROM(BODIES_FROM)
    vreal x[CHECKED_ROOM(RULES_BODIES)], y[CHECKED_ROOM(RULES_BODIES)]; /* centres */
    /* Velocities, in units of length per tick. */
    vreal vx[CHECKED_ROOM(RULES_BODIES)], vy[CHECKED_ROOM(RULES_BODIES)];
    RULES_NOTES(BODIES_MEMBER)
    RULES_GIVEN(BODIES_MEMBER)
} tick_bodies;

/* Do the rules write past the existing bodies and notes? Call bodies_fill() before the rules and bodies_held() after
 * them. */
#define BODIES_FILL(name, count) CHECKED_FILL(b->name, count);
#define BODIES_HELD(name, count) CHECKED_HELD(b->name, count, "the rules set " #name "[%d], a note that has %d");
CAROM_LANE void bodies_fill(tick_bodies *b)
{
    (void)b;
    CHECKED_FILL(b->x, RULES_BODIES);
    CHECKED_FILL(b->y, RULES_BODIES);
    CHECKED_FILL(b->vx, RULES_BODIES);
    CHECKED_FILL(b->vy, RULES_BODIES);
    RULES_NOTES(BODIES_FILL)
}

CAROM_LANE void bodies_held(const tick_bodies *b)
{
    (void)b;
    CHECKED_HELD(b->x, RULES_BODIES, "the rules set x of body %d, of RULES_BODIES %d");
    CHECKED_HELD(b->y, RULES_BODIES, "the rules set y of body %d, of RULES_BODIES %d");
    CHECKED_HELD(b->vx, RULES_BODIES, "the rules set vx of body %d, of RULES_BODIES %d");
    CHECKED_HELD(b->vy, RULES_BODIES, "the rules set vy of body %d, of RULES_BODIES %d");
    RULES_NOTES(BODIES_HELD)
}

/* An impact in each of LANES worlds. Times are in ticks. time: until the impact, or the remaining time while none is
 * found. what: first + 256 second + 65536 kind, which is exact in f32; negative: no impact. left: the remaining time of
 * the tick. count: impacts of the tick, this one included. */
typedef struct tick_impact {
    vreal time, what, left, count;
} tick_impact;

/* tick_impact.what: the body `first` collides with number `second` of the game's `kind` of things. */
CAROM_LANE vreal impact_what(unsigned first, unsigned kind, unsigned second)
{
    CHECKED_INDEX(first, RULES_BODIES, "the rules offer an impact of body %d, of RULES_BODIES %d");
    CHECKED_INDEX(kind, 256, "the rules offer an impact of kind %d: there are %d");
    CHECKED_INDEX(second, 256, "the rules offer an impact with number %d: there are %d");
    return v_set1((real)(first + 256 * second + 65536 * kind));
}

/* The lanes in which the impact is this one. */
CAROM_LANE vmask impact_is(const tick_impact *impact, unsigned first, unsigned kind, unsigned second)
{
    return v_eq(impact->what, impact_what(first, kind, second));
}

/* A world in motion, in each of LANES: rows of reals. Rows before MOTION_BACK are returned to the world's group at the
 * end; rows MOTION_FROM to MOTION_GIVEN are packed when it has an impact. */
#define BODIES_COUNT(name, count) +CHECKED_ROOM(count)
#define BODIES_COUNT_FROM(name, of) +CHECKED_ROOM(RULES_BODIES)
enum {
    MOTION_FROM = 0 RULES_FROM(BODIES_COUNT_FROM),
    MOTION_BACK = MOTION_FROM + 4 * CHECKED_ROOM(RULES_BODIES) RULES_NOTES(BODIES_COUNT),
    MOTION_GIVEN = MOTION_BACK + 2 RULES_GIVEN(BODIES_COUNT),
    MOTION_ROWS
};
typedef union motion {
    struct {
        tick_bodies b;
        vreal time, what; /* of the next impact, as in tick_impact */
        vreal left;
    } at;
    vreal r[MOTION_ROWS];
} motion;
static_assert(sizeof(motion) == MOTION_ROWS * sizeof(vreal), "a motion has nothing but its rows");

/* What a register group needs during a tick in addition to its tile, which keeps its old state until the end. */
typedef struct tick_turn {
    vreal vx[RULES_BODIES], vy[RULES_BODIES]; /* set by rules_command() */
    RULES_NOTES(BODIES_MEMBER)
    vreal time, what; /* of the first impact, as in tick_impact; see tick/worklist.h */
#if defined(RULES_TURN)
    RULES_TURN own;
#endif
} tick_turn;

/* Copies what a list names, from `from` to `to`. */
#define BODIES_COPY(name, count)                                                                                       \
    for (int i = 0; i < (count); i++) {                                                                                \
        to->name[i] = from->name[i];                                                                                   \
    }

/* The turn of the group that contains the world at place `home` of the run. */
CAROM_LANE tick_turn *run_turn(const tick_run *run, unsigned home);

/* Compilers must unroll loops over few bodies to keep the bodies in registers. */
#if RULES_BODIES > 8
#define EACH_BODY(i, first) for (int i = first; i < RULES_BODIES; i++)
#else
#define EACH_BODY(i, first) LANES_UNROLL(8) for (int i = first; i < RULES_BODIES; i++)
#endif

#endif
