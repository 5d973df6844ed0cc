/* SPDX-License-Identifier: MIT
 * A bot's time: see clock.h.
 */
#include "clock.h"

#include <math.h>
#include <stdio.h>

/* Milliseconds reserved for noticing that the time is over, for learning and for writing. */
#define MARGIN 0.7
/* The pause assumed before any is known. */
#define FIRST_PAUSE 20.0
#define FEW_TURNS 16

double carom_clock_waited(bot_clock *clock)
{
    /* Linux: nanoseconds on a core, nanoseconds ready but without one. */
    double waited = 0;
    FILE *file = fopen("/proc/thread-self/schedstat", "r");
    if (file != NULL) {
        (void)fscanf(file, "%*s %lf", &waited); // NOLINT(cert-err34-c): stays 0 if there is no number
        fclose(file);
    }
    const double since = 1e-6 * waited - clock->waited;
    clock->waited = 1e-6 * waited;
    return fmax(since, 0);
}

void carom_clock_add(bot_clock *clock, double pause, double turns)
{
    const size_t count = (size_t)ceil(fmin(turns, CLOCK_TURNS));
    for (size_t k = 0; k < count; k++) {
        clock->pauses[clock->turns++ % CLOCK_TURNS] = pause;
    }
}

/* How long others may keep the core when the bot needs it: the second longest pause of the last 64 turns, so that a
 * single outlier does not cost time in the whole game (the longest while only a few are known), plus that of the mean
 * turn: the longest pauses consist of several time slices of other processes, and one slice more may come. */
static double reserve_of(const bot_clock *clock)
{
    const size_t known = clock->turns < CLOCK_TURNS ? clock->turns : CLOCK_TURNS;
    double longest = 0, second = 0, mean = 0;
    for (size_t k = 0; k < known; k++) {
        const double pause = clock->pauses[k];
        second = fmax(second, fmin(pause, longest));
        longest = fmax(longest, pause);
        mean += pause / (double)known;
    }
    second = known == 0 ? FIRST_PAUSE : known < FEW_TURNS ? longest : second;

    /* If the system does not report how long the bot waited for the core before it noticed the question, assume the
     * same again. */
    return second + mean + (clock->waited > 0 ? 0 : second);
}

double carom_clock_left(const bot_clock *clock, double target, double limit, double used)
{
    const double latest = fmax(limit - reserve_of(clock), target / 4);
    return fmax(fmin(target, latest) - MARGIN - used, MARGIN / 4);
}
