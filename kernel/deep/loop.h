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
 * through w->loop.equals. An entry stays there with the rank that it had when it came: its body may predict another
 * event in the meantime, but none of a lower rank without a new entry.
 *
 * A rule set is a deep_world with members `deep_loop loop` and body[], whose elements have `cell` (or DEEP_NOWHERE),
 * and these functions, all static, before this file:
 *     real deep_key(w, i)                 when body i has its next event
 *     uint64_t deep_rank(w, i, key)       the order of that event among those of the same time: 0 if it changes no
 *                                         record
 *     deep_next deep_what(w, i, time)     which kind it is
 *     int32_t deep_partner(w, i)          the body that it expects to meet, or GRID_NONE
 *     bool deep_is_stale(w, i)            has the partner changed since?
 *     void deep_predict(w, i)             predicts the next event, from its record on
 *     void deep_predict_two(w, i, j)      likewise for two bodies
 *     void deep_cross(w, i)               moves it into the next cell
 *     deep_outcome deep_meet(w, i, time)  plays its meeting
 *     deep_outcome deep_hit(w, i, time)   plays its contact with something that is not a body
 *     bool deep_passes_time(w, time)      called with the time of each event; false: stop before it
 *     void deep_fetch(w, i)               prefetches the body and its plan
 *     void deep_fetch_traits(w, i)        prefetches what impacts read besides (the mass, say); the record is in cache
 */
#ifndef CAROM_DEEP_LOOP_H
#define CAROM_DEEP_LOOP_H

#include "deep/state.h"

/* ---- entries ---- */

/* Starts a window of the queue at `begin`, with the events of all bodies that lie in it. */
static void deep_refill(deep_world *w, real begin)
{
    deep_loop *l = &w->loop;
    queue *q = &l->events;

    queue_clear(q, begin);
    q->end = q->end < l->last ? q->end : l->last;
    l->fetched = l->bodies < DEEP_LARGE ? UINT32_MAX : 0;
    l->equals.count = 0;

    /* Collect the bodies due in this window without a branch, as the test is unpredictable; then insert them. */
    for (uint32_t i = 0; i < l->bodies;) {
        real keys[DEEP_LINKED + 1];
        int32_t due[DEEP_LINKED + 1];
        uint32_t n = 0;
        for (; i < l->bodies && n < DEEP_LINKED; i++) {
            keys[n] = deep_key(w, (int32_t)i);
            due[n] = (int32_t)i;
            n += keys[n] < q->end;
        }

        for (uint32_t k = 0; k < n; k++) {
            queue_insert(q, keys[k], due[k]);
        }
    }
}

/* Enters a body's next event. If that is later than the window, deep_refill() will. */
CAROM_LANE void deep_enter(deep_world *w, int32_t i)
{
    queue *q = &w->loop.events;
    ties *t = &w->loop.equals;
    const real key = deep_key(w, i);
    if (key < q->end) {
        const bool fits =
            t->count != 0 && key == t->key ? ties_push(t, deep_rank(w, i, key), i) : queue_insert(q, key, i);
        if (!fits) {
            deep_refill(w, w->loop.now);
        }
    }
}

/* Moves all events of the earliest time from the queue to the ties. False if there is no room, as entries that are out
 * of date take some. */
static bool deep_gather_ties(deep_world *w)
{
    queue *q = &w->loop.events;
    ties *t = &w->loop.equals;
    const real key = q->key[q->count - 1];
    bool fits = true;

    t->key = key;
    for (; q->count > 0 && q->key[q->count - 1] == key; q->count--) {
        const int32_t who = q->who[q->count - 1];
        fits = ties_push(t, deep_rank(w, who, key), who) && fits;
    }

    /* A full agenda may have left more of them in the lines of the current bucket. The other entries there close up. */
    for (queue_line *line = &q->lines[q->bucket]; key == q->horizon;) {
        const uint32_t used = line->link & 7, next = line->link >> 3;
        line->link = next << 3;
        for (uint32_t k = 0; k < used; k++) {
            if (line->key[k] == key) {
                fits = ties_push(t, deep_rank(w, line->who[k], key), line->who[k]) && fits;
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
CAROM_LANE bool deep_has_ties(const deep_world *w)
{
    const queue *q = &w->loop.events;
    const uint32_t last = q->count - 1;
    const real key = q->key[last];
    if (key == q->horizon) {
        return true; /* more may lie behind the agenda */
    }
    if (last == 0 || q->key[last - 1] != key) {
        return false;
    }

    const int32_t i = q->who[last], j = q->who[last - 1];
    const bool third = last > 1 && q->key[last - 2] == key;
    return third || deep_what(w, i, key) != DEEP_MEETS || deep_what(w, j, key) != DEEP_MEETS ||
           deep_partner(w, i) != j || deep_partner(w, j) != i;
}

/* ---- prefetching ----
 *
 * Large worlds wait for memory. So the bodies of the next three buckets are prefetched, a step for each bucket, as each
 * step needs the results of the one before: the body; then its traits, its partner and the places of its nine cells;
 * then the partner's traits and the bodies on those places. */

CAROM_LANE void deep_fetch_places(const deep_world *w, int32_t i)
{
    const grid *g = &w->loop.cells;
    const uint32_t cell = w->body[i].cell, row = grid_row(cell), column = grid_column(cell);
    const int32_t partner = deep_partner(w, i);
    deep_fetch_traits(w, i);
    if (cell != DEEP_NOWHERE) {
        __builtin_prefetch(grid_at(g, row - 1, column), 0);
        __builtin_prefetch(grid_at(g, row, column), 1);
        __builtin_prefetch(grid_at(g, row + 1, column), 0);
    }
    if (partner != GRID_NONE) {
        deep_fetch(w, partner);
    }
}

CAROM_LANE void deep_fetch_around(const deep_world *w, int32_t i)
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

CAROM_LANE void deep_fetch_neighbours(const deep_world *w, int32_t i)
{
    const int32_t partner = deep_partner(w, i);
    deep_fetch_around(w, i);
    if (partner != GRID_NONE) {
        deep_fetch_traits(w, partner);
        deep_fetch_around(w, partner);
    }
}

static void deep_fetch_ahead(deep_world *w)
{
    const queue *q = &w->loop.events;
    const uint32_t b = q->bucket;
    w->loop.fetched = b + 1;
    if (b + DEEP_FETCH_AHEAD < q->buckets) {
        QUEUE_EACH(q, b + 3, who, deep_fetch(w, who))
        QUEUE_EACH(q, b + 2, who, deep_fetch_places(w, who))
        QUEUE_EACH(q, b + 1, who, deep_fetch_neighbours(w, who))
    }
}

/* ---- events ---- */

CAROM_LANE void deep_renew(deep_world *w, int32_t i)
{
    deep_predict(w, i);
    deep_enter(w, i);
}

/* Plays the event of body i at `time`, if its entry is still valid; false if the event was refused. */
static bool deep_play(deep_world *w, int32_t i, real time)
{
    queue *q = &w->loop.events;
    deep_outcome outcome = DEEP_PLAYED;
    int32_t other = GRID_NONE;

    switch (deep_what(w, i, time)) {
    case DEEP_CROSSES:
        deep_cross(w, i);
        deep_enter(w, i);
        return true;
    case DEEP_MEETS:
        if (deep_is_stale(w, i)) {
            deep_renew(w, i);
            return true;
        }
        other = deep_partner(w, i);
        if (q->count > 0 && q->key[q->count - 1] == time && q->who[q->count - 1] == other) {
            q->count--; /* the other entry of this meeting, soon out of date */
        }
        outcome = deep_meet(w, i, time);
        break;
    case DEEP_HITS:
        outcome = deep_hit(w, i, time);
        break;
    default:
        return true;
    }

    /* The bodies that took part predict again, unless all have done so. */
    if (outcome == DEEP_PLAYED && other == GRID_NONE) {
        deep_renew(w, i);
    } else if (outcome == DEEP_PLAYED) {
        deep_predict_two(w, i, other);
        deep_enter(w, i);
        deep_enter(w, other);
    }
    return outcome != DEEP_REFUSED;
}

/* ---- the loop ---- */

/* Takes the first of several events of one time. False if its rank has risen since it came: then it goes back. */
CAROM_LANE bool deep_take_tie(deep_world *w, int32_t *who)
{
    ties *t = &w->loop.equals;
    const uint64_t stood = t->rank[0];
    *who = t->who[0];
    ties_pop(t);
    const uint64_t rank = deep_rank(w, *who, t->key);
    return rank <= stood || !ties_push(t, rank, *who);
}

/* Plays events before `until`, but about `most` of them at most. */
static deep_pause deep_run(deep_world *w, real until, uint64_t most)
{
    queue *q = &w->loop.events;
    ties *t = &w->loop.equals;
    for (uint64_t k = 0; k < most; k++) {
        real time;
        int32_t who;

        /* Ties come first, unless the queue has something earlier by now. */
        if (t->count != 0 && !(q->count != 0 && q->key[q->count - 1] < t->key)) {
            if (t->key >= until) {
                return DEEP_DONE;
            }
            time = t->key;
            if (!deep_take_tie(w, &who)) {
                continue;
            }
        } else {
            /* At the end of a window the next one is filled, with a length by this one's density. */
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

        if (!deep_passes_time(w, time) || !deep_play(w, who, time)) {
            return DEEP_STOPPED;
        }
    }
    return DEEP_PAUSED;
}

#endif
