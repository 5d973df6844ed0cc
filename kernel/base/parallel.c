/* SPDX-License-Identifier: MIT
 * The part of parallel.h that all ways of running threads share. */
#include "base/parallel.h"

#include <carom/base.h>

#include "base/fpenv.h"
#include "base/processors.h"

void carom_parallel_for(unsigned threads, size_t items, parallel_body *body, void *argument)
{
    threads = threads < PARALLEL_MAX_THREADS ? threads : PARALLEL_MAX_THREADS;
    threads = threads < items ? threads : (unsigned)items;
    const fp_environment caller = fp_begin(); /* starting threads may raise flags, too */
    if (threads <= 1 || !carom_parallel_run(threads, items, body, argument)) {
        for (size_t item = 0; item < items; ++item) {
            body(argument, item, 0);
        }
    }
    fp_end(caller);
}

unsigned carom_threads(void)
{
    unsigned threads = carom_processors();
    const unsigned limit = carom_parallel_limit();
    threads = threads < limit ? threads : limit;
    return threads < PARALLEL_MAX_THREADS ? threads : PARALLEL_MAX_THREADS;
}
