/* SPDX-License-Identifier: MIT
 * The entries of a device module: functions that the host launches with one thread per world, or per item of the task.
 * The build force-includes this file before the sources of a module, which it compiles with CAROM_DEVICE set.
 *
 * A module is one source file. Its programs are plain C functions
 *
 *     static void program(const TASK *task, size_t thread)
 *
 * where TASK is a structure of numbers and device addresses, at most 4 KB, that begins with `uint64_t threads`; the
 * program is called once for every thread below that. DEVICE_ENTRY(name, TASK, program), placed after the program,
 * makes it the entry `carom_entry_<name>`, which is launched on a one-dimensional grid of blocks of DEVICE_BLOCK
 * threads. Any number of blocks will do: with fewer threads than the task needs, each runs several in turn. So the host
 * can bound the number of resident threads, and with it the local memory that they use.
 */
#ifndef CAROM_DEVICE_ENTRY_H
#define CAROM_DEVICE_ENTRY_H

#include <stddef.h>
#include <stdint.h>

#define DEVICE_BLOCK 128 /* threads; four warps */

#if defined(__CUDACC__)
#define DEVICE_KERNEL extern "C" __global__ __launch_bounds__(DEVICE_BLOCK)
#define DEVICE_BLOCK_NUMBER blockIdx.x
#define DEVICE_BLOCK_COUNT gridDim.x
#define DEVICE_THREAD_NUMBER threadIdx.x
#else
#define DEVICE_KERNEL __attribute__((nvptx_kernel))
#define DEVICE_BLOCK_NUMBER __nvvm_read_ptx_sreg_ctaid_x()
#define DEVICE_BLOCK_COUNT __nvvm_read_ptx_sreg_nctaid_x()
#define DEVICE_THREAD_NUMBER __nvvm_read_ptx_sreg_tid_x()
#endif

#define DEVICE_ENTRY(name, TASK, program)                                                                              \
    DEVICE_KERNEL void carom_entry_##name(const TASK task)                                                             \
    {                                                                                                                  \
        const size_t step = (size_t)DEVICE_BLOCK_COUNT * DEVICE_BLOCK;                                                 \
        for (size_t thread = (size_t)DEVICE_BLOCK_NUMBER * DEVICE_BLOCK + DEVICE_THREAD_NUMBER; thread < task.threads; \
             thread += step) {                                                                                         \
            program(&task, thread);                                                                                    \
        }                                                                                                              \
    }

#endif
