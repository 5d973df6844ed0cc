/* SPDX-License-Identifier: MIT
 * The games that Carom ships, and questions about a game's table.
 */
#include "games/entry.h"

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
    static const carom_game_info nothing;
    return game != NULL ? game->info : nothing;
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
