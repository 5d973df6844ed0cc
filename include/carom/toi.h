/* SPDX-License-Identifier: MIT
 * Time of impact of moving circles, over arrays: pure functions without objects.
 *
 * Circle j seen from circle i: relative position p = p_j - p_i, relative velocity v = v_j - v_i, sum of radii r.
 * With a = v.v, b = p.v, c = p.p - r*r and d = b*b - a*c the answer t is, in this order:
 *     NaN         if any of the five inputs is NaN
 *     +INFINITY   if !(b < 0): parting or relatively at rest, even when they overlap ("never")
 *     0           if c <= 0: touching or overlapping, and approaching
 *     +INFINITY   if d < 0: they pass each other
 *     c / (-b + sqrt(d))   the earliest t > 0 with |p + v t| = r
 * This form of the root does not cancel when contact is near. If a, b, c or d is not finite (a product overflows, or an
 * input is infinite) the answer is +INFINITY; finite inputs never give NaN. Keep |p|, |v|, r within [2^-250, 2^250]
 * (f64) or [2^-30, 2^30] (f32) for full accuracy.
 *
 * Units are the caller's: t is in (unit of p) / (unit of v). Arrays need no alignment. An output array may be
 * one of the input arrays; otherwise it must not overlap them. No call allocates; any thread may call.
 */
#ifndef CAROM_TOI_H
#define CAROM_TOI_H

#include <carom/base.h>

#ifdef __cplusplus
extern "C" {
#endif

/* n pairs, structure of arrays: x and y of the relative position, x and y of the relative velocity, sum of radii. */
typedef struct carom_toi_pairs_f32 {
    const float *px, *py, *vx, *vy, *r;
} carom_toi_pairs_f32;

typedef struct carom_toi_pairs_f64 {
    const double *px, *py, *vx, *vy, *r;
} carom_toi_pairs_f64;

/* Bodies, structure of arrays: position, velocity, radius. */
typedef struct carom_toi_bodies_f32 {
    const float *x, *y, *vx, *vy, *r;
} carom_toi_bodies_f32;

typedef struct carom_toi_bodies_f64 {
    const double *x, *y, *vx, *vy, *r;
} carom_toi_bodies_f64;

/* t[0..n-1] = the time of impact of every pair. */
CAROM_API carom_status carom_toi_circles_f32(size_t n, const carom_toi_pairs_f32 *pairs, float *t);
CAROM_API carom_status carom_toi_circles_f64(size_t n, const carom_toi_pairs_f64 *pairs, double *t);

/* Bit i % 64 of mask[i / 64] says whether pair i meets within `limit`: exactly the pairs whose time of impact t as
 * computed above has t <= limit. Most are decided without a root and without a division. mask has (n + 63) / 64
 * words; the unused bits of the last are 0. limit >= 0, or +INFINITY (every pair but those that are NaN);
 * CAROM_ERROR_ARGUMENT if negative or NaN. */
CAROM_API carom_status carom_toi_circles_within_f32(size_t n, const carom_toi_pairs_f32 *pairs, float limit,
                                                    uint64_t *mask);
CAROM_API carom_status carom_toi_circles_within_f64(size_t n, const carom_toi_pairs_f64 *pairs, double limit,
                                                    uint64_t *mask);

#ifdef __cplusplus
}
#endif
#endif
