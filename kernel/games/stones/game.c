/* SPDX-License-Identifier: MIT
 * The options of stones, and the game's table.
 */
#include "games/stones/stones.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/problem.h"

/* ---- options ---- */

static const char *const rules[] = {"as_shipped", "as_described"};

#define ROW(member, kind, ...) OPTION(carom_stones_options, member, kind, __VA_ARGS__)
static const carom_option table[] = {
    {ROW(rules, CHOICE, CAROM_STONES_AS_SHIPPED, 0, 1, "the plugin as shipped, or as described"), .choices = rules},
    {ROW(stones, COUNT, 12, 1, STONES_MAX, "stones of a world; with a ring at least 2")},
    {ROW(ticks, COUNT, 200, 1, 1 << 24, "ticks after which a game is cut off")},
    {ROW(ring, NUMBER, 400, 0, 65536, "radius of the ring, beyond which stones are out; 0: none")},
    {ROW(loss, NUMBER, 0, 0, 1, "as_described: share of the speed that both lose in a hit"), .below = true},
    {ROW(check, FLAG, 0, 0, 1, "the plugin's collisionCheck after every tick")},
};

static carom_status check(const carom_worlds_desc *desc, carom_problem *problem)
{
    const carom_stones_options *options = (const carom_stones_options *)desc->options;
    return options->ring == 0 || options->stones >= 2
               ? CAROM_OK
               : carom_wrong(problem, CAROM_ERROR_VALUE, "stones: with a ring there are at least 2");
}

static const game_options options_table = {
    sizeof(carom_stones_options), table, sizeof table / sizeof table[0], CAROM_ERROR_VALUE, check, NULL};

carom_stones_options carom_stones_options_default(void)
{
    carom_stones_options options;
    (void)carom_game_options_default(&carom_game_stones, &options);
    return options;
}

static size_t context_bytes(const carom_worlds_desc *desc)
{
    carom_stones_options options;
    return carom_options_read(desc, &options) == CAROM_OK ? sizeof(stones_context) : 0;
}

static carom_status context_create(const carom_worlds_desc *desc, void **result)
{
    carom_stones_options options;
    const carom_status status = carom_options_read(desc, &options);
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

/* Hashes the options one by one, because structures may have padding. */
static uint64_t context_hash(const void *any)
{
    const stones_context *context = (const stones_context *)any;
    uint64_t hash = hash_step(hash_step(0, (uint64_t)context->rules), context->stones);
    hash = hash_step(hash_step(hash, context->ticks), context->check);
    hash = hash_array(hash, &context->ring, 1, sizeof context->ring);
    return hash_end(hash_array(hash, &context->loss, 1, sizeof context->loss));
}

/* ---- the table ---- */

static const field_spec fields[] = WORLD_FIELD_TABLE(STONES_FIELDS);

static const carom_action_kind kinds[STONES_KINDS] = {
    [STONES_PUSH] = {"push", CAROM_F64, STONES_PUSH_SIZE},
    [STONES_ENGINE] = {"engine", CAROM_F64, STONES_PUSH_SIZE *CAROM_STONES_PUSHES},
    [STONES_NORMALISED] = {"normalised", CAROM_F32, STONES_PUSH_SIZE},
};

static const char *const policies[] = {"strike", "random"}; /* in the order of policy_kernel.c */

#define ANY -INFINITY, INFINITY
static const char *const stones[STONES_MAX] = {
    "stone0",  "stone1",  "stone2",  "stone3",  "stone4",  "stone5",  "stone6",  "stone7",
    "stone8",  "stone9",  "stone10", "stone11", "stone12", "stone13", "stone14", "stone15",
    "stone16", "stone17", "stone18", "stone19", "stone20", "stone21", "stone22", "stone23",
    "stone24", "stone25", "stone26", "stone27", "stone28", "stone29", "stone30", "stone31"};
static const observation_number raw_stone[CAROM_STONES_OBSERVATION_STONE] = {
    {"in_play", "", 0, 1},          {"own", "", -1, 1},
    {"x", "400 units", ANY},        {"y", "400 units", ANY},
    {"vx", "40 units a step", ANY}, {"vy", "40 units a step", ANY},
    {"radius", "40 units", ANY},    {"power", "3", ANY}};
static const observation_number raw_rest[] = {{"tick", "a game's ticks", 0, INFINITY}};
static const observation_block raw[] = {{stones, STONES_MAX, raw_stone, CAROM_STONES_OBSERVATION_STONE},
                                        {NULL, 1, raw_rest, 1}};
static const observation_kind observations[] = {{{"raw", 1, CAROM_STONES_OBSERVATION}, raw, 2, 0, false, NULL, 0}};

/* The named final value, as weights of features. */
static const carom_value_weight value_match[CAROM_STONES_VALUE_WEIGHTS] = {
    GAME_WEIGHT("stones", 1, "own stones in play, minus the other's"),
    GAME_WEIGHT("leaving", 0.8, "the other's stones that roll out of the ring, minus own ones"),
    GAME_WEIGHT("edge", 0.2, "how far out the other's stones come to rest, minus how far own ones do"),
};
static const game_value values[] = {{"match", value_match, CAROM_STONES_VALUE_WEIGHTS}};

CAROM_KERNEL_OF(game_kernel, stones)
CAROM_KERNELS(policy_kernels, policy_kernel, stones_policy, );

static size_t context_image(const void *context, void *to, uint64_t address)
{
    (void)address;
    return world_flat_image(context, to, sizeof(stones_context));
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
            .context_image = context_image,
            .ops = GAME_OPS(stones),
            .scratch_bytes = carom_game_scratch_bytes,
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
            .observation_kinds = sizeof observations / sizeof observations[0],
            .counts = "stones out",
        },
    .kinds = kinds,
    .policies = policies,
    .mixes = true,
    .kernel = kernel_of,
    .look = &carom_stones_look,
    .values = values,
    .value_kinds = sizeof values / sizeof values[0],
    .lane_policies = policy_kernels,
    .observations = observations,
    .options = &options_table,
};
