/* SPDX-License-Identifier: MIT
 * The earliest impact of every world (RULES.md, section 3): test all pairs without a root or a division, then compute
 * the times of the pairs that some lane has found.
 *
 * The original keeps a list of impacts; each one that is resolved removes those of its two bodies and searches for new
 * ones. Here every round searches all pairs again, which lanes do faster than lists. The result is the same, because an
 * impact depends only on its two bodies' records (position at the end, velocity, time of the last impact).
 */
#ifndef CAROM_GAMES_SOCCER_DETECT_H
#define CAROM_GAMES_SOCCER_DETECT_H

#include "games/soccer/turn.h"

/* Squares of the smallest closing speed (m/s) and of the smallest angle (rad) that count as an impact: 1e-6 both in
 * f64, 1e-4 and 2^-10 in f32. */
#if CAROM_REAL_BITS == 64
#define SOCCER_LEAST2 1e-12
#define SOCCER_GLANCE2 1e-12
#else
#define SOCCER_LEAST2 1e-8f
#define SOCCER_GLANCE2 9.5367431640625e-7f /* 2^-20 */
#endif

/* An impact's code: 32 times the first body, plus the second, or plus SOCCER_WALL and the number of the wall. */
#define SOCCER_CODE(i, j) (32 * (i) + (j))
#define SOCCER_CODE_FIRST(code) ((code) / 32)
#define SOCCER_CODE_SECOND(code) ((code) % 32)

/* A set of lanes as bits, in the smallest type that holds it. */
#if LANES <= 8
typedef uint8_t soccer_lanes;
#else
typedef uint16_t soccer_lanes;
#endif

/* For each candidate of the context, in their order, the lanes in which it may be an impact. Read a word at a time:
 * most are 0. */
#define SOCCER_PER_WORD (8 / (int)sizeof(soccer_lanes))
typedef union soccer_near {
    soccer_lanes lanes[SOCCER_CANDIDATES + SOCCER_PER_WORD];
    uint64_t words[(SOCCER_CANDIDATES + SOCCER_PER_WORD) / SOCCER_PER_WORD];
} soccer_near;

/* Two bodies at the end of the tick. At time t their distance d satisfies d^2 - R^2 = b t^2 + 2 a t + c, R the sum of
 * radii. */
typedef struct soccer_pair {
    vreal a, b, c, q; /* q: a^2 - b c, a quarter of the discriminant */
    vreal begin;      /* the later of the two bodies' last impacts */
} soccer_pair;

CAROM_LANE soccer_pair soccer_pair_of(const soccer_context *context, rounds_row *rows, int i, int j)
{
    soccer_pair p;
    const real reach = soccer_radius(context, i) + soccer_radius(context, j);
    const vreal dx = soccer_row(rows, ROW(i, X)) - soccer_row(rows, ROW(j, X));
    const vreal dy = soccer_row(rows, ROW(i, Y)) - soccer_row(rows, ROW(j, Y));
    const vreal wx = soccer_row(rows, ROW(i, VX)) - soccer_row(rows, ROW(j, VX));
    const vreal wy = soccer_row(rows, ROW(i, VY)) - soccer_row(rows, ROW(j, VY));
    p.a = wx * dx + wy * dy;
    p.b = wx * wx + wy * wy;
    p.c = dx * dx + dy * dy - v_set1(reach * reach);
    p.q = p.a * p.a - p.b * p.c;
    p.begin = v_max(soccer_row(rows, BEGIN(context, i)), soccer_row(rows, BEGIN(context, j)));
    return p;
}

/* The lanes in which a pair hits: the earlier root is not in the future, and at `begin` the bodies approached (u < 0)
 * faster than `least` and at more than the least angle. */
CAROM_LANE vmask soccer_hits(const soccer_context *context, const soccer_pair *p, int i, int j)
{
    const real reach = soccer_radius(context, i) + soccer_radius(context, j);
    const vreal zero = v_set1(REAL(0.0)), u = p->a + p->b * p->begin;
    const vreal least = v_set1(reach * reach) * (v_set1(SOCCER_LEAST2) + v_set1(SOCCER_GLANCE2) * p->b);
    const vmask past = m_or(v_ge(p->a, zero), v_le(p->c, zero));
    return m_and(m_and(past, v_lt(u, zero)), m_and(v_gt(p->q, least), v_gt(u * u, least)));
}

/* Tests a pair by its whole way since `begin`: pairs with a ball, and in continuous detection all. A ball and the robot
 * that dribbles it do not hit each other. */
CAROM_LANE vmask soccer_survey_swept(const soccer_context *context, rounds_row *rows, vmask there, int i, int j)
{
    const soccer_pair p = soccer_pair_of(context, rows, i, j);
    const vmask hits = m_and(there, soccer_hits(context, &p, i, j));
    if (i < context->robots && j >= context->robots) {
        return m_and(hits, v_ne(soccer_row(rows, HOLDER(context, j - context->robots)), v_set1((real)i)));
    }
    return hits;
}

/* Finds, for every candidate, the lanes in which it may be an impact. Writes them in the candidates' order: per body,
 * its pairs with higher bodies, then the walls. */
CAROM_LANE void soccer_survey(const soccer_context *context, rounds_row *rows, vmask there, soccer_near *near)
{
    const soccer_rules *r = soccer_rules_of(context);
    const bool continuous = context->options.continuous != 0;
    const real both = r->robot_radius + r->robot_radius;
    const vreal both2 = v_set1(both * both);
    soccer_lanes *lanes = near->lanes;
    for (int i = 0; i < context->bodies; i++) {
        const vreal x = soccer_row(rows, ROW(i, X)), y = soccer_row(rows, ROW(i, Y));
        int j = i + 1;

        /* Two robots hit only if they overlap at the end of the tick, unless detection is continuous. */
        for (; j < context->robots && !continuous; j++) {
            const vreal dx = x - soccer_row(rows, ROW(j, X)), dy = y - soccer_row(rows, ROW(j, Y));
            const vmask overlap = v_lt(dx * dx + dy * dy, both2);
            *lanes++ = (soccer_lanes)m_bits(m_and(there, overlap));
        }

        for (; j < context->bodies; j++) {
            *lanes++ = (soccer_lanes)m_bits(soccer_survey_swept(context, rows, there, i, j));
        }

        /* One test for all four walls: the body is beyond one of them at the end. */
        const real radius = soccer_radius(context, i);
        const vmask outside =
            m_or(v_gt(v_abs(x), v_set1(r->half_length - radius)), v_gt(v_abs(y), v_set1(r->half_width - radius)));
        *lanes++ = (soccer_lanes)m_bits(m_and(there, outside));
    }

    /* Words are read whole: clear what follows the last candidate. */
    for (int k = 0; k < SOCCER_PER_WORD; k++) {
        *lanes++ = 0;
    }
}

/* ---- times ---- */

/* The earliest impact so far, in every lane. A time above 0 and code 0 mean none. */
typedef struct soccer_first {
    vreal time, code;
} soccer_first;

/* Takes an impact in the lanes of `hits` where it is strictly earlier: of equal times the first candidate wins. */
CAROM_LANE void soccer_take(soccer_first *first, vmask hits, vreal time, vreal code)
{
    hits = m_and(hits, v_lt(time, first->time));
    first->time = v_select(hits, time, first->time);
    first->code = v_select(hits, code, first->code);
}

/* Offers the impact of bodies i and j, in the lanes m. A root before `begin` means that they overlapped then: they hit
 * at once. */
CAROM_LANE void soccer_try_pair(const soccer_context *context, rounds_row *rows, vmask m, int i, int j,
                                soccer_first *first)
{
    const soccer_pair p = soccer_pair_of(context, rows, i, j);
    const vmask hits = m_and(m, soccer_hits(context, &p, i, j));
    if (m_any(hits)) {
        const vreal t = -((p.a + v_sqrt(p.q)) / p.b);
        soccer_take(first, hits, v_max(t, p.begin), v_set1((real)SOCCER_CODE(i, j)));
    }
}

/* Offers the impact of body i with a wall, in the lanes m: with the left or right one if along_x, else with the top or
 * bottom one, whichever is on the body's side of the field. */
CAROM_LANE void soccer_try_wall(const soccer_context *context, rounds_row *rows, vmask m, int i, bool along_x,
                                soccer_first *first)
{
    const soccer_rules *r = soccer_rules_of(context);
    const vreal zero = v_set1(REAL(0.0)), begin = soccer_row(rows, BEGIN(context, i));

    /* `at` and v: across the wall; `side` and side_v: along it. Outward is away from the centre of the field. */
    const real end = along_x ? r->half_length : r->half_width, side_end = along_x ? r->half_width : r->half_length;
    const vreal at = soccer_row(rows, ROW(i, along_x ? X : Y)), v = soccer_row(rows, ROW(i, along_x ? VX : VY));
    const vreal side = soccer_row(rows, ROW(i, along_x ? Y : X));
    const vreal side_v = soccer_row(rows, ROW(i, along_x ? VY : VX));
    const vmask lower = v_lt(at, zero);
    const vreal depth = v_abs(at) - v_set1(end - soccer_radius(context, i)), outward = v_flip(lower, v);
    vmask hits = m_and(m, m_and(v_gt(depth, zero), v_gt(outward, zero)));

    /* The place of contact must lie between the wall's ends, a ball's outside the goal's mouth. Robots are taken where
     * they are at the end of the tick, unless detection is continuous. */
    if (m_any(hits)) {
        const vreal time = v_max(-(depth / outward), begin);
        const bool swept = i >= context->robots || context->options.continuous != 0;
        const vreal touch = v_abs(swept ? side + side_v * time : side);
        hits = m_and(hits, v_lt(touch, v_set1(side_end)));
        if (along_x && i >= context->robots) {
            hits = m_and(hits, v_gt(touch, v_set1(r->half_mouth)));
        }

        /* Walls are numbered right, left, top, bottom. */
        const int code = SOCCER_CODE(i, SOCCER_WALL) + (along_x ? 0 : 2);
        soccer_take(first, hits, time, v_select(lower, v_set1((real)(code + 1)), v_set1((real)code)));
    }
}

/* The earliest impact of every lane of `there`. */
CAROM_LANE soccer_first soccer_look(const soccer_context *context, rounds_row *rows, vmask there)
{
    soccer_near near;
    soccer_first first = {v_set1(REAL(1.0)), v_set1(REAL(0.0))};
    soccer_survey(context, rows, there, &near);

    /* Times only for what the survey has found, in the candidates' order, which is that of the tie rule. */
    for (int word = 0; word * SOCCER_PER_WORD < context->candidates; word++) {
        if (near.words[word] == 0) {
            continue;
        }
        for (int k = word * SOCCER_PER_WORD; k < (word + 1) * SOCCER_PER_WORD; k++) {
            if (near.lanes[k] == 0) {
                continue;
            }
            const vmask m = m_from_bits(near.lanes[k]);
            const int i = context->first[k], j = context->second[k];
            if (j < SOCCER_WALL) {
                soccer_try_pair(context, rows, m, i, j, &first);
            } else {
                soccer_try_wall(context, rows, m, i, true, &first);
                soccer_try_wall(context, rows, m, i, false, &first);
            }
        }
    }
    return first;
}

#endif
