/* SPDX-License-Identifier: MIT
 * Ladders: see ladder.h.
 */
#include "ladder.h"
#include "ladder_file.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

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
    ladder *ladder;
    ladder_match *match;
} ladder_kept;

static void keep(const arena_options *options, const arena_progress *at, const arena_result *result, void *user)
{
    const ladder_kept *kept = (const ladder_kept *)user;
    const arena_pairing *pairing = &result->pairings[0];
    kept->ladder->bytes = at->bytes;
    kept->match->wins[0] = pairing->wins[0];
    kept->match->wins[1] = pairing->wins[1];
    kept->match->draws = pairing->draws;
    kept->match->sprt = result->sprt;
    carom_ladder_keep(options, kept->ladder);
}

/* Whether the added side is stronger than this rung. Plays until the test decides or all games are played; then more
 * points decide. *interrupted: not known. */
static bool beats(arena_options *options, ladder *l, const char *rung, bool *interrupted)
{
    arena_result result;
    ladder_match *match = find_match(l, options->add, rung);
    match = match != NULL ? match : carom_ladder_add_match(l, options->add, rung);
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
    options->sides[0] = carom_arena_side(options, options->add);
    options->side_count = 2;
    carom_ladder_resume(options, l);
    if (l->done) {
        return true;
    }
    if (!l->resumed) {
        l->place = take_off(l, options->add);
    }
    size_t place = l->place, first = 0, last = l->rung_count;
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
    carom_ladder_end(options, l);
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
    ladder l = carom_ladder_load(options);
    bool whole = true;
    if (options->add != NULL) {
        whole = climb(options, &l);
    } else if (l.file == NULL) {
        carom_die("there is no ladder %s: --add creates it", options->ladder);
    }
    tell(options, &l);
    carom_ladder_free(&l);
    return !whole;
}
