/* SPDX-License-Identifier: MIT
 * The tables to which a game's rules are compiled. The same source file is compiled several times:
 *
 *     CAROM_KIT_HOST        the host's side, at width 1 in f64: the game's table, its policies, and the entry through
 *                           which the library finds it. A shared object exports it as `carom_game_entry`, its only
 *                           exported name; an archive (CAROM_KIT_LINKED) as `carom_<name>_entry`, for
 *                           carom_game_adopt()
 *     CAROM_KIT_POLICIES    policies in lanes for one instruction set, if the game has them
 *     neither               the kernel of one instruction set and precision, or with TILE_LANES 1 the driver of one
 *                           world (tick/one_driver.h)
 */
#ifndef CAROM_KIT_ENGINE_TABLE_H
#define CAROM_KIT_ENGINE_TABLE_H

#include "games/entry.h"

#define KIT_JOIN_(a, b) a##b
#define KIT_JOIN(a, b) KIT_JOIN_(a, b)
#define KIT_TILE_NAME KIT_JOIN(RULES_NAME, _tile)

#define KIT_POLICY_NAME KIT_JOIN(RULES_NAME, _policy)
#define KIT_MOST_NUMBERS 256
#define KIT_DRAW_POLICY 0x80000000u /* purpose of a policy's random draws, plus the player's number */

#if defined(CAROM_KIT_POLICY)

/* Calls a policy for one player in LANES worlds. seeds: [LANES]. numbers: the player's action, to be set. */
CAROM_LANE void kit_decide(const void *context, see_world w, const uint64_t *seeds, int player, unsigned policy,
                           unsigned kind, vreal *numbers)
{
    /* Start a random stream for each world, unique to its seed, world, player, game and tick. */
    tick_draws draws;
    for (unsigned l = 0; l < LANES; l++) {
        see_world one = w;
        one.at = w.at + l;
        const int32_t *episode = w.narrow ? w.f32->episode[0] : w.f64->episode[0];
        const int32_t *tick = w.narrow ? w.f32->tick[0] : w.f64->tick[0];
        draws.lane[l] = random_begin(seeds[l], see_world_id(one), KIT_DRAW_POLICY | (uint32_t)player,
                                     (uint32_t)episode[one.at] << 16 ^ (uint32_t)tick[one.at]);
    }

    rules_policy((const rules_options *)context, w, player, policy, kind, &draws, numbers);
}

#endif

#if defined(CAROM_KIT_POLICIES)

#if defined(RULES_POLICY_LANES)

#define KIT_PUT_F32(question, at, e, a) act_put_f32(question, at, e, a)
#define KIT_PUT_F64(question, at, e, a) act_put_f64(question, at, e, a)
#define KIT_PUT_KIND(name, precision, size)                                                                            \
    case action_##name:                                                                                                \
        for (int k = 0; k < (size); k++) {                                                                             \
            KIT_PUT_##precision(question, at, player *(size) + k, numbers[k]);                                         \
        }                                                                                                              \
        break;

/* See policy_kernel: decides for each requested player, one register group after another. */
static void kit_act_lanes(const policy_question *question)
{
    for (int player = 0; player < RULES_PLAYERS; player++) {
        if ((question->players >> player & 1) == 0) {
            continue;
        }
        EACH_SEEN_GROUP(at)
        {
            const see_world w = see_world_at(question->tile, question->precision, at);
            vreal numbers[KIT_MOST_NUMBERS];
            kit_decide(question->context, w, question->seeds + at, player, question->policy, question->kind, numbers);

            /* Write as many numbers as the kind has, in its precision. */
            switch (question->kind) {
                RULES_ACTIONS(KIT_PUT_KIND)
            default:
                break;
            }
        }
    }
}

POLICY_KERNEL(KIT_POLICY_NAME, kit_act_lanes)

#endif

#elif !defined(CAROM_KIT_HOST)

TICK_KERNEL(RULES_NAME)

#if TILE_LANES != 1
#define KIT_OFFSET(name, count, role) offsetof(tick_tile, name),
static const uint32_t kit_offsets[] = {RULES_FIELDS(KIT_OFFSET, KIT_OFFSET, KIT_OFFSET, KIT_OFFSET)};
CAROM_EXTERN const kit_tile CAROM_KERNEL(KIT_TILE_NAME);
const kit_tile CAROM_KERNEL(KIT_TILE_NAME) = {sizeof(tick_tile), kit_offsets};
#endif

#else /* the host */

#include <stdlib.h>

/* ---- options, and the context that follows from them ---- */

#define KIT_COUNT(array) (sizeof(array) / sizeof(array)[0])

#if defined(RULES_OPTIONS)
#define KIT_COUNT_ROW(name, ...) {OPTION(rules_options, name, COUNT, __VA_ARGS__)},
#define KIT_FLAG_ROW(name, usual, text) {OPTION(rules_options, name, FLAG, usual, 0, 1, text)},
#define KIT_NUMBER_ROW(name, ...) {OPTION(rules_options, name, NUMBER, __VA_ARGS__)},
static const carom_option kit_option_rows[] = {RULES_OPTIONS(KIT_COUNT_ROW, KIT_FLAG_ROW, KIT_NUMBER_ROW)};
static const game_options kit_options = {.bytes = sizeof(rules_options),
                                         .table = kit_option_rows,
                                         .count = KIT_COUNT(kit_option_rows),
                                         .out_of_range = CAROM_ERROR_VALUE};
#endif

/* The context is a copy of the options, which the library has already checked. */
static size_t kit_context_bytes(const carom_worlds_desc *desc)
{
    (void)desc;
    return sizeof(rules_context);
}

/* Copies one option. Copying the whole structure could include padding, which would enter the hash. */
#define KIT_KEEP(name, ...) made->name = options->name;

static carom_status kit_context_create(const carom_worlds_desc *desc, void **context)
{
    rules_context *made = (rules_context *)calloc(1, sizeof *made);
    if (made == NULL) {
        return CAROM_ERROR_MEMORY;
    }
    const rules_options *options = (const rules_options *)desc->options;
    (void)options;
    KIT_OPTIONS(KIT_KEEP, KIT_KEEP, KIT_KEEP)
    *context = made;
    return CAROM_OK;
}

static uint64_t kit_context_hash(const void *context)
{
    return hash_bytes(0, context, sizeof(rules_context));
}

/* ---- policies, for one world at a time ---- */

#define KIT_KIND(name, precision, size) {#name, CAROM_##precision, size},
static const carom_action_kind kit_kinds[] = {RULES_ACTIONS(KIT_KIND)};

/* Writes one player's numbers into the actions of all players, in the precision of the kind. */
static void kit_put(void *actions, int player, const carom_action_kind *kind, const double *numbers)
{
    for (size_t k = 0; k < kind->size; k++) {
        const size_t at = (size_t)player * kind->size + k;
        if (kind->precision == CAROM_F32) {
            ((float *)actions)[at] = (float)numbers[k];
        } else {
            ((double *)actions)[at] = numbers[k];
        }
    }
}

/* Writes the actions of all players in one world; see carom_game.policy. */
static void kit_policy(const policy_asked *asked, unsigned lane, size_t policy, size_t kind, void *actions)
{
    const see_world w = see_world_at(asked->tile, asked->worlds->desc.precision, lane);
    for (int player = 0; player < RULES_PLAYERS; player++) {
        double numbers[KIT_MOST_NUMBERS];
        kit_decide(asked->worlds->context, w, &asked->seeds[lane], player, (unsigned)policy, (unsigned)kind, numbers);
        kit_put(actions, player, &kit_kinds[kind], numbers);
    }
}

/* ---- the trial ---- */

#include "carom/kit/engine/trial.h"

/* ---- the table ---- */

#define KIT_STRING_(text) #text
#define KIT_STRING(text) KIT_STRING_(text)
#define KIT_POLICY(name) #name,
#define KIT_OPS(name) {&CAROM_PASTE(name, scalar, 32).worlds, &CAROM_PASTE(name, scalar, 64).worlds}

static const field_spec kit_fields[] = WORLD_FIELD_TABLE(RULES_FIELDS);
static const char *const kit_policies[] = {RULES_POLICIES(KIT_POLICY)};

/* The numbers of each kind of observation, with units and ranges. */
#define KIT_NUMBER(name, unit, least, most) {#name, unit, (float)(least), (float)(most)},
static const observation_number kit_raw[] = {RULES_SEEN(KIT_NUMBER)};
static const observation_block kit_raw_block = {NULL, 1, kit_raw, KIT_NUMBERS};
#if defined(RULES_EGO_SEEN)
static const observation_number kit_ego[] = {RULES_EGO_SEEN(KIT_NUMBER)};
static const observation_block kit_ego_block = {NULL, 1, kit_ego, KIT_EGO_NUMBERS};
#endif
#if defined(RULES_LIDAR_RAYS)
static_assert(RULES_LIDAR_RAYS >= 1 && RULES_LIDAR_RAYS <= 64, "RULES_LIDAR_RAYS is 1 to 64");
#define KIT_RAYS8(of) of "0", of "1", of "2", of "3", of "4", of "5", of "6", of "7"
#define KIT_RAYS10(of) KIT_RAYS8(of), of "8", of "9"
static const char *const kit_rays[] = {KIT_RAYS10("ray"),  KIT_RAYS10("ray1"), KIT_RAYS10("ray2"), KIT_RAYS10("ray3"),
                                       KIT_RAYS10("ray4"), KIT_RAYS10("ray5"), KIT_RAYS8("ray6")};
#define KIT_THING(name) {#name, "", 0, 1},
static const observation_number kit_ray[] = {{"distance", "the range", 0, 1},
                                             RULES_LIDAR_MEETS(KIT_THING){"away", "the speed", -INFINITY, INFINITY},
                                             {"aside", "the speed", -INFINITY, INFINITY}};
static const observation_number kit_own[] = {RULES_LIDAR_SEEN(KIT_NUMBER){NULL, NULL, 0, 0}};
static const observation_block kit_lidar_blocks[] = {
    {NULL, 1, kit_own, KIT_OWN_NUMBERS},
    {kit_rays, RULES_LIDAR_RAYS, kit_ray, 3 + KIT_THINGS},
};
#endif
static const observation_kind kit_seen[] = {
    {{"raw", 1, KIT_NUMBERS}, &kit_raw_block, 1, 0, false, NULL, 0},
#if defined(RULES_EGO_SEEN)
    {{"ego", RULES_AGENTS, KIT_EGO_NUMBERS}, &kit_ego_block, 1, 1, false, NULL, 0},
#endif
#if defined(RULES_LIDAR_RAYS)
    {{"lidar", RULES_AGENTS, RULES_LIDAR}, kit_lidar_blocks, 2, GAME_VIEW_LIDAR, false, NULL, 0},
#endif
};

#if defined(RULES_WEIGHTS)
#define KIT_WEIGHT(name, weight) {#name, weight, ""},
static const carom_value_weight kit_weights[] = {RULES_WEIGHTS(KIT_WEIGHT)};
static_assert(KIT_WEIGHTS <= GAME_MOST_WEIGHTS, "RULES_WEIGHTS has too many features");
static const game_value kit_values[] = {{"weighted", kit_weights, KIT_WEIGHTS}};
#endif

#if defined(RULES_POLICY_LANES)
CAROM_KERNELS(kit_policy_kernels, policy_kernel, KIT_POLICY_NAME, );
#endif

CAROM_KERNEL_OF(game_kernel, RULES_NAME)
CAROM_KERNELS(kit_tiles_f32, kit_tile, KIT_TILE_NAME, _f32);
CAROM_KERNELS(kit_tiles_f64, kit_tile, KIT_TILE_NAME, _f64);

/* The tile layout of a kernel. */
static const kit_tile *kit_tile_of(carom_isa isa, carom_precision precision)
{
    return precision == CAROM_F64 ? kit_tiles_f64[isa] : kit_tiles_f32[isa];
}

static const carom_game kit_game = {
    .type =
        {
            .name = KIT_STRING(RULES_NAME),
            .fields = kit_fields,
            .field_count = KIT_COUNT(kit_fields),
            .context_bytes = kit_context_bytes,
            .context_create = kit_context_create,
            .context_destroy = free,
            .context_hash = kit_context_hash,
            .ops = KIT_OPS(RULES_NAME),
        },
    .info =
        {
            .name = KIT_STRING(RULES_NAME),
            .title = RULES_TITLE,
            .players = RULES_PLAYERS,
            .bodies = RULES_BODIES,
            .max_events = RULES_EVENTS,
            .observation_size = RULES_OBSERVATION,
            .action_kinds = KIT_COUNT(kit_kinds),
            .policies = KIT_COUNT(kit_policies),
            .observation_kinds = KIT_COUNT(kit_seen),
#if defined(RULES_COUNTS)
            .counts = RULES_COUNTS,
#endif
        },
    .kinds = kit_kinds,
    .policies = kit_policies,
    .kernel = kernel_of,
    .policy = kit_policy,
#if defined(RULES_POLICY_LANES)
    .lane_policies = kit_policy_kernels,
#endif
    .observations = kit_seen,
#if defined(RULES_WEIGHTS)
    .values = kit_values,
    .value_kinds = KIT_COUNT(kit_values),
#endif
#if defined(RULES_AGENTS)
    .agents = RULES_AGENTS,
#endif
    .mixes = KIT_KINDS > 1,
#if defined(RULES_LOOK)
    .look = &RULES_LOOK,
#endif
#if defined(RULES_OPTIONS)
    .options = &kit_options,
#endif
};

extern const one_kernel CAROM_PASTE(RULES_NAME, one, 32), CAROM_PASTE(RULES_NAME, one, 64);

/* `carom-kit build --device` compiles the programs for GPUs from the same source file and defines this. */
#if defined(CAROM_KIT_DEVICE)
#define KIT_MODULE(ending) KIT_JOIN(KIT_JOIN(carom_device_module_, RULES_NAME), ending)
extern const struct device_module KIT_MODULE(_f32), KIT_MODULE(_f64);
#if defined(RULES_POLICY_LANES)
extern const struct device_module KIT_MODULE(_policy);
#define KIT_DEVICE {&KIT_MODULE(_f32), &KIT_MODULE(_f64), &KIT_MODULE(_policy)}
#else
#define KIT_DEVICE {&KIT_MODULE(_f32), &KIT_MODULE(_f64), NULL}
#endif
#else
#define KIT_DEVICE {NULL, NULL, NULL}
#endif

#if defined(CAROM_KIT_LINKED)
#define KIT_ENTRY KIT_JOIN(KIT_JOIN(carom_, RULES_NAME), _entry)
#else
#define KIT_ENTRY carom_game_entry
#endif

extern CAROM_API const carom_kit_entry KIT_ENTRY;
const carom_kit_entry KIT_ENTRY = {
    .version = KIT_VERSION,
    .bytes = sizeof(carom_kit_entry),
    .layout = KIT_LAYOUT,
    .sizes = {KIT_STRUCTURES(KIT_SIZE)},
    .game = &kit_game,
    .tile = kit_tile_of,
    .one = {&CAROM_PASTE(RULES_NAME, one, 32), &CAROM_PASTE(RULES_NAME, one, 64)},
    .device = KIT_DEVICE,
    .trial = kit_try,
};

#endif
#endif
