/* SPDX-License-Identifier: MIT
 * What nvcc is told before the sources of a device module, which are plain C and know nothing of CUDA: the build
 * includes this file by force, and compiles them as CUDA C++. Every `static` function and table is then the device's.
 */
#ifndef CAROM_DEVICE_NVCC_H
#define CAROM_DEVICE_NVCC_H

/* The system's headers come first: what is static there stays the host's. */
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
