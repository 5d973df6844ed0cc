/* SPDX-License-Identifier: MIT
 * A module of device programs translated from PTX to C (ptx2c.py): what the tests, and their libcuda, call.
 *
 * A translated module is a shared library or an object that defines one structure of this kind, with the module's name:
 * `ptx_module_csb_f64` in `ptx_csb_f64.so`. A library also has the name `ptx_module_loaded` for it, for dlsym().
 */
#ifndef CAROM_TESTS_DEVICE_PTX_MODULE_H
#define CAROM_TESTS_DEVICE_PTX_MODULE_H

#include <stddef.h>
#include <stdint.h>

/* Where a thread is in its launch: x, y, z. */
typedef struct ptx_place {
    uint32_t ctaid[3];  /* of its block */
    uint32_t ntid[3];   /* threads of a block */
    uint32_t tid[3];    /* of the thread in its block */
    uint32_t nctaid[3]; /* blocks */
} ptx_place;

/* An entry. thread() plays one thread from its beginning to its end, in the caller's floating-point environment, which
 * must be the default one. Threads interact only through atomic additions, so they may run in any order and in
 * parallel. */
typedef struct ptx_entry {
    const char *name;
    void (*thread)(const void *params, const ptx_place *place); /* params: the kernel's parameters as a launch lays
                                                                   them out, 16-byte aligned */
    size_t param_bytes;
    size_t local_bytes;   /* of local memory a thread, in its own frame */
    uint32_t max_threads; /* of a block, as the program promises by .maxntid; 0: nothing is promised */
} ptx_entry;

/* A variable in device memory: addresses in translated programs are those of the process. */
typedef struct ptx_global {
    const char *name;
    void *address;
    size_t bytes;
} ptx_global;

typedef struct ptx_module {
    const char *name;
    const ptx_entry *entries;
    size_t entry_count;
    const ptx_global *globals;
    size_t global_count;
} ptx_module;

#endif
