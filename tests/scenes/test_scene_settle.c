/* SPDX-License-Identifier: MIT
 * Settling: crowds without room, against the promises of scene.h and against the reference, to the bit.
 *
 * In the environment: CAROM_TEST_FIRST=N starts with packed scene N, CAROM_TEST_COUNT=N plays N; CAROM_TEST_SHORT makes
 * them fewer, CAROM_TEST_LONG plays each in both engines and precisions.
 */
#include "scene_stage.h"

#include <float.h>

#define DT (1 / 60.)
#define MOST 400

/* A scene that may be changed before it is played. */
typedef struct crowd {
    carom_scene_desc desc;
    carom_scene_body bodies[MOST];
    carom_scene_wall walls[4];
    carom_scene_polygon polygon;
    double corner_x[4], corner_y[4];
} crowd;

static crowd *crowd_of(uint32_t n, double restitution, double ay)
{
    crowd *c = calloc(1, sizeof *c);
    c->desc = carom_scene_desc_default();
    c->desc.bodies = c->bodies;
    c->desc.body_count = n;
    c->desc.walls = c->walls;
    c->desc.polygons = &c->polygon;
    c->desc.box.restitution = 1;
    for (uint32_t k = 0; k < n; k++) {
        c->bodies[k] = body_at(0, 0, 0, 0, 1, 1);
        c->bodies[k].restitution = restitution;
        c->bodies[k].ay = ay;
    }
    return c;
}

static void box_of(crowd *c, double x1, double y1)
{
    c->desc.box.x1 = x1;
    c->desc.box.y1 = y1;
    c->desc.box.horizontal = c->desc.box.vertical = CAROM_SIDES_SOLID;
}

/* Bodies of radius 1 that touch, in rows of `columns`. */
static void lattice(crowd *c, uint32_t columns)
{
    for (uint32_t k = 0; k < c->desc.body_count; k++) {
        c->bodies[k].x = 1 + 2 * (double)(k % columns);
        c->bodies[k].y = 1 + 2 * (double)(k / columns);
    }
}

/* What every case is played in: both engines, both precisions. */
#define EACH_STAGE(desc, s)                                                                                            \
    for (int engine = CAROM_ENGINE_WIDE; engine <= CAROM_ENGINE_DEEP; engine++)                                        \
        for (int bits = 32; bits <= 64; bits += 32)                                                                    \
            for (stage s = stage_of(desc, engine, (carom_precision)bits); s.worlds != NULL;                            \
                 end_stage(&s), s.worlds = NULL)

static double overlap_of(const crowd *c, const scene_state *s)
{
    return (1 - closest(&c->desc, s)) * 2;
}

static double middle_of(const scene_state *s, bool y)
{
    double sum = 0;
    for (uint32_t k = 0; k < s->n; k++) {
        sum += y ? y_of(s, k) : x_of(s, k);
    }
    return sum / s->n;
}

/* ---- wedged ---- */

/* All stay where they are, at rest. */
static void rests(crowd *c, size_t ticks)
{
    EACH_STAGE(&c->desc, s)
    {
        const double spacing = (bits == 32 ? FLT_EPSILON : DBL_EPSILON) * 1000;
        play(&s, DT, ticks);
        for (uint32_t k = 0; k < c->desc.body_count; k++) {
            assert_true(fabs(x_of(&s.state, k) - c->bodies[k].x) < 0.002);
            assert_true(fabs(y_of(&s.state, k) - c->bodies[k].y) < 0.002);
            assert_true(hypot(vx_of(&s.state, k), vy_of(&s.state, k)) < 0.03);
        }
        assert_true(overlap_of(c, &s.state) <= spacing);
    }
    free(c);
}

TEST(test_wedge)
{
    crowd *c = crowd_of(2, 0.5, 0);
    box_of(c, 4, 10);
    lattice(c, 2);
    c->bodies[0].ax = 1, c->bodies[1].ax = -1;
    c->bodies[0].y = c->bodies[1].y = 5;
    rests(c, 120);
}

TEST(test_lattices)
{
    for (uint32_t side = 2; side <= 10; side += 4) {
        for (int time = 0; time < 2; time++) {
            crowd *c = crowd_of(side * side, 0, -9.81);
            box_of(c, 2 * side, 2 * side + 20);
            lattice(c, side);
            c->desc.contact_time = time == 0 ? 0 : 0.002;
            c->desc.dt = DT;
            rests(c, side == 10 ? 20 : 60);
        }
    }
}

/* The same under the policy that moves everyone to every impact. */
TEST(test_advance_all)
{
    crowd *c = crowd_of(4, 0, -9.81);
    box_of(c, 4, 40);
    lattice(c, 2);
    c->desc.advance = CAROM_ADVANCE_ALL;
    rests(c, 30);
}

/* A wedge that is pulled open parts at once, as free bodies do. */
TEST(test_pulled_open)
{
    FREED crowd *c = crowd_of(2, 0, 0);
    box_of(c, 8, 10);
    for (uint32_t k = 0; k < 2; k++) {
        c->bodies[k].x = 3 + 2 * k, c->bodies[k].y = 5;
        c->bodies[k].ax = k == 0 ? 1 : -1;
        c->bodies[k].acts = true;
    }
    c->desc.dt = DT;
    EACH_STAGE(&c->desc, s)
    {
        play(&s, DT, 30);
        scene_state apart = scene_state_new(2);
        scene_get(s.worlds, 0, &apart);
        apart.number[4] = -2, apart.number[5] = 2; /* vx */
        scene_put(s.worlds, 0, &apart);
        end_scene_state(&apart);
        play(&s, DT, 15);
        const double t = 15 * DT, way = 2 * t - t * t / 2;
        assert_true(fabs(x_of(&s.state, 0) - (3 - way)) < 1e-3);
        assert_true(fabs(x_of(&s.state, 1) - (5 + way)) < 1e-3);
        assert_true(fabs(vx_of(&s.state, 0) - (t - 2)) < 1e-4);
    }
}

/* ---- what moves on ---- */

/* A row of three that is pushed at one end moves as its centre does. */
TEST(test_pushed_row)
{
    FREED crowd *c = crowd_of(3, 0, 0);
    lattice(c, 3);
    c->bodies[0].ax = 3;
    EACH_STAGE(&c->desc, s)
    {
        play(&s, DT, 60);
        const sums all = sums_of(&c->desc, &s.state);
        assert_true(fabs(middle_of(&s.state, false) - 3.5) < 1e-3);
        assert_true(fabs(all.px - 3) < (bits == 32 ? 1e-5 : 1e-12));
        assert_true(fabs(all.energy - 1.5) < 1e-4);
        assert_true(overlap_of(c, &s.state) <= (bits == 32 ? 1e-5 : 1e-13));
    }
}

/* A body slides down an inclined wall without friction. */
TEST(test_incline)
{
    for (int degrees = 10; degrees <= 80; degrees += 35) {
        const double angle = degrees * PI / 180, along = 9.81 * sin(angle) / 2;
        FREED crowd *c = crowd_of(1, 0, -9.81);
        const carom_scene_wall wall = {
            -30 * cos(angle), 30 * sin(angle), 30 * cos(angle), -30 * sin(angle), 1, false, false};
        c->walls[0] = wall;
        c->desc.wall_count = 1;
        c->bodies[0].x = sin(angle), c->bodies[0].y = cos(angle);
        EACH_STAGE(&c->desc, s)
        {
            play(&s, DT, 60);
            const double near = 1e-3 * along + (bits == 32 ? 5e-4 : 0); /* f32: a body keeps off the wall by as much */
            assert_true(fabs(x_of(&s.state, 0) - sin(angle) - along * cos(angle)) < near);
            assert_true(fabs(y_of(&s.state, 0) - cos(angle) + along * sin(angle)) < near);
        }
    }
}

/* A ball that falls on a pile at rest bounces; the pile stays. */
TEST(test_ball_on_pile)
{
    FREED crowd *c = crowd_of(11, 0.9, -9.81);
    box_of(c, 10, 100);
    lattice(c, 5);
    c->bodies[10].x = 5, c->bodies[10].y = 12;
    EACH_STAGE(&c->desc, s)
    {
        double top = 0;
        bool down = false;
        for (int tick = 0; tick < 150; tick++) {
            play(&s, DT, 1);
            down = down || vy_of(&s.state, 10) > 0;
            top = down ? fmax(top, y_of(&s.state, 10)) : top;
        }
        assert_true(fabs(top - (5 + 0.9 * 0.9 * 0.9 * 0.9 * 7)) < 0.15);
        for (uint32_t k = 0; k < 10; k++) {
            assert_true(fabs(y_of(&s.state, k) - c->bodies[k].y) < 0.01);
        }
    }
}

TEST(test_stack)
{
    FREED crowd *c = crowd_of(20, 0.3, -9.81);
    box_of(c, 10, 100);
    for (uint32_t k = 0; k < 20; k++) {
        c->bodies[k].x = 5, c->bodies[k].y = 1 + 2.05 * k;
    }
    EACH_STAGE(&c->desc, s)
    {
        play(&s, DT, (size_t)at_length(100000, 2000, 300));
        for (uint32_t k = 0; k < 20; k++) {
            assert_true(fabs(y_of(&s.state, k) - (1 + 2.0 * k)) < 0.05);
        }
    }
}

/* ---- against a contact solver with small steps ---- */

/* Moreau's time stepping: 50 steps a tick, restitution 0, 100 sweeps over the contacts. */
typedef struct stepped {
    uint32_t n;
    double x[MOST], y[MOST], vx[MOST], vy[MOST];
} stepped;

typedef struct stepped_contact {
    uint32_t i, j; /* j = n: what never moves */
    double nx, ny, want, impulse;
} stepped_contact;

static size_t stepped_contacts(const crowd *c, const stepped *p, double h, stepped_contact *out)
{
    size_t count = 0;
    for (uint32_t i = 0; i < p->n; i++) {
        for (uint32_t j = i + 1; j < p->n; j++) {
            const double dx = p->x[i] - p->x[j], dy = p->y[i] - p->y[j], d = hypot(dx, dy), gap = d - 2;
            if (gap < 0.05) {
                const stepped_contact k = {i, j, dx / d, dy / d, gap > 0 ? -gap / h : 0, 0};
                out[count++] = k;
            }
        }
        if (c->desc.box.vertical == CAROM_SIDES_SOLID) {
            const double gap = p->y[i] - 1 - c->desc.box.y0;
            const stepped_contact k = {i, p->n, 0, 1, gap > 0 ? -gap / h : 0, 0};
            out[count] = k;
            count += gap < 0.05;
        }
        for (uint32_t w = 0; w < c->desc.wall_count; w++) {
            const carom_scene_wall *wall = &c->walls[w];
            const double ex = wall->bx - wall->ax, ey = wall->by - wall->ay, length = hypot(ex, ey);
            const double px = p->x[i] - wall->ax, py = p->y[i] - wall->ay;
            const double at = fmin(fmax((px * ex + py * ey) / length, 0), length);
            const double qx = px - at * ex / length, qy = py - at * ey / length, d = hypot(qx, qy), gap = d - 1;
            const stepped_contact k = {i, p->n, qx / d, qy / d, gap > 0 ? -gap / h : 0, 0};
            out[count] = k;
            count += gap < 0.05;
        }
    }
    return count;
}

static void step_on(const crowd *c, stepped *p, size_t ticks)
{
    const double h = DT / 50;
    FREED stepped_contact *contacts = malloc(16 * MOST * sizeof *contacts);
    for (size_t step = 0; step < 50 * ticks; step++) {
        for (uint32_t k = 0; k < p->n; k++) {
            p->vy[k] += c->bodies[k].ay * h;
        }
        const size_t count = stepped_contacts(c, p, h, contacts);
        for (size_t k = 0; k < 100 * count; k++) {
            stepped_contact *t = &contacts[k % count];
            const bool pair = t->j < p->n;
            const double ux = p->vx[t->i] - (pair ? p->vx[t->j] : 0), uy = p->vy[t->i] - (pair ? p->vy[t->j] : 0);
            const double whole = t->impulse + (t->want - (ux * t->nx + uy * t->ny)) / (pair ? 2 : 1);
            const double change = fmax(whole, 0) - t->impulse;
            t->impulse += change;
            p->vx[t->i] += change * t->nx, p->vy[t->i] += change * t->ny;
            if (pair) {
                p->vx[t->j] -= change * t->nx, p->vy[t->j] -= change * t->ny;
            }
        }
        for (uint32_t k = 0; k < p->n; k++) {
            p->x[k] += h * p->vx[k], p->y[k] += h * p->vy[k];
        }
    }
}

/* Its centre falls as far as the solver's, within 3%. */
static void falls_like_stepped(crowd *c, size_t ticks)
{
    stepped p = {c->desc.body_count, {0}, {0}, {0}, {0}};
    double start = 0, end = 0;
    for (uint32_t k = 0; k < p.n; k++) {
        p.x[k] = c->bodies[k].x, p.y[k] = c->bodies[k].y;
        start += p.y[k] / p.n;
    }
    step_on(c, &p, ticks);
    for (uint32_t k = 0; k < p.n; k++) {
        end += p.y[k] / p.n;
    }
    EACH_STAGE(&c->desc, s)
    {
        play(&s, DT, ticks);
        const double middle = middle_of(&s.state, true);
        print_message("f%d: the centre fell by %.4f, in small steps by %.4f\n", bits, start - middle, start - end);
        assert_true(fabs(middle - end) < 0.03 * (start - end));
        assert_true(overlap_of(c, &s.state) <= (bits == 32 ? 2e-4 : 1e-9));
    }
    free(c);
}

TEST(test_heap_spreads)
{
    uint64_t rng = 7;
    crowd *c = crowd_of(36, 0, -9.81);
    for (uint32_t k = 0; k < 36; k++) {
        c->bodies[k].x = 2.2 * (k % 6) - 5.5 + rng_in(&rng, 0, 0.1);
        c->bodies[k].y = 1.2 + 2.2 * (k / 6);
    }
    c->desc.box.y1 = 1000;
    c->desc.box.vertical = CAROM_SIDES_SOLID;
    falls_like_stepped(c, 120);
}

TEST(test_funnel_flows)
{
    uint64_t rng = 9;
    const double angle = 15 * PI / 180;
    crowd *c = crowd_of(32, 0, -9.81);
    for (uint32_t k = 0; k < 32; k++) {
        c->bodies[k].x = 2.2 * (k % 4) - 3.3 + rng_in(&rng, 0, 0.1);
        c->bodies[k].y = 20 + 2.2 * (k / 4);
    }
    for (int side = 0; side < 2; side++) {
        const double way = side == 0 ? -1 : 1;
        const carom_scene_wall wall = {2.2 * way, 0, way * (2.2 + 60 * sin(angle)), 60 * cos(angle), 1, false, false};
        c->walls[side] = wall;
    }
    c->desc.wall_count = 2;
    falls_like_stepped(c, 110);
}

/* ---- energy and momentum ---- */

/* A free clump that comes together: its momentum stays, its energy only falls. */
TEST(test_clump)
{
    for (uint64_t seed = 1; seed <= 8; seed++) {
        uint64_t rng = seed;
        FREED crowd *c = crowd_of(16, 0.2, 0);
        lattice(c, 4);
        for (uint32_t k = 0; k < 16; k++) {
            c->bodies[k].x *= 1.05, c->bodies[k].y *= 1.05;
            c->bodies[k].vx = 3 * (4.2 - c->bodies[k].x) + rng_in(&rng, -1, 1);
            c->bodies[k].vy = 3 * (4.2 - c->bodies[k].y) + rng_in(&rng, -1, 1);
            c->bodies[k].mass = rng_in(&rng, 0.2, 3);
        }
        EACH_STAGE(&c->desc, s)
        {
            const double rounding = bits == 32 ? 2e-6 : 1e-14;
            sums last = sums_of(&c->desc, &s.state);
            const sums first = last;
            for (int tick = 0; tick < 40; tick++) {
                play(&s, DT, 1);
                const sums all = sums_of(&c->desc, &s.state);
                assert_true(all.energy <= last.energy * (1 + rounding));
                assert_true(hypot(all.px - first.px, all.py - first.py) < rounding * 200);
                assert_true(overlap_of(c, &s.state) <= (bits == 32 ? 2e-5 : 1e-13));
                last = all;
            }
            assert_true(last.energy < first.energy / 2);
        }
    }
}

/* ---- packed scenes ---- */

/* A lattice that fits, mixed or pushed, with or without room; from one number. */
static crowd *packed(uint64_t seed, uint32_t most)
{
    uint64_t rng = seed * UINT64_C(0x9e3779b97f4a7c15);
    const uint32_t columns = 1 + rng_below(&rng, most > 32 ? 20 : 6);
    const uint32_t rows = 1 + rng_below(&rng, most / columns < 20 ? most / columns : 20);
    const uint32_t n = columns * rows < 2 ? 2 : columns * rows;
    const bool falls = rng_one_in(&rng, 2), pushed = rng_one_in(&rng, 2), masses = rng_one_in(&rng, 2);
    crowd *c = crowd_of(n, rng_one_in(&rng, 2) ? 0 : rng_in(&rng, 0, 0.9), falls ? -9.81 : 0);
    const uint32_t across = n == columns * rows ? columns : 2;
    const double height = 2 * (double)((n + across - 1) / across);
    lattice(c, across);
    box_of(c, 2 * across, rng_one_in(&rng, 2) ? height : height + rng_in(&rng, 0, 10));
    c->desc.box.restitution = rng_one_in(&rng, 2) ? 1 : 0.5;
    for (uint32_t k = 0; k < n; k++) {
        carom_scene_body *b = &c->bodies[k];
        b->mass = masses ? rng_in(&rng, 0.1, 3.2) : 1;
        b->radius = rng_one_in(&rng, 6) ? 0.5 : 1;
        b->ax = pushed ? rng_in(&rng, -10, 10) : 0;
        b->vx = rng_one_in(&rng, 4) ? (double)rng_below(&rng, 9) - 4 : 0;
        b->vy = rng_one_in(&rng, 4) ? (double)rng_below(&rng, 9) - 4 : 0;
        b->acts = true;
    }
    c->desc.dt = DT;
    c->desc.action_scale = 2;
    if (rng_one_in(&rng, 8)) {
        c->desc.contact_time = 0.004;
    }
    return c;
}

/* With random actions, held for 20 ticks. */
static bool lasts(const crowd *c, uint64_t seed, size_t ticks, carom_engine engine, carom_precision precision)
{
    const uint32_t n = c->desc.body_count;
    uint64_t rng = seed;
    OWNED(stage) s = stage_of(&c->desc, (int)engine, precision);
    FREED float *actions = malloc(2 * (size_t)n * sizeof *actions);
    for (size_t tick = 0; tick < ticks; tick++) {
        for (uint32_t k = 0; k < 2 * n && tick % 20 == 0; k++) {
            actions[k] = (float)rng_in(&rng, -1, 1);
        }
        PLAY(s.worlds, .actions = actions);
    }
    const bool faults = carom_worlds_faults(s.worlds, NULL) != 0;
    scene_get(s.worlds, 0, &s.state);
    const double rounding = precision == CAROM_F32 ? 2e-3 : 1e-9;
    const bool apart = closest(&c->desc, &s.state) >= 1 - rounding;
    return !faults && apart;
}

static uint64_t from_environment(const char *name, uint64_t otherwise)
{
    const char *text = getenv(name);
    return text != NULL ? strtoull(text, NULL, 0) : otherwise;
}

TEST(test_packed)
{
    const uint64_t first = from_environment("CAROM_TEST_FIRST", 1);
    const uint64_t count = from_environment("CAROM_TEST_COUNT", (uint64_t)unless_short(1000, 40));
    const uint32_t most = (uint32_t)from_environment("CAROM_TEST_BODIES", 32);
    const size_t ticks = (size_t)from_environment("CAROM_TEST_TICKS", (uint64_t)at_length(200, 50, 40));
    const bool all = getenv("CAROM_TEST_LONG") != NULL;
    uint64_t played = 0, wrong = 0, settled = 0;
    for (uint64_t seed = first; seed < first + count; seed++) {
        FREED crowd *c = packed(seed, most < MOST ? most : MOST);
        for (unsigned k = 0; k < 4; k++) {
            if (all || k == seed % 4) {
                const bool good = lasts(c, seed, ticks, k % 2 == 0 ? CAROM_ENGINE_WIDE : CAROM_ENGINE_DEEP,
                                        k / 2 == 0 ? CAROM_F32 : CAROM_F64);
                played++;
                wrong += !good;
                if (!good) {
                    print_error("packed scene %" PRIu64 ", engine %u, f%d\n", seed, k % 2, k / 2 == 0 ? 32 : 64);
                }
            }
        }
        if (seed % 8 == 0) { /* does it need the rule? A world has no more events where the rule starts to act */
            c->desc.max_events = 32 + 2 * c->desc.body_count;
            settled += c->desc.contact_time == 0 && !lasts(c, seed, ticks, CAROM_ENGINE_WIDE, CAROM_F64);
        }
    }
    print_message("%" PRIu64 " packed scenes from seed %" PRIu64 " for %zu ticks: %" PRIu64
                  " wrong; of every eighth %" PRIu64 " would have faulted\n",
                  played, first, ticks, wrong, settled);
    assert_int_equal(wrong, 0);
    assert_true(settled >= count / 32);
}

/* ---- to the bit ---- */

/* A packed scene, with optional walls, a polygon, fixed bodies, sensors, periodic sides and overlaps. */
static crowd *mixed(uint64_t seed)
{
    uint64_t rng = seed ^ UINT64_C(0x5bd1e995);
    crowd *c = packed(seed, 12);
    const double width = c->desc.box.x1, height = c->desc.box.y1;
    const uint32_t n = c->desc.body_count;
    if (rng_one_in(&rng, 3)) {
        c->desc.box.horizontal = CAROM_SIDES_PERIODIC;
    }
    if (rng_one_in(&rng, 6)) {
        c->desc.box.vertical = CAROM_SIDES_PERIODIC;
    }
    if (rng_one_in(&rng, 3)) {
        const carom_scene_wall wall = {
            0, rng_in(&rng, 0, height), width, rng_in(&rng, 0, height), 0.7, rng_one_in(&rng, 3), rng_one_in(&rng, 4)};
        c->walls[0] = wall;
        c->desc.wall_count = 1;
    }
    if (rng_one_in(&rng, 3)) {
        for (int k = 0; k < 4; k++) {
            c->corner_x[k] = width / 2 + (k == 0 || k == 3 ? -0.7 : 0.9);
            c->corner_y[k] = height / 2 + (k < 2 ? -0.6 : 0.8);
        }
        c->polygon.x = c->corner_x, c->polygon.y = c->corner_y;
        c->polygon.corners = 4;
        c->polygon.restitution = 0.5;
        c->desc.polygon_count = 1;
    }
    for (uint32_t k = 0; k < n; k++) {
        carom_scene_body *b = &c->bodies[k];
        if (rng_one_in(&rng, 8)) { /* fixed */
            b->mass = INFINITY, b->ax = b->ay = b->vx = b->vy = 0, b->acts = false;
        }
        b->sensor = rng_one_in(&rng, 12);
        b->inactive = rng_one_in(&rng, 12);
        if (rng_one_in(&rng, 10)) {
            b->x = fmin(b->x + 0.3, width - b->radius);
        }
    }
    c->desc.advance = rng_one_in(&rng, 4) ? CAROM_ADVANCE_ALL : CAROM_OWN_CLOCK;
    c->desc.max_events = 3000;
    return c;
}

/* Events, states and faults, tick by tick. Returns how many ticks had more impacts than those that come before the
 * rule. */
static uint64_t same_as_reference(const crowd *c, uint64_t seed, carom_engine engine, carom_precision precision,
                                  carom_isa isa, int ticks)
{
    enum { EVENTS = 3100 };
    carom_scene_desc desc = c->desc;
    desc.engine = engine;
    OWNED(carom_scene) *scene = make_scene(&desc);
    const carom_scene_desc *whole = carom_scene_describe(scene);
    OWNED(carom_worlds) *worlds = scene_worlds(scene, 3, precision, isa, 1);
    const uint32_t n = desc.body_count;
    OWNED(scene_state) want = scene_state_new(n), got = scene_state_new(n);
    FREED carom_event *events = calloc((size_t)3 * EVENTS, sizeof *events), *known = calloc(EVENTS, sizeof *known);
    FREED carom_contact *contacts = calloc((size_t)3 * EVENTS, sizeof *contacts);
    FREED carom_contact *known_contacts = calloc(EVENTS, sizeof *known_contacts);
    uint32_t counts[3];
    uint64_t acted = 0;
    unsigned fault = 0;
    scene_get(worlds, 1, &want);
    for (int tick = 0; tick < ticks && fault == 0; tick++) {
        scene_ref_record record = {known, EVENTS, 0, 0, known_contacts};
        int8_t bits = 0;
        carom_step step = STEP_WITH(.dt = DT);
        step.events = events, step.event_capacity = EVENTS, step.event_counts = counts;
        step.contacts = contacts;
        must(carom_worlds_play(worlds, &step), "carom_worlds_play");
        fault = scene_reference_tick(whole, precision, DT, &want, &record);
        scene_get(worlds, 1, &got);
        get_field(worlds, "fault", 1, 1, &bits);
        acted += record.impacts > 32 + 2 * n;
        bool same = (unsigned)bits == fault && counts[1] == record.impacts &&
                    memcmp(got.number, want.number, 4 * (size_t)n * sizeof *got.number) == 0;
        for (uint32_t k = 0; k < record.impacts && k < counts[1]; k++) {
            const carom_event *a = &events[EVENTS + k], *b = &known[k];
            const bool alike = a->left == b->left && a->first == b->first && a->second == b->second &&
                               a->kind == b->kind && a->part == b->part && a->x == b->x && a->y == b->y &&
                               a->nx == b->nx && a->ny == b->ny && a->impulse == b->impulse &&
                               contact_difference(&contacts[EVENTS + k], &known_contacts[k]) == CONTACT_NUMBERS;
            if (!alike) {
                print_error("event %u of %u: left %.17g %u-%u kind %u at %.17g %.17g impulse %.17g,\n", k, counts[1],
                            a->left, a->first, a->second, a->kind, a->x, a->y, a->impulse);
                print_error("    reference: left %.17g %u-%u kind %u at %.17g %.17g impulse %.17g\n", b->left, b->first,
                            b->second, b->kind, b->x, b->y, b->impulse);
                same = false;
                break;
            }
        }
        if (!same) {
            fail_msg("mixed scene %" PRIu64 ", f%d, %s engine, %s, tick %d: fault %d (%u), %u events (%u)", seed,
                     (int)precision, engine == CAROM_ENGINE_WIDE ? "wide" : "deep", carom_isa_name(isa), tick, bits,
                     fault, counts[1], record.impacts);
        }
    }
    return acted;
}

TEST(test_reference)
{
    const uint64_t first = from_environment("CAROM_TEST_FIRST", 1);
    const uint64_t count = from_environment("CAROM_TEST_COUNT", (uint64_t)at_length(2000, 100, 25));
    uint64_t acted = 0;
    for (uint64_t seed = first; seed < first + count; seed++) {
        FREED crowd *c = mixed(seed);
        for (unsigned k = 0; k < 4; k++) {
            acted += same_as_reference(c, seed, k % 2 == 0 ? CAROM_ENGINE_WIDE : CAROM_ENGINE_DEEP,
                                       k / 2 == 0 ? CAROM_F32 : CAROM_F64, isas[(seed + k) % isa_count], 6);
        }
    }
    print_message("%" PRIu64 " mixed scenes from seed %" PRIu64 ": in %" PRIu64 " ticks bodies could settle\n", count,
                  first, acted);
    assert_true(acted >= count);
}
