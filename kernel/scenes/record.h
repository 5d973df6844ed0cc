/* SPDX-License-Identifier: MIT
 * The record of a body: where and when it last changed. Its position at any later time is computed from that alone.
 *
 * In scenes whose records outlive ticks (scene_frozen.goes_on: CAROM_OWN_CLOCK, no body is slow) nothing changes at the
 * end of a tick. A record then has a tick number and a time within that tick; the fields x, y, vx, vy of a world are
 * computed from it at the end of each tick. In all other scenes every tick begins with new records.
 *
 *     record_wait()   the time between two moments: (difference of ticks) dt + (difference of times). Never the
 *                     difference of two times since the start of the game: f32 lacks precision for it after 10^6 ticks
 *     scene_moved()   the only expression for a later position; also for x, y at the end of the tick: (k + 1, 0)
 *     record_event()  when in tick k an event is: time r = e - (k - l) dt, at least 0; it is played if r <= dt
 *     record_keeps()  at the start of tick k, after hook, action and speed limit: does the record still hold?
 *
 * A prediction is a function of two records alone. Both bodies are moved to the later of their moments, (l, t); the
 * root is added to t, which gives e, a time since the start of tick l. It does not depend on the tick in which it is
 * computed, so an engine may keep any predictions from tick to tick. The order within a tick is that of r, then lower
 * id, higher id. Images as in motion.h.
 *
 * A new record, (k, 0, x, y, vx, vy), begins at the start of a tick for a body whose fields do not follow from its
 * record: after a write by set, view or hook, a restart, an action, damping, a speed limit. So none of these needs
 * special code. It also begins
 *     - for all bodies of a world whose own numbers (radius, walls, what is there) are not those that it noted
 *     - if the body was not active (its record's tick is -1), or the tick has another dt than the record's
 *     - if the world's tick number is the greatest of int32, where it stays
 *     - at every tick, for a body that a sensor may notice, and for a sensor (scene_frozen.renews). A sensor notices
 *       bodies that come from outside; whether a body has left it since, and returns, is seen at the start of a tick. A
 *       parabola, or a line through a concave polygon, may enter twice without a change of record
 *     - after record_life() ticks. 2^20 ticks are exact numbers in f32. An accelerated body's record lasts for a path
 *       of SCENE_LIFE_WAY radii, at least one tick, at most SCENE_LIFE_TICKS: quartics are solved up to a fixed time,
 *       and their error grows with it; and the terms summed along a parabola are larger than its displacement
 * Velocities without acceleration are not stored twice: a changed one shows in the position. If it does not, because
 * the difference is below the rounding of x and y, the old record is as good.
 *
 * Impacts and crossings of periodic sides begin new records, at (k, r). Bodies that have settled begin them at the end
 * of the tick, at (k + 1, 0), where their velocity changes. contact_time, settling and max_events ignore earlier ticks.
 * An invalid record, such as one from a damaged file, holds no longer than to the next tick.
 *
 * So does a record after a change of the numbers that may differ by world (carom_scene_varies): otherwise something
 * that exists only since then would meet it from its beginning on. The world notes a hash of them, record_numbers.
 *
 * The rounding error of a position is in proportion to where the record began, not to where the body is: so
 * scene_fuzz() and scene_near() take the record's position into account, too.
 */
#ifndef CAROM_SCENES_RECORD_H
#define CAROM_SCENES_RECORD_H

#include "scenes/frozen.h"

#define SCENE_LIFE 1048576   /* ticks of a record, at most */
#define SCENE_LIFE_TICKS 256 /* the same in scenes with accelerations */
#define SCENE_LIFE_WAY 32    /* radii that an accelerated body may move within its record */

/* A record, with the scene's numbers for the body. */
typedef struct scene_circle {
    vreal x, y, vx, vy;
    vreal k; /* its tick minus the present one, <= 0; 0 in scenes whose records end with the tick */
    vreal t; /* its time within that tick */
    vreal r, ax, ay;
} scene_circle;

/* ---- times ---- */

/* From the time `from` of a tick to the time `to` of the one that comes `ticks` later. */
CAROM_LANE vreal record_wait(vreal ticks, vreal from, vreal to, vreal dt)
{
    return ticks * dt + (to - from);
}

/* A moment: a tick, minus the present one, and a time within it. */
typedef struct scene_moment {
    vreal k, t;
} scene_moment;

/* The later of the moments of two records. */
CAROM_LANE scene_moment record_later(const scene_frozen *s, scene_circle i, scene_circle j)
{
    scene_moment m;
    if (!s->goes_on) {
        m.k = v_set1(0);
        m.t = v_max(i.t, j.t);
        return m;
    }
    const vmask first = m_or(v_gt(i.k, j.k), m_and(v_eq(i.k, j.k), v_gt(i.t, j.t)));
    m.k = v_max(i.k, j.k);
    m.t = v_select(first, i.t, j.t);
    return m;
}

/* The time in the present tick of an event at `time` since the start of tick k: infinity if it is not within the tick.
 * NaN, which some solvers give for no event, becomes infinity, too. */
CAROM_LANE vreal record_event(const scene_frozen *s, vreal time, vreal k, vreal dt)
{
    vreal r = time;
    if (s->goes_on) {
        r = time + k * dt;
        r = v_select(v_lt(r, v_set1(0)), v_set1(0), r);
    }
    return v_select(v_le(r, dt), r, v_set1(SCENE_NEVER));
}

/* ---- motion ---- */

CAROM_LANE scene_circle scene_moved_by(const scene_frozen *s, scene_circle c, vreal wait)
{
    if (s->accelerates) {
        vreal half = wait * v_set1(REAL(0.5));
        c.x = c.x + (c.vx + c.ax * half) * wait;
        c.y = c.y + (c.vy + c.ay * half) * wait;
        c.vx = c.vx + c.ax * wait;
        c.vy = c.vy + c.ay * wait;
    } else {
        c.x = c.x + c.vx * wait;
        c.y = c.y + c.vy * wait;
    }
    return c;
}

/* The record c, moved to the time `to` of the present tick. */
CAROM_LANE scene_circle scene_moved(const scene_frozen *s, scene_circle c, vreal to, vreal dt)
{
    const vreal wait = s->goes_on ? record_wait(-c.k, c.t, to, dt) : to - c.t;
    c = scene_moved_by(s, c, wait);
    c.k = v_set1(0);
    c.t = to;
    return c;
}

/* The record c, moved to another moment. */
CAROM_LANE scene_circle record_moved(const scene_frozen *s, scene_circle c, scene_moment to, vreal dt)
{
    const vreal wait = s->goes_on ? record_wait(to.k - c.k, c.t, to.t, dt) : to.t - c.t;
    c = scene_moved_by(s, c, wait);
    c.k = to.k;
    c.t = to.t;
    return c;
}

/* The record c, moved to the end of the present tick. It remains a record of that tick: k = 0, t = dt. */
CAROM_LANE scene_circle record_end(const scene_frozen *s, scene_circle c, vreal dt)
{
    const vreal wait = s->goes_on ? record_wait(v_set1(1) - c.k, c.t, v_set1(0), dt) : dt - c.t;
    c = scene_moved_by(s, c, wait);
    c.k = v_set1(0);
    c.t = dt;
    return c;
}

/* ---- how long a record holds ---- */

/* An upper bound on the ticks of a record, to keep their length a finite number. */
CAROM_LANE vreal record_most(const scene_frozen *s, vreal dt)
{
    const vreal most = v_set1(s->accelerates ? SCENE_LIFE_TICKS : SCENE_LIFE), finite = v_set1(REAL_MAX / 4) / dt;
    return v_select(v_lt(finite, most), v_max(v_trunc(finite), v_set1(1)), most);
}

/* The number of ticks for which a record holds, an integer: at the start of the tick that many later the body begins a
 * new one. c is as its record began. */
CAROM_LANE vreal record_life(const scene_frozen *s, scene_circle c, vreal dt)
{
    const vreal most = record_most(s, dt);
    if (!s->accelerates) {
        return most;
    }

    /* The time T in which (speed + a T) T reaches the limit. */
    const vreal way = c.r * v_set1(SCENE_LIFE_WAY) + v_set1(REAL(0x1p-60));
    const vreal speed = v_abs(c.vx) + v_abs(c.vy), a = v_abs(c.ax) + v_abs(c.ay);
    const vreal time = (way + way) / (speed + v_sqrt(speed * speed + a * way * v_set1(4)));
    const vreal ticks = time / dt;
    return v_select(v_lt(ticks, most), v_max(v_trunc(ticks), v_set1(1)), most);
}

/* A time after the record within which all events with it are predicted: longer than it holds. */
CAROM_LANE vreal record_horizon(const scene_frozen *s, scene_circle c, vreal dt)
{
    return s->goes_on ? (record_life(s, c, dt) + v_set1(1)) * dt : dt;
}

/* ---- the start of a tick ---- */

/* The lanes in which the record c, of tick `tick`, holds in tick `now` for a body whose fields are as in `seen`. c.k
 * and c.t need not be valid; most: record_most(). The caller has compared dt, excluded bodies that renew their records
 * (scene_frozen.renews), and ensured that `now` is not the greatest number. */
CAROM_LANE vmask record_keeps(const scene_frozen *s, scene_circle c, vint tick, scene_circle seen, vint now, vreal most,
                              vreal dt)
{
    const vreal count = v_from_int(i_sub(now, tick)), age = record_wait(count, c.t, v_set1(0), dt);

    /* Is it of an earlier moment, in a tick that was counted? */
    vmask keeps = m_and(i_gt(tick, i_set1(-1)), v_ge(age, v_set1(0)));
    keeps = m_and(keeps, v_lt(count, s->accelerates ? record_life(s, c, dt) : most));

    /* Does it lead here? */
    c = scene_moved_by(s, c, age);
    if (s->horizontal == CAROM_SIDES_PERIODIC) {
        c.x = scene_clamped(c.x, s->x0, s->x1);
    }
    if (s->vertical == CAROM_SIDES_PERIODIC) {
        c.y = scene_clamped(c.y, s->y0, s->y1);
    }
    keeps = m_and(keeps, m_and(v_eq(c.x, seen.x), v_eq(c.y, seen.y)));
    if (s->accelerates) {
        keeps = m_and(keeps, m_and(v_eq(c.vx, seen.vx), v_eq(c.vy, seen.vy)));
    }
    return keeps;
}

#endif
