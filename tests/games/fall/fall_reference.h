/* SPDX-License-Identifier: MIT
 * The game fall in plain C, written from the description of the original engine, one world at a time: the reference for
 * the kernels. Slow and simple: it tests every pair, edge and corner, and finds roots by bisection.
 */
#ifndef CAROM_TESTS_GAMES_FALL_FALL_REFERENCE_H
#define CAROM_TESTS_GAMES_FALL_FALL_REFERENCE_H

#include <carom/fall.h>

#include <stdbool.h>

#define FALL_REF_PASTS 512
#define FALL_REF_EVENTS 4096 /* of one tick */

typedef struct fall_ref_hit {
    double time; /* absolute */
    int first, second, part;
    double x, y;
} fall_ref_hit;

typedef struct fall_ref_world {
    carom_fall_body bodies[CAROM_FALL_BODIES]; /* circles' x, y, vx, vy are their present ones */
    int count;
    bool any_polygon;
    double keep, cutoff;
    double clock, frame; /* frame: when the next one is */
    bool queued;
    fall_ref_hit next;
    int past_count;
    fall_ref_hit pasts[FALL_REF_PASTS];
} fall_ref_world;

void fall_ref_start(fall_ref_world *w, const carom_fall_options *options);

/* One frame; returns the number of collisions, of which the first `capacity` are in hits. */
int fall_ref_tick(fall_ref_world *w, fall_ref_hit *hits, int capacity);

#endif
