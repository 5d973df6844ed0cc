/* SPDX-License-Identifier: MIT
 * Reads golden traces of the game csb: recorded games of the referee, which a replay must reproduce to the last bit.
 *
 * The format is described in tests/data/csb/README.md. The reader trusts nothing: a file that is not a whole trace is
 * refused with the line that is wrong, and the memory taken is bounded by what the file really holds.
 */
#ifndef CAROM_TOOLS_CSB_TRACE_H
#define CAROM_TOOLS_CSB_TRACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#define CSB_TRACE_PODS 4
#define CSB_TRACE_MAX_TURNS 100000
#define CSB_TRACE_MAX_BOUNCES 64   /* of one turn */
#define CSB_TRACE_MAX_THRUST 10000 /* of either sign; far from the numbers that stand for SHIELD and BOOST */
#define CSB_TRACE_MESSAGE 512      /* enough for every message with a path of ordinary length */

typedef enum csb_trace_token { CSB_TRACE_THRUST, CSB_TRACE_SHIELD, CSB_TRACE_BOOST } csb_trace_token;

typedef struct csb_trace_command {
    double x, y; /* target */
    csb_trace_token token;
    int32_t thrust; /* 0 unless the token is CSB_TRACE_THRUST */
} csb_trace_command;

typedef struct csb_trace_bounce {
    double left;           /* time left in the turn, 0..1 */
    uint8_t first, second; /* pods; first > second */
} csb_trace_bounce;

typedef struct csb_trace_pod {
    double x, y, vx, vy, angle;
    int16_t next; /* 1 .. laps * n */
    int8_t shield, boosted, won;
} csb_trace_pod;

typedef struct csb_trace_turn {
    csb_trace_command commands[CSB_TRACE_PODS];
    size_t first_bounce; /* index into csb_trace.bounces */
    size_t bounce_count;
    double moved[CSB_TRACE_PODS][4]; /* x, y, vx, vy after the motion, before friction and rounding */
    csb_trace_pod pods[CSB_TRACE_PODS];
    int32_t timeouts[2];
} csb_trace_turn;

typedef struct csb_trace {
    uint32_t n, laps;          /* as in carom_csb_map */
    uint32_t expanded_count;   /* laps * n + 1 */
    int32_t (*checkpoints)[2]; /* [n]; neighbours (cyclic) differ */
    int32_t (*expanded)[2];    /* [expanded_count]: the checkpoints `laps` times, then the first one */
    csb_trace_pod start[CSB_TRACE_PODS];
    size_t turn_count;     /* 1 .. CSB_TRACE_MAX_TURNS */
    csb_trace_turn *turns; /* [turn_count] */
    size_t bounce_count;
    csb_trace_bounce *bounces; /* [bounce_count], in order of the turns; NULL if there are none */
} csb_trace;

/* Reads the trace in the file `path` into *trace, to be freed with csb_trace_free(). If it cannot be read or is no
 * whole trace, returns false, leaves *trace empty, and writes one line without its end, "FILE:LINE: what is wrong",
 * into message[size], cut to fit. */
bool csb_trace_read(const char *path, csb_trace *trace, char *message, size_t size);

/* The same from an open stream, which is read to its end and stays open; `name` stands for the file in messages. */
bool csb_trace_read_stream(FILE *stream, const char *name, csb_trace *trace, char *message, size_t size);

/* Frees what a trace holds and leaves it empty. An empty one is allowed. */
void csb_trace_free(csb_trace *trace);

/* What the bots say in one turn, as actions of the game's kind `referee`, pod by pod: x, y, thrust. */
void csb_trace_actions(const csb_trace_turn *turn, double actions[][3]);

#endif
