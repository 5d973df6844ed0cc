/* SPDX-License-Identifier: MIT
 * An open replay, and what playing and verifying share.
 */
#ifndef CAROM_REPLAY_READ_H
#define CAROM_REPLAY_READ_H

#include "replay/format.h"

/* A state of all worlds in the replay. */
typedef struct keyframe {
    uint64_t tick;         /* ticks before it */
    size_t seeds, records; /* offsets in the bytes */
    replay_acting acting;  /* of the ticks that follow */
    bool jump;             /* the caller had changed the worlds: it does not follow from the ticks before */
} keyframe;

struct carom_replay {
    const unsigned char *bytes; /* owned by the caller */
    size_t size;
    const carom_game *game;
    carom_scene *scene; /* NULL, or the owner of the game */
    replay_options options;
    carom_precision precision;
    carom_at_end at_end;
    uint64_t seed, content;
    size_t count, record_bytes;
    keyframe *keyframes;
    size_t keyframe_count, keyframe_room;
    size_t *ticks; /* [tick_count] offsets of their chunks */
    size_t tick_count, tick_room;
    bool whole; /* it has its end, and was not cut */
};

/* Sets the worlds to the state of a keyframe. */
carom_status carom_replay_load(const carom_replay *r, const keyframe *frame, carom_worlds *worlds);

/* Decodes a tick into `tick`, which holds the tick before it (after a keyframe: zeros), since only changed numbers are
 * stored. Returns the tick's words of check. */
const unsigned char *carom_replay_decode(const carom_replay *r, uint64_t number, const replay_acting *acting,
                                         replay_tick *tick);

/* Plays a tick in the worlds, with the outputs of `wanted`, or none if that is NULL. */
carom_status carom_replay_tick(const keyframe *frame, carom_worlds *worlds, replay_tick *tick,
                               const carom_step *wanted);

#endif
