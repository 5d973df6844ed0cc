/* SPDX-License-Identifier: MIT
 * The kernel of csb as C++: what another compiler, given the same rules, will see.
 */
#include "games/csb/kernel.c"
