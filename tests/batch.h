/* SPDX-License-Identifier: MIT
 * Whole worlds of a batch as worlds of a game's reference, and back.
 */
#ifndef CAROM_TESTS_BATCH_H
#define CAROM_TESTS_BATCH_H

#include "test.h"

/* ---- whole worlds ---- */

/* Where a world of the reference keeps a field, reals as doubles, and its size; NULL: it has no such field. */
typedef void *world_member(void *world, const char *name, size_t *bytes);

#define RECORD_BYTES 4096

/* Between a record of either precision and a world of the reference. Records are not aligned. */
static inline void copy_record(const carom_worlds *worlds, world_member *member, void *world, unsigned char *record,
                               bool into_record)
{
    for (size_t f = 0; f < carom_worlds_field_count(worlds); f++) {
        carom_field field;
        size_t bytes = 0;
        must(carom_worlds_field(worlds, f, &field), "carom_worlds_field");
        void *const mine = member(world, field.name, &bytes);
        const bool floats = field.type == CAROM_TYPE_REAL && field.bytes == sizeof(float);
        for (size_t k = 0; mine != NULL && floats && k < field.count; k++) {
            unsigned char *const at = record + k * sizeof(float);
            double *const real = (double *)mine + k;
            float number;
            if (into_record) {
                number = (float)*real;
                memcpy(at, &number, sizeof number);
            } else {
                memcpy(&number, at, sizeof number);
                *real = (double)number;
            }
        }
        if (mine != NULL && !floats)
            memcpy(into_record ? record : mine, into_record ? mine : record, bytes);
        record += (size_t)field.count * field.bytes;
    }
}

static inline void get_world(const carom_worlds *worlds, size_t index, world_member *member, void *world)
{
    unsigned char record[RECORD_BYTES];
    const size_t size = carom_worlds_record_size(worlds);
    assert_true(size <= sizeof record);
    must(carom_worlds_get_world(worlds, index, record, size), "carom_worlds_get_world");
    copy_record(worlds, member, world, record, false);
}

/* All fields at once: one at a time would pass through invalid states. Fields that the reference does not keep stay as
 * they are. */
static inline carom_status try_put_world(carom_worlds *worlds, size_t index, world_member *member, void *world)
{
    unsigned char record[RECORD_BYTES];
    const size_t size = carom_worlds_record_size(worlds);
    assert_true(size <= sizeof record);
    must(carom_worlds_get_world(worlds, index, record, size), "carom_worlds_get_world");
    copy_record(worlds, member, world, record, true);
    return carom_worlds_set_world(worlds, index, record, size);
}

#endif
