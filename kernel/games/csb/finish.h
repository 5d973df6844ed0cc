/* SPDX-License-Identifier: MIT
 * The pass `finish` of a tick: the end of the motion, range checks, friction and rounding, and the new state into the
 * tile.
 */
#ifndef CAROM_GAMES_CSB_FINISH_H
#define CAROM_GAMES_CSB_FINISH_H

#include "games/csb/observe.h"
#include "games/csb/run.h"

/* The state at the end of the motion. */
typedef struct csb_state {
    vreal x[CSB_PODS], y[CSB_PODS], vx[CSB_PODS], vy[CSB_PODS];
} csb_state;

CAROM_LANE vmask csb_pod_inside(const csb_state *s, vreal angle, int i)
{
    return m_and(m_and(m_and(csb_inside(s->x[i], CSB_RANGE), csb_inside(s->y[i], CSB_RANGE)),
                       m_and(csb_inside(s->vx[i], 2 * CSB_RANGE), csb_inside(s->vy[i], 2 * CSB_RANGE))),
                 csb_inside(angle, (real)CSB_MAX_ANGLE));
}

CAROM_LANE vmask csb_pod_nan(const csb_state *s, vreal angle, int i)
{
    vreal sum = v_add(v_add(v_add(s->x[i], s->y[i]), v_add(s->vx[i], s->vy[i])), angle);
    return v_ne(sum, sum);
}

CAROM_LANE vreal csb_sum4(const vreal *a)
{
    return v_add(v_add(v_abs(a[0]), v_abs(a[1])), v_add(v_abs(a[2]), v_abs(a[3])));
}

/* The lanes whose numbers are all in range. One sum tells, in all but odd cases: it is NaN or large if one of them is.
 * Without an impact, velocities need no look: old and new positions within CSB_RANGE bound them by twice that. */
CAROM_LANE vmask csb_sound(const csb_group *g, const csb_state *s, csb_tile *tile, unsigned at)
{
    vreal sum = v_add(csb_sum4(s->x), csb_sum4(s->y)), angles = csb_sum4(g->angle);
    if (g->event != 0) {
        sum = v_add(sum, v_add(csb_sum4(s->vx), csb_sum4(s->vy)));
    }
    vmask sound = m_and(v_le(sum, v_set1(CSB_RANGE)), v_le(angles, v_set1((real)CSB_MAX_ANGLE)));
    vmask active = m_from_bits(g->active);
    if (m_any(m_andnot(active, sound))) {
        sound = m_and(m_and(csb_pod_inside(s, g->angle[0], 0), csb_pod_inside(s, g->angle[1], 1)),
                      m_and(csb_pod_inside(s, g->angle[2], 2), csb_pod_inside(s, g->angle[3], 3)));
        vmask bad = m_andnot(active, sound);
        vmask nan = m_and(bad, m_or(m_or(csb_pod_nan(s, g->angle[0], 0), csb_pod_nan(s, g->angle[1], 1)),
                                    m_or(csb_pod_nan(s, g->angle[2], 2), csb_pod_nan(s, g->angle[3], 3))));
        csb_fault(tile, at, m_bits(nan), CAROM_FAULT_NAN);
        csb_fault(tile, at, m_bits(m_andnot(bad, nan)), CAROM_FAULT_RANGE);
    }
    return sound;
}

CAROM_LANE void csb_put(real *to, vreal a, vmask keep, bool all)
{
    v_store(to, all ? a : v_select(keep, a, v_load(to)));
}

CAROM_LANE void csb_store_special(const csb_group *g, csb_tile *tile, unsigned at, int i, vmask keep)
{
    vint none = i_set1(0);
    vint shield = i_select(i_gt(g->shield[i], none), i_sub(g->shield[i], i_set1(1)), none);
    i_store8(&tile->shield[i][at], i_select(keep, shield, i_load8(&tile->shield[i][at])));
    i_store8(&tile->boosted[i][at], i_select(keep, g->boosted[i], i_load8(&tile->boosted[i][at])));
}

/* One less; it stops before it would wrap. */
CAROM_LANE vint csb_count_down(int16_t *timeout, vmask keep, bool all)
{
    vint old = i_load16(timeout), less = i_sub(old, i_set1(1));
    vmask wraps = i_gt(i_set1(INT16_MIN + 1), old);
    if (m_any(wraps)) {
        less = i_select(wraps, old, less);
    }
    less = all ? less : i_select(keep, less, old);
    i_store16(timeout, less);
    return less;
}

CAROM_LANE vint csb_count_up(int32_t *tick, vmask keep, bool all)
{
    vint old = i_load32(tick), more = i_add(old, i_set1(1));
    vmask wraps = i_gt(i_set1(0), more);
    if (m_any(wraps)) {
        more = i_select(wraps, old, more);
    }
    more = all ? more : i_select(keep, more, old);
    i_store32(tick, more);
    return more;
}

/* Writes the state of the kept lanes. */
CAROM_LANE void csb_store(csb_group *g, const csb_state *s, csb_tile *tile, unsigned at, vmask keep, bool all)
{
    V_EACH4(csb_put(&tile->x[i][at], s->x[i], keep, all); csb_put(&tile->y[i][at], s->y[i], keep, all);
            csb_put(&tile->vx[i][at], s->vx[i], keep, all); csb_put(&tile->vy[i][at], s->vy[i], keep, all);
            csb_put(&tile->angle[i][at], g->angle[i], keep, all))
    vint left0 = csb_count_down(&tile->timeout[0][at], keep, all),
         left1 = csb_count_down(&tile->timeout[1][at], keep, all);
    vint tick = csb_count_up(&tile->tick[0][at], keep, all), one = i_set1(1);
    vmask over = m_or(m_or(i_gt(one, left0), i_gt(one, left1)), i_gt(tick, i_set1(CSB_LAST_TICK - 1)));
    g->over = (uint16_t)m_bits(m_and(keep, over));
}

CAROM_LANE void csb_record_moved(const struct csb_run *run, const csb_state *s, unsigned index, unsigned at)
{
    if (run->tick->moved == NULL) {
        return;
    }
    const vreal *rows[4] = {s->x, s->y, s->vx, s->vy};
    for (int k = 0; k < 4; k++) {
        for (int i = 0; i < CSB_PODS; i++) {
            alignas(64) real lanes[LANES];
            v_store(lanes, rows[k][i]);
            for (unsigned l = 0; l < LANES && (size_t)index * CAROM_TILE + at + l < run->tick->worlds; l++) {
                run->tick->moved[(((size_t)index * CAROM_TILE + at + l) * CSB_PODS + (size_t)i) * 4 + (size_t)k] =
                    lanes[l];
            }
        }
    }
}

/* The checkpoint of pod i for the last segment, where some lanes have passed one midway. */
CAROM_LANE void csb_aim_midway(const struct csb_run *run, const csb_group *g, const csb_tile *tile, unsigned at, int i,
                               vreal *cx, vreal *cy)
{
    alignas(64) real x[LANES], y[LANES];
    v_store(x, *cx);
    v_store(y, *cy);
    for (int l = 0; l < LANES; l++) {
        if (g->passes[i][l] != 0) {
            csb_point(run->context, tile, at + (unsigned)l, i, g->passes[i][l], &x[l], &y[l]);
        }
    }
    *cx = v_load(x);
    *cy = v_load(y);
}

CAROM_LANE void csb_cross_pod(const struct csb_run *run, csb_group *g, const csb_state *s, const csb_tile *tile,
                              unsigned at, int i)
{
    vreal px = v_load(&tile->x[i][at]), py = v_load(&tile->y[i][at]);
    vreal cx = v_load(&tile->cx[i][at]), cy = v_load(&tile->cy[i][at]);
    if (g->event != 0) {
        const worklist *list = &run->scratch->list;
        px = worklist_take(list, PX + i, px, m_from_bits(g->event), g->slot);
        py = worklist_take(list, PY + i, py, m_from_bits(g->event), g->slot);
    }
    if (g->passed) {
        csb_aim_midway(run, g, tile, at, i, &cx, &cy);
    }
    g->hit[i] = (uint16_t)m_bits(csb_cross(px, py, s->x[i], s->y[i], cx, cy));
}

CAROM_LANE void csb_move_pod(const struct csb_run *run, const csb_group *g, csb_state *s, const csb_tile *tile,
                             unsigned at, int i)
{
    s->vx[i] = g->vx[i];
    s->vy[i] = g->vy[i];
    s->x[i] = v_add(v_load(&tile->x[i][at]), s->vx[i]);
    s->y[i] = v_add(v_load(&tile->y[i][at]), s->vy[i]);
    if (g->event != 0) {
        const worklist *list = &run->scratch->list;
        vmask event = m_from_bits(g->event);
        s->x[i] = worklist_take(list, X + i, s->x[i], event, g->slot);
        s->y[i] = worklist_take(list, Y + i, s->y[i], event, g->slot);
        s->vx[i] = worklist_take(list, VX + i, s->vx[i], event, g->slot);
        s->vy[i] = worklist_take(list, VY + i, s->vy[i], event, g->slot);
    }
}

CAROM_LANE void csb_round_pod(csb_state *s, int i)
{
    vreal friction = v_set1((real)CSB_FRICTION), half = v_set1(REAL(0.5));
    s->vx[i] = v_trunc(v_mul(s->vx[i], friction));
    s->vy[i] = v_trunc(v_mul(s->vy[i], friction));
    s->x[i] = v_floor(v_add(s->x[i], half));
    s->y[i] = v_floor(v_add(s->y[i], half));
}

CAROM_LANE void csb_finish(csb_group *g, struct csb_run *run, unsigned index, unsigned at)
{
    csb_tile *tile = &run->tiles[index];
    csb_state s;
    V_EACH4(csb_move_pod(run, g, &s, tile, at, i))
    if (run->record) {
        csb_record_moved(run, &s, index, at);
    }
    if (run->tick->rewards != NULL) {
        csb_progress(run->context, tile, at, g->before);
    }
    V_EACH4(csb_round_pod(&s, i))
    g->hit[0] = g->hit[1] = g->hit[2] = g->hit[3] = 0;
    if (g->cross || g->event != 0) {
        V_EACH4(csb_cross_pod(run, g, &s, tile, at, i))
    }
    vmask keep = m_and(m_from_bits(g->active), csb_sound(g, &s, tile, at));
    if (g->overrun != 0) {
        csb_fault(tile, at, g->overrun, CAROM_FAULT_EVENTS);
        keep = m_andnot(keep, m_from_bits(g->overrun));
    }
    if (m_all(keep)) {
        csb_store(g, &s, tile, at, keep, true);
    } else {
        csb_store(g, &s, tile, at, keep, false);
    }
    if (g->special) {
        V_EACH4(csb_store_special(g, tile, at, i, keep))
    }
    g->kept = (uint16_t)m_bits(keep);
}

#endif
