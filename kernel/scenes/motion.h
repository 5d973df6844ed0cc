/* SPDX-License-Identifier: MIT
 * The physics of scenes, one pair in each lane: positions of bodies, their meetings, and the responses. Both engines
 * use these functions, and so give the same bits, whichever pairs they put into lanes. Over 800 lines with its
 * comments, to keep the rule below in one file.
 *
 * All times count from the start of the tick, except those of records (record.h). A prediction depends on the two
 * records alone, starting at the later of their times. Lanes whose body is not active have NaN for x, and so meet
 * nothing: no comparison with NaN is true.
 *
 * A record is (x, y, vx, vy, t), `last`, the id of what the body met last, -1 at the start of the tick, and `met`, the
 * time of that, -infinity at the start. Among events at one time the one with the lowest (lower id, higher id) is
 * played first. What an event does:
 *     body i meets body j   both are moved to its time; unless a sensor takes part, scene_normal_of() and
 *                           scene_collide(), elastic where time - met is less than contact_time for one of them. last
 *                           becomes the other's id, met the time.
 *     ... wall or polygon   the same, with the contact's normal and scene_rebound()
 *     ... arc               the same, then scene_glide()
 *     ... a solid side      the coordinate becomes exactly scene_low() or scene_high(), then scene_rebound()
 *     ... a periodic side   the coordinate becomes exactly that of the opposite side; last and met stay: no impact;
 *                           more than scene_max_crossings() of these in a world's tick are a fault, too
 *     a sensor              no event if the two have `last` met each other (with a wall: if the body has last met it)
 * In a periodic box j is seen in all its images, shifted by -1, 0 or 1 times the box's width and height; among equal
 * times the first image counts in the order (0, 0), (-w, 0), (w, 0), (0, -h), (-w, -h), (w, -h), (0, h), (-w, h), (w,
 * h), seen from the body with the lower id (j - i). A body does not meet its own image.
 *
 * Under CAROM_ADVANCE_ALL every record is moved to every event, t with it, and all events are predicted again; `last`
 * and `met` change only for the bodies that took part.
 *
 * Slow bodies (SCENE_STRIKES_SLOW: two of them, or one with a wall or polygon; own clock, no accelerations) meet as
 * others do, but an impact is skipped if without it the overlap at dt, along its normal, would be at most scene_fuzz()
 * of both, or half of the radius if that is less, or would have grown by at most 2^-20 of that: so bodies that are
 * pressed together come to rest. If the first contact with a polygon is skipped, the next candidates are its edges,
 * each as a wall: the first contact with one of them that is not skipped counts.
 */
#ifndef CAROM_SCENES_MOTION_H
#define CAROM_SCENES_MOTION_H

#include "scenes/record.h"
#include "toi/arc.h"
#include "toi/variants.h"
#include "toi/walls_outline.h"

#define SCENE_FUZZ (32 * WALLS_EPSILON)                                         /* see scene_fuzz() */
#define SCENE_LIFT REAL(0.015625)                                               /* see scene_lift() */
#define SCENE_CREEP REAL(0x1p-20)                                               /* see scene_shallow() */
#define SCENE_HOP (CAROM_REAL_BITS == 64 ? REAL(0.0009765625) : REAL(0.015625)) /* see scene_glide() */
#define SCENE_LENGTH REAL(1.25) /* of the vector that an impulse is along: see scene_collide() */

/* ---- far pairs ---- */

/* The distance from the record's centre within which the whole body stays for the time `left`: radius, speed * time and
 * the contribution of its acceleration. A filter drops pairs further apart than the sum of both, and must not change
 * any bit: no such pair may ever be predicted to meet. So 2^-6 of the distance, some spacings of the coordinates and
 * 2^-60 are added for the rounding of everything that a prediction computes.
 *
 * Let P be the distance, R and V the sums of radii and speeds, P > (R + V dt)(1 + 2^-6). Then c = P P - R R is right
 * within 130 roundings, relatively, for P > R (1 + 2^-6); the denominator of c / (-b + sqrt d) is at most (P + R) V; so
 * the time is (P - R) / V > dt (1 + 2^-6) before rounding, and > dt after it. The forms with a difference are worse
 * near a graze, where the error of sqrt d is some 2^-9 P V in f32, but P - R - V dt > 2^-7 P. */
CAROM_LANE vreal scene_near(const scene_frozen *s, scene_circle c, vreal left)
{
    const vreal least = v_set1(REAL(0x1p-60));

    vreal speed = v_sqrt(c.vx * c.vx + c.vy * c.vy) + least, way = speed * left;
    if (s->accelerates) {
        const vreal more = (v_abs(c.ax) + v_abs(c.ay)) * v_set1(REAL(0.5));
        way = way + more * left * left;
    }
    const vreal spacing = (v_abs(c.x) + v_abs(c.y)) * v_set1(SCENE_FUZZ + 4 * WALLS_EPSILON);
    return (c.r + way) * v_set1(REAL(1.015625)) + spacing + least;
}

/* ---- body and body ---- */

/* The textbook formula with pow() for every square: see toi/variants.h. */
static vreal scene_pow(circles_pair q)
{
    real px[LANES], py[LANES], vx[LANES], vy[LANES], r[LANES], t[LANES];
    v_storeu(px, q.px), v_storeu(py, q.py), v_storeu(vx, q.vx), v_storeu(vy, q.vy), v_storeu(r, q.r);

    for (int l = 0; l < LANES; l++) {
        const real a = pow_square(vx[l]) + pow_square(vy[l]), b = 2 * (px[l] * vx[l] + py[l] * vy[l]);
        const real c = pow_square(px[l]) + pow_square(py[l]) - pow_square(r[l]), d = pow_square(b) - 4 * a * c;
        const vreal root = v_sqrt(v_set1(d > 0 ? d : 0));
        real roots[LANES];
        v_storeu(roots, root);
        const real way = (-b - roots[0]) / (2 * a);
        t[l] = !(b < 0) || !(c <= 0 || d >= 0) || !(d <= REAL_MAX) ? SCENE_NEVER : c <= 0 ? 0 : way < 0 ? -way : way;
    }
    return v_loadu(t);
}

/* Not inlined: tests/library/contraction.sh knows by name which functions may use a fused operation for a product's
 * error. */
#define SCENE_SOLVER(name, equation, root)                                                                             \
    static __attribute__((unused, noinline)) vreal scene_solve_##name(circles_pair q)                                  \
    {                                                                                                                  \
        return circles_##name(q);                                                                                      \
    }
#define SCENE_SOLVER_OTHER(name) SCENE_SOLVER(name, 0, 0)
CIRCLES_VARIANTS(SCENE_SOLVER, SCENE_SOLVER_OTHER)
#undef SCENE_SOLVER
#undef SCENE_SOLVER_OTHER

/* Every solver except the default, which scene_meeting_from() inlines. */
static vreal scene_solve(int solver, circles_pair q)
{
    switch (solver) {
    case CAROM_TOI_POW:
        return scene_pow(q);
    case CAROM_TOI_POW_FOLDED:
        return scene_solve_pow_folded(q);
    case CAROM_TOI_TEXTBOOK:
        return scene_solve_textbook(q);
    case CAROM_TOI_COMPONENTS:
        return scene_solve_components(q);
    case CAROM_TOI_DOT:
        return scene_solve_dot(q);
    case CAROM_TOI_HALF_B:
        return scene_solve_half_b(q);
    case CAROM_TOI_CITARDAUQ:
        return scene_solve_citardauq(q);
    case CAROM_TOI_CROSS:
        return scene_solve_cross(q);
    case CAROM_TOI_FMA_KAHAN:
        return scene_solve_fma_kahan(q);
    case CAROM_TOI_ACCURATE:
        return scene_solve_accurate(q);
    case CAROM_TOI_RSQRT_NEWTON:
        return scene_solve_rsqrt_newton(q);
    default:
        return scene_solve_cross_citardauq(q);
    }
}

/* j as seen from i, both at the same time. */
CAROM_LANE circles_pair scene_pair_of(scene_circle i, scene_circle j)
{
    circles_pair q;
    q.px = j.x - i.x, q.py = j.y - i.y, q.vx = j.vx - i.vx, q.vy = j.vy - i.vy;
    q.r = i.r + j.r;
    return q;
}

/* An image of j, shifted by a periodic box's size, seen from i. */
CAROM_LANE circles_pair scene_image_of(scene_circle i, scene_circle j, vreal shift_x, vreal shift_y)
{
    circles_pair q = scene_pair_of(i, j);
    q.px = q.px + shift_x, q.py = q.py + shift_y;
    return q;
}

/* When two circles with different accelerations meet. */
static vreal scene_falls_together(circles_pair q, vreal ax, vreal ay, vmask senses, vreal limit)
{
    quartic_motion m;
    m.px = q.px, m.py = q.py, m.vx = q.vx, m.vy = q.vy, m.ax = ax, m.ay = ay, m.r = q.r;
    vreal wait = quartic_time(m, limit);

    /* Circles that overlap may also meet later, when the overlap deepens: see accelerated_standing(). Not with a
     * sensor, which notices only circles that come from outside. */
    const vreal pp = q.px * q.px + q.py * q.py;
    const vmask stands = m_andnot(v_le(pp, q.r * q.r), senses);
    if (m_any(stands)) {
        m.r = accelerated_standing(q.r, pp);
        const vreal deeper = quartic_time(m, limit);
        wait = v_select(m_and(stands, v_lt(deeper, wait)), deeper, wait);
    }
    return wait;
}

/* How long after `start`, to which both are moved, i and j meet: infinity or NaN if they do not. See scene_meeting().
 * limit: quartics have no later roots; see record_horizon(). */
CAROM_LANE vreal scene_meeting_wait(const scene_frozen *s, scene_circle i, scene_circle j, vreal shift_x, vreal shift_y,
                                    vmask senses, vreal limit)
{
    const vreal never = v_set1(SCENE_NEVER);
    const circles_pair q = scene_image_of(i, j, shift_x, shift_y);
    vreal wait = s->solver == CAROM_TOI_FAST ? circles_cross_citardauq(q) : scene_solve(s->solver, q);

    /* Equal accelerations cancel out. Only different ones make the equation a quartic, which is much slower. */
    if (s->accelerates) {
        const vreal zero = v_set1(0), ax = j.ax - i.ax, ay = j.ay - i.ay;
        const vmask apart = m_or(v_ne(ax, zero), v_ne(ay, zero));
        if (m_any(apart)) {
            wait = v_select(apart, scene_falls_together(q, ax, ay, senses, limit), wait);
        }
    }

    /* A sensor does not notice a circle that already touches it. */
    if (m_any(senses)) {
        wait = v_select(m_and(senses, v_le(equation_components(q).c, v_set1(0))), never, wait);
    }
    return wait;
}

/* When i and j meet, both moved to `start` in this tick, in scenes in which records end with the tick. */
CAROM_LANE vreal scene_meeting_from(const scene_frozen *s, vreal start, scene_circle i, scene_circle j, vreal shift_x,
                                    vreal shift_y, vmask senses, vreal dt)
{
    const vreal time = start + scene_meeting_wait(s, i, j, shift_x, shift_y, senses, dt);
    return v_select(v_le(time, dt), time, v_set1(SCENE_NEVER));
}

/* A predicted event. It does not depend on the tick in which it is computed. */
typedef struct scene_foreseen {
    vreal time; /* since the start of tick k; infinity, or NaN: there is none */
    vreal k;    /* the later of the ticks of the records, minus the present one */
} scene_foreseen;

/* See scene_meeting(). */
CAROM_LANE scene_foreseen scene_foresee(const scene_frozen *s, scene_circle i, scene_circle j, vreal shift_x,
                                        vreal shift_y, vmask senses, vreal dt)
{
    const scene_moment start = record_later(s, i, j);
    vreal limit = dt;
    if (s->accelerates) { /* other solvers have no limit */
        limit = v_min(record_horizon(s, i, dt), record_horizon(s, j, dt));
    }
    i = record_moved(s, i, start, dt), j = record_moved(s, j, start, dt);

    scene_foreseen e;
    e.time = start.t + scene_meeting_wait(s, i, j, shift_x, shift_y, senses, limit);
    e.k = start.k;
    return e;
}

/* When in this tick the bodies of two records meet: a time up to dt, or infinity.
 *     shift    which image of j meets i: added to j's position. Swapping i and j and the sign of the shift changes no
 *              bit
 *     senses   the lanes with a sensor: only the start of a contact, from outside, counts */
CAROM_LANE vreal scene_meeting(const scene_frozen *s, scene_circle i, scene_circle j, vreal shift_x, vreal shift_y,
                               vmask senses, vreal dt)
{
    const scene_foreseen e = scene_foresee(s, i, j, shift_x, shift_y, senses, dt);
    return record_event(s, e.time, e.k, dt);
}

/* ---- body and side ---- */

/* How long until a distance with this rate and acceleration has fallen to 0; infinity if it never does. A distance of 0
 * or below gives 0 while it falls; while it rises it counts as 0, and may fall to it again under acceleration. */
CAROM_LANE vreal scene_reaches(const scene_frozen *s, vreal distance, vreal rate, vreal acceleration)
{
    const vreal zero = v_set1(0), never = v_set1(SCENE_NEVER);
    const vmask there = v_le(distance, zero);
    vmask falls = v_lt(rate, zero);
    vreal wait = distance / -rate;

    /* With acceleration: a positive distance falls now (`now`), or after it has risen. */
    if (s->accelerates) {
        const vmask bends = v_ne(acceleration, zero);
        if (m_any(bends)) {
            wait = v_select(bends, accelerated_falls(v_select(there, zero, distance), rate, acceleration), wait);
            falls = m_or(falls, v_lt(acceleration, zero));
            const vmask now = m_or(v_lt(rate, zero), m_and(v_le(rate, zero), v_lt(acceleration, zero)));
            return v_select(there, v_select(now, zero, v_select(bends, wait, never)), v_select(falls, wait, never));
        }
    }

    return v_select(falls, v_select(there, zero, wait), never);
}

/* The first side that a body reaches: solid ones with its rim, periodic ones with its centre. */
typedef struct scene_at_side {
    vreal time; /* infinity: none */
    vint side;  /* 0 left, 1 right, 2 lower, 3 upper */
} scene_at_side;

CAROM_LANE void scene_take_side(scene_at_side *best, vreal time, int32_t side)
{
    const vmask earlier = v_lt(time, best->time);
    best->time = v_select(earlier, time, best->time);
    best->side = i_select(earlier, i_set1(side), best->side);
}

/* The least and the greatest coordinate of a centre within the box. */
CAROM_LANE vreal scene_low(carom_scene_sides sides, real low, vreal r)
{
    return sides == CAROM_SIDES_SOLID ? v_set1(low) + r : v_set1(low);
}
CAROM_LANE vreal scene_high(carom_scene_sides sides, real high, vreal r)
{
    return sides == CAROM_SIDES_SOLID ? v_set1(high) - r : v_set1(high);
}

/* Takes the one of two opposite sides, `side` and `side` + 1, towards which a body without acceleration moves. Gives
 * the same bits as scene_reaches() for both, with half the divisions. */
CAROM_LANE void scene_take_ahead(scene_at_side *best, vreal from_low, vreal from_high, vreal v, int32_t side)
{
    const vreal zero = v_set1(0), speed = v_abs(v);
    const vmask back = v_lt(v, zero);
    const vreal distance = v_select(back, from_low, from_high);
    const vreal wait = v_select(v_le(distance, zero), zero, distance / speed);
    const vmask earlier = m_and(v_gt(speed, zero), v_lt(wait, best->time));
    best->time = v_select(earlier, wait, best->time);
    best->side = i_select(earlier, i_select(back, i_set1(side), i_set1(side + 1)), best->side);
}

/* The first side that c reaches, at a time since the start of its record's tick. */
CAROM_LANE scene_at_side scene_side_ahead(const scene_frozen *s, scene_circle c)
{
    scene_at_side best;
    best.time = v_set1(SCENE_NEVER);
    best.side = i_set1(0);

    if (s->horizontal != CAROM_SIDES_OPEN) {
        const vreal left = c.x - scene_low(s->horizontal, s->x0, c.r);
        const vreal right = scene_high(s->horizontal, s->x1, c.r) - c.x;
        if (s->accelerates) {
            scene_take_side(&best, scene_reaches(s, left, c.vx, c.ax), 0);
            scene_take_side(&best, scene_reaches(s, right, -c.vx, -c.ax), 1);
        } else {
            scene_take_ahead(&best, left, right, c.vx, 0);
        }
    }

    if (s->vertical != CAROM_SIDES_OPEN) {
        const vreal lower = c.y - scene_low(s->vertical, s->y0, c.r);
        const vreal upper = scene_high(s->vertical, s->y1, c.r) - c.y;
        if (s->accelerates) {
            scene_take_side(&best, scene_reaches(s, lower, c.vy, c.ay), 2);
            scene_take_side(&best, scene_reaches(s, upper, -c.vy, -c.ay), 3);
        } else {
            scene_take_ahead(&best, lower, upper, c.vy, 2);
        }
    }

    /* A body whose velocity has overflowed meets nothing: otherwise it would meet a side again and again at the same
     * time. */
    const vreal zero = v_set1(0), finite = c.vx * zero + c.vy * zero;
    best.time = v_select(v_eq(finite, zero), c.t + best.time, v_set1(SCENE_NEVER));
    return best;
}

/* The first side that c reaches in this tick. */
CAROM_LANE scene_at_side scene_side(const scene_frozen *s, scene_circle c, vreal dt)
{
    scene_at_side side = scene_side_ahead(s, c);
    side.time = record_event(s, side.time, c.k, dt);
    return side;
}

/* scene_side_ahead() for sides that stop only the lanes `stopped`. For the others solid sides are out of reach:
 * velocity and acceleration towards them count as 0, by a product, so that an overflowed velocity does not become
 * finite. Not inlined, as most scenes have no such sides. */
static __attribute__((noinline, unused)) scene_at_side scene_side_ahead_passed(const scene_frozen *s, scene_circle c,
                                                                               vmask stopped)
{
    const vreal zero = v_set1(0);
    if (s->horizontal == CAROM_SIDES_SOLID) {
        c.vx = v_select(stopped, c.vx, c.vx * zero);
        c.ax = v_select(stopped, c.ax, zero);
    }
    if (s->vertical == CAROM_SIDES_SOLID) {
        c.vy = v_select(stopped, c.vy, c.vy * zero);
        c.ay = v_select(stopped, c.ay, zero);
    }
    return scene_side_ahead(s, c);
}

/* scene_side() for sides that stop only the lanes `stopped`. */
CAROM_LANE scene_at_side scene_side_passed(const scene_frozen *s, scene_circle c, vmask stopped, vreal dt)
{
    scene_at_side side = scene_side_ahead_passed(s, c, stopped);
    side.time = record_event(s, side.time, c.k, dt);
    return side;
}

/* ---- body and wall, body and polygon ---- */

/* The first contact with a wall or polygon. */
typedef struct scene_contact {
    vreal time;   /* infinity: none; of a contact ahead, `..._ahead()`, since the start of its record's tick */
    vreal nx, ny; /* unit normal towards the body */
    vint feature; /* of a wall: 0 the segment, 1 its end a, 2 its end b; of a polygon: edge, or `corners` + corner */
} scene_contact;

/* A wall in lanes: each may have another world's. */
typedef struct scene_ends {
    vreal ax, ay, bx, by;
    vreal size; /* as scene_wall.size */
    bool one_sided;
} scene_ends;

/* A polygon in lanes. Corner e of lane l is at [e * step + l], or at [e] for all lanes if `step` is 0. */
typedef struct scene_corners {
    const real *x, *y;
    size_t step;
    uint32_t count;
    vreal size; /* as scene_polygon.size */
} scene_corners;

typedef struct scene_corner {
    vreal x, y;
} scene_corner;

/* A wall, and a polygon, that are the same in all lanes. */
CAROM_LANE scene_ends scene_ends_of(const scene_wall *wall)
{
    scene_ends w;
    w.ax = v_set1(wall->ax), w.ay = v_set1(wall->ay), w.bx = v_set1(wall->bx), w.by = v_set1(wall->by);
    w.size = v_set1(wall->size);
    w.one_sided = wall->one_sided;
    return w;
}
CAROM_LANE scene_corners scene_corners_of(const scene_frozen *s, const scene_polygon *polygon)
{
    scene_corners p;
    p.x = s->corner_x + polygon->first, p.y = s->corner_y + polygon->first;
    p.step = 0;
    p.count = polygon->corners;
    p.size = v_set1(polygon->size);
    return p;
}

CAROM_LANE scene_corner scene_corner_at(scene_corners p, uint32_t e)
{
    scene_corner c;
    c.x = p.step == 0 ? v_set1(p.x[e]) : v_loadu(p.x + e * p.step);
    c.y = p.step == 0 ? v_set1(p.y[e]) : v_loadu(p.y + e * p.step);
    return c;
}

CAROM_LANE walls_edge scene_edge_of(scene_corners p, uint32_t e, uint32_t next)
{
    const scene_corner a = scene_corner_at(p, e), b = scene_corner_at(p, next);
    return walls_edge_of(a.x, a.y, b.x, b.y);
}

/* Hits from now until the end of the tick. */
CAROM_LANE walls_span scene_span(vreal dt)
{
    walls_span s;
    s.from = v_set1(0);
    s.to = dt;
    return s;
}

/* A contact that c reaches after a time `wait`. */
CAROM_LANE scene_contact scene_contact_of(scene_circle c, vreal wait, vreal nx, vreal ny, vint feature)
{
    const vreal never = v_set1(SCENE_NEVER);
    scene_contact hit;
    hit.time = c.t + wait;
    hit.time = v_select(v_le(hit.time, never), hit.time, never); /* NaN is none */
    hit.nx = nx;
    hit.ny = ny;
    hit.feature = feature;
    return hit;
}

/* An upper bound on the rounding error of a circle that has moved to a wall; `size` is the wall's distance from the
 * origin, |x| + |y|. Walls and polygons treat smaller circles as being this large: then rounding cannot change the sign
 * of the centre's distance, and however small a circle is, it stays on its side.
 *
 * Part of the error is some epsilon * dt in the time, multiplied by the circle's speed. That part is limited to the
 * range of coordinates: a circle that moves further in a tick either leaves the range, or is between walls much closer
 * to each other than that.
 *
 * If records outlive ticks, c is as its record began: without acceleration, its position there covers all of its path
 * to the wall; with acceleration the path of the record's whole life counts. */
CAROM_LANE vreal scene_fuzz(const scene_frozen *s, scene_circle c, vreal size, vreal dt)
{
    vreal speed = v_abs(c.vx) + v_abs(c.vy), time = dt;
    if (s->accelerates) {
        time = s->goes_on ? record_life(s, c, dt) * time : time;
        speed = speed + (v_abs(c.ax) + v_abs(c.ay)) * time;
    }
    const vreal way = v_min(speed * time, v_set1(SCENE_RANGE));
    const vreal place = v_abs(c.x) + v_abs(c.y) + size;
    return (place + way) * v_set1(SCENE_FUZZ);
}

CAROM_LANE walls_circle scene_walls_circle(scene_circle c)
{
    walls_circle w;
    w.x = c.x, w.y = c.y, w.vx = c.vx, w.vy = c.vy, w.r = c.r;
    return w;
}

/* The lanes in which no product of a prediction overflows. Faster bodies meet no wall at all: otherwise the result
 * would depend on which far walls an engine skips. */
CAROM_LANE vmask scene_tame(scene_circle c, vreal size)
{
    const vreal speed = v_abs(c.vx) + v_abs(c.vy);
    const vreal place = v_abs(c.x) + v_abs(c.y) + (c.r + size);
    return v_le(speed * place * place * place, v_set1(REAL_MAX));
}

/* Makes `hit` an immediate contact if c is closer to the edge than half of scene_fuzz(), whatever its velocity;
 * scene_lift_off() then puts it back. Only rounding brings a centre so close: where coordinates are so large, and moves
 * so short, that a move changes one coordinate and not the other. */
CAROM_LANE void scene_offer_crossing(scene_contact *hit, scene_circle c, walls_edge edge, vreal fuzz, int32_t feature,
                                     vmask senses)
{
    const walls_sight sight = walls_sight_of(scene_walls_circle(c), edge);
    const vreal core = fuzz * v_set1(REAL(0.5)) * edge.length; /* height and feet are multiplied by the length, too */
    const vmask beside = m_and(v_ge(sight.foot_a, -core), v_le(sight.foot_b, core));
    vmask crosses = m_and(m_and(v_lt(sight.height, core), v_gt(sight.height, v_set1(0))), beside);
    crosses = m_andnot(m_and(crosses, v_gt(hit->time, c.t)), senses);
    if (m_any(crosses)) {
        vreal nx, ny;
        walls_edge_normal(edge, sight, &nx, &ny);
        hit->time = v_select(crosses, c.t, hit->time);
        hit->nx = v_select(crosses, nx, hit->nx);
        hit->ny = v_select(crosses, ny, hit->ny);
        hit->feature = i_select(crosses, i_set1(feature), hit->feature);
    }
}

/* The contact of an accelerated circle with a segment, a wall or an edge of a polygon. */
static scene_contact scene_accelerated_segment(scene_circle c, vreal ax, vreal ay, vreal bx, vreal by, vmask senses,
                                               vreal limit)
{
    quartic_motion m;
    m.px = c.x, m.py = c.y, m.vx = c.vx, m.vy = c.vy, m.ax = c.ax, m.ay = c.ay, m.r = c.r;
    accelerated_segment_ends ends;
    ends.ax = ax, ends.ay = ay, ends.bx = bx, ends.by = by;
    const accelerated_hit h = accelerated_segment(m, ends, limit, m_not(senses));
    return scene_contact_of(c, h.t, h.nx, h.ny, v_truncate(h.feature));
}

/* The time limit for contacts of a body without acceleration. */
CAROM_LANE vreal scene_limit(const scene_frozen *s, vreal dt)
{
    return s->goes_on ? (record_most(s, dt) + v_set1(1)) * dt : dt;
}

/* `senses`: the lanes with a sensor, in which only the start of a contact, from outside, counts. */
static scene_contact scene_wall_ahead(const scene_frozen *s, scene_circle c, scene_ends w, vmask senses, vreal dt)
{
    const walls_edge edge = walls_edge_of(w.ax, w.ay, w.bx, w.by);
    const vreal fuzz = scene_fuzz(s, c, w.size, dt);
    scene_contact hit;

    c.r = v_max(fuzz, c.r);
    if (s->accelerates) {
        const vreal limit = record_horizon(s, c, dt);
        hit = scene_accelerated_segment(c, w.ax, w.ay, w.bx, w.by, senses, limit);
    } else {
        const walls_hit h = walls_segment(scene_walls_circle(c), edge, false, scene_span(scene_limit(s, dt)));
        hit = scene_contact_of(c, h.t, h.nx, h.ny, h.feature);
    }
    scene_offer_crossing(&hit, c, edge, fuzz, 0, senses);

    /* No contact: with a sensor that c already touches, at speeds that overflow, and from the open side of a one-sided
     * wall. */
    vmask refused = m_and(senses, v_le(hit.time, c.t));
    refused = m_or(refused, m_not(scene_tame(c, w.size)));
    if (w.one_sided) {
        refused = m_or(refused, walls_sight_of(scene_walls_circle(c), edge).below);
    }
    hit.time = v_select(refused, v_set1(SCENE_NEVER), hit.time);
    return hit;
}

/* The contact in this tick. */
CAROM_LANE scene_contact scene_wall_contact(const scene_frozen *s, scene_circle c, scene_ends w, vmask senses, vreal dt)
{
    scene_contact hit = scene_wall_ahead(s, c, w, senses, dt);
    hit.time = record_event(s, hit.time, c.k, dt);
    return hit;
}

/* May c, which stays within the distance `near`, meet the edge from a to b? A cheap filter. */
CAROM_LANE vmask scene_edge_near(scene_circle c, vreal near, vreal ax, vreal ay, vreal bx, vreal by)
{
    const vreal x0 = v_min(ax, bx), x1 = v_max(ax, bx), y0 = v_min(ay, by), y1 = v_max(ay, by);
    const vreal size = v_abs(x0) + v_abs(x1) + (v_abs(y0) + v_abs(y1));
    const vreal x = v_max(x0 - c.x, c.x - x1), y = v_max(y0 - c.y, c.y - y1);
    return v_le(v_max(x, y), near + size * v_set1(2 * SCENE_FUZZ));
}

/* `senses`: see scene_wall_ahead(). */
static scene_contact scene_polygon_ahead(const scene_frozen *s, scene_circle c, scene_corners p, vmask senses, vreal dt)
{
    const uint32_t m = p.count;
    const vreal fuzz = scene_fuzz(s, c, p.size, dt);
    scene_contact hit;

    c.r = v_max(fuzz, c.r);
    if (s->accelerates) {
        /* The first contact with its edges, each as a wall. Most edges are far away, and quartics are expensive. */
        const vreal limit = record_horizon(s, c, dt), near = scene_near(s, c, s->goes_on ? limit : limit - c.t);
        hit = scene_contact_of(c, v_set1(SCENE_NEVER), c.x, c.y, i_set1(-1));
        for (uint32_t e = 0; e < m; e++) {
            const uint32_t next = e + 1 < m ? e + 1 : 0;
            const scene_corner from = scene_corner_at(p, e), to = scene_corner_at(p, next);
            if (!m_any(scene_edge_near(c, near, from.x, from.y, to.x, to.y))) {
                continue;
            }

            const scene_contact at = scene_accelerated_segment(c, from.x, from.y, to.x, to.y, senses, limit);
            const vmask earlier = v_lt(at.time, hit.time);
            const vint corner = i_add(at.feature, i_set1((int32_t)(m + e) - 1)); /* 1: corner e, 2: the next */
            const vint last = i_select(i_eq(at.feature, i_set1(2)), i_set1((int32_t)(m + next)), corner);
            hit.time = v_select(earlier, at.time, hit.time);
            hit.nx = v_select(earlier, at.nx, hit.nx);
            hit.ny = v_select(earlier, at.ny, hit.ny);
            hit.feature =
                i_select(earlier, i_select(i_eq(at.feature, i_set1(0)), i_set1((int32_t)e), last), hit.feature);
        }
    } else {
        /* Around the outline, edge by edge. A corner counts for a circle that is beyond the edge before it and before
         * the edge after it, so the first corner comes after the last edge. */
        const walls_circle w = scene_walls_circle(c);
        const walls_span span = scene_span(scene_limit(s, dt));
        walls_round round;
        round.best = walls_never();
        round.beyond = round.before_first = m_from_bits(0);
        for (uint32_t e = 0; e < m; e++) {
            const uint32_t next = e + 1 < m ? e + 1 : 0;
            const walls_edge edge = scene_edge_of(p, e, next);
            walls_round_edge(&round, w, edge, e == 0, (int32_t)e, (int32_t)(m + e), false, span);
        }
        const vmask facing = m_and(round.beyond, round.before_first);
        if (m_any(facing)) {
            const scene_corner first = scene_corner_at(p, 0);
            walls_corner(&round.best, w, first.x, first.y, facing, (int32_t)m, span);
        }
        hit = scene_contact_of(c, round.best.t, round.best.nx, round.best.ny, round.best.feature);
    }

    for (uint32_t e = 0; e < m; e++) {
        const uint32_t next = e + 1 < m ? e + 1 : 0;
        const walls_edge edge = scene_edge_of(p, e, next);
        scene_offer_crossing(&hit, c, edge, fuzz, (int32_t)e, senses);
    }

    const vmask refused = m_or(m_and(senses, v_le(hit.time, c.t)), m_not(scene_tame(c, p.size)));
    hit.time = v_select(refused, v_set1(SCENE_NEVER), hit.time);
    return hit;
}

/* The contact in this tick. */
CAROM_LANE scene_contact scene_polygon_contact(const scene_frozen *s, scene_circle c, scene_corners p, vmask senses,
                                               vreal dt)
{
    scene_contact hit = scene_polygon_ahead(s, c, p, senses, dt);
    hit.time = record_event(s, hit.time, c.k, dt);
    return hit;
}

/* ---- body and arc ---- */

/* scene_offer_crossing() for an arc. */
CAROM_LANE void scene_offer_arc_crossing(scene_contact *hit, scene_circle c, const arc_shape *arc, vreal fuzz,
                                         vmask senses)
{
    const arc_sight sight = arc_sight_of(arc, c.x, c.y, c.r);
    const vreal core = fuzz * v_set1(REAL(0.5)), height = v_abs(v_sqrt(sight.pp) - arc->radius);
    vmask crosses = m_and(arc_has(arc, sight.px, sight.py, core), sight.allowed);
    crosses = m_and(crosses, m_and(v_lt(height, core), v_gt(height, v_set1(0))));
    crosses = m_andnot(m_and(crosses, v_gt(hit->time, c.t)), senses);
    if (m_any(crosses)) {
        vreal nx, ny;
        arc_unit(sight.px, sight.py, sight.inside, &nx, &ny);
        hit->time = v_select(crosses, c.t, hit->time);
        hit->nx = v_select(crosses, nx, hit->nx);
        hit->ny = v_select(crosses, ny, hit->ny);
        const vint feature = i_select(sight.inside, i_set1(ARC_WITHIN), i_set1(ARC_WITHOUT));
        hit->feature = i_select(crosses, feature, hit->feature);
    }
}

/* `senses`: see scene_wall_ahead(). Not inlined, as most scenes have no arcs. */
static __attribute__((noinline, unused)) scene_contact scene_arc_ahead(const scene_frozen *s, scene_circle c,
                                                                       const scene_arc *a, vmask senses, vreal dt)
{
    const arc_shape arc = scene_arc_shape(a);
    const vreal fuzz = scene_fuzz(s, c, v_set1(a->size), dt);
    scene_contact hit;

    c.r = v_max(fuzz, c.r);
    if (s->accelerates) {
        quartic_motion m;
        m.px = c.x, m.py = c.y, m.vx = c.vx, m.vy = c.vy, m.ax = c.ax, m.ay = c.ay, m.r = c.r;
        const accelerated_hit h = accelerated_arc(m, arc, record_horizon(s, c, dt), m_not(senses));
        hit = scene_contact_of(c, h.t, h.nx, h.ny, v_truncate(h.feature));
    } else {
        const walls_hit h = arc_hit(scene_walls_circle(c), arc, m_not(senses), scene_span(scene_limit(s, dt)));
        hit = scene_contact_of(c, h.t, h.nx, h.ny, h.feature);
    }
    scene_offer_arc_crossing(&hit, c, &arc, fuzz, senses);

    const vmask refused = m_or(m_and(senses, v_le(hit.time, c.t)), m_not(scene_tame(c, v_set1(a->size))));
    hit.time = v_select(refused, v_set1(SCENE_NEVER), hit.time);
    return hit;
}

/* The contact in this tick. */
CAROM_LANE scene_contact scene_arc_contact(const scene_frozen *s, scene_circle c, const scene_arc *a, vmask senses,
                                           vreal dt)
{
    scene_contact hit = scene_arc_ahead(s, c, a, senses, dt);
    hit.time = record_event(s, hit.time, c.k, dt);
    return hit;
}

/* ---- slow bodies: see the head of this file ---- */

/* The lanes in which the contact `hit`, with an edge or end through (x, y), is skipped: without it c would be no deeper
 * at dt than rounding, or hardly deeper than now, so that bodies pressed together would meet forever. */
CAROM_LANE vmask scene_shallow(const scene_frozen *s, scene_circle c, scene_contact hit, vreal x, vreal y, vreal fuzz,
                               vreal dt)
{
    /* The height of c above the edge at dt, and the height from which the contact is skipped. */
    const scene_circle end = scene_moved(s, c, dt, dt);
    const vreal r = v_max(fuzz, c.r), most = v_max(r - fuzz, r * v_set1(REAL(0.5)));
    const vreal height = (end.x - x) * hit.nx + (end.y - y) * hit.ny;

    const vreal u = -(c.vx * hit.nx + c.vy * hit.ny); /* the speed of approach */
    const vmask hardly = v_le(u * (dt - hit.time), fuzz * v_set1(SCENE_CREEP));
    return m_and(v_lt(hit.time, v_set1(SCENE_NEVER)), m_or(m_and(hardly, v_gt(height, v_set1(0))), v_ge(height, most)));
}

/* scene_meeting() for slow bodies that strike each other. */
static vreal scene_slow_meeting(const scene_frozen *s, scene_circle i, scene_circle j, vreal shift_x, vreal shift_y,
                                vreal dt)
{
    const vreal never = v_set1(SCENE_NEVER), end = dt;
    const vreal time = scene_meeting(s, i, j, shift_x, shift_y, m_from_bits(0), dt);
    if (!m_any(v_lt(time, never))) {
        return time;
    }

    /* As scene_shallow(), but heights are multiplied by the distance at the contact, which saves a division. */
    const vreal at = v_min(time, end), fuzz = scene_fuzz(s, i, v_set1(0), dt) + scene_fuzz(s, j, v_set1(0), dt);
    const circles_pair there = scene_image_of(scene_moved(s, i, at, dt), scene_moved(s, j, at, dt), shift_x, shift_y);
    const circles_pair last = scene_image_of(scene_moved(s, i, end, dt), scene_moved(s, j, end, dt), shift_x, shift_y);
    const vreal distance = v_sqrt(there.px * there.px + there.py * there.py);

    const vreal height = last.px * there.px + last.py * there.py;
    const vreal u = -(there.vx * there.px + there.vy * there.py);
    const vmask hardly = v_le(u * (end - at), fuzz * v_set1(SCENE_CREEP) * distance);
    const vreal most = v_max(there.r - fuzz, there.r * v_set1(REAL(0.5)));
    const vmask shallow = m_or(m_and(hardly, v_gt(height, v_set1(0))), v_ge(height, most * distance));

    return v_select(m_and(shallow, v_gt(distance, v_set1(0))), never, time);
}

/* scene_wall_contact() for slow bodies. */
static scene_contact scene_slow_wall_contact(const scene_frozen *s, scene_circle c, scene_ends w, vreal dt)
{
    const vreal never = v_set1(SCENE_NEVER);
    scene_contact hit = scene_wall_contact(s, c, w, m_from_bits(0), dt);
    if (m_any(v_lt(hit.time, never))) {
        const vmask second = i_eq(hit.feature, i_set1(2));
        const vreal x = v_select(second, w.bx, w.ax), y = v_select(second, w.by, w.ay);
        hit.time = v_select(scene_shallow(s, c, hit, x, y, scene_fuzz(s, c, w.size, dt), dt), never, hit.time);
    }
    return hit;
}

/* The first contact with an edge of the polygon, each as a wall, that is not skipped. `over` is the feature of the
 * polygon's first contact, which has been skipped, and may hide these. */
static scene_contact scene_slow_edges(const scene_frozen *s, scene_circle c, scene_corners p, vint over, vreal fuzz,
                                      vreal dt)
{
    const int32_t m = (int32_t)p.count;
    const vreal never = v_set1(SCENE_NEVER);

    /* Corners at the feature itself do not count: moving along an edge, slightly inside it, c would seem to hit its
     * ends. They are the edge's two, or the corner itself. */
    const vmask edge_over = i_gt(i_set1(m), over);
    const vint left = i_select(edge_over, over, i_sub(over, i_set1(m)));
    const vint after = i_select(i_eq(over, i_set1(m - 1)), i_set1(0), i_add(over, i_set1(1)));
    const vint right = i_select(edge_over, after, left);

    scene_contact best = scene_contact_of(c, never, v_set1(0), v_set1(0), i_set1(-1));
    scene_circle seen = c;
    seen.r = v_max(fuzz, c.r);

    for (int32_t e = 0; e < m; e++) {
        const int32_t next = e + 1 < m ? e + 1 : 0;
        const walls_edge edge = scene_edge_of(p, (uint32_t)e, (uint32_t)next);
        const walls_hit h = walls_segment(scene_walls_circle(seen), edge, false, scene_span(dt));
        scene_contact hit = scene_contact_of(c, h.t, h.nx, h.ny, h.feature);
        hit.time = record_event(s, hit.time, c.k, dt);

        /* The point of contact: along the edge, or at one of its ends. */
        const vmask straight = i_eq(h.feature, i_set1(0)), second = i_eq(h.feature, i_set1(2));
        const vint corner = i_select(second, i_set1(next), i_set1(e));
        const vmask beside = m_andnot(m_or(i_eq(corner, left), i_eq(corner, right)), straight);
        const vreal at_x = v_select(second, edge.bx, edge.ax), at_y = v_select(second, edge.by, edge.ay);

        const vmask shallow = scene_shallow(s, c, hit, at_x, at_y, fuzz, dt);
        const vmask earlier = m_andnot(v_lt(hit.time, best.time), m_or(shallow, beside));
        best.time = v_select(earlier, hit.time, best.time);
        best.nx = v_select(earlier, hit.nx, best.nx);
        best.ny = v_select(earlier, hit.ny, best.ny);
        best.feature = i_select(earlier, i_select(straight, i_set1(e), i_add(corner, i_set1(m))), best.feature);
    }
    return best;
}

/* scene_polygon_contact() for slow bodies. */
static scene_contact scene_slow_polygon_contact(const scene_frozen *s, scene_circle c, scene_corners p, vreal dt)
{
    const vreal never = v_set1(SCENE_NEVER);
    scene_contact hit = scene_polygon_contact(s, c, p, m_from_bits(0), dt);
    if (m_any(v_lt(hit.time, never))) {
        /* A corner at the feature: the corner itself, or the first of the edge. */
        const vreal fuzz = scene_fuzz(s, c, p.size, dt);
        real x[LANES], y[LANES];
        int32_t feature[LANES];
        i_compress(feature, m_below(LANES), hit.feature);
        for (int l = 0; l < LANES; l++) {
            const uint32_t of = feature[l] < 0 ? 0 : (uint32_t)feature[l], corner = of < p.count ? of : of - p.count;
            const size_t at = p.step == 0 ? corner : corner * p.step + (size_t)l;
            x[l] = p.x[at], y[l] = p.y[at];
        }

        /* In lanes that skip this contact, another edge may come next. */
        const vmask shallow = scene_shallow(s, c, hit, v_loadu(x), v_loadu(y), fuzz, dt);
        if (m_any(shallow)) {
            const scene_contact other = scene_slow_edges(s, c, p, hit.feature, fuzz, dt);
            const vreal later = v_select(scene_tame(c, p.size), other.time, never);
            hit.time = v_select(shallow, later, hit.time);
            hit.nx = v_select(shallow, other.nx, hit.nx);
            hit.ny = v_select(shallow, other.ny, hit.ny);
            hit.feature = i_select(shallow, other.feature, hit.feature);
        }
    }
    return hit;
}

/* scene_arc_contact() for slow bodies. As scene_shallow(), but with the distance from the arc itself, which curves away
 * from its tangent. */
static __attribute__((noinline, unused)) scene_contact scene_slow_arc_contact(const scene_frozen *s, scene_circle c,
                                                                              const scene_arc *a, vreal dt)
{
    const vreal zero = v_set1(0), never = v_set1(SCENE_NEVER), radius = v_set1(a->radius);
    scene_contact hit = scene_arc_contact(s, c, a, m_from_bits(0), dt);
    const vmask there = v_lt(hit.time, never);
    if (!m_any(there)) {
        return hit;
    }

    /* The distance of c from that part of the arc at the contact, and at dt. */
    const scene_circle at = scene_moved(s, c, v_select(there, hit.time, c.t), dt), end = scene_moved(s, c, dt, dt);
    const vmask at_a = i_eq(hit.feature, i_set1(ARC_END_A)), at_b = i_eq(hit.feature, i_set1(ARC_END_B));
    const vmask within = i_eq(hit.feature, i_set1(ARC_WITHIN)), curve = m_not(m_or(at_a, at_b));
    const vreal x = v_set1(a->x) + v_select(at_a, v_set1(a->ax), v_select(at_b, v_set1(a->bx), zero));
    const vreal y = v_set1(a->y) + v_select(at_a, v_set1(a->ay), v_select(at_b, v_set1(a->by), zero));
    const vreal px = at.x - x, py = at.y - y, qx = end.x - x, qy = end.y - y;
    const vreal before = v_sqrt(px * px + py * py), after = v_sqrt(qx * qx + qy * qy);
    const vreal far = v_select(curve, radius, zero);
    const vreal now = v_flip(within, before - far), height = v_flip(within, after - far);

    const vreal fuzz = scene_fuzz(s, c, v_set1(a->size), dt), r = v_max(fuzz, c.r);
    const vreal most = v_max(r - fuzz, r * v_set1(REAL(0.5)));
    const vmask hardly = m_and(v_le(now - height, fuzz * v_set1(SCENE_CREEP)), v_gt(height, zero));
    const vmask shallow = m_and(there, m_or(hardly, v_ge(height, most)));
    hit.time = v_select(shallow, never, hit.time);
    return hit;
}

/* ---- responses ---- */

/* The speed of separation after an approach with u > 0; `lean` is the acceleration towards each other. Under that
 * acceleration the two separate fast enough to meet again after contact_time at the earliest. Without this all speeds
 * in a pile would go to 0, as every impact takes some, and the number of impacts would grow without bound: a body that
 * carries L times its weight at speeds of w has L a / 2 w impacts per unit of time. */
CAROM_LANE vreal scene_parting(const scene_frozen *s, vreal u, vreal restitution, vmask elastic, vreal lean)
{
    vreal speed = v_select(elastic, v_set1(1), restitution) * u;
    if (s->accelerates && s->contact_time > 0) {
        speed = v_max(speed, lean * v_set1(s->contact_time * REAL(0.5)));
    }
    return speed;
}

/* The least speed of approach that a response assumes, for velocities that add up to `speed`. As both are rounded, two
 * things that touch and hardly move may approach according to the prediction and not according to the response: without
 * this minimum they would meet at the same time forever. With it they separate by more than the rounding of their
 * velocities. */
CAROM_LANE vreal scene_least_approach(vreal speed)
{
    return speed * v_set1(8 * WALLS_EPSILON);
}

typedef struct scene_normal {
    vreal x, y;
} scene_normal;

/* A lower bound on the acceleration with which i and j lean on each other: they may carry the weight of others,
 * whatever their own accelerations along the normal. */
CAROM_LANE vreal scene_weight(scene_circle i, scene_circle j, scene_normal n)
{
    const vreal own = -((i.ax - j.ax) * n.x + (i.ay - j.ay) * n.y);
    const vreal most = v_max(i.ax * i.ax + i.ay * i.ay, j.ax * j.ax + j.ay * j.ay);
    return v_max(own, v_sqrt(most));
}

/* The normal from j to i, which touch. If the centres coincide it is opposite to the direction in which i moves. */
CAROM_LANE scene_normal scene_normal_of(scene_circle i, scene_circle j, vreal shift_x, vreal shift_y)
{
    const vreal zero = v_set1(0), one = v_set1(1);
    vreal dx = i.x - (j.x + shift_x), dy = i.y - (j.y + shift_y);
    const vmask same = m_and(v_eq(dx, zero), v_eq(dy, zero));
    dx = v_select(same, j.vx - i.vx, dx);
    dy = v_select(same, j.vy - i.vy, dy);
    const vreal length = v_sqrt(dx * dx + dy * dy), some = v_select(v_gt(length, zero), length, one);
    scene_normal n;
    n.x = dx / some;
    n.y = dy / some;
    return n;
}

/* How far an impact separates circles of radius r that overlap by `depth`, in scenes with accelerations: resting bodies
 * are hit so often that rounding errors would add up. A deep overlap, which the caller has made, is removed in small
 * steps, so that no body is pushed through the next one. */
CAROM_LANE vreal scene_lift(vreal depth, vreal r, vreal fuzz)
{
    const vreal most = v_max(fuzz, r * v_set1(SCENE_LIFT));
    return v_min(v_max(depth, v_set1(0)), most);
}

/* The possible rounding error of a body that meets something: `from` is its record before that, `at` its position
 * then. */
CAROM_LANE vreal scene_rough(const scene_frozen *s, scene_circle from, scene_circle at, vreal dt)
{
    return scene_fuzz(s, s->goes_on ? from : at, v_set1(0), dt);
}

/* Moves c out of a wall or polygon that it meets with the normal n; (x, y) is a point of the edge, or the corner, rough
 * is scene_rough(), and `size` as in scene_fuzz(). In scenes without accelerations it moves only a circle that is about
 * to cross the wall, and one that meets an arc from inside (`bend`, see scene_bend()): rolling along it, the circle
 * would sink in by some roundings with every impact. */
CAROM_LANE void scene_lift_off(const scene_frozen *s, scene_circle *c, scene_normal n, vreal x, vreal y, vreal size,
                               vreal rough, vreal bend)
{
    const vreal fuzz = rough + size * v_set1(SCENE_FUZZ), r = v_max(fuzz, c->r);
    const vreal height = (c->x - x) * n.x + (c->y - y) * n.y;
    vreal way = scene_lift(r - height, r, fuzz);
    if (!s->accelerates) {
        const vmask lifts = m_or(v_lt(height, fuzz * v_set1(REAL(0.5))), v_gt(bend, v_set1(0)));
        way = v_select(lifts, way, v_set1(0));
    }
    c->x = c->x + way * n.x;
    c->y = c->y + way * n.y;
}

/* Separates i and j, which meet: the lighter one moves more. fuzz: the sum of scene_rough() of both. */
CAROM_LANE void scene_lift_apart(scene_circle *i, scene_circle *j, scene_normal n, vreal shift_x, vreal shift_y,
                                 vreal inverse_i, vreal inverse_j, vreal fuzz)
{
    const vreal dx = i->x - (j->x + shift_x), dy = i->y - (j->y + shift_y);
    const vreal length = v_sqrt(dx * dx + dy * dy);
    const vreal way = scene_lift(i->r + j->r - length, v_min(i->r, j->r), fuzz);
    const vreal each = way / (inverse_i + inverse_j);
    const vreal on_i = each * inverse_i, on_j = each * inverse_j;
    i->x = i->x + on_i * n.x;
    i->y = i->y + on_i * n.y;
    j->x = j->x - on_j * n.x;
    j->y = j->y - on_j * n.y;
}

/* The reference point of scene_lift_off() on the feature of an obstacle: an end of the edge, the corner, or the point
 * of an arc at the foot of the normal. */
CAROM_LANE void scene_foothold(const scene_frozen *s, uint32_t which, int32_t feature, real nx, real ny, real *x,
                               real *y)
{
    const scene_arc *arc = scene_arc_of(s, which);
    if (arc != NULL) {
        const real out = feature == ARC_WITHIN ? -arc->radius : arc->radius;
        *x = arc->x + (feature == ARC_END_A ? arc->ax : feature == ARC_END_B ? arc->bx : out * nx);
        *y = arc->y + (feature == ARC_END_A ? arc->ay : feature == ARC_END_B ? arc->by : out * ny);
    } else if (which < s->walls) {
        const scene_wall *w = &s->wall[which];
        *x = feature == 2 ? w->bx : w->ax;
        *y = feature == 2 ? w->by : w->ay;
    } else {
        const scene_polygon *p = &s->polygon[which - s->walls];
        const uint32_t corner = (uint32_t)feature < p->corners ? (uint32_t)feature : (uint32_t)feature - p->corners;
        *x = s->corner_x[p->first + corner];
        *y = s->corner_y[p->first + corner];
    }
}

CAROM_LANE real scene_size(const scene_frozen *s, uint32_t which)
{
    const scene_arc *arc = scene_arc_of(s, which);
    return arc != NULL ? arc->size : which < s->walls ? s->wall[which].size : s->polygon[which - s->walls].size;
}

/* The radius of the arc with this id if it is met from inside, otherwise 0: for scene_lift_off() and scene_glide(). */
CAROM_LANE real scene_bend(const scene_frozen *s, uint32_t id, int32_t feature)
{
    return id < scene_arc_id(s, 0) || feature != ARC_WITHIN ? 0 : s->arc[id - scene_arc_id(s, 0)].radius;
}

/* Gives i and j, which are at their time of impact, the velocities after it; returns the impulse. inverse_*: of masses.
 *
 * The length of a unit normal is 1 except for rounding, and the error of its square enters the energy. Numbers below 1
 * are closer together than those above, so the rounded square is biased, and all impacts together would heat the world.
 * Hence the impulse is along 1.25 n and is divided by the square of that, around which numbers are evenly spaced. */
CAROM_LANE vreal scene_collide(const scene_frozen *s, scene_circle *i, scene_circle *j, scene_normal n, vreal inverse_i,
                               vreal inverse_j, vreal restitution, vmask elastic)
{
    const vreal length = v_set1(SCENE_LENGTH), qx = n.x * length, qy = n.y * length;
    const vreal square = qx * qx + qy * qy;

    /* The speed of approach. This and the following are multiplied by 1.25. */
    const vreal speed = v_abs(i->vx) + v_abs(i->vy) + (v_abs(j->vx) + v_abs(j->vy));
    vreal u = -((i->vx - j->vx) * qx + (i->vy - j->vy) * qy);
    const vreal lean = s->accelerates ? scene_weight(*i, *j, n) * length : v_set1(0);
    u = v_max(u, scene_least_approach(speed) * length);

    const vreal both = (inverse_i + inverse_j) * square;
    vreal impulse = (u + scene_parting(s, u, restitution, elastic, lean)) / both;
    impulse = v_max(impulse, v_set1(s->least_impulse / SCENE_LENGTH));

    vreal on_i = impulse * inverse_i, on_j = impulse * inverse_j;
    i->vx = i->vx + on_i * qx;
    i->vy = i->vy + on_i * qy;
    j->vx = j->vx - on_j * qx;
    j->vy = j->vy - on_j * qy;
    return impulse * length;
}

/* Gives c the velocity after an impact with something that does not move; returns the change along the normal. */
CAROM_LANE vreal scene_rebound(const scene_frozen *s, scene_circle *c, scene_normal n, vreal restitution, vmask elastic)
{
    const vreal least = scene_least_approach(v_abs(c->vx) + v_abs(c->vy));
    vreal u = v_max(-(c->vx * n.x + c->vy * n.y), least);
    vreal lean = -(c->ax * n.x + c->ay * n.y);
    vreal change = u + scene_parting(s, u, restitution, elastic, lean);
    c->vx = c->vx + change * n.x;
    c->vy = c->vy + change * n.y;
    return change;
}

/* Turns a velocity after an impact with an arc of radius `bend` from inside, so that the speed off the arc is at least
 * a certain share of that along it: the body flies along a chord, whose length is twice that share times the radius of
 * the circle in which its centre moves. A body that came no faster than twice that, as from the end of such a chord,
 * keeps its speed. vx, vy: the velocity before the impact. bend 0: no such impact. */
CAROM_LANE void scene_glide(scene_circle *c, vreal vx, vreal vy, scene_normal n, vreal bend)
{
    const vreal zero = v_set1(0), circle = bend - c->r, way = v_max(c->r, bend * v_set1(REAL(0.015625)));
    const vreal share = v_select(v_lt(way, circle), way / circle, v_set1(1)) * v_set1(SCENE_HOP);
    const vreal off = c->vx * n.x + c->vy * n.y, along = c->vy * n.x - c->vx * n.y, least = share * v_abs(along);
    const vmask flat = m_and(v_gt(bend, zero), v_lt(off, least));

    const vreal u = vx * n.x + vy * n.y;
    const vreal kept = v_select(v_le(v_abs(u), least + least), u * u, zero) + (along * along - least * least);
    const vreal rest = v_flip(v_lt(along, zero), v_sqrt(v_max(kept, zero)));
    c->vx = v_select(flat, least * n.x - rest * n.y, c->vx);
    c->vy = v_select(flat, least * n.y + rest * n.x, c->vy);
}

#endif
