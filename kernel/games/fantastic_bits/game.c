/* SPDX-License-Identifier: MIT
 * The table of the game fantastic_bits.
 */
#include "games/fantastic_bits/fantastic_bits.h"
#include "isa/isa.h"

/* Tiles in memory are exactly what kernels see: see worlds/type.h. */
#define SPEC(type, name, count, role) {#name, type, CAROM_ROLE_##role, count},
#define SPEC_REAL(name, count, role) SPEC(CAROM_TYPE_REAL, name, count, role)
#define SPEC_INT8(name, count, role) SPEC(CAROM_TYPE_INT8, name, count, role)
static const field_spec fields[] = {FB_REAL_FIELDS(SPEC_REAL) FB_INT8_FIELDS(SPEC_INT8)};

static const carom_action_kind kinds[FB_KINDS] = {
    [FB_REFEREE] = {"referee", CAROM_F64, 2 * FB_REFEREE_NUMBERS},
    [FB_NORMALISED] = {"normalised", CAROM_F32, 2 * FB_NORMALISED_NUMBERS},
};

static const char *const policies[] = {"striker", "random"}; /* in the order of policy.c */

#define DECLARE(NAME, suffix)                                                                                          \
    extern const fb_kernel carom_fantastic_bits_##suffix##_f32, carom_fantastic_bits_##suffix##_f64;
CAROM_BUILT_ISAS(DECLARE)

static const fb_kernel *kernel_of(carom_isa isa, carom_precision precision)
{
#define ENTRY(NAME, suffix)                                                                                            \
    [CAROM_ISA_##NAME] = {&carom_fantastic_bits_##suffix##_f32, &carom_fantastic_bits_##suffix##_f64},
    static const fb_kernel *const table[CAROM_ISA_COUNT][2] = {CAROM_BUILT_ISAS(ENTRY)};
    return table[isa][precision == CAROM_F64];
}

static const game_kernel *game_kernel_of(carom_isa isa, carom_precision precision)
{
    const fb_kernel *kernel = kernel_of(isa, precision);
    return kernel != NULL ? &kernel->game : NULL;
}

/* Single worlds are handled at width 1, which is always there. */
static void start(const void *context, carom_precision precision, uint64_t seed, void *tile, unsigned lane)
{
    kernel_of(CAROM_ISA_SCALAR, precision)->start((const fb_context *)context, seed, tile, lane);
}

static bool check(const void *context, carom_precision precision, const void *tile, unsigned lane)
{
    (void)context;
    return kernel_of(CAROM_ISA_SCALAR, precision)->check(tile, lane);
}

static void derive(const void *context, carom_precision precision, void *tile, unsigned lane)
{
    (void)context, (void)precision, (void)tile, (void)lane; /* nothing is derived */
}

static size_t scratch_bytes(const carom_worlds_desc *desc)
{
    return carom_game_play_bytes(desc->game, FB_SCRATCH_BYTES);
}

const carom_game carom_game_fantastic_bits = {
    .type =
        {
            .name = "fantastic_bits",
            .fields = fields,
            .field_count = sizeof fields / sizeof fields[0],
            .context_bytes = carom_fantastic_bits_context_bytes,
            .context_create = carom_fantastic_bits_context_create,
            .context_destroy = carom_fantastic_bits_context_destroy,
            .context_hash = carom_fantastic_bits_context_hash,
            .start = start,
            .check = check,
            .derive = derive,
            .scratch_bytes = scratch_bytes,
        },
    .info =
        {
            .name = "fantastic_bits",
            .title = "Fantastic Bits",
            .players = 2,
            .bodies = FB_BODIES,
            .max_events = FB_EVENTS,
            .observation_size = CAROM_FANTASTIC_BITS_OBSERVATION,
            .action_kinds = FB_KINDS,
            .policies = sizeof policies / sizeof policies[0],
            .counts = "goals",
        },
    .kinds = kinds,
    .policies = policies,
    .scratch_bytes = FB_SCRATCH_BYTES,
    .kernel = game_kernel_of,
    .policy = carom_fantastic_bits_policy,
};
