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
    double first_milliseconds, milliseconds; /* for an answer: of the first turn, of the others; 0: no clock */
    bool verbose;                            /* tell on standard error what was searched in each turn */
} bot_options;

/* Plays until the input ends. */
void carom_bot_play(const bot_options *options);

#endif
