/* SPDX-License-Identifier: MIT
 * When a world's bodies meet something: the referee's expressions for single candidates that the survey has left, and
 * the list of those that may come first.
 */
#ifndef CAROM_GAMES_FANTASTIC_BITS_EVENTS_H
#define CAROM_GAMES_FANTASTIC_BITS_EVENTS_H

#include "games/fantastic_bits/run.h"

enum { FB_HIT_ROUND, FB_HIT_WALL, FB_HIT_GRAB, FB_HIT_GOAL };

/* The places of a body's events in the referee's list: FB_ORDER of the body, plus the place. */
enum {
    FB_WIZARD_WALL = 0,
    FB_WIZARD_POST = 1,
    FB_WIZARD_PAIR = 5,
    FB_WIZARD_NEAREST = 8,
    FB_WIZARD_GRAB = 9,
    FB_SNAFFLE_POST = 0,
    FB_SNAFFLE_WALL = 4,
    FB_SNAFFLE_PAIR = 5,
    FB_SNAFFLE_GOAL = 11,
    FB_BLUDGER_WALL = 0,
    FB_BLUDGER_POST = 1,
    FB_BLUDGER_OTHER = 5,
    FB_BLUDGER_PAIR = 6
};

CAROM_LANE int fb_order(int body)
{
    return body < FB_SNAFFLE   ? 16 * (FB_WIZARDS - 1 - body)
           : body < FB_BLUDGER ? 16 * (FB_WIZARDS + FB_BLUDGER - 1 - body)
                               : 16 * (FB_WIZARDS + FB_SNAFFLES) + 32 * (FB_BODIES - 1 - body);
}

CAROM_LANE void fb_note(fb_list *list, real time, int order, int kind, int first, int second)
{
    if (time <= list->first + (real)FB_EPS) {
        fb_event *event = &list->events[list->count++];
        event->time = time;
        event->order = (uint8_t)order;
        event->kind = (uint8_t)kind;
        event->first = (uint8_t)first;
        event->second = (uint8_t)second;
        list->first = time < list->first ? time : list->first;
    }
}

/* Relative position d and velocity v come together to `reach` within (0, left]: the time; else a negative number. The
 * referee takes the lesser of both roots, which is this one, for a > 0; it is not above 0 unless b < 0. */
CAROM_LANE real fb_contact(real vx, real vy, real dx, real dy, real reach, real left)
{
    const real b = dx * vx + dy * vy;
    if (!(b < 0)) {
        return -1;
    }
    const real a = vx * vx + vy * vy, c = dx * dx + dy * dy - reach * reach, q = b * b - a * c;
    if (!(q > 0) || a == 0) {
        return -1;
    }
    const real t = (-b - fb_root(q)) / a;
    return t <= left ? t : -1;
}

/* A body against a round one, or a post. */
CAROM_LANE void fb_try_round(const real *world, fb_list *list, real begin, int order, int first, int second, real dx,
                             real dy, real vx, real vy, real reach)
{
    if (dx * dx + dy * dy <= reach * reach) {
#if CAROM_REAL_BITS == 32
        if (!(dx * vx + dy * vy < 0)) {
            return;
        }
#endif
        fb_note(list, begin, order, FB_HIT_ROUND, first, second);
        return;
    }
    (void)world;
    const real t = fb_contact(vx, vy, dx, dy, reach, 1 - begin);
    if (t > 0) {
        fb_note(list, begin + t, order, FB_HIT_ROUND, first, second);
    }
}

CAROM_LANE void fb_try_pair(const real *world, const fb_mind *mind, fb_list *list, int a, int b)
{
    int order = fb_order(a);
    if (a < FB_SNAFFLE) {
        order += FB_WIZARD_PAIR + (a - 1 - b);
    } else if (a < FB_BLUDGER) {
        if ((mind->ignores[a - FB_SNAFFLE] & fb_bit(b)) != 0) {
            return;
        }
        order += FB_SNAFFLE_PAIR + (a - 1 - b);
    } else {
        order += b == FB_BLUDGER ? FB_BLUDGER_OTHER : FB_BLUDGER_PAIR + b;
    }
    fb_try_round(world, list, AT(BEGIN), order, a, b, AT(X + a) - AT(X + b), AT(Y + a) - AT(Y + b),
                 AT(VX + a) - AT(VX + b), AT(VY + a) - AT(VY + b), (real)(fb_radius(a) + fb_radius(b)));
}

CAROM_LANE bool fb_in_goal(const real *world, int s)
{
    return (AT(X + s) <= FB_SNAFFLE_RADIUS || AT(X + s) >= FB_WIDTH - FB_SNAFFLE_RADIUS) && AT(Y + s) >= FB_MOUTH_TOP &&
           AT(Y + s) <= FB_MOUTH_BOTTOM;
}

CAROM_LANE void fb_try_wall(const real *world, fb_list *list, int body, int order)
{
    const real begin = AT(BEGIN), left = 1 - begin, x = AT(X + body), y = AT(Y + body);
    const real vx = AT(VX + body), vy = AT(VY + body);
    const real r = (real)fb_radius(body), right = FB_WIDTH - r, bottom = FB_HEIGHT - r;
    const bool snaffle = body >= FB_SNAFFLE && body < FB_BLUDGER;
    if (snaffle && fb_in_goal(world, body)) {
        return;
    }
    int side = -1;
    real least = 0;
    if (x < r || x > right || y < r || y > bottom) {
        side = x < r ? 1 : x > right ? 0 : y < r ? 3 : 2;
    } else {
        least = left;
        if (vx != 0) {
            const real t = ((vx > 0 ? right : r) - x) / vx, end = y + t * vy;
            if (t >= 0 && t <= least && (!snaffle || end < FB_MOUTH_TOP || end > FB_MOUTH_BOTTOM)) {
                side = vx > 0 ? 0 : 1;
                least = t;
            }
        }
        if (vy != 0) {
            const real t = ((vy > 0 ? bottom : r) - y) / vy;
            if (t >= 0 && (t < least || (side < 0 && t == least))) {
                side = vy > 0 ? 2 : 3;
                least = t;
            }
        }
    }
    if (side >= 0) {
        fb_note(list, begin + least, order, FB_HIT_WALL, body, FB_WALL + side);
    }
}

CAROM_LANE void fb_try_posts(const real *world, fb_list *list, int body, int order)
{
    const real reach = (real)(fb_radius(body) + FB_POST_RADIUS);
    for (int p = 0; p < 4; p++) {
        fb_try_round(world, list, AT(BEGIN), order + p, body, FB_POST + p, AT(X + body) - (real)fb_post_x[p],
                     AT(Y + body) - (real)fb_post_y[p], AT(VX + body), AT(VY + body), reach);
    }
}

CAROM_LANE void fb_try_goal(const real *world, fb_list *list, int s, int order)
{
    const real begin = AT(BEGIN), left = 1 - begin, x = AT(X + s), vx = AT(VX + s);
    if (x >= FB_WIDTH) {
        fb_note(list, begin, order, FB_HIT_GOAL, s, FB_GOAL);
    } else if (x <= 0) {
        fb_note(list, begin, order, FB_HIT_GOAL, s, FB_GOAL + 1);
    } else if (vx != 0) {
        const real t = (vx > 0 ? FB_WIDTH - x : -x) / vx;
        if (t > 0 && t <= left) {
            fb_note(list, begin + t, order, FB_HIT_GOAL, s, FB_GOAL + (vx < 0));
        }
    }
}

/* What a body near an edge of the field can meet there. */
CAROM_LANE void fb_try_edge(const real *world, const fb_mind *mind, fb_list *list, int body)
{
    const int order = fb_order(body);
    if (body < FB_SNAFFLE || body >= FB_BLUDGER) {
        fb_try_wall(world, list, body, order + FB_WIZARD_WALL);
        fb_try_posts(world, list, body, order + FB_WIZARD_POST);
    } else if ((mind->free & fb_bit(body)) != 0) {
        fb_try_posts(world, list, body, order + FB_SNAFFLE_POST);
        fb_try_wall(world, list, body, order + FB_SNAFFLE_WALL);
        fb_try_goal(world, list, body, order + FB_SNAFFLE_GOAL);
    }
}

CAROM_LANE void fb_try_grabs(const real *world, const fb_mind *mind, fb_list *list, int wizard)
{
    const real begin = AT(BEGIN), left = 1 - begin, reach = FB_GRASP;
    const int order = fb_order(wizard);
    int nearest = -1;
    real least = reach * reach;
    for (int s = FB_SNAFFLE; s < FB_BLUDGER; s++) {
        if ((mind->free & fb_bit(s)) == 0) {
            continue;
        }
        const real dx = AT(X + wizard) - AT(X + s), dy = AT(Y + wizard) - AT(Y + s), d2 = dx * dx + dy * dy;
        if (d2 <= reach * reach) {
            if (nearest < 0 || d2 < least) {
                nearest = s;
                least = d2;
            }
        } else {
            const real t = fb_contact(AT(VX + wizard) - AT(VX + s), AT(VY + wizard) - AT(VY + s), dx, dy, reach, left);
            if (t > 0) {
                fb_note(list, begin + t, order + FB_WIZARD_GRAB + (s - FB_SNAFFLE), FB_HIT_GRAB, wizard, s);
            }
        }
    }
    if (nearest >= 0) {
        fb_note(list, begin, order + FB_WIZARD_NEAREST, FB_HIT_GRAB, wizard, nearest);
    }
}

/* Keeps the events that act, in their order. */
CAROM_LANE void fb_sort(fb_list *list)
{
    unsigned kept = 0;
    const real last = list->first + (real)FB_EPS;
    for (unsigned k = 0; k < list->count; k++) {
        const fb_event event = list->events[k];
        if (event.time <= last) {
            unsigned to = kept++;
            for (; to > 0 && (list->events[to - 1].time > event.time ||
                              (list->events[to - 1].time == event.time && list->events[to - 1].order > event.order));
                 to--) {
                list->events[to] = list->events[to - 1];
            }
            list->events[to] = event;
        }
    }
    list->count = kept;
}

#endif
