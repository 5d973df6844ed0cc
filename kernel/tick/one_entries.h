/* SPDX-License-Identifier: MIT
 * The entries of a game's device module: the programs of tick/one_*.h, each played by one thread per world.
 */
#ifndef CAROM_TICK_ONE_ENTRIES_H
#define CAROM_TICK_ONE_ENTRIES_H

#include "tick/one_rollout.h"

/* Plays the task of each thread. */
typedef struct one_tasks {
    uint64_t threads;
    const one_task *tasks; /* [threads] */
} one_tasks;

static void one_play_task(const one_tasks *all, size_t thread)
{
    one_play(&all->tasks[thread]);
}

/* DEVICE_ENTRY: see device/entry.h, which the build includes by force. */
#define ONE_ENTRIES                                                                                                    \
    DEVICE_ENTRY(one, one_tasks, one_play_task)                                                                        \
    ONE_STEP_ENTRIES(DEVICE_ENTRY)                                                                                     \
    ONE_RESTART_ENTRIES(DEVICE_ENTRY)                                                                                  \
    ONE_ROLLOUT_ENTRIES(DEVICE_ENTRY)

#endif
