/* SPDX-License-Identifier: MIT
 * Shared by the files of the tests' own libcuda. One lock is held from enter() to leave() of every call, so nothing
 * here is atomic.
 */
#ifndef CAROM_TESTS_DEVICE_LIBCUDA_INSIDE_H
#define CAROM_TESTS_DEVICE_LIBCUDA_INSIDE_H

#include "api.h"
#include "fake_cuda.h"

#include "../ptx_module.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#pragma GCC visibility push(hidden)

enum { DEVICES = 8, SET = 32 };

/* ---- control.c: every call begins and ends here ---- */

/* Requirements of a call, and its effects that a capture forbids. */
enum { ANY_TIME = 0, STARTED = 1, IN_CONTEXT = 2, NOT_CAPTURED = 4 };

/* Takes the lock. Not CUDA_SUCCESS: the call must do nothing but return leave(it). */
CUresult enter(const char *name, int needs);
CUresult leave(CUresult result);

/* Counts and reports a misuse; returns `result`. */
__attribute__((format(printf, 2, 3))) CUresult misuse(CUresult result, const char *format, ...);

/* The error injected into the nth call of `name`; CUDA_SUCCESS if none. */
CUresult asked_failure(const char *name);

/* In [0, n), n > 0. */
uint64_t drawn(uint64_t n);

void read_environment(void);

extern fake_cuda_stats counted;
extern int device_count, driver_version;
extern size_t device_memory;
extern bool started;

/* ---- context.c ---- */

typedef struct CUctx_st {
    CUdevice device;
    unsigned retains;
    CUresult error;       /* of a kernel; stays */
    size_t stack_limit;   /* CU_LIMIT_STACK_SIZE */
    size_t local_reserve; /* bytes of local memory a thread that are there without waiting for the device */
    size_t bytes;         /* allocated */
    CUstream legacy, per_thread;
} context_t;

extern context_t contexts[DEVICES];

/* On the top of the calling thread's stack; NULL: none. */
context_t *current(void);

/* Contexts on it. */
uint64_t depth(void);

/* ---- stream.c: what is queued ---- */

typedef enum op_kind { OP_KERNEL, OP_COPY, OP_FILL, OP_RECORD, OP_WAIT, OP_CALL, OP_GRAPH } op_kind;

typedef struct op {
    op_kind kind;
    uint64_t number; /* in the order of the calls */
    struct op *next;
    CUstream stream;
    /* A kernel: */
    CUfunction function;
    unsigned grid, block;
    void *params; /* a copy */
    /* A copy, or a fill: */
    char *to;
    const char *from;
    void *staged; /* a copy of what a call has read at once; NULL: none */
    size_t bytes;
    unsigned value, width;
    struct mark *mark; /* of a record, or of a wait for it */
    /* The caller's function: */
    CUhostFn call;
    void *data;
    CUgraphExec exec;
} op;

/* One record of an event: events may be recorded again before anything has run. */
typedef struct mark {
    CUstream where;
    bool done;
    unsigned users; /* the event, operations */
} mark;

typedef struct CUevent_st {
    uint64_t magic;
    context_t *context;
    struct CUevent_st *next;
    bool dead;
    mark *last; /* its last record; NULL: it has none */
    /* The last record was in a capture: */
    CUgraph graph;
    size_t after[SET], after_count;
} event_t;

typedef struct CUstream_st {
    uint64_t magic;
    context_t *context;
    struct CUstream_st *next;
    bool dead, non_blocking;
    op *first, *last;
    /* While it is captured: */
    CUgraph graph;
    bool origin;
    size_t after[SET], after_count; /* nodes that the next one follows */
} stream_t;

extern stream_t *streams;

/* NULL, after telling it: no stream of the current context. */
stream_t *stream_of(CUstream handle);
event_t *event_of(CUevent handle);

/* A new operation of zeros. */
op *new_op(op_kind kind);
void free_op(op *done);

/* Queues, or, where the stream is captured, adds a node. The operation belongs to the queue then. */
CUresult put(stream_t *stream, op *what);

/* Runs what the stream, or all of a context, has to do, and, at random, what others have. Gives the context's error. */
CUresult wait_for(stream_t *stream);
CUresult wait_for_all(context_t *context);

/* ---- graph.c ---- */

typedef struct node {
    op *what;
    size_t after[SET], after_count;
} node;

typedef struct CUgraph_st {
    uint64_t magic;
    context_t *context;
    bool invalid;
    CUstreamCaptureMode mode;
    uint64_t thread; /* that began it */
    node *nodes;
    size_t count, room;
    unsigned users; /* the handle, and executables */
    bool dead;
    struct CUgraph_st *next;
} graph_t;

/* Is something captured that forbids this thread to call what may wait for the device? It is invalid then. */
bool capture_forbids(void);
CUresult add_node(stream_t *stream, op *what);

/* The stream is captured, and `doing` waits for it, say. */
CUresult not_in_capture(stream_t *stream, const char *doing);

/* Runs all nodes, in an order that is drawn. */
CUresult run_graph(CUgraphExec exec);
void drop_exec(CUgraphExec exec);
void keep_exec(CUgraphExec exec);

/* ---- run.c: operations done ---- */

CUresult run_op(op *what);

/* ---- memory.c ---- */

/* Device memory can be used between these two. */
void open_memory(void);
void close_memory(void);

/* Is [at, at + bytes) within one allocation of this context? */
bool is_device(const context_t *context, const void *at, size_t bytes);

/* Is it anywhere in the range of device addresses? */
bool in_arena(const void *at);
bool is_pinned(const void *at, size_t bytes);

/* Reports changed bytes next to an allocation as misuse of `whose`. */
CUresult check_edges(const char *whose);

/* The first word among `bytes` at `data` that is an address of the process's own memory; NULL: none. */
const void *host_address(const void *data, size_t bytes);

/* ---- module.c ---- */

typedef struct CUmod_st module_t;

typedef struct CUfunc_st {
    module_t *module;
    const ptx_entry *entry;
    bool ready; /* loaded: launching it waits for nothing */
} function_t;

/* NULL, after telling it: no function of the current context. */
function_t *function_of(CUfunction handle);

#pragma GCC visibility pop

#endif
