/* SPDX-License-Identifier: MIT
 * Rays, and circles that move along one, against arcs of circles: see toi/ray.h, and toi/arc.h for what an arc is.
 *
 * For a circle of radius w an arc of radius R is bounded by an outer arc of radius R + w, hit on entering that circle,
 * an inner one of radius R - w, hit on leaving that one, and the discs of radius w around its ends. A position that
 * rounding puts off the end of the arc counts as on it, so that a ray passes neither between the pieces nor between
 * arcs that join. An arc that exists for one side only is hit by what starts on the other side only after it has come
 * in past an end.
 */
#ifndef CAROM_TOI_RAY_ARC_H
#define CAROM_TOI_RAY_ARC_H

#include "toi/arc.h"
#include "toi/near.h"

/* An arc relative to the start. */
typedef struct rays_arc {
    arc_shape s;
    vreal px, py, pp;   /* from the start to the arc's centre, and its square */
    vmask inside, over; /* the start is inside the arc's circle; its nearest point is not an end */
    vreal end_a, end_b; /* squares of the distances of the ends */
    vreal more;         /* some rounding errors of these lengths */
} rays_arc;

CAROM_LANE rays_arc rays_arc_of(vreal ox, vreal oy, arc_shape s)
{
    const vreal zero = v_set1(0);
    rays_arc q;
    q.s = s;
    q.px = s.x - ox, q.py = s.y - oy;
    q.pp = q.px * q.px + q.py * q.py;
    q.inside = v_lt(q.pp, s.radius * s.radius);
    q.over = arc_has(&s, -q.px, -q.py, zero);
    vreal ax = q.px + s.ax, ay = q.py + s.ay, bx = q.px + s.bx, by = q.py + s.by;
    q.end_a = ax * ax + ay * ay;
    q.end_b = bx * bx + by * by;
    q.more = (v_abs(q.px) + v_abs(q.py) + s.radius) * v_set1(2 * WALLS_EPSILON);
    return q;
}

/* Does the arc exist on the side of the start? */
CAROM_LANE vmask rays_arc_there(const rays_arc *q)
{
    return m_select(q->inside, q->s.within, q->s.without);
}

/* The distance of the start from the arc, whether the arc exists on this side or not. */
CAROM_LANE vreal near_arc(const rays_arc *q)
{
    vreal curve = v_abs(v_sqrt(q->pp) - q->s.radius);
    return v_select(q->over, curve, v_sqrt(v_min(q->end_a, q->end_b)));
}

/* The distance t, if the position there is on the arc. */
CAROM_LANE vreal rays_arc_at(const rays_arc *q, vmask valid, vreal t, vreal ux, vreal uy)
{
    t = v_select(valid, t, v_set1(0));
    vreal slack = q->more + t * v_set1(4 * WALLS_EPSILON);
    vmask on = arc_has(&q->s, t * ux - q->px, t * uy - q->py, slack);
    return v_select(m_and(valid, on), t, v_set1(RAYS_NEVER));
}

/* By a circle of radius w >= 0. */
CAROM_LANE vreal rays_arc_met(rays_arc q, vreal w, vreal ux, vreal uy)
{
    const vreal zero = v_set1(0), never = v_set1(RAYS_NEVER);
    vreal b = q.px * ux + q.py * uy, cross = q.px * uy - q.py * ux, square = cross * cross;
    vmask ahead = v_gt(b, zero);

    /* Into the outer circle: the first root, in the form that does not cancel. */
    vreal outer = q.s.radius + w, c = q.pp - outer * outer, d = outer * outer - square;
    vmask enters = m_and(m_and(ahead, q.s.without), m_and(v_gt(c, zero), v_ge(d, zero)));
    vreal root = v_sqrt(v_max(d, zero));
    vreal best = rays_arc_at(&q, enters, c / v_select(enters, b + root, v_set1(1)), ux, uy);

    /* Out of the inner circle: the second root. */
    vreal inner = q.s.radius - w;
    c = q.pp - inner * inner, d = inner * inner - square;
    vmask leaves = m_and(m_and(v_gt(inner, zero), q.s.within), m_and(v_ge(d, zero), m_or(ahead, v_lt(c, zero))));
    root = v_sqrt(v_max(d, zero));
    vreal back = c / v_select(ahead, v_set1(1), b - root);
    best = v_min(best, rays_arc_at(&q, leaves, v_select(ahead, b + root, back), ux, uy));

    /* Ends, of which a ring has none. */
    const vmask ends = m_andnot(rays_arc_there(&q), q.s.ring);
    if (m_any(m_and(ends, v_gt(w, zero)))) {
        rays_disc at_a = rays_disc_of(zero, zero, q.px + q.s.ax, q.py + q.s.ay, w);
        rays_disc at_b = rays_disc_of(zero, zero, q.px + q.s.bx, q.py + q.s.by, w);
        vreal first = v_min(rays_disc_met(at_a, ux, uy), rays_disc_met(at_b, ux, uy));
        best = v_min(best, v_select(ends, first, never));
    }

    vmask touches = m_and(rays_arc_there(&q), v_le(near_arc(&q), w));
    return v_select(touches, zero, best);
}

#endif
