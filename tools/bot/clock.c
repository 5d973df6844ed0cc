/* SPDX-License-Identifier: MIT
 * A bot's time: see clock.h.
 */
#include "clock.h"

#include <math.h>
#include <stdio.h>

/* What is left to noticing that the time is over, to learning and to writing. */
#define MARGIN 0.7
/* A pause, before any is known. */
#define FIRST_PAUSE 20.0
#define FEW_TURNS 16

double carom_clock_waited(bot_clock *clock)
{
    /* Linux: nanoseconds on a core, nanoseconds ready but without one. */
    double waited = 0;
    FILE *file = fopen("/proc/thread-self/schedstat", "r");
    if (file != NULL) {
        (void)fscanf(file, "%*s %lf", &waited); // NOLINT(cert-err34-c): what is no number leaves the 0
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

/* How long others may keep the core when the bot needs it. As long as in the last 64 turns but one, so that one mishap
 * does not cost a whole game's time, or as in all, while only a few are known. And as long again as in the mean turn:
 * the longest pauses are several of somebody's turns on the core, and one more of these has not been seen yet. */
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

    /* Where nobody tells how long the bot waited for the core before it noticed the question, it may have been that. */
    return second + mean + (clock->waited > 0 ? 0 : second);
}

double carom_clock_left(const bot_clock *clock, double target, double limit, double used)
{
    const double latest = fmax(limit - reserve_of(clock), target / 4);
    return fmax(fmin(target, latest) - MARGIN - used, MARGIN / 4);
}
