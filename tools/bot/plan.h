/* SPDX-License-Identifier: MIT
 * Planners on the command line: texts that are wrong end the program, and help lists the keys. What a planner is and
 * does is the library's: carom/player.h.
 */
#ifndef CAROM_TOOLS_BOT_PLAN_H
#define CAROM_TOOLS_BOT_PLAN_H

#include "players/plan.h"
#include "protocol.h"

/* As carom_plan_read(); dies if the text is wrong. */
plan_options carom_plan_parse(const carom_game *game, const char *text);

/* Dies if the plan is not one for a game with these options (NULL: the defaults): in f32 it needs the defaults. */
void carom_plan_allow(const plan_options *options, const void *set);

/* The keys of a planner, and the weights of the games that have some. */
void carom_plan_help(void);

/* For player `player` of all worlds of a batch like `worlds`. Dies if the options do not fit. */
carom_player *carom_planner_create(const carom_worlds *worlds, const plan_options *options, unsigned player);

/* As carom_player_act(); dies if it fails, unless it is cancelled. */
void carom_planner_act(carom_player *asked, carom_worlds *worlds, void *actions, size_t stride);

#endif
