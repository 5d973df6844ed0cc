/* SPDX-License-Identifier: MIT
 * No threads: every call runs on the calling thread. */
#include "base/parallel.h"

bool carom_parallel_run(unsigned threads, const affinity *where, size_t items, parallel_body *body, void *argument)
{
    (void)threads, (void)where, (void)items, (void)body, (void)argument;
    return false;
}

unsigned carom_parallel_limit(void)
{
    return 1;
}
