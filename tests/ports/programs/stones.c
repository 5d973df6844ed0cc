/* SPDX-License-Identifier: MIT
 * The programs of the game stones.
 */
#include "games/stones/kernel.c"

#include "ports/programs_of.h"

PROGRAMS(stones)
