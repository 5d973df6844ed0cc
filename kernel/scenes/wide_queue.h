/* SPDX-License-Identifier: MIT
 * Worlds of many bodies, own clock: every body keeps the first event that it knows of, and the earliest of these is
 * played.
 *
 * An event changes one or two records. Only those bodies search for their next events, among all others. Another body
 * that waited for one of them notices when its event comes up and the partner has changed since: then it searches
 * again. No meeting is missed: of two bodies the one that changed last knows of it, or keeps an earlier event.
 *
 * Records lie in columns, one world after another, so that a body is tested against LANES others at once. A round goes
 * over all worlds that have an event left: each finds its earliest, the events of up to LANES worlds are played
 * together (wide_play.h), and then the bodies that took part search again. Each step does this for many independent
 * worlds, so that the processor need not wait for one of them.
 */
#ifndef CAROM_SCENES_WIDE_QUEUE_H
#define CAROM_SCENES_WIDE_QUEUE_H

#include "scenes/wide_ask.h"

/* ---- the start of the tick ---- */

/* Notes the first meeting of body i with one of the bodies after it (`pair`), and the first contact with what does not
 * move (`still`), in the worlds from `home` on, one in each lane. Returns the lanes that have any. */
CAROM_LANE unsigned wide_queue_note(const wide_queue *q, size_t home, uint32_t i, const wide_first *pair,
                                    const wide_first *still)
{
    const vreal never = v_set1(SCENE_NEVER);
    const unsigned pairs = m_bits(v_lt(pair->time, never)), stills = m_bits(v_lt(still->time, never));
    v_store(q->event + i * q->homes + home, v_min(pair->time, still->time));

    if (pairs != 0) {
        alignas(64) real time[LANES];
        alignas(64) int32_t partner[LANES], image[LANES];
        v_store(time, pair->time);
        i_store32(partner, pair->second), i_store32(image, pair->part);
        for (unsigned bits = pairs; bits != 0; bits &= bits - 1) {
            const unsigned l = (unsigned)__builtin_ctz(bits);
            const size_t row = wide_at(&q->w, i, home + l);
            q->meeting[row] = time[l];
            q->partner[row] = partner[l], q->image[row] = image[l], q->seen[row] = 0;
        }
    }

    if (stills != 0) {
        alignas(64) real time[LANES], nx[LANES], ny[LANES];
        alignas(64) int32_t id[LANES], feature[LANES];
        v_store(time, still->time), v_store(nx, still->nx), v_store(ny, still->ny);
        i_store32(id, still->second), i_store32(feature, still->part);
        for (unsigned bits = stills; bits != 0; bits &= bits - 1) {
            const unsigned l = (unsigned)__builtin_ctz(bits);
            const size_t row = wide_at(&q->w, i, home + l);
            q->contact[row] = time[l], q->nx[row] = nx[l], q->ny[row] = ny[l];
            q->id[row] = id[l], q->feature[row] = feature[l];
        }
    }
    return pairs | stills;
}

/* Copies one world's records from rows into its column, for the start of the tick. */
static void wide_queue_copy_in(const wide_queue *q, const wide *rows, unsigned lane, size_t home)
{
    const wide *w = &q->w;
    const uint32_t n = w->s->bodies;
    const size_t base = home * q->column;
    for (uint32_t b = 0; b < n; b++) {
        const size_t from = (size_t)b * CAROM_TILE + lane, to = base + b;
        w->x[to] = rows->x[from], w->y[to] = rows->y[from];
        w->vx[to] = rows->vx[from], w->vy[to] = rows->vy[from];
        w->near[to] = rows->near[from];
        w->t[to] = 0;
        w->last[to] = -1;
        w->met[to] = -SCENE_NEVER;
        q->changes[to] = 0;
    }

    /* The rest of the column is nowhere, and so meets nothing. */
    for (size_t to = base + n; to < base + q->column; to++) {
        w->x[to] = w->y[to] = (real)__builtin_nan("");
        w->vx[to] = w->vy[to] = w->t[to] = w->near[to] = 0;
    }
}

/* Moves a world without further events to the end of the tick, and puts it back into its tile. */
static void wide_queue_copy_out(const wide_queue *q, int32_t home)
{
    const wide *w = &q->w;
    const scene_frozen *s = w->s;
    const scene_tick *k = wide_tick_of(w, home);
    const size_t base = (size_t)home * q->column;
    const int8_t *active = scene_actives(k) + wide_lane_of(home);
    real *tile = scene_reals(k, 0) + wide_lane_of(home);
    real *to_x = tile + s->x / sizeof(real), *to_y = tile + s->y / sizeof(real);
    real *to_vx = tile + s->vx / sizeof(real), *to_vy = tile + s->vy / sizeof(real);

    for (uint32_t b = 0; b < s->bodies; b += LANES) {
        alignas(64) real x[LANES], y[LANES], vx[LANES], vy[LANES];
        scene_circle c;
        c.x = v_load(w->x + base + b), c.y = v_load(w->y + base + b);
        c.vx = v_load(w->vx + base + b), c.vy = v_load(w->vy + base + b);
        c.t = v_load(w->t + base + b);
        c.r = v_load(q->r + b), c.ax = v_load(q->ax + b), c.ay = v_load(q->ay + b);
        c = scene_moved(s, c, v_set1(w->k->dt));
        v_store(x, c.x), v_store(y, c.y), v_store(vx, c.vx), v_store(vy, c.vy);

        for (uint32_t l = 0; l < LANES && b + l < s->bodies; l++) {
            const size_t row = (size_t)(b + l) * CAROM_TILE;
            if (active[row] != 0) {
                to_x[row] = x[l], to_y[row] = y[l];
                to_vx[row] = vx[l], to_vy[row] = vy[l];
            }
        }
    }
}

/* Tests all pairs of the worlds of a register group, and returns the worlds that have an event. `simple` is a constant:
 * see wide_is_simple(). */
CAROM_LANE unsigned wide_queue_fill_of(const wide_queue *q, const wide *rows, unsigned at, unsigned worlds, size_t home,
                                       bool simple)
{
    const scene_frozen *s = rows->s;
    const vreal never = v_set1(SCENE_NEVER);
    const vmask among = m_from_bits(worlds);
    unsigned open = 0;

    for (size_t row = home * q->column; row < (home + LANES) * q->column; row += LANES) {
        v_store(q->meeting + row, never);
        v_store(q->contact + row, never);
    }

    for (uint32_t i = 0; i < s->bodies; i++) {
        const scene_circle c = wide_circle(rows, i, at);
        const vreal near = v_load(rows->near + (size_t)i * CAROM_TILE + at);
        wide_first pair = wide_none(), still = wide_none();
        for (uint32_t j = i + 1; j < s->bodies; j++) {
            wide_scan_pair(rows, at, &pair, i, c, near, j, among, true, simple);
        }
        wide_scan_still(rows, at, &still, i, c, near, among);
        open |= wide_queue_note(q, home, i, &pair, &still);
    }
    return open & worlds;
}

/* Opens the worlds of a register group that have an event, and returns them. */
static unsigned wide_queue_fill(wide_queue *q, const wide *rows, unsigned at, unsigned worlds, size_t number)
{
    const size_t home = number * CAROM_TILE + at;
    const unsigned open = wide_is_simple(rows) ? wide_queue_fill_of(q, rows, at, worlds, home, true)
                                               : wide_queue_fill_of(q, rows, at, worlds, home, false);
    q->open[number] |= open << at;
    for (unsigned bits = open; bits != 0; bits &= bits - 1) {
        const unsigned l = (unsigned)__builtin_ctz(bits);
        wide_queue_copy_in(q, rows, at + l, home + l);
        q->w.crossed[home + l] = 0;
    }
    return open;
}

/* ---- rounds ---- */

/* What the body of a record meets first: the id of another body, or of what does not move. Without a branch, which
 * would be unpredictable. */
CAROM_LANE uint32_t wide_queue_other(const wide_queue *q, size_t row)
{
    const uint32_t meets = 0 - (uint32_t)(q->meeting[row] <= q->contact[row]);
    return ((uint32_t)q->partner[row] & meets) | ((uint32_t)q->id[row] & ~meets);
}

/* Which bodies keep the earliest event, in each world of a register group: the lowest one, and how many. */
typedef struct wide_fronts {
    alignas(64) int32_t body[LANES], count[LANES];
} wide_fronts;

/* Finds the fronts, and returns the worlds that have an event left. */
CAROM_LANE unsigned wide_queue_fronts(const wide_queue *q, size_t home, wide_fronts *fronts)
{
    const vint zero = i_set1(0), one = i_set1(1);
    const real *events = q->event + home;
    vreal least = v_set1(SCENE_NEVER);
    vint body = zero, count = zero;

    for (uint32_t b = 0; b < q->w.s->bodies; b++) {
        least = v_min(v_load(events + b * q->homes), least);
    }
    for (uint32_t b = q->w.s->bodies; b-- > 0;) {
        const vmask first = v_eq(v_load(events + b * q->homes), least);
        body = i_select(first, i_set1((int32_t)b), body);
        count = i_add(count, i_select(first, one, zero));
    }
    i_store32(fronts->body, body), i_store32(fronts->count, count);
    return m_bits(v_lt(least, v_set1(SCENE_NEVER)));
}

/* If several events have the same time: the body that keeps the one with the lowest pair of ids. */
static uint32_t wide_queue_tied(const wide_queue *q, size_t home, real time)
{
    uint32_t body = 0, lower = UINT32_MAX, higher = UINT32_MAX;
    for (uint32_t b = 0; b < q->w.s->bodies; b++) {
        if (q->event[b * q->homes + home] == time) {
            const uint32_t other = wide_queue_other(q, home * q->column + b);
            const uint32_t low = b < other ? b : other, high = b < other ? other : b;
            if (low < lower || (low == lower && high < higher)) {
                lower = low, higher = high;
                body = b;
            }
        }
    }
    return body;
}

/* Adds a world's earliest event to the round; b and count are the world's front. */
CAROM_LANE void wide_queue_pop(const wide_queue *q, wide_round *r, size_t home, uint32_t b, int32_t count)
{
    const scene_frozen *s = q->w.s;
    const size_t base = home * q->column;
    const real time = q->event[b * q->homes + home];

    /* Nearly always a single body keeps that event, or two bodies keep the same one. */
    uint32_t other = wide_queue_other(q, base + b);
    uint32_t partner = other < s->bodies ? other : b; /* itself where it meets something that does not move */
    const bool both = (q->event[partner * q->homes + home] == time) & (wide_queue_other(q, base + partner) == b);
    if (count - both != 1) {
        b = wide_queue_tied(q, home, time);
        other = wide_queue_other(q, base + b);
        partner = other < s->bodies ? other : b;
    }

    /* It is played if the partner has not changed since it was predicted; else b searches again. Both are written, and
     * only the counts differ: a branch would be unpredictable. */
    const size_t row = base + b;
    const bool stale = (other < s->bodies) & (q->changes[base + partner] != q->seen[row]);
    const size_t at = r->count;
    r->home[at] = (int32_t)home;
    r->time[at] = time;
    r->first[at] = (int32_t)(b < other ? b : other), r->second[at] = (int32_t)(b < other ? other : b);
    r->part[at] = other < s->bodies ? q->image[row] : q->feature[row];
    if (s->walls + s->polygons != 0) {
        r->nx[at] = q->nx[row], r->ny[at] = q->ny[row];
    }
    r->count += !stale;

    r->ask_home[r->asks] = (int32_t)home;
    r->ask_body[r->asks] = b;
    r->asks += stale;
}

/* Plays the events of a round from slot `at` on. */
CAROM_LANE void wide_queue_play(wide_queue *q, wide_round *r, size_t at)
{
    const uint32_t n = q->w.s->bodies;
    const unsigned slots = (unsigned)(r->count - at < LANES ? r->count - at : LANES),
                   all = (1u << (slots - 1) << 1) - 1;

    /* Lanes beyond the last event point to the first one's world, and are not active. */
    wide_played p;
    wide_first f;
    f.time = v_load(r->time + at), f.nx = v_load(r->nx + at), f.ny = v_load(r->ny + at);
    f.first = i_load32(r->first + at), f.second = i_load32(r->second + at), f.part = i_load32(r->part + at);
    p.active = all;
    unsigned pairs = 0;
    p.at = 0;
    p.home = r->home + at;
    for (unsigned l = 0; l < LANES; l++) {
        p.base[l] = p.home[l < slots ? l : 0] * (int32_t)q->column;
    }

    wide_play(&q->w, &p, &f);
    wide_put_back(&q->w, &p);

    /* The bodies that took part search again. Worlds that are no longer active are done. */
    for (unsigned bits = all; bits != 0; bits &= bits - 1) {
        const unsigned l = (unsigned)__builtin_ctz(bits);
        if ((p.active >> l & 1) == 0) {
            q->open[p.home[l] / CAROM_TILE] &= ~(1u << wide_lane_of(p.home[l]));
            continue;
        }
        wide_round_ask(r, p.home[l], (uint32_t)p.first[l]);
        if ((uint32_t)p.second[l] < n) {
            pairs |= 1u << l;
            wide_round_ask(r, p.home[l], (uint32_t)p.second[l]);
        }
    }

    wide_queue_still(q, &p, 0, p.active);
    if (pairs != 0) {
        wide_queue_still(q, &p, 1, pairs);
    }
}

/* Adds an event of every open world of a tile to the round, and closes the worlds that have none left. */
CAROM_LANE void wide_queue_pop_tile(wide_queue *q, wide_round *r, size_t tile)
{
    for (unsigned at = 0; at < CAROM_TILE; at += LANES) {
        const size_t home = tile * CAROM_TILE + at;
        unsigned group = q->open[tile] >> at & ((1u << (LANES - 1) << 1) - 1);
        if (group != 0) {
            wide_fronts fronts;
            const unsigned ended = group & ~wide_queue_fronts(q, home, &fronts);

            for (group &= ~ended; group != 0; group &= group - 1) {
                const unsigned l = (unsigned)__builtin_ctz(group);
                wide_queue_pop(q, r, home + l, (uint32_t)fronts.body[l], fronts.count[l]);
            }
            for (unsigned bits = ended; bits != 0; bits &= bits - 1) {
                wide_queue_copy_out(q, (int32_t)home + __builtin_ctz(bits));
            }
            q->open[tile] &= ~(ended << at);
        }
    }
}

/* Plays the open worlds until none has an event left; false if it was cancelled, with worlds anywhere in the tick. */
static bool wide_queue_run(wide_queue *q, size_t tiles)
{
    wide_round r;
    for (size_t l = 0; l < WIDE_HOMES; l++) {
        r.time[l] = r.nx[l] = r.ny[l] = 0;
        r.first[l] = r.second[l] = r.part[l] = r.home[l] = 0;
    }

    /* An event that is played makes its bodies search, and so does one that is out of date: no searches, no events. */
    do {
        if (progress_cancelled(q->w.k->cancel)) {
            return false;
        }

        r.count = r.asks = 0;
        for (size_t tile = 0; tile < tiles; tile++) {
            wide_queue_pop_tile(q, &r, tile);
        }
        for (size_t at = 0; at < r.count; at += LANES) {
            wide_queue_play(q, &r, at);
        }

        if (wide_is_simple(&q->w)) {
            wide_queue_ask(q, &r);
        } else {
            for (size_t a = 0; a < r.asks; a++) {
                wide_queue_pairs(q, (size_t)r.ask_home[a], r.ask_body[a]);
            }
        }
    } while (r.asks != 0);
    return true;
}

#endif
