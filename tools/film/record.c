/* SPDX-License-Identifier: MIT
 * `carom record`: plays a game, or a scene from a file, with built-in policies and planners, and writes a replay.
 */
#include "../source/played.h"

#include <inttypes.h>
#include <string.h>

#define BLOCK 64 /* ticks of a call */

typedef struct record_options {
    played_options from;
    const char *out;
    uint64_t ticks;
    uint32_t keyframe_ticks;
    bool json;
} record_options;

#define OPTIONS record_options
static const argument_row rows[] = {
    WORD("game or scene", from.name),
    TEXT("--out FILE", out, NULL, "the replay; GAME.carom by default"),
    COUNT("--ticks H", ticks, 1, UINT32_MAX, 200, "ticks that each world plays"),
    COUNT("--keyframes N", keyframe_ticks, 1, UINT32_MAX, 256, "ticks from one keyframe to the next"),
    FLAG("--json", json, "one JSON object instead of a line"),
    GROUP(carom_played_rows, from),
    END};

typedef struct record_job {
    const record_options *options;
    source *from;
    replay_writer *writer;
    uint64_t progress, ticks;
    carom_status status;
} record_job;

static void show(void *argument)
{
    const record_job *job = argument;
    const double all = (double)job->options->ticks * (double)carom_worlds_count(job->from->worlds);
    carom_progress_draw((double)__atomic_load_n(&job->progress, __ATOMIC_RELAXED) / all, "");
}

static void record(void *argument)
{
    record_job *job = argument;
    const uint64_t ticks = job->options->ticks;
    carom_step step = job->from->step;
    step.progress = &job->progress;
    while (job->ticks < ticks && job->status == CAROM_OK && !carom_interrupted()) {
        const uint64_t most = job->from->plans ? 1 : BLOCK;
        step.ticks = (size_t)(ticks - job->ticks < most ? ticks - job->ticks : most);
        carom_played_think(job->from);
        job->status = carom_replay_record(job->writer, job->from->worlds, &step);
        job->from->thought = false;
        job->ticks += step.ticks;
    }
}

/* Writes the players' names into the replay before its first tick, for every world. */
static void name_players(replay_writer *writer, const source *from)
{
    for (size_t world = 0; world < carom_worlds_count(from->worlds); world++) {
        for (uint32_t p = 0; p < from->about.players; p++) {
            if (from->names[p] != NULL) {
                carom_replay_say(writer, CAROM_NOTE_NAME, world, p, from->names[p], strlen(from->names[p]));
            }
        }
    }
}

static void report(const record_options *options, const char *out, const record_job *job)
{
    const size_t worlds = options->from.worlds;
    const double a_tick = (double)job->writer->bytes / ((double)job->ticks * (double)worlds);
    if (options->json) {
        carom_json("{'replay': %s, 'game': %s, 'worlds': %zu, 'ticks': %" PRIu64 ", 'seed': %" PRIu64, out,
                   job->from->about.name, worlds, job->ticks, options->from.seed);
        carom_json(", 'bytes': %" PRIu64 ", 'bytes_per_tick': %.9g}\n", job->writer->bytes, a_tick);
    } else {
        printf("%s: %zu world%s of %s, %" PRIu64 " ticks, %" PRIu64 " bytes (%.1f a world and tick)\n", out, worlds,
               worlds == 1 ? "" : "s", options->from.name, job->ticks, job->writer->bytes, a_tick);
    }
}

static int run(arguments *args)
{
    record_options options;
    memset(&options, 0, sizeof options);
    carom_read_arguments(args, rows, &options);
    source from = carom_played_open(&options.from, false);
    char name[NAMES_SIZE];
    const char *out = options.out;
    if (out == NULL) {
        const char *slash = strrchr(options.from.name, '/');
        const char *base = slash != NULL ? slash + 1 : options.from.name;
        snprintf(name, sizeof name, "%.*s.carom", (int)strcspn(base, "."), base);
        out = name;
    }
    replay_writer writer;
    carom_replay_begin(&writer, out, from.worlds, from.set, 0, options.keyframe_ticks);
    name_players(&writer, &from);
    carom_catch_interrupt();
    record_job job = {.options = &options, .from = &from, .writer = &writer};
    carom_watch(record, show, &job);
    if (job.status != CAROM_OK) {
        carom_die("cannot record: %s", carom_status_string(job.status));
    }
    carom_replay_finish(&writer);
    report(&options, out, &job);
    carom_played_close(&from);
    return job.ticks < options.ticks ? EXIT_INTERRUPTED : 0;
}

const command_row carom_record_command = {
    .name = "record",
    .usage = "GAME|FILE [options]",
    .summary = "play a game or a scene and write a replay",
    .about = "Plays a game, or the scene described by a JSON file, and writes a replay, FILE.carom, "
             "to be watched with carom render or carom view, and checked with carom replay.",
    .rows = rows,
    .notes = "carom rollout --record writes a replay of the worlds that it measures.",
    .run = run};
