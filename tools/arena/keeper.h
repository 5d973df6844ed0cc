/* SPDX-License-Identifier: MIT
 * A command of the shell, and a process that watches over it: the keeper. When the command's owner lets go of it, or
 * ends in whatever way, the keeper kills the command and everything that the command has started, in whatever process
 * group or session that may be by then: Linux makes the keeper the parent of whatever loses its own (subreaper).
 *
 * One limit: a command that kills its keeper ends with it, but what that command had started does not.
 */
#ifndef CAROM_TOOLS_ARENA_KEEPER_H
#define CAROM_TOOLS_ARENA_KEEPER_H

#include <sys/types.h>

typedef struct keeper {
    pid_t id;    /* of the keeper, not of the command */
    int control; /* a socket to it: closing it ends the command */
} keeper;

/* Starts `/bin/sh -c command` with these descriptors as its standard input, output and error; err -1: what it writes
 * there is lost. Returns 0, or what errno says if the system has no more processes or files. */
int carom_keeper_start(keeper *made, const char *command, int in, int out, int err);

/* Waits up to `seconds` for the command to end; its status as waitpid() gives it, or -1: it has not ended. True is told
 * once only. */
int carom_keeper_wait(const keeper *kept, double seconds);

/* Kills the command and what it has started; returns when they are gone. */
void carom_keeper_end(const keeper *kept);

#endif
