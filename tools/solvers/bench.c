/* SPDX-License-Identifier: MIT
 * `carom bench`: the command's built-in benchmarks.
 */
#include "../command/command.h"

typedef struct bench_options {
    const char *name;
} bench_options;

#define OPTIONS bench_options
static const argument_row rows[] = {WORD("benchmark", name), END};

static int run(arguments *args)
{
    bench_options options = {NULL};
    carom_read_arguments(args, rows, &options);
    carom_die("unknown benchmark '%s' (see carom bench --help)", options.name);
}

static void print_benchmarks(void)
{
    carom_print_row("solvers", "all solvers of the time of impact: pairs a second, cycles, bandwidth");
}

const command_row carom_bench_command = {
    .name = "bench",
    .usage = "BENCHMARK ...",
    .about = "Results are first compared with the same source at one lane: wrong ones are not timed. Figures are "
             "for this machine, now; on a busy one they mean little. To time whole games, use carom rollout.",
    .rows = rows,
    .tables = print_benchmarks,
    .notes = "  carom bench BENCHMARK --help    its options",
    .run = run};
