/* SPDX-License-Identifier: MIT
 * Ladders: see ladder.h.
 */
#include "ladder.h"
#include "../command/json_read.h"
#include "../command/state_file.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MOST_RUNGS 256

typedef struct ladder_match {
    const char *a, *b;
    uint64_t wins[2], draws, digest;
    arena_sprt sprt; /* the points are a's */
} ladder_match;

typedef struct ladder {
    const char *rungs[MOST_RUNGS]; /* strongest first */
    size_t rung_count;
    ladder_match *matches;
    size_t match_count, match_room;
    uint64_t bytes;   /* of the file of results, so far */
    json_value *file; /* owns the texts; NULL: there was no file */
} ladder;

/* ---- the file ---- */

static const json_value *member(const arena_options *options, const json_value *of, const char *key, json_kind kind)
{
    const json_value *found = carom_json_find(of, key);
    if (found == NULL || found->kind != kind) {
        carom_die("%s is no ladder of carom arena: it has no \"%s\"", options->ladder, key);
    }
    return found;
}

static uint64_t number(const arena_options *options, const json_value *of, const char *key)
{
    return carom_parse_count(options->ladder, member(options, of, key, JSON_NUMBER)->text, 0, UINT64_MAX);
}

static ladder_match *add_match(ladder *l, const char *a, const char *b)
{
    if (l->match_count == l->match_room) {
        l->matches = carom_widen(l->matches, l->match_count, &l->match_room, sizeof *l->matches);
    }
    ladder_match *made = &l->matches[l->match_count++];
    *made = (ladder_match){.a = a, .b = b};
    return made;
}

static ladder load(const arena_options *options)
{
    ladder l = {.rung_count = 0};
    if (access(options->ladder, F_OK) != 0) {
        return l;
    }
    l.file = carom_json_read(options->ladder);
    const json_value *run = l.file->first;
    const char *set = member(options, run, "options", JSON_STRING)->text;
    const char *game = member(options, run, "ladder", JSON_STRING)->text;
    if (strcmp(game, options->name) != 0 || strcmp(set, options->settings.all) != 0 ||
        number(options, run, "seed") != options->seed ||
        number(options, run, "protocol") != (uint64_t)options->language) {
        carom_die("%s is another ladder: of %s with seed %s%s%s", options->ladder, game,
                  member(options, run, "seed", JSON_NUMBER)->text, set[0] != '\0' ? " and " : "", set);
    }
    for (const json_value *at = member(options, run, "rungs", JSON_ARRAY)->first; at != NULL; at = at->next) {
        if (at->kind != JSON_STRING || l.rung_count == MOST_RUNGS) {
            carom_die("%s is no ladder of carom arena: its \"rungs\" are not at most %d texts", options->ladder,
                      MOST_RUNGS);
        }
        l.rungs[l.rung_count++] = at->text;
    }
    for (const json_value *at = member(options, run, "matches", JSON_ARRAY)->first; at != NULL; at = at->next) {
        ladder_match *match =
            add_match(&l, member(options, at, "a", JSON_STRING)->text, member(options, at, "b", JSON_STRING)->text);
        match->wins[0] = number(options, at, "wins_a");
        match->wins[1] = number(options, at, "wins_b");
        match->draws = number(options, at, "draws");
        match->sprt =
            (arena_sprt){number(options, at, "starts"), number(options, at, "points"), number(options, at, "squares")};
        if (match->wins[0] + match->wins[1] + match->draws != options->rounds * match->sprt.starts) {
            carom_die("%s is no ladder of carom arena: a match has other games than its starts", options->ladder);
        }
    }
    return l;
}

static void save(const arena_options *options, const ladder *l)
{
    FILE *file = carom_state_begin(options->ladder);
    carom_json_file(file, "{'ladder': %s, 'options': %s, 'seed': %" PRIu64 ", 'protocol': %d,\n 'rungs': [",
                    options->name, options->settings.all, options->seed, (unsigned)options->language);
    for (size_t k = 0; k < l->rung_count; k++) {
        carom_json_file(file, k > 0 ? ",\n  %s" : "\n  %s", l->rungs[k]);
    }
    carom_json_file(file, "],\n 'matches': [");
    for (size_t k = 0; k < l->match_count; k++) {
        const ladder_match *match = &l->matches[k];
        carom_json_file(file, k > 0 ? ",\n  {'a': %s, 'b': %s" : "\n  {'a': %s, 'b': %s", match->a, match->b);
        carom_json_file(file, ", 'wins_a': %" PRIu64 ", 'wins_b': %" PRIu64 ", 'draws': %" PRIu64, match->wins[0],
                        match->wins[1], match->draws);
        carom_json_file(file, ", 'starts': %" PRIu64 ", 'points': %" PRIu64 ", 'squares': %" PRIu64 "}",
                        match->sprt.starts, match->sprt.points, match->sprt.squares);
    }
    carom_json_file(file, "]}\n");
    carom_state_end(file, options->ladder);
}

/* ---- a match ---- */

/* The match of two sides, in this order; NULL: none yet. */
static ladder_match *find_match(const ladder *l, const char *a, const char *b)
{
    for (size_t k = 0; k < l->match_count; k++) {
        if (strcmp(l->matches[k].a, a) == 0 && strcmp(l->matches[k].b, b) == 0) {
            return &l->matches[k];
        }
    }
    return NULL;
}

/* What to save after a piece of a match. */
typedef struct ladder_kept {
    const ladder *ladder;
    ladder_match *match;
} ladder_kept;

static void keep(const arena_options *options, const arena_progress *at, const arena_result *result, void *user)
{
    const ladder_kept *kept = (const ladder_kept *)user;
    const arena_pairing *pairing = &result->pairings[0];
    (void)at;
    kept->match->wins[0] = pairing->wins[0];
    kept->match->wins[1] = pairing->wins[1];
    kept->match->draws = pairing->draws;
    kept->match->sprt = result->sprt;
    save(options, kept->ladder);
}

/* Whether the added side is stronger than this rung. Plays until the test decides or all games are played; then more
 * points decide. *interrupted: not known. */
static bool beats(arena_options *options, ladder *l, const char *rung, bool *interrupted)
{
    arena_result result;
    ladder_match *match = find_match(l, options->add, rung);
    match = match != NULL ? match : add_match(l, options->add, rung);
    ladder_kept kept = {l, match};
    arena_progress at = {match->sprt.starts, l->bytes};
    carom_arena_begin(options, &result);
    result.pairings[0].wins[0] = match->wins[0];
    result.pairings[0].wins[1] = match->wins[1];
    result.pairings[0].draws = match->draws;
    result.pairings[0].games = match->wins[0] + match->wins[1] + match->draws;
    result.sprt = match->sprt;
    if (at.done > options->end) {
        carom_die("%s: a match has %" PRIu64 " games already, and --games is %" PRIu64, options->ladder,
                  result.pairings[0].games, options->games);
    }
    carom_arena_go_on(options, &result, &at, keep, &kept);
    *interrupted = result.interrupted;
    l->bytes = at.bytes;
    free(result.pairings);
    const arena_verdict verdict = carom_sprt_verdict(&match->sprt, options->rounds, options->sprt);
    fprintf(stderr, "%s %s: %" PRIu64 " won, %" PRIu64 " lost, %" PRIu64 " drawn\n",
            verdict == SPRT_SECOND  ? "stronger than"
            : verdict == SPRT_FIRST ? "weaker than"
                                    : "about as strong as",
            rung, match->wins[0], match->wins[1], match->draws);
    return verdict == SPRT_SECOND || (verdict == SPRT_OPEN && match->wins[0] > match->wins[1]);
}

/* ---- climbing ---- */

/* Removes a side from the ladder, with all its matches; returns its position, or the middle if it was not on the
 * ladder. */
static size_t take_off(ladder *l, const char *text)
{
    size_t place = 0, kept = 0;
    while (place < l->rung_count && strcmp(l->rungs[place], text) != 0) {
        place++;
    }
    if (place == l->rung_count) {
        return l->rung_count / 2;
    }
    l->rung_count--;
    for (size_t k = place; k < l->rung_count; k++) {
        l->rungs[k] = l->rungs[k + 1];
    }
    for (size_t k = 0; k < l->match_count; k++) {
        if (strcmp(l->matches[k].a, text) != 0 && strcmp(l->matches[k].b, text) != 0) {
            l->matches[kept++] = l->matches[k];
        }
    }
    l->match_count = kept;
    return place;
}

/* The added side's position is between `first` and `last`: all rungs above `first` are stronger, those from `last` on
 * weaker. It plays the neighbours of its assumed position until only one position is left. */
static bool climb(arena_options *options, ladder *l)
{
    size_t place = take_off(l, options->add), first = 0, last = l->rung_count;
    options->sides[0] = carom_arena_side(options, options->add);
    options->side_count = 2;
    if (l->rung_count == MOST_RUNGS) {
        carom_die("%s has %d rungs already", options->ladder, MOST_RUNGS);
    }
    while (first < last) {
        const size_t rung = place < last ? place : place - 1; /* the rung below the position, or the one above */
        bool interrupted;
        options->sides[1] = carom_arena_side(options, l->rungs[rung]);
        if (beats(options, l, l->rungs[rung], &interrupted)) {
            last = rung;
        } else {
            first = rung + 1;
        }
        if (interrupted) {
            return false;
        }
        place = place < first || place > last ? (first + last) / 2 : place;
    }
    for (size_t k = l->rung_count; k > first; k--) {
        l->rungs[k] = l->rungs[k - 1];
    }
    l->rungs[first] = options->add;
    l->rung_count++;
    save(options, l);
    return true;
}

/* ---- the report ---- */

static void rate(const ladder *l, arena_rating *ratings, double *games)
{
    const size_t n = l->rung_count;
    double *points = carom_allocate(n * n + 1, sizeof *points);
    for (size_t i = 0; i < n; i++) {
        for (size_t j = 0; j < n; j++) {
            const ladder_match *match = find_match(l, l->rungs[i], l->rungs[j]);
            if (match != NULL) {
                const double all = (double)(match->wins[0] + match->wins[1] + match->draws);
                const double won = (double)match->wins[0] + 0.5 * (double)match->draws;
                points[i * n + j] += won;
                points[j * n + i] += all - won;
                games[i * n + j] += all;
                games[j * n + i] += all;
            }
        }
    }
    carom_arena_rate(n, points, games, ratings);
    free(points);
}

static void tell(const arena_options *options, const ladder *l)
{
    const size_t n = l->rung_count;
    arena_rating *ratings = carom_allocate(n + 1, sizeof *ratings);
    double *games = carom_allocate(n * n + 1, sizeof *games);
    rate(l, ratings, games);
    if (options->json) {
        carom_json("{'command': 'ladder', 'game': %s, 'rungs': [", options->name);
    } else {
        printf("%s\n\n  rung  rating (95%%)          games  side\n", options->ladder);
    }
    for (size_t k = 0; k < n; k++) {
        double played = 0;
        for (size_t j = 0; j < n; j++) {
            played += games[k * n + j];
        }
        if (options->json) {
            carom_json(k > 0 ? ", {'side': %s" : "{'side': %s", l->rungs[k]);
            carom_json(", 'games': %.9g, 'rating': %.9g, 'interval': [%.9g, %.9g]}", played, ratings[k].rating,
                       ratings[k].low, ratings[k].high);
        } else {
            printf("  %4zu  %+6.0f (%+5.0f .. %+5.0f)  %5.0f  ", k + 1, ratings[k].rating, ratings[k].low,
                   ratings[k].high, played);
            carom_print_plain(l->rungs[k]);
            printf("\n");
        }
    }
    printf(options->json ? "]}\n" : "");
    free(ratings);
    free(games);
}

bool carom_arena_ladder(arena_options *options)
{
    ladder l = load(options);
    bool whole = true;
    if (options->add != NULL) {
        whole = climb(options, &l);
    } else if (l.file == NULL) {
        carom_die("there is no ladder %s: --add creates it", options->ladder);
    }
    tell(options, &l);
    free(l.matches);
    if (l.file != NULL) {
        carom_json_free(l.file);
    }
    return !whole;
}
