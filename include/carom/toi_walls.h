/* SPDX-License-Identifier: MIT
 * Time of impact of moving circles with walls that do not move, over arrays: pure functions without objects.
 *
 * CONTINUOUS: the earliest t in [0, limit] at which the circle touches the wall, approaching it:
 *     NaN         if any input of the pair is NaN
 *     0           if it touches or overlaps already, and approaches
 *     +INFINITY   "never": parting, moving along the wall or at rest, even when they overlap; no contact; t > limit
 * All walls have two sides; the circle is on the side of its centre at the start. A centre exactly on a line is on
 * neither side and never hits it; r >= 0. Overflow and underflow give "never" or a wrong time; finite inputs never give
 * NaN. Keep distances, speeds and radii within [2^-24, 2^28] (f32) or [2^-240, 2^240] (f64) for full accuracy.
 *
 * DISCRETE, for slow circles: the given state is that at the end of the tick, and t <= 0 counts back from there. A
 * circle hits a wall if it approaches, its centre is nearer than r, and the nearest point is strictly between the
 * wall's ends; then t = -(depth of penetration / normal velocity), accepted if -t <= limit. Ends and corners are not
 * treated. A point is hit if the circle overlaps it: t is the earlier root of |p + v t| = r, in any direction of motion
 * at the end.
 *
 * Accuracy. Let S = max(|p|, r, |v| t) with p from the nearest end of the feature to the centre at the start, and eps
 * the spacing of numbers at 1. At a contact after t > 0 the centre's distance from the feature is r within 8 eps S, and
 * before that at least r - 8 eps S (tested; the greatest errors seen are 0.7 eps S for lines, 2.3 for points, and 7.3
 * for the others, due to the tolerances below). The error of t is that divided by the normal velocity at contact.
 *
 * No gaps and no phantom hits. An edge accepts a contact whose foot is up to 4 eps of its distance beyond an end. A
 * corner is hit only beyond the ends of both its edges, and not if the circle passes it with an overlap of less than 4
 * eps max(|px|, |py|, r), which counts as a graze; the same holds for the end of a segment, unless the segment is a
 * point. If a side follows, the circle hits that. A circle that rolls along the edges of an outline, collinear or
 * concave, hits none of their corners.
 *
 * Arrays need no alignment. An output array may be one of the circles' or walls' arrays of n; otherwise it must not
 * overlap them or another output. No call allocates; any thread may call.
 */
#ifndef CAROM_TOI_WALLS_H
#define CAROM_TOI_WALLS_H

#include <carom/toi.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum carom_detection { CAROM_DETECTION_CONTINUOUS, CAROM_DETECTION_DISCRETE } carom_detection;

/* n walls each, structure of arrays. A segment goes from a to b; x0 <= x1 and y0 <= y1. */
typedef struct carom_toi_segments_f32 {
    const float *ax, *ay, *bx, *by;
} carom_toi_segments_f32;

typedef struct carom_toi_segments_f64 {
    const double *ax, *ay, *bx, *by;
} carom_toi_segments_f64;

typedef struct carom_toi_points_f32 {
    const float *x, *y;
} carom_toi_points_f32;

typedef struct carom_toi_points_f64 {
    const double *x, *y;
} carom_toi_points_f64;

typedef struct carom_toi_boxes_f32 {
    const float *x0, *y0, *x1, *y1;
} carom_toi_boxes_f32;

typedef struct carom_toi_boxes_f64 {
    const double *x0, *y0, *x1, *y1;
} carom_toi_boxes_f64;

/* Outputs; all but t may be NULL. n: the unit vector from the wall towards the circle's centre at contact. feature: the
 * part that was hit, see below; the lowest number of those hit at the same time. Without a hit n is 0 and feature
 * -1. */
typedef struct carom_toi_hits_f32 {
    float *t, *nx, *ny;
    int32_t *feature;
} carom_toi_hits_f32;

typedef struct carom_toi_hits_f64 {
    double *t, *nx, *ny;
    int32_t *feature;
} carom_toi_hits_f64;

/* Circle i against wall i. limit >= 0 or +INFINITY; CAROM_ERROR_ARGUMENT if it is negative or NaN.
 *
 * line: infinite, through a and b; feature 0. Never hit if a == b. */
CAROM_API carom_status carom_toi_line_f32(carom_detection detection, size_t n, const carom_toi_bodies_f32 *circles,
                                          const carom_toi_segments_f32 *walls, float limit,
                                          const carom_toi_hits_f32 *out);
CAROM_API carom_status carom_toi_line_f64(carom_detection detection, size_t n, const carom_toi_bodies_f64 *circles,
                                          const carom_toi_segments_f64 *walls, double limit,
                                          const carom_toi_hits_f64 *out);

/* segment: feature 0 the straight part, 1 the end a, 2 the end b. If a == b it is a point, feature 1. */
CAROM_API carom_status carom_toi_segment_f32(carom_detection detection, size_t n, const carom_toi_bodies_f32 *circles,
                                             const carom_toi_segments_f32 *walls, float limit,
                                             const carom_toi_hits_f32 *out);
CAROM_API carom_status carom_toi_segment_f64(carom_detection detection, size_t n, const carom_toi_bodies_f64 *circles,
                                             const carom_toi_segments_f64 *walls, double limit,
                                             const carom_toi_hits_f64 *out);

/* point: feature 0. */
CAROM_API carom_status carom_toi_point_f32(carom_detection detection, size_t n, const carom_toi_bodies_f32 *circles,
                                           const carom_toi_points_f32 *points, float limit,
                                           const carom_toi_hits_f32 *out);
CAROM_API carom_status carom_toi_point_f64(carom_detection detection, size_t n, const carom_toi_bodies_f64 *circles,
                                           const carom_toi_points_f64 *points, double limit,
                                           const carom_toi_hits_f64 *out);

/* box: from inside (the centre is in the box or on its border at the start) its sides, otherwise sides and corners from
 * outside. Features: sides 0..3 = x0, x1, y0, y1; corners 4..7 = (x0, y0), (x1, y0), (x0, y1), (x1, y1). */
CAROM_API carom_status carom_toi_box_f32(carom_detection detection, size_t n, const carom_toi_bodies_f32 *circles,
                                         const carom_toi_boxes_f32 *boxes, float limit, const carom_toi_hits_f32 *out);
CAROM_API carom_status carom_toi_box_f64(carom_detection detection, size_t n, const carom_toi_bodies_f64 *circles,
                                         const carom_toi_boxes_f64 *boxes, double limit, const carom_toi_hits_f64 *out);

/* polygon: n circles against one closed outline of m corners, convex or concave, in either direction, from inside or
 * outside. Features: edge e (from corner e to the next) e, corner k m + k. Corners that repeat the one before are
 * skipped. m = 1 is a point, m = 0 nothing; m <= 2^30, else CAROM_ERROR_ARGUMENT. A NaN among the corners makes every
 * time NaN. Outputs must not overlap x and y. */
CAROM_API carom_status carom_toi_polygon_f32(carom_detection detection, size_t n, const carom_toi_bodies_f32 *circles,
                                             size_t m, const float *x, const float *y, float limit,
                                             const carom_toi_hits_f32 *out);
CAROM_API carom_status carom_toi_polygon_f64(carom_detection detection, size_t n, const carom_toi_bodies_f64 *circles,
                                             size_t m, const double *x, const double *y, double limit,
                                             const carom_toi_hits_f64 *out);

#ifdef __cplusplus
}
#endif
#endif
