/* SPDX-License-Identifier: MIT
 * A circle under constant acceleration against fixed points, segments and boxes, one pair in each lane.
 *
 * An obstacle grown by the radius is bounded by straight pieces and by arcs around its corners; the centre's path
 * enters it through one of them. Each piece has its entering roots (a quadratic for a line, a quartic for a circle),
 * and a root counts if the position on the path is then on the piece. It does not matter which pieces the centre was in
 * before.
 */
#ifndef CAROM_TOI_ACCELERATED_WALLS_H
#define CAROM_TOI_ACCELERATED_WALLS_H

#include "toi/quartic.h"

/* The first impact. */
typedef struct accelerated_hit {
    vreal t;       /* +INFINITY: none */
    vreal nx, ny;  /* the normal */
    vreal feature; /* the number of the part that is hit, exact in a real; -1: none */
} accelerated_hit;

CAROM_LANE accelerated_hit accelerated_none(void)
{
    accelerated_hit h;
    h.t = v_set1(QUARTIC_NEVER);
    h.nx = v_set1(0);
    h.ny = v_set1(0);
    h.feature = v_set1(-1);
    return h;
}

/* Replaces `h` by this impact in lanes of m where it is earlier. */
CAROM_LANE void accelerated_take(accelerated_hit *h, vmask m, vreal t, vreal nx, vreal ny, real feature)
{
    m = m_and(m, v_lt(t, h->t));
    h->t = v_select(m, t, h->t);
    h->nx = v_select(m, nx, h->nx);
    h->ny = v_select(m, ny, h->ny);
    h->feature = v_select(m, v_set1(feature), h->feature);
}

/* Offers an impact with a point: the normal is the direction of (x, y), the centre relative to the point. */
CAROM_LANE void accelerated_take_from(accelerated_hit *h, vmask m, vreal t, vreal x, vreal y, real feature)
{
    const vreal zero = v_set1(0);
    vreal most = v_max(v_abs(x), v_abs(y)), unit = v_select(v_gt(most, zero), most, v_set1(1));
    x = x / unit;
    y = y / unit;
    vreal length = v_sqrt(x * x + y * y);
    vmask somewhere = v_gt(length, zero);
    length = v_select(somewhere, length, v_set1(1));
    accelerated_take(h, m, t, x / length, y / length, feature);
}

/* The public answer: no impact after the limit, and NaN if an input was NaN. */
CAROM_LANE accelerated_hit accelerated_answer(accelerated_hit h, vreal limit, vmask nan)
{
    const accelerated_hit none = accelerated_none();
    vmask there = m_andnot(v_le(h.t, limit), nan);
    there = m_and(there, v_lt(h.t, none.t));
    h.nx = v_select(there, h.nx, none.nx);
    h.ny = v_select(there, h.ny, none.ny);
    h.feature = v_select(there, h.feature, none.feature);
    h.t = v_select(nan, v_set1((real)__builtin_nan("")), v_select(there, h.t, none.t));
    return h;
}

CAROM_LANE vreal accelerated_x(const quartic_motion *q, vreal t)
{
    return q->px + t * (q->vx + t * (q->ax * v_set1(REAL(0.5))));
}

CAROM_LANE vreal accelerated_y(const quartic_motion *q, vreal t)
{
    return q->py + t * (q->vy + t * (q->ay * v_set1(REAL(0.5))));
}

/* An upper bound on the rounding error of the computed position at t; `more` is the size of other terms involved. */
CAROM_LANE vreal accelerated_slack(const quartic_motion *q, vreal t, vreal more)
{
    vreal p = v_abs(q->px) + v_abs(q->py), v = v_abs(q->vx) + v_abs(q->vy);
    vreal a = v_abs(q->ax) + v_abs(q->ay), way = t * (v + t * a);
    return (p + way + (more + v_abs(q->r))) * v_set1(8 * QUARTIC_EPSILON);
}

/* The motion relative to (x, y). */
CAROM_LANE quartic_motion accelerated_from(quartic_motion q, vreal x, vreal y)
{
    q.px = q.px - x;
    q.py = q.py - y;
    return q;
}

/* When a distance s + v t + a t^2/2 falls to 0 after now; +INFINITY if it never does. Each case uses the form of the
 * root that does not cancel. */
CAROM_LANE vreal accelerated_falls(vreal s, vreal v, vreal a)
{
    const vreal zero = v_set1(0);
    vreal d = v * v - (a + a) * s, root = v_sqrt(v_max(d, zero));
    vmask down = v_lt(v, zero);
    vreal top = v_select(down, s + s, -(v + root)), bottom = v_select(down, root - v, a);
    vreal t = top / bottom;
    return v_select(m_and(v_ge(d, zero), v_gt(t, zero)), t, v_set1(QUARTIC_NEVER));
}

/* Both times, past or future, at which a distance s + v t + a t^2/2 is 0; +INFINITY if there are none. With a = 0 there
 * is one, which is *other. */
CAROM_LANE void accelerated_line(vreal s, vreal v, vreal a, vreal *one, vreal *other)
{
    const vreal zero = v_set1(0), never = v_set1(QUARTIC_NEVER);
    vreal d = v * v - (a + a) * s;
    vreal sum = -(v + v_flip(v_lt(v, zero), v_sqrt(v_max(d, zero))));
    vmask some = v_ge(d, zero), moves = v_ne(sum, zero);
    *one = v_select(m_and(some, v_ne(a, zero)), sum / a, never);
    *other = v_select(m_and(some, moves), (s + s) / sum, v_select(m_and(some, v_ne(a, zero)), *one, never));
}

/* When the centre enters the circle of radius r around a point; q is the motion relative to it. Times are in the
 * caller's unit. */
CAROM_LANE quartic_entries accelerated_corner(quartic_motion q, vreal limit, vmask active)
{
    quartic_scaled m = quartic_scale(q);
    vreal scaled_limit = limit * m.rate;
    active = m_and(active, m_andnot(m.tame, quartic_out_of_reach(&m, scaled_limit)));
    quartic_entries e = quartic_enter(&m, v_set1(0), active, true, scaled_limit);
    e.first = e.first * m.unit;
    e.second = e.second * m.unit;
    return e;
}

/* Does a distance with the first three derivatives g, h and k fall? The first nonzero one decides. */
CAROM_LANE vmask accelerated_closing(vreal g, vreal h, vreal k)
{
    const vreal zero = v_set1(0);
    vmask third = m_and(v_eq(h, zero), v_lt(k, zero));
    return m_or(v_lt(g, zero), m_and(v_eq(g, zero), m_or(v_lt(h, zero), third)));
}

CAROM_LANE accelerated_hit accelerated_point(quartic_motion q, vreal x, vreal y, vreal limit)
{
    const vreal never = v_set1(QUARTIC_NEVER), zero = v_set1(0);
    accelerated_hit h = accelerated_none();
    vmask nan = m_or(quartic_is_nan(&q), m_or(v_ne(x, x), v_ne(y, y)));
    q = accelerated_from(q, x, y);
    vreal t = quartic_time(q, limit);
    vmask hit = v_lt(t, never);
    vreal at = v_select(hit, t, zero);
    accelerated_take_from(&h, hit, t, accelerated_x(&q, at), accelerated_y(&q, at), 0);
    return accelerated_answer(h, limit, nan);
}

typedef struct accelerated_segment_ends {
    vreal ax, ay, bx, by;
} accelerated_segment_ends;

/* The segment's length and its direction, 0 if it has none. */
CAROM_LANE vreal accelerated_direction(accelerated_segment_ends s, vreal *ux, vreal *uy)
{
    vreal ex = s.bx - s.ax, ey = s.by - s.ay;
    vreal length = v_sqrt(ex * ex + ey * ey), some = v_select(v_gt(length, v_set1(0)), length, v_set1(1));
    *ux = ex / some;
    *uy = ey / some;
    return length;
}

/* A circle's path relative to a segment. */
typedef struct accelerated_course {
    quartic_motion a, b;           /* relative to either end */
    vreal ux, uy, length;          /* the segment's direction and length */
    vreal across, v, acceleration; /* distance from the line, positive on its left, and derivatives */
} accelerated_course;

/* Offers the times at which the path enters the segment grown by r, in lanes of `open`. */
CAROM_LANE void accelerated_enter(accelerated_hit *h, accelerated_course c, vreal r, vreal limit, vmask open)
{
    const vreal zero = v_set1(0), never = v_set1(QUARTIC_NEVER);

    /* The straight sides: the distance from either falls to 0 at a position between the ends. */
    for (int side = 0; side < 2; side++) {
        vmask below = m_from_bits(side != 0 ? ~0u : 0u);
        vreal s = v_flip(below, c.across) - r;
        vreal t = accelerated_falls(s, v_flip(below, c.v), v_flip(below, c.acceleration));
        vmask hit = m_and(open, v_le(t, limit));
        hit = m_and(hit, v_lt(t, never));
        vreal at = v_select(hit, t, zero), slack = accelerated_slack(&c.a, at, c.length);
        vreal along = accelerated_x(&c.a, at) * c.ux + accelerated_y(&c.a, at) * c.uy;
        hit = m_and(hit, m_and(v_ge(along, -slack), v_le(along, c.length + slack)));
        accelerated_take(h, hit, t, v_flip(m_not(below), c.uy), v_flip(below, c.ux), 0);
    }

    /* The caps: the centre enters the circle around an end on the half that is beyond it. */
    for (int end = 1; end <= 2; end++) {
        quartic_motion q = end == 1 ? c.a : c.b;
        q.r = r;
        quartic_entries e = accelerated_corner(q, limit, open);
        for (int i = 0; i < 2; i++) {
            vreal t = i == 0 ? e.first : e.second;
            vmask hit = m_and(open, v_lt(t, never));
            vreal at = v_select(hit, t, zero), x = accelerated_x(&q, at), y = accelerated_y(&q, at);
            vreal along = x * c.ux + y * c.uy;
            along = end == 1 ? along : -along;
            hit = m_and(hit, v_le(along, accelerated_slack(&q, at, c.length)));
            accelerated_take_from(h, hit, t, x, y, (real)end);
        }
    }
}

/* The radius at which a circle that overlaps the segment but does not approach is hit: as soon as the overlap deepens.
 * Without it, a circle that separates so slowly that it turns around before it is out would never be hit. The radius is
 * slightly less than the distance, so that rounding cannot make the two overlap at the start. */
CAROM_LANE vreal accelerated_standing(vreal r, vreal squared_distance)
{
    return v_min(r, v_sqrt(squared_distance) * v_set1(1 - 8 * QUARTIC_EPSILON));
}

/* `holds`: lanes in which an overlapping circle is hit when the overlap deepens, see accelerated_standing(); none under
 * the contract of carom/toi_accelerated.h. */
CAROM_LANE accelerated_hit accelerated_segment(quartic_motion q, accelerated_segment_ends s, vreal limit, vmask holds)
{
    const vreal zero = v_set1(0);
    accelerated_hit h = accelerated_none();
    accelerated_course c;
    vmask nan = m_or(m_or(v_ne(s.ax, s.ax), v_ne(s.ay, s.ay)), m_or(v_ne(s.bx, s.bx), v_ne(s.by, s.by)));
    nan = m_or(nan, quartic_is_nan(&q));
    vreal r = v_abs(q.r);

    /* Describe the path by its distance from the line and its motion relative to both ends. */
    c.length = accelerated_direction(s, &c.ux, &c.uy);
    c.a = accelerated_from(q, s.ax, s.ay), c.b = accelerated_from(q, s.bx, s.by);
    c.across = c.a.py * c.ux - c.a.px * c.uy;
    c.v = q.vy * c.ux - q.vx * c.uy;
    c.acceleration = q.ay * c.ux - q.ax * c.uy;

    vreal along = c.a.px * c.ux + c.a.py * c.uy;
    vmask at_a = v_le(along, zero), at_b = m_andnot(v_ge(along, c.length), at_a), cap = m_or(at_a, at_b);
    vreal dx = v_select(at_a, c.a.px, c.b.px), dy = v_select(at_a, c.a.py, c.b.py);
    vreal dd = v_select(cap, dx * dx + dy * dy, c.across * c.across);
    vmask overlap = v_le(dd, r * r);

    /* Overlapping at the start: a hit at time 0 if the distance from the nearest point, an end or the foot on the
     * segment, falls. The derivatives are those of its square. */
    vmask start = m_from_bits(0);
    if (m_any(overlap)) {
        vreal g = v_select(cap, dx * q.vx + dy * q.vy, c.across * c.v);
        vreal vv = v_select(cap, q.vx * q.vx + q.vy * q.vy, c.v * c.v);
        vreal da = v_select(cap, dx * q.ax + dy * q.ay, c.across * c.acceleration);
        vreal va = v_select(cap, q.vx * q.ax + q.vy * q.ay, c.v * c.acceleration);
        start = m_and(overlap, accelerated_closing(g, vv + da, va));
        vmask below = v_lt(c.across, zero);
        accelerated_take(&h, m_andnot(start, cap), zero, v_flip(m_not(below), c.uy), v_flip(below, c.ux), 0);
        accelerated_take_from(&h, m_and(start, at_a), zero, dx, dy, 1);
        accelerated_take_from(&h, m_and(start, at_b), zero, dx, dy, 2);
    }

    /* Later impacts. If the overlap is held, the segment is hit again when the overlap deepens. */
    vmask open = m_not(m_or(start, nan)), held = m_and(m_and(open, overlap), holds);
    accelerated_enter(&h, c, r, limit, open);
    if (m_any(held)) {
        accelerated_enter(&h, c, accelerated_standing(r, dd), limit, held);
    }
    return accelerated_answer(h, limit, nan);
}

typedef struct accelerated_box_sides {
    vreal x0, y0, x1, y1;
} accelerated_box_sides;

/* Offers the impacts with one side of a box (0, 1: low and high x; 2, 3: y): from inside in lanes of `within`,
 * otherwise from outside. */
CAROM_LANE void accelerated_side(accelerated_hit *h, const quartic_motion *q, accelerated_box_sides b, vmask within,
                                 vmask open, vreal limit, int side)
{
    const vreal zero = v_set1(0), never = v_set1(QUARTIC_NEVER);
    bool upright = side < 2, low = side % 2 == 0;
    vreal line = upright ? (low ? b.x0 : b.x1) : (low ? b.y0 : b.y1);

    /* The distance from the side's line, positive in the direction of the normal: outwards, or inwards if the centre is
     * inside the box. */
    vmask flip = low ? m_not(within) : within;
    vreal s = v_flip(flip, (upright ? q->px : q->py) - line) - v_abs(q->r);
    vreal v = v_flip(flip, upright ? q->vx : q->vy), a = v_flip(flip, upright ? q->ax : q->ay);
    vreal normal = v_flip(flip, v_set1(1)), nx = upright ? normal : zero, ny = upright ? zero : normal;

    /* Touching at the start, from inside. */
    vmask start = m_and(m_and(open, within), m_and(v_le(s, zero), accelerated_closing(v, a, zero)));
    accelerated_take(h, start, zero, nx, ny, (real)side);

    /* Later: from outside, the position must also be on the side, not only on its line. */
    vreal t = accelerated_falls(s, v, a);
    vmask hit = m_and(m_and(open, v_le(t, limit)), v_lt(t, never));
    vreal at = v_select(hit, t, zero);
    vreal place = upright ? accelerated_y(q, at) : accelerated_x(q, at);
    vreal from = upright ? b.y0 : b.x0, to = upright ? b.y1 : b.x1;
    vreal slack = accelerated_slack(q, at, v_abs(from) + v_abs(to));
    vmask on_it = m_and(v_ge(place, from - slack), v_le(place, to + slack));
    accelerated_take(h, m_and(hit, m_or(within, on_it)), t, nx, ny, (real)side);
}

CAROM_LANE accelerated_hit accelerated_box(quartic_motion q, accelerated_box_sides b, vreal limit)
{
    const vreal zero = v_set1(0), never = v_set1(QUARTIC_NEVER);
    accelerated_hit h = accelerated_none();
    vmask nan = m_or(m_or(v_ne(b.x0, b.x0), v_ne(b.y0, b.y0)), m_or(v_ne(b.x1, b.x1), v_ne(b.y1, b.y1)));
    nan = m_or(nan, quartic_is_nan(&q));

    /* Where the centre is: to the side of the box, above or below it, or inside. */
    vmask left = v_lt(q.px, b.x0), right = v_gt(q.px, b.x1), under = v_lt(q.py, b.y0), over = v_gt(q.py, b.y1);
    vmask beside = m_or(left, right), above = m_or(under, over), within = m_not(m_or(m_or(beside, above), nan));
    vmask start = m_from_bits(0);

    /* Overlapping at the start, from outside: a hit at time 0 if the distance from the nearest point of the box falls.
     * A coordinate within the box's range does not count. */
    vreal dx = v_select(left, q.px - b.x0, v_select(right, q.px - b.x1, zero));
    vreal dy = v_select(under, q.py - b.y0, v_select(over, q.py - b.y1, zero));
    vreal dd = dx * dx + dy * dy;
    vmask overlap = m_andnot(v_le(dd, q.r * q.r), m_or(within, nan));
    if (m_any(overlap)) {
        vreal vx = v_select(beside, q.vx, zero), vy = v_select(above, q.vy, zero);
        vreal g = dx * vx + dy * vy;
        vreal free = vx * vx + vy * vy + (dx * q.ax + dy * q.ay);
        start = m_and(overlap, accelerated_closing(g, free, vx * q.ax + vy * q.ay));
        accelerated_take_from(&h, m_andnot(m_and(start, left), above), zero, dx, dy, 0);
        accelerated_take_from(&h, m_andnot(m_and(start, right), above), zero, dx, dy, 1);
        accelerated_take_from(&h, m_andnot(m_and(start, under), beside), zero, dx, dy, 2);
        accelerated_take_from(&h, m_andnot(m_and(start, over), beside), zero, dx, dy, 3);
        for (int corner = 0; corner < 4; corner++) {
            vmask here = m_and(start, m_and((corner & 1) != 0 ? right : left, (corner & 2) != 0 ? over : under));
            accelerated_take_from(&h, here, zero, dx, dy, (real)(4 + corner));
        }
    }

    /* Later impacts with sides. */
    vmask open = m_not(m_or(start, nan));
    for (int side = 0; side < 4; side++) {
        accelerated_side(&h, &q, b, within, open, limit, side);
    }

    /* From outside also corners: the centre enters the circle around one in the quadrant outside the box. */
    vmask outside = m_andnot(open, within);
    for (int corner = 0; corner < 4 && m_any(outside); corner++) {
        bool east = (corner & 1) != 0, north = (corner & 2) != 0;
        quartic_motion c = accelerated_from(q, east ? b.x1 : b.x0, north ? b.y1 : b.y0);
        vreal size = b.x1 - b.x0 + (b.y1 - b.y0);
        quartic_entries e = accelerated_corner(c, limit, outside);
        for (int i = 0; i < 2; i++) {
            vreal t = i == 0 ? e.first : e.second;
            vmask hit = m_and(outside, v_lt(t, never));
            vreal at = v_select(hit, t, zero), x = accelerated_x(&c, at), y = accelerated_y(&c, at);
            vreal slack = accelerated_slack(&c, at, size);
            vmask in_x = v_le(east ? -x : x, slack), in_y = v_le(north ? -y : y, slack);
            accelerated_take_from(&h, m_and(hit, m_and(in_x, in_y)), t, x, y, (real)(4 + corner));
        }
    }
    return accelerated_answer(h, limit, nan);
}

/* All times at which a circle touches a line, in ascending order, followed by +INFINITY. */
CAROM_LANE void accelerated_line_roots(quartic_motion q, accelerated_segment_ends s, vreal root[4])
{
    const vreal never = v_set1(QUARTIC_NEVER), zero = v_set1(0);
    vmask nan = m_or(m_or(v_ne(s.ax, s.ax), v_ne(s.ay, s.ay)), m_or(v_ne(s.bx, s.bx), v_ne(s.by, s.by)));
    nan = m_or(nan, quartic_is_nan(&q));

    /* The centre is at a distance of r from the line, on either side. */
    vreal ux, uy, length = accelerated_direction(s, &ux, &uy), r = v_abs(q.r);
    quartic_motion a = accelerated_from(q, s.ax, s.ay);
    vreal across = a.py * ux - a.px * uy;
    vreal v = q.vy * ux - q.vx * uy, acceleration = q.ay * ux - q.ax * uy;
    accelerated_line(across - r, v, acceleration, &root[0], &root[1]);
    accelerated_line(across + r, v, acceleration, &root[2], &root[3]);

    /* A point touches on both sides at once; a segment without length is no line. */
    vmask one_side = v_eq(r, zero), line = v_gt(length, zero);
    for (int i = 0; i < 4; i++) {
        root[i] = v_select(m_and(m_andnot(line, i >= 2 ? one_side : m_from_bits(0)), v_lt(v_abs(root[i]), never)),
                           root[i], never);
    }

    /* Sort. */
    for (int pass = 0; pass < 3; pass++) {
        for (int i = 0; i < 3 - pass; i++) {
            vreal less = v_min(root[i], root[i + 1]);
            root[i + 1] = v_max(root[i], root[i + 1]);
            root[i] = less;
        }
    }
    for (int i = 0; i < 4; i++) {
        root[i] = v_select(nan, v_set1((real)__builtin_nan("")), root[i]);
    }
}

#endif
