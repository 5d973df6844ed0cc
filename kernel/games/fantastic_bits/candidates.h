/* SPDX-License-Identifier: MIT
 * The possible next events (RULES.md, section 4), in three steps: a filter over all lanes of a register group, which
 * drops candidates that the rules would not choose; the times of those that pass, several groups at once; and for each
 * world the list of the events that may come first, by the referee's own expressions.
 */
#ifndef CAROM_GAMES_FANTASTIC_BITS_CANDIDATES_H
#define CAROM_GAMES_FANTASTIC_BITS_CANDIDATES_H

#include "base/little.h"
#include "games/fantastic_bits/turn.h"

/* Meetings: pairs that bounce off each other, and hands that can grab a snaffle. */
#define FB_PAIRS 50
#define FB_MEETINGS (FB_PAIRS + FB_WIZARDS * FB_SNAFFLES)

/* A listed event. Among equal times the lower order acts first. */
typedef struct fb_event {
    real time;
    uint8_t order, kind, first, second; /* order, kind: see fb_order(), below; the rest as in carom_event */
} fb_event;

/* The events of a group's worlds in one round. Only events within FB_EPS of a world's earliest act, so later ones need
 * not be listed. */
#define FB_LISTED 160 /* there cannot be more than 150 */
typedef struct fb_lists {
    alignas(64) real first[LANES]; /* time of the earliest event so far; 2: none */
    unsigned count[LANES];
    fb_event events[LANES][FB_LISTED];
    unsigned reaching[LANES];               /* bit i: wizard i has a snaffle within reach */
    int8_t nearest[LANES][FB_WIZARDS];      /* the nearest such snaffle */
    real nearest_square[LANES][FB_WIZARDS]; /* and the square of its distance */
} fb_lists;

/* A set of lanes as bits, in the smallest type that holds it. */
#if LANES <= 8
typedef uint8_t fb_lanes;
#else
typedef uint16_t fb_lanes;
#endif

/* Possible events of the worlds of a group: the lanes of each code. Codes count the pairs, then the grabs, and from
 * FB_EDGES on, where a new word begins, the bodies near an edge of the field. */
#define FB_EDGES 80
#define FB_CODES 96
typedef union fb_near {
    fb_lanes lanes[FB_CODES];
    uint64_t words[FB_CODES * sizeof(fb_lanes) / 8];
} fb_near;

/* Possible meetings of several groups, adjacent in full registers: relative positions and velocities, and the numbers
 * computed from them. They are solved as soon as there are FB_ENOUGH. */
#define FB_ENOUGH 256
#define FB_NEAR_ROOM (FB_ENOUGH + FB_MEETINGS * LANES + LANES)
typedef struct fb_meetings {
    alignas(64) real dx[FB_NEAR_ROOM];
    alignas(64) real dy[FB_NEAR_ROOM];
    alignas(64) real vx[FB_NEAR_ROOM];
    alignas(64) real vy[FB_NEAR_ROOM];
    alignas(64) real reach2[FB_NEAR_ROOM]; /* square of the distance of contact */
    alignas(64) real begin[FB_NEAR_ROOM];  /* time of the world */
    alignas(64) real time[FB_NEAR_ROOM];   /* of contact */
    int32_t name[FB_NEAR_ROOM];            /* code | (group of the round * LANES + lane) << 8 */
} fb_meetings;

/* A meeting that happens. Hits are in the order of their groups. */
typedef struct fb_hit {
    real time;
    uint8_t code, column; /* column: group of the round * LANES + lane */
    bool touch;           /* they are already within the distance of contact */
} fb_hit;

static_assert(RUN_WORLDS <= 256, "a column is a byte");

/* The results of all groups of a round. */
typedef struct fb_sight {
    size_t count, next; /* count: of hits; next: the first hit of the groups that have not yet taken their step */
    fb_near near[RUN_GROUPS];
    rounds_row *rows[RUN_GROUPS];
    fb_hit hits[RUN_WORLDS * FB_MEETINGS];
} fb_sight;

/* ---- the filter ---- */

/* Each body has the box that it sweeps in the time left, widened by its radius and at least FB_SLACK / 2. If the boxes
 * of two bodies are apart, their centres stay farther apart than R + FB_SLACK in x or in y, where R is the distance of
 * contact (at least 300), so f(t) = |p + w t|^2 - R^2 > (2 R + FB_SLACK) FB_SLACK throughout. The computed time of
 * contact is the root of a quadratic that differs from f by at most u |p| (35 |p| + 14 |w|) in [0, 1] (u: half a unit
 * in the last place; games/csb/rules.h counts the roundings). In the range of valid states, |p| <= 2 sqrt(2) FB_RANGE
 * and, if impacts may double velocities, |w| <= 8 sqrt(2) FB_RANGE: that is 47 of 601 (f64) and 1.9e5 of 1.1e6 (f32).
 * Walls, posts and goals are straight sums of such terms.
 *
 * Two boxes are apart if one of four numbers of the first (low x, low y, -high x, -high y) is greater than its
 * counterpart of the second (high x, high y, -low x, -low y). All four comparisons take one subtraction (two in f32):
 * the sides of a box are rounded to multiples of FB_GRAIN, clamped to FB_LOW .. FB_HIGH, which keeps their order, and
 * packed next to each other into the fraction of a real, each with a guard bit above it. A guard bit stays set where
 * the first number is greater. Every sum here is exact. */

/* A box is FB_WORDS reals of FB_WORD_FIELDS fields each. A field is a multiple of FB_GRAIN below 2^15, and its guard
 * bit is 2^15. The next field begins at FB_NEXT times FB_GRAIN, just above the guard. FB_BASE is a number whose last
 * place is FB_GRAIN: adding it rounds to a multiple of that. FB_WIDE is added to a radius before it is rounded up to a
 * multiple of FB_GRAIN, since rounding a side may remove FB_GRAIN / 2. */
#if CAROM_REAL_BITS == 64
#define FB_SLACK 1.0
#define FB_WORDS 1
#define FB_WORD_FIELDS 4
#define FB_GRAIN 8.0
#define FB_NEXT 8192.0
#define FB_BASE 36028797018963968.0 /* 2^55 */
#define FB_WIDE 4.5
#else
#define FB_SLACK 800.0f
#define FB_WORDS 2
#define FB_WORD_FIELDS 2
#define FB_GRAIN 32.0f
#define FB_NEXT 2048.0f
#define FB_BASE 268435456.0f /* 2^28 */
#define FB_WIDE 416.0f
#endif
#define FB_FULL REAL(32768.0)  /* 2^15, a field's guard bit */
#define FB_ORIGIN REAL(8192.0) /* added to coordinates, so that no field is negative */
#define FB_LOW REAL(-7168.0)
#define FB_HIGH REAL(24000.0)

/* The two bodies of each meeting, by code: 50 pairs, then wizards with every snaffle. The referee lists a pair under
 * the first body. */
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

/* Squares of the distances of contact: 800, 300, 600, 350, 400, and the reach of 399 for grabs. */
static const int32_t fb_reach2_of[FB_MEETINGS] = {
    640000, 640000, 640000, 640000, 640000, 640000, 90000,  90000,  90000,  90000,  90000,  90000,  90000,
    90000,  90000,  90000,  90000,  90000,  90000,  90000,  90000,  90000,  90000,  90000,  90000,  90000,
    90000,  360000, 360000, 360000, 360000, 122500, 122500, 122500, 122500, 122500, 122500, 122500, 360000,
    360000, 360000, 360000, 122500, 122500, 122500, 122500, 122500, 122500, 122500, 160000, 159201, 159201,
    159201, 159201, 159201, 159201, 159201, 159201, 159201, 159201, 159201, 159201, 159201, 159201, 159201,
    159201, 159201, 159201, 159201, 159201, 159201, 159201, 159201, 159201, 159201, 159201, 159201, 159201,
};

/* The packed boxes of all bodies, in the two roles of a comparison. */
typedef struct fb_boxes {
    vreal one[FB_BODIES][FB_WORDS];   /* as the first of two: all guards set, on top of FB_BASE */
    vreal other[FB_BODIES][FB_WORDS]; /* as the second: one grain more, so that equal is not greater */
} fb_boxes;

/* A word with the value v in every field. */
#define FB_EACH_FIELD(v)                                                                                               \
    (FB_WORD_FIELDS == 4 ? (v) * (1 + FB_NEXT + FB_NEXT * FB_NEXT + FB_NEXT * FB_NEXT * FB_NEXT) : (v) * (1 + FB_NEXT))
/* The factor of the upper fields of a word, which hold the negated sides; a word with v in each of those. */
#define FB_UPPER (FB_WORD_FIELDS == 4 ? FB_NEXT * FB_NEXT : FB_NEXT)
#define FB_UPPER_EACH(v) (FB_WORD_FIELDS == 4 ? (v) * FB_UPPER * (1 + FB_NEXT) : (v) * FB_UPPER)

/* The guard bits, in a real of the size of FB_BASE. */
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

/* A side of a box, moved by `wide` and rounded to a field's value. */
CAROM_LANE vreal fb_side(vreal a, real wide)
{
    a = v_max(v_min(a, v_set1(FB_HIGH)), v_set1(FB_LOW));
    return a + v_set1(FB_BASE + FB_ORIGIN + wide) - v_set1(FB_BASE);
}

/* How far a box extends from the centre of a body of radius r. */
CAROM_LANE real fb_width(int r)
{
    return FB_GRAIN * (real)(int)(((real)r + FB_WIDE + FB_GRAIN - 1) / FB_GRAIN);
}

/* Packs the box of body i. Returns the lanes in which it is so far inside the field that it cannot reach a wall or
 * post. */
CAROM_LANE vmask fb_box(fb_boxes *boxes, rounds_row *rows, int i, real wide, vreal left)
{
    const vreal x = rounds_get(rows, i, X), y = rounds_get(rows, i, Y);
    const vreal end_x = x + rounds_get(rows, i, VX) * left;
    const vreal end_y = y + rounds_get(rows, i, VY) * left;
    const vreal low_x = fb_side(v_min(x, end_x), -wide), low_y = fb_side(v_min(y, end_y), -wide);
    const vreal high_x = fb_side(v_max(x, end_x), wide), high_y = fb_side(v_max(y, end_y), wide);
    const vreal next = v_set1(FB_NEXT), upper = v_set1(FB_UPPER), full = v_set1(FB_UPPER_EACH(FB_FULL));
    const vreal guards = fb_guards(), base = v_set1(FB_BASE + FB_EACH_FIELD(FB_FULL));
    const vreal grain = v_set1(FB_EACH_FIELD(FB_GRAIN));
    vreal low[FB_WORDS], high[FB_WORDS];

    /* A box is well inside the field, clear of walls and posts, if each of its fields is above these. */
    const real near_x = FB_GRAIN * (real)(int)((FB_ORIGIN + FB_POST_RADIUS + FB_GRAIN - 1) / FB_GRAIN);
    const real near_y = FB_ORIGIN;
    const real far_x =
        FB_GRAIN * (real)(int)((FB_FULL - FB_ORIGIN - FB_WIDTH + FB_POST_RADIUS + FB_GRAIN - 1) / FB_GRAIN);
    const real far_y = FB_GRAIN * (real)(int)((FB_FULL - FB_ORIGIN - FB_HEIGHT + FB_GRAIN - 1) / FB_GRAIN);

    /* Pack the sides: x and y into one word in f64, into a word each in f32. */
    real edge[FB_WORDS];
#if FB_WORDS == 1
    low[0] = low_x + low_y * next;
    high[0] = high_x + high_y * next;
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

    /* The negated sides are stored as FB_FULL minus the side. */
    vmask inside = m_from_bits(LANES_ALL);
    for (int k = 0; k < FB_WORDS; k++) {
        const vreal one = full - high[k] * upper + low[k];
        boxes->one[i][k] = one + base;
        boxes->other[i][k] = full - low[k] * upper + high[k] + grain;
        inside = m_and(inside, v_disjoint(v_set1(FB_BASE + FB_EACH_FIELD(FB_FULL) + edge[k]) - one, guards));
    }
    return inside;
}

/* The lanes in which two boxes overlap. */
CAROM_LANE vmask fb_meet(const vreal one[FB_WORDS], const vreal other[FB_WORDS], vreal guards)
{
    vmask meet = v_disjoint(one[0] - other[0], guards);
    for (int k = 1; k < FB_WORDS; k++) {
        meet = m_and(meet, v_disjoint(one[k] - other[k], guards));
    }
    return meet;
}

/* The lanes in which bit k of `flags` is set. */
CAROM_LANE vmask fb_flag(vint flags, int k)
{
    const vint bit = i_set1(1 << k);
    return i_eq(i_and(flags, bit), bit);
}

/* Finds the lanes of every code of a group. Codes are written in the order of fb_first_of[], then the edges. */
CAROM_LANE void fb_filter(fb_near *near, rounds_row *rows, vmask there, const fb_ints *all_ints, const int32_t *home)
{
    fb_boxes boxes;
    alignas(64) int32_t flags[LANES];
    const vreal left = v_set1(REAL(1.0)) - v_loadu(rows[BEGIN]);
    const unsigned lanes = m_bits(there);

    /* Convert the small integers to lanes: which snaffles are loose, which exist, and which wizards can grab. */
    for (unsigned l = 0; l < LANES; l++) {
        const fb_ints *ints = &all_ints[lanes >> l & 1 ? home[l] : 0];
        flags[l] = ints->free | ints->all << 8 | ints->able << 16;
    }
    const vint flag = i_load32(flags);
    vmask loose[FB_SNAFFLES], real_one[FB_SNAFFLES];
    for (int s = 0; s < FB_SNAFFLES; s++) {
        loose[s] = m_and(there, fb_flag(flag, s));
        real_one[s] = m_and(there, fb_flag(flag, 8 + s));
    }

    /* Boxes, and with them the bodies near an edge of the field. */
    const vreal guards = fb_guards();
    fb_lanes *edges = near->lanes + FB_EDGES;
    for (int i = 0; i < FB_SNAFFLE; i++) {
        const vmask inside = fb_box(&boxes, rows, i, fb_width(FB_WIZARD_RADIUS), left);
        edges[i] = (fb_lanes)m_bits(m_andnot(there, inside));
    }
    for (int i = FB_SNAFFLE; i < FB_BLUDGER; i++) {
        const vmask inside = fb_box(&boxes, rows, i, fb_width(FB_SNAFFLE_RADIUS), left);
        edges[i] = (fb_lanes)m_bits(m_andnot(loose[i - FB_SNAFFLE], inside));
    }
    for (int i = FB_BLUDGER; i < FB_BODIES; i++) {
        const vmask inside = fb_box(&boxes, rows, i, fb_width(FB_BLUDGER_RADIUS), left);
        edges[i] = (fb_lanes)m_bits(m_andnot(there, inside));
    }

    /* Pairs of wizards, of loose snaffles, and of a bludger with anything, dead and held snaffles included. */
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

    /* Grabs. A wizard reaches for a snaffle's centre: subtract the snaffle's radius from its box. */
    for (int s = FB_SNAFFLE; s < FB_BLUDGER; s++) {
        const vreal less = v_set1(FB_EACH_FIELD(fb_width(FB_SNAFFLE_RADIUS)));
        for (int k = 0; k < FB_WORDS; k++) {
            boxes.other[s][k] = boxes.other[s][k] - less;
        }
    }
    for (int i = 0; i < FB_WIZARDS; i++) {
        const vmask able = fb_flag(flag, 16 + i);
        for (int s = 0; s < FB_SNAFFLES; s++) {
            *to++ = (fb_lanes)m_bits(
                m_and(m_and(able, loose[s]), fb_meet(boxes.one[i], boxes.other[FB_SNAFFLE + s], guards)));
        }
    }

    /* Codes without a meaning, in words that are read whole. */
    for (int k = FB_MEETINGS; k < FB_EDGES; k++) {
        near->lanes[k] = 0;
    }
    for (int k = FB_EDGES + FB_BODIES; k < FB_CODES; k++) {
        near->lanes[k] = 0;
    }
}

/* ---- meetings, one in each lane ---- */

#define FB_PER_WORD ((int)(8 / sizeof(fb_lanes)))
#define FB_LANE_BITS (8 * (int)sizeof(fb_lanes))

/* Which codes of a word have a lane: bit k for the k-th. A byte (or two) that is not 0 sets its highest bit; the
 * product gathers these bits. */
CAROM_LANE uint64_t fb_codes_of(uint64_t word)
{
#if LANES <= 8
    const uint64_t low = UINT64_C(0x7f7f7f7f7f7f7f7f);
    return ((((word & low) + low) | word) >> 7 & UINT64_C(0x0101010101010101)) * UINT64_C(0x0102040810204080) >> 56;
#else
    const uint64_t low = UINT64_C(0x7fff7fff7fff7fff), one = UINT64_C(0x0001000100010001);
    return ((((word & low) + low) | word) >> 15 & one) * UINT64_C(0x0001000200040008) >> 48 & 15;
#endif
}

/* Appends the possible meetings of a group, whose lane 0 is column `first`, to `count` others. Returns their new
 * number. Codes with lanes are collected first, so that there is no branch per code. */
CAROM_LANE size_t fb_list_meetings(fb_meetings *m, size_t count, const fb_near *near, rounds_row *rows, unsigned first)
{
    const vreal begin = v_loadu(rows[BEGIN]);
    alignas(64) int32_t numbers[LANES];
    for (unsigned l = 0; l < LANES; l++) {
        numbers[l] = (int32_t)((first + l) << 8);
    }

    const vint columns = i_load32(numbers);
    uint64_t codes[2] = {0, 0};
    for (int word = 0; word < FB_EDGES / FB_PER_WORD; word++) {
        const uint64_t lanes = little_order(near->words[word], sizeof(fb_lanes));
        codes[word * FB_PER_WORD / 64] |= fb_codes_of(lanes) << word * FB_PER_WORD % 64;
    }

    /* For each such code, pack its lanes. */
    for (int half = 0; half < 2; half++) {
        for (uint64_t rest = codes[half]; rest != 0; rest &= rest - 1) {
            const int code = 64 * half + __builtin_ctzll(rest);
            rounds_row *a = &rows[ROW(fb_first_of[code], 0)];
            rounds_row *b = &rows[ROW(fb_second_of[code], 0)];
            const unsigned lanes = near->lanes[code];
            const vmask chosen = m_from_bits(lanes);
            v_compress(&m->dx[count], chosen, v_loadu(a[X]) - v_loadu(b[X]));
            v_compress(&m->dy[count], chosen, v_loadu(a[Y]) - v_loadu(b[Y]));
            v_compress(&m->vx[count], chosen, v_loadu(a[VX]) - v_loadu(b[VX]));
            v_compress(&m->vy[count], chosen, v_loadu(a[VY]) - v_loadu(b[VY]));
            v_compress(&m->begin[count], chosen, begin);
            v_storeu(&m->reach2[count], v_set1((real)fb_reach2_of[code]));
            i_compress(&m->name[count], chosen, i_add(columns, i_set1(code)));
            count += (unsigned)__builtin_popcount(lanes);
        }
    }
    return count;
}

/* Computes the times of meetings [at, at + LANES). Returns the lanes in which they happen in the time left; *touch:
 * those already within the distance of contact. As a > 0, the referee's smaller root is the one here, and it is above 0
 * only if b < 0. */
CAROM_LANE unsigned fb_meet_at(fb_meetings *m, size_t at, unsigned *touch)
{
    const vreal zero = v_set1(REAL(0.0)), r2 = v_load(&m->reach2[at]), begin = v_load(&m->begin[at]);
    const vreal dx = v_load(&m->dx[at]), dy = v_load(&m->dy[at]), vx = v_load(&m->vx[at]), vy = v_load(&m->vy[at]);
    const vreal square = dx * dx + dy * dy, left = v_set1(REAL(1.0)) - begin;
    const vreal b = dx * vx + dy * vy, a = vx * vx + vy * vy;
    const vreal q = b * b - a * (square - r2);
    const vmask near = v_le(square, r2);
    vmask meet = m_andnot(m_and(v_lt(b, zero), v_gt(q, zero)), near);
    vmask here = near;
    vreal t = zero;
    if (m_any(meet)) {
        t = (-b - v_sqrt(q)) / a; /* NaN if a is 0, or q is below it */
        meet = m_and(meet, m_and(v_le(t, left), v_gt(t, zero)));
    }

    /* In f32 bodies that overlap must approach to meet; a grab needs no approach. */
#if CAROM_REAL_BITS == 32
    here = m_and(near, m_or(v_lt(b, zero), v_eq(r2, v_set1((real)(FB_GRASP * FB_GRASP)))));
#endif
    v_store(&m->time[at], v_select(near, begin, begin + t));
    *touch = m_bits(here);
    return m_bits(m_or(here, meet));
}

/* Solves `count` possible meetings and appends those that happen to the hits. */
CAROM_LANE void fb_solve(fb_sight *sight, fb_meetings *m, size_t count)
{
    for (size_t at = 0; at < count; at += LANES) {
        unsigned touch;
        const unsigned hit = m_bits(m_below(count - at)) & fb_meet_at(m, at, &touch);
        EACH_LANE (l, hit) {
            fb_hit *to = &sight->hits[sight->count++];
            to->time = m->time[at + l];
            to->code = (uint8_t)(m->name[at + l] & 255);
            to->column = (uint8_t)(m->name[at + l] >> 8);
            to->touch = (touch >> l & 1) != 0;
        }
    }
}

/* ---- the list of events ---- */

/* Kinds of event. FB_HIT_ROUND: with a body or a post. */
enum { FB_HIT_ROUND, FB_HIT_WALL, FB_HIT_GRAB, FB_HIT_GOAL };

/* Offsets of a body's events in the referee's list, counted from fb_order() of the body. Among equal times the earlier
 * in this list acts first. */
enum {
    FB_WIZARD_WALL = 0,
    FB_WIZARD_POST = 1,
    FB_WIZARD_PAIR = 5,
    FB_WIZARD_NEAREST = 8,
    FB_WIZARD_GRAB = 9,
    FB_SNAFFLE_POST = 0,
    FB_SNAFFLE_WALL = 4,
    FB_SNAFFLE_PAIR = 5,
    FB_SNAFFLE_GOAL = 11,
    FB_BLUDGER_WALL = 0,
    FB_BLUDGER_POST = 1,
    FB_BLUDGER_OTHER = 5,
    FB_BLUDGER_PAIR = 6
};

CAROM_LANE int fb_order(int body)
{
    return body < FB_SNAFFLE   ? 16 * (FB_WIZARDS - 1 - body)
           : body < FB_BLUDGER ? 16 * (FB_WIZARDS + FB_BLUDGER - 1 - body)
                               : 16 * (FB_WIZARDS + FB_SNAFFLES) + 32 * (FB_BODIES - 1 - body);
}

/* Lists an event of one world, unless it is too late to act together with the earliest so far. */
CAROM_LANE void fb_note(fb_lists *lists, unsigned lane, real time, int order, int kind, int first, int second)
{
    if (time <= lists->first[lane] + (real)FB_EPS) {
        fb_event *event = &lists->events[lane][lists->count[lane]++];
        event->time = time;
        event->order = (uint8_t)order;
        event->kind = (uint8_t)kind;
        event->first = (uint8_t)first;
        event->second = (uint8_t)second;
        lists->first[lane] = time < lists->first[lane] ? time : lists->first[lane];
    }
}

/* Position of a pair in the referee's list, under body a. */
CAROM_LANE int fb_pair_order(int a, int b)
{
    return fb_order(a) + (a < FB_SNAFFLE    ? FB_WIZARD_PAIR + (a - 1 - b)
                          : a < FB_BLUDGER  ? FB_SNAFFLE_PAIR + (a - 1 - b)
                          : b == FB_BLUDGER ? FB_BLUDGER_OTHER
                                            : FB_BLUDGER_PAIR + b);
}

CAROM_LANE real fb_square(const real *world, int a, int b)
{
    const real dx = AT(a, X) - AT(b, X), dy = AT(a, Y) - AT(b, Y);
    return dx * dx + dy * dy;
}

/* Lists the impact of a pair, unless both are snaffles of which a ignores b. */
CAROM_LANE void fb_note_pair(const fb_ints *ints, fb_lists *lists, unsigned lane, real time, int a, int b)
{
    if (a < FB_SNAFFLE || a >= FB_BLUDGER || (ints->ignores[a - FB_SNAFFLE] & fb_bit(b)) == 0) {
        fb_note(lists, lane, time, fb_pair_order(a, b), FB_HIT_ROUND, a, b);
    }
}

/* Notes a snaffle within a wizard's reach; they come in the snaffles' order. Only the nearest can be grabbed. */
CAROM_LANE void fb_reach_for(const real *world, fb_lists *lists, unsigned lane, int wizard, int s)
{
    const real square = fb_square(world, wizard, s);
    if ((lists->reaching[lane] >> wizard & 1) == 0 || square < lists->nearest_square[lane][wizard]) {
        lists->reaching[lane] |= 1u << wizard;
        lists->nearest[lane][wizard] = (int8_t)s;
        lists->nearest_square[lane][wizard] = square;
    }
}

/* Is another empty hand as near to the snaffle, even one that is still waiting? */
CAROM_LANE bool fb_is_barred(const real *world, const fb_ints *ints, int wizard, int s)
{
    const real d2 = fb_square(world, s, wizard) + (real)FB_EPS;
    bool barred = false;
    for (int i = 0; i < FB_WIZARDS; i++) {
        barred = barred || (i != wizard && ints->hold[i] < 0 && fb_square(world, s, i) <= d2);
    }
    return barred;
}

/* Lists the grabs of snaffles within reach. In f32 barred ones are omitted: there wizards that overlap but separate do
 * not push each other away, and the same grab would fail forever. */
CAROM_LANE void fb_note_nearest(const real *world, const fb_ints *ints, fb_lists *lists, unsigned lane)
{
    for (unsigned left = lists->reaching[lane]; left != 0; left &= left - 1) {
        const int i = __builtin_ctz(left), s = lists->nearest[lane][i];
#if CAROM_REAL_BITS == 32
        if (fb_is_barred(world, ints, i, s)) {
            continue;
        }
#else
        (void)ints;
#endif
        fb_note(lists, lane, AT_BEGIN, fb_order(i) + FB_WIZARD_NEAREST, FB_HIT_GRAB, i, s);
    }
}

/* ---- edges of the field, for single worlds ---- */

/* Is a snaffle in the mouth of a goal? */
CAROM_LANE bool fb_in_goal(const real *world, int s)
{
    return (AT(s, X) <= FB_SNAFFLE_RADIUS || AT(s, X) >= FB_WIDTH - FB_SNAFFLE_RADIUS) && AT(s, Y) >= FB_MOUTH_TOP &&
           AT(s, Y) <= FB_MOUTH_BOTTOM;
}

/* Lists the wall that a body hits first. */
CAROM_LANE void fb_try_wall(const real *world, fb_lists *lists, unsigned lane, int body, int order)
{
    const real begin = AT_BEGIN, left = 1 - begin, x = AT(body, X), y = AT(body, Y);
    const real vx = AT(body, VX), vy = AT(body, VY);
    const real r = (real)fb_radius(body), right = FB_WIDTH - r, bottom = FB_HEIGHT - r;
    const bool snaffle = body >= FB_SNAFFLE && body < FB_BLUDGER;
    if (snaffle && fb_in_goal(world, body)) {
        return;
    }

    /* At once if it is beyond one; otherwise the earlier of the two that it moves towards. A snaffle that enters a
     * goal's mouth hits no wall there. Sides: right, left, bottom, top. */
    int side = -1;
    real least = 0;
    if (x < r || x > right || y < r || y > bottom) {
        side = x < r ? 1 : x > right ? 0 : y < r ? 3 : 2;
    } else {
        least = left;
        if (vx != 0) {
            const real t = ((vx > 0 ? right : r) - x) / vx, end = y + t * vy;
            if (t >= 0 && t <= least && (!snaffle || end < FB_MOUTH_TOP || end > FB_MOUTH_BOTTOM)) {
                side = vx > 0 ? 0 : 1;
                least = t;
            }
        }
        if (vy != 0) {
            const real t = ((vy > 0 ? bottom : r) - y) / vy;
            if (t >= 0 && (t < least || (side < 0 && t == least))) {
                side = vy > 0 ? 2 : 3;
                least = t;
            }
        }
    }

    if (side >= 0) {
        fb_note(lists, lane, begin + least, order, FB_HIT_WALL, body, FB_WALL + side);
    }
}

/* The interval between a and b, widened by `more` at both ends. */
CAROM_LANE void fb_span(real a, real b, real more, real *low, real *high)
{
    *low = (a < b ? a : b) - more;
    *high = (a < b ? b : a) + more;
}

/* Lists the posts that a body hits. */
CAROM_LANE void fb_try_posts(const real *world, fb_lists *lists, unsigned lane, int body, int order)
{
    const real reach = (real)(fb_radius(body) + FB_POST_RADIUS), begin = AT_BEGIN, left = 1 - begin;
    const real x = AT(body, X), y = AT(body, Y), vx = AT(body, VX), vy = AT(body, VY);

    /* Most bodies are far from the goal lines, on which all posts are. */
    real low_x, high_x, low_y, high_y;
    fb_span(x, x + vx * left, reach + 1, &low_x, &high_x);
    if (low_x > 0 && high_x < FB_WIDTH) {
        return;
    }

    fb_span(y, y + vy * left, reach + 1, &low_y, &high_y);
    for (int p = 0; p < 4; p++) {
        if (low_y > fb_post_y[p] || high_y < fb_post_y[p] || low_x > fb_post_x[p] || high_x < fb_post_x[p]) {
            continue;
        }

        const real dx = x - (real)fb_post_x[p], dy = y - (real)fb_post_y[p], square = dx * dx + dy * dy;
        const real b = dx * vx + dy * vy, a = vx * vx + vy * vy, q = b * b - a * (square - reach * reach);
        real t = 0;
        if (square > reach * reach) {
            t = (-b - fb_root(q)) / a;
            if (!(b < 0 && q > 0 && t > 0 && t <= left)) {
                continue;
            }
#if CAROM_REAL_BITS == 32
        } else if (!(b < 0)) {
            continue;
#endif
        }
        fb_note(lists, lane, begin + t, order + p, FB_HIT_ROUND, body, FB_POST + p);
    }
}

/* Lists the goal that a snaffle's centre reaches. */
CAROM_LANE void fb_try_goal(const real *world, fb_lists *lists, unsigned lane, int s, int order)
{
    const real begin = AT_BEGIN, left = 1 - begin, x = AT(s, X), vx = AT(s, VX);
    if (x >= FB_WIDTH) {
        fb_note(lists, lane, begin, order, FB_HIT_GOAL, s, FB_GOAL);
    } else if (x <= 0) {
        fb_note(lists, lane, begin, order, FB_HIT_GOAL, s, FB_GOAL + 1);
    } else if (vx != 0) {
        const real t = (vx > 0 ? FB_WIDTH - x : -x) / vx;
        if (t > 0 && t <= left) {
            fb_note(lists, lane, begin + t, order, FB_HIT_GOAL, s, FB_GOAL + (vx < 0));
        }
    }
}

/* Lists the edges, posts and goals that a body near an edge of the field hits. */
CAROM_LANE void fb_try_edge(const real *world, const fb_ints *ints, fb_lists *lists, unsigned lane, int body)
{
    const int order = fb_order(body);
    if (body < FB_SNAFFLE || body >= FB_BLUDGER) {
        fb_try_wall(world, lists, lane, body, order + FB_WIZARD_WALL);
        fb_try_posts(world, lists, lane, body, order + FB_WIZARD_POST);
    } else if ((ints->free & fb_bit(body)) != 0) {
        fb_try_posts(world, lists, lane, body, order + FB_SNAFFLE_POST);
        fb_try_wall(world, lists, lane, body, order + FB_SNAFFLE_WALL);
        fb_try_goal(world, lists, lane, body, order + FB_SNAFFLE_GOAL);
    }
}

/* ---- all events of a group ---- */

/* Lists the events of group `nth` of the round: its meetings, and what its bodies hit at an edge. */
CAROM_LANE void fb_note_all(fb_sight *sight, unsigned nth, rounds_row *rows, const fb_ints *all_ints,
                            const int32_t *home, fb_lists *lists)
{
    const unsigned end = (nth + 1) * LANES;
    const fb_near *near = &sight->near[nth];

    /* Hits are in the order of the groups, so this group's come next. */
    for (; sight->next < sight->count && sight->hits[sight->next].column < end; sight->next++) {
        const fb_hit *hit = &sight->hits[sight->next];
        const unsigned lane = hit->column % LANES;
        const int code = hit->code, a = fb_first_of[code], b = fb_second_of[code];
        if (code < FB_PAIRS) {
            fb_note_pair(&all_ints[home[lane]], lists, lane, hit->time, a, b);
        } else if (hit->touch) {
            fb_reach_for(&rows[0][lane], lists, lane, a, b);
        } else {
            fb_note(lists, lane, hit->time, fb_order(a) + FB_WIZARD_GRAB + (b - FB_SNAFFLE), FB_HIT_GRAB, a, b);
        }
    }

    /* Bodies near an edge: each set bit is a body in a lane. */
    for (int word = FB_EDGES / FB_PER_WORD; word < FB_CODES / FB_PER_WORD; word++) {
        for (uint64_t rest = little_order(near->words[word], sizeof(fb_lanes)); rest != 0; rest &= rest - 1) {
            const int bit = __builtin_ctzll(rest), body = word * FB_PER_WORD + bit / FB_LANE_BITS - FB_EDGES;
            const unsigned l = (unsigned)(bit % FB_LANE_BITS);
            fb_try_edge(&rows[0][l], &all_ints[home[l]], lists, l, body);
        }
    }
}

/* Keeps the events that act now, sorted by time and order, and returns their number. */
CAROM_LANE unsigned fb_sort(fb_event *events, unsigned count, real first)
{
    unsigned kept = 0;
    const real last = first + (real)FB_EPS;
    for (unsigned k = 0; k < count; k++) {
        const fb_event event = events[k];
        if (event.time <= last) {
            unsigned to = kept++;
            for (; to > 0 && (events[to - 1].time > event.time ||
                              (events[to - 1].time == event.time && events[to - 1].order > event.order));
                 to--) {
                events[to] = events[to - 1];
            }
            events[to] = event;
        }
    }
    return kept;
}

#endif
