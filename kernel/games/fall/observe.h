/* SPDX-License-Identifier: MIT
 * What the player of fall sees of a world, and what a world is worth.
 */
#ifndef CAROM_GAMES_FALL_OBSERVE_H
#define CAROM_GAMES_FALL_OBSERVE_H

#include "games/fall/run.h"

static void fall_observe_tile(const fall_context *context, const fall_tile *tile, float *out)
{
    for (unsigned at = 0; at < CAROM_TILE; at += LANES) {
        float *to = out + at;
        for (int k = 0; k < FALL_SEEN; k++, to += (ptrdiff_t)4 * CAROM_TILE) {
            v_store_f32(to, v_load(&tile->x[k][at]));
            v_store_f32(to + CAROM_TILE, v_load(&tile->y[k][at]));
            v_store_f32(to + 2 * CAROM_TILE, v_load(&tile->vx[k][at]));
            v_store_f32(to + 3 * CAROM_TILE, v_load(&tile->vy[k][at]));
        }
        v_store_f32(to, v_div(v_from_int(i_load32(&tile->tick[0][at])), v_set1((real)context->last_tick)));
    }
}

static void fall_observe(const game_tick *tick, float *observations)
{
    const fall_tile *tiles = (const fall_tile *)(const void *)tick->tiles;
    for (size_t index = 0; index < tick->tile_count; index++) {
        fall_observe_tile((const fall_context *)tick->context, &tiles[index],
                          observations + index * CAROM_FALL_OBSERVATION * CAROM_TILE);
    }
}

static void fall_value(const game_tick *tick, double *values)
{
    for (size_t k = 0; k < tick->tile_count * CAROM_TILE; k++) {
        values[k] = 0;
    }
}

#endif
