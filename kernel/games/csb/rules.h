/* SPDX-License-Identifier: MIT
 * The rules of Coders Strike Back in lanes: a lane is a world. Order of operations is the referee's, to the bit (f64).
 *
 * The motion of a tick is played by step/advance_all.h; this file gives it the two hooks. Everything is written once a
 * pod with constant indices, so that compilers keep the worlds in registers. Compiles as C++, too.
 */
#ifndef CAROM_GAMES_CSB_RULES_H
#define CAROM_GAMES_CSB_RULES_H

#include "games/csb/csb.h"
#include "simd/elementary.h"
#include "simd/lanes.h"

/* The rows of a world in motion. P: where the current sub-step began; C: the next checkpoint; MASS: the inverse. */
enum { PX = 0, PY = 4, X = 8, Y = 12, VX = 16, VY = 20, CX = 24, CY = 28, MASS = 32, FIRST = 36, PAIR = 37, LEFT = 38 };
#define MOTION_ROWS 39
#define MOTION_BACK 24
#define MOTION_GIVEN X
#define MOTION_GIVEN_END LEFT
#define MOTION_ROUNDS (CSB_SUBSTEPS - 1)

struct csb_run;
typedef struct csb_run motion_context;

#include "step/advance_all.h"

#if CAROM_REAL_BITS == 64
#define CSB_SLACK 1.0 /* added to the reach of two pods by the box test */
#define CSB_RANGE CSB_RANGE_F64
#else
#define CSB_SLACK 800.0f
#define CSB_RANGE ((real)CSB_RANGE_F32)
#endif

/* ---- the earliest impact ----
 *
 * A filter comes before the referee's own expression; it only ever leaves out what that expression would not choose. If
 * the boxes that two pods sweep in the time left, each widened by 400, are apart by more than CSB_SLACK, then
 * f(t) = |p + w t|^2 - 800^2 > (1600 + CSB_SLACK) CSB_SLACK throughout. The computed time of contact is the root of a
 * quadratic that differs from f by at most u |p| (35 |p| + 14 |w|) in [0, 1] (u: half a unit in the last place):
 * 21 u |p|^2 for the roundings of the coefficients and of the discriminant, seen as one of c, and 14 u |p| (|p| + |w|)
 * for those of the root, seen as a shift of t. In the range that states are held to, |p| <= 2 sqrt(2) CSB_RANGE and, if
 * impacts may double velocities, |w| <= 8 sqrt(2) CSB_RANGE: that is 370 of 1601 (f64) and 7.5e5 of 1.9e6 (f32). So no
 * root lies there. */

typedef struct csb_boxes {
    vreal low_x[4], high_x[4], low_y[4], high_y[4]; /* high: with the reach of two pods added */
} csb_boxes;

#define CSB_REACH (REAL(800.0) + CSB_SLACK)

CAROM_LANE void csb_box(csb_boxes *boxes, int i, vreal x, vreal y, vreal end_x, vreal end_y)
{
    vreal reach = v_set1(CSB_REACH);
    boxes->low_x[i] = v_min(x, end_x);
    boxes->low_y[i] = v_min(y, end_y);
    boxes->high_x[i] = v_add(v_max(x, end_x), reach);
    boxes->high_y[i] = v_add(v_max(y, end_y), reach);
}

CAROM_LANE vmask csb_near(const csb_boxes *boxes, int i, int j)
{
    vmask x = m_and(v_le(boxes->low_x[i], boxes->high_x[j]), v_le(boxes->low_x[j], boxes->high_x[i]));
    vmask y = m_and(v_le(boxes->low_y[i], boxes->high_y[j]), v_le(boxes->low_y[j], boxes->high_y[i]));
    return m_and(x, y);
}

/* May a path in box i, its end rounded, come within 600 of the checkpoint (cx, cy)? 602 allows for the roundings. */
CAROM_LANE vmask csb_may_cross(const csb_boxes *boxes, int i, vreal cx, vreal cy)
{
    vreal wide = v_set1(REAL(602.0)), rest = v_set1(CSB_REACH - REAL(602.0));
    vmask x = m_and(v_ge(v_add(cx, wide), boxes->low_x[i]), v_le(v_add(cx, rest), boxes->high_x[i]));
    vmask y = m_and(v_ge(v_add(cy, wide), boxes->low_y[i]), v_le(v_add(cy, rest), boxes->high_y[i]));
    return m_and(x, y);
}

/* The pair numbered `pair`, with relative position p and relative velocity w: if its contact comes no later than
 * *first, it is the one. */
CAROM_LANE void csb_try(vreal px, vreal py, vreal wx, vreal wy, vmask near, vreal pair, vreal *first, vreal *chosen)
{
    vreal zero = v_set1(REAL(0.0)), reach2 = v_set1(REAL(640000.0));
    vreal p2 = v_add(v_mul(px, px), v_mul(py, py));
    vreal dot = v_add(v_mul(px, wx), v_mul(py, wy));
    vreal w2 = v_add(v_mul(wx, wx), v_mul(wy, wy));
    vreal disc = v_sub(v_mul(dot, dot), v_mul(w2, v_sub(p2, reach2)));
    vmask touch = v_le(p2, reach2);
    vreal t = v_div(v_sub(v_neg(dot), v_sqrt(disc)), w2); /* NaN, which is never chosen, unless disc >= 0 */
#if CAROM_REAL_BITS == 64
    vmask meet = m_or(touch, v_le(dot, zero));
#else
    vmask meet = v_lt(dot, zero);
#endif
    t = v_select(touch, zero, t);
    vmask take = m_and(m_and(near, meet), v_le(t, *first));
    *first = v_select(take, t, *first);
    *chosen = v_select(take, pair, *chosen);
}

/* Pairs are looked at in the referee's order; among equal times the last one stays. Their numbers are 1..6, the larger
 * index first. */
#define CSB_PAIRS 6
#define CSB_EACH_PAIR(X) X(1, 3, 2) X(2, 3, 1) X(3, 3, 0) X(4, 2, 1) X(5, 2, 0) X(6, 1, 0)

CAROM_LANE void motion_open(motion *m)
{
    V_EACH4(m->r[PX + i] = m->r[X + i]; m->r[PY + i] = m->r[Y + i])
    m->r[LEFT] = v_set1(REAL(1.0));
}

CAROM_LANE void csb_try_pair(motion *m, vmask near, int pair, int i, int j)
{
    if (m_any(near)) {
        csb_try(v_sub(m->r[X + j], m->r[X + i]), v_sub(m->r[Y + j], m->r[Y + i]), v_sub(m->r[VX + j], m->r[VX + i]),
                v_sub(m->r[VY + j], m->r[VY + i]), near, v_set1((real)pair), &m->r[FIRST], &m->r[PAIR]);
    }
}

CAROM_LANE vmask motion_detect(motion *m, vmask active)
{
    csb_boxes boxes;
    vreal left = m->r[LEFT], end_x[4], end_y[4];
    V_EACH4(end_x[i] = v_add(m->r[X + i], v_mul(m->r[VX + i], left));
            end_y[i] = v_add(m->r[Y + i], v_mul(m->r[VY + i], left));
            csb_box(&boxes, i, m->r[X + i], m->r[Y + i], end_x[i], end_y[i]))
    m->r[FIRST] = left;
    m->r[PAIR] = v_set1(REAL(0.0));
#define CSB_TRY(pair, a, b) csb_try_pair(m, m_and(active, csb_near(&boxes, a, b)), pair, a, b);
    CSB_EACH_PAIR(CSB_TRY)
#undef CSB_TRY
    vmask event = v_gt(m->r[PAIR], v_set1(REAL(0.0)));
    vmask done = m_andnot(active, event);
    V_EACH4(m->r[X + i] = v_select(done, end_x[i], m->r[X + i]); m->r[Y + i] = v_select(done, end_y[i], m->r[Y + i]))
    return event;
}

/* ---- the impact ---- */

/* Row `row` of the pod that `is2`, `is1` choose among three consecutive ones. */
CAROM_LANE vreal csb_pick(const motion *m, int row, vmask is1, vmask is2)
{
    return v_select(is2, m->r[row + 2], v_select(is1, m->r[row + 1], m->r[row]));
}

CAROM_LANE void csb_bounce(motion *m, vmask active)
{
    /* a: the larger index (1..3), b: the smaller (0..2) */
    vreal pair = m->r[PAIR];
    vmask a3 = v_le(pair, v_set1(REAL(3.0)));
    vmask a2 = m_andnot(v_le(pair, v_set1(REAL(5.0))), a3);
    vmask b2 = v_eq(pair, v_set1(REAL(1.0)));
    vmask b1 = m_or(v_eq(pair, v_set1(REAL(2.0))), v_eq(pair, v_set1(REAL(4.0))));
    vreal xa = csb_pick(m, X + 1, a2, a3), ya = csb_pick(m, Y + 1, a2, a3);
    vreal xb = csb_pick(m, X, b1, b2), yb = csb_pick(m, Y, b1, b2);
    vreal vxa = csb_pick(m, VX + 1, a2, a3), vya = csb_pick(m, VY + 1, a2, a3);
    vreal vxb = csb_pick(m, VX, b1, b2), vyb = csb_pick(m, VY, b1, b2);
    vreal ma = csb_pick(m, MASS + 1, a2, a3), mb = csb_pick(m, MASS, b1, b2);

    vreal nx = v_sub(xb, xa), ny = v_sub(yb, ya);
    vreal d = v_sqrt(v_add(v_mul(nx, nx), v_mul(ny, ny)));
    nx = v_div(nx, d);
    ny = v_div(ny, d);
    vreal rx = v_sub(vxa, vxb), ry = v_sub(vya, vyb);
    vreal f = v_div(v_add(v_mul(nx, rx), v_mul(ny, ry)), v_add(ma, mb));
    vreal least = v_set1((real)CSB_LEAST_IMPULSE);
    f = v_add(f, v_select(v_lt(f, least), least, f));
    vreal ix = v_mul(nx, v_neg(f)), iy = v_mul(ny, v_neg(f));
    vxa = v_add(vxa, v_mul(ix, ma));
    vya = v_add(vya, v_mul(iy, ma));
    vxb = v_add(vxb, v_mul(v_neg(ix), mb));
    vyb = v_add(vyb, v_mul(v_neg(iy), mb));
    /* Apart to a distance of 800.00002, if the computed distance is not above 800. */
    vmask overlap = v_le(d, v_set1((real)CSB_TOUCH));
    vreal push = v_set1((real)CSB_PUSH);
#if CAROM_REAL_BITS == 32
    vreal greatest = v_max(v_max(v_abs(xa), v_abs(ya)), v_max(v_abs(xb), v_abs(yb)));
    push = v_max(push, v_mul(v_binade(greatest), v_set1(4 * FLT_EPSILON)));
#endif
    vreal o = v_add(v_mul(v_neg(v_sub(d, v_set1((real)CSB_TOUCH))), v_set1(REAL(0.5))), push);
    xa = v_select(overlap, v_add(xa, v_mul(nx, v_neg(o))), xa);
    ya = v_select(overlap, v_add(ya, v_mul(ny, v_neg(o))), ya);
    xb = v_select(overlap, v_add(xb, v_mul(nx, o)), xb);
    yb = v_select(overlap, v_add(yb, v_mul(ny, o)), yb);

    a3 = m_and(a3, active);
    a2 = m_and(a2, active);
    vmask a1 = m_andnot(active, m_or(a2, a3));
    b2 = m_and(b2, active);
    b1 = m_and(b1, active);
    vmask b0 = m_andnot(active, m_or(b1, b2));
#define CSB_PUT(row, a, b)                                                                                             \
    m->r[row] = v_select(b0, b, m->r[row]);                                                                            \
    m->r[row + 1] = v_select(a1, a, v_select(b1, b, m->r[row + 1]));                                                   \
    m->r[row + 2] = v_select(a2, a, v_select(b2, b, m->r[row + 2]));                                                   \
    m->r[row + 3] = v_select(a3, a, m->r[row + 3])
    CSB_PUT(X, xa, xb);
    CSB_PUT(Y, ya, yb);
    CSB_PUT(VX, vxa, vxb);
    CSB_PUT(VY, vya, vyb);
#undef CSB_PUT
}

/* Does the segment from (px, py) to (qx, qy) come closer than 600 to (cx, cy)? */
CAROM_LANE vmask csb_cross(vreal px, vreal py, vreal qx, vreal qy, vreal cx, vreal cy)
{
    vreal dx = v_sub(qx, px), dy = v_sub(qy, py);
    vreal l2 = v_add(v_mul(dx, dx), v_mul(dy, dy));
    vreal u = v_div(v_add(v_mul(v_sub(cx, px), dx), v_mul(v_sub(cy, py), dy)), l2); /* 0/0, no motion: neither below */
    vmask inside = v_gt(u, v_set1(REAL(0.0))), past = v_gt(u, v_set1(REAL(1.0)));
    vreal zx = v_select(past, qx, v_select(inside, v_add(px, v_mul(u, dx)), px));
    vreal zy = v_select(past, qy, v_select(inside, v_add(py, v_mul(u, dy)), py));
    zx = v_sub(zx, cx);
    zy = v_sub(zy, cy);
    return v_lt(v_add(v_mul(zx, zx), v_mul(zy, zy)), v_set1(REAL(360000.0)));
}

#endif
