/* SPDX-License-Identifier: MIT
 * Measures of disks against brute-force counts, lattices with known values, and random numbers.
 */
#include "test.h"

#include <complex.h>

#define MANY 400
#define PI 3.14159265358979323846

static double x[MANY], y[MANY];

static carom_region region_of(double width, double height, bool periodic_x, bool periodic_y)
{
    const carom_region region = {-3, 2, width, height, periodic_x, periodic_y};
    return region;
}

static void scatter(const carom_region *r, size_t n, uint64_t seed)
{
    uint64_t random = seed;
    for (size_t i = 0; i < n; i++) {
        x[i] = r->x0 + r->width * rng_in(&random, 0, 1);
        y[i] = r->y0 + r->height * rng_in(&random, 0, 1);
    }
}

static double apart(double d, double side, bool periodic)
{
    return periodic ? d - side * round(d / side) : d;
}

/* ---- pairs ---- */

static void check_pairs(carom_region r, size_t n, double range)
{
    enum { BINS = 40 };
    uint64_t counts[BINS] = {0}, expected[BINS] = {0};
    double re[MANY], im[MANY], sums[BINS] = {0}, products[BINS] = {0};
    scatter(&r, n, n);
    for (size_t i = 0; i < n; i++) {
        re[i] = sin(3.0 * (double)i);
        im[i] = cos(5.0 * (double)i);
    }
    for (size_t i = 0; i < n; i++) {
        for (size_t j = 0; j < i; j++) {
            const double d =
                hypot(apart(x[i] - x[j], r.width, r.periodic_x), apart(y[i] - y[j], r.height, r.periodic_y));
            if (d < range) {
                expected[(size_t)(d / range * (double)BINS)]++;
                products[(size_t)(d / range * (double)BINS)] += re[i] * re[j] + im[i] * im[j];
            }
        }
    }
    OK(carom_measure_pairs(&r, n, x, y, range, BINS, counts, re, im, sums));
    assert_memory_equal(counts, expected, sizeof counts);
    for (size_t k = 0; k < BINS; k++) {
        assert_true(fabs(sums[k] - products[k]) < 1e-9);
    }

    /* A second call adds. */
    OK(carom_measure_pairs(&r, n, x, y, range, BINS, counts, NULL, NULL, NULL));
    for (size_t k = 0; k < BINS; k++) {
        assert_true(counts[k] == 2 * expected[k]);
    }
}

TEST(test_pairs)
{
    check_pairs(region_of(20, 20, true, true), MANY, 3);
    check_pairs(region_of(20, 12, true, true), MANY, 6); /* half of the shorter side: one cell */
    check_pairs(region_of(30, 10, false, true), MANY, 2.5);
    check_pairs(region_of(9, 30, true, false), MANY, 2.9);
    check_pairs(region_of(10, 10, false, false), MANY, 14); /* all of them */
    check_pairs(region_of(10, 10, false, false), 2, 1);
}

/* Points without order have g(r) = 1 in a periodic, a half periodic and a closed region, on average over many. */
TEST(test_pairs_expected)
{
    enum { BINS = 8, SAMPLES = 200 };
    for (int ends = 0; ends < 4; ends++) {
        const carom_region r = region_of(16, 10, (ends & 1) != 0, (ends & 2) != 0);
        uint64_t counts[BINS] = {0};
        double expected[BINS];
        for (uint64_t s = 0; s < SAMPLES; s++) {
            scatter(&r, 100, 1000 + s);
            OK(carom_measure_pairs(&r, 100, x, y, 5, BINS, counts, NULL, NULL, NULL));
        }
        OK(carom_measure_pairs_expected(&r, 100, 5, BINS, expected));
        for (size_t k = 0; k < BINS; k++) {
            const double all = (double)SAMPLES * expected[k];
            assert_true(fabs((double)counts[k] - all) < 5 * sqrt(all));
        }
    }
}

/* ---- structure factor ---- */

TEST(test_structure)
{
    enum { BINS = 12, DIRECTIONS = 5 };
    const carom_region r = region_of(20, 11, true, true);
    carom_wave waves[BINS * DIRECTIONS];
    double sums[BINS * DIRECTIONS] = {0};
    size_t count = 0;
    scatter(&r, MANY, 5);
    OK(carom_measure_waves(&r, 9, BINS, DIRECTIONS, waves, &count));
    assert_true(count > BINS * 3);
    OK(carom_measure_structure(&r, MANY, x, y, count, waves, sums));

    for (size_t w = 0; w < count; w++) {
        const double kx = 2 * PI * waves[w].m / r.width, ky = 2 * PI * waves[w].n / r.height;
        double complex sum = 0;
        for (size_t i = 0; i < MANY; i++) {
            sum += cexp(I * (kx * x[i] + ky * y[i]));
        }
        assert_true(fabs(sums[w] - creal(sum * conj(sum)) / (double)MANY) < 1e-9 * MANY);
        assert_true(fabs(waves[w].k - hypot(kx, ky)) < 1e-12 && waves[w].k > 0 && waves[w].k < 9);
        for (size_t v = 0; v < w; v++) {
            assert_true(waves[v].m != waves[w].m || waves[v].n != waves[w].n);
            assert_true(floor(waves[v].k / 9 * (double)BINS) <= floor(waves[w].k / 9 * (double)BINS)); /* by bin */
        }
    }
}

/* ---- bond order ---- */

/* A hexagonal lattice of 12 x 12 sites, rotated by a right angle if `turned`; returns its region. */
static carom_region lattice(bool turned, bool periodic)
{
    const double height = 12 * sqrt(0.75);
    const carom_region r =
        turned ? region_of(height, 12, periodic, periodic) : region_of(12, height, periodic, periodic);
    for (int k = 0; k < 144; k++) {
        const double along = k % 12 + (k / 12 % 2 != 0 ? 0.75 : 0.25), up = (k / 12 + 0.5) * sqrt(0.75);
        x[k] = r.x0 + (turned ? up : along);
        y[k] = r.y0 + (turned ? along : up);
    }
    return r;
}

TEST(test_order_of_lattices)
{
    double re[MANY], im[MANY];
    uint32_t neighbours[MANY];
    for (int c = 0; c < 4; c++) {
        const bool turned = c % 2 != 0, weighted = c / 2 != 0;
        const carom_region r = lattice(turned, true);
        OK(carom_measure_order(&r, 144, x, y, weighted, re, im, neighbours));
        for (size_t i = 0; i < 144; i++) {
            assert_int_equal(neighbours[i], 6);
            assert_true(fabs(re[i] - (turned ? -1 : 1)) < 1e-9 && fabs(im[i]) < 1e-9);
        }
    }

    /* Disks within a closed box have all six neighbours; those in its corners have fewer. */
    const carom_region closed = lattice(false, false);
    OK(carom_measure_order(&closed, 144, x, y, false, re, im, neighbours));
    assert_int_equal(neighbours[6 * 12 + 6], 6);
    assert_true(neighbours[0] < 6 && neighbours[143] < 6);
}

/* Neighbours are mutual; each vertex of a periodic diagram belongs to three cells, so there are six in the mean
 * (Euler). psi6 does not change when all is moved, and turns by 3/2 right angles when x and y are exchanged. */
TEST(test_order_of_points)
{
    static double re[3][MANY], im[3][MANY], moved[MANY], swapped[MANY];
    uint32_t neighbours[MANY];
    carom_region r = region_of(20, 14, true, true);
    scatter(&r, MANY, 17);
    for (int weighted = 0; weighted < 2; weighted++) {
        OK(carom_measure_order(&r, MANY, x, y, weighted != 0, re[0], im[0], neighbours));
        size_t all = 0;
        for (size_t i = 0; i < MANY; i++) {
            all += neighbours[i];
            moved[i] = r.x0 + fmod(x[i] - r.x0 + 7.25, r.width);
        }
        assert_int_equal(all, 6 * MANY);

        OK(carom_measure_order(&r, MANY, moved, y, weighted != 0, re[1], im[1], NULL));
        const carom_region other = {r.y0, r.x0, r.height, r.width, true, true};
        memcpy(swapped, x, sizeof swapped);
        OK(carom_measure_order(&other, MANY, y, swapped, weighted != 0, re[2], im[2], NULL));
        for (size_t i = 0; i < MANY; i++) {
            assert_true(fabs(re[0][i] - re[1][i]) < 1e-9 && fabs(im[0][i] - im[1][i]) < 1e-9);
            assert_true(fabs(re[0][i] + re[2][i]) < 1e-9 && fabs(im[0][i] - im[2][i]) < 1e-9);
        }
    }
}

/* The Voronoi neighbours of a few points, by definition: is there a location with these as its two nearest points? */
TEST(test_neighbours_by_definition)
{
    enum { FEW = 40, GRID = 900 };
    static uint8_t meet[FEW][FEW];
    const carom_region r = region_of(8, 8, true, true);
    double re[FEW], im[FEW];
    uint32_t neighbours[FEW];
    scatter(&r, FEW, 3);
    OK(carom_measure_order(&r, FEW, x, y, false, re, im, neighbours));

    memset(meet, 0, sizeof meet);
    for (int k = 0; k < GRID * GRID; k++) {
        const double px = r.x0 + (k % GRID + 0.5) * r.width / (double)GRID,
                     py = r.y0 + ((double)(k / GRID) + 0.5) * r.height / (double)GRID;
        double first = INFINITY, second = INFINITY;
        size_t a = 0, b = 0;
        for (size_t i = 0; i < FEW; i++) {
            const double d = hypot(apart(x[i] - px, r.width, true), apart(y[i] - py, r.height, true));
            if (d < first) {
                second = first, b = a, first = d, a = i;
            } else if (d < second) {
                second = d, b = i;
            }
        }
        if (second - first < 0.02) {
            meet[a][b] = meet[b][a] = 1;
        }
    }

    /* The grid misses sides shorter than its steps, and may add some of which it is just beyond the end. */
    size_t same = 0;
    for (size_t i = 0; i < FEW; i++) {
        uint32_t seen = 0;
        for (size_t j = 0; j < FEW; j++) {
            seen += meet[i][j];
        }
        same += seen == neighbours[i];
    }
    assert_true(same >= FEW * 3 / 4);
}

/* ---- series ---- */

/* Values that remember the one before: value = memory * before + (a number without order, of variance 1). */
static void remembering(size_t n, double memory, double trend, uint64_t seed, double *values)
{
    uint64_t random = seed;
    double value = 0;
    for (size_t k = 0; k < n; k++) {
        double sum = -6;
        for (int m = 0; m < 12; m++) {
            sum += rng_in(&random, 0, 1);
        }
        value = memory * value + sum;
        values[k] = value + trend * (double)k / (double)n;
    }
}

/* The error of the mean of n values with memory m is 1 / (1 - m) / sqrt(n); the naive one, sqrt(1 - m^2) in place of
 * 1 - m, is too small. */
TEST(test_series)
{
    enum { VALUES = 16384, SEEDS = 60 };
    static double values[VALUES];
    for (int m = 0; m < 3; m++) {
        const double memory = (const double[]){0, 0.6, 0.95}[m], error = 1 / (1 - memory) / sqrt((double)VALUES);
        double mean_error = 0;
        int stationary = 0, found = 0;
        for (uint64_t seed = 1; seed <= SEEDS; seed++) {
            carom_series s;
            remembering(VALUES, memory, 0, seed, values);
            OK(carom_measure_series(VALUES, values, &s));
            mean_error += s.error / (double)SEEDS;
            stationary += s.stationary;
            assert_true(fabs(s.mean) < 5 * error);
            remembering(VALUES, memory, 20 * error, seed, values);
            OK(carom_measure_series(VALUES, values, &s));
            found += !s.stationary;
        }
        print_message("memory %.2f: error %.4f of %.4f; stationary %d of %d, a trend is found in %d\n", memory,
                      mean_error, error, stationary, SEEDS, found);
        assert_true(mean_error > 0.9 * error && mean_error < 1.3 * error);
        assert_true(stationary >= SEEDS - 5 && found >= SEEDS - 6);
    }

    carom_series s;
    OK(carom_measure_series(7, values, &s));
    assert_true(isnan(s.error) && isnan(s.drift) && !s.stationary && isfinite(s.mean));
}

/* ---- errors ---- */

TEST(test_refused)
{
    carom_region r = region_of(10, 10, true, true);
    uint64_t counts[4];
    double re[MANY], im[MANY], sums[4];
    carom_wave waves[16] = {{0, 0, 0}};
    size_t count;
    carom_series series;
    scatter(&r, MANY, 1);

    assert_int_equal(carom_measure_pairs(&r, MANY, x, y, 5.01, 4, counts, NULL, NULL, NULL), CAROM_ERROR_VALUE);
    assert_int_equal(carom_measure_pairs(&r, MANY, x, y, 2, 0, counts, NULL, NULL, NULL), CAROM_ERROR_VALUE);
    assert_int_equal(carom_measure_pairs(&r, MANY, x, y, 2, 4, counts, re, NULL, sums), CAROM_ERROR_ARGUMENT);
    assert_int_equal(carom_measure_pairs(&r, MANY, x, NULL, 2, 4, counts, NULL, NULL, NULL), CAROM_ERROR_ARGUMENT);
    assert_int_equal(carom_measure_order(&r, 5, x, y, false, re, im, NULL), CAROM_ERROR_VALUE);

    x[7] = NAN;
    assert_int_equal(carom_measure_pairs(&r, MANY, x, y, 2, 4, counts, NULL, NULL, NULL), CAROM_ERROR_VALUE);
    assert_int_equal(carom_measure_order(&r, MANY, x, y, false, re, im, NULL), CAROM_ERROR_VALUE);
    assert_int_equal(carom_measure_structure(&r, MANY, x, y, 1, waves, sums), CAROM_ERROR_VALUE);
    assert_int_equal(carom_measure_series(MANY, x, &series), CAROM_ERROR_VALUE);
    assert_int_equal(carom_measure_series(0, x, &series), CAROM_ERROR_VALUE);

    r.periodic_x = false;
    assert_int_equal(carom_measure_waves(&r, 3, 4, 4, waves, &count), CAROM_ERROR_VALUE);
    r.width = 0;
    assert_int_equal(carom_measure_pairs_expected(&r, 10, 1, 4, sums), CAROM_ERROR_VALUE);
}
