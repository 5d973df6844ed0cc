/* SPDX-License-Identifier: MIT
 * The kernel of csb as C++, for other compilers of the same rules.
 */
#include "games/csb/kernel.c"
