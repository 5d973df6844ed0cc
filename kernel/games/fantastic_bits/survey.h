/* SPDX-License-Identifier: MIT
 * Which bodies may meet what in the time that is left: a filter over all lanes of a register group. What it lets
 * through is tried by the referee's own expressions (events.h); it only ever leaves out what those would not choose.
 *
 * Each body has the box that it sweeps in the time left, widened by its radius and at least FB_SLACK / 2. If the boxes
 * of two bodies are apart, their centres stay farther apart than R + FB_SLACK in x or in y, where R is the distance of
 * contact (at least 300), so f(t) = |p + w t|^2 - R^2 > (2 R + FB_SLACK) FB_SLACK throughout. The computed time of
 * contact is the root of a quadratic that differs from f by at most u |p| (35 |p| + 14 |w|) in [0, 1] (u: half a unit
 * in the last place; games/csb/rules.h counts the roundings). In the range that states are held to, |p| <= 2 sqrt(2)
 * FB_RANGE and, if impacts may double velocities, |w| <= 8 sqrt(2) FB_RANGE: that is 47 of 601 (f64) and 1.9e5 of 1.1e6
 * (f32). Walls, posts and goals are straight sums of such terms.
 *
 * Two boxes are apart if one of four numbers (low x, low y, -high x, -high y of the one) is greater than its like
 * (high x, high y, -low x, -low y) of the other. The sides of a box are rounded to whole multiples of FB_GRAIN, kept
 * within FB_LOW .. FB_HIGH, which changes no such order, and packed side by side into the fraction of one real (f64) or
 * two, each with a guard bit above it. One subtraction compares all at once: a guard bit stays set where the first is
 * greater. Every sum here is exact. */
#ifndef CAROM_GAMES_FANTASTIC_BITS_SURVEY_H
#define CAROM_GAMES_FANTASTIC_BITS_SURVEY_H

#include "games/fantastic_bits/events.h"

/* FB_WORDS reals a box. Fields are multiples of FB_GRAIN below 2^15; their guard is 2^15; the next one stands FB_NEXT
 * times higher, above the guard, for multiples of FB_GRAIN do not use the lowest bits. FB_BASE: its last place is
 * FB_GRAIN. FB_WIDE: added to a radius, rounded up to a multiple of FB_GRAIN, of which FB_GRAIN / 2 may be lost. */
#if CAROM_REAL_BITS == 64
#define FB_SLACK 1.0
#define FB_WORDS 1
#define FB_FIELDS 4
#define FB_GRAIN 8.0
#define FB_NEXT 8192.0
#define FB_BASE 36028797018963968.0 /* 2^55 */
#define FB_WIDE 4.5
#else
#define FB_SLACK 800.0f
#define FB_WORDS 2
#define FB_FIELDS 2
#define FB_GRAIN 32.0f
#define FB_NEXT 2048.0f
#define FB_BASE 268435456.0f /* 2^28 */
#define FB_WIDE 416.0f
#endif
#define FB_FULL REAL(32768.0)  /* 2^15 */
#define FB_ORIGIN REAL(8192.0) /* added to coordinates, that fields are not negative */
#define FB_LOW REAL(-7168.0)
#define FB_HIGH REAL(24000.0)

/* Lanes as bits. */
#if LANES <= 8
typedef uint8_t fb_lanes;
#else
typedef uint16_t fb_lanes;
#endif

/* What may happen, numbered: pairs, then wizards that may grab a snaffle, then bodies near an edge of the field. */
#define FB_EDGES 80 /* in words of their own */
#define FB_CODES 96
static const uint8_t fb_first_of[FB_MEETINGS] = {
    1,  2,  2,  3,  3,  3,  5,  6,  6,  7,  7,  7,  8,  8,  8,  8,  9,  9,  9,  9,  9,  10, 10, 10, 10, 10,
    10, 11, 11, 11, 11, 11, 11, 11, 11, 11, 11, 11, 12, 12, 12, 12, 12, 12, 12, 12, 12, 12, 12, 12, 0,  0,
    0,  0,  0,  0,  0,  1,  1,  1,  1,  1,  1,  1,  2,  2,  2,  2,  2,  2,  2,  3,  3,  3,  3,  3,  3,  3,
};
static const uint8_t fb_second_of[FB_MEETINGS] = {
    0, 0, 1, 0, 1,  2, 4, 4, 5, 4, 5, 6,  4, 5, 6, 7, 4, 5, 6,  7, 8, 4, 5,  6,  7, 8,
    9, 0, 1, 2, 3,  4, 5, 6, 7, 8, 9, 10, 0, 1, 2, 3, 4, 5, 6,  7, 8, 9, 10, 11, 4, 5,
    6, 7, 8, 9, 10, 4, 5, 6, 7, 8, 9, 10, 4, 5, 6, 7, 8, 9, 10, 4, 5, 6, 7,  8,  9, 10,
};

typedef struct fb_boxes {
    vreal one[FB_BODIES][FB_WORDS];   /* as the first of two, with all guards set and FB_BASE */
    vreal other[FB_BODIES][FB_WORDS]; /* as the second, a grain more: equal is not greater */
} fb_boxes;

typedef union fb_near {
    fb_lanes lanes[FB_CODES];
    uint64_t words[FB_CODES * sizeof(fb_lanes) / 8];
} fb_near;

/* The value v in every field of a word. */
#define FB_EACH_FIELD(v)                                                                                               \
    (FB_FIELDS == 4 ? (v) * (1 + FB_NEXT + FB_NEXT * FB_NEXT + FB_NEXT * FB_NEXT * FB_NEXT) : (v) * (1 + FB_NEXT))
/* Where the negated sides begin. */
#define FB_UPPER (FB_FIELDS == 4 ? FB_NEXT * FB_NEXT : FB_NEXT)
#define FB_UPPER_EACH(v) (FB_FIELDS == 4 ? (v) * FB_UPPER * (1 + FB_NEXT) : (v) * FB_UPPER)

/* The guard bits, as they stand in a real of FB_BASE. */
CAROM_LANE vreal fb_guards(void)
{
#if CAROM_REAL_BITS == 64
    const uint64_t bits = UINT64_C(1) << 12 | UINT64_C(1) << 25 | UINT64_C(1) << 38 | UINT64_C(1) << 51;
#else
    const uint32_t bits = UINT32_C(1) << 10 | UINT32_C(1) << 21;
#endif
    real guards;
    __builtin_memcpy(&guards, &bits, sizeof guards);
    return v_set1(guards);
}

/* A side of a box, moved by `wide`, as a field. */
CAROM_LANE vreal fb_side(vreal a, real wide)
{
    a = v_max(v_min(a, v_set1(FB_HIGH)), v_set1(FB_LOW));
    return v_sub(v_add(a, v_set1(FB_BASE + FB_ORIGIN + wide)), v_set1(FB_BASE));
}

CAROM_LANE real fb_width(int body)
{
    const int r = fb_radius(body);
    return FB_GRAIN * (real)(int)(((real)r + FB_WIDE + FB_GRAIN - 1) / FB_GRAIN);
}

/* The words of the box of body i. Returns the lanes in which it is well inside the field. */
CAROM_LANE vmask fb_box(fb_boxes *boxes, real (*rows)[ROUNDS_ROOM], int i, vreal left)
{
    const real wide = fb_width(i);
    const vreal x = v_loadu(rows[X + i]), y = v_loadu(rows[Y + i]);
    const vreal end_x = v_add(x, v_mul(v_loadu(rows[VX + i]), left));
    const vreal end_y = v_add(y, v_mul(v_loadu(rows[VY + i]), left));
    const vreal low_x = fb_side(v_min(x, end_x), -wide), low_y = fb_side(v_min(y, end_y), -wide);
    const vreal high_x = fb_side(v_max(x, end_x), wide), high_y = fb_side(v_max(y, end_y), wide);
    const vreal next = v_set1(FB_NEXT), upper = v_set1(FB_UPPER), full = v_set1(FB_UPPER_EACH(FB_FULL));
    const vreal guards = fb_guards(), base = v_set1(FB_BASE + FB_EACH_FIELD(FB_FULL));
    const vreal grain = v_set1(FB_EACH_FIELD(FB_GRAIN));
    vreal low[FB_WORDS], high[FB_WORDS];
    /* A field of the inner side is at most this. */
    const real near_x = FB_GRAIN * (real)(int)((FB_ORIGIN + FB_POST_RADIUS + FB_GRAIN - 1) / FB_GRAIN);
    const real near_y = FB_ORIGIN;
    const real far_x =
        FB_GRAIN * (real)(int)((FB_FULL - FB_ORIGIN - FB_WIDTH + FB_POST_RADIUS + FB_GRAIN - 1) / FB_GRAIN);
    const real far_y = FB_GRAIN * (real)(int)((FB_FULL - FB_ORIGIN - FB_HEIGHT + FB_GRAIN - 1) / FB_GRAIN);
    real edge[FB_WORDS];
#if FB_WORDS == 1
    low[0] = v_add(low_x, v_mul(low_y, next));
    high[0] = v_add(high_x, v_mul(high_y, next));
    edge[0] = (near_x + near_y * FB_NEXT) + FB_UPPER * (far_x + far_y * FB_NEXT);
#else
    (void)next;
    low[0] = low_x;
    high[0] = high_x;
    low[1] = low_y;
    high[1] = high_y;
    edge[0] = near_x + FB_UPPER * far_x;
    edge[1] = near_y + FB_UPPER * far_y;
#endif
    vmask inside = m_from_bits((1u << (LANES - 1) << 1) - 1);
    for (int k = 0; k < FB_WORDS; k++) {
        const vreal one = v_add(v_sub(full, v_mul(high[k], upper)), low[k]);
        boxes->one[i][k] = v_add(one, base);
        boxes->other[i][k] = v_add(v_add(v_sub(full, v_mul(low[k], upper)), high[k]), grain);
        inside = m_and(inside, v_disjoint(v_sub(v_set1(FB_BASE + FB_EACH_FIELD(FB_FULL) + edge[k]), one), guards));
    }
    return inside;
}

CAROM_LANE vmask fb_meet(const vreal one[FB_WORDS], const vreal other[FB_WORDS], vreal guards)
{
    vmask meet = v_disjoint(v_sub(one[0], other[0]), guards);
    for (int k = 1; k < FB_WORDS; k++) {
        meet = m_and(meet, v_disjoint(v_sub(one[k], other[k]), guards));
    }
    return meet;
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
    const vint flag = i_load32(flags);
    vmask loose[FB_SNAFFLES], real_one[FB_SNAFFLES];
    for (int s = 0; s < FB_SNAFFLES; s++) {
        loose[s] = m_and(there, fb_flag(flag, s));
        real_one[s] = m_and(there, fb_flag(flag, 8 + s));
    }
    const vreal guards = fb_guards();
    for (int i = 0; i < FB_BODIES; i++) {
        const vmask m = i < FB_SNAFFLE || i >= FB_BLUDGER ? there : loose[i - FB_SNAFFLE];
        near->lanes[FB_EDGES + i] = (fb_lanes)m_bits(m_andnot(m, fb_box(&boxes, rows, i, left)));
    }
    fb_lanes *to = near->lanes;
    for (int i = 1; i < FB_WIZARDS; i++) {
        for (int j = 0; j < i; j++) {
            *to++ = (fb_lanes)m_bits(m_and(there, fb_meet(boxes.one[i], boxes.other[j], guards)));
        }
    }
    for (int i = 1; i < FB_SNAFFLES; i++) {
        for (int j = 0; j < i; j++) {
            const vmask both = m_and(loose[i], loose[j]);
            *to++ =
                (fb_lanes)m_bits(m_and(both, fb_meet(boxes.one[FB_SNAFFLE + i], boxes.other[FB_SNAFFLE + j], guards)));
        }
    }
    for (int b = FB_BLUDGER; b < FB_BODIES; b++) {
        for (int i = 0; i < FB_WIZARDS; i++) {
            *to++ = (fb_lanes)m_bits(m_and(there, fb_meet(boxes.one[b], boxes.other[i], guards)));
        }
        for (int s = 0; s < FB_SNAFFLES; s++) {
            *to++ = (fb_lanes)m_bits(m_and(real_one[s], fb_meet(boxes.one[b], boxes.other[FB_SNAFFLE + s], guards)));
        }
        if (b > FB_BLUDGER) {
            *to++ = (fb_lanes)m_bits(m_and(there, fb_meet(boxes.one[b], boxes.other[FB_BLUDGER], guards)));
        }
    }
    /* A hand reaches less far than two radii. */
    for (int s = FB_SNAFFLE; s < FB_BLUDGER; s++) {
        const vreal less = v_set1(FB_EACH_FIELD(fb_width(FB_SNAFFLE)));
        for (int k = 0; k < FB_WORDS; k++) {
            boxes.other[s][k] = v_sub(boxes.other[s][k], less);
        }
    }
    for (int i = 0; i < FB_WIZARDS; i++) {
        const vmask able = fb_flag(flag, 16 + i);
        for (int s = 0; s < FB_SNAFFLES; s++) {
            *to++ = (fb_lanes)m_bits(
                m_and(m_and(able, loose[s]), fb_meet(boxes.one[i], boxes.other[FB_SNAFFLE + s], guards)));
        }
    }
    for (int k = FB_MEETINGS; k < FB_EDGES; k++) {
        near->lanes[k] = 0;
    }
    for (int k = FB_EDGES + FB_BODIES; k < FB_CODES; k++) {
        near->lanes[k] = 0;
    }
}

#define FB_PER_WORD ((int)(8 / sizeof(fb_lanes)))
#define FB_LANE_BITS (8 * (int)sizeof(fb_lanes))

/* The statements for every code and lane l in words [from, to) of near. */
#define FB_EACH_NEAR(near, from, to, ...)                                                                              \
    for (int word_ = (from); word_ < (to); word_++) {                                                                  \
        for (uint64_t rest_ = (near)->words[word_]; rest_ != 0; rest_ &= rest_ - 1) {                                  \
            const int bit_ = __builtin_ctzll(rest_), code = word_ * FB_PER_WORD + bit_ / FB_LANE_BITS;                 \
            const unsigned l = (unsigned)(bit_ % FB_LANE_BITS);                                                        \
            __VA_ARGS__                                                                                                \
        }                                                                                                              \
    }

CAROM_LANE real fb_reach(int code)
{
    return code < FB_PAIRS ? (real)(fb_radius(fb_first_of[code]) + fb_radius(fb_second_of[code])) : FB_GRASP;
}

/* Lists the meetings of all lanes. The codes that have lanes are found first, without a branch on any of them. */
CAROM_LANE size_t fb_list_meetings(fb_meetings *m, const fb_near *near, real (*rows)[ROUNDS_ROOM])
{
    uint8_t codes[FB_EDGES];
    unsigned code_count = 0;
    size_t count = 0;
    for (unsigned code = 0; code < FB_MEETINGS; code++) {
        codes[code_count] = (uint8_t)code;
        code_count += near->lanes[code] != 0;
    }
    for (unsigned k = 0; k < code_count; k++) {
        const int code = codes[k], a = fb_first_of[code], b = fb_second_of[code];
        const real reach = fb_reach(code);
        FB_EACH_LANE(near->lanes[code], m->dx[count] = rows[X + a][l] - rows[X + b][l];
                     m->dy[count] = rows[Y + a][l] - rows[Y + b][l]; m->vx[count] = rows[VX + a][l] - rows[VX + b][l];
                     m->vy[count] = rows[VY + a][l] - rows[VY + b][l]; m->reach2[count] = reach * reach;
                     m->begin[count] = rows[BEGIN][l]; m->code[count] = (uint8_t)code; m->lane[count++] = (uint8_t)l)
    }
    return count;
}

/* Notes the events of every lane, unsorted. */
CAROM_LANE void fb_look(fb_meetings *m, const fb_near *near, real (*rows)[ROUNDS_ROOM], const fb_mind *minds,
                        const int32_t *home, fb_lists *lists)
{
    const size_t count = fb_list_meetings(m, near, rows);
    for (size_t at = 0; at < count; at += LANES) {
        unsigned touch;
        const unsigned hit = m_bits(m_below(count - at)) & fb_meet_at(m, at, &touch);
        for (unsigned left = hit; left != 0; left &= left - 1) {
            const size_t k = at + (size_t)__builtin_ctz(left);
            const unsigned lane = m->lane[k];
            const int code = m->code[k], a = fb_first_of[code], b = fb_second_of[code];
            if (code < FB_PAIRS) {
                fb_note_pair(&minds[home[lane]], lists, lane, m->time[k], a, b);
            } else if ((touch >> (k - at) & 1) != 0) {
                fb_reach_for(&rows[0][lane], lists, lane, a, b);
            } else {
                fb_note(lists, lane, m->time[k], fb_order(a) + FB_WIZARD_GRAB + (b - FB_SNAFFLE), FB_HIT_GRAB, a, b);
            }
        }
    }
    FB_EACH_NEAR(near, FB_EDGES / FB_PER_WORD, FB_CODES / FB_PER_WORD,
                 { fb_try_edge(&rows[0][l], &minds[home[l]], lists, l, code - FB_EDGES); })
}

#endif
