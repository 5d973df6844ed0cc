/* SPDX-License-Identifier: MIT
 * The kernel of the time-of-impact equations as C++.
 */
#include "toi/kernel.c"
