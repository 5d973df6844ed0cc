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

CAROM_LANE void csb_progress_each(const csb_context *context, tick_world w, vreal progress[CSB_PODS])
{
    const vreal last = csb_last_of(context, w);
    for (int i = 0; i < CSB_PODS; i++) {
        progress[i] = csb_progress_of(w, i, last);
    }
}

/* The greater progress of a player's two pods. */
CAROM_LANE vreal csb_progress_ahead(const vreal progress[CSB_PODS], int player)
{
    return v_max(progress[2 * player], progress[2 * player + 1]);
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

CAROM_LANE vreal csb_clock(const csb_context *context, tick_world w)
{
    return v_div(v_from_int(get_tick(w)), v_set1((real)context->ticks));
}

CAROM_LANE void rules_observe(const csb_context *context, tick_world w, tick_view view)
{
    const unsigned rest = CSB_PODS * CAROM_CSB_OBSERVATION_POD;
    for (int i = 0; i < CSB_PODS; i++) {
        csb_observe_pod(context, w, i, view);
    }
    const vreal whole = v_set1((real)CSB_TIMEOUT);
    for (unsigned p = 0; p < 2; p++) {
        view_put(view, p, rest, v_div(v_from_int(get_timeout(w, (int)p)), whole));
        view_put(view, p, rest + 1, v_div(v_from_int(get_timeout(w, (int)(1 - p))), whole));
        view_put(view, p, rest + 2, csb_clock(context, w));
    }
}

/* ---- from the pods' own point of view ---- */

/* All pods, as every one of them sees the others. */
typedef struct csb_pods {
    vreal x[CSB_PODS], y[CSB_PODS], vx[CSB_PODS], vy[CSB_PODS], c[CSB_PODS], s[CSB_PODS], shield[CSB_PODS];
    vreal progress[CSB_PODS];
} csb_pods;

CAROM_LANE vreal csb_share(vreal a)
{
    const vreal one = v_set1(REAL(1.0));
    return v_max(v_min(a, one), v_neg(one));
}

/* (dx, dy) in the frame of pod i: ahead, and aside from it. */
CAROM_LANE void csb_turned(const csb_pods *pods, int i, vreal dx, vreal dy, vreal scale, vreal seen[2])
{
    seen[0] = v_div(v_add(v_mul(dx, pods->c[i]), v_mul(dy, pods->s[i])), scale);
    seen[1] = v_div(v_sub(v_mul(dy, pods->c[i]), v_mul(dx, pods->s[i])), scale);
}

/* A point: the unit vector to it, and its distance. */
CAROM_LANE void csb_see_point(const csb_pods *pods, int i, vreal px, vreal py, vreal seen[3])
{
    const vreal dx = v_sub(px, pods->x[i]), dy = v_sub(py, pods->y[i]), zero = v_set1(REAL(0.0));
    const vreal far = v_sqrt(v_add(v_mul(dx, dx), v_mul(dy, dy)));
    const vmask apart = v_gt(far, zero);
    csb_turned(pods, i, dx, dy, v_select(apart, far, v_set1(REAL(1.0))), seen);
    seen[0] = csb_share(seen[0]);
    seen[1] = csb_share(seen[1]);
    seen[2] = v_div(far, v_set1((real)CSB_LEG));
}

CAROM_LANE void csb_see_pod(const csb_pods *pods, int i, int other, vreal seen[CAROM_CSB_EGO_POD])
{
    csb_turned(pods, i, v_sub(pods->x[other], pods->x[i]), v_sub(pods->y[other], pods->y[i]), v_set1((real)CSB_WIDTH),
               seen);
    csb_turned(pods, i, v_sub(pods->vx[other], pods->vx[i]), v_sub(pods->vy[other], pods->vy[i]),
               v_set1((real)CSB_SEEN_SPEED), seen + 2);
    csb_turned(pods, i, pods->c[other], pods->s[other], v_set1(REAL(1.0)), seen + 4);
    seen[4] = csb_share(seen[4]);
    seen[5] = csb_share(seen[5]);
    seen[6] = pods->shield[other];
    seen[7] = v_sub(pods->progress[other], pods->progress[i]);
}

CAROM_LANE void csb_see(const csb_context *context, tick_world w, const csb_pods *pods, int i, vreal last,
                        tick_view view)
{
    const int order[3] = {i ^ 1, i < 2 ? 2 : 0, i < 2 ? 3 : 1};
    const vreal whole = v_set1((real)CSB_TIMEOUT);
    alignas(64) real after_x[LANES], after_y[LANES];
    vreal seen[CAROM_CSB_EGO];
    for (unsigned l = 0; l < LANES; l++) {
        csb_point(context, world_of(w, l), i, 1, &after_x[l], &after_y[l]);
    }
    csb_turned(pods, i, pods->vx[i], pods->vy[i], v_set1((real)CSB_SEEN_SPEED), seen);
    csb_see_point(pods, i, get_cx(w, i), get_cy(w, i), seen + 2);
    csb_see_point(pods, i, v_load(after_x), v_load(after_y), seen + 5);
    seen[8] = pods->shield[i];
    seen[9] = v_from_int(get_boosted(w, i));
    seen[10] = v_div(v_from_int(get_next(w, i)), last);
    seen[11] = v_div(v_from_int(get_timeout(w, i >> 1)), whole);
    seen[12] = v_div(v_from_int(get_timeout(w, 1 - (i >> 1))), whole);
    seen[13] = csb_clock(context, w);
    for (int k = 0; k < 3; k++) {
        csb_see_pod(pods, i, order[k], seen + 14 + k * CAROM_CSB_EGO_POD);
    }
    for (unsigned k = 0; k < CAROM_CSB_EGO; k++) {
        view_put_ego(view, (unsigned)i, k, seen[k]);
    }
}

CAROM_LANE void rules_observe_ego(const csb_context *context, tick_world w, tick_view view)
{
    csb_pods pods;
    const vreal last = csb_last_of(context, w);
    csb_progress_each(context, w, pods.progress);
    for (int i = 0; i < CSB_PODS; i++) {
        pods.x[i] = get_x(w, i);
        pods.y[i] = get_y(w, i);
        pods.vx[i] = get_vx(w, i);
        pods.vy[i] = get_vy(w, i);
        pods.shield[i] = v_div(v_from_int(get_shield(w, i)), v_set1((real)CSB_SHIELD_TICKS));
        v_sincos(get_angle(w, i), &pods.s[i], &pods.c[i]);
    }
    for (int i = 0; i < CSB_PODS; i++) {
        csb_see(context, w, &pods, i, last, view);
    }
}

CAROM_LANE void rules_value(const csb_context *context, tick_world w, tick_values values)
{
    vreal progress[CSB_PODS];
    csb_progress_each(context, w, progress);
    const vreal ahead = v_sub(csb_progress_ahead(progress, 0), csb_progress_ahead(progress, 1));
    value_put(values, 0, ahead);
    value_put(values, 1, v_neg(ahead));
}

#endif
