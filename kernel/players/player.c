/* SPDX-License-Identifier: MIT
 * Players: creates them from a text, seats them in steps.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/problem.h"
#include "games/game.h"
#include "players/players.h"
#include "worlds/device.h"

/* ---- creating ---- */

/* "race, random, ..." into `names`. */
static const char *policy_names(const carom_game *game, char *names, size_t size)
{
    size_t length = 0;
    names[0] = '\0';
    for (size_t k = 0; k < game->info.policies && length < size; k++) {
        length += (size_t)snprintf(names + length, size - length, "%s, ", game->policies[k]);
    }
    return names;
}

carom_status carom_player_parse(const carom_game *game, const char *text, player_text *made, carom_problem *problem)
{
    char names[128];
    made->source = CAROM_POLICY;
    if (carom_game_find_policy(game, text, &made->policy) == CAROM_OK) {
        return CAROM_OK;
    }
    made->source = CAROM_ZERO;
    if (strcmp(text, "zero") == 0) {
        return CAROM_OK;
    }
    made->source = CAROM_GIVEN;
    if (!carom_plan_is_planner(text)) {
        return carom_wrong(
            problem, CAROM_ERROR_ARGUMENT,
            "'%.60s' is unknown; there are %szero, network:FILE, and the planners shooting, cem, genetic, mppi", text,
            policy_names(game, names, sizeof names));
    }

    /* In games without actions there is nothing to plan. */
    const carom_status status = carom_plan_read(game, text, &made->plan, problem);
    if (status == CAROM_OK && game->kinds[made->plan.search.action_kind].size == 0) {
        return carom_wrong(problem, CAROM_ERROR_ARGUMENT, "no player acts in %s, so %.60s has nothing to plan",
                           game->info.name, text);
    }
    return status == CAROM_OK && plan_has_network(&made->plan) ? carom_plan_check_network(game, &made->plan, problem)
                                                               : status;
}

carom_status carom_player_check(const carom_game *game, const char *text, carom_problem *problem)
{
    player_text read;
    return game != NULL && text != NULL ? carom_player_parse(game, text, &read, problem) : CAROM_ERROR_ARGUMENT;
}

size_t carom_player_kind(const carom_game *game)
{
    size_t kind = 0;
    (void)carom_game_find_action_kind(game, carom_referee_of(game) != NULL ? "referee" : "normalised", &kind);
    return kind;
}

/* A player that does not search. */
static carom_status make_simple(const carom_worlds *worlds, unsigned seat, const player_text *read,
                                carom_player **player)
{
    const carom_game *game = worlds->desc.game;
    carom_player *made = (carom_player *)calloc(1, sizeof *made);
    if (made == NULL) {
        return CAROM_ERROR_MEMORY;
    }
    made->game = game;
    made->seat = seat;
    made->worlds = worlds->desc.count;
    made->source = read->source;
    made->policy = read->policy;
    made->kind = carom_player_kind(game);
    made->bytes = (size_t)game->kinds[made->kind].size * (game->kinds[made->kind].precision / 8);
    *player = made;
    return CAROM_OK;
}

carom_status carom_player_create(const carom_worlds *worlds, unsigned seat, const char *text, carom_player **player,
                                 carom_problem *problem)
{
    if (player == NULL) {
        return CAROM_ERROR_ARGUMENT;
    }
    *player = NULL;
    if (worlds == NULL || text == NULL) {
        return CAROM_ERROR_ARGUMENT;
    }
    const carom_game *game = worlds->desc.game;
    if (seat >= game->info.players) {
        return carom_wrong(problem, CAROM_ERROR_ARGUMENT, "seat %u; %s has %u", seat, game->info.name,
                           game->info.players);
    }
    player_text read;
    memset(&read, 0, sizeof read);
    const carom_status status = carom_player_parse(game, text, &read, problem);
    if (status != CAROM_OK) {
        return status;
    }
    if (read.source != CAROM_GIVEN) {
        return make_simple(worlds, seat, &read, player);
    }
    if (carom_is_on_device(worlds)) {
        return carom_wrong(problem, CAROM_ERROR_UNSUPPORTED,
                           "%.60s: planners and networks play on this processor only; on a device use a search", text);
    }
    return carom_plan_player(worlds, &read.plan, seat, player, problem);
}

void carom_player_destroy(carom_player *player)
{
    if (player != NULL) {
        carom_search_destroy(player->search);
        carom_worlds_destroy(player->mirror);
        free(player->actions);
        free(player->found);
        free(player->angles);
        carom_policy_release(player);
        free(player);
    }
}

/* ---- acting ---- */

size_t carom_player_action_kind(const carom_player *player)
{
    return player->kind;
}

/* Copies a policy's actions for this player, out of those of all players. */
static carom_status act_by_policy(const carom_player *player, const carom_worlds *worlds, unsigned char *actions,
                                  size_t stride)
{
    const size_t row = carom_game_row_bytes(player->game, player->kind);
    unsigned char *all = (unsigned char *)calloc(player->worlds, row + 1);
    if (all == NULL) {
        return CAROM_ERROR_MEMORY;
    }
    const carom_status status = carom_worlds_policy(worlds, player->policy, player->kind, all);
    for (size_t w = 0; w < player->worlds && status == CAROM_OK; w++) {
        memcpy(actions + w * stride, all + w * row + player->seat * player->bytes, player->bytes);
    }
    free(all);
    return status;
}

carom_status carom_player_act(carom_player *player, carom_worlds *worlds, void *actions, size_t stride)
{
    if (player == NULL || worlds == NULL || actions == NULL || worlds->desc.game != player->game ||
        worlds->desc.count != player->worlds) {
        return CAROM_ERROR_ARGUMENT;
    }
    stride = stride != 0 ? stride : player->bytes;
    if (player->source == CAROM_GIVEN) {
        return carom_plan_act(player, worlds, actions, stride);
    }
    if (player->source == CAROM_POLICY) {
        return act_by_policy(player, worlds, (unsigned char *)actions, stride);
    }
    for (size_t w = 0; w < player->worlds; w++) {
        memset((unsigned char *)actions + w * stride, 0, player->bytes);
    }
    return CAROM_OK;
}

/* Plans for all worlds, once, before the step. */
static carom_status take_planned(carom_player *player, carom_worlds *worlds, carom_step *step)
{
    if (step->ticks != 1 || step->rows != NULL || step->played != NULL) {
        return carom_worlds_refuse(
            worlds, CAROM_ERROR_ARGUMENT,
            "%s: players that search or use a network need steps of one tick, no `rows` or `played`",
            player->game->info.name);
    }
    if (player->actions == NULL) {
        player->actions = (unsigned char *)calloc(player->worlds, player->bytes);
    }
    if (player->actions == NULL) {
        return CAROM_ERROR_MEMORY;
    }

    /* The step's `cancel` stops the search, too. */
    const volatile int *none = NULL, **cancel = player->search != NULL ? &player->search->fixed.desc.cancel : &none;
    const volatile int *usual = *cancel;
    *cancel = step->cancel != NULL ? step->cancel : usual;
    const carom_status status = carom_player_act(player, worlds, player->actions, player->bytes);
    *cancel = usual;
    if (status == CAROM_OK) {
        /* [world] counts the worlds of the step, which begins at world `first`. */
        step->players[player->seat].source = CAROM_GIVEN;
        step->players[player->seat].actions = player->actions + step->first * player->bytes;
        step->players[player->seat].action_kind = player->kind;
    }
    return status;
}

carom_status carom_player_take(carom_player *player, carom_worlds *worlds, carom_step *step)
{
    if (player == NULL || worlds == NULL || step == NULL || step->size != sizeof *step ||
        worlds->desc.game != player->game || worlds->desc.count != player->worlds || step->first >= player->worlds) {
        return CAROM_ERROR_ARGUMENT;
    }
    if (player->source == CAROM_GIVEN) {
        return take_planned(player, worlds, step);
    }
    step->players[player->seat].source = player->source;
    step->players[player->seat].policy = player->policy;
    return CAROM_OK;
}

carom_status carom_player_forget(carom_player *player)
{
    if (player == NULL) {
        return CAROM_ERROR_ARGUMENT;
    }
    if (player->search == NULL) {
        return CAROM_OK;
    }
    player->search->past.draws = 0;
    return carom_search_set_plan(player->search, player->seat, NULL);
}

carom_search *carom_player_search(carom_player *player)
{
    return player != NULL ? player->search : NULL;
}
