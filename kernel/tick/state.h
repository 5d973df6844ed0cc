/* SPDX-License-Identifier: MIT
 * The state of a game's worlds as its rules see it: one list of fields defines both the tile in memory and the
 * functions that read and write it.
 *
 * Before including this file a game defines RULES_FIELDS, its list (see WORLD_FIELD_TABLE() in worlds/type.h). Each
 * field `x` defines
 *     get_x(w, i)              element i of the LANES worlds from w on, as a vreal (vint for a field of integers)
 *     set_x(w, i, a, kept)     writes it, in the lanes that are kept
 *     at_x(w, i)               the address of element i of the one world w
 * Fields that every world has are read by get_tick(w), for LANES worlds, and world_id(w), world_episode(w) and
 * world_tick(w), for one. Only the tick itself (tick/driver.h) writes these, and frozen, fault and end.
 *
 * A tile has TILE_LANES worlds side by side: 16 in a batch, 1 where a world is played by itself (tick/one_driver.h).
 */
#ifndef CAROM_TICK_STATE_H
#define CAROM_TICK_STATE_H

#include "simd/lanes.h"
#include "tick/checked.h"
#include "worlds/type.h"

#if !defined(TILE_LANES)
#define TILE_LANES CAROM_TILE
#endif

#define STATE_REAL_ROW(name, count, role) real name[count][TILE_LANES];
#define STATE_INT32_ROW(name, count, role) int32_t name[count][TILE_LANES];
#define STATE_INT16_ROW(name, count, role) int16_t name[count][TILE_LANES];
#define STATE_INT8_ROW(name, count, role) int8_t name[count][TILE_LANES];

/* clang-format off */
typedef struct tick_tile {
    alignas(TILE_LANES < 16 ? sizeof(real) : 64)
    WORLD_TILE(RULES_FIELDS, STATE_REAL_ROW, STATE_INT32_ROW, STATE_INT16_ROW, STATE_INT8_ROW)
} tick_tile;
/* clang-format on */

/* One world, or the LANES worlds side by side that begin with it. */
typedef struct tick_world {
    tick_tile *tile;
    unsigned at;          /* the lane */
    unsigned char *reals; /* the tile's address plus `at` reals: rows of reals are at constant offsets from it */
} tick_world;

CAROM_LANE tick_world world_at(tick_tile *tile, unsigned at)
{
    unsigned char *reals = (unsigned char *)tile + at * sizeof(real);
#if LANES > 1 && !defined(__clang__)
    /* Hide the sum from gcc, which otherwise keeps a separate address for every row and runs out of registers. */
    __asm__("" : "+r"(reals));
#endif
    const tick_world w = {tile, at, reals};
    return w;
}

/* World l of those that begin with w. */
CAROM_LANE tick_world world_of(tick_world w, unsigned l)
{
    return world_at(w.tile, w.at + l);
}

/* The lanes to write. */
typedef struct tick_kept {
    vmask lanes;
    bool all; /* every lane: a constant at each use, so that the code for `true` does not load the old values */
} tick_kept;

CAROM_LANE void state_put(real *to, vreal a, tick_kept kept)
{
    v_store(to, kept.all ? a : v_select(kept.lanes, a, v_load(to)));
}

CAROM_LANE void state_put32(int32_t *to, vint a, tick_kept kept)
{
    i_store32(to, kept.all ? a : i_select(kept.lanes, a, i_load32(to)));
}

CAROM_LANE void state_put16(int16_t *to, vint a, tick_kept kept)
{
    i_store16(to, kept.all ? a : i_select(kept.lanes, a, i_load16(to)));
}

CAROM_LANE void state_put8(int8_t *to, vint a, tick_kept kept)
{
    i_store8(to, kept.all ? a : i_select(kept.lanes, a, i_load8(to)));
}

#define STATE_ACCESS(name, count, type, address, lanes, load, put)                                                     \
    CAROM_LANE type *at_##name(tick_world w, int i)                                                                    \
    {                                                                                                                  \
        CHECKED_INDEX(i, count, "the rules use element %d of the field " #name ", which has %d");                      \
        return address;                                                                                                \
    }                                                                                                                  \
    CAROM_LANE lanes get_##name(tick_world w, int i)                                                                   \
    {                                                                                                                  \
        return load(at_##name(w, i));                                                                                  \
    }                                                                                                                  \
    CAROM_LANE void set_##name(tick_world w, int i, lanes a, tick_kept kept)                                           \
    {                                                                                                                  \
        put(at_##name(w, i), a, kept);                                                                                 \
    }
#define STATE_REAL_AT(name) ((real *)(void *)(w.reals + offsetof(tick_tile, name)) + (size_t)i * TILE_LANES)
#define STATE_AT(name) (&w.tile->name[i][w.at])
#define STATE_ACCESS_REAL(name, count, role)                                                                           \
    STATE_ACCESS(name, count, real, STATE_REAL_AT(name), vreal, v_load, state_put)
#define STATE_ACCESS_INT32(name, count, role)                                                                          \
    STATE_ACCESS(name, count, int32_t, STATE_AT(name), vint, i_load32, state_put32)
#define STATE_ACCESS_INT16(name, count, role)                                                                          \
    STATE_ACCESS(name, count, int16_t, STATE_AT(name), vint, i_load16, state_put16)
#define STATE_ACCESS_INT8(name, count, role)                                                                           \
    STATE_ACCESS(name, count, int8_t, STATE_AT(name), vint, i_load8, state_put8)
RULES_FIELDS(STATE_ACCESS_REAL, STATE_ACCESS_INT32, STATE_ACCESS_INT16, STATE_ACCESS_INT8)

/* ---- what every world has ---- */

/* The id of the one world w. */
CAROM_LANE uint64_t world_id(tick_world w)
{
    return (uint64_t)(uint32_t)w.tile->id[1][w.at] << 32 | (uint32_t)w.tile->id[0][w.at];
}

/* Games that the one world w has finished before this one. */
CAROM_LANE uint32_t world_episode(tick_world w)
{
    return (uint32_t)w.tile->episode[0][w.at];
}

/* Ticks played in the present game of the one world w. */
CAROM_LANE int32_t world_tick(tick_world w)
{
    return w.tile->tick[0][w.at];
}

/* Ticks played in the present games of LANES worlds. */
CAROM_LANE vint get_tick(tick_world w)
{
    return i_load32(&w.tile->tick[0][w.at]);
}

#endif
