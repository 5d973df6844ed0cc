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
    void *context;          /* read-only, made by the type */
    uint64_t content;       /* hash of name, field table, precision and context: what makes records compatible */
    size_t tiles;           /* lanes from desc.count on are padding: valid frozen worlds that enter no hash */
    unsigned char *data;    /* [tiles][layout.tile_bytes], 64-byte aligned */
    unsigned char *scratch; /* [threads][scratch_bytes], 64-byte aligned */
    size_t scratch_bytes;
    carom_counters counters;
};

static inline void *carom_worlds_tile(const carom_worlds *worlds, size_t tile)
{
    return worlds->data + tile * worlds->layout.tile_bytes;
}

static inline const world_ops *world_ops_of(const carom_worlds *worlds)
{
    return worlds->type->ops[worlds->desc.precision == CAROM_F64];
}

/* Copies world `from_lane` of one tile to `to_lane` of another of the same layout, all fields. */
void carom_tile_copy_lane(const world_layout *layout, void *to, unsigned to_lane, const void *from, unsigned from_lane);

/* Fills all 16 lanes of `to` with one world; ids included. */
void carom_tile_broadcast(const world_layout *layout, void *to, const void *from, unsigned from_lane);

/* The id of a world in a tile (the field `id` has two int32 rows, low word first). */
uint64_t carom_tile_get_id(const world_layout *layout, const void *tile, unsigned lane);
void carom_tile_set_id(const world_layout *layout, void *tile, unsigned lane, uint64_t id);

/* May this world be in the batch? Its common fields are in range and its type's check passes. `tile` may be a scratch
 * tile; the derived fields are not read. */
bool carom_tile_check(const carom_worlds *worlds, const void *tile, unsigned lane);

/* Marks a world as frozen. */
void carom_tile_freeze(const world_layout *layout, void *tile, unsigned lane);

#endif
