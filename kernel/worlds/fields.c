/* SPDX-License-Identifier: MIT
 * The table of fields, with their offsets in a tile, and access to the state through it: single fields, whole records,
 * views. */
#include <assert.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>

#include "base/little.h"
#include "base/memory.h"
#include "worlds/device.h"
#include "worlds/layout.h"

/* ---- the table: made from a type's list of fields, as worlds.h describes ---- */

/* The fields of every world, in the order of WORLD_INT32_FIELDS and WORLD_INT8_FIELDS. */
static const field_spec common_fields[] = {
#define COMMON_INT32(name, count, role) {#name, CAROM_TYPE_INT32, CAROM_ROLE_##role, count},
#define COMMON_INT8(name, count, role) {#name, CAROM_TYPE_INT8, CAROM_ROLE_##role, count},
    WORLD_INT32_FIELDS(COMMON_INT32) WORLD_INT8_FIELDS(COMMON_INT8)
#undef COMMON_INT32
#undef COMMON_INT8
};

static_assert(sizeof common_fields / sizeof common_fields[0] == FIELD_COMMON, "the places name the table's rows");

/* Bytes of one element. */
static uint32_t type_bytes(carom_type type, carom_precision precision)
{
    switch (type) {
    case CAROM_TYPE_REAL:
        return precision == CAROM_F64 ? 8 : 4;
    case CAROM_TYPE_INT32:
        return 4;
    case CAROM_TYPE_INT16:
        return 2;
    case CAROM_TYPE_INT8:
        return 1;
    }
    return 0;
}

carom_status carom_layout_create(const world_type *type, carom_precision precision, world_layout *layout)
{
    const size_t count = FIELD_COMMON + type->field_count;
    carom_field *fields = (carom_field *)calloc(count, sizeof *fields);
    if (!fields) {
        return CAROM_ERROR_MEMORY;
    }

    /* The common fields come first. Derived fields are not in records. */
    size_t record_bytes = 0;
    for (size_t i = 0; i < count; ++i) {
        const field_spec *spec = i < FIELD_COMMON ? &common_fields[i] : &type->fields[i - FIELD_COMMON];
        fields[i].name = spec->name;
        fields[i].type = spec->type;
        fields[i].role = spec->role;
        fields[i].count = spec->count;
        fields[i].bytes = type_bytes(spec->type, precision);
        record_bytes += spec->role == CAROM_ROLE_DERIVED ? 0 : field_bytes(&fields[i]);
    }

    /* Place the fields by the size of their type, largest first, so that each row is aligned without padding. */
    layout->lanes = type->large[precision == CAROM_F64] ? 1 : CAROM_TILE;
    static const carom_type order[] = {CAROM_TYPE_REAL, CAROM_TYPE_INT32, CAROM_TYPE_INT16, CAROM_TYPE_INT8};
    size_t offset = 0;
    for (size_t group = 0; group < sizeof order / sizeof order[0]; ++group) {
        for (size_t i = 0; i < count; ++i) {
            if (fields[i].type == order[group]) {
                fields[i].offset = (uint32_t)offset;
                offset += layout->lanes * field_bytes(&fields[i]);
            }
        }
    }

    if (offset > UINT32_MAX || !size_align(offset, &layout->tile_bytes)) {
        free(fields);
        return CAROM_ERROR_MEMORY;
    }
    layout->fields = fields;
    layout->count = count;
    layout->record_bytes = record_bytes;
    return CAROM_OK;
}

void carom_layout_destroy(world_layout *layout)
{
    free(layout->fields);
    layout->fields = NULL;
}

/* ---- access ---- */

size_t carom_worlds_field_count(const carom_worlds *worlds)
{
    return worlds ? worlds->layout.count : 0;
}

carom_status carom_worlds_field(const carom_worlds *worlds, size_t index, carom_field *field)
{
    if (!worlds || !field || index >= worlds->layout.count) {
        return CAROM_ERROR_ARGUMENT;
    }
    *field = worlds->layout.fields[index];
    return CAROM_OK;
}

carom_status carom_worlds_find_field(const carom_worlds *worlds, const char *name, size_t *index)
{
    if (!worlds || !name || !index) {
        return CAROM_ERROR_ARGUMENT;
    }
    for (size_t i = 0; i < worlds->layout.count; ++i) {
        if (strcmp(worlds->layout.fields[i].name, name) == 0) {
            *index = i;
            return CAROM_OK;
        }
    }
    return CAROM_ERROR_ARGUMENT;
}

carom_status carom_worlds_view(const carom_worlds *worlds, size_t index, carom_view *view)
{
    if (!worlds || !view || index >= worlds->layout.count) {
        return CAROM_ERROR_ARGUMENT;
    }
    const carom_field *field = &worlds->layout.fields[index];
    const void *tiles = carom_is_on_device(worlds) ? carom_device_ops.address(worlds) : worlds->data;
    *view = (carom_view){.data = field_in(field, tiles, 0),
                         .type = field->type,
                         .worlds = worlds->desc.count,
                         .elements = field->count,
                         .lanes = worlds->layout.lanes,
                         .tile_stride = worlds->layout.tile_bytes,
                         .element_stride = field_stride(&worlds->layout, field),
                         .lane_stride = field->bytes};
    return CAROM_OK;
}

static bool within(int64_t least, int64_t value, int64_t greatest)
{
    return least <= value && value <= greatest;
}

bool carom_tile_check(const carom_worlds *worlds, const void *tile, unsigned lane)
{
    const carom_field *fields = worlds->layout.fields;
    int32_t episode, tick;
    int8_t end, fault, frozen;
    memcpy(&episode, field_in(&fields[FIELD_episode], tile, lane), sizeof episode);
    memcpy(&tick, field_in(&fields[FIELD_tick], tile, lane), sizeof tick);
    memcpy(&end, field_in(&fields[FIELD_end], tile, lane), sizeof end);
    memcpy(&fault, field_in(&fields[FIELD_fault], tile, lane), sizeof fault);
    memcpy(&frozen, field_in(&fields[FIELD_frozen], tile, lane), sizeof frozen);
    return episode >= 0 && tick >= 0 && within(0, end, 2) && within(0, frozen, 1) &&
           within(0, fault, CAROM_FAULT_EVENTS | CAROM_FAULT_NAN | CAROM_FAULT_RANGE) &&
           world_ops_of(worlds)->check(worlds->context, tile, lane);
}

/* A transfer between the batch and packed values. */
typedef struct transfer {
    const carom_worlds *worlds;
    const carom_field *field; /* NULL: whole records */
    size_t first, count;      /* the worlds */
    unsigned char *out;       /* where to read the values to */
    const unsigned char *in;  /* where the values to write are */
    bool trial;               /* write to a scratch tile, to check the values */
    atomic_bool refused;      /* some world's values are not allowed */
    atomic_size_t where;      /* which world; with a single thread, the first one */
} transfer;

/* Bytes of one world's part of a field, or of its record (field NULL). */
static size_t bytes_of(const carom_worlds *worlds, const carom_field *field)
{
    return field ? field_bytes(field) : worlds->layout.record_bytes;
}

/* Reads the values of one tile's worlds. */
static void fetch_tile(void *argument, size_t tile, unsigned thread)
{
    (void)thread;
    const transfer *job = (const transfer *)argument;
    const world_layout *layout = &job->worlds->layout;
    const void *data = carom_worlds_tile(job->worlds, tile);

    const lane_span lanes = lanes_within(layout, tile, job->first, job->count);
    const size_t bytes = bytes_of(job->worlds, job->field);
    unsigned char *out = job->out + (tile * layout->lanes + lanes.begin - job->first) * bytes;

    for (unsigned lane = lanes.begin; lane < lanes.end; ++lane) {
        if (job->field) {
            field_copy(job->field, out, job->field->bytes, field_in(job->field, data, lane),
                       field_stride(layout, job->field));
            out += bytes;
            continue;
        }

        /* A record is all fields in table order, except derived ones. */
        for (size_t i = 0; i < layout->count; ++i) {
            const carom_field *field = &layout->fields[i];
            if (field->role != CAROM_ROLE_DERIVED) {
                field_copy(field, out, field->bytes, field_in(field, data, lane), field_stride(layout, field));
                little_copy(out, out, field->count, field->bytes);
                out += field_bytes(field);
            }
        }
    }
}

void carom_worlds_fetch(const carom_worlds *worlds, const carom_field *field, size_t first, size_t count, void *values)
{
    transfer job = {.worlds = worlds, .field = field, .first = first, .count = count, .out = (unsigned char *)values};
    carom_worlds_each_tile(worlds, first, count, fetch_tile, &job);
}

/* Writes a field of the world in `lane` from a record, whose numbers are little-endian. */
static inline void put_recorded(const world_layout *layout, const carom_field *field, void *tile, unsigned lane,
                                const unsigned char *in)
{
    unsigned char *to = (unsigned char *)field_at(field, tile, lane);
    const size_t stride = field_stride(layout, field);
    field_copy(field, to, stride, in, field->bytes);
    for (uint32_t e = 0; e < field->count && !LITTLE_ENDIAN_MACHINE; ++e) {
        little_copy(to + e * stride, to + e * stride, 1, field->bytes);
    }
}

/* Writes the values of one tile's worlds, or checks them. */
static void put_tile(void *argument, size_t tile, unsigned thread)
{
    transfer *job = (transfer *)argument;
    const carom_worlds *worlds = job->worlds;
    const world_layout *layout = &worlds->layout;
    void *data = carom_worlds_tile(worlds, tile);

    /* A trial leaves the batch unchanged. It stops early once any thread has found a value that is not allowed. */
    if (job->trial) {
        if (atomic_load_explicit(&job->refused, memory_order_relaxed)) {
            return;
        }
        data = memcpy(worlds->scratch + thread * worlds->scratch_bytes, data, layout->tile_bytes);
    }

    const lane_span lanes = lanes_within(layout, tile, job->first, job->count);
    const size_t bytes = bytes_of(worlds, job->field);
    const unsigned char *in = job->in + (tile * layout->lanes + lanes.begin - job->first) * bytes;

    for (unsigned lane = lanes.begin; lane < lanes.end; ++lane) {
        if (job->field) {
            field_copy(job->field, field_at(job->field, data, lane), field_stride(layout, job->field), in,
                       job->field->bytes);
            in += bytes;
        } else {
            for (size_t i = 0; i < layout->count; ++i) {
                const carom_field *field = &layout->fields[i];
                if (field->role != CAROM_ROLE_DERIVED) {
                    put_recorded(layout, field, data, lane, in);
                    in += field_bytes(field);
                }
            }
        }

        if (!job->trial) {
            world_ops_of(worlds)->derive(worlds->context, data, lane);
        } else if (!carom_tile_check(worlds, data, lane)) {
            atomic_store_explicit(&job->where, tile * layout->lanes + lane, memory_order_relaxed);
            atomic_store_explicit(&job->refused, true, memory_order_release);
            return;
        }
    }
}

/* Reports a world whose values are not allowed. */
static carom_status refuse_value(carom_worlds *worlds, const carom_field *field, size_t world)
{
    return carom_worlds_refuse(worlds, CAROM_ERROR_VALUE, "world %zu: %s%s has a value that %s does not allow", world,
                               field ? "the new " : "", field ? field->name : "the record", worlds->type->name);
}

carom_status carom_worlds_put(carom_worlds *worlds, const carom_field *field, size_t first, size_t count,
                              const void *values)
{
    transfer job = {.worlds = worlds,
                    .field = field,
                    .first = first,
                    .count = count,
                    .in = (const unsigned char *)values,
                    .trial = true};
    carom_worlds_each_tile(worlds, first, count, put_tile, &job);
    if (atomic_load(&job.refused)) {
        return refuse_value(worlds, field, atomic_load(&job.where));
    }

    job.trial = false;
    carom_worlds_each_tile(worlds, first, count, put_tile, &job);

    /* A record replaces the world's game by another one, whose rewards so far are unknown. */
    if (!field) {
        carom_worlds_forget_sums(worlds, first, count);
    }
    return CAROM_OK;
}

carom_status carom_worlds_get(const carom_worlds *worlds, size_t index, size_t first, size_t count, void *values)
{
    if (!worlds || index >= worlds->layout.count || !in_range(worlds, first, count) || (!values && count > 0)) {
        return CAROM_ERROR_ARGUMENT;
    }
    if (!carom_mirror_open(worlds, first, count, MIRROR_TILES)) {
        return CAROM_ERROR_DEVICE;
    }
    carom_worlds_fetch(worlds, &worlds->layout.fields[index], first, count, values);
    return carom_mirror_close(worlds, first, count, 0, CAROM_OK);
}

static carom_status refuse_derived(carom_worlds *worlds, size_t index)
{
    return carom_worlds_refuse(worlds, CAROM_ERROR_ARGUMENT, "%s is derived from other fields and cannot be set",
                               worlds->layout.fields[index].name);
}

carom_status carom_worlds_set(carom_worlds *worlds, size_t index, size_t first, size_t count, const void *values)
{
    if (!worlds || index >= worlds->layout.count || !in_range(worlds, first, count) || (!values && count > 0)) {
        return CAROM_ERROR_ARGUMENT;
    }
    if (worlds->layout.fields[index].role == CAROM_ROLE_DERIVED) {
        return refuse_derived(worlds, index);
    }
    if (!carom_mirror_open(worlds, first, count, MIRROR_WORLDS)) {
        return CAROM_ERROR_DEVICE;
    }
    return carom_mirror_close(worlds, first, count, MIRROR_WORLDS,
                              carom_worlds_put(worlds, &worlds->layout.fields[index], first, count, values));
}

size_t carom_worlds_record_size(const carom_worlds *worlds)
{
    return worlds ? worlds->layout.record_bytes : 0;
}

carom_status carom_worlds_get_world(const carom_worlds *worlds, size_t world, void *record, size_t size)
{
    if (!worlds || !record || world >= worlds->desc.count) {
        return CAROM_ERROR_ARGUMENT;
    }
    if (size != worlds->layout.record_bytes) {
        return CAROM_ERROR_SIZE;
    }
    if (!carom_mirror_open(worlds, world, 1, MIRROR_TILES)) {
        return CAROM_ERROR_DEVICE;
    }
    carom_worlds_fetch(worlds, NULL, world, 1, record);
    return carom_mirror_close(worlds, world, 1, 0, CAROM_OK);
}

carom_status carom_worlds_set_world(carom_worlds *worlds, size_t world, const void *record, size_t size)
{
    if (!worlds || !record || world >= worlds->desc.count) {
        return CAROM_ERROR_ARGUMENT;
    }
    if (size != worlds->layout.record_bytes) {
        return CAROM_ERROR_SIZE;
    }
    if (!carom_mirror_open(worlds, world, 1, MIRROR_WORLDS)) {
        return CAROM_ERROR_DEVICE;
    }
    return carom_mirror_close(worlds, world, 1, MIRROR_WORLDS, carom_worlds_put(worlds, NULL, world, 1, record));
}

/* ---- worlds that a list names ---- */

/* Does the batch have all worlds of the list (NULL: 0 to n - 1)? */
static bool names_worlds(const carom_worlds *worlds, const size_t *indices, size_t n)
{
    bool good = indices || n <= worlds->desc.count;
    for (size_t i = 0; i < n && indices && good; ++i) {
        good = indices[i] < worlds->desc.count;
    }
    return good;
}

/* Reads the values of the worlds in a list. */
static carom_status fetch_list(const carom_worlds *worlds, const carom_field *field, const size_t *indices, size_t n,
                               void *values)
{
    if (!carom_mirror_open_list(worlds, indices, n)) {
        return CAROM_ERROR_DEVICE;
    }

    const size_t bytes = bytes_of(worlds, field);
    transfer job = {.worlds = worlds, .field = field, .count = 1};
    for (size_t i = 0; i < n; ++i) {
        job.first = indices ? indices[i] : i;
        job.out = (unsigned char *)values + i * bytes;
        fetch_tile(&job, job.first / worlds->layout.lanes, 0);
    }
    return carom_mirror_close_list(worlds, indices, n, 0, CAROM_OK);
}

/* Checks the values of all worlds before any is changed. */
static carom_status try_list(carom_worlds *worlds, const carom_field *field, const size_t *indices, size_t n,
                             const void *values)
{
    const size_t bytes = bytes_of(worlds, field);
    for (int pass = 0; pass < 2; ++pass) {
        transfer job = {.worlds = worlds, .field = field, .count = 1, .trial = pass == 0};
        for (size_t i = 0; i < n; ++i) {
            job.first = indices ? indices[i] : i;
            job.in = (const unsigned char *)values + i * bytes;
            put_tile(&job, job.first / worlds->layout.lanes, 0);
            if (atomic_load(&job.refused)) {
                return refuse_value(worlds, field, job.first);
            }
            if (!field && pass == 1) {
                carom_worlds_forget_sums(worlds, job.first, 1);
            }
        }
    }
    return CAROM_OK;
}

/* Writes the values of all worlds in a list, or of none. */
static carom_status put_list(carom_worlds *worlds, const carom_field *field, const size_t *indices, size_t n,
                             const void *values)
{
    if (!carom_mirror_open_list(worlds, indices, n)) {
        return CAROM_ERROR_DEVICE;
    }
    return carom_mirror_close_list(worlds, indices, n, MIRROR_WORLDS, try_list(worlds, field, indices, n, values));
}

carom_status carom_worlds_get_list(const carom_worlds *worlds, size_t index, const size_t *indices, size_t n,
                                   void *values)
{
    if (!worlds || index >= worlds->layout.count || !names_worlds(worlds, indices, n) || (!values && n > 0)) {
        return CAROM_ERROR_ARGUMENT;
    }
    return fetch_list(worlds, &worlds->layout.fields[index], indices, n, values);
}

carom_status carom_worlds_set_list(carom_worlds *worlds, size_t index, const size_t *indices, size_t n,
                                   const void *values)
{
    if (!worlds || index >= worlds->layout.count || !names_worlds(worlds, indices, n) || (!values && n > 0)) {
        return CAROM_ERROR_ARGUMENT;
    }
    if (worlds->layout.fields[index].role == CAROM_ROLE_DERIVED) {
        return refuse_derived(worlds, index);
    }
    return put_list(worlds, &worlds->layout.fields[index], indices, n, values);
}

/* Checks the list, and that `size` is that of n records (otherwise CAROM_ERROR_SIZE). */
static carom_status check_records(const carom_worlds *worlds, const size_t *indices, size_t n, const void *records,
                                  size_t size)
{
    if (!worlds || !names_worlds(worlds, indices, n) || (!records && n > 0)) {
        return CAROM_ERROR_ARGUMENT;
    }
    size_t wanted;
    return size_multiply(n, worlds->layout.record_bytes, &wanted) && size == wanted ? CAROM_OK : CAROM_ERROR_SIZE;
}

carom_status carom_worlds_get_records(const carom_worlds *worlds, const size_t *indices, size_t n, void *records,
                                      size_t size)
{
    const carom_status status = check_records(worlds, indices, n, records, size);
    return status == CAROM_OK ? fetch_list(worlds, NULL, indices, n, records) : status;
}

carom_status carom_worlds_set_records(carom_worlds *worlds, const size_t *indices, size_t n, const void *records,
                                      size_t size)
{
    const carom_status status = check_records(worlds, indices, n, records, size);
    return status == CAROM_OK ? put_list(worlds, NULL, indices, n, records) : status;
}
