/* SPDX-License-Identifier: MIT
 * The structure factor S(k) at chosen waves.
 */
#include "base/fpenv.h"
#include "base/memory.h"
#include "lab/region.h"

#define PI 3.14159265358979323846
#define HIGHEST 1000000 /* of m and n */

static bool is_periodic(const carom_region *region)
{
    return carom_region_is_valid(region) && region->periodic_x && region->periodic_y;
}

/* ---- which waves ---- */

static carom_wave wave_of(const carom_region *region, int32_t m, int32_t n)
{
    const double kx = 2 * PI * m / region->width, ky = 2 * PI * n / region->height;
    const carom_wave wave = {m, n, sqrt(kx * kx + ky * ky)};
    return wave;
}

static bool is_new(const carom_wave *waves, size_t count, carom_wave wave)
{
    for (size_t k = 0; k < count; k++) {
        if (waves[k].m == wave.m && waves[k].n == wave.n) {
            return false;
        }
    }
    return true;
}

carom_status carom_measure_waves(const carom_region *region, double greatest, size_t bins, size_t directions,
                                 carom_wave *waves, size_t *count)
{
    if (region == NULL || waves == NULL || count == NULL) {
        return CAROM_ERROR_ARGUMENT;
    }
    const fp_environment caller = fp_begin();
    const bool valid = is_periodic(region) && greatest > 0 && bins > 0 && directions > 0 &&
                       greatest * fmax(region->width, region->height) < 2 * PI * HIGHEST;
    *count = 0;

    for (size_t bin = 0; valid && bin < bins; bin++) {
        const double step = greatest / (double)bins, k = ((double)bin + 0.5) * step;
        const size_t first = *count;
        for (size_t d = 0; d < directions; d++) {
            const double angle = PI * ((double)d + 0.25) / (double)directions;
            const carom_wave wave = wave_of(region, (int32_t)lround(k * cos(angle) * region->width / (2 * PI)),
                                            (int32_t)lround(k * sin(angle) * region->height / (2 * PI)));
            const bool inside = wave.k >= (double)bin * step && wave.k < ((double)bin + 1) * step && wave.k > 0;
            if (inside && is_new(waves + first, *count - first, wave)) {
                waves[(*count)++] = wave;
            }
        }
    }
    fp_end(caller);
    return valid ? CAROM_OK : CAROM_ERROR_VALUE;
}

/* ---- the sums ---- */

/* exp(i m angle) for m = 0, ..., most, by doubling: each is the product of two of about half its m, so that errors grow
 * only with the logarithm of m. */
static void powers(double angle, int32_t most, double *re, double *im)
{
    re[0] = 1;
    im[0] = 0;
    if (most >= 1) {
        re[1] = cos(angle);
        im[1] = sin(angle);
    }
    for (int32_t m = 2; m <= most; m++) {
        const int32_t a = m / 2, b = m - a;
        re[m] = re[a] * re[b] - im[a] * im[b];
        im[m] = re[a] * im[b] + im[a] * re[b];
    }
}

static int32_t greater(int32_t a, int32_t b)
{
    return a > b ? a : b;
}

static carom_status measure_structure(const carom_region *region, size_t n, const double *x, const double *y,
                                      size_t count, const carom_wave *waves, double *sums)
{
    int32_t most_m = 0, most_n = 0;
    bool valid = is_periodic(region) && carom_region_points_valid(region, n, x, y) && n > 0;
    for (size_t w = 0; w < count && valid; w++) {
        valid = waves[w].m >= -HIGHEST && waves[w].m <= HIGHEST && waves[w].n >= -HIGHEST && waves[w].n <= HIGHEST;
        most_m = greater(most_m, waves[w].m < 0 ? -waves[w].m : waves[w].m);
        most_n = greater(most_n, waves[w].n < 0 ? -waves[w].n : waves[w].n);
    }
    if (!valid) {
        return CAROM_ERROR_VALUE;
    }

    /* The powers of a disk along both axes, and each wave's sum over disks. */
    const size_t wide = (size_t)most_m + 1, high = (size_t)most_n + 1;
    double *memory = carom_memory_take((2 * wide + 2 * high + 2 * count) * sizeof *memory);
    if (memory == NULL) {
        return CAROM_ERROR_MEMORY;
    }
    double *xr = memory, *xi = xr + wide, *yr = xi + wide, *yi = yr + high, *re = yi + high, *im = re + count;

    for (size_t i = 0; i < n; i++) {
        powers(2 * PI * ((x[i] - region->x0) / region->width), most_m, xr, xi);
        powers(2 * PI * ((y[i] - region->y0) / region->height), most_n, yr, yi);
        for (size_t w = 0; w < count; w++) {
            const int32_t m = waves[w].m, k = waves[w].n;
            const int32_t am = m < 0 ? -m : m, ak = k < 0 ? -k : k;
            const double c = xr[am], s = m < 0 ? -xi[am] : xi[am], d = yr[ak], t = k < 0 ? -yi[ak] : yi[ak];
            re[w] += c * d - s * t;
            im[w] += c * t + s * d;
        }
    }
    for (size_t w = 0; w < count; w++) {
        sums[w] += (re[w] * re[w] + im[w] * im[w]) / (double)n;
    }
    carom_memory_release(memory);
    return CAROM_OK;
}

carom_status carom_measure_structure(const carom_region *region, size_t n, const double *x, const double *y,
                                     size_t count, const carom_wave *waves, double *sums)
{
    if (region == NULL || x == NULL || y == NULL || waves == NULL || sums == NULL) {
        return CAROM_ERROR_ARGUMENT;
    }
    const fp_environment caller = fp_begin();
    const carom_status status = measure_structure(region, n, x, y, count, waves, sums);
    fp_end(caller);
    return status;
}
