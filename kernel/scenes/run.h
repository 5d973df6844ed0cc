/* SPDX-License-Identifier: MIT
 * A tile of a scene during a tick, and access to its rows.
 */
#ifndef CAROM_SCENES_RUN_H
#define CAROM_SCENES_RUN_H

#include "games/game.h"

#include "scenes/engine.h"

#define ALL_LANES ((1u << CAROM_TILE) - 1)

/* For the wide engine a tile holds 16 worlds. For the deep engine it holds one, `alone`: its rows are single
 * numbers. */
typedef struct scene_run {
    game_tick *tick;
    const scene_frozen *s;
    const scene_engine *engine;
    real dt;
    bool alone;
    unsigned char *tile;
    size_t number;                   /* index of the tile in the run */
    unsigned char *saved;            /* the state at the tick's start, as far as it may be needed: saved_reals() */
    size_t stride;                   /* from one element of a field to the next: CAROM_TILE, or 1 if alone */
    void *scratch;                   /* the engine's */
    uint32_t *met;                   /* scene_tick.met, and counts of rules about states; NULL: no rule is counted */
    unsigned decided;                /* lanes whose game a rule or a sensor has ended in this tick */
    unsigned won[CAROM_MAX_PLAYERS]; /* of these, the lanes in which a rule makes this player the winner */
} scene_run;

/* Loops over the register groups, from lane `at` on, that have a world of `lanes`; group: which ones, as bits. */
#define EACH_GROUP(lanes)                                                                                              \
    for (unsigned at = 0, group = 0; at < CAROM_TILE; at += LANES)                                                     \
        if ((group = (lanes) >> at & ((1u << LANES) - 1)) != 0)

/* ---- rows of a tile ---- */

static inline real *row_of(const scene_run *run, size_t field)
{
    return (real *)(void *)(run->tile + field);
}
static inline int32_t *row32_of(const scene_run *run, size_t field)
{
    return (int32_t *)(void *)(run->tile + field);
}
static inline int8_t *row8_of(const scene_run *run, size_t field)
{
    return (int8_t *)(void *)(run->tile + field);
}

/* The numbers of a group; of a world that is alone, its number in all lanes. */
CAROM_LANE vreal row_load(const scene_run *run, const real *row)
{
    return run->alone ? v_set1(row[0]) : v_load(row);
}
CAROM_LANE vint row_load32(const scene_run *run, const int32_t *row)
{
    return run->alone ? i_set1(row[0]) : i_load32(row);
}
CAROM_LANE vint row_load8(const scene_run *run, const int8_t *row)
{
    return run->alone ? i_set1(row[0]) : i_load8(row);
}

/* Stores the chosen lanes. */
CAROM_LANE void row_store(const scene_run *run, real *row, vreal a, vmask chosen)
{
    if (run->alone) {
        real lanes[LANES];
        v_storeu(lanes, a);
        row[0] = (m_bits(chosen) & 1) != 0 ? lanes[0] : row[0];
    } else {
        v_store(row, v_select(chosen, a, v_load(row)));
    }
}

CAROM_LANE void row_store32(const scene_run *run, int32_t *row, vint a, unsigned group)
{
    if (run->alone) {
        alignas(64) int32_t lanes[LANES];
        i_store32(lanes, a);
        row[0] = lanes[0];
    } else {
        i_store32(row, i_select(m_from_bits(group), a, i_load32(row)));
    }
}

/* The two numbers of the action of actor k of `player`: those of lane l at [l] and [CAROM_TILE + l]. */
static inline const unsigned char *act_numbers(const scene_run *run, uint32_t k, uint32_t player, uint32_t kind)
{
    const game_tick *tick = run->tick;
    const unsigned char *tile = (const unsigned char *)tick->actions + run->number * CAROM_TILE * tick->action_bytes;
    const size_t bytes = kind == SCENE_NORMALISED ? sizeof(float) : sizeof(double);
    return tile + CAROM_TILE * (tick->actions_at[player] + 2 * k * bytes);
}

CAROM_LANE vmask row_active(const scene_run *run, uint32_t body, unsigned at, unsigned group)
{
    const int8_t *active = row8_of(run, run->s->active) + body * run->stride + at;
    return m_andnot(m_from_bits(group), i_eq(row_load8(run, active), i_set1(0)));
}

#endif
