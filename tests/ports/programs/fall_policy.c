/* SPDX-License-Identifier: MIT
 * The program of the game fall in which its policies act.
 */
#include "games/fall/policy.c"

#include "ports/programs.h"

POLICY_PROGRAM(fall)
