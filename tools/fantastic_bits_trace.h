/* SPDX-License-Identifier: MIT
 * Reads golden traces of the game fantastic_bits: recorded games of the referee, which a replay must reproduce to the
 * last bit.
 *
 * The format is described in tests/data/fantastic_bits/README.md. The reader trusts nothing: a file that is not a whole
 * trace is refused with the line that is wrong. The referee's ids become slots (carom/fantastic_bits.h).
 */
#ifndef CAROM_TOOLS_FANTASTIC_BITS_TRACE_H
#define CAROM_TOOLS_FANTASTIC_BITS_TRACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#define FB_TRACE_BODIES 13
#define FB_TRACE_MAX_TURNS 100000
#define FB_TRACE_MAX_HITS 1024 /* of one turn */
#define FB_TRACE_COMMAND 128   /* characters of a command line, its end included */

typedef enum fb_trace_kind { FB_TRACE_WALL, FB_TRACE_POST, FB_TRACE_PAIR, FB_TRACE_GRAB, FB_TRACE_GOAL } fb_trace_kind;

typedef struct fb_trace_hit {
    fb_trace_kind kind;
    double time;           /* 0..1 */
    uint8_t first, second; /* as carom_event has them */
    double x1, y1, x2, y2; /* before the reaction; 0 where the trace has none */
    double impulse;        /* likewise */
} fb_trace_hit;

/* The members have the names of the game's fields. */
typedef struct fb_trace_state {
    double x[FB_TRACE_BODIES], y[FB_TRACE_BODIES], vx[FB_TRACE_BODIES], vy[FB_TRACE_BODIES];
    int8_t hold[4], wait[4], countdown[16], target[16];
    int8_t alive[7], ignores[7];
    int8_t last[2], score[2], mana[2];
    double moved[FB_TRACE_BODIES][4]; /* before friction and rounding; not at the start */
} fb_trace_state;

typedef struct fb_trace_turn {
    char commands[4][FB_TRACE_COMMAND];
    size_t first_hit, hit_count;   /* in fb_trace.hits */
    size_t first_step, step_count; /* in fb_trace.steps */
    bool over;
    fb_trace_state state;
} fb_trace_turn;

typedef struct fb_trace {
    int64_t seed;
    int8_t snaffles;
    fb_trace_state start;
    size_t turn_count;
    fb_trace_turn *turns;
    size_t hit_count;
    fb_trace_hit *hits;
    size_t step_count;
    double *steps;
} fb_trace;

/* Reads the trace in the file `path` into *trace, to be freed with fb_trace_free(). If it cannot be read or is no whole
 * trace, returns false, leaves *trace empty, and writes one line without its end, "FILE:LINE: what is wrong", into
 * message[size], cut to fit. */
bool fb_trace_read(const char *path, fb_trace *trace, char *message, size_t size);

/* The same from an open stream, which is read to its end and stays open; `name` stands for the file in messages. */
bool fb_trace_read_stream(FILE *stream, const char *name, fb_trace *trace, char *message, size_t size);

/* Frees what a trace holds and leaves it empty. An empty one is allowed. */
void fb_trace_free(fb_trace *trace);

/* What the bots say in one turn, as actions of the game's kind `referee`, wizard by wizard. */
void fb_trace_actions(const fb_trace_turn *turn, double actions[4][4]);

#endif
