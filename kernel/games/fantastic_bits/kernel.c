/* SPDX-License-Identifier: MIT
 * fantastic_bits for one instruction set and precision: its rules, and the tick that plays them.
 */
#include "games/fantastic_bits/observe.h"
#include "games/fantastic_bits/rules.h"

#define RULES_PLAY_ROUNDS
#include "tick/driver.h"

TICK_KERNEL(fantastic_bits)
