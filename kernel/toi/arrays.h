/* SPDX-License-Identifier: MIT
 * Loading lanes from the caller's arrays, which may end anywhere.
 */
#ifndef CAROM_TOI_ARRAYS_H
#define CAROM_TOI_ARRAYS_H

#include "simd/lanes.h"

/* Loads LANES numbers, starting with the i-th of n, and reads none past the last: those lanes are 0. */
CAROM_LANE vreal arrays_load(const real *from, size_t i, size_t n)
{
    if (n - i >= LANES) {
        return v_loadu(from + i);
    }
    real last[LANES] = {0};
    for (size_t l = 0; i + l < n; l++) {
        last[l] = from[i + l];
    }
    return v_loadu(last);
}

#endif
