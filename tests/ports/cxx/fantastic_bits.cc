/* SPDX-License-Identifier: MIT
 * The kernel of fantastic_bits as C++, for other compilers of the same rules.
 */
#include "games/fantastic_bits/kernel.c"
