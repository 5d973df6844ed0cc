/* SPDX-License-Identifier: MIT
 * The bytes of a replay, as docs/replay.md describes them, and what writing and reading share.
 */
#ifndef CAROM_REPLAY_FORMAT_H
#define CAROM_REPLAY_FORMAT_H

#include <carom/csb.h>
#include <carom/replay.h>

#include "base/hash.h"
#include "worlds/layout.h"

/* Must change when older replays can no longer be read. */
#define REPLAY_VERSION 1
#define REPLAY_MAGIC "CAROMR\r\n" /* the line end reveals transfers that changed it as text */
#define REPLAY_MAGIC_BYTES 8
#define REPLAY_MOST_WORLDS (1u << 24)

/* The kinds of chunk, by their first byte. */
#define REPLAY_KEYFRAME 'K'
#define REPLAY_TICK 'T'
#define REPLAY_PART 'P' /* a tick in which some worlds do not move */
#define REPLAY_END 'E'

/* A growing array of bytes. It is incomplete once `failed` is set, for lack of memory. */
typedef struct replay_buffer {
    unsigned char *bytes;
    size_t size, capacity;
    bool failed;
} replay_buffer;

/* Appends bytes, unless the buffer has failed. */
void carom_replay_append(replay_buffer *buffer, const void *bytes, size_t size);

/* Numbers in a row, written to a buffer or read from bytes, so that one walk over a structure does both. */
typedef struct replay_walk {
    replay_buffer *to;         /* NULL: reading */
    const unsigned char *from; /* the next byte to read */
    size_t left;               /* bytes to read */
    bool failed;               /* no memory, or no bytes left: numbers are read as 0 from there on */
} replay_walk;

/* Writes or reads one number. */
void carom_replay_code(replay_walk *walk, void *number, size_t bytes);

/* The options of a game, and the memory that they point at. */
typedef struct replay_options {
    unsigned char *bytes; /* the structure; allocated */
    void *blocks[4];      /* lists that it points at; allocated */
    size_t block_count;
    uint64_t seed; /* that it points at, if it does */
} replay_options;

/* Writes the options `given`, or reads options if that is NULL. `options` holds them then, and must be freed with
 * carom_replay_drop_options() in any case. False if the game has no options, or there is no memory. */
bool carom_replay_code_options(replay_walk *walk, const carom_game *game, const void *given, replay_options *options);
void carom_replay_drop_options(replay_options *options);

/* The word of check of a world with the packed record `record`. The upper half is that of carom_worlds_hash(). Each
 * field k, counted without `id`, adds one bit of its hash to bit k mod 32 of the lower half, by exclusive or. */
uint64_t carom_replay_word(const carom_worlds *worlds, size_t world, const unsigned char *record);

/* The first field that two words of check show to differ, or NULL. */
const char *carom_replay_field_of(const carom_worlds *worlds, uint64_t a, uint64_t b);

/* The number of bytes of a mask of `bits` bits. */
static inline size_t replay_mask_bytes(size_t bits)
{
    return (bits + 7) / 8;
}

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
    uint8_t *still;                       /* [world] not 0: it does not move, and its row means nothing */
} replay_tick;

/* Allocates a tick of `worlds` worlds. False if there is no memory; it must be freed in any case. */
bool carom_replay_tick_take(replay_tick *tick, const carom_game *game, size_t worlds);
void carom_replay_tick_free(replay_tick *tick);

/* Fills in the step that plays the tick in `worlds` worlds. Outputs stay as they are. */
void carom_replay_tick_step(replay_tick *tick, const carom_game *game, const replay_acting *acting, size_t worlds,
                            carom_step *step);

#endif
