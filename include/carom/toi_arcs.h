/* SPDX-License-Identifier: MIT
 * Time of impact of moving circles with arcs that do not move, over arrays: pure functions without objects.
 *
 * An arc is a part of a circle around (x, y): it goes counterclockwise from the direction of a to that of b, both seen
 * from (x, y). So a and b need not be on the circle, and no cosine is needed; the arc's ends are where their directions
 * meet the circle. If a == b it is the whole circle, which has no ends. a and b are different from (x, y), unless they
 * are equal; a radius is > 0.
 *
 * A circle of radius r meets the arc from outside at a distance of radius + r from (x, y), from inside at radius - r
 * (so not at all if r >= radius), and its ends as points. The answer t is
 *     NaN         if any input of the pair is NaN
 *     0           if it already touches or overlaps, and approaches the nearest point of the arc
 *     the earliest t > 0, t <= limit, at which it touches the arc
 *     +INFINITY   if there is none ("never")
 * Circles that overlap and part may come back: then t is the first time at which the two touch after having been apart
 * or, if `holds`, the first time at which they get closer again than they were.
 * feature: 0 the arc from outside, 1 the end a, 2 the end b, 3 the arc from inside. A centre on the arc is outside.
 *
 * Accuracy. Let S = |p| + |v| t + |a| t^2/2 + radius + r, p from (x, y) to the centre at the start, and e the spacing
 * of numbers at 1. At a contact after t > 0 the centre's distance from the arc is r within 16 e S, and before that at
 * least r - 16 e S. Keep lengths, speeds and accelerations within [2^-20, 2^20] (f32) or [2^-200, 2^200] (f64). Joints
 * leave no gap, and a circle that only grazes an end is not deflected: the normal is perpendicular to its path.
 *
 * Arrays need no alignment. Outputs must not overlap inputs or each other. No call allocates; any thread may call.
 * CAROM_ERROR_ARGUMENT: a null pointer (all outputs but t may be NULL), an unknown kind of sides, a limit that is
 * negative or NaN.
 */
#ifndef CAROM_TOI_ARCS_H
#define CAROM_TOI_ARCS_H

#include <carom/toi_accelerated.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Which circles an arc stops. */
typedef enum carom_arc_sides {
    CAROM_ARC_BOTH,
    CAROM_ARC_WITHIN, /* only those whose centre is within the arc's circle */
    CAROM_ARC_WITHOUT /* only those whose centre is outside it */
} carom_arc_sides;

/* n arcs, structure of arrays. */
typedef struct carom_toi_arcs_f32 {
    const float *x, *y, *radius, *ax, *ay, *bx, *by;
} carom_toi_arcs_f32;

typedef struct carom_toi_arcs_f64 {
    const double *x, *y, *radius, *ax, *ay, *bx, *by;
} carom_toi_arcs_f64;

/* Circle i against arc i, along straight lines. */
CAROM_API carom_status carom_toi_arc_f32(carom_arc_sides sides, bool holds, size_t n,
                                         const carom_toi_bodies_f32 *circles, const carom_toi_arcs_f32 *arcs,
                                         float limit, const carom_toi_hits_f32 *out);
CAROM_API carom_status carom_toi_arc_f64(carom_arc_sides sides, bool holds, size_t n,
                                         const carom_toi_bodies_f64 *circles, const carom_toi_arcs_f64 *arcs,
                                         double limit, const carom_toi_hits_f64 *out);

/* The same under constant acceleration (position, velocity, acceleration, radius), along parabolas. */
CAROM_API carom_status carom_toi_accelerated_arc_f32(carom_arc_sides sides, bool holds, size_t n,
                                                     const carom_toi_motion_f32 *in, const carom_toi_arcs_f32 *arcs,
                                                     float limit, const carom_toi_hits_f32 *out);
CAROM_API carom_status carom_toi_accelerated_arc_f64(carom_arc_sides sides, bool holds, size_t n,
                                                     const carom_toi_motion_f64 *in, const carom_toi_arcs_f64 *arcs,
                                                     double limit, const carom_toi_hits_f64 *out);

#ifdef __cplusplus
}
#endif
#endif
