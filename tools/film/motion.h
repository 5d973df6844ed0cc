/* SPDX-License-Identifier: MIT
 * Where bodies of a film are within a tick: on the ways that they have gone, with their impacts at the times and places
 * that the game tells, straight or, where they are accelerated, along parabolas. tools/viewer/motion.js is the same for
 * the page.
 */
#ifndef CAROM_TOOLS_FILM_MOTION_H
#define CAROM_TOOLS_FILM_MOTION_H

#include "film.h"

/* A piece of a way: from one impact, or the start of the tick, to the next one, or the end of the tick. */
typedef struct film_leg {
    double from, to; /* times within the tick */
    double x0, y0, x1, y1;
    double ax, ay; /* distance / tick^2; 0: it is straight */
} film_leg;

/* Notes through which knots the ways of the last tick lead, by the impacts of the last frame. */
void carom_film_tie(film *f);

/* Has the body gone on from a frame to the next, or was it put elsewhere (by a new game, a goal)? */
bool carom_film_goes_on(const film *f, size_t frame, size_t world, size_t body);

/* Legs of the body's way from a frame to the next, on which it goes on; and one of them. */
size_t carom_film_legs(const film *f, size_t frame, size_t world, size_t body);
film_leg carom_film_leg(const film *f, size_t frame, size_t world, size_t body, size_t k);

/* The place on a leg at a time within the tick. */
void carom_film_on_leg(const film_leg *leg, double time, double *x, double *y);

/* The body a part of a tick, 0 to 1, after a frame. Where there is no next frame, or it does not go on, it stays. */
film_body carom_film_body(const film *f, size_t frame, double part, size_t world, size_t body);

/* Of an impact of a frame: ticks since frame 0. Where the game does not tell the time it is the end of the tick. */
static inline double carom_film_when(size_t frame, const film_impact *impact)
{
    return impact->time[0] >= 0 ? (double)(frame - 1) + impact->time[0] : (double)frame;
}

#endif
