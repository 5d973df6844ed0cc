/* SPDX-License-Identifier: MIT
 * What players see of a world, and its worth to them.
 */
#ifndef CAROM_GAMES_STONES_OBSERVE_H
#define CAROM_GAMES_STONES_OBSERVE_H

#include "games/stones/group.h"

CAROM_LANE void stones_observe_stone(const stones_tile *tile, unsigned at, int i, float *out)
{
    vreal zero = v_set1(REAL(0.0)), one = v_set1(REAL(1.0)), wide = v_set1(REAL(400.0)), fast = v_set1(REAL(40.0));
    vmask there = i_gt(i_load8(&tile->in_play[i][at]), i_set1(0));
    vreal radius = v_load(&tile->radius[i][at]), speed = v_load(&tile->speed[i][at]);
    vreal number[CAROM_STONES_OBSERVATION_STONE];
    number[0] = one;
    number[1] = i % 2 == 0 ? one : v_neg(one);
    number[2] = v_div(v_add(v_load(&tile->px[i][at]), radius), wide);
    number[3] = v_div(v_add(v_load(&tile->py[i][at]), radius), wide);
    number[4] = v_div(v_mul(v_load(&tile->course_cos[i][at]), speed), fast);
    number[5] = v_div(v_mul(v_load(&tile->course_sin[i][at]), speed), fast);
    number[6] = v_div(radius, fast);
    number[7] = v_div(v_load(&tile->power[i][at]), v_set1(REAL(3.0)));
    for (int k = 0; k < CAROM_STONES_OBSERVATION_STONE; k++) {
        vreal seen = v_select(there, number[k], zero);
        float *to = out + (size_t)(i * CAROM_STONES_OBSERVATION_STONE + k) * CAROM_TILE + at;
        v_store_f32(to, seen);
        v_store_f32(to + (size_t)CAROM_STONES_OBSERVATION * CAROM_TILE,
                    k == 1 ? v_select(there, v_neg(seen), zero) : seen);
    }
}

static void stones_observe_tile(const stones_context *context, const stones_tile *tile, float *out)
{
    for (unsigned at = 0; at < CAROM_TILE; at += LANES) {
        for (int i = 0; i < STONES_MAX; i++) {
            stones_observe_stone(tile, at, i, out);
        }
        vreal time = v_div(v_from_int(i_load32(&tile->tick[0][at])), v_set1((real)context->ticks));
        for (size_t p = 1; p <= 2; p++) {
            v_store_f32(out + (p * CAROM_STONES_OBSERVATION - 1) * CAROM_TILE + at, time);
        }
    }
}

static void stones_observe(const game_tick *tick, float *observations)
{
    const stones_tile *tiles = (const stones_tile *)(const void *)tick->tiles;
    for (size_t index = 0; index < tick->tile_count; index++) {
        stones_observe_tile((const stones_context *)tick->context, &tiles[index],
                            observations + index * 2 * CAROM_STONES_OBSERVATION * CAROM_TILE);
    }
}

/* Stones of a player in play, in one world. */
static int stones_count(const stones_tile *tile, unsigned lane, int player)
{
    int count = 0;
    for (int i = player; i < STONES_MAX; i += 2) {
        count += tile->in_play[i][lane];
    }
    return count;
}

static void stones_value(const game_tick *tick, double *values)
{
    const stones_tile *tiles = (const stones_tile *)(const void *)tick->tiles;
    for (size_t index = 0; index < tick->tile_count; index++) {
        for (unsigned lane = 0; lane < CAROM_TILE; lane++) {
            double ahead = stones_count(&tiles[index], lane, 0) - stones_count(&tiles[index], lane, 1);
            values[index * 2 * CAROM_TILE + lane] = ahead;
            values[(index * 2 + 1) * CAROM_TILE + lane] = -ahead;
        }
    }
}

#endif
