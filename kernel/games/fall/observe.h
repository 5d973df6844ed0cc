/* SPDX-License-Identifier: MIT
 * The observation of the player, and the value of a world at the end of a rollout.
 */
#ifndef CAROM_GAMES_FALL_OBSERVE_H
#define CAROM_GAMES_FALL_OBSERVE_H

#include "games/fall/rules.h"

CAROM_LANE void rules_observe(const fall_context *context, tick_world w, tick_view view)
{
    for (unsigned k = 0; k < FALL_SEEN; k++) {
        view_put(view, 0, 4 * k, get_x(w, (int)k));
        view_put(view, 0, 4 * k + 1, get_y(w, (int)k));
        view_put(view, 0, 4 * k + 2, get_vx(w, (int)k));
        view_put(view, 0, 4 * k + 3, get_vy(w, (int)k));
    }
    view_put(view, 0, 4 * FALL_SEEN, v_from_int(get_tick(w)) / v_set1((real)context->last_tick));
}

CAROM_LANE void rules_value(const fall_context *context, tick_world w, tick_values values)
{
    (void)context, (void)w;
    value_put(values, 0, v_set1(0));
}

#endif
