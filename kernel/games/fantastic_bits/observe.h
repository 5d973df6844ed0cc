/* SPDX-License-Identifier: MIT
 * What players see of a world, and what a world is worth to them.
 */
#ifndef CAROM_GAMES_FANTASTIC_BITS_OBSERVE_H
#define CAROM_GAMES_FANTASTIC_BITS_OBSERVE_H

#include "games/fantastic_bits/turn.h"

/* Numbers of a wizard, a snaffle, a bludger. */
#define FB_SEEN_WIZARD 5
#define FB_SEEN_SNAFFLE 5
#define FB_SEEN_BLUDGER 4
#define FB_SEEN_BODIES (FB_WIZARDS * FB_SEEN_WIZARD + FB_SNAFFLES * FB_SEEN_SNAFFLE + FB_BLUDGERS * FB_SEEN_BLUDGER)

/* Place of a body's first number in the view of a player, to whom wizards i ^ 2 are the other's. */
CAROM_LANE int fb_seen_at(int body, int player)
{
    return body < FB_SNAFFLE ? (player == 0 ? body : body ^ 2) * FB_SEEN_WIZARD
           : body < FB_BLUDGER
               ? FB_WIZARDS * FB_SEEN_WIZARD + (body - FB_SNAFFLE) * FB_SEEN_SNAFFLE
               : FB_WIZARDS * FB_SEEN_WIZARD + FB_SNAFFLES * FB_SEEN_SNAFFLE + (body - FB_BLUDGER) * FB_SEEN_BLUDGER;
}

CAROM_LANE void fb_observe_body(tick_world w, int i, tick_view view)
{
    const vreal zero = v_set1(REAL(0.0)), one = v_set1(REAL(1.0)), fast = v_set1((real)FB_SEEN_SPEED);
    vreal number[5];
    number[0] = v_div(get_x(w, i), v_set1((real)FB_WIDTH));
    number[1] = v_div(get_y(w, i), v_set1((real)FB_HEIGHT));
    number[2] = v_div(get_vx(w, i), fast);
    number[3] = v_div(get_vy(w, i), fast);
    number[4] = zero;
    if (i < FB_SNAFFLE) {
        number[4] = v_select(i_gt(get_hold(w, i), i_set1(-1)), one, zero);
    } else if (i < FB_BLUDGER) {
        const vmask alive = i_gt(get_alive(w, i - FB_SNAFFLE), i_set1(0));
        number[4] = one;
        for (int k = 0; k < 5; k++) {
            number[k] = v_select(alive, number[k], zero);
        }
    }
    const int count = i < FB_BLUDGER ? 5 : 4;
    for (int p = 0; p < 2; p++) {
        for (int k = 0; k < count; k++) {
            view_put(view, (unsigned)p, (unsigned)(fb_seen_at(i, p) + k), number[k]);
        }
    }
}

CAROM_LANE void rules_observe(const fb_context *context, tick_world w, tick_view view)
{
    (void)context;
    for (int i = 0; i < FB_BODIES; i++) {
        fb_observe_body(w, i, view);
    }
    const vint seven = i_set1(FB_SNAFFLES);
    const vreal win = v_select(i_eq(get_snaffles(w, 0), seven), v_set1(REAL(4.0)), v_set1(REAL(3.0)));
    const vreal tick = v_div(v_from_int(get_tick(w)), v_set1((real)FB_LAST_TICK));
    for (int p = 0; p < 2; p++) {
        const unsigned player = (unsigned)p, rest = FB_SEEN_BODIES;
        view_put(view, player, rest, v_div(v_from_int(get_mana(w, p)), v_set1((real)FB_MOST_MANA)));
        view_put(view, player, rest + 1, v_div(v_from_int(get_score(w, p)), win));
        view_put(view, player, rest + 2, v_div(v_from_int(get_score(w, 1 - p)), win));
        view_put(view, player, rest + 3, v_set1((real)(1 - 2 * p)));
        view_put(view, player, rest + 4, tick);
    }
}

/* The sum of how far the snaffles are on the way from the middle to the other's goal line. */
CAROM_LANE void rules_value(const fb_context *context, tick_world w, tick_values values)
{
    (void)context;
    vreal sum = v_set1(REAL(0.0));
    for (int s = 0; s < FB_SNAFFLES; s++) {
        const vmask alive = i_gt(get_alive(w, s), i_set1(0));
        const vreal x = v_sub(get_x(w, FB_SNAFFLE + s), v_set1((real)(FB_WIDTH / 2)));
        sum = v_select(alive, v_add(sum, v_div(x, v_set1((real)FB_WIDTH))), sum);
    }
    value_put(values, 0, sum);
    value_put(values, 1, v_neg(sum));
}

#endif
