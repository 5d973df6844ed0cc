/* SPDX-License-Identifier: MIT
 * The actions of a tick: they name stones and push them.
 */
#ifndef CAROM_GAMES_STONES_PUSH_H
#define CAROM_GAMES_STONES_PUSH_H

#include "games/stones/sweep.h"

/* Pushes stone i in those of the lanes where the push has a path. */
CAROM_LANE void stones_push_stone(stones_group *g, uint32_t i, vreal course, vreal speed, vreal curve, vmask lanes)
{
    stones_path path = {curve, v_add(course, v_mul(curve, v_set1(V_HALF_PI))), g->x[i], g->y[i], speed};
    path.distance = stones_travel(speed, v_load(&g->tile->friction[i][g->at]));
    lanes = m_and(lanes, stones_within(stones_phase(&path, speed), FD_RANGE));
    /* A stone that is still on a path, or has come to rest at its end, goes to that path's next point first. */
    vmask fresh = m_andnot(lanes, m_from_bits(g->shot[i]));
    if (m_any(fresh)) {
        vreal x, y;
        stones_point(&path, speed, &x, &y);
        g->next_x[i] = v_select(fresh, x, g->next_x[i]);
        g->next_y[i] = v_select(fresh, y, g->next_y[i]);
    }
    vreal aim = stones_aim(g->x[i], g->y[i], stones_radius(g, i), g->next_x[i], g->next_y[i]), s, c;
    fd_sincos(aim, &s, &c);
    g->course[i] = v_select(lanes, aim, g->course[i]);
    g->cos[i] = v_select(lanes, c, g->cos[i]);
    g->sin[i] = v_select(lanes, s, g->sin[i]);
    g->speed[i] = v_select(lanes, speed, g->speed[i]);
    g->distance[i] = v_select(lanes, path.distance, g->distance[i]);
    g->shot_course[i] = v_select(lanes, path.course, g->shot_course[i]);
    g->curve[i] = v_select(lanes, curve, g->curve[i]);
    g->origin_x[i] = v_select(lanes, path.origin_x, g->origin_x[i]);
    g->origin_y[i] = v_select(lanes, path.origin_y, g->origin_y[i]);
    g->traveled[i] = v_select(lanes, v_set1(REAL(0.0)), g->traveled[i]);
    g->shot[i] = (uint16_t)(g->shot[i] | m_bits(lanes));
    g->changed |= UINT32_C(1) << i;
}

/* One push a lane: of the stone named `name`, for which `lanes` tells where it is meant. own: -1, or the player whose
 * stones at rest alone may be pushed. */
CAROM_LANE void stones_push(stones_group *g, vint name, vreal course, vreal speed, vreal curve, vmask lanes, int own)
{
    lanes = m_and(lanes,
                  m_and(v_ge(speed, v_set1((real)STONES_LEAST_SPEED)),
                        m_and(stones_within(course, (real)STONES_COURSE), stones_within(curve, (real)STONES_CURVE))));
    speed = v_min(speed, v_set1((real)STONES_MAX_SPEED));
    uint32_t bits = stones_named(i_and(name, i_set1(STONES_MAX - 1)), m_bits(lanes));
    bits &= own < 0 ? UINT32_MAX : own == 0 ? 0x55555555u : 0xaaaaaaaau;
    bits &= g->stones < STONES_MAX ? (UINT32_C(1) << g->stones) - 1 : UINT32_MAX;
    EACH_STONE(i, bits)
    {
        vmask is = m_and(m_and(lanes, i_eq(name, i_set1((int32_t)i))), m_from_bits(g->in_play[i]));
        if (own >= 0) {
            is = m_and(is, v_eq(g->speed[i], v_set1(REAL(0.0))));
        }
        if (m_any(is)) {
            stones_push_stone(g, i, course, speed, curve, is);
        }
    }
}

/* Four numbers, lane-major: stone, course, speed, curve. */
CAROM_LANE void stones_push_told(stones_group *g, const double *numbers, int own)
{
    vreal speed = v_load_f64(numbers + 2 * CAROM_TILE);
    vmask lanes = m_and(m_from_bits(g->active), v_gt(speed, v_set1(REAL(0.0))));
    if (m_any(lanes)) {
        vreal told = v_load_f64(numbers);
        lanes = m_and(lanes, m_and(v_ge(told, v_set1(REAL(0.0))), v_lt(told, v_set1((real)STONES_MAX))));
        told = v_select(lanes, told, v_set1(REAL(0.0)));
        lanes = m_and(lanes, v_eq(told, v_trunc(told)));
        stones_push(g, v_truncate(told), v_load_f64(numbers + CAROM_TILE), speed, v_load_f64(numbers + 3 * CAROM_TILE),
                    lanes, own);
    }
}

/* In [-1, 1]; NaN counts as 0. */
CAROM_LANE vreal stones_clamped(const float *from)
{
    vreal a = v_load_f32(from);
    a = v_select(v_eq(a, a), a, v_set1(REAL(0.0)));
    return v_max(v_min(a, v_set1(REAL(1.0))), v_set1(REAL(-1.0)));
}

CAROM_LANE void stones_push_normalised(stones_group *g, const float *numbers, int player)
{
    vreal zero = v_set1(REAL(0.0)), one = v_set1(REAL(1.0)), count = zero;
    vreal speed = stones_clamped(numbers + 2 * CAROM_TILE);
    vmask lanes = m_and(m_from_bits(g->active), v_gt(speed, zero));
    if (!m_any(lanes)) {
        return;
    }
    for (int i = player; i < g->stones; i += 2) {
        vmask may = m_and(m_from_bits(g->in_play[i]), v_eq(g->speed[i], zero));
        count = v_add(count, v_select(may, one, zero));
    }
    vreal half = v_set1(REAL(0.5)), place = v_mul(v_mul(v_add(stones_clamped(numbers), one), half), count);
    place = v_min(v_trunc(place), v_sub(count, one)); /* -1 if there is none */
    vint name = i_set1(STONES_MAX);
    for (int i = player; i < g->stones; i += 2) {
        vmask may = m_and(m_from_bits(g->in_play[i]), v_eq(g->speed[i], zero));
        name = i_select(m_and(may, v_eq(place, zero)), i_set1(i), name);
        place = v_select(may, v_sub(place, one), place);
    }
    lanes = m_and(lanes, i_gt(i_set1(STONES_MAX), name));
    stones_push(g, name, v_mul(stones_clamped(numbers + CAROM_TILE), v_set1(V_PI)),
                v_mul(speed, v_set1((real)STONES_MAX_SPEED)), stones_clamped(numbers + 3 * CAROM_TILE), lanes, player);
}

/* All pushes of the tick; `actions` are those of tile number `index` of the run. */
CAROM_LANE void stones_act(stones_group *g, uint32_t kind, const void *actions, unsigned index)
{
    for (int player = 0; player < 2; player++) {
        if (kind == STONES_NORMALISED) {
            stones_push_normalised(
                g, (const float *)actions + (size_t)(index * 2 + (unsigned)player) * 4 * CAROM_TILE + g->at, player);
            continue;
        }
        const unsigned count = kind == STONES_ENGINE ? CAROM_STONES_PUSHES : 1;
        const double *numbers =
            (const double *)actions + (size_t)(index * 2 + (unsigned)player) * count * 4 * CAROM_TILE + g->at;
        for (unsigned k = 0; k < count; k++) {
            stones_push_told(g, numbers + (size_t)k * 4 * CAROM_TILE, kind == STONES_ENGINE ? -1 : player);
        }
    }
}

#endif
