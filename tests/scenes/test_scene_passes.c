/* SPDX-License-Identifier: MIT
 * Bodies that pass walls, polygons and sides, by category and mask; and rules about zones, ticks and actions. By hand,
 * in both engines and precisions; test_scene_engines.c and test_scene_training.c compare both with plain C.
 */
#include "scene_stage.h"

enum { MALLET = 1, PUCK = 2, GHOST = 4 };

typedef enum thing { WALL, POLYGON, SIDES, THINGS } thing;

/* A table from x = -10 to 10 with this category and mask on its line x = 0: as a wall, as a thin polygon, or, from -10
 * to 0, as the sides of a box. A mallet, a puck and a ghost (mask 0) come to it from the left at speed 1. */
typedef struct table {
    carom_scene_desc desc;
    carom_scene_body bodies[3];
    carom_scene_wall wall;
    carom_scene_polygon polygon;
} table;

static const double thin_x[4] = {0, 0.25, 0.25, 0}, thin_y[4] = {-9, -9, 9, 9};

static void make_table(table *t, thing what, uint32_t category, uint32_t mask)
{
    static const uint32_t masks[3] = {MALLET | PUCK, MALLET, 0};
    memset(t, 0, sizeof *t);
    t->desc = carom_scene_desc_default();
    for (int k = 0; k < 3; k++) {
        t->bodies[k] = body_at(-3, 4.0 * k - 4, 1, 0, 1, 1);
        t->bodies[k].category = 1u << k;
        t->bodies[k].mask = masks[k];
    }
    t->wall = (carom_scene_wall){.by = 9, .ay = -9, .restitution = 1, .category = category, .mask = mask};
    t->polygon = (carom_scene_polygon){
        .x = thin_x, .y = thin_y, .corners = 4, .restitution = 1, .category = category, .mask = mask};
    t->desc.bodies = t->bodies, t->desc.body_count = 3;
    t->desc.walls = &t->wall, t->desc.wall_count = what == WALL;
    t->desc.polygons = &t->polygon, t->desc.polygon_count = what == POLYGON;
    if (what == SIDES) {
        t->desc.box = (carom_scene_box){
            .x0 = -10, .horizontal = CAROM_SIDES_SOLID, .restitution = 1, .category = category, .mask = mask};
    }
}

/* After 6 units of time a body that is stopped at x = -1, at 2, has come back to -5; another one is at 3. */
static void look_at_table(const table *t, unsigned stopped)
{
    for (int engine = CAROM_ENGINE_WIDE; engine <= CAROM_ENGINE_DEEP; engine++) {
        for (int bits = 32; bits <= 64; bits += 32) {
            OWNED(stage) s = stage_of(&t->desc, engine, (carom_precision)bits);
            play(&s, 1, 6);
            for (uint32_t k = 0; k < 3; k++) {
                const bool back = (stopped >> k & 1) != 0;
                assert_true(x_of(&s.state, k) == (back ? -5 : 3) && vx_of(&s.state, k) == (back ? -1 : 1));
            }
            assert_int_equal(impacts_of(&s), __builtin_popcount(stopped));
        }
    }
}

TEST(test_who_passes)
{
    /* category, mask, and the bodies that are stopped: 1 the mallet, 2 the puck, 4 the ghost. The puck's mask is
     * MALLET, the ghost's is nothing. */
    static const uint32_t cases[][3] = {{0, 0, 7},
                                        {0, MALLET, 1},
                                        {0, PUCK | GHOST, 6},
                                        {0, UINT32_MAX, 7},
                                        {0, 8, 0},
                                        {PUCK, 0, 1},
                                        {MALLET | PUCK, 0, 3},
                                        {UINT32_MAX, 0, 3},
                                        {8, 0, 0},
                                        {MALLET, PUCK | GHOST, 2},
                                        {UINT32_MAX, UINT32_MAX, 3}};
    for (int what = WALL; what < THINGS; what++) {
        for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
            table t;
            make_table(&t, (thing)what, cases[k][0], cases[k][1]);
            look_at_table(&t, cases[k][2]);
        }
    }
}

/* A sensor that lets pass notices nothing; a slow body, a fixed one and a sensor of a body are let pass, too. */
TEST(test_what_passes)
{
    for (int kind = 0; kind < 3; kind++) {
        for (int engine = CAROM_ENGINE_WIDE; engine <= CAROM_ENGINE_DEEP; engine++) {
            table t;
            make_table(&t, WALL, 0, PUCK);
            t.wall.sensor = kind == 0;
            for (int k = 0; k < 3; k++) {
                t.bodies[k].slow = kind == 1;
                t.bodies[k].sensor = kind == 2;
            }
            OWNED(stage) s = stage_of(&t.desc, engine, CAROM_F64);
            play(&s, 0.75, 8); /* a slow body overlaps the wall at the end of a tick */
            assert_int_equal(impacts_of(&s), 1);
            assert_int_equal(carom_worlds_counters(s.worlds).goals, kind != 1);
            for (uint32_t k = 0; k < 3; k++) {
                assert_true(fabs(x_of(&s.state, k) - (kind == 1 && k == 1 ? -5 : 3)) < 1e-9);
            }
        }
    }
}

/* With one periodic and one solid pair of sides, a body that passes the solid ones still wraps around at the periodic
 * ones; and such a body may start beyond the sides. */
TEST(test_sides_of_two_kinds)
{
    for (int engine = CAROM_ENGINE_WIDE; engine <= CAROM_ENGINE_DEEP; engine++) {
        for (int accelerated = 0; accelerated < 2; accelerated++) {
            table t;
            make_table(&t, SIDES, 0, MALLET);
            t.desc.box.y0 = -6, t.desc.box.y1 = 6, t.desc.box.vertical = CAROM_SIDES_PERIODIC;
            for (int k = 0; k < 3; k++) {
                t.bodies[k].vy = -2;
                t.bodies[k].ax = accelerated ? 0.5 : 0; /* 0.25 t^2 */
            }
            t.bodies[2].x = 40;
            t.bodies[2].vx = -1;
            OWNED(stage) s = stage_of(&t.desc, engine, CAROM_F64);
            play(&s, 1, 4);
            const double more = accelerated ? 4 : 0;
            assert_true(x_of(&s.state, 0) < -1 && fabs(y_of(&s.state, 0) - 0) < 1e-9); /* from -4 down by 8 */
            assert_true(fabs(x_of(&s.state, 1) - (1 + more)) < 1e-9 && fabs(y_of(&s.state, 1) - 4) < 1e-9);
            assert_true(fabs(x_of(&s.state, 2) - (36 + more)) < 1e-9 && fabs(y_of(&s.state, 2) + 4) < 1e-9);
        }
    }
}

/* ---- when scenes count as the same ---- */

static bool same_scene(const carom_scene_desc *a, const carom_scene_desc *b)
{
    OWNED(carom_scene) *first = make_scene(a), *second = make_scene(b);
    OWNED(carom_worlds) *of_first = scene_worlds(first, 1, CAROM_F64, CAROM_ISA_DEFAULT, 1);
    OWNED(carom_worlds) *of_second = scene_worlds(second, 1, CAROM_F64, CAROM_ISA_DEFAULT, 1);
    const carom_status status = carom_worlds_fork(of_first, 0, 1, of_second, 0);
    assert_true(status == CAROM_OK || status == CAROM_ERROR_ARGUMENT);
    return status == CAROM_OK;
}

TEST(test_known_by)
{
    for (int what = WALL; what < THINGS; what++) {
        for (uint32_t category = 0; category < 3; category++) {
            for (uint32_t mask = 0; mask < 3; mask++) {
                table a, b;
                make_table(&a, (thing)what, 1, 2);
                make_table(&b, (thing)what, category, mask);
                assert_true(same_scene(&a.desc, &b.desc) == (category == 1 && mask == 2));
            }
        }
    }
    table a, b;
    carom_scene_rule one = carom_scene_rule_default(), other = one;
    make_table(&a, WALL, 0, 0);
    make_table(&b, WALL, 0, 0);
    one.kind = other.kind = CAROM_RULE_WITHIN;
    a.desc.rules = &one, b.desc.rules = &other;
    a.desc.rule_count = b.desc.rule_count = 1;
    assert_true(same_scene(&a.desc, &b.desc));
    other.x1 = 1;
    assert_false(same_scene(&a.desc, &b.desc));
    other.x1 = 0, other.y1 = 1;
    assert_false(same_scene(&a.desc, &b.desc));
}

/* ---- rules ---- */

/* The reward of the last of `ticks` ticks, and how the game has ended by then; actions [2] of a kind, in each of
 * them. */
static float reward_after(const carom_scene_desc *desc, int engine, size_t ticks, size_t kind, const void *actions,
                          uint8_t *end)
{
    carom_scene_desc d = *desc;
    d.engine = (carom_engine)engine;
    OWNED(carom_scene) *scene = make_scene(&d);
    OWNED(carom_worlds) *worlds = scene_worlds(scene, 1, CAROM_F32, CAROM_ISA_DEFAULT, 1);
    float reward = 0;
    carom_step step = STEP_WITH(.action_kind = kind, .actions = actions, .rewards = &reward, .ends = end);
    for (size_t tick = 0; tick < ticks; tick++) {
        must(carom_worlds_play(worlds, &step), "play");
    }
    return reward;
}

/* A body that runs through a zone at 1 a tick, from -3 on: it is within after ticks 2 to 4, borders included. */
TEST(test_zone)
{
    for (int engine = CAROM_ENGINE_WIDE; engine <= CAROM_ENGINE_DEEP; engine++) {
        carom_scene_body body = body_at(-3, 0, 1, 0, 1, 1);
        carom_scene_rule rules[2] = {carom_scene_rule_default(), carom_scene_rule_default()};
        carom_scene_desc d = carom_scene_desc_default();
        uint8_t end = 0;
        body.acts = true;
        rules[0].kind = CAROM_RULE_WITHIN;
        rules[0].x = -1, rules[0].y = -0.5, rules[0].x1 = 1, rules[0].y1 = 0;
        rules[0].reward = 8;
        rules[1].kind = CAROM_RULE_TICK;
        rules[1].reward = -0.25;
        d.bodies = &body, d.body_count = 1, d.rules = rules, d.rule_count = 2;
        for (size_t tick = 1; tick < 7; tick++) {
            const float reward = reward_after(&d, engine, tick, 0, NULL, &end);
            assert_true(reward == (tick >= 2 && tick <= 4 ? 7.75f : -0.25f) && end == CAROM_RUNNING);
        }
        rules[0].ends = true, rules[0].winner = 0;
        assert_true(reward_after(&d, engine, 1, 0, NULL, &end) == -0.25f && end == CAROM_RUNNING);
        assert_true(reward_after(&d, engine, 2, 0, NULL, &end) == 8.75f && end == CAROM_TERMINATED);
        body.inactive = true;
        assert_true(reward_after(&d, engine, 3, 0, NULL, &end) == 0 && end == CAROM_RUNNING);
    }
}

TEST(test_effort)
{
    static const float normalised[2] = {0.5f, -3}, nothing[2] = {NAN, 0};
    static const double pushed[2] = {3, -0.5}, half[2] = {NAN, 2};
    for (int engine = CAROM_ENGINE_WIDE; engine <= CAROM_ENGINE_DEEP; engine++) {
        carom_scene_body body = body_at(0, 0, 0, 0, 1, 4);
        carom_scene_rule rule = carom_scene_rule_default();
        carom_scene_desc d = carom_scene_desc_default();
        uint8_t end = 0;
        body.acts = true;
        rule.kind = CAROM_RULE_ACTS;
        rule.reward = -2;
        d.bodies = &body, d.body_count = 1, d.rules = &rule, d.rule_count = 1;
        d.action_scale = 100; /* has no part in it */
        assert_true(reward_after(&d, engine, 2, 0, normalised, &end) == -2.5f);
        assert_true(reward_after(&d, engine, 1, 0, nothing, &end) == 0);
        assert_true(reward_after(&d, engine, 1, 0, NULL, &end) == 0);
        assert_true(reward_after(&d, engine, 1, 1, pushed, &end) == -18.5f);
        assert_true(reward_after(&d, engine, 1, 2, half, &end) == -8.0f);
        body.inactive = true;
        assert_true(reward_after(&d, engine, 1, 1, pushed, &end) == 0);
    }
}
