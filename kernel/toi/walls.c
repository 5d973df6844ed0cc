/* SPDX-License-Identifier: MIT
 * The public functions of carom/toi_walls.h: arguments, floating-point environment, choice of the kernel.
 */
#include <carom/toi_walls.h>

#include "base/fpenv.h"
#include "isa/isa.h"
#include "toi/arguments.h"
#include "toi/walls_kernel.h"

#define DECLARE(NAME, suffix)                                                                                          \
    extern const toi_walls_kernel_f32 carom_toi_walls_##suffix##_f32;                                                  \
    extern const toi_walls_kernel_f64 carom_toi_walls_##suffix##_f64;
#define ENTRY_F32(NAME, suffix) [CAROM_ISA_##NAME] = &carom_toi_walls_##suffix##_f32,
#define ENTRY_F64(NAME, suffix) [CAROM_ISA_##NAME] = &carom_toi_walls_##suffix##_f64,
CAROM_BUILT_ISAS(DECLARE)
static const toi_walls_kernel_f32 *const kernels_f32[CAROM_ISA_COUNT] = {CAROM_BUILT_ISAS(ENTRY_F32)};
static const toi_walls_kernel_f64 *const kernels_f64[CAROM_ISA_COUNT] = {CAROM_BUILT_ISAS(ENTRY_F64)};

/* The polygon's features reach 2 m - 1. */
#define MOST_CORNERS ((size_t)1 << 30)

/* One of the functions: what the arguments are, whether the walls are complete, and the kernel's function. */
#define WALLS_CALL(bits, complete, call)                                                                               \
    carom_isa isa;                                                                                                     \
    if ((detection != CAROM_DETECTION_CONTINUOUS && detection != CAROM_DETECTION_DISCRETE) ||                          \
        !bodies_complete_f##bits(n, circles) || !hits_complete_f##bits(n, out) || !(complete)) {                       \
        return CAROM_ERROR_ARGUMENT;                                                                                   \
    }                                                                                                                  \
    carom_status status = carom_isa_current(&isa);                                                                     \
    if (status == CAROM_OK) {                                                                                          \
        const bool discrete = detection == CAROM_DETECTION_DISCRETE;                                                   \
        const fp_environment caller = fp_begin();                                                                      \
        status = kernels_f##bits[isa]->call;                                                                           \
        fp_end(caller);                                                                                                \
    }                                                                                                                  \
    return status;

/* The functions of one precision. */
#define WALLS_FUNCTIONS(bits, real)                                                                                    \
    carom_status carom_toi_line_f##bits(carom_detection detection, size_t n, const carom_toi_bodies_f##bits *circles,  \
                                        const carom_toi_segments_f##bits *walls, real limit,                           \
                                        const carom_toi_hits_f##bits *out){                                            \
        WALLS_CALL(bits, segments_complete_f##bits(n, walls), line(discrete, n, circles, walls, limit, out))}          \
                                                                                                                       \
    carom_status carom_toi_segment_f##bits(                                                                            \
        carom_detection detection, size_t n, const carom_toi_bodies_f##bits *circles,                                  \
        const carom_toi_segments_f##bits *walls, real limit, const carom_toi_hits_f##bits *out){                       \
        WALLS_CALL(bits, segments_complete_f##bits(n, walls), segment(discrete, n, circles, walls, limit, out))}       \
                                                                                                                       \
    carom_status carom_toi_point_f##bits(carom_detection detection, size_t n, const carom_toi_bodies_f##bits *circles, \
                                         const carom_toi_points_f##bits *points, real limit,                           \
                                         const carom_toi_hits_f##bits *out){                                           \
        WALLS_CALL(bits, points_complete_f##bits(n, points), point(discrete, n, circles, points, limit, out))}         \
                                                                                                                       \
    carom_status carom_toi_box_f##bits(carom_detection detection, size_t n, const carom_toi_bodies_f##bits *circles,   \
                                       const carom_toi_boxes_f##bits *boxes, real limit,                               \
                                       const carom_toi_hits_f##bits *out){                                             \
        WALLS_CALL(bits, boxes_complete_f##bits(n, boxes), box(discrete, n, circles, boxes, limit, out))}              \
                                                                                                                       \
    carom_status carom_toi_polygon_f##bits(carom_detection detection, size_t n,                                        \
                                           const carom_toi_bodies_f##bits *circles, size_t m, const real *x,           \
                                           const real *y, real limit, const carom_toi_hits_f##bits *out)               \
    {                                                                                                                  \
        WALLS_CALL(bits, m <= MOST_CORNERS && (m == 0 || (x != NULL && y != NULL)),                                    \
                   polygon(discrete, n, circles, m, x, y, limit, out))                                                 \
    }

WALLS_FUNCTIONS(32, float)
WALLS_FUNCTIONS(64, double)
