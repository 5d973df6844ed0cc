/* SPDX-License-Identifier: MIT
 * The first of many times, found lane by lane: without a branch until all have been seen, so that the processor can
 * overlap the roots and divisions of several registers.
 */
#ifndef CAROM_DEEP_EARLIEST_H
#define CAROM_DEEP_EARLIEST_H

#include "deep/state.h"

typedef struct deep_earliest {
    vreal time; /* the least so far */
    vint at;    /* the entry of lane 0 of the register where it was found */
    vmask tied; /* found more than once */
} deep_earliest;

CAROM_LANE deep_earliest deep_earliest_begin(void)
{
    deep_earliest f;
    f.time = v_set1(DEEP_NEVER);
    f.at = i_set1(0);
    f.tied = m_from_bits(0);
    return f;
}

/* Times of entries `at` to at + LANES - 1. */
CAROM_LANE void deep_earliest_take(deep_earliest *f, vreal time, uint32_t at)
{
    const vmask earlier = v_lt(time, f->time);
    f->tied = m_or(m_andnot(f->tied, earlier), v_eq(time, f->time));
    f->time = v_select(earlier, time, f->time);
    f->at = i_select(earlier, i_set1((int32_t)at), f->at);
}

typedef enum deep_found { DEEP_NONE, DEEP_ONE, DEEP_SEVERAL } deep_found;

/* The first entry and its time, if that is before `limit`. DEEP_SEVERAL: others, or the limit, have the same time; then
 * neither is set. */
CAROM_LANE deep_found deep_earliest_end(const deep_earliest *f, real limit, real *time, uint32_t *which)
{
    const real least = v_least(f->time);
    if (least > limit || least == DEEP_NEVER) {
        return DEEP_NONE;
    }

    const vmask those = v_eq(f->time, v_set1(least));
    const unsigned bits = m_bits(those);
    if (least == limit || (bits & (bits - 1)) != 0 || m_any(m_and(those, f->tied))) {
        return DEEP_SEVERAL;
    }

    int32_t at[LANES];
    const unsigned lane = (unsigned)__builtin_ctz(bits);
    i_compress(at, m_below(LANES), f->at);
    *time = least;
    *which = (uint32_t)at[lane] + lane;
    return DEEP_ONE;
}

#endif
