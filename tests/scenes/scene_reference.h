/* SPDX-License-Identifier: MIT
 * Scenes in plain C, one world at a time: after every impact all pairs are tested again, with no queue, no cache and no
 * lanes. Written from carom/scene.h and the head of kernel/scenes/motion.h. Walls, polygons, quartics and solvers other
 * than the default use the public array functions, which have their own tests.
 */
#ifndef CAROM_TESTS_SCENES_SCENE_REFERENCE_H
#define CAROM_TESTS_SCENES_SCENE_REFERENCE_H

#include <carom/scene.h>

/* What happened in one tick; after a fault, until then. */
typedef struct scene_ref_record {
    carom_event *events; /* [capacity], or NULL */
    size_t capacity;
    uint32_t impacts, sensed; /* impacts: all, sensed ones included */
    carom_contact *contacts;  /* [capacity], or NULL */
} scene_ref_record;

/* The records of a world's bodies, which outlive ticks: kernel/scenes/record.h. Exact in both precisions. */
typedef struct scene_ref_clock {
    int32_t now;                 /* ticks played so far */
    double dt;                   /* of the records */
    int32_t *tick;               /* [bodies]; -1: none */
    double *x, *y, *t, *vx, *vy; /* [bodies]; vx and vy only in scenes with accelerations, else 0 */
} scene_ref_clock;

/* Plays one tick of length dt without actions and hooks: x, y, vx, vy and active are [bodies]. Returns the fault bits;
 * a world that faults is left as it was. record may be NULL. clock: NULL only in scenes in which every tick starts new
 * records. The description must be valid for carom_scene_create(). */
unsigned scene_ref_tick_f32(const carom_scene_desc *scene, const int8_t *active, float *x, float *y, float *vx,
                            float *vy, double dt, scene_ref_clock *clock, scene_ref_record *record);
unsigned scene_ref_tick_f64(const carom_scene_desc *scene, const int8_t *active, double *x, double *y, double *vx,
                            double *vy, double dt, scene_ref_clock *clock, scene_ref_record *record);

/* Do the records of this scene outlive ticks? */
bool scene_ref_goes_on(const carom_scene_desc *scene);

#endif
