/* SPDX-License-Identifier: MIT
 * Circle against box and against the edges and corners of an outline, one pair in each lane. See toi/wall.h.
 */
#ifndef CAROM_TOI_WALLS_OUTLINE_H
#define CAROM_TOI_WALLS_OUTLINE_H

#include "toi/wall.h"

/* --- Box ---------------------------------------------------------------------------------------------------------- */

/* A circle along one axis of the box. */
typedef struct walls_axis {
    vreal low, high; /* how far the centre is below the low side, above the high side */
    vreal speed;     /* the velocity along the axis */
    vreal out;       /* the greater of low and high: the distance from the box, negative between its sides */
    vreal gap, fall; /* the circle's distance from the relevant side, and its velocity towards it */
    vmask at_low;    /* the low side is the relevant one */
} walls_axis;

/* From inside, the side ahead is the relevant one; from outside, the nearer one. */
CAROM_LANE walls_axis walls_axis_of(vreal low, vreal high, vreal speed, vreal r, vmask inside)
{
    walls_axis a;
    a.low = low, a.high = high, a.speed = speed;
    a.out = v_max(low, high);
    a.at_low = m_select(inside, v_lt(speed, v_set1(0)), v_gt(low, high));
    vreal depth = -v_select(a.at_low, low, high);
    a.gap = v_select(inside, depth, a.out) - r;
    a.fall = v_select(inside, v_abs(speed), v_flip(m_not(a.at_low), speed));
    return a;
}

/* The normal's component along the axis if its side is hit: inwards from inside, outwards from outside. */
CAROM_LANE vreal walls_axis_normal(walls_axis a, vmask inside)
{
    vmask positive = m_or(m_and(inside, a.at_low), m_not(m_or(inside, a.at_low)));
    return v_select(positive, v_set1(1), v_set1(-1));
}

/* The feature number of the relevant side; `low_side` is that of the low one. */
CAROM_LANE vint walls_axis_side(walls_axis a, int32_t low_side)
{
    return i_select(a.at_low, i_set1(low_side), i_set1(low_side + 1));
}

/* From inside: the first of the two sides ahead, at t = num / den. */
CAROM_LANE vmask walls_box_inside(walls_axis x, walls_axis y, vmask *via_x, vreal *num, vreal *den)
{
    const vreal zero = v_set1(0);
    vreal nx = v_max(x.gap, zero), ny = v_max(y.gap, zero);
    vmask first = v_le(nx * y.fall, ny * x.fall);
    *via_x = m_and(v_gt(x.fall, zero), m_or(first, v_eq(y.fall, zero)));
    *num = v_select(*via_x, nx, ny);
    *den = v_select(*via_x, x.fall, y.fall);
    return v_gt(*den, zero);
}

/* From outside: the centre enters the box enlarged by r once it is between both pairs of enlarged sides, through the
 * side that it passes last. If its foot is then outside that side, it may still hit the corner there, but no other
 * feature: the path to any other one leads through this corner's cap. */
typedef struct walls_entry {
    vmask via_x;              /* the last side is an x side */
    vmask side, corner;       /* the side is hit; the corner may be */
    vmask at_low_x, at_low_y; /* which corner */
    vreal num, den;           /* t = num / den, for the side */
} walls_entry;

CAROM_LANE walls_entry walls_entry_of(walls_axis x, walls_axis y)
{
    const vreal zero = v_set1(0), one = v_set1(1);
    walls_entry e;
    vmask far_x = v_gt(x.gap, zero), far_y = v_gt(y.gap, zero);
    vreal nx = v_max(x.gap, zero), ny = v_max(y.gap, zero);
    vreal dx = v_select(far_x, x.fall, one), dy = v_select(far_y, y.fall, one);
    vmask possible = m_andnot(m_or(v_gt(x.fall, zero), m_not(far_x)), m_andnot(far_y, v_gt(y.fall, zero)));

    /* Compare the times num / den at which the centre passes the two sides, without dividing; if equal, use the side
     * that is further away. */
    vreal time_x = nx * dy, time_y = ny * dx;
    e.via_x = m_or(v_gt(time_x, time_y), m_and(v_eq(time_x, time_y), v_gt(x.out, y.out)));
    e.num = v_select(e.via_x, nx, ny);
    e.den = v_select(e.via_x, dx, dy);

    /* The position of the foot then, along the side: the same test, with the same slack, as for an edge. */
    vreal out = v_select(e.via_x, x.out, y.out), fall = v_select(e.via_x, x.fall, y.fall);
    vreal low = v_select(e.via_x, y.low, x.low), high = v_select(e.via_x, y.high, x.high);
    vreal shift = e.num * v_select(e.via_x, y.speed, x.speed), slack = v_set1(WALLS_FOOT) * e.den;
    vmask before = v_gt(low * e.den - shift, slack * (v_abs(low) + out));
    vmask beyond = v_gt(high * e.den + shift, slack * (v_abs(high) + out));

    e.corner = m_and(possible, m_or(before, beyond));
    e.side = m_andnot(m_and(possible, v_gt(fall, zero)), e.corner);
    e.at_low_x = m_select(e.via_x, x.at_low, before);
    e.at_low_y = m_select(e.via_x, before, y.at_low);
    return e;
}

/* A corner passed as a graze may be followed by a side: the first one that the centre comes over, if it is lower than r
 * there (see walls_late_of()). */
typedef struct walls_graze {
    vmask enters;   /* a side is hit */
    vmask via_x;    /* it is an x side */
    vreal num, den; /* t = num / den */
} walls_graze;

CAROM_LANE walls_graze walls_graze_of(walls_axis x, walls_axis y, vreal r)
{
    const vreal zero = v_set1(0);
    walls_graze g;
    vreal time_x = x.out * y.fall, time_y = y.out * x.fall;
    g.via_x = v_ge(time_x, time_y); /* the centre passes a y side last, and is then over an x side */
    g.num = v_select(g.via_x, y.out, x.out);
    g.den = v_select(g.via_x, y.fall, x.fall);
    vreal error = v_set1(WALLS_FOOT) * (x.out + y.out); /* of its height */
    vmask low = v_le(v_abs(time_x - time_y), (r + error) * g.den);
    g.enters = m_and(low, m_and(v_gt(x.fall, zero), v_gt(y.fall, zero)));
    return g;
}

/* At the end of the tick: an overlap with a side that the circle approaches, with the foot on that side. From inside,
 * both sides ahead count. */
CAROM_LANE void walls_box_discrete(walls_hit *best, walls_axis x, walls_axis y, vmask inside, walls_span span)
{
    const vreal zero = v_set1(0);
    vmask in_x = v_lt(x.out, zero), in_y = v_lt(y.out, zero);
    vmask valid_x = m_and(m_and(v_lt(x.gap, zero), v_gt(x.fall, zero)), m_andnot(in_y, m_andnot(in_x, inside)));
    vmask valid_y = m_and(m_and(v_lt(y.gap, zero), v_gt(y.fall, zero)), m_andnot(in_x, m_andnot(in_y, inside)));
    walls_hit hit;

    if (m_any(valid_x)) {
        hit.t = x.gap / x.fall, hit.feature = walls_axis_side(x, 0);
        hit.nx = walls_axis_normal(x, inside), hit.ny = zero;
        walls_offer(best, span, valid_x, hit);
    }
    if (m_any(valid_y)) {
        hit.t = y.gap / y.fall, hit.feature = walls_axis_side(y, 2);
        hit.nx = zero, hit.ny = walls_axis_normal(y, inside);
        walls_offer(best, span, valid_y, hit);
    }
}

CAROM_LANE walls_hit walls_box(walls_circle c, vreal x0, vreal y0, vreal x1, vreal y1, bool discrete, walls_span span)
{
    const vreal zero = v_set1(0);
    walls_hit best = walls_never(), hit;
    vreal low_x = x0 - c.x, high_x = c.x - x1, low_y = y0 - c.y, high_y = c.y - y1;
    vmask inside = v_le(v_max(v_max(low_x, high_x), v_max(low_y, high_y)), zero);
    walls_axis x = walls_axis_of(low_x, high_x, c.vx, c.r, inside);
    walls_axis y = walls_axis_of(low_y, high_y, c.vy, c.r, inside);

    if (discrete) {
        walls_box_discrete(&best, x, y, inside, span);
    } else {
        /* The side that is hit: from inside the first one ahead, from outside the one that the centre enters
         * through. */
        vmask within_x;
        vreal num, den;
        vmask within = m_and(walls_box_inside(x, y, &within_x, &num, &den), inside);
        walls_entry e = walls_entry_of(x, y);
        num = v_select(inside, num, e.num), den = v_select(inside, den, e.den);

        /* Past that side's end, the corner there may be hit instead, or be passed as a graze before a side is hit. */
        vreal px = v_select(e.at_low_x, -low_x, high_x), py = v_select(e.at_low_y, -low_y, high_y);
        walls_disc q = walls_disc_of(px, py, c.vx, c.vy, c.r, v_set1(WALLS_GRAZE));
        vmask corner = m_andnot(m_and(e.corner, q.met), inside), via_x = m_select(inside, within_x, e.via_x);
        walls_graze g = walls_graze_of(x, y, c.r);
        vmask late = m_andnot(m_and(e.corner, g.enters), m_or(q.met, inside));

        vmask valid = m_or(m_or(within, m_andnot(e.side, inside)), m_or(corner, late));
        if (m_any(valid)) {
            /* Select the quotient of each lane, so that one division serves them all. */
            num = v_select(late, g.num, num), den = v_select(late, g.den, den);
            via_x = m_select(late, g.via_x, via_x);
            if (m_any(corner)) {
                vreal corner_num, corner_den;
                walls_forward(q, &corner_num, &corner_den);
                num = v_select(corner, corner_num, num);
                den = v_select(corner, corner_den, den);
            }

            /* Sides are features 0 to 3, corners 4 to 7. */
            vint number = i_add(i_select(e.at_low_x, i_set1(4), i_set1(5)), i_select(e.at_low_y, i_set1(0), i_set1(2)));
            vreal corner_x, corner_y;
            hit.t = num / den;
            hit.feature = i_select(corner, number, i_select(via_x, walls_axis_side(x, 0), walls_axis_side(y, 2)));
            walls_disc_normal(q, c.vx, c.vy, false, &corner_x, &corner_y);
            hit.nx = v_select(corner, corner_x, v_select(via_x, walls_axis_normal(x, inside), zero));
            hit.ny = v_select(corner, corner_y, v_select(via_x, zero, walls_axis_normal(y, inside)));
            walls_offer(&best, span, valid, hit);
        }
    }

    /* One comparison detects a NaN among the inputs. */
    vreal all = low_x + high_x + (low_y + high_y) + (c.vx + c.vy + c.r);
    if (!m_all(v_eq(all, all))) {
        vmask box = m_or(walls_nan2(x0, y0), walls_nan2(x1, y1));
        best = walls_poison(best, m_or(walls_circle_nan(c), box));
    }
    return best;
}

/* --- Outline ------------------------------------------------------------------------------------------------------ */

/* A circle and the edges of an outline, taken one by one. */
typedef struct walls_round {
    walls_hit best;     /* the earliest so far */
    vmask beyond;       /* the foot is beyond the end of the previous edge */
    vmask before_first; /* the foot is before the start of the first edge */
} walls_round;

/* Offers the impact with the straight part of an edge, in its course k. */
CAROM_LANE void walls_straight(walls_hit *best, walls_edge e, walls_sight s, walls_course k, int32_t number,
                               walls_span span)
{
    walls_late late = walls_late_of(s, k);
    vreal num = v_select(late.enters, late.way, k.num), den = v_select(late.enters, late.along, k.den);
    vmask valid = m_or(late.enters, m_andnot(s.approaching, m_or(k.before, k.beyond)));

    /* Most edges are reached after the best hit: skip their division. */
    vreal latest = v_select(v_lt(best->t, span.to), best->t, span.to) * v_set1(1 + WALLS_FOOT);
    valid = m_and(valid, v_le(num, latest * den));

    if (m_any(valid)) {
        walls_hit hit;
        hit.t = num / den;
        hit.feature = i_set1(number);
        walls_edge_normal(e, s, &hit.nx, &hit.ny);
        walls_offer(best, span, valid, hit);
    }
}

/* Offers the impact with a corner, in lanes where the circle faces it: past the previous edge, ahead of the next
 * one. */
CAROM_LANE void walls_corner(walls_hit *best, walls_circle c, vreal x, vreal y, vmask facing, int32_t number,
                             walls_span span)
{
    walls_disc q = walls_disc_of(c.x - x, c.y - y, c.vx, c.vy, c.r, v_set1(WALLS_GRAZE));
    vmask valid = m_and(facing, q.met);
    if (m_any(valid)) {
        walls_hit hit;
        vreal num, den;
        walls_forward(q, &num, &den);
        hit.t = num / den;
        hit.feature = i_set1(number);
        walls_disc_normal(q, c.vx, c.vy, false, &hit.nx, &hit.ny);
        walls_offer(best, span, valid, hit);
    }
}

/* Offers the impacts with the next edge of an outline, and with the corner at its start. */
CAROM_LANE void walls_round_edge(walls_round *w, walls_circle c, walls_edge e, bool first, int32_t edge, int32_t corner,
                                 bool discrete, walls_span span)
{
    walls_sight s = walls_sight_of(c, e);

    /* At the end of the tick, corners do not count. */
    if (discrete) {
        vmask valid = walls_overlaps(s);
        if (m_any(valid)) {
            walls_hit hit;
            hit.t = s.gap / s.fall;
            hit.feature = i_set1(edge);
            walls_edge_normal(e, s, &hit.nx, &hit.ny);
            walls_offer(&w->best, span, valid, hit);
        }
        return;
    }

    /* The corner lies between the previous edge and this one; the first edge's corner must wait for the last edge. */
    walls_course k = walls_course_of(s);
    if (first) {
        w->before_first = k.before;
    } else {
        vmask facing = m_and(w->beyond, k.before);
        if (m_any(facing)) {
            walls_corner(&w->best, c, e.ax, e.ay, facing, corner, span);
        }
    }

    walls_straight(&w->best, e, s, k, edge, span);
    w->beyond = k.beyond;
}

#endif
