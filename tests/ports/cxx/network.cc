/* SPDX-License-Identifier: MIT
 * The layers of networks as C++.
 */
#include "network/kernel.c"
