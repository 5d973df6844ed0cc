/* SPDX-License-Identifier: MIT
 * The gas: bit for bit against the plain loop of gas_plain.inc, on every instruction set; conservation, pressure,
 * overlap, time reversal; small, dense and collapsing gases; errors; cancelling; forged saves.
 */
#include "test.h"

#include "base/hash.h"

#include <fenv.h>
#include <float.h>

#define PLAIN(name) plain_f64_##name
#define plain_real double
#include "gas_plain.inc"
#undef PLAIN
#undef plain_real
#define PLAIN(name) plain_f32_##name
#define plain_real float
#include "gas_plain.inc"
#undef PLAIN
#undef plain_real

static carom_gas *make(const carom_gas_desc *desc)
{
    carom_gas *gas;
    OK(carom_gas_create(desc, &gas));
    return gas;
}

static carom_gas_desc describe(size_t bodies, double packing, carom_gas_box box)
{
    carom_gas_desc desc = carom_gas_desc_default();
    desc.bodies = bodies;
    desc.packing = packing;
    desc.box = box;
    return desc;
}

static carom_gas_measures measure(const carom_gas *gas)
{
    carom_gas_measures m;
    OK(carom_gas_measure(gas, &m));
    return m;
}

/* [x][y][vx][vy], to be freed. */
static double *state_of(const carom_gas *gas)
{
    const size_t n = carom_gas_describe(gas).bodies;
    double *state = malloc(4 * n * sizeof *state);
    OK(carom_gas_get(gas, state, state + n, state + 2 * n, state + 3 * n));
    return state;
}

static void set_state(carom_gas *gas, const double *state)
{
    const size_t n = carom_gas_describe(gas).bodies;
    OK(carom_gas_set(gas, state, state + n, state + 2 * n, state + 3 * n));
}

/* ---- bits ---- */

/* On every instruction set, the same as the plain loop; collisions. */
static size_t assert_plain(carom_gas_desc desc, const double *start, double before, double time)
{
    const size_t n = desc.bodies;
    FREED double *want = malloc(4 * n * sizeof *want);
    size_t collisions = 0;
    for (size_t i = 0; i < isa_count; i++) {
        const carom_isa isa = isas[i];
        desc.isa = isa;
        OWNED(carom_gas) *gas = make(&desc);
        if (start != NULL) {
            set_state(gas, start);
        }
        OK(carom_gas_run(gas, before, NULL, NULL));
        carom_gas_forget(gas);
        if (isa == CAROM_ISA_SCALAR) {
            collisions = desc.precision == CAROM_F64 ? plain_f64_run(gas, time, want) : plain_f32_run(gas, time, want);
        }
        OK(carom_gas_run(gas, time, NULL, NULL));
        assert_false(measure(gas).fault);
        assert_int_equal(measure(gas).collisions, collisions);
        FREED double *got = state_of(gas);
        assert_memory_equal(got, want, 4 * n * sizeof *want);
    }
    return collisions;
}

TEST(test_against_the_plain_loop)
{
    static const struct {
        size_t bodies;
        double packing, restitution, time;
    } cases[] = {{1, 0.02, 1, 20},   {2, 0.05, 1, 40}, {9, 0.2, 1, 17},    {17, 0.4, 1, 9},    {40, 0.5, 1, 3},
                 {40, 0.7, 1, 1.25}, {64, 0.01, 1, 8}, {33, 0.3, 0.8, 12}, {30, 0.6, 0.9, 2.5}};
    size_t collisions = 0;
    for (size_t c = 0; c < sizeof cases / sizeof cases[0]; c++) {
        for (int k = 0; k < 4; k++) {
            carom_gas_desc desc =
                describe(cases[c].bodies, cases[c].packing, k & 1 ? CAROM_GAS_SOLID : CAROM_GAS_PERIODIC);
            desc.precision = k & 2 ? CAROM_F32 : CAROM_F64;
            desc.restitution = cases[c].restitution;
            desc.seed = 100 + c;
            collisions += assert_plain(desc, NULL, 1.5, cases[c].time);
        }
    }
    assert_true(collisions > 3000);
}

/* Many events at the same times: disks in a row and in a square, equal speeds, whole numbers. */
TEST(test_simultaneous_events)
{
    for (int k = 0; k < 4; k++) {
        carom_gas_desc desc =
            describe(16, 16 * 0.78539816339744831 / 256, k & 1 ? CAROM_GAS_SOLID : CAROM_GAS_PERIODIC);
        desc.precision = k & 2 ? CAROM_F32 : CAROM_F64;
        double start[4 * 16];
        for (int i = 0; i < 16; i++) {
            start[i] = 2 + 4 * (i % 4);
            start[16 + i] = 2 + 4 * (i / 4);
            start[32 + i] = i % 2 != 0 ? -1 : 1;
            start[48 + i] = 0;
        }
        assert_true(assert_plain(desc, start, 0, 20) > 16);
        for (int i = 0; i < 16; i++) {
            start[48 + i] = i / 4 % 2 != 0 ? -1 : 1;
        }
        assert_true(assert_plain(desc, start, 0, 20) > 16);
        for (int i = 0; i < 16; i++) { /* Newton's cradle: in touch, the first moves */
            start[i] = i == 0 ? 0.5 : i < 8 ? 3 + i : 12;
            start[16 + i] = i < 8 ? 8 : 1.5 * (i - 7);
            start[32 + i] = i == 0;
            start[48 + i] = 0;
        }
        assert_true(assert_plain(desc, start, 0, 20) >= 7);
    }
}

/* Triples far from each other: two disks, one above the other, come to a third at the same time, and the order in which
 * they hit it shows. Numbers are given in no order. `from` to `to`: those that move. */
#define TRIPLES 300
static double *play_triples(const carom_gas_desc *desc, int from, int to)
{
    OWNED(carom_gas) *gas = make(desc);
    double *start = calloc(4 * 3 * TRIPLES, sizeof *start);
    for (int t = 0; t < TRIPLES; t++) {
        for (int k = 0; k < 3; k++) { /* 0: at rest */
            const int i = (3 * t + k) * 389 % (3 * TRIPLES);
            const bool moves = t >= from && t < to;
            start[i] = 8 * (t % 18) + 4 - (k != 0 ? 3 : 0);
            start[3 * TRIPLES + i] = 8 * (t / 18) + 4 + (k == 1 ? -0.75 : k == 2 ? 0.75 : 0);
            start[6 * TRIPLES + i] = moves && k != 0;
        }
    }
    set_state(gas, start);
    OK(carom_gas_run(gas, 3, NULL, NULL));
    assert_true(measure(gas).collisions >= (uint64_t)(2 * (to - from)));
    free(start);
    double *after = state_of(gas);
    return after;
}

/* More events at one time than the queue keeps in order: each triple does what it does among few. */
TEST(test_many_events_at_one_time)
{
    for (int k = 0; k < 2; k++) {
        carom_gas_desc desc =
            describe(3 * TRIPLES, 3 * TRIPLES * 0.78539816339744831 / (144.5 * 144.5), CAROM_GAS_PERIODIC);
        desc.precision = k == 0 ? CAROM_F64 : CAROM_F32;
        FREED double *all = play_triples(&desc, 0, TRIPLES);
        for (int from = 0; from < TRIPLES; from += 30) {
            FREED double *few = play_triples(&desc, from, from + 30);
            for (int i = 0; i < 3 * 30 * 4; i++) {
                const int disk = (3 * from + i / 4) * 389 % (3 * TRIPLES), at = i % 4 * 3 * TRIPLES + disk;
                assert_memory_equal(&few[at], &all[at], sizeof few[at]);
            }
        }
    }
}

TEST(test_instruction_sets_and_epochs)
{
    const size_t sizes[] = {30, 300, 3000, (size_t)unless_short(30000, 2000)};
    for (size_t s = 0; s < 4; s++) {
        for (int k = 0; k < 4; k++) {
            carom_gas_desc desc = describe(sizes[s], s % 2 ? 0.3 : 0.7, k & 1 ? CAROM_GAS_SOLID : CAROM_GAS_PERIODIC);
            desc.precision = k & 2 ? CAROM_F32 : CAROM_F64;
            const double time = s == 3 ? 0.5 : CAROM_GAS_EPOCH;
            uint64_t want = 0;
            for (size_t i = 0; i < isa_count; i++) {
                const carom_isa isa = isas[i];
                desc.isa = isa;
                OWNED(carom_gas) *gas = make(&desc);
                if (isa == CAROM_ISA_SCALAR) {
                    OK(carom_gas_run(gas, time, NULL, NULL));
                    OK(carom_gas_run(gas, 0.5, NULL, NULL));
                    want = carom_gas_digest(gas);
                } else if (s == 3) {
                    OK(carom_gas_run(gas, 0.5, NULL, NULL));
                    OK(carom_gas_run(gas, 0.5, NULL, NULL));
                } else {
                    fesetround(FE_UPWARD);
                    OK(carom_gas_run(gas, time + 0.5, NULL, NULL));
                    fesetround(FE_TONEAREST);
                }
                assert_true(carom_gas_digest(gas) == want);
            }
        }
    }
}

/* ---- physics ---- */

static void assert_apart(const carom_gas *gas, double least)
{
    const size_t n = carom_gas_describe(gas).bodies;
    const double side = carom_gas_side(gas);
    FREED double *s = state_of(gas);
    for (size_t i = 0; i < n; i++) {
        for (size_t j = 0; j < i; j++) {
            double dx = fabs(s[i] - s[j]), dy = fabs(s[n + i] - s[n + j]);
            if (carom_gas_describe(gas).box == CAROM_GAS_PERIODIC) {
                dx = fmin(dx, side - dx);
                dy = fmin(dy, side - dy);
            }
            assert_true(dx * dx + dy * dy >= least * least);
        }
    }
}

TEST(test_conservation_and_overlap)
{
    const int runs = unless_short(40, 4);
    for (int k = 0; k < 4; k++) {
        carom_gas_desc desc = describe(500, k < 2 ? 0.6 : 0.72, k & 1 ? CAROM_GAS_SOLID : CAROM_GAS_PERIODIC);
        OWNED(carom_gas) *gas = make(&desc);
        for (int run = 0; run < runs; run++) {
            OK(carom_gas_run(gas, 1.37, NULL, NULL));
            assert_apart(gas, 1 - 0.5e-9);
        }
        const carom_gas_measures m = measure(gas);
        assert_true(m.collisions > 2000 * (uint64_t)runs);
        assert_true(fabs(m.energy_drift) < 1e-12);
        assert_true(k & 1 || m.momentum_drift < 1e-13);
        assert_true(fabs(m.energy - 500) < 1e-9);
    }
}

/* Rounding must not heat the gas: half a million collisions show a bias of some hundredths of a spacing. */
TEST(test_no_heating)
{
    for (int precision = CAROM_F32; precision <= CAROM_F64; precision += CAROM_F64 - CAROM_F32) {
        double drift = 0, collisions = 0;
        for (uint64_t seed = 1; seed <= 8; seed++) {
            carom_gas_desc desc = describe(200, 0.5, CAROM_GAS_PERIODIC);
            desc.precision = (carom_precision)precision;
            desc.seed = seed;
            OWNED(carom_gas) *gas = make(&desc);
            const double start = measure(gas).energy;
            OK(carom_gas_run(gas, 160, NULL, NULL));
            drift += measure(gas).energy / start - 1;
            collisions += (double)measure(gas).collisions;
        }
        const double epsilon = precision == CAROM_F32 ? FLT_EPSILON : DBL_EPSILON;
        const double bias = drift / 8 / epsilon / (2 * collisions / (8 * 200));
        print_message("f%d: %.3g collisions, %.4f spacings a collision\n", precision, collisions, bias);
        assert_true(fabs(bias) < 0.01);
    }
}

TEST(test_pressure)
{
    static const double table[][2] = {{0.3, 2.0633}, {0.5, 4.106}, {0.6, 6.457}};
    for (int k = 0; k < unless_short(3, 1); k++) {
        carom_gas_desc desc = describe(2000, table[k][0], CAROM_GAS_PERIODIC);
        desc.seed = 7;
        OWNED(carom_gas) *gas = make(&desc);
        OK(carom_gas_run(gas, 40, NULL, NULL));
        carom_gas_forget(gas);
        OK(carom_gas_run(gas, 160, NULL, NULL));
        const carom_gas_measures m = measure(gas);
        assert_true(m.compressibility_error > 0 && m.compressibility_error < 0.01 * table[k][1]);
        assert_true(fabs(m.compressibility - table[k][1]) < 3 * m.compressibility_error);
    }
}

TEST(test_time_reversal)
{
    for (int k = 0; k < 2; k++) {
        const size_t n = 60;
        carom_gas_desc desc = describe(n, 0.4, k ? CAROM_GAS_SOLID : CAROM_GAS_PERIODIC);
        OWNED(carom_gas) *gas = make(&desc);
        OK(carom_gas_run(gas, 0.1, NULL, NULL)); /* off the sides */
        FREED double *start = state_of(gas);
        OK(carom_gas_run(gas, 2, NULL, NULL));
        FREED double *there = state_of(gas);
        for (size_t i = 2 * n; i < 4 * n; i++) {
            there[i] = -there[i];
        }
        set_state(gas, there);
        OK(carom_gas_run(gas, 2, NULL, NULL));
        assert_true(measure(gas).collisions > 50);
        FREED double *back = state_of(gas);
        for (size_t i = 0; i < 4 * n; i++) {
            double error = i < 2 * n ? back[i] - start[i] : back[i] + start[i];
            error = i < 2 * n && k == 0 ? remainder(error, carom_gas_side(gas)) : error;
            assert_true(fabs(error) < 1e-9);
        }
    }
}

/* ---- trouble ---- */

TEST(test_small_and_dense)
{
    static const struct {
        size_t bodies;
        double packing;
        carom_gas_box box;
    } cases[] = {{1, 0.7, CAROM_GAS_SOLID},       {1, 0.01, CAROM_GAS_PERIODIC},   {2, 0.4, CAROM_GAS_SOLID},
                 {2, 0.05, CAROM_GAS_PERIODIC},   {3, 1e-6, CAROM_GAS_SOLID},      {100, 0.75, CAROM_GAS_PERIODIC},
                 {400, 0.84, CAROM_GAS_PERIODIC}, {1000, 1e-5, CAROM_GAS_PERIODIC}};
    for (size_t c = 0; c < sizeof cases / sizeof cases[0]; c++) {
        carom_gas_desc desc = describe(cases[c].bodies, cases[c].packing, cases[c].box);
        OWNED(carom_gas) *gas = make(&desc);
        OK(carom_gas_run(gas, 10, NULL, NULL));
        assert_false(measure(gas).fault);
        assert_apart(gas, 1 - 0.5e-9);
    }
    for (size_t n = 32; n < 2000; n += n < 200 ? 1 : 97) { /* what the header promises */
        carom_gas_desc desc = describe(n, 0.7, CAROM_GAS_PERIODIC);
        assert_true(carom_gas_bytes(&desc) > 0);
    }
}

TEST(test_collapse)
{
    for (int k = 0; k < 6; k++) {
        carom_gas_desc desc = describe(k < 3 ? 20 : 300, 0.5, k & 1 ? CAROM_GAS_SOLID : CAROM_GAS_PERIODIC);
        desc.restitution = k % 3 == 0 ? 0 : k % 3 == 1 ? 0.1 : 0.5;
        desc.precision = k == 2 ? CAROM_F32 : CAROM_F64;
        OWNED(carom_gas) *gas = make(&desc);
        OK(carom_gas_run(gas, 16, NULL, NULL));
        const carom_gas_measures m = measure(gas);
        assert_true(m.fault || (m.time == 16 && m.energy < 0.1 * (double)desc.bodies));
        assert_true(m.energy >= 0 && m.energy < (double)desc.bodies);
        assert_false(m.fault && desc.restitution > 0);
    }
}

TEST(test_refused)
{
    carom_gas *gas;
    carom_gas_desc desc = carom_gas_desc_default();
    assert_int_equal(carom_gas_create(NULL, &gas), CAROM_ERROR_ARGUMENT);
    assert_int_equal(carom_gas_create(&desc, NULL), CAROM_ERROR_ARGUMENT);
    desc.size = 0;
    assert_int_equal(carom_gas_create(&desc, &gas), CAROM_ERROR_ARGUMENT);
    assert_null(gas);
    static const double packings[] = {0, -1, 0.95, NAN, INFINITY, 0.9};
    for (size_t k = 0; k < sizeof packings / sizeof packings[0]; k++) {
        desc = describe(30, packings[k], CAROM_GAS_SOLID);
        assert_int_equal(carom_gas_create(&desc, &gas), CAROM_ERROR_VALUE);
        assert_int_equal(carom_gas_bytes(&desc), 0);
    }
    desc = describe(2, 0.5, CAROM_GAS_PERIODIC); /* too narrow */
    assert_int_equal(carom_gas_create(&desc, &gas), CAROM_ERROR_VALUE);
    desc = describe(0, 0.5, CAROM_GAS_SOLID);
    assert_int_equal(carom_gas_create(&desc, &gas), CAROM_ERROR_ARGUMENT);
    desc = describe(100, 0.5, CAROM_GAS_SOLID);
    desc.restitution = 1.5;
    assert_int_equal(carom_gas_create(&desc, &gas), CAROM_ERROR_VALUE);
    desc.restitution = 1;
    gas = make(&desc);
    assert_int_equal(carom_gas_run(gas, -1, NULL, NULL), CAROM_ERROR_ARGUMENT);
    assert_int_equal(carom_gas_run(gas, NAN, NULL, NULL), CAROM_ERROR_ARGUMENT);
    FREED double *s = state_of(gas);
    const uint64_t digest = carom_gas_digest(gas);
    const double x = s[0], v = s[200];
    s[0] = s[1], s[100] = s[101];
    assert_int_equal(carom_gas_set(gas, s, s + 100, s + 200, s + 300), CAROM_ERROR_VALUE);
    s[0] = 0.2;
    assert_int_equal(carom_gas_set(gas, s, s + 100, s + 200, s + 300), CAROM_ERROR_VALUE);
    s[0] = x, s[200] = NAN;
    assert_int_equal(carom_gas_set(gas, s, s + 100, s + 200, s + 300), CAROM_ERROR_VALUE);
    assert_true(carom_gas_digest(gas) == digest);
    s[200] = v;
    carom_gas_destroy(gas);
    carom_gas_destroy(NULL);
}

TEST(test_cancel_and_progress)
{
    carom_gas_desc desc = describe(300, 0.5, CAROM_GAS_PERIODIC);
    OWNED(carom_gas) *gas = make(&desc);
    volatile int cancel = 1;
    uint64_t progress = 0;
    assert_int_equal(carom_gas_run(gas, 20, &cancel, &progress), CAROM_ERROR_CANCELLED);
    assert_int_equal(measure(gas).collisions, 0);
    cancel = 0;
    OK(carom_gas_run(gas, 20, &cancel, &progress));
    assert_int_equal(progress, 1000000);
    assert_true(measure(gas).time == 20);
}

TEST(test_memory_a_body)
{
    static const double packings[] = {0.3, 0.5, 0.7};
    for (size_t k = 0; k < 3; k++) {
        for (size_t n = 1000; n <= 1000000; n *= 10) {
            carom_gas_desc desc = describe(n, packings[k], CAROM_GAS_PERIODIC);
            assert_true(carom_gas_bytes(&desc) <= 160 * n);
        }
    }
}

/* A save with numbers that no run leaves is refused even if its checksum is right, and changes nothing. */
TEST(test_forged_save_of_a_gas)
{
    enum { BODIES = 50 };
    const carom_gas_desc desc = describe(BODIES, 0.3, CAROM_GAS_PERIODIC);
    OWNED(carom_gas) *gas = make(&desc);
    OK(carom_gas_run(gas, 8, NULL, NULL));
    const size_t size = carom_gas_save_size(gas), body = size - sizeof(uint64_t);
    const size_t x = body - BODIES * (4 * sizeof(double) + 2 * sizeof(int32_t)), vx = x + 2 * BODIES * sizeof(double);
    FREED unsigned char *save = malloc(size), *forged = malloc(size);
    OK(carom_gas_save(gas, save, size));
    const uint64_t digest = carom_gas_digest(gas);
    const size_t clock = 56, time = 88;
    const struct {
        size_t at;
        double number;
    } cases[] = {{clock, NAN},
                 {clock, -1},
                 {clock, INFINITY},
                 {time, NAN},
                 {time, -1},
                 {time, 1e30},
                 {x, NAN},
                 {x, INFINITY},
                 {x, -2},
                 {x, carom_gas_side(gas) + 2},
                 {x + 8 * BODIES, NAN},
                 {vx, NAN},
                 {vx + 8 * BODIES, INFINITY},
                 {vx, 1e13},
                 {vx + 16 * BODIES, NAN} /* the counts of sides */};
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        memcpy(forged, save, size);
        memcpy(forged + cases[k].at, &cases[k].number, sizeof(double));
        const uint64_t checksum = hash_bytes(1, forged, body);
        memcpy(forged + body, &checksum, sizeof checksum);
        assert_int_equal(carom_gas_load(gas, forged, size), CAROM_ERROR_FORMAT);
        assert_true(carom_gas_digest(gas) == digest);
    }
    memcpy(forged, save, size); /* two disks at one place */
    memcpy(forged + x, forged + x + 8, 8);
    memcpy(forged + x + 8 * BODIES, forged + x + 8 * BODIES + 8, 8);
    const uint64_t checksum = hash_bytes(1, forged, body);
    memcpy(forged + body, &checksum, sizeof checksum);
    assert_int_equal(carom_gas_load(gas, forged, size), CAROM_ERROR_FORMAT);
    OK(carom_gas_load(gas, save, size));
}
