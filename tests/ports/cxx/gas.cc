/* SPDX-License-Identifier: MIT
 * The kernel of the gas as C++.
 */
#include "deep/gas_kernel.c"
