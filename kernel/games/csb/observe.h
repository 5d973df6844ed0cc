/* SPDX-License-Identifier: MIT
 * The observations of players and pods of csb, and the value of a state to each player at the end of a rollout (csb.h).
 */
#ifndef CAROM_GAMES_CSB_OBSERVE_H
#define CAROM_GAMES_CSB_OBSERVE_H

#include "games/csb/rules.h"
#include "tick/lidar.h"

/* ---- observations of players ---- */

/* a / scale; in f64 the product with 1 / scale, which gives the same float. The numbers of a state are integers below
 * 2^31 between ticks, so a quotient is never close enough to the midpoint of two floats for a double's last digits to
 * matter. (If a caller sets fractions, about one number in 2^27 may differ in the last digit of the float.) */
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
    vint first, final; /* from csb_spans_of() */
    vreal last;        /* `final` as a real; in f64 its inverse */
} csb_maps;

/* Looks up the maps. */
CAROM_LANE void csb_maps_of(const csb_context *context, tick_world w, csb_maps *maps)
{
    csb_spans_of(context, w, &maps->first, &maps->final);
    maps->last = v_from_int(maps->final);
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

/* The checkpoint after the next one of pod i; after the last one, the last one again. */
CAROM_LANE void csb_after(const csb_context *context, const csb_maps *maps, tick_world w, int i, vreal *x, vreal *y)
{
    const vint after = i_add(get_next(w, i), i_set1(1));
    const vint index = i_select(i_gt(after, maps->final), maps->final, after);
    vint at_x, at_y;
    i_pairs((const int32_t(*)[2])context->points, i_add(maps->first, index), &at_x, &at_y);
    *x = v_from_int(at_x);
    *y = v_from_int(at_y);
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

/* The elapsed share of the game. */
CAROM_LANE vreal csb_clock(const csb_context *context, tick_world w)
{
    return v_from_int(get_tick(w)) / v_set1((real)context->ticks);
}

/* Sines and cosines of all pods, usually left by the turn command just played. */
CAROM_LANE void csb_headings(tick_world w, tick_view view, vreal sine[CSB_PODS], vreal cosine[CSB_PODS])
{
    if (view.turn != NULL) {
        const csb_turn *t = &view.turn->own;
        EACH4 (i) {
            sine[i] = t->sine[i];
            cosine[i] = t->cosine[i];
        }
        return;
    }

    vreal angle[CSB_PODS];
    EACH4 (i) {
        angle[i] = get_angle(w, i);
    }
    v_sincos4_within(angle, sine, cosine);
}

/* Writes the observations of both players or, if `shared`, the rows that make up both (games/csb/csb.h). */
CAROM_LANE void csb_observe(const csb_context *context, tick_world w, tick_view view, bool shared)
{
    csb_maps maps;
    vreal sine[CSB_PODS], cosine[CSB_PODS];
    csb_maps_of(context, w, &maps);
    csb_headings(w, view, sine, cosine);

    /* Player 1 sees its own pods, 2 and 3, first: pod i is number i ^ 2 of its view. */
    vreal number[CAROM_CSB_OBSERVATION_POD];
    ALONE_UNROLL
    for (int i = 0; i < CSB_PODS; i++) {
        csb_observe_pod(context, &maps, w, i, sine[i], cosine[i], number);
        ALONE_UNROLL
        for (unsigned k = 0; k < CAROM_CSB_OBSERVATION_POD; k++) {
            if (shared) {
                view_put_row(view, (unsigned)i * CAROM_CSB_OBSERVATION_POD + k, number[k]);
            } else {
                view_put(view, 0, (unsigned)i * CAROM_CSB_OBSERVATION_POD + k, number[k]);
                view_put(view, 1, (unsigned)(i ^ 2) * CAROM_CSB_OBSERVATION_POD + k, number[k]);
            }
        }

        /* Shared rows repeat the last numbers of pod 1, the last pod in player 1's view, before the rest of that view.
         * For the reason see CSB_SHARED_END in games/csb/csb.h. */
        for (unsigned k = 0; shared && i == 1 && k < CSB_SHARED_END - CSB_SHARED_REST; k++) {
            view_put_row(view, CSB_SHARED_PODS + CSB_SHARED_REST + k,
                         number[CAROM_CSB_OBSERVATION_POD - (CSB_SHARED_END - CSB_SHARED_REST) + k]);
        }
    }

    /* The rest of a view, with the player's own timeout first. */
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

/* ---- observation `ego`: in the pods' own frames ---- */

/* What pods see of each other, before rotation into a pod's own frame. */
typedef struct csb_pods {
    /* c, s: cosine and sine of the angle; shield: as a share of CSB_SHIELD_TICKS */
    vreal x[CSB_PODS], y[CSB_PODS], vx[CSB_PODS], vy[CSB_PODS], c[CSB_PODS], s[CSB_PODS], shield[CSB_PODS];
    vreal progress[CSB_PODS];
} csb_pods;

/* Clamps a sine or cosine to [-1, 1]: rounding may have taken it outside. */
CAROM_LANE vreal csb_share(vreal a)
{
    const vreal one = v_set1(REAL(1.0));
    return v_max(v_min(a, one), -one);
}

/* (dx, dy) / scale in the frame of pod i: forward and sideways. */
CAROM_LANE void csb_turned(const csb_pods *pods, int i, vreal dx, vreal dy, vreal scale, vreal seen[2])
{
    seen[0] = (dx * pods->c[i] + dy * pods->s[i]) / scale;
    seen[1] = (dy * pods->c[i] - dx * pods->s[i]) / scale;
}

/* A point in the frame of pod i: the unit vector to it, (0, 0) if it is at the pod itself, and its distance. */
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

/* The CAROM_CSB_EGO_OWN numbers of pod i itself and of its next two checkpoints; `last` is the index of the last
 * checkpoint. */
CAROM_LANE void csb_see_own(const csb_context *context, tick_world w, const csb_pods *pods, int i, vreal last,
                            vreal seen[CAROM_CSB_EGO_OWN])
{
    const vreal whole = v_set1((real)CSB_TIMEOUT);
    alignas(64) real after_x[LANES], after_y[LANES];
    for (unsigned l = 0; l < LANES; l++) {
        csb_point(context, world_of(w, l), i, 1, &after_x[l], &after_y[l]);
    }

    csb_turned(pods, i, pods->vx[i], pods->vy[i], v_set1((real)CSB_SEEN_SPEED), seen);
    csb_see_point(pods, i, get_cx(w, i), get_cy(w, i), seen + 2);
    csb_see_point(pods, i, v_load(after_x), v_load(after_y), seen + 5);
    seen[8] = pods->shield[i];
    seen[9] = v_from_int(get_boosted(w, i));
    seen[10] = v_from_int(get_next(w, i)) / last;
    seen[11] = v_from_int(get_timeout(w, i >> 1)) / whole;
    seen[12] = v_from_int(get_timeout(w, 1 - (i >> 1))) / whole;
    seen[13] = csb_clock(context, w);
}

/* All numbers that pod i sees. */
CAROM_LANE void csb_see(const csb_context *context, tick_world w, const csb_pods *pods, int i, vreal last,
                        tick_view view)
{
    const int order[3] = {i ^ 1, i < 2 ? 2 : 0, i < 2 ? 3 : 1};
    vreal seen[CAROM_CSB_EGO];
    csb_see_own(context, w, pods, i, last, seen);

    /* The player's other pod, then the other player's. */
    ALONE_UNROLL
    for (int k = 0; k < 3; k++) {
        csb_see_pod(pods, i, order[k], seen + CAROM_CSB_EGO_OWN + k * CAROM_CSB_EGO_POD);
    }
    ALONE_UNROLL
    for (unsigned k = 0; k < CAROM_CSB_EGO; k++) {
        view_put_ego(view, (unsigned)i, k, seen[k]);
    }
}

/* Pod i, for all pods that see it. */
CAROM_LANE void csb_look_at(tick_world w, int i, csb_pods *pods)
{
    pods->x[i] = get_x(w, i);
    pods->y[i] = get_y(w, i);
    pods->vx[i] = get_vx(w, i);
    pods->vy[i] = get_vy(w, i);
    pods->shield[i] = v_from_int(get_shield(w, i)) / v_set1((real)CSB_SHIELD_TICKS);
    v_sincos(get_angle(w, i), &pods->s[i], &pods->c[i]);
}

CAROM_LANE void rules_observe_ego(const csb_context *context, tick_world w, tick_view view)
{
    csb_pods pods;
    const vreal last = csb_last_of(context, w);
    csb_progress_each(context, w, pods.progress);

    /* Compute what several pods see only once. */
    for (int i = 0; i < CSB_PODS; i++) {
        csb_look_at(w, i, &pods);
    }

    ALONE_UNROLL
    for (int i = 0; i < CSB_PODS; i++) {
        if (view_wants(view, (unsigned)i)) {
            csb_see(context, w, &pods, i, last, view);
        }
    }
}

/* ---- observation `lidar`: the pod itself as in `ego`, and what its rays hit ---- */

CAROM_LANE void rules_lidar(const csb_context *context, tick_world w, tick_lidar *lidar)
{
    const int i = (int)lidar_agent(lidar);
    vreal own[CAROM_CSB_EGO_OWN];
    csb_pods pods;
    csb_look_at(w, i, &pods);
    csb_see_own(context, w, &pods, i, csb_last_of(context, w), own);
    for (unsigned k = 0; k < CAROM_CSB_EGO_OWN; k++) {
        lidar_own(lidar, k, own[k]);
    }

    lidar_from(lidar, pods.x[i], pods.y[i], pods.vx[i], pods.vy[i], pods.c[i], pods.s[i], CAROM_CSB_LIDAR_RANGE,
               CSB_SEEN_SPEED);
    for (int other = 0; other < CSB_PODS; other++) {
        if (other != i) {
            lidar_circle(lidar, other == (i ^ 1) ? CSB_LIDAR_MATE : CSB_LIDAR_OTHER, get_x(w, other), get_y(w, other),
                         get_vx(w, other), get_vy(w, other), CSB_TOUCH / 2);
        }
    }
}

/* ---- the value: the lead in progress, or a weighted sum of features ---- */

/* A pod, as the features need it. */
typedef struct csb_standing {
    vreal progress;
    vreal x, y, next_x, next_y; /* positions of the pod and of its next checkpoint */
    vreal speed, facing;        /* towards that checkpoint: velocity / 1000, cosine of the angle */
    vreal cosine, sine;         /* of its angle */
} csb_standing;

/* The length of (x, y), but at least 1, so that it can be divided by. */
CAROM_LANE vreal csb_length(vreal x, vreal y)
{
    return v_max(v_sqrt(x * x + y * y), v_set1(REAL(1.0)));
}

/* The component of (x, y) along (to_x, to_y). */
CAROM_LANE vreal csb_along(vreal x, vreal y, vreal to_x, vreal to_y)
{
    return (x * to_x + y * to_y) / csb_length(to_x, to_y);
}

/* Fills in all four pods. */
CAROM_LANE void csb_stand(const csb_context *context, tick_world w, csb_standing pods[CSB_PODS])
{
    vreal progress[CSB_PODS], angle[CSB_PODS], sine[CSB_PODS], cosine[CSB_PODS];
    csb_progress_each(context, w, progress);
    ALONE_UNROLL
    for (int i = 0; i < CSB_PODS; i++) {
        angle[i] = get_angle(w, i);
    }
    v_sincos4_within(angle, sine, cosine);

    ALONE_UNROLL

    for (int i = 0; i < CSB_PODS; i++) {
        csb_standing *pod = &pods[i];
        const vreal x = get_x(w, i), y = get_y(w, i), cx = get_cx(w, i), cy = get_cy(w, i);
        const vreal to_x = cx - x, to_y = cy - y;

        pod->progress = progress[i];
        pod->x = x;
        pod->y = y;
        pod->next_x = cx;
        pod->next_y = cy;
        pod->speed = csb_along(get_vx(w, i), get_vy(w, i), to_x, to_y) / v_set1((real)CSB_SEEN_SPEED);
        pod->facing = csb_along(cosine[i], sine[i], to_x, to_y);
        pod->cosine = cosine[i];
        pod->sine = sine[i];
    }
}

/* v_select() of all members. */
CAROM_LANE csb_standing csb_choose(vmask m, csb_standing a, csb_standing b)
{
    const csb_standing chosen = {
        v_select(m, a.progress, b.progress), v_select(m, a.x, b.x),           v_select(m, a.y, b.y),
        v_select(m, a.next_x, b.next_x),     v_select(m, a.next_y, b.next_y), v_select(m, a.speed, b.speed),
        v_select(m, a.facing, b.facing),     v_select(m, a.cosine, b.cosine), v_select(m, a.sine, b.sine)};
    return chosen;
}

/* 1 if the two points are the same, 0 at a distance of 16000, negative beyond. */
CAROM_LANE vreal csb_nearness(vreal from_x, vreal from_y, vreal x, vreal y)
{
    const vreal dx = x - from_x, dy = y - from_y;
    return v_set1(REAL(1.0)) - v_sqrt(dx * dx + dy * dy) / v_set1((real)CSB_WIDTH);
}

/* The weighted sum of features, for both players. */
CAROM_LANE void csb_value_weighed(const csb_context *context, tick_world w, tick_values values)
{
    csb_standing pods[CSB_PODS], ahead[2], behind[2];
    csb_stand(context, w, pods);

    /* The leading pod of each player is its runner, the other its guard. */
    ALONE_UNROLL
    for (int player = 0; player < 2; player++) {
        const vmask first = v_ge(pods[2 * player].progress, pods[2 * player + 1].progress);
        ahead[player] = csb_choose(first, pods[2 * player], pods[2 * player + 1]);
        behind[player] = csb_choose(first, pods[2 * player + 1], pods[2 * player]);
    }

    /* The nearness of each guard to the other player's runner, and to the checkpoint (gate) that this runner needs
     * next. */
    vreal at_gate[2], at_rival[2]; /* each player's guard */
    ALONE_UNROLL
    for (int player = 0; player < 2; player++) {
        const csb_standing guard = behind[player], rival = ahead[1 - player];
        at_gate[player] = csb_nearness(guard.x, guard.y, rival.next_x, rival.next_y);
        at_rival[player] = csb_nearness(guard.x, guard.y, rival.x, rival.y);
    }

    /* The features in the order of csb.h, each times its weight. The sum is rounded in this order, too. */
    const vint winner = get_winner(w, 0);
    ALONE_UNROLL
    for (int player = 0; player < 2; player++) {
        const csb_standing own = ahead[player], guard = behind[player], rival = ahead[1 - player];
        const vreal won = v_select(i_eq(winner, i_set1(player)), v_set1(REAL(1.0)), v_set1(REAL(0.0)));
        const vreal lost = v_select(i_eq(winner, i_set1(1 - player)), v_set1(REAL(1.0)), v_set1(REAL(0.0)));
        const vreal watch = csb_along(guard.cosine, guard.sine, rival.x - guard.x, rival.y - guard.y);
        const vreal features[CAROM_CSB_VALUE_WEIGHTS] = {
            own.progress,     own.speed, own.facing, guard.progress,      rival.progress,      at_gate[player],
            at_rival[player], watch,     won - lost, at_gate[1 - player], at_rival[1 - player]};
        vreal sum = v_set1(REAL(0.0));
        ALONE_UNROLL
        for (int k = 0; k < CAROM_CSB_VALUE_WEIGHTS; k++) {
            sum = sum + v_set1((real)values.weights[k]) * features[k];
        }
        value_put(values, (unsigned)player, sum);
    }
}

/* The value of the given kind, for both players. */
CAROM_LANE void rules_value(const csb_context *context, tick_world w, tick_values values)
{
    if (values.kind != 0) {
        csb_value_weighed(context, w, values);
        return;
    }

    /* Kind `game`: the lead in progress. */
    vreal ahead[2];
    csb_progress_ahead(context, w, ahead);
    const vreal lead = ahead[0] - ahead[1];
    value_put(values, 0, lead);
    value_put(values, 1, -lead);
}

#endif
