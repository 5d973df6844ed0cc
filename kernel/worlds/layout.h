/* SPDX-License-Identifier: MIT
 * The field table, and loops over it that the files of this folder share. */
#ifndef CAROM_WORLDS_LAYOUT_H
#define CAROM_WORLDS_LAYOUT_H

#include <string.h>

#include "base/parallel.h"
#include "worlds/worlds.h"

/* Indices of the common fields in the table: FIELD_id and so on. */
#define FIELD_PLACE(name, count, role) FIELD_##name,
enum { WORLD_INT32_FIELDS(FIELD_PLACE) WORLD_INT8_FIELDS(FIELD_PLACE) FIELD_COMMON };
#undef FIELD_PLACE

/* The layout of a type's tiles. CAROM_ERROR_MEMORY if the table cannot be allocated or the tile is too large. */
carom_status carom_layout_create(const world_type *type, carom_precision precision, world_layout *layout);
void carom_layout_destroy(world_layout *layout);

/* Bytes of one world's part of a field, packed. */
static inline size_t field_bytes(const carom_field *field)
{
    return (size_t)field->count * field->bytes;
}

/* Element 0 of a field of the world in `lane`; the next element is field_stride() bytes further. */
static inline void *field_at(const carom_field *field, void *tile, unsigned lane)
{
    return (unsigned char *)tile + field->offset + (size_t)lane * field->bytes;
}

static inline const void *field_in(const carom_field *field, const void *tile, unsigned lane)
{
    return (const unsigned char *)tile + field->offset + (size_t)lane * field->bytes;
}

static inline size_t field_stride(const world_layout *layout, const carom_field *field)
{
    return (size_t)layout->lanes * field->bytes;
}

/* The element at `at` as a number. */
static inline double field_number(const carom_field *field, const void *at)
{
    float f32;
    double f64;
    int32_t i32;
    int16_t i16;
    int8_t i8;
    switch (field->type) {
    case CAROM_TYPE_REAL:
        if (field->bytes == sizeof f32) {
            memcpy(&f32, at, sizeof f32);
            return (double)f32;
        }
        break;
    case CAROM_TYPE_INT32:
        memcpy(&i32, at, sizeof i32);
        return i32;
    case CAROM_TYPE_INT16:
        memcpy(&i16, at, sizeof i16);
        return i16;
    case CAROM_TYPE_INT8:
        memcpy(&i8, at, sizeof i8);
        return i8;
    }
    memcpy(&f64, at, sizeof f64);
    return f64;
}

/* Copies a field's elements; the strides are bytes from one element to the next. */
static inline void field_copy(const carom_field *field, void *to, size_t to_stride, const void *from,
                              size_t from_stride)
{
#define COPY_ELEMENTS(bytes)                                                                                           \
    for (size_t e = 0; e < field->count; ++e) {                                                                        \
        memcpy((unsigned char *)to + e * to_stride, (const unsigned char *)from + e * from_stride, bytes);             \
    }                                                                                                                  \
    break
    switch (field->bytes) { /* with a constant size each memcpy is one move */
    case 1:
        COPY_ELEMENTS(1);
    case 2:
        COPY_ELEMENTS(2);
    case 4:
        COPY_ELEMENTS(4);
    default:
        COPY_ELEMENTS(8);
    }
#undef COPY_ELEMENTS
}

/* Is [first, first + count) within the batch? */
static inline bool in_range(const carom_worlds *worlds, size_t first, size_t count)
{
    return first <= worlds->desc.count && count <= worlds->desc.count - first;
}

/* Calls body for every tile that holds a world of [first, first + count), in parallel on the batch's threads. The item
 * is the tile's number. */
void carom_worlds_each_tile(const carom_worlds *worlds, size_t first, size_t count, parallel_body *body,
                            void *argument);

/* The lanes of a tile that hold worlds of [first, first + count). */
typedef struct lane_span {
    unsigned begin, end;
} lane_span;

static inline lane_span lanes_within(const world_layout *layout, size_t tile, size_t first, size_t count)
{
    const size_t start = tile * layout->lanes;
    const size_t end = first + count - start;
    const lane_span span = {first > start ? (unsigned)(first - start) : 0,
                            end < layout->lanes ? (unsigned)end : layout->lanes};
    return span;
}

/* From now on all worlds use the batch's seed. */
void carom_worlds_forget_seeds(carom_worlds *worlds);

/* Sets the sums of rewards of these worlds to 0, as at the start of a game. */
void carom_worlds_forget_sums(const carom_worlds *worlds, size_t first, size_t count);

/* Copies worlds [first, first + count) out of or into the batch: one field, packed [world][element], or, with field
 * NULL, whole records. The caller has checked the range. If any value is not allowed, carom_worlds_put() changes
 * nothing and returns CAROM_ERROR_VALUE; otherwise it recomputes derived fields. */
void carom_worlds_fetch(const carom_worlds *worlds, const carom_field *field, size_t first, size_t count, void *values);
carom_status carom_worlds_put(carom_worlds *worlds, const carom_field *field, size_t first, size_t count,
                              const void *values);

#endif
