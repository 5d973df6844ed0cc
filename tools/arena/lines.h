/* SPDX-License-Identifier: MIT
 * Carom's lines: a protocol for programs that play any game, derived from the game's tables. docs/bots.md describes it.
 *
 * Numbers are written so that reading them gives the same bits.
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

/* The protocol of a run, common to all its games. */
typedef struct lines_protocol {
    const arena_options *options;
    size_t players;
    size_t action_index;
    carom_action_kind action;
    carom_observation_kind observation;
} lines_protocol;

/* For actions of kind `action` and the options' kind of observation. */
lines_protocol carom_lines_open(const arena_options *options, size_t action);

/* The most bytes of a line of an answer, including its end. */
size_t carom_lines_room(const lines_protocol *lines);

/* Appends the input of a seat's player before the first turn. */
void carom_lines_greet(const lines_protocol *lines, const carom_worlds *world, unsigned seat, lines_text *text);

/* Appends a turn. `did`: the actions of all players in the previous tick, [player][number]; NULL: there was none. Does
 * not change the world, which must be the only one of its batch. */
void carom_lines_tell(const lines_protocol *lines, carom_worlds *world, unsigned seat, const void *did,
                      lines_text *text);

/* Reads an answer into a player's numbers; false if it is not a row of numbers. *message: the text after a '#', or
 * NULL. */
bool carom_lines_read(const lines_protocol *lines, const char *line, void *numbers, const char **message);

#endif
