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
/* The reserve in pauses: others may keep the core a little longer than they did. Where nobody tells how long the bot
 * waited for the core before it noticed the question, there is another pause that it does not know of. */
#define RESERVE 1.25
#define UNTOLD 1.0

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
    for (double k = 0; k < fmin(turns, CLOCK_TURNS); k++) {
        clock->pauses[clock->turns++ % CLOCK_TURNS] = pause;
    }
}

/* How long others may keep the core when the bot needs it: the second longest pause of the last 64 turns, so that one
 * mishap does not cost a whole game's time; the longest, while only a few are known. */
static double expected_pause(const bot_clock *clock)
{
    double longest = 0, second = 0;
    for (size_t k = 0; k < CLOCK_TURNS; k++) {
        const double pause = clock->pauses[k];
        second = fmax(second, fmin(pause, longest));
        longest = fmax(longest, pause);
    }
    return clock->turns == 0 ? FIRST_PAUSE : clock->turns < FEW_TURNS ? longest : second;
}

double carom_clock_left(const bot_clock *clock, double target, double limit, double used)
{
    const double reserve = (clock->waited > 0 ? RESERVE : RESERVE + UNTOLD) * expected_pause(clock);
    return fmax(fmin(target, fmax(limit - reserve, target / 4)) - MARGIN - used, MARGIN / 4);
}
