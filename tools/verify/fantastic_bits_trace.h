/* SPDX-License-Identifier: MIT
 * Traces of the game fantastic_bits: recorded games of the referee. Its ids become slots (carom/fantastic_bits.h).
 */
#ifndef CAROM_TOOLS_VERIFY_FANTASTIC_BITS_TRACE_H
#define CAROM_TOOLS_VERIFY_FANTASTIC_BITS_TRACE_H

#include "trace.h"

#define FB_TRACE_BODIES 13

/* The members have the names of the game's fields. */
typedef struct fb_trace_state {
    double x[FB_TRACE_BODIES], y[FB_TRACE_BODIES], vx[FB_TRACE_BODIES], vy[FB_TRACE_BODIES];
    int8_t hold[4], wait[4], countdown[16], target[16];
    int8_t alive[7], ignores[7];
    int8_t last[2], score[2], mana[2];
    int8_t over[1];                   /* the rules end the game after this turn */
    double moved[FB_TRACE_BODIES][4]; /* before friction and rounding; not at the start */
} fb_trace_state;

typedef struct fb_trace_turn {
    trace_turn base;      /* its events are hits */
    double actions[4][4]; /* of the game's kind `referee` */
    fb_trace_state state;
} fb_trace_turn;

typedef struct fb_trace {
    trace_base base;
    fb_trace_turn *turns;
    int64_t seed;
    int8_t snaffles;
    fb_trace_state start;
} fb_trace;

extern const trace_format fb_trace_format;

#endif
