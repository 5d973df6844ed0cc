/* SPDX-License-Identifier: MIT
 * A batch on a device, for the files that queue programs on it: addresses of its memory, launches, transfers.
 *
 * Addresses of device memory are plain pointers here, as programs need them in their tasks. The host must not
 * dereference them.
 */
#ifndef CAROM_DEVICE_BATCH_H
#define CAROM_DEVICE_BATCH_H

#include <carom/device.h>

#include "tick/one.h"
#include "worlds/device.h"
#include "worlds/worlds.h"

typedef struct device_unit device_unit;         /* a device in use: see device/device.h */
typedef struct device_programs device_programs; /* a loaded module: see device/device.h */

/* A batch's part on its device. Allocated when the batch is made, and never moved. */
typedef struct device_batch {
    device_unit *unit;
    /* Modules: the batch's game at its precision; the game's policies, unless the first has them; and what all games
     * share. The latter two may be missing in a build. */
    device_programs *game, *policies, *common;
    unsigned char *tiles;     /* [worlds->tiles][layout.tile_bytes], as on the host */
    const void *context;      /* the game's context */
    uint64_t *seeds;          /* [worlds->tiles * lanes]: always allocated, unlike the seeds on the host */
    double *sums;             /* [worlds->tiles * lanes][players]: always allocated, too */
    carom_counters *counters; /* [ONE_SLOTS] (tick/one.h): the batch's counters are their sum; atomic */
    uint32_t *wrong;          /* [1]: 1 once a program met an index out of bounds, see one_batch.wrong */
    unsigned char *scratch;   /* [scratch_bytes]: for data between two programs of a call */
    size_t scratch_bytes; /* at least DEVICE_SCRATCH, and carom_device_step_bytes() for each world, padding included */
    uint32_t players;     /* of the game */
    struct device_mirror *mirror; /* lock and stream: see device/mirror.c */
} device_batch;

/* The least scratch of a batch, in bytes: enough for rollouts of few roots to fill a device. */
#define DEVICE_SCRATCH ((size_t)16 << 20)

/* Queues `entry` of the modules of the batch's game ("step", ...) or, from _common, of the module that all games share.
 * The first member of *task, the number of threads, is set to `threads`; 0 queues nothing. task_bytes is at most
 * ONE_TASK_BYTES. stream: the caller's (a CUstream; NULL: the default stream). If refused, notes the reason in the
 * batch:
 *     CAROM_ERROR_UNSUPPORTED   the module does not have this entry
 *     CAROM_ERROR_DEVICE        an error of the driver, possibly from work queued earlier */
carom_status carom_device_launch(const carom_worlds *worlds, void *stream, const char *entry, void *task,
                                 size_t task_bytes, size_t threads);
carom_status carom_device_launch_common(const carom_worlds *worlds, void *stream, const char *entry, void *task,
                                        size_t task_bytes, size_t threads);

/* Queue: set bytes to 0; copy within the device. */
carom_status carom_device_clear(const carom_worlds *worlds, void *stream, void *to, size_t bytes);
carom_status carom_device_move(const carom_worlds *worlds, void *stream, void *to, const void *from, size_t bytes);

/* Allocates memory on the batch's device. Not for calls that queue: it waits for the device. */
carom_status carom_device_take(const carom_worlds *worlds, size_t bytes, void **memory);
void carom_device_give(const carom_worlds *worlds, void *memory);

/* Copy between the host and the batch's device, at once. The caller must make sure that the device is not using the
 * memory, by carom_device_wait(). */
carom_status carom_device_upload(const carom_worlds *worlds, void *to, const void *from, size_t bytes);
carom_status carom_device_download(const carom_worlds *worlds, void *to, const void *from, size_t bytes);

/* Waits for everything queued on the batch's device. */
carom_status carom_device_wait(const carom_worlds *worlds);

/* Notes in the batch why a call is refused, like carom_worlds_refuse(), and returns the status. Also for calls with a
 * const batch: the library made the batch, so the object is never const. */
__attribute__((format(printf, 3, 4))) carom_status carom_device_refuse(const carom_worlds *worlds, carom_status status,
                                                                       const char *format, ...);

#endif
