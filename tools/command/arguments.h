/* SPDX-License-Identifier: MIT
 * Arguments of commands as tables. A row describes an option: its spelling, type, range, default, destination and
 * meaning. One function parses arguments by the rows, another prints the help.
 */
#ifndef CAROM_TOOLS_COMMAND_ARGUMENTS_H
#define CAROM_TOOLS_COMMAND_ARGUMENTS_H

#include <carom/carom.h>

#include <stddef.h>

typedef enum argument_kind {
    ARGUMENT_FLAG,   /* bool; has no value */
    ARGUMENT_COUNT,  /* an unsigned number of 2, 4 or 8 bytes */
    ARGUMENT_NUMBER, /* double, finite */
    ARGUMENT_PAIR,   /* double[2], from two arguments */
    ARGUMENT_TEXT,   /* const char * */
    ARGUMENT_CHOICE, /* an enum, or bool: the number of the name in `choices` */
    ARGUMENT_CALL,   /* parsed by the row's function */
    ARGUMENT_WORD,   /* const char *: a required word that is not an option */
    ARGUMENT_WORDS,  /* word_list: all remaining words */
    ARGUMENT_GROUP   /* options shared by commands, in a nested structure */
} argument_kind;

typedef struct argument_row {
    const char *text; /* "--worlds N", as in the help; for words, their description. NULL: the end of the table */
    argument_kind kind;
    size_t at, size;             /* of the member of the command's structure */
    uint64_t least, most, usual; /* for counts: the range, and the default, or the value for none */
    double low, high, value;     /* of numbers */
    const char *const *choices;  /* NULL-terminated; `usual` is the index of the default */
    const char *normal;          /* for texts and calls: the default; NULL: the member is left unchanged */
    void (*call)(const char *name, const char *text, void *to); /* dies on an invalid text */
    const struct argument_row *group;
    const char *help; /* the default replaces a $, or is appended; not if it is outside the range */
} argument_row;

/* Rows of a table for the structure OPTIONS, a macro that the user of these defines. */
#define MEMBER(member) .at = offsetof(OPTIONS, member), .size = sizeof(((OPTIONS *)NULL)->member)
#define ROW(written, of_kind, meaning, ...)                                                                            \
    {.text = (written), .kind = ARGUMENT_##of_kind, .help = (meaning), __VA_ARGS__}
#define FLAG(text, member, help) ROW(text, FLAG, help, MEMBER(member))
#define COUNT(text, member, from, to, standard, help)                                                                  \
    ROW(text, COUNT, help, MEMBER(member), .least = (from), .most = (to), .usual = (standard))
#define NUMBER(text, member, from, to, standard, help)                                                                 \
    ROW(text, NUMBER, help, MEMBER(member), .low = (from), .high = (to), .value = (standard))
#define PAIR(text, member, from, to, help) ROW(text, PAIR, help, MEMBER(member), .low = (from), .high = (to))
#define TEXT(text, member, standard, help) ROW(text, TEXT, help, MEMBER(member), .normal = (standard))
#define CHOICE(text, member, names, standard, help)                                                                    \
    ROW(text, CHOICE, help, MEMBER(member), .choices = (names), .usual = (uint64_t)(standard))
#define CALL(text, member, function, standard, help)                                                                   \
    ROW(text, CALL, help, MEMBER(member), .call = (function), .normal = (standard))
/* The same for a function that gets the whole structure. */
#define CALL_WITH_ALL(text, function, help) ROW(text, CALL, help, .call = (function))
#define WORD(what, member) ROW(what, WORD, "", MEMBER(member))
/* At least `from` words. */
#define WORDS(what, member, from) ROW(what, WORDS, "", MEMBER(member), .least = (from))
#define GROUP(rows, member) ROW("", GROUP, "", MEMBER(member), .group = (rows))
#define END {.text = NULL}

/* Common options. */
#define PRECISION CALL("--precision f64|f32", precision, carom_take_precision, "f64", "")
#define ISA CALL("--isa NAME", isa, carom_take_isa, NULL, "instruction set; the fastest by default")
#define AFFINITY                                                                                                       \
    CALL_WITH_ALL("--affinity LIST", carom_take_affinity, "the processors to run on, such as 0,2; all by default")
#define THREADS                                                                                                        \
    COUNT("--threads T", threads, 1, CAROM_MAX_THREADS, 0, "the most threads to use; all by default"), AFFINITY
#define JSON FLAG("--json", json, "one JSON object instead of the table")

typedef struct word_list {
    char **list;
    size_t count;
} word_list;

typedef struct arguments {
    const char *command; /* "rollout": for messages */
    char **list;         /* the arguments after the command, NULL-terminated */
    const argument_row *given[64];
    size_t given_count;
} arguments;

typedef struct command_row {
    const char *name;    /* one word or two */
    const char *usage;   /* what follows it: "GAME|FILE [options]" */
    const char *summary; /* for carom --help; NULL: not listed */
    const char *about;   /* the beginning of its help */
    const argument_row *rows;
    void (*tables)(void);        /* prints text after the options; NULL: none */
    const char *notes;           /* the end of its help, or NULL */
    int (*run)(arguments *args); /* returns the exit code */
} command_row;

/* Sets the rows' defaults in a zeroed structure. */
void carom_default_arguments(const argument_row *rows, void *to);

/* The same, then parses all arguments; dies at the first invalid one, or if a word is missing. */
void carom_read_arguments(arguments *args, const argument_row *rows, void *to);

/* Was the option of that name ("--worlds") given? */
bool carom_was_given(const arguments *args, const char *name);

/* The row of an option of that name; NULL if there is none. Moves *to from the table's structure to the nested one of
 * the row. */
const argument_row *carom_find_argument(const argument_row *rows, const char *name, size_t length, void **to);

/* Parses a value by a row, for values that are not written as options. */
void carom_read_argument(const argument_row *row, const char *text, void *to);

/* ---- help, to stdout ---- */

void carom_print_help(const command_row *c);

/* Wraps paragraphs to the terminal; lines that begin with a space are not changed. */
void carom_print_text(const char *text);

/* A row of two columns, and the rows of a table. */
void carom_print_row(const char *left, const char *right);
void carom_print_rows(const argument_row *rows);

/* ---- single values: all die on an invalid one; `what`, `name`: the option, for the message ---- */

/* A whole number in [least, most], decimal digits only. */
uint64_t carom_parse_count(const char *what, const char *text, uint64_t least, uint64_t most);

/* A finite number in [least, most]. */
double carom_parse_number(const char *what, const char *text, double least, double most);

/* "f32" or "f64": a carom_precision. */
void carom_take_precision(const char *name, const char *text, void *to);

/* An instruction set that this machine can run: a carom_isa. */
void carom_take_isa(const char *name, const char *text, void *to);

/* Processors, separated by commas: restricts the process to them, with its threads and the programs that it starts.
 * Stores nothing in `to`. */
void carom_take_affinity(const char *name, const char *text, void *to);

/* A solver, as an int: a variant of carom/toi.h, or CAROM_TOI_BRANCHES. */
void carom_take_solver(const char *name, const char *text, void *to);

/* The names of a carom_at_end. */
extern const char *const carom_at_end_names[];

#endif
