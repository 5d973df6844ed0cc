/* SPDX-License-Identifier: MIT
 * The table of the game csb.
 */
#include "games/csb/csb.h"

#include "isa/isa.h"

/* Tiles in memory are exactly what kernels see: see worlds/type.h. */
#define SPEC(type, name, count, role) {#name, type, CAROM_ROLE_##role, count},
#define SPEC_REAL(name, count, role) SPEC(CAROM_TYPE_REAL, name, count, role)
#define SPEC_INT32(name, count, role) SPEC(CAROM_TYPE_INT32, name, count, role)
#define SPEC_INT16(name, count, role) SPEC(CAROM_TYPE_INT16, name, count, role)
#define SPEC_INT8(name, count, role) SPEC(CAROM_TYPE_INT8, name, count, role)
static const field_spec fields[] = {CSB_REAL_FIELDS(SPEC_REAL) CSB_INT32_FIELDS(SPEC_INT32) CSB_INT16_FIELDS(SPEC_INT16)
                                        CSB_INT8_FIELDS(SPEC_INT8)};

static const carom_action_kind kinds[CSB_KINDS] = {
    [CSB_RELATIVE] = {"relative", CAROM_F32, 4},
    [CSB_REFEREE] = {"referee", CAROM_F64, 6},
    [CSB_NORMALISED] = {"normalised", CAROM_F32, 4},
};

static const char *const policies[] = {"race", "random", "ram", "pile"}; /* in the order of policy.c */

#define DECLARE(NAME, suffix) extern const csb_kernel carom_csb_##suffix##_f32, carom_csb_##suffix##_f64;
CAROM_BUILT_ISAS(DECLARE)

static const csb_kernel *kernel_of(carom_isa isa, carom_precision precision)
{
#define ENTRY(NAME, suffix) [CAROM_ISA_##NAME] = {&carom_csb_##suffix##_f32, &carom_csb_##suffix##_f64},
    static const csb_kernel *const table[CAROM_ISA_COUNT][2] = {CAROM_BUILT_ISAS(ENTRY)};
    return table[isa][precision == CAROM_F64];
}

static const game_kernel *game_kernel_of(carom_isa isa, carom_precision precision)
{
    const csb_kernel *kernel = kernel_of(isa, precision);
    return kernel != NULL ? &kernel->game : NULL;
}

/* Single worlds are handled at width 1, which is always there. */
static void start(const void *context, carom_precision precision, uint64_t seed, void *tile, unsigned lane)
{
    kernel_of(CAROM_ISA_SCALAR, precision)->start((const csb_context *)context, seed, tile, lane);
}

static bool check(const void *context, carom_precision precision, const void *tile, unsigned lane)
{
    return kernel_of(CAROM_ISA_SCALAR, precision)->check((const csb_context *)context, tile, lane);
}

static void derive(const void *context, carom_precision precision, void *tile, unsigned lane)
{
    kernel_of(CAROM_ISA_SCALAR, precision)->derive((const csb_context *)context, tile, lane);
}

static size_t scratch_bytes(const carom_worlds_desc *desc)
{
    return carom_game_play_bytes(desc->game, CSB_SCRATCH_BYTES);
}

const carom_game carom_game_csb = {
    .type =
        {
            .name = "csb",
            .fields = fields,
            .field_count = sizeof fields / sizeof fields[0],
            .context_bytes = carom_csb_context_bytes,
            .context_create = carom_csb_context_create,
            .context_destroy = carom_csb_context_destroy,
            .context_hash = carom_csb_context_hash,
            .start = start,
            .check = check,
            .derive = derive,
            .scratch_bytes = scratch_bytes,
        },
    .info =
        {
            .name = "csb",
            .title = "Coders Strike Back",
            .players = 2,
            .bodies = CSB_PODS,
            .max_events = CSB_SUBSTEPS - 1,
            .observation_size = CAROM_CSB_OBSERVATION,
            .action_kinds = CSB_KINDS,
            .policies = sizeof policies / sizeof policies[0],
            .counts = "checkpoints passed",
        },
    .kinds = kinds,
    .policies = policies,
    .scratch_bytes = CSB_SCRATCH_BYTES,
    .kernel = game_kernel_of,
    .policy = carom_csb_policy,
};
