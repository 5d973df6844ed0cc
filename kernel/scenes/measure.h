/* SPDX-License-Identifier: MIT
 * A scene's measures, and calls of the caller's hooks.
 */
#ifndef CAROM_SCENES_MEASURE_H
#define CAROM_SCENES_MEASURE_H

#include "scenes/run.h"

/* ---- hooks ---- */

/* Calls a hook for each range of adjacent worlds among `lanes`. value[16]: what it sets, or NULL. */
static inline void call_hook(const scene_run *run, carom_range_hook *hook, unsigned lanes, double *value)
{
    const scene_frozen *s = run->s;

    while (lanes != 0) {
        const unsigned lane = (unsigned)__builtin_ctz(lanes), count = (unsigned)__builtin_ctz(~(lanes >> lane));

        carom_scene_range range;
        __builtin_memset(&range, 0, sizeof range);
        range.precision = CAROM_REAL_BITS == 64 ? CAROM_F64 : CAROM_F32;
        range.first = run->tick->first + run->number * run->stride + lane;
        range.count = count;
        range.stride = run->stride;
        range.dt = (double)run->dt;
        range.tick = row32_of(run, s->tick) + lane;
#if CAROM_REAL_BITS == 64
        range.x64 = row_of(run, s->x) + lane;
        range.y64 = row_of(run, s->y) + lane;
        range.vx64 = row_of(run, s->vx) + lane;
        range.vy64 = row_of(run, s->vy) + lane;
#else
        range.x32 = row_of(run, s->x) + lane;
        range.y32 = row_of(run, s->y) + lane;
        range.vx32 = row_of(run, s->vx) + lane;
        range.vy32 = row_of(run, s->vy) + lane;
#endif
        range.active = row8_of(run, s->active) + lane;
        range.user = s->desc->user_words ? row32_of(run, s->user) + lane : NULL;
        range.value = value != NULL ? value + lane : NULL;

        hook(s->desc->user, &range);
        lanes &= ~(((1u << count) - 1) << lane);
    }
}

/* ---- measures ---- */

/* Kinetic energy, in double, added up in the order of bodies. */
static inline void measure_energy(const scene_run *run, unsigned lanes, double *value)
{
    const scene_frozen *s = run->s;
    for (size_t i = 0; i < s->bodies; i++) {
        const real *vx = row_of(run, s->vx) + i * run->stride, *vy = row_of(run, s->vy) + i * run->stride;
        const int8_t *active = row8_of(run, s->active) + i * run->stride;
        const double half = s->inverse_mass[i] > 0 ? 0.5 * s->desc->bodies[i].mass : 0;
        EACH_LANE (l, lanes) {
            const double a = (double)vx[l], b = (double)vy[l];
            value[l] += active[l] != 0 ? half * (a * a + b * b) : 0;
        }
    }
}

/* Sets value[16] to a measure of the worlds in `lanes`. impacts[16]: those of the watched body in this tick, or
 * NULL. */
static inline void measure(const scene_run *run, const carom_scene_measure *m, unsigned lanes, const uint32_t *impacts,
                           double *value)
{
    const scene_frozen *s = run->s;
    for (int l = 0; l < CAROM_TILE; l++) {
        value[l] = 0;
    }

    if (m->kind == CAROM_MEASURE_DISTANCE) {
        const real *x = row_of(run, s->x) + m->body * run->stride;
        const real *y = row_of(run, s->y) + m->body * run->stride;
        EACH_LANE (l, lanes) {
            const double dx = (double)x[l] - m->x, dy = (double)y[l] - m->y;
            value[l] = -__builtin_sqrt(dx * dx + dy * dy);
        }
    } else if (m->kind == CAROM_MEASURE_ENERGY) {
        measure_energy(run, lanes, value);
    } else if (m->kind == CAROM_MEASURE_IMPACTS && impacts != NULL) {
        EACH_LANE (l, lanes) {
            value[l] = impacts[l];
        }
    } else if (m->kind == CAROM_MEASURE_USER) {
        call_hook(run, m->hook, lanes, value);
    }
}

#endif
