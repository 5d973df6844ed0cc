/* SPDX-License-Identifier: MIT
 * `carom merge` for parts of `carom arena` and `carom tune`: see merge_games.h.
 */
#include "merge_games.h"

#include "../arena/tune.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* Optional members. */
static bool may_lack(const char *name)
{
    return strcmp(name, "options") == 0 || strcmp(name, "protocol") == 0 || strcmp(name, "observation") == 0;
}

/* Dies unless the members of these names are equal. */
static void check_same(const merge_part *a, const merge_part *b, const char *const *names)
{
    for (; *names != NULL; names++) {
        const json_value *x = carom_json_find(a->run, *names), *y = carom_json_find(b->run, *names);
        if (x != NULL || y != NULL || !may_lack(*names)) {
            carom_parts_same(a, x, b, y, *names);
        }
    }
}

/* The --set options of the run. */
static game_settings settings_of(const merge_part *part)
{
    game_settings settings = {.count = 0};
    if (carom_json_find(part->run, "options") != NULL) {
        const char *text = carom_part_member(part, part->run, "options", JSON_STRING)->text;
        settings.count = 1;
        if (snprintf(settings.all, sizeof settings.all, "%s", text) >= (int)sizeof settings.all) {
            carom_die("%s: \"options\" are too long", part->path);
        }
        carom_plain(settings.all);
    }
    return settings;
}

/* ---- arena ---- */

static void add_conduct(const merge_part *part, const json_value *from, arena_conduct *sum)
{
    const double slowest = carom_part_seconds(part, from, "slowest");
    carom_part_add(part, from, "answers", &sum->answers);
    sum->seconds += carom_part_seconds(part, from, "seconds");
    sum->slowest = slowest > sum->slowest ? slowest : sum->slowest;
    for (int k = 1; k < TROUBLES; k++) {
        carom_part_add(part, from, carom_trouble_names[k], &sum->troubles[k]);
    }
    const json_value *why = carom_json_find(from, "first_trouble");
    if (why != NULL && why->kind == JSON_STRING &&
        sum->first == UINT64_MAX) { /* parts are in the order of their games */
        sum->first = 0;
        snprintf(sum->why, sizeof sum->why, "%s", why->text);
        carom_plain(sum->why);
    }
}

/* `games`: those of a part in every pairing. */
static void add_pairing(const merge_part *part, const json_value *from, uint64_t games, arena_pairing *sum)
{
    arena_pairing found = {.games = 0};
    carom_part_add(part, from, "wins_a", &found.games);
    carom_part_add(part, from, "wins_b", &found.games);
    carom_part_add(part, from, "draws", &found.games);
    if (carom_part_whole(part, from, "a") != sum->sides[0] || carom_part_whole(part, from, "b") != sum->sides[1]) {
        carom_die("%s: \"pairings\" are not those of its sides", part->path);
    }
    if (found.games != games || carom_part_whole(part, from, "games") != games) {
        carom_die("%s: a part of this run has %" PRIu64 " games of every two sides", part->path, games);
    }
    sum->games += games;
    sum->wins[0] += carom_part_whole(part, from, "wins_a");
    sum->wins[1] += carom_part_whole(part, from, "wins_b");
    sum->draws += carom_part_whole(part, from, "draws");
    carom_part_add(part, from, "faults", &sum->faults);
    sum->digest += carom_part_digest(part, from, "digest");
    const json_value *conduct = carom_part_member(part, from, "conduct", JSON_ARRAY)->first;
    for (int k = 0; k < 2; k++, conduct = conduct->next) {
        if (conduct == NULL) {
            carom_die("%s: \"conduct\" is not of two sides", part->path);
        }
        add_conduct(part, conduct, &sum->conduct[k]);
    }
}

static void read_sides(const merge_part *part, arena_options *options)
{
    const json_value *side = carom_part_member(part, part->run, "sides", JSON_ARRAY)->first;
    for (; side != NULL && options->side_count < ARENA_SIDES; side = side->next) {
        options->sides[options->side_count++].text = carom_part_member(part, side, "side", JSON_STRING)->text;
    }
    if (options->side_count < 2 || side != NULL) {
        carom_die("%s: \"sides\" are not 2 to %d", part->path, ARENA_SIDES);
    }
}

static arena_options read_arena(const merge_part *part)
{
    arena_options options = {.name = carom_part_member(part, part->run, "game", JSON_STRING)->text,
                             .seed = carom_part_whole(part, part->run, "seed"),
                             .first = carom_part_whole(part, part->run, "first"),
                             .games = carom_part_whole(part, part->run, "games"),
                             .ms = carom_part_number(part, part->run, "ms"),
                             .first_ms = carom_part_number(part, part->run, "first_ms"),
                             .patience = carom_part_number(part, part->run, "patience"),
                             .late_plays =
                                 strcmp(carom_part_member(part, part->run, "late", JSON_STRING)->text, "play") == 0,
                             .scores = carom_part_bool(part, part->run, "scores"),
                             .gauntlet = carom_part_bool(part, part->run, "gauntlet"),
                             .settings = settings_of(part),
                             .share = {{0, 1}, NULL}};
    carom_arena_load(&options);
    if (carom_json_find(part->run, "protocol") != NULL) {
        options.language = ARENA_LINES;
    }
    if (carom_json_find(part->run, "observation") != NULL) {
        options.observation_name = carom_part_member(part, part->run, "observation", JSON_STRING)->text;
    }
    if (options.games == 0 || options.games % options.rounds != 0) {
        carom_die("%s: a run of %" PRIu64 " games is none of carom arena", part->path, options.games);
    }
    read_sides(part, &options);
    return options;
}

/* Dies unless part k belongs to the same run as part 0, with these options. */
static void check_arena(const merge_part *parts, size_t k, const arena_options *options)
{
    static const char *const same[] = {"game",  "version",  "options",  "seed",        "first",
                                       "games", "gauntlet", "ms",       "first_ms",    "patience",
                                       "late",  "scores",   "protocol", "observation", NULL};
    check_same(&parts[0], &parts[k], same);
    arena_options others = {.side_count = 0};
    read_sides(&parts[k], &others);
    for (size_t i = 0; i < options->side_count; i++) {
        if (others.side_count != options->side_count || strcmp(others.sides[i].text, options->sides[i].text) != 0) {
            carom_die("%s and %s are not of one run: they differ in \"sides\"", parts[0].path, parts[k].path);
        }
    }
}

void carom_merge_arena(const merge_part *parts, size_t count, bool json)
{
    arena_options options = read_arena(&parts[0]);
    options.json = json;
    arena_result result;
    carom_arena_begin(&options, &result);
    for (size_t k = 0; k < count; k++) {
        check_arena(parts, k, &options);
        uint64_t begin, end;
        carom_part_share(&parts[k], k, count, options.games / options.rounds, &begin, &end);
        const json_value *pairing = carom_part_member(&parts[k], parts[k].run, "pairings", JSON_ARRAY)->first;
        for (size_t i = 0; i < result.pairing_count; i++, pairing = pairing->next) {
            if (pairing == NULL) {
                carom_die("%s: \"pairings\" are too few", parts[k].path);
            }
            add_pairing(&parts[k], pairing, options.rounds * (end - begin), &result.pairings[i]);
        }
    }
    result.seconds = carom_parts_slowest(parts, count, "seconds");
    carom_arena_report(&options, &result);
    free(result.pairings);
    carom_scene_destroy(options.scene);
}

/* ---- tune ---- */

static const json_value *first_of(const merge_part *part, const char *key)
{
    return carom_part_member(part, part->run, key, JSON_ARRAY)->first;
}

/* The next number of a list; moves *at after it. */
static const char *next_number(const merge_part *part, const json_value **at)
{
    if (*at == NULL || (*at)->kind != JSON_NUMBER) {
        carom_die("%s: a list of numbers is too short: not a part of a run of carom tune", part->path);
    }
    const char *text = (*at)->text;
    *at = (*at)->next;
    return text;
}

static void check_same_list(const merge_part *a, const merge_part *b, const char *key)
{
    const json_value *x = first_of(a, key), *y = first_of(b, key);
    for (; x != NULL; x = x->next, y = y->next) {
        carom_parts_same(a, x, b, y, key);
    }
}

void carom_merge_tune(const merge_part *parts, size_t count, const char *path)
{
    static const char *const same[] = {"game",  "version",    "options", "plan",       "seed",
                                       "games", "population", "elites",  "generation", NULL};
    const merge_part *first = &parts[0];
    if (path == NULL) {
        carom_die("--state: which file is the next generation's?");
    }
    tune_options options = {.name = carom_part_member(first, first->run, "game", JSON_STRING)->text,
                            .settings = settings_of(first),
                            .state = path,
                            .seed = carom_part_whole(first, first->run, "seed"),
                            .games = carom_part_whole(first, first->run, "games"),
                            .population = (size_t)carom_part_whole(first, first->run, "population"),
                            .elites = (size_t)carom_part_whole(first, first->run, "elites")};
    if (carom_protocol_find(options.name) == NULL || options.population > TUNE_CANDIDATES || options.elites == 0 ||
        options.elites > options.population || options.games == 0 || options.games > 1000000) {
        carom_die("%s: no run of carom tune has such numbers", first->path);
    }
    tune_state s = {.generation = carom_part_whole(first, first->run, "generation")};
    options.game = carom_game_find(options.name);
    (void)carom_plan_weights(options.game, &s.weights);
    const json_value *at = first_of(first, "weights");
    for (size_t k = 0; k < 2 * s.weights; k++) {
        const double weight = carom_parse_number(first->path, next_number(first, &at), -100, 100);
        *(k < s.weights ? &s.mean[k] : &s.spread[k - s.weights]) = weight;
    }
    tune_points points = {.digest = 0};
    for (size_t i = 0; i < count; i++) {
        check_same(first, &parts[i], same);
        check_same_list(first, &parts[i], "weights");
        uint64_t begin, end;
        carom_part_share(&parts[i], i, count, options.games / 2, &begin, &end);
        at = first_of(&parts[i], "points");
        for (size_t c = 0; c < options.population; c++) { /* two for a win, and two games for each start */
            points.of[c] += carom_parse_count(parts[i].path, next_number(&parts[i], &at), 0, 4 * (end - begin));
        }
        points.digest += carom_part_digest(&parts[i], parts[i].run, "digest");
    }
    char line[TUNE_LINE];
    carom_tune_improve(&options, &s, &points, line);
    carom_tune_save(&options, &s);
    puts(line);
}
