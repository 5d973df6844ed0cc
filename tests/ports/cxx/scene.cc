/* SPDX-License-Identifier: MIT
 * The kernel of scenes as C++.
 */
#include "scenes/kernel.c"
