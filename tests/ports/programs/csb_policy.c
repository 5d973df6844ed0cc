/* SPDX-License-Identifier: MIT
 * The program of the game csb in which its policies act.
 */
#include "games/csb/policy_kernel.c"

#include "ports/programs.h"

POLICY_PROGRAM(csb)
