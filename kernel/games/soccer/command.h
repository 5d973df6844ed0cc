/* SPDX-License-Identifier: MIT
 * The beginning of a tick: commands, rolling friction, kicks and dribbling, and the move to the end of the tick.
 */
#ifndef CAROM_GAMES_SOCCER_COMMAND_H
#define CAROM_GAMES_SOCCER_COMMAND_H

#include "games/soccer/run.h"

/* a within +-limit; NaN counts as 0. */
CAROM_LANE vreal soccer_clamp(vreal a, real limit)
{
    const vreal number = v_select(v_eq(a, a), a, v_set1(REAL(0.0)));
    return v_max(v_min(number, v_set1(limit)), v_set1(-limit));
}

/* (x, y), shortened where it is longer than `limit`. Returns where. */
CAROM_LANE vmask soccer_shorten(vreal *x, vreal *y, real limit)
{
    const vreal square = v_add(v_mul(*x, *x), v_mul(*y, *y)), most = v_set1(limit);
    const vmask over = v_gt(square, v_mul(most, most));
    if (m_any(over)) {
        const vreal k = v_div(most, v_sqrt(square));
        *x = v_select(over, v_mul(*x, k), *x);
        *y = v_select(over, v_mul(*y, k), *y);
    }
    return over;
}

/* own: the robot's first number of lane 0. */
CAROM_LANE void soccer_drive(const struct soccer_run *run, const soccer_tile *tile, unsigned at, size_t column, int i,
                             uint32_t kind, const float *own)
{
    const soccer_rules *r = &run->rules;
    soccer_scratch *scratch = run->scratch;
    real(*rows)[ROUNDS_ROOM] = (real(*)[ROUNDS_ROOM]) & scratch->motion.row[0][column];
    vreal tx = v_load_f32(own), ty = v_load_f32(own + CAROM_TILE), turn = v_load_f32(own + 2 * CAROM_TILE);
    vreal kick = v_load_f32(own + 3 * CAROM_TILE);
    if (kind == SOCCER_NORMALISED) {
        const vreal speed = v_set1(i < run->team ? r->max_speed : -r->max_speed);
        tx = v_mul(soccer_clamp(tx, REAL(1.0)), speed);
        ty = v_mul(soccer_clamp(ty, REAL(1.0)), speed);
        turn = v_mul(soccer_clamp(turn, REAL(1.0)), v_set1(r->max_spin));
        kick = v_mul(soccer_clamp(kick, REAL(1.0)), v_set1(r->kick_speed));
    } else {
        tx = soccer_clamp(tx, r->max_speed);
        ty = soccer_clamp(ty, r->max_speed);
        turn = soccer_clamp(turn, r->max_spin);
        kick = soccer_clamp(kick, r->kick_speed);
    }
    v_store(scratch->kick[i], kick);
    v_store(scratch->dribble[i], v_load_f32(own + 4 * CAROM_TILE));

    const vreal vx = v_load(&tile->vx[i][at]), vy = v_load(&tile->vy[i][at]);
    (void)soccer_shorten(&tx, &ty, r->max_speed);
    vreal dvx = v_sub(tx, vx), dvy = v_sub(ty, vy);
    const vmask over = soccer_shorten(&dvx, &dvy, r->most_change);
    v_storeu(rows[ROW(i, X)], v_load(&tile->x[i][at]));
    v_storeu(rows[ROW(i, Y)], v_load(&tile->y[i][at]));
    v_storeu(rows[ROW(i, VX)], v_select(over, v_add(vx, dvx), tx));
    v_storeu(rows[ROW(i, VY)], v_select(over, v_add(vy, dvy), ty));

    const vreal old = v_load(&tile->spin[i][at]), most = v_set1(r->most_spin_change);
    const vreal pi = v_set1(V_PI), circle = v_set1(V_TWO_PI);
    const vreal spin = v_min(v_max(turn, v_sub(old, most)), v_add(old, most));
    vreal angle = v_add(v_load(&tile->angle[i][at]), v_mul(spin, v_set1(r->dt)));
    angle = v_select(v_gt(angle, pi), v_sub(angle, circle), angle);
    angle = v_select(v_lt(angle, v_neg(pi)), v_add(angle, circle), angle);
    v_storeu(&scratch->spin[i][column], spin);
    v_storeu(&scratch->angle[i][column], angle);
}

/* ---- kick and dribble ---- */

/* The robot that can act on a ball, by its number: the one that dribbles it, or the nearest. *near: the
 * nearest is in reach of it. */
CAROM_LANE vreal soccer_nearest(const struct soccer_run *run, const soccer_tile *tile, unsigned at, int k, vmask *held,
                                vmask *near)
{
    const int b = run->robots + k;
    const vreal bx = v_load(&tile->x[b][at]), by = v_load(&tile->y[b][at]);
    vreal best = v_set1(REAL_MAX), robot = v_set1(REAL(0.0));
    for (int i = 0; i < run->robots; i++) {
        const vreal dx = v_sub(bx, v_load(&tile->x[i][at])), dy = v_sub(by, v_load(&tile->y[i][at]));
        const vreal square = v_add(v_mul(dx, dx), v_mul(dy, dy));
        const vmask nearer = v_lt(square, best);
        best = v_select(nearer, square, best);
        robot = v_select(nearer, v_set1((real)i), robot);
    }
    const vreal holder = v_from_int(i_load8(&tile->holder[k][at])), reach = v_set1(run->rules.reach);
    *held = v_ge(holder, v_set1(REAL(0.0)));
    *near = v_le(best, v_mul(reach, reach));
    return v_select(*held, holder, robot);
}

/* What is to be known of that robot, one in each lane. */
typedef struct soccer_robot {
    vreal number, x, y, vx, vy;
    vreal old_angle, angle; /* at the start and at the end of the tick */
    vreal kick, dribble;
} soccer_robot;

/* By selecting, for few processors are quick to gather. */
CAROM_LANE soccer_robot soccer_robot_of(const struct soccer_run *run, const soccer_tile *tile, unsigned at,
                                        size_t column, vreal number)
{
    soccer_scratch *scratch = run->scratch;
    real(*rows)[ROUNDS_ROOM] = (real(*)[ROUNDS_ROOM]) & scratch->motion.row[0][column];
    soccer_robot r;
    r.number = number;
    r.x = r.y = r.vx = r.vy = r.old_angle = r.angle = r.kick = r.dribble = v_set1(REAL(0.0));
    for (int i = 0; i < run->robots; i++) {
        const vmask m = v_eq(number, v_set1((real)i));
        r.x = v_select(m, v_loadu(rows[ROW(i, X)]), r.x);
        r.y = v_select(m, v_loadu(rows[ROW(i, Y)]), r.y);
        r.vx = v_select(m, v_loadu(rows[ROW(i, VX)]), r.vx);
        r.vy = v_select(m, v_loadu(rows[ROW(i, VY)]), r.vy);
        r.old_angle = v_select(m, v_load(&tile->angle[i][at]), r.old_angle);
        r.angle = v_select(m, v_loadu(&scratch->angle[i][column]), r.angle);
        r.kick = v_select(m, v_load(scratch->kick[i]), r.kick);
        r.dribble = v_select(m, v_load(scratch->dribble[i]), r.dribble);
    }
    return r;
}

/* Of the lanes `wish`, those whose robot has waited long enough and has not kicked another ball in this tick. */
static unsigned soccer_may_kick(const struct soccer_run *run, const soccer_tile *tile, unsigned at, size_t column,
                                int k, unsigned wish, const int32_t *robots)
{
    const soccer_scratch *scratch = run->scratch;
    unsigned may = 0;
    SOCCER_EACH_LANE(
        wish, bool ready = tile->ready[robots[l]][at + l] <= tile->tick[0][at + l];
        for (int other = 0; other < k; other++) {
            const bool kicked = (scratch->kicks[column / LANES][other] >> l & 1) != 0;
            ready = ready && !(kicked && scratch->kicker[other][column + l] == robots[l]);
        } may |= (unsigned)ready << l)
    return may;
}

/* What the robot does with ball k, whose velocity is *vx, *vy. Returns its holder, or -1. */
CAROM_LANE vreal soccer_handle(const struct soccer_run *run, const soccer_tile *tile, unsigned at, size_t column,
                               unsigned active, int k, vreal number, vmask held, vreal *vx, vreal *vy)
{
    const soccer_rules *r = &run->rules;
    soccer_scratch *scratch = run->scratch;
    const int b = run->robots + k;
    const vreal zero = v_set1(REAL(0.0)), x = v_load(&tile->x[b][at]), y = v_load(&tile->y[b][at]);
    const soccer_robot robot = soccer_robot_of(run, tile, at, column, number);
    const vreal dx = v_sub(x, robot.x), dy = v_sub(y, robot.y), reach = v_set1(r->reach);
    vreal angles[4], sines[4], cosines[4];
    angles[0] = angles[2] = robot.old_angle;
    angles[1] = angles[3] = robot.angle;
    v_sincos4(angles, sines, cosines);
    const vreal c = cosines[0], s = sines[0], square = v_add(v_mul(dx, dx), v_mul(dy, dy));
    const vreal ahead = v_add(v_mul(dx, c), v_mul(dy, s)), left = v_sub(v_mul(dy, c), v_mul(dx, s));
    const vmask in_arc = v_ge(ahead, v_mul(v_set1(r->front), v_sqrt(square)));
    const vmask touches = m_and(v_le(square, v_mul(reach, reach)), in_arc);

    const unsigned wish = active & m_bits(m_and(touches, v_gt(robot.kick, zero)));
    vmask kicked = m_from_bits(0);
    if (wish != 0) {
        alignas(64) int32_t robots[LANES];
        i_store32(robots, v_truncate(number));
        const unsigned kicks = soccer_may_kick(run, tile, at, column, k, wish, robots);
        scratch->kicks[column / LANES][k] = (uint16_t)kicks;
        SOCCER_EACH_LANE(kicks, scratch->kicker[k][column + l] = (int8_t)robots[l])
        kicked = m_from_bits(kicks);
    }

    vmask holds = m_andnot(m_and(v_gt(robot.dribble, zero), m_or(held, touches)), kicked);
    const vreal place_x = v_select(held, v_load(&tile->hold_x[k][at]), ahead);
    const vreal place_y = v_select(held, v_load(&tile->hold_y[k][at]), left);
    if (m_any(holds)) {
        const vreal dt = v_set1(r->dt), rate = v_set1(r->rate), most = v_set1(r->most_pull);
        const vreal end_x = v_add(robot.x, v_mul(robot.vx, dt)), end_y = v_add(robot.y, v_mul(robot.vy, dt));
        const vreal c2 = cosines[1], s2 = sines[1];
        const vreal to_x = v_add(end_x, v_sub(v_mul(place_x, c2), v_mul(place_y, s2)));
        const vreal to_y = v_add(end_y, v_add(v_mul(place_x, s2), v_mul(place_y, c2)));
        const vreal wx = v_mul(v_sub(to_x, x), rate), wy = v_mul(v_sub(to_y, y), rate);
        const vreal px = v_sub(wx, *vx), py = v_sub(wy, *vy);
        holds = m_and(holds, v_le(v_add(v_mul(px, px), v_mul(py, py)), v_mul(most, most)));
        *vx = v_select(holds, wx, *vx);
        *vy = v_select(holds, wy, *vy);
    }
    *vx = v_select(kicked, v_mul(robot.kick, c), *vx);
    *vy = v_select(kicked, v_mul(robot.kick, s), *vy);
    v_storeu(&scratch->hold_x[k][column], v_select(holds, place_x, zero));
    v_storeu(&scratch->hold_y[k][column], v_select(holds, place_y, zero));
    return v_select(holds, number, v_set1(REAL(-1.0)));
}

CAROM_LANE void soccer_ball(const struct soccer_run *run, const soccer_tile *tile, unsigned at, size_t column,
                            unsigned active, int k)
{
    soccer_scratch *scratch = run->scratch;
    real(*rows)[ROUNDS_ROOM] = (real(*)[ROUNDS_ROOM]) & scratch->motion.row[0][column];
    const int b = run->robots + k;
    const vreal zero = v_set1(REAL(0.0)), drop = v_set1(run->rules.drop);
    vreal vx = v_load(&tile->vx[b][at]), vy = v_load(&tile->vy[b][at]);
    const vreal speed = v_sqrt(v_add(v_mul(vx, vx), v_mul(vy, vy)));
    const vmask rolls = v_gt(speed, drop);
    const vreal keep = v_div(v_sub(speed, drop), speed);
    vx = v_select(rolls, v_mul(vx, keep), zero);
    vy = v_select(rolls, v_mul(vy, keep), zero);
    vmask held, near;
    const vreal robot = soccer_nearest(run, tile, at, k, &held, &near);
    scratch->kicks[column / LANES][k] = 0;
    vreal holder = v_set1(REAL(-1.0));
    if (m_any(m_or(near, held))) {
        holder = soccer_handle(run, tile, at, column, active, k, robot, held, &vx, &vy);
    } else {
        v_storeu(&scratch->hold_x[k][column], zero);
        v_storeu(&scratch->hold_y[k][column], zero);
    }
    v_storeu(rows[HOLDER(run, k)], holder);
    v_storeu(rows[ROW(b, X)], v_load(&tile->x[b][at]));
    v_storeu(rows[ROW(b, Y)], v_load(&tile->y[b][at]));
    v_storeu(rows[ROW(b, VX)], vx);
    v_storeu(rows[ROW(b, VY)], vy);
}

/* Everything before the motion, of the group that begins in lane `at` of a tile. */
CAROM_LANE void soccer_begin(const struct soccer_run *run, unsigned index, unsigned at, unsigned active, uint32_t kind)
{
    const soccer_tile *tile = &run->tiles[index];
    const size_t column = (size_t)index * CAROM_TILE + at, first = run->first / CAROM_TILE + index;
    real(*rows)[ROUNDS_ROOM] = (real(*)[ROUNDS_ROOM]) & run->scratch->motion.row[0][column];
    const float *numbers =
        (const float *)run->tick->actions + first * (SOCCER_ROBOTS * SOCCER_NUMBERS * CAROM_TILE) + at;
    const vreal dt = v_set1(run->rules.dt);
    for (int i = 0; i < run->robots; i++) {
        const int slot = i < run->team ? i : SOCCER_TEAM + i - run->team;
        soccer_drive(run, tile, at, column, i, kind, numbers + (size_t)(slot * SOCCER_NUMBERS) * CAROM_TILE);
    }
    for (int k = 0; k < run->balls; k++) {
        soccer_ball(run, tile, at, column, active, k);
    }
    for (int i = 0; i < run->bodies; i++) {
        v_storeu(rows[ROW(i, X)], v_add(soccer_row(rows, ROW(i, X)), v_mul(soccer_row(rows, ROW(i, VX)), dt)));
        v_storeu(rows[ROW(i, Y)], v_add(soccer_row(rows, ROW(i, Y)), v_mul(soccer_row(rows, ROW(i, VY)), dt)));
        v_storeu(rows[BEGIN(run, i)], v_neg(dt));
    }
    v_storeu(rows[COUNT(run)], v_set1(REAL(0.0)));
    v_storeu(rows[CODE(run)], v_set1(REAL(0.0)));
}

#endif
