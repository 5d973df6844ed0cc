/* SPDX-License-Identifier: MIT
 * The kernel of stones as C++, for other compilers of the same rules.
 */
#include "games/stones/kernel.c"
