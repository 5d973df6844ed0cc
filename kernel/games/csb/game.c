/* SPDX-License-Identifier: MIT
 * The table of the game csb.
 */
#include "games/csb/csb.h"

static const field_spec fields[] = WORLD_FIELD_TABLE(CSB_FIELDS);

static const carom_action_kind kinds[CSB_KINDS] = {
    [CSB_RELATIVE] = {"relative", CAROM_F32, 4},
    [CSB_REFEREE] = {"referee", CAROM_F64, 6},
    [CSB_NORMALISED] = {"normalised", CAROM_F32, 4},
};

static const char *const policies[] = {"race", "random", "ram", "pile"}; /* in the order of policy_kernel.c */

CAROM_KERNEL_OF(game_kernel, csb)
CAROM_KERNELS(policy_kernels, policy_kernel, csb_policy, );

static const policy_kernel *lane_policies_of(carom_isa isa)
{
    return policy_kernels[isa];
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
            .ops = GAME_OPS(csb),
            .scratch_bytes = carom_game_scratch_bytes,
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
    .kernel = kernel_of,
    .lane_policies = lane_policies_of,
};
