/* SPDX-License-Identifier: MIT
 * The kernel of the exchange between rows and lanes as C++.
 */
#include "transpose/kernel.c"
