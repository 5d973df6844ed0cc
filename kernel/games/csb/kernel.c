/* SPDX-License-Identifier: MIT
 * csb for one instruction set and precision: its rules, and the tick that plays them.
 */
#include "games/csb/command.h"
#include "games/csb/finish.h"
#include "games/csb/motion.h"
#include "games/csb/value.h"
#include "games/csb/worlds.h"

#define RULES_PLAY_WORKLIST
#include "tick/driver.h"

TICK_KERNEL(csb)
