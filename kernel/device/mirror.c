/* SPDX-License-Identifier: MIT
 * The host side of a batch on a device: calls wait for the device, copy what they need, and exclude each other by a
 * lock.
 */
#define _XOPEN_SOURCE 700 /* recursive locks */

#include "device/device.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#ifdef CAROM_HAVE_DLOPEN
static void lock(const carom_worlds *worlds)
{
    (void)pthread_mutex_lock(&worlds->device->mirror->lock);
}

static void unlock(const carom_worlds *worlds)
{
    (void)pthread_mutex_unlock(&worlds->device->mirror->lock);
}

bool carom_batch_make_lock(device_mirror *mirror)
{
    pthread_mutexattr_t again;
    if (pthread_mutexattr_init(&again) != 0) {
        return false;
    }
    const bool made = pthread_mutexattr_settype(&again, PTHREAD_MUTEX_RECURSIVE) == 0 &&
                      pthread_mutex_init(&mirror->lock, &again) == 0;
    (void)pthread_mutexattr_destroy(&again);
    return made;
}

void carom_batch_unmake_lock(device_mirror *mirror)
{
    (void)pthread_mutex_destroy(&mirror->lock);
}
#else
bool carom_batch_make_lock(device_mirror *mirror)
{
    (void)mirror;
    return true;
}

void carom_batch_unmake_lock(device_mirror *mirror)
{
    (void)mirror;
}

static void lock(const carom_worlds *worlds)
{
    (void)worlds;
}

static void unlock(const carom_worlds *worlds)
{
    (void)worlds;
}
#endif

/* ---- on the device ---- */

carom_status carom_device_refuse(const carom_worlds *worlds, carom_status status, const char *format, ...)
{
    carom_problem problem;
    va_list list;
    va_start(list, format);
    (void)vsnprintf(problem.text, sizeof problem.text, format, list);
    va_end(list);

    /* In a forked child the lock may be held for ever, and no other thread exists. */
    const bool locks = !carom_cuda_is_lost();
    if (locks) {
        lock(worlds);
    }
    worlds->device->mirror->worlds->problem = problem;
    if (locks) {
        unlock(worlds);
    }
    return status;
}

carom_status carom_batch_enter(const carom_worlds *worlds)
{
    carom_problem problem = {""};
    const carom_status status = carom_device_enter(worlds->device->unit, &problem);
    return status == CAROM_OK ? CAROM_OK : carom_device_refuse(worlds, status, "%s", problem.text);
}

carom_status carom_batch_leave(const carom_worlds *worlds, cuda_result result, const char *what)
{
    const device_unit *unit = worlds->device->unit;
    carom_device_leave(unit);
    if (result == 0) {
        return CAROM_OK;
    }
    carom_problem problem = {""};
    const carom_status status = carom_cuda_failed(unit->cuda, result, what, &problem);
    return carom_device_refuse(worlds, status, "%s", problem.text);
}

carom_status carom_device_wait(const carom_worlds *worlds)
{
    const carom_status status = carom_batch_enter(worlds);
    return status != CAROM_OK
               ? status
               : carom_batch_leave(worlds, worlds->device->unit->cuda->context_wait(), "waiting for the device");
}

/* Reports, once, that a queued call met an index out of bounds. */
static carom_status report_wrong(const carom_worlds *worlds)
{
    uint32_t wrong = 0;
    carom_status status = carom_device_download(worlds, &wrong, worlds->device->wrong, sizeof wrong);
    if (status != CAROM_OK || wrong == 0) {
        return status;
    }
    wrong = 0;
    status = carom_device_upload(worlds, worlds->device->wrong, &wrong, sizeof wrong);
    return status != CAROM_OK
               ? status
               : carom_device_refuse(worlds, CAROM_ERROR_ARGUMENT,
                                     "a list of a queued call had an index out of bounds; the world that it "
                                     "was for did not change");
}

carom_status carom_worlds_wait(carom_worlds *worlds)
{
    if (worlds == NULL) {
        return CAROM_ERROR_ARGUMENT;
    }
    if (worlds->device == NULL) {
        return CAROM_OK;
    }
    const carom_status status = carom_device_wait(worlds);
    return status == CAROM_OK ? report_wrong(worlds) : status;
}

/* ---- transfers ---- */

/* A part of a batch on both sides. */
typedef struct part {
    unsigned char *here, *there;
    size_t bytes;
} part;

#define MOST_PARTS 4

/* Copies to the device (in) or from it, while nothing uses these parts, and waits for the copies. */
static cuda_result copy_parts(const carom_worlds *worlds, const part *parts, size_t count, bool in)
{
    const cuda_driver *cuda = worlds->device->unit->cuda;
    cuda_stream *stream = worlds->device->mirror->stream;
    cuda_result result = 0;
    for (size_t k = 0; k < count && result == 0; k++) {
        const cuda_address there = (cuda_address)(uintptr_t)parts[k].there;
        result = in ? cuda->copy_in(there, parts[k].here, parts[k].bytes, stream)
                    : cuda->copy_out(parts[k].here, there, parts[k].bytes, stream);
    }
    return result == 0 && count > 0 ? cuda->stream_wait(stream) : result;
}

/* Lists the parts, given as bits, of worlds [first, first + count), and returns their number. */
static size_t list_parts(const carom_worlds *worlds, size_t first, size_t count, unsigned wanted,
                         part parts[MOST_PARTS])
{
    const device_batch *batch = worlds->device;
    const size_t lanes = worlds->layout.lanes, tile_bytes = worlds->layout.tile_bytes, players = batch->players;
    size_t listed = 0;
    if (count > 0 && (wanted & MIRROR_TILES) != 0) {
        const size_t tile = first / lanes, tiles = (first + count - 1) / lanes + 1 - tile;
        parts[listed++] =
            (part){worlds->data + tile * tile_bytes, batch->tiles + tile * tile_bytes, tiles * tile_bytes};
    }
    if (count > 0 && (wanted & MIRROR_BESIDE) != 0) {
        parts[listed++] = (part){(unsigned char *)(worlds->seeds + first), (unsigned char *)(batch->seeds + first),
                                 count * sizeof *worlds->seeds};
        parts[listed++] =
            (part){(unsigned char *)(worlds->sums + first * players), (unsigned char *)(batch->sums + first * players),
                   count * players * sizeof *worlds->sums};
    }
    if ((wanted & MIRROR_COUNTERS) != 0) {
        parts[listed++] = (part){(unsigned char *)batch->mirror->slots, (unsigned char *)batch->counters,
                                 sizeof batch->mirror->slots};
    }
    return listed;
}

/* Sums up the device's counters into the batch's, or the reverse. */
static void sum_slots(const device_mirror *mirror)
{
    carom_counters *sum = &mirror->worlds->counters;
    *sum = (carom_counters){0};
    for (size_t k = 0; k < ONE_SLOTS; k++) {
        sum->ticks += mirror->slots[k].ticks;
        sum->events += mirror->slots[k].events;
        sum->games += mirror->slots[k].games;
        sum->goals += mirror->slots[k].goals;
        sum->faults += mirror->slots[k].faults;
    }
}

static void fill_slots(device_mirror *mirror)
{
    memset(mirror->slots, 0, sizeof mirror->slots);
    mirror->slots[0] = mirror->worlds->counters;
}

carom_status carom_batch_open(const carom_worlds *worlds, size_t first, size_t count, unsigned parts)
{
    part list[MOST_PARTS];
    const size_t listed = list_parts(worlds, first, count, parts, list);
    carom_status status = carom_batch_enter(worlds);
    if (status != CAROM_OK) {
        return status;
    }

    /* Work may be queued on any stream, also by graphs that the batch does not know of: wait for all of it. */
    lock(worlds);
    cuda_result result = worlds->device->unit->cuda->context_wait();
    result = result == 0 ? copy_parts(worlds, list, listed, false) : result;
    status = carom_batch_leave(worlds, result, "waiting for the device");
    if (status != CAROM_OK) {
        unlock(worlds);
        return status;
    }
    if ((parts & MIRROR_COUNTERS) != 0) {
        sum_slots(worlds->device->mirror);
    }
    return CAROM_OK;
}

carom_status carom_batch_close(const carom_worlds *worlds, size_t first, size_t count, unsigned changed)
{
    part list[MOST_PARTS];
    const size_t listed = list_parts(worlds, first, count, changed, list);
    if ((changed & MIRROR_COUNTERS) != 0) {
        fill_slots(worlds->device->mirror);
    }
    carom_status status = listed > 0 ? carom_batch_enter(worlds) : CAROM_OK;
    if (listed > 0 && status == CAROM_OK) {
        status = carom_batch_leave(worlds, copy_parts(worlds, list, listed, true), "writing to the device");
    }
    unlock(worlds);
    return status;
}

carom_status carom_device_upload(const carom_worlds *worlds, void *to, const void *from, size_t bytes)
{
    const part whole = {(unsigned char *)(uintptr_t)from, (unsigned char *)to, bytes};
    const carom_status status = carom_batch_enter(worlds);
    return status != CAROM_OK
               ? status
               : carom_batch_leave(worlds, copy_parts(worlds, &whole, bytes > 0, true), "writing to the device");
}

carom_status carom_device_download(const carom_worlds *worlds, void *to, const void *from, size_t bytes)
{
    const part whole = {(unsigned char *)to, (unsigned char *)(uintptr_t)from, bytes};
    const carom_status status = carom_batch_enter(worlds);
    return status != CAROM_OK
               ? status
               : carom_batch_leave(worlds, copy_parts(worlds, &whole, bytes > 0, false), "reading from the device");
}
