/* SPDX-License-Identifier: MIT
 * The kernel of soccer as C++, for other compilers of the same rules.
 */
#include "games/soccer/kernel.c"
