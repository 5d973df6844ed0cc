/* SPDX-License-Identifier: MIT
 * Worlds with events, packed side by side: a worklist like that of tick/worklist.h.
 *
 * Few worlds have an event in a tick. Those that do are taken out of the register groups of some tiles and played here
 * in rounds, one event of each, after which all of its pairs are tested again. A world without further events goes back
 * to its tile, and the others close up. So registers stay full, and no group waits for its slowest lane.
 */
#ifndef CAROM_SCENES_WIDE_LIST_H
#define CAROM_SCENES_WIDE_LIST_H

#include "scenes/wide_play.h"

/* All arrays are in the engine's scratch. */
typedef struct wide_list {
    wide w;       /* records are in rows, by slot */
    size_t count; /* worlds: slots 0 .. count - 1 */

    /* By slot: the world's next event, as in wide_first, and its home. */
    real *time, *nx, *ny;
    int32_t *first, *second, *part;
    int32_t *home;
} wide_list;

/* There is room for all worlds and no more: a store of packed lanes never goes beyond it, because groups are added in
 * order, and so the list is never longer than what was looked at. */
CAROM_LANE void wide_list_take(wide_list *list, const scene_frozen *s, size_t tiles, wide_memory *m)
{
    const size_t room = tiles * CAROM_TILE;
    wide_take_records(&list->w, m, s->bodies * room);
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
    if (list->w.s->walls + list->w.s->polygons != 0) {
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
    if (list->w.s->walls + list->w.s->polygons != 0) {
        f.nx = v_load(list->nx + at);
        f.ny = v_load(list->ny + at);
    }
    return f;
}

/* Appends the chosen worlds of a register group, whose records, at the start of the tick, are in `rows`. */
static void wide_list_push(wide_list *list, const wide *rows, size_t at, unsigned chosen, const wide_first *f,
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
    }

    wide_list_put_first(list, list->count, those, f);
    for (; chosen != 0; chosen &= chosen - 1) {
        list->home[list->count++] = home + __builtin_ctz(chosen);
    }
}

/* Moves the chosen worlds of the group `at` up to slot `to`, which is not behind `at`, with their next events `f`. */
static void wide_list_keep(wide_list *list, size_t to, size_t at, unsigned chosen, const wide_first *f)
{
    const wide *w = &list->w;
    const vmask those = m_from_bits(chosen);
    const bool notes = !w->s->plain || w->s->contact_time > 0; /* `last` or `met` is needed */

    wide_list_put_first(list, to, those, f);
    if (to == at && (chosen & (chosen + 1)) == 0) { /* they are in place already */
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
        if (notes) {
            v_compress(w->met + row, those, v_load(w->met + from));
            i_compress(w->last + row, those, i_load32(w->last + from));
        }
    }

    i_compress(list->home + to, those, i_load32(list->home + at));
}

/* Moves worlds without further events to the end of the tick, and puts them back into their tiles. */
static void wide_list_finish(const wide_list *list, size_t at, unsigned done)
{
    const wide *w = &list->w;
    const scene_frozen *s = w->s;
    for (uint32_t b = 0; b < s->bodies; b++) {
        alignas(64) real x[LANES], y[LANES], vx[LANES], vy[LANES];
        const scene_circle c = scene_moved(s, wide_circle(w, b, at), v_set1(w->k->dt));
        v_store(x, c.x), v_store(y, c.y), v_store(vx, c.vx), v_store(vy, c.vy);

        for (unsigned bits = done; bits != 0; bits &= bits - 1) {
            const unsigned l = (unsigned)__builtin_ctz(bits);
            const scene_tick *k = wide_tick_of(w, list->home[at + l]);
            const size_t row = (size_t)b * CAROM_TILE + wide_lane_of(list->home[at + l]);
            if (scene_actives(k)[row] != 0) {
                scene_reals(k, s->x)[row] = x[l], scene_reals(k, s->y)[row] = y[l];
                scene_reals(k, s->vx)[row] = vx[l], scene_reals(k, s->vy)[row] = vy[l];
            }
        }
    }
}

/* ---- rounds ---- */

/* The first events of a register group. *events: which of `worlds` have one. level: see wide_scan_pair(). */
static wide_first wide_look(const wide *w, size_t at, unsigned worlds, bool level, unsigned *events)
{
    const vreal never = v_set1(SCENE_NEVER);
    const vmask among = m_from_bits(worlds);
    wide_first first;
    if (wide_is_simple(w)) {
        first = level ? wide_scan(w, at, among, true, true) : wide_scan(w, at, among, false, true);
    } else {
        first = wide_scan(w, at, among, level, false);
    }
    *events = worlds & m_bits(v_lt(first.time, never));
    return first;
}

/* Plays an event of every world of the group `at`, and moves the worlds that have another one up to slot `kept`.
 * Returns the first free slot behind them. */
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

/* Plays the worlds of the list until none has an event left; false if it was cancelled, with worlds anywhere in the
 * tick. */
static bool wide_list_run(wide_list *list)
{
    const wide *w = &list->w;
    const bool notes = !w->s->plain || w->s->contact_time > 0; /* `last` or `met` is needed */

    for (uint32_t b = 0; b < w->s->bodies; b++) {
        for (size_t at = 0; at < list->count; at += LANES) {
            const size_t row = b * w->body_step + at;
            v_store(w->t + row, v_set1(0));
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

#endif
