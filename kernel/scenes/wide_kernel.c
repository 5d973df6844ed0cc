/* SPDX-License-Identifier: MIT
 * The wide engine: one world in each lane; see scenes/engine.h.
 *
 * Most worlds of few bodies have no event in a tick. So all worlds are searched for one first (wide_world.h), and those
 * without only move. Then events are played in rounds, one of every world that has one left. With few bodies, or where
 * every event moves all of them, wide_list.h packs the worlds of several tiles side by side and tests all pairs again
 * after each event; else wide_queue.h keeps every body's first event. A call for one world or two, in which most lanes
 * of a list would be empty, uses the queue from fewer bodies on. Both give the same bits.
 *
 * When its bodies may settle, the deep engine finishes a world's tick (wide_hand_over()).
 */
#include "scenes/wide_list.h"
#include "scenes/wide_queue.h"

/* Can wide_queue.h play this scene? */
static bool wide_may_queue(const scene_frozen *s)
{
    return s->advance == CAROM_OWN_CLOCK && !s->slowly;
}

static bool wide_queues(const scene_frozen *s)
{
    return wide_may_queue(s) && s->bodies > WIDE_FEW;
}

/* Are one or two worlds faster in a queue, where lanes are bodies? In a list most lanes would be empty. */
static bool wide_queues_alone(const scene_frozen *s)
{
    return wide_may_queue(s) && s->bodies > WIDE_LEAST;
}

static bool wide_is_alone(const scene_frozen *s, const scene_tick *ticks, size_t count)
{
    return wide_queues_alone(s) && count == 1 && __builtin_popcount(ticks->worlds) <= WIDE_ALONE;
}

/* How many tiles to play at once: worlds of few bodies have so few events that it takes several tiles to fill a
 * register, and rounds of many worlds fill registers best, as long as all records stay in a core's second cache. */
static size_t wide_tiles(const scene_frozen *s)
{
    const size_t most = s->bodies <= WIDE_FEW ? SCENE_TILES : 128 / (size_t)s->bodies;
    return s->bodies > WIDE_FEW && !wide_queues(s) ? 1 : most < 1 ? 1 : most < SCENE_TILES ? most : SCENE_TILES;
}

/* The parts that lie in scratch: the records of a tile, and the worlds that have events. */
typedef struct wide_scratch {
    wide tile;
    wide_list list;
    wide_queue queue;
} wide_scratch;

/* Lays out the scratch at `base`, or with NULL only counts; returns its size. */
static size_t wide_lay_out(const scene_frozen *s, void *base, wide_scratch *to)
{
    wide_memory m;
    m.base = (unsigned char *)base;
    m.used = 0;

    to->tile.s = s;
    to->tile.body_step = CAROM_TILE, to->tile.lane_step = 1;
    wide_take_records(&to->tile, &m, (size_t)s->bodies * CAROM_TILE);
    to->tile.boxes = (wide_box *)wide_take(&m, (size_t)s->walls + s->polygons, sizeof(wide_box));
    to->tile.deep = NULL;
    if (s->settles_after != UINT32_MAX) {
        to->tile.deep = wide_take(&m, 1, CAROM_KERNEL(scene_deep).scratch_bytes(s));
    }

    /* A call uses either the queue or the list: they share memory. */
    wide_memory other = m;
    if (wide_queues(s) || wide_queues_alone(s)) {
        wide_queue_take(&to->queue, s, wide_queues(s) ? wide_tiles(s) : 1, &other);
    }
    if (!wide_queues(s)) {
        wide_list_take(&to->list, s, wide_tiles(s), &m);
    }
    return m.used > other.used ? m.used : other.used;
}

static size_t wide_scratch_bytes(const scene_frozen *s)
{
    wide_scratch nowhere;
    return wide_lay_out(s, NULL, &nowhere);
}

static void wide_begin(wide *w)
{
    const scene_frozen *s = w->s;
    w->width = v_set1(s->x1 - s->x0);
    w->height = v_set1(s->y1 - s->y0);
    w->images = wide_images(s);
    wide_find_boxes(w);
}

/* Gives the records of a list or queue what they share with those of the tile. */
static void wide_share(wide *w, const wide *tile, scene_tick *ticks)
{
    w->s = tile->s, w->k = ticks, w->boxes = tile->boxes;
    w->width = tile->width, w->height = tile->height, w->images = tile->images, w->deep = tile->deep;
}

static void wide_begin_tile(scene_tick *k)
{
    for (unsigned lane = 0; lane < CAROM_TILE; lane++) {
        if ((k->worlds >> lane & 1) != 0) {
            k->impacts[lane] = k->sensed[lane] = k->watched_impacts[lane] = 0;
            k->fault[lane] = 0;
        }
    }
}

/* The worlds to play in the register group `at`. */
CAROM_LANE unsigned wide_group(const scene_tick *k, unsigned at)
{
    return k->worlds >> at & ((1u << (LANES - 1) << 1) - 1);
}

/* Makes the records of a register group for the start of the tick. */
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
        v_store(w->near + row, scene_near(s, wide_circle(w, b, at), v_set1(w->k->dt)));
    }
}

/* Moves worlds without an event to the end of the tick, in the tile. */
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

/* ---- by list: all pairs after every event ---- */

/* Finishes the worlds of a group that have no event, and puts the others into the list. */
static void wide_take_group(wide_list *list, const wide *tile, unsigned at, unsigned worlds, size_t number)
{
    unsigned events = 0;
    wide_load(tile, at);
    const wide_first first = wide_look(tile, at, worlds, true, &events);
    if (events != worlds) {
        wide_finish(tile, at, worlds & ~events);
    }
    if (events != 0) {
        wide_list_push(list, tile, at, events, &first, (int32_t)(number * CAROM_TILE + at));
    }
}

static bool wide_tick_list(wide_list *list, wide *tile, scene_tick *ticks, size_t count)
{
    wide *w = &list->w;
    wide_share(w, tile, ticks);

    list->count = 0;
    for (size_t number = 0; number < count; number++) {
        tile->k = &ticks[number];
        wide_begin_tile(tile->k);
        for (unsigned at = 0; at < CAROM_TILE; at += LANES) {
            const unsigned worlds = wide_group(tile->k, at);
            if (worlds != 0) {
                wide_take_group(list, tile, at, worlds, number);
            }
        }
    }

    for (size_t home = 0; home < count * CAROM_TILE; home++) {
        w->crossed[home] = 0;
    }
    return wide_list_run(list);
}

/* ---- by queue: every body's first event ---- */

static bool wide_tick_queue(wide_queue *q, wide *tile, scene_tick *ticks, size_t count)
{
    wide_share(&q->w, tile, ticks);
    wide_queue_load_bodies(q);

    for (size_t number = 0; number < count; number++) {
        tile->k = &ticks[number];
        wide_begin_tile(tile->k);
        q->open[number] = 0;

        for (unsigned at = 0; at < CAROM_TILE; at += LANES) {
            const unsigned worlds = wide_group(tile->k, at);
            if (worlds != 0) {
                wide_load(tile, at);
                const unsigned done = worlds & ~wide_queue_fill(q, tile, at, worlds, number);
                if (done != 0) {
                    wide_finish(tile, at, done);
                }
            }
        }
    }
    return wide_queue_run(q, count);
}

static void wide_tick(scene_tick *ticks, size_t count)
{
    const scene_frozen *s = ticks->scene;
    wide_scratch scratch;
    wide_lay_out(s, ticks->scratch, &scratch);
    wide_begin(&scratch.tile);

    for (size_t number = 0; number < count; number++) {
        ticks[number].cancelled = false;
    }
    bool done = wide_queues(s) || wide_is_alone(s, ticks, count)
                    ? wide_tick_queue(&scratch.queue, &scratch.tile, ticks, count)
                    : wide_tick_list(&scratch.list, &scratch.tile, ticks, count);

    /* The deep engine, too, may have been cancelled, in any tile. The call then counts as cancelled in all of them. */
    for (size_t number = 0; number < count; number++) {
        done = done && !ticks[number].cancelled;
    }
    for (size_t number = 0; number < count; number++) {
        ticks[number].cancelled = !done;
    }
}

CAROM_EXTERN const scene_engine CAROM_KERNEL(scene_wide);
const scene_engine CAROM_KERNEL(scene_wide) = {wide_scratch_bytes, wide_tiles, wide_tick, NULL};
