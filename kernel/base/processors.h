/* SPDX-License-Identifier: MIT
 * How many threads can run at the same time. */
#ifndef CAROM_BASE_PROCESSORS_H
#define CAROM_BASE_PROCESSORS_H

/* Hardware threads that the calling thread may run on, or what carom_quota_threads() says if that is less; at least 1.
 * Nothing is allocated. */
unsigned carom_processors(void);

/* What the quota of the process's control groups comes to, rounded up; PARALLEL_MAX_THREADS: there is none. `root`
 * stands before the paths of the system's files: "" but in tests. */
unsigned carom_quota_threads(const char *root);

#endif
