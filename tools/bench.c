/* SPDX-License-Identifier: MIT
 * `carom bench`: the benchmarks that the command holds.
 */
#include "command.h"

void carom_help_bench(void)
{
    puts("carom bench BENCHMARK ...\n"
         "\n"
         "  solvers     every way to solve the time of impact: pairs a second, cycles, bandwidth\n"
         "\n"
         "  carom bench BENCHMARK --help    its options\n"
         "\n"
         "What is measured is compared with the same source at one lane first: nothing wrong is timed. Figures are "
         "those\n"
         "of this machine, now; on a busy one they mean little. Whole games are timed by carom rollout.");
}

int carom_command_bench(arguments *args)
{
    const char *name = carom_take_word(args);
    if (name != NULL) {
        carom_die("unknown benchmark '%s' (see carom bench --help)", name);
    }
    if (*args->list != NULL) {
        carom_refuse(args);
    }
    carom_die("which benchmark? (see carom bench --help)");
}
