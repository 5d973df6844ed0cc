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

/* A lane's relative position and velocity of two bodies, and when they come together. */
typedef struct fb_meeting {
    vmask touch; /* at most `reach` apart already; t is 0 */
    vmask meet;  /* not that, but within (0, left] */
    vreal t;
} fb_meeting;

/* The referee takes the lesser root, which is this one, for a > 0; it is not above 0 unless b < 0. */
CAROM_LANE fb_meeting fb_meeting_of(vreal dx, vreal dy, vreal vx, vreal vy, real reach, bool grab, vreal left)
{
    const vreal zero = v_set1(REAL(0.0)), r2 = v_set1(reach * reach);
    const vreal square = v_add(v_mul(dx, dx), v_mul(dy, dy));
    const vreal b = v_add(v_mul(dx, vx), v_mul(dy, vy)), a = v_add(v_mul(vx, vx), v_mul(vy, vy));
    const vreal q = v_sub(v_mul(b, b), v_mul(a, v_sub(square, r2)));
    const vreal t = v_div(v_sub(v_neg(b), v_sqrt(q)), a); /* NaN if a is 0, or q is below it */
    fb_meeting m;
    m.touch = v_le(square, r2);
    m.meet = m_and(m_and(v_lt(b, zero), v_gt(q, zero)), m_and(v_le(t, left), v_gt(t, zero)));
    m.meet = m_andnot(m.meet, m.touch);
    m.t = v_select(m.touch, zero, t);
#if CAROM_REAL_BITS == 32
    if (!grab) {
        m.touch = m_and(m.touch, v_lt(b, zero));
    }
#else
    (void)grab;
#endif
    return m;
}

/* The same for a single lane. */
CAROM_LANE real fb_contact(real vx, real vy, real dx, real dy, real reach, real left)
{
    const real b = dx * vx + dy * vy, a = vx * vx + vy * vy, q = b * b - a * (dx * dx + dy * dy - reach * reach);
    if (!(b < 0 && q > 0)) {
        return -1;
    }
    const real t = (-b - fb_root(q)) / a;
    return t <= left ? t : -1;
}

CAROM_LANE int fb_pair_order(int a, int b)
{
    return fb_order(a) + (a < FB_SNAFFLE    ? FB_WIZARD_PAIR + (a - 1 - b)
                          : a < FB_BLUDGER  ? FB_SNAFFLE_PAIR + (a - 1 - b)
                          : b == FB_BLUDGER ? FB_BLUDGER_OTHER
                                            : FB_BLUDGER_PAIR + b);
}

CAROM_LANE fb_meeting fb_meeting_in(real (*rows)[ROUNDS_ROOM], int a, int b, real reach, vreal left)
{
    return fb_meeting_of(v_sub(v_loadu(rows[X + a]), v_loadu(rows[X + b])),
                         v_sub(v_loadu(rows[Y + a]), v_loadu(rows[Y + b])),
                         v_sub(v_loadu(rows[VX + a]), v_loadu(rows[VX + b])),
                         v_sub(v_loadu(rows[VY + a]), v_loadu(rows[VY + b])), reach, reach == FB_GRASP, left);
}

CAROM_LANE void fb_note_pair(const fb_mind *minds, const int32_t *home, fb_list *lists, unsigned hit, const real *time,
                             int a, int b)
{
    const int order = fb_pair_order(a, b);
    const bool snaffles = a >= FB_SNAFFLE && a < FB_BLUDGER;
    FB_EACH_LANE(hit, if (!snaffles || (minds[home[l]].ignores[a - FB_SNAFFLE] & fb_bit(b)) == 0) {
        fb_note(&lists[l], time[l], order, FB_HIT_ROUND, a, b);
    })
}

CAROM_LANE real fb_square(const real *world, int a, int b)
{
    const real dx = AT(X + a) - AT(X + b), dy = AT(Y + a) - AT(Y + b);
    return dx * dx + dy * dy;
}

/* A hand that can grab a snaffle. In the order of the snaffles. */
CAROM_LANE void fb_note_grab(real (*rows)[ROUNDS_ROOM], fb_list *lists, unsigned hit, unsigned touch, const real *time,
                             int wizard, int s)
{
    const int order = fb_order(wizard) + FB_WIZARD_GRAB + (s - FB_SNAFFLE);
    FB_EACH_LANE(hit & ~touch, fb_note(&lists[l], time[l], order, FB_HIT_GRAB, wizard, s))
    FB_EACH_LANE(touch, const real square = fb_square(&rows[0][l], wizard, s); fb_list *list = &lists[l];
                 if ((list->reaching >> wizard & 1) == 0 || square < list->nearest_square[wizard]) {
                     list->reaching |= 1u << wizard;
                     list->nearest[wizard] = (int8_t)s;
                     list->nearest_square[wizard] = square;
                 })
}

/* Of the snaffles in reach only the nearest can be grabbed. */
CAROM_LANE void fb_note_nearest(fb_list *list, real begin)
{
    for (unsigned left = list->reaching; left != 0; left &= left - 1) {
        const int i = __builtin_ctz(left);
        fb_note(list, begin, fb_order(i) + FB_WIZARD_NEAREST, FB_HIT_GRAB, i, list->nearest[i]);
    }
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
    const real reach = (real)(fb_radius(body) + FB_POST_RADIUS), begin = AT(BEGIN);
    const real vx = AT(VX + body), vy = AT(VY + body);
    for (int p = 0; p < 4; p++) {
        const real dx = AT(X + body) - (real)fb_post_x[p], dy = AT(Y + body) - (real)fb_post_y[p];
        real t = 0;
        if (dx * dx + dy * dy > reach * reach) {
            t = fb_contact(vx, vy, dx, dy, reach, 1 - begin);
            if (!(t > 0)) {
                continue;
            }
#if CAROM_REAL_BITS == 32
        } else if (!(dx * vx + dy * vy < 0)) {
            continue;
#endif
        }
        fb_note(list, begin + t, order + p, FB_HIT_ROUND, body, FB_POST + p);
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
