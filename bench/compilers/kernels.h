/* SPDX-License-Identifier: MIT
 * The kernels of the compiler study: their names, for kernels.c that defines them and main.c that times them.
 *
 * A kernel's name has its formula, its form of a square, and its precision:
 *     pow         a call of pow(x, 2), in float powf(x, 2); a compiler may know that this is x * x
 *     kept        the same with an exponent that no compiler knows, so that the call must stay
 *     multiply    x * x
 * Each has two shapes: study_scalar_NAME(), one pair a call, and study_arrays_NAME(), a loop over arrays.
 */
#ifndef CAROM_BENCH_COMPILERS_KERNELS_H
#define CAROM_BENCH_COMPILERS_KERNELS_H

#include <stddef.h>

#define STUDY_NEVER 1e30F /* finite, since -ffast-math may assume that there is no infinity */

/* The exponent 2, in another file than the kernels. */
extern double study_two_f64;
extern float study_two_f32;

/* EACH(formula, square, bits, type) for every kernel. */
#define STUDY_KERNELS(EACH)                                                                                            \
    STUDY_FORMULA(EACH, textbook, 64, double)                                                                          \
    STUDY_FORMULA(EACH, textbook, 32, float)                                                                           \
    STUDY_FORMULA(EACH, half_b, 64, double)                                                                            \
    STUDY_FORMULA(EACH, half_b, 32, float)

#define STUDY_FORMULA(EACH, formula, bits, type)                                                                       \
    EACH(formula, pow, bits, type)                                                                                     \
    EACH(formula, kept, bits, type)                                                                                    \
    EACH(formula, multiply, bits, type)

/* Declarations: relative position, relative velocity, sum of radii; the time of impact, or STUDY_NEVER. */
#define STUDY_DECLARE(formula, square, bits, type)                                                                     \
    type study_scalar_##formula##_##square##_f##bits(type px, type py, type vx, type vy, type r);                      \
    void study_arrays_##formula##_##square##_f##bits(size_t n, const type *px, const type *py, const type *vx,         \
                                                     const type *vy, const type *r, type *t);

STUDY_KERNELS(STUDY_DECLARE)

#endif
