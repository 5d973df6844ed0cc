/* SPDX-License-Identifier: MIT
 * Points in a region, sorted into cells to find those near a point; distances to nearest images.
 */
#ifndef CAROM_LAB_REGION_H
#define CAROM_LAB_REGION_H

#include <carom/measures.h>

#include <math.h>

/* Points by cell. A cell is at least `reach` wide, so points that near lie in the nine cells around; along a periodic
 * axis with fewer than three such cells there is one cell, which is visited once. */
typedef struct region_cells {
    carom_region region;
    size_t n;
    uint32_t columns, rows;
    double *x, *y;      /* [n], sorted by cell */
    uint32_t *id;       /* [n]: the index of each point */
    uint32_t *begin;    /* [columns * rows + 1]: the first point of each cell */
    unsigned char *all; /* the memory of all these arrays */
} region_cells;

/* Are the region and the points valid for measurements? */
bool carom_region_is_valid(const carom_region *region);
bool carom_region_points_valid(const carom_region *region, size_t n, const double *x, const double *y);

/* False: out of memory. carom_region_cells_end() frees it. */
bool carom_region_cells_make(const carom_region *region, size_t n, const double *x, const double *y, double reach,
                             region_cells *cells);
void carom_region_cells_end(region_cells *cells);

/* Lists the cells around that of (x, y), without repetition; returns their number, at most 9. */
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
