/* SPDX-License-Identifier: MIT
 * What the replay of an arena's game holds beside the game: the names of the sides, what they say, what programs write
 * to their standard error, and why a side has lost.
 */
#ifndef CAROM_TOOLS_ARENA_NOTES_H
#define CAROM_TOOLS_ARENA_NOTES_H

#include "../film/replay_file.h"
#include "program.h"

/* All of them do nothing if `writer` is NULL. */

/* The name of a side, before the first tick. */
void carom_note_name(replay_writer *writer, unsigned seat, const char *name);

/* What a program says in the lines of its answer, beside the commands of that game: the messages of all lines, with a
 * new line between them. */
void carom_note_messages(replay_writer *writer, unsigned seat, const char *game, char *const lines[PROTOCOL_LINES]);

/* A message by itself; NULL or an empty one: none. */
void carom_note_message(replay_writer *writer, unsigned seat, const char *message);

/* What a program has written to its standard error, as carom_program_errors() tells it. */
void carom_note_errors(replay_writer *writer, unsigned seat, const char *errors, size_t length, size_t more);

/* What the referee says of a side. */
void carom_note_verdict(replay_writer *writer, unsigned seat, const char *text);

#endif
