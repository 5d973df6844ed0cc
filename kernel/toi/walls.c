/* SPDX-License-Identifier: MIT
 * The public functions of carom/toi_walls.h: arguments, floating-point environment, choice of the kernel. Compiled once
 * per precision.
 */
#include <carom/toi_walls.h>

#include "base/fpenv.h"
#include "dispatch/dispatch.h"
#include "toi/arguments.h"
#include "toi/kernel.h"

typedef PRECISE(toi_walls_kernel) toi_walls_kernel;

CAROM_KERNELS(kernels, toi_walls_kernel, toi_walls, PRECISE());

/* A polygon's features are numbered up to 2 m - 1, which has to fit in an int32_t. */
#define MOST_CORNERS ((size_t)1 << 30)

/* The body of a public function: `complete` tells whether the walls are valid, `call` is the call of the kernel. */
#define WALLS_CALL(complete, call)                                                                                     \
    carom_isa isa;                                                                                                     \
    if ((detection != CAROM_DETECTION_CONTINUOUS && detection != CAROM_DETECTION_DISCRETE) ||                          \
        !bodies_complete(n, circles) || !hits_complete(n, out) || !(complete)) {                                       \
        return CAROM_ERROR_ARGUMENT;                                                                                   \
    }                                                                                                                  \
    carom_status status = carom_isa_current(&isa);                                                                     \
    if (status == CAROM_OK) {                                                                                          \
        const bool discrete = detection == CAROM_DETECTION_DISCRETE;                                                   \
        const fp_environment caller = fp_begin();                                                                      \
        status = kernels[isa]->call;                                                                                   \
        fp_end(caller);                                                                                                \
    }                                                                                                                  \
    return status

carom_status PRECISE(carom_toi_line)(carom_detection detection, size_t n, const toi_bodies *circles,
                                     const toi_segments *walls, real limit, const toi_hits *out)
{
    WALLS_CALL(segments_complete(n, walls), line(discrete, n, circles, walls, limit, out));
}

carom_status PRECISE(carom_toi_segment)(carom_detection detection, size_t n, const toi_bodies *circles,
                                        const toi_segments *walls, real limit, const toi_hits *out)
{
    WALLS_CALL(segments_complete(n, walls), segment(discrete, n, circles, walls, limit, out));
}

carom_status PRECISE(carom_toi_point)(carom_detection detection, size_t n, const toi_bodies *circles,
                                      const toi_points *points, real limit, const toi_hits *out)
{
    WALLS_CALL(points_complete(n, points), point(discrete, n, circles, points, limit, out));
}

carom_status PRECISE(carom_toi_box)(carom_detection detection, size_t n, const toi_bodies *circles,
                                    const toi_boxes *boxes, real limit, const toi_hits *out)
{
    WALLS_CALL(boxes_complete(n, boxes), box(discrete, n, circles, boxes, limit, out));
}

carom_status PRECISE(carom_toi_polygon)(carom_detection detection, size_t n, const toi_bodies *circles, size_t m,
                                        const real *x, const real *y, real limit, const toi_hits *out)
{
    WALLS_CALL(m <= MOST_CORNERS && (m == 0 || (x != NULL && y != NULL)),
               polygon(discrete, n, circles, m, x, y, limit, out));
}
