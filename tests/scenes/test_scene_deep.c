/* SPDX-License-Identifier: MIT
 * The deep engine of scenes against the wide one, which tests all pairs: the same bits and the same events, in scenes
 * of every kind, many of them random; on all instruction sets and any number of threads. And a call of many ticks
 * against calls of one.
 *
 *     CAROM_LONG=1000000 test_scene_deep      a million random scenes instead of some thousands
 *
 * More than 800 lines: all of its tests play the same pairs of batches, one on each engine.
 */
#define _XOPEN_SOURCE 700
#include "test.h"

#include "cancel.h"

#include <time.h>

#define BODIES 1100
#define WALLS 12
#define POLYGONS 3
#define CORNERS 6
#define EVENTS 40000

/* ---- random numbers ---- */

static uint64_t random_state;

static uint64_t seed_of(uint64_t number)
{
    return (number + 1) * UINT64_C(0x9e3779b97f4a7c15);
}

static uint32_t word(void)
{
    random_state = random_state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    const uint64_t mixed = (random_state ^ random_state >> 29) * UINT64_C(0xbf58476d1ce4e5b9);
    return (uint32_t)(mixed >> 32);
}
static uint32_t below(uint32_t n)
{
    return (uint32_t)((uint64_t)word() * n >> 32);
}
static bool one_in(uint32_t n)
{
    return below(n) == 0;
}
static double uniform(double low, double high)
{
    return low + (high - low) * (word() * 0x1p-32);
}

/* ---- scenes ---- */

typedef struct scene_case {
    carom_scene_body bodies[BODIES];
    carom_scene_wall walls[WALLS];
    carom_scene_polygon polygons[POLYGONS];
    double corner_x[POLYGONS][CORNERS], corner_y[POLYGONS][CORNERS];
    carom_scene_desc desc;
    double dt;
    unsigned ticks;
} scene_case;

static void place_walls(scene_case *c, double size)
{
    c->desc.wall_count = below(WALLS + 1);
    for (uint32_t k = 0; k < c->desc.wall_count; k++) {
        carom_scene_wall *w = &c->walls[k];
        w->ax = uniform(0, size), w->ay = uniform(0, size);
        w->bx = one_in(4) ? w->ax : uniform(0, size), w->by = one_in(4) && w->bx != w->ax ? w->ay : uniform(0, size);
        w->restitution = one_in(2) ? 1 : uniform(0, 1);
        w->one_sided = one_in(4);
        w->sensor = one_in(4);
    }
    c->desc.polygon_count = below(POLYGONS + 1);
    for (uint32_t k = 0; k < c->desc.polygon_count; k++) {
        const double x = uniform(0, size), y = uniform(0, size), r = uniform(0.05, 0.3) * size, turn = uniform(0, 6);
        carom_scene_polygon *p = &c->polygons[k];
        p->corners = 3 + below(CORNERS - 2);
        for (uint32_t i = 0; i < p->corners; i++) {
            const double at = turn + 6.283185307 * i / p->corners, way = r * uniform(0.5, 1);
            c->corner_x[k][i] = x + way * cos(at);
            c->corner_y[k][i] = y + way * sin(at);
        }
        p->x = c->corner_x[k];
        p->y = c->corner_y[k];
        p->restitution = uniform(0, 1);
        p->sensor = one_in(4);
    }
}

static void place_bodies(scene_case *c, double size, double speed, double largest, bool kinds)
{
    const double offset = c->desc.box.x0; /* and y0 */
    for (uint32_t i = 0; i < c->desc.body_count; i++) {
        carom_scene_body *b = &c->bodies[i];
        *b = carom_scene_body_default();
        b->radius = largest > 1 ? one_in(8) ? uniform(1, largest) : uniform(0.5, 1) : 0.5;
        b->x = offset + uniform(0, size), b->y = offset + uniform(0, size);
        if (one_in(8)) {
            b->x = fmax(floor(b->x), offset),
            b->y = fmax(floor(b->y), offset); /* symmetric, at edges of cells, coincident */
        }
        b->vx = one_in(8) ? 0 : uniform(-speed, speed);
        b->vy = one_in(8) ? 0 : uniform(-speed, speed);
        b->mass = one_in(2) ? 1 : uniform(0.1, 10);
        if (!kinds) {
            continue;
        }
        b->restitution = one_in(2) ? 1 : uniform(0, 1);
        b->category = 1u << below(3);
        b->mask = one_in(3) ? below(8) : UINT32_MAX;
        b->sensor = one_in(8);
        b->inactive = one_in(8);
        if (one_in(10)) {
            b->mass = INFINITY;
            b->vx = b->vy = 0;
        }
    }
}

static void make(scene_case *c, uint64_t number)
{
    random_state = seed_of(number);
    memset(c, 0, sizeof *c);
    c->desc = carom_scene_desc_default();
    carom_scene_desc *d = &c->desc;
    const bool kinds = one_in(2), many = one_in(40);
    const double packing = uniform(0.02, 0.6);
    double largest = one_in(2) ? 0.5 : one_in(3) ? 100 : uniform(1, 6);
    d->body_count = 1 + below(many ? 260 : 24);
    d->bodies = c->bodies;
    d->walls = c->walls;
    d->polygons = c->polygons;
    const double typical = largest > 1 ? 0.5 + largest / 16 : 0.5;
    double size = sqrt(d->body_count * 3.14159265 * typical * typical / packing) + 0.1;
    c->dt = uniform(0.1, 2);
    const double speed = (one_in(6) && !many ? 100 : one_in(3) ? 0.1 : 1) * uniform(0.5, 2);
    d->box.x0 = d->box.y0 = one_in(3) ? uniform(-3, 3) * size : 0; /* positions are from here on */
    d->box.x1 = d->box.x0 + size, d->box.y1 = d->box.y0 + size * (one_in(4) ? 3 : 1);
    d->box.horizontal = (carom_scene_sides)below(3), d->box.vertical = (carom_scene_sides)below(3);
    d->box.restitution = one_in(2) ? 1 : uniform(0, 1);
    if (d->box.horizontal != CAROM_SIDES_OPEN || d->box.vertical != CAROM_SIDES_OPEN) {
        largest = largest < size / 4 ? largest : size / 4;
        size = d->box.x1 - d->box.x0 > 2 * largest + 1 ? size : 2 * largest + 2;
        d->box.x1 = d->box.x0 + size, d->box.y1 = d->box.y0 + size;
    }
    if (one_in(2)) {
        place_walls(c, size);
        for (uint32_t k = 0; k < d->wall_count; k++) {
            c->walls[k].ax += d->box.x0, c->walls[k].bx += d->box.x0;
            c->walls[k].ay += d->box.y0, c->walls[k].by += d->box.y0;
        }
    }
    place_bodies(c, size, speed, largest, kinds);
    if (one_in(5)) {
        for (uint32_t i = 0; i < d->body_count; i++) {
            const bool together = c->bodies[0].ax != 0 && one_in(2), fixed = isinf(c->bodies[i].mass);
            c->bodies[i].ax = fixed ? 0 : together ? c->bodies[0].ax : uniform(-1, 1);
            c->bodies[i].ay = fixed ? 0 : together ? c->bodies[0].ay : uniform(-1, 1);
        }
    } else if (one_in(4)) {
        for (uint32_t i = 0; i < d->body_count; i++) {
            c->bodies[i].slow = !one_in(3);
        }
    } else if (one_in(4)) {
        d->advance = CAROM_ADVANCE_ALL;
    }
    d->contact_time = one_in(2) ? 1e-3 : 0;
    d->least_impulse = one_in(8) ? 0.1 : 0;
    d->max_events = one_in(8) ? 1 + below(30) : d->body_count > 30 ? 4 * d->body_count : 64 + 16 * d->body_count;
    d->solver = one_in(6) ? CAROM_TOI_TEXTBOOK : CAROM_TOI_FAST;
    c->ticks = one_in(4) ? 3 : 1;
}

/* ---- playing ---- */

typedef struct played {
    unsigned ticks;
    uint64_t digest[4];
    uint32_t counts[4];
    carom_event *events; /* [EVENTS] of the last tick */
} played;

static void demand(carom_status status)
{
    if (status != CAROM_OK) {
        fail_msg("status %d", (int)status);
    }
}

static void play(const scene_case *c, carom_engine engine, carom_isa isa, carom_precision precision, unsigned threads,
                 size_t worlds, played *p)
{
    carom_scene_desc desc = c->desc;
    carom_worlds *w;
    desc.engine = engine;
    OWNED(carom_scene) *scene = make_scene(&desc);
    w = MAKE_WORLDS(carom_scene_game(scene), .count = worlds, .isa = isa, .precision = precision, .threads = threads);
    FREED uint32_t *counts = calloc(worlds, sizeof *counts);
    for (unsigned t = 0; t < c->ticks; t++) {
        carom_step step = STEP_WITH(.ticks = 1, .dt = c->dt);
        if (p->events != NULL && worlds == 1) {
            step.events = p->events;
            step.event_counts = counts;
            step.event_capacity = EVENTS;
        }
        demand(carom_worlds_play(w, &step));
        demand(carom_worlds_digest(w, &p->digest[t]));
        p->counts[t] = counts[0];
    }
    p->ticks = c->ticks;
    carom_worlds_destroy(w);
}

static played deep, wide;

/* Without its padding. */
static bool same_event(const carom_event *a, const carom_event *b)
{
    const double p[7] = {a->left, a->x, a->y, a->nx, a->ny, a->impulse, 0};
    const double q[7] = {b->left, b->x, b->y, b->nx, b->ny, b->impulse, 0};
    return memcmp(p, q, sizeof p) == 0 && a->first == b->first && a->second == b->second && a->kind == b->kind &&
           a->part == b->part;
}

static void tell(const carom_event *e)
{
    print_message("  %.17g left: %u and %u (kind %u, part %u), impulse %g\n", e->left, e->first, e->second, e->kind,
                  e->part, e->impulse);
}

/* Where and when the engines part. Events are those of the last tick. */
static void compare(const char *name, uint64_t number, const scene_case *c, carom_precision precision)
{
    bool same = true;
    unsigned t = 0;
    for (; t < c->ticks && same; t++) {
        same = deep.digest[t] == wide.digest[t] && deep.counts[t] == wide.counts[t];
    }
    const uint32_t least =
        deep.counts[c->ticks - 1] < wide.counts[c->ticks - 1] ? deep.counts[c->ticks - 1] : wide.counts[c->ticks - 1];
    for (uint32_t k = 0; k < least && k < EVENTS; k++) {
        if (!same_event(&deep.events[k], &wide.events[k])) {
            print_message("event %u:\n", k);
            tell(&deep.events[k]);
            tell(&wide.events[k]);
            same = false;
            break;
        }
    }
    if (!same) {
        fail_msg("%s %llu, f%d, until tick %u of %u: %u bodies, %u walls, %u polygons, sides %d %d, advance %d, dt %g, "
                 "events %u and %u",
                 name, (unsigned long long)number, (int)precision, t, c->ticks, c->desc.body_count, c->desc.wall_count,
                 c->desc.polygon_count, (int)c->desc.box.horizontal, (int)c->desc.box.vertical, (int)c->desc.advance,
                 c->dt, deep.counts[t - 1], wide.counts[t - 1]);
    }
}

/* Both engines, in both precisions. */
static void check(const char *name, uint64_t number, const scene_case *c)
{
    for (int k = 0; k < 2; k++) {
        const carom_precision precision = k == 0 ? CAROM_F64 : CAROM_F32;
        play(c, CAROM_ENGINE_WIDE, isas[isa_count - 1], precision, 1, 1, &wide);
        play(c, CAROM_ENGINE_DEEP, isas[isa_count - 1], precision, 1, 1, &deep);
        compare(name, number, c, precision);
    }
}

static uint64_t count_of(uint64_t few)
{
    const char *wanted = getenv("CAROM_LONG");
    return wanted != NULL ? strtoull(wanted, NULL, 10) : few;
}

/* No pair that the wide engine finds is missed, nor is one found twice: all events of random scenes are the same. */
TEST(test_random)
{
    static scene_case c;
    const char *from = getenv("CAROM_FROM");
    const uint64_t first = from != NULL ? strtoull(from, NULL, 10) : 0,
                   count = count_of((uint64_t)unless_short(4000, 60));
    for (uint64_t number = first; number < first + count; number++) {
        make(&c, number);
        check("random scene", number, &c);
    }
}

/* A body that is slow and moves, and one that is slow and fixed. */
TEST(test_slow_and_fixed)
{
    static scene_case c;
    make(&c, 7037348);
    check("random scene", 7037348, &c);
}

/* ---- particular scenes ---- */

static scene_case named;

/* n bodies of radius 0.5 at rest, without positions yet, in a box of size x size. */
static scene_case *begin(uint32_t n, double size, carom_scene_sides sides)
{
    memset(&named, 0, sizeof named);
    named.desc = carom_scene_desc_default();
    named.desc.bodies = named.bodies;
    named.desc.walls = named.walls;
    named.desc.polygons = named.polygons;
    named.desc.body_count = n;
    named.desc.box.x1 = named.desc.box.y1 = size;
    named.desc.box.horizontal = named.desc.box.vertical = sides;
    named.dt = 1;
    named.ticks = 3;
    for (uint32_t i = 0; i < n; i++) {
        named.bodies[i] = carom_scene_body_default();
        named.bodies[i].radius = 0.5;
    }
    return &named;
}

static void put_body(uint32_t i, double x, double y, double vx, double vy)
{
    carom_scene_body *b = &named.bodies[i];
    b->x = x, b->y = y, b->vx = vx, b->vy = vy;
}

/* A lattice of touching bodies; one comes from outside. */
TEST(test_at_rest)
{
    scene_case *c = begin(401, 22, CAROM_SIDES_SOLID);
    for (uint32_t i = 0; i < 400; i++) {
        put_body(i, 0.5 + i % 20, 1.5 + (double)(i / 20), 0, 0);
    }
    put_body(400, 21.25, 11.25, -1.5, 0.125);
    check("at rest", 0, c);
    put_body(400, 21.25, 11.25, 0, 0);
    check("at rest", 1, c);
}

/* All at the same position, or close together, and one that is far away or comes from there. */
TEST(test_one_cell)
{
    random_state = 5;
    for (int k = 0; k < 3; k++) {
        scene_case *c = begin(200, 1, CAROM_SIDES_OPEN);
        for (uint32_t i = 0; i < 199; i++) {
            put_body(i, k == 0 ? 3 : uniform(0, 10), k == 0 ? 3 : uniform(0, 10), uniform(-1, 1), uniform(-1, 1));
        }
        put_body(199, k == 2 ? 5e4 : -300, 20, k == 1 ? 310 : -5e4, 0);
        c->desc.max_events = 3000;
        check("one cell", (uint64_t)k, c);
    }
}

/* Small bodies, and some that are up to a hundred times as large. */
TEST(test_radii)
{
    random_state = 6;
    for (uint32_t k = 0; k < (uint32_t)unless_short(24, 8); k++) {
        const double size = 400, ratio = k % 3 == 0 ? 100 : k % 3 == 1 ? 20 : 3;
        scene_case *c = begin(250, size, (carom_scene_sides)(k % 3));
        for (uint32_t i = 0; i < 250; i++) {
            const bool large = i % (k % 2 == 0 ? 50 : 5) == 3;
            carom_scene_body *b = &named.bodies[i];
            b->radius = large ? ratio * uniform(0.5, 1) : uniform(0.2, 1);
            b->mass = b->radius * b->radius;
            put_body(i, uniform(b->radius, size - b->radius), uniform(b->radius, size - b->radius), uniform(-9, 9),
                     uniform(-9, 9));
            b->ax = k % 8 == 7 ? uniform(-1, 1) : 0;
        }
        c->dt = 1;
        c->desc.max_events = 2000;
        check("radii", k, c);
    }
}

/* What loses its energy in the middle, with ever more impacts. */
TEST(test_collapse)
{
    random_state = 7;
    for (uint32_t k = 0; k < 4; k++) {
        scene_case *c = begin(60, 1, CAROM_SIDES_OPEN);
        for (uint32_t i = 0; i < 60; i++) {
            const double turn = uniform(0, 6.2831853), way = k < 2 ? 1 + 1.25 * i : uniform(2, 12);
            named.bodies[i].restitution = k % 2 == 0 ? 0.1 : 0.9;
            put_body(i, k < 2 ? way : way * cos(turn), k < 2 ? 0 : way * sin(turn), k < 2 ? -1 : -2 * cos(turn),
                     k < 2 ? 0 : -2 * sin(turn));
        }
        if (k < 2) { /* against a wall */
            c->desc.wall_count = 1;
            named.walls[0].ay = -3, named.walls[0].by = 3;
            named.walls[0].restitution = 0.5;
        }
        c->desc.contact_time = 1e-4;
        c->desc.max_events = 30000;
        c->dt = 4;
        check("collapse", k, c);
    }
}

/* Periodic boxes, of one and two cells in one direction or both. */
TEST(test_narrow)
{
    random_state = 8;
    for (uint32_t k = 0; k < 60; k++) {
        const double width = 1 + 0.2 * (k % 8), height = k % 3 == 0 ? width : k % 3 == 1 ? 30 : 2.02;
        scene_case *c = begin(height > 10 ? 20 : 3, 1, CAROM_SIDES_PERIODIC);
        c->desc.box.x1 = width;
        c->desc.box.y1 = height;
        c->desc.box.vertical = (carom_scene_sides)(k % 2 == 0 && height > 10 ? below(3) : CAROM_SIDES_PERIODIC);
        for (uint32_t i = 0; i < c->desc.body_count; i++) {
            named.bodies[i].radius = k % 5 == 0 ? width / 2 : 0.3;
            put_body(i, uniform(0, width), uniform(0, height), uniform(-2, 2), uniform(-2, 2));
        }
        c->desc.max_events = 300;
        check("narrow", k, c);
    }
}

/* More simultaneous impacts than the queue sorts: they are played in the order of ids, whatever the order of bodies in
 * memory. */
TEST(test_together)
{
    for (uint32_t k = 0; k < 4; k++) {
        const uint32_t n = 1024;
        scene_case *c = begin(n, 1, CAROM_SIDES_OPEN);
        for (uint32_t i = 0; i < n; i++) {
            const uint32_t place = i * 389 % n; /* pairs, or bodies above a wall */
            put_body(i, k < 2 ? 1.5 * place : 4 * (place / 2) + 3 * (place % 2), 2,
                     k < 2       ? 0
                     : place % 2 ? -2
                                 : 2,
                     k < 2 ? -2 : 0);
            named.bodies[i].ay = k == 1 ? -1 : 0;
        }
        if (k < 2) {
            c->desc.wall_count = 1;
            named.walls[0].ax = -10, named.walls[0].bx = 2 * n;
            named.walls[0].restitution = 1;
        }
        c->ticks = 2;
        c->desc.advance = k == 3 ? CAROM_ADVANCE_ALL : CAROM_OWN_CLOCK;
        c->desc.body_count = k == 3 ? 64 : n;
        check("together", k, c);
    }
}

/* Enough bodies for the engine to prefetch. */
TEST(test_large)
{
    const uint32_t n = 20480, side = 160;
    FREED carom_scene_body *bodies = calloc(n, sizeof *bodies);
    scene_case *c = begin(1, 2.0 * side, CAROM_SIDES_SOLID);
    random_state = 9;
    for (uint32_t i = 0; i < n; i++) {
        bodies[i] = named.bodies[0];
        bodies[i].x = 1 + 2 * (i % side), bodies[i].y = 1 + 2.5 * (i / side) * 0.99;
        bodies[i].vx = one_in(3) ? uniform(-2, 2) : 0, bodies[i].vy = one_in(3) ? uniform(-2, 2) : 0;
    }
    c->desc.bodies = bodies;
    c->desc.body_count = n;
    c->ticks = 1;
    if (unless_short(1, 0)) {
        check("large", 0, c);
    } else { /* all pairs of this many take long */
        play(c, CAROM_ENGINE_DEEP, CAROM_ISA_SCALAR, CAROM_F64, 1, 1, &wide);
        play(c, CAROM_ENGINE_DEEP, isas[isa_count - 1], CAROM_F64, 1, 1, &deep);
        compare("large", 0, c, CAROM_F64);
    }
}

/* Many walls and polygons, short and long, most of them never hit, among bodies that are fast or slow, fall, or are in
 * no cell; also with all of them on one line, and far away from the bodies. */
#define CROWD_WALLS 500
#define CROWD_POLYGONS 50
TEST(test_many_walls)
{
    FREED carom_scene_wall *walls = calloc(CROWD_WALLS, sizeof *walls);
    FREED carom_scene_polygon *polygons = calloc(CROWD_POLYGONS, sizeof *polygons);
    double(*corners)[2][5] = calloc(CROWD_POLYGONS, sizeof *corners);
    for (uint32_t k = 0; k < (uint32_t)unless_short(32, 3); k++) {
        const uint32_t n = 120;
        const double size = 60;
        scene_case *c = begin(n, size, (carom_scene_sides)(k % 3));
        random_state = 13 + k;
        for (uint32_t i = 0; i < n; i++) {
            carom_scene_body *b = &named.bodies[i];
            b->radius = k % 4 == 3 && i % 40 == 0 ? 6 : uniform(0.1, 0.6);
            b->ay = k % 8 == 5 ? -1 : 0;
            b->slow = k % 8 == 6 && one_in(2);
            const double speed = k % 8 == 7 && one_in(10) ? 1e3 : 2;
            put_body(i, uniform(b->radius, size - b->radius), uniform(b->radius, size - b->radius),
                     uniform(-speed, speed), uniform(-speed, speed));
        }
        for (uint32_t w = 0; w < CROWD_WALLS; w++) {
            const double x = uniform(-0.5, 1.5) * size, y = k % 5 == 4 ? 20 : uniform(-0.5, 1.5) * size;
            const double length = one_in(50) ? size : 1, turn = k % 5 == 4 ? 0 : uniform(0, 6.283185307);
            const double off = k % 7 == 6 ? 3 * size : 0;
            walls[w] = (carom_scene_wall){
                x + off, y, x + off + length * cos(turn), y + length * sin(turn), 0.9, one_in(4), one_in(4)};
        }
        for (uint32_t p = 0; p < CROWD_POLYGONS; p++) {
            const double x = uniform(0, size), y = uniform(0, size), r = one_in(20) ? 20 : 0.5;
            for (int e = 0; e < 5; e++) {
                corners[p][0][e] = x + r * cos(1.2566 * e);
                corners[p][1][e] = y + r * sin(1.2566 * e);
            }
            polygons[p] = (carom_scene_polygon){corners[p][0], corners[p][1], 5, 0.8, one_in(4)};
        }
        c->desc.walls = walls;
        c->desc.wall_count = CROWD_WALLS;
        c->desc.polygons = k % 2 == 0 ? polygons : NULL;
        c->desc.polygon_count = k % 2 == 0 ? CROWD_POLYGONS : 0;
        c->desc.max_events = 4000;
        c->desc.contact_time = 1e-4;
        c->desc.advance = k % 8 == 4 ? CAROM_ADVANCE_ALL : CAROM_OWN_CLOCK;
        c->ticks = 2;
        c->dt = k % 8 == 7 ? 0.1 : 1.5;
        check("many walls", k, c);
    }
    free(corners);
}

/* Walls see no circle as smaller than rounding, which is relative to how far they reach: points that come so near to a
 * long wall, and no nearer, meet it. */
TEST(test_points_at_long_walls)
{
    const carom_scene_wall walls[] = {{-3e3, 20, 3e3, 20, 1, false, false}, {1, 1, 2, 1, 1, false, false}};
    for (uint32_t k = 0; k < 4; k++) {
        scene_case *c = begin(120, 60, (carom_scene_sides)(k % 3));
        random_state = 14 + k;
        for (uint32_t i = 0; i < 120; i++) {
            named.bodies[i].radius = 1e-9;
            named.bodies[i].ay = k == 3 ? -1e-3 : 0;
            put_body(i, 1 + 0.4 * i, 20 + uniform(0, 0.03), 0, uniform(-0.01, 0));
        }
        c->desc.walls = walls;
        c->desc.wall_count = 2;
        c->desc.max_events = 4000;
        c->desc.contact_time = 0.1;
        c->ticks = 2;
        c->dt = 1;
        check("points at long walls", k, c);
    }
}

/* ---- many events at one time, and cancelling ---- */

/* Neighbours fly at each other: all pairs collide at the same times, or nearly so. */
static void make_lattice(uint32_t n, bool jittered, carom_scene **scene, carom_worlds **worlds)
{
    const uint32_t rows = (uint32_t)ceil(sqrt((double)n));
    FREED carom_scene_body *bodies = calloc(n, sizeof *bodies);
    scene_case *c = begin(1, 2.0 * rows, CAROM_SIDES_SOLID);
    random_state = 11;
    for (uint32_t i = 0; i < n; i++) {
        bodies[i] = named.bodies[0];
        bodies[i].x = 2 * (i % rows) + 1, bodies[i].y = 2 * (double)(i / rows) + 1;
        bodies[i].vx = (i % rows % 2 == 0 ? 1 : -1) * (jittered ? uniform(0.999, 1.001) : 1);
    }
    c->desc.bodies = bodies;
    c->desc.body_count = n;
    c->desc.engine = CAROM_ENGINE_DEEP;
    *scene = make_scene(&c->desc);
    carom_worlds_desc desc = carom_worlds_desc_default(carom_scene_game(*scene));
    desc.count = desc.threads = 1;
    demand(carom_worlds_create(&desc, worlds));
    demand(carom_worlds_step(*worlds, 1, 1));
    demand(carom_worlds_reset(*worlds));
}

/* Processor time of a tick, after one that is not counted. */
static double lattice_seconds(uint32_t n, bool jittered)
{
    OWNED(carom_scene) *scene = NULL;
    OWNED(carom_worlds) *worlds = NULL;
    make_lattice(n, jittered, &scene, &worlds);
    const clock_t from = clock();
    demand(carom_worlds_step(worlds, 1, 1));
    const double seconds = (double)(clock() - from) / CLOCKS_PER_SEC;
    assert_true(carom_worlds_counters(worlds).events >= n / 2 - (uint32_t)sqrt((double)n) - 1);
    return seconds;
}

/* Half as long: no event is dropped. Searching all simultaneous events for each one would take twenty times as long. */
TEST(test_many_at_once_are_cheap)
{
    double all = 1e9, jittered = 1e9;
    for (int k = 0; k < 10; k++) { /* the least: others may be at work on the machine */
        all = fmin(all, lattice_seconds(20000, false));
        jittered = fmin(jittered, lattice_seconds(20000, true));
    }
    print_message("all meet at once: %.3g ms; they do not: %.3g ms\n", 1e3 * all, 1e3 * jittered);
    assert_true(all < jittered);
}

/* Raises the flag at its 1000th impact; leaves velocities alone. */
typedef struct canceller {
    volatile int flag;
    uint32_t impacts;
} canceller;

static void cancel_soon(void *user, size_t count, carom_impact *impacts)
{
    canceller *c = user;
    (void)impacts;
    c->impacts += (uint32_t)count;
    c->flag = c->impacts >= 1000;
}

/* Cancelling ends a tick of many impacts long before its end; the world is back at the start of the tick. */
TEST(test_cancelling)
{
    for (int k = 0; k < 4; k++) {
        canceller seen = {0, 0};
        uint64_t before, after;
        const uint32_t n = k / 2 == 0 ? 500 : 100;
        scene_case *c = begin(n, 40, CAROM_SIDES_SOLID);
        random_state = 12;
        for (uint32_t i = 0; i < n; i++) {
            put_body(i, 1 + 1.5 * (i % 25), 1 + 1.5 * (double)(i / 25), uniform(-1, 1), uniform(-1, 1));
        }
        c->desc.engine = k / 2 == 0 ? CAROM_ENGINE_DEEP : CAROM_ENGINE_WIDE;
        c->desc.advance = k % 2 == 0 ? CAROM_OWN_CLOCK : CAROM_ADVANCE_ALL;
        c->desc.max_events = UINT32_MAX;
        c->desc.response_hook = cancel_soon;
        c->desc.user = &seen;
        OWNED(carom_scene) *scene = make_scene(&c->desc);
        OWNED(carom_worlds) *worlds = MAKE_WORLDS(carom_scene_game(scene), .count = 1, .threads = 1);
        demand(carom_worlds_digest(worlds, &before));
        carom_step step = STEP_WITH(.dt = 1e5, .ticks = 2, .cancel = &seen.flag);
        assert_int_equal(carom_worlds_play(worlds, &step), CAROM_ERROR_CANCELLED);
        assert_in_range(seen.impacts, 1000, 3000);
        demand(carom_worlds_digest(worlds, &after));
        assert_true(before == after);
        assert_int_equal(carom_worlds_counters(worlds).ticks, 0);
        assert_int_equal(carom_worlds_faults(worlds, NULL), 0);
    }
}

/* A tick of 50,000 bodies of which neighbours meet at the same times, cancelled at any time, ends within 50 ms of
 * processor time. */
TEST(test_cancelling_many_at_once)
{
    NOT_ON_WEB(); /* nothing interrupts a call */
    const int tries = unless_short(40, 10);
    OWNED(carom_scene) *scene = NULL;
    OWNED(carom_worlds) *worlds = NULL;
    carom_step step = carom_step_default();
    make_lattice((uint32_t)unless_short(50000, 20000), false, &scene, &worlds);
    const clock_t from = clock();
    demand(carom_worlds_step(worlds, 1, 1));
    const double whole = (double)(clock() - from) / CLOCKS_PER_SEC;
    double worst = 0;
    int ended = 0;
    for (int k = 0; k < tries; k++) {
        demand(carom_worlds_reset(worlds));
        step.dt = 1;
        step.cancel = &cancelled;
        assert_true(cancel_after(1 + (suseconds_t)(1e6 * whole * k / tries)));
        const carom_status status = carom_worlds_play(worlds, &step);
        const clock_t end = clock();
        assert_true(cancel_never());
        if (status == CAROM_ERROR_CANCELLED) {
            worst = fmax(worst, cancelled_for(end));
            ended++;
        }
    }
    print_message("a tick of %.3g ms, cancelled %d times: after %.3g ms at most\n", 1e3 * whole, ended, 1e3 * worst);
    assert_true(ended > unless_short(10, -1)); /* the short form's tick may end before the timer does */
    assert_true(worst < 0.05 && worst < 0.5 * whole + 0.005);
}

/* ---- what lives on from tick to tick of a call ---- */

/* Plays `ticks` ticks in one call, or in a call each. */
static carom_status play_calls(carom_worlds *w, double dt, size_t ticks, bool one_call, volatile int *cancel)
{
    carom_status status = CAROM_OK;
    for (size_t t = 0; t < (one_call ? 1 : ticks) && status == CAROM_OK; t++) {
        carom_step step = STEP_WITH(.dt = dt, .ticks = one_call ? ticks : 1);
        step.cancel = cancel;
        status = carom_worlds_play(w, &step);
    }
    return status;
}

/* Equal states, records, counters and faults. */
static void same_worlds(const char *name, uint64_t number, const carom_worlds *a, const carom_worlds *b)
{
    uint64_t here, there;
    demand(carom_worlds_digest(a, &here));
    demand(carom_worlds_digest(b, &there));
    const carom_counters p = carom_worlds_counters(a), q = carom_worlds_counters(b);
    if (here != there || p.ticks != q.ticks || p.events != q.events || p.goals != q.goals || p.games != q.games ||
        p.faults != q.faults) {
        fail_msg("%s %llu: %s, ticks %llu and %llu, events %llu and %llu, faults %llu and %llu", name,
                 (unsigned long long)number, here == there ? "equal states" : "states differ",
                 (unsigned long long)p.ticks, (unsigned long long)q.ticks, (unsigned long long)p.events,
                 (unsigned long long)q.events, (unsigned long long)p.faults, (unsigned long long)q.faults);
    }
}

enum { LIVE_PERIODIC, LIVE_FALLS, LIVE_OPEN, LIVE_CASES };

/* A gas of speeds up to 1. */
static scene_case *begin_live(int kind, uint32_t n, double packing)
{
    static const carom_scene_sides sides[LIVE_CASES] = {CAROM_SIDES_PERIODIC, CAROM_SIDES_SOLID, CAROM_SIDES_OPEN};
    const uint32_t rows = (uint32_t)ceil(sqrt(n));
    const double step = sqrt(0.785398163 / packing);
    scene_case *c = begin(n, step * rows, sides[kind]);
    random_state = n + 100 * (uint64_t)kind;
    for (uint32_t i = 0; i < n; i++) {
        put_body(i, (i % rows + 0.5) * step, (i / rows + 0.5) * step, uniform(-1, 1), uniform(-1, 1));
        named.bodies[i].ay = kind == LIVE_FALLS ? -0.5 : 0;
    }
    c->desc.max_events = 1000 * n;
    c->desc.engine = CAROM_ENGINE_DEEP;
    return c;
}

/* One call is as many calls, to the bit: long ticks and short ones, more of these than a world lives for. */
TEST(test_one_call)
{
    static const double packings[] = {0.02, 0.3, 0.7}, lengths[] = {1, 0.1, 0.01};
    static const size_t ticks[] = {10, 60, 300};
    uint64_t events = 0;
    for (int k = 0; k < LIVE_CASES * 9 * 2; k++) {
        const int length = k / 2 % 3;
        scene_case *c = begin_live(k / 18, (uint32_t)unless_short(400, 100), packings[k / 6 % 3]);
        OWNED(carom_scene) *scene = make_scene(&c->desc);
        const carom_precision precision = k % 2 == 0 ? CAROM_F64 : CAROM_F32;
        OWNED(carom_worlds) *one = MAKE_WORLDS(carom_scene_game(scene), .count = 2, .precision = precision);
        OWNED(carom_worlds) *many = MAKE_WORLDS(carom_scene_game(scene), .count = 2, .precision = precision);
        demand(play_calls(one, lengths[length], ticks[length], true, NULL));
        demand(play_calls(many, lengths[length], ticks[length], false, NULL));
        events += carom_worlds_counters(one).events;
        same_worlds("one call", (uint64_t)k, one, many);
    }
    assert_true(events > 10000);
}

/* The same in random scenes: walls, polygons, sensors, those that settle, those that are too fast, faults. */
TEST(test_one_call_random)
{
    static scene_case c;
    const uint64_t count = (uint64_t)unless_short(800, 100);
    uint64_t faults = 0;
    for (uint64_t number = 0; number < count; number++) {
        make(&c, 5000000 + number);
        c.desc.engine = CAROM_ENGINE_DEEP;
        OWNED(carom_scene) *scene = make_scene(&c.desc);
        const carom_precision precision = number % 2 == 0 ? CAROM_F64 : CAROM_F32;
        const carom_at_end at_end = (carom_at_end)(number % 3);
        OWNED(carom_worlds) *one =
            MAKE_WORLDS(carom_scene_game(scene), .count = 2, .precision = precision, .at_end = at_end, .threads = 1);
        OWNED(carom_worlds) *many =
            MAKE_WORLDS(carom_scene_game(scene), .count = 2, .precision = precision, .at_end = at_end, .threads = 1);
        const double dt = number % 4 == 0 ? c.dt : c.dt / 8;
        demand(play_calls(one, dt, 12, true, NULL));
        demand(play_calls(many, dt, 12, false, NULL));
        same_worlds("one call in random scene", number, one, many);
        faults += carom_worlds_counters(one).faults;
    }
    assert_true(faults > 0);
}

/* A world that ends during a call stops, restarts or continues, as in calls of one tick. */
TEST(test_one_call_ends)
{
    for (int k = 0; k < LIVE_CASES * 3; k++) {
        scene_case *c = begin_live(k / 3, 60, 0.3);
        for (uint32_t i = 0; i < 60; i++) {
            named.bodies[i].vx_spread = 0.5; /* so that every game is another one */
        }
        c->desc.last_tick = 37;
        OWNED(carom_scene) *scene = make_scene(&c->desc);
        const carom_at_end at_end = (carom_at_end)(k % 3); /* PLAY_ON, FREEZE, RESET */
        OWNED(carom_worlds) *one = MAKE_WORLDS(carom_scene_game(scene), .count = 3, .at_end = at_end);
        OWNED(carom_worlds) *many = MAKE_WORLDS(carom_scene_game(scene), .count = 3, .at_end = at_end);
        demand(play_calls(one, 0.05, 100, true, NULL));
        demand(play_calls(many, 0.05, 100, false, NULL));
        assert_int_equal(carom_worlds_counters(one).games, at_end == CAROM_RESET ? 6 : 3);
        same_worlds("ends", (uint64_t)k, one, many);
    }
}

/* A tick in the middle of a call has too many events: the world goes back to the start of that tick. */
TEST(test_one_call_faults)
{
    for (int k = 0; k < LIVE_CASES * 2; k++) {
        scene_case *c = begin_live(k / 2, 200, 0.3);
        const carom_precision precision = k % 2 == 0 ? CAROM_F64 : CAROM_F32;

        /* A number of events that only one of the first 40 ticks has. */
        uint32_t most = 0, at = 0;
        OWNED(carom_scene) *scene = make_scene(&c->desc);
        OWNED(carom_worlds) *worlds =
            MAKE_WORLDS(carom_scene_game(scene), .count = 1, .precision = precision, .threads = 1);
        for (uint32_t t = 0; t < 40; t++) {
            const uint64_t before = carom_worlds_counters(worlds).events;
            demand(carom_worlds_step(worlds, 0.125, 1));
            const uint32_t events = (uint32_t)(carom_worlds_counters(worlds).events - before);
            at = events > most ? t : at;
            most = events > most ? events : most;
        }
        assert_true(most > 1 && at > 0);

        c->desc.max_events = most - 1;
        OWNED(carom_scene) *strict = make_scene(&c->desc);
        OWNED(carom_worlds) *one =
            MAKE_WORLDS(carom_scene_game(strict), .count = 1, .precision = precision, .at_end = CAROM_FREEZE);
        OWNED(carom_worlds) *many =
            MAKE_WORLDS(carom_scene_game(strict), .count = 1, .precision = precision, .at_end = CAROM_FREEZE);
        demand(play_calls(one, 0.125, 60, true, NULL));
        demand(play_calls(many, 0.125, 60, false, NULL));
        assert_int_equal(carom_worlds_counters(one).faults, 1);
        assert_int_equal(carom_worlds_counters(one).ticks, at);
        same_worlds("fault", (uint64_t)k, one, many);
    }
}

/* Raises the flag at an impact; bodies rebound as they would without it. */
typedef struct interrupter {
    volatile int flag;
    uint64_t impacts, last;
} interrupter;

static void rebound(void *user, size_t count, carom_impact *impacts)
{
    interrupter *c = user;
    for (size_t k = 0; k < count; k++) {
        carom_impact *m = &impacts[k];
        const bool pair = m->kind == CAROM_IMPACT_BODY;
        const double along = (m->vx1 - m->vx2) * m->nx + (m->vy1 - m->vy2) * m->ny, give = pair ? along : 2 * along;
        m->vx1 -= give * m->nx, m->vy1 -= give * m->ny;
        m->vx2 += pair ? give * m->nx : 0, m->vy2 += pair ? give * m->ny : 0;
    }
    c->impacts += count;
    c->flag = c->flag || (c->last != 0 && c->impacts >= c->last);
}

/* Cancelled in the middle of a tick that is not the first of its call: the world is at the start of that tick, and
 * continues as if nothing had happened. */
TEST(test_one_call_cancelled)
{
    for (int k = 0; k < LIVE_CASES * 4; k += unless_short(1, 3)) {
        interrupter seen = {0, 0, 0};
        scene_case *c = begin_live(k / 4, 900, 0.5);
        c->desc.response_hook = rebound;
        c->desc.user = &seen;
        OWNED(carom_scene) *scene = make_scene(&c->desc);
        const carom_precision precision = k % 2 == 0 ? CAROM_F64 : CAROM_F32;
        OWNED(carom_worlds) *one =
            MAKE_WORLDS(carom_scene_game(scene), .count = 1, .precision = precision, .threads = 1);
        OWNED(carom_worlds) *many =
            MAKE_WORLDS(carom_scene_game(scene), .count = 1, .precision = precision, .threads = 1);
        const double dt = k / 2 % 2 == 0 ? 1 : 0.5;

        /* After the first tick, soon or late: impacts of all ticks are counted beforehand. */
        demand(play_calls(many, dt, 1, false, NULL));
        const uint64_t first = seen.impacts;
        demand(play_calls(many, dt, 39, false, NULL));
        seen.last = first + 1 + (seen.impacts - first) * (uint64_t)(k % 4) / 5;
        seen.impacts = 0;
        demand(carom_worlds_reset(many));

        assert_int_equal(play_calls(one, dt, 40, true, &seen.flag), CAROM_ERROR_CANCELLED);
        const size_t ticks = carom_worlds_counters(one).ticks;
        assert_in_range(ticks, 1, 39);

        seen.flag = 0, seen.last = 0;
        demand(play_calls(many, dt, ticks, false, NULL));
        same_worlds("cancelled", (uint64_t)k, one, many);
        demand(play_calls(one, dt, 40 - ticks, true, NULL));
        demand(play_calls(many, dt, 40 - ticks, false, NULL));
        same_worlds("cancelled and gone on", (uint64_t)k, one, many);
    }
}

/* A save between calls of any length, loaded into the other batch, changes no bit. */
TEST(test_one_call_saved)
{
    for (int k = 0; k < LIVE_CASES * 2; k++) {
        scene_case *c = begin_live(k / 2, 150, 0.4);
        const carom_precision precision = k % 2 == 0 ? CAROM_F64 : CAROM_F32;
        OWNED(carom_scene) *scene = make_scene(&c->desc);
        OWNED(carom_worlds) *whole = MAKE_WORLDS(carom_scene_game(scene), .count = 2, .precision = precision);
        OWNED(carom_worlds) *a = MAKE_WORLDS(carom_scene_game(scene), .count = 2, .precision = precision);
        OWNED(carom_worlds) *b = MAKE_WORLDS(carom_scene_game(scene), .count = 2, .precision = precision);
        const size_t size = carom_worlds_save_size(a);
        FREED void *saved = take(size);
        demand(play_calls(whole, 0.05, 300, true, NULL));
        carom_worlds *now = a, *next = b;
        for (size_t left = 300; left > 0;) {
            const size_t wanted = 1 + below(40), ticks = wanted < left ? wanted : left;
            demand(play_calls(now, 0.05, ticks, true, NULL));
            demand(carom_worlds_save(now, saved, size));
            demand(carom_worlds_load(next, saved, size));
            carom_worlds *const swap = now;
            now = next, next = swap;
            left -= ticks;
        }
        same_worlds("saved", (uint64_t)k, now, whole);
    }
}

/* ---- instruction sets, threads, batches ---- */

TEST(test_same)
{
    static scene_case c;
    for (uint64_t number = 0; number < (uint64_t)unless_short(60, 3); number++) {
        make(&c, 1000000 + number);
        for (int k = 0; k < 2; k++) {
            const carom_precision precision = k == 0 ? CAROM_F64 : CAROM_F32;
            played want = {0, {0}, {0}, NULL}, got = want;
            play(&c, CAROM_ENGINE_WIDE, CAROM_ISA_SCALAR, precision, 1, 19, &want);
            for (int isa = CAROM_ISA_SCALAR; isa < CAROM_ISA_COUNT; isa++) {
                for (unsigned threads = 1; threads <= 3 && carom_isa_usable((carom_isa)isa); threads++) {
                    play(&c, CAROM_ENGINE_DEEP, (carom_isa)isa, precision, threads, 19, &got);
                    assert_memory_equal(got.digest, want.digest, c.ticks * sizeof *got.digest);
                }
            }
        }
    }
}

SET_UP
{
    deep.events = calloc(EVENTS, sizeof *deep.events);
    wide.events = calloc(EVENTS, sizeof *wide.events);
}

TEAR_DOWN
{
    free(deep.events);
    free(wide.events);
}
