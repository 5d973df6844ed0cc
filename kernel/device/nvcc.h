/* SPDX-License-Identifier: MIT
 * Definitions for nvcc before the sources of a device module, which are plain C without any CUDA: the build
 * force-includes this file and compiles them as CUDA C++. Every `static` function and table is then the device's.
 */
#ifndef CAROM_DEVICE_NVCC_H
#define CAROM_DEVICE_NVCC_H

/* Include the system's headers first, so that their static functions stay the host's. */
#include <assert.h>
#include <float.h>
#include <stdalign.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "device/entry.h"

#define static static __device__

/* Builtins of gcc and clang that nvcc does not have; x is not 0. */
#define __builtin_ctz(x) (__ffs((int)(x)) - 1)
#define __builtin_ctzll(x) (__ffsll((long long)(x)) - 1)

#endif
