/* SPDX-License-Identifier: MIT
 * A bot: plays a game by its published protocol, on standard input and output.
 */
#ifndef CAROM_TOOLS_BOT_BOT_H
#define CAROM_TOOLS_BOT_BOT_H

#include "plan.h"

typedef struct bot_options {
    const char *name; /* of the game, which must have a protocol */
    const void *set;  /* the game's options, or NULL */
    plan_options plan;
    double first_milliseconds, milliseconds; /* when an answer should be out: the first, the others; 0: no clock */
    double limit; /* when it must be out; of the first turn as much later than asked for as of the others */
    bool verbose; /* tell on standard error what was searched in each turn */
} bot_options;

/* Plays until the input ends. */
void carom_bot_play(const bot_options *options);

#endif
