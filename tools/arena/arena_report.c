/* SPDX-License-Identifier: MIT
 * Reports of an arena: scores with intervals, Elo, the sides' troubles.
 */
#include "arena.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

/* ---- scores ---- */

static double points_of(const arena_pairing *pairing, int which)
{
    return (double)pairing->wins[which] + 0.5 * (double)pairing->draws;
}

/* The pairing of two sides, and the index of `side` in it; NULL for a side and itself. */
static const arena_pairing *find_pairing(const arena_result *result, size_t side, size_t other, int *which)
{
    for (size_t i = 0; i < result->pairing_count; i++) {
        const arena_pairing *pairing = &result->pairings[i];
        for (int k = 0; k < 2; k++) {
            if (pairing->sides[k] == side && pairing->sides[1 - k] == other) {
                *which = k;
                return pairing;
            }
        }
    }
    return NULL;
}

static arena_score total_of(const arena_result *result, size_t side, double *games)
{
    double points = 0;
    *games = 0;
    for (size_t i = 0; i < result->pairing_count; i++) {
        for (int k = 0; k < 2; k++) {
            if (result->pairings[i].sides[k] == side) {
                points += points_of(&result->pairings[i], k);
                *games += (double)result->pairings[i].games;
            }
        }
    }
    return carom_arena_score(points, *games);
}

static void rate(const arena_options *options, const arena_result *result, arena_rating ratings[ARENA_SIDES])
{
    static double points[ARENA_SIDES * ARENA_SIDES], games[ARENA_SIDES * ARENA_SIDES];
    const size_t sides = options->side_count;
    memset(games, 0, sizeof games);
    for (size_t i = 0; i < result->pairing_count; i++) {
        const arena_pairing *pairing = &result->pairings[i];
        for (int k = 0; k < 2; k++) {
            const size_t at = pairing->sides[k] * sides + pairing->sides[1 - k];
            points[at] = points_of(pairing, k);
            games[at] = (double)pairing->games;
        }
    }
    carom_arena_rate(sides, points, games, ratings);
}

/* How side `side` behaved in all its games. */
static arena_conduct conduct_of(const arena_result *result, size_t side)
{
    arena_conduct sum = {.first = UINT64_MAX};
    for (size_t i = 0; i < result->pairing_count; i++) {
        for (int k = 0; k < 2; k++) {
            const arena_conduct *part = &result->pairings[i].conduct[k];
            if (result->pairings[i].sides[k] != side) {
                continue;
            }
            sum.answers += part->answers;
            sum.seconds += part->seconds;
            sum.slowest = fmax(sum.slowest, part->slowest);
            for (int t = 0; t < TROUBLES; t++) {
                sum.troubles[t] += part->troubles[t];
            }
            if (sum.first == UINT64_MAX && part->first != UINT64_MAX) {
                sum.first = part->first;
                snprintf(sum.why, sizeof sum.why, "%s", part->why);
            }
        }
    }
    return sum;
}

/* ---- text ---- */

static void print_conduct(const arena_conduct *conduct)
{
    if (conduct->answers > 0) {
        printf("      answers           %" PRIu64 ", mean %.2f ms, slowest %.1f ms\n", conduct->answers,
               1e3 * conduct->seconds / (double)conduct->answers, 1e3 * conduct->slowest);
    }
    if (conduct->first == UINT64_MAX) {
        return;
    }
    printf("      trouble           ");
    const char *comma = "";
    for (int k = 1; k < TROUBLES; k++) {
        if (conduct->troubles[k] > 0) {
            printf("%s%s %" PRIu64, comma, carom_trouble_names[k], conduct->troubles[k]);
            comma = ", ";
        }
    }
    printf("; first: %s\n", conduct->why);
}

static void print_pairing(const arena_pairing *pairing)
{
    const arena_score s = carom_arena_score(points_of(pairing, 0), (double)pairing->games);
    printf("\n  1 against 2\n    games               %" PRIu64 ": %" PRIu64 " won, %" PRIu64 " lost, %" PRIu64
           " drawn\n",
           pairing->games, pairing->wins[0], pairing->wins[1], pairing->draws);
    printf("    score               %.1f%%   (95%%: %.1f .. %.1f)\n", 100 * s.score, 100 * s.low, 100 * s.high);
    printf("    Elo                 %+.0f   (%+.0f .. %+.0f)\n", carom_arena_elo(s.score), carom_arena_elo(s.low),
           carom_arena_elo(s.high));
}

static void print_test(const arena_options *options, const arena_result *result)
{
    const arena_verdict verdict = carom_sprt_verdict(&result->sprt, options->rounds, options->sprt);
    printf("    test                ");
    if (verdict == SPRT_OPEN) {
        printf("not decided");
    } else {
        printf("Elo %g, not %g", options->sprt[verdict], options->sprt[1 - verdict]);
    }
    printf("; log-likelihood ratio %.2f (%.2f .. %.2f) after %" PRIu64 " starts\n",
           carom_sprt_ratio(&result->sprt, options->rounds, options->sprt), -SPRT_BOUND, SPRT_BOUND,
           result->sprt.starts);
}

/* Rows against columns: share of the points, in percent. */
static void print_table(const arena_options *options, const arena_result *result)
{
    arena_rating ratings[ARENA_SIDES];
    rate(options, result, ratings);
    printf("\n   side  rating (95%%)          score (95%%)           in %% against");
    for (size_t j = 0; j < options->side_count; j++) {
        printf(" %5zu", j + 1);
    }
    printf("\n");
    for (size_t i = 0; i < options->side_count; i++) {
        double games;
        const arena_score s = total_of(result, i, &games);
        printf("  %5zu  %+6.0f (%+5.0f .. %+5.0f)   %5.1f%% (%5.1f .. %5.1f)              ", i + 1, ratings[i].rating,
               ratings[i].low, ratings[i].high, 100 * s.score, 100 * s.low, 100 * s.high);
        for (size_t j = 0; j < options->side_count; j++) {
            int which;
            const arena_pairing *pairing = find_pairing(result, i, j, &which);
            if (pairing == NULL || pairing->games == 0) {
                printf("     -");
            } else {
                printf(" %5.1f", 100 * points_of(pairing, which) / (double)pairing->games);
            }
        }
        printf("\n");
    }
}

static void print_text(const arena_options *options, const arena_result *result)
{
    uint64_t games = 0, faults = 0, digest = 0;
    for (size_t i = 0; i < result->pairing_count; i++) {
        games += result->pairings[i].games;
        faults += result->pairings[i].faults;
        digest += result->pairings[i].digest;
    }
    printf("%s: %s\n\n  sides\n", options->name, carom_game_describe(options->game).title);
    for (size_t i = 0; i < options->side_count; i++) {
        const arena_conduct conduct = conduct_of(result, i);
        printf("    %zu  ", i + 1);
        carom_print_plain(options->sides[i].text);
        printf("\n");
        print_conduct(&conduct);
    }
    if (options->side_count == 2) {
        print_pairing(&result->pairings[0]);
    } else {
        print_table(options, result);
    }
    if (carom_arena_tests(options)) {
        print_test(options, result);
    }
    printf("\n  games played          %" PRIu64 "%s in %.1f s; every start %s, seed %" PRIu64 ", starts from %" PRIu64
           "\n",
           games, result->interrupted ? " (interrupted)" : "", result->seconds,
           options->rounds == 1   ? "by both sides"
           : options->rounds == 2 ? "from both seats"
                                  : "from all seats",
           options->seed, options->first);
    if (options->settings.count > 0) {
        printf("  options               %s\n", options->settings.all);
    }
    if (options->share.part.count > 1) {
        printf("  shard                 %" PRIu64 " of %" PRIu64 "\n", options->share.part.index,
               options->share.part.count);
    }
    if (faults > 0) {
        printf("  faults                %" PRIu64 " games, counted as drawn\n", faults);
    }
    printf("  digest                %016" PRIx64 "\n", digest);
}

/* ---- JSON ---- */

static void print_json_conduct(const arena_conduct *conduct, bool more)
{
    carom_json(more ? ", {'answers': %" PRIu64 : "{'answers': %" PRIu64, conduct->answers);
    carom_json(", 'seconds': %.9g, 'slowest': %.9g", conduct->seconds, conduct->slowest);
    for (int t = 1; t < TROUBLES; t++) {
        carom_json(", %s: %" PRIu64, carom_trouble_names[t], conduct->troubles[t]);
    }
    if (conduct->first != UINT64_MAX) {
        carom_json(", 'first_trouble': %s}", conduct->why);
    } else {
        carom_json(", 'first_trouble': null}");
    }
}

static void print_json_pairing(const arena_pairing *pairing, bool more)
{
    const arena_score s = carom_arena_score(points_of(pairing, 0), (double)pairing->games);
    carom_json(more ? ", {'a': %zu, 'b': %zu" : "{'a': %zu, 'b': %zu", pairing->sides[0], pairing->sides[1]);
    carom_json(", 'games': %" PRIu64 ", 'wins_a': %" PRIu64 ", 'wins_b': %" PRIu64 ", 'draws': %" PRIu64,
               pairing->games, pairing->wins[0], pairing->wins[1], pairing->draws);
    carom_json(", 'faults': %" PRIu64 ", 'digest': '%016" PRIx64 "', 'score_a': %.9g, 'interval': [%.9g, %.9g]",
               pairing->faults, pairing->digest, s.score, s.low, s.high);
    carom_json(", 'elo': %.9g, 'elo_interval': [%.9g, %.9g], 'conduct': [", carom_arena_elo(s.score),
               carom_arena_elo(s.low), carom_arena_elo(s.high));
    print_json_conduct(&pairing->conduct[0], false);
    print_json_conduct(&pairing->conduct[1], true);
    carom_json("]}");
}

static void print_json_test(const arena_options *options, const arena_result *result)
{
    const arena_verdict verdict = carom_sprt_verdict(&result->sprt, options->rounds, options->sprt);
    carom_json(", 'sprt': {'elo': [%.9g, %.9g], 'accepted': %.9g, 'ratio': %.9g, 'starts': %" PRIu64 "}",
               options->sprt[0], options->sprt[1], verdict == SPRT_OPEN ? NAN : options->sprt[verdict],
               carom_sprt_ratio(&result->sprt, options->rounds, options->sprt), result->sprt.starts);
}

static void print_json(const arena_options *options, const arena_result *result)
{
    const shard *part = &options->share.part;
    arena_rating ratings[ARENA_SIDES];
    rate(options, result, ratings);
    carom_json("{'command': 'arena', 'shard': [%" PRIu64 ", %" PRIu64 "], 'game': %s", part->index, part->count,
               options->name);
    carom_print_settings(&options->settings);
    carom_json(", 'version': %s, 'seed': %" PRIu64 ", 'first': %" PRIu64 ", 'games': %" PRIu64 ", 'gauntlet': %i",
               carom_version(), options->seed, options->first, options->games, options->gauntlet);
    carom_json(", 'ms': %.9g, 'first_ms': %.9g, 'patience': %.9g, 'late': %s, 'scores': %i", options->ms,
               options->first_ms, options->patience, options->late_plays ? "play" : "lose", options->scores);
    if (options->language != ARENA_CONTEST) {
        carom_json(", 'protocol': 'carom'");
    }
    if (options->observation_name != NULL) {
        carom_json(", 'observation': %s", options->observation_name);
    }
    if (carom_arena_tests(options)) {
        print_json_test(options, result);
    }
    carom_json(", 'seconds': %.9g, 'interrupted': %i, 'sides': [", result->seconds, result->interrupted);
    for (size_t i = 0; i < options->side_count; i++) {
        carom_json(i > 0 ? ", {'side': %s, 'rating': %.9g" : "{'side': %s, 'rating': %.9g", options->sides[i].text,
                   ratings[i].rating);
        carom_json(", 'interval': [%.9g, %.9g]}", ratings[i].low, ratings[i].high);
    }
    carom_json("], 'pairings': [");
    for (size_t i = 0; i < result->pairing_count; i++) {
        print_json_pairing(&result->pairings[i], i > 0);
    }
    carom_json("]}\n");
}

void carom_arena_report(const arena_options *options, const arena_result *result)
{
    if (options->json) {
        print_json(options, result);
    } else {
        print_text(options, result);
    }
}
