/* SPDX-License-Identifier: MIT
 * Points in a region, sorted into cells, so that those near a point are found; distances to nearest images.
 */
#ifndef CAROM_LAB_REGION_H
#define CAROM_LAB_REGION_H

#include <carom/measures.h>

#include <math.h>

/* Points by cell. A cell is at least `reach` wide, so what is that near lies in the nine cells around; along a
 * periodic axis with fewer than three such cells there is one cell, which is visited once. */
typedef struct region_cells {
    carom_region region;
    size_t n;
    uint32_t columns, rows;
    double *x, *y;      /* [n], sorted by cell */
    uint32_t *id;       /* [n]: which point it was */
    uint32_t *begin;    /* [columns * rows + 1]: the first point of each cell */
    unsigned char *all; /* the memory of it all */
} region_cells;

/* A region and points that measures may use? */
bool carom_region_is_valid(const carom_region *region);
bool carom_region_points_valid(const carom_region *region, size_t n, const double *x, const double *y);

/* False: no memory. carom_region_cells_end() frees it. */
bool carom_region_cells_make(const carom_region *region, size_t n, const double *x, const double *y, double reach,
                             region_cells *cells);
void carom_region_cells_end(region_cells *cells);

/* Lists of cells around that of (x, y), without repetition; returns how many, at most 9. */
uint32_t carom_region_cells_around(const region_cells *cells, double x, double y, uint32_t around[9]);

/* A difference of two coordinates, to the nearest image; their distance is at most `side`. */
static inline double region_nearest(double d, double side, bool periodic)
{
    const double half = side / 2;
    const double up = d < -half ? d + side : d;
    const double down = up >= half ? up - side : up;
    return periodic ? down : d;
}

#endif
