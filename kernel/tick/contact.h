/* SPDX-License-Identifier: MIT
 * The contact of a recorded impact (carom_contact): how game kernels fill it in, one impact of one world at a time, in
 * double precision. Not used unless the caller requests contacts.
 *
 *     contact_body()     centre and velocity of one of the two before the impact
 *     contact_meet()     position and normal, if both are circles; otherwise contact_touch()
 *     contact_after()    velocity of one of them after the impact
 *     contact_push()     the resulting impulse
 */
#ifndef CAROM_TICK_CONTACT_H
#define CAROM_TICK_CONTACT_H

#include <carom/game.h>

#include "simd/lanes.h"

/* The contact of an impact in a game with a worklist: see rules_touch() in tick/worklist.h. */
typedef struct impact_touch {
    int body;       /* the second body; -1: a wall or the like, */
    double nx, ny;  /* with this unit normal, in either direction; 0, 0: it has none */
    double radius;  /* of the first body */
    double mass[2]; /* of the first and the second; 0: impacts do not move it */
} impact_touch;

/* Sets the centre and the velocity of the first (k 0) or the second (k 1). */
CAROM_LANE void contact_body(carom_contact *c, unsigned k, double x, double y, double vx, double vy)
{
    c->centre[k][0] = x;
    c->centre[k][1] = y;
    c->before[k][0] = c->after[k][0] = vx;
    c->before[k][1] = c->after[k][1] = vy;
}

/* The first, with this radius, collides with a circle: the normal points from centre to centre. */
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

/* The first, with this radius, touches something at rest in the direction (nx, ny). */
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

/* The impulse, from the second's change of velocity along the normal or, if impacts do not move the second (mass 0),
 * from the first's. */
CAROM_LANE void contact_push(carom_contact *c, double mass, double second_mass)
{
    const unsigned k = second_mass > 0 ? 1 : 0;
    const double x = c->after[k][0] - c->before[k][0], y = c->after[k][1] - c->before[k][1];
    const double gained = x * c->nx + y * c->ny;
    c->impulse = k == 1 ? second_mass * gained : 0 - mass * gained;
}

#endif
