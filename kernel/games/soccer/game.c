/* SPDX-License-Identifier: MIT
 * The table of the game soccer.
 */
#include "games/soccer/soccer.h"

static const field_spec fields[] = WORLD_FIELD_TABLE(SOCCER_FIELDS);

static const carom_action_kind kinds[SOCCER_KINDS] = {
    [SOCCER_NORMALISED] = {"normalised", CAROM_F32, SOCCER_TEAM *SOCCER_NUMBERS},
    [SOCCER_METRIC] = {"metric", CAROM_F32, SOCCER_TEAM *SOCCER_NUMBERS},
};

static const char *const policies[] = {"striker", "random"}; /* in the order of policy.c */

CAROM_KERNEL_OF(game_kernel, soccer)

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
            .ops = GAME_OPS(soccer),
            .scratch_bytes = carom_game_scratch_bytes,
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
    .kernel = kernel_of,
    .policy = carom_soccer_policy,
};
