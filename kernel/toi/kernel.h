/* SPDX-License-Identifier: MIT
 * The functions that toi/kernel.c exports, once for every instruction set and precision, as carom_toi_<isa>_f<bits>.
 * They are those of carom/toi.h, in the default floating-point environment, with checked arguments. Only the limit of
 * `within` is checked inside, where no compiler can move the comparison out of that environment: with denormals flushed
 * to zero, a tiny negative limit would pass for 0.
 */
#ifndef CAROM_TOI_KERNEL_H
#define CAROM_TOI_KERNEL_H

#include <carom/toi.h>

/* How pairs are given: as relative motions, as indices of bodies, or as one body against all others. */
typedef enum toi_shape { TOI_PAIRS, TOI_INDEXED, TOI_ONE, TOI_SHAPES } toi_shape;

/* For f32 and f64: the input, of which each shape uses a part; the functions of a variant; all functions. */
#define TOI_KERNEL(bits, real)                                                                                         \
    typedef struct toi_input_f##bits {                                                                                 \
        carom_toi_pairs_f##bits pairs;                                                                                 \
        carom_toi_bodies_f##bits bodies;                                                                               \
        const int32_t *i, *j;                                                                                          \
        carom_toi_body_f##bits one;                                                                                    \
    } toi_input_f##bits;                                                                                               \
                                                                                                                       \
    typedef struct toi_solver_f##bits {                                                                                \
        void (*times[TOI_SHAPES])(size_t n, const toi_input_f##bits *in, real *t);                                     \
        void (*first)(size_t m, const carom_toi_bodies_f##bits *ones, size_t n,                                        \
                      const carom_toi_bodies_f##bits *others, real *t, int32_t *index);                                \
    } toi_solver_f##bits;                                                                                              \
                                                                                                                       \
    typedef struct toi_kernel_f##bits {                                                                                \
        const toi_solver_f##bits *lanes;    /* by variant; CAROM_TOI_POW has none */                                   \
        const toi_solver_f##bits *branches; /* by variant; NULL but at width 1 */                                      \
        /* all of `out` but t, from the times in t */                                                                  \
        void (*contacts[TOI_SHAPES])(size_t n, const toi_input_f##bits *in, const real *t,                             \
                                     const carom_toi_contacts_f##bits *out);                                           \
        carom_status (*within)(size_t n, const carom_toi_pairs_f##bits *in, real limit, uint64_t *mask);               \
    } toi_kernel_f##bits;

TOI_KERNEL(32, float)
TOI_KERNEL(64, double)

#endif
