/* SPDX-License-Identifier: MIT
 * Scenes in plain C, one world at a time: after every impact all pairs are asked anew, with no queue, no cache and no
 * lanes. Written from carom/scene.h and the head of kernel/scenes/motion.h. Walls, polygons, quartics and the solvers
 * beside the default are the public functions on arrays, which have tests of their own.
 */
#ifndef CAROM_TESTS_SCENES_SCENE_REFERENCE_H
#define CAROM_TESTS_SCENES_SCENE_REFERENCE_H

#include <carom/scene.h>

/* What happened in one tick; of a world that takes a fault: until then. */
typedef struct scene_ref_record {
    carom_event *events; /* [capacity], or NULL */
    size_t capacity;
    uint32_t impacts, sensed; /* impacts: all, sensed ones included */
} scene_ref_record;

/* Plays one tick of length dt without actions and hooks: x, y, vx, vy and active are [bodies]. The fault bits; a world
 * that takes a fault is left as it was. record may be NULL. The description is one that carom_scene_create() took. */
unsigned scene_ref_tick_f32(const carom_scene_desc *scene, const int8_t *active, float *x, float *y, float *vx,
                            float *vy, double dt, scene_ref_record *record);
unsigned scene_ref_tick_f64(const carom_scene_desc *scene, const int8_t *active, double *x, double *y, double *vx,
                            double *vy, double dt, scene_ref_record *record);

#endif
