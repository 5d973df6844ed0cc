/* SPDX-License-Identifier: MIT
 * Positions of a film's bodies within a tick: on their paths through the impacts that the game reports, along lines or,
 * if accelerated, parabolas. tools/viewer/motion.js is the same for the page.
 */
#ifndef CAROM_TOOLS_FILM_MOTION_H
#define CAROM_TOOLS_FILM_MOTION_H

#include "film.h"

/* A leg of a path: from one impact, or the start of the tick, to the next one, or the end of the tick. */
typedef struct film_leg {
    double from, to; /* times within the tick */
    double x0, y0, x1, y1;
    double ax, ay; /* distance / tick^2; 0: straight */
} film_leg;

/* Records the knots of the last tick's paths, from the impacts of the last frame. */
void carom_film_tie(film *f);

/* Did the body move continuously from a frame to the next, rather than being moved elsewhere (by a new game, a
 * goal)? */
bool carom_film_goes_on(const film *f, size_t frame, size_t world, size_t body);

/* The number of legs of a body's continuous path from a frame to the next; and one of them. */
size_t carom_film_legs(const film *f, size_t frame, size_t world, size_t body);
film_leg carom_film_leg(const film *f, size_t frame, size_t world, size_t body, size_t k);

/* The position on a leg at a time within the tick. */
void carom_film_on_leg(const film_leg *leg, double time, double *x, double *y);

/* The body at a part of a tick, 0 to 1, after a frame. It stays where it is if there is no next frame, or its path is
 * not continuous. */
film_body carom_film_body(const film *f, size_t frame, double part, size_t world, size_t body);

/* The time of an impact of a frame, in ticks since frame 0; the end of the tick if the game does not report it. */
static inline double carom_film_when(size_t frame, const film_impact *impact)
{
    return impact->time[0] >= 0 ? (double)(frame - 1) + impact->time[0] : (double)frame;
}

#endif
