/* SPDX-License-Identifier: MIT
 * The first event of every world of a register group, by testing all pairs.
 *
 * Pairs are tested in the order in which ties are decided, and only an earlier event replaces the first one so far. A
 * pair that is too far apart in all lanes costs a single comparison (scene_near()).
 */
#ifndef CAROM_SCENES_WIDE_SCAN_H
#define CAROM_SCENES_WIDE_SCAN_H

#include "scenes/wide_state.h"

/* The first event of each lane. */
typedef struct wide_first {
    vreal time;   /* infinity: none */
    vreal nx, ny; /* the normal, if it is with a wall or polygon */
    vint first;   /* a body */
    vint second;  /* the id of what it meets */
    vint part;    /* the image of another body, or the feature of a wall or polygon */
} wide_first;

CAROM_LANE wide_first wide_none(void)
{
    wide_first f;
    f.time = v_set1(SCENE_NEVER);
    f.nx = f.ny = v_set1(0);
    f.first = f.second = f.part = i_set1(0);
    return f;
}

/* Takes an event in the lanes in which it is earlier. */
CAROM_LANE void wide_offer(wide_first *best, vreal time, uint32_t first, uint32_t second, vint part)
{
    const vmask earlier = v_lt(time, best->time);
    best->time = v_select(earlier, time, best->time);
    best->first = i_select(earlier, i_set1((int32_t)first), best->first);
    best->second = i_select(earlier, i_set1((int32_t)second), best->second);
    best->part = i_select(earlier, part, best->part);
}

CAROM_LANE void wide_offer_contact(wide_first *best, scene_contact hit, uint32_t first, uint32_t second)
{
    const vmask earlier = v_lt(hit.time, best->time);
    best->nx = v_select(earlier, hit.nx, best->nx);
    best->ny = v_select(earlier, hit.ny, best->ny);
    wide_offer(best, hit.time, first, second, hit.feature);
}

CAROM_LANE vmask wide_last_is(const wide *w, uint32_t body, size_t at, uint32_t id)
{
    return i_eq(i_load32(w->last + body * w->body_step + at), i_set1((int32_t)id));
}

CAROM_LANE vmask wide_nowhere(void)
{
    return m_from_bits(0);
}
CAROM_LANE vmask wide_everywhere(void)
{
    return m_below(LANES);
}

/* ---- within the tick ---- */

/* Do all pairs strike, without accelerations and images, by the default solver? Most scenes are so. Functions that get
 * this as a constant have no branches for the rest. */
CAROM_LANE bool wide_is_simple(const wide *w)
{
    const scene_frozen *s = w->s;
    return s->plain && !s->accelerates && s->solver == CAROM_TOI_FAST && w->images == 1;
}

/* scene_moved() without accelerations. */
CAROM_LANE scene_circle wide_straight(scene_circle c, vreal to)
{
    const vreal wait = to - c.t;
    c.x = c.x + c.vx * wait;
    c.y = c.y + c.vy * wait;
    c.t = to;
    return c;
}

/* The lanes in which a pair may meet within the time T that is left: either it passes its closest approach by then, a T
 * + b >= 0, or it overlaps at T, a T^2 + 2 b T + c <= 0. The margin, 2^-10 of all squares, is more than rounding. */
CAROM_LANE vmask wide_may_meet(circles_equation e, vreal r, vreal left)
{
    const vreal zero = v_set1(0), way = e.a * left, slope = way + e.b;
    const vreal overlap = (slope + e.b) * left + e.c;
    const vreal squares = way * left + (e.c + r * r * v_set1(2));
    const vmask soon = m_or(v_ge(slope, zero), v_le(overlap, squares * v_set1(REAL(0x1p-10))));
    return m_and(m_and(v_lt(e.b, zero), soon), m_or(v_ge(e.d, zero), v_le(e.c, zero)));
}

/* scene_meeting_from() for a simple scene. */
CAROM_LANE vreal wide_pair_time(circles_pair q, circles_equation e, vreal start, vreal end)
{
    const vreal wait = circles_tamed(q, e.d, circles_decided(e, root_citardauq(e, v_sqrt(e.d))));
    const vreal time = start + wait;
    return v_select(v_le(time, end), time, v_set1(SCENE_NEVER));
}

/* The time when two circles meet that are both at `start`. Usually they cannot in any lane, but that is unpredictable:
 * with several lanes the division and the root cost less than mispredictions. */
CAROM_LANE vreal wide_simple_meeting(vreal start, scene_circle i, scene_circle j, real dt)
{
    const vreal end = v_set1(dt);
    const circles_pair q = scene_pair_of(i, j);
    const circles_equation e = equation_cross(q);
    if (LANES == 1 && !m_any(wide_may_meet(e, q.r, end - start))) {
        return v_set1(SCENE_NEVER);
    }
    return wide_pair_time(q, e, start, end);
}

/* Takes the meeting of bodies i and j if it is the first.
 *     among    the lanes whose result is of use
 *     level    the records of each world are all of the same time, so that none needs to be moved
 *     simple   wide_is_simple(), as a constant */
CAROM_LANE void wide_scan_pair(const wide *w, size_t at, wide_first *best, uint32_t i, scene_circle ci, vreal near,
                               uint32_t j, vmask among, bool level, bool simple)
{
    const scene_frozen *s = w->s;
    const size_t row = j * w->body_step + at;
    const vreal dx = v_load(w->x + row) - ci.x, dy = v_load(w->y + row) - ci.y;
    const vreal reach = near + v_load(w->near + row);

    if (simple) {
        const vmask close = m_and(among, wide_pair_near(dx, dy, reach));
        if (m_any(close)) {
            scene_circle c = ci, cj = wide_circle(w, j, at);
            if (!level) {
                const vreal start = v_max(c.t, cj.t);
                c = wide_straight(c, start), cj = wide_straight(cj, start);
            }
            wide_offer(best, wide_simple_meeting(c.t, c, cj, w->k->dt), i, j, i_set1(0));
        }
        return;
    }

    const scene_kind kind = s->plain ? SCENE_STRIKES : scene_pair_kind(s, i, j);
    if (kind == SCENE_PASSES) {
        return;
    }

    for (uint32_t images = w->images; images != 0; images &= images - 1) {
        const uint32_t image = (uint32_t)__builtin_ctz(images);
        const vreal sx = wide_shift(w->width, image % 3), sy = wide_shift(w->height, image / 3);
        const vmask close = wide_pair_near(dx + sx, dy + sy, reach);
        if (!m_any(m_and(among, close))) {
            continue;
        }

        const scene_circle cj = wide_circle(w, j, at);
        const vmask senses = kind == SCENE_SENSES ? wide_everywhere() : wide_nowhere();
        vreal time = kind == SCENE_STRIKES_SLOW ? scene_slow_meeting(s, ci, cj, sx, sy, w->k->dt)
                     : level                    ? scene_meeting_from(s, ci.t, ci, cj, sx, sy, senses, w->k->dt)
                                                : scene_meeting(s, ci, cj, sx, sy, senses, w->k->dt);

        /* A sensor that was noticed last is not noticed again. */
        if (kind == SCENE_SENSES) {
            const vmask passed = m_and(wide_last_is(w, i, at, j), wide_last_is(w, j, at, i));
            time = v_select(passed, v_set1(SCENE_NEVER), time);
        }
        wide_offer(best, time, i, j, i_set1((int32_t)image));
    }
}

/* Takes the first contact of body i with a side, wall or polygon if it is the first event. */
CAROM_LANE void wide_scan_still(const wide *w, size_t at, wide_first *best, uint32_t i, scene_circle c, vreal near,
                                vmask among)
{
    const scene_frozen *s = w->s;
    const real dt = w->k->dt;

    if (m_any(m_and(among, wide_sides_near(s, c, near)))) {
        const bool passes = s->choosy && !scene_sides_stop(s, i);
        const scene_at_side side = passes ? scene_side_passed(s, c, wide_nowhere(), dt) : scene_side(s, c, dt);
        const vmask earlier = v_lt(side.time, best->time);
        best->time = v_select(earlier, side.time, best->time);
        best->first = i_select(earlier, i_set1((int32_t)i), best->first);
        best->second = i_select(earlier, i_add(side.side, i_set1((int32_t)s->bodies)), best->second);
    }

    for (uint32_t n = 0; n < s->walls + s->polygons; n++) {
        const scene_polygon *polygon = n < s->walls ? NULL : &s->polygon[n - s->walls];
        const uint32_t id = scene_wall_id(s, n);
        if (!m_any(m_and(among, wide_box_near(&w->boxes[n], c, near)))) {
            continue;
        }
        const scene_kind kind = s->plain ? SCENE_STRIKES : scene_wall_kind(s, i, n);
        if (kind == SCENE_PASSES) {
            continue;
        }

        const vmask senses = kind == SCENE_SENSES ? wide_everywhere() : wide_nowhere();
        scene_contact hit;
        if (kind == SCENE_STRIKES_SLOW) {
            hit = polygon == NULL ? scene_slow_wall_contact(s, c, &s->wall[n], dt)
                                  : scene_slow_polygon_contact(s, c, polygon, dt);
        } else {
            hit = polygon == NULL ? scene_wall_contact(s, c, &s->wall[n], senses, dt)
                                  : scene_polygon_contact(s, c, polygon, senses, dt);
        }

        hit.time = v_select(m_and(senses, wide_last_is(w, i, at, id)), v_set1(SCENE_NEVER), hit.time);
        wide_offer_contact(best, hit, i, id);
    }
}

/* The first events of a register group. See wide_scan_pair(). */
CAROM_LANE wide_first wide_scan(const wide *w, size_t at, vmask among, bool level, bool simple)
{
    const uint32_t n = w->s->bodies;
    wide_first best = wide_none();
    for (uint32_t i = 0; i < n; i++) {
        const scene_circle c = wide_circle(w, i, at);
        const vreal near = v_load(w->near + i * w->body_step + at);
        for (uint32_t j = i + 1; j < n; j++) {
            wide_scan_pair(w, at, &best, i, c, near, j, among, level, simple);
        }
        wide_scan_still(w, at, &best, i, c, near, among);
    }
    return best;
}

#endif
