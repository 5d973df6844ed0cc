/* SPDX-License-Identifier: MIT
 * A sequential test of two sides: is side a stronger than side b by Elo e0 or by e1? It ends when one of the two is
 * accepted, with error rates of 0.05 each.
 *
 * Its unit is the start, not the game, because the games of a start are not independent. It uses the generalised
 * likelihood ratio of the mean score of starts, with their sample variance. While there are few starts the variance is
 * poorly known, so eight starts with independent decisive games are added to it, which makes the test cautious at the
 * beginning.
 */
#ifndef CAROM_TOOLS_ARENA_SPRT_H
#define CAROM_TOOLS_ARENA_SPRT_H

#include <stdint.h>

/* The games so far. A start's points are two for each win of side a and one for each draw. */
typedef struct arena_sprt {
    uint64_t starts, points, squares; /* sums over the starts of 1, their points, and their points squared */
} arena_sprt;

typedef enum arena_verdict { SPRT_OPEN = -1, SPRT_FIRST, SPRT_SECOND } arena_verdict;

#define SPRT_BOUND 2.9444389791664403 /* log(0.95 / 0.05) */

void carom_sprt_add(arena_sprt *sprt, unsigned points);

/* The logarithm of the likelihood ratio of Elo elo[1] to elo[0]; a start has `rounds` games. */
double carom_sprt_ratio(const arena_sprt *sprt, unsigned rounds, const double elo[2]);

arena_verdict carom_sprt_verdict(const arena_sprt *sprt, unsigned rounds, const double elo[2]);

#endif
