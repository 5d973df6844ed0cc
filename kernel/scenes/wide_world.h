/* SPDX-License-Identifier: MIT
 * Worlds of the wide engine during a tick: their records, filters that exclude things too far apart to meet, and the
 * first event of every world of a register group, by testing all pairs.
 *
 * Pairs are tested in the order that breaks ties, and only an earlier event replaces the first one so far. A pair that
 * is too far apart in all lanes costs a single comparison (scene_near()).
 */
#ifndef CAROM_SCENES_WIDE_WORLD_H
#define CAROM_SCENES_WIDE_WORLD_H

#include "base/progress.h"
#include "scenes/engine.h"
#include "scenes/motion.h"

/* The number of bodies up to which a list, which tests all pairs after every event, is faster than a queue (both in
 * wide_kernel.c). Measured, in ns per world-tick: with 16 lanes, 8 bodies 250 against 455, 12 bodies 550 against 605;
 * with 8 lanes, 8 bodies 475 against 495, 10 bodies 810 against 640; with one lane, 8 bodies 3460 against 1670. */
#define WIDE_FEW (LANES == 16 ? 12 : LANES == 8 ? 8 : 4)

/* A call for so few worlds uses a queue from fewer bodies on. A single world of 10 bodies in f32, with 16 lanes, has
 * 4.6 instead of 1.4 million impacts per second in a long tick, and ticks with few impacts take the same time. With 8
 * bodies the latter take a fifth longer. */
#define WIDE_ALONE 2 /* worlds, at most */
#define WIDE_LEAST 8 /* bodies, more than */

/* The box around a wall, polygon or arc. */
typedef struct wide_box {
    real x0, y0, x1, y1;
    real slack; /* a distance, for rounding in proportion to the box's size, and its share of scene_fuzz() */
} wide_box;

/* Walls and polygons that differ by world, of the worlds of one register group: wide_find_stills(). */
typedef struct wide_stills {
    real *ends; /* [walls][5][LANES], ax, ay, bx, by, size as in scene_ends; NULL: all worlds have the same */
    real *corner_x, *corner_y; /* [corners of all polygons][LANES]; NULL: all worlds have the same */
    real *sizes;               /* [polygons][LANES] */
    real *boxes;               /* [walls + polygons][5][LANES], as in wide_box; of those that differ */
} wide_stills;

/* Worlds during a tick. A world's home is 16 times the number of its tile, plus its lane there; its records may be in
 * another slot.
 *
 * Records have two layouts. In rows, with body b of slot l at [b * body_step + l], each lane has another world. In
 * columns, with body b of slot l at [l * lane_step + b], each lane has another body (wide_queue.h). One of the steps is
 * 1. */
typedef struct wide {
    scene_tick *k; /* [tiles] */
    const scene_frozen *s;
    real *x, *y;       /* NaN where a body is not active */
    real *vx, *vy, *t; /* see motion.h */
    real *ticks;       /* scene_circle.k; only if records outlive ticks */
    real *at_x, *at_y; /* positions at the start of the tick, or since then: for filters. x, y if records end with it */
    real *near;        /* scene_near(), for the filters */
    real *met;         /* see motion.h; valid only if contact_time > 0 */
    int32_t *last;     /* see motion.h */
    size_t body_step, lane_step;
    real *r, *ax, *ay;   /* numbers of bodies that differ by world, where their records are; NULL: the scene's */
    real *dts;           /* by slot, if dt differs by world; otherwise NULL */
    const int32_t *home; /* of slots; NULL: slots are the lanes of the tile k */
    wide_stills stills;
    wide_box *boxes;                            /* of walls, then of polygons, then of arcs */
    vreal width, height;                        /* of the scene's box, for images */
    uint32_t images;                            /* bit k: there is image k */
    uint32_t crossed[SCENE_TILES * CAROM_TILE]; /* by home: crossings of periodic sides */
    void *deep; /* scratch of the deep engine, for worlds whose bodies may settle; otherwise NULL */
} wide;

/* Scratch memory is allocated from its start on. With a base of NULL only the size is computed. */
typedef struct wide_memory {
    unsigned char *base;
    size_t used;
} wide_memory;

CAROM_LANE void *wide_take(wide_memory *m, size_t count, size_t bytes)
{
    const size_t at = m->used;
    m->used += (count * bytes + 63) / 64 * 64;
    return m->base != NULL ? m->base + at : NULL;
}

CAROM_LANE real *wide_take_reals(wide_memory *m, size_t count)
{
    return (real *)wide_take(m, count, sizeof(real));
}

CAROM_LANE int32_t *wide_take_ints(wide_memory *m, size_t count)
{
    return (int32_t *)wide_take(m, count, sizeof(int32_t));
}

/* Takes memory for `count` records. */
CAROM_LANE void wide_take_records(wide *w, const scene_frozen *s, wide_memory *m, size_t count)
{
    w->x = wide_take_reals(m, count), w->y = wide_take_reals(m, count);
    w->vx = wide_take_reals(m, count), w->vy = wide_take_reals(m, count);
    w->t = wide_take_reals(m, count), w->near = wide_take_reals(m, count);
    w->ticks = s->goes_on ? wide_take_reals(m, count) : NULL;
    w->at_x = s->goes_on ? wide_take_reals(m, count) : w->x;
    w->at_y = s->goes_on ? wide_take_reals(m, count) : w->y;
    w->met = wide_take_reals(m, count);
    w->last = wide_take_ints(m, count);
}

/* Takes memory for `count` of each number of bodies that differs by world. */
CAROM_LANE void wide_take_own(wide *w, wide_memory *m, size_t count)
{
    const size_t *own = w->s->own;
    w->r = own[SCENE_OWN_RADIUS] != 0 ? wide_take_reals(m, count) : NULL;
    w->ax = own[SCENE_OWN_AX] != 0 ? wide_take_reals(m, count) : NULL;
    w->ay = own[SCENE_OWN_AY] != 0 ? wide_take_reals(m, count) : NULL;
}

CAROM_LANE void wide_take_stills(wide_stills *stills, const scene_frozen *s, wide_memory *m)
{
    const bool walls = (s->varies & (CAROM_VARIES_WALLS | CAROM_VARIES_THERE)) != 0;
    const bool polygons = (s->varies & (CAROM_VARIES_CORNERS | CAROM_VARIES_THERE)) != 0;
    const size_t corners =
        s->polygons == 0 ? 0 : s->polygon[s->polygons - 1].first + s->polygon[s->polygons - 1].corners;
    wide_stills none = {NULL, NULL, NULL, NULL, NULL};
    *stills = none;
    if (walls && s->walls != 0) {
        stills->ends = wide_take_reals(m, (size_t)s->walls * 5 * LANES);
    }
    if (polygons && s->polygons != 0) {
        stills->corner_x = wide_take_reals(m, corners * LANES), stills->corner_y = wide_take_reals(m, corners * LANES);
        stills->sizes = wide_take_reals(m, (size_t)s->polygons * LANES);
    }
    if (walls || polygons) {
        stills->boxes = wide_take_reals(m, ((size_t)s->walls + s->polygons) * 5 * LANES);
    }
}

CAROM_LANE size_t wide_at(const wide *w, uint32_t body, size_t slot)
{
    return body * w->body_step + slot * w->lane_step;
}

CAROM_LANE scene_tick *wide_tick_of(const wide *w, int32_t home)
{
    return &w->k[(unsigned)home / CAROM_TILE];
}
CAROM_LANE unsigned wide_lane_of(int32_t home)
{
    return (unsigned)home % CAROM_TILE;
}

/* Does this number differ by world? In most scenes it does not, so the compiler optimises for that. */
#define WIDE_OWNS(rows) __builtin_expect((rows) != NULL, 0)

/* The length of the tick, in the slots from `at` on. */
CAROM_LANE vreal wide_dt(const wide *w, size_t at)
{
    return WIDE_OWNS(w->dts) ? v_load(w->dts + at) : v_set1(w->k->dt);
}

/* The numbers of a body in the slots from `at` on; only in rows. */
CAROM_LANE vreal wide_radius(const wide *w, uint32_t body, size_t at)
{
    return WIDE_OWNS(w->r) ? v_load(w->r + body * w->body_step + at) : v_set1(w->s->radius[body]);
}
CAROM_LANE vreal wide_ax(const wide *w, uint32_t body, size_t at)
{
    return WIDE_OWNS(w->ax) ? v_load(w->ax + body * w->body_step + at) : v_set1(w->s->ax[body]);
}
CAROM_LANE vreal wide_ay(const wide *w, uint32_t body, size_t at)
{
    return WIDE_OWNS(w->ay) ? v_load(w->ay + body * w->body_step + at) : v_set1(w->s->ay[body]);
}

/* A wall, and a polygon, of the current worlds. Not inlined where they differ: most scenes have none that do. */
static __attribute__((noinline, unused)) scene_ends wide_own_ends(const wide *w, uint32_t wall)
{
    const real *from = w->stills.ends + (size_t)wall * 5 * LANES;
    scene_ends e;
    e.ax = v_load(from), e.ay = v_load(from + LANES), e.bx = v_load(from + 2 * LANES), e.by = v_load(from + 3 * LANES);
    e.size = v_load(from + 4 * LANES);
    e.one_sided = w->s->wall[wall].one_sided;
    return e;
}
CAROM_LANE scene_ends wide_ends(const wide *w, uint32_t wall)
{
    return WIDE_OWNS(w->stills.ends) ? wide_own_ends(w, wall) : scene_ends_of(&w->s->wall[wall]);
}
CAROM_LANE scene_corners wide_corners(const wide *w, uint32_t polygon)
{
    scene_corners p = scene_corners_of(w->s, &w->s->polygon[polygon]);
    if (WIDE_OWNS(w->stills.corner_x)) {
        const size_t first = (size_t)w->s->polygon[polygon].first * LANES;
        p.x = w->stills.corner_x + first, p.y = w->stills.corner_y + first;
        p.step = LANES;
        p.size = v_load(w->stills.sizes + (size_t)polygon * LANES);
    }
    return p;
}

/* The records of a body in the slots from `at` on; only in rows. goes_on: the scene's, perhaps a constant. */
CAROM_LANE scene_circle wide_circle_of(const wide *w, uint32_t body, size_t at, bool goes_on)
{
    const size_t row = body * w->body_step + at;
    scene_circle c;
    c.x = v_load(w->x + row), c.y = v_load(w->y + row);
    c.vx = v_load(w->vx + row), c.vy = v_load(w->vy + row);
    c.k = goes_on ? v_load(w->ticks + row) : v_set1(0);
    c.t = v_load(w->t + row);
    c.r = wide_radius(w, body, at);
    c.ax = wide_ax(w, body, at), c.ay = wide_ay(w, body, at);
    return c;
}
CAROM_LANE scene_circle wide_circle(const wide *w, uint32_t body, size_t at)
{
    return wide_circle_of(w, body, at, w->s->goes_on);
}

/* ---- the tile's records ---- */

/* Writes the record c of body `body` to the tile, in the lanes `done` of the group `at`; not_active: there is none. */
CAROM_LANE void wide_store_record(const wide *w, uint32_t body, unsigned at, scene_circle c, vmask done,
                                  vmask not_active)
{
    const scene_frozen *s = w->s;
    const scene_tick *k = w->k;
    const size_t row = (size_t)body * CAROM_TILE + at;
    const vreal zero = v_set1(0);
    real *x = scene_reals(k, s->record_x) + row, *y = scene_reals(k, s->record_y) + row;
    real *t = scene_reals(k, s->record_time) + row;
    int32_t *tick = scene_ints(k, s->record_tick) + row;
    const vint now = i_load32(scene_ints(k, s->tick) + at), own = i_add(now, v_truncate(c.k));

    v_store(x, v_select(done, v_select(not_active, zero, c.x), v_load(x)));
    v_store(y, v_select(done, v_select(not_active, zero, c.y), v_load(y)));
    v_store(t, v_select(done, v_select(not_active, zero, c.t), v_load(t)));
    i_store32(tick, i_select(done, i_select(not_active, i_set1(-1), own), i_load32(tick)));
    if (s->accelerates) {
        real *vx = scene_reals(k, s->record_vx) + row, *vy = scene_reals(k, s->record_vy) + row;
        v_store(vx, v_select(done, v_select(not_active, zero, c.vx), v_load(vx)));
        v_store(vy, v_select(done, v_select(not_active, zero, c.vy), v_load(vy)));
    }
}

/* Bodies at the end of the tick, with their records, one in each lane. */
typedef struct wide_ended {
    alignas(64) real x[LANES], y[LANES], vx[LANES], vy[LANES];
    alignas(64) real record_x[LANES], record_y[LANES], record_vx[LANES], record_vy[LANES], t[LANES];
    alignas(64) int32_t k[LANES];
} wide_ended;

CAROM_LANE void wide_end(const scene_frozen *s, wide_ended *e, scene_circle from, vreal dt)
{
    const scene_circle c = record_end(s, from, dt);
    v_store(e->x, c.x), v_store(e->y, c.y), v_store(e->vx, c.vx), v_store(e->vy, c.vy);
    v_store(e->record_x, from.x), v_store(e->record_y, from.y), v_store(e->t, from.t);
    v_store(e->record_vx, from.vx), v_store(e->record_vy, from.vy);
    i_store32(e->k, v_truncate(from.k));
}

/* Writes the body in lane l of e to the fields of its world, the one in `lane` of a tile. */
CAROM_LANE void wide_put_ended(const scene_tick *k, unsigned lane, uint32_t body, const wide_ended *e, uint32_t l)
{
    const scene_frozen *s = k->scene;
    const size_t row = (size_t)body * CAROM_TILE + lane;
    if (scene_actives(k)[row] != 0) {
        scene_reals(k, s->x)[row] = e->x[l], scene_reals(k, s->y)[row] = e->y[l];
        scene_reals(k, s->vx)[row] = e->vx[l], scene_reals(k, s->vy)[row] = e->vy[l];
        if (s->goes_on && e->k[l] == 0) { /* a new one */
            scene_keep_record(k, lane, body, e->record_x[l], e->record_y[l], e->record_vx[l], e->record_vy[l], e->t[l],
                              scene_ints(k, s->tick)[lane]);
        }
    } else if (s->goes_on) {
        scene_drop_record(k, lane, body);
    }
}

/* ---- filters: the lanes in which two things may meet within the tick ---- */

/* Two bodies; (dx, dy) from one to the other, reach: the sum of their `near`. */
CAROM_LANE vmask wide_pair_near(vreal dx, vreal dy, vreal reach)
{
    return v_le(dx * dx + dy * dy, reach * reach);
}

/* A body and wall, or polygon, n: walls are counted first. (at_x, at_y): the body's position, see wide.at_x. */
CAROM_LANE vmask wide_box_near(const wide *w, uint32_t n, vreal at_x, vreal at_y, vreal near)
{
    if (WIDE_OWNS(n < w->s->walls ? w->stills.ends : w->stills.corner_x) && scene_arc_of(w->s, n) == NULL) {
        const real *own = w->stills.boxes + (size_t)n * 5 * LANES;
        const vreal own_x = v_max(v_load(own) - at_x, at_x - v_load(own + 2 * LANES));
        const vreal own_y = v_max(v_load(own + LANES) - at_y, at_y - v_load(own + 3 * LANES));
        return v_le(v_max(own_x, own_y), near + v_load(own + 4 * LANES));
    }
    const wide_box *b = &w->boxes[n];
    const vreal x = v_max(v_set1(b->x0) - at_x, at_x - v_set1(b->x1));
    const vreal y = v_max(v_set1(b->y0) - at_y, at_y - v_set1(b->y1));
    return v_le(v_max(x, y), near + v_set1(b->slack));
}

CAROM_LANE vmask wide_sides_near(const scene_frozen *s, vreal at_x, vreal at_y, vreal near)
{
    vreal gap = v_set1(SCENE_NEVER);
    if (s->horizontal != CAROM_SIDES_OPEN) {
        gap = v_min(at_x - v_set1(s->x0), v_set1(s->x1) - at_x);
    }
    if (s->vertical != CAROM_SIDES_OPEN) {
        gap = v_min(gap, v_min(at_y - v_set1(s->y0), v_set1(s->y1) - at_y));
    }
    return v_le(gap, near);
}

/* Widens a box by a point. */
CAROM_LANE void wide_box_take(wide_box *b, real x, real y)
{
    b->x0 = x < b->x0 ? x : b->x0;
    b->y0 = y < b->y0 ? y : b->y0;
    b->x1 = x > b->x1 ? x : b->x1;
    b->y1 = y > b->y1 ? y : b->y1;
    b->slack = (b->x1 - b->x0 + (b->y1 - b->y0)) * 32 * WALLS_EPSILON;
    b->slack += (scene_amount(b->x0) + scene_amount(b->x1) + (scene_amount(b->y0) + scene_amount(b->y1))) * SCENE_FUZZ;
}

static void wide_find_boxes(wide *w)
{
    const scene_frozen *s = w->s;
    for (uint32_t n = 0; n < s->walls; n++) {
        const scene_wall *wall = &s->wall[n];
        const wide_box box = {wall->ax, wall->ay, wall->ax, wall->ay, 0};
        w->boxes[n] = box;
        wide_box_take(&w->boxes[n], wall->bx, wall->by);
    }
    for (uint32_t n = 0; n < s->polygons; n++) {
        const real *x = s->corner_x + s->polygon[n].first, *y = s->corner_y + s->polygon[n].first;
        const wide_box box = {x[0], y[0], x[0], y[0], 0};
        w->boxes[s->walls + n] = box;
        for (uint32_t c = 1; c < s->polygon[n].corners; c++) {
            wide_box_take(&w->boxes[s->walls + n], x[c], y[c]);
        }
    }
    for (uint32_t n = 0; n < s->arcs; n++) {
        const scene_arc *arc = &s->arc[n];
        const wide_box box = {arc->x0, arc->y0, arc->x0, arc->y0, 0};
        w->boxes[s->walls + s->polygons + n] = box;
        wide_box_take(&w->boxes[s->walls + s->polygons + n], arc->x1, arc->y1);
    }
}

/* ---- walls and polygons that differ by world ---- */

/* The worlds of a register group, lane by lane. */
typedef struct wide_group_of {
    const unsigned char *tile;  /* that of lane 0, */
    unsigned at;                /* and of the others, which are consecutive there from this lane on, */
    bool packed;                /* unless this is set: */
    vint reals;                 /* then the distance from `tile` to their lanes there, in reals */
    const int8_t *flags[LANES]; /* their lanes for an int8 */
    unsigned lanes;             /* those that hold a world */
} wide_group_of;

/* home: of slots; NULL: they are the lanes from `at` on of the tile w->k. */
static wide_group_of wide_group_at(const wide *w, const int32_t *home, size_t at, unsigned lanes)
{
    alignas(64) int32_t reals[LANES] = {0};
    wide_group_of g;
    g.tile = w->k->tile;
    g.at = (unsigned)at;
    g.packed = home != NULL;
    g.lanes = lanes;
    EACH_LANE (l, lanes) {
        const scene_tick *k = home != NULL ? wide_tick_of(w, home[l]) : w->k;
        const unsigned lane = home != NULL ? wide_lane_of(home[l]) : (unsigned)at + l;
        reals[l] = (int32_t)((k->tile - g.tile) / (ptrdiff_t)sizeof(real)) + (int32_t)lane;
        g.flags[l] = (const int8_t *)k->tile + lane;
    }
    g.reals = i_load32(reals);
    return g;
}

/* An element of a field that differs by world, or the number that all worlds share. */
CAROM_LANE vreal wide_own_number(const scene_frozen *s, const wide_group_of *g, scene_own own, size_t element,
                                 real shared)
{
    if (s->own[own] == 0) {
        return v_set1(shared);
    }
    const real *row = (const real *)(const void *)(g->tile + s->own[own]) + element * CAROM_TILE;
    return g->packed ? v_gather(row, g->reals) : v_load(row + g->at);
}

/* The lanes in which a wall or polygon exists. */
CAROM_LANE vmask wide_own_there(const scene_frozen *s, const wide_group_of *g, scene_own own, size_t element)
{
    unsigned there = s->own[own] == 0 ? g->lanes : 0;
    EACH_LANE (l, s->own[own] == 0 ? 0 : g->lanes) {
        there |= (unsigned)(g->flags[l][s->own[own] + element * CAROM_TILE] != 0) << l;
    }
    return m_from_bits(there);
}

/* A box in lanes, as wide_box. */
typedef struct wide_boxes {
    vreal x0, y0, x1, y1;
} wide_boxes;

CAROM_LANE void wide_boxes_take(wide_boxes *b, vreal x, vreal y)
{
    b->x0 = v_min(b->x0, x), b->y0 = v_min(b->y0, y);
    b->x1 = v_max(b->x1, x), b->y1 = v_max(b->y1, y);
}

CAROM_LANE void wide_boxes_put(real *to, const wide_boxes *b, vmask there)
{
    const vreal nowhere = v_set1((real)__builtin_nan("")), across = b->x1 - b->x0 + (b->y1 - b->y0);
    const vreal size = v_abs(b->x0) + v_abs(b->x1) + (v_abs(b->y0) + v_abs(b->y1));
    v_store(to, v_select(there, b->x0, nowhere)), v_store(to + LANES, v_select(there, b->y0, nowhere));
    v_store(to + 2 * LANES, v_select(there, b->x1, nowhere)), v_store(to + 3 * LANES, v_select(there, b->y1, nowhere));
    v_store(to + 4 * LANES, across * v_set1(32 * WALLS_EPSILON) + size * v_set1(SCENE_FUZZ));
}

static void wide_find_walls(const wide *w, const wide_group_of *g)
{
    const scene_frozen *s = w->s;
    const vreal nowhere = v_set1((real)__builtin_nan(""));
    for (uint32_t n = 0; n < s->walls; n++) {
        const scene_wall *wall = &s->wall[n];
        const vmask there = wide_own_there(s, g, SCENE_OWN_WALL_THERE, n);
        const vreal ax = wide_own_number(s, g, SCENE_OWN_WALL_AX, n, wall->ax);
        const vreal ay = wide_own_number(s, g, SCENE_OWN_WALL_AY, n, wall->ay);
        const vreal bx = wide_own_number(s, g, SCENE_OWN_WALL_BX, n, wall->bx);
        const vreal by = wide_own_number(s, g, SCENE_OWN_WALL_BY, n, wall->by);
        const vreal size = v_max(v_abs(ax) + v_abs(ay), v_abs(bx) + v_abs(by));

        /* Absent ones get NaN: no comparison with it is true, so nothing meets them. */
        real *to = w->stills.ends + (size_t)n * 5 * LANES;
        v_store(to, v_select(there, ax, nowhere)), v_store(to + LANES, v_select(there, ay, nowhere));
        v_store(to + 2 * LANES, v_select(there, bx, nowhere)), v_store(to + 3 * LANES, v_select(there, by, nowhere));
        v_store(to + 4 * LANES, v_select(there, size, nowhere));

        wide_boxes box = {ax, ay, ax, ay};
        wide_boxes_take(&box, bx, by);
        wide_boxes_put(w->stills.boxes + (size_t)n * 5 * LANES, &box, there);
    }
}

static void wide_find_polygons(const wide *w, const wide_group_of *g)
{
    const scene_frozen *s = w->s;
    const vreal nowhere = v_set1((real)__builtin_nan(""));
    for (uint32_t n = 0; n < s->polygons; n++) {
        const scene_polygon *p = &s->polygon[n];
        const vmask there = wide_own_there(s, g, SCENE_OWN_POLYGON_THERE, n);
        const vreal never = v_set1(SCENE_NEVER);
        wide_boxes box = {never, never, -never, -never};
        vreal size = v_set1(0);
        for (uint32_t c = p->first; c < p->first + p->corners; c++) {
            const vreal x = wide_own_number(s, g, SCENE_OWN_CORNER_X, c, s->corner_x[c]);
            const vreal y = wide_own_number(s, g, SCENE_OWN_CORNER_Y, c, s->corner_y[c]);
            wide_boxes_take(&box, x, y);
            size = v_max(size, v_abs(x) + v_abs(y));
            v_store(w->stills.corner_x + (size_t)c * LANES, v_select(there, x, nowhere));
            v_store(w->stills.corner_y + (size_t)c * LANES, v_select(there, y, nowhere));
        }
        v_store(w->stills.sizes + (size_t)n * LANES, v_select(there, size, nowhere));
        wide_boxes_put(w->stills.boxes + (size_t)(s->walls + n) * 5 * LANES, &box, there);
    }
}

/* Selects the walls and polygons of some worlds. home: as in wide_group_at(). */
static void wide_find_stills(const wide *w, const int32_t *home, size_t at, unsigned lanes)
{
    if (w->stills.boxes != NULL) {
        const wide_group_of g = wide_group_at(w, home, at, lanes);
        if (w->stills.ends != NULL) {
            wide_find_walls(w, &g);
        }
        if (w->stills.corner_x != NULL) {
            wide_find_polygons(w, &g);
        }
    }
}

/* ---- images ---- */

#define WIDE_IMAGES 9

/* The shift of an image: 0, -1 or 1 times the width (step: image % 3), or the height (image / 3). */
CAROM_LANE vreal wide_shift(vreal size, uint32_t step)
{
    return step == 0 ? v_set1(0) : step == 1 ? -size : size;
}

/* The images in which bodies may be seen, as bits. */
CAROM_LANE uint32_t wide_images(const scene_frozen *s)
{
    uint32_t images = 0;
    for (uint32_t k = 0; k < WIDE_IMAGES; k++) {
        const bool there = (k % 3 == 0 || s->horizontal == CAROM_SIDES_PERIODIC) &&
                           (k / 3 == 0 || s->vertical == CAROM_SIDES_PERIODIC);
        images |= (uint32_t)there << k;
    }
    return images;
}

/* ---- the first event of each lane ---- */

/* The first event of each lane. */
typedef struct wide_first {
    vreal time;   /* infinity: none */
    vreal nx, ny; /* the normal, if it is with a wall or polygon */
    vint first;   /* a body */
    vint second;  /* the id of what it meets */
    vint part;    /* the image of another body, or the feature of a wall or polygon */
} wide_first;

CAROM_LANE wide_first wide_none(void)
{
    wide_first f;
    f.time = v_set1(SCENE_NEVER);
    f.nx = f.ny = v_set1(0);
    f.first = f.second = f.part = i_set1(0);
    return f;
}

/* Takes an event in the lanes in which it is earlier. */
CAROM_LANE void wide_offer(wide_first *best, vreal time, uint32_t first, uint32_t second, vint part)
{
    const vmask earlier = v_lt(time, best->time);
    best->time = v_select(earlier, time, best->time);
    best->first = i_select(earlier, i_set1((int32_t)first), best->first);
    best->second = i_select(earlier, i_set1((int32_t)second), best->second);
    best->part = i_select(earlier, part, best->part);
}

CAROM_LANE void wide_offer_contact(wide_first *best, scene_contact hit, uint32_t first, uint32_t second)
{
    const vmask earlier = v_lt(hit.time, best->time);
    best->nx = v_select(earlier, hit.nx, best->nx);
    best->ny = v_select(earlier, hit.ny, best->ny);
    wide_offer(best, hit.time, first, second, hit.feature);
}

CAROM_LANE vmask wide_last_is(const wide *w, uint32_t body, size_t at, uint32_t id)
{
    return i_eq(i_load32(w->last + body * w->body_step + at), i_set1((int32_t)id));
}

CAROM_LANE vmask wide_nowhere(void)
{
    return m_from_bits(0);
}
CAROM_LANE vmask wide_everywhere(void)
{
    return m_below(LANES);
}

/* ---- within the tick ---- */

/* Do all pairs strike, without accelerations and images, by the default solver? In most scenes they do. Functions that
 * get this as a constant have no branches for the rest. */
CAROM_LANE bool wide_is_simple(const wide *w)
{
    const scene_frozen *s = w->s;
    return s->plain && !s->accelerates && s->solver == CAROM_TOI_FAST && w->images == 1;
}

/* Does any number that is needed here differ by world? */
CAROM_LANE bool wide_differs(const wide *w)
{
    return w->r != NULL || w->ax != NULL || w->ay != NULL || w->dts != NULL || w->stills.ends != NULL ||
           w->stills.corner_x != NULL;
}

/* record_moved() without accelerations. */
CAROM_LANE scene_circle wide_straight(const scene_frozen *s, scene_circle c, scene_moment to, vreal dt)
{
    const vreal wait = s->goes_on ? record_wait(to.k - c.k, c.t, to.t, dt) : to.t - c.t;
    c.x = c.x + c.vx * wait;
    c.y = c.y + c.vy * wait;
    c.k = to.k;
    c.t = to.t;
    return c;
}

/* The lanes in which a pair may meet within the remaining time T: either it passes its closest approach by then, a T +
 * b >= 0, or it overlaps at T, a T^2 + 2 b T + c <= 0. The margin, 2^-10 of all squares, is more than rounding. */
CAROM_LANE vmask wide_may_meet(circles_equation e, vreal r, vreal left)
{
    const vreal zero = v_set1(0), way = e.a * left, slope = way + e.b;
    const vreal overlap = (slope + e.b) * left + e.c;
    const vreal squares = way * left + (e.c + r * r * v_set1(2));
    const vmask soon = m_or(v_ge(slope, zero), v_le(overlap, squares * v_set1(REAL(0x1p-10))));
    return m_and(m_and(v_lt(e.b, zero), soon), m_or(v_ge(e.d, zero), v_le(e.c, zero)));
}

/* The part of the tick left after `start`: more than all of it if that is in an earlier tick. */
CAROM_LANE vreal wide_left(const scene_frozen *s, scene_moment start, vreal dt)
{
    return dt - (s->goes_on ? start.t + start.k * dt : start.t);
}

/* scene_meeting() for a simple scene, of bodies that are both at `start`. */
CAROM_LANE vreal wide_pair_time(const scene_frozen *s, circles_pair q, circles_equation e, scene_moment start, vreal dt)
{
    const vreal wait = circles_tamed(q, e.d, circles_decided(e, root_citardauq(e, v_sqrt(e.d))));
    return record_event(s, start.t + wait, start.k, dt);
}

/* The time when two circles meet that are both at `start`. Usually they cannot in any lane, but that is unpredictable:
 * with several lanes the division and the root cost less than mispredictions. */
CAROM_LANE vreal wide_simple_meeting(const scene_frozen *s, scene_moment start, scene_circle i, scene_circle j,
                                     vreal dt)
{
    const circles_pair q = scene_pair_of(i, j);
    const circles_equation e = equation_cross(q);
    if (LANES == 1 && !m_any(wide_may_meet(e, q.r, wide_left(s, start, dt)))) {
        return v_set1(SCENE_NEVER);
    }
    return wide_pair_time(s, q, e, start, dt);
}

/* Takes the meeting of bodies i and j if it is the first.
 *     among    the lanes whose result is of use
 *     level    the records of each world are all of the same time, so that none needs to be moved
 *     simple   wide_is_simple(), as a constant */
CAROM_LANE void wide_scan_pair(const wide *w, size_t at, wide_first *best, uint32_t i, scene_circle ci, vreal near,
                               uint32_t j, vmask among, bool level, bool simple)
{
    const scene_frozen *s = w->s;
    const size_t row = j * w->body_step + at, own = i * w->body_step + at;

    /* For the compiler: in simple scenes, records outlive ticks exactly if they are not level. */
    if (simple && s->goes_on == level) {
        __builtin_unreachable();
    }

    /* Level records are at the positions of the bodies. */
    const vreal dx = level ? v_load(w->x + row) - ci.x : v_load(w->at_x + row) - v_load(w->at_x + own);
    const vreal dy = level ? v_load(w->y + row) - ci.y : v_load(w->at_y + row) - v_load(w->at_y + own);
    const vreal reach = near + v_load(w->near + row);

    if (simple) {
        const vmask close = m_and(among, wide_pair_near(dx, dy, reach));
        if (m_any(close)) {
            scene_circle c = ci, cj = wide_circle_of(w, j, at, !level);
            scene_moment start = {c.k, c.t};
            if (!level) {
                start = record_later(s, c, cj);
                c = wide_straight(s, c, start, wide_dt(w, at)), cj = wide_straight(s, cj, start, wide_dt(w, at));
            }
            wide_offer(best, wide_simple_meeting(s, start, c, cj, wide_dt(w, at)), i, j, i_set1(0));
        }
        return;
    }

    const scene_kind kind = s->plain ? SCENE_STRIKES : scene_pair_kind(s, i, j);
    if (kind == SCENE_PASSES) {
        return;
    }

    for (uint32_t images = w->images; images != 0; images &= images - 1) {
        const uint32_t image = (uint32_t)__builtin_ctz(images);
        const vreal sx = wide_shift(w->width, image % 3), sy = wide_shift(w->height, image / 3);
        const vmask close = wide_pair_near(dx + sx, dy + sy, reach);
        if (!m_any(m_and(among, close))) {
            continue;
        }

        const scene_circle cj = wide_circle(w, j, at);
        const vmask senses = kind == SCENE_SENSES ? wide_everywhere() : wide_nowhere();
        const vreal dt = wide_dt(w, at);
        vreal time = kind == SCENE_STRIKES_SLOW ? scene_slow_meeting(s, ci, cj, sx, sy, dt)
                     : level                    ? scene_meeting_from(s, ci.t, ci, cj, sx, sy, senses, dt)
                                                : scene_meeting(s, ci, cj, sx, sy, senses, dt);

        /* A sensor that was noticed last is not noticed again. */
        if (kind == SCENE_SENSES) {
            const vmask passed = m_and(wide_last_is(w, i, at, j), wide_last_is(w, j, at, i));
            time = v_select(passed, v_set1(SCENE_NEVER), time);
        }
        wide_offer(best, time, i, j, i_set1((int32_t)image));
    }
}

/* Takes the first contact of body i with a side, wall or polygon if it is the first event. */
CAROM_LANE void wide_scan_still(const wide *w, size_t at, wide_first *best, uint32_t i, scene_circle c, vreal near,
                                vmask among, bool level)
{
    const scene_frozen *s = w->s;
    const vreal dt = wide_dt(w, at);
    const vreal at_x = level ? c.x : v_load(w->at_x + i * w->body_step + at);
    const vreal at_y = level ? c.y : v_load(w->at_y + i * w->body_step + at);

    if (m_any(m_and(among, wide_sides_near(s, at_x, at_y, near)))) {
        const bool passes = s->choosy && !scene_sides_stop(s, i);
        const scene_at_side side = passes ? scene_side_passed(s, c, wide_nowhere(), dt) : scene_side(s, c, dt);
        const vmask earlier = v_lt(side.time, best->time);
        best->time = v_select(earlier, side.time, best->time);
        best->first = i_select(earlier, i_set1((int32_t)i), best->first);
        best->second = i_select(earlier, i_add(side.side, i_set1((int32_t)s->bodies)), best->second);
    }

    for (uint32_t n = 0; n < scene_obstacles(s); n++) {
        const bool wall = n < s->walls;
        const scene_arc *arc = scene_arc_of(s, n);
        const uint32_t id = scene_wall_id(s, n);
        if (!m_any(m_and(among, wide_box_near(w, n, at_x, at_y, near)))) {
            continue;
        }
        const scene_kind kind = s->plain ? SCENE_STRIKES : scene_wall_kind(s, i, n);
        if (kind == SCENE_PASSES) {
            continue;
        }

        const vmask senses = kind == SCENE_SENSES ? wide_everywhere() : wide_nowhere();
        scene_contact hit;
        if (kind == SCENE_STRIKES_SLOW) {
            hit = wall          ? scene_slow_wall_contact(s, c, wide_ends(w, n), dt)
                  : arc != NULL ? scene_slow_arc_contact(s, c, arc, dt)
                                : scene_slow_polygon_contact(s, c, wide_corners(w, n - s->walls), dt);
        } else {
            hit = wall          ? scene_wall_contact(s, c, wide_ends(w, n), senses, dt)
                  : arc != NULL ? scene_arc_contact(s, c, arc, senses, dt)
                                : scene_polygon_contact(s, c, wide_corners(w, n - s->walls), senses, dt);
        }

        hit.time = v_select(m_and(senses, wide_last_is(w, i, at, id)), v_set1(SCENE_NEVER), hit.time);
        wide_offer_contact(best, hit, i, id);
    }
}

/* The first events of a register group. See wide_scan_pair(). shared: no number differs by world, as a constant. */
CAROM_LANE wide_first wide_scan(const wide *w, size_t at, vmask among, bool level, bool simple, bool shared)
{
    const uint32_t n = w->s->bodies;
    wide_first best = wide_none();

    /* For the compiler. */
    if ((shared && wide_differs(w)) || (level && w->s->goes_on)) {
        __builtin_unreachable();
    }
    for (uint32_t i = 0; i < n; i++) {
        const scene_circle c = wide_circle_of(w, i, at, simple ? !level : w->s->goes_on);
        const vreal near = v_load(w->near + i * w->body_step + at);
        for (uint32_t j = i + 1; j < n; j++) {
            wide_scan_pair(w, at, &best, i, c, near, j, among, level, simple);
        }
        wide_scan_still(w, at, &best, i, c, near, among, level);
    }
    return best;
}

#endif
