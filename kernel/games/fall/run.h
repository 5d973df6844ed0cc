/* SPDX-License-Identifier: MIT
 * What the parts of a tick share: a world taken out of its tile, and the small things that are done with it alone.
 */
#ifndef CAROM_GAMES_FALL_RUN_H
#define CAROM_GAMES_FALL_RUN_H

#include "games/fall/fall.h"
#include "simd/lanes.h"

#if CAROM_REAL_BITS == 64
typedef fall_tile_f64 fall_tile;
#define FALL_NEAR 1e-6
#else
typedef fall_tile_f32 fall_tile;
#define FALL_NEAR 1e-4f
#endif

#define GROUPS (CAROM_TILE / LANES)
#define FALL_WORLDS (GAME_RUN * CAROM_TILE)
#define FALL_DT ((real)FALL_TICK)

enum { FALL_X, FALL_Y, FALL_VX, FALL_VY };

/* A world in which something happens in this tick. */
typedef struct fall_world {
    real c[FALL_CIRCLES][4]; /* x, y, vx, vy */
    real rest;               /* of the tick */
    real wait, at[2];        /* the fields of these names */
    real past_age[FALL_PASTS], past_x[FALL_PASTS], past_y[FALL_PASTS];
    int8_t who[3], pasts, past_a[FALL_PASTS], past_b[FALL_PASTS];
    bool bounced; /* and its overlaps are still to be undone */
    bool overrun;
    bool done; /* at the end of the tick */
    uint32_t events;
    uint32_t home; /* lane of the run */
} fall_world;

/* A register group of worlds for which the next collision is looked for, lane by lane beside each other. */
typedef struct fall_group {
    alignas(64) real c[FALL_CIRCLES][4][LANES], moved[FALL_CIRCLES][4][LANES];
    alignas(64) real past_age[FALL_PASTS][LANES], past_x[FALL_PASTS][LANES], past_y[FALL_PASTS][LANES];
    alignas(64) real past_pair[FALL_PASTS][LANES]; /* first * 256 + second */
    int pasts;                                     /* the most of any lane */
} fall_group;

typedef struct fall_scratch {
    fall_world worlds[FALL_WORLDS];
    uint16_t todo[FALL_WORLDS];    /* worlds that are not yet at the end of the tick */
    uint16_t looking[FALL_WORLDS]; /* of these, those without a collision in the queue */
    fall_group group;
    real before[FALL_WORLDS]; /* heights of the kicked circle */
} fall_scratch;

static_assert(sizeof(fall_scratch) <= FALL_SCRATCH_BYTES, "FALL_SCRATCH_BYTES is too small");

struct fall_run {
    game_tick *tick;
    const fall_context *context;
    fall_tile *tiles;
    fall_scratch *scratch;
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

/* ---- between tiles and worlds ---- */

CAROM_LANE void fall_take_world(const fall_context *context, fall_world *w, const fall_tile *tile, unsigned lane)
{
    for (int k = 0; k < context->circle_count; k++) {
        w->c[k][FALL_X] = tile->x[k][lane];
        w->c[k][FALL_Y] = tile->y[k][lane];
        w->c[k][FALL_VX] = tile->vx[k][lane];
        w->c[k][FALL_VY] = tile->vy[k][lane];
    }
    w->rest = FALL_DT;
    w->wait = tile->wait[0][lane];
    w->at[0] = tile->at[0][lane];
    w->at[1] = tile->at[1][lane];
    for (int k = 0; k < 3; k++) {
        w->who[k] = tile->who[k][lane];
    }
    w->pasts = tile->pasts[0][lane];
    for (int k = 0; k < w->pasts; k++) {
        w->past_age[k] = tile->past_age[k][lane];
        w->past_x[k] = tile->past_x[k][lane];
        w->past_y[k] = tile->past_y[k][lane];
        w->past_a[k] = tile->past_a[k][lane];
        w->past_b[k] = tile->past_b[k][lane];
    }
    w->bounced = w->overrun = w->done = false;
    w->events = 0;
}

CAROM_LANE void fall_put_world(const fall_context *context, const fall_world *w, fall_tile *tile, unsigned lane)
{
    const int before = tile->pasts[0][lane];
    for (int k = 0; k < context->circle_count; k++) {
        tile->x[k][lane] = w->c[k][FALL_X];
        tile->y[k][lane] = w->c[k][FALL_Y];
        tile->vx[k][lane] = w->c[k][FALL_VX];
        tile->vy[k][lane] = w->c[k][FALL_VY];
    }
    tile->wait[0][lane] = w->wait;
    tile->at[0][lane] = w->at[0];
    tile->at[1][lane] = w->at[1];
    for (int k = 0; k < 3; k++) {
        tile->who[k][lane] = w->who[k];
    }
    tile->pasts[0][lane] = w->pasts;
    for (int k = 0; k < w->pasts || k < before; k++) { /* 0 where there is none any more */
        const bool there = k < w->pasts;
        tile->past_age[k][lane] = there ? w->past_age[k] : 0;
        tile->past_x[k][lane] = there ? w->past_x[k] : 0;
        tile->past_y[k][lane] = there ? w->past_y[k] : 0;
        tile->past_a[k][lane] = there ? w->past_a[k] : (int8_t)0;
        tile->past_b[k][lane] = there ? w->past_b[k] : (int8_t)0;
    }
}

/* ---- the queue ---- */

CAROM_LANE void fall_empty_queue(fall_world *w)
{
    w->wait = -1;
    w->at[0] = w->at[1] = 0;
    w->who[0] = w->who[1] = w->who[2] = 0;
}

/* Time passes for what has happened; what is too long ago to matter is forgotten. */
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

/* The collision in the queue happens; if there is no room the oldest gives way. */
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
