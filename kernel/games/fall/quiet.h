/* SPDX-License-Identifier: MIT
 * Worlds of fall in which nothing happens in a tick, which are most: they are moved to its end in lanes, in their tile.
 *
 * Nothing happens in a world without a kick whose next collision is known and later, in which nothing overlaps at the
 * end, and whose numbers stay in range. Tests may err on the safe side: any other world is played by itself, with the
 * same result.
 */
#ifndef CAROM_GAMES_FALL_QUIET_H
#define CAROM_GAMES_FALL_QUIET_H

#include "games/fall/world.h"

#if CAROM_REAL_BITS == 64
#define FALL_MARGIN 1e-12 /* relative; far above the rounding of a sum of squares */
#else
#define FALL_MARGIN 1e-5f
#endif

/* Lanes in which a free circle of radius r at (x, y) may have to be moved away from a polygon, or back into the unit
 * square. */
CAROM_LANE vmask fall_may_be_in(const fall_context *context, vreal x, vreal y, real r)
{
    const vreal low = v_set1(r), high = v_set1(1 - r);
    vmask in = m_or(m_or(v_lt(x, low), v_gt(x, high)), m_or(v_lt(y, low), v_gt(y, high)));

    /* Against the boxes around the polygons. Overlaps by less than FALL_NEAR do not count. */
    const vreal part = v_set1(r - (real)FALL_NEAR / 2);
    vreal left = x - part, right = x + part, under = y - part, over = y + part;
    for (int p = 0; p < context->polygon_count; p++) {
        const fall_polygon *polygon = &context->polygons[p];
        vmask beside = m_or(v_lt(right, v_set1((real)polygon->left)), v_gt(left, v_set1((real)polygon->right)));
        vmask above = m_or(v_lt(over, v_set1((real)polygon->low)), v_gt(under, v_set1((real)polygon->high)));
        in = m_or(in, m_not(m_or(beside, above)));
    }
    return in;
}

/* Lanes in which circle k, at (x, y), may overlap a polygon, the border, or one of the circles before it, which are at
 * c. */
CAROM_LANE vmask fall_may_overlap(const fall_context *context, real (*c)[4][LANES], int k, vreal x, vreal y)
{
    const fall_circle *circle = &context->circles[k];
    const real r = (real)circle->radius;
    vmask in = m_from_bits(0);
    if (circle->fixed == 0 && context->polygon_count > 0) {
        in = fall_may_be_in(context, x, y, r);
    }
    for (int j = 0; j < k; j++) {
        const real reach = r + (real)context->circles[j].radius;
        vreal dx = x - v_load(c[j][FALL_X]), dy = y - v_load(c[j][FALL_Y]);
        vreal dd = dx * dx + dy * dy;
        in = m_or(in, v_le(dd, v_set1(reach * reach * (1 + FALL_MARGIN))));
    }
    return in;
}

/* Moves all circles from c by dt, to `moved`. Returns the lanes in which nothing can overlap there and all numbers are
 * in range. */
CAROM_LANE vmask fall_move(const fall_context *context, real (*c)[4][LANES], real (*moved)[4][LANES], vreal dt)
{
    const vreal dtt = dt * dt, half = v_set1(REAL(0.5)), range = v_set1((real)FALL_RANGE);
    vmask calm = m_not(m_from_bits(0));
    for (int k = 0; k < context->circle_count; k++) {
        const vreal ax = v_set1((real)context->circles[k].ax), ay = v_set1((real)context->circles[k].ay);
        vreal vx = v_load(c[k][FALL_VX]), vy = v_load(c[k][FALL_VY]);
        vreal x = v_load(c[k][FALL_X]) + (vx * dt + ax * dtt * half);
        vreal y = v_load(c[k][FALL_Y]) + (vy * dt + ay * dtt * half);
        vx = vx + ax * dt;
        vy = vy + ay * dt;
        v_store(moved[k][FALL_X], x);
        v_store(moved[k][FALL_Y], y);
        v_store(moved[k][FALL_VX], vx);
        v_store(moved[k][FALL_VY], vy);

        vmask good = m_and(m_and(v_le(v_abs(x), range), v_le(v_abs(y), range)),
                           m_and(v_le(v_abs(vx), range), v_le(v_abs(vy), range)));
        calm = m_and(calm, m_andnot(good, fall_may_overlap(context, moved, k, x, y)));
    }
    return calm;
}

/* Moves the lanes of `active` in which nothing happens to the end of the tick. Returns the others as bits; their state
 * is as it was. */
CAROM_LANE unsigned fall_quiet(const fall_context *context, fall_group *g, tick_world w, vmask active, vmask kicked)
{
    const vreal dt = v_set1(FALL_DT), wait = get_wait(w, 0);
    for (int k = 0; k < context->circle_count; k++) {
        v_store(g->c[k][FALL_X], get_x(w, k));
        v_store(g->c[k][FALL_Y], get_y(w, k));
        v_store(g->c[k][FALL_VX], get_vx(w, k));
        v_store(g->c[k][FALL_VY], get_vy(w, k));
    }

    /* Past collisions must be aged, so their worlds are not calm either. */
    vmask calm = m_and(active, fall_move(context, g->c, g->moved, dt));
    calm = m_and(m_andnot(calm, kicked), m_and(v_ge(wait, dt), i_eq(get_pasts(w, 0), i_set1(0))));
    if (m_any(calm)) {
        const tick_kept kept = {calm, false};
        for (int k = 0; k < context->circle_count; k++) {
            set_x(w, k, v_load(g->moved[k][FALL_X]), kept);
            set_y(w, k, v_load(g->moved[k][FALL_Y]), kept);
            set_vx(w, k, v_load(g->moved[k][FALL_VX]), kept);
            set_vy(w, k, v_load(g->moved[k][FALL_VY]), kept);
        }
        set_wait(w, 0, wait - dt, kept);
    }
    return m_bits(m_andnot(active, calm));
}

/* After a search: worlds of the group that need no separation where they are, and have no more collision in this tick,
 * go to its end in lanes, if nothing overlaps there. The others are left to fall_go_on(). */
CAROM_LANE void fall_finish(const fall_context *context, fall_group *g, fall_world *worlds, const uint16_t *index,
                            unsigned count)
{
    alignas(64) real rest[LANES];
    vmask tight = m_from_bits(0);
    unsigned later = 0;

    for (unsigned l = 0; l < LANES; l++) {
        const fall_world *w = &worlds[index[l < count ? l : 0]];
        rest[l] = w->rest;
        later |= (unsigned)(l < count && w->wait >= w->rest && w->rest >= (real)FALL_NEAR) << l;
    }

    /* Where nothing can overlap there is nothing to separate. */
    for (int k = 0; k < context->circle_count; k++) {
        tight = m_or(tight, fall_may_overlap(context, g->c, k, v_load(g->c[k][FALL_X]), v_load(g->c[k][FALL_Y])));
    }
    vmask calm = fall_move(context, g->c, g->moved, v_load(rest));
    for (unsigned bits = m_bits(m_not(tight)), l = 0; l < count; l++) {
        worlds[index[l]].bounced &= (bits >> l & 1) == 0;
    }

    for (unsigned bits = m_bits(m_andnot(calm, tight)) & later; bits != 0; bits &= bits - 1) {
        const unsigned l = (unsigned)__builtin_ctz(bits);
        fall_world *w = &worlds[index[l]];
        for (int k = 0; k < context->circle_count; k++) {
            for (int d = 0; d < 4; d++) {
                w->c[k][d] = g->moved[k][d][l];
            }
        }
        w->wait -= w->rest;
        w->rest = 0;
        w->pasts = 0; /* as they are FALL_NEAR or longer ago by then */
        w->done = true;
    }
}

#endif
