/* SPDX-License-Identifier: MIT
 * `carom record`: plays a game, or a scene from a file, with a built-in policy and writes what happened as a replay.
 */
#include "game_file.h"
#include "replay_file.h"
#include "scene_file.h"

#include <inttypes.h>
#include <string.h>

#define MAX_THREADS 1024
#define BLOCK 64 /* ticks of a call */

typedef struct record_options {
    const char *name; /* of the game, or the scene's file */
    const char *out;
    const carom_game *game;
    carom_scene *scene; /* NULL if it is a game */
    carom_game_info about;
    size_t worlds;
    uint64_t ticks, seed, first_id;
    uint32_t keyframe_ticks;
    double scatter;
    carom_precision precision;
    carom_isa isa;
    unsigned threads;
    size_t policy[CAROM_MAX_PLAYERS], kind;
    carom_at_end at_end;
    bool json;
} record_options;

void carom_help_record(void)
{
    puts("carom record GAME|FILE [options]\n"
         "\n"
         "Plays a game, or the scene that a JSON file describes, and writes what happens as a replay: FILE.carom, to "
         "be\n"
         "looked at with carom render or carom view, and checked with carom replay.\n"
         "  --out FILE            the replay; GAME.carom by default\n"
         "  --worlds N            worlds, 1 by default\n"
         "  --ticks H             ticks that each world plays; 200 by default\n"
         "  --seed S              of everything that is drawn, 1 by default\n"
         "  --first-id I          the id of the first world, 0 by default: other games of the same seed\n"
         "  --workload NAME       the built-in policy that plays; of two players NAME,NAME. The game's first by "
         "default\n"
         "  --actions NAME        the kind of action it plays with; the game's first by default\n"
         "  --at-end WHAT         of a finished game: freeze (default), reset, play_on\n"
         "  --scatter V           of a scene: to each component of the velocity of each body that can move, a number\n"
         "                        drawn from [-V, V] is added at the start; 0 by default\n"
         "  --keyframes N         ticks from one keyframe to the next, 256 by default\n"
         "  --precision f64|f32   f64 by default\n"
         "  --isa NAME            instruction set; the fastest by default\n"
         "  --threads T           at most so many threads; all by default\n"
         "  --json                one JSON object instead of a line\n"
         "\n"
         "carom rollout --record writes a replay of the worlds that it measures.");
}

/* "race" or "race,ram" -> the policy of each player. */
static void choose_policies(record_options *options, const char *names)
{
    char list[NAMES_SIZE];
    if (names == NULL) {
        return;
    }
    const char *comma = strchr(names, ',');
    for (uint32_t p = 0; p < options->about.players; p++) {
        const char *name = p == 1 && comma != NULL ? comma + 1 : names;
        const size_t length = name == names && comma != NULL ? (size_t)(comma - names) : strlen(name);
        char one[64] = "";
        if (length < sizeof one) {
            memcpy(one, name, length);
        }
        if ((comma != NULL && options->about.players < 2) ||
            carom_game_find_policy(options->game, one, &options->policy[p]) != CAROM_OK) {
            carom_die("--workload: unknown workload '%s' (%s has %s)", names, options->about.name,
                      carom_policy_names(options->game, list));
        }
    }
}

static void choose_game(record_options *options, const char *workload, const char *actions)
{
    char names[NAMES_SIZE];
    const scene_changes changes = {-1, -1};
    if (options->name == NULL) {
        carom_die("which game? (see carom record --help)");
    }
    options->game = carom_load_game(options->name);
    if (options->game == NULL) {
        options->scene = carom_load_scene(options->name, "game", "one that carom info lists", changes);
        options->game = carom_scene_game(options->scene);
    } else if (options->scatter > 0) {
        carom_die("--scatter: %s begins as its rules say", options->name);
    }
    options->about = carom_game_describe(options->game);
    choose_policies(options, workload);
    if (actions != NULL && carom_game_find_action_kind(options->game, actions, &options->kind) != CAROM_OK) {
        carom_die("--actions: unknown kind of action '%s' (%s has %s)", actions, options->about.name,
                  carom_kind_names(options->game, names));
    }
}

static carom_at_end parse_at_end(const char *text)
{
    static const char *const names[] = {
        [CAROM_PLAY_ON] = "play_on", [CAROM_FREEZE] = "freeze", [CAROM_RESET] = "reset"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        if (strcmp(text, names[i]) == 0) {
            return (carom_at_end)i;
        }
    }
    carom_die("--at-end: unknown choice '%s' (freeze, reset or play_on)", text);
}

static record_options parse(arguments *args)
{
    record_options options = {
        .worlds = 1, .ticks = 200, .seed = 1, .keyframe_ticks = 256, .precision = CAROM_F64, .at_end = CAROM_FREEZE};
    const char *workload = NULL, *actions = NULL, *value;
    while (*args->list != NULL) {
        if (carom_take_value(args, "--out", &options.out) || carom_take_value(args, "--workload", &workload) ||
            carom_take_value(args, "--actions", &actions)) {
            continue;
        } else if (carom_take_value(args, "--worlds", &value)) {
            options.worlds = (size_t)carom_parse_count("--worlds", value, 1, 1 << 20);
        } else if (carom_take_value(args, "--ticks", &value)) {
            options.ticks = carom_parse_count("--ticks", value, 1, UINT32_MAX);
        } else if (carom_take_value(args, "--seed", &value)) {
            options.seed = carom_parse_count("--seed", value, 0, UINT64_MAX);
        } else if (carom_take_value(args, "--first-id", &value)) {
            options.first_id = carom_parse_count("--first-id", value, 0, INT64_MAX);
        } else if (carom_take_value(args, "--keyframes", &value)) {
            options.keyframe_ticks = (uint32_t)carom_parse_count("--keyframes", value, 1, UINT32_MAX);
        } else if (carom_take_value(args, "--precision", &value)) {
            options.precision = carom_parse_precision(value);
        } else if (carom_take_value(args, "--isa", &value)) {
            options.isa = carom_parse_isa(value);
        } else if (carom_take_value(args, "--threads", &value)) {
            options.threads = (unsigned)carom_parse_count("--threads", value, 1, MAX_THREADS);
        } else if (carom_take_value(args, "--at-end", &value)) {
            options.at_end = parse_at_end(value);
        } else if (carom_take_value(args, "--scatter", &value)) {
            options.scatter = carom_parse_number("--scatter", value, 0, 1e30);
        } else if (carom_take_flag(args, "--json")) {
            options.json = true;
        } else {
            value = options.name == NULL ? carom_take_word(args) : NULL;
            if (value == NULL) {
                carom_refuse(args);
            }
            options.name = value;
        }
    }
    choose_game(&options, workload, actions);
    return options;
}

static carom_worlds *make_worlds(const record_options *options)
{
    carom_worlds_desc desc = carom_worlds_desc_default(options->game);
    carom_worlds *worlds;
    desc.count = options->worlds;
    desc.precision = options->precision;
    desc.isa = options->isa;
    desc.threads = options->threads;
    desc.seed = options->seed;
    desc.first_id = options->first_id;
    desc.at_end = options->at_end;
    const carom_status status = carom_worlds_create(&desc, &worlds);
    if (status != CAROM_OK) {
        carom_die("%s: cannot create the worlds: %s", options->name, carom_status_string(status));
    }
    if (options->scene != NULL) {
        carom_scatter(worlds, options->scene, options->seed, options->scatter);
    }
    return worlds;
}

typedef struct record_job {
    const record_options *options;
    carom_worlds *worlds;
    replay_writer *writer;
    uint64_t progress, ticks;
    carom_status status;
} record_job;

static void show(void *argument)
{
    const record_job *job = argument;
    const double all = (double)job->options->ticks * (double)job->options->worlds;
    carom_progress_draw((double)__atomic_load_n(&job->progress, __ATOMIC_RELAXED) / all, "");
}

static void record(void *argument)
{
    record_job *job = argument;
    const record_options *options = job->options;
    carom_step step = carom_step_default();
    step.action_kind = options->kind;
    step.progress = &job->progress;
    for (uint32_t p = 0; p < options->about.players; p++) {
        step.players[p].source = CAROM_POLICY;
        step.players[p].policy = options->policy[p];
    }
    while (job->ticks < options->ticks && job->status == CAROM_OK && !carom_interrupted()) {
        step.ticks = options->ticks - job->ticks < BLOCK ? (size_t)(options->ticks - job->ticks) : BLOCK;
        job->status = carom_replay_record(job->writer, job->worlds, &step);
        job->ticks += step.ticks;
    }
}

static void report(const record_options *options, const record_job *job)
{
    const double a_tick = (double)job->writer->bytes / ((double)job->ticks * (double)options->worlds);
    if (options->json) {
        printf("{\"replay\": ");
        carom_json_string(options->out);
        printf(", \"game\": ");
        carom_json_string(options->about.name);
        printf(", \"worlds\": %zu, \"ticks\": %" PRIu64 ", \"seed\": %" PRIu64 ", \"bytes\": %" PRIu64
               ", \"bytes_per_tick\": %.9g}\n",
               options->worlds, job->ticks, options->seed, job->writer->bytes, a_tick);
    } else {
        printf("%s: %zu world%s of %s, %" PRIu64 " ticks, %" PRIu64 " bytes (%.1f a world and tick)\n", options->out,
               options->worlds, options->worlds == 1 ? "" : "s", options->name, job->ticks, job->writer->bytes, a_tick);
    }
}

int carom_command_record(arguments *args)
{
    record_options options = parse(args);
    char out[NAMES_SIZE];
    if (options.out == NULL) {
        const char *slash = strrchr(options.name, '/');
        const char *base = slash != NULL ? slash + 1 : options.name;
        snprintf(out, sizeof out, "%.*s.carom", (int)strcspn(base, "."), base);
        options.out = out;
    }
    carom_worlds *worlds = make_worlds(&options);
    replay_writer writer;
    carom_replay_begin(&writer, options.out, worlds, 0, options.keyframe_ticks);
    carom_catch_interrupt();
    record_job job = {.options = &options, .worlds = worlds, .writer = &writer};
    carom_watch(record, show, &job);
    if (job.status != CAROM_OK) {
        carom_die("cannot record: %s", carom_status_string(job.status));
    }
    carom_replay_finish(&writer);
    report(&options, &job);
    carom_worlds_destroy(worlds);
    carom_scene_destroy(options.scene);
    return job.ticks < options.ticks ? EXIT_INTERRUPTED : 0;
}
