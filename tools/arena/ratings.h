/* SPDX-License-Identifier: MIT
 * Scores, Elo points and joint ratings from numbers of wins, with their intervals.
 */
#ifndef CAROM_TOOLS_ARENA_RATINGS_H
#define CAROM_TOOLS_ARENA_RATINGS_H

#include <stdbool.h>
#include <stddef.h>

typedef struct arena_score {
    double score, low, high; /* share of the points, half for a draw; Wilson's 95% interval */
} arena_score;

arena_score carom_arena_score(double points, double games);

/* The difference in Elo points for an expected score; -INFINITY for 0, INFINITY for 1. */
double carom_arena_elo(double score);

typedef struct arena_rating {
    double rating, low, high; /* Elo points; 95% interval, infinite if games do not connect all sides */
} arena_rating;

/* Maximum-likelihood ratings with mean 0 (Bradley and Terry). points[side][other]: won against the other, half for a
 * draw; games[side][other]. */
void carom_arena_rate(size_t sides, const double *points, const double *games, arena_rating *ratings);

#endif
