/* SPDX-License-Identifier: MIT
 * The kernel of accelerating circles as C++.
 */
#include "toi/accelerated_kernel.c"
