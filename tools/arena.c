/* SPDX-License-Identifier: MIT
 * `carom arena`: the exact referee plays sides against each other.
 */
#include "arena.h"
#include "game_file.h"
#include "scene_file.h"

#include <stdlib.h>
#include <string.h>

#define MAX_CONCURRENCY 1024
#define BUILT_IN "carom:"

void carom_help_arena(void)
{
    puts(
        "carom arena GAME --a SIDE --b SIDE [--side SIDE ...] [options]\n"
        "\n"
        "The exact referee plays a game of two or more players, by its name or from a file, or a scene's file. A SIDE\n"
        "is a built-in one, carom:POLICY or carom:PLANNER (carom bot --help), or, in csb and fantastic_bits, a "
        "command\n"
        "of the shell: a program that speaks the game's protocol on standard input and output. Every start is played\n"
        "twice, with the sides swapped. Of more than two players a side plays every other one (0 and 2, or 1 and\n"
        "3) and wins if one of them does. More than two sides play a tournament, everyone against everyone.\n"
        "  --games N             games of every two sides, an even number; 100 by default\n"
        "  --seed S              of the starts and of what the sides draw, 1 by default\n"
        "  --first N             the number of the first start, 0 by default\n"
        "  --concurrency N       games at a time in which programs play; as many as threads by default\n"
        "  --ms T                a program's answer is late after T milliseconds, 75 by default\n"
        "  --first-ms T          its answer in the first turn, 1000 by default\n"
        "  --late lose|play      a late answer loses the game (default), or is only counted\n"
        "  --patience T          a program that has not answered after T seconds is silent, and loses; 5 by default\n"
        "  --scores              fantastic_bits: tell the players' scores and mana, as today's site does\n"
        "  --errors              show what programs write to their standard error\n"
        "  --isa NAME            instruction set; the fastest by default\n"
        "  --threads T           threads for games of built-in sides, which are played side by side; all by default\n"
        "  --gauntlet            the first side plays all others, and they not each other\n"
        "  --record FOLDER       write a replay of every game there\n"
        "  --state FILE          written again and again; a run that was killed goes on where it ends, to the same\n"
        "                        results. %d in its name stands for K of --shard\n"
        "  --json                one JSON object instead of the table\n" SHARD_HELP "\n"
        "\n"
        "A program that ends before its answer (crashed), closes its output (closed), does not answer (silent) or too\n"
        "late (late), writes what is no command or a forbidden one (rubbish), or more than it was asked for (flooded)\n"
        "loses the game; the report tells these apart. At the end of a game the program is killed, and what it\n"
        "started. In csb a thrust above 200 is forbidden; one below 0 is taken, as by the referee, down to -9999: it\n"
        "pushes the pod away from its target. Score: the share of the points, a draw being half, with Wilson's\n"
        "interval. Ratings of a tournament have the mean 0. Ctrl-C reports what is done.");
}

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
    } else if (carom_game_find_policy(options->game, text, &side.policy) != CAROM_OK) {
        carom_die("unknown side '%s' (%s has %s; planners: see carom bot --help)", side.text, options->name,
                  carom_policy_names(options->game, names));
    }
    return side;
}

void carom_arena_load(arena_options *options)
{
    const scene_changes changes = {-1, -1};
    options->game = carom_load_game(options->name);
    if (options->game == NULL) {
        options->scene = carom_load_scene(options->name, "game", "one that carom info lists", changes);
        options->game = carom_scene_game(options->scene);
    }
    if (carom_game_describe(options->game).players < 2) {
        carom_die("'%s' cannot be played in the arena: it has one player", options->name);
    }
}

/* Sides are read once the game is known. */
static void choose(arena_options *options, const char *const *texts)
{
    if (options->name == NULL) {
        carom_die("which game? (see carom arena --help)");
    }
    carom_arena_load(options);
    if (texts[0] == NULL || texts[1] == NULL) {
        carom_die("who plays? --a SIDE and --b SIDE are needed (see carom arena --help)");
    }
    for (size_t i = 0; i < options->side_count; i++) {
        options->sides[i] = parse_side(options, texts[i]);
    }
}

static arena_options parse(arguments *args)
{
    const char *texts[ARENA_SIDES] = {NULL};
    const char *value, *out = NULL, *state = NULL;
    arena_options options = {.side_count = 2,
                             .games = 100,
                             .seed = 1,
                             .concurrency = carom_threads(),
                             .limit = 0.075,
                             .first_limit = 1,
                             .patience = 5};
    while (*args->list != NULL) {
        if (carom_take_value(args, "--a", &texts[0]) || carom_take_value(args, "--b", &texts[1]) ||
            carom_take_value(args, "--record", &options.record) || carom_take_value(args, "--state", &state) ||
            carom_take_shard(args, &options.part, &out)) {
            continue;
        } else if (carom_take_value(args, "--side", &value)) {
            if (options.side_count == ARENA_SIDES) {
                carom_die("--side: at most %d sides play", ARENA_SIDES);
            }
            texts[options.side_count++] = value;
        } else if (carom_take_value(args, "--games", &value)) {
            options.games = carom_parse_count("--games", value, 2, UINT64_C(1) << 32);
            if (options.games % 2 != 0) {
                carom_die("--games: %s is odd, and every start is played twice", value);
            }
        } else if (carom_take_value(args, "--seed", &value)) {
            options.seed = carom_parse_count("--seed", value, 0, UINT64_MAX);
        } else if (carom_take_value(args, "--first", &value)) {
            options.first = carom_parse_count("--first", value, 0, UINT64_C(1) << 62);
        } else if (carom_take_value(args, "--concurrency", &value)) {
            options.concurrency = (unsigned)carom_parse_count("--concurrency", value, 1, MAX_CONCURRENCY);
        } else if (carom_take_value(args, "--ms", &value)) {
            options.limit = 1e-3 * carom_parse_number("--ms", value, 0.001, 1e9);
        } else if (carom_take_value(args, "--first-ms", &value)) {
            options.first_limit = 1e-3 * carom_parse_number("--first-ms", value, 0.001, 1e9);
        } else if (carom_take_value(args, "--patience", &value)) {
            options.patience = carom_parse_number("--patience", value, 0.001, 1e6);
        } else if (carom_take_value(args, "--late", &value)) {
            if (strcmp(value, "lose") != 0 && strcmp(value, "play") != 0) {
                carom_die("--late: unknown choice '%s' (lose or play)", value);
            }
            options.late_plays = value[0] == 'p';
        } else if (carom_take_flag(args, "--gauntlet")) {
            options.gauntlet = true;
        } else if (carom_take_flag(args, "--scores")) {
            options.scores = true;
        } else if (carom_take_flag(args, "--errors")) {
            options.show_errors = true;
        } else if (carom_take_value(args, "--isa", &value)) {
            options.isa = carom_parse_isa(value);
        } else if (carom_take_value(args, "--threads", &value)) {
            options.threads = (unsigned)carom_parse_count("--threads", value, 1, MAX_CONCURRENCY);
        } else if (carom_take_flag(args, "--json")) {
            options.json = true;
        } else {
            carom_take_name(args, &options.name);
        }
    }
    choose(&options, texts);
    if (options.record != NULL) {
        options.concurrency = 1; /* one file at a time is written */
    }
    options.part = carom_resolve_shard(options.part);
    options.state = carom_shard_path(options.part, "--state", state);
    carom_shard_range(options.part, options.games / 2, "starts", &options.begin, &options.end);
    options.json |= out != NULL;
    carom_shard_output(options.part, out);
    return options;
}

int carom_command_arena(arguments *args)
{
    const arena_options options = parse(args);
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
