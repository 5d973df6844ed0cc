/* SPDX-License-Identifier: MIT
 * When bodies meet something (RULES.md, section 4): the referee's expressions for the candidates that pass the filter
 * of filter.h, and the list of the events that may come first.
 */
#ifndef CAROM_GAMES_FANTASTIC_BITS_EVENTS_H
#define CAROM_GAMES_FANTASTIC_BITS_EVENTS_H

#include "games/fantastic_bits/turn.h"

/* Kinds of event. FB_HIT_ROUND: with a body or a post. */
enum { FB_HIT_ROUND, FB_HIT_WALL, FB_HIT_GRAB, FB_HIT_GOAL };

/* Places of a body's events in the referee's list, counted from fb_order() of the body. Of equal times the event that
 * comes first there acts first. */
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

/* Lists an event of one world, unless it comes too late to act with the earliest so far. */
CAROM_LANE void fb_note(fb_lists *lists, unsigned lane, real time, int order, int kind, int first, int second)
{
    if (time <= lists->first[lane] + (real)FB_EPS) {
        fb_event *event = &lists->events[lane][lists->count[lane]++];
        event->time = time;
        event->order = (uint8_t)order;
        event->kind = (uint8_t)kind;
        event->first = (uint8_t)first;
        event->second = (uint8_t)second;
        lists->first[lane] = time < lists->first[lane] ? time : lists->first[lane];
    }
}

/* ---- meetings, one in each lane ---- */

/* Computes the times of meetings [at, at + LANES). Returns the lanes in which they happen in the time left; *touch:
 * those that are within the distance of contact already. As a > 0, the referee's smaller root is the one here, and it
 * is above 0 only if b < 0. */
CAROM_LANE unsigned fb_meet_at(fb_meetings *m, size_t at, unsigned *touch)
{
    const vreal zero = v_set1(REAL(0.0)), r2 = v_load(&m->reach2[at]), begin = v_load(&m->begin[at]);
    const vreal dx = v_load(&m->dx[at]), dy = v_load(&m->dy[at]), vx = v_load(&m->vx[at]), vy = v_load(&m->vy[at]);
    const vreal square = dx * dx + dy * dy, left = v_set1(REAL(1.0)) - begin;
    const vreal b = dx * vx + dy * vy, a = vx * vx + vy * vy;
    const vreal q = b * b - a * (square - r2);
    const vmask near = v_le(square, r2);
    vmask meet = m_andnot(m_and(v_lt(b, zero), v_gt(q, zero)), near);
    vmask here = near;
    vreal t = zero;
    if (m_any(meet)) {
        t = (-b - v_sqrt(q)) / a; /* NaN if a is 0, or q is below it */
        meet = m_and(meet, m_and(v_le(t, left), v_gt(t, zero)));
    }

    /* In f32 bodies that overlap must approach to meet; a grab needs no approach. */
#if CAROM_REAL_BITS == 32
    here = m_and(near, m_or(v_lt(b, zero), v_eq(r2, v_set1((real)(FB_GRASP * FB_GRASP)))));
#endif
    v_store(&m->time[at], v_select(near, begin, begin + t));
    *touch = m_bits(here);
    return m_bits(m_or(here, meet));
}

/* Time of contact of one pair or post, from (dx, dy) apart, within the time `left`; -1: none. */
CAROM_LANE real fb_contact(real vx, real vy, real dx, real dy, real reach, real left)
{
    const real b = dx * vx + dy * vy, a = vx * vx + vy * vy, q = b * b - a * (dx * dx + dy * dy - reach * reach);
    if (!(b < 0 && q > 0)) {
        return -1;
    }
    const real t = (-b - fb_root(q)) / a;
    return t <= left ? t : -1;
}

/* Place of a pair in the referee's list, which has it under body a. */
CAROM_LANE int fb_pair_order(int a, int b)
{
    return fb_order(a) + (a < FB_SNAFFLE    ? FB_WIZARD_PAIR + (a - 1 - b)
                          : a < FB_BLUDGER  ? FB_SNAFFLE_PAIR + (a - 1 - b)
                          : b == FB_BLUDGER ? FB_BLUDGER_OTHER
                                            : FB_BLUDGER_PAIR + b);
}

CAROM_LANE real fb_square(const real *world, int a, int b)
{
    const real dx = AT(X + a) - AT(X + b), dy = AT(Y + a) - AT(Y + b);
    return dx * dx + dy * dy;
}

/* Lists the impact of a pair, unless both are snaffles of which a ignores b. */
CAROM_LANE void fb_note_pair(const fb_ints *ints, fb_lists *lists, unsigned lane, real time, int a, int b)
{
    if (a < FB_SNAFFLE || a >= FB_BLUDGER || (ints->ignores[a - FB_SNAFFLE] & fb_bit(b)) == 0) {
        fb_note(lists, lane, time, fb_pair_order(a, b), FB_HIT_ROUND, a, b);
    }
}

/* A snaffle within a wizard's reach; they come in the snaffles' order. Only the nearest can be grabbed. */
CAROM_LANE void fb_reach_for(const real *world, fb_lists *lists, unsigned lane, int wizard, int s)
{
    const real square = fb_square(world, wizard, s);
    if ((lists->reaching[lane] >> wizard & 1) == 0 || square < lists->nearest_square[lane][wizard]) {
        lists->reaching[lane] |= 1u << wizard;
        lists->nearest[lane][wizard] = (int8_t)s;
        lists->nearest_square[lane][wizard] = square;
    }
}

/* Is another empty hand as near to the snaffle, even one that still waits? */
CAROM_LANE bool fb_is_barred(const real *world, const fb_ints *ints, int wizard, int s)
{
    const real d2 = fb_square(world, s, wizard) + (real)FB_EPS;
    bool barred = false;
    for (int i = 0; i < FB_WIZARDS; i++) {
        barred = barred || (i != wizard && ints->hold[i] < 0 && fb_square(world, s, i) <= d2);
    }
    return barred;
}

/* Lists the grabs of snaffles within reach. In f32 barred ones are left out: there wizards that overlap but part do not
 * push each other away, and the same grab would fail forever. */
CAROM_LANE void fb_note_nearest(const real *world, const fb_ints *ints, fb_lists *lists, unsigned lane)
{
    for (unsigned left = lists->reaching[lane]; left != 0; left &= left - 1) {
        const int i = __builtin_ctz(left), s = lists->nearest[lane][i];
#if CAROM_REAL_BITS == 32
        if (fb_is_barred(world, ints, i, s)) {
            continue;
        }
#else
        (void)ints;
#endif
        fb_note(lists, lane, AT(BEGIN), fb_order(i) + FB_WIZARD_NEAREST, FB_HIT_GRAB, i, s);
    }
}

/* ---- edges of the field, for single worlds ---- */

/* Is a snaffle in the mouth of a goal? */
CAROM_LANE bool fb_in_goal(const real *world, int s)
{
    return (AT(X + s) <= FB_SNAFFLE_RADIUS || AT(X + s) >= FB_WIDTH - FB_SNAFFLE_RADIUS) && AT(Y + s) >= FB_MOUTH_TOP &&
           AT(Y + s) <= FB_MOUTH_BOTTOM;
}

/* Lists the wall that a body hits first. */
CAROM_LANE void fb_try_wall(const real *world, fb_lists *lists, unsigned lane, int body, int order)
{
    const real begin = AT(BEGIN), left = 1 - begin, x = AT(X + body), y = AT(Y + body);
    const real vx = AT(VX + body), vy = AT(VY + body);
    const real r = (real)fb_radius(body), right = FB_WIDTH - r, bottom = FB_HEIGHT - r;
    const bool snaffle = body >= FB_SNAFFLE && body < FB_BLUDGER;
    if (snaffle && fb_in_goal(world, body)) {
        return;
    }

    /* At once if it is beyond one; else the earlier of the two that it moves towards. A snaffle that enters a goal's
     * mouth hits no wall there. Sides: right, left, bottom, top. */
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
        fb_note(lists, lane, begin + least, order, FB_HIT_WALL, body, FB_WALL + side);
    }
}

/* The interval between a and b, widened by `more` on both ends. */
CAROM_LANE void fb_span(real a, real b, real more, real *low, real *high)
{
    *low = (a < b ? a : b) - more;
    *high = (a < b ? b : a) + more;
}

/* Lists the posts that a body hits. */
CAROM_LANE void fb_try_posts(const real *world, fb_lists *lists, unsigned lane, int body, int order)
{
    const real reach = (real)(fb_radius(body) + FB_POST_RADIUS), begin = AT(BEGIN), left = 1 - begin;
    const real x = AT(X + body), y = AT(Y + body), vx = AT(VX + body), vy = AT(VY + body);

    /* Most bodies are far from the goal lines, on which all posts are. */
    real low_x, high_x, low_y, high_y;
    fb_span(x, x + vx * left, reach + 1, &low_x, &high_x);
    if (low_x > 0 && high_x < FB_WIDTH) {
        return;
    }

    fb_span(y, y + vy * left, reach + 1, &low_y, &high_y);
    for (int p = 0; p < 4; p++) {
        if (low_y > fb_post_y[p] || high_y < fb_post_y[p] || low_x > fb_post_x[p] || high_x < fb_post_x[p]) {
            continue;
        }

        const real dx = x - (real)fb_post_x[p], dy = y - (real)fb_post_y[p];
        real t = 0;
        if (dx * dx + dy * dy > reach * reach) {
            t = fb_contact(vx, vy, dx, dy, reach, left);
            if (!(t > 0)) {
                continue;
            }
#if CAROM_REAL_BITS == 32
        } else if (!(dx * vx + dy * vy < 0)) {
            continue;
#endif
        }
        fb_note(lists, lane, begin + t, order + p, FB_HIT_ROUND, body, FB_POST + p);
    }
}

/* Lists the goal that a snaffle's centre reaches. */
CAROM_LANE void fb_try_goal(const real *world, fb_lists *lists, unsigned lane, int s, int order)
{
    const real begin = AT(BEGIN), left = 1 - begin, x = AT(X + s), vx = AT(VX + s);
    if (x >= FB_WIDTH) {
        fb_note(lists, lane, begin, order, FB_HIT_GOAL, s, FB_GOAL);
    } else if (x <= 0) {
        fb_note(lists, lane, begin, order, FB_HIT_GOAL, s, FB_GOAL + 1);
    } else if (vx != 0) {
        const real t = (vx > 0 ? FB_WIDTH - x : -x) / vx;
        if (t > 0 && t <= left) {
            fb_note(lists, lane, begin + t, order, FB_HIT_GOAL, s, FB_GOAL + (vx < 0));
        }
    }
}

/* Lists whatever a body near an edge of the field meets there. */
CAROM_LANE void fb_try_edge(const real *world, const fb_ints *ints, fb_lists *lists, unsigned lane, int body)
{
    const int order = fb_order(body);
    if (body < FB_SNAFFLE || body >= FB_BLUDGER) {
        fb_try_wall(world, lists, lane, body, order + FB_WIZARD_WALL);
        fb_try_posts(world, lists, lane, body, order + FB_WIZARD_POST);
    } else if ((ints->free & fb_bit(body)) != 0) {
        fb_try_posts(world, lists, lane, body, order + FB_SNAFFLE_POST);
        fb_try_wall(world, lists, lane, body, order + FB_SNAFFLE_WALL);
        fb_try_goal(world, lists, lane, body, order + FB_SNAFFLE_GOAL);
    }
}

/* Keeps the events that act now, sorted by time and order, and returns their number. */
CAROM_LANE unsigned fb_sort(fb_event *events, unsigned count, real first)
{
    unsigned kept = 0;
    const real last = first + (real)FB_EPS;
    for (unsigned k = 0; k < count; k++) {
        const fb_event event = events[k];
        if (event.time <= last) {
            unsigned to = kept++;
            for (; to > 0 && (events[to - 1].time > event.time ||
                              (events[to - 1].time == event.time && events[to - 1].order > event.order));
                 to--) {
                events[to] = events[to - 1];
            }
            events[to] = event;
        }
    }
    return kept;
}

#endif
