/* SPDX-License-Identifier: MIT
 * The rules of the stones by hand, on every instruction set: each sentence of as_described, and what shows in the
 * trajectories as shipped. Numbers are worked out here, with the C library, and not by the reference.
 */
#include "stones_batch.h"

#define NEAR 1e-12

/* One world; all stones are at rest and far away except those that are set. */
typedef struct scene {
    carom_stones_options options;
    carom_worlds *worlds;
    stones_ref_world now;
    carom_event events[10];
    uint32_t hits;
    double moved[STONES][4]; /* px, py, speed, unused before all stones move */
} scene;

static carom_isa isa;

static void everywhere(void (*rule)(void))
{
    for (size_t k = 0; k < isa_count; k++) {
        isa = isas[k];
        print_message("%s\n", carom_isa_name(isa));
        rule();
    }
}

#define RULE(name) TEST_BY(everywhere, name, void)

static scene open_scene(carom_stones_rules rules, uint32_t stones)
{
    scene s;
    memset(&s, 0, sizeof s);
    s.options = carom_stones_options_default();
    s.options.rules = rules;
    s.options.stones = stones;
    s.options.ring = 0;
    stones_ref_clear(&s.now);
    return s;
}

/* A stone of radius 20 with its centre at (x, y). */
static void put(scene *s, int i, double x, double y, double speed, double course)
{
    stones_ref_put(&s->now, i, x - 20, y - 20, 20, 1, 0.9);
    s->now.stones[i].speed = speed;
    s->now.stones[i].course = course;
}

static void play(scene *s, const stones_ref_push *push)
{
    stones_ref_push pushes[2][CAROM_STONES_PUSHES];
    memset(pushes, 0, sizeof pushes);
    if (push != NULL) {
        pushes[0][0] = *push;
    }
    if (s->worlds == NULL) {
        s->worlds = stones_worlds(&s->options, 1, isa, CAROM_F64, CAROM_PLAY_ON);
        stones_put(s->worlds, 0, &s->now);
    }
    PLAY(s->worlds, .action_kind = ENGINE, .actions = pushes, .events = s->events, .event_counts = &s->hits,
         .event_capacity = 10, .moved = s->moved[0]);
    stones_get(s->worlds, 0, &s->now);
    assert_int_equal(s->now.fault, 0);
}

static void end_scene(scene *s)
{
    carom_worlds_destroy(s->worlds);
}

static void assert_near(double found, double expected)
{
    if (!(fabs(found - expected) <= NEAR * (1 + fabs(expected)))) {
        fail_msg("%.17g instead of %.17g", found, expected);
    }
}

/* A glancing hit: stone 0 at speed 30 under a course of 0.2 meets stone 1, which moves at `other` in the same one. */
static scene glancing(carom_stones_rules rules, double other)
{
    scene s = open_scene(rules, 2);
    put(&s, 0, 0, 0, 30, 0.2);
    put(&s, 1, 50, 0, other, 0.2);
    return s;
}

/* The direction from centre 0 to centre 1 at the contact; moved is of equal radii, so the corners do. */
static double normal_of(const scene *s)
{
    return atan2(s->moved[1][1] - s->moved[0][1], s->moved[1][0] - s->moved[0][0]);
}

/* ---- as described ---- */

RULE(test_described_struck_stone_leaves_in_the_original_course)
{
    scene s = glancing(CAROM_STONES_AS_DESCRIBED, 0);
    play(&s, NULL);
    assert_int_equal(s.hits, 1);
    assert_true(s.events[0].first == 0 && s.events[0].second == 1);
    assert_true(s.now.stones[1].course == 0.2);
    end_scene(&s);
    s = glancing(CAROM_STONES_AS_SHIPPED, 0); /* as shipped it leaves along the line between the two */
    play(&s, NULL);
    assert_near(s.now.stones[1].course, normal_of(&s));
    assert_true(fabs(s.now.stones[1].course - 0.2) > 0.05);
    end_scene(&s);
}

RULE(test_described_striker_leaves_along_the_tangent)
{
    for (int side = -1; side <= 1; side += 2) {
        OWNED(scene) s = open_scene(CAROM_STONES_AS_DESCRIBED, 2);
        put(&s, 0, 0, 0, 30, side * 0.2);
        put(&s, 1, 50, 0, 0, 0);
        play(&s, NULL);
        assert_int_equal(s.hits, 1);
        assert_true(fabs(cos(s.now.stones[0].course - normal_of(&s))) < 1e-12);
        assert_true(cos(s.now.stones[0].course - side * 0.2) > 0); /* on the side it was heading */
    }
    /* Across the line of the centres, not of the corners, where radii differ. */
    OWNED(scene) s = open_scene(CAROM_STONES_AS_DESCRIBED, 2);
    put(&s, 0, 0, 0, 30, 0);
    stones_ref_put(&s.now, 1, 40, -5, 10, 1, 0.9); /* centre (50, 5) */
    play(&s, NULL);
    assert_int_equal(s.hits, 1);
    const double nx = (s.moved[1][0] + 10) - (s.moved[0][0] + 20), ny = (s.moved[1][1] + 10) - (s.moved[0][1] + 20);
    assert_true(fabs(cos(s.now.stones[0].course - atan2(ny, nx))) < 1e-12);
}

RULE(test_described_a_fraction_of_the_speed_is_added)
{
    for (int k = 0; k < 3; k++) {
        const double other = 5.0 * k;
        OWNED(scene) s = glancing(CAROM_STONES_AS_DESCRIBED, other);
        play(&s, NULL);
        assert_int_equal(s.hits, 1);
        const double kept = fabs(sin(0.2 - normal_of(&s)));
        assert_true(kept > 0.05 && kept < 0.9);
        assert_near(s.moved[0][2], 30 * kept);
        assert_near(s.moved[1][2], other + 30 * (1 - kept));
    }
}

RULE(test_described_head_on_gives_all_and_the_striker_stops)
{
    OWNED(scene) s = open_scene(CAROM_STONES_AS_DESCRIBED, 2);
    put(&s, 0, 0, 0, 30, 0);
    put(&s, 1, 50, 0, 10, 0);
    play(&s, NULL);
    assert_int_equal(s.hits, 1);
    assert_near(s.moved[1][2], 40);
    assert_true(fabs(s.moved[0][2]) < 1e-12 && s.now.stones[0].speed == 0);
}

RULE(test_described_stones_keep_the_time_that_is_left)
{
    scene s = open_scene(CAROM_STONES_AS_DESCRIBED, 2);
    put(&s, 0, 0, 0, 32, 0); /* 8 of 32 to go: a quarter of the tick */
    put(&s, 1, 48, 0, 0, 0);
    play(&s, NULL);
    assert_true(s.hits == 1 && s.moved[0][3] == 0.75 && s.moved[1][3] == 0.75);
    assert_near(s.now.stones[1].px, 28 + 0.75 * 32);
    end_scene(&s);
    /* As shipped it is the share that is used, and a stone that was struck at rest has a whole tick. */
    s = open_scene(CAROM_STONES_AS_SHIPPED, 2);
    put(&s, 0, 0, 0, 32, 0);
    put(&s, 1, 48, 0, 0, 0);
    play(&s, NULL);
    assert_true(s.hits == 1 && s.moved[0][3] == 0.25 && s.moved[1][3] == 1);
    assert_near(s.now.stones[1].px, 28 + 32);
    end_scene(&s);
}

RULE(test_described_a_hit_is_any_time_from_0_to_1)
{
    static const struct {
        double gap;
        bool shipped, described;
    } cases[] = {{0, false, true}, {0.5, true, true}, {32, true, true}, {32.0000001, false, false}, {-1, false, false}};
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        for (int rules = CAROM_STONES_AS_SHIPPED; rules <= CAROM_STONES_AS_DESCRIBED; rules++) {
            OWNED(scene) s = open_scene((carom_stones_rules)rules, 2);
            put(&s, 0, 0, 0, 32, 0);
            put(&s, 1, 40 + cases[k].gap, 0, 0, 0);
            play(&s, NULL);
            assert_int_equal(s.hits, rules == CAROM_STONES_AS_SHIPPED ? cases[k].shipped : cases[k].described);
        }
    }
}

RULE(test_described_speed_may_be_lost_in_a_collision)
{
    OWNED(scene) s = glancing(CAROM_STONES_AS_DESCRIBED, 5);
    s.options.loss = 0.25;
    play(&s, NULL);
    assert_int_equal(s.hits, 1);
    const double kept = fabs(sin(0.2 - normal_of(&s)));
    assert_near(s.moved[0][2], 0.75 * 30 * kept);
    assert_near(s.moved[1][2], 0.75 * (5 + 30 * (1 - kept)));
}

/* ---- as shipped ---- */

RULE(test_power_scales_what_the_struck_stone_gets)
{
    OWNED(scene) s = open_scene(CAROM_STONES_AS_SHIPPED, 2);
    put(&s, 0, 0, 0, 30, 0);
    put(&s, 1, 50, 0, 7, 0);
    s.now.stones[0].power = 3;
    play(&s, NULL);
    assert_true(s.hits == 1 && s.moved[0][2] < 1e-12);
    assert_near(s.moved[1][2], 90); /* its own 7 are lost; no limit of 40 */
}

/* Twelve in a row with small gaps: ten sweeps, ten hits, and play continues without a fault. */
RULE(test_ten_sweeps_are_a_rule)
{
    OWNED(scene) s = open_scene(CAROM_STONES_AS_SHIPPED, 14);
    for (int i = 0; i < 14; i++) {
        put(&s, i, i * 40.5, 0, i == 0 ? 40 : 0, 0);
    }
    play(&s, NULL);
    assert_true(s.now.sweeps == 10 && s.hits == 10 && s.now.fault == 0);
    play(&s, NULL);
    assert_true(s.now.tick == 2 && s.now.fault == 0);
}

RULE(test_friction_and_stop)
{
    OWNED(scene) s = open_scene(CAROM_STONES_AS_SHIPPED, 2);
    put(&s, 0, 0, 0, 10, PI / 3);
    s.now.stones[0].friction = 0.5;
    double speed = 10, x = -20;
    for (int t = 0; t < 12; t++) {
        play(&s, NULL);
        x += cos(PI / 3) * speed;
        speed = speed * 0.5 < 0.01 ? 0 : speed * 0.5;
        assert_near(s.now.stones[0].px, x);
        assert_true(s.now.stones[0].speed == speed);
    }
    assert_true(speed == 0 && s.now.stones[0].unused == 1);
}

/* The steps of a push: s0, 2 s0, 2.8 s0, ... along half a sine as long as the stone can move. */
RULE(test_curve_shot)
{
    for (int c = -2; c <= 2; c++) {
        const double curve = 0.4 * c, course = 0.3;
        OWNED(scene) s = open_scene(CAROM_STONES_AS_SHIPPED, 1);
        put(&s, 0, 0, 0, 0, 0);
        const stones_ref_push push = {0, course, 20, curve};
        const double length = (20 - 0.01 * 0.9) / (1 - 0.9);
        double speed = 20, progress = 20, traveled = 0;
        for (int t = 0; t < 60; t++) {
            play(&s, t == 0 ? &push : NULL);
            const double x = progress / length * PI, y = sin(x) * curve;
            const double r = hypot(progress, y / PI * length), angle = course + curve * PI / 2 - atan(y / x);
            assert_true(fabs(s.now.stones[0].px - (-20 + cos(angle) * r)) < 1e-9);
            assert_true(fabs(s.now.stones[0].py - (-20 + sin(angle) * r)) < 1e-9);
            assert_near(s.now.stones[0].shot_distance, length);
            traveled += speed;
            progress = traveled + speed; /* remembered with the speed before friction */
            speed *= 0.9;
            assert_near(s.now.stones[0].shot_traveled, traveled);
        }
    }
}

/* A second push does not empty the memory: the first tick goes to the old path's next point. */
RULE(test_push_keeps_the_remembered_point)
{
    OWNED(scene) s = open_scene(CAROM_STONES_AS_SHIPPED, 1);
    put(&s, 0, 0, 0, 0, 0);
    const stones_ref_push first = {0, 0, 20, 0}, second = {0, PI / 2, 30, 0};
    play(&s, &first);
    assert_near(s.now.stones[0].px, 0);
    assert_near(s.now.stones[0].next_x, 20);
    play(&s, &second);
    assert_near(s.now.stones[0].px, 20); /* still along the first one */
    assert_near(s.now.stones[0].py, -20);
    play(&s, NULL);
    assert_near(s.now.stones[0].px, 0); /* from where it was pushed the second time, two ticks on */
    assert_near(s.now.stones[0].py, -20 + 60);
}

/* At rest at the end of its path a stone still goes a little, for a stone that hits it. */
RULE(test_remnant_at_rest)
{
    OWNED(scene) s = open_scene(CAROM_STONES_AS_SHIPPED, 1);
    put(&s, 0, 0, 0, 0, 0);
    const stones_ref_push push = {0, 0, 10, 0};
    for (int t = 0; t < 100; t++) {
        play(&s, t == 0 ? &push : NULL);
    }
    const stones_ref_stone *stone = &s.now.stones[0];
    assert_true(stone->speed == 0 && stone->shot && stone->unused == 1);
    assert_true(stone->next_x > stone->px && stone->next_x - stone->px < 0.0112);
}

RULE(test_no_push)
{
    static const stones_ref_push none[] = {
        {0, 0, 0, 0},      {0, 0, -1, 0},        {0, NAN, 20, 0},   {0, 0, 20, NAN},    {1.5, 0, 20, 0},
        {-1, 0, 20, 0},    {2, 0, 20, 0},        {NAN, 0, 20, 0},   {0, 524289, 20, 0}, {0, 0, 20, 1025},
        {1e300, 0, 20, 0}, {0, INFINITY, 20, 0}, {0, 0, 0x1p-31, 0}};
    for (size_t k = 0; k < sizeof none / sizeof none[0]; k++) {
        OWNED(scene) s = open_scene(CAROM_STONES_AS_SHIPPED, 2);
        put(&s, 0, 0, 0, 0, 0);
        put(&s, 1, 100, 0, 0, 0);
        play(&s, &none[k]);
        for (int i = 0; i < 2; i++) {
            assert_true(s.now.stones[i].speed == 0 && !s.now.stones[i].shot && s.now.stones[i].px == 100 * i - 20);
        }
    }
    scene s = open_scene(CAROM_STONES_AS_SHIPPED, 2); /* faster than allowed is the limit */
    put(&s, 0, 0, 0, 0, 0);
    const stones_ref_push fast = {0, 0, 1e9, 0};
    play(&s, &fast);
    assert_true(s.now.stones[0].speed == 36 && s.now.stones[0].px == 20);
    end_scene(&s);
}

/* With the policy and the ring games have winners, and stones go out. */
RULE(test_games_are_decided)
{
    for (int f64 = 0; f64 < 2; f64++) {
        const carom_stones_options options = carom_stones_options_default();
        OWNED(carom_worlds) *worlds = stones_worlds(&options, 64, isa, f64 ? CAROM_F64 : CAROM_F32, CAROM_RESET);
        double actions[64][2][4];
        carom_step step = STEP_WITH(.actions = actions);
        for (int t = 0; t < 400; t++) {
            must(carom_worlds_policy(worlds, 0, PUSH, actions), "carom_worlds_policy");
            must(carom_worlds_play(worlds, &step), "carom_worlds_play");
        }
        const carom_counters counters = carom_worlds_counters(worlds);
        assert_true(counters.games >= 64 * 2 && counters.goals > counters.games && counters.events > 64 * 10);
        assert_int_equal(carom_worlds_faults(worlds, NULL), 0);
    }
}

RULE(test_options_are_checked)
{
    carom_worlds *worlds;
    carom_worlds_desc desc = carom_worlds_desc_default(carom_game_find("stones"));
    for (int k = 0; k < 12; k++) {
        carom_stones_options o = carom_stones_options_default();
        desc.options = &o;
        o.size = k == 0 ? 1 : o.size;
        o.stones = k == 1 ? 0 : k == 2 ? 33 : k == 3 ? 1 : o.stones;
        o.ticks = k == 4 ? 0 : k == 5 ? (1u << 24) + 1 : o.ticks;
        o.ring = k == 6 ? -1 : k == 7 ? NAN : k == 8 ? 65537 : o.ring;
        o.loss = k == 9 ? 1 : k == 10 ? -0.5 : k == 11 ? NAN : o.loss;
        const carom_status status = carom_worlds_create(&desc, &worlds);
        assert_int_equal(status, k == 3 || k > 5 ? CAROM_ERROR_VALUE : CAROM_ERROR_ARGUMENT);
        assert_null(worlds);
    }
}
