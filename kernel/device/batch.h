/* SPDX-License-Identifier: MIT
 * A batch on a device, for the files that queue programs on it: addresses of its memory, launches, transfers.
 *
 * Addresses of device memory are plain pointers here, as programs need them in their tasks. This processor must not
 * follow them.
 */
#ifndef CAROM_DEVICE_BATCH_H
#define CAROM_DEVICE_BATCH_H

#include <carom/device.h>

#include "tick/one.h"
#include "worlds/device.h"
#include "worlds/worlds.h"

typedef struct device_unit device_unit;         /* a device in use: see device/device.h */
typedef struct device_programs device_programs; /* a loaded module: see device/device.h */

/* What a batch has on its device. Everything is taken when the batch is made, and stays where it is. */
typedef struct device_batch {
    device_unit *unit;
    /* Programs: of the batch's game and precision; of its policies, unless they are among those; of all games. The
     * latter two may be missing in a build. */
    device_programs *game, *policies, *common;
    unsigned char *tiles;         /* [worlds->tiles][layout.tile_bytes], as on this processor */
    const void *context;          /* the game's context */
    uint64_t *seeds;              /* [worlds->tiles * lanes]: always there, unlike the seeds on this processor */
    double *sums;                 /* [worlds->tiles * lanes][players]: likewise */
    carom_counters *counters;     /* [ONE_SLOTS] (tick/one.h): their sum is the batch's; added to atomically */
    uint32_t *wrong;              /* [1]: 1 once a program met an index beyond its array, see one_batch.wrong */
    unsigned char *scratch;       /* [scratch_bytes]: for what a call needs between two programs */
    size_t scratch_bytes;         /* at least carom_device_step_bytes() for each place of a world, and DEVICE_SCRATCH */
    uint32_t players;             /* of the game */
    struct device_mirror *mirror; /* lock and stream: see device/mirror.c */
} device_batch;

/* Bytes of scratch that every batch has: so much that rollouts of few roots fill a device. */
#define DEVICE_SCRATCH ((size_t)16 << 20)

/* Queues `entry` of the modules of the batch's game ("step", ...), or, from _common, of the module that all games
 * share. The first member of *task is the number of threads: `threads` is written there. task_bytes is at most
 * ONE_TASK_BYTES, stream the caller's (a CUstream; NULL: the default stream). threads 0 queues nothing. Notes in the
 * batch why, if it is refused:
 *     CAROM_ERROR_UNSUPPORTED   the module does not have this entry
 *     CAROM_ERROR_DEVICE        the driver's error, which may be that of work queued before */
carom_status carom_device_launch(const carom_worlds *worlds, void *stream, const char *entry, void *task,
                                 size_t task_bytes, size_t threads);
carom_status carom_device_launch_common(const carom_worlds *worlds, void *stream, const char *entry, void *task,
                                        size_t task_bytes, size_t threads);

/* Queues: sets bytes to 0; copies within the device. */
carom_status carom_device_clear(const carom_worlds *worlds, void *stream, void *to, size_t bytes);
carom_status carom_device_move(const carom_worlds *worlds, void *stream, void *to, const void *from, size_t bytes);

/* Memory on the batch's device. Not in calls that queue: taking memory waits for the device. */
carom_status carom_device_take(const carom_worlds *worlds, size_t bytes, void **memory);
void carom_device_give(const carom_worlds *worlds, void *memory);

/* Copies between this processor and the batch's device, at once: the caller sees to it that the device is not using
 * the memory, by carom_device_wait(). */
carom_status carom_device_upload(const carom_worlds *worlds, void *to, const void *from, size_t bytes);
carom_status carom_device_download(const carom_worlds *worlds, void *to, const void *from, size_t bytes);

/* Waits for all that is queued on the batch's device. */
carom_status carom_device_wait(const carom_worlds *worlds);

/* Notes in the batch why a call is refused, as carom_worlds_refuse() does, and returns the status. For calls that take
 * their batch as const, too: the batch was made by the library, so that it is never const. */
__attribute__((format(printf, 3, 4))) carom_status carom_device_refuse(const carom_worlds *worlds, carom_status status,
                                                                       const char *format, ...);

#endif
