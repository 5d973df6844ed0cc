/* SPDX-License-Identifier: MIT
 * The bytes of a replay, as docs/replay.md describes them; the code that writing and reading share; a replay being
 * written; and an open one.
 */
#ifndef CAROM_REPLAY_FORMAT_H
#define CAROM_REPLAY_FORMAT_H

#include <carom/csb.h>
#include <carom/replay.h>

#include "base/hash.h"
#include "worlds/layout.h"

/* The version written. Older ones are readable: version 1 has neither packed ticks nor notes. */
#define REPLAY_VERSION 2
#define REPLAY_SUM 1              /* the initial value of all sums */
#define REPLAY_MAGIC "CAROMR\r\n" /* the line end reveals transfers that changed it as text */
#define REPLAY_MAGIC_BYTES 8
#define REPLAY_MOST_WORLDS (1u << 24)

/* The kinds of chunk, by their first byte. */
#define REPLAY_KEYFRAME 'K'
#define REPLAY_TICK 'T'
#define REPLAY_PART 'P'    /* a tick in which some worlds do not move */
#define REPLAY_PACKED 0x20 /* in the tag of either, making it a small letter: doubles are packed */
#define REPLAY_NOTE 'N'
#define REPLAY_END 'E'

/* A growing array of bytes. It is incomplete once `failed` is set, for lack of memory. */
typedef struct replay_buffer {
    unsigned char *bytes;
    size_t size, capacity;
    bool failed;
} replay_buffer;

/* Appends bytes, unless the buffer has failed. */
void carom_replay_append(replay_buffer *buffer, const void *bytes, size_t size);

/* Appends `count` numbers of `bytes` bytes each, little-endian. */
void carom_replay_append_numbers(replay_buffer *buffer, const void *numbers, size_t count, size_t bytes);

/* Numbers in a row, written to a buffer or read from bytes, so that one walk over a structure does both. */
typedef struct replay_walk {
    replay_buffer *to;         /* NULL: reading */
    const unsigned char *from; /* the next byte to read */
    size_t left;               /* bytes to read */
    bool failed;               /* out of memory or of bytes: numbers are read as 0 from there on */
} replay_walk;

/* Writes or reads `count` numbers of `bytes` bytes each. */
void carom_replay_code(replay_walk *walk, void *numbers, size_t count, size_t bytes);

/* The options of a game, and the memory that they point to. */
typedef struct replay_options {
    unsigned char *bytes; /* the structure; allocated */
    void *blocks[4];      /* lists that it points to; allocated */
    size_t block_count;
    uint64_t seed; /* that it points to, if any */
} replay_options;

/* Writes the options `given`, or reads options if that is NULL. `options` then holds them, and must be freed with
 * carom_replay_drop_options() in any case. False if the game has no options, or if out of memory. */
bool carom_replay_code_options(replay_walk *walk, const carom_game *game, const void *given, replay_options *options);
void carom_replay_drop_options(replay_options *options);

/* Is the game a described scene? A plug-in may have the same name. */
bool carom_replay_is_scene(const carom_game *game);

/* Appends the JSON text of a scene: of the scene itself, or in a build that cannot write it, `given`, unless that is
 * NULL. */
carom_status carom_replay_append_scene(replay_buffer *buffer, const carom_game *game, const char *given,
                                       carom_problem *problem);

/* Makes the scene of such a text; carom_scene_destroy() frees it. */
carom_status carom_replay_read_scene(const char *text, size_t length, carom_scene **scene, carom_problem *problem);

/* The check word of a world with the packed record `record`. The upper half is that of carom_worlds_hash(). Each field
 * k, counted without `id`, adds one bit of its hash to bit k mod 32 of the lower half, by exclusive or. */
uint64_t carom_replay_word(const carom_worlds *worlds, size_t world, const unsigned char *record);

/* The first field in which two check words differ, or NULL. */
const char *carom_replay_field_of(const carom_worlds *worlds, uint64_t a, uint64_t b);

/* The number of bytes of a mask of `bits` bits. */
static inline size_t replay_mask_bytes(size_t bits)
{
    return (bits + 7) / 8;
}

/* ---- packed numbers ---- */

/* Whole numbers take seven bits a byte, the lowest first; all bytes but the last have the top bit. */
#define REPLAY_MOST_WHOLE 5 /* bytes of one below 2^35 */

/* Writes a whole number below 2^35 to `to`, and returns its bytes. */
static inline size_t replay_put_whole(uint64_t number, unsigned char to[REPLAY_MOST_WHOLE])
{
    size_t bytes = 0;
    for (; number >= 0x80; number >>= 7) {
        to[bytes++] = (unsigned char)(number | 0x80);
    }
    to[bytes++] = (unsigned char)number;
    return bytes;
}

/* Reads one from at most `left` bytes, and returns its bytes; 0 if it is cut or longer than any that is written. */
static inline size_t replay_get_whole(const unsigned char *from, size_t left, uint64_t *number)
{
    *number = 0;
    for (size_t k = 0; k < left && k < REPLAY_MOST_WHOLE; k++) {
        *number |= (uint64_t)(from[k] & 0x7F) << 7 * k;
        if ((from[k] & 0x80) == 0) {
            return k + 1;
        }
    }
    return 0;
}

/* A double that has changed is packed as its difference from the previous one, if that is a whole number and adding it
 * gives the double to the bit: 2 d for d > 0, -2 d - 1 for d < 0. Otherwise it is 0 and the 8 bytes of the double. */
#define REPLAY_MOST_PACKED 9

/* Packs `now` to `to`, and returns its bytes. */
size_t carom_replay_pack(double now, double before, unsigned char to[REPLAY_MOST_PACKED]);

/* Unpacks a double from at most `left` bytes, and returns its bytes; 0 if it is cut. */
size_t carom_replay_unpack(const unsigned char *from, size_t left, double before, double *now);

/* ---- ticks ---- */

/* How ticks are played; the same for all ticks after a keyframe. */
typedef struct replay_acting {
    uint32_t kinds[CAROM_MAX_PLAYERS]; /* each player's kind of action */
    carom_at_end at_end;               /* CAROM_AS_MADE: as the batch was made */
    double dt;                         /* the length of a tick; 0: the game's own */
} replay_acting;

/* The number of numbers, and of bytes, of one world's actions in a tick: [player][number], each in its player's
 * kind. */
size_t carom_replay_numbers(const carom_game *game, const replay_acting *acting);
size_t carom_replay_row_bytes(const carom_game *game, const replay_acting *acting);

/* The actions of one tick. */
typedef struct replay_tick {
    unsigned char *actions;               /* [world], a row each */
    unsigned char *of[CAROM_MAX_PLAYERS]; /* room for the same actions, by player */
    uint8_t *still;                       /* [world] not 0: it does not move, and its row is ignored */
} replay_tick;

/* Allocates a tick of `worlds` worlds. False if out of memory; free it in any case. */
bool carom_replay_tick_take(replay_tick *tick, const carom_game *game, size_t worlds);
void carom_replay_tick_free(replay_tick *tick);

/* Fills in the step that plays the tick in `worlds` worlds. Outputs stay as they are. */
void carom_replay_tick_step(replay_tick *tick, const carom_game *game, const replay_acting *acting, size_t worlds,
                            carom_step *step);

/* ---- a replay being written: record.c (the head) and ticks.c ---- */

struct carom_recorder {
    const carom_worlds *worlds; /* the batch */
    carom_worlds *shadow;       /* [count] copies of the chosen worlds, to play repeated steps tick by tick */
    carom_replay_write *write;  /* the caller's function, called with `user` */
    void *user;
    size_t count;           /* worlds that are recorded */
    size_t *chosen;         /* [count] which ones */
    uint32_t interval;      /* ticks between keyframes */
    uint32_t since;         /* ticks since the last keyframe */
    uint64_t ticks;         /* ticks written so far */
    uint64_t sum;           /* of the ticks since the last keyframe */
    replay_acting acting;   /* of the last keyframe */
    unsigned char *records; /* [count][record bytes] of the worlds after the last tick */
    uint64_t *seeds;        /* [count] for their random draws */
    replay_tick tick;       /* the actions of the present tick */
    unsigned char *before;  /* [count], a row of the widest kind each: the actions of the previous tick */
    uint8_t *over;          /* [count] games that have ended, in the shadow */
    unsigned char *lanes;   /* scratch for a policy: a tile's actions */
    unsigned char *row;     /* scratch for a policy: a world's actions */
    replay_buffer chunk;    /* the chunk being made */
    replay_buffer packed;   /* the same tick, packed: the shorter one is written */
    bool begun;             /* the worlds follow from the last keyframe; otherwise the next tick begins with one */
    bool ended;             /* the stream is complete, or could not be written */
};

/* The record of the k-th chosen world. */
static inline unsigned char *recorder_record(const carom_recorder *r, size_t k)
{
    return r->records + k * r->worlds->layout.record_bytes;
}

/* Passes the chunk to the caller's function, and empties it. */
carom_status carom_recorder_flush(carom_recorder *r);

/* ---- an open replay: replay.c plays it, verify.c compares it ---- */

/* A state of all worlds in the replay. */
typedef struct keyframe {
    uint64_t tick;         /* ticks before it */
    size_t seeds, records; /* offsets in the bytes */
    replay_acting acting;  /* of the ticks that follow */
    bool jump;             /* the caller changed the worlds: it does not follow from the ticks before */
} keyframe;

/* A note in the replay. */
typedef struct noted {
    uint64_t tick; /* ticks before it */
    size_t at;     /* offset of its chunk */
} noted;

struct carom_replay {
    const unsigned char *bytes; /* owned by the caller */
    size_t size;
    uint32_t version; /* of the format */
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
    noted *notes;
    size_t note_count, note_room;
    bool whole; /* it is complete, with its end */
};

/* Sets the worlds to the state of a keyframe. */
carom_status carom_replay_load(const carom_replay *r, const keyframe *frame, carom_worlds *worlds);

/* Decodes a tick into `tick`, which holds the previous tick (after a keyframe: zeros), since only changed numbers are
 * stored. Returns the tick's check words. */
const unsigned char *carom_replay_decode(const carom_replay *r, uint64_t number, const replay_acting *acting,
                                         replay_tick *tick);

/* Plays a tick in the worlds, with the outputs of `wanted`, or none if that is NULL. */
carom_status carom_replay_tick(const keyframe *frame, carom_worlds *worlds, replay_tick *tick,
                               const carom_step *wanted);

#endif
