/* SPDX-License-Identifier: MIT
 * The public functions of carom/toi_accelerated.h: arguments, floating-point environment, choice of the kernel.
 * Compiled once per precision.
 */
#include <carom/toi_accelerated.h>

#include "base/fpenv.h"
#include "dispatch/dispatch.h"
#include "toi/kernel.h"
#include "toi/arguments.h"

typedef PRECISE(carom_toi_motion) toi_motion;
typedef PRECISE(toi_accelerated_kernel) toi_accelerated_kernel;

CAROM_KERNELS(kernels, toi_accelerated_kernel, toi_accelerated, PRECISE());

/* The body of a public function: `complete` tells whether its arguments are valid, `call` calls the kernel. */
#define GUARDED(complete, call)                                                                                        \
    carom_isa isa;                                                                                                     \
    if (!(complete)) {                                                                                                 \
        return CAROM_ERROR_ARGUMENT;                                                                                   \
    }                                                                                                                  \
    carom_status status = carom_isa_current(&isa);                                                                     \
    if (status == CAROM_OK) {                                                                                          \
        const fp_environment caller = fp_begin();                                                                      \
        const toi_accelerated_kernel *const kernel = kernels[isa];                                                     \
        call;                                                                                                          \
        fp_end(caller);                                                                                                \
    }                                                                                                                  \
    return status

static bool motion_complete(size_t n, const toi_motion *m)
{
    return m != NULL && (n == 0 || (m->px != NULL && m->py != NULL && m->vx != NULL && m->vy != NULL && m->ax != NULL &&
                                    m->ay != NULL && m->r != NULL));
}

static bool roots_complete(size_t n, real *const roots[4], const int32_t *count)
{
    return roots != NULL &&
           (n == 0 || (roots[0] != NULL && roots[1] != NULL && roots[2] != NULL && roots[3] != NULL && count != NULL));
}

carom_status PRECISE(carom_toi_accelerated)(carom_toi_quartic variant, size_t n, const toi_motion *in, real limit,
                                            real *t)
{
    GUARDED((unsigned)variant < CAROM_QUARTIC_VARIANTS && motion_complete(n, in) && (n == 0 || t != NULL),
            status = kernel->time(variant, n, in, limit, t));
}

carom_status PRECISE(carom_toi_accelerated_roots)(size_t n, const toi_motion *in, real *const roots[4], int32_t *count)
{
    GUARDED(motion_complete(n, in) && roots_complete(n, roots, count), kernel->roots(n, in, roots, count));
}

carom_status PRECISE(carom_toi_accelerated_line_roots)(size_t n, const toi_motion *in, const toi_segments *lines,
                                                       real *const roots[4], int32_t *count)
{
    GUARDED(motion_complete(n, in) && segments_complete(n, lines) && roots_complete(n, roots, count),
            kernel->line_roots(n, in, lines, roots, count));
}

carom_status PRECISE(carom_toi_accelerated_point)(size_t n, const toi_motion *in, const toi_points *points, real limit,
                                                  const toi_hits *out)
{
    GUARDED(motion_complete(n, in) && hits_complete(n, out) && points_complete(n, points),
            status = kernel->point(n, in, points, limit, out));
}

carom_status PRECISE(carom_toi_accelerated_segment)(size_t n, const toi_motion *in, const toi_segments *segments,
                                                    real limit, const toi_hits *out)
{
    GUARDED(motion_complete(n, in) && hits_complete(n, out) && segments_complete(n, segments),
            status = kernel->segment(n, in, segments, limit, out));
}

carom_status PRECISE(carom_toi_accelerated_box)(size_t n, const toi_motion *in, const toi_boxes *boxes, real limit,
                                                const toi_hits *out)
{
    GUARDED(motion_complete(n, in) && hits_complete(n, out) && boxes_complete(n, boxes),
            status = kernel->box(n, in, boxes, limit, out));
}
