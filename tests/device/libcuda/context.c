/* SPDX-License-Identifier: MIT
 * The tests' own libcuda: the driver, its devices and their primary contexts. There are no others.
 */
#include "inside.h"

#include <stdio.h>

enum { STACK = 16, MULTIPROCESSORS = 4 };

static _Thread_local context_t *stack[STACK];
static _Thread_local size_t pushed;

context_t contexts[DEVICES];

context_t *current(void)
{
    return pushed > 0 ? stack[pushed - 1] : NULL;
}

uint64_t depth(void)
{
    return pushed;
}

CUresult cuInit(unsigned flags)
{
    const CUresult result = enter(__func__, ANY_TIME);
    if (result != CUDA_SUCCESS || flags != 0) {
        return leave(flags != 0 ? CUDA_ERROR_INVALID_VALUE : result);
    }
    read_environment();
    return leave(device_count > 0 ? CUDA_SUCCESS : CUDA_ERROR_NO_DEVICE);
}

CUresult cuDriverGetVersion(int *version)
{
    const CUresult result = enter(__func__, ANY_TIME);
    if (result == CUDA_SUCCESS) {
        const char *told = getenv("CAROM_FAKE_VERSION"); /* asked before cuInit(), too */
        *version = told != NULL ? atoi(told) : driver_version;
    }
    return leave(result);
}

/* ---- errors ---- */

static const struct {
    CUresult error;
    const char *name, *text;
} errors[] = {
    {CUDA_SUCCESS, "CUDA_SUCCESS", "no error"},
    {CUDA_ERROR_INVALID_VALUE, "CUDA_ERROR_INVALID_VALUE", "invalid argument"},
    {CUDA_ERROR_OUT_OF_MEMORY, "CUDA_ERROR_OUT_OF_MEMORY", "out of memory"},
    {CUDA_ERROR_NOT_INITIALIZED, "CUDA_ERROR_NOT_INITIALIZED", "initialization error"},
    {CUDA_ERROR_NO_DEVICE, "CUDA_ERROR_NO_DEVICE", "no CUDA-capable device is detected"},
    {CUDA_ERROR_INVALID_DEVICE, "CUDA_ERROR_INVALID_DEVICE", "invalid device ordinal"},
    {CUDA_ERROR_INVALID_IMAGE, "CUDA_ERROR_INVALID_IMAGE", "device kernel image is invalid"},
    {CUDA_ERROR_INVALID_CONTEXT, "CUDA_ERROR_INVALID_CONTEXT", "invalid device context"},
    {CUDA_ERROR_NO_BINARY_FOR_GPU, "CUDA_ERROR_NO_BINARY_FOR_GPU", "no kernel image is available for the device"},
    {CUDA_ERROR_INVALID_PTX, "CUDA_ERROR_INVALID_PTX", "a PTX JIT compilation failed"},
    {CUDA_ERROR_UNSUPPORTED_PTX_VERSION, "CUDA_ERROR_UNSUPPORTED_PTX_VERSION",
     "the provided PTX was compiled with an unsupported toolchain"},
    {CUDA_ERROR_INVALID_HANDLE, "CUDA_ERROR_INVALID_HANDLE", "invalid resource handle"},
    {CUDA_ERROR_NOT_FOUND, "CUDA_ERROR_NOT_FOUND", "named symbol not found"},
    {CUDA_ERROR_NOT_READY, "CUDA_ERROR_NOT_READY", "device not ready"},
    {CUDA_ERROR_ILLEGAL_ADDRESS, "CUDA_ERROR_ILLEGAL_ADDRESS", "an illegal memory access was encountered"},
    {CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES, "CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES",
     "too many resources requested for launch"},
    {CUDA_ERROR_LAUNCH_FAILED, "CUDA_ERROR_LAUNCH_FAILED", "unspecified launch failure"},
    {CUDA_ERROR_NOT_SUPPORTED, "CUDA_ERROR_NOT_SUPPORTED", "operation not supported"},
    {CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED, "CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED",
     "operation not permitted when stream is capturing"},
    {CUDA_ERROR_STREAM_CAPTURE_INVALIDATED, "CUDA_ERROR_STREAM_CAPTURE_INVALIDATED",
     "operation failed due to a previous error during capture"},
    {CUDA_ERROR_STREAM_CAPTURE_UNJOINED, "CUDA_ERROR_STREAM_CAPTURE_UNJOINED", "capturing stream has unjoined work"},
    {CUDA_ERROR_STREAM_CAPTURE_IMPLICIT, "CUDA_ERROR_STREAM_CAPTURE_IMPLICIT",
     "operation would make the legacy stream depend on a capturing blocking stream"},
    {CUDA_ERROR_CAPTURED_EVENT, "CUDA_ERROR_CAPTURED_EVENT",
     "operation not permitted on an event last recorded in a capturing stream"},
    {CUDA_ERROR_UNKNOWN, "CUDA_ERROR_UNKNOWN", "unknown error"},
};

static CUresult look_up(CUresult error, const char **name, const char **text)
{
    for (size_t i = 0; i < sizeof errors / sizeof errors[0]; i++) {
        if (errors[i].error == error) {
            *name = errors[i].name;
            *text = errors[i].text;
            return CUDA_SUCCESS;
        }
    }
    *name = *text = NULL;
    return CUDA_ERROR_INVALID_VALUE;
}

CUresult cuGetErrorName(CUresult error, const char **name)
{
    const char *text;
    return look_up(error, name, &text);
}

CUresult cuGetErrorString(CUresult error, const char **text)
{
    const char *name;
    return look_up(error, &name, text);
}

/* ---- devices ---- */

static bool is_ordinal(int device)
{
    return device >= 0 && device < device_count;
}

CUresult cuDeviceGetCount(int *count)
{
    const CUresult result = enter(__func__, STARTED);
    if (result == CUDA_SUCCESS) {
        *count = device_count;
    }
    return leave(result);
}

CUresult cuDeviceGet(CUdevice *device, int ordinal)
{
    const CUresult result = enter(__func__, STARTED);
    if (result != CUDA_SUCCESS || !is_ordinal(ordinal)) {
        return leave(result != CUDA_SUCCESS ? result : CUDA_ERROR_INVALID_DEVICE);
    }
    *device = ordinal;
    return leave(CUDA_SUCCESS);
}

CUresult cuDeviceGetName(char *name, int length, CUdevice device)
{
    const CUresult result = enter(__func__, STARTED);
    if (result != CUDA_SUCCESS || !is_ordinal(device)) {
        return leave(result != CUDA_SUCCESS ? result : CUDA_ERROR_INVALID_DEVICE);
    }
    snprintf(name, (size_t)length, "Processor of the tests %d", device);
    return leave(CUDA_SUCCESS);
}

CUresult cuDeviceTotalMem_v2(size_t *bytes, CUdevice device)
{
    const CUresult result = enter(__func__, STARTED);
    if (result != CUDA_SUCCESS || !is_ordinal(device)) {
        return leave(result != CUDA_SUCCESS ? result : CUDA_ERROR_INVALID_DEVICE);
    }
    *bytes = device_memory;
    return leave(CUDA_SUCCESS);
}

static CUresult attribute_of(CUdevice_attribute attribute, int *value)
{
    switch (attribute) {
    case CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK:
        *value = 1024;
        return CUDA_SUCCESS;
    case CU_DEVICE_ATTRIBUTE_WARP_SIZE:
        *value = 32;
        return CUDA_SUCCESS;
    case CU_DEVICE_ATTRIBUTE_CLOCK_RATE:
        *value = 1000000;
        return CUDA_SUCCESS;
    case CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT:
        *value = MULTIPROCESSORS;
        return CUDA_SUCCESS;
    case CU_DEVICE_ATTRIBUTE_COMPUTE_MODE:
        *value = 0;
        return CUDA_SUCCESS;
    case CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR:
        *value = 2048;
        return CUDA_SUCCESS;
    case CU_DEVICE_ATTRIBUTE_UNIFIED_ADDRESSING:
        *value = 1;
        return CUDA_SUCCESS;
    case CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR:
        *value = 9;
        return CUDA_SUCCESS;
    case CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR:
        *value = 0;
        return CUDA_SUCCESS;
    default:
        return misuse(CUDA_ERROR_INVALID_VALUE, "cuDeviceGetAttribute: attribute %d is not known here", (int)attribute);
    }
}

CUresult cuDeviceGetAttribute(int *value, CUdevice_attribute attribute, CUdevice device)
{
    const CUresult result = enter(__func__, STARTED);
    if (result != CUDA_SUCCESS || !is_ordinal(device)) {
        return leave(result != CUDA_SUCCESS ? result : CUDA_ERROR_INVALID_DEVICE);
    }
    return leave(attribute_of(attribute, value));
}

/* ---- contexts ---- */

static stream_t *built_in_stream(context_t *context)
{
    stream_t *stream = calloc(1, sizeof *stream);
    if (stream != NULL) {
        stream->context = context;
        stream->next = streams;
        streams = stream;
    }
    return stream;
}

static CUresult retain(context_t *context, CUdevice device)
{
    if (context->legacy == NULL) {
        context->device = device;
        context->stack_limit = context->local_reserve = 1024;
        context->legacy = built_in_stream(context);
        context->per_thread = built_in_stream(context);
    }
    context->retains++;
    return context->legacy != NULL && context->per_thread != NULL ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
}

CUresult cuDevicePrimaryCtxRetain(CUcontext *context, CUdevice device)
{
    const CUresult result = enter(__func__, STARTED | NOT_CAPTURED);
    if (result != CUDA_SUCCESS || !is_ordinal(device)) {
        return leave(result != CUDA_SUCCESS ? result : CUDA_ERROR_INVALID_DEVICE);
    }
    *context = &contexts[device];
    return leave(retain(*context, device));
}

CUresult cuDevicePrimaryCtxRelease_v2(CUdevice device)
{
    const CUresult result = enter(__func__, STARTED | NOT_CAPTURED);
    if (result != CUDA_SUCCESS || !is_ordinal(device)) {
        return leave(result != CUDA_SUCCESS ? result : CUDA_ERROR_INVALID_DEVICE);
    }
    context_t *context = &contexts[device];
    if (context->retains == 0) {
        return leave(misuse(CUDA_ERROR_INVALID_CONTEXT, "a primary context is released that nobody retains"));
    }
    if (--context->retains == 0 && context->bytes > 0) {
        misuse(CUDA_SUCCESS, "a primary context ends with %zu bytes allocated", context->bytes);
    }
    return leave(CUDA_SUCCESS);
}

CUresult cuDevicePrimaryCtxReset_v2(CUdevice device)
{
    const CUresult result = enter(__func__, STARTED);
    (void)device;
    return leave(result != CUDA_SUCCESS
                     ? result
                     : misuse(CUDA_ERROR_NOT_SUPPORTED, "a primary context is reset, which others share"));
}

CUresult cuDevicePrimaryCtxGetState(CUdevice device, unsigned *flags, int *active)
{
    const CUresult result = enter(__func__, STARTED);
    if (result != CUDA_SUCCESS || !is_ordinal(device)) {
        return leave(result != CUDA_SUCCESS ? result : CUDA_ERROR_INVALID_DEVICE);
    }
    *flags = 0;
    *active = contexts[device].retains > 0;
    return leave(CUDA_SUCCESS);
}

static bool is_context(const context_t *context)
{
    return context >= contexts && context < contexts + device_count && context->retains > 0;
}

CUresult cuCtxPushCurrent_v2(CUcontext context)
{
    const CUresult result = enter(__func__, STARTED);
    if (result != CUDA_SUCCESS) {
        return leave(result);
    }
    if (!is_context(context)) {
        return leave(misuse(CUDA_ERROR_INVALID_CONTEXT, "cuCtxPushCurrent: no context, or one that nobody retains"));
    }
    if (pushed == STACK) {
        return leave(misuse(CUDA_ERROR_INVALID_CONTEXT, "contexts are pushed and never popped"));
    }
    stack[pushed++] = context;
    return leave(CUDA_SUCCESS);
}

CUresult cuCtxPopCurrent_v2(CUcontext *context)
{
    const CUresult result = enter(__func__, STARTED);
    if (result != CUDA_SUCCESS) {
        return leave(result);
    }
    if (pushed == 0) {
        return leave(misuse(CUDA_ERROR_INVALID_CONTEXT, "cuCtxPopCurrent: there is none"));
    }
    pushed--;
    if (context != NULL) {
        *context = stack[pushed];
    }
    return leave(CUDA_SUCCESS);
}

/* As torch and JAX do: the top of the stack is replaced. */
CUresult cuCtxSetCurrent(CUcontext context)
{
    const CUresult result = enter(__func__, STARTED);
    if (result != CUDA_SUCCESS) {
        return leave(result);
    }
    if (context == NULL) {
        pushed -= pushed > 0;
        return leave(CUDA_SUCCESS);
    }
    if (!is_context(context)) {
        return leave(misuse(CUDA_ERROR_INVALID_CONTEXT, "cuCtxSetCurrent: no context, or one that nobody retains"));
    }
    pushed += pushed == 0;
    stack[pushed - 1] = context;
    return leave(CUDA_SUCCESS);
}

CUresult cuCtxGetCurrent(CUcontext *context)
{
    const CUresult result = enter(__func__, STARTED);
    if (result == CUDA_SUCCESS) {
        *context = current();
    }
    return leave(result);
}

CUresult cuCtxGetDevice(CUdevice *device)
{
    const CUresult result = enter(__func__, STARTED | IN_CONTEXT);
    if (result == CUDA_SUCCESS) {
        *device = current()->device;
    }
    return leave(result);
}

CUresult cuCtxSynchronize(void)
{
    const CUresult result = enter(__func__, STARTED | IN_CONTEXT | NOT_CAPTURED);
    return leave(result != CUDA_SUCCESS ? result : wait_for_all(current()));
}

/* A larger stack is reserved at once, for which a driver waits for the device. */
CUresult cuCtxSetLimit(CUlimit limit, size_t value)
{
    const CUresult result = enter(__func__, STARTED | IN_CONTEXT | NOT_CAPTURED);
    if (result != CUDA_SUCCESS || limit != CU_LIMIT_STACK_SIZE) {
        return leave(result);
    }
    context_t *context = current();
    context->stack_limit = value;
    if (value > context->local_reserve) {
        context->local_reserve = value;
        return leave(wait_for_all(context));
    }
    return leave(CUDA_SUCCESS);
}

CUresult cuCtxGetLimit(size_t *value, CUlimit limit)
{
    const CUresult result = enter(__func__, STARTED | IN_CONTEXT);
    if (result == CUDA_SUCCESS) {
        *value = limit == CU_LIMIT_STACK_SIZE ? current()->stack_limit : 0;
    }
    return leave(result);
}
