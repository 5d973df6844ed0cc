/* SPDX-License-Identifier: MIT
 * Rays, and circles that move along a ray, against circles, walls and sides: one pair in each lane. Nothing else moves.
 *
 * A ray begins at o and runs along u, a unit vector up to rounding. The answer is the distance along u:
 *     0           the start touches or overlaps the thing ("inside")
 *     +INFINITY   the ray misses it
 * If an input is NaN, the answer is NaN or a miss. What depends on the start alone is computed once, in rays_NAME_of(),
 * so that many rays from one point share it.
 *
 * Accuracy, in eps = the spacing of numbers at 1 (tests/toi/test_rays.c). Let S be the greatest of the answer, the
 * radius, and the distance of the start from the centre or the nearer end; and q the cosine of the angle between u and
 * the normal at the hit. A distance is within 16 eps S / q of the exact one. Whether there is a hit is decided
 * correctly unless the ray passes the rim within 16 eps S, or an end within 16 eps of the distance to it. For a moving
 * circle against an edge the answer is correct for one whose radius differs by 16 eps S, with S up to the farther end.
 *
 * No gaps: an edge is hit if its ends lie on different sides of the ray, or on it, and an end shared by two edges is on
 * the same side for both. So no ray passes between the edges of an outline.
 *
 * Each kind of wall has a structure, its rays_NAME_of() and its rays_NAME_met(). Arcs of circles are in
 * toi/ray_arc.h.
 */
#ifndef CAROM_TOI_RAY_H
#define CAROM_TOI_RAY_H

#include "simd/lanes.h"

#define RAYS_NEVER ((real)__builtin_inf())

/* --- Directions --------------------------------------------------------------------------------------------------- */

/* Makes (x, y) a unit vector, within 2 eps, whatever its length; 0 stays 0. */
CAROM_LANE void rays_unit(vreal *x, vreal *y)
{
    const vreal zero = v_set1(0);
    vreal size = v_max(v_abs(*x), v_abs(*y));
    vmask some = v_gt(size, zero);
    size = v_select(some, size, v_set1(1));
    vreal ux = *x / size, uy = *y / size; /* squares neither overflow, nor do both underflow */
    vreal length = v_sqrt(ux * ux + uy * uy);
    length = v_select(some, length, v_set1(1));
    *x = ux / length;
    *y = uy / length;
}

/* --- Circles ------------------------------------------------------------------------------------------------------ */

/* A circle relative to the start. For a circle of radius w that moves along the ray, r is the sum of both radii. */
typedef struct rays_disc {
    vreal px, py; /* from the start to the centre */
    vreal rr, c;  /* r^2, and p^2 - r^2: not above 0 inside */
} rays_disc;

CAROM_LANE rays_disc rays_disc_of(vreal ox, vreal oy, vreal x, vreal y, vreal r)
{
    rays_disc q;
    q.px = x - ox;
    q.py = y - oy;
    q.rr = r * r;
    q.c = q.px * q.px + q.py * q.py - q.rr;
    return q;
}

CAROM_LANE vmask rays_disc_inside(rays_disc q)
{
    return v_le(q.c, v_set1(0));
}

/* From outside: the first root of t^2 - 2 b t + c = 0, in the form that does not cancel. The discriminant r^2 - (p x
 * u)^2 does not cancel either when the circle is far away. */
CAROM_LANE vreal rays_disc_met(rays_disc q, vreal ux, vreal uy)
{
    const vreal zero = v_set1(0), never = v_set1(RAYS_NEVER);
    vreal b = q.px * ux + q.py * uy, cross = q.px * uy - q.py * ux;
    vreal d = q.rr - cross * cross;
    vreal t = q.c / (b + v_sqrt(v_max(d, zero)));
    t = v_select(m_and(v_gt(b, zero), v_ge(d, zero)), t, never);
    return v_select(rays_disc_inside(q), zero, t);
}

/* --- Edges -------------------------------------------------------------------------------------------------------- */

/* A straight edge from a to b, relative to the start. */
typedef struct rays_edge {
    vreal ax, ay, bx, by; /* from the start to the ends */
    vreal ex, ey;         /* from a to b */
    vreal cross;          /* a x e: the height of the start above the line, times |e|; > 0 to the left of the edge */
    vreal flat;           /* |u x e| of a ray that is nearly parallel to the edge */
} rays_edge;

/* The height is computed from the nearer end, so that its error is relative to that distance. */
CAROM_LANE rays_edge rays_edge_of(vreal ox, vreal oy, vreal ax, vreal ay, vreal bx, vreal by)
{
    rays_edge q;
    q.ax = ax - ox, q.ay = ay - oy;
    q.bx = bx - ox, q.by = by - oy;
    q.ex = bx - ax, q.ey = by - ay;
    vmask near_a = v_lt(q.ax * q.ax + q.ay * q.ay, q.bx * q.bx + q.by * q.by);
    vreal px = v_select(near_a, q.ax, q.bx), py = v_select(near_a, q.ay, q.by);
    q.cross = px * q.ey - py * q.ex;
    q.flat = v_max(v_abs(q.ex), v_abs(q.ey)) * v_set1(REAL(0.0009765625));
    return q;
}

/* If ray and edge are nearly parallel, rounding can make t any number: clamp it between those of the ends. A ray on the
 * edge's line, whose t is 0 / 0, hits the nearer end, or the edge at 0 if it starts on it. */
CAROM_LANE vreal rays_edge_flat(rays_edge q, vreal ux, vreal uy, vreal t)
{
    const vreal zero = v_set1(0);
    vreal a = q.ax * ux + q.ay * uy, b = q.bx * ux + q.by * uy;
    vreal first = v_max(v_min(a, b), zero), last = v_max(a, b);
    t = v_min(v_max(t, first), last); /* NaN becomes `first` */
    return v_select(v_ge(last, zero), t, v_set1(RAYS_NEVER));
}

/* From either side. A wall that stops only what comes from its left is hit if also q.cross > 0. */
CAROM_LANE vreal rays_edge_met(rays_edge q, vreal ux, vreal uy)
{
    const vreal zero = v_set1(0), never = v_set1(RAYS_NEVER);
    vreal a = ux * q.ay - uy * q.ax, b = ux * q.by - uy * q.bx; /* u x a, u x b: the sides on which the ends lie */
    vmask between = m_and(v_le(v_min(a, b), zero), v_ge(v_max(a, b), zero));
    vreal fall = ux * q.ey - uy * q.ex, t = q.cross / fall;
    vreal answer = v_select(m_and(between, v_ge(t, zero)), v_abs(t), never); /* no -0; NaN is never */

    vmask flat = m_and(between, v_le(v_abs(fall), q.flat));
    if (m_any(flat)) {
        answer = v_select(flat, rays_edge_flat(q, ux, uy, t), answer);
    }
    return answer;
}

/* --- Edges met by a circle that moves along the ray --------------------------------------------------------------- */

/* The straight part of an edge against a circle of radius w > 0: where its centre enters the rectangle that extends w
 * beyond the edge on both sides. The other parts are the discs of radius w around the ends. */
CAROM_LANE vreal rays_side_met(rays_edge q, vreal w, vreal ux, vreal uy)
{
    const vreal zero = v_set1(0), never = v_set1(RAYS_NEVER);
    vreal square = q.ex * q.ex + q.ey * q.ey;
    vreal fall = v_flip(v_lt(q.cross, zero), ux * q.ey - uy * q.ex); /* towards the line, times |e| */
    vreal gap = v_abs(q.cross) - w * v_sqrt(square);
    vmask touches = v_le(gap, zero);
    vreal t = v_select(touches, zero, gap / v_select(v_gt(fall, zero), fall, v_set1(1)));

    /* The foot of the centre then, from the start of the edge, which must be within the edge. */
    vreal along = (ux * q.ex + uy * q.ey) * t;
    vreal foot_a = along - (q.ax * q.ex + q.ay * q.ey), foot_b = along - (q.bx * q.ex + q.by * q.ey);
    vmask within = m_and(v_ge(foot_a, zero), v_le(foot_b, zero));
    vmask met = m_and(m_or(touches, v_gt(fall, zero)), m_and(within, v_gt(square, zero)));
    return v_select(met, t, never);
}

/* The whole edge. Rectangle and discs overlap where they join, so that rounding leaves no gap between them. */
CAROM_LANE vreal rays_edge_met_by(rays_edge q, vreal w, vreal ux, vreal uy)
{
    const vreal zero = v_set1(0);
    rays_disc a = rays_disc_of(zero, zero, q.ax, q.ay, w), b = rays_disc_of(zero, zero, q.bx, q.by, w);
    vreal ends = v_min(rays_disc_met(a, ux, uy), rays_disc_met(b, ux, uy));
    return v_min(rays_side_met(q, w, ux, uy), ends);
}

/* --- Sides of a box ----------------------------------------------------------------------------------------------- */

/* Everything beyond an axis-parallel line is solid. `gap` is the distance of the start from it, minus the radius of
 * what moves; `fall` the component of u towards it. So for the left side gap = ox - x0 - w and fall = -ux. */
CAROM_LANE vreal rays_box_met(vreal gap, vreal fall)
{
    const vreal zero = v_set1(0);
    vreal t = v_select(v_gt(fall, zero), gap / fall, v_set1(RAYS_NEVER));
    return v_select(v_le(gap, zero), zero, t);
}

#endif
