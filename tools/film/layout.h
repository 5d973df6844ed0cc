/* SPDX-License-Identifier: MIT
 * From a film to a picture: positions and colours of everything.
 */
#ifndef CAROM_TOOLS_FILM_LAYOUT_H
#define CAROM_TOOLS_FILM_LAYOUT_H

#include "ghosts.h"
#include "picture/picture.h"

#define MARK_TICKS 6 /* for which the mark of an impact stays */

typedef struct layout {
    const theme *colours;
    double width;    /* of the picture, in pixels */
    size_t world;    /* of the film */
    size_t trail;    /* frames drawn as a trail */
    double fraction; /* time within the tick towards the next frame, 0 to 1 */
    bool instants;   /* draw impacts at their instants: circles, normal, velocities, impulse */
    double glow;     /* ticks for which they stay */
    bool captions;
    const film_ghosts *ghosts; /* [ghost_count], the first at the bottom; those of other worlds are skipped */
    size_t ghost_count;
} layout;

/* The height in pixels. */
double carom_lay_out_height(const film *f, const layout *c);

/* The picture of a frame; free it with carom_marks_free(). */
void carom_lay_out(const film *f, size_t frame, const layout *c, picture *p);

#endif
