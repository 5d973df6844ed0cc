/* SPDX-License-Identifier: MIT
 * `carom tune --bot`: tunes numbers in the command of any program by playing.
 *
 * Numbers are scaled from their ranges to the unit cube. cem: a generation of candidates plays the mean (or another
 * side), and the mean moves to that of the best. spsa: two candidates on opposite sides of the mean play each other, or
 * both play the other side, and the mean moves towards the better one (Spall's simultaneous perturbation). The games
 * depend only on the seed and the number of the generation, so that a resumed run gives the same results.
 */
#ifndef CAROM_TOOLS_ARENA_TUNE_BOT_H
#define CAROM_TOOLS_ARENA_TUNE_BOT_H

#include "tune.h"

/* Runs it; returns the exit code. */
int carom_tune_bot(const arguments *args, const tune_options *options);

#endif
