/* SPDX-License-Identifier: MIT
 * Measures of disks: pair distribution, structure factor, bond order, and the statistics of a series of values.
 *
 * All are functions of arrays that the caller owns. Those that take `counts` or `sums` add to them, so that samples
 * accumulate: start with zeros, and divide at the end. They keep nothing between calls, and calls may run at the same
 * time. The probe (probe.h) calls them while a laboratory runs.
 *
 * Errors: CAROM_ERROR_ARGUMENT for a NULL that is not allowed, CAROM_ERROR_VALUE for a number out of its range,
 * CAROM_ERROR_MEMORY. After an error nothing was added.
 */
#ifndef CAROM_MEASURES_H
#define CAROM_MEASURES_H

#include <carom/base.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The region of the centres: x in [x0, x0 + width], y in [y0, y0 + height]. Along a periodic axis the two ends are the
 * same place. Finite, width and height > 0. */
typedef struct carom_region {
    double x0, y0, width, height;
    bool periodic_x, periodic_y;
} carom_region;

/* ---- pairs ---- */

/* Counts pairs of n disks by distance: counts[k] grows by the pairs, each counted once, with a distance in
 * [k, k + 1) range / bins. Distances are to the nearest image; `range` is at most half the side along a periodic axis.
 *
 * With values (re, im; [n] each, both or neither NULL) of the disks, sums[k] also grows by the real part of
 * value_i conj(value_j) of each such pair. */
CAROM_API carom_status carom_measure_pairs(const carom_region *region, size_t n, const double *x, const double *y,
                                           double range, size_t bins, uint64_t *counts, const double *re,
                                           const double *im, double *sums);

/* The mean number of pairs in each bin for n independent points, equally likely anywhere in the region: g(r) is
 * counts / (samples * expected). Along axes that are not periodic the region's ends are taken into account;
 * `range` is then at most its shorter side. */
CAROM_API carom_status carom_measure_pairs_expected(const carom_region *region, size_t n, double range, size_t bins,
                                                    double *expected);

/* ---- structure factor ---- */

/* A wave that fits into a periodic region: k = 2 pi (m / width, n / height). */
typedef struct carom_wave {
    int32_t m, n;
    double k; /* the length of the wave vector */
} carom_wave;

/* Waves with lengths near (j + 1/2) greatest / bins, j = 0, ..., bins - 1: for each bin at most `directions` different
 * ones, with directions spread over a half turn; a bin may have none. waves[bins * directions], in order of bins;
 * *count is their number. The region must be periodic along both axes, and greatest * side / (2 pi) below 10^6. */
CAROM_API carom_status carom_measure_waves(const carom_region *region, double greatest, size_t bins, size_t directions,
                                           carom_wave *waves, size_t *count);

/* sums[w] grows by |sum over disks of exp(i k.r)|^2 / n for each wave: S(k) is sums / samples. */
CAROM_API carom_status carom_measure_structure(const carom_region *region, size_t n, const double *x, const double *y,
                                               size_t count, const carom_wave *waves, double *sums);

/* ---- bond order ---- */

/* psi6 of each disk: the mean of exp(6 i angle) over the directions to its neighbours, the disks with which it shares a
 * side of its Voronoi cell; if `weighted`, weighted by the lengths of these sides. re, im [n]; neighbours [n] or NULL:
 * the number of each disk's. A disk without neighbours has 0. Radii do not matter. Sides shorter than 1e-9 of the mean
 * distance do not count. Cells end at sides of the region that are not periodic.
 *
 * CAROM_ERROR_VALUE: a cell reaches beyond half of a periodic side, as with fewer than about 20 disks. */
CAROM_API carom_status carom_measure_order(const carom_region *region, size_t n, const double *x, const double *y,
                                           bool weighted, double *re, double *im, uint32_t *neighbours);

/* ---- a series of values, measured at equal distances in time ---- */

typedef struct carom_series {
    double mean;
    double error;    /* standard error of the mean, by blocking; NaN for fewer than 8 values */
    double block;    /* values in the shortest block whose error no longer grows */
    double drift;    /* the trend in time, in standard deviations; NaN for fewer than 8 values */
    bool stationary; /* |drift| < 2.58: a series without a trend fails one time in a hundred. False if NaN */
} carom_series;

/* Blocking (Flyvbjerg and Petersen): neighbours in time are repeatedly joined to blocks of twice the length. The error
 * is the greatest over all lengths that leave at least 16 blocks. The trend test is that of Mann and Kendall, over at
 * most 64 blocks no shorter than `block`, as long as 8 are left. All values finite, n >= 1. */
CAROM_API carom_status carom_measure_series(size_t n, const double *values, carom_series *series);

#ifdef __cplusplus
}
#endif

#endif
