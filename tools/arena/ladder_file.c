/* SPDX-License-Identifier: MIT
 * The file of a ladder, and the state of a climb: see ladder_file.h.
 */
#define _POSIX_C_SOURCE 200809L

#include "ladder_file.h"
#include "../command/state_file.h"
#include "results.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- a ladder in JSON ---- */

/* A member of a file's object; dies if there is none. */
static const json_value *member(const char *path, const json_value *of, const char *key, json_kind kind)
{
    const json_value *found = carom_json_find(of, key);
    if (found == NULL || found->kind != kind) {
        carom_die("%s is no ladder of carom arena: it has no \"%s\"", path, key);
    }
    return found;
}

static uint64_t number(const char *path, const json_value *of, const char *key)
{
    return carom_parse_count(path, member(path, of, key, JSON_NUMBER)->text, 0, UINT64_MAX);
}

ladder_match *carom_ladder_add_match(ladder *l, const char *a, const char *b)
{
    if (l->match_count == l->match_room) {
        l->matches = carom_widen(l->matches, l->match_count, &l->match_room, sizeof *l->matches);
    }
    ladder_match *made = &l->matches[l->match_count++];
    *made = (ladder_match){.a = a, .b = b};
    return made;
}

static void read_matches(const arena_options *options, const char *path, const json_value *at, ladder *l)
{
    for (; at != NULL; at = at->next) {
        ladder_match *match = carom_ladder_add_match(l, member(path, at, "a", JSON_STRING)->text,
                                                     member(path, at, "b", JSON_STRING)->text);
        match->wins[0] = number(path, at, "wins_a");
        match->wins[1] = number(path, at, "wins_b");
        match->draws = number(path, at, "draws");
        match->sprt = (arena_sprt){number(path, at, "starts"), number(path, at, "points"), number(path, at, "squares")};
        if (match->wins[0] + match->wins[1] + match->draws != options->rounds * match->sprt.starts) {
            carom_die("%s is no ladder of carom arena: a match has other games than its starts", path);
        }
    }
}

static void read_ladder(const arena_options *options, const char *path, const json_value *run, ladder *l)
{
    const char *set = member(path, run, "options", JSON_STRING)->text;
    const char *game = member(path, run, "ladder", JSON_STRING)->text;
    if (strcmp(game, options->name) != 0 || strcmp(set, options->settings.all) != 0 ||
        number(path, run, "seed") != options->seed || number(path, run, "protocol") != (uint64_t)options->language) {
        carom_die("%s is another ladder: of %s with seed %s%s%s", path, game,
                  member(path, run, "seed", JSON_NUMBER)->text, set[0] != '\0' ? " and " : "", set);
    }
    for (const json_value *at = member(path, run, "rungs", JSON_ARRAY)->first; at != NULL; at = at->next) {
        if (at->kind != JSON_STRING || l->rung_count == MOST_RUNGS) {
            carom_die("%s is no ladder of carom arena: its \"rungs\" are not at most %d texts", path, MOST_RUNGS);
        }
        l->rungs[l->rung_count++] = at->text;
    }
    read_matches(options, path, member(path, run, "matches", JSON_ARRAY)->first, l);
}

static void write_ladder(FILE *file, const arena_options *options, const ladder *l)
{
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
    carom_json_file(file, "]}");
}

/* ---- the ladder's file ---- */

/* 64 bits of FNV-1a of a file; 0 if there is none. */
static uint64_t hash_of(const char *path)
{
    FILE *file = carom_state_open(path);
    uint64_t hash = file != NULL ? UINT64_C(0xcbf29ce484222325) : 0;
    for (int c = file != NULL ? getc(file) : EOF; c != EOF; c = getc(file)) {
        hash = (hash ^ (unsigned char)c) * UINT64_C(0x100000001b3);
    }
    if (file != NULL) {
        fclose(file);
    }
    return hash;
}

ladder carom_ladder_load(const arena_options *options)
{
    ladder l = {.was = hash_of(options->ladder)};
    if (access(options->ladder, F_OK) == 0) {
        l.file = carom_json_read(options->ladder);
        read_ladder(options, options->ladder, l.file->first, &l);
    }
    return l;
}

static void save(const arena_options *options, const ladder *l)
{
    FILE *file = carom_state_begin(options->ladder);
    write_ladder(file, options, l);
    fprintf(file, "\n");
    carom_state_end(file, options->ladder);
}

void carom_ladder_free(ladder *l)
{
    free(l->matches);
    if (l->file != NULL) {
        carom_json_free(l->file);
    }
}

/* ---- the state of a climb ---- */

/* The options that identify the climb; the caller frees the text. */
static char *run_of(const arena_options *options)
{
    arena_options climb = *options;
    char *text = NULL;
    size_t length;
    FILE *file = open_memstream(&text, &length);
    if (file == NULL) {
        carom_die("no memory for the state of a ladder");
    }
    climb.side_count = 1; /* the one that climbs */
    carom_arena_write_run(file, &climb);
    if (fclose(file) != 0 || text == NULL) {
        carom_die("no memory for the state of a ladder");
    }
    return text;
}

void carom_ladder_resume(const arena_options *options, ladder *l)
{
    if (options->state == NULL || access(options->state, F_OK) != 0) {
        return;
    }
    ladder kept = {.resumed = true};
    char *run = run_of(options);
    kept.file = carom_json_read(options->state);
    const json_value *state = kept.file->first, *of = carom_json_find(state, "climb");
    if (of == NULL || of->kind != JSON_STRING || strcmp(of->text, run) != 0) {
        carom_die("%s is not a state of carom arena with this ladder, side and options", options->state);
    }
    free(run);
    kept.was = number(options->state, state, "was");
    kept.place = number(options->state, state, "place");
    kept.bytes = number(options->state, state, "bytes");
    kept.done = strcmp(member(options->state, state, "done", JSON_BOOL)->text, "true") == 0;
    read_ladder(options, options->state, member(options->state, state, "now", JSON_OBJECT), &kept);
    const bool same = kept.was == l->was;
    if (!same && !kept.done) {
        carom_die("%s has changed since %s was saved; without --state the side is added to it as it is now",
                  options->ladder, options->state);
    }

    /* After the end of a climb the file differs from what it was; other sides may have been added, too. */
    if (!same) {
        l->done = true;
        carom_ladder_free(&kept);
        return;
    }
    carom_ladder_free(l);
    *l = kept;
    if (l->done) { /* killed before the ladder was written */
        save(options, l);
    }
}

static void save_state(const arena_options *options, const ladder *l)
{
    char *run = run_of(options);
    FILE *file = carom_state_begin(options->state);
    carom_json_file(file, "{'climb': %s,\n 'was': %" PRIu64 ", 'place': %zu, 'bytes': %" PRIu64 ", 'done': %i,\n", run,
                    l->was, l->place, l->bytes, l->done);
    carom_json_file(file, " 'now': ");
    write_ladder(file, options, l);
    carom_json_file(file, "}\n");
    carom_state_end(file, options->state);
    free(run);
}

void carom_ladder_keep(const arena_options *options, const ladder *l)
{
    if (options->state != NULL) {
        save_state(options, l);
    } else {
        save(options, l);
    }
}

void carom_ladder_end(const arena_options *options, ladder *l)
{
    /* The state first: if the command is killed in between, the ladder is still what it was, and gets what the state
     * holds the next time. */
    l->done = true;
    if (options->state != NULL) {
        save_state(options, l);
    }
    save(options, l);
}
