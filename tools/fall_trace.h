/* SPDX-License-Identifier: MIT
 * Reads traces of the engine that the game fall follows: scenes with their recorded collisions and frames.
 *
 * The format is described in tests/data/fall/README.md. The reader trusts nothing: a file that is not a whole trace is
 * refused with the line that is wrong. Scenes with springs, moving polygons or reads of velocities are read as far as
 * their set-up: `unplayable` says why the game does not play them.
 */
#ifndef CAROM_TOOLS_FALL_TRACE_H
#define CAROM_TOOLS_FALL_TRACE_H

#include <carom/fall.h>

#include <stdbool.h>
#include <stdio.h>

#define FALL_TRACE_MESSAGE 512
#define FALL_TRACE_TICKS 100000 /* the longest run */

typedef struct fall_trace_record {
    double time;
    bool collision;              /* else a frame, or the end */
    uint32_t frame;              /* of a frame or the end: its number */
    uint8_t first, second, part; /* of a collision, as carom_event has them */
    double x, y;                 /* likewise */
    double (*circles)[4];        /* [circles]: x, y, vx, vy afterwards */
} fall_trace_record;

typedef struct fall_trace {
    const char *unplayable; /* NULL, or why the game does not play it */
    carom_fall_body bodies[CAROM_FALL_BODIES];
    uint32_t body_count, circle_count;
    double gravity;
    double (*start)[4];
    size_t record_count;
    fall_trace_record *records;
} fall_trace;

/* Reads the trace in the file `path` into *trace, to be freed with fall_trace_free(). If it cannot be read or is no
 * whole trace it returns false, with the reason in message and nothing to free. */
bool fall_trace_read(const char *path, fall_trace *trace, char *message, size_t message_size);

/* The same from a stream; `name` is what messages call it. */
bool fall_trace_read_stream(FILE *stream, const char *name, fall_trace *trace, char *message, size_t message_size);

void fall_trace_free(fall_trace *trace);

/* Options of a game that plays the scene as the engine does. */
carom_fall_options fall_trace_options(const fall_trace *trace);

#endif
