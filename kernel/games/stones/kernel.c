/* SPDX-License-Identifier: MIT
 * stones for one instruction set and precision: its rules, and the tick that plays them.
 */
#include "games/stones/observe.h"
#include "games/stones/rules.h"

#define RULES_PLAY_OWN
#include "tick/driver.h"

TICK_KERNEL(stones)
