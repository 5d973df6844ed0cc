/* SPDX-License-Identifier: MIT
 * Devices in use. A device is a unit once it has been asked for; units, their contexts and the modules loaded into them
 * stay until the process ends. The files of this folder, in the order of a batch's life:
 *
 *     cuda.c       the driver: found, opened, its errors in words
 *     device.c     units: which there are, their context; public memory of a device
 *     programs.c   modules: loaded, their entries, the memory that these need
 *     batch.c      a batch's memory; which batches a device can hold
 *     mirror.c     the batch on this processor's side: waiting, transfers, lock
 *     queue.c      what is queued: launches, copies within the device
 */
#ifndef CAROM_DEVICE_DEVICE_H
#define CAROM_DEVICE_DEVICE_H

#include <carom/device.h>

#include "device/batch.h"
#include "device/cuda.h"
#include "device/entry.h"

/* A lock that its holder may take again. */
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
    device_programs *next; /* of the unit's list */
};

struct device_unit {
    const cuda_driver *cuda;
    carom_device_info info;
    cuda_device device;
    cuda_context *context;   /* the primary one; NULL until a batch or memory is first asked for */
    cuda_stream *transfers;  /* for the copies of carom_device_read() and _write() */
    cuda_event *order;       /* for carom_device_order(); used under the lock */
    device_programs *loaded; /* read and changed under the lock of carom_device_lock() */
};

/* Finds a device, with its context. NULL and *status, *problem (may be NULL) as carom_device_describe() says. */
device_unit *carom_device_unit(unsigned device, carom_status *status, carom_problem *problem);

/* Makes the unit's context current in the calling thread; carom_device_leave() restores what was current before. An
 * error leaves nothing to restore. */
carom_status carom_device_enter(const device_unit *unit, carom_problem *problem);
void carom_device_leave(const device_unit *unit);

/* Protects the units' contexts and lists of modules. */
void carom_device_lock(void);
void carom_device_unlock(void);

/* Loads the module of that name, or finds it loaded. The unit's context is current. CAROM_ERROR_UNSUPPORTED: this build
 * does not have it, or the driver is too old for it. */
carom_status carom_device_load(device_unit *unit, const char *name, device_programs **programs, carom_problem *problem);

/* The entry of that name; NULL: the module does not have it. */
const device_entry *carom_device_find(const device_programs *programs, const char *name);

/* ---- batches ---- */

/* The name of the module that all games share. */
#define DEVICE_COMMON "common"

typedef struct device_mirror {
    carom_worlds *worlds;            /* the batch */
    cuda_stream *stream;             /* for transfers: not ordered with any other */
    carom_counters slots[ONE_SLOTS]; /* the batch's counters as they are on the device */
    device_mutex lock;               /* held while the mirror is open, and while a refusal is noted */
} device_mirror;

/* The lock, which its holder may take again. False: the system has no room for one. */
bool carom_batch_make_lock(device_mirror *mirror);
void carom_batch_unmake_lock(device_mirror *mirror);

/* Enters the batch's device; notes in the batch why, if that fails. */
carom_status carom_batch_enter(const carom_worlds *worlds);

/* Leaves it; if `result` is an error of doing `what`, notes it and returns its status. */
carom_status carom_batch_leave(const carom_worlds *worlds, cuda_result result, const char *what);

/* device_ops: see worlds/device.h. */
carom_status carom_batch_create(carom_worlds *worlds);
void carom_batch_destroy(carom_worlds *worlds);
carom_status carom_batch_open(const carom_worlds *worlds, size_t first, size_t count, unsigned parts);
carom_status carom_batch_close(const carom_worlds *worlds, size_t first, size_t count, unsigned changed);
const void *carom_batch_address(const carom_worlds *worlds);

#endif
