/* SPDX-License-Identifier: MIT
 * The available devices, their contexts, and device memory for programs that have no other library for it.
 */
#include "device/device.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "base/problem.h"
#include "device/modules.h"

#ifdef CAROM_HAVE_DLOPEN
#include <pthread.h>
#endif

#define FIRST 256u /* the number of CUDA device 0; lower ones are reserved for other kinds of device */
#define MOST_DEVICES 64

static device_unit units[MOST_DEVICES];

#ifdef CAROM_HAVE_DLOPEN
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

void carom_device_lock(void)
{
    (void)pthread_mutex_lock(&lock);
}

void carom_device_unlock(void)
{
    (void)pthread_mutex_unlock(&lock);
}
#else
/* Without a driver there are no units. */
void carom_device_lock(void) {}

void carom_device_unlock(void) {}
#endif

unsigned carom_device_cuda(unsigned index)
{
    return index < UINT_MAX - FIRST ? FIRST + index : UINT_MAX; /* never 0, which is the host */
}

/* ---- which there are ---- */

/* The driver, if this build has programs for its devices. Sets *count to the number of devices. */
static const cuda_driver *find_devices(unsigned *count, carom_status *status, carom_problem *problem)
{
    *count = 0;
    if (carom_device_module(DEVICE_COMMON) == NULL) {
        *status = carom_wrong(problem, CAROM_ERROR_UNSUPPORTED,
                              "this build has no programs for devices: build with -Ddevice=enabled");
        return NULL;
    }

    const cuda_driver *cuda = carom_cuda(status, problem);
    int found = 0;
    if (cuda != NULL) {
        const cuda_result result = cuda->device_count(&found);
        if (result != 0) {
            *status = carom_cuda_failed(cuda, result, "cuDeviceGetCount", problem);
            return NULL;
        }
        if (found == 0) {
            *status = carom_wrong(problem, CAROM_ERROR_UNSUPPORTED, "the driver finds no device");
            return NULL;
        }
        *count = found < MOST_DEVICES ? (unsigned)found : MOST_DEVICES;
    }
    return cuda;
}

unsigned carom_device_count(carom_problem *problem)
{
    unsigned count;
    carom_status status = CAROM_OK;
    if (problem != NULL) {
        problem->text[0] = '\0';
    }
    (void)find_devices(&count, &status, problem);
    return count;
}

/* Queries the properties of a device. */
static carom_status ask(const cuda_driver *cuda, unsigned index, cuda_device *device, carom_device_info *info,
                        carom_problem *problem)
{
    carom_device_info found = {.kind = "cuda", .index = index};
    int processors = 0, major = 0, minor = 0, driver = 0;
    size_t memory = 0;
    cuda_result result = cuda->device_get(device, (int)index);
    result = result == 0 ? cuda->device_name(found.name, (int)sizeof found.name, *device) : result;
    result = result == 0 ? cuda->device_memory(&memory, *device) : result;
    result = result == 0 ? cuda->device_attribute(&processors, CUDA_DEVICE_PROCESSORS, *device) : result;
    result = result == 0 ? cuda->device_attribute(&major, CUDA_DEVICE_MAJOR, *device) : result;
    result = result == 0 ? cuda->device_attribute(&minor, CUDA_DEVICE_MINOR, *device) : result;
    result = result == 0 ? cuda->driver_version(&driver) : result;
    if (result != 0) {
        return carom_cuda_failed(cuda, result, "querying a device", problem);
    }

    found.name[sizeof found.name - 1] = '\0';
    found.memory = memory;
    found.processors = (unsigned)processors;
    found.major = (unsigned)major;
    found.minor = (unsigned)minor;
    found.driver = (unsigned)driver;
    *info = found;
    return CAROM_OK;
}

/* The driver and the index of a device; NULL if there is no such device. */
static const cuda_driver *find_device(unsigned device, unsigned *index, carom_status *status, carom_problem *problem)
{
    unsigned count;
    const cuda_driver *cuda = find_devices(&count, status, problem);
    if (cuda == NULL) {
        return NULL;
    }

    *index = device - FIRST; /* wraps around for lower numbers */
    if (device < FIRST || *index >= count) {
        *status =
            carom_wrong(problem, CAROM_ERROR_ARGUMENT, "there is no device number %u: CUDA devices here are %u to %u",
                        device, FIRST, FIRST + count - 1);
        return NULL;
    }
    return cuda;
}

carom_status carom_device_describe(unsigned device, carom_device_info *info, carom_problem *problem)
{
    if (problem != NULL) {
        problem->text[0] = '\0';
    }
    if (info == NULL) {
        return carom_wrong(problem, CAROM_ERROR_ARGUMENT, "the output for the description is NULL");
    }
    unsigned index;
    cuda_device handle;
    carom_status status = CAROM_OK;
    const cuda_driver *cuda = find_device(device, &index, &status, problem);
    return cuda == NULL ? status : ask(cuda, index, &handle, info, problem);
}

/* ---- units ---- */

/* Makes a unit usable: its description, its context, a stream. */
static carom_status begin_unit(device_unit *unit, const cuda_driver *cuda, unsigned index, carom_problem *problem)
{
    carom_status status = ask(cuda, index, &unit->device, &unit->info, problem);
    if (status != CAROM_OK) {
        return status;
    }

    unit->cuda = cuda;
    cuda_context *context = NULL;
    cuda_result result = cuda->context_retain(&context, unit->device);
    if (result != 0) {
        return carom_cuda_failed(cuda, result, "cuDevicePrimaryCtxRetain", problem);
    }

    /* The unit counts as in use once it has a context. */
    cuda_context *popped;
    result = cuda->context_push(context);
    if (result == 0) {
        result = cuda->stream_create(&unit->transfers, CUDA_STREAM_NON_BLOCKING);
        result = result == 0 ? cuda->event_create(&unit->order, CUDA_EVENT_DISABLE_TIMING) : result;
        (void)cuda->context_pop(&popped);
    }
    if (result != 0) {
        return carom_cuda_failed(cuda, result, "opening the device", problem);
    }
    unit->context = context;
    return CAROM_OK;
}

device_unit *carom_device_unit(unsigned device, carom_status *status, carom_problem *problem)
{
    unsigned index;
    *status = CAROM_OK;
    const cuda_driver *cuda = find_device(device, &index, status, problem);
    if (cuda == NULL) {
        return NULL;
    }

    device_unit *unit = &units[index];
    carom_device_lock();
    if (unit->context == NULL) {
        *status = begin_unit(unit, cuda, index, problem);
    }
    carom_device_unlock();
    return *status == CAROM_OK ? unit : NULL;
}

carom_status carom_device_enter(const device_unit *unit, carom_problem *problem)
{
    carom_status status = CAROM_OK;
    const cuda_driver *cuda = carom_cuda(&status, problem);
    if (cuda == NULL) {
        return status;
    }
    const cuda_result result = cuda->context_push(unit->context);
    return result == 0 ? CAROM_OK : carom_cuda_failed(cuda, result, "cuCtxPushCurrent", problem);
}

void carom_device_leave(const device_unit *unit)
{
    cuda_context *popped;
    (void)unit->cuda->context_pop(&popped);
}

/* ---- public memory ---- */

/* Finds a device by its number and makes its context current, for a call that reports a problem. */
static carom_status enter(unsigned device, device_unit **unit, carom_problem *problem)
{
    carom_status status;
    if (problem != NULL) {
        problem->text[0] = '\0';
    }
    *unit = carom_device_unit(device, &status, problem);
    return *unit != NULL ? carom_device_enter(*unit, problem) : status;
}

carom_status carom_device_allocate(unsigned device, size_t bytes, void **memory, carom_problem *problem)
{
    if (memory == NULL) {
        return carom_wrong(problem, CAROM_ERROR_ARGUMENT, "the output for the address is NULL");
    }

    *memory = NULL;
    device_unit *unit;
    const carom_status status = enter(device, &unit, problem);
    if (status != CAROM_OK) {
        return status;
    }

    cuda_address address = 0;
    const cuda_result result = unit->cuda->memory_take(&address, bytes > 0 ? bytes : 1);
    carom_device_leave(unit);
    if (result != 0) {
        return carom_cuda_failed(unit->cuda, result, "cuMemAlloc", problem);
    }
    *memory = (void *)(uintptr_t)address;
    return CAROM_OK;
}

void carom_device_release(unsigned device, void *memory)
{
    carom_status status;
    device_unit *unit = memory != NULL ? carom_device_unit(device, &status, NULL) : NULL;
    if (unit != NULL && carom_device_enter(unit, NULL) == CAROM_OK) {
        (void)unit->cuda->context_wait();
        (void)unit->cuda->memory_give((cuda_address)(uintptr_t)memory);
        carom_device_leave(unit);
    }
}

/* Copies between the host and a device, in the direction given by `in`. */
static carom_status transfer(unsigned device, void *to, const void *from, size_t bytes, bool in, carom_problem *problem)
{
    if ((to == NULL || from == NULL) && bytes > 0) {
        return carom_wrong(problem, CAROM_ERROR_ARGUMENT, "the source or the destination of the copy is NULL");
    }

    device_unit *unit;
    const carom_status status = enter(device, &unit, problem);
    if (status != CAROM_OK) {
        return status;
    }

    const cuda_driver *cuda = unit->cuda;
    cuda_result result = cuda->context_wait();
    if (result == 0 && bytes > 0) {
        result = in ? cuda->copy_in((cuda_address)(uintptr_t)to, from, bytes, unit->transfers)
                    : cuda->copy_out(to, (cuda_address)(uintptr_t)from, bytes, unit->transfers);
        result = result == 0 ? cuda->stream_wait(unit->transfers) : result;
    }
    carom_device_leave(unit);
    return result == 0 ? CAROM_OK : carom_cuda_failed(cuda, result, in ? "writing" : "reading", problem);
}

carom_status carom_device_write(unsigned device, void *to, const void *from, size_t bytes, carom_problem *problem)
{
    return transfer(device, to, from, bytes, true, problem);
}

carom_status carom_device_read(unsigned device, void *to, const void *from, size_t bytes, carom_problem *problem)
{
    return transfer(device, to, from, bytes, false, problem);
}

carom_status carom_device_order(unsigned device, void *earlier, void *later, carom_problem *problem)
{
    device_unit *unit;
    const carom_status status = enter(device, &unit, problem);
    if (status != CAROM_OK) {
        return status;
    }

    /* A stream records the event's state when the wait is queued, so the event can be reused. */
    const cuda_driver *cuda = unit->cuda;
    carom_device_lock();
    cuda_result result = cuda->event_record(unit->order, (cuda_stream *)earlier);
    result = result == 0 ? cuda->stream_wait_event((cuda_stream *)later, unit->order, 0) : result;
    carom_device_unlock();
    carom_device_leave(unit);
    return result == 0 ? CAROM_OK : carom_cuda_failed(cuda, result, "ordering two streams", problem);
}

carom_status carom_device_owns(unsigned device, const void *memory, size_t bytes, carom_problem *problem)
{
    device_unit *unit;
    const carom_status status = enter(device, &unit, problem);
    if (status != CAROM_OK) {
        return status;
    }

    /* The driver reports an error for ordinary host memory, which answers the question. */
    const cuda_driver *cuda = unit->cuda;
    const cuda_address first = (cuda_address)(uintptr_t)memory, last = first + (bytes > 0 ? bytes - 1 : 0);
    int kinds[2] = {0, 0}, owners[2] = {-1, -1};
    bool good = true;
    for (int k = 0; k < 2 && good; k++) {
        const cuda_address at = k == 0 ? first : last;
        good = cuda->pointer_attribute(&kinds[k], CUDA_POINTER_KIND, at) == 0 &&
               cuda->pointer_attribute(&owners[k], CUDA_POINTER_DEVICE, at) == 0 &&
               kinds[k] == CUDA_POINTER_ON_DEVICE && owners[k] == (int)unit->info.index;
    }
    carom_device_leave(unit);
    return good ? CAROM_OK
                : carom_wrong(problem, CAROM_ERROR_ARGUMENT, "the array is not in the memory of this device");
}
