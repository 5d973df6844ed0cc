/* SPDX-License-Identifier: MIT
 * `carom bot`: plays a game by its published protocol, on standard input and output.
 */
#include "bot.h"
#include "command.h"
#include "track.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

/* Of the time asked for, in milliseconds, what is left to writing. */
#define MARGIN_MS 1.0
/* How long other programs may keep the core, before that is known. */
#define FIRST_PAUSE_MS 20.0
#define LEAST_MS 4.0

void carom_help_bot(void)
{
    puts("carom bot GAME [options]\n"
         "\n"
         "A bot for csb or fantastic_bits: reads what the game's referee writes, answers with its commands. Both pods "
         "or\n"
         "wizards are planned in one search, from a state that holds what the referee does not tell, too.\n"
         "  --ms T                milliseconds for an answer, 70 by default\n"
         "  --first-ms T          for the first one, 900 by default\n"
         "  --rollouts N          instead: search so many rollouts, however long it takes. The same input gives the\n"
         "                        same output then\n"
         "  --plan PLANNER:KEYS   how to search: shooting, cem, genetic or mppi, and key=value,... of the list below\n"
         "  --verbose             tell on standard error what was searched in each turn\n"
         "\n"
         "keys of PLANNER:KEYS, also as a side of carom arena (--a carom:cem:rollouts=1000,horizon=8)\n"
         "  rollouts, ms          the budget of a turn: rollouts (1024 by default), or milliseconds\n"
         "  horizon, hold         ticks of a plan (6; csb with fictitious play from 4096 rollouts on: 7); ticks that "
         "a\n"
         "                        row of it is played for\n"
         "  sequences, elites     of a generation (a 96th of the rollouts, fantastic_bits a 20th; 128 to 2048)\n"
         "  sigma, least, keep    of cem (carom/search.h: sigma, sigma_least, keep)\n"
         "  mutation, spread      of genetic\n"
         "  temperature           of mppi\n"
         "  other-side            what it does meanwhile: a policy's name, zero, plan (its last one), search, "
         "fictitious\n"
         "                        (all its plans of this turn); several at once, race+search. csb: search, from 4096\n"
         "                        rollouts on and by the clock fictitious; fantastic_bits: the policy striker, then\n"
         "                        striker+zero\n"
         "  against               of several: mean (default) or worst, what a plan is worth\n"
         "  share, rounds         of search and fictitious: its part of the budget, how often both search in turn\n"
         "                        (once; 3 times from 4096 rollouts on, and by the clock)\n"
         "  cut, cut-keep         ticks after which the worst of a generation are given up (0: never), and the part "
         "that\n"
         "                        goes on (0.25). fantastic_bits: after half the horizon\n"
         "  discount, reward      of rewards on the way; their weight\n"
         "  seed                  of what is drawn\n"
         "  precision             f64 (default), or f32: to search in, in the arena's games, which are f64\n"
         "  value                 game (its final value) or weights (default), which are keys, too:");
    carom_plan_help("csb");
    carom_plan_help("fantastic_bits");
}

static bot_options parse(arguments *args)
{
    bot_options options = {.milliseconds = 70, .first_milliseconds = 900};
    const char *plan = NULL, *rollouts = NULL, *value;
    while (*args->list != NULL) {
        if (carom_take_value(args, "--ms", &value)) {
            options.milliseconds = carom_parse_number("--ms", value, LEAST_MS, 1e6);
        } else if (carom_take_value(args, "--first-ms", &value)) {
            options.first_milliseconds = carom_parse_number("--first-ms", value, LEAST_MS, 1e6);
        } else if (carom_take_value(args, "--rollouts", &rollouts) || carom_take_value(args, "--plan", &plan)) {
            continue;
        } else if (carom_take_flag(args, "--verbose")) {
            options.verbose = true;
        } else {
            carom_take_name(args, &options.name);
        }
    }
    if (options.name == NULL) {
        carom_die("which game? (see carom bot --help)");
    }
    const carom_game *game = carom_game_find(options.name);
    if (game == NULL || carom_protocol_find(options.name) == NULL) {
        carom_die("there is no bot for '%s': csb or fantastic_bits", options.name);
    }
    options.plan = plan != NULL ? carom_plan_parse(game, plan) : carom_plan_default(game);
    if (options.plan.precision != CAROM_F64) {
        carom_die("--plan: precision=f32 is for carom arena");
    }
    if (rollouts != NULL) {
        options.plan.search.rollouts = carom_parse_count("--rollouts", rollouts, 4, UINT64_C(1) << 40);
        options.plan.search.milliseconds = options.milliseconds = 0;
    }
    return options;
}

/* ---- playing ---- */

/* The time to search, where `used` of `all` are gone. Others may keep the core for a pause before the bot notices that
 * it has been asked, and again before its answer is out. */
static double time_left(double all, double used, double pause)
{
    return fmax(all - used - MARGIN_MS - 2 * pause, all / 4);
}

static void tell(const planner *asked, uint32_t turn, double seconds)
{
    const carom_search_report did = carom_planner_last(asked);
    fprintf(stderr, "turn %" PRIu32 ": %" PRIu64 " rollouts in %zu generations, %.1f ms, value %.4f\n", turn,
            did.rollouts, did.generations, 1e3 * seconds, carom_planner_value(asked));
}

void carom_bot_play(const bot_options *options)
{
    const protocol *speech = carom_protocol_find(options->name);
    tracker *tracked = carom_track_create(options->name, CAROM_CSB_FULL);
    planner *asked = NULL;
    char lines[1][PROTOCOL_LINES][PROTOCOL_LINE];
    double pause = FIRST_PAUSE_MS;
    bool plays = carom_track_begin(tracked, stdin);
    for (uint32_t turn = 0; plays; turn++) {
        ungetc(getchar(), stdin); /* waits for the referee */
        const double start = carom_now();
        plays = carom_track_turn(tracked, stdin);
        if (!plays) {
            break;
        }
        double numbers[PROTOCOL_LINES * PROTOCOL_NUMBERS];
        if (asked == NULL) {
            plan_options plan = options->plan;
            plan.search.milliseconds = options->milliseconds;
            asked = carom_planner_create(tracked->world, &plan, carom_track_player(tracked));
        }
        if (options->milliseconds > 0) {
            const double all = turn == 0 ? options->first_milliseconds : options->milliseconds;
            carom_planner_set_time(asked, time_left(all, 1000 * (carom_now() - start), pause));
        }
        carom_planner_think(asked, tracked->world, lines);
        for (size_t k = 0; k < PROTOCOL_LINES; k++) {
            puts(lines[0][k]);
            speech->read(lines[0][k], numbers + k * speech->numbers); /* as the referee will */
        }
        carom_finish_output();
        carom_track_answer(tracked, numbers);
        /* What was long ago counts for less and less. */
        pause = fmax(carom_planner_pause(asked), turn > 0 ? 0.99 * pause : 0);
        if (options->verbose) {
            tell(asked, turn, carom_now() - start);
        }
    }
    carom_planner_destroy(asked);
    carom_track_destroy(tracked);
}

int carom_command_bot(arguments *args)
{
    const bot_options options = parse(args);
    carom_bot_play(&options);
    return 0;
}
