/* SPDX-License-Identifier: MIT
 * A bot: plays a game by its published protocol, on standard input and output.
 */
#ifndef CAROM_TOOLS_BOT_H
#define CAROM_TOOLS_BOT_H

#include "plan.h"

typedef struct bot_options {
    const char *name; /* of the game, which must have a protocol */
    plan_options plan;
    double first_milliseconds; /* for the first turn; 0: as for the others */
    bool verbose;              /* tell on standard error what was searched in each turn */
} bot_options;

/* The budget: milliseconds for an answer, of which a few are kept back for reading and writing; or rollouts. */
void carom_bot_time(bot_options *options, double milliseconds, double first_milliseconds);
void carom_bot_budget(bot_options *options, uint64_t rollouts);

/* Plays until the input ends. */
void carom_bot_play(const bot_options *options);

#endif
