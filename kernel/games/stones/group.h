/* SPDX-License-Identifier: MIT
 * A register group of worlds during a tick: what may change is held here, and the tile stays as it was until the tick
 * is known to be sound. A lane is a world; stones are rows. Masks of lanes are kept as bits.
 */
#ifndef CAROM_GAMES_STONES_GROUP_H
#define CAROM_GAMES_STONES_GROUP_H

#include "games/stones/rules.h"

#define GROUPS (CAROM_TILE / LANES)

typedef struct stones_group {
    const stones_context *context;
    stones_tile *tile;
    unsigned at;     /* the group's first lane in the tile */
    unsigned active; /* lanes that play */
    int stones;      /* rows in use */

    vreal x[STONES_MAX], y[STONES_MAX], speed[STONES_MAX], course[STONES_MAX], unused[STONES_MAX];
    vreal cos[STONES_MAX], sin[STONES_MAX]; /* of the course */
    /* Paths of pushes; next: the point that a stone goes to. */
    vreal curve[STONES_MAX], shot_course[STONES_MAX], origin_x[STONES_MAX], origin_y[STONES_MAX];
    vreal distance[STONES_MAX], traveled[STONES_MAX], next_x[STONES_MAX], next_y[STONES_MAX];
    uint16_t in_play[STONES_MAX], shot[STONES_MAX];
    uint16_t moving[STONES_MAX]; /* in play, with speed and time */

    /* What follows from these: the centre, the length of the tick's way, and the way. */
    vreal centre_x[STONES_MAX], centre_y[STONES_MAX], step[STONES_MAX], way_x[STONES_MAX], way_y[STONES_MAX];

    uint16_t near[STONES_MAX][STONES_MAX]; /* lanes in which the pair may hit; symmetric */
    uint32_t changed;                      /* stones whose rows are to be stored */
    vreal sweeps;
} stones_group;

static_assert(sizeof(stones_group) <= STONES_SCRATCH_BYTES, "STONES_SCRATCH_BYTES is too small");

/* Stones as bits, from the lowest. */
#define EACH_STONE(i, bits)                                                                                            \
    for (uint32_t i##_left = (bits), i; i##_left != 0 && (i = (uint32_t)__builtin_ctz(i##_left), true);                \
         i##_left &= i##_left - 1)

CAROM_LANE vreal stones_radius(const stones_group *g, uint32_t i)
{
    return v_load(&g->tile->radius[i][g->at]);
}

CAROM_LANE unsigned stones_flags(const int8_t *from)
{
    return m_bits(i_gt(i_load8(from), i_set1(0)));
}

CAROM_LANE void stones_load(stones_group *g)
{
    const stones_tile *tile = g->tile;
    const unsigned at = g->at;
    for (int i = 0; i < g->stones; i++) {
        g->x[i] = v_load(&tile->px[i][at]);
        g->y[i] = v_load(&tile->py[i][at]);
        g->speed[i] = v_load(&tile->speed[i][at]);
        g->course[i] = v_load(&tile->course[i][at]);
        g->cos[i] = v_load(&tile->course_cos[i][at]);
        g->sin[i] = v_load(&tile->course_sin[i][at]);
        g->traveled[i] = v_load(&tile->shot_traveled[i][at]);
        g->in_play[i] = (uint16_t)stones_flags(&tile->in_play[i][at]);
        g->shot[i] = (uint16_t)stones_flags(&tile->shot[i][at]);
        g->next_x[i] = v_load(&tile->next_x[i][at]);
        g->next_y[i] = v_load(&tile->next_y[i][at]);
        g->curve[i] = v_load(&tile->curve[i][at]);
        g->shot_course[i] = v_load(&tile->shot_course[i][at]);
        g->origin_x[i] = v_load(&tile->origin_x[i][at]);
        g->origin_y[i] = v_load(&tile->origin_y[i][at]);
        g->distance[i] = v_load(&tile->shot_distance[i][at]);
        g->unused[i] = v_select(m_from_bits(g->in_play[i]), v_set1(REAL(1.0)), v_load(&tile->unused[i][at]));
    }
    g->changed = 0;
}

CAROM_LANE void stones_put(real *to, vreal a, vmask keep)
{
    v_store(to, v_select(keep, a, v_load(to)));
}

CAROM_LANE void stones_put_flag(int8_t *to, unsigned bits, vmask keep)
{
    vint flag = i_select(m_from_bits(bits), i_set1(1), i_set1(0));
    i_store8(to, i_select(keep, flag, i_load8(to)));
}

/* The new state of the kept lanes into the tile. */
CAROM_LANE void stones_store(const stones_group *g, vmask keep)
{
    stones_tile *tile = g->tile;
    const unsigned at = g->at;
    for (int i = 0; i < g->stones; i++) {
        stones_put(&tile->unused[i][at], g->unused[i], keep);
    }
    EACH_STONE(i, g->changed)
    {
        stones_put(&tile->px[i][at], g->x[i], keep);
        stones_put(&tile->py[i][at], g->y[i], keep);
        stones_put(&tile->speed[i][at], g->speed[i], keep);
        stones_put(&tile->course[i][at], g->course[i], keep);
        stones_put(&tile->course_cos[i][at], g->cos[i], keep);
        stones_put(&tile->course_sin[i][at], g->sin[i], keep);
        stones_put(&tile->shot_traveled[i][at], g->traveled[i], keep);
        stones_put_flag(&tile->shot[i][at], g->shot[i], keep);
        stones_put_flag(&tile->in_play[i][at], g->in_play[i], keep);
        stones_put(&tile->next_x[i][at], g->next_x[i], keep);
        stones_put(&tile->next_y[i][at], g->next_y[i], keep);
        stones_put(&tile->curve[i][at], g->curve[i], keep);
        stones_put(&tile->shot_course[i][at], g->shot_course[i], keep);
        stones_put(&tile->origin_x[i][at], g->origin_x[i], keep);
        stones_put(&tile->origin_y[i][at], g->origin_y[i], keep);
        stones_put(&tile->shot_distance[i][at], g->distance[i], keep);
    }
    i_store8(&tile->sweeps[0][at], i_select(keep, v_truncate(g->sweeps), i_load8(&tile->sweeps[0][at])));
}

/* What follows from the state of stone i. The length of its way is that of its speed or to its next point, times the
 * time it has. (The plugin remembers it until the stone is moved; nothing that it is made of changes before.) */
CAROM_LANE void stones_prepare(stones_group *g, uint32_t i)
{
    vreal zero = v_set1(REAL(0.0)), radius = stones_radius(g, i);
    vmask in_play = m_from_bits(g->in_play[i]), shot = m_from_bits(g->shot[i]);
    vmask fast = m_and(in_play, v_ne(g->speed[i], zero));
    g->moving[i] = (uint16_t)m_bits(m_and(fast, v_ne(g->unused[i], zero)));
    g->centre_x[i] = v_add(g->x[i], radius);
    g->centre_y[i] = v_add(g->y[i], radius);
    g->step[i] = g->way_x[i] = g->way_y[i] = zero;
    if (m_any(m_or(fast, m_and(in_play, shot)))) {
        vreal step = g->speed[i];
        if (m_any(shot)) {
            step = v_select(shot, stones_length(v_sub(g->next_x[i], g->x[i]), v_sub(g->next_y[i], g->y[i])), step);
        }
        step = v_mul(step, g->unused[i]);
        g->step[i] = step;
        g->way_x[i] = v_sub(v_add(g->centre_x[i], v_mul(g->cos[i], step)), g->centre_x[i]);
        g->way_y[i] = v_sub(v_add(g->centre_y[i], v_mul(g->sin[i], step)), g->centre_y[i]);
    }
}

/* Lanes in which the stones of a pair are both in play and one of them is in motion. */
CAROM_LANE unsigned stones_pair_lanes(const stones_group *g, uint32_t i, uint32_t j)
{
    return g->in_play[i] & g->in_play[j] & (unsigned)(g->moving[i] | g->moving[j]);
}

CAROM_LANE stones_touch stones_pair(const stones_group *g, uint32_t i, uint32_t j)
{
    return stones_touching(v_sub(g->centre_x[i], g->centre_x[j]), v_sub(g->centre_y[i], g->centre_y[j]),
                           v_sub(g->way_x[i], g->way_x[j]), v_sub(g->way_y[i], g->way_y[j]),
                           v_add(stones_radius(g, i), stones_radius(g, j)));
}

/* Looks anew at all pairs of which a stone is in `bits`. */
CAROM_LANE void stones_look(stones_group *g, uint32_t bits)
{
    EACH_STONE(i, bits)
    {
        const vreal x = g->centre_x[i], y = g->centre_y[i], way_x = g->way_x[i], way_y = g->way_y[i];
        const vreal radius = stones_radius(g, i);
        for (uint32_t j = 0; j < (uint32_t)g->stones; j++) {
            if (j == i || (j < i && (bits >> j & 1) != 0)) {
                continue;
            }
            unsigned near = stones_pair_lanes(g, i, j);
            if (near != 0) {
                stones_touch touch =
                    stones_touching(v_sub(x, g->centre_x[j]), v_sub(y, g->centre_y[j]), v_sub(way_x, g->way_x[j]),
                                    v_sub(way_y, g->way_y[j]), v_add(radius, stones_radius(g, j)));
                near &= m_bits(stones_may_hit(&touch));
            }
            g->near[i][j] = g->near[j][i] = (uint16_t)near;
        }
    }
}

#endif
