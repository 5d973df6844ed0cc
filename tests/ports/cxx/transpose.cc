/* SPDX-License-Identifier: MIT
 * The kernel that transposes between rows and lanes as C++.
 */
#include "transpose/kernel.c"
