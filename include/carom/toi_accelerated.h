/* SPDX-License-Identifier: MIT
 * Time of impact of circles under constant acceleration, over arrays: pure functions without objects.
 *
 * Circle j seen from circle i: relative position p, velocity v and acceleration a, sum of radii r. D(t) = p + v t +
 * a t^2/2. The answer t is, in this order:
 *     NaN         if any of the seven inputs is NaN
 *     0           if |p| <= r and they approach: p.v < 0; or p.v = 0, and the first nonzero of the next derivatives,
 *                 |v|^2 + p.a and v.a, is negative
 *     the smallest t > 0, t <= limit, at which |D| falls to r
 *     +INFINITY   if there is none ("never"), or an input is infinite
 * Circles that overlap or touch and part may come back: then t is the first time at which they touch after having been
 * apart. Circles that always overlap never meet.
 *
 * The lecture that this follows (see fall.h) defines t as the smallest root > 0. That differs for circles that touch at
 * the start: those that approach meet at 0 here, but later or never there (their second root is that of parting); and
 * for circles that overlap: it returns the time at which they part, which is not an impact.
 *
 * Rounding decides whether circles meet that pass at a distance of r within 4 e max(|p| + |v| t + |a| t^2/2, r), where
 * e is the spacing of numbers at 1. The error of t is at most 16 times the change of t when every input changes by a
 * factor of 1 + e. Lengths and time are scaled by powers of two, so that this holds if each of |p|, |v|, |a|, r that is
 * not 0 is within [2^-300, 2^300] (f64) or [2^-30, 2^30] (f32). Other finite inputs never give NaN; an overflow gives
 * "never". A negative r counts as |r|.
 *
 * Arrays need no alignment. An output array may be an input array of the same call if both begin at the same place;
 * otherwise outputs must not overlap inputs or each other. No call allocates; any thread may call.
 * CAROM_ERROR_ARGUMENT: a null pointer, an unknown variant, a limit that is negative or NaN.
 */
#ifndef CAROM_TOI_ACCELERATED_H
#define CAROM_TOI_ACCELERATED_H

#include <carom/base.h>
#include <carom/toi_walls.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Ways to solve the equation. */
typedef enum carom_toi_quartic {
    CAROM_QUARTIC_BRACKETED, /* differences first; intervals in which the distance falls, a root search in each */
    CAROM_QUARTIC_FERRARI,   /* the lecture's: coefficients written out in coordinates, Ferrari's formulas in complex
                                numbers. To compare with: it misses impacts, and the error bound does not hold. */
    CAROM_QUARTIC_VARIANTS   /* how many there are */
} carom_toi_quartic;

/* n motions, structure of arrays. */
typedef struct carom_toi_motion_f32 {
    const float *px, *py, *vx, *vy, *ax, *ay, *r;
} carom_toi_motion_f32;

typedef struct carom_toi_motion_f64 {
    const double *px, *py, *vx, *vy, *ax, *ay, *r;
} carom_toi_motion_f64;

/* t[0..n-1] = the time of impact of every pair, if it is at most `limit` (>= 0 or +INFINITY), else +INFINITY. The limit
 * does not affect times below it. */
CAROM_API carom_status carom_toi_accelerated_f32(carom_toi_quartic variant, size_t n, const carom_toi_motion_f32 *in,
                                                 float limit, float *t);
CAROM_API carom_status carom_toi_accelerated_f64(carom_toi_quartic variant, size_t n, const carom_toi_motion_f64 *in,
                                                 double limit, double *t);

/* All real roots of |D| = r, including negative ones, in ascending order: count[k] for pair k, roots[j][k] the j-th of
 * them, +INFINITY after the last. A double root (they touch and part, or overlap and touch from inside) appears twice,
 * unless rounding makes it two roots or none. Circles relatively at rest have none. NaN among the inputs: count -1,
 * roots NaN. */
CAROM_API carom_status carom_toi_accelerated_roots_f32(size_t n, const carom_toi_motion_f32 *in, float *const roots[4],
                                                       int32_t *count);
CAROM_API carom_status carom_toi_accelerated_roots_f64(size_t n, const carom_toi_motion_f64 *in, double *const roots[4],
                                                       int32_t *count);

/* The same for circle k (position, velocity, acceleration, radius) and the infinite line through the ends of segment k:
 * all times at which the circle touches the line, from either side. If r = 0 the two sides are one. Segments without
 * length have no line: count 0. */
CAROM_API carom_status carom_toi_accelerated_line_roots_f32(size_t n, const carom_toi_motion_f32 *in,
                                                            const carom_toi_segments_f32 *lines, float *const roots[4],
                                                            int32_t *count);
CAROM_API carom_status carom_toi_accelerated_line_roots_f64(size_t n, const carom_toi_motion_f64 *in,
                                                            const carom_toi_segments_f64 *lines, double *const roots[4],
                                                            int32_t *count);

/* The first impact of circle k (position, velocity, acceleration, radius) on obstacle k, by the contract above with the
 * distance of the centre from the obstacle for |D|. Lengths are not scaled as a whole: keep the numbers within
 * [2^-200, 2^200] (f64) or [2^-20, 2^20] (f32).
 *
 * For a circle that does not touch the obstacle at the start, t is exact for some radius that differs from r by at most
 * 4 e s, s = |p| + |v| t + |a| t^2/2 + r + the obstacle's greatest distance from the origin.
 *
 * Segment: includes both ends, as caps. The part nearest at the start decides whether they approach. Box: a centre
 * outside meets the sides and corners; a centre inside, or on the edge, meets the sides from inside, each as if it
 * continued beyond its corners. If several parts are met at the same time, the feature is the lowest. */
CAROM_API carom_status carom_toi_accelerated_point_f32(size_t n, const carom_toi_motion_f32 *in,
                                                       const carom_toi_points_f32 *points, float limit,
                                                       const carom_toi_hits_f32 *out);
CAROM_API carom_status carom_toi_accelerated_point_f64(size_t n, const carom_toi_motion_f64 *in,
                                                       const carom_toi_points_f64 *points, double limit,
                                                       const carom_toi_hits_f64 *out);
CAROM_API carom_status carom_toi_accelerated_segment_f32(size_t n, const carom_toi_motion_f32 *in,
                                                         const carom_toi_segments_f32 *segments, float limit,
                                                         const carom_toi_hits_f32 *out);
CAROM_API carom_status carom_toi_accelerated_segment_f64(size_t n, const carom_toi_motion_f64 *in,
                                                         const carom_toi_segments_f64 *segments, double limit,
                                                         const carom_toi_hits_f64 *out);
CAROM_API carom_status carom_toi_accelerated_box_f32(size_t n, const carom_toi_motion_f32 *in,
                                                     const carom_toi_boxes_f32 *boxes, float limit,
                                                     const carom_toi_hits_f32 *out);
CAROM_API carom_status carom_toi_accelerated_box_f64(size_t n, const carom_toi_motion_f64 *in,
                                                     const carom_toi_boxes_f64 *boxes, double limit,
                                                     const carom_toi_hits_f64 *out);

#ifdef __cplusplus
}
#endif
#endif
