/* SPDX-License-Identifier: MIT
 * The start of a tick (RULES.md, sections 1 and 2): engines, rolling friction, kicks and dribbling; then everything
 * moves to the end of the tick as if nothing were in the way.
 */
#ifndef CAROM_GAMES_SOCCER_COMMAND_H
#define CAROM_GAMES_SOCCER_COMMAND_H

#include "games/soccer/turn.h"
#include "simd/elementary.h"

/* a, limited to [-limit, limit]; NaN becomes 0. */
CAROM_LANE vreal soccer_clamp(vreal a, real limit)
{
    const vreal number = v_select(v_eq(a, a), a, v_set1(REAL(0.0)));
    return v_max(v_min(number, v_set1(limit)), v_set1(-limit));
}

/* Shortens the vector (x, y) to `limit` in the lanes where it is longer, and returns those lanes. */
CAROM_LANE vmask soccer_shorten(vreal *x, vreal *y, real limit)
{
    const vreal square = *x * *x + *y * *y, most = v_set1(limit);
    const vmask over = v_gt(square, most * most);
    if (m_any(over)) {
        const vreal k = most / v_sqrt(square);
        *x = v_select(over, *x * k, *x);
        *y = v_select(over, *y * k, *y);
    }
    return over;
}

/* Drives robot i by its five numbers, which begin at number `own`: its new velocity goes to the rows, its new spin and
 * angle to the turn. */
CAROM_LANE void soccer_drive(const tick_run *run, unsigned home, tick_world w, rounds_row *rows, int i, uint32_t kind,
                             tick_numbers numbers, unsigned own)
{
    const soccer_rules *r = soccer_rules_of(run->context);
    soccer_turn *t = soccer_turn_of(run, home);
    vreal tx = number_f32(numbers, own), ty = number_f32(numbers, own + 1), turn = number_f32(numbers, own + 2);
    vreal kick = number_f32(numbers, own + 3);

    /* Both kinds become m/s in the field's axes and rad/s. Normalised numbers of player 1 are in axes turned by 180
     * degrees. */
    if (kind == SOCCER_NORMALISED) {
        const vreal speed = v_set1(i < run->context->team ? r->max_speed : -r->max_speed);
        tx = soccer_clamp(tx, REAL(1.0)) * speed;
        ty = soccer_clamp(ty, REAL(1.0)) * speed;
        turn = soccer_clamp(turn, REAL(1.0)) * v_set1(r->max_spin);
        kick = soccer_clamp(kick, REAL(1.0)) * v_set1(r->kick_speed);
    } else {
        tx = soccer_clamp(tx, r->max_speed);
        ty = soccer_clamp(ty, r->max_speed);
        turn = soccer_clamp(turn, r->max_spin);
        kick = soccer_clamp(kick, r->kick_speed);
    }
    run->own->kick[i] = kick;
    run->own->dribble[i] = number_f32(numbers, own + 4);

    /* Accelerate towards the target velocity. Where it is within reach take it as it is: v + (target - v) would
     * round. */
    const vreal vx = get_vx(w, i), vy = get_vy(w, i);
    (void)soccer_shorten(&tx, &ty, r->max_speed);
    vreal dvx = tx - vx, dvy = ty - vy;
    const vmask over = soccer_shorten(&dvx, &dvy, r->most_change);
    v_storeu(rows[ROW(i, X)], get_x(w, i));
    v_storeu(rows[ROW(i, Y)], get_y(w, i));
    v_storeu(rows[ROW(i, VX)], v_select(over, vx + dvx, tx));
    v_storeu(rows[ROW(i, VY)], v_select(over, vy + dvy, ty));

    /* Turn towards the target spin. The new spin acts for the whole tick; the angle wraps at most once, as spin is at
     * most three times the rate. */
    const vreal old = get_spin(w, i), most = v_set1(r->most_spin_change);
    const vreal pi = v_set1(V_PI), circle = v_set1(V_TWO_PI);
    const vreal spin = v_min(v_max(turn, old - most), old + most);
    vreal angle = get_angle(w, i) + spin * v_set1(r->dt);
    angle = v_select(v_gt(angle, pi), angle - circle, angle);
    angle = v_select(v_lt(angle, -pi), angle + circle, angle);
    t->spin[i] = spin;
    t->angle[i] = angle;
}

/* ---- kick and dribble ---- */

/* The robot that may act on ball k: its holder, else the nearest, of equals the lowest. *held: lanes with a holder;
 * *near: lanes in which the nearest robot is within reach, whatever its arc. */
CAROM_LANE vreal soccer_nearest(const soccer_context *context, tick_world w, int k, vmask *held, vmask *near)
{
    const int b = context->robots + k;
    const vreal bx = get_x(w, b), by = get_y(w, b);
    vreal best = v_set1(REAL_MAX), robot = v_set1(REAL(0.0));
    for (int i = 0; i < context->robots; i++) {
        const vreal dx = bx - get_x(w, i), dy = by - get_y(w, i);
        const vreal square = dx * dx + dy * dy;
        const vmask nearer = v_lt(square, best);
        best = v_select(nearer, square, best);
        robot = v_select(nearer, v_set1((real)i), robot);
    }

    const vreal holder = v_from_int(get_holder(w, k)), reach = v_set1(soccer_rules_of(context)->reach);
    *held = v_ge(holder, v_set1(REAL(0.0)));
    *near = v_le(best, reach * reach);
    return v_select(*held, holder, robot);
}

/* The robot that acts on a ball: another one in every lane. Units as in carom/soccer.h. */
typedef struct soccer_robot {
    vreal x, y, vx, vy;
    vreal old_angle, angle; /* at the start and at the end of the tick */
    vreal kick, dribble;
} soccer_robot;

/* Collects robot which[lane] by selection over all robots: few processors gather quickly. */
CAROM_LANE soccer_robot soccer_robot_of(const tick_run *run, unsigned home, tick_world w, rounds_row *rows, vreal which)
{
    const soccer_turn *t = soccer_turn_of(run, home);
    soccer_robot r;
    r.x = r.y = r.vx = r.vy = r.old_angle = r.angle = r.kick = r.dribble = v_set1(REAL(0.0));
    for (int i = 0; i < run->context->robots; i++) {
        const vmask m = v_eq(which, v_set1((real)i));
        r.x = v_select(m, soccer_row(rows, ROW(i, X)), r.x);
        r.y = v_select(m, soccer_row(rows, ROW(i, Y)), r.y);
        r.vx = v_select(m, soccer_row(rows, ROW(i, VX)), r.vx);
        r.vy = v_select(m, soccer_row(rows, ROW(i, VY)), r.vy);
        r.old_angle = v_select(m, get_angle(w, i), r.old_angle);
        r.angle = v_select(m, t->angle[i], r.angle);
        r.kick = v_select(m, run->own->kick[i], r.kick);
        r.dribble = v_select(m, run->own->dribble[i], r.dribble);
    }
    return r;
}

/* The lanes of `wish` whose robot has waited long enough since its last kick and has not kicked a lower ball in this
 * tick. */
static unsigned soccer_may_kick(const soccer_turn *t, tick_world w, int k, unsigned wish, const int32_t *robots)
{
    unsigned may = 0;
    EACH_LANE (l, wish) {
        const tick_world one = world_of(w, l);
        bool ready = *at_ready(one, robots[l]) <= world_tick(one);
        for (int other = 0; other < k; other++) {
            ready = ready && !((t->kicks[other] >> l & 1) != 0 && t->kicker[other][l] == robots[l]);
        }
        may |= (unsigned)ready << l;
    }
    return may;
}

/* Lets robot which[lane] kick or dribble ball k, whose velocity *vx, *vy is replaced. Returns the ball's holder, or
 * -1. */
CAROM_LANE vreal soccer_handle(const tick_run *run, unsigned home, tick_world w, unsigned active, rounds_row *rows,
                               int k, vreal which, vmask held, vreal *vx, vreal *vy)
{
    const soccer_rules *r = soccer_rules_of(run->context);
    soccer_turn *t = soccer_turn_of(run, home);
    const int b = run->context->robots + k;
    const vreal zero = v_set1(REAL(0.0)), x = get_x(w, b), y = get_y(w, b);
    const soccer_robot robot = soccer_robot_of(run, home, w, rows, which);
    const vreal dx = x - robot.x, dy = y - robot.y, reach = v_set1(r->reach);

    /* The robot faces where it did at the start of the tick for reach and kick, and where it will at the end for
     * dribbling. One call of v_sincos4() computes both. */
    vreal angles[4], sines[4], cosines[4];
    angles[0] = angles[2] = robot.old_angle;
    angles[1] = angles[3] = robot.angle;
    v_sincos4(angles, sines, cosines);

    /* The ball in the robot's frame, and whether the robot touches it: near enough, and within its arc. */
    const vreal c = cosines[0], s = sines[0], square = dx * dx + dy * dy;
    const vreal ahead = dx * c + dy * s, left = dy * c - dx * s;
    const vmask in_arc = v_ge(ahead, v_set1(r->front) * v_sqrt(square));
    const vmask touches = m_and(v_le(square, reach * reach), in_arc);

    /* Kick. Counters and earlier kicks are looked up lane by lane, and only where a robot wants to. */
    const unsigned wish = active & m_bits(m_and(touches, v_gt(robot.kick, zero)));
    vmask kicked = m_from_bits(0);
    if (wish != 0) {
        alignas(64) int32_t robots[LANES];
        i_store32(robots, v_truncate(which));
        const unsigned kicks = soccer_may_kick(t, w, k, wish, robots);
        t->kicks[k] = (uint16_t)kicks;
        EACH_LANE (l, kicks) {
            t->kicker[k][l] = (int8_t)robots[l];
        }
        kicked = m_from_bits(kicks);
    }

    /* Dribble otherwise. A ball that was held keeps its place in the robot's frame; another takes the place it has. */
    vmask holds = m_andnot(m_and(v_gt(robot.dribble, zero), m_or(held, touches)), kicked);
    const vreal place_x = v_select(held, get_hold_x(w, k), ahead);
    const vreal place_y = v_select(held, get_hold_y(w, k), left);
    if (m_any(holds)) {
        /* The velocity that takes the ball to this place at the end of the tick, after the robot has moved and turned.
         * The robot loses the ball where that needs more force than the dribbler has. */
        const vreal dt = v_set1(r->dt), rate = v_set1(r->rate), most = v_set1(r->most_pull);
        const vreal end_x = robot.x + robot.vx * dt, end_y = robot.y + robot.vy * dt;
        const vreal c2 = cosines[1], s2 = sines[1];
        const vreal to_x = end_x + (place_x * c2 - place_y * s2);
        const vreal to_y = end_y + (place_x * s2 + place_y * c2);
        const vreal wx = (to_x - x) * rate, wy = (to_y - y) * rate;
        const vreal px = wx - *vx, py = wy - *vy;
        holds = m_and(holds, v_le(px * px + py * py, most * most));
        *vx = v_select(holds, wx, *vx);
        *vy = v_select(holds, wy, *vy);
    }

    /* A kick goes where the robot faced; a ball that is not held has no place to keep. */
    *vx = v_select(kicked, robot.kick * c, *vx);
    *vy = v_select(kicked, robot.kick * s, *vy);
    t->hold_x[k] = v_select(holds, place_x, zero);
    t->hold_y[k] = v_select(holds, place_y, zero);
    return v_select(holds, which, v_set1(REAL(-1.0)));
}

/* Ball k up to the motion: friction, then the robot that may act on it. Writes the ball's rows. */
CAROM_LANE void soccer_ball(const tick_run *run, unsigned home, tick_world w, unsigned active, rounds_row *rows, int k)
{
    const soccer_context *context = run->context;
    soccer_turn *t = soccer_turn_of(run, home);
    const int b = context->robots + k;
    const vreal zero = v_set1(REAL(0.0)), drop = v_set1(soccer_rules_of(context)->drop);
    vreal vx = get_vx(w, b), vy = get_vy(w, b);

    /* Rolling friction takes a fixed speed per tick, at most to rest. */
    const vreal speed = v_sqrt(vx * vx + vy * vy);
    const vmask rolls = v_gt(speed, drop);
    const vreal keep = (speed - drop) / speed;
    vx = v_select(rolls, vx * keep, zero);
    vy = v_select(rolls, vy * keep, zero);

    /* Most balls are out of everyone's reach: skip the sines and the selection over robots then. */
    vmask held, near;
    const vreal robot = soccer_nearest(context, w, k, &held, &near);
    t->kicks[k] = 0;
    vreal holder = v_set1(REAL(-1.0));
    if (m_any(m_or(near, held))) {
        holder = soccer_handle(run, home, w, active, rows, k, robot, held, &vx, &vy);
    } else {
        t->hold_x[k] = t->hold_y[k] = zero;
    }

    v_storeu(rows[HOLDER(context, k)], holder);
    v_storeu(rows[ROW(b, X)], get_x(w, b));
    v_storeu(rows[ROW(b, Y)], get_y(w, b));
    v_storeu(rows[ROW(b, VX)], vx);
    v_storeu(rows[ROW(b, VY)], vy);
}

/* Everything before the first impact. Balls come after robots because they need the robots' new velocities and
 * angles. */
CAROM_LANE void rules_command(tick_run *run, unsigned home, tick_world w, unsigned active, tick_numbers numbers,
                              uint32_t kind)
{
    const soccer_context *context = run->context;
    rounds_row *rows = rounds_from(run->own->motion.row, home);
    const vreal dt = v_set1(soccer_rules_of(context)->dt);

    /* Actions have room for 11 robots per player, whatever the size of the teams. */
    for (int i = 0; i < context->robots; i++) {
        const int slot = i < context->team ? i : SOCCER_TEAM + i - context->team;
        const unsigned player = i >= context->team;
        soccer_drive(run, home, w, rows, i, run_kind_of(run, kind, player), run_numbers_of(run, numbers, kind, player),
                     (unsigned)slot * SOCCER_NUMBERS);
    }
    for (int k = 0; k < context->balls; k++) {
        soccer_ball(run, home, w, active, rows, k);
    }

    /* Move everything to the end of the tick. No body has had an impact yet, so each starts at -dt. */
    for (int i = 0; i < context->bodies; i++) {
        v_storeu(rows[ROW(i, X)], soccer_row(rows, ROW(i, X)) + soccer_row(rows, ROW(i, VX)) * dt);
        v_storeu(rows[ROW(i, Y)], soccer_row(rows, ROW(i, Y)) + soccer_row(rows, ROW(i, VY)) * dt);
        v_storeu(rows[BEGIN(context, i)], -dt);
    }
    v_storeu(rows[COUNT(context)], v_set1(REAL(0.0)));
    v_storeu(rows[CODE(context)], v_set1(REAL(0.0)));
}

#endif
