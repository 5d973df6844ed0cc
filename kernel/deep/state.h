/* SPDX-License-Identifier: MIT
 * The part of a deep engine's world that deep/loop.h works on, whatever its rule set.
 */
#ifndef CAROM_DEEP_STATE_H
#define CAROM_DEEP_STATE_H

#include "events/queue.h"
#include "grid/grid.h"

#define DEEP_NEVER ((real)__builtin_inf())
#define DEEP_NOWHERE 0u /* the cell of a body that is in none */
#define DEEP_NEAR 36    /* bodies on the places of nine cells */
#define DEEP_LINKED 64  /* bodies that are considered at once, of a chain or of all */
#define DEEP_SPARE 16   /* entries beyond its end that may be written to when a list is filled or considered */
#define DEEP_LISTED (DEEP_LINKED + 2 * DEEP_SPARE) /* size of a list */
#define DEEP_LARGE 20000   /* bodies from which on a world does not fit into the first caches: see deep_fetch_ahead() */
#define DEEP_FETCH_AHEAD 3 /* buckets */

typedef struct deep_loop {
    queue events;
    ties equals; /* the events of the earliest time, if there are several */
    grid cells;
    uint32_t bodies;
    uint32_t fetched; /* deep_fetch_ahead() has been called for all buckets before this one */
    real now;         /* time of the last event */
    real last;        /* events from here on never enter the queue */
} deep_loop;

/* The event of a body at the time of an entry of the queue. */
typedef enum deep_next {
    DEEP_IS_PAST, /* none: the entry is out of date */
    DEEP_CROSSES, /* it enters the next cell; its record stays */
    DEEP_MEETS,   /* it meets another body */
    DEEP_HITS     /* it comes to something that does not move, or a side of the box */
} deep_next;

/* The result of an event. */
typedef enum deep_outcome {
    DEEP_PLAYED, /* the bodies that took part must predict again */
    DEEP_ANEW,   /* all predictions have been made already */
    DEEP_REFUSED /* it was not played, or was cancelled half-way: the world stops here */
} deep_outcome;

/* Why deep_run() has returned. */
typedef enum deep_pause {
    DEEP_DONE,   /* no event is left before its `until` */
    DEEP_PAUSED, /* it has played `most` events */
    DEEP_STOPPED /* an event was refused */
} deep_pause;

CAROM_LANE size_t deep_aligned(size_t size)
{
    return (size + 63) / 64 * 64;
}

#endif
