/* SPDX-License-Identifier: MIT
 * `carom recipe make`, `verify` and `merge`: recipes, which reproduce the same transitions (carom/recipe.h).
 *
 * Blocks are played one after another, each by all threads. `make` saves its file regularly: a stopped run resumes with
 * the digests missing in the file.
 */
#include "../command/out_file.h"
#include "../command/shard.h"
#include "../source/game_file.h"
#include "../source/scene_file.h"

#include <carom/recipe.h>

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define SAVE 1.0 /* seconds between two saves of the file */

typedef struct recipe_options {
    const char *name; /* the game, or the scene's file; the recipe */
    word_list parts;  /* of merge */
    const char *players[CAROM_MAX_PLAYERS];
    size_t player_count;
    uint64_t worlds, ticks, seed, blocks, from;
    const char *actions, *observations, *rewards;
    game_settings settings;
    carom_precision precision;
    carom_at_end at_end;
    carom_isa isa;
    unsigned threads;
    shard part;
    const char *out;
    const carom_game *game; /* a plug-in game */
    bool json;
} recipe_options;

/* ---- arguments ---- */

static void take_player(const char *name, const char *text, void *to)
{
    recipe_options *options = (recipe_options *)to;
    if (options->player_count == CAROM_MAX_PLAYERS) {
        carom_die("%s: given more than %d times", name, CAROM_MAX_PLAYERS);
    }
    options->players[options->player_count++] = text;
}

/* Opens the game; it stays open. */
static void take_game(const char *name, const char *text, void *to)
{
    *(const carom_game **)to = carom_load_game(text);
    if (*(const carom_game **)to == NULL) {
        carom_die("%s: '%s' is not a game", name, text);
    }
}

#define OPTIONS recipe_options
#define SHARD CALL("--shard K/N", part, carom_take_shard, NULL, "play only the blocks of part K of N, counted from 0")
static const argument_row make_rows[] = {
    WORD("game", name),
    COUNT("--worlds N", worlds, 1, INT64_MAX, 100000, "worlds"),
    COUNT("--ticks H", ticks, 1, INT64_MAX, 200, "ticks that each world plays"),
    COUNT("--seed S", seed, 0, UINT64_MAX, 1, "for all random numbers"),
    CALL_WITH_ALL(
        "--player NAME", take_player,
        "a player: a built-in policy, zero, or a planner, cem:rollouts=64,horizon=6 (with --actions normalised); "
        "repeated for each player, or once for all. The game's first policy by default"),
    TEXT("--actions NAME", actions, NULL, "the kind of action; the game's first by default"),
    TEXT("--observations NAME", observations, NULL, "the kind of observation; the game's first by default"),
    TEXT("--rewards NAME", rewards, NULL, "the kind of reward; the game's own by default"),
    CHOICE("--at-end", at_end, carom_at_end_names, CAROM_RESET, "when a game has finished"),
    SET,
    PRECISION,
    COUNT("--blocks N", blocks, 1, CAROM_RECIPE_BLOCKS, 0,
          "parts that can be verified separately; 64, or as many as "
          "fit, by default"),
    TEXT("--out FILE", out, NULL,
         "the recipe. If the file exists and is incomplete, the run resumes it; one of another run is refused. %d in "
         "its "
         "name is replaced by K of --shard"),
    SHARD,
    ISA,
    THREADS,
    JSON,
    END};

static const argument_row verify_rows[] = {
    WORD("recipe", name), COUNT("--from BLOCK", from, 0, CAROM_RECIPE_BLOCKS - 1, 0, "the first block to verify"),
    SHARD,
    /* NOLINTNEXTLINE(bugprone-sizeof-expression): the size of a pointer is meant */
    CALL("--game GAME.so", game, take_game, NULL, "the plug-in game (.so) of the recipe; its code is run"), ISA,
    THREADS, JSON, END};

static const argument_row merge_rows[] = {WORDS("recipes", parts, 1),
                                          TEXT("--out FILE", out, NULL, "the merged recipe"), END};

/* ---- files ---- */

/* Reads a recipe. NULL if there is no such file and `must` is false. */
static carom_recipe *read_recipe(const char *path, bool must)
{
    FILE *file = fopen(path, "rb");
    if (file == NULL && (must || errno != ENOENT)) {
        carom_die("cannot read '%s': %s", path, strerror(errno));
    }
    if (file == NULL) {
        return NULL;
    }
    char text[CAROM_RECIPE_BYTES + 1]; /* one more, to detect that it is too long */
    const size_t length = fread(text, 1, sizeof text, file);
    const bool good = ferror(file) == 0;
    fclose(file);
    carom_recipe *recipe = NULL;
    carom_problem problem = {""};
    const carom_status status = carom_recipe_parse(text, length, &recipe, &problem);
    if (!good || status != CAROM_OK) {
        carom_die("%s: %s", path,
                  !good                     ? strerror(errno)
                  : problem.text[0] != '\0' ? problem.text
                                            : carom_status_string(status));
    }
    return recipe;
}

static void write_recipe(const carom_recipe *recipe, const char *path)
{
    char text[CAROM_RECIPE_BYTES];
    size_t length = 0;
    carom_demand(carom_recipe_write(recipe, text, &length), "write the recipe");
    FILE *file = carom_file_create(path);
    carom_file_finish(file, path, fwrite(text, 1, length, file) == length);
}

/* The text up to the digests. */
static size_t write_head(const carom_recipe *recipe, char text[CAROM_RECIPE_BYTES])
{
    size_t length = 0, at = 0;
    carom_demand(carom_recipe_write(recipe, text, &length), "write the recipe");
    while (memcmp(text + at, "\nblocks ", 8) != 0) { /* the first such line, which exists */
        at++;
    }
    return at + strcspn(text + at + 1, "\n") + 1;
}

/* Copies the digests of `from`, if both are recipes of the same run; false if not. *differing: a block with different
 * digests; otherwise unchanged. */
static bool take_digests(carom_recipe *to, const carom_recipe *from, size_t *differing)
{
    char mine[CAROM_RECIPE_BYTES], theirs[CAROM_RECIPE_BYTES];
    const size_t length = write_head(to, mine);
    if (write_head(from, theirs) != length || memcmp(mine, theirs, length) != 0) {
        return false;
    }
    for (size_t b = 0; b < carom_recipe_describe(to).blocks; b++) {
        uint64_t old, digest;
        const bool had = carom_recipe_digest(to, b, &old) == CAROM_OK;
        if (carom_recipe_digest(from, b, &digest) == CAROM_OK) {
            *differing = had && old != digest ? b : *differing;
            carom_demand(carom_recipe_set_digest(to, b, digest), "take a digest");
        }
    }
    return true;
}

/* Its first block without a digest; the number of blocks if it is complete. */
static size_t first_missing(const carom_recipe *recipe)
{
    uint64_t digest;
    size_t b = 0;
    while (carom_recipe_digest(recipe, b, &digest) == CAROM_OK) {
        b++;
    }
    return b;
}

/* ---- playing ---- */

/* Shared by the thread that plays and the one that draws the bar. */
typedef struct recipe_job {
    const recipe_options *options;
    carom_recipe *recipe;
    carom_recipe_desc about;
    const char *save;     /* make: the file; NULL: verify */
    uint64_t from, end;   /* blocks of the run */
    uint64_t block;       /* the first unfinished one */
    uint64_t transitions; /* of the run */
    uint64_t progress;    /* of them */
    double begun, seconds;
    bool differs; /* block `block` does: */
    uint64_t recorded, played;
    carom_status status;
} recipe_job;

static void show(void *argument)
{
    const recipe_job *job = argument;
    const double progress = (double)__atomic_load_n(&job->progress, __ATOMIC_RELAXED);
    char text[64];
    snprintf(text, sizeof text, "%.1f M transitions/s", 1e-6 * progress / (carom_now() - job->begun + 1e-9));
    carom_progress_draw(progress / (double)job->transitions, text);
}

static void play(void *argument)
{
    recipe_job *job = argument;
    carom_recipe_how how = carom_recipe_how_default();
    how.isa = job->options->isa;
    how.threads = job->options->threads;
    how.cancel = &carom_interrupt;
    how.progress = &job->progress;
    double saved = job->begun;
    for (; job->block < job->end && !job->differs && job->status == CAROM_OK; job->block++) {
        const size_t b = (size_t)job->block;
        uint64_t digest;
        const bool known = carom_recipe_digest(job->recipe, b, &job->recorded) == CAROM_OK;
        if (job->save != NULL && known) {
            continue;
        }
        job->status = carom_recipe_play(job->recipe, b, &how, &digest);
        if (job->status != CAROM_OK) {
            break;
        }
        if (job->save == NULL) {
            job->played = digest;
            job->differs = digest != job->recorded;
            if (job->differs) {
                break;
            }
            continue;
        }
        carom_demand(carom_recipe_set_digest(job->recipe, b, digest), "keep a digest");
        if (carom_now() >= saved + SAVE) {
            write_recipe(job->recipe, job->save);
            saved = carom_now();
        }
    }
    job->seconds = carom_now() - job->begun;
}

/* Plays the blocks of the share. */
static recipe_job play_all(const recipe_options *options, carom_recipe *recipe, const char *save)
{
    recipe_job job = {.options = options, .recipe = recipe, .about = carom_recipe_describe(recipe), .save = save};
    if (options->from >= job.about.blocks) {
        carom_die("--from: the recipe has blocks 0 to %zu", job.about.blocks - 1);
    }
    carom_shard_range(carom_resolve_shard(options->part), job.about.blocks - options->from, "blocks", &job.from,
                      &job.end);
    job.from += options->from;
    job.end += options->from;
    job.block = job.from;
    for (uint64_t b = job.from; b < job.end; b++) {
        uint64_t first, worlds, digest;
        carom_demand(carom_recipe_block(recipe, (size_t)b, &first, &worlds), "find a block");
        if (save == NULL || carom_recipe_digest(recipe, (size_t)b, &digest) != CAROM_OK) {
            job.transitions += worlds * job.about.ticks;
        }
    }
    carom_catch_interrupt();
    job.begun = carom_now();
    carom_watch(play, show, &job);
    if (job.status != CAROM_ERROR_CANCELLED) {
        carom_demand(job.status, "play the recipe");
    }
    return job;
}

/* ---- reports ---- */

static void print_json(const char *command, const char *path, const recipe_job *job)
{
    carom_json("{'command': %s, 'recipe': %s, 'game': %s, 'version': %s, 'worlds': %" PRIu64 ", 'ticks': %" PRIu64,
               command, path, carom_game_describe(job->about.game).name, carom_version(), job->about.worlds,
               job->about.ticks);
    carom_json(", 'blocks': %zu, 'from': %" PRIu64 ", 'end': %" PRIu64 ", 'done': %" PRIu64, job->about.blocks,
               job->from, job->end, job->block);
    carom_json(", 'transitions': %" PRIu64 ", 'seconds': %.9g, 'transitions_per_s': %.9g", job->progress, job->seconds,
               job->seconds > 0 ? (double)job->progress / job->seconds : 0);
    if (job->differs) {
        carom_json(", 'difference': {'block': %" PRIu64 ", 'recorded': '%016" PRIx64 "', 'played': '%016" PRIx64 "'}",
                   job->block, job->recorded, job->played);
    }
    carom_json(", 'interrupted': %i}\n", job->status == CAROM_ERROR_CANCELLED);
}

/* "r.recipe: csb, 1,000 worlds, 200 ticks, " */
static void print_what(const char *path, const recipe_job *job)
{
    char worlds[32], ticks[32];
    printf("%s: %s, %s worlds, %s ticks, ", path, carom_game_describe(job->about.game).name,
           carom_grouped(job->about.worlds, worlds), carom_grouped(job->about.ticks, ticks));
}

static void print_speed(const recipe_job *job)
{
    char number[32];
    printf(" (%s transitions in %.3f s: %.2f M/s)\n", carom_grouped(job->progress, number), job->seconds,
           job->seconds > 0 ? 1e-6 * (double)job->progress / job->seconds : 0);
}

/* ---- make ---- */

static carom_recipe *create_recipe(const recipe_options *options, carom_scene **scene)
{
    const scene_changes changes = {-1, -1};
    const carom_game *game = carom_load_played(options->name, "game", changes, scene);
    carom_recipe_desc desc = carom_recipe_desc_default(game);
    desc.options = carom_set_options(game, &options->settings);
    desc.worlds = options->worlds;
    desc.ticks = options->ticks;
    desc.seed = options->seed;
    desc.precision = options->precision;
    desc.at_end = options->at_end;
    desc.blocks = (size_t)options->blocks;
    if (options->actions != NULL) {
        carom_choose_actions(game, options->actions, &desc.action_kind);
    }
    if (options->observations != NULL &&
        carom_game_find_observation_kind(game, options->observations, &desc.observation_kind) != CAROM_OK) {
        carom_die("--observations: unknown choice '%s' (see carom info %s)", options->observations, options->name);
    }
    if (options->rewards != NULL &&
        carom_game_find_reward_kind(game, options->rewards, &desc.reward_kind) != CAROM_OK) {
        carom_die("--rewards: unknown choice '%s' (see carom info %s)", options->rewards, options->name);
    }

    const uint32_t players = carom_game_describe(game).players;
    if (options->player_count > 1 && options->player_count != players) {
        carom_die("--player: given %zu times, for %u players", options->player_count, players);
    }
    for (uint32_t p = 0; p < players && options->player_count > 0; p++) {
        desc.players[p] = options->players[options->player_count > 1 ? p : 0];
    }

    carom_recipe *recipe = NULL;
    carom_problem problem = {""};
    const carom_status status = carom_recipe_create(&desc, &recipe, &problem);
    if (status != CAROM_OK) {
        carom_die("%s: %s", options->name, problem.text[0] != '\0' ? problem.text : carom_status_string(status));
    }
    return recipe;
}

static int make(arguments *args)
{
    recipe_options options;
    memset(&options, 0, sizeof options);
    carom_read_arguments(args, make_rows, &options);
    if (options.out == NULL) {
        carom_die("--out: the recipe needs a file");
    }
    char *out = carom_shard_path(carom_resolve_shard(options.part), "--out", options.out);
    carom_scene *scene = NULL;
    carom_recipe *recipe = create_recipe(&options, &scene), *before = read_recipe(out, false);
    size_t differing = SIZE_MAX;
    if (before != NULL) {
        if (!take_digests(recipe, before, &differing) && first_missing(before) < carom_recipe_describe(before).blocks) {
            carom_die("%s: the unfinished recipe of another run; give another --out, or remove it", out);
        }
        carom_recipe_destroy(before);
    }
    write_recipe(recipe, out); /* fails before anything is played if it cannot be written */

    const recipe_job job = play_all(&options, recipe, out);
    write_recipe(recipe, out);
    if (options.json) {
        print_json("recipe make", out, &job);
    } else {
        print_what(out, &job);
        const size_t missing = first_missing(recipe);
        if (missing == job.about.blocks) {
            printf("%zu blocks", missing);
        } else {
            printf("incomplete: block %zu is missing", missing);
        }
        print_speed(&job);
    }
    carom_recipe_destroy(recipe);
    carom_scene_destroy(scene);
    free(out);
    return job.status == CAROM_OK ? 0 : EXIT_INTERRUPTED;
}

const command_row carom_recipe_make_command = {
    .name = "recipe make",
    .usage = "GAME|FILE --out FILE [options]",
    .summary = "write a recipe: at most 2 kB that make the same transitions again",
    .about = "Plays a game, or the scene described by a JSON file, and writes a recipe: what was played, and the "
             "digests of all observations, actions, rewards and ends, by block. carom recipe verify plays it again, "
             "anywhere.",
    .rows = make_rows,
    .notes = "An interrupted run resumes if you give the same command again. carom recipe merge merges the recipes "
             "of several shards.",
    .run = make};

/* ---- verify ---- */

static int verify(arguments *args)
{
    recipe_options options;
    memset(&options, 0, sizeof options);
    carom_read_arguments(args, verify_rows, &options);
    carom_recipe *recipe = read_recipe(options.name, true);
    const size_t missing = first_missing(recipe);
    if (missing < carom_recipe_describe(recipe).blocks) {
        carom_die("%s: incomplete, block %zu is missing: carom recipe make resumes it", options.name, missing);
    }

    const recipe_job job = play_all(&options, recipe, NULL);
    if (options.json) {
        print_json("recipe verify", options.name, &job);
    } else {
        print_what(options.name, &job);
        if (job.differs) {
            uint64_t first, worlds;
            carom_demand(carom_recipe_block(recipe, (size_t)job.block, &first, &worlds), "find a block");
            printf("DIFFERS in block %" PRIu64 " (worlds %" PRIu64 " to %" PRIu64 "): the digest was %016" PRIx64
                   " and is %016" PRIx64 "\n",
                   job.block, first, first + worlds - 1, job.recorded, job.played);
        } else if (job.status == CAROM_ERROR_CANCELLED) {
            printf("interrupted in block %" PRIu64 ": the same before it", job.block);
            if (options.part.count < 2) {
                printf("; --from %" PRIu64 " goes on", job.block);
            }
            print_speed(&job);
        } else {
            printf("blocks %" PRIu64 " to %" PRIu64 " of %zu: the same", job.from, job.end - 1, job.about.blocks);
            print_speed(&job);
        }
    }
    carom_recipe_destroy(recipe);
    return job.differs ? EXIT_MISMATCH : job.status == CAROM_OK ? 0 : EXIT_INTERRUPTED;
}

const command_row carom_recipe_verify_command = {
    .name = "recipe verify",
    .usage = "FILE [options]",
    .summary = "play a recipe again and compare",
    .about = "Plays a recipe (carom recipe make) again and compares the digests, block by block. Exit code 1 if one "
             "differs: the first block is named. Exit code 2 if the file is damaged, or was made by another version.",
    .rows = verify_rows,
    .notes = "Instruction set, threads and shards do not affect the digests.",
    .run = verify};

/* ---- merge ---- */

static int merge(arguments *args)
{
    recipe_options options;
    memset(&options, 0, sizeof options);
    carom_read_arguments(args, merge_rows, &options);
    if (options.out == NULL) {
        carom_die("--out: the recipe needs a file");
    }
    carom_recipe *whole = read_recipe(options.parts.list[0], true);
    for (size_t k = 1; k < options.parts.count; k++) {
        carom_recipe *part = read_recipe(options.parts.list[k], true);
        size_t differing = SIZE_MAX;
        if (!take_digests(whole, part, &differing)) {
            carom_die("%s and %s are not of the same run", options.parts.list[0], options.parts.list[k]);
        }
        if (differing != SIZE_MAX) {
            carom_die("%s has another digest of block %zu than the previous files", options.parts.list[k], differing);
        }
        carom_recipe_destroy(part);
    }
    write_recipe(whole, options.out);
    const size_t missing = first_missing(whole), blocks = carom_recipe_describe(whole).blocks;
    if (missing == blocks) {
        printf("%s: %zu blocks\n", options.out, blocks);
    } else {
        printf("%s: incomplete: block %zu is missing\n", options.out, missing);
    }
    carom_recipe_destroy(whole);
    return 0;
}

const command_row carom_recipe_merge_command = {
    .name = "recipe merge",
    .usage = "FILE ... --out FILE",
    .summary = "merge the parts of a recipe",
    .about = "Merges the recipes written by the shards of one run, and writes the merged one.",
    .rows = merge_rows,
    .run = merge};
