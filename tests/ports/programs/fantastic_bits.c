/* SPDX-License-Identifier: MIT
 * The programs of the game fantastic_bits.
 */
#include "games/fantastic_bits/kernel.c"

#include "ports/programs_of.h"

PROGRAMS(fantastic_bits)
