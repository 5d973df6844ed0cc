/* SPDX-License-Identifier: MIT
 * The table of the game stones, and the options of its batches.
 */
#include "games/stones/stones.h"

#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "isa/isa.h"

/* ---- options ---- */

carom_stones_options carom_stones_options_default(void)
{
    carom_stones_options options;
    memset(&options, 0, sizeof options);
    options.size = sizeof options;
    options.rules = CAROM_STONES_AS_SHIPPED;
    options.stones = 12;
    options.ticks = 200;
    options.ring = 400;
    return options;
}

static carom_stones_options options_of(const carom_worlds_desc *desc)
{
    carom_stones_options options = carom_stones_options_default();
    if (desc->options != NULL) { /* of another size: only that is known of it */
        memcpy(&options.size, desc->options, sizeof options.size);
        if (options.size == sizeof options) {
            memcpy(&options, desc->options, sizeof options);
        }
    }
    return options;
}

static carom_status check_options(const carom_stones_options *options)
{
    if (options->size != sizeof *options ||
        (options->rules != CAROM_STONES_AS_SHIPPED && options->rules != CAROM_STONES_AS_DESCRIBED) ||
        options->stones < 1 || options->stones > STONES_MAX || options->ticks < 1 || options->ticks > 1u << 24) {
        return CAROM_ERROR_ARGUMENT;
    }
    const bool ring = options->ring >= 0 && options->ring <= 65536 && (options->ring == 0 || options->stones >= 2);
    return ring && options->loss >= 0 && options->loss < 1 ? CAROM_OK : CAROM_ERROR_VALUE;
}

static size_t context_bytes(const carom_worlds_desc *desc)
{
    const carom_stones_options options = options_of(desc);
    return check_options(&options) == CAROM_OK ? sizeof(stones_context) : 0;
}

static carom_status context_create(const carom_worlds_desc *desc, void **result)
{
    const carom_stones_options options = options_of(desc);
    const carom_status status = check_options(&options);
    if (status != CAROM_OK) {
        return status;
    }
    stones_context *context = (stones_context *)malloc(sizeof *context);
    if (context == NULL) {
        return CAROM_ERROR_MEMORY;
    }
    *context = options;
    *result = context;
    return CAROM_OK;
}

static uint64_t context_hash(const void *any)
{
    const stones_context *context = (const stones_context *)any;
    uint64_t hash = hash_step(hash_step(0, (uint64_t)context->rules), context->stones);
    hash = hash_step(hash_step(hash, context->ticks), context->check);
    hash = hash_bytes(hash, &context->ring, sizeof context->ring);
    return hash_end(hash_bytes(hash, &context->loss, sizeof context->loss));
}

/* ---- the table ---- */

/* Tiles in memory are exactly what kernels see: see worlds/type.h. */
#define SPEC(type, name, count, role) {#name, type, CAROM_ROLE_##role, count},
#define SPEC_REAL(name, count, role) SPEC(CAROM_TYPE_REAL, name, count, role)
#define SPEC_INT8(name, count, role) SPEC(CAROM_TYPE_INT8, name, count, role)
static const field_spec fields[] = {STONES_REAL_FIELDS(SPEC_REAL) STONES_INT8_FIELDS(SPEC_INT8)};

static const carom_action_kind kinds[STONES_KINDS] = {
    [STONES_PUSH] = {"push", CAROM_F64, 4},
    [STONES_ENGINE] = {"engine", CAROM_F64, 4 * CAROM_STONES_PUSHES},
    [STONES_NORMALISED] = {"normalised", CAROM_F32, 4},
};

static const char *const policies[] = {"strike", "random"}; /* in the order of policy.c */

#define DECLARE(NAME, suffix) extern const stones_kernel carom_stones_##suffix##_f32, carom_stones_##suffix##_f64;
CAROM_BUILT_ISAS(DECLARE)

static const stones_kernel *kernel_of(carom_isa isa, carom_precision precision)
{
#define ENTRY(NAME, suffix) [CAROM_ISA_##NAME] = {&carom_stones_##suffix##_f32, &carom_stones_##suffix##_f64},
    static const stones_kernel *const table[CAROM_ISA_COUNT][2] = {CAROM_BUILT_ISAS(ENTRY)};
    return table[isa][precision == CAROM_F64];
}

static const game_kernel *game_kernel_of(carom_isa isa, carom_precision precision)
{
    const stones_kernel *kernel = kernel_of(isa, precision);
    return kernel != NULL ? &kernel->game : NULL;
}

/* Single worlds are handled at width 1, which is always there. */
static void start(const void *context, carom_precision precision, uint64_t seed, void *tile, unsigned lane)
{
    kernel_of(CAROM_ISA_SCALAR, precision)->start((const stones_context *)context, seed, tile, lane);
}

static bool check(const void *context, carom_precision precision, const void *tile, unsigned lane)
{
    return kernel_of(CAROM_ISA_SCALAR, precision)->check((const stones_context *)context, tile, lane);
}

static void derive(const void *context, carom_precision precision, void *tile, unsigned lane)
{
    (void)context;
    kernel_of(CAROM_ISA_SCALAR, precision)->derive(tile, lane);
}

static size_t scratch_bytes(const carom_worlds_desc *desc)
{
    return carom_game_play_bytes(desc->game, STONES_SCRATCH_BYTES);
}

const carom_game carom_game_stones = {
    .type =
        {
            .name = "stones",
            .fields = fields,
            .field_count = sizeof fields / sizeof fields[0],
            .context_bytes = context_bytes,
            .context_create = context_create,
            .context_destroy = free,
            .context_hash = context_hash,
            .start = start,
            .check = check,
            .derive = derive,
            .scratch_bytes = scratch_bytes,
        },
    .info =
        {
            .name = "stones",
            .title = "King of War stones",
            .players = 2,
            .bodies = STONES_MAX,
            .max_events = STONES_SWEEPS,
            .observation_size = CAROM_STONES_OBSERVATION,
            .action_kinds = STONES_KINDS,
            .policies = sizeof policies / sizeof policies[0],
            .counts = "stones out",
        },
    .kinds = kinds,
    .policies = policies,
    .scratch_bytes = STONES_SCRATCH_BYTES,
    .kernel = game_kernel_of,
    .policy = carom_stones_policy,
};
