/* SPDX-License-Identifier: MIT
 * Observations of a scene's worlds: `raw`, every body as it is; `ego`, by views, some bodies relative to another.
 */
#ifndef CAROM_SCENES_OBSERVE_H
#define CAROM_SCENES_OBSERVE_H

#include "scenes/run.h"

enum { SCENE_RAW, SCENE_EGO }; /* kinds of observation */

static inline uint32_t observed_bodies(const scene_frozen *s)
{
    return s->bodies < CAROM_SCENE_OBSERVED ? s->bodies : CAROM_SCENE_OBSERVED;
}

/* Where a tile's observations start. */
static inline float *observations_at(const scene_run *run, float *observations)
{
    const scene_frozen *s = run->s;
    const size_t bodies =
        run->tick->view == SCENE_EGO ? (size_t)s->view_count * s->view_bodies : (size_t)s->players * observed_bodies(s);
    return observations + run->number * 4 * bodies * CAROM_TILE;
}

/* Numbers out of a float's range become its greatest number. */
CAROM_LANE vreal observe_number(vreal a)
{
    return v_min(v_max(a, v_set1(-(real)FLT_MAX)), v_set1((real)FLT_MAX));
}

/* Writes a number for the worlds of a group, which begins at lane `at`; or for the one world that is alone. */
CAROM_LANE void observe_put(const scene_run *run, float *out, vreal a, unsigned at)
{
    const vreal number = observe_number(a);
    if (run->alone) {
        alignas(64) float lanes[LANES];
        v_store_f32(lanes, number);
        out[0] = lanes[0];
    } else {
        v_store_f32(out + at, number);
    }
}

/* The difference of two coordinates, in a periodic box to the nearest image. */
CAROM_LANE vreal scene_between(vreal from, vreal to, carom_scene_sides sides, real low, real high)
{
    vreal way = to - from;
    if (sides == CAROM_SIDES_PERIODIC) {
        const vreal size = v_set1(high - low), half = size * v_set1(REAL(0.5));
        way = v_select(v_gt(way, half), way - size, v_select(v_lt(way, -half), way + size, way));
    }
    return way;
}

/* Writes x, y, vx, vy of a body, relative to `own` unless that is the same body; 0 if one of them is not active. */
static inline void observe_body(const scene_run *run, uint32_t own, uint32_t body, unsigned at, unsigned group,
                                float *out)
{
    const scene_frozen *s = run->s;
    const size_t fields[4] = {s->x, s->y, s->vx, s->vy};
    const vmask there = m_and(row_active(run, own, at, group), row_active(run, body, at, group));

    for (int f = 0; f < 4; f++) {
        const real *row = row_of(run, fields[f]) + at;
        const vreal zero = v_set1(0);
        vreal a = row_load(run, row + body * run->stride);
        if (own != body) {
            const vreal from = row_load(run, row + own * run->stride);
            a = f == 0   ? scene_between(from, a, s->horizontal, s->x0, s->x1)
                : f == 1 ? scene_between(from, a, s->vertical, s->y0, s->y1)
                         : a - from;
        }
        observe_put(run, out + (size_t)f * CAROM_TILE, v_select(there, a, zero), at);
    }
}

static inline void observe_group(const scene_run *run, unsigned at, unsigned group, float *out)
{
    const scene_frozen *s = run->s;
    if (run->tick->view == SCENE_EGO) {
        for (uint32_t k = 0; k < s->view_count * s->view_bodies; k++, out += (size_t)4 * CAROM_TILE) {
            observe_body(run, s->views[k - k % s->view_bodies], s->views[k], at, group, out);
        }
        return;
    }
    for (uint32_t k = 0; k < s->players * observed_bodies(s); k++, out += (size_t)4 * CAROM_TILE) {
        const uint32_t body = k % observed_bodies(s);
        observe_body(run, body, body, at, group, out);
    }
}

static inline void observe_tile(const scene_run *run, unsigned lanes, float *out)
{
    EACH_GROUP (run->alone ? 1 : lanes) {
        observe_group(run, at, group, out);
    }
}

#endif
