/* SPDX-License-Identifier: MIT
 * From a film to a picture: where everything stands and in which colours.
 */
#ifndef CAROM_TOOLS_FILM_LAYOUT_H
#define CAROM_TOOLS_FILM_LAYOUT_H

#include "ghosts.h"
#include "picture/picture.h"

#define MARK_TICKS 6 /* that the mark of an impact stays */

typedef struct layout {
    const theme *colours;
    double width;    /* of the picture, in pixels */
    size_t world;    /* of the film */
    size_t trail;    /* frames that are drawn as a trail */
    double fraction; /* towards the next frame, 0 to 1: bodies are drawn on the way */
    bool instants;   /* impacts are drawn as they are at their instants: circles, normal, velocities, impulse */
    double glow;     /* ticks for which they stay */
    bool captions;
    const film_ghosts *ghosts; /* [ghost_count], those of other worlds left out, the first below the others */
    size_t ghost_count;
} layout;

/* Pixels of its height. */
double carom_lay_out_height(const film *f, const layout *c);

/* The picture of a frame; to be freed by carom_marks_free(). */
void carom_lay_out(const film *f, size_t frame, const layout *c, picture *p);

#endif
