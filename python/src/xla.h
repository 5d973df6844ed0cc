/* SPDX-License-Identifier: MIT
 * The parts of XLA's foreign function interface that jax.c uses: the layout in memory of XLA's structures. The
 * interface is binary stable (version 0.x). Its reference is jaxlib's header xla/ffi/api/c_api.h; if JAX is installed,
 * python/tests/test_xla.py compares every member below with it.
 *
 * A structure begins with its size in bytes and a list of extensions (`xla_start`), and grows only at its end. Later
 * members that are not used here are left out, except in structures that are nested or in arrays.
 */
#ifndef CAROM_PYTHON_SRC_XLA_H
#define CAROM_PYTHON_SRC_XLA_H

#include <stddef.h>
#include <stdint.h>

/* The version that this file describes; another major version may have other layouts. */
enum { XLA_MAJOR = 0, XLA_MINOR = 3 };

/* Constants. */
enum {
    XLA_EXTENSION_METADATA = 1, /* xla_extension.type: XLA queries the function instead of calling it */
    XLA_INVALID_ARGUMENT = 3,   /* xla_error_arguments.code */
    XLA_S32 = 4,                /* xla_buffer.type */
    XLA_U8 = 6,
    XLA_U32 = 8,
    XLA_F32 = 11,
    XLA_STRING = 4 /* xla_attributes.types: the value is an xla_text */
};

typedef struct xla_extension {
    size_t size;
    int32_t type;
    struct xla_extension *next;
} xla_extension;

typedef struct xla_start {
    size_t size;
    xla_extension *extensions;
} xla_start;

typedef struct xla_version {
    xla_start start;
    int32_t major, minor;
} xla_version;

/* A function's description of itself: it fills in `version` and `traits`. */
typedef struct xla_metadata {
    size_t size;
    xla_version version;
    uint32_t traits;
} xla_metadata;

typedef struct xla_metadata_extension {
    xla_extension start;
    xla_metadata *metadata;
} xla_metadata_extension;

/* Errors are made by XLA; returning one passes its ownership to XLA. */
typedef struct xla_error xla_error;

typedef struct xla_error_arguments {
    xla_start start;
    const char *message; /* copied */
    int32_t code;
} xla_error_arguments;

/* Gets the GPU stream for the work of a call: `stream` is the result, a CUstream. */
typedef struct xla_stream_arguments {
    xla_start start;
    void *context; /* the call's */
    void *stream;
} xla_stream_arguments;

/* Functions of XLA. */
typedef struct xla_api {
    xla_start start;
    xla_version version;
    const void *inside;
    xla_error *(*make_error)(xla_error_arguments *arguments);
    const void *others[3];
    xla_error *(*stream)(xla_stream_arguments *arguments);
} xla_api;

/* A contiguous array. */
typedef struct xla_buffer {
    xla_start start;
    int32_t type;
    void *data;
    int64_t rank;
    int64_t *dims; /* [rank] */
} xla_buffer;

/* The arguments of a call, or its results. */
typedef struct xla_buffers {
    xla_start start;
    int64_t count;
    int32_t *types;       /* [count]: all of them are arrays */
    xla_buffer **buffers; /* [count] */
} xla_buffers;

typedef struct xla_text {
    const char *bytes; /* not null-terminated */
    size_t length;
} xla_text;

/* Attributes that the compiled program holds for this call, by name. */
typedef struct xla_attributes {
    xla_start start;
    int64_t count;
    int32_t *types;
    xla_text **names;
    void **values;
} xla_attributes;

typedef struct xla_call {
    xla_start start;
    const xla_api *api;
    void *context;
    int32_t stage;
    xla_buffers arguments, results;
    xla_attributes attributes;
} xla_call;

/* A function that XLA calls; returns NULL on success. */
typedef xla_error *xla_function(xla_call *call);

#endif
