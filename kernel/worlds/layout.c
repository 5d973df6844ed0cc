/* SPDX-License-Identifier: MIT
 * Makes the table of fields with their offsets from a type's list of them, as worlds.h describes. */
#include "worlds/layout.h"

#include <assert.h>
#include <stdlib.h>

#include "base/memory.h"

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

    /* The common fields come first. What follows from other fields is not in records. */
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

    /* Place the fields by the size of their type, largest first: so each row is aligned without padding. */
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
