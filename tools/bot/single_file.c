/* SPDX-License-Identifier: MIT
 * The bot for contest sites, which scripts/single_file writes as one C++ file: one game, one instruction set, one
 * thread, no options. Definitions in this file replace those of the same name in the library and the command. Only that
 * script compiles it, with GAME as the game's name.
 *
 *     bot        searches by the clock: 70 ms a turn, 900 ms the first, 75 and 905 at most
 *     bot N      searches N rollouts a turn
 */
#include "../command/command.h"
#include "base/parallel.h"
#include "bot.h"
#include "games/csb/csb.h"
#include "players/players.h"
#include "rollout/rollout.h"
#include "worlds/layout.h"

#include <carom/fantastic_bits.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define JOINED_(a, b, c) a##b##c
#define JOINED(a, b, c) JOINED_(a, b, c)
#define NAMED_(name) #name
#define NAMED(name) NAMED_(name)
#define THE_GAME JOINED(carom_game_, GAME, )

const carom_game *carom_game_find(const char *name)
{
    (void)name;
    return &THE_GAME;
}

const protocol *carom_protocol_find(const char *game)
{
    (void)game;
    return &JOINED(carom_, GAME, _protocol);
}

carom_status carom_isa_current(carom_isa *isa)
{
    *isa = CAROM_ISA_SCALAR;
    return CAROM_OK;
}

bool carom_isa_usable(carom_isa isa)
{
    return isa == CAROM_ISA_SCALAR;
}

unsigned carom_threads(void)
{
    return 1;
}

void carom_parallel_for(unsigned threads, const affinity *where, size_t items, parallel_body *body, void *argument)
{
    (void)threads, (void)where;
    for (size_t item = 0; item < items; ++item) {
        body(argument, item, 0);
    }
}

void carom_worlds_each_tile(const carom_worlds *worlds, size_t first, size_t count, parallel_body *body, void *argument)
{
    const size_t lanes = worlds->layout.lanes;
    for (size_t tile = first / lanes; tile * lanes < first + count; ++tile) {
        body(argument, tile, 0);
    }
}

carom_status carom_affinity_threads(const unsigned *processors, size_t count, unsigned *threads)
{
    (void)processors, (void)count;
    *threads = 1;
    return CAROM_OK;
}

carom_status carom_affinity_create(const unsigned *processors, size_t count, affinity **made)
{
    (void)processors, (void)count, (void)made;
    return CAROM_ERROR_UNSUPPORTED;
}

size_t carom_memory_available(void)
{
    return SIZE_MAX;
}

const char *carom_status_string(carom_status status)
{
    (void)status;
    return "";
}

carom_status carom_wrong(carom_problem *problem, carom_status status, const char *format, ...)
{
    (void)problem, (void)format;
    return status;
}

void carom_die(const char *format, ...)
{
    fputs(format, stderr);
    exit(2);
}

void carom_demand(carom_status status, const char *doing)
{
    if (status != CAROM_OK) {
        carom_die(doing);
    }
}

void *carom_allocate(size_t count, size_t size)
{
    return calloc(count, size);
}

double carom_now(void)
{
    return carom_rollout_clock();
}

void carom_finish_output(void)
{
    fflush(stdout);
}

referee_say *carom_referee_of(const carom_game *game)
{
    (void)game;
    return JOINED(carom_, GAME, _say);
}

void carom_player_read_reals(const carom_worlds *worlds, size_t world, const char *name, double *values)
{
    carom_player_read(worlds, world, name, values);
}

carom_player *carom_planner_create(const carom_worlds *worlds, const plan_options *options, unsigned player)
{
    carom_player *made;
    carom_demand(carom_plan_player(worlds, options, player, &made, NULL), "plan");
    return made;
}

void carom_planner_act(carom_player *asked, carom_worlds *worlds, void *actions, size_t stride)
{
    (void)carom_plan_act(asked, worlds, actions, stride);
}

/* Options are those that a tracker makes. */
#define OPTIONS JOINED(carom_, GAME, _options)
const game_options JOINED(carom_, GAME, _table) = {0};

OPTIONS JOINED(carom_, GAME, _options_default)(void)
{
    OPTIONS made = {0};
#if defined(GAME_csb)
    made.ticks = CSB_LAST_TICK;
    made.progress_reward = made.result_reward = 1;
#endif
    return made;
}

carom_status carom_options_read(const carom_worlds_desc *desc, void *options)
{
    memcpy(options, desc->options, sizeof(OPTIONS));
    return CAROM_OK;
}

int main(int argc, char **argv)
{
    const uint64_t rollouts = argc > 1 ? strtoull(argv[1], NULL, 10) : 0;
    bot_options options = {.name = NAMED(GAME),
                           .plan = carom_plan_default(&THE_GAME),
                           .first_milliseconds = 900,
                           .milliseconds = 70,
                           .limit = 75};
    if (rollouts != 0) {
        options.plan.search.rollouts = rollouts;
        options.milliseconds = 0;
    }
    carom_bot_play(&options);
    return 0;
}
