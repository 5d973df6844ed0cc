/* SPDX-License-Identifier: MIT
 * Records across ticks (kernel/scenes/record.h): what they must not depend on (calls, saves, copies, engines), what
 * starts new ones (writes, hooks, another dt, a restart, damage), and their purpose: positions without the rounding of
 * ticks.
 */
#include "scene_stage.h"

#include <stdlib.h>

#define BODIES 24
#define WORLDS 5
#define TICKS 60
#define STEP 0.0625

/* A gas in a periodic or solid box, with or without different accelerations. */
static gas some_gas(uint64_t seed, bool falls)
{
    gas g = gas_of(seed, BODIES, 6, 0.3, true, falls ? CAROM_SIDES_SOLID : CAROM_SIDES_PERIODIC);
    for (uint32_t k = 0; k < BODIES && falls; k++) {
        g.bodies[k].ay = -1 - 0.1 * (k % 3);
        g.bodies[k].ax = 0.05 * (k % 2);
    }
    return g;
}

/* ---- a world that is written to, against the reference ---- */

/* Changes to a world before its tick number `tick`, the same for the engine and the reference. */
static void meddle(scene_state *s, int tick)
{
    const uint32_t n = s->n, k = (uint32_t)tick * 7 % n;
    double *x = s->number, *vx = x + 2 * n, *vy = x + 3 * n;
    switch (tick % 9) {
    case 2: /* another velocity */
        vx[k] = 0.25 - vx[k];
        break;
    case 3: /* another position: mirrored */
        x[k] = -0.5 * x[k];
        break;
    case 4: /* nowhere */
        s->active[k] = 0;
        break;
    case 6: /* back, where it was */
        s->active[(uint32_t)(tick - 2) * 7 % n] = 1;
        break;
    case 7: /* at rest */
        vx[k] = vy[k] = 0;
        break;
    case 8: /* another height */
        x[n + k] = -0.5 * x[n + k];
        break;
    default: /* it continues */
        break;
    }
}

/* The meddler of an engine: by set, by view, or by a hook. */
enum { BY_SET, BY_VIEW, BY_HOOK, WAYS };

/* For the hook: all worlds are equal, with fields of one precision. */
static void meddle_in(void *user, const carom_scene_range *range)
{
    (void)user;
    OWNED(scene_state) s = scene_state_new(BODIES);
    for (size_t l = 0; l < range->count; l++) {
        for (size_t e = 0; e < BODIES; e++) {
            const size_t at = e * range->stride + l;
            s.number[e] = range->x64[at], s.number[BODIES + e] = range->y64[at];
            s.number[2 * BODIES + e] = range->vx64[at];
            s.number[3 * BODIES + e] = range->vy64[at], s.active[e] = range->active[at];
        }
        meddle(&s, range->tick[l]);
        for (size_t e = 0; e < BODIES; e++) {
            const size_t at = e * range->stride + l;
            range->x64[at] = s.number[e], range->y64[at] = s.number[BODIES + e];
            range->vx64[at] = s.number[2 * BODIES + e];
            range->vy64[at] = s.number[3 * BODIES + e], range->active[at] = s.active[e];
        }
    }
}

/* Writes one field of world 0 in place. */
static void write_view(carom_worlds *worlds, const char *name, const void *values, size_t bytes)
{
    size_t index;
    carom_view view;
    must(carom_worlds_find_field(worlds, name, &index), name);
    must(carom_worlds_view(worlds, index, &view), "carom_worlds_view");
    for (size_t e = 0; e < BODIES; e++) {
        memcpy((char *)view.data + e * view.element_stride, (const char *)values + e * bytes, bytes);
    }
}

static void write_state(carom_worlds *worlds, const scene_state *s, int way)
{
    for (size_t f = 0; f < 4; f++) {
        if (way == BY_VIEW) {
            write_view(worlds, scene_numbers[f], s->number + f * BODIES, sizeof(double));
        } else {
            set_field(worlds, scene_numbers[f], 0, 1, s->number + f * BODIES);
        }
    }
    if (way == BY_VIEW) {
        write_view(worlds, "active", s->active, 1);
    } else {
        set_field(worlds, "active", 0, 1, s->active);
    }
}

/* Equal numbers, records included. */
static void assert_equal_states(const scene_state *a, const scene_state *b, const char *what, int tick)
{
    for (size_t k = 0; k < 9 * (size_t)a->n; k++) {
        if (a->number[k] != b->number[k]) {
            fail_msg("%s, tick %d: %s of body %zu is %.17g, want %.17g", what, tick, scene_numbers[k / a->n], k % a->n,
                     a->number[k], b->number[k]);
        }
    }
    assert_memory_equal(a->ticks, b->ticks, a->n * sizeof *a->ticks);
    assert_int_equal(a->clock.now, b->clock.now);
    assert_true(a->clock.dt == b->clock.dt);
}

static void check_meddled(const gas *g, carom_engine engine, int way)
{
    static const char *const ways[] = {"by set", "by view", "by hook"};
    carom_scene_desc desc = g->desc;
    desc.engine = engine;
    desc.tick_hook = way == BY_HOOK ? meddle_in : NULL;
    OWNED(carom_scene) *scene = make_scene(&desc);
    OWNED(carom_worlds) *worlds = scene_worlds(scene, 1, CAROM_F64, CAROM_ISA_DEFAULT, 1);
    OWNED(scene_state) want = scene_state_new(BODIES), have = scene_state_new(BODIES);
    scene_get(worlds, 0, &want);
    uint32_t old = 0; /* records of an earlier tick: without them this would test nothing */
    for (int tick = 0; tick < TICKS; tick++) {
        const double dt = tick >= 40 && tick < 45 ? STEP / 2 : STEP;
        meddle(&want, tick);
        if (way != BY_HOOK) {
            write_state(worlds, &want, way);
        }
        assert_int_equal(scene_reference_tick(&g->desc, CAROM_F64, dt, &want, NULL), 0);
        must(carom_worlds_step(worlds, dt, 1), "carom_worlds_step");
        scene_get(worlds, 0, &have);
        assert_equal_states(&have, &want, ways[way], tick);
        for (uint32_t k = 0; k < BODIES; k++) {
            old += have.ticks[k] >= 0 && have.ticks[k] < tick;
        }
    }
    assert_true(old > BODIES * TICKS / 4);
}

TEST(test_writes)
{
    for (int falls = 0; falls < 2; falls++) {
        gas g = some_gas(11, falls != 0);
        for (int engine = CAROM_ENGINE_WIDE; engine <= CAROM_ENGINE_DEEP; engine++) {
            for (int way = 0; way < WAYS; way++) {
                check_meddled(&g, (carom_engine)engine, way);
            }
        }
        free(g.bodies);
    }
}

/* ---- saves, copies, and one call or many ---- */

static void assert_same_hashes(const carom_worlds *a, const carom_worlds *b)
{
    uint64_t here[WORLDS], there[WORLDS];
    must(carom_worlds_hash(a, 0, WORLDS, here), "carom_worlds_hash");
    must(carom_worlds_hash(b, 0, WORLDS, there), "carom_worlds_hash");
    assert_memory_equal(here, there, sizeof here);
}

/* Into another batch, through a file's bytes. */
static void save_and_load(const carom_worlds *from, carom_worlds *to)
{
    const size_t size = carom_worlds_save_size(from);
    FREED void *bytes = take(size);
    must(carom_worlds_save(from, bytes, size), "carom_worlds_save");
    must(carom_worlds_load(to, bytes, size), "carom_worlds_load");
}

/* TICKS ticks in one call, against calls of random lengths, each in the other batch than the one before. */
TEST(test_saves)
{
    uint64_t rng = test_seed(5);
    for (int k = 0; k < 8; k++) {
        const carom_precision precision = k & 1 ? CAROM_F32 : CAROM_F64;
        const carom_engine engine = k & 2 ? CAROM_ENGINE_DEEP : CAROM_ENGINE_WIDE;
        gas g = some_gas(20 + (uint64_t)k, (k & 4) != 0);
        g.desc.engine = engine;
        for (uint32_t b = 0; b < BODIES; b++) {
            g.bodies[b].vx_spread = 0.25; /* so that worlds differ */
        }
        OWNED(carom_scene) *scene = make_scene(&g.desc);
        OWNED(carom_worlds) *whole = scene_worlds(scene, WORLDS, precision, CAROM_ISA_DEFAULT, 1);
        OWNED(carom_worlds) *one = scene_worlds(scene, WORLDS, precision, CAROM_ISA_SCALAR, 1);
        OWNED(carom_worlds) *other = scene_worlds(scene, WORLDS, precision, CAROM_ISA_DEFAULT, 1);
        must(carom_worlds_step(whole, STEP, TICKS), "carom_worlds_step");
        carom_worlds *now = one, *next = other;
        for (size_t left = TICKS; left > 0;) {
            const size_t ticks = (size_t)rng_below(&rng, 9) + 1, most = ticks < left ? ticks : left;
            must(carom_worlds_step(now, STEP, most), "carom_worlds_step");
            left -= most;
            if (rng_below(&rng, 2) == 0) {
                save_and_load(now, next);
            } else {
                size_t all[WORLDS];
                for (size_t w = 0; w < WORLDS; w++) {
                    all[w] = w;
                }
                must(carom_worlds_copy(next, all, now, all, WORLDS), "carom_worlds_copy");
            }
            carom_worlds *const swap = now;
            now = next, next = swap;
        }
        assert_same_hashes(now, whole);
        free(g.bodies);
    }
}

/* All instruction sets and both engines leave the same worlds, records included. */
TEST(test_same)
{
    for (int k = 0; k < 4; k++) {
        uint64_t first = 0;
        gas g = some_gas(31, k >= 2);
        for (size_t i = 0; i < 2 * isa_count; i++) {
            g.desc.engine = i % 2 == 0 ? CAROM_ENGINE_WIDE : CAROM_ENGINE_DEEP;
            OWNED(carom_scene) *scene = make_scene(&g.desc);
            OWNED(carom_worlds) *worlds =
                scene_worlds(scene, WORLDS, k % 2 == 0 ? CAROM_F32 : CAROM_F64, isas[i / 2], 1);
            must(carom_worlds_step(worlds, STEP, TICKS), "carom_worlds_step");
            const uint64_t digest = digest_of(worlds);
            first = i == 0 ? digest : first;
            assert_true(digest == first);
        }
        free(g.bodies);
    }
}

/* ---- restarts, counters, damage ---- */

/* One moving body, in both engines. */
static carom_scene_desc alone(carom_scene_body *body, carom_engine engine)
{
    carom_scene_desc desc = carom_scene_desc_default();
    desc.bodies = body;
    desc.body_count = 1;
    desc.engine = engine;
    return desc;
}

TEST(test_restart)
{
    carom_scene_body body = body_at(0, 0, 0.3, 0.1, 1, 1);
    for (int engine = CAROM_ENGINE_WIDE; engine <= CAROM_ENGINE_DEEP; engine++) {
        const carom_scene_desc desc = alone(&body, (carom_engine)engine);
        OWNED(carom_scene) *scene = make_scene(&desc);
        OWNED(carom_worlds) *used = scene_worlds(scene, 1, CAROM_F64, CAROM_ISA_DEFAULT, 1);
        OWNED(carom_worlds) *fresh = scene_worlds(scene, 1, CAROM_F64, CAROM_ISA_DEFAULT, 1);
        must(carom_worlds_step(used, 0.1, 7), "carom_worlds_step");
        must(carom_worlds_reset(used), "carom_worlds_reset");
        assert_true(digest_of(used) == digest_of(fresh));
        must(carom_worlds_step(used, 0.1, 3), "carom_worlds_step");
        must(carom_worlds_step(fresh, 0.1, 3), "carom_worlds_step");
        assert_true(digest_of(used) == digest_of(fresh));
    }
}

/* When its tick counter saturates, a world still plays on. */
TEST(test_counter)
{
    carom_scene_body body = body_at(0, 0, 0.5, -0.25, 1, 1);
    for (int engine = CAROM_ENGINE_WIDE; engine <= CAROM_ENGINE_DEEP; engine++) {
        const carom_scene_desc desc = alone(&body, (carom_engine)engine);
        OWNED(stage) s = stage_of(&desc, engine, CAROM_F32);
        const int32_t last = INT32_MAX - 2;
        set_field(s.worlds, "tick", 0, 1, &last);
        play(&s, 0.5, 8);
        assert_true(x_of(&s.state, 0) == 2 && y_of(&s.state, 0) == -1);
    }
}

/* A record that makes no sense, or leads elsewhere, is as none. */
TEST(test_damage)
{
    static const struct {
        int32_t tick;
        double x, time, dt;
    } damage[] = {{3, 0.5, 0, 0.1},         {INT32_MAX, 0, 0, 0.1}, {INT32_MIN, 0, 0, 0.1}, {-1, 0, 0, 0.1},
                  {2, 0, 0.1 * 2, 0.1},     {2, 0, -0.1, 0.1},      {1, 0, 0, 0.2},         {1, 1e8, 0.05, 0.1},
                  {INT32_MIN + 4, 0, 0, 0}, {5, 0, 0.05, 0.1}};
    carom_scene_body body = body_at(0, 0, 0.3, 0.1, 1, 1);
    for (int engine = CAROM_ENGINE_WIDE; engine <= CAROM_ENGINE_DEEP; engine++) {
        const carom_scene_desc desc = alone(&body, (carom_engine)engine);
        OWNED(carom_scene) *scene = make_scene(&desc);
        for (size_t k = 0; k < sizeof damage / sizeof *damage; k++) {
            OWNED(carom_worlds) *worlds = scene_worlds(scene, 1, CAROM_F64, CAROM_ISA_DEFAULT, 1);
            OWNED(scene_state) s = scene_state_new(1);
            must(carom_worlds_step(worlds, 0.1, 5), "carom_worlds_step");
            scene_get(worlds, 0, &s);
            s.ticks[0] = damage[k].tick, s.clock.dt = damage[k].dt;
            s.clock.x[0] = damage[k].x, s.clock.t[0] = damage[k].time;
            scene_put(worlds, 0, &s);
            const double x = x_of(&s, 0), y = y_of(&s, 0);
            must(carom_worlds_step(worlds, 0.1, 1), "carom_worlds_step");
            scene_get(worlds, 0, &s);
            assert_int_equal(s.ticks[0], 5);
            assert_true(s.clock.x[0] == x && s.clock.y[0] == y && s.clock.t[0] == 0 && s.clock.dt == 0.1);
            assert_true(x_of(&s, 0) == x + 0.3 * 0.1 && y_of(&s, 0) == y + 0.1 * 0.1);
        }
    }
}

/* ---- accuracy ---- */

/* After a million ticks a body in f32 is where its record says, to the last bit: nothing was rounded on the way. */
TEST(test_million_ticks)
{
    const int ticks = 1000000;
    carom_scene_body body = body_at(-3, 40, 0.0123, -0.0371, 1, 1);
    const carom_scene_desc desc = alone(&body, CAROM_ENGINE_WIDE);
    OWNED(stage) s = stage_of(&desc, CAROM_ENGINE_WIDE, CAROM_F32);
    play(&s, 0.001, (size_t)ticks);
    const float age = (float)ticks * 0.001f;
    assert_true(x_of(&s.state, 0) == (double)(-3 + 0.0123f * age) && y_of(&s.state, 0) == (double)(40 - 0.0371f * age));
    assert_int_equal(s.state.ticks[0], 0);
}

/* Two bodies fly for ten thousand small ticks, and collide at the right time: in f32, too, ticks of 2^-13 of the path
 * do not add up to an error. */
TEST(test_meeting_after_many_ticks)
{
    carom_scene_body bodies[2] = {body_at(-10, 0, 1, 0, 0.5, 1), body_at(10, 0, -0.9, 0, 0.5, 1)};
    for (int engine = CAROM_ENGINE_WIDE; engine <= CAROM_ENGINE_DEEP; engine++) {
        carom_scene_desc desc = carom_scene_desc_default();
        desc.bodies = bodies;
        desc.body_count = 2;
        OWNED(stage) s = stage_of(&desc, engine, CAROM_F32);
        play(&s, 0.001, 9999);
        assert_int_equal(impacts_of(&s), 0);
        play(&s, 0.001, 2);
        assert_int_equal(impacts_of(&s), 1); /* 19 / 1.9 */
        play(&s, 0.001, 5000);
        assert_true(fabs(x_of(&s.state, 0) - (-10 + 10 - 0.9 * 5.001)) < 4e-6);
        assert_true(s.state.ticks[0] == 9999 || s.state.ticks[0] == 10000);
    }
}

/* A ball is thrown up through a sensor, which notices it on the way up and on the way down. */
TEST(test_sensor_twice)
{
    carom_scene_body bodies[2] = {body_at(0, 0, 0, 6, 0.25, 1), body_at(0, 3, 0, 0, 0.25, INFINITY)};
    bodies[0].ay = -6;
    bodies[0].y = 1;
    bodies[1].sensor = true;
    for (int engine = CAROM_ENGINE_WIDE; engine <= CAROM_ENGINE_DEEP; engine++) {
        carom_scene_desc desc = carom_scene_desc_default();
        desc.bodies = bodies;
        desc.body_count = 2;
        OWNED(stage) s = stage_of(&desc, engine, CAROM_F64);
        play(&s, 0.05, 50); /* up to y = 4, and back */
        assert_int_equal(impacts_of(&s), 2);
        assert_int_equal(carom_worlds_counters(s.worlds).goals, 2);
    }
}

/* An old save has no records: it is refused. */
TEST(test_old_save)
{
    carom_scene_body body = body_at(0, 0, 0.3, 0.1, 1, 1);
    carom_scene_desc desc = alone(&body, CAROM_ENGINE_WIDE);
    OWNED(carom_scene) *scene = make_scene(&desc);
    desc.advance = CAROM_ADVANCE_ALL; /* its worlds have the fields that every scene has */
    OWNED(carom_scene) *old = make_scene(&desc);
    OWNED(carom_worlds) *worlds = scene_worlds(scene, 1, CAROM_F64, CAROM_ISA_DEFAULT, 1);
    OWNED(carom_worlds) *before = scene_worlds(old, 1, CAROM_F64, CAROM_ISA_DEFAULT, 1);
    const size_t size = carom_worlds_save_size(before);
    FREED void *bytes = take(size);
    must(carom_worlds_save(before, bytes, size), "carom_worlds_save");
    assert_int_equal(carom_worlds_load(worlds, bytes, size), CAROM_ERROR_FORMAT);
}
