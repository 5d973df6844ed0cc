/* SPDX-License-Identifier: MIT
 * Players with a network: the player that follows its policy, and the use of networks by planners.
 */
#include <stdlib.h>
#include <string.h>

#include "base/fpenv.h"
#include "base/memory.h"
#include "base/problem.h"
#include "games/game.h"
#include "players/players.h"
#include "worlds/device.h"

/* ---- the network of a planner ---- */

carom_status carom_plan_open_network(const carom_game *game, const plan_options *options, carom_search_desc *search,
                                     carom_network **network, carom_problem *problem)
{
    carom_status status = carom_network_load(options->network, network, problem);
    if (status != CAROM_OK) {
        return status;
    }

    /* Options that are not given follow from the heads that the network has. */
    const carom_network_info info = carom_network_about(*network);
    search->network = *network;
    search->network_weight = options->network_weighed ? search->network_weight : info.value > 0 ? 1 : 0;
    search->network_plan = options->network_planned ? search->network_plan : info.policy > 0;
    status = options->asks_policy ? carom_search_check_policy(*network, game, search->action_kind, problem)
                                  : carom_search_check_network(game, search, problem);
    if (status != CAROM_OK) {
        carom_network_destroy(*network);
        *network = NULL;
    }
    return status;
}

carom_status carom_plan_check_network(const carom_game *game, const plan_options *options, carom_problem *problem)
{
    carom_network *network;
    carom_search_desc search = options->search;
    search.candidates = search.candidate_count > 0 ? options->candidates : NULL;
    const carom_status status = carom_plan_open_network(game, options, &search, &network, problem);
    carom_network_destroy(network);
    return status;
}

/* ---- the player that follows a policy ---- */

struct player_policy {
    size_t kind;     /* of observation */
    uint64_t agents; /* observed: the seat's own, as bits */
    size_t count;    /* of them */
    float *seen;     /* [world][agent][input] */
    void *room;
    carom_isa isa;
};

bool carom_policy_take(carom_player *made, const carom_worlds *worlds)
{
    struct player_policy *policy = (struct player_policy *)calloc(1, sizeof *policy);
    made->policy_room = policy;
    if (policy == NULL) {
        return false;
    }
    carom_observation_kind seen;
    (void)carom_search_find_seen(made->network, made->game, &policy->kind, NULL);
    (void)carom_game_observation_kind(made->game, policy->kind, &seen);
    policy->count = seen.agents;
    policy->agents = (seen.agents < 64 ? (UINT64_C(1) << seen.agents) - 1 : UINT64_MAX) << (made->seat * seen.agents);
    policy->isa = worlds->desc.isa;
    policy->seen = (float *)calloc(made->worlds * seen.agents, seen.size * sizeof(float));
    policy->room = carom_memory_take(carom_network_room(made->network));
    return policy->seen != NULL && policy->room != NULL;
}

void carom_policy_release(carom_player *player)
{
    if (player->policy_room != NULL) {
        free(player->policy_room->seen);
        carom_memory_release(player->policy_room->room);
        free(player->policy_room);
    }
    carom_network_destroy(player->network);
}

carom_status carom_policy_act(carom_player *player, carom_worlds *worlds, unsigned char *actions, size_t stride)
{
    const struct player_policy *policy = player->policy_room;
    carom_step step = carom_step_default();
    step.observation_kind = policy->kind;
    step.observed = policy->agents;
    step.observations = policy->seen;
    const carom_status status = carom_worlds_observe_step(worlds, &step);
    if (status != CAROM_OK) {
        return status;
    }

    const fp_environment caller = fp_begin();
    carom_network_rows(player->network, policy->isa, NETWORK_POLICY, policy->seen, player->worlds * policy->count,
                       player->found, policy->room);
    fp_end(caller);
    for (size_t k = 0; k < player->worlds * player->size; k++) {
        const float number = player->found[k];
        player->found[k] = number < -1 ? -1 : number > 1 ? 1 : number;
    }

    /* The same as in a planner: a common function would make the single file longer. */
    for (size_t w = 0; w < player->worlds; w++) {
        const float *found = player->found + w * player->size;
        if (player->say != NULL) {
            player->say(worlds, w, player->seat, found, (double *)(void *)(actions + w * stride));
        } else {
            memcpy(actions + w * stride, found, player->bytes);
        }
    }
    return CAROM_OK;
}
