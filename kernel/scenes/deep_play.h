/* SPDX-License-Identifier: MIT
 * Impacts of the deep engine: the response of the one or two bodies that take part.
 */
#ifndef CAROM_SCENES_DEEP_PLAY_H
#define CAROM_SCENES_DEEP_PLAY_H

#include "scenes/deep_find.h"

/* Is the body's last impact less than contact_time ago? */
CAROM_LANE bool deep_rests(const deep_world *w, int32_t i, real time)
{
    return time - w->plan[i].met < w->scene->contact_time;
}

/* All lanes, or none. */
CAROM_LANE vmask deep_all(bool yes)
{
    return yes ? m_below(LANES) : m_from_bits(0);
}

/* One impact. Records are the same in all lanes. */
typedef struct deep_impact {
    scene_impact seen; /* for recordings, hooks and rules */
    scene_circle a, b; /* at the time of impact; b is a copy of a if only one body takes part */
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
        scene_lift_apart(s, &e->a, &e->b, e->normal, v_set1(w->shift_x[image % 3]), v_set1(w->shift_y[image / 3]),
                         v_set1(s->inverse_mass[e->seen.first]), v_set1(s->inverse_mass[e->seen.second]), w->dt);
    } else {
        real x, y;
        scene_foothold(s, which, (int32_t)e->seen.part, &x, &y);
        scene_lift_off(s, &e->a, e->normal, v_set1(x), v_set1(y), v_set1(scene_size(s, which)), w->dt);
    }
}

/* Fills in where the impact is, for recordings and hooks. */
static void deep_note_places(deep_impact *e)
{
    scene_impact *seen = &e->seen;
    seen->x1 = deep_lane0(e->a.x), seen->y1 = deep_lane0(e->a.y);
    seen->x2 = deep_lane0(e->b.x), seen->y2 = deep_lane0(e->b.y);
    seen->nx = deep_lane0(e->normal.x), seen->ny = deep_lane0(e->normal.y);
}

/* The id of whatever the first body meets. */
CAROM_LANE uint32_t deep_id_of(const scene_frozen *s, const scene_impact *seen)
{
    switch (seen->kind) {
    case CAROM_IMPACT_SIDE:
        return scene_side_id(s, seen->second);
    case CAROM_IMPACT_WALL:
        return scene_wall_id(s, seen->second);
    case CAROM_IMPACT_POLYGON:
        return scene_polygon_id(s, seen->second);
    default:
        return seen->second;
    }
}

/* Counts an impact, also for the scene's rules. */
CAROM_LANE void deep_tally(deep_world *w, const scene_impact *seen, bool senses)
{
    const scene_tick *k = w->tick;
    const bool pair = seen->kind == CAROM_IMPACT_BODY;
    w->impacts++;
    w->sensed += senses;
    w->watched += seen->first == k->watched || (pair && seen->second == k->watched);
    if (k->met != NULL) {
        scene_count_meeting(k, w->lane, seen->first, deep_id_of(w->scene, seen), senses);
    }
}

/* Gives the bodies their velocities after the impact; records and counts it. */
CAROM_LANE void deep_respond(deep_world *w, deep_impact *e)
{
    const scene_frozen *s = w->scene;
    scene_impact *seen = &e->seen;

    /* Without a response hook or a recording nobody reads where it was. */
    const bool wanted = w->tick->events != NULL || s->desc->response_hook != NULL;
    if (wanted) {
        deep_note_places(e);
    }

    /* A hook gets impacts one at a time: which one comes next depends on its response. */
    seen->impulse = 0;
    if (!e->senses && s->desc->response_hook != NULL) {
        seen->vx1 = deep_lane0(e->a.vx), seen->vy1 = deep_lane0(e->a.vy);
        seen->vx2 = e->pair ? deep_lane0(e->b.vx) : 0, seen->vy2 = e->pair ? deep_lane0(e->b.vy) : 0;
        carom_impact asked = scene_question(w->tick, w->lane, seen);
        s->desc->response_hook(s->desc->user, 1, &asked);
        scene_answer(s, &asked, seen);
        e->a.vx = v_set1(seen->vx1), e->a.vy = v_set1(seen->vy1);
        e->b.vx = v_set1(seen->vx2), e->b.vy = v_set1(seen->vy2);
    } else if (!e->senses && e->pair) {
        seen->impulse = deep_lane0(scene_collide(s, &e->a, &e->b, e->normal, v_set1(s->inverse_mass[seen->first]),
                                                 v_set1(s->inverse_mass[seen->second]), v_set1(e->restitution),
                                                 deep_all(e->elastic)));
    } else if (!e->senses) {
        seen->impulse = deep_lane0(scene_rebound(s, &e->a, e->normal, v_set1(e->restitution), deep_all(e->elastic)));
    }

    if (wanted) {
        scene_record(w->tick, w->lane, seen);
    }
    deep_tally(w, seen, e->senses);
}

/* Before an impact: a settled body meets others with the velocity of the end of the tick, which lies beside its record
 * (step 6 of "Settling" in carom/scene.h). */
CAROM_LANE void deep_take_velocity(const deep_world *w, int32_t i, bool senses, scene_circle *c)
{
    if (w->settled && !senses && w->rest[i].state != DEEP_FREE) {
        c->vx = v_set1(w->rest[i].vx), c->vy = v_set1(w->rest[i].vy);
    }
}

/* After an impact: a settled body's new velocity is both that of its record and that of the end of the tick. */
CAROM_LANE void deep_keep_velocity(deep_world *w, int32_t i, bool senses)
{
    if (w->settled && !senses && w->rest[i].state != DEEP_FREE) {
        w->rest[i].vx = w->body[i].vx, w->rest[i].vy = w->body[i].vy;
    }
}

/* Plays the impact of body i with its partner. */
static void deep_play_pair(deep_world *w, int32_t i, real time)
{
    const scene_frozen *s = w->scene;
    deep_plan *p = &w->plan[i];

    /* a is the body with the lower id, whichever of the two has the plan: else results would depend on cells. */
    const bool first = w->body[i].id < w->body[p->partner].id;
    const int32_t lower = first ? i : p->partner, higher = first ? p->partner : i;
    deep_body *a = &w->body[lower], *b = &w->body[higher];

    deep_impact e;
    e.a = scene_moved(s, deep_repeat(w, a), v_set1(time));
    e.b = scene_moved(s, deep_repeat(w, b), v_set1(time));
    e.normal = scene_normal_of(e.a, e.b, v_set1(w->shift_x[p->image % 3]), v_set1(w->shift_y[p->image / 3]));
    e.restitution = w->calm ? 0 : s->restitution[a->id] * s->restitution[b->id];
    e.pair = true;
    e.senses = !s->plain && (s->sensor[a->id] != 0 || s->sensor[b->id] != 0);
    e.elastic = !w->calm && (deep_rests(w, i, time) || deep_rests(w, p->partner, time));
    deep_take_velocity(w, lower, e.senses, &e.a);
    deep_take_velocity(w, higher, e.senses, &e.b);

    e.seen.time = time;
    e.seen.kind = CAROM_IMPACT_BODY;
    e.seen.first = (uint32_t)a->id;
    e.seen.second = (uint32_t)b->id;
    e.seen.part = 0;
    e.seen.x1 = e.seen.y1 = e.seen.nx = e.seen.ny = 0; /* deep_respond() fills them in if they are wanted */

    deep_lift(w, &e, p->image, 0);
    deep_respond(w, &e);

    deep_keep(a, e.a);
    deep_keep(b, e.b);
    deep_keep_velocity(w, lower, e.senses);
    deep_keep_velocity(w, higher, e.senses);
    a->last = b->id;
    b->last = a->id;
    p->met = w->plan[p->partner].met = time;
}

/* Puts a centre exactly at one of the four sides. A body that leaves a periodic box comes in at the opposite side. */
CAROM_LANE void deep_put_at_side(const scene_frozen *s, scene_circle *c, uint32_t side)
{
    const carom_scene_sides sides = side < 2 ? s->horizontal : s->vertical;
    const bool low = (side % 2 == 0) == (sides == CAROM_SIDES_SOLID);
    if (side < 2) {
        c->x = low ? scene_low(sides, s->x0, c->r) : scene_high(sides, s->x1, c->r);
    } else {
        c->y = low ? scene_low(sides, s->y0, c->r) : scene_high(sides, s->y1, c->r);
    }
}

/* Is this the id of a periodic side? */
CAROM_LANE bool deep_is_passage(const scene_frozen *s, uint32_t wall_id)
{
    const uint32_t side = wall_id - s->bodies;
    return side < SCENE_SIDES && (side < 2 ? s->horizontal : s->vertical) == CAROM_SIDES_PERIODIC;
}

/* Body i passes a side of a periodic box: no impact. */
static void deep_pass(deep_world *w, int32_t i, real time)
{
    const scene_frozen *s = w->scene;
    scene_circle c = scene_moved(s, deep_repeat(w, &w->body[i]), v_set1(time));
    deep_put_at_side(s, &c, w->plan[i].wall_id - s->bodies);
    deep_keep(&w->body[i], c);
}

/* Plays the impact of body i with a side, a wall or a polygon. */
static void deep_play_wall(deep_world *w, int32_t i, real time)
{
    const scene_frozen *s = w->scene;
    deep_body *b = &w->body[i];
    const uint32_t id = w->plan[i].wall_id, side = id - s->bodies, which = side - SCENE_SIDES;
    const scene_circle from = deep_repeat(w, b);

    deep_impact e;
    e.a = e.b = scene_moved(s, from, v_set1(time));
    e.pair = false;
    e.elastic = !w->calm && deep_rests(w, i, time);
    e.seen.time = time;
    e.seen.first = (uint32_t)b->id;
    e.seen.part = 0;
    e.seen.x1 = e.seen.y1 = e.seen.nx = e.seen.ny = 0; /* deep_respond() fills them in if they are wanted */

    /* A plan keeps only the time and the id of a contact: its normal is computed again, by the same function. */
    if (side < SCENE_SIDES) {
        deep_put_at_side(s, &e.a, side);
        e.normal.x = v_set1(side == 0 ? REAL(1.) : side == 1 ? REAL(-1.) : 0);
        e.normal.y = v_set1(side == 2 ? REAL(1.) : side == 3 ? REAL(-1.) : 0);
        e.restitution = s->side_restitution;
        e.senses = false;
        e.seen.kind = CAROM_IMPACT_SIDE;
        e.seen.second = side;
    } else {
        const scene_kind kind = scene_wall_kind(s, (uint32_t)b->id, which);
        const bool polygon = which >= s->walls;
        int32_t feature[LANES];
        e.senses = kind == SCENE_SENSES;

        const scene_contact hit = deep_contact(s, from, which, kind, w->dt);
        i_compress(feature, m_below(LANES), hit.feature);
        e.normal.x = hit.nx;
        e.normal.y = hit.ny;
        e.restitution = polygon ? s->polygon[which - s->walls].restitution : s->wall[which].restitution;
        e.seen.kind = polygon ? CAROM_IMPACT_POLYGON : CAROM_IMPACT_WALL;
        e.seen.second = polygon ? which - s->walls : which;
        e.seen.part = (uint32_t)feature[0];
        deep_lift(w, &e, 0, which);
    }

    e.restitution = w->calm ? 0 : s->restitution[b->id] * e.restitution;
    deep_take_velocity(w, i, e.senses, &e.a);
    deep_respond(w, &e);

    deep_keep(b, e.a);
    deep_keep_velocity(w, i, e.senses);
    b->last = (int32_t)id;
    w->plan[i].met = time;
}

#endif
