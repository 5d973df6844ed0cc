/* SPDX-License-Identifier: MIT
 * csb for one instruction set and precision: the rules of RULES.md, and the tick that plays them.
 */
#include "games/csb/observe.h"
#include "games/csb/rules.h"

#define RULES_PLAY_WORKLIST
#include "tick/driver.h"

TICK_KERNEL(csb)
