/* SPDX-License-Identifier: MIT
 * The functions that toi/accelerated_kernel.c exports, once for every instruction set and precision, as
 * carom_toi_accelerated_<isa>_f<bits>. They are those of carom/toi_accelerated.h, in the default floating-point
 * environment, with checked arguments: only optional outputs may be NULL. Limits are checked inside, see toi/kernel.h.
 */
#ifndef CAROM_TOI_ACCELERATED_KERNEL_H
#define CAROM_TOI_ACCELERATED_KERNEL_H

#include <carom/toi_accelerated.h>

typedef struct toi_accelerated_kernel_f32 {
    carom_status (*time)(carom_toi_quartic, size_t, const carom_toi_motion_f32 *, float, float *);
    void (*roots)(size_t, const carom_toi_motion_f32 *, float *const[4], int32_t *);
    void (*line_roots)(size_t, const carom_toi_motion_f32 *, const carom_toi_segments_f32 *, float *const[4],
                       int32_t *);
    carom_status (*point)(size_t, const carom_toi_motion_f32 *, const carom_toi_points_f32 *, float,
                          const carom_toi_hits_f32 *);
    carom_status (*segment)(size_t, const carom_toi_motion_f32 *, const carom_toi_segments_f32 *, float,
                            const carom_toi_hits_f32 *);
    carom_status (*box)(size_t, const carom_toi_motion_f32 *, const carom_toi_boxes_f32 *, float,
                        const carom_toi_hits_f32 *);
} toi_accelerated_kernel_f32;

typedef struct toi_accelerated_kernel_f64 {
    carom_status (*time)(carom_toi_quartic, size_t, const carom_toi_motion_f64 *, double, double *);
    void (*roots)(size_t, const carom_toi_motion_f64 *, double *const[4], int32_t *);
    void (*line_roots)(size_t, const carom_toi_motion_f64 *, const carom_toi_segments_f64 *, double *const[4],
                       int32_t *);
    carom_status (*point)(size_t, const carom_toi_motion_f64 *, const carom_toi_points_f64 *, double,
                          const carom_toi_hits_f64 *);
    carom_status (*segment)(size_t, const carom_toi_motion_f64 *, const carom_toi_segments_f64 *, double,
                            const carom_toi_hits_f64 *);
    carom_status (*box)(size_t, const carom_toi_motion_f64 *, const carom_toi_boxes_f64 *, double,
                        const carom_toi_hits_f64 *);
} toi_accelerated_kernel_f64;

#endif
