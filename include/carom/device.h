/* SPDX-License-Identifier: MIT
 * Devices: graphics processors on which batches of worlds live and play, with the same bits as on this processor.
 *
 *     carom_worlds_desc desc = carom_worlds_desc_default(game);
 *     desc.count = 262144;
 *     desc.device = carom_device_cuda(0);
 *     carom_worlds_create(&desc, &worlds);      carom_device_check(&desc, &problem) tells why, if that is refused
 *     carom_step step = carom_step_default();
 *     step.actions = ...; step.observations = ...;             device memory
 *     step.stream = stream;
 *     carom_worlds_play(worlds, &step);                        queued on the stream; returns at once
 *     carom_worlds_wait(worlds);
 *
 * Queued calls. carom_worlds_play(), _expand(), _observe(), _observe_step(), _restart_queued(), carom_rollout(),
 * carom_rollout_draws() and the searches of search.h on a batch that lives on a device queue their work on the stream
 * that they are given (the default stream if they take none), and return. Every array that they are given is memory of
 * that device, which must stay as it is until the work is done. They allocate nothing and wait for nothing, so a CUDA
 * graph can capture them; search.h names the few calls of searches that wait. As with all work on streams, calls on one
 * batch that are queued on different streams must be ordered by the caller.
 *
 * All other calls on such a batch (get and set, copy, hash, save, restart, ...) take arrays of this processor's memory,
 * as on any batch. They wait until the device has done all that is queued on it, and are complete when they return.
 * Do not make them while a stream of the device is being captured.
 *
 * Threads. Different threads may use different batches at the same time, also batches of one device, and all functions
 * below that take no batch.
 *
 * Errors of queued work are reported by carom_worlds_wait() or by a later call on the device, as CAROM_ERROR_DEVICE;
 * carom_worlds_problem() says what the driver said. The device then takes no more work from this process; batches on
 * this processor are unaffected.
 *
 * A child process that was forked after the parent has used a device cannot use it: every call on it returns
 * CAROM_ERROR_DEVICE there. It may destroy such batches.
 *
 * The library has no part of CUDA in it: it opens the driver's libcuda.so.1 when a device is first asked for. It uses
 * the device's primary context, which other libraries (PyTorch, JAX, the CUDA runtime) use, too; so memory and streams
 * can be exchanged with them. Each call makes it current for the call only.
 */
#ifndef CAROM_DEVICE_H
#define CAROM_DEVICE_H

#include <carom/game.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The number by which carom_worlds_desc.device and the functions below name CUDA device `index`, in the driver's order
 * (CUDA_VISIBLE_DEVICES counts). 0 is no device: it is this processor. */
CAROM_API unsigned carom_device_cuda(unsigned index);

/* CUDA devices that can be used. If there are none, problem (may be NULL) says why: "no driver: libcuda.so.1: ...",
 * "this build has no programs for devices", ...; otherwise it is empty. */
CAROM_API unsigned carom_device_count(carom_problem *problem);

typedef struct carom_device_info {
    char name[128];        /* "NVIDIA H100 80GB HBM3" */
    const char *kind;      /* "cuda" */
    unsigned index;        /* among the devices of its kind */
    uint64_t memory;       /* bytes */
    unsigned processors;   /* multiprocessors */
    unsigned major, minor; /* compute capability: 9.0 */
    unsigned driver;       /* the newest CUDA version that the driver supports, as 1000 * major + 10 * minor: 12040 */
} carom_device_info;

/* Describes a device. On error *info is unchanged and problem (may be NULL) says why.
 *     CAROM_ERROR_ARGUMENT      there is no device of this number
 *     CAROM_ERROR_UNSUPPORTED   no driver, or an older one than Carom needs, or this build has no programs for devices
 *     CAROM_ERROR_DEVICE        the driver failed */
CAROM_API carom_status carom_device_describe(unsigned device, carom_device_info *info, carom_problem *problem);

/* Can batches be made with this desc on its device? If not, this is the status that carom_worlds_create() gives,
 * unless memory is short, and problem (may be NULL) says why. CAROM_OK if desc->device is 0.
 *     CAROM_ERROR_UNSUPPORTED   as above; or a game that plays on this processor only: scenes, games from outside that
 *                               were built without a program for devices */
CAROM_API carom_status carom_device_check(const carom_worlds_desc *desc, carom_problem *problem);

/* ---- queued work ---- */

/* Waits until the device of this batch has done all that is queued on it, and reports what went wrong in it. CAROM_OK
 * at once for a batch on this processor. */
CAROM_API carom_status carom_worlds_wait(carom_worlds *worlds);

/* carom_worlds_restart(), queued: mask, ids and seeds are device memory, and the worlds begin their new games when the
 * stream gets there. CAROM_ERROR_ARGUMENT for a batch on this processor. */
CAROM_API carom_status carom_worlds_restart_queued(carom_worlds *worlds, const uint8_t *mask, const uint64_t *ids,
                                                   const uint64_t *seeds, void *stream);

/* ---- memory of a device, for programs that have no other library for it ---- */

/* Allocates at least `bytes`, aligned to 256 bytes, not initialised. *memory is the caller's, to be released by
 * carom_device_release(); NULL after an error: those of carom_device_describe(), and CAROM_ERROR_MEMORY. */
CAROM_API carom_status carom_device_allocate(unsigned device, size_t bytes, void **memory, carom_problem *problem);

/* Waits until the device has done all that is queued on it, then frees the memory. NULL is allowed. */
CAROM_API void carom_device_release(unsigned device, void *memory);

/* Copies from this processor's memory to the device's (write), or back (read). Each waits first until the device has
 * done all that is queued on it, and returns when the copy is complete. */
CAROM_API carom_status carom_device_write(unsigned device, void *to, const void *from, size_t bytes,
                                          carom_problem *problem);
CAROM_API carom_status carom_device_read(unsigned device, void *to, const void *from, size_t bytes,
                                         carom_problem *problem);

/* Is memory[bytes] memory of this device? CAROM_ERROR_ARGUMENT if not; problem (may be NULL) says so. */
CAROM_API carom_status carom_device_owns(unsigned device, const void *memory, size_t bytes, carom_problem *problem);

/* Makes stream `later` wait, on the device, for all that is queued on stream `earlier` now. Both are CUstreams; NULL:
 * the default stream. */
CAROM_API carom_status carom_device_order(unsigned device, void *earlier, void *later, carom_problem *problem);

#ifdef __cplusplus
}
#endif
#endif
