/* SPDX-License-Identifier: MIT
 * Reads golden traces of the game stones: what the plugin of King of War did, which a replay must reproduce to the last
 * bit. The format is described in tests/data/stones/README.md. A file that is no whole trace is refused with the line
 * that is wrong.
 */
#ifndef CAROM_TOOLS_STONES_TRACE_H
#define CAROM_TOOLS_STONES_TRACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#define STONES_TRACE_MAX 32       /* stones */
#define STONES_TRACE_HITS 10      /* of one tick */
#define STONES_TRACE_PUSHES 32    /* of one tick */
#define STONES_TRACE_TICKS 100000 /* of one trace */
#define STONES_TRACE_MESSAGE 512  /* enough for every message with a path of ordinary length */

typedef struct stones_trace_push {
    uint32_t tick;
    double stone, course, speed, curve; /* in the order of the game's actions */
} stones_trace_push;

typedef struct stones_trace_hit {
    int striker, struck;
    double way;
    bool shrunk;
} stones_trace_hit;

/* A stone after a tick; share is what was unused before all stones moved. */
typedef struct stones_trace_stone {
    double px, py, course, speed, unused, share, curve, shot_traveled, shot_distance;
    bool shot;
} stones_trace_stone;

typedef struct stones_trace_tick {
    bool moving;
    int sweeps, hit_count;
    stones_trace_hit hits[STONES_TRACE_HITS];
    stones_trace_stone stones[STONES_TRACE_MAX];
} stones_trace_tick;

typedef struct stones_trace {
    size_t stones;
    double start[STONES_TRACE_MAX][5]; /* px, py, radius, power, friction */
    bool check;                        /* the plugin's collisionCheck runs after every tick */
    size_t push_count;
    stones_trace_push *pushes; /* in the order of the ticks; at most STONES_TRACE_PUSHES of one */
    size_t tick_count;
    stones_trace_tick *ticks;
} stones_trace;

/* Reads the trace in the file `path` into *trace, to be freed with stones_trace_free(). If it cannot be read or is no
 * whole trace, returns false, leaves *trace empty, and writes one line without its end, "FILE:LINE: what is wrong",
 * into message[size], cut to fit. */
bool stones_trace_read(const char *path, stones_trace *trace, char *message, size_t size);

/* The same from an open stream, which is read to its end and stays open; `name` stands for the file in messages. */
bool stones_trace_read_stream(FILE *stream, const char *name, stones_trace *trace, char *message, size_t size);

/* Frees what a trace holds and leaves it empty. An empty one is allowed. */
void stones_trace_free(stones_trace *trace);

/* The pushes before tick `tick` as an action of the game's kind `engine`, for both players: numbers[32][4]. */
void stones_trace_actions(const stones_trace *trace, size_t tick, double numbers[STONES_TRACE_PUSHES][4]);

#endif
