/* SPDX-License-Identifier: MIT
 * The solvers of carom/toi.h: arguments, floating-point environment, choice of the kernel and the variant. Compiled
 * once per precision.
 */
#include <carom/toi.h>

#include "base/fpenv.h"
#include "dispatch/dispatch.h"
#include "toi/arguments.h"
#include "toi/kernel.h"

#include <string.h>

typedef PRECISE(carom_toi_pairs) toi_pairs;
typedef PRECISE(carom_toi_body) toi_body;
typedef PRECISE(carom_toi_contacts) toi_contacts;
typedef PRECISE(toi_input) toi_input;
typedef PRECISE(toi_solver) toi_solver;
typedef PRECISE(toi_kernel) toi_kernel;

CAROM_KERNELS(kernels, toi_kernel, toi, PRECISE());

#define CHUNK 256 /* pairs whose times wait in scratch for the rest of their answers */

/* Is every index in [0, count)? */
static bool in_range(size_t n, size_t count, const int32_t *index)
{
    uint32_t greatest = 0;
    for (size_t k = 0; k < n; k++) {
        const uint32_t value = (uint32_t)index[k]; /* negative ones become large */
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

/* Finds the kernel of the current instruction set, and in it the solver of a variant; those with branches are
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
        *kernel = kernels[isa];
        *solver = variant != plain || plain == CAROM_TOI_POW ? &kernels[CAROM_ISA_SCALAR]->branches[plain]
                                                             : &(*kernel)->lanes[plain];
    }
    return status;
}

/* Solves pairs of any shape: times alone, or chunk by chunk all outputs. */
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
        /* A chunk's times wait in a buffer until its contacts are done, for out->t may be one of the inputs. */
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
        status = kernels[isa]->within(n, in, limit, mask);
        fp_end(caller);
    }
    return status;
}
