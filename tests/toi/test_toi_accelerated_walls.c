/* SPDX-License-Identifier: MIT
 * Accelerating circles and walls: cases by hand, sampled motion, the exact impact at 400 bits (where MPFR is there).
 */
#include "accelerated_batch.h"
#if defined(HAVE_MPFR)
#include "mpfr_walls.h"
#endif

#define SQRT_HALF 0.70710678118654752

/* The lecture's first example: dropped from 1 m with g = 10, the ground is reached at 0.447 s; the other root is when
 * it would have been thrown. */
TEST(test_drop)
{
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

/* Distance of the centre from an obstacle, minus the radius. Inside a box: from one of its sides, or the least (-1). */
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
TEST(test_walls)
{
    enum { N = 300, MOMENTS = 4000 };
    const double limit = 4;
    for (obstacle what = POINT; what < OBSTACLES; what++) {
        uint64_t random = seed + (uint64_t)what;
        for (size_t i = 0; i < N; i++) {
            double in[QUARTIC_INPUTS];
            for (int k = 0; k < 6; k++) {
                in[k] = rng_in(&random, -4, 4) * (i % 7 != 0 || k != (int)(i / 7 % 6));
            }
            in[6] = rng_in(&random, 0.1, 1);
            put(i, in);
            for (int k = 0; k < OBSTACLE; k++) {
                wall64[k][i] = rng_in(&random, -3, 3);
            }
            if (what == BOX) {
                wall64[2][i] = wall64[0][i] + rng_in(&random, 0, 6);
                wall64[3][i] = wall64[1][i] + rng_in(&random, 0, 6);
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

TEST(test_walls_by_hand)
{
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
        {BOX, {0, 5, 1, 0, 0, -2, 1}, {-9, 0, 9, 10}, 2, 0, 1, 2}, /* from inside: falls to the floor */
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

/* --- Against the exact impact ------------------------------------------------------------------------------------- */

#if defined(HAVE_MPFR)

/* A circle and a wall, in numbers of the precision, of three kinds: anywhere; far away and fast towards the wall;
 * grazing, which is a motion back from a place near contact with the wall, along it. */
static void wall_case(obstacle what, bool single, int kind, uint64_t *random, size_t i)
{
    double in[QUARTIC_INPUTS], wall[OBSTACLE], size = kind == 1 ? exp2(rng_in(random, 3, single ? 9 : 20)) : 4;
    for (int k = 0; k < OBSTACLE; k++) {
        wall[k] = rng_in(random, -3, 3);
    }
    if (what == BOX) {
        wall[2] = wall[0] + rng_in(random, 0.5, 6);
        wall[3] = wall[1] + rng_in(random, 0.5, 6);
    }
    for (int k = 0; k < 6; k++) {
        in[k] = rng_in(random, -4, 4) * (i % 7 != 0 || k != (int)(i / 7 % 6));
    }
    in[6] = i % 5 == 0 ? 0 : rng_in(random, 0.1, 1);
    if (kind == 1) {
        const double t = rng_in(random, 0.5, 4);
        in[0] = rng_in(random, -size, size);
        in[1] = rng_in(random, -size, size);
        for (int k = 0; k < 2; k++) {
            in[2 + k] = (rng_in(random, -3, 3) - in[k]) / t - in[4 + k] * t / 2;
        }
    } else if (kind == 2) {
        const double t = rng_in(random, 0.25, 4), angle = rng_in(random, -3.2, 3.2), nx = cos(angle), ny = sin(angle);
        const double off = in[6] * (1 + rng_in(random, -1, 1) * exp2(-rng_in(random, 8, single ? 24 : 52)));
        const double speed = rng_in(random, -4, 4);
        if (what == SEGMENT) {
            wall[2] = wall[0] - ny * 3;
            wall[3] = wall[1] + nx * 3;
        }
        const double u = what == SEGMENT ? rng_in(random, -0.3, 1.3) : 0;
        in[2] = -ny * speed - in[4] * t;
        in[3] = nx * speed - in[5] * t;
        in[0] = wall[0] + off * nx - 3 * u * ny - t * (in[2] + t * in[4] / 2);
        in[1] = wall[1] + off * ny + 3 * u * nx - t * (in[3] + t * in[5] / 2);
    }
    for (int k = 0; k < QUARTIC_INPUTS; k++) {
        in[k] = single ? (double)(float)in[k] : in[k];
    }
    for (int k = 0; k < OBSTACLE; k++) {
        wall64[k][i] = single ? (double)(float)wall[k] : wall[k];
    }
    put(i, in);
}

/* The bound that toi_accelerated.h states: the answer is between the exact ones for a radius greater and less by
 * WALL_BOUND e s. */
#define WALL_BOUND 4

TEST(test_walls_against_exact)
{
    const size_t n = (size_t)unless_short(600, 300);
    static const exact_wall exact[] = {EXACT_POINT, EXACT_POINT, EXACT_SEGMENT, EXACT_BOX};
    assert_int_equal(carom_isa_force(CAROM_ISA_DEFAULT), CAROM_OK); /* the others give the same bits */
    for (int single = 0; single < 2; single++) {
        const double eps = single ? (double)FLT_EPSILON : DBL_EPSILON;
        for (obstacle what = POINT; what < OBSTACLES; what++) {
            uint64_t random = seed * 31 + (uint64_t)what;
            size_t impacts = 0, apart = 0;
            for (size_t i = 0; i < n; i++) {
                wall_case(what, single, (int)(i % 3), &random, i);
            }
            hits(single, what, n, INFINITY);
            for (size_t i = 0; i < n; i++) {
                double in[QUARTIC_INPUTS], wall[OBSTACLE];
                for (int k = 0; k < QUARTIC_INPUTS; k++) {
                    in[k] = in64[k][i];
                }
                for (int k = 0; k < OBSTACLE; k++) {
                    wall[k] = wall64[k][i];
                }
                const double t = out64[0][i], r = in[6], truth = walls_exact(exact[what], in, wall);
                const bool within =
                    what == BOX && in[0] >= wall[0] && in[0] <= wall[2] && in[1] >= wall[1] && in[1] <= wall[3];
                if (gap(what, i, 0, within, -1) <= 1e-3) {
                    continue;
                }
                apart++;
                impacts += isfinite(t) != 0;
                const double latest = isfinite(t) && isfinite(truth) ? fmax(t, truth) : fmin(t, truth);
                const double reach = isfinite(latest) ? latest : 0;
                const double size = hypot(in[0], in[1]) +
                                    reach * (hypot(in[2], in[3]) + reach * hypot(in[4], in[5]) / 2) +
                                    fmax(hypot(wall[0], wall[1]), hypot(wall[2], wall[3])) + r;
                double greater[QUARTIC_INPUTS], less[QUARTIC_INPUTS];
                memcpy(greater, in, sizeof in);
                memcpy(less, in, sizeof in);
                greater[6] = r + WALL_BOUND * eps * size;
                less[6] = r - WALL_BOUND * eps * size;
                /* Of a radius below 0 there is no contact. */
                const double early = walls_exact(exact[what], greater, wall);
                const double late = less[6] > 0 ? walls_exact(exact[what], less, wall) : INFINITY;
                if (!(early <= t && t <= late)) {
                    fail_msg(
                        "obstacle %d, f%d, case %zu: %a, exactly %a, within [%a, %a]; {%a, %a, %a, %a, %a, %a, %a} "
                        "{%a, %a, %a, %a}",
                        (int)what, single ? 32 : 64, i, t, truth, early, late, in[0], in[1], in[2], in[3], in[4], in[5],
                        in[6], wall[0], wall[1], wall[2], wall[3]);
                }
            }
            assert_true(apart > n / 2 && impacts > apart / 5);
        }
    }
}

#endif

SET_UP
{
    seed = test_seed(3);
}
