/* SPDX-License-Identifier: MIT
 * The deep engine of scenes: one world at a time, by events in order of time, with a pair in each lane. The loop is in
 * deep/loop.h. Compiled once for every instruction set and precision.
 *
 * Cells are slightly wider than the distance of two touching bodies. Bodies much larger than the others are outside the
 * cells, and so are those so fast that the spacing of coordinates along their path matters: they are tested against all
 * others.
 */
#include "scenes/deep_settle.h"
#include "scenes/deep_setup.h"

/* ---- impacts: the response of the one or two bodies that take part ---- */

/* Is the body's last impact less than contact_time ago? */
CAROM_LANE bool deep_rests(const deep_world *w, int32_t i, real time)
{
    return w->body[i].tick == w->now && time - w->plan[i].met < w->scene->contact_time;
}

/* All lanes, or none. */
CAROM_LANE vmask deep_all(bool yes)
{
    return yes ? m_below(LANES) : m_from_bits(0);
}

/* One impact. Records are the same in all lanes. */
typedef struct deep_impact {
    scene_impact seen;           /* for recordings, hooks and rules */
    scene_circle a, b;           /* at the time of impact; b is a copy of a if only one body takes part */
    scene_circle from_a, from_b; /* their records before it */
    scene_normal normal;
    real restitution; /* the product of both */
    bool pair;        /* of two bodies */
    bool senses;      /* a sensor takes part */
    bool elastic;     /* restitution is 1 instead: contact_time */
} deep_impact;

/* Moves a pair, seen in `image`, or a body and wall `which`, apart if they overlap. */
CAROM_LANE void deep_lift(const deep_world *w, deep_impact *e, uint8_t image, uint32_t which)
{
    const scene_frozen *s = w->scene;
    if (e->senses || (e->pair && !s->accelerates)) {
        return;
    }
    if (e->pair) {
        const vreal dt = v_set1(w->dt);
        const vreal rough = scene_rough(s, e->from_a, e->a, dt) + scene_rough(s, e->from_b, e->b, dt);
        scene_lift_apart(&e->a, &e->b, e->normal, v_set1(w->shift_x[image % 3]), v_set1(w->shift_y[image / 3]),
                         v_set1(s->inverse_mass[e->seen.first]), v_set1(s->inverse_mass[e->seen.second]), rough);
    } else {
        real x, y;
        scene_foothold(s, which, (int32_t)e->seen.part, deep_lane0(e->normal.x), deep_lane0(e->normal.y), &x, &y);
        const vreal rough = scene_rough(s, e->from_a, e->a, v_set1(w->dt));
        const real bend = scene_bend(s, e->seen.id, (int32_t)e->seen.part);
        scene_lift_off(s, &e->a, e->normal, v_set1(x), v_set1(y), v_set1(scene_size(s, which)), rough, v_set1(bend));
    }
}

/* Fills in the point of impact and the bodies' velocities, for recordings and hooks. */
static void deep_note_places(deep_impact *e)
{
    scene_impact *seen = &e->seen;
    seen->x1 = deep_lane0(e->a.x), seen->y1 = deep_lane0(e->a.y);
    seen->x2 = deep_lane0(e->b.x), seen->y2 = deep_lane0(e->b.y);
    seen->nx = deep_lane0(e->normal.x), seen->ny = deep_lane0(e->normal.y);
    seen->vx1 = deep_lane0(e->a.vx), seen->vy1 = deep_lane0(e->a.vy);
    seen->vx2 = e->pair ? deep_lane0(e->b.vx) : 0, seen->vy2 = e->pair ? deep_lane0(e->b.vy) : 0;
}

/* Gives the bodies their velocities after the impact; records and counts it. */
CAROM_LANE void deep_respond(deep_world *w, deep_impact *e)
{
    const scene_frozen *s = w->scene;
    scene_impact *seen = &e->seen;

    /* Only a response hook or a recording needs the point. */
    const bool wanted = w->tick->events != NULL || s->desc->response_hook != NULL;
    if (wanted) {
        deep_note_places(e);
    }

    /* A hook gets impacts one at a time: which one comes next depends on its response. */
    seen->impulse = 0;
    if (!e->senses && s->desc->response_hook != NULL) {
        carom_impact asked = scene_question(w->tick, w->lane, seen);
        s->desc->response_hook(s->desc->user, 1, &asked);
        scene_answer(w->tick, w->lane, &asked, seen);
        e->a.vx = v_set1(seen->ux1), e->a.vy = v_set1(seen->uy1);
        e->b.vx = v_set1(seen->ux2), e->b.vy = v_set1(seen->uy2);
    } else if (!e->senses && e->pair) {
        seen->impulse = deep_lane0(scene_collide(s, &e->a, &e->b, e->normal, v_set1(s->inverse_mass[seen->first]),
                                                 v_set1(s->inverse_mass[seen->second]), v_set1(e->restitution),
                                                 deep_all(e->elastic)));
    } else if (!e->senses) {
        const vreal vx = e->a.vx, vy = e->a.vy;
        seen->impulse = deep_lane0(scene_rebound(s, &e->a, e->normal, v_set1(e->restitution), deep_all(e->elastic)));
        if (s->arcs != 0) {
            scene_glide(&e->a, vx, vy, e->normal, v_set1(scene_bend(s, seen->id, (int32_t)seen->part)));
        }
    }

    if (wanted) {
        seen->ux1 = deep_lane0(e->a.vx), seen->uy1 = deep_lane0(e->a.vy);
        seen->ux2 = deep_lane0(e->b.vx), seen->uy2 = deep_lane0(e->b.vy);
        scene_record(w->tick, w->lane, seen);
    }
    deep_tally(w, seen, e->senses);
}

/* Before an impact: a settled body meets others with its velocity at the end of the tick, which is stored apart from
 * its record (step 6 in settle.h). */
CAROM_LANE void deep_take_velocity(const deep_world *w, int32_t i, bool senses, scene_circle *c)
{
    if (w->settled && !senses && w->rest[i].state != DEEP_FREE) {
        c->vx = v_set1(w->rest[i].vx), c->vy = v_set1(w->rest[i].vy);
    }
}

/* After an impact: a settled body's new velocity is both that of its record and that at the end of the tick. */
CAROM_LANE void deep_keep_velocity(deep_world *w, int32_t i, bool senses)
{
    if (w->settled && !senses && w->rest[i].state != DEEP_FREE) {
        w->rest[i].vx = w->body[i].vx, w->rest[i].vy = w->body[i].vy;
    }
}

/* Plays the impact of body i with its partner. Not inlined: in the event loop it costs worlds of 100,000 bodies 4%. */
static __attribute__((noinline)) void deep_play_pair(deep_world *w, int32_t i, real time)
{
    const scene_frozen *s = w->scene;
    deep_plan *p = &w->plan[i];

    /* a is the body with the lower id, whichever of the two has the plan: otherwise results would depend on cells. */
    const bool first = w->body[i].id < w->body[p->meeting.partner].id;
    const int32_t lower = first ? i : p->meeting.partner, higher = first ? p->meeting.partner : i;
    const deep_body *a = &w->body[lower], *b = &w->body[higher];

    deep_impact e;
    e.from_a = deep_repeat(w, a);
    e.from_b = deep_repeat(w, b);
    e.a = scene_moved(s, e.from_a, v_set1(time), v_set1(w->dt));
    e.b = scene_moved(s, e.from_b, v_set1(time), v_set1(w->dt));
    e.normal = scene_normal_of(e.a, e.b, v_set1(w->shift_x[p->image % 3]), v_set1(w->shift_y[p->image / 3]));
    e.restitution = w->calm ? 0 : s->restitution[a->id] * s->restitution[b->id];
    e.pair = true;
    e.senses = !s->plain && (s->sensor[a->id] != 0 || s->sensor[b->id] != 0);
    e.elastic = !w->calm && (deep_rests(w, i, time) || deep_rests(w, p->meeting.partner, time));
    deep_take_velocity(w, lower, e.senses, &e.a);
    deep_take_velocity(w, higher, e.senses, &e.b);

    __builtin_memset(&e.seen, 0, sizeof e.seen); /* deep_respond() fills in the wanted fields */
    e.seen.time = time;
    e.seen.first = (uint32_t)a->id;
    scene_impact_with(s, &e.seen, (uint32_t)b->id);

    deep_lift(w, &e, p->image, 0);
    deep_respond(w, &e);

    deep_keep(w, lower, e.a);
    deep_keep(w, higher, e.b);
    deep_keep_velocity(w, lower, e.senses);
    deep_keep_velocity(w, higher, e.senses);
    w->plan[lower].last = b->id;
    w->plan[higher].last = a->id;
    p->met = w->plan[p->meeting.partner].met = time;
}

/* Puts a centre exactly on one of the four sides. A body that leaves a periodic box enters at the opposite side. */
CAROM_LANE void deep_put_at_side(const scene_frozen *s, scene_circle *c, uint32_t side)
{
    const carom_scene_sides sides = scene_sides_of(s, side);
    const bool low = (side % 2 == 0) == (sides == CAROM_SIDES_SOLID);
    if (side < 2) {
        c->x = low ? scene_low(sides, s->x0, c->r) : scene_high(sides, s->x1, c->r);
    } else {
        c->y = low ? scene_low(sides, s->y0, c->r) : scene_high(sides, s->y1, c->r);
    }
}

/* Body i crosses a side of a periodic box: no impact. */
static void deep_pass(deep_world *w, int32_t i, real time)
{
    const scene_frozen *s = w->scene;
    scene_circle c = deep_moved(w, i, time);
    deep_put_at_side(s, &c, w->plan[i].wall_id - s->bodies);
    deep_keep(w, i, c);
}

/* Plays the impact of body i with a side, a wall or a polygon. */
static void deep_play_wall(deep_world *w, int32_t i, real time)
{
    const scene_frozen *s = w->scene;
    const deep_body *b = &w->body[i];
    const uint32_t id = w->plan[i].wall_id, side = id - s->bodies, which = side - SCENE_SIDES;
    const scene_circle from = deep_repeat(w, b);

    deep_impact e;
    e.from_a = e.from_b = from;
    e.a = e.b = scene_moved(s, from, v_set1(time), v_set1(w->dt));
    e.pair = false;
    e.elastic = !w->calm && deep_rests(w, i, time);
    __builtin_memset(&e.seen, 0, sizeof e.seen); /* deep_respond() fills in the wanted fields */
    e.seen.time = time;
    e.seen.first = (uint32_t)b->id;
    scene_impact_with(s, &e.seen, id);

    /* A plan keeps only the time and the id of a contact: recompute its normal by the same function. */
    if (side < SCENE_SIDES) {
        deep_put_at_side(s, &e.a, side);
        real nx, ny;
        scene_side_normal(side, &nx, &ny);
        e.normal.x = v_set1(nx);
        e.normal.y = v_set1(ny);
        e.senses = false;
    } else {
        const scene_kind kind = scene_wall_kind(s, (uint32_t)b->id, which);
        int32_t feature[LANES];
        e.senses = kind == SCENE_SENSES;

        const scene_contact hit = deep_contact(w, from, which, kind);
        i_compress(feature, m_below(LANES), hit.feature);
        e.normal.x = hit.nx;
        e.normal.y = hit.ny;
        e.seen.part = (uint32_t)feature[0];
        deep_lift(w, &e, 0, which);
    }

    e.restitution = w->calm ? 0 : s->restitution[b->id] * scene_restitution_of(s, id);
    deep_take_velocity(w, i, e.senses, &e.a);
    deep_respond(w, &e);

    deep_keep(w, i, e.a);
    deep_keep_velocity(w, i, e.senses);
    w->plan[i].last = (int32_t)id;
    w->plan[i].met = time;
}

/* ---- what deep/loop.h requires of a rule set ---- */

CAROM_LANE deep_meeting *rules_meeting(const deep_world *w, int32_t i)
{
    return &w->plan[i].meeting;
}

CAROM_LANE real rules_key(const deep_world *w, int32_t i)
{
    const deep_plan *p = &w->plan[i];
    const real meets = deep_if_now(w, p->meets_in, p->meeting.time), hits = deep_if_now(w, p->hits_in, p->wall);
    const real leaves = deep_if_now(w, p->leaves_in, p->leaves), impact = meets < hits ? meets : hits;
    return impact < leaves ? impact : leaves;
}

/* The bodies due in this tick. */
CAROM_LANE uint32_t rules_due(const deep_world *w, uint32_t from, uint32_t to, int32_t *who)
{
    const vint now = i_set1(w->now);
    uint32_t n = 0;
    int32_t numbers[LANES];
    for (uint32_t l = 0; l < LANES; l++) {
        numbers[l] = (int32_t)(from + l);
    }
    vint bodies = i_loadu32(numbers);
    for (uint32_t i = from; i < to; i += LANES) {
        const vmask due = m_andnot(m_below(to - i), i_gt(i_loadu32(w->due + i), now));
        if (m_any(due)) {
            i_compress(who + n, due, bodies);
            n += (uint32_t)__builtin_popcount(m_bits(due));
        }
        bodies = i_add(bodies, i_set1(LANES));
    }
    return n;
}

/* The number of bodies due in this tick. */
static uint32_t deep_count_due(const deep_world *w)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < w->loop.bodies; i++) {
        n += w->due[i] <= w->now;
    }
    return n;
}

/* A tick in which few bodies have events has a small queue: then these events are most of its cost. */
static void rules_fit(deep_world *w)
{
    queue *q = &w->loop.events;
    if (w->queue_for == w->loop.bodies) {
        return;
    }
    const uint32_t due = deep_count_due(w);
    if (due > w->queue_for || w->queue_for == 0) {
        const real length = q->length;
        const uint32_t room = due + due / 2 + 64;
        w->queue_for = room < w->loop.bodies ? room : w->loop.bodies;
        queue_create(q, q->lines, w->queue_for);
        q->length = length;
    }
}

CAROM_LANE deep_next rules_what(const deep_world *w, int32_t i, real time)
{
    const deep_plan *p = &w->plan[i];
    return time == p->leaves && p->leaves_in == w->now        ? DEEP_CROSSES
           : time == p->meeting.time && p->meets_in == w->now ? DEEP_MEETS
           : time == p->wall && p->hits_in == w->now          ? DEEP_HITS
                                                              : DEEP_IS_PAST;
}

static uint64_t rules_rank(const deep_world *w, int32_t i, real key)
{
    const deep_plan *p = &w->plan[i];
    const uint64_t id = (uint64_t)w->body[i].id;
    uint64_t other;

    switch (rules_what(w, i, key)) {
    case DEEP_MEETS:
        other = (uint64_t)w->body[p->meeting.partner].id;
        return deep_is_stale(w, i) ? 0 : 1 + (id < other ? id << 32 | other : other << 32 | id);
    case DEEP_HITS:
        return 1 + (id << 32 | p->wall_id);
    default:
        return 0;
    }
}

/* Has the world reached its limit of events? */
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
        if ((int32_t)k != i && (int32_t)k != j) {
            deep_keep(w, (int32_t)k, deep_moved(w, (int32_t)k, w->loop.now));
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

/* After a settling: deep_settle() has predicted all events that changed, unless it was cancelled part-way. */
CAROM_LANE deep_outcome deep_settled_outcome(const deep_world *w)
{
    return w->cancelled ? DEEP_REFUSED : DEEP_ANEW;
}

static deep_outcome rules_meet(deep_world *w, int32_t i, real time)
{
    const int32_t j = w->plan[i].meeting.partner;
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

static deep_outcome rules_hit(deep_world *w, int32_t i, real time)
{
    const bool passage = scene_is_passage(w->scene, w->plan[i].wall_id);
    if (deep_is_over(w, passage)) {
        return DEEP_REFUSED;
    }

    if (passage) {
        deep_pass(w, i, time);
        w->passages++;
    } else {
        const uint32_t id = w->plan[i].wall_id;

        const uint32_t body = (uint32_t)w->body[i].id;
        if (deep_wall_strikes(w->scene, body, id) &&
            deep_settles(w, i, GRID_NONE, id, w->scene->restitution[body] * scene_restitution_of(w->scene, id), time)) {
            return deep_settled_outcome(w);
        }
        deep_play_wall(w, i, time);
        w->calm = false;
    }
    return deep_rejoin(w, i, GRID_NONE);
}

static void rules_cross(deep_world *w, int32_t i)
{
    const uint8_t way = w->plan[i].way;
    deep_step(w, i, way);
    deep_look_on(w, i, way);
    deep_look_at_walls(w, i);
    deep_plan_leaving(w, i);
}

CAROM_LANE bool rules_passes_time(deep_world *w, real time)
{
    w->loop.now = time > w->loop.now ? time : w->loop.now;
    w->played++;
    return true;
}

CAROM_LANE void rules_fetch(const deep_world *w, int32_t i)
{
    __builtin_prefetch(&w->body[i], 1);
    __builtin_prefetch(&w->plan[i], 1);
}

CAROM_LANE void rules_fetch_traits(const deep_world *w, int32_t i)
{
    const int32_t id = w->body[i].id;
    __builtin_prefetch(&w->scene->inverse_mass[id], 0);
    __builtin_prefetch(&w->scene->restitution[id], 0);
}

/* Puts the events of the group that has settled into the queue. */
static void deep_enter_group(deep_world *w)
{
    for (uint32_t k = 0; k < w->group_count; k++) {
        deep_enter(w, w->group[k]);
    }
}

#define DEEP_SAMPLE 256 /* bodies, about */

/* The length of the queue's first window: the tick, or less if by a sample of the bodies this window would have too
 * many events, as bodies cross many cells. */
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
    /* Cells. A body that has become too fast for them stays outside for the rest of the tick. */
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
        if (time > 0 && (time > b->t || b->tick != w->now)) {
            const scene_circle c = deep_moved(w, (int32_t)i, time);
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

/* Plays the events of the tick, all of which are predicted; false after a fault, or if it was cancelled. */
static bool deep_play_tick(deep_world *w)
{
    /* Between two checks of the cancel flag. Under CAROM_ADVANCE_ALL each event moves all bodies. */
    const uint64_t most = w->scene->advance == CAROM_ADVANCE_ALL ? 1 : DEEP_CHUNK;

    while (!deep_is_cancelled(w)) {
        const deep_pause pause = deep_run(w, w->loop.last, most);
        if (pause != DEEP_PAUSED) {
            return pause == DEEP_DONE;
        }
    }
    return false;
}

/* ---- from tick to tick ---- */

#define DEEP_EVENTS 32 /* of each body, after which the world is set up again */

/* Returns a world that lives on to the start of the tick, and writes that to the tile. */
static void deep_roll_back(deep_world *w)
{
    while (w->undo_count > 0) {
        const deep_undo *u = &w->undo[--w->undo_count];
        deep_body *b = &w->body[u->body];
        b->x = u->x, b->y = u->y, b->vx = u->vx, b->vy = u->vy, b->t = u->t;
        b->tick = u->tick;
    }
    w->settled = false;
    w->now--;
    (void)deep_copy_out(w);
}

/* Starts new records for the bodies whose records end with this tick. */
static void deep_renew_records(deep_world *w)
{
    const scene_frozen *s = w->scene;
    for (int32_t i = 0; i < (int32_t)w->loop.bodies; i++) {
        if (w->due[i] > w->now || w->renew[i] > w->now) {
            continue;
        }
        scene_circle c = deep_moved(w, i, 0);
        c.x = s->horizontal == CAROM_SIDES_PERIODIC ? scene_clamped(c.x, s->x0, s->x1) : c.x;
        c.y = s->vertical == CAROM_SIDES_PERIODIC ? scene_clamped(c.y, s->y0, s->y1) : c.y;
        deep_keep(w, i, c);
        deep_place(w, i);
        rules_predict(w, i);
    }
}

/* Continues a world that lives: visits only what is due in this tick. */
static bool deep_go_on(deep_world *w)
{
    queue *q = &w->loop.events;
    w->now++;
    w->loop.now = 0;
    w->cancelled = w->counts = w->settled = w->calm = false;
    deep_count_from_zero(w);
    if (w->scene->accelerates) {
        deep_renew_records(w);
    }

    /* The window is the whole tick, or less if the last one had many events. */
    w->queue_for = 0;
    rules_fit(w);
    const real room = (real)q->buckets * QUEUE_DENSITY, events = (real)w->played;
    q->length = w->dt * REAL(1.0625) * (events > room ? room / events : 1);
    w->played = 0;
    deep_refill(w, 0);
    return deep_play_tick(w);
}

/* May the world live on after this tick? */
static bool deep_lives(deep_world *w)
{
    w->lived += w->played;
    return w->tick->behind && !w->settled && !w->leaves_box && w->now + 1 < w->until &&
           w->lived < (uint64_t)DEEP_EVENTS * w->loop.bodies;
}

/* Writes the end of the tick to the tile, unless the world lives on. went_on: it was alive before, too. */
static void deep_end_tick(deep_world *w, bool done, bool went_on)
{
    scene_tick *k = w->tick;
    k->impacts[w->lane] = w->impacts;
    k->sensed[w->lane] = w->sensed;
    k->watched_impacts[w->lane] = w->watched;
    k->cancelled = w->cancelled;
    k->fault[w->lane] = done ? 0 : (uint8_t)CAROM_FAULT_EVENTS;

    w->alive = done && deep_lives(w);
    if (done && !w->alive) {
        k->fault[w->lane] = deep_copy_out(w);
        done = k->fault[w->lane] == 0;
    }
    if (!done && went_on) {
        deep_roll_back(w);
    }
}

/* Plays one world's tick, or the rest of one that was begun elsewhere (otherwise NULL), from the tile to the tile. */
static void deep_play_world(deep_world *w, const scene_begun *begun)
{
    bool done = true;
    deep_setup(w, begun);

    if (w->loop.bodies > 0) {
        queue_create(&w->loop.events, w->loop.events.lines, w->loop.bodies);
        w->queue_for = w->loop.bodies;
        w->loop.events.last = w->dt;
        w->loop.last = w->dt + w->dt * DEEP_EPSILON; /* an impact at dt itself is part of the tick */
        w->loop.events.length = deep_window(w);
        deep_begin(w, begun != NULL ? begun->time : 0);
        done = deep_play_tick(w);
    }
    deep_end_tick(w, done, false);
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
        deep_world *w = (deep_world *)k->scratch;
        const scene_frozen *shared = k->scene;
        if (k->worlds != 0 && k->again && w->alive) { /* the tile is one world */
            w->tick = k;
            k->scene = w->scene;
            deep_end_tick(w, deep_go_on(w), true);
        } else if (k->worlds != 0) {
            deep_play_world(deep_create(k, 0, k->scratch), NULL);
        }
        k->scene = shared;
    }
}

static void deep_catch_up(scene_tick *tick)
{
    deep_world *w = (deep_world *)tick->scratch;
    if (w->alive) {
        w->tick = tick;
        w->alive = false;
        (void)deep_copy_out(w);
    }
}

static void deep_resume(scene_tick *tick, unsigned lane, const scene_begun *begun, void *scratch)
{
    const bool cancelled = tick->cancelled; /* while another lane of the tile was resumed */
    const scene_frozen *shared = tick->scene;
    deep_play_world(deep_create(tick, lane, scratch), begun);
    tick->scene = shared;
    tick->cancelled = tick->cancelled || cancelled;
}

CAROM_EXTERN const scene_engine CAROM_KERNEL(scene_deep);
const scene_engine CAROM_KERNEL(scene_deep) = {deep_scratch_bytes, deep_tiles, deep_tick, deep_resume, deep_catch_up};
