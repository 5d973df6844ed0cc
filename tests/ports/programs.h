/* SPDX-License-Identifier: MIT
 * The programs that a device runs (kernel/tick/one.h), as functions of this processor. A file for each game includes
 * the game's kernel.c, compiled with TILE_LANES 1, then programs_of.h, and ends in PROGRAMS(name).
 */
#ifndef CAROM_TESTS_PORTS_PROGRAMS_H
#define CAROM_TESTS_PORTS_PROGRAMS_H

#include "tick/one.h"

/* A program, by the name of its entry. */
typedef struct program {
    const char *entry;
    void (*run)(const void *task, size_t thread);
} program;

#endif
