/* SPDX-License-Identifier: MIT
 * The policies of csb as C++.
 */
#include "games/csb/policy_kernel.c"
