/* SPDX-License-Identifier: MIT
 * fantastic_bits for one instruction set and precision: its rules, and the tick that plays them. In the order of
 * RULES.md the rules are command.h (sections 1 and 2), forces.h (3), filter.h, events.h and respond.h (4), finish.h and
 * worlds.h (5); turn.h says what a world is during a tick.
 */
#include "games/fantastic_bits/finish.h"
#include "games/fantastic_bits/forces.h"
#include "games/fantastic_bits/observe.h"
#include "games/fantastic_bits/respond.h"
#include "games/fantastic_bits/worlds.h"

#define RULES_PLAY_ROUNDS
#include "tick/driver.h"

TICK_KERNEL(fantastic_bits)
