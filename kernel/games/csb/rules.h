/* SPDX-License-Identifier: MIT
 * The rules of Coders Strike Back in lanes: a lane is a world. Order of operations is the referee's, to the bit (f64).
 *
 * The motion of a tick is played by step/advance_all.h; this file gives it the two hooks. Everything is written once a
 * pod with constant indices, so that compilers keep the worlds in registers. Compiles as C++, too.
 */
#ifndef CAROM_GAMES_CSB_RULES_H
#define CAROM_GAMES_CSB_RULES_H

#include "simd/elementary.h"
#include "simd/lanes.h"

/* The rows of a world in motion. P: where the current sub-step began; C: the next checkpoint. */
enum { X = 0, Y = 4, VX = 8, VY = 12, PX = 16, PY = 20, CX = 24, CY = 28, MASS = 32, LEFT = 36, FIRST = 37, PAIR = 38 };
#define MOTION_ROWS 39
#define MOTION_BACK 32
#define MOTION_ROUNDS (CSB_SUBSTEPS - 1)

struct csb_run;
typedef struct csb_run motion_context;

#include "step/advance_all.h"

#if CAROM_REAL_BITS == 64
#define CSB_SLACK 1.0    /* added to the reach of two pods by the box test */
#define CSB_MARGIN 1e-14 /* relative, of the filter `within`: some 90 units in the last place */
#define CSB_RANGE CSB_RANGE_F64
#else
#define CSB_SLACK 800.0f
#define CSB_MARGIN 1e-5f
#define CSB_RANGE ((real)CSB_RANGE_F32)
#endif

/* ---- the earliest impact ----
 *
 * Two filters come before the referee's own expression. Both only ever leave out what that expression would not choose.
 *
 * Boxes. If the boxes that two pods sweep in the time left, each widened by 400, are apart by more than CSB_SLACK, then
 * f(t) = |p + w t|^2 - 800^2 > 1600 CSB_SLACK throughout. The computed time of contact is the root of a quadratic that
 * differs from f by at most 64 u (|p| + |w|)^2 in [0, 1] (u: half a unit in the last place; the roundings of its
 * coefficients, of the discriminant and of the root itself), which is less as long as |p| + |w| < 4.7e8 (f64) or 7e5 (f32):
 * the range that states are held to. So no root lies there.
 *
 * Within. The contact is later than `left` if s = -dot - w2 left is positive and s^2 > disc. s carries an error of at most
 * 2 u |dot|, the referee's expression another 3 u |dot|; CSB_MARGIN is far above both. */

typedef struct csb_boxes {
    vreal low_x[4], high_x[4], low_y[4], high_y[4]; /* high: with the reach of two pods added */
} csb_boxes;

CAROM_LANE void csb_box(csb_boxes *boxes, const motion *m, int i, vreal left)
{
    vreal reach = v_set1(REAL(800.0) + CSB_SLACK);
    vreal end_x = v_add(m->r[X + i], v_mul(m->r[VX + i], left));
    vreal end_y = v_add(m->r[Y + i], v_mul(m->r[VY + i], left));
    boxes->low_x[i] = v_min(m->r[X + i], end_x);
    boxes->low_y[i] = v_min(m->r[Y + i], end_y);
    boxes->high_x[i] = v_add(v_max(m->r[X + i], end_x), reach);
    boxes->high_y[i] = v_add(v_max(m->r[Y + i], end_y), reach);
}

CAROM_LANE vmask csb_near(const csb_boxes *boxes, int i, int j)
{
    vmask x = m_and(v_le(boxes->low_x[i], boxes->high_x[j]), v_le(boxes->low_x[j], boxes->high_x[i]));
    vmask y = m_and(v_le(boxes->low_y[i], boxes->high_y[j]), v_le(boxes->low_y[j], boxes->high_y[i]));
    return m_and(x, y);
}

/* The pair (i, j), numbered `pair`: if its contact comes no later than FIRST, it is the one. */
CAROM_LANE void csb_try(motion *m, vmask near, int i, int j, real pair)
{
    if (!m_any(near)) {
        return;
    }
    vreal zero = v_set1(REAL(0.0));
    vreal px = v_sub(m->r[X + j], m->r[X + i]), py = v_sub(m->r[Y + j], m->r[Y + i]);
    vreal p2 = v_add(v_mul(px, px), v_mul(py, py));
    vreal wx = v_sub(m->r[VX + j], m->r[VX + i]), wy = v_sub(m->r[VY + j], m->r[VY + i]);
    vreal dot = v_add(v_mul(px, wx), v_mul(py, wy));
    vreal w2 = v_add(v_mul(wx, wx), v_mul(wy, wy));
    vreal reach2 = v_set1(REAL(640000.0));
    vmask touch = m_and(near, v_le(p2, reach2));
#if CAROM_REAL_BITS == 32
    touch = m_and(touch, v_lt(dot, zero));
#endif
    vreal disc = v_sub(v_mul(dot, dot), v_mul(w2, v_sub(p2, reach2)));
#if CAROM_REAL_BITS == 64
    vmask meet = m_and(m_and(near, v_le(dot, zero)), v_ge(disc, zero));
#else
    vmask meet = m_and(m_and(near, v_lt(dot, zero)), v_ge(disc, zero));
#endif
    vreal late = v_sub(v_mul(dot, v_set1(CSB_MARGIN - REAL(1.0))), v_mul(w2, m->r[LEFT]));
    vmask beyond = m_and(v_gt(late, zero), v_gt(v_mul(late, late), v_mul(disc, v_set1(REAL(1.0) + CSB_MARGIN))));
    meet = m_andnot(meet, beyond);
    if (!m_any(m_or(touch, meet))) {
        return;
    }
    vreal t = v_div(v_sub(v_neg(dot), v_sqrt(disc)), w2);
    t = v_select(touch, zero, t);
    vmask take = m_and(m_or(touch, meet), v_le(t, m->r[FIRST])); /* a NaN is never taken */
    m->r[FIRST] = v_select(take, t, m->r[FIRST]);
    m->r[PAIR] = v_select(take, v_set1(pair), m->r[PAIR]);
}

#define CSB_EACH(statement) /* `statement` for every pod i, with a constant index */                                   \
    {                                                                                                                  \
        {                                                                                                              \
            enum { i = 0 };                                                                                            \
            statement;                                                                                                 \
        }                                                                                                              \
        {                                                                                                              \
            enum { i = 1 };                                                                                            \
            statement;                                                                                                 \
        }                                                                                                              \
        {                                                                                                              \
            enum { i = 2 };                                                                                            \
            statement;                                                                                                 \
        }                                                                                                              \
        {                                                                                                              \
            enum { i = 3 };                                                                                            \
            statement;                                                                                                 \
        }                                                                                                              \
    }

/* Pairs are looked at in the referee's order; among equal times the last one stays. Their numbers: */
#define CSB_PAIR_FIRST(pair) ((pair) >= 4 ? 3 : (pair) >= 2 ? 2 : 1) /* the larger index */
#define CSB_PAIR_SECOND(pair) ((pair) == 6 ? 2 : (pair) == 3 || (pair) == 5 ? 1 : 0)

CAROM_LANE vmask motion_detect(motion *m, vmask active)
{
    vreal left = m->r[LEFT];
    csb_boxes boxes;
    CSB_EACH(csb_box(&boxes, m, i, left))
    m->r[FIRST] = left;
    m->r[PAIR] = v_set1(REAL(0.0));
    csb_try(m, m_and(active, csb_near(&boxes, 3, 2)), 3, 2, REAL(6.0));
    csb_try(m, m_and(active, csb_near(&boxes, 3, 1)), 3, 1, REAL(5.0));
    csb_try(m, m_and(active, csb_near(&boxes, 3, 0)), 3, 0, REAL(4.0));
    csb_try(m, m_and(active, csb_near(&boxes, 2, 1)), 2, 1, REAL(3.0));
    csb_try(m, m_and(active, csb_near(&boxes, 2, 0)), 2, 0, REAL(2.0));
    csb_try(m, m_and(active, csb_near(&boxes, 1, 0)), 1, 0, REAL(1.0));
    vmask event = v_gt(m->r[PAIR], v_set1(REAL(0.0)));
    vmask done = m_andnot(active, event);
    CSB_EACH(m->r[X + i] = v_select(done, v_add(m->r[X + i], v_mul(m->r[VX + i], left)), m->r[X + i]);
             m->r[Y + i] = v_select(done, v_add(m->r[Y + i], v_mul(m->r[VY + i], left)), m->r[Y + i]))
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
    vmask a3 = v_ge(pair, v_set1(REAL(4.0)));
    vmask a2 = m_andnot(v_ge(pair, v_set1(REAL(2.0))), a3);
    vmask b2 = v_eq(pair, v_set1(REAL(6.0)));
    vmask b1 = m_or(v_eq(pair, v_set1(REAL(3.0))), v_eq(pair, v_set1(REAL(5.0))));
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
