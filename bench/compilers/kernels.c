/* SPDX-License-Identifier: MIT
 * Circle against circle in textbook form, for bench/compiler_study to compile in many ways.
 *
 * It is independent of Carom. The only help for compilers is `restrict`: if a loop stays scalar, the reason is not that
 * its arrays might overlap.
 */
#include "kernels.h"

#include <math.h>

#define POW_64(x) pow(x, 2)
#define POW_32(x) powf(x, 2)
#define KEPT_64(x) pow(x, study_two_f64)
#define KEPT_32(x) powf(x, study_two_f32)
#define MULTIPLY(x) ((x) * (x))

/* ---- the formulas: a, b, c, d from px, py, vx, vy, r; then the time ---- */

/* a t^2 + b t + c = 0 as at school. */
#define TEXTBOOK(type, SQUARE)                                                                                         \
    const type a = SQUARE(vx) + SQUARE(vy);                                                                            \
    const type b = 2 * (px * vx + py * vy);                                                                            \
    const type c = SQUARE(px) + SQUARE(py) - SQUARE(r);                                                                \
    const type d = SQUARE(b) - 4 * a * c
#define TEXTBOOK_ROOT(root) ((-b - root(d)) / (2 * a))

/* The same without the twos: b is half of the textbook's. */
#define HALF_B(type, SQUARE)                                                                                           \
    const type a = SQUARE(vx) + SQUARE(vy);                                                                            \
    const type b = px * vx + py * vy;                                                                                  \
    const type c = SQUARE(px) + SQUARE(py) - SQUARE(r);                                                                \
    const type d = SQUARE(b) - a * c
#define HALF_B_ROOT(root) (-(b + root(d)) / a)

#define TIME(type, answer) (b >= 0 ? (type)STUDY_NEVER : c <= 0 ? 0 : d < 0 ? (type)STUDY_NEVER : (answer))

/* ---- both shapes of a kernel ---- */

#define KERNEL(name, type, root, SQUARE, FORMULA)                                                                      \
    type study_scalar_##name(type px, type py, type vx, type vy, type r)                                               \
    {                                                                                                                  \
        FORMULA(type, SQUARE);                                                                                         \
        return TIME(type, FORMULA##_ROOT(root));                                                                       \
    }                                                                                                                  \
                                                                                                                       \
    void study_arrays_##name(size_t n, const type *restrict pxs, const type *restrict pys, const type *restrict vxs,   \
                             const type *restrict vys, const type *restrict rs, type *restrict ts)                     \
    {                                                                                                                  \
        for (size_t i = 0; i < n; i++) {                                                                               \
            const type px = pxs[i], py = pys[i], vx = vxs[i], vy = vys[i], r = rs[i];                                  \
            FORMULA(type, SQUARE);                                                                                     \
            ts[i] = TIME(type, FORMULA##_ROOT(root));                                                                  \
        }                                                                                                              \
    }

#define KERNELS(name, FORMULA)                                                                                         \
    KERNEL(name##_pow_f64, double, sqrt, POW_64, FORMULA)                                                              \
    KERNEL(name##_pow_f32, float, sqrtf, POW_32, FORMULA)                                                              \
    KERNEL(name##_kept_f64, double, sqrt, KEPT_64, FORMULA)                                                            \
    KERNEL(name##_kept_f32, float, sqrtf, KEPT_32, FORMULA)                                                            \
    KERNEL(name##_multiply_f64, double, sqrt, MULTIPLY, FORMULA)                                                       \
    KERNEL(name##_multiply_f32, float, sqrtf, MULTIPLY, FORMULA)

KERNELS(textbook, TEXTBOOK)
KERNELS(half_b, HALF_B)
