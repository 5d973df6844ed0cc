/* SPDX-License-Identifier: MIT
 * The sequential test of two sides: see sprt.h.
 */
#include "sprt.h"

#include <math.h>

#define PRIOR_STARTS 8

void carom_sprt_add(arena_sprt *sprt, unsigned points)
{
    sprt->starts++;
    sprt->points += points;
    sprt->squares += (uint64_t)points * points;
}

static double expected(double elo)
{
    return 1 / (1 + pow(10, -elo / 400));
}

double carom_sprt_ratio(const arena_sprt *sprt, unsigned rounds, const double elo[2])
{
    const double starts = (double)sprt->starts, most = 2.0 * rounds;
    if (sprt->starts == 0) {
        return 0;
    }
    const double mean = (double)sprt->points / most / starts;
    const double deviations = (double)sprt->squares / (most * most) - starts * mean * mean;
    const double variance = (deviations + PRIOR_STARTS * 0.25 / rounds) / (starts + PRIOR_STARTS);
    const double score[2] = {expected(elo[0]), expected(elo[1])};
    return starts * (score[1] - score[0]) * (2 * mean - score[0] - score[1]) / (2 * variance);
}

arena_verdict carom_sprt_verdict(const arena_sprt *sprt, unsigned rounds, const double elo[2])
{
    const double ratio = carom_sprt_ratio(sprt, rounds, elo);
    return ratio >= SPRT_BOUND ? SPRT_SECOND : ratio <= -SPRT_BOUND ? SPRT_FIRST : SPRT_OPEN;
}
