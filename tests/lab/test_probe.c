/* SPDX-License-Identifier: MIT
 * Probes: measures from events agree with those from samples, with the gas's own pressure, and with events counted by
 * hand; probes change no bit of the motion.
 */
#include "test.h"

#define BODIES 256
#define INTERVAL 2.0
#define LAGS 20

static carom_lab *make_lab(double packing, bool mixed, carom_gas_box sides, double field)
{
    static double radii[BODIES], masses[BODIES];
    for (int i = 0; i < BODIES; i++) {
        radii[i] = mixed && i % 2 != 0 ? 0.35 : 0.5;
        masses[i] = mixed ? 1 + i % 3 : 1;
    }
    carom_lab_desc desc = carom_lab_desc_default();
    desc.bodies = BODIES;
    desc.packing = packing;
    desc.horizontal = desc.vertical = sides;
    desc.ax = field;
    if (mixed) {
        desc.radii = radii;
        desc.masses = masses;
        desc.start = CAROM_LAB_GROWN;
    }
    carom_lab *lab;
    carom_problem problem;
    OK(carom_lab_create(&desc, &lab, &problem));
    return lab;
}

static carom_probe *make_probe(carom_lab *lab, double window, double field)
{
    carom_probe_desc desc = carom_probe_desc_default();
    carom_probe *probe;
    desc.interval = INTERVAL;
    desc.window = window;
    desc.lags = LAGS;
    desc.ax = field;
    OK(carom_probe_create(lab, &desc, &probe));
    return probe;
}

static carom_probe_measures results_of(carom_probe *probe)
{
    carom_probe_measures m;
    OK(carom_probe_results(probe, &m));
    assert_int_equal(m.status, CAROM_OK);
    return m;
}

TEST(test_no_bit_changes)
{
    carom_lab *plain = make_lab(0.5, false, CAROM_GAS_PERIODIC, 0),
              *probed = make_lab(0.5, false, CAROM_GAS_PERIODIC, 0);
    carom_probe *probe = make_probe(probed, 0.5, 0);
    OK(carom_lab_run(plain, 20, NULL, NULL));
    OK(carom_lab_run(probed, 20, NULL, NULL));
    assert_true(carom_lab_digest(plain) == carom_lab_digest(probed));
    assert_int_equal(results_of(probe).samples, 10);

    carom_probe_forget(probe);
    const carom_probe_measures m = results_of(probe);
    assert_true(m.samples == 0 && isnan(m.g[5]) && isnan(m.short_velocity[0]) && isnan(m.psi6_series.mean));
    carom_probe_destroy(probe);
    carom_lab_destroy(plain);
    carom_lab_destroy(probed);
}

/* Windows without a gap: the end of one is the next sample, so motion by events and by positions must agree; in a
 * mixture, in a closed box and in a field, too. */
static void check_motion(bool mixed, carom_gas_box sides, double field)
{
    carom_lab *lab = make_lab(0.4, mixed, sides, field);
    carom_probe *probe = make_probe(lab, INTERVAL, field);
    OK(carom_lab_run(lab, 12 * INTERVAL, NULL, NULL));
    const carom_probe_measures m = results_of(probe);
    assert_true(m.samples == 12 && m.windows == 11);
    assert_true(fabs(m.short_displacement[LAGS - 1] / m.long_displacement[0] - 1) < 1e-6);
    assert_true(fabs(m.short_velocity[LAGS - 1] - m.long_velocity[0]) < 1e-6);
    for (size_t k = 1; k < LAGS; k++) {
        assert_true(m.short_displacement[k] > m.short_displacement[k - 1] || sides == CAROM_GAS_SOLID);
    }
    assert_true(m.long_displacement[2] > m.long_displacement[1] && isnan(m.long_displacement[5]));
    carom_probe_destroy(probe);
    carom_lab_destroy(lab);
}

TEST(test_motion)
{
    check_motion(false, CAROM_GAS_PERIODIC, 0);
    check_motion(false, CAROM_GAS_SOLID, 0);
    check_motion(true, CAROM_GAS_PERIODIC, 0);
    check_motion(true, CAROM_GAS_SOLID, 0.25);
}

/* Over windows without gaps the pressure equals the gas's own, up to the factor (N - 1) / N of its virial. */
TEST(test_pressure_is_that_of_the_gas)
{
    carom_lab *lab = make_lab(0.5, false, CAROM_GAS_PERIODIC, 0);
    carom_probe *probe = make_probe(lab, INTERVAL, 0);
    carom_lab_info info;
    carom_gas_measures gas;
    OK(carom_lab_run(lab, INTERVAL, NULL, NULL));
    OK(carom_lab_describe(lab, &info));
    carom_gas_forget(info.gas);
    OK(carom_lab_run(lab, 20 * INTERVAL, NULL, NULL));
    OK(carom_gas_measure(info.gas, &gas));

    const carom_probe_measures m = results_of(probe);
    const double z = m.pressure_series.mean * info.width * info.height / gas.energy;
    assert_int_equal(m.windows, 20);
    assert_true(fabs(1 + (z - 1) * (BODIES - 1) / BODIES - gas.compressibility) < 1e-6);

    /* The two directions agree, and shear differs. */
    double sums[3] = {0, 0, 0};
    for (size_t k = 0; k < 20; k++) {
        sums[0] += m.pxx[k] / 20;
        sums[1] += m.pxy[k] / 20;
        sums[2] += m.pyy[k] / 20;
    }
    assert_true(fabs(sums[0] / sums[2] - 1) < 0.05 && fabs(sums[1] / sums[0]) < 0.05);
    carom_probe_destroy(probe);
    carom_lab_destroy(lab);
}

/* ---- free times, counted by hand ---- */

#define WINDOW 1.0

typedef struct by_hand {
    double last[BODIES];
    uint64_t begun, counts[LAGS];
} by_hand;

/* All events: a free time counts if it starts in the first half of a window, from the first sample on. */
static bool count_by_hand(void *user, const carom_lab_event *events, size_t count)
{
    by_hand *hand = user;
    for (size_t e = 0; e < count; e++) {
        for (int side = 0; side < 2 && events[e].kind == CAROM_IMPACT_BODY; side++) {
            double *last = &hand->last[side == 0 ? events[e].first : events[e].second];
            if (*last >= INTERVAL && fmod(*last, INTERVAL) < WINDOW / 2) {
                const double bin = (events[e].time - *last) / (WINDOW / 2) * LAGS;
                hand->begun++;
                if (bin < LAGS) {
                    hand->counts[(size_t)bin]++;
                }
            }
            *last = events[e].time;
        }
    }
    return true;
}

TEST(test_free_times)
{
    static by_hand hand;
    memset(&hand, 0, sizeof hand);
    carom_lab *lab = make_lab(0.2, false, CAROM_GAS_PERIODIC, 0);
    carom_probe *probe = make_probe(lab, WINDOW, 0);
    const carom_lab_watcher watcher = {.interval = 1, .window = INFINITY, .events = count_by_hand, .user = &hand};
    unsigned number;
    OK(carom_lab_watch(lab, &watcher, &number));
    OK(carom_lab_run(lab, 50 * INTERVAL + 1.5, NULL, NULL)); /* the last window is over */

    const carom_probe_measures m = results_of(probe);
    double sum = 0;
    for (size_t k = 0; k < LAGS; k++) {
        assert_true(fabs(m.free_times[k] * (double)m.free_count - (double)hand.counts[k]) < 0.5);
        sum += m.free_times[k];
    }
    assert_true(m.free_count > 5000 && m.free_count >= hand.begun); /* some have not ended yet */
    assert_true(sum > 0.3 && sum < 1 && m.free_times[0] > m.free_times[LAGS - 1]);
    carom_probe_destroy(probe);
    carom_lab_destroy(lab);
}

/* ---- structure ---- */

/* g(r) is 0 within a diameter, follows Henderson's equation near contact, and is 1 far away; S(k) is small for small k,
 * peaks near 2 pi / (mean distance of neighbours), and tends to 1; a dilute gas has no bond order. */
TEST(test_structure_of_a_gas)
{
    carom_lab *lab = make_lab(0.5, false, CAROM_GAS_PERIODIC, 0);
    carom_probe *probe = make_probe(lab, 0.25, 0);
    OK(carom_lab_run(lab, 16, NULL, NULL));
    carom_probe_forget(probe);
    OK(carom_lab_run(lab, 200, NULL, NULL));
    const carom_probe_measures m = results_of(probe);
    const double step = m.range / (double)m.bins;
    double contact = 0;
    for (size_t k = 0; k < m.bins; k++) {
        const double r = step * (double)k;
        assert_true(r + step > 1 || m.g[k] == 0);
        contact = r < 1.05 ? fmax(contact, m.g[k]) : contact;
        assert_true(r < 5 || fabs(m.g[k] - 1) < 0.08);
    }
    assert_true(fabs(contact / ((1 - 7.0 * 0.5 / 16) / 0.25) - 1) < 0.1); /* 3.125 */

    double peak = 0, where = 0;
    for (size_t w = 0; w < m.waves; w++) {
        assert_true(m.wave[w].k > 1 || m.structure[w] < 0.2);
        where = m.structure[w] > peak ? m.wave[w].k : where;
        peak = fmax(peak, m.structure[w]);
    }
    assert_true(peak > 1.5 && peak < 4 && where > 5 && where < 8);
    assert_true(m.psi6_series.mean < 0.15 && m.psi6_series.error > 0 && fabs(m.g6[m.bins - 1]) < 0.1);
    carom_probe_destroy(probe);
    carom_lab_destroy(lab);
}

TEST(test_refused)
{
    carom_lab *lab = make_lab(0.5, false, CAROM_GAS_PERIODIC, 0);
    carom_probe_desc desc = carom_probe_desc_default();
    carom_probe *probe;
    desc.interval = 1;
    desc.window = 1.5;
    assert_int_equal(carom_probe_create(lab, &desc, &probe), CAROM_ERROR_VALUE);
    assert_null(probe);
    desc.window = 0;
    desc.range = 1000;
    assert_int_equal(carom_probe_create(lab, &desc, &probe), CAROM_ERROR_VALUE);
    desc.range = 0;
    desc.lags = 0;
    assert_int_equal(carom_probe_create(lab, &desc, &probe), CAROM_ERROR_VALUE);
    desc.size = 0;
    assert_int_equal(carom_probe_create(lab, &desc, &probe), CAROM_ERROR_ARGUMENT);
    carom_probe_destroy(NULL);
    carom_lab_destroy(lab);
}
