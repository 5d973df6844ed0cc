/* SPDX-License-Identifier: MIT
 * Replays: what some worlds of a batch have done, so that it can be played anew and looked at.
 *
 * A replay is a stream of bytes: what the worlds were made with, their states now and then (keyframes), what
 * everybody did in every tick, and a word of check of every world after every tick. docs/replay.md describes the
 * bytes. Whoever has a replay needs nothing else: on any instruction set it plays to the same bits, or
 * carom_replay_verify() says where it does not.
 *
 *     record     carom_recorder_create(worlds, &desc, &recorder, &problem);
 *                carom_recorder_play(recorder, &step);                  instead of carom_worlds_play(worlds, &step)
 *                carom_recorder_end(recorder); carom_recorder_destroy(recorder);
 *     look       carom_replay_open(bytes, size, &replay, &problem);
 *                carom_replay_worlds(replay, CAROM_ISA_DEFAULT, 0, &worlds);
 *                carom_replay_seek(replay, worlds, 100);                the state after 100 ticks
 *                carom_replay_play(replay, worlds, 100, &step);         the tick after that
 *
 * A recorder or a replay may be used by one thread at a time; different ones at once.
 */
#ifndef CAROM_REPLAY_H
#define CAROM_REPLAY_H

#include <carom/scene.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- writing ---- */

/* Takes the next `size` bytes of the stream; false if it cannot: the recording is over then. */
typedef bool carom_replay_write(void *user, const void *bytes, size_t size);

typedef struct carom_recorder_desc {
    size_t size;          /* sizeof(carom_recorder_desc), set by carom_recorder_desc_default() */
    const size_t *worlds; /* [count] which worlds of the batch, in any order, each once; copied. NULL: 0..count-1 */
    size_t count;         /* 0 (default): all worlds of the batch; `worlds` is not read then */
    const void *options;  /* what the batch was made with (carom_worlds_desc.options); NULL: the game's defaults. Read
                                at creation */
    uint32_t keyframe_ticks; /* from one keyframe to the next, at least 1; default 256. To go to a tick costs playing as
                                many as that */
    carom_replay_write *write;
    void *user;        /* for write */
    const char *scene; /* the JSON text that a scene was made from: what the head holds in a build without a JSON
                          library, which cannot write one. NULL (default): such a build records no scenes */
} carom_recorder_desc;

CAROM_API carom_recorder_desc carom_recorder_desc_default(void);

typedef struct carom_recorder carom_recorder;

/* Begins a replay of worlds of this batch: writes its head. The batch must outlive the recorder.
 * *recorder is the caller's, to be freed by carom_recorder_destroy(); NULL after an error. problem may be NULL.
 *     CAROM_ERROR_ARGUMENT      a world that the batch does not have, or one twice; options that are not the batch's; a
 *                               scene with hooks, which no file can hold
 *     CAROM_ERROR_UNSUPPORTED   a game with more than 255 kinds of action; a scene without a JSON library and without
 *                               desc.scene
 *     CAROM_ERROR_VALUE         more than CAROM_REPLAY_MAPS drawn maps
 *     CAROM_ERROR_CANCELLED     write answered false */
CAROM_API carom_status carom_recorder_create(const carom_worlds *worlds, const carom_recorder_desc *desc,
                                             carom_recorder **recorder, carom_problem *problem);
CAROM_API void carom_recorder_destroy(carom_recorder *recorder); /* NULL is allowed */

/* Plays as carom_worlds_play() does, with the same results, and writes what the chosen worlds did, whatever the step:
 * worlds that stand still (first, count, skip) do so in the replay, a step of several ticks (repeat) is all of them,
 * and at_end and actions by player are kept. Ticks in which all chosen worlds stand still are not written. `worlds` is
 * the batch that the recorder was made of. A keyframe is written first where the caller has changed a chosen world
 * since the last call. It plays step by step, so that a batch larger than the caches is slower than it is in calls of
 * many; steps of several ticks are played twice by the chosen worlds. After CAROM_ERROR_CANCELLED the batch is as
 * carom_step.cancel says, or write has answered false. */
CAROM_API carom_status carom_recorder_play(carom_recorder *recorder, carom_worlds *worlds, const carom_step *step);

/* What goes with a replay as text. */
typedef enum carom_note_kind {
    CAROM_NOTE_NAME,    /* the player's name, before the first tick */
    CAROM_NOTE_MESSAGE, /* what it says in a tick, beside what it does */
    CAROM_NOTE_ERROR,   /* what a program that plays has written to its standard error since its last action */
    CAROM_NOTE_REFEREE  /* what the referee says of the player, such as why it has lost */
} carom_note_kind;

#define CAROM_REPLAY_TEXT 65536 /* bytes of a note, at most */

typedef struct carom_replay_note {
    carom_note_kind kind;
    uint64_t tick;    /* ticks before it: it belongs to tick number `tick`, counted from 0, or follows the last one */
    size_t world;     /* of the replay */
    unsigned player;  /* of the game */
    const char *text; /* any bytes, UTF-8 if they are to be shown; not ended by a zero */
    size_t length;
} carom_replay_note;

/* Writes a note, which belongs to the tick that is recorded next; note->tick is not read.
 *     CAROM_ERROR_ARGUMENT    a kind, a world of the replay or a player that there is not, or more than
 *                             CAROM_REPLAY_TEXT bytes
 *     CAROM_ERROR_CANCELLED   write answered false, or the recording is over */
CAROM_API carom_status carom_recorder_note(carom_recorder *recorder, const carom_replay_note *note);

/* Writes the end, by which a reader knows that nothing is missing. Nothing can be recorded after that. */
CAROM_API carom_status carom_recorder_end(carom_recorder *recorder);

/* ---- reading ---- */

#define CAROM_REPLAY_MAPS 65536 /* drawn maps of csb, at most, of a batch that is recorded */

typedef struct carom_replay carom_replay;

typedef struct carom_replay_info {
    const carom_game *game;   /* lives as long as the replay, if it is a scene's */
    const carom_scene *scene; /* NULL if it is none */
    carom_precision precision;
    carom_at_end at_end;
    uint64_t seed;
    size_t worlds;
    uint64_t ticks; /* whole ones */
    bool whole;     /* its end is there; otherwise the file was cut, or is still being written */
    size_t keyframes;
    size_t notes;
} carom_replay_info;

/* Reads a replay out of bytes that stay the caller's and must not change until it is closed. What comes after a cut is
 * not missed. A game from outside must have been opened before. *replay is the caller's, to be freed by
 * carom_replay_close(); NULL after an error. problem may be NULL.
 *     CAROM_ERROR_FORMAT        no replay, one of a later version, a damaged one, one of a game that is not there or is
 *                               not the same any more, or one that was cut before its first state
 *     CAROM_ERROR_UNSUPPORTED   a scene in a build without a JSON library */
CAROM_API carom_status carom_replay_open(const void *bytes, size_t size, carom_replay **replay, carom_problem *problem);
CAROM_API void carom_replay_close(carom_replay *replay); /* after the worlds made of it; NULL is allowed */

CAROM_API carom_replay_info carom_replay_describe(const carom_replay *replay);

/* A batch of the replay's worlds, in their order, before its first tick; to be freed by carom_worlds_destroy().
 * threads: as in carom_worlds_desc. */
CAROM_API carom_status carom_replay_worlds(const carom_replay *replay, carom_isa isa, unsigned threads,
                                           carom_worlds **worlds);

/* Brings such a batch to the state after `ticks` ticks, by the nearest keyframe before. */
CAROM_API carom_status carom_replay_seek(const carom_replay *replay, carom_worlds *worlds, uint64_t ticks);

/* Plays tick number `tick` (0: the first), as it was recorded, in a batch that stands before it. Of `wanted` only the
 * outputs and the recording (carom_step) are read, one tick of them; NULL: none. */
CAROM_API carom_status carom_replay_play(const carom_replay *replay, carom_worlds *worlds, uint64_t tick,
                                         const carom_step *wanted);

/* What everybody did in a tick: kinds[CAROM_MAX_PLAYERS], indexes into the game's kinds of action (where the game has
 * no such player, that of player 0), and actions[world][player][number], each in its kind's precision, without gaps; of
 * a world that stood still, what it did before. capacity: bytes there are (CAROM_ERROR_SIZE). Either may be NULL. */
CAROM_API carom_status carom_replay_actions(const carom_replay *replay, uint64_t tick, size_t *kinds, void *actions,
                                            size_t capacity);

/* Note number `index` < notes of carom_replay_describe(), in the order in which they were recorded: by tick. The text
 * lies in the bytes that the replay was opened from. */
CAROM_API carom_status carom_replay_note_at(const carom_replay *replay, size_t index, carom_replay_note *note);

/* Where a replay played anew first differs from what was recorded. */
typedef struct carom_replay_difference {
    bool found;
    uint64_t ticks; /* played when it is seen; 0: in the first state */
    size_t world;   /* of the replay */
    uint64_t id;    /* of that world */
    const char
        *field;  /* the field that differs, the first in the table of those that are known to; NULL: only the hash of
                          the world differs */
    bool values; /* a keyframe tells the numbers, too: */
    uint32_t element; /* of the field */
    double was, is;   /* recorded; played anew */
} carom_replay_difference;

/* Plays a replay anew and compares every world after every tick. CAROM_OK if it was compared, whatever the outcome:
 * difference says. cancel and progress may be NULL; *progress grows to the number of ticks. */
CAROM_API carom_status carom_replay_verify(const carom_replay *replay, carom_isa isa, unsigned threads,
                                           const volatile int *cancel, uint64_t *progress,
                                           carom_replay_difference *difference);

#ifdef __cplusplus
}
#endif
#endif
