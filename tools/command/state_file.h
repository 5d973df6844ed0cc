/* SPDX-License-Identifier: MIT
 * The file with the state of a long run, from which it resumes after it was killed. It is replaced atomically: whenever
 * the run ends, the file holds the latest state or the one before.
 */
#ifndef CAROM_TOOLS_COMMAND_STATE_FILE_H
#define CAROM_TOOLS_COMMAND_STATE_FILE_H

#include "command.h"

/* Opens it for reading; NULL if there is no such file. Dies if it cannot be opened. */
FILE *carom_state_open(const char *path);

/* Begins the next state; carom_state_end() replaces the last one by it. Both die on failure. */
FILE *carom_state_begin(const char *path);
void carom_state_end(FILE *file, const char *path);

/* Dies unless it begins with what `write` writes for this run; reading continues after that. what: the run, in
 * words. */
void carom_state_check(FILE *file, const char *path, void (*write)(FILE *file, const void *run), const void *run,
                       const char *what);

/* Dies with the message that the file was not written by this command, or is damaged. */
_Noreturn void carom_state_refuse(const char *path, const char *command);

#endif
