/* SPDX-License-Identifier: MIT
 * Scores, Elo points and joint ratings from numbers of wins, with their intervals.
 */
#include "ratings.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define WITHIN 1.959963984540054 /* 95% of a normal distribution lie within this many deviations of the mean */

arena_score carom_arena_score(double points, double games)
{
    if (games <= 0) {
        return (arena_score){0.5, 0, 1};
    }
    const double p = points / games, share = WITHIN * WITHIN / games;
    const double centre = (p + share / 2) / (1 + share);
    const double half = WITHIN / (1 + share) * sqrt(p * (1 - p) / games + share / (4 * games));
    return (arena_score){p, p <= 0 ? 0 : fmax(centre - half, 0), p >= 1 ? 1 : fmin(centre + half, 1)};
}

double carom_arena_elo(double score)
{
    return score <= 0 ? -INFINITY : score >= 1 ? INFINITY : -400 * log10(1 / score - 1);
}

/* Hunter's iteration. Both matrices are [side][side]; an additional draw between any two that met keeps ratings
 * finite. */
static void find_strengths(size_t sides, const double *points, const double *games, double *strength)
{
    for (size_t i = 0; i < sides; i++) {
        strength[i] = 1;
    }
    for (int round = 0; round < 2000; round++) {
        for (size_t i = 0; i < sides; i++) {
            double won = 0, weight = 0;
            for (size_t j = 0; j < sides; j++) {
                const double met = games[i * sides + j];
                if (i != j && met > 0) {
                    won += points[i * sides + j] + 0.5;
                    weight += (met + 1) / (strength[i] + strength[j]);
                }
            }
            strength[i] = weight > 0 ? won / weight : strength[i];
        }
    }
}

/* Inverts a symmetric, positive definite matrix in place; false if it is not one. */
static bool invert(double *a, size_t n)
{
    for (size_t k = 0; k < n; k++) { /* Gauss-Jordan; needs no pivoting here */
        const double pivot = a[k * n + k];
        if (!(pivot > 1e-12)) {
            return false;
        }
        a[k * n + k] = 1;
        for (size_t j = 0; j < n; j++) {
            a[k * n + j] /= pivot;
        }
        for (size_t i = 0; i < n; i++) {
            const double factor = a[i * n + k];
            if (i != k) {
                a[i * n + k] = 0;
                for (size_t j = 0; j < n; j++) {
                    a[i * n + j] -= factor * a[k * n + j];
                }
            }
        }
    }
    return true;
}

/* The variances follow from the Fisher information of the games, a Laplacian L. On vectors with sum 0 its inverse is (L
 * + J/n)^-1 - J/n, where J is all ones. Draws vary less than assumed, so the intervals are rather too wide. */
static void find_intervals(size_t sides, const double *games, const double *strength, arena_rating *ratings)
{
    const double elo = 400 / log(10), even = 1 / (double)sides;
    double *information = (double *)calloc(sides * sides, sizeof *information);
    bool known = information != NULL;
    for (size_t i = 0; i < sides && known; i++) {
        for (size_t j = 0; j < sides; j++) {
            const double met = games[i * sides + j], share = strength[i] / (strength[i] + strength[j]);
            const double tells = i != j && met > 0 ? (met + 1) * share * (1 - share) : 0;
            information[i * sides + j] += even - tells;
            information[i * sides + i] += tells;
        }
    }
    known = known && invert(information, sides);
    for (size_t i = 0; i < sides; i++) {
        const double half = known ? WITHIN * elo * sqrt(fmax(information[i * sides + i] - even, 0)) : INFINITY;
        ratings[i].low = ratings[i].rating - half;
        ratings[i].high = ratings[i].rating + half;
    }
    free(information);
}

void carom_arena_rate(size_t sides, const double *points, const double *games, arena_rating *ratings)
{
    double *strength = (double *)calloc(sides + 1, sizeof *strength), mean = 0;
    if (strength == NULL || sides == 0) {
        abort();
    }
    find_strengths(sides, points, games, strength);
    for (size_t i = 0; i < sides; i++) {
        ratings[i].rating = 400 * log10(strength[i]);
        mean += ratings[i].rating / (double)sides;
    }
    for (size_t i = 0; i < sides; i++) {
        ratings[i].rating -= mean;
    }
    find_intervals(sides, games, strength, ratings);
    free(strength);
}
