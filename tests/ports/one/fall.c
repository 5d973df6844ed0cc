/* SPDX-License-Identifier: MIT
 * The game fall, one world at a time, as the kernel of a batch.
 */
#include "games/fall/kernel.c"

#define MOVED (4 * FALL_CIRCLES)
#include "one_as_batch.h"

ONE_AS_BATCH(fall, 4)
