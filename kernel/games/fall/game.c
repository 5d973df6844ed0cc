/* SPDX-License-Identifier: MIT
 * The game's table: kinds of actions and observations, names and ranges of their numbers, and the hooks.
 */
#include "games/fall/fall.h"

#include <math.h>

static const field_spec fields[] = WORLD_FIELD_TABLE(FALL_FIELDS);

static const carom_action_kind kinds[] = {{"normalised", CAROM_F32, 2}};

static const char *const policies[] = {"still", "random"}; /* in the order of policy.c */

static const char *const circles[] = {"circle0", "circle1", "circle2", "circle3",
                                      "circle4", "circle5", "circle6", "circle7"};
static const observation_number raw_circle[] = {{"x", "a metre", -INFINITY, INFINITY},
                                                {"y", "a metre", -INFINITY, INFINITY},
                                                {"vx", "a metre a second", -INFINITY, INFINITY},
                                                {"vy", "a metre a second", -INFINITY, INFINITY}};
static const observation_number raw_rest[] = {{"tick", "a game's ticks", 0, INFINITY}};
static const observation_block raw[] = {{circles, sizeof circles / sizeof circles[0], raw_circle, 4},
                                        {NULL, 1, raw_rest, 1}};
static const observation_kind observations[] = {{{"raw", 1, CAROM_FALL_OBSERVATION}, raw, 2, 0, false, NULL, 0}};

CAROM_KERNEL_OF(game_kernel, fall)

static size_t context_image(const void *context, void *to, uint64_t address)
{
    (void)address;
    return world_flat_image(context, to, sizeof(fall_context));
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
            .context_image = context_image,
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
            .observation_kinds = sizeof observations / sizeof observations[0],
        },
    .kinds = kinds,
    .policies = policies,
    .kernel = kernel_of,
    .look = &carom_fall_look,
    .policy = carom_fall_policy,
    .observations = observations,
    .options = &carom_fall_table,
};
