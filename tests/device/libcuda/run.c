/* SPDX-License-Identifier: MIT
 * The tests' own libcuda: launches and copies, as they are queued and as they run.
 */
#include "inside.h"

#include <setjmp.h>
#include <signal.h>

enum { PARAMS = 4096, GRID = 0x7FFFFFFF, BLOCK = 1024 };

/* ---- kernels run ---- */

static _Thread_local sigjmp_buf outside;
static _Thread_local volatile sig_atomic_t in_kernel;
static struct sigaction before_segv, before_bus;

/* An address that a kernel may not touch ends the kernel. Any other fault is the process's own: its handler is put
 * back, and the instruction faults again. */
static void on_fault(int signal_number)
{
    if (in_kernel != 0) {
        siglongjmp(outside, 1);
    }
    sigaction(signal_number, signal_number == SIGSEGV ? &before_segv : &before_bus, NULL);
}

/* A permutation of 0..n-1 of which every value is at hand: first + i * stride modulo n, with no common factor. */
typedef struct order {
    uint64_t n, first, stride;
} order;

static uint64_t divisor(uint64_t a, uint64_t b)
{
    return b == 0 ? a : divisor(b, a % b);
}

static order any_order(uint64_t n)
{
    order drawn_order = {n, drawn(n), 1 + drawn(n)};
    while (divisor(drawn_order.stride, n) != 1) {
        drawn_order.stride = 1 + drawn(n);
    }
    return drawn_order;
}

static uint32_t nth(const order *of, uint64_t i)
{
    return (uint32_t)((of->first + i * of->stride) % of->n);
}

static void run_threads(const op *what)
{
    const ptx_entry *entry = what->function->entry;
    ptx_place place = {.ntid = {what->block, 1, 1}, .nctaid = {what->grid, 1, 1}};
    const order blocks = any_order(what->grid);
    for (uint64_t b = 0; b < what->grid; b++) {
        const order threads = any_order(what->block);
        place.ctaid[0] = nth(&blocks, b);
        for (uint64_t t = 0; t < what->block; t++) {
            place.tid[0] = nth(&threads, t);
            entry->thread(what->params, &place);
        }
    }
}

static CUresult run_kernel(const op *what)
{
    const char *name = what->function->entry->name;
    const CUresult asked = asked_failure("kernel");
    if (asked != CUDA_SUCCESS) {
        return asked;
    }
    const struct sigaction ours = {.sa_handler = on_fault, .sa_flags = SA_NODEFER};
    sigaction(SIGSEGV, &ours, &before_segv);
    sigaction(SIGBUS, &ours, &before_bus);
    CUresult result = CUDA_SUCCESS;
    open_memory();
    if (sigsetjmp(outside, 1) == 0) {
        in_kernel = 1;
        run_threads(what);
    } else {
        result = misuse(CUDA_ERROR_ILLEGAL_ADDRESS, "%s touches an address that is not allocated", name);
    }
    in_kernel = 0;
    sigaction(SIGSEGV, &before_segv, NULL);
    sigaction(SIGBUS, &before_bus, NULL);
    const CUresult edges = check_edges(name);
    close_memory();
    counted.kernels++;
    return result != CUDA_SUCCESS ? result : edges;
}

/* ---- copies run ---- */

/* Has the memory been freed since the copy was queued? */
static bool is_gone(const context_t *context, const void *address, size_t bytes)
{
    return in_arena(address) && !is_device(context, address, bytes);
}

static CUresult run_copy(const op *what)
{
    const context_t *context = what->stream->context;
    const char *from = what->staged != NULL ? what->staged : what->from;
    if (is_gone(context, what->to, what->bytes) || is_gone(context, from, what->bytes)) {
        return misuse(CUDA_ERROR_ILLEGAL_ADDRESS, "a copy runs after its memory was freed");
    }
    open_memory();
    memmove(what->to, from, what->bytes);
    close_memory();
    counted.copies++;
    return CUDA_SUCCESS;
}

static CUresult run_fill(const op *what)
{
    if (is_gone(what->stream->context, what->to, what->bytes)) {
        return misuse(CUDA_ERROR_ILLEGAL_ADDRESS, "a fill runs after its memory was freed");
    }
    open_memory();
    for (size_t i = 0; i < what->bytes; i += what->width) {
        memcpy(what->to + i, &what->value, what->width);
    }
    close_memory();
    return CUDA_SUCCESS;
}

/* After an error of the context nothing runs any more. */
CUresult run_op(op *what)
{
    const CUresult error = what->stream->context->error;
    switch (what->kind) {
    case OP_KERNEL:
        return error != CUDA_SUCCESS ? error : run_kernel(what);
    case OP_COPY:
        return error != CUDA_SUCCESS ? error : run_copy(what);
    case OP_FILL:
        return error != CUDA_SUCCESS ? error : run_fill(what);
    case OP_GRAPH:
        return error != CUDA_SUCCESS ? error : run_graph(what->exec);
    case OP_RECORD:
        what->mark->done = true;
        return error;
    case OP_CALL:
        what->call(what->data);
        return error;
    case OP_WAIT:
        return error;
    }
    return CUDA_ERROR_UNKNOWN;
}

/* ---- kernels queued ---- */

/* The parameters of a launch as one block; NULL, after telling it, if their size is wrong. */
static void *params_of(const ptx_entry *entry, void **params, void **extra)
{
    const void *from = params != NULL && entry->param_bytes > 0 ? params[0] : NULL;
    size_t bytes = entry->param_bytes;
    for (size_t i = 0; extra != NULL && extra[i] != CU_LAUNCH_PARAM_END; i += 2) {
        if (extra[i] == CU_LAUNCH_PARAM_BUFFER_POINTER) {
            from = extra[i + 1];
        } else if (extra[i] == CU_LAUNCH_PARAM_BUFFER_SIZE) {
            memcpy(&bytes, extra[i + 1], sizeof bytes);
        }
    }
    if (bytes != entry->param_bytes || (from == NULL && bytes > 0) || bytes > PARAMS) {
        misuse(CUDA_SUCCESS, "%s is launched with %zu bytes of parameters instead of %zu", entry->name, bytes,
               entry->param_bytes);
        return NULL;
    }
    void *copy = aligned_alloc(16, (bytes + 31) / 16 * 16);
    if (copy == NULL) {
        abort();
    }
    memset(copy, 0, (bytes + 31) / 16 * 16);
    if (bytes > 0) {
        memcpy(copy, from, bytes);
    }
    return copy;
}

/* May the function run now, in this stream? In a capture, nothing must be loaded or reserved for it. */
static CUresult check_launch(function_t *function, stream_t *stream)
{
    context_t *context = stream->context;
    const ptx_entry *entry = function->entry;
    if (stream->graph != NULL && (!function->ready || entry->local_bytes > context->local_reserve)) {
        stream->graph->invalid = true;
        return misuse(CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED, "%s is loaded, or given local memory, in a capture",
                      entry->name);
    }
    function->ready = true;
    if (entry->local_bytes > context->local_reserve) {
        context->local_reserve = entry->local_bytes;
        return wait_for_all(context);
    }
    return CUDA_SUCCESS;
}

static CUresult launch(function_t *function, unsigned grid, unsigned block, stream_t *stream, void **params,
                       void **extra)
{
    const ptx_entry *entry = function->entry;
    const unsigned most = entry->max_threads > 0 ? entry->max_threads : BLOCK;
    if (grid == 0 || grid > GRID || block == 0 || block > most) {
        return misuse(CUDA_ERROR_INVALID_VALUE, "%s: %u blocks of %u threads", entry->name, grid, block);
    }
    void *copy = params_of(entry, params, extra);
    if (copy == NULL) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    const void *host = host_address(copy, entry->param_bytes);
    if (host != NULL) {
        free(copy);
        return misuse(CUDA_ERROR_INVALID_VALUE, "%s is given %p, memory of the process", entry->name, host);
    }
    const CUresult result = check_launch(function, stream);
    if (result != CUDA_SUCCESS) {
        free(copy);
        return result;
    }
    op *what = new_op(OP_KERNEL);
    what->function = function;
    what->grid = grid;
    what->block = block;
    what->params = copy;
    counted.launches++;
    return put(stream, what);
}

CUresult cuLaunchKernel(CUfunction handle, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x,
                        unsigned block_y, unsigned block_z, unsigned shared, CUstream where, void **params,
                        void **extra)
{
    const CUresult result = enter(__func__, STARTED | IN_CONTEXT);
    function_t *function = result == CUDA_SUCCESS ? function_of(handle) : NULL;
    stream_t *stream = function != NULL ? stream_of(where) : NULL;
    if (stream == NULL) {
        return leave(result != CUDA_SUCCESS ? result : CUDA_ERROR_INVALID_HANDLE);
    }
    if (grid_y != 1 || grid_z != 1 || block_y != 1 || block_z != 1 || shared != 0) {
        return leave(
            misuse(CUDA_ERROR_INVALID_VALUE, "%s: a grid of one dimension is known here", function->entry->name));
    }
    return leave(launch(function, grid_x, block_x, stream, params, extra));
}

/* ---- copies queued ---- */

typedef enum way { TO_DEVICE, FROM_DEVICE, WITHIN } way;

static CUresult check_copy(const void *to, const void *from, size_t bytes, way direction)
{
    const context_t *context = current();
    const bool to_device = direction != FROM_DEVICE, from_device = direction != TO_DEVICE;
    if (to_device ? !is_device(context, to, bytes) : in_arena(to)) {
        return misuse(CUDA_ERROR_INVALID_VALUE, "%zu bytes are copied to an address of the wrong kind or size", bytes);
    }
    if (from_device ? !is_device(context, from, bytes) : in_arena(from)) {
        return misuse(CUDA_ERROR_INVALID_VALUE, "%zu bytes are copied from an address of the wrong kind or size",
                      bytes);
    }
    const void *host = direction == TO_DEVICE ? host_address(from, bytes) : NULL;
    if (host != NULL) {
        return misuse(CUDA_ERROR_INVALID_VALUE, "%zu bytes copied to the device hold %p, an address of the process",
                      bytes, host);
    }
    return CUDA_SUCCESS;
}

/* Like a driver with memory that is not pinned: reads and writes it before returning. */
static CUresult queue_copy(stream_t *stream, void *to, const void *from, size_t bytes, way direction)
{
    const void *outer = direction == FROM_DEVICE ? to : from;
    const bool at_once = direction != WITHIN && !is_pinned(outer, bytes);
    if (at_once && stream->graph != NULL) {
        return not_in_capture(stream, "a copy of memory that is not pinned");
    }
    op *what = new_op(OP_COPY);
    what->to = to;
    what->from = from;
    what->bytes = bytes;
    if (at_once && direction == TO_DEVICE) {
        what->staged = malloc(bytes);
        if (what->staged == NULL) {
            abort();
        }
        memcpy(what->staged, from, bytes);
    }
    const CUresult result = put(stream, what);
    return result == CUDA_SUCCESS && at_once && direction == FROM_DEVICE ? wait_for(stream) : result;
}

static CUresult copy(void *to, const void *from, size_t bytes, CUstream where, way direction)
{
    if (bytes == 0) {
        return CUDA_SUCCESS;
    }
    stream_t *stream = stream_of(where);
    if (stream == NULL) {
        return CUDA_ERROR_INVALID_HANDLE;
    }
    const CUresult result = check_copy(to, from, bytes, direction);
    return result != CUDA_SUCCESS ? result : queue_copy(stream, to, from, bytes, direction);
}

/* In the legacy stream, and waits for it. */
static CUresult copy_now(void *to, const void *from, size_t bytes, way direction)
{
    const CUresult result = copy(to, from, bytes, NULL, direction);
    return result != CUDA_SUCCESS ? result : wait_for(current()->legacy);
}

static void *pointer(CUdeviceptr address)
{
    return (void *)(uintptr_t)address;
}

CUresult cuMemcpyHtoD_v2(CUdeviceptr to, const void *from, size_t bytes)
{
    const CUresult result = enter(__func__, STARTED | IN_CONTEXT | NOT_CAPTURED);
    return leave(result != CUDA_SUCCESS ? result : copy_now(pointer(to), from, bytes, TO_DEVICE));
}

CUresult cuMemcpyDtoH_v2(void *to, CUdeviceptr from, size_t bytes)
{
    const CUresult result = enter(__func__, STARTED | IN_CONTEXT | NOT_CAPTURED);
    return leave(result != CUDA_SUCCESS ? result : copy_now(to, pointer(from), bytes, FROM_DEVICE));
}

CUresult cuMemcpyDtoD_v2(CUdeviceptr to, CUdeviceptr from, size_t bytes)
{
    const CUresult result = enter(__func__, STARTED | IN_CONTEXT | NOT_CAPTURED);
    return leave(result != CUDA_SUCCESS ? result : copy_now(pointer(to), pointer(from), bytes, WITHIN));
}

CUresult cuMemcpyHtoDAsync_v2(CUdeviceptr to, const void *from, size_t bytes, CUstream stream)
{
    const CUresult result = enter(__func__, STARTED | IN_CONTEXT);
    return leave(result != CUDA_SUCCESS ? result : copy(pointer(to), from, bytes, stream, TO_DEVICE));
}

CUresult cuMemcpyDtoHAsync_v2(void *to, CUdeviceptr from, size_t bytes, CUstream stream)
{
    const CUresult result = enter(__func__, STARTED | IN_CONTEXT);
    return leave(result != CUDA_SUCCESS ? result : copy(to, pointer(from), bytes, stream, FROM_DEVICE));
}

CUresult cuMemcpyDtoDAsync_v2(CUdeviceptr to, CUdeviceptr from, size_t bytes, CUstream stream)
{
    const CUresult result = enter(__func__, STARTED | IN_CONTEXT);
    return leave(result != CUDA_SUCCESS ? result : copy(pointer(to), pointer(from), bytes, stream, WITHIN));
}

/* ---- fills queued ---- */

static CUresult fill(CUdeviceptr to, unsigned value, unsigned width, size_t count, CUstream where)
{
    stream_t *stream = stream_of(where);
    if (stream == NULL) {
        return CUDA_ERROR_INVALID_HANDLE;
    }
    if (!is_device(stream->context, pointer(to), count * width) || to % width != 0) {
        return misuse(CUDA_ERROR_INVALID_VALUE, "%zu bytes are filled at an address of the wrong kind or size",
                      count * width);
    }
    op *what = new_op(OP_FILL);
    what->to = pointer(to);
    what->value = value;
    what->width = width;
    what->bytes = count * width;
    return put(stream, what);
}

CUresult cuMemsetD8_v2(CUdeviceptr to, unsigned char value, size_t count)
{
    const CUresult result = enter(__func__, STARTED | IN_CONTEXT | NOT_CAPTURED);
    return leave(result != CUDA_SUCCESS ? result : fill(to, value, 1, count, NULL));
}

CUresult cuMemsetD8Async(CUdeviceptr to, unsigned char value, size_t count, CUstream stream)
{
    const CUresult result = enter(__func__, STARTED | IN_CONTEXT);
    return leave(result != CUDA_SUCCESS ? result : fill(to, value, 1, count, stream));
}

CUresult cuMemsetD32_v2(CUdeviceptr to, unsigned value, size_t count)
{
    const CUresult result = enter(__func__, STARTED | IN_CONTEXT | NOT_CAPTURED);
    return leave(result != CUDA_SUCCESS ? result : fill(to, value, 4, count, NULL));
}

CUresult cuMemsetD32Async(CUdeviceptr to, unsigned value, size_t count, CUstream stream)
{
    const CUresult result = enter(__func__, STARTED | IN_CONTEXT);
    return leave(result != CUDA_SUCCESS ? result : fill(to, value, 4, count, stream));
}
