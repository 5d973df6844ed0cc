/* SPDX-License-Identifier: MIT
 * Pairs of disks by their distance: for g(r), and for the correlation of properties of disks.
 */
#include "base/fpenv.h"
#include "base/memory.h"
#include "lab/region.h"

#include <string.h>

#define PI 3.14159265358979323846

static bool range_is_valid(const carom_region *region, double range, size_t bins)
{
    return range > 0 && isfinite(range) && bins > 0 && bins <= UINT32_MAX &&
           (!region->periodic_x || range <= region->width / 2) && (!region->periodic_y || range <= region->height / 2);
}

/* Sums in the order of points by cell. */
typedef struct pair_sums {
    double range2, scale; /* the square of the range; bins / range */
    size_t bins;
    uint64_t *counts;
    const double *re, *im; /* sorted, or NULL */
    double *sums;
} pair_sums;

/* Adds the pairs of point i with later points of a cell. */
static void add_cell(const region_cells *c, const pair_sums *p, uint32_t i, uint32_t from, uint32_t to)
{
    const carom_region *r = &c->region;
    for (uint32_t j = from > i ? from : i + 1; j < to; j++) {
        const double dx = region_nearest(c->x[j] - c->x[i], r->width, r->periodic_x);
        const double dy = region_nearest(c->y[j] - c->y[i], r->height, r->periodic_y);
        const double square = dx * dx + dy * dy;
        if (square < p->range2) {
            const double at = sqrt(square) * p->scale;
            const size_t bin = at < (double)p->bins ? (size_t)at : p->bins - 1;
            p->counts[bin]++;
            if (p->re != NULL) {
                p->sums[bin] += p->re[i] * p->re[j] + p->im[i] * p->im[j];
            }
        }
    }
}

static void add_pairs(const region_cells *c, const pair_sums *p)
{
    for (uint32_t i = 0; i < c->n; i++) {
        uint32_t around[9];
        const uint32_t count = carom_region_cells_around(c, c->x[i], c->y[i], around);
        for (uint32_t k = 0; k < count; k++) {
            add_cell(c, p, i, c->begin[around[k]], c->begin[around[k] + 1]);
        }
    }
}

static carom_status measure_pairs(const carom_region *region, size_t n, const double *x, const double *y, double range,
                                  size_t bins, uint64_t *counts, const double *re, const double *im, double *sums)
{
    if (!carom_region_is_valid(region) || !range_is_valid(region, range, bins) ||
        !carom_region_points_valid(region, n, x, y)) {
        return CAROM_ERROR_VALUE;
    }
    region_cells cells;
    if (!carom_region_cells_make(region, n, x, y, range, &cells)) {
        return CAROM_ERROR_MEMORY;
    }

    double *values = NULL;
    if (re != NULL) {
        values = carom_memory_take(2 * n * sizeof *values);
        if (values == NULL) {
            carom_region_cells_end(&cells);
            return CAROM_ERROR_MEMORY;
        }
        for (size_t i = 0; i < n; i++) {
            values[i] = re[cells.id[i]];
            values[n + i] = im[cells.id[i]];
        }
    }

    const pair_sums p = {.range2 = range * range,
                         .scale = (double)bins / range,
                         .bins = bins,
                         .counts = counts,
                         .re = values,
                         .im = values != NULL ? values + n : NULL,
                         .sums = sums};
    add_pairs(&cells, &p);
    carom_memory_release(values);
    carom_region_cells_end(&cells);
    return CAROM_OK;
}

carom_status carom_measure_pairs(const carom_region *region, size_t n, const double *x, const double *y, double range,
                                 size_t bins, uint64_t *counts, const double *re, const double *im, double *sums)
{
    const bool valued = re != NULL;
    if (region == NULL || x == NULL || y == NULL || counts == NULL || (im != NULL) != valued ||
        (valued && sums == NULL)) {
        return CAROM_ERROR_ARGUMENT;
    }
    const fp_environment caller = fp_begin();
    const carom_status status = measure_pairs(region, n, x, y, range, bins, counts, re, im, sums);
    fp_end(caller);
    return status;
}

/* ---- points without order ---- */

/* The probability that two independent points of a region are less than r apart. For an axis that is not periodic the
 * difference d of two coordinates has the density 2 (1 - d / side) / side, for a periodic one 2 / side up to half of
 * it; the result is the integral over a disk of the product of the two densities, in which each factor is 1 - (0 or 1)
 * d / side. */
static double nearer_than(const carom_region *region, double r)
{
    const double w = region->width, h = region->height;
    const double a = region->periodic_x ? 0 : 1 / w, b = region->periodic_y ? 0 : 1 / h;
    const double r2 = r * r;
    return (PI * r2 - 4 * r2 * r / 3 * (a + b) + r2 * r2 / 2 * a * b) / (w * h);
}

carom_status carom_measure_pairs_expected(const carom_region *region, size_t n, double range, size_t bins,
                                          double *expected)
{
    if (region == NULL || expected == NULL) {
        return CAROM_ERROR_ARGUMENT;
    }
    const fp_environment caller = fp_begin();
    const bool valid = carom_region_is_valid(region) && range_is_valid(region, range, bins) &&
                       range <= fmin(region->width, region->height);
    const double pairs = n > 0 ? (double)n * ((double)n - 1) / 2 : 0;
    double before = 0;
    for (size_t k = 0; valid && k < bins; k++) {
        const double now = nearer_than(region, range * (double)(k + 1) / (double)bins);
        expected[k] = pairs * (now - before);
        before = now;
    }
    fp_end(caller);
    return valid ? CAROM_OK : CAROM_ERROR_VALUE;
}
