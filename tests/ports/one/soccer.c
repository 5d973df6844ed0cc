/* SPDX-License-Identifier: MIT
 * The game soccer, one world at a time, as the kernel of a batch.
 */
#include "games/soccer/kernel.c"

#define MOVED (4 * SOCCER_BODIES)
#include "one_as_batch.h"

ONE_AS_BATCH(soccer, 4)
