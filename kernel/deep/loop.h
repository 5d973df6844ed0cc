/* SPDX-License-Identifier: MIT
 * The event loop of the deep engine, the same for all its rule sets.
 *
 * Each body has an entry in the queue for its next event: the earliest of its meeting with another body, its contact
 * with something else, and the time at which it leaves its cell. An entry is valid if that is still the body's time; a
 * meeting is valid if the partner has not changed since. After an event the bodies that took part predict again. Others
 * that waited for one of them notice when their entry comes up, which is early enough: whatever happens to them instead
 * is later. Cells, queue and order in memory change no record, and so no bit.
 *
 * Events of one time are played in order of their ranks. Usually these are the two entries of one meeting; others go
 * through w->loop.equals. An entry stays there with the rank that it had on arrival: its body may predict another event
 * in the meantime, but none of a lower rank without a new entry.
 *
 * A rule set names its world's type rules_world, with members `deep_loop loop` and body[], whose elements have x, y,
 * vx, vy, t, `changes`, which counts the record's changes, and `cell` (or DEEP_NOWHERE). Then it includes this file,
 * and defines the functions declared here as rules_...
 */
#ifndef CAROM_DEEP_LOOP_H
#define CAROM_DEEP_LOOP_H

#include "deep/state.h"

/* ---- what a rule set defines ---- */

static real rules_key(const rules_world *w, int32_t i); /* when body i has its next event */

/* Lists those of the bodies [from, to), at most DEEP_LINKED, that may have an event before w->loop.last, and returns
 * their number. May write up to DEEP_SPARE entries beyond them. */
static uint32_t rules_due(const rules_world *w, uint32_t from, uint32_t to, int32_t *who);

/* Called before a window of the queue begins. Gives the queue room for all bodies that may be due. */
static void rules_fit(rules_world *w);

/* The order of that event among those of the same time: 0 if it changes no record. */
static uint64_t rules_rank(const rules_world *w, int32_t i, real key);
static deep_next rules_what(const rules_world *w, int32_t i, real time); /* the kind of that event */
static deep_meeting *rules_meeting(const rules_world *w, int32_t i);     /* the meeting that it waits for */

/* Makes the first meeting with one of list[0..n) that of body i, if it precedes the present one. May write up to
 * DEEP_SPARE entries beyond n. */
static void rules_consider(rules_world *w, int32_t i, int32_t *list, uint32_t n);
static void rules_predict(rules_world *w, int32_t i); /* the next event, from its record on */
static void rules_predict_two(rules_world *w, int32_t i, int32_t j);

static void rules_cross(rules_world *w, int32_t i);                   /* moves it into the next cell */
static deep_outcome rules_meet(rules_world *w, int32_t i, real time); /* plays its meeting */
static deep_outcome rules_hit(rules_world *w, int32_t i, real time);  /* plays its contact with anything else */
static bool rules_passes_time(rules_world *w, real time); /* called with each event's time; false: stop before it */

static void rules_fetch(const rules_world *w, int32_t i); /* prefetches the body and its plan */

/* Prefetches other data that impacts read (the mass, say); the record is in cache. */
static void rules_fetch_traits(const rules_world *w, int32_t i);

/* ---- meetings ---- */

CAROM_LANE void deep_expect_nobody(rules_world *w, int32_t i)
{
    deep_meeting *m = rules_meeting(w, i);
    m->time = DEEP_NEVER;
    m->partner = i;
}

/* Makes the meeting with `who` that of body i. */
CAROM_LANE void deep_expect(rules_world *w, int32_t i, int32_t who, real time)
{
    deep_meeting *m = rules_meeting(w, i);
    m->time = time;
    m->partner = who;
    m->partner_changes = w->body[who].changes;
}

/* The body that body i expects to meet, or GRID_NONE. */
CAROM_LANE int32_t deep_partner(const rules_world *w, int32_t i)
{
    const deep_meeting *m = rules_meeting(w, i);
    return m->time < DEEP_NEVER ? m->partner : GRID_NONE;
}

/* Has it changed since? */
CAROM_LANE bool deep_is_stale(const rules_world *w, int32_t i)
{
    const deep_meeting *m = rules_meeting(w, i);
    return w->body[m->partner].changes != m->partner_changes;
}

/* ---- leaving a cell ---- */

/* When a coordinate in uniform motion reaches the edge of its column or row ahead. */
CAROM_LANE real deep_passes(const real *edges, uint32_t index, real x, real v, real t)
{
    const real time = t + (edges[index - (v > 0 ? 0 : 1)] - x) / v;
    return v != 0 ? time : DEEP_NEVER;
}

/* The departure of a body in uniform motion; column c lies between edges_x[c - 1] and edges_x[c]. Without a branch,
 * which would be unpredictable. */
CAROM_LANE deep_departure deep_departs(const rules_world *w, int32_t i, const real *edges_x, const real *edges_y)
{
    const uint32_t cell = w->body[i].cell;
    const real vx = w->body[i].vx, vy = w->body[i].vy, t = w->body[i].t;
    const real x = deep_passes(edges_x, grid_column(cell), w->body[i].x, vx, t);
    const real y = deep_passes(edges_y, grid_row(cell), w->body[i].y, vy, t);
    const unsigned by_y = !(x <= y), right = vx > 0, up = vy > 0;
    deep_departure d;
    d.time = x <= y ? x : y;
    d.way = (uint8_t)(2 * by_y + (by_y & up) + (~by_y & right));
    return d;
}

/* ---- neighbours ----
 *
 * A cell is at least as wide as the distance of two touching bodies, so before one of them leaves its cell two bodies
 * can meet only if each is in the nine cells around the other. When a body enters a cell, three more cells come within
 * reach. */

/* Considers the bodies after the heads of chains in rows x columns cells from (row, column) on. */
static void deep_look_behind(rules_world *w, int32_t i, uint32_t row, uint32_t column, uint32_t rows, uint32_t columns)
{
    const grid *g = &w->loop.cells;
    int32_t list[DEEP_LISTED];
    for (uint32_t r = row; r < row + rows; r++) {
        for (uint32_t c = column; c < column + columns; c++) {
            const int32_t head = grid_at(g, r, c)[GRID_PLACES - 1];
            int32_t k = head == GRID_NONE ? GRID_NONE : g->next[head];

            while (k != GRID_NONE) {
                uint32_t n = 0;
                for (; k != GRID_NONE && n < DEEP_LINKED; k = g->next[k]) {
                    list[n] = k;
                    n += k != i;
                }
                rules_consider(w, i, list, n);
            }
        }
    }
}

/* Considers all bodies in rows x columns cells from (row, column) on. */
CAROM_LANE void deep_look(rules_world *w, int32_t i, uint32_t row, uint32_t column, uint32_t rows, uint32_t columns)
{
    int32_t list[DEEP_LISTED];
    uint32_t n = 0;
    for (uint32_t r = row; r < row + rows; r++) {
        n += i_pack16(list + n, grid_at(&w->loop.cells, r, column), columns * GRID_PLACES, i);
    }
    rules_consider(w, i, list, n);
    if (w->loop.cells.chained != 0) {
        deep_look_behind(w, i, row, column, rows, columns);
    }
}

/* Moves a body into the next cell. way: 0 left, 1 right, 2 lower, 3 upper. */
CAROM_LANE void deep_step(rules_world *w, int32_t i, int way)
{
    grid *g = &w->loop.cells;
    const uint32_t cell = w->body[i].cell;
    uint32_t row = grid_row(cell), column = grid_column(cell);
    grid_remove(g, cell, i);
    row = way == 2 ? row - 1 : way == 3 ? row + 1 : row;
    column = way == 0 ? column - 1 : way == 1 ? column + 1 : column;
    w->body[i].cell = grid_name(row, column);
    grid_insert(g, w->body[i].cell, i);
}

/* Considers the bodies in the three cells that a step has brought within reach. */
CAROM_LANE void deep_look_on(rules_world *w, int32_t i, int way)
{
    const uint32_t row = grid_row(w->body[i].cell), column = grid_column(w->body[i].cell);
    if (way < 2) {
        deep_look(w, i, row - 1, way == 0 ? column - 1 : column + 1, 3, 1);
    } else {
        deep_look(w, i, way == 2 ? row - 1 : row + 1, column - 1, 1, 3);
    }
}

/* ---- entries ---- */

/* Starts a window of the queue at `begin`, with the events of all bodies due in it. */
static void deep_refill(rules_world *w, real begin)
{
    deep_loop *l = &w->loop;
    queue *q = &l->events;

    rules_fit(w);
    queue_clear(q, begin);
    q->end = q->end < l->last ? q->end : l->last;
    l->fetched = l->bodies < DEEP_LARGE ? UINT32_MAX : 0;
    l->equals.count = 0;

    /* Collect the bodies due in this window without a branch, as the test is unpredictable; then insert them. */
    for (uint32_t i = 0; i < l->bodies; i += DEEP_LINKED) {
        real keys[DEEP_LINKED + 1];
        int32_t due[DEEP_LISTED];
        const uint32_t some = rules_due(w, i, l->bodies - i < DEEP_LINKED ? l->bodies : i + DEEP_LINKED, due);
        uint32_t n = 0;
        for (uint32_t k = 0; k < some; k++) {
            keys[n] = rules_key(w, due[k]);
            due[n] = due[k];
            n += keys[n] < q->end;
        }

        for (uint32_t k = 0; k < n; k++) {
            queue_insert(q, keys[k], due[k]);
        }
    }
}

/* Enters a body's next event. If that is later than the window, deep_refill() enters it. */
CAROM_LANE void deep_enter(rules_world *w, int32_t i)
{
    queue *q = &w->loop.events;
    ties *t = &w->loop.equals;
    const real key = rules_key(w, i);
    if (key < q->end) {
        const bool fits =
            t->count != 0 && key == t->key ? ties_push(t, rules_rank(w, i, key), i) : queue_insert(q, key, i);
        if (!fits) {
            deep_refill(w, w->loop.now);
        }
    }
}

/* Moves all events of the earliest time from the queue to the ties. False if there is no room, since stale entries take
 * some. */
static bool deep_gather_ties(rules_world *w)
{
    queue *q = &w->loop.events;
    ties *t = &w->loop.equals;
    const real key = q->key[q->count - 1];
    bool fits = true;

    t->key = key;
    for (; q->count > 0 && q->key[q->count - 1] == key; q->count--) {
        const int32_t who = q->who[q->count - 1];
        fits = ties_push(t, rules_rank(w, who, key), who) && fits;
    }

    /* A full agenda may have left more of them in the lines of the current bucket. Close the gaps there. */
    for (queue_line *line = &q->lines[q->bucket]; key == q->horizon;) {
        const uint32_t used = line->link & 7, next = line->link >> 3;
        line->link = next << 3;
        for (uint32_t k = 0; k < used; k++) {
            if (line->key[k] == key) {
                fits = ties_push(t, rules_rank(w, line->who[k], key), line->who[k]) && fits;
            } else {
                const uint32_t to = line->link++ & 7;
                line->key[to] = line->key[k];
                line->who[to] = line->who[k];
            }
        }
        if (next == 0) {
            break;
        }
        line = &q->lines[next - 1];
    }
    return fits;
}

/* Do several events have the earliest time? The two entries of one meeting count as one. */
CAROM_LANE bool deep_has_ties(const rules_world *w)
{
    const queue *q = &w->loop.events;
    const uint32_t last = q->count - 1;
    const real key = q->key[last];
    if (key == q->horizon) {
        return true; /* there may be more outside the agenda */
    }
    if (last == 0 || q->key[last - 1] != key) {
        return false;
    }

    const int32_t i = q->who[last], j = q->who[last - 1];
    const bool third = last > 1 && q->key[last - 2] == key;
    return third || rules_what(w, i, key) != DEEP_MEETS || rules_what(w, j, key) != DEEP_MEETS ||
           deep_partner(w, i) != j || deep_partner(w, j) != i;
}

/* ---- prefetching ----
 *
 * Large worlds wait for memory. So the bodies of the next three buckets are prefetched, one step per bucket, as each
 * step needs the results of the previous one: the body; then its traits, its partner and the places of its nine cells;
 * then the partner's traits and the bodies at those places. */

CAROM_LANE void deep_fetch_places(const rules_world *w, int32_t i)
{
    const grid *g = &w->loop.cells;
    const uint32_t cell = w->body[i].cell, row = grid_row(cell), column = grid_column(cell);
    const int32_t partner = deep_partner(w, i);
    rules_fetch_traits(w, i);
    if (cell != DEEP_NOWHERE) {
        __builtin_prefetch(grid_at(g, row - 1, column), 0);
        __builtin_prefetch(grid_at(g, row, column), 1);
        __builtin_prefetch(grid_at(g, row + 1, column), 0);
    }
    if (partner != GRID_NONE) {
        rules_fetch(w, partner);
    }
}

CAROM_LANE void deep_fetch_around(const rules_world *w, int32_t i)
{
    const uint32_t cell = w->body[i].cell;
    int32_t list[DEEP_NEAR + DEEP_SPARE];
    uint32_t n = 0;
    for (uint32_t r = 0; cell != DEEP_NOWHERE && r < 3; r++) {
        n += i_pack16(list + n, grid_at(&w->loop.cells, grid_row(cell) + r - 1, grid_column(cell) - 1), 3 * GRID_PLACES,
                      i);
    }
    for (uint32_t k = 0; k < n; k++) {
        __builtin_prefetch(&w->body[list[k]], 0);
    }
}

CAROM_LANE void deep_fetch_neighbours(const rules_world *w, int32_t i)
{
    const int32_t partner = deep_partner(w, i);
    deep_fetch_around(w, i);
    if (partner != GRID_NONE) {
        rules_fetch_traits(w, partner);
        deep_fetch_around(w, partner);
    }
}

static void deep_fetch_ahead(rules_world *w)
{
    const queue *q = &w->loop.events;
    const uint32_t b = q->bucket;
    w->loop.fetched = b + 1;
    if (b + DEEP_FETCH_AHEAD < q->buckets) {
        QUEUE_EACH(q, b + 3, who, rules_fetch(w, who))
        QUEUE_EACH(q, b + 2, who, deep_fetch_places(w, who))
        QUEUE_EACH(q, b + 1, who, deep_fetch_neighbours(w, who))
    }
}

/* ---- events ---- */

CAROM_LANE void deep_renew(rules_world *w, int32_t i)
{
    rules_predict(w, i);
    deep_enter(w, i);
}

/* Plays the event of body i at `time`, if its entry is still valid; false if the event was refused. */
CAROM_LANE bool deep_play(rules_world *w, int32_t i, real time)
{
    queue *q = &w->loop.events;
    deep_outcome outcome = DEEP_PLAYED;
    int32_t other = GRID_NONE;

    switch (rules_what(w, i, time)) {
    case DEEP_CROSSES:
        rules_cross(w, i);
        deep_enter(w, i);
        return true;
    case DEEP_MEETS:
        if (deep_is_stale(w, i)) {
            deep_renew(w, i);
            return true;
        }
        other = deep_partner(w, i);
        if (q->count > 0 && q->key[q->count - 1] == time && q->who[q->count - 1] == other) {
            q->count--; /* the other entry of this meeting, soon stale */
        }
        outcome = rules_meet(w, i, time);
        break;
    case DEEP_HITS:
        outcome = rules_hit(w, i, time);
        break;
    default:
        return true;
    }

    /* The bodies that took part predict again, unless all have done so. */
    if (outcome == DEEP_PLAYED && other == GRID_NONE) {
        deep_renew(w, i);
    } else if (outcome == DEEP_PLAYED) {
        rules_predict_two(w, i, other);
        deep_enter(w, i);
        deep_enter(w, other);
    }
    return outcome != DEEP_REFUSED;
}

/* ---- the loop ---- */

/* Takes the first of several events of one time. False if its rank has risen since it arrived: then it goes back. */
CAROM_LANE bool deep_take_tie(rules_world *w, int32_t *who)
{
    ties *t = &w->loop.equals;
    const uint64_t stood = t->rank[0];
    *who = t->who[0];
    ties_pop(t);
    const uint64_t rank = rules_rank(w, *who, t->key);
    return rank <= stood || !ties_push(t, rank, *who);
}

/* Plays events before `until`, at most about `most` of them. */
static deep_pause deep_run(rules_world *w, real until, uint64_t most)
{
    queue *q = &w->loop.events;
    ties *t = &w->loop.equals;
    for (uint64_t k = 0; k < most; k++) {
        real time;
        int32_t who;

        /* Ties come first, unless the queue has an earlier event by now. */
        if (t->count != 0 && !(q->count != 0 && q->key[q->count - 1] < t->key)) {
            if (t->key >= until) {
                return DEEP_DONE;
            }
            time = t->key;
            if (!deep_take_tie(w, &who)) {
                continue;
            }
        } else {
            /* At the end of a window fill the next one, with a length from this one's density. */
            const queue_state state = queue_advance(q);
            if (state != QUEUE_READY) {
                if (state == QUEUE_AT_END && q->end >= until) {
                    return DEEP_DONE;
                }
                if (state == QUEUE_AT_END) {
                    queue_tune(q);
                }
                deep_refill(w, state == QUEUE_AT_END ? q->end : w->loop.now);
                continue;
            }

            if (w->loop.fetched <= q->bucket) {
                deep_fetch_ahead(w);
            }

            time = q->key[q->count - 1];
            if (time >= until) {
                return DEEP_DONE;
            }
            if (t->count == 0 && deep_has_ties(w)) {
                if (!deep_gather_ties(w)) {
                    deep_refill(w, w->loop.now);
                }
                continue;
            }
            who = q->who[--q->count];
        }

        if (!rules_passes_time(w, time) || !deep_play(w, who, time)) {
            return DEEP_STOPPED;
        }
    }
    return DEEP_PAUSED;
}

#endif
