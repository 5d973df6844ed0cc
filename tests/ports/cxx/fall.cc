/* SPDX-License-Identifier: MIT
 * The kernel of fall as C++: what another compiler, given the same rules, will see.
 */
#include "games/fall/kernel.c"
