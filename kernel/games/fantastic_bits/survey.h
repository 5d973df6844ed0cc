/* SPDX-License-Identifier: MIT
 * Which bodies may meet what in the time that is left: a filter over all lanes of a register group. What it lets
 * through is tried by the referee's own expressions (events.h), lane by lane; it only ever leaves out what those would
 * not choose.
 *
 * Each body has the box that it sweeps in the time left, widened by its radius and FB_SLACK / 2. If the boxes of two
 * bodies are apart, their centres stay farther apart than R + FB_SLACK in x or in y, where R is the distance of contact
 * (at least 300), so f(t) = |p + w t|^2 - R^2 > (2 R + FB_SLACK) FB_SLACK throughout. The computed time of contact is
 * the root of a quadratic that differs from f by at most u |p| (35 |p| + 14 |w|) in [0, 1] (u: half a unit in the last
 * place; games/csb/rules.h counts the roundings). In the range that states are held to, |p| <= 2 sqrt(2) FB_RANGE and,
 * if impacts may double velocities, |w| <= 8 sqrt(2) FB_RANGE: that is 47 of 601 (f64) and 1.9e5 of 1.1e6 (f32). Walls,
 * posts and goals are straight sums of such terms. */
#ifndef CAROM_GAMES_FANTASTIC_BITS_SURVEY_H
#define CAROM_GAMES_FANTASTIC_BITS_SURVEY_H

#include "games/fantastic_bits/events.h"

#if CAROM_REAL_BITS == 64
#define FB_SLACK 1.0
#else
#define FB_SLACK 800.0f
#endif

/* Lanes as bits. */
#if LANES <= 8
typedef uint8_t fb_lanes;
#else
typedef uint16_t fb_lanes;
#endif

/* What may happen, numbered: pairs, then wizards that may grab a snaffle, then bodies near an edge of the field. */
#define FB_PAIRS 50
#define FB_GRABS FB_PAIRS
#define FB_EDGES (FB_GRABS + FB_WIZARDS * FB_SNAFFLES)
#define FB_CODES 96 /* rounded up to whole words */
static const uint8_t fb_pair_first[FB_PAIRS] = {
    1,  2,  2,  3,  3,  3,                                                           /* wizards */
    5,  6,  6,  7,  7,  7,  8,  8,  8,  8,  9,  9,  9, 9, 9, 10, 10, 10, 10, 10, 10, /* snaffles */
    11, 11, 11, 11, 11, 11, 11, 11, 11, 11, 11,                                      /* bludgers */
    12, 12, 12, 12, 12, 12, 12, 12, 12, 12, 12, 12,
};
static const uint8_t fb_pair_second[FB_PAIRS] = {
    0, 0, 1, 0, 1, 2,                                                      /**/
    4, 4, 5, 4, 5, 6, 4, 5, 6, 7, 4,  5, 6, 7, 8, 4, 5, 6, 7, 8, 9,        /**/
    0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11 /**/
};

typedef struct fb_boxes {
    vreal low_x[FB_BODIES], high_x[FB_BODIES], low_y[FB_BODIES], high_y[FB_BODIES];
} fb_boxes;

typedef union fb_near {
    fb_lanes lanes[FB_CODES];
    uint64_t words[FB_CODES * sizeof(fb_lanes) / 8];
} fb_near;

CAROM_LANE void fb_box(fb_boxes *boxes, real (*rows)[ROUNDS_ROOM], int i, vreal left)
{
    const vreal wide = v_set1((real)fb_radius(i) + FB_SLACK / 2);
    const vreal x = v_loadu(rows[X + i]), y = v_loadu(rows[Y + i]);
    const vreal end_x = v_add(x, v_mul(v_loadu(rows[VX + i]), left));
    const vreal end_y = v_add(y, v_mul(v_loadu(rows[VY + i]), left));
    boxes->low_x[i] = v_sub(v_min(x, end_x), wide);
    boxes->high_x[i] = v_add(v_max(x, end_x), wide);
    boxes->low_y[i] = v_sub(v_min(y, end_y), wide);
    boxes->high_y[i] = v_add(v_max(y, end_y), wide);
}

CAROM_LANE vmask fb_meet(const fb_boxes *boxes, vmask m, int i, int j)
{
    m = v_le_and(m, boxes->low_x[i], boxes->high_x[j]);
    m = v_le_and(m, boxes->low_x[j], boxes->high_x[i]);
    m = v_le_and(m, boxes->low_y[i], boxes->high_y[j]);
    return v_le_and(m, boxes->low_y[j], boxes->high_y[i]);
}

/* Near a wall or a post. */
CAROM_LANE vmask fb_at_edge(const fb_boxes *boxes, vmask m, int i)
{
    const real r = FB_POST_RADIUS;
    const vreal zero = v_set1(REAL(0.0)), low_x = boxes->low_x[i], high_x = boxes->high_x[i];
    const vreal low_y = boxes->low_y[i], high_y = boxes->high_y[i];
    vmask wall = v_le_and(m, low_x, zero);
    wall = m_or(wall, v_le_and(m, v_set1((real)FB_WIDTH), high_x));
    wall = m_or(wall, v_le_and(m, low_y, zero));
    wall = m_or(wall, v_le_and(m, v_set1((real)FB_HEIGHT), high_y));
    const vmask side = m_or(v_le_and(m, low_x, v_set1(r)), v_le_and(m, v_set1(FB_WIDTH - r), high_x));
    const vmask top = v_le_and(v_le_and(side, low_y, v_set1(FB_MOUTH_TOP + r)), v_set1(FB_MOUTH_TOP - r), high_y);
    const vmask bottom =
        v_le_and(v_le_and(side, low_y, v_set1(FB_MOUTH_BOTTOM + r)), v_set1(FB_MOUTH_BOTTOM - r), high_y);
    return m_or(wall, m_or(top, bottom));
}

/* Lanes in which bit k of `flags` is set. */
CAROM_LANE vmask fb_flag(vint flags, int k)
{
    const vint bit = i_set1(1 << k);
    return i_eq(i_and(flags, bit), bit);
}

CAROM_LANE void fb_survey(fb_near *near, real (*rows)[ROUNDS_ROOM], vmask there, const fb_mind *minds,
                          const int32_t *home)
{
    fb_boxes boxes;
    alignas(64) int32_t flags[LANES];
    const vreal left = v_sub(v_set1(REAL(1.0)), v_loadu(rows[BEGIN]));
    const unsigned lanes = m_bits(there);
    for (unsigned l = 0; l < LANES; l++) {
        const fb_mind *mind = &minds[lanes >> l & 1 ? home[l] : 0];
        flags[l] = mind->free | mind->all << 8 | mind->able << 16;
    }
    for (int i = 0; i < FB_BODIES; i++) {
        fb_box(&boxes, rows, i, left);
    }
    const vint flag = i_load32(flags);
    vmask loose[FB_SNAFFLES], real_one[FB_SNAFFLES];
    for (int s = 0; s < FB_SNAFFLES; s++) {
        loose[s] = m_and(there, fb_flag(flag, s));
        real_one[s] = m_and(there, fb_flag(flag, 8 + s));
    }
    fb_lanes *to = near->lanes;
    for (int i = 1; i < FB_WIZARDS; i++) {
        for (int j = 0; j < i; j++) {
            *to++ = (fb_lanes)m_bits(fb_meet(&boxes, there, i, j));
        }
    }
    for (int i = 1; i < FB_SNAFFLES; i++) {
        for (int j = 0; j < i; j++) {
            const vmask both = m_and(loose[i], loose[j]);
            *to++ = (fb_lanes)m_bits(fb_meet(&boxes, both, FB_SNAFFLE + i, FB_SNAFFLE + j));
        }
    }
    for (int b = FB_BLUDGER; b < FB_BODIES; b++) {
        for (int i = 0; i < FB_WIZARDS; i++) {
            *to++ = (fb_lanes)m_bits(fb_meet(&boxes, there, b, i));
        }
        for (int s = 0; s < FB_SNAFFLES; s++) {
            *to++ = (fb_lanes)m_bits(fb_meet(&boxes, real_one[s], b, FB_SNAFFLE + s));
        }
        if (b > FB_BLUDGER) {
            *to++ = (fb_lanes)m_bits(fb_meet(&boxes, there, b, FB_BLUDGER));
        }
    }
    for (int i = 0; i < FB_BODIES; i++) {
        const vmask m = i < FB_SNAFFLE || i >= FB_BLUDGER ? there : loose[i - FB_SNAFFLE];
        near->lanes[FB_EDGES + i] = (fb_lanes)m_bits(fb_at_edge(&boxes, m, i));
    }
    /* A hand reaches less far than two radii. */
    for (int s = FB_SNAFFLE; s < FB_BLUDGER; s++) {
        const vreal less = v_set1((real)FB_SNAFFLE_RADIUS);
        boxes.low_x[s] = v_add(boxes.low_x[s], less);
        boxes.high_x[s] = v_sub(boxes.high_x[s], less);
        boxes.low_y[s] = v_add(boxes.low_y[s], less);
        boxes.high_y[s] = v_sub(boxes.high_y[s], less);
    }
    for (int i = 0; i < FB_WIZARDS; i++) {
        const vmask able = fb_flag(flag, 16 + i);
        for (int s = 0; s < FB_SNAFFLES; s++) {
            *to++ = (fb_lanes)m_bits(fb_meet(&boxes, m_and(able, loose[s]), i, FB_SNAFFLE + s));
        }
    }
    for (int k = FB_EDGES + FB_BODIES; k < FB_CODES; k++) {
        near->lanes[k] = 0;
    }
}

/* The events of every lane, each list unsorted. */
CAROM_LANE void fb_look(const fb_near *near, real (*rows)[ROUNDS_ROOM], const fb_mind *minds, const int32_t *home,
                        fb_list *lists)
{
    const int per_word = (int)(8 / sizeof(fb_lanes)), bits = 8 * (int)sizeof(fb_lanes);
    const uint64_t all = ((uint64_t)1 << bits) - 1;
    for (int word = 0; word < FB_CODES / per_word; word++) {
        for (uint64_t left = near->words[word]; left != 0;) {
            const int place = __builtin_ctzll(left) / bits, code = word * per_word + place;
            const unsigned lanes = near->lanes[code];
            left &= ~(all << place * bits);
            if (code < FB_PAIRS) {
                fb_try_pair(rows, minds, home, lists, lanes, fb_pair_first[code], fb_pair_second[code]);
            } else if (code < FB_EDGES) {
                const int grab = code - FB_GRABS;
                fb_try_grab(rows, lists, lanes, grab / FB_SNAFFLES, FB_SNAFFLE + grab % FB_SNAFFLES);
            } else {
                FB_EACH_LANE(lanes, fb_try_edge(&rows[0][l], &minds[home[l]], &lists[l], code - FB_EDGES))
            }
        }
    }
}

#endif
