/* SPDX-License-Identifier: MIT
 * A sequential test of two sides: how strong is side a against side b, Elo e0 or Elo e1? It ends once one of the two is
 * known, with error rates of 0.05 each.
 *
 * It looks at starts, not games: the games of a start are played from every seat, and are not independent. By the
 * generalised likelihood ratio of the mean of the starts' scores, with the variance that they have. Before there are
 * many starts the variance is not known: eight starts with independent decisive games are added to it, which makes the
 * test cautious at the beginning.
 */
#ifndef CAROM_TOOLS_ARENA_SPRT_H
#define CAROM_TOOLS_ARENA_SPRT_H

#include <stdint.h>

/* What was played. A start's points are two for each game that side a wins, one for each draw. */
typedef struct arena_sprt {
    uint64_t starts, points, squares; /* sums over the starts of 1, their points, and their points squared */
} arena_sprt;

typedef enum arena_verdict { SPRT_OPEN = -1, SPRT_FIRST, SPRT_SECOND } arena_verdict;

#define SPRT_BOUND 2.9444389791664403 /* log(0.95 / 0.05) */

void carom_sprt_add(arena_sprt *sprt, unsigned points);

/* The logarithm of the likelihood ratio of Elo elo[1] to elo[0], where a start has so many games. */
double carom_sprt_ratio(const arena_sprt *sprt, unsigned rounds, const double elo[2]);

arena_verdict carom_sprt_verdict(const arena_sprt *sprt, unsigned rounds, const double elo[2]);

#endif
