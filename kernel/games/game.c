/* SPDX-License-Identifier: MIT
 * The list of games, and the functions of carom/game.h that describe a game, all of them from its table.
 */
#include "games/entry.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const carom_game *const shipped[] = {&carom_game_csb, &carom_game_fantastic_bits, &carom_game_soccer,
                                            &carom_game_stones, &carom_game_fall};

#define SHIPPED (sizeof shipped / sizeof shipped[0])

size_t carom_game_count(void)
{
    size_t count = SHIPPED;
    while (carom_game_at(count) != NULL) {
        count++;
    }
    return count;
}

const carom_game *carom_game_at(size_t index)
{
    return index < SHIPPED ? shipped[index] : carom_game_outside(index - SHIPPED);
}

const carom_game *carom_game_find(const char *name)
{
    const carom_game *game = NULL;
    for (size_t k = 0; name != NULL && (game = carom_game_at(k)) != NULL; k++) {
        if (strcmp(game->info.name, name) == 0) {
            break;
        }
    }
    return game;
}

bool carom_game_is_shipped(const char *name)
{
    for (size_t k = 0; k < SHIPPED; k++) {
        if (strcmp(shipped[k]->info.name, name) == 0) {
            return true;
        }
    }
    return false;
}

carom_game_info carom_game_describe(const carom_game *game)
{
    static const carom_game_info nothing = {0};
    carom_game_info info = game != NULL ? game->info : nothing;
    if (game != NULL) {
        info.observation_kinds = game->observations != NULL ? info.observation_kinds : 1;
        info.reward_kinds = game->agents != 0 ? REWARD_KINDS : REWARD_OWN;
    }
    return info;
}

carom_status carom_game_action_kind(const carom_game *game, size_t index, carom_action_kind *kind)
{
    if (game == NULL || kind == NULL || index >= game->info.action_kinds) {
        return CAROM_ERROR_ARGUMENT;
    }
    *kind = game->kinds[index];
    return CAROM_OK;
}

carom_status carom_game_find_action_kind(const carom_game *game, const char *name, size_t *index)
{
    if (game == NULL || name == NULL || index == NULL) {
        return CAROM_ERROR_ARGUMENT;
    }
    for (size_t k = 0; k < game->info.action_kinds; k++) {
        if (strcmp(game->kinds[k].name, name) == 0) {
            *index = k;
            return CAROM_OK;
        }
    }
    return CAROM_ERROR_ARGUMENT;
}

/* ---- observations, rewards and values ---- */

carom_observation_kind carom_game_seen(const carom_game *game, size_t kind)
{
    const carom_observation_kind none = {"", 0, 0}, raw = {"raw", 1, game->info.observation_size};
    if (game->observations == NULL) {
        return kind == 0 ? raw : none;
    }
    return kind < game->info.observation_kinds ? game->observations[kind].kind : none;
}

size_t carom_game_most_seen(const carom_game *game)
{
    size_t most = 0;
    for (size_t k = 0; carom_game_seen(game, k).agents != 0; k++) {
        const carom_observation_kind kind = carom_game_seen(game, k);
        const size_t numbers = (size_t)game->info.players * kind.agents * kind.size;
        most = numbers > most ? numbers : most;
    }
    return most;
}

carom_status carom_game_observation_kind(const carom_game *game, size_t index, carom_observation_kind *kind)
{
    if (game == NULL || kind == NULL || carom_game_seen(game, index).agents == 0) {
        return CAROM_ERROR_ARGUMENT;
    }
    *kind = carom_game_seen(game, index);
    return CAROM_OK;
}

carom_status carom_game_find_observation_kind(const carom_game *game, const char *name, size_t *index)
{
    for (size_t k = 0; game != NULL && name != NULL && index != NULL && carom_game_seen(game, k).agents != 0; k++) {
        if (strcmp(carom_game_seen(game, k).name, name) == 0) {
            *index = k;
            return CAROM_OK;
        }
    }
    return CAROM_ERROR_ARGUMENT;
}

carom_status carom_game_observation_number(const carom_game *game, size_t kind, size_t number, carom_number *what)
{
    if (game == NULL || what == NULL || number >= carom_game_seen(game, kind).size) {
        return CAROM_ERROR_ARGUMENT;
    }

    memset(what, 0, sizeof *what);
    what->unit = "";
    if (game->observations == NULL) {
        snprintf(what->name, sizeof what->name, "number %zu", number);
        what->low = -INFINITY;
        what->high = INFINITY;
        return CAROM_OK;
    }

    /* Find the block, and in it the owner and the number. */
    const observation_block *block = game->observations[kind].blocks;
    for (; number >= (size_t)block->owner_count * block->count; block++) {
        number -= (size_t)block->owner_count * block->count;
    }
    const observation_number *of = &block->numbers[number % block->count];
    snprintf(what->name, sizeof what->name, "%s%s%s", block->owners != NULL ? block->owners[number / block->count] : "",
             block->owners != NULL ? "." : "", of->name);
    what->unit = of->unit;
    what->low = of->low;
    what->high = of->high;
    return CAROM_OK;
}

uint32_t carom_game_rewarded(const carom_game *game, size_t reward_kind)
{
    return reward_kind < REWARD_OWN ? 1 : reward_kind == REWARD_OWN ? game->agents : 0;
}

carom_status carom_game_value_kind(const carom_game *game, size_t index, carom_value_kind *kind)
{
    if (game == NULL || kind == NULL || index > game->value_kinds) {
        return CAROM_ERROR_ARGUMENT;
    }
    kind->name = index == 0 ? "game" : game->values[index - 1].name;
    kind->weights = index == 0 ? 0 : game->values[index - 1].count;
    return CAROM_OK;
}

carom_status carom_game_find_value_kind(const carom_game *game, const char *name, size_t *index)
{
    carom_value_kind kind;
    for (size_t k = 0; name != NULL && index != NULL && carom_game_value_kind(game, k, &kind) == CAROM_OK; k++) {
        if (strcmp(kind.name, name) == 0) {
            *index = k;
            return CAROM_OK;
        }
    }
    return CAROM_ERROR_ARGUMENT;
}

carom_status carom_game_value_weight(const carom_game *game, size_t kind, size_t number, carom_value_weight *weight)
{
    carom_value_kind found;
    if (weight == NULL || carom_game_value_kind(game, kind, &found) != CAROM_OK || number >= found.weights) {
        return CAROM_ERROR_ARGUMENT;
    }
    *weight = game->values[kind - 1].weights[number];
    return CAROM_OK;
}

carom_status carom_game_reward_kind(const carom_game *game, size_t index, carom_reward_kind *kind)
{
    static const char *const names[REWARD_KINDS] = {"game", "result", "own"}; /* in the order of tick/tick.h */
    if (game == NULL || kind == NULL || carom_game_rewarded(game, index) == 0) {
        return CAROM_ERROR_ARGUMENT;
    }
    kind->name = names[index];
    kind->agents = carom_game_rewarded(game, index);
    return CAROM_OK;
}

carom_status carom_game_find_reward_kind(const carom_game *game, const char *name, size_t *index)
{
    carom_reward_kind kind;
    for (size_t k = 0; name != NULL && index != NULL && carom_game_reward_kind(game, k, &kind) == CAROM_OK; k++) {
        if (strcmp(kind.name, name) == 0) {
            *index = k;
            return CAROM_OK;
        }
    }
    return CAROM_ERROR_ARGUMENT;
}

/* ---- policies ---- */

const char *carom_game_policy_name(const carom_game *game, size_t index)
{
    return game != NULL && index < game->info.policies ? game->policies[index] : NULL;
}

carom_status carom_game_find_policy(const carom_game *game, const char *name, size_t *index)
{
    if (game == NULL || name == NULL || index == NULL) {
        return CAROM_ERROR_ARGUMENT;
    }
    for (size_t k = 0; k < game->info.policies; k++) {
        if (strcmp(game->policies[k], name) == 0) {
            *index = k;
            return CAROM_OK;
        }
    }
    return CAROM_ERROR_ARGUMENT;
}

/* ---- sizes ---- */

size_t carom_game_row_bytes(const carom_game *game, size_t kind)
{
    return (size_t)game->kinds[kind].size * game->info.players * (game->kinds[kind].precision / 8);
}

size_t carom_game_most_row_bytes(const carom_game *game)
{
    size_t most = 0;
    for (size_t kind = 0; kind < game->info.action_kinds; kind++) {
        const size_t bytes = carom_game_row_bytes(game, kind);
        most = bytes > most ? bytes : most;
    }
    return most;
}

size_t carom_game_kernel_bytes(const carom_game *game)
{
    size_t most = 0;
    for (int isa = CAROM_ISA_SCALAR; isa < CAROM_ISA_COUNT; isa++) {
        for (int k = 0; k < 2; k++) {
            const game_kernel *kernel = game->kernel((carom_isa)isa, k == 0 ? CAROM_F32 : CAROM_F64);
            most = kernel != NULL && kernel->scratch_bytes > most ? kernel->scratch_bytes : most;
        }
    }
    return most + game->scratch_bytes;
}
