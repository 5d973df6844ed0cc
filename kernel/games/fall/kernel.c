/* SPDX-License-Identifier: MIT
 * fall for one instruction set and precision: its rules, and the tick that plays them. play.h has the tick from
 * beginning to end; in the order of RULES.md the rules are predict.h, respond.h, and quiet.h for most worlds.
 */
#include "games/fall/observe.h"
#include "games/fall/play.h"
#include "games/fall/worlds.h"

#define RULES_PLAY_OWN
#include "tick/driver.h"

TICK_KERNEL(fall)
