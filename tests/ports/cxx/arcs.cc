/* SPDX-License-Identifier: MIT
 * The kernel of circles against arcs as C++.
 */
#include "toi/arcs_kernel.c"
