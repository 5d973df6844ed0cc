/* SPDX-License-Identifier: MIT
 * The public functions of carom/toi_accelerated.h: arguments, floating-point environment, choice of the kernel.
 */
#include <carom/toi_accelerated.h>

#include "base/fpenv.h"
#include "isa/isa.h"
#include "toi/accelerated_kernel.h"
#include "toi/arguments.h"

#define DECLARE(NAME, suffix)                                                                                          \
    extern const toi_accelerated_kernel_f32 carom_toi_accelerated_##suffix##_f32;                                      \
    extern const toi_accelerated_kernel_f64 carom_toi_accelerated_##suffix##_f64;
#define ENTRY_F32(NAME, suffix) [CAROM_ISA_##NAME] = &carom_toi_accelerated_##suffix##_f32,
#define ENTRY_F64(NAME, suffix) [CAROM_ISA_##NAME] = &carom_toi_accelerated_##suffix##_f64,
CAROM_BUILT_ISAS(DECLARE)
static const toi_accelerated_kernel_f32 *const kernels_f32[CAROM_ISA_COUNT] = {CAROM_BUILT_ISAS(ENTRY_F32)};
static const toi_accelerated_kernel_f64 *const kernels_f64[CAROM_ISA_COUNT] = {CAROM_BUILT_ISAS(ENTRY_F64)};

/* One public function: `complete` says whether its arguments are, `call` calls `kernel`. */
#define GUARDED(bits, complete, call)                                                                                  \
    carom_isa isa;                                                                                                     \
    if (!(complete)) {                                                                                                 \
        return CAROM_ERROR_ARGUMENT;                                                                                   \
    }                                                                                                                  \
    carom_status status = carom_isa_current(&isa);                                                                     \
    if (status == CAROM_OK) {                                                                                          \
        const fp_environment caller = fp_begin();                                                                      \
        const toi_accelerated_kernel_f##bits *const kernel = kernels_f##bits[isa];                                     \
        call;                                                                                                          \
        fp_end(caller);                                                                                                \
    }                                                                                                                  \
    return status

/* The functions of one precision. */
#define TOI_FUNCTIONS(bits, real)                                                                                      \
    static bool motion_complete_f##bits(size_t n, const carom_toi_motion_f##bits *m)                                   \
    {                                                                                                                  \
        return m != NULL && (n == 0 || (m->px != NULL && m->py != NULL && m->vx != NULL && m->vy != NULL &&            \
                                        m->ax != NULL && m->ay != NULL && m->r != NULL));                              \
    }                                                                                                                  \
                                                                                                                       \
    static bool roots_complete_f##bits(size_t n, real *const roots[4], const int32_t *count)                           \
    {                                                                                                                  \
        return roots != NULL && (n == 0 || (roots[0] != NULL && roots[1] != NULL && roots[2] != NULL &&                \
                                            roots[3] != NULL && count != NULL));                                       \
    }                                                                                                                  \
                                                                                                                       \
    carom_status carom_toi_accelerated_f##bits(carom_toi_quartic variant, size_t n,                                    \
                                               const carom_toi_motion_f##bits *in, real limit, real *t)                \
    {                                                                                                                  \
        GUARDED(bits,                                                                                                  \
                (unsigned)variant < CAROM_QUARTIC_VARIANTS && motion_complete_f##bits(n, in) && (n == 0 || t != NULL), \
                status = kernel->time(variant, n, in, limit, t));                                                      \
    }                                                                                                                  \
                                                                                                                       \
    carom_status carom_toi_accelerated_roots_f##bits(size_t n, const carom_toi_motion_f##bits *in,                     \
                                                     real *const roots[4], int32_t *count)                             \
    {                                                                                                                  \
        GUARDED(bits, motion_complete_f##bits(n, in) && roots_complete_f##bits(n, roots, count),                       \
                kernel->roots(n, in, roots, count));                                                                   \
    }                                                                                                                  \
                                                                                                                       \
    carom_status carom_toi_accelerated_line_roots_f##bits(size_t n, const carom_toi_motion_f##bits *in,                \
                                                          const carom_toi_segments_f##bits *lines,                     \
                                                          real *const roots[4], int32_t *count)                        \
    {                                                                                                                  \
        GUARDED(bits,                                                                                                  \
                motion_complete_f##bits(n, in) && segments_complete_f##bits(n, lines) &&                               \
                    roots_complete_f##bits(n, roots, count),                                                           \
                kernel->line_roots(n, in, lines, roots, count));                                                       \
    }                                                                                                                  \
                                                                                                                       \
    carom_status carom_toi_accelerated_point_f##bits(size_t n, const carom_toi_motion_f##bits *in,                     \
                                                     const carom_toi_points_f##bits *points, real limit,               \
                                                     const carom_toi_hits_f##bits *out)                                \
    {                                                                                                                  \
        GUARDED(bits,                                                                                                  \
                motion_complete_f##bits(n, in) && hits_complete_f##bits(n, out) && points_complete_f##bits(n, points), \
                status = kernel->point(n, in, points, limit, out));                                                    \
    }                                                                                                                  \
                                                                                                                       \
    carom_status carom_toi_accelerated_segment_f##bits(size_t n, const carom_toi_motion_f##bits *in,                   \
                                                       const carom_toi_segments_f##bits *segments, real limit,         \
                                                       const carom_toi_hits_f##bits *out)                              \
    {                                                                                                                  \
        GUARDED(bits,                                                                                                  \
                motion_complete_f##bits(n, in) && hits_complete_f##bits(n, out) &&                                     \
                    segments_complete_f##bits(n, segments),                                                            \
                status = kernel->segment(n, in, segments, limit, out));                                                \
    }                                                                                                                  \
                                                                                                                       \
    carom_status carom_toi_accelerated_box_f##bits(size_t n, const carom_toi_motion_f##bits *in,                       \
                                                   const carom_toi_boxes_f##bits *boxes, real limit,                   \
                                                   const carom_toi_hits_f##bits *out)                                  \
    {                                                                                                                  \
        GUARDED(bits,                                                                                                  \
                motion_complete_f##bits(n, in) && hits_complete_f##bits(n, out) && boxes_complete_f##bits(n, boxes),   \
                status = kernel->box(n, in, boxes, limit, out));                                                       \
    }

TOI_FUNCTIONS(32, float)
TOI_FUNCTIONS(64, double)
