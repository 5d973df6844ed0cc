/* SPDX-License-Identifier: MIT
 * The parts of DLPack 1, the exchange of arrays between libraries, that device.c uses. The layout in memory is a stable
 * binary interface; python/tests/test_device.py exchanges arrays with NumPy and PyTorch.
 */
#ifndef CAROM_PYTHON_SRC_DLPACK_H
#define CAROM_PYTHON_SRC_DLPACK_H

#include <stdint.h>

enum { DLPACK_MAJOR = 1, DLPACK_MINOR = 0 };
enum { DLPACK_CUDA = 2 };      /* dlpack_device.kind */
enum { DLPACK_READ_ONLY = 1 }; /* dlpack_versioned.flags */

typedef struct dlpack_device {
    int32_t kind, index;
} dlpack_device;

typedef struct dlpack_type {
    uint8_t code; /* 0 int, 1 unsigned, 2 float, 6 bool */
    uint8_t bits;
    uint16_t lanes; /* numbers of an element */
} dlpack_type;

typedef struct dlpack_tensor {
    void *data;
    dlpack_device device;
    int32_t rank;
    dlpack_type type;
    int64_t *shape;
    int64_t *strides; /* in elements; NULL: contiguous */
    uint64_t byte_offset;
} dlpack_tensor;

/* The contents of a capsule "dltensor". The consumer renames the capsule, and calls the deleter when done. */
typedef struct dlpack_managed {
    dlpack_tensor tensor;
    void *context;
    void (*deleter)(struct dlpack_managed *self);
} dlpack_managed;

/* The contents of a capsule "dltensor_versioned". */
typedef struct dlpack_versioned {
    struct {
        uint32_t major, minor;
    } version;
    void *context;
    void (*deleter)(struct dlpack_versioned *self);
    uint64_t flags;
    dlpack_tensor tensor;
} dlpack_versioned;

#endif
