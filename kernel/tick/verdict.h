/* SPDX-License-Identifier: MIT
 * The state of a game after a tick, as its rules decide it: running, or over with a winner or without.
 */
#ifndef CAROM_TICK_VERDICT_H
#define CAROM_TICK_VERDICT_H

#include <carom/game.h>

typedef struct tick_verdict {
    carom_end end; /* CAROM_RUNNING: it goes on */
    int winner;    /* a player; -1: none */
    float stake;   /* added to the winner's reward; the others lose stake / (players - 1) each */
} tick_verdict;

/* With a stake of 1. winner: a player, or -1. */
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
