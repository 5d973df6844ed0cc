/* SPDX-License-Identifier: MIT
 * `carom replay`: plays a replay again and compares every world after every tick with the recording.
 */
#define _POSIX_C_SOURCE 200809L /* strtok_r */

#include "../source/game_file.h"
#include "replay_file.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

typedef struct replay_options {
    const char *path;
    const carom_game *game;
    carom_isa isa;
    unsigned threads;
    bool json, notes;
} replay_options;

/* Opens the game; it stays open. */
static void take_game(const char *name, const char *text, void *to)
{
    *(const carom_game **)to = carom_load_game(text);
    if (*(const carom_game **)to == NULL) {
        carom_die("%s: '%s' is not a game", name, text);
    }
}

#define OPTIONS replay_options
static const argument_row rows[] = {
    WORD("replay", path),
    /* NOLINTNEXTLINE(bugprone-sizeof-expression): the size of a pointer is meant */
    CALL("--game GAME.so", game, take_game, NULL, "the plug-in game of the replay; its code is run"), ISA, THREADS,
    FLAG("--notes", notes, "also print the players' names and messages, and the programs' output on standard error"),
    FLAG("--json", json, "one JSON object instead of a line"), END};

typedef struct replay_job {
    const replay_options *options;
    const carom_replay *replay;
    uint64_t ticks, progress;
    carom_status status;
    carom_replay_difference difference;
} replay_job;

static void show(void *argument)
{
    const replay_job *job = argument;
    carom_progress_draw((double)__atomic_load_n(&job->progress, __ATOMIC_RELAXED) / ((double)job->ticks + 1), "");
}

static void verify(void *argument)
{
    replay_job *job = argument;
    job->status = carom_replay_verify(job->replay, job->options->isa, job->options->threads, &carom_interrupt,
                                      &job->progress, &job->difference);
}

static const char *const note_names[] = {[CAROM_NOTE_NAME] = "name",
                                         [CAROM_NOTE_MESSAGE] = "message",
                                         [CAROM_NOTE_ERROR] = "error",
                                         [CAROM_NOTE_REFEREE] = "referee"};

/* The text of a note, to be freed; a zero becomes a question mark. */
static char *text_of(const carom_replay_note *note)
{
    char *text = carom_allocate(note->length + 1, 1);
    memcpy(text, note->text, note->length);
    for (size_t k = 0; k < note->length; k++) {
        if (text[k] == '\0') {
            text[k] = '?';
        }
    }
    return text;
}

/* "tick 3, world 0, player 1, message: hello"; further lines are indented. */
static void print_note(const carom_replay_note *note)
{
    char *text = text_of(note), *save = NULL;
    printf("  tick %" PRIu64 ", world %zu, player %u, %s:", note->tick, note->world, note->player,
           note_names[note->kind]);
    const char *first = strchr(text, '\n');
    const bool several = first != NULL && first[1] != '\0';
    for (char *line = strtok_r(text, "\n", &save); line != NULL; line = strtok_r(NULL, "\n", &save)) {
        printf("%s", several ? "\n    " : " ");
        carom_print_plain(line);
    }
    printf("\n");
    free(text);
}

static void print_notes(const replay_job *job)
{
    carom_replay_note note;
    for (size_t k = 0; carom_replay_note_at(job->replay, k, &note) == CAROM_OK; k++) {
        if (!job->options->json) {
            print_note(&note);
            continue;
        }
        char *text = text_of(&note);
        carom_json(k > 0 ? ", " : "");
        carom_json("{'tick': %" PRIu64 ", 'world': %zu, 'player': %u, 'kind': %s, 'text': %s}", note.tick, note.world,
                   note.player, note_names[note.kind], text);
        free(text);
    }
}

static void print_text(const replay_job *job, const carom_replay_info *info)
{
    const carom_replay_difference *d = &job->difference;
    printf("%s: %s, %zu world%s, ", job->options->path, carom_game_describe(info->game).name, info->worlds,
           info->worlds == 1 ? "" : "s");
    if (d->found) {
        printf("DIFFERS after tick %" PRIu64 " in world %zu (id %" PRIu64 "): ", d->ticks, d->world, d->id);
        if (d->values) {
            printf("%s[%u] was %.17g and is %.17g\n", d->field, d->element, d->was, d->is);
        } else if (d->field != NULL) {
            printf("field %s\n", d->field);
        } else {
            printf("its hash\n");
        }
    } else {
        printf("%" PRIu64 " of %" PRIu64 " ticks: the same%s\n", job->progress, job->ticks,
               info->whole ? "" : "; the file has no end: it was cut off or is still being written");
    }
}

static void print_json(const replay_job *job, const carom_replay_info *info)
{
    const carom_replay_difference *d = &job->difference;
    carom_json("{'replay': %s, 'game': %s, 'precision': 'f%d', 'worlds': %zu, 'ticks': %" PRIu64 ", 'seed': %" PRIu64,
               job->options->path, carom_game_describe(info->game).name, (int)info->precision, info->worlds,
               info->ticks, info->seed);
    carom_json(", 'whole': %i, 'compared': %" PRIu64, info->whole, job->progress);
    if (job->options->notes) {
        carom_json(", 'notes': [");
        print_notes(job);
        carom_json("]");
    }
    carom_json(", 'difference': ");
    if (!d->found) {
        carom_json("null}\n");
        return;
    }
    carom_json("{'tick': %" PRIu64 ", 'world': %zu, 'id': %" PRIu64 ", 'field': %s", d->ticks, d->world, d->id,
               d->field);
    if (d->values) {
        carom_json(", 'element': %u, 'was': %.17g, 'is': %.17g", d->element, d->was, d->is);
    }
    carom_json("}}\n");
}

static int run(arguments *args)
{
    replay_options options = {.path = NULL};
    carom_read_arguments(args, rows, &options);
    replay_reader reader = carom_replay_read(options.path);
    const carom_replay_info info = carom_replay_describe(reader.replay);
    carom_catch_interrupt();
    replay_job job = {.options = &options, .replay = reader.replay, .ticks = info.ticks};
    carom_watch(verify, show, &job);
    if (job.status != CAROM_OK && job.status != CAROM_ERROR_CANCELLED) {
        carom_die("%s: %s", options.path,
                  job.status == CAROM_ERROR_FORMAT ? "it holds a state that the game does not allow"
                                                   : carom_status_string(job.status));
    }
    if (options.json) {
        print_json(&job, &info);
    } else {
        print_text(&job, &info);
        if (options.notes) {
            print_notes(&job);
        }
    }
    carom_replay_free(&reader);
    return job.difference.found ? EXIT_MISMATCH : job.status == CAROM_OK ? 0 : EXIT_INTERRUPTED;
}

const command_row carom_replay_command = {
    .name = "replay",
    .usage = "FILE [options]",
    .summary = "play a replay again and compare every tick",
    .about =
        "Plays a replay (carom record, carom rollout --record) again and compares every world after every tick with "
        "the recording. Exit code 1 if it differs: prints the first tick, world and field.",
    .rows = rows,
    .notes = "A replay that was cut off is played up to that point.",
    .run = run};
