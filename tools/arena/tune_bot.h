/* SPDX-License-Identifier: MIT
 * `carom tune --bot`: tunes the numbers in the command of a program by games, whatever the program is.
 *
 * Numbers are searched for in the unit cube, which stands for their ranges. cem: a generation of candidates plays the
 * mean (or another side), and the mean moves to that of the best. spsa: two candidates on opposite sides of the mean
 * play each other, or both play the other side, and the mean moves towards the better one (Spall's simultaneous
 * perturbation). What is played depends on the seed and the number of the generation alone: a run that is resumed is
 * the run.
 */
#ifndef CAROM_TOOLS_ARENA_TUNE_BOT_H
#define CAROM_TOOLS_ARENA_TUNE_BOT_H

#include "tune.h"

/* Runs it; gives the exit code. */
int carom_tune_bot(const arguments *args, const tune_options *options);

#endif
