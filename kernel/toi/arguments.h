/* SPDX-License-Identifier: MIT
 * Checks of the arrays that are passed to the public functions; shared by solve.c, walls.c and accelerated.c.
 */
#ifndef CAROM_TOI_ARGUMENTS_H
#define CAROM_TOI_ARGUMENTS_H

#include <carom/toi_walls.h>

#include "toi/precise.h"

typedef PRECISE(carom_toi_bodies) toi_bodies;
typedef PRECISE(carom_toi_segments) toi_segments;
typedef PRECISE(carom_toi_points) toi_points;
typedef PRECISE(carom_toi_boxes) toi_boxes;
typedef PRECISE(carom_toi_hits) toi_hits;

/* With n > 0, no array may be NULL. */
static inline bool bodies_complete(size_t n, const toi_bodies *in)
{
    return in != NULL &&
           (n == 0 || (in->x != NULL && in->y != NULL && in->vx != NULL && in->vy != NULL && in->r != NULL));
}

static inline bool segments_complete(size_t n, const toi_segments *in)
{
    return in != NULL && (n == 0 || (in->ax != NULL && in->ay != NULL && in->bx != NULL && in->by != NULL));
}

static inline bool points_complete(size_t n, const toi_points *in)
{
    return in != NULL && (n == 0 || (in->x != NULL && in->y != NULL));
}

static inline bool boxes_complete(size_t n, const toi_boxes *in)
{
    return in != NULL && (n == 0 || (in->x0 != NULL && in->y0 != NULL && in->x1 != NULL && in->y1 != NULL));
}

/* Of the outputs, only the times are required. */
static inline bool hits_complete(size_t n, const toi_hits *out)
{
    return out != NULL && (n == 0 || out->t != NULL);
}

#endif
