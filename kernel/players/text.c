/* SPDX-License-Identifier: MIT
 * A planner's text: "cem:1000", "cem:rollouts=4096,horizon=8".
 */
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "base/number.h"
#include "base/problem.h"
#include "games/game.h"
#include "players/plan.h"

static const char *const planner_names[] = {
    [CAROM_SHOOTING] = "shooting", [CAROM_CEM] = "cem", [CAROM_GENETIC] = "genetic", [CAROM_MPPI] = "mppi"};
#define PLANNERS (sizeof planner_names / sizeof planner_names[0])

/* State of parsing a planner's text. */
typedef struct plan_text {
    plan_options *made;
    const carom_game *game;
    const char *text;
    carom_problem *problem;
} plan_text;

typedef enum key_type { KEY_COUNT, KEY_NUMBER, KEY_CALL } key_type;

typedef struct plan_key {
    const char *name, *meaning;
    key_type type;
    size_t offset, bytes; /* of the member of carom_search_desc */
    double least, most;   /* of KEY_COUNT and KEY_NUMBER */
    carom_status (*take)(plan_text *asked, const char *text);
} plan_key;

#define WRONG(...) carom_wrong(asked->problem, CAROM_ERROR_ARGUMENT, __VA_ARGS__)

/* ---- values ---- */

static carom_status read_within(plan_text *asked, const char *name, const char *text, double least, double most,
                                double *number)
{
    if (!carom_read_number(text, number)) {
        return WRONG("%s: '%.60s' is not a number", name, text);
    }
    return *number >= least && *number <= most ? CAROM_OK
                                               : WRONG("%s: %.60s is not between %g and %g", name, text, least, most);
}

/* Finds a candidate by name; leaves *found as it is if there is none. */
static bool find_other(const carom_game *game, const char *name, carom_candidate *found)
{
    static const struct {
        const char *name;
        carom_other other;
    } others[] = {{"zero", CAROM_OTHER_ZERO},
                  {"plan", CAROM_OTHER_PLAN},
                  {"search", CAROM_OTHER_SEARCH},
                  {"fictitious", CAROM_OTHER_FICTITIOUS},
                  {"network", CAROM_OTHER_NETWORK}};
    for (size_t k = 0; k < sizeof others / sizeof others[0]; k++) {
        if (strcmp(others[k].name, name) == 0) {
            *found = (carom_candidate){others[k].other, 0};
            return true;
        }
    }
    carom_candidate policy = {CAROM_OTHER_POLICY, 0};
    const bool known = carom_game_find_policy(game, name, &policy.policy) == CAROM_OK;
    *found = known ? policy : *found;
    return known;
}

/* One or several: race+search. */
static carom_status take_other(plan_text *asked, const char *text)
{
    plan_options *made = asked->made;
    size_t count = 0;
    for (const char *at = text; *at != '\0';) {
        char name[64];
        const size_t length = strcspn(at, "+");
        if (length > 0 && count == PLAN_CANDIDATES) {
            return WRONG("other-side: more than %d", PLAN_CANDIDATES);
        }
        snprintf(name, sizeof name, "%.*s", (int)(length < sizeof name ? length : sizeof name - 1), at);
        if (length > 0 && !find_other(asked->game, name, &made->candidates[count++])) {
            char policies[128] = "";
            for (size_t k = 0, end = 0; k < asked->game->info.policies && end < sizeof policies; k++) {
                end += (size_t)snprintf(policies + end, sizeof policies - end, ", %s", asked->game->policies[k]);
            }
            return WRONG("other-side: unknown choice '%s' (zero, plan, search, fictitious, network%s)", name, policies);
        }
        at += length;
        at += *at == '+';
    }
    if (count == 0) {
        return WRONG("other-side: none is named");
    }
    made->other_by_budget = false;
    made->search.other = made->candidates[0].other;
    made->search.policy = made->candidates[0].policy;
    made->search.candidate_count = count > 1 ? count : 0;
    return CAROM_OK;
}

static carom_status take_against(plan_text *asked, const char *text)
{
    const bool worst = strcmp(text, "worst") == 0;
    if (!worst && strcmp(text, "mean") != 0) {
        return WRONG("against: unknown choice '%.60s' (worst or mean)", text);
    }
    asked->made->search.against = worst ? CAROM_AGAINST_WORST : CAROM_AGAINST_MEAN;
    return CAROM_OK;
}

static carom_status take_precision(plan_text *asked, const char *text)
{
    const bool f32 = strcmp(text, "f32") == 0;
    if (!f32 && strcmp(text, "f64") != 0) {
        return WRONG("precision: unknown precision '%.60s' (f32 or f64)", text);
    }
    asked->made->precision = f32 ? CAROM_F32 : CAROM_F64;
    return CAROM_OK;
}

/* With the game's own value rewards have full weight. */
static carom_status take_value(plan_text *asked, const char *text)
{
    const plan_options usual = carom_plan_default(asked->game);
    size_t value = usual.search.value_kind;
    if (strcmp(text, "weights") != 0 && carom_game_find_value_kind(asked->game, text, &value) != CAROM_OK) {
        return WRONG("value: unknown choice '%.60s' (game, weights, or a value of %s by its name)", text,
                     asked->game->info.name);
    }
    asked->made->search.value_kind = value;
    asked->made->search.reward_weight = value == 0 ? 1 : usual.search.reward_weight;
    for (size_t k = 0; value > 0 && k < asked->game->values[value - 1].count; k++) {
        asked->made->weights[k] = asked->game->values[value - 1].weights[k].weight;
    }
    return CAROM_OK;
}

static carom_status take_network(plan_text *asked, const char *text)
{
    if (text[0] == '\0') {
        return WRONG("network: no file is named");
    }
    memcpy(asked->made->network, text, strlen(text) + 1); /* shorter than the whole text */
    return CAROM_OK;
}

static carom_status take_network_weight(plan_text *asked, const char *text)
{
    asked->made->network_weighed = true;
    return read_within(asked, "network-weight", text, -1e6, 1e6, &asked->made->search.network_weight);
}

static carom_status take_network_plan(plan_text *asked, const char *text)
{
    if (strcmp(text, "0") != 0 && strcmp(text, "1") != 0) {
        return WRONG("network-plan: '%.60s' is neither 0 nor 1", text);
    }
    asked->made->network_planned = true;
    asked->made->search.network_plan = text[0] == '1';
    return CAROM_OK;
}

/* ---- keys ---- */

#define MEMBER(member) offsetof(carom_search_desc, member), sizeof(((carom_search_desc *)NULL)->member)
#define COUNT(name, member, least, most, meaning) {name, meaning, KEY_COUNT, MEMBER(member), least, most, NULL}
#define NUMBER(name, member, least, most, meaning) {name, meaning, KEY_NUMBER, MEMBER(member), least, most, NULL}
#define CALL(name, take, meaning) {name, meaning, KEY_CALL, 0, 0, 0, 0, take}

/* Defaults follow from the game and the budget. */
static const plan_key keys[] = {
    COUNT("rollouts", rollouts, 4, 1099511627776.0,
          "the budget of a turn, 1024 by default; cem:1000 is cem:rollouts=1000"),
    NUMBER("ms", milliseconds, 1, 1e6, "or in milliseconds"),
    COUNT("horizon", horizon, 1, 200,
          "ticks of a plan (6; csb with fictitious play from 4096 rollouts on: 7; soccer 48, stones 20)"),
    COUNT("hold", hold, 1, 200, "ticks that a row of it lasts (1; soccer 24 and stones 20 if no horizon is given)"),
    COUNT("sequences", sequences, 4, 1048576,
          "of a generation (128 to 2048: a 20th of the rollouts, csb a 96th; fantastic_bits a 32nd, 64 to 2048; with "
          "ms: by the speed)"),
    COUNT("generations", generations, 1, 1e9,
          "with ms: about this many a turn, sized by the speed (48, with a network 96, fantastic_bits 32), up to that "
          "many sequences"),
    COUNT("elites", elites, 2, 1048576, "the best of them"),
    NUMBER("sigma", sigma, 1e-6, 100, "of cem (carom/search.h)"),
    NUMBER("least", sigma_least, 0, 100, "of cem: sigma_least"),
    NUMBER("keep", keep, 0, 0.999, "of cem"),
    NUMBER("mutation", mutation, 1e-6, 1, "of genetic"),
    NUMBER("spread", mutation_spread, 1e-6, 100, "of genetic"),
    NUMBER("temperature", temperature, 1e-9, 1e9, "of mppi"),
    CALL("other-side", take_other,
         "what it is assumed to do: a policy's name, zero, plan (its last), search, fictitious (all its plans of this "
         "turn), network (by the policy of the key network); or several, race+search. csb: "
         "search, from 4096 rollouts on and by the clock fictitious; "
         "fantastic_bits: the policy striker, then striker+zero"),
    CALL("against", take_against, "of several: value a plan by mean (default) or worst"),
    NUMBER("share", other_share, 0.01, 0.99, "of search and fictitious: its share of the budget"),
    COUNT("rounds", other_rounds, 1, 1000,
          "and how often both search in turn (1; 3 from 4096 rollouts on and by the clock)"),
    COUNT("cut", cut_after, 0, 199,
          "ticks after which the worst of a generation are dropped (0: never). fantastic_bits: half the horizon"),
    NUMBER("cut-keep", cut_keep, 0.001, 0.999, "the fraction kept (0.25)"),
    NUMBER("discount", discount, 0, 1, "of rewards before the end"),
    NUMBER("reward", reward_weight, -1e6, 1e6, "their weight"),
    NUMBER("final", final_weight, -1e6, 1e6, "weight of the last state's value (1), except a network's"),
    CALL("network", take_network, "the file of a network (carom/network.h); its name must have no comma"),
    CALL("network-weight", take_network_weight,
         "of its value, which is added to the last state's value: 1 if it has one; with final=0 it is alone"),
    CALL("network-plan", take_network_plan,
         "1: plans start from its policy's, too (default if it has one); 0: they do not"),
    COUNT("seed", seed, 0, 18446744073709551615.0, "of what is drawn; 0 by default"),
    CALL("precision", take_precision, "of the search: f64 (default) or, with default options, f32"),
    CALL("value", take_value,
         "game (its final value), a value by name, or weights (default): csb's duel, match of other games; their "
         "weights "
         "are keys, too, named after it"),
};
#define KEYS (sizeof keys / sizeof keys[0])
#undef MEMBER
#undef COUNT
#undef NUMBER
#undef CALL

const char *carom_player_key(size_t index, const char **meaning)
{
    if (index >= KEYS) {
        return NULL;
    }
    if (meaning != NULL) {
        *meaning = keys[index].meaning;
    }
    return keys[index].name;
}

static carom_status set_count(plan_text *asked, const plan_key *key, const char *text)
{
    uint64_t count;
    if (!carom_read_count(text, &count)) {
        return WRONG("%s: '%.60s' is not a whole number", key->name, text);
    }
    if ((double)count < key->least || (double)count > key->most) {
        return WRONG("%s: %.60s is too %s, it must be at %s %.15g", key->name, text,
                     (double)count < key->least ? "small" : "large", (double)count < key->least ? "least" : "most",
                     (double)count < key->least ? key->least : key->most);
    }

    const uint32_t four = (uint32_t)count;
    memcpy((unsigned char *)&asked->made->search + key->offset,
           key->bytes == sizeof four ? (const void *)&four : (const void *)&count, key->bytes);
    return CAROM_OK;
}

/* Sets one key of the text. */
static carom_status set_key(plan_text *asked, const char *name, const char *text)
{
    size_t weights;
    const carom_value_weight *weight = carom_plan_weights(asked->game, &weights);
    for (size_t k = 0; k < weights; k++) {
        if (strcmp(name, weight[k].name) == 0) {
            return read_within(asked, name, text, -1e6, 1e6, &asked->made->weights[k]);
        }
    }
    for (size_t k = 0; k < KEYS; k++) {
        const plan_key *key = &keys[k];
        if (strcmp(name, key->name) != 0) {
            continue;
        }
        double number = 0;
        if (key->type == KEY_COUNT) {
            return set_count(asked, key, text);
        }
        if (key->type == KEY_CALL) {
            return key->take(asked, text);
        }
        const carom_status status = read_within(asked, name, text, key->least, key->most, &number);
        if (status == CAROM_OK) {
            memcpy((unsigned char *)&asked->made->search + key->offset, &number, sizeof number);
        }
        return status;
    }
    return WRONG("unknown key '%.60s' in '%.60s'", name, asked->text);
}

/* ---- texts ---- */

/* The planner with this name of `length` bytes; PLANNERS if there is none. */
static size_t planner_of(const char *text, size_t length)
{
    size_t k = 0;
    while (k < PLANNERS && (strlen(planner_names[k]) != length || strncmp(text, planner_names[k], length) != 0)) {
        k++;
    }
    return k;
}

#define NETWORK "network:"

bool carom_plan_is_planner(const char *text)
{
    return planner_of(text, strcspn(text, ":")) < PLANNERS || strncmp(text, NETWORK, strlen(NETWORK)) == 0;
}

/* The number of the other side's candidates in the last round. */
static size_t others_of(const plan_options *made)
{
    const size_t named = made->search.candidate_count > 0 ? made->search.candidate_count : 1;
    const size_t rounds = made->search.other_rounds > 0 ? made->search.other_rounds : 1;
    size_t others = named;
    for (size_t c = 0; c < named && !made->other_by_budget; c++) {
        others += made->candidates[c].other == CAROM_OTHER_FICTITIOUS ? rounds : 0;
    }
    return others;
}

/* Checks that involve several keys. */
static carom_status check_whole(plan_text *asked)
{
    const plan_options *made = asked->made;
    const size_t horizon = made->search.horizon > 0 ? made->search.horizon : carom_plan_horizon(asked->game);
    if (made->search.cut_after != CUT_BY_HORIZON && made->search.cut_after >= horizon) {
        return WRONG("cut: %zu ticks are not below the horizon, %zu", made->search.cut_after, horizon);
    }
    const size_t plans = others_of(made);
    bool network = made->network_weighed || made->network_planned;
    for (size_t c = 0; c < PLAN_CANDIDATES && !made->other_by_budget; c++) {
        network |= c < (made->search.candidate_count > 0 ? made->search.candidate_count : 1) &&
                   made->candidates[c].other == CAROM_OTHER_NETWORK;
    }
    if (network && made->network[0] == '\0') {
        return WRONG("network: no file is named; the other keys need one");
    }
    if (made->search.milliseconds <= 0 && made->search.rollouts / 4 < plans) {
        return WRONG("rollouts: less than 4 for each of %zu other sides", plans);
    }
    if (asked->game->info.players != 2 &&
        plans > (made->search.candidate_count > 0 ? made->search.candidate_count : 1)) {
        return WRONG("other-side: fictitious is for two players; %s has %u", asked->game->info.name,
                     asked->game->info.players);
    }
    return CAROM_OK;
}

carom_status carom_plan_read(const carom_game *game, const char *text, plan_options *made, carom_problem *problem)
{
    plan_text read = {made, game, text, problem}, *asked = &read;
    char copy[PLAN_TEXT];
    const size_t length = strlen(text), named = strcspn(text, ":"), planner = planner_of(text, named);
    if (length >= sizeof copy) {
        return WRONG("'%.60s...' is too long for a planner", text);
    }
    *made = carom_plan_default(game);
    if (strncmp(text, NETWORK, strlen(NETWORK)) == 0) {
        made->asks_policy = true;
        return take_network(asked, text + strlen(NETWORK));
    }
    if (planner == PLANNERS) {
        return WRONG("unknown planner '%.*s' (shooting, cem, genetic, mppi, or network:FILE)",
                     (int)(named < 60 ? named : 60), text);
    }
    made->search.planner = (carom_planner)planner;
    memcpy(copy, text, length + 1);

    /* The first key may be the budget alone. */
    carom_status status = CAROM_OK;
    for (char *next = copy[named] == ':' ? copy + named + 1 : NULL, *key = next; next != NULL && status == CAROM_OK;
         key = next) {
        next = strchr(key, ',');
        if (next != NULL) {
            *next++ = '\0';
        }
        char *value = strchr(key, '=');
        if (value != NULL) {
            *value++ = '\0';
            status = set_key(asked, key, value);
        } else if (key == copy + named + 1 && key[0] != '\0' && key[strspn(key, "0123456789")] == '\0') {
            status = set_key(asked, "rollouts", key);
        } else if (key[0] != '\0') {
            status = WRONG("'%.60s' in '%.60s' is no key=value", key, text);
        }
    }
    return status == CAROM_OK ? check_whole(asked) : status;
}
