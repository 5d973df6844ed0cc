/* SPDX-License-Identifier: MIT
 * The deep engine of scenes: one world at a time, by events in order of time, with a pair in each lane. The loop is in
 * deep/loop.h. Compiled once for every instruction set and precision.
 *
 * Cells are a little wider than two bodies that touch are apart. Bodies much larger than the others are in no cell, and
 * neither are those so fast that the spacing of coordinates on their way matters: they are tested against all others.
 */
#include "scenes/deep_settle.h"
#include "scenes/deep_setup.h"

/* ---- the functions that deep/loop.h needs: see there ---- */

CAROM_LANE real deep_key(const deep_world *w, int32_t i)
{
    const deep_plan *p = &w->plan[i];
    const real impact = p->meeting < p->wall ? p->meeting : p->wall;
    return impact < p->leaves ? impact : p->leaves;
}

CAROM_LANE deep_next deep_what(const deep_world *w, int32_t i, real time)
{
    const deep_plan *p = &w->plan[i];
    return time == p->leaves    ? DEEP_CROSSES
           : time == p->meeting ? DEEP_MEETS
           : time == p->wall    ? DEEP_HITS
                                : DEEP_IS_PAST;
}

CAROM_LANE int32_t deep_partner(const deep_world *w, int32_t i)
{
    return w->plan[i].meeting < SCENE_NEVER ? w->plan[i].partner : GRID_NONE;
}

CAROM_LANE bool deep_is_stale(const deep_world *w, int32_t i)
{
    return w->body[w->plan[i].partner].changes != w->plan[i].partner_changes;
}

static uint64_t deep_rank(const deep_world *w, int32_t i, real key)
{
    const deep_plan *p = &w->plan[i];
    const uint64_t id = (uint64_t)w->body[i].id;
    uint64_t other;

    switch (deep_what(w, i, key)) {
    case DEEP_MEETS:
        other = (uint64_t)w->body[p->partner].id;
        return deep_is_stale(w, i) ? 0 : 1 + (id < other ? id << 32 | other : other << 32 | id);
    case DEEP_HITS:
        return 1 + (id << 32 | p->wall_id);
    default:
        return 0;
    }
}

/* Has the world had as many events as it may? */
CAROM_LANE bool deep_is_over(const deep_world *w, bool passage)
{
    return passage ? w->passages >= w->scene->max_crossings : w->impacts >= w->scene->max_events;
}

/* Moves the bodies of an event into their new cells. Under CAROM_ADVANCE_ALL all others move to its time, too, and
 * predict again. */
static deep_outcome deep_rejoin(deep_world *w, int32_t i, int32_t j)
{
    if (w->scene->advance != CAROM_ADVANCE_ALL) {
        deep_place(w, i);
        if (j != GRID_NONE) {
            deep_place(w, j);
        }
        return DEEP_PLAYED;
    }

    for (uint32_t k = 0; k < w->loop.bodies; k++) {
        deep_body *b = &w->body[k];
        if ((int32_t)k != i && (int32_t)k != j) {
            deep_keep(b, scene_moved(w->scene, deep_repeat(w, b), v_set1(w->loop.now)));
        }
    }
    deep_begin(w, w->loop.now);
    return DEEP_ANEW;
}

/* Does a body strike the side, wall or polygon with this id? No, if one of them is a sensor. */
CAROM_LANE bool deep_wall_strikes(const scene_frozen *s, uint32_t body, uint32_t id)
{
    const uint32_t side = id - s->bodies;
    return side < SCENE_SIDES || s->plain || scene_wall_kind(s, body, side - SCENE_SIDES) == SCENE_STRIKES;
}

CAROM_LANE real deep_wall_restitution(const scene_frozen *s, uint32_t body, uint32_t id)
{
    const uint32_t side = id - s->bodies, which = side - SCENE_SIDES;
    const real its = side < SCENE_SIDES ? s->side_restitution
                     : which < s->walls ? s->wall[which].restitution
                                        : s->polygon[which - s->walls].restitution;
    return s->restitution[body] * its;
}

/* After a settling: deep_settle() has predicted all events that changed, unless it was cancelled half-way. */
CAROM_LANE deep_outcome deep_settled_outcome(const deep_world *w)
{
    return w->cancelled ? DEEP_REFUSED : DEEP_ANEW;
}

static deep_outcome deep_meet(deep_world *w, int32_t i, real time)
{
    const int32_t j = w->plan[i].partner;
    if (deep_is_over(w, false)) {
        return DEEP_REFUSED;
    }

    const uint32_t a = (uint32_t)w->body[i].id, b = (uint32_t)w->body[j].id;
    if ((w->scene->plain || scene_pair_kind(w->scene, a, b) == SCENE_STRIKES) &&
        deep_settles(w, i, j, 0, w->scene->restitution[a] * w->scene->restitution[b], time)) {
        return deep_settled_outcome(w);
    }

    deep_play_pair(w, i, time);
    w->calm = false;
    return deep_rejoin(w, i, j);
}

static deep_outcome deep_hit(deep_world *w, int32_t i, real time)
{
    const bool passage = deep_is_passage(w->scene, w->plan[i].wall_id);
    if (deep_is_over(w, passage)) {
        return DEEP_REFUSED;
    }

    if (passage) {
        deep_pass(w, i, time);
        w->passages++;
    } else {
        const uint32_t id = w->plan[i].wall_id;

        if (deep_wall_strikes(w->scene, (uint32_t)w->body[i].id, id) &&
            deep_settles(w, i, GRID_NONE, id, deep_wall_restitution(w->scene, (uint32_t)w->body[i].id, id), time)) {
            return deep_settled_outcome(w);
        }
        deep_play_wall(w, i, time);
        w->calm = false;
    }
    return deep_rejoin(w, i, GRID_NONE);
}

static void deep_cross(deep_world *w, int32_t i)
{
    const uint8_t way = w->plan[i].way;
    deep_step(w, i, way);
    deep_look_on(w, i, way);
    deep_look_at_walls(w, i);
    deep_plan_leaving(w, i);
}

CAROM_LANE bool deep_passes_time(deep_world *w, real time)
{
    w->loop.now = time > w->loop.now ? time : w->loop.now;
    return true;
}

CAROM_LANE void deep_fetch(const deep_world *w, int32_t i)
{
    __builtin_prefetch(&w->body[i], 1);
    __builtin_prefetch(&w->plan[i], 1);
}

CAROM_LANE void deep_fetch_traits(const deep_world *w, int32_t i)
{
    const int32_t id = w->body[i].id;
    __builtin_prefetch(&w->scene->inverse_mass[id], 0);
    __builtin_prefetch(&w->scene->restitution[id], 0);
}

#include "deep/loop.h"

/* Puts the events of the group that has settled into the queue. */
static void deep_enter_group(deep_world *w)
{
    for (uint32_t k = 0; k < w->group_count; k++) {
        deep_enter(w, w->group[k]);
    }
}

#define DEEP_SAMPLE 256 /* bodies, about */

/* The length of the queue's first window: the tick, or less where a sample of the bodies crosses so many cells that
 * this window would have too many events. */
static real deep_window(const deep_world *w)
{
    const real inverse = 1 / w->cell_width;
    const uint32_t step = w->loop.bodies / DEEP_SAMPLE + 1;
    real way = 0, count = 0;
    for (uint32_t i = 0; i < w->loop.bodies; i += step) {
        const real cells = deep_way(w, &w->body[i]) * inverse;
        way += cells < 16 ? cells : 16;
        count++;
    }
    const real each = 1 + way / count;
    return w->dt * REAL(1.0625) / (each > REAL(1.25) ? each * REAL(0.8) : 1);
}

/* ---- predictions of all ---- */

/* Finds the cells and the next events of all bodies from `time` on. All earlier events must have been played. */
static void deep_begin(deep_world *w, real time)
{
    const scene_frozen *s = w->scene;

    /* Cells. A body that has become too fast for them stays in none for the rest of the tick. */
    grid_clear(&w->loop.cells);
    for (uint32_t i = 0; i < w->loop.bodies; i++) {
        deep_body *b = &w->body[i];
        if (b->cell == DEEP_NOWHERE) {
            continue;
        }
        if (!(deep_way(w, b) <= w->far)) {
            deep_take_outside(w, (int32_t)i);
            continue;
        }

        /* At the tick's start a body that has not changed has its cell from deep_make_bodies(). */
        if (time > b->t) {
            const scene_circle c = scene_moved(s, deep_repeat(w, b), v_set1(time));
            b->cell = deep_cell_at(w, deep_lane0(c.x), deep_lane0(c.y));
        } else if (b->changes != 0) {
            b->cell = deep_cell_at(w, b->x, b->y);
        }
        grid_insert(&w->loop.cells, b->cell, (int32_t)i);
    }

    /* Plans: if possible each pair is tested once, for both of its bodies. */
    w->loop.now = time;
    const bool by_pairs = deep_asks_pairs(w);
    if (by_pairs) {
        deep_plan_meetings(w);
    }
    for (uint32_t i = 0; i < w->loop.bodies; i++) {
        if (i % DEEP_CHUNK == 0 && deep_is_cancelled(w)) {
            return;
        }
        if (!by_pairs) {
            deep_plan_meeting(w, (int32_t)i);
        }
        deep_plan_wall(w, (int32_t)i);
        deep_plan_leaving(w, (int32_t)i);
    }

    deep_refill(w, time);
}

/* ---- the tick ---- */

/* Plays the tick from `time` on; false after a fault, or if it was cancelled. */
static bool deep_play_tick(deep_world *w, real time)
{
    /* Between two looks at the cancel flag. Under CAROM_ADVANCE_ALL each event moves all bodies. */
    const uint64_t most = w->scene->advance == CAROM_ADVANCE_ALL ? 1 : DEEP_CHUNK;

    deep_begin(w, time);
    while (!deep_is_cancelled(w)) {
        const deep_pause pause = deep_run(w, w->loop.last, most);
        if (pause != DEEP_PAUSED) {
            return pause == DEEP_DONE;
        }
    }
    return false;
}

/* Plays one world's tick, or the rest of one that was begun elsewhere (else NULL), from the tile to the tile. */
static void deep_play_world(deep_world *w, const scene_begun *begun)
{
    scene_tick *k = w->tick;
    bool done = true;
    deep_setup(w, begun);

    if (w->loop.bodies > 0) {
        queue_create(&w->loop.events, w->loop.events.lines, w->loop.bodies);
        w->loop.events.last = w->dt;
        w->loop.last = w->dt + w->dt * DEEP_EPSILON; /* an impact at dt itself is part of the tick */
        w->loop.events.length = deep_window(w);
        done = deep_play_tick(w, begun != NULL ? begun->time : 0);
    }

    k->impacts[w->lane] = w->impacts;
    k->sensed[w->lane] = w->sensed;
    k->watched_impacts[w->lane] = w->watched;
    k->fault[w->lane] = done ? deep_copy_out(w) : (uint8_t)CAROM_FAULT_EVENTS;
    k->cancelled = w->cancelled;
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
        if (k->worlds != 0) { /* the tile is one world */
            deep_play_world(deep_create(k, 0, k->scratch), NULL);
        }
    }
}

static void deep_resume(scene_tick *tick, unsigned lane, const scene_begun *begun, void *scratch)
{
    const bool cancelled = tick->cancelled; /* while another lane of the tile was resumed */
    deep_play_world(deep_create(tick, lane, scratch), begun);
    tick->cancelled = tick->cancelled || cancelled;
}

CAROM_EXTERN const scene_engine CAROM_KERNEL(scene_deep);
const scene_engine CAROM_KERNEL(scene_deep) = {deep_scratch_bytes, deep_tiles, deep_tick, deep_resume};
