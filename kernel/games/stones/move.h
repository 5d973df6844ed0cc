/* SPDX-License-Identifier: MIT
 * The end of a tick, after the sweeps (RULES.md, The end of a tick): stones move, worlds out of range are found, stones
 * leave the ring.
 */
#ifndef CAROM_GAMES_STONES_MOVE_H
#define CAROM_GAMES_STONES_MOVE_H

#include "games/stones/group.h"

/* Moves stone i by what is left of its tick and slows it down. On a path it goes to its next point, and the one after
 * that is computed, with the speed before friction. */
CAROM_LANE void stones_move(stones_group *g, uint32_t i)
{
    vmask moving = m_from_bits(g->moving[i] & g->active), shot = m_and(moving, m_from_bits(g->shot[i]));
    vreal speed = g->speed[i], unused = g->unused[i], zero = v_set1(REAL(0.0));
    vreal x = g->x[i] + g->cos[i] * speed * unused;
    vreal y = g->y[i] + g->sin[i] * speed * unused;
    vreal traveled = g->traveled[i] + speed;
    if (m_any(shot)) {
        const stones_path path = {g->curve[i], g->shot_course[i], g->origin_x[i], g->origin_y[i], g->distance[i]};
        vreal next_x, next_y;
        x = v_select(shot, g->next_x[i], x);
        y = v_select(shot, g->next_y[i], y);
        stones_point(&path, traveled + speed, &next_x, &next_y);
        g->next_x[i] = v_select(shot, next_x, g->next_x[i]);
        g->next_y[i] = v_select(shot, next_y, g->next_y[i]);
    }

    speed = speed * get_friction(g->w, i);
    speed = v_select(v_lt(speed, v_set1((real)STONES_STOP_SPEED)), zero, speed);
    g->x[i] = v_select(moving, x, g->x[i]);
    g->y[i] = v_select(moving, y, g->y[i]);
    g->traveled[i] = v_select(moving, traveled, g->traveled[i]);
    g->speed[i] = v_select(moving, speed, g->speed[i]);
    g->unused[i] = v_select(moving, zero, g->unused[i]);
}

/* Moves all stones, and turns those on a path to their next point. Each step is done for all stones before the next
 * one, because steps of different stones do not depend on each other and run side by side. */
CAROM_LANE void stones_move_all(stones_group *g)
{
    uint32_t moving = 0, turning = 0;
    for (uint32_t i = 0; i < (uint32_t)g->stones; i++) {
        const unsigned lanes = g->moving[i] & g->active;
        moving |= (uint32_t)(lanes != 0) << i;
        turning |= (uint32_t)((lanes & g->shot[i]) != 0) << i;
    }

    EACH_STONE (i, moving) {
        stones_move(g, i);
    }
    EACH_STONE (i, turning) {
        vreal course = stones_aim(g->x[i], g->y[i], stones_radius(g, i), g->next_x[i], g->next_y[i]);
        g->course[i] = v_select(m_from_bits(g->moving[i] & g->active & g->shot[i]), course, g->course[i]);
    }
    EACH_STONE (i, turning) {
        /* In every lane: where the course has not changed, sine and cosine do not either. */
        fd_sincos(g->course[i], &g->sin[i], &g->cos[i]);
    }
    g->changed |= moving;
}

/* The plugin's collisionCheck: the first pair whose corners are nearer than the sum of radii gets courses as in a
 * hit. */
CAROM_LANE void stones_check_pairs(stones_group *g)
{
    unsigned lanes = g->active;
    for (uint32_t i = 0; i < (uint32_t)g->stones; i++) {
        for (uint32_t j = i + 1; j < (uint32_t)g->stones && lanes != 0; j++) {
            vreal apart = stones_length(g->x[i] - g->x[j], g->y[i] - g->y[j]);
            vmask near = v_lt(apart, stones_radius(g, i) + stones_radius(g, j));
            near = m_and(near, m_from_bits(lanes & g->in_play[i] & g->in_play[j]));
            if (!m_any(near)) {
                continue;
            }

            /* The first of the pair is the striker: it leaves across the normal, the other along it. */
            vreal n = fd_atan2(g->y[j] - g->y[i], g->x[j] - g->x[i]), s, c;
            vreal tangent = stones_tangent(n, stones_relative(g->course[i], n));
            fd_sincos(tangent, &s, &c);
            g->course[i] = v_select(near, tangent, g->course[i]);
            g->cos[i] = v_select(near, c, g->cos[i]);
            g->sin[i] = v_select(near, s, g->sin[i]);
            fd_sincos(n, &s, &c);
            g->course[j] = v_select(near, n, g->course[j]);
            g->cos[j] = v_select(near, c, g->cos[j]);
            g->sin[j] = v_select(near, s, g->sin[j]);
            g->changed |= UINT32_C(1) << i | UINT32_C(1) << j;
            lanes &= ~m_bits(near);
        }
    }
}

/* The active lanes in which all numbers are in range; *nan: lanes of the others that hold a NaN. Stones that have not
 * changed are in range already. */
CAROM_LANE vmask stones_in_range(const stones_group *g, unsigned *nan)
{
    vmask in_range = m_from_bits(g->active);
    EACH_STONE (i, g->changed) {
        vmask shot = m_from_bits(g->shot[i]), there = m_from_bits(g->in_play[i] & g->active);
        vreal zero = v_set1(REAL(0.0));

        /* Path points count only on a path. */
        const vreal numbers[6] = {g->x[i],
                                  g->y[i],
                                  g->speed[i],
                                  g->traveled[i],
                                  v_select(shot, g->next_x[i], zero),
                                  v_select(shot, g->next_y[i], zero)};

        vmask good = stones_within(g->course[i], (real)STONES_COURSE);
        for (int k = 0; k < 6; k++) {
            good = m_and(good, stones_within(numbers[k], STONES_RANGE));
        }

        vmask bad = m_andnot(there, good);
        if (m_any(bad)) {
            vmask is_nan = v_ne(g->course[i], g->course[i]);
            for (int k = 0; k < 6; k++) {
                is_nan = m_or(is_nan, v_ne(numbers[k], numbers[k]));
            }
            *nan |= m_bits(m_and(bad, is_nan));
            in_range = m_andnot(in_range, bad);
        }
    }
    return in_range;
}

/* Takes stones outside of the ring out of play. out[p] counts those of player p in each lane; returns all. */
CAROM_LANE unsigned stones_leave(stones_group *g, vmask keep, vreal out[2])
{
    vreal ring = v_set1((real)g->context->ring), one = v_set1(REAL(1.0)), zero = v_set1(REAL(0.0));
    unsigned all = 0;
    for (uint32_t i = 0; i < (uint32_t)g->stones; i++) {
        vreal x = g->x[i] + stones_radius(g, i), y = g->y[i] + stones_radius(g, i);
        vmask outside = v_gt(x * x + y * y, ring * ring);
        outside = m_and(outside, m_and(keep, m_from_bits(g->in_play[i])));
        unsigned bits = m_bits(outside);
        if (bits != 0) {
            all += (unsigned)__builtin_popcount(bits);
            out[i & 1] = out[i & 1] + v_select(outside, one, zero);
            g->speed[i] = v_select(outside, zero, g->speed[i]);
            g->shot[i] = (uint16_t)(g->shot[i] & ~bits);
            g->in_play[i] = (uint16_t)(g->in_play[i] & ~bits);
            g->changed |= UINT32_C(1) << i;
        }
    }
    return all;
}

#endif
