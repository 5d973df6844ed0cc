/* SPDX-License-Identifier: MIT
 * Circles against walls: cases computed by hand, the discrete mode against long double, every instruction set and
 * length, memory, NaN, arguments and floating-point environment. test_toi_walls_paths.c tests the continuous mode on
 * random paths. */
#define _DEFAULT_SOURCE /* MAP_ANONYMOUS */

#include "test.h"

#include <fenv.h>
#include <float.h>
#include <sys/mman.h>
#include <unistd.h>

#include "toi_walls_reference.h"

static const carom_precision precisions[] = {CAROM_F32, CAROM_F64};

#define FOR_EACH_ISA(isa)                                                                                              \
    for (carom_isa isa = CAROM_ISA_SCALAR; isa < CAROM_ISA_COUNT; isa++)                                               \
        if (carom_isa_force(isa) == CAROM_OK)

static uint64_t seed, random_state;

static double uniform(double low, double high)
{
    return rng_in(&random_state, low, high);
}

/* --- By hand ------------------------------------------------------------------------------------------------------ */

typedef struct hand_case {
    const char *name;
    int kind;
    carom_detection detection;
    double limit, in[9], t, nx, ny;
    int feature;
} hand_case;

#define C CAROM_DETECTION_CONTINUOUS
#define D CAROM_DETECTION_DISCRETE
#define NONE INFINITY, 0, 0, -1

static const hand_case hand_cases[] = {
    {"onto a floor", WALL_LINE, C, 9, {5, 4, 1, -2, 2, 0, 0, 1, 0}, 1, 0, 1, 0},
    {"onto it from below", WALL_LINE, C, 9, {5, -4, 1, 2, 2, 0, 0, 1, 0}, 1, 0, -1, 0},
    {"the line the other way", WALL_LINE, C, 9, {5, 4, 1, -2, 2, 1, 0, 0, 0}, 1, 0, 1, 0},
    {"a slope of 3 to 4", WALL_LINE, C, 99, {-6, 8, 3, -4, 5, 0, 0, 4, 3}, 1, -0.6, 0.8, 0},
    {"later than the limit", WALL_LINE, C, 0.5, {5, 4, 1, -2, 2, 0, 0, 1, 0}, NONE},
    {"just at the limit", WALL_LINE, C, 1, {5, 4, 1, -2, 2, 0, 0, 1, 0}, 1, 0, 1, 0},
    {"parting", WALL_LINE, C, 9, {5, 4, 1, 2, 2, 0, 0, 1, 0}, NONE},
    {"parting while overlapping", WALL_LINE, C, 9, {5, 1, 1, 2, 2, 0, 0, 1, 0}, NONE},
    {"along the line while overlapping", WALL_LINE, C, 9, {5, 1, 1, 0, 2, 0, 0, 1, 0}, NONE},
    {"at rest", WALL_LINE, C, 9, {5, 1, 0, 0, 2, 0, 0, 1, 0}, NONE},
    {"overlapping, approaching", WALL_LINE, C, 9, {5, 1, 1, -1, 2, 0, 0, 1, 0}, 0, 0, 1, 0},
    {"touching, approaching, no time", WALL_LINE, C, 0, {5, 2, 1, -1, 2, 0, 0, 1, 0}, 0, 0, 1, 0},
    {"centre on the line", WALL_LINE, C, 9, {5, 0, 1, -1, 2, 0, 0, 1, 0}, NONE},
    {"a point onto a line", WALL_LINE, C, 9, {5, 4, 1, -2, 0, 0, 0, 1, 0}, 2, 0, 1, 0},
    {"no line", WALL_LINE, C, 9, {5, 4, -5, -4, 1, 0, 0, 0, 0}, NONE},
    {"ever", WALL_LINE, C, INFINITY, {5, 4, 1, -2, 2, 0, 0, 1, 0}, 1, 0, 1, 0},

    {"the straight part", WALL_SEGMENT, C, 9, {1, 4, 0, -2, 2, 0, 0, 2, 0}, 1, 0, 1, 0},
    {"beyond b", WALL_SEGMENT, C, 9, {5, 4, 0, -2, 2, 0, 0, 2, 0}, NONE},
    {"beyond b, underflow in f32",
     WALL_SEGMENT,
     C,
     9,
     {0x5p-20, 0x1p-20, 0, -0x1p-126, 0x1p-19, 0, 0, 0x1p-19, 0},
     NONE},
    {"the same in f64", WALL_SEGMENT, C, 9, {0x5p-20, 0x1p-20, 0, -0x1p-1022, 0x1p-19, 0, 0, 0x1p-19, 0}, NONE},
    {"end on, a", WALL_SEGMENT, C, 9, {-5, 0, 2, 0, 1, 0, 0, 2, 0}, 2, -1, 0, 1},
    {"end on, b", WALL_SEGMENT, C, 9, {7, 0, -2, 0, 1, 0, 0, 2, 0}, 2, 1, 0, 2},
    {"cap of b", WALL_SEGMENT, C, 9, {5, 8, 0, -2, 5, 0, 0, 2, 0}, 2, 0.6, 0.8, 2},
    {"cap of a, from below", WALL_SEGMENT, C, 9, {-3, -8, 0, 2, 5, 0, 0, 2, 0}, 2, -0.6, -0.8, 1},
    {"grazing the cap", WALL_SEGMENT, C, 9, {4, 8, 0, -2, 2, 0, 0, 2, 0}, NONE},
    {"onto the end", WALL_SEGMENT, C, 9, {2, 4, 0, -2, 2, 0, 0, 2, 0}, 1, 0, 1, 0},
    {"a segment that is a point", WALL_SEGMENT, C, 9, {7, 4, -2, 0, 5, 0, 0, 0, 0}, 2, 0.6, 0.8, 1},
    {"a point onto the straight part", WALL_SEGMENT, C, 9, {1, 4, 0, -2, 0, 0, 0, 2, 0}, 2, 0, 1, 0},
    {"parting from the straight part towards b", WALL_SEGMENT, C, 9, {1, 1, 1, 0.5, 2, 0, 0, 2, 0}, NONE},
    {"overlapping b, approaching", WALL_SEGMENT, C, 9, {5, 4, -1, 0, 6, 0, 0, 2, 0}, 0, 0.6, 0.8, 2},

    {"head on", WALL_POINT, C, 9, {7, 1, -2, 0, 1, 0, 1}, 3, 1, 0, 0},
    {"off the centre", WALL_POINT, C, 9, {8, 4, -2, 0, 5, 0, 0}, 2.5, 0.6, 0.8, 0},
    {"a graze", WALL_POINT, C, 9, {8, 5, -2, 0, 5, 0, 0}, 4, 0, 1, 0},
    {"passing", WALL_POINT, C, 9, {8, 5.5, -2, 0, 5, 0, 0}, NONE},
    {"a point onto a point", WALL_POINT, C, 9, {8, 0, -2, 0, 0, 0, 0}, 4, 1, 0, 0},
    {"on the point", WALL_POINT, C, 9, {0, 0, -2, 0, 1, 0, 0}, NONE},

    {"from within, left", WALL_BOX, C, 9, {2, 2, -1, 0, 1, 0, 0, 4, 4}, 1, 1, 0, 0},
    {"from within, right", WALL_BOX, C, 9, {2, 2, 1, 0, 1, 0, 0, 4, 4}, 1, -1, 0, 1},
    {"from within, bottom", WALL_BOX, C, 9, {2, 2, 0, -1, 1, 0, 0, 4, 4}, 1, 0, 1, 2},
    {"from within, top", WALL_BOX, C, 9, {2, 2, 0, 1, 1, 0, 0, 4, 4}, 1, 0, -1, 3},
    {"into the corner, both at once", WALL_BOX, C, 9, {2, 2, 1, 1, 1, 0, 0, 4, 4}, 1, -1, 0, 1},
    {"larger than the box", WALL_BOX, C, 9, {2, 2, 0, 1, 9, 0, 0, 4, 4}, 0, 0, -1, 3},
    {"at rest in the box", WALL_BOX, C, 9, {2, 2, 0, 0, 1, 0, 0, 4, 4}, NONE},
    {"from without, left", WALL_BOX, C, 9, {-4, 2, 1, 0, 1, 0, 0, 4, 4}, 3, -1, 0, 0},
    {"from without, right", WALL_BOX, C, 9, {8, 2, -1, 0, 1, 0, 0, 4, 4}, 3, 1, 0, 1},
    {"from without, bottom", WALL_BOX, C, 9, {2, -4, 0, 1, 1, 0, 0, 4, 4}, 3, 0, -1, 2},
    {"from without, top", WALL_BOX, C, 9, {2, 8, 0, -1, 1, 0, 0, 4, 4}, 3, 0, 1, 3},
    {"corner 4", WALL_BOX, C, 9, {-13, -4, 2, 0, 5, 0, 0, 4, 4}, 5, -0.6, -0.8, 4},
    {"corner 5", WALL_BOX, C, 9, {17, -4, -2, 0, 5, 0, 0, 4, 4}, 5, 0.6, -0.8, 5},
    {"corner 6", WALL_BOX, C, 9, {-13, 8, 2, 0, 5, 0, 0, 4, 4}, 5, -0.6, 0.8, 6},
    {"corner 7", WALL_BOX, C, 9, {17, 8, -2, 0, 5, 0, 0, 4, 4}, 5, 0.6, 0.8, 7},
    {"passing the corner", WALL_BOX, C, 9, {-8, -5.5, 2, 0, 5, 0, 0, 4, 4}, NONE},
    {"parting from a side it overlaps", WALL_BOX, C, 9, {-0.5, 2, -1, 0, 1, 0, 0, 4, 4}, NONE},
    {"overlapping a side, approaching", WALL_BOX, C, 9, {-0.5, 2, 1, 0, 1, 0, 0, 4, 4}, 0, -1, 0, 0},

    {"depth 1 at speed 2", WALL_LINE, D, 1, {5, 1, 3, -2, 2, 0, 0, 1, 0}, -0.5, 0, 1, 0},
    {"longer ago than the tick", WALL_LINE, D, 0.25, {5, 1, 3, -2, 2, 0, 0, 1, 0}, NONE},
    {"parting at the end", WALL_LINE, D, 1, {5, 1, 3, 2, 2, 0, 0, 1, 0}, NONE},
    {"no normal velocity", WALL_LINE, D, 1, {5, 1, 3, 0, 2, 0, 0, 1, 0}, NONE},
    {"not there yet", WALL_LINE, D, 1, {5, 3, 0, -2, 2, 0, 0, 1, 0}, NONE},
    {"touching is not nearer", WALL_LINE, D, 1, {5, 2, 0, -2, 2, 0, 0, 1, 0}, NONE},
    {"between the ends", WALL_SEGMENT, D, 1, {1, 1, 3, -2, 2, 0, 0, 2, 0}, -0.5, 0, 1, 0},
    {"over an end", WALL_SEGMENT, D, 1, {2, 1, 3, -2, 2, 0, 0, 2, 0}, NONE},
    {"an overlap of a point", WALL_POINT, D, 9, {3, 0, -2, 0, 5, 0, 0}, -1, 1, 0, 0},
    {"an overlap of a point, past it", WALL_POINT, D, 9, {-3, 0, -2, 0, 5, 0, 0}, -4, 1, 0, 0},
    {"no overlap of a point", WALL_POINT, D, 9, {6, 0, -2, 0, 5, 0, 0}, NONE},
    {"at rest on a point", WALL_POINT, D, 9, {3, 0, 0, 0, 5, 0, 0}, NONE},
    {"in a box, the earlier side", WALL_BOX, D, 9, {0.5, 0.25, -1, -1, 1, 0, 0, 4, 4}, -0.75, 0, 1, 2},
    {"in a box, the earlier side is too early", WALL_BOX, D, 0.6, {0.5, 0.25, -1, -1, 1, 0, 0, 4, 4}, -0.5, 1, 0, 0},
    {"outside a box", WALL_BOX, D, 9, {-0.5, 2, 2, 0, 1, 0, 0, 4, 4}, -0.25, -1, 0, 0},
    {"outside a corner", WALL_BOX, D, 9, {-0.5, -0.5, 2, 0, 1, 0, 0, 4, 4}, NONE},
};

/* A room with a corner pushed in: from inside and outside. */
static const double room_x[] = {0, 8, 8, 4, 4, 0}, room_y[] = {0, 0, 8, 8, 4, 4};
enum { ROOM = 6 };

static const hand_case room_cases[] = {
    {"a floor", WALL_POLYGON, C, 9, {2, 3, 0, -1, 1}, 2, 0, 1, 0},
    {"a wall", WALL_POLYGON, C, 9, {6, 3, 1, 0, 1}, 1, -1, 0, 1},
    {"the corner pushed in, from below", WALL_POLYGON, C, 9, {4.75, 1, 0, 1, 1.25}, 2, 0.6, -0.8, 10},
    {"the corner pushed in, from the right", WALL_POLYGON, C, 9, {7, 3.25, -1, 0, 1.25}, 2, 0.8, -0.6, 10},
    {"into a corner, the lower edge of two", WALL_POLYGON, C, 9, {6, 2, 1, -1, 1}, 1, -0.0, 1, 0},
    {"from without, a floor's underside", WALL_POLYGON, C, 9, {2, -3, 0, 1, 1}, 2, 0, -1, 0},
    {"from without, a corner", WALL_POLYGON, C, 9, {-3, -7, 0, 1, 5}, 3, -0.6, -0.8, 6},
    {"from without, onto the step", WALL_POLYGON, C, 9, {2, 7, 0, -1, 1}, 2, 0, 1, 4},
    {"rolling on the floor", WALL_POLYGON, C, 9, {2, 1, 1, 0, 1}, 5, -1, 0, 1},
    {"rolling under the step, past the corner", WALL_POLYGON, C, 9, {1, 3, 1, 0, 1}, 6, -1, 0, 1},
    {"in a tick", WALL_POLYGON, D, 9, {2, 0.5, 0, -1, 1}, -0.5, 0, 1, 0},
    {"in a tick, over a corner", WALL_POLYGON, D, 9, {4.5, 3.5, -1, 1, 1}, NONE},
};

static bool same(const wall_cases *c, double got, double expected)
{
    const double rounded = c->precision == CAROM_F32 ? (double)(float)expected : expected;
    return got == rounded || (isnan(got) && isnan(rounded)) || fabs(got - rounded) <= wall_epsilon(c) * fabs(rounded);
}

static void expect(carom_precision precision, carom_isa isa, const hand_case *h)
{
    enum { N = 37 }; /* in every lane of a register, the others at rest */
    const bool polygon = h->kind == WALL_POLYGON;
    OWNED(wall_cases) c = wall_cases_new(precision, h->kind, N, polygon ? ROOM : 0);
    for (size_t k = 0; polygon && k < ROOM; k++) {
        wall_put(&c, c.in[5], k, room_x[k]);
        wall_put(&c, c.in[6], k, room_y[k]);
    }
    for (size_t place = 0; place < N; place++) {
        for (int k = 0; k < (polygon ? 5 : wall_inputs(h->kind)); k++) {
            wall_put(&c, c.in[k], place > 0 ? place - 1 : 0, 0);
            wall_put(&c, c.in[k], place, h->in[k]);
        }
        assert_int_equal(wall_solve(&c, h->detection, h->limit), CAROM_OK);
        if (!same(&c, wall_get(&c, c.t, place), h->t) || c.feature[place] != h->feature ||
            !same(&c, wall_get(&c, c.nx, place), h->nx) || !same(&c, wall_get(&c, c.ny, place), h->ny)) {
            wall_describe(&c, place, h->limit);
            fail_msg("%s, %s: expected t = %g, n = (%g, %g), feature %d", h->name, carom_isa_name(isa), h->t, h->nx,
                     h->ny, h->feature);
        }
    }
}

TEST(test_by_hand)
{
    FOR_EACH_ISA(isa)
    {
        for (int p = 0; p < 2; p++) {
            for (size_t k = 0; k < sizeof hand_cases / sizeof hand_cases[0]; k++) {
                expect(precisions[p], isa, &hand_cases[k]);
            }
            for (size_t k = 0; k < sizeof room_cases / sizeof room_cases[0]; k++) {
                expect(precisions[p], isa, &room_cases[k]);
            }
        }
    }
}

/* Corners that repeat count once; an outline of one corner is a point, of none nothing. */
TEST(test_degenerate_polygons)
{
    static const float px[] = {4, 4, 4, 4}, py[] = {0, 0, 0, 0};
    static const float sx[] = {4, 4, 8, 8, 4}, sy[] = {0, 0, 0, 0, 0};
    const float x = 0, y = 0, vx = 1, vy = 0, r = 1;
    const carom_toi_bodies_f32 circle = {&x, &y, &vx, &vy, &r};
    float t, nx, ny;
    int32_t feature;
    const carom_toi_hits_f32 out = {&t, &nx, &ny, &feature};
    FOR_EACH_ISA(isa)
    {
        for (size_t m = 0; m <= 4; m++) {
            assert_int_equal(carom_toi_polygon_f32(C, 1, &circle, m, px, py, 9, &out), CAROM_OK);
            assert_true(t == (m > 0 ? 3 : INFINITY) && feature == (m > 0 ? (int)m : -1));
        }
        assert_int_equal(carom_toi_polygon_f32(C, 1, &circle, 5, sx, sy, 9, &out), CAROM_OK);
        assert_true(t == 3 && nx == -1 && ny == 0 && feature == 5);
        assert_int_equal(carom_toi_polygon_f32(C, 1, &circle, 3, sx + 1, sy, 9, &out), CAROM_OK);
        assert_true(t == 3 && nx == -1 && ny == 0 && feature == 3);
    }
}

/* --- Random cases ------------------------------------------------------------------------------------------------- */

static void random_case(const wall_cases *c, size_t i, double strange)
{
    enum { STRANGE = 12 };
    static const double f32[STRANGE] = {0,       -0.0,     INFINITY, -INFINITY, NAN,   FLT_MAX,
                                        FLT_MIN, 0x1p-149, 1e19,     -3e18,     1e-20, -FLT_MAX};
    static const double f64[STRANGE] = {0,       -0.0,      INFINITY, -INFINITY, NAN,    DBL_MAX,
                                        DBL_MIN, 0x1p-1074, 1e154,    -3e153,    1e-160, -DBL_MAX};
    for (int k = 0; k < wall_inputs(c->kind); k++) {
        double value = k == 4 ? uniform(0, 1) : uniform(-2, 2);
        if (uniform(0, 1) < 0.1) {
            value = trunc(value);
        }
        if (uniform(0, 1) < strange) {
            value = (c->precision == CAROM_F32 ? f32 : f64)[(size_t)uniform(0, STRANGE) % STRANGE];
        }
        if (k < 5 || c->kind != WALL_POLYGON) {
            wall_put(c, c->in[k], i, value);
        }
    }
    if (c->kind == WALL_BOX) {
        for (int k = 5; k < 7; k++) {
            const double a = wall_get(c, c->in[k], i), b = wall_get(c, c->in[k + 2], i);
            wall_put(c, c->in[k], i, a < b ? a : b); /* a NaN stays one */
            wall_put(c, c->in[k + 2], i, a < b ? b : a);
        }
    }
}

static wall_cases random_cases(carom_precision precision, int kind, size_t n, size_t m, double strange)
{
    wall_cases c = wall_cases_new(precision, kind, n, m);
    for (size_t i = 0; i < n; i++) {
        random_case(&c, i, strange);
    }
    for (size_t k = 0; k < m; k++) {
        const double angle = 6.283185307179586 * (double)k / (double)m, radius = k % 3 == 0 ? 0.5 : 1.5;
        wall_put(&c, c.in[5], k, radius * cos(angle));
        wall_put(&c, c.in[6], k, radius * sin(angle));
    }
    return c;
}

static size_t corners_of(int kind)
{
    return kind == WALL_POLYGON ? 12 : 0;
}

/* Every instruction set gives the bits of scalar code; NaN in, and only NaN in, is NaN out. */
TEST(test_same_bits)
{
    const size_t n = (size_t)unless_short(20011, 4011);
    for (int kind = 0; kind < WALL_KINDS; kind++) {
        for (int p = 0; p < 2; p++) {
            for (int round = 0; round < 4; round++) {
                const carom_detection detection = round % 2 == 0 ? C : D;
                const size_t size = (size_t)precisions[p] / 8;
                wall_cases c = random_cases(precisions[p], kind, n, corners_of(kind), round < 2 ? 0 : 0.15), e = c;
                e.t = malloc(n * size), e.nx = malloc(n * size), e.ny = malloc(n * size);
                e.feature = malloc(n * sizeof(int32_t));
                assert_true(e.t != NULL && e.nx != NULL && e.ny != NULL && e.feature != NULL);
                const double limit = round == 0 ? INFINITY : 1.5;
                FOR_EACH_ISA(isa)
                {
                    const wall_cases *now = isa == CAROM_ISA_SCALAR ? &e : &c;
                    assert_int_equal(wall_solve(now, detection, limit), CAROM_OK);
                    assert_memory_equal(now->t, e.t, n * size);
                    assert_memory_equal(now->nx, e.nx, n * size);
                    assert_memory_equal(now->ny, e.ny, n * size);
                    assert_memory_equal(now->feature, e.feature, n * sizeof(int32_t));
                }
                size_t hits = 0;
                for (size_t i = 0; i < n; i++) {
                    bool nan_in = false;
                    for (int k = 0; k < (kind == WALL_POLYGON ? 5 : wall_inputs(kind)); k++) {
                        nan_in = nan_in || isnan(wall_get(&e, e.in[k], i));
                    }
                    const double t = wall_get(&e, e.t, i), nx = wall_get(&e, e.nx, i), ny = wall_get(&e, e.ny, i);
                    const bool hit = detection == C ? t >= 0 && t <= limit && !isinf(t) : t <= 0 && t >= -limit;
                    hits += hit;
                    if (isnan(t) != nan_in || isnan(nx) || isnan(ny) || (!hit && !nan_in && t != INFINITY) ||
                        (e.feature[i] >= 0) != hit || (!hit && (nx != 0 || ny != 0))) {
                        wall_describe(&e, i, limit);
                        fail_msg("seed %llu: no answer", (unsigned long long)seed);
                    }
                }
                assert_true(hits > n / 100);
                free(e.t), free(e.nx), free(e.ny), free(e.feature);
                end_wall_cases(&c);
            }
        }
    }
}

/* Lines, segments and points at the end of a tick, in long double from the rules. */
TEST(test_discrete)
{
    const size_t n = (size_t)unless_short(60000, 9000);
    for (int kind = WALL_LINE; kind <= WALL_POINT; kind++) {
        for (int p = 0; p < 2; p++) {
            OWNED(wall_cases) c = random_cases(precisions[p], kind, n, 0, 0);
            const long double eps = wall_epsilon(&c), limit = 0.75L;
            assert_int_equal(wall_solve(&c, D, (double)limit), CAROM_OK);
            size_t settled = 0, hits = 0;
            for (size_t i = 0; i < n; i++) {
                point from[1], to[1];
                const point x = {wall_get(&c, c.in[0], i), wall_get(&c, c.in[1], i)};
                const point v = {wall_get(&c, c.in[2], i), wall_get(&c, c.in[3], i)};
                const long double r = wall_get(&c, c.in[4], i), got = wall_get(&c, c.t, i);
                (void)wall_segments(&c, i, from, to);
                const point pa = point_minus(x, from[0]), pb = point_minus(x, to[0]), e = point_minus(to[0], from[0]);
                const long double length = point_length(e), tiny = 16 * eps * (4 + point_length(pa));
                long double t, error;
                bool clear, hit;
                if (kind == WALL_POINT) {
                    const long double a = point_dot(pa, v), b = point_dot(v, v), apart = point_length(pa) - r;
                    const long double q = a * a - b * (point_dot(pa, pa) - r * r);
                    hit = apart < 0 && b > 0;
                    t = hit ? -(a + sqrtl(q)) / b : 0;
                    error = hit ? tiny * sqrtl(b) / sqrtl(q) : 0; /* over the normal velocity at contact */
                    error *= r / sqrtl(b) / fmaxl(r, eps) * 4;
                    clear = fabsl(apart) > tiny;
                } else if (length > 0) {
                    const long double side = point_cross(e, pa) < 0 ? -1 : 1;
                    const long double height = side * point_cross(e, pa) / length;
                    const long double speed = side * point_cross(e, v) / length;
                    const long double foot_a = point_dot(pa, e) / length, foot_b = point_dot(pb, e) / length;
                    hit = speed < 0 && height < r && (kind == WALL_LINE || (foot_a > 0 && foot_b < 0));
                    t = hit ? (r - height) / speed : 0;
                    error = hit ? tiny * (1 - t) / -speed : 0;
                    clear = fabsl(height) > tiny && fabsl(speed) > tiny && fabsl(height - r) > tiny &&
                            (kind == WALL_LINE || (fabsl(foot_a) > tiny && fabsl(foot_b) > tiny));
                } else {
                    clear = true, hit = false, t = error = 0;
                }
                if (!clear || (hit && fabsl(-t - limit) <= error)) {
                    continue;
                }
                settled++;
                hit = hit && -t <= limit;
                hits += hit;
                if (hit ? !(fabsl(got - t) <= error) : got != (long double)INFINITY) {
                    wall_describe(&c, i, (double)limit);
                    fail_msg("seed %llu: expected %Lg, error %Lg, bound %Lg", (unsigned long long)seed,
                             hit ? t : (long double)INFINITY, fabsl(got - t), error);
                }
            }
            assert_true(settled > n / 2 && hits > n / 100);
        }
    }
}

/* --- Memory ------------------------------------------------------------------------------------------------------- */

/* The last `bytes` bytes before a page that must not be touched. */
static void *guarded(void **pages, size_t bytes)
{
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    unsigned char *start = mmap(NULL, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert_true((void *)start != MAP_FAILED && bytes < page);
    assert_int_equal(mprotect(start + page, page, PROT_NONE), 0);
    memset(start, 0x5a, page);
    *pages = start;
    return start + page - bytes;
}

/* Any number of circles, arrays that end where memory does, only some of the outputs, and t over an input. */
TEST(test_lengths_and_guards)
{
    enum { MOST = 80 };
    for (int kind = 0; kind < WALL_KINDS; kind++) {
        for (int p = 0; p < 2; p++) {
            const size_t size = (size_t)precisions[p] / 8, m = corners_of(kind);
            OWNED(wall_cases) all = random_cases(precisions[p], kind, MOST, m, 0);
            assert_int_equal(carom_isa_force(CAROM_ISA_SCALAR), CAROM_OK);
            assert_int_equal(wall_solve(&all, C, 9), CAROM_OK);
            FOR_EACH_ISA(isa)
            {
                for (size_t n = 0; n <= MOST; n += n < 36 ? 1 : 11) {
                    wall_cases c = all;
                    void *pages[13];
                    for (int k = 0; k < wall_inputs(kind); k++) {
                        const size_t bytes = (k >= 5 && kind == WALL_POLYGON ? m : n) * size;
                        c.in[k] = guarded(&pages[k], bytes);
                        memcpy(c.in[k], all.in[k], bytes);
                    }
                    c.n = n;
                    c.t = guarded(&pages[9], n * size), c.nx = guarded(&pages[10], n * size);
                    c.ny = guarded(&pages[11], n * size), c.feature = guarded(&pages[12], n * sizeof(int32_t));
                    void *before[4] = {c.t, c.nx, c.ny, c.feature};
                    for (int some = 0; some < 8; some++) {
                        c.nx = some & 1 ? before[1] : NULL;
                        c.ny = some & 2 ? before[2] : NULL;
                        c.feature = some & 4 ? before[3] : NULL;
                        memset(c.t, 0, n * size);
                        assert_int_equal(wall_solve(&c, C, 9), CAROM_OK);
                        assert_memory_equal(c.t, all.t, n * size);
                    }
                    assert_memory_equal(c.nx, all.nx, n * size);
                    assert_memory_equal(c.ny, all.ny, n * size);
                    assert_memory_equal(c.feature, all.feature, n * sizeof(int32_t));
                    for (int k = 0; k < 4; k++) {
                        assert_int_equal(((unsigned char *)before[k])[-1], 0x5a);
                    }
                    for (int k = 0; k < (kind == WALL_POLYGON ? 5 : wall_inputs(kind)); k++) { /* in place */
                        c.t = c.in[k];
                        assert_int_equal(wall_solve(&c, C, 9), CAROM_OK);
                        assert_memory_equal(c.t, all.t, n * size);
                        memcpy(c.in[k], all.in[k], n * size);
                    }
                    for (int k = 0; k < 13; k++) {
                        if (k < wall_inputs(kind) || k >= 9) {
                            munmap(pages[k], 2 * (size_t)sysconf(_SC_PAGESIZE));
                        }
                    }
                }
            }
        }
    }
}

/* --- Arguments and environment ------------------------------------------------------------------------------------ */

TEST(test_arguments)
{
    for (int kind = 0; kind < WALL_KINDS; kind++) {
        for (int p = 0; p < 2; p++) {
            wall_cases c = random_cases(precisions[p], kind, 3, corners_of(kind), 0);
            const double bad[] = {-1, -INFINITY, NAN, precisions[p] == CAROM_F32 ? -0x1p-149 : -0x1p-1074};
            for (int k = 0; k < 4; k++) {
                assert_int_equal(wall_solve(&c, C, bad[k]), CAROM_ERROR_ARGUMENT);
                assert_int_equal(wall_solve(&c, D, bad[k]), CAROM_ERROR_ARGUMENT);
            }
            assert_int_equal(wall_solve(&c, (carom_detection)2, 1), CAROM_ERROR_ARGUMENT);
            for (int k = 0; k < wall_inputs(kind); k++) {
                wall_cases holed = c;
                holed.in[k] = NULL;
                assert_int_equal(wall_solve(&holed, C, 1), CAROM_ERROR_ARGUMENT);
                holed.n = 0;
                assert_int_equal(wall_solve(&holed, C, 1),
                                 kind == WALL_POLYGON && k >= 5 ? CAROM_ERROR_ARGUMENT : CAROM_OK);
            }
            wall_cases holed = c;
            holed.t = NULL;
            assert_int_equal(wall_solve(&holed, C, 1), CAROM_ERROR_ARGUMENT);
            if (kind == WALL_POLYGON) { /* a NaN among the corners */
                wall_put(&c, c.in[6], 7, NAN);
                assert_int_equal(wall_solve(&c, C, 1), CAROM_OK);
                assert_true(isnan(wall_get(&c, c.t, 0)) && isnan(wall_get(&c, c.t, 2)));
                c.m = ((size_t)1 << 30) + 1;
                assert_int_equal(wall_solve(&c, C, 1), CAROM_ERROR_ARGUMENT);
            }
            end_wall_cases(&c);
        }
    }
    const double x = 0;
    const carom_toi_bodies_f64 circles = {&x, &x, &x, &x, &x};
    const carom_toi_segments_f64 segments = {&x, &x, &x, &x};
    double t;
    const carom_toi_hits_f64 out = {&t, NULL, NULL, NULL};
    assert_int_equal(carom_toi_line_f64(C, 1, NULL, &segments, 1, &out), CAROM_ERROR_ARGUMENT);
    assert_int_equal(carom_toi_line_f64(C, 1, &circles, NULL, 1, &out), CAROM_ERROR_ARGUMENT);
    assert_int_equal(carom_toi_line_f64(C, 1, &circles, &segments, 1, NULL), CAROM_ERROR_ARGUMENT);
    assert_int_equal(carom_toi_line_f64(C, 1, &circles, &segments, 1, &out), CAROM_OK);
}

TEST(test_environment)
{
    NOT_ON_WEB(); /* rounds to nearest only */
    enum { N = 500 };
    for (int kind = 0; kind < WALL_KINDS; kind++) {
        for (int p = 0; p < 2; p++) {
            const size_t size = (size_t)precisions[p] / 8;
            OWNED(wall_cases) c = random_cases(precisions[p], kind, N, corners_of(kind), 0.02);
            FREED void *expected = malloc(N * size);
            assert_non_null(expected);
            FOR_EACH_ISA(isa)
            {
                assert_int_equal(wall_solve(&c, C, 9), CAROM_OK);
                memcpy(expected, c.t, N * size);
                fenv_t normal;
                fegetenv(&normal);
                fesetround(FE_UPWARD);
                const carom_status status = wall_solve(&c, C, 9);
                const int rounding = fegetround();
                fesetenv(&normal);
                assert_int_equal(status, CAROM_OK);
                assert_int_equal(rounding, FE_UPWARD);
                assert_memory_equal(c.t, expected, N * size);
            }
        }
    }
}

SET_UP
{
    seed = random_state = test_seed(4);
}
