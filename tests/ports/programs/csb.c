/* SPDX-License-Identifier: MIT
 * The programs of the game csb.
 */
#include "games/csb/kernel.c"

#include "ports/programs_of.h"

PROGRAMS(csb)
