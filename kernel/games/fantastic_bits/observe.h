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

/* Index of a body's first number in a player's view. Own wizards come first: player 1 sees wizard i as i ^ 2. */
CAROM_LANE int fb_seen_at(int body, int player)
{
    return body < FB_SNAFFLE ? (player == 0 ? body : body ^ 2) * FB_SEEN_WIZARD
           : body < FB_BLUDGER
               ? FB_WIZARDS * FB_SEEN_WIZARD + (body - FB_SNAFFLE) * FB_SEEN_SNAFFLE
               : FB_WIZARDS * FB_SEEN_WIZARD + FB_SNAFFLES * FB_SEEN_SNAFFLE + (body - FB_BLUDGER) * FB_SEEN_BLUDGER;
}

/* Position, velocity, and for wizards and snaffles a flag: holds, or alive. Dead snaffles are all zero. */
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

    /* Half the snaffles plus one win. */
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

/* ---- observation `ego`: in a wizard's frame ---- */

/* The observing wizard: its state, 1 or -1 (player 1) to rotate its axes by 180 degrees, and where its observation
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

/* Four numbers from `place` on: position and velocity of a body relative to the wizard, 0 in lanes where it does not
 * exist. */
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

    /* For player 1, whose axes are rotated by 180 degrees, the two long walls are swapped. */
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

/* The holder of a snaffle: 1 a wizard of the player, -1 one of the other's, 0 none. */
CAROM_LANE vreal fb_held_by(tick_world w, int snaffle, int player)
{
    vreal held = v_set1(REAL(0.0));
    for (int i = 0; i < FB_WIZARDS; i++) {
        const vreal whose = v_set1(i >> 1 == player ? REAL(1.0) : REAL(-1.0));
        held = v_select(i_eq(get_hold(w, i), i_set1(snaffle)), whose, held);
    }
    return held;
}

/* All that wizard i sees: itself, snaffles, the other wizards (its mate first), bludgers. */
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
        if (view_wants(view, (unsigned)i)) {
            fb_see_all(w, i, &eye);
        }
    }
}

/* ---- the value: the positions of the snaffles, or a weighted sum of features ---- */

#define FB_FAR REAL(1e6)     /* farther than anything, in lengths of the field */
#define FB_REACH REAL(0.025) /* the approximate distance from which a wizard grabs a snaffle */
#define FB_AHEAD REAL(2.0)   /* ticks by which features extrapolate wizards and snaffles */

/* In lengths of the field. */
CAROM_LANE vreal fb_apart(vreal x, vreal y, vreal to_x, vreal to_y)
{
    const vreal dx = x - to_x, dy = y - to_y;
    return v_sqrt(dx * dx + dy * dy) / v_set1((real)FB_WIDTH);
}

/* A body's extrapolated coordinate, along one side of the field. */
CAROM_LANE vreal fb_soon(vreal at, vreal speed, real side)
{
    return v_max(v_set1(REAL(0.0)), v_min(v_set1(side), at + v_set1(FB_AHEAD) * speed));
}

/* The snaffles, as the features need them. Arrays are by wizard or by player. */
typedef struct fb_standing {
    vreal x[FB_WIZARDS], y[FB_WIZARDS]; /* extrapolated positions of wizards */
    vreal least[FB_WIZARDS];            /* from a wizard to the snaffle nearest to it */
    vreal pair[2];              /* the least sum of distances from both wizards to one snaffle each: chosen greedily,
                                   both would go to the same */
    vreal goal, speed, control; /* of player 0; the other's are the negatives */
    vreal worst[2];             /* distance of the snaffle nearest to the own goal from it */
    vint alive, nearer[2];      /* snaffles, and those nearer to a wizard of the player than to the other's */
} fb_standing;

/* Takes snaffle s into account. */
CAROM_LANE void fb_stand_one(tick_world w, int s, fb_standing *sum)
{
    const vmask alive = i_gt(get_alive(w, s), i_set1(0));
    const vreal vx = get_vx(w, FB_SNAFFLE + s), far = v_set1(FB_FAR);
    const vreal x = fb_soon(get_x(w, FB_SNAFFLE + s), vx, FB_WIDTH);
    const vreal y = fb_soon(get_y(w, FB_SNAFFLE + s), get_vy(w, FB_SNAFFLE + s), FB_HEIGHT);
    const vreal wide = v_set1((real)FB_WIDTH), middle = v_set1((real)(FB_HEIGHT / 2)), zero = v_set1(REAL(0.0));
    vreal d[FB_WIZARDS], own[2];
    ALONE_UNROLL
    for (int i = 0; i < FB_WIZARDS; i++) {
        d[i] = v_select(alive, fb_apart(x, y, sum->x[i], sum->y[i]), far);
    }

    /* This snaffle for one wizard, an earlier one for the other. */
    ALONE_UNROLL
    for (int p = 0; p < 2; p++) {
        const vreal a = d[2 * p], b = d[2 * p + 1];
        sum->pair[p] = v_min(sum->pair[p], v_min(a + sum->least[2 * p + 1], b + sum->least[2 * p]));
        sum->least[2 * p] = v_min(sum->least[2 * p], a);
        sum->least[2 * p + 1] = v_min(sum->least[2 * p + 1], b);
        own[p] = v_min(a, b);
    }

    const vreal goal = fb_apart(x, y, zero, middle) - fb_apart(x, y, wide, middle);
    const vreal speed = vx / v_set1((real)FB_SEEN_SPEED);
    const vreal control = (own[1] - own[0]) / (own[0] + own[1] + v_set1(FB_REACH));
    const vreal place = get_x(w, FB_SNAFFLE + s) / wide;
    sum->goal = v_select(alive, sum->goal + goal, sum->goal);
    sum->speed = v_select(alive, sum->speed + speed, sum->speed);
    sum->control = v_select(alive, sum->control + control, sum->control);
    sum->worst[0] = v_select(alive, v_min(sum->worst[0], place), sum->worst[0]);
    sum->worst[1] = v_select(alive, v_min(sum->worst[1], v_set1(REAL(1.0)) - place), sum->worst[1]);

    const vint none = i_set1(0), one = i_set1(1);
    sum->alive = i_add(sum->alive, i_select(alive, one, none));
    sum->nearer[0] = i_add(sum->nearer[0], i_select(v_lt(own[0], own[1]), one, none));
    sum->nearer[1] = i_add(sum->nearer[1], i_select(v_lt(own[1], own[0]), one, none));
}

CAROM_LANE fb_standing fb_stand(tick_world w)
{
    const vreal far = v_set1(FB_FAR), zero = v_set1(REAL(0.0)), one = v_set1(REAL(1.0));
    const vint none = i_set1(0);
    fb_standing sum;
    ALONE_UNROLL
    for (int i = 0; i < FB_WIZARDS; i++) {
        sum.x[i] = fb_soon(get_x(w, i), get_vx(w, i), FB_WIDTH);
        sum.y[i] = fb_soon(get_y(w, i), get_vy(w, i), FB_HEIGHT);
        sum.least[i] = far;
    }
    sum.pair[0] = sum.pair[1] = far;
    sum.goal = sum.speed = sum.control = zero;
    sum.worst[0] = sum.worst[1] = one;
    sum.alive = sum.nearer[0] = sum.nearer[1] = none;
    ALONE_UNROLL
    for (int s = 0; s < FB_SNAFFLES; s++) {
        fb_stand_one(w, s, &sum);
    }

    /* If only one snaffle is left its nearest wizard counts twice. */
    ALONE_UNROLL
    for (int p = 0; p < 2; p++) {
        const vreal alone = v_min(sum.least[2 * p], sum.least[2 * p + 1]);
        const vreal single = v_select(v_lt(alone, far), alone + alone, zero);
        sum.pair[p] = v_select(v_lt(sum.pair[p], far), sum.pair[p], single);
    }
    return sum;
}

/* Danger from bludgers for a player's wizards: 1 for each pair that touches, 0 from 2000 units on. */
CAROM_LANE vreal fb_danger(tick_world w, int player)
{
    const vreal zero = v_set1(REAL(0.0)), one = v_set1(REAL(1.0)), eight = v_set1(REAL(8.0));
    vreal danger = zero;
    ALONE_UNROLL
    for (int k = 0; k < 2 * FB_BLUDGERS; k++) {
        const int i = 2 * player + k / FB_BLUDGERS, b = FB_BLUDGER + k % FB_BLUDGERS;
        danger = danger + v_max(zero, one - eight * fb_apart(get_x(w, b), get_y(w, b), get_x(w, i), get_y(w, i)));
    }
    return danger;
}

/* The weighted sum of features, for both players. */
CAROM_LANE void fb_value_weighed(tick_world w, tick_values values)
{
    const fb_standing sum = fb_stand(w);
    const vreal zero = v_set1(REAL(0.0)), one = v_set1(REAL(1.0));
    const vreal held = fb_holds(w, 0) + fb_holds(w, 1) - fb_holds(w, 2) - fb_holds(w, 3);
    const vint wins = i_select(i_eq(get_snaffles(w, 0), i_set1(FB_SNAFFLES)), i_set1(4), i_set1(3));

    /* The features in the order of fantastic_bits.h, each times its weight. The sum is rounded in this order, too. */
    ALONE_UNROLL
    for (int p = 0; p < 2; p++) {
        const vint lack = i_sub(wins, get_score(w, p)), lacks = i_sub(wins, get_score(w, 1 - p));
        const vmask mine = m_not(i_gt(lack, sum.nearer[p]));
        const vmask theirs = m_not(i_gt(lacks, i_sub(sum.alive, sum.nearer[p])));
        const vreal majority = v_select(mine, one, zero) - v_select(theirs, one, zero);
        const vreal mana = v_from_int(get_mana(w, p)) / v_set1((real)FB_MOST_MANA);
        const vreal features[CAROM_FANTASTIC_BITS_VALUE_WEIGHTS] = {p == 0 ? sum.goal : -sum.goal,
                                                                    -sum.pair[p],
                                                                    p == 0 ? sum.speed : -sum.speed,
                                                                    p == 0 ? held : -held,
                                                                    mana,
                                                                    -fb_danger(w, p),
                                                                    sum.worst[p],
                                                                    sum.pair[1 - p],
                                                                    p == 0 ? sum.control : -sum.control,
                                                                    majority};
        vreal total = zero;
        ALONE_UNROLL
        for (int k = 0; k < CAROM_FANTASTIC_BITS_VALUE_WEIGHTS; k++) {
            total = total + v_set1((real)values.weights[k]) * features[k];
        }
        value_put(values, (unsigned)p, total);
    }
}

/* The value of a world: the kind `game` is the sum over living snaffles of their distance from the middle towards the
 * other's goal, in lengths of the field. */
CAROM_LANE void rules_value(const fb_context *context, tick_world w, tick_values values)
{
    (void)context;
    if (values.kind != 0) {
        fb_value_weighed(w, values);
        return;
    }
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
