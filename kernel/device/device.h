/* SPDX-License-Identifier: MIT
 * Devices in use. A device becomes a unit when it is first used; units, their contexts and their loaded modules stay
 * until the process ends. The files of this folder, in the order of a batch's life:
 *
 *     cuda.c       the driver: loading it, and its errors as text
 *     device.c     units: which there are, their contexts; public memory of a device
 *     programs.c   modules: loading them, their entries, and the memory that these need
 *     batch.c      a batch's memory; which batches can be on a device
 *     mirror.c     the batch's host side: waiting, transfers, lock
 *     queue.c      queueing: launches, copies within the device
 */
#ifndef CAROM_DEVICE_DEVICE_H
#define CAROM_DEVICE_DEVICE_H

#include <carom/device.h>

#include "device/batch.h"
#include "device/cuda.h"
#include "device/entry.h"

/* A recursive lock. */
#ifdef CAROM_HAVE_DLOPEN
#include <pthread.h>
typedef pthread_mutex_t device_mutex;
#else
typedef int device_mutex; /* without a driver there is nothing to protect */
#endif

/* An entry of a loaded module. */
typedef struct device_entry {
    const char *name; /* "step" */
    cuda_function *function;
    unsigned most_blocks; /* of a launch */
} device_entry;

#define DEVICE_MOST_ENTRIES 64

struct device_programs {
    char name[64]; /* of the module: "csb_f64" */
    device_entry entries[DEVICE_MOST_ENTRIES];
    size_t count;
    device_programs *next; /* in the unit's list */
};

struct device_unit {
    const cuda_driver *cuda;
    carom_device_info info;
    cuda_device device;
    cuda_context *context;   /* the primary one; NULL until a batch or memory first needs it */
    cuda_stream *transfers;  /* for the copies of carom_device_read() and _write() */
    cuda_event *order;       /* for carom_device_order(); used under the lock */
    device_programs *loaded; /* protected by carom_device_lock() */
};

/* Finds a device, with its context. On failure NULL, with *status and *problem (may be NULL) as for
 * carom_device_describe(). */
device_unit *carom_device_unit(unsigned device, carom_status *status, carom_problem *problem);

/* Makes the unit's context current in the calling thread; carom_device_leave() restores the previous one. After an
 * error there is nothing to restore. */
carom_status carom_device_enter(const device_unit *unit, carom_problem *problem);
void carom_device_leave(const device_unit *unit);

/* Protects the units' contexts and lists of modules. */
void carom_device_lock(void);
void carom_device_unlock(void);

/* Loads the module of that name, unless it is loaded already. The unit's context must be current.
 * CAROM_ERROR_UNSUPPORTED: this build does not have it, or the driver is too old for it. */
carom_status carom_device_load(device_unit *unit, const char *name, device_programs **programs, carom_problem *problem);

/* The entry of that name; NULL if the module does not have it. */
const device_entry *carom_device_find(const device_programs *programs, const char *name);

/* ---- batches ---- */

/* The name of the module that all games share. */
#define DEVICE_COMMON "common"

typedef struct device_mirror {
    carom_worlds *worlds;            /* the batch */
    cuda_stream *stream;             /* for transfers; not ordered with any other stream */
    carom_counters slots[ONE_SLOTS]; /* a copy of the batch's counters on the device */
    device_mutex lock;               /* held while the mirror is open, and while a refusal is noted */
} device_mirror;

/* A recursive lock. False if the system cannot make one. */
bool carom_batch_make_lock(device_mirror *mirror);
void carom_batch_unmake_lock(device_mirror *mirror);

/* Enters the batch's device. On failure notes the reason in the batch. */
carom_status carom_batch_enter(const carom_worlds *worlds);

/* Leaves it. If `result` is an error of `what`, notes it and returns its status. */
carom_status carom_batch_leave(const carom_worlds *worlds, cuda_result result, const char *what);

/* device_ops: see worlds/device.h. */
carom_status carom_batch_create(carom_worlds *worlds);
void carom_batch_destroy(carom_worlds *worlds);
carom_status carom_batch_open(const carom_worlds *worlds, size_t first, size_t count, unsigned parts);
carom_status carom_batch_close(const carom_worlds *worlds, size_t first, size_t count, unsigned changed);
const void *carom_batch_address(const carom_worlds *worlds);

#endif
