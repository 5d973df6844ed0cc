/* SPDX-License-Identifier: MIT
 * The outcome of a tick for every world that was to play it, in any game: one more tick, or a fault.
 */
#ifndef CAROM_TICK_OUTCOME_H
#define CAROM_TICK_OUTCOME_H

#include "simd/lanes.h"

/* Adds 1 to tick counts, saturating at INT32_MAX. */
CAROM_LANE vint outcome_next_tick(vint ticks)
{
    vint more = i_add(ticks, i_set1(1));
    const vmask wraps = i_gt(i_set1(0), more);
    if (m_any(wraps)) {
        more = i_select(wraps, ticks, more);
    }
    return more;
}

/* Sets a fault (carom_fault) of a world and freezes it. The rest of its state is as before the tick. */
static inline void outcome_fault(int8_t *faults, int8_t *frozen, int fault)
{
    *faults = (int8_t)(*faults | fault);
    *frozen = 1;
}

#endif
