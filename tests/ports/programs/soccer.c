/* SPDX-License-Identifier: MIT
 * The programs of the game soccer.
 */
#include "games/soccer/kernel.c"

#include "ports/programs_of.h"

PROGRAMS(soccer)
