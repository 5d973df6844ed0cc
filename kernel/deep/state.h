/* SPDX-License-Identifier: MIT
 * What every world of the deep engine has, whatever its rules: the part that deep/loop.h works on.
 */
#ifndef CAROM_DEEP_STATE_H
#define CAROM_DEEP_STATE_H

#include "events/queue.h"
#include "events/ties.h"
#include "grid/grid.h"

#define DEEP_NEVER ((real)__builtin_inf())
#define DEEP_NOWHERE 0u /* the cell of a body that is in none */
#define DEEP_NEAR 36    /* bodies on the places of nine cells */
#define DEEP_LINKED 64  /* of a chain at once */
#define DEEP_SPARE 16   /* entries that a list may be written beyond its end */
#define DEEP_LISTED (DEEP_LINKED + 2 * DEEP_SPARE)
#define DEEP_LARGE 20000   /* bodies from which on a world is larger than the near caches */
#define DEEP_FETCH_AHEAD 3 /* buckets */

typedef struct deep_loop {
    queue events;
    ties equals; /* those of the earliest time, if they are several */
    grid cells;
    uint32_t bodies;
    uint32_t fetched; /* buckets of this window that were looked at ahead of time */
    real now;         /* time of the last event */
    real last;        /* events from here on are of no interest */
} deep_loop;

/* What the time of an entry of the queue means to its body now. */
typedef enum deep_next {
    DEEP_IS_PAST, /* the entry is out of date */
    DEEP_CROSSES, /* into the next cell; its record stays */
    DEEP_MEETS,   /* another body */
    DEEP_HITS     /* what does not move, or a side of the box */
} deep_next;

/* What an event has led to. */
typedef enum deep_outcome {
    DEEP_PLAYED, /* those that took part have to predict anew */
    DEEP_ANEW,   /* all have done so */
    DEEP_REFUSED /* nothing was played: the world stops here */
} deep_outcome;

/* Why the loop has come back. */
typedef enum deep_pause {
    DEEP_DONE,   /* no event is left before the time that was asked for */
    DEEP_PAUSED, /* it has played as many as it was asked to */
    DEEP_STOPPED /* an event was refused */
} deep_pause;

CAROM_LANE size_t deep_aligned(size_t size)
{
    return (size + 63) / 64 * 64;
}

#endif
