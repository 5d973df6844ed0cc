/* SPDX-License-Identifier: MIT
 * The worlds of fall in which nothing happens in a tick, which are most: moved to its end in lanes, in their tile.
 *
 * Nothing happens in a world without a kick whose next collision is known and later, in which nothing overlaps at the
 * end (by a test that may err on the other side), and whose numbers stay in range. The others are taken out of their
 * tile; what becomes of them does not depend on why.
 */
#ifndef CAROM_GAMES_FALL_SURVEY_H
#define CAROM_GAMES_FALL_SURVEY_H

#include "games/fall/run.h"

#if CAROM_REAL_BITS == 64
#define FALL_MARGIN 1e-12 /* far above all rounding of a sum of squares */
#else
#define FALL_MARGIN 1e-5f
#endif

/* Lanes in which the circle may have to be moved away from a polygon, or back into the unit square. */
CAROM_LANE vmask fall_may_be_in(const fall_context *context, vreal x, vreal y, real r)
{
    const vreal low = v_set1(r), high = v_set1(1 - r);
    vmask in = m_or(m_or(v_lt(x, low), v_gt(x, high)), m_or(v_lt(y, low), v_gt(y, high)));
    vreal left = v_sub(x, low), right = v_add(x, low), under = v_sub(y, low), over = v_add(y, low);
    for (int p = 0; p < context->polygon_count; p++) {
        const fall_polygon *polygon = &context->polygons[p];
        vmask beside = m_or(v_lt(right, v_set1((real)polygon->left)), v_gt(left, v_set1((real)polygon->right)));
        vmask above = m_or(v_lt(over, v_set1((real)polygon->low)), v_gt(under, v_set1((real)polygon->high)));
        in = m_or(in, m_not(m_or(beside, above)));
    }
    return in;
}

/* Takes the lanes of `active` on by a tick; returns, as bits, those that were left as they are because something
 * happens in them. */
CAROM_LANE unsigned fall_survey(const fall_context *context, fall_scratch *scratch, fall_tile *tile, unsigned at,
                                vmask active, vmask kicked)
{
    const vreal dt = v_set1(FALL_DT), range = v_set1((real)FALL_RANGE);
    const real dtt = FALL_DT * FALL_DT;
    real(*moved)[4][LANES] = scratch->group.c;
    vreal wait = v_load(&tile->wait[0][at]);
    vmask busy = m_or(m_or(kicked, m_not(v_ge(wait, dt))), m_not(i_eq(i_load8(&tile->pasts[0][at]), i_set1(0))));
    for (int k = 0; k < context->circle_count; k++) {
        const fall_circle *circle = &context->circles[k];
        const real ax = (real)circle->ax, ay = (real)circle->ay, r = (real)circle->radius;
        vreal vx = v_load(&tile->vx[k][at]), vy = v_load(&tile->vy[k][at]);
        vreal x = v_add(v_load(&tile->x[k][at]), v_add(v_mul(vx, dt), v_set1(ax * dtt / 2)));
        vreal y = v_add(v_load(&tile->y[k][at]), v_add(v_mul(vy, dt), v_set1(ay * dtt / 2)));
        vx = v_add(vx, v_set1(ax * FALL_DT));
        vy = v_add(vy, v_set1(ay * FALL_DT));
        v_store(moved[k][FALL_X], x);
        v_store(moved[k][FALL_Y], y);
        v_store(moved[k][FALL_VX], vx);
        v_store(moved[k][FALL_VY], vy);
        vmask sound = m_and(m_and(v_le(v_abs(x), range), v_le(v_abs(y), range)),
                            m_and(v_le(v_abs(vx), range), v_le(v_abs(vy), range)));
        busy = m_or(busy, m_not(sound));
        if (circle->fixed == 0 && context->polygon_count > 0) {
            busy = m_or(busy, fall_may_be_in(context, x, y, r));
        }
        for (int j = 0; j < k; j++) {
            const fall_circle *other = &context->circles[j];
            const real reach = r + (real)other->radius;
            vreal dx = v_sub(x, v_load(moved[j][FALL_X])), dy = v_sub(y, v_load(moved[j][FALL_Y]));
            vreal dd = v_add(v_mul(dx, dx), v_mul(dy, dy));
            busy = m_or(busy, v_le(dd, v_set1(reach * reach * (1 + FALL_MARGIN))));
        }
    }
    vmask calm = m_andnot(active, busy);
    if (m_any(calm)) {
        for (int k = 0; k < context->circle_count; k++) {
            v_store(&tile->x[k][at], v_select(calm, v_load(moved[k][FALL_X]), v_load(&tile->x[k][at])));
            v_store(&tile->y[k][at], v_select(calm, v_load(moved[k][FALL_Y]), v_load(&tile->y[k][at])));
            v_store(&tile->vx[k][at], v_select(calm, v_load(moved[k][FALL_VX]), v_load(&tile->vx[k][at])));
            v_store(&tile->vy[k][at], v_select(calm, v_load(moved[k][FALL_VY]), v_load(&tile->vy[k][at])));
        }
        v_store(&tile->wait[0][at], v_select(calm, v_sub(wait, dt), wait));
    }
    return m_bits(m_and(active, busy));
}

#endif
