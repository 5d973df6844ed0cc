/* SPDX-License-Identifier: MIT
 * Events of one time, least rank first: a heap, so that each costs little even if there are many.
 *
 * The calendar queue (queue.h) knows keys only. If several of its events have the same key, its owner moves them here,
 * each with its rank, and takes them from here until none is left. A body whose event has changed in the meantime may
 * be in here more than once: ties_push() says when there is no more room.
 */
#ifndef CAROM_EVENTS_TIES_H
#define CAROM_EVENTS_TIES_H

#include "simd/lanes.h"

typedef struct ties {
    uint64_t *rank; /* [most]: a heap with the least at [0] */
    int32_t *who;   /* [most]: their bodies */
    uint32_t count, most;
    real key; /* the time of all of them; valid if count > 0 */
} ties;

CAROM_LANE void ties_create(ties *t, uint64_t *rank, int32_t *who, uint32_t most)
{
    t->rank = rank;
    t->who = who;
    t->count = 0;
    t->most = most;
}

/* False if it is full. */
CAROM_LANE bool ties_push(ties *t, uint64_t rank, int32_t who)
{
    if (t->count == t->most) {
        return false;
    }
    uint32_t at = t->count++;
    for (uint32_t up; at > 0 && rank < t->rank[up = (at - 1) / 2]; at = up) {
        t->rank[at] = t->rank[up];
        t->who[at] = t->who[up];
    }
    t->rank[at] = rank;
    t->who[at] = who;
    return true;
}

/* Removes the first; there must be one. */
CAROM_LANE void ties_pop(ties *t)
{
    const uint32_t last = --t->count;
    const uint64_t rank = t->rank[last];
    const int32_t who = t->who[last];
    uint32_t at = 0;
    for (uint32_t down = 1; down < last; at = down, down = 2 * at + 1) {
        down += down + 1 < last && t->rank[down + 1] < t->rank[down];
        if (rank <= t->rank[down]) {
            break;
        }
        t->rank[at] = t->rank[down];
        t->who[at] = t->who[down];
    }
    t->rank[at] = rank;
    t->who[at] = who;
}

#endif
