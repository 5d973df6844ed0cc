/* SPDX-License-Identifier: MIT
 * Which scene descriptions are refused, and the error texts: one number or pointer of a valid one is changed at a time.
 * The limits themselves are valid.
 */
#include "test.h"

#include <fenv.h>

#define BODIES 5
#define WALLS 3
#define POLYGONS 2
#define CORNERS 5

/* A good description: a free body, one that accelerates, a fixed one, one that acts, one that is not active. */
static struct {
    carom_scene_desc desc;
    carom_scene_body body[BODIES];
    carom_scene_wall wall[WALLS];
    carom_scene_polygon polygon[POLYGONS];
    double x[CORNERS], y[CORNERS];
} s;

static void describe(void)
{
    static const double x[CORNERS] = {1, 2, 3, 3, 1}, y[CORNERS] = {1, 0.5, 1, 2, 2};
    memset(&s, 0, sizeof s);
    s.desc = carom_scene_desc_default();
    for (int k = 0; k < BODIES; k++) {
        s.body[k] = carom_scene_body_default();
        s.body[k].x = 3 * k - 6;
        s.body[k].vy = 0.5;
    }
    s.body[1].ay = -1;
    s.body[2].mass = INFINITY;
    s.body[2].vy = 0;
    s.body[3].acts = true;
    s.body[4].inactive = true;
    for (int k = 0; k < WALLS; k++) {
        s.wall[k] = (carom_scene_wall){k, -9, k + 1, -9, 0.5, false, false};
    }
    memcpy(s.x, x, sizeof x);
    memcpy(s.y, y, sizeof y);
    for (int k = 0; k < POLYGONS; k++) {
        s.polygon[k] = (carom_scene_polygon){s.x, s.y, CORNERS, 1, false};
    }
    s.desc.bodies = s.body, s.desc.body_count = BODIES;
    s.desc.walls = s.wall, s.desc.wall_count = WALLS;
    s.desc.polygons = s.polygon, s.desc.polygon_count = POLYGONS;
    s.desc.box = (carom_scene_box){-10, -10, 10, 10, CAROM_SIDES_SOLID, CAROM_SIDES_PERIODIC, 1};
}

static carom_status create(carom_scene **scene, carom_problem *problem)
{
    memset(problem, 'x', sizeof *problem);
    *scene = (carom_scene *)(void *)&s;
    return carom_scene_create(&s.desc, scene, problem);
}

static void check_accepted(const char *change)
{
    OWNED(carom_scene) *scene = NULL;
    carom_problem problem;
    const carom_status status = create(&scene, &problem);
    if (status != CAROM_OK) {
        fail_msg("%s: refused: %s", change, problem.text);
    }
    assert_string_equal(problem.text, "");
    assert_non_null(scene);
}

static void check_refused(const char *change, carom_status wanted, const char *sentence)
{
    carom_scene *scene;
    carom_problem problem;
    const carom_status status = create(&scene, &problem);
    assert_non_null(memchr(problem.text, '\0', sizeof problem.text));
    if (status != wanted || strcmp(problem.text, sentence) != 0) {
        fail_msg("%s: status %d, \"%s\", not %d, \"%s\"", change, (int)status, problem.text, (int)wanted, sentence);
    }
    assert_null(scene);
    assert_int_equal(carom_scene_create(&s.desc, &scene, NULL), wanted);
}

/* A change of a valid description, and its error. */
#define ACCEPTED(change)                                                                                               \
    do {                                                                                                               \
        describe();                                                                                                    \
        change;                                                                                                        \
        check_accepted(#change);                                                                                       \
    } while (0)
#define REFUSED(change, status, sentence)                                                                              \
    do {                                                                                                               \
        describe();                                                                                                    \
        change;                                                                                                        \
        check_refused(#change, CAROM_ERROR_##status, sentence);                                                        \
    } while (0)

/* A number that must be finite. */
#define FINITE(number, name)                                                                                           \
    do {                                                                                                               \
        REFUSED(number = (double)NAN, VALUE, name " is not a number");                                                 \
        REFUSED(number = -(double)NAN, VALUE, name " is not a number");                                                \
        REFUSED(number = INFINITY, VALUE, name " is infinite");                                                        \
        REFUSED(number = -INFINITY, VALUE, name " is infinite");                                                       \
    } while (0)
#define COORDINATE(number, name)                                                                                       \
    do {                                                                                                               \
        FINITE(number, name);                                                                                          \
        REFUSED(number = 1e300, VALUE, name " 1e+300 is more than 1.07374182e+09 from 0");                             \
        REFUSED(number = -1073741825, VALUE, name " -1.07374182e+09 is more than 1.07374182e+09 from 0");              \
    } while (0)
#define SHARE(number, name)                                                                                            \
    do {                                                                                                               \
        REFUSED(number = (double)NAN, VALUE, name " is not a number");                                                 \
        REFUSED(number = -0.25, VALUE, name " -0.25 is not in [0, 1]");                                                \
        REFUSED(number = 1.5, VALUE, name " 1.5 is not in [0, 1]");                                                    \
        REFUSED(number = INFINITY, VALUE, name " inf is not in [0, 1]");                                               \
        ACCEPTED(number = 0);                                                                                          \
        ACCEPTED(number = 1);                                                                                          \
    } while (0)

/* Enumerations and flags may come from elsewhere: what no enumerator names must be refused, too. */
static int bad_number = 17;

/* Eight bodies of two players act. */
static void many_agents(void)
{
    static carom_scene_body bodies[8];
    for (int k = 0; k < 8; k++) {
        bodies[k] = s.body[3];
        bodies[k].player = (uint32_t)k % 2;
    }
    s.desc.bodies = bodies;
    s.desc.body_count = 8;
}

TEST(test_good)
{
    ACCEPTED((void)0);
    ACCEPTED(s.desc.walls = NULL; s.desc.wall_count = 0);
    ACCEPTED(s.desc.polygons = NULL; s.desc.polygon_count = 0);
    ACCEPTED(s.desc.body_count = 1);
}

TEST(test_description)
{
    carom_scene *scene = (carom_scene *)(void *)&s;
    carom_problem problem;
    assert_int_equal(carom_scene_create(NULL, &scene, &problem), CAROM_ERROR_ARGUMENT);
    assert_string_equal(problem.text, "there is no description");
    assert_null(scene);
    describe();
    assert_int_equal(carom_scene_create(&s.desc, NULL, NULL), CAROM_ERROR_ARGUMENT);
    char sentence[128];
    snprintf(sentence, sizeof sentence, "the size of the description is 8, not %zu: start from the default",
             sizeof s.desc);
    REFUSED(s.desc.size = 8, ARGUMENT, sentence);
}

TEST(test_bodies)
{
    REFUSED(s.desc.body_count = 0, ARGUMENT, "bodies: there are none");
    REFUSED(s.desc.bodies = NULL, ARGUMENT, "bodies: NULL, though there are 5");
    REFUSED(s.desc.body_count = CAROM_SCENE_BODIES + 1, ARGUMENT, "bodies: 1048577, at most 1048576");
    COORDINATE(s.body[3].x, "body 3: x");
    COORDINATE(s.body[0].y, "body 0: y");
    COORDINATE(s.body[4].y, "body 4: y"); /* though it is not active */
    FINITE(s.body[1].vx, "body 1: vx");
    FINITE(s.body[1].vy, "body 1: vy");
    FINITE(s.body[1].ax, "body 1: ax");
    FINITE(s.body[1].ay, "body 1: ay");
    ACCEPTED(s.body[1].vx = 1e200);
    REFUSED(s.body[3].radius = -1, VALUE, "body 3: radius -1 is negative");
    REFUSED(s.body[3].radius = (double)NAN, VALUE, "body 3: radius is not a number");
    REFUSED(s.body[3].radius = INFINITY, VALUE, "body 3: radius is infinite");
    REFUSED(s.body[3].radius = 1e10, VALUE, "body 3: radius 1e+10 is more than 1.07374182e+09 from 0");
    ACCEPTED(s.body[3].radius = 0);
    REFUSED(s.body[0].mass = 0, VALUE, "body 0: mass 0 is not positive");
    REFUSED(s.body[0].mass = -2.5, VALUE, "body 0: mass -2.5 is not positive");
    REFUSED(s.body[0].mass = (double)NAN, VALUE, "body 0: mass is not a number");
    REFUSED(s.body[0].mass = 1e-31, VALUE, "body 0: mass 1e-31 is neither infinite nor in [1e-30, 1e+30]");
    REFUSED(s.body[0].mass = 1e31, VALUE, "body 0: mass 1e+31 is neither infinite nor in [1e-30, 1e+30]");
    ACCEPTED(s.body[0].mass = 1e-30);
    ACCEPTED(s.body[0].mass = 1e30);
    SHARE(s.body[1].restitution, "body 1: restitution");
    SHARE(s.body[1].damping, "body 1: damping");
    ACCEPTED(s.body[1].category = 0; s.body[1].mask = 0; s.body[1].user = INT32_MIN);
}

TEST(test_fixed_bodies)
{
    REFUSED(s.body[2].vx = 1, VALUE, "body 2: its mass is infinite, but it has a velocity");
    REFUSED(s.body[2].vy = -1, VALUE, "body 2: its mass is infinite, but it has a velocity");
    REFUSED(s.body[2].ax = 1, VALUE, "body 2: its mass is infinite, but it has an acceleration");
    REFUSED(s.body[2].ay = 1, VALUE, "body 2: its mass is infinite, but it has an acceleration");
    REFUSED(s.body[2].acts = true, ARGUMENT, "body 2: its mass is infinite, but it acts");
    ACCEPTED(s.body[2].sensor = true);
}

TEST(test_slow_bodies)
{
    REFUSED(s.body[3].slow = true, ARGUMENT, "body 3: it is slow, which the acceleration of body 1 does not allow");
    REFUSED(s.body[1].slow = true, ARGUMENT, "body 1: it is slow, which the acceleration of body 1 does not allow");
    REFUSED(s.body[3].slow = true; s.body[1].ay = 0;
            s.desc.advance = CAROM_ADVANCE_ALL, ARGUMENT, "body 3: it is slow, which advance_all does not allow");
    ACCEPTED(s.body[3].slow = true; s.body[1].ay = 0);
    ACCEPTED(s.desc.advance = CAROM_ADVANCE_ALL);
}

TEST(test_box)
{
    REFUSED(s.desc.box.x0 = 10, VALUE, "box: x0 10 is not less than x1 10");
    REFUSED(s.desc.box.y1 = -10.5, VALUE, "box: y0 -10 is not less than y1 -10.5");
    ACCEPTED(s.desc.box.x1 = s.desc.box.x0; s.desc.box.horizontal = CAROM_SIDES_OPEN);
    ACCEPTED(s.desc.box.y1 = s.desc.box.y0; s.desc.box.vertical = CAROM_SIDES_OPEN);
    COORDINATE(s.desc.box.x0, "box: x0");
    COORDINATE(s.desc.box.y0, "box: y0");
    COORDINATE(s.desc.box.x1, "box: x1");
    COORDINATE(s.desc.box.y1, "box: y1");
    REFUSED(s.desc.box.horizontal = CAROM_SIDES_OPEN; s.desc.box.x0 = (double)NAN, VALUE, "box: x0 is not a number");
    SHARE(s.desc.box.restitution, "box: restitution");
    REFUSED(memcpy(&s.desc.box.horizontal, &bad_number, sizeof bad_number), ARGUMENT,
            "box: horizontal sides are of no known kind, 17");
    REFUSED(memcpy(&s.desc.box.vertical, &bad_number, sizeof bad_number), ARGUMENT,
            "box: vertical sides are of no known kind, 17");
}

TEST(test_bodies_in_the_box)
{
    REFUSED(s.body[0].x = -10.25, VALUE, "body 0: x -10.25 is outside the box, -10 to 10");
    REFUSED(s.body[3].y = 11, VALUE, "body 3: y 11 is outside the box, -10 to 10");
    ACCEPTED(s.body[0].x = -10);
    ACCEPTED(s.body[0].x = 10);
    ACCEPTED(s.body[0].y = -10);
    ACCEPTED(s.body[0].y = 10);
    ACCEPTED(s.body[4].x = 1000; s.body[4].y = 1000); /* not active */
    ACCEPTED(s.body[0].x = 1000; s.desc.box.horizontal = CAROM_SIDES_OPEN);
    ACCEPTED(s.body[2].x = 1000);                                                       /* solid sides, but fixed */
    REFUSED(s.body[2].y = 1000, VALUE, "body 2: y 1000 is outside the box, -10 to 10"); /* periodic */
    REFUSED(s.body[1].radius = 10.5, VALUE, "body 1: radius 10.5 is too large for the box, x -10 to 10");
    REFUSED(s.body[4].radius = 10.5, VALUE, "body 4: radius 10.5 is too large for the box, x -10 to 10");
    REFUSED(s.body[2].radius = 10.5, VALUE, "body 2: radius 10.5 is too large for the box, y -10 to 10");
    ACCEPTED(s.body[1].radius = 10);
    /* Bodies that pass solid sides may be beyond them, and larger than the box. */
    ACCEPTED(s.body[0].category = 2; s.body[0].x = -10.25; s.body[0].radius = 10; s.desc.box.mask = 1);
    ACCEPTED(s.body[0].mask = 1; s.body[0].x = -10.25; s.desc.box.category = 2);
    REFUSED(s.body[0].category = 3; s.body[0].x = -10.25;
            s.desc.box.mask = 1, VALUE, "body 0: x -10.25 is outside the box, -10 to 10");
    REFUSED(s.body[0].category = 2; s.body[0].y = 11;
            s.desc.box.mask = 1, VALUE, "body 0: y 11 is outside the box, -10 to 10"); /* periodic */
}

TEST(test_walls)
{
    REFUSED(s.desc.walls = NULL, ARGUMENT, "walls: NULL, though there are 3");
    REFUSED(s.desc.wall_count = UINT32_MAX, ARGUMENT, "walls: 4294967295, at most 1048576");
    COORDINATE(s.wall[2].ax, "wall 2: ax");
    COORDINATE(s.wall[2].ay, "wall 2: ay");
    COORDINATE(s.wall[2].bx, "wall 2: bx");
    COORDINATE(s.wall[2].by, "wall 2: by");
    REFUSED(s.wall[2].bx = s.wall[2].ax, VALUE, "wall 2: both ends are the same point");
    SHARE(s.wall[1].restitution, "wall 1: restitution");
}

TEST(test_polygons)
{
    REFUSED(s.desc.polygons = NULL, ARGUMENT, "polygons: NULL, though there are 2");
    REFUSED(s.desc.polygon_count = CAROM_SCENE_BODIES + 1, ARGUMENT, "polygons: 1048577, at most 1048576");
    REFUSED(s.polygon[1].corners = 2, ARGUMENT, "polygon 1: 2 corners, at least 3");
    REFUSED(s.polygon[1].x = NULL, ARGUMENT, "polygon 1: x: NULL, though there are 5");
    REFUSED(s.polygon[1].y = NULL, ARGUMENT, "polygon 1: y: NULL, though there are 5");
    REFUSED(s.polygon[1].corners = CAROM_SCENE_BODIES + 1, ARGUMENT, "polygon 1: x: 1048577, at most 1048576");
    COORDINATE(s.x[4], "polygon 0: x[4]");
    COORDINATE(s.y[0], "polygon 0: y[0]");
    REFUSED(s.x[2] = s.x[1]; s.y[2] = s.y[1], VALUE, "polygon 0: corners 1 and 2 are the same point (in f32)");
    REFUSED(s.x[2] = s.x[1] + 1e-12; s.y[2] = s.y[1], VALUE, "polygon 0: corners 1 and 2 are the same point (in f32)");
    REFUSED(s.x[4] = s.x[0]; s.y[4] = s.y[0], VALUE, "polygon 0: corners 4 and 0 are the same point (in f32)");
    ACCEPTED(s.x[3] = s.x[0]; s.y[3] = s.y[0]); /* no neighbours */
    SHARE(s.polygon[1].restitution, "polygon 1: restitution");

    enum { LARGE = CAROM_SCENE_BODIES / 2 + 1 };
    FREED double *x = calloc(LARGE, sizeof *x);
    assert_non_null(x);
    for (int k = 0; k < LARGE; k++) {
        x[k] = k % 7;
    }
    REFUSED(s.polygon[0].corners = s.polygon[1].corners = LARGE; s.polygon[0].x = s.polygon[0].y = x;
            s.polygon[1].x = s.polygon[1].y = x, ARGUMENT, "polygon 1: with its corners there are more than 1048576");
}

TEST(test_numbers)
{
    FINITE(s.desc.dt, "dt");
    REFUSED(s.desc.dt = 0, VALUE, "dt 0 is not positive");
    REFUSED(s.desc.dt = -0.1, VALUE, "dt -0.1 is not positive");
    REFUSED(s.desc.speed_limit = (double)NAN, VALUE, "speed_limit is not a number");
    REFUSED(s.desc.speed_limit = -1e-3, VALUE, "speed_limit -0.001 is negative");
    ACCEPTED(s.desc.speed_limit = 3);
    FINITE(s.desc.least_impulse, "least_impulse");
    REFUSED(s.desc.least_impulse = -1, VALUE, "least_impulse -1 is negative");
    FINITE(s.desc.contact_time, "contact_time");
    REFUSED(s.desc.contact_time = -1, VALUE, "contact_time -1 is negative");
    FINITE(s.desc.action_scale, "action_scale");
    REFUSED(s.desc.last_tick = (uint32_t)INT32_MAX + 1, ARGUMENT, "last_tick 2147483648 is more than 2147483647");
    ACCEPTED(s.desc.last_tick = INT32_MAX);
}

TEST(test_choices)
{
    REFUSED(s.desc.solver = CAROM_TOI_NORMALISED, ARGUMENT, "solver: normalised answers another question");
    REFUSED(s.desc.solver = CAROM_TOI_BACKWARD, ARGUMENT, "solver: backward answers another question");
    REFUSED(s.desc.solver = CAROM_TOI_VARIANTS, ARGUMENT, "solver: there is none with number 14");
    REFUSED(s.desc.solver = (carom_toi_variant)((int)CAROM_TOI_HALF_B + (int)CAROM_TOI_BRANCHES), ARGUMENT,
            "solver: half-b/branches is for arrays of pairs only");
    for (int v = 0; v < CAROM_TOI_NORMALISED; v++) {
        ACCEPTED(s.desc.solver = (carom_toi_variant)v);
    }
    REFUSED(memcpy(&s.desc.advance, &bad_number, sizeof bad_number), ARGUMENT, "advance: there is no policy 17");
    REFUSED(memcpy(&s.desc.engine, &bad_number, sizeof bad_number), ARGUMENT, "engine: there is none with number 17");
}

static void no_hook(void *user, const carom_scene_range *range)
{
    (void)user, (void)range;
}

#define MEASURE(measure, name)                                                                                         \
    do {                                                                                                               \
        REFUSED(measure.kind = CAROM_MEASURE_DISTANCE; measure.body = 5, ARGUMENT, name ": there is no body 5");       \
        REFUSED(measure.kind = CAROM_MEASURE_IMPACTS;                                                                  \
                measure.body = UINT32_MAX, ARGUMENT, name ": there is no body 4294967295");                            \
        ACCEPTED(measure.kind = CAROM_MEASURE_DISTANCE; measure.body = 4);                                             \
        COORDINATE(measure.x, name ": x");                                                                             \
        COORDINATE(measure.y, name ": y");                                                                             \
        REFUSED(measure.kind = CAROM_MEASURE_USER, ARGUMENT, name ": it has no hook");                                 \
        ACCEPTED(measure.kind = CAROM_MEASURE_USER; measure.hook = no_hook);                                           \
        REFUSED(memcpy(&measure.kind, &bad_number, sizeof bad_number), ARGUMENT, name ": there is no kind 17");        \
    } while (0)

TEST(test_measures)
{
    MEASURE(s.desc.reward, "reward");
    MEASURE(s.desc.final_value, "final_value");
}

/* Body 3 acts; the box is periodic along y, from -10 to 10. */
TEST(test_lidar)
{
    ACCEPTED(s.desc.lidar.rays = 256; s.desc.lidar.range = 9);
    ACCEPTED(s.desc.lidar.range = -1); /* without rays there is none */
    FINITE(s.desc.lidar.range, "lidar: range");
    FINITE(s.desc.lidar.first, "lidar: first");
    FINITE(s.desc.lidar.step, "lidar: step");
    REFUSED(s.desc.lidar.rays = 257; s.desc.lidar.range = 1, ARGUMENT, "lidar: 257 rays, at most 256");
    REFUSED(s.desc.lidar.rays = 1, VALUE, "lidar: range 0 is not between 0 and 1.07374182e+09");
    REFUSED(s.desc.lidar.rays = 1;
            s.desc.lidar.range = 2e9, VALUE, "lidar: range 2e+09 is not between 0 and 1.07374182e+09");
    REFUSED(s.desc.lidar.rays = 1; s.desc.lidar.range = 9.5, VALUE,
                                   "lidar: range 9.5 is more than half of the periodic box minus a radius, 9");
    ACCEPTED(s.desc.lidar.rays = 1; s.desc.lidar.range = 9.5; s.desc.box.vertical = CAROM_SIDES_OPEN);
    REFUSED(s.desc.lidar.rays = 1; s.desc.lidar.range = 1;
            s.body[3].acts = false, ARGUMENT, "lidar: no body acts, so none can see");
    REFUSED(s.desc.lidar.rays = 1; s.desc.lidar.range = 1;
            s.desc.lidar.first = 7, VALUE, "lidar: the angle first 7 is more than a turn");
    REFUSED(s.desc.lidar.rays = 1; s.desc.lidar.range = 1;
            s.desc.lidar.step = -7, VALUE, "lidar: the angle step -7 is more than a turn");
    ACCEPTED(s.desc.lidar.rays = 1; s.desc.lidar.range = 1; s.desc.lidar.step = -6.2831853);
    REFUSED(many_agents(); s.desc.lidar.rays = 256; s.desc.lidar.range = 0.5;
            s.desc.lidar.tells = UINT32_MAX, ARGUMENT, "lidar: its rays give 75776 numbers, at most 65536");
}

/* The caller's rounding mode changes neither the limits nor how numbers are written. */
TEST(test_rounding)
{
    NOT_ON_WEB(); /* rounds to nearest only */
    const int was = fegetround();
    assert_int_equal(fesetround(FE_UPWARD), 0);
    REFUSED(s.body[3].radius = -0.1, VALUE, "body 3: radius -0.1 is negative");
    REFUSED(s.body[1].damping = 1.1, VALUE, "body 1: damping 1.1 is not in [0, 1]"); /* rounded up: 1.10000001 */
    assert_int_equal(fegetround(), FE_UPWARD);
    fesetround(was);
}
