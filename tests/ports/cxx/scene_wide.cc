/* SPDX-License-Identifier: MIT
 * The wide engine of scenes as C++.
 */
#include "scenes/wide_kernel.c"
