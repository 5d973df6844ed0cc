/* SPDX-License-Identifier: MIT
 * The public functions of carom/toi.h: arguments, floating-point environment, choice of the kernel and the variant.
 */
#include <carom/toi.h>

#include "base/fpenv.h"
#include "isa/isa.h"
#include "toi/arguments.h"
#include "toi/kernel.h"

#include <string.h>

#define DECLARE(NAME, suffix)                                                                                          \
    extern const toi_kernel_f32 carom_toi_##suffix##_f32;                                                              \
    extern const toi_kernel_f64 carom_toi_##suffix##_f64;
#define ENTRY_F32(NAME, suffix) [CAROM_ISA_##NAME] = &carom_toi_##suffix##_f32,
#define ENTRY_F64(NAME, suffix) [CAROM_ISA_##NAME] = &carom_toi_##suffix##_f64,
CAROM_BUILT_ISAS(DECLARE)
static const toi_kernel_f32 *const kernels_f32[CAROM_ISA_COUNT] = {CAROM_BUILT_ISAS(ENTRY_F32)};
static const toi_kernel_f64 *const kernels_f64[CAROM_ISA_COUNT] = {CAROM_BUILT_ISAS(ENTRY_F64)};

/* ---- variants ---- */

static const carom_toi_variant_info variants[CAROM_TOI_VARIANTS] = {
    [CAROM_TOI_POW] = {"pow", "b*b - 4*a*c, a call to pow() for every square", false, false},
    [CAROM_TOI_POW_FOLDED] = {"pow-folded", "the same as compilers may fold it: x*x for every pow(x, 2)", true, true},
    [CAROM_TOI_TEXTBOOK] = {"textbook", "(-B - sqrt(B*B - 4*A*C)) / (2*A)", true, true},
    [CAROM_TOI_COMPONENTS] = {"components", "b*b - a*c, (-b - sqrt d) / a, in coordinates", true, true},
    [CAROM_TOI_DOT] = {"dot", "the same arithmetic as dot products", true, true},
    [CAROM_TOI_HALF_B] = {"half-b", "b*b - a*c, -(b + sqrt d) / a", true, true},
    [CAROM_TOI_CITARDAUQ] = {"citardauq", "b*b - a*c, c / (-b + sqrt d)", true, true},
    [CAROM_TOI_CROSS] = {"cross", "r*r*a - (p x v)^2, (-b - sqrt d) / a", true, true},
    [CAROM_TOI_CROSS_CITARDAUQ] = {"cross-citardauq", "r*r*a - (p x v)^2, c / (-b + sqrt d)", true, true},
    [CAROM_TOI_FMA_KAHAN] = {"fma-kahan", "b*b - a*c by error-free products, c / (-b + sqrt d)", true, true},
    [CAROM_TOI_ACCURATE] = {"accurate", "b, c and d in twice the precision, c / (-b + sqrt d)", true, true},
    [CAROM_TOI_RSQRT_NEWTON] = {"rsqrt-newton", "approximate root and quotient by Newton's steps", true, false},
    [CAROM_TOI_NORMALISED] = {"normalised", "swept test: the fraction of the tick, both roots looked at", true, true},
    [CAROM_TOI_BACKWARD] = {"backward", "time since impact, the earlier root where it is not positive", true, true},
};

const carom_toi_variant_info *carom_toi_variant_describe(int variant)
{
    const int plain = variant & ~CAROM_TOI_BRANCHES;
    return plain >= 0 && plain < CAROM_TOI_VARIANTS ? &variants[plain] : NULL;
}

carom_status carom_toi_variant_find(const char *name, int *variant)
{
    if (name == NULL || variant == NULL) {
        return CAROM_ERROR_ARGUMENT;
    }
    const char *slash = strchr(name, '/');
    const size_t length = slash != NULL ? (size_t)(slash - name) : strlen(name);
    if (slash != NULL && strcmp(slash, "/branches") != 0) {
        return CAROM_ERROR_ARGUMENT;
    }
    int found = length == 4 && memcmp(name, "fast", 4) == 0 ? CAROM_TOI_FAST : -1;
    for (int v = 0; v < CAROM_TOI_VARIANTS && found < 0; v++) {
        if (strlen(variants[v].name) == length && memcmp(name, variants[v].name, length) == 0) {
            found = v;
        }
    }
    if (found < 0) {
        return CAROM_ERROR_ARGUMENT;
    }
    *variant = slash != NULL ? found | CAROM_TOI_BRANCHES : found;
    return CAROM_OK;
}

/* ---- solvers ---- */

#define CHUNK 256 /* pairs whose times wait in scratch for the rest of their answers */

/* No index is outside [0, count). */
static bool in_range(size_t n, size_t count, const int32_t *index)
{
    uint32_t greatest = 0;
    for (size_t k = 0; k < n; k++) {
        const uint32_t value = (uint32_t)index[k]; /* a negative one is great */
        greatest = value > greatest ? value : greatest;
    }
    return n == 0 || (greatest < count && greatest <= INT32_MAX);
}

/* The functions of one precision. */
#define TOI_FUNCTIONS(bits, real)                                                                                      \
    static bool pairs_complete_f##bits(size_t n, const carom_toi_pairs_f##bits *in)                                    \
    {                                                                                                                  \
        return in != NULL &&                                                                                           \
               (n == 0 || (in->px != NULL && in->py != NULL && in->vx != NULL && in->vy != NULL && in->r != NULL));    \
    }                                                                                                                  \
                                                                                                                       \
    /* The input of the pairs from the k-th on. */                                                                     \
    static toi_input_f##bits input_at_f##bits(const toi_input_f##bits *in, toi_shape shape, size_t k)                  \
    {                                                                                                                  \
        toi_input_f##bits at = *in;                                                                                    \
        if (shape == TOI_PAIRS) {                                                                                      \
            at.pairs = (carom_toi_pairs_f##bits){in->pairs.px + k, in->pairs.py + k, in->pairs.vx + k,                 \
                                                 in->pairs.vy + k, in->pairs.r + k};                                   \
        } else if (shape == TOI_INDEXED) {                                                                             \
            at.i = in->i + k;                                                                                          \
            at.j = in->j + k;                                                                                          \
        } else {                                                                                                       \
            at.bodies = (carom_toi_bodies_f##bits){in->bodies.x + k, in->bodies.y + k, in->bodies.vx + k,              \
                                                   in->bodies.vy + k, in->bodies.r + k};                               \
        }                                                                                                              \
        return at;                                                                                                     \
    }                                                                                                                  \
                                                                                                                       \
    static carom_toi_contacts_f##bits contacts_at_f##bits(const carom_toi_contacts_f##bits *out, size_t k)             \
    {                                                                                                                  \
        const carom_toi_contacts_f##bits at = {                                                                        \
            out->t + k,                                                                                                \
            out->entry != NULL ? out->entry + k : NULL,                                                                \
            out->exit != NULL ? out->exit + k : NULL,                                                                  \
            out->nx != NULL ? out->nx + k : NULL,                                                                      \
            out->ny != NULL ? out->ny + k : NULL,                                                                      \
            out->xi != NULL ? out->xi + k : NULL,                                                                      \
            out->yi != NULL ? out->yi + k : NULL,                                                                      \
            out->xj != NULL ? out->xj + k : NULL,                                                                      \
            out->yj != NULL ? out->yj + k : NULL,                                                                      \
        };                                                                                                             \
        return at;                                                                                                     \
    }                                                                                                                  \
                                                                                                                       \
    static bool only_times_f##bits(const carom_toi_contacts_f##bits *out)                                              \
    {                                                                                                                  \
        return out->entry == NULL && out->exit == NULL && out->nx == NULL && out->ny == NULL && out->xi == NULL &&     \
               out->yi == NULL && out->xj == NULL && out->yj == NULL;                                                  \
    }                                                                                                                  \
                                                                                                                       \
    static carom_status solver_f##bits(int variant, const toi_kernel_f##bits **kernel,                                 \
                                       const toi_solver_f##bits **solver)                                              \
    {                                                                                                                  \
        carom_isa isa;                                                                                                 \
        const int plain = variant & ~CAROM_TOI_BRANCHES;                                                               \
        if (plain < 0 || plain >= CAROM_TOI_VARIANTS) {                                                                \
            return CAROM_ERROR_ARGUMENT;                                                                               \
        }                                                                                                              \
        const carom_status status = carom_isa_current(&isa);                                                           \
        if (status == CAROM_OK) {                                                                                      \
            *kernel = kernels_f##bits[isa];                                                                            \
            *solver = variant != plain || plain == CAROM_TOI_POW ? &kernels_f##bits[CAROM_ISA_SCALAR]->branches[plain] \
                                                                 : &(*kernel)->lanes[plain];                           \
        }                                                                                                              \
        return status;                                                                                                 \
    }                                                                                                                  \
                                                                                                                       \
    static carom_status solve_f##bits(int variant, size_t n, toi_shape shape, const toi_input_f##bits *in,             \
                                      const carom_toi_contacts_f##bits *out)                                           \
    {                                                                                                                  \
        const toi_kernel_f##bits *kernel;                                                                              \
        const toi_solver_f##bits *solver;                                                                              \
        if (out == NULL || (n > 0 && out->t == NULL)) {                                                                \
            return CAROM_ERROR_ARGUMENT;                                                                               \
        }                                                                                                              \
        const carom_status status = solver_f##bits(variant, &kernel, &solver);                                         \
        if (status != CAROM_OK || n == 0) {                                                                            \
            return status;                                                                                             \
        }                                                                                                              \
        const fp_environment caller = fp_begin();                                                                      \
        if (only_times_f##bits(out)) {                                                                                 \
            solver->times[shape](n, in, out->t);                                                                       \
        } else {                                                                                                       \
            for (size_t k = 0; k < n; k += CHUNK) {                                                                    \
                real t[CHUNK]; /* out->t may be an input that is still to be read */                                   \
                const size_t count = n - k < CHUNK ? n - k : CHUNK;                                                    \
                const toi_input_f##bits part = input_at_f##bits(in, shape, k);                                         \
                const carom_toi_contacts_f##bits to = contacts_at_f##bits(out, k);                                     \
                solver->times[shape](count, &part, t);                                                                 \
                kernel->contacts[shape](count, &part, t, &to);                                                         \
                memcpy(to.t, t, count * sizeof t[0]);                                                                  \
            }                                                                                                          \
        }                                                                                                              \
        fp_end(caller);                                                                                                \
        return CAROM_OK;                                                                                               \
    }                                                                                                                  \
                                                                                                                       \
    carom_status carom_toi_circles_f##bits(int variant, size_t n, const carom_toi_pairs_f##bits *in,                   \
                                           const carom_toi_contacts_f##bits *out)                                      \
    {                                                                                                                  \
        if (!pairs_complete_f##bits(n, in)) {                                                                          \
            return CAROM_ERROR_ARGUMENT;                                                                               \
        }                                                                                                              \
        const toi_input_f##bits input = {.pairs = *in};                                                                \
        return solve_f##bits(variant, n, TOI_PAIRS, &input, out);                                                      \
    }                                                                                                                  \
                                                                                                                       \
    carom_status carom_toi_circles_indexed_f##bits(int variant, size_t n, size_t count,                                \
                                                   const carom_toi_bodies_f##bits *bodies, const int32_t *i,           \
                                                   const int32_t *j, const carom_toi_contacts_f##bits *out)            \
    {                                                                                                                  \
        if (!bodies_complete_f##bits(n, bodies) || (n > 0 && (i == NULL || j == NULL)) || !in_range(n, count, i) ||    \
            !in_range(n, count, j)) {                                                                                  \
            return CAROM_ERROR_ARGUMENT;                                                                               \
        }                                                                                                              \
        const toi_input_f##bits input = {.bodies = *bodies, .i = i, .j = j};                                           \
        return solve_f##bits(variant, n, TOI_INDEXED, &input, out);                                                    \
    }                                                                                                                  \
                                                                                                                       \
    carom_status carom_toi_circles_one_f##bits(int variant, const carom_toi_body_f##bits *one, size_t n,               \
                                               const carom_toi_bodies_f##bits *others,                                 \
                                               const carom_toi_contacts_f##bits *out)                                  \
    {                                                                                                                  \
        if (one == NULL || !bodies_complete_f##bits(n, others)) {                                                      \
            return CAROM_ERROR_ARGUMENT;                                                                               \
        }                                                                                                              \
        const toi_input_f##bits input = {.bodies = *others, .one = *one};                                              \
        return solve_f##bits(variant, n, TOI_ONE, &input, out);                                                        \
    }                                                                                                                  \
                                                                                                                       \
    carom_status carom_toi_circles_first_f##bits(int variant, size_t m, const carom_toi_bodies_f##bits *bodies,        \
                                                 size_t n, const carom_toi_bodies_f##bits *others, real *t,            \
                                                 int32_t *index)                                                       \
    {                                                                                                                  \
        const toi_kernel_f##bits *kernel;                                                                              \
        const toi_solver_f##bits *solver;                                                                              \
        if (!bodies_complete_f##bits(m, bodies) || !bodies_complete_f##bits(n, others) ||                              \
            (m > 0 && (t == NULL || index == NULL)) || n > INT32_MAX) {                                                \
            return CAROM_ERROR_ARGUMENT;                                                                               \
        }                                                                                                              \
        const carom_status status = solver_f##bits(variant, &kernel, &solver);                                         \
        if (status == CAROM_OK) {                                                                                      \
            const fp_environment caller = fp_begin();                                                                  \
            solver->first(m, bodies, n, others, t, index);                                                             \
            fp_end(caller);                                                                                            \
        }                                                                                                              \
        return status;                                                                                                 \
    }                                                                                                                  \
                                                                                                                       \
    carom_status carom_toi_circles_within_f##bits(size_t n, const carom_toi_pairs_f##bits *in, real limit,             \
                                                  uint64_t *mask)                                                      \
    {                                                                                                                  \
        carom_isa isa;                                                                                                 \
        if (!pairs_complete_f##bits(n, in) || (n > 0 && mask == NULL)) {                                               \
            return CAROM_ERROR_ARGUMENT;                                                                               \
        }                                                                                                              \
        carom_status status = carom_isa_current(&isa);                                                                 \
        if (status == CAROM_OK) {                                                                                      \
            const fp_environment caller = fp_begin();                                                                  \
            status = kernels_f##bits[isa]->within(n, in, limit, mask);                                                 \
            fp_end(caller);                                                                                            \
        }                                                                                                              \
        return status;                                                                                                 \
    }

TOI_FUNCTIONS(32, float)
TOI_FUNCTIONS(64, double)
