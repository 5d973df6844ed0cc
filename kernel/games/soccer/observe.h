/* SPDX-License-Identifier: MIT
 * What players see of a world, and what a world is worth to them.
 */
#ifndef CAROM_GAMES_SOCCER_OBSERVE_H
#define CAROM_GAMES_SOCCER_OBSERVE_H

#include "games/soccer/turn.h"
#include "simd/elementary.h"

#define SOCCER_SEEN_ROBOT 8
#define SOCCER_SEEN_BALL 5
#define SOCCER_SEEN_BALLS (SOCCER_ROBOTS * SOCCER_SEEN_ROBOT)
#define SOCCER_SEEN_REST (SOCCER_SEEN_BALLS + SOCCER_BALLS * SOCCER_SEEN_BALL)

/* `count` numbers from number `place` on. Those that turn round with the axes, `turning`, come first. */
CAROM_LANE void soccer_show(tick_view view, int player, int place, const vreal *shown, int count, int turning)
{
    for (int k = 0; k < count; k++) {
        view_put(view, (unsigned)player, (unsigned)(place + k),
                 player == 1 && k < turning ? v_neg(shown[k]) : shown[k]);
    }
}

/* Where what the batch does not have would stand. */
CAROM_LANE void soccer_show_nothing(tick_view view, int place, int count)
{
    for (int k = place; k < place + count; k++) {
        view_put(view, 0, (unsigned)k, v_set1(REAL(0.0)));
        view_put(view, 1, (unsigned)k, v_set1(REAL(0.0)));
    }
}

CAROM_LANE void soccer_observe_robot(const soccer_context *context, tick_world w, int i, tick_view view)
{
    const soccer_rules *r = soccer_rules_of(context);
    const vreal speed = v_set1(r->max_speed);
    vreal n[SOCCER_SEEN_ROBOT];
    n[0] = v_div(get_x(w, i), v_set1(r->half_length));
    n[1] = v_div(get_y(w, i), v_set1(r->half_width));
    n[2] = v_div(get_vx(w, i), speed);
    n[3] = v_div(get_vy(w, i), speed);
    v_sincos(get_angle(w, i), &n[5], &n[4]);
    n[6] = v_div(get_spin(w, i), v_set1(r->max_spin));
    n[7] = v_select(i_gt(get_ready(w, i), get_tick(w)), v_set1(REAL(0.0)), v_set1(REAL(1.0)));
    const int owner = i >= context->team, place = i - owner * context->team;
    for (int p = 0; p < 2; p++) {
        soccer_show(view, p, ((p == owner ? 0 : SOCCER_TEAM) + place) * SOCCER_SEEN_ROBOT, n, SOCCER_SEEN_ROBOT, 6);
    }
}

CAROM_LANE void soccer_observe_ball(const soccer_context *context, tick_world w, int k, tick_view view)
{
    const soccer_rules *r = soccer_rules_of(context);
    const int b = context->robots + k;
    const vreal speed = v_set1(r->kick_speed), zero = v_set1(REAL(0.0)), one = v_set1(REAL(1.0));
    vreal n[SOCCER_SEEN_BALL];
    n[0] = v_div(get_x(w, b), v_set1(r->half_length));
    n[1] = v_div(get_y(w, b), v_set1(r->half_width));
    n[2] = v_div(get_vx(w, b), speed);
    n[3] = v_div(get_vy(w, b), speed);
    const vint holder = get_holder(w, k);
    n[4] = v_select(i_gt(holder, i_set1(-1)), v_select(i_gt(i_set1(context->team), holder), one, v_neg(one)), zero);
    for (int p = 0; p < 2; p++) {
        soccer_show(view, p, SOCCER_SEEN_BALLS + k * SOCCER_SEEN_BALL, n, SOCCER_SEEN_BALL, 5);
    }
}

CAROM_LANE void rules_observe(const soccer_context *context, tick_world w, tick_view view)
{
    const int team = context->team, balls = context->balls;
    for (int i = 0; i < context->robots; i++) {
        soccer_observe_robot(context, w, i, view);
    }
    for (int side = 0; side < 2; side++) {
        soccer_show_nothing(view, (side * SOCCER_TEAM + team) * SOCCER_SEEN_ROBOT,
                            (SOCCER_TEAM - team) * SOCCER_SEEN_ROBOT);
    }
    for (int k = 0; k < balls; k++) {
        soccer_observe_ball(context, w, k, view);
    }
    soccer_show_nothing(view, SOCCER_SEEN_BALLS + balls * SOCCER_SEEN_BALL, (SOCCER_BALLS - balls) * SOCCER_SEEN_BALL);
    const vreal goals = v_set1((real)context->options.goals), ticks = v_set1((real)context->options.ticks);
    for (int p = 0; p < 2; p++) {
        view_put(view, (unsigned)p, SOCCER_SEEN_REST, v_div(v_from_int(get_score(w, p)), goals));
        view_put(view, (unsigned)p, SOCCER_SEEN_REST + 1, v_div(v_from_int(get_score(w, 1 - p)), goals));
        view_put(view, (unsigned)p, SOCCER_SEEN_REST + 2, v_div(v_from_int(get_tick(w)), ticks));
    }
}

CAROM_LANE void rules_value(const soccer_context *context, tick_world w, tick_values values)
{
    for (unsigned l = 0; l < LANES; l++) {
        double sum = 0;
        for (int b = context->robots; b < context->bodies; b++) {
            sum += (double)*at_x(world_of(w, l), b);
        }
        const double mean = sum / context->balls / context->options.length;
        value_put_one(values, 0, l, mean);
        value_put_one(values, 1, l, -mean);
    }
}

#endif
