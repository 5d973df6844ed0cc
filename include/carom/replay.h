/* SPDX-License-Identifier: MIT
 * Replays: record some worlds of a batch, to play them again and look at them.
 *
 * A replay is a stream of bytes: how the worlds were created, their states from time to time (keyframes), all actions
 * in every tick, and a check word (part of a hash) of every world after every tick. docs/replay.md describes the bytes.
 * A replay is complete in itself. It plays to the same bits on any instruction set; carom_replay_verify() checks this,
 * and says where it differs.
 *
 *     record     carom_recorder_create(worlds, &desc, &recorder, &problem);
 *                carom_recorder_play(recorder, &step);                  instead of carom_worlds_play(worlds, &step)
 *                carom_recorder_end(recorder); carom_recorder_destroy(recorder);
 *     look       carom_replay_open(bytes, size, &replay, &problem);
 *                carom_replay_worlds(replay, CAROM_ISA_DEFAULT, 0, &worlds);
 *                carom_replay_seek(replay, worlds, 100);                the state after 100 ticks
 *                carom_replay_play(replay, worlds, 100, &step);         the tick after that
 *
 * One thread at a time may use a recorder or a replay; different ones may be used at the same time.
 */
#ifndef CAROM_REPLAY_H
#define CAROM_REPLAY_H

#include <carom/scene.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- writing ---- */

/* Takes the next `size` bytes of the stream. If it returns false, the recording is over. */
typedef bool carom_replay_write(void *user, const void *bytes, size_t size);

typedef struct carom_recorder_desc {
    size_t size;             /* sizeof(carom_recorder_desc), set by carom_recorder_desc_default() */
    const size_t *worlds;    /* [count] worlds of the batch, in any order, each once; copied. NULL: 0..count-1 */
    size_t count;            /* 0 (default): all worlds of the batch, without reading `worlds` */
    const void *options;     /* the batch's own, as in carom_worlds_desc; NULL: the defaults. Read at creation */
    uint32_t keyframe_ticks; /* from one keyframe to the next, at least 1; default 256. Seeking to a tick plays at most
                                that many */
    carom_replay_write *write;
    void *user; /* for write */
    /* The JSON text of a scene, for a build without a JSON library, which cannot write it itself. NULL (default): such
     * a build records no scenes. */
    const char *scene;
} carom_recorder_desc;

CAROM_API carom_recorder_desc carom_recorder_desc_default(void);

typedef struct carom_recorder carom_recorder;

/* Starts a replay of worlds of this batch and writes its head. The batch must outlive the recorder. Free *recorder with
 * carom_recorder_destroy(); it is NULL after an error. problem may be NULL.
 *     CAROM_ERROR_ARGUMENT      a world that the batch does not have, or one twice; options that are not the batch's; a
 *                               scene with hooks, which a file cannot hold
 *     CAROM_ERROR_UNSUPPORTED   a game with more than 255 kinds of action; a scene without a JSON library and without
 *                               desc.scene
 *     CAROM_ERROR_VALUE         more than CAROM_REPLAY_MAPS drawn maps
 *     CAROM_ERROR_CANCELLED     write() returned false */
CAROM_API carom_status carom_recorder_create(const carom_worlds *worlds, const carom_recorder_desc *desc,
                                             carom_recorder **recorder, carom_problem *problem);
CAROM_API void carom_recorder_destroy(carom_recorder *recorder); /* NULL is allowed */

/* Plays like carom_worlds_play(), with the same results, and writes what the chosen worlds do, for any step: worlds
 * that do not play (first, count, skip), steps of several ticks (repeat), at_end and actions by player are all kept.
 * Ticks in which none of the chosen worlds plays are not written. `worlds` must be the recorder's batch. If the caller
 * has changed a chosen world since the last call, a keyframe is written first. The call plays step by step, which for a
 * batch larger than the caches is slower than many ticks at once; the chosen worlds play steps of several ticks twice.
 * After CAROM_ERROR_CANCELLED the batch is as carom_step.cancel says, or write() returned false. */
CAROM_API carom_status carom_recorder_play(carom_recorder *recorder, carom_worlds *worlds, const carom_step *step);

/* Text in a replay. */
typedef enum carom_note_kind {
    CAROM_NOTE_NAME,    /* the player's name, before the first tick */
    CAROM_NOTE_MESSAGE, /* the message with its action in a tick */
    CAROM_NOTE_ERROR,   /* what a bot has written to its standard error since its last action */
    CAROM_NOTE_REFEREE  /* the referee's words on the player, such as why it lost */
} carom_note_kind;

#define CAROM_REPLAY_TEXT 65536 /* bytes of a note, at most */

typedef struct carom_replay_note {
    carom_note_kind kind;
    uint64_t tick;    /* the tick that it belongs to, counted from 0; after the last one, the number of ticks */
    size_t world;     /* of the replay */
    unsigned player;  /* of the game */
    const char *text; /* any bytes, UTF-8 to be shown; without a terminating 0 */
    size_t length;
} carom_replay_note;

/* Writes a note for the tick that is recorded next; note->tick is not read.
 *     CAROM_ERROR_ARGUMENT    no such kind, world of the replay or player, or more than CAROM_REPLAY_TEXT bytes
 *     CAROM_ERROR_CANCELLED   write() returned false, or the recording is over */
CAROM_API carom_status carom_recorder_note(carom_recorder *recorder, const carom_replay_note *note);

/* Writes the end, which tells readers that nothing is missing. Nothing can be recorded afterwards. */
CAROM_API carom_status carom_recorder_end(carom_recorder *recorder);

/* ---- reading ---- */

#define CAROM_REPLAY_MAPS 65536 /* drawn maps of csb, at most, of a batch that is recorded */

typedef struct carom_replay carom_replay;

typedef struct carom_replay_info {
    const carom_game *game;   /* if it is a scene's, it lives as long as the replay */
    const carom_scene *scene; /* NULL for other games */
    carom_precision precision;
    carom_at_end at_end;
    uint64_t seed;
    size_t worlds;
    uint64_t ticks; /* complete ones */
    bool whole;     /* it has an end; otherwise the file was cut or is still being written */
    size_t keyframes;
    size_t notes;
} carom_replay_info;

/* Reads a replay from bytes, which remain the caller's and must not change until it is closed. A replay may be cut
 * anywhere after its first state. Open plug-in games first. Close *replay with carom_replay_close(); it is NULL after
 * an error. problem may be NULL.
 *     CAROM_ERROR_FORMAT        not a replay, one of a later version, a damaged one, one of a game that has changed or
 *                               does not exist, or one that was cut before its first state
 *     CAROM_ERROR_UNSUPPORTED   a scene in a build without a JSON library */
CAROM_API carom_status carom_replay_open(const void *bytes, size_t size, carom_replay **replay, carom_problem *problem);
CAROM_API void carom_replay_close(carom_replay *replay); /* after destroying its worlds; NULL is allowed */

CAROM_API carom_replay_info carom_replay_describe(const carom_replay *replay);

/* A batch of the replay's worlds, in order, before its first tick; free it with carom_worlds_destroy(). threads: as in
 * carom_worlds_desc. */
CAROM_API carom_status carom_replay_worlds(const carom_replay *replay, carom_isa isa, unsigned threads,
                                           carom_worlds **worlds);

/* Brings such a batch to the state after `ticks` ticks, from the last keyframe before it. */
CAROM_API carom_status carom_replay_seek(const carom_replay *replay, carom_worlds *worlds, uint64_t ticks);

/* Plays tick number `tick` (0: the first), as recorded, in a batch that is just before it. Only the outputs and the
 * recording of `wanted` are used (carom_step), for one tick; NULL: none. */
CAROM_API carom_status carom_replay_play(const carom_replay *replay, carom_worlds *worlds, uint64_t tick,
                                         const carom_step *wanted);

/* The actions of a tick: kinds[CAROM_MAX_PLAYERS], indexes into the game's kinds of action (beyond the game's players
 * that of player 0), and actions[world][player][number], each in its kind's precision, without gaps; for a world that
 * did not play, its last actions. capacity: bytes of `actions` (CAROM_ERROR_SIZE). Either may be NULL. */
CAROM_API carom_status carom_replay_actions(const carom_replay *replay, uint64_t tick, size_t *kinds, void *actions,
                                            size_t capacity);

/* Note number `index`, below carom_replay_info.notes, in the order of recording, by tick. The text points into the
 * bytes that the replay was opened from. */
CAROM_API carom_status carom_replay_note_at(const carom_replay *replay, size_t index, carom_replay_note *note);

/* Where a replay, played again, first differs from the recording. */
typedef struct carom_replay_difference {
    bool found;
    uint64_t ticks;    /* after how many; 0: in the first state */
    size_t world;      /* of the replay */
    uint64_t id;       /* of that world */
    const char *field; /* the first field, by the table, known to differ; NULL: only the world's hash is */
    bool values;       /* a keyframe also gives the numbers: */
    uint32_t element;  /* of the field */
    double was, is;    /* recorded; played now */
} carom_replay_difference;

/* Plays a replay again and compares every world after every tick. CAROM_OK if the comparison was complete; *difference
 * has its result. cancel and progress may be NULL; *progress grows to the number of ticks. */
CAROM_API carom_status carom_replay_verify(const carom_replay *replay, carom_isa isa, unsigned threads,
                                           const volatile int *cancel, uint64_t *progress,
                                           carom_replay_difference *difference);

#ifdef __cplusplus
}
#endif
#endif
