/* SPDX-License-Identifier: MIT
 * How many threads can run at the same time. */
#ifndef CAROM_BASE_PROCESSORS_H
#define CAROM_BASE_PROCESSORS_H

/* The number of hardware threads on which the calling thread may run, or carom_quota_threads() if that is less; at
 * least 1. Allocates nothing. */
unsigned carom_processors(void);

/* The number of threads that the quotas of the process's control groups allow, rounded up; PARALLEL_MAX_THREADS if
 * there are none. `root` is put before the paths of the system's files, and is "" except in tests. */
unsigned carom_quota_threads(const char *root);

#endif
