/* SPDX-License-Identifier: MIT
 * The file in which a long run keeps how far it has come, so that it goes on there after it was killed. It is replaced
 * as a whole: whenever the run ends, the file holds one state or the one before.
 */
#ifndef CAROM_TOOLS_COMMAND_STATE_FILE_H
#define CAROM_TOOLS_COMMAND_STATE_FILE_H

#include "command.h"

/* To read it; NULL if there is no such file. Dies if it cannot be opened. */
FILE *carom_state_open(const char *path);

/* To write the next state; it takes the place of the last one in carom_state_end(). Both die if that cannot be. */
FILE *carom_state_begin(const char *path);
void carom_state_end(FILE *file, const char *path);

/* Dies unless it begins with what `write` writes of this run; what follows is read next. what: the run, in words. */
void carom_state_check(FILE *file, const char *path, void (*write)(FILE *file, const void *run), const void *run,
                       const char *what);

/* Dies: the file was not written by this command, or is damaged. */
_Noreturn void carom_state_refuse(const char *path, const char *command);

#endif
