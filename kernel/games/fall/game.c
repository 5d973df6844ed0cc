/* SPDX-License-Identifier: MIT
 * The table of the game fall, and its policies.
 */
#include <math.h>

#include "base/random.h"
#include "games/fall/fall.h"
#include "isa/isa.h"

/* Tiles in memory are exactly what kernels see: see worlds/type.h. */
#define SPEC(type, name, count, role) {#name, type, CAROM_ROLE_##role, count},
#define SPEC_REAL(name, count, role) SPEC(CAROM_TYPE_REAL, name, count, role)
#define SPEC_INT8(name, count, role) SPEC(CAROM_TYPE_INT8, name, count, role)
static const field_spec fields[] = {FALL_REAL_FIELDS(SPEC_REAL) FALL_INT8_FIELDS(SPEC_INT8)};

static const carom_action_kind kinds[] = {{"normalised", CAROM_F32, 2}};

enum { STILL, RANDOM };
static const char *const policies[] = {[STILL] = "still", [RANDOM] = "random"};

#define DECLARE(NAME, suffix) extern const fall_kernel carom_fall_##suffix##_f32, carom_fall_##suffix##_f64;
CAROM_BUILT_ISAS(DECLARE)

static const fall_kernel *kernel_of(carom_isa isa, carom_precision precision)
{
#define ENTRY(NAME, suffix) [CAROM_ISA_##NAME] = {&carom_fall_##suffix##_f32, &carom_fall_##suffix##_f64},
    static const fall_kernel *const table[CAROM_ISA_COUNT][2] = {CAROM_BUILT_ISAS(ENTRY)};
    return table[isa][precision == CAROM_F64];
}

static const game_kernel *game_kernel_of(carom_isa isa, carom_precision precision)
{
    const fall_kernel *kernel = kernel_of(isa, precision);
    return kernel != NULL ? &kernel->game : NULL;
}

/* Single worlds are handled at width 1, which is always there. */
static void start(const void *context, carom_precision precision, uint64_t seed, void *tile, unsigned lane)
{
    kernel_of(CAROM_ISA_SCALAR, precision)->start((const fall_context *)context, seed, tile, lane);
}

static bool check(const void *context, carom_precision precision, const void *tile, unsigned lane)
{
    return kernel_of(CAROM_ISA_SCALAR, precision)->check((const fall_context *)context, tile, lane);
}

static void derive(const void *context, carom_precision precision, void *tile, unsigned lane)
{
    (void)context, (void)precision, (void)tile, (void)lane; /* nothing is derived */
}

static size_t scratch_bytes(const carom_worlds_desc *desc)
{
    return carom_game_play_bytes(desc->game, FALL_SCRATCH_BYTES);
}

static void policy(const carom_worlds *worlds, const void *any, unsigned lane, size_t number, size_t kind,
                   void *actions)
{
    (void)kind;
    float *numbers = (float *)actions;
    numbers[0] = numbers[1] = 0;
    if (number == RANDOM) {
        const bool f64 = worlds->desc.precision == CAROM_F64;
        const fall_tile_f64 *wide = (const fall_tile_f64 *)any;
        const fall_tile_f32 *narrow = (const fall_tile_f32 *)any;
        const int32_t tick = f64 ? wide->tick[0][lane] : narrow->tick[0][lane];
        const int32_t episode = f64 ? wide->episode[0][lane] : narrow->episode[0][lane];
        random_stream stream = random_begin(worlds->desc.seed, carom_tile_get_id(&worlds->layout, any, lane),
                                            FALL_DRAW_POLICY, (uint32_t)episode << 12 ^ (uint32_t)tick);
        if (random_below(&stream, 32) == 0) {
            const double x = random_below(&stream, 2001) / 1000.0 - 1, y = random_below(&stream, 2001) / 1000.0 - 1;
            const double size = fmax(fmax(fabs(x), fabs(y)), 0.001);
            numbers[0] = (float)(x / size);
            numbers[1] = (float)(y / size);
        }
    }
}

const carom_game carom_game_fall = {
    .type =
        {
            .name = "fall",
            .fields = fields,
            .field_count = sizeof fields / sizeof fields[0],
            .context_bytes = carom_fall_context_bytes,
            .context_create = carom_fall_context_create,
            .context_destroy = carom_fall_context_destroy,
            .context_hash = carom_fall_context_hash,
            .start = start,
            .check = check,
            .derive = derive,
            .scratch_bytes = scratch_bytes,
        },
    .info =
        {
            .name = "fall",
            .title = "Falling balls among polygons",
            .players = 1,
            .bodies = FALL_CIRCLES,
            .max_events = FALL_EVENTS,
            .observation_size = CAROM_FALL_OBSERVATION,
            .action_kinds = sizeof kinds / sizeof kinds[0],
            .policies = sizeof policies / sizeof policies[0],
        },
    .kinds = kinds,
    .policies = policies,
    .scratch_bytes = FALL_SCRATCH_BYTES,
    .kernel = game_kernel_of,
    .policy = policy,
};
