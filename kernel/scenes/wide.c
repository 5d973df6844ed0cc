/* SPDX-License-Identifier: MIT
 * The wide engine: a lane a world; see scenes/engine.h.
 *
 * Most worlds of few bodies have no event in a tick. So all worlds are asked at once whether they have (wide_scan.h),
 * a lane a world, and those that have not only move. Then events are played in rounds, one of every world that has one
 * left: with few bodies, or where every event moves all of them, by asking all pairs anew; else by wide_queue.h, which
 * keeps every body's first event.
 */
#include "scenes/wide_queue.h"

static bool wide_queues(const scene_frozen *s)
{
    return s->advance == CAROM_OWN_CLOCK && !s->late && s->bodies > WIDE_FEW;
}

static size_t wide_lay_out(const scene_frozen *s, void *base, wide *w, wide_queue *q)
{
    wide_memory m;
    m.base = (unsigned char *)base;
    m.used = 0;
    w->s = s;
    w->body_step = CAROM_TILE, w->lane_step = 1;
    wide_take_records(w, &m, (size_t)s->bodies * CAROM_TILE);
    w->boxes = (wide_box *)wide_take(&m, (size_t)s->walls + s->polygons, sizeof(wide_box));
    if (wide_queues(s)) {
        wide_queue_take(q, s, &m);
    }
    return m.used;
}

static size_t wide_scratch_bytes(const scene_frozen *s)
{
    wide w;
    wide_queue q;
    return wide_lay_out(s, NULL, &w, &q);
}

static void wide_begin(wide *w, scene_tick *k)
{
    const scene_frozen *s = k->scene;
    w->k = k;
    w->width = v_set1(s->x1 - s->x0);
    w->height = v_set1(s->y1 - s->y0);
    w->images = wide_images(s);
    wide_find_boxes(w);
    for (unsigned lane = 0; lane < CAROM_TILE; lane++) {
        if ((k->worlds >> lane & 1) != 0) {
            w->crossed[lane] = 0;
            k->impacts[lane] = k->sensed[lane] = k->watched_impacts[lane] = 0;
            k->fault[lane] = 0;
        }
    }
}

/* The records of a register group at the start of the tick. */
static void wide_load(const wide *w, unsigned at)
{
    const scene_frozen *s = w->s;
    const int8_t *actives = scene_actives(w->k);
    for (uint32_t b = 0; b < s->bodies; b++) {
        const size_t row = (size_t)b * CAROM_TILE + at;
        const vmask active = m_not(i_eq(i_load8(actives + row), i_set1(0)));
        const vreal nowhere = v_set1((real)__builtin_nan(""));
        v_store(w->x + row, v_select(active, v_load(scene_reals(w->k, s->x) + row), nowhere));
        v_store(w->y + row, v_select(active, v_load(scene_reals(w->k, s->y) + row), nowhere));
        v_store(w->vx + row, v_load(scene_reals(w->k, s->vx) + row));
        v_store(w->vy + row, v_load(scene_reals(w->k, s->vy) + row));
        v_store(w->t + row, v_set1(0));
        i_store32(w->last + row, i_set1(-1));
        v_store(w->met + row, v_set1(-SCENE_NEVER));
        v_store(w->near + row, wide_near(s, wide_circle(w, b, at), w->k->dt));
    }
}

/* Moves the lanes that are done to the end of the tick, in the tile. */
static void wide_finish(const wide *w, unsigned at, unsigned done)
{
    const scene_frozen *s = w->s;
    const int8_t *actives = scene_actives(w->k);
    const vreal end = v_set1(w->k->dt);
    for (uint32_t b = 0; b < s->bodies; b++) {
        const size_t row = (size_t)b * CAROM_TILE + at;
        const vmask moves = m_andnot(m_from_bits(done), i_eq(i_load8(actives + row), i_set1(0)));
        const scene_circle c = scene_moved(s, wide_circle(w, b, at), end);
        real *x = scene_reals(w->k, s->x) + row, *y = scene_reals(w->k, s->y) + row;
        real *vx = scene_reals(w->k, s->vx) + row, *vy = scene_reals(w->k, s->vy) + row;
        v_store(x, v_select(moves, c.x, v_load(x)));
        v_store(y, v_select(moves, c.y, v_load(y)));
        v_store(vx, v_select(moves, c.vx, v_load(vx)));
        v_store(vy, v_select(moves, c.vy, v_load(vy)));
    }
}

/* ---- all pairs after every event ---- */

/* What the lanes that have no other event find at the end of the tick. */
static void wide_add_late(const wide *w, unsigned at, wide_first *first, vmask none)
{
    wide_first late = wide_none();
    wide_scan_late(w, at, &late);
    first->time = v_select(none, late.time, first->time);
    first->nx = v_select(none, late.nx, first->nx);
    first->ny = v_select(none, late.ny, first->ny);
    first->first = i_select(none, late.first, first->first);
    first->second = i_select(none, late.second, first->second);
    first->part = i_select(none, late.part, first->part);
}

static wide_first wide_first_of(const wide *w, unsigned at, unsigned active, bool level)
{
    const vmask among = m_from_bits(active);
    if (wide_is_simple(w)) {
        return level ? wide_scan(w, at, among, true, true) : wide_scan(w, at, among, false, true);
    }
    return wide_scan(w, at, among, level, false);
}

static void wide_group(wide *w, unsigned at, unsigned worlds)
{
    const bool all = w->s->advance == CAROM_ADVANCE_ALL;
    const vreal never = v_set1(SCENE_NEVER);
    wide_played p;
    p.active = worlds;
    for (unsigned l = 0; l < LANES; l++) {
        p.lane[l] = at + l;
        p.base[l] = (int32_t)(at + l);
    }
    wide_load(w, at);
    for (bool start = true; p.active != 0; start = false) {
        wide_first first = wide_first_of(w, at, p.active, all || start);
        const unsigned none = p.active & ~m_bits(v_lt(first.time, never));
        if (none != 0 && w->s->late) {
            wide_add_late(w, at, &first, m_from_bits(none));
        }
        p.active &= m_bits(v_lt(first.time, never));
        if (p.active != 0) {
            wide_play(w, &p, &first);
            if (all) {
                wide_advance_all(w, at, first.time, m_from_bits(p.active));
            }
            wide_settle(w, &p);
        }
    }
    unsigned done = worlds;
    for (unsigned l = 0; l < LANES; l++) {
        done &= ~((unsigned)((worlds >> l & 1) != 0 && w->k->fault[at + l] != 0) << l);
    }
    wide_finish(w, at, done);
}

/* ---- the tick ---- */

static void wide_tick(scene_tick *k)
{
    wide w;
    wide_queue q;
    wide_lay_out(k->scene, k->scratch, &w, &q);
    wide_begin(&w, k);
    const bool queues = wide_queues(k->scene);
    unsigned open = 0;
    for (unsigned at = 0; at < CAROM_TILE; at += LANES) {
        const unsigned worlds = k->worlds >> at & ((1u << (LANES - 1) << 1) - 1);
        if (worlds != 0 && !queues) {
            wide_group(&w, at, worlds);
        } else if (worlds != 0) {
            wide_load(&w, at);
            open |= wide_queue_fill(&q, &w, at, worlds) << at;
        }
    }
    if (!queues) {
        return;
    }
    if (open != 0) {
        wide_queue_run(&q, &w, open);
    }
    for (unsigned at = 0; at < CAROM_TILE; at += LANES) {
        unsigned done = k->worlds >> at & ((1u << (LANES - 1) << 1) - 1);
        for (unsigned l = 0; l < LANES; l++) {
            done &= ~((unsigned)((done >> l & 1) != 0 && k->fault[at + l] != 0) << l);
        }
        if (done != 0) {
            wide_finish(&w, at, done);
        }
    }
}

CAROM_EXTERN const scene_engine CAROM_KERNEL(scene_wide);
const scene_engine CAROM_KERNEL(scene_wide) = {wide_scratch_bytes, wide_tick};
