/* SPDX-License-Identifier: MIT
 * What toi/kernel.c exports, once for every instruction set and precision, as carom_toi_<isa>_f<bits>. The functions
 * are those of carom/toi.h, in the default floating-point environment; no pointer is null. The limit is checked here,
 * where no compiler can move the comparison out of that environment (a tiny negative number passes for 0 where
 * denormals do).
 */
#ifndef CAROM_TOI_KERNEL_H
#define CAROM_TOI_KERNEL_H

#include <carom/toi.h>

typedef struct toi_kernel_f32 {
    void (*circles)(size_t n, const carom_toi_pairs_f32 *pairs, float *t);
    carom_status (*within)(size_t n, const carom_toi_pairs_f32 *pairs, float limit, uint64_t *mask);
} toi_kernel_f32;

typedef struct toi_kernel_f64 {
    void (*circles)(size_t n, const carom_toi_pairs_f64 *pairs, double *t);
    carom_status (*within)(size_t n, const carom_toi_pairs_f64 *pairs, double limit, uint64_t *mask);
} toi_kernel_f64;

#endif
