/* SPDX-License-Identifier: MIT
 * The table of the game fall.
 */
#include "games/fall/fall.h"

static const field_spec fields[] = WORLD_FIELD_TABLE(FALL_FIELDS);

static const carom_action_kind kinds[] = {{"normalised", CAROM_F32, 2}};

static const char *const policies[] = {"still", "random"}; /* in the order of policy.c */

CAROM_KERNEL_OF(game_kernel, fall)

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
            .ops = GAME_OPS(fall),
            .scratch_bytes = carom_game_scratch_bytes,
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
    .kernel = kernel_of,
    .look = &carom_fall_look,
    .policy = carom_fall_policy,
};
