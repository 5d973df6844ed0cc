/* SPDX-License-Identifier: MIT
 * The policies of stones as C++.
 */
#include "games/stones/policy_kernel.c"
