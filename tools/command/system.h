/* SPDX-License-Identifier: MIT
 * What the commands need of the system beyond C: posix.c and windows.c each have all of it.
 */
#ifndef CAROM_TOOLS_COMMAND_SYSTEM_H
#define CAROM_TOOLS_COMMAND_SYSTEM_H

#include <stdbool.h>
#include <stdio.h>

/* At the start of the program: all streams pass bytes as they are. */
void carom_system_begin(void);

/* Sets the handler of the signals that end the program; with `replace` also where there is another one. SIGHUP stays
 * ignored under nohup. */
void carom_system_on_end(void (*handler)(int), bool replace);

/* Gives a file another name, replacing the file of that name. False on failure, with errno set. */
bool carom_system_rename(const char *from, const char *to);

/* Writes what the stream holds to the disk. */
bool carom_system_flush(FILE *file);

#endif
