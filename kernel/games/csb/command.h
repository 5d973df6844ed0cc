/* SPDX-License-Identifier: MIT
 * The commands of a turn (RULES.md, 1): actions of all kinds, shield and boost, rotation and thrust. Then a survey
 * finds the pods that may meet, or pass a checkpoint, in the movement that follows.
 */
#ifndef CAROM_GAMES_CSB_COMMAND_H
#define CAROM_GAMES_CSB_COMMAND_H

#include "games/csb/motion.h"
#include "games/csb/observe.h"
#include "games/csb/turn.h"

/* What one pod is to do, in each lane, whatever kind of action it comes from. */
typedef struct csb_command {
    vreal turn_to;       /* the new angle, radians */
    vreal thrust;        /* units per turn, along the new angle */
    vmask shield, boost; /* the action asks for it */
    vmask idle;          /* the target is the pod's own place: neither rotation nor thrust */
} csb_command;

/* a, or 0 where it is NaN. */
CAROM_LANE vreal csb_number(vreal a)
{
    return v_select(v_eq(a, a), a, v_set1(REAL(0.0)));
}

/* a within [low, high]. */
CAROM_LANE vreal csb_clamp(vreal a, vreal low, vreal high)
{
    return v_max(v_min(a, high), low);
}

/* Reads two numbers, turn and thrust, of each pod in [first, end); NaN counts as 0. */
CAROM_LANE void csb_numbers(tick_numbers numbers, int first, int end, vreal turn[CSB_PODS], vreal thrust[CSB_PODS])
{
    vreal sum = v_set1(REAL(0.0));
    for (int i = first; i < end; i++) {
        turn[i] = number_f32(numbers, 2 * (unsigned)i);
        thrust[i] = number_f32(numbers, 2 * (unsigned)i + 1);
        sum = sum + (turn[i] + thrust[i]);
    }

    /* A NaN in any number makes the sum NaN (so may infinities, which do no harm): only then is each number looked
     * at. */
    if (!m_all(v_eq(sum, sum))) {
        for (int i = first; i < end; i++) {
            turn[i] = csb_number(turn[i]);
            thrust[i] = csb_number(thrust[i]);
        }
    }
}

/* Actions "relative" (csb.h) of the pods [first, end). */
CAROM_LANE void csb_read_relative(csb_command command[CSB_PODS], tick_numbers numbers, int first, int end,
                                  const vreal angle[CSB_PODS], vmask first_tick)
{
    const vreal zero = v_set1(REAL(0.0)), most = v_set1((real)CSB_MAX_THRUST);

    /* On turn 0 a pod may turn by any angle. */
    const vreal limit = v_select(first_tick, v_set1((real)__builtin_inf()), v_set1((real)CSB_MAX_TURN));
    vreal turn[CSB_PODS], thrust[CSB_PODS];
    csb_numbers(numbers, first, end, turn, thrust);

    /* Turn from the present angle; meanwhile find out whether any thrust is above 200. */
    vreal greatest = thrust[first];
    for (int i = first; i < end; i++) {
        command[i].turn_to = angle[i] + csb_clamp(turn[i], -limit, limit);
        command[i].idle = command[i].shield = command[i].boost = m_from_bits(0);
        greatest = v_max(greatest, thrust[i]);
    }

    /* SHIELD and BOOST are thrusts far above 200: such marks, and thrusts to be clamped, are the exception. */
    if (!m_all(v_le(greatest, most))) {
        for (int i = first; i < end; i++) {
            command[i].shield = v_eq(thrust[i], v_set1(CAROM_CSB_SHIELD));
            command[i].boost = v_eq(thrust[i], v_set1(CAROM_CSB_BOOST));
            thrust[i] = v_min(thrust[i], most);
        }
    }

    for (int i = first; i < end; i++) {
        command[i].thrust = v_max(thrust[i], zero);
    }
}

/* Actions "normalised" (csb.h) of the pods [first, end). */
CAROM_LANE void csb_read_normalised(csb_command command[CSB_PODS], tick_numbers numbers, tick_world w, int first,
                                    int end, const vreal angle[CSB_PODS])
{
    const vreal one = v_set1(REAL(1.0)), most = v_set1((real)CSB_MAX_THRUST);
    vreal turn[CSB_PODS], thrust[CSB_PODS];
    csb_numbers(numbers, first, end, turn, thrust);

    for (int i = first; i < end; i++) {
        const vreal told = csb_clamp(thrust[i], -one, one);
        command[i].turn_to = angle[i] + csb_clamp(turn[i], -one, one) * v_set1((real)CSB_MAX_TURN);
        command[i].idle = m_from_bits(0);
        command[i].shield = v_le(told, v_set1((real)-0.95));
        command[i].boost = m_and(v_ge(told, v_set1((real)0.95)), i_eq(get_boosted(w, i), i_set1(0)));
        command[i].thrust = csb_clamp(v_set1(REAL(100.0)) * (told + one), v_set1(REAL(0.0)), most);
    }
}

/* The action "normalised_full" (csb.h) of pod i. */
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

/* The command of a pod without a player: stay as it is. */
CAROM_LANE void csb_read_nothing(csb_command *command, vreal angle)
{
    command->turn_to = angle;
    command->thrust = v_set1(REAL(0.0));
    command->shield = command->boost = m_from_bits(0);
    command->idle = m_from_bits((1u << (LANES - 1) << 1) - 1);
}

/* How far to turn from `angle` to a, D of RULES.md: from -pi to pi, computed as the referee does. */
CAROM_LANE vreal csb_difference(vreal a, vreal angle)
{
    vreal da = v_remainder_two_pi(a - angle);
    return v_remainder_two_pi_once(da + da) - da;
}

/* The action "referee" (csb.h) of pod i, a target and a thrust as a bot prints them. Adds to *illegal the lanes whose
 * player loses by this thrust. */
CAROM_LANE void csb_read_referee(csb_command *command, tick_numbers numbers, int i, vreal x, vreal y, vreal angle,
                                 vmask first_tick, carom_csb_rules rules, unsigned *illegal)
{
    vreal zero = v_set1(REAL(0.0)), limit = v_set1((real)CSB_MAX_TURN), turn = v_set1(V_TWO_PI);
    const unsigned own = 3 * (unsigned)i;
    vreal target_x = number_f64(numbers, own), target_y = number_f64(numbers, own + 1);
    vreal thrust = number_f64(numbers, own + 2);

    /* A target that is not finite counts as the pod's own place, and gives no direction. */
    vmask finite = m_and(v_le(v_abs(target_x), v_set1(REAL_MAX)), v_le(v_abs(target_y), v_set1(REAL_MAX)));
    vreal dx = target_x - x, dy = target_y - y;
    command->idle = m_or(m_not(finite), m_and(v_eq(target_x, x), v_eq(target_y, y)));

    /* Turn towards the target by at most 18 degrees. Within reach the angle becomes that of the target itself, not the
     * old angle plus a difference, which would round differently. */
    vreal to = v_atan2(dy, dx);
    vreal rotation = csb_difference(to, angle);
    vreal next = v_select(v_gt(rotation, limit), angle + limit, to);
    next = v_select(v_lt(rotation, -limit), angle - limit, next);

    /* On turn 0 the pod turns at once. The -test mode of the referee also brings this angle into [0, 2 pi]. */
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

    /* A plain thrust is any number but the two marks. In the real game one above 200, or NaN, loses, and counts as
     * 0. */
    vmask plain = m_andnot(m_andnot(v_eq(thrust, thrust), command->shield), command->boost);
    if (rules == CAROM_CSB_FULL) {
        vmask allowed = v_le(thrust, v_set1((real)CSB_MAX_THRUST));
        *illegal |= m_bits(m_andnot(m_not(m_or(command->shield, command->boost)), m_and(plain, allowed)));
        plain = m_and(plain, allowed);
    }

    command->thrust = v_select(plain, thrust, zero);
}

/* Reads the actions of the pods [first, end), which are all of kind `own`. */
CAROM_LANE void csb_read(const tick_run *run, tick_world w, int first, int end, const vreal angle[CSB_PODS],
                         vmask first_tick, tick_numbers numbers, uint32_t own, csb_command command[CSB_PODS],
                         unsigned illegal[CSB_PODS])
{
    if (own == CSB_RELATIVE) {
        csb_read_relative(command, numbers, first, end, angle, first_tick);
    } else if (own == CSB_NORMALISED) {
        csb_read_normalised(command, numbers, w, first, end, angle);
    } else {
        for (int i = first; i < end; i++) {
            if (own == CSB_REFEREE) {
                csb_read_referee(&command[i], numbers, i, get_x(w, i), get_y(w, i), angle[i], first_tick,
                                 run->context->rules, &illegal[i]);
            } else {
                csb_read_full(&command[i], numbers, i, angle[i], get_boosted(w, i), first_tick);
            }
        }
    }
}

/* Applies shield and boost of pod i: its thrust, and its state after the commands. */
CAROM_LANE void csb_equip(csb_turn *t, tick_world w, int i, csb_command *command)
{
    vint none = i_set1(0), one = i_set1(1), full = i_set1(CSB_SHIELD_UP);
    vint boosted = get_boosted(w, i), shield = get_shield(w, i);

    /* A boost thrusts with 650 once, then with 200. */
    vreal boost = v_select(i_eq(boosted, one), v_set1((real)CSB_MAX_THRUST), v_set1((real)CSB_BOOST_THRUST));
    command->thrust = v_select(command->boost, boost, command->thrust);

    t->boosted[i] = i_select(command->boost, one, boosted);
    t->shield[i] = i_select(command->shield, full, shield);

    /* No thrust while a shield is up; a boost given now is used up all the same. */
    command->thrust = v_select(i_gt(t->shield[i], none), v_set1(REAL(0.0)), command->thrust);
}

/* Sines and cosines where an angle may be NaN or beyond CSB_MAX_ANGLE. A world with such an angle takes a fault; the
 * results decide which one. */
static void csb_sincos_spun(const vreal angle[CSB_PODS], vreal sine[CSB_PODS], vreal cosine[CSB_PODS])
{
    v_sincos4(angle, sine, cosine);
}

/* Rotates all pods, and lets them thrust. `referee`: some pods may be idle. */
CAROM_LANE void csb_obey(csb_turn *t, tick_world w, csb_command command[CSB_PODS], bool referee)
{
    vreal angle[CSB_PODS], sine[CSB_PODS], cosine[CSB_PODS];
    EACH4 (i) {
        angle[i] = command[i].turn_to;
        t->angle[i] = angle[i];
    }

    /* The fast sines need angles within CSB_MAX_ANGLE; the sum of the magnitudes tells at once that all are. Otherwise
     * compute them again with care, which hardly ever happens. */
    t->spun = !m_all(v_le(csb_sum4(angle), v_set1((real)CSB_MAX_ANGLE)));
    v_sincos4_within(angle, sine, cosine);
    if (t->spun) {
        vreal apart[2][CSB_PODS]; /* so that sine and cosine can stay in registers */
        csb_sincos_spun(t->angle, apart[0], apart[1]);
        EACH4 (i) {
            sine[i] = apart[0][i];
            cosine[i] = apart[1][i];
        }
    }

    /* Thrust along the new angle. An idle pod keeps its velocity, whatever thrust was asked for. */
    EACH4 (i) {
        vreal old_vx = get_vx(w, i);
        vreal old_vy = get_vy(w, i);
        vreal vx = old_vx + cosine[i] * command[i].thrust;
        vreal vy = old_vy + sine[i] * command[i].thrust;
        t->vx[i] = referee ? v_select(command[i].idle, old_vx, vx) : vx;
        t->vy[i] = referee ? v_select(command[i].idle, old_vy, vy) : vy;
    }
}

/* Finds the pairs that may meet in the turn, in the given lanes, and whether any pod may pass its checkpoint. */
CAROM_LANE void csb_survey(csb_turn *t, tick_world w, unsigned lanes)
{
    csb_boxes boxes;
    vmask cross = m_from_bits(0), active = m_from_bits(lanes);

    /* Where each pod goes in the turn if it meets nothing. */
    EACH4 (i) {
        vreal x = get_x(w, i);
        vreal y = get_y(w, i);
        csb_box(&boxes, i, x, y, x + t->vx[i], y + t->vy[i]);
        cross = m_or(cross, csb_may_cross(&boxes, i, get_cx(w, i), get_cy(w, i)));
    }
    t->cross = m_any(cross);

    /* Pairs whose boxes are apart cannot meet first, so the search for impacts can leave them out. */
#define CSB_SURVEY(pair, a, b) t->near[pair - 1] = (uint16_t)m_bits(m_and(active, csb_near(&boxes, a, b)));
    CSB_EACH_PAIR(CSB_SURVEY)
#undef CSB_SURVEY
    t->near[6] = t->near[7] = 0;
}

/* Actions "referee" may have any thrust. Where velocities go beyond those that the box filter is proven for (motion.h),
 * count every pair as near. */
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

/* The progress that is rewarded: of every pod if each has its own reward, else of each player's pod ahead. */
CAROM_LANE void csb_progress(const tick_run *run, tick_world w, vreal progress[CSB_PODS])
{
    if (run->tick->reward_kind == REWARD_OWN) {
        csb_progress_each(run->context, w, progress);
    } else {
        csb_progress_ahead(run->context, w, progress);
    }
}

/* The commands of the worlds of a group, from actions of kind `kind`, and the survey of what may follow. */
CAROM_LANE void rules_command(tick_run *run, unsigned home, tick_world w, unsigned active, tick_numbers numbers,
                              uint32_t kind)
{
    csb_turn *t = csb_turn_of(run, home);

    /* Rewards need the progress before the turn, unless the last turn of this call has left it. */
    if (run_rewarded(run) && !run_settled(run, home)) {
        csb_progress(run, w, t->progress);
    }

    vmask first_tick = i_eq(get_tick(w), i_set1(0));
    csb_command command[CSB_PODS];
    vreal angle[CSB_PODS];
    EACH4 (i) {
        angle[i] = get_angle(w, i);
    }

    /* Read the actions of all pods at once, or of each player by itself where their kinds differ. */
    unsigned illegal[CSB_PODS] = {0, 0, 0, 0};
    if (kind != TICK_MIXED) {
        csb_read(run, w, 0, CSB_PODS, angle, first_tick, numbers, kind, command, illegal);
    } else {
        for (int player = 0; player < 2; player++) {
            csb_read(run, w, 2 * player, 2 * player + 2, angle, first_tick,
                     run_numbers_of(run, numbers, kind, (unsigned)player), run->tick->kinds[player], command, illegal);
        }
    }

    t->illegal[0] = (uint16_t)(illegal[0] | illegal[1]);
    t->illegal[1] = (uint16_t)(illegal[2] | illegal[3]);

    /* In a time trial player 1 is given no actions. */
    if (run->context->alone) {
        csb_read_nothing(&command[2], angle[2]);
        csb_read_nothing(&command[3], angle[3]);
        t->illegal[1] = 0;
    }

    /* Shields and boosts are rare: look at them only if some pod has one up or asks for one. */
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

    /* Rotate and thrust; then survey what may happen in the movement, so that later passes skip what cannot. */
    const bool referee = run_kind_of(run, kind, 0) == CSB_REFEREE || run_kind_of(run, kind, 1) == CSB_REFEREE;
    csb_obey(t, w, command, referee);
    t->midways = 0;
    csb_survey(t, w, active);
    if (referee) {
        csb_survey_wild(t, active);
    }
}

#endif
