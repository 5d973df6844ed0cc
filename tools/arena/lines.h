/* SPDX-License-Identifier: MIT
 * Carom's lines: a protocol for programs that play any game, made from the game's own tables. docs/bots.md describes
 * it.
 *
 * All numbers are written so that they read back to the same bits.
 */
#ifndef CAROM_TOOLS_ARENA_LINES_H
#define CAROM_TOOLS_ARENA_LINES_H

#include "arena.h"

#define LINES_VERSION 1

/* Text that grows. */
typedef struct lines_text {
    char *bytes;
    size_t length, room;
} lines_text;

/* What is the same in all games of a run. */
typedef struct lines_protocol {
    const arena_options *options;
    size_t players;
    size_t action_index;
    carom_action_kind action;
    carom_observation_kind observation;
} lines_protocol;

/* Speaks of actions of kind `action` and of the options' kind of observation. */
lines_protocol carom_lines_open(const arena_options *options, size_t action);

/* Bytes that a line of an answer may have, its end included. */
size_t carom_lines_room(const lines_protocol *lines);

/* Appends what the player on a seat is told before the first turn. */
void carom_lines_greet(const lines_protocol *lines, const carom_worlds *world, unsigned seat, lines_text *text);

/* Appends a turn. `did`: the actions of all players in the tick before, [player][number]; NULL: there was none. The
 * world, the only one of its batch, stays as it is. */
void carom_lines_tell(const lines_protocol *lines, carom_worlds *world, unsigned seat, const void *did,
                      lines_text *text);

/* Reads an answer into a player's numbers; false if it is no row of them. *message: what is said behind a '#', or
 * NULL. */
bool carom_lines_read(const lines_protocol *lines, const char *line, void *numbers, const char **message);

#endif
