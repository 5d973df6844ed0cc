/* SPDX-License-Identifier: MIT
 * A batch of W independent worlds: create, state, copy and fork, hash, save and load, faults, counters.
 *
 * Every world of a batch has the same fields, listed in a table: carom_worlds_field(). One allocation holds them all,
 * in tiles of 16 worlds, [tile][field][element][lane 0..15], whatever the instruction set; so views, saved buffers
 * and hashes are the same everywhere. Worlds of scenes with many bodies (those of the deep engine: scene.h) are stored
 * one after another, a tile being one world; carom_worlds_view() tells.
 *
 * The id and the seed. Every world has a 64-bit id, its name in the whole experiment; at creation first_id + index. It
 * draws (which map a game starts on, say) with a seed, at creation the batch's. Draws depend on a world's seed and id,
 * never on its place: two worlds that share them share the games, wherever they stand, as long as their batches share
 * what is drawn at creation (csb's maps: see carom_csb_options.map_seed). So a batch can be split into shards or
 * permuted. carom_worlds_copy() moves id and seed along; carom_worlds_fork() does not: a fork is a new world and takes
 * those of the place where it is put. The seed is no field and in no record.
 *
 * Trouble stays in its world: see carom_fault.
 */
#ifndef CAROM_WORLDS_H
#define CAROM_WORLDS_H

#include <carom/base.h>

#ifdef __cplusplus
extern "C" {
#endif

#define CAROM_TILE 16       /* worlds stored together */
#define CAROM_MAX_PLAYERS 4 /* of a game: players 0 to 3 at most; arrays of this length have an entry for each */

typedef struct carom_game carom_game;     /* the rules: see game.h */
typedef struct carom_worlds carom_worlds; /* a batch; made by carom_worlds_create() */

/* What becomes of a world when its game is over. See carom_fault for games that a fault has ended. */
typedef enum carom_at_end {
    CAROM_PLAY_ON, /* nothing: the rules go on being applied; the end is reported once */
    CAROM_FREEZE,  /* it keeps its last state; ticks pass it by */
    CAROM_RESET,   /* it starts its next game in the same tick */
    CAROM_AS_MADE  /* in carom_step only: as the batch was made */
} carom_at_end;

typedef struct carom_worlds_desc {
    size_t size; /* sizeof(carom_worlds_desc), set by carom_worlds_desc_default() */
    const carom_game *game;
    const void *options; /* the game's own options, such as carom_csb_options; NULL: its defaults; read at creation */
    size_t count;        /* W, at least 1 */
    carom_precision precision;
    carom_isa isa;
    unsigned threads;  /* at most so many threads work on a call, CAROM_MAX_THREADS or fewer; 0: carom_threads() */
    uint64_t seed;     /* for everything that the game draws; any number */
    uint64_t first_id; /* the id of world 0 */
    carom_at_end at_end;
    /* The processors on which the batch's calls run, by the system's numbers; read at creation. `threads` then
     * defaults to affinity_count. NULL and 0: any. See carom_affinity_check(). */
    const unsigned *affinity;
    size_t affinity_count;
    unsigned device; /* where the worlds live and play: 0, this processor, or carom_device_cuda(): see device.h */
} carom_worlds_desc;

/* The default: one world of `game`, f64, the default instruction set, all threads, seed 0, ids from 0, play on. */
CAROM_API carom_worlds_desc carom_worlds_desc_default(const carom_game *game);

/* Makes a batch with every world at the start of its first game. All memory that any later call on it needs is taken
 * here. *worlds is the caller's, to be freed by carom_worlds_destroy(); NULL after an error. CAROM_ERROR_VALUE: threads
 * above CAROM_MAX_THREADS (such as -1 that was made unsigned), a processor that carom_affinity_check() refuses, or an
 * option out of its range. On a device (desc.device): also what carom_device_check() says. */
CAROM_API carom_status carom_worlds_create(const carom_worlds_desc *desc, carom_worlds **worlds);
CAROM_API void carom_worlds_destroy(carom_worlds *worlds); /* NULL is allowed */

/* Bytes that carom_worlds_create() would take for desc, scratch included; 0 for an invalid desc. A batch on a device
 * takes about as many in this processor's memory, and again about as many in the device's, at least 16 MiB there. */
CAROM_API size_t carom_worlds_bytes(const carom_worlds_desc *desc);

/* What the batch was made with; `isa` and `threads` are resolved, `options` and `affinity` are NULL. */
CAROM_API carom_worlds_desc carom_worlds_describe(const carom_worlds *worlds);
CAROM_API size_t carom_worlds_count(const carom_worlds *worlds);

/* All worlds back to the start of their first game: ids to first_id + index, seeds to the batch's, counters to zero. */
CAROM_API carom_status carom_worlds_reset(carom_worlds *worlds);

/* Worlds begin a new game: those whose mask[world] is not 0; NULL: all. Faults and frozen worlds are no hindrance.
 * ids[world], seeds[world]: what they are given, read only where the mask is not 0; NULL: they keep theirs. A world
 * that is given either begins with episode 0, any other with its next episode. Counters stay. */
CAROM_API carom_status carom_worlds_restart(carom_worlds *worlds, const uint8_t *mask, const uint64_t *ids,
                                            const uint64_t *seeds);

/* From now on the batch's seed is `seed`, and all worlds draw with it. Games go on; what was drawn at creation stays.
 * carom_worlds_reset() after it begins what a batch made with that seed begins. */
CAROM_API carom_status carom_worlds_reseed(carom_worlds *worlds, uint64_t seed);

/* seeds[i] = the seed that world first + i draws with. */
CAROM_API carom_status carom_worlds_seeds(const carom_worlds *worlds, size_t first, size_t count, uint64_t *seeds);

/* Why the last call that was to change the batch and was refused was refused, in a line: a copy or fork into it, a set,
 * load, restart, carom_worlds_play() or carom_worlds_expand(). Empty if there was none. */
CAROM_API carom_status carom_worlds_problem(const carom_worlds *worlds, carom_problem *problem);

/* ---- fields ---- */

typedef enum carom_type { CAROM_TYPE_REAL, CAROM_TYPE_INT32, CAROM_TYPE_INT16, CAROM_TYPE_INT8 } carom_type;

typedef enum carom_role {
    CAROM_ROLE_STATE,     /* changes as the world runs; saved and hashed */
    CAROM_ROLE_PARAMETER, /* set at the start of a game; saved and hashed */
    CAROM_ROLE_IDENTITY,  /* the world's id: saved, not hashed */
    CAROM_ROLE_DERIVED    /* follows from the others: neither saved, nor hashed, nor settable */
} carom_role;

typedef struct carom_field {
    const char *name;
    carom_type type;
    carom_role role;
    uint32_t count;  /* elements a world */
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
 * set is all or nothing: CAROM_ERROR_VALUE if a world would hold what the game does not allow (a number that is not
 * finite, a checkpoint that the map does not have, ...). */
CAROM_API carom_status carom_worlds_get(const carom_worlds *worlds, size_t index, size_t first, size_t count,
                                        void *values);
CAROM_API carom_status carom_worlds_set(carom_worlds *worlds, size_t index, size_t first, size_t count,
                                        const void *values);

/* The same for the worlds that `indices` lists; values[n][field.count]. If set names a world twice the later values
 * stay. */
CAROM_API carom_status carom_worlds_get_list(const carom_worlds *worlds, size_t index, const size_t *indices, size_t n,
                                             void *values);
CAROM_API carom_status carom_worlds_set_list(carom_worlds *worlds, size_t index, const size_t *indices, size_t n,
                                             const void *values);

/* A field in place: element e of world w is at
 *     (const char *)data + (w / lanes) * tile_stride + e * element_stride + (w % lanes) * lane_stride       (bytes)
 * where lanes is 16, or 1 if worlds are stored one after another.
 * Valid until the batch is destroyed; its values change with every call that changes the batch. Of a batch on a device
 * it is that device's memory. */
typedef struct carom_view {
    const void *data;
    carom_type type;
    size_t worlds, elements, lanes;
    size_t tile_stride, element_stride, lane_stride;
} carom_view;

CAROM_API carom_status carom_worlds_view(const carom_worlds *worlds, size_t index, carom_view *view);

/* A whole world as one packed record: every field but the derived ones, in table order, [field][element],
 * little-endian, no padding. The record is a pure value: it may be kept and put into any batch of the same game,
 * options and precision. set: CAROM_ERROR_VALUE as above, CAROM_ERROR_SIZE unless size is carom_worlds_record_size().
 * */
CAROM_API size_t carom_worlds_record_size(const carom_worlds *worlds);
CAROM_API carom_status carom_worlds_get_world(const carom_worlds *worlds, size_t world, void *record, size_t size);
CAROM_API carom_status carom_worlds_set_world(carom_worlds *worlds, size_t world, const void *record, size_t size);

/* Records of the worlds that `indices` lists (NULL: 0..n-1), one after the other: `size` is n times the size of one. */
CAROM_API carom_status carom_worlds_get_records(const carom_worlds *worlds, const size_t *indices, size_t n,
                                                void *records, size_t size);
CAROM_API carom_status carom_worlds_set_records(carom_worlds *worlds, const size_t *indices, size_t n,
                                                const void *records, size_t size);

/* ---- copy and fork ---- */

/* World to[i] of dst becomes world from[i] of src, id included, for i in [0, n). NULL for `to` or `from` means 0..n-1.
 * dst and src have the same game, options and precision (CAROM_ERROR_ARGUMENT otherwise, and carom_worlds_problem()
 * says what differs) and may be the same batch if no index is in both lists. If `to` names a world twice the later one
 * stays. The sums of rewards that carom_step.results gives go with the worlds. CAROM_ERROR_MEMORY: seeds differ, and
 * there is no room for 8 bytes a world of dst; or src has been played with results, and dst has no room for 8 bytes a
 * player and world. */
CAROM_API carom_status carom_worlds_copy(carom_worlds *dst, const size_t *to, const carom_worlds *src,
                                         const size_t *from, size_t n);

/* Worlds [first, first + n) of dst become world `from` of src, each keeping its own id. The same batch is allowed. */
CAROM_API carom_status carom_worlds_fork(carom_worlds *dst, size_t first, size_t n, const carom_worlds *src,
                                         size_t from);

/* ---- hash ---- */

/* hashes[0..count-1] = a 64-bit hash of the state and parameters of worlds [first, first + count), ids not included. -0
 * counts as 0 and every NaN as the same one. */
CAROM_API carom_status carom_worlds_hash(const carom_worlds *worlds, size_t first, size_t count, uint64_t *hashes);

/* The sum (modulo 2^64) over all worlds of a mix of (id, hash): the digests of shards add up to that of the whole, in
 * whatever order. */
CAROM_API carom_status carom_worlds_digest(const carom_worlds *worlds, uint64_t *digest);

/* ---- save and load ---- */

CAROM_API size_t carom_worlds_save_size(const carom_worlds *worlds);

/* CAROM_ERROR_SIZE if size is less than carom_worlds_save_size(). Counters are saved, too. */
CAROM_API carom_status carom_worlds_save(const carom_worlds *worlds, void *buffer, size_t size);

/* Into a batch of the same game, options, precision and count; instruction set and threads may differ. The saved seeds,
 * first id and counters are taken over (where the batch's maps are drawn from the seed, it must be the same already).
 * CAROM_ERROR_FORMAT if the buffer is not a whole, undamaged save of such a batch. */
CAROM_API carom_status carom_worlds_load(carom_worlds *worlds, const void *buffer, size_t size);

/* ---- faults and counters ---- */

/* What is wrong with a world that cannot be played on. Its neighbours go on.
 *
 * A fault ends the game. The world is put back to the start of the tick in which the fault arose, and that tick is not
 * counted and gives no rewards. The end is CAROM_TRUNCATED (game.h), with no winner; carom_result.fault has the bits,
 * and the last observation is of the state that the world was put back to. With CAROM_RESET the next game begins in the
 * same tick, and the world has no fault any more. With CAROM_FREEZE and CAROM_PLAY_ON the world is frozen, with its
 * fields `end` and `fault` set, until carom_worlds_restart() or carom_worlds_reset().
 *
 * A game that is over already (CAROM_PLAY_ON) does not end again: a fault freezes its world, whatever comes at the end
 * of a game, and `end` stays. A sequence of a rollout with a fault returns -INFINITY (rollout.h). */
typedef enum carom_fault {
    CAROM_FAULT_EVENTS = 1, /* the limit of events in one tick was reached */
    CAROM_FAULT_NAN = 2,    /* a number of the state became NaN */
    CAROM_FAULT_RANGE = 4   /* a number of the state left the range that the game allows */
} carom_fault;

/* Worlds that have a fault now, and the union of their fault bits (may be NULL). With CAROM_RESET none has one after a
 * call: carom_counters.faults counts them. */
CAROM_API size_t carom_worlds_faults(const carom_worlds *worlds, unsigned *bits);

/* What the batch has done since its creation or carom_worlds_reset(), summed over its worlds. */
typedef struct carom_counters {
    uint64_t ticks;  /* world-ticks played; frozen worlds do not count */
    uint64_t events; /* impacts */
    uint64_t games;  /* games that came to an end, other than by a fault */
    uint64_t goals;  /* what carom_game_info.counts says (csb: checkpoints passed) */
    uint64_t faults; /* faults: one for each time that a world was put back */
} carom_counters;

CAROM_API carom_counters carom_worlds_counters(const carom_worlds *worlds);

#ifdef __cplusplus
}
#endif
#endif
