/* SPDX-License-Identifier: MIT
 * PROGRAMS(name): the table of a game's programs, carom_<name>_programs_f32 or _f64. See programs.h.
 */
#ifndef CAROM_TESTS_PORTS_PROGRAMS_OF_H
#define CAROM_TESTS_PORTS_PROGRAMS_OF_H

#include "ports/programs.h"
#include "tick/one_rollout.h"
#include "tick/one_step.h"

#define PROGRAM_RUN(entry, TASK, function)                                                                             \
    static void run_##entry(const void *task, size_t thread)                                                           \
    {                                                                                                                  \
        function((const TASK *)task, thread);                                                                          \
    }
#define PROGRAM_ROW(entry, TASK, function) {#entry, run_##entry},

ONE_ENTRIES(PROGRAM_RUN)

#define PROGRAMS(name)                                                                                                 \
    CAROM_EXTERN const program CAROM_PASTE(name, programs, CAROM_REAL_BITS)[];                                         \
    const program CAROM_PASTE(name, programs, CAROM_REAL_BITS)[] = {ONE_ENTRIES(PROGRAM_ROW){NULL, NULL}};

#endif
