/* SPDX-License-Identifier: MIT
 * Fixed obstacles of circles, as structures of arrays, and what is told of an impact on one.
 */
#ifndef CAROM_TOI_WALLS_H
#define CAROM_TOI_WALLS_H

#include <carom/base.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Points. */
typedef struct carom_toi_points_f32 {
    const float *x, *y;
} carom_toi_points_f32;

typedef struct carom_toi_points_f64 {
    const double *x, *y;
} carom_toi_points_f64;

/* Segments from a to b. */
typedef struct carom_toi_segments_f32 {
    const float *ax, *ay, *bx, *by;
} carom_toi_segments_f32;

typedef struct carom_toi_segments_f64 {
    const double *ax, *ay, *bx, *by;
} carom_toi_segments_f64;

/* Axis-aligned boxes, x0 <= x1 and y0 <= y1. */
typedef struct carom_toi_boxes_f32 {
    const float *x0, *y0, *x1, *y1;
} carom_toi_boxes_f32;

typedef struct carom_toi_boxes_f64 {
    const double *x0, *y0, *x1, *y1;
} carom_toi_boxes_f64;

/* Impacts: time, unit normal from the obstacle to the circle's centre (0 if there is no impact, or the centre is on the
 * obstacle), and the part that is hit: of a segment 0 the straight part, 1 end a, 2 end b; of a box 0 ... 3 left,
 * right, bottom, top side, 4 ... 7 the corners (x0, y0), (x1, y0), (x0, y1), (x1, y1); -1 none. All but t may be
 * NULL. */
typedef struct carom_toi_hits_f32 {
    float *t;
    float *nx, *ny;
    int32_t *feature;
} carom_toi_hits_f32;

typedef struct carom_toi_hits_f64 {
    double *t;
    double *nx, *ny;
    int32_t *feature;
} carom_toi_hits_f64;

#ifdef __cplusplus
}
#endif
#endif
