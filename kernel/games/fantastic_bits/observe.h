/* SPDX-License-Identifier: MIT
 * What players see of a world, and what a world is worth to them.
 */
#ifndef CAROM_GAMES_FANTASTIC_BITS_OBSERVE_H
#define CAROM_GAMES_FANTASTIC_BITS_OBSERVE_H

#include "games/fantastic_bits/run.h"

/* Numbers of a wizard, a snaffle, a bludger. */
#define FB_SEEN_WIZARD 5
#define FB_SEEN_SNAFFLE 5
#define FB_SEEN_BLUDGER 4
#define FB_SEEN_BODIES (FB_WIZARDS * FB_SEEN_WIZARD + FB_SNAFFLES * FB_SEEN_SNAFFLE + FB_BLUDGERS * FB_SEEN_BLUDGER)

/* Place of a body's first number in the view of a player, to whom wizards i ^ 2 are the other's. */
CAROM_LANE int fb_seen_at(int body, int player)
{
    return body < FB_SNAFFLE ? (player == 0 ? body : body ^ 2) * FB_SEEN_WIZARD
           : body < FB_BLUDGER
               ? FB_WIZARDS * FB_SEEN_WIZARD + (body - FB_SNAFFLE) * FB_SEEN_SNAFFLE
               : FB_WIZARDS * FB_SEEN_WIZARD + FB_SNAFFLES * FB_SEEN_SNAFFLE + (body - FB_BLUDGER) * FB_SEEN_BLUDGER;
}

CAROM_LANE void fb_observe_body(const fb_tile *tile, unsigned at, int i, float *out)
{
    const vreal zero = v_set1(REAL(0.0)), one = v_set1(REAL(1.0)), fast = v_set1(REAL(1000.0));
    vreal number[5];
    number[0] = v_div(v_load(&tile->x[i][at]), v_set1((real)FB_WIDTH));
    number[1] = v_div(v_load(&tile->y[i][at]), v_set1((real)FB_HEIGHT));
    number[2] = v_div(v_load(&tile->vx[i][at]), fast);
    number[3] = v_div(v_load(&tile->vy[i][at]), fast);
    number[4] = zero;
    if (i < FB_SNAFFLE) {
        number[4] = v_select(i_gt(i_load8(&tile->hold[i][at]), i_set1(-1)), one, zero);
    } else if (i < FB_BLUDGER) {
        const vmask alive = i_gt(i_load8(&tile->alive[i - FB_SNAFFLE][at]), i_set1(0));
        number[4] = one;
        for (int k = 0; k < 5; k++) {
            number[k] = v_select(alive, number[k], zero);
        }
    }
    const int count = i < FB_BLUDGER ? 5 : 4;
    for (int p = 0; p < 2; p++) {
        float *to = out + (size_t)(p * CAROM_FANTASTIC_BITS_OBSERVATION + fb_seen_at(i, p)) * CAROM_TILE + at;
        for (int k = 0; k < count; k++) {
            v_store_f32(to + k * CAROM_TILE, number[k]);
        }
    }
}

static void fb_observe_tile(const fb_tile *tile, float *out)
{
    for (unsigned at = 0; at < CAROM_TILE; at += LANES) {
        for (int i = 0; i < FB_BODIES; i++) {
            fb_observe_body(tile, at, i, out);
        }
        const vint seven = i_set1(FB_SNAFFLES);
        const vreal win = v_select(i_eq(i_load8(&tile->snaffles[0][at]), seven), v_set1(REAL(4.0)), v_set1(REAL(3.0)));
        const vreal tick = v_div(v_from_int(i_load32(&tile->tick[0][at])), v_set1((real)FB_LAST_TICK));
        for (int p = 0; p < 2; p++) {
            float *to = out + (size_t)(p * CAROM_FANTASTIC_BITS_OBSERVATION + FB_SEEN_BODIES) * CAROM_TILE + at;
            const vreal mana = v_from_int(i_load8(&tile->mana[p][at]));
            v_store_f32(to, v_div(mana, v_set1((real)FB_MOST_MANA)));
            v_store_f32(to + CAROM_TILE, v_div(v_from_int(i_load8(&tile->score[p][at])), win));
            v_store_f32(to + 2 * CAROM_TILE, v_div(v_from_int(i_load8(&tile->score[1 - p][at])), win));
            v_store_f32(to + 3 * CAROM_TILE, v_set1((real)(1 - 2 * p)));
            v_store_f32(to + 4 * CAROM_TILE, tick);
        }
    }
}

static void fb_observe(const game_tick *tick, float *observations)
{
    const fb_tile *tiles = (const fb_tile *)(const void *)tick->tiles;
    for (size_t index = 0; index < tick->tile_count; index++) {
        fb_observe_tile(&tiles[index], observations + index * 2 * CAROM_FANTASTIC_BITS_OBSERVATION * CAROM_TILE);
    }
}

static void fb_value(const game_tick *tick, double *values)
{
    const fb_tile *tiles = (const fb_tile *)(const void *)tick->tiles;
    for (size_t index = 0; index < tick->tile_count; index++) {
        const fb_tile *tile = &tiles[index];
        for (unsigned at = 0; at < CAROM_TILE; at += LANES) {
            vreal sum = v_set1(REAL(0.0));
            for (int s = 0; s < FB_SNAFFLES; s++) {
                const vmask alive = i_gt(i_load8(&tile->alive[s][at]), i_set1(0));
                const vreal x = v_sub(v_load(&tile->x[FB_SNAFFLE + s][at]), v_set1((real)(FB_WIDTH / 2)));
                sum = v_select(alive, v_add(sum, v_div(x, v_set1((real)FB_WIDTH))), sum);
            }
            alignas(64) real ahead[LANES];
            v_store(ahead, sum);
            for (unsigned l = 0; l < LANES; l++) {
                values[index * 2 * CAROM_TILE + at + l] = (double)ahead[l];
                values[(index * 2 + 1) * CAROM_TILE + at + l] = -(double)ahead[l];
            }
        }
    }
}

#endif
