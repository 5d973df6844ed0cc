/* SPDX-License-Identifier: MIT
 * Random scenes, each from one number: everything that carom/scene.h can describe, in combinations that are hard for
 * engines.
 */
#ifndef CAROM_TESTS_SCENES_SCENE_SAMPLES_H
#define CAROM_TESTS_SCENES_SCENE_SAMPLES_H

#include <carom/scene.h>

#define SAMPLE_BODIES 128
#define SAMPLE_WALLS 6
#define SAMPLE_POLYGONS 3
#define SAMPLE_CORNERS 8
#define SAMPLE_ARCS 4

/* A description with its arrays: do not copy it. */
typedef struct scene_sample {
    carom_scene_desc desc;
    carom_scene_body bodies[SAMPLE_BODIES];
    carom_scene_wall walls[SAMPLE_WALLS];
    carom_scene_polygon polygons[SAMPLE_POLYGONS];
    carom_scene_arc arcs[SAMPLE_ARCS];
    double corner_x[SAMPLE_POLYGONS][SAMPLE_CORNERS], corner_y[SAMPLE_POLYGONS][SAMPLE_CORNERS];
    double dt;          /* of its ticks */
    double scale, x, y; /* of all lengths; where the middle is */
    bool whole;         /* positions and velocities are multiples of scale / 2: events at equal times */
} scene_sample;

/* Some bodies, or a crowd of them. */
void scene_sample_make(scene_sample *sample, uint64_t seed, bool crowd);

/* Adds arcs, at the sample's scale and position. */
void scene_sample_add_arcs(scene_sample *sample, uint64_t seed);

/* Walls, polygons, arcs and sides of the sample let some of its bodies pass, which get their own categories and
 * masks. */
void scene_sample_let_pass(scene_sample *sample, uint64_t seed);

/* Another state of the sample's bodies: number `variant`, of which 0 is the description's own. [bodies] each. */
void scene_sample_state(const scene_sample *sample, uint64_t seed, uint64_t variant, double *x, double *y, double *vx,
                        double *vy, int8_t *active);

/* As text, for a report. */
void scene_sample_print(const scene_sample *sample);

#endif
