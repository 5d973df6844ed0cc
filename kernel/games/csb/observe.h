/* SPDX-License-Identifier: MIT
 * Observations of csb (csb.h), and the progress of pods, which rewards and values are made of.
 */
#ifndef CAROM_GAMES_CSB_OBSERVE_H
#define CAROM_GAMES_CSB_OBSERVE_H

#include "games/csb/turn.h"
#include "simd/elementary.h"

/* The square of a pod's distance to its next checkpoint. */
CAROM_LANE vreal csb_far2(tick_world w, int pod)
{
    const vreal dx = get_cx(w, pod) - get_x(w, pod), dy = get_cy(w, pod) - get_y(w, pod);
    return dx * dx + dy * dy;
}

/* How far a pod has come, in checkpoints: next - min(distance / 20000, 1), or last + 1 once it has won. */
CAROM_LANE vreal csb_progress_of(tick_world w, int pod, vreal last)
{
    vreal far = v_sqrt(csb_far2(w, pod)) / v_set1((real)CSB_LEG);
    vreal progress = v_from_int(get_next(w, pod)) - v_min(far, v_set1(REAL(1.0)));
    vmask won = i_gt(get_won(w, pod), i_set1(0));
    return v_select(won, last + v_set1(REAL(1.0)), progress);
}

/* The index of the last checkpoint, by world. */
CAROM_LANE vreal csb_last_of(const csb_context *context, tick_world w)
{
    alignas(64) real last[LANES];
    for (unsigned l = 0; l < LANES; l++) {
        last[l] = (real)csb_course_of(context, world_of(w, l))->last;
    }
    return v_load(last);
}

/* The progress of each pod. */
CAROM_LANE void csb_progress_each(const csb_context *context, tick_world w, vreal progress[CSB_PODS])
{
    const vreal last = csb_last_of(context, w);
    for (int i = 0; i < CSB_PODS; i++) {
        progress[i] = csb_progress_of(w, i, last);
    }
}

/* The greater progress of each player's two pods. Ahead is the pod whose next checkpoint comes later, of equals the
 * nearer one, so one root and one division do for both. Root and division are monotonic even with rounding, so the
 * result is the greater one of csb_progress_each() to the bit. */
CAROM_LANE void csb_progress_ahead(const csb_context *context, tick_world w, vreal ahead[2])
{
    for (int player = 0; player < 2; player++) {
        const int a = 2 * player, b = a + 1;
        const vint next_a = get_next(w, a), next_b = get_next(w, b);
        const vmask first = i_gt(next_a, next_b), second = i_gt(next_b, next_a);
        const vreal far_a = csb_far2(w, a), far_b = csb_far2(w, b);
        const vreal far2 = v_select(first, far_a, v_select(second, far_b, v_min(far_a, far_b)));
        const vreal far = v_sqrt(far2) / v_set1((real)CSB_LEG);
        ahead[player] = v_from_int(i_select(second, next_b, next_a)) - v_min(far, v_set1(REAL(1.0)));
    }

    /* A pod that has won is ahead of all others, and has passed all checkpoints. */
    if (m_any(CSB_ANY_ABOVE_0(won, w))) {
        const vreal whole = csb_last_of(context, w) + v_set1(REAL(1.0));
        for (int player = 0; player < 2; player++) {
            const vint won = i_or(get_won(w, 2 * player), get_won(w, 2 * player + 1));
            ahead[player] = v_select(i_gt(won, i_set1(0)), whole, ahead[player]);
        }
    }
}

/* ---- what players see ----
 *
 * In f64, numbers are multiplied by the inverse of their scale, for a product is cheaper than a quotient and gives the
 * same floats: the numbers of a state are whole between ticks, and below 2^31, so a quotient never lies so near to the
 * middle of two floats that the last digits of a double would count. (If a caller sets a state with fractions, about
 * one number in 2^27 may differ from the quotient in the last digit of a float.) */

/* a / scale, or as good as that in f64. */
CAROM_LANE vreal csb_scaled(vreal a, double scale)
{
#if CAROM_REAL_BITS == 64
    return a * v_set1(1 / scale);
#else
    return a / v_set1((real)scale);
#endif
}

/* The maps of LANES worlds, looked up once for all pods. */
typedef struct csb_maps {
    const csb_course *course[LANES];
    vreal last; /* the index of the last checkpoint; in f64 its inverse */
} csb_maps;

/* Looks up the maps. */
CAROM_LANE void csb_maps_of(const csb_context *context, tick_world w, csb_maps *maps)
{
    alignas(64) real last[LANES];
    for (unsigned l = 0; l < LANES; l++) {
        maps->course[l] = csb_course_of(context, world_of(w, l));
        last[l] = (real)maps->course[l]->last;
    }
    maps->last = v_load(last);
#if CAROM_REAL_BITS == 64
    maps->last = v_set1(1) / maps->last;
#endif
}

/* `next` as a share of all checkpoints. */
CAROM_LANE vreal csb_share_of(const csb_maps *maps, vreal next)
{
#if CAROM_REAL_BITS == 64
    return next * maps->last;
#else
    return next / maps->last;
#endif
}

/* The checkpoint after the next one of pod i; beyond the last one, the last one. */
CAROM_LANE void csb_after(const csb_context *context, const csb_maps *maps, tick_world w, int i, vreal *x, vreal *y)
{
    alignas(64) real after_x[LANES], after_y[LANES];
    for (unsigned l = 0; l < LANES; l++) {
        const csb_course *course = maps->course[l];
        const int32_t after = *at_next(world_of(w, l), i) + 1;
        const int32_t *point = context->points[course->first + (after > course->last ? course->last : after)];
        after_x[l] = (real)point[0];
        after_y[l] = (real)point[1];
    }
    *x = v_load(after_x);
    *y = v_load(after_y);
}

/* The numbers of one pod, in the order of csb.h; s and c are the sine and cosine of its angle. */
CAROM_LANE void csb_observe_pod(const csb_context *context, const csb_maps *maps, tick_world w, int i, vreal s, vreal c,
                                vreal number[CAROM_CSB_OBSERVATION_POD])
{
    const vreal x = get_x(w, i), y = get_y(w, i);
    vreal after_x, after_y;
    csb_after(context, maps, w, i, &after_x, &after_y);

    number[0] = csb_scaled(x, CSB_WIDTH);
    number[1] = csb_scaled(y, CSB_HEIGHT);
    number[2] = csb_scaled(get_vx(w, i), CSB_SEEN_SPEED);
    number[3] = csb_scaled(get_vy(w, i), CSB_SEEN_SPEED);
    number[4] = c;
    number[5] = s;
    number[6] = csb_scaled(get_cx(w, i) - x, CSB_WIDTH);
    number[7] = csb_scaled(get_cy(w, i) - y, CSB_WIDTH);
    number[8] = csb_scaled(after_x - x, CSB_WIDTH);
    number[9] = csb_scaled(after_y - y, CSB_WIDTH);
    number[10] = csb_share_of(maps, v_from_int(get_next(w, i)));
    number[11] = csb_scaled(v_from_int(get_shield(w, i)), CSB_SHIELD_TICKS);
    number[12] = v_from_int(get_boosted(w, i));
}

/* The share of the game that is over. */
CAROM_LANE vreal csb_clock(const csb_context *context, tick_world w)
{
    return v_from_int(get_tick(w)) / v_set1((real)context->ticks);
}

/* Writes the observations of both players or, if `shared`, the rows that make up both (games/csb/csb.h). */
CAROM_LANE void csb_observe(const csb_context *context, tick_world w, tick_view view, bool shared)
{
    csb_maps maps;
    vreal angle[CSB_PODS], sine[CSB_PODS], cosine[CSB_PODS];
    csb_maps_of(context, w, &maps);
    EACH4 (i) {
        angle[i] = get_angle(w, i);
    }
    v_sincos4_within(angle, sine, cosine);

    /* Each pod in turn; player 1 sees its own pods, 2 and 3, first: pod i is number i ^ 2 of its view. */
    vreal number[CAROM_CSB_OBSERVATION_POD];
    for (int i = 0; i < CSB_PODS; i++) {
        csb_observe_pod(context, &maps, w, i, sine[i], cosine[i], number);
        for (unsigned k = 0; k < CAROM_CSB_OBSERVATION_POD; k++) {
            if (shared) {
                view_put_row(view, (unsigned)i * CAROM_CSB_OBSERVATION_POD + k, number[k]);
            } else {
                view_put(view, 0, (unsigned)i * CAROM_CSB_OBSERVATION_POD + k, number[k]);
                view_put(view, 1, (unsigned)(i ^ 2) * CAROM_CSB_OBSERVATION_POD + k, number[k]);
            }
        }

        /* Shared rows hold the last numbers of pod 1, the last pod that player 1 sees, a second time: before the rest
         * of player 1's view. CSB_SHARED_END in games/csb/csb.h says why. */
        for (unsigned k = 0; shared && i == 1 && k < CSB_SHARED_END - CSB_SHARED_REST; k++) {
            view_put_row(view, CSB_SHARED_PODS + CSB_SHARED_REST + k,
                         number[CAROM_CSB_OBSERVATION_POD - (CSB_SHARED_END - CSB_SHARED_REST) + k]);
        }
    }

    /* The rest of a view, in which the own timeout comes first. */
    const vreal timeout[2] = {csb_scaled(v_from_int(get_timeout(w, 0)), CSB_TIMEOUT),
                              csb_scaled(v_from_int(get_timeout(w, 1)), CSB_TIMEOUT)};
    const vreal clock = csb_clock(context, w);
    for (unsigned p = 0; p < 2; p++) {
        const vreal rest[CSB_SHARED_REST] = {timeout[p], timeout[1 - p], clock};
        for (unsigned k = 0; k < CSB_SHARED_REST; k++) {
            if (shared) {
                view_put_row(view, CSB_SHARED_PODS + p * CSB_SHARED_END + k, rest[k]);
            } else {
                view_put(view, p, CSB_SHARED_PODS + k, rest[k]);
            }
        }
    }
}

CAROM_LANE void rules_observe(const csb_context *context, tick_world w, tick_view view)
{
    csb_observe(context, w, view, false);
}

CAROM_LANE void rules_observe_shared(const csb_context *context, tick_world w, tick_view view)
{
    csb_observe(context, w, view, true);
}

/* ---- observation `ego`: from the pods' own point of view ---- */

/* What pods see of each other, before it is turned into the frame of one of them. */
typedef struct csb_pods {
    /* c, s: cosine and sine of the angle; shield: as a share of CSB_SHIELD_TICKS */
    vreal x[CSB_PODS], y[CSB_PODS], vx[CSB_PODS], vy[CSB_PODS], c[CSB_PODS], s[CSB_PODS], shield[CSB_PODS];
    vreal progress[CSB_PODS];
} csb_pods;

/* A sine or cosine, which rounding may have taken out of [-1, 1]. */
CAROM_LANE vreal csb_share(vreal a)
{
    const vreal one = v_set1(REAL(1.0));
    return v_max(v_min(a, one), -one);
}

/* (dx, dy) / scale in the frame of pod i: ahead of it, and aside. */
CAROM_LANE void csb_turned(const csb_pods *pods, int i, vreal dx, vreal dy, vreal scale, vreal seen[2])
{
    seen[0] = (dx * pods->c[i] + dy * pods->s[i]) / scale;
    seen[1] = (dy * pods->c[i] - dx * pods->s[i]) / scale;
}

/* A point in the frame of pod i: the unit vector to it, (0, 0) if it is where the pod is, and its distance. */
CAROM_LANE void csb_see_point(const csb_pods *pods, int i, vreal px, vreal py, vreal seen[3])
{
    const vreal dx = px - pods->x[i], dy = py - pods->y[i], zero = v_set1(REAL(0.0));
    const vreal far = v_sqrt(dx * dx + dy * dy);
    const vmask apart = v_gt(far, zero);
    csb_turned(pods, i, dx, dy, v_select(apart, far, v_set1(REAL(1.0))), seen);
    seen[0] = csb_share(seen[0]);
    seen[1] = csb_share(seen[1]);
    seen[2] = far / v_set1((real)CSB_LEG);
}

/* Pod `other` in the frame of pod i. */
CAROM_LANE void csb_see_pod(const csb_pods *pods, int i, int other, vreal seen[CAROM_CSB_EGO_POD])
{
    csb_turned(pods, i, pods->x[other] - pods->x[i], pods->y[other] - pods->y[i], v_set1((real)CSB_WIDTH), seen);
    csb_turned(pods, i, pods->vx[other] - pods->vx[i], pods->vy[other] - pods->vy[i], v_set1((real)CSB_SEEN_SPEED),
               seen + 2);
    csb_turned(pods, i, pods->c[other], pods->s[other], v_set1(REAL(1.0)), seen + 4);
    seen[4] = csb_share(seen[4]);
    seen[5] = csb_share(seen[5]);
    seen[6] = pods->shield[other];
    seen[7] = pods->progress[other] - pods->progress[i];
}

/* All that pod i sees; `last` is the index of the last checkpoint. */
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

    /* The pod itself, and the two checkpoints that it is to pass next. */
    csb_turned(pods, i, pods->vx[i], pods->vy[i], v_set1((real)CSB_SEEN_SPEED), seen);
    csb_see_point(pods, i, get_cx(w, i), get_cy(w, i), seen + 2);
    csb_see_point(pods, i, v_load(after_x), v_load(after_y), seen + 5);
    seen[8] = pods->shield[i];
    seen[9] = v_from_int(get_boosted(w, i));
    seen[10] = v_from_int(get_next(w, i)) / last;
    seen[11] = v_from_int(get_timeout(w, i >> 1)) / whole;
    seen[12] = v_from_int(get_timeout(w, 1 - (i >> 1))) / whole;
    seen[13] = csb_clock(context, w);

    /* The other pod of its player, then those of the other player. */
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

    /* Compute once what several pods see. */
    for (int i = 0; i < CSB_PODS; i++) {
        pods.x[i] = get_x(w, i);
        pods.y[i] = get_y(w, i);
        pods.vx[i] = get_vx(w, i);
        pods.vy[i] = get_vy(w, i);
        pods.shield[i] = v_from_int(get_shield(w, i)) / v_set1((real)CSB_SHIELD_TICKS);
        v_sincos(get_angle(w, i), &pods.s[i], &pods.c[i]);
    }

    for (int i = 0; i < CSB_PODS; i++) {
        csb_see(context, w, &pods, i, last, view);
    }
}

#endif
