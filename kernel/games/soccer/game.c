/* SPDX-License-Identifier: MIT
 * The table of the game soccer.
 */
#include "games/soccer/soccer.h"
#include "isa/isa.h"

/* Tiles in memory are exactly what kernels see: see worlds/type.h. */
#define SPEC(type, name, count, role) {#name, type, CAROM_ROLE_##role, count},
#define SPEC_REAL(name, count, role) SPEC(CAROM_TYPE_REAL, name, count, role)
#define SPEC_INT32(name, count, role) SPEC(CAROM_TYPE_INT32, name, count, role)
#define SPEC_INT16(name, count, role) SPEC(CAROM_TYPE_INT16, name, count, role)
#define SPEC_INT8(name, count, role) SPEC(CAROM_TYPE_INT8, name, count, role)
static const field_spec fields[] = {SOCCER_REAL_FIELDS(SPEC_REAL) SOCCER_INT32_FIELDS(SPEC_INT32)
                                        SOCCER_INT16_FIELDS(SPEC_INT16) SOCCER_INT8_FIELDS(SPEC_INT8)};

static const carom_action_kind kinds[SOCCER_KINDS] = {
    [SOCCER_NORMALISED] = {"normalised", CAROM_F32, SOCCER_TEAM *SOCCER_NUMBERS},
    [SOCCER_METRIC] = {"metric", CAROM_F32, SOCCER_TEAM *SOCCER_NUMBERS},
};

static const char *const policies[] = {"striker", "random"}; /* in the order of policy.c */

#define DECLARE(NAME, suffix) extern const soccer_kernel carom_soccer_##suffix##_f32, carom_soccer_##suffix##_f64;
CAROM_BUILT_ISAS(DECLARE)

static const soccer_kernel *kernel_of(carom_isa isa, carom_precision precision)
{
#define ENTRY(NAME, suffix) [CAROM_ISA_##NAME] = {&carom_soccer_##suffix##_f32, &carom_soccer_##suffix##_f64},
    static const soccer_kernel *const table[CAROM_ISA_COUNT][2] = {CAROM_BUILT_ISAS(ENTRY)};
    return table[isa][precision == CAROM_F64];
}

static const game_kernel *game_kernel_of(carom_isa isa, carom_precision precision)
{
    const soccer_kernel *kernel = kernel_of(isa, precision);
    return kernel != NULL ? &kernel->game : NULL;
}

/* Single worlds are handled at width 1, which is always there. */
static void start(const void *context, carom_precision precision, uint64_t seed, void *tile, unsigned lane)
{
    kernel_of(CAROM_ISA_SCALAR, precision)->start((const soccer_context *)context, seed, tile, lane);
}

static bool check(const void *context, carom_precision precision, const void *tile, unsigned lane)
{
    return kernel_of(CAROM_ISA_SCALAR, precision)->check((const soccer_context *)context, tile, lane);
}

static void derive(const void *context, carom_precision precision, void *tile, unsigned lane)
{
    (void)context, (void)precision, (void)tile, (void)lane; /* nothing is derived */
}

static size_t scratch_bytes(const carom_worlds_desc *desc)
{
    return carom_game_play_bytes(desc->game, SOCCER_SCRATCH_BYTES);
}

const carom_game carom_game_soccer = {
    .type =
        {
            .name = "soccer",
            .fields = fields,
            .field_count = sizeof fields / sizeof fields[0],
            .context_bytes = carom_soccer_context_bytes,
            .context_create = carom_soccer_context_create,
            .context_destroy = carom_soccer_context_destroy,
            .context_hash = carom_soccer_context_hash,
            .start = start,
            .check = check,
            .derive = derive,
            .scratch_bytes = scratch_bytes,
        },
    .info =
        {
            .name = "soccer",
            .title = "Robot soccer",
            .players = 2,
            .bodies = SOCCER_BODIES,
            .max_events = CAROM_SOCCER_EVENTS - 1,
            .observation_size = CAROM_SOCCER_OBSERVATION,
            .action_kinds = SOCCER_KINDS,
            .policies = sizeof policies / sizeof policies[0],
            .counts = "goals",
        },
    .kinds = kinds,
    .policies = policies,
    .scratch_bytes = SOCCER_SCRATCH_BYTES,
    .kernel = game_kernel_of,
    .policy = carom_soccer_policy,
};
