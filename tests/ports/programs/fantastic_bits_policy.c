/* SPDX-License-Identifier: MIT
 * The program of the game fantastic_bits in which its policies act.
 */
#include "games/fantastic_bits/policy.c"

#include "ports/programs.h"

POLICY_PROGRAM(fantastic_bits)
