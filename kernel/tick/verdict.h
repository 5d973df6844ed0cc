/* SPDX-License-Identifier: MIT
 * How a game stands after a tick, as its rules decide it.
 */
#ifndef CAROM_TICK_VERDICT_H
#define CAROM_TICK_VERDICT_H

#include <carom/game.h>

typedef struct tick_verdict {
    carom_end end; /* CAROM_RUNNING: it goes on */
    int winner;    /* a player; -1: nobody */
    float stake;   /* the winner is rewarded with it; the others share the loss: stake / (players - 1) each */
} tick_verdict;

static inline tick_verdict verdict_of(carom_end end, int winner)
{
    const tick_verdict verdict = {end, winner, 1.0f};
    return verdict;
}

static inline tick_verdict verdict_running(void)
{
    return verdict_of(CAROM_RUNNING, -1);
}

#endif
