/* SPDX-License-Identifier: MIT
 * What a tick leaves in every world that it was for, whatever its game: one more tick, or a fault.
 */
#ifndef CAROM_TICK_OUTCOME_H
#define CAROM_TICK_OUTCOME_H

#include "simd/lanes.h"

/* The number of ticks after one more: it stops before it would wrap. */
CAROM_LANE vint outcome_next_tick(vint ticks)
{
    vint more = i_add(ticks, i_set1(1));
    const vmask wraps = i_gt(i_set1(0), more);
    if (m_any(wraps)) {
        more = i_select(wraps, ticks, more);
    }
    return more;
}

/* A world takes a fault (of carom_fault): it is frozen as it was before the tick. */
static inline void outcome_fault(int8_t *faults, int8_t *frozen, int fault)
{
    *faults = (int8_t)(*faults | fault);
    *frozen = 1;
}

#endif
