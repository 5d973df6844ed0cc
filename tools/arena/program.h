/* SPDX-License-Identifier: MIT
 * A player that is a separate program: a shell command that reads questions on standard input and answers on standard
 * output. It cannot harm its caller: its time is limited, and everything that it started is killed with it.
 */
#ifndef CAROM_TOOLS_ARENA_PROGRAM_H
#define CAROM_TOOLS_ARENA_PROGRAM_H

#include "../bot/protocol.h"

typedef enum trouble {
    TROUBLE_NONE,
    TROUBLE_CRASHED, /* it ended before its answer */
    TROUBLE_CLOSED,  /* it closed its output but keeps running */
    TROUBLE_SILENT,  /* no answer within the patience */
    TROUBLE_LATE,    /* an answer after the time allowed */
    TROUBLE_RUBBISH, /* a line that is not a command, or one that the rules forbid */
    TROUBLE_FLOODED, /* more output than the answer */
    TROUBLES
} trouble;

extern const char *const carom_trouble_names[TROUBLES]; /* "crashed", ...; the first is "none" */

typedef struct program program;

typedef struct program_answer {
    char *lines[PROTOCOL_LINES]; /* without their ends; owned by the program, valid until the next question */
    double seconds;              /* from the question to the end of the last line */
    trouble trouble;             /* with TROUBLE_LATE the lines are valid */
    char why[96];                /* of the trouble, in words */
    bool interrupted;            /* by Ctrl-C: no answer */
} program_answer;

/* Options of a program. */
typedef struct program_options {
    unsigned lines;   /* of an answer, at most PROTOCOL_LINES */
    size_t line;      /* the most bytes of its lines, including their ends */
    bool show_errors; /* pass its standard error to that of this process, */
    bool keep_errors; /* or keep it for carom_program_errors(); neither: discard it */
} program_options;

#define PROGRAM_ERRORS 16384 /* the most bytes of a program's standard error that are kept between two answers */

/* Starts `/bin/sh -c command`. Dies if the system has no more processes or files. */
program *carom_program_start(const char *command, const program_options *options);

/* Writes the question, `length` bytes, and waits for the answer, which is late after `limit` seconds and missing after
 * `patience` seconds. */
void carom_program_ask(program *asked, const char *question, size_t length, double limit, double patience,
                       program_answer *answer);

/* What it has written to its standard error since the last call, *length bytes; anything beyond PROGRAM_ERRORS is
 * dropped, *more bytes. Only for programs with keep_errors. The text is valid until the next question. */
const char *carom_program_errors(program *asked, size_t *length, size_t *more);

/* Kills it with everything that it started (see keeper.h), and frees it. NULL is allowed. */
void carom_program_end(program *ended);

#endif
