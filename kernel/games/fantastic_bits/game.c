/* SPDX-License-Identifier: MIT
 * The table of the game fantastic_bits.
 */
#include "games/fantastic_bits/fantastic_bits.h"

static const field_spec fields[] = WORLD_FIELD_TABLE(FB_FIELDS);

static const carom_action_kind kinds[FB_KINDS] = {
    [FB_REFEREE] = {"referee", CAROM_F64, 2 * FB_REFEREE_NUMBERS},
    [FB_NORMALISED] = {"normalised", CAROM_F32, 2 * FB_NORMALISED_NUMBERS},
};

static const char *const policies[] = {"striker", "random"}; /* in the order of policy.c */

CAROM_KERNEL_OF(game_kernel, fantastic_bits)

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
            .ops = GAME_OPS(fantastic_bits),
            .scratch_bytes = carom_game_scratch_bytes,
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
    .kernel = kernel_of,
    .policy = carom_fantastic_bits_policy,
};
