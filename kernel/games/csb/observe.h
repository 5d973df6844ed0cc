/* SPDX-License-Identifier: MIT
 * What players see of a world, and how far they have come in it.
 */
#ifndef CAROM_GAMES_CSB_OBSERVE_H
#define CAROM_GAMES_CSB_OBSERVE_H

#include "games/csb/turn.h"
#include "simd/elementary.h"

/* How far a pod has come, in checkpoints. */
CAROM_LANE vreal csb_progress_of(tick_world w, int pod, vreal last)
{
    vreal dx = v_sub(get_cx(w, pod), get_x(w, pod)), dy = v_sub(get_cy(w, pod), get_y(w, pod));
    vreal far = v_div(v_sqrt(v_add(v_mul(dx, dx), v_mul(dy, dy))), v_set1((real)CSB_LEG));
    vreal progress = v_sub(v_from_int(get_next(w, pod)), v_min(far, v_set1(REAL(1.0))));
    vmask won = i_gt(get_won(w, pod), i_set1(0));
    return v_select(won, v_add(last, v_set1(REAL(1.0))), progress);
}

CAROM_LANE vreal csb_last_of(const csb_context *context, tick_world w)
{
    alignas(64) real last[LANES];
    for (unsigned l = 0; l < LANES; l++) {
        last[l] = (real)csb_course_of(context, world_of(w, l))->last;
    }
    return v_load(last);
}

/* The greater progress of each player's two pods. */
CAROM_LANE void csb_progress(const csb_context *context, tick_world w, vreal progress[2])
{
    vreal last = csb_last_of(context, w);
    progress[0] = v_max(csb_progress_of(w, 0, last), csb_progress_of(w, 1, last));
    progress[1] = v_max(csb_progress_of(w, 2, last), csb_progress_of(w, 3, last));
}

/* The thirteen numbers of one pod, in both players' views. */
CAROM_LANE void csb_observe_pod(const csb_context *context, tick_world w, int i, tick_view view)
{
    alignas(64) real after_x[LANES], after_y[LANES], last[LANES];
    for (unsigned l = 0; l < LANES; l++) {
        const tick_world one = world_of(w, l);
        csb_point(context, one, i, 1, &after_x[l], &after_y[l]);
        last[l] = (real)csb_course_of(context, one)->last;
    }
    vreal x = get_x(w, i), y = get_y(w, i);
    vreal wide = v_set1((real)CSB_WIDTH), high = v_set1((real)CSB_HEIGHT), fast = v_set1((real)CSB_SEEN_SPEED);
    vreal s, c;
    v_sincos(get_angle(w, i), &s, &c);
    vreal number[CAROM_CSB_OBSERVATION_POD];
    number[0] = v_div(x, wide);
    number[1] = v_div(y, high);
    number[2] = v_div(get_vx(w, i), fast);
    number[3] = v_div(get_vy(w, i), fast);
    number[4] = c;
    number[5] = s;
    number[6] = v_div(v_sub(get_cx(w, i), x), wide);
    number[7] = v_div(v_sub(get_cy(w, i), y), wide);
    number[8] = v_div(v_sub(v_load(after_x), x), wide);
    number[9] = v_div(v_sub(v_load(after_y), y), wide);
    number[10] = v_div(v_from_int(get_next(w, i)), v_load(last));
    number[11] = v_div(v_from_int(get_shield(w, i)), v_set1((real)CSB_SHIELD_TICKS));
    number[12] = v_from_int(get_boosted(w, i));
    for (unsigned k = 0; k < CAROM_CSB_OBSERVATION_POD; k++) { /* each player sees its own pods first */
        view_put(view, 0, (unsigned)i * CAROM_CSB_OBSERVATION_POD + k, number[k]);
        view_put(view, 1, (unsigned)(i ^ 2) * CAROM_CSB_OBSERVATION_POD + k, number[k]);
    }
}

CAROM_LANE void rules_observe(const csb_context *context, tick_world w, tick_view view)
{
    const unsigned rest = CSB_PODS * CAROM_CSB_OBSERVATION_POD;
    for (int i = 0; i < CSB_PODS; i++) {
        csb_observe_pod(context, w, i, view);
    }
    const vreal whole = v_set1((real)CSB_TIMEOUT), ticks = v_set1((real)CSB_LAST_TICK);
    for (unsigned p = 0; p < 2; p++) {
        view_put(view, p, rest, v_div(v_from_int(get_timeout(w, (int)p)), whole));
        view_put(view, p, rest + 1, v_div(v_from_int(get_timeout(w, (int)(1 - p))), whole));
        view_put(view, p, rest + 2, v_div(v_from_int(get_tick(w)), ticks));
    }
}

CAROM_LANE void rules_value(const csb_context *context, tick_world w, tick_values values)
{
    vreal progress[2];
    csb_progress(context, w, progress);
    const vreal ahead = v_sub(progress[0], progress[1]);
    value_put(values, 0, ahead);
    value_put(values, 1, v_neg(ahead));
}

#endif
