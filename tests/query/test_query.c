/* SPDX-License-Identifier: MIT
 * Queries of worlds: answers computed by hand, answers of a plain search in long double over random scenes of all
 * kinds, and the same bits with a grid or without, on any number of threads and any instruction set.
 */
#include "plain_search.h"

/* ---- computed by hand ---- */

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
    {"another corner", 24, -12, 0, 1, 1, 50, ALL, ALL, NOT_ONE, 0, CAROM_FOUND_POLYGON, 0, 5, 9, 24, -2, 0, -1},
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
    REFUSED(x, NAN, CAROM_ERROR_VALUE, "query 1: (nan, 0) is not a position");
    REFUSED(y, 1e31, CAROM_ERROR_VALUE, "query 1: (0, 1e+31) is not a position");
    REFUSED(radius, -1, CAROM_ERROR_VALUE, "query 1: radius -1");
    REFUSED(range, -1, CAROM_ERROR_VALUE, "query 1: range -1");
    REFUSED(range, NAN, CAROM_ERROR_VALUE, "query 1: range nan");
    REFUSED(dx, 0, CAROM_ERROR_VALUE, "query 1: (0, 0) is not a direction");
    REFUSED(dx, INFINITY, CAROM_ERROR_VALUE, "query 1: (inf, 0) is not a direction");
}

/* ---- random scenes, and the plain search ---- */

/* The same up to rounding; of two at nearly the same distance either may be found. */
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

/* Each world has its own radii, walls and corners, and some lack walls and polygons. */
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
        /* The site becomes this world; missing things are far away. */
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

/* ---- the same bits for every way to query ---- */

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

/* A ray from a pod to another finds it at its position in look.h. */
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
