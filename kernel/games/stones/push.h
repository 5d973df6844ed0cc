/* SPDX-License-Identifier: MIT
 * The actions of a tick: pushes (RULES.md, Pushes).
 */
#ifndef CAROM_GAMES_STONES_PUSH_H
#define CAROM_GAMES_STONES_PUSH_H

#include "games/stones/sweep.h"

/* Pushes stone name[lane] in the given lanes. If `own` is a player, only that player's stones at rest may be pushed;
 * -1: any stone in play. An illegal push has no effect. */
CAROM_LANE void stones_push(stones_group *g, vint name, vreal course, vreal speed, vreal curve, vmask lanes, int own)
{
    vreal zero = v_set1(REAL(0.0)), one = v_set1(REAL(1.0)), half = v_set1(REAL(0.5));
    lanes = m_and(lanes,
                  m_and(v_ge(speed, v_set1((real)STONES_LEAST_SPEED)),
                        m_and(stones_within(course, (real)STONES_COURSE), stones_within(curve, (real)STONES_CURVE))));

    speed = v_min(speed, v_set1((real)STONES_MAX_SPEED));
    uint32_t bits = stones_named(i_and(name, i_set1(STONES_MAX - 1)), m_bits(lanes));
    bits &= own < 0 ? UINT32_MAX : own == 0 ? 0x55555555u : 0xaaaaaaaau;
    bits &= g->stones < STONES_MAX ? (UINT32_C(1) << g->stones) - 1 : UINT32_MAX;

    /* Most lanes push different stones: collect what is needed of them, so that the path is computed once. */
    vmask found = m_from_bits(0), shot = found;
    vreal x = zero, y = zero, radius = one, friction = half, next_x = zero, next_y = zero;
    EACH_STONE (i, bits) {
        vmask is = m_and(m_and(lanes, i_eq(name, i_set1((int32_t)i))), m_from_bits(g->in_play[i]));
        if (own >= 0) {
            is = m_and(is, v_eq(g->speed[i], zero));
        }
        found = m_or(found, is);
        shot = m_or(shot, m_and(is, m_from_bits(g->shot[i])));
        x = v_select(is, g->x[i], x);
        y = v_select(is, g->y[i], y);
        radius = v_select(is, stones_radius(g, i), radius);
        friction = v_select(is, get_friction(g->w, i), friction);
        next_x = v_select(is, g->next_x[i], next_x);
        next_y = v_select(is, g->next_y[i], next_y);
    }
    if (!m_any(found)) {
        return;
    }

    /* The path. Lanes without a push may hold anything, so give them a harmless speed. */
    speed = v_select(found, speed, one);
    stones_path path = {curve, course + curve * v_set1(V_HALF_PI), x, y, stones_travel(speed, friction)};
    found = m_and(found, stones_within(stones_phase(&path, speed), FD_RANGE));

    /* A stone that is still on a path, or rests at the end of one unhit, goes to that path's next point first. */
    vmask fresh = m_andnot(found, shot);
    if (m_any(fresh)) {
        vreal first_x, first_y;
        stones_point(&path, speed, &first_x, &first_y);
        next_x = v_select(fresh, first_x, next_x);
        next_y = v_select(fresh, first_y, next_y);
    }

    vreal aim = stones_aim(x, y, radius, next_x, next_y), s, c;
    fd_sincos(aim, &s, &c);
    EACH_STONE (i, bits) {
        vmask is = m_and(found, i_eq(name, i_set1((int32_t)i)));
        g->course[i] = v_select(is, aim, g->course[i]);
        g->cos[i] = v_select(is, c, g->cos[i]);
        g->sin[i] = v_select(is, s, g->sin[i]);
        g->speed[i] = v_select(is, speed, g->speed[i]);
        g->distance[i] = v_select(is, path.distance, g->distance[i]);
        g->shot_course[i] = v_select(is, path.course, g->shot_course[i]);
        g->curve[i] = v_select(is, curve, g->curve[i]);
        g->origin_x[i] = v_select(is, x, g->origin_x[i]);
        g->origin_y[i] = v_select(is, y, g->origin_y[i]);
        g->traveled[i] = v_select(is, zero, g->traveled[i]);
        g->next_x[i] = v_select(is, next_x, g->next_x[i]);
        g->next_y[i] = v_select(is, next_y, g->next_y[i]);
        g->shot[i] = (uint16_t)(g->shot[i] | m_bits(is));
    }
    g->changed |= bits;
}

/* The push in numbers e .. e + 3 of an action: stone, course, speed, curve. */
CAROM_LANE void stones_push_numbered(stones_group *g, tick_numbers numbers, unsigned e, int own)
{
    vreal speed = number_f64(numbers, e + 2);
    vmask lanes = m_and(m_from_bits(g->active), v_gt(speed, v_set1(REAL(0.0))));
    if (m_any(lanes)) {
        vreal number = number_f64(numbers, e);
        lanes = m_and(lanes, m_and(v_ge(number, v_set1(REAL(0.0))), v_lt(number, v_set1((real)STONES_MAX))));
        number = v_select(lanes, number, v_set1(REAL(0.0)));
        lanes = m_and(lanes, v_eq(number, v_trunc(number)));
        stones_push(g, v_truncate(number), number_f64(numbers, e + 1), speed, number_f64(numbers, e + 3), lanes, own);
    }
}

/* a, limited to [-1, 1]; NaN becomes 0. */
CAROM_LANE vreal stones_clamped(vreal a)
{
    a = v_select(v_eq(a, a), a, v_set1(REAL(0.0)));
    return v_max(v_min(a, v_set1(REAL(1.0))), v_set1(REAL(-1.0)));
}

/* The push in numbers e .. e + 3 of a normalised action, whose first chooses among the stones that the player may
 * push. */
CAROM_LANE void stones_push_normalised(stones_group *g, tick_numbers numbers, unsigned e, int player)
{
    vreal zero = v_set1(REAL(0.0)), one = v_set1(REAL(1.0)), count = zero;
    vreal speed = stones_clamped(number_f32(numbers, e + 2));
    vmask lanes = m_and(m_from_bits(g->active), v_gt(speed, zero));
    if (!m_any(lanes)) {
        return;
    }

    /* Count the stones that may be pushed. */
    for (int i = player; i < g->stones; i += 2) {
        vmask may = m_and(m_from_bits(g->in_play[i]), v_eq(g->speed[i], zero));
        count = count + v_select(may, one, zero);
    }
    vreal half = v_set1(REAL(0.5)), where = stones_clamped(number_f32(numbers, e));
    vreal place = (where + one) * half * count;
    place = v_min(v_trunc(place), count - one); /* -1 if there is none */

    /* Find the one in that place. */
    vint name = i_set1(STONES_MAX);
    for (int i = player; i < g->stones; i += 2) {
        vmask may = m_and(m_from_bits(g->in_play[i]), v_eq(g->speed[i], zero));
        name = i_select(m_and(may, v_eq(place, zero)), i_set1(i), name);
        place = v_select(may, place - one, place);
    }

    lanes = m_and(lanes, i_gt(i_set1(STONES_MAX), name));
    stones_push(g, name, stones_clamped(number_f32(numbers, e + 1)) * v_set1(V_PI),
                speed * v_set1((real)STONES_MAX_SPEED), stones_clamped(number_f32(numbers, e + 3)), lanes, player);
}

/* All pushes of the tick. */
CAROM_LANE void stones_act(const tick_run *run, stones_group *g)
{
    for (unsigned player = 0; player < 2; player++) {
        const uint32_t kind = run_kind_of(run, run->tick->kind, player);
        const tick_numbers numbers = run_numbers_of(run, run_numbers(run, g->home), run->tick->kind, player);
        const unsigned pushes = kind == STONES_ENGINE ? CAROM_STONES_PUSHES : 1;
        unsigned e = player * pushes * STONES_PUSH_SIZE;
        if (kind == STONES_NORMALISED) {
            stones_push_normalised(g, numbers, e, (int)player);
            continue;
        }
        for (unsigned k = 0; k < pushes; k++, e += STONES_PUSH_SIZE) {
            stones_push_numbered(g, numbers, e, kind == STONES_ENGINE ? -1 : (int)player);
        }
    }
}

#endif
