/* SPDX-License-Identifier: MIT
 * Scenes at the edge of what numbers can hold, and piles and crowds, which have the most impacts.
 * CAROM_TEST_ONLY=test_... in the environment plays one of the tests.
 */
#define _XOPEN_SOURCE 700
#include "cancel.h"
#include "scene_stage.h"

#include <float.h>

/* ---- numbers ---- */

/* A tick length that f32 cannot represent is refused when worlds are created. */
TEST(test_ticks_that_f32_cannot_hold)
{
    const double lengths[] = {1e-300, 1e-45, 1e39, 1e-37, 1};
    carom_scene_body body = body_at(0, 0, 1e-30, 0, 1, 1);
    carom_scene_desc d = carom_scene_desc_default();
    d.bodies = &body;
    d.body_count = 1;
    for (int engine = CAROM_ENGINE_WIDE; engine <= CAROM_ENGINE_DEEP; engine++) {
        d.engine = (carom_engine)engine;
        for (size_t k = 0; k < sizeof lengths / sizeof *lengths; k++) {
            d.dt = lengths[k];
            OWNED(carom_scene) *scene = make_scene(&d);
            carom_worlds_desc desc = carom_worlds_desc_default(carom_scene_game(scene));
            carom_worlds *worlds = make_worlds(&desc);
            carom_worlds_destroy(worlds);
            desc.precision = CAROM_F32;
            assert_int_equal(carom_worlds_create(&desc, &worlds), k < 3 ? CAROM_ERROR_VALUE : CAROM_OK);
            if (k >= 3) {
                play_step(worlds, STEP_WITH());
                carom_worlds_destroy(worlds);
            }
        }
    }
    carom_scene *scene = NULL;
    carom_problem problem;
    d.dt = DBL_MIN / 2;
    assert_int_equal(carom_scene_create(&d, &scene, &problem), CAROM_ERROR_VALUE);
    assert_non_null(strstr(problem.text, "dt"));
}

/* Velocities that overflow give the same fault in both engines, and in the reference. */
TEST(test_velocities_that_overflow)
{
    const double speeds[] = {3.4e38, 3e38, 2e37, 1e30, 0}, x[] = {-3, -2, -2}, y[] = {-3, -3, 3};
    const carom_scene_polygon polygon = {x, y, 3, 1, false};
    unsigned kinds = 0, wrong = 0;
    for (int k = 0; k < 5 * 5 * 8; k += unless_short(1, 3)) {
        carom_scene_body body = body_at(0, 0, speeds[k % 5], speeds[k / 5 % 5], 0.5, 1);
        carom_scene_desc d = carom_scene_desc_default();
        const carom_scene_box box = {-8, -8, 8, 8, (carom_scene_sides)(k / 25 % 2 + 1), (carom_scene_sides)(k / 50 % 2),
                                     1};
        d.bodies = &body;
        d.body_count = 1;
        d.max_events = 80;
        d.polygons = &polygon;
        d.polygon_count = 1;
        d.box = box;
        body.ay = k / 100 != 0 ? -1 : 0;
        OWNED(scene_state) s = scene_state_new(1);
        s.number[2] = body.vx, s.number[3] = body.vy;
        s.active[0] = 1;
        const unsigned want = scene_reference_tick(&d, CAROM_F32, 1, &s, NULL);
        for (int engine = CAROM_ENGINE_WIDE; engine <= CAROM_ENGINE_DEEP; engine++) {
            OWNED(stage) at = stage_of(&d, engine, CAROM_F32);
            uint32_t fault = 0;
            must(carom_worlds_step(at.worlds, 1, 1), "carom_worlds_step");
            carom_worlds_faults(at.worlds, &fault);
            if (fault != want) {
                print_message("case %d, engine %d: fault %u, not %u\n", k, engine, fault, want);
            }
            wrong += fault != want;
        }
        kinds |= want;
    }
    assert_int_equal(wrong, 0);
    assert_true((kinds & CAROM_FAULT_NAN) != 0 && (kinds & CAROM_FAULT_EVENTS) != 0);
}

/* Speeds beyond the range of float are observed as the greatest float. */
TEST(test_observations_are_finite)
{
    carom_scene_body body = body_at(1, 2, 1e300, -1e39, 1, 1);
    carom_scene_desc d = carom_scene_desc_default();
    d.bodies = &body;
    d.body_count = 1;
    for (int engine = CAROM_ENGINE_WIDE; engine <= CAROM_ENGINE_DEEP; engine++) {
        OWNED(stage) s = stage_of(&d, engine, CAROM_F64);
        float seen[4];
        must(carom_worlds_observe(s.worlds, seen), "carom_worlds_observe");
        assert_true(seen[0] == 1 && seen[1] == 2 && seen[2] == FLT_MAX && seen[3] == -FLT_MAX);
    }
}

/* Idle threads allocate no memory. */
TEST(test_threads_without_work)
{
    carom_scene_body body = body_at(0, 0, 0, 0, 1, 1);
    carom_scene_desc d = carom_scene_desc_default();
    d.bodies = &body;
    d.body_count = 1;
    OWNED(carom_scene) *scene = make_scene(&d);
    carom_worlds_desc desc = WORLDS_DESC(carom_scene_game(scene), .count = 33, .threads = 33);
    const size_t bytes = carom_worlds_bytes(&desc);
    desc.threads = CAROM_MAX_THREADS;
    assert_int_equal(carom_worlds_bytes(&desc), bytes);
}

TEST(test_no_gas)
{
    const carom_gas_desc desc = carom_gas_describe(NULL);
    assert_true(desc.size == 0 && carom_gas_side(NULL) == 0);
}

/* ---- piles ---- */

/* columns x rows equal disks on a hexagonal lattice in a box, `gap` apart. */
static carom_scene_desc pile_of(carom_scene_body *bodies, uint32_t columns, uint32_t rows, double gap)
{
    carom_scene_desc d = carom_scene_desc_default();
    const double step = 1 + gap;
    uint64_t rng = columns;
    for (uint32_t k = 0; k < columns * rows; k++) {
        const uint32_t i = k % columns, j = k / columns;
        bodies[k] = body_at(0.5 + gap + step * (i + 0.5 * (j % 2)) + rng_in(&rng, -0.3, 0.3) * gap,
                            0.5 + gap + step * 0.8660254037844386 * j, 0, 0, 0.5, 1);
        bodies[k].restitution = 0;
        bodies[k].ay = -9.81;
    }
    const carom_scene_box box = {
        0, 0, step * (columns + 0.5) + 2 * gap, 2.0 * rows, CAROM_SIDES_SOLID, CAROM_SIDES_SOLID, 1};
    d.bodies = bodies;
    d.body_count = columns * rows;
    d.box = box;
    d.dt = 1.0 / 60;
    return d;
}

/* A settled pile stays in place, at the cost that scene.h states. A disk on another is held up by impacts, or by the
 * settling of a group, which counts as one, and overlaps it by no more than rounding: without impacts they would fall
 * through each other. */
static void rests(uint32_t columns, uint32_t rows, double contact_time, int engine, carom_precision precision,
                  size_t falling, size_t ticks)
{
    FREED carom_scene_body *bodies = calloc((size_t)columns * rows, sizeof *bodies);
    carom_scene_desc d = pile_of(bodies, columns, rows, 1e-3);
    d.contact_time = contact_time;
    OWNED(stage) s = stage_of(&d, engine, precision);
    play(&s, d.dt, falling);
    OWNED(scene_state) before = scene_state_new(d.body_count);
    scene_state_copy(&before, &s.state);
    const uint64_t impacts = impacts_of(&s);
    play(&s, d.dt, ticks);
    const double each = (double)(impacts_of(&s) - impacts) / (double)(d.body_count * ticks);
    const double layers = rows * fmax(d.dt / contact_time, 1);
    double moved = 0;
    for (uint32_t k = 0; k < d.body_count; k++) {
        moved = fmax(moved, hypot(x_of(&s.state, k) - x_of(&before, k), y_of(&s.state, k) - y_of(&before, k)));
    }
    const double nearest = closest(&d, &s.state);
    print_message(
        "%u x %u, dt / contact_time %.3g, %s: %.3g impacts a body and tick, moved by %.2g, nearest 1 - %.2g\n", columns,
        rows, d.dt / contact_time, precision == CAROM_F32 ? "f32" : "f64", each, moved, 1 - nearest);
    /* Where a tick is shorter than a contact, most groups settle with their first touch. */
    assert_true(each > (contact_time > d.dt ? 0.1 : 1) && each < layers);
    assert_true(moved < 0.2);
    assert_true(nearest > 1 - 1e-5 && nearest < 1 + 1e-2);
    assert_inside(&d, &s.state);
}

TEST(test_piles_rest)
{
    for (int precision = CAROM_F32; precision <= CAROM_F64; precision += CAROM_F64 - CAROM_F32) {
        rests(10, 10, 0.002, CAROM_ENGINE_WIDE, (carom_precision)precision, 30, 30);
        rests(20, 20, 1.0 / 60, CAROM_ENGINE_DEEP, (carom_precision)precision, 30, (size_t)unless_short(60, 5));
    }
    if (unless_short(1, 0)) {
        rests(100, 100, 4.0 / 60, CAROM_ENGINE_DEEP, CAROM_F64, 12, 4);
    }
}

/* ---- cancelling ---- */

/* A hundred discs of very different masses fall on eight hexagons. They come to rest in a tick of 2, with many
 * impacts. */
typedef struct crowd {
    carom_scene_desc desc;
    carom_scene_body bodies[100];
    carom_scene_polygon polygons[8];
    double x[8][6], y[8][6];
} crowd;

static void make_crowd(crowd *c)
{
    const carom_scene_box box = {0, 0, 20, 20, CAROM_SIDES_SOLID, CAROM_SIDES_SOLID, 0.5};
    uint64_t rng = 4;
    memset(c, 0, sizeof *c);
    for (int i = 0; i < 100; i++) {
        carom_scene_body *b = &c->bodies[i];
        *b = body_at(1 + 2 * (i % 10) + rng_in(&rng, 0, 0.1), 1.6 + 1.9 * (double)(i / 10), 0, 0, 1, 1);
        b->vx = rng_in(&rng, -2, 2);
        b->vy = rng_in(&rng, -2, 2);
        b->radius = rng_in(&rng, 0.3, 0.8);
        b->mass = pow(10, rng_in(&rng, -3, 3));
        b->restitution = 0.5;
        b->ay = -9.81;
    }
    for (int p = 0; p < 8; p++) {
        for (int e = 0; e < 6; e++) {
            c->x[p][e] = 1.25 + 2.5 * p + 0.9 * cos(e * PI / 3 + p);
            c->y[p][e] = 0.9 * sin(e * PI / 3 + p) - 0.5;
        }
        const carom_scene_polygon polygon = {c->x[p], c->y[p], 6, 0.8, false};
        c->polygons[p] = polygon;
    }
    c->desc = carom_scene_desc_default();
    c->desc.bodies = c->bodies, c->desc.body_count = 100;
    c->desc.polygons = c->polygons, c->desc.polygon_count = 8;
    c->desc.box = box;
    c->desc.dt = 2;
    c->desc.contact_time = 1e-4;
    c->desc.max_events = 100000000;
}

/* Ticks end, for any tick length and contact time. With contacts of 0.1 in f32, bodies moving as one can meet the same
 * corner of a polygon again and again. */
TEST(test_ticks_of_a_crowd_end)
{
    const double ticks[] = {1, 1. / 60}, contacts[] = {0, 1e-4, 0.01, 0.1};
    static crowd c;
    make_crowd(&c);
    c.desc.max_events = 40000;
    for (int run = 0; run < 32; run += unless_short(1, 3)) {
        c.desc.dt = ticks[run / 4 % 2];
        c.desc.contact_time = contacts[run % 4];
        const int engine = run / 8 % 2 == 0 ? CAROM_ENGINE_WIDE : CAROM_ENGINE_DEEP;
        OWNED(stage) s = stage_of(&c.desc, engine, run < 16 ? CAROM_F32 : CAROM_F64);
        play(&s, c.desc.dt, (size_t)(c.desc.dt < 1 ? unless_short(300, 20) : unless_short(40, 4)));
        assert_int_equal(carom_worlds_counters(s.worlds).faults, 0);
    }
}

/* A call ends within 50 ms of processor time after its flag is raised, in both engines. */
TEST(test_cancelling_a_crowd)
{
    NOT_ON_WEB(); /* nothing interrupts a call */
    static crowd c;
    make_crowd(&c);
    for (int engine = CAROM_ENGINE_WIDE; engine <= CAROM_ENGINE_DEEP; engine++) {
        OWNED(stage) s = stage_of(&c.desc, engine, CAROM_F64);
        double worst = 0;
        for (int wait = 0; wait < unless_short(12, 6); wait++) {
            carom_step step = STEP_WITH(.ticks = 100000, .cancel = &cancelled);
            assert_true(cancel_after(60000 + 37000 * (suseconds_t)wait));
            assert_int_equal(carom_worlds_play(s.worlds, &step), CAROM_ERROR_CANCELLED);
            worst = fmax(worst, cancelled_for(clock()));
        }
        print_message("engine %d: ends %.3g ms after the flag at most\n", engine, 1e3 * worst);
        assert_true(worst < (getenv("CAROM_TEST_EMULATED") == NULL ? 0.05 : 0.5));
    }
}
