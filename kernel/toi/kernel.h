/* SPDX-License-Identifier: MIT
 * The functions that toi/kernel.c, walls_kernel.c, accelerated_kernel.c and arcs_kernel.c export, once for every
 * instruction set and precision, as carom_toi_<isa>_f<bits>, carom_toi_walls_... and so on: those of carom/toi.h,
 * toi_walls.h, toi_accelerated.h and toi_arcs.h, in the default floating-point environment and with checked arguments:
 * only optional outputs may be NULL. Limits alone are checked inside, where no compiler can move the comparison out of
 * that environment: with denormals flushed to zero, a tiny negative limit would be accepted as 0.
 */
#ifndef CAROM_TOI_KERNEL_H
#define CAROM_TOI_KERNEL_H

#include <carom/toi_accelerated.h>
#include <carom/toi_arcs.h>
#include <carom/toi_walls.h>

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
        const toi_solver_f##bits *branches; /* by variant; NULL except at width 1 */                                   \
        /* all of `out` except t, from the times in t */                                                               \
        void (*contacts[TOI_SHAPES])(size_t n, const toi_input_f##bits *in, const real *t,                             \
                                     const carom_toi_contacts_f##bits *out);                                           \
        carom_status (*within)(size_t n, const carom_toi_pairs_f##bits *in, real limit, uint64_t *mask);               \
    } toi_kernel_f##bits;

/* Circles against walls. */
#define TOI_WALLS_KERNEL(bits, real)                                                                                   \
    typedef struct toi_walls_kernel_f##bits {                                                                          \
        carom_status (*line)(bool discrete, size_t n, const carom_toi_bodies_f##bits *circles,                         \
                             const carom_toi_segments_f##bits *walls, real limit, const carom_toi_hits_f##bits *out);  \
        carom_status (*segment)(bool discrete, size_t n, const carom_toi_bodies_f##bits *circles,                      \
                                const carom_toi_segments_f##bits *walls, real limit,                                   \
                                const carom_toi_hits_f##bits *out);                                                    \
        carom_status (*point)(bool discrete, size_t n, const carom_toi_bodies_f##bits *circles,                        \
                              const carom_toi_points_f##bits *points, real limit, const carom_toi_hits_f##bits *out);  \
        carom_status (*box)(bool discrete, size_t n, const carom_toi_bodies_f##bits *circles,                          \
                            const carom_toi_boxes_f##bits *boxes, real limit, const carom_toi_hits_f##bits *out);      \
        carom_status (*polygon)(bool discrete, size_t n, const carom_toi_bodies_f##bits *circles, size_t m,            \
                                const real *x, const real *y, real limit, const carom_toi_hits_f##bits *out);          \
    } toi_walls_kernel_f##bits;

/* Accelerating circles. */
#define TOI_ACCELERATED_KERNEL(bits, real)                                                                             \
    typedef struct toi_accelerated_kernel_f##bits {                                                                    \
        carom_status (*time)(carom_toi_quartic, size_t, const carom_toi_motion_f##bits *, real, real *);               \
        void (*roots)(size_t, const carom_toi_motion_f##bits *, real *const[4], int32_t *);                            \
        void (*line_roots)(size_t, const carom_toi_motion_f##bits *, const carom_toi_segments_f##bits *,               \
                           real *const[4], int32_t *);                                                                 \
        carom_status (*point)(size_t, const carom_toi_motion_f##bits *, const carom_toi_points_f##bits *, real,        \
                              const carom_toi_hits_f##bits *);                                                         \
        carom_status (*segment)(size_t, const carom_toi_motion_f##bits *, const carom_toi_segments_f##bits *, real,    \
                                const carom_toi_hits_f##bits *);                                                       \
        carom_status (*box)(size_t, const carom_toi_motion_f##bits *, const carom_toi_boxes_f##bits *, real,           \
                            const carom_toi_hits_f##bits *);                                                           \
    } toi_accelerated_kernel_f##bits;

/* Circles against arcs. */
#define TOI_ARCS_KERNEL(bits, real)                                                                                    \
    typedef struct toi_arcs_kernel_f##bits {                                                                           \
        carom_status (*straight)(carom_arc_sides, bool, size_t, const carom_toi_bodies_f##bits *,                      \
                                 const carom_toi_arcs_f##bits *, real, const carom_toi_hits_f##bits *);                \
        carom_status (*accelerated)(carom_arc_sides, bool, size_t, const carom_toi_motion_f##bits *,                   \
                                    const carom_toi_arcs_f##bits *, real, const carom_toi_hits_f##bits *);             \
    } toi_arcs_kernel_f##bits;

TOI_KERNEL(32, float)
TOI_KERNEL(64, double)
TOI_WALLS_KERNEL(32, float)
TOI_WALLS_KERNEL(64, double)
TOI_ACCELERATED_KERNEL(32, float)
TOI_ACCELERATED_KERNEL(64, double)
TOI_ARCS_KERNEL(32, float)
TOI_ARCS_KERNEL(64, double)

#endif
