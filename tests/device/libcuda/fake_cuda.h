/* SPDX-License-Identifier: MIT
 * The tests' own libcuda.so.1: runs device code, translated to C, on the processor. This is its interface for tests.
 *
 * It is stricter than a driver, and does whatever a driver is allowed to do:
 *
 * - Device memory cannot be read or written by the process, except while a copy or a kernel runs. It is not zero at
 *   first, and what has been freed is never used again. A kernel that touches anything else in the device's range gives
 *   CUDA_ERROR_ILLEGAL_ADDRESS; bytes written just outside an allocation are detected after the kernel.
 * - Queued work runs only when a call waits for it, directly or through an event. The order of blocks, threads and
 *   streams is drawn from a seed.
 * - A call that allocates, frees, loads or waits while a stream is captured is an error, as is a kernel that is
 *   launched for the first time then, or needs more local memory than is reserved.
 * - A wrong context, an unknown or destroyed handle, a wrong size, and an address of host memory among a kernel's
 *   arguments are errors.
 * - After a kernel's error, every call in its context fails. In a forked child every call fails.
 *
 * These errors are counted as misuse and reported on stderr. Injected errors, and running out of memory, are not.
 *
 * The environment (read by cuInit):
 *     CAROM_FAKE_MODULES       a file whose lines are "HASH FILE": the 64-bit FNV-1a hash of a module's image in 16
 *                              hexadecimal digits, and the shared object of its translation
 *     CAROM_FAKE_SEED          of the orders (1)
 *     CAROM_FAKE_DEVICES       devices (1)
 *     CAROM_FAKE_MEMORY        bytes of memory of a device (1 GiB)
 *     CAROM_FAKE_VERSION       what cuDriverGetVersion() answers (13000)
 *     CAROM_FAKE_FAIL          errors, "CALL:NTH:CODE" with commas between: as fake_cuda_fail()
 *     CAROM_FAKE_STRICT        abort() at the first misuse
 */
#ifndef CAROM_TESTS_DEVICE_LIBCUDA_FAKE_CUDA_H
#define CAROM_TESTS_DEVICE_LIBCUDA_FAKE_CUDA_H

#include <stddef.h>
#include <stdint.h>

typedef struct fake_cuda_stats {
    /* That exist now, over all devices. */
    uint64_t allocations, bytes, host_allocations, streams, events, modules, graphs, execs;
    uint64_t retains; /* of primary contexts */
    uint64_t pushed;  /* contexts on the calling thread's stack */
    uint64_t pending; /* operations that are queued and have not run */
    /* Since the process began, or fake_cuda_start(). */
    uint64_t calls, launches, kernels, copies, waits, allocated, loads;
    uint64_t misuse;
} fake_cuda_stats;

fake_cuda_stats fake_cuda_count(void);

/* The misuse told last; "" if there was none. Valid until the next. */
const char *fake_cuda_misuse(void);

/* Resets the counters, removes injected errors, and draws orders from `seed`. */
void fake_cuda_start(uint64_t seed);

/* The `nth` call of `name` from now on, 1 being the next, fails with `code` and does nothing. "kernel" is the run of a
 * kernel, later than its launch; its error stays with the context. */
void fake_cuda_fail(const char *name, unsigned nth, int code);

/* Bytes of memory that a device has from now on. */
void fake_cuda_memory(size_t bytes);

/* Forgets the error of a kernel, as a new process would. */
void fake_cuda_heal(void);

/* Runs `entry` in the module that is linked into the test, instead of one found by its hash: `module` is a ptx_module
 * of ptx_module.h. NULL: no longer. */
void fake_cuda_use(const void *image, const void *module);

#endif
