/* SPDX-License-Identifier: MIT
 * The mirror of a batch on a device, for worlds in a list. */
#include "worlds/device.h"

/* The range from the lowest to the highest world of a list. */
typedef struct span {
    size_t first, count;
} span;

static span span_of(const size_t *indices, size_t n)
{
    if (indices == NULL || n == 0) {
        return (span){0, n};
    }
    size_t least = indices[0], most = indices[0];
    for (size_t i = 1; i < n; ++i) {
        least = indices[i] < least ? indices[i] : least;
        most = indices[i] > most ? indices[i] : most;
    }
    return (span){least, most - least + 1};
}

bool carom_mirror_open_list(const carom_worlds *worlds, const size_t *indices, size_t n)
{
    if (!carom_is_on_device(worlds)) {
        return true;
    }
    const span named = span_of(indices, n);
    return carom_mirror_open(worlds, named.first, named.count, MIRROR_WORLDS);
}

carom_status carom_mirror_close_list(const carom_worlds *worlds, const size_t *indices, size_t n, unsigned changed,
                                     carom_status status)
{
    if (!carom_is_on_device(worlds)) {
        return status;
    }
    const span named = span_of(indices, n);
    return carom_mirror_close(worlds, named.first, named.count, changed, status);
}
