/* SPDX-License-Identifier: MIT
 * What the worlds of a batch hold: the table that a game supplies, the layout that follows from it, and the batch
 * behind carom_worlds, for the layers above: stepping, games, rollouts.
 *
 * A tile is 16 worlds, [field][element][lane]. Fields are laid out by the size of their type, reals first, then int32,
 * int16, int8, each group in table order, so every row of 16 lanes is aligned to its own size without padding. Worlds
 * so large that they are played one at a time (world_type.large) have a tile each, whose rows are single numbers: the
 * elements of a field are then adjacent.
 *
 * A game has one list of its fields (for example games/fall/fall.h). WORLD_FIELD_TABLE() makes the table from it, and
 * WORLD_TILE() the C struct with constant offsets that kernels use; a test compares the two.
 */
#ifndef CAROM_WORLDS_WORLDS_H
#define CAROM_WORLDS_WORLDS_H

#include <carom/worlds.h>

#include "base/affinity.h"

/* The fields that every world has, as X(name, count, role). They come first in the field table. */
#define WORLD_INT32_FIELDS(X) X(id, 2, IDENTITY) X(episode, 1, STATE) X(tick, 1, STATE)
#define WORLD_INT8_FIELDS(X) X(end, 1, STATE) X(fault, 1, STATE) X(frozen, 1, STATE)

typedef struct field_spec {
    const char *name;
    carom_type type;
    carom_role role;
    uint32_t count;
} field_spec;

/* The table {...} of a game's list of fields. A list is a macro that takes four macros, one for each type, and applies
 * them to (name, count, role), reals first, then int32, int16, int8:
 *     #define CSB_FIELDS(REAL, INT32, INT16, INT8) REAL(x, 4, STATE) ... INT8(winner, 1, STATE)
 */
#define WORLD_FIELD_TABLE(FIELDS) {FIELDS(WORLD_SPEC_REAL, WORLD_SPEC_INT32, WORLD_SPEC_INT16, WORLD_SPEC_INT8)}
#define WORLD_SPEC_REAL(name, count, role) {#name, CAROM_TYPE_REAL, CAROM_ROLE_##role, count},
#define WORLD_SPEC_INT32(name, count, role) {#name, CAROM_TYPE_INT32, CAROM_ROLE_##role, count},
#define WORLD_SPEC_INT16(name, count, role) {#name, CAROM_TYPE_INT16, CAROM_ROLE_##role, count},
#define WORLD_SPEC_INT8(name, count, role) {#name, CAROM_TYPE_INT8, CAROM_ROLE_##role, count},

/* The members of a tile's struct, in the order of worlds/fields.c. REAL, INT32, INT16 and INT8 declare the row of a
 * field: (name, count, role). */
#define WORLD_TILE(FIELDS, REAL, INT32, INT16, INT8)                                                                   \
    FIELDS(REAL, WORLD_NO_ROW, WORLD_NO_ROW, WORLD_NO_ROW)                                                             \
    WORLD_INT32_FIELDS(INT32)                                                                                          \
    FIELDS(WORLD_NO_ROW, INT32, WORLD_NO_ROW, WORLD_NO_ROW)                                                            \
    FIELDS(WORLD_NO_ROW, WORLD_NO_ROW, INT16, WORLD_NO_ROW)                                                            \
    WORLD_INT8_FIELDS(INT8)                                                                                            \
    FIELDS(WORLD_NO_ROW, WORLD_NO_ROW, WORLD_NO_ROW, INT8)
#define WORLD_NO_ROW(name, count, role)

/* The members of a tile of 16 worlds, in either precision. */
#define WORLD_TILE_F32(FIELDS) WORLD_TILE(FIELDS, WORLD_F32_ROW, WORLD_INT32_ROW, WORLD_INT16_ROW, WORLD_INT8_ROW)
#define WORLD_TILE_F64(FIELDS) WORLD_TILE(FIELDS, WORLD_F64_ROW, WORLD_INT32_ROW, WORLD_INT16_ROW, WORLD_INT8_ROW)
#define WORLD_F32_ROW(name, count, role) float name[count][CAROM_TILE];
#define WORLD_F64_ROW(name, count, role) double name[count][CAROM_TILE];
#define WORLD_INT32_ROW(name, count, role) int32_t name[count][CAROM_TILE];
#define WORLD_INT16_ROW(name, count, role) int16_t name[count][CAROM_TILE];
#define WORLD_INT8_ROW(name, count, role) int8_t name[count][CAROM_TILE];

/* context_image() for a context that is one block without pointers. */
static inline size_t world_flat_image(const void *context, void *to, size_t bytes)
{
    if (to != NULL) {
        __builtin_memcpy(to, context, bytes);
    }
    return bytes;
}

/* A game's functions for single worlds, at one precision. `tile` is a tile of the batch, or a scratch tile of the same
 * layout, and `lane` the world's lane in it. */
typedef struct world_ops {
    /* Sets the game's fields of one world to the start of game `episode`. On entry id and episode are set, and the
     * other common fields are zero. */
    void (*start)(const void *context, uint64_t seed, void *tile, unsigned lane);
    /* Does the game allow all values of this world? Must not read the derived fields. */
    bool (*check)(const void *context, const void *tile, unsigned lane);
    /* Recomputes the derived fields. The world has passed `check`. */
    void (*derive)(const void *context, void *tile, unsigned lane);
} world_ops;

/* The part of a game that its batches need. */
typedef struct world_type {
    const char *name;
    const field_spec *fields; /* the game's own; the common ones are put in front */
    size_t field_count;

    /* The read-only data that a batch shares (such as its maps), made from desc->options. context_hash is a hash of its
     * content: records can be exchanged between batches with equal hashes. */
    size_t (*context_bytes)(const carom_worlds_desc *desc); /* 0: desc->options are invalid */
    carom_status (*context_create)(const carom_worlds_desc *desc, void **context);
    void (*context_destroy)(void *context);
    uint64_t (*context_hash)(const void *context);
    /* Writes the context as a device needs it, in one block without pointers to host memory: pointers within the block
     * are as if it were at `address`. Returns its size in bytes; with `to` NULL writes nothing. NULL: worlds of this
     * type cannot be on a device. */
    size_t (*context_image)(const void *context, void *to, uint64_t address);

    /* For worlds in f32 and f64. */
    const world_ops *ops[2];

    /* Are worlds in f32, in f64, so large that they are played one at a time? */
    bool large[2];

    /* Bytes of working memory of one thread during a step. */
    size_t (*scratch_bytes)(const carom_worlds_desc *desc);
} world_type;

/* The field table of a type at a precision. */
typedef struct world_layout {
    carom_field *fields; /* allocated; freed with free() */
    size_t count;
    unsigned lanes;      /* worlds per tile: CAROM_TILE, or 1 for large worlds */
    size_t tile_bytes;   /* a multiple of 64 */
    size_t record_bytes; /* of one packed record */
} world_layout;

/* ---- the batch ---- */

struct carom_worlds {
    carom_worlds_desc desc; /* resolved; options and affinity are NULL */
    affinity *where;        /* processors on which its calls run; NULL: any. Allocated by malloc() */
    const world_type *type; /* a carom_game begins with its world_type */
    world_layout layout;
    void *context;          /* read-only data, made and freed by the type */
    uint64_t content;       /* hash of name, field table, precision and context: what makes records compatible */
    size_t tiles;           /* lanes from desc.count on are padding: valid frozen worlds that are in no hash */
    unsigned char *data;    /* [tiles][layout.tile_bytes], 64-byte aligned */
    unsigned char *scratch; /* [threads][scratch_bytes], 64-byte aligned */
    size_t scratch_bytes;
    carom_counters counters;
    /* For each world of [tiles * layout.lanes], outside the tiles; allocated when first needed. */
    uint64_t *seeds;       /* each world's seed; NULL: all use desc.seed */
    double *sums;          /* [world][players]: rewards of the current game so far, see carom_step.results; or NULL */
    uint32_t players;      /* number of the game's players, once there are sums */
    carom_problem problem; /* why the last modifying call was refused */
    struct device_batch *device; /* its part on a device, see worlds/device.h; NULL: it is on the host */
};

static inline void *carom_worlds_tile(const carom_worlds *worlds, size_t tile)
{
    return worlds->data + tile * worlds->layout.tile_bytes;
}

/* The tile that holds a world. */
static inline void *carom_worlds_tile_of(const carom_worlds *worlds, size_t world)
{
    return carom_worlds_tile(worlds, world / worlds->layout.lanes);
}

/* A world's lane in its tile. */
static inline unsigned carom_worlds_lane_of(const carom_worlds *worlds, size_t world)
{
    return (unsigned)(world % worlds->layout.lanes);
}

static inline const world_ops *world_ops_of(const carom_worlds *worlds)
{
    return worlds->type->ops[worlds->desc.precision == CAROM_F64];
}

/* Notes why a change is refused, in the format of printf(), and returns the status. */
__attribute__((format(printf, 3, 4))) carom_status carom_worlds_refuse(carom_worlds *worlds, carom_status status,
                                                                       const char *format, ...);

/* The seed of a world's random draws. */
static inline uint64_t carom_worlds_seed(const carom_worlds *worlds, size_t world)
{
    return worlds->seeds != NULL ? worlds->seeds[world] : worlds->desc.seed;
}

/* Can worlds be copied from src to dst? If not, notes the reason in dst. */
bool carom_worlds_are_alike(carom_worlds *dst, const carom_worlds *src);

/* Allocates the seeds, or the sums for that many players, unless they exist. CAROM_ERROR_MEMORY if it cannot. */
carom_status carom_worlds_take_seeds(carom_worlds *worlds);
carom_status carom_worlds_take_sums(carom_worlds *worlds, uint32_t players);

/* Copies all fields of the world in `from_lane` of one tile to `to_lane` of another. The layouts are those of batches
 * that are alike: they can differ only in their number of lanes. */
void carom_tile_copy_lane(const world_layout *layout, void *to, unsigned to_lane, const world_layout *from_layout,
                          const void *from, unsigned from_lane);

/* Fills the lanes set in `chosen`: lane l becomes the world in lane from_lanes[l] of tile from[l]. */
void carom_tile_gather(const world_layout *layout, void *to, unsigned chosen, const world_layout *from_layout,
                       const void *const *from, const unsigned *from_lanes);

/* Fills all lanes of `to` with one world, ids included. */
void carom_tile_broadcast(const world_layout *layout, void *to, const world_layout *from_layout, const void *from,
                          unsigned from_lane);

/* The id of a world in a tile (the field `id` has two int32 rows, low word first). */
uint64_t carom_tile_get_id(const world_layout *layout, const void *tile, unsigned lane);
void carom_tile_set_id(const world_layout *layout, void *tile, unsigned lane, uint64_t id);

/* Is the world valid: are its common fields in range, and does its type's check pass? `tile` may be a scratch tile; the
 * derived fields are not read. */
bool carom_tile_check(const carom_worlds *worlds, const void *tile, unsigned lane);

/* Marks a world as frozen. */
void carom_tile_freeze(const world_layout *layout, void *tile, unsigned lane);

#endif
