/* SPDX-License-Identifier: MIT
 * What the wide engine keeps of a tile during a tick, and how it tells from afar that two things cannot meet.
 */
#ifndef CAROM_SCENES_WIDE_STATE_H
#define CAROM_SCENES_WIDE_STATE_H

#include "base/progress.h"
#include "scenes/engine.h"
#include "scenes/motion.h"

/* So many bodies, packed densely, are asked pair by pair after every event faster than by wide_queue.h: in registers of
 * 16 lanes 8 of them in 250 against 455 ns a world-tick, 12 in 550 against 605; of 8 lanes 8 in 475 against 495, 10 in
 * 810 against 640; one by one 8 in 3460 against 1670. */
#define WIDE_FEW (LANES == 16 ? 12 : LANES == 8 ? 8 : 4)

/* A call for one world or two plays them by wide_queue.h from fewer bodies on: 10 of one world in f32, in registers of
 * 16 lanes, have 4.6 against 1.4 million impacts a second in a long tick, and ticks with few impacts take as long. With
 * 8 bodies those take a fifth more. */
#define WIDE_ALONE 2
#define WIDE_LEAST 8

/* Where a wall or polygon is. */
typedef struct wide_box {
    real x0, y0, x1, y1;
    real slack; /* for rounding, which is relative to its size, and what it adds to a circle's rim: see scene_fuzz() */
} wide_box;

/* Worlds during a tick. A world's home is 16 times the number of its tile, plus its lane there; the slot in which its
 * records are may be another.
 *
 * Records have two layouts. As rows, of body b in slot l at [b * body_step + l], they are asked a lane a world; as
 * columns, at [l * column + b], a lane a body (wide_queue.h). body_step and lane_step say which of them x .. last are.
 * x and y are NaN where a body is not active. near: see scene_near(). */
typedef struct wide {
    scene_tick *k; /* of the tiles */
    const scene_frozen *s;
    real *x, *y, *vx, *vy, *t, *near, *met; /* met: only if contact_time > 0 */
    int32_t *last;
    size_t body_step, lane_step;
    wide_box *boxes;                            /* of walls, then of polygons */
    vreal width, height;                        /* of the box, for images */
    uint32_t images;                            /* bit k: there is image k */
    uint32_t crossed[SCENE_TILES * CAROM_TILE]; /* periodic sides, by home */
    void *deep;                                 /* scratch of the deep engine, for worlds whose bodies may settle */
} wide;

/* Memory is handed out from its start on; a base of NULL counts how much is needed. */
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

/* `count` records */
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

/* Rows only. */
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

/* ---- what is far apart ---- */

/* Which lanes may meet? j is at (dx, dy) from i. */
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

/* By image: 0, -1 or 1 times the width, and the height. */
CAROM_LANE vreal wide_shift(vreal size, uint32_t step)
{
    return step == 0 ? v_set1(0) : step == 1 ? -size : size;
}

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
