/* SPDX-License-Identifier: MIT
 * What a planner plays: the actions that its search found, in the kind in which the game's bots speak.
 */
#ifndef CAROM_TOOLS_BOT_ACT_H
#define CAROM_TOOLS_BOT_ACT_H

#include "plan.h"

/* The kind of action in which planners play: `referee` in games whose bots speak a protocol, else `normalised`. */
size_t carom_planner_kind(const carom_game *game);

/* Searches from all worlds, which are as before afterwards, and gives what the planner does in each: actions[world] of
 * that kind, `stride` bytes apart. Where there is a protocol they are what the referee reads in the planner's lines. */
void carom_planner_act(planner *asked, carom_worlds *worlds, void *actions, size_t stride);

#endif
