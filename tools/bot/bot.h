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
    double first_milliseconds, milliseconds; /* target times of the first answer and of the others; 0: no clock */
    double limit; /* when an answer must be out; in the first turn as much after the target as in the others */
    bool verbose; /* report each turn's search on standard error */
} bot_options;

/* Plays until the input ends. */
void carom_bot_play(const bot_options *options);

#endif
