/* SPDX-License-Identifier: MIT
 * Traces of the engine that the game fall reproduces: scenes with their recorded collisions and frames.
 *
 * Of scenes with springs, moving polygons or reads of velocities only the set-up is read: base.unplayable is the reason
 * why the game does not play them.
 */
#ifndef CAROM_TOOLS_VERIFY_FALL_TRACE_H
#define CAROM_TOOLS_VERIFY_FALL_TRACE_H

#include "trace.h"

#define FALL_TRACE_TICKS 100000 /* the longest run */

/* A collision, a frame, or the end. */
typedef struct fall_trace_record {
    trace_turn base;
    double time;
    bool collision;                        /* else a frame, or the end */
    uint32_t frame;                        /* of a frame or the end: its number */
    carom_event event;                     /* of a collision: the bodies, the part, the point */
    double circles[CAROM_FALL_CIRCLES][4]; /* x, y, vx, vy afterwards */
} fall_trace_record;

typedef struct fall_trace {
    trace_base base; /* its turns are the records, without events */
    fall_trace_record *records;
    carom_fall_body bodies[CAROM_FALL_BODIES];
    uint32_t body_count, circle_count;
    double gravity;
} fall_trace;

extern const trace_format fall_trace_format;

/* Options of a game that plays the scene as the engine does. */
carom_fall_options fall_trace_options(const fall_trace *trace);

#endif
