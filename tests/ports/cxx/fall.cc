/* SPDX-License-Identifier: MIT
 * The kernel of fall as C++, for other compilers of the same rules.
 */
#include "games/fall/kernel.c"
