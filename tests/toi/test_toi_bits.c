/* SPDX-License-Identifier: MIT
 * Equal bits: of a variant on every instruction set, in lanes and with branches, in any floating-point environment; of
 * variants that are the same arithmetic; of a problem seen in a mirror, turned, or in other units.
 */
#include "test.h"

#include <fenv.h>
#include <float.h>

#include "toi_cases.h"

#if defined(__x86_64__) || defined(__i386__)
#include <xmmintrin.h>
#endif

static void expect_same(carom_precision precision, size_t n, const inputs *in, int variant, const char *what,
                        const void *expected, const void *got)
{
    const size_t i = first_difference(precision, expected, got, n);
    if (i < n) {
        describe(precision, in, i, variant, what);
        fail_msg("pair %zu: expected %a, got %a", i, get(precision, expected, i), get(precision, got, i));
    }
}

/* Width 1 has the word, with branches and without, and `pow` on every instruction set. */
TEST(test_same_everywhere)
{
    const size_t n = (size_t)unless_short(40011, 4011);
    FOR_EACH_PRECISION(precision)
    {
        OWNED(inputs) in = inputs_new(precision, n);
        void *expected[CAROM_TOI_VARIANTS], *t = allocate(n * size_of(precision));
        for (size_t i = 0; i < n; i++) {
            any_pair(precision, &in, i);
        }
        assert_int_equal(carom_isa_force(CAROM_ISA_SCALAR), CAROM_OK);
        for (int v = 0; v < CAROM_TOI_VARIANTS; v++) {
            expected[v] = allocate(n * size_of(precision));
            assert_int_equal(solve_times(precision, v, n, &in, expected[v]), CAROM_OK);
        }
        FOR_EACH_ISA(isa)
        FOR_EACH_VARIANT(variant)
        {
            assert_int_equal(solve_times(precision, variant, n, &in, t), CAROM_OK);
            expect_same(precision, n, &in, variant, carom_isa_name(isa), expected[plain_of(variant)], t);
        }
        for (int v = 0; v < CAROM_TOI_VARIANTS; v++) {
            free(expected[v]);
        }
        free(t);
    }
}

/* Written in other ways, but the same arithmetic: factors of 2 and 4 and signs are exact. */
TEST(test_one_arithmetic)
{
    const size_t n = (size_t)unless_short(60000, 6000);
    static const int same[] = {CAROM_TOI_POW_FOLDED, CAROM_TOI_TEXTBOOK, CAROM_TOI_DOT, CAROM_TOI_HALF_B};
    FOR_EACH_PRECISION(precision)
    {
        OWNED(inputs) in = inputs_new(precision, n);
        FREED void *expected = allocate(n * size_of(precision)), *t = allocate(n * size_of(precision));
        for (size_t i = 0; i < n; i++) {
            (i % 4 == 0 ? integer_pair : random_pair)(precision, &in, i);
        }
        FOR_EACH_ISA(isa)
        {
            assert_int_equal(solve_times(precision, CAROM_TOI_COMPONENTS, n, &in, expected), CAROM_OK);
            for (size_t k = 0; k < sizeof same / sizeof same[0]; k++) {
                assert_int_equal(solve_times(precision, same[k], n, &in, t), CAROM_OK);
                expect_same(precision, n, &in, same[k], carom_isa_name(isa), expected, t);
            }
        }
    }
}

/* Situation 2 in the documents of the robot soccer simulator for which the variant is named: positions and velocities
 * of the two bodies, a = w.d, b = w.w. */
static double soccer(carom_precision precision, const double p1[2], const double v1[2], double r1, const double p2[2],
                     const double v2[2], double r2)
{
#define R(expression) rounded(precision, expression)
    const double dx = R(p1[0] - p2[0]), dy = R(p1[1] - p2[1]), wx = R(v1[0] - v2[0]), wy = R(v1[1] - v2[1]);
    const double r = R(r1 + r2);
    const double a = R(R(wx * dx) + R(wy * dy)), b = R(R(wx * wx) + R(wy * wy));
    const double dd = R(R(dx * dx) + R(dy * dy)), q = R(R(a * a) - R(b * R(dd - R(r * r))));
    const double t = b > 0 && q >= 0 ? R(-R(a + R(sqrt(q))) / b) : INFINITY;
    return t < 0 ? t : t == 0 ? 0 : INFINITY; /* no -0 */
#undef R
}

TEST(test_soccer)
{
    const size_t n = (size_t)unless_short(30000, 3000);
    FOR_EACH_PRECISION(precision)
    {
        OWNED(inputs) bodies = inputs_new(precision, 2 * n);
        FREED int32_t *i = allocate(n * sizeof *i), *j = allocate(n * sizeof *j);
        FREED void *expected = allocate(n * size_of(precision)), *t = allocate(n * size_of(precision));
        size_t hits = 0;
        for (size_t k = 0; k < n; k++) {
            double at[2][5];
            for (size_t b = 0; b < 2; b++) {
                (k % 4 == 0 ? integer_pair : random_pair)(precision, &bodies, 2 * k + b);
                for (int f = 0; f < 5; f++) {
                    at[b][f] = get(precision, bodies.of[f], 2 * k + b);
                }
            }
            i[k] = (int32_t)(2 * k);
            j[k] = i[k] + 1;
            put(precision, expected, k, soccer(precision, at[0], at[0] + 2, at[0][4], at[1], at[1] + 2, at[1][4]));
            hits += get(precision, expected, k) <= 0;
        }
        assert_true(hits > n / 20);
        FOR_EACH_ISA(isa)
        {
            const outputs out = {{t}};
            assert_int_equal(solve_indexed(precision, CAROM_TOI_BACKWARD, n, 2 * n, &bodies, i, j, &out), CAROM_OK);
            assert_int_equal(first_difference(precision, expected, t, n), n);
        }
    }
}

/* --- Symmetries --------------------------------------------------------------------------------------------------- */

/* The other circle's view, mirrors and quarter turns change the order of sums and the signs of products, and no bit. */
TEST(test_symmetries)
{
    const size_t n = (size_t)unless_short(20000, 3000);
    /* Where x and y go, and with which signs, for p and for v. */
    static const struct {
        const char *name;
        int x, y;
        double sx, sy;
    } symmetries[] = {
        {"swapped bodies", 0, 1, -1, -1},     {"mirrored in y", 0, 1, -1, 1},       {"mirrored in x", 0, 1, 1, -1},
        {"a quarter turn", 1, 0, -1, 1},      {"a quarter turn back", 1, 0, 1, -1}, {"mirrored in x = y", 1, 0, 1, 1},
        {"mirrored in x = -y", 1, 0, -1, -1},
    };
    FOR_EACH_PRECISION(precision)
    {
        OWNED(inputs) in = inputs_new(precision, n), image = inputs_new(precision, n);
        FREED void *expected = allocate(n * size_of(precision)), *t = allocate(n * size_of(precision));
        for (size_t i = 0; i < n; i++) {
            any_pair(precision, &in, i);
        }
        for (size_t s = 0; s < sizeof symmetries / sizeof symmetries[0]; s++) {
            for (size_t i = 0; i < n; i++) {
                for (int k = 0; k < 5; k++) {
                    const int part = k % 2 == 0 ? symmetries[s].x : symmetries[s].y;
                    const double sign = k % 2 == 0 ? symmetries[s].sx : symmetries[s].sy;
                    put(precision, image.of[k], i,
                        k == 4 ? get(precision, in.of[4], i) : sign * get(precision, in.of[k / 2 * 2 + part], i));
                }
            }
            FOR_EACH_ISA(isa)
            {
                for (int v = 0; v < CAROM_TOI_VARIANTS; v++) {
                    assert_int_equal(solve_times(precision, v, n, &in, expected), CAROM_OK);
                    assert_int_equal(solve_times(precision, v, n, &image, t), CAROM_OK);
                    expect_same(precision, n, &in, v, symmetries[s].name, expected, t);
                }
            }
        }
    }
}

/* Times with lengths in units of 2^-lengths and velocities in units of 2^-speeds, brought back to the old units. */
static void solve_scaled(carom_precision precision, int variant, size_t n, const inputs *in, int lengths, int speeds,
                         const inputs *scaled, void *t)
{
    for (size_t i = 0; i < n; i++) {
        for (int k = 0; k < 5; k++) {
            put(precision, scaled->of[k], i, ldexp(get(precision, in->of[k], i), k == 2 || k == 3 ? speeds : lengths));
        }
    }
    assert_int_equal(solve_times(precision, variant, n, scaled, t), CAROM_OK);
    for (size_t i = 0; i < n; i++) {
        put(precision, t, i, ldexp(get(precision, t, i), speeds - lengths));
    }
}

/* Units of powers of two change no bit within the domain. `pow` may round otherwise, for the C library does not promise
 * powers rounded right; the guess of Newton's steps is the same only where sqrt d and -b are scaled by a power of 4; a
 * tick is a time, so that `normalised` wants the same unit for its way as for lengths. */
TEST(test_units)
{
    const size_t n = (size_t)unless_short(8000, 1600);
    FOR_EACH_PRECISION(precision)
    {
        OWNED(inputs) in = inputs_new(precision, n), scaled = inputs_new(precision, n);
        FREED void *expected = allocate(n * size_of(precision)), *t = allocate(n * size_of(precision));
        for (size_t i = 0; i < n; i++) {
            (i % 8 == 0 ? integer_pair : random_pair)(precision, &in, i);
        }
        const int most = precision == CAROM_F32 ? 6 : 160;
        const int units[][2] = {{most, most},  {-most, -most}, {most, -most}, {-most, most}, {most, 0},
                                {0, -most},    {1, 1},         {-3, 0},       {0, 5},        {2, -5},
                                {most / 2, 1}, {-1, -1},       {4, 2},        {-2, most}};
        FOR_EACH_ISA(isa)
        {
            for (int v = CAROM_TOI_POW_FOLDED; v < CAROM_TOI_VARIANTS; v++) {
                assert_int_equal(solve_times(precision, v, n, &in, expected), CAROM_OK);
                for (size_t k = 0; k < sizeof units / sizeof units[0]; k++) {
                    const int lengths = units[k][0], speeds = units[k][1];
                    if ((v == CAROM_TOI_RSQRT_NEWTON && (lengths + speeds) % 2 != 0) ||
                        (v == CAROM_TOI_NORMALISED && lengths != speeds)) {
                        continue;
                    }
                    solve_scaled(precision, v, n, &in, lengths, speeds, &scaled, t);
                    expect_same(precision, n, &in, v, "other units", expected, t);
                }
            }
        }
    }
}

/* The variants that scale have the whole range of normal numbers, up to times that are none themselves. */
TEST(test_units_of_any_size)
{
    enum { N = 2000 };
    static const int scaling[] = {CAROM_TOI_FMA_KAHAN, CAROM_TOI_ACCURATE, CAROM_TOI_FMA_KAHAN | CAROM_TOI_BRANCHES,
                                  CAROM_TOI_ACCURATE | CAROM_TOI_BRANCHES};
    FOR_EACH_PRECISION(precision)
    {
        OWNED(inputs) in = inputs_new(precision, N), scaled = inputs_new(precision, N);
        FREED void *expected = allocate(N * size_of(precision)), *t = allocate(N * size_of(precision));
        for (size_t i = 0; i < N; i++) {
            double pair[5];
            for (int k = 0; k < 5; k++) {
                pair[k] = exp2(uniform(-6, 1)) * (k < 2 ? 1 : k < 4 ? -1 : 0.5);
                pair[k] = k < 4 && uniform(0, 1) < 0.2 ? -pair[k] : pair[k];
            }
            pair[2] = uniform(0, 1) < 0.7 ? -pair[0] * uniform(0.1, 1) : pair[2];
            table_pair(precision, &in, i, pair);
        }
        const int low = (precision == CAROM_F32 ? -126 : -1022) + 12, high = precision == CAROM_F32 ? 126 : 1022;
        FOR_EACH_ISA(isa)
        for (size_t k = 0; k < sizeof scaling / sizeof scaling[0]; k++) {
            assert_int_equal(solve_times(precision, scaling[k], N, &in, expected), CAROM_OK);
            for (int trial = 0; trial < 60; trial++) {
                /* Times are some 2^[-12, 12] and stay normal. */
                int lengths = (int)uniform(low, high), speeds = (int)uniform(low, high);
                lengths = trial == 0 ? high : trial == 1 ? low : lengths;
                speeds = trial == 0 ? high : trial == 1 ? low : speeds;
                if (lengths - speeds < low + 12 || lengths - speeds > high - 12) {
                    continue;
                }
                solve_scaled(precision, scaling[k], N, &in, lengths, speeds, &scaled, t);
                expect_same(precision, N, &in, scaling[k], "units of any size", expected, t);
            }
        }
    }
}

/* The slowest normal velocity: the time is 1.2 * 2^1022 (f32: 2^126), but twice that would overflow. */
TEST(test_slowest)
{
    FOR_EACH_ISA(isa)
    FOR_EACH_PRECISION(precision)
    {
        const double least = precision == CAROM_F32 ? FLT_MIN : DBL_MIN,
                     most = precision == CAROM_F32 ? 0x1p126 : 0x1p1022;
        for (int v = CAROM_TOI_FMA_KAHAN; v <= CAROM_TOI_ACCURATE; v++) {
            OWNED(inputs) in = inputs_new(precision, 1);
            double t = 0;
            const double pair[5] = {0x1.ffcp0, 0x1.ffcp0, -least, -least / 2, 0.9375};
            table_pair(precision, &in, 0, pair);
            assert_int_equal(solve_times(precision, v, 1, &in, &t), CAROM_OK);
            const double time = get(precision, &t, 0) * least;
            const double x = pair[0] - time, y = pair[1] - time / 2;
            assert_true(get(precision, &t, 0) > most);
            assert_true(fabs(sqrt(x * x + y * y) - pair[4]) < 1e-5);
        }
    }
}

/* --- Floating-point environment ----------------------------------------------------------------------------------- */

/* The register that holds rounding mode, flush-to-zero and exception flags. */
static uint64_t environment_get(void)
{
#if defined(__x86_64__) || defined(__i386__)
    return _mm_getcsr();
#elif defined(__aarch64__)
    uint64_t fpcr;
    __asm__ volatile("mrs %0, fpcr" : "=r"(fpcr));
    return fpcr;
#else
    return (uint64_t)fegetround();
#endif
}

/* Denormals flushed to zero, in results and operands, in addition to what is already set. */
static void environment_flush(void)
{
#if defined(__x86_64__) || defined(__i386__)
    _mm_setcsr(_mm_getcsr() | 0x8040);
#elif defined(__aarch64__)
    __asm__ volatile("msr fpcr, %0" ::"r"(environment_get() | (uint64_t)1 << 24));
#endif
}

typedef struct answers {
    outputs pairs;
    double first;
    int32_t index;
    uint64_t mask[8];
} answers;

/* Everything of n <= 512 pairs, which are n bodies at the same time; the environment before and after. */
static void ask_all(carom_precision precision, int variant, size_t n, const inputs *in, answers *a)
{
    const double one[5] = {0.5, -0.25, 1, 0.125, 0.5};
    const uint64_t before = environment_get();
    const carom_status pairs = solve_pairs(precision, variant, n, in, &a->pairs);
    const carom_status within = solve_within(precision, n, in, 1, a->mask);
    const uint64_t after = environment_get();
    const carom_status first = solve_first(precision, variant, one, n, in, &a->first, &a->index);
    fenv_t here;
    fegetenv(&here);
    fesetenv(FE_DFL_ENV);
    assert_int_equal(pairs, CAROM_OK);
    assert_int_equal(within, CAROM_OK);
    assert_int_equal(first, CAROM_OK);
    assert_int_equal(after, before);
    fesetenv(&here);
}

/* Pairs with denormal components and products; a denormal limit below 0 must not pass for 0. */
TEST(test_environment)
{
    enum { N = 300 };
    FOR_EACH_PRECISION(precision)
    {
        const bool single = precision == CAROM_F32;
        inputs in = inputs_new(precision, N);
        answers expected = {.pairs = outputs_new(precision, N)}, got = {.pairs = outputs_new(precision, N)};
        for (size_t i = 0; i < N; i++) {
            (i % 5 == 0 ? any_pair : random_pair)(precision, &in, i);
            for (int k = 0; k < 5 && i % 4 == 0; k++) { /* so small that some products are denormal */
                put(precision, in.of[k], i, get(precision, in.of[k], i) * (single ? 0x1p-34 : 0x1p-262));
            }
            for (int k = 0; k < 2 && i % 16 == 0; k++) { /* denormal themselves */
                put(precision, in.of[k], i, get(precision, in.of[k], i) * (single ? 0x1p-100 : 0x1p-780));
            }
        }
        FOR_EACH_ISA(isa)
        FOR_EACH_VARIANT(variant)
        {
            ask_all(precision, variant, N, &in, &expected);
            for (int setting = 1; setting < 8; setting++) {
                const int rounding[] = {FE_TONEAREST, FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO};
                fenv_t normal;
                uint64_t refused = 0;
                fegetenv(&normal);
                fesetround(rounding[setting % 4]);
                if (setting >= 4) {
                    environment_flush();
                }
                ask_all(precision, variant, N, &in, &got);
                const carom_status limit =
                    single ? carom_toi_circles_within_f32(0, &(carom_toi_pairs_f32){0}, -0x1p-149f, &refused)
                           : carom_toi_circles_within_f64(0, &(carom_toi_pairs_f64){0}, -0x1p-1074, &refused);
                fesetenv(&normal);
                assert_int_equal(limit, CAROM_ERROR_ARGUMENT);
                for (int f = 0; f < OUTPUTS; f++) {
                    expect_same(precision, N, &in, variant, "environment", expected.pairs.of[f], got.pairs.of[f]);
                }
                assert_memory_equal(&got.first, &expected.first, sizeof got.first);
                assert_int_equal(got.index, expected.index);
                assert_memory_equal(got.mask, expected.mask, (N + 63) / 64 * 8);
            }
        }
        end_inputs(&in);
        end_outputs(&expected.pairs);
        end_outputs(&got.pairs);
    }
}

SET_UP
{
    random_start(test_seed(2));
}
