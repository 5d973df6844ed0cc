/* SPDX-License-Identifier: MIT
 * A calendar queue of events (key, who), earliest first, with O(1) expected cost.
 *
 * It covers a window of time [begin, end), divided into buckets of equal width. Later events are not in it: at the end
 * of a window its owner inserts those of the next one. A bucket is a line of 64 bytes, keys included, so inserting an
 * event touches one cache line, and buckets are read in sequence. A full line moves to the pool, and its bucket links
 * to it. Only the agenda, the events of the current bucket, is sorted.
 *
 * Events are never removed before they come up; the owner then recognises outdated ones. If they fill the pool,
 * queue_insert() returns false and the owner inserts all events again. The width of buckets follows the density of
 * events.
 */
#ifndef CAROM_EVENTS_QUEUE_H
#define CAROM_EVENTS_QUEUE_H

#include "simd/lanes.h"

#if CAROM_REAL_BITS == 64
#define QUEUE_ENTRIES 5              /* of a line */
#define QUEUE_RESOLUTION REAL(1e-12) /* the least length of a window, relative to `last` */
#else
#define QUEUE_ENTRIES 7
#define QUEUE_RESOLUTION REAL(1e-5)
#endif
#define QUEUE_LARGE 50000 /* bodies; from this number on the lines do not fit into the first caches */
#define QUEUE_WAITING 32  /* room for events waiting until their lines are in the cache */
#define QUEUE_NEAR 8      /* events in the next this many buckets do not wait */
#define QUEUE_FLUSH 4     /* buckets after which no event is still waiting; less than QUEUE_NEAR */
#define QUEUE_AGENDA 256  /* room of the agenda */
#define QUEUE_DENSITY 5   /* the mean number of events in a bucket that the width aims at */

typedef struct queue_line {
    alignas(64) real key[QUEUE_ENTRIES];
    int32_t who[QUEUE_ENTRIES];
    uint32_t link; /* bits 0..2: used entries; above: 0, or 1 + the number of the next line */
} queue_line;

typedef struct queue_event {
    real key;
    int32_t who;
    uint32_t bucket;
} queue_event;

typedef struct queue {
    queue_line *lines;      /* [buckets + pool], owned by the caller */
    uint32_t buckets, pool; /* numbers of lines */
    uint32_t free_line;     /* 1 + the first line of the free list; 0: empty */
    uint32_t fresh;         /* pool lines from this one on are unused since the last clearing */
    uint32_t bucket;        /* the current one */
    uint32_t count;         /* events in the agenda */
    bool open;              /* the current bucket's events have been moved to the agenda */
    uint64_t drained;       /* events that have come up in this window */
    bool waits;             /* events for far buckets wait, as the lines do not fit into the caches */
    uint32_t waiting;       /* events in wait[] */
    queue_event wait[QUEUE_WAITING];
    real begin, end, inverse_width, length; /* of the window; inverse width of a bucket */
    real last;                              /* the greatest key of interest, set by the owner */
    real horizon;                           /* events of the current bucket from this time on are still in its line */
    real key[QUEUE_AGENDA + 1];             /* the agenda, latest first */
    int32_t who[QUEUE_AGENDA + 1];
} queue;

#define QUEUE_INFINITY ((real)__builtin_inf())

/* The number of lines for n bodies with one event each. Inserting all events into a cleared queue then always
 * succeeds. */
CAROM_LANE uint32_t queue_buckets(uint32_t n)
{
    return n / 4 + 8;
}
CAROM_LANE uint32_t queue_pool(uint32_t n)
{
    return n / QUEUE_ENTRIES + 8;
}

/* The owner must set `last`, and call queue_clear() before the first event. */
CAROM_LANE void queue_create(queue *q, queue_line *lines, uint32_t n)
{
    q->lines = lines;
    q->buckets = queue_buckets(n);
    q->pool = queue_pool(n);
    q->length = 0;
    q->waits = n >= QUEUE_LARGE;
}

/* Starts an empty window at `begin`. */
CAROM_LANE void queue_clear(queue *q, real begin)
{
    for (uint32_t b = 0; b < q->buckets; b++) {
        q->lines[b].link = 0;
    }
    const real least = q->last * QUEUE_RESOLUTION;
    q->length = q->length > least ? q->length : least;
    q->free_line = 0;
    q->fresh = q->buckets;
    q->bucket = 0;
    q->count = 0;
    q->waiting = 0;
    q->open = false;
    q->drained = 0;
    q->begin = begin;
    q->end = begin + q->length;
    q->inverse_width = (real)q->buckets / q->length;
    q->horizon = QUEUE_INFINITY;
}

/* Sets the length of the next window from the density of events in this one. */
CAROM_LANE void queue_tune(queue *q)
{
    const real density = (real)q->drained / (real)q->buckets;
    real factor = density > 0 ? QUEUE_DENSITY / density : 4;
    factor = factor < 4 ? factor : 4;
    q->length = q->length * (factor > REAL(0.25) ? factor : REAL(0.25));
}

/* The bucket of a key < q->end. Keys before the current bucket belong to the current one. */
CAROM_LANE uint32_t queue_bucket_of(const queue *q, real key)
{
    const real place = (key - q->begin) * q->inverse_width;
    const int32_t b = (int32_t)(place > 0 ? place : 0);
    const uint32_t bucket = (uint32_t)b < q->buckets ? (uint32_t)b : q->buckets - 1;
    return bucket > q->bucket ? bucket : q->bucket;
}

/* Puts an event into bucket b's line. False if the pool is exhausted. */
CAROM_LANE bool queue_put(queue *q, uint32_t b, real key, int32_t who)
{
    queue_line *line = &q->lines[b];
    uint32_t used = line->link & 7;

    /* Move a full line to a free one of the pool, and link the bucket's line to it. */
    if (used == QUEUE_ENTRIES) {
        uint32_t spare;
        if (q->free_line != 0) {
            spare = q->free_line - 1;
            q->free_line = q->lines[spare].link >> 3;
        } else if (q->fresh < q->buckets + q->pool) {
            spare = q->fresh++;
        } else {
            return false;
        }
        q->lines[spare] = *line;
        line->link = (spare + 1) << 3;
        used = 0;
    }

    line->key[used] = key;
    line->who[used] = who;
    line->link++;
    return true;
}

/* Sorts an event into the agenda. If the agenda is full, its latest event goes back to the bucket. */
CAROM_LANE bool queue_schedule(queue *q, real key, int32_t who)
{
    uint32_t at = q->count;
    for (; at > 0 && q->key[at - 1] < key; at--) {
        q->key[at] = q->key[at - 1];
        q->who[at] = q->who[at - 1];
    }
    q->key[at] = key;
    q->who[at] = who;
    q->count++;
    if (q->count <= QUEUE_AGENDA) {
        return true;
    }

    const int32_t latest = q->who[0];
    q->horizon = q->key[0];
    q->count--;
    for (uint32_t k = 0; k < q->count; k++) {
        q->key[k] = q->key[k + 1];
        q->who[k] = q->who[k + 1];
    }
    return queue_put(q, q->bucket, q->horizon, latest);
}

/* Puts waiting events into their lines. */
CAROM_LANE bool queue_flush(queue *q)
{
    bool fits = true;
    for (uint32_t k = 0; k < q->waiting; k++) {
        fits = queue_put(q, q->wait[k].bucket, q->wait[k].key, q->wait[k].who) && fits;
    }
    q->waiting = 0;
    return fits;
}

/* Inserts an event with key < q->end. False if the pool is exhausted: clear, then insert all events again. */
CAROM_LANE bool queue_insert(queue *q, real key, int32_t who)
{
    const uint32_t b = queue_bucket_of(q, key);
    if (b == q->bucket && q->open && key < q->horizon) {
        return queue_schedule(q, key, who);
    }
    if (!q->waits || b < q->bucket + QUEUE_NEAR) {
        return queue_put(q, b, key, who);
    }

    /* The event waits while its line is fetched. */
    __builtin_prefetch(&q->lines[b], 1);
    const bool fits = q->waiting < QUEUE_WAITING || queue_flush(q);
    q->wait[q->waiting].key = key;
    q->wait[q->waiting].who = who;
    q->wait[q->waiting++].bucket = b;
    return fits;
}

/* Moves the events of the current bucket to the agenda. */
CAROM_LANE bool queue_drain(queue *q)
{
    queue_line line = q->lines[q->bucket];
    bool fits = true;

    q->lines[q->bucket].link = 0;
    q->horizon = QUEUE_INFINITY;
    q->open = true;
    for (;;) {
        const uint32_t used = line.link & 7, next = line.link >> 3;
        for (uint32_t k = 0; k < used; k++) {
            const bool early = line.key[k] < q->horizon;
            fits = (early ? queue_schedule(q, line.key[k], line.who[k])
                          : queue_put(q, q->bucket, line.key[k], line.who[k])) &&
                   fits;
        }
        q->drained += used;
        if (next == 0) {
            return fits;
        }

        /* Return the linked line to the free list. */
        line = q->lines[next - 1];
        q->lines[next - 1].link = q->free_line << 3;
        q->free_line = next;
    }
}

/* Runs `step` for every event in bucket b, which must not be the current one, in any order; who: the event's body. */
#define QUEUE_EACH(q, b, who, step)                                                                                    \
    for (const queue_line *line = &(q)->lines[b];; line = &(q)->lines[(line->link >> 3) - 1]) {                        \
        for (uint32_t entry = 0; entry < (line->link & 7); entry++) {                                                  \
            const int32_t who = line->who[entry];                                                                      \
            step;                                                                                                      \
        }                                                                                                              \
        if (line->link >> 3 == 0) {                                                                                    \
            break;                                                                                                     \
        }                                                                                                              \
    }

typedef enum queue_state {
    QUEUE_READY,  /* the earliest event is the agenda's last */
    QUEUE_AT_END, /* the window is empty */
    QUEUE_FULL    /* the pool is exhausted: clear, then insert all events again */
} queue_state;

/* If the agenda is empty, advances to the next bucket with events. */
CAROM_LANE queue_state queue_advance(queue *q)
{
    while (q->count == 0) {
        if (q->lines[q->bucket].link != 0) {
            if (!queue_drain(q)) {
                return QUEUE_FULL;
            }
        } else if (q->bucket + 1 < q->buckets) {
            q->bucket++;
            q->open = false;
            if (q->bucket % QUEUE_FLUSH == 0 && !queue_flush(q)) {
                return QUEUE_FULL;
            }
        } else {
            return QUEUE_AT_END;
        }
    }
    return QUEUE_READY;
}

/* ---- simultaneous events, least rank first: a heap, so that each is cheap even if there are many ----
 *
 * The calendar queue knows only keys. If several of its events have the same key, its owner moves them here, each with
 * its rank, and takes them from here until none is left. A body whose event has changed in the meantime may be in here
 * more than once; ties_push() returns false when there is no more room. */

typedef struct ties {
    uint64_t *rank; /* [most]: a heap, the least at [0] */
    int32_t *who;   /* [most]: their bodies */
    uint32_t count, most;
    real key; /* their common time; valid if count > 0 */
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
