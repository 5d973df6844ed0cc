/* SPDX-License-Identifier: MIT
 * Queueing on a batch's device, and memory in addition to the batch's own.
 */
#include "device/device.h"

#include <assert.h>
#include <string.h>

static cuda_address address_of(const void *memory)
{
    return (cuda_address)(uintptr_t)memory;
}

/* ---- launches ---- */

static carom_status launch(const carom_worlds *worlds, const device_entry *entry, void *stream, const char *name,
                           void *task, size_t task_bytes, size_t threads)
{
    assert(task_bytes >= sizeof(uint64_t) && task_bytes <= ONE_TASK_BYTES);
    (void)task_bytes;
    if (entry == NULL) {
        return carom_device_refuse(worlds, CAROM_ERROR_UNSUPPORTED, "%s: there is no device program %s",
                                   worlds->type->name, name);
    }

    const uint64_t count = threads;
    memcpy(task, &count, sizeof count);
    if (threads == 0) {
        return CAROM_OK;
    }

    const carom_status status = carom_batch_enter(worlds);
    if (status != CAROM_OK) {
        return status;
    }

    uint64_t blocks = (count - 1) / DEVICE_BLOCK + 1;
    blocks = blocks < entry->most_blocks ? blocks : entry->most_blocks;
    void *parameters[] = {task};
    const cuda_result result = worlds->device->unit->cuda->launch(entry->function, (unsigned)blocks, 1, 1, DEVICE_BLOCK,
                                                                  1, 1, 0, (cuda_stream *)stream, parameters, NULL);
    return carom_batch_leave(worlds, result, name);
}

carom_status carom_device_launch(const carom_worlds *worlds, void *stream, const char *entry, void *task,
                                 size_t task_bytes, size_t threads)
{
    const device_entry *found = carom_device_find(worlds->device->game, entry);
    found = found != NULL ? found : carom_device_find(worlds->device->policies, entry);
    return launch(worlds, found, stream, entry, task, task_bytes, threads);
}

carom_status carom_device_launch_common(const carom_worlds *worlds, void *stream, const char *entry, void *task,
                                        size_t task_bytes, size_t threads)
{
    return launch(worlds, carom_device_find(worlds->device->common, entry), stream, entry, task, task_bytes, threads);
}

/* ---- memory ---- */

carom_status carom_device_clear(const carom_worlds *worlds, void *stream, void *to, size_t bytes)
{
    const carom_status status = carom_batch_enter(worlds);
    if (status != CAROM_OK) {
        return status;
    }
    const cuda_result result =
        bytes > 0 ? worlds->device->unit->cuda->clear(address_of(to), 0, bytes, (cuda_stream *)stream) : 0;
    return carom_batch_leave(worlds, result, "clearing memory");
}

carom_status carom_device_move(const carom_worlds *worlds, void *stream, void *to, const void *from, size_t bytes)
{
    const carom_status status = carom_batch_enter(worlds);
    if (status != CAROM_OK) {
        return status;
    }
    const cuda_result result =
        bytes > 0 ? worlds->device->unit->cuda->copy(address_of(to), address_of(from), bytes, (cuda_stream *)stream)
                  : 0;
    return carom_batch_leave(worlds, result, "copying memory");
}

carom_status carom_device_take(const carom_worlds *worlds, size_t bytes, void **memory)
{
    *memory = NULL;
    const carom_status status = carom_batch_enter(worlds);
    if (status != CAROM_OK) {
        return status;
    }
    cuda_address address = 0;
    const cuda_result result = worlds->device->unit->cuda->memory_take(&address, bytes > 0 ? bytes : 1);
    *memory = (void *)(uintptr_t)address;
    return carom_batch_leave(worlds, result, "cuMemAlloc");
}

void carom_device_give(const carom_worlds *worlds, void *memory)
{
    if (memory != NULL && !carom_cuda_is_lost() && carom_batch_enter(worlds) == CAROM_OK) {
        (void)worlds->device->unit->cuda->memory_give(address_of(memory));
        carom_device_leave(worlds->device->unit);
    }
}
