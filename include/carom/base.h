/* SPDX-License-Identifier: MIT
 * Version, status codes, precisions, instruction sets, threads: what every other header needs.
 *
 * Conventions of all Carom headers
 *   - Functions return a carom_status. Unless a comment says otherwise, an error leaves every output
 *     and every object as it was. The library never prints, exits or aborts.
 *   - Functions may be called from any thread. One object must not be used by two calls at once unless
 *     both take it as const.
 *   - Fill a descriptor with its `..._default()` function, then change what you need. Its first field is its
 *     own size, by which a zeroed or an older struct is recognised.
 *   - The caller's floating-point environment (rounding, flush-to-zero, exception masks) does not affect
 *     results, and the library leaves it as it is.
 *   - Promised stable: results are the same bits on every instruction set, compiler, thread count, batch
 *     size and place in the batch, within one version of Carom. Games with a published referee or engine
 *     reproduce it: their headers say how exactly.
 */
#ifndef CAROM_BASE_H
#define CAROM_BASE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#if defined(_WIN32) && defined(CAROM_BUILD)
#define CAROM_API __declspec(dllexport)
#elif defined(_WIN32)
#define CAROM_API
#else
#define CAROM_API __attribute__((visibility("default")))
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* The version. meson.build reads these three lines. */
#define CAROM_VERSION_MAJOR 0
#define CAROM_VERSION_MINOR 1
#define CAROM_VERSION_PATCH 0

/* "major.minor.patch" of the linked library. */
CAROM_API const char *carom_version(void);

/* Compiler and flags that built the library, one line. */
CAROM_API const char *carom_build_info(void);

typedef enum carom_status {
    CAROM_OK = 0,
    CAROM_ERROR_ARGUMENT,    /* a null pointer, an index or a count out of range, a descriptor of the wrong size */
    CAROM_ERROR_VALUE,       /* the game does not allow a number in a state or an option */
    CAROM_ERROR_MEMORY,      /* more memory than the machine (or its control group) has left */
    CAROM_ERROR_SIZE,        /* a caller's buffer is too small, or its size is not the expected one */
    CAROM_ERROR_FORMAT,      /* a saved buffer is foreign, damaged, or of another version or batch shape; a text is not
                                a scene; a file is not a game of this version */
    CAROM_ERROR_UNSUPPORTED, /* an instruction set that is unknown, not built or not usable on this machine; a part
                                that this build lacks */
    CAROM_ERROR_CANCELLED,   /* the caller's cancel flag was raised; the comment says what is complete */
    CAROM_ERROR_DEVICE /* a device or its driver failed: carom_worlds_problem() has the driver's message (device.h) */
} carom_status;

/* One lower-case sentence, never NULL. */
CAROM_API const char *carom_status_string(carom_status status);

/* One line on what is wrong, from functions that can say more than a status: "body 7: radius -1 is negative"; empty if
 * nothing is. */
typedef struct carom_problem {
    char text[256];
} carom_problem;

typedef enum carom_precision { CAROM_F32 = 32, CAROM_F64 = 64 } carom_precision;

/* Instruction sets. Each is one build of the same source; all give the same bits. */
typedef enum carom_isa {
    CAROM_ISA_DEFAULT = 0, /* what the environment variable CAROM_ISA names, else the fastest usable */
    CAROM_ISA_SCALAR,      /* one lane, plain C */
    CAROM_ISA_SSE4,        /* 128 bits, SSE4.1 */
    CAROM_ISA_NEON,        /* 128 bits, AArch64 */
    CAROM_ISA_AVX2,        /* 256 bits */
    CAROM_ISA_AVX512,      /* 512 bits, AVX-512 F, DQ, BW and VL */
    CAROM_ISA_WASM128,     /* 128 bits, WebAssembly SIMD */
    CAROM_ISA_COUNT
} carom_isa;

/* "default", "scalar", "sse4", "neon", "avx2", "avx512", "wasm128"; NULL outside the enumeration. */
CAROM_API const char *carom_isa_name(carom_isa isa);

/* The instruction set of that name. CAROM_ERROR_UNSUPPORTED for an unknown one. */
CAROM_API carom_status carom_isa_from_name(const char *name, carom_isa *isa);

/* Whether this library contains the instruction set, and whether this machine and its operating system can also run
 * it. */
CAROM_API bool carom_isa_built(carom_isa isa);
CAROM_API bool carom_isa_usable(carom_isa isa);

/* Lanes of one register: 1, 2, 4, 8 or 16. 0 for CAROM_ISA_DEFAULT and outside the enumerations. */
CAROM_API unsigned carom_isa_lanes(carom_isa isa, carom_precision precision);

/* The instruction set that CAROM_ISA_DEFAULT now means. CAROM_ERROR_UNSUPPORTED if the environment variable CAROM_ISA
 * (read at the first use) names an instruction set that is unknown or not usable: it is never ignored. */
CAROM_API carom_status carom_isa_current(carom_isa *isa);

/* Makes CAROM_ISA_DEFAULT mean `isa` in the whole process; isa = CAROM_ISA_DEFAULT restores the environment's choice.
 * Existing worlds keep theirs. May be called at any time from any thread. */
CAROM_API carom_status carom_isa_force(carom_isa isa);

/* ---- threads and processes ----
 *
 * The calling thread works on a call, and other threads help it. Meson's option `threads` (pool, openmp, none) chooses
 * these when the library is built. Threads of the pool, the default, start when a call first needs them, block signals
 * meant for the program, sleep when idle, and end when the library is unloaded or the program exits.
 *
 * A child process forked after the parent has used threads - Carom's own, or OpenMP's in another library - may call
 * Carom just as the parent may: it gets the same results and never waits for threads that it does not have. With the
 * pool the child starts its own threads. With OpenMP, which a forked child must not use, calls of a child forked after
 * the library was loaded run on one thread. (A child that loads an OpenMP build itself cannot notice the fork.) If
 * another thread was working on a batch at the moment of the fork, the child may only destroy that batch. If a scene's
 * hook forks, the hook must not return in the child: end it by exec or _exit(). */

#define CAROM_MAX_THREADS 1024 /* the most that a call uses */

/* Threads that a batch uses by default: the number of hardware threads on which the calling thread may run
 * (sched_setaffinity), limited by the CPU quota of the process's control groups, rounded up, and by the environment
 * variable OMP_NUM_THREADS. At least 1; 1 where calls always run on one thread. */
CAROM_API unsigned carom_threads(void);

/* On Linux a batch may list the processors on which its calls run (carom_worlds_desc.affinity). Helping threads and,
 * for the duration of the call, the calling thread run only there, and at creation these threads touch the batch's
 * memory first. So several processes, or several batches used by different threads, share a machine without migrating
 * each other's threads. Results do not depend on it.
 *
 * Checks that the calling thread may use this list; if not, *problem (may be NULL) gets the reason.
 *     CAROM_ERROR_ARGUMENT      NULL or an empty list
 *     CAROM_ERROR_VALUE         a processor that is listed twice, or on which the calling thread may not run
 *     CAROM_ERROR_UNSUPPORTED   the system is not Linux */
CAROM_API carom_status carom_affinity_check(const unsigned *processors, size_t count, carom_problem *problem);

#ifdef __cplusplus
}
#endif
#endif
