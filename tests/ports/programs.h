/* SPDX-License-Identifier: MIT
 * The programs that a device runs (kernel/tick/one.h), as functions of this processor. A file for each game includes
 * the game's kernel.c, compiled with TILE_LANES 1, then programs_of.h, and ends in PROGRAMS(name).
 */
#ifndef CAROM_TESTS_PORTS_PROGRAMS_H
#define CAROM_TESTS_PORTS_PROGRAMS_H

#include "tick/one.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A program, by the name of its entry. */
typedef struct program {
    const char *entry;
    void (*run)(const void *task, size_t thread);
} program;

/* Is a game to be tested in this precision? Yes, unless CAROM_TEST_MODULE names others: "csb", or "csb_f64". */
static inline bool program_is_asked(const char *game, bool f64)
{
    const char *asked = getenv("CAROM_TEST_MODULE");
    char name[64];
    snprintf(name, sizeof name, "%s_f%d", game, f64 ? 64 : 32);
    return asked == NULL || strncmp(name, asked, strlen(asked)) == 0;
}

/* carom_<name>_act, the program of a game's policies, after their source compiled with SEE_LANES 1. */
#define POLICY_PROGRAM(name)                                                                                           \
    extern const program carom_##name##_act;                                                                           \
    static void run_act(const void *task, size_t thread)                                                               \
    {                                                                                                                  \
        one_act((const one_act_task *)task, thread);                                                                   \
    }                                                                                                                  \
    const program carom_##name##_act = {"act", run_act};

#endif
