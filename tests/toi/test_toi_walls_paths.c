/* SPDX-License-Identifier: MIT
 * Circles moving to walls: until the answer the circle has not come nearer to the wall than r (or than it was at the
 * start, if it overlapped), and at the answer it touches: no gap, no ghost, no false hit. Distances come from long
 * double geometry. Random cases of every kind, from a printed seed, and the hardest ones: aimed at corners, grazing,
 * rolling along collinear edges.
 */
#include "test.h"

#include "toi_walls_reference.h"

enum { MOST_CORNERS = 64 };

#define PI 3.14159265358979323846
#define BOUND 8 /* of the position error, in eps times the scale S */

static const carom_precision precisions[] = {CAROM_F32, CAROM_F64};

static uint64_t seed, random_state;

static double uniform(double low, double high)
{
    return rng_in(&random_state, low, high);
}

static size_t below(size_t n)
{
    return (size_t)uniform(0, (double)n) % n;
}

/* --- The check ---------------------------------------------------------------------------------------------------- */

typedef struct tally {
    size_t cases, hits, corners;
    double worst_near, worst_far, worst_contact; /* came too near; false hit; error at contact */
} tally;

static void worse(double *worst, long double error)
{
    *worst = fmax(*worst, (double)error);
}

static long double scale_of(point from, point to, long double r, long double way)
{
    const long double near = fminl(point_length(from), point_length(to));
    return fmaxl(fmaxl(near, r), way);
}

#define REQUIRE(condition, what)                                                                                       \
    if (!(condition)) {                                                                                                \
        wall_describe(c, i, limit);                                                                                    \
        fail_msg("seed %llu, case %zu: %s", (unsigned long long)seed, i, what);                                        \
    }

/* Case i, solved for a finite limit. */
static void check_path(const wall_cases *c, size_t i, double limit, tally *sum)
{
    const long double eps = wall_epsilon(c);
    const point x = {wall_get(c, c->in[0], i), wall_get(c, c->in[1], i)};
    const point v = {wall_get(c, c->in[2], i), wall_get(c, c->in[3], i)},
                n = {wall_get(c, c->nx, i), wall_get(c, c->ny, i)};
    const long double r = wall_get(c, c->in[4], i), t = wall_get(c, c->t, i), speed = point_length(v);
    const int32_t feature = c->feature[i];
    const bool hit = t < (long double)INFINITY;
    point from[MOST_CORNERS], to[MOST_CORNERS];
    const size_t count = wall_segments(c, i, from, to);
    const long double until = hit ? t : limit, way = speed * until;
    const point origin = {0, 0}, end = {v.x * until, v.y * until};
    for (size_t k = 0; k < count; k++) { /* seen from the start, with distances of the order of rounding */
        from[k] = point_minus(from[k], x);
        to[k] = point_minus(to[k], x);
    }
    REQUIRE(hit ? t >= 0 && t <= limit : isinf(t), "time out of range");
    REQUIRE(!hit || count > 0, "a hit without a wall");
    sum->cases++;
    long double start = (long double)INFINITY; /* the distance then */
    for (size_t k = 0; k < count; k++) {
        start = fminl(start, segment_distance(origin, origin, from[k], to[k]));
    }
    for (size_t k = 0; k < count; k++) {
        const long double scale = scale_of(from[k], to[k], r, way);
        const long double error = (fminl(r, start) - segment_distance(origin, end, from[k], to[k])) / (eps * scale);
        worse(&sum->worst_near, scale > 0 ? error : 0);
        if (!(scale == 0 || error <= BOUND)) {
            print_error("edge %zu: %Lg eps S too near\n", k, error);
        }
        REQUIRE(scale == 0 || error <= BOUND, "the circle came too near before");
    }
    if (!hit) {
        REQUIRE(feature == -1 && n.x == 0 && n.y == 0, "a feature without a hit");
        return;
    }
    /* The feature touches, the normal points from it to the centre, the circle approaches. */
    sum->hits++;
    size_t k = 0;
    bool corner = false;
    point a, b;
    if (c->kind == WALL_SEGMENT) {
        corner = feature > 0;
        a = feature == 2 ? to[0] : from[0], b = feature == 1 ? from[0] : to[0];
    } else if (c->kind == WALL_BOX && feature >= 4) {
        const size_t corners[4] = {2, 1, 0, 3}; /* which side starts at the corner */
        corner = true, k = corners[feature - 4], a = b = from[k];
    } else {
        corner = (size_t)feature >= count;
        k = (size_t)feature % count;
        a = from[k], b = corner ? a : to[k];
    }
    sum->corners += corner;
    const long double scale = scale_of(a, b, r, way), distance = segment_distance(end, end, a, b);
    if (t > 0) {
        worse(&sum->worst_far, (distance - r) / (eps * scale));
        if (start > r && r > scale / 1024) {
            worse(&sum->worst_contact, fabsl(distance - r) / (eps * scale));
        }
    }
    if (!(distance - r <= BOUND * eps * scale)) {
        print_error("%Lg eps S too far\n", (distance - r) / (eps * scale));
    }
    REQUIRE(distance - r <= BOUND * eps * scale, "no contact at the time of impact");
    REQUIRE(fabsl(point_length(n) - 1) <= 4 * eps, "the normal is no unit vector");
    const point to_centre = point_minus(end, nearest_point(end, a, b));
    REQUIRE(point_dot(to_centre, n) >= distance - 2 * BOUND * eps * scale, "the normal is not that of the contact");
    REQUIRE(point_dot(n, v) <= (corner && r > 0 ? 64 * eps * scale / r : 4 * eps) * speed, "no approach");
}

static tally check_all(const wall_cases *c, double limit)
{
    tally sum = {0};
    assert_int_equal(wall_solve(c, CAROM_DETECTION_CONTINUOUS, limit), CAROM_OK);
    for (size_t i = 0; i < c->n; i++) {
        check_path(c, i, limit, &sum);
    }
    return sum;
}

static void add(tally *sum, tally more)
{
    sum->cases += more.cases, sum->hits += more.hits, sum->corners += more.corners;
    sum->worst_near = fmax(sum->worst_near, more.worst_near);
    sum->worst_far = fmax(sum->worst_far, more.worst_far);
    sum->worst_contact = fmax(sum->worst_contact, more.worst_contact);
}

static void report(const char *name, carom_precision precision, tally sum)
{
    print_message(
        "f%d %s: %zu cases, %zu hits, %zu of corners; in eps S: too near %.2f, too far %.2f, at contact %.2f\n",
        (int)precision, name, sum.cases, sum.hits, sum.corners, sum.worst_near, sum.worst_far, sum.worst_contact);
}

/* --- Circles ------------------------------------------------------------------------------------------------------ */

static void put_circle(const wall_cases *c, size_t i, double x, double y, double vx, double vy, double r)
{
    const double values[5] = {x, y, vx, vy, r};
    for (int k = 0; k < 5; k++) {
        wall_put(c, c->in[k], i, values[k]);
    }
}

/* A radius of any kind, 0 among them. */
static double random_radius(void)
{
    const double choice = uniform(0, 1);
    return choice < 0.1 ? 0 : choice < 0.2 ? exp2(uniform(-30, -3)) : uniform(0.01, 0.7);
}

/* A circle that is to touch the point (x, y) with the centre in the direction `normal` from it, after about a unit of
 * time, coming from anywhere on that side: head on to grazing; the miss may be of the order of rounding. */
static void aimed_circle(const wall_cases *c, size_t i, double x, double y, double normal)
{
    const double eps = wall_epsilon(c), r = random_radius();
    const double tilt = uniform(0, 1) < 0.3 ? PI / 2 - exp2(uniform(-24, 0)) : uniform(0, PI / 2);
    const double course = normal + PI + (uniform(0, 1) < 0.5 ? tilt : -tilt), speed = exp2(uniform(-4, 2));
    const double shift = uniform(0, 1) < 0.5 ? 0 : uniform(-1, 1) * eps * exp2(uniform(0, 20));
    const double back = uniform(0, 1) < 0.15 ? shift : speed * uniform(0.5, 1.5);
    const double cx = x + (r + shift) * cos(normal), cy = y + (r + shift) * sin(normal);
    put_circle(c, i, cx - back * cos(course), cy - back * sin(course), speed * cos(course), speed * sin(course), r);
}

/* Anywhere; aimed at one of the corners or at a point on the edge between two of them. */
static void random_circle(const wall_cases *c, size_t i, size_t corners, const point *corner)
{
    const size_t k = below(corners), next = (k + 1) % corners;
    const double ax = (double)corner[k].x, ay = (double)corner[k].y;
    const double ex = (double)corner[next].x - ax, ey = (double)corner[next].y - ay, along = atan2(ey, ex);
    const double part = uniform(0, 1), side = uniform(0, 1) < 0.5 ? PI / 2 : -PI / 2;
    switch (below(5)) {
    case 0:
        put_circle(c, i, uniform(-3, 3), uniform(-3, 3), uniform(-4, 4), uniform(-4, 4), random_radius());
        break;
    case 1: /* at a corner, from any direction */
        aimed_circle(c, i, ax, ay, uniform(-PI, PI));
        break;
    case 2: /* at a corner, where edge and cap meet */
        aimed_circle(c, i, ax, ay, along + side + (uniform(0, 1) < 0.5 ? 0 : uniform(-1, 1) * exp2(uniform(-50, -4))));
        break;
    case 3: /* at an edge */
        aimed_circle(c, i, ax + part * ex, ay + part * ey, along + side);
        break;
    default: { /* along an edge, at about the distance r */
        const double r = random_radius(), h = r * (1 + uniform(-4, 4) * wall_epsilon(c)), from = uniform(-1, 1);
        put_circle(c, i, ax + from * ex + h * cos(along + side), ay + from * ey + h * sin(along + side), ex, ey, r);
        break;
    }
    }
    if (uniform(0, 1) < 0.02) {
        wall_put(c, c->in[2], i, 0);
        wall_put(c, c->in[3], i, uniform(0, 1) < 0.5 ? 0 : 1);
    }
}

/* Everything times 2^k, but the times. */
static void scale_case(const wall_cases *c, size_t i, int k)
{
    for (int w = 0; w < wall_inputs(c->kind); w++) {
        wall_put(c, c->in[w], i, ldexp(wall_get(c, c->in[w], i), k));
    }
}

/* Speeds whose products with lengths underflow, to 0 or to numbers of few digits: circles that touch are reported at
 * once at the right position, all others never or after the tick. */
static void slow_down(const wall_cases *c, size_t i)
{
    const bool single = c->precision == CAROM_F32;
    const int by = -(int)uniform(single ? 90 : 960, single ? 150 : 1076);
    for (int w = 2; w < 4; w++) {
        wall_put(c, c->in[w], i, ldexp(wall_get(c, c->in[w], i), by));
    }
}

static void single_walls(bool slow)
{
    const size_t each = (size_t)unless_short(slow ? 15000 : 60000, 1000);
    for (int kind = WALL_LINE; kind < WALL_POLYGON; kind++) {
        for (int p = 0; p < 2; p++) {
            OWNED(wall_cases) c = wall_cases_new(precisions[p], kind, each, 0);
            for (size_t i = 0; i < each; i++) {
                point corner[4] = {{uniform(-2, 2), uniform(-2, 2)}, {uniform(-2, 2), uniform(-2, 2)}};
                if (uniform(0, 1) < 0.1) { /* short */
                    corner[1].x = corner[0].x + uniform(-1, 1) * 1e-3L, corner[1].y = corner[0].y + 1e-3L;
                }
                if (uniform(0, 1) < 0.2) {
                    corner[1].y = corner[0].y;
                }
                if (kind == WALL_POINT || (kind != WALL_LINE && uniform(0, 1) < 0.05)) {
                    corner[1] = corner[0];
                }
                if (kind == WALL_BOX) {
                    const point a = corner[0], b = corner[1];
                    corner[0] = (point){fminl(a.x, b.x), fminl(a.y, b.y)};
                    corner[2] = (point){fmaxl(a.x, b.x), fmaxl(a.y, b.y)};
                    corner[1] = (point){corner[2].x, corner[0].y};
                    corner[3] = (point){corner[0].x, corner[2].y};
                }
                const point last = corner[kind == WALL_BOX ? 2 : 1];
                const long double walls[4] = {corner[0].x, corner[0].y, last.x, last.y};
                for (int k = 5; k < wall_inputs(kind); k++) {
                    wall_put(&c, c.in[k], i, (double)walls[k - 5]);
                }
                random_circle(&c, i, kind == WALL_BOX ? 4 : kind == WALL_POINT ? 1 : 2, corner);
                if (i % 16 == 0) {
                    scale_case(&c, i, (int)uniform(-15, 15));
                }
                if (slow) {
                    slow_down(&c, i);
                }
            }
            const tally sum = check_all(&c, 4);
            report(wall_names[kind], precisions[p], sum);
            assert_true(sum.hits > each / (slow ? 50 : 4));
        }
    }
}

TEST(test_single_walls)
{
    single_walls(false);
}

TEST(test_slow)
{
    single_walls(true);
}

/* --- Polygons ----------------------------------------------------------------------------------------------------- */

/* Star-shaped, convex, nearly round or with collinear edges, in either direction; some corners twice. */
static size_t random_polygon(point *corner)
{
    const int shape = (int)below(5);
    const size_t m = 3 + below(shape == 3 ? 48 : 20);
    const double turn = uniform(-PI, PI), dent = exp2(uniform(-40, -3));
    size_t count = 0;
    for (size_t k = 0; k < m; k++) {
        const double angle = turn + 2 * PI * (double)k / (double)m;
        double radius = shape == 0 ? uniform(0.3, 2) : 1.5;
        if (shape == 1) {
            radius = k % 2 == 0 ? 2 : 0.5;
        } else if (shape == 2) { /* hardly convex or hardly concave */
            radius *= 1 + uniform(-1, 1) * dent;
        }
        corner[count++] = (point){radius * cos(angle), radius * sin(angle)};
        if (uniform(0, 1) < 0.03) {
            corner[count] = corner[count - 1];
            count++;
        }
    }
    if (shape == 4) { /* a triangle's edges cut into pieces */
        point of[3];
        for (int k = 0; k < 3; k++) {
            of[k] = (point){uniform(-2, 2), uniform(-2, 2)};
        }
        const size_t pieces = 1 + below(8);
        count = 0;
        for (size_t k = 0; k < 3; k++) {
            for (size_t j = 0; j < pieces; j++) {
                const long double part = (long double)j / (long double)pieces;
                const point e = point_minus(of[(k + 1) % 3], of[k]);
                corner[count++] = (point){of[k].x + part * e.x, of[k].y + part * e.y};
            }
        }
    }
    for (size_t k = 0; uniform(0, 1) < 0.5 && k < count / 2; k++) {
        const point other = corner[k];
        corner[k] = corner[count - 1 - k];
        corner[count - 1 - k] = other;
    }
    return count;
}

static void polygons(bool slow)
{
    enum { EACH = 64 };
    const int rounds = unless_short(slow ? 500 : 2000, 20);
    for (int p = 0; p < 2; p++) {
        tally sum = {0};
        for (int round = 0; round < rounds; round++) {
            point corner[2 * MOST_CORNERS];
            const size_t m = random_polygon(corner);
            assert_true(m <= MOST_CORNERS);
            OWNED(wall_cases) c = wall_cases_new(precisions[p], WALL_POLYGON, EACH, m);
            for (size_t k = 0; k < m; k++) {
                wall_put(&c, c.in[5], k, (double)corner[k].x);
                wall_put(&c, c.in[6], k, (double)corner[k].y);
            }
            for (size_t i = 0; i < EACH; i++) {
                random_circle(&c, i, m, corner);
                if (slow) {
                    slow_down(&c, i);
                }
            }
            add(&sum, check_all(&c, 4));
        }
        report("polygon", precisions[p], sum);
        assert_true(slow ? sum.hits > sum.cases / 50 : sum.hits > sum.cases / 4 && sum.corners > sum.cases / 50);
    }
}

TEST(test_polygons)
{
    polygons(false);
}

TEST(test_slow_polygons)
{
    polygons(true);
}

/* A square with edges cut at random, turned by any angle; circles roll along its sides, inside and outside, at
 * contact as exact as rounding allows. No corner is met, and an edge at most with a normal velocity of the order of
 * rounding. */
TEST(test_rolling)
{
    enum { EACH = 64, PIECES = 8 };
    const int turns = unless_short(400, 20);
    for (int p = 0; p < 2; p++) {
        size_t hits = 0, total = 0;
        for (int round = 0; round < turns; round++) {
            const double turn = round == 0 ? 0 : uniform(-PI, PI), ux = cos(turn), uy = sin(turn);
            const double size = exp2(uniform(-2, 6)), ox = uniform(-1, 1) * size, oy = uniform(-1, 1) * size;
            double least = size;
            OWNED(wall_cases) c = wall_cases_new(precisions[p], WALL_POLYGON, EACH, 4 * (size_t)PIECES);
            for (int k = 0; k < 4; k++) {
                double part = 0;
                for (int j = 0; j < PIECES; j++) {
                    const double s = k == 0 ? part : k == 1 ? 1 : k == 2 ? 1 - part : 0;
                    const double h = k == 0 ? 0 : k == 1 ? part : k == 2 ? 1 : 1 - part;
                    wall_put(&c, c.in[5], (size_t)(k * PIECES + j), ox + size * (s * ux - h * uy));
                    wall_put(&c, c.in[6], (size_t)(k * PIECES + j), oy + size * (s * uy + h * ux));
                    const double next = part + (1 - part) / (PIECES - j) * uniform(0.5, 1);
                    least = fmin(least, size * (next - part));
                    part = next;
                }
            }
            const double coordinates = fabs(ox) + fabs(oy) + 2 * size;
            for (size_t i = 0; i < EACH; i++) { /* side 0, from inside (above it) and from outside */
                const double r = size * uniform(0.01, 0.2), s = uniform(0.25, 0.75) * size, h = i % 2 == 0 ? r : -r;
                const double way = (uniform(0, 1) < 0.5 ? 1 : -1) * exp2(uniform(-3, 3)) * size;
                put_circle(&c, i, ox + s * ux - h * uy, oy + s * uy + h * ux, way * ux, way * uy, r);
                if (r > 0.2 * size) {
                    fail_msg("the circle reaches the other sides");
                }
            }
            assert_int_equal(wall_solve(&c, CAROM_DETECTION_CONTINUOUS, 0.05 / 8), CAROM_OK);
            const double slope = 16 * wall_epsilon(&c) * coordinates / least;
            for (size_t i = 0; i < EACH; i++, total++) {
                const double limit = 0.05 / 8, vx = wall_get(&c, c.in[2], i), vy = wall_get(&c, c.in[3], i);
                const double fall = vx * wall_get(&c, c.nx, i) + vy * wall_get(&c, c.ny, i);
                const wall_cases *all = &c;
                hits += c.feature[i] >= 0;
                if (c.feature[i] >= 4 * PIECES || fabs(fall) > slope * hypot(vx, vy)) {
                    wall_describe(all, i, limit);
                    fail_msg("seed %llu: a ghost", (unsigned long long)seed);
                }
            }
        }
        print_message("f%d rolling: %zu circles, %zu touch by rounding\n", (int)precisions[p], total, hits);
    }
}

/* Within a convex polygon every corner is concave to the circle: it slides along an edge onto the next, and meets no
 * corner. */
TEST(test_concave)
{
    enum { EACH = 64 };
    const int polygons = unless_short(400, 12);
    for (int p = 0; p < 2; p++) {
        tally sum = {0};
        for (int round = 0; round < polygons; round++) {
            const size_t m = 3 + below(46);
            const double turn = uniform(-PI, PI), half = PI / (double)m, apothem = cos(half);
            OWNED(wall_cases) c = wall_cases_new(precisions[p], WALL_POLYGON, EACH, m);
            for (size_t k = 0; k < m; k++) {
                const double angle = turn + 2 * half * (double)k;
                wall_put(&c, c.in[5], k, cos(angle));
                wall_put(&c, c.in[6], k, sin(angle));
            }
            for (size_t i = 0; i < EACH; i++) { /* in contact with an edge, before the contact with the next one */
                const double r = uniform(0.01, 0.5) * apothem, normal = turn + half * (double)(1 + 2 * below(m));
                const double room = (apothem - r) * tan(half), along = uniform(-0.9, 0.9) * room;
                const double dip = i % 2 == 0 ? 0 : exp2(uniform(-50, -1)), side = uniform(0, 1) < 0.5 ? -1 : 1;
                put_circle(&c, i, (apothem - r) * cos(normal) - along * sin(normal),
                           (apothem - r) * sin(normal) + along * cos(normal), -side * sin(normal) + dip * cos(normal),
                           side * cos(normal) + dip * sin(normal), r);
            }
            add(&sum, check_all(&c, 4));
        }
        report("concave", precisions[p], sum);
        assert_true(sum.corners == 0 && sum.hits == sum.cases);
    }
}

SET_UP
{
    seed = random_state = test_seed(3);
}
