/* SPDX-License-Identifier: MIT
 * The kernel of the deep engine as C++.
 */
#include "deep/kernel.c"
