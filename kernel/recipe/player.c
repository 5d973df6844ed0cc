/* SPDX-License-Identifier: MIT
 * Who plays, as text: a built-in policy, nobody, or a planner with its keys.
 */
#include "recipe/recipe.h"

#include <string.h>

#include "base/number.h"
#include "base/problem.h"
#include "games/game.h"

/* ---- the keys of planners ---- */

typedef enum key_type { KEY_COUNT, KEY_NUMBER, KEY_NAME } key_type;

typedef struct planner_key {
    const char *name, *meaning;
    key_type type;
    size_t offset, bytes; /* of the member of carom_search_desc */
} planner_key;

#define KEY(name, type, member, meaning)                                                                               \
    {name, meaning, KEY_##type, offsetof(carom_search_desc, member), sizeof(((carom_search_desc *)NULL)->member)}
static const planner_key keys[] = {
    KEY("rollouts", COUNT, rollouts, "the budget of a tick; must be given"),
    KEY("horizon", COUNT, horizon, "ticks of a plan"),
    KEY("hold", COUNT, hold, "ticks that a row of it is played for"),
    KEY("sequences", COUNT, sequences, "of a generation"),
    KEY("elites", COUNT, elites, "the best of them; 0: an eighth"),
    KEY("sigma", NUMBER, sigma, "the first deviation of cem, and that of mppi"),
    KEY("least", NUMBER, sigma_least, "the least deviation of cem"),
    KEY("keep", NUMBER, keep, "how much of the old mean and deviation cem keeps"),
    KEY("mutation", NUMBER, mutation, "the probability of a mutation, of genetic"),
    KEY("spread", NUMBER, mutation_spread, "the deviation of a mutation"),
    KEY("temperature", NUMBER, temperature, "of mppi"),
    KEY("other-side", NAME, other, "what the others do: zero, plan, search, fictitious, or a policy's name"),
    KEY("share", NUMBER, other_share, "the others' part of the budget, if they search"),
    KEY("rounds", COUNT, other_rounds, "how often they search in turn"),
    KEY("against", NAME, against, "of several plans of the others: worst or mean"),
    KEY("cut", COUNT, cut_after, "ticks after which the worst sequences are given up; 0: never"),
    KEY("cut-keep", NUMBER, cut_keep, "the part that goes on"),
    KEY("discount", NUMBER, discount, "of rewards"),
    KEY("reward", NUMBER, reward_weight, "the weight of rewards"),
    KEY("final", NUMBER, final_weight, "the weight of the final value"),
    KEY("value", NAME, value_kind, "the kind of final value, by its name"),
    KEY("seed", COUNT, seed, "of what is drawn; the recipe's by default"),
};
#define KEYS (sizeof keys / sizeof keys[0])

const char *carom_recipe_planner_key(size_t index, const char **meaning)
{
    if (index >= KEYS) {
        return NULL;
    }
    if (meaning != NULL) {
        *meaning = keys[index].meaning;
    }
    return keys[index].name;
}

/* The number of a name in a list; SIZE_MAX if it is not there. */
static size_t index_of(const char *name, const char *const *names, size_t count)
{
    for (size_t k = 0; k < count; k++) {
        if (names[k] != NULL && strcmp(names[k], name) == 0) {
            return k;
        }
    }
    return SIZE_MAX;
}

/* Sets a member whose value is a name. False: there is no such name. */
static bool set_name(const carom_game *game, const planner_key *key, const char *value, carom_search_desc *search)
{
    static const char *const others[] = {[CAROM_OTHER_ZERO] = "zero",
                                         [CAROM_OTHER_POLICY] = NULL,
                                         [CAROM_OTHER_PLAN] = "plan",
                                         [CAROM_OTHER_SEARCH] = "search",
                                         [CAROM_OTHER_FICTITIOUS] = "fictitious"}; /* a recipe has no network */
    static const char *const against[] = {[CAROM_AGAINST_WORST] = "worst", [CAROM_AGAINST_MEAN] = "mean"};
    if (strcmp(key->name, "value") == 0) {
        return carom_game_find_value_kind(game, value, &search->value_kind) == CAROM_OK;
    }
    if (strcmp(key->name, "against") == 0) {
        const size_t index = index_of(value, against, 2);
        search->against = index != SIZE_MAX ? (carom_against)index : search->against;
        return index != SIZE_MAX;
    }
    const size_t index = index_of(value, others, sizeof others / sizeof others[0]);
    search->other = index != SIZE_MAX ? (carom_other)index : CAROM_OTHER_POLICY;
    return index != SIZE_MAX || carom_game_find_policy(game, value, &search->policy) == CAROM_OK;
}

/* Sets a member from the text of its value. */
static bool set_key(const carom_game *game, const planner_key *key, const char *value, carom_search_desc *search)
{
    unsigned char *member = (unsigned char *)search + key->offset;
    double number;
    uint64_t count;
    switch (key->type) {
    case KEY_COUNT:
        if (!carom_read_count(value, &count) || (key->bytes < sizeof count && count >> (8 * key->bytes) != 0)) {
            return false;
        }
        memcpy(member, &count, key->bytes); /* little-endian */
        return true;
    case KEY_NUMBER:
        if (!carom_read_number(value, &number)) {
            return false;
        }
        memcpy(member, &number, sizeof number);
        return true;
    case KEY_NAME:
        return set_name(game, key, value, search);
    }
    return false;
}

/* Reads "key=value,key=value". `text` is cut into pieces. */
static carom_status read_keys(const carom_recipe *r, unsigned player, char *text, carom_search_desc *search,
                              carom_problem *problem)
{
    bool budget = false;
    for (char *next = text; next != NULL && *next != '\0';) {
        char *pair = next;
        next = strchr(pair, ',');
        if (next != NULL) {
            *next++ = '\0';
        }
        char *value = strchr(pair, '=');
        if (value == NULL) {
            return carom_wrong(problem, CAROM_ERROR_ARGUMENT, "player %u: '%.80s' is no key=value", player, pair);
        }
        *value++ = '\0';
        if (strcmp(pair, "ms") == 0 || strcmp(pair, "milliseconds") == 0) {
            return carom_wrong(problem, CAROM_ERROR_UNSUPPORTED,
                               "player %u: a budget in milliseconds gives other bits each time; use rollouts", player);
        }
        const planner_key *key = NULL;
        for (size_t k = 0; k < KEYS && key == NULL; k++) {
            key = strcmp(keys[k].name, pair) == 0 ? &keys[k] : NULL;
        }
        if (key == NULL) {
            return carom_wrong(problem, CAROM_ERROR_ARGUMENT, "player %u: a planner has no key '%.80s'", player, pair);
        }
        if (!set_key(r->desc.game, key, value, search)) {
            return carom_wrong(problem, CAROM_ERROR_ARGUMENT, "player %u: %s: '%.80s' is not allowed", player,
                               key->name, value);
        }
        budget = budget || strcmp(key->name, "rollouts") == 0;
    }
    return budget ? CAROM_OK
                  : carom_wrong(problem, CAROM_ERROR_ARGUMENT, "player %u: a planner needs its budget, rollouts=N",
                                player);
}

/* ---- players ---- */

carom_status carom_recipe_read_player(carom_recipe *r, unsigned player, const char *text, carom_problem *problem)
{
    static const char *const planners[] = {
        [CAROM_SHOOTING] = "shooting", [CAROM_CEM] = "cem", [CAROM_GENETIC] = "genetic", [CAROM_MPPI] = "mppi"};
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

    to->source = CAROM_POLICY;
    if (carom_game_find_policy(r->desc.game, text, &to->policy) == CAROM_OK) {
        return CAROM_OK;
    }
    to->source = CAROM_ZERO;
    if (strcmp(text, "zero") == 0) {
        return CAROM_OK;
    }

    char copy[RECIPE_PLAYER];
    memcpy(copy, text, length + 1);
    char *behind = strchr(copy, ':');
    if (behind != NULL) {
        *behind++ = '\0';
    }
    if (strcmp(copy, "network") == 0) {
        return carom_wrong(problem, CAROM_ERROR_UNSUPPORTED,
                           "player %u: a network: Carom has no layers of its own that could play one", player);
    }
    const size_t planner = index_of(copy, planners, sizeof planners / sizeof planners[0]);
    if (planner == SIZE_MAX) {
        return carom_wrong(problem, CAROM_ERROR_ARGUMENT,
                           "player %u: '%.80s' is no policy of %s and no planner (shooting, cem, genetic, mppi)",
                           player, text, carom_game_describe(r->desc.game).name);
    }

    to->source = CAROM_GIVEN;
    to->search = carom_search_desc_default(r->desc.game);
    to->search.planner = (carom_planner)planner;
    to->search.player = player;
    to->search.seed = r->desc.seed;
    to->search.action_kind = r->desc.action_kind;
    to->search.reward_kind = r->desc.reward_kind;
    const carom_status status = read_keys(r, player, behind != NULL ? behind : copy + length, &to->search, problem);
    const char *kind = r->desc.game->kinds[r->desc.action_kind].name;
    if (status == CAROM_OK && strcmp(kind, "normalised") != 0) {
        return carom_wrong(problem, CAROM_ERROR_ARGUMENT,
                           "player %u: a planner needs the kind of action normalised, not %s", player, kind);
    }
    return status;
}
