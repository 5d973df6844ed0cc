/* SPDX-License-Identifier: MIT
 * Playing the events of several worlds, one world in each lane.
 *
 * The bodies that take part differ from lane to lane: their records are gathered, changed in lanes, and put back one by
 * one.
 */
#ifndef CAROM_SCENES_WIDE_PLAY_H
#define CAROM_SCENES_WIDE_PLAY_H

#include "scenes/wide_world.h"

/* One body of every lane, with the scene's numbers for it. */
typedef struct wide_part {
    scene_circle c, from; /* at the time of the event, and its record before it */
    vreal inverse_mass, restitution;
    vmask recent; /* its last impact is less than contact_time ago */
} wide_part;

/* The events that are played together, lane by lane. [0] and [1] are the two bodies; the second is unused where the
 * first meets something that does not move. */
typedef struct wide_played {
    alignas(64) real time[LANES], nx[LANES], ny[LANES], impulse[LANES];
    alignas(64) real x[2][LANES], y[2][LANES], vx[2][LANES], vy[2][LANES], near[2][LANES]; /* after the event */
    alignas(64) real vx_before[2][LANES], vy_before[2][LANES];
    alignas(64) real foot_x[LANES], foot_y[LANES], size[LANES];   /* of a wall: see scene_lift_off() */
    alignas(64) real bend[LANES];                                 /* see scene_glide(), if there are arcs */
    alignas(64) int32_t first[LANES], second[LANES], part[LANES]; /* as in wide_first */
    alignas(64) int32_t row[LANES];                               /* scratch of wide_take_part() */
    alignas(64) int32_t body[2][LANES];                           /* indices of bodies */
    alignas(64) int32_t base[LANES];                              /* index of the record of the world's body 0 */
    size_t at;                                                    /* with records in rows: the slot of lane 0 */
    const int32_t *home;                                          /* [LANES], of the worlds */
    unsigned active;                                              /* the active lanes, as bits */
    unsigned sensed;                                              /* of these, those in which a sensor takes part */
    unsigned crossing; /* of these, those in which a periodic side is crossed */
} wide_played;

/* Are there so few bodies, in rows, that selecting from all of them is faster than a gather? Then they are also put
 * back all at once. */
CAROM_LANE bool wide_is_few(const wide *w)
{
    return w->lane_step == 1 && w->s->bodies <= WIDE_FEW;
}

/* The numbers of bodies, one of each lane's world. */
static __attribute__((noinline, unused)) vreal wide_gather_own(const wide *w, const wide_played *p, scene_own own,
                                                               vint bodies)
{
    real number[LANES];
    int32_t body[LANES];
    i_compress(body, m_below(LANES), bodies);
    for (unsigned l = 0; l < LANES; l++) {
        number[l] = 1;
    }
    EACH_LANE (l, p->active) {
        const int32_t home = p->home[l];
        number[l] = scene_own_number(wide_tick_of(w, home), wide_lane_of(home), own, (size_t)body[l]);
    }
    return v_loadu(number);
}
CAROM_LANE vreal wide_gather_radius(const wide *w, const wide_played *p, vint bodies)
{
    return w->s->own[SCENE_OWN_RADIUS] != 0 ? wide_gather_own(w, p, SCENE_OWN_RADIUS, bodies)
                                            : v_gather(w->s->radius, bodies);
}
CAROM_LANE vreal wide_gather_ax(const wide *w, const wide_played *p, vint bodies)
{
    return w->s->own[SCENE_OWN_AX] != 0 ? wide_gather_own(w, p, SCENE_OWN_AX, bodies) : v_gather(w->s->ax, bodies);
}
CAROM_LANE vreal wide_gather_ay(const wide *w, const wide_played *p, vint bodies)
{
    return w->s->own[SCENE_OWN_AY] != 0 ? wide_gather_own(w, p, SCENE_OWN_AY, bodies) : v_gather(w->s->ay, bodies);
}
CAROM_LANE vreal wide_gather_inverse_mass(const wide *w, const wide_played *p, vint bodies)
{
    return w->s->own[SCENE_OWN_MASS] != 0 ? v_set1(1) / wide_gather_own(w, p, SCENE_OWN_MASS, bodies)
                                          : v_gather(w->s->inverse_mass, bodies);
}
CAROM_LANE vreal wide_gather_restitution(const wide *w, const wide_played *p, vint bodies)
{
    return w->s->own[SCENE_OWN_RESTITUTION] != 0 ? wide_gather_own(w, p, SCENE_OWN_RESTITUTION, bodies)
                                                 : v_gather(w->s->restitution, bodies);
}

/* The length of the tick in each lane's world. */
CAROM_LANE vreal wide_dt_of(const wide *w, const wide_played *p)
{
    return w->k->dts != NULL ? wide_gather_own(w, p, SCENE_OWN_DT, i_set1(0)) : v_set1(w->k->dt);
}

/* The bodies that come first (which = 0) or second (1), moved to `time`. Body 0 where the second is not a body. */
CAROM_LANE wide_part wide_take_part(const wide *w, wide_played *p, int which, vreal time)
{
    const scene_frozen *s = w->s;
    const vint met = i_load32(which == 0 ? p->first : p->second);
    const vmask there = m_and(m_from_bits(p->active), i_gt(i_set1((int32_t)s->bodies), met));
    const vint bodies = i_select(there, met, i_set1(0));
    const bool few = wide_is_few(w);

    /* The indices of their records. */
    vint rows = bodies;
    i_store32(p->body[which], bodies);
    if (w->body_step == 1) {
        rows = i_add(bodies, i_load32(p->base));
    } else if (!few || s->contact_time > 0) {
        for (unsigned l = 0; l < LANES; l++) {
            p->row[l] = p->body[which][l] * (int32_t)w->body_step + p->base[l];
        }
        rows = i_load32(p->row);
    }

    wide_part part;
    if (few) {
        part.c = wide_circle(w, 0, p->at);
        for (uint32_t b = 1; b < s->bodies; b++) {
            const vmask here = i_eq(bodies, i_set1((int32_t)b));
            const scene_circle c = wide_circle(w, b, p->at);
            part.c.x = v_select(here, c.x, part.c.x), part.c.y = v_select(here, c.y, part.c.y);
            part.c.vx = v_select(here, c.vx, part.c.vx), part.c.vy = v_select(here, c.vy, part.c.vy);
            part.c.k = v_select(here, c.k, part.c.k);
            part.c.t = v_select(here, c.t, part.c.t);
        }
    } else {
        part.c.x = v_gather(w->x, rows), part.c.y = v_gather(w->y, rows);
        part.c.vx = v_gather(w->vx, rows), part.c.vy = v_gather(w->vy, rows);
        part.c.k = s->goes_on ? v_gather(w->ticks, rows) : v_set1(0);
        part.c.t = v_gather(w->t, rows);
    }

    part.c.r = wide_gather_radius(w, p, bodies);
    part.c.ax = part.c.ay = v_set1(0);
    if (s->accelerates) {
        part.c.ax = wide_gather_ax(w, p, bodies), part.c.ay = wide_gather_ay(w, p, bodies);
    }
    part.inverse_mass = wide_gather_inverse_mass(w, p, bodies);
    part.restitution = wide_gather_restitution(w, p, bodies);

    part.recent = wide_nowhere();
    if (s->contact_time > 0) {
        part.recent = v_lt(time - v_gather(w->met, rows), v_set1(s->contact_time));
    }
    part.from = part.c;
    part.c = scene_moved(s, part.c, time, wide_dt_of(w, p));
    return part;
}

/* In the lanes `here`, puts a body exactly on a side, on the opposite one if sides are periodic; n: the side's
 * normal. */
CAROM_LANE void wide_at_side(const scene_frozen *s, scene_circle *c, vint side, vmask here, scene_normal *n)
{
    const vreal zero = v_set1(0), one = v_set1(1);
    const vmask left = m_and(here, i_eq(side, i_set1(0))), right = m_and(here, i_eq(side, i_set1(1)));
    const vmask lower = m_and(here, i_eq(side, i_set1(2))), upper = m_and(here, i_eq(side, i_set1(3)));
    const vreal x0 = scene_low(s->horizontal, s->x0, c->r), x1 = scene_high(s->horizontal, s->x1, c->r);
    const vreal y0 = scene_low(s->vertical, s->y0, c->r), y1 = scene_high(s->vertical, s->y1, c->r);
    const bool turn_x = s->horizontal == CAROM_SIDES_SOLID, turn_y = s->vertical == CAROM_SIDES_SOLID;
    c->x = v_select(left, turn_x ? x0 : x1, v_select(right, turn_x ? x1 : x0, c->x));
    c->y = v_select(lower, turn_y ? y0 : y1, v_select(upper, turn_y ? y1 : y0, c->y));
    n->x = v_select(here, v_select(left, one, v_select(right, -one, zero)), n->x);
    n->y = v_select(here, v_select(lower, one, v_select(upper, -one, zero)), n->y);
}

/* The same, for a wall or polygon that differs by world. */
static __attribute__((noinline, unused)) void wide_own_foothold(const wide *w, wide_played *p, unsigned l,
                                                                uint32_t which)
{
    const scene_frozen *s = w->s;
    const scene_tick *k = wide_tick_of(w, p->home[l]);
    const unsigned lane = wide_lane_of(p->home[l]);
    const uint32_t feature = (uint32_t)p->part[l];

    if (which < s->walls && s->own[SCENE_OWN_WALL_AX] != 0) {
        const real ax = scene_own_number(k, lane, SCENE_OWN_WALL_AX, which);
        const real ay = scene_own_number(k, lane, SCENE_OWN_WALL_AY, which);
        const real bx = scene_own_number(k, lane, SCENE_OWN_WALL_BX, which);
        const real by = scene_own_number(k, lane, SCENE_OWN_WALL_BY, which);
        p->foot_x[l] = feature == 2 ? bx : ax, p->foot_y[l] = feature == 2 ? by : ay;
        p->size[l] = scene_greater_size(scene_greater_size(0, ax, ay), bx, by);
    } else if (which >= s->walls && scene_arc_of(s, which) == NULL && s->own[SCENE_OWN_CORNER_X] != 0) {
        const scene_polygon *polygon = &s->polygon[which - s->walls];
        const uint32_t corner = feature < polygon->corners ? feature : feature - polygon->corners;
        p->size[l] = 0;
        for (uint32_t c = 0; c < polygon->corners; c++) {
            const real x = scene_own_number(k, lane, SCENE_OWN_CORNER_X, polygon->first + c);
            const real y = scene_own_number(k, lane, SCENE_OWN_CORNER_Y, polygon->first + c);
            p->size[l] = scene_greater_size(p->size[l], x, y);
            p->foot_x[l] = c == corner ? x : p->foot_x[l], p->foot_y[l] = c == corner ? y : p->foot_y[l];
        }
    }
}

/* Notes the data on wall or polygon `which` for scene_lift_off(), in lane l: walls are counted first, then polygons. */
CAROM_LANE void wide_foothold(const wide *w, wide_played *p, unsigned l, uint32_t which)
{
    const scene_frozen *s = w->s;
    scene_foothold(s, which, p->part[l], p->nx[l], p->ny[l], &p->foot_x[l], &p->foot_y[l]);
    p->size[l] = scene_size(s, which);
    if ((s->varies & (CAROM_VARIES_WALLS | CAROM_VARIES_CORNERS)) != 0) {
        wide_own_foothold(w, p, l, which);
    }
}

/* Finds the lanes in which a sensor takes part or a periodic side is crossed, and the data for scene_lift_off().
 * Returns the restitution of what the body meets, 1 for another body. */
CAROM_LANE vreal wide_classify(const wide *w, wide_played *p)
{
    const scene_frozen *s = w->s;
    alignas(64) real restitution[LANES];
    p->sensed = p->crossing = 0;

    /* In most scenes there are only bodies and solid sides. */
    if (s->plain && scene_obstacles(s) == 0 && w->images == 1) {
        return v_set1(s->side_restitution);
    }

    for (unsigned l = 0; l < LANES; l++) {
        const uint32_t i = (uint32_t)p->first[l], id = (uint32_t)p->second[l], at = id - s->bodies;
        restitution[l] = 1;
        p->foot_x[l] = p->foot_y[l] = p->size[l] = p->bend[l] = 0;
        if ((p->active >> l & 1) == 0) {
            continue;
        }

        if (id >= scene_wall_id(s, 0)) {
            wide_foothold(w, p, l, at - SCENE_SIDES);
            p->bend[l] = scene_bend(s, id, p->part[l]);
        }

        scene_kind kind = SCENE_STRIKES;
        if (id < s->bodies) {
            kind = s->plain ? SCENE_STRIKES : scene_pair_kind(s, i, id);
        } else if (at < SCENE_SIDES) {
            p->crossing |= (unsigned)scene_is_passage(s, id) << l;
            restitution[l] = scene_restitution_of(s, id);
        } else {
            kind = s->plain ? SCENE_STRIKES : scene_wall_kind(s, i, at - SCENE_SIDES);
            restitution[l] = scene_restitution_of(s, id);
        }

        p->sensed |= (unsigned)(kind == SCENE_SENSES) << l;
    }
    return v_load(restitution);
}

/* The impact in lane l, for recordings and hooks. */
static scene_impact wide_impact_of(const wide *w, const wide_played *p, unsigned l)
{
    const scene_frozen *s = w->s;
    const uint32_t id = (uint32_t)p->second[l];
    scene_impact impact;

    impact.time = p->time[l];
    impact.first = (uint32_t)p->first[l];
    scene_impact_with(s, &impact, id);
    impact.part = id < scene_wall_id(s, 0) ? 0 : (uint32_t)p->part[l];

    const unsigned other = impact.kind == CAROM_IMPACT_BODY ? 1 : 0;
    impact.x1 = p->x[0][l], impact.y1 = p->y[0][l], impact.x2 = p->x[other][l], impact.y2 = p->y[other][l];
    impact.nx = p->nx[l], impact.ny = p->ny[l];
    impact.vx1 = p->vx_before[0][l], impact.vy1 = p->vy_before[0][l];
    impact.vx2 = other != 0 ? p->vx_before[1][l] : 0, impact.vy2 = other != 0 ? p->vy_before[1][l] : 0;
    impact.ux1 = p->vx[0][l], impact.uy1 = p->vy[0][l];
    impact.ux2 = p->vx[other][l], impact.uy2 = p->vy[other][l];
    impact.impulse = p->impulse[l];
    return impact;
}

/* Calls the scene's response hook, if there is one, and records the impacts. The hook gets all of them in one call, as
 * they are in different worlds. */
static void wide_respond(const wide *w, wide_played *p)
{
    const scene_frozen *s = w->s;
    const unsigned told = p->active & ~p->crossing, asked = s->desc->response_hook != NULL ? told & ~p->sensed : 0;
    scene_impact impacts[LANES];
    carom_impact range[LANES];
    size_t count = 0;

    EACH_LANE (l, told) {
        impacts[l] = wide_impact_of(w, p, l);
        if ((asked >> l & 1) != 0) {
            range[count++] = scene_question(wide_tick_of(w, p->home[l]), wide_lane_of(p->home[l]), &impacts[l]);
        }
    }
    if (count > 0) {
        s->desc->response_hook(s->desc->user, count, range);
        count = 0;
    }

    EACH_LANE (l, told) {
        scene_impact *i = &impacts[l];
        if ((asked >> l & 1) != 0) {
            scene_answer(wide_tick_of(w, p->home[l]), wide_lane_of(p->home[l]), &range[count++], i);
            p->vx[0][l] = i->ux1, p->vy[0][l] = i->uy1;
            p->vx[1][l] = i->ux2, p->vy[1][l] = i->uy2;
            p->near[0][l] = p->near[1][l] = SCENE_NEVER; /* was for other velocities: disable the filter */
        }

        scene_record(wide_tick_of(w, p->home[l]), wide_lane_of(p->home[l]), i);
    }
}

/* Puts the records of all lanes back, where bodies are few. */
CAROM_LANE void wide_put_few(const wide *w, const wide_played *p, int which, vmask playing)
{
    const vint bodies = i_load32(which == 0 ? p->first : p->second);
    const vreal x = v_load(p->x[which]), y = v_load(p->y[which]), vx = v_load(p->vx[which]), vy = v_load(p->vy[which]);
    const vreal near = v_load(p->near[which]), t = v_load(p->time);

    for (uint32_t b = 0; b < w->s->bodies; b++) {
        const size_t row = b * w->body_step + p->at;
        const vmask here = m_and(playing, i_eq(bodies, i_set1((int32_t)b)));
        v_store(w->x + row, v_select(here, x, v_load(w->x + row)));
        v_store(w->y + row, v_select(here, y, v_load(w->y + row)));
        v_store(w->vx + row, v_select(here, vx, v_load(w->vx + row)));
        v_store(w->vy + row, v_select(here, vy, v_load(w->vy + row)));
        v_store(w->t + row, v_select(here, t, v_load(w->t + row)));
        if (w->s->goes_on) {
            v_store(w->at_x + row, v_select(here, x, v_load(w->at_x + row)));
            v_store(w->at_y + row, v_select(here, y, v_load(w->at_y + row)));
            v_store(w->ticks + row, v_select(here, v_set1(0), v_load(w->ticks + row)));
        }
        v_store(w->near + row, v_select(here, near, v_load(w->near + row)));
    }
}

/* Puts the record of one lane back. */
CAROM_LANE void wide_put(const wide *w, const wide_played *p, unsigned l, int which)
{
    const size_t row = (uint32_t)p->body[which][l] * w->body_step + (size_t)p->base[l];
    w->x[row] = p->x[which][l], w->y[row] = p->y[which][l];
    w->vx[row] = p->vx[which][l], w->vy[row] = p->vy[which][l];
    w->t[row] = p->time[l];
    w->near[row] = p->near[which][l];
    if (w->s->goes_on) {
        w->at_x[row] = w->x[row], w->at_y[row] = w->y[row];
        w->ticks[row] = 0;
    }
}

/* Notes what a body met last, and when. */
CAROM_LANE void wide_meets(const wide *w, uint32_t body, int32_t base, int32_t id, real time)
{
    const size_t row = body * w->body_step + (size_t)base;
    w->last[row] = id;
    if (w->s->contact_time > 0) {
        w->met[row] = time;
    }
}

/* Has a world reached its limit of events of this kind? */
CAROM_LANE bool wide_is_over(const wide *w, int32_t home, bool crossing)
{
    return crossing ? w->crossed[home] >= w->s->max_crossings
                    : wide_tick_of(w, home)->impacts[wide_lane_of(home)] >= w->s->max_events;
}

/* Impacts of bodies with bodies: changes the velocities in the lanes `struck`, and returns the impulses. n: normals of
 * all pairs. */
CAROM_LANE vreal wide_collide(const wide *w, wide_part *i, wide_part *j, vint image, vmask struck, vmask elastic,
                              vreal dt, scene_normal *n)
{
    const scene_frozen *s = w->s;

    /* The shift to the image that was met. */
    vreal sx = v_set1(0), sy = v_set1(0);
    for (uint32_t k = 1; k < WIDE_IMAGES && w->images != 1; k++) {
        const vmask seen = i_eq(image, i_set1((int32_t)k));
        sx = v_select(seen, wide_shift(w->width, k % 3), sx);
        sy = v_select(seen, wide_shift(w->height, k / 3), sy);
    }
    *n = scene_normal_of(i->c, j->c, sx, sy);

    scene_circle a = i->c, b = j->c;
    if (s->accelerates) {
        const vreal rough = scene_rough(s, i->from, i->c, dt) + scene_rough(s, j->from, j->c, dt);
        scene_lift_apart(&a, &b, *n, sx, sy, i->inverse_mass, j->inverse_mass, rough);
        i->c.x = v_select(struck, a.x, i->c.x), i->c.y = v_select(struck, a.y, i->c.y);
        j->c.x = v_select(struck, b.x, j->c.x), j->c.y = v_select(struck, b.y, j->c.y);
    }

    const vreal both = i->restitution * j->restitution;
    const vreal impulse = scene_collide(s, &a, &b, *n, i->inverse_mass, j->inverse_mass, both, elastic);
    i->c.vx = v_select(struck, a.vx, i->c.vx), i->c.vy = v_select(struck, a.vy, i->c.vy);
    j->c.vx = v_select(struck, b.vx, j->c.vx), j->c.vy = v_select(struck, b.vy, j->c.vy);
    return v_select(struck, impulse, v_set1(0));
}

/* Has a world had so many impacts that bodies may settle? */
CAROM_LANE bool wide_is_deep(const wide *w, int32_t home, bool crossing)
{
    return !crossing && wide_tick_of(w, home)->impacts[wide_lane_of(home)] >= w->s->settles_after;
}

/* Hands the world of a lane over to the deep engine, which plays it to the end of the tick: see
 * scenes/deep_settle.h. */
static void wide_hand_over(const wide *w, const wide_played *p, unsigned l, real time)
{
    const scene_frozen *s = w->s;
    const size_t base = (size_t)p->base[l];
    const unsigned lane = wide_lane_of(p->home[l]);
    scene_tick *k = wide_tick_of(w, p->home[l]);

    scene_begun begun;
    begun.x = w->x + base, begun.y = w->y + base, begun.vx = w->vx + base, begun.vy = w->vy + base;
    begun.t = w->t + base;
    begun.k = s->goes_on ? w->ticks + base : NULL;
    begun.at_x = w->at_x + base, begun.at_y = w->at_y + base;
    begun.met = s->contact_time > 0 ? w->met + base : NULL;
    begun.last = s->plain ? NULL : w->last + base;
    begun.step = w->body_step;
    begun.time = time;
    begun.impacts = k->impacts[lane], begun.sensed = k->sensed[lane], begun.watched = k->watched_impacts[lane];
    begun.passages = w->crossed[p->home[l]];
    CAROM_KERNEL(scene_deep).resume(k, lane, &begun, w->deep);
}

/* Removes from p->active the worlds that fault for too many events, and those that the deep engine finishes. */
CAROM_LANE void wide_drop_faulty(const wide *w, wide_played *p)
{
    for (unsigned bits = p->active; bits != 0; bits &= bits - 1) {
        const unsigned l = (unsigned)__builtin_ctz(bits);
        if (wide_is_over(w, p->home[l], (p->crossing >> l & 1) != 0)) {
            wide_tick_of(w, p->home[l])->fault[wide_lane_of(p->home[l])] = CAROM_FAULT_EVENTS;
            p->active &= ~(1u << l);
        } else if (wide_is_deep(w, p->home[l], (p->crossing >> l & 1) != 0)) {
            wide_hand_over(w, p, l, p->time[l]);
            p->active &= ~(1u << l);
        }
    }
}

/* After wide_play(): response hook and recording, counters, and the bodies' new records. */
CAROM_LANE void wide_put_back(wide *w, wide_played *p)
{
    const scene_frozen *s = w->s;
    const bool tells = s->desc->response_hook != NULL || w->k->events != NULL, few = wide_is_few(w);
    const bool notes = !s->plain || s->contact_time > 0; /* `last` or `met` is needed */

    if (tells) {
        wide_respond(w, p);
    }

    for (unsigned bits = p->active; bits != 0; bits &= bits - 1) {
        const unsigned l = (unsigned)__builtin_ctz(bits), lane = wide_lane_of(p->home[l]);
        const int32_t first = p->first[l], second = p->second[l];
        scene_tick *k = wide_tick_of(w, p->home[l]);
        const bool sensed = (p->sensed >> l & 1) != 0;

        /* A crossing is not an impact: it has a separate count, and keeps `last` and `met`. */
        if ((p->crossing >> l & 1) != 0) {
            w->crossed[p->home[l]]++;
        } else {
            k->impacts[lane]++;
            k->sensed[lane] += sensed;
            k->watched_impacts[lane] += (uint32_t)first == k->watched || (uint32_t)second == k->watched;
            if (k->met != NULL) {
                scene_count_meeting(k, lane, (uint32_t)first, (uint32_t)second, sensed);
            }
            if (notes) {
                wide_meets(w, (uint32_t)first, p->base[l], second, p->time[l]);
            }
        }

        if (!few) {
            wide_put(w, p, l, 0);
        }
        if ((uint32_t)second < s->bodies) {
            if (!few) {
                wide_put(w, p, l, 1);
            }
            if (notes) {
                wide_meets(w, (uint32_t)second, p->base[l], first, p->time[l]);
            }
        }
    }

    if (few) {
        wide_put_few(w, p, 0, m_from_bits(p->active));
        wide_put_few(w, p, 1, m_from_bits(p->active));
    }
}

/* Under CAROM_ADVANCE_ALL: moves all bodies of the active lanes to the time of the event, including those that do not
 * take part. */
static void wide_advance_all(const wide *w, size_t at, vreal time, vmask active)
{
    const scene_frozen *s = w->s;
    for (uint32_t b = 0; b < s->bodies; b++) {
        const size_t row = b * w->body_step + at;
        const scene_circle c = wide_circle(w, b, at), moved = scene_moved(s, c, time, wide_dt(w, at));
        v_store(w->x + row, v_select(active, moved.x, c.x));
        v_store(w->y + row, v_select(active, moved.y, c.y));
        v_store(w->t + row, v_select(active, moved.t, c.t));
        if (s->accelerates) {
            v_store(w->vx + row, v_select(active, moved.vx, c.vx));
            v_store(w->vy + row, v_select(active, moved.vy, c.vy));
            v_store(w->near + row, scene_near(s, wide_circle(w, b, at), wide_dt(w, at)));
        }
    }
}

/* Plays the events `f` of the worlds p->home[] in the lanes p->active, from which it removes those named by
 * wide_drop_faulty(). The results stay in p until wide_put_back(). */
CAROM_LANE void wide_play(wide *w, wide_played *p, const wide_first *f)
{
    const scene_frozen *s = w->s;

    i_store32(p->first, f->first);
    i_store32(p->second, f->second);
    i_store32(p->part, f->part);
    v_store(p->time, f->time), v_store(p->nx, f->nx), v_store(p->ny, f->ny);
    const vreal its_restitution = wide_classify(w, p);
    wide_drop_faulty(w, p);

    /* `strikes`: velocities change. `pair`: with another body. `still`: with something that does not move. */
    wide_part i = wide_take_part(w, p, 0, f->time), j = wide_take_part(w, p, 1, f->time);
    const vmask playing = m_from_bits(p->active), strikes = m_andnot(playing, m_from_bits(p->sensed | p->crossing));
    const vmask pair = i_gt(i_set1((int32_t)s->bodies), f->second), still = m_andnot(playing, pair);
    const vmask elastic = m_or(i.recent, m_and(pair, j.recent));
    const vreal dt = wide_dt_of(w, p);
    vreal impulse = v_set1(0);
    scene_normal n;
    n.x = f->nx, n.y = f->ny;
    v_store(p->vx_before[0], i.c.vx), v_store(p->vy_before[0], i.c.vy);
    v_store(p->vx_before[1], j.c.vx), v_store(p->vy_before[1], j.c.vy);

    if (m_any(m_and(pair, playing))) {
        scene_normal normal;
        impulse = wide_collide(w, &i, &j, f->part, m_and(strikes, pair), elastic, dt, &normal);
        n.x = v_select(pair, normal.x, n.x);
        n.y = v_select(pair, normal.y, n.y);
    }

    if (m_any(still)) {
        const vint side = i_sub(f->second, i_set1((int32_t)s->bodies));
        const vmask at_side = m_and(still, i_gt(i_set1(SCENE_SIDES), side));
        wide_at_side(s, &i.c, side, at_side, &n);
        scene_circle a = i.c;
        if (scene_obstacles(s) != 0) {
            const vmask lifts = m_andnot(m_and(strikes, still), at_side);
            const vreal rough = scene_rough(s, i.from, i.c, dt);
            scene_lift_off(s, &a, n, v_load(p->foot_x), v_load(p->foot_y), v_load(p->size), rough, v_load(p->bend));
            i.c.x = v_select(lifts, a.x, i.c.x), i.c.y = v_select(lifts, a.y, i.c.y);
        }
        const vreal change = scene_rebound(s, &a, n, i.restitution * its_restitution, elastic);
        if (s->arcs != 0) {
            scene_glide(&a, i.c.vx, i.c.vy, n, v_load(p->bend));
        }
        const vmask struck = m_and(strikes, still);
        i.c.vx = v_select(struck, a.vx, i.c.vx), i.c.vy = v_select(struck, a.vy, i.c.vy);
        impulse = v_select(struck, change, impulse);
    }

    v_store(p->time, f->time), v_store(p->nx, n.x), v_store(p->ny, n.y), v_store(p->impulse, impulse);
    v_store(p->x[0], i.c.x), v_store(p->y[0], i.c.y), v_store(p->vx[0], i.c.vx), v_store(p->vy[0], i.c.vy);
    v_store(p->x[1], j.c.x), v_store(p->y[1], j.c.y), v_store(p->vx[1], j.c.vx), v_store(p->vy[1], j.c.vy);
    v_store(p->near[0], scene_near(s, i.c, dt)), v_store(p->near[1], scene_near(s, j.c, dt));
}

#endif
