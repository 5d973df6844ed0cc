/* SPDX-License-Identifier: MIT
 * What the worlds of a batch hold: the table that a game supplies, and the layout that follows from it.
 *
 * A tile is 16 worlds, [field][element][lane]. Fields are laid out by the size of their type, reals first, then int32,
 * int16, int8, each group in table order: so every row of 16 lanes is aligned to its own size without padding. Worlds
 * so large that they are played one at a time (world_type.large) have a tile each, whose rows are single numbers: the
 * elements of a field then follow each other.
 *
 * A game has one list of its fields (CSB_FIELDS, say). WORLD_FIELD_TABLE() makes the table from it, WORLD_TILE()
 * the C struct with constant offsets that kernels use; a test compares the two.
 */
#ifndef CAROM_WORLDS_TYPE_H
#define CAROM_WORLDS_TYPE_H

#include <carom/worlds.h>

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

/* The members of a tile's struct, in the order of worlds/layout.c. REAL, INT32, INT16 and INT8 declare the row of a
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

/* A game's functions for single worlds, at one precision. `tile` is a tile of the batch, or a scratch tile of the same
 * layout, and `lane` the world's place in it. */
typedef struct world_ops {
    /* Sets the game's fields of one world to the start of game `episode`; id and episode are set already, and the other
     * common fields are zero. */
    void (*start)(const void *context, uint64_t seed, void *tile, unsigned lane);
    /* Are all values of this world allowed by the game? Must not read the derived fields. */
    bool (*check)(const void *context, const void *tile, unsigned lane);
    /* Recomputes the derived fields. The world has passed check. */
    void (*derive)(const void *context, void *tile, unsigned lane);
} world_ops;

/* The part of a game that its batches need. */
typedef struct world_type {
    const char *name;
    const field_spec *fields; /* the game's own; the common ones are added in front */
    size_t field_count;

    /* The read-only data that a batch shares (its maps, say), made from desc->options. context_hash is a hash of its
     * content: records can be exchanged between batches with equal hashes. */
    size_t (*context_bytes)(const carom_worlds_desc *desc); /* 0: desc->options are invalid */
    carom_status (*context_create)(const carom_worlds_desc *desc, void **context);
    void (*context_destroy)(void *context);
    uint64_t (*context_hash)(const void *context);

    /* For worlds of f32 and of f64. */
    const world_ops *ops[2];

    /* Are worlds of f32, of f64, so large that they are played one at a time? */
    bool large[2];

    /* Bytes of working memory of one thread while it steps. */
    size_t (*scratch_bytes)(const carom_worlds_desc *desc);
} world_type;

/* The field table of a type at a precision. */
typedef struct world_layout {
    carom_field *fields; /* allocated; freed with free() */
    size_t count;
    unsigned lanes;      /* worlds of a tile: CAROM_TILE, or 1 where they are large */
    size_t tile_bytes;   /* a multiple of 64 */
    size_t record_bytes; /* of one packed record */
} world_layout;

#endif
