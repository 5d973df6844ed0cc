/* SPDX-License-Identifier: MIT
 * The game fantastic_bits, one world at a time, as the kernel of a batch.
 */
#include "games/fantastic_bits/kernel.c"

#define MOVED (4 * FB_BODIES)
#include "one_as_batch.h"

ONE_AS_BATCH(fantastic_bits, kind == FB_REFEREE ? 8 : 4)
