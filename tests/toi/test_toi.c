/* SPDX-License-Identifier: MIT
 * The contract of the time of impact of circles, for every variant: names, cases computed by hand, all small integers,
 * infinities and NaN, and the possible results of finite numbers of any size.
 */
#include "test.h"

#include <float.h>

#include "toi_cases.h"

/* --- Names ------------------------------------------------------------------------------------------------------- */

TEST(test_names)
{
    static const char *const names[CAROM_TOI_VARIANTS] = {
        "pow",   "pow-folded",      "textbook",  "components", "dot",          "half-b",     "citardauq",
        "cross", "cross-citardauq", "fma-kahan", "accurate",   "rsqrt-newton", "normalised", "backward",
    };
    for (int v = 0; v < CAROM_TOI_VARIANTS; v++) {
        const carom_toi_variant_info *info = carom_toi_variant_describe(v);
        assert_non_null(info);
        assert_string_equal(info->name, names[v]);
        assert_true(strlen(info->summary) > 0 && strchr(info->summary, '\n') == NULL);
        assert_int_equal(info->lanes, v != CAROM_TOI_POW);
        assert_int_equal(info->exact, v != CAROM_TOI_POW && v != CAROM_TOI_RSQRT_NEWTON);
        assert_ptr_equal(carom_toi_variant_describe(v | CAROM_TOI_BRANCHES), info);
        int found = -7;
        char branches[64];
        snprintf(branches, sizeof branches, "%s/branches", info->name);
        assert_int_equal(carom_toi_variant_find(info->name, &found), CAROM_OK);
        assert_int_equal(found, v);
        assert_int_equal(carom_toi_variant_find(branches, &found), CAROM_OK);
        assert_int_equal(found, v | CAROM_TOI_BRANCHES);
    }
    int found = -7;
    assert_int_equal(carom_toi_variant_find("fast", &found), CAROM_OK);
    assert_int_equal(found, CAROM_TOI_FAST);
    assert_int_equal(carom_toi_variant_find("fast/branches", &found), CAROM_OK);
    assert_int_equal(found, CAROM_TOI_FAST | CAROM_TOI_BRANCHES);
    found = -7;
    static const char *const wrong[] = {"",     "/branches", "pow/",          "pow/branch",    "pow/branches/", "po",
                                        "pow ", "POW",       "pow-folded/b",  "fas",           "fast/",         "slow",
                                        "dots", "half_b",    "/branches/pow", "pow//branches", "branches"};
    for (size_t k = 0; k < sizeof wrong / sizeof wrong[0]; k++) {
        assert_int_equal(carom_toi_variant_find(wrong[k], &found), CAROM_ERROR_ARGUMENT);
    }
    assert_int_equal(carom_toi_variant_find(NULL, &found), CAROM_ERROR_ARGUMENT);
    assert_int_equal(carom_toi_variant_find("pow", NULL), CAROM_ERROR_ARGUMENT);
    assert_int_equal(found, -7);
    const int none[] = {-1, CAROM_TOI_VARIANTS, CAROM_TOI_VARIANTS | CAROM_TOI_BRANCHES, 0x200, INT32_MIN, INT32_MAX};
    for (size_t k = 0; k < sizeof none / sizeof none[0]; k++) {
        assert_null(carom_toi_variant_describe(none[k]));
    }
}

/* --- Cases computed by hand -------------------------------------------------------------------------------------- */

typedef struct hand_case {
    const char *name;
    double in[5], t;
} hand_case;

static const hand_case ordinary_cases[] = {
    /* A published listing leaves out - r*r, and gets 2.5. */
    {"head on, distance 10, radii 1 + 1, speed 4", {10, 0, -4, 0, 2}, 2},
    {"the same along y", {0, -10, 0, 4, 2}, 2},
    {"the same among zeros of the other sign", {10, -0.0, -4, -0.0, 2}, 2},
    {"and along y", {-0.0, -10, -0.0, 4, 2}, 2},
    {"along a 3-4-5 triangle", {3, 4, -3, -4, 1}, 0.8},
    {"points", {6, 8, -3, -4, 0}, 2},
    {"points, with a radius of -0", {6, 8, -3, -4, -0.0}, 2},
    {"off the centre: contact at (4, 3)", {8, 3, -2, 0, 5}, 2},
    {"at rest, apart", {10, 0, 0, 0, 2}, INFINITY},
    {"at rest, with a velocity of -0", {10, 0, -0.0, -0.0, 2}, INFINITY},
    {"at rest, touching", {2, 0, 0, 0, 2}, INFINITY},
    {"at rest, overlapping", {1, 0, 0, 0, 2}, INFINITY},
    {"at rest, on one point", {0, 0, 0, 0, 2}, INFINITY},
    {"on one point, moving", {0, 0, 1, 0, 2}, INFINITY},
    {"points on one point, moving", {0, 0, 1, 0, 0}, INFINITY},
    {"all zeros", {-0.0, 0, 0, -0.0, -0.0}, INFINITY},
    {"parting", {10, 0, 4, 0, 2}, INFINITY},
    {"parting while overlapping", {1, 0, 1, 0, 2}, INFINITY},
    {"touching and parting", {5, 0, 1, 1, 5}, INFINITY},
    {"touching and sliding along: no normal velocity", {5, 0, 0, 1, 5}, INFINITY},
    {"overlapping and sliding along", {4, 0, 0, 1, 5}, INFINITY},
    {"apart and sliding along", {6, 0, 0, 1, 5}, INFINITY},
    {"touching and approaching", {3, 4, -1, -1, 5}, 0},
    {"overlapping and approaching", {1, 1, -1, -3, 5}, 0},
    {"grazing above", {10, 2, -1, 0, 2}, 10},
    {"grazing below", {10, -2, -1, 0, 2}, 10},
    {"just missed", {10, 2.0078125, -1, 0, 2}, INFINITY},
    {"a point that misses a point", {10, 0.0078125, -1, 0, 0}, INFINITY},
    {"passing on a parallel line", {10, 5, -1, 0, 2}, INFINITY},
    {"the same velocity", {10, 5, 0, 0, 20}, INFINITY},
    {"far", {1048576, 0, -1024, 0, 1024}, 1023},
    {"a negative sum of radii counts like its amount", {10, 0, -4, 0, -2}, 2},
};

static const hand_case normalised_cases[] = {
    {"half of the way", {10, 0, -16, 0, 2}, 0.5},
    {"the whole way", {10, 0, -8, 0, 2}, 1},
    {"not within the tick", {10, 0, -4, 0, 2}, INFINITY},
    {"through and beyond", {0, 10, 0, -32, 2}, 0.25},
    {"points", {8, 6, -16, -12, 0}, 0.5},
    {"grazing", {8, 2, -16, 0, 2}, 0.5},
    {"passing", {8, 3, -16, 0, 2}, INFINITY},
    {"parting", {10, 0, 16, 0, 2}, INFINITY},
    {"overlapping and parting", {1, 0, 1, 0, 2}, 0},
    {"overlapping and approaching", {1, 0, -16, 0, 2}, 0},
    {"overlapping and sliding along", {1, 0, 0, 1, 2}, 0},
    {"on one point", {0, 0, 1, 1, 2}, 0},
    {"touching and approaching", {3, 4, -1, -1, 5}, 0},
    {"touching and sliding along", {5, 0, 0, 1, 5}, 0},
    {"touching and parting", {5, 0, 1, 1, 5}, INFINITY},
    {"at rest, overlapping", {1, 0, 0, 0, 2}, INFINITY},
    {"at rest, touching", {5, 0, 0, -0.0, 5}, INFINITY},
    {"at rest, apart", {10, 0, 0, 0, 2}, INFINITY},
};

static const hand_case backward_cases[] = {
    {"overlapping after a head-on approach", {1, 0, -1, 0, 3}, -2},
    {"overlapping and parting already", {1, 0, 1, 0, 3}, -4},
    {"overlapping and sliding along", {3, 0, 0, 2, 5}, -2},
    {"on one point", {0, 0, 3, 4, 10}, -2},
    {"gone through", {10, 0, 4, 0, 2}, -3},
    {"gone through, grazing", {10, 2, 1, 0, 2}, -10},
    {"gone by", {10, 3, 1, 0, 2}, INFINITY},
    {"still to come", {10, 0, -4, 0, 2}, INFINITY},
    {"touching and approaching", {5, 0, -1, 0, 5}, 0},
    {"touching and parting", {5, 0, 1, 0, 5}, -10},
    {"touching and sliding along", {5, 0, 0, 1, 5}, 0},
    {"points", {8, 6, 4, 3, 0}, -2},
    {"at rest, overlapping", {1, 0, 0, 0, 2}, INFINITY},
    {"at rest, apart", {10, 0, 0, -0.0, 2}, INFINITY},
};

/* Whether `got` is the time that was expected: +0, and not -0, for 0; any NaN for a NaN. The approximate variant is
 * allowed what carom/toi.h does not promise of it. */
static bool is_time(carom_precision precision, int variant, double got, double expected)
{
    if (isnan(expected)) {
        return isnan(got);
    }
    if (plain_of(variant) == CAROM_TOI_RSQRT_NEWTON && expected > 0 && expected < INFINITY) {
        return fabs(got - expected) <= expected * (precision == CAROM_F32 ? 2e-5 : 2e-10);
    }
    return got == rounded(precision, expected) && signbit(got) == signbit(expected);
}

/* A pair in every lane of a register, among others that hit, miss and are NaN. */
static void expect(carom_precision precision, int variant, const char *name, const double *in, double expected)
{
    enum { N = 37 };
    static const double others[][5] = {{9, 0, -2, 0, 1}, {9, 9, 1, 0, 1}, {NAN, 0, 0, 0, 1}, {1, 0, -1, 0, 3}};
    double room[6][N];
    inputs arrays = {{room[0], room[1], room[2], room[3], room[4]}};
    void *t = room[5];
    for (size_t first = 0; first < 4; first++) {
        for (size_t i = 0; i < N; i++) {
            table_pair(precision, &arrays, i, i % 4 == first ? in : others[(i + first) % 4]);
        }
        assert_int_equal(solve_times(precision, variant, N, &arrays, t), CAROM_OK);
        for (size_t i = first; i < N; i += 4) {
            const double got = get(precision, t, i);
            if (!is_time(precision, variant, got, expected)) {
                describe(precision, &arrays, i, variant, name);
                fail_msg("place %zu: expected %.17g, got %.17g", i, expected, got);
            }
        }
    }
}

typedef struct hand_cases {
    const hand_case *of;
    size_t count;
} hand_cases;

#define CASES(table) ((hand_cases){table, sizeof(table) / sizeof(table)[0]})

static hand_cases cases_of(int variant)
{
    switch (plain_of(variant)) {
    case CAROM_TOI_NORMALISED:
        return CASES(normalised_cases);
    case CAROM_TOI_BACKWARD:
        return CASES(backward_cases);
    default:
        return CASES(ordinary_cases);
    }
}

TEST(test_by_hand)
{
    FOR_EACH_ISA(isa)
    FOR_EACH_PRECISION(precision)
    FOR_EACH_VARIANT(variant)
    {
        const hand_cases cases = cases_of(variant);
        for (size_t k = 0; k < cases.count; k++) {
            expect(precision, variant, cases.of[k].name, cases.of[k].in, cases.of[k].t);
        }
    }
}

/* At the borders of the domain, where lengths and velocities are in units of a power of two. */
TEST(test_magnitudes)
{
    FOR_EACH_ISA(isa)
    FOR_EACH_PRECISION(precision)
    FOR_EACH_VARIANT(variant)
    {
        const double most = precision == CAROM_F32 ? 0x1p26 : 0x1p246;
        const hand_cases cases = cases_of(variant);
        for (size_t k = 0; k < 2 * cases.count; k++) {
            const hand_case *hand = &cases.of[k / 2];
            double in[5];
            for (int e = 0; e < 5; e++) {
                in[e] = hand->in[e] * (k % 2 == 0 ? most : 1 / most);
            }
            if (fabs(in[0]) <= 10 * most) {
                expect(precision, variant, hand->name, in, hand->t);
            }
        }
    }
}

/* --- Small whole numbers ------------------------------------------------------------------------------------------ */

/* t for integers, with exact a, b, c and d: all decisions are certain. */
static double time_of_integers(int variant, const int in[5])
{
    const int a = in[2] * in[2] + in[3] * in[3], b = in[0] * in[2] + in[1] * in[3];
    const int c = in[0] * in[0] + in[1] * in[1] - in[4] * in[4], d = b * b - a * c;
    const double t = c > 0 && b < 0 ? c / (sqrt(d) - b) : (-b - sqrt(d)) / a + 0; /* the earlier root */
    switch (plain_of(variant)) {
    case CAROM_TOI_NORMALISED:
        return a == 0 ? INFINITY : c < 0 ? 0 : d >= 0 && t >= 0 && t <= 1 ? t : INFINITY;
    case CAROM_TOI_BACKWARD:
        return a > 0 && d >= 0 && t <= 0 ? t : INFINITY;
    default:
        return b >= 0 ? INFINITY : c <= 0 ? 0 : d < 0 ? INFINITY : t;
    }
}

/* Every pair of a small lattice. */
TEST(test_integers)
{
    enum { P = 9, V = 5, R = 6, N = P * P * V * V * R };
    static int whole[N][5];
    for (int i = 0; i < N; i++) {
        const int in[5] = {i % P - P / 2, i / P % P - P / 2, i / (P * P) % V - V / 2, i / (P * P * V) % V - V / 2,
                           i / (P * P * V * V)};
        memcpy(whole[i], in, sizeof in);
    }
    FOR_EACH_PRECISION(precision)
    {
        OWNED(inputs) in = inputs_new(precision, N);
        FREED void *t = allocate(N * size_of(precision));
        for (size_t i = 0; i < N; i++) {
            for (int k = 0; k < 5; k++) {
                put(precision, in.of[k], i, whole[i][k]);
            }
        }
        FOR_EACH_ISA(isa)
        FOR_EACH_VARIANT(variant)
        {
            const bool newton = plain_of(variant) == CAROM_TOI_RSQRT_NEWTON;
            const double u = precision == CAROM_F32 ? 0x1p-24 : 0x1p-53, tolerance = newton ? u * 0x1p21 : u * 64;
            assert_int_equal(solve_times(precision, variant, N, &in, t), CAROM_OK);
            for (size_t i = 0; i < N; i++) {
                const double got = get(precision, t, i), expected = time_of_integers(variant, whole[i]);
                const bool good = expected == 0 || isinf(expected)
                                      ? got == expected && !signbit(got)
                                      : fabs(got - expected) <= (newton ? 2e-5 : tolerance) * fabs(expected);
                if (!good) {
                    describe(precision, &in, i, variant, carom_isa_name(isa));
                    fail_msg("expected %.17g, got %.17g", expected, got);
                }
            }
        }
    }
}

/* --- What is not finite, and what does not stay so ---------------------------------------------------------------- */

TEST(test_not_finite)
{
    static const double base[][5] = {{10, 0, -4, 0, 2}, {1, 0, -4, 0, 2}, {10, 0, 4, 0, 2}, {0, 0, 0, 0, 0}};
    FOR_EACH_ISA(isa)
    FOR_EACH_PRECISION(precision)
    FOR_EACH_VARIANT(variant)
    {
        for (size_t b = 0; b < 4; b++) {
            for (int k = 0; k < 5; k++) {
                double in[5];
                memcpy(in, base[b], sizeof in);
                in[k] = NAN;
                expect(precision, variant, "a NaN", in, NAN);
                in[k] = INFINITY;
                expect(precision, variant, "infinity", in, INFINITY);
                in[k] = -INFINITY;
                expect(precision, variant, "-infinity", in, INFINITY);
                in[(k + 1) % 5] = NAN;
                expect(precision, variant, "a NaN beside -infinity", in, NAN);
            }
        }
    }
}

/* Numbers with overflowing squares. "accurate" and "fma-kahan" do not square them and answer, up to the last place. */
TEST(test_overflow)
{
    FOR_EACH_ISA(isa)
    FOR_EACH_PRECISION(precision)
    {
        const double big = precision == CAROM_F32 ? 0x1p127 : 0x1p1023;
        const double overflows[][6] = {
            {big, 0, -1, 0, 1, big},
            {big, big, -1, -1, 1, big},
            {10, 0, -big, 0, 2, 8 / big},
            {10, 0, -1, 0, big, 0},
            {big, big, -big, big, 1, INFINITY},
            {big, -1, -big, big, 0, INFINITY},
            {big, 0, -big, 0, big, 0},
            {1, 0, -big, 0, 2, 0},
            {0, big, 0, -1, big / 2, big / 2},
            {big, 0, -big, 0, big / 4, 0.75},
            {0, big, 0, -1 / big, 1, INFINITY},
        };
        FOR_EACH_VARIANT(variant)
        {
            const int plain = plain_of(variant);
            const bool scaled = plain == CAROM_TOI_ACCURATE || plain == CAROM_TOI_FMA_KAHAN;
            for (size_t k = 0; k < sizeof overflows / sizeof overflows[0]; k++) {
                const bool only_c = plain == CAROM_TOI_CROSS && k == 0; /* which it does not need */
                expect(precision, variant, "overflow", overflows[k], scaled || only_c ? overflows[k][5] : INFINITY);
            }
        }
    }
}

/* Any bits, and any mixture of numbers: NaN in, and only NaN in, is NaN out, of the same bits; no time is below 0 where
 * times are of the future; where an input is infinite there is none. */
TEST(test_anything)
{
    const size_t n = (size_t)unless_short(100000, 20000);
    FOR_EACH_PRECISION(precision)
    {
        const double quiet = rounded(precision, NAN);
        OWNED(inputs) in = inputs_new(precision, n);
        FREED void *t = allocate(n * size_of(precision)), *nan = allocate(size_of(precision));
        put(precision, nan, 0, quiet);
        for (size_t i = 0; i < n; i++) {
            (i % 3 == 0 ? any_pair : raw_pair)(precision, &in, i);
        }
        FOR_EACH_ISA(isa)
        FOR_EACH_VARIANT(variant)
        {
            assert_int_equal(solve_times(precision, variant, n, &in, t), CAROM_OK);
            for (size_t i = 0; i < n; i++) {
                const double got = get(precision, t, i);
                bool good = isnan(got) == has_nan(precision, &in, i) && !(got == 0 && signbit(got));
                if (isnan(got)) {
                    good = good && memcmp((char *)t + i * size_of(precision), nan, size_of(precision)) == 0;
                } else if (has_infinity(precision, &in, i)) {
                    good = good && got == INFINITY;
                } else if (plain_of(variant) == CAROM_TOI_BACKWARD) {
                    good = good && (got <= 0 || got == INFINITY);
                } else {
                    good = good && got >= 0;
                    good = good && (plain_of(variant) != CAROM_TOI_NORMALISED || got <= 1 || got == INFINITY);
                }
                if (!good) {
                    describe(precision, &in, i, variant, carom_isa_name(isa));
                    fail_msg("got %a", got);
                }
            }
        }
    }
}

SET_UP
{
    random_start(test_seed(2));
}
