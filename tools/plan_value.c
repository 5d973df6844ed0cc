/* SPDX-License-Identifier: MIT
 * What a state of fantastic_bits is worth to a side that searches: features of what a player observes, times weights.
 *
 * The rewards on the way are counted beside this: goals, wins and losses.
 */
#include "plan_value.h"

#include <math.h>

static double distance(double dx, double dy)
{
    return sqrt(dx * dx + dy * dy);
}

enum { FB_GOAL, FB_NEAR, FB_SECOND, FB_HOLD, FB_MANA, FB_DANGER, FB_DEFEND, FB_WEIGHTS };

static const plan_weight fb_weights[] = {
    [FB_GOAL] = {"goal", 1.0, "how far the snaffles are towards the other's goal, in fields, summed"},
    [FB_NEAR] = {"near", 0.6, "distance of each wizard to a snaffle of its own, in 16000 units, summed"},
    [FB_SECOND] = {"speed", 0.1, "the snaffles' speed towards the other's goal, in 1000 units a turn, summed"},
    [FB_HOLD] = {"hold", 0.05, "own wizards that hold a snaffle, less the other's"},
    [FB_MANA] = {"mana", 0.4, "own mana, in 100"},
    [FB_DANGER] = {"danger", 0.1, "a bludger within 2000 units of a wizard: 1 if it touches, 0 at that distance"},
    [FB_DEFEND] = {"defend", 0.3, "the snaffle nearest to one's own goal, in fields"},
};

/* Each wizard to a snaffle of its own, by the shorter sum: greedily would send both to one. */
static double to_snaffles(const float *wizards, const float *snaffles)
{
    double far[2][7], best = INFINITY, alone = INFINITY;
    int alive = 0;
    for (size_t s = 0; s < 7; s++) {
        const bool there = snaffles[5 * s + 4] != 0;
        alive += there;
        for (size_t w = 0; w < 2; w++) {
            const float *wizard = wizards + 5 * w;
            far[w][s] = there ? distance((double)(snaffles[5 * s] - wizard[0]),
                                         (double)(snaffles[5 * s + 1] - wizard[1]) * 7500 / 16000)
                              : INFINITY;
            alone = fmin(alone, far[w][s]);
        }
    }
    for (int a = 0; a < 7; a++) {
        for (int b = 0; b < 7; b++) {
            best = a != b ? fmin(best, far[0][a] + far[1][b]) : best;
        }
    }
    return alive > 1 ? best : alive == 1 ? 2 * alone : 0;
}

static double fb_value(const float *seen, const double *weights)
{
    const float *own = seen, *other = seen + 10, *snaffles = seen + 20, *bludgers = seen + 55;
    const double attack = (double)seen[66]; /* 1 or -1 */
    double sum = 0, speed = 0, danger = 0, worst = 1;
    for (size_t s = 0; s < 7; s++) {
        const float *at = snaffles + 5 * s;
        if (at[4] != 0) {
            const double along = attack * ((double)at[0] - 0.5);
            sum += along;
            speed += attack * (double)at[2];
            worst = fmin(worst, along + 0.5);
        }
    }
    for (size_t w = 0; w < 2; w++) {
        for (size_t b = 0; b < 2; b++) {
            const double far = distance((double)(bludgers[4 * b] - own[5 * w]) * 16000,
                                        (double)(bludgers[4 * b + 1] - own[5 * w + 1]) * 7500);
            danger += fmax(0, 1 - far / 2000);
        }
    }
    return weights[FB_GOAL] * sum - weights[FB_NEAR] * to_snaffles(own, snaffles) + weights[FB_SECOND] * speed +
           weights[FB_HOLD] * (double)(own[4] + own[9] - other[4] - other[9]) + weights[FB_MANA] * (double)seen[63] -
           weights[FB_DANGER] * danger + weights[FB_DEFEND] * worst;
}

const plan_weight *carom_plan_fantastic_bits(size_t *count)
{
    *count = FB_WEIGHTS;
    return fb_weights;
}

carom_status carom_plan_value(void *user, size_t leaves, const float *observations, double *values)
{
    for (size_t k = 0; k < 2 * leaves; k++) {
        values[k] = fb_value(observations + k * CAROM_FANTASTIC_BITS_OBSERVATION, (const double *)user);
    }
    return CAROM_OK;
}
