/* SPDX-License-Identifier: MIT
 * The state of the wide engine during a tick, and its filters: which things are too far apart to meet.
 */
#ifndef CAROM_SCENES_WIDE_STATE_H
#define CAROM_SCENES_WIDE_STATE_H

#include "base/progress.h"
#include "scenes/engine.h"
#include "scenes/motion.h"

/* Up to how many bodies wide_list.h, which tests all pairs after every event, is faster than wide_queue.h. Measured, in
 * ns per world-tick: with 16 lanes, 8 bodies 250 against 455, 12 bodies 550 against 605; with 8 lanes, 8 bodies 475
 * against 495, 10 bodies 810 against 640; with one lane, 8 bodies 3460 against 1670. */
#define WIDE_FEW (LANES == 16 ? 12 : LANES == 8 ? 8 : 4)

/* A call for so few worlds uses wide_queue.h from fewer bodies on. A single world of 10 bodies in f32, with 16 lanes,
 * has 4.6 instead of 1.4 million impacts per second in a long tick, and ticks with few impacts take as long as before.
 * With 8 bodies the latter take a fifth longer. */
#define WIDE_ALONE 2 /* worlds, at most */
#define WIDE_LEAST 8 /* bodies, more than */

/* The box around a wall or polygon. */
typedef struct wide_box {
    real x0, y0, x1, y1;
    real slack; /* a distance, for rounding in proportion to the box's size, and its share of scene_fuzz() */
} wide_box;

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
    real *near;        /* scene_near(), for the filters */
    real *met;         /* see motion.h; valid only if contact_time > 0 */
    int32_t *last;     /* see motion.h */
    size_t body_step, lane_step;
    wide_box *boxes;                            /* of walls, then of polygons */
    vreal width, height;                        /* of the scene's box, for images */
    uint32_t images;                            /* bit k: there is image k */
    uint32_t crossed[SCENE_TILES * CAROM_TILE]; /* by home: crossings of periodic sides */
    void *deep; /* scratch of the deep engine, for worlds whose bodies may settle; else NULL */
} wide;

/* Scratch memory is given out from its start on. A base of NULL only counts how much is needed. */
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
CAROM_LANE void wide_take_records(wide *w, wide_memory *m, size_t count)
{
    w->x = wide_take_reals(m, count), w->y = wide_take_reals(m, count);
    w->vx = wide_take_reals(m, count), w->vy = wide_take_reals(m, count);
    w->t = wide_take_reals(m, count), w->near = wide_take_reals(m, count);
    w->met = wide_take_reals(m, count);
    w->last = wide_take_ints(m, count);
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

/* The records of a body in the slots from `at` on; only in rows. */
CAROM_LANE scene_circle wide_circle(const wide *w, uint32_t body, size_t at)
{
    const size_t row = body * w->body_step + at;
    scene_circle c;
    c.x = v_load(w->x + row), c.y = v_load(w->y + row);
    c.vx = v_load(w->vx + row), c.vy = v_load(w->vy + row);
    c.t = v_load(w->t + row);
    c.r = v_set1(w->s->radius[body]);
    c.ax = v_set1(w->s->ax[body]), c.ay = v_set1(w->s->ay[body]);
    return c;
}

/* ---- filters: the lanes in which two things may meet within the tick ---- */

/* Two bodies; (dx, dy) from one to the other, reach: the sum of their `near`. */
CAROM_LANE vmask wide_pair_near(vreal dx, vreal dy, vreal reach)
{
    return v_le(dx * dx + dy * dy, reach * reach);
}

CAROM_LANE vmask wide_box_near(const wide_box *b, scene_circle c, vreal near)
{
    const vreal x = v_max(v_set1(b->x0) - c.x, c.x - v_set1(b->x1));
    const vreal y = v_max(v_set1(b->y0) - c.y, c.y - v_set1(b->y1));
    return v_le(v_max(x, y), near + v_set1(b->slack));
}

CAROM_LANE vmask wide_sides_near(const scene_frozen *s, scene_circle c, vreal near)
{
    vreal gap = v_set1(SCENE_NEVER);
    if (s->horizontal != CAROM_SIDES_OPEN) {
        gap = v_min(c.x - v_set1(s->x0), v_set1(s->x1) - c.x);
    }
    if (s->vertical != CAROM_SIDES_OPEN) {
        gap = v_min(gap, v_min(c.y - v_set1(s->y0), v_set1(s->y1) - c.y));
    }
    return v_le(gap, near);
}

CAROM_LANE real wide_amount(real a)
{
    return a < 0 ? -a : a;
}

/* Widens a box by a point. */
CAROM_LANE void wide_box_take(wide_box *b, real x, real y)
{
    b->x0 = x < b->x0 ? x : b->x0;
    b->y0 = y < b->y0 ? y : b->y0;
    b->x1 = x > b->x1 ? x : b->x1;
    b->y1 = y > b->y1 ? y : b->y1;
    b->slack = (b->x1 - b->x0 + (b->y1 - b->y0)) * 32 * WALLS_EPSILON;
    b->slack += (wide_amount(b->x0) + wide_amount(b->x1) + (wide_amount(b->y0) + wide_amount(b->y1))) * SCENE_FUZZ;
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

#endif
