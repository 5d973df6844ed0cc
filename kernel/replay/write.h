/* SPDX-License-Identifier: MIT
 * A replay that is being written: what its beginning (record.c) and its ticks (ticks.c) share.
 */
#ifndef CAROM_REPLAY_WRITE_H
#define CAROM_REPLAY_WRITE_H

#include "replay/format.h"

struct carom_recorder {
    const carom_worlds *worlds;
    carom_worlds
        *shadow; /* [count] the chosen worlds: steps of several ticks are played there once more, tick by tick */
    carom_replay_write *write;
    void *user;
    size_t count;
    size_t *chosen;         /* [count] */
    uint32_t interval;      /* ticks from keyframe to keyframe */
    uint32_t since;         /* ticks since the last one */
    uint64_t ticks;         /* written */
    uint64_t sum;           /* of the ticks since the last keyframe */
    replay_acting acting;   /* of the last keyframe */
    unsigned char *records; /* [count][record bytes] as the worlds were after the last tick */
    uint64_t *seeds;        /* [count] with which they draw */
    replay_tick tick;       /* what they do now */
    unsigned char *before;  /* [count][a row of the widest kind]: what they did in the tick before */
    uint8_t *over;          /* [count] in the shadow: games that have ended */
    unsigned char *lanes;   /* a tile's actions, where a policy is asked */
    unsigned char *row;     /* a world's, likewise */
    replay_buffer chunk;
    bool begun; /* the worlds are as the last keyframe and its ticks say; else the next tick begins with a keyframe */
    bool ended; /* the stream is at its end, or broken */
};

static inline unsigned char *recorder_record(const carom_recorder *r, size_t k)
{
    return r->records + k * r->worlds->layout.record_bytes;
}

/* Gives the chunk to the caller, and empties it. */
carom_status carom_recorder_flush(carom_recorder *r);

#endif
