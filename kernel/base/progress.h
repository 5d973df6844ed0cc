/* SPDX-License-Identifier: MIT
 * What a long call shares with the thread that watches it: a flag that cancels the call and a counter of its progress.
 * Either pointer may be NULL. */
#ifndef CAROM_BASE_PROGRESS_H
#define CAROM_BASE_PROGRESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

static inline bool progress_cancelled(const volatile int *cancel)
{
    return cancel != NULL && __atomic_load_n(cancel, __ATOMIC_RELAXED) != 0;
}

static inline void progress_add(uint64_t *progress, uint64_t more)
{
    if (progress != NULL) {
        __atomic_fetch_add(progress, more, __ATOMIC_RELAXED);
    }
}

static inline void progress_set(uint64_t *progress, uint64_t value)
{
    if (progress != NULL) {
        __atomic_store_n(progress, value, __ATOMIC_RELAXED);
    }
}

#endif
