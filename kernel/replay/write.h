/* SPDX-License-Identifier: MIT
 * A replay that is being written: shared by record.c (the head) and ticks.c.
 */
#ifndef CAROM_REPLAY_WRITE_H
#define CAROM_REPLAY_WRITE_H

#include "replay/format.h"

struct carom_recorder {
    const carom_worlds *worlds; /* the batch */
    carom_worlds *shadow;       /* [count] copies of the chosen worlds, to play repeated steps tick by tick */
    carom_replay_write *write;  /* the caller's function, called with `user` */
    void *user;
    size_t count;           /* worlds that are recorded */
    size_t *chosen;         /* [count] which ones */
    uint32_t interval;      /* ticks from keyframe to keyframe */
    uint32_t since;         /* ticks since the last keyframe */
    uint64_t ticks;         /* ticks written so far */
    uint64_t sum;           /* of the ticks since the last keyframe */
    replay_acting acting;   /* of the last keyframe */
    unsigned char *records; /* [count][record bytes] as the worlds were after the last tick */
    uint64_t *seeds;        /* [count] with which they draw */
    replay_tick tick;       /* the actions of the present tick */
    unsigned char *before;  /* [count], a row of the widest kind each: the actions of the tick before */
    uint8_t *over;          /* [count] games that have ended, in the shadow */
    unsigned char *lanes;   /* scratch for a policy: a tile's actions */
    unsigned char *row;     /* scratch for a policy: a world's actions */
    replay_buffer chunk;    /* the chunk that is being made */
    bool begun;             /* the worlds follow from the last keyframe; if not, the next tick begins with one */
    bool ended;             /* the stream is complete, or could not be written */
};

/* The record of the k-th chosen world. */
static inline unsigned char *recorder_record(const carom_recorder *r, size_t k)
{
    return r->records + k * r->worlds->layout.record_bytes;
}

/* Passes the chunk to the caller's function, and empties it. */
carom_status carom_recorder_flush(carom_recorder *r);

#endif
