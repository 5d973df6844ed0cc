/* SPDX-License-Identifier: MIT
 * `carom bot`: plays a game by its published protocol, on standard input and output.
 */
#include "bot.h"
#include "../command/command.h"
#include "../source/game_file.h"
#include "clock.h"
#include "track.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#define LEAST_MS 1.0
/* The default distance of the limit from the target: referees that ask for 70 ms wait for 75. */
#define LIMIT_MORE_MS 5.0

typedef struct bot_arguments {
    bot_options bot;
    game_settings settings;
    const char *plan;  /* NULL: the default one */
    uint64_t rollouts; /* of a turn, instead of the clock; 0: by the clock */
} bot_arguments;

#define OPTIONS bot_arguments
static const argument_row rows[] = {
    WORD("game", bot.name),
    NUMBER("--ms T", bot.milliseconds, LEAST_MS, 1e6, 70, "target time of an answer, in milliseconds"),
    NUMBER("--limit T", bot.limit, 0, 1e6, 0,
           "when it must be out even if other programs occupy the core; by default 5 ms later"),
    NUMBER("--first-ms T", bot.first_milliseconds, LEAST_MS, 1e6, 900,
           "target time of the first answer, whose limit is as much later"),
    COUNT("--rollouts N", rollouts, 4, UINT64_C(1) << 40, 0,
          "search this many rollouts instead, regardless of time: the same input then gives the same output"),
    TEXT("--plan PLANNER:KEYS", plan, NULL,
         "how to search: shooting, cem, genetic or mppi, and key=value,... with the keys below"),
    SET,
    FLAG("--verbose", bot.verbose, "report each turn's search on standard error"),
    END};

/* ---- playing ---- */

static void tell_turn(carom_player *asked, uint32_t turn, double seconds)
{
    if (carom_player_search(asked) == NULL) { /* a network's policy */
        fprintf(stderr, "turn %" PRIu32 ": %.1f ms\n", turn, 1e3 * seconds);
        return;
    }
    const carom_search_report did = carom_search_last(carom_player_search(asked));
    double value = 0; /* of the plan within its horizon */
    carom_demand(carom_search_returns(carom_player_search(asked), &value), "plan");
    fprintf(stderr, "turn %" PRIu32 ": %" PRIu64 " rollouts in %zu generations, %.1f ms, value %.4f\n", turn,
            did.rollouts, did.generations, 1e3 * seconds, value);
}

/* Sets the search's budget for this turn, of which `used` milliseconds have passed. */
static void set_time(const bot_options *options, const bot_clock *clock, carom_player *asked, bool first, double used)
{
    const double target = first ? options->first_milliseconds : options->milliseconds;
    const double limit = target + options->limit - options->milliseconds;
    const double left = carom_clock_left(clock, target, limit, used);
    carom_demand(carom_search_set_budget(carom_player_search(asked), 0, left), "plan");
}

void carom_bot_play(const bot_options *options)
{
    const protocol *speech = carom_protocol_find(options->name);
    tracker *tracked = carom_track_create(options->name, options->set);
    carom_player *asked = NULL;
    bot_clock clock = {.turns = 0};
    bool plays = carom_track_begin(tracked, stdin);
    for (uint32_t turn = 0; plays; turn++) {
        (void)carom_clock_waited(&clock);
        ungetc(getchar(), stdin); /* waits for the referee */
        const double start = carom_now() - 1e-3 * carom_clock_waited(&clock);
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
            set_time(options, &clock, asked, turn == 0, 1000 * (carom_now() - start));
        }
        carom_planner_act(asked, tracked->world, numbers, 0);
        for (size_t k = 0; k < PROTOCOL_LINES; k++) {
            char line[PROTOCOL_LINE];
            speech->write(numbers + k * speech->numbers, line);
            puts(line);
        }
        carom_finish_output();
        carom_track_answer(tracked, numbers);
        if (options->milliseconds > 0) { /* a first turn of 900 ms counts as much as a dozen others */
            const carom_search_report did = carom_search_last(carom_player_search(asked));
            carom_clock_add(&clock, 1000 * did.pause, fmax(1000 * did.seconds / options->milliseconds, 1));
        }
        if (options->verbose) {
            tell_turn(asked, turn, carom_now() - start);
        }
    }
    carom_player_destroy(asked);
    carom_track_destroy(tracked);
}

static int run(arguments *args)
{
    bot_arguments asked;
    memset(&asked, 0, sizeof asked);
    carom_read_arguments(args, rows, &asked);
    bot_options options = asked.bot;
    const carom_game *game = carom_game_find(options.name);
    if (game == NULL || carom_protocol_find(options.name) == NULL) {
        carom_die("there is no bot for '%s', only for csb and fantastic_bits", options.name);
    }
    options.set = carom_set_options(game, &asked.settings);
    options.plan = asked.plan != NULL ? carom_plan_parse(game, asked.plan) : carom_plan_default(game);
    if (options.plan.precision != CAROM_F64) {
        carom_die("--plan: precision=f32 is for carom arena");
    }
    if (options.limit == 0) {
        options.limit = options.milliseconds + LIMIT_MORE_MS;
    }
    if (options.limit < options.milliseconds) {
        carom_die("--limit: %g ms are less than the %g of --ms", options.limit, options.milliseconds);
    }
    if (options.plan.asks_policy) { /* one call a turn, which takes hardly any time */
        options.milliseconds = 0;
    }
    if (asked.rollouts != 0) {
        options.plan.search.rollouts = asked.rollouts;
        options.plan.search.milliseconds = options.milliseconds = 0;
    }
    carom_bot_play(&options);
    return 0;
}

const command_row carom_bot_command = {
    .name = "bot",
    .usage = "GAME [options]",
    .summary = "a bot: speaks the game's protocol, plans by search",
    .about = "A bot for csb or fantastic_bits: reads the referee's lines and answers with commands. Both "
             "pods or wizards are planned in one search, from a state that includes what the referee does not reveal.",
    .rows = rows,
    .tables = carom_plan_help,
    .run = run};
