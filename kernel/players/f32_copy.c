/* SPDX-License-Identifier: MIT
 * Copies of f64 batches in f32: see f32_copy.h.
 */
#include "players/f32_copy.h"

#include <stdlib.h>

#include "base/problem.h"
#include "worlds/worlds.h"

carom_status carom_f32_copy_create(const carom_worlds *worlds, carom_worlds **mirror, carom_problem *problem)
{
    carom_worlds_desc desc = carom_worlds_describe(worlds);
    carom_worlds *alike;
    *mirror = NULL;

    /* Create a batch of one world to find out whether the options are the defaults. */
    desc.count = 1;
    carom_status status = carom_worlds_create(&desc, &alike);
    if (status == CAROM_OK && alike->content != worlds->content) {
        status = carom_wrong(problem, CAROM_ERROR_UNSUPPORTED,
                             "precision=f32: the game must have its default options, not --set");
    }
    carom_worlds_destroy(alike);
    if (status == CAROM_OK) {
        desc.count = carom_worlds_count(worlds);
        desc.precision = CAROM_F32;
        status = carom_worlds_create(&desc, mirror);
    }
    return status;
}

static carom_status set_field(carom_worlds *mirror, const carom_worlds *worlds, size_t k, const carom_field *field)
{
    const size_t count = carom_worlds_count(worlds), numbers = count * field->count;
    double *values = (double *)calloc(numbers, sizeof *values); /* large enough for integers, too */
    float *rounded = (float *)calloc(numbers, sizeof *rounded);
    carom_status status = CAROM_ERROR_MEMORY;
    if (values != NULL && rounded != NULL) {
        status = carom_worlds_get(worlds, k, 0, count, values);
        for (size_t n = 0; n < numbers && field->type == CAROM_TYPE_REAL; n++) {
            rounded[n] = (float)values[n];
        }
        const void *set = field->type == CAROM_TYPE_REAL ? (const void *)rounded : (const void *)values;
        status = status == CAROM_OK ? carom_worlds_set(mirror, k, 0, count, set) : status;
    }
    free(values);
    free(rounded);
    return status;
}

carom_status carom_f32_copy_set(carom_worlds *mirror, const carom_worlds *worlds)
{
    carom_status status = CAROM_OK;
    for (size_t k = 0; k < carom_worlds_field_count(worlds) && status == CAROM_OK; k++) {
        carom_field field;
        status = carom_worlds_field(worlds, k, &field);
        if (field.role != CAROM_ROLE_IDENTITY && field.role != CAROM_ROLE_DERIVED) {
            status = set_field(mirror, worlds, k, &field);
        }
    }
    return status;
}
