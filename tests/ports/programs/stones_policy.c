/* SPDX-License-Identifier: MIT
 * The program of the game stones in which its policies act.
 */
#include "games/stones/policy_kernel.c"

#include "ports/programs.h"

POLICY_PROGRAM(stones)
