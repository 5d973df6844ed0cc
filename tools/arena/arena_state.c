/* SPDX-License-Identifier: MIT
 * An arena's games in pieces, with a file of what came out of those played so far: a run that was killed goes on behind
 * the last piece. All that is kept adds up, so pieces may be of any size.
 *
 * The file: the run in words, one line for each side; then the starts that are done, the seconds, and for each pairing
 * its numbers and two lines of first troubles.
 */
#include "../command/state_file.h"
#include "arena.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define PIECE_SECONDS 20.0 /* at most so long, as far as one can tell, and no more than that is lost */

/* What makes a run another one. run: the options. */
static void write_run(FILE *file, const void *run)
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

static void save(const arena_options *options, const arena_result *result, uint64_t done)
{
    FILE *file = carom_state_begin(options->state);
    write_run(file, options);
    fprintf(file, "starts %" PRIu64 " seconds %.17g\n", done, result->seconds);
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

static bool read_pairing(FILE *file, arena_pairing *pairing, uint64_t done)
{
    bool good = fscanf(file, "%" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNx64, &pairing->games,
                       &pairing->wins[0], &pairing->wins[1], &pairing->draws, &pairing->faults, &pairing->digest) == 6;
    good = good && read_conduct(file, &pairing->conduct[0]) && read_conduct(file, &pairing->conduct[1]);
    good = good && getc(file) == '\n' && pairing->games == 2 * done &&
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

/* The starts that are done; 0 if there is no file yet. */
static uint64_t load(const arena_options *options, arena_result *result)
{
    uint64_t done = 0;
    char end[8];
    FILE *file = carom_state_open(options->state);
    if (file == NULL) {
        return 0;
    }
    carom_state_check(file, options->state, write_run, options, "carom arena with these games, sides and options");
    bool good = fscanf(file, "starts %" SCNu64 " seconds %lf", &done, &result->seconds) == 2 && getc(file) == '\n' &&
                done <= options->end - options->begin;
    for (size_t i = 0; i < result->pairing_count && good; i++) {
        good = read_pairing(file, &result->pairings[i], done);
    }
    if (!good || fgets(end, sizeof end, file) == NULL || strcmp(end, "end\n") != 0) {
        carom_state_refuse(options->state, "arena");
    }
    fclose(file);
    return done;
}

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

void carom_arena_play_on(const arena_options *options, arena_result *result)
{
    arena_options piece = *options;
    piece.whole = options->end - options->begin;
    carom_arena_begin(options, result);
    piece.begin += load(options, result);
    uint64_t size = options->concurrency > 1 ? options->concurrency / 2 : 1; /* starts; two games each */
    while (piece.begin < options->end && !result->interrupted) {
        arena_result part;
        piece.end = options->end - piece.begin < size ? options->end : piece.begin + size;
        piece.played = result->pairings[0].games * result->pairing_count;
        carom_arena_play(&piece, &part);
        result->interrupted = part.interrupted;
        if (!part.interrupted) {
            add(result, &part);
            piece.begin = piece.end;
            save(options, result, piece.begin - options->begin);
            size = part.seconds < PIECE_SECONDS / 2           ? 2 * size
                   : part.seconds > PIECE_SECONDS && size > 1 ? size / 2
                                                              : size;
        }
        free(part.pairings);
    }
}
