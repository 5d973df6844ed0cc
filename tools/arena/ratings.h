/* SPDX-License-Identifier: MIT
 * What numbers of wins say: scores, Elo points, the ratings of all sides at once, and how sure all that is.
 */
#ifndef CAROM_TOOLS_ARENA_RATINGS_H
#define CAROM_TOOLS_ARENA_RATINGS_H

#include <stdbool.h>
#include <stddef.h>

typedef struct arena_score {
    double score, low, high; /* share of the points, a draw being half; Wilson's interval of 95% */
} arena_score;

arena_score carom_arena_score(double points, double games);

/* The difference in Elo points that goes with an expected score; -INFINITY for 0, INFINITY for 1. */
double carom_arena_elo(double score);

typedef struct arena_rating {
    double rating, low, high; /* Elo points; the interval of 95%, infinite if nothing connects all sides */
} arena_rating;

/* Ratings with the mean 0 under which the results are the likeliest (Bradley and Terry). points[side][other]: won
 * against it, a draw being half; games[side][other]. */
void carom_arena_rate(size_t sides, const double *points, const double *games, arena_rating *ratings);

#endif
