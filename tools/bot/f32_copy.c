/* SPDX-License-Identifier: MIT
 * A batch in f32 beside one in f64: see f32_copy.h.
 */
#include "f32_copy.h"
#include "../command/command.h"

#include <stdlib.h>

#define COPYING "copy worlds into f32"

carom_worlds *carom_f32_copy_create(const carom_worlds *worlds)
{
    carom_worlds_desc desc = carom_worlds_describe(worlds);
    carom_worlds *made;
    desc.precision = CAROM_F32;
    carom_demand(carom_worlds_create(&desc, &made), COPYING);
    return made;
}

static void set_field(carom_worlds *mirror, const carom_worlds *worlds, size_t k, const carom_field *field)
{
    const size_t count = carom_worlds_count(worlds), numbers = count * field->count;
    double *values = carom_allocate(numbers, sizeof *values); /* has room for integers, too */
    float *rounded = carom_allocate(numbers, sizeof *rounded);
    carom_demand(carom_worlds_get(worlds, k, 0, count, values), COPYING);
    for (size_t n = 0; n < numbers && field->type == CAROM_TYPE_REAL; n++) {
        rounded[n] = (float)values[n];
    }
    carom_demand(
        carom_worlds_set(mirror, k, 0, count, field->type == CAROM_TYPE_REAL ? (void *)rounded : (void *)values),
        COPYING);
    free(values);
    free(rounded);
}

void carom_f32_copy_set(carom_worlds *mirror, const carom_worlds *worlds)
{
    for (size_t k = 0; k < carom_worlds_field_count(worlds); k++) {
        carom_field field;
        carom_demand(carom_worlds_field(worlds, k, &field), COPYING);
        if (field.role != CAROM_ROLE_IDENTITY && field.role != CAROM_ROLE_DERIVED) {
            set_field(mirror, worlds, k, &field);
        }
    }
}
