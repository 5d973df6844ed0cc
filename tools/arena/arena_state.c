/* SPDX-License-Identifier: MIT
 * An arena's games in pieces, with a file of the results so far: a run that was killed continues after the last piece.
 * All results are sums, so pieces may have any size.
 *
 * The file: the run in words, a line for each side; then the starts done, the seconds, the state of the test, the bytes
 * of the file of results and, for each pairing, its numbers and two lines of first troubles.
 */
#include "../command/state_file.h"
#include "results.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define PIECE_SECONDS 20.0 /* expected limit of a piece, so the most that can be lost */
#define TEST_SECONDS 2.0   /* likewise if a test may end the run */

void carom_arena_write_run(FILE *file, const void *run)
{
    const arena_options *options = (const arena_options *)run;
    fprintf(file, "carom arena %s %s seed %" PRIu64 " first %" PRIu64 " games %" PRIu64 " shard %" PRIu64 " %" PRIu64,
            carom_version(), options->name, options->seed, options->first, options->games, options->share.part.index,
            options->share.part.count);
    fprintf(file, " gauntlet %d scores %d late %d ms %.17g %.17g %.17g\n", options->gauntlet, options->scores,
            options->late_plays, 1e-3 * options->ms, 1e-3 * options->first_ms, options->patience);
    if (options->settings.count > 0) {
        fprintf(file, "set %s\n", options->settings.all);
    }
    if (options->language != ARENA_CONTEST || options->observation_name != NULL) {
        fprintf(file, "lines %d %zu\n", options->language, options->observation);
    }
    if (carom_arena_tests(options)) {
        fprintf(file, "sprt %.17g %.17g\n", options->sprt[0], options->sprt[1]);
    }
    if (options->results != NULL) {
        fprintf(file, "results %s\n", options->results);
    }
    for (size_t i = 0; i < options->side_count; i++) {
        fprintf(file, "side %s\n", options->sides[i].text);
    }
}

static void write_conduct(FILE *file, const arena_conduct *conduct)
{
    fprintf(file, " %" PRIu64 " %.17g %.17g", conduct->answers, conduct->seconds, conduct->slowest);
    for (int k = 1; k < TROUBLES; k++) {
        fprintf(file, " %" PRIu64, conduct->troubles[k]);
    }
    fprintf(file, " %" PRIu64, conduct->first);
}

static void save(const arena_options *options, const arena_progress *at, const arena_result *result, void *user)
{
    (void)user;
    if (options->state == NULL) {
        return;
    }
    FILE *file = carom_state_begin(options->state);
    carom_arena_write_run(file, options);
    fprintf(file, "starts %" PRIu64 " seconds %.17g\n", at->done, result->seconds);
    if (carom_arena_tests(options)) {
        fprintf(file, "tested %" PRIu64 " %" PRIu64 " %" PRIu64 "\n", result->sprt.starts, result->sprt.points,
                result->sprt.squares);
    }
    if (options->results != NULL) {
        fprintf(file, "bytes %" PRIu64 "\n", at->bytes);
    }
    for (size_t i = 0; i < result->pairing_count; i++) {
        const arena_pairing *pairing = &result->pairings[i];
        fprintf(file, "%" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 " %016" PRIx64, pairing->games,
                pairing->wins[0], pairing->wins[1], pairing->draws, pairing->faults, pairing->digest);
        write_conduct(file, &pairing->conduct[0]);
        write_conduct(file, &pairing->conduct[1]);
        fprintf(file, "\n");
        for (int k = 0; k < 2; k++) {
            fprintf(file, "%s\n", pairing->conduct[k].why);
        }
    }
    fprintf(file, "end\n");
    carom_state_end(file, options->state);
}

static bool read_conduct(FILE *file, arena_conduct *conduct)
{
    bool good = fscanf(file, "%" SCNu64 " %lf %lf", &conduct->answers, &conduct->seconds, &conduct->slowest) == 3;
    for (int k = 1; k < TROUBLES; k++) {
        good = good && fscanf(file, "%" SCNu64, &conduct->troubles[k]) == 1;
    }
    return good && fscanf(file, "%" SCNu64, &conduct->first) == 1;
}

static bool read_pairing(FILE *file, arena_pairing *pairing, uint64_t games)
{
    bool good = fscanf(file, "%" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNx64, &pairing->games,
                       &pairing->wins[0], &pairing->wins[1], &pairing->draws, &pairing->faults, &pairing->digest) == 6;
    good = good && read_conduct(file, &pairing->conduct[0]) && read_conduct(file, &pairing->conduct[1]);
    good = good && getc(file) == '\n' && pairing->games == games &&
           pairing->wins[0] + pairing->wins[1] + pairing->draws == pairing->games;
    for (int k = 0; k < 2 && good; k++) {
        char line[sizeof pairing->conduct[k].why + 1];
        good = fgets(line, sizeof line, file) != NULL && strchr(line, '\n') != NULL;
        if (good) {
            line[strcspn(line, "\n")] = '\0';
            memcpy(pairing->conduct[k].why, carom_plain(line), strlen(line) + 1);
        }
    }
    return good;
}

/* Reads nothing if there is no file yet. */
static arena_progress load(const arena_options *options, arena_result *result)
{
    arena_progress at = {0, 0};
    char end[8];
    FILE *file = options->state != NULL ? carom_state_open(options->state) : NULL;
    if (file == NULL) {
        return at;
    }
    carom_state_check(file, options->state, carom_arena_write_run, options,
                      "carom arena with these games, sides and options");
    bool good = fscanf(file, "starts %" SCNu64 " seconds %lf", &at.done, &result->seconds) == 2 && getc(file) == '\n' &&
                at.done <= options->end - options->begin;
    if (carom_arena_tests(options)) {
        good = good && fscanf(file, "tested %" SCNu64 " %" SCNu64 " %" SCNu64, &result->sprt.starts,
                              &result->sprt.points, &result->sprt.squares) == 3;
        good = good && getc(file) == '\n' && result->sprt.starts == at.done;
    }
    if (options->results != NULL) {
        good = good && fscanf(file, "bytes %" SCNu64, &at.bytes) == 1 && getc(file) == '\n';
    }
    for (size_t i = 0; i < result->pairing_count && good; i++) {
        good = read_pairing(file, &result->pairings[i], options->rounds * at.done);
    }
    if (!good || fgets(end, sizeof end, file) == NULL || strcmp(end, "end\n") != 0) {
        carom_state_refuse(options->state, "arena");
    }
    fclose(file);
    return at;
}

/* ---- pieces ---- */

static void add(arena_result *sum, const arena_result *part)
{
    for (size_t i = 0; i < sum->pairing_count; i++) {
        arena_pairing *to = &sum->pairings[i];
        const arena_pairing *from = &part->pairings[i];
        to->games += from->games;
        to->wins[0] += from->wins[0];
        to->wins[1] += from->wins[1];
        to->draws += from->draws;
        to->faults += from->faults;
        to->digest += from->digest;
        carom_arena_add_conduct(&to->conduct[0], &from->conduct[0]);
        carom_arena_add_conduct(&to->conduct[1], &from->conduct[1]);
    }
    sum->seconds += part->seconds;
}

/* Counts the games kept by a piece, start by start, until the test is decided. Later starts are discarded, so that the
 * result does not depend on the size of pieces. Returns the starts counted. */
static size_t count_kept(const arena_options *options, arena_result *sum, const arena_result *part)
{
    size_t at = 0, starts = 0;
    bool open = true;
    while (at < part->record_count && open) {
        unsigned points = 0;
        for (size_t k = 0; k < options->rounds * part->pairing_count; k++, at++) {
            const arena_record *record = &part->records[at];
            const bool drawn = record->winner < 0 || record->fault;
            carom_arena_count(&sum->pairings[record->pairing], record);
            points += drawn ? 1 : record->winner == 0 ? 2 : 0;
        }
        starts++;
        if (carom_arena_tests(options)) {
            carom_sprt_add(&sum->sprt, points);
            open = carom_sprt_verdict(&sum->sprt, options->rounds, options->sprt) == SPRT_OPEN;
        }
    }
    return starts;
}

static void free_records(arena_result *part)
{
    for (size_t k = 0; k < part->record_count; k++) {
        free(part->records[k].line);
    }
    free(part->records);
    free(part->pairings);
}

static bool is_over(const arena_options *options, const arena_progress *at, const arena_result *result)
{
    return at->done == options->end - options->begin || result->interrupted ||
           (carom_arena_tests(options) &&
            carom_sprt_verdict(&result->sprt, options->rounds, options->sprt) != SPRT_OPEN);
}

void carom_arena_go_on(const arena_options *options, arena_result *result, arena_progress *at, arena_keep keep,
                       void *user)
{
    arena_options piece = *options;
    piece.whole = options->end - options->begin;
    FILE *results = options->results != NULL ? carom_results_open(options, at->bytes) : NULL;
    const double longest = carom_arena_tests(options) ? TEST_SECONDS : PIECE_SECONDS;
    uint64_t size = options->concurrency > options->rounds ? options->concurrency / options->rounds : 1; /* starts */
    while (!is_over(options, at, result)) {
        arena_result part;
        piece.begin = options->begin + at->done;
        piece.end = options->end - piece.begin < size ? options->end : piece.begin + size;
        piece.played = result->pairings[0].games * result->pairing_count;
        carom_arena_play(&piece, &part);
        result->interrupted = part.interrupted;
        if (!part.interrupted) {
            add(result, &part);
            const size_t starts = count_kept(options, result, &part);
            const size_t games = starts * options->rounds * part.pairing_count;
            at->done = part.keeps ? at->done + starts : piece.end - options->begin;
            at->bytes = results != NULL ? carom_results_write(results, options, part.records, games) : 0;
            keep(options, at, result, user);
            size = part.seconds < longest / 2 ? 2 * size : part.seconds > longest && size > 1 ? size / 2 : size;
        }
        free_records(&part);
    }
    if (results != NULL) {
        fclose(results);
    }
}

void carom_arena_play_on(const arena_options *options, arena_result *result)
{
    carom_arena_begin(options, result);
    arena_progress at = load(options, result);
    carom_arena_go_on(options, result, &at, save, NULL);
}
