/* SPDX-License-Identifier: MIT
 * How long a bot may search: until its target, at which the answer should be out where nothing holds the bot up; and
 * not so long that the answer is later than its limit if other programs have the core when the search ends. How long
 * they keep it is known from the turns before. All times are in milliseconds.
 */
#ifndef CAROM_TOOLS_BOT_CLOCK_H
#define CAROM_TOOLS_BOT_CLOCK_H

#include <stddef.h>

#define CLOCK_TURNS 64

/* All zeros before the first turn. */
typedef struct bot_clock {
    double pauses[CLOCK_TURNS]; /* the longest of each of the last turns, the turn k at k % CLOCK_TURNS */
    size_t turns;               /* that are known */
    double waited;              /* how long this thread has waited for a core since it began; 0: nobody tells */
} bot_clock;

/* How long this thread, ready to go on, has waited for a core since the last call; 0 where the system does not tell.
 * Called before and after the bot waits for a question, it tells how late the bot came to know of it. */
double carom_clock_waited(bot_clock *clock);

/* Takes in the longest pause of a turn that was as long as so many usual ones. */
void carom_clock_add(bot_clock *clock, double pause, double turns);

/* The time to search, `used` of it being gone since the question was there. Above 0. */
double carom_clock_left(const bot_clock *clock, double target, double limit, double used);

#endif
