/* SPDX-License-Identifier: MIT
 * The sweeps of a tick: who hits whom, one hit a sweep.
 *
 * All lanes sweep in step; a lane is done after its first sweep without a hit. Between sweeps nothing changes but the
 * stones that were hit, so only their pairs are looked at again.
 */
#ifndef CAROM_GAMES_STONES_SWEEP_H
#define CAROM_GAMES_STONES_SWEEP_H

#include "games/stones/group.h"

/* A pair a lane, by the numbers of its stones. */
typedef struct stones_names {
    vint a, b;
} stones_names;

/* The stones that are named in the given lanes. */
CAROM_LANE uint32_t stones_named(vint name, unsigned lanes)
{
    alignas(64) int32_t names[LANES];
    i_store32(names, name);
    uint32_t bits = 0;
    EACH_LANE (l, lanes) {
        bits |= UINT32_C(1) << names[l];
    }
    return bits;
}

CAROM_LANE stones_part stones_take(const stones_group *g, vint name, uint32_t bits)
{
    vreal none = v_set1(REAL(1.0)); /* in lanes that name no stone of these */
    stones_part p = {none, none, none, none, none, none, none, none, none, none};
    EACH_STONE (i, bits) {
        vmask is = i_eq(name, i_set1((int32_t)i));
        p.x = v_select(is, g->x[i], p.x);
        p.y = v_select(is, g->y[i], p.y);
        p.radius = v_select(is, stones_radius(g, i), p.radius);
        p.power = v_select(is, get_power(g->w, i), p.power);
        p.speed = v_select(is, g->speed[i], p.speed);
        p.course = v_select(is, g->course[i], p.course);
        p.unused = v_select(is, g->unused[i], p.unused);
        p.cos = v_select(is, g->cos[i], p.cos);
        p.sin = v_select(is, g->sin[i], p.sin);
        p.step = v_select(is, g->step[i], p.step);
    }
    return p;
}

CAROM_LANE void stones_give(stones_group *g, vint name, uint32_t bits, const stones_part *p, vmask lanes)
{
    EACH_STONE (i, bits) {
        vmask is = m_and(lanes, i_eq(name, i_set1((int32_t)i)));
        g->x[i] = v_select(is, p->x, g->x[i]);
        g->y[i] = v_select(is, p->y, g->y[i]);
        g->speed[i] = v_select(is, p->speed, g->speed[i]);
        g->course[i] = v_select(is, p->course, g->course[i]);
        g->unused[i] = v_select(is, p->unused, g->unused[i]);
        g->cos[i] = v_select(is, p->cos, g->cos[i]);
        g->sin[i] = v_select(is, p->sin, g->sin[i]);
        g->shot[i] = (uint16_t)(g->shot[i] & ~m_bits(is));
    }
}

/* Does the share t, with q > 0, count? `step` is that of the faster stone. */
CAROM_LANE vmask stones_counts(const stones_group *g, const stones_touch *touch, vreal t, vreal step)
{
    vreal zero = v_set1(REAL(0.0));
    vmask inside = m_and(v_gt(touch->q, zero), v_le(t, v_set1(REAL(1.0))));
    if (g->context->rules == CAROM_STONES_AS_DESCRIBED) {
        return m_and(inside, v_ge(t, zero));
    }
    return m_and(inside, v_gt(t * step, zero));
}

/* In each of the lanes the first stone, in order, that hits another, and the nearest that it hits. Returns the lanes
 * that have one. */
CAROM_LANE unsigned stones_find(const stones_group *g, unsigned lanes, stones_names *names)
{
    unsigned found = 0;
    names->a = names->b = i_set1(0);
    for (uint32_t i = 0; i < (uint32_t)g->stones && lanes != 0; i++) {
        unsigned mine = lanes & g->moving[i], hits = 0;
        vreal least = v_set1(REAL_MAX);
        for (uint32_t j = 0; j < (uint32_t)g->stones && mine != 0; j++) {
            unsigned near = j == i ? 0 : mine & g->near[i][j];
            if (near == 0) {
                continue;
            }
            stones_touch touch = stones_pair(g, i, j);
            vreal step = v_select(v_ge(g->speed[i], g->speed[j]), g->step[i], g->step[j]);
            vreal far = stones_length(g->centre_x[i] - g->centre_x[j], g->centre_y[i] - g->centre_y[j]);
            vmask hit = m_and(m_from_bits(near), stones_counts(g, &touch, stones_share(&touch), step));
            hit = m_and(hit, v_lt(far, least));
            least = v_select(hit, far, least);
            names->a = i_select(hit, i_set1((int32_t)i), names->a);
            names->b = i_select(hit, i_set1((int32_t)j), names->b);
            hits |= m_bits(hit);
        }
        lanes &= ~hits;
        found |= hits;
    }
    return found;
}

/* The first stone, in order, in the way of a, which goes so far to hit b: b itself if there is none. */
CAROM_LANE vint stones_in_way(const stones_group *g, const stones_names *names, const stones_part *a,
                              const stones_part *b, vreal way, unsigned lanes)
{
    vreal x = a->x + a->radius + a->cos * way, y = a->y + a->radius + a->sin * way;
    vreal reach = a->radius + b->radius;
    vreal wide = reach * reach * v_set1(REAL(1.0) + STONES_SLACK); /* roots only of those that are near */
    vint found = names->b;
    for (uint32_t i = 0; i < (uint32_t)g->stones && lanes != 0; i++) {
        vreal dx = x - g->centre_x[i], dy = y - g->centre_y[i];
        vreal square = dx * dx + dy * dy;
        vint self = i_set1((int32_t)i);
        vmask other = m_andnot(m_from_bits(lanes & g->in_play[i]), m_or(i_eq(names->a, self), i_eq(names->b, self)));
        vmask near = m_and(other, v_lt(square, wide));
        if (m_any(near)) {
            near = m_and(near, v_lt(v_sqrt(square), reach));
            found = i_select(near, self, found);
            lanes &= ~m_bits(near);
        }
    }
    return found;
}

/* One hit in each of the lanes: stones, the way of the striker, and the lanes in which it was pulled back. */
typedef struct stones_hit {
    unsigned lanes, shrunk;
    vint striker, struck;
    vreal way;
} stones_hit;

/* Tries the pair of each of the lanes, or what stands in the way of it, and what stands in the way of that. Returns the
 * lanes in which there was a hit in the end; named_hit: all stones that took part. */
CAROM_LANE unsigned stones_try(stones_group *g, stones_names names, unsigned lanes, stones_hit hits[STONES_ATTEMPTS],
                               int *rounds, uint32_t *named_hit)
{
    unsigned done = 0;
    *rounds = 0;
    for (int attempt = 1; lanes != 0 && attempt <= STONES_ATTEMPTS; attempt++) {
        uint32_t bits = stones_named(names.a, lanes) | stones_named(names.b, lanes);
        stones_part a = stones_take(g, names.a, bits), b = stones_take(g, names.b, bits);
        vmask swap = v_lt(a.speed, b.speed);
        if (m_any(swap)) {
            vint name = names.a;
            names.a = i_select(swap, names.b, names.a);
            names.b = i_select(swap, name, names.b);
            a = stones_take(g, names.a, bits);
            b = stones_take(g, names.b, bits);
        }
        vreal acx = a.x + a.radius, acy = a.y + a.radius;
        vreal bcx = b.x + b.radius, bcy = b.y + b.radius;
        stones_touch touch =
            stones_touching(acx - bcx, acy - bcy, acx + a.cos * a.step - acx - (bcx + b.cos * b.step - bcx),
                            acy + a.sin * a.step - acy - (bcy + b.sin * b.step - bcy), a.radius + b.radius);
        vreal t = stones_share(&touch), way = t * a.step;
        lanes &= m_bits(stones_counts(g, &touch, t, a.step));
        vint first = stones_in_way(g, &names, &a, &b, way, lanes);
        unsigned meet = attempt < STONES_ATTEMPTS ? lanes & m_bits(i_eq(first, names.b)) : lanes;
        if (meet != 0) {
            vmask overlap = stones_meet(&a, &b, t);
            if (g->context->rules == CAROM_STONES_AS_DESCRIBED) {
                stones_answer_described(&a, &b, t, (real)g->context->loss);
            } else {
                stones_answer_shipped(&a, &b, t);
            }
            stones_give(g, names.a, bits, &a, m_from_bits(meet));
            stones_give(g, names.b, bits, &b, m_from_bits(meet));
            stones_hit hit = {meet, meet & m_bits(overlap), names.a, names.b, way};
            hits[(*rounds)++] = hit;
            *named_hit |= stones_named(names.a, meet) | stones_named(names.b, meet);
        }
        done |= meet;
        lanes &= ~meet;
        names.b = first;
    }
    return done;
}

#endif
