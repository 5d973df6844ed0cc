/* SPDX-License-Identifier: MIT
 * The batch behind carom_worlds, for the layers above: stepping, games, rollouts.
 */
#ifndef CAROM_WORLDS_WORLDS_H
#define CAROM_WORLDS_WORLDS_H

#include "worlds/type.h"

struct carom_worlds {
    carom_worlds_desc desc; /* resolved; options is NULL */
    const world_type *type; /* a carom_game begins with its world_type */
    world_layout layout;
    void *context;          /* read-only data, made and freed by the type */
    uint64_t content;       /* hash of name, field table, precision and context: what makes records compatible */
    size_t tiles;           /* lanes from desc.count on are padding: valid frozen worlds that enter no hash */
    unsigned char *data;    /* [tiles][layout.tile_bytes], 64-byte aligned */
    unsigned char *scratch; /* [threads][scratch_bytes], 64-byte aligned */
    size_t scratch_bytes;
    carom_counters counters;
    /* Kept beside the tiles, for each world of [tiles * layout.lanes], and allocated when first needed. */
    uint64_t *seeds;       /* each world's seed; NULL: all draw with desc.seed */
    double *sums;          /* [world][players]: rewards of the current game so far, see carom_step.results; or NULL */
    uint32_t players;      /* players of the game, once there are sums */
    carom_problem problem; /* why the last change was refused */
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

/* The lane of its tile that holds a world. */
static inline unsigned carom_worlds_lane_of(const carom_worlds *worlds, size_t world)
{
    return (unsigned)(world % worlds->layout.lanes);
}

static inline const world_ops *world_ops_of(const carom_worlds *worlds)
{
    return worlds->type->ops[worlds->desc.precision == CAROM_F64];
}

/* Notes why a change is refused, as printf() writes it, and returns the status. */
__attribute__((format(printf, 3, 4))) carom_status carom_worlds_refuse(carom_worlds *worlds, carom_status status,
                                                                       const char *format, ...);

/* The seed that a world draws with. */
static inline uint64_t carom_worlds_seed(const carom_worlds *worlds, size_t world)
{
    return worlds->seeds != NULL ? worlds->seeds[world] : worlds->desc.seed;
}

/* Can worlds be copied from src to dst? If not, notes in dst why. */
bool carom_worlds_are_alike(carom_worlds *dst, const carom_worlds *src);

/* Allocates the seeds, or the sums for that many players, unless they exist; CAROM_ERROR_MEMORY if that fails. */
carom_status carom_worlds_take_seeds(carom_worlds *worlds);
carom_status carom_worlds_take_sums(carom_worlds *worlds, uint32_t players);

/* Copies all fields of the world in `from_lane` of one tile to `to_lane` of another. The layouts are those of batches
 * that are alike: they can differ only in their number of lanes. */
void carom_tile_copy_lane(const world_layout *layout, void *to, unsigned to_lane, const world_layout *from_layout,
                          const void *from, unsigned from_lane);

/* Fills the lanes that are set in `chosen`: lane l becomes the world in lane from_lanes[l] of tile from[l]. */
void carom_tile_gather(const world_layout *layout, void *to, unsigned chosen, const world_layout *from_layout,
                       const void *const *from, const unsigned *from_lanes);

/* Fills all lanes of `to` with one world; ids included. */
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
