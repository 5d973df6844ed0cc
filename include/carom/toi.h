/* SPDX-License-Identifier: MIT
 * Time of impact of moving circles, over arrays: pure functions without objects.
 *
 * Circle j seen from circle i: relative position p = p_j - p_i, relative velocity v = v_j - v_i, sum of radii r.
 * With a = v.v, b = p.v, c = p.p - r*r and d = b*b - a*c the answer t is, in this order:
 *     NaN         if any input is NaN
 *     +INFINITY   if !(b < 0): parting or relatively at rest, even when they overlap ("never")
 *     0           if c <= 0: touching or overlapping, and approaching
 *     +INFINITY   if d < 0: they pass each other
 *     the earliest t > 0 with |p + v t| = r
 * Every variant computes a, b, c, d and the root in its own way, listed below; bench/SOLVERS.md compares their speed
 * and accuracy. Whatever the variant, finite inputs never give NaN; where a, b, c or d overflows, or an input is
 * infinite, the answer is +INFINITY ("cross", which needs no c, knows some times where c alone overflows). "accurate"
 * and "fma-kahan" scale their inputs and do not overflow; they only require that b, between vectors whose greatest
 * components are near 1, does not underflow. For the others keep |p|, |v| and r within [2^-250, 2^250] (f64) or [2^-30,
 * 2^30] (f32).
 *
 * The unit of t is that of p divided by that of v. Arrays need no alignment. An output array may be an input array of
 * the same call if element k of the one is element k of the other (but not the bodies of index pairs); otherwise
 * outputs must not overlap inputs or each other. No call allocates; any thread may call. Errors: CAROM_ERROR_ARGUMENT
 * (a null pointer, an unknown variant, an index out of range; nothing is written), CAROM_ERROR_UNSUPPORTED (CAROM_ISA
 * names an instruction set that cannot be used).
 */
#ifndef CAROM_TOI_H
#define CAROM_TOI_H

#include <carom/base.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- variants ---- */

/* Ways to solve the equation. All but CAROM_TOI_NORMALISED and CAROM_TOI_BACKWARD compute the t defined above. */
typedef enum carom_toi_variant {
    CAROM_TOI_POW,             /* b*b - 4*a*c with a call to pow() for every square; no lanes */
    CAROM_TOI_POW_FOLDED,      /* the same as a compiler may optimise it: pow(x, 2) becomes x*x */
    CAROM_TOI_TEXTBOOK,        /* (-B - sqrt(B*B - 4*A*C)) / (2*A), vectors as vectors */
    CAROM_TOI_COMPONENTS,      /* b*b - a*c, (-b - sqrt d) / a, written out in coordinates */
    CAROM_TOI_DOT,             /* the same arithmetic, written as dot products */
    CAROM_TOI_HALF_B,          /* the same with one negation fewer: -(b + sqrt d) / a */
    CAROM_TOI_CITARDAUQ,       /* c / (-b + sqrt d): no cancellation when contact is near */
    CAROM_TOI_CROSS,           /* d = r*r*a - (p x v)^2: no cancellation when far apart; (-b - sqrt d) / a */
    CAROM_TOI_CROSS_CITARDAUQ, /* d likewise; c / (-b + sqrt d) */
    CAROM_TOI_FMA_KAHAN,       /* inputs scaled; d = b*b - a*c by error-free products; c / (-b + sqrt d) */
    CAROM_TOI_ACCURATE,     /* inputs scaled; b, c and d in twice the precision: t within a few units in last place */
    CAROM_TOI_RSQRT_NEWTON, /* approximate: root and quotient from an integer guess and Newton's steps */
    CAROM_TOI_NORMALISED,   /* the swept test of one tick: v is the tick's displacement; t in [0, 1], else +INFINITY */
    CAROM_TOI_BACKWARD,     /* time since impact: the earlier root if it is <= 0, else +INFINITY */
    CAROM_TOI_VARIANTS,     /* their number */
    CAROM_TOI_FAST = CAROM_TOI_CROSS_CITARDAUQ, /* the default where no rule fixes the formula */
    CAROM_TOI_BRANCHES =
        0x100 /* added to a variant: in scalar code with branches, on every instruction set, same bits */
} carom_toi_variant;

/* CAROM_TOI_NORMALISED: circle i rests at the origin, j moves from p to p + v within the tick. It uses both roots: an
 * overlap at the start (c < 0) is an impact at 0 in any direction, and so is a touch unless they part; relative rest is
 * "never".
 * CAROM_TOI_BACKWARD: for circles that overlap or have parted, the earlier root t = -(b + sqrt d) / a <= 0, at which
 * contact began, for simulators that look for impacts at the end of a tick; +INFINITY if the root is positive, there is
 * none, or they are relatively at rest. Direction does not matter. */

typedef struct carom_toi_variant_info {
    const char *name;    /* "half-b" */
    const char *summary; /* one line */
    bool lanes;          /* false: scalar code on every instruction set (pow) */
    bool exact; /* uses only exactly rounded operations; false: rsqrt-newton, and pow, which is the C library's */
} carom_toi_variant_info;

/* The variant's description; NULL if there is no such variant. CAROM_TOI_BRANCHES may be added. */
CAROM_API const carom_toi_variant_info *carom_toi_variant_describe(int variant);

/* Finds a variant by name: one of the names above, "fast", or "NAME/branches". CAROM_ERROR_ARGUMENT if there is
 * none. */
CAROM_API carom_status carom_toi_variant_find(const char *name, int *variant);

/* ---- what goes in and out ---- */

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

/* One body. */
typedef struct carom_toi_body_f32 {
    float x, y, vx, vy, r;
} carom_toi_body_f32;

typedef struct carom_toi_body_f64 {
    double x, y, vx, vy, r;
} carom_toi_body_f64;

/* n answers. Only t is required; the others are computed if they are not NULL, in plain half-b arithmetic for every
 * variant. Entry and exit avoid the cancellation of the textbook's formula. */
typedef struct carom_toi_contacts_f32 {
    float *t;            /* the time of impact */
    float *entry, *exit; /* both roots, of any sign; +INFINITY if there are none, NaN if t is */
    float *nx, *ny;      /* unit vector from i to j at t; 0 if t is not finite or the centres coincide */
    float *xi, *yi;      /* centre of i at t, or at time 0 if t is not finite; relative motion: 0 */
    float *xj, *yj;      /* centre of j likewise; relative motion: seen from i */
} carom_toi_contacts_f32;

typedef struct carom_toi_contacts_f64 {
    double *t;
    double *entry, *exit;
    double *nx, *ny;
    double *xi, *yi;
    double *xj, *yj;
} carom_toi_contacts_f64;

/* ---- circle against circle ---- */

/* Relative motion. */
CAROM_API carom_status carom_toi_circles_f32(int variant, size_t n, const carom_toi_pairs_f32 *in,
                                             const carom_toi_contacts_f32 *out);
CAROM_API carom_status carom_toi_circles_f64(int variant, size_t n, const carom_toi_pairs_f64 *in,
                                             const carom_toi_contacts_f64 *out);

/* Pairs of `count` bodies: pair k is of the bodies i[k] and j[k]. p, v and r are rounded once each (they are the
 * inputs: the difference of two infinities is a NaN). */
CAROM_API carom_status carom_toi_circles_indexed_f32(int variant, size_t n, size_t count,
                                                     const carom_toi_bodies_f32 *bodies, const int32_t *i,
                                                     const int32_t *j, const carom_toi_contacts_f32 *out);
CAROM_API carom_status carom_toi_circles_indexed_f64(int variant, size_t n, size_t count,
                                                     const carom_toi_bodies_f64 *bodies, const int32_t *i,
                                                     const int32_t *j, const carom_toi_contacts_f64 *out);

/* One body, i, against n others. If it is one of them, it never meets itself. */
CAROM_API carom_status carom_toi_circles_one_f32(int variant, const carom_toi_body_f32 *one, size_t n,
                                                 const carom_toi_bodies_f32 *others, const carom_toi_contacts_f32 *out);
CAROM_API carom_status carom_toi_circles_one_f64(int variant, const carom_toi_body_f64 *one, size_t n,
                                                 const carom_toi_bodies_f64 *others, const carom_toi_contacts_f64 *out);

/* The earliest impact of each of m bodies with n others: t[k] and index[k], the lowest index among equal times;
 * +INFINITY and -1 if there is none. Others with a NaN are skipped; a body that is one of the others never meets
 * itself. Times are those of carom_toi_circles_one_*(). n <= INT32_MAX. */
CAROM_API carom_status carom_toi_circles_first_f32(int variant, size_t m, const carom_toi_bodies_f32 *bodies, size_t n,
                                                   const carom_toi_bodies_f32 *others, float *t, int32_t *index);
CAROM_API carom_status carom_toi_circles_first_f64(int variant, size_t m, const carom_toi_bodies_f64 *bodies, size_t n,
                                                   const carom_toi_bodies_f64 *others, double *t, int32_t *index);

/* Bit k % 64 of mask[k / 64] says whether pair k meets within `limit`: exactly if its t by CAROM_TOI_FAST is <= limit.
 * Most pairs need neither a root nor a division. mask has (n + 63) / 64 words; the unused bits of the last are 0. limit
 * >= 0, or +INFINITY; CAROM_ERROR_ARGUMENT if negative or NaN. */
CAROM_API carom_status carom_toi_circles_within_f32(size_t n, const carom_toi_pairs_f32 *in, float limit,
                                                    uint64_t *mask);
CAROM_API carom_status carom_toi_circles_within_f64(size_t n, const carom_toi_pairs_f64 *in, double limit,
                                                    uint64_t *mask);

#ifdef __cplusplus
}
#endif
#endif
