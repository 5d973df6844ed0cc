/* SPDX-License-Identifier: MIT
 * Scenes as JSON text: reading, every error, round trips to the last bit, randomly damaged texts.
 */
#include "test.h"

#include <fenv.h>
#include <inttypes.h>
#include <locale.h>

static carom_scene *read_text(const char *text)
{
    carom_scene *scene;
    carom_problem problem;
    const carom_status status = carom_scene_read_json(text, strlen(text), &scene, &problem);
    if (status != CAROM_OK) {
        fail_msg("refused: %s\n%s", problem.text, text);
    }
    assert_string_equal(problem.text, "");
    return scene;
}

/* ---- reading ---- */

static const char everything[] =
    "{\"about\": [\"all keys\"],"
    " \"dt\": 0.25, \"speed_limit\": 7.5, \"least_impulse\": 0.125, \"contact_time\": 1e-3, \"max_events\": 99,"
    " \"last_tick\": 123, \"solver\": \"half-b\", \"advance\": \"own_clock\", \"engine\": \"wide\","
    " \"action_scale\": -2, \"user_words\": true,"
    " \"lidar\": {\"rays\": 3, \"range\": 5, \"first\": 0.5, \"step\": -1, \"mask\": 6, \"tells\": 9, \"sensors\": "
    "true},"
    " \"reward\": {\"kind\": \"distance\", \"body\": 1, \"at\": [3, -4]},"
    " \"final_value\": {\"kind\": \"impacts\", \"body\": 2, \"x\": 5, \"y\": 6},"
    " \"box\": {\"about\": 1, \"from\": [-10, -11], \"to\": [12, 13], \"horizontal\": \"solid\","
    "           \"vertical\": \"periodic\", \"restitution\": 0.75},"
    " \"bodies\": ["
    "  {\"x\": 1, \"y\": 2, \"vx\": 3, \"vy\": 4, \"radius\": 0.5, \"mass\": 6, \"restitution\": 0.25,"
    "   \"damping\": 0.0625, \"ax\": 0.5, \"ay\": -9.8, \"category\": 4294967295, \"mask\": 5, \"sensor\": true,"
    "   \"inactive\": true, \"acts\": true, \"user\": -2147483648},"
    "  {\"about\": \"by the key body, but for x\", \"x\": -5},"
    "  {\"mass\": \"infinite\", \"radius\": 1e-1}],"
    " \"body\": {\"x\": 8, \"y\": 9, \"radius\": 2, \"user\": 3},"
    " \"walls\": [{\"a\": [0, 1], \"b\": [2, 3], \"one_sided\": true}, {\"bx\": 7, \"restitution\": 1}],"
    " \"wall\": {\"restitution\": 0.5, \"sensor\": true},"
    " \"polygons\": [{\"corners\": [[0, 1], [2, 3], [4.5, 0]], \"restitution\": 0.5, \"sensor\": true},"
    "                {\"corners\": [[5, 5], [6, 5], [6, 6], [5, 6]]}]}";

TEST(test_reading)
{
    carom_scene *scene = read_text(everything);
    const carom_scene_desc *d = carom_scene_describe(scene);
    assert_true(d->dt == 0.25 && d->speed_limit == 7.5 && d->least_impulse == 0.125 && d->contact_time == 1e-3);
    assert_true(d->max_events == 99 && d->last_tick == 123 && d->solver == CAROM_TOI_HALF_B);
    assert_true(d->advance == CAROM_OWN_CLOCK && carom_scene_engine(scene) == CAROM_ENGINE_WIDE);
    assert_true(d->action_scale == -2 && d->user_words);
    assert_true(d->lidar.rays == 3 && d->lidar.range == 5 && d->lidar.first == 0.5 && d->lidar.step == -1 &&
                d->lidar.mask == 6 && d->lidar.tells == 9 && d->lidar.sensors);
    assert_true(d->reward.kind == CAROM_MEASURE_DISTANCE && d->reward.body == 1 && d->reward.x == 3 &&
                d->reward.y == -4);
    assert_true(d->final_value.kind == CAROM_MEASURE_IMPACTS && d->final_value.body == 2 && d->final_value.x == 5 &&
                d->final_value.y == 6);
    assert_true(d->box.x0 == -10 && d->box.y0 == -11 && d->box.x1 == 12 && d->box.y1 == 13 &&
                d->box.horizontal == CAROM_SIDES_SOLID && d->box.vertical == CAROM_SIDES_PERIODIC &&
                d->box.restitution == 0.75);
    assert_int_equal(d->body_count, 3);
    const carom_scene_body *b = d->bodies;
    assert_true(b->x == 1 && b->y == 2 && b->vx == 3 && b->vy == 4 && b->radius == 0.5 && b->mass == 6 &&
                b->restitution == 0.25 && b->damping == 0.0625 && b->ax == 0.5 && b->ay == -9.8);
    assert_true(b->category == UINT32_MAX && b->mask == 5 && b->sensor && b->inactive && b->acts && !b->slow &&
                b->user == INT32_MIN);
    b++;
    assert_true(b->x == -5 && b->y == 9 && b->vx == 0 && b->radius == 2 && b->mass == 1 && b->restitution == 1 &&
                b->damping == 0 && b->category == 1 && b->mask == UINT32_MAX && !b->sensor && !b->acts && b->user == 3);
    b++;
    assert_true(b->x == 8 && b->y == 9 && isinf(b->mass) && b->radius == 0.1);
    assert_int_equal(d->wall_count, 2);
    const carom_scene_wall *w = d->walls;
    assert_true(w->ax == 0 && w->ay == 1 && w->bx == 2 && w->by == 3 && w->restitution == 0.5 && w->one_sided &&
                w->sensor);
    w++;
    assert_true(w->ax == 0 && w->ay == 0 && w->bx == 7 && w->by == 0 && w->restitution == 1 && !w->one_sided &&
                w->sensor);
    assert_int_equal(d->polygon_count, 2);
    const carom_scene_polygon *p = d->polygons;
    assert_true(p->corners == 3 && p->x[0] == 0 && p->y[0] == 1 && p->x[1] == 2 && p->y[1] == 3 && p->x[2] == 4.5 &&
                p->y[2] == 0 && p->restitution == 0.5 && p->sensor);
    p++;
    assert_true(p->corners == 4 && p->x[2] == 6 && p->y[3] == 6 && p->restitution == 1 && !p->sensor);
    carom_scene_destroy(scene);

    scene = read_text("{\"bodies\": [{}]}");
    d = carom_scene_describe(scene);
    const carom_scene_desc usual = carom_scene_desc_default();
    assert_true(d->dt == usual.dt && isinf(d->speed_limit) && d->solver == CAROM_TOI_FAST &&
                d->box.horizontal == CAROM_SIDES_OPEN && d->wall_count == 0 && d->polygon_count == 0);
    carom_scene_destroy(scene);

    /* Slow bodies; the text ends by its length alone. */
    static const char slow[] = "{\"bodies\": [{\"slow\": true}]}garbage";
    OK(carom_scene_read_json(slow, sizeof slow - 8, &scene, NULL));
    assert_true(carom_scene_describe(scene)->bodies[0].slow);
    carom_scene_destroy(scene);
}

/* ---- complaints ---- */

/* "..." replaces the rest of a sentence. */
static bool fits(const char *sentence, const char *wanted)
{
    const size_t length = strlen(wanted);
    const bool is_open = length >= 3 && strcmp(wanted + length - 3, "...") == 0;
    return is_open ? strncmp(sentence, wanted, length - 3) == 0 : strcmp(sentence, wanted) == 0;
}

static void check_refused(const char *text, carom_status wanted, const char *sentence)
{
    carom_scene *scene = (carom_scene *)(void *)&wanted;
    carom_problem problem;
    memset(&problem, 'x', sizeof problem);
    const carom_status status = carom_scene_read_json(text, strlen(text), &scene, &problem);
    assert_non_null(memchr(problem.text, '\0', sizeof problem.text));
    if (status != wanted || !fits(problem.text, sentence)) {
        fail_msg("%s\nstatus %d, \"%s\", not %d, \"%s\"", text, (int)status, problem.text, (int)wanted, sentence);
    }
    assert_null(scene);
    assert_int_equal(carom_scene_read_json(text, strlen(text), &scene, NULL), wanted);
}

TEST(test_complaints)
{
    static const struct {
        const char *text, *sentence;
    } cases[] = {
        {"", "line 1, column 0: ..."}, /* the rest is Jansson's */
        {"[1, 2]", "an object {...} is expected"},
        {"{\n\"bodies\": [}", "line 2, column 12: ..."},
        {"{\"bodies\": []} x", "line 1, column 16: ..."},
        {"{\"dt\": 1, \"dt\": 2}", "line 1, column 14: ..."},
        {"{\"dt\": 1e999}", "line 1, column 12: ..."},
        {"{\"dt\": NaN}", "line 1, column 10: ..."},
        {"{\"bodys\": []}", "bodys: unknown key"},
        {"{\"size\": 3}", "size: unknown key"},
        {"{\"two\\nlines\\u007f\": 3}", "two?lines?: unknown key"},
        {"{\"dt\": \"1\"}", "dt: a number is expected"},
        {"{\"dt\": null}", "dt: a number is expected"},
        {"{\"speed_limit\": \"finite\"}", "speed_limit: a number or \"infinite\" is expected"},
        {"{\"speed_limit\": true}", "speed_limit: a number is expected"},
        {"{\"max_events\": -1}", "max_events: a whole number from 0 to 4294967295 is expected"},
        {"{\"max_events\": 4294967296}", "max_events: a whole number from 0 to 4294967295 is expected"},
        {"{\"last_tick\": 1.5}", "last_tick: a whole number from 0 to 4294967295 is expected"},
        {"{\"user_words\": 1}", "user_words: true or false is expected"},
        {"{\"advance\": \"clock\"}", "advance: unknown name 'clock' (own_clock, advance_all)"},
        {"{\"engine\": 1}", "engine: a name is expected (auto, wide, deep)"},
        {"{\"solver\": \"magic\"}", "solver: unknown solver 'magic'"},
        {"{\"solver\": 3}", "solver: the name of a solver is expected"},
        {"{\"box\": []}", "box: an object {...} is expected"},
        {"{\"box\": {\"left\": 1}}", "box.left: unknown key"},
        {"{\"box\": {\"from\": 1}}", "box.from: [x, y] is expected"},
        {"{\"box\": {\"from\": [1, 2, 3]}}", "box.from: [x, y] is expected"},
        {"{\"box\": {\"to\": [1, \"2\"]}}", "box.to: [x, y] is expected"},
        {"{\"box\": {\"from\": [1, 2], \"y0\": 2}}", "box.from: it stands for x0 and y0, of which one is given, too"},
        {"{\"box\": {\"vertical\": \"closed\"}}", "box.vertical: unknown name 'closed' (open, solid, periodic)"},
        {"{\"reward\": {\"kind\": \"user\"}}", "reward.kind: unknown name 'user' (none, distance, energy, impacts)"},
        {"{\"final_value\": {\"hook\": 1}}", "final_value.hook: unknown key"},
        {"{\"bodies\": {}}", "bodies: a list [...] is expected"},
        {"{\"bodies\": [{}, 3]}", "bodies[1]: an object {...} is expected"},
        {"{\"bodies\": [{}, {}, {}, {\"radius\": \"1\"}]}", "bodies[3].radius: a number is expected"},
        {"{\"bodies\": [{\"mass\": \"heavy\"}]}", "bodies[0].mass: a number or \"infinite\" is expected"},
        {"{\"bodies\": [{\"user\": 2147483648}]}",
         "bodies[0].user: a whole number from -2147483648 to 2147483647 is expected"},
        {"{\"bodies\": [{}], \"body\": {\"colour\": 1}}", "body.colour: unknown key"},
        {"{\"bodies\": [{}], \"body\": []}", "body: an object {...} is expected"},
        {"{\"bodies\": [{}], \"walls\": [{\"a\": [0, 0], \"b\": [0]}]}", "walls[0].b: [x, y] is expected"},
        {"{\"bodies\": [{}], \"walls\": [{\"ax\": 0, \"a\": [0, 0]}]}",
         "walls[0].a: it stands for ax and ay, of which one is given, too"},
        {"{\"bodies\": [{}], \"polygon\": {}}", "polygon: unknown key"},
        {"{\"bodies\": [{}], \"polygons\": [{}]}", "polygons[0].corners: a list of [x, y] is expected"},
        {"{\"bodies\": [{}], \"polygons\": [{\"corners\": [[0, 0], [1, 0], [2]]}]}",
         "polygons[0].corners[2]: [x, y] is expected"},
    };
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        check_refused(cases[k].text, CAROM_ERROR_FORMAT, cases[k].sentence);
    }
    check_refused("{}", CAROM_ERROR_ARGUMENT, "bodies: there are none");
    check_refused("{\"bodies\": [{}, {\"radius\": -1}]}", CAROM_ERROR_VALUE, "body 1: radius -1 is negative");
    check_refused("{\"bodies\": [{}], \"polygons\": [{\"corners\": []}]}", CAROM_ERROR_ARGUMENT,
                  "polygon 0: 0 corners, at least 3");
    check_refused("{\"bodies\": [{}], \"solver\": \"half-b/branches\"}", CAROM_ERROR_ARGUMENT,
                  "solver: half-b/branches is for arrays of pairs only");
    carom_scene *scene;
    carom_problem problem;
    assert_int_equal(carom_scene_read_json(NULL, 5, &scene, &problem), CAROM_ERROR_ARGUMENT);
    assert_int_equal(carom_scene_read_json(everything, sizeof everything - 1, NULL, &problem), CAROM_ERROR_ARGUMENT);
    assert_int_equal(carom_scene_read_json(NULL, 0, &scene, &problem), CAROM_ERROR_FORMAT);
}

/* Names longer than a sentence are cut. */
TEST(test_long_names)
{
    char text[4096] = "{\"box\": {\"";
    const size_t length = strlen(text);
    memset(text + length, 'n', 3000);
    strcpy(text + length + 3000, "\": 1}}");
    carom_scene *scene;
    carom_problem problem;
    assert_int_equal(carom_scene_read_json(text, strlen(text), &scene, &problem), CAROM_ERROR_FORMAT);
    assert_non_null(memchr(problem.text, '\0', sizeof problem.text));
    assert_int_equal(strncmp(problem.text, "box.nnn", 7), 0);
}

/* ---- round trips ---- */

static uint64_t random_state = 1;

static uint64_t random_bits(void)
{
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    random_state ^= random_state << 17;
    return random_state;
}

/* In [low, high], often a short decimal, an end or -0. */
static double draw(double low, double high)
{
    const uint64_t kind = random_bits() % 8;
    const double value = low + (high - low) * ((double)(random_bits() >> 11) * 0x1p-53);
    if (kind == 0) {
        return random_bits() % 2 ? low : high;
    }
    if (kind == 1) {
        const double whole = (double)(int)value;
        return whole >= low && whole <= high ? whole : value;
    }
    return kind == 2 && low <= 0 && high >= 0 ? -0.0 : value;
}

static bool same(double a, double b)
{
    return memcmp(&a, &b, sizeof a) == 0;
}
#define SAME(member) assert_true(same(a->member, b->member))
#define EQUAL(member) assert_true(a->member == b->member)

static void compare_measures(const carom_scene_measure *a, const carom_scene_measure *b)
{
    EQUAL(kind), EQUAL(body), SAME(x), SAME(y);
}

static void compare(const carom_scene_desc *a, const carom_scene_desc *b)
{
    SAME(dt_spread), EQUAL(varies);
    SAME(dt), SAME(speed_limit), SAME(least_impulse), SAME(contact_time), SAME(action_scale);
    EQUAL(max_events), EQUAL(last_tick), EQUAL(solver), EQUAL(advance), EQUAL(engine), EQUAL(user_words);
    EQUAL(body_count), EQUAL(wall_count), EQUAL(polygon_count);
    SAME(box.x0), SAME(box.y0), SAME(box.x1), SAME(box.y1), SAME(box.restitution);
    EQUAL(box.horizontal), EQUAL(box.vertical), EQUAL(box.category), EQUAL(box.mask);
    EQUAL(lidar.rays), SAME(lidar.range), SAME(lidar.first), SAME(lidar.step), EQUAL(lidar.mask), EQUAL(lidar.tells);
    EQUAL(lidar.sensors);
    compare_measures(&a->reward, &b->reward);
    compare_measures(&a->final_value, &b->final_value);
    for (uint32_t k = 0; k < a->body_count; k++) {
        SAME(bodies[k].x), SAME(bodies[k].y), SAME(bodies[k].vx), SAME(bodies[k].vy), SAME(bodies[k].radius);
        SAME(bodies[k].mass), SAME(bodies[k].restitution), SAME(bodies[k].damping), SAME(bodies[k].ax);
        SAME(bodies[k].radius_spread), SAME(bodies[k].mass_spread), SAME(bodies[k].restitution_spread);
        SAME(bodies[k].damping_spread), SAME(bodies[k].ax_spread), SAME(bodies[k].ay_spread);
        SAME(bodies[k].action_scale), SAME(bodies[k].action_scale_spread);
        SAME(bodies[k].ay), EQUAL(bodies[k].category), EQUAL(bodies[k].mask), EQUAL(bodies[k].sensor);
        EQUAL(bodies[k].slow), EQUAL(bodies[k].inactive), EQUAL(bodies[k].acts), EQUAL(bodies[k].user);
    }
    for (uint32_t k = 0; k < a->wall_count; k++) {
        SAME(walls[k].ax_spread), SAME(walls[k].ay_spread), SAME(walls[k].bx_spread), SAME(walls[k].by_spread);
        SAME(walls[k].ax), SAME(walls[k].ay), SAME(walls[k].bx), SAME(walls[k].by), SAME(walls[k].restitution);
        EQUAL(walls[k].one_sided), EQUAL(walls[k].sensor), EQUAL(walls[k].category), EQUAL(walls[k].mask);
    }
    for (uint32_t k = 0; k < a->polygon_count; k++) {
        EQUAL(polygons[k].corners), SAME(polygons[k].restitution), EQUAL(polygons[k].sensor);
        EQUAL(polygons[k].category), EQUAL(polygons[k].mask);
        SAME(polygons[k].x_spread), SAME(polygons[k].y_spread);
        for (uint32_t c = 0; c < a->polygons[k].corners; c++) {
            SAME(polygons[k].x[c]), SAME(polygons[k].y[c]);
        }
    }
}

static carom_worlds *play(const carom_scene *scene)
{
    carom_worlds *worlds = MAKE_WORLDS(carom_scene_game(scene), .count = 1);
    OK(carom_worlds_step(worlds, carom_scene_describe(scene)->dt, 1));
    return worlds;
}

/* To the library, too: the same bits, and worlds of the one are worlds of the other. */
static void compare_worlds(const carom_scene *a, const carom_scene *b)
{
    OWNED(carom_worlds) *of_a = play(a), *of_b = play(b);
    assert_true(digest_of(of_a) == digest_of(of_b));
    OK(carom_worlds_copy(of_a, NULL, of_b, NULL, 1));
}

/* Reading a written scene gives the same scene, which is written the same. */
static void check_round_trip(const carom_scene *scene)
{
    OWNED_TEXT char *text = NULL, *again = NULL;
    OWNED(carom_scene) *copy = NULL;
    carom_problem problem;
    OK(carom_scene_write_json(scene, &text));
    if (carom_scene_read_json(text, strlen(text), &copy, &problem) != CAROM_OK) {
        fail_msg("refused: %s\n%s", problem.text, text);
    }
    compare(carom_scene_describe(scene), carom_scene_describe(copy));
    OK(carom_scene_write_json(copy, &again));
    assert_string_equal(text, again);
    compare_worlds(scene, copy);
}

#define BODIES 9
#define WALLS 4
#define POLYGONS 3
#define CORNERS 7

static carom_scene *random_scene(void)
{
    carom_scene_desc d = carom_scene_desc_default();
    carom_scene_body bodies[BODIES];
    carom_scene_wall walls[WALLS];
    carom_scene_polygon polygons[POLYGONS];
    double x[POLYGONS][CORNERS], y[POLYGONS][CORNERS];
    const bool slow = random_bits() % 2;
    for (int k = 0; k < BODIES; k++) {
        carom_scene_body b = carom_scene_body_default();
        const bool fixed = random_bits() % 4 == 0;
        b.x = draw(-100, 100), b.y = draw(-100, 100);
        b.vx = fixed ? 0 : draw(-3, 3), b.vy = fixed ? -0.0 : draw(-3, 3);
        b.radius = draw(0, 0.3), b.mass = fixed ? INFINITY : draw(0.1, 9);
        b.restitution = draw(0, 1), b.damping = draw(0, 1);
        b.ax = fixed || slow ? 0 : draw(-1, 1), b.ay = fixed || slow ? 0 : draw(-1, 1);
        b.category = (uint32_t)random_bits(), b.mask = (uint32_t)random_bits(), b.user = (int32_t)random_bits();
        b.sensor = random_bits() % 2, b.slow = slow, b.inactive = random_bits() % 2;
        b.acts = !fixed && random_bits() % 2;
        bodies[k] = b;
    }
    for (int k = 0; k < WALLS; k++) {
        walls[k] = (carom_scene_wall){draw(-90, 90), draw(-90, 90),     draw(91, 92),     draw(-90, 90),
                                      draw(0, 1),    random_bits() % 2, random_bits() % 2};
        walls[k].category = (uint32_t)(random_bits() % 3), walls[k].mask = (uint32_t)(random_bits() % 3);
    }
    for (int p = 0; p < POLYGONS; p++) {
        for (int c = 0; c < CORNERS; c++) {
            x[p][c] = c + draw(-0.4, 0.4), y[p][c] = draw(-90, 90);
        }
        polygons[p] = (carom_scene_polygon){x[p], y[p], 3 + (uint32_t)(random_bits() % (CORNERS - 2)), draw(0, 1),
                                            random_bits() % 2};
        polygons[p].category = (uint32_t)(random_bits() % 3), polygons[p].mask = (uint32_t)random_bits();
    }
    d.bodies = bodies, d.body_count = 1 + (uint32_t)(random_bits() % BODIES);
    d.walls = walls, d.wall_count = (uint32_t)(random_bits() % (WALLS + 1));
    d.polygons = polygons, d.polygon_count = (uint32_t)(random_bits() % (POLYGONS + 1));
    d.box = (carom_scene_box){draw(-200, -100),
                              draw(-200, -100),
                              draw(100, 200),
                              draw(100, 200),
                              (carom_scene_sides)(random_bits() % 3),
                              (carom_scene_sides)(random_bits() % 3),
                              draw(0, 1),
                              (uint32_t)(random_bits() % 3),
                              (uint32_t)(random_bits() % 3)};
    d.dt = draw(0.01, 0.5);
    d.speed_limit = random_bits() % 2 ? INFINITY : draw(0, 9);
    d.least_impulse = draw(0, 0.1), d.contact_time = draw(0, 0.1), d.action_scale = draw(-9, 9);
    d.max_events = (uint32_t)(random_bits() % 2 * (random_bits() % 500));
    d.last_tick = (uint32_t)(random_bits() % 1000);
    d.solver = (carom_toi_variant)(random_bits() % CAROM_TOI_NORMALISED);
    d.advance = slow || random_bits() % 2 ? CAROM_OWN_CLOCK : CAROM_ADVANCE_ALL;
    d.engine = random_bits() % 2 ? CAROM_ENGINE_WIDE : CAROM_ENGINE_AUTO;
    d.user_words = random_bits() % 2;
    d.reward = (carom_scene_measure){(carom_measure_kind)(random_bits() % 4), 0, draw(-9, 9), draw(-9, 9), NULL};
    d.final_value = (carom_scene_measure){(carom_measure_kind)(random_bits() % 4),
                                          (uint32_t)(random_bits() % d.body_count), draw(-9, 9), draw(-9, 9), NULL};
    bool acts = false;
    for (uint32_t k = 0; k < d.body_count; k++) {
        acts = acts || bodies[k].acts;
    }
    if (acts && random_bits() % 2) {
        d.lidar = (carom_scene_lidar){
            1 + (uint32_t)(random_bits() % 9), draw(1, 90),      draw(-6, 6), draw(-6, 6), (uint32_t)random_bits(),
            (uint32_t)random_bits(),           random_bits() % 2};
    }
    carom_scene *scene = make_scene(&d);
    return scene;
}

TEST(test_round_trips)
{
    carom_scene *scene = read_text(everything);
    check_round_trip(scene);
    carom_scene_destroy(scene);
    for (int n = 0; n < 300; n++) {
        scene = random_scene();
        check_round_trip(scene);
        carom_scene_destroy(scene);
    }
}

/* Each key of parameters that may differ by world. */
static const char differing[] =
    "{\n"
    "  \"dt\": 0.5,\n"
    "  \"dt_spread\": 0.25,\n"
    "  \"varies\": [\"radius\", \"damping\", \"walls\", \"there\"],\n"
    "  \"engine\": \"wide\",\n"
    "  \"bodies\": [\n"
    "    {\"x\": 9, \"radius\": 2, \"mass\": 3, \"restitution\": 0.5, \"damping\": 0.5, \"action_scale\": 7, "
    "\"radius_spread\": 1,"
    " \"mass_spread\": 0.125, \"restitution_spread\": 0.375, \"damping_spread\": 0.0625, \"ax_spread\": 4,"
    " \"ay_spread\": 5, \"action_scale_spread\": 6}\n"
    "  ],\n"
    "  \"walls\": [\n"
    "    {\"a\": [0, 0], \"b\": [1, 0], \"ax_spread\": 0.5, \"ay_spread\": 1.5, \"bx_spread\": 2.5,"
    " \"by_spread\": 3.5}\n"
    "  ],\n"
    "  \"polygons\": [\n"
    "    {\"x_spread\": 0.125, \"y_spread\": 0.25, \"corners\": [[0, 0], [1, 0], [1, 2.5]]}\n"
    "  ]\n"
    "}\n";

TEST(test_worlds_that_differ)
{
    OWNED(carom_scene) *scene = read_text(differing);
    const carom_scene_desc *d = carom_scene_describe(scene);
    const carom_scene_body *b = d->bodies;
    const carom_scene_wall *w = d->walls;
    assert_true(d->dt == 0.5 && d->dt_spread == 0.25);
    assert_int_equal(d->varies, CAROM_VARIES_RADIUS | CAROM_VARIES_DAMPING | CAROM_VARIES_WALLS | CAROM_VARIES_THERE);
    assert_true(b->radius_spread == 1 && b->mass_spread == 0.125 && b->restitution_spread == 0.375 &&
                b->damping_spread == 0.0625 && b->ax_spread == 4 && b->ay_spread == 5 && b->action_scale == 7 &&
                b->action_scale_spread == 6);
    assert_true(w->ax_spread == 0.5 && w->ay_spread == 1.5 && w->bx_spread == 2.5 && w->by_spread == 3.5);
    assert_true(d->polygons->x_spread == 0.125 && d->polygons->y_spread == 0.25);
    OWNED_TEXT char *text = NULL;
    OK(carom_scene_write_json(scene, &text));
    assert_string_equal(text, differing);
    check_round_trip(scene);

    /* Each name in the list of what differs is its bit. */
    static const char *const names[] = {"radius",       "mass",  "restitution", "damping", "ax",   "ay",
                                        "action_scale", "walls", "corners",     "dt",      "there"};
    for (size_t k = 0; k < sizeof names / sizeof names[0]; k++) {
        char one[64];
        snprintf(one, sizeof one, "{\"varies\": [\"%s\"], \"bodies\": [{}]}", names[k]);
        OWNED(carom_scene) *of_one = read_text(one);
        assert_int_equal(carom_scene_describe(of_one)->varies, 1u << k);
        check_round_trip(of_one);
    }
    check_refused("{\"varies\": \"radius\"}", CAROM_ERROR_FORMAT, "varies: a list of names is expected");
    check_refused("{\"varies\": [\"radius\", \"size\"]}", CAROM_ERROR_FORMAT, "varies...");
    check_refused("{\"varies\": [3]}", CAROM_ERROR_FORMAT, "varies...");
    check_refused("{\"bodies\": [{\"radius_spread\": true}]}", CAROM_ERROR_FORMAT,
                  "bodies[0].radius_spread: a number is expected");
}

TEST(test_written_text)
{
    OWNED(carom_scene) *scene =
        read_text("{\"engine\": \"wide\", \"solver\": \"pow\", \"reward\": {\"at\": [0, 0.1]},"
                  " \"bodies\": [{\"x\": 0.1, \"mass\": \"infinite\"}, {}], \"walls\": [{\"bx\": 1}],"
                  " \"polygons\": [{\"corners\": [[0, 0], [1, 0], [1, 2.5]]}]}");
    char *text;
    OK(carom_scene_write_json(scene, &text));
    assert_string_equal(text, "{\n"
                              "  \"solver\": \"pow\",\n"
                              "  \"engine\": \"wide\",\n"
                              "  \"reward\": {\"at\": [0, 0.10000000000000001]},\n"
                              "  \"bodies\": [\n"
                              "    {\"x\": 0.10000000000000001, \"mass\": \"infinite\"},\n"
                              "    {}\n"
                              "  ],\n"
                              "  \"walls\": [\n"
                              "    {\"a\": [0, 0], \"b\": [1, 0]}\n"
                              "  ],\n"
                              "  \"polygons\": [\n"
                              "    {\"corners\": [[0, 0], [1, 0], [1, 2.5]]}\n"
                              "  ]\n"
                              "}\n");
    carom_text_free(text);
    carom_text_free(NULL);
    assert_int_equal(carom_scene_write_json(NULL, &text), CAROM_ERROR_ARGUMENT);
    assert_int_equal(carom_scene_write_json(scene, NULL), CAROM_ERROR_ARGUMENT);
}

static void no_hook(void *user, const carom_scene_range *range)
{
    (void)user, (void)range;
}

static void no_response(void *user, size_t count, carom_impact *impacts)
{
    (void)user, (void)count, (void)impacts;
}

TEST(test_hooks_are_not_written)
{
    for (int k = 0; k < 4; k++) {
        const carom_scene_body body = carom_scene_body_default();
        carom_scene_desc d = carom_scene_desc_default();
        d.bodies = &body, d.body_count = 1;
        if (k == 0) {
            d.tick_hook = no_hook;
        } else if (k == 1) {
            d.response_hook = no_response;
        } else {
            carom_scene_measure *m = k == 2 ? &d.reward : &d.final_value;
            m->kind = CAROM_MEASURE_USER;
            m->hook = no_hook;
        }
        char *text = NULL;
        OWNED(carom_scene) *scene = make_scene(&d);
        assert_int_equal(carom_scene_write_json(scene, &text), CAROM_ERROR_ARGUMENT);
        assert_null(text);
    }
}

/* ---- trouble ---- */

/* The caller's rounding and decimal comma are nothing to a text. */
TEST(test_environment)
{
    NOT_ON_WEB(); /* rounds to nearest only */
    OWNED(carom_scene) *plain = random_scene();
    OWNED_TEXT char *wanted = NULL, *found = NULL;
    OK(carom_scene_write_json(plain, &wanted));
    const int was = fegetround();
    (void)setlocale(LC_NUMERIC, "de_DE.UTF-8"); /* where there is one */
    assert_int_equal(fesetround(FE_UPWARD), 0);
    OK(carom_scene_write_json(plain, &found));
    assert_string_equal(found, wanted);
    OWNED(carom_scene) *copy = NULL;
    OK(carom_scene_read_json(wanted, strlen(wanted), &copy, NULL));
    assert_int_equal(fegetround(), FE_UPWARD);
    fesetround(was);
    (void)setlocale(LC_NUMERIC, "C");
    compare(carom_scene_describe(plain), carom_scene_describe(copy));
}

/* A text in which some characters were changed, left out, doubled or moved: it is read or refused, in words. */
TEST(test_damaged_texts)
{
    static const char pieces[] = "{}[],:\"0123456789.-eE \\/\ntrue\xff\xc3";
    carom_scene *scene = random_scene();
    OWNED_TEXT char *good = NULL;
    OK(carom_scene_write_json(scene, &good));
    carom_scene_destroy(scene);
    const char *const texts[] = {everything, good};
    size_t read = 0;
    for (int n = 0; n < 20000; n++) {
        const char *from = texts[n % 2];
        size_t length = strlen(from);
        char *text = malloc(2 * length); /* of this size: a sanitizer detects reads beyond it */
        assert_non_null(text);
        memcpy(text, from, length);
        for (uint64_t changes = 1 + random_bits() % 3; changes > 0; changes--) {
            const size_t at = (size_t)(random_bits() % length);
            const size_t run = 1 + (size_t)(random_bits() % 8), some = run < length - at ? run : length - at;
            switch (random_bits() % 4) {
            case 0:
                text[at] = pieces[random_bits() % (sizeof pieces - 1)];
                break;
            case 1:
                memmove(text + at, text + at + some, length - at - some);
                length -= some < length ? some : 0;
                break;
            case 2:
                if (length + some < 2 * strlen(from)) {
                    memmove(text + at + some, text + at, length - at);
                    length += some;
                }
                break;
            default:
                length = random_bits() % 8 == 0 ? at + 1 : length;
            }
        }
        FREED char *exact = malloc(length);
        assert_non_null(exact);
        memcpy(exact, text, length);
        free(text);
        carom_problem problem;
        const carom_status status = carom_scene_read_json(exact, length, &scene, &problem);
        assert_non_null(memchr(problem.text, '\0', sizeof problem.text));
        assert_true((status == CAROM_OK) == (scene != NULL) && (status == CAROM_OK) == (problem.text[0] == '\0'));
        assert_true(status == CAROM_OK || status == CAROM_ERROR_FORMAT || status == CAROM_ERROR_VALUE ||
                    status == CAROM_ERROR_ARGUMENT);
        assert_null(strchr(problem.text, '\n'));
        read += status == CAROM_OK;
        carom_scene_destroy(scene);
    }
    print_message("%zu of 20000 damaged texts still are scenes\n", read);
    assert_in_range(read, 100, 19000);
}

SET_UP
{
    char *text;
    if (carom_scene_write_json(NULL, &text) == CAROM_ERROR_UNSUPPORTED) {
        puts("this build reads no JSON");
        exit(77);
    }
}
