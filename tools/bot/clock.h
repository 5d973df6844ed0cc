/* SPDX-License-Identifier: MIT
 * How long a bot may search: until its target, when the answer should be out if nothing delays the bot, but only so
 * long that the answer still meets its limit if other programs occupy the core when the search ends. How long they do
 * is estimated from earlier turns. All times are in milliseconds.
 */
#ifndef CAROM_TOOLS_BOT_CLOCK_H
#define CAROM_TOOLS_BOT_CLOCK_H

#include <stddef.h>

#define CLOCK_TURNS 64

/* All zeros before the first turn. */
typedef struct bot_clock {
    double pauses[CLOCK_TURNS]; /* the longest of each of the last turns, turn k at k % CLOCK_TURNS */
    size_t turns;               /* known */
    double waited;              /* how long this thread has waited for a core since it began; 0: not reported */
} bot_clock;

/* How long this thread, ready to run, has waited for a core since the last call; 0 if the system does not report it.
 * Calls before and after waiting for a question give the delay until the bot noticed it. */
double carom_clock_waited(bot_clock *clock);

/* Adds the longest pause of a turn that was as long as `turns` usual ones. */
void carom_clock_add(bot_clock *clock, double pause, double turns);

/* The time left to search, `used` after the question arrived. Above 0. */
double carom_clock_left(const bot_clock *clock, double target, double limit, double used);

#endif
