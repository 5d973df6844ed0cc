/* SPDX-License-Identifier: MIT
 * Reads recorded games, which the library must reproduce. tests/data/GAME/README.md describes a game's format.
 *
 * Files are not trusted: one that is not a complete trace is refused with the number of the invalid line, and memory is
 * bounded by the actual contents.
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

/* Every game has its own structures, which begin with trace_base and trace_turn. */
typedef struct trace_format trace_format;

typedef struct trace_base {
    const trace_format *format; /* NULL: empty */
    size_t turn_count, event_count;
    carom_event *events;       /* [event_count], in the order of the turns */
    size_t gap_first, gap_end; /* empty slots of bodies: [gap_first, gap_end); not counted in files */
    const char *unplayable;    /* NULL, or the reason why the game does not play it: it then has no turns */
    int32_t batch;             /* only traces with the same number can be played in one batch */
} trace_base;

typedef struct trace_turn {
    size_t first_event, event_count; /* in trace_base.events */
} trace_turn;

/* Reads the trace in the file `path` into *trace, the game's structure, to be freed with trace_free(). If it cannot be
 * read or is not a complete trace, returns false, leaves *trace empty, and writes one line, "FILE:LINE: error", without
 * a line end into message[size], truncated to fit. */
bool trace_read(const trace_format *format, const char *path, void *trace, char *message, size_t size);

/* The same from an open stream, which is read to its end and stays open; messages use `name` for the file. */
bool trace_read_stream(const trace_format *format, FILE *stream, const char *name, void *trace, char *message,
                       size_t size);

/* Frees the contents of a trace and leaves it empty. An empty one is allowed. */
void trace_free(void *trace);

#endif
