/* SPDX-License-Identifier: MIT
 * What the parts of a tick share: a world copied out of its tile, and its queue and past collisions.
 */
#ifndef CAROM_GAMES_FALL_WORLD_H
#define CAROM_GAMES_FALL_WORLD_H

#include "games/fall/fall.h"

#define RULES_FIELDS FALL_FIELDS
#define RULES_PLAYERS 1
#define RULES_OBSERVATION CAROM_FALL_OBSERVATION
#define RULES_DRAWN 2
typedef fall_context rules_context;

#include "tick/run.h"

/* What RULES.md calls "near": in seconds, metres or metres per second. */
#if CAROM_REAL_BITS == 64
#define FALL_NEAR 1e-6
#else
#define FALL_NEAR 1e-4f
#endif

#define FALL_DT ((real)FALL_TICK)

enum { FALL_X, FALL_Y, FALL_VX, FALL_VY };

/* A world in which something happens in this tick. Fields of the state keep their name and meaning. */
typedef struct fall_world {
    real c[FALL_CIRCLES][4]; /* x, y, vx, vy */
    real rest;               /* of the tick, seconds */
    real wait, at[2];        /* the queue, with `who` */
    real past_age[FALL_PASTS], past_x[FALL_PASTS], past_y[FALL_PASTS];
    int8_t who[3], pasts, past_a[FALL_PASTS], past_b[FALL_PASTS];
    bool bounced;    /* a collision has happened, and its overlaps are still to be undone */
    bool overrun;    /* too many collisions in this tick */
    bool done;       /* at the end of the tick */
    uint32_t events; /* collisions of this tick so far */
    unsigned home;   /* its place in the run */
} fall_world;

/* A register group of such worlds, one per lane, while their next collisions are looked for. */
typedef struct fall_group {
    alignas(64) real c[FALL_CIRCLES][4][LANES];     /* x, y, vx, vy now */
    alignas(64) real moved[FALL_CIRCLES][4][LANES]; /* the same after some time, by fall_move() */
    alignas(64) real past_age[FALL_PASTS][LANES], past_x[FALL_PASTS][LANES], past_y[FALL_PASTS][LANES];
    alignas(64) real past_pair[FALL_PASTS][LANES]; /* first * 256 + second; -1: none */
    int pasts;                                     /* the most of any lane */
} fall_group;

struct rules_scratch {
    fall_world worlds[RUN_WORLDS];
    uint16_t looking[RUN_WORLDS]; /* indices of the worlds whose next collision must be looked for */
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

CAROM_LANE real fall_size(real a)
{
    return a < 0 ? -a : a;
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

/* ---- between tiles and worlds ---- */

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

    /* Entries of past collisions that are forgotten by now become 0. */
    for (int k = 0; k < w->pasts || k < before; k++) {
        const bool there = k < w->pasts;
        *at_past_age(to, k) = there ? w->past_age[k] : 0;
        *at_past_x(to, k) = there ? w->past_x[k] : 0;
        *at_past_y(to, k) = there ? w->past_y[k] : 0;
        *at_past_a(to, k) = there ? w->past_a[k] : (int8_t)0;
        *at_past_b(to, k) = there ? w->past_b[k] : (int8_t)0;
    }
}

/* ---- the queue ---- */

CAROM_LANE void fall_empty_queue(fall_world *w)
{
    w->wait = -1;
    w->at[0] = w->at[1] = 0;
    w->who[0] = w->who[1] = w->who[2] = 0;
}

/* Lets time pass for past collisions, and forgets those that are too long ago to matter. */
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

/* Adds the collision in the queue to the past ones. If there is no room the oldest is forgotten. */
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

#endif
