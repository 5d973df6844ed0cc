/* SPDX-License-Identifier: MIT
 * Observations of players, and the value of a world at the end of a rollout.
 */
#ifndef CAROM_GAMES_STONES_OBSERVE_H
#define CAROM_GAMES_STONES_OBSERVE_H

#include "games/stones/rules.h"

/* The numbers of stone i, 0 if it is out of play. Both players see the same, except for its owner. */
CAROM_LANE void stones_observe_stone(tick_world w, int i, tick_view view)
{
    vreal zero = v_set1(REAL(0.0)), one = v_set1(REAL(1.0));
    vreal wide = v_set1((real)STONES_SEEN_FAR), fast = v_set1((real)STONES_SEEN_SPEED);
    vmask there = i_gt(get_in_play(w, i), i_set1(0));
    vreal radius = get_radius(w, i), speed = get_speed(w, i);

    vreal number[CAROM_STONES_OBSERVATION_STONE];
    number[0] = one;
    number[1] = i % 2 == 0 ? one : -one;
    number[2] = (get_px(w, i) + radius) / wide;
    number[3] = (get_py(w, i) + radius) / wide;
    number[4] = get_course_cos(w, i) * speed / fast;
    number[5] = get_course_sin(w, i) * speed / fast;
    number[6] = radius / v_set1((real)STONES_SEEN_RADIUS);
    number[7] = get_power(w, i) / v_set1((real)STONES_SEEN_POWER);

    /* Number 1 is the stone's owner. */
    for (unsigned k = 0; k < CAROM_STONES_OBSERVATION_STONE; k++) {
        const unsigned at = (unsigned)i * CAROM_STONES_OBSERVATION_STONE + k;
        vreal seen = v_select(there, number[k], zero);
        view_put(view, 0, at, seen);
        view_put(view, 1, at, k == 1 ? v_select(there, -seen, zero) : seen);
    }
}

CAROM_LANE void rules_observe(const stones_context *context, tick_world w, tick_view view)
{
    for (int i = 0; i < STONES_MAX; i++) {
        stones_observe_stone(w, i, view);
    }
    vreal time = v_from_int(get_tick(w)) / v_set1((real)context->ticks);
    for (unsigned player = 0; player < 2; player++) {
        view_put(view, player, CAROM_STONES_OBSERVATION - 1, time);
    }
}

/* The weighted sum of features, for both players. It assumes that stones roll to rest without a further hit. */
CAROM_LANE void stones_value_weighed(const stones_context *context, tick_world w, tick_values values)
{
    const vreal zero = v_set1(REAL(0.0)), one = v_set1(REAL(1.0)), two = v_set1(REAL(2.0));
    const vreal ring = v_set1((real)(context->ring > 0 ? context->ring : STONES_SEEN_FAR));
    vreal stones = zero, leaving = zero, edge = zero; /* the other's minus player 0's */
    for (int i = 0; i < STONES_MAX; i++) {
        const vmask there = i_gt(get_in_play(w, i), i_set1(0));
        const vreal radius = get_radius(w, i), way = get_speed(w, i) / (one - get_friction(w, i));
        const vreal x = get_px(w, i) + radius + get_course_cos(w, i) * way;
        const vreal y = get_py(w, i) + radius + get_course_sin(w, i) * way;
        const vreal out = v_min(v_sqrt(x * x + y * y) / ring, two), sign = i % 2 == 0 ? -one : one;
        stones = v_select(there, stones + sign, stones);
        leaving = v_select(m_and(there, v_gt(out, one)), leaving + sign, leaving);
        edge = v_select(there, edge + sign * (out * out), edge);
    }

    /* The features in the order of stones.h, each times its weight. */
    const vreal features[CAROM_STONES_VALUE_WEIGHTS] = {-stones, leaving, edge};
    vreal sum = zero;
    for (int k = 0; k < CAROM_STONES_VALUE_WEIGHTS; k++) {
        sum = sum + v_set1((real)values.weights[k]) * features[k];
    }
    value_put(values, 0, sum);
    value_put(values, 1, -sum);
}

/* The value of a world: the kind `game` is the player's stones in play minus the other's. */
CAROM_LANE void rules_value(const stones_context *context, tick_world w, tick_values values)
{
    if (values.kind != 0) {
        stones_value_weighed(context, w, values);
        return;
    }
    vint ahead = i_set1(0); /* player 0's stones in play minus player 1's */
    for (int i = 0; i < STONES_MAX; i += 2) {
        ahead = i_add(ahead, i_sub(get_in_play(w, i), get_in_play(w, i + 1)));
    }
    value_put(values, 0, v_from_int(ahead));
    value_put(values, 1, -v_from_int(ahead));
}

#endif
