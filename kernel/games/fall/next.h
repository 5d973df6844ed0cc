/* SPDX-License-Identifier: MIT
 * The next collision of a register group of worlds, one world in each lane (RULES.md, The next collision).
 *
 * Every test of a pair gives a time, independent of the other tests, so the order of tests is free: the earliest time
 * wins, among equal times the lowest rank (fall_pair). Lines are tested first, because they are cheap, then circles,
 * then the corners' quartics. Anything outside the box that a circle sweeps until the earliest time so far is skipped.
 */
#ifndef CAROM_GAMES_FALL_NEXT_H
#define CAROM_GAMES_FALL_NEXT_H

#include "games/fall/fall.h"
#include "toi/quartic.h"

/* The tolerances called "near" in RULES.md: in seconds, metres or metres per second. */
#if CAROM_REAL_BITS == 64
#define FALL_NEAR 1e-6
#else
#define FALL_NEAR 1e-4f
#endif

#define FALL_NONE REAL(1e9)  /* above every rank: no collision */
#define FALL_SOON REAL(0.25) /* seconds; see fall_search() */

enum { FALL_X, FALL_Y, FALL_VX, FALL_VY };

/* A register group of worlds, one per lane, during the search for their next collisions. */
typedef struct fall_group {
    alignas(64) real c[FALL_CIRCLES][4][LANES];     /* x, y, vx, vy now */
    alignas(64) real moved[FALL_CIRCLES][4][LANES]; /* the same after some time, by fall_move() */
    alignas(64) real past_age[FALL_PASTS][LANES], past_x[FALL_PASTS][LANES], past_y[FALL_PASTS][LANES];
    alignas(64) real past_pair[FALL_PASTS][LANES]; /* first * 256 + second; -1: none */
    int pasts;                                     /* the maximum over the lanes */
} fall_group;

CAROM_LANE real fall_size(real a)
{
    return a < 0 ? -a : a;
}

/* The earliest collision so far: its time, rank and point. */
typedef struct fall_best {
    vreal t, rank, x, y;
    vmask want; /* lanes in which to search for a collision */
} fall_best;

/* A circle in all lanes; ax, ay and the radius r are the scene's. */
typedef struct fall_mover {
    vreal x, y, vx, vy;
    real ax, ay, r;
} fall_mover;

/* A coordinate after time t: p + v t + a t^2 / 2. */
CAROM_LANE vreal fall_place(vreal p, vreal v, real a, vreal t)
{
    return p + (v * t + v_set1(a / 2) * (t * t));
}

CAROM_LANE vmask fall_is_near(vreal a, vreal b)
{
    return v_lt(v_abs(a - b), v_set1(FALL_NEAR));
}

CAROM_LANE vreal fall_without_near(vreal a)
{
    const vreal zero = v_set1(0);
    return v_select(v_lt(v_abs(a), v_set1(FALL_NEAR)), zero, a);
}

/* Lanes of m in which the same collision has just happened. */
CAROM_LANE vmask fall_is_duplicate(const fall_group *g, vmask m, real pair, vreal t, vreal x, vreal y)
{
    vmask found = m_from_bits(0);
    if (g->pasts == 0 || !m_any(m_and(m, v_lt(t, v_set1(FALL_NEAR))))) {
        return found;
    }

    for (int k = 0; k < g->pasts; k++) {
        vmask same =
            m_and(v_eq(v_load(g->past_pair[k]), v_set1(pair)), v_lt(t + v_load(g->past_age[k]), v_set1(FALL_NEAR)));
        vmask here = m_and(fall_is_near(x, v_load(g->past_x[k])), fall_is_near(y, v_load(g->past_y[k])));
        found = m_or(found, m_and(same, here));
    }
    return m_and(found, m);
}

/* Lanes of m in which a collision at t, with this rank, comes before the best so far. */
CAROM_LANE vmask fall_is_better(const fall_best *best, vmask m, vreal t, real rank)
{
    vmask tie = m_and(v_eq(t, best->t), v_gt(best->rank, v_set1(rank)));
    return m_and(m_and(m, best->want), m_and(m_or(v_lt(t, best->t), tie), v_lt(t, v_set1(QUARTIC_NEVER))));
}

/* Makes a collision the best one in the lanes m, except where it has just happened. */
CAROM_LANE void fall_take(fall_best *best, const fall_group *g, vmask m, vreal t, real rank, const fall_pair *pair,
                          vreal x, vreal y)
{
    m = m_andnot(m, fall_is_duplicate(g, m, (real)(pair->first * 256 + pair->second), t, x, y));
    best->t = v_select(m, t, best->t);
    best->rank = v_select(m, v_set1(rank), best->rank);
    best->x = v_select(m, x, best->x);
    best->y = v_select(m, y, best->y);
}

/* ---- two circles ---- */

/* The lowest of `count` ascending roots that is not below 0; a root near 0 counts as 0. */
CAROM_LANE vreal fall_first_root(const vreal *root, int count)
{
    vreal t = v_set1(QUARTIC_NEVER);
    for (int k = count - 1; k >= 0; k--) {
        vreal at = fall_without_near(root[k]);
        t = v_select(v_ge(at, v_set1(0)), at, t);
    }
    return t;
}

/* Lanes in which two circles are so far apart that they touch neither now nor at any time near now. pp: the square of
 * their distance. Neither q->r nor speed may be NaN. */
CAROM_LANE vmask fall_is_apart(const quartic_motion *q, vreal pp, vreal speed)
{
    vreal reach = q->r + (speed + v_set1(1)) * v_set1(2 * FALL_NEAR);
    return v_gt(pp, reach * reach);
}

/* Time of contact without acceleration, |p + v t| = r, in the lanes `want`. Times after `limit` may be omitted. */
CAROM_LANE vreal fall_meet_straight(const quartic_motion *q, vmask want, vreal limit)
{
    const vreal zero = v_set1(0);
    vreal a = q->vx * q->vx + q->vy * q->vy, b = q->px * q->vx + q->py * q->vy;
    vreal pp = q->px * q->px + q->py * q->py, c = pp - q->r * q->r;
    vreal d = b * b - a * c, speed = v_abs(q->vx) + v_abs(q->vy);

    /* Skip lanes that are apart now and separating, or too far apart to meet by `limit` (reach may be infinite). */
    vreal reach = (q->r + (speed + v_set1(FALL_NEAR)) * limit) * v_set1(1 + FALL_NEAR);
    vmask out = m_or(v_ge(b, zero), v_gt(pp, reach * reach));
    vmask good = m_andnot(m_and(want, m_and(v_ge(d, zero), v_gt(a, zero))), m_and(out, fall_is_apart(q, pp, speed)));
    if (!m_any(good)) {
        return v_set1(QUARTIC_NEVER);
    }

    /* Both roots without cancellation: one from the sum of like signs, the other from the product of the roots. */
    vreal sum = -(b + v_flip(v_lt(b, zero), v_sqrt(v_max(d, zero))));
    vreal one = sum / a, other = v_select(v_eq(sum, zero), one, c / sum), root[2];
    root[0] = v_min(one, other);
    root[1] = v_max(one, other);
    return v_select(good, fall_first_root(root, 2), v_set1(QUARTIC_NEVER));
}

/* Time of contact with acceleration, in the lanes of `lanes` (bits) and up to `limit`. Lanes that are apart now need
 * only the first root of the quartic after now; those that touch need all four. Too long to inline. */
static __attribute__((noinline)) void fall_meet_bent(const quartic_motion *q, unsigned lanes, const vreal *limit,
                                                     vreal *time)
{
    const vmask m = m_from_bits(lanes);
    vreal pp = q->px * q->px + q->py * q->py;
    vreal speed = v_abs(q->vx) + v_abs(q->vy) + (v_abs(q->ax) + v_abs(q->ay));
    vmask touching = m_andnot(m, fall_is_apart(q, pp, speed));
    vreal t = quartic_time(*q, v_select(m, *limit, v_set1(0)));
    if (m_any(touching)) {
        vreal root[4];
        quartic_roots(*q, root);
        t = v_select(touching, fall_first_root(root, 4), t);
    }
    *time = t;
}

/* Is a circle at (x1, y1) at the distance of contact from a body at (x2, y2)? */
CAROM_LANE vmask fall_is_contact(vreal x1, vreal y1, vreal x2, vreal y2, vreal r)
{
    vreal dx = x1 - x2, dy = y1 - y2;
    return fall_is_near(v_sqrt(dx * dx + dy * dy), r);
}

CAROM_LANE fall_mover fall_mover_of(const fall_context *context, const fall_group *g, int k)
{
    const fall_circle *circle = &context->circles[k];
    fall_mover m;
    m.x = v_load(g->c[k][FALL_X]);
    m.y = v_load(g->c[k][FALL_Y]);
    m.vx = v_load(g->c[k][FALL_VX]);
    m.vy = v_load(g->c[k][FALL_VY]);
    m.ax = (real)circle->ax;
    m.ay = (real)circle->ay;
    m.r = (real)circle->radius;
    return m;
}

/* Tests a pair of circles. */
CAROM_LANE void fall_try_circles(const fall_context *context, const fall_group *g, fall_best *best,
                                 const fall_pair *pair, real rank)
{
    const fall_mover a = fall_mover_of(context, g, pair->a), b = fall_mover_of(context, g, pair->b);
    quartic_motion q;
    q.px = b.x - a.x;
    q.py = b.y - a.y;
    q.vx = b.vx - a.vx;
    q.vy = b.vy - a.vy;
    q.ax = v_set1((real)pair->ax);
    q.ay = v_set1((real)pair->ay);
    q.r = v_set1(a.r + b.r);

    vreal t;
    if (pair->ax == 0 && pair->ay == 0) {
        t = fall_meet_straight(&q, best->want, best->t);
    } else {
        fall_meet_bent(&q, m_bits(best->want), &best->t, &t);
    }
    vmask m = fall_is_better(best, best->want, t, rank);
    if (!m_any(m)) {
        return;
    }

    /* Drop roots that are no contacts. The point is between the centres, where the radii divide the distance. */
    vreal at = v_select(m, t, v_set1(0)), share = v_set1(a.r / (a.r + b.r));
    vreal x1 = fall_place(a.x, a.vx, a.ax, at), y1 = fall_place(a.y, a.vy, a.ay, at);
    vreal x2 = fall_place(b.x, b.vx, b.ax, at), y2 = fall_place(b.y, b.vy, b.ay, at);
    m = m_and(m, fall_is_contact(x1, y1, x2, y2, q.r));
    fall_take(best, g, m, t, rank, pair, x2 + (x1 - x2) * share, y2 + (y1 - y2) * share);
}

/* ---- circle and polygon ---- */

/* The box that a circle sweeps up to a time, slightly enlarged. */
typedef struct fall_sweep {
    vreal left, low, right, high;
    vmask all; /* lanes without a time so far, in which everything is within reach */
} fall_sweep;

/* One side of the box: from p with velocity v and acceleration a, until t, enlarged by `more`. */
CAROM_LANE void fall_sweep_axis(vreal p, vreal v, real a, vreal t, vreal more, vreal *least, vreal *most)
{
    vreal end = fall_place(p, v, a, t);
    *least = v_min(p, end);
    *most = v_max(p, end);

    /* The circle may turn back before t. */
    if (a != 0) {
        vreal turn = p - v * v * v_set1(1 / (2 * a));
        vmask turns = m_and(v_lt(v * v_set1(a), v_set1(0)), v_lt(v_abs(v), t * v_set1(fall_size(a))));
        turn = v_select(turns, turn, p);
        *least = v_min(*least, turn);
        *most = v_max(*most, turn);
    }

    *least = *least - more;
    *most = *most + more;
}

CAROM_LANE fall_sweep fall_sweep_of(const fall_mover *c, vreal t)
{
    fall_sweep s;

    /* Tests of lines treat velocities and accelerations near 0 as 0; enlarge the box by more than the motion that this
     * ignores. */
    vreal size = v_abs(c->x) + v_abs(c->y) + t * (v_abs(c->vx) + v_abs(c->vy));
    size = size + (t + t * t) + v_set1(1 + c->r);
    vreal more = v_set1(c->r) + size * v_set1(4 * FALL_NEAR);
    fall_sweep_axis(c->x, c->vx, c->ax, t, more, &s.left, &s.right);
    fall_sweep_axis(c->y, c->vy, c->ay, t, more, &s.low, &s.high);
    s.all = m_not(v_lt(t, v_set1(QUARTIC_NEVER)));
    return s;
}

/* Lanes in which the circle may reach a box with these sides. */
CAROM_LANE vmask fall_may_reach(const fall_sweep *s, vmask want, real left, real low, real right, real high)
{
    vmask beside = m_or(v_gt(s->left, v_set1(right)), v_lt(s->right, v_set1(left)));
    vmask above = m_or(v_gt(s->low, v_set1(high)), v_lt(s->high, v_set1(low)));
    return m_and(want, m_or(s->all, m_not(m_or(beside, above))));
}

/* A circle in the frame of an edge: x along its line, y across it. The acceleration is the same in all lanes. */
typedef struct fall_frame {
    vreal x, y, vx, vy;
    vreal reach; /* upper bound on the motion of the centre across the line until the earliest time so far */
    real ax, ay;
} fall_frame;

/* Tests a circle against an edge's line moved by the radius, to the left (side 1) or to the right (side -1). */
CAROM_LANE void fall_try_line(const fall_group *g, fall_best *best, const fall_pair *pair, const fall_mover *c,
                              const fall_edge *edge, const fall_frame *f, vmask want, real side, real rank)
{
    const vreal zero = v_set1(0), near_zero = v_set1(FALL_NEAR);
    vreal y = fall_without_near(f->y - v_set1(side * c->r));
    vmask m = m_andnot(want, v_gt(v_abs(y), f->reach)); /* reach may be NaN, which excludes no lane */

    /* When the centre is on that line: a linear or a quadratic equation in t. */
    vreal root[2];
    int roots = 2;
    if (fall_size(f->ay / 2) < FALL_NEAR) {
        m = m_and(m, v_ge(v_abs(f->vy), near_zero));
        root[0] = root[1] = -(y / f->vy);
        roots = 1;
    } else {
        vreal d = f->vy * f->vy - v_set1(2 * f->ay) * y;
        m = m_and(m, v_gt(d, -near_zero));
        if (!m_any(m)) {
            return;
        }
        const vreal inverse = v_set1(1 / f->ay);
        vreal slope = v_sqrt(v_max(d, zero));
        slope = f->ay < 0 ? -slope : slope;
        root[0] = -(f->vy + slope) * inverse;
        root[1] = (slope - f->vy) * inverse;
    }

    /* Only a point between the corners is a contact. */
    for (int k = 0; k < roots; k++) {
        vmask better = fall_is_better(best, m_and(m, v_ge(root[k], zero)), root[k], rank);
        if (!m_any(better)) {
            continue;
        }

        vreal t = v_select(better, root[k], zero), along = fall_place(f->x, f->vx, f->ax, t);
        better = m_and(better, m_and(v_ge(along, zero), v_le(along, v_set1((real)edge->length))));
        if (m_any(better)) {
            fall_take(best, g, better, t, rank, pair, fall_place(c->x, c->vx, c->ax, t),
                      fall_place(c->y, c->vy, c->ay, t));
        }
    }
}

/* Tests a circle against both sides of an edge. */
CAROM_LANE void fall_try_edge(const fall_group *g, fall_best *best, const fall_pair *pair, const fall_mover *c,
                              const fall_edge *edge, vmask want, real rank)
{
    const real ux = (real)edge->ux, uy = (real)edge->uy, ax = c->ax * ux + c->ay * uy, ay = c->ay * ux - c->ax * uy;
    fall_frame f;
    vreal dx = c->x - v_set1((real)edge->px), dy = c->y - v_set1((real)edge->py);
    f.x = dx * v_set1(ux) + dy * v_set1(uy);
    f.y = dy * v_set1(ux) - dx * v_set1(uy);
    f.vx = fall_without_near(c->vx * v_set1(ux) + c->vy * v_set1(uy));
    f.vy = fall_without_near(c->vy * v_set1(ux) - c->vx * v_set1(uy));
    f.ax = fall_size(ax) < FALL_NEAR ? 0 : ax;
    f.ay = fall_size(ay) < FALL_NEAR ? 0 : ay;

    vreal far = best->t * (v_abs(f.vy) + best->t * v_set1(fall_size(f.ay) / 2));
    f.reach = far * v_set1(1 + FALL_NEAR) + v_set1(FALL_NEAR);
    fall_try_line(g, best, pair, c, edge, &f, want, 1, rank + 2);
    fall_try_line(g, best, pair, c, edge, &f, want, -1, rank + 3);
}

/* Tests a circle against a corner, which is like a circle without a radius. */
CAROM_LANE void fall_try_corner(const fall_group *g, fall_best *best, const fall_pair *pair, const fall_mover *c,
                                real x, real y, vmask want, real rank)
{
    quartic_motion q;
    q.px = c->x - v_set1(x);
    q.py = c->y - v_set1(y);
    q.vx = c->vx;
    q.vy = c->vy;
    q.ax = v_set1(c->ax);
    q.ay = v_set1(c->ay);
    q.r = v_set1(c->r);

    vreal t;
    fall_meet_bent(&q, m_bits(want), &best->t, &t);
    vmask m = fall_is_better(best, want, t, rank);
    if (!m_any(m)) {
        return;
    }

    vreal at = v_select(m, t, v_set1(0)), x2 = v_set1(x), y2 = v_set1(y);
    vreal x1 = fall_place(c->x, c->vx, c->ax, at), y1 = fall_place(c->y, c->vy, c->ay, at);
    fall_take(best, g, m_and(m, fall_is_contact(x1, y1, x2, y2, q.r)), t, rank, pair, x2, y2);
}

/* Tests a circle against the edges of a polygon that it may reach. */
CAROM_LANE void fall_try_edges(const fall_context *context, const fall_group *g, fall_best *best, const fall_pair *pair,
                               const fall_mover *c, const fall_sweep *s, real rank)
{
    const fall_polygon *p = &context->polygons[pair->b];
    for (int e = 0; e < p->count; e++) {
        const fall_edge *edge = &context->edges[p->first + e];
        vmask want =
            fall_may_reach(s, best->want, (real)edge->left, (real)edge->low, (real)edge->right, (real)edge->high);
        if (m_any(want)) {
            fall_try_edge(g, best, pair, c, edge, want, rank + (real)(4 * e));
        }
    }
}

/* Tests a circle against the corners of a polygon that it may reach. Corner e is the second one of edge e - 1, which
 * gives it the lower rank, except for corner 0, the first one of edge 0. */
CAROM_LANE void fall_try_corners(const fall_context *context, const fall_group *g, fall_best *best,
                                 const fall_pair *pair, const fall_mover *c, const fall_sweep *s, real rank)
{
    const fall_polygon *p = &context->polygons[pair->b];
    for (int e = 0; e < p->count; e++) {
        const fall_edge *edge = &context->edges[p->first + e];
        const real x = (real)edge->x, y = (real)edge->y;
        vmask want = fall_may_reach(s, best->want, x, y, x, y);
        if (m_any(want)) {
            fall_try_corner(g, best, pair, c, x, y, want, rank + (real)(e == 0 ? 0 : 4 * e - 3));
        }
    }
}

/* Tests all circles against all polygons: their edges, or their corners. A sweep may predate the best time, which is
 * safe: it is only larger. */
CAROM_LANE void fall_try_polygons(const fall_context *context, const fall_group *g, fall_best *best, bool corners)
{
    fall_mover c;
    fall_sweep s;
    int circle = -1;
    for (int k = 0; k < context->obstacle_count; k++) {
        const int number = context->obstacles[k];
        const fall_pair *pair = &context->pairs[number];
        const fall_polygon *p = &context->polygons[pair->b];

        /* Obstacles are in the order of their circles. */
        if (pair->a != circle) {
            circle = pair->a;
            c = fall_mover_of(context, g, circle);
            s = fall_sweep_of(&c, best->t);
        }
        if (!m_any(fall_may_reach(&s, best->want, (real)p->left, (real)p->low, (real)p->right, (real)p->high))) {
            continue;
        }

        if (corners) {
            fall_try_corners(context, g, best, pair, &c, &s, (real)(number * FALL_SUBS));
        } else {
            fall_try_edges(context, g, best, pair, &c, &s, (real)(number * FALL_SUBS));
            s = fall_sweep_of(&c, best->t);
        }
    }
}

/* ---- all pairs ---- */

/* The next collisions of the first `count` lanes; the rank is FALL_NONE where there is none. Searches up to FALL_SOON,
 * which takes few tests; then, in worlds without a collision by then, without limit. */
CAROM_LANE fall_best fall_search(const fall_context *context, const fall_group *g, unsigned count)
{
    fall_best best;

    /* As if a collision at FALL_SOON were known: later ones do not count, and sweeps end there. */
    best.want = m_below(count);
    best.t = v_set1(FALL_SOON);
    best.rank = v_set1(FALL_NONE);
    best.x = best.y = v_set1(0);

    for (int pass = 0; pass < 2 && m_any(best.want); pass++) {
        fall_try_polygons(context, g, &best, false);
        for (int k = 0; k < context->pair_count; k++) {
            if (context->pairs[k].polygon == 0) {
                fall_try_circles(context, g, &best, &context->pairs[k], (real)(k * FALL_SUBS));
            }
        }
        fall_try_polygons(context, g, &best, true);
        best.want = m_and(best.want, v_eq(best.rank, v_set1(FALL_NONE)));
        best.t = v_select(best.want, v_set1(QUARTIC_NEVER), best.t);
    }
    return best;
}

#endif
