/* SPDX-License-Identifier: MIT
 * A register group of worlds during a tick, and its sweeps (RULES.md, A stone and Sweeps). A lane is a world. In f64
 * every operation is in the plugin's order, so that results agree to the bit.
 *
 * All lanes sweep in step, one hit a sweep; a lane is done after its first sweep without a hit. From one sweep to the
 * next only the stones of the hits change, so only their pairs are filtered again.
 */
#ifndef CAROM_GAMES_STONES_SWEEP_H
#define CAROM_GAMES_STONES_SWEEP_H

#include "games/stones/stones.h"
#include "simd/fdlibm.h"

#define RULES_FIELDS STONES_FIELDS
#define RULES_PLAYERS 2
#define RULES_OBSERVATION CAROM_STONES_OBSERVATION
#define RULES_DRAWN STONES_PUSH_SIZE
#define RULES_ACTION_BYTES (STONES_PUSH_SIZE * CAROM_STONES_PUSHES * sizeof(double))
typedef stones_context rules_context;

#include "tick/run.h"

/* STONES_RANGE: of positions and speeds. STONES_SLACK: relative margin of filters, far above their rounding. */
#if CAROM_REAL_BITS == 64
#define STONES_RANGE STONES_RANGE_F64
#define STONES_SLACK 1e-9
#else
#define STONES_RANGE ((real)STONES_RANGE_F32)
#define STONES_SLACK 1e-4f
#endif

CAROM_LANE vreal stones_length(vreal x, vreal y)
{
    return v_sqrt(x * x + y * y);
}

CAROM_LANE vmask stones_within(vreal a, real range)
{
    return v_le(v_abs(a), v_set1(range)); /* false for NaN */
}

/* ---- RULES.md, A stone ---- */

/* Changing state is copied here; the tile stays unchanged until the tick is known to be in range. Stones are rows,
 * worlds are lanes, and sets of lanes are bits. Arrays have one entry per stone; fields of the state keep their name
 * and meaning. */
typedef struct stones_group {
    const stones_context *context;
    tick_world w;
    unsigned home, active; /* its first world; lanes that play */
    int stones;            /* rows in use */

    vreal x[STONES_MAX], y[STONES_MAX], speed[STONES_MAX], course[STONES_MAX], unused[STONES_MAX];
    vreal cos[STONES_MAX], sin[STONES_MAX]; /* of the course */

    /* Paths of pushes, and each stone's next point. */
    vreal curve[STONES_MAX], shot_course[STONES_MAX], origin_x[STONES_MAX], origin_y[STONES_MAX];
    vreal distance[STONES_MAX], traveled[STONES_MAX], next_x[STONES_MAX], next_y[STONES_MAX];

    uint16_t in_play[STONES_MAX], shot[STONES_MAX]; /* lanes */
    uint16_t moving[STONES_MAX];                    /* lanes: in play, with speed and time left */

    /* Derived from these by stones_prepare(): the centre, and the displacement left in this tick, its length first. */
    vreal centre_x[STONES_MAX], centre_y[STONES_MAX], step[STONES_MAX], way_x[STONES_MAX], way_y[STONES_MAX];

    uint16_t near[STONES_MAX][STONES_MAX]; /* lanes in which the pair may hit; symmetric */
    uint32_t changed;                      /* set of stones whose rows must be stored */
    vreal sweeps;                          /* made so far */
} stones_group;

/* A group is too large to have one for each group of a run, so they are played one after the other. */
struct rules_scratch {
    stones_group group;
    vreal out[RUN_GROUPS][2]; /* stones of each player that left the ring in this tick */
    /* The part of the tick that each stone has used so far, for contacts: see stones_contacts(). */
    double clock[STONES_MAX][LANES];
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

/* Writes the new state of the kept lanes. */
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

/* Derives centre and displacement of stone i. The length is its speed, or on a path the distance to its next point,
 * times its remaining time. (The plugin computes it once and keeps it until the stone moves; nothing that it depends on
 * changes before.) */
CAROM_LANE void stones_prepare(stones_group *g, uint32_t i)
{
    vreal zero = v_set1(REAL(0.0)), radius = stones_radius(g, i);
    vmask in_play = m_from_bits(g->in_play[i]), shot = m_from_bits(g->shot[i]);
    vmask fast = m_and(in_play, v_ne(g->speed[i], zero));
    g->moving[i] = (uint16_t)m_bits(m_and(fast, v_ne(g->unused[i], zero)));

    g->centre_x[i] = g->x[i] + radius;
    g->centre_y[i] = g->y[i] + radius;

    /* Most stones rest: no displacement. */
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

/* ---- two stones ---- */

/* Two stones touch when a t^2 + b t + c = 0, t the share of the tick, for a relative position f and a relative
 * displacement d. Their order does not matter: every term has an even number of factors that change sign. */
typedef struct stones_touch {
    vreal a, b, c, q, reach2; /* q: the discriminant; reach2: the square of the sum of radii */
} stones_touch;

CAROM_LANE stones_touch stones_touching(vreal fx, vreal fy, vreal dx, vreal dy, vreal reach)
{
    stones_touch e;
    e.reach2 = reach * reach;
    e.a = dx * dx + dy * dy;
    vreal dot = fx * dx + fy * dy;
    e.b = dot + dot;
    e.c = fx * fx + fy * fy - e.reach2;
    e.q = e.b * e.b - v_set1(REAL(4.0)) * e.a * e.c;
    return e;
}

/* The share of the tick after which they touch: the entering root, NaN if there is none. The leaving root is later and
 * never matters. */
CAROM_LANE vreal stones_share(const stones_touch *e)
{
    return (-e->b - v_sqrt(e->q)) / (e->a + e->a);
}

/* A filter without a root, which passes every hit. A hit has q > 0 and b < 0, otherwise the root would be below 0. If
 * the closest approach lies within the tick (-b <= 2a) it may hit. Otherwise the parabola still falls at t = 1, and the
 * root is at most 1 only if its value there, a + b + c, is <= 0. Rounding of q amounts to some 6 u b^2 (u: half a unit
 * in the last place), equivalent to an error of c of 6 u b^2 / 4a <= 6 u (c + R^2), as b^2 <= 4 a (c + R^2); rounding
 * of the sum and the root to some 4 u (a + |b| + |c|). STONES_SLACK is far above 10 u. */
CAROM_LANE vmask stones_may_hit(const stones_touch *e)
{
    vreal zero = v_set1(REAL(0.0)), sum = e->a + e->b;
    vreal size = e->a - e->b + v_abs(e->c) + e->reach2;
    vmask inside = m_or(v_ge(sum + e->a, zero), v_le(sum + e->c, size * v_set1(STONES_SLACK)));
    return m_and(m_and(v_gt(e->q, zero), v_lt(e->b, zero)), inside);
}

/* The cosine of (u - v + pi/2), which decides how speed is shared. */
CAROM_LANE vreal stones_relative(vreal u, vreal v)
{
    vreal s, c;
    fd_sincos(u - v + v_set1(V_HALF_PI), &s, &c);
    return c;
}

/* The course across n, on the side that the sign of k gives. */
CAROM_LANE vreal stones_tangent(vreal n, vreal k)
{
    vreal tangent = n - v_set1(V_HALF_PI);
    return v_select(v_gt(k, v_set1(REAL(0.0))), tangent, tangent - v_set1(V_PI));
}

/* A stone that takes part in a hit, in each lane; fields as in stones_group. */
typedef struct stones_part {
    vreal x, y, radius, power, speed, course, unused, cos, sin, step;
} stones_part;

/* Moves a stone along its course. */
CAROM_LANE void stones_go(stones_part *s, vreal way)
{
    s->x = s->x + s->cos * way;
    s->y = s->y + s->sin * way;
}

/* Moves striker a and stone b to their hit, after the share t of the tick. Returns the lanes in which rounding made
 * them overlap, where a goes only STONES_SHRINK of its distance. */
CAROM_LANE vmask stones_meet(stones_part *a, stones_part *b, vreal t)
{
    vreal way = t * a->step, x0 = a->x, y0 = a->y, shrink = v_set1((real)STONES_SHRINK);
    stones_go(a, way);
    stones_go(b, t * b->step);
    vreal apart = stones_length(a->x + a->radius - (b->x + b->radius), a->y + a->radius - (b->y + b->radius));
    vmask overlap = v_lt(apart, a->radius + b->radius);
    a->x = v_select(overlap, x0 + a->cos * way * shrink, a->x);
    a->y = v_select(overlap, y0 + a->sin * way * shrink, a->y);
    return overlap;
}

/* The plugin's response: the normal is the direction between the corners, and each stone keeps the share of its time
 * that it has used. */
CAROM_LANE void stones_answer_shipped(stones_part *a, stones_part *b, vreal t)
{
    vreal one = v_set1(REAL(1.0)), zero = v_set1(REAL(0.0));
    a->unused = a->unused * (t * a->step / a->step);
    vreal unused = b->unused * (t * b->step / b->step);
    b->unused = v_select(v_ne(b->step, zero), unused, b->unused);

    vreal n = fd_atan2(b->y - a->y, b->x - a->x), k = stones_relative(a->course, n), share = v_abs(k);
    a->course = stones_tangent(n, k);
    b->course = n;

    vreal given = a->speed * a->power / b->power;
    a->speed = a->speed * share;
    b->speed = given * (one - share);
    fd_sincos(a->course, &a->sin, &a->cos);
    fd_sincos(b->course, &b->sin, &b->cos);
}

/* The article's response: the normal is the direction between the centres, and both keep the share of the tick that is
 * left. */
CAROM_LANE void stones_answer_described(stones_part *a, stones_part *b, vreal t, real loss)
{
    vreal one = v_set1(REAL(1.0)), left = one - t, kept = v_set1(REAL(1.0) - loss);
    a->unused = a->unused * left;
    b->unused = b->unused * left;

    vreal n = fd_atan2(b->y + b->radius - (a->y + a->radius), b->x + b->radius - (a->x + a->radius));
    vreal k = stones_relative(a->course, n), share = v_abs(k);
    b->course = a->course;
    b->cos = a->cos;
    b->sin = a->sin;
    a->course = stones_tangent(n, k);

    vreal given = a->speed * a->power / b->power;
    a->speed = a->speed * share * kept;
    b->speed = (b->speed + given * (one - share)) * kept;
    fd_sincos(a->course, &a->sin, &a->cos);
}

/* ---- candidate pairs ---- */

CAROM_LANE stones_touch stones_pair(const stones_group *g, uint32_t i, uint32_t j)
{
    return stones_touching(g->centre_x[i] - g->centre_x[j], g->centre_y[i] - g->centre_y[j], g->way_x[i] - g->way_x[j],
                           g->way_y[i] - g->way_y[j], stones_radius(g, i) + stones_radius(g, j));
}

/* Filters all pairs that include a stone in `bits`, each once. */
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

/* ---- RULES.md, Sweeps ---- */

/* A pair in each lane, by the numbers of its stones. */
typedef struct stones_names {
    vint a, b;
} stones_names;

/* The set of stones that `name` selects in the given lanes. */
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

/* Collects stone name[lane], one of `bits`. Other lanes get harmless numbers. */
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

/* Writes stone name[lane] back after a hit, in `lanes`. It leaves its path. */
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

/* Is the share t a hit? `step` is the displacement of the faster stone. */
CAROM_LANE vmask stones_counts(const stones_group *g, const stones_touch *touch, vreal t, vreal step)
{
    vreal zero = v_set1(REAL(0.0));
    vmask inside = m_and(v_gt(touch->q, zero), v_le(t, v_set1(REAL(1.0))));
    if (g->context->rules == CAROM_STONES_AS_DESCRIBED) {
        return m_and(inside, v_ge(t, zero));
    }
    return m_and(inside, v_gt(t * step, zero));
}

/* Finds in each lane the first stone, in order, that hits another, and the nearest that it hits. Returns the lanes that
 * have such a pair. */
CAROM_LANE unsigned stones_next(const stones_group *g, unsigned lanes, stones_names *names)
{
    unsigned found = 0;
    names->a = names->b = i_set1(0);
    for (uint32_t i = 0; i < (uint32_t)g->stones && lanes != 0; i++) {
        /* Stone i in the lanes in which it moves and no earlier stone hits. */
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

/* The first stone, in order, in the path of a, which goes `way` to hit b: b itself if there is none. */
CAROM_LANE vint stones_in_way(const stones_group *g, const stones_names *names, const stones_part *a,
                              const stones_part *b, vreal way, unsigned lanes)
{
    vreal x = a->x + a->radius + a->cos * way, y = a->y + a->radius + a->sin * way;
    vreal reach = a->radius + b->radius;

    /* The decision needs a root, as in the plugin: compute it only for stones that are near by the square. */
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

/* Appends the hits of the lanes to the recordings of their worlds. shrunk: lanes in which the striker was pulled back,
 * marked by a negative length. way: of the striker. */
static inline void stones_record_hits(const tick_run *run, unsigned home, const stones_names *names, unsigned lanes,
                                      unsigned shrunk, vreal way)
{
    alignas(64) int32_t striker[LANES], struck[LANES];
    alignas(64) real ways[LANES];
    i_store32(striker, names->a);
    i_store32(struck, names->b);
    v_store(ways, way);
    EACH_LANE (l, lanes) {
        carom_event *event = run_record(run, home + l);
        if (event != NULL) {
            event->left = (shrunk >> l & 1) != 0 ? -(double)ways[l] : (double)ways[l];
            event->first = (uint32_t)striker[l];
            event->second = (uint32_t)struck[l];
        }
    }
}

/* A stone of every lane at its hit, for contacts: its centre, its velocity in pixels a tick. */
typedef struct stones_sight {
    alignas(64) real x[LANES];
    alignas(64) real y[LANES];
    alignas(64) real vx[LANES];
    alignas(64) real vy[LANES];
    alignas(64) real radius[LANES];
    alignas(64) real power[LANES];
} stones_sight;

CAROM_LANE void stones_see(stones_sight *s, const stones_part *p)
{
    v_store(s->x, p->x + p->radius);
    v_store(s->y, p->y + p->radius);
    v_store(s->vx, p->speed * p->cos);
    v_store(s->vy, p->speed * p->sin);
    v_store(s->radius, p->radius);
    v_store(s->power, p->power);
}

/* Writes the contacts of the hits in `lanes`, which have been recorded. share: of what each stone had left of the tick.
 * Each stone has a separate clock, so the time left differs, too. */
static inline void stones_contacts(const tick_run *run, unsigned home, const stones_names *names, unsigned lanes,
                                   vreal share, const stones_sight before[2], const stones_sight after[2])
{
    alignas(64) int32_t who[2][LANES];
    alignas(64) real shares[LANES];
    i_store32(who[0], names->a);
    i_store32(who[1], names->b);
    v_store(shares, share);
    EACH_LANE (l, lanes) {
        carom_contact *c = run_last_contact(run, home + l);
        for (unsigned k = 0; k < 2 && c != NULL; k++) {
            const stones_sight *from = &before[k], *to = &after[k];
            double *clock = &run->own->clock[who[k][l]][l];
            *clock += (double)shares[l] * (1 - *clock);
            c->time[k] = *clock;
            contact_body(c, k, (double)from->x[l], (double)from->y[l], (double)from->vx[l], (double)from->vy[l]);
            contact_after(c, k, (double)to->vx[l], (double)to->vy[l]);
        }
        if (c != NULL) {
            contact_meet(c, (double)before[0].radius[l]);
            contact_push(c, (double)before[0].power[l], (double)before[1].power[l]);
        }
    }
}

/* Tries the pair of each lane; if a stone is in the path tries that one instead, and so on. Returns the lanes with a
 * hit in the end. Counts and records hits, and adds the stones that took part to *named_hit. */
CAROM_LANE unsigned stones_try(const tick_run *run, stones_group *g, stones_names names, unsigned lanes,
                               uint32_t *named_hit)
{
    unsigned done = 0;
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

        /* Do they touch within the tick? Each term is written as in the plugin. */
        vreal acx = a.x + a.radius, acy = a.y + a.radius;
        vreal bcx = b.x + b.radius, bcy = b.y + b.radius;
        stones_touch touch =
            stones_touching(acx - bcx, acy - bcy, acx + a.cos * a.step - acx - (bcx + b.cos * b.step - bcx),
                            acy + a.sin * a.step - acy - (bcy + b.sin * b.step - bcy), a.radius + b.radius);
        vreal t = stones_share(&touch), way = t * a.step;
        lanes &= m_bits(stones_counts(g, &touch, t, a.step));

        /* At the end of a chain the hit happens, whatever is in the path. */
        vint first = stones_in_way(g, &names, &a, &b, way, lanes);
        unsigned meet = attempt < STONES_ATTEMPTS ? lanes & m_bits(i_eq(first, names.b)) : lanes;

        if (meet != 0) {
            vmask overlap = stones_meet(&a, &b, t);
            stones_sight before[2];
            if (run_records_contacts(run)) {
                stones_see(&before[0], &a);
                stones_see(&before[1], &b);
            }

            if (g->context->rules == CAROM_STONES_AS_DESCRIBED) {
                stones_answer_described(&a, &b, t, (real)g->context->loss);
            } else {
                stones_answer_shipped(&a, &b, t);
            }
            stones_give(g, names.a, bits, &a, m_from_bits(meet));
            stones_give(g, names.b, bits, &b, m_from_bits(meet));
            *named_hit |= stones_named(names.a, meet) | stones_named(names.b, meet);

            run_count_impacts(run, (unsigned)__builtin_popcount(meet));
            if (run_records(run)) {
                stones_record_hits(run, g->home, &names, meet, meet & m_bits(overlap), way);
            }
            if (run_records_contacts(run)) {
                stones_sight after[2];
                stones_see(&after[0], &a);
                stones_see(&after[1], &b);
                stones_contacts(run, g->home, &names, meet, t, before, after);
            }
        }

        done |= meet;
        lanes &= ~meet;
        names.b = first;
    }
    return done;
}

/* Sweeps until no lane has a hit, at most STONES_SWEEPS times. */
CAROM_LANE void stones_sweep_all(tick_run *run, stones_group *g)
{
    uint32_t all = g->stones < STONES_MAX ? (UINT32_C(1) << g->stones) - 1 : UINT32_MAX, look = all;
    unsigned lanes = g->active;
    EACH_STONE (i, all) {
        stones_prepare(g, i);
    }
    g->sweeps = v_set1(REAL(0.0));
    for (int number = 1; number <= STONES_SWEEPS && lanes != 0; number++) {
        /* Find a pair that would hit, in each lane. */
        stones_names names;
        stones_look(g, look);
        g->sweeps = v_select(m_from_bits(lanes), v_set1((real)number), g->sweeps);
        lanes = stones_next(g, lanes, &names);
        if (lanes == 0) {
            break;
        }

        /* Let it hit, or the stone in its path. */
        look = 0;
        unsigned done = stones_try(run, g, names, lanes, &look);

        /* A chain that ended without a hit has changed nothing, so the remaining sweeps would repeat it. */
        g->sweeps = v_select(m_from_bits(lanes & ~done), v_set1((real)STONES_SWEEPS), g->sweeps);

        lanes = done;
        g->changed |= look;
        EACH_STONE (i, look) {
            stones_prepare(g, i);
        }
    }
}

#endif
