/* SPDX-License-Identifier: MIT
 * The policies of soccer as C++.
 */
#include "games/soccer/policy_kernel.c"
