/* SPDX-License-Identifier: MIT
 * Figures of `carom prove`: ratios of speeds that are measured in turn.
 */
#ifndef CAROM_TOOLS_PROVE_FIGURES_H
#define CAROM_TOOLS_PROVE_FIGURES_H

#include "../command/command.h"

/* How many times as fast csb is, in f32 on one thread with that policy for all pods, on instruction set `isa` as on
 * scalar. Processor time, the least of several measurements of each, where the system measures it. */
double carom_measure_lanes(const char *policy, carom_isa isa);

/* The least ratio that proves that lanes are used: a loose one, since some processors gain less. */
double carom_least_ratio(carom_isa isa);

#endif
