/* SPDX-License-Identifier: MIT
 * The bytes of a replay, as docs/replay.md describes them: what writing and reading share.
 */
#ifndef CAROM_REPLAY_FORMAT_H
#define CAROM_REPLAY_FORMAT_H

#include <carom/csb.h>
#include <carom/replay.h>

#include "base/hash.h"
#include "worlds/layout.h"

/* Changes whenever replays of the older one cannot be read any more. */
#define REPLAY_VERSION 1
#define REPLAY_MAGIC "CAROMR\r\n" /* the line end is there to be spoilt by a transfer that takes it for text */
#define REPLAY_MAGIC_BYTES 8
#define REPLAY_MOST_WORLDS (1u << 24)

/* The kinds of chunk, by their first byte. */
#define REPLAY_KEYFRAME 'K'
#define REPLAY_TICK 'T'
#define REPLAY_PART 'P' /* a tick in which some of the worlds stand still */
#define REPLAY_END 'E'

/* Bytes that grow. After `failed` (no memory) they are not whole. */
typedef struct replay_buffer {
    unsigned char *bytes;
    size_t size, capacity;
    bool failed;
} replay_buffer;

void carom_replay_append(replay_buffer *buffer, const void *bytes, size_t size);

/* Numbers one after the other, to a buffer or from bytes: one walk over a structure does both. A walk that runs out of
 * bytes has `failed`, and its numbers are 0 from there on. */
typedef struct replay_walk {
    replay_buffer *to; /* NULL: reading */
    const unsigned char *from;
    size_t left;
    bool failed;
} replay_walk;

void carom_replay_code(replay_walk *walk, void *number, size_t bytes);

/* The options of a game, and what they point at. */
typedef struct replay_options {
    unsigned char *bytes; /* the structure */
    void *blocks[4];
    size_t block_count;
    uint64_t seed;
} replay_options;

/* Writes the options that are given, or reads them (NULL), into `options`, which is to be dropped in either case. False
 * if the game has none, or there is no memory. */
bool carom_replay_code_options(replay_walk *walk, const carom_game *game, const void *given, replay_options *options);
void carom_replay_drop_options(replay_options *options);

/* The word of check of a world, of which `record` is the packed record: the upper half is that of carom_worlds_hash();
 * bit k mod 32 of the lower half is the parity of one bit of the hash of each field k, counted without `id`. */
uint64_t carom_replay_word(const carom_worlds *worlds, size_t world, const unsigned char *record);

/* The first field by which two words can be seen to differ, or NULL. */
const char *carom_replay_field_of(const carom_worlds *worlds, uint64_t a, uint64_t b);

/* Bytes of a mask of so many bits. */
static inline size_t replay_mask_bytes(size_t bits)
{
    return (bits + 7) / 8;
}

/* ---- ticks ---- */

/* What is the same in all ticks from a keyframe on: in which kind each player acts, what becomes of a game that is
 * over, how long a tick is. */
typedef struct replay_acting {
    uint32_t kinds[CAROM_MAX_PLAYERS];
    carom_at_end at_end; /* CAROM_AS_MADE: what the batch was made with */
    double dt;           /* 0: the game's own */
} replay_acting;

/* A world's numbers of a tick, which stand one after the other: [player][number], each in its player's kind. */
size_t carom_replay_numbers(const carom_game *game, const replay_acting *acting);
size_t carom_replay_row_bytes(const carom_game *game, const replay_acting *acting);

/* One tick: [world] what they do. */
typedef struct replay_tick {
    unsigned char *actions;               /* [world][a row] */
    unsigned char *of[CAROM_MAX_PLAYERS]; /* room for the same by player */
    uint8_t *still;                       /* [world] not 0: it stands still, and its row does not count */
} replay_tick;

/* Room for so many worlds; false: no memory. To be freed in either case. */
bool carom_replay_tick_take(replay_tick *tick, const carom_game *game, size_t worlds);
void carom_replay_tick_free(replay_tick *tick);

/* The step of `worlds` worlds that plays it, but for outputs. */
void carom_replay_tick_step(replay_tick *tick, const carom_game *game, const replay_acting *acting, size_t worlds,
                            carom_step *step);

#endif
