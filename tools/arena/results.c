/* SPDX-License-Identifier: MIT
 * Results of single games: see results.h.
 */
#define _POSIX_C_SOURCE 200809L

#include "results.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- answers ---- */

arena_answers carom_answers_begin(void)
{
    return (arena_answers){.conduct = {.first = UINT64_MAX}};
}

void carom_answers_add(arena_answers *answers, double seconds, bool all)
{
    arena_conduct *conduct = &answers->conduct;
    conduct->answers++;
    conduct->seconds += seconds;
    conduct->slowest = seconds > conduct->slowest ? seconds : conduct->slowest;
    if (all) {
        if (answers->count == answers->room) {
            answers->seconds = carom_widen(answers->seconds, answers->count, &answers->room, sizeof *answers->seconds);
        }
        answers->seconds[answers->count++] = seconds;
    }
}

static int compare_seconds(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* ---- lines ---- */

static void write_answers(FILE *file, const arena_answers *answers)
{
    static const struct {
        const char *name;
        double share;
    } quantiles[] = {{"0.5", 0.5}, {"0.9", 0.9}, {"0.99", 0.99}, {"1", 1}};
    if (answers == NULL || answers->count == 0) {
        carom_json_file(file, "null");
        return;
    }
    qsort(answers->seconds, answers->count, sizeof *answers->seconds, compare_seconds);
    carom_json_file(file, "{'answers': %zu", answers->count);
    for (size_t k = 0; k < sizeof quantiles / sizeof quantiles[0]; k++) { /* the least not below the share */
        const double place = quantiles[k].share * (double)answers->count;
        size_t at = (size_t)place;
        at = (double)at == place && at > 0 ? at - 1 : at;
        carom_json_file(file, ", %s: %.6g", quantiles[k].name, 1e3 * answers->seconds[at]);
    }
    carom_json_file(file, "}");
}

static void write_trouble(FILE *file, const arena_answers *answers)
{
    if (answers == NULL || answers->trouble == TROUBLE_NONE) {
        carom_json_file(file, "null");
    } else {
        carom_json_file(file, "{'kind': %s, 'turn': %u, 'why': %s}", carom_trouble_names[answers->trouble],
                        (unsigned)answers->turn, answers->why);
    }
}

/* ", 'name': [...]": a list with an entry for each seat. */
static void write_list(FILE *file, const char *name, const arena_record *record, const arena_answers *answers)
{
    carom_json_file(file, ", %s: [", name);
    for (unsigned k = 0; k < record->seat_count; k++) {
        const arena_seat *seat = &record->seats[k];
        const arena_answers *answer = answers != NULL ? &answers[k] : NULL;
        carom_json_file(file, k > 0 ? ", " : "");
        if (strcmp(name, "times") == 0) {
            write_answers(file, answer);
        } else if (strcmp(name, "trouble") == 0) {
            write_trouble(file, answer);
        } else if (strcmp(name, "stderr") == 0) {
            carom_json_file(file, "%s", answer != NULL && answer->error[0] != '\0' ? answer->error : NULL);
        } else if (!record->ended) {
            carom_json_file(file, "null");
        } else if (strcmp(name, "score") == 0) {
            carom_json_file(file, "%d", (unsigned)seat->score);
        } else if (strcmp(name, "ticks") == 0) {
            carom_json_file(file, "%u", seat->ticks);
        } else {
            carom_json_file(file, "%.17g", seat->returns);
        }
    }
    carom_json_file(file, "]");
}

char *carom_results_line(const arena_options *options, const arena_pairing *pairing, const arena_record *record,
                         const arena_answers *answers)
{
    static const char *const lists[] = {"score", "returns", "ticks", "times", "trouble", "stderr"};
    char *line = NULL;
    size_t size;
    FILE *file = open_memstream(&line, &size);
    if (file == NULL) {
        carom_die("no memory for a game's result");
    }
    carom_json_file(file, "{'game': %s, 'seed': %" PRIu64 ", 'start': %" PRIu64 ", 'round': %u, 'seats': [",
                    options->name, options->seed, options->first + record->number / options->rounds,
                    (unsigned)(record->number % options->rounds));
    for (unsigned k = 0; k < record->seat_count; k++) {
        carom_json_file(file, k > 0 ? ", %s" : "%s", options->sides[pairing->sides[record->seats[k].side]].text);
    }
    carom_json_file(file, "], 'winner': ");
    if (record->winner < 0 || record->fault) {
        carom_json_file(file, "null, 'seat': null");
    } else {
        carom_json_file(file, "%s", options->sides[pairing->sides[record->winner]].text);
        if (record->winner_seat >= 0) {
            carom_json_file(file, ", 'seat': %d", (unsigned)record->winner_seat);
        } else {
            carom_json_file(file, ", 'seat': null");
        }
    }
    carom_json_file(file, ", 'fault': %i", record->fault);
    for (size_t k = 0; k < sizeof lists / sizeof lists[0]; k++) {
        write_list(file, lists[k], record, answers);
    }
    carom_json_file(file, "}\n");
    if (fclose(file) != 0 || line == NULL) {
        carom_die("no memory for a game's result");
    }
    return line;
}

/* ---- the file ---- */

static int compare_records(const void *a, const void *b)
{
    const arena_record *x = (const arena_record *)a, *y = (const arena_record *)b;
    return x->number != y->number ? (x->number > y->number) - (x->number < y->number)
                                  : (x->pairing > y->pairing) - (x->pairing < y->pairing);
}

void carom_results_sort(arena_record *records, size_t count)
{
    if (count > 0) {
        qsort(records, count, sizeof *records, compare_records);
    }
}

_Noreturn static void cannot_write(const arena_options *options)
{
    carom_die("cannot write '%s': %s", options->results, strerror(errno));
}

FILE *carom_results_open(const arena_options *options, uint64_t bytes)
{
    errno = 0;
    FILE *file = fopen(options->results, bytes > 0 ? "r+b" : "wb");
    if (file == NULL) {
        cannot_write(options);
    }
    if (bytes > 0) {
        if (fseeko(file, 0, SEEK_END) != 0 || ftello(file) < (off_t)bytes) {
            carom_die("%s is shorter than it was when the run was stopped", options->results);
        }
        if (ftruncate(fileno(file), (off_t)bytes) != 0 || fseeko(file, (off_t)bytes, SEEK_SET) != 0) {
            cannot_write(options);
        }
    }
    return file;
}

uint64_t carom_results_write(FILE *file, const arena_options *options, const arena_record *records, size_t count)
{
    for (size_t k = 0; k < count; k++) {
        fputs(records[k].line, file);
    }
    if (fflush(file) != 0 || fsync(fileno(file)) != 0) {
        cannot_write(options);
    }
    return (uint64_t)ftello(file);
}
