/* SPDX-License-Identifier: MIT
 * The sweeps of a tick (RULES.md, Sweeps): one hit per sweep.
 *
 * All lanes sweep in step; a lane is done after its first sweep without a hit. From one sweep to the next only the
 * stones of the hits change, so only their pairs are filtered again.
 */
#ifndef CAROM_GAMES_STONES_SWEEP_H
#define CAROM_GAMES_STONES_SWEEP_H

#include "games/stones/group.h"

/* A pair in each lane, by the numbers of its stones. */
typedef struct stones_names {
    vint a, b;
} stones_names;

/* The set of the stones that `name` has in the given lanes. */
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

/* Collects stone name[lane], which is one of `bits`. Other lanes get numbers that compute harmlessly. */
CAROM_LANE stones_part stones_take(const stones_group *g, vint name, uint32_t bits)
{
    vreal none = v_set1(REAL(1.0));
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

/* Writes stone name[lane] back after a hit, in `lanes`. It is on no path any more. */
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

/* Is the share t a hit? `step` is the way of the faster stone. */
CAROM_LANE vmask stones_counts(const stones_group *g, const stones_touch *touch, vreal t, vreal step)
{
    vreal zero = v_set1(REAL(0.0));
    vmask inside = m_and(v_gt(touch->q, zero), v_le(t, v_set1(REAL(1.0))));
    if (g->context->rules == CAROM_STONES_AS_DESCRIBED) {
        return m_and(inside, v_ge(t, zero));
    }
    return m_and(inside, v_gt(t * step, zero));
}

/* In each lane the first stone, in order, that hits another, and of those that it hits the nearest. Returns the lanes
 * that have such a pair. */
CAROM_LANE unsigned stones_find(const stones_group *g, unsigned lanes, stones_names *names)
{
    unsigned found = 0;
    names->a = names->b = i_set1(0);
    for (uint32_t i = 0; i < (uint32_t)g->stones && lanes != 0; i++) {
        /* Stone i in the lanes in which it moves and no stone before it hits. */
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

/* The first stone, in order, that stands in the way of a, which goes `way` to hit b: b itself if there is none. */
CAROM_LANE vint stones_in_way(const stones_group *g, const stones_names *names, const stones_part *a,
                              const stones_part *b, vreal way, unsigned lanes)
{
    vreal x = a->x + a->radius + a->cos * way, y = a->y + a->radius + a->sin * way;
    vreal reach = a->radius + b->radius;

    /* The decision needs a root, as the plugin has it: take it only of stones that are near by the square. */
    vreal wide = reach * reach * v_set1(REAL(1.0) + STONES_SLACK);
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

/* At most one hit in each lane, for recordings. */
typedef struct stones_hit {
    unsigned lanes, shrunk; /* lanes with a hit; those in which the striker was pulled back */
    vint striker, struck;   /* numbers of stones */
    vreal way;              /* of the striker */
} stones_hit;

/* Tries the pair of each lane; if a stone stands in the way that one instead, and so on. Returns the lanes in which
 * there was a hit in the end. *rounds is the number of `hits` written, and the stones that took part are added to
 * *named_hit. */
CAROM_LANE unsigned stones_try(stones_group *g, stones_names names, unsigned lanes, stones_hit hits[STONES_ATTEMPTS],
                               int *rounds, uint32_t *named_hit)
{
    unsigned done = 0;
    *rounds = 0;
    for (int attempt = 1; lanes != 0 && attempt <= STONES_ATTEMPTS; attempt++) {
        /* The faster one is the striker. */
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

        /* Do they touch within the tick? Each term is written as the plugin does. */
        vreal acx = a.x + a.radius, acy = a.y + a.radius;
        vreal bcx = b.x + b.radius, bcy = b.y + b.radius;
        stones_touch touch =
            stones_touching(acx - bcx, acy - bcy, acx + a.cos * a.step - acx - (bcx + b.cos * b.step - bcx),
                            acy + a.sin * a.step - acy - (bcy + b.sin * b.step - bcy), a.radius + b.radius);
        vreal t = stones_share(&touch), way = t * a.step;
        lanes &= m_bits(stones_counts(g, &touch, t, a.step));

        /* At the end of a chain the hit happens whatever stands in the way. */
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
