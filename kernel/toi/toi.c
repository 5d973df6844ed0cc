/* SPDX-License-Identifier: MIT
 * The public functions of carom/toi.h: arguments, floating-point environment, choice of the kernel.
 */
#include <carom/toi.h>

#include "base/fpenv.h"
#include "isa/isa.h"
#include "toi/kernel.h"

#define DECLARE(NAME, suffix)                                                                                          \
    extern const toi_kernel_f32 carom_toi_##suffix##_f32;                                                              \
    extern const toi_kernel_f64 carom_toi_##suffix##_f64;
#define ENTRY_F32(NAME, suffix) [CAROM_ISA_##NAME] = &carom_toi_##suffix##_f32,
#define ENTRY_F64(NAME, suffix) [CAROM_ISA_##NAME] = &carom_toi_##suffix##_f64,
CAROM_BUILT_ISAS(DECLARE)
static const toi_kernel_f32 *const kernels_f32[CAROM_ISA_COUNT] = {CAROM_BUILT_ISAS(ENTRY_F32)};
static const toi_kernel_f64 *const kernels_f64[CAROM_ISA_COUNT] = {CAROM_BUILT_ISAS(ENTRY_F64)};

/* The functions of one precision. */
#define TOI_FUNCTIONS(bits, real)                                                                                      \
    static bool complete_f##bits(size_t n, const carom_toi_pairs_f##bits *pairs, const void *output)                   \
    {                                                                                                                  \
        return pairs != NULL && (n == 0 || (output != NULL && pairs->px != NULL && pairs->py != NULL &&                \
                                            pairs->vx != NULL && pairs->vy != NULL && pairs->r != NULL));              \
    }                                                                                                                  \
                                                                                                                       \
    carom_status carom_toi_circles_f##bits(size_t n, const carom_toi_pairs_f##bits *pairs, real *t)                    \
    {                                                                                                                  \
        carom_isa isa;                                                                                                 \
        if (!complete_f##bits(n, pairs, t)) {                                                                          \
            return CAROM_ERROR_ARGUMENT;                                                                               \
        }                                                                                                              \
        const carom_status status = carom_isa_current(&isa);                                                           \
        if (status == CAROM_OK) {                                                                                      \
            const fp_environment caller = fp_begin();                                                                  \
            kernels_f##bits[isa]->circles(n, pairs, t);                                                                \
            fp_end(caller);                                                                                            \
        }                                                                                                              \
        return status;                                                                                                 \
    }                                                                                                                  \
                                                                                                                       \
    carom_status carom_toi_circles_within_f##bits(size_t n, const carom_toi_pairs_f##bits *pairs, real limit,          \
                                                  uint64_t *mask)                                                      \
    {                                                                                                                  \
        carom_isa isa;                                                                                                 \
        if (!complete_f##bits(n, pairs, mask)) {                                                                       \
            return CAROM_ERROR_ARGUMENT;                                                                               \
        }                                                                                                              \
        carom_status status = carom_isa_current(&isa);                                                                 \
        if (status == CAROM_OK) {                                                                                      \
            const fp_environment caller = fp_begin();                                                                  \
            status = kernels_f##bits[isa]->within(n, pairs, limit, mask);                                              \
            fp_end(caller);                                                                                            \
        }                                                                                                              \
        return status;                                                                                                 \
    }

TOI_FUNCTIONS(32, float)
TOI_FUNCTIONS(64, double)
