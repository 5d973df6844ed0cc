/* SPDX-License-Identifier: MIT
 * The tests' own libcuda: graphs by stream capture. A node knows which nodes it follows; a replay runs them in any
 * order that this allows.
 */
#include "inside.h"

#include <pthread.h>

struct CUgraphExec_st {
    graph_t *graph;
    unsigned users; /* the handle, and launches that are queued */
    bool dead;
    struct CUgraphExec_st *next;
};

static graph_t *graphs;
static struct CUgraphExec_st *execs;

static uint64_t this_thread(void)
{
    return (uint64_t)pthread_self();
}

/* ---- capture ---- */

/* Is the graph one that is being captured? */
static bool is_captured(const graph_t *graph)
{
    for (const stream_t *each = streams; each != NULL; each = each->next) {
        if (each->graph == graph) {
            return true;
        }
    }
    return false;
}

bool capture_forbids(void)
{
    bool forbidden = false;
    for (graph_t *each = graphs; each != NULL; each = each->next) {
        const bool applies = each->mode == CU_STREAM_CAPTURE_MODE_GLOBAL ||
                             (each->mode == CU_STREAM_CAPTURE_MODE_THREAD_LOCAL && each->thread == this_thread());
        if (applies && is_captured(each)) {
            each->invalid = true;
            forbidden = true;
        }
    }
    return forbidden;
}

CUresult not_in_capture(stream_t *stream, const char *doing)
{
    if (stream->graph == NULL) {
        return CUDA_SUCCESS;
    }
    stream->graph->invalid = true;
    return misuse(CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED, "%s in a captured stream", doing);
}

CUresult add_node(stream_t *stream, op *what)
{
    graph_t *graph = stream->graph;
    if (graph->invalid) {
        free_op(what);
        return CUDA_ERROR_STREAM_CAPTURE_INVALIDATED;
    }
    if (graph->count == graph->room) {
        graph->room = graph->room * 2 + 16;
        node *more = realloc(graph->nodes, graph->room * sizeof *more);
        if (more == NULL) {
            abort();
        }
        graph->nodes = more;
    }
    node *added = &graph->nodes[graph->count];
    added->what = what;
    added->after_count = stream->after_count;
    memcpy(added->after, stream->after, sizeof added->after);
    stream->after[0] = graph->count++;
    stream->after_count = 1;
    return CUDA_SUCCESS;
}

CUresult cuStreamBeginCapture_v2(CUstream handle, CUstreamCaptureMode mode)
{
    const CUresult result = enter(__func__, STARTED | IN_CONTEXT);
    stream_t *stream = result == CUDA_SUCCESS ? stream_of(handle) : NULL;
    if (stream == NULL) {
        return leave(result != CUDA_SUCCESS ? result : CUDA_ERROR_INVALID_HANDLE);
    }
    if (stream == current()->legacy || stream->graph != NULL) {
        return leave(misuse(CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED, "the legacy stream, or one twice, is captured"));
    }
    graph_t *graph = calloc(1, sizeof *graph);
    if (graph == NULL) {
        return leave(CUDA_ERROR_OUT_OF_MEMORY);
    }
    graph->context = current();
    graph->mode = mode;
    graph->thread = this_thread();
    graph->users = 1;
    graph->next = graphs;
    graphs = graph;
    stream->graph = graph;
    stream->origin = true;
    stream->after_count = 0;
    return leave(CUDA_SUCCESS);
}

/* Do all branches of the capture lead back to its first stream? */
static bool is_joined(const graph_t *graph, const stream_t *origin)
{
    bool *reached = calloc(graph->count + 1, sizeof *reached);
    if (reached == NULL) {
        abort();
    }
    for (size_t i = 0; i < origin->after_count; i++) {
        reached[origin->after[i]] = true;
    }
    for (size_t n = graph->count; n-- > 0;) {
        for (size_t i = 0; reached[n] && i < graph->nodes[n].after_count; i++) {
            reached[graph->nodes[n].after[i]] = true;
        }
    }
    bool joined = true;
    for (size_t n = 0; n < graph->count; n++) {
        joined = joined && reached[n];
    }
    free(reached);
    return joined;
}

static void free_graph(graph_t *graph)
{
    for (size_t n = 0; n < graph->count; n++) {
        free_op(graph->nodes[n].what);
    }
    free(graph->nodes);
    graph->nodes = NULL;
    graph->count = 0;
}

static void drop_graph(graph_t *graph)
{
    if (--graph->users == 0) {
        free_graph(graph);
    }
}

CUresult cuStreamEndCapture(CUstream handle, CUgraph *graph)
{
    const CUresult result = enter(__func__, STARTED | IN_CONTEXT);
    stream_t *stream = result == CUDA_SUCCESS ? stream_of(handle) : NULL;
    if (stream == NULL || stream->graph == NULL || !stream->origin) {
        return leave(result != CUDA_SUCCESS ? result : CUDA_ERROR_INVALID_HANDLE);
    }
    graph_t *captured = stream->graph;
    const bool joined = is_joined(captured, stream);
    for (stream_t *each = streams; each != NULL; each = each->next) {
        if (each->graph == captured) {
            each->graph = NULL;
        }
    }
    if (captured->invalid || !joined) {
        *graph = NULL;
        captured->dead = true;
        drop_graph(captured);
        return leave(joined ? CUDA_ERROR_STREAM_CAPTURE_INVALIDATED
                            : misuse(CUDA_ERROR_STREAM_CAPTURE_UNJOINED, "a capture ends with work not joined"));
    }
    counted.graphs++;
    *graph = captured;
    return leave(CUDA_SUCCESS);
}

CUresult cuStreamIsCapturing(CUstream handle, CUstreamCaptureStatus *status)
{
    const CUresult result = enter(__func__, STARTED | IN_CONTEXT);
    stream_t *stream = result == CUDA_SUCCESS ? stream_of(handle) : NULL;
    if (stream == NULL) {
        return leave(result != CUDA_SUCCESS ? result : CUDA_ERROR_INVALID_HANDLE);
    }
    *status = stream->graph == NULL    ? CU_STREAM_CAPTURE_STATUS_NONE
              : stream->graph->invalid ? CU_STREAM_CAPTURE_STATUS_INVALIDATED
                                       : CU_STREAM_CAPTURE_STATUS_ACTIVE;
    return leave(CUDA_SUCCESS);
}

/* ---- replay ---- */

static graph_t *graph_of(CUgraph handle)
{
    for (graph_t *each = graphs; each != NULL; each = each->next) {
        if (each == handle && !each->dead && each->context == current()) {
            return each;
        }
    }
    misuse(CUDA_SUCCESS, "no graph of the current context");
    return NULL;
}

static CUgraphExec exec_of(CUgraphExec handle)
{
    for (CUgraphExec each = execs; each != NULL; each = each->next) {
        if (each == handle && !each->dead && each->graph->context == current()) {
            return each;
        }
    }
    misuse(CUDA_SUCCESS, "no executable graph of the current context");
    return NULL;
}

CUresult cuGraphInstantiateWithFlags(CUgraphExec *exec, CUgraph handle, unsigned long long flags)
{
    const CUresult result = enter(__func__, STARTED | IN_CONTEXT | NOT_CAPTURED);
    graph_t *graph = result == CUDA_SUCCESS ? graph_of(handle) : NULL;
    CUgraphExec made = graph != NULL ? calloc(1, sizeof *made) : NULL;
    if (made == NULL) {
        return leave(result != CUDA_SUCCESS ? result : CUDA_ERROR_INVALID_HANDLE);
    }
    (void)flags;
    made->graph = graph;
    made->users = 1;
    made->next = execs;
    execs = made;
    graph->users++;
    counted.execs++;
    *exec = made;
    return leave(CUDA_SUCCESS);
}

void keep_exec(CUgraphExec exec)
{
    exec->users++;
}

void drop_exec(CUgraphExec exec)
{
    if (--exec->users == 0) {
        drop_graph(exec->graph);
    }
}

CUresult cuGraphLaunch(CUgraphExec handle, CUstream where)
{
    const CUresult result = enter(__func__, STARTED | IN_CONTEXT);
    CUgraphExec exec = result == CUDA_SUCCESS ? exec_of(handle) : NULL;
    stream_t *stream = exec != NULL ? stream_of(where) : NULL;
    if (stream == NULL) {
        return leave(result != CUDA_SUCCESS ? result : CUDA_ERROR_INVALID_HANDLE);
    }
    if (stream->graph != NULL) {
        return leave(not_in_capture(stream, "cuGraphLaunch"));
    }
    op *what = new_op(OP_GRAPH);
    what->exec = exec;
    keep_exec(exec);
    return leave(put(stream, what));
}

CUresult run_graph(CUgraphExec exec)
{
    const graph_t *graph = exec->graph;
    bool *done = calloc(graph->count + 1, sizeof *done);
    if (done == NULL) {
        abort();
    }
    CUresult result = CUDA_SUCCESS;
    for (size_t left = graph->count; left > 0 && result == CUDA_SUCCESS; left--) {
        size_t choices = 0, chosen = 0;
        for (size_t n = 0; n < graph->count; n++) {
            bool ready = !done[n];
            for (size_t i = 0; ready && i < graph->nodes[n].after_count; i++) {
                ready = done[graph->nodes[n].after[i]];
            }
            if (ready && drawn(++choices) == 0) {
                chosen = n;
            }
        }
        done[chosen] = true;
        result = run_op(graph->nodes[chosen].what);
    }
    free(done);
    return result;
}

CUresult cuGraphDestroy(CUgraph handle)
{
    const CUresult result = enter(__func__, STARTED | IN_CONTEXT);
    graph_t *graph = result == CUDA_SUCCESS ? graph_of(handle) : NULL;
    if (graph == NULL) {
        return leave(result != CUDA_SUCCESS ? result : CUDA_ERROR_INVALID_HANDLE);
    }
    graph->dead = true;
    counted.graphs--;
    drop_graph(graph);
    return leave(CUDA_SUCCESS);
}

CUresult cuGraphExecDestroy(CUgraphExec handle)
{
    const CUresult result = enter(__func__, STARTED | IN_CONTEXT);
    CUgraphExec exec = result == CUDA_SUCCESS ? exec_of(handle) : NULL;
    if (exec == NULL) {
        return leave(result != CUDA_SUCCESS ? result : CUDA_ERROR_INVALID_HANDLE);
    }
    exec->dead = true;
    counted.execs--;
    drop_exec(exec);
    return leave(CUDA_SUCCESS);
}
