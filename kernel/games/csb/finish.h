/* SPDX-License-Identifier: MIT
 * The end of a turn (RULES.md, 3): where the movement has left the pods, friction and rounding, the last test against
 * the checkpoints, and range checks; then the new state goes into the tile.
 */
#ifndef CAROM_GAMES_CSB_FINISH_H
#define CAROM_GAMES_CSB_FINISH_H

#include "games/csb/motion.h"
#include "games/csb/observe.h"

/* The pods at the end of the turn; from rules_finish() on, with friction and rounding. */
struct rules_end {
    vreal x[CSB_PODS], y[CSB_PODS], vx[CSB_PODS], vy[CSB_PODS];
};

/* Row `row` of motion.h as the worklist left it, in the worlds of the group that had an impact; `otherwise` in the
 * others. */
CAROM_LANE vreal csb_taken(const tick_run *run, unsigned home, int row, vreal otherwise)
{
    const run_group *group = run_group_of(run, home);
    return worklist_take(&run->own->list, row, otherwise, m_from_bits(group->event), group->slot);
}

/* Where the movement leaves pod i. Without an impact it moves by its velocity. */
CAROM_LANE void csb_move_pod(const tick_run *run, unsigned home, tick_world w, struct rules_end *end, int i)
{
    const csb_turn *t = csb_turn_of(run, home);
    end->vx[i] = t->vx[i];
    end->vy[i] = t->vy[i];
    end->x[i] = get_x(w, i) + end->vx[i];
    end->y[i] = get_y(w, i) + end->vy[i];

    /* Worlds with impacts were moved on the worklist: take their result instead. */
    if (run_group_of(run, home)->event != 0) {
        end->x[i] = csb_taken(run, home, X + i, end->x[i]);
        end->y[i] = csb_taken(run, home, Y + i, end->y[i]);
        end->vx[i] = csb_taken(run, home, VX + i, end->vx[i]);
        end->vy[i] = csb_taken(run, home, VY + i, end->vy[i]);
    }
}

/* Where the movement leaves all pods. */
CAROM_LANE void rules_move(tick_run *run, unsigned home, tick_world w, struct rules_end *end)
{
    EACH4 (i) {
        csb_move_pod(run, home, w, end, i);
    }
}

/* Place and velocity of pod `body` after the movement, for recordings. */
CAROM_LANE
void rules_moved(const tick_run *run, unsigned home, const struct rules_end *end, unsigned body, vreal where[4])
{
    (void)run, (void)home;
    where[0] = end->x[body];
    where[1] = end->y[body];
    where[2] = end->vx[body];
    where[3] = end->vy[body];
}

/* ---- checkpoints ---- */

/* Where pod i has passed checkpoints earlier in the turn, (*cx, *cy) becomes the one after them. */
CAROM_LANE void csb_aim_midway(const csb_context *context, const csb_turn *t, tick_world w, int i, vreal *cx, vreal *cy)
{
    alignas(64) real x[LANES], y[LANES];
    v_store(x, *cx);
    v_store(y, *cy);

    EACH_LANE (l, t->midway[i]) {
        csb_point(context, world_of(w, l), i, t->passes[i][l], &x[l], &y[l]);
    }
    *cx = v_load(x);
    *cy = v_load(y);
}

/* Tests the last segment of pod i against its checkpoint: the lanes that pass it go to hit[i]. */
CAROM_LANE void csb_cross_pod(const tick_run *run, unsigned home, tick_world w, const struct rules_end *end, int i)
{
    csb_turn *t = csb_turn_of(run, home);
    const bool freely = run_group_of(run, home)->event == 0;

    /* The last segment starts where the turn began or, in a world with impacts, where its last sub-step with time left
     * ended. */
    vreal px = get_x(w, i), py = get_y(w, i), cx = get_cx(w, i), cy = get_cy(w, i);
    if (!freely) {
        px = csb_taken(run, home, PX + i, px);
        py = csb_taken(run, home, PY + i, py);
    }

    /* Each pod aims at the checkpoint after those that it has passed before in this turn. */
    if (t->midways != 0) {
        csb_aim_midway(run->context, t, w, i, &cx, &cy);
    }

    /* Where all move freely the survey has made the box test already (csb_survey). */
    if (freely || m_any(csb_may_pass(px, py, end->x[i], end->y[i], cx, cy))) {
        t->hit[i] = (uint16_t)m_bits(csb_cross(px, py, end->x[i], end->y[i], cx, cy));
    }
}

/* ---- friction, rounding, ranges ---- */

/* Friction and rounding, as the referee has them. */
CAROM_LANE void csb_round_pod(struct rules_end *end, int i)
{
    vreal friction = v_set1((real)CSB_FRICTION), half = v_set1(REAL(0.5));
    end->vx[i] = v_trunc(end->vx[i] * friction);
    end->vy[i] = v_trunc(end->vy[i] * friction);
    end->x[i] = v_floor(end->x[i] + half);
    end->y[i] = v_floor(end->y[i] + half);
}

/* The lanes in which all numbers of pod i are in range; NaN is not. */
CAROM_LANE vmask csb_pod_inside(const struct rules_end *end, vreal angle, int i)
{
    return m_and(m_and(m_and(csb_inside(end->x[i], CSB_RANGE), csb_inside(end->y[i], CSB_RANGE)),
                       m_and(csb_inside(end->vx[i], 2 * CSB_RANGE), csb_inside(end->vy[i], 2 * CSB_RANGE))),
                 csb_inside(angle, (real)CSB_MAX_ANGLE));
}

/* The lanes in which a number of pod i is NaN. */
CAROM_LANE vmask csb_pod_nan(const struct rules_end *end, vreal angle, int i)
{
    vreal sum = end->x[i] + end->y[i] + (end->vx[i] + end->vy[i]) + angle;
    return v_ne(sum, sum);
}

/* The lanes whose numbers are all in range; if any active lane may not be, *nan gets the lanes with a NaN.
 *
 * One sum of magnitudes decides all but odd cases: it is NaN or large if any number is. Velocities are part of it only
 * after an impact: a pod that has moved freely (`freely`: all have) has both its old and its new place within
 * CSB_RANGE, so its velocity is within twice that. */
CAROM_LANE vmask csb_sound(const csb_turn *t, const struct rules_end *end, unsigned active, bool freely, unsigned *nan)
{
    vreal sum = csb_sum4(end->x) + csb_sum4(end->y);
    if (!freely) {
        sum = sum + (csb_sum4(end->vx) + csb_sum4(end->vy));
    }

    /* A sum within the range proves each of its numbers to be. Otherwise look at every number by itself. */
    vmask sound = v_le(sum, v_set1(CSB_RANGE));
    if (t->spun || m_any(m_andnot(m_from_bits(active), sound))) {
        sound = m_and(m_and(csb_pod_inside(end, t->angle[0], 0), csb_pod_inside(end, t->angle[1], 1)),
                      m_and(csb_pod_inside(end, t->angle[2], 2), csb_pod_inside(end, t->angle[3], 3)));
        *nan = m_bits(m_or(m_or(csb_pod_nan(end, t->angle[0], 0), csb_pod_nan(end, t->angle[1], 1)),
                           m_or(csb_pod_nan(end, t->angle[2], 2), csb_pod_nan(end, t->angle[3], 3))));
    }
    return sound;
}

/* Applies the rules of the end of the turn to `end`; returns the lanes in range (csb_sound). */
CAROM_LANE vmask rules_finish(tick_run *run, unsigned home, tick_world w, unsigned active, struct rules_end *end,
                              unsigned *nan)
{
    csb_turn *t = csb_turn_of(run, home);
    const bool freely = run_group_of(run, home)->event == 0;
    EACH4 (i) {
        csb_round_pod(end, i);
    }

    /* Skip the checkpoints where the survey found none in reach. It knows only of pods that move freely. */
    t->hits = 0;
    if (t->cross || !freely) {
        EACH4 (i) {
            csb_cross_pod(run, home, w, end, i);
        }
    }

    return csb_sound(t, end, active, freely, nan);
}

/* ---- the new state ---- */

/* Shield, one less, and boost of pod i. */
CAROM_LANE void csb_store_special(const csb_turn *t, tick_world w, int i, tick_kept kept)
{
    vint none = i_set1(0);
    set_shield(w, i, i_select(i_gt(t->shield[i], none), i_sub(t->shield[i], i_set1(1)), none), kept);
    set_boosted(w, i, t->boosted[i], kept);
}

/* One turn less for the player to pass a checkpoint; returns the lanes with none left. */
CAROM_LANE vmask csb_count_down(tick_world w, int player, tick_kept kept)
{
    vint old = get_timeout(w, player), less = i_sub(old, i_set1(1));
    vmask wraps = i_gt(i_set1(INT16_MIN + 1), old);
    if (m_any(wraps)) {
        less = i_select(wraps, old, less); /* a game may be played on after its end: stop before the int16 wraps */
    }

    set_timeout(w, player, less, kept);
    return i_gt(i_set1(1), less);
}

/* Writes the new state of the kept lanes to the tile. */
CAROM_LANE void rules_store(tick_run *run, unsigned home, tick_world w, const struct rules_end *end, tick_kept kept)
{
    csb_turn *t = csb_turn_of(run, home);
    EACH4 (i) {
        set_x(w, i, end->x[i], kept);
        set_y(w, i, end->y[i], kept);
        set_vx(w, i, end->vx[i], kept);
        set_vy(w, i, end->vy[i], kept);
        set_angle(w, i, t->angle[i], kept);
    }

    /* In a time trial player 1 cannot run out of time. */
    const vmask late = csb_count_down(w, 0, kept);
    t->late = (uint16_t)m_bits(run->context->alone ? late : m_or(late, csb_count_down(w, 1, kept)));

    if (t->special) {
        EACH4 (i) {
            csb_store_special(t, w, i, kept);
        }
    }
}

#endif
