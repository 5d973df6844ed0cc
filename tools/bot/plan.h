/* SPDX-License-Identifier: MIT
 * Planners on the command line: invalid texts end the program, and the help lists the keys. Planners themselves are
 * part of the library: carom/player.h.
 */
#ifndef CAROM_TOOLS_BOT_PLAN_H
#define CAROM_TOOLS_BOT_PLAN_H

#include "players/plan.h"
#include "protocol.h"

/* As carom_plan_read(); dies if the text is invalid. */
plan_options carom_plan_parse(const carom_game *game, const char *text);

/* Dies if the plan does not suit a game with these options (NULL: the defaults): f32 requires the defaults. */
void carom_plan_allow(const plan_options *options, const void *set);

/* Prints the keys of planners, and the weights of the games that have them. */
void carom_plan_help(void);

/* A planner for player `player` in all worlds of a batch like `worlds`. Dies if the options do not fit. */
carom_player *carom_planner_create(const carom_worlds *worlds, const plan_options *options, unsigned player);

/* As carom_player_act(); dies if it fails, unless it is cancelled. */
void carom_planner_act(carom_player *asked, carom_worlds *worlds, void *actions, size_t stride);

#endif
