/* SPDX-License-Identifier: MIT
 * What players see of a world, and what a world is worth to them.
 */
#ifndef CAROM_GAMES_SOCCER_OBSERVE_H
#define CAROM_GAMES_SOCCER_OBSERVE_H

#include "games/soccer/run.h"

#define SOCCER_SEEN_ROBOT 8
#define SOCCER_SEEN_BALL 5
#define SOCCER_SEEN_BALLS (SOCCER_ROBOTS * SOCCER_SEEN_ROBOT)
#define SOCCER_SEEN_REST (SOCCER_SEEN_BALLS + SOCCER_BALLS * SOCCER_SEEN_BALL)

/* The numbers that turn round with the axes come first. */
CAROM_LANE void soccer_show(float *out, const vreal *numbers, int count, int turning, int player)
{
    for (int k = 0; k < count; k++) {
        v_store_f32(out + k * CAROM_TILE, player == 1 && k < turning ? v_neg(numbers[k]) : numbers[k]);
    }
}

CAROM_LANE void soccer_observe_robot(const struct soccer_run *run, const soccer_tile *tile, unsigned at, int i,
                                     float *out)
{
    const soccer_rules *r = &run->rules;
    const vreal speed = v_set1(r->max_speed);
    vreal n[SOCCER_SEEN_ROBOT];
    n[0] = v_div(v_load(&tile->x[i][at]), v_set1(r->half_length));
    n[1] = v_div(v_load(&tile->y[i][at]), v_set1(r->half_width));
    n[2] = v_div(v_load(&tile->vx[i][at]), speed);
    n[3] = v_div(v_load(&tile->vy[i][at]), speed);
    v_sincos(v_load(&tile->angle[i][at]), &n[5], &n[4]);
    n[6] = v_div(v_load(&tile->spin[i][at]), v_set1(r->max_spin));
    const vmask waits = i_gt(i_load32(&tile->ready[i][at]), i_load32(&tile->tick[0][at]));
    n[7] = v_select(waits, v_set1(REAL(0.0)), v_set1(REAL(1.0)));
    const int owner = i >= run->team, number = i - owner * run->team;
    for (int p = 0; p < 2; p++) {
        const int place = ((p == owner ? 0 : SOCCER_TEAM) + number) * SOCCER_SEEN_ROBOT;
        soccer_show(out + (size_t)(p * CAROM_SOCCER_OBSERVATION + place) * CAROM_TILE, n, SOCCER_SEEN_ROBOT, 6, p);
    }
}

CAROM_LANE void soccer_observe_ball(const struct soccer_run *run, const soccer_tile *tile, unsigned at, int k,
                                    float *out)
{
    const soccer_rules *r = &run->rules;
    const int b = run->robots + k;
    const vreal speed = v_set1(r->kick_speed), zero = v_set1(REAL(0.0)), one = v_set1(REAL(1.0));
    vreal n[SOCCER_SEEN_BALL];
    n[0] = v_div(v_load(&tile->x[b][at]), v_set1(r->half_length));
    n[1] = v_div(v_load(&tile->y[b][at]), v_set1(r->half_width));
    n[2] = v_div(v_load(&tile->vx[b][at]), speed);
    n[3] = v_div(v_load(&tile->vy[b][at]), speed);
    const vint holder = i_load8(&tile->holder[k][at]);
    n[4] = v_select(i_gt(holder, i_set1(-1)), v_select(i_gt(i_set1(run->team), holder), one, v_neg(one)), zero);
    for (int p = 0; p < 2; p++) {
        const size_t place = (size_t)(p * CAROM_SOCCER_OBSERVATION + SOCCER_SEEN_BALLS + k * SOCCER_SEEN_BALL);
        soccer_show(out + place * CAROM_TILE, n, SOCCER_SEEN_BALL, 5, p);
    }
}

static void soccer_observe_tile(const struct soccer_run *run, const soccer_tile *tile, float *out)
{
    const carom_soccer_options *o = &run->context->options;
    for (size_t k = 0; k < (size_t)2 * CAROM_SOCCER_OBSERVATION * CAROM_TILE; k++) {
        out[k] = 0;
    }
    for (unsigned at = 0; at < CAROM_TILE; at += LANES) {
        for (int i = 0; i < run->robots; i++) {
            soccer_observe_robot(run, tile, at, i, out + at);
        }
        for (int k = 0; k < run->balls; k++) {
            soccer_observe_ball(run, tile, at, k, out + at);
        }
        const vreal goals = v_set1((real)o->goals);
        const vreal time = v_div(v_from_int(i_load32(&tile->tick[0][at])), v_set1((real)o->ticks));
        for (int p = 0; p < 2; p++) {
            float *to = out + (size_t)(p * CAROM_SOCCER_OBSERVATION + SOCCER_SEEN_REST) * CAROM_TILE + at;
            v_store_f32(to, v_div(v_from_int(i_load16(&tile->score[p][at])), goals));
            v_store_f32(to + CAROM_TILE, v_div(v_from_int(i_load16(&tile->score[1 - p][at])), goals));
            v_store_f32(to + 2 * CAROM_TILE, time);
        }
    }
}

static void soccer_observe(const game_tick *tick, float *observations)
{
    const soccer_tile *tiles = (const soccer_tile *)(const void *)tick->tiles;
    struct soccer_run run;
    soccer_set_rules(&run, (const soccer_context *)tick->context);
    for (size_t index = 0; index < tick->tile_count; index++) {
        soccer_observe_tile(&run, &tiles[index], observations + index * 2 * CAROM_SOCCER_OBSERVATION * CAROM_TILE);
    }
}

static void soccer_value(const game_tick *tick, double *values)
{
    const soccer_tile *tiles = (const soccer_tile *)(const void *)tick->tiles;
    const soccer_context *context = (const soccer_context *)tick->context;
    for (size_t index = 0; index < tick->tile_count; index++) {
        for (unsigned l = 0; l < CAROM_TILE; l++) {
            double sum = 0;
            for (int b = context->robots; b < context->bodies; b++) {
                sum += (double)tiles[index].x[b][l];
            }
            const double mean = sum / (context->bodies - context->robots) / context->options.length;
            values[index * 2 * CAROM_TILE + l] = mean;
            values[(index * 2 + 1) * CAROM_TILE + l] = -mean;
        }
    }
}

#endif
