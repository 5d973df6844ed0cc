/* SPDX-License-Identifier: MIT
 * Shared by the tests of scenes: a scene's worlds, their states as doubles (exact in both precisions), and the
 * reference on them. The general helpers are those of batch.h.
 */
#ifndef CAROM_TESTS_SCENES_SCENE_BATCH_H
#define CAROM_TESTS_SCENES_SCENE_BATCH_H

#include "batch.h"
#include "scene_reference.h"

/* [0..n-1] x, then y, vx, vy; active. */
typedef struct scene_state {
    uint32_t n;
    double *number; /* [9 n]: these, and the fields that `clock` points to */
    int8_t *active; /* [n] */
    int32_t *ticks; /* [n] */
    scene_ref_clock clock;
} scene_state;

static inline scene_state scene_state_new(uint32_t n)
{
    scene_state s = {n, calloc(9 * n, sizeof *s.number), calloc(n, 1), malloc(n * sizeof *s.ticks), {0}};
    assert_true(s.number != NULL && s.active != NULL && s.ticks != NULL);
    double *records = s.number + 4 * (size_t)n;
    s.clock = (scene_ref_clock){0, 0, s.ticks, records, records + n, records + 2 * n, records + 3 * n, records + 4 * n};
    for (uint32_t k = 0; k < n; k++) {
        s.ticks[k] = -1;
    }
    return s;
}

static inline void end_scene_state(scene_state *s)
{
    free(s->number);
    free(s->active);
    free(s->ticks);
}

static inline void scene_state_copy(scene_state *to, const scene_state *from)
{
    assert_int_equal(to->n, from->n);
    memcpy(to->number, from->number, 9 * (size_t)from->n * sizeof *to->number);
    memcpy(to->active, from->active, from->n);
    memcpy(to->ticks, from->ticks, from->n * sizeof *to->ticks);
    to->clock.now = from->clock.now;
    to->clock.dt = from->clock.dt;
}

static inline carom_worlds *scene_worlds(const carom_scene *scene, size_t count, carom_precision precision,
                                         carom_isa isa, unsigned threads)
{
    return MAKE_WORLDS(carom_scene_game(scene), .count = count, .precision = precision, .isa = isa, .threads = threads);
}

static const char *const scene_numbers[] = {"x",        "y",           "vx",        "vy",       "record_x",
                                            "record_y", "record_time", "record_vx", "record_vy"};

/* How many of these fields a batch has. */
static inline size_t scene_number_count(const carom_worlds *worlds)
{
    size_t count = 4, index;
    while (count < 9 && carom_worlds_find_field(worlds, scene_numbers[count], &index) == CAROM_OK) {
        count++;
    }
    return count;
}

/* The numbers of a real field as doubles. */
static inline void scene_get_field(const carom_worlds *worlds, const char *name, size_t world, uint32_t n, double *to)
{
    const bool wide = carom_worlds_describe(worlds).precision == CAROM_F64;
    get_field(worlds, name, world, 1, to);
    for (size_t k = n; k > 0 && !wide; k--) { /* from the back: in place */
        float number;
        memcpy(&number, (const float *)(const void *)to + k - 1, sizeof number);
        to[k - 1] = (double)number;
    }
}

static inline void scene_put_field(carom_worlds *worlds, const char *name, size_t world, uint32_t n, const double *from)
{
    const bool wide = carom_worlds_describe(worlds).precision == CAROM_F64;
    FREED float *narrow = malloc(n * sizeof *narrow);
    for (size_t k = 0; k < n; k++) {
        narrow[k] = (float)from[k];
    }
    set_field(worlds, name, world, 1, wide ? (const void *)from : narrow);
}

static inline void scene_get(const carom_worlds *worlds, size_t world, scene_state *state)
{
    const size_t fields = scene_number_count(worlds);
    for (size_t f = 0; f < fields; f++) {
        scene_get_field(worlds, scene_numbers[f], world, state->n, state->number + f * state->n);
    }
    get_field(worlds, "active", world, 1, state->active);
    get_field(worlds, "tick", world, 1, &state->clock.now);
    if (fields > 4) {
        get_field(worlds, "record_tick", world, 1, state->ticks);
        scene_get_field(worlds, "record_dt", world, 1, &state->clock.dt);
    }
}

static inline void scene_put(carom_worlds *worlds, size_t world, const scene_state *state)
{
    const size_t fields = scene_number_count(worlds);
    for (size_t f = 0; f < fields; f++) {
        scene_put_field(worlds, scene_numbers[f], world, state->n, state->number + f * state->n);
    }
    set_field(worlds, "active", world, 1, state->active);
    set_field(worlds, "tick", world, 1, &state->clock.now);
    if (fields > 4) {
        set_field(worlds, "record_tick", world, 1, state->ticks);
        scene_put_field(worlds, "record_dt", world, 1, &state->clock.dt);
    }
}

/* A tick of the reference; fault bits. */
static inline unsigned scene_reference_tick(const carom_scene_desc *desc, carom_precision precision, double dt,
                                            scene_state *s, scene_ref_record *record)
{
    const size_t n = s->n;
    if (precision == CAROM_F64) {
        double *v = s->number;
        return scene_ref_tick_f64(desc, s->active, v, v + n, v + 2 * n, v + 3 * n, dt, &s->clock, record);
    }
    FREED float *v = malloc(4 * n * sizeof *v);
    for (size_t k = 0; k < 4 * n; k++) {
        v[k] = (float)s->number[k];
    }
    const unsigned fault = scene_ref_tick_f32(desc, s->active, v, v + n, v + 2 * n, v + 3 * n, dt, &s->clock, record);
    for (size_t k = 0; k < 4 * n; k++) {
        s->number[k] = (double)v[k];
    }
    return fault;
}

/* ---- scenes by hand ---- */

static inline carom_scene_body body_at(double x, double y, double vx, double vy, double radius, double mass)
{
    carom_scene_body b = carom_scene_body_default();
    b.x = x, b.y = y, b.vx = vx, b.vy = vy, b.radius = radius, b.mass = mass;
    return b;
}

#endif
