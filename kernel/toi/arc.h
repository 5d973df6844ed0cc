/* SPDX-License-Identifier: MIT
 * A circle against fixed arcs of circles, one pair in each lane: without acceleration by the contract of
 * carom/toi_walls.h, with acceleration by that of carom/toi_accelerated.h.
 *
 * An arc of radius R grown by r is bounded by an outer arc of radius R + r, an inner one of radius R - r, and half
 * circles around its ends. The centre's path enters it through one of these pieces: through the outer one when it
 * enters the circle of radius R + r, through the inner one when it leaves that of radius R - r, and through the half
 * circles as it collides with points. Each piece has its times. A time counts if the position on the path is then on
 * the piece, and nearer to it than to any other. The first that counts is the impact.
 *
 * No gaps: the outer and inner pieces extend slightly beyond the ends, and ends collide with circles enlarged by some
 * rounding errors. So whatever comes in past an end without hitting it is clear of the arc by more than rounding, and
 * its time of impact with the inner or the outer piece exists. A circle that only grazes an end meets it at the point
 * of closest approach, and is not deflected.
 */
#ifndef CAROM_TOI_ARC_H
#define CAROM_TOI_ARC_H

#include "toi/accelerated_walls.h"
#include "toi/wall.h"

/* The parts of an arc, as numbered in carom/toi_walls.h. */
enum { ARC_WITHOUT, ARC_END_A, ARC_END_B, ARC_WITHIN };

typedef struct arc_shape {
    vreal x, y, radius;
    vreal ax, ay, bx, by;  /* its ends relative to the centre; it runs counterclockwise from a to b */
    vmask major, ring;     /* more than half of the circle; the whole circle, which has no ends */
    vmask within, without; /* the sides on which it exists: for centres inside its circle, and for those outside */
} arc_shape;

/* The arc on the circle around (x, y) from the direction of (ax, ay) to that of (bx, by), with two sides. */
CAROM_LANE arc_shape arc_shape_of(vreal x, vreal y, vreal radius, vreal ax, vreal ay, vreal bx, vreal by)
{
    arc_shape s;
    vreal pax = ax - x, pay = ay - y, pbx = bx - x, pby = by - y;
    vreal grow_a = radius / v_sqrt(pax * pax + pay * pay), grow_b = radius / v_sqrt(pbx * pbx + pby * pby);

    s.x = x, s.y = y, s.radius = radius;
    s.ax = pax * grow_a, s.ay = pay * grow_a;
    s.bx = pbx * grow_b, s.by = pby * grow_b;
    s.ring = m_and(v_eq(ax, bx), v_eq(ay, by));
    s.major = v_lt(s.ax * s.by - s.ay * s.bx, v_set1(0));
    s.within = s.without = m_not(m_from_bits(0));
    return s;
}

/* Is the direction of (px, py) from the centre on the arc, or off it by a distance of at most `slack`? */
CAROM_LANE vmask arc_has(const arc_shape *s, vreal px, vreal py, vreal slack)
{
    vreal most = -(slack * s->radius);
    vmask past_a = v_ge(s->ax * py - s->ay * px, most), before_b = v_ge(px * s->by - py * s->bx, most);
    return m_or(s->ring, m_select(s->major, m_or(past_a, before_b), m_and(past_a, before_b)));
}

/* Is this the part nearest to (px, py), or as near as another one within `slack`? Two ends are equally far from a line
 * through the centre. */
CAROM_LANE vmask arc_is_nearest(const arc_shape *s, int part, vreal px, vreal py, vreal slack)
{
    if (part == ARC_WITHOUT || part == ARC_WITHIN) {
        return arc_has(s, px, py, slack);
    }
    vreal to_b = px * (s->bx - s->ax) + py * (s->by - s->ay);
    to_b = part == ARC_END_A ? to_b : -to_b;
    return m_andnot(v_le(to_b, slack * s->radius), arc_has(s, px, py, -slack));
}

/* The unit vector in the direction of (x, y), or its opposite in lanes of `back`; 0 if there is none. */
CAROM_LANE void arc_unit(vreal x, vreal y, vmask back, vreal *nx, vreal *ny)
{
    const vreal zero = v_set1(0);
    vreal most = v_max(v_abs(x), v_abs(y)), scale = v_select(v_gt(most, zero), most, v_set1(1));
    x = x / scale, y = y / scale;
    vreal length = v_sqrt(x * x + y * y);
    length = v_flip(back, v_select(v_gt(length, zero), length, v_set1(1)));
    *nx = x / length;
    *ny = y / length;
}

/* Where a circle is at the start. */
typedef struct arc_sight {
    vreal px, py, pp; /* the centre relative to that of the arc, and its square */
    vreal more;       /* some rounding errors of all lengths */
    vmask inside;     /* the centre is inside the arc's circle */
    vmask over;       /* its foot is on the arc; otherwise the nearest point is an end */
    vmask at_b;       /* the nearer end is b */
    vreal dx, dy, dd; /* from the nearer end to the centre, and its square */
    vmask touches;    /* it touches or overlaps the arc, on a side where the arc exists */
    vmask allowed;    /* the arc exists on this side */
} arc_sight;

CAROM_LANE arc_sight arc_sight_of(const arc_shape *s, vreal x, vreal y, vreal r)
{
    const vreal zero = v_set1(0);
    arc_sight o;
    o.px = x - s->x, o.py = y - s->y;
    o.pp = o.px * o.px + o.py * o.py;
    o.more = (v_abs(o.px) + v_abs(o.py) + (s->radius + r)) * v_set1(2 * WALLS_EPSILON);
    o.inside = v_lt(o.pp, s->radius * s->radius);
    o.over = arc_has(s, o.px, o.py, zero);

    vreal ax = o.px - s->ax, ay = o.py - s->ay, bx = o.px - s->bx, by = o.py - s->by;
    vreal aa = ax * ax + ay * ay, bb = bx * bx + by * by;
    o.at_b = v_lt(bb, aa);
    o.dx = v_select(o.at_b, bx, ax), o.dy = v_select(o.at_b, by, ay), o.dd = v_select(o.at_b, bb, aa);

    /* From inside and at ends anything nearer than some rounding errors also touches: see the top of this file. */
    vreal outer = s->radius + r, inner = s->radius - r - o.more, cap = r + o.more;
    vmask filled = m_or(v_le(inner, zero), v_ge(o.pp, inner * inner));
    vmask curve = m_select(o.inside, filled, v_le(o.pp, outer * outer));
    o.allowed = m_select(o.inside, s->within, s->without);
    o.touches = m_and(m_select(o.over, curve, v_le(o.dd, cap * cap)), o.allowed);
    return o;
}

/* The nearest part at the start, and the normal there. */
CAROM_LANE vint arc_nearest(const arc_sight *o, vreal *nx, vreal *ny)
{
    arc_unit(v_select(o->over, o->px, o->dx), v_select(o->over, o->py, o->dy), m_and(o->over, o->inside), nx, ny);
    vint curve = i_select(o->inside, i_set1(ARC_WITHIN), i_set1(ARC_WITHOUT));
    return i_select(o->over, curve, i_select(o->at_b, i_set1(ARC_END_B), i_set1(ARC_END_A)));
}

/* The radius with which a circle that touches the arc but does not approach is hit once it does: see
 * accelerated_standing(). */
CAROM_LANE vreal arc_standing(const arc_shape *s, const arc_sight *o, vreal r)
{
    vreal distance = v_select(o->over, v_abs(s->radius - v_sqrt(o->pp)), v_sqrt(o->dd));
    return v_max(v_min(r, distance - o->more * v_set1(4)), v_set1(0));
}

/* ---- without acceleration ---- */

/* An upper bound on the rounding error of the position at time t. */
CAROM_LANE vreal arc_slack(const arc_sight *o, walls_circle c, vreal t)
{
    return o->more * v_set1(2) + t * (v_abs(c.vx) + v_abs(c.vy)) * v_set1(4 * WALLS_EPSILON);
}

/* Offers a hit of the lanes `valid` with a part at t = num / den, if that part is the nearest then. */
CAROM_LANE void arc_offer(walls_hit *best, walls_span span, const arc_shape *s, const arc_sight *o, walls_circle c,
                          vmask valid, vreal num, vreal den, walls_hit hit, int part)
{
    hit.t = v_select(valid, num, v_set1(0)) / v_select(valid, den, v_set1(1));
    vreal x = o->px + c.vx * hit.t, y = o->py + c.vy * hit.t, slack = arc_slack(o, c, hit.t);
    hit.feature = i_set1(part);
    walls_offer(best, span, m_and(valid, arc_is_nearest(s, part, x, y, slack)), hit);
}

/* From outside: the centre enters the circle of radius R + r. */
CAROM_LANE void arc_from_without(walls_hit *best, walls_span span, const arc_shape *s, const arc_sight *o,
                                 walls_circle c, vreal r, vmask open)
{
    walls_disc q = walls_disc_of(o->px, o->py, c.vx, c.vy, s->radius + r, v_set1(0));
    vmask valid = m_and(m_and(open, s->without), m_and(q.met, v_gt(q.c, v_set1(0))));
    if (m_any(valid)) {
        walls_hit hit;
        vreal num, den;
        walls_forward(q, &num, &den);
        walls_disc_normal(q, c.vx, c.vy, false, &hit.nx, &hit.ny);
        arc_offer(best, span, s, o, c, valid, num, den, hit, ARC_WITHOUT);
    }
}

/* From inside: the centre leaves the circle of radius R - r, at the later root. It does not matter where it comes from:
 * it may have come in past an end of the arc. */
CAROM_LANE void arc_from_within(walls_hit *best, walls_span span, const arc_shape *s, const arc_sight *o,
                                walls_circle c, vreal r, vmask open)
{
    const vreal zero = v_set1(0), inner = s->radius - r;
    vreal a = c.vx * c.vx + c.vy * c.vy, b = o->px * c.vx + o->py * c.vy, cross = o->px * c.vy - o->py * c.vx;
    vreal d = inner * inner * a - cross * cross, rest = inner * inner - o->pp;
    vmask comes = v_le(b, zero); /* it has not yet been nearest to the centre */

    vmask valid = m_and(m_and(open, s->within), m_and(v_gt(inner, zero), v_gt(a, zero)));
    valid = m_and(valid, m_and(v_ge(d, zero), v_le(d, v_set1(REAL_MAX))));
    valid = m_and(valid, m_or(comes, v_gt(rest, zero)));
    if (m_any(valid)) {
        /* Use the form of the root that does not cancel. */
        vreal root = v_sqrt(v_max(d, zero));
        vreal num = v_select(comes, root - b, rest), den = v_select(comes, a, b + root);

        /* At the contact a times the vector from the arc's centre is (p x v) (vy, -vx) + root (vx, vy), of length a (R
         * - r). */
        vreal length = v_select(valid, a * inner, v_set1(1));
        vreal x = (cross * c.vy + root * c.vx) / length, y = (root * c.vy - cross * c.vx) / length;
        walls_hit hit;
        arc_unit(x, y, m_not(m_from_bits(0)), &hit.nx, &hit.ny);
        arc_offer(best, span, s, o, c, valid, num, den, hit, ARC_WITHIN);
    }
}

/* An end; (px, py) points from it to the circle's centre. */
CAROM_LANE void arc_from_end(walls_hit *best, walls_span span, const arc_shape *s, const arc_sight *o, walls_circle c,
                             vreal px, vreal py, vreal r, int part, vmask open)
{
    const vreal zero = v_set1(0);
    walls_disc q = walls_disc_of(px, py, c.vx, c.vy, r + o->more, zero);
    vmask valid = m_and(m_andnot(open, s->ring), m_and(o->allowed, m_and(q.met, v_gt(q.c, zero))));
    if (m_any(valid)) {
        walls_hit hit;
        vreal num, den, near = v_max(r - o->more, zero);
        walls_forward(q, &num, &den);
        walls_disc_normal(q, c.vx, c.vy, false, &hit.nx, &hit.ny);

        /* A graze: at the nearest position, with a normal across the path. */
        vmask grazes = v_gt(q.cross * q.cross, near * near * q.a);
        num = v_select(grazes, -q.b, num), den = v_select(grazes, q.a, den);
        vreal nx, ny;
        arc_unit(c.vy, -c.vx, v_lt(q.cross, zero), &nx, &ny);
        hit.nx = v_select(grazes, nx, hit.nx), hit.ny = v_select(grazes, ny, hit.ny);
        arc_offer(best, span, s, o, c, valid, num, den, hit, part);
    }
}

/* Offers the times at which the path enters the arc grown by r. */
CAROM_LANE void arc_enter(walls_hit *best, walls_span span, const arc_shape *s, const arc_sight *o, walls_circle c,
                          vreal r, vmask open)
{
    arc_from_without(best, span, s, o, c, r, open);
    arc_from_within(best, span, s, o, c, r, open);
    arc_from_end(best, span, s, o, c, o->px - s->ax, o->py - s->ay, r, ARC_END_A, open);
    arc_from_end(best, span, s, o, c, o->px - s->bx, o->py - s->by, r, ARC_END_B, open);
}

/* `holds`: lanes in which an overlapping circle is hit when the overlap deepens; none under the contract of
 * carom/toi_walls.h. */
CAROM_LANE walls_hit arc_hit(walls_circle c, arc_shape s, vmask holds, walls_span span)
{
    const vreal zero = v_set1(0);
    walls_hit best = walls_never(), hit;
    arc_sight o = arc_sight_of(&s, c.x, c.y, c.r);

    /* Touching at the start: a hit at once if the distance from the nearest point falls. */
    vreal away = v_select(o.over, v_flip(o.inside, o.px * c.vx + o.py * c.vy), o.dx * c.vx + o.dy * c.vy);
    vmask start = m_and(o.touches, v_lt(away, zero));
    if (m_any(start)) {
        hit.t = zero;
        hit.feature = arc_nearest(&o, &hit.nx, &hit.ny);
        walls_offer(&best, span, start, hit);
    }

    /* Later impacts; if the overlap is held, also when it deepens. */
    vmask open = m_not(start), held = m_and(m_and(open, o.touches), holds);
    arc_enter(&best, span, &s, &o, c, c.r, open);
    if (m_any(held)) {
        arc_enter(&best, span, &s, &o, c, arc_standing(&s, &o, c.r), held);
    }

    /* One comparison detects a NaN among the inputs, which is rare. */
    vreal all = o.pp + (c.vx + c.vy) + (c.r + s.radius);
    if (!m_all(v_eq(all, all))) {
        vmask nan = m_or(walls_circle_nan(c), m_or(walls_nan2(s.x, s.y), v_ne(s.radius, s.radius)));
        best = walls_poison(best, nan);
    }
    return best;
}

/* ---- with acceleration ---- */

/* When the centre leaves the circle of radius r around the origin of q: both times, or +INFINITY. It leaves when it
 * enters in reversed time. */
CAROM_LANE quartic_entries accelerated_leaves(quartic_motion q, vreal limit, vmask active)
{
    const vreal zero = v_set1(0), never = v_set1(QUARTIC_NEVER);
    quartic_scaled m = quartic_scale(q);
    vreal until = v_min(limit * m.rate, m.end);
    active = m_and(active, m_andnot(m.tame, quartic_out_of_reach(&m, until)));
    m.q.vx = -m.q.vx, m.q.vy = -m.q.vy;
    quartic_entries e = quartic_enter(&m, -until, active, true, zero);
    vmask first = m_and(v_lt(e.first, never), v_le(e.first, zero));
    vmask second = m_and(v_lt(e.second, never), v_le(e.second, zero));
    e.first = v_select(first, -(e.first * m.unit), never);
    e.second = v_select(second, -(e.second * m.unit), never);
    return e;
}

/* Offers the times of one piece. q is the motion relative to the piece's centre, and (x, y) the piece's centre relative
 * to that of the arc. */
CAROM_LANE void accelerated_arc_piece(accelerated_hit *h, const arc_shape *s, const arc_sight *o, quartic_motion q,
                                      vreal x, vreal y, int part, vreal limit, vmask open)
{
    const vreal zero = v_set1(0), never = v_set1(QUARTIC_NEVER);
    bool within = part == ARC_WITHIN;
    quartic_entries e = within ? accelerated_leaves(q, limit, open) : accelerated_corner(q, limit, open);
    for (int i = 0; i < 2; i++) {
        vreal t = i == 0 ? e.first : e.second;
        vmask hit = m_and(open, v_lt(t, never));
        vreal at = v_select(hit, t, zero), px = accelerated_x(&q, at), py = accelerated_y(&q, at);
        vreal slack = accelerated_slack(&q, at, o->more + s->radius);
        hit = m_and(hit, arc_is_nearest(s, part, px + x, py + y, slack));
        accelerated_take_from(h, hit, t, within ? -px : px, within ? -py : py, (real)part);
    }
}

/* Offers the times at which the path enters the arc grown by r; q is the motion relative to the arc's centre. */
CAROM_LANE void accelerated_arc_enter(accelerated_hit *h, const arc_shape *s, const arc_sight *o, quartic_motion q,
                                      vreal r, vreal limit, vmask open)
{
    const vreal zero = v_set1(0);
    q.r = s->radius + r;
    accelerated_arc_piece(h, s, o, q, zero, zero, ARC_WITHOUT, limit, m_and(open, s->without));
    q.r = s->radius - r;
    accelerated_arc_piece(h, s, o, q, zero, zero, ARC_WITHIN, limit, m_and(m_and(open, s->within), v_gt(q.r, zero)));
    q.r = r + o->more;
    vmask ends = m_and(m_andnot(open, s->ring), o->allowed);
    accelerated_arc_piece(h, s, o, accelerated_from(q, s->ax, s->ay), s->ax, s->ay, ARC_END_A, limit, ends);
    accelerated_arc_piece(h, s, o, accelerated_from(q, s->bx, s->by), s->bx, s->by, ARC_END_B, limit, ends);
}

/* `holds`: see accelerated_segment(). */
CAROM_LANE accelerated_hit accelerated_arc(quartic_motion q, arc_shape s, vreal limit, vmask holds)
{
    const vreal zero = v_set1(0);
    accelerated_hit h = accelerated_none();
    vmask nan = m_or(m_or(v_ne(s.x, s.x), v_ne(s.y, s.y)), m_or(v_ne(s.radius, s.radius), quartic_is_nan(&q)));
    vreal r = v_abs(q.r);
    arc_sight o = arc_sight_of(&s, q.px, q.py, r);

    /* Touching at the start: a hit at time 0 if the distance from the nearest point falls. The derivatives are those of
     * its square, or from inside of minus its square. */
    vmask start = m_from_bits(0);
    if (m_any(o.touches)) {
        vmask flip = m_and(o.over, o.inside);
        vreal dx = v_select(o.over, o.px, o.dx), dy = v_select(o.over, o.py, o.dy);
        vreal g = v_flip(flip, dx * q.vx + dy * q.vy);
        vreal bend = v_flip(flip, q.vx * q.vx + q.vy * q.vy + (dx * q.ax + dy * q.ay));
        start = m_and(o.touches, accelerated_closing(g, bend, v_flip(flip, q.vx * q.ax + q.vy * q.ay)));
        vreal nx, ny;
        vint nearest = arc_nearest(&o, &nx, &ny);

        /* From exactly the arc's centre the circle moves towards the part that it hits. */
        vreal toward_x, toward_y;
        vmask rests = m_and(v_eq(q.vx, zero), v_eq(q.vy, zero)), central = m_and(v_eq(nx, zero), v_eq(ny, zero));
        arc_unit(v_select(rests, q.ax, q.vx), v_select(rests, q.ay, q.vy), m_not(m_from_bits(0)), &toward_x, &toward_y);
        nx = v_select(central, toward_x, nx), ny = v_select(central, toward_y, ny);
        for (int part = ARC_WITHOUT; part <= ARC_WITHIN; part++) {
            accelerated_take(&h, m_and(start, i_eq(nearest, i_set1(part))), zero, nx, ny, (real)part);
        }
    }

    /* Later impacts; if the overlap is held, also when it deepens. */
    vmask open = m_not(m_or(start, nan)), held = m_and(m_and(open, o.touches), holds);
    q.px = o.px, q.py = o.py;
    accelerated_arc_enter(&h, &s, &o, q, r, limit, open);
    if (m_any(held)) {
        accelerated_arc_enter(&h, &s, &o, q, arc_standing(&s, &o, r), limit, held);
    }
    return accelerated_answer(h, limit, nan);
}

#endif
