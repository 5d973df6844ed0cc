/* SPDX-License-Identifier: MIT
 * Observations of players (`raw`) and of single robots (`ego`), and the value of a world at the end of a rollout.
 */
#ifndef CAROM_GAMES_SOCCER_OBSERVE_H
#define CAROM_GAMES_SOCCER_OBSERVE_H

#include "games/soccer/rules.h"
#include "simd/elementary.h"
#include "tick/lidar.h"

/* `raw`: numbers of a robot and of a ball; the first index of the balls, and of the numbers that belong to no body. */
#define SOCCER_SEEN_ROBOT 8
#define SOCCER_SEEN_BALL 5
#define SOCCER_SEEN_BALLS (SOCCER_ROBOTS * SOCCER_SEEN_ROBOT)
#define SOCCER_SEEN_REST (SOCCER_SEEN_BALLS + SOCCER_BALLS * SOCCER_SEEN_BALL)

/* Shows a player `count` numbers from number `place` on. The first `turning` of them change sign for player 1, whose
 * axes are rotated by 180 degrees. */
CAROM_LANE void soccer_show(tick_view view, int player, int place, const vreal *shown, int count, int turning)
{
    for (int k = 0; k < count; k++) {
        view_put(view, (unsigned)player, (unsigned)(place + k), player == 1 && k < turning ? -shown[k] : shown[k]);
    }
}

/* Zeros for both players, in place of bodies that the batch does not have. */
CAROM_LANE void soccer_show_nothing(tick_view view, int place, int count)
{
    for (int k = place; k < place + count; k++) {
        view_put(view, 0, (unsigned)k, v_set1(REAL(0.0)));
        view_put(view, 1, (unsigned)k, v_set1(REAL(0.0)));
    }
}

/* Robot i, which its own player sees among the first SOCCER_TEAM robots, the other among the last. */
CAROM_LANE void soccer_observe_robot(const soccer_context *context, tick_world w, int i, tick_view view)
{
    const soccer_rules *r = soccer_rules_of(context);
    const vreal speed = v_set1(r->max_speed);
    vreal n[SOCCER_SEEN_ROBOT];
    n[0] = get_x(w, i) / v_set1(r->half_length);
    n[1] = get_y(w, i) / v_set1(r->half_width);
    n[2] = get_vx(w, i) / speed;
    n[3] = get_vy(w, i) / speed;
    v_sincos(get_angle(w, i), &n[5], &n[4]);
    n[6] = get_spin(w, i) / v_set1(r->max_spin);
    n[7] = v_select(i_gt(get_ready(w, i), get_tick(w)), v_set1(REAL(0.0)), v_set1(REAL(1.0)));
    const int owner = i >= context->team, place = i - owner * context->team;
    for (int p = 0; p < 2; p++) {
        soccer_show(view, p, ((p == owner ? 0 : SOCCER_TEAM) + place) * SOCCER_SEEN_ROBOT, n, SOCCER_SEEN_ROBOT, 6);
    }
}

/* Ball k. Its holder is 1 for player 0's robots, -1 for player 1's, and changes sign with the axes. */
CAROM_LANE void soccer_observe_ball(const soccer_context *context, tick_world w, int k, tick_view view)
{
    const soccer_rules *r = soccer_rules_of(context);
    const int b = context->robots + k;
    const vreal speed = v_set1(r->kick_speed), zero = v_set1(REAL(0.0)), one = v_set1(REAL(1.0));
    vreal n[SOCCER_SEEN_BALL];
    n[0] = get_x(w, b) / v_set1(r->half_length);
    n[1] = get_y(w, b) / v_set1(r->half_width);
    n[2] = get_vx(w, b) / speed;
    n[3] = get_vy(w, b) / speed;
    const vint holder = get_holder(w, k);
    n[4] = v_select(i_gt(holder, i_set1(-1)), v_select(i_gt(i_set1(context->team), holder), one, -one), zero);
    for (int p = 0; p < 2; p++) {
        soccer_show(view, p, SOCCER_SEEN_BALLS + k * SOCCER_SEEN_BALL, n, SOCCER_SEEN_BALL, 5);
    }
}

/* The `raw` observation: all robots, own ones first, all balls, score and time. */
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

    /* The numbers that belong to no body, as shares of the game's limits. */
    const vreal goals = v_set1((real)context->options.goals), ticks = v_set1((real)context->options.ticks);
    for (int p = 0; p < 2; p++) {
        view_put(view, (unsigned)p, SOCCER_SEEN_REST, v_from_int(get_score(w, p)) / goals);
        view_put(view, (unsigned)p, SOCCER_SEEN_REST + 1, v_from_int(get_score(w, 1 - p)) / goals);
        view_put(view, (unsigned)p, SOCCER_SEEN_REST + 2, v_from_int(get_tick(w)) / ticks);
    }
}

/* ---- observation `ego`: in a robot's frame ---- */

/* The observing robot: its state, sine and cosine of its angle, and where its observation goes. */
typedef struct soccer_eye {
    vreal x, y, vx, vy, c, s;
    tick_view view;
    unsigned agent;
    bool lidar; /* the kind is `lidar`, otherwise `ego` */
} soccer_eye;

/* Writes number k of the robot's observation. */
CAROM_LANE void soccer_put_seen(const soccer_eye *eye, unsigned k, vreal a)
{
    if (eye->lidar) {
        view_put_lidar(eye->view, eye->agent, k, a);
    } else {
        view_put_ego(eye->view, eye->agent, k, a);
    }
}

/* Numbers `place` and place + 1: the vector (dx, dy) in the robot's frame, in units of `scale`. */
CAROM_LANE void soccer_see(const soccer_eye *eye, unsigned place, vreal dx, vreal dy, vreal scale)
{
    soccer_put_seen(eye, place, (dx * eye->c + dy * eye->s) / scale);
    soccer_put_seen(eye, place + 1, (dy * eye->c - dx * eye->s) / scale);
}

/* Clamps a component of a unit vector, which rounding may take beyond 1. */
CAROM_LANE vreal soccer_share(vreal a)
{
    const vreal one = v_set1(REAL(1.0));
    return v_max(v_min(a, one), -one);
}

/* Numbers `place` and place + 1: the direction of (dx, dy), whose length is `length`, in the robot's frame. */
CAROM_LANE void soccer_see_unit(const soccer_eye *eye, unsigned place, vreal dx, vreal dy, vreal length)
{
    const vreal ahead = (dx * eye->c + dy * eye->s) / length;
    const vreal aside = (dy * eye->c - dx * eye->s) / length;
    soccer_put_seen(eye, place, soccer_share(ahead));
    soccer_put_seen(eye, place + 1, soccer_share(aside));
}

/* Three numbers from `place` on: direction and distance of the middle of the goal at x. */
CAROM_LANE void soccer_see_goal(const soccer_rules *r, const soccer_eye *eye, unsigned place, real x)
{
    const vreal zero = v_set1(REAL(0.0)), dx = v_set1(x) - eye->x, dy = zero - eye->y;
    const vreal far = v_sqrt(dx * dx + dy * dy);
    soccer_see_unit(eye, place, dx, dy, v_select(v_gt(far, zero), far, v_set1(REAL(1.0))));
    soccer_put_seen(eye, place + 2, far / v_set1(2 * r->half_length));
}

/* The first CAROM_SOCCER_EGO_OWN numbers: the robot's own motion, its position on the field, both goals, score and
 * time. */
CAROM_LANE void soccer_see_self(const soccer_context *context, tick_world w, int i, int player, const soccer_eye *eye)
{
    const soccer_rules *r = soccer_rules_of(context);
    const real side = player == 0 ? 1 : -1;
    const vreal towards = v_set1(side), zero = v_set1(REAL(0.0)), one = v_set1(REAL(1.0));
    const vreal goals = v_set1((real)context->options.goals);
    soccer_see(eye, 0, eye->vx, eye->vy, v_set1(r->max_speed));

    /* Its position and heading are in axes in which its player attacks +x. */
    const vreal rest[] = {
        get_spin(w, i) / v_set1(r->max_spin),
        v_select(i_gt(get_ready(w, i), get_tick(w)), zero, one),
        towards * (eye->x / v_set1(r->half_length)),
        towards * (eye->y / v_set1(r->half_width)),
        towards * eye->c,
        towards * eye->s,
    };
    for (unsigned k = 0; k < 6; k++) {
        soccer_put_seen(eye, 2 + k, rest[k]);
    }

    soccer_see_goal(r, eye, 8, side * r->half_length);
    soccer_see_goal(r, eye, 11, -side * r->half_length);
    soccer_put_seen(eye, 14, v_from_int(get_score(w, player)) / goals);
    soccer_put_seen(eye, 15, v_from_int(get_score(w, 1 - player)) / goals);
    soccer_put_seen(eye, 16, v_from_int(get_tick(w)) / v_set1((real)context->options.ticks));
}

/* Ball k, relative to robot i. It is marked if robot i itself holds it, and by the side of its holder: 1 own, -1
 * other. */
CAROM_LANE void soccer_see_ball(const soccer_context *context, tick_world w, int i, int player, int k,
                                const soccer_eye *eye)
{
    const soccer_rules *r = soccer_rules_of(context);
    const int b = context->robots + k;
    const unsigned place = CAROM_SOCCER_EGO_OWN + (unsigned)k * CAROM_SOCCER_EGO_BALL;
    const vreal zero = v_set1(REAL(0.0)), one = v_set1(REAL(1.0));
    const vint holder = get_holder(w, k);
    const vreal first = v_select(i_gt(i_set1(context->team), holder), one, -one);
    const vreal mine = player == 0 ? first : -first;

    soccer_see(eye, place, get_x(w, b) - eye->x, get_y(w, b) - eye->y, v_set1(2 * r->half_length));
    soccer_see(eye, place + 2, get_vx(w, b) - eye->vx, get_vy(w, b) - eye->vy, v_set1(r->kick_speed));
    soccer_put_seen(eye, place + 4, v_select(i_eq(holder, i_set1(i)), one, zero));
    soccer_put_seen(eye, place + 5, v_select(i_gt(holder, i_set1(-1)), mine, zero));
}

/* Robot j, relative to the observing one; c and s are cosine and sine of its angle. */
CAROM_LANE void soccer_see_robot(const soccer_context *context, tick_world w, int j, vreal c, vreal s, unsigned place,
                                 const soccer_eye *eye)
{
    const soccer_rules *r = soccer_rules_of(context);
    soccer_see(eye, place, get_x(w, j) - eye->x, get_y(w, j) - eye->y, v_set1(2 * r->half_length));
    soccer_see(eye, place + 2, get_vx(w, j) - eye->vx, get_vy(w, j) - eye->vy, v_set1(r->max_speed));
    soccer_see_unit(eye, place + 4, c, s, v_set1(REAL(1.0)));
}

/* Zeros in place of a body that the batch does not have. */
CAROM_LANE void soccer_see_nothing(const soccer_eye *eye, unsigned place, unsigned count)
{
    for (unsigned k = place; k < place + count; k++) {
        soccer_put_seen(eye, k, v_set1(REAL(0.0)));
    }
}

/* The `ego` observation of every robot: itself, the balls, its mates, the others. */
CAROM_LANE void rules_observe_ego(const soccer_context *context, tick_world w, tick_view view)
{
    const unsigned robots = CAROM_SOCCER_EGO_OWN + SOCCER_BALLS * CAROM_SOCCER_EGO_BALL;
    vreal c[SOCCER_ROBOTS], s[SOCCER_ROBOTS];

    /* Each robot is seen by all: compute its sine and cosine once. */
    for (int i = 0; i < context->robots; i++) {
        v_sincos(get_angle(w, i), &s[i], &c[i]);
    }
    for (unsigned agent = 0; agent < 2 * SOCCER_TEAM; agent++) {
        const int player = agent >= SOCCER_TEAM, slot = (int)agent - player * SOCCER_TEAM;
        const int i = player * context->team + slot;
        soccer_eye eye = {v_set1(0), v_set1(0), v_set1(0), v_set1(0), v_set1(0), v_set1(0), view, agent, false};
        if (!view_wants(view, agent)) {
            continue;
        }
        if (slot >= context->team) {
            soccer_see_nothing(&eye, 0, CAROM_SOCCER_EGO);
            continue;
        }

        eye.x = get_x(w, i);
        eye.y = get_y(w, i);
        eye.vx = get_vx(w, i);
        eye.vy = get_vy(w, i);
        eye.c = c[i];
        eye.s = s[i];

        soccer_see_self(context, w, i, player, &eye);
        for (int k = 0; k < SOCCER_BALLS; k++) {
            if (k < context->balls) {
                soccer_see_ball(context, w, i, player, k, &eye);
            } else {
                soccer_see_nothing(&eye, CAROM_SOCCER_EGO_OWN + (unsigned)k * CAROM_SOCCER_EGO_BALL,
                                   CAROM_SOCCER_EGO_BALL);
            }
        }

        /* Robots in the order own team, other team, without the robot itself. */
        unsigned place = robots;
        for (int other = 0; other < SOCCER_ROBOTS; other++) {
            const int theirs = other >= SOCCER_TEAM, of = other - theirs * SOCCER_TEAM;
            const int j = (theirs != 0 ? 1 - player : player) * context->team + of;
            if (theirs == 0 && of == slot) {
                continue;
            }
            if (of < context->team) {
                soccer_see_robot(context, w, j, c[j], s[j], place, &eye);
            } else {
                soccer_see_nothing(&eye, place, CAROM_SOCCER_EGO_ROBOT);
            }
            place += CAROM_SOCCER_EGO_ROBOT;
        }
    }
}

/* ---- observation `lidar`: the robot itself as in `ego`, and what its rays hit ---- */

/* The walls, with the mouths of the goals in them; side: 1 for player 0's robots, -1 for player 1's. */
CAROM_LANE void soccer_name_walls(const soccer_rules *r, real side, tick_lidar *lidar)
{
    const double end = (double)r->half_length, wall = (double)r->half_width, mouth = (double)r->half_mouth;
    for (int half = 0; half < 2; half++) {
        const double x = half == 0 ? end : -end, y = half == 0 ? wall : -wall;
        const bool goal = (half == 0) == (side > 0);
        lidar_wall(lidar, SOCCER_LIDAR_WALL, -end, y, end, y);
        lidar_wall(lidar, SOCCER_LIDAR_WALL, x, -wall, x, -mouth);
        lidar_wall(lidar, goal ? SOCCER_LIDAR_GOAL : SOCCER_LIDAR_OWN_GOAL, x, -mouth, x, mouth);
        lidar_wall(lidar, SOCCER_LIDAR_WALL, x, mouth, x, wall);
    }
}

CAROM_LANE void rules_lidar(const soccer_context *context, tick_world w, tick_lidar *lidar)
{
    const soccer_rules *r = soccer_rules_of(context);
    const unsigned agent = lidar_agent(lidar);
    const int player = agent >= SOCCER_TEAM, slot = (int)agent - player * SOCCER_TEAM;
    const int i = player * context->team + slot;
    soccer_eye eye = {v_set1(0), v_set1(0), v_set1(0), v_set1(0), v_set1(0), v_set1(0), lidar->view, agent, true};
    if (slot >= context->team) {
        soccer_see_nothing(&eye, 0, CAROM_SOCCER_EGO_OWN);
        return;
    }

    eye.x = get_x(w, i);
    eye.y = get_y(w, i);
    eye.vx = get_vx(w, i);
    eye.vy = get_vy(w, i);
    v_sincos(get_angle(w, i), &eye.s, &eye.c);
    soccer_see_self(context, w, i, player, &eye);

    lidar_from(lidar, eye.x, eye.y, eye.vx, eye.vy, eye.c, eye.s, 2 * (double)r->half_length, (double)r->max_speed);
    for (int b = 0; b < context->bodies; b++) {
        const bool robot = b < context->robots, mate = (b >= context->team) == (player == 1);
        const unsigned thing = !robot ? SOCCER_LIDAR_BALL : mate ? SOCCER_LIDAR_MATE : SOCCER_LIDAR_OTHER;
        if (b != i) {
            lidar_circle(lidar, thing, get_x(w, b), get_y(w, b), get_vx(w, b), get_vy(w, b),
                         (double)(robot ? r->robot_radius : r->ball_radius));
        }
    }
    soccer_name_walls(r, player == 0 ? 1 : -1, lidar);
}

/* ---- the value ---- */

/* The robot of a side nearest to ball b, and its distance. */
CAROM_LANE int soccer_closest(const soccer_context *context, tick_world one, int side, int b, double *least)
{
    int nearest = side * context->team;
    *least = 0;
    for (int k = 0; k < context->team; k++) {
        const int i = side * context->team + k;
        const double dx = (double)*at_x(one, b) - (double)*at_x(one, i);
        const double dy = (double)*at_y(one, b) - (double)*at_y(one, i), d = __builtin_sqrt(dx * dx + dy * dy);
        nearest = k == 0 || d < *least ? i : nearest;
        *least = k == 0 || d < *least ? d : *least;
    }
    return nearest;
}

/* Cosine of the angle between the direction from robot i to ball b and that from the ball to the goal at goal_x. */
CAROM_LANE double soccer_behind(tick_world one, int i, int b, double goal_x)
{
    const double x = (double)*at_x(one, b), y = (double)*at_y(one, b);
    const double dx = x - (double)*at_x(one, i), dy = y - (double)*at_y(one, i), gx = goal_x - x, gy = -y;
    const double lengths = __builtin_sqrt((dx * dx + dy * dy) * (gx * gx + gy * gy));
    return lengths > 0 ? (dx * gx + dy * gy) / lengths : 0;
}

/* The weighted sum of features of one world, for both players. */
CAROM_LANE void soccer_value_weighed(const soccer_context *context, tick_world w, unsigned l, tick_values values)
{
    const tick_world one = world_of(w, l);
    const double length = context->options.length, balls = context->balls;
    double place = 0, speed = 0, held = 0, near[2] = {0, 0}, behind[2] = {0, 0};
    for (int k = 0; k < context->balls; k++) {
        const int b = context->robots + k, holder = *at_holder(one, k);
        place += (double)*at_x(one, b) / length / balls;
        speed += (double)*at_vx(one, b) / context->options.kick_speed / balls;
        held += holder < 0 ? 0 : holder < context->team ? 1 : -1;
        for (int side = 0; side < 2; side++) {
            double least;
            const int nearest = soccer_closest(context, one, side, b, &least);
            near[side] += least / length / balls;
            behind[side] += soccer_behind(one, nearest, b, (side == 0 ? 0.5 : -0.5) * length) / balls;
        }
    }

    /* The features in the order of soccer.h, each times its weight. */
    for (int side = 0; side < 2; side++) {
        const double sign = side == 0 ? 1 : -1;
        const double features[CAROM_SOCCER_VALUE_WEIGHTS] = {sign * place,   sign * speed, -near[side],
                                                             near[1 - side], sign * held,  behind[side]};
        double sum = 0;
        for (int k = 0; k < CAROM_SOCCER_VALUE_WEIGHTS; k++) {
            sum += values.weights[k] * features[k];
        }
        value_put_one(values, (unsigned)side, l, sum);
    }
}

/* The value of a world: the kind `game` is the balls' mean distance from the middle towards the other goal, in lengths
 * of the field. */
CAROM_LANE void rules_value(const soccer_context *context, tick_world w, tick_values values)
{
    if (values.kind != 0) {
        for (unsigned l = 0; l < LANES; l++) {
            soccer_value_weighed(context, w, l, values);
        }
        return;
    }
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
