/* SPDX-License-Identifier: MIT
 * The deep engine of scenes: one world at a time, by events in order of time; a lane is a pair. Compiled once for every
 * instruction set and precision.
 *
 * A body waits in the queue for the earliest of its meeting, its next wall and the time at which it leaves its cell. An
 * entry of the queue is valid if its key is one of these, and a meeting if the partner has not changed since. After an
 * impact those that took part predict anew; others that waited for one of them find out when their entry comes up,
 * which is in time: whatever they do instead is later. Cells change no record, and so no bit.
 *
 * Cells are as wide as the largest sum of radii that has to be found, and a little more. Bodies that are much larger
 * than the others, and those so fast that a spacing of their coordinates is no longer little, are in no cell: they ask
 * everyone, and everyone asks them.
 *
 * The loop is like that of the gas (deep/kernel.c), of which it shares grid and queue. They are not one template: a gas
 * keeps its queue, its order and its records from one call to the next and has equal disks, so that one line of 64
 * bytes holds all of a body; a scene begins anew every tick, and knows kinds, radii, walls and accelerations.
 */
#include "scenes/deep_play.h"
#include "scenes/deep_setup.h"

#define DEEP_FETCH_LEAST 20000 /* bodies from which on a world is larger than the near caches */

/* ---- the queue ---- */

CAROM_LANE real deep_key(const deep_plan *p)
{
    const real impact = p->meeting < p->wall ? p->meeting : p->wall;
    return impact < p->leaves ? impact : p->leaves;
}

/* A new window from `begin` on. */
static void deep_refill(deep_world *w, real begin)
{
    queue *q = &w->events;
    queue_clear(q, begin);
    w->fetched = w->bodies < DEEP_FETCH_LEAST ? UINT32_MAX : 0;
    for (uint32_t i = 0; i < w->bodies; i++) {
        const real key = deep_key(&w->plan[i]);
        if (key <= w->dt && key < q->end) {
            queue_insert(q, key, (int32_t)i);
        }
    }
}

CAROM_LANE void deep_enter(deep_world *w, int32_t i)
{
    queue *q = &w->events;
    const real key = deep_key(&w->plan[i]);
    if (key <= w->dt && key < q->end && !queue_insert(q, key, i)) {
        deep_refill(w, w->now);
    }
}

/* Where the event of body i at `key` stands among those of the same time: 0 if it changes no record. */
static uint64_t deep_rank(const deep_world *w, int32_t i, real key)
{
    const deep_plan *p = &w->plan[i];
    const uint64_t id = (uint64_t)w->body[i].id;
    if (key == p->leaves) {
        return 0;
    }
    if (key == p->meeting) {
        const deep_body *partner = &w->body[p->partner];
        const uint64_t other = (uint64_t)partner->id;
        return partner->changes != p->partner_changes ? 0 : 1 + (id < other ? id << 32 | other : other << 32 | id);
    }
    return key == p->wall ? 1 + (id << 32 | p->wall_id) : 0;
}

/* Brings the first of several events of one time to the end of the agenda. Where they fill it, more of them may wait in
 * the lines of the current bucket. */
static void deep_order_equals(deep_world *w)
{
    queue *q = &w->events;
    const uint32_t last = q->count - 1;
    const real key = q->key[last];
    int32_t *first = &q->who[last];
    uint64_t least = deep_rank(w, *first, key);
    for (uint32_t k = last; least != 0 && k-- > 0 && q->key[k] == key;) {
        const uint64_t rank = deep_rank(w, q->who[k], key);
        if (rank < least) {
            first = &q->who[k];
            least = rank;
        }
    }
    for (queue_line *line = &q->lines[q->bucket]; least != 0 && key == q->horizon;) {
        for (uint32_t k = 0; k < (line->link & 7); k++) {
            const uint64_t rank = line->key[k] == key ? deep_rank(w, line->who[k], key) : UINT64_MAX;
            if (rank < least) {
                first = &line->who[k];
                least = rank;
            }
        }
        if (line->link >> 3 == 0) {
            break;
        }
        line = &q->lines[(line->link >> 3) - 1];
    }
    const int32_t who = *first;
    *first = q->who[last];
    q->who[last] = who;
}

/* A first window in which there are not too many events, by how many cells bodies pass in a tick. */
static real deep_window(const deep_world *w)
{
    real way = 0;
    for (uint32_t i = 0; i < w->bodies; i++) {
        const real cells = deep_way(w, &w->body[i]) / w->cell_width;
        way += cells < 16 ? cells : 16;
    }
    const real each = 1 + way / (real)w->bodies;
    return w->dt * REAL(1.0625) / (each > REAL(1.25) ? each * REAL(0.8) : 1);
}

/* ---- predictions of all ---- */

/* Everyone's cell and plan from `time` on: no event is left that was earlier. */
static void deep_begin(deep_world *w, real time)
{
    const scene_frozen *s = w->scene;
    grid_clear(&w->cells);
    for (uint32_t i = 0; i < w->bodies; i++) {
        deep_body *b = &w->body[i];
        if (b->cell == DEEP_NOWHERE) {
            continue;
        }
        if (!(deep_way(w, b) <= w->far)) {
            deep_take_outside(w, (int32_t)i);
            continue;
        }
        if (time > b->t) {
            const scene_circle c = scene_moved(s, deep_repeat(w, b), v_set1(time));
            b->cell = deep_cell(w, deep_lane0(c.x), deep_lane0(c.y));
        } else if (b->changes != 0) {
            b->cell = deep_cell(w, b->x, b->y);
        }
        grid_insert(&w->cells, b->cell, (int32_t)i);
    }
    w->now = time;
    if (w->simple) {
        deep_plan_meetings(w);
    }
    for (uint32_t i = 0; i < w->bodies; i++) {
        if (!w->simple) {
            deep_plan_meeting(w, (int32_t)i, false);
        }
        deep_plan_wall(w, (int32_t)i, false);
        deep_plan_leaving(w, (int32_t)i);
    }
    deep_refill(w, time);
}

/* ---- events ---- */

/* What those that took part do next. */
static void deep_go_on(deep_world *w, int32_t i, int32_t j)
{
    if (w->scene->advance == CAROM_ADVANCE_ALL) {
        for (uint32_t k = 0; k < w->bodies; k++) {
            deep_body *b = &w->body[k];
            if ((int32_t)k != i && (int32_t)k != j) {
                deep_keep(b, scene_moved(w->scene, deep_repeat(w, b), v_set1(w->now)));
            }
        }
        deep_begin(w, w->now);
        return;
    }
    deep_place(w, i);
    if (j == GRID_NONE) {
        deep_predict(w, i);
        deep_enter(w, i);
        return;
    }
    deep_place(w, j);
    deep_plan_two_meetings(w, i, j);
    deep_plan_wall(w, i, false);
    deep_plan_wall(w, j, false);
    deep_plan_leaving(w, i);
    deep_plan_leaving(w, j);
    deep_enter(w, i);
    deep_enter(w, j);
}

/* Into the next cell; the record stays. */
static void deep_cross(deep_world *w, int32_t i)
{
    deep_body *b = &w->body[i];
    const uint8_t way = w->plan[i].way;
    uint32_t row = grid_row(b->cell), column = grid_column(b->cell);
    grid_remove(&w->cells, b->cell, i);
    row = way == 2 ? row - 1 : way == 3 ? row + 1 : row;
    column = way == 0 ? column - 1 : way == 1 ? column + 1 : column;
    b->cell = grid_name(row, column);
    grid_insert(&w->cells, b->cell, i);
    if (way < 2) {
        deep_look(w, i, row - 1, way == 0 ? column - 1 : column + 1, 3, 1, false);
    } else {
        deep_look(w, i, way == 2 ? row - 1 : row + 1, column - 1, 1, 3, false);
    }
    deep_plan_leaving(w, i);
    deep_enter(w, i);
}

/* Has the world had too many events to play one more? */
CAROM_LANE bool deep_is_over(const deep_world *w, bool passage)
{
    const uint64_t most = w->scene->max_events;
    return passage ? w->passages >= most * SCENE_CROSSINGS : w->impacts >= most;
}

/* The event of body i at `time`; false if it is one too many. */
static bool deep_play(deep_world *w, int32_t i, real time)
{
    const deep_plan *p = &w->plan[i];
    w->now = time > w->now ? time : w->now;
    if (time == p->leaves) {
        deep_cross(w, i);
    } else if (time == p->meeting) {
        const int32_t j = p->partner;
        if (w->body[j].changes != p->partner_changes) {
            deep_predict(w, i);
            deep_enter(w, i);
        } else if (deep_is_over(w, false)) {
            return false;
        } else {
            deep_play_pair(w, i, time);
            deep_go_on(w, i, j);
        }
    } else if (time == p->wall) {
        const bool passage = deep_is_passage(w->scene, p->wall_id);
        if (deep_is_over(w, passage)) {
            return false;
        }
        if (passage) {
            deep_pass(w, i, time);
            w->passages++;
        } else {
            deep_play_wall(w, i, time, false);
        }
        deep_go_on(w, i, GRID_NONE);
    } /* else the entry is out of date */
    return true;
}

/* ---- at the end of the tick: slow bodies ---- */

/* The body with the earliest late event, or GRID_NONE. Its plan says which. */
static int32_t deep_find_late(deep_world *w)
{
    int32_t first = GRID_NONE;
    uint64_t least = 0;
    real time = SCENE_NEVER;
    for (uint32_t i = 0; i < w->bodies; i++) {
        deep_plan *p = &w->plan[i];
        if (!w->scene->slow[w->body[i].id]) {
            continue;
        }
        deep_plan_meeting(w, (int32_t)i, true);
        deep_plan_wall(w, (int32_t)i, true);
        p->leaves = SCENE_NEVER;
        const real key = deep_key(p);
        const uint64_t rank = key < SCENE_NEVER && key <= time ? deep_rank(w, (int32_t)i, key) : 0;
        if (key < time || (rank != 0 && rank < least)) {
            first = (int32_t)i;
            time = key;
            least = rank;
        }
    }
    return first;
}

/* Plays the earliest late event; false if there is none, or it is one too many. */
static bool deep_play_late(deep_world *w, bool *fault)
{
    const int32_t i = w->scene->late ? deep_find_late(w) : GRID_NONE;
    if (i == GRID_NONE) {
        return false;
    }
    const deep_plan *p = &w->plan[i];
    const bool pair = p->meeting <= p->wall;
    const real time = pair ? p->meeting : p->wall;
    if (deep_is_over(w, false)) {
        *fault = true;
        return false;
    }
    if (pair) {
        deep_play_pair(w, i, time);
    } else {
        deep_play_wall(w, i, time, true);
    }
    deep_begin(w, time);
    return true;
}

/* ---- fetching ahead ---- */

#define DEEP_FETCH_AHEAD 3 /* buckets */

/* Large worlds wait for memory, so the buckets to come ask for their lines beforehand, in three steps that lie a bucket
 * apart: the body and its plan; its partner and the places of its nine cells; the bodies there. */
CAROM_LANE void deep_fetch_body(const deep_world *w, int32_t i)
{
    __builtin_prefetch(&w->body[i], 1);
    __builtin_prefetch(&w->plan[i], 1);
}

CAROM_LANE void deep_fetch_places(const deep_world *w, int32_t i)
{
    const uint32_t cell = w->body[i].cell, row = grid_row(cell), column = grid_column(cell);
    if (cell != DEEP_NOWHERE) {
        for (uint32_t r = row - 1; r <= row + 1; r++) {
            __builtin_prefetch(grid_at(&w->cells, r, column), 1);
        }
    }
    if (w->plan[i].meeting < SCENE_NEVER) {
        deep_fetch_body(w, w->plan[i].partner);
    }
}

CAROM_LANE void deep_fetch_around(const deep_world *w, int32_t i)
{
    const uint32_t cell = w->body[i].cell;
    int32_t list[DEEP_NEAR + DEEP_SPARE];
    uint32_t n = 0;
    for (uint32_t r = 0; cell != DEEP_NOWHERE && r < 3; r++) {
        n += i_pack16(list + n, grid_at(&w->cells, grid_row(cell) + r - 1, grid_column(cell) - 1), 3 * GRID_PLACES, i);
    }
    for (uint32_t k = 0; k < n; k++) {
        __builtin_prefetch(&w->body[list[k]], 0);
    }
}

CAROM_LANE void deep_fetch_neighbours(const deep_world *w, int32_t i)
{
    deep_fetch_around(w, i);
    if (w->plan[i].meeting < SCENE_NEVER) {
        deep_fetch_around(w, w->plan[i].partner);
    }
}

static void deep_fetch(deep_world *w)
{
    const queue *q = &w->events;
    const uint32_t b = q->bucket;
    w->fetched = b + 1;
    if (b + DEEP_FETCH_AHEAD < q->buckets) {
        QUEUE_EACH(q, b + 3, who, deep_fetch_body(w, who))
        QUEUE_EACH(q, b + 2, who, deep_fetch_places(w, who))
        QUEUE_EACH(q, b + 1, who, deep_fetch_neighbours(w, who))
    }
}

/* ---- the loop ---- */

/* Plays a tick; false after a fault. */
static bool deep_run(deep_world *w)
{
    queue *q = &w->events;
    bool fault = false;
    for (;;) {
        const queue_state state = queue_advance(q);
        if (state == QUEUE_AT_END) {
            if (q->end <= w->dt) {
                queue_tune(q);
                deep_refill(w, q->end);
            } else if (!deep_play_late(w, &fault)) {
                return !fault;
            }
            continue;
        }
        if (state == QUEUE_FULL) {
            deep_refill(w, w->now);
            continue;
        }
        if (w->fetched <= q->bucket) {
            deep_fetch(w);
        }
        if (q->count > 1 ? q->key[q->count - 2] == q->key[q->count - 1] : q->key[0] == q->horizon) {
            deep_order_equals(w);
        }
        const real time = q->key[q->count - 1];
        const int32_t i = q->who[q->count - 1];
        q->count--;
        if (!deep_play(w, i, time)) {
            return false;
        }
    }
}

static void deep_play_world(deep_world *w, unsigned lane)
{
    scene_tick *k = w->tick;
    bool done = true;
    w->lane = lane;
    deep_setup(w);
    if (w->bodies > 0) {
        queue_create(&w->events, w->events.lines, w->bodies);
        w->events.last = w->dt;
        w->events.length = deep_window(w);
        deep_begin(w, 0);
        done = deep_run(w);
    }
    if (done) {
        deep_copy_out(w);
    }
    k->impacts[lane] = w->impacts;
    k->sensed[lane] = w->sensed;
    k->watched_impacts[lane] = w->watched;
    k->fault[lane] = done ? 0 : CAROM_FAULT_EVENTS;
}

static size_t deep_scratch_bytes(const scene_frozen *s)
{
    return deep_layout_of(s).end;
}

static size_t deep_tiles(const scene_frozen *s)
{
    (void)s;
    return 1;
}

static void deep_tick(scene_tick *ticks, size_t count)
{
    for (scene_tick *k = ticks; k < ticks + count; k++) {
        deep_world *w = deep_create(k);
        deep_enclose_all(w);
        for (unsigned lane = 0; lane < CAROM_TILE; lane++) {
            if ((k->worlds >> lane & 1) != 0) {
                deep_play_world(w, lane);
            }
        }
    }
}

CAROM_EXTERN const scene_engine CAROM_KERNEL(scene_deep);
const scene_engine CAROM_KERNEL(scene_deep) = {deep_scratch_bytes, deep_tiles, deep_tick};
