/* SPDX-License-Identifier: MIT
 * A batch of W independent worlds: create, state, copy and fork, hash, save and load, faults, counters.
 *
 * Every world of a batch has the same fields, listed in a table: carom_worlds_field(). One allocation holds them all,
 * in tiles of 16 worlds, [tile][field][element][lane 0..15], whatever the instruction set; so views, saved buffers
 * and hashes are the same everywhere. Scenes with many bodies (the deep engine: scene.h) store one world after another,
 * a tile being one world; carom_worlds_view() gives the layout.
 *
 * The id and the seed. Every world has a 64-bit id, its name in the whole experiment: first_id + index at creation. It
 * also has a seed, at creation the batch's. The seed determines what the world draws, such as the map of a game. Draws
 * depend on a world's seed and id, never on its place: two worlds with the same seed and id play the same games in any
 * batch that shares what is drawn at creation (csb's maps: see carom_csb_options.map_seed). So a batch can be split
 * into shards or permuted. carom_worlds_copy() also copies id and seed. carom_worlds_fork() does not: a fork is a new
 * world, with the id and seed of the place that it takes. The seed is not a field, and not part of a record.
 *
 * Faults are isolated: other worlds are unaffected. See carom_fault.
 */
#ifndef CAROM_WORLDS_H
#define CAROM_WORLDS_H

#include <carom/base.h>

#ifdef __cplusplus
extern "C" {
#endif

#define CAROM_TILE 16       /* worlds stored together */
#define CAROM_MAX_PLAYERS 4 /* of any game */

typedef struct carom_game carom_game;     /* the rules: see game.h */
typedef struct carom_worlds carom_worlds; /* a batch; made by carom_worlds_create() */

/* What happens to a world when its game is over. For games ended by a fault see carom_fault. */
typedef enum carom_at_end {
    CAROM_PLAY_ON, /* nothing: it plays on by the same rules; the end is reported once */
    CAROM_FREEZE,  /* it keeps its last state; ticks skip it */
    CAROM_RESET,   /* it starts its next game in the same tick */
    CAROM_AS_MADE  /* in carom_step only: as the batch was created */
} carom_at_end;

typedef struct carom_worlds_desc {
    size_t size; /* sizeof(carom_worlds_desc), set by carom_worlds_desc_default() */
    const carom_game *game;
    const void *options; /* the game's own options, such as carom_csb_options; NULL: its defaults; read at creation */
    size_t count;        /* W, at least 1 */
    carom_precision precision;
    carom_isa isa;
    unsigned threads;  /* the most that work on a call, up to CAROM_MAX_THREADS; 0: carom_threads() */
    uint64_t seed;     /* of everything that the game draws; any number */
    uint64_t first_id; /* the id of world 0 */
    carom_at_end at_end;
    /* The processors on which the batch's calls run, by the system's numbers; read at creation. `threads` then
     * defaults to affinity_count. NULL and 0: all. See carom_affinity_check(). */
    const unsigned *affinity;
    size_t affinity_count;
    unsigned device; /* where the worlds live and play: 0 for this processor, or carom_device_cuda(): see device.h */
} carom_worlds_desc;

/* One world of `game`, f64, the default instruction set, all threads, seed 0, ids from 0, CAROM_PLAY_ON. */
CAROM_API carom_worlds_desc carom_worlds_desc_default(const carom_game *game);

/* Creates a batch with every world at the start of its first game, and allocates all memory that later calls on it
 * need. Free *worlds with carom_worlds_destroy(); it is NULL after an error. CAROM_ERROR_VALUE: more threads than
 * CAROM_MAX_THREADS (such as -1 converted to unsigned), a processor that carom_affinity_check() refuses, or an option
 * out of its range. On a device (desc.device) also what carom_device_check() returns. */
CAROM_API carom_status carom_worlds_create(const carom_worlds_desc *desc, carom_worlds **worlds);
CAROM_API void carom_worlds_destroy(carom_worlds *worlds); /* NULL is allowed */

/* Bytes that carom_worlds_create() would allocate for desc, scratch included; 0 for an invalid desc. A batch on a
 * device takes about that many in this processor's memory, and as many again, but at least 16 MiB, on the device. */
CAROM_API size_t carom_worlds_bytes(const carom_worlds_desc *desc);

/* What the batch was created with; `isa` and `threads` are resolved, `options` and `affinity` are NULL. */
CAROM_API carom_worlds_desc carom_worlds_describe(const carom_worlds *worlds);
CAROM_API size_t carom_worlds_count(const carom_worlds *worlds);

/* Returns all worlds to the start of their first game: ids first_id + index, the batch's seed, counters zero. */
CAROM_API carom_status carom_worlds_reset(carom_worlds *worlds);

/* Starts a new game in the worlds whose mask[world] is not 0 (NULL: in all), faulted and frozen worlds included.
 * ids[world] and seeds[world], read only where the mask is not 0, are their new ids and seeds (NULL: they keep theirs).
 * A world that gets a new id or seed starts at episode 0, any other at its next episode. Counters stay. */
CAROM_API carom_status carom_worlds_restart(carom_worlds *worlds, const uint8_t *mask, const uint64_t *ids,
                                            const uint64_t *seeds);

/* Changes the batch's seed and that of all its worlds. Games continue; what was drawn at creation stays. A
 * carom_worlds_reset() then starts the same games as in a batch created with that seed. */
CAROM_API carom_status carom_worlds_reseed(carom_worlds *worlds, uint64_t seed);

/* seeds[i] = the seed of world first + i. */
CAROM_API carom_status carom_worlds_seeds(const carom_worlds *worlds, size_t first, size_t count, uint64_t *seeds);

/* One line: why the most recent call that would have changed the batch was refused (a copy or fork into it, a set,
 * load, restart, carom_worlds_play() or carom_worlds_expand()). Empty if none was. */
CAROM_API carom_status carom_worlds_problem(const carom_worlds *worlds, carom_problem *problem);

/* ---- fields ---- */

typedef enum carom_type { CAROM_TYPE_REAL, CAROM_TYPE_INT32, CAROM_TYPE_INT16, CAROM_TYPE_INT8 } carom_type;

typedef enum carom_role {
    CAROM_ROLE_STATE,     /* changes as the world is played; saved and hashed */
    CAROM_ROLE_PARAMETER, /* set at the start of a game; saved and hashed */
    CAROM_ROLE_IDENTITY,  /* the world's id: saved, not hashed */
    CAROM_ROLE_DERIVED    /* follows from the others: neither saved, nor hashed, nor settable */
} carom_role;

typedef struct carom_field {
    const char *name;
    carom_type type;
    carom_role role;
    uint32_t count;  /* elements per world */
    uint32_t bytes;  /* of one element; a real has 4 (f32) or 8 (f64) */
    uint32_t offset; /* bytes from the start of a tile to element 0 of lane 0 */
} carom_field;

/* Fields that every batch has, first in the table: `id` (2 x int32, low word first), `episode` (games finished before
 * this one, int32), `tick` (ticks played in this game, int32), `end` (int8, carom_end of game.h), `fault` (int8,
 * carom_fault bits), `frozen` (int8, 0 or 1). The game's own follow; its header lists them. */
CAROM_API size_t carom_worlds_field_count(const carom_worlds *worlds);
CAROM_API carom_status carom_worlds_field(const carom_worlds *worlds, size_t index, carom_field *field);
CAROM_API carom_status carom_worlds_find_field(const carom_worlds *worlds, const char *name, size_t *index);

/* Copies field `index` of worlds [first, first + count) to or from values[count][field.count], in the field's own type.
 * `set` changes all or nothing: CAROM_ERROR_VALUE if the game does not allow a value (a number that is not finite, a
 * checkpoint that the map does not have, ...). */
CAROM_API carom_status carom_worlds_get(const carom_worlds *worlds, size_t index, size_t first, size_t count,
                                        void *values);
CAROM_API carom_status carom_worlds_set(carom_worlds *worlds, size_t index, size_t first, size_t count,
                                        const void *values);

/* The same for the worlds listed in `indices`; values[n][field.count]. If a world is listed twice, `set` keeps the
 * later values. */
CAROM_API carom_status carom_worlds_get_list(const carom_worlds *worlds, size_t index, const size_t *indices, size_t n,
                                             void *values);
CAROM_API carom_status carom_worlds_set_list(carom_worlds *worlds, size_t index, const size_t *indices, size_t n,
                                             const void *values);

/* A field in place: element e of world w is at
 *     (const char *)data + (w / lanes) * tile_stride + e * element_stride + (w % lanes) * lane_stride       (bytes)
 * where lanes is 16, or 1 if worlds are stored one after another. Valid until the batch is destroyed; every call that
 * changes the batch changes its values. For a batch on a device, `data` is device memory. */
typedef struct carom_view {
    const void *data;
    carom_type type;
    size_t worlds, elements, lanes;
    size_t tile_stride, element_stride, lane_stride;
} carom_view;

CAROM_API carom_status carom_worlds_view(const carom_worlds *worlds, size_t index, carom_view *view);

/* A whole world as one packed record: every field but the derived ones, in table order, [field][element],
 * little-endian, no padding. A record is a plain value: keep it, or set it in any batch of the same game, options and
 * precision. `set`: CAROM_ERROR_VALUE as above, CAROM_ERROR_SIZE unless size is carom_worlds_record_size(). */
CAROM_API size_t carom_worlds_record_size(const carom_worlds *worlds);
CAROM_API carom_status carom_worlds_get_world(const carom_worlds *worlds, size_t world, void *record, size_t size);
CAROM_API carom_status carom_worlds_set_world(carom_worlds *worlds, size_t world, const void *record, size_t size);

/* Records of the worlds listed in `indices` (NULL: 0..n-1), one after the other: `size` is n times that of one. */
CAROM_API carom_status carom_worlds_get_records(const carom_worlds *worlds, const size_t *indices, size_t n,
                                                void *records, size_t size);
CAROM_API carom_status carom_worlds_set_records(carom_worlds *worlds, const size_t *indices, size_t n,
                                                const void *records, size_t size);

/* ---- copy and fork ---- */

/* World to[i] of dst becomes world from[i] of src, id included, for i in [0, n). NULL for `to` or `from` means 0..n-1.
 * dst and src must have the same game, options and precision (otherwise CAROM_ERROR_ARGUMENT, and
 * carom_worlds_problem() names the difference). They may be the same batch if no index is in both lists. If `to` lists
 * a world twice, the later copy stays. The sums of rewards behind carom_step.results are copied, too.
 * CAROM_ERROR_MEMORY: dst needs 8 bytes per world if seeds differ, and 8 bytes per player and world if src was played
 * with results. */
CAROM_API carom_status carom_worlds_copy(carom_worlds *dst, const size_t *to, const carom_worlds *src,
                                         const size_t *from, size_t n);

/* Worlds [first, first + n) of dst become world `from` of src, but keep their own ids. dst may be src. */
CAROM_API carom_status carom_worlds_fork(carom_worlds *dst, size_t first, size_t n, const carom_worlds *src,
                                         size_t from);

/* ---- hash ---- */

/* hashes[0..count-1] = a 64-bit hash of the state and parameters of worlds [first, first + count), without ids. -0
 * hashes as 0, and all NaNs alike. */
CAROM_API carom_status carom_worlds_hash(const carom_worlds *worlds, size_t first, size_t count, uint64_t *hashes);

/* The sum (modulo 2^64) over all worlds of a mix of (id, hash): the digests of shards, in any order, add up to that of
 * the whole. */
CAROM_API carom_status carom_worlds_digest(const carom_worlds *worlds, uint64_t *digest);

/* ---- save and load ---- */

CAROM_API size_t carom_worlds_save_size(const carom_worlds *worlds);

/* Saves the worlds and counters. CAROM_ERROR_SIZE if size is less than carom_worlds_save_size(). */
CAROM_API carom_status carom_worlds_save(const carom_worlds *worlds, void *buffer, size_t size);

/* Loads a save into a batch of the same game, options, precision and count; instruction set and threads may differ. The
 * batch takes over the saved seeds, first id and counters. If its maps are drawn from its seed, that seed must already
 * be the saved one. CAROM_ERROR_FORMAT if the buffer is not a whole, undamaged save of such a batch. */
CAROM_API carom_status carom_worlds_load(carom_worlds *worlds, const void *buffer, size_t size);

/* ---- faults and counters ---- */

/* Why a world cannot be played any further. Other worlds continue.
 *
 * A fault ends the game. The world returns to the start of the tick in which the fault arose; that tick does not count
 * and gives no rewards. The end is CAROM_TRUNCATED (game.h), without a winner; carom_result.fault has the bits, and the
 * last observation is of the state to which the world returned. With CAROM_RESET the next game starts in the same tick,
 * and the fault is gone. With CAROM_FREEZE and CAROM_PLAY_ON the world stays frozen, with its fields `end` and `fault`
 * set, until carom_worlds_restart() or carom_worlds_reset().
 *
 * A game that is already over (CAROM_PLAY_ON) does not end again: a fault freezes its world, and `end` stays. In a
 * rollout a sequence with a fault returns -INFINITY (rollout.h). */
typedef enum carom_fault {
    CAROM_FAULT_EVENTS = 1, /* a tick reached its limit of events */
    CAROM_FAULT_NAN = 2,    /* a number of the state became NaN */
    CAROM_FAULT_RANGE = 4   /* a number of the state left the range that the game allows */
} carom_fault;

/* The number of worlds that have a fault now, and the union of their fault bits (may be NULL). With CAROM_RESET no
 * world has one after a call; carom_counters.faults counts them. */
CAROM_API size_t carom_worlds_faults(const carom_worlds *worlds, unsigned *bits);

/* What the batch has done since its creation or carom_worlds_reset(), summed over its worlds. */
typedef struct carom_counters {
    uint64_t ticks;  /* world-ticks played; frozen worlds do not count */
    uint64_t events; /* impacts */
    uint64_t games;  /* games that ended, other than by a fault */
    uint64_t goals;  /* what carom_game_info.counts names (csb: checkpoints passed) */
    uint64_t faults; /* faults, each counted once */
} carom_counters;

CAROM_API carom_counters carom_worlds_counters(const carom_worlds *worlds);

#ifdef __cplusplus
}
#endif
#endif
