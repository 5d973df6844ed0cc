/* SPDX-License-Identifier: MIT
 * `carom rollout`: plays a game, or a scene from a file, in many worlds and reports speed, outcome and digest.
 *
 * Only the simulation is timed. A built-in policy plays 128 different games; world w of the large batch starts as game
 * w % 128 and is given that game's actions. It has that game's id and so draws the same maps. Recording and replay
 * alternate in blocks of ticks, so that memory does not grow with the length of a run. A block is one library call,
 * during which worlds stay in a core's cache; between calls they do not. The ids of the large batch repeat; the digest
 * is still a sum over (id, state).
 */
#define _POSIX_C_SOURCE 200809L

#include "../command/shard.h"
#include "../command/state_file.h"
#include "../film/replay_file.h"
#include "../source/game_file.h"
#include "../source/scene_file.h"

#include "worlds/worlds.h"

#include <carom/device.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define GAMES 128       /* different games; a multiple of the tile, so that all worlds of a tile differ */
#define BLOCK 64        /* ticks that are recorded at once */
#define FIRST_SAVE 0.25 /* seconds until --state is first written; then twice as long each time, */
#define MOST_SAVE 30    /* up to this, and at most a twentieth of the time */

typedef struct rollout_options {
    const carom_game *game;
    carom_scene *scene; /* the scene of the game; NULL for other games */
    const char *name;   /* of the game, or the scene's file */
    const char *workload_name, *actions_name;
    int solver;
    carom_game_info about;
    game_settings settings;
    const void *set; /* the game's options, or NULL */
    double scatter;
    size_t worlds;  /* of this shard */
    uint64_t whole; /* worlds of the run, of all shards */
    uint64_t first; /* the number of world 0 in the whole run */
    shard_options share;
    uint64_t ticks;
    uint64_t seed;
    carom_precision precision;
    carom_isa isa;
    unsigned threads;
    const char *device_name;
    unsigned device; /* of the large batch, as in carom_worlds_desc.device */
    size_t workload;
    size_t kind;
    carom_action_kind actions;
    carom_at_end at_end;
    const char *state_name;
    char *state;        /* the state file of a long run, or NULL */
    const char *record; /* a file for a replay, or NULL */
    size_t recorded;    /* the number of recorded worlds */
    bool json;
} rollout_options;

typedef struct replay {
    const rollout_options *options;
    carom_worlds *games;    /* [GAMES], played by the policy */
    carom_worlds *worlds;   /* the large batch */
    unsigned char *actions; /* [BLOCK][GAMES][player][number], of the current block */
    size_t tick_bytes;      /* bytes of one tick in `actions` */
    uint32_t *rows;         /* [world]: w % GAMES */
    replay_writer *writer;  /* NULL: no recording */
    void *device_actions;   /* on a device: copies of the actions and rows there; else NULL */
    void *device_rows;
} replay;

typedef struct outcome {
    uint64_t ticks; /* played by every world */
    double seconds; /* of the timed part */
    bool interrupted;
} outcome;

/* Shared by the thread that plays and the one that draws the bar. */
typedef struct run_job {
    const replay *plan;
    outcome done;
    uint64_t progress;     /* world-ticks */
    uint64_t played_ns;    /* of the finished calls */
    uint64_t call_started; /* in ns, or 0 between calls */
} run_job;

/* ---- arguments ---- */

#define OPTIONS rollout_options
static const argument_row rows[] = {
    WORD("game", name),
    COUNT("--worlds N", worlds, 1, SIZE_MAX, 100000, "worlds"),
    COUNT("--ticks H", ticks, 1, UINT64_MAX, 200, "ticks that each world plays"),
    COUNT("--seed S", seed, 0, UINT64_MAX, 1, "for all random numbers"),
    TEXT("--workload NAME", workload_name, NULL, "the built-in policy that plays; the game's first by default"),
    TEXT("--actions NAME", actions_name, NULL, "the kind of action it plays with; the game's first by default"),
    CHOICE("--at-end", at_end, carom_at_end_names, CAROM_RESET, "when a game has finished"),
    SET,
    PRECISION,
    ISA,
    TEXT("--device NAME", device_name, "cpu", "where the worlds live: cpu, or a GPU: cuda, cuda:1 (see carom info)"),
    CALL("--solver NAME", solver, carom_take_solver, NULL,
         "for scenes: the solver of the time of impact (see carom bench solvers --help for the names); games "
         "have a fixed one"),
    NUMBER("--scatter V", scatter, 0, 1e30, 0, SCATTER_HELP),
    THREADS,
    TEXT("--record FILE", record, NULL,
         "record the first worlds as a replay (carom replay, carom view); slower, since every tick is a call"),
    COUNT("--recorded N", recorded, 1, SIZE_MAX, 1, "worlds to record"),
    TEXT("--state FILE", state_name, NULL,
         "save the state regularly; a killed run resumes from it, with the same results. %d in its name "
         "is replaced by K of --shard. Not with --record"),
    JSON,
    GROUP(carom_shard_rows, share),
    END};

static void print_games(void)
{
    puts("\ngames");
    for (size_t i = 0; i < carom_game_count(); i++) {
        const carom_game *game = carom_game_at(i);
        char names[NAMES_SIZE];
        printf("  %-20s  --workload %s\n", carom_game_describe(game).name, carom_policy_names(game, names));
        printf("  %-20s  --actions %s\n", "", carom_kind_names(game, names));
    }
    carom_print_row("FILE", "a scene (examples/scenes/*.json): --workload random, still\n"
                            "--actions normalised, impulse, velocity");
    carom_print_row("./GAME.so", "a plug-in game built by carom-kit; its code is run: carom info ./GAME.so");
}

/* A game's formula is fixed by its referee's bits; a scene allows the choice. */
static void choose_game(rollout_options *options, bool solver)
{
    const scene_changes changes = {solver ? options->solver : -1, -1};
    options->game = carom_load_played(options->name, "game", changes, &options->scene);
    if (options->scene == NULL && solver) {
        carom_die("--solver: the rules of %s fix the solver of the time of impact", options->name);
    }
    if (options->scene == NULL && options->scatter > 0) {
        carom_die("--scatter: %s begins as its rules say", options->name);
    }
    options->about = carom_game_describe(options->game);
    options->set = carom_set_options(options->game, &options->settings);
    if (options->scene != NULL && options->workload_name == NULL) {
        options->workload_name = "random"; /* the first one has none */
    }
    if (options->workload_name != NULL) {
        carom_choose_policy(options->game, options->workload_name, &options->workload);
    }
    if (options->actions_name != NULL) {
        carom_choose_actions(options->game, options->actions_name, &options->kind);
    }
    carom_game_action_kind(options->game, options->kind, &options->actions);
}

/* "cpu", "cuda" or "cuda:1" -> carom_worlds_desc.device; dies with the reason if there is no such device. */
static unsigned choose_device(const rollout_options *options)
{
    const char *name = options->device_name;
    if (strcmp(name, "cpu") == 0) {
        return 0;
    }
    unsigned index = 0;
    char end;
    if (strcmp(name, "cuda") != 0 && sscanf(name, "cuda:%u%c", &index, &end) != 1) {
        carom_die("--device: '%s'; cpu, cuda, cuda:0, cuda:1, ... are expected", name);
    }
    if (options->record != NULL) {
        carom_die("--record: worlds on a device cannot be recorded");
    }
    const unsigned device = carom_device_cuda(index);
    carom_device_info info;
    carom_problem problem = {""};
    if (carom_device_describe(device, &info, &problem) != CAROM_OK) {
        carom_die("--device %s: %s", name, problem.text);
    }
    return device;
}

static rollout_options parse(arguments *args)
{
    rollout_options options;
    memset(&options, 0, sizeof options);
    carom_read_arguments(args, rows, &options);
    choose_game(&options, carom_was_given(args, "--solver"));
    uint64_t end;
    options.share.part = carom_resolve_shard(options.share.part);
    options.whole = options.worlds;
    carom_shard_range(options.share.part, options.worlds, "worlds", &options.first, &end);
    options.worlds = (size_t)(end - options.first);
    if (options.recorded > options.worlds) {
        carom_die("--recorded: %zu worlds cannot be recorded of %zu", options.recorded, options.worlds);
    }
    if (options.state_name != NULL && options.record != NULL) {
        carom_die("--state: a recorded run cannot be resumed");
    }
    options.state = carom_shard_path(options.share.part, "--state", options.state_name);
    options.device = choose_device(&options);
    options.json |= options.share.out != NULL;
    carom_shard_output(&options.share);
    return options;
}

/* ---- set-up ---- */

static carom_worlds_desc describe(const rollout_options *options, size_t count)
{
    carom_worlds_desc desc = carom_worlds_desc_default(options->game);
    desc.count = count;
    desc.precision = options->precision;
    desc.isa = options->isa;
    desc.threads = options->threads;
    desc.seed = options->seed;
    desc.at_end = options->at_end;
    desc.options = options->set;
    return desc;
}

_Noreturn static void die_too_large(const rollout_options *options, size_t bytes)
{
    if (bytes == 0) {
        carom_die("--worlds: %zu worlds are more than any memory holds", options->worlds);
    }
    carom_die("--worlds: %zu worlds need %zu bytes (%.1f GiB): more memory than there is", options->worlds, bytes,
              (double)bytes / (1024.0 * 1024 * 1024));
}

/* World w of `to`, which is world w + offset of the whole run, becomes world (w + offset) % GAMES of `from`; in pieces,
 * to keep the index lists short. */
static void tile_games(carom_worlds *to, const carom_worlds *from, uint64_t offset)
{
    size_t to_index[32 * GAMES];
    size_t from_index[32 * GAMES];
    const size_t most = sizeof to_index / sizeof to_index[0];
    size_t count = carom_worlds_count(to);
    for (size_t first = 0; first < count; first += most) {
        size_t n = count - first < most ? count - first : most;
        for (size_t i = 0; i < n; i++) {
            to_index[i] = first + i;
            from_index[i] = (size_t)((offset + first + i) % GAMES);
        }
        carom_demand(carom_worlds_copy(to, to_index, from, from_index, n), "copy worlds");
    }
}

/* Memory of the device for `bytes`, with a copy of `from` unless that is NULL. */
static void *put_on_device(const rollout_options *options, const void *from, size_t bytes)
{
    void *memory;
    carom_problem problem = {""};
    carom_status status = carom_device_allocate(options->device, bytes, &memory, &problem);
    if (status == CAROM_OK && from != NULL) {
        status = carom_device_write(options->device, memory, from, bytes, &problem);
    }
    if (status != CAROM_OK) {
        carom_die("--device %s: %s", options->device_name,
                  problem.text[0] != 0 ? problem.text : carom_status_string(status));
    }
    return memory;
}

static replay make_replay(const rollout_options *options)
{
    replay made = {.options = options};
    carom_worlds_desc desc = describe(options, options->worlds);
    desc.device = options->device;
    carom_problem problem = {""};
    if (carom_device_check(&desc, &problem) != CAROM_OK) {
        carom_die("--device %s: %s", options->device_name, problem.text);
    }
    carom_status status = carom_worlds_create(&desc, &made.worlds);
    size_t bytes = carom_worlds_bytes(&desc);
    /* Everything else in desc is valid: only the count can be wrong. */
    if (status == CAROM_ERROR_MEMORY || (status != CAROM_OK && bytes == 0)) {
        die_too_large(options, bytes);
    }
    if (status == CAROM_ERROR_VALUE && options->scene != NULL) {
        carom_die("%s: its numbers do not fit into f%d", options->name, (int)options->precision);
    }
    carom_demand(status, "create the worlds");
    made.rows = malloc(options->worlds * sizeof *made.rows); /* the worlds fit into memory: no overflow */
    if (made.rows == NULL) {
        die_too_large(options, bytes);
    }
    for (size_t i = 0; i < options->worlds; i++) {
        made.rows[i] = (uint32_t)((options->first + i) % GAMES);
    }

    desc = describe(options, GAMES);
    desc.threads = 1;
    carom_demand(carom_worlds_create(&desc, &made.games), "create the worlds to record");
    made.tick_bytes = (size_t)GAMES * options->about.players * options->actions.size * (options->actions.precision / 8);
    made.actions = carom_allocate(BLOCK, made.tick_bytes + 1); /* a scene without bodies that act has none */
    if (options->scene != NULL) {
        carom_scatter(made.games, options->scene, options->seed, options->scatter);
    }
    tile_games(made.worlds, made.games, options->first);
    if (options->device != 0) {
        made.device_actions = put_on_device(options, NULL, BLOCK * made.tick_bytes + 1);
        made.device_rows = put_on_device(options, made.rows, options->worlds * sizeof *made.rows);
    }
    return made;
}

static void destroy_replay(replay *made)
{
    carom_worlds_destroy(made->worlds);
    carom_worlds_destroy(made->games);
    carom_device_release(made->options->device, made->device_actions);
    carom_device_release(made->options->device, made->device_rows);
    free(made->actions);
    free(made->rows);
    carom_scene_destroy(made->options->scene);
    free(made->options->state);
}

/* ---- the state file ---- */

/* Writes what identifies a run, except for the worlds, whose save does that itself. run: the options. */
static void write_run(FILE *file, const void *run)
{
    const rollout_options *options = (const rollout_options *)run;
    fprintf(file, "carom rollout %s %s workload %zu actions %zu ticks %" PRIu64 " seed %" PRIu64, carom_version(),
            options->name, options->workload, options->kind, options->ticks, options->seed);
    fprintf(file, " f%d worlds %zu from %" PRIu64 " at_end %d scatter %.17g solver %d", (int)options->precision,
            options->worlds, options->first, (int)options->at_end, options->scatter,
            options->scene != NULL ? (int)carom_scene_describe(options->scene)->solver : 0);
    fprintf(file, "%s%s\n", options->settings.count > 0 ? " set " : "", options->settings.all);
}

static void save_worlds(FILE *file, const carom_worlds *worlds)
{
    const size_t size = carom_worlds_save_size(worlds);
    void *buffer = carom_allocate(1, size);
    carom_demand(carom_worlds_save(worlds, buffer, size), "save the worlds");
    (void)fwrite(buffer, 1, size, file); /* carom_state_end() detects write errors */
    free(buffer);
}

static bool load_worlds(FILE *file, carom_worlds *worlds)
{
    const size_t size = carom_worlds_save_size(worlds);
    void *buffer = carom_allocate(1, size);
    const bool good = fread(buffer, 1, size, file) == size && carom_worlds_load(worlds, buffer, size) == CAROM_OK;
    free(buffer);
    return good;
}

static void save_run(const replay *plan, const outcome *done)
{
    FILE *file = carom_state_begin(plan->options->state);
    write_run(file, plan->options);
    fprintf(file, "ticks %" PRIu64 " seconds %.17g\n", done->ticks, done->seconds);
    save_worlds(file, plan->games);
    save_worlds(file, plan->worlds);
    carom_state_end(file, plan->options->state);
}

/* Changes nothing if there is no such file yet. */
static void load_run(const replay *plan, outcome *done)
{
    FILE *file = plan->options->state != NULL ? carom_state_open(plan->options->state) : NULL;
    if (file == NULL) {
        return;
    }
    carom_state_check(file, plan->options->state, write_run, plan->options,
                      "carom rollout with these worlds and options");
    if (fscanf(file, "ticks %" SCNu64 " seconds %lf", &done->ticks, &done->seconds) != 2 || getc(file) != '\n' ||
        done->ticks > plan->options->ticks || !load_worlds(file, plan->games) || !load_worlds(file, plan->worlds) ||
        getc(file) != EOF) {
        carom_state_refuse(plan->options->state, "rollout");
    }
    fclose(file);
}

/* ---- the run ---- */

/* The policy plays the next `ticks` ticks of its games. */
static void record(const replay *plan, size_t ticks)
{
    carom_step step = carom_step_default();
    step.action_kind = plan->options->kind;
    for (size_t i = 0; i < ticks; i++) {
        unsigned char *actions = plan->actions + i * plan->tick_bytes;
        step.actions = actions;
        carom_demand(carom_worlds_policy(plan->games, plan->options->workload, step.action_kind, actions),
                     "ask the policy");
        carom_demand(carom_worlds_play(plan->games, &step), "play");
    }
}

static void show(void *argument)
{
    const run_job *job = argument;
    const rollout_options *options = job->plan->options;
    const double progress = (double)__atomic_load_n(&job->progress, __ATOMIC_RELAXED);
    const uint64_t started = __atomic_load_n(&job->call_started, __ATOMIC_RELAXED);
    const uint64_t played = __atomic_load_n(&job->played_ns, __ATOMIC_RELAXED);
    const double seconds = 1e-9 * (double)played + (started != 0 ? carom_now() - 1e-9 * (double)started : 0);
    if (progress > 0) {
        char text[64];
        snprintf(text, sizeof text, "%.1f M world-ticks/s", 1e-6 * progress / (seconds + 1e-9));
        carom_progress_draw(progress / ((double)options->worlds * (double)options->ticks), text);
    }
}

/* On a device the call is queued, and ends when the device is done. */
static carom_status play_on_device(const replay *plan, const carom_step *step)
{
    carom_step queued = *step;
    queued.rows = plan->device_rows;
    queued.actions = plan->device_actions;
    queued.cancel = NULL;
    queued.progress = NULL;
    const carom_status status = carom_worlds_play(plan->worlds, &queued);
    return status == CAROM_OK ? carom_worlds_wait(plan->worlds) : status;
}

/* One call; false if it was interrupted. */
static bool play(run_job *job, const carom_step *step)
{
    const unsigned device = job->plan->options->device;
    if (device != 0) {
        carom_demand(carom_device_write(device, job->plan->device_actions, step->actions,
                                        step->ticks * job->plan->tick_bytes, NULL),
                     "copy the actions");
    }
    const double start = carom_now();
    __atomic_store_n(&job->call_started, (uint64_t)(1e9 * start), __ATOMIC_RELAXED);
    const carom_status status = device != 0 ? play_on_device(job->plan, step)
                                : job->plan->writer != NULL
                                    ? carom_replay_record(job->plan->writer, job->plan->worlds, step)
                                    : carom_worlds_play(job->plan->worlds, step);
    job->done.seconds += carom_now() - start;
    __atomic_store_n(&job->call_started, 0, __ATOMIC_RELAXED);
    __atomic_store_n(&job->played_ns, (uint64_t)(1e9 * job->done.seconds), __ATOMIC_RELAXED);
    if (status != CAROM_ERROR_CANCELLED) {
        carom_demand(status, "play");
    }
    return status == CAROM_OK;
}

static void run(void *argument)
{
    run_job *job = argument;
    const replay *plan = job->plan;
    const uint64_t ticks = plan->options->ticks;
    carom_step step = carom_step_default();
    step.action_kind = plan->options->kind;
    step.action_rows = GAMES;
    step.rows = plan->rows;
    step.actions = plan->actions;
    step.cancel = &carom_interrupt;
    step.progress = &job->progress;
    double next = carom_now() + FIRST_SAVE, wait = FIRST_SAVE;
    while (job->done.ticks < ticks && !carom_interrupted()) {
        step.ticks = ticks - job->done.ticks < BLOCK ? (size_t)(ticks - job->done.ticks) : BLOCK;
        record(plan, step.ticks);
        if (play(job, &step)) {
            job->done.ticks += step.ticks;
            __atomic_store_n(&job->progress, plan->options->worlds * job->done.ticks, __ATOMIC_RELAXED);
        }
        const double now = carom_now();
        if (plan->options->state != NULL && now >= next && !carom_interrupted()) {
            save_run(plan, &job->done);
            const double took = carom_now() - now;
            wait = 2 * wait < MOST_SAVE ? 2 * wait : MOST_SAVE;
            next = now + took + (wait > 20 * took ? wait : 20 * took);
        }
    }
    job->done.interrupted = job->done.ticks < ticks;
}

/* ---- the report ---- */

typedef struct report {
    carom_worlds_desc desc; /* resolved */
    size_t bytes;
    carom_counters counters;
    double speed;           /* live world-ticks a second */
    double events_per_tick; /* impacts a live world-tick */
    unsigned fault_bits;    /* worlds with a fault now; reset worlds have none */
    uint64_t digest;
} report;

static report make_report(const replay *plan, const outcome *done)
{
    report made = {.desc = carom_worlds_describe(plan->worlds), .counters = carom_worlds_counters(plan->worlds)};
    made.bytes = carom_worlds_bytes(&made.desc);
    double ticks = (double)made.counters.ticks;
    made.speed = done->seconds > 0 ? ticks / done->seconds : 0;
    made.events_per_tick = ticks > 0 ? (double)made.counters.events / ticks : 0;
    (void)carom_worlds_faults(plan->worlds, &made.fault_bits);
    carom_demand(carom_worlds_digest(plan->worlds, &made.digest), "digest");
    return made;
}

static void print_text(const replay *plan, const outcome *done, const report *made)
{
    const rollout_options *options = plan->options;
    const char *isa = carom_isa_name(made->desc.isa);
    char number[32];
    printf("%s: %s\n\n", options->name, options->about.title);
    printf("  worlds              %s", carom_grouped(options->worlds, number));
    if (options->share.part.count > 1) {
        printf(", shard %" PRIu64 " of %" PRIu64, options->share.part.index, options->share.part.count);
    }
    printf("\n");
    printf("  ticks               %s", carom_grouped(done->ticks, number));
    if (done->interrupted) {
        printf(" of %s, by every world: interrupted", carom_grouped(options->ticks, number));
    }
    printf("\n  workload            %s, %s actions, seed %" PRIu64 ", %s at the end of a game\n",
           carom_game_policy_name(options->game, options->workload), options->actions.name, options->seed,
           carom_at_end_names[options->at_end]);
    if (options->device != 0) {
        printf("  computed in         f%d, on %s\n", (int)made->desc.precision, options->device_name);
    } else {
        printf("  computed in         f%d, %s (%u lanes), %u thread%s\n", (int)made->desc.precision, isa,
               carom_isa_lanes(made->desc.isa, made->desc.precision), made->desc.threads,
               made->desc.threads == 1 ? "" : "s");
    }
    if (options->scene != NULL) {
        const carom_scene_desc *scene = carom_scene_describe(options->scene);
        printf("  by                  the %s engine, solver %s; scatter %g\n", carom_engine_names[scene->engine],
               carom_toi_variant_describe((int)scene->solver)->name, options->scatter);
    }
    if (options->settings.count > 0) {
        printf("  options             %s\n", options->settings.all);
    }
    printf("  memory              %.1f MiB, %.0f bytes a world\n\n", (double)made->bytes / (1024.0 * 1024),
           (double)made->bytes / (double)options->worlds);

    printf("  speed               %.*f M live world-ticks/s\n", made->speed < 1e6 ? 4 : 1, 1e-6 * made->speed);
    printf("  world-ticks         %s", carom_grouped(made->counters.ticks, number));
    printf(" in %.3f s (only the simulation; actions were recorded before)\n", done->seconds);
    printf("  events per tick     %.4f\n", made->events_per_tick);
    if (options->about.counts != NULL) {
        printf("  %-18s  %s\n", options->about.counts, carom_grouped(made->counters.goals, number));
    }
    printf("  games finished      %s\n", carom_grouped(made->counters.games, number));
    printf("  faults              %s", carom_grouped(made->counters.faults, number));
    printf("%s\n", carom_fault_names(made->fault_bits, number));
    printf("  digest              %016" PRIx64 "\n", made->digest);
}

static void print_json(const replay *plan, const outcome *done, const report *made)
{
    const rollout_options *options = plan->options;
    const carom_counters *counters = &made->counters;
    carom_json("{'command': 'rollout', 'shard': [%" PRIu64 ", %" PRIu64 "], 'game': %s", options->share.part.index,
               options->share.part.count, options->about.name);
    if (options->scene != NULL) {
        const carom_scene_desc *scene = carom_scene_describe(options->scene);
        carom_json(", 'scene': %s, 'engine': %s, 'solver': %s, 'scatter': %.17g", options->name,
                   carom_engine_names[scene->engine], carom_toi_variant_describe((int)scene->solver)->name,
                   options->scatter);
    }
    carom_print_settings(&options->settings);
    carom_json(", 'version': %s, 'compiler': %s, 'precision': 'f%d', 'device': %s, 'isa': %s, 'threads': %u",
               carom_version(), carom_build_info(), (int)made->desc.precision, options->device_name,
               carom_isa_name(made->desc.isa), made->desc.threads);
    carom_json(", 'worlds': %zu", options->worlds);
    carom_json(", 'ticks': %" PRIu64 ", 'seed': %" PRIu64 ", 'workload': %s, 'actions': %s, 'at_end': %s", done->ticks,
               options->seed, carom_game_policy_name(options->game, options->workload), options->actions.name,
               carom_at_end_names[options->at_end]);
    /* For `carom merge`, which names the first member that differs: members that follow from the others come last. */
    carom_json(", 'run_worlds': %" PRIu64 ", 'first_world': %" PRIu64 ", 'content': '%016" PRIx64
               "', 'interrupted': %i",
               options->whole, options->first, plan->worlds->content, done->interrupted);
    carom_json(", 'seconds': %.9g, 'world_ticks': %" PRIu64 ", 'world_ticks_per_s': %.9g, 'events_per_tick': %.9g",
               done->seconds, counters->ticks, made->speed, made->events_per_tick);
    carom_json(", 'counts': %s, 'events': %" PRIu64 ", 'goals': %" PRIu64 ", 'games': %" PRIu64 ", 'faults': %" PRIu64,
               options->about.counts, counters->events, counters->goals, counters->games, counters->faults);
    carom_json(", 'bytes': %zu, 'digest': '%016" PRIx64 "'}\n", made->bytes, made->digest);
}

static int rollout(arguments *args)
{
    rollout_options options = parse(args);
    replay plan = make_replay(&options);
    /* From here on there is something to report; before, and on a second Ctrl-C, the program ends at once. */
    carom_catch_interrupt();
    replay_writer writer;
    if (options.record != NULL) {
        carom_replay_begin(&writer, options.record, plan.worlds, options.set, options.recorded, 256);
        plan.writer = &writer;
    }
    run_job job = {.plan = &plan};
    load_run(&plan, &job.done);
    job.progress = options.worlds * job.done.ticks;
    job.played_ns = (uint64_t)(1e9 * job.done.seconds);
    carom_watch(run, show, &job);
    const outcome done = job.done;
    if (plan.writer != NULL) {
        carom_replay_finish(plan.writer);
    }
    report made = make_report(&plan, &done);
    if (options.json) {
        print_json(&plan, &done, &made);
    } else {
        print_text(&plan, &done, &made);
    }
    if (options.state != NULL && !done.interrupted) {
        save_run(&plan, &done);
    }
    destroy_replay(&plan);
    return done.interrupted ? EXIT_INTERRUPTED : 0;
}

const command_row carom_rollout_command = {
    .name = "rollout",
    .usage = "GAME|FILE [options]",
    .summary = "play a game or a scene in many worlds: speed, outcome, digest",
    .about = "Plays a game, or the scene described by a JSON file, in many worlds with a built-in policy.",
    .rows = rows,
    .tables = print_games,
    .notes = "It replays recorded games: the policy plays 128 different ones, and all worlds are given their "
             "actions, world w those of game w % 128. Only the replay is timed, in calls of the library of up to 64 "
             "ticks. To try many sequences of actions from one state, use the function carom_rollout() "
             "instead. Ctrl-C stops at once and reports the results so far.",
    .run = rollout};
