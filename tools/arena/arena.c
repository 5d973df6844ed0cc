/* SPDX-License-Identifier: MIT
 * `carom arena`: plays sides against each other under the exact referee.
 */
#define _POSIX_C_SOURCE 200809L

#include "arena.h"
#include "../source/scene_file.h"
#include "ladder.h"
#include "seats.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define MAX_CONCURRENCY 1024
#define BUILT_IN "carom:"

#define GAMES UINT64_C(100)              /* by default, without a test */
#define LADDER_GAMES UINT64_C(400)       /* at most with a rung */
#define LADDER_ELO 20                    /* the hypotheses of a ladder's test are -20 and 20 */
#define TESTED_GAMES (UINT64_C(3) << 30) /* by default, with a test */

static const char *const late_names[] = {"lose", "play", NULL};
static const char *const language_names[] = {[ARENA_CONTEST] = "contest", [ARENA_LINES] = "carom", NULL};

/* A side of a tournament, after a and b. */
static void take_side(const char *name, const char *text, void *to)
{
    arena_options *options = (arena_options *)to;
    options->side_count += options->side_count < 2 ? 2 - options->side_count : 0;
    if (options->side_count == ARENA_SIDES) {
        carom_die("%s: at most %d sides can play", name, ARENA_SIDES);
    }
    options->sides[options->side_count++].text = text;
}

#define OPTIONS arena_options
static const argument_row rows[] = {
    WORD("game", name),
    TEXT("--a SIDE", sides[0].text, NULL, "the first side,"),
    TEXT("--b SIDE", sides[1].text, NULL, "and the second"),
    CALL_WITH_ALL("--side SIDE", take_side, "another side; may be repeated"),
    COUNT("--games N", games, 1, UINT64_C(1) << 32, 0,
          "games of every pair of sides: a multiple of the games of a start; 100 or the next multiple by default"),
    COUNT("--seed S", seed, 0, UINT64_MAX, 1, "of the starts and of the random numbers of the sides"),
    COUNT("--first N", first, 0, UINT64_C(1) << 62, 0, "the number of the first start"),
    COUNT("--concurrency N", concurrency, 1, MAX_CONCURRENCY, 0,
          "games with programs that run at the same time; as many as threads by default"),
    NUMBER("--ms T", ms, 0.001, 1e9, 75, "a program's answer is late after T milliseconds"),
    NUMBER("--first-ms T", first_ms, 0.001, 1e9, 1000, "its answer in the first turn"),
    CHOICE("--late", late_plays, late_names, 0, "a late answer loses the game, or is only counted"),
    NUMBER("--patience T", patience, 0.001, 1e6, 5,
           "a program that has not answered after T seconds counts as silent and loses"),
    CHOICE("--protocol", language, language_names, ARENA_CONTEST,
           "the protocol of programs: the contest's in csb and fantastic_bits and Carom's lines in other games, or "
           "Carom's lines in all games"),
    TEXT("--observation KIND", observation_name, NULL,
         "the observation of programs that use Carom's lines, such as ego; raw by default"),
    FLAG("--scores", scores, "fantastic_bits: report the players' scores and mana, as today's site does"),
    FLAG("--errors", show_errors, "show what programs write to their standard error"),
    SET,
    ISA,
    COUNT("--threads T", threads, 1, MAX_CONCURRENCY, 0,
          "threads for games of built-in sides, which run in parallel; all by default"),
    AFFINITY,
    FLAG("--gauntlet", gauntlet, "the first side plays all others, which do not play each other"),
    PAIR("--sprt E0 E1", sprt, -4000, 4000,
         "with two sides: play until the test decides whether the first is E0 or E1 Elo points stronger, with error "
         "rates of 0.05; --games is then the maximum, without a limit by default"),
    TEXT("--record FOLDER", record, NULL, "write a replay of every game there; the folder is created"),
    TEXT("--results FILE", results_name, NULL,
         "write a line of JSON for every game; %d in its name stands for K of --shard"),
    TEXT("--ladder FILE", ladder, NULL,
         "show a ladder of sides, kept in FILE with all their matches; give a command that was killed again to "
         "continue it; with --state FILE stays as it was until the side has its place"),
    TEXT("--add SIDE", add, NULL,
         "add a side to the ladder: it plays its neighbours until the test decides which is stronger (Elo -20 or 20, "
         "or those of --sprt), at most 400 games with each, or --games"),
    TEXT(
        "--state FILE", state_name, NULL,
        "save progress there regularly; the same command continues a run that was killed, with the same results. %d in "
        "its name stands for K of --shard"),
    JSON,
    GROUP(carom_shard_rows, share),
    END};

arena_side carom_arena_side(const arena_options *options, const char *text)
{
    arena_side side = {.text = text};
    char names[NAMES_SIZE];
    if (strncmp(text, BUILT_IN, strlen(BUILT_IN)) != 0) {
        if (text[strspn(text, " ")] == '\0') {
            carom_die("an empty command is not a side (see carom arena --help)");
        }
        side.command = text;
        return side;
    }
    text += strlen(BUILT_IN);
    side.zero = strcmp(text, "zero") == 0;
    side.searches = carom_plan_is_planner(text);
    if (side.zero) {
        return side;
    }
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
    options->rounds = arena_rounds(carom_game_describe(options->game).players);
}

static void choose_observation(arena_options *options)
{
    carom_observation_kind kind;
    if (options->observation_name != NULL &&
        carom_game_find_observation_kind(options->game, options->observation_name, &options->observation) != CAROM_OK) {
        char names[NAMES_SIZE] = "";
        for (size_t k = 0; carom_game_observation_kind(options->game, k, &kind) == CAROM_OK; k++) {
            const size_t end = strlen(names);
            snprintf(names + end, sizeof names - end, "%s%s", k > 0 ? ", " : "", kind.name);
        }
        carom_die("--observation: unknown kind '%s' (%s has %s)", options->observation_name, options->name, names);
    }
}

/* Sets the number of games of every pair of sides. */
static void choose_games(arena_options *options)
{
    const unsigned rounds = options->rounds;
    const bool tests = carom_arena_tests(options);
    if (options->games == 0) {
        options->games = tests ? TESTED_GAMES : (GAMES + rounds - 1) / rounds * rounds;
    }
    if (options->games % rounds != 0 && rounds == 2) {
        carom_die("--games: %" PRIu64 " is odd, and every start is played twice", options->games);
    }
    if (options->games % rounds != 0) {
        carom_die("--games: %" PRIu64 " is no multiple of %u, and so often every start is played", options->games,
                  rounds);
    }
}

static void check_ladder(const arguments *args, arena_options *options)
{
    if (options->ladder == NULL && options->add != NULL) {
        carom_die("--add: to which ladder? (--ladder FILE)");
    }
    if (options->ladder == NULL) {
        return;
    }
    if (options->sides[0].text != NULL || options->sides[1].text != NULL) {
        carom_die("--ladder: its sides are in its file, and --add SIDE adds one");
    }
    if (options->share.part.count > 1) {
        carom_die("--ladder: a match of a ladder is played as a whole: no --shard");
    }
    if (carom_was_given(args, "--state") && options->add == NULL) {
        carom_die("--state: to show a ladder nothing is played that could be continued (--add SIDE)");
    }
    if (options->record != NULL) {
        carom_die("--ladder: games of several matches would have the same names: no --record");
    }
    if (!carom_arena_tests(options)) {
        options->sprt[0] = -LADDER_ELO;
        options->sprt[1] = LADDER_ELO;
    }
    if (options->games == 0) {
        options->games = (LADDER_GAMES + options->rounds - 1) / options->rounds * options->rounds;
    }
}

static void check_test(const arguments *args, const arena_options *options)
{
    if (!carom_was_given(args, "--sprt")) {
        return;
    }
    if (options->sprt[0] >= options->sprt[1]) {
        carom_die("--sprt: %g is not less than %g", options->sprt[0], options->sprt[1]);
    }
    if (options->side_count > 2) {
        carom_die("--sprt: a test is between two sides, there are %zu", options->side_count);
    }
    if (options->share.part.count > 1) {
        carom_die("--sprt: a part of a run cannot know when to stop: not with --shard");
    }
}

static void make_folder(const char *name)
{
    struct stat about;
    if (mkdir(name, 0777) != 0 && (errno != EEXIST || stat(name, &about) != 0 || !S_ISDIR(about.st_mode))) {
        carom_die("--record: cannot make the folder '%s': %s", name, strerror(errno));
    }
}

static int run(arguments *args)
{
    static arena_options options; /* large */
    memset(&options, 0, sizeof options);
    carom_read_arguments(args, rows, &options);
    carom_arena_load(&options);
    options.set = carom_set_options(options.game, &options.settings);
    choose_observation(&options);
    options.share.part = carom_resolve_shard(options.share.part);
    check_ladder(args, &options);
    if (options.ladder == NULL && (options.sides[0].text == NULL || options.sides[1].text == NULL)) {
        carom_die("who plays? --a SIDE and --b SIDE are needed (see carom arena --help)");
    }
    options.side_count = options.side_count > 2 ? options.side_count : 2;
    for (size_t i = 0; i < options.side_count && options.ladder == NULL; i++) {
        options.sides[i] = carom_arena_side(&options, options.sides[i].text);
    }
    if (options.concurrency == 0) {
        options.concurrency = carom_threads();
    }
    check_test(args, &options);
    choose_games(&options);
    options.state = carom_shard_path(options.share.part, "--state", options.state_name);
    options.results = carom_shard_path(options.share.part, "--results", options.results_name);
    carom_shard_range(options.share.part, options.games / options.rounds, "starts", &options.begin, &options.end);
    if (options.record != NULL) {
        make_folder(options.record);
    }
    options.json |= options.share.out != NULL;
    carom_shard_output(&options.share);
    if (options.ladder != NULL) {
        const bool interrupted = carom_arena_ladder(&options);
        free(options.state);
        free(options.results);
        carom_scene_destroy(options.scene);
        return interrupted ? EXIT_INTERRUPTED : 0;
    }
    arena_result result;
    if (options.state != NULL || options.results != NULL || carom_arena_tests(&options)) {
        carom_arena_play_on(&options, &result);
    } else {
        carom_arena_play(&options, &result);
    }
    carom_arena_report(&options, &result);
    free(result.pairings);
    free(options.state);
    free(options.results);
    carom_scene_destroy(options.scene);
    return result.interrupted ? EXIT_INTERRUPTED : 0;
}

const command_row carom_arena_command = {
    .name = "arena",
    .usage = "GAME --a SIDE --b SIDE [options]",
    .summary = "bots play each other, or built-in sides: scores, Elo",
    .about =
        "Plays sides against each other under the exact referee. GAME is a game's name, a game's file or a scene's "
        "file. A SIDE is built in, carom:POLICY, carom:zero or carom:PLANNER (carom bot --help), or a shell command: a "
        "program that uses the game's protocol on standard input and output (docs/bots.md). Every start is played "
        "twice, with the sides swapped. With four players a side plays every other one (0 and 2, or 1 and 3) and wins "
        "if one of them does. With three players each side is alone on each seat in turn: six games of a start. In a "
        "game of one player both sides play the same starts, and the higher sum of rewards wins. More than two sides "
        "play a tournament, each against every other.",
    .rows = rows,
    .notes =
        "A program loses the game if it ends before its answer (crashed), closes its output (closed), does not answer "
        "(silent) or too late (late), writes a line that is not a command or a forbidden one (rubbish), or writes more "
        "than its answer (flooded); the report lists these separately. At the end of a game the program is killed "
        "together with everything that it started. In csb a thrust above 200 is forbidden; one below 0 is accepted, as "
        "by the referee, down to -9999: it pushes the pod away from its target. Score: the share of the points, half "
        "for a draw, with Wilson's interval. Ratings of a tournament have mean 0 and 95% intervals. Ctrl-C stops and "
        "reports the games so far.",
    .run = run};
