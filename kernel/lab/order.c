/* SPDX-License-Identifier: MIT
 * Bond order: psi6 of disks over their Voronoi neighbours.
 *
 * A disk's Voronoi cell is cut from a square, or the part of it inside the region: each disk near it, in order of
 * distance, cuts off what is nearer to that disk. When all within `reach` have cut, the cell is final if its corners
 * are within reach / 2; otherwise it is cut again with twice the reach.
 */
#include "base/fpenv.h"
#include "base/memory.h"
#include "lab/region.h"

#include <stdlib.h>

#define CORNERS 64      /* of a cell while it is cut; the mean is six */
#define NONE UINT32_MAX /* a side that belongs to no disk: of the square, or of the region */
#define SHORTEST 1e-9   /* the shortest side that counts, in mean distances */
#define FIRST_REACH 3.2 /* in mean distances: enough for nearly all cells of a dense system */

/* Corners in order, relative to the disk. Side k lies between corners k and k + 1. */
typedef struct cell {
    uint32_t count;
    double x[CORNERS], y[CORNERS];
    uint32_t side[CORNERS]; /* the entry of `near` that made it, or NONE */
} cell;

typedef struct near_disk {
    double dx, dy, square; /* relative position of the disk; distance squared */
} near_disk;

typedef struct near_list {
    near_disk *disks;
    size_t count, room;
} near_list;

static int by_distance(const void *a, const void *b)
{
    const double p = ((const near_disk *)a)->square, q = ((const near_disk *)b)->square;
    return (p > q) - (p < q);
}

static bool add_near(near_list *list, near_disk disk)
{
    if (list->count == list->room) {
        const size_t room = list->room * 2 + 64;
        near_disk *more = realloc(list->disks, room * sizeof *more);
        if (more == NULL) {
            return false;
        }
        list->disks = more;
        list->room = room;
    }
    list->disks[list->count++] = disk;
    return true;
}

/* All other disks within `reach` of the one at place i of the cells, by distance. */
static bool find_near(const region_cells *c, uint32_t i, double reach, near_list *list)
{
    const carom_region *r = &c->region;
    uint32_t around[9];
    const uint32_t count = carom_region_cells_around(c, c->x[i], c->y[i], around);
    list->count = 0;

    for (uint32_t k = 0; k < count; k++) {
        for (uint32_t j = c->begin[around[k]]; j < c->begin[around[k] + 1]; j++) {
            const double dx = region_nearest(c->x[j] - c->x[i], r->width, r->periodic_x);
            const double dy = region_nearest(c->y[j] - c->y[i], r->height, r->periodic_y);
            const near_disk disk = {dx, dy, dx * dx + dy * dy};
            if (disk.square <= reach * reach && j != i && !add_near(list, disk)) {
                return false;
            }
        }
    }
    qsort(list->disks, list->count, sizeof *list->disks, by_distance);
    return true;
}

/* The square of half-width `reach` around the disk at place i, or its part inside the region along axes that end. */
static cell whole_cell(const region_cells *c, uint32_t i, double reach)
{
    const carom_region *r = &c->region;
    const double x = c->x[i] - r->x0, y = c->y[i] - r->y0;
    const double left = r->periodic_x ? -reach : fmax(-x, -reach);
    const double right = r->periodic_x ? reach : fmin(r->width - x, reach);
    const double lower = r->periodic_y ? -reach : fmax(-y, -reach);
    const double upper = r->periodic_y ? reach : fmin(r->height - y, reach);

    const cell made = {.count = 4,
                       .x = {left, right, right, left},
                       .y = {lower, lower, upper, upper},
                       .side = {NONE, NONE, NONE, NONE}};
    return made;
}

/* Cuts off what is nearer to the disk near[which] than to the cell's own: all with p.d > d.d / 2. */
static void cut(cell *c, const near_disk *d, uint32_t which)
{
    cell left = {.count = 0};
    for (uint32_t k = 0; k < c->count; k++) {
        const uint32_t next = k + 1 < c->count ? k + 1 : 0;
        const double here = c->x[k] * d->dx + c->y[k] * d->dy - d->square / 2;
        const double there = c->x[next] * d->dx + c->y[next] * d->dy - d->square / 2;
        if (here <= 0 && left.count < CORNERS) {
            left.x[left.count] = c->x[k];
            left.y[left.count] = c->y[k];
            left.side[left.count++] = c->side[k];
        }
        /* The side crosses the cut: the new corner starts the cut if the boundary leaves the cell here, otherwise the
         * rest of the side. */
        if ((here <= 0) != (there <= 0) && left.count < CORNERS) {
            const double part = here / (here - there);
            left.x[left.count] = c->x[k] + part * (c->x[next] - c->x[k]);
            left.y[left.count] = c->y[k] + part * (c->y[next] - c->y[k]);
            left.side[left.count++] = here <= 0 ? which : c->side[k];
        }
    }
    *c = left;
}

/* The greatest squared distance of a corner. */
static double extent2(const cell *c)
{
    double most = 0;
    for (uint32_t k = 0; k < c->count; k++) {
        most = fmax(most, c->x[k] * c->x[k] + c->y[k] * c->y[k]);
    }
    return most;
}

/* The cell of the disk at place i, cut by those within `reach`; true if no others can cut it. */
static bool make_cell(const region_cells *c, uint32_t i, double reach, const near_list *list, cell *made)
{
    *made = whole_cell(c, i, reach);
    double most = extent2(made);
    for (size_t k = 0; k < list->count && list->disks[k].square <= 4 * most; k++) {
        if (list->disks[k].square > 0) {
            cut(made, &list->disks[k], (uint32_t)k);
            most = extent2(made);
        }
    }
    return 4 * most <= reach * reach;
}

typedef struct bond_order {
    double re, im;
    uint32_t neighbours;
} bond_order;

/* The mean of exp(6 i angle) over a cell's sides. */
static bond_order order_of(const cell *c, const near_list *list, double shortest, bool weighted)
{
    bond_order sum = {0, 0, 0};
    double weights = 0;
    for (uint32_t k = 0; k < c->count; k++) {
        const uint32_t next = k + 1 < c->count ? k + 1 : 0;
        const double dx = c->x[next] - c->x[k], dy = c->y[next] - c->y[k], length = sqrt(dx * dx + dy * dy);
        if (c->side[k] == NONE || length < shortest) {
            continue;
        }

        /* exp(i angle) to the sixth power: the square of the cube. */
        const near_disk *d = &list->disks[c->side[k]];
        const double distance = sqrt(d->square), e = d->dx / distance, f = d->dy / distance;
        const double e3 = e * (e * e - 3 * f * f), f3 = f * (3 * e * e - f * f);
        const double weight = weighted ? length : 1;
        sum.re += weight * (e3 * e3 - f3 * f3);
        sum.im += weight * (2 * e3 * f3);
        sum.neighbours++;
        weights += weight;
    }
    if (weights > 0) {
        sum.re /= weights;
        sum.im /= weights;
    }
    return sum;
}

/* The longest useful reach: beyond it lie images of disks that are near, or nothing. */
static double reach_limit(const carom_region *region)
{
    const double across = 2 * hypot(region->width, region->height);
    return fmin(region->periodic_x ? region->width / 2 : across, region->periodic_y ? region->height / 2 : across);
}

/* Cells of all disks that can be made with this reach; `done` [n], by disk, marks them. */
static carom_status order_within(const region_cells *c, double reach, double shortest, bool weighted, near_list *list,
                                 bool *done, bond_order *result, size_t *left)
{
    for (uint32_t i = 0; i < c->n; i++) {
        if (done[c->id[i]]) {
            continue;
        }
        cell made;
        if (!find_near(c, i, reach, list)) {
            return CAROM_ERROR_MEMORY;
        }
        if (make_cell(c, i, reach, list, &made)) {
            done[c->id[i]] = true;
            result[c->id[i]] = order_of(&made, list, shortest, weighted);
            --*left;
        }
    }
    return CAROM_OK;
}

static carom_status measure_order(const carom_region *region, size_t n, const double *x, const double *y, bool weighted,
                                  bond_order *result, bool *done)
{
    const double spacing = sqrt(region->width * region->height / (double)n), limit = reach_limit(region);
    near_list list = {NULL, 0, 0};
    carom_status status = CAROM_OK;
    size_t left = n;

    for (double reach = FIRST_REACH * spacing; left > 0 && status == CAROM_OK; reach *= 2) {
        const double now = fmin(reach, limit);
        region_cells cells;
        if (!carom_region_cells_make(region, n, x, y, now, &cells)) {
            status = CAROM_ERROR_MEMORY;
            break;
        }
        status = order_within(&cells, now, SHORTEST * spacing, weighted, &list, done, result, &left);
        carom_region_cells_end(&cells);
        if (status == CAROM_OK && left > 0 && reach >= limit) {
            status = CAROM_ERROR_VALUE;
        }
    }
    free(list.disks);
    return status;
}

carom_status carom_measure_order(const carom_region *region, size_t n, const double *x, const double *y, bool weighted,
                                 double *re, double *im, uint32_t *neighbours)
{
    if (region == NULL || x == NULL || y == NULL || re == NULL || im == NULL) {
        return CAROM_ERROR_ARGUMENT;
    }
    const fp_environment caller = fp_begin();
    carom_status status = CAROM_ERROR_VALUE;
    if (carom_region_is_valid(region) && carom_region_points_valid(region, n, x, y)) {
        bond_order *result = carom_memory_take(n * (sizeof *result + sizeof(bool)) + 1);
        status = result != NULL ? measure_order(region, n, x, y, weighted, result, (bool *)(void *)(result + n))
                                : CAROM_ERROR_MEMORY;
        for (size_t i = 0; i < n && status == CAROM_OK; i++) {
            re[i] = result[i].re;
            im[i] = result[i].im;
            if (neighbours != NULL) {
                neighbours[i] = result[i].neighbours;
            }
        }
        carom_memory_release(result);
    }
    fp_end(caller);
    return status;
}
