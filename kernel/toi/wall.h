/* SPDX-License-Identifier: MIT
 * Circle against fixed walls: line, segment and point, one pair in each lane, by the contract of carom/toi_walls.h.
 *
 * A circle hits a segment where its centre enters the capsule around it: through a straight side, or through the cap of
 * an end. One number decides which: the foot of the centre on the line at the time when the circle touches the line,
 * before the start, beyond the end, or between them. Straight part and caps cannot both decline, so there is no gap;
 * and rounding moves a contact only where cap and side are tangent to each other. An outline's corner counts if the
 * foot is beyond the end of the edge before it and before the start of the edge after it, so a circle that rolls along
 * an edge finds no corner at its end.
 *
 * Only the last step divides: the sign of the foot at the time num / den is that of the foot times den.
 */
#ifndef CAROM_TOI_WALL_H
#define CAROM_TOI_WALL_H

#include "simd/lanes.h"

#if CAROM_REAL_BITS == 64
#define WALLS_EPSILON DBL_EPSILON
#else
#define WALLS_EPSILON FLT_EPSILON
#endif
#define WALLS_FOOT (4 * WALLS_EPSILON)  /* how far beyond its ends an edge accepts a contact, see walls_course_of() */
#define WALLS_GRAZE (4 * WALLS_EPSILON) /* a corner passed with less overlap is not hit, see walls_disc_of() */
#define WALLS_NEVER ((real)__builtin_inf())

typedef struct walls_circle {
    vreal x, y, vx, vy, r;
} walls_circle;

/* An impact with a wall. */
typedef struct walls_hit {
    vreal t;      /* +INFINITY: none */
    vreal nx, ny; /* the unit normal from the wall towards the centre; 0: none */
    vint feature; /* the part that is hit, as numbered in carom/toi_walls.h; -1: none */
} walls_hit;

/* The times at which a hit is accepted: [0, limit], or [-limit, 0] for discrete detection at the end of a tick. */
typedef struct walls_span {
    vreal from, to;
} walls_span;

CAROM_LANE walls_span walls_span_of(bool discrete, real limit)
{
    walls_span s;
    s.from = v_set1(discrete ? -limit : 0);
    s.to = v_set1(discrete ? 0 : limit);
    return s;
}

CAROM_LANE walls_hit walls_never(void)
{
    walls_hit hit;
    hit.t = v_set1(WALLS_NEVER);
    hit.nx = hit.ny = v_set1(0);
    hit.feature = i_set1(-1);
    return hit;
}

/* Keeps the earlier of two hits, or among equal ones the one with the lower feature. */
CAROM_LANE void walls_offer(walls_hit *best, walls_span span, vmask valid, walls_hit hit)
{
    valid = m_and(valid, m_and(v_ge(hit.t, span.from), v_le(hit.t, span.to)));
    vmask tie = m_and(v_eq(hit.t, best->t), i_gt(best->feature, hit.feature));
    vmask better = m_and(valid, m_or(v_lt(hit.t, best->t), tie));
    best->t = v_select(better, hit.t, best->t);
    best->nx = v_select(better, hit.nx, best->nx);
    best->ny = v_select(better, hit.ny, best->ny);
    best->feature = i_select(better, hit.feature, best->feature);
}

CAROM_LANE vmask walls_nan2(vreal a, vreal b)
{
    return m_or(v_ne(a, a), v_ne(b, b));
}

CAROM_LANE vmask walls_circle_nan(walls_circle c)
{
    return m_or(m_or(walls_nan2(c.x, c.y), walls_nan2(c.vx, c.vy)), v_ne(c.r, c.r));
}

/* Makes the chosen lanes a miss, with a time of NaN. */
CAROM_LANE walls_hit walls_poison(walls_hit hit, vmask chosen)
{
    const vreal zero = v_set1(0);
    hit.t = v_select(chosen, v_set1((real)__builtin_nan("")), hit.t);
    hit.nx = v_select(chosen, zero, hit.nx);
    hit.ny = v_select(chosen, zero, hit.ny);
    hit.feature = i_select(chosen, i_set1(-1), hit.feature);
    return hit;
}

/* --- Edges -------------------------------------------------------------------------------------------------------- */

/* A straight edge from a to b = a + e. */
typedef struct walls_edge {
    vreal ax, ay, bx, by, ex, ey;
    vreal length, inverse; /* of e, and 1 / length */
} walls_edge;

CAROM_LANE walls_edge walls_edge_of(vreal ax, vreal ay, vreal bx, vreal by)
{
    walls_edge e;
    e.ax = ax, e.ay = ay, e.bx = bx, e.by = by;
    e.ex = bx - ax, e.ey = by - ay;
    e.length = v_sqrt(e.ex * e.ex + e.ey * e.ey);
    e.inverse = v_set1(1) / e.length; /* for the normal: compilers drop it if none is needed */
    return e;
}

/* A circle relative to an edge. All numbers are multiplied by the edge's length, which saves a division. */
typedef struct walls_sight {
    vreal height;         /* of the centre above the line, >= 0 */
    vreal gap;            /* between the circle and the line */
    vreal fall, along;    /* the velocity towards the line and along the edge */
    vreal foot_a, foot_b; /* the foot of the centre, from the start and from the end */
    vmask below;          /* the centre is to the right of the edge */
    vmask approaching;    /* falling, not on the line, and without overflow */
} walls_sight;

/* The height is computed from the nearer end, so that its error is relative to that distance. */
CAROM_LANE walls_sight walls_sight_of(walls_circle c, walls_edge e)
{
    const vreal zero = v_set1(0);
    walls_sight s;

    vreal pax = c.x - e.ax, pay = c.y - e.ay, pbx = c.x - e.bx, pby = c.y - e.by;
    s.foot_a = pax * e.ex + pay * e.ey;
    s.foot_b = pbx * e.ex + pby * e.ey;
    vmask near_a = v_lt(s.foot_a, -s.foot_b);
    vreal px = v_select(near_a, pax, pbx), py = v_select(near_a, pay, pby);
    vreal h = e.ex * py - e.ey * px, v = e.ey * c.vx - e.ex * c.vy;
    s.below = v_lt(h, zero);
    s.height = v_abs(h);
    s.fall = v_flip(s.below, v);
    s.along = c.vx * e.ex + c.vy * e.ey;
    s.gap = s.height - c.r * e.length;
    vmask tame = m_and(v_gt(e.length, zero), v_le(s.fall + e.length, v_set1(REAL_MAX)));
    s.approaching = m_and(m_and(v_gt(s.fall, zero), v_gt(s.height, zero)), tame);
    return s;
}

/* When the circle touches the line, and where the foot of its centre is then.
 *
 * An edge accepts a foot that is beyond its end by up to 4 eps of the distance from that end, estimated by |foot| +
 * height: that is the error of the foot on a steep path. Only circles with a radius of about that size need it, for
 * which the cap is a point; for all others the cap takes what the edge declines. */
typedef struct walls_course {
    vreal num, den;       /* t = num / den >= 0; 0 if the circle touches already or does not approach */
    vmask before, beyond; /* the foot is before the start, beyond the end */
} walls_course;

CAROM_LANE walls_course walls_course_of(walls_sight s)
{
    const vreal zero = v_set1(0), slack = v_set1(WALLS_FOOT);
    walls_course c;
    const vmask ahead = m_and(s.approaching, v_gt(s.gap, zero));
    c.num = v_select(ahead, s.gap, zero);
    c.den = v_select(ahead, s.fall, v_set1(1)); /* 1 if it touches: products with `fall` may underflow */
    vreal shift = c.num * s.along;
    vreal margin_a = slack * (v_abs(s.foot_a) + s.height) * c.den;
    vreal margin_b = slack * (v_abs(s.foot_b) + s.height) * c.den;
    c.before = v_lt(s.foot_a * c.den + shift, -margin_a);
    c.beyond = v_gt(s.foot_b * c.den + shift, margin_b);
    return c;
}

/* A circle that reaches the line beyond the edge's end and comes over the edge later, lower than r. That happens if the
 * cap there was passed as a graze, or does not count as a corner because the circle overlapped the outline's previous
 * edge. Rounding and a flat path can turn a slight overlap into a deep one, so the straight part accepts such a circle
 * when it comes over the edge. Its centre is then below the line only by rounding. */
typedef struct walls_late {
    vreal way, along; /* t = way / along */
    vmask enters;     /* such a time exists */
} walls_late;

CAROM_LANE walls_late walls_late_of(walls_sight s, walls_course c)
{
    const vreal zero = v_set1(0);
    walls_late l;
    l.way = v_select(c.before, -s.foot_a, s.foot_b);
    l.along = v_abs(s.along);
    vreal height = s.height * l.along - l.way * s.fall;
    vreal error = v_set1(WALLS_FOOT) * (s.height + l.way) * l.along;
    l.enters = m_or(m_and(c.before, v_gt(s.along, zero)), m_and(c.beyond, v_lt(s.along, zero)));
    l.enters = m_and(m_and(l.enters, s.approaching), v_ge(height, -error));
    return l;
}

/* The unit normal on the centre's side. */
CAROM_LANE void walls_edge_normal(walls_edge e, walls_sight s, vreal *nx, vreal *ny)
{
    vreal inverse = v_flip(s.below, e.inverse);
    *nx = -(e.ey * inverse);
    *ny = e.ex * inverse;
}

/* Discrete detection, at the end of the tick: nearer than r, approaching, and the foot strictly between the ends. */
CAROM_LANE vmask walls_overlaps(walls_sight s)
{
    const vreal zero = v_set1(0);
    vmask between = m_and(v_gt(s.foot_a, zero), v_lt(s.foot_b, zero));
    return m_and(m_and(s.approaching, v_lt(s.gap, zero)), between);
}

/* --- Points ------------------------------------------------------------------------------------------------------- */

/* The circle of radius r around a point, and the path of a moving centre: a t^2 + 2 b t + c = 0, d = b*b - a*c. p
 * points from the point to the centre, `cross` is p x v; `met`: the centre approaches on a path that enters the
 * circle. */
typedef struct walls_disc {
    vreal px, py, r, a, cross, b, c, d;
    vmask met;
} walls_disc;

/* `graze`: 0, or the overlap in units of max(|px|, |py|, r) below which the circle counts as passing the point. The
 * passing distance |p x v| / |v| is computed within 4 u |p|, so that a graze is recognised. */
CAROM_LANE walls_disc walls_disc_of(vreal px, vreal py, vreal vx, vreal vy, vreal r, vreal graze)
{
    walls_disc q;
    vreal a = vx * vx + vy * vy, cross = px * vy - py * vx;
    vreal size = v_max(v_max(v_abs(px), v_abs(py)), r), near = r - graze * size;
    vreal square = cross * cross;
    q.px = px, q.py = py, q.r = r, q.a = a, q.cross = cross;
    q.b = px * vx + py * vy;
    q.c = px * px + py * py - r * r;
    q.d = r * r * a - square;
    q.met = m_and(m_and(v_ge(near, v_set1(0)), v_le(square, near * near * a)),
                  m_and(v_lt(q.b, v_set1(0)), v_le(q.d, v_set1(REAL_MAX))));
    return q;
}

/* The first entry after the start: t = num / den. c / (root - b) does not cancel near contact. It is at most -b / a,
 * the time of closest approach, except for a graze at the start, where c and b are of the order of rounding. */
CAROM_LANE void walls_forward(walls_disc q, vreal *num, vreal *den)
{
    vreal to_centre = -q.b;
    *num = v_max(q.c, v_set1(0));
    *den = v_sqrt(q.d) - q.b;
    vmask later = v_gt(*num * q.a, to_centre * *den);
    *num = v_select(later, to_centre, *num);
    *den = v_select(later, q.a, *den);
}

/* The unit normal at contact. There, a times the vector from the point to the centre is (p x v) (vy, -vx) - root (vx,
 * vy), which does not cancel, of length a r. If the circle is also a point, the normal is opposite to the velocity; if
 * it overlaps at the start, the normal is along p. */
CAROM_LANE void walls_disc_normal(walls_disc q, vreal vx, vreal vy, bool discrete, vreal *nx, vreal *ny)
{
    const vreal zero = v_set1(0);

    vreal root = v_sqrt(v_max(q.d, zero)), length = q.a * q.r;
    vreal x = q.cross * vy - root * vx, y = -(q.cross * vx + root * vy);
    vmask overlap = discrete ? m_from_bits(0) : v_le(q.c, zero), still = m_or(overlap, v_le(length, zero));
    x = v_select(still, v_select(overlap, q.px, -vx), x);
    y = v_select(still, v_select(overlap, q.py, -vy), y);
    vreal square = v_select(overlap, q.px * q.px + q.py * q.py, q.a);
    length = v_select(still, v_sqrt(square), length);
    vmask some = m_and(v_gt(length, zero), v_le(length, v_set1(REAL_MAX)));
    *nx = v_select(some, x / length, zero);
    *ny = v_select(some, y / length, zero);
}

/* --- Line, segment, point ----------------------------------------------------------------------------------------- */

CAROM_LANE vmask walls_edge_nan(walls_circle c, vreal ax, vreal ay, vreal bx, vreal by)
{
    return m_or(walls_circle_nan(c), m_or(walls_nan2(ax, ay), walls_nan2(bx, by)));
}

CAROM_LANE walls_hit walls_line(walls_circle c, walls_edge e, bool discrete, walls_span span)
{
    const vreal zero = v_set1(0);
    walls_hit best = walls_never(), hit;
    walls_sight s = walls_sight_of(c, e);
    vmask valid = discrete ? m_and(s.approaching, v_lt(s.gap, zero)) : s.approaching;

    if (m_any(valid)) {
        hit.t = (discrete ? s.gap : v_max(s.gap, zero)) / s.fall;
        hit.feature = i_set1(0);
        walls_edge_normal(e, s, &hit.nx, &hit.ny);
        walls_offer(&best, span, valid, hit);
    }

    vreal all = s.fall + s.gap; /* NaN if any input is */
    if (!m_all(v_eq(all, all))) {
        best = walls_poison(best, walls_edge_nan(c, e.ax, e.ay, e.bx, e.by));
    }
    return best;
}

/* Straight part and caps are mutually exclusive, so that one division serves them all. */
CAROM_LANE walls_hit walls_segment(walls_circle c, walls_edge e, bool discrete, walls_span span)
{
    const vreal zero = v_set1(0);
    walls_hit best = walls_never(), hit;
    walls_sight s = walls_sight_of(c, e);

    if (discrete) {
        vmask valid = walls_overlaps(s);
        if (m_any(valid)) {
            hit.t = s.gap / s.fall;
            hit.feature = i_set1(0);
            walls_edge_normal(e, s, &hit.nx, &hit.ny);
            walls_offer(&best, span, valid, hit);
        }
    } else {
        /* Which part the centre enters through. A segment without length is a point, where grazes count, too. */
        walls_course course = walls_course_of(s);
        vmask point = v_eq(v_max(v_abs(e.ex), v_abs(e.ey)), zero);
        vmask before = m_or(course.before, point), cap = m_or(before, course.beyond);
        vreal px = c.x - v_select(before, e.ax, e.bx), py = c.y - v_select(before, e.ay, e.by);

        walls_disc q = walls_disc_of(px, py, c.vx, c.vy, c.r, v_select(point, zero, v_set1(WALLS_GRAZE)));
        vmask capped = m_and(cap, q.met), straight = m_andnot(s.approaching, cap);
        walls_late late = walls_late_of(s, course);

        /* A circle that passes the cap may still come over the straight part later. */
        vmask valid = m_or(m_or(capped, straight), late.enters);
        if (m_any(valid)) {
            /* A cap takes precedence over a late entry, since the centre passes through it first. */
            if (m_any(late.enters)) {
                course.num = v_select(late.enters, late.way, course.num);
                course.den = v_select(late.enters, late.along, course.den);
            }
            if (m_any(capped)) {
                vreal num, den;
                walls_forward(q, &num, &den);
                course.num = v_select(capped, num, course.num);
                course.den = v_select(capped, den, course.den);
            }

            vreal cx, cy;
            hit.t = course.num / course.den;
            hit.feature = i_select(capped, i_select(before, i_set1(1), i_set1(2)), i_set1(0));
            walls_edge_normal(e, s, &hit.nx, &hit.ny);
            walls_disc_normal(q, c.vx, c.vy, false, &cx, &cy);
            hit.nx = v_select(capped, cx, hit.nx);
            hit.ny = v_select(capped, cy, hit.ny);
            walls_offer(&best, span, valid, hit);
        }
    }

    /* One comparison detects a NaN among the inputs, which is rare. */
    vreal all = s.fall + s.gap;
    if (!m_all(v_eq(all, all))) {
        best = walls_poison(best, walls_edge_nan(c, e.ax, e.ay, e.bx, e.by));
    }
    return best;
}

/* Discrete detection, back from the end of the tick, where there is an overlap: t = num / den < 0, the earlier root. */
CAROM_LANE void walls_backward(walls_disc q, vreal *num, vreal *den)
{
    vreal root = v_sqrt(q.d);
    vmask closing = v_lt(q.b, v_set1(0)); /* use the form that does not cancel */
    *num = v_select(closing, q.c, -(q.b + root));
    *den = v_select(closing, root - q.b, q.a);
}

CAROM_LANE walls_hit walls_point(walls_circle c, vreal x, vreal y, bool discrete, walls_span span)
{
    const vreal zero = v_set1(0), most = v_set1(REAL_MAX);
    walls_hit best = walls_never(), hit;
    walls_disc q = walls_disc_of(c.x - x, c.y - y, c.vx, c.vy, c.r, zero);

    vmask valid = q.met;
    if (discrete) { /* an overlap, growing or not */
        valid = m_and(v_lt(q.c, zero), m_and(v_gt(q.d, zero), v_le(q.d, most)));
    }

    if (m_any(valid)) {
        vreal num, den;
        if (discrete) {
            walls_backward(q, &num, &den);
        } else {
            walls_forward(q, &num, &den);
        }
        hit.t = num / den;
        hit.feature = i_set1(0);
        walls_disc_normal(q, c.vx, c.vy, discrete, &hit.nx, &hit.ny);
        walls_offer(&best, span, valid, hit);
    }

    vreal all = q.d + q.c;
    if (!m_all(v_eq(all, all))) {
        best = walls_poison(best, m_or(walls_circle_nan(c), walls_nan2(x, y)));
    }
    return best;
}

#endif
