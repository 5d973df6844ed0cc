/* SPDX-License-Identifier: MIT
 * The program of the game soccer in which its policies act.
 */
#include "games/soccer/policy_kernel.c"

#include "ports/programs.h"

POLICY_PROGRAM(soccer)
