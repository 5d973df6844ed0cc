/* SPDX-License-Identifier: MIT
 * soccer for one instruction set and precision: its rules, and the tick that plays them.
 */
#include "games/soccer/observe.h"
#include "games/soccer/rules.h"

#define RULES_PLAY_ROUNDS
#include "tick/driver.h"

TICK_KERNEL(soccer)
