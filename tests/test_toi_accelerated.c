/* SPDX-License-Identifier: MIT
 * Accelerating circles: cases by hand, the exact impact at 400 bits (where MPFR is there), every instruction set, every
 * length, walls against sampled motion, arguments and floating-point environment. Both precisions run the same cases.
 * 800 lines, for all parts share the arrays and the calls of both precisions.
 */
#include <fenv.h>
#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <carom/toi.h>
#include <carom/toi_accelerated.h>
#include <cmocka.h>

#include "quartic_cases.h"
#include "short.h"
#if defined(HAVE_MPFR)
#include "mpfr_quartic.h"
#endif

enum { MOST = 4096, OBSTACLE = 4 };

static uint64_t seed;

/* Arrays of both precisions; a float's copy of the doubles is made at each call. */
static double in64[QUARTIC_INPUTS][MOST], wall64[OBSTACLE][MOST], out64[5][MOST];
static float in32[QUARTIC_INPUTS][MOST], wall32[OBSTACLE][MOST], out32[5][MOST];
static int32_t whole[MOST];

#define FOR_EACH_ISA(isa)                                                                                              \
    for (carom_isa isa = CAROM_ISA_SCALAR; isa < CAROM_ISA_COUNT; isa++)                                               \
        if (carom_isa_force(isa) == CAROM_OK)

static void put(size_t i, const double in[QUARTIC_INPUTS])
{
    for (int k = 0; k < QUARTIC_INPUTS; k++) {
        in64[k][i] = in[k];
    }
}

static void to_floats(size_t n)
{
    for (size_t i = 0; i < n; i++) {
        for (int k = 0; k < QUARTIC_INPUTS; k++) {
            in32[k][i] = (float)in64[k][i];
        }
        for (int k = 0; k < OBSTACLE; k++) {
            wall32[k][i] = (float)wall64[k][i];
        }
    }
}

static void from_floats(size_t n)
{
    for (int k = 0; k < 5; k++) {
        for (size_t i = 0; i < n; i++) {
            out64[k][i] = (double)out32[k][i];
        }
    }
}

static carom_toi_motion_f32 motion32(void)
{
    return (carom_toi_motion_f32){in32[0], in32[1], in32[2], in32[3], in32[4], in32[5], in32[6]};
}

static carom_toi_motion_f64 motion64(void)
{
    return (carom_toi_motion_f64){in64[0], in64[1], in64[2], in64[3], in64[4], in64[5], in64[6]};
}

/* The answers of the first n motions, in out64[0]. */
static void times(bool single, carom_toi_quartic variant, size_t n, double limit)
{
    const carom_toi_motion_f32 m32 = motion32();
    const carom_toi_motion_f64 m64 = motion64();
    if (single) {
        to_floats(n);
        assert_int_equal(carom_toi_accelerated_f32(variant, n, &m32, (float)limit, out32[0]), CAROM_OK);
        from_floats(n);
    } else {
        assert_int_equal(carom_toi_accelerated_f64(variant, n, &m64, limit, out64[0]), CAROM_OK);
    }
}

typedef enum obstacle { LINE, POINT, SEGMENT, BOX, OBSTACLES } obstacle;

/* Hits in out64[0..2] and whole[]; of LINE roots in out64[0..3] and their number. */
static void hits(bool single, obstacle what, size_t n, double limit)
{
    const carom_toi_motion_f32 m32 = motion32();
    const carom_toi_motion_f64 m64 = motion64();
    carom_status status = CAROM_OK;
    if (single) {
        const carom_toi_points_f32 p = {wall32[0], wall32[1]};
        const carom_toi_segments_f32 s = {wall32[0], wall32[1], wall32[2], wall32[3]};
        const carom_toi_boxes_f32 b = {wall32[0], wall32[1], wall32[2], wall32[3]};
        const carom_toi_hits_f32 h = {out32[0], out32[1], out32[2], whole};
        float *const roots[4] = {out32[0], out32[1], out32[2], out32[3]};
        const float latest = (float)limit;
        to_floats(n);
        status = what == LINE      ? carom_toi_accelerated_line_roots_f32(n, &m32, &s, roots, whole)
                 : what == POINT   ? carom_toi_accelerated_point_f32(n, &m32, &p, latest, &h)
                 : what == SEGMENT ? carom_toi_accelerated_segment_f32(n, &m32, &s, latest, &h)
                                   : carom_toi_accelerated_box_f32(n, &m32, &b, latest, &h);
        from_floats(n);
    } else {
        const carom_toi_points_f64 p = {wall64[0], wall64[1]};
        const carom_toi_segments_f64 s = {wall64[0], wall64[1], wall64[2], wall64[3]};
        const carom_toi_boxes_f64 b = {wall64[0], wall64[1], wall64[2], wall64[3]};
        const carom_toi_hits_f64 h = {out64[0], out64[1], out64[2], whole};
        double *const roots[4] = {out64[0], out64[1], out64[2], out64[3]};
        status = what == LINE      ? carom_toi_accelerated_line_roots_f64(n, &m64, &s, roots, whole)
                 : what == POINT   ? carom_toi_accelerated_point_f64(n, &m64, &p, limit, &h)
                 : what == SEGMENT ? carom_toi_accelerated_segment_f64(n, &m64, &s, limit, &h)
                                   : carom_toi_accelerated_box_f64(n, &m64, &b, limit, &h);
    }
    assert_int_equal(status, CAROM_OK);
}

static double uniform(uint64_t *state, double low, double high)
{
    uint64_t z = *state += 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return low + (high - low) * (double)((z ^ z >> 31) >> 11) * 0x1p-53;
}

/* Equal but for `ulps` units in the last place of the precision; infinities and NaN are themselves. */
static bool close_to(bool single, double got, double expected, double ulps)
{
    if (isnan(expected) || isinf(expected) || expected == 0) {
        return isnan(expected) ? isnan(got) : got == expected;
    }
    return fabs(got - expected) <= ulps * (single ? (double)FLT_EPSILON : DBL_EPSILON) * fabs(expected);
}

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
    {"turning at contact: grazing", {6, 0, -4, 0, 2, 0, 2}, 2},
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
    {"a negative radius counts like its amount", {10, 0, 0, 0, -2, 0, -1}, 3},
    {"passing by", {10, 5, -2, 0, 0, 1, 1}, INFINITY},
    {"down, and up again: 2 t^2 - 12 t + 10 = 3", {0, 10, 0, -12, 0, 4, 3}, 0.65479212008828525},
    {"free fall of 9 radii", {0, 10, 0, 0, 0, -2, 1}, 3},
};

static void test_by_hand(void **state)
{
    (void)state;
    FOR_EACH_ISA(isa)
    for (int single = 0; single < 2; single++) {
        for (size_t h = 0; h < sizeof hand_cases / sizeof hand_cases[0]; h++) {
            enum { N = 19 };
            for (size_t place = 0; place < N; place++) { /* among others */
                for (size_t i = 0; i < N; i++) {
                    put(i, hand_cases[i == place ? h : i].in);
                }
                times(single, CAROM_QUARTIC_BRACKETED, N, INFINITY);
                double expected = hand_cases[h].t;
                if (isnan(out64[0][place]) || (isinf(expected) != 0) != (isinf(out64[0][place]) != 0) ||
                    !close_to(single, out64[0][place], expected, 8)) {
                    if (strstr(hand_cases[h].name, "graz") == NULL && hand_cases[h].in[6] != 0) {
                        fail_msg("%s: %.17g, not %.17g", hand_cases[h].name, out64[0][place], expected);
                    }
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
static void test_ferrari(void **state)
{
    (void)state;
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
static void test_listing(void **state)
{
    (void)state;
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
static void test_scale_and_degree(void **state)
{
    (void)state;
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

static void test_not_finite(void **state)
{
    (void)state;
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
                    in[k] = uniform(&random, 0, 1) < 0.2
                                ? 0
                                : uniform(&random, -1, 1) *
                                      exp2(single ? uniform(&random, -149, 127) : uniform(&random, -1074, 1023));
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

static void test_roots(void **state)
{
    (void)state;
    FOR_EACH_ISA(isa)
    {
        double *const roots[4] = {out64[0], out64[1], out64[2], out64[3]};
        const carom_toi_motion_f64 m = motion64();
        /* |t^2 - 4| = 1: two circles fall through each other twice. */
        put(0, (double[]){-4, 0, 0, 0, 2, 0, 1});
        put(1, (double[]){10, 0, -4, 0, 0, 0, 2});
        put(2, (double[]){10, 9, -4, 0, 0, 0, 2});
        put(3, (double[]){NAN, 9, -4, 0, 0, 0, 2});
        put(4, (double[]){1, 0, 0, 0, 0, 0, 2});
        put(5, (double[]){1, 0, 0, 0, 2, 0, 2});
        assert_int_equal(carom_toi_accelerated_roots_f64(6, &m, roots, whole), CAROM_OK);
        const int counts[] = {4, 2, 0, -1, 0, 2};
        const double expected[][4] = {
            {-2.2360679774997898, -1.7320508075688772, 1.7320508075688772, 2.2360679774997898},
            {2, 3, INFINITY, INFINITY},
            {INFINITY, INFINITY, INFINITY, INFINITY},
            {NAN, NAN, NAN, NAN},
            {INFINITY, INFINITY, INFINITY, INFINITY},
            {-1, 1, INFINITY, INFINITY}};
        for (size_t i = 0; i < 6; i++) {
            assert_int_equal(whole[i], counts[i]);
            for (int k = 0; k < 4; k++) {
                assert_true(close_to(false, out64[k][i], expected[i][k], 8));
            }
        }
        /* Anywhere: an even number, ascending, each with |D| = r, and the sign of f alternates between them. */
        uint64_t random = seed;
        for (int kind = 0; kind < QUARTIC_KINDS; kind++) {
            enum { N = 500 };
            for (size_t i = 0; i < N; i++) {
                double in[QUARTIC_INPUTS];
                quartic_case(kind, false, &random, in);
                put(i, in);
            }
            assert_int_equal(carom_toi_accelerated_roots_f64(N, &m, roots, whole), CAROM_OK);
            for (size_t i = 0; i < N; i++) {
                double in[QUARTIC_INPUTS];
                for (int k = 0; k < QUARTIC_INPUTS; k++) {
                    in[k] = in64[k][i];
                }
                assert_true(whole[i] >= 0 && whole[i] % 2 == 0);
                for (int k = 0; k < 4; k++) {
                    const double t = out64[k][i];
                    assert_true(k < whole[i] ? isfinite(t) : t == INFINITY);
                    if (k < whole[i]) {
                        double size;
                        (void)quartic_condition(in, fabs(t), &size);
                        const long double x = in[0] + (long double)t * (in[2] + (long double)t * in[4] / 2);
                        const long double y = in[1] + (long double)t * (in[3] + (long double)t * in[5] / 2);
                        const double off = (double)fabsl(hypotl(x, y) - fabsl((long double)in[6]));
                        assert_true(off <= 16 * DBL_EPSILON * fmax(size, fabs(in[6])));
                        assert_true(k == 0 || t >= out64[k - 1][i]);
                    }
                }
            }
        }
    }
}

/* The lecture's first example: dropped from 1 m with g = 10, the ground is reached at 0.447 s; the other root is when
 * it would have been thrown. */
static void test_drop(void **state)
{
    (void)state;
    FOR_EACH_ISA(isa)
    for (int single = 0; single < 2; single++) {
        put(0, (double[]){0, 1, 0, 0, 0, -10, 0});
        put(1, (double[]){0, 2, 0, 0, 0, -10, 1}); /* a circle: its lower edge falls 1 m, its upper edge 3 m */
        for (size_t i = 0; i < 2; i++) {
            wall64[0][i] = -5, wall64[1][i] = 0, wall64[2][i] = 5, wall64[3][i] = 0;
        }
        hits(single, LINE, 2, INFINITY);
        const double once = 0.44721359549995794, below = 0.77459666924148338;
        assert_int_equal(whole[0], 2);
        assert_true(close_to(single, out64[0][0], -once, 4) && close_to(single, out64[1][0], once, 4));
        assert_int_equal(whole[1], 4);
        assert_true(close_to(single, out64[0][1], -below, 4) && close_to(single, out64[1][1], -once, 4));
        assert_true(close_to(single, out64[2][1], once, 4) && close_to(single, out64[3][1], below, 4));
        hits(single, SEGMENT, 2, INFINITY);
        assert_true(close_to(single, out64[0][1], once, 4));
        assert_true(whole[1] == 0 && out64[1][1] == 0 && out64[2][1] == 1);
    }
}

/* --- Walls -------------------------------------------------------------------------------------------------------- */

/* Distance of the centre from an obstacle, less the radius. Within a box: from one of its sides, or the least (-1). */
static double gap(obstacle what, size_t i, double t, bool within, int side)
{
    const double x = in64[0][i] + t * (in64[2][i] + t * in64[4][i] / 2);
    const double y = in64[1][i] + t * (in64[3][i] + t * in64[5][i] / 2);
    const double x0 = wall64[0][i], y0 = wall64[1][i], x1 = wall64[2][i], y1 = wall64[3][i], r = fabs(in64[6][i]);
    if (what == POINT) {
        return hypot(x - x0, y - y0) - r;
    }
    if (what == SEGMENT) {
        const double ex = x1 - x0, ey = y1 - y0, ee = ex * ex + ey * ey;
        const double u = ee > 0 ? fmin(fmax(((x - x0) * ex + (y - y0) * ey) / ee, 0), 1) : 0;
        return hypot(x - x0 - u * ex, y - y0 - u * ey) - r;
    }
    if (within && side >= 0) {
        return (side == 0 ? x - x0 : side == 1 ? x1 - x : side == 2 ? y - y0 : y1 - y) - r;
    }
    if (within) {
        return fmin(fmin(x - x0, x1 - x), fmin(y - y0, y1 - y)) - r;
    }
    return hypot(fmax(fmax(x0 - x, x - x1), 0), fmax(fmax(y0 - y, y - y1), 0)) - r;
}

/* The gap at 4000 moments up to the limit: where it goes from positive to negative there is an impact, and at an impact
 * it is 0. Dips between two moments are not seen here; they only fail to confirm. */
static void test_walls(void **state)
{
    (void)state;
    enum { N = 300, MOMENTS = 4000 };
    const double limit = 4;
    for (obstacle what = POINT; what < OBSTACLES; what++) {
        uint64_t random = seed + (uint64_t)what;
        for (size_t i = 0; i < N; i++) {
            double in[QUARTIC_INPUTS];
            for (int k = 0; k < 6; k++) {
                in[k] = uniform(&random, -4, 4) * (i % 7 != 0 || k != (int)(i / 7 % 6));
            }
            in[6] = uniform(&random, 0.1, 1);
            put(i, in);
            for (int k = 0; k < OBSTACLE; k++) {
                wall64[k][i] = uniform(&random, -3, 3);
            }
            if (what == BOX) {
                wall64[2][i] = wall64[0][i] + uniform(&random, 0, 6);
                wall64[3][i] = wall64[1][i] + uniform(&random, 0, 6);
            }
        }
        FOR_EACH_ISA(isa)
        for (int single = 0; single < 2; single++) {
            for (int k = 0; k < QUARTIC_INPUTS; k++) {
                for (size_t i = 0; i < N; i++) {
                    in64[k][i] = (double)(float)in64[k][i];
                    wall64[k % OBSTACLE][i] = (double)(float)wall64[k % OBSTACLE][i];
                }
            }
            hits(single, what, N, limit);
            const double near_zero = single ? 1e-4 : 1e-12;
            size_t hit = 0;
            for (size_t i = 0; i < N; i++) {
                const double t = out64[0][i];
                const double x = in64[0][i], y = in64[1][i];
                const bool within =
                    what == BOX && x >= wall64[0][i] && x <= wall64[2][i] && y >= wall64[1][i] && y <= wall64[3][i];
                assert_true(t >= 0);
                if (t == 0) {
                    assert_true(gap(what, i, 0, within, whole[i]) <= near_zero);
                    assert_true(gap(what, i, 1e-6, within, whole[i]) < gap(what, i, 0, within, whole[i]));
                } else if (isfinite(t)) {
                    hit++;
                    if (!(fabs(gap(what, i, t, within, whole[i])) <= near_zero)) {
                        fail_msg("obstacle %d, case %zu, f%d: the gap at %.17g is %g", (int)what, i, single ? 32 : 64,
                                 t, gap(what, i, t, within, whole[i]));
                    }
                    assert_true(fabs(hypot(out64[1][i], out64[2][i]) - 1) <= near_zero);
                    /* Against the normal, and the normal points from the contact to the centre. */
                    const double vx = in64[2][i] + t * in64[4][i], vy = in64[3][i] + t * in64[5][i];
                    assert_true(vx * out64[1][i] + vy * out64[2][i] <= near_zero);
                    assert_true(whole[i] >= 0 && whole[i] < (what == POINT ? 1 : what == SEGMENT ? 3 : 8));
                } else {
                    assert_true(whole[i] == -1 && out64[1][i] == 0 && out64[2][i] == 0);
                }
                bool was_apart = gap(what, i, 0, within, -1) > 1e-3;
                for (int k = 1; k <= MOMENTS && t != 0; k++) {
                    const double now = limit * k / (double)MOMENTS, there = gap(what, i, now, within, -1);
                    if (was_apart && there < -1e-3) {
                        if (!(t <= now)) {
                            fail_msg("obstacle %d, case %zu: there is an impact before %g, told is %g", (int)what, i,
                                     now, t);
                        }
                        break;
                    }
                    was_apart = was_apart || there > 1e-3;
                }
            }
            assert_true(hit > N / 40);
        }
    }
}

static void test_walls_by_hand(void **state)
{
    (void)state;
    static const struct {
        obstacle what;
        double in[QUARTIC_INPUTS], wall[OBSTACLE], t, nx, ny;
        int32_t feature;
    } cases[] = {
        {POINT, {0, 10, 0, 0, 0, -2, 1}, {0, 0, 0, 0}, 3, 0, 1, 0},
        {SEGMENT, {0, 10, 1, 0, 0, -2, 1}, {-5, 0, 5, 0}, 3, 0, 1, 0},
        {SEGMENT, {0, -10, 1, 0, 0, 2, 1}, {-5, 0, 5, 0}, 3, 0, -1, 0},
        {SEGMENT, {-5, 10, 0, 0, 0, -2, 1}, {-5, 0, 5, 0}, 3, 0, 1, 0}, /* over the seam */
        {SEGMENT, {10, 0, 0, 0, -2, 0, 1}, {-5, 0, 1, 0}, SQRT_HALF * 4, 1, 0, 2},
        {SEGMENT, {-10, 0, 0, 0, 2, 0, 1}, {-1, 0, 5, 0}, SQRT_HALF * 4, -1, 0, 1},
        {SEGMENT, {0, 0.5, 0, 4, 0, -2, 1}, {-5, 0, 5, 0}, 3.8708286933869707, 0, 1, 0}, /* leaves and comes back */
        {SEGMENT, {0, 10, 0, 0, 0, -2, 1}, {0, 0, 0, 0}, 3, 0, 1, 1},                    /* no length: a point */
        {SEGMENT, {7, 10, 0, 0, 0, -2, 1}, {-5, 0, 5, 0}, INFINITY, 0, 0, -1},
        {BOX, {0, 10, 0, 0, 0, -2, 1}, {-2, -2, 2, 0}, 3, 0, 1, 3},
        {BOX, {-10, 0, 0, 0, 2, 0, 1}, {0, -2, 2, 2}, 3, -1, 0, 0},
        {BOX, {10, 0, 0, 0, -2, 0, 1}, {-2, -2, 0, 2}, 3, 1, 0, 1},
        {BOX, {0, -10, 0, 0, 0, 2, 1}, {-2, 0, 2, 2}, 3, 0, -1, 2},
        {BOX, {15, 20, 0, 0, -6, -8, 5}, {-1, -1, 0, 0}, 2, 0.6, 0.8, 7},
        {BOX, {0, 5, 1, 0, 0, -2, 1}, {-9, 0, 9, 10}, 2, 0, 1, 2}, /* from within: falls to the floor */
        {BOX, {0, 5, 0, 0, 0, 2, 1}, {-9, 0, 9, 10}, 2, 0, -1, 3},
        {BOX, {0, 5, 0, 0, 2, 0, 1}, {-9, 0, 10, 10}, 3, -1, 0, 1},
        {BOX, {0, 0.5, 0, -1, 0, 0, 1}, {-9, 0, 9, 10}, 0, 0, 1, 2}, /* in the floor, and deeper */
        {BOX, {0, 1, 0, 4, 0, -2, 1}, {-9, 0, 9, 10}, 4, 0, 1, 2},   /* bounced off the floor: falls back */
        {BOX, {0, 10, 0, 0, 0, 2, 1}, {-2, -2, 2, 0}, INFINITY, 0, 0, -1},
    };
    FOR_EACH_ISA(isa)
    for (int single = 0; single < 2; single++) {
        for (size_t c = 0; c < sizeof cases / sizeof cases[0]; c++) {
            for (size_t i = 0; i < 17; i++) {
                put(i, cases[c].in);
                for (int k = 0; k < OBSTACLE; k++) {
                    wall64[k][i] = cases[c].wall[k];
                }
            }
            hits(single, cases[c].what, 17, INFINITY);
            for (size_t i = 0; i < 17; i++) {
                double expected = cases[c].t;
                if (cases[c].what == SEGMENT && expected == SQRT_HALF * 4) {
                    expected = sqrt(8);
                }
                if (!close_to(single, out64[0][i], expected, 8) || fabs(out64[1][i] - cases[c].nx) > 1e-6 ||
                    fabs(out64[2][i] - cases[c].ny) > 1e-6 || whole[i] != cases[c].feature) {
                    fail_msg("case %zu: t %.17g, normal (%g, %g), feature %d", c, out64[0][i], out64[1][i], out64[2][i],
                             (int)whole[i]);
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

static void test_same_bits(void **state)
{
    (void)state;
    static unsigned char expected[400000], got[400000];
    enum { N = 1030 }; /* several blocks, the last one short */
    for (int single = 0; single < 2; single++) {
        uint64_t random = seed;
        for (size_t i = 0; i < N; i++) {
            double in[QUARTIC_INPUTS];
            quartic_case((int)(i % QUARTIC_KINDS), single, &random, in);
            put(i, in);
            for (int k = 0; k < OBSTACLE; k++) {
                wall64[k][i] = (double)(float)(uniform(&random, -9, 9) + (k < 2 ? 0 : 9));
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

static void test_arguments_and_environment(void **state)
{
    (void)state;
    const carom_toi_motion_f64 m = motion64(), none = {0};
    const carom_toi_points_f64 p = {wall64[0], wall64[1]}, no_points = {0};
    const carom_toi_hits_f64 only_t = {out64[0], NULL, NULL, NULL}, no_hits = {0};
    const double bad[] = {-1, NAN, -INFINITY, -5e-324};
    double *const no_roots[4] = {out64[0], out64[1], NULL, out64[3]};
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

static void test_against_exact(void **state)
{
    (void)state;
    const size_t n = (size_t)unless_short(1500, 150);
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
                if (verdict == QUARTIC_UNSURE || i < 50) { /* the certificate, too, is looked at */
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
                    verdict = quartic_certify(in, later, eps, &error);
                    assert_int_not_equal(verdict, QUARTIC_GOOD);
                    verdict = quartic_judge(in, later, eps, &error);
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

int main(void)
{
    const char *given = getenv("CAROM_TEST_SEED");
    seed = given != NULL ? strtoull(given, NULL, 0) : 3;
    printf("CAROM_TEST_SEED=%llu\n", (unsigned long long)seed);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_by_hand),
        cmocka_unit_test(test_ferrari),
        cmocka_unit_test(test_listing),
        cmocka_unit_test(test_scale_and_degree),
        cmocka_unit_test(test_not_finite),
        cmocka_unit_test(test_roots),
        cmocka_unit_test(test_drop),
        cmocka_unit_test(test_walls),
        cmocka_unit_test(test_walls_by_hand),
        cmocka_unit_test(test_same_bits),
        cmocka_unit_test(test_arguments_and_environment),
        cmocka_unit_test(test_against_exact),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
