/* SPDX-License-Identifier: MIT
 * soccer for one instruction set and precision: its rules, and the tick that plays them. In the order of RULES.md the
 * rules are command.h (sections 1 and 2), detect.h and respond.h (3), finish.h, and worlds.h (4); turn.h says what a
 * world is during a tick.
 */
#include "games/soccer/command.h"
#include "games/soccer/finish.h"
#include "games/soccer/observe.h"
#include "games/soccer/respond.h"
#include "games/soccer/worlds.h"

#define RULES_PLAY_ROUNDS
#include "tick/driver.h"

TICK_KERNEL(soccer)
