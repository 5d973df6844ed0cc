/* SPDX-License-Identifier: MIT
 * The kernel of queries as C++.
 */
#include "query/kernel.c"
