/* SPDX-License-Identifier: MIT
 * soccer for one instruction set and precision: its rules, and the tick that plays them.
 */
#include "games/soccer/command.h"
#include "games/soccer/finish.h"
#include "games/soccer/observe.h"
#include "games/soccer/respond.h"
#include "games/soccer/worlds.h"

#define RULES_PLAY_ROUNDS
#include "tick/driver.h"

TICK_KERNEL(soccer)
