/* SPDX-License-Identifier: MIT
 * The gas over many collisions: its energy, and its pressure against published values: with four seeds in the
 * long form (CAROM_TEST_LONG), else with one.
 *
 * The environment variable CAROM_TEST_SEED gives the first seed; it is printed.
 */
#include "short.h"

#include <inttypes.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <carom/gas.h>
#include <cmocka.h>

#define SEEDS 4

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

static void test_ten_million_events(void **state)
{
    (void)state;
    const uint64_t events = (uint64_t)unless_short(10000000, 300000);
    carom_gas *gas = make(1000, 0.5, first_seed);
    carom_gas_measures m = run(gas, 8);
    while (m.collisions < events) {
        m = run(gas, 80);
    }
    print_message("%" PRIu64 " collisions of 1000 disks: energy drift %.3g, of the momentum %.3g\n", m.collisions,
                  m.energy_drift, m.momentum_drift);
    assert_true(fabs(m.energy_drift) < 1e-12);
    assert_true(m.momentum_drift < 1e-12);
    carom_gas_destroy(gas);
}

/* Compressibility factors Z = P V / (N kT) of hard disks, and how far they are known. 0.3, 0.5, 0.6: the virial series
 * to the tenth coefficient, for any number of disks. 0.67 and 0.7 with 870 disks, at whose density the number matters:
 * Li et al. 2022. The times are what forgetting the lattice takes there, and what gives errors below 0.4%. */
static const struct {
    double packing;
    size_t bodies;
    double z, known, settle, time;
} published[] = {
    {0.3, 2000, 2.0633, 0.0002, 40, 160},   {0.5, 2000, 4.106, 0.0005, 40, 160},    {0.6, 2000, 6.457, 0.001, 80, 160},
    {0.67, 870, 9.36254, 0.0001, 400, 800}, {0.7, 870, 10.2435, 0.0005, 1200, 800},
};

static void test_pressure(void **state)
{
    (void)state;
    const size_t cases = (size_t)unless_short(5, 3), seeds = (size_t)at_length(SEEDS, 1, 1);
    for (size_t c = 0; c < cases; c++) {
        double sum = 0, variance = 0;
        for (size_t s = 0; s < seeds; s++) {
            carom_gas *gas = make(published[c].bodies, published[c].packing, first_seed + s);
            (void)run(gas, published[c].settle);
            carom_gas_forget(gas);
            const carom_gas_measures m = run(gas, published[c].time);
            const double error = hypot(m.compressibility_error, published[c].known);
            print_message("packing %g, seed %" PRIu64 ": Z = %.5f +- %.5f, published %.5f\n", published[c].packing,
                          first_seed + s, m.compressibility, m.compressibility_error, published[c].z);
            assert_true(m.compressibility_error < 0.005 * published[c].z);
            assert_true(fabs(m.compressibility - published[c].z) < 4 * error);
            sum += m.compressibility;
            variance += m.compressibility_error * m.compressibility_error;
            carom_gas_destroy(gas);
        }
        const double mean = sum / (double)seeds;
        const double error = hypot(sqrt(variance) / (double)seeds, published[c].known);
        print_message("packing %g: Z = %.5f +- %.5f, published %.5f\n", published[c].packing, mean, error,
                      published[c].z);
        assert_true(fabs(mean - published[c].z) < 3 * error);
    }
}

int main(void)
{
    const char *given = getenv("CAROM_TEST_SEED");
    first_seed = given != NULL ? strtoull(given, NULL, 0) : first_seed;
    printf("CAROM_TEST_SEED=%" PRIu64 "\n", first_seed);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_ten_million_events),
        cmocka_unit_test(test_pressure),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
