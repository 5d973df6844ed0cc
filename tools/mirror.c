/* SPDX-License-Identifier: MIT
 * A batch in f32 beside one in f64: see mirror.h.
 */
#include "mirror.h"
#include "command.h"

#include <stdlib.h>

static void demand(carom_status status)
{
    if (status != CAROM_OK) {
        carom_die("cannot copy worlds into f32: %s", carom_status_string(status));
    }
}

carom_worlds *carom_mirror_create(const carom_worlds *worlds)
{
    carom_worlds_desc desc = carom_worlds_describe(worlds);
    carom_worlds *made;
    desc.precision = CAROM_F32;
    demand(carom_worlds_create(&desc, &made));
    return made;
}

static void set_field(carom_worlds *mirror, const carom_worlds *worlds, size_t k, const carom_field *field)
{
    const size_t count = carom_worlds_count(worlds), numbers = count * field->count;
    double *values = malloc(numbers * sizeof *values); /* has room for integers, too */
    float *rounded = malloc(numbers * sizeof *rounded);
    demand(values != NULL && rounded != NULL ? CAROM_OK : CAROM_ERROR_MEMORY);
    demand(carom_worlds_get(worlds, k, 0, count, values));
    for (size_t n = 0; n < numbers && field->type == CAROM_TYPE_REAL; n++) {
        rounded[n] = (float)values[n];
    }
    demand(carom_worlds_set(mirror, k, 0, count, field->type == CAROM_TYPE_REAL ? (void *)rounded : (void *)values));
    free(values);
    free(rounded);
}

void carom_mirror_set(carom_worlds *mirror, const carom_worlds *worlds)
{
    for (size_t k = 0; k < carom_worlds_field_count(worlds); k++) {
        carom_field field;
        demand(carom_worlds_field(worlds, k, &field));
        if (field.role != CAROM_ROLE_IDENTITY && field.role != CAROM_ROLE_DERIVED) {
            set_field(mirror, worlds, k, &field);
        }
    }
}
