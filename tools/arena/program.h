/* SPDX-License-Identifier: MIT
 * A player that is a program of its own: a command of the shell, asked on its standard input, which answers on its
 * standard output. It cannot hurt the one who asks: it is given time, and everything that it started is ended with it.
 */
#ifndef CAROM_TOOLS_ARENA_PROGRAM_H
#define CAROM_TOOLS_ARENA_PROGRAM_H

#include "../bot/protocol.h"

typedef enum trouble {
    TROUBLE_NONE,
    TROUBLE_CRASHED, /* it ended before its answer */
    TROUBLE_CLOSED,  /* it closed its output and goes on running */
    TROUBLE_SILENT,  /* no answer, however long one waited */
    TROUBLE_LATE,    /* an answer, after the time allowed */
    TROUBLE_RUBBISH, /* a line that is no command, or one that the rules forbid */
    TROUBLE_FLOODED, /* more output than was asked for */
    TROUBLES
} trouble;

extern const char *const carom_trouble_names[TROUBLES]; /* "crashed", ...; the first is "none" */

typedef struct program program;

typedef struct program_answer {
    char *lines[PROTOCOL_LINES]; /* without their ends; the program's own, until it is asked again */
    double seconds;              /* from the question to the end of the last line */
    trouble trouble;             /* TROUBLE_LATE: the lines are there all the same */
    char why[96];                /* of the trouble, in words */
    bool interrupted;            /* by Ctrl-C: there is no answer */
} program_answer;

/* What a program is started for. */
typedef struct program_options {
    unsigned lines;   /* of an answer, at most PROTOCOL_LINES */
    size_t line;      /* bytes that a line of it may have, its end included */
    bool show_errors; /* what it writes to its standard error goes to that of this process, */
    bool keep_errors; /* is kept for carom_program_errors(); if neither, it is lost */
} program_options;

#define PROGRAM_ERRORS                                                                                                 \
    16384 /* bytes that are kept of what a program writes to its standard error between two answers */

/* Starts `/bin/sh -c command`. Dies if the system has no more processes or files. */
program *carom_program_start(const char *command, const program_options *options);

/* Writes the question, `length` bytes, and waits for the answer: it is late after `limit` seconds, silence after
 * `patience` seconds. */
void carom_program_ask(program *asked, const char *question, size_t length, double limit, double patience,
                       program_answer *answer);

/* What it has written to its standard error since the last call, *length bytes; what was more than PROGRAM_ERRORS is
 * left out, *more bytes. Only of a program whose errors are kept. The text stays until the program is asked again. */
const char *carom_program_errors(program *asked, size_t *length, size_t *more);

/* Kills it with everything that it has started (see keeper.h), and frees it. NULL is allowed. */
void carom_program_end(program *ended);

#endif
