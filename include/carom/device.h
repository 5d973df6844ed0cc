/* SPDX-License-Identifier: MIT
 * Devices: graphics processors on which batches of worlds live and play, with the same bits as on this processor.
 *
 *     carom_worlds_desc desc = carom_worlds_desc_default(game);
 *     desc.count = 262144;
 *     desc.device = carom_device_cuda(0);
 *     carom_worlds_create(&desc, &worlds);      if it is refused, carom_device_check(&desc, &problem) says why
 *     carom_step step = carom_step_default();
 *     step.actions = ...; step.observations = ...;             device memory
 *     step.stream = stream;
 *     carom_worlds_play(worlds, &step);                        queued on the stream; returns at once
 *     carom_worlds_wait(worlds);
 *
 * Queued calls. carom_worlds_play(), _expand(), _observe(), _observe_step(), _restart_queued(), carom_rollout(),
 * carom_rollout_draws() and the searches of search.h on a batch that lives on a device queue their work on the given
 * stream (the default stream if they take none) and return. All their arrays must be memory of that device, and must
 * not change until the work is done. They allocate nothing and wait for nothing, so a CUDA graph can capture them;
 * search.h names the few calls of searches that wait. As with all work on streams, the caller must order calls on one
 * batch that are queued on different streams.
 *
 * All other calls on such a batch (get and set, copy, hash, save, restart, ...) take arrays in this processor's memory,
 * as on any batch. They wait for all work queued on the device, and are complete when they return. Do not make them
 * while a stream of the device is being captured.
 *
 * Not on a device (CAROM_ERROR_UNSUPPORTED, with the reason in carom_worlds_problem()): scenes; `events`,
 * `event_counts` and `moved` of a step; recorders and replays; what rollout.h and search.h name. `cancel` and
 * `progress` of a step are used only between the launches of a call; a call has several only if policies play.
 *
 * Threads. Different threads may use different batches at the same time, also on one device, and may call all functions
 * below that take no batch.
 *
 * Errors of queued work are reported by carom_worlds_wait() or by a later call on the device, as CAROM_ERROR_DEVICE;
 * carom_worlds_problem() has the driver's message. The device then takes no more work from this process; batches on
 * this processor are unaffected.
 *
 * A child process forked after the parent has used a device cannot use it: every call on it returns CAROM_ERROR_DEVICE
 * there. The child may destroy such batches.
 *
 * The library contains no part of CUDA: it opens the driver's libcuda.so.1 when a device is first used. It uses the
 * device's primary context, like other libraries (PyTorch, JAX, the CUDA runtime), so that memory and streams can be
 * exchanged with them. Each call makes that context current for the call only.
 */
#ifndef CAROM_DEVICE_H
#define CAROM_DEVICE_H

#include <carom/game.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The number of CUDA device `index` for carom_worlds_desc.device and the functions below, in the driver's order
 * (respecting CUDA_VISIBLE_DEVICES). It is never 0, which means this processor. */
CAROM_API unsigned carom_device_cuda(unsigned index);

/* The number of usable CUDA devices. If there are none, *problem (may be NULL) says why: "no driver: libcuda.so.1:
 * ...", "this build has no programs for devices", ...; otherwise it is empty. */
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

/* Whether batches can be created with this desc on its device. If not, returns the status that carom_worlds_create()
 * would, unless memory is short, and *problem (may be NULL) says why. CAROM_OK if desc->device is 0.
 *     CAROM_ERROR_UNSUPPORTED   as above; or a game that plays on this processor only: scenes, and plug-in games built
 *                               without a program for devices */
CAROM_API carom_status carom_device_check(const carom_worlds_desc *desc, carom_problem *problem);

/* ---- queued work ---- */

/* Waits for all work queued on the device of this batch, and reports its errors. CAROM_OK at once for a batch on this
 * processor.
 *     CAROM_ERROR_DEVICE     the driver failed
 *     CAROM_ERROR_ARGUMENT   `rows`, `places` or `from` of a queued call named an entry that does not exist: the world
 *                            concerned did not change and has no outputs. Reported once */
CAROM_API carom_status carom_worlds_wait(carom_worlds *worlds);

/* carom_worlds_restart(), queued: mask, ids and seeds are device memory, and the worlds start their new games in the
 * stream's order. CAROM_ERROR_ARGUMENT for a batch on this processor. */
CAROM_API carom_status carom_worlds_restart_queued(carom_worlds *worlds, const uint8_t *mask, const uint64_t *ids,
                                                   const uint64_t *seeds, void *stream);

/* ---- memory of a device, for programs that have no other library for it ---- */

/* Allocates at least `bytes`, aligned to 256 bytes, not initialised. Free *memory with carom_device_release(); it is
 * NULL after an error. Errors are those of carom_device_describe(), and CAROM_ERROR_MEMORY. */
CAROM_API carom_status carom_device_allocate(unsigned device, size_t bytes, void **memory, carom_problem *problem);

/* Waits for all work queued on the device, then frees the memory. NULL is allowed. */
CAROM_API void carom_device_release(unsigned device, void *memory);

/* Copies from this processor's memory to the device's (write), or back (read). Each first waits for all work queued on
 * the device, and returns when the copy is complete. */
CAROM_API carom_status carom_device_write(unsigned device, void *to, const void *from, size_t bytes,
                                          carom_problem *problem);
CAROM_API carom_status carom_device_read(unsigned device, void *to, const void *from, size_t bytes,
                                         carom_problem *problem);

/* CAROM_OK if memory[bytes] is memory of this device, else CAROM_ERROR_ARGUMENT; *problem (may be NULL) says so. */
CAROM_API carom_status carom_device_owns(unsigned device, const void *memory, size_t bytes, carom_problem *problem);

/* Makes stream `later` wait, on the device, for everything now queued on stream `earlier`. Both are CUstreams; NULL:
 * the default stream. */
CAROM_API carom_status carom_device_order(unsigned device, void *earlier, void *later, carom_problem *problem);

#ifdef __cplusplus
}
#endif
#endif
