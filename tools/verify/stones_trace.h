/* SPDX-License-Identifier: MIT
 * Traces of the game stones: recordings of the plugin of King of War.
 */
#ifndef CAROM_TOOLS_VERIFY_STONES_TRACE_H
#define CAROM_TOOLS_VERIFY_STONES_TRACE_H

#include "trace.h"

#define STONES_TRACE_MAX 32    /* stones */
#define STONES_TRACE_HITS 10   /* of one tick */
#define STONES_TRACE_PUSHES 32 /* of one tick */

typedef struct stones_trace_push {
    int64_t tick, stone;
    double action[4]; /* stone, course, speed, curve */
} stones_trace_push;

/* After a tick. The members have the names of the game's fields; share is what was unused before all stones moved. */
typedef struct stones_trace_state {
    double px[STONES_TRACE_MAX], py[STONES_TRACE_MAX], course[STONES_TRACE_MAX], speed[STONES_TRACE_MAX],
        unused[STONES_TRACE_MAX], share[STONES_TRACE_MAX];
    double curve[STONES_TRACE_MAX]; /* NaN where shot is 0 */
    double shot_traveled[STONES_TRACE_MAX], shot_distance[STONES_TRACE_MAX];
    int8_t shot[STONES_TRACE_MAX];
    int8_t moving[1], sweeps[1];
} stones_trace_state;

typedef struct stones_trace_turn {
    trace_turn base; /* its events are hits: striker, struck, and as `left` the way, negative if it was shrunk */
    double actions[STONES_TRACE_PUSHES][4]; /* of the game's kind `engine`, for both players */
    stones_trace_state state;
} stones_trace_turn;

typedef struct stones_trace {
    trace_base base; /* base.batch: the plugin's collisionCheck runs after every tick */
    stones_trace_turn *turns;
    size_t push_count;
    stones_trace_push *pushes; /* in the order of the ticks */
    size_t stones;
    double start[STONES_TRACE_MAX][5]; /* px, py, radius, power, friction */
} stones_trace;

extern const trace_format stones_trace_format;

#endif
