/* SPDX-License-Identifier: MIT
 * csb for one instruction set and precision: the rules of RULES.md, and the tick that plays them. The headers follow a
 * turn: command.h, motion.h, finish.h, then worlds.h for what is decided world by world; value.h rates states for
 * rollouts.
 */
#include "games/csb/command.h"
#include "games/csb/finish.h"
#include "games/csb/motion.h"
#include "games/csb/value.h"
#include "games/csb/worlds.h"

#define RULES_PLAY_WORKLIST
#include "tick/driver.h"

TICK_KERNEL(csb)
