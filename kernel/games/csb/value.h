/* SPDX-License-Identifier: MIT
 * The value of a state to each player at the end of a rollout (csb.h): the lead in progress, or a weighted sum of
 * features.
 */
#ifndef CAROM_GAMES_CSB_VALUE_H
#define CAROM_GAMES_CSB_VALUE_H

#include "games/csb/observe.h"

/* What features need to know of one pod. */
typedef struct csb_standing {
    vreal progress;
    vreal x, y, next_x, next_y; /* places of the pod and of its next checkpoint */
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
    for (int i = 0; i < CSB_PODS; i++) {
        angle[i] = get_angle(w, i);
    }
    v_sincos4_within(angle, sine, cosine);

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

/* 1 where the two points are the same, 0 at a distance of 16000, negative beyond. */
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

    /* Of each player's pods the one ahead is the runner, the other the guard. */
    for (int player = 0; player < 2; player++) {
        const vmask first = v_ge(pods[2 * player].progress, pods[2 * player + 1].progress);
        ahead[player] = csb_choose(first, pods[2 * player], pods[2 * player + 1]);
        behind[player] = csb_choose(first, pods[2 * player + 1], pods[2 * player]);
    }

    /* How near each guard is to the other player's runner, and to the checkpoint (gate) that this runner needs next. */
    vreal at_gate[2], at_rival[2]; /* each player's guard */
    for (int player = 0; player < 2; player++) {
        const csb_standing guard = behind[player], rival = ahead[1 - player];
        at_gate[player] = csb_nearness(guard.x, guard.y, rival.next_x, rival.next_y);
        at_rival[player] = csb_nearness(guard.x, guard.y, rival.x, rival.y);
    }

    /* The features in the order of csb.h, each times its weight. The sum is rounded in this order too. */
    const vint winner = get_winner(w, 0);
    for (int player = 0; player < 2; player++) {
        const csb_standing own = ahead[player], guard = behind[player], rival = ahead[1 - player];
        const vreal won = v_select(i_eq(winner, i_set1(player)), v_set1(REAL(1.0)), v_set1(REAL(0.0)));
        const vreal lost = v_select(i_eq(winner, i_set1(1 - player)), v_set1(REAL(1.0)), v_set1(REAL(0.0)));
        const vreal watch = csb_along(guard.cosine, guard.sine, rival.x - guard.x, rival.y - guard.y);
        const vreal features[CAROM_CSB_VALUE_WEIGHTS] = {
            own.progress,     own.speed, own.facing, guard.progress,      rival.progress,      at_gate[player],
            at_rival[player], watch,     won - lost, at_gate[1 - player], at_rival[1 - player]};
        vreal sum = v_set1(REAL(0.0));
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
