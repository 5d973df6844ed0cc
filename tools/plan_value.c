/* SPDX-License-Identifier: MIT
 * What a state of fantastic_bits is worth to a side that searches: features of what a player observes, times weights.
 *
 * The rewards on the way are counted beside this: goals, wins and losses.
 */
#include "plan_value.h"

#include <math.h>

#define SNAFFLES 7
#define REACH 400.0 /* from there a wizard grabs a snaffle */

/* The less of two; fmin() is a call, for it knows NaN. */
static inline double least(double a, double b)
{
    return a < b ? a : b;
}

static double distance(double dx, double dy)
{
    return sqrt(dx * dx + dy * dy);
}

enum { FB_GOAL, FB_NEAR, FB_SPEED, FB_HELD, FB_MANA, FB_DANGER, FB_DEFEND, FB_RIVALS, FB_CONTROL, FB_WEIGHTS };

static const plan_weight fb_weights[] = {
    [FB_GOAL] = {"goal", 1.0},     [FB_NEAR] = {"near", 0.6},      [FB_SPEED] = {"speed", 0.1},
    [FB_HELD] = {"held", 0.05},    [FB_MANA] = {"mana", 1.2},      [FB_DANGER] = {"danger", 0.1},
    [FB_DEFEND] = {"defend", 0.5}, [FB_RIVALS] = {"rivals", 0.15}, [FB_CONTROL] = {"control", 0.1},
};

/* Of two wizards to the snaffles, in units; infinite to one that is gone. */
typedef struct distances {
    double of[2][SNAFFLES];
} distances;

static distances measure(const float *wizards, const float *snaffles)
{
    distances far;
    for (size_t s = 0; s < SNAFFLES; s++) {
        const float *at = snaffles + 5 * s;
        for (size_t w = 0; w < 2; w++) {
            const float *wizard = wizards + 5 * w;
            const double dx = (double)(at[0] - wizard[0]) * 16000, dy = (double)(at[1] - wizard[1]) * 7500;
            far.of[w][s] = at[4] != 0 ? distance(dx, dy) : INFINITY;
        }
    }
    return far;
}

/* Each wizard to a snaffle of its own, by the shorter sum: greedily would send both to one. In 16000 units. */
static double to_snaffles(const distances *far)
{
    double best = INFINITY, alone = INFINITY;
    for (size_t a = 0; a < SNAFFLES; a++) {
        alone = least(alone, least(far->of[0][a], far->of[1][a]));
        for (size_t b = 0; b < SNAFFLES; b++) {
            best = a != b ? least(best, far->of[0][a] + far->of[1][b]) : best;
        }
    }
    best = best < INFINITY ? best : 2 * alone; /* a single one is left */
    return best < INFINITY ? best / 16000 : 0;
}

static double fb_value(const float *seen, const double *weights)
{
    const float *own = seen, *other = seen + 10, *snaffles = seen + 20, *bludgers = seen + 55;
    const double attack = (double)seen[66]; /* 1 or -1 */
    double sum = 0, speed = 0, danger = 0, worst = 1, control = 0;
    const distances mine = measure(own, snaffles), theirs = measure(other, snaffles);
    for (size_t s = 0; s < SNAFFLES; s++) {
        const float *at = snaffles + 5 * s;
        if (at[4] != 0) {
            const double along = attack * ((double)at[0] - 0.5);
            const double me = least(mine.of[0][s], mine.of[1][s]), them = least(theirs.of[0][s], theirs.of[1][s]);
            sum += along;
            speed += attack * (double)at[2];
            worst = least(worst, along + 0.5);
            control += (them - me) / (them + me + REACH);
        }
    }
    for (size_t w = 0; w < 2; w++) {
        for (size_t b = 0; b < 2; b++) {
            const double far = distance((double)(bludgers[4 * b] - own[5 * w]) * 16000,
                                        (double)(bludgers[4 * b + 1] - own[5 * w + 1]) * 7500);
            danger += fmax(0, 1 - far / 2000);
        }
    }
    return weights[FB_GOAL] * sum - weights[FB_NEAR] * to_snaffles(&mine) + weights[FB_SPEED] * speed +
           weights[FB_HELD] * (double)(own[4] + own[9] - other[4] - other[9]) + weights[FB_MANA] * (double)seen[63] -
           weights[FB_DANGER] * danger + weights[FB_DEFEND] * worst + weights[FB_RIVALS] * to_snaffles(&theirs) +
           weights[FB_CONTROL] * control;
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
