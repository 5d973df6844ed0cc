/* SPDX-License-Identifier: MIT
 * A register group of worlds during a tick. State that may change is copied here; the tile stays as it was until the
 * tick is known to be in range. Stones are rows, worlds are lanes, and sets of lanes are bits.
 */
#ifndef CAROM_GAMES_STONES_GROUP_H
#define CAROM_GAMES_STONES_GROUP_H

#include "games/stones/rules.h"

#define RULES_FIELDS STONES_FIELDS
#define RULES_PLAYERS 2
#define RULES_OBSERVATION CAROM_STONES_OBSERVATION
#define RULES_DRAWN STONES_PUSH_SIZE
typedef stones_context rules_context;

#include "tick/run.h"

/* Arrays have one entry per stone; fields of the state keep their name and meaning. */
typedef struct stones_group {
    const stones_context *context;
    tick_world w;
    unsigned home, active; /* its first world; lanes that play */
    int stones;            /* rows in use */

    vreal x[STONES_MAX], y[STONES_MAX], speed[STONES_MAX], course[STONES_MAX], unused[STONES_MAX];
    vreal cos[STONES_MAX], sin[STONES_MAX]; /* of the course */

    /* Paths of pushes, and the point that a stone goes to next. */
    vreal curve[STONES_MAX], shot_course[STONES_MAX], origin_x[STONES_MAX], origin_y[STONES_MAX];
    vreal distance[STONES_MAX], traveled[STONES_MAX], next_x[STONES_MAX], next_y[STONES_MAX];

    uint16_t in_play[STONES_MAX], shot[STONES_MAX]; /* lanes */
    uint16_t moving[STONES_MAX];                    /* lanes: in play, with speed and time left */

    /* Derived from these by stones_prepare(): the centre, and the way that is left in this tick, its length first. */
    vreal centre_x[STONES_MAX], centre_y[STONES_MAX], step[STONES_MAX], way_x[STONES_MAX], way_y[STONES_MAX];

    uint16_t near[STONES_MAX][STONES_MAX]; /* lanes in which the pair may hit; symmetric */
    uint32_t changed;                      /* set of stones whose rows must be stored */
    vreal sweeps;                          /* made so far */
} stones_group;

/* A group is too large to have one for each group of a run, so they are played one after the other. */
struct rules_scratch {
    stones_group group;
    vreal out[RUN_GROUPS][2]; /* stones of each player that left the ring in this tick */
};

/* For each stone i of a set, from the lowest on. */
#define EACH_STONE(i, bits)                                                                                            \
    for (uint32_t i##_left = (bits), i = 0; i##_left != 0 && (i = (uint32_t)__builtin_ctz(i##_left), true);            \
         i##_left &= i##_left - 1)

CAROM_LANE vreal stones_radius(const stones_group *g, uint32_t i)
{
    return get_radius(g->w, i);
}

/* The lanes in which a flag is set. */
CAROM_LANE unsigned stones_flags(vint flags)
{
    return m_bits(i_gt(flags, i_set1(0)));
}

/* Flags, 1 in the given lanes and 0 elsewhere. */
CAROM_LANE vint stones_flags_of(unsigned bits)
{
    return i_select(m_from_bits(bits), i_set1(1), i_set1(0));
}

/* Copies the state of a group. A new tick gives every stone in play its whole time. */
CAROM_LANE void stones_load(stones_group *g)
{
    const tick_world w = g->w;
    for (int i = 0; i < g->stones; i++) {
        g->x[i] = get_px(w, i);
        g->y[i] = get_py(w, i);
        g->speed[i] = get_speed(w, i);
        g->course[i] = get_course(w, i);
        g->cos[i] = get_course_cos(w, i);
        g->sin[i] = get_course_sin(w, i);
        g->traveled[i] = get_shot_traveled(w, i);
        g->in_play[i] = (uint16_t)stones_flags(get_in_play(w, i));
        g->shot[i] = (uint16_t)stones_flags(get_shot(w, i));
        g->next_x[i] = get_next_x(w, i);
        g->next_y[i] = get_next_y(w, i);
        g->curve[i] = get_curve(w, i);
        g->shot_course[i] = get_shot_course(w, i);
        g->origin_x[i] = get_origin_x(w, i);
        g->origin_y[i] = get_origin_y(w, i);
        g->distance[i] = get_shot_distance(w, i);
        g->unused[i] = v_select(m_from_bits(g->in_play[i]), v_set1(REAL(1.0)), get_unused(w, i));
    }
    g->changed = 0;
}

/* Writes the new state of the lanes that are kept. */
CAROM_LANE void stones_store(const stones_group *g, tick_kept kept)
{
    const tick_world w = g->w;
    for (int i = 0; i < g->stones; i++) {
        set_unused(w, i, g->unused[i], kept);
    }
    EACH_STONE (i, g->changed) {
        set_px(w, i, g->x[i], kept);
        set_py(w, i, g->y[i], kept);
        set_speed(w, i, g->speed[i], kept);
        set_course(w, i, g->course[i], kept);
        set_course_cos(w, i, g->cos[i], kept);
        set_course_sin(w, i, g->sin[i], kept);
        set_shot_traveled(w, i, g->traveled[i], kept);
        set_shot(w, i, stones_flags_of(g->shot[i]), kept);
        set_in_play(w, i, stones_flags_of(g->in_play[i]), kept);
        set_next_x(w, i, g->next_x[i], kept);
        set_next_y(w, i, g->next_y[i], kept);
        set_curve(w, i, g->curve[i], kept);
        set_shot_course(w, i, g->shot_course[i], kept);
        set_origin_x(w, i, g->origin_x[i], kept);
        set_origin_y(w, i, g->origin_y[i], kept);
        set_shot_distance(w, i, g->distance[i], kept);
    }
    set_sweeps(w, 0, v_truncate(g->sweeps), kept);
}

/* Derives centre and way of stone i. The way is as long as its speed, or on a path as the distance to its next point,
 * times the time that it has. (The plugin computes it once and keeps it until the stone moves; nothing that it depends
 * on changes before.) */
CAROM_LANE void stones_prepare(stones_group *g, uint32_t i)
{
    vreal zero = v_set1(REAL(0.0)), radius = stones_radius(g, i);
    vmask in_play = m_from_bits(g->in_play[i]), shot = m_from_bits(g->shot[i]);
    vmask fast = m_and(in_play, v_ne(g->speed[i], zero));
    g->moving[i] = (uint16_t)m_bits(m_and(fast, v_ne(g->unused[i], zero)));

    g->centre_x[i] = g->x[i] + radius;
    g->centre_y[i] = g->y[i] + radius;

    /* Most stones rest, and have no way. */
    g->step[i] = g->way_x[i] = g->way_y[i] = zero;
    if (m_any(m_or(fast, m_and(in_play, shot)))) {
        vreal step = g->speed[i];
        if (m_any(shot)) {
            step = v_select(shot, stones_length(g->next_x[i] - g->x[i], g->next_y[i] - g->y[i]), step);
        }
        step = step * g->unused[i];
        g->step[i] = step;
        g->way_x[i] = g->centre_x[i] + g->cos[i] * step - g->centre_x[i];
        g->way_y[i] = g->centre_y[i] + g->sin[i] * step - g->centre_y[i];
    }
}

CAROM_LANE stones_touch stones_pair(const stones_group *g, uint32_t i, uint32_t j)
{
    return stones_touching(g->centre_x[i] - g->centre_x[j], g->centre_y[i] - g->centre_y[j], g->way_x[i] - g->way_x[j],
                           g->way_y[i] - g->way_y[j], stones_radius(g, i) + stones_radius(g, j));
}

/* Filters all pairs of which a stone is in `bits`, each once. */
CAROM_LANE void stones_look(stones_group *g, uint32_t bits)
{
    EACH_STONE (i, bits) {
        const vreal x = g->centre_x[i], y = g->centre_y[i], way_x = g->way_x[i], way_y = g->way_y[i];
        const vreal radius = stones_radius(g, i);
        for (uint32_t j = 0; j < (uint32_t)g->stones; j++) {
            if (j == i || (j < i && (bits >> j & 1) != 0)) {
                continue;
            }

            /* Both must be in play and one of them in motion. */
            unsigned near = g->in_play[i] & g->in_play[j] & (unsigned)(g->moving[i] | g->moving[j]);
            if (near != 0) {
                stones_touch touch = stones_touching(x - g->centre_x[j], y - g->centre_y[j], way_x - g->way_x[j],
                                                     way_y - g->way_y[j], radius + stones_radius(g, j));
                near &= m_bits(stones_may_hit(&touch));
            }
            g->near[i][j] = g->near[j][i] = (uint16_t)near;
        }
    }
}

#endif
