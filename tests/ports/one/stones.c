/* SPDX-License-Identifier: MIT
 * The game stones, one world at a time, as the kernel of a batch.
 */
#include "games/stones/kernel.c"

#define MOVED (4 * STONES_MAX)
#include "one_as_batch.h"

ONE_AS_BATCH(stones, kind == STONES_NORMALISED ? 4 : 8)
