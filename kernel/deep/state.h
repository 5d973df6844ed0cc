/* SPDX-License-Identifier: MIT
 * The common parts of worlds of the deep engine, whatever their rule set: queue, cells and ties, a body's meeting, and
 * the first of many times.
 */
#ifndef CAROM_DEEP_STATE_H
#define CAROM_DEEP_STATE_H

#include "events/queue.h"
#include "grid/grid.h"

#define DEEP_NEVER ((real)__builtin_inf())
#define DEEP_NOWHERE 0u /* the cell of a body outside all cells */
#define DEEP_NEAR 36    /* bodies at the places of nine cells */
#define DEEP_LINKED 64  /* bodies considered at once, of a chain or of all */
#define DEEP_SPARE 16   /* writable entries beyond the end of a list that is filled or considered */
#define DEEP_LISTED (DEEP_LINKED + 2 * DEEP_SPARE) /* size of a list */
#define DEEP_LARGE 20000   /* bodies that no longer fit into the first caches: see deep_fetch_ahead() */
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

/* The earliest meeting with another body, from a body's last prediction. */
typedef struct deep_meeting {
    real time;                /* infinity: none */
    int32_t partner;          /* the body itself if there is none */
    uint32_t partner_changes; /* the partner's `changes` at the prediction: stale if they differ now */
} deep_meeting;

/* When, and in which direction, a body leaves its cell. */
typedef struct deep_departure {
    real time;
    uint8_t way; /* 0 left, 1 right, 2 lower, 3 upper */
} deep_departure;

/* The event of a body at the time of an entry of the queue. */
typedef enum deep_next {
    DEEP_IS_PAST, /* none: the entry is stale */
    DEEP_CROSSES, /* it enters the next cell; its record stays */
    DEEP_MEETS,   /* it meets another body */
    DEEP_HITS     /* it reaches something that does not move, or a side of the box */
} deep_next;

/* The result of an event. */
typedef enum deep_outcome {
    DEEP_PLAYED, /* the bodies that took part must predict again */
    DEEP_ANEW,   /* all predictions have been made already */
    DEEP_REFUSED /* it was not played, or was cancelled part-way: the world stops here */
} deep_outcome;

/* Why deep_run() returned. */
typedef enum deep_pause {
    DEEP_DONE,   /* no event is left before its `until` */
    DEEP_PAUSED, /* it has played `most` events */
    DEEP_STOPPED /* an event was refused */
} deep_pause;

/* ---- memory ---- */

CAROM_LANE size_t deep_aligned(size_t size)
{
    return (size + 63) / 64 * 64;
}

/* Where queue, cells and ties lie in a world's block of memory. */
typedef struct deep_memory {
    size_t lines, places, next, ranks, ties, end;
} deep_memory;

/* Lays them out from `begin` on; places: of all cells, as of grid_places(). */
static deep_memory deep_memory_from(size_t begin, uint32_t bodies, size_t places)
{
    deep_memory at;
    at.lines = begin;
    at.places = at.lines + ((size_t)queue_buckets(bodies) + queue_pool(bodies)) * sizeof(queue_line);
    at.next = at.places + deep_aligned(places * sizeof(int32_t));
    at.ranks = at.next + deep_aligned(bodies * sizeof(int32_t));
    at.ties = at.ranks + deep_aligned(bodies * sizeof(uint64_t));
    at.end = at.ties + deep_aligned(bodies * sizeof(int32_t));
    return at;
}

static void deep_take_memory(deep_loop *l, unsigned char *base, const deep_memory *at, uint32_t bodies)
{
    l->events.lines = (queue_line *)(void *)(base + at->lines);
    l->cells.places = (int32_t *)(void *)(base + at->places);
    l->cells.next = (int32_t *)(void *)(base + at->next);
    ties_create(&l->equals, (uint64_t *)(void *)(base + at->ranks), (int32_t *)(void *)(base + at->ties), bodies);
}

/* ---- the first of many times ----
 *
 * Found lane by lane: without a branch until all have been checked, so that the processor can overlap the roots and
 * divisions of several registers. */

typedef struct deep_earliest {
    vreal time; /* the least so far */
    vint at;    /* the entry of lane 0 of its register */
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
