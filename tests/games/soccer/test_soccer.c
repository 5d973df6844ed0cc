/* SPDX-License-Identifier: MIT
 * The rules of soccer one by one, with numbers computed here: the four situations, elastic and inelastic response,
 * walls, kicks, dribbling, goals, leagues, invalid options and states. Every case runs on every instruction set, at a
 * different index of the batch each time.
 */
#include "soccer_batch.h"
#include "tests/games/csb/csb_reference.h"

#define PLACES 17
#define DT (1 / 60.0)

static const float idle[SOCCER_ACTIONS];

/* One world played in the middle of others that stay at their start. */
typedef struct stage {
    carom_soccer_options options;
    soccer_ref_world world;
    float actions[SOCCER_ACTIONS]; /* metric */
    carom_event events[16];
    uint32_t event_count;
    unsigned faults;
} stage;

/* A stage of the original's values: robots that no command moves, a ball without friction, all far away at rest. */
static stage stage_of(uint32_t robots, uint32_t balls)
{
    stage s;
    memset(&s, 0, sizeof s);
    s.options = carom_soccer_options_of(CAROM_SOCCER_ORIGINAL);
    s.options.robots = robots;
    s.options.balls = balls;
    s.options.friction = 0;
    s.options.max_acceleration = 0;
    memset(s.world.holder, -1, sizeof s.world.holder);
    s.world.winner = -1;
    for (uint32_t i = 0; i < 2 * robots; i++) {
        s.world.x[i] = (i < robots ? -1 : 1) * (0.5 + 0.25 * (i % robots) / 2);
        s.world.y[i] = (i % 2 == 0 ? -1 : 1) * 0.7;
    }
    for (uint32_t k = 0; k < balls; k++)
        s.world.y[2 * robots + k] = 0.2 * k;
    return s;
}

static void place(stage *s, int body, double x, double y, double vx, double vy)
{
    s->world.x[body] = x;
    s->world.y[body] = y;
    s->world.vx[body] = vx;
    s->world.vy[body] = vy;
}

/* Plays on every instruction set; all must agree. */
static void play_ticks(stage *s, int ticks)
{
    soccer_ref_world after, common;
    for (size_t k = 0; k < isa_count; k++) {
        for (size_t place_of = k * 5 % PLACES, rounds = 0; rounds < 2; place_of = (place_of + 7) % PLACES, rounds++) {
            static float actions[PLACES][SOCCER_ACTIONS];
            static carom_event events[PLACES][16];
            uint32_t counts[PLACES];
            carom_worlds_desc desc =
                WORLDS_DESC(soccer_game(), .options = &s->options, .count = PLACES, .isa = isas[k]);
            desc.first_id = 100 - place_of; /* it draws the same kick-offs at every index */
            OWNED(carom_worlds) *worlds = make_worlds(&desc);
            soccer_put(worlds, place_of, &s->world);
            for (size_t w = 0; w < PLACES; w++)
                memcpy(actions[w], w == place_of ? s->actions : idle, sizeof idle);
            for (int tick = 0; tick < ticks; tick++) {
                PLAY(worlds, .action_kind = soccer_kind("metric"), .actions = actions, .events = events[0],
                     .event_capacity = 16, .event_counts = counts);
            }
            memset(&after, 0, sizeof after);
            soccer_get(worlds, place_of, &after);
            if (k == 0 && rounds == 0)
                common = after;
            assert_null(soccer_ref_difference(&after, &common));
            s->event_count = counts[place_of];
            memcpy(s->events, events[place_of], sizeof s->events);
            unsigned bits = 0;
            s->faults = (unsigned)carom_worlds_faults(worlds, &bits);
        }
    }
    s->world = common;
}

static void near_to(double found, double expected, double within)
{
    if (!(fabs(found - expected) <= within))
        fail_msg("%.17g instead of %.17g", found, expected);
}

static void event_is(const stage *s, int number, int first, int second, double left)
{
    assert_true(s->event_count > (uint32_t)number);
    assert_int_equal(s->events[number].first, first);
    assert_int_equal(s->events[number].second, second);
    near_to(s->events[number].left, left, 1e-12);
}

/* ---- the four situations ---- */

/* 1. The end of the tick is 0.01 too deep at 1.2 m/s: 1/120 s ago, half a tick. */
TEST(test_robot_and_wall)
{
    stage s = stage_of(1, 1);
    place(&s, 0, 1.91 - 0.01, 0.3, 1.2, 0.6);
    play_ticks(&s, 1);
    event_is(&s, 0, 0, CAROM_SOCCER_WALL, 0.5);
    assert_int_equal(s.event_count, 1);
    near_to(s.world.vx[0], -0.96, 1e-15);
    near_to(s.world.vy[0], 0.6, 0);
    near_to(s.world.x[0], 1.91 - 0.96 / 120, 1e-14);
    near_to(s.world.y[0], 0.31, 1e-14);
    place(&s, 0, 1.905, 0, -0.6, 0); /* leaving, or only near: nothing */
    play_ticks(&s, 1);
    assert_int_equal(s.event_count, 0);
    for (int wall = 0; wall < 4; wall++) { /* each of the four; robots meet one across the goal, too */
        const double sign = wall % 2 == 0 ? 1 : -1;
        stage t = stage_of(1, 1);
        place(&t, 0, wall < 2 ? sign * 1.9 : 0.4, wall < 2 ? 0.05 : sign * 0.9, wall < 2 ? sign * 1.2 : 0,
              wall < 2 ? 0 : sign * 1.2);
        play_ticks(&t, 1);
        event_is(&t, 0, 0, CAROM_SOCCER_WALL + wall, 0.5);
    }
}

/* 2. Two robots at +-0.6 m/s from 0.19 apart: 0.17 at the end of the tick; they touch (0.18) half a tick before. */
TEST(test_robot_and_robot)
{
    stage s = stage_of(1, 1);
    place(&s, 0, -0.095, 0.5, 0.6, 0);
    place(&s, 1, 0.095, 0.5, -0.6, 0);
    play_ticks(&s, 1);
    event_is(&s, 0, 0, 1, 0.5);
    near_to(s.world.vx[0], -0.3, 1e-15); /* equal masses, e = 0.5 */
    near_to(s.world.vx[1], 0.3, 1e-15);
    near_to(s.world.x[0], -0.09 - 0.3 / 120, 1e-14);
    /* Discrete: robots that are apart at the end have not met, whatever happened in between. */
    stage t = stage_of(1, 1);
    place(&t, 0, -0.3, 0.5, 60, 0);
    place(&t, 1, 0.3, 0.5, -60, 0);
    stage swept = t;
    play_ticks(&t, 1);
    assert_int_equal(t.event_count, 0);
    near_to(t.world.x[0], 0.7, 1e-14);
    swept.options.continuous = 1;
    play_ticks(&swept, 1);
    event_is(&swept, 0, 0, 1, 1 - 0.21);
    assert_true(swept.world.x[0] < swept.world.x[1]);
}

/* 3. A ball at 120 m/s (2 m a tick), 1 m before the point of contact: half a tick. */
TEST(test_ball_and_wall)
{
    stage s = stage_of(1, 1);
    place(&s, 2, 0.1, 1 - 0.0215 - 1, 0, 120);
    play_ticks(&s, 1);
    event_is(&s, 0, 2, CAROM_SOCCER_WALL + 2, 0.5);
    near_to(s.world.vy[2], -96, 1e-13);
    near_to(s.world.y[2], 1 - 0.0215 - 0.8, 1e-13);
    place(&s, 2, 0.1, 0, 0, -3); /* its impact lies in the future */
    play_ticks(&s, 1);
    assert_int_equal(s.event_count, 0);
}

/* 4. A ball passes a robot within the tick: 1 m to the centre, contact after 1 - 0.1115 m. */
TEST(test_ball_and_robot)
{
    stage s = stage_of(1, 1);
    place(&s, 0, 0, 0, 0, 0);
    place(&s, 2, -1, 0, 120, 0);
    play_ticks(&s, 1);
    event_is(&s, 0, 0, 2, 1 - (1 - 0.1115) / 2);
    near_to(s.world.vx[2], 120 * (0.0483 - 0.83 * 2.2) / (0.0483 + 2.2), 1e-12);
    near_to(s.world.vx[0], 120 * 1.83 * 0.0483 / (0.0483 + 2.2), 1e-12);
    place(&s, 0, 0, 0, 0, 0);
    place(&s, 2, -0.5, 0.1116, 120, 0); /* past it, by a tenth of a millimetre */
    play_ticks(&s, 1);
    assert_int_equal(s.event_count, 0);
    place(&s, 0, 0, 0, 3, 0); /* relatively at rest, touching: no collision */
    place(&s, 2, 0.1115, 0, 3, 0);
    play_ticks(&s, 1);
    assert_int_equal(s.event_count, 0);
}

/* ---- response ---- */

/* The document's text, written out; then back and forth in time as the tick does. */
static void expect_elastic(double *x1, double *y1, double *vx1, double *vy1, double m1, double *x2, double *y2,
                           double *vx2, double *vy2, double m2, double time)
{
    const double cx1 = *x1 + *vx1 * time, cy1 = *y1 + *vy1 * time, cx2 = *x2 + *vx2 * time, cy2 = *y2 + *vy2 * time;
    double dx = cx1 - cx2, dy = cy1 - cy2;
    double k = 1 / sqrt(dx * dx + dy * dy);
    dx = dx * k;
    dy = dy * k;
    double dot1 = *vx1 * dx + *vy1 * dy, dot2 = *vx2 * dx + *vy2 * dy;
    double par1x = dot1 * dx, par1y = dot1 * dy, par2x = dot2 * dx, par2y = dot2 * dy;
    double perp1x = *vx1 - par1x, perp1y = *vy1 - par1y, perp2x = *vx2 - par2x, perp2y = *vy2 - par2y;
    double c1 = 1 / (m1 + m2), dm = m1 - m2;
    *vx1 = c1 * (dm * par1x + 2 * m2 * par2x) + perp1x;
    *vy1 = c1 * (dm * par1y + 2 * m2 * par2y) + perp1y;
    *vx2 = c1 * (2 * m1 * par1x - dm * par2x) + perp2x;
    *vy2 = c1 * (2 * m1 * par1y - dm * par2y) + perp2y;
    *x1 = cx1 - *vx1 * time, *y1 = cy1 - *vy1 * time;
    *x2 = cx2 - *vx2 * time, *y2 = cy2 - *vy2 * time;
}

/* e = 1: the formulas of the document, bit for bit, from time to position. */
TEST(test_elastic_is_the_document)
{
    uint64_t random = 5;
    int hits = 0;
    for (int round = 0; round < 150; round++) {
        stage s = stage_of(1, 1);
        s.options.ball_restitution = s.options.robot_restitution = 1;
        const bool ball = round % 2 == 0;
        const int j = ball ? 2 : 1;
        const double m1 = 2.2, m2 = ball ? 0.0483 : 2.2, reach = ball ? 0.09 + 0.0215 : 0.09 + 0.09;
        const double angle = rng_in(&random, 0, 6.3), speed = ball ? rng_in(&random, 1, 30) : rng_in(&random, 0.5, 5);
        if (ball)
            place(&s, 1, -1.5, -0.8, 0, 0);
        else
            place(&s, 2, -1.5, -0.8, 0, 0);
        place(&s, 0, 0.1, 0.2, rng_in(&random, -1, 1), rng_in(&random, -1, 1));
        place(&s, j, 0.1 + (reach + 0.005) * cos(angle), 0.2 + (reach + 0.005) * sin(angle),
              -speed * cos(angle + rng_in(&random, -0.7, 0.7)), -speed * sin(angle + rng_in(&random, -0.7, 0.7)));
        soccer_ref_world w = s.world;
        for (int i = 0; i < 3; i++) {
            w.x[i] = w.x[i] + w.vx[i] * DT;
            w.y[i] = w.y[i] + w.vy[i] * DT;
        }
        play_ticks(&s, 1);
        if (s.event_count != 1)
            continue;
        const double dx = w.x[0] - w.x[j], dy = w.y[0] - w.y[j], wx = w.vx[0] - w.vx[j], wy = w.vy[0] - w.vy[j];
        const double a = wx * dx + wy * dy, b = wx * wx + wy * wy;
        const double q = a * a - b * (dx * dx + dy * dy - reach * reach), t = -(a + sqrt(q)) / b;
        expect_elastic(&w.x[0], &w.y[0], &w.vx[0], &w.vy[0], m1, &w.x[j], &w.y[j], &w.vx[j], &w.vy[j], m2, t);
        for (int i = 0; i <= j; i += j) {
            assert_true(s.world.x[i] == w.x[i] && s.world.y[i] == w.y[i]);
            assert_true(s.world.vx[i] == w.vx[i] && s.world.vy[i] == w.vy[i]);
        }
        hits++;
    }
    printf("%d elastic impacts, bit for bit\n", hits);
    assert_true(hits > 60);
}

/* e < 1: the closing speed c becomes -e c; momentum and tangential velocity stay. */
TEST(test_restitution)
{
    for (int k = 0; k <= 4; k++) {
        stage s = stage_of(1, 1);
        const double e = k / 4.0;
        s.options.ball_restitution = e;
        place(&s, 0, 0, 0, 0.5, 0.2);
        place(&s, 2, 0.13, 0, -6, 1);
        const double momentum = 2.2 * 0.5 + 0.0483 * -6;
        play_ticks(&s, 1);
        assert_int_equal(s.event_count, 1);
        const double nx = s.world.x[2] - s.world.vx[2] * s.events[0].left * DT -
                          (s.world.x[0] - s.world.vx[0] * s.events[0].left * DT);
        const double ny = s.world.y[2] - s.world.vy[2] * s.events[0].left * DT -
                          (s.world.y[0] - s.world.vy[0] * s.events[0].left * DT);
        const double r = sqrt(nx * nx + ny * ny);
        near_to(r, 0.1115, 1e-14);
        const double before = ((-6 - 0.5) * nx + (1 - 0.2) * ny) / r;
        const double after = ((s.world.vx[2] - s.world.vx[0]) * nx + (s.world.vy[2] - s.world.vy[0]) * ny) / r;
        near_to(after, -e * before, 1e-14);
        near_to(2.2 * s.world.vx[0] + 0.0483 * s.world.vx[2], momentum, 1e-14);
        near_to(2.2 * s.world.vy[0] + 0.0483 * s.world.vy[2], 2.2 * 0.2 + 0.0483, 1e-14);
    }
}

/* A wall absorbs the share 1 - r r of the energy of the normal motion. */
TEST(test_wall_absorption)
{
    for (int k = 0; k <= 4; k++) {
        stage s = stage_of(1, 1);
        const double r = k / 4.0;
        s.options.wall_restitution = r;
        place(&s, 2, 0.3, 0.9, 2, 8);
        play_ticks(&s, 1);
        assert_int_equal(s.event_count, 1);
        near_to(s.world.vx[2], 2, 0);
        near_to(s.world.vy[2], -r * 8, 0);
        near_to(8 * 8 - s.world.vy[2] * s.world.vy[2], (1 - r * r) * 64, 1e-13);
    }
}

TEST(test_ball_on_ball)
{
    stage s = stage_of(1, 2);
    s.options.ball_restitution = 1;
    place(&s, 2, -0.5, 0, 60, 0);
    place(&s, 3, 0.2, 0, 0, 0);
    play_ticks(&s, 1);
    event_is(&s, 0, 2, 3, 1 - (0.7 - 0.043));
    near_to(s.world.vx[2], 0, 1e-13); /* equal masses change their velocities */
    near_to(s.world.vx[3], 60, 1e-13);
}

/* 10,000 radii a tick: 215 m, 12,900 m/s. */
TEST(test_ball_of_ten_thousand_radii)
{
    for (int k = 0; k < 40; k++) {
        stage s = stage_of(1, 1);
        const double angle = 0.3 + 0.06 * k, speed = 10000 * 0.0215 / DT;
        s.options.wall_restitution = 0.05;
        s.options.mouth = 0;
        place(&s, 2, 0.01, 0.4, speed * cos(angle), speed * sin(angle));
        play_ticks(&s, 1);
        assert_int_equal(s.faults, 0);
        assert_true(s.event_count >= 1 && s.events[0].first <= 2);
        assert_true(fabs(s.world.x[2]) <= 2 - 0.0215 + 1e-9 && fabs(s.world.y[2]) <= 1 - 0.0215 + 1e-9);
    }
}

/* ---- kick and dribble ---- */

/* The ball is in front of robot 0, which always kicks: kicks come every 6 ticks (0.1 s); the ball is put back. */
TEST(test_kicks)
{
    for (size_t k = 0; k < isa_count; k++) {
        stage s = stage_of(1, 1);
        OWNED(carom_worlds) *worlds = soccer_worlds(&s.options, PLACES, isas[k], CAROM_F64);
        static float actions[PLACES][SOCCER_ACTIONS];
        const size_t w = (3 + 5 * k) % PLACES;
        int last = -100, kicks = 0;
        actions[w][3] = 4;
        soccer_put(worlds, w, &s.world);
        for (int tick = 0; tick < 60; tick++) {
            soccer_ref_world now;
            memset(&now, 0, sizeof now);
            soccer_get(worlds, w, &now);
            now.x[0] = now.y[0] = now.vx[0] = now.vy[0] = 0;
            now.angle[0] = 0.75;
            now.x[2] = 0.113 * cos(0.9), now.y[2] = 0.113 * sin(0.9);
            now.vx[2] = now.vy[2] = 0;
            soccer_put(worlds, w, &now);
            PLAY(worlds, .action_kind = soccer_kind("metric"), .actions = actions);
            soccer_get(worlds, w, &now);
            if (now.vx[2] != 0 || now.vy[2] != 0) {
                double sine, cosine;
                csb_ref_sincos(0.75, &sine, &cosine);
                assert_true(now.vx[2] == 4 * cosine && now.vy[2] == 4 * sine);
                assert_true(kicks == 0 || tick - last == 6);
                assert_int_equal(now.ready[0], tick + 6);
                last = tick;
                kicks++;
            }
        }
        assert_int_equal(kicks, 10);
        memset(actions, 0, sizeof actions);
    }
    /* Out of reach, or out of the arc: no kick. */
    stage s = stage_of(1, 1);
    s.actions[3] = 4;
    place(&s, 0, 0, 0, 0, 0);
    place(&s, 2, 0.12, 0, 0, 0);
    play_ticks(&s, 1);
    assert_true(s.world.vx[2] == 0);
    place(&s, 2, -0.113, 0.01, 0, 0);
    play_ticks(&s, 1);
    assert_true(s.world.vx[2] == 0);
    place(&s, 2, 0.01, 0.113, 0, 0); /* within 90 degrees */
    play_ticks(&s, 1);
    assert_true(s.world.vx[2] == 4);
}

TEST(test_dribble)
{
    for (size_t k = 0; k < isa_count; k++) {
        carom_soccer_options o = carom_soccer_options_of(CAROM_SOCCER_DIVISION_A);
        o.robots = 1;
        OWNED(carom_worlds) *worlds = soccer_worlds(&o, PLACES, isas[k], CAROM_F64);
        static float actions[PLACES][SOCCER_ACTIONS];
        const size_t w = 2 + 4 * k;
        soccer_ref_world now;
        memset(&now, 0, sizeof now);
        soccer_get(worlds, w, &now);
        now.x[0] = -2, now.y[0] = 0, now.angle[0] = 0.5;
        now.x[2] = -2 + 0.1125 * cos(0.6), now.y[2] = 0.1125 * sin(0.6);
        soccer_put(worlds, w, &now);
        double ahead = 0.1125 * cos(0.1), left = 0.1125 * sin(0.1), greatest = 0;
        for (int tick = 0; tick < 1000; tick++) { /* round in circles, spinning, faster and slower */
            actions[w][0] = (float)(1.5 * cos(0.02 * tick));
            actions[w][1] = (float)(1.5 * sin(0.02 * tick));
            actions[w][2] = (float)(9 * sin(0.013 * tick));
            actions[w][4] = 1;
            PLAY(worlds, .action_kind = soccer_kind("metric"), .actions = actions);
            soccer_get(worlds, w, &now);
            assert_int_equal(now.holder[0], 0);
            const double c = cos(now.angle[0]), s = sin(now.angle[0]);
            const double dx = now.x[2] - now.x[0], dy = now.y[2] - now.y[0];
            const double off = fmax(fabs(dx * c + dy * s - ahead), fabs(dy * c - dx * s - left));
            greatest = fmax(greatest, off);
        }
        printf("%s: a dribbled ball is off its place by %.2g m at most\n", carom_isa_name(isas[k]), greatest);
        assert_true(greatest < 1e-12);
        memset(actions, 0, sizeof actions);
    }
}

/* It lets go when the dribbler stops, on a kick, when pulled too hard, and when another robot strikes the ball. */
TEST(test_dribble_lets_go)
{
    stage s = stage_of(1, 1);
    place(&s, 0, 0, 0, 0, 0);
    place(&s, 1, 1, 0.8, 0, 0);
    place(&s, 2, 0.1125, 0, 0, 0);
    s.actions[4] = 1;
    stage held = s;
    play_ticks(&held, 3);
    assert_int_equal(held.world.holder[0], 0);
    near_to(held.world.hold_x[0], 0.1125, 1e-15);
    stage t = held;
    t.actions[4] = 0;
    play_ticks(&t, 1);
    assert_int_equal(t.world.holder[0], -1);
    t = held;
    t.actions[3] = 3;
    play_ticks(&t, 1);
    assert_int_equal(t.world.holder[0], -1);
    assert_true(t.world.vx[2] == 3);
    t = held; /* 1 N moves the ball by less than 0.346 m/s in a tick; the robot turns the ball by more than that */
    t.options.stickiness = 1;
    t.world.spin[0] = 4;
    t.options.max_spin_acceleration = 0;
    play_ticks(&t, 1);
    assert_int_equal(t.world.holder[0], -1);
    t = held;
    t.world.spin[0] = 2;
    t.options.stickiness = 1;
    t.options.max_spin_acceleration = 0;
    play_ticks(&t, 1);
    assert_int_equal(t.world.holder[0], 0);
    t = held;
    place(&t, 1, 0.1125 + 0.1115 + 0.01, 0, -2, 0);
    play_ticks(&t, 1);
    assert_int_equal(t.world.holder[0], -1);
    assert_true(t.world.hold_x[0] == 0 && t.event_count >= 1 && t.events[0].first == 1 && t.events[0].second == 2);
}

/* ---- goals, leagues, options ---- */

TEST(test_goals)
{
    for (int player = 0; player < 2; player++) {
        const double sign = player == 0 ? 1 : -1;
        stage s = stage_of(1, 1);
        place(&s, 2, sign * 1.9, 0.2, sign * 12, 0);
        play_ticks(&s, 1);
        assert_int_equal(s.world.score[player], 1);
        assert_int_equal(s.world.score[1 - player], 0);
        assert_true(s.world.x[2] == 0 && s.world.vx[2] == 0 && fabs(s.world.x[0] + 0.4) < 0.02);
        place(&s, 2, sign * 1.9, 0.31, sign * 12, 0); /* next to the mouth of 0.6 */
        play_ticks(&s, 1);
        assert_int_equal(s.world.score[player], 1);
        assert_true(s.world.vx[2] * sign < 0);
        s.options.goals = 2;
        place(&s, 2, sign * 1.9, -0.29, sign * 12, 0);
        play_ticks(&s, 1);
        assert_int_equal(s.world.score[player], 2);
        assert_int_equal(s.world.end, CAROM_TERMINATED);
        assert_int_equal(s.world.winner, player);
    }
}

/* Teams of 1 to 11 and one to four balls on every field: at kick-off nothing overlaps, and nothing moves by itself. */
TEST(test_teams_and_fields)
{
    for (int league = 0; league < 3; league++) {
        for (uint32_t robots = 1; robots <= 11; robots++) {
            carom_soccer_options o = carom_soccer_options_of((carom_soccer_league)league);
            o.robots = robots;
            o.balls = 1 + robots % 4;
            OWNED(carom_worlds) *worlds = soccer_worlds(&o, 3, CAROM_ISA_DEFAULT, robots % 2 ? CAROM_F64 : CAROM_F32);
            static float actions[3][SOCCER_ACTIONS];
            soccer_ref_world w;
            memset(&w, 0, sizeof w);
            for (int tick = 0; tick < 5; tick++) {
                PLAY(worlds, .actions = actions);
            }
            soccer_get(worlds, 2, &w);
            const int count = 2 * (int)robots + (int)o.balls;
            for (int i = 0; i < count; i++) {
                assert_true(w.vx[i] == 0 && w.vy[i] == 0 && fabs(w.x[i]) < o.length / 2 && fabs(w.y[i]) < o.width / 2);
                for (int j = 0; j < i; j++)
                    assert_true(hypot(w.x[i] - w.x[j], w.y[i] - w.y[j]) > 0.18);
            }
            assert_int_equal(carom_worlds_counters(worlds).events, 0);
        }
    }
    const carom_soccer_options b = carom_soccer_options_default(), a = carom_soccer_options_of(CAROM_SOCCER_DIVISION_A);
    const carom_soccer_options first = carom_soccer_options_of(CAROM_SOCCER_ORIGINAL);
    assert_true(b.length == 9 && b.width == 6 && b.robots == 6 && a.length == 12 && a.width == 9 && a.robots == 11);
    assert_true(first.length == 4 && first.width == 2 && first.robot_radius == 0.09 && first.ball_mass == 0.0483);
}

TEST(test_refused)
{
    carom_worlds_desc desc = carom_worlds_desc_default(soccer_game());
    for (int k = 0; k < 12; k++) {
        carom_soccer_options o = carom_soccer_options_default();
        carom_worlds *worlds = NULL;
        if (k == 0)
            o.robots = 0;
        if (k == 1)
            o.robots = 12;
        if (k == 2)
            o.balls = 5;
        if (k == 3)
            o.rate = NAN;
        if (k == 4)
            o.length = 0.5;
        if (k == 5)
            o.mouth = o.width;
        if (k == 6)
            o.robot_restitution = 1.1;
        if (k == 7)
            o.ball_mass = 0;
        if (k == 8)
            o.max_spin = 1e3;
        if (k == 9)
            o.size = 3;
        if (k == 10)
            o.stickiness = INFINITY;
        if (k == 11)
            o.ball_radius = 1;
        desc.options = &o;
        assert_int_equal(carom_worlds_create(&desc, &worlds), CAROM_ERROR_ARGUMENT);
        assert_null(worlds);
    }
    stage s = stage_of(2, 1);
    OWNED(carom_worlds) *worlds = soccer_worlds(&s.options, 1, CAROM_ISA_DEFAULT, CAROM_F64);
    for (int k = 0; k < 14; k++) {
        soccer_ref_world w = s.world;
        if (k == 0)
            w.x[0] = NAN;
        if (k == 1)
            w.y[4] = 1025;
        if (k == 2)
            w.vx[1] = -INFINITY;
        if (k == 3)
            w.x[5] = 1; /* no such body */
        if (k == 4)
            w.angle[0] = 5;
        if (k == 5)
            w.spin[3] = 11;
        if (k == 6)
            w.ready[0] = -1;
        if (k == 7)
            w.holder[0] = 4;
        if (k == 8)
            w.holder[1] = 0;
        if (k == 9)
            w.winner = 2;
        if (k == 10)
            w.score[0] = -1;
        if (k == 11)
            w.hold_x[0] = NAN;
        if (k == 12)
            w.ready[4] = 1;
        if (k == 13)
            w.angle[4] = 1;
        assert_int_equal(soccer_try_put(worlds, 0, &w), CAROM_ERROR_VALUE);
    }
}

/* A ball squeezed between two robots that come together: a chain that ends, elastic from the 17th impact on. */
TEST(test_squeezed_ball)
{
    for (int k = 0; k < 3; k++) {
        stage s = stage_of(1, 1);
        s.options.ball_restitution = k * 0.45;
        place(&s, 0, -0.112, 0, 1, 0);
        place(&s, 1, 0.112, 0, -1, 0);
        play_ticks(&s, 1);
        assert_int_equal(s.faults, 0);
        assert_true(s.event_count > 3 && s.event_count < 200);
        assert_true(s.world.x[1] - s.world.x[0] > 0.222);
        assert_true(fabs(s.world.x[2]) < 0.01);
    }
}
