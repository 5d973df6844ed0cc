/* SPDX-License-Identifier: MIT
 * stones for one instruction set and precision: its rules, and the tick that plays them. play.h has the tick from
 * beginning to end; in the order of RULES.md the rules are push.h, sweep.h with rules.h, move.h, and worlds.h.
 */
#include "games/stones/observe.h"
#include "games/stones/play.h"
#include "games/stones/worlds.h"

#define RULES_PLAY_OWN
#include "tick/driver.h"

TICK_KERNEL(stones)
