/* SPDX-License-Identifier: MIT
 * Circles on their way to arcs: cases by hand, and random ones, for which long double geometry, independent of times of
 * impact, checks that the circle touches at the answer and was no nearer before it. Also the hardest ones: aimed at
 * ends, tangent to the arc at its first end, rolling along it. Every instruction set gives the same bits.
 */
#include "test.h"

#include <float.h>

enum { INPUTS = 7, ARC = 7, MOST = 2048 };

#define SQRT_HALF 0.70710678118654752440
#define BOUND 16 /* of the position's error, in eps times the scale S of carom/toi_arcs.h */

static uint64_t seed, random_state;

/* x, y, vx, vy, ax, ay, r of circles; x, y, radius, ax, ay, bx, by of arcs; t, nx, ny of hits. */
static double circle64[INPUTS][MOST], arc64[ARC][MOST], hit64[3][MOST];
static float circle32[INPUTS][MOST], arc32[ARC][MOST], hit32[3][MOST];
static int32_t feature[MOST];

static double uniform(double low, double high)
{
    return rng_in(&random_state, low, high);
}

static void put(size_t i, const double circle[INPUTS], const double arc[ARC])
{
    for (int k = 0; k < INPUTS; k++) {
        circle64[k][i] = circle[k];
    }
    for (int k = 0; k < ARC; k++) {
        arc64[k][i] = arc[k];
    }
}

/* Rounds all inputs to floats, so that both precisions have the same cases. */
static void round_all(size_t n)
{
    for (size_t i = 0; i < n; i++) {
        for (int k = 0; k < INPUTS; k++) {
            circle64[k][i] = (double)(circle32[k][i] = (float)circle64[k][i]);
        }
        for (int k = 0; k < ARC; k++) {
            arc64[k][i] = (double)(arc32[k][i] = (float)arc64[k][i]);
        }
    }
}

static carom_status solve_f32(carom_arc_sides sides, bool holds, size_t n, double limit, bool falls)
{
    const carom_toi_bodies_f32 circles = {circle32[0], circle32[1], circle32[2], circle32[3], circle32[6]};
    const carom_toi_motion_f32 motion = {circle32[0], circle32[1], circle32[2], circle32[3],
                                         circle32[4], circle32[5], circle32[6]};
    const carom_toi_arcs_f32 arcs = {arc32[0], arc32[1], arc32[2], arc32[3], arc32[4], arc32[5], arc32[6]};
    const carom_toi_hits_f32 out = {hit32[0], hit32[1], hit32[2], feature};
    const carom_status status = falls
                                    ? carom_toi_accelerated_arc_f32(sides, holds, n, &motion, &arcs, (float)limit, &out)
                                    : carom_toi_arc_f32(sides, holds, n, &circles, &arcs, (float)limit, &out);
    for (int k = 0; k < 3; k++) {
        for (size_t i = 0; i < n; i++) {
            hit64[k][i] = (double)hit32[k][i];
        }
    }
    return status;
}

static carom_status solve_f64(carom_arc_sides sides, bool holds, size_t n, double limit, bool falls)
{
    const carom_toi_bodies_f64 circles = {circle64[0], circle64[1], circle64[2], circle64[3], circle64[6]};
    const carom_toi_motion_f64 motion = {circle64[0], circle64[1], circle64[2], circle64[3],
                                         circle64[4], circle64[5], circle64[6]};
    const carom_toi_arcs_f64 arcs = {arc64[0], arc64[1], arc64[2], arc64[3], arc64[4], arc64[5], arc64[6]};
    const carom_toi_hits_f64 out = {hit64[0], hit64[1], hit64[2], feature};
    return falls ? carom_toi_accelerated_arc_f64(sides, holds, n, &motion, &arcs, limit, &out)
                 : carom_toi_arc_f64(sides, holds, n, &circles, &arcs, limit, &out);
}

static void solve(bool single, carom_arc_sides sides, bool holds, size_t n, double limit, bool falls)
{
    OK(single ? solve_f32(sides, holds, n, limit, falls) : solve_f64(sides, holds, n, limit, falls));
}

/* ---- the geometry, in long double ---- */

typedef struct point {
    long double x, y;
} point;

/* Arc and path i, all as seen from the arc's centre. */
typedef struct path {
    point p, v, a, from, to;
    long double radius, r, eps;
    bool ring, major;
} path;

static point direction(double x, double y, long double length)
{
    const long double scale = length / hypotl(x, y);
    return (point){x * scale, y * scale};
}

static path path_of(size_t i, bool falls, bool single)
{
    path w = {.radius = arc64[2][i], .r = circle64[6][i], .eps = single ? FLT_EPSILON : DBL_EPSILON};
    w.p = (point){(long double)circle64[0][i] - arc64[0][i], (long double)circle64[1][i] - arc64[1][i]};
    w.v = (point){circle64[2][i], circle64[3][i]};
    w.a = falls ? (point){circle64[4][i], circle64[5][i]} : (point){0, 0};
    w.ring = arc64[3][i] == arc64[5][i] && arc64[4][i] == arc64[6][i];
    if (!w.ring) {
        w.from = direction(arc64[3][i] - arc64[0][i], arc64[4][i] - arc64[1][i], w.radius);
        w.to = direction(arc64[5][i] - arc64[0][i], arc64[6][i] - arc64[1][i], w.radius);
        w.major = w.from.x * w.to.y - w.from.y * w.to.x < 0;
    }
    return w;
}

static point place(const path *w, long double t)
{
    return (point){w->p.x + t * (w->v.x + t * w->a.x / 2), w->p.y + t * (w->v.y + t * w->a.y / 2)};
}

/* The point of the arc that is nearest to q. */
static point nearest(const path *w, point q)
{
    const bool past = w->from.x * q.y - w->from.y * q.x >= 0, before = q.x * w->to.y - q.y * w->to.x >= 0;
    if (w->ring || (w->major ? past || before : past && before)) {
        const long double length = hypotl(q.x, q.y), scale = w->radius / (length > 0 ? length : 1);
        return length > 0 ? (point){q.x * scale, q.y * scale} : (point){w->radius, 0};
    }
    const bool first = hypotl(q.x - w->from.x, q.y - w->from.y) <= hypotl(q.x - w->to.x, q.y - w->to.y);
    return first ? w->from : w->to;
}

static long double distance(const path *w, long double t)
{
    const point q = place(w, t), n = nearest(w, q);
    return hypotl(q.x - n.x, q.y - n.y);
}

static long double scale_of(const path *w, long double t)
{
    return hypotl(w->p.x, w->p.y) + hypotl(w->v.x, w->v.y) * t + hypotl(w->a.x, w->a.y) * t * t / 2 + w->radius + w->r;
}

static void consider(const path *w, long double t, long double until, long double *least)
{
    if (t >= 0 && t <= until) {
        const long double d = distance(w, t);
        *least = d < *least ? d : *least;
    }
}

/* The least distance on the path from 0 to `until`. Along a straight line the distance has its local minima where it is
 * nearest to the centre or an end, where it crosses the circle, and where its foot reaches an end. */
static long double least_distance(const path *w, long double until, bool falls, int moments)
{
    long double least = (long double)INFINITY;
    consider(w, 0, until, &least);
    consider(w, until, until, &least);
    if (falls) {
        for (int k = 1; k < moments; k++) {
            consider(w, until * k / moments, until, &least);
        }
        return least;
    }

    const point v = w->v, ends[2] = {w->from, w->to};
    const long double vv = v.x * v.x + v.y * v.y, pv = w->p.x * v.x + w->p.y * v.y;
    const long double cross = w->p.x * v.y - w->p.y * v.x, d = w->radius * w->radius * vv - cross * cross;
    if (vv > 0) {
        consider(w, -pv / vv, until, &least);
        if (d >= 0) {
            consider(w, (-pv - sqrtl(d)) / vv, until, &least);
            consider(w, (-pv + sqrtl(d)) / vv, until, &least);
        }
        for (int e = 0; e < 2 && !w->ring; e++) {
            const point q = ends[e];
            consider(w, ((q.x - w->p.x) * v.x + (q.y - w->p.y) * v.y) / vv, until, &least);
            consider(w, -(q.x * w->p.y - q.y * w->p.x) / (q.x * v.y - q.y * v.x), until, &least);
        }
    }
    return least;
}

typedef struct tally {
    size_t hits, parts[4];
    long double worst_near, worst_contact;
} tally;

#define REQUIRE(condition, ...)                                                                                        \
    if (!(condition)) {                                                                                                \
        print_error("circle %.17g %.17g %.17g %.17g %.17g %.17g %.17g\n", circle64[0][i], circle64[1][i],              \
                    circle64[2][i], circle64[3][i], circle64[4][i], circle64[5][i], circle64[6][i]);                   \
        print_error("arc %.17g %.17g %.17g %.17g %.17g %.17g %.17g\n", arc64[0][i], arc64[1][i], arc64[2][i],          \
                    arc64[3][i], arc64[4][i], arc64[5][i], arc64[6][i]);                                               \
        print_error("t %.17g, feature %d, seed %llu, case %zu, f%d: ", hit64[0][i], feature[i],                        \
                    (unsigned long long)seed, i, single ? 32 : 64);                                                    \
        fail_msg(__VA_ARGS__);                                                                                         \
    }

/* Answers of the first n cases, with `holds`: nothing may come through. */
static void check(size_t n, double limit, bool falls, bool single, tally *sum)
{
    for (size_t i = 0; i < n; i++) {
        const path w = path_of(i, falls, single);
        const double t = hit64[0][i];
        const bool hit = isfinite(t);
        const long double until = hit ? t : limit, error = w.eps * scale_of(&w, until);
        const long double start = distance(&w, 0), r = start < w.r ? start : w.r;
        REQUIRE(hit ? t >= 0 && t <= limit : t > 0, "the time is out of range");

        const long double near = (r - least_distance(&w, until, falls, 400)) / error;
        sum->worst_near = near > sum->worst_near ? near : sum->worst_near;
        REQUIRE(near <= BOUND, "it came %Lg too near before", near);
        if (!hit) {
            REQUIRE(feature[i] == -1 && hit64[1][i] == 0 && hit64[2][i] == 0, "a part without a hit");
            continue;
        }

        /* At the contact: the distance is r, or what it was at the start; the normal leads to the centre. */
        const long double contact =
            (start < w.r + BOUND * error ? distance(&w, t) - w.r : fabsl(distance(&w, t) - w.r)) / error;
        const point q = place(&w, t), from = nearest(&w, q);
        const long double d = hypotl(q.x - from.x, q.y - from.y);
        sum->worst_contact = contact > sum->worst_contact ? contact : sum->worst_contact;
        REQUIRE(contact <= BOUND, "it is %Lg too far away", contact);
        REQUIRE(fabs(hypot(hit64[1][i], hit64[2][i]) - 1) <= 8 * (double)w.eps, "the normal is %.17g, %.17g",
                hit64[1][i], hit64[2][i]);
        const long double along = ((q.x - from.x) * hit64[1][i] + (q.y - from.y) * hit64[2][i]) / (d > 0 ? d : 1);
        const bool clear = d >= 1e4 * error && hypotl(q.x, q.y) >= 1e4 * error; /* else any direction may be right */
        REQUIRE(!clear || 1 - along <= 64 * error / d + 64 * w.eps, "the normal is off by %Lg", 1 - along);
        REQUIRE(feature[i] >= 0 && feature[i] <= 3, "there is no such part");
        sum->hits++;
        sum->parts[feature[i]]++;
    }
}

/* Solves the first n cases by every instruction set, which must agree, in both precisions, and checks them. */
static tally check_all(size_t n, double limit, bool falls)
{
    tally sum = {0};
    round_all(n);
    for (int single = 0; single < 2; single++) {
        static double first[3][MOST];
        static int32_t part[MOST];
        bool again = false;
        for (carom_isa isa = CAROM_ISA_SCALAR; isa < CAROM_ISA_COUNT; isa++) {
            if (carom_isa_force(isa) != CAROM_OK) {
                continue;
            }
            solve(single != 0, CAROM_ARC_BOTH, true, n, limit, falls);
            if (again) {
                for (int k = 0; k < 3; k++) {
                    assert_memory_equal(first[k], hit64[k], n * sizeof first[k][0]);
                }
                assert_memory_equal(part, feature, n * sizeof part[0]);
            }
            memcpy(first, hit64, sizeof first);
            memcpy(part, feature, sizeof part);
            again = true;
        }
        check(n, limit, falls, single != 0, &sum);
    }
    return sum;
}

static void report(const char *what, const tally *sum)
{
    print_message(
        "%s: %zu hits (%zu without, %zu and %zu ends, %zu within), contact within %.2Lf, before %.2Lf eps S\n", what,
        sum->hits, sum->parts[0], sum->parts[1], sum->parts[2], sum->parts[3], sum->worst_contact, sum->worst_near);
}

/* A random arc; one in eight is a whole circle, one in eight a half or a quarter. */
static void random_arc(double arc[ARC])
{
    arc[0] = uniform(-1, 1), arc[1] = uniform(-1, 1), arc[2] = exp2(uniform(-3, 2));
    for (int k = 3; k < ARC; k++) {
        arc[k] = uniform(-2, 2);
    }
    const int kind = rng_below(&random_state, 16);
    if (kind < 2) {
        arc[5] = arc[3], arc[6] = arc[4];
    } else if (kind < 4) {
        arc[0] = arc[1] = 0, arc[3] = 1, arc[4] = 0, arc[5] = kind == 2 ? -1 : 0, arc[6] = kind == 2 ? 0 : 1;
    }
}

TEST(test_random)
{
    for (int falls = 0; falls < 2; falls++) {
        tally sum = {0};
        for (int round = 0; round < at_length(2000, 20, 3) / (falls ? 2 : 1); round++) {
            for (size_t i = 0; i < MOST; i++) {
                double arc[ARC], circle[INPUTS];
                random_arc(arc);
                for (int k = 0; k < 6; k++) {
                    circle[k] = uniform(-4, 4) * (double)(rng_below(&random_state, 16) != 0);
                }
                circle[6] = rng_below(&random_state, 8) == 0 ? 0 : exp2(uniform(-6, 1));
                put(i, circle, arc);
            }
            const tally more = check_all(MOST, 3, falls != 0);
            sum.hits += more.hits;
            for (int k = 0; k < 4; k++) {
                sum.parts[k] += more.parts[k];
            }
            sum.worst_near = fmaxl(sum.worst_near, more.worst_near);
            sum.worst_contact = fmaxl(sum.worst_contact, more.worst_contact);
        }
        report(falls ? "random, accelerated" : "random", &sum);
        const size_t many = sum.hits / 5, some = sum.hits / 25; /* every kind of hit has its share */
        assert_true(sum.hits > 300 && sum.parts[0] > many && sum.parts[1] > some && sum.parts[2] > some &&
                    sum.parts[3] > many);
    }
}

/* Along tangents: a circle rolls along a straight wall that continues as the arc, inside or outside, starts tangent to
 * the arc it touches, or is aimed so that it just grazes an end. */
TEST(test_tempting)
{
    for (int falls = 0; falls < 2; falls++) {
        for (size_t i = 0; i < MOST; i++) {
            const int kind = rng_below(&random_state, 4), back = rng_below(&random_state, 2);
            const double radius = exp2(uniform(-2, 2)), r = radius * exp2(uniform(-8, -0.1)), x = uniform(-3, 3);
            const double nudge = uniform(-4, 4) * exp2(uniform(-54, -20)) * (double)rng_below(&random_state, 2);
            const double turn = uniform(-4, 4), c = cos(turn), s = sin(turn);
            const double way = kind == 3 ? 0 : uniform(0, 2), side = kind == 0 || kind == 3 ? -1 : 1;
            /* Before it is turned: the circle's centre is below the arc's, the wall is along x. */
            const double px = -way, py = -(radius + side * r) + nudge, qx = 0, qy = -radius;
            const double ex = kind == 2 ? uniform(0, 1) : 1, ey = kind == 2 ? 1 : 0;
            const double circle[INPUTS] = {x + c * px - s * py,
                                           c * py + s * px,
                                           c,
                                           s,
                                           falls ? -s * -uniform(0, 1) : 0,
                                           falls ? c * -uniform(0, 1) : 0,
                                           r};
            const double from[2] = {x + c * qx - s * qy, c * qy + s * qx},
                         to[2] = {x + c * ex - s * ey, c * ey + s * ex};
            const double arc[ARC] = {x, 0, radius, from[0], from[1], to[0], to[1]};
            const double ring[ARC] = {x, 0, radius, 0, 0, 0, 0};
            (void)back;
            put(i, circle, kind == 3 && rng_below(&random_state, 2) == 0 ? ring : arc);
        }
        const tally sum = check_all(MOST, 4, falls != 0);
        report(falls ? "tempting, accelerated" : "tempting", &sum);
        assert_true(sum.parts[3] > 200);
    }
}

TEST(test_by_hand)
{
    const double upper[ARC] = {0, 0, 2, 1, 0, -5, 0}, ring[ARC] = {0, 0, 2, 0, 0, 0, 0};
    const double corner[ARC] = {9, 1, 1, 9, 0, 10, 1}; /* the lower right one of a box from (0, 0) to (10, ...) */
    const struct {
        double circle[INPUTS];
        const double *arc;
        double t, nx, ny;
        int32_t feature;
    } cases[] = {
        {{0, 5, 0, -1, 0, 0, 1}, upper, 2, 0, 1, 0},
        {{0, 0, 0, 1, 0, 0, 1}, upper, 1, 0, -1, 3},
        {{0, -5, 0, 1, 0, 0, 1}, upper, 6, 0, -1, 3}, /* through the open side */
        {{0, 0, 0, -1, 0, 0, 1}, upper, INFINITY, 0, 0, -1},
        {{2, -5, 0, 1, 0, 0, 1}, upper, 4, 0, -1, 1},
        {{-2, -5, 0, 1, 0, 0, 1}, upper, 4, 0, -1, 2},
        {{0, 0, 1, 0, 0, 0, 1}, ring, 1, -1, 0, 3},
        {{0, 0, 1, 0, 0, 0, 0.5}, ring, 1.5, -1, 0, 3},
        {{-9, 0, 1, 0, 0, 0, 3}, ring, 4, -1, 0, 0},            /* too large to be within */
        {{0, -9, 0, 2, 0, 0, 3}, upper, 9 - sqrt(5.), 0, 0, 1}, /* it meets both ends: see below */
        {{5, 0.5, 1, 0, 0, 0, 0.5}, corner, 4, 0, 1, -2},       /* rolls into the corner: an end, or the arc */
        {{9, 1, SQRT_HALF, -SQRT_HALF, 0, 0, 0.5}, corner, 0.5, -SQRT_HALF, SQRT_HALF, 3},
        {{0, 0, 0, 0, 0, -2, 1}, ring, 1, 0, 1, 3}, /* dropped in a ring, with an acceleration of 2 */
        {{0, 7, 0, 0, 0, -2, 1}, ring, 2, 0, 1, 0},
        {{0, 0, 0, 4, 0, -2, 1}, upper, 2 - sqrt(3.), 0, -1, 3},
        {{2, 5, 0, 0, 0, -2, 0}, upper, sqrt(5.), 0, 0, -2}, /* grazes the arc from outside at its end */
    };
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        put(k, cases[k].circle, cases[k].arc);
        const bool falls = cases[k].circle[4] != 0 || cases[k].circle[5] != 0;
        for (int single = 0; single < 2; single++) {
            round_all(k + 1);
            solve(single != 0, CAROM_ARC_BOTH, false, k + 1, INFINITY, falls);
            const double eps = single ? 1e-5 : 1e-7; /* the inputs are floats */
            if (cases[k].feature == -2) {            /* whatever part it is */
                assert_true(isfinite(hit64[0][k]));
            } else if (cases[k].nx == 0 && cases[k].ny == 0 && isfinite(cases[k].t)) {
                assert_int_equal(feature[k], cases[k].feature);
            } else if (!(hit64[0][k] == cases[k].t || fabs(hit64[0][k] - cases[k].t) <= eps) ||
                       fabs(hit64[1][k] - cases[k].nx) > eps || fabs(hit64[2][k] - cases[k].ny) > eps ||
                       feature[k] != cases[k].feature) {
                fail_msg("case %zu, f%d: %.17g, normal %g %g, part %d", k, single ? 32 : 64, hit64[0][k], hit64[1][k],
                         hit64[2][k], feature[k]);
            }
        }
    }
}

/* A one-sided arc lets circles pass from the other side, and stops them later at its far part. */
TEST(test_sides)
{
    const double ring[ARC] = {0, 0, 2, 0, 0, 0, 0};
    put(0, (double[]){-5, 0, 1, 0, 0, 0, 1}, ring);
    put(1, (double[]){0, 0, 1, 0, 0, 0, 1}, ring);
    put(2, (double[]){-5, 0, 0, 0, 2, 0, 1}, ring); /* these two with an acceleration */
    put(3, (double[]){0, 0, 0, 0, 2, 0, 1}, ring);
    for (int single = 0; single < 2; single++) {
        round_all(4);
        solve(single != 0, CAROM_ARC_WITHIN, true, 4, INFINITY, false);
        assert_true(hit64[0][0] == 6 && feature[0] == 3 && hit64[0][1] == 1 && feature[1] == 3);
        solve(single != 0, CAROM_ARC_WITHOUT, true, 4, INFINITY, false);
        assert_true(hit64[0][0] == 2 && feature[0] == 0 && hit64[0][1] == INFINITY);
        solve(single != 0, CAROM_ARC_WITHIN, true, 4, INFINITY, true);
        assert_true(fabs(hit64[0][2] - sqrt(6.)) < 1e-6 && feature[2] == 3);
        assert_true(fabs(hit64[0][3] - 1) < 1e-6 && feature[3] == 3);
        solve(single != 0, CAROM_ARC_WITHOUT, true, 4, INFINITY, true);
        assert_true(fabs(hit64[0][2] - sqrt(2.)) < 1e-6 && feature[2] == 0 && hit64[0][3] == INFINITY);
    }
}

/* NaN in any input gives NaN, and arguments are checked. */
TEST(test_arguments)
{
    const double ring[ARC] = {0, 0, 2, 0, 0, 0, 0}, circle[INPUTS] = {0, 0, 1, 0, 0, 1, 1};
    for (size_t i = 0; i < INPUTS + ARC; i++) {
        put(i, circle, ring);
        *(i < INPUTS ? &circle64[i][i] : &arc64[i - INPUTS][i]) = (double)NAN;
    }
    for (int single = 0; single < 2; single++) {
        round_all(INPUTS + ARC);
        solve(single != 0, CAROM_ARC_BOTH, true, INPUTS + ARC, INFINITY, true);
        for (size_t i = 0; i < INPUTS + ARC; i++) {
            assert_true(isnan(hit64[0][i]) && feature[i] == -1 && hit64[1][i] == 0 && hit64[2][i] == 0);
        }
        solve(single != 0, CAROM_ARC_BOTH, true, INPUTS + ARC, INFINITY, false);
        for (size_t i = 0; i < INPUTS + ARC; i++) {
            assert_true(isnan(hit64[0][i]) == (i != 4 && i != 5)); /* no acceleration: not read */
        }
    }
    assert_int_equal(solve_f64((carom_arc_sides)3, true, 1, 1, true), CAROM_ERROR_ARGUMENT);
    assert_int_equal(solve_f64(CAROM_ARC_BOTH, true, 1, -1, true), CAROM_ERROR_ARGUMENT);
    assert_int_equal(solve_f64(CAROM_ARC_BOTH, true, 1, (double)NAN, false), CAROM_ERROR_ARGUMENT);
    const carom_toi_hits_f64 out = {hit64[0], NULL, NULL, NULL};
    assert_int_equal(carom_toi_arc_f64(CAROM_ARC_BOTH, true, 0, NULL, NULL, 1, &out), CAROM_ERROR_ARGUMENT);
}

SET_UP
{
    seed = random_state = test_seed(29);
}
