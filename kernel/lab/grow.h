/* SPDX-License-Identifier: MIT
 * Disorder without overlaps: disks are placed at random while they are small, and grow while they collide (Lubachevsky
 * and Stillinger, J. Stat. Phys. 60, 1990).
 */
#ifndef CAROM_LAB_GROW_H
#define CAROM_LAB_GROW_H

#include <carom/base.h>

typedef struct grow_setup {
    size_t bodies;
    const double *radii, *masses; /* [bodies] */
    double width, height;         /* of a box whose lower left corner is the origin */
    bool periodic_x, periodic_y;
    double packing; /* of the disks at their full radii */
    double speed;   /* of the mean radius */
    double excess;  /* the disks grow to 1 + excess times their radii */
    uint64_t seed;
} grow_setup;

/* x, y, vx and vy [bodies] of disks grown to their radii: no momentum, and a kinetic energy of 1 per disk (of one disk:
 * none). The same bits everywhere. CAROM_ERROR_VALUE: there is no room for them to grow that far. */
carom_status carom_grow(const grow_setup *setup, double *x, double *y, double *vx, double *vy);

#endif
