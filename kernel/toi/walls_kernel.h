/* SPDX-License-Identifier: MIT
 * The functions that toi/walls_kernel.c exports, once for every instruction set and precision, as
 * carom_toi_walls_<isa>_f<bits>. They are those of carom/toi_walls.h, in the default floating-point environment, with
 * checked arguments: only optional outputs may be NULL. The limit is checked inside, see toi/kernel.h.
 */
#ifndef CAROM_TOI_WALLS_KERNEL_H
#define CAROM_TOI_WALLS_KERNEL_H

#include <carom/toi_walls.h>

typedef struct toi_walls_kernel_f32 {
    carom_status (*line)(bool discrete, size_t n, const carom_toi_bodies_f32 *circles,
                         const carom_toi_segments_f32 *walls, float limit, const carom_toi_hits_f32 *out);
    carom_status (*segment)(bool discrete, size_t n, const carom_toi_bodies_f32 *circles,
                            const carom_toi_segments_f32 *walls, float limit, const carom_toi_hits_f32 *out);
    carom_status (*point)(bool discrete, size_t n, const carom_toi_bodies_f32 *circles,
                          const carom_toi_points_f32 *points, float limit, const carom_toi_hits_f32 *out);
    carom_status (*box)(bool discrete, size_t n, const carom_toi_bodies_f32 *circles, const carom_toi_boxes_f32 *boxes,
                        float limit, const carom_toi_hits_f32 *out);
    carom_status (*polygon)(bool discrete, size_t n, const carom_toi_bodies_f32 *circles, size_t m, const float *x,
                            const float *y, float limit, const carom_toi_hits_f32 *out);
} toi_walls_kernel_f32;

typedef struct toi_walls_kernel_f64 {
    carom_status (*line)(bool discrete, size_t n, const carom_toi_bodies_f64 *circles,
                         const carom_toi_segments_f64 *walls, double limit, const carom_toi_hits_f64 *out);
    carom_status (*segment)(bool discrete, size_t n, const carom_toi_bodies_f64 *circles,
                            const carom_toi_segments_f64 *walls, double limit, const carom_toi_hits_f64 *out);
    carom_status (*point)(bool discrete, size_t n, const carom_toi_bodies_f64 *circles,
                          const carom_toi_points_f64 *points, double limit, const carom_toi_hits_f64 *out);
    carom_status (*box)(bool discrete, size_t n, const carom_toi_bodies_f64 *circles, const carom_toi_boxes_f64 *boxes,
                        double limit, const carom_toi_hits_f64 *out);
    carom_status (*polygon)(bool discrete, size_t n, const carom_toi_bodies_f64 *circles, size_t m, const double *x,
                            const double *y, double limit, const carom_toi_hits_f64 *out);
} toi_walls_kernel_f64;

#endif
