/* SPDX-License-Identifier: MIT
 * The movement of pods within a turn (RULES.md, 2), one world per lane: which pair meets first, what a bounce does, and
 * which checkpoints are passed between two impacts. The order of operations is the referee's, to the bit (f64).
 *
 * Impacts are played on the worklist (tick/worklist.h); this file defines its hooks. Pods are addressed by constant
 * indices throughout, so that compilers keep the worlds in registers.
 */
#ifndef CAROM_GAMES_CSB_MOTION_H
#define CAROM_GAMES_CSB_MOTION_H

#include "games/csb/turn.h"
#include "simd/elementary.h"

/* The rows of a world in motion; four rows, one a pod, for all but the last three.
 *     PX, PY    where the pod was when the current sub-step began
 *     X .. VY   place and velocity now
 *     CX, CY    its next checkpoint
 *     MASS      its inverse mass: 1, or 0.1 under a shield
 *     FIRST     time from now to the earliest impact
 *     PAIR      the number of the pair that meets then, 1 .. 6; 0: none
 *     LEFT      time left in the turn, at first 1 */
enum { PX = 0, PY = 4, X = 8, Y = 12, VX = 16, VY = 20, CX = 24, CY = 28, MASS = 32, FIRST = 36, PAIR = 37, LEFT = 38 };
#define MOTION_ROWS 39
#define MOTION_BACK 24
#define MOTION_GIVEN X
#define MOTION_GIVEN_END LEFT
#define MOTION_ROUNDS (CSB_SUBSTEPS - 1)

typedef tick_run motion_context;

#include "tick/worklist.h"

/* What csb keeps about a run during a turn. */
struct rules_scratch {
    worklist list;              /* the worlds with impacts */
    csb_turn turns[RUN_GROUPS]; /* one per register group */
};

/* The turn of the group to which the world at place `home` of the run belongs. */
CAROM_LANE csb_turn *csb_turn_of(const tick_run *run, unsigned home)
{
    return &run->own->turns[home / LANES];
}

#if CAROM_REAL_BITS == 64
#define CSB_SLACK 1.0 /* added to the touching distance by the box test: the proof below needs it */
#define CSB_RANGE CSB_RANGE_F64
#else
#define CSB_SLACK 800.0f
#define CSB_RANGE ((real)CSB_RANGE_F32)
#endif

/* ---- the earliest impact ----
 *
 * A filter comes before the referee's own expression, and removes only pairs that this expression would reject. If the
 * boxes that two pods sweep in the time left, each widened by 400, are apart by more than CSB_SLACK, then
 * f(t) = |p + w t|^2 - 800^2 > (1600 + CSB_SLACK) CSB_SLACK throughout. The computed time of contact is the root of a
 * quadratic that differs from f by at most u |p| (35 |p| + 14 |w|) in [0, 1] (u: half a unit in the last place):
 * 21 u |p|^2 for the roundings of the coefficients and of the discriminant, seen as one of c, and 14 u |p| (|p| + |w|)
 * for those of the root, seen as a shift of t. In the range that states are held to, |p| <= 2 sqrt(2) CSB_RANGE and, if
 * impacts may double velocities, |w| <= 8 sqrt(2) CSB_RANGE: that is 370 of 1601 (f64) and 7.5e5 of 1.9e6 (f32). So no
 * root lies there. */

/* The box that the centre of each pod sweeps while it moves freely. */
typedef struct csb_boxes {
    vreal low_x[4], high_x[4], low_y[4], high_y[4]; /* high: with CSB_REACH added */
} csb_boxes;

#define CSB_REACH ((real)CSB_TOUCH + CSB_SLACK)

/* Sets box i: of a pod that moves from (x, y) to (end_x, end_y). */
CAROM_LANE void csb_box(csb_boxes *boxes, int i, vreal x, vreal y, vreal end_x, vreal end_y)
{
    vreal reach = v_set1(CSB_REACH);
    boxes->low_x[i] = v_min(x, end_x);
    boxes->low_y[i] = v_min(y, end_y);
    boxes->high_x[i] = v_max(x, end_x) + reach;
    boxes->high_y[i] = v_max(y, end_y) + reach;
}

/* May pods i and j touch? Their boxes are within CSB_REACH of each other. */
CAROM_LANE vmask csb_near(const csb_boxes *boxes, int i, int j)
{
    vmask x = m_and(v_le(boxes->low_x[i], boxes->high_x[j]), v_le(boxes->low_x[j], boxes->high_x[i]));
    vmask y = m_and(v_le(boxes->low_y[i], boxes->high_y[j]), v_le(boxes->low_y[j], boxes->high_y[i]));
    return m_and(x, y);
}

/* The radius of a checkpoint, and a margin for a place that is rounded at the end of the turn. */
#define CSB_PASS_WITHIN ((real)CSB_CHECKPOINT + REAL(2.0))

/* May pod i, moving within its box, pass the checkpoint (cx, cy), even if its end is rounded? */
CAROM_LANE vmask csb_may_cross(const csb_boxes *boxes, int i, vreal cx, vreal cy)
{
    vreal wide = v_set1(CSB_PASS_WITHIN), rest = v_set1(CSB_REACH - CSB_PASS_WITHIN);
    vmask x = m_and(v_ge(cx + wide, boxes->low_x[i]), v_le(cx + rest, boxes->high_x[i]));
    vmask y = m_and(v_ge(cy + wide, boxes->low_y[i]), v_le(cy + rest, boxes->high_y[i]));
    return m_and(x, y);
}

/* Computes the contact of pair number `pair`, with relative position p and relative velocity w, where it is near. If it
 * comes no later than *first, it becomes the earliest: *first and *chosen change. */
CAROM_LANE void csb_try(vreal px, vreal py, vreal wx, vreal wy, vmask near, vreal pair, vreal *first, vreal *chosen)
{
    vreal zero = v_set1(REAL(0.0)), reach2 = v_set1((real)(CSB_TOUCH * CSB_TOUCH));

    /* The contact is the smaller root of |p + w t|^2 = 800^2, with the coefficients as the referee computes them. */
    vreal p2 = px * px + py * py;
    vreal dot = px * wx + py * wy;
    vreal w2 = wx * wx + wy * wy;
    vreal disc = dot * dot - w2 * (p2 - reach2);

    /* Pods that already touch meet at time 0, whatever the root is. Otherwise they must not be moving apart; in f32
     * that holds for touching pods too, and they must approach. */
    vmask touch = v_le(p2, reach2);
    vreal t = (-dot - v_sqrt(disc)) / w2; /* NaN if disc < 0 or w = 0: never chosen */
#if CAROM_REAL_BITS == 64
    vmask meet = m_or(touch, v_le(dot, zero));
#else
    vmask meet = v_lt(dot, zero);
#endif
    t = v_select(touch, zero, t);

    /* "<=", not "<": of equal times the last pair tried wins. */
    vmask take = m_and(m_and(near, meet), v_le(t, *first));
    *first = v_select(take, t, *first);
    *chosen = v_select(take, pair, *chosen);
}

/* The pairs in the referee's order, which decides between equal times: X(number, the larger index, the smaller). */
#define CSB_PAIRS 6
#define CSB_EACH_PAIR(X) X(1, 3, 2) X(2, 3, 1) X(3, 3, 0) X(4, 2, 1) X(5, 2, 0) X(6, 1, 0)

/* The larger and the smaller index of a pair, by its number. */
static const uint8_t csb_first_of[CSB_PAIRS + 1] = {0, 3, 3, 3, 2, 2, 1};
static const uint8_t csb_second_of[CSB_PAIRS + 1] = {0, 2, 1, 0, 1, 0, 0};

/* ---- before the worklist: the earliest impact of every world ---- */

/* Did the survey of the commands (csb_survey) find any pair near, in any world of the group? */
CAROM_LANE bool rules_near(const tick_run *run, unsigned home)
{
    const csb_turn *t = csb_turn_of(run, home);
    return (t->pairs[0] | t->pairs[1]) != 0;
}

/* Finds the earliest impact of every world of the group; returns the lanes that have one. */
CAROM_LANE unsigned rules_look(tick_run *run, unsigned home, tick_world w)
{
    csb_turn *t = csb_turn_of(run, home);

    /* Visit only the pairs that the survey found near in some lane, in the referee's order: each word of `pairs` holds
     * the lane masks of four pairs, 16 bits each. */
    vreal first = v_set1(REAL(1.0)), chosen = v_set1(REAL(0.0));
    for (int word = 0; word < 2; word++) {
        for (uint64_t pairs = t->pairs[word]; pairs != 0;) {
            const int at16 = __builtin_ctzll(pairs) / 16, pair = 4 * word + at16 + 1;
            const int a = csb_first_of[pair], b = csb_second_of[pair];
            pairs &= ~(UINT64_C(0xffff) << 16 * at16);
            csb_try(get_x(w, b) - get_x(w, a), get_y(w, b) - get_y(w, a), t->vx[b] - t->vx[a], t->vy[b] - t->vy[a],
                    m_from_bits(t->near[pair - 1]), v_set1((real)pair), &first, &chosen);
        }
    }

    t->first = first;
    t->pair = chosen;
    return m_bits(v_gt(chosen, v_set1(REAL(0.0))));
}

/* Sets the rows with which the worlds of a group enter the worklist. */
CAROM_LANE void rules_take(const tick_run *run, unsigned home, tick_world w, motion *m)
{
    const csb_turn *t = csb_turn_of(run, home);

    /* Positions are still those at the start of the turn; velocities are those after the commands. */
    EACH4 (i) {
        m->r[X + i] = get_x(w, i);
        m->r[Y + i] = get_y(w, i);
        m->r[VX + i] = t->vx[i];
        m->r[VY + i] = t->vy[i];
        m->r[CX + i] = get_cx(w, i);
        m->r[CY + i] = get_cy(w, i);
        m->r[MASS + i] = v_set1(REAL(1.0));
    }

    /* A pod whose shield went up in this turn is heavier; a shield that is only cooling down does not count. */
    if (t->special) {
        EACH4 (i) {
            m->r[MASS + i] =
                v_select(i_eq(t->shield[i], i_set1(CSB_SHIELD_UP)), v_set1((real)CSB_SHIELD_INVERSE), m->r[MASS + i]);
        }
    }

    m->r[FIRST] = t->first;
    m->r[PAIR] = t->pair;
}

/* ---- on the worklist ---- */

/* At the start of the turn the first sub-step begins, and all of the time is left. */
CAROM_LANE void motion_open(motion *m)
{
    EACH4 (i) {
        m->r[PX + i] = m->r[X + i];
        m->r[PY + i] = m->r[Y + i];
    }
    m->r[LEFT] = v_set1(REAL(1.0));
}

/* csb_try() for pods i and j of a motion, skipped if they are near in no lane. */
CAROM_LANE void csb_try_pair(motion *m, vmask near, int pair, int i, int j)
{
    if (m_any(near)) {
        csb_try(m->r[X + j] - m->r[X + i], m->r[Y + j] - m->r[Y + i], m->r[VX + j] - m->r[VX + i],
                m->r[VY + j] - m->r[VY + i], near, v_set1((real)pair), &m->r[FIRST], &m->r[PAIR]);
    }
}

/* Finds the next impact within the time left; lanes without one move to the end of the turn. */
CAROM_LANE vmask motion_detect(motion *m, vmask active)
{
    /* The boxes of the paths to the end of the turn, if nothing is in the way. */
    csb_boxes boxes;
    vreal left = m->r[LEFT], end_x[4], end_y[4];
    EACH4 (i) {
        end_x[i] = m->r[X + i] + m->r[VX + i] * left;
        end_y[i] = m->r[Y + i] + m->r[VY + i] * left;
        csb_box(&boxes, i, m->r[X + i], m->r[Y + i], end_x[i], end_y[i]);
    }

    /* Only a contact within the time left counts. The boxes leave few pairs to solve for. */
    m->r[FIRST] = left;
    m->r[PAIR] = v_set1(REAL(0.0));
#define CSB_TRY(pair, a, b) csb_try_pair(m, m_and(active, csb_near(&boxes, a, b)), pair, a, b);
    CSB_EACH_PAIR(CSB_TRY)
#undef CSB_TRY

    /* Without another impact the world is done: its pods move to the end of the turn. */
    vmask event = v_gt(m->r[PAIR], v_set1(REAL(0.0)));
    vmask done = m_andnot(active, event);
    EACH4 (i) {
        m->r[X + i] = v_select(done, end_x[i], m->r[X + i]);
        m->r[Y + i] = v_select(done, end_y[i], m->r[Y + i]);
    }
    return event;
}

/* ---- the impact ---- */

/* One of three consecutive rows: row + 2 where is2, else row + 1 where is1, else `row`. */
CAROM_LANE vreal csb_pick(const motion *m, int row, vmask is1, vmask is2)
{
    return v_select(is2, m->r[row + 2], v_select(is1, m->r[row + 1], m->r[row]));
}

/* Bounces the pair of every active lane, as RULES.md, 2 says; the pods are at their places of contact. */
CAROM_LANE void csb_bounce(motion *m, vmask active)
{
    /* Lanes differ in their pairs. Copy out the two pods: a with the larger index (1..3), b with the smaller (0..2). */
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

    /* The unit vector n from a to b, along which the pods exchange momentum. */
    vreal nx = xb - xa, ny = yb - ya;
    vreal d = v_sqrt(nx * nx + ny * ny);
    nx = nx / d;
    ny = ny / d;

    /* The elastic impulse is twice f. The referee adds f to itself, or the least impulse where f is smaller than
     * that. */
    vreal rx = vxa - vxb, ry = vya - vyb;
    vreal f = (nx * rx + ny * ry) / (ma + mb);
    vreal least = v_set1((real)CSB_LEAST_IMPULSE);
    f = f + v_select(v_lt(f, least), least, f);

    vreal ix = nx * -f, iy = ny * -f;
    vxa = vxa + ix * ma;
    vya = vya + iy * ma;
    vxb = vxb + -ix * mb;
    vyb = vyb + -iy * mb;

    /* If the computed distance is at most 800, move both pods along n until it is 800.00002; otherwise they would
     * count as touching, and meet again at time 0. In f32 that much is lost in large coordinates, so the push grows
     * with them. */
    vmask overlap = v_le(d, v_set1((real)CSB_TOUCH));
    vreal push = v_set1((real)CSB_PUSH);
#if CAROM_REAL_BITS == 32
    vreal greatest = v_max(v_max(v_abs(xa), v_abs(ya)), v_max(v_abs(xb), v_abs(yb)));
    push = v_max(push, v_binade(greatest) * v_set1(4 * FLT_EPSILON));
#endif
    vreal o = -(d - v_set1((real)CSB_TOUCH)) * v_set1(REAL(0.5)) + push;
    xa = v_select(overlap, xa + nx * -o, xa);
    ya = v_select(overlap, ya + ny * -o, ya);
    xb = v_select(overlap, xb + nx * o, xb);
    yb = v_select(overlap, yb + ny * o, yb);

    /* Put the two pods back, in the active lanes only. */
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

/* May the segment from (px, py) to (qx, qy) pass the checkpoint (cx, cy)? Compares the boxes around them. */
CAROM_LANE vmask csb_may_pass(vreal px, vreal py, vreal qx, vreal qy, vreal cx, vreal cy)
{
    vreal wide = v_set1(CSB_PASS_WITHIN);
    vmask x = m_and(v_le(v_min(px, qx) - wide, cx), v_le(cx, v_max(px, qx) + wide));
    vmask y = m_and(v_le(v_min(py, qy) - wide, cy), v_le(cy, v_max(py, qy) + wide));
    return m_and(x, y);
}

/* Does the segment from (px, py) to (qx, qy) pass the checkpoint (cx, cy)? */
CAROM_LANE vmask csb_cross(vreal px, vreal py, vreal qx, vreal qy, vreal cx, vreal cy)
{
    /* The nearest point of the segment to the checkpoint: its foot p + u d, or an end if u is outside [0, 1]. */
    vreal dx = qx - px, dy = qy - py;
    vreal l2 = dx * dx + dy * dy;
    vreal u = ((cx - px) * dx + (cy - py) * dy) / l2; /* NaN without motion: then p itself is the nearest */
    vmask inside = v_gt(u, v_set1(REAL(0.0))), past = v_gt(u, v_set1(REAL(1.0)));
    vreal zx = v_select(past, qx, v_select(inside, px + u * dx, px));
    vreal zy = v_select(past, qy, v_select(inside, py + u * dy, py));

    zx = zx - cx;
    zy = zy - cy;
    return v_lt(zx * zx + zy * zy, v_set1((real)(CSB_CHECKPOINT * CSB_CHECKPOINT)));
}

/* ---- after an impact ---- */

/* A pod passes a checkpoint before the end of the turn. The world may still be put back as it was, so the tile must not
 * change: count the pass in csb_turn, and let (*cx, *cy) be the checkpoint after it. */
static void csb_pass_midway(tick_run *run, unsigned home, int pod, real *cx, real *cy)
{
    csb_turn *t = csb_turn_of(run, home);
    const unsigned lane = home % LANES;

    /* The first such pass of the group in this turn: the counts hold those of an earlier turn. */
    if (t->midways == 0) {
        for (int i = 0; i < CSB_PODS; i++) {
            for (int l = 0; l < LANES; l++) {
                t->passes[i][l] = 0;
            }
        }
    }

    t->midway[pod] = (uint16_t)(t->midway[pod] | 1u << lane);
    csb_point(run->context, run_world(run, home), pod, ++t->passes[pod][lane], cx, cy);
}

/* csb_pass_midway() for the lanes `bits`, in which pod `pod` has passed its checkpoint. */
static void csb_pass_lanes(tick_run *run, motion *m, const int32_t *home, int pod, unsigned bits)
{
    alignas(64) real cx[LANES], cy[LANES];
    v_store(cx, m->r[CX + pod]);
    v_store(cy, m->r[CY + pod]);
    EACH_LANE (l, bits) {
        csb_pass_midway(run, (unsigned)home[l], pod, &cx[l], &cy[l]);
    }
    m->r[CX + pod] = v_load(cx);
    m->r[CY + pod] = v_load(cy);
}

/* Records the impacts of the lanes `bits`, for the worlds that are being recorded. */
static void csb_record(const tick_run *run, const motion *m, unsigned bits, const int32_t *home)
{
    alignas(64) real left[LANES], pairs[LANES];
    v_store(left, m->r[LEFT]);
    v_store(pairs, m->r[PAIR]);

    EACH_LANE (l, bits) {
        carom_event *event = run_record(run, (unsigned)home[l]);
        if (event != NULL) {
            const int pair = (int)pairs[l];
            event->left = (double)left[l];
            event->first = csb_first_of[pair];
            event->second = csb_second_of[pair];
            event->part = 0;
            event->x = event->y = 0;
        }
    }
}

/* Ends a sub-step of pod i, in the lanes with time left. */
CAROM_LANE void csb_substep_checkpoint(tick_run *run, motion *m, int i, vmask alive, const int32_t *home)
{
    /* Compute the nearest point only where the cheaper box test passes. */
    vreal px = m->r[PX + i], py = m->r[PY + i], x = m->r[X + i], y = m->r[Y + i], cx = m->r[CX + i], cy = m->r[CY + i];
    if (m_any(m_and(alive, csb_may_pass(px, py, x, y, cx, cy)))) {
        vmask hit = m_and(alive, csb_cross(px, py, x, y, cx, cy));
        if (m_any(hit)) {
            csb_pass_lanes(run, m, home, i, m_bits(hit));
        }
    }

    /* The next sub-step starts here. */
    m->r[PX + i] = v_select(alive, m->r[X + i], m->r[PX + i]);
    m->r[PY + i] = v_select(alive, m->r[Y + i], m->r[PY + i]);
}

/* Plays the pending impact of the active lanes; returns those with time left. */
CAROM_LANE vmask motion_resolve(motion *m, vmask active, const int32_t *home, motion_context *run)
{
    /* Every pod moves until the contact, and the pair bounces. */
    vreal first = m->r[FIRST];
    EACH4 (i) {
        m->r[X + i] = m->r[X + i] + m->r[VX + i] * first;
        m->r[Y + i] = m->r[Y + i] + m->r[VY + i] * first;
    }
    m->r[LEFT] = m->r[LEFT] - first;
    csb_bounce(m, active);

    run_count_impacts(run, (unsigned)__builtin_popcount(m_bits(active)));
    if (run_records(run)) {
        csb_record(run, m, m_bits(active), home);
    }

    /* Test the sub-step against the checkpoints. If no time is left, the end of the turn does that with rounded
     * places. */
    vmask alive = m_and(active, v_gt(m->r[LEFT], v_set1(REAL(0.0))));
    if (m_any(alive)) {
        EACH4 (i) {
            csb_substep_checkpoint(run, m, i, alive, home);
        }
    }
    return alive;
}

/* More impacts than a turn may have: pods are squeezed together. The world takes a fault. */
CAROM_LANE void motion_overrun(int32_t home, motion_context *run)
{
    run_overrun(run, (unsigned)home);
}

#endif
