/* SPDX-License-Identifier: MIT
 * Notes in the replay of an arena's game: the names of the sides, their messages, the standard error of programs, and
 * why a side has lost.
 */
#ifndef CAROM_TOOLS_ARENA_NOTES_H
#define CAROM_TOOLS_ARENA_NOTES_H

#include "../film/replay_file.h"
#include "program.h"

/* These functions do nothing if `writer` is NULL. */

/* The name of a side, before the first tick. */
void carom_note_name(replay_writer *writer, unsigned seat, const char *name);

/* The messages in the lines of a program's answer, after the commands of that game, separated by line breaks. */
void carom_note_messages(replay_writer *writer, unsigned seat, const char *game, char *const lines[PROTOCOL_LINES]);

/* A single message; nothing if NULL or empty. */
void carom_note_message(replay_writer *writer, unsigned seat, const char *message);

/* What a program has written to its standard error, from carom_program_errors(). */
void carom_note_errors(replay_writer *writer, unsigned seat, const char *errors, size_t length, size_t more);

/* The referee's verdict on a side. */
void carom_note_verdict(replay_writer *writer, unsigned seat, const char *text);

#endif
