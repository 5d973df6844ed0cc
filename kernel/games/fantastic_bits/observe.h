/* SPDX-License-Identifier: MIT
 * Observations of players (`raw`) and of single wizards (`ego`), and the value of a world at the end of a rollout.
 */
#ifndef CAROM_GAMES_FANTASTIC_BITS_OBSERVE_H
#define CAROM_GAMES_FANTASTIC_BITS_OBSERVE_H

#include "games/fantastic_bits/rules.h"

/* `raw`: numbers of a wizard, a snaffle and a bludger, and of all bodies. */
#define FB_SEEN_WIZARD 5
#define FB_SEEN_SNAFFLE 5
#define FB_SEEN_BLUDGER 4
#define FB_SEEN_BODIES (FB_WIZARDS * FB_SEEN_WIZARD + FB_SNAFFLES * FB_SEEN_SNAFFLE + FB_BLUDGERS * FB_SEEN_BLUDGER)

/* Where a body's first number is in a player's view. Own wizards come first: for player 1 wizard i is seen as i ^ 2. */
CAROM_LANE int fb_seen_at(int body, int player)
{
    return body < FB_SNAFFLE ? (player == 0 ? body : body ^ 2) * FB_SEEN_WIZARD
           : body < FB_BLUDGER
               ? FB_WIZARDS * FB_SEEN_WIZARD + (body - FB_SNAFFLE) * FB_SEEN_SNAFFLE
               : FB_WIZARDS * FB_SEEN_WIZARD + FB_SNAFFLES * FB_SEEN_SNAFFLE + (body - FB_BLUDGER) * FB_SEEN_BLUDGER;
}

/* Place, velocity, and for wizards and snaffles a flag: holds, or alive. Dead snaffles are all zero. */
CAROM_LANE void fb_observe_body(tick_world w, int i, tick_view view)
{
    const vreal zero = v_set1(REAL(0.0)), one = v_set1(REAL(1.0)), fast = v_set1((real)FB_SEEN_SPEED);

    vreal number[5];
    number[0] = get_x(w, i) / v_set1((real)FB_WIDTH);
    number[1] = get_y(w, i) / v_set1((real)FB_HEIGHT);
    number[2] = get_vx(w, i) / fast;
    number[3] = get_vy(w, i) / fast;
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

/* The `raw` observation: all bodies, mana, both scores in shares of the goals to win, direction of attack, time. */
CAROM_LANE void rules_observe(const fb_context *context, tick_world w, tick_view view)
{
    (void)context;
    for (int i = 0; i < FB_BODIES; i++) {
        fb_observe_body(w, i, view);
    }

    /* Half of the snaffles and one more win. */
    const vint seven = i_set1(FB_SNAFFLES);
    const vreal win = v_select(i_eq(get_snaffles(w, 0), seven), v_set1(REAL(4.0)), v_set1(REAL(3.0)));
    const vreal tick = v_from_int(get_tick(w)) / v_set1((real)FB_LAST_TICK);
    for (int p = 0; p < 2; p++) {
        const unsigned player = (unsigned)p, rest = FB_SEEN_BODIES;
        view_put(view, player, rest, v_from_int(get_mana(w, p)) / v_set1((real)FB_MOST_MANA));
        view_put(view, player, rest + 1, v_from_int(get_score(w, p)) / win);
        view_put(view, player, rest + 2, v_from_int(get_score(w, 1 - p)) / win);
        view_put(view, player, rest + 3, v_set1((real)(1 - 2 * p)));
        view_put(view, player, rest + 4, tick);
    }
}

/* ---- a wizard's own point of view ---- */

/* The observing wizard: its state, 1 or -1 (player 1) to turn its axes by 180 degrees, and where its observation
 * goes. */
typedef struct fb_eye {
    vreal x, y, vx, vy, side;
    tick_view view;
    unsigned agent;
} fb_eye;

CAROM_LANE void fb_see(const fb_eye *eye, unsigned place, vreal a)
{
    view_put_ego(eye->view, eye->agent, place, a);
}

/* Four numbers from `place` on: place and velocity of a body relative to the wizard, 0 in lanes where it is not
 * there. */
CAROM_LANE void fb_see_body(tick_world w, int body, const fb_eye *eye, unsigned place, vmask there)
{
    const vreal wide = v_set1((real)FB_WIDTH), fast = v_set1((real)FB_SEEN_SPEED), zero = v_set1(REAL(0.0));
    const vreal seen[4] = {(get_x(w, body) - eye->x) / wide, (get_y(w, body) - eye->y) / wide,
                           (get_vx(w, body) - eye->vx) / fast, (get_vy(w, body) - eye->vy) / fast};
    for (unsigned k = 0; k < 4; k++) {
        fb_see(eye, place + k, v_select(there, eye->side * seen[k], zero));
    }
}

/* Three numbers from `place` on: direction and distance of the middle of the goal at x. Rounding may take a component
 * beyond 1. */
CAROM_LANE void fb_see_goal(const fb_eye *eye, unsigned place, real x)
{
    const vreal dx = v_set1(x) - eye->x, dy = v_set1((real)(FB_HEIGHT / 2)) - eye->y;
    const vreal zero = v_set1(REAL(0.0)), one = v_set1(REAL(1.0));
    const vreal far = v_sqrt(dx * dx + dy * dy), length = v_select(v_gt(far, zero), far, one);
    const vreal ahead = eye->side * (dx / length), aside = eye->side * (dy / length);
    fb_see(eye, place, v_max(v_min(ahead, one), -one));
    fb_see(eye, place + 1, v_max(v_min(aside, one), -one));
    fb_see(eye, place + 2, far / v_set1((real)FB_WIDTH));
}

CAROM_LANE vreal fb_holds(tick_world w, int i)
{
    return v_select(i_gt(get_hold(w, i), i_set1(-1)), v_set1(REAL(1.0)), v_set1(REAL(0.0)));
}

/* The first CAROM_FANTASTIC_BITS_EGO_OWN numbers: the wizard itself, distances from the long walls, both goals, its
 * spells, mana, score and time. */
CAROM_LANE void fb_see_self(tick_world w, int i, const fb_eye *eye)
{
    const int player = i >> 1;
    const vreal high = v_set1((real)FB_HEIGHT), fast = v_set1((real)FB_SEEN_SPEED);

    /* For player 1, who sees axes turned by 180 degrees, the two long walls change places. */
    const vreal top = eye->y / high, bottom = (high - eye->y) / high;
    const vint all = i_set1(FB_SNAFFLES);
    const vreal win = v_select(i_eq(get_snaffles(w, 0), all), v_set1(REAL(4.0)), v_set1(REAL(3.0)));

    fb_see(eye, 0, eye->side * (eye->vx / fast));
    fb_see(eye, 1, eye->side * (eye->vy / fast));
    fb_see(eye, 2, fb_holds(w, i));
    fb_see(eye, 3, v_from_int(get_wait(w, i)) / v_set1((real)FB_WAIT));
    fb_see(eye, 4, player == 0 ? top : bottom);
    fb_see(eye, 5, player == 0 ? bottom : top);

    fb_see_goal(eye, 6, player == 0 ? (real)FB_WIDTH : 0);
    fb_see_goal(eye, 9, player == 0 ? 0 : (real)FB_WIDTH);

    for (int spell = 0; spell < FB_SPELLS; spell++) {
        const vint left = get_countdown(w, i * FB_SPELLS + spell);
        fb_see(eye, 12 + (unsigned)spell, v_from_int(left) / v_set1((real)FB_LONGEST_SPELL));
    }

    fb_see(eye, 16, v_from_int(get_mana(w, player)) / v_set1((real)FB_MOST_MANA));
    fb_see(eye, 17, v_from_int(get_score(w, player)) / win);
    fb_see(eye, 18, v_from_int(get_score(w, 1 - player)) / win);
    fb_see(eye, 19, v_from_int(get_tick(w)) / v_set1((real)FB_LAST_TICK));
}

/* Who holds a snaffle: 1 a wizard of the player, -1 one of the other's, 0 no one. */
CAROM_LANE vreal fb_held_by(tick_world w, int snaffle, int player)
{
    vreal held = v_set1(REAL(0.0));
    for (int i = 0; i < FB_WIZARDS; i++) {
        const vreal whose = v_set1(i >> 1 == player ? REAL(1.0) : REAL(-1.0));
        held = v_select(i_eq(get_hold(w, i), i_set1(snaffle)), whose, held);
    }
    return held;
}

/* Everything that wizard i sees: itself, snaffles, the other wizards (its mate first), bludgers. */
CAROM_LANE void fb_see_all(tick_world w, int i, const fb_eye *eye)
{
    const int player = i >> 1, order[3] = {i ^ 1, 2 - 2 * player, 3 - 2 * player};
    const vreal zero = v_set1(REAL(0.0)), one = v_set1(REAL(1.0));
    const vmask always = v_eq(zero, zero);
    unsigned place = CAROM_FANTASTIC_BITS_EGO_OWN;

    fb_see_self(w, i, eye);
    for (int s = 0; s < FB_SNAFFLES; s++, place += CAROM_FANTASTIC_BITS_EGO_SNAFFLE) {
        const vmask alive = i_gt(get_alive(w, s), i_set1(0));
        fb_see_body(w, FB_SNAFFLE + s, eye, place, alive);
        fb_see(eye, place + 4, v_select(alive, one, zero));
        fb_see(eye, place + 5, v_select(alive, fb_held_by(w, FB_SNAFFLE + s, player), zero));
    }
    for (int k = 0; k < 3; k++, place += CAROM_FANTASTIC_BITS_EGO_WIZARD) {
        fb_see_body(w, order[k], eye, place, always);
        fb_see(eye, place + 4, fb_holds(w, order[k]));
    }
    for (int b = 0; b < FB_BLUDGERS; b++, place += CAROM_FANTASTIC_BITS_EGO_BLUDGER) {
        fb_see_body(w, FB_BLUDGER + b, eye, place, always);
    }
}

/* The `ego` observation of every wizard. */
CAROM_LANE void rules_observe_ego(const fb_context *context, tick_world w, tick_view view)
{
    (void)context;
    for (int i = 0; i < FB_WIZARDS; i++) {
        const fb_eye eye = {
            get_x(w, i), get_y(w, i), get_vx(w, i), get_vy(w, i), v_set1(i < 2 ? REAL(1.0) : REAL(-1.0)),
            view,        (unsigned)i};
        fb_see_all(w, i, &eye);
    }
}

/* The value of a world: how far the living snaffles are from the middle towards the other's goal, in sum, in lengths of
 * the field. */
CAROM_LANE void rules_value(const fb_context *context, tick_world w, tick_values values)
{
    (void)context;
    vreal sum = v_set1(REAL(0.0));
    for (int s = 0; s < FB_SNAFFLES; s++) {
        const vmask alive = i_gt(get_alive(w, s), i_set1(0));
        const vreal x = get_x(w, FB_SNAFFLE + s) - v_set1((real)(FB_WIDTH / 2));
        sum = v_select(alive, sum + x / v_set1((real)FB_WIDTH), sum);
    }
    value_put(values, 0, sum);
    value_put(values, 1, -sum);
}

#endif
