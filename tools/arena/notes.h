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
void carom_note_messages(replay_writer *writer, unsigned seat, const char *game,
                         char lines[PROTOCOL_LINES][PROTOCOL_LINE]);

/* What a program has written to its standard error since this was last noted. */
void carom_note_errors(replay_writer *writer, unsigned seat, program *asked);

/* What the referee says of a side. */
void carom_note_verdict(replay_writer *writer, unsigned seat, const char *text);

#endif
