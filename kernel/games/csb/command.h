/* SPDX-License-Identifier: MIT
 * The pass `command` of a tick: actions of all kinds, shield and boost, rotation and engines; then which pods come near
 * each other or a checkpoint.
 */
#ifndef CAROM_GAMES_CSB_COMMAND_H
#define CAROM_GAMES_CSB_COMMAND_H

#include "games/csb/motion.h"
#include "games/csb/turn.h"

typedef struct csb_command {
    vreal turn_to; /* the new angle */
    vreal thrust;
    vmask shield, boost; /* told so */
    vmask idle;          /* the target is the pod's own position: neither rotation nor thrust */
} csb_command;

CAROM_LANE vreal csb_number(vreal a)
{
    return v_select(v_eq(a, a), a, v_set1(REAL(0.0)));
}

CAROM_LANE vreal csb_clamp(vreal a, vreal low, vreal high)
{
    return v_max(v_min(a, high), low);
}

/* turn and thrust, section "relative" of csb.h. */
CAROM_LANE void csb_read_relative(csb_command *command, tick_numbers numbers, int i, vreal angle, vmask first_tick)
{
    vreal limit = v_set1((real)CSB_MAX_TURN), zero = v_set1(REAL(0.0)), most = v_set1((real)CSB_MAX_THRUST);
    vreal turn = csb_number(number_f32(numbers, 2 * (unsigned)i)), clamped = csb_clamp(turn, -limit, limit);
    command->turn_to = angle + v_select(first_tick, turn, clamped);
    command->idle = command->shield = command->boost = m_from_bits(0);
    vreal thrust = number_f32(numbers, 2 * (unsigned)i + 1);
    vmask usual = v_le(thrust, most);
    if (!m_all(usual)) { /* a mark, too much or NaN */
        command->shield = v_eq(thrust, v_set1(CAROM_CSB_SHIELD));
        command->boost = v_eq(thrust, v_set1(CAROM_CSB_BOOST));
        thrust = v_min(csb_number(thrust), most);
    }
    command->thrust = v_max(thrust, zero);
}

CAROM_LANE void csb_read_normalised(csb_command *command, tick_numbers numbers, int i, vreal angle, vint boosted)
{
    vreal one = v_set1(REAL(1.0));
    vreal turn = csb_clamp(csb_number(number_f32(numbers, 2 * (unsigned)i)), -one, one);
    vreal thrust = csb_clamp(csb_number(number_f32(numbers, 2 * (unsigned)i + 1)), -one, one);
    command->turn_to = angle + turn * v_set1((real)CSB_MAX_TURN);
    command->idle = m_from_bits(0);
    command->shield = v_le(thrust, v_set1((real)-0.95));
    command->boost = m_and(v_ge(thrust, v_set1((real)0.95)), i_eq(boosted, i_set1(0)));
    command->thrust = csb_clamp(v_set1(REAL(100.0)) * (thrust + one), v_set1(REAL(0.0)), v_set1((real)CSB_MAX_THRUST));
}

CAROM_LANE void csb_read_full(csb_command *command, tick_numbers numbers, int i, vreal angle, vint boosted,
                              vmask first_tick)
{
    const vreal one = v_set1(REAL(1.0)), half = v_set1(REAL(0.5));
    const unsigned own = 3 * (unsigned)i;
    const vreal turn = csb_clamp(csb_number(number_f32(numbers, own)), -one, one);
    const vreal thrust = csb_clamp(csb_number(number_f32(numbers, own + 1)), -one, one);
    const vreal told = csb_number(number_f32(numbers, own + 2));
    const vreal most = v_select(first_tick, v_set1((real)V_PI), v_set1((real)CSB_MAX_TURN));
    command->turn_to = angle + turn * most;
    command->idle = m_from_bits(0);
    command->shield = v_le(told, -half);
    command->boost = m_and(v_ge(told, half), i_eq(boosted, i_set1(0)));
    command->thrust = v_set1(REAL(100.0)) * (thrust + one);
}

/* A pod that takes no part. */
CAROM_LANE void csb_read_nothing(csb_command *command, vreal angle)
{
    command->turn_to = angle;
    command->thrust = v_set1(REAL(0.0));
    command->shield = command->boost = m_from_bits(0);
    command->idle = m_from_bits((1u << (LANES - 1) << 1) - 1);
}

CAROM_LANE vreal csb_difference(vreal a, vreal angle)
{
    vreal da = v_remainder_two_pi(a - angle);
    return v_remainder_two_pi_once(da + da) - da;
}

/* A bot's target and thrust. Bits of illegal: lanes that lose by their thrust. */
CAROM_LANE void csb_read_referee(csb_command *command, tick_numbers numbers, int i, vreal x, vreal y, vreal angle,
                                 vmask first_tick, carom_csb_rules rules, unsigned *illegal)
{
    vreal zero = v_set1(REAL(0.0)), limit = v_set1((real)CSB_MAX_TURN), turn = v_set1(V_TWO_PI);
    const unsigned own = 3 * (unsigned)i;
    vreal target_x = number_f64(numbers, own), target_y = number_f64(numbers, own + 1);
    vreal thrust = number_f64(numbers, own + 2);
    vmask finite = m_and(v_le(v_abs(target_x), v_set1(REAL_MAX)), v_le(v_abs(target_y), v_set1(REAL_MAX)));
    vreal dx = target_x - x, dy = target_y - y;
    command->idle = m_or(m_not(finite), m_and(v_eq(target_x, x), v_eq(target_y, y)));
    vreal to = v_atan2(dy, dx);
    vreal rotation = csb_difference(to, angle);
    vreal next = v_select(v_gt(rotation, limit), angle + limit, to);
    next = v_select(v_lt(rotation, -limit), angle - limit, next);
    if (m_any(first_tick)) {
        vreal at_once = csb_difference(to, zero);
        if (rules == CAROM_CSB_TEST) {
            at_once = v_select(v_lt(at_once, zero), at_once + turn, at_once);
            at_once = v_select(v_gt(at_once, turn), at_once - turn, at_once);
        }
        next = v_select(first_tick, at_once, next);
    }
    command->turn_to = v_select(command->idle, angle, next);
    command->shield = v_eq(thrust, v_set1(CAROM_CSB_SHIELD));
    command->boost = v_eq(thrust, v_set1(CAROM_CSB_BOOST));
    vmask plain = m_andnot(m_andnot(v_eq(thrust, thrust), command->shield), command->boost);
    if (rules == CAROM_CSB_FULL) {
        vmask allowed = v_le(thrust, v_set1((real)CSB_MAX_THRUST));
        *illegal |= m_bits(m_andnot(m_not(m_or(command->shield, command->boost)), m_and(plain, allowed)));
        plain = m_and(plain, allowed);
    }
    command->thrust = v_select(plain, thrust, zero);
}

/* What pod i is told. */
CAROM_LANE void csb_read(const tick_run *run, tick_world w, int i, vreal angle, vmask first_tick, tick_numbers numbers,
                         uint32_t kind, csb_command *command, unsigned *illegal)
{
    const unsigned player = (unsigned)i / 2;
    const uint32_t own = run_kind_of(run, kind, player);
    numbers = run_numbers_of(run, numbers, kind, player);
    if (own == CSB_REFEREE) {
        csb_read_referee(command, numbers, i, get_x(w, i), get_y(w, i), angle, first_tick, run->context->rules,
                         illegal);
    } else if (own == CSB_RELATIVE) {
        csb_read_relative(command, numbers, i, angle, first_tick);
    } else if (own == CSB_FULL) {
        csb_read_full(command, numbers, i, angle, get_boosted(w, i), first_tick);
    } else {
        csb_read_normalised(command, numbers, i, angle, get_boosted(w, i));
    }
}

/* Shield and boost of pod i. */
CAROM_LANE void csb_equip(csb_turn *t, tick_world w, int i, csb_command *command)
{
    vint none = i_set1(0), one = i_set1(1), full = i_set1(CSB_SHIELD_UP);
    vint boosted = get_boosted(w, i), shield = get_shield(w, i);
    vreal boost = v_select(i_eq(boosted, one), v_set1((real)CSB_MAX_THRUST), v_set1((real)CSB_BOOST_THRUST));
    command->thrust = v_select(command->boost, boost, command->thrust);
    t->boosted[i] = i_select(command->boost, one, boosted);
    t->shield[i] = i_select(command->shield, full, shield);
    command->thrust = v_select(i_gt(t->shield[i], none), v_set1(REAL(0.0)), command->thrust);
}

/* Rotation and engines of all pods. */
CAROM_LANE void csb_obey(csb_turn *t, tick_world w, csb_command command[CSB_PODS], bool referee)
{
    vreal angle[CSB_PODS], sine[CSB_PODS], cosine[CSB_PODS];
    EACH4 (i) {
        angle[i] = command[i].turn_to;
        t->angle[i] = angle[i];
    }
    v_sincos4(angle, sine, cosine);
    EACH4 (i) {
        vreal old_vx = get_vx(w, i);
        vreal old_vy = get_vy(w, i);
        vreal vx = old_vx + cosine[i] * command[i].thrust;
        vreal vy = old_vy + sine[i] * command[i].thrust;
        t->vx[i] = referee ? v_select(command[i].idle, old_vx, vx) : vx;
        t->vy[i] = referee ? v_select(command[i].idle, old_vy, vy) : vy;
    }
}

/* Which pods come near which in the tick, and near their checkpoints. */
CAROM_LANE void csb_survey(csb_turn *t, tick_world w, unsigned lanes)
{
    csb_boxes boxes;
    vmask cross = m_from_bits(0), active = m_from_bits(lanes);
    EACH4 (i) {
        vreal x = get_x(w, i);
        vreal y = get_y(w, i);
        csb_box(&boxes, i, x, y, x + t->vx[i], y + t->vy[i]);
        cross = m_or(cross, csb_may_cross(&boxes, i, get_cx(w, i), get_cy(w, i)));
    }
    t->cross = m_any(cross);
#define CSB_SURVEY(pair, a, b) t->near[pair - 1] = (uint16_t)m_bits(m_and(active, csb_near(&boxes, a, b)));
    CSB_EACH_PAIR(CSB_SURVEY)
#undef CSB_SURVEY
    t->near[6] = t->near[7] = 0;
}

/* A bot may ask for any thrust. Beyond the velocities that the box filter is proven for, every pair is near. */
CAROM_LANE void csb_survey_wild(csb_turn *t, unsigned active)
{
    vmask tame = m_from_bits((1u << (LANES - 1) << 1) - 1);
    EACH4 (i) {
        tame = m_and(tame, m_and(csb_inside(t->vx[i], 2 * CSB_RANGE), csb_inside(t->vy[i], 2 * CSB_RANGE)));
    }
    if (!m_all(tame)) {
        for (int pair = 0; pair < CSB_PAIRS; pair++) {
            t->near[pair] = (uint16_t)active;
        }
        t->cross = true;
    }
}

CAROM_LANE void rules_command(tick_run *run, unsigned home, tick_world w, unsigned active, tick_numbers numbers,
                              uint32_t kind)
{
    csb_turn *t = csb_turn_of(run, home);
    vmask first_tick = i_eq(get_tick(w), i_set1(0));
    csb_command command[CSB_PODS];
    vreal angle[CSB_PODS];
    EACH4 (i) {
        angle[i] = get_angle(w, i);
    }
    unsigned illegal[CSB_PODS] = {0, 0, 0, 0};
    EACH4 (i) {
        csb_read(run, w, i, angle[i], first_tick, numbers, kind, &command[i], &illegal[i]);
    }
    t->illegal[0] = (uint16_t)(illegal[0] | illegal[1]);
    t->illegal[1] = (uint16_t)(illegal[2] | illegal[3]);
    if (run->context->alone) {
        csb_read_nothing(&command[2], angle[2]);
        csb_read_nothing(&command[3], angle[3]);
        t->illegal[1] = 0;
    }
    vmask told = m_or(command[0].shield, command[0].boost);
    told = m_or(told, m_or(command[1].shield, command[1].boost));
    told = m_or(told, m_or(command[2].shield, command[2].boost));
    told = m_or(told, m_or(command[3].shield, command[3].boost));
    t->special = m_any(m_or(told, CSB_ANY_ABOVE_0(shield, w)));
    if (t->special) {
        EACH4 (i) {
            csb_equip(t, w, i, &command[i]);
        }
    }
    const bool referee = run_kind_of(run, kind, 0) == CSB_REFEREE || run_kind_of(run, kind, 1) == CSB_REFEREE;
    csb_obey(t, w, command, referee);
    t->passed = false;
    csb_survey(t, w, active);
    if (referee) {
        csb_survey_wild(t, active);
    }
}

#endif
