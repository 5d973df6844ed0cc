/* SPDX-License-Identifier: MIT
 * Questions about worlds: answers known by hand, answers of a plain search in long double over random scenes of all
 * kinds, and the same bits however they are asked: with a grid or without, by any threads, on any instruction set.
 */
#include "test.h"

#include <float.h>

/* ---- known by hand ---- */

static carom_scene_body body_at(double x, double y, double radius)
{
    carom_scene_body body = carom_scene_body_default();
    body.x = x, body.y = y, body.radius = radius;
    return body;
}

static carom_worlds *worlds_of(const carom_game *game, carom_precision precision, size_t count, unsigned threads)
{
    carom_worlds *worlds;
    carom_worlds_desc desc = carom_worlds_desc_default(game);
    desc.precision = precision;
    desc.count = count;
    desc.threads = threads;
    OK(carom_worlds_create(&desc, &worlds));
    return worlds;
}

/* Four bodies, a wall of each kind, a square, arcs, and a box with a floor and a ceiling. */
static carom_scene *yard(void)
{
    static carom_scene_body bodies[4];
    static const double x[] = {20, 24, 24, 20}, y[] = {-2, -2, 2, 2};
    static const carom_scene_wall walls[] = {
        {-10, -5, -10, 5, 1, false, false, 0, 0}, /* 0: to the left */
        {-5, -5, -5, 5, 1, true, false, 0, 0},    /* 1: one-sided: to its left is -x */
        {5, 10, 15, 10, 1, false, true, 0, 0},    /* 2: a sensor */
        {5, 12, 15, 12, 1, false, false, 0, 4},   /* 3: for category 4 alone */
    };
    static const carom_scene_polygon square = {x, y, 4, 1, false, 0, 0};
    static const carom_scene_arc arcs[] = {
        {.x = 0, .y = -12, .radius = 3, .ax = 3, .ay = -12, .bx = -9, .by = -12, .restitution = 1}, /* a roof */
        {.x = 30, .y = 0, .radius = 2, .restitution = 1, .sides = CAROM_ARC_WITHIN},
        {.x = 40, .y = 0, .radius = 2, .restitution = 1, .sides = CAROM_ARC_WITHOUT},
    };
    carom_scene *scene;
    carom_scene_desc d = carom_scene_desc_default();
    d.arcs = arcs, d.arc_count = 3;
    bodies[0] = body_at(0, 0, 1);
    bodies[1] = body_at(10, 0, 2);
    bodies[1].category = 2;
    bodies[2] = body_at(0, 6, 1);
    bodies[2].sensor = true;
    bodies[3] = body_at(4, 0, 1);
    bodies[3].inactive = true;
    d.bodies = bodies, d.body_count = 4;
    d.walls = walls, d.wall_count = 4;
    d.polygons = &square, d.polygon_count = 1;
    d.box = (carom_scene_box){-50, -20, 50, 20, CAROM_SIDES_OPEN, CAROM_SIDES_SOLID, 1, 0, 0};
    OK(carom_scene_create(&d, &scene, NULL));
    return scene;
}

typedef struct known {
    const char *what;
    double x, y, dx, dy, radius, range;
    uint32_t category, mask, ignore;
    bool sensors;
    carom_found_kind kind;
    uint32_t index, part;
    double distance, at_x, at_y, nx, ny;
} known;

#define ALL UINT32_MAX
#define NOT_ONE CAROM_QUERY_NOBODY

static const known casts[] = {
    {"a body", 0, 0, 5, 0, 0, INFINITY, ALL, ALL, 0, 0, CAROM_FOUND_BODY, 1, 0, 8, 8, 0, -1, 0},
    {"no inactive one", 2, 0, 1, 0, 0, 50, ALL, ALL, NOT_ONE, 0, CAROM_FOUND_BODY, 1, 0, 6, 8, 0, -1, 0},
    {"a circle", 2, 0, 1, 0, 1.5, 50, ALL, ALL, 0, 0, CAROM_FOUND_BODY, 1, 0, 4.5, 8, 0, -1, 0},
    {"exactly the range", 2, 0, 1, 0, 0, 6, ALL, ALL, NOT_ONE, 0, CAROM_FOUND_BODY, 1, 0, 6, 8, 0, -1, 0},
    {"beyond the range", 2, 0, 1, 0, 0, 5.99, ALL, ALL, NOT_ONE, 0, CAROM_FOUND_NONE, 0, 0, 5.99, 0, 0, 0, 0},
    {"inside", 0.5, 0, 1, 0, 0, 50, ALL, ALL, NOT_ONE, 0, CAROM_FOUND_BODY, 0, 0, 0, 1, 0, 1, 0},
    {"its mask", 2, 0, 1, 0, 0, 50, ALL, 1, NOT_ONE, 0, CAROM_FOUND_POLYGON, 0, 3, 18, 20, 0, -1, 0},
    {"from within the square", 22, 0, 1, 0, 0, 50, ALL, ALL, NOT_ONE, 0, CAROM_FOUND_POLYGON, 0, 1, 2, 24, 0, -1, 0},
    {"a corner", 20, -12, 0, 1, 1, 50, ALL, ALL, NOT_ONE, 0, CAROM_FOUND_POLYGON, 0, 4, 9, 20, -2, 0, -1},
    {"sensor left out", 0, 2, 0, 1, 0, 50, ALL, ALL, NOT_ONE, 0, CAROM_FOUND_SIDE, 3, 0, 18, 0, 20, 0, -1},
    {"sensor", 0, 2, 0, 1, 0, 50, ALL, ALL, NOT_ONE, 1, CAROM_FOUND_BODY, 2, 0, 3, 0, 5, 0, -1},
    {"a sensor wall", 7, 9, 0, 1, 0, 50, 1, ALL, NOT_ONE, 1, CAROM_FOUND_WALL, 2, 0, 1, 7, 10, 0, -1},
    {"a wall for others", 7, 9, 0, 1, 0, 50, 1, ALL, NOT_ONE, 0, CAROM_FOUND_SIDE, 3, 0, 11, 7, 20, 0, -1},
    {"a wall for it", 7, 9, 0, 1, 0, 50, 4, ALL, NOT_ONE, 0, CAROM_FOUND_WALL, 3, 0, 3, 7, 12, 0, -1},
    {"one-sided, from behind", -2, 0, -1, 0, 0, 50, ALL, ALL, NOT_ONE, 0, CAROM_FOUND_WALL, 0, 0, 8, -10, 0, 1, 0},
    {"one-sided", -8, 0, 1, 0, 0, 50, ALL, ALL, NOT_ONE, 0, CAROM_FOUND_WALL, 1, 0, 3, -5, 0, -1, 0},
    {"an end", -10, -9, 0, 3, 2, 50, ALL, ALL, NOT_ONE, 0, CAROM_FOUND_WALL, 0, 1, 2, -10, -5, 0, -1},
    {"along a wall", -10, -9, 0, 3, 0, 50, ALL, ALL, NOT_ONE, 0, CAROM_FOUND_WALL, 0, 0, 4, -10, -5, 0, -1},
    {"on a wall", -10, 0, 1, 0, 0, 50, ALL, ALL, NOT_ONE, 0, CAROM_FOUND_WALL, 0, 0, 0, -10, 0, 0, 0},
    {"the floor", -30, 0, 0, -1, 3, 50, ALL, ALL, NOT_ONE, 0, CAROM_FOUND_SIDE, 2, 0, 17, -30, -20, 0, 1},
    {"an open side", -30, 0, -1, 0, 0, 90, ALL, ALL, NOT_ONE, 0, CAROM_FOUND_NONE, 0, 0, 90, 0, 0, 0, 0},
    {"anywhere", -30, 0, -1, 0, 0, INFINITY, ALL, ALL, NOT_ONE, 0, CAROM_FOUND_NONE, 0, 0, INFINITY, 0, 0, 0, 0},
    {"a roof", 0, -5, 0, -1, 0, 50, ALL, ALL, 0, 0, CAROM_FOUND_ARC, 0, 0, 4, 0, -9, 0, 1},
    {"a roof, by a circle", 0, -5, 0, -1, 1, 50, ALL, ALL, 0, 0, CAROM_FOUND_ARC, 0, 0, 3, 0, -9, 0, 1},
    {"a roof from within", 0, -12, 0, 1, 0, 50, ALL, ALL, 0, 0, CAROM_FOUND_ARC, 0, 3, 3, 0, -9, 0, -1},
    {"the same by a circle", 0, -12, 0, 1, 1, 50, ALL, ALL, 0, 0, CAROM_FOUND_ARC, 0, 3, 2, 0, -9, 0, -1},
    {"a roof from below", 0, -19, 0, 1, 0, 50, ALL, ALL, 0, 0, CAROM_FOUND_ARC, 0, 3, 10, 0, -9, 0, -1},
    {"its end a", 3, -18, 0, 1, 1, 50, ALL, ALL, 0, 0, CAROM_FOUND_ARC, 0, 1, 5, 3, -12, 0, -1},
    {"its end b", -3, -18, 0, 1, 1, 50, ALL, ALL, 0, 0, CAROM_FOUND_ARC, 0, 2, 5, -3, -12, 0, -1},
    {"a ring from within", 30, 0, 1, 0, 0, 50, ALL, ALL, 0, 0, CAROM_FOUND_ARC, 1, 3, 2, 32, 0, -1, 0},
    {"a ring for within", 26, 0, 1, 0, 0, 50, ALL, ALL, 0, 0, CAROM_FOUND_ARC, 1, 3, 6, 32, 0, -1, 0},
    {"a ring from without", 35, 0, 1, 0, 0, 50, ALL, ALL, 0, 0, CAROM_FOUND_ARC, 2, 0, 3, 38, 0, -1, 0},
    {"a ring for without", 40, 0, 1, 0, 0, 50, ALL, ALL, 0, 0, CAROM_FOUND_NONE, 0, 0, 50, 0, 0, 0, 0},
    {"a rim touched", -3, 1, 1, 0, 0, 50, ALL, ALL, NOT_ONE, 0, CAROM_FOUND_BODY, 0, 0, 3, 0, 1, 0, 1},
};

static const known places[] = {
    {"a body", 3, 0, 0, 0, 0, INFINITY, ALL, ALL, NOT_ONE, 0, CAROM_FOUND_BODY, 0, 0, 2, 1, 0, 1, 0},
    {"but this one", 3, 0, 0, 0, 0, INFINITY, ALL, ALL, 0, 0, CAROM_FOUND_BODY, 1, 0, 5, 8, 0, -1, 0},
    {"from a rim", 3, 0, 0, 0, 1.5, INFINITY, ALL, ALL, NOT_ONE, 0, CAROM_FOUND_BODY, 0, 0, 0.5, 1, 0, 1, 0},
    {"inside", 0, 0.5, 0, 0, 0, INFINITY, ALL, ALL, NOT_ONE, 0, CAROM_FOUND_BODY, 0, 0, 0, 0, 1, 0, 1},
    {"nothing", 3, 0, 0, 0, 0, 1, ALL, ALL, NOT_ONE, 0, CAROM_FOUND_NONE, 0, 0, 1, 0, 0, 0, 0},
    {"a wall", -12, 1, 0, 0, 0, 9, ALL, ALL, NOT_ONE, 0, CAROM_FOUND_WALL, 0, 0, 2, -10, 1, -1, 0},
    {"an end", -13, 9, 0, 0, 0, 9, ALL, ALL, NOT_ONE, 0, CAROM_FOUND_WALL, 0, 2, 5, -10, 5, -0.6, 0.8},
    {"a corner", 23, 5, 0, 0, 1, 9, ALL, ALL, NOT_ONE, 0, CAROM_FOUND_POLYGON, 0, 2, 2, 23, 2, 0, 1},
    {"a roof", 0, -6, 0, 0, 1, 9, ALL, ALL, 0, 0, CAROM_FOUND_ARC, 0, 0, 2, 0, -9, 0, 1},
    {"an end of it", 3, -15, 0, 0, 1, 9, ALL, ALL, 0, 0, CAROM_FOUND_ARC, 0, 1, 2, 3, -12, 0, -1},
    {"not within", 40, 0, 0, 0, 0, 9, ALL, ALL, 0, 0, CAROM_FOUND_NONE, 0, 0, 9, 0, 0, 0, 0},
    {"a side", -30, -18, 0, 0, 0.5, 9, ALL, ALL, NOT_ONE, 0, CAROM_FOUND_SIDE, 2, 0, 1.5, -30, -20, 0, 1},
};

static carom_query query_of(const known *k)
{
    carom_query q = carom_query_default();
    q.x = k->x, q.y = k->y, q.dx = k->dx, q.dy = k->dy, q.radius = k->radius, q.range = k->range;
    q.category = k->category, q.mask = k->mask, q.ignore = k->ignore, q.sensors = k->sensors;
    return q;
}

static void check_known(const known *k, const carom_found *f)
{
    const bool same = f->kind == k->kind && f->index == k->index && f->part == k->part && f->distance == k->distance &&
                      f->inside == (k->distance == 0 && k->kind != CAROM_FOUND_NONE);
    const bool there = fabs(f->x - k->at_x) < 1e-12 && fabs(f->y - k->at_y) < 1e-12 && fabs(f->nx - k->nx) < 1e-12 &&
                       fabs(f->ny - k->ny) < 1e-12;
    if (!same || !there) {
        fail_msg("%s: kind %d, %u, part %u, at %g: (%g, %g), normal (%g, %g)", k->what, (int)f->kind, f->index, f->part,
                 f->distance, f->x, f->y, f->nx, f->ny);
    }
}

TEST(test_known)
{
    OWNED(carom_scene) *scene = yard();
    for (int precision = CAROM_F32; precision <= CAROM_F64; precision += CAROM_F64 - CAROM_F32) {
        OWNED(carom_worlds) *worlds = worlds_of(carom_scene_game(scene), (carom_precision)precision, 3, 1);
        for (size_t k = 0; k < sizeof casts / sizeof casts[0]; k++) {
            carom_query q = query_of(&casts[k]);
            carom_found found;
            q.world = k % 3;
            OK(carom_worlds_cast(worlds, 1, &q, &found));
            check_known(&casts[k], &found);
        }
        for (size_t k = 0; k < sizeof places / sizeof places[0]; k++) {
            const carom_query q = query_of(&places[k]);
            carom_found found;
            OK(carom_worlds_nearest(worlds, 1, &q, &found));
            check_known(&places[k], &found);
        }
    }
}

TEST(test_lists)
{
    OWNED(carom_scene) *scene = yard();
    OWNED(carom_worlds) *worlds = worlds_of(carom_scene_game(scene), CAROM_F64, 1, 1);
    carom_query q[2] = {carom_query_default(), carom_query_default()};
    carom_found found[2][4];
    size_t counts[2];

    /* A circle around the square's corner touches two of its edges: it is found once, by the nearer. */
    q[0].x = 24.5, q[0].y = 1.5, q[0].radius = 1, q[0].range = 0;
    q[1].x = 10, q[1].y = 0, q[1].range = 10;
    q[1].ignore = 1;
    OK(carom_worlds_within(worlds, 2, q, 4, &found[0][0], counts));
    assert_int_equal(counts[0], 1);
    assert_true(found[0][0].kind == CAROM_FOUND_POLYGON && found[0][0].part == 1 && found[0][0].inside);
    assert_int_equal(counts[1], 2); /* body 0, at 9, and the square, at exactly 10 */
}

/* ---- errors ---- */

static void refused(carom_worlds *worlds, carom_query q, carom_status status, const char *text)
{
    const carom_query two[2] = {carom_query_default(), q};
    carom_found found[2], before[2];
    carom_problem problem;
    memset(found, 'x', sizeof found);
    memcpy(before, found, sizeof found);
    assert_int_equal(carom_worlds_cast(worlds, 2, two, found), status);
    assert_memory_equal(found, before, sizeof found);
    OK(carom_worlds_problem(worlds, &problem));
    assert_string_equal(problem.text, text);
}

TEST(test_errors)
{
    OWNED(carom_scene) *scene = yard();
    OWNED(carom_worlds) *worlds = worlds_of(carom_scene_game(scene), CAROM_F64, 2, 1);
    carom_found found;
    size_t count;
    carom_query q = carom_query_default();
    assert_int_equal(carom_worlds_cast(NULL, 1, &q, &found), CAROM_ERROR_ARGUMENT);
    assert_int_equal(carom_worlds_cast(worlds, 1, NULL, &found), CAROM_ERROR_ARGUMENT);
    assert_int_equal(carom_worlds_cast(worlds, 1, &q, NULL), CAROM_ERROR_ARGUMENT);
    assert_int_equal(carom_worlds_nearest(worlds, 1, &q, NULL), CAROM_ERROR_ARGUMENT);
    assert_int_equal(carom_worlds_within(worlds, 1, &q, 1, NULL, &count), CAROM_ERROR_ARGUMENT);
    assert_int_equal(carom_worlds_within(worlds, 1, &q, 0, NULL, NULL), CAROM_ERROR_ARGUMENT);
    OK(carom_worlds_cast(worlds, 0, NULL, NULL));
    OK(carom_worlds_within(worlds, 1, &q, 0, NULL, &count));
    /* Bodies 0 and 1, two sides, walls 0 and 3, the square, two arcs; wall 1 is seen from behind. */
    assert_int_equal(count, 9);

#define REFUSED(member, value, status, text)                                                                           \
    q = carom_query_default();                                                                                         \
    q.member = value;                                                                                                  \
    refused(worlds, q, status, text)
    REFUSED(world, 2, CAROM_ERROR_ARGUMENT, "query 1: world 2 of a batch of 2");
    REFUSED(ignore, 4, CAROM_ERROR_ARGUMENT, "query 1: ignore: there is no body 4");
    REFUSED(x, NAN, CAROM_ERROR_VALUE, "query 1: (nan, 0) is no place");
    REFUSED(y, 1e31, CAROM_ERROR_VALUE, "query 1: (0, 1e+31) is no place");
    REFUSED(radius, -1, CAROM_ERROR_VALUE, "query 1: radius -1");
    REFUSED(range, -1, CAROM_ERROR_VALUE, "query 1: range -1");
    REFUSED(range, NAN, CAROM_ERROR_VALUE, "query 1: range nan");
    REFUSED(dx, 0, CAROM_ERROR_VALUE, "query 1: (0, 0) is no direction");
    REFUSED(dx, INFINITY, CAROM_ERROR_VALUE, "query 1: (inf, 0) is no direction");
}

/* ---- random scenes, and a plain search ---- */

typedef struct site {
    carom_scene_body *bodies;
    carom_scene_wall *walls;
    double *x, *y;
    carom_scene_polygon *polygons;
    carom_scene_arc *arcs;
    carom_scene_desc desc;
    carom_scene *scene;
} site;

static void end_site(site *s)
{
    carom_scene_destroy(s->scene);
    free(s->bodies);
    free(s->walls);
    free(s->x);
    free(s->y);
    free(s->polygons);
    free(s->arcs);
}

#define CORNERS 5

/* To f32. volatile: gcc 12 leaves out both conversions of (double)(float)a where it vectorises two of them. */
static double rounded(double a)
{
    const volatile float f32 = (float)a;
    return (double)f32;
}

/* Spread over [-half, half]^2; f32 holds all numbers. */
static site random_site(uint64_t *rng, uint32_t bodies, uint32_t walls, uint32_t polygons, uint32_t arcs,
                        carom_scene_sides across, carom_scene_sides up)
{
    const double half = 2 * sqrt(bodies);
    site s = {0};
    s.bodies = take(bodies * sizeof *s.bodies);
    s.walls = take((walls + 1) * sizeof *s.walls);
    s.polygons = take((polygons + 1) * sizeof *s.polygons);
    s.x = take((polygons + 1) * CORNERS * sizeof *s.x);
    s.y = take((polygons + 1) * CORNERS * sizeof *s.y);

    for (uint32_t i = 0; i < bodies; i++) {
        const double radius = rng_one_in(rng, 50) ? half / 5 : rng_in(rng, 0.1, 1);
        s.bodies[i] = body_at(rounded(rng_in(rng, -half, half)), rounded(rng_in(rng, -half, half)), rounded(radius));
        s.bodies[i].category = 1u << rng_below(rng, 3);
        s.bodies[i].mask = (uint32_t)rng_below(rng, 8);
        s.bodies[i].sensor = rng_one_in(rng, 6);
        s.bodies[i].inactive = rng_one_in(rng, 6);
    }
    for (uint32_t k = 0; k < walls; k++) {
        const double x = rng_in(rng, -half, half), y = rng_in(rng, -half, half), size = rng_one_in(rng, 9) ? half : 2;
        s.walls[k] = (carom_scene_wall){rounded(x),
                                        rounded(y),
                                        rounded(x + rng_in(rng, -size, size)),
                                        rounded(y + rng_in(rng, -size, size)),
                                        1,
                                        rng_one_in(rng, 3),
                                        rng_one_in(rng, 6),
                                        (uint32_t)rng_below(rng, 4),
                                        (uint32_t)rng_below(rng, 4)};
    }
    for (uint32_t k = 0; k < polygons; k++) {
        const double x = rng_in(rng, -half, half), y = rng_in(rng, -half, half);
        s.polygons[k] = (carom_scene_polygon){s.x + k * CORNERS, s.y + k * CORNERS, CORNERS, 1, false, 0, 0};
        for (uint32_t c = 0; c < CORNERS; c++) {
            s.x[k * CORNERS + c] = rounded(x + rng_in(rng, -3, 3));
            s.y[k * CORNERS + c] = rounded(y + rng_in(rng, -3, 3));
        }
    }

    s.arcs = take((arcs + 1) * sizeof *s.arcs);
    for (uint32_t k = 0; k < arcs; k++) {
        carom_scene_arc *a = &s.arcs[k];
        a->x = rounded(rng_in(rng, -half, half)), a->y = rounded(rng_in(rng, -half, half));
        a->radius = rounded(rng_one_in(rng, 5) ? half / 2 : rng_in(rng, 0.1, 3));
        a->restitution = 1;
        if (!rng_one_in(rng, 4)) { /* else it is a ring */
            a->ax = rounded(a->x + rng_in(rng, -2, 2)), a->ay = rounded(a->y + rng_in(rng, -2, 2));
            a->bx = rounded(a->x + rng_in(rng, -2, 2)), a->by = rounded(a->y + rng_in(rng, -2, 2));
        }
        a->sensor = rng_one_in(rng, 6);
    }

    s.desc = carom_scene_desc_default();
    s.desc.arcs = s.arcs, s.desc.arc_count = arcs;
    s.desc.bodies = s.bodies, s.desc.body_count = bodies;
    s.desc.walls = s.walls, s.desc.wall_count = walls;
    s.desc.polygons = s.polygons, s.desc.polygon_count = polygons;
    const double side = rounded(half);
    s.desc.box = (carom_scene_box){-side, -side, side, side, across, up, 1, 0, 0};
    carom_problem problem;
    if (carom_scene_create(&s.desc, &s.scene, &problem) != CAROM_OK) {
        fail_msg("%s", problem.text);
    }
    return s;
}

typedef long double exact;

typedef struct point {
    exact x, y;
} point;

static exact dot(point a, point b)
{
    return a.x * b.x + a.y * b.y;
}

static exact cross(point a, point b)
{
    return a.x * b.y - a.y * b.x;
}

/* A ray from o along u against a circle; 0 inside. */
static exact plain_disc(point o, point u, point centre, exact r)
{
    const point p = {centre.x - o.x, centre.y - o.y};
    const exact b = dot(p, u), c = dot(p, p) - r * r, d = b * b - c;
    return c <= 0 ? 0 : b <= 0 || d < 0 ? (exact)INFINITY : b - sqrtl(d);
}

/* Against a segment, by Cramer's rule. */
static exact plain_segment(point o, point u, point a, point b)
{
    const point e = {b.x - a.x, b.y - a.y}, p = {a.x - o.x, a.y - o.y};
    const exact det = cross(u, e), t = cross(p, e) / det, s = cross(p, u) / det;
    return t >= 0 && s >= 0 && s <= 1 ? t : (exact)INFINITY;
}

static exact plain_apart(point o, point a, point b)
{
    const point e = {b.x - a.x, b.y - a.y}, p = {o.x - a.x, o.y - a.y};
    const exact at = fminl(fmaxl(dot(p, e) / dot(e, e), 0), 1);
    return hypotl(p.x - at * e.x, p.y - at * e.y);
}

/* A circle of radius w against a segment: against two discs and the two long sides of a rectangle. */
static exact plain_capsule(point o, point u, point a, point b, exact w)
{
    const exact length = hypotl(b.x - a.x, b.y - a.y);
    const point n = {-(b.y - a.y) / length * w, (b.x - a.x) / length * w};
    if (w == 0) {
        return plain_segment(o, u, a, b);
    }
    if (plain_apart(o, a, b) <= w) {
        return 0;
    }
    exact t = fminl(plain_disc(o, u, a, w), plain_disc(o, u, b, w));
    for (int side = -1; side <= 1; side += 2) {
        const point from = {a.x + side * n.x, a.y + side * n.y}, to = {b.x + side * n.x, b.y + side * n.y};
        t = fminl(t, plain_segment(o, u, from, to));
    }
    return t;
}

typedef struct plain_answer {
    exact distance, second; /* of the first thing, and of the next after it */
    carom_found_kind kind;
    uint32_t index;
    size_t near; /* things not beyond the range */
} plain_answer;

static void plain_offer(plain_answer *best, exact distance, exact range, carom_found_kind kind, uint32_t index)
{
    best->near += distance <= range && distance < (exact)INFINITY;
    if (distance < best->distance && distance <= range) {
        best->second = best->distance;
        best->distance = distance;
        best->kind = kind;
        best->index = index;
    } else if (distance < best->second) {
        best->second = distance;
    }
}

static bool plain_finds(const carom_query *q, uint32_t category, uint32_t mask, bool sensor)
{
    return (category & q->mask) != 0 && (mask & q->category) != 0 && (q->sensors || !sensor);
}

/* A wall of any kind: a segment, or an arc. */
typedef struct plain_still {
    point a, b;
    bool one_sided;
    const carom_scene_arc *arc; /* NULL: a segment */
} plain_still;

static exact plain_arc_apart(point o, const carom_scene_arc *arc)
{
    const exact turn = 2 * acosl(-1), x = o.x - arc->x, y = o.y - arc->y;
    const exact from = atan2l(arc->ay - arc->y, arc->ax - arc->x), to = atan2l(arc->by - arc->y, arc->bx - arc->x);
    const bool ring = arc->ax == arc->bx && arc->ay == arc->by;
    const exact span = to - from < 0 ? to - from + turn : to - from, at = atan2l(y, x) - from;
    if (ring || (at < 0 ? at + turn : at) <= span) {
        return fabsl(hypotl(x, y) - arc->radius);
    }
    const exact r = arc->radius;
    return fminl(hypotl(x - r * cosl(from), y - r * sinl(from)), hypotl(x - r * cosl(to), y - r * sinl(to)));
}

static exact plain_still_apart(point o, const plain_still *s)
{
    return s->arc != NULL ? plain_arc_apart(o, s->arc) : plain_apart(o, s->a, s->b);
}

/* An arc is approached by as much as it is away, again and again. */
static exact plain_still_cast(point o, point u, const plain_still *s, exact w)
{
    if (s->arc == NULL) {
        return plain_capsule(o, u, s->a, s->b, w);
    }
    exact t = 0;
    for (int step = 0; step < 100000 && t < 1000; step++) {
        const exact gap = plain_arc_apart((point){o.x + t * u.x, o.y + t * u.y}, s->arc) - w;
        if (gap <= 1e-13L) {
            return t;
        }
        t += gap;
    }
    return (exact)INFINITY;
}

/* From when to when a ray is between low and high. */
static void plain_between(exact x, exact u, exact low, exact high, exact *from, exact *to)
{
    const exact a = (low - x) / u, b = (high - x) / u;
    if (u == 0) {
        *to = x >= low && x <= high ? *to : -1;
        return;
    }
    *from = fmaxl(*from, fminl(a, b));
    *to = fminl(*to, fmaxl(a, b));
}

/* The distance to a wall in all images of the box; in each from where the ray comes into it. */
static exact plain_wall(const carom_scene_desc *d, const carom_query *q, bool cast, point u, const plain_still *s,
                        int images)
{
    const carom_scene_box *box = &d->box;
    const exact width = (exact)box->x1 - box->x0, height = (exact)box->y1 - box->y0;
    const int across = cast && box->horizontal == CAROM_SIDES_PERIODIC ? images : 0;
    const int up = cast && box->vertical == CAROM_SIDES_PERIODIC ? images : 0;
    exact best = (exact)INFINITY;
    for (int i = -across; i <= across; i++) {
        for (int j = -up; j <= up; j++) {
            point o = {q->x - i * width, q->y - j * height};
            exact from = 0, to = (exact)INFINITY;
            if (across > 0) {
                plain_between(o.x, u.x, box->x0, box->x1, &from, &to);
            }
            if (up > 0) {
                plain_between(o.y, u.y, box->y0, box->y1, &from, &to);
            }
            o = (point){o.x + from * u.x, o.y + from * u.y};
            const point e = {s->b.x - s->a.x, s->b.y - s->a.y}, p = {o.x - s->a.x, o.y - s->a.y};
            if (from <= to && !(s->one_sided && cross(e, p) <= 0)) {
                const exact t =
                    cast ? from + plain_still_cast(o, u, s, q->radius) : fmaxl(plain_still_apart(o, s) - q->radius, 0);
                best = t <= to ? fminl(best, t) : best;
            }
        }
    }
    return best;
}

static plain_answer plain(const carom_scene_desc *d, const carom_query *q, bool cast, int images)
{
    const exact length = hypotl(q->dx, q->dy), range = q->range;
    const point u = {q->dx / length, q->dy / length};
    const exact width = (exact)d->box.x1 - d->box.x0, height = (exact)d->box.y1 - d->box.y0;
    const int across = d->box.horizontal == CAROM_SIDES_PERIODIC ? images : 0;
    const int up = d->box.vertical == CAROM_SIDES_PERIODIC ? images : 0;
    plain_answer best = {(exact)INFINITY, (exact)INFINITY, CAROM_FOUND_NONE, 0, 0};

    for (uint32_t i = 0; i < d->body_count; i++) {
        const carom_scene_body *body = &d->bodies[i];
        exact t = (exact)INFINITY;
        for (int k = -across; k <= across; k++) {
            for (int l = -up; l <= up; l++) {
                const point c = {body->x + k * width, body->y + l * height}, o = {q->x, q->y};
                const exact r = (exact)body->radius + q->radius;
                t = fminl(t, cast ? plain_disc(o, u, c, r) : fmaxl(hypotl(c.x - o.x, c.y - o.y) - r, 0));
            }
        }
        if (!body->inactive && i != q->ignore && plain_finds(q, body->category, body->mask, body->sensor)) {
            plain_offer(&best, t, range, CAROM_FOUND_BODY, i);
        }
    }
    for (uint32_t side = 0; side < 4; side++) {
        const exact gaps[4] = {q->x - d->box.x0, d->box.x1 - q->x, q->y - d->box.y0, d->box.y1 - q->y};
        const exact falls[4] = {-u.x, u.x, -u.y, u.y};
        const exact gap = gaps[side] - q->radius;
        if ((side < 2 ? d->box.horizontal : d->box.vertical) == CAROM_SIDES_SOLID) {
            const exact t = gap <= 0 ? 0 : !cast ? gap : falls[side] > 0 ? gap / falls[side] : (exact)INFINITY;
            plain_offer(&best, t, range, CAROM_FOUND_SIDE, side);
        }
    }
    for (uint32_t k = 0; k < d->wall_count; k++) {
        const carom_scene_wall *w = &d->walls[k];
        if (plain_finds(q, w->category != 0 ? w->category : ALL, w->mask != 0 ? w->mask : ALL, w->sensor)) {
            const plain_still still = {{w->ax, w->ay}, {w->bx, w->by}, w->one_sided, NULL};
            plain_offer(&best, plain_wall(d, q, cast, u, &still, images), range, CAROM_FOUND_WALL, k);
        }
    }
    for (uint32_t k = 0; k < d->polygon_count; k++) {
        const carom_scene_polygon *p = &d->polygons[k];
        exact t = (exact)INFINITY;
        for (uint32_t c = 0; c < p->corners; c++) {
            const uint32_t next = (c + 1) % p->corners;
            const plain_still still = {{p->x[c], p->y[c]}, {p->x[next], p->y[next]}, false, NULL};
            t = fminl(t, plain_wall(d, q, cast, u, &still, images));
        }
        plain_offer(&best, t, range, CAROM_FOUND_POLYGON, k);
    }
    for (uint32_t k = 0; k < d->arc_count; k++) {
        if (plain_finds(q, ALL, ALL, d->arcs[k].sensor)) {
            const plain_still still = {.arc = &d->arcs[k]};
            plain_offer(&best, plain_wall(d, q, cast, u, &still, images), range, CAROM_FOUND_ARC, k);
        }
    }
    return best;
}

static carom_query random_query(uint64_t *rng, const site *s, size_t worlds)
{
    const double half = s->desc.box.x1 * 0.999;
    const bool wraps = s->desc.box.horizontal == CAROM_SIDES_PERIODIC || s->desc.box.vertical == CAROM_SIDES_PERIODIC;
    carom_query q = carom_query_default();
    q.world = rng_next(rng) % worlds;
    q.x = rng_in(rng, -half, half), q.y = rng_in(rng, -half, half);
    q.dx = rng_in(rng, -3, 3), q.dy = rng_one_in(rng, 5) ? 0 : rng_in(rng, -3, 3);
    q.radius = rng_one_in(rng, 2) ? 0 : rng_in(rng, 0, rng_one_in(rng, 5) ? half / 4 : 1);
    q.range = rng_one_in(rng, 2) ? rng_in(rng, 0, half) : wraps ? 3 * half : (double)INFINITY;
    q.category = 1 + (uint32_t)rng_below(rng, 7);
    q.mask = rng_one_in(rng, 2) ? ALL : 1 + (uint32_t)rng_below(rng, 7);
    q.sensors = rng_one_in(rng, 2);
    q.ignore = rng_one_in(rng, 3) ? (uint32_t)rng_below(rng, (int)s->desc.body_count) : NOT_ONE;
    return q;
}

/* The same but for rounding; of two at nearly the same distance either may be found. */
static void check_plain(const char *what, const carom_query *q, const plain_answer *p, const carom_found *f)
{
    const exact distance = p->kind == CAROM_FOUND_NONE ? q->range : p->distance;
    const bool close = fabsl(f->distance - distance) <= 1e-9L || f->distance == (double)distance;
    const bool same = f->kind == p->kind && (p->kind == CAROM_FOUND_NONE || f->index == p->index);
    const bool either = p->second - p->distance < 1e-9L || fabsl(p->distance - q->range) < 1e-9L;
    if (!close || !(same || either)) {
        fail_msg("%s from (%.17g, %.17g) along (%.17g, %.17g), radius %.17g, range %g: %.17g, kind %d, %u; should be "
                 "%.17g, kind %d, %u",
                 what, q->x, q->y, q->dx, q->dy, q->radius, q->range, f->distance, (int)f->kind, f->index,
                 (double)distance, (int)p->kind, p->index);
    }
}

/* Scenes by number: sizes with and without a grid, boxes of all kinds. */
static site numbered_site(int number, uint64_t *rng)
{
    static const uint32_t sizes[][4] = {
        {9, 5, 2, 3}, {1, 0, 0, 0}, {300, 12, 3, 5}, {500, 0, 0, 0}, {70, 120, 30, 100}};
    static const carom_scene_sides kinds[][2] = {{CAROM_SIDES_OPEN, CAROM_SIDES_OPEN},
                                                 {CAROM_SIDES_SOLID, CAROM_SIDES_SOLID},
                                                 {CAROM_SIDES_PERIODIC, CAROM_SIDES_PERIODIC},
                                                 {CAROM_SIDES_PERIODIC, CAROM_SIDES_SOLID},
                                                 {CAROM_SIDES_OPEN, CAROM_SIDES_PERIODIC}};
    const uint32_t *size = sizes[number % 5];
    const carom_scene_sides *sides = kinds[number / 5 % 5];
    return random_site(rng, size[0], size[1], size[2], size[3], sides[0], sides[1]);
}

enum { SITES = 25, QUERIES = 300 };

TEST(test_plain_search)
{
    uint64_t rng = test_seed(29);
    const int rounds = unless_short(3, 1);
    for (int number = 0; number < SITES * rounds; number++) {
        OWNED(site) s = numbered_site(number, &rng);
        const carom_precision precision = rng_one_in(&rng, 2) ? CAROM_F32 : CAROM_F64;
        OWNED(carom_worlds) *worlds = worlds_of(carom_scene_game(s.scene), precision, 2, 1);
        FREED carom_query *q = take(QUERIES * sizeof *q);
        FREED carom_found *found = take(2 * QUERIES * sizeof *found);
        FREED size_t *counts = take(QUERIES * sizeof *counts);
        const int count = s.desc.body_count > 100 ? QUERIES / 3 : QUERIES;
        for (int k = 0; k < count; k++) {
            q[k] = random_query(&rng, &s, 2);
        }
        OK(carom_worlds_cast(worlds, (size_t)count, q, found));
        OK(carom_worlds_nearest(worlds, (size_t)count, q, found + QUERIES));
        OK(carom_worlds_within(worlds, (size_t)count, q, 0, NULL, counts));
        for (int k = 0; k < count; k++) {
            const plain_answer cast = plain(&s.desc, &q[k], true, 3), near = plain(&s.desc, &q[k], false, 1);
            check_plain("cast", &q[k], &cast, &found[k]);
            check_plain("nearest", &q[k], &near, &found[QUERIES + k]);
            if (counts[k] != near.near) {
                fail_msg("site %d, query %d: %zu within %g, should be %zu", number, k, counts[k], q[k].range,
                         near.near);
            }
        }
    }
}

/* Radii, walls and corners of each world's own, and walls and polygons that are not there in some. */
TEST(test_worlds_that_differ)
{
    enum { WORLDS = 5, BODIES = 9, WALLS = 5, POLYGONS = 2 };
    static const char *const ends[4] = {"wall_ax", "wall_ay", "wall_bx", "wall_by"};
    uint64_t rng = test_seed(31);
    OWNED(site) s = random_site(&rng, BODIES, WALLS, POLYGONS, 1, CAROM_SIDES_OPEN, CAROM_SIDES_SOLID);
    for (int i = 0; i < BODIES; i++) {
        s.bodies[i].radius = rng_in(&rng, 0.5, 1);
        s.bodies[i].radius_spread = 0.4;
    }
    for (int k = 0; k < WALLS; k++) {
        s.walls[k].ax_spread = s.walls[k].by_spread = 0.5;
    }
    for (int k = 0; k < POLYGONS; k++) {
        s.polygons[k].x_spread = 0.3;
    }
    s.desc.varies = CAROM_VARIES_THERE;
    OWNED(carom_scene) * scene;
    carom_problem problem;
    if (carom_scene_create(&s.desc, &scene, &problem) != CAROM_OK) {
        fail_msg("%s", problem.text);
    }
    OWNED(carom_worlds) *worlds = worlds_of(carom_scene_game(scene), CAROM_F64, WORLDS, 1);
    int8_t there[WORLDS][WALLS], shown[WORLDS][POLYGONS];
    size_t wall_there, polygon_there;
    for (int w = 0; w < WORLDS; w++) {
        for (int k = 0; k < WALLS; k++) {
            there[w][k] = !rng_one_in(&rng, 3);
        }
        for (int k = 0; k < POLYGONS; k++) {
            shown[w][k] = !rng_one_in(&rng, 3);
        }
    }
    OK(carom_worlds_find_field(worlds, "wall_there", &wall_there));
    OK(carom_worlds_find_field(worlds, "polygon_there", &polygon_there));
    OK(carom_worlds_set(worlds, wall_there, 0, WORLDS, there));
    OK(carom_worlds_set(worlds, polygon_there, 0, WORLDS, shown));

    for (size_t world = 0; world < WORLDS; world++) {
        /* The site becomes this world; what is not there is far away. */
        double numbers[4][POLYGONS * CORNERS];
        get_field(worlds, "radius", world, 1, numbers[0]);
        for (int i = 0; i < BODIES; i++) {
            s.bodies[i].radius = numbers[0][i];
        }
        for (int n = 0; n < 4; n++) {
            get_field(worlds, ends[n], world, 1, numbers[n]);
        }
        for (int k = 0; k < WALLS; k++) {
            const double far = there[world][k] != 0 ? 0 : 1e6;
            s.walls[k].ax = numbers[0][k] + far, s.walls[k].ay = numbers[1][k];
            s.walls[k].bx = numbers[2][k] + far, s.walls[k].by = numbers[3][k];
        }
        get_field(worlds, "corner_x", world, 1, numbers[0]);
        get_field(worlds, "corner_y", world, 1, numbers[1]);
        for (int c = 0; c < POLYGONS * CORNERS; c++) {
            s.x[c] = numbers[0][c] + (shown[world][c / CORNERS] != 0 ? 0 : 1e6);
            s.y[c] = numbers[1][c];
        }
        for (int k = 0; k < QUERIES; k++) {
            carom_query q = random_query(&rng, &s, 1);
            carom_found found[2];
            q.world = world;
            q.range = fmin(q.range, 1000);
            OK(carom_worlds_cast(worlds, 1, &q, &found[0]));
            OK(carom_worlds_nearest(worlds, 1, &q, &found[1]));
            const plain_answer cast = plain(&s.desc, &q, true, 0), near = plain(&s.desc, &q, false, 0);
            check_plain("cast", &q, &cast, &found[0]);
            check_plain("nearest", &q, &near, &found[1]);
        }
    }
}

/* ---- the same bits, however it is asked ---- */

typedef struct answers {
    carom_found cast[QUERIES], nearest[QUERIES], within[QUERIES][8];
    size_t counts[QUERIES];
} answers;

static bool same_found(const carom_found *a, const carom_found *b, size_t count)
{
    bool same = true;
    for (size_t k = 0; k < count; k++) {
        same = same && a[k].kind == b[k].kind && a[k].index == b[k].index && a[k].part == b[k].part &&
               a[k].inside == b[k].inside && memcmp(&a[k].distance, &b[k].distance, 5 * sizeof(double)) == 0;
    }
    return same;
}

static bool same_answers(const answers *a, const answers *b)
{
    return same_found(a->cast, b->cast, QUERIES) && same_found(a->nearest, b->nearest, QUERIES) &&
           same_found(a->within[0], b->within[0], (size_t)QUERIES * 8) &&
           memcmp(a->counts, b->counts, sizeof a->counts) == 0;
}

static void ask(carom_worlds *worlds, size_t count, const carom_query *q, size_t first, answers *a)
{
    OK(carom_worlds_cast(worlds, count, q + first, a->cast + first));
    OK(carom_worlds_nearest(worlds, count, q + first, a->nearest + first));
    OK(carom_worlds_within(worlds, count, q + first, 8, a->within[first], a->counts + first));
}

TEST(test_same_bits)
{
    uint64_t rng = test_seed(30);
    for (int number = 0; number < SITES; number++) {
        OWNED(site) s = numbered_site(number, &rng);
        FREED carom_query *q = take(QUERIES * sizeof *q);
        FREED answers *all = take(sizeof *all), *other = take(sizeof *other);
        for (int k = 0; k < QUERIES; k++) {
            q[k] = random_query(&rng, &s, 5);
        }
        OWNED(carom_worlds) *worlds = worlds_of(carom_scene_game(s.scene), CAROM_F64, 5, 1);
        ask(worlds, QUERIES, q, 0, all);

        /* One at a time: without a grid. */
        for (size_t k = 0; k < QUERIES; k++) {
            ask(worlds, 1, q, k, other);
        }
        assert_true(same_answers(all, other));

        for (int isa = CAROM_ISA_SCALAR; isa < CAROM_ISA_COUNT; isa++) {
            if (carom_isa_usable((carom_isa)isa)) {
                carom_worlds *again;
                carom_worlds_desc desc = carom_worlds_desc_default(carom_scene_game(s.scene));
                desc.count = 5, desc.threads = 3, desc.isa = (carom_isa)isa, desc.precision = CAROM_F64;
                OK(carom_worlds_create(&desc, &again));
                memset(other, 0, sizeof *other);
                ask(again, QUERIES, q, 0, other);
                carom_worlds_destroy(again);
                assert_true(same_answers(all, other));
            }
        }
    }
}

/* ---- games ---- */

/* A ray from a pod at another finds it where look.h says that it is. */
TEST(test_games)
{
    for (size_t g = 0; g < carom_game_count(); g++) {
        OWNED(carom_worlds) *worlds = worlds_of(carom_game_at(g), CAROM_F64, 3, 1);
        carom_look_body bodies[64];
        size_t count;
        OK(carom_look_bodies(worlds, 2, bodies, 64, &count));
        carom_query q = carom_query_default();
        carom_found found;
        for (uint32_t i = 0; i < count && i < 64; i++) {
            q.world = 2;
            q.x = bodies[i].x, q.y = bodies[i].y;
            q.range = 0;
            q.mask = 1u << bodies[i].style;
            OK(carom_worlds_nearest(worlds, 1, &q, &found));
            assert_true(!bodies[i].there || found.kind != CAROM_FOUND_NONE);
            assert_true(found.kind != CAROM_FOUND_BODY || found.index <= i);
        }
    }
}
