/* SPDX-License-Identifier: MIT
 * Players as text: the players of carom/player.h whose results are reproducible.
 */
#include "recipe/recipe.h"

#include <string.h>

#include "base/problem.h"
#include "games/game.h"

/* Refuses options of a planner that a recipe cannot have. */
static carom_status check_planner(const carom_recipe *r, unsigned player, const plan_options *plan,
                                  carom_problem *problem)
{
    const char *kind = r->desc.game->kinds[r->desc.action_kind].name;
    if (plan->search.milliseconds > 0) {
        return carom_wrong(problem, CAROM_ERROR_UNSUPPORTED,
                           "player %u: a budget in milliseconds is not reproducible; use rollouts", player);
    }
    if (plan->network[0] != '\0') {
        return carom_wrong(problem, CAROM_ERROR_UNSUPPORTED,
                           "player %u: network: a recipe is self-contained and has no files", player);
    }
    if (plan->precision != CAROM_F64) {
        return carom_wrong(problem, CAROM_ERROR_UNSUPPORTED,
                           "player %u: precision: a recipe's planners search in the precision of its worlds", player);
    }
    return strcmp(kind, "normalised") == 0
               ? CAROM_OK
               : carom_wrong(problem, CAROM_ERROR_ARGUMENT,
                             "player %u: a planner needs the kind of action normalised, not %s", player, kind);
}

carom_status carom_recipe_read_player(carom_recipe *r, unsigned player, const char *text, carom_problem *problem)
{
    recipe_player *to = &r->players[player];
    const size_t length = strlen(text);
    for (size_t k = 0; k < length; k++) {
        if (text[k] <= ' ' || text[k] > '~') {
            return carom_wrong(problem, CAROM_ERROR_ARGUMENT, "player %u: the text has a space or a byte beyond ASCII",
                               player);
        }
    }
    if (length == 0 || length >= sizeof to->text) {
        return carom_wrong(problem, CAROM_ERROR_ARGUMENT, "player %u: a text of %zu bytes, not 1 to %zu", player,
                           length, sizeof to->text - 1);
    }
    memcpy(to->text, text, length + 1);
    if (strncmp(text, "network:", strlen("network:")) == 0) {
        return carom_wrong(problem, CAROM_ERROR_UNSUPPORTED,
                           "player %u: a network: a recipe names no files, which may change", player);
    }

    carom_problem why = {"it cannot be read"};
    carom_status status = carom_player_parse(r->desc.game, text, &to->said, &why);
    if (status != CAROM_OK) {
        return carom_wrong(problem, status, "player %u: %s", player, why.text);
    }
    if (to->said.source == CAROM_GIVEN) {
        to->said.plan.search.reward_kind = r->desc.reward_kind;
        status = check_planner(r, player, &to->said.plan, problem);
    }
    return status;
}
