/* SPDX-License-Identifier: MIT
 * The tests' own libcuda: streams, events, queued work, and the order in which it runs.
 *
 * Nothing runs until a call waits. Then the awaited stream runs, and the streams on which it depends; before each of
 * its operations others may run, too, at random. The legacy default stream waits for all others that are not
 * CU_STREAM_NON_BLOCKING, and they for it.
 */
#include "inside.h"

enum { OTHERS = 4 }; /* one in this many waits also runs work that it does not wait for */

#define STREAM_MAGIC 0x57EA4D57EA4D57EAu
#define EVENT_MAGIC 0xE7E47E7E47E7E47Eu

stream_t *streams;
static event_t *events;
static uint64_t numbers; /* of operations */

/* ---- operations ---- */

op *new_op(op_kind kind)
{
    op *made = calloc(1, sizeof *made);
    if (made == NULL) {
        abort();
    }
    made->kind = kind;
    return made;
}

static void drop_mark(mark *of)
{
    if (of != NULL && --of->users == 0) {
        free(of);
    }
}

static bool is_done(const event_t *event)
{
    return event->last == NULL || event->last->done;
}

void free_op(op *done)
{
    drop_mark(done->mark);
    if (done->exec != NULL) {
        drop_exec(done->exec);
    }
    free(done->params);
    free(done->staged);
    free(done);
}

CUresult put(stream_t *stream, op *what)
{
    what->number = ++numbers;
    what->stream = stream;
    if (stream->graph != NULL) {
        return add_node(stream, what);
    }
    if (stream->last != NULL) {
        stream->last->next = what;
    } else {
        stream->first = what;
    }
    stream->last = what;
    return CUDA_SUCCESS;
}

/* ---- the order ---- */

static bool is_legacy(const stream_t *stream)
{
    return stream == stream->context->legacy;
}

/* Another stream, the first operation of which must run before `stream`'s; NULL: none. */
static stream_t *blocker(const stream_t *stream)
{
    const op *first = stream->first;
    if (first->kind == OP_WAIT && !first->mark->done) {
        return first->mark->where;
    }
    for (stream_t *other = streams; other != NULL; other = other->next) {
        const bool bound = other != stream && other->context == stream->context && other->first != NULL &&
                           other->first->number < first->number && (is_legacy(stream) || is_legacy(other)) &&
                           !stream->non_blocking && !other->non_blocking;
        if (bound) {
            return other;
        }
    }
    return NULL;
}

static void run_first(stream_t *stream)
{
    op *first = stream->first;
    stream->first = first->next;
    if (stream->first == NULL) {
        stream->last = NULL;
    }
    const CUresult result = run_op(first);
    if (result != CUDA_SUCCESS && stream->context->error == CUDA_SUCCESS) {
        stream->context->error = result;
    }
    free_op(first);
}

/* Runs one operation of `stream`, or one that must come before it. */
static void advance(stream_t *stream)
{
    for (stream_t *before = blocker(stream); before != NULL; before = blocker(stream)) {
        stream = before;
    }
    run_first(stream);
}

/* Operations of any streams of the context, by chance, in any order that their streams allow. */
static void run_others(const context_t *context)
{
    size_t count = 0;
    stream_t *chosen = NULL;
    for (stream_t *each = streams; each != NULL; each = each->next) {
        if (each->context == context && each->first != NULL && drawn(++count) == 0) {
            chosen = each;
        }
    }
    if (chosen != NULL) {
        advance(chosen);
    }
}

CUresult wait_for(stream_t *stream)
{
    counted.waits++;
    const bool others = drawn(OTHERS) == 0;
    while (stream->first != NULL) {
        if (others && drawn(2) == 0) {
            run_others(stream->context);
        } else {
            advance(stream);
        }
    }
    return stream->context->error;
}

CUresult wait_for_all(context_t *context)
{
    counted.waits++;
    for (;;) {
        bool empty = true;
        for (const stream_t *each = streams; each != NULL; each = each->next) {
            empty = empty && (each->context != context || each->first == NULL);
        }
        if (empty) {
            return context->error;
        }
        run_others(context);
    }
}

/* ---- streams ---- */

stream_t *stream_of(CUstream handle)
{
    if (handle == NULL || handle == CU_STREAM_LEGACY) {
        return current()->legacy;
    }
    if (handle == CU_STREAM_PER_THREAD) {
        return current()->per_thread;
    }
    for (stream_t *each = streams; each != NULL; each = each->next) {
        if (each == handle) {
            if (each->dead || each->context != current()) {
                break;
            }
            return each;
        }
    }
    misuse(CUDA_SUCCESS, "no stream of the current context, or one that was destroyed");
    return NULL;
}

static CUresult create_stream(CUstream *stream, unsigned flags)
{
    if (flags > CU_STREAM_NON_BLOCKING) {
        return misuse(CUDA_ERROR_INVALID_VALUE, "cuStreamCreate: flags %u", flags);
    }
    stream_t *made = calloc(1, sizeof *made);
    if (made == NULL) {
        return CUDA_ERROR_OUT_OF_MEMORY;
    }
    made->magic = STREAM_MAGIC;
    made->context = current();
    made->non_blocking = flags == CU_STREAM_NON_BLOCKING;
    made->next = streams;
    streams = made;
    counted.streams++;
    *stream = made;
    return CUDA_SUCCESS;
}

CUresult cuStreamCreate(CUstream *stream, unsigned flags)
{
    const CUresult result = enter(__func__, STARTED | IN_CONTEXT | NOT_CAPTURED);
    return leave(result != CUDA_SUCCESS ? result : create_stream(stream, flags));
}

CUresult cuStreamCreateWithPriority(CUstream *stream, unsigned flags, int priority)
{
    const CUresult result = enter(__func__, STARTED | IN_CONTEXT | NOT_CAPTURED);
    (void)priority;
    return leave(result != CUDA_SUCCESS ? result : create_stream(stream, flags));
}

/* Queued work runs later. The memory stays, so that later uses are detected. */
CUresult cuStreamDestroy_v2(CUstream handle)
{
    const CUresult result = enter(__func__, STARTED | IN_CONTEXT);
    stream_t *stream = result == CUDA_SUCCESS ? stream_of(handle) : NULL;
    if (stream == NULL || stream->magic != STREAM_MAGIC) {
        return leave(result != CUDA_SUCCESS ? result : CUDA_ERROR_INVALID_HANDLE);
    }
    if (stream->graph != NULL) {
        return leave(misuse(CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED, "a stream is destroyed while it is captured"));
    }
    stream->dead = true;
    counted.streams--;
    return leave(CUDA_SUCCESS);
}

CUresult cuStreamGetCtx(CUstream handle, CUcontext *context)
{
    const CUresult result = enter(__func__, STARTED | IN_CONTEXT);
    stream_t *stream = result == CUDA_SUCCESS ? stream_of(handle) : NULL;
    if (stream == NULL) {
        return leave(result != CUDA_SUCCESS ? result : CUDA_ERROR_INVALID_HANDLE);
    }
    *context = stream->context;
    return leave(CUDA_SUCCESS);
}

CUresult cuStreamSynchronize(CUstream handle)
{
    const CUresult result = enter(__func__, STARTED | IN_CONTEXT | NOT_CAPTURED);
    stream_t *stream = result == CUDA_SUCCESS ? stream_of(handle) : NULL;
    if (stream == NULL) {
        return leave(result != CUDA_SUCCESS ? result : CUDA_ERROR_INVALID_HANDLE);
    }
    return leave(wait_for(stream));
}

/* Polling makes progress. */
CUresult cuStreamQuery(CUstream handle)
{
    const CUresult result = enter(__func__, STARTED | IN_CONTEXT | NOT_CAPTURED);
    stream_t *stream = result == CUDA_SUCCESS ? stream_of(handle) : NULL;
    if (stream == NULL) {
        return leave(result != CUDA_SUCCESS ? result : CUDA_ERROR_INVALID_HANDLE);
    }
    if (stream->first != NULL && drawn(2) == 0) {
        advance(stream);
    }
    if (stream->context->error != CUDA_SUCCESS) {
        return leave(stream->context->error);
    }
    return leave(stream->first != NULL ? CUDA_ERROR_NOT_READY : CUDA_SUCCESS);
}

/* ---- events ---- */

event_t *event_of(CUevent handle)
{
    for (event_t *each = events; each != NULL; each = each->next) {
        if (each == handle) {
            if (each->dead || each->context != current()) {
                break;
            }
            return each;
        }
    }
    misuse(CUDA_SUCCESS, "no event of the current context, or one that was destroyed");
    return NULL;
}

CUresult cuEventCreate(CUevent *event, unsigned flags)
{
    const CUresult result = enter(__func__, STARTED | IN_CONTEXT | NOT_CAPTURED);
    event_t *made = result == CUDA_SUCCESS ? calloc(1, sizeof *made) : NULL;
    if (made == NULL) {
        return leave(result != CUDA_SUCCESS ? result : CUDA_ERROR_OUT_OF_MEMORY);
    }
    (void)flags;
    made->magic = EVENT_MAGIC;
    made->context = current();
    made->next = events;
    events = made;
    counted.events++;
    *event = made;
    return leave(CUDA_SUCCESS);
}

CUresult cuEventDestroy_v2(CUevent handle)
{
    const CUresult result = enter(__func__, STARTED | IN_CONTEXT);
    event_t *event = result == CUDA_SUCCESS ? event_of(handle) : NULL;
    if (event == NULL) {
        return leave(result != CUDA_SUCCESS ? result : CUDA_ERROR_INVALID_HANDLE);
    }
    event->dead = true;
    counted.events--;
    return leave(CUDA_SUCCESS);
}

/* In a capture an event represents the nodes added so far. */
static CUresult record_captured(event_t *event, const stream_t *stream)
{
    event->graph = stream->graph;
    memcpy(event->after, stream->after, sizeof event->after);
    event->after_count = stream->after_count;
    return CUDA_SUCCESS;
}

CUresult cuEventRecord(CUevent handle, CUstream where)
{
    const CUresult result = enter(__func__, STARTED | IN_CONTEXT);
    event_t *event = result == CUDA_SUCCESS ? event_of(handle) : NULL;
    stream_t *stream = event != NULL ? stream_of(where) : NULL;
    if (stream == NULL) {
        return leave(result != CUDA_SUCCESS ? result : CUDA_ERROR_INVALID_HANDLE);
    }
    if (stream->graph != NULL) {
        return leave(record_captured(event, stream));
    }
    mark *made = calloc(1, sizeof *made);
    if (made == NULL) {
        return leave(CUDA_ERROR_OUT_OF_MEMORY);
    }
    *made = (mark){stream, false, 2};
    drop_mark(event->last);
    event->last = made;
    event->graph = NULL;
    op *what = new_op(OP_RECORD);
    what->mark = made;
    return leave(put(stream, what));
}

/* The stream joins the capture in which the event was recorded. */
static CUresult join_capture(stream_t *stream, const event_t *event)
{
    if (stream->graph == NULL && is_legacy(stream)) {
        return misuse(CUDA_ERROR_STREAM_CAPTURE_IMPLICIT, "the legacy stream waits for a captured event");
    }
    if (stream->graph != NULL && stream->graph != event->graph) {
        return misuse(CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED, "an event of one capture is waited for in another");
    }
    if (stream->graph == NULL) {
        stream->graph = event->graph;
        stream->origin = false;
        stream->after_count = 0;
    }
    for (size_t i = 0; i < event->after_count; i++) {
        if (stream->after_count == SET) {
            return misuse(CUDA_ERROR_NOT_SUPPORTED, "a node follows more than %d others", SET);
        }
        stream->after[stream->after_count++] = event->after[i];
    }
    return CUDA_SUCCESS;
}

CUresult cuStreamWaitEvent(CUstream handle, CUevent waited, unsigned flags)
{
    const CUresult result = enter(__func__, STARTED | IN_CONTEXT);
    stream_t *stream = result == CUDA_SUCCESS ? stream_of(handle) : NULL;
    event_t *event = stream != NULL ? event_of(waited) : NULL;
    if (event == NULL || flags != 0) {
        return leave(result != CUDA_SUCCESS ? result : CUDA_ERROR_INVALID_HANDLE);
    }
    if (event->graph != NULL) {
        return leave(join_capture(stream, event));
    }
    if (stream->graph != NULL) {
        return leave(
            misuse(CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED, "a captured stream waits for an event from outside"));
    }
    if (is_done(event)) {
        return leave(CUDA_SUCCESS);
    }
    op *what = new_op(OP_WAIT);
    what->mark = event->last;
    what->mark->users++;
    return leave(put(stream, what));
}

CUresult cuEventQuery(CUevent handle)
{
    const CUresult result = enter(__func__, STARTED | IN_CONTEXT | NOT_CAPTURED);
    event_t *event = result == CUDA_SUCCESS ? event_of(handle) : NULL;
    if (event == NULL) {
        return leave(result != CUDA_SUCCESS ? result : CUDA_ERROR_INVALID_HANDLE);
    }
    if (!is_done(event) && drawn(2) == 0) {
        advance(event->last->where);
    }
    if (current()->error != CUDA_SUCCESS) {
        return leave(current()->error);
    }
    return leave(is_done(event) ? CUDA_SUCCESS : CUDA_ERROR_NOT_READY);
}

CUresult cuEventSynchronize(CUevent handle)
{
    const CUresult result = enter(__func__, STARTED | IN_CONTEXT | NOT_CAPTURED);
    event_t *event = result == CUDA_SUCCESS ? event_of(handle) : NULL;
    if (event == NULL) {
        return leave(result != CUDA_SUCCESS ? result : CUDA_ERROR_INVALID_HANDLE);
    }
    if (event->graph != NULL) {
        return leave(misuse(CUDA_ERROR_CAPTURED_EVENT, "an event of a capture is waited for"));
    }
    counted.waits++;
    while (!is_done(event)) {
        advance(event->last->where);
    }
    return leave(current()->error);
}

CUresult cuLaunchHostFunc(CUstream handle, CUhostFn call, void *data)
{
    const CUresult result = enter(__func__, STARTED | IN_CONTEXT);
    stream_t *stream = result == CUDA_SUCCESS ? stream_of(handle) : NULL;
    if (stream == NULL) {
        return leave(result != CUDA_SUCCESS ? result : CUDA_ERROR_INVALID_HANDLE);
    }
    op *what = new_op(OP_CALL);
    what->call = call;
    what->data = data;
    return leave(put(stream, what));
}
