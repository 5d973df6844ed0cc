/* SPDX-License-Identifier: MIT
 * The wide engine: one world in each lane; see scenes/engine.h.
 *
 * Most worlds of few bodies have no event in a tick. So all worlds are searched for one first (wide_world.h), and those
 * without only move. Then events are played in rounds, one of every world that has one left. With few bodies, or if
 * every event moves all of them, a list packs the worlds of several tiles and tests all pairs again after each event;
 * otherwise wide_queue.h keeps every body's first event. A call for one or two worlds, in which most lanes of a list
 * would be empty, uses the queue from fewer bodies on. Both give the same bits.
 *
 * When its bodies may settle, the deep engine finishes a world's tick (wide_hand_over()).
 */
#include "scenes/wide_queue.h"

/* ---- the list: worlds with events, packed like the worklist of tick/worklist.h ----
 *
 * Few worlds have an event in a tick. Those that do are taken out of the register groups of some tiles and played here
 * in rounds, one event of each, after which all of its pairs are tested again. A world without further events returns
 * to its tile, and the others close up. So registers stay full, and no group waits for its slowest lane. */

/* All arrays are in the engine's scratch. */
typedef struct wide_list {
    wide w;       /* records are in rows, by slot */
    size_t count; /* worlds: slots 0 .. count - 1 */

    /* By slot: the world's next event, as in wide_first, and its home. */
    real *time, *nx, *ny;
    int32_t *first, *second, *part;
    int32_t *home;
} wide_list;

/* There is room for all worlds and no more: a store of packed lanes never overruns it, because groups are added in
 * order, and so the list is never longer than the number of worlds searched. */
CAROM_LANE void wide_list_take(wide_list *list, const scene_frozen *s, size_t tiles, wide_memory *m)
{
    const size_t room = tiles * CAROM_TILE;
    wide_take_records(&list->w, s, m, s->bodies * room);
    list->w.s = s;
    wide_take_own(&list->w, m, s->bodies * room);
    list->w.dts = s->own[SCENE_OWN_DT] != 0 ? wide_take_reals(m, room) : NULL;
    list->w.body_step = room, list->w.lane_step = 1;
    list->time = wide_take_reals(m, room), list->nx = wide_take_reals(m, room), list->ny = wide_take_reals(m, room);
    list->first = wide_take_ints(m, room), list->second = wide_take_ints(m, room);
    list->part = wide_take_ints(m, room), list->home = wide_take_ints(m, room);
}

/* Packs the events of the chosen lanes into the slots from `to` on. */
CAROM_LANE void wide_list_put_first(wide_list *list, size_t to, vmask chosen, const wide_first *f)
{
    v_compress(list->time + to, chosen, f->time);
    i_compress(list->first + to, chosen, f->first);
    i_compress(list->second + to, chosen, f->second);
    i_compress(list->part + to, chosen, f->part);
    if (scene_obstacles(list->w.s) != 0) {
        v_compress(list->nx + to, chosen, f->nx);
        v_compress(list->ny + to, chosen, f->ny);
    }
}

/* The events of the group `at`. */
CAROM_LANE wide_first wide_list_first(const wide_list *list, size_t at)
{
    wide_first f = wide_none();
    f.time = v_load(list->time + at);
    f.first = i_load32(list->first + at);
    f.second = i_load32(list->second + at);
    f.part = i_load32(list->part + at);
    if (scene_obstacles(list->w.s) != 0) {
        f.nx = v_load(list->nx + at);
        f.ny = v_load(list->ny + at);
    }
    return f;
}

/* Packs the records of one body. */
CAROM_LANE void wide_list_move_body(const wide *w, size_t to, const wide *rows, size_t from, vmask those)
{
    if (w->r != NULL) {
        v_compress(w->r + to, those, v_load(rows->r + from));
    }
    if (w->ax != NULL) {
        v_compress(w->ax + to, those, v_load(rows->ax + from));
    }
    if (w->ay != NULL) {
        v_compress(w->ay + to, those, v_load(rows->ay + from));
    }
}

/* Packs the numbers that differ by world: those of all bodies, from slot `at` of `rows` on to slot `to`. Not inlined,
 * as most worlds share all of them. */
static __attribute__((noinline)) void wide_list_move_own(const wide *w, size_t to, const wide *rows, size_t at,
                                                         vmask those)
{
    for (uint32_t b = 0; b < w->s->bodies; b++) {
        wide_list_move_body(w, b * w->body_step + to, rows, b * rows->body_step + at, those);
    }
    if (w->dts != NULL) {
        v_compress(w->dts + to, those, v_load(rows->dts + at));
    }
}

/* Appends the chosen worlds of a register group, whose records, at the start of the tick, are in `rows`. */
CAROM_LANE void wide_list_push(wide_list *list, const wide *rows, size_t at, unsigned chosen, const wide_first *f,
                               int32_t home)
{
    const wide *w = &list->w;
    const vmask those = m_from_bits(chosen);

    for (uint32_t b = 0; b < w->s->bodies; b++) {
        const size_t from = b * rows->body_step + at, to = b * w->body_step + list->count;
        v_compress(w->x + to, those, v_load(rows->x + from));
        v_compress(w->y + to, those, v_load(rows->y + from));
        v_compress(w->vx + to, those, v_load(rows->vx + from));
        v_compress(w->vy + to, those, v_load(rows->vy + from));
        v_compress(w->near + to, those, v_load(rows->near + from));
        if (w->s->goes_on) {
            v_compress(w->ticks + to, those, v_load(rows->ticks + from));
            v_compress(w->t + to, those, v_load(rows->t + from));
            v_compress(w->at_x + to, those, v_load(rows->at_x + from));
            v_compress(w->at_y + to, those, v_load(rows->at_y + from));
        }
    }
    if (w->s->varies != 0) {
        wide_list_move_own(w, list->count, rows, at, those);
    }

    wide_list_put_first(list, list->count, those, f);
    for (; chosen != 0; chosen &= chosen - 1) {
        list->home[list->count++] = home + __builtin_ctz(chosen);
    }
}

/* Moves the chosen worlds of the group `at` up to slot `to`, which is not after `at`, with their next events `f`. */
static void wide_list_keep(wide_list *list, size_t to, size_t at, unsigned chosen, const wide_first *f)
{
    const wide *w = &list->w;
    const vmask those = m_from_bits(chosen);
    const bool notes = !w->s->plain || w->s->contact_time > 0; /* `last` or `met` is needed */

    wide_list_put_first(list, to, those, f);
    if (to == at && (chosen & (chosen + 1)) == 0) { /* they are already in position */
        return;
    }

    for (uint32_t b = 0; b < w->s->bodies; b++) {
        const size_t from = b * w->body_step + at, row = b * w->body_step + to;
        v_compress(w->x + row, those, v_load(w->x + from));
        v_compress(w->y + row, those, v_load(w->y + from));
        v_compress(w->vx + row, those, v_load(w->vx + from));
        v_compress(w->vy + row, those, v_load(w->vy + from));
        v_compress(w->t + row, those, v_load(w->t + from));
        v_compress(w->near + row, those, v_load(w->near + from));
        if (w->s->goes_on) {
            v_compress(w->ticks + row, those, v_load(w->ticks + from));
            v_compress(w->at_x + row, those, v_load(w->at_x + from));
            v_compress(w->at_y + row, those, v_load(w->at_y + from));
        }
        if (notes) {
            v_compress(w->met + row, those, v_load(w->met + from));
            i_compress(w->last + row, those, i_load32(w->last + from));
        }
    }
    if (w->s->varies != 0) {
        wide_list_move_own(w, to, w, at, those);
    }

    i_compress(list->home + to, those, i_load32(list->home + at));
}

/* Moves worlds without further events to the end of the tick, and returns them to their tiles. */
static void wide_list_finish(const wide_list *list, size_t at, unsigned done)
{
    const wide *w = &list->w;
    const scene_frozen *s = w->s;
    for (uint32_t b = 0; b < s->bodies; b++) {
        const scene_circle from = wide_circle(w, b, at);
        wide_ended e;
        wide_end(s, &e, from, wide_dt(w, at));

        for (unsigned bits = done; bits != 0; bits &= bits - 1) {
            const unsigned l = (unsigned)__builtin_ctz(bits);
            wide_put_ended(wide_tick_of(w, list->home[at + l]), wide_lane_of(list->home[at + l]), b, &e, l);
        }
    }
}

/* The first events of a register group. *events: which of `worlds` have one. level: see wide_scan_pair(). */
static wide_first wide_look(const wide *w, size_t at, unsigned worlds, bool level, unsigned *events)
{
    const vreal never = v_set1(SCENE_NEVER);
    const vmask among = m_from_bits(worlds);
    wide_first first;
    wide_find_stills(w, w->home != NULL ? w->home + at : NULL, at, worlds);
    if (wide_is_simple(w) && !wide_differs(w)) {
        first = level ? wide_scan(w, at, among, true, true, true) : wide_scan(w, at, among, false, true, true);
    } else if (wide_is_simple(w)) {
        first = level ? wide_scan(w, at, among, true, true, false) : wide_scan(w, at, among, false, true, false);
    } else {
        first = wide_scan(w, at, among, level, false, false);
    }
    *events = worlds & m_bits(v_lt(first.time, never));
    return first;
}

/* Plays an event of every world of the group `at`, and moves the worlds that have another one up to slot `kept`.
 * Returns the first free slot after them. */
static size_t wide_list_play(wide_list *list, size_t at, size_t kept)
{
    wide *w = &list->w;
    const bool all = w->s->advance == CAROM_ADVANCE_ALL;
    wide_first first = wide_list_first(list, at);

    wide_played p;
    p.active = m_bits(m_below(list->count - at));
    p.at = at;
    p.home = list->home + at;
    for (unsigned l = 0; l < LANES; l++) {
        p.base[l] = (int32_t)(at + l);
    }

    wide_play(w, &p, &first);
    if (all) {
        wide_advance_all(w, at, first.time, m_from_bits(p.active));
    }
    wide_put_back(w, &p);
    if (p.active == 0) {
        return kept;
    }

    unsigned more = 0;
    first = wide_look(w, at, p.active, all, &more);
    if (more != p.active) {
        wide_list_finish(list, at, p.active & ~more);
    }
    if (more != 0) {
        wide_list_keep(list, kept, at, more, &first);
    }
    return kept + (size_t)__builtin_popcount(more);
}

/* Plays the worlds of the list until none has an event left; false if it was cancelled, with worlds at arbitrary times
 * within the tick. */
static bool wide_list_run(wide_list *list)
{
    const wide *w = &list->w;
    const bool notes = !w->s->plain || w->s->contact_time > 0; /* `last` or `met` is needed */

    for (uint32_t b = 0; b < w->s->bodies; b++) {
        for (size_t at = 0; at < list->count; at += LANES) {
            const size_t row = b * w->body_step + at;
            if (!w->s->goes_on) {
                v_store(w->t + row, v_set1(0));
            }
            if (notes) {
                i_store32(w->last + row, i_set1(-1));
                v_store(w->met + row, v_set1(-SCENE_NEVER));
            }
        }
    }

    /* Rounds: the list gets shorter, in place. */
    while (list->count != 0) {
        if (progress_cancelled(w->k->cancel)) {
            return false;
        }
        size_t kept = 0;
        for (size_t at = 0; at < list->count; at += LANES) {
            kept = wide_list_play(list, at, kept);
        }
        list->count = kept;
    }
    return true;
}

/* ---- list or queue ---- */

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

/* The number of tiles to play at once: worlds of few bodies have so few events that it takes several tiles to fill a
 * register, and rounds of many worlds fill registers best, as long as all records fit into a core's second-level
 * cache. */
static size_t wide_tiles(const scene_frozen *s)
{
    const size_t most = s->bodies <= WIDE_FEW ? SCENE_TILES : 128 / (size_t)s->bodies;
    return s->bodies > WIDE_FEW && !wide_queues(s) ? 1 : most < 1 ? 1 : most < SCENE_TILES ? most : SCENE_TILES;
}

/* The parts of the scratch: the records of a tile, and the worlds that have events. */
typedef struct wide_scratch {
    wide tile;
    wide_list list;
    wide_queue queue;
} wide_scratch;

/* Lays out the scratch at `base`, or with NULL only computes its size; returns it. */
static size_t wide_lay_out(const scene_frozen *s, void *base, wide_scratch *to)
{
    wide_memory m;
    m.base = (unsigned char *)base;
    m.used = 0;

    to->tile.s = s;
    to->tile.body_step = CAROM_TILE, to->tile.lane_step = 1;
    wide_take_records(&to->tile, s, &m, (size_t)s->bodies * CAROM_TILE);
    to->tile.boxes = (wide_box *)wide_take(&m, scene_obstacles(s), sizeof(wide_box));
    wide_take_stills(&to->tile.stills, s, &m);
    to->tile.home = NULL;
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

/* Gives the records of a list or queue the data that they share with those of the tile. */
static void wide_share(wide *w, const wide *tile, scene_tick *ticks)
{
    w->s = tile->s, w->k = ticks, w->boxes = tile->boxes;
    w->stills = tile->stills;
    w->width = tile->width, w->height = tile->height, w->images = tile->images, w->deep = tile->deep;
}

static void wide_begin_tile(wide *tile, scene_tick *k)
{
    const scene_frozen *s = tile->s;
    tile->k = k;
    tile->r = s->own[SCENE_OWN_RADIUS] != 0 ? scene_reals(k, s->own[SCENE_OWN_RADIUS]) : NULL;
    tile->ax = s->own[SCENE_OWN_AX] != 0 ? scene_reals(k, s->own[SCENE_OWN_AX]) : NULL;
    tile->ay = s->own[SCENE_OWN_AY] != 0 ? scene_reals(k, s->own[SCENE_OWN_AY]) : NULL;
    tile->dts = k->dts != NULL ? scene_reals(k, s->own[SCENE_OWN_DT]) : NULL;

    /* Data shared with the tile is not copied. A body that is not active has no `near`. */
    if (s->goes_on) {
        tile->at_x = scene_reals(k, s->x), tile->at_y = scene_reals(k, s->y);
    }
    if (!s->accelerates) {
        tile->vx = scene_reals(k, s->vx), tile->vy = scene_reals(k, s->vy);
    }

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
    return k->worlds >> at & LANES_ALL;
}

/* The record of a body, or a new one where that does not hold: `seen`, at the start of the tick. same: the worlds in
 * which no general reason makes all records new. */
CAROM_LANE scene_circle wide_record(const wide *w, uint32_t body, unsigned at, scene_circle seen, vmask same,
                                    vreal most, vreal dt)
{
    const scene_frozen *s = w->s;
    const scene_tick *k = w->k;
    const size_t row = (size_t)body * CAROM_TILE + at;
    if (s->renews[body] != 0) {
        return seen;
    }

    scene_circle c = seen;
    c.x = v_load(scene_reals(k, s->record_x) + row), c.y = v_load(scene_reals(k, s->record_y) + row);
    c.t = v_load(scene_reals(k, s->record_time) + row);
    if (s->accelerates) {
        c.vx = v_load(scene_reals(k, s->record_vx) + row), c.vy = v_load(scene_reals(k, s->record_vy) + row);
    }

    const vint tick = i_load32(scene_ints(k, s->record_tick) + row), now = i_load32(scene_ints(k, s->tick) + at);
    const vmask keeps = m_and(same, record_keeps(s, c, tick, seen, now, most, dt));
    c.x = v_select(keeps, c.x, seen.x), c.y = v_select(keeps, c.y, seen.y);
    c.vx = v_select(keeps, c.vx, seen.vx), c.vy = v_select(keeps, c.vy, seen.vy);
    c.k = v_select(keeps, v_from_int(i_sub(tick, now)), v_set1(0));
    c.t = v_select(keeps, c.t, v_set1(0));
    return c;
}

/* The rounding since its record that may add to scene_near() of a body. Without accelerations it is in proportion to
 * where the record began. */
CAROM_LANE vreal wide_unsure(const scene_frozen *s, scene_circle record, vreal dt)
{
    if (s->accelerates) {
        return scene_fuzz(s, record, v_set1(0), dt) * v_set1(2);
    }
    return (v_abs(record.x) + v_abs(record.y)) * v_set1(2 * SCENE_FUZZ);
}

/* See wide_load(). goes_on: the scene's, as a constant. */
CAROM_LANE void wide_load_of(const wide *w, unsigned at, bool goes_on)
{
    const scene_frozen *s = w->s;
    const int8_t *actives = scene_actives(w->k);
    const vreal dt = wide_dt(w, at), most = goes_on ? record_most(s, dt) : dt;
    vmask same =
        wide_nowhere(); /* nothing makes all records new: another dt, other numbers, a tick number at its limit */
    if (goes_on) {
        const vint now = i_load32(scene_ints(w->k, s->tick) + at);
        same = m_andnot(v_eq(v_load(scene_reals(w->k, s->record_dt) + at), dt), i_eq(now, i_set1(INT32_MAX)));
    }
    if (s->record_numbers != 0) {
        alignas(64) uint32_t numbers[LANES];
        scene_hash_numbers(w->k, at, LANES, numbers);
        const vint own = i_load32((const int32_t *)numbers);
        same = m_and(same, i_eq(i_load32(scene_ints(w->k, s->record_numbers) + at), own));
    }

    for (uint32_t b = 0; b < s->bodies; b++) {
        const size_t row = (size_t)b * CAROM_TILE + at;
        const vmask active = m_not(i_eq(i_load8(actives + row), i_set1(0)));
        const vreal nowhere = v_set1((real)__builtin_nan(""));
        scene_circle c;
        c.x = v_select(active, v_load(scene_reals(w->k, s->x) + row), nowhere);
        c.y = v_select(active, v_load(scene_reals(w->k, s->y) + row), nowhere);
        c.vx = v_load(scene_reals(w->k, s->vx) + row);
        c.vy = v_load(scene_reals(w->k, s->vy) + row);
        c.k = c.t = v_set1(0);
        c.r = wide_radius(w, b, at);
        c.ax = wide_ax(w, b, at), c.ay = wide_ay(w, b, at);

        vreal near = scene_near(s, c, dt);
        if (goes_on) {
            c = wide_record(w, b, at, c, same, most, dt);
            near = near + wide_unsure(s, c, dt);
            v_store(w->ticks + row, c.k);
        }
        v_store(w->x + row, c.x), v_store(w->y + row, c.y);
        if (s->accelerates) { /* otherwise they are those of the tile */
            v_store(w->vx + row, c.vx), v_store(w->vy + row, c.vy);
        }
        v_store(w->t + row, c.t);
        if (!s->plain) {
            i_store32(w->last + row, i_set1(-1));
        }
        v_store(w->near + row, near);
    }
}

/* Makes the records of a register group for the start of the tick. */
static void wide_load(const wide *w, unsigned at)
{
    if (w->s->goes_on) {
        wide_load_of(w, at, true);
    } else {
        wide_load_of(w, at, false);
    }
}

/* See wide_finish(). goes_on: the scene's, as a constant. */
CAROM_LANE void wide_finish_of(const wide *w, unsigned at, unsigned done, bool goes_on)
{
    const scene_frozen *s = w->s;
    const int8_t *actives = scene_actives(w->k);
    const vreal dt = wide_dt(w, at);
    for (uint32_t b = 0; b < s->bodies; b++) {
        const size_t row = (size_t)b * CAROM_TILE + at;
        const vmask not_active = i_eq(i_load8(actives + row), i_set1(0));
        const vmask moves = m_andnot(m_from_bits(done), not_active);
        const scene_circle from = wide_circle_of(w, b, at, goes_on);
        const scene_circle c = goes_on ? record_end(s, from, dt) : scene_moved_by(s, from, dt - from.t);
        real *x = scene_reals(w->k, s->x) + row, *y = scene_reals(w->k, s->y) + row;
        v_store(x, v_select(moves, c.x, v_load(x)));
        v_store(y, v_select(moves, c.y, v_load(y)));
        if (s->accelerates) {
            real *vx = scene_reals(w->k, s->vx) + row, *vy = scene_reals(w->k, s->vy) + row;
            v_store(vx, v_select(moves, c.vx, v_load(vx)));
            v_store(vy, v_select(moves, c.vy, v_load(vy)));
        }

        /* Write new records; the others are already there. */
        if (goes_on) {
            const vmask fresh = m_and(m_from_bits(done), v_eq(from.k, v_set1(0)));
            if (m_any(fresh)) {
                wide_store_record(w, b, at, from, fresh, not_active);
            }
        }
    }
}

/* Moves worlds without an event to the end of the tick, in the tile. */
static void wide_finish(const wide *w, unsigned at, unsigned done)
{
    if (w->s->goes_on) {
        wide_finish_of(w, at, done, true);
    } else {
        wide_finish_of(w, at, done, false);
    }
}

/* ---- by list: all pairs after every event ---- */

/* Finishes the worlds of a group that have no event, and puts the others into the list. */
static void wide_take_group(wide_list *list, const wide *tile, unsigned at, unsigned worlds, size_t number)
{
    unsigned events = 0;
    wide_load(tile, at);
    const wide_first first = wide_look(tile, at, worlds, !tile->s->goes_on, &events);
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
    w->home = list->home;
    w->dts = ticks->dts != NULL ? w->dts : NULL;

    list->count = 0;
    for (size_t number = 0; number < count; number++) {
        wide_begin_tile(tile, &ticks[number]);
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
    q->w.r = q->w.ax = q->w.ay = q->w.dts = NULL;
    q->w.home = NULL;
    wide_queue_load_bodies(q);

    for (size_t number = 0; number < count; number++) {
        wide_begin_tile(tile, &ticks[number]);
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

/* Notes the length of the tick, and the worlds' own numbers, with the records. */
static void wide_keep_numbers(const scene_tick *k)
{
    real *dt = scene_reals(k, k->scene->record_dt);
    for (unsigned lane = 0; lane < CAROM_TILE; lane++) {
        dt[lane] = (k->worlds >> lane & 1) != 0 ? scene_dt(k, lane) : dt[lane];
    }
    if (k->scene->record_numbers != 0) {
        int32_t *kept = scene_ints(k, k->scene->record_numbers);
        uint32_t numbers[CAROM_TILE];
        scene_hash_numbers(k, 0, CAROM_TILE, numbers);
        for (unsigned lane = 0; lane < CAROM_TILE; lane++) {
            kept[lane] = (k->worlds >> lane & 1) != 0 ? (int32_t)numbers[lane] : kept[lane];
        }
    }
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

    /* The deep engine may also have been cancelled, in any tile. The call then counts as cancelled in all of them. */
    for (size_t number = 0; number < count; number++) {
        done = done && !ticks[number].cancelled;
    }
    for (size_t number = 0; number < count; number++) {
        ticks[number].cancelled = !done;
        if (s->goes_on) {
            wide_keep_numbers(&ticks[number]);
        }
    }
}

CAROM_EXTERN const scene_engine CAROM_KERNEL(scene_wide);
const scene_engine CAROM_KERNEL(scene_wide) = {wide_scratch_bytes, wide_tiles, wide_tick, NULL, NULL};
