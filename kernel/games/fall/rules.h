/* SPDX-License-Identifier: MIT
 * The rules of fall, from top to bottom: a world during a tick, the start, the next collision, bounces, overlaps, the
 * tick, rewards and the end. Over 800 lines, so that one file has everything except the search in lanes (next.h).
 *
 * fall has a separate tick (RULES_PLAY_OWN). The common ticks search for impacts in each tick, while a world of fall
 * keeps its next collision from tick to tick, and most worlds need no search at all. The order of steps is that of the
 * engine it reproduces, which searches for the collision after a bounce before it undoes overlaps.
 *
 * A tile is not written until its tick is over, so a world that faults keeps its previous state.
 */
#ifndef CAROM_GAMES_FALL_RULES_H
#define CAROM_GAMES_FALL_RULES_H

#include "base/random.h"
#include "games/fall/next.h"

#define RULES_FIELDS FALL_FIELDS
#define RULES_PLAYERS 1
#define RULES_OBSERVATION CAROM_FALL_OBSERVATION
#define RULES_DRAWN 2
typedef fall_context rules_context;

#include "tick/run.h"

#define FALL_DT ((real)FALL_TICK)

/* ---- a world during a tick ---- */

/* A world in which something happens in this tick. Fields of the state keep their name and meaning. */
typedef struct fall_world {
    real c[FALL_CIRCLES][4]; /* x, y, vx, vy */
    real rest;               /* remaining part of the tick, seconds */
    real wait, at[2];        /* the queue, with `who` */
    real past_age[FALL_PASTS], past_x[FALL_PASTS], past_y[FALL_PASTS];
    int8_t who[3], pasts, past_a[FALL_PASTS], past_b[FALL_PASTS];
    bool bounced;    /* a collision has happened, and its overlaps are still to be undone */
    bool overrun;    /* too many collisions in this tick */
    bool done;       /* is at the end of the tick */
    uint32_t events; /* collisions of this tick so far */
    unsigned home;   /* its position in the run */
} fall_world;

struct rules_scratch {
    fall_world worlds[RUN_WORLDS];
    uint16_t looking[RUN_WORLDS]; /* indices of the worlds that need a search for their next collision */
    fall_group group;
    vreal before[RUN_GROUPS]; /* heights of the kicked circle before the tick, for the reward */
};

CAROM_LANE real fall_root(real a)
{
#if CAROM_REAL_BITS == 64
    return __builtin_sqrt(a);
#else
    return __builtin_sqrtf(a);
#endif
}

CAROM_LANE real fall_length(real x, real y)
{
    return fall_root(x * x + y * y);
}

/* False for NaN. */
CAROM_LANE bool fall_in_range(real a, real range)
{
    return a >= -range && a <= range;
}

/* Copies a world out of its tile, for a whole tick. */
CAROM_LANE void fall_take_world(const fall_context *context, fall_world *w, tick_world from)
{
    for (int k = 0; k < context->circle_count; k++) {
        w->c[k][FALL_X] = *at_x(from, k);
        w->c[k][FALL_Y] = *at_y(from, k);
        w->c[k][FALL_VX] = *at_vx(from, k);
        w->c[k][FALL_VY] = *at_vy(from, k);
    }

    w->rest = FALL_DT;
    w->wait = *at_wait(from, 0);
    w->at[0] = *at_at(from, 0);
    w->at[1] = *at_at(from, 1);
    for (int k = 0; k < 3; k++) {
        w->who[k] = *at_who(from, k);
    }

    w->pasts = *at_pasts(from, 0);
    for (int k = 0; k < w->pasts; k++) {
        w->past_age[k] = *at_past_age(from, k);
        w->past_x[k] = *at_past_x(from, k);
        w->past_y[k] = *at_past_y(from, k);
        w->past_a[k] = *at_past_a(from, k);
        w->past_b[k] = *at_past_b(from, k);
    }

    w->bounced = w->overrun = w->done = false;
    w->events = 0;
}

/* Writes a world back into its tile. */
CAROM_LANE void fall_put_world(const fall_context *context, const fall_world *w, tick_world to)
{
    const int before = *at_pasts(to, 0);
    for (int k = 0; k < context->circle_count; k++) {
        *at_x(to, k) = w->c[k][FALL_X];
        *at_y(to, k) = w->c[k][FALL_Y];
        *at_vx(to, k) = w->c[k][FALL_VX];
        *at_vy(to, k) = w->c[k][FALL_VY];
    }

    *at_wait(to, 0) = w->wait;
    *at_at(to, 0) = w->at[0];
    *at_at(to, 1) = w->at[1];
    for (int k = 0; k < 3; k++) {
        *at_who(to, k) = w->who[k];
    }
    *at_pasts(to, 0) = w->pasts;

    /* Clear entries of past collisions that have been forgotten. */
    for (int k = 0; k < w->pasts || k < before; k++) {
        const bool there = k < w->pasts;
        *at_past_age(to, k) = there ? w->past_age[k] : 0;
        *at_past_x(to, k) = there ? w->past_x[k] : 0;
        *at_past_y(to, k) = there ? w->past_y[k] : 0;
        *at_past_a(to, k) = there ? w->past_a[k] : (int8_t)0;
        *at_past_b(to, k) = there ? w->past_b[k] : (int8_t)0;
    }
}

/* ---- the queue, and past collisions ---- */

CAROM_LANE void fall_empty_queue(fall_world *w)
{
    w->wait = -1;
    w->at[0] = w->at[1] = 0;
    w->who[0] = w->who[1] = w->who[2] = 0;
}

/* Lets time pass for past collisions, and forgets those too long ago to matter. */
CAROM_LANE void fall_age(fall_world *w, real dt)
{
    int kept = 0;
    for (int k = 0; k < w->pasts; k++) {
        const real age = w->past_age[k] + dt;
        if (age < FALL_NEAR) {
            w->past_age[kept] = age;
            w->past_x[kept] = w->past_x[k];
            w->past_y[kept] = w->past_y[k];
            w->past_a[kept] = w->past_a[k];
            w->past_b[kept] = w->past_b[k];
            kept++;
        }
    }
    w->pasts = (int8_t)kept;
}

/* Adds the collision in the queue to the past ones. If there is no room it forgets the oldest. */
CAROM_LANE void fall_remember(fall_world *w)
{
    if (w->pasts == FALL_PASTS) {
        for (int k = 1; k < FALL_PASTS; k++) {
            w->past_age[k - 1] = w->past_age[k];
            w->past_x[k - 1] = w->past_x[k];
            w->past_y[k - 1] = w->past_y[k];
            w->past_a[k - 1] = w->past_a[k];
            w->past_b[k - 1] = w->past_b[k];
        }
        w->pasts--;
    }

    const int k = w->pasts++;
    w->past_age[k] = 0;
    w->past_x[k] = w->at[0];
    w->past_y[k] = w->at[1];
    w->past_a[k] = w->who[0];
    w->past_b[k] = w->who[1];
}

/* ---- the start, and valid states ---- */

/* A random number in [-1, 1). */
static double fall_draw(random_stream *stream)
{
    return (double)(int32_t)random_word(stream) * (1.0 / 2147483648.0);
}

/* A new game: the scene's circles, with randomly scattered velocities. */
static void rules_start(const fall_context *context, uint64_t seed, tick_world w)
{
    random_stream stream = random_begin(seed, world_id(w), FALL_DRAW_GAME, world_episode(w));
    for (int k = 0; k < FALL_CIRCLES; k++) {
        const fall_circle *circle = &context->circles[k];
        const bool there = k < context->circle_count;

        /* Only free circles draw. */
        double vx = there ? circle->vx : 0, vy = there ? circle->vy : 0;
        if (there && circle->fixed == 0 && context->scatter > 0) {
            vx += fall_draw(&stream) * context->scatter;
            vy += fall_draw(&stream) * context->scatter;
        }

        *at_x(w, k) = there ? (real)circle->x : 0;
        *at_y(w, k) = there ? (real)circle->y : 0;
        *at_vx(w, k) = (real)vx;
        *at_vy(w, k) = (real)vy;
    }

    for (int k = 0; k < FALL_PASTS; k++) {
        *at_past_age(w, k) = *at_past_x(w, k) = *at_past_y(w, k) = 0;
        *at_past_a(w, k) = *at_past_b(w, k) = 0;
    }
    *at_wait(w, 0) = -1;
    *at_at(w, 0) = *at_at(w, 1) = 0;
    *at_who(w, 0) = *at_who(w, 1) = *at_who(w, 2) = *at_pasts(w, 0) = 0;
}

/* Can bodies a and b of the scene collide at such a part? */
static bool fall_is_pair(const fall_context *context, int a, int b, int part)
{
    if (a < 0 || b < 0 || a >= context->body_count || b >= context->body_count || context->circle_of[a] < 0) {
        return false;
    }
    if (context->circle_of[b] >= 0) {
        return part == CAROM_FALL_CIRCLE && a < b &&
               (context->circles[context->circle_of[a]].fixed == 0 ||
                context->circles[context->circle_of[b]].fixed == 0);
    }

    const int edge = part >= CAROM_FALL_CORNER ? part - CAROM_FALL_CORNER : part - CAROM_FALL_EDGE;
    return context->circles[context->circle_of[a]].fixed == 0 && edge >= 0 &&
           edge < context->polygons[context->polygon_of[b]].count;
}

/* Is this state valid? Whatever the scene does not have must be 0. */
static bool rules_check(const fall_context *context, tick_world w)
{
    const real range = (real)FALL_RANGE, wait = *at_wait(w, 0);
    const int pasts = *at_pasts(w, 0);
    bool good = pasts >= 0 && pasts <= FALL_PASTS && (wait >= 0 || wait == -1) &&
                fall_in_range(*at_at(w, 0), range * range) && fall_in_range(*at_at(w, 1), range * range) &&
                (wait < 0 || fall_is_pair(context, *at_who(w, 0), *at_who(w, 1), *at_who(w, 2)));

    /* Circles; a fixed one has no velocity. */
    for (int k = 0; k < FALL_CIRCLES && good; k++) {
        const bool there = k < context->circle_count, moves = there && context->circles[k].fixed == 0;
        const real most = there ? range : 0, fast = moves ? range : 0;
        good = fall_in_range(*at_x(w, k), most) && fall_in_range(*at_y(w, k), most) &&
               fall_in_range(*at_vx(w, k), fast) && fall_in_range(*at_vy(w, k), fast);
    }

    for (int k = 0; k < FALL_PASTS && good; k++) {
        const real most = k < pasts ? range * range : 0;
        good = *at_past_age(w, k) >= 0 && *at_past_age(w, k) <= (k < pasts ? FALL_NEAR : 0) &&
               fall_in_range(*at_past_x(w, k), most) && fall_in_range(*at_past_y(w, k), most) &&
               *at_past_a(w, k) >= 0 && *at_past_b(w, k) >= 0 &&
               (k < pasts || (*at_past_a(w, k) == 0 && *at_past_b(w, k) == 0));
    }
    return good;
}

static void rules_derive(const fall_context *context, tick_world w)
{
    (void)context, (void)w; /* nothing is derived */
}

/* ---- RULES.md, The next collision ---- */

/* Puts the result of a search into the queue of one world. */
CAROM_LANE void fall_queue(const fall_context *context, fall_world *w, real t, int rank, real x, real y)
{
    const fall_pair *pair = &context->pairs[rank / FALL_SUBS];
    const int sub = rank % FALL_SUBS, edge = sub / 4, test = sub % 4;
    int part = CAROM_FALL_CIRCLE;
    if (pair->polygon != 0) {
        const int count = context->polygons[pair->b].count;
        part = test >= 2 ? CAROM_FALL_EDGE + edge : CAROM_FALL_CORNER + (edge + test) % count;
    }
    w->wait = t;
    w->at[0] = x;
    w->at[1] = y;
    w->who[0] = (int8_t)pair->first;
    w->who[1] = (int8_t)pair->second;
    w->who[2] = (int8_t)part;
}

/* Loads `count` worlds, one per lane. Other lanes are copies of the first. */
CAROM_LANE void fall_load(const fall_context *context, fall_group *g, const fall_world *worlds, const uint16_t *index,
                          unsigned count)
{
    g->pasts = 0;
    for (unsigned l = 0; l < LANES; l++) {
        const fall_world *w = &worlds[index[l < count ? l : 0]];
        for (int k = 0; k < context->circle_count; k++) {
            for (int d = 0; d < 4; d++) {
                g->c[k][d][l] = w->c[k][d];
            }
        }
        g->pasts = g->pasts < w->pasts ? w->pasts : g->pasts;
    }

    /* Past collisions, which are rare. */
    for (unsigned l = 0; l < LANES && g->pasts > 0; l++) {
        const fall_world *w = &worlds[index[l < count ? l : 0]];
        for (int k = 0; k < g->pasts; k++) {
            const bool there = k < w->pasts;
            g->past_age[k][l] = there ? w->past_age[k] : 0;
            g->past_x[k][l] = there ? w->past_x[k] : 0;
            g->past_y[k][l] = there ? w->past_y[k] : 0;
            g->past_pair[k][l] = there ? (real)(w->past_a[k] * 256 + w->past_b[k]) : (real)-1;
        }
    }
}

/* Puts the next collision of each of `count` worlds, at most LANES, into its queue. */
static void fall_next(const fall_context *context, fall_group *g, fall_world *worlds, const uint16_t *index,
                      unsigned count)
{
    fall_load(context, g, worlds, index, count);
    const fall_best best = fall_search(context, g, count);

    alignas(64) real t[LANES], rank[LANES], x[LANES], y[LANES];
    v_store(t, best.t);
    v_store(rank, best.rank);
    v_store(x, best.x);
    v_store(y, best.y);
    for (unsigned l = 0; l < count; l++) {
        fall_world *w = &worlds[index[l]];
        if (rank[l] < FALL_NONE) {
            fall_queue(context, w, t[l], (int)rank[l], x[l], y[l]);
        } else {
            fall_empty_queue(w);
        }
    }
}

/* ---- RULES.md, Bounces ---- */

/* Damps a circle's velocity after a collision. */
CAROM_LANE void fall_damp(const fall_context *context, real *c)
{
    const real keep = (real)context->keep, cutoff = (real)context->cutoff;
    for (int k = FALL_VX; k <= FALL_VY; k++) {
        c[k] *= keep;
        c[k] = fall_size(c[k]) < cutoff ? 0 : c[k];
    }
}

/* Reverses the component of a velocity along the unit vector (nx, ny). */
CAROM_LANE void fall_reflect(real *c, real nx, real ny)
{
    const real twice = 2 * (c[FALL_VX] * nx + c[FALL_VY] * ny);
    c[FALL_VX] -= twice * nx;
    c[FALL_VY] -= twice * ny;
}

/* Elastic impact of circles a and b along the line of centres; a fixed circle has share 0. */
CAROM_LANE void fall_bounce_circles(const fall_circle *circle, real *a, const fall_circle *other, real *b)
{
    const real dx = a[FALL_X] - b[FALL_X], dy = a[FALL_Y] - b[FALL_Y], d = fall_length(dx, dy);
    const real share_a = (real)circle->share, share_b = (real)other->share, sum = share_a + share_b;
    if (d > 0 && sum > 0) {
        const real nx = dx / d, ny = dy / d;
        const real j = -2 * ((a[FALL_VX] - b[FALL_VX]) * nx + (a[FALL_VY] - b[FALL_VY]) * ny) / sum;
        a[FALL_VX] += j * share_a * nx;
        a[FALL_VY] += j * share_a * ny;
        b[FALL_VX] -= j * share_b * nx;
        b[FALL_VY] -= j * share_b * ny;
    }
}

/* Plays the collision in the queue; both bodies are at their positions of contact. */
CAROM_LANE void fall_hit(const fall_context *context, fall_world *w)
{
    const int first = context->circle_of[w->who[0]], part = w->who[2];
    const fall_circle *circle = &context->circles[first];
    real *c = w->c[first];

    /* The other body is a circle, an edge, or a corner. */
    if (part == CAROM_FALL_CIRCLE) {
        const int second = context->circle_of[w->who[1]];
        fall_bounce_circles(circle, c, &context->circles[second], w->c[second]);
        if (context->circles[second].fixed == 0) {
            fall_damp(context, w->c[second]);
        }
    } else {
        const fall_polygon *polygon = &context->polygons[context->polygon_of[w->who[1]]];
        const fall_edge *edge = &context->edges[polygon->first];
        if (part < CAROM_FALL_CORNER) {
            edge += part - CAROM_FALL_EDGE;
            fall_reflect(c, -(real)edge->uy, (real)edge->ux);
        } else {
            edge += part - CAROM_FALL_CORNER;
            const real dx = c[FALL_X] - (real)edge->x, dy = c[FALL_Y] - (real)edge->y, d = fall_length(dx, dy);
            if (d > 0) {
                fall_reflect(c, dx / d, dy / d);
            }
        }
    }

    if (circle->fixed == 0) {
        fall_damp(context, c);
    }
}

/* ---- RULES.md, Overlaps ---- */

CAROM_LANE real fall_clamp(real a, real low, real high)
{
    return a < low ? low : a > high ? high : a;
}

/* Is a circle so far outside the box around a polygon that no edge would move it? */
CAROM_LANE bool fall_is_clear(const fall_polygon *p, const real *c, real radius)
{
    const real r = radius - (real)FALL_NEAR / 2;
    return c[FALL_X] + r < (real)p->left || c[FALL_X] - r > (real)p->right || c[FALL_Y] + r < (real)p->low ||
           c[FALL_Y] - r > (real)p->high;
}

/* Puts a circle of radius r back on each edge that it penetrates by FALL_NEAR or more. True if it was moved. */
CAROM_LANE bool fall_leave_polygon(const fall_context *context, const fall_polygon *p, real *c, real r)
{
    bool moved = false;
    for (int e = p->first; e < p->first + p->count; e++) {
        const fall_edge *edge = &context->edges[e];
        const real px = (real)edge->px, py = (real)edge->py, ux = (real)edge->ux, uy = (real)edge->uy;
        const real dx = c[FALL_X] - px, dy = c[FALL_Y] - py, along = dx * ux + dy * uy;
        if (along >= 0 && along <= (real)edge->length) {
            const real x = px + along * ux, y = py + along * uy, ox = c[FALL_X] - x, oy = c[FALL_Y] - y;
            const real d = fall_length(ox, oy);
            if (r - d >= FALL_NEAR && d > 0) {
                c[FALL_X] = x + ox * r / d;
                c[FALL_Y] = y + oy * r / d;
                moved = true;
            }
        }
    }
    return moved;
}

/* Separates two circles: moves the later one, unless it is fixed, to where they touch, and adds the overlap to its
 * velocity. True if they overlapped. */
CAROM_LANE bool fall_leave_circle(const fall_circle *circle, real *a, const fall_circle *other, real *b)
{
    const real dx = b[FALL_X] - a[FALL_X], dy = b[FALL_Y] - a[FALL_Y], r = (real)circle->radius + (real)other->radius;

    /* Most pairs are far apart in x or y: skip the root for them. */
    if (!(dx < r && dx > -r && dy < r && dy > -r)) {
        return false;
    }

    const real d = fall_length(dx, dy), overlap = r - d;
    if (!(overlap > 0 && d > 0)) {
        return false;
    }

    const real nx = dx / d, ny = dy / d;
    if (other->fixed == 0) {
        b[FALL_X] = a[FALL_X] + nx * r;
        b[FALL_Y] = a[FALL_Y] + ny * r;
        b[FALL_VX] += nx * overlap;
        b[FALL_VY] += ny * overlap;
    } else {
        a[FALL_X] = b[FALL_X] - nx * r;
        a[FALL_Y] = b[FALL_Y] - ny * r;
        a[FALL_VX] -= nx * overlap;
        a[FALL_VY] -= ny * overlap;
    }
    return true;
}

/* One pass over all free circles and polygons. True if a circle was moved. Circles do not interact here, so only the
 * order of polygons matters: that of their bodies. */
CAROM_LANE bool fall_leave_polygons(const fall_context *context, fall_world *w)
{
    bool moved = false;
    for (int k = 0; k < context->circle_count; k++) {
        const real r = (real)context->circles[k].radius;
        real *c = w->c[k];
        for (int p = 0; p < context->polygon_count && context->circles[k].fixed == 0; p++) {
            const bool now =
                !fall_is_clear(&context->polygons[p], c, r) && fall_leave_polygon(context, &context->polygons[p], c, r);

            /* Into the unit square. If the circle has not moved again, the check after the first polygon has done
             * it. */
            if (now || p == 0) {
                c[FALL_X] = fall_clamp(c[FALL_X], r, 1 - r);
                c[FALL_Y] = fall_clamp(c[FALL_Y], r, 1 - r);
            }
            moved |= now;
        }
    }
    return moved;
}

/* One pass over all pairs of circles. True if two overlapped. */
CAROM_LANE bool fall_leave_circles(const fall_context *context, fall_world *w)
{
    bool moved = false;
    for (int a = 0; a < context->circle_count; a++) {
        const fall_circle *circle = &context->circles[a];
        for (int b = a + 1; b < context->circle_count; b++) {
            const fall_circle *other = &context->circles[b];
            if (circle->fixed == 0 || other->fixed == 0) {
                moved |= fall_leave_circle(circle, w->c[a], other, w->c[b]);
            }
        }
    }
    return moved;
}

/* Undoes overlaps: first with polygons, then between circles, until nothing moves, for at most one pass per body. */
CAROM_LANE void fall_separate(const fall_context *context, fall_world *w)
{
    for (int round = 0; round < context->body_count && fall_leave_polygons(context, w); round++) {
    }
    for (int round = 0; round < context->body_count && fall_leave_circles(context, w); round++) {
    }
}

/* ---- RULES.md, Most worlds ---- */

#if CAROM_REAL_BITS == 64
#define FALL_MARGIN 1e-12 /* relative; far above the rounding of a sum of squares */
#else
#define FALL_MARGIN 1e-5f
#endif

/* Nothing happens in a world without a kick whose next collision is known and later, in which nothing overlaps at the
 * end, and whose numbers stay in range. Tests may err on the safe side: any other world is played separately, with the
 * same result. */

/* Lanes in which a free circle of radius r at (x, y) may have to be moved away from a polygon, or back into the unit
 * square. */
CAROM_LANE vmask fall_may_be_in(const fall_context *context, vreal x, vreal y, real r)
{
    const vreal low = v_set1(r), high = v_set1(1 - r);
    vmask in = m_or(m_or(v_lt(x, low), v_gt(x, high)), m_or(v_lt(y, low), v_gt(y, high)));

    /* Against the boxes around the polygons. Overlaps of less than FALL_NEAR do not count. */
    const vreal part = v_set1(r - (real)FALL_NEAR / 2);
    vreal left = x - part, right = x + part, under = y - part, over = y + part;
    for (int p = 0; p < context->polygon_count; p++) {
        const fall_polygon *polygon = &context->polygons[p];
        vmask beside = m_or(v_lt(right, v_set1((real)polygon->left)), v_gt(left, v_set1((real)polygon->right)));
        vmask above = m_or(v_lt(over, v_set1((real)polygon->low)), v_gt(under, v_set1((real)polygon->high)));
        in = m_or(in, m_not(m_or(beside, above)));
    }
    return in;
}

/* Lanes in which circle k, at (x, y), may overlap a polygon, the border, or one of the circles before it, which are at
 * c. */
CAROM_LANE vmask fall_may_overlap(const fall_context *context, real (*c)[4][LANES], int k, vreal x, vreal y)
{
    const fall_circle *circle = &context->circles[k];
    const real r = (real)circle->radius;
    vmask in = m_from_bits(0);
    if (circle->fixed == 0 && context->polygon_count > 0) {
        in = fall_may_be_in(context, x, y, r);
    }
    for (int j = 0; j < k; j++) {
        const real reach = r + (real)context->circles[j].radius;
        vreal dx = x - v_load(c[j][FALL_X]), dy = y - v_load(c[j][FALL_Y]);
        vreal dd = dx * dx + dy * dy;
        in = m_or(in, v_le(dd, v_set1(reach * reach * (1 + FALL_MARGIN))));
    }
    return in;
}

/* Moves all circles from c by dt, to `moved`. Returns the lanes in which nothing can overlap there and all numbers are
 * in range. */
CAROM_LANE vmask fall_move(const fall_context *context, real (*c)[4][LANES], real (*moved)[4][LANES], vreal dt)
{
    const vreal dtt = dt * dt, half = v_set1(REAL(0.5)), range = v_set1((real)FALL_RANGE);
    vmask calm = m_not(m_from_bits(0));
    for (int k = 0; k < context->circle_count; k++) {
        const vreal ax = v_set1((real)context->circles[k].ax), ay = v_set1((real)context->circles[k].ay);
        vreal vx = v_load(c[k][FALL_VX]), vy = v_load(c[k][FALL_VY]);
        vreal x = v_load(c[k][FALL_X]) + (vx * dt + ax * dtt * half);
        vreal y = v_load(c[k][FALL_Y]) + (vy * dt + ay * dtt * half);
        vx = vx + ax * dt;
        vy = vy + ay * dt;
        v_store(moved[k][FALL_X], x);
        v_store(moved[k][FALL_Y], y);
        v_store(moved[k][FALL_VX], vx);
        v_store(moved[k][FALL_VY], vy);

        vmask good = m_and(m_and(v_le(v_abs(x), range), v_le(v_abs(y), range)),
                           m_and(v_le(v_abs(vx), range), v_le(v_abs(vy), range)));
        calm = m_and(calm, m_andnot(good, fall_may_overlap(context, moved, k, x, y)));
    }
    return calm;
}

/* Moves the lanes of `active` in which nothing happens to the end of the tick. Returns the others as bits, with
 * unchanged state. */
CAROM_LANE unsigned fall_quiet(const fall_context *context, fall_group *g, tick_world w, vmask active, vmask kicked)
{
    const vreal dt = v_set1(FALL_DT), wait = get_wait(w, 0);
    for (int k = 0; k < context->circle_count; k++) {
        v_store(g->c[k][FALL_X], get_x(w, k));
        v_store(g->c[k][FALL_Y], get_y(w, k));
        v_store(g->c[k][FALL_VX], get_vx(w, k));
        v_store(g->c[k][FALL_VY], get_vy(w, k));
    }

    /* Past collisions must be aged, so worlds that have any are not calm, either. */
    vmask calm = m_and(active, fall_move(context, g->c, g->moved, dt));
    calm = m_and(m_andnot(calm, kicked), m_and(v_ge(wait, dt), i_eq(get_pasts(w, 0), i_set1(0))));
    if (m_any(calm)) {
        const tick_kept kept = {calm, false};
        for (int k = 0; k < context->circle_count; k++) {
            set_x(w, k, v_load(g->moved[k][FALL_X]), kept);
            set_y(w, k, v_load(g->moved[k][FALL_Y]), kept);
            set_vx(w, k, v_load(g->moved[k][FALL_VX]), kept);
            set_vy(w, k, v_load(g->moved[k][FALL_VY]), kept);
        }
        set_wait(w, 0, wait - dt, kept);
    }
    return m_bits(m_andnot(active, calm));
}

/* After a search: moves the worlds of the group that need no separation now and have no further collision in this tick
 * to its end, in lanes, if nothing overlaps there. fall_go_on() plays the others. */
CAROM_LANE void fall_quiet_rest(const fall_context *context, fall_group *g, fall_world *worlds, const uint16_t *index,
                                unsigned count)
{
    alignas(64) real rest[LANES];
    vmask tight = m_from_bits(0);
    unsigned later = 0;

    for (unsigned l = 0; l < LANES; l++) {
        const fall_world *w = &worlds[index[l < count ? l : 0]];
        rest[l] = w->rest;
        later |= (unsigned)(l < count && w->wait >= w->rest && w->rest >= (real)FALL_NEAR) << l;
    }

    /* Where nothing can overlap there is nothing to separate. */
    for (int k = 0; k < context->circle_count; k++) {
        tight = m_or(tight, fall_may_overlap(context, g->c, k, v_load(g->c[k][FALL_X]), v_load(g->c[k][FALL_Y])));
    }
    vmask calm = fall_move(context, g->c, g->moved, v_load(rest));
    for (unsigned bits = m_bits(m_not(tight)), l = 0; l < count; l++) {
        worlds[index[l]].bounced &= (bits >> l & 1) == 0;
    }

    for (unsigned bits = m_bits(m_andnot(calm, tight)) & later; bits != 0; bits &= bits - 1) {
        const unsigned l = (unsigned)__builtin_ctz(bits);
        fall_world *w = &worlds[index[l]];
        for (int k = 0; k < context->circle_count; k++) {
            for (int d = 0; d < 4; d++) {
                w->c[k][d] = g->moved[k][d][l];
            }
        }
        w->wait -= w->rest;
        w->rest = 0;
        w->pasts = 0; /* by then they are FALL_NEAR or longer ago */
        w->done = true;
    }
}

/* ---- RULES.md, A tick ----
 *
 *     quiet      moves the worlds in which nothing happens, in lanes, and copies the others out of their tiles
 *     play       rounds of these: one by one up to the next collision and its bounce, then the search for the collision
 *                after it, in full registers of all that need one
 *     put back   writes those into their tiles that are in range and have not had too many collisions
 */

/* Height of the kicked circle, whose rise is the reward; 0 without one. */
CAROM_LANE vreal fall_height(const fall_context *context, tick_world w)
{
    return context->kicked < 0 ? v_set1(0) : get_y(w, context->kicked);
}

/* The kicks of a group, limited to [-1, 1]; NaN becomes 0. Returns the lanes that are kicked. */
CAROM_LANE vmask fall_kicks(const tick_run *run, unsigned home, vreal kick[2])
{
    const tick_numbers numbers = run_numbers(run, home);
    const vreal zero = v_set1(0), one = v_set1(1);
    for (unsigned k = 0; k < 2; k++) {
        const vreal a = number_f32(numbers, k);
        kick[k] = v_select(v_eq(a, a), v_max(v_min(a, one), -one), zero);
    }
    return run->context->kicked < 0 ? m_from_bits(0) : m_or(v_ne(kick[0], zero), v_ne(kick[1], zero));
}

/* Copies the worlds `busy` of a group, in which something happens, out of their tile, after `count` others. A kick
 * empties the queue. */
CAROM_LANE void fall_take_out(const tick_run *run, unsigned home, unsigned busy, unsigned kicked, const vreal kick[2],
                              unsigned count)
{
    const fall_context *context = run->context;
    alignas(64) real kicks[2][LANES];
    v_store(kicks[0], kick[0]);
    v_store(kicks[1], kick[1]);
    EACH_LANE (l, busy) {
        fall_world *w = &run->own->worlds[count++];
        fall_take_world(context, w, run_world(run, home + l));
        w->home = home + l;
        if ((kicked >> l & 1) != 0) {
            w->c[context->kicked][FALL_VX] += (real)context->kick * kicks[0][l];
            w->c[context->kicked][FALL_VY] += (real)context->kick * kicks[1][l];
            fall_empty_queue(w);
        }
    }
}

/* Surveys all groups, and returns how many worlds were copied out. */
CAROM_LANE unsigned fall_quiet_all(const tick_run *run)
{
    unsigned count = 0;
    EACH_ACTIVE_GROUP (run, number, home) {
        const tick_world w = run_world(run, home);
        if (run_rewarded(run)) {
            run->own->before[number] = fall_height(run->context, w);
        }

        vreal kick[2];
        const vmask kicked = fall_kicks(run, home, kick);
        const vmask active = m_from_bits(run->groups[number].active);

        const unsigned busy = fall_quiet(run->context, &run->own->group, w, active, kicked);
        if (busy != 0) {
            fall_take_out(run, home, busy, m_bits(kicked), kick, count);
            count += (unsigned)__builtin_popcount(busy);
        }
    }
    return count;
}

/* ---- from collision to collision ---- */

/* Moves all circles by dt. */
CAROM_LANE void fall_advance(const fall_context *context, fall_world *w, real dt)
{
    const real dtt = dt * dt;
    for (int k = 0; k < context->circle_count; k++) {
        const fall_circle *circle = &context->circles[k];
        const real ax = (real)circle->ax, ay = (real)circle->ay;
        real *c = w->c[k];
        c[FALL_X] += c[FALL_VX] * dt + ax * dtt / 2;
        c[FALL_Y] += c[FALL_VY] * dt + ay * dtt / 2;
        c[FALL_VX] += ax * dt;
        c[FALL_VY] += ay * dt;
    }
    w->rest -= dt;
    fall_age(w, dt);
}

/* Mass for contacts: 0 if the circle is fixed. */
CAROM_LANE double fall_mass(const fall_circle *circle)
{
    return circle->share > 0 ? 1 / circle->share : 0;
}

/* The unit normal from circle c to the edge or corner `part` of a polygon. */
CAROM_LANE void fall_normal(const fall_context *context, const fall_polygon *polygon, int part, const real *c,
                            double normal[2])
{
    const bool corner = part >= CAROM_FALL_CORNER;
    const fall_edge *edge = &context->edges[polygon->first + part - (corner ? CAROM_FALL_CORNER : CAROM_FALL_EDGE)];
    const double dx = edge->x - (double)c[FALL_X], dy = edge->y - (double)c[FALL_Y];
    const double d = __builtin_sqrt(dx * dx + dy * dy), side = dy * edge->ux - dx * edge->uy < 0 ? -1 : 1;
    normal[0] = corner ? (d > 0 ? dx / d : 0) : 0 - side * edge->uy;
    normal[1] = corner ? (d > 0 ? dy / d : 0) : side * edge->ux;
}

/* Writes the contact of the collision in the queue, before the bounce. */
static void fall_contact(const fall_context *context, const fall_world *w, const carom_event *event, carom_contact *c)
{
    const int a = context->circle_of[w->who[0]], b = context->circle_of[w->who[1]];
    const real *one = w->c[a];
    c->time[0] = c->time[1] = 1 - event->left;
    contact_body(c, 0, (double)one[FALL_X], (double)one[FALL_Y], (double)one[FALL_VX], (double)one[FALL_VY]);
    if (b >= 0) {
        const real *other = w->c[b];
        contact_body(c, 1, (double)other[FALL_X], (double)other[FALL_Y], (double)other[FALL_VX],
                     (double)other[FALL_VY]);
        contact_meet(c, context->circles[a].radius);
    } else {
        double normal[2];
        fall_normal(context, &context->polygons[context->polygon_of[w->who[1]]], w->who[2], one, normal);
        contact_touch(c, normal[0], normal[1], context->circles[a].radius);
    }
}

/* Completes it after the bounce. */
static void fall_contact_after(const fall_context *context, const fall_world *w, carom_contact *c)
{
    const int a = context->circle_of[w->who[0]], b = context->circle_of[w->who[1]];
    contact_after(c, 0, (double)w->c[a][FALL_VX], (double)w->c[a][FALL_VY]);
    if (b >= 0) {
        contact_after(c, 1, (double)w->c[b][FALL_VX], (double)w->c[b][FALL_VY]);
    }
    contact_push(c, fall_mass(&context->circles[a]), b >= 0 ? fall_mass(&context->circles[b]) : 0);
}

/* Appends the collision in the queue to the recording of its world, if there is room. Returns its contact, to be
 * completed, or NULL. */
static inline carom_contact *fall_record(const tick_run *run, const fall_world *w)
{
    carom_event *event = run_record(run, w->home);
    if (event != NULL) {
        event->left = (double)w->rest / FALL_TICK;
        event->first = (uint32_t)w->who[0];
        event->second = (uint32_t)w->who[1];
        event->part = (uint32_t)w->who[2];
        event->x = (double)w->at[0];
        event->y = (double)w->at[1];
    }
    if (event == NULL || !run_records_contacts(run)) {
        return NULL;
    }

    carom_contact *c = run_last_contact(run, w->home);
    fall_contact(run->context, w, event, c);
    return c;
}

/* Continues a world. True: it needs a search for its next collision. False: it is at the end of the tick. */
static inline bool fall_go_on(const tick_run *run, fall_world *w)
{
    const fall_context *context = run->context;

    /* As in the engine, the search after a bounce precedes the separation of overlaps. If it found nothing, search once
     * more from the present positions. */
    if (w->bounced) {
        fall_separate(context, w);
        w->bounced = false;
        if (w->wait < 0) {
            return true;
        }
    }

    /* A collision within the tick. */
    if (w->wait >= 0 && w->wait < w->rest) {
        if (w->events == FALL_EVENTS) {
            w->overrun = true;
            return false;
        }
        fall_advance(context, w, w->wait);
        carom_contact *contact = run_records(run) ? fall_record(run, w) : NULL;
        w->events++;
        fall_remember(w);
        fall_hit(context, w);
        if (contact != NULL) {
            fall_contact_after(context, w, contact);
        }
        fall_empty_queue(w);
        w->bounced = true;
        return true;
    }

    /* None: to the end of the tick. */
    const real rest = w->rest;
    w->wait = w->wait < 0 ? w->wait : w->wait - rest;
    fall_advance(context, w, rest);
    fall_separate(context, w);
    return false;
}

/* Plays all worlds that were copied out to the end of the tick. */
static inline void fall_play(const tick_run *run, unsigned count)
{
    struct rules_scratch *own = run->own;
    unsigned looking = 0;
    for (unsigned k = 0; k < count; k++) {
        if (own->worlds[k].wait < 0 || fall_go_on(run, &own->worlds[k])) {
            own->looking[looking++] = (uint16_t)k;
        }
    }

    /* Rounds, at most two for each collision: search in full registers, then continue those that are not done. */
    while (looking > 0) {
        unsigned kept = 0;
        for (unsigned at = 0; at < looking; at += LANES) {
            const unsigned there = looking - at < LANES ? looking - at : LANES;
            fall_next(run->context, &own->group, own->worlds, &own->looking[at], there);
            fall_quiet_rest(run->context, &own->group, own->worlds, &own->looking[at], there);
        }

        for (unsigned k = 0; k < looking; k++) {
            const uint16_t index = own->looking[k];
            if (!own->worlds[index].done && fall_go_on(run, &own->worlds[index])) {
                own->looking[kept++] = index;
            }
        }
        looking = kept;
    }
}

/* ---- put back ---- */

/* The fault of a world at the end of a tick, or 0. NaN takes precedence. */
static inline int fall_fault(const fall_context *context, const fall_world *w)
{
    int fault = w->overrun ? CAROM_FAULT_EVENTS : 0;
    for (int k = 0; k < context->circle_count; k++) {
        for (int d = 0; d < 4; d++) {
            const real a = w->c[k][d];
            if (a != a) {
                return CAROM_FAULT_NAN;
            }
            fault |= fall_in_range(a, (real)FALL_RANGE) ? 0 : CAROM_FAULT_RANGE;
        }
    }
    return fault;
}

/* Writes the copied worlds back, or notes their fault. */
static inline void fall_put_back(const tick_run *run, unsigned count)
{
    for (unsigned k = 0; k < count; k++) {
        const fall_world *w = &run->own->worlds[k];
        const int fault = fall_fault(run->context, w);
        if (fault == 0) {
            fall_put_world(run->context, w, run_world(run, w->home));
            run_count_impacts(run, w->events);
        } else {
            run_fault(run, w->home, 1, fault);
        }
    }
}

/* Records the positions of all circles at the end of the tick. */
static inline void fall_record_moved(const tick_run *run)
{
    for (unsigned home = 0; home < run->group_count * LANES; home += LANES) {
        const tick_world w = run_world(run, home);
        for (unsigned k = 0; k < FALL_CIRCLES; k++) {
            const vreal where[4] = {get_x(w, (int)k), get_y(w, (int)k), get_vx(w, (int)k), get_vy(w, (int)k)};
            run_record_moved(run, home, FALL_CIRCLES, k, where);
        }
    }
}

/* The tick of all active groups of the run. */
CAROM_LANE void rules_play(tick_run *run)
{
    const unsigned count = fall_quiet_all(run);
    fall_play(run, count);
    fall_put_back(run, count);
    if (run_records_moved(run)) {
        fall_record_moved(run);
    }

    /* A world that has faulted is no longer active. */
    EACH_ACTIVE_GROUP (run, number, home) {
        const tick_kept kept = {m_from_bits(run->groups[number].active), false};
        run_keep(run, home, kept);
    }
}

/* ---- rewards, and the end of a game ---- */

/* Reward: how far the kicked circle has risen. Returns the lanes whose game may be over. */
CAROM_LANE unsigned rules_settle(tick_run *run, unsigned home, tick_world w, unsigned kept, vreal *reward)
{
    (void)kept;
    if (reward != NULL) {
        reward[0] = fall_height(run->context, w) - run->own->before[home / LANES];
    }
    return m_bits(i_gt(get_tick(w), i_set1((int32_t)run->context->last_tick - 1)));
}

static tick_verdict rules_decide(tick_run *run, unsigned home, tick_world w)
{
    (void)home;
    const bool late = world_tick(w) >= (int32_t)run->context->last_tick;
    return late ? verdict_of(CAROM_TRUNCATED, -1) : verdict_running();
}

#endif
