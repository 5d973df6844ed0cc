/* SPDX-License-Identifier: MIT
 * Sides that search: see plan.h.
 */
#define _POSIX_C_SOURCE 200809L

#include "../command/command.h"
#include "f32_copy.h"
#include "plan_value.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char *const planner_names[] = {
    [CAROM_SHOOTING] = "shooting", [CAROM_CEM] = "cem", [CAROM_GENETIC] = "genetic", [CAROM_MPPI] = "mppi"};
#define PLANNERS (sizeof planner_names / sizeof planner_names[0])

struct planner {
    const protocol *speech;
    unsigned player;
    size_t size; /* numbers of an action */
    bool csb;
    size_t worlds;
    double weights[PLAN_WEIGHTS];
    carom_search *search;
    carom_worlds *mirror; /* the worlds in f32; NULL: it searches in the worlds themselves */
    float *actions;       /* [world][size] */
    double *angles;       /* csb: [world][4] */
};

/* ---- options ---- */

#define CSB_VALUE "duel"   /* of its values by name */
#define MANY_ROLLOUTS 4096 /* of a turn */
#define HORIZON 6
#define CUT_BY_HORIZON SIZE_MAX

/* Those of the game's own value. */
static const plan_weight *csb_weights(size_t *count)
{
    static plan_weight weights[CAROM_CSB_VALUE_WEIGHTS];
    const carom_game *game = carom_game_find("csb");
    size_t value = 0;
    (void)carom_game_find_value_kind(game, CSB_VALUE, &value);
    for (size_t k = 0; k < CAROM_CSB_VALUE_WEIGHTS; k++) {
        carom_value_weight weight;
        (void)carom_game_value_weight(game, value, k, &weight);
        weights[k] = (plan_weight){weight.name, weight.weight};
    }
    *count = CAROM_CSB_VALUE_WEIGHTS;
    return weights;
}

const plan_weight *carom_plan_weights(const char *game, size_t *count)
{
    *count = 0;
    return strcmp(game, "csb") == 0              ? csb_weights(count)
           : strcmp(game, "fantastic_bits") == 0 ? carom_plan_fantastic_bits(count)
                                                 : NULL;
}

plan_options carom_plan_default(const carom_game *game)
{
    const char *name = carom_game_describe(game).name;
    plan_options made = {.search = carom_search_desc_default(game), .precision = CAROM_F64};
    size_t count;
    const plan_weight *weights = carom_plan_weights(name, &count);
    for (size_t k = 0; k < count; k++) {
        made.weights[k] = weights[k].value;
    }
    made.own_value = weights == NULL;
    made.search.planner = CAROM_CEM;
    made.search.against = CAROM_AGAINST_MEAN;
    const bool csb = strcmp(name, "csb") == 0;
    made.search.reward_weight = csb ? 0 : 1; /* csb's value has the progress in it, and the end */
    /* In csb pods get in each other's way: it pays to search for the other side's plan, too. In fantastic_bits it does
     * not, and its first policy is the other side; there the cut pays: bench/strength --only "other side", "cut". */
    made.search.other = csb ? CAROM_OTHER_SEARCH : CAROM_OTHER_POLICY;
    made.search.cut_after = csb ? 0 : CUT_BY_HORIZON;
    /* The rest by the budget: fit_budget(). */
    made.search.sequences = made.search.horizon = made.search.other_rounds = 0;
    made.other_by_budget = true;
    return made;
}

bool carom_plan_is_planner(const char *text)
{
    for (size_t k = 0; k < PLANNERS; k++) {
        const size_t length = strlen(planner_names[k]);
        if (strncmp(text, planner_names[k], length) == 0 && (text[length] == '\0' || text[length] == ':')) {
            return true;
        }
    }
    return false;
}

static carom_candidate other_of(const carom_game *game, const char *value)
{
    static const char *const names[] = {[CAROM_OTHER_ZERO] = "zero",
                                        [CAROM_OTHER_POLICY] = NULL,
                                        [CAROM_OTHER_PLAN] = "plan",
                                        [CAROM_OTHER_SEARCH] = "search",
                                        [CAROM_OTHER_FICTITIOUS] = "fictitious"};
    char policies[NAMES_SIZE];
    for (size_t k = 0; k < sizeof names / sizeof names[0]; k++) {
        if (names[k] != NULL && strcmp(names[k], value) == 0) {
            return (carom_candidate){(carom_other)k, 0};
        }
    }
    carom_candidate found = {CAROM_OTHER_POLICY, 0};
    if (carom_game_find_policy(game, value, &found.policy) != CAROM_OK) {
        carom_die("other-side: unknown choice '%s' (zero, plan, search, fictitious, %s)", value,
                  carom_policy_names(game, policies));
    }
    return found;
}

/* One, or several: race+search. */
static void set_other(const carom_game *game, char *value, plan_options *made)
{
    char *save = NULL;
    size_t count = 0;
    for (char *one = strtok_r(value, "+", &save); one != NULL; one = strtok_r(NULL, "+", &save)) {
        if (count == PLAN_CANDIDATES) {
            carom_die("other-side: more than %d", PLAN_CANDIDATES);
        }
        made->candidates[count++] = other_of(game, one);
    }
    if (count == 0) {
        carom_die("other-side: none is named");
    }
    made->other_by_budget = false;
    made->search.other = made->candidates[0].other;
    made->search.policy = made->candidates[0].policy;
    made->search.candidate_count = count > 1 ? count : 0;
}

/* A planner's text while it is read. */
typedef struct plan_text {
    plan_options made;
    const carom_game *game;
} plan_text;

static const char *const against_names[] = {[CAROM_AGAINST_WORST] = "worst", [CAROM_AGAINST_MEAN] = "mean", NULL};

static void take_other(const char *name, const char *text, void *to)
{
    plan_text *asked = (plan_text *)to;
    char copy[1024];
    (void)name;
    snprintf(copy, sizeof copy, "%s", text);
    set_other(asked->game, copy, &asked->made);
}

/* With the game's own value rewards count in full. */
static void take_value(const char *name, const char *text, void *to)
{
    plan_text *asked = (plan_text *)to;
    size_t weights;
    if (strcmp(text, "game") != 0 && strcmp(text, "weights") != 0) {
        carom_die("%s: unknown choice '%s' (game or weights)", name, text);
    }
    (void)carom_plan_weights(carom_game_describe(asked->game).name, &weights);
    asked->made.own_value = text[0] == 'g' || weights == 0;
    asked->made.search.reward_weight = asked->made.own_value ? 1 : carom_plan_default(asked->game).search.reward_weight;
}

/* Keys: what is not said follows from the game and the budget. */
#define OPTIONS plan_text
#define KEY_COUNT(key, member, from, to, meaning) COUNT(key, made.search.member, from, to, UINT64_MAX, meaning)
#define KEY_NUMBER(key, member, from, to, meaning) NUMBER(key, made.search.member, from, to, INFINITY, meaning)
static const argument_row key_rows[] = {
    KEY_COUNT("rollouts", rollouts, 4, UINT64_C(1) << 40, "the budget of a turn, 1024 by default,"),
    KEY_NUMBER("ms", milliseconds, 1, 1e6, "or in milliseconds"),
    KEY_COUNT("horizon", horizon, 1, 200, "ticks of a plan (6; csb with fictitious play from 4096 rollouts on: 7)"),
    KEY_COUNT("hold", hold, 1, 200, "ticks that a row of it is played for"),
    KEY_COUNT("sequences", sequences, 4, 1 << 20,
              "of a generation (a 96th of the rollouts, fantastic_bits a 20th; 128 to 2048)"),
    KEY_COUNT("elites", elites, 2, 1 << 20, "the best of them"),
    KEY_NUMBER("sigma", sigma, 1e-6, 100, "of cem (carom/search.h)"),
    KEY_NUMBER("least", sigma_least, 0, 100, "of cem: sigma_least"),
    KEY_NUMBER("keep", keep, 0, 0.999, "of cem"),
    KEY_NUMBER("mutation", mutation, 1e-6, 1, "of genetic"),
    KEY_NUMBER("spread", mutation_spread, 1e-6, 100, "of genetic"),
    KEY_NUMBER("temperature", temperature, 1e-9, 1e9, "of mppi"),
    CALL_WITH_ALL(
        "other-side", take_other,
        "what it does meanwhile: a policy's name, zero, plan (its last one), search, fictitious (all its plans "
        "of this turn); several at once, race+search. csb: search, from 4096 rollouts on and by the clock "
        "fictitious; fantastic_bits: the policy striker, then striker+zero"),
    CHOICE("against", made.search.against, against_names, -1,
           "of several: what a plan is worth, mean (default) or worst"),
    KEY_NUMBER("share", other_share, 0.01, 0.99, "of search and fictitious: its part of the budget"),
    KEY_COUNT("rounds", other_rounds, 1, 1000,
              "and how often both search in turn (once; 3 times from 4096 rollouts on, and by the clock)"),
    KEY_COUNT("cut", cut_after, 0, 199,
              "ticks after which the worst of a generation are given up (0: never). fantastic_bits: after half the "
              "horizon"),
    KEY_NUMBER("cut-keep", cut_keep, 0.001, 0.999, "the part that goes on (0.25)"),
    KEY_NUMBER("discount", discount, 0, 1, "of rewards on the way"),
    KEY_NUMBER("reward", reward_weight, -1e6, 1e6, "their weight"),
    COUNT("seed", made.search.seed, 0, UINT64_MAX, 0, "of what is drawn"),
    CALL("precision", made.precision, carom_take_precision, NULL,
         "f64 (default), or f32: to search in, in the arena's games, which are f64"),
    CALL_WITH_ALL("value", take_value, "game (its final value) or weights (default), which are keys, too"),
    END};

/* One key of the text; false if there is no such key. */
static bool set_key(plan_text *asked, const char *key, const char *value)
{
    size_t weights;
    const plan_weight *weight = carom_plan_weights(carom_game_describe(asked->game).name, &weights);
    for (size_t k = 0; k < weights; k++) {
        if (strcmp(key, weight[k].name) == 0) {
            asked->made.weights[k] = carom_parse_number(key, value, -1e6, 1e6);
            return true;
        }
    }
    void *to = asked;
    const argument_row *row = carom_find_argument(key_rows, key, strlen(key), &to);
    if (row != NULL) {
        carom_read_argument(row, value, to);
    }
    return row != NULL;
}

/* How many things the other side may do, in the last round. */
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

plan_options carom_plan_parse(const carom_game *game, const char *text)
{
    plan_text asked = {carom_plan_default(game), game};
    char copy[1024], *save = NULL;
    const size_t length = strlen(text);
    if (length >= sizeof copy) {
        carom_die("'%.60s...' is too long for a planner", text);
    }
    memcpy(copy, text, length + 1);
    char *keys = strchr(copy, ':');
    if (keys != NULL) {
        *keys++ = '\0';
    }
    if (!carom_plan_is_planner(text)) {
        carom_die("unknown planner '%s' (shooting, cem, genetic, mppi)", copy);
    }
    for (size_t k = 0; k < PLANNERS; k++) {
        if (strcmp(copy, planner_names[k]) == 0) {
            asked.made.search.planner = (carom_planner)k;
        }
    }
    for (char *key = keys != NULL ? strtok_r(keys, ",", &save) : NULL; key != NULL; key = strtok_r(NULL, ",", &save)) {
        char *value = strchr(key, '=');
        if (value == NULL) {
            carom_die("'%s' in '%s' is no key=value", key, text);
        }
        *value++ = '\0';
        if (!set_key(&asked, key, value)) {
            carom_die("unknown key '%s' in '%s' (see carom bot --help)", key, text);
        }
    }
    const plan_options made = asked.made;
    const size_t horizon = made.search.horizon > 0 ? made.search.horizon : HORIZON;
    if (made.search.cut_after != CUT_BY_HORIZON && made.search.cut_after >= horizon) {
        carom_die("cut: %zu ticks are not less than the horizon, %zu", made.search.cut_after, horizon);
    }
    const size_t plans = others_of(&made);
    if (made.search.milliseconds <= 0 && made.search.rollouts / 4 < plans) {
        carom_die("rollouts: less than 4 for each of %zu other sides", plans);
    }
    return made;
}

void carom_plan_allow(const plan_options *options, const void *set)
{
    if (options->precision == CAROM_F32 && set != NULL) {
        carom_die("precision=f32: the game must have its default options, not --set");
    }
}

static void print_weights(const char *game)
{
    size_t count;
    const plan_weight *weights = carom_plan_weights(game, &count);
    static const char *const csb[] = {
        "progress of the own runner, in checkpoints; the runner is the pod ahead, the guard the other",
        "its speed towards its checkpoint, in 1000 units a turn",
        "does it look at its checkpoint: -1 to 1",
        "progress of the guard",
        "progress of the other side's runner, the rival",
        "how near the guard is to the rival's checkpoint: 1 there, 0 at 16000 units",
        "how near it is to the rival",
        "does it look at the rival: -1 to 1",
        "1 if the game is won, -1 if it is lost",
        "how near the other side's guard is to the own runner's checkpoint",
        "how near it is to the own runner"};
    static const char *const fantastic_bits[] = {
        "how much nearer the snaffles are to the other's goal than to one's own, in fields, summed",
        "distance of each wizard to a snaffle of its own, in 16000 units, summed",
        "the snaffles' speed towards the other's goal, in 1000 units a turn, summed",
        "own wizards that hold a snaffle, less the other's",
        "own mana, in 100",
        "a bludger within 2000 units of a wizard: 1 if it touches, 0 at that distance",
        "the snaffle nearest to one's own goal, in fields",
        "distance of the other's wizards to snaffles of their own, as `near`",
        "whose wizard is nearer to a snaffle: -1 to 1, summed",
        "1 if the own wizards are nearer to as many snaffles as win, -1 if the other's are"};
    const char *const *about = strcmp(game, "csb") == 0 ? csb : fantastic_bits;
    printf("\nweights of %s\n", game);
    for (size_t k = 0; k < count; k++) {
        printf("  %-14s %-5g %s\n", weights[k].name, weights[k].value, about[k]);
    }
}

void carom_plan_help(void)
{
    puts("\nkeys of PLANNER:KEYS, also as a side of carom arena (--a carom:cem:rollouts=1000,horizon=8)");
    carom_print_rows(key_rows);
    print_weights("csb");
    print_weights("fantastic_bits");
}

/* ---- planning ---- */

/* What pays with this budget (docs/search.md, "Strength"). A search that goes on improving a plan finds an answer to
 * what the other side is thought to do, and to nothing else. So with many rollouts it draws more at a time, and looks
 * at more that the other side may do: in csb both sides plan in turn, the player answers all plans that the other side
 * has had, and then it also pays to look further; in fantastic_bits the other side may also stand still. */
static void fit_budget(carom_search_desc *search, bool csb, bool other_by_budget)
{
    static const carom_candidate guesses[] = {{CAROM_OTHER_POLICY, 0}, {CAROM_OTHER_ZERO, 0}};
    const double a_ms = csb ? 1500 : 500, generations = csb ? 96 : 20; /* on one thread, about */
    const double expected = search->milliseconds > 0 ? a_ms * search->milliseconds : (double)search->rollouts;
    const double drawn = fmin(fmax(expected / generations, 128), 2048);
    const bool many = expected >= MANY_ROLLOUTS;
    search->sequences = search->sequences > 0 ? search->sequences : (size_t)drawn / 64 * 64;
    search->other_rounds = search->other_rounds > 0 ? search->other_rounds : many ? 3 : 1;
    if (other_by_budget && many && csb) {
        search->other = CAROM_OTHER_FICTITIOUS;
    } else if (other_by_budget && many) {
        search->candidates = guesses;
        search->candidate_count = sizeof guesses / sizeof guesses[0];
    }
    if (search->horizon == 0) {
        search->horizon = many && search->other == CAROM_OTHER_FICTITIOUS ? HORIZON + 1 : HORIZON;
    }
    if (search->cut_after == CUT_BY_HORIZON) {
        search->cut_after = search->horizon / 2;
    }
}

planner *carom_planner_create(const carom_worlds *worlds, const plan_options *options, unsigned player)
{
    const carom_worlds_desc desc = carom_worlds_describe(worlds);
    const char *game = carom_game_describe(desc.game).name;
    carom_search_desc search = options->search;
    carom_action_kind kind;
    planner *made = (planner *)carom_allocate(1, sizeof *made);
    carom_demand(carom_game_action_kind(desc.game, search.action_kind, &kind), "plan");
    made->speech = carom_protocol_find(game);
    made->player = player;
    made->size = kind.size;
    made->csb = strcmp(game, "csb") == 0;
    made->worlds = desc.count;
    memcpy(made->weights, options->weights, sizeof options->weights);
    made->actions = (float *)carom_allocate(desc.count * made->size, sizeof *made->actions);
    made->angles = (double *)carom_allocate(desc.count * 4, sizeof *made->angles);
    search.player = player;
    search.candidates = search.candidate_count > 0 ? options->candidates : NULL;
    fit_budget(&search, made->csb, options->other_by_budget);
    if (!options->own_value && made->csb) {
        (void)carom_game_find_value_kind(desc.game, CSB_VALUE, &search.value_kind);
        search.weights = made->weights;
    } else if (!options->own_value) {
        search.value = carom_plan_value;
        search.user = made->weights;
    }
    if (options->precision == CAROM_F32) {
        made->mirror = carom_f32_copy_create(worlds);
    }
    carom_demand(carom_search_create(made->mirror != NULL ? made->mirror : worlds, &search, &made->search),
                 "make a search of these options");
    return made;
}

void carom_planner_destroy(planner *made)
{
    if (made != NULL) {
        carom_search_destroy(made->search);
        carom_worlds_destroy(made->mirror);
        free(made->actions);
        free(made->angles);
        free(made);
    }
}

void carom_planner_set_time(planner *asked, double milliseconds)
{
    carom_demand(carom_search_set_budget(asked->search, 0, milliseconds), "plan");
}

/* In the first turn pods turn as far as they like, which no normalised action says: those of a new game look at their
 * checkpoint before they plan. The angles as they were are kept. */
static void turn_pods(planner *asked, carom_worlds *worlds, size_t field)
{
    const size_t count = asked->worlds;
    for (size_t w = 0; w < count; w++) {
        double x[4], y[4], cx[4], cy[4], angles[4];
        int32_t tick;
        carom_protocol_get(worlds, w, "tick", &tick);
        carom_protocol_get(worlds, w, "angle", asked->angles + 4 * w);
        if (tick == 0) {
            carom_protocol_get(worlds, w, "x", x);
            carom_protocol_get(worlds, w, "y", y);
            carom_protocol_get(worlds, w, "cx", cx);
            carom_protocol_get(worlds, w, "cy", cy);
            for (int i = 0; i < 4; i++) {
                angles[i] = atan2(cy[i] - y[i], cx[i] - x[i]);
            }
            carom_demand(carom_worlds_set(worlds, field, w, 1, angles), "plan");
        }
    }
}

void carom_planner_think(planner *asked, carom_worlds *worlds, char (*lines)[PROTOCOL_LINES][PROTOCOL_LINE])
{
    const size_t count = asked->worlds;
    size_t field = 0;
    if (asked->csb) {
        carom_demand(carom_worlds_find_field(worlds, "angle", &field), "plan");
        turn_pods(asked, worlds, field);
    }
    const carom_worlds *roots = worlds;
    if (asked->mirror != NULL) {
        carom_f32_copy_set(asked->mirror, worlds);
        roots = asked->mirror;
    }
    const carom_status status = carom_search_run(asked->search, roots);
    if (status != CAROM_ERROR_CANCELLED) {
        carom_demand(status, "search");
    }
    carom_demand(carom_search_actions(asked->search, asked->player, asked->actions), "plan");
    for (size_t w = 0; w < count && lines != NULL; w++) {
        asked->speech->say(worlds, w, asked->player, asked->actions + w * asked->size, lines[w]);
    }
    if (asked->csb) {
        carom_demand(carom_worlds_set(worlds, field, 0, count, asked->angles), "plan");
    }
}

const float *carom_planner_numbers(const planner *asked)
{
    return asked->actions;
}

carom_search *carom_planner_search(const planner *asked)
{
    return asked->search;
}

carom_search_report carom_planner_last(const planner *asked)
{
    return carom_search_last(asked->search);
}

double carom_planner_pause(const planner *asked)
{
    const carom_search_report did = carom_search_last(asked->search);
    if (did.generations == 0) {
        return 0;
    }
    carom_search_generation generation = {0};
    double a_tick = INFINITY, longest = 0, before = 0; /* seconds of the fastest's ticks; ticks of the longest */
    for (size_t k = 0; carom_search_generation_at(asked->search, k, &generation) == CAROM_OK; k++) {
        a_tick = fmin(a_tick, (generation.seconds - before) / (double)generation.ticks);
        longest = fmax(longest, (double)generation.ticks);
        before = generation.seconds;
    }
    double pause = did.seconds - before - a_tick * longest; /* of one that was given up */
    before = 0;
    for (size_t k = 0; carom_search_generation_at(asked->search, k, &generation) == CAROM_OK; k++) {
        pause = fmax(pause, generation.seconds - before - a_tick * (double)generation.ticks);
        before = generation.seconds;
    }
    return 1000 * fmax(pause, 0);
}

double carom_planner_value(const planner *asked)
{
    double *values = (double *)carom_allocate(asked->worlds, sizeof *values);
    carom_demand(carom_search_returns(asked->search, values), "plan");
    const double value = values[0];
    free(values);
    return value;
}
