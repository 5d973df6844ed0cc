/* SPDX-License-Identifier: MIT
 * Accelerating circles: cases by hand, the exact impact at 400 bits (where MPFR is there), every instruction set, every
 * length, arguments and floating-point environment. Both precisions run the same cases. Walls have their own test.
 */
#include <fenv.h>

#include "accelerated_batch.h"
#if defined(HAVE_MPFR)
#include "mpfr_quartic.h"
#endif

/* --- By hand ------------------------------------------------------------------------------------------------------ */

typedef struct hand_case {
    const char *name;
    double in[QUARTIC_INPUTS], t;
} hand_case;

#define SQRT_HALF 0.70710678118654752
static const hand_case hand_cases[] = {
    {"pulled from rest: 10 - t^2 = 1", {10, 0, 0, 0, -2, 0, 1}, 3},
    {"the same along y", {0, -10, 0, 0, 0, 2, 1}, 3},
    {"equal accelerations: the quadratic", {10, 0, -4, 0, 0, 0, 2}, 2},
    {"relatively at rest", {10, 0, 0, 0, 0, 0, 2}, INFINITY},
    {"relatively at rest, overlapping", {1, 0, 0, 0, 0, 0, 2}, INFINITY},
    {"thrown away, falling back: 5 + 4 t - t^2 = 0", {6, 0, 4, 0, -2, 0, 1}, 5},
    {"thrown towards, turning before contact", {10, 0, -2, 0, 2, 0, 2}, INFINITY},
    {"turning just before contact", {6, 0, -4, 0, 2.001, 0, 2}, INFINITY},
    {"turning just behind it: 6 - 4 t + 0.9995 t^2 = 2", {6, 0, -4, 0, 1.999, 0, 2}, 1.9562567688344237},
    {"touching and approaching: 0, where the smallest root > 0 is parting", {3, 4, -1, -1, 0, 0, 5}, 0},
    {"touching and parting", {3, 4, 1, 1, 0, 0, 5}, INFINITY},
    {"touching and parting, falling back", {2, 0, 4, 0, -2, 0, 2}, 4},
    {"touching at rest, pulled together", {3, 4, 0, 0, -3, -4, 5}, 0},
    {"touching at rest, pulled apart", {3, 4, 0, 0, 3, 4, 5}, INFINITY},
    {"touching and sliding, pull too weak", {5, 0, 0, 2, -0.5, 0, 5}, INFINITY},
    {"touching and sliding, pull strong", {5, 0, 0, 2, -1, 0, 5}, 0},
    {"touching, third order: |v|^2 + p.a = 0, v.a < 0", {5, 0, 0, 5, -5, -1, 5}, 0},
    {"touching, third order: v.a > 0", {5, 0, 0, 5, -5, 1, 5}, INFINITY},
    {"overlapping and approaching", {1, 1, -1, -3, 1, 0, 5}, 0},
    {"overlapping and parting, falling back: 1 + 8 t - t^2 = 2 at the exit, again at 4 + sqrt 15",
     {1, 0, 8, 0, -2, 0, 2},
     7.8729833462074169},
    {"overlapping, through and out for ever", {1, 0, 8, 0, 0, 0, 2}, INFINITY},
    {"overlapping, turning within", {0, 0, 2, 0, -2, 0, 10}, INFINITY},
    {"on one point, thrown up and back", {0, 0, 10, 0, -2, 0, 1}, 9.8989794855663558},
    {"points that meet: t^2/2 = 2", {2, 0, 0, 0, -1, 0, 0}, 2},
    {"points that meet on a straight line", {3, 4, -3, -4, 0, 0, 0}, 1},
    {"points that meet sideways: 4 - t^2 = 0 along x, 2 t - t^2 = 0 along y", {4, 0, 0, 2, -2, -2, 0}, 2},
    {"points, one of which is overtaken twice: 3 - 4 t + t^2 = 0", {3, 0, -4, 0, 2, 0, 0}, 1},
    {"points that pass each other", {4, 1, -1, 0, 0, 0, 0}, INFINITY},
    {"points on one place that part", {0, 0, 1, 2, 0, 0, 0}, INFINITY},
    {"points on one place, thrown up and back", {0, 0, 0, 3, 0, -2, 0}, 3},
    {"a negative radius counts like its amount", {10, 0, 0, 0, -2, 0, -1}, 3},
    {"passing by", {10, 5, -2, 0, 0, 1, 1}, INFINITY},
    {"down, and up again: 2 t^2 - 12 t + 10 = 3", {0, 10, 0, -12, 0, 4, 3}, 0.65479212008828525},
    {"free fall of 9 radii", {0, 10, 0, 0, 0, -2, 1}, 3},
};

/* Circles that touch at t and part without being closer: rounding decides whether that is an impact. The answer is
 * infinity, or a time at which the distance is r within the band of toi_accelerated.h. */
static const hand_case grazing_cases[] = {
    {"turning at contact", {6, 0, -4, 0, 2, 0, 2}, 2},
    {"the same along y", {0, -6, 0, 4, 0, -2, 2}, 2},
    {"passing by on a straight line", {10, 2, -1, 0, 0, 0, 2}, 10},
    {"thrown, the top of the way at contact", {-4, 6, 2, -4, 0, 2, 2}, 2},
    {"along a 3-4-5 triangle", {15, -5, -4, 3, 0, 0, 5}, 3},
    {"points turning on each other", {4, 0, -4, 0, 2, 0, 0}, 2},
    {"of fourth order: |D|^2 = 4 + (t - 2)^4", {-2, -4, 4, 2, -2, 0, 2}, 2},
};

TEST(test_grazing)
{
    FOR_EACH_ISA(isa)
    for (int single = 0; single < 2; single++) {
        const double eps = single ? (double)FLT_EPSILON : DBL_EPSILON;
        for (size_t h = 0; h < sizeof grazing_cases / sizeof grazing_cases[0]; h++) {
            const hand_case *c = &grazing_cases[h];
            double in[QUARTIC_INPUTS], size;
            /* Clearly apart there, clearly in contact, and just so. */
            for (int k = -1; k <= 1; k++) {
                memcpy(in, c->in, sizeof in);
                in[6] += k * 1e-3;
                for (size_t i = 0; i < 17; i++) {
                    put(i, in);
                }
                times(single, CAROM_QUARTIC_BRACKETED, 17, INFINITY);
                for (size_t i = 0; i < 17; i++) {
                    const double t = out64[0][i];
                    (void)quartic_condition(in, c->t, &size);
                    const double x = in[0] + t * (in[2] + t * in[4] / 2), y = in[1] + t * (in[3] + t * in[5] / 2);
                    const double off = fabs(hypot(x, y) - fabs(in[6]));
                    const bool never = t == INFINITY, meets = t < c->t + 0.01 && off <= 4 * eps * fmax(size, in[6]);
                    if (!(k < 0 && in[6] > 0 ? never : k > 0 ? meets && t < c->t : never || meets)) {
                        fail_msg("grazing, %s, f%d, r = %g: %.17g", c->name, single ? 32 : 64, in[6], t);
                    }
                }
            }
        }
    }
}

TEST(test_by_hand)
{
    FOR_EACH_ISA(isa)
    for (int single = 0; single < 2; single++) {
        for (size_t h = 0; h < sizeof hand_cases / sizeof hand_cases[0]; h++) {
            enum { N = 19 };
            for (size_t place = 0; place < N; place++) { /* among others */
                for (size_t i = 0; i < N; i++) {
                    put(i, hand_cases[i == place ? h : i].in);
                }
                times(single, CAROM_QUARTIC_BRACKETED, N, INFINITY);
                if (!close_to(single, out64[0][place], hand_cases[h].t, 8)) {
                    fail_msg("%s, f%d: %.17g, not %.17g", hand_cases[h].name, single ? 32 : 64, out64[0][place],
                             hand_cases[h].t);
                }
                for (size_t i = 0; i < N; i++) { /* a limit just before, at and after */
                    put(i, hand_cases[h].in);
                }
                const double got = out64[0][place];
                times(single, CAROM_QUARTIC_BRACKETED, N, got);
                assert_true(out64[0][place] == got);
                if (got > 0 && isfinite(got)) {
                    times(single, CAROM_QUARTIC_BRACKETED, N, got * 0.999);
                    assert_true(isinf(out64[0][place]));
                }
            }
        }
    }
}

/* The lecture's variant on cases that do not lose its digits. */
TEST(test_ferrari)
{
    enum { N = 1024 };
    FOR_EACH_ISA(isa)
    {
        uint64_t random = seed;
        size_t hit = 0, same = 0;
        double in[QUARTIC_INPUTS], expected[N];
        for (size_t i = 0; i < N; i++) {
            quartic_case(0, false, &random, in);
            put(i, in);
        }
        times(false, CAROM_QUARTIC_BRACKETED, N, INFINITY);
        memcpy(expected, out64[0], sizeof expected);
        times(false, CAROM_QUARTIC_FERRARI, N, INFINITY);
        for (size_t i = 0; i < N; i++) {
            hit += isfinite(expected[i]) != 0;
            same += out64[0][i] == expected[i] || fabs(out64[0][i] - expected[i]) <= 1e-6 * expected[i];
            assert_false(isnan(out64[0][i]));
        }
        assert_true(hit > N / 50);
        assert_true(same > N * 99 / 100);
    }
}

/* A listing of the quartic's coefficients has sqrt(x^2 + y^2) where x^2 + y^2 is meant, in 4 P.A + 4 |V|^2 and in
 * 4 |P|^2 - 4 R^2. Its polynomial has another root: here 4 t^2 - 32 t + 40 - 4 instead of 16 t^2 - 320 t + 400 - 4. */
TEST(test_listing)
{
    const double in[QUARTIC_INPUTS] = {10, 0, -4, 0, 0, 0, 2};
    const double p = 10, v = 4, b = -40, r = 2;
    const double listed_a2 = 4 * v, listed_a0 = 4 * p - 4 * r * r, a1 = 8 * b;
    const double listed = (-a1 - sqrt(a1 * a1 - 4 * listed_a2 * listed_a0)) / (2 * listed_a2);
    FOR_EACH_ISA(isa)
    for (int variant = 0; variant < CAROM_QUARTIC_VARIANTS; variant++) {
        put(0, in);
        times(false, (carom_toi_quartic)variant, 1, INFINITY);
        assert_true(fabs(out64[0][0] - 2) < 1e-15);
        assert_true(fabs(listed - 2) > 1);
    }
}

/* A change of units by a power of two changes no digit; a = 0 gives the plain solver's answer. */
TEST(test_scale_and_degree)
{
    enum { N = 512 };
    FOR_EACH_ISA(isa)
    for (int single = 0; single < 2; single++) {
        uint64_t random = seed;
        double in[QUARTIC_INPUTS], expected[N];
        for (int kind = 0; kind < QUARTIC_KINDS; kind++) {
            for (size_t i = 0; i < N; i++) {
                quartic_case(kind, single, &random, in);
                put(i, in);
            }
            times(single, CAROM_QUARTIC_BRACKETED, N, INFINITY);
            memcpy(expected, out64[0], sizeof expected);
            for (int sign = -1; sign <= 1 && kind != 7; sign += 2) {
                const double length = exp2(sign * (single ? 12 : 200)), time = exp2(sign * (single ? 6 : 80));
                for (int k = 0; k < QUARTIC_INPUTS; k++) {
                    for (size_t i = 0; i < N; i++) {
                        in64[k][i] *= k < 2 || k == 6 ? length : k < 4 ? length / time : length / time / time;
                    }
                }
                times(single, CAROM_QUARTIC_BRACKETED, N, INFINITY);
                for (size_t i = 0; i < N; i++) {
                    /* from a point on the circle's centre, without a radius: no length to scale by */
                    const bool empty = in64[0][i] == 0 && in64[1][i] == 0 && in64[6][i] == 0;
                    assert_true(out64[0][i] == expected[i] * time || empty);
                }
                for (int k = 0; k < QUARTIC_INPUTS; k++) {
                    for (size_t i = 0; i < N; i++) {
                        in64[k][i] /= k < 2 || k == 6 ? length : k < 4 ? length / time : length / time / time;
                    }
                }
            }
        }
        for (size_t i = 0; i < N; i++) {
            quartic_case(5, single, &random, in);
            put(i, in);
        }
        times(single, CAROM_QUARTIC_BRACKETED, N, INFINITY);
        for (size_t i = 0; i < N; i++) {
            const double vx = in64[2][i], vy = in64[3][i], px = in64[0][i], py = in64[1][i], r = in64[6][i];
            const long double a = (long double)vx * vx + (long double)vy * vy;
            const long double b = (long double)px * vx + (long double)py * vy;
            const long double c = (long double)px * px + (long double)py * py - (long double)r * r, d = b * b - a * c;
            const double plain = b < 0 && d >= 0 ? (double)(c <= 0 ? 0 : c / (-b + sqrtl(d))) : INFINITY;
            const double cross = px * vy - py * vx, miss = fabs(fabs(cross) / sqrt((double)a) - fabs(r));
            if (miss > (single ? 1e-3 : 1e-9) && fabsl(c) > (single ? 1e-3 : 1e-9)) {
                assert_true(close_to(single, out64[0][i], plain, single ? 1e4 : 1e5));
            }
        }
    }
}

TEST(test_not_finite)
{
    FOR_EACH_ISA(isa)
    for (int single = 0; single < 2; single++) {
        size_t n = 0;
        for (size_t h = 0; h < 8; h++) {
            for (int k = 0; k < QUARTIC_INPUTS; k++) {
                const double odd[] = {NAN, INFINITY, -INFINITY};
                for (int o = 0; o < 3; o++) {
                    double in[QUARTIC_INPUTS];
                    memcpy(in, hand_cases[h].in, sizeof in);
                    in[k] = odd[o];
                    put(n++, in);
                }
            }
        }
        for (int variant = 0; variant < CAROM_QUARTIC_VARIANTS; variant++) {
            times(single, (carom_toi_quartic)variant, n, INFINITY);
            for (size_t i = 0; i < n; i++) {
                assert_true(i % 3 == 0 ? isnan(out64[0][i]) : isinf(out64[0][i]) && out64[0][i] > 0);
            }
        }
        /* Any finite numbers: no NaN, nothing negative, no hang. */
        uint64_t random = seed;
        for (int round = 0; round < 8; round++) {
            for (size_t i = 0; i < 2048; i++) {
                double in[QUARTIC_INPUTS];
                for (int k = 0; k < QUARTIC_INPUTS; k++) {
                    in[k] = rng_in(&random, 0, 1) < 0.2
                                ? 0
                                : rng_in(&random, -1, 1) *
                                      exp2(single ? rng_in(&random, -149, 127) : rng_in(&random, -1074, 1023));
                }
                put(i, in);
            }
            for (int variant = 0; variant < CAROM_QUARTIC_VARIANTS; variant++) {
                times(single, (carom_toi_quartic)variant, 2048, INFINITY);
                for (size_t i = 0; i < 2048; i++) {
                    assert_true(out64[0][i] >= 0);
                }
            }
        }
    }
}

/* --- All roots ---------------------------------------------------------------------------------------------------- */

/* The roots of the first n motions, in out64[0..3] and whole[]. */
static void roots(bool single, size_t n)
{
    const carom_toi_motion_f32 m32 = motion32();
    const carom_toi_motion_f64 m64 = motion64();
    float *const to32[4] = {out32[0], out32[1], out32[2], out32[3]};
    double *const to64[4] = {out64[0], out64[1], out64[2], out64[3]};
    if (single) {
        to_floats(n);
        assert_int_equal(carom_toi_accelerated_roots_f32(n, &m32, to32, whole), CAROM_OK);
        from_floats(n);
    } else {
        assert_int_equal(carom_toi_accelerated_roots_f64(n, &m64, to64, whole), CAROM_OK);
    }
}

TEST(test_roots_by_hand)
{
    static const struct {
        double in[QUARTIC_INPUTS];
        int count;
        double roots[4];
    } cases[] = {
        /* |t^2 - 4| = 1: two circles fall through each other twice. */
        {{-4, 0, 0, 0, 2, 0, 1}, 4, {-2.2360679774997898, -1.7320508075688772, 1.7320508075688772, 2.2360679774997898}},
        {{10, 0, -4, 0, 0, 0, 2}, 2, {2, 3, INFINITY, INFINITY}},
        {{10, 9, -4, 0, 0, 0, 2}, 0, {INFINITY, INFINITY, INFINITY, INFINITY}},
        {{NAN, 9, -4, 0, 0, 0, 2}, -1, {NAN, NAN, NAN, NAN}},
        {{1, 0, 0, 0, 0, 0, 2}, 0, {INFINITY, INFINITY, INFINITY, INFINITY}},
        {{1, 0, 0, 0, 2, 0, 2}, 2, {-1, 1, INFINITY, INFINITY}},
    };
    enum { CASES = sizeof cases / sizeof cases[0] };
    FOR_EACH_ISA(isa)
    for (int single = 0; single < 2; single++) {
        for (size_t i = 0; i < CASES; i++) {
            put(i, cases[i].in);
        }
        roots(single, CASES);
        for (size_t i = 0; i < CASES; i++) {
            assert_int_equal(whole[i], cases[i].count);
            for (int k = 0; k < 4; k++) {
                assert_true(close_to(single, out64[k][i], cases[i].roots[k], 8));
            }
        }
    }
}

/* Anywhere: an even number, ascending, each with |D| = r. The same bits on every instruction set. */
TEST(test_roots)
{
    enum { N = 500 };
    static double first[4][N];
    static int32_t counts[N];
    for (int single = 0; single < 2; single++) {
        const double eps = single ? (double)FLT_EPSILON : DBL_EPSILON;
        for (int kind = 0; kind < QUARTIC_KINDS; kind++) {
            uint64_t random = seed + (uint64_t)kind;
            double in[QUARTIC_INPUTS];
            for (size_t i = 0; i < N; i++) {
                quartic_case(kind, single, &random, in);
                put(i, in);
            }
            assert_int_equal(carom_isa_force(CAROM_ISA_SCALAR), CAROM_OK);
            roots(single, N);
            memcpy(counts, whole, sizeof counts);
            for (int k = 0; k < 4; k++) {
                memcpy(first[k], out64[k], sizeof first[k]);
            }
            for (size_t i = 0; i < N; i++) {
                for (int k = 0; k < QUARTIC_INPUTS; k++) {
                    in[k] = in64[k][i];
                }
                const bool empty = in[0] == 0 && in[1] == 0 && in[6] == 0; /* no length to measure by */
                assert_true(whole[i] >= 0 && whole[i] % 2 == 0);
                for (int k = 0; k < 4; k++) {
                    const double t = out64[k][i];
                    assert_true(k < whole[i] ? isfinite(t) : t == INFINITY);
                    if (k < whole[i] && !empty) {
                        double size;
                        (void)quartic_condition(in, fabs(t), &size);
                        const long double x = in[0] + (long double)t * (in[2] + (long double)t * in[4] / 2);
                        const long double y = in[1] + (long double)t * (in[3] + (long double)t * in[5] / 2);
                        const double off = (double)fabsl(hypotl(x, y) - fabsl((long double)in[6]));
                        if (!(off <= 16 * eps * fmax(size, fabs(in[6])) && (k == 0 || t >= out64[k - 1][i]))) {
                            fail_msg("%s, f%d, root %d of %d: %a, off by %g eps; {%g, %g, %g, %g, %g, %g, %g}",
                                     quartic_kind_names[kind], single ? 32 : 64, k, (int)whole[i], t,
                                     off / (eps * fmax(size, fabs(in[6]))), in[0], in[1], in[2], in[3], in[4], in[5],
                                     in[6]);
                        }
                    }
                }
            }
            FOR_EACH_ISA(isa)
            {
                roots(single, N);
                assert_memory_equal(whole, counts, sizeof counts);
                for (int k = 0; k < 4; k++) {
                    assert_memory_equal(out64[k], first[k], sizeof first[k]);
                }
            }
        }
    }
}

/* --- Every width, every length ------------------------------------------------------------------------------------ */

static void everything(bool single, size_t n, unsigned char *to, size_t *bytes)
{
    const size_t size = n * sizeof(double);
    *bytes = 0;
    for (int variant = 0; variant < CAROM_QUARTIC_VARIANTS; variant++) {
        times(single, (carom_toi_quartic)variant, n, 3);
        memcpy(to + *bytes, out64[0], size);
        *bytes += size;
    }
    for (obstacle what = LINE; what < OBSTACLES; what++) {
        hits(single, what, n, 3);
        for (int k = 0; k < (what == LINE ? 4 : 3); k++) {
            memcpy(to + *bytes, out64[k], size);
            *bytes += size;
        }
        memcpy(to + *bytes, whole, n * sizeof whole[0]);
        *bytes += n * sizeof whole[0];
    }
}

TEST(test_same_bits)
{
    static unsigned char expected[400000], got[400000];
    enum { N = 1030 }; /* several blocks, the last one short */
    for (int single = 0; single < 2; single++) {
        uint64_t random = seed;
        for (size_t i = 0; i < N; i++) {
            double in[QUARTIC_INPUTS];
            quartic_case((int)(i % QUARTIC_KINDS), single, &random, in);
            put(i, in);
            for (int k = 0; k < OBSTACLE; k++) {
                wall64[k][i] = (double)(float)(rng_in(&random, -9, 9) + (k < 2 ? 0 : 9));
            }
        }
        for (size_t n = 0; n <= N; n += n < 35 ? 1 : n < N - 1 ? 199 : 1) {
            size_t bytes = 0, same = 0;
            assert_int_equal(carom_isa_force(CAROM_ISA_SCALAR), CAROM_OK);
            everything(single, n, expected, &bytes);
            assert_true(bytes <= sizeof expected);
            FOR_EACH_ISA(isa)
            {
                for (int k = 0; k < 5; k++) { /* nothing is written beyond n */
                    out64[k][n] = 77;
                    out32[k][n] = 77;
                }
                whole[n] = 77;
                everything(single, n, got, &same);
                assert_memory_equal(got, expected, bytes);
                for (int k = 0; k < 4; k++) {
                    assert_true(single ? out32[k][n] == 77 : out64[k][n] == 77);
                }
                assert_int_equal(whole[n], 77);
            }
        }
        /* In place. */
        const carom_toi_motion_f64 m = motion64();
        FOR_EACH_ISA(isa)
        for (int k = 0; k < QUARTIC_INPUTS && !single; k++) {
            static double saved[N];
            memcpy(saved, in64[k], sizeof saved);
            times(false, CAROM_QUARTIC_BRACKETED, N, 3);
            assert_int_equal(carom_toi_accelerated_f64(CAROM_QUARTIC_BRACKETED, N, &m, 3, in64[k]), CAROM_OK);
            assert_memory_equal(in64[k], out64[0], sizeof saved);
            memcpy(in64[k], saved, sizeof saved);
        }
    }
}

TEST(test_arguments_and_environment)
{
    const carom_toi_motion_f64 m = motion64(), none = {0};
    const carom_toi_points_f64 p = {wall64[0], wall64[1]}, no_points = {0};
    const carom_toi_hits_f64 only_t = {out64[0], NULL, NULL, NULL}, no_hits = {0};
    const double bad[] = {-1, NAN, -INFINITY, -5e-324};
    double *const no_roots[4] = {out64[0], out64[1], NULL, out64[3]};
    const carom_toi_motion_f32 m32 = motion32();
    float *const roots32[4] = {out32[0], out32[1], out32[2], out32[3]};
    float *const no_roots32[4] = {out32[0], out32[1], NULL, out32[3]};
    FOR_EACH_ISA(isa)
    {
        for (int k = 0; k < 4; k++) {
            assert_int_equal(carom_toi_accelerated_f64(CAROM_QUARTIC_BRACKETED, 1, &m, bad[k], out64[0]),
                             CAROM_ERROR_ARGUMENT);
            assert_int_equal(carom_toi_accelerated_point_f64(1, &m, &p, bad[k], &only_t), CAROM_ERROR_ARGUMENT);
        }
        assert_int_equal(carom_toi_accelerated_f64((carom_toi_quartic)7, 1, &m, 1, out64[0]), CAROM_ERROR_ARGUMENT);
        assert_int_equal(carom_toi_accelerated_f64(CAROM_QUARTIC_BRACKETED, 1, &none, 1, out64[0]),
                         CAROM_ERROR_ARGUMENT);
        assert_int_equal(carom_toi_accelerated_f64(CAROM_QUARTIC_BRACKETED, 1, &m, 1, NULL), CAROM_ERROR_ARGUMENT);
        assert_int_equal(carom_toi_accelerated_f64(CAROM_QUARTIC_BRACKETED, 0, &none, 1, NULL), CAROM_OK);
        assert_int_equal(carom_toi_accelerated_roots_f64(1, &m, no_roots, whole), CAROM_ERROR_ARGUMENT);
        assert_int_equal(carom_toi_accelerated_roots_f32(1, &m32, no_roots32, whole), CAROM_ERROR_ARGUMENT);
        assert_int_equal(carom_toi_accelerated_roots_f32(1, &m32, roots32, NULL), CAROM_ERROR_ARGUMENT);
        assert_int_equal(carom_toi_accelerated_roots_f32(1, NULL, roots32, whole), CAROM_ERROR_ARGUMENT);
        assert_int_equal(carom_toi_accelerated_roots_f32(0, &m32, no_roots32, NULL), CAROM_OK);
        assert_int_equal(carom_toi_accelerated_point_f64(1, &m, &no_points, 1, &only_t), CAROM_ERROR_ARGUMENT);
        assert_int_equal(carom_toi_accelerated_point_f64(1, &m, &p, 1, &no_hits), CAROM_ERROR_ARGUMENT);
        assert_int_equal(carom_toi_accelerated_point_f64(1, &m, &p, 1, &only_t), CAROM_OK);
    }
    FOR_EACH_ISA(isa)
    {
        enum { N = 640 };
        uint64_t random = seed;
        double expected[N];
        for (size_t i = 0; i < N; i++) {
            double in[QUARTIC_INPUTS];
            quartic_case((int)(i % QUARTIC_KINDS), false, &random, in);
            put(i, in);
        }
        times(false, CAROM_QUARTIC_BRACKETED, N, INFINITY);
        memcpy(expected, out64[0], sizeof expected);
        NOT_ON_WEB(); /* rounds to nearest only */
        const int rounding[] = {FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO};
        for (int k = 0; k < 3; k++) {
            fesetround(rounding[k]);
            const carom_status status = carom_toi_accelerated_f64(CAROM_QUARTIC_BRACKETED, N, &m, INFINITY, out64[0]);
            const int after = fegetround();
            fesetround(FE_TONEAREST);
            assert_int_equal(status, CAROM_OK);
            assert_int_equal(after, rounding[k]);
            assert_memory_equal(out64[0], expected, sizeof expected);
        }
    }
}

/* --- Against the exact impact --------------------------------------------------------------------------------------
 * */

TEST(test_against_exact)
{
    const size_t n = (size_t)unless_short(3200, 150);
    assert_int_equal(carom_isa_force(CAROM_ISA_DEFAULT), CAROM_OK); /* the others give the same bits */
    for (int single = 0; single < 2; single++) {
        const double eps = single ? (double)FLT_EPSILON : DBL_EPSILON;
        size_t certified = 0, unsure = 0;
        for (int kind = 0; kind < QUARTIC_KINDS; kind++) {
            uint64_t random = seed * 977 + (uint64_t)kind;
            double in[QUARTIC_INPUTS], error;
            for (size_t i = 0; i < n; i++) {
                quartic_case(kind, single, &random, in);
                put(i, in);
            }
            times(single, CAROM_QUARTIC_BRACKETED, n, INFINITY);
            for (size_t i = 0; i < n; i++) {
                for (int k = 0; k < QUARTIC_INPUTS; k++) {
                    in[k] = in64[k][i];
                }
                quartic_verdict verdict = quartic_certify(in, out64[0][i], eps, &error);
                certified += verdict == QUARTIC_GOOD;
                unsure += verdict == QUARTIC_UNSURE;
#if defined(HAVE_MPFR)
                if (verdict == QUARTIC_UNSURE || i < 50) { /* the certificate is checked, too */
                    verdict = quartic_judge(in, out64[0][i], eps, &error);
                }
                if (verdict != QUARTIC_GOOD && verdict != QUARTIC_BAND) {
                    fail_msg("%s, f%d: verdict %d, t = %a, error %g, {%a, %a, %a, %a, %a, %a, %a}",
                             quartic_kind_names[kind], single ? 32 : 64, (int)verdict, out64[0][i], error, in[0], in[1],
                             in[2], in[3], in[4], in[5], in[6]);
                }
                /* A wrong answer is found out. */
                const double t = out64[0][i], later = t * 1.5;
                double size;
                if (i < 50 && verdict == QUARTIC_GOOD && isfinite(t) &&
                    quartic_condition(in, t, &size) * eps < t / 99) {
                    const quartic_verdict certificate = quartic_certify(in, later, eps, &error);
                    verdict = quartic_judge(in, later, eps, &error);
                    assert_true(certificate == QUARTIC_UNSURE || verdict <= QUARTIC_BAND);
                    if (verdict == QUARTIC_GOOD) {
                        fail_msg("%s, f%d: %a for %a is good? {%a, %a, %a, %a, %a, %a, %a}", quartic_kind_names[kind],
                                 single ? 32 : 64, later, t, in[0], in[1], in[2], in[3], in[4], in[5], in[6]);
                    }
                }
#endif
            }
        }
        printf("f%d: %zu certified, %zu judged at 400 bits\n", single ? 32 : 64, certified, unsure);
        assert_true(certified > unsure);
    }
#if !defined(HAVE_MPFR)
    printf("without MPFR: those that the certificate leaves in doubt were not judged\n");
#endif
}

SET_UP
{
    seed = test_seed(3);
}
