/* SPDX-License-Identifier: MIT
 * `carom replay`: plays a replay anew and compares every world after every tick with what was recorded.
 */
#include "../source/game_file.h"
#include "replay_file.h"

#include <inttypes.h>

typedef struct replay_options {
    const char *path;
    const carom_game *game;
    carom_isa isa;
    unsigned threads;
    bool json;
} replay_options;

/* Opens the game; it stays open. */
static void take_game(const char *name, const char *text, void *to)
{
    *(const carom_game **)to = carom_load_game(text);
    if (*(const carom_game **)to == NULL) {
        carom_die("%s: '%s' is no game", name, text);
    }
}

#define OPTIONS replay_options
static const argument_row rows[] = {
    WORD("replay", path),
    /* NOLINTNEXTLINE(bugprone-sizeof-expression): the size of a pointer is meant */
    CALL("--game GAME.so", game, take_game, NULL, "the game from outside that the replay is of; its code is run"), ISA,
    THREADS, FLAG("--json", json, "one JSON object instead of a line"), END};

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
               info->whole ? "" : "; the file has no end, it was cut or is still being written");
    }
}

static void print_json(const replay_job *job, const carom_replay_info *info)
{
    const carom_replay_difference *d = &job->difference;
    carom_json("{'replay': %s, 'game': %s, 'precision': 'f%d', 'worlds': %zu, 'ticks': %" PRIu64 ", 'seed': %" PRIu64,
               job->options->path, carom_game_describe(info->game).name, (int)info->precision, info->worlds,
               info->ticks, info->seed);
    carom_json(", 'whole': %i, 'compared': %" PRIu64 ", 'difference': ", info->whole, job->progress);
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
    }
    carom_replay_free(&reader);
    return job.difference.found ? EXIT_MISMATCH : job.status == CAROM_OK ? 0 : EXIT_INTERRUPTED;
}

const command_row carom_replay_command = {
    .name = "replay",
    .usage = "FILE [options]",
    .summary = "play a replay anew and compare every tick",
    .about =
        "Plays a replay (carom record, carom rollout --record) anew and compares every world after every tick with "
        "what was recorded. Exit code 1 if it differs: the first tick, world and field are named.",
    .rows = rows,
    .notes = "A replay that was cut is played up to there.",
    .run = run};
