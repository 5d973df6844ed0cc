/* SPDX-License-Identifier: MIT
 * The kernel of soccer as C++: what another compiler, given the same rules, will see.
 */
#include "games/soccer/kernel.c"
