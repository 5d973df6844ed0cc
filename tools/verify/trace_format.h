/* SPDX-License-Identifier: MIT
 * Descriptions of the formats of traces, and functions for their readers.
 *
 * A trace is text: one record a line, words with one space between them. A format is a table of fields, with the name,
 * type, range and location in memory of every number; patterns of words for records; and a function that reads the
 * records in order. `carom verify` compares the numbers that worlds have by the same table.
 */
#ifndef CAROM_TOOLS_VERIFY_TRACE_FORMAT_H
#define CAROM_TOOLS_VERIFY_TRACE_FORMAT_H

#include "trace.h"

#define TRACE_LINE 8192   /* characters, including the end */
#define TRACE_NUMBERS 256 /* most numbers of a field, an action or `moved`, a world */

typedef enum trace_kind {
    TRACE_REAL,    /* a decimal number in [low, high], kept as a double */
    TRACE_WHOLE,   /* the same, whole */
    TRACE_INTEGER, /* a whole number in [low, high], kept as an integer of `size` bytes */
    TRACE_BODY     /* the same: a body's slot */
} trace_kind;

/* A word for a number. */
typedef struct trace_word {
    const char *word; /* NULL ends the list */
    double number;
} trace_word;

/* A number of a record. Record `index` of its kind puts it into element first + each * index of an array that begins
 * `at` bytes into a structure. */
typedef struct trace_field {
    const char *name; /* NULL ends the list */
    trace_kind kind;
    double low, high;
    size_t at, size, count; /* bytes of an element; elements. `size` 0: the number is not stored */
    int first, each;
    const trace_word *words; /* or NULL */
    /* For comparing a turn's state. NaN in the trace means unknown, and is not compared. */
    const char *shown, *at_start; /* "pod #, x": its name in messages, where # is the index; NULL: not compared */
    const char *field;            /* of the worlds; NULL: the field of the same name */
    int moved;                    /* 1..4: instead, number moved - 1 of the body in a tick's `moved` */
    double near;                  /* the allowed relative difference */
    double (*seen)(const double *numbers, size_t index); /* the compared number, if not numbers[index] */
} trace_field;

#define TRACE_REALS(limit) .kind = TRACE_REAL, .low = -(limit), .high = (limit)
#define TRACE_WHOLES(limit) .kind = TRACE_WHOLE, .low = -(limit), .high = (limit)
#define TRACE_INTEGERS(least, most) .kind = TRACE_INTEGER, .low = (least), .high = (most)
#define TRACE_IN(type, member) .at = offsetof(type, member), .size = sizeof(((type *)NULL)->member), .count = 1
#define TRACE_EACH(type, member)                                                                                       \
    .at = offsetof(type, member), .size = sizeof(((type *)NULL)->member[0]),                                           \
    .count = sizeof(((type *)NULL)->member) / sizeof(((type *)NULL)->member[0]), .each = 1
/* The same for an array of rows. */
#define TRACE_COLUMN(type, member, k)                                                                                  \
    .at = offsetof(type, member), .size = sizeof(double), .count = sizeof(((type *)NULL)->member) / sizeof(double),    \
    .first = (k), .each = sizeof(((type *)NULL)->member[0]) / sizeof(double)

/* Numbers of the state that worlds have in fields of the same names, or in `moved`. */
#define TRACE_STATE(type, member, text, start, ...)                                                                    \
    {.name = #member, TRACE_EACH(type, member), .shown = text, .at_start = start, __VA_ARGS__}
#define TRACE_MOVED(type, label, text, limit, k)                                                                       \
    {.name = label, TRACE_COLUMN(type, moved, k), .shown = text, .moved = 1 + (k), TRACE_REALS(limit)}

/* Offsets in a game's structures, if their members have these names. */
#define TRACE_PLACES(trace, turn)                                                                                      \
    .trace_size = sizeof(trace), .turn_size = sizeof(turn), .turns = offsetof(trace, turns),                           \
    .actions = offsetof(turn, actions), .action_size = sizeof(((turn *)NULL)->actions), .state = offsetof(turn, state)

typedef struct trace_reader trace_reader;

struct trace_format {
    const char *game;
    const trace_field *fields;
    void (*read)(trace_reader *r, void *trace);
    size_t trace_size, turn_size;
    size_t turns, more; /* offsets of the trace's pointers to the turns and to another list; 0: none */
    /* For comparing. In the turn: actions of the kind `kind`, and the state; in the trace: the state at the start. */
    const char *kind; /* NULL: compared by the game's own code */
    size_t actions, action_size, state;
    size_t start;          /* 0: it is not compared */
    size_t moved;          /* bodies in a tick's `moved` */
    const char *turn;      /* "turn" */
    size_t first_turn;     /* its number */
    const char *bodies;    /* "pods" */
    const char *events[4]; /* names of their number, time, first and second body */
    /* Describes the worlds that play count traces; what `desc` points to is valid until the next call. */
    void (*describe)(const void *const *traces, size_t count, carom_worlds_desc *desc);
    /* Sets a world to the start of its trace, unless it is created that way. Returns the field that is out of range, or
     * NULL. */
    const char *(*begin)(const void *trace, carom_worlds *worlds, size_t world);
};

/* Functions for a format's read(). After the first failure, whose message is kept, they do nothing and return false or
 * NULL. */
struct trace_reader {
    FILE *stream;
    const char *name;
    unsigned line; /* number of the current line, from 1 */
    bool loaded, failed, ended, remarks;
    char text[TRACE_LINE], *at; /* the line; the rest of it that is not yet parsed, or NULL */
    char *message;
    size_t message_size;
    trace_base *trace;
};

bool trace_fail(trace_reader *r, const char *format, ...) __attribute__((format(printf, 2, 3)));
bool trace_check(trace_reader *r, bool good, const char *what_else);

/* Whether the next line begins with that word. With r->remarks, lines that begin with # are skipped. */
bool trace_is(trace_reader *r, const char *word);

bool trace_ended(trace_reader *r);

/* Takes the next word of the line; `what` is for the message. */
const char *trace_next(trace_reader *r, const char *what);

/* Takes the rest of the line, which may be empty. */
const char *trace_rest(trace_reader *r);

/* Takes the words of a pattern: "S %# %x %y". %NAME is a field, %# the index, %@ the index as a body's slot, %? any
 * word; other words are literal. "..." at the end: the line continues. */
bool trace_line(trace_reader *r, const char *pattern, void *to, size_t index);

/* The same for `count` lines, with indices from `first`. */
bool trace_lines(trace_reader *r, const char *pattern, void *to, size_t first, size_t count);

/* Makes room for element `count` of a growing array, and zeroes it. `list` points to its pointer. */
bool trace_grow(trace_reader *r, void *list, size_t count, size_t size);

/* Adds a turn, or an event to the last one. NULL after a failure, so that loops end. */
void *trace_add_turn(trace_reader *r);
carom_event *trace_add_event(trace_reader *r, trace_turn *turn, size_t most);

/* For comparing. */
const void *trace_turn_at(const void *trace, size_t t);

/* A real number of 8 bytes, or an integer of fewer. */
double trace_number(const void *from, size_t size);

/* Field `name` of a world, as doubles; NaN if there is none. */
void trace_get(const carom_worlds *worlds, size_t world, const char *name, double numbers[TRACE_NUMBERS]);

/* Compares the state of a turn, or of the start, with a world, bit for bit unless the table allows a difference, and
 * reports every number that differs: its name, the trace's value, the world's. `moved`: that of the tick, for all
 * worlds; NULL: not compared. */
typedef void trace_tell(void *context, const char *who, double expected, double found);
void trace_compare(const void *trace, const void *state, bool start, const carom_worlds *worlds, size_t world,
                   const double *moved, trace_tell *tell, void *context);

#endif
