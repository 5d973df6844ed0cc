/* SPDX-License-Identifier: MIT
 * Ticks of scenes: actions, rewards and values, hooks, limits, faults, recording. Every case is played in all lanes of
 * a batch, on all instruction sets, in both precisions and engines, against numbers worked out by hand.
 */
#include "scene_batch.h"

#define WORLDS 18
#define MOST 4
#define EVENTS 8

/* A scene, a batch of it, and all outputs of a tick. */
typedef struct stage {
    carom_scene_desc desc;
    carom_scene_body bodies[MOST];
    carom_scene *scene;
    carom_worlds *worlds;
    carom_precision precision;
    carom_isa isa;
    carom_engine engine;
    float rewards[WORLDS];
    uint32_t counts[WORLDS];
    carom_event events[WORLDS * EVENTS];
    double moved[WORLDS][MOST][4];
    carom_step step;
} stage;

/* A body in the middle of a box of 100 x 100 around the origin; more are far off, at rest. */
static void set_stage(stage *s)
{
    s->desc = carom_scene_desc_default();
    s->desc.engine = s->engine;
    for (int i = 0; i < MOST; i++)
        s->bodies[i] = body_at(i == 0 ? 0 : 40, 10 * i, 0, 0, 1, 1);
    s->desc.bodies = s->bodies;
    s->desc.body_count = MOST;
    s->desc.box = (carom_scene_box){-50, -50, 50, 50, CAROM_SIDES_SOLID, CAROM_SIDES_SOLID, 1};
}

static void open_stage(stage *s)
{
    s->scene = make_scene(&s->desc);
    s->worlds = scene_worlds(s->scene, WORLDS, s->precision, s->isa, 1);
    s->step = carom_step_default();
    s->step.rewards = s->rewards;
    s->step.event_counts = s->counts;
    s->step.events = s->events;
    s->step.event_capacity = EVENTS;
    if (s->desc.body_count == MOST)
        s->step.moved = s->moved[0][0];
}

static void play(stage *s)
{
    must(carom_worlds_play(s->worlds, &s->step), "carom_worlds_play");
}

static void end_stage(stage *s)
{
    carom_worlds_destroy(s->worlds);
    carom_scene_destroy(s->scene);
}

/* A case on every instruction set, in both precisions and engines. */
typedef void scene_case(stage *s);

static void everywhere(scene_case *play_case)
{
    for (size_t k = 0; k < 4 * isa_count; k++) {
        static stage s;
        memset(&s, 0, sizeof s);
        s.isa = isas[k / 4];
        s.precision = k % 2 == 0 ? CAROM_F32 : CAROM_F64;
        s.engine = k % 4 < 2 ? CAROM_ENGINE_WIDE : CAROM_ENGINE_DEEP;
        set_stage(&s);
        play_case(&s);
    }
}

#define CASE(name) TEST_BY(everywhere, name, stage *s)

/* One number of one world. */
static double number(const stage *s, const char *name, size_t world, uint32_t body)
{
    OWNED(scene_state) v = scene_state_new(s->desc.body_count);
    scene_get(s->worlds, world, &v);
    double result = NAN;
    for (size_t f = 0; f < 4; f++)
        if (strcmp(name, scene_numbers[f]) == 0)
            result = v.number[f * v.n + body];
    return result;
}

static bool is_near(const stage *s, double a, double b)
{
    return fabs(a - b) <= (s->precision == CAROM_F64 ? 1e-14 : 4e-7) * (1 + fabs(b));
}

#define ASSERT_NUMBER(name, world, body, value)                                                                        \
    do {                                                                                                               \
        const double number_ = number(s, name, world, body);                                                           \
        if (!is_near(s, number_, value))                                                                               \
            fail_msg("%s of body %d in world %d: %.17g, not %.17g", name, (int)(body), (int)(world), number_,          \
                     (double)(value));                                                                                 \
    } while (0)

static int8_t flag(const stage *s, const char *name, size_t world)
{
    int8_t value;
    get_field(s->worlds, name, world, 1, &value);
    return value;
}

/* Event k of the last tick. */
static const carom_event *event_of(const stage *s, size_t world, size_t k)
{
    return &s->events[world * s->step.event_capacity + k];
}

/* ---- motion in time ---- */

/* A tick of 50 units, 35 of them to the side: 30% of the tick remain for the new velocity. */
CASE(test_35_of_50_units_leave_30_percent)
{
    s->bodies[0] = body_at(14, 0, 50, 0, 1, 1); /* its rim is 35 units from the side at 50 */
    open_stage(s);
    play(s);
    for (size_t w = 0; w < WORLDS; w++) {
        ASSERT_NUMBER("x", w, 0, 34); /* 15 units back from 49 */
        ASSERT_NUMBER("vx", w, 0, -50);
        assert_int_equal(s->counts[w], 1);
        assert_true(is_near(s, event_of(s, w, 0)->left, 0.3) && event_of(s, w, 0)->kind == CAROM_IMPACT_SIDE);
        assert_true(event_of(s, w, 0)->first == 0 && event_of(s, w, 0)->second == 1);
        assert_true(is_near(s, event_of(s, w, 0)->x, 50) && event_of(s, w, 0)->nx == -1 && event_of(s, w, 0)->ny == 0);
        assert_true(is_near(s, event_of(s, w, 0)->impulse, 100));
    }
    end_stage(s);
}

/* The tick length: the scene's, or the caller's; only what scene.h lists happens once a tick. */
CASE(test_dt)
{
    s->desc.dt = 0.5;
    s->bodies[0].vx = 4;
    s->bodies[0].damping = 0.5;
    open_stage(s);
    play(s);
    ASSERT_NUMBER("x", 3, 0, 2);
    ASSERT_NUMBER("vx", 3, 0, 2);
    s->step.dt = 3;
    play(s);
    ASSERT_NUMBER("x", 3, 0, 8);
    ASSERT_NUMBER("vx", 3, 0, 1);
    must(carom_worlds_step(s->worlds, 0.25, 2), "carom_worlds_step");
    ASSERT_NUMBER("x", 3, 0, 8.375);
    ASSERT_NUMBER("vx", 3, 0, 0.25);
    end_stage(s);
}

CASE(test_damping)
{
    const double shares[MOST] = {0, 0.25, 1, 0.5};
    for (int i = 0; i < MOST; i++) {
        s->bodies[i] = body_at(-30, -30 + 20 * i, 8, -4, 1, 1);
        s->bodies[i].damping = shares[i];
    }
    s->bodies[3].inactive = true;
    open_stage(s);
    play(s);
    for (size_t w = 0; w < WORLDS; w++)
        for (uint32_t i = 0; i < MOST; i++) {
            ASSERT_NUMBER("x", w, i, i == 3 ? -30 : -22); /* damping comes after the motion */
            ASSERT_NUMBER("vx", w, i, i == 3 ? 8 : 8 * (1 - shares[i]));
            ASSERT_NUMBER("vy", w, i, i == 3 ? -4 : -4 * (1 - shares[i]));
            assert_true(s->moved[w][i][2] == 8 && s->moved[w][i][3] == -4); /* and so after what is recorded */
        }
    end_stage(s);
}

CASE(test_speed_limit)
{
    s->desc.speed_limit = 5;
    s->desc.box.horizontal = s->desc.box.vertical = CAROM_SIDES_OPEN;
    s->bodies[0] = body_at(0, 0, 30, -40, 1, 1);
    s->bodies[1] = body_at(0, 10, 3, 4, 1, 1); /* just as fast as is allowed */
    s->bodies[2] = body_at(0, 20, s->precision == CAROM_F64 ? -1e300 : -1e30, 0, 1, 1);
    s->bodies[3] = body_at(0, 30, 1e-30, 1e-30, 1, 1);
    open_stage(s);
    play(s);
    for (size_t w = 0; w < WORLDS; w++) {
        ASSERT_NUMBER("vx", w, 0, 3);
        ASSERT_NUMBER("vy", w, 0, -4);
        ASSERT_NUMBER("x", w, 0, 3);
        ASSERT_NUMBER("y", w, 0, -4);
        assert_true(number(s, "vx", w, 1) == 3 && number(s, "vy", w, 1) == 4);
        assert_true(number(s, "vx", w, 2) == -5 && number(s, "vy", w, 2) == 0);
        assert_true(number(s, "vx", w, 3) > 0 && number(s, "vx", w, 3) < 2e-30);
    }
    end_stage(s);
}

/* ---- actions ---- */

/* Bodies 0, 2 and 3 act; 3 is not active. */
static void open_acting(stage *s, const char *kind)
{
    s->bodies[0] = body_at(0, 0, 1, 2, 1, 4);
    s->bodies[3].inactive = true;
    s->bodies[0].acts = s->bodies[2].acts = s->bodies[3].acts = true;
    s->desc.action_scale = 8;
    open_stage(s);
    s->step.action_kind = find_kind(carom_scene_game(s->scene), kind);
}

CASE(test_normalised_actions)
{
    const float given[][2] = {{0.5f, -0.25f}, {3, -7}, {NAN, 1}, {-INFINITY, NAN}, {-0.0f, 0}};
    const double wanted[][2] = {{0.5, -0.25}, {1, -1}, {0, 1}, {-1, 0}, {0, 0}};
    static float actions[WORLDS][3][2];
    open_acting(s, "normalised");
    for (size_t w = 0; w < WORLDS; w++)
        for (int k = 0; k < 3; k++)
            memcpy(actions[w][k], given[w % 5], sizeof given[0]);
    s->step.actions = actions;
    play(s);
    for (size_t w = 0; w < WORLDS; w++) {
        ASSERT_NUMBER("vx", w, 0, 1 + 2 * wanted[w % 5][0]); /* 8 over a mass of 4 */
        ASSERT_NUMBER("vy", w, 0, 2 + 2 * wanted[w % 5][1]);
        ASSERT_NUMBER("x", w, 0, 1 + 2 * wanted[w % 5][0]);
        ASSERT_NUMBER("vx", w, 2, 8 * wanted[w % 5][0]);
        assert_true(number(s, "vx", w, 1) == 0 && number(s, "vx", w, 3) == 0);
        assert_int_equal(flag(s, "fault", w), 0);
    }
    end_stage(s);
}

/* Impulses are not clamped; a NaN faults its world, and no other. */
CASE(test_impulse_actions)
{
    static double actions[WORLDS][3][2];
    open_acting(s, "impulse");
    for (size_t w = 0; w < WORLDS; w++)
        for (int k = 0; k < 3; k++) {
            actions[w][k][0] = (double)w;
            actions[w][k][1] = -2;
        }
    actions[4][0][1] = NAN;
    actions[5][0][0] = -INFINITY;
    actions[6][2][0] = NAN; /* of the inactive one: never read */
    actions[7][2][0] = INFINITY;
    s->step.actions = actions;
    play(s);
    for (size_t w = 0; w < WORLDS; w++) {
        const bool bad = w == 4 || w == 5;
        ASSERT_NUMBER("vx", w, 0, bad ? 1 : 1 + (double)w / 4);
        ASSERT_NUMBER("vy", w, 0, bad ? 2 : 1.5);
        ASSERT_NUMBER("x", w, 0, bad ? 0 : 1 + (double)w / 4);
        assert_int_equal(flag(s, "fault", w), w == 4 ? CAROM_FAULT_NAN : w == 5 ? CAROM_FAULT_RANGE : 0);
        assert_int_equal(flag(s, "frozen", w), bad);
    }
    assert_int_equal(carom_worlds_counters(s->worlds).ticks, WORLDS - 2);
    end_stage(s);
}

CASE(test_velocity_actions)
{
    static double actions[WORLDS][3][2];
    open_acting(s, "velocity");
    for (size_t w = 0; w < WORLDS; w++)
        for (int k = 0; k < 3; k++) {
            actions[w][k][0] = w % 2 == 0 ? NAN : (double)w;
            actions[w][k][1] = w % 3 == 0 ? NAN : -3;
        }
    s->step.actions = actions;
    play(s);
    for (size_t w = 0; w < WORLDS; w++) {
        ASSERT_NUMBER("vx", w, 0, w % 2 == 0 ? 1 : (double)w);
        ASSERT_NUMBER("vy", w, 0, w % 3 == 0 ? 2 : -3);
        assert_true(number(s, "vy", w, 2) == (w % 3 == 0 ? 0 : -3) && number(s, "vy", w, 3) == 0);
        assert_int_equal(flag(s, "fault", w), 0);
    }
    end_stage(s);
}

/* ---- faults ---- */

/* World w as a record. */
static void get_record(const stage *s, size_t w, unsigned char record[512])
{
    const size_t size = carom_worlds_record_size(s->worlds);
    assert_true(size <= 512);
    memset(record, 0, 512);
    must(carom_worlds_get_world(s->worlds, w, record, size), "carom_worlds_get_world");
}

/* Two bodies in a narrow box meet its sides without end; worlds 2, 3 and 17 do, the others are slow. */
CASE(test_faults_restore_the_start_of_the_tick)
{
    static unsigned char before[WORLDS][512];
    s->desc.max_events = 5;
    s->desc.body_count = 2;
    s->desc.box = (carom_scene_box){-2, -2, 2, 2, CAROM_SIDES_SOLID, CAROM_SIDES_SOLID, 1};
    s->desc.reward.kind = CAROM_MEASURE_ENERGY;
    s->bodies[0] = body_at(0, 1, 0.5, 0, 0.25, 2);
    s->bodies[1] = body_at(0, -1, 0, 0, 0.25, 2);
    s->bodies[0].damping = 0.5;
    open_stage(s);
    for (size_t w = 0; w < WORLDS; w++) {
        scene_state v = scene_state_new(2);
        scene_get(s->worlds, w, &v);
        v.number[4] = w == 2 || w == 17 ? 100 : w == 3 ? 20.5 : 0.5;
        scene_put(s->worlds, w, &v);
        end_scene_state(&v);
        get_record(s, w, before[w]);
    }
    play(s);
    unsigned bits;
    assert_int_equal(carom_worlds_faults(s->worlds, &bits), 3);
    assert_int_equal(bits, CAROM_FAULT_EVENTS);
    for (size_t w = 0; w < WORLDS; w++) {
        const bool bad = w == 2 || w == 3 || w == 17;
        unsigned char after[512];
        assert_int_equal(flag(s, "fault", w), bad ? CAROM_FAULT_EVENTS : 0);
        assert_int_equal(flag(s, "frozen", w), bad);
        get_record(s, w, after);
        before[w][16] = bad ? CAROM_TRUNCATED : 0; /* id, episode, tick: 16 bytes; end, fault, frozen */
        before[w][17] = bad ? CAROM_FAULT_EVENTS : 0;
        before[w][18] = bad;
        assert_true((memcmp(before[w], after, 512) == 0) == bad);
        assert_int_equal(s->counts[w], bad ? 5 : 0);
        assert_true(is_near(s, (double)s->rewards[w], bad ? 0 : 0.0625)); /* after damping: 0.25 a tick */
    }
    carom_counters counters = carom_worlds_counters(s->worlds);
    assert_true(counters.ticks == WORLDS - 3 && counters.events == 0);
    /* they stay as they are, without an error */
    play(s);
    for (size_t w = 0; w < WORLDS; w++) {
        assert_int_equal(flag(s, "frozen", w), w == 2 || w == 3 || w == 17);
        assert_true(w != 2 || (s->counts[w] == 0 && s->rewards[w] == 0));
    }
    end_stage(s);
}

/* Out of range in the tick: put back. */
CASE(test_range_faults)
{
    const double range = s->precision == CAROM_F64 ? CAROM_SCENE_RANGE_F64 : CAROM_SCENE_RANGE_F32;
    s->desc.box.horizontal = s->desc.box.vertical = CAROM_SIDES_OPEN;
    s->bodies[0] = body_at(range - 10, 0, 4, 0, 1, 1);
    s->bodies[1] = body_at(0, 0, 0, -1, 1, 1);
    open_stage(s);
    s->step.ticks = 1;
    for (int tick = 0; tick < 4; tick++)
        play(s);
    for (size_t w = 0; w < WORLDS; w++) {
        assert_true(number(s, "x", w, 0) == range - 2 && number(s, "y", w, 1) == -2);
        assert_int_equal(flag(s, "fault", w), CAROM_FAULT_RANGE);
    }
    end_stage(s);
}

/* ---- rewards and values ---- */

static void user_measure(void *user, const carom_scene_range *range)
{
    const double *factor = (const double *)user;
    for (size_t l = 0; l < range->count; l++)
        range->value[l] = *factor * (range->precision == CAROM_F64 ? range->x64[l] : (double)range->x32[l]) +
                          100 * (double)(range->first + l);
}

/* Every measure as reward and as final value. */
CASE(test_measures)
{
    static double factor = 0.5, values[WORLDS];
    const double rewards[] = {0, -5, 98, 1, 0};
    for (int kind = CAROM_MEASURE_NONE; kind <= CAROM_MEASURE_USER; kind++) {
        set_stage(s);
        s->bodies[0] = body_at(45, 0, 8, 1, 1, 3);
        s->bodies[1] = body_at(-49, 20, 0, 1, 1, 1); /* touches, does not approach */
        s->bodies[2].mass = INFINITY;
        s->bodies[2].x = 40;
        s->bodies[2].y = -40;
        s->bodies[3].vx = -9;
        s->bodies[3].inactive = true;
        s->desc.reward = (carom_scene_measure){(carom_measure_kind)kind, 0, 42, -3, user_measure};
        s->desc.final_value = s->desc.reward;
        s->desc.user = &factor;
        open_stage(s);
        play(s); /* body 0 is at (45, 1) again, 3 and 4 from the target; its velocity is (-8, 1) */
        for (size_t w = 0; w < WORLDS; w++)
            assert_true(
                is_near(s, (double)s->rewards[w], kind == CAROM_MEASURE_USER ? 22.5 + 100 * (double)w : rewards[kind]));
        carom_rollout_desc desc = carom_rollout_desc_default(carom_scene_game(s->scene));
        desc.discount = 0.5;
        desc.final_weight = 4;
        must(carom_rollout(s->worlds, &desc, values, NULL, NULL), "carom_rollout");
        /* one more tick: (37, 2); the reward counts once, the final value 4 * 0.5 times */
        const double far = -sqrt(25 + 25);
        for (size_t w = 0; w < WORLDS; w++) {
            const double user = 18.5 + 100 * (double)w;
            const double each[] = {0, far + 2 * far, 98 + 2 * 98, 0, user + 2 * user};
            if (!(fabs(values[w] - each[kind]) <= 4e-7 * (1 + fabs(each[kind])))) /* rewards are floats */
                fail_msg("value of kind %d in world %d: %.17g, not %.17g", kind, (int)w, values[w], each[kind]);
        }
        end_stage(s);
    }
}

/* Impacts of one body, of a tick. */
CASE(test_impacts_measure)
{
    s->desc.body_count = 2;
    s->desc.box = (carom_scene_box){-2, -2, 2, 2, CAROM_SIDES_SOLID, CAROM_SIDES_SOLID, 1};
    s->desc.reward = (carom_scene_measure){CAROM_MEASURE_IMPACTS, 1, 0, 0, NULL};
    s->bodies[0] = body_at(0, 1, 20.5, 0, 0.25, 1);
    s->bodies[1] = body_at(0, -1, 10.5, 0, 0.25, 1);
    open_stage(s);
    play(s);
    for (size_t w = 0; w < WORLDS; w++) {
        assert_true(s->rewards[w] == 3 && s->counts[w] == 9);
        assert_true(event_of(s, w, 0)->first == 0 && event_of(s, w, 1)->first == 1);
    }
    end_stage(s);
}

/* ---- recording ---- */

/* More impacts than the capacity: all are counted, the first are stored; with capacity 0 they are counted, too. */
CASE(test_capacity)
{
    s->desc.body_count = 1;
    s->desc.box = (carom_scene_box){-2, -2, 2, 2, CAROM_SIDES_SOLID, CAROM_SIDES_SOLID, 1};
    s->bodies[0] = body_at(0, 0, 30, 0, 1, 1); /* sides are 2 apart for its centre: 15 impacts */
    open_stage(s);
    carom_event guard;
    memset(&guard, 0x5a, sizeof guard);
    for (size_t k = 0; k < WORLDS * EVENTS; k++)
        s->events[k] = guard;
    s->step.event_capacity = 5;
    play(s);
    for (size_t w = 0; w < WORLDS; w++) {
        assert_int_equal(s->counts[w], 15);
        for (size_t k = 0; k < 5; k++) {
            const carom_event *event = event_of(s, w, k);
            assert_true(is_near(s, event->left, 1 - (1 + 2 * (double)k) / 30));
            assert_int_equal(event->second, k % 2 == 0 ? 1 : 0);
        }
    }
    assert_memory_equal(&s->events[WORLDS * 5], &guard, sizeof guard);
    s->step.events = NULL;
    play(s);
    for (size_t w = 0; w < WORLDS; w++)
        assert_int_equal(s->counts[w], 15);
    assert_int_equal(carom_worlds_counters(s->worlds).events, 2 * 15 * WORLDS);
    end_stage(s);
}

/* A triggered sensor is an event, and a goal. */
CASE(test_sensors)
{
    s->bodies[0].vx = 10;
    s->bodies[1] = body_at(6, 0, 0, 0, 1, 1);
    s->bodies[1].sensor = true;
    open_stage(s);
    play(s);
    for (size_t w = 0; w < WORLDS; w++) {
        assert_int_equal(s->counts[w], 1);
        assert_true(event_of(s, w, 0)->first == 0 && event_of(s, w, 0)->second == 1 && event_of(s, w, 0)->impulse == 0);
        assert_true(is_near(s, event_of(s, w, 0)->left, 0.6) && event_of(s, w, 0)->kind == CAROM_IMPACT_BODY);
        ASSERT_NUMBER("x", w, 0, 10);
    }
    const carom_counters counters = carom_worlds_counters(s->worlds);
    assert_true(counters.goals == WORLDS && counters.events == WORLDS);
    end_stage(s);
}
