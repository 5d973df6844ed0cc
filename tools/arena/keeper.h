/* SPDX-License-Identifier: MIT
 * A shell command with a process that watches it, the keeper. When the command's owner releases it or ends in any way,
 * the keeper kills the command and everything that it started, in any process group or session: as a subreaper the
 * keeper becomes the parent of orphaned processes (Linux).
 *
 * One limit: if a command kills its keeper it ends, too, but processes that it started do not.
 */
#ifndef CAROM_TOOLS_ARENA_KEEPER_H
#define CAROM_TOOLS_ARENA_KEEPER_H

#include <sys/types.h>

typedef struct keeper {
    pid_t id;    /* of the keeper, not of the command */
    int control; /* a socket to it: closing it ends the command */
} keeper;

/* Starts `/bin/sh -c command` with these descriptors as its standard input, output and error; err -1: discards its
 * standard error. Returns 0, or errno if the system has no more processes or files. */
int carom_keeper_start(keeper *made, const char *command, int in, int out, int err);

/* Waits up to `seconds` for the command to end. Returns its status as from waitpid(), only once, or -1 if it has not
 * ended. */
int carom_keeper_wait(const keeper *kept, double seconds);

/* Kills the command and everything that it started; returns when they are gone. */
void carom_keeper_end(const keeper *kept);

#endif
