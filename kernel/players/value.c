/* SPDX-License-Identifier: MIT
 * What a state of fantastic_bits is worth to a side that searches: features of what a player observes, times weights.
 *
 * The rewards on the way are counted beside this: goals, wins and losses.
 */
#include <carom/fantastic_bits.h>

#include <math.h>

#include "players/players.h"

#define SNAFFLES 7
#define REACH 0.025 /* from there a wizard grabs a snaffle; a length of the field, 16000 units, is 1 */

/* The less of two; fmin() is a call, for it knows NaN. */
static inline double least(double a, double b)
{
    return a < b ? a : b;
}

/* Between two places of an observation, in lengths of the field. */
static double distance(const float *a, const float *b)
{
    const double dx = (double)(a[0] - b[0]), dy = (double)(a[1] - b[1]) * 0.46875; /* 7500 / 16000 */
    return sqrt(dx * dx + dy * dy);
}

enum {
    FB_GOAL,
    FB_NEAR,
    FB_SPEED,
    FB_HELD,
    FB_MANA,
    FB_DANGER,
    FB_DEFEND,
    FB_RIVALS,
    FB_CONTROL,
    FB_MAJORITY,
    FB_WEIGHTS
};

static const carom_value_weight fb_weights[] = {
    [FB_GOAL] = {"goal", 0.65},        [FB_NEAR] = {"near", 0.6},      [FB_SPEED] = {"speed", 0.1},
    [FB_HELD] = {"held", 0.05},        [FB_MANA] = {"mana", 1.2},      [FB_DANGER] = {"danger", 0.1},
    [FB_DEFEND] = {"defend", 0.5},     [FB_RIVALS] = {"rivals", 0.15}, [FB_CONTROL] = {"control", 0.1},
    [FB_MAJORITY] = {"majority", 0.5},
};

/* Of two wizards to the snaffles; infinite to one that is gone. */
typedef struct distances {
    double of[2][SNAFFLES];
} distances;

static distances measure(const float *wizards, const float *snaffles)
{
    distances far;
    for (size_t s = 0; s < SNAFFLES; s++) {
        const float *at = snaffles + 5 * s;
        for (size_t w = 0; w < 2; w++) {
            far.of[w][s] = at[4] != 0 ? distance(at, wizards + 5 * w) : INFINITY;
        }
    }
    return far;
}

/* Each wizard to a snaffle of its own, by the shorter sum: greedily would send both to one. */
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
    return best < INFINITY ? best : 0;
}

static double fb_value(const float *seen, const double *weights)
{
    static const float left[] = {0, 0.5F}, right[] = {1, 0.5F}; /* the middles of the goals */
    const float *own = seen, *other = seen + 10, *snaffles = seen + 20, *bludgers = seen + 55;
    const double attack = (double)seen[66]; /* 1 or -1 */
    double sum = 0, speed = 0, danger = 0, worst = 1, control = 0, alive = 0, nearer = 0;
    const distances mine = measure(own, snaffles), theirs = measure(other, snaffles);
    for (size_t s = 0; s < SNAFFLES; s++) {
        const float *at = snaffles + 5 * s;
        if (at[4] != 0) {
            const double me = least(mine.of[0][s], mine.of[1][s]), them = least(theirs.of[0][s], theirs.of[1][s]);
            sum += attack * (distance(at, left) - distance(at, right));
            speed += attack * (double)at[2];
            worst = least(worst, attack * ((double)at[0] - 0.5) + 0.5);
            control += (them - me) / (them + me + REACH);
            alive++;
            nearer += me < them;
        }
    }
    /* Of N snaffles (N + 1) / 2 win; N is those alive and both scores, which are shares of it in single precision. */
    const double lack = 1 - (double)seen[64], lacks = 1 - (double)seen[65], goals = (alive + 1) / (lack + lacks) - 0.01;
    for (size_t w = 0; w < 2; w++) {
        for (size_t b = 0; b < 2; b++) {
            danger += fmax(0, 1 - 8 * distance(bludgers + 4 * b, own + 5 * w)); /* from 2000 units on */
        }
    }
    return weights[FB_GOAL] * sum - weights[FB_NEAR] * to_snaffles(&mine) + weights[FB_SPEED] * speed +
           weights[FB_HELD] * (double)(own[4] + own[9] - other[4] - other[9]) + weights[FB_MANA] * (double)seen[63] -
           weights[FB_DANGER] * danger + weights[FB_DEFEND] * worst + weights[FB_RIVALS] * to_snaffles(&theirs) +
           weights[FB_CONTROL] * control +
           weights[FB_MAJORITY] * ((nearer > lack * goals) - (alive - nearer > lacks * goals));
}

const carom_value_weight *carom_plan_fantastic_bits(size_t *count)
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
