/* SPDX-License-Identifier: MIT
 * XLA's foreign function interface, as far as jax.c calls and is called by it: the layout in memory of what XLA hands
 * over. The interface is a stable binary one (version 0.x), whose reference is the header that jaxlib brings,
 * xla/ffi/api/c_api.h; python/tests/test_xla.py compares every member below with it, where JAX is installed.
 *
 * A structure begins with its size in bytes and a list of extensions (`xla_start`), and grows at its end only. Members
 * beyond those that are read here are left out, but where the structure is within another or an array of it is made.
 */
#ifndef CAROM_PYTHON_SRC_XLA_H
#define CAROM_PYTHON_SRC_XLA_H

#include <stddef.h>
#include <stdint.h>

/* The version that this file describes: another major one may have other layouts. */
enum { XLA_MAJOR = 0, XLA_MINOR = 3 };

/* Numbers that stand for things. */
enum {
    XLA_EXTENSION_METADATA = 1, /* xla_extension.type: XLA asks about the function instead of calling it */
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

/* What a function says about itself: it fills in `version` and `traits`. */
typedef struct xla_metadata {
    size_t size;
    xla_version version;
    uint32_t traits;
} xla_metadata;

typedef struct xla_metadata_extension {
    xla_extension start;
    xla_metadata *metadata;
} xla_metadata_extension;

/* An error is made by XLA, and XLA's from the moment that a function returns it. */
typedef struct xla_error xla_error;

typedef struct xla_error_arguments {
    xla_start start;
    const char *message; /* copied */
    int32_t code;
} xla_error_arguments;

/* The stream of a GPU on which a call's work belongs: `stream` is the answer, a CUstream. */
typedef struct xla_stream_arguments {
    xla_start start;
    void *context; /* the call's */
    void *stream;
} xla_stream_arguments;

/* What XLA offers. */
typedef struct xla_api {
    xla_start start;
    xla_version version;
    const void *inside;
    xla_error *(*make_error)(xla_error_arguments *arguments);
    const void *others[3];
    xla_error *(*stream)(xla_stream_arguments *arguments);
} xla_api;

/* An array: its numbers lie one after the other. */
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
    const char *bytes; /* no zero at the end */
    size_t length;
} xla_text;

/* What the compiled program holds for this call, by name. */
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

/* A function that XLA calls; NULL: all is well. */
typedef xla_error *xla_function(xla_call *call);

#endif
