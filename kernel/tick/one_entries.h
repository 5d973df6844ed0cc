/* SPDX-License-Identifier: MIT
 * The entries of a game's device module: the programs of tick/one_*.h, each played by one thread per world.
 */
#ifndef CAROM_TICK_ONE_ENTRIES_H
#define CAROM_TICK_ONE_ENTRIES_H

#include "tick/one_rollout.h"

/* DEVICE_ENTRY: see device/entry.h, which the build includes by force. */
#define ONE_ENTRIES                                                                                                    \
    ONE_STEP_ENTRIES(DEVICE_ENTRY)                                                                                     \
    ONE_RESTART_ENTRIES(DEVICE_ENTRY)                                                                                  \
    ONE_ROLLOUT_ENTRIES(DEVICE_ENTRY)

#endif
