/* SPDX-License-Identifier: MIT
 * The machine that a benchmark runs on, as reported by Linux; unknown values are 0 or "unknown".
 */
#ifndef CAROM_BENCH_COMMON_MACHINE_H
#define CAROM_BENCH_COMMON_MACHINE_H

#include <stdbool.h>
#include <stddef.h>

#define MACHINE_CACHES 8

typedef struct machine_cache {
    int level;
    char type[16]; /* "Data", "Instruction", "Unified" */
    size_t bytes;
    unsigned sharing; /* hardware threads that share it */
} machine_cache;

typedef struct machine {
    char cpu[128];                        /* the model's name */
    double mhz;                           /* as reported by the system; under a hypervisor often the nominal one */
    double clock;                         /* MHz at which a core runs serial code, as measured */
    bool scaling;                         /* its frequency is governed by something else than "performance" */
    double load[3];                       /* processes that ran in the last 1, 5, 15 minutes */
    machine_cache caches[MACHINE_CACHES]; /* of the first core */
    size_t cache_count;
} machine;

machine carom_machine_read(void);

/* MHz at which this core runs serial code now: the best of some runs of about 1 ms. */
double carom_machine_clock(int runs);

/* Bytes of the data cache of a level (1..3), or a usual size if it is unknown. */
size_t carom_machine_cache(const machine *m, int level);

#endif
