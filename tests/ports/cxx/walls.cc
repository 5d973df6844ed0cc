/* SPDX-License-Identifier: MIT
 * The kernel of circles against walls as C++.
 */
#include "toi/walls_kernel.c"
