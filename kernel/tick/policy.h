/* SPDX-License-Identifier: MIT
 * The state of a game's worlds as its policies see it: in f64, whatever the worlds' precision, so that a policy is
 * written once and uses the same arithmetic for both.
 *
 * Before including this file a game defines RULES_FIELDS (see tick/run.h). Each field `x` defines see_x(w, i): element
 * i of the LANES worlds that begin with w, as a vreal or a vint.
 */
#ifndef CAROM_TICK_POLICY_H
#define CAROM_TICK_POLICY_H

/* Worlds for which policies decide at once: those of a tile, or one on a device. */
#if defined(CAROM_DEVICE)
#define SEE_LANES 1
#endif
#if defined(SEE_LANES)
#define PHILOX_LANES SEE_LANES
#else
#define SEE_LANES CAROM_TILE
#endif

#include "base/random_lanes.h"
#include "simd/lanes.h"
#include "tick/checked.h"
#include "tick/tick.h"
#include "worlds/worlds.h"

#if CAROM_REAL_BITS != 64
#error "policies decide in f64"
#endif

#define SEE_F32_ROW(name, count, role) float name[count][SEE_LANES];
#define SEE_F64_ROW(name, count, role) double name[count][SEE_LANES];
#define SEE_INT32_ROW(name, count, role) int32_t name[count][SEE_LANES];
#define SEE_INT16_ROW(name, count, role) int16_t name[count][SEE_LANES];
#define SEE_INT8_ROW(name, count, role) int8_t name[count][SEE_LANES];

/* clang-format off */
typedef struct see_tile_f32 {
    WORLD_TILE(RULES_FIELDS, SEE_F32_ROW, SEE_INT32_ROW, SEE_INT16_ROW, SEE_INT8_ROW)
} see_tile_f32;
typedef struct see_tile_f64 {
    WORLD_TILE(RULES_FIELDS, SEE_F64_ROW, SEE_INT32_ROW, SEE_INT16_ROW, SEE_INT8_ROW)
} see_tile_f64;
/* clang-format on */

/* One world, or the LANES worlds that begin with it; read-only. */
typedef struct see_world {
    const see_tile_f32 *f32; /* the tile; valid if `narrow` */
    const see_tile_f64 *f64; /* the same tile; valid otherwise */
    bool narrow;             /* the worlds are f32 */
    unsigned at;             /* the lane */
} see_world;

CAROM_LANE see_world see_world_at(const void *tile, carom_precision precision, unsigned at)
{
    const see_world w = {(const see_tile_f32 *)tile, (const see_tile_f64 *)tile, precision == CAROM_F32, at};
    return w;
}

#define SEE_REAL(name, count, role)                                                                                    \
    CAROM_LANE vreal see_##name(see_world w, int i)                                                                    \
    {                                                                                                                  \
        CHECKED_INDEX(i, count, "a policy uses element %d of the field " #name ", which has %d");                      \
        return w.narrow ? v_load_f32(&w.f32->name[i][w.at]) : v_load_f64(&w.f64->name[i][w.at]);                       \
    }
#define SEE_INT(name, count, load)                                                                                     \
    CAROM_LANE vint see_##name(see_world w, int i)                                                                     \
    {                                                                                                                  \
        CHECKED_INDEX(i, count, "a policy uses element %d of the field " #name ", which has %d");                      \
        return load(w.narrow ? &w.f32->name[i][w.at] : &w.f64->name[i][w.at]);                                         \
    }
#define SEE_INT32(name, count, role) SEE_INT(name, count, i_load32)
#define SEE_INT16(name, count, role) SEE_INT(name, count, i_load16)
#define SEE_INT8(name, count, role) SEE_INT(name, count, i_load8)
WORLD_INT32_FIELDS(SEE_INT32)
RULES_FIELDS(SEE_REAL, SEE_INT32, SEE_INT16, SEE_INT8)

/* The id of the one world w. */
CAROM_LANE uint64_t see_world_id(see_world w)
{
    const int32_t(*id)[SEE_LANES] = w.narrow ? w.f32->id : w.f64->id;
    return (uint64_t)(uint32_t)id[1][w.at] << 32 | (uint32_t)id[0][w.at];
}

/* ---- a tile's worlds ---- */

/* Loops over the register groups of a tile; `at` is the first lane of each. */
#define EACH_SEEN_GROUP(at) for (unsigned at = 0; at < SEE_LANES; at += LANES)

/* Starts a random stream for each world of a tile, and makes the first `blocks` blocks of its words. Every tick has its
 * own stream: the low `tick_bits` bits of the index are the tick, those above the episode. */
static inline __attribute__((unused)) void see_streams(const policy_question *question, uint32_t purpose,
                                                       unsigned tick_bits, unsigned blocks, random_streams *streams)
{
    uint64_t id[SEE_LANES];
    for (unsigned l = 0; l < SEE_LANES; l++) {
        const see_world w = see_world_at(question->tile, question->precision, l);
        const int32_t *episode = w.narrow ? w.f32->episode[0] : w.f64->episode[0];
        const int32_t *tick = w.narrow ? w.f32->tick[0] : w.f64->tick[0];
        id[l] = see_world_id(w);
        streams->index[l] = (uint32_t)episode[l] << tick_bits ^ (uint32_t)tick[l];
    }
    random_begin_lanes(streams, question->seeds, id, purpose, blocks);
}

/* Writes number e, counted over all players, of the actions of LANES worlds from lane `at` on, for a kind in f32. */
CAROM_LANE void act_put_f32(const policy_question *question, unsigned at, int e, vreal a)
{
    v_store_f32((float *)question->actions + (size_t)e * SEE_LANES + at, a);
}

/* Writes number e, counted over all players, of the actions of LANES worlds from lane `at` on, for a kind in f64. */
CAROM_LANE void act_put_f64(const policy_question *question, unsigned at, int e, vreal a)
{
    v_store((double *)question->actions + (size_t)e * SEE_LANES + at, a);
}

/* POLICY_KERNEL(name, act) defines the kernel of a game's policies from the function that answers a question. */
#if SEE_LANES == 1
#include "tick/one_act.h"
#else
#define POLICY_KERNEL(name, act)                                                                                       \
    CAROM_EXTERN const policy_kernel CAROM_KERNEL_ANY(name);                                                           \
    const policy_kernel CAROM_KERNEL_ANY(name) = {act};
#endif

#endif
