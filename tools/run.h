/* SPDX-License-Identifier: MIT
 * The kinds of scene that `carom run` runs: each takes all that follows `run` and gives the exit code.
 */
#ifndef CAROM_TOOLS_RUN_H
#define CAROM_TOOLS_RUN_H

#include "command.h"

int carom_run_gas(arguments *args);
int carom_run_scene(arguments *args);

#endif
