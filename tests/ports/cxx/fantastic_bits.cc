/* SPDX-License-Identifier: MIT
 * The kernel of fantastic_bits as C++: what another compiler, given the same rules, will see.
 */
#include "games/fantastic_bits/kernel.c"
