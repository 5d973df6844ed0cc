/* SPDX-License-Identifier: MIT
 * Reads recorded games, which a replay must reproduce. tests/data/GAME/README.md describes a game's format.
 *
 * The reader trusts nothing: a file that is not a whole trace is refused with the line that is wrong, and the memory
 * taken is bounded by what the file really holds.
 */
#ifndef CAROM_TOOLS_VERIFY_TRACE_H
#define CAROM_TOOLS_VERIFY_TRACE_H

#include <carom/carom.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#define TRACE_MESSAGE 512  /* enough for every message with a path of ordinary length */
#define TRACE_TURNS 100000 /* of one trace, of any game */
#define TRACE_EVENTS 1024  /* of one turn, of any game */

/* Every game has structures of its own, which begin with trace_base and trace_turn. */
typedef struct trace_format trace_format;

typedef struct trace_base {
    const trace_format *format; /* NULL: empty */
    size_t turn_count, event_count;
    carom_event *events;       /* [event_count], in the order of the turns */
    size_t gap_first, gap_end; /* places of bodies that are empty: [gap_first, gap_end); files do not count them */
    const char *unplayable;    /* NULL, or why the game does not play it: then it has no turns */
    int32_t batch;             /* only those with the same number can be played in one batch */
} trace_base;

typedef struct trace_turn {
    size_t first_event, event_count; /* in trace_base.events */
} trace_turn;

/* Reads the trace in the file `path` into *trace, the game's structure, to be freed with trace_free(). If it cannot be
 * read or is no whole trace, returns false, leaves *trace empty, and writes one line without its end, "FILE:LINE: what
 * is wrong", into message[size], cut to fit. */
bool trace_read(const trace_format *format, const char *path, void *trace, char *message, size_t size);

/* The same from an open stream, which is read to its end and stays open; `name` stands for the file in messages. */
bool trace_read_stream(const trace_format *format, FILE *stream, const char *name, void *trace, char *message,
                       size_t size);

/* Frees what a trace holds and leaves it empty. An empty one is allowed. */
void trace_free(void *trace);

#endif
