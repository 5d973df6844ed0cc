/* SPDX-License-Identifier: MIT
 * The functions of NVIDIA's driver that Carom calls, with declarations of our own, loaded from libcuda.so.1 when a
 * device is first used. No other file calls a driver.
 *
 * Every driver call needs a current device context: cuda_enter() sets it for one call of the library.
 */
#ifndef CAROM_DEVICE_CUDA_H
#define CAROM_DEVICE_CUDA_H

#include <carom/base.h>

typedef int cuda_result; /* 0: no error */
typedef int cuda_device;
typedef struct cuda_context cuda_context;
typedef struct cuda_module cuda_module;
typedef struct cuda_function cuda_function;
typedef struct cuda_stream cuda_stream; /* NULL: the default stream, which is ordered with all but non-blocking ones */
typedef struct cuda_event cuda_event;
typedef uint64_t cuda_address; /* of device memory */

/* Results that are handled. */
enum {
    CUDA_OUT_OF_MEMORY = 2,
    CUDA_NO_DEVICE = 100,
    CUDA_NO_BINARY = 209,
    CUDA_INVALID_PTX = 218,
    CUDA_UNSUPPORTED_PTX = 222,
    CUDA_NOT_FOUND = 500
};

/* Attributes of devices and functions. */
enum { CUDA_DEVICE_PROCESSORS = 16, CUDA_DEVICE_MAJOR = 75, CUDA_DEVICE_MINOR = 76, CUDA_FUNCTION_LOCAL_BYTES = 3 };

/* Attributes of addresses, and the kind of memory that a device has; other kinds are not device memory. */
enum { CUDA_POINTER_KIND = 2, CUDA_POINTER_DEVICE = 9, CUDA_POINTER_ON_DEVICE = 2 };

#define CUDA_STREAM_NON_BLOCKING 1
#define CUDA_EVENT_DISABLE_TIMING 2

/* X(name here, name in the driver, parameters). */
#define CUDA_FUNCTIONS(X)                                                                                              \
    X(init, "cuInit", (unsigned flags))                                                                                \
    X(driver_version, "cuDriverGetVersion", (int *version))                                                            \
    X(error_name, "cuGetErrorName", (cuda_result result, const char **name))                                           \
    X(error_string, "cuGetErrorString", (cuda_result result, const char **text))                                       \
    X(device_count, "cuDeviceGetCount", (int *count))                                                                  \
    X(device_get, "cuDeviceGet", (cuda_device * device, int index))                                                    \
    X(device_name, "cuDeviceGetName", (char *name, int bytes, cuda_device device))                                     \
    X(device_memory, "cuDeviceTotalMem_v2", (size_t *bytes, cuda_device device))                                       \
    X(device_attribute, "cuDeviceGetAttribute", (int *value, int attribute, cuda_device device))                       \
    X(context_retain, "cuDevicePrimaryCtxRetain", (cuda_context * *context, cuda_device device))                       \
    X(context_push, "cuCtxPushCurrent_v2", (cuda_context * context))                                                   \
    X(context_pop, "cuCtxPopCurrent_v2", (cuda_context * *context))                                                    \
    X(context_wait, "cuCtxSynchronize", (void))                                                                        \
    X(module_load, "cuModuleLoadData", (cuda_module * *module, const void *image))                                     \
    X(module_function, "cuModuleGetFunction", (cuda_function * *function, cuda_module * module, const char *name))     \
    X(function_attribute, "cuFuncGetAttribute", (int *value, int attribute, cuda_function *function))                  \
    X(occupancy, "cuOccupancyMaxActiveBlocksPerMultiprocessor",                                                        \
      (int *blocks, cuda_function *function, int block, size_t shared_bytes))                                          \
    X(launch, "cuLaunchKernel",                                                                                        \
      (cuda_function * function, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x,                  \
       unsigned block_y, unsigned block_z, unsigned shared_bytes, cuda_stream *stream, void **parameters,              \
       void **extra))                                                                                                  \
    X(memory_take, "cuMemAlloc_v2", (cuda_address * address, size_t bytes))                                            \
    X(memory_give, "cuMemFree_v2", (cuda_address address))                                                             \
    X(copy_in, "cuMemcpyHtoDAsync_v2", (cuda_address to, const void *from, size_t bytes, cuda_stream *stream))         \
    X(copy_out, "cuMemcpyDtoHAsync_v2", (void *to, cuda_address from, size_t bytes, cuda_stream *stream))              \
    X(copy, "cuMemcpyDtoDAsync_v2", (cuda_address to, cuda_address from, size_t bytes, cuda_stream *stream))           \
    X(clear, "cuMemsetD8Async", (cuda_address to, unsigned char value, size_t bytes, cuda_stream *stream))             \
    X(stream_create, "cuStreamCreate", (cuda_stream * *stream, unsigned flags))                                        \
    X(stream_destroy, "cuStreamDestroy_v2", (cuda_stream * stream))                                                    \
    X(stream_wait, "cuStreamSynchronize", (cuda_stream * stream))                                                      \
    X(stream_wait_event, "cuStreamWaitEvent", (cuda_stream * stream, cuda_event * event, unsigned flags))              \
    X(event_create, "cuEventCreate", (cuda_event * *event, unsigned flags))                                            \
    X(event_record, "cuEventRecord", (cuda_event * event, cuda_stream * stream))                                       \
    X(pointer_attribute, "cuPointerGetAttribute", (void *value, int attribute, cuda_address address))

#define CUDA_MEMBER(name, symbol, parameters) cuda_result(*name) parameters;
typedef struct cuda_driver {
    CUDA_FUNCTIONS(CUDA_MEMBER)
} cuda_driver;
#undef CUDA_MEMBER

/* The driver, opened and initialised by the first call. NULL if it cannot be used: *problem (may be NULL) is set to the
 * reason, and *status (may be NULL) to CAROM_ERROR_UNSUPPORTED if there is no driver, else CAROM_ERROR_DEVICE. A child
 * process that was forked after the driver was initialised cannot use it. */
const cuda_driver *carom_cuda(carom_status *status, carom_problem *problem);

/* Is this such a child? It must not touch anything that the driver gave the parent. */
bool carom_cuda_is_lost(void);

/* The status for a result, and the failure in the driver's words: "cuLaunchKernel: CUDA_ERROR_...: ...". problem may be
 * NULL. */
carom_status carom_cuda_failed(const cuda_driver *cuda, cuda_result result, const char *what, carom_problem *problem);

#endif
