/* SPDX-License-Identifier: MIT
 * What an event does (RULES.md, section 4): impacts, walls, grabs and goals of single worlds, and one round of a group.
 */
#ifndef CAROM_GAMES_FANTASTIC_BITS_RESPOND_H
#define CAROM_GAMES_FANTASTIC_BITS_RESPOND_H

#include "games/fantastic_bits/filter.h"

/* How far to move each of two bodies that overlap by -gap: half of that, and a little more. In f32 the little is at
 * least 4 units in the last place of the greatest coordinate, or it would be lost. */
CAROM_LANE real fb_apart(real gap, real greatest)
{
    real push = (real)FB_EPS;
#if CAROM_REAL_BITS == 32
    const real least = 4 * FLT_EPSILON * greatest;
    push = least > push ? least : push;
#else
    (void)greatest;
#endif
    return (-gap) / 2 + push;
}

CAROM_LANE real fb_greater(real a, real b)
{
    return a > b ? a : b;
}

/* The impact of body a against b, a body or a post, which has infinite mass: an impulse, and moving apart if they
 * overlap. */
CAROM_LANE void fb_bounce(real *world, fb_ints *ints, int a, int b)
{
    const bool post = b >= FB_POST;
    const int body = post ? 0 : b;

    /* The normal, from a to b; (1, 0) if the centres coincide. */
    const real xa = AT(X + a), ya = AT(Y + a);
    const real xb = post ? (real)fb_post_x[b - FB_POST] : AT(X + b);
    const real yb = post ? (real)fb_post_y[b - FB_POST] : AT(Y + b);
    real nx = xb - xa, ny = yb - ya;
    const real distance = fb_root(nx * nx + ny * ny);
    nx = distance == 0 ? 1 : nx / distance;
    ny = distance == 0 ? 0 : ny / distance;

    /* The impulse: once what stops the approach, and once more the same, or the least. */
    real f;
    if (post) {
        f = (nx * AT(VX + a) + ny * AT(VY + a)) * fb_mass(a);
    } else {
        f = (nx * (AT(VX + a) - AT(VX + b)) + ny * (AT(VY + a) - AT(VY + b))) / (fb_inverse(a) + fb_inverse(b));
    }
    f += f > (real)FB_LEAST_IMPULSE ? f : (real)FB_LEAST_IMPULSE;
    const real jx = nx * -f, jy = ny * -f;
    AT(VX + a) += jx * fb_inverse(a);
    AT(VY + a) += jy * fb_inverse(a);
    if (!post) {
        AT(VX + body) += -jx * fb_inverse(body);
        AT(VY + body) += -jy * fb_inverse(body);
    }

    /* Move overlapping bodies apart; a post stays. */
    const real gap = distance - (real)fb_radius(a) - (real)(post ? FB_POST_RADIUS : fb_radius(body));
    if (gap <= 0) {
        const real apart = fb_apart(gap, fb_greater(fb_greater(fb_magnitude(xa), fb_magnitude(ya)),
                                                    fb_greater(fb_magnitude(xb), fb_magnitude(yb))));
        AT(X + a) += nx * -apart;
        AT(Y + a) += ny * -apart;
        if (!post) {
            AT(X + body) += nx * apart;
            AT(Y + body) += ny * apart;
        }
    }

    /* A bludger remembers its victim, and held snaffles follow their wizards. */
    if (a >= FB_BLUDGER && b < FB_SNAFFLE) {
        ints->last[a - FB_BLUDGER] = (int8_t)b;
    }
    if (a < FB_SNAFFLE) {
        fb_carry(ints, world, a);
    }
    if (b < FB_SNAFFLE) {
        fb_carry(ints, world, b);
    }
}

/* Mirrors a coordinate that is out of [low, high] at the bound that it has crossed. */
CAROM_LANE void fb_mirror(real *at, real low, real high)
{
    if (*at > high) {
        *at -= 2 * (*at - high);
    }
    if (*at < low) {
        *at += 2 * (low - *at);
    }
}

/* The impact of body a with a wall. A snaffle that is in a goal's mouth by now is let through. */
CAROM_LANE void fb_reflect(real *world, const fb_ints *ints, int a, int wall)
{
    const real r = (real)fb_radius(a);
    if (a >= FB_SNAFFLE && a < FB_BLUDGER && fb_in_goal(world, a)) {
        return;
    }

    /* The walls on the right and left come first. The referee has v + (-(2 v m)) (1 / m), which is this exactly,
     * because the mass m is a power of two. */
    real *speed = &AT((wall < FB_WALL + 2 ? VX : VY) + a);
    *speed = 0 - *speed;
    fb_mirror(&AT(X + a), r, FB_WIDTH - r);
    fb_mirror(&AT(Y + a), r, FB_HEIGHT - r);
    if (a < FB_SNAFFLE) {
        fb_carry(ints, world, a);
    }
}

/* Grabs a snaffle. False, without effect, if the hand is full by now or another empty hand is as near. */
CAROM_LANE bool fb_grab(real *world, fb_ints *ints, int wizard, int s)
{
    const bool may = ints->hold[wizard] < 0 && !fb_is_barred(world, ints, wizard, s);
    if (may) {
        ints->hold[wizard] = (int8_t)s;
        ints->handy = true;
        fb_carry(ints, world, wizard);
        fb_hands(ints);
    }
    return may;
}

/* A goal of `player`: the snaffle is dead. A player who has lost by a bad command keeps the score of -1. */
CAROM_LANE void fb_score(fb_ints *ints, int s, int player)
{
    ints->alive = (fb_set)(ints->alive & ~fb_bit(s));
    ints->free = (fb_set)(ints->free & ~fb_bit(s));
    ints->scored = true;
    if (ints->score[player] >= 0) {
        ints->score[player]++;
        ints->goals[player]++;
    }
}

/* Appends an event to the recording of its world, if that has room. Recordings give the part of the tick that is
 * left. */
static void fb_record(const tick_run *run, int32_t home, const fb_event *event)
{
    carom_event *to = run_record(run, (unsigned)home);
    if (to != NULL) {
        to->left = (double)(1 - event->time);
        to->first = event->first;
        to->second = event->second;
        to->part = 0;
        to->x = to->y = 0;
    }
}

/* Lets the events of one world act that fall together, in their order. False if the tick has had too many. */
CAROM_LANE bool fb_act(tick_run *run, real *world, int32_t home, const fb_event *events, unsigned count)
{
    fb_ints *ints = &run->own->all_ints[home];
    for (unsigned k = 0; k < count; k++) {
        const fb_event *event = &events[k];
        bool acts = true;
        if (++ints->events > FB_EVENTS) {
            run_overrun(run, (unsigned)home);
            return false;
        }

        switch (event->kind) {
        case FB_HIT_ROUND:
            fb_bounce(world, ints, event->first, event->second);
            break;
        case FB_HIT_WALL:
            fb_reflect(world, ints, event->first, event->second);
            break;
        case FB_HIT_GRAB:
            acts = fb_grab(world, ints, event->first, event->second);
            break;
        default:
            fb_score(ints, event->first, event->second - FB_GOAL);
            run_count_goals(run, 1);
        }

        /* A grab that fails is no event. */
        if (acts) {
            run_count_impacts(run, 1);
            if (run_records(run)) {
                fb_record(run, home, event);
            }
        }
    }
    return true;
}

/* Third part of a round, see tick/rounds.h: list the events of a group's worlds, move all bodies to the earliest, and
 * let those at that time act. */
CAROM_LANE unsigned rounds_step(tick_run *run, unsigned nth, rounds_row *rows, unsigned there, const int32_t *home,
                                bool last)
{
    fb_ints *all_ints = run->own->all_ints;
    fb_lists *lists = &run->own->lists;
    const vreal late = v_set1(REAL(2.0)), one = v_set1(REAL(1.0)), begin = v_loadu(rows[BEGIN]);

    /* List what may happen. Grabs of snaffles within reach come last, because only the nearest counts. */
    v_store(lists->first, late);
    for (unsigned l = 0; l < LANES; l++) {
        lists->count[l] = lists->reaching[l] = 0;
    }
    fb_note_all(&run->own->sight, nth, rows, all_ints, home, lists);
    for (unsigned l = 0; l < LANES; l++) {
        if (lists->reaching[l] != 0) {
            fb_note_nearest(&rows[0][l], &all_ints[home[l]], lists, l);
        }
    }

    /* Move to the earliest event, or to the end of the tick where there is none. */
    const vreal first = v_load(lists->first);
    const vmask busy = v_lt(first, late);
    const vreal s = v_select(busy, first, one) - begin, time = begin + s;
    for (int i = 0; i < FB_BODIES; i++) {
        v_storeu(rows[X + i], v_loadu(rows[X + i]) + v_loadu(rows[VX + i]) * s);
        v_storeu(rows[Y + i], v_loadu(rows[Y + i]) + v_loadu(rows[VY + i]) * s);
    }
    v_storeu(rows[BEGIN], time);

    /* Act. Worlds with time left go on. */
    const unsigned acting = there & m_bits(busy);
    unsigned more = acting & m_bits(v_lt(time, one));
    EACH_LANE (l, acting) {
        fb_event *events = lists->events[l];
        unsigned count = lists->count[l];
        if (count > 1) {
            count = fb_sort(events, count, lists->first[l]);
        }
        if (!fb_act(run, &rows[0][l], home[l], events, count)) {
            more &= ~(1u << l);
        }
    }

    EACH_LANE (l, last ? more : 0) {
        run_overrun(run, (unsigned)home[l]);
    }
    return more;
}

#endif
