/* SPDX-License-Identifier: MIT
 * The gas over many collisions: its energy, and its pressure against published values, as the mean of many short runs
 * from different seeds.
 *
 * The environment variable CAROM_TEST_SEED gives the first seed; it is printed.
 */
#include "test.h"

#include <inttypes.h>

static uint64_t first_seed = 1;

static carom_gas *make(size_t bodies, double packing, uint64_t seed)
{
    carom_gas_desc desc = carom_gas_desc_default();
    carom_gas *gas;
    desc.bodies = bodies;
    desc.packing = packing;
    desc.seed = seed;
    assert_int_equal(carom_gas_create(&desc, &gas), CAROM_OK);
    return gas;
}

static carom_gas_measures run(carom_gas *gas, double time)
{
    carom_gas_measures m;
    assert_int_equal(carom_gas_run(gas, time, NULL, NULL), CAROM_OK);
    assert_int_equal(carom_gas_measure(gas, &m), CAROM_OK);
    assert_false(m.fault);
    return m;
}

TEST(test_ten_million_events)
{
    const uint64_t events = (uint64_t)unless_short(10000000, 300000);
    OWNED(carom_gas) *gas = make(1000, 0.5, first_seed);
    carom_gas_measures m = run(gas, 8);
    while (m.collisions < events) {
        m = run(gas, 80);
    }
    print_message("%" PRIu64 " collisions of 1000 disks: energy drift %.3g, of the momentum %.3g\n", m.collisions,
                  m.energy_drift, m.momentum_drift);
    assert_true(fabs(m.energy_drift) < 1e-14); /* a random walk of 10^7 roundings, shared by all disks: 1e-15 */
    assert_true(m.momentum_drift < 1e-12);
}

/* Compressibility factors Z = P V / (N kT) of hard disks, with their errors. 0.3, 0.5, 0.6: the virial series to the
 * tenth coefficient, for infinitely many disks, continued by its Pade approximants; the stated error is their spread.
 * 0.67 and 0.7: Li et al. 2022, with 870 disks, since the number of disks matters at these densities. `settle` is the
 * time to forget the lattice; the last runs are too long for the short form. */
static const struct {
    double packing;
    size_t bodies;
    double z, known, settle, time;
    int seeds[3]; /* in the three forms: see test.h */
} published[] = {
    {0.3, 1000, 2.0633, 0.0002, 10, 20, {64, 16, 4}},  {0.5, 1000, 4.1063, 0.0005, 10, 20, {64, 16, 4}},
    {0.6, 1000, 6.457, 0.002, 40, 20, {64, 16, 4}},    {0.67, 870, 9.36254, 0.0001, 400, 400, {8, 2, 0}},
    {0.7, 870, 10.2435, 0.0005, 1200, 400, {8, 2, 0}},
};

/* The logarithm of d(packing Z) / d packing by Henderson's equation, Z = (1 + p^2 / 8) / (1 - p)^2. */
static double log_stiffness(double p)
{
    const double room = 1 - p;
    return log((1 + 0.375 * p * p) / (room * room) + 2 * p * (1 + p * p / 8) / (room * room * room));
}

/* What n disks in a periodic box have more than infinitely many: to the first order in 1 / n, from the fluctuation of
 * their number in a box that is open. 2e-4 to 5e-4 of Z for 1000. */
static double of_number(double packing, size_t n)
{
    const double h = 1e-4;
    return -packing * (log_stiffness(packing + h) - log_stiffness(packing - h)) / (2 * h) / (2 * (double)n);
}

/* The mean of all seeds is within four of its errors, which the seeds themselves scatter by: short runs are many, so
 * that the mean's error is known, too. Sixteen seeds see a pressure that is wrong by 0.4%; a right one fails one time
 * in 10^3. */
TEST(test_pressure)
{
    for (size_t c = 0; c < sizeof published / sizeof *published; c++) {
        const int *of = published[c].seeds, seeds = at_length(of[0], of[1], of[2]);
        const double packing = published[c].packing;
        const double z = published[c].z + (published[c].bodies == 870 ? 0 : of_number(packing, published[c].bodies));
        double sum = 0, variance = 0, scatter = 0;
        for (int s = 0; s < seeds; s++) {
            OWNED(carom_gas) *gas = make(published[c].bodies, packing, first_seed + (uint64_t)s);
            (void)run(gas, published[c].settle);
            carom_gas_forget(gas);
            const carom_gas_measures m = run(gas, published[c].time);
            assert_true(m.compressibility_error > 0 && m.compressibility_error < 0.01 * z);
            const double off = (m.compressibility - z) / m.compressibility_error;
            sum += m.compressibility;
            variance += m.compressibility_error * m.compressibility_error;
            scatter += off * off;
        }
        if (seeds > 0) {
            const double error = hypot(sqrt(variance) / seeds, published[c].known), mean = sum / seeds;
            scatter = sqrt(scatter / seeds);
            print_message("packing %g, %d seeds: Z = %.5f +- %.5f, expected %.5f; one seed is off by %.2f errors\n",
                          packing, seeds, mean, error, z, scatter);
            assert_true(fabs(mean - z) < 4 * error);
            assert_true(seeds < 16 || (scatter > 0.4 && scatter < 2));
        }
    }
}

SET_UP
{
    first_seed = test_seed(first_seed);
}
