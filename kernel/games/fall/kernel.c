/* SPDX-License-Identifier: MIT
 * fall for one instruction set and precision: its rules, and the tick that plays them.
 */
#include "games/fall/observe.h"
#include "games/fall/rules.h"

#define RULES_PLAY_OWN
#include "tick/driver.h"

TICK_KERNEL(fall)
