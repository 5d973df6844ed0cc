/* SPDX-License-Identifier: MIT
 * Traces of the game csb: recorded games of the referee in its test mode.
 */
#ifndef CAROM_TOOLS_VERIFY_CSB_TRACE_H
#define CAROM_TOOLS_VERIFY_CSB_TRACE_H

#include "trace.h"

#define CSB_TRACE_PODS 4
#define CSB_TRACE_MAX_BOUNCES 64 /* of one turn */

/* The members have the names of the game's fields. */
typedef struct csb_trace_state {
    double x[CSB_TRACE_PODS], y[CSB_TRACE_PODS], vx[CSB_TRACE_PODS], vy[CSB_TRACE_PODS], angle[CSB_TRACE_PODS];
    int16_t next[CSB_TRACE_PODS]; /* 1 .. laps * n */
    int8_t shield[CSB_TRACE_PODS], boosted[CSB_TRACE_PODS], won[CSB_TRACE_PODS];
    int16_t timeout[2];
    double moved[CSB_TRACE_PODS]
                [4]; /* x, y, vx, vy after the motion, before friction and rounding; unset at the start */
} csb_trace_state;

typedef struct csb_trace_turn {
    trace_turn base;                   /* its events are bounces: time left; pods, first > second */
    double actions[CSB_TRACE_PODS][3]; /* of the game's kind `referee` */
    csb_trace_state state;
} csb_trace_turn;

typedef struct csb_trace {
    trace_base base;
    csb_trace_turn *turns;
    uint32_t n, laps;          /* as in carom_csb_map */
    uint32_t expanded_count;   /* laps * n + 1 */
    int32_t (*checkpoints)[2]; /* [expanded_count]: the n of the map `laps` times, then the first; neighbours differ */
    csb_trace_state start;
} csb_trace;

extern const trace_format csb_trace_format;

#endif
