/* SPDX-License-Identifier: MIT
 * The deep engine of scenes as C++.
 */
#include "scenes/deep_kernel.c"
