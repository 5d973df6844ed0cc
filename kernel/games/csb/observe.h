/* SPDX-License-Identifier: MIT
 * What players see of a world, and how far they have come in it.
 */
#ifndef CAROM_GAMES_CSB_OBSERVE_H
#define CAROM_GAMES_CSB_OBSERVE_H

#include "games/csb/run.h"

/* The greater progress of a player's two pods. */
CAROM_LANE vreal csb_progress_of(const csb_tile *tile, unsigned at, int pod, vreal last)
{
    vreal dx = v_sub(v_load(&tile->cx[pod][at]), v_load(&tile->x[pod][at]));
    vreal dy = v_sub(v_load(&tile->cy[pod][at]), v_load(&tile->y[pod][at]));
    vreal far = v_div(v_sqrt(v_add(v_mul(dx, dx), v_mul(dy, dy))), v_set1((real)CSB_LEG));
    vreal progress = v_sub(v_from_int(i_load16(&tile->next[pod][at])), v_min(far, v_set1(REAL(1.0))));
    vmask won = i_gt(i_load8(&tile->won[pod][at]), i_set1(0));
    return v_select(won, v_add(last, v_set1(REAL(1.0))), progress);
}

CAROM_LANE vreal csb_last_of(const csb_context *context, const csb_tile *tile, unsigned at)
{
    alignas(64) real last[LANES];
    for (unsigned l = 0; l < LANES; l++) {
        last[l] = (real)csb_course_of(context, tile, at + l)->last;
    }
    return v_load(last);
}

CAROM_LANE void csb_progress(const csb_context *context, const csb_tile *tile, unsigned at, vreal progress[2])
{
    vreal last = csb_last_of(context, tile, at);
    progress[0] = v_max(csb_progress_of(tile, at, 0, last), csb_progress_of(tile, at, 1, last));
    progress[1] = v_max(csb_progress_of(tile, at, 2, last), csb_progress_of(tile, at, 3, last));
}

/* The thirteen numbers of one pod, to both players' views; `own` is its place in its player's view, 0 or 1. */
CAROM_LANE void csb_observe_pod(const csb_context *context, const csb_tile *tile, unsigned at, int i, float *out)
{
    alignas(64) real after_x[LANES], after_y[LANES], last[LANES];
    for (unsigned l = 0; l < LANES; l++) {
        csb_point(context, tile, at + l, i, 1, &after_x[l], &after_y[l]);
        last[l] = (real)csb_course_of(context, tile, at + l)->last;
    }
    vreal x = v_load(&tile->x[i][at]), y = v_load(&tile->y[i][at]);
    vreal wide = v_set1(REAL(16000.0)), high = v_set1(REAL(9000.0)), fast = v_set1(REAL(1000.0));
    vreal s, c;
    v_sincos(v_load(&tile->angle[i][at]), &s, &c);
    vreal number[CAROM_CSB_OBSERVATION_POD];
    number[0] = v_div(x, wide);
    number[1] = v_div(y, high);
    number[2] = v_div(v_load(&tile->vx[i][at]), fast);
    number[3] = v_div(v_load(&tile->vy[i][at]), fast);
    number[4] = c;
    number[5] = s;
    number[6] = v_div(v_sub(v_load(&tile->cx[i][at]), x), wide);
    number[7] = v_div(v_sub(v_load(&tile->cy[i][at]), y), wide);
    number[8] = v_div(v_sub(v_load(after_x), x), wide);
    number[9] = v_div(v_sub(v_load(after_y), y), wide);
    number[10] = v_div(v_from_int(i_load16(&tile->next[i][at])), v_load(last));
    number[11] = v_div(v_from_int(i_load8(&tile->shield[i][at])), v_set1(REAL(3.0)));
    number[12] = v_from_int(i_load8(&tile->boosted[i][at]));
    float *player0 = out + (size_t)(i * CAROM_CSB_OBSERVATION_POD) * CAROM_TILE;
    float *player1 = out + (size_t)(CAROM_CSB_OBSERVATION + (i ^ 2) * CAROM_CSB_OBSERVATION_POD) * CAROM_TILE;
    for (int k = 0; k < CAROM_CSB_OBSERVATION_POD; k++) {
        v_store_f32(player0 + k * CAROM_TILE + at, number[k]);
        v_store_f32(player1 + k * CAROM_TILE + at, number[k]);
    }
}

static void csb_observe_tile(const csb_context *context, const csb_tile *tile, float *observations)
{
    for (unsigned at = 0; at < CAROM_TILE; at += LANES) {
        for (int i = 0; i < CSB_PODS; i++) {
            csb_observe_pod(context, tile, at, i, observations);
        }
        vreal ticks = v_div(v_from_int(i_load32(&tile->tick[0][at])), v_set1(REAL(500.0)));
        for (int p = 0; p < 2; p++) {
            float *rest =
                observations + (size_t)(p * CAROM_CSB_OBSERVATION + 4 * CAROM_CSB_OBSERVATION_POD) * CAROM_TILE + at;
            vreal hundred = v_set1(REAL(100.0));
            v_store_f32(rest, v_div(v_from_int(i_load16(&tile->timeout[p][at])), hundred));
            v_store_f32(rest + CAROM_TILE, v_div(v_from_int(i_load16(&tile->timeout[1 - p][at])), hundred));
            v_store_f32(rest + 2 * CAROM_TILE, ticks);
        }
    }
}

static void csb_observe(const game_tick *tick, float *observations)
{
    const csb_tile *tiles = (const csb_tile *)(const void *)tick->tiles;
    for (size_t index = 0; index < tick->tile_count; index++) {
        csb_observe_tile((const csb_context *)tick->context, &tiles[index],
                         observations + index * 2 * CAROM_CSB_OBSERVATION * CAROM_TILE);
    }
}

static void csb_value(const game_tick *tick, double *values)
{
    const csb_tile *tiles = (const csb_tile *)(const void *)tick->tiles;
    for (size_t index = 0; index < tick->tile_count; index++) {
        for (unsigned at = 0; at < CAROM_TILE; at += LANES) {
            vreal progress[2];
            csb_progress((const csb_context *)tick->context, &tiles[index], at, progress);
            alignas(64) real ahead[LANES];
            v_store(ahead, v_sub(progress[0], progress[1]));
            for (unsigned l = 0; l < LANES; l++) {
                values[index * 2 * CAROM_TILE + at + l] = (double)ahead[l];
                values[(index * 2 + 1) * CAROM_TILE + at + l] = -(double)ahead[l];
            }
        }
    }
}

#endif
