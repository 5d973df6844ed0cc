/* SPDX-License-Identifier: MIT
 * A replay that has been opened: what playing and comparing share.
 */
#ifndef CAROM_REPLAY_READ_H
#define CAROM_REPLAY_READ_H

#include "replay/format.h"

typedef struct keyframe {
    uint64_t tick;         /* ticks before it */
    size_t seeds, records; /* where they are */
    replay_acting acting;
    bool jump; /* the caller had changed the worlds: it does not follow from what is before */
} keyframe;

struct carom_replay {
    const unsigned char *bytes; /* the caller's */
    size_t size;
    const carom_game *game;
    carom_scene *scene; /* its owner */
    replay_options options;
    carom_precision precision;
    carom_at_end at_end;
    uint64_t seed, content;
    size_t count, record_bytes;
    keyframe *keyframes;
    size_t keyframe_count, keyframe_room;
    size_t *ticks; /* [tick_count] where their chunks are */
    size_t tick_count, tick_room;
    bool whole;
};

/* Brings worlds to the state of a keyframe. */
carom_status carom_replay_load(const carom_replay *r, const keyframe *frame, carom_worlds *worlds);

/* A tick: who stands still, and the numbers of the others over those of the tick before it; gives where its words of
 * check are. */
const unsigned char *carom_replay_decode(const carom_replay *r, uint64_t number, const replay_acting *acting,
                                         replay_tick *tick);

/* Plays it; of `wanted` (or NULL) the outputs are read. */
carom_status carom_replay_tick(const keyframe *frame, carom_worlds *worlds, replay_tick *tick,
                               const carom_step *wanted);

#endif
