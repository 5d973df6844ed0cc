/* SPDX-License-Identifier: MIT
 * What worlds look like: for every game and scene the description agrees with the world's fields and its options.
 */
#include "batch.h"
#include "tests/scenes/scene_samples.h"

#define WORLDS 19
#define MOST 4096

static carom_look_body bodies[MOST];
static carom_look_shape shapes[MOST];
static carom_look_number numbers[64];

static carom_worlds *make(const carom_game *game, const void *options, carom_precision precision)
{
    carom_worlds *worlds = MAKE_WORLDS(game, .count = WORLDS, .options = options, .precision = precision, .seed = 3);
    carom_step step = STEP_WITH(.ticks = 20);
    step.players[0].source = step.players[1].source = CAROM_POLICY;
    assert_int_equal(carom_worlds_play(worlds, &step), CAROM_OK);
    return worlds;
}

/* Element of a real field. */
static double real_of(const carom_worlds *worlds, size_t world, const char *name, size_t element)
{
    size_t index;
    carom_field field;
    double values[MOST];
    assert_int_equal(carom_worlds_find_field(worlds, name, &index), CAROM_OK);
    carom_worlds_field(worlds, index, &field);
    assert_true(field.type == CAROM_TYPE_REAL && field.count <= MOST);
    carom_worlds_get(worlds, index, world, 1, values);
    return field.bytes == 8 ? values[element] : (double)((float *)values)[element];
}

static size_t look(const carom_worlds *worlds, size_t world)
{
    size_t count, again;
    assert_int_equal(carom_look_bodies(worlds, world, NULL, 0, &count), CAROM_OK);
    assert_in_range(count, 1, MOST);
    assert_int_equal(carom_look_bodies(worlds, world, bodies, MOST, &again), CAROM_OK);
    assert_int_equal(again, count);
    return count;
}

/* What holds for all. */
static void check(const carom_worlds *worlds, const char *x, double corner)
{
    for (size_t w = 0; w < WORLDS; w += 9) {
        carom_look_view view;
        size_t count, drawn, shown;
        assert_int_equal(carom_look_view_of(worlds, w, &view), CAROM_OK);
        assert_true(view.x0 < view.x1 && view.y0 < view.y1);
        count = look(worlds, w);
        for (size_t k = 0; k < count; k++) {
            const carom_look_body *b = &bodies[k];
            assert_true(b->name != NULL && carom_look_style_name(b->style) != NULL && b->radius >= 0 && b->mass > 0);
            assert_true(b->x == real_of(worlds, w, x, k) + corner * b->radius);
            assert_true(b->y == real_of(worlds, w, x[0] == 'p' ? "py" : "y", k) + corner * b->radius);
        }
        assert_int_equal(carom_look_shapes(worlds, w, shapes, MOST, &drawn), CAROM_OK);
        assert_true(drawn <= MOST);
        for (size_t k = 0; k < drawn; k++) {
            assert_true(isfinite(shapes[k].x) && isfinite(shapes[k].y2) && shapes[k].radius >= 0);
            assert_true((shapes[k].kind == CAROM_LOOK_TEXT) == (shapes[k].text[0] != '\0'));
        }
        assert_int_equal(carom_look_numbers(worlds, w, numbers, 64, &shown), CAROM_OK);
        assert_true(shown <= 64);
        for (size_t k = 0; k < shown; k++) {
            assert_true(numbers[k].name != NULL && isfinite(numbers[k].value));
        }
    }
}

TEST(every_game)
{
    for (size_t g = 0; g < carom_game_count(); g++) {
        for (int f64 = 0; f64 < 2; f64++) {
            OWNED(carom_worlds) *worlds = make(carom_game_at(g), NULL, f64 != 0 ? CAROM_F64 : CAROM_F32);
            const bool stones = strcmp(carom_game_describe(carom_game_at(g)).name, "stones") == 0;
            check(worlds, stones ? "px" : "x", stones ? 1 : 0);
        }
    }
}

TEST(csb_has_its_map)
{
    OWNED(carom_worlds) *worlds = make(carom_game_find("csb"), NULL, CAROM_F64);
    size_t field, count;
    int32_t map, xy[8][2];
    uint32_t n, laps;
    carom_worlds_find_field(worlds, "map", &field);
    carom_worlds_get(worlds, field, 11, 1, &map);
    carom_csb_get_map(worlds, (uint32_t)map, &n, &laps, xy, 8);
    carom_look_shapes(worlds, 11, shapes, MOST, &count);
    assert_int_equal(count, 4 + 2 * n);
    for (uint32_t k = 0; k < n; k++) {
        const carom_look_shape *circle = &shapes[4 + 2 * k];
        assert_true(circle->kind == CAROM_LOOK_CIRCLE && circle->style == CAROM_LOOK_TARGET && circle->radius == 600);
        assert_true(circle->x == xy[k][0] && circle->y == xy[k][1]);
        assert_int_equal(circle[1].text[0], '0' + k);
    }
    assert_int_equal(look(worlds, 11), 4);
    assert_true(bodies[0].style == CAROM_LOOK_FIRST && bodies[3].style == CAROM_LOOK_SECOND && bodies[3].radius == 400);
    assert_true(bodies[2].has_facing && bodies[2].facing == real_of(worlds, 11, "angle", 2) && bodies[2].number == 2);
    assert_true(bodies[1].vx == real_of(worlds, 11, "vx", 1));
}

TEST(options_are_seen)
{
    carom_soccer_options soccer = carom_soccer_options_of(CAROM_SOCCER_ORIGINAL);
    soccer.balls = 2;
    carom_worlds *worlds = make(carom_game_find("soccer"), &soccer, CAROM_F64);
    assert_int_equal(look(worlds, 0), 12);
    assert_true(bodies[4].style == CAROM_LOOK_FIRST && bodies[5].style == CAROM_LOOK_SECOND);
    assert_true(bodies[10].style == CAROM_LOOK_BALL && bodies[10].radius == soccer.ball_radius &&
                !bodies[10].has_facing);
    assert_string_equal(bodies[11].name, "ball");
    assert_int_equal(bodies[11].number, 1);
    carom_look_view view;
    carom_look_view_of(worlds, 0, &view);
    assert_true(view.x1 > 2 && view.x1 < 2.5);
    carom_worlds_destroy(worlds);
    carom_stones_options stones = carom_stones_options_default();
    stones.stones = 5;
    stones.ring = 0;
    worlds = make(carom_game_find("stones"), &stones, CAROM_F32);
    size_t count;
    assert_int_equal(look(worlds, 3), 5);
    assert_true(bodies[0].radius == 20 && bodies[0].there);
    carom_look_shapes(worlds, 3, NULL, 0, &count);
    assert_int_equal(count, 0);
    carom_worlds_destroy(worlds);
    worlds = make(carom_game_find("fall"), NULL, CAROM_F64);
    assert_int_equal(look(worlds, 3), 4);
    assert_int_equal(bodies[0].id, 4); /* after four boxes */
    assert_true(bodies[0].style == CAROM_LOOK_FIRST && bodies[1].style == CAROM_LOOK_PLAIN && bodies[0].radius == 0.05);
    carom_look_shapes(worlds, 3, shapes, MOST, &count);
    assert_int_equal(count, 16);
    carom_worlds_destroy(worlds);
}

/* Where worlds of a scene differ, each is drawn with its own numbers. */
TEST(worlds_that_differ)
{
    const carom_scene_body body = {.radius = 1, .mass = 1, .restitution = 1, .category = 1, .mask = 1};
    const carom_scene_wall walls[2] = {{.ax = -9, .ay = 5, .bx = 9, .by = 5}, {.ax = -9, .ay = -5, .bx = 9, .by = -5}};
    const double x[3] = {20, 22, 21}, y[3] = {0, 0, 2};
    const carom_scene_polygon polygons[2] = {{.x = x, .y = y, .corners = 3}, {.x = y, .y = x, .corners = 3}};
    carom_scene_desc desc = carom_scene_desc_default();
    desc.bodies = &body, desc.body_count = 1;
    desc.walls = walls, desc.wall_count = 2;
    desc.polygons = polygons, desc.polygon_count = 2;
    desc.varies = CAROM_VARIES_RADIUS | CAROM_VARIES_WALLS | CAROM_VARIES_CORNERS | CAROM_VARIES_THERE;
    carom_scene *scene;
    assert_int_equal(carom_scene_create(&desc, &scene, NULL), CAROM_OK);
    carom_worlds *worlds = make(carom_scene_game(scene), NULL, CAROM_F64);

    const struct {
        const char *name;
        const void *values;
    } own[] = {{"radius", (const double[]){2.5}},
               {"wall_ay", (const double[]){3, -3}},
               {"corner_x", (const double[]){20, 22, 21, 0, 7, 2}},
               {"wall_there", (const int8_t[]){0, 1}},
               {"polygon_there", (const int8_t[]){0, 1}}};
    for (size_t k = 0; k < sizeof own / sizeof own[0]; k++) {
        size_t index;
        assert_int_equal(carom_worlds_find_field(worlds, own[k].name, &index), CAROM_OK);
        assert_int_equal(carom_worlds_set(worlds, index, 17, 1, own[k].values), CAROM_OK);
    }

    size_t count;
    assert_int_equal(look(worlds, 16), 1);
    assert_true(bodies[0].radius == 1);
    assert_int_equal(carom_look_shapes(worlds, 16, shapes, MOST, &count), CAROM_OK);
    assert_int_equal(count, 8);
    assert_true(shapes[0].y == 5 && shapes[1].y == -5);
    assert_int_equal(look(worlds, 17), 1);
    assert_true(bodies[0].radius == 2.5);
    assert_int_equal(carom_look_shapes(worlds, 17, shapes, MOST, &count), CAROM_OK);
    assert_int_equal(count, 4);
    assert_true(shapes[0].y == -3 && shapes[0].y2 == -5 && shapes[0].x2 == 9);
    assert_true(shapes[1].x == 0 && shapes[1].x2 == 7 && shapes[2].x == 7 && shapes[3].x == 2 && shapes[3].x2 == 0);
    assert_true(shapes[1].y == 20 && shapes[1].y2 == 22);
    carom_worlds_destroy(worlds);
    carom_scene_destroy(scene);
}

static carom_look_view view_of(const carom_worlds *worlds, size_t world)
{
    carom_look_view view;
    assert_int_equal(carom_look_view_of(worlds, world, &view), CAROM_OK);
    return view;
}

/* How bodies move in a tick: its length, their accelerations, and sides at which they come in again. */
TEST(motion_in_a_tick)
{
    static const struct {
        const char *name;
        double dt;
    } games[] = {{"csb", 1}, {"fantastic_bits", 1}, {"soccer", 1 / 60.0}, {"stones", 1}, {"fall", 0.01}};
    for (size_t g = 0; g < sizeof games / sizeof games[0]; g++) {
        OWNED(carom_worlds) *worlds = make(carom_game_find(games[g].name), NULL, CAROM_F64);
        const carom_look_view view = view_of(worlds, 7);
        assert_true(view.dt == games[g].dt && view.wrap_x == 0 && view.wrap_y == 0);
        const size_t count = look(worlds, 7);
        for (size_t k = 0; k < count; k++) {
            assert_true(bodies[k].ax == 0 && bodies[k].ay == (strcmp(games[g].name, "fall") == 0 ? -9.81 : 0));
        }
    }

    const carom_scene_body of[2] = {{.radius = 1, .mass = 1, .ax = 3, .ay = -4, .category = 1, .mask = 1},
                                    {.x = 5, .radius = 1, .mass = 1, .category = 1, .mask = 1}};
    carom_scene_desc desc = carom_scene_desc_default();
    desc.bodies = of, desc.body_count = 2;
    desc.box = (carom_scene_box){.x0 = -10, .x1 = 20, .y0 = -7, .y1 = 8, .vertical = CAROM_SIDES_PERIODIC};
    desc.dt = 0.25;
    desc.varies = CAROM_VARIES_AY | CAROM_VARIES_DT;
    OWNED(carom_scene) *scene = make_scene(&desc);
    OWNED(carom_worlds) *worlds = make(carom_scene_game(scene), NULL, CAROM_F64);
    size_t ay, dt;
    carom_worlds_find_field(worlds, "ay", &ay);
    carom_worlds_find_field(worlds, "dt", &dt);
    assert_int_equal(carom_worlds_set(worlds, ay, 17, 1, (const double[]){7, 8}), CAROM_OK);
    assert_int_equal(carom_worlds_set(worlds, dt, 17, 1, (const double[]){0.5}), CAROM_OK);

    const carom_look_view plain = view_of(worlds, 16), own = view_of(worlds, 17);
    assert_true(plain.dt == 0.25 && own.dt == 0.5);
    assert_true(plain.wrap_x == 0 && plain.wrap_y == 15 && fabs((plain.y0 + plain.y1) / 2 - 0.5) < 1e-12);
    look(worlds, 16);
    assert_true(bodies[0].ax == 3 && bodies[0].ay == -4 && bodies[1].ay == 0);
    look(worlds, 17);
    assert_true(bodies[0].ax == 3 && bodies[0].ay == 7 && bodies[1].ay == 8);
}

/* Snaffles in a goal, stones beyond the ring, bodies that are not active: not there. */
TEST(who_is_not_there)
{
    OWNED(carom_worlds) *worlds = make(carom_game_find("fantastic_bits"), NULL, CAROM_F64);
    int8_t alive[7];
    size_t field;
    carom_worlds_find_field(worlds, "alive", &field);
    carom_worlds_get(worlds, field, 2, 1, alive);
    alive[3] = 0;
    assert_int_equal(carom_worlds_set(worlds, field, 2, 1, alive), CAROM_OK);
    assert_int_equal(look(worlds, 2), 13);
    for (size_t k = 0; k < 13; k++) {
        assert_int_equal(bodies[k].there, k < 4 || k > 10 || alive[k - 4] != 0);
    }
    assert_false(bodies[7].there);
}

TEST(a_scene)
{
    const double px[3] = {5, 6, 6}, py[3] = {0, 0, 1};
    const carom_scene_polygon polygon = {px, py, 3, 1, true};
    const carom_scene_wall wall = {0, -1, 4, -1, 1, false, false};
    carom_scene_body of[4] = {carom_scene_body_default(), carom_scene_body_default(), carom_scene_body_default(),
                              carom_scene_body_default()};
    carom_scene_desc desc = carom_scene_desc_default();
    of[0].acts = true;
    of[1].x = 3, of[1].mass = (double)INFINITY;
    of[2].y = 4, of[2].sensor = true;
    of[3].y = 9, of[3].inactive = true, of[3].radius = 0.5;
    desc.bodies = of, desc.body_count = 4;
    desc.walls = &wall, desc.wall_count = 1;
    desc.polygons = &polygon, desc.polygon_count = 1;
    desc.box.x0 = -2, desc.box.x1 = 8, desc.box.horizontal = CAROM_SIDES_SOLID;
    OWNED(carom_scene) *scene = make_scene(&desc);
    OWNED(carom_worlds) *worlds = make(carom_scene_game(scene), NULL, CAROM_F64);
    check(worlds, "x", 0);
    static const carom_look_style styles[] = {CAROM_LOOK_FIRST, CAROM_LOOK_FIXED, CAROM_LOOK_SENSOR, CAROM_LOOK_PLAIN};
    assert_int_equal(look(worlds, 0), 4);
    for (int k = 0; k < 4; k++) {
        assert_int_equal(bodies[k].style, styles[k]);
        assert_int_equal(bodies[k].there, k != 3);
    }
    assert_true(bodies[3].radius == 0.5 && isinf(bodies[1].mass));
    size_t count;
    carom_look_shapes(worlds, 0, shapes, MOST, &count);
    assert_int_equal(count, 2 + 1 + 3);
    assert_true(shapes[2].style == CAROM_LOOK_WALL && shapes[2].x2 == 4);
    assert_true(shapes[5].style == CAROM_LOOK_SENSOR && shapes[5].x2 == 5 && shapes[5].y2 == 0);
    carom_look_view view;
    carom_look_view_of(worlds, 0, &view);
    assert_true(view.x0 < -2 && view.x0 > -3 && view.y1 > 9.5 && view.y1 < 10.5);
}

TEST(arguments)
{
    OWNED(carom_worlds) *worlds = make(carom_game_find("csb"), NULL, CAROM_F64);
    carom_look_view view;
    size_t count;
    assert_int_equal(carom_look_view_of(NULL, 0, &view), CAROM_ERROR_ARGUMENT);
    assert_int_equal(carom_look_view_of(worlds, WORLDS, &view), CAROM_ERROR_ARGUMENT);
    assert_int_equal(carom_look_bodies(worlds, 0, NULL, 1, &count), CAROM_ERROR_ARGUMENT);
    assert_int_equal(carom_look_bodies(worlds, 0, bodies, 1, NULL), CAROM_ERROR_ARGUMENT);
    assert_int_equal(carom_look_shapes(worlds, WORLDS, shapes, 1, &count), CAROM_ERROR_ARGUMENT);
    assert_int_equal(carom_look_numbers(worlds, 0, NULL, 1, &count), CAROM_ERROR_ARGUMENT);
    bodies[1].x = 77;
    assert_int_equal(carom_look_bodies(worlds, 0, bodies, 1, &count), CAROM_OK);
    assert_true(count == 4 && bodies[1].x == 77);
    assert_null(carom_look_style_name(CAROM_LOOK_STYLES));
}
