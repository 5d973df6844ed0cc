/* SPDX-License-Identifier: MIT
 * The public functions of carom/toi.h, toi_walls.h, toi_accelerated.h and toi_arcs.h: check the arguments, set the
 * floating-point environment and select the kernel. Compiled once per precision.
 */
#include <string.h>

#include "base/fpenv.h"
#include "dispatch/dispatch.h"
#include "toi/kernel.h"

/* PRECISE(carom_toi_pairs): carom_toi_pairs_f32 or carom_toi_pairs_f64. */
#if CAROM_REAL_BITS == 32
typedef float real;
#define PRECISE(name) name##_f32
#elif CAROM_REAL_BITS == 64
typedef double real;
#define PRECISE(name) name##_f64
#else
#error "define CAROM_REAL_BITS as 32 or 64"
#endif

typedef PRECISE(carom_toi_bodies) toi_bodies;
typedef PRECISE(carom_toi_segments) toi_segments;
typedef PRECISE(carom_toi_points) toi_points;
typedef PRECISE(carom_toi_boxes) toi_boxes;
typedef PRECISE(carom_toi_hits) toi_hits;

/* ---- arrays ---- */

/* With n > 0, no array may be NULL. */
static bool bodies_complete(size_t n, const toi_bodies *in)
{
    return in != NULL &&
           (n == 0 || (in->x != NULL && in->y != NULL && in->vx != NULL && in->vy != NULL && in->r != NULL));
}

static bool segments_complete(size_t n, const toi_segments *in)
{
    return in != NULL && (n == 0 || (in->ax != NULL && in->ay != NULL && in->bx != NULL && in->by != NULL));
}

static bool points_complete(size_t n, const toi_points *in)
{
    return in != NULL && (n == 0 || (in->x != NULL && in->y != NULL));
}

static bool boxes_complete(size_t n, const toi_boxes *in)
{
    return in != NULL && (n == 0 || (in->x0 != NULL && in->y0 != NULL && in->x1 != NULL && in->y1 != NULL));
}

/* Of the outputs, only the times are required. */
static bool hits_complete(size_t n, const toi_hits *out)
{
    return out != NULL && (n == 0 || out->t != NULL);
}

/* ---- circles ---- */

typedef PRECISE(carom_toi_pairs) toi_pairs;
typedef PRECISE(carom_toi_body) toi_body;
typedef PRECISE(carom_toi_contacts) toi_contacts;
typedef PRECISE(toi_input) toi_input;
typedef PRECISE(toi_solver) toi_solver;
typedef PRECISE(toi_kernel) toi_kernel;

CAROM_KERNELS(circle_kernels, toi_kernel, toi, PRECISE());
extern const toi_kernel PRECISE(carom_toi_scalar); /* the scalar kernel that every build has */

#define CHUNK 256 /* pairs whose times are buffered until the rest of their answers is computed */

/* Is every index in [0, count)? */
static bool in_range(size_t n, size_t count, const int32_t *index)
{
    uint32_t greatest = 0;
    for (size_t k = 0; k < n; k++) {
        const uint32_t value = (uint32_t)index[k]; /* negative indices become large */
        greatest = value > greatest ? value : greatest;
    }
    return n == 0 || (greatest < count && greatest <= INT32_MAX);
}

static bool pairs_complete(size_t n, const toi_pairs *in)
{
    return in != NULL &&
           (n == 0 || (in->px != NULL && in->py != NULL && in->vx != NULL && in->vy != NULL && in->r != NULL));
}

/* The input without its first k pairs. */
static toi_input input_at(const toi_input *in, toi_shape shape, size_t k)
{
    toi_input at = *in;
    if (shape == TOI_PAIRS) {
        at.pairs = (toi_pairs){in->pairs.px + k, in->pairs.py + k, in->pairs.vx + k, in->pairs.vy + k, in->pairs.r + k};
    } else if (shape == TOI_INDEXED) {
        at.i = in->i + k;
        at.j = in->j + k;
    } else {
        at.bodies =
            (toi_bodies){in->bodies.x + k, in->bodies.y + k, in->bodies.vx + k, in->bodies.vy + k, in->bodies.r + k};
    }
    return at;
}

/* The outputs without those of the first k pairs. */
static PRECISE(carom_toi_contacts) contacts_at(const toi_contacts *out, size_t k)
{
    const toi_contacts at = {
        out->t + k,
        out->entry != NULL ? out->entry + k : NULL,
        out->exit != NULL ? out->exit + k : NULL,
        out->nx != NULL ? out->nx + k : NULL,
        out->ny != NULL ? out->ny + k : NULL,
        out->xi != NULL ? out->xi + k : NULL,
        out->yi != NULL ? out->yi + k : NULL,
        out->xj != NULL ? out->xj + k : NULL,
        out->yj != NULL ? out->yj + k : NULL,
    };
    return at;
}

static bool only_times(const toi_contacts *out)
{
    return out->entry == NULL && out->exit == NULL && out->nx == NULL && out->ny == NULL && out->xi == NULL &&
           out->yi == NULL && out->xj == NULL && out->yj == NULL;
}

/* Finds the kernel of the current instruction set, and in it the solver of a variant; solvers with branches are
 * scalar. */
static carom_status find_solver(int variant, const toi_kernel **kernel, const toi_solver **solver)
{
    carom_isa isa;
    const int plain = variant & ~CAROM_TOI_BRANCHES;
    if (plain < 0 || plain >= CAROM_TOI_VARIANTS) {
        return CAROM_ERROR_ARGUMENT;
    }
    const carom_status status = carom_isa_current(&isa);
    if (status == CAROM_OK) {
        *kernel = circle_kernels[isa];
        *solver = variant != plain || plain == CAROM_TOI_POW ? &PRECISE(carom_toi_scalar).branches[plain]
                                                             : &(*kernel)->lanes[plain];
    }
    return status;
}

/* Solves pairs of any shape: times only, or all outputs chunk by chunk. */
static carom_status solve(int variant, size_t n, toi_shape shape, const toi_input *in, const toi_contacts *out)
{
    const toi_kernel *kernel;
    const toi_solver *solver;
    if (out == NULL || (n > 0 && out->t == NULL)) {
        return CAROM_ERROR_ARGUMENT;
    }

    const carom_status status = find_solver(variant, &kernel, &solver);
    if (status != CAROM_OK || n == 0) {
        return status;
    }

    const fp_environment caller = fp_begin();
    if (only_times(out)) {
        solver->times[shape](n, in, out->t);
    } else {
        /* Buffer a chunk's times until its contacts are done, since out->t may be one of the inputs. */
        for (size_t k = 0; k < n; k += CHUNK) {
            real t[CHUNK];
            const size_t count = n - k < CHUNK ? n - k : CHUNK;
            const toi_input part = input_at(in, shape, k);
            const toi_contacts to = contacts_at(out, k);
            solver->times[shape](count, &part, t);
            kernel->contacts[shape](count, &part, t, &to);
            memcpy(to.t, t, count * sizeof t[0]);
        }
    }

    fp_end(caller);
    return CAROM_OK;
}

carom_status PRECISE(carom_toi_circles)(int variant, size_t n, const toi_pairs *in, const toi_contacts *out)
{
    if (!pairs_complete(n, in)) {
        return CAROM_ERROR_ARGUMENT;
    }
    const toi_input input = {.pairs = *in};
    return solve(variant, n, TOI_PAIRS, &input, out);
}

carom_status PRECISE(carom_toi_circles_indexed)(int variant, size_t n, size_t count, const toi_bodies *bodies,
                                                const int32_t *i, const int32_t *j, const toi_contacts *out)
{
    if (!bodies_complete(n, bodies) || (n > 0 && (i == NULL || j == NULL)) || !in_range(n, count, i) ||
        !in_range(n, count, j)) {
        return CAROM_ERROR_ARGUMENT;
    }
    const toi_input input = {.bodies = *bodies, .i = i, .j = j};
    return solve(variant, n, TOI_INDEXED, &input, out);
}

carom_status PRECISE(carom_toi_circles_one)(int variant, const toi_body *one, size_t n, const toi_bodies *others,
                                            const toi_contacts *out)
{
    if (one == NULL || !bodies_complete(n, others)) {
        return CAROM_ERROR_ARGUMENT;
    }
    const toi_input input = {.bodies = *others, .one = *one};
    return solve(variant, n, TOI_ONE, &input, out);
}

carom_status PRECISE(carom_toi_circles_first)(int variant, size_t m, const toi_bodies *bodies, size_t n,
                                              const toi_bodies *others, real *t, int32_t *index)
{
    const toi_kernel *kernel;
    const toi_solver *solver;
    if (!bodies_complete(m, bodies) || !bodies_complete(n, others) || (m > 0 && (t == NULL || index == NULL)) ||
        n > INT32_MAX) {
        return CAROM_ERROR_ARGUMENT;
    }
    const carom_status status = find_solver(variant, &kernel, &solver);
    if (status == CAROM_OK) {
        const fp_environment caller = fp_begin();
        solver->first(m, bodies, n, others, t, index);
        fp_end(caller);
    }
    return status;
}

carom_status PRECISE(carom_toi_circles_within)(size_t n, const toi_pairs *in, real limit, uint64_t *mask)
{
    carom_isa isa;
    if (!pairs_complete(n, in) || (n > 0 && mask == NULL)) {
        return CAROM_ERROR_ARGUMENT;
    }
    carom_status status = carom_isa_current(&isa);
    if (status == CAROM_OK) {
        const fp_environment caller = fp_begin();
        status = circle_kernels[isa]->within(n, in, limit, mask);
        fp_end(caller);
    }
    return status;
}

/* ---- walls ---- */

typedef PRECISE(toi_walls_kernel) toi_walls_kernel;

CAROM_KERNELS(wall_kernels, toi_walls_kernel, toi_walls, PRECISE());

/* A polygon's features are numbered up to 2 m - 1, which must fit in an int32_t. */
#define MOST_CORNERS ((size_t)1 << 30)

/* The body of a public function: `complete` tells whether the walls are valid, `call` calls the kernel. */
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
        status = wall_kernels[isa]->call;                                                                              \
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

/* ---- accelerations ---- */

typedef PRECISE(carom_toi_motion) toi_motion;
typedef PRECISE(toi_accelerated_kernel) toi_accelerated_kernel;

CAROM_KERNELS(accelerated_kernels, toi_accelerated_kernel, toi_accelerated, PRECISE());

/* The body of a public function: `complete` tells whether its arguments are valid, `call` calls the kernel. */
#define ACCELERATED_CALL(complete, call)                                                                               \
    carom_isa isa;                                                                                                     \
    if (!(complete)) {                                                                                                 \
        return CAROM_ERROR_ARGUMENT;                                                                                   \
    }                                                                                                                  \
    carom_status status = carom_isa_current(&isa);                                                                     \
    if (status == CAROM_OK) {                                                                                          \
        const fp_environment caller = fp_begin();                                                                      \
        const toi_accelerated_kernel *const kernel = accelerated_kernels[isa];                                         \
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
    ACCELERATED_CALL((unsigned)variant < CAROM_QUARTIC_VARIANTS && motion_complete(n, in) && (n == 0 || t != NULL),
                     status = kernel->time(variant, n, in, limit, t));
}

carom_status PRECISE(carom_toi_accelerated_roots)(size_t n, const toi_motion *in, real *const roots[4], int32_t *count)
{
    ACCELERATED_CALL(motion_complete(n, in) && roots_complete(n, roots, count), kernel->roots(n, in, roots, count));
}

carom_status PRECISE(carom_toi_accelerated_line_roots)(size_t n, const toi_motion *in, const toi_segments *lines,
                                                       real *const roots[4], int32_t *count)
{
    ACCELERATED_CALL(motion_complete(n, in) && segments_complete(n, lines) && roots_complete(n, roots, count),
                     kernel->line_roots(n, in, lines, roots, count));
}

carom_status PRECISE(carom_toi_accelerated_point)(size_t n, const toi_motion *in, const toi_points *points, real limit,
                                                  const toi_hits *out)
{
    ACCELERATED_CALL(motion_complete(n, in) && hits_complete(n, out) && points_complete(n, points),
                     status = kernel->point(n, in, points, limit, out));
}

carom_status PRECISE(carom_toi_accelerated_segment)(size_t n, const toi_motion *in, const toi_segments *segments,
                                                    real limit, const toi_hits *out)
{
    ACCELERATED_CALL(motion_complete(n, in) && hits_complete(n, out) && segments_complete(n, segments),
                     status = kernel->segment(n, in, segments, limit, out));
}

carom_status PRECISE(carom_toi_accelerated_box)(size_t n, const toi_motion *in, const toi_boxes *boxes, real limit,
                                                const toi_hits *out)
{
    ACCELERATED_CALL(motion_complete(n, in) && hits_complete(n, out) && boxes_complete(n, boxes),
                     status = kernel->box(n, in, boxes, limit, out));
}

/* ---- arcs ---- */

typedef PRECISE(carom_toi_arcs) toi_arcs;
typedef PRECISE(toi_arcs_kernel) toi_arcs_kernel;

CAROM_KERNELS(arc_kernels, toi_arcs_kernel, toi_arcs, PRECISE());

static bool arcs_complete(size_t n, const toi_arcs *a)
{
    return a != NULL && (n == 0 || (a->x != NULL && a->y != NULL && a->radius != NULL && a->ax != NULL &&
                                    a->ay != NULL && a->bx != NULL && a->by != NULL));
}

/* The body of a public function, like ACCELERATED_CALL(). */
#define ARCS_CALL(complete, call)                                                                                      \
    carom_isa isa;                                                                                                     \
    if ((unsigned)sides > CAROM_ARC_WITHOUT || !(complete) || !arcs_complete(n, arcs) || !hits_complete(n, out)) {     \
        return CAROM_ERROR_ARGUMENT;                                                                                   \
    }                                                                                                                  \
    carom_status status = carom_isa_current(&isa);                                                                     \
    if (status == CAROM_OK) {                                                                                          \
        const fp_environment caller = fp_begin();                                                                      \
        status = arc_kernels[isa]->call;                                                                               \
        fp_end(caller);                                                                                                \
    }                                                                                                                  \
    return status

carom_status PRECISE(carom_toi_arc)(carom_arc_sides sides, bool holds, size_t n, const toi_bodies *circles,
                                    const toi_arcs *arcs, real limit, const toi_hits *out)
{
    ARCS_CALL(bodies_complete(n, circles), straight(sides, holds, n, circles, arcs, limit, out));
}

carom_status PRECISE(carom_toi_accelerated_arc)(carom_arc_sides sides, bool holds, size_t n, const toi_motion *in,
                                                const toi_arcs *arcs, real limit, const toi_hits *out)
{
    ARCS_CALL(motion_complete(n, in), accelerated(sides, holds, n, in, arcs, limit, out));
}
