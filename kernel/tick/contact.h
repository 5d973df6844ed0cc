/* SPDX-License-Identifier: MIT
 * What a recording says of an impact beside its event (carom_contact): how the kernels of games fill it in, one impact
 * of one world at a time, in double precision. Nothing here is used unless the caller wants contacts.
 *
 *     contact_body()     where one of the two is, and how it moves before the impact
 *     contact_meet()     the place and the normal, if both are circles; else contact_touch()
 *     contact_after()    how one of them moves after it
 *     contact_push()     the impulse that follows from all this
 */
#ifndef CAROM_TICK_CONTACT_H
#define CAROM_TICK_CONTACT_H

#include <carom/game.h>

#include "simd/lanes.h"

/* What touches in an impact of a game with a worklist: see rules_touch() in tick/worklist.h. */
typedef struct impact_touch {
    int body;       /* the second, if it is a body; -1: a wall or the like, */
    double nx, ny;  /* and this is its unit normal, on either side; 0, 0: it has none */
    double radius;  /* of the first */
    double mass[2]; /* of the first and of the second; 0: impacts do not move it */
} impact_touch;

/* Sets the centre and the velocity of the first (k 0) or the second (k 1). */
CAROM_LANE void contact_body(carom_contact *c, unsigned k, double x, double y, double vx, double vy)
{
    c->centre[k][0] = x;
    c->centre[k][1] = y;
    c->before[k][0] = c->after[k][0] = vx;
    c->before[k][1] = c->after[k][1] = vy;
}

/* The first, of this radius, meets a circle: the normal leads from centre to centre. */
CAROM_LANE void contact_meet(carom_contact *c, double radius)
{
    const double dx = c->centre[1][0] - c->centre[0][0], dy = c->centre[1][1] - c->centre[0][1];
    const double d = __builtin_sqrt(dx * dx + dy * dy);
    c->nx = d > 0 ? dx / d : 0;
    c->ny = d > 0 ? dy / d : 0;
    c->x = c->centre[0][0] + radius * c->nx;
    c->y = c->centre[0][1] + radius * c->ny;
    c->impulse = 0;
}

/* The first, of this radius, touches something that stands still, in the direction (nx, ny). */
CAROM_LANE void contact_touch(carom_contact *c, double nx, double ny, double radius)
{
    c->nx = nx + 0; /* not -0 */
    c->ny = ny + 0;
    c->x = c->centre[0][0] + radius * nx;
    c->y = c->centre[0][1] + radius * ny;
    c->impulse = 0;
    contact_body(c, 1, c->x, c->y, 0, 0);
}

/* Sets the velocity after the impact of the first or the second. */
CAROM_LANE void contact_after(carom_contact *c, unsigned k, double vx, double vy)
{
    c->after[k][0] = vx;
    c->after[k][1] = vy;
}

/* The impulse, from what the second has gained along the normal or, if impacts do not move it (mass 0), from what the
 * first has lost. */
CAROM_LANE void contact_push(carom_contact *c, double mass, double second_mass)
{
    const unsigned k = second_mass > 0 ? 1 : 0;
    const double x = c->after[k][0] - c->before[k][0], y = c->after[k][1] - c->before[k][1];
    const double gained = x * c->nx + y * c->ny;
    c->impulse = k == 1 ? second_mass * gained : 0 - mass * gained;
}

#endif
