/* SPDX-License-Identifier: MIT
 * `carom arena`: the exact referee plays sides against each other.
 */
#include "arena.h"
#include "../source/scene_file.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define MAX_CONCURRENCY 1024
#define BUILT_IN "carom:"

static const char *const late_names[] = {"lose", "play", NULL};

/* A side of a tournament, after a and b. */
static void take_side(const char *name, const char *text, void *to)
{
    arena_options *options = (arena_options *)to;
    options->side_count += options->side_count < 2 ? 2 - options->side_count : 0;
    if (options->side_count == ARENA_SIDES) {
        carom_die("%s: at most %d sides play", name, ARENA_SIDES);
    }
    options->sides[options->side_count++].text = text;
}

#define OPTIONS arena_options
static const argument_row rows[] = {
    WORD("game", name),
    TEXT("--a SIDE", sides[0].text, NULL, "the first side,"),
    TEXT("--b SIDE", sides[1].text, NULL, "and the second"),
    CALL_WITH_ALL("--side SIDE", take_side, "one more; may be given again"),
    COUNT("--games N", games, 2, UINT64_C(1) << 32, 100, "games of every two sides, an even number"),
    COUNT("--seed S", seed, 0, UINT64_MAX, 1, "of the starts and of what the sides draw"),
    COUNT("--first N", first, 0, UINT64_C(1) << 62, 0, "the number of the first start"),
    COUNT("--concurrency N", concurrency, 1, MAX_CONCURRENCY, 0,
          "games at a time in which programs play; as many as threads by default"),
    NUMBER("--ms T", ms, 0.001, 1e9, 75, "a program's answer is late after T milliseconds"),
    NUMBER("--first-ms T", first_ms, 0.001, 1e9, 1000, "its answer in the first turn"),
    CHOICE("--late", late_plays, late_names, 0, "a late answer loses the game, or is only counted"),
    NUMBER("--patience T", patience, 0.001, 1e6, 5,
           "a program that has not answered after T seconds is silent, and loses"),
    FLAG("--scores", scores, "fantastic_bits: tell the players' scores and mana, as today's site does"),
    FLAG("--errors", show_errors, "show what programs write to their standard error"),
    SET,
    ISA,
    COUNT("--threads T", threads, 1, MAX_CONCURRENCY, 0,
          "threads for games of built-in sides, which are played side by side; all by default"),
    AFFINITY,
    FLAG("--gauntlet", gauntlet, "the first side plays all others, and they not each other"),
    TEXT("--record FOLDER", record, NULL, "write a replay of every game there"),
    TEXT("--state FILE", state_name, NULL,
         "written again and again; a run that was killed goes on where it ends, to the same results. %d in its name "
         "stands for K of --shard"),
    JSON,
    GROUP(carom_shard_rows, share),
    END};

static arena_side parse_side(const arena_options *options, const char *text)
{
    arena_side side = {.text = text};
    char names[NAMES_SIZE];
    if (strncmp(text, BUILT_IN, strlen(BUILT_IN)) != 0) {
        if (text[strspn(text, " ")] == '\0') {
            carom_die("an empty command is no side (see carom arena --help)");
        }
        if (carom_protocol_find(options->name) == NULL) {
            carom_die("'%s' is no built-in side, and programs play csb and fantastic_bits only", text);
        }
        side.command = text;
        return side;
    }
    text += strlen(BUILT_IN);
    side.searches = carom_plan_is_planner(text);
    if (side.searches) {
        side.plan = carom_plan_parse(options->game, text);
        side.plan.search.cancel = &carom_interrupt;
        carom_plan_allow(&side.plan, options->set);
    } else if (carom_game_find_policy(options->game, text, &side.policy) != CAROM_OK) {
        carom_die("unknown side '%s' (%s has %s; planners: see carom bot --help)", side.text, options->name,
                  carom_policy_names(options->game, names));
    }
    return side;
}

void carom_arena_load(arena_options *options)
{
    const scene_changes changes = {-1, -1};
    options->game = carom_load_played(options->name, "game", changes, &options->scene);
    if (carom_game_describe(options->game).players < 2) {
        carom_die("'%s' cannot be played in the arena: it has one player", options->name);
    }
}

static int run(arguments *args)
{
    static arena_options options; /* large */
    memset(&options, 0, sizeof options);
    carom_read_arguments(args, rows, &options);
    if (options.games % 2 != 0) {
        carom_die("--games: %" PRIu64 " is odd, and every start is played twice", options.games);
    }
    carom_arena_load(&options);
    options.set = carom_set_options(options.game, &options.settings);
    if (options.sides[0].text == NULL || options.sides[1].text == NULL) {
        carom_die("who plays? --a SIDE and --b SIDE are needed (see carom arena --help)");
    }
    options.side_count = options.side_count > 2 ? options.side_count : 2;
    for (size_t i = 0; i < options.side_count; i++) {
        options.sides[i] = parse_side(&options, options.sides[i].text);
    }
    if (options.concurrency == 0) {
        options.concurrency = carom_threads();
    }
    if (options.record != NULL) {
        options.concurrency = 1; /* one file at a time is written */
    }
    options.share.part = carom_resolve_shard(options.share.part);
    options.state = carom_shard_path(options.share.part, "--state", options.state_name);
    carom_shard_range(options.share.part, options.games / 2, "starts", &options.begin, &options.end);
    options.json |= options.share.out != NULL;
    carom_shard_output(&options.share);
    arena_result result;
    if (options.state != NULL) {
        carom_arena_play_on(&options, &result);
    } else {
        carom_arena_play(&options, &result);
    }
    carom_arena_report(&options, &result);
    free(result.pairings);
    free(options.state);
    carom_scene_destroy(options.scene);
    return result.interrupted ? EXIT_INTERRUPTED : 0;
}

const command_row carom_arena_command = {
    .name = "arena",
    .usage = "GAME --a SIDE --b SIDE [options]",
    .summary = "bots play each other, or built-in sides: scores, Elo",
    .about = "The exact referee plays a game of two or more players, by its name or from a file, or a scene's file. A "
             "SIDE is a built-in one, carom:POLICY or carom:PLANNER (carom bot --help), or, in csb and fantastic_bits, "
             "a command of the shell: a program that speaks the game's protocol on standard input and output. Every "
             "start is played twice, with the sides swapped. Of more than two players a side plays every other one (0 "
             "and 2, or 1 and 3) and wins if one of them does. More than two sides play a tournament, everyone against "
             "everyone.",
    .rows = rows,
    .notes =
        "A program that ends before its answer (crashed), closes its output (closed), does not answer (silent) or "
        "too late (late), writes what is no command or a forbidden one (rubbish), or more than it was asked for "
        "(flooded) loses the game; the report tells these apart. At the end of a game the program is killed, and "
        "what it started. In csb a thrust above 200 is forbidden; one below 0 is taken, as by the referee, down to "
        "-9999: it pushes the pod away from its target. Score: the share of the points, a draw being half, with "
        "Wilson's interval. Ratings of a tournament have the mean 0. Ctrl-C reports what is done.",
    .run = run};
