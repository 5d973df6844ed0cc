/* SPDX-License-Identifier: MIT
 * The programs of the game fall.
 */
#include "games/fall/kernel.c"

#include "ports/programs_of.h"

PROGRAMS(fall)
