/* SPDX-License-Identifier: MIT
 * Shared by the tests of the game soccer: the worlds of a batch as those of the reference, random worlds and commands.
 */
#ifndef CAROM_TESTS_GAMES_SOCCER_SOCCER_BATCH_H
#define CAROM_TESTS_GAMES_SOCCER_SOCCER_BATCH_H

#include "batch.h"
#include "soccer_reference.h"

#define SOCCER_BODIES SOCCER_REF_BODIES
#define SOCCER_SEEN CAROM_SOCCER_OBSERVATION
#define SOCCER_ACTIONS 110 /* numbers of both players */

static inline const carom_game *soccer_game(void)
{
    return carom_game_find("soccer");
}

static inline size_t soccer_kind(const char *name)
{
    return find_kind(soccer_game(), name);
}

static inline carom_worlds *soccer_worlds(const carom_soccer_options *options, size_t count, carom_isa isa,
                                          carom_precision precision)
{
    return MAKE_WORLDS(soccer_game(), .options = options, .count = count, .isa = isa, .precision = precision,
                       .threads = 1);
}

static inline void *soccer_member(void *world, const char *name, size_t *bytes)
{
    return soccer_ref_field((soccer_ref_world *)world, name, bytes);
}

static inline void soccer_get(const carom_worlds *worlds, size_t index, soccer_ref_world *world)
{
    get_world(worlds, index, soccer_member, world);
}

static inline carom_status soccer_try_put(carom_worlds *worlds, size_t index, const soccer_ref_world *in)
{
    soccer_ref_world world = *in;
    return try_put_world(worlds, index, soccer_member, &world);
}

static inline void soccer_put(carom_worlds *worlds, size_t index, const soccer_ref_world *in)
{
    must(soccer_try_put(worlds, index, in), "carom_worlds_set_world");
}

/* ---- random worlds and commands ---- */

static inline void soccer_random_actions(uint64_t *random, soccer_ref_kind kind, bool odd,
                                         float numbers[SOCCER_ACTIONS])
{
    static const float oddities[] = {NAN, -NAN, INFINITY, -INFINITY, 1e30f, -1e30f, 0.0f, -0.0f, 1e-40f};
    for (int k = 0; k < SOCCER_ACTIONS; k++) {
        numbers[k] = (float)rng_in(random, -1.2, 1.2);
        if (kind == SOCCER_REF_METRIC)
            numbers[k] *= 5;
        if (odd && rng_one_in(random, 20))
            numbers[k] = oddities[rng_below(random, (int)(sizeof oddities / sizeof oddities[0]))];
    }
}

/* A world that its rules allow, but play would hardly make: bodies in heaps, touching, at walls and in corners. */
static inline void soccer_random_world(uint64_t *random, const carom_soccer_options *o, soccer_ref_world *w)
{
    const int n = 2 * (int)o->robots, count = n + (int)o->balls;
    const double speeds[] = {0.3, 3, 10, 100, 3000};
    const double fast = speeds[rng_below(random, rng_one_in(random, 3) ? 5 : 3)];
    const double touch = o->robot_radius + o->ball_radius, both = 2 * o->robot_radius;
    const double distances[] = {0, touch, touch * 0.99, touch * 1.01, both, both * 0.9, both * 1.01, 0.3, 1};
    double cx = 0, cy = 0;
    for (int i = 0; i < count; i++) {
        if (i == 0 || rng_one_in(random, 4)) {
            cx = rng_in(random, -o->length / 2, o->length / 2);
            cy = rng_in(random, -o->width / 2, o->width / 2);
            if (rng_one_in(random, 3))
                cx = (rng_one_in(random, 2) ? 1 : -1) * (o->length / 2 - o->robot_radius);
            if (rng_one_in(random, 3))
                cy = (rng_one_in(random, 2) ? 1 : -1) * (o->width / 2 - o->robot_radius);
        }
        const double d = distances[rng_below(random, (int)(sizeof distances / sizeof distances[0]))];
        const double angle = rng_one_in(random, 2) ? rng_below(random, 4) * 1.5707963267948966 : rng_in(random, 0, 6.3);
        cx += d * cos(angle);
        cy += d * sin(angle);
        w->x[i] = cx;
        w->y[i] = cy;
        w->vx[i] = rng_one_in(random, 5) ? 0 : rng_in(random, -fast, fast);
        w->vy[i] = rng_one_in(random, 5) ? 0 : rng_in(random, -fast, fast);
    }
    for (int i = 0; i < n; i++) {
        w->angle[i] = rng_one_in(random, 4) ? rng_below(random, 4) - 2.0 : rng_in(random, -3.2, 3.2);
        w->spin[i] = rng_in(random, -o->max_spin, o->max_spin);
        w->ready[i] = rng_one_in(random, 3) ? w->tick + rng_below(random, 9) : 0;
    }
    for (int k = 0; k < (int)o->balls; k++) {
        w->holder[k] = (int8_t)(rng_one_in(random, 2) ? rng_below(random, n) : -1);
        w->hold_x[k] = w->holder[k] < 0 ? 0 : rng_in(random, 0.5, 1.2) * touch;
        w->hold_y[k] = w->holder[k] < 0 ? 0 : rng_in(random, -0.5, 0.5) * touch;
        if (w->holder[k] >= 0 && rng_one_in(random, 2)) { /* where its robot holds it */
            const int i = w->holder[k];
            const double c = cos(w->angle[i]), s = sin(w->angle[i]);
            w->x[n + k] = w->x[i] + c * w->hold_x[k] - s * w->hold_y[k];
            w->y[n + k] = w->y[i] + s * w->hold_x[k] + c * w->hold_y[k];
        }
    }
    if (rng_one_in(random, 60))
        w->vx[rng_below(random, count)] = 131072;
    if (rng_one_in(random, 60))
        w->x[rng_below(random, count)] = -1024;
}

#endif
