/* SPDX-License-Identifier: MIT
 * Scenes as objects and their worlds as states: copies and descriptions, the field table, valid values of fields,
 * copies, saves and hashes, the ends of games. test_scene_play.c tests ticks.
 */
#define CAROM_ISA_SCALAR CAROM_ISA_SCALAR
#define CAROM_REAL_BITS 64

#include "scene_batch.h"

#include "scenes/frozen.h"
#include "scenes/scenes.h"

#define BODIES 3
#define WORLDS 19

/* Three bodies in a walled box: one acts, one is fixed, one is not active. */
typedef struct table {
    carom_scene_desc desc;
    carom_scene_body bodies[BODIES];
} table;

static void set_table(table *t)
{
    t->desc = carom_scene_desc_default();
    t->bodies[0] = body_at(2, 3, 0.5, 0.25, 0.5, 1);
    t->bodies[1] = body_at(8, 4, 0, 0, 1, INFINITY);
    t->bodies[2] = body_at(12, 5, -1, 0, 0.5, 2);
    t->bodies[0].acts = true;
    t->bodies[2].inactive = true;
    for (int i = 0; i < BODIES; i++)
        t->bodies[i].user = 7 * i - 3;
    t->desc.bodies = t->bodies;
    t->desc.body_count = BODIES;
    t->desc.box = (carom_scene_box){0, 0, 16, 9, CAROM_SIDES_SOLID, CAROM_SIDES_SOLID, 1};
    t->desc.user_words = true;
}

static carom_scene *make_table(void)
{
    table t;
    set_table(&t);
    return make_scene(&t.desc);
}

static carom_worlds *worlds_of(const carom_scene *scene, carom_precision precision)
{
    return scene_worlds(scene, WORLDS, precision, CAROM_ISA_DEFAULT, 2);
}

/* ---- the object ---- */

TEST(test_object)
{
    table t;
    carom_scene *scene = NULL;
    carom_problem problem;
    const double x[] = {1, 2, 2}, y[] = {1, 1, 2};
    double corner_x[3], corner_y[3];
    carom_scene_wall wall = {0, 0, 1, 1, 0.5, true, false};
    memcpy(corner_x, x, sizeof x);
    memcpy(corner_y, y, sizeof y);
    carom_scene_polygon polygon = {corner_x, corner_y, 3, 0.25, true};
    set_table(&t);
    t.desc.walls = &wall;
    t.desc.wall_count = 1;
    t.desc.polygons = &polygon;
    t.desc.polygon_count = 1;
    assert_int_equal(carom_scene_create(&t.desc, NULL, &problem), CAROM_ERROR_ARGUMENT);
    assert_int_equal(carom_scene_create(NULL, &scene, NULL), CAROM_ERROR_ARGUMENT);
    assert_null(scene);
    scene = make_scene(&t.desc);
    assert_string_equal(problem.text, "");
    /* no pointer of the caller is kept */
    memset(t.bodies, 0xff, sizeof t.bodies);
    memset(&wall, 0xff, sizeof wall);
    memset(&polygon, 0xff, sizeof polygon);
    memset(corner_x, 0xff, sizeof corner_x);
    const carom_scene_desc *desc = carom_scene_describe(scene);
    assert_true(desc->body_count == BODIES && desc->bodies[0].vx == 0.5 && desc->bodies[2].inactive);
    assert_true(desc->wall_count == 1 && desc->walls[0].one_sided && desc->walls[0].restitution == 0.5);
    assert_true(desc->polygon_count == 1 && desc->polygons[0].corners == 3 && desc->polygons[0].sensor);
    assert_memory_equal(desc->polygons[0].x, x, sizeof x);
    assert_memory_equal(desc->polygons[0].y, y, sizeof y);
    assert_int_equal(carom_scene_engine(scene), CAROM_ENGINE_WIDE);
    assert_int_equal(desc->engine, CAROM_ENGINE_WIDE);
    carom_scene_destroy(scene);
    carom_scene_destroy(NULL);
    assert_null(carom_scene_game(NULL));
    assert_null(carom_scene_describe(NULL));
}

/* Which engine a scene uses is the caller's choice, or that of the number of bodies; records do not depend on it. */
TEST(test_engines)
{
    static carom_scene_body many[CAROM_SCENE_CROSSOVER];
    carom_worlds *worlds[2];
    carom_scene *scenes[2];
    for (int k = 0; k < 2; k++) {
        table t;
        set_table(&t);
        t.desc.engine = k == 0 ? CAROM_ENGINE_WIDE : CAROM_ENGINE_DEEP;
        scenes[k] = make_scene(&t.desc);
        assert_int_equal(carom_scene_engine(scenes[k]), t.desc.engine);
        worlds[k] = worlds_of(scenes[k], CAROM_F64);
    }
    must(carom_worlds_fork(worlds[0], 0, WORLDS, worlds[1], 2), "carom_worlds_fork");
    for (int k = 0; k < 2; k++) {
        carom_worlds_destroy(worlds[k]);
        carom_scene_destroy(scenes[k]);
    }
    for (uint32_t n = CAROM_SCENE_CROSSOVER - 1; n <= CAROM_SCENE_CROSSOVER; n++) {
        carom_scene_desc desc = carom_scene_desc_default();
        for (uint32_t i = 0; i < n; i++)
            many[i] = body_at(3 * i, 0, 0, 0, 1, 1);
        desc.bodies = many;
        desc.body_count = n;
        OWNED(carom_scene) *scene = make_scene(&desc);
        assert_int_equal(carom_scene_engine(scene), n < CAROM_SCENE_CROSSOVER ? CAROM_ENGINE_WIDE : CAROM_ENGINE_DEEP);
        assert_int_equal(scene->engines[0], CAROM_ENGINE_WIDE); /* f32 goes over later */
    }
    static carom_scene_wall walls[2 * CAROM_SCENE_CROSSOVER];
    for (uint32_t n = 0; n < 2 * CAROM_SCENE_CROSSOVER; n++) {
        walls[n] = (carom_scene_wall){3 * n, 9, 3 * n + 1, 9, 1, false, false};
    }
    for (uint32_t half = 0; half < 2; half++) { /* f32, f64: in f64 a wall counts half */
        carom_scene_desc desc = carom_scene_desc_default();
        desc.bodies = many;
        desc.walls = walls;
        for (int deep = 0; deep < 2; deep++) {
            desc.body_count = CAROM_SCENE_CROSSOVER / 2;
            desc.wall_count = CAROM_SCENE_CROSSOVER * (half != 0 ? 2 : 3) / 2 - (deep == 0 ? 1 : 0);
            OWNED(carom_scene) *scene = make_scene(&desc);
            assert_int_equal(scene->engines[half], deep != 0 ? CAROM_ENGINE_DEEP : CAROM_ENGINE_WIDE);
            assert_int_equal(carom_scene_engine(scene), scene->engines[1]);
        }
    }
}

TEST(test_refused)
{
    table t;
    carom_problem problem;
    set_table(&t);
    t.bodies[1].radius = -1;
    carom_scene *scene = (carom_scene *)(void *)&t; /* becomes NULL */
    assert_int_equal(carom_scene_create(&t.desc, &scene, &problem), CAROM_ERROR_VALUE);
    assert_null(scene);
    assert_string_equal(problem.text, "body 1: radius -1 is negative");
    assert_int_equal(carom_scene_create(&t.desc, &scene, NULL), CAROM_ERROR_VALUE);
}

TEST(test_game)
{
    OWNED(carom_scene) *scene = make_table();
    const carom_game *game = carom_scene_game(scene);
    const carom_game_info info = carom_game_describe(game);
    assert_string_equal(info.name, "scene");
    assert_true(info.players == 1 && info.bodies == BODIES && info.observation_size == 4 * BODIES);
    assert_int_equal(info.max_events, 1000000 + 1000 * BODIES);
    static const char *const names[] = {"normalised", "impulse", "velocity"};
    assert_int_equal(info.action_kinds, 3);
    for (size_t k = 0; k < 3; k++) {
        carom_action_kind kind;
        must(carom_game_action_kind(game, k, &kind), "carom_game_action_kind");
        assert_string_equal(kind.name, names[k]);
        assert_int_equal(kind.size, 2);
        assert_int_equal(kind.precision, k == 0 ? CAROM_F32 : CAROM_F64);
    }
    assert_string_equal(carom_game_policy_name(game, 0), "still");
    assert_string_equal(carom_game_policy_name(game, 1), "random");
    assert_null(carom_game_policy_name(game, 2));
}

TEST(test_policies)
{
    table t;
    set_table(&t);
    t.desc.action_scale = 8;
    OWNED(carom_scene) *scene = make_scene(&t.desc);
    OWNED(carom_worlds) *worlds = worlds_of(scene, CAROM_F32);
    float few[WORLDS][2];
    double many[WORLDS][2];
    for (size_t k = 0; k < 3; k++) {
        void *numbers = k == 0 ? (void *)few : (void *)many;
        must(carom_worlds_policy(worlds, 0, k, numbers), "carom_worlds_policy");
        for (size_t w = 0; w < WORLDS; w++)
            for (int d = 0; d < 2; d++)
                assert_true(k == 0 ? few[w][d] == 0 : many[w][d] == 0);
        must(carom_worlds_policy(worlds, 1, k, numbers), "carom_worlds_policy");
        double least = 9, most = -9;
        for (size_t w = 0; w < WORLDS; w++) {
            const double a = k == 0 ? (double)few[w][0] : many[w][0];
            least = a < least ? a : least;
            most = a > most ? a : most;
        }
        const double size = k == 0 ? 1 : 8;
        assert_true(least >= -size && least < -0.4 * size && most < size && most > 0.4 * size);
    }
}

/* ---- fields ---- */

static uint32_t offset_of(const carom_worlds *worlds, const char *name)
{
    carom_field field;
    must(carom_worlds_field(worlds, field_index(worlds, name), &field), name);
    return field.offset;
}

/* Kernels and `worlds` agree on where fields are. */
TEST(test_offsets)
{
    for (uint32_t bodies = 1; bodies <= BODIES; bodies++) {
        for (int words = 0; words < 2; words++) {
            table t;
            set_table(&t);
            t.desc.body_count = bodies;
            t.desc.user_words = words != 0;
            OWNED(carom_scene) *scene = make_scene(&t.desc);
            OWNED(carom_worlds) *worlds = worlds_of(scene, CAROM_F64);
            const scene_frozen *frozen = (const scene_frozen *)scene->frozen[1];
            const size_t offsets[] = {frozen->x,     frozen->y,       frozen->vx,    frozen->vy,
                                      frozen->id,    frozen->episode, frozen->tick,  frozen->end,
                                      frozen->fault, frozen->frozen,  frozen->active};
            static const char *const names[] = {"x",    "y",   "vx",    "vy",     "id",    "episode",
                                                "tick", "end", "fault", "frozen", "active"};
            for (size_t k = 0; k < sizeof names / sizeof names[0]; k++)
                assert_int_equal(offset_of(worlds, names[k]), offsets[k]);
            size_t index;
            if (words != 0)
                assert_int_equal(offset_of(worlds, "user"), frozen->user);
            else
                assert_int_equal(carom_worlds_find_field(worlds, "user", &index), CAROM_ERROR_ARGUMENT);
        }
    }
}

/* An element of a field in place, as a double. */
static double viewed(const carom_worlds *worlds, const char *name, size_t world, size_t element)
{
    carom_view view;
    must(carom_worlds_view(worlds, field_index(worlds, name), &view), name);
    const unsigned char *at = (const unsigned char *)view.data + world / view.lanes * view.tile_stride +
                              element * view.element_stride + world % view.lanes * view.lane_stride;
    double wide;
    float narrow;
    int32_t word;
    switch (view.type) {
    case CAROM_TYPE_REAL:
        if (view.lane_stride == sizeof wide) {
            memcpy(&wide, at, sizeof wide);
            return wide;
        }
        memcpy(&narrow, at, sizeof narrow);
        return (double)narrow;
    case CAROM_TYPE_INT32:
        memcpy(&word, at, sizeof word);
        return word;
    default:
        return *(const int8_t *)at;
    }
}

/* Every world starts as described; views and carom_worlds_get() agree. */
TEST(test_start)
{
    OWNED(carom_scene) *scene = make_table();
    const carom_scene_body *body = carom_scene_describe(scene)->bodies;
    for (int bits = 32; bits <= 64; bits += 32) {
        OWNED(carom_worlds) *worlds = worlds_of(scene, (carom_precision)bits);
        OWNED(scene_state) s = scene_state_new(BODIES);
        for (size_t w = 0; w < WORLDS; w++) {
            scene_get(worlds, w, &s);
            for (size_t i = 0; i < BODIES; i++) {
                const double numbers[] = {body[i].x, body[i].y, body[i].vx, body[i].vy};
                for (size_t f = 0; f < 4; f++) {
                    assert_true(s.number[f * BODIES + i] == numbers[f]);
                    assert_true(viewed(worlds, scene_numbers[f], w, i) == numbers[f]);
                }
                assert_int_equal(s.active[i], !body[i].inactive);
                assert_true(viewed(worlds, "active", w, i) == !body[i].inactive);
                assert_true(viewed(worlds, "user", w, i) == body[i].user);
            }
            assert_true(viewed(worlds, "id", w, 0) == (double)w && viewed(worlds, "tick", w, 0) == 0);
        }
    }
}

/* A value set to one body of world 5, and the result. */
static void assert_set(carom_worlds *worlds, const char *name, uint32_t body, double value, carom_status expected)
{
    OWNED(scene_state) before = scene_state_new(BODIES), after = scene_state_new(BODIES);
    const bool wide = carom_worlds_describe(worlds).precision == CAROM_F64;
    double numbers[BODIES];
    float narrow[BODIES];
    scene_get(worlds, 5, &before);
    get_field(worlds, name, 5, 1, wide ? (void *)numbers : narrow);
    numbers[body] = value;
    narrow[body] = (float)value;
    assert_int_equal(carom_worlds_set(worlds, field_index(worlds, name), 5, 1, wide ? (void *)numbers : narrow),
                     expected);
    scene_get(worlds, 5, &after);
    if (expected != CAROM_OK)
        assert_memory_equal(after.number, before.number, 4 * BODIES * sizeof(double));
    else
        assert_true(viewed(worlds, name, 5, body) == (wide ? value : (double)(float)value));
}

TEST(test_set)
{
    OWNED(carom_scene) *scene = make_table();
    for (int bits = 32; bits <= 64; bits += 32) {
        OWNED(carom_worlds) *worlds = worlds_of(scene, (carom_precision)bits);
        const double range = bits == 32 ? CAROM_SCENE_RANGE_F32 : CAROM_SCENE_RANGE_F64;
        for (size_t f = 0; f < 4; f++) {
            for (uint32_t body = 0; body < BODIES; body++) { /* active or not */
                assert_set(worlds, scene_numbers[f], body, NAN, CAROM_ERROR_VALUE);
                assert_set(worlds, scene_numbers[f], body, INFINITY, CAROM_ERROR_VALUE);
                assert_set(worlds, scene_numbers[f], body, -INFINITY, CAROM_ERROR_VALUE);
            }
        }
        assert_set(worlds, "x", 0, range, CAROM_OK);
        assert_set(worlds, "x", 0, -range, CAROM_OK);
        assert_set(worlds, "x", 2, range * 1.0001, CAROM_ERROR_VALUE);
        assert_set(worlds, "y", 0, -range * 1.0001, CAROM_ERROR_VALUE);
        assert_set(worlds, "vx", 0, range * 1.0001, CAROM_OK);
        assert_set(worlds, "vy", 1, 1e-30, CAROM_ERROR_VALUE); /* fixed */
        assert_set(worlds, "vy", 1, -0.0, CAROM_OK);
        const int8_t wrong[BODIES] = {1, 1, 2}, negative[BODIES] = {-1, 1, 1}, right[BODIES] = {0, 1, 1};
        const size_t active = field_index(worlds, "active");
        assert_int_equal(carom_worlds_set(worlds, active, 5, 1, wrong), CAROM_ERROR_VALUE);
        assert_int_equal(carom_worlds_set(worlds, active, 5, 1, negative), CAROM_ERROR_VALUE);
        assert_int_equal(carom_worlds_set(worlds, active, 5, 1, right), CAROM_OK);
        const int32_t user[BODIES] = {INT32_MIN, 0, INT32_MAX};
        set_field(worlds, "user", 5, 1, user);
    }
}

/* A centre stays in a periodic box, unless the body is not active. */
TEST(test_set_periodic)
{
    table t;
    set_table(&t);
    t.desc.box.horizontal = CAROM_SIDES_PERIODIC;
    OWNED(carom_scene) *scene = make_scene(&t.desc);
    OWNED(carom_worlds) *worlds = worlds_of(scene, CAROM_F64);
    assert_set(worlds, "x", 0, 16, CAROM_OK);
    assert_set(worlds, "x", 0, 0, CAROM_OK);
    assert_set(worlds, "x", 0, nextafter(16, 17), CAROM_ERROR_VALUE);
    assert_set(worlds, "x", 0, -1e-300, CAROM_ERROR_VALUE);
    assert_set(worlds, "y", 0, 20, CAROM_OK); /* solid sides are no matter of the centre */
    assert_set(worlds, "x", 2, 20, CAROM_OK);
    const int8_t all[BODIES] = {1, 1, 1};
    assert_int_equal(carom_worlds_set(worlds, field_index(worlds, "active"), 5, 1, all), CAROM_ERROR_VALUE);
}

/* What only f64 can hold. */
TEST(test_too_far_for_f32)
{
    for (int what = 0; what < 3; what++) {
        table t;
        set_table(&t);
        t.desc.box.horizontal = t.desc.box.vertical = CAROM_SIDES_OPEN;
        if (what < 2)
            *(what == 0 ? &t.bodies[0].x : &t.bodies[2].y) = 2 * CAROM_SCENE_RANGE_F32;
        else
            t.bodies[0].vx = 1e200;
        OWNED(carom_scene) *scene = make_scene(&t.desc);
        carom_worlds *worlds;
        carom_worlds_desc desc = WORLDS_DESC(carom_scene_game(scene), .precision = CAROM_F32);
        assert_int_equal(carom_worlds_create(&desc, &worlds), CAROM_ERROR_VALUE);
        desc.precision = CAROM_F64;
        assert_int_equal(carom_worlds_create(&desc, &worlds), CAROM_OK);
        carom_worlds_destroy(worlds);
        desc.options = &t; /* a scene has none */
        assert_int_equal(carom_worlds_create(&desc, &worlds), CAROM_ERROR_ARGUMENT);
        assert_int_equal(carom_worlds_bytes(&desc), 0);
    }
}

/* ---- copies ---- */

static uint64_t hash_of(const carom_worlds *worlds, size_t world)
{
    uint64_t hash;
    must(carom_worlds_hash(worlds, world, 1, &hash), "carom_worlds_hash");
    return hash;
}

/* Worlds that differ: world w has been pushed w times as far. */
static void stir(carom_worlds *worlds)
{
    double pushes[WORLDS][2];
    for (size_t w = 0; w < WORLDS; w++) {
        pushes[w][0] = 0.1 * (double)w;
        pushes[w][1] = -0.05 * (double)w;
    }
    PLAY(worlds, .action_kind = find_kind(carom_worlds_describe(worlds).game, "impulse"), .actions = pushes);
}

TEST(test_copies)
{
    OWNED(carom_scene) *scene = make_table(), *same = make_table();
    for (int bits = 32; bits <= 64; bits += 32) {
        OWNED(carom_worlds) *a = worlds_of(scene, (carom_precision)bits), *b = worlds_of(same, (carom_precision)bits);
        stir(a);
        assert_true(hash_of(a, 3) != hash_of(a, 4));
        /* fork, then both futures are the same */
        must(carom_worlds_fork(b, 2, 9, a, 7), "carom_worlds_fork");
        for (size_t w = 2; w < 11; w++)
            assert_true(hash_of(b, w) == hash_of(a, 7));
        must(carom_worlds_step(a, 0.7, 20), "carom_worlds_step");
        must(carom_worlds_step(b, 0.7, 20), "carom_worlds_step");
        for (size_t w = 2; w < 11; w++)
            assert_true(hash_of(b, w) == hash_of(a, 7));
        /* records and lists */
        unsigned char record[512];
        const size_t size = carom_worlds_record_size(a);
        assert_true(size <= sizeof record);
        must(carom_worlds_get_world(a, 18, record, size), "carom_worlds_get_world");
        must(carom_worlds_set_world(b, 0, record, size), "carom_worlds_set_world");
        assert_true(hash_of(b, 0) == hash_of(a, 18));
        const size_t to[] = {17, 1}, from[] = {4, 18};
        must(carom_worlds_copy(b, to, a, from, 2), "carom_worlds_copy");
        assert_true(hash_of(b, 17) == hash_of(a, 4) && hash_of(b, 1) == hash_of(a, 18));
        /* save and load */
        const size_t saved = carom_worlds_save_size(a);
        FREED void *buffer = malloc(saved);
        must(carom_worlds_save(a, buffer, saved), "carom_worlds_save");
        must(carom_worlds_load(b, buffer, saved), "carom_worlds_load");
        assert_true(digest_of(a) == digest_of(b));
        must(carom_worlds_step(a, 1, 5), "carom_worlds_step");
        must(carom_worlds_step(b, 1, 5), "carom_worlds_step");
        assert_true(digest_of(a) == digest_of(b));
    }
}

/* Every number of a description is part of what records mean. */
TEST(test_content)
{
    OWNED(carom_scene) *scene = make_table();
    OWNED(carom_worlds) *worlds = worlds_of(scene, CAROM_F64);
    for (int what = 0; what < 12; what++) {
        table t;
        set_table(&t);
        double *const numbers[] = {&t.bodies[0].radius,     &t.bodies[2].vx,       &t.bodies[1].restitution,
                                   &t.bodies[0].damping,    &t.desc.box.y1,        &t.desc.dt,
                                   &t.desc.contact_time,    &t.desc.speed_limit,   &t.desc.action_scale,
                                   &t.desc.box.restitution, &t.desc.least_impulse, &t.bodies[0].x};
        *numbers[what] = isinf(*numbers[what]) ? 100 : *numbers[what] * 0.5 + 0.125;
        OWNED(carom_scene) *other = make_scene(&t.desc);
        OWNED(carom_worlds) *foreign = worlds_of(other, CAROM_F64);
        assert_int_equal(carom_worlds_fork(foreign, 0, 1, worlds, 0), CAROM_ERROR_ARGUMENT);
    }
}

/* ---- steps ---- */

TEST(test_step_arguments)
{
    OWNED(carom_scene) *scene = make_table();
    for (int bits = 32; bits <= 64; bits += 32) {
        OWNED(carom_worlds) *worlds = worlds_of(scene, (carom_precision)bits);
        const uint64_t digest = digest_of(worlds);
        const double wrong[] = {0, -1, NAN, INFINITY, bits == 32 ? 1e-39 : 1e-310, bits == 32 ? 1e39 : -INFINITY};
        for (size_t k = 0; k < sizeof wrong / sizeof wrong[0]; k++)
            assert_int_equal(carom_worlds_step(worlds, wrong[k], 1), CAROM_ERROR_ARGUMENT);
        assert_int_equal(carom_worlds_step(worlds, 1, 0), CAROM_ERROR_ARGUMENT);
        assert_int_equal(carom_worlds_step(NULL, 1, 1), CAROM_ERROR_ARGUMENT);
        assert_true(digest_of(worlds) == digest);
        must(carom_worlds_step(worlds, 1, 3), "carom_worlds_step");
        assert_true(viewed(worlds, "tick", WORLDS - 1, 0) == 3);
        assert_int_equal(carom_worlds_counters(worlds).ticks, 3 * WORLDS);
    }
    OWNED(carom_worlds) *race = MAKE_WORLDS(carom_game_find("csb"), .count = 1);
    assert_int_equal(carom_worlds_step(race, 1, 1), CAROM_ERROR_ARGUMENT);
}

/* An inactive body neither moves nor collides; once activated, it collides. */
TEST(test_active)
{
    table t;
    set_table(&t);
    t.desc.body_count = 2;
    t.bodies[0] = body_at(3, 4, 1, 0, 0.5, 1);
    t.bodies[1] = body_at(6, 4, -0.25, 0.125, 0.5, 1);
    t.bodies[1].inactive = true;
    t.bodies[1].damping = 0.5;
    OWNED(carom_scene) *scene = make_scene(&t.desc);
    for (int bits = 32; bits <= 64; bits += 32) {
        OWNED(carom_worlds) *worlds = worlds_of(scene, (carom_precision)bits);
        const int8_t both[2] = {1, 1};
        set_field(worlds, "active", 1, 1, both);
        must(carom_worlds_step(worlds, 4, 1), "carom_worlds_step");
        assert_true(viewed(worlds, "x", 0, 0) == 7 && viewed(worlds, "vx", 0, 0) == 1);
        assert_true(viewed(worlds, "x", 0, 1) == 6 && viewed(worlds, "y", 0, 1) == 4 &&
                    viewed(worlds, "vx", 0, 1) == -0.25 && viewed(worlds, "vy", 0, 1) == 0.125);
        assert_true(viewed(worlds, "vx", 1, 0) < 0.5 && viewed(worlds, "vx", 1, 1) > 0);
        assert_int_equal(carom_worlds_counters(worlds).events, 1);
        float seen[WORLDS][8];
        must(carom_worlds_observe(worlds, seen[0]), "carom_worlds_observe");
        assert_true(seen[0][0] == 7 && seen[0][1] == 4 && seen[0][2] == 1 && seen[0][3] == 0);
        for (int k = 4; k < 8; k++)
            assert_true(seen[0][k] == 0 && seen[1][k] != 0);
    }
}

/* Truncation at last_tick, by what becomes of worlds that are over. */
TEST(test_ends)
{
    table t;
    set_table(&t);
    t.desc.last_tick = 3;
    OWNED(carom_scene) *scene = make_scene(&t.desc);
    for (int at_end = CAROM_PLAY_ON; at_end <= CAROM_RESET; at_end++) {
        OWNED(carom_worlds) *worlds =
            MAKE_WORLDS(carom_scene_game(scene), .count = WORLDS, .at_end = (carom_at_end)at_end);
        const int32_t late = 2;
        set_field(worlds, "tick", 6, 1, &late); /* this one is over after the first tick */
        static float seen[5][WORLDS][4 * BODIES], last[5][WORLDS][4 * BODIES];
        uint8_t ends[5][WORLDS];
        carom_step step =
            STEP_WITH(.ticks = 5, .observations = seen[0][0], .last_observations = last[0][0], .ends = ends[0]);
        memset(last, 0, sizeof last);
        must(carom_worlds_play(worlds, &step), "carom_worlds_play");
        for (int tick = 0; tick < 5; tick++)
            for (int w = 0; w < WORLDS; w++) {
                const bool again = at_end == CAROM_RESET && w == 6 && tick == 3;
                const bool ended = tick == (w == 6 ? 0 : 2) || again;
                assert_int_equal(ends[tick][w], ended ? CAROM_TRUNCATED : CAROM_RUNNING);
                const float moved = 2 + 0.5f * (float)(w == 6 && !again ? 1 : 3);
                assert_true(last[tick][w][0] == (ended ? moved : 0));
                assert_true(!ended || seen[tick][w][0] == (at_end == CAROM_RESET ? 2 : moved));
            }
        const double ticks = at_end == CAROM_PLAY_ON ? 5 : at_end == CAROM_FREEZE ? 3 : 2;
        assert_true(viewed(worlds, "tick", 0, 0) == ticks &&
                    viewed(worlds, "episode", 0, 0) == (at_end == CAROM_RESET));
        assert_true(viewed(worlds, "frozen", 0, 0) == (at_end == CAROM_FREEZE));
        assert_true(viewed(worlds, "end", 0, 0) == (at_end == CAROM_RESET ? CAROM_RUNNING : CAROM_TRUNCATED));
        assert_int_equal(carom_worlds_counters(worlds).games, at_end == CAROM_RESET ? WORLDS + 1 : WORLDS);
    }
}
