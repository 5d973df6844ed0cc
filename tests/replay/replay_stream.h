/* SPDX-License-Identifier: MIT
 * Shared by tests of replays: a stream in memory, which can forge its data; batches that are recorded; and the check
 * that a replay plays.
 */
#ifndef CAROM_TESTS_REPLAY_REPLAY_STREAM_H
#define CAROM_TESTS_REPLAY_REPLAY_STREAM_H

#include "test.h"

#include "replay_mend.h"

#define WORLDS 37

/* ---- a stream in memory ---- */

typedef struct stream {
    unsigned char *bytes;
    size_t size, room, most; /* most: refuse what goes beyond it; 0: nothing */
    /* Forgery: in tick `tick` (from 1) byte `from_end` before the end of the chunk is changed by `flip`, and sums are
     * made right again. */
    size_t tick, from_end, ticks;
    size_t keyframe, keyframes; /* or in keyframe `keyframe` (from 1) instead of a tick */
    unsigned char flip;
    uint64_t sum;
    size_t jumps; /* keyframes that do not follow from what is before */
} stream;

static inline bool put(void *user, const void *bytes, size_t size)
{
    stream *s = user;
    if (s->most != 0 && s->size + size > s->most) {
        return false;
    }
    if (s->size + size > s->room) {
        s->room = 2 * (s->size + size);
        s->bytes = realloc(s->bytes, s->room);
        assert_non_null(s->bytes);
    }
    unsigned char *at = s->bytes + s->size;
    memcpy(at, bytes, size);
    s->size += size;
    s->jumps += at[0] == 'K' && (at[9] & 1) != 0;
    if (s->flip != 0 && at[0] == 'T') {
        if (++s->ticks == s->tick) {
            at[size - s->from_end] ^= s->flip;
        }
        s->sum = hash_bytes(s->sum, at, size);
    } else if (s->flip != 0 && (at[0] == 'K' || at[0] == 'E')) {
        if (s->ticks > 0) {
            memcpy(at + 1, &s->sum, sizeof s->sum);
        }
        if (at[0] == 'K') {
            if (++s->keyframes == s->keyframe) {
                at[size - s->from_end] ^= s->flip;
            }
            const uint64_t own = hash_bytes(VERSION, at, size - sizeof own);
            memcpy(at + size - sizeof own, &own, sizeof own);
        }
        s->sum = VERSION;
    }
    return true;
}

static inline void end_stream(stream *s)
{
    free(s->bytes);
}

static inline carom_recorder_desc describe(stream *s)
{
    carom_recorder_desc desc = carom_recorder_desc_default();
    desc.write = put;
    desc.user = s;
    return desc;
}

/* ---- batches ---- */

static inline carom_worlds *make(const carom_game *game, const void *options, carom_precision precision,
                                 carom_at_end at_end)
{
    return MAKE_WORLDS(game, .count = WORLDS, .options = options, .precision = precision, .seed = 11, .first_id = 1000,
                       .at_end = at_end);
}

/* Leaves the test in builds without JSON, in which no scene is recorded. */
static inline void need_json(const carom_scene *scene)
{
    OWNED_TEXT char *text = NULL;
    if (carom_scene_write_json(scene, &text) == CAROM_ERROR_UNSUPPORTED) {
        skip();
    }
}

/* A step in which the last policies play: player 0 by one, player 1 by another. */
static inline carom_step policies(const carom_game *game)
{
    const carom_game_info info = carom_game_describe(game);
    carom_step step = carom_step_default();
    step.players[0].source = step.players[1].source = CAROM_POLICY;
    step.players[0].policy = 0;
    step.players[1].policy = info.policies - 1;
    return step;
}

static inline carom_recorder *make_recorder(const carom_worlds *worlds, const carom_recorder_desc *desc)
{
    carom_recorder *recorder = NULL;
    carom_problem problem;
    if (carom_recorder_create(worlds, desc, &recorder, &problem) != CAROM_OK) {
        fail_msg("%s", problem.text);
    }
    return recorder;
}

static inline carom_replay *open_stream(const stream *s)
{
    carom_replay *replay = NULL;
    carom_problem problem;
    if (carom_replay_open(s->bytes, s->size, &replay, &problem) != CAROM_OK) {
        fail_msg("%s", problem.text);
    }
    return replay;
}

static inline carom_worlds *worlds_of(const carom_replay *replay)
{
    carom_worlds *worlds = NULL;
    must(carom_replay_worlds(replay, CAROM_ISA_DEFAULT, 1, &worlds), "carom_replay_worlds");
    return worlds;
}

static inline void verify(const stream *s, uint64_t ticks, bool whole)
{
    OWNED(carom_replay) *replay = open_stream(s);
    carom_replay_difference difference;
    const carom_replay_info info = carom_replay_describe(replay);
    assert_int_equal(info.ticks, ticks);
    assert_int_equal(info.whole, whole);
    for (size_t k = 0; k < isa_count; k++) {
        uint64_t progress = 0;
        assert_int_equal(carom_replay_verify(replay, isas[k], 0, NULL, &progress, &difference), CAROM_OK);
        if (difference.found) {
            fail_msg("%s, tick %d, world %d: %s differs", carom_isa_name(isas[k]), (int)difference.ticks,
                     (int)difference.world, difference.field != NULL ? difference.field : "the hash");
        }
        assert_int_equal(progress, ticks);
    }
}

#endif
