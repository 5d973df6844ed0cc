/* SPDX-License-Identifier: MIT
 * `carom run`: finds out which kind of scene is meant.
 */
#include "run.h"

#include <string.h>

void carom_help_run(void)
{
    puts("carom run FILE [options]\n"
         "\n"
         "The scene that a JSON file describes (examples/scenes/*.json), in many worlds; nobody acts.\n"
         "  --worlds N            worlds, 1 by default\n"
         "  --ticks N             ticks that each world plays, 1000 by default\n"
         "  --dt T                length of a tick; the scene's own by default\n"
         "  --scatter V           to each component of the velocity of each body that can move, a number drawn from\n"
         "                        [-V, V] is added at the start: else all worlds are the same; 0 by default\n"
         "  --seed S              of what is drawn, 1 by default\n"
         "  --engine NAME         auto, wide or deep; the scene's own by default\n"
         "  --solver NAME         how the time of impact is solved; the scene's own by default (see\n"
         "                        carom bench solvers --help for the names)\n"
         "  --precision f64|f32   f64 by default\n"
         "  --isa NAME            instruction set; the fastest by default\n"
         "  --threads T           at most so many threads; all by default\n"
         "  --events FILE         write every impact to FILE, as comma-separated values; slower\n"
         "  --json                one JSON object instead of the table\n"
         "\n"
         "carom run gas [options]\n"
         "\n"
         "Equal hard disks (diameter 1, mass 1, temperature 1 at the start) in a square box.\n"
         "  --bodies N            disks, 1000 by default\n"
         "  --packing F           the part of the box that they cover, 0.5 by default\n"
         "  --time T              units of time to run, 100 by default\n"
         "  --equilibrate T       units of time before anything is measured; by default 16 up to packing 0.6, 32 up\n"
         "                        to 0.65, 64 up to 0.68, 400 above\n"
         "  --box periodic|solid  periodic by default\n"
         "  --restitution E       0 to 1, 1 (elastic) by default\n"
         "  --seed S              of the velocities, 1 by default\n"
         "  --precision f64|f32   f64 by default\n"
         "  --isa NAME            instruction set; the fastest by default\n"
         "  --json                one JSON object instead of the table\n"
         "\n"
         "The disks start on a hexagonal lattice with random velocities. At packing 0.7 and above the gas needs more\n"
         "than 1000 units of time to relax.\n"
         "\n"
         "Ctrl-C stops and reports what is done.");
}

int carom_command_run(arguments *args)
{
    for (char **word = args->list; *word != NULL; word++) {
        if (strcmp(*word, "gas") == 0) {
            return carom_run_gas(args);
        }
    }
    return carom_run_scene(args);
}
