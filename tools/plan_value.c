/* SPDX-License-Identifier: MIT
 * What states are worth to a side that searches: features of what a player observes, times weights.
 *
 * The rewards on the way are counted beside this: progress of the best pod and goals, wins and losses.
 */
#include "plan_value.h"

#include <math.h>
#include <string.h>

/* ---- csb ----
 *
 * Of a side's two pods the one that is further is its runner; the other gets in the way of the other side's runner. */

enum { CSB_OTHER, CSB_SPEED, CSB_HEADING, CSB_SECOND, CSB_GUARD, CSB_CLOSE, CSB_FACE, CSB_SHIELD, CSB_WEIGHTS };

static const plan_weight csb_weights[] = {
    [CSB_OTHER] = {"other", 1.0, "progress of the other side's runner, in checkpoints"},
    [CSB_SPEED] = {"speed", 0.05, "the runner's speed towards its checkpoint, in 1000 units a turn"},
    [CSB_HEADING] = {"heading", 0.02, "does the runner look at its checkpoint: -1 to 1"},
    [CSB_SECOND] = {"second", 0.02, "progress of the blocker, in checkpoints"},
    [CSB_GUARD] = {"guard", 0.5, "distance of the blocker to the checkpoint of the other runner, in 16000 units"},
    [CSB_CLOSE] = {"close", 0.2, "its distance to that runner, in 16000 units"},
    [CSB_FACE] = {"face", 0.02, "does the blocker look at that runner: -1 to 1"},
    [CSB_SHIELD] = {"shield", 0.05, "the runner's engine is off for so many turns, of 3"},
};

#define POD ((size_t)CAROM_CSB_OBSERVATION_POD)

static double distance(double dx, double dy)
{
    return sqrt(dx * dx + dy * dy);
}

/* next - distance / 20000, as the game counts it. laps * n is not in an observation, but a constant of the world. */
static double progress(const float *pod, double checkpoints)
{
    return (double)pod[10] * checkpoints - fmin(distance((double)pod[6], (double)pod[7]) * 16000 / 20000, 1);
}

static double cosine(double ax, double ay, double bx, double by)
{
    const double length = distance(ax, ay) * distance(bx, by);
    return length > 0 ? (ax * bx + ay * by) / length : 0;
}

static double csb_value(const float *seen, double checkpoints, const double *weights)
{
    const float *own[2] = {seen, seen + POD}, *other[2] = {seen + 2 * POD, seen + 3 * POD};
    const double ahead[2] = {progress(own[0], checkpoints), progress(own[1], checkpoints)};
    const double theirs[2] = {progress(other[0], checkpoints), progress(other[1], checkpoints)};
    const int runner = ahead[1] > ahead[0], rival = theirs[1] > theirs[0];
    const float *r = own[runner], *b = own[1 - runner], *o = other[rival];
    /* Places are in 16000 units across, 9000 down. */
    const double down = 9000.0 / 16000.0;
    const double ox = (double)(o[0] - b[0]), oy = (double)(o[1] - b[1]) * down;
    const double gx = ox + (double)o[6], gy = oy + (double)o[7];
    const double far = distance((double)r[6], (double)r[7]);
    const double speed = far > 0 ? ((double)r[2] * (double)r[6] + (double)r[3] * (double)r[7]) / far : 0;
    return -weights[CSB_OTHER] * theirs[rival] + weights[CSB_SPEED] * speed +
           weights[CSB_HEADING] * cosine((double)r[4], (double)r[5], (double)r[6], (double)r[7]) +
           weights[CSB_SECOND] * ahead[1 - runner] - weights[CSB_GUARD] * distance(gx, gy) -
           weights[CSB_CLOSE] * distance(ox, oy) + weights[CSB_FACE] * cosine((double)b[4], (double)b[5], ox, oy) -
           weights[CSB_SHIELD] * (double)r[11];
}

/* ---- fantastic_bits ---- */

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

/* ---- both ---- */

const plan_weight *carom_plan_weights(const char *game, size_t *count)
{
    const bool csb = strcmp(game, "csb") == 0;
    *count = csb ? (size_t)CSB_WEIGHTS : (size_t)FB_WEIGHTS;
    return csb ? csb_weights : fb_weights;
}

carom_status carom_plan_value(void *user, size_t leaves, const float *observations, double *values)
{
    const plan_values *known = (const plan_values *)user;
    for (size_t k = 0; k < leaves; k++) {
        const double checkpoints = known->csb ? known->checkpoints[k * known->roots / leaves] : 0;
        for (unsigned player = 0; player < 2; player++) {
            const float *seen = observations + (2 * k + player) * (known->csb ? CAROM_CSB_OBSERVATION
                                                                              : CAROM_FANTASTIC_BITS_OBSERVATION);
            values[2 * k + player] =
                known->csb ? csb_value(seen, checkpoints, known->weights) : fb_value(seen, known->weights);
        }
    }
    return CAROM_OK;
}
