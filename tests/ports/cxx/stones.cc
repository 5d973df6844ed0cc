/* SPDX-License-Identifier: MIT
 * The kernel of stones as C++: what another compiler, given the same rules, will see.
 */
#include "games/stones/kernel.c"
