/* SPDX-License-Identifier: MIT
 * The game csb, one world at a time, as the kernel of a batch.
 */
#include "games/csb/kernel.c"

#define MOVED (4 * CSB_PODS)
#include "one_as_batch.h"

ONE_AS_BATCH(csb, kind == CSB_REFEREE ? 8 : 4)
