/* SPDX-License-Identifier: MIT
 * Random pairs of circles of every kind that is hard for a time-of-impact solver; for the error study and the tests.
 *
 * A pair is five numbers: px, py, vx, vy, r. They are floats in f32, and drawn only with exactly rounded operations: a
 * seed gives the same pairs on every machine.
 */
#ifndef CAROM_BENCH_TOI_DISTRIBUTIONS_H
#define CAROM_BENCH_TOI_DISTRIBUTIONS_H

#include <carom/base.h>

typedef enum distribution {
    DISTRIBUTION_UNIFORM,
    DISTRIBUTION_GRAZING,
    DISTRIBUTION_NEAR_CONTACT,
    DISTRIBUTION_FAR_FAST,
    DISTRIBUTION_TINY_VELOCITY,
    DISTRIBUTION_EQUAL_VELOCITY,
    DISTRIBUTION_SCALES,
    DISTRIBUTION_TOUCHING,
    DISTRIBUTION_OVERLAPPING,
    DISTRIBUTION_SLIDING,
    DISTRIBUTION_RANDOM_BITS,
    DISTRIBUTION_OUTSIDE,  /* from here on beyond the domain that toi.h states for most variants */
    DISTRIBUTION_ANY_BITS, /* NaN and infinities, and exponents in one pair that no scaling brings together */
    DISTRIBUTIONS
} distribution;

#define DISTRIBUTIONS_INSIDE DISTRIBUTION_OUTSIDE    /* how many keep to that domain */
#define DISTRIBUTIONS_PROMISED DISTRIBUTION_ANY_BITS /* the number in which `accurate` must keep its guarantee */

/* "near-contact", and one line on its ranges. */
const char *carom_distribution_name(distribution which);
const char *carom_distribution_summary(distribution which);

/* A stream of pairs, told by its three numbers. */
typedef struct distribution_stream {
    distribution which;
    carom_precision precision;
    uint64_t state;
} distribution_stream;

distribution_stream carom_distribution_begin(distribution which, carom_precision precision, uint64_t seed);
void carom_distribution_draw(distribution_stream *s, double pair[5]);

#endif
