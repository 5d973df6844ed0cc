/* SPDX-License-Identifier: MIT
 * The pass `command` of a tick: actions of all kinds, shield and boost, rotation and engines; then which pods come near
 * each other or a checkpoint.
 */
#ifndef CAROM_GAMES_CSB_COMMAND_H
#define CAROM_GAMES_CSB_COMMAND_H

#include "games/csb/run.h"

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
CAROM_LANE void csb_read_relative(csb_command *command, const float *numbers, vreal angle, vmask first_tick)
{
    vreal limit = v_set1((real)CSB_MAX_TURN), zero = v_set1(REAL(0.0)), most = v_set1((real)CSB_MAX_THRUST);
    vreal turn = csb_number(v_load_f32(numbers)), clamped = csb_clamp(turn, v_neg(limit), limit);
    command->turn_to = v_add(angle, v_select(first_tick, turn, clamped));
    command->idle = command->shield = command->boost = m_from_bits(0);
    vreal thrust = v_load_f32(numbers + CAROM_TILE);
    vmask usual = v_le(thrust, most);
    if (!m_all(usual)) { /* a mark, too much or NaN */
        command->shield = v_eq(thrust, v_set1(CAROM_CSB_SHIELD));
        command->boost = v_eq(thrust, v_set1(CAROM_CSB_BOOST));
        thrust = v_min(csb_number(thrust), most);
    }
    command->thrust = v_max(thrust, zero);
}

CAROM_LANE void csb_read_normalised(csb_command *command, const float *numbers, vreal angle, vint boosted)
{
    vreal one = v_set1(REAL(1.0));
    vreal turn = csb_clamp(csb_number(v_load_f32(numbers)), v_neg(one), one);
    vreal thrust = csb_clamp(csb_number(v_load_f32(numbers + CAROM_TILE)), v_neg(one), one);
    command->turn_to = v_add(angle, v_mul(turn, v_set1((real)CSB_MAX_TURN)));
    command->idle = m_from_bits(0);
    command->shield = v_le(thrust, v_set1((real)-0.95));
    command->boost = m_and(v_ge(thrust, v_set1((real)0.95)), i_eq(boosted, i_set1(0)));
    command->thrust =
        csb_clamp(v_mul(v_set1(REAL(100.0)), v_add(thrust, one)), v_set1(REAL(0.0)), v_set1((real)CSB_MAX_THRUST));
}

CAROM_LANE vreal csb_difference(vreal a, vreal angle)
{
    vreal da = v_remainder_two_pi(v_sub(a, angle));
    return v_sub(v_remainder_two_pi_once(v_add(da, da)), da);
}

/* A bot's target and thrust. Bits of illegal: lanes that lose by their thrust. */
CAROM_LANE void csb_read_referee(csb_command *command, const double *numbers, vreal x, vreal y, vreal angle,
                                 vmask first_tick, carom_csb_rules rules, unsigned *illegal)
{
    vreal zero = v_set1(REAL(0.0)), limit = v_set1((real)CSB_MAX_TURN), turn = v_set1(V_TWO_PI);
    vreal target_x = v_load_f64(numbers), target_y = v_load_f64(numbers + CAROM_TILE);
    vreal thrust = v_load_f64(numbers + 2 * CAROM_TILE);
    vmask finite = m_and(v_le(v_abs(target_x), v_set1(REAL_MAX)), v_le(v_abs(target_y), v_set1(REAL_MAX)));
    vreal dx = v_sub(target_x, x), dy = v_sub(target_y, y);
    command->idle = m_or(m_not(finite), m_and(v_eq(target_x, x), v_eq(target_y, y)));
    vreal to = v_atan2(dy, dx);
    vreal rotation = csb_difference(to, angle);
    vreal next = v_select(v_gt(rotation, limit), v_add(angle, limit), to);
    next = v_select(v_lt(rotation, v_neg(limit)), v_sub(angle, limit), next);
    if (m_any(first_tick)) {
        vreal at_once = csb_difference(to, zero);
        if (rules == CAROM_CSB_TEST) {
            at_once = v_select(v_lt(at_once, zero), v_add(at_once, turn), at_once);
            at_once = v_select(v_gt(at_once, turn), v_sub(at_once, turn), at_once);
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

/* Shield and boost of pod i. */
CAROM_LANE void csb_equip(csb_group *g, const csb_tile *tile, unsigned at, int i, csb_command *command)
{
    vint none = i_set1(0), one = i_set1(1), full = i_set1(4);
    vint boosted = i_load8(&tile->boosted[i][at]), shield = i_load8(&tile->shield[i][at]);
    vreal boost = v_select(i_eq(boosted, one), v_set1((real)CSB_MAX_THRUST), v_set1((real)CSB_BOOST_THRUST));
    command->thrust = v_select(command->boost, boost, command->thrust);
    g->boosted[i] = i_select(command->boost, one, boosted);
    g->shield[i] = i_select(command->shield, full, shield);
    command->thrust = v_select(i_gt(g->shield[i], none), v_set1(REAL(0.0)), command->thrust);
}

/* Rotation and engines of all pods. */
CAROM_LANE void csb_obey(csb_group *g, const csb_tile *tile, unsigned at, csb_command command[CSB_PODS], bool referee)
{
    vreal angle[CSB_PODS], sine[CSB_PODS], cosine[CSB_PODS];
    V_EACH4(angle[i] = command[i].turn_to; g->angle[i] = angle[i])
    v_sincos4(angle, sine, cosine);
    V_EACH4(vreal old_vx = v_load(&tile->vx[i][at]); vreal old_vy = v_load(&tile->vy[i][at]);
            vreal vx = v_add(old_vx, v_mul(cosine[i], command[i].thrust));
            vreal vy = v_add(old_vy, v_mul(sine[i], command[i].thrust));
            g->vx[i] = referee ? v_select(command[i].idle, old_vx, vx) : vx;
            g->vy[i] = referee ? v_select(command[i].idle, old_vy, vy) : vy)
}

CAROM_LANE bool csb_any_shield(const csb_tile *tile, unsigned at)
{
    return csb_any_set(&tile->shield[0][at], LANES) || csb_any_set(&tile->shield[1][at], LANES) ||
           csb_any_set(&tile->shield[2][at], LANES) || csb_any_set(&tile->shield[3][at], LANES);
}

/* Which pods come near which in the tick, and near their checkpoints. */
CAROM_LANE void csb_survey(csb_group *g, const csb_tile *tile, unsigned at)
{
    csb_boxes boxes;
    vmask cross = m_from_bits(0), active = m_from_bits(g->active);
    V_EACH4(vreal x = v_load(&tile->x[i][at]); vreal y = v_load(&tile->y[i][at]);
            csb_box(&boxes, i, x, y, v_add(x, g->vx[i]), v_add(y, g->vy[i]));
            cross = m_or(cross, csb_may_cross(&boxes, i, v_load(&tile->cx[i][at]), v_load(&tile->cy[i][at]))))
    g->cross = m_any(cross);
#define CSB_SURVEY(pair, a, b) g->near[pair - 1] = (uint16_t)m_bits(m_and(active, csb_near(&boxes, a, b)));
    CSB_EACH_PAIR(CSB_SURVEY)
#undef CSB_SURVEY
    g->near[6] = g->near[7] = 0;
}

/* A bot may ask for any thrust. Beyond the velocities that the box filter is proven for, every pair is near. */
CAROM_LANE void csb_survey_wild(csb_group *g)
{
    vmask tame = m_from_bits((1u << (LANES - 1) << 1) - 1);
    V_EACH4(tame = m_and(tame, m_and(csb_inside(g->vx[i], 2 * CSB_RANGE), csb_inside(g->vy[i], 2 * CSB_RANGE))))
    if (!m_all(tame)) {
        for (int pair = 0; pair < CSB_PAIRS; pair++) {
            g->near[pair] = g->active;
        }
        g->cross = true;
    }
}

CAROM_LANE void csb_command_group(csb_group *g, struct csb_run *run, unsigned index, unsigned at, uint32_t kind)
{
    const csb_tile *tile = &run->tiles[index];
    vmask first_tick = i_eq(i_load32(&tile->tick[0][at]), i_set1(0));
    csb_command command[CSB_PODS];
    vreal angle[CSB_PODS];
    V_EACH4(angle[i] = v_load(&tile->angle[i][at]))
    if (kind == CSB_REFEREE) {
        const double *numbers = (const double *)run->tick->actions + (size_t)index * 12 * CAROM_TILE + at;
        unsigned illegal[CSB_PODS] = {0, 0, 0, 0};
        V_EACH4(csb_read_referee(&command[i], numbers + 3 * i * CAROM_TILE, v_load(&tile->x[i][at]),
                                 v_load(&tile->y[i][at]), angle[i], first_tick, run->context->rules, &illegal[i]))
        for (unsigned l = 0; l < LANES; l++) {
            run->scratch->illegal[index][at + l] =
                (uint8_t)(((illegal[0] | illegal[1]) >> l & 1) | ((illegal[2] | illegal[3]) >> l & 1) << 1);
        }
    } else {
        const float *numbers = (const float *)run->tick->actions + (size_t)index * 8 * CAROM_TILE + at;
        if (kind == CSB_RELATIVE) {
            V_EACH4(csb_read_relative(&command[i], numbers + 2 * i * CAROM_TILE, angle[i], first_tick))
        } else {
            V_EACH4(csb_read_normalised(&command[i], numbers + 2 * i * CAROM_TILE, angle[i],
                                        i_load8(&tile->boosted[i][at])))
        }
    }
    vmask told = m_or(command[0].shield, command[0].boost);
    told = m_or(told, m_or(command[1].shield, command[1].boost));
    told = m_or(told, m_or(command[2].shield, command[2].boost));
    told = m_or(told, m_or(command[3].shield, command[3].boost));
    g->special = m_any(told) || csb_any_shield(tile, at);
    if (g->special) {
        V_EACH4(csb_equip(g, tile, at, i, &command[i]))
    }
    csb_obey(g, tile, at, command, kind == CSB_REFEREE);
    g->event = 0;
    g->overrun = 0;
    g->passed = false;
    csb_survey(g, tile, at);
    if (kind == CSB_REFEREE) {
        csb_survey_wild(g);
    }
}

#endif
