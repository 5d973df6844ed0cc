/* SPDX-License-Identifier: MIT
 * `carom bot`: plays a game by its published protocol, on standard input and output.
 */
#include "bot.h"
#include "../command/command.h"
#include "../source/game_file.h"
#include "track.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

/* Of the time asked for, in milliseconds, what is left to writing. */
#define MARGIN_MS 1.0
/* How long other programs may keep the core, before that is known. */
#define FIRST_PAUSE_MS 20.0
#define LEAST_MS 4.0

typedef struct bot_arguments {
    bot_options bot;
    game_settings settings;
    const char *plan;  /* NULL: the default one */
    uint64_t rollouts; /* of a turn, instead of the clock; 0: by the clock */
} bot_arguments;

#define OPTIONS bot_arguments
static const argument_row rows[] = {
    WORD("game", bot.name),
    NUMBER("--ms T", bot.milliseconds, LEAST_MS, 1e6, 70, "milliseconds for an answer"),
    NUMBER("--first-ms T", bot.first_milliseconds, LEAST_MS, 1e6, 900, "for the first one"),
    COUNT("--rollouts N", rollouts, 4, UINT64_C(1) << 40, 0,
          "instead: search so many rollouts, however long it takes. The same input gives the same output then"),
    TEXT("--plan PLANNER:KEYS", plan, NULL,
         "how to search: shooting, cem, genetic or mppi, and key=value,... of the list below"),
    SET,
    FLAG("--verbose", bot.verbose, "tell on standard error what was searched in each turn"),
    END};

/* ---- playing ---- */

/* The time to search, where `used` of `all` are gone. Others may keep the core for a pause before the bot notices that
 * it has been asked, and again before its answer is out. */
static double time_left(double all, double used, double pause)
{
    return fmax(all - used - MARGIN_MS - 2 * pause, all / 4);
}

static void tell_turn(carom_player *asked, uint32_t turn, double seconds)
{
    if (carom_player_search(asked) == NULL) { /* a network's policy */
        fprintf(stderr, "turn %" PRIu32 ": %.1f ms\n", turn, 1e3 * seconds);
        return;
    }
    const carom_search_report did = carom_search_last(carom_player_search(asked));
    double value = 0; /* of the plan, as far as it was looked */
    carom_demand(carom_search_returns(carom_player_search(asked), &value), "plan");
    fprintf(stderr, "turn %" PRIu32 ": %" PRIu64 " rollouts in %zu generations, %.1f ms, value %.4f\n", turn,
            did.rollouts, did.generations, 1e3 * seconds, value);
}

/* The longest time in milliseconds that the last search stood still, as other programs had the core: by how much one of
 * its generations took longer than at the pace of its fastest. */
static double pause_of(const carom_search *search)
{
    const carom_search_report did = carom_search_last(search);
    if (did.generations == 0) {
        return 0;
    }
    carom_search_generation generation = {0};
    double a_tick = INFINITY, longest = 0, before = 0; /* seconds of the fastest's ticks; ticks of the longest */
    for (size_t k = 0; carom_search_generation_at(search, k, &generation) == CAROM_OK; k++) {
        a_tick = fmin(a_tick, (generation.seconds - before) / (double)generation.ticks);
        longest = fmax(longest, (double)generation.ticks);
        before = generation.seconds;
    }
    double pause = did.seconds - before - a_tick * longest; /* of one that was given up */
    before = 0;
    for (size_t k = 0; carom_search_generation_at(search, k, &generation) == CAROM_OK; k++) {
        pause = fmax(pause, generation.seconds - before - a_tick * (double)generation.ticks);
        before = generation.seconds;
    }
    return 1000 * fmax(pause, 0);
}

void carom_bot_play(const bot_options *options)
{
    const protocol *speech = carom_protocol_find(options->name);
    tracker *tracked = carom_track_create(options->name, options->set);
    carom_player *asked = NULL;
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
            carom_demand(carom_search_set_budget(carom_player_search(asked), 0,
                                                 time_left(all, 1000 * (carom_now() - start), pause)),
                         "plan");
        }
        carom_planner_act(asked, tracked->world, numbers, 0);
        for (size_t k = 0; k < PROTOCOL_LINES; k++) {
            char line[PROTOCOL_LINE];
            speech->write(numbers + k * speech->numbers, line);
            puts(line);
        }
        carom_finish_output();
        carom_track_answer(tracked, numbers);
        /* What was long ago counts for less and less. */
        pause = fmax(pause_of(carom_player_search(asked)), turn > 0 ? 0.99 * pause : 0);
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
        carom_die("there is no bot for '%s': csb or fantastic_bits", options.name);
    }
    options.set = carom_set_options(game, &asked.settings);
    options.plan = asked.plan != NULL ? carom_plan_parse(game, asked.plan) : carom_plan_default(game);
    if (options.plan.precision != CAROM_F64) {
        carom_die("--plan: precision=f32 is for carom arena");
    }
    if (options.plan.asks_policy) { /* one call a turn, which takes no time */
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
    .about = "A bot for csb or fantastic_bits: reads what the game's referee writes, answers with its commands. Both "
             "pods or wizards are planned in one search, from a state that holds what the referee does not tell, too.",
    .rows = rows,
    .tables = carom_plan_help,
    .run = run};
